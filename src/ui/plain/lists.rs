//! What a screen shows, as lines: its list, and all about what is selected.

use std::sync::Arc;

use super::{
    calls::{call_line, call_lines},
    commands::typed_name,
};
use crate::{
    app::{
        actions::ActionId,
        answering::{AnsweringMessage, AskId},
        calls::CallMessage,
        connection_test::Report,
        history::HistoryMessage,
        message::{ConnectionMessage, Message, ScreenId},
        resources::{ItemId, ReadReport, ResourceMessage},
        state::State,
        watching::Source,
    },
    engine::{
        filter::Filter,
        trace::wanted::TraceFilter,
        traffic::{conversation::Conversation, filter},
    },
    model::{
        call::{Call, CallId},
        clock::Millis,
        entry::{Entry, EntryId, EntryKind},
        finding::Finding,
        tool::{States, Tool},
        trace::{Summary, TraceId},
    },
    schema::count::count_text,
    ui::{
        ranking::{RankedItem, rank_candidates},
        screens::{
            history::list::time_or_date,
            invoke,
            tools::{dialogs, saved},
        },
        view::{Screen, Target},
    },
};

/// Something that a list names.
#[derive(Clone, Debug)]
pub(crate) enum Listed {
    Entry(EntryId),
    Call(CallId),
    Kept(TraceId),
    Connection(String),
    Conversation(u64),
    Asked(AskId),
    Item(ItemId),
}

impl Listed {
    /// What selects it: a tool with its call, a call with its tool.
    pub fn select(&self, state: &State) -> Vec<Message> {
        let select_call = |id: CallId| Message::Call(CallMessage::Select(id));
        match self {
            Self::Entry(id) => {
                let call = call_of(id, state).map(|call| select_call(call.id));
                [Message::Select(id.clone())].into_iter().chain(call).collect()
            }
            Self::Call(id) => {
                let call = state.invoke.calls.get(*id);
                let tool = call.and_then(|call| state.tool(&call.request.tool));
                let tool = tool.map(|tool| Message::Select(tool.id().clone()));
                tool.into_iter().chain([select_call(*id)]).collect()
            }
            Self::Kept(id) => vec![Message::History(HistoryMessage::Select(id.clone()))],
            Self::Connection(name) => {
                vec![Message::Connection(ConnectionMessage::Show(name.clone()))]
            }
            Self::Asked(ask) => vec![Message::Answering(AnsweringMessage::Choose(*ask))],
            Self::Item(item) => vec![Message::Resource(ResourceMessage::Choose(item.clone()))],
            Self::Conversation(_) => Vec::new(),
        }
    }

    /// What the cursor of the screen is put on.
    pub fn target(&self) -> Option<Target> {
        match self {
            Self::Entry(id) => Some(Target::Tool(id.clone())),
            Self::Conversation(number) => Some(Target::Conversation(*number)),
            _ => None,
        }
    }
}

/// A row of a list: its name, words about it, what it is.
pub(crate) struct ListRow {
    pub name: String,
    words: String,
    pub listed: Listed,
}

impl ListRow {
    pub fn line(&self, number: usize) -> String {
        format!("{}. {}", number + 1, self.words_of(&self.words))
    }

    /// What it is, for who has just selected it.
    pub fn summary(&self) -> String {
        self.words_of(self.words.strip_suffix(SELECTED).unwrap_or(&self.words))
    }

    fn words_of(&self, words: &str) -> String {
        match words {
            "" => self.name.clone(),
            words => format!("{}: {words}", self.name),
        }
    }
}

/// After the words of the row that is selected.
const SELECTED: &str = ", selected";

/// The rows of a screen's list.
pub(crate) fn list_rows(state: &State) -> Vec<ListRow> {
    match state.screen {
        ScreenId::Tools => state.catalog.entries().map(|entry| entry_row(entry, state)).collect(),
        ScreenId::Workflow => tool_rows(state),
        ScreenId::Invoke => tool_rows(state).into_iter().chain(call_rows(state)).collect(),
        ScreenId::Watch => conversation_rows(state),
        ScreenId::History => kept_rows(state),
        ScreenId::Waiting => waiting_rows(state),
        ScreenId::Connections => connection_rows(state),
        ScreenId::Resources => item_rows(state),
        ScreenId::Run | ScreenId::Form => Vec::new(),
    }
}

/// The line above the list.
pub(crate) fn heading(state: &State, rows: usize) -> String {
    match state.screen {
        ScreenId::Tools => format!("Tools and services: {rows}"),
        ScreenId::Workflow => format!("Tools: {rows}"),
        ScreenId::Invoke => format!("Tools and calls of this session: {rows}"),
        ScreenId::Watch => format!("{}. Conversations: {rows}", watch_words(state)),
        ScreenId::History => {
            let older = state.invoke.kept.listing.older;
            let more = if older > 0 { format!(", {older} older") } else { String::new() };
            format!("Kept calls: {rows}{more}")
        }
        ScreenId::Waiting => format!("Calls waiting for an answer: {rows}"),
        ScreenId::Connections => format!("Connections: {rows}"),
        ScreenId::Resources => format!("Resources and prompts: {rows}"),
        ScreenId::Run if state.invoke.agent.run.is_none() => {
            "No model was run yet. Type: ask a model".to_owned()
        }
        ScreenId::Run => "The run of a model. Type: show".to_owned(),
        ScreenId::Form => "One form. Type: fields".to_owned(),
    }
}

fn watch_words(state: &State) -> String {
    match &state.watching.source {
        Source::Nothing => "Nothing is watched yet. Here, watch starts it".to_owned(),
        Source::Opening => "The watch is starting".to_owned(),
        Source::Listening => {
            let held = state.watching.held_count();
            let paused = held.map(|count| format!(", paused, {count} new")).unwrap_or_default();
            format!("Watching {}{paused}", state.watching.head.connection)
        }
        Source::Stopped => "The watch has stopped".to_owned(),
        Source::Failed(problem) => format!("The watch failed: {}", problem.message),
        Source::Trace(name) => format!("The trace {name}"),
    }
}

fn entry_row(entry: &Entry, state: &State) -> ListRow {
    let tool = state.catalog.tool(&entry.id);
    let mut words = match tool {
        Some(tool) => {
            let available = Filter::new(&state.context()).admits(&tool.gate);
            let word = if available { "available" } else { "hidden" };
            let next = tool.gate.next.iter().map(|next| format!(", next state {next}"));
            format!("tool, {word}{}", next.collect::<String>())
        }
        None => entry.kind.as_str().to_owned(),
    };
    let errors = state.findings_of(&entry.id).count();
    if errors > 0 {
        words.push_str(&format!(", problems {errors}"));
    }
    if saved::is_unsaved(entry, state) {
        words.push_str(", changed");
    }
    if state.selected.as_ref() == Some(&entry.id) {
        words.push_str(SELECTED);
    }
    ListRow { name: entry.key.to_string(), words, listed: Listed::Entry(entry.id.clone()) }
}

/// Which rows of a list are asked for: by a part of their line, on Watch and History in the words
/// of their filters.
pub(super) enum Wanted {
    Part(String),
    Conversations(filter::Filter),
    Kept(TraceFilter),
}

impl Wanted {
    /// # Errors
    /// When a word of a filter means nothing.
    pub fn parse(text: &str, state: &State) -> Result<Self, String> {
        let seconds = u64::try_from(state.wall.seconds).unwrap_or_default();
        match state.screen {
            ScreenId::Watch => filter::Filter::parse(text).map(Self::Conversations),
            ScreenId::History => {
                TraceFilter::parse_complete(text, Millis(seconds * 1_000)).map(Self::Kept)
            }
            _ => Ok(Self::Part(text.to_lowercase())),
        }
    }

    /// Whether a row is asked for, which reads so.
    pub fn holds_for(&self, row: &ListRow, line: &str, state: &State) -> bool {
        let line = line.to_lowercase();
        match (self, &row.listed) {
            (Self::Part(part), _) => line.contains(part),
            (Self::Conversations(filter), Listed::Conversation(number)) => {
                let record = &state.watching.record;
                let found =
                    |row: usize| filter.needles().nth(row).is_some_and(|it| it.stands_in(&line));
                let conversation = record.conversation(*number);
                conversation.is_some_and(|it| filter.matches(it, record.latest_time(), found))
            }
            (Self::Kept(wanted), Listed::Kept(id)) => {
                let mut calls = state.invoke.kept.listing.calls.iter();
                let call = calls.find(|call| call.id == *id);
                call.is_some_and(|call| wanted.matches(call))
                    && wanted.texts.iter().all(|text| line.contains(text))
            }
            _ => true,
        }
    }
}

fn tool_rows(state: &State) -> Vec<ListRow> {
    let own = state.catalog.tools.iter().map(|tool| entry_row(&tool.entry, state));
    let deployed = state.deployed_lists().flat_map(|list| {
        list.catalog.tools.iter().map(|tool| ListRow {
            name: tool.name.clone(),
            words: format!("tool, deployed on {}", list.connection.name),
            listed: Listed::Entry(tool.id().clone()),
        })
    });
    own.chain(deployed).collect()
}

fn call_rows(state: &State) -> Vec<ListRow> {
    let calls = &state.invoke.calls;
    let row = |call: &Call| {
        let mark = if calls.selected == Some(call.id) { SELECTED } else { "" };
        let words = format!("{}{mark}", call_line(call));
        ListRow { name: format!("call {}", call.id.0), words, listed: Listed::Call(call.id) }
    };
    calls.iter().rev().map(row).collect()
}

fn kept_rows(state: &State) -> Vec<ListRow> {
    let kept = &state.invoke.kept;
    let row = |call: &Summary| {
        let outcome = call.outcome.map_or("not ended", |outcome| outcome.as_str());
        let mark = if kept.selected.as_ref() == Some(&call.id) { SELECTED } else { "" };
        let marked = if kept.marked.contains(&call.id) { ", marked" } else { "" };
        let at = time_or_date(call.at, state.wall);
        let took = call.known_duration().map_or_else(String::new, |ms| format!(" {ms} ms,"));
        let words = format!(
            "{at}, {outcome},{took} over {}, {}{marked}{mark}",
            call.connection, call.arguments
        );
        ListRow { name: call.tool.to_string(), words, listed: Listed::Kept(call.id.clone()) }
    };
    kept.listing.calls.iter().map(row).collect()
}

fn connection_rows(state: &State) -> Vec<ListRow> {
    let connections = &state.network.connections;
    let shown = state.network.tests.selected.as_ref();
    let row = |connection: &crate::model::connection::Connection| {
        let name = &connection.name;
        let mut words = connection.transport().as_str().to_owned();
        let addresses = connection.addresses().join(", ");
        if !addresses.is_empty() {
            words.push_str(&format!(" {addresses}"));
        }
        if connections.current().name == *name {
            words.push_str(", in use");
        }
        let condition = state.network.conditions.get(name).map(|known| known.words.as_str());
        if let Some(condition) = condition.filter(|words| !words.is_empty()) {
            words.push_str(&format!(", {condition}"));
        }
        match state.network.tests.reports.get(name).map(|(_, report)| report) {
            Some(Report::Reached(_)) => words.push_str(", test passed"),
            Some(Report::Failed(_)) => words.push_str(", test failed"),
            Some(Report::NotAllowed(_)) => words.push_str(", not allowed yet"),
            Some(Report::UnderWay) => words.push_str(", test running"),
            None => {}
        }
        if shown == Some(name) {
            words.push_str(SELECTED);
        }
        ListRow { name: name.clone(), words, listed: Listed::Connection(name.clone()) }
    };
    connections.known.iter().map(row).collect()
}

fn conversation_rows(state: &State) -> Vec<ListRow> {
    let record = &state.watching.record;
    let row = |conversation: &Conversation| {
        let name = conversation.topic.clone().unwrap_or_else(|| conversation.subject.to_string());
        let took = conversation.elapsed_ms(record.latest_time());
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut words = format!(
            "{}, {took} ms, asked {}",
            conversation.standing.as_str(),
            one_line(&conversation.asked)
        );
        if !conversation.said.is_empty() {
            words.push_str(&format!(", answered {}", one_line(&conversation.said)));
        }
        if let Some(problem) = conversation.standing.problem() {
            words.push_str(&format!(", error {}", one_line(&problem.words())));
        }
        ListRow { name, words, listed: Listed::Conversation(conversation.number) }
    };
    (0..record.row_count()).filter_map(|at| record.conversation_at(at)).map(row).collect()
}

fn waiting_rows(state: &State) -> Vec<ListRow> {
    let row = |open: &crate::app::answering::Open| {
        let waiting = &open.asked.waiting;
        let asked = waiting.question().unwrap_or_else(|| open.asked.arguments.clone());
        let words = format!("{} asks: {asked}", waiting.caller_id());
        ListRow {
            name: waiting.tool_name().to_owned(),
            words,
            listed: Listed::Asked(open.asked.ask),
        }
    };
    state.answering.open.iter().map(row).collect()
}

fn item_rows(state: &State) -> Vec<ListRow> {
    let Some(server) = state.network.resource_server() else { return Vec::new() };
    let row = |item: &crate::model::server_item::ServerItem| ListRow {
        name: item.id.clone(),
        words: format!("{}, {}", item.kind.title(), item.title),
        listed: Listed::Item(ItemId::new(&server.name, item)),
    };
    state.network.readable_items(&server.name).into_iter().map(row).collect()
}

/// All about what is selected on a screen.
pub(crate) fn detail_lines(state: &State, screen: &dyn Screen) -> Vec<String> {
    let mut lines = match state.screen {
        ScreenId::Tools => entry_lines(state),
        ScreenId::Invoke => invoke_lines(state),
        ScreenId::History if state.invoke.kept.compared.is_some() => Vec::new(),
        ScreenId::History => match state.invoke.kept.current_call() {
            Some(open) => call_lines(&open.call),
            None => vec!["No call is open. Type: list, then select NUMBER".to_owned()],
        },
        ScreenId::Waiting => match state.answering.shown_call() {
            Some(open) => vec![
                format!("{} asks", open.asked.waiting.caller_id()),
                open.asked.waiting.question().unwrap_or_else(|| open.asked.arguments.clone()),
                "Type: form, then send".to_owned(),
            ],
            None => vec!["No call waits for an answer.".to_owned()],
        },
        ScreenId::Resources => item_lines(state),
        ScreenId::Workflow
        | ScreenId::Watch
        | ScreenId::Connections
        | ScreenId::Run
        | ScreenId::Form => Vec::new(),
    };
    lines.extend(screen.detail_lines(state));
    if lines.is_empty() {
        lines.push(match state.screen {
            ScreenId::Run => heading(state, 0),
            _ => "Nothing is selected. Type: list".to_owned(),
        });
    }
    lines
}

fn entry_lines(state: &State) -> Vec<String> {
    let entry = state.selected_entry();
    let Some(entry) = entry else {
        return vec!["Nothing is selected. Type: list, then select NAME".to_owned()];
    };
    let place = entry.id.place();
    let kind = entry.kind.as_str();
    let mut lines = vec![format!("{}: {kind} in {}", entry.key, place.file)];
    if entry.kind == EntryKind::Service {
        lines.push(format!("Tools that use it: {}", users_of(entry, state)));
    }
    if let Some(tool) = state.catalog.tool(&entry.id) {
        lines.push(format!("Name for models: {}", tool.name));
        if !tool.description.is_empty() {
            lines.push(format!("Description: {}", tool.description));
        }
        if let Some(service) = &tool.service {
            lines.push(format!("Service: {service}"));
        }
        lines.extend(gate_words(tool));
    }
    lines.extend(state.findings_of(&entry.id).map(|found| finding_line(found, state)));
    lines.push("Type: fields to see its form, form to edit it".to_owned());
    lines
}

/// The tools that a service answers.
fn users_of(service: &Entry, state: &State) -> String {
    let uses = |tool: &&Arc<Tool>| tool.service.as_deref() == Some(&*service.key);
    let users = state.catalog.tools.iter().filter(uses);
    match users.map(|tool| tool.entry.key.as_str()).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".to_owned(),
        keys => keys,
    }
}

/// What a tool asks of a request, and where it leads.
fn gate_words(tool: &Tool) -> Vec<String> {
    let groups = tool.gate.groups();
    let groups = if groups.is_empty() { "every request".to_owned() } else { groups.join(", ") };
    let states = match &tool.gate.states {
        States::Every => "every state".to_owned(),
        States::Only(listed) => listed.join(", "),
    };
    let next = tool.gate.next.iter().map(|next| format!("Next state: {next}"));
    let both = [format!("Groups: {groups}"), format!("Available in: {states}")];
    both.into_iter().chain(next).collect()
}

/// Each tool with its groups and states, those with that word.
pub(crate) fn table_lines(word: &str, state: &State) -> Vec<String> {
    let wanted = word.to_lowercase();
    let line = |tool: &Arc<Tool>| format!("{}. {}", tool.entry.key, gate_words(tool).join(". "));
    let lines = state.catalog.tools.iter().map(line);
    let fitting: Vec<String> = lines.filter(|line| line.to_lowercase().contains(&wanted)).collect();
    match fitting.is_empty() {
        true if wanted.is_empty() => vec!["There is no tool yet.".to_owned()],
        true => vec![format!("No tool has {word}.")],
        false => fitting,
    }
}

fn kept_call<'s>(id: &TraceId, state: &'s State) -> Option<&'s Summary> {
    state.invoke.kept.listing.calls.iter().find(|call| call.id == *id)
}

/// A kept call by its tool and its time.
fn kept_name(call: &Summary, state: &State) -> String {
    format!("{} {}", call.tool, time_or_date(call.at, state.wall))
}

/// What the prompt of a screen names: what its actions are about.
pub(crate) fn prompt_item(state: &State) -> Option<String> {
    let named = || state.selected_entry();
    match state.screen {
        ScreenId::Tools => named().map(|entry| match entry.kind {
            EntryKind::Tool => entry.key.to_string(),
            kind => format!("{}, {}", entry.key, kind.as_str()),
        }),
        ScreenId::Workflow => {
            named().filter(|of| of.kind == EntryKind::Tool).map(|of| of.key.to_string())
        }
        ScreenId::Invoke => called_tool(state).map(|tool| tool.entry.key.to_string()),
        ScreenId::History => {
            let selected = kept_call(state.invoke.kept.selected.as_ref()?, state)?;
            Some(kept_name(selected, state))
        }
        _ => None,
    }
}

/// That an action was done, and what is different now: what the screen has, where nothing closer
/// is known.
pub(crate) fn done_words(action: ActionId, state: &State) -> String {
    if action == "mark" {
        let marked = &state.invoke.kept.marked;
        let named = marked.iter().filter_map(|id| kept_call(id, state));
        let names = named.map(|call| kept_name(call, state)).collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { names } else { format!(": {names}") };
        return format!("{} marked{names}.", count_text(marked.len(), "call is", "calls are"));
    }
    let title = state.keymap.action(action).title;
    let there = heading(state, list_rows(state).len());
    format!("{}: done. {there}", typed_name(title))
}

/// The call that is shown with a tool: the selected one, unless that is another tool's; else its
/// newest.
fn call_of<'s>(tool: &EntryId, state: &'s State) -> Option<&'s Call> {
    let calls = &state.invoke.calls;
    let is_its = |call: &&Call| call.request.tool == *tool;
    // An agent's call is no tool's.
    let is_shown = |call: &&Call| is_its(call) || state.tool(&call.request.tool).is_none();
    calls.selected_call().filter(is_shown).or_else(|| calls.iter().rev().find(is_its))
}

/// The tool that Invoke calls.
pub(crate) fn called_tool(state: &State) -> Option<&Tool> {
    invoke::tool_of(state).and_then(|id| state.tool(&id))
}

fn invoke_lines(state: &State) -> Vec<String> {
    let Some(tool) = called_tool(state) else {
        return vec!["No tool is selected. Type: list, then select NAME".to_owned()];
    };
    let mut lines = vec![format!("{}: {}", tool.name, tool.description)];
    lines.push(format!("Connection: {}", state.connection_of(tool.id()).name));
    if state.invoke.mocks.contains(tool.id()) {
        lines.push("Calls are mocked: they are answered here and nothing is sent.".to_owned());
    }
    match call_of(tool.id(), state) {
        Some(call) => lines.extend(call_lines(call)),
        None => {
            lines.push(format!("No call of {} yet. Type: form arguments, then send", tool.name));
        }
    }
    lines.push("The request as it will be sent:".to_owned());
    lines
}

fn item_lines(state: &State) -> Vec<String> {
    let Some(item) = &state.network.resources.chosen else {
        return vec!["Nothing is selected. Type: list, then select NAME".to_owned()];
    };
    let mut lines = vec![format!("{} {}", item.kind.title(), item.id)];
    match state.network.resources.report(item) {
        None => lines.push("Not read yet. Type: read".to_owned()),
        Some(ReadReport::UnderWay) => lines.push("Reading it.".to_owned()),
        Some(ReadReport::Failed(problem)) => lines.push(format!("Error: {problem}")),
        Some(ReadReport::Done(content)) => lines.push(format!("{:#}", content.result)),
    }
    lines
}

/// A problem in a line.
pub(crate) fn finding_line(finding: &Finding, state: &State) -> String {
    let fix = dialogs::fix_words(finding, state);
    let fix = fix.map_or_else(String::new, |fix| format!(". Fix: {fix}"));
    let site = &finding.site;
    let field = match (site.entry.is_some(), site.pointer.is_root()) {
        (true, false) => format!("{}: ", site.pointer.dotted()),
        _ => String::new(),
    };
    let place = format!("{}:{}", site.file, site.line);
    format!("{}: {place}: {field}{}{fix}", finding.severity.as_str(), finding.message)
}

/// What a word names of a list: by number, by its name, by its beginning where only one begins so.
pub(crate) fn find_listed(word: &str, rows: &[ListRow]) -> Result<Listed, String> {
    find_row(word, rows).map(|row| row.listed.clone())
}

/// The same as its row.
pub(super) fn find_row<'r>(word: &str, rows: &'r [ListRow]) -> Result<&'r ListRow, String> {
    let by_number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    if let Some(row) = by_number.and_then(|row| rows.get(row)) {
        return Ok(row);
    }
    let lower = word.to_lowercase();
    if let Some(row) = rows.iter().find(|row| row.name.to_lowercase() == lower) {
        return Ok(row);
    }
    let begun: Vec<&ListRow> =
        rows.iter().filter(|row| row.name.to_lowercase().starts_with(&lower)).collect();
    if let [row] = begun.as_slice() {
        return Ok(row);
    }
    let item = |row: &'_ ListRow| row.name.clone();
    let names: Vec<String> = rows.iter().map(item).collect();
    let candidates = names.iter().map(|name| RankedItem { name, ..RankedItem::default() });
    let near: Vec<&str> = rank_candidates(word, candidates)
        .into_iter()
        .take(5)
        .map(|at| names[at].as_str())
        .collect();
    Err(match near.is_empty() {
        true => format!("There is nothing called {word} here. Type: list"),
        false => format!("There is nothing called {word} here. Did you mean {}?", near.join(", ")),
    })
}
