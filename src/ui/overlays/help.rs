//! Help: what works here, this pane first, then everything else under the name of its screen;
//! filtered as one types.

use super::menu::{Item, Menu};
use crate::{
    app::{
        actions::{Action, ActionId, Risk, Scope},
        input::Key,
        keymap::Keymap,
    },
    schema::ordering::PutInOrder,
    ui::view::OverlayReply,
};

/// Help for the scopes that are in force, innermost first, and for a text that is edited or not.
/// `refusal` says why an action can't be used now.
pub(crate) fn help_menu(
    keymap: &Keymap,
    (scopes, is_typing): (&[Scope], bool),
    refusal: impl Fn(ActionId) -> Option<String>,
) -> Menu {
    let place = |scope: Scope| scopes.iter().position(|known| *known == scope);
    let screens: Vec<&str> = scopes.iter().map(|scope| screen_title(*scope)).collect();
    // What can be done here, or in another pane of this screen.
    let is_near = |scope: Scope| place(scope).is_some() || screens.contains(&screen_title(scope));
    // The key of an action may be that of another in a pane that has the keys.
    let is_taken = |action: &Action| {
        let other = |key: &Key| keymap.action_for(scopes, *key).is_some_and(|it| it != action.id);
        place(action.scope).is_some() && keymap.keys_for(action.id).iter().all(other)
    };
    let mut actions: Vec<&'static Action> = keymap.actions().to_vec();
    // What has no key comes after what has one, and other places after this one.
    actions.order_by_key(|action| {
        let rank = place(action.scope).unwrap_or(scopes.len());
        (!is_near(action.scope), rank, keymap.display_key_in(action.id, is_typing).is_empty())
    });
    let items = actions
        .iter()
        .map(|action| {
            let near = is_near(action.scope);
            Item {
                title: action.title.to_owned(),
                detail: match near {
                    true => format!("{} · {}", action.scope.title(), action.help),
                    false => action.help.to_owned(),
                },
                note: match is_taken(action) {
                    true => String::new(),
                    false => keymap.display_key_in(action.id, is_typing),
                },
                refusal: refusal(action.id),
                risky: action.risk == Risk::Changes,
                section: if near { "" } else { action.scope.title() },
                ..Item::default()
            }
        })
        .collect();
    Menu::new("Help · keys and actions", items, move |row| OverlayReply::Act(actions[row].id))
        .with_wrapped_rows()
}

/// The screen of a scope, or its own title where it is one of no screen.
fn screen_title(scope: Scope) -> &'static str {
    scope.title().split(" · ").next().unwrap_or_default()
}
