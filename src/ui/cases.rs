//! Cases on the screen: a call kept as one, those of the workspace called again, how they went.
//! Invoke and History offer it.

use std::sync::Arc;

use serde_json::Value;

use super::{
    canvas::{truncate_text, wrap},
    overlays::{
        menu::{Item, Menu},
        page::{Line, PageOverlay},
        ticked::{Tick, Ticked},
    },
    stubs,
    styles::Role,
    view::Reply,
};
use crate::{
    app::{
        ask_cases,
        calls::CallMessage,
        cases::{self, VerdictCounts},
        documents::{Change, Document},
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::{
        case::{
            ask::AskCase,
            choice::AskVerdict,
            offer::{self, Suggestion},
            page::{self, SentParts},
            script::Case,
            verdict::{Answer, Verdict},
        },
        scenario::page::file_name,
        stub::page::file_of_tool,
    },
    model::{
        call::{Call, Outcome},
        entry::FileId,
        tool::Tool,
    },
    schema::{count::count_text, literal::Literal},
    systems::{calling, table},
};

/// Why what needs a definition can't be done with a tool that no file defines: it was listed of a
/// running system.
pub(crate) fn without_definition(state: &State) -> String {
    let words = "no file of this workspace defines this tool: it is only deployed";
    match table::kept_tools_at(&state.current_connection()) {
        Some(_) => {
            format!("{words}. “keep tools…” on Connections saves the server's tools")
        }
        None => words.into(),
    }
}

/// Asks for a name and for what is expected, and keeps the call as a file of the workspace.
pub(crate) fn save_case(call: &Call, state: &State) -> Reply {
    // A case is called by the tool's definition.
    let called = state.catalog.tool_called(&call.request.name);
    let is_its = |tool: &&Tool| {
        let own = state.network.connections.assigned_name(tool);
        own.is_none_or(|own| own == call.connection)
    };
    let name = call.request.name.clone();
    let (tool, connection) = match state.catalog.tool(&call.request.tool).or(called.filter(is_its))
    {
        // Of several tools of one name only the first is found by it.
        Some(tool) if called.is_some_and(|first| first.id() == tool.id()) => (name, None),
        Some(tool) => (tool.entry.key.clone(), None),
        None if lists_tools(state, &call.connection) => (name, Some(call.connection.clone())),
        None => return Reply::Refused(without_definition(state)),
    };
    let mocked = state.tool(&call.request.tool).filter(|_| call.is_mocked());
    let stub = mocked.map(|tool| file_of_tool(&tool.entry.key));
    let has_stub = stub.as_ref().is_some_and(|file| state.documents.has(file));
    // Rules that somebody wrote stay as they are.
    let kept_mock = mocked.filter(|_| !has_stub).map(|tool| tool.id().clone());
    let arguments = Arc::clone(&call.request.arguments);
    let meta = calling::request_meta(call.request.system, &call.request.body);
    let (route, steps) = calling::case_parts(&call.request);
    let answer = Answer::from_call(call);
    let offers = offer::suggest_expectations(&answer, &state.mask.of_call(&arguments));
    let tick = |offer: &Suggestion| Tick {
        title: offer.what.into(),
        detail: match offer.what {
            "chunks" => format!("at least {}", value_line(&offer.value)),
            _ => value_line(&offer.value),
        },
        on: offer.usual,
    };
    let ticks = offers.iter().map(tick).collect();
    let words = format!(
        "Saves the call as {}/NAME.yaml with the ticked expectations; secrets are left out.{}{} \
        Name:",
        page::FOLDER,
        match answer.outcome {
            Some(Outcome::Cancelled) => " You stopped this call, so its outcome isn't expected.",
            _ => "",
        },
        match &stub {
            Some(stub) if has_stub => format!(
                " This answer is a mock's: `toolcrib test --mock` answers by {stub} as it is; \
                without that, the case is called at its service."
            ),
            Some(stub) => format!(
                " This answer is a mock's, which is kept as {stub}: `toolcrib test --mock` answers \
                by it; without that, the case is called at its service."
            ),
            None => String::new(),
        }
    );
    Reply::Open(Box::new(Ticked::new(
        "Keep as case",
        words,
        state.documents.free_name(&tool, case_file),
        ticks,
        move |name, ticks, state| {
            if name.is_empty() {
                return Err("a case needs a name".into());
            }
            let file = case_file(name);
            if state.documents.has(&file) {
                return Err(format!("{file} already exists: choose another name"));
            }
            let masked = |text: &str| Literal::parse(&state.mask.mask_text(text));
            let arguments =
                masked(&arguments).map_err(|error| format!("can't read its arguments: {error}"))?;
            let meta = meta
                .as_deref()
                .map(masked)
                .transpose()
                .map_err(|error| format!("can't read its _meta: {error}"))?;
            let mut steps = steps.clone();
            if let Some(steps) = &mut steps {
                let text = Value::from(std::mem::take(&mut steps.outputs)).to_string();
                steps.outputs = serde_json::from_str(&state.mask.mask_text(&text))
                    .map_err(|error| format!("can't read the steps' stored outputs: {error}"))?;
            }
            let (route, connection) = (route.clone(), connection.clone());
            let sent = SentParts { arguments, meta, connection, route, steps };
            let is_ticked =
                |offer: &Suggestion| ticks.iter().any(|tick| tick.on && tick.title == offer.what);
            let expect = offer::chosen_expectations(&offers, is_ticked);
            let text: Arc<str> = page::render_yaml(name, &tool, &sent, &expect, &answer).into();
            let create = Change::Create { file: file.clone(), text };
            let label = format!("keep the case {name}");
            // The case comes last: what was saved last is said.
            let mut messages = Vec::new();
            let mock = kept_mock.as_ref().and_then(|id| state.tool(id));
            if let Some((tool, service)) = mock.and_then(|tool| Some((tool, state.mock_of(tool)?)))
            {
                messages.extend(stubs::keep_mock(tool, service, state)?);
            }
            messages.extend([
                Message::Document(DocumentMessage::Change { label, changes: vec![create] }),
                Message::Document(DocumentMessage::Save(Some(file))),
            ]);
            Ok(Reply::Send(messages))
        },
    )))
}

/// Whether the system at that connection can be asked for its tools, so that no file has to define
/// them.
fn lists_tools(state: &State, connection: &str) -> bool {
    let known = state.network.connections.find_by_name(connection);
    known.is_some_and(|known| table::deployment_at(known).is_some())
}

/// The file of a case of that name.
fn case_file(name: &str) -> FileId {
    FileId::new(format!("{}/{}", page::FOLDER, file_name(name)))
}

/// A value in a line.
fn value_line(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A case of the workspace, or what is wrong with its file.
type FiledCase = (FileId, Result<AnyCase, String>);

/// A case of either kind.
enum AnyCase {
    Call(Box<Case>),
    Ask(Box<AskCase>),
}

impl AnyCase {
    fn name(&self) -> &str {
        match self {
            Self::Call(case) => &case.name,
            Self::Ask(case) => &case.name,
        }
    }

    fn summary(&self) -> String {
        match self {
            // Before a run nothing looks like a result of one.
            Self::Call(case) => format!("{}, expects: {}", case.tool, page::case_summary(case)),
            Self::Ask(case) => format!("ask: {}", case.question),
        }
    }
}

fn workspace_cases(state: &State) -> Vec<FiledCase> {
    let read = |(file, document): (&FileId, &Document)| {
        let call = cases::read_case(document).map(|case| case.map(Box::new).map(AnyCase::Call));
        let ask =
            || ask_cases::read_ask_case(document).map(|case| case.map(Box::new).map(AnyCase::Ask));
        Some((file.clone(), call.or_else(ask)?))
    };
    state.documents.iter().filter_map(read).collect()
}

/// What their calls go through, where a case does not say it.
fn connection_note(found: &[FiledCase], state: &State) -> String {
    let is_ask = |(_, case): &FiledCase| matches!(case, Ok(AnyCase::Ask(_)));
    let recorded = "ask cases with their recorded runs";
    if found.iter().all(is_ask) {
        return recorded.to_owned();
    }
    let asks = if found.iter().any(is_ask) { format!("; {recorded}") } else { String::new() };
    let connections = &state.network.connections;
    let own = if connections.chosen.is_none() && !connections.of_tools.is_empty() {
        " or the tool's own"
    } else {
        ""
    };
    let mocks = if state.invoke.mocks.is_empty() { "" } else { "; mocked tools by their mock" };
    format!("over {}{own}{mocks}{asks}", state.current_connection().name)
}

/// Asks which of the workspace's cases to call, and shows how they went last.
pub(crate) fn case_menu(state: &State) -> Reply {
    let found = workspace_cases(state);
    if found.is_empty() {
        return Reply::Refused("the workspace has no test cases: keep a call as one".into());
    }
    let good: Vec<FileId> =
        found.iter().filter(|(_, case)| case.is_ok()).map(|(file, _)| file.clone()).collect();
    let VerdictCounts { hold, differ } = state.invoke.cases.verdict_counts();
    let note = match (state.invoke.cases.under_way(), hold, differ) {
        (true, ..) => "under way …".to_owned(),
        (_, 0, 0) => String::new(),
        (_, hold, 0) => format!("{hold} of {hold} passed"),
        (_, hold, differ) => format!("{differ} of {} failed", hold + differ),
    };
    let all = Item {
        title: format!("Run all ({})", good.len()),
        detail: connection_note(&found, state),
        note,
        ..Item::default()
    };
    let last = Item {
        title: "Results".into(),
        detail: "each expectation of the last run".into(),
        refusal: (state.invoke.cases.verdicts.is_empty() && state.invoke.cases.asks.is_empty())
            .then(|| "not run yet".into()),
        ..Item::default()
    };
    let items =
        [all, last].into_iter().chain(found.iter().map(|found| case_item(found, state))).collect();
    let page: Vec<Line> = found.iter().flat_map(|found| verdict_lines(found, state)).collect();
    let then = move |row: usize| match row {
        0 => Reply::send(Message::Call(CallMessage::RunCases(good.clone()))),
        1 => Reply::Open(Box::new(PageOverlay::new("Cases", page.clone()))),
        row => match found.get(row - 2) {
            Some((file, Ok(_))) => {
                Reply::send(Message::Call(CallMessage::RunCases(vec![file.clone()])))
            }
            Some((file, Err(issue))) => Reply::Refused(format!("{file}: {issue}")),
            None => Reply::Handled,
        },
    };
    Reply::Open(Box::new(Menu::with_replies("Cases", items, then)))
}

fn case_item((file, case): &FiledCase, state: &State) -> Item {
    let cases = &state.invoke.cases;
    let mark = match cases.has_passed(file) {
        None => "  ",
        Some(true) => "✓ ",
        Some(false) => "✗ ",
    };
    let called = cases.verdicts.get(file).and_then(|verdict| verdict.differences().next());
    let asked =
        || cases.asks.get(file).and_then(|verdict| verdict.differences().into_iter().next());
    match case {
        Ok(case) => Item {
            title: format!("{mark}{}", name_of(file, case)),
            detail: case.summary(),
            note: truncate_text(&called.or_else(asked).unwrap_or_default(), 40).into_owned(),
            ..Item::default()
        },
        Err(issue) => {
            Item { title: format!("✗ {file}"), detail: issue.clone(), ..Item::default() }
        }
    }
}

fn name_of<'c>(file: &'c FileId, case: &'c AnyCase) -> &'c str {
    if case.name().is_empty() { file.as_str() } else { case.name() }
}

fn verdict_lines((file, case): &FiledCase, state: &State) -> Vec<Line> {
    let cases = &state.invoke.cases;
    let Some(has_passed) = cases.has_passed(file) else { return Vec::new() };
    let name = case.as_ref().map_or_else(|_| file.as_str(), |case| name_of(file, case));
    let (role, end) = if has_passed { (Role::Success, "passed") } else { (Role::Error, "failed") };
    let took = match (cases.verdicts.get(file), cases.asks.get(file)) {
        (Some(verdict), _) => format!("  {} ms", verdict.answer.took_ms),
        (None, Some(verdict)) => {
            let runs = verdict.runs.len();
            format!("  {} of {}", verdict.held(), count_text(runs, "recorded run", "recorded runs"))
        }
        (None, None) => String::new(),
    };
    let mut lines =
        vec![vec![(Role::Heading, format!("{name}  ")), (role, end.to_owned()), (Role::Dim, took)]];
    lines.extend(cases.verdicts.get(file).into_iter().flat_map(finding_lines));
    let differences = cases.asks.get(file).into_iter().flat_map(AskVerdict::differences);
    for words in differences.flat_map(|difference| wrap(&difference, 64)) {
        lines.push(vec![(Role::Warning, format!("  {words}"))]);
    }
    lines
}

fn finding_lines(verdict: &Verdict) -> Vec<Line> {
    let mut lines = Vec::new();
    for finding in &verdict.findings {
        let (mark, role) = if finding.difference.is_none() {
            ("✓", Role::Success)
        } else {
            ("✗", Role::Error)
        };
        let expected = truncate_text(&finding.expected, 60);
        lines.push(vec![
            (role, format!("  {mark} ")),
            (Role::Text, format!("{}: {expected}", finding.what)),
        ]);
        for words in finding.difference.iter().flat_map(|difference| wrap(difference, 64)) {
            lines.push(vec![(Role::Warning, format!("      {words}"))]);
        }
    }
    lines
}
