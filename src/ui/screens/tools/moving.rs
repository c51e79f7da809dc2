//! The dialog that moves an entry to another file.

use crate::{
    app::{
        compose::{
            context::ComposeContext,
            moving::{MovedEntry, files_to_move_to, move_entry, move_refusal},
        },
        message::{DocumentMessage, Message},
        state::State,
    },
    model::entry::{Entry, FileId},
    schema::count::count_text,
    ui::{
        overlays::{
            menu::{Item, Menu},
            prompt::Prompt,
        },
        view::{OverlayReply, Reply},
    },
};

/// Why the selected entry can't be moved.
pub(super) fn refusal(state: &State) -> Option<String> {
    match state.selected_entry() {
        None => Some("nothing is selected".to_owned()),
        Some(entry) => move_refusal(entry, ComposeContext::from_state(state)),
    }
}

/// Offers the files that can take the selected entry, and a new one.
pub(super) fn choose_file(state: &State) -> Reply {
    let Some(entry) = state.selected_entry().cloned() else { return Reply::Handled };
    let files = files_to_move_to(&entry, ComposeContext::from_state(state));
    if files.is_empty() {
        return ask_name(entry);
    }
    let item = |file: &FileId| Item {
        title: file.to_string(),
        detail: count_text(state.catalog.of_file(file).count() as u64, "entry", "entries"),
        ..Item::default()
    };
    let new = Item {
        title: "a new file…".to_owned(),
        detail: "YAML, JSON or TOML, by its extension".to_owned(),
        ..Item::default()
    };
    let items = files.iter().map(item).chain([new]).collect();
    let title = format!("Move {} to", entry.key);
    Reply::Open(Box::new(Menu::with_state(title, items, move |row, state| {
        OverlayReply::CloseWith(match files.get(row) {
            Some(file) => moved(&entry, file, state).unwrap_or_else(Reply::Refused),
            None => ask_name(entry.clone()),
        })
    })))
}

fn ask_name(entry: Entry) -> Reply {
    let words = format!(
        "The new file for {}; it ends in .yaml, .json or .toml. In YAML and TOML, comments go along \
         to a file of the same format, but not into a list.",
        entry.key
    );
    let path = entry.id.file().as_str();
    let ending = path.rsplit_once('.').map_or("yaml", |(_, ending)| ending);
    let folder = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    let own = entry.key.rsplit('/').next().unwrap_or(&entry.key);
    let name = format!("{folder}{own}.{ending}");
    let name = if name == path { format!("{folder}tools.{ending}") } else { name };
    Reply::Open(Box::new(
        Prompt::new("Move to a new file", words, name, move |name, state| {
            let file = FileId::new(name);
            if state.documents.has(&file) && state.catalog.of_file(&file).next().is_none() {
                return Err(format!("{file} is there already, and has no entries"));
            }
            moved(&entry, &file, state)
        })
        .with_act("move")
        .preselected(),
    ))
}

fn moved(entry: &Entry, file: &FileId, state: &State) -> Result<Reply, String> {
    let MovedEntry { plan, entry } = move_entry(entry, file, ComposeContext::from_state(state))?;
    Ok(Reply::Send(vec![Message::Document(DocumentMessage::Compose(plan)), Message::Select(entry)]))
}
