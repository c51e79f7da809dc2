//! The workflow as lines of text: the request, the states, the tools with the reasons why some are
//! hidden, the run.

use super::facts::{Facts, GroupOrigin};
use crate::{
    app::state::State,
    engine::{
        filter::AskedGroups,
        gated::ToolRow,
        simulate::run::StepId,
        workflow::graph::{Edge, Link, StateRow},
    },
    schema::count::count_text,
};

/// All that the screen shows.
pub(super) fn workflow_lines(facts: &Facts, state: &State) -> Vec<String> {
    let mut lines = request_lines(facts, state);
    lines.extend(state_lines(facts));
    lines.extend(tool_lines(facts));
    lines.extend(run_lines(state));
    lines
}

fn request_lines(facts: &Facts, state: &State) -> Vec<String> {
    let mut lines = vec!["Groups; ticked ones are requested:".to_owned()];
    for group in &facts.groups {
        let mark = if group.ticked { "[x]" } else { "[ ]" };
        let note = match group.origin {
            GroupOrigin::Tools => "",
            GroupOrigin::Workspace => ", from the workspace",
            GroupOrigin::Unknown => ", no tool is in it",
        };
        let count = count_text(group.tools, "tool", "tools");
        lines.push(format!("  {mark} {}: {count}{note}", group.name));
    }
    if facts.asked == AskedGroups::Every {
        lines.push("  Every group is requested (*).".to_owned());
    }
    let user = state.context().user.map_or_else(|| "none".to_owned(), |user| user.to_string());
    lines.push(format!("User profile: {user}. The run starts in {}.", facts.subject().start));
    if let Some(question) = state.workflow.simulation.question() {
        lines.push(format!("Question: {question}"));
    }
    lines.extend(facts.refusals.iter().chain(&facts.denied).map(|why| format!("Error: {why}")));
    if facts.difference.is_some() {
        lines.push("This is a what-if: nothing of it is in the files yet.".to_owned());
    }
    lines
}

fn state_lines(facts: &Facts) -> Vec<String> {
    let mut lines = vec![format!("State: {}", facts.context.state()), "States:".to_owned()];
    for (row, name) in facts.workflow.states().iter().enumerate() {
        let here = if facts.current == Some(row) { ", current" } else { "" };
        let reach = if facts.is_reachable(row) { "" } else { ", unreachable" };
        let tools = count_text(facts.workflow.offer_count(row), "tool", "tools");
        lines.push(format!("  {name}: {tools}{here}{reach}"));
    }
    lines.extend(arrow_lines(facts));
    lines
}

/// Which tools lead from where to where.
fn arrow_lines(facts: &Facts) -> Vec<String> {
    let name = |row: StateRow| &facts.workflow.states()[row];
    let words = |edge: &Edge| match edge.link {
        Link::Between { from, to } if from == to => format!("{} stays", name(from)),
        Link::Between { from, to } => format!("{} to {}", name(from), name(to)),
        Link::FromAny { to } => format!("any state to {}", name(to)),
        Link::StayAny => "any state stays".to_owned(),
    };
    let line = |edge: &Edge| {
        let keys = edge.tools.iter().filter_map(|row| facts.tools().get(*row));
        let keys: Vec<&str> = keys.map(|tool| &*tool.key).collect();
        format!("  {}: {}", words(edge), keys.join(", "))
    };
    let edges = facts.workflow.all_edges();
    let heading = (!edges.is_empty()).then(|| "Arrows, with the tools that they are:".to_owned());
    heading.into_iter().chain(edges.iter().map(line)).collect()
}

fn tool_lines(facts: &Facts) -> Vec<String> {
    let tools = facts.tools();
    let next = |row: ToolRow| match &tools[row].gate.next {
        Some(next) => format!(", next state {next}"),
        None => String::new(),
    };
    let came = |row: &ToolRow| if facts.came.contains(row) { ", new here" } else { "" };
    let available = if facts.denied.is_some() { &[][..] } else { &facts.split.available };
    let mut lines = vec![format!("Available tools: {}", available.len())];
    let named = |row: &ToolRow| format!("  {}{}{}", tools[*row].key, next(*row), came(row));
    lines.extend(available.iter().map(named));
    lines.push(format!("Hidden tools: {}", facts.hidden.len()));
    for row in &facts.hidden {
        let (why, change) = hidden_words(facts, *row);
        lines.push(format!("  {}: {why}", tools[*row].key));
        lines.extend(change.map(|change| format!("    To make it available: {change}")));
    }
    lines
}

/// Why a tool is hidden, and what would make it available.
fn hidden_words(facts: &Facts, tool: ToolRow) -> (String, Option<String>) {
    let found = facts.explanation_of(tool);
    let reasons: Vec<String> = found.reasons.iter().map(ToString::to_string).collect();
    let change = found.changes.first().map(|change| change.description(facts.tools()));
    (reasons.join("; "), change)
}

/// Why nothing can be done with a hidden tool.
pub(super) fn hidden_refusal(facts: &Facts, tool: ToolRow) -> String {
    let (why, change) = hidden_words(facts, tool);
    let change = change.map(|change| format!(". To make it available: {change}"));
    format!("{} is hidden: {why}{}", facts.tools()[tool].key, change.unwrap_or_default())
}

fn run_lines(state: &State) -> Vec<String> {
    let simulation = &state.workflow.simulation;
    let here = simulation.current_step();
    let mark = |at: Option<StepId>| if at == here { " (here)" } else { "" };
    let mut lines = vec![format!("Run: starts in {}{}", simulation.start().state(), mark(None))];
    for (number, id) in simulation.current_branch().into_iter().enumerate() {
        let Some(step) = simulation.step(id) else { continue };
        let real = if step.call.is_some() { "live" } else { "simulated" };
        lines.push(format!(
            "  {}. {} {}, {real}: {} to {}{}",
            number + 1,
            step.tool,
            step.outcome.as_str(),
            step.before,
            step.after,
            mark(Some(id))
        ));
    }
    for refused in simulation.refused_attempts() {
        let why = refused.cause.messages().join("; ");
        lines.push(format!("  {} was refused in {}: {why}", refused.tool, refused.state));
    }
    lines
}
