//! A tool to take elsewhere: as models' APIs get it, or as its descriptor.

use crate::{
    app::{
        compose::{context::ComposeContext, pasting},
        message::Message,
        state::State,
    },
    model::tool::Tool,
    systems::model_text,
    ui::{
        overlays::menu::{Item, Menu},
        view::Reply,
    },
};

/// Asks in which form a tool is copied.
pub(super) fn copy_menu(tool: &Tool, state: &State) -> Reply {
    let mut copies: Vec<(String, &str, String)> = model_text::function_copies(tool)
        .into_iter()
        .map(|(api, text)| (api.to_owned(), "the tool as its API gets it, as JSON", text))
        .collect();
    let context = ComposeContext::from_state(state);
    let descriptor = pasting::copy_entries(context, &[tool.id().clone()]);
    copies.push(("descriptor".to_owned(), "as in the file, with what answers for it", descriptor));
    copies.push(("name".to_owned(), "as a model calls it", tool.name.clone()));
    let items = copies
        .iter()
        .map(|(title, detail, _)| Item {
            title: title.clone(),
            detail: (*detail).to_owned(),
            ..Item::default()
        })
        .collect();
    let title = format!("Copy {} as", tool.entry.key);
    Reply::Open(Box::new(Menu::with_replies(title, items, move |row| {
        let copied = copies
            .get(row)
            .map(|(what, _, text)| Message::Copy { what: what.clone(), text: text.clone() });
        copied.map_or(Reply::Handled, Reply::send)
    })))
}
