//! Help: what works here, this pane first, then everything else; filtered as one types.

use super::menu::{Item, Menu};
use crate::{
    app::{
        actions::{Action, ActionId, Risk, Scope},
        keymap::Keymap,
    },
    ui::view::OverlayReply,
};

/// Help for the scopes that are in force, innermost first. `refusal` says why an action can't be
/// used now.
pub(crate) fn help_menu(
    keymap: &Keymap,
    scopes: &[Scope],
    refusal: impl Fn(ActionId) -> Option<String>,
) -> Menu {
    let mut actions: Vec<&'static Action> = keymap.actions().to_vec();
    // What has no key comes after what has one, and other places after this one.
    actions.sort_by_key(|action| {
        let place = scopes.iter().position(|scope| *scope == action.scope).unwrap_or(scopes.len());
        (place, keymap.keys_for(action.id).is_empty())
    });
    let items = actions
        .iter()
        .map(|action| Item {
            title: action.title.to_owned(),
            detail: format!("{} · {}", action.scope.title(), action.help),
            note: keymap.display_key(action.id),
            refusal: refusal(action.id),
            risky: action.risk == Risk::Changes,
        })
        .collect();
    Menu::new("Help · what works here", items, move |row| OverlayReply::Act(actions[row].id))
}
