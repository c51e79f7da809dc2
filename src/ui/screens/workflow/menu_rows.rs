//! Rows of the menus that composing asks with.

use crate::{
    app::{
        actions::{ActionId, Risk},
        state::State,
    },
    ui::{
        overlays::menu::{Item, Menu},
        view::{OverlayReply, Reply},
    },
};

/// What a row of a menu leads to.
pub(super) type RowAction = Box<dyn Fn() -> OverlayReply>;

/// A menu of rows, each with what it leads to.
pub(super) fn menu_reply(title: impl Into<String>, rows: Vec<(Item, RowAction)>) -> Reply {
    let (items, thens): (Vec<Item>, Vec<RowAction>) = rows.into_iter().unzip();
    Reply::Open(Box::new(Menu::new(title, items, move |row| {
        thens.get(row).map_or(OverlayReply::Stay, |then| then())
    })))
}

pub(super) fn menu_row(
    title: impl Into<String>,
    detail: impl Into<String>,
    then: impl Fn() -> Reply + 'static,
) -> (Item, RowAction) {
    let then = move || OverlayReply::CloseWith(then());
    (described_item(title.into(), detail.into()), Box::new(then))
}

fn described_item(title: String, detail: String) -> Item {
    Item { title, detail, ..Item::default() }
}

/// What deletes comes first only where it is named.
pub(super) fn mark_risky((item, then): (Item, RowAction)) -> (Item, RowAction) {
    (Item { risky: true, ..item }, then)
}

fn action_row(id: ActionId, state: &State) -> (Item, RowAction) {
    let action = state.keymap.action(id);
    let note = state.keymap.display_key(id);
    let item = Item {
        title: action.title.into(),
        detail: action.help.into(),
        note,
        risky: action.risk == Risk::Changes,
        action: Some(id),
        ..Item::default()
    };
    (item, Box::new(move || OverlayReply::Act(id)))
}

/// Actions that only change the drawing.
const ONLY_DRAWN: [ActionId; 6] = ["matrix", "fit", "zoom-in", "zoom-out", "view", "signs"];

/// Rows of actions; in plain mode without those that only change the drawing.
pub(super) fn action_rows(ids: &[ActionId], state: &State) -> Vec<(Item, RowAction)> {
    let is_only_drawn = |id: &&ActionId| ONLY_DRAWN.contains(*id);
    let shown = ids.iter().filter(|id| !(state.keymap.is_in_words() && is_only_drawn(id)));
    shown.map(|id| action_row(id, state)).collect()
}
