//! Tools that are added from a text: one that is pasted, that of a file of the workspace that isn't
//! read in place, or that of any other file by its path.

use super::{
    overlays::{
        menu::{Item, Menu},
        paste::Paste,
        proposal::Proposal,
        server_import,
    },
    view::{Overlay, OverlayReply, Reply, Screen},
};
use crate::{
    app::{
        compose::{
            context::ComposeContext,
            pasting::{self, TargetChoice},
            server_block::read_block,
        },
        message::{DocumentMessage, Message, ScreenId},
        state::State,
    },
    model::{connection::Connection, entry::FileId},
    systems::target::Target,
};

/// Of files so many bytes are read as lists of tools, all together: the first screen waits for it.
const READ: usize = 4 * 1024 * 1024;

/// So many are looked through for words that such a list has.
const LOOKED_THROUGH: usize = 16 * READ;

/// What lists of tools and functions and OpenAPI documents have in them.
const MARKS: [&str; 5] = ["nputSchema", "input_schema", "\"function\"", "openapi", "parameters"];

/// Files of the workspace that hold tools in a form that isn't read in place and that aren't added
/// yet: lists of tools and functions, OpenAPI documents. As many as that at most.
pub(crate) fn files_with_tools(state: &State, most: usize) -> Vec<FileId> {
    files_with(state, most, &MARKS)
}

/// Those that have one of these marks.
fn files_with(state: &State, most: usize, marks: &[&str]) -> Vec<FileId> {
    let context = ComposeContext::from_state(state);
    let is_unread = |file: &FileId| state.catalog.of_file(file).next().is_none();
    let texts = state.documents.iter().filter(|(file, document)| !document.gone && is_unread(file));
    let (mut to_look_through, mut to_read) = (LOOKED_THROUGH, READ);
    let texts = texts.filter_map(|(file, document)| {
        let text = document.text.whole_text();
        to_look_through = to_look_through.checked_sub(text.len())?;
        let left = to_read.checked_sub(text.len())?;
        marks.iter().find(|mark| text.contains(**mark))?;
        to_read = left;
        let is_list = pasting::paste_entries(context, text, None).is_ok();
        is_list.then(|| file.clone())
    });
    texts.take(most).collect()
}

/// Asks of which file of the workspace the tools are added.
pub(crate) fn choose_file(state: &State) -> Reply {
    /// More than a person looks through.
    const MOST: usize = 50;
    // A JSON Schema is offered only to those who ask: it may be of something else.
    let files = files_with(state, MOST, &[&MARKS[..], &["properties"]].concat());
    if files.is_empty() {
        return await_paste();
    }
    let item = |file: &FileId| Item { title: file.to_string(), ..Item::default() };
    let other = Item {
        title: "another file…".to_owned(),
        detail: "by its path: Python, or outside of this folder".to_owned(),
        ..Item::default()
    };
    let items = files.iter().map(item).chain([other]).collect();
    let propose = move |row: usize, state: &State| {
        OverlayReply::CloseWith(match files.get(row) {
            Some(file) => take_file(file.as_str(), state),
            None => await_paste(),
        })
    };
    Reply::Open(Box::new(Menu::with_state("Add the tools of", items, propose)))
}

/// Waits for a text with descriptors.
pub(crate) fn await_paste() -> Reply {
    let words = "Paste now, with your terminal's paste key (often Ctrl+Shift+V): one tool or \
        many, as YAML or JSON; tools of MCP, OpenAI or OpenAPI, a JSON Schema and Python functions \
        are converted; or an mcpServers block. Changes are shown before they are made.";
    Reply::Open(Box::new(Paste::new("Paste tools", words, paste_descriptors, take_file)))
}

/// What files with tools end with.
const ENDINGS: [&str; 4] = [".py", ".json", ".yaml", ".yml"];

/// The path that a text is, where it is that of a file that may have tools: as terminals paste the
/// path of a file that is dropped on them.
fn path_in(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("file://").unwrap_or(text);
    let within = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    let path = match within('\'').or_else(|| within('"')) {
        Some(path) => path.to_owned(),
        None => text.replace("\\ ", " "),
    };
    let is_path = !path.contains(['\n', '{', '"']) && !path.contains(": ");
    let end = path.to_ascii_lowercase();
    (is_path && ENDINGS.iter().any(|ending| end.ends_with(ending))).then_some(path)
}

/// Shows what the tools of a file add: as it is here, with what isn't saved, where it is one of the
/// workspace's, else as it is read now.
pub(crate) fn take_file(path: &str, state: &State) -> Reply {
    let file = FileId::new(path.strip_prefix("./").unwrap_or(path));
    match state.documents.get(&file) {
        Some(document) => paste_text(document.text.whole_text(), Some(&file), state),
        None => Reply::send(Message::Document(DocumentMessage::ReadTools(path.to_owned()))),
    }
}

/// Whether a text is of tools that can be added, and not one word or sentence. It is a value where
/// the screen edits a text, or has a form of values: on Tools a form is of a tool.
pub(crate) fn adds_tools(text: &str, screen: Option<&dyn Screen>, state: &State) -> bool {
    let takes = |screen: &dyn Screen| {
        screen.is_typing() || state.screen != ScreenId::Tools && screen.shown_form().is_some()
    };
    !screen.is_some_and(takes)
        && state.form.is_none()
        && text.contains([':', '{'])
        && pasting::paste_entries(ComposeContext::from_state(state), text, state.selected.as_ref())
            .is_ok()
}

/// Shows what a pasted text adds, before it is added: tools, or servers that it configures. Where it
/// isn't known of which system the tools are to be, that is asked first. A path is its file's text.
pub(crate) fn paste_descriptors(text: &str, state: &State) -> Reply {
    match path_in(text) {
        Some(path) => take_file(&path, state),
        None => paste_text(text, None, state),
    }
}

/// The same of a text, and of the file that it is of.
fn paste_text(text: &str, file: Option<&FileId>, state: &State) -> Reply {
    let (context, near) = (ComposeContext::from_state(state), state.selected.as_ref());
    let has_tools = pasting::paste_entries(context, text, near).is_ok();
    if let Some(Ok(config)) = read_block(text).filter(|_| !has_tools) {
        return Reply::send(server_import::choose_servers(config));
    }
    Reply::Open(tools_overlay(text, file, state))
}

/// Shows what the tools of a text add, and asks first of which system they are to be where that isn't
/// known.
pub(crate) fn tools_overlay(text: &str, file: Option<&FileId>, state: &State) -> Box<dyn Overlay> {
    let (context, near) = (ComposeContext::from_state(state), state.selected.as_ref());
    let known = &state.network.connections.known;
    let is_connected = |target: Target| {
        known.iter().any(|connection| connection.settings.contains_key(target.word()))
    };
    let choices = pasting::target_choices(context, text, near, is_connected);
    match choices.len() {
        0 | 1 => Box::new(paste_proposal(text, file, None, state)),
        _ => Box::new(choose_target((text, file), choices, known)),
    }
}

/// Asks of which system the tools are to be; `known` are the workspace's connections.
fn choose_target(
    (text, file): (&str, Option<&FileId>),
    choices: Vec<TargetChoice>,
    known: &[Connection],
) -> Menu {
    let called = |target: Target| {
        let own = known.iter().find(|one| one.settings.contains_key(target.word()));
        match (target.answered_by(), own) {
            (None, _) => "can't be called from toolcrib".to_owned(),
            (Some(_), Some(own)) => format!("called over {}", own.name),
            (Some(who), None) => format!("calls need {who}"),
        }
    };
    let kept = |lost: &str| match lost {
        "" => "keeps all of it".to_owned(),
        lost => format!("has no place for {lost}"),
    };
    let item = |choice: &TargetChoice| Item {
        title: choice.target.title().to_owned(),
        detail: format!("{}; {}", called(choice.target), kept(&choice.lost)),
        ..Item::default()
    };
    let items = choices.iter().map(item).collect();
    let (text, file) = (text.to_owned(), file.cloned());
    let propose = move |row: usize, state: &State| {
        let target = choices.get(row).map(|choice| choice.target);
        OverlayReply::CloseWith(paste_proposal(&text, file.as_ref(), target, state).into_reply())
    };
    Menu::with_state("Paste tools as those of", items, propose)
}

/// What it adds as a dialog.
fn paste_proposal(
    text: &str,
    file: Option<&FileId>,
    target: Option<Target>,
    state: &State,
) -> Proposal {
    let (text, file, near) = (text.to_owned(), file.cloned(), state.selected.clone());
    Proposal::new("Paste tools", "", move |state| {
        let context = ComposeContext::from_state(state);
        pasting::paste_entries_to(context, &text, near.as_ref(), target, file.as_ref())
    })
    .with_act("add")
}
