//! The one place where the state changes: state and message in, effects out.

mod agent_run;
mod answering;
mod batch;
mod calls;
mod case_order;
mod cases;
mod checks;
mod connection_test;
mod connections;
mod deployed;
mod discovery;
mod edited_outside;
mod file_names;
mod files;
mod fixed;
mod form;
mod history;
mod model_page;
mod notifying;
mod recovery;
mod renamed;
mod resources;
mod run_world;
mod saving;
mod sign_in;
pub mod tour;
mod watching;
mod workflow;

use std::sync::Arc;

use super::{
    calls::CallMessage,
    compose::{
        context::ComposeContext,
        pasting::{copy_entries, paste_entries},
        server_block::read_block,
    },
    effect::Effect,
    message::{AfterSave, DocumentMessage, Message, ScreenId},
    notices::NoticeKind,
    question::Question,
    state::{State, StepGoal, ViewTarget},
    unsaved_messages::unsaved_messages,
};
use crate::model::{clock::Millis, entry::EntryId};

/// Takes a message in. `now` is when it came.
pub fn update(state: &mut State, message: Message, now: Millis) -> Vec<Effect> {
    let mut effects = handle_message(state, message, now);
    recovery::ask_to_recover(state);
    if tour::advance(state) {
        state.notices.push(NoticeKind::Done, tour::end_words(state), now);
    }
    effects.extend(checks::due_check(state));
    effects.extend(model_page::due_page(state));
    effects.extend(notifying::due_notifications(state));
    effects
}

fn handle_message(state: &mut State, message: Message, now: Millis) -> Vec<Effect> {
    match message {
        Message::LookIntoFolder(folder) => return vec![Effect::LookIntoFolder(folder)],
        Message::Folder(list) => state.folder = Some(list.into()),
        Message::Clock(wall) => (state.now, state.wall) = (now, wall),
        Message::Focus(focus) => state.notifications.focus = focus,
        Message::Notification(message) => return notifying::handle(state, message, now),
        Message::Show(screen) => {
            state.screen = screen;
            if screen != ScreenId::Invoke {
                state.workflow.fill_first = None;
            }
            match screen {
                ScreenId::History => return history::list_calls(state),
                ScreenId::Invoke => return deployed::list_allowed(state),
                _ => {}
            }
        }
        Message::Select(entry) => select_entry(state, entry),
        Message::Jump(entry, pointer) => {
            let turn = state.goal.as_ref().map_or(0, |goal| goal.turn + 1);
            select_entry(state, entry.clone());
            state.goal = Some(ViewTarget { entry, pointer, turn, takes_keys: true });
        }
        Message::SetTheme(theme) => {
            state.notices.push(NoticeKind::Done, format!("Theme: {theme}"), now);
            state.theme = theme.clone();
            return vec![Effect::KeepTheme(theme)];
        }
        Message::ShowTheme(theme) => state.theme = theme,
        Message::Copy { what, text } => {
            state.notices.push(NoticeKind::Done, format!("{what} copied"), now);
            state.clip.clone_from(&text);
            return vec![Effect::Copy(text)];
        }
        Message::Notice(kind, text) => state.notices.push(kind, text, now),
        Message::NoticeSeen => state.notices.mark_seen(),
        Message::DropQuestion => {
            if let Some(Question::Allow { .. }) = state.question.take() {
                state.invoke.kept.awaited = None;
            }
        }
        Message::CancelQuestion => {
            state.question = None;
            discovery::offer_beginning(state);
        }
        Message::Failed(problem) => {
            state.leaving = false;
            state.notices.end_saves(now);
            state.notices.push_problem(&problem, now);
        }
        Message::OpenWindow(goal) => return vec![Effect::OpenWindow(goal)],
        Message::Clipboard(act) if state.keymap.is_in_window() => {
            return vec![Effect::Clipboard(act)];
        }
        Message::Clipboard(_) => {}
        Message::Suspend => return vec![Effect::Suspend],
        Message::QuitWhenSaved => state.leaving = true,
        Message::Unread(unread) => state.documents.unread = unread,
        Message::Accept { then, draft } => return form::accept(state, then, draft, now),
        Message::Quit { discard } => return quit(state, discard),
        Message::Document(message) => return handle_document(state, message, now),
        Message::Connection(message) => return connections::handle_message(state, message, now),
        Message::Workflow(message) => return workflow::handle_message(state, message, now),
        Message::Call(message) => return handle_call(state, message, now),
        Message::History(message) => return history::handle_message(state, message, now),
        Message::Watch(message) => return watching::handle(state, message, now),
        Message::Answering(message) => return answering::handle(state, message, now),
        Message::Agent(message) => return agent_run::handle_message(state, message, now),
        Message::Resource(message) => return resources::handle_message(state, message, now),
        Message::Tour(message) => tour::handle_message(state, message),
    }
    Vec::new()
}

fn handle_document(state: &mut State, message: DocumentMessage, now: Millis) -> Vec<Effect> {
    match message {
        DocumentMessage::Change { label, changes } => {
            return files::apply_changes(state, &label, &changes, now);
        }
        DocumentMessage::Compose(_) if state.is_trying() => {
            let words = "no file is changed during a what-if: apply it with W, or discard it with \
                Esc";
            state.notices.push(NoticeKind::Hint, words, now);
        }
        DocumentMessage::Compose(plan) => return files::apply_plan(state, &plan, now),
        DocumentMessage::Undo if state.is_trying() => workflow::undo_try(state, now),
        DocumentMessage::Redo if state.is_trying() => {
            state.notices.push(NoticeKind::Hint, "there is nothing to redo in a what-if", now);
        }
        DocumentMessage::Undo => return files::undo(state, now),
        DocumentMessage::Redo => return files::redo(state, now),
        DocumentMessage::Save(file) => return saving::save_files(state, file, now),
        DocumentMessage::SaveSelected(file) => return saving::save_selected(state, file, now),
        DocumentMessage::Overwrite(file) => return saving::overwrite(state, &file),
        DocumentMessage::Merge(file) => return saving::merge(state, &file, now),
        DocumentMessage::TakeDisk(file) => return saving::take_disk(state, &file, now),
        DocumentMessage::Reload => {
            return [Effect::Read { first: None }]
                .into_iter()
                .chain(deployed::ask_again(state))
                .collect();
        }
        DocumentMessage::Beginning(file, held) => files::begun(state, &file, held),
        DocumentMessage::Loaded(loaded) => files::on_files_loaded(state, loaded, now),
        DocumentMessage::LoadEnded { names, skipped, unread } => {
            state.disk.unread = unread;
            files::load_ended(state, &names, skipped, now);
            cases::show_opened(state, now);
        }
        DocumentMessage::CheckDue => return vec![checks::on_check_due(state)],
        DocumentMessage::Checked { turn, findings } => {
            return vec![checks::on_checked(state, turn, findings)];
        }
        DocumentMessage::DiskChanged { file, text } => {
            return files::disk_changed(state, &file, text, now);
        }
        DocumentMessage::Saved { file, text } => {
            form::on_saved(state, text.as_ref());
            return saving::on_saved(state, &file, text, now);
        }
        DocumentMessage::SaveRefused { file, disk } => {
            state.notices.end_saves(now);
            let then =
                if std::mem::take(&mut state.leaving) { AfterSave::Leave } else { AfterSave::Stay };
            state.question = Some(Question::Conflict { file, disk, then });
        }
        DocumentMessage::Unsaved(texts) => state.offer = Some(texts),
        DocumentMessage::AskBegin => state.question = Some(Question::Begin),
        DocumentMessage::PutSample(name) => {
            state.question = None;
            return vec![Effect::PutSample(name)];
        }
        DocumentMessage::ReadTools(path) => return vec![Effect::ReadTools(path)],
        DocumentMessage::ToolsRead(text) => state.question = Some(ask_about_tools(text, state)),
        DocumentMessage::SampleWritten(written) => files::sample_written(state, &written, now),
        DocumentMessage::Recover(answer) => return recovery::answer_recovery(state, answer, now),
        DocumentMessage::OpenEditor { file, line, column } => {
            return saving::open_editor(state, file, line, column, now);
        }
        DocumentMessage::SwitchMode => files::switch_mode(state, now),
        DocumentMessage::ShowHealth(is_shown) => files::show_health(state, is_shown, now),
        DocumentMessage::ShowModel(is_shown) => state.model_page.is_shown = is_shown,
        DocumentMessage::ModelRendered { tool, text } => state.model_page.end(tool, text),
        DocumentMessage::CopyTools(ids) => {
            let text = copy_entries(ComposeContext::from_state(state), &ids);
            let what = if let [_] = ids.as_slice() {
                "the tool was".to_owned()
            } else {
                format!("{} tools were", ids.len())
            };
            state.notices.push(NoticeKind::Done, format!("{what} copied as a descriptor"), now);
            return vec![Effect::Copy(text)];
        }
        DocumentMessage::EditText { target, at, text } => {
            state.moved_before_editor = state.moved.count();
            return vec![Effect::EditText { target, at, text }];
        }
        DocumentMessage::EditorText { target, at, text } => {
            return edited_outside::take_text(state, target, at, text, now);
        }
    }
    Vec::new()
}

/// What is asked about a file that was read for its tools: which servers it configures are to be
/// added, else whether its tools are.
fn ask_about_tools(text: Arc<str>, state: &State) -> Question {
    let context = ComposeContext::from_state(state);
    let has_tools = || paste_entries(context, &text, state.selected.as_ref()).is_ok();
    match read_block(&text) {
        Some(Ok(config)) if !has_tools() => Question::ImportServers(vec![config]),
        _ => Question::AddTools(text),
    }
}

fn handle_call(state: &mut State, message: CallMessage, now: Millis) -> Vec<Effect> {
    match message {
        CallMessage::AskAgent(question) => return calls::ask_agent(state, &question, now),
        CallMessage::EditText { text, edits } => calls::edit_text(state, text, &edits, now),
        CallMessage::UndoText(text) => calls::undo_text(state, &text, now),
        CallMessage::RedoText(text) => calls::redo_text(state, &text, now),
        CallMessage::SetUserName(user) => state.invoke.user = user,
        CallMessage::SetSample { variable, value } => {
            state.invoke.samples.retain(|(name, _)| *name != variable);
            if !value.is_empty() {
                state.invoke.samples.push((variable, value));
            }
        }
        CallMessage::Send { tool } => return workflow::send_call(state, &tool, now),
        CallMessage::SendSteps { tool, .. }
            if state.workflow.fill_first.as_ref() == Some(&tool) =>
        {
            return workflow::send_call(state, &tool, now);
        }
        CallMessage::SendSteps { tool, choice } => {
            return calls::send_steps(state, &tool, *choice, now);
        }
        CallMessage::ShowStep { tool, step } => {
            let turn = state.invoke.step_goal.as_ref().map_or(0, |goal| goal.turn + 1);
            state.invoke.step_goal = Some(StepGoal { tool, step, turn });
        }
        CallMessage::MockKept { tool } => calls::note_mock_kept(state, tool),
        CallMessage::TurnAllMocks => calls::turn_all_mocks(state, now),
        CallMessage::TurnMock { tool } => calls::turn_mock(state, tool, now),
        CallMessage::TurnBreakpoint { tool, step } => calls::turn_breakpoint(state, tool, step),
        CallMessage::SendFrame { connection, frame } => {
            return calls::send_frame(state, &connection, &frame, now);
        }
        CallMessage::Resend(call) => return calls::resend_call(state, call, now),
        CallMessage::UseRoute { tool, route } => state.network.choose_route(tool, route),
        CallMessage::LimitTime(time) => calls::limit_time(state, time, now),
        CallMessage::KeepQuery { tool, query: Some(query) } => {
            state.invoke.queries.insert(tool, query);
        }
        CallMessage::KeepQuery { tool, query: None } => {
            state.invoke.queries.remove(&tool);
        }
        CallMessage::TurnNewAgent { tool } => calls::turn_new_agent(state, &tool, now),
        CallMessage::SendMany { tool, size } => {
            return batch::begin_batch(state, &tool, size, now);
        }
        CallMessage::Cancel(call) => return batch::cancel(state, call),
        CallMessage::Select(call) => state.invoke.calls.selected = Some(call),
        CallMessage::Events { call, events } => {
            if let Some((outcome, took_ms)) = calls::apply_events(state, call, events, now) {
                notifying::on_call_ended(state, call, outcome, took_ms, now);
                workflow::on_call_ended(state, call, outcome, took_ms, now);
                let mut effects = cases::on_call_ended(state, call, now);
                effects.extend(batch::on_call_ended(state, call, outcome, took_ms, now));
                effects.extend(connection_test::ask_for_call(state, call));
                if state.screen == ScreenId::History {
                    effects.extend(history::list_calls(state));
                }
                return effects;
            }
        }
        CallMessage::RunCases(files) => return cases::run_cases(state, files, now),
        CallMessage::JudgeAgain(file) => return cases::judge_again(state, &file),
        CallMessage::EditLast { tool } => return calls::read_last_arguments(state, tool),
        CallMessage::EditSent { tool, arguments, meta, route } => {
            history::load_sent(state, &tool, &arguments, meta.as_deref(), now);
            state.network.choose_route(tool, route);
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

fn quit(state: &mut State, discard: bool) -> Vec<Effect> {
    if state.form.is_some() {
        return form::quit(state, discard);
    }
    let changed: Vec<_> = state.documents.changed_files().map(|(file, _)| file.clone()).collect();
    if discard {
        return vec![Effect::Journal(state.offered_texts()), Effect::Quit];
    }
    let mocks = calls::unkept_mocks(state);
    let messages = unsaved_messages(state);
    let unread = state.documents.unread_words();
    let running = calls::running_names(state);
    let is_idle = messages == 0 && running.is_empty();
    if is_idle && changed.is_empty() && mocks.is_empty() && unread.is_empty() {
        // What is offered and not decided about is offered again.
        return vec![Effect::Journal(state.unsaved_texts()), Effect::Quit];
    }
    state.question = Some(Question::Leave { files: changed, mocks, messages, unread, running });
    Vec::new()
}
