//! The request exactly as it will be sent, in lines.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    parts::ArgumentsView,
    request_line::{RequestLine, problem_lines},
    variables::value_words,
};
use crate::{
    app::{
        actions::ActionId,
        calls::CallPart,
        compose::{context::ComposeContext, services::missing_service},
        state::State,
    },
    engine::{
        mask::{MASKED, Mask},
        secret::{is_reference, is_secret_name},
        template,
    },
    model::{
        call::Request,
        merging::{Merging, Origin},
        size,
        tool::Tool,
    },
    systems::{
        calling,
        facets::{caller::CallingAgent, calls::RouteOffer},
        table,
    },
    ui::{
        canvas::{visible_text, wrap, wrap_to},
        styles::Role,
    },
};

/// In the place of a secret.
const DOTS: &str = "••••";

/// How many letters of a body are laid out.
const LONGEST_BODY: usize = 20_000;

/// Lines of what a tool does; its description has all.
const ABOUT_LINES: usize = 2;

/// The request, or why there is none, below what the tool does, and what it gets where that is not
/// just what is given.
pub(super) fn request_lines(
    state: &State,
    tool: &Tool,
    cells: usize,
    view: ArgumentsView,
) -> Vec<RequestLine> {
    let cells = cells.saturating_sub(10).max(10);
    let about = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = wrap_to(&visible_text(&about), cells, ABOUT_LINES).into_iter().enumerate();
    let mut lines: Vec<_> = about
        .filter(|(_, text)| !text.is_empty())
        .map(|(row, text)| RequestLine::new(if row == 0 { "about" } else { "" }, text, Role::Dim))
        .collect();
    lines.extend(effect_lines(tool, cells));
    lines.extend(merging_lines(state, tool, cells, view));
    lines.extend(variable_lines(state, tool, cells));
    lines.extend(sent_lines(state, tool, cells, view));
    lines
}

/// What the tool says that its calls do to the world.
fn effect_lines(tool: &Tool, cells: usize) -> Vec<RequestLine> {
    let effects = table::tool_effects(tool);
    let role = if effects.is_destructive() { Role::Warning } else { Role::Dim };
    let words = effects.words().join(" · ");
    let rows = wrap(&words, cells).into_iter().filter(|text| !text.is_empty()).enumerate();
    rows.map(|(row, text)| RequestLine::new(if row == 0 { "effects" } else { "" }, text, role))
        .collect()
}

/// What the tool gets of the arguments as they stand, and where each comes from.
fn merging_lines(
    state: &State,
    tool: &Tool,
    cells: usize,
    view: ArgumentsView,
) -> Vec<RequestLine> {
    let Some(merging) = state.merged_arguments(tool).filter(Merging::is_at_work) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for row in &merging.rows {
        let remark = row.remark();
        let beside = if remark.is_empty() { remark } else { format!("; {remark}") };
        let received = row.received_text();
        let is_hidden =
            !view.shows_secrets && is_secret_name(&row.name) && !is_reference(&received);
        let received = if is_hidden { DOTS } else { &*received };
        let text = format!("{} {received} ({}{beside})", row.name, row.origin.as_str());
        let role = match &row.origin {
            _ if !row.unfilled.is_empty() => Role::Warning,
            Origin::Absent => Role::Dim,
            _ => Role::Text,
        };
        let parts = wrap(&visible_text(&text), cells).into_iter();
        lines.extend(parts.map(|text| RequestLine::new("", text, role)));
    }
    if let Some(first) = lines.first_mut() {
        first.name = "tool gets";
    }
    let samples = merging.variables.iter().filter(|(name, _)| state.sample_of(name).is_some());
    let named: Vec<String> = samples.map(|(name, _)| format!("{{{name}}}")).collect();
    if !named.is_empty() {
        let text = format!("with a sample for {}", named.join(", "));
        let parts = wrap(&visible_text(&text), cells).into_iter();
        lines.extend(parts.map(|text| RequestLine::new("", text, Role::Info)));
    }
    lines
}

/// What the variables that the call names are over its connection.
fn variable_lines(state: &State, tool: &Tool, cells: usize) -> Vec<RequestLine> {
    let typed = |part| state.typed_text(tool.id(), part)?.source().to_json(0);
    let texts = [typed(CallPart::Arguments), typed(CallPart::Meta)].into_iter().flatten();
    let texts: Vec<String> = texts.collect();
    let names: BTreeSet<&str> =
        texts.iter().flat_map(|text| template::variable_names(text)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let connection = state.call_connection(tool.id());
    let shared = &state.network.connections.variables;
    let mut lines = Vec::new();
    for name in names {
        let (text, role) = match value_words(name, &connection, shared) {
            Some(words) => (format!("{name} = {words}"), Role::Text),
            None => {
                let of = &connection.name;
                (format!("{name} isn't defined for connection {of}"), Role::Warning)
            }
        };
        let parts = wrap(&visible_text(&text), cells).into_iter();
        lines.extend(parts.map(|text| RequestLine::new("", text, role)));
    }
    if let Some(first) = lines.first_mut() {
        first.name = "variables";
    }
    lines
}

fn sent_lines(state: &State, tool: &Tool, cells: usize, view: ArgumentsView) -> Vec<RequestLine> {
    let request = match state.build_request(tool.id()) {
        Ok(request) => sent_request(state, &request).unwrap_or(request),
        Err(problem) => {
            let mut lines = problem_lines(&problem, cells);
            for (words, act) in ways_on(state, tool) {
                let parts = wrap(&words, cells).into_iter();
                lines.extend(parts.map(|text| RequestLine {
                    act: Some(act),
                    ..RequestLine::new("", text, Role::Accent)
                }));
            }
            return lines;
        }
    };
    let connection = state.call_connection(tool.id());
    let subject =
        |address: &str| calling::queue_subject(request.system, address, connection.transport());
    let via = connection.transport().as_str();
    let to = match subject(&request.to) {
        Ok(subject) => (format!("{subject} ({via})"), Role::Text),
        Err(problem) => (format!("{}: {}", problem.cause, problem.remedy), Role::Error),
    };
    // Where a system says itself where answers come, nothing comes elsewhere.
    let inbox = "the call's own inbox";
    let routes = calling::call_routes(tool, &connection);
    let routed = !routes.is_empty();
    let has_inbox = connection.transport().spec().has_inbox && !routed;
    let reply = match request.reply.as_deref().map(subject) {
        Some(Ok(subject)) if has_inbox => (format!("{subject}, {inbox}"), Role::Text),
        Some(Ok(subject)) => (subject, Role::Text),
        Some(Err(problem)) => (problem.cause, Role::Error),
        None if routed => ("the API's answer".to_owned(), Role::Text),
        None if has_inbox => (inbox.to_owned(), Role::Text),
        None if !connection.transport().is_bus() => ("the server's answer".to_owned(), Role::Text),
        None => ("none: the service names no response queue".to_owned(), Role::Warning),
    };
    let mask = (!view.shows_secrets).then(|| state.mask.of_call(&request.arguments));
    let hide = |text: &str| hide_secrets(mask.as_ref(), text);
    let (to, reply) = ((hide(&to.0), to.1), (hide(&reply.0), reply.1));
    let own = connection.headers.iter().map(|(name, value)| (name.clone(), value.to_string()));
    let headers: Vec<String> = request
        .headers
        .iter()
        .cloned()
        .chain(own)
        .map(|(name, value)| hide(&format!("{name}: {value}")))
        .collect();
    // Ids look alike from their start on, so these may be cut where they do not fit; all else is
    // shown whole.
    let cut = |name, text: &str, role| vec![RequestLine::new(name, text, role)];
    let whole = |name, (text, role): (String, Role)| -> Vec<RequestLine> {
        let rows = wrap(&visible_text(&text), cells).into_iter().enumerate();
        rows.map(|(row, text)| RequestLine::new(if row == 0 { name } else { "" }, text, role))
            .collect()
    };
    let agent = calling::calling_agent(&connection).map(|agent| match agent {
        CallingAgent::Named(agent) => agent,
        CallingAgent::New => "a new one, made by toolcrib".to_owned(),
    });
    [
        route_lines(state, tool, &routes),
        agent.map(|agent| whole("agent", (agent, Role::Text))).unwrap_or_default(),
        whole("to", (hide(&request.to), Role::Text)),
        whole("subject", to),
        cut("id", &request.correlation, Role::Text),
        whole("reply", reply),
        match headers.is_empty() {
            true => Vec::new(),
            false => cut("headers", &headers.join(", "), Role::Dim),
        },
        whole("body", (start_of(&hide(&request.body)), Role::Text)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The route of the tool's calls, where there are several; a press chooses another.
fn route_lines(state: &State, tool: &Tool, routes: &[RouteOffer]) -> Vec<RequestLine> {
    let Some(route) = taken_route(state, tool, routes) else { return Vec::new() };
    let text = format!("{route}, of {}", routes.len());
    vec![RequestLine { act: Some("route"), ..RequestLine::new("route", text, Role::Text) }]
}

/// The word of the route that the tool's calls take, where there are several.
pub(super) fn taken_route<'r>(
    state: &'r State,
    tool: &Tool,
    routes: &'r [RouteOffer],
) -> Option<&'r str> {
    let first = routes.iter().find(|offer| offer.closed.is_none()).map(|offer| offer.id);
    let chosen = state.network.route_of(tool.id());
    let chosen = chosen.filter(|route| routes.iter().any(|offer| offer.id == *route));
    chosen.or(first).filter(|_| routes.len() > 1)
}

/// What can be done where there is nothing to send to, in words, and what does it.
fn ways_on(state: &State, tool: &Tool) -> Vec<(String, ActionId)> {
    let way = |act: ActionId| format!("▸ {}", state.keymap.way_to(act));
    let mock = format!("{} mocks the service: it answers here", way("mock-tool"));
    let mut ways = vec![(mock, "mock-tool")];
    if let Some((_, key)) = missing_service(ComposeContext::from_state(state), tool) {
        let make = format!("{} makes the service \"{key}\"", way("make-service"));
        ways.push((make, "make-service"));
    }
    ways
}

/// The request of the call that is shown, where that is the one which would be sent now: its id is
/// that of the answer beside it. Once something is edited, the next call's is shown.
fn sent_request(state: &State, next: &Request) -> Option<Request> {
    let sent = &state.invoke.calls.selected_call()?.request;
    let is_same = sent.tool == next.tool
        && sent.to == next.to
        && calling::repeat_request(next.clone(), &sent.correlation).body == sent.body;
    is_same.then(|| sent.clone())
}

/// A part of a request as it is shown: secrets in it are dots; without a mask they are seen.
fn hide_secrets(mask: Option<&Mask>, text: &str) -> String {
    match mask.map(|mask| mask.mask_text(text)) {
        Some(Cow::Owned(masked)) => masked.replace(MASKED, DOTS),
        _ => text.to_owned(),
    }
}

/// All of a body that a screen could show; the rest is counted, and copied with the whole.
fn start_of(body: &str) -> String {
    let start: String = body.chars().take(LONGEST_BODY).collect();
    if start.len() < body.len() {
        format!("{start}… ({} in all)", size::format_size(body.len() as u64))
    } else {
        start
    }
}
