//! The one place where the state changes: state and message in, effects out.

mod answering;
mod batch;
mod calls;
mod cases;
mod connection_test;
mod deployed;
mod files;
mod form;
mod history;
mod renamed;
mod watching;
mod workflow;

use super::{
    answering::AnsweringMessage,
    calls::CallMessage,
    compose::{context::ComposeContext, entries::copy_entries},
    documents::Change,
    effect::Effect,
    message::{Health, Message, ScreenId, TextTarget, Then},
    notices::NoticeKind,
    state::{Goal, Question, State},
};
use crate::{
    model::{
        clock::Millis,
        entry::{EntryId, FileId},
        finding::EntryEdit,
        settings::SETTINGS,
        unsaved::UnsavedTexts,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// Takes a message in. `now` is when it came.
pub fn update(state: &mut State, message: Message, now: Millis) -> Vec<Effect> {
    let mut effects = handle_message(state, message, now);
    effects.extend(files::due_check(state));
    effects
}

fn handle_message(state: &mut State, message: Message, now: Millis) -> Vec<Effect> {
    match message {
        Message::LookIntoFolder(folder) => return vec![Effect::LookIntoFolder(folder)],
        Message::Folder(list) => state.folder = Some(list.into()),
        Message::Clock(wall) => state.wall = wall,
        Message::Show(screen) => {
            state.screen = screen;
            if screen == ScreenId::History {
                return history::list_calls(state);
            }
        }
        Message::Select(entry) => select_entry(state, entry),
        Message::Jump(entry, pointer) => {
            let turn = state.goal.as_ref().map_or(0, |goal| goal.turn + 1);
            select_entry(state, entry.clone());
            state.goal = Some(Goal { entry, pointer, turn });
        }

        Message::Change { label, changes } => {
            return files::apply_changes(state, &label, &changes, now);
        }
        Message::Compose(plan) => return files::apply_plan(state, &plan, now),
        Message::Undo => return files::undo(state, now),
        Message::Redo => return files::redo(state, now),
        Message::Save(file) => return files::save_files(state, file, now),
        Message::Overwrite(file) => return files::overwrite(state, &file),
        Message::TakeDisk(file) => return files::take_disk(state, &file, now),
        Message::Reload => {
            return [Effect::Read { first: None }]
                .into_iter()
                .chain(deployed::ask_again(state))
                .collect();
        }
        Message::Beginning(file, held) => files::begun(state, &file, held),
        Message::Loaded(loaded) => files::on_files_loaded(state, loaded),
        Message::LoadEnded { names, skipped } => files::load_ended(state, &names, skipped, now),
        Message::CheckDue => return vec![files::on_check_due(state)],
        Message::Checked { turn, findings } => {
            return vec![files::on_checked(state, turn, findings)];
        }
        Message::DiskChanged { file, text } => return files::disk_changed(state, &file, text, now),
        Message::Saved { file, text } => {
            form::on_saved(state, text.as_ref());
            return files::on_saved(state, &file, text, now);
        }
        Message::SaveRefused { file, disk } => {
            let then = if std::mem::take(&mut state.leaving) { Then::Leave } else { Then::Stay };
            state.question = Some(Question::Conflict { file, disk, then });
        }
        Message::Unsaved(texts) => files::offer_recovery(state, texts),
        Message::PutSample(name) => {
            state.question = None;
            return vec![Effect::PutSample(name)];
        }
        Message::AskServer => state.question = Some(Question::Server),
        Message::Recover(take) => return files::answer_recovery(state, take, now),
        Message::OpenEditor { file, line, column } => {
            return files::open_editor(state, file, line, column, now);
        }

        Message::SwitchMode => files::switch_mode(state, now),
        Message::SetTheme(theme) => {
            state.notices.push(NoticeKind::Done, format!("theme {theme}"), now);
            state.theme = theme.clone();
            return vec![Effect::KeepTheme(theme)];
        }
        Message::AskDeployed(purpose) => return deployed::request_deployed(state, purpose, now),
        Message::ListDeployed => return deployed::list_deployed(state, now),
        Message::Deployed { purpose, read } => {
            deployed::on_deployed_read(state, purpose, read, now);
        }
        Message::Push(push) => return deployed::start_push(state, push, now),
        Message::UseConnection(name) => use_connection(state, name, now),
        Message::Condition { connection, condition } => {
            let opened = condition.health == Health::Good;
            let before = state.network.conditions.insert(connection.clone(), condition);
            let asked = opened && before.is_none_or(|before| before.health != Health::Good);
            return Vec::from_iter(deployed::ask_listeners(state, &connection).filter(|_| asked));
        }
        Message::Listeners { connection, listeners } => {
            state.network.listeners.insert(connection, listeners);
            files::check_again(state);
        }
        Message::ShowConnection(name) => state.network.tests.selected = Some(name),
        Message::TestConnection(name) => return connection_test::test_connection(state, &name),
        Message::AllowStart { name, start } => {
            return connection_test::allow(state, &name, &start);
        }
        Message::AllowAskedStart => return deployed::allow_start(state, now),
        Message::StartNotAllowed { connection, start, purpose } => {
            deployed::ask_to_start(state, connection, start, purpose);
        }
        Message::ConnectionTested { turn, connection, report } => {
            connection_test::on_test_ended(state, turn, &connection, report);
        }
        Message::Copy { what, text } => {
            state.notices.push(NoticeKind::Done, format!("{what} copied"), now);
            state.clip.clone_from(&text);
            return vec![Effect::Copy(text)];
        }
        Message::CopyTools(ids) => {
            let text = copy_entries(ComposeContext::from_state(state), &ids);
            let what = if let [_] = ids.as_slice() {
                "the tool was".to_owned()
            } else {
                format!("{} tools were", ids.len())
            };
            state.notices.push(NoticeKind::Done, format!("{what} copied as a descriptor"), now);
            return vec![Effect::Copy(text)];
        }
        Message::EditText { target, at, text } => {
            return vec![Effect::EditText { target, at, text }];
        }
        Message::EditorText { target, at, text } => {
            return editor_text(state, target, at, text, now);
        }
        Message::Notice(kind, text) => state.notices.push(kind, text, now),
        Message::NoticeSeen => state.notices.mark_seen(),
        Message::DropQuestion => state.question = None,
        Message::Failed(problem) => {
            state.leaving = false;
            state.notices.push_problem(&problem, now);
        }
        Message::Suspend => return vec![Effect::Suspend],
        Message::QuitWhenSaved => state.leaving = true,
        Message::Unread(words) => {
            if let Some(form) = &mut state.form {
                form.unread = words;
            }
        }
        Message::Accept { then, draft } => return form::accept(state, then, draft, now),
        Message::Quit { discard } => return quit(state, discard),

        Message::Workflow(message) => return workflow::handle_message(state, message, now),
        Message::Call(message) => return handle_call(state, message, now),
        Message::History(message) => return history::handle_message(state, message, now),
        Message::Watch(message) => return watching::handle(state, message, now),
        Message::Answering(message) => return answering::handle(state, message, now),
    }
    Vec::new()
}

fn handle_call(state: &mut State, message: CallMessage, now: Millis) -> Vec<Effect> {
    match message {
        CallMessage::AskAgent(question) => return calls::ask_agent(state, &question, now),
        CallMessage::EditArguments { tool, edits } => {
            calls::edit_arguments(state, &tool, &edits, now);
        }
        CallMessage::UndoArguments(tool) => calls::undo_arguments(state, &tool, now),
        CallMessage::RedoArguments(tool) => calls::redo_arguments(state, &tool, now),
        CallMessage::SetUserName(user) => state.invoke.user = user,
        CallMessage::SetSample { variable, value } => {
            state.invoke.samples.retain(|(name, _)| *name != variable);
            if !value.is_empty() {
                state.invoke.samples.push((variable, value));
            }
        }
        CallMessage::Send { tool } => return calls::send_call(state, &tool, now),
        CallMessage::Resend(call) => return calls::resend_call(state, call, now),
        CallMessage::UseRoute(route) => state.network.route = route,
        CallMessage::TurnNewAgent { tool } => calls::turn_new_agent(state, &tool, now),
        CallMessage::SendMany { tool, times, at_once } => {
            return batch::begin_batch(state, &tool, (times, at_once), now);
        }
        CallMessage::Cancel(call) => return batch::cancel(state, call),
        CallMessage::Select(call) => state.invoke.calls.selected = Some(call),
        CallMessage::Events { call, events } => {
            if let Some((outcome, took_ms)) = calls::apply_events(state, call, events, now) {
                workflow::on_call_ended(state, call, outcome, took_ms, now);
                let mut effects = cases::on_call_ended(state, call, now);
                effects.extend(batch::on_call_ended(state, call, outcome, took_ms, now));
                if state.screen == ScreenId::History {
                    effects.extend(history::list_calls(state));
                }
                return effects;
            }
        }
        CallMessage::RunCases(files) => return cases::run_cases(state, files, now),
        CallMessage::EditSent { tool, arguments } => {
            history::load_arguments(state, &tool, &arguments, now);
        }
    }
    Vec::new()
}

fn select_entry(state: &mut State, entry: EntryId) {
    if state.selected.as_ref() != Some(&entry) {
        state.invoke.calls.selected = state
            .invoke
            .calls
            .latest_of(&entry)
            .map(|call| call.id)
            .or(state.invoke.calls.selected);
        state.selected = Some(entry);
    }
}

fn editor_text(
    state: &mut State,
    target: TextTarget,
    at: Pointer,
    text: String,
    now: Millis,
) -> Vec<Effect> {
    let edit = Edit::Set { at, to: text.into() };
    match target {
        TextTarget::Entry(entry) => {
            let label = format!("edit {}", edit.pointer().to_string().trim_start_matches('/'));
            return files::apply_changes(
                state,
                &label,
                &[Change::Entry(EntryEdit { entry, edit })],
                now,
            );
        }
        TextTarget::Arguments(tool) => calls::edit_arguments(state, &tool, &[edit], now),
        TextTarget::Answer(ask) => {
            return answering::handle(
                state,
                AnsweringMessage::Edit { ask, edits: vec![edit] },
                now,
            );
        }
        TextTarget::Form | TextTarget::Settings => {
            let form = state.form.as_ref().map(|form| form.file.clone());
            if let Some(file) =
                form.or((target == TextTarget::Settings).then(|| FileId::new(SETTINGS)))
            {
                let label = format!("edit {}", edit.pointer().to_string().trim_start_matches('/'));
                return files::apply_changes(
                    state,
                    &label,
                    &[Change::File { file, document: 0, edit }],
                    now,
                );
            }
        }
    }
    Vec::new()
}

fn use_connection(state: &mut State, name: Option<String>, now: Millis) {
    let words = match &name {
        Some(name) if state.network.connections.find_by_name(name).is_none() => return,
        Some(name) => format!("calls go through {name}"),
        None => format!(
            "calls go through {}, those of some tools through their own",
            state.network.connections.usual
        ),
    };
    state.network.connections.chosen = name;
    state.notices.push(NoticeKind::Done, words, now);
    files::check_again(state);
}

fn quit(state: &mut State, discard: bool) -> Vec<Effect> {
    if state.form.is_some() {
        return form::quit(state, discard);
    }
    let changed: Vec<_> = state.documents.changed_files().map(|(file, _)| file.clone()).collect();
    if discard || changed.is_empty() {
        return vec![Effect::Journal(UnsavedTexts::new()), Effect::Quit];
    }
    state.question = Some(Question::Leave(changed));
    Vec::new()
}
