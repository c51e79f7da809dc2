//! Help: the keys that work here, then those of the other places.

use super::page::{Line, PageOverlay};
use crate::{
    app::{
        actions::{Action, Scope},
        keymap::Keymap,
    },
    ui::{
        canvas::{pad_text, text_width},
        styles::Role,
    },
};

/// The page for the scopes that are in force, innermost first.
pub(crate) fn help_page(keymap: &Keymap, scopes: &[Scope]) -> PageOverlay {
    let actions = keymap.actions();
    let mut order: Vec<Scope> = scopes.to_vec();
    let mut others: Vec<Scope> =
        actions.iter().map(|action| action.scope).filter(|scope| !scopes.contains(scope)).collect();
    others.sort();
    others.dedup();
    order.extend(others);
    let keys_of = |action: &Action| match keymap.keys_for(action.id) {
        [] => "—".to_owned(),
        keys => keys.iter().map(ToString::to_string).collect::<Vec<_>>().join("  "),
    };
    let widest = actions.iter().map(|action| text_width(&keys_of(action))).max().unwrap_or(0) + 2;
    let mut lines: Vec<Line> = Vec::new();
    for scope in order {
        let rows: Vec<_> = actions.iter().filter(|action| action.scope == scope).collect();
        if rows.is_empty() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![(Role::Accent, scope.title().to_owned())]);
        for action in rows {
            lines.push(vec![
                (Role::Key, pad_text(&keys_of(action), widest)),
                (Role::Text, pad_text(action.title, 15)),
                (Role::Dim, action.help.to_owned()),
            ]);
        }
    }
    lines.push(Vec::new());
    lines.push(vec![(
        Role::Dim,
        "In a text field every printable key is text; Esc leaves the field and keeps what was \
         typed. Mouse: click, drag, wheel."
            .to_owned(),
    )]);
    PageOverlay::new("Help · keys", lines)
}
