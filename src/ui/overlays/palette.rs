//! The command palette: every action by name, with its key or the reason why it can't be used now.

use super::menu::{Item, Menu};
use crate::{
    app::{
        actions::{ACTIONS, Act},
        keymap::Keymap,
    },
    ui::view::OverlayReply,
};

/// The palette for the present moment; `refusal` says why an action can't be used now.
pub(crate) fn action_palette(keymap: &Keymap, refusal: impl Fn(Act) -> Option<String>) -> Menu {
    let shown: Vec<_> = ACTIONS.iter().filter(|action| action.act != Act::Palette).collect();
    let items = shown
        .iter()
        .map(|action| Item {
            title: action.title.to_owned(),
            detail: format!("{} · {}", action.scope.title(), action.help),
            note: keymap.display_key(action.act),
            refusal: refusal(action.act),
            risky: action.act.is_risky(),
        })
        .collect();
    let acts: Vec<_> = shown.iter().map(|action| action.act).collect();
    Menu::new("Commands", items, move |row| OverlayReply::Act(acts[row]))
}
