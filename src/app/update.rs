//! The one place where the state changes: state and message in, effects out.

mod agent_run;
mod answering;
mod batch;
mod calls;
mod case_order;
mod cases;
mod checks;
mod connection_test;
mod deployed;
mod discovery;
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
    agent_run::AgentMessage,
    answering::AnsweringMessage,
    calls::{CallMessage, CallText},
    compose::{
        context::ComposeContext,
        pasting::{copy_entries, paste_entries},
        server_block::read_block,
    },
    documents::Change,
    effect::Effect,
    message::{
        AfterSave, ConnectionMessage, DocumentMessage, Health, Message, Purpose, ScreenId,
        TextTarget,
    },
    notices::NoticeKind,
    outside_text::OutsideText,
    question::Question,
    resources::ResourceMessage,
    state::{State, StepGoal, ViewTarget},
    unsaved_messages::unsaved_messages,
};
use serde_json::Value;

use crate::{
    model::{
        clock::Millis,
        entry::{EntryForm, EntryId, FileId},
        finding::EntryEdit,
        settings::SETTINGS,
    },
    schema::{parse::parse_json, pointer::Pointer},
    syntax::{arranged::set_in_order, edit::Edit},
};

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
            offer_beginning(state);
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
        Message::Connection(message) => return handle_connection(state, message, now),
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
            return editor_text(state, target, at, text, now);
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

/// No configuration of another program was found.
const NO_SERVERS: &str =
    "no program has MCP servers configured, neither in your home folder nor here";

fn handle_connection(state: &mut State, message: ConnectionMessage, now: Millis) -> Vec<Effect> {
    match message {
        ConnectionMessage::AskDeployed(purpose) => {
            return deployed::request_deployed(state, purpose, now);
        }
        ConnectionMessage::ListChosen => return deployed::list_chosen(state, now),
        ConnectionMessage::ListDeployed(name) => {
            return deployed::list_deployed(state, name.as_deref(), now);
        }
        ConnectionMessage::ListTyped(name) => return deployed::list_typed(state, &name, now),
        ConnectionMessage::ToolsChanged(name) => {
            return deployed::list_changed(state, &name, now);
        }
        ConnectionMessage::Deployed { purpose, read } => {
            let mut effects = deployed::on_deployed_read(state, purpose, read, now);
            if let Purpose::Call { turn } = purpose {
                effects.extend(history::on_tools_listed(state, turn, now));
            }
            return effects;
        }
        ConnectionMessage::Push(push) => return deployed::start_push(state, push, now),
        ConnectionMessage::Use(name) => return use_connection(state, name, now),
        ConnectionMessage::Condition { connection, condition } => {
            let opened = condition.health == Health::Good;
            let before = state.network.conditions.insert(connection.clone(), condition);
            let asked = opened && before.is_none_or(|before| before.health != Health::Good);
            return Vec::from_iter(deployed::ask_listeners(state, &connection).filter(|_| asked));
        }
        ConnectionMessage::Listeners { connection, listeners } => {
            state.network.listeners.insert(connection, listeners);
            files::check_again(state);
        }
        ConnectionMessage::Show(name) => state.network.tests.selected = Some(name),
        ConnectionMessage::Test(name) => return connection_test::test_connection(state, &name),
        ConnectionMessage::Reconnect(name) => return connection_test::reconnect(state, &name, now),
        ConnectionMessage::CompareEras { name, call } => {
            return connection_test::compare_eras(state, &name, call.map(|call| *call), now);
        }
        ConnectionMessage::ErasCompared { connection, comparison } => {
            state.question = Some(Question::Eras { connection, comparison });
        }
        ConnectionMessage::AskServer => state.question = Some(Question::Server),
        ConnectionMessage::AskSystem(system) => state.question = Some(Question::System(system)),
        ConnectionMessage::KeepSecret { name, secret } => {
            return vec![Effect::KeepSecret { name, secret }];
        }
        ConnectionMessage::KeyStore { is_there } => state.network.lacks_key_store = !is_there,
        ConnectionMessage::SecretKept { name, in_key_store } => match in_key_store {
            Ok(true) => {
                state.notices.push(NoticeKind::Done, format!("{name} is in the key store"), now);
            }
            Ok(false) => {
                let words = format!(
                    "there is no key store here: {name} is kept until toolcrib ends; for later, \
                    name an environment variable in toolcrib.toml"
                );
                state.notices.push_alert(words, now);
            }
            Err(problem) => state.notices.push_alert(format!("{name} isn't saved: {problem}"), now),
        },
        ConnectionMessage::FindServers => return vec![Effect::FindServers],
        ConnectionMessage::ServersFound { configs, problems } => {
            problems.iter().for_each(|problem| state.notices.push_problem(problem, now));
            match configs.iter().all(|config| config.read.servers.is_empty()) {
                true => {
                    state.notices.push(NoticeKind::Hint, NO_SERVERS, now);
                    offer_beginning(state);
                }
                false => state.question = Some(Question::ImportServers(configs)),
            }
        }
        ConnectionMessage::Discover(name) => return discovery::discover(state, &name, now),
        ConnectionMessage::Discovered { searched, found, unread, problems } => {
            unread
                .into_iter()
                .for_each(|words| state.notices.push(NoticeKind::Warning, words, now));
            problems.iter().for_each(|problem| state.notices.push_problem(problem, now));
            discovery::on_discovered(state, *searched, found, now);
        }
        ConnectionMessage::AllowAsked => return deployed::allow_asked(state, now),
        ConnectionMessage::NotAllowed { connection, permission, purpose } => {
            deployed::ask_permission(state, connection, permission, purpose);
        }
        ConnectionMessage::SignIn { name, act } => return sign_in::act(state, &name, act),
        ConnectionMessage::SignInNews { turn, connection, news } => {
            return sign_in::on_news(state, turn, &connection, *news);
        }
        ConnectionMessage::Tested { turn, connection, report } => {
            if connection_test::on_test_ended(state, turn, &connection, report, now) {
                return deployed::list_deployed(state, Some(&connection), now);
            }
        }
    }
    Vec::new()
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

/// What is at the place of a file that an editor was given; the order of its members counts.
fn value_there(state: &State, target: &TextTarget, at: &Pointer) -> Option<Value> {
    let (file, document, at) = match target {
        TextTarget::Entry(entry) if entry.place().form == EntryForm::Plain => {
            let place = entry.place();
            (place.file.clone(), place.document, place.at.join(at))
        }
        TextTarget::Form => (state.form.as_ref()?.file.clone(), 0, at.clone()),
        TextTarget::Settings => (FileId::new(SETTINGS), 0, at.clone()),
        _ => return None,
    };
    state.documents.get(&file)?.source.as_ref().ok()?.value_at(document, &at)
}

/// What an editor was given, where it is now; `None`: it is gone.
fn target_now(state: &State, target: TextTarget) -> Option<TextTarget> {
    let moves = state.moved.since(state.moved_before_editor);
    let follow = |id: EntryId| moves?.iter().try_fold(id, |id, moved| moved.follow(&id));
    Some(match target {
        TextTarget::Entry(entry) => TextTarget::Entry(follow(entry)?),
        TextTarget::Call(CallText { tool, part }) => {
            TextTarget::Call(CallText { tool: follow(tool)?, part })
        }
        other => other,
    })
}

fn editor_text(
    state: &mut State,
    target: TextTarget,
    at: Pointer,
    text: OutsideText,
    now: Millis,
) -> Vec<Effect> {
    let to = match text {
        OutsideText::Plain(text) => text.into(),
        OutsideText::Json(text) => match parse_json(&text) {
            Ok(value) => value,
            Err(words) => {
                state.notices.push(NoticeKind::Problem, format!("what was edited {words}"), now);
                return Vec::new();
            }
        },
    };
    let Some(target) = target_now(state, target) else {
        let words = "what was edited is gone from its file: nothing was changed, and its text is on \
                     the clipboard";
        state.notices.push(NoticeKind::Problem, words, now);
        let text = to.value().as_str().map_or_else(|| format!("{:#}", to.value()), str::to_owned);
        return vec![Effect::Copy(text)];
    };
    let ordered = set_in_order(at.clone(), value_there(state, &target, &at).as_ref(), to.clone());
    let edit = Edit::Set { at, to };
    match target {
        TextTarget::Entry(entry) => {
            let label = format!("edit {}", edit.pointer().to_string().trim_start_matches('/'));
            let change = |edit| Change::Entry(EntryEdit { entry: entry.clone(), edit });
            let changes: Vec<Change> = ordered.into_iter().map(change).collect();
            return files::apply_changes(state, &label, &changes, now);
        }
        TextTarget::Call(text) => calls::edit_text(state, text, &[edit], now),
        TextTarget::Answer(ask) => {
            return answering::handle(
                state,
                AnsweringMessage::Edit { ask, edits: vec![edit] },
                now,
            );
        }
        TextTarget::ModelCall => {
            return agent_run::handle_message(state, AgentMessage::Edit(vec![edit]), now);
        }
        TextTarget::ModelResult(place) => {
            let Edit::Set { to, .. } = &edit else { return Vec::new() };
            return agent_run::change_result(state, place, to.value(), now);
        }
        TextTarget::Item(item) => {
            let message = ResourceMessage::Edit { item, edits: vec![edit] };
            return resources::handle_message(state, message, now);
        }
        TextTarget::Form | TextTarget::Settings => {
            let form = state.form.as_ref().map(|form| form.file.clone());
            if let Some(file) =
                form.or((target == TextTarget::Settings).then(|| FileId::new(SETTINGS)))
            {
                let label = format!("edit {}", edit.pointer().to_string().trim_start_matches('/'));
                let change = |edit| Change::File { file: file.clone(), document: 0, edit };
                let changes: Vec<Change> = ordered.into_iter().map(change).collect();
                return files::apply_changes(state, &label, &changes, now);
            }
        }
    }
    Vec::new()
}

/// Shows the ways to begin on Tools, where there is nothing yet.
fn offer_beginning(state: &mut State) {
    if state.screen == ScreenId::Tools && state.catalog.entries().next().is_none() {
        state.question = Some(Question::Begin);
    }
}

fn use_connection(state: &mut State, name: Option<String>, now: Millis) -> Vec<Effect> {
    let words = match &name {
        Some(name) if state.network.connections.find_by_name(name).is_none() => return Vec::new(),
        Some(name) => format!("calls go through {name}"),
        None => format!(
            "calls go through {}, those of some tools through their own",
            state.network.connections.usual
        ),
    };
    state.network.connections.chosen = name;
    state.notices.push(NoticeKind::Done, words, now);
    files::check_again(state);
    match state.screen {
        ScreenId::Invoke => deployed::list_chosen(state, now),
        _ => Vec::new(),
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
