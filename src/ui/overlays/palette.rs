//! The command palette: every action by name, with its key or the reason why it can't be used now.

use super::menu::{Item, Menu};
use crate::{
    app::{
        actions::{ActionId, Risk},
        keymap::Keymap,
    },
    ui::view::OverlayReply,
};

/// The palette for the present moment; `refusal` says why an action can't be used now.
pub(crate) fn action_palette(
    keymap: &Keymap,
    refusal: impl Fn(ActionId) -> Option<String>,
) -> Menu {
    let shown: Vec<_> =
        keymap.actions().iter().copied().filter(|action| action.id != "palette").collect();
    let items = shown
        .iter()
        .map(|action| Item {
            title: action.title.to_owned(),
            detail: format!("{} · {}", action.scope.title(), action.help),
            note: keymap.display_key(action.id),
            refusal: refusal(action.id),
            risky: action.risk == Risk::Changes,
        })
        .collect();
    Menu::new("Commands", items, move |row| OverlayReply::Act(shown[row].id))
}
