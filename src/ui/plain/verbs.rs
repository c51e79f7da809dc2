//! What some commands of plain mode do: help and texts to print, groups to tick, calls to stop.

use std::collections::BTreeSet;

use super::{
    calls::call_lines,
    commands::{self, COMMANDS, Command, screen_actions},
    dialog::{Answered, Dialog},
    lists::{self, Listed},
    session::{Pending, Session},
};
use crate::{
    app::{
        actions::{Action, ActionId},
        agent_run::AgentMessage,
        calls::CallMessage,
        documents::Document,
        history::HistoryMessage,
        message::{Message, ScreenId},
        question::Question,
        state::State,
        workflow::WorkflowMessage,
    },
    engine::mask::Mask,
    model::{context::Name, entry::EntryKind, trace::TraceId},
    schema::phrase::join_alternatives,
    systems::model_text,
    ui::form::view::Form,
};

impl Session {
    pub(super) fn file(&mut self, state: &State) {
        let file = state.selected.as_ref().map(|id| id.file().clone());
        let own = state.form.as_ref().map(|form| form.file.clone());
        let found = own.or(file).and_then(|file| Some((state.documents.get(&file)?, file)));
        match found {
            Some((document, file)) => {
                let mark = if document.is_changed() { ", not saved" } else { "" };
                self.out.push(format!("{file}{mark}:"));
                let text = self.masked_text(document, state);
                self.say_long(&[text]);
            }
            None => self.out.push("Nothing is selected. Type: list, then select NAME".to_owned()),
        }
    }

    /// The text of a document without what its form masks.
    fn masked_text(&self, document: &Document, state: &State) -> String {
        if let (Some(form), Ok(source)) = (&state.form, &document.source) {
            return form.mask_document(source, &state.mask);
        }
        let form = self.form(state).filter(|_| state.screen == ScreenId::Tools);
        let own = Mask::new(form.map(Form::secret_texts).unwrap_or_default());
        own.mask_text(&state.mask.mask_text(document.text.whole_text())).into_owned()
    }

    pub(super) fn model(&mut self, word: &str, state: &State) {
        let tool = match word {
            "" => state.selected_tool(),
            word => state.catalog.tool_called(word),
        };
        let Some(tool) = tool else {
            return self.out.push("Name a tool: model view TOOL".to_owned());
        };
        let text = model_text::tool_text(tool, &state.catalog);
        self.say_long(&text.lines().map(str::to_owned).collect::<Vec<_>>());
    }

    pub(super) fn problems(&mut self, state: &State) {
        let lines: Vec<String> = {
            let line = |found| lists::finding_line(found, state);
            state.findings.iter().map(line).collect()
        };
        if lines.is_empty() {
            return self.out.push("No problem was found.".to_owned());
        }
        self.out.push(format!("Problems: {}", lines.len()));
        self.say_long(&lines);
    }

    pub(super) fn tick(&mut self, rest: &str, state: &State, messages: &mut Vec<Message>) {
        let names = state.group_names();
        let custom = state.workflow.custom_groups.flat_groups().into_iter().map(|own| own.name);
        let known: Vec<Name> = names.into_iter().chain(custom).collect();
        match known.iter().find(|name| ***name == *rest) {
            Some(name) => {
                let name = name.clone();
                let sent = vec![Message::Workflow(WorkflowMessage::ToggleGroup(name))];
                if state.screen == ScreenId::Workflow {
                    self.note_sent(&sent, state);
                } else {
                    messages.push(Message::Show(ScreenId::Workflow));
                    self.pending.push_back(Pending::Arrive);
                }
                messages.extend(sent);
            }
            None => {
                let known: Vec<&str> = known.iter().map(|name| &**name).collect();
                let why = match rest {
                    "" => "Name a group.".to_owned(),
                    rest => format!("There is no group {rest}."),
                };
                self.out.push(format!("{why} Groups: {}", known.join(", ")));
            }
        }
    }

    pub(super) fn why(&mut self, rest: &str, state: &State, messages: &mut Vec<Message>) {
        if state.screen != ScreenId::Workflow {
            messages.push(Message::Show(ScreenId::Workflow));
        }
        if rest.is_empty() || self.select(rest, state, messages) {
            self.pending.push_back(Pending::Action("explain"));
        }
    }

    /// Compares two calls that are named; whether two are.
    pub(super) fn compare(
        &mut self,
        names: &str,
        state: &State,
        messages: &mut Vec<Message>,
    ) -> bool {
        let rows = lists::list_rows(state);
        let call = |word: &str| match lists::find_listed(word, &rows) {
            Ok(Listed::Kept(id)) => Some(id),
            _ => None,
        };
        let Some((first, second)) = names.split_once(' ') else { return false };
        let Some((first, second)) = call(first).zip(call(second.trim())) else { return false };
        // The older one comes first; the newest call is the first of the list.
        let calls = &state.invoke.kept.listing.calls;
        let row = |id: &TraceId| calls.iter().position(|call| call.id == *id);
        let pair = if row(&first) < row(&second) { [second, first] } else { [first, second] };
        let compare = vec![Message::History(HistoryMessage::Compare(pair))];
        self.note_sent(&compare, state);
        messages.extend(compare);
        true
    }

    pub(super) fn answer_text(&mut self, state: &State) {
        let open = state.invoke.kept.current_call().filter(|_| state.screen == ScreenId::History);
        let call = open.map(|open| &open.call).or_else(|| state.invoke.calls.selected_call());
        match call {
            Some(call) if call.text.is_empty() => self.out.extend(call_lines(call)),
            Some(call) => self.say_long(&[call.text.whole().into_owned()]),
            None => self.out.push("No call is selected. Type: invoke, then send".to_owned()),
        }
    }

    pub(super) fn stop(&mut self, state: &State, messages: &mut Vec<Message>) {
        let running = state.invoke.calls.running_calls().last();
        match running {
            Some(call) => messages.push(Message::Call(CallMessage::Cancel(call.id))),
            None if state.invoke.agent.is_under_way() => {
                messages.push(Message::Agent(AgentMessage::Stop));
            }
            None if state.screen == ScreenId::Watch && state.watching.is_listening() => {
                self.act("stop-watching", state, messages);
            }
            None => self.out.push("No call is running.".to_owned()),
        }
    }

    pub(super) fn help(&mut self, word: &str, state: &State) {
        let wanted = word.to_lowercase();
        let fits = |line: &String| wanted.is_empty() || line.to_lowercase().contains(&wanted);
        let screens: Vec<ActionId> = screen_actions().filter(|_| self.has_tabs).collect();
        let screen_line = |(row, id): (usize, &ActionId)| {
            let action = state.keymap.action(id);
            format!("{} {}: {}", row + 1, action.title, action.help)
        };
        let of_screens = screens.iter().enumerate().map(screen_line).filter(fits);
        let mut of_screens: Vec<String> = of_screens.collect();
        let has_screens = !of_screens.is_empty();
        if has_screens {
            of_screens.insert(0, "Screens, by name or number:".to_owned());
        }
        let command_line = |known: &Command| {
            let takes = if known.takes.is_empty() { "" } else { " " };
            format!("{}{takes}{}: {}", known.name, known.takes, known.help)
        };
        let commands: Vec<String> = COMMANDS.iter().map(command_line).filter(fits).collect();
        let mut actions = Vec::new();
        // A name means the first that has it.
        let mut named: BTreeSet<String> =
            COMMANDS.iter().map(|known| known.name.to_owned()).collect();
        for action in commands::actions_of(&state.keymap, state.screen) {
            let name = commands::typed_name(action.title);
            let line = format!("{name}: {}", action.help);
            let is_drawn = commands::instead_of(action.id).is_some();
            if !named.insert(name) || is_drawn || screens.contains(&action.id) || !fits(&line) {
                continue;
            }
            let why = self.refusal_reason(action.id, state);
            actions.push(why.map_or(line.clone(), |why| format!("{line}. Not now: {why}")));
        }
        let mut lines = of_screens;
        if !commands.is_empty() {
            lines.extend(has_screens.then(|| "Commands:".to_owned()));
            lines.extend(commands);
        }
        if !actions.is_empty() {
            let screen = self.screen_title(state);
            lines.push(format!("Actions on {screen}; you can add the name of the item:"));
            lines.extend(actions);
        }
        if !wanted.is_empty() && self.has_tabs {
            lines.extend(elsewhere_lines(state).into_iter().filter(fits));
        }
        if lines.is_empty() {
            return self.out.push(format!("No command has the word {word}. Type: help"));
        }
        self.say_long(&lines);
    }

    /// Whether the times of chunks are printed.
    pub(super) fn set_times(&mut self, word: &str) {
        let words = match word {
            "on" => "Each chunk is printed with its time.",
            "off" => "Answers are printed as they come, without times.",
            _ => return self.out.push("Type: times on, or times off".to_owned()),
        };
        self.printed.without_times = word == "off";
        self.out.push(words.to_owned());
    }

    /// The session is to end where one of several answers is asked for.
    pub(super) fn quit_question(
        &mut self,
        mut dialog: Dialog,
        state: &State,
        messages: &mut Vec<Message>,
    ) {
        match &state.question {
            // Not a beginning of "quit without saving".
            Some(Question::Leave { .. } | Question::LeaveForm(_)) => {
                let is_running = matches!(&state.question,
                    Some(Question::Leave { running, .. }) if !running.is_empty());
                let words = match is_running {
                    true => "Something is running: choose an answer.",
                    false => "Unsaved changes would be lost: choose an answer.",
                };
                self.out.push(words.to_owned());
                dialog.repeat();
                self.dialog = Some(dialog);
                return;
            }
            // It is asked again at the next start.
            Some(Question::Recover(_)) => self.dialog = Some(dialog),
            _ => {
                if let Answered::Closed(reply) = dialog.take_line("cancel", state, &mut self.out) {
                    self.close_with(reply, state, messages);
                }
            }
        }
        messages.push(Message::Quit { discard: false });
    }

    /// Selects what a word names; whether there is such a thing.
    pub(super) fn select(
        &mut self,
        word: &str,
        state: &State,
        messages: &mut Vec<Message>,
    ) -> bool {
        let rows = lists::list_rows(state);
        // From other screens too, a tool is called by its name.
        let known = state.tool_called(word).map(|tool| Listed::Entry(tool.id().clone()));
        match lists::find_listed(word, &rows).or_else(|why| known.ok_or(why)) {
            Ok(listed) => {
                let select = listed.select(state);
                self.note_sent(&select, state);
                messages.extend(select);
                self.pending.extend(listed.target().map(Pending::Point));
                if matches!(listed, Listed::Conversation(_)) {
                    self.pending.push_back(Pending::Show);
                }
                true
            }
            Err(why) => {
                self.out.push(why);
                false
            }
        }
    }

    /// Selects a tool to call; whether that is one.
    pub(super) fn select_tool(
        &mut self,
        word: &str,
        state: &State,
        messages: &mut Vec<Message>,
    ) -> bool {
        let listed = lists::find_listed(word, &lists::list_rows(state));
        if let Ok(Listed::Entry(id)) = &listed
            && let Some(entry) = state.catalog.entry(id).filter(|of| of.kind != EntryKind::Tool)
        {
            self.out.push(format!("{} isn't a tool. Name a tool that is to be called.", entry.key));
            return false;
        }
        self.select(word, state, messages)
    }
}

/// What the actions of other screens do, after the names of those screens.
fn elsewhere_lines(state: &State) -> Vec<String> {
    let found = commands::actions_elsewhere(&state.keymap, state.screen).into_iter();
    let line = |(action, screens): (&Action, Vec<&str>)| {
        let screens = join_alternatives(screens.into_iter());
        format!("On {screens}: {}: {}", commands::typed_name(action.title), action.help)
    };
    found.map(line).collect()
}
