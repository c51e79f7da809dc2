//! What Tools asks before it changes files: new, duplicate, rename, delete, diff.

use std::sync::Arc;

use crate::{
    app::{
        actions::ActionId,
        calls::CallMessage,
        compose::{
            context::{ComposeContext, Mention, files_of},
            entries::{self, EntryHome, Unplaced, free_key_in, place_new},
            plan::{Plan, list_names},
            services::{self, entry_word, missing_entry},
        },
        documents::Change,
        message::{DocumentMessage, Message, ScreenId},
        notices::NoticeKind,
        state::State,
    },
    engine::{
        mentions::{NameKind, Naming},
        stub::page::file_of_tool,
    },
    model::{
        entry::{Entry, EntryId, EntryKind, EntryPlace, FileId},
        finding::{EntryEdit, Finding, Fix},
        numbered::numbered_names,
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{
        self, rename,
        system::{NewEntry, NewPlace},
    },
    ui::{
        overlays::{
            confirm::{Answer, Confirm},
            menu::{Item, Menu},
            page::{Line, PageOverlay},
            prompt::Prompt,
        },
        styles::Role,
        view::{OverlayReply, Reply},
        widgets::difference,
    },
};

fn change_reply(label: impl Into<String>, changes: Vec<Change>) -> Reply {
    Reply::send(Message::Document(DocumentMessage::Compose(Plan::new(label, changes))))
}

/// What saves: the file of what is selected, or where it has no changes, all that have.
pub(super) fn save_action(state: &State) -> ActionId {
    let file = state.selected.as_ref().and_then(|id| state.documents.get(id.file()));
    let is_clean = file.is_some_and(|file| !file.is_changed());
    if is_clean && state.documents.changed_files().next().is_some() { "save-all" } else { "save" }
}

/// Applies a finding's fix; asks which, where there are several.
pub(super) fn apply_fixes(fixes: &[Fix]) -> Reply {
    match fixes {
        [] => hint_reply("this problem has no automatic fix"),
        [fix] => apply_fix(fix),
        several => {
            let several = several.to_vec();
            let items = several
                .iter()
                .map(|fix| Item { title: fix.label.clone(), ..Item::default() })
                .collect();
            Reply::Open(Box::new(Menu::with_replies("Choose one", items, move |row| {
                several.get(row).map_or(Reply::Handled, apply_fix)
            })))
        }
    }
}

fn apply_fix(fix: &Fix) -> Reply {
    change_reply(fix.label.clone(), fix.edits.iter().cloned().map(Change::Entry).collect())
}

/// The key of the service that a tool names at that place, where it is not there yet.
pub(super) fn unmade_service(tool: &EntryId, at: &Pointer, state: &State) -> Option<String> {
    let tool = state.catalog.tool(tool)?;
    let (kind, key) = missing_entry(ComposeContext::from_state(state), tool)?;
    let named = at.get(tool.entry.value.shared())?.as_str()?;
    (named == key).then(|| format!("make the {} \"{key}\"", entry_word(&kind)))
}

/// What the fixes of a problem do: its own, or making the service that a tool names.
pub(crate) fn fix_words(finding: &Finding, state: &State) -> Option<String> {
    let made = || unmade_service(finding.site.entry.as_ref()?, &finding.site.pointer, state);
    finding.fix_words().or_else(made)
}

/// Makes the service that a tool names at that place.
pub(super) fn make_service(tool: &EntryId, at: &Pointer, state: &State) -> Reply {
    let Some(tool) =
        state.catalog.tool(tool).filter(|tool| unmade_service(tool.id(), at, state).is_some())
    else {
        return hint_reply("this problem has no fix of its own");
    };
    match services::make_service(ComposeContext::from_state(state), tool) {
        Ok(plan) => {
            let words = plan.done_words(&state.keymap, "save-all");
            let Plan { label, changes, .. } = plan;
            // The tool is what one works at.
            Reply::Send(vec![
                Message::Document(DocumentMessage::Change { label, changes }),
                Message::Jump(tool.id().clone(), at.clone()),
                Message::Notice(NoticeKind::Done, words),
            ])
        }
        Err(why) => Reply::Refused(why),
    }
}

/// Asks for the kind, then for the key of a new entry.
pub(super) fn new_entry(state: &State) -> Reply {
    let near = state.selected_entry().map(|entry| entry.id.clone());
    let kinds = entries::kinds_in_order(ComposeContext::from_state(state), near.as_ref());
    let items = kinds.iter().map(kind_item).collect();
    Reply::Open(Box::new(Menu::with_state("New", items, move |row, state| {
        let kind = kinds[row].clone();
        let context = ComposeContext::from_state(state);
        let home = EntryHome::of_kind(&kind, context, near.as_ref());
        OverlayReply::CloseWith(ask_key(kind, home))
    })))
}

/// A kind with the system that it is of, which finds it, too.
fn kind_item(kind: &NewEntry) -> Item {
    let system = systems::table::by_id(kind.system).map_or("", |system| system.title());
    Item {
        title: kind.type_name.to_owned(),
        detail: format!("{system} · {}", kind.help),
        ..Item::default()
    }
}

fn ask_key(kind: NewEntry, home: EntryHome) -> Reply {
    let formats = match (&home, kind.place) {
        (EntryHome::Folder { .. }, NewPlace::Alone | NewPlace::Map(_)) => {
            " End the key with .yaml, .json or .toml for another format."
        }
        _ => "",
    };
    let words = format!(
        "The key of the new {}: what other entries call it. {home}{formats}",
        kind.type_name
    );
    Reply::Open(Box::new(
        Prompt::new(format!("New {}", kind.type_name), words, "", move |key, state| {
            let context = ComposeContext::from_state(state);
            let (key, home) = match formats.is_empty() {
                true => (key, home.clone()),
                false => home.with_ending_of(key),
            };
            free_key_in(&home.key_prefix(), key, kind.kind, context)?;
            let value = kind.named_value(key);
            Ok(change_reply(
                format!("new {key}"),
                vec![place_new(
                    Unplaced { key, kind: kind.kind, place: kind.place, value: &value },
                    &home,
                    &[],
                    context,
                )],
            ))
        })
        .with_act("create"),
    ))
}

pub(super) fn duplicate_entry(state: &State) -> Reply {
    let Some(entry) = state.selected_entry().cloned() else { return Reply::Handled };
    let words = format!("The key of the copy of {}.", entry.key);
    // What makes a key impossible may be in it already, so that no number helps.
    let mut names = numbered_names(split_key(&entry).1).take(1_000).skip(1);
    let suggestion = names.find(|key| check_free(&entry, key, state).is_ok());
    Reply::Open(Box::new(
        Prompt::new("Duplicate", words, suggestion.unwrap_or_default(), move |key, state| {
            check_free(&entry, key, state)?;
            let place = entry.id.place();
            let label = format!("duplicate {} as {key}", entry.key);
            let alone = state.catalog.of_file(&place.file).count() == 1;
            if let Some(at) = key_at(&entry).filter(|_| !alone) {
                let mut value = (*entry.value).clone();
                if let Some(own) = at.get_mut(&mut value) {
                    *own = key.into();
                }
                let home = EntryHome::beside_entry(Some(&entry));
                let context = ComposeContext::from_state(state);
                let copy =
                    Unplaced { key, kind: entry.kind, place: NewPlace::Alone, value: &value };
                let mut changes = vec![place_new(copy, &home, &[], context)];
                if let Some(tool) = state.catalog.tool(&entry.id) {
                    changes.extend(entries::copied_gate(context, tool, key));
                }
                return Ok(change_reply(label, changes));
            }
            if is_in_fixed_list(&entry) {
                return Err(list_refusal(&entry));
            }
            if let Some(parent) = place.at.parent() {
                let source = state
                    .documents
                    .get(&place.file)
                    .and_then(|document| document.source.as_ref().ok());
                let value =
                    source.and_then(|source| place.at.get(source.value(place.document)?)).cloned();
                let mut value = value.ok_or("can't read the entry")?;
                if let Some(own) = rename::own_name(&entry).and_then(|at| at.get_mut(&mut value)) {
                    *own = key.into();
                }
                let edit = Edit::Set { at: parent.child(key), to: value.into() };
                return Ok(change_reply(
                    label,
                    vec![Change::File { file: place.file.clone(), document: place.document, edit }],
                ));
            }
            Ok(change_reply(label, vec![renamed_file(&entry, key, state)?]))
        })
        .with_act("duplicate")
        .preselected(),
    ))
}

/// Makes a file for an entry that has one of its own: the same under another key, in the same folder.
fn renamed_file(entry: &Entry, key: &str, state: &State) -> Result<Change, String> {
    let home = &entry.id.place().file;
    let path = home.as_str();
    let ending = path.rsplit_once('.').map_or("json", |(_, ending)| ending);
    let folder = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    let file = FileId::new(format!("{folder}{key}.{ending}"));
    if state.documents.has(&file) {
        return Err(format!("{file} is there already"));
    }
    let document = state.documents.get(home);
    let text = document.map(|document| document.text.whole_text().clone()).unwrap_or_default();
    Ok(Change::Create { text: rename_copy(&file, text, entry, key), file })
}

/// The copy's text, with its own name where the name was the key.
fn rename_copy(file: &FileId, text: Arc<str>, entry: &Entry, key: &str) -> Arc<str> {
    let source =
        Format::from_path(file.path()).and_then(|format| Source::parse(format, text.clone()).ok());
    let edit = rename::own_name(entry).map(|at| Edit::Set { at, to: key.into() });
    let edited = source.zip(edit).and_then(|(source, edit)| source.apply(0, &edit).ok());
    edited.map_or(text, |(source, _)| source.text().clone())
}

pub(super) fn rename_entry(state: &State) -> Reply {
    let Some(entry) = state.selected_entry().cloned() else { return Reply::Handled };
    let references = rename::referencing_tools(&entry, &state.catalog).len();
    let also = match references {
        0 => "No other entry refers to it.".to_owned(),
        1 => "One other entry refers to it and is changed too.".to_owned(),
        many => format!("{many} other entries refer to it and are changed too."),
    };
    let files = list_names(files_of(&mentions_of(&entry, state)));
    let files = if files.is_empty() { files } else { format!(" It is renamed in {files}, too.") };
    let own = match rename::own_name(&entry).and_then(|at| at.last().map(str::to_owned)) {
        Some(member) if key_at(&entry).is_none() => {
            format!(" Its {member} changes with it.")
        }
        _ => String::new(),
    };
    let words = format!("The new key of {}.{own} {also}{files}", entry.key);
    let own = split_key(&entry).1.to_owned();
    Reply::Open(Box::new(
        Prompt::new("Rename", words, own, move |key, state| {
            let new = key;
            let (holder, own) = split_key(&entry);
            if key == own {
                return Ok(Reply::Handled);
            }
            check_free(&entry, key, state)?;
            if is_in_fixed_list(&entry) {
                return Err(list_refusal(&entry));
            }
            let changes = rename_changes(&entry, key, state)?;
            let key = &*format!("{holder}{key}");
            let mut plan = Plan::new(format!("rename {} to {key}", entry.key), changes);
            let context = ComposeContext::from_state(state);
            plan.changes.extend(context.rename_mentions(&mentions_of(&entry, state), key));
            if entry.kind == EntryKind::Tool {
                let tool = state.catalog.tool(&entry.id).filter(|tool| tool.name == own);
                plan.changes.extend(tool.and_then(|tool| context.rename_gate_table(tool, new)));
                move_own_stub(&mut plan, [&entry.key, key].map(file_of_tool), state);
                plan = plan.with_renaming(NameKind::Tool, &entry.key, &key.into(), false);
            }
            Ok(Reply::send(Message::Document(DocumentMessage::Compose(plan))))
        })
        .preselected()
        .with_act("rename"),
    ))
}

/// A tool's own stub goes by the tool's key, so its file moves with it.
fn move_own_stub(plan: &mut Plan, [from, to]: [FileId; 2], state: &State) {
    if from == to || !state.documents.has(&from) || state.documents.has(&to) {
        return;
    }
    let (own, others): (Vec<_>, Vec<_>) =
        plan.changes.drain(..).partition(|change| *change.file() == from);
    let edited = state.documents.preview_changes(&own).ok();
    let edited = edited.as_ref().and_then(|after| after.get(&from));
    let text = edited.or_else(|| state.documents.get(&from));
    let text = text.map(|document| document.text.whole_text().clone()).unwrap_or_default();
    plan.changes = others;
    plan.changes.extend([Change::Create { file: to, text }, Change::Remove { file: from }]);
}

/// The places outside descriptors that name an entry: a tool in settings, scenarios, cases and
/// stubs, a service in stubs.
fn mentions_of(entry: &Entry, state: &State) -> Vec<Mention> {
    let mut all = ComposeContext::from_state(state).find_mentions(NameKind::Tool, &entry.key);
    match entry.kind {
        EntryKind::Tool => {}
        EntryKind::Service => all.retain(|mention| mention.naming == Naming::Stub),
        EntryKind::Server | EntryKind::Schema => all.clear(),
    }
    all
}

fn rename_changes(entry: &Entry, key: &str, state: &State) -> Result<Vec<Change>, String> {
    let place = entry.id.place();
    // References first: their places may lie in the same file, and move with the entry's key.
    let mut changes: Vec<Change> =
        rename::key_edits(entry, key, &state.catalog).into_iter().map(Change::Entry).collect();
    if !place.at.is_root() && key_at(entry).is_none() {
        let edit = Edit::Rename { at: place.at.clone(), key: key.to_owned() };
        changes.push(Change::File { file: place.file.clone(), document: place.document, edit });
        return Ok(changes);
    }
    if key_at(entry).is_none() {
        let renamed = renamed_file(entry, key, state)?;
        changes.retain(|change| !matches!(change, Change::Entry(EntryEdit { entry: of, .. }) if of == &entry.id));
        changes.push(renamed);
        changes.push(Change::Remove { file: place.file.clone() });
    }
    Ok(changes)
}

/// The key of what holds an entry, with a slash (nothing where nothing does), and the entry's own.
fn split_key(entry: &Entry) -> (&str, &str) {
    if entry.id.place().at.last_index().is_none() {
        return ("", &entry.key);
    }
    // A name may have slashes of its own.
    let name = key_at(entry).and_then(|at| at.get(entry.value.shared())?.as_str());
    let own = name.and_then(|name| entry.key.strip_suffix(name)).map(str::len);
    entry.key.split_at(own.or_else(|| Some(entry.key.rfind('/')? + 1)).unwrap_or(0))
}

/// Whether another entry beside this one can have that key.
fn check_free(entry: &Entry, key: &str, state: &State) -> Result<(), String> {
    free_key_in(split_key(entry).0, key, entry.kind, ComposeContext::from_state(state))
}

/// Whether an entry is in a list whose entries don't have their key of their own, such as a kept
/// list of a server.
fn is_in_fixed_list(entry: &Entry) -> bool {
    entry.id.place().at.last_index().is_some() && key_at(entry).is_none()
}

fn list_refusal(entry: &Entry) -> String {
    format!("{} is part of a list; edit {}", entry.key, entry.id.file())
}

/// The member that an entry's key is read from, where it is one.
fn key_at(entry: &Entry) -> Option<Pointer> {
    systems::by_id(entry.system)?.key_at(entry)
}

/// Asks whether the selected entry is to go; then the `next` one is selected.
pub(super) fn delete_entry(next: Option<EntryId>, state: &State) -> Reply {
    let Some(entry) = state.selected_entry() else { return Reply::Handled };
    let place = entry.id.place();
    let document = state.documents.get(&place.file);
    let several = document
        .and_then(|document| document.source.as_ref().ok())
        .filter(|source| source.document_count() > 1);
    let references = rename::referencing_tools(entry, &state.catalog);
    let keys: Vec<&str> = references
        .iter()
        .filter_map(|id| state.catalog.entry(id))
        .map(|entry| entry.key.as_str())
        .collect();
    let refer = match keys.as_slice() {
        [] => String::new(),
        [key] => format!(" {key} will refer to something that no longer exists."),
        keys => format!(
            " {} tools will refer to something that no longer exists: {}.",
            keys.len(),
            list_names(keys.iter().copied())
        ),
    };
    let (what, deed) = if let Some(source) = several.filter(|_| place.at.is_root()) {
        let rest = match source.without_document(place.document) {
            Ok(rest) => rest,
            Err(error) => {
                return hint_reply(&format!(
                    "can't delete {} from {}: {error}; E opens the file there",
                    entry.key, place.file
                ));
            }
        };
        let words = format!("Deletes {} from {}; its other documents stay.", entry.key, place.file);
        (words, Change::Text { file: place.file.clone(), text: rest.text().clone() })
    } else if place.at.is_root() && state.catalog.of_file(&place.file).count() == 1 {
        (
            format!("Deletes {} with its file {} when you save.", entry.key, place.file),
            Change::Remove { file: place.file.clone() },
        )
    } else {
        let edit = Edit::Remove { at: place.at.clone() };
        let lines = format!("Deletes {} from {}.", entry.key, place.file);
        (lines, Change::File { file: place.file.clone(), document: place.document, edit })
    };
    let context = ComposeContext::from_state(state);
    let named = match files_of(&mentions_of(entry, state)).as_slice() {
        [] => String::new(),
        files => format!(" Still named in {}.", list_names(files.iter().copied())),
    };
    let table = state.catalog.tool(&entry.id).and_then(|tool| context.remove_gate_table(tool));
    let gate = match &table {
        Some(table) => format!(" Its groups and states go from {}, too.", table.file()),
        None => String::new(),
    };
    let inside = match tools_in(entry, state) {
        0 => String::new(),
        1 => " The tool in it goes, too.".to_owned(),
        tools => format!(" The {tools} tools in it go, too."),
    };
    let changes = std::iter::once(deed).chain(table).collect();
    let plan = Plan::new(format!("delete {}", entry.key), changes);
    let mut messages = vec![Message::Document(DocumentMessage::Compose(plan))];
    messages.extend(next.map(|next| Message::Select(after_removal(next, &entry.id))));
    let answers = vec![
        Answer { key: 'c', words: "cancel", messages: Vec::new() },
        Answer { key: 'd', words: "delete", messages },
    ];
    Reply::Open(Box::new(Confirm::new(
        format!("Delete {}?", entry.key),
        format!("{what}{inside}{gate}{refer}{named} Undo brings it back."),
        answers,
        Vec::new(),
    )))
}

/// Where an entry is once another one is gone: those behind it in a list move up.
fn after_removal(entry: EntryId, gone: &EntryId) -> EntryId {
    let (place, removed) = (entry.place(), gone.place());
    if place.file == removed.file && removed.at.is_root() && place.document > removed.document {
        return EntryId::new(EntryPlace { document: place.document - 1, ..place.clone() });
    }
    let is_beside = place.file == removed.file
        && place.document == removed.document
        && place.at.parent() == removed.at.parent();
    match (place.at.parent(), place.at.last_index(), removed.at.last_index()) {
        (Some(list), Some(row), Some(from)) if is_beside && row > from => {
            EntryId::new(EntryPlace { at: list.item(row - 1), ..place.clone() })
        }
        _ => entry,
    }
}

/// How many tools are parts of an entry, as those of a list.
fn tools_in(entry: &Entry, state: &State) -> usize {
    let place = entry.id.place();
    let is_inside = |other: &&Entry| {
        let own = other.id.place();
        let mut above = std::iter::successors(own.at.parent(), Pointer::parent);
        own.document == place.document && above.any(|at| at == place.at)
    };
    let beside = state.catalog.of_file(&place.file);
    beside.filter(|other| other.kind == EntryKind::Tool).filter(is_inside).count()
}

/// What saving will change on disk.
pub(super) fn show_unsaved_diff(state: &State) -> Reply {
    let mut lines: Vec<Line> = Vec::new();
    for (file, document) in state.documents.changed_files() {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        let elsewhere = document.changed_elsewhere.as_ref();
        let word = match (&document.saved, document.gone) {
            (_, true) => " (removed)",
            (None, _) => " (new)",
            _ if elsewhere.is_some() => " (compared with the file as it is on disk now)",
            _ => "",
        };
        lines.push(vec![(Role::Accent, format!("{file}{word}"))]);
        let now = if document.gone { "" } else { document.text.whole_text() };
        lines.extend(difference::diff_with_context(
            elsewhere.or(document.saved.as_ref()).map_or("", AsRef::as_ref),
            now,
        ));
    }
    Reply::Open(Box::new(PageOverlay::new("What saving will change", lines)))
}

/// Saves the chosen file where some of its form can't be in it, and says so.
pub(super) fn save_without(unread: &Option<Vec<String>>, state: &State) -> Reply {
    let unread = unread.as_deref().filter(|unread| !unread.is_empty());
    let Some((unread, chosen)) = unread.zip(state.selected.as_ref()) else {
        return Reply::Ignored;
    };
    let words = format!("Not saved, as it can't be read: {}", unread.join("; "));
    Reply::Send(vec![
        Message::Document(DocumentMessage::SaveSelected(chosen.file().clone())),
        Message::Notice(NoticeKind::Problem, words),
    ])
}

pub(super) fn open_editor(state: &State) -> Reply {
    let Some(entry) = state.selected_entry() else { return Reply::Handled };
    Reply::send(Message::Document(DocumentMessage::OpenEditor {
        file: entry.id.file().clone(),
        line: entry.line,
        column: entry.column,
    }))
}

/// Says that something can't be done now.
pub(super) fn hint_reply(words: &str) -> Reply {
    Reply::send(Message::Notice(NoticeKind::Hint, words.to_owned()))
}

/// Mocks the selected tool, unless it is mocked, and goes to Invoke.
pub(super) fn mock_service(state: &State) -> Reply {
    let Some(tool) = state.selected.clone() else { return Reply::Handled };
    let mut messages = vec![Message::Show(ScreenId::Invoke)];
    if !state.invoke.mocks.contains(&tool) {
        messages.insert(0, Message::Call(CallMessage::TurnMock { tool }));
    }
    Reply::Send(messages)
}
