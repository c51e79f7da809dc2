//! The workflow as lines of text: the request, the states, the tools with the reasons why some are
//! hidden, the run.

use std::collections::HashSet;

use super::{
    facts::{Facts, GroupOrigin},
    run::call_kind,
};
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

/// What follows the line of a thing that is the present one.
const MARKS: [&str; 3] = [" (here)", CURRENT, ", new here"];
const CURRENT: &str = ", current";

/// The lines that weren't there before, each below its heading. A tool that was hidden before isn't
/// listed again, whatever the reason is now.
pub(super) fn changed_lines(before: &[String], now: &[String]) -> Vec<String> {
    let known: HashSet<(&str, &str)> =
        in_sections(before).map(|(heading, line)| (section_of(heading), line)).collect();
    let name_of = |line: &str| line.split(':').next().unwrap_or(line).to_owned();
    let was_hidden: HashSet<String> = known
        .iter()
        .filter(|(section, _)| *section == HIDDEN)
        .map(|(_, line)| name_of(line))
        .collect();
    let is_known = |section: &str, line: &str| {
        let with = |mark: &str| known.contains(&(section, format!("{line}{mark}").as_str()));
        // The present state is said by itself.
        let is_state = line.strip_suffix(CURRENT).is_some_and(|it| known.contains(&(section, it)));
        is_state
            || MARKS.iter().chain(&[""]).any(|mark| with(mark))
            || section == HIDDEN && line.starts_with(' ') && was_hidden.contains(&name_of(line))
    };
    // A list of which only a part is said has that in its heading.
    let partial: HashSet<&str> = in_sections(now)
        .filter(|(heading, line)| heading != line && !line.starts_with("    "))
        .filter(|(heading, line)| is_known(section_of(heading), line))
        .map(|(heading, _)| heading)
        .collect();
    let heading_of = |heading: &str| match (partial.contains(heading), heading.strip_suffix(':')) {
        (false, _) => heading.to_owned(),
        (true, Some(words)) => format!("{words}, changed:"),
        (true, None) => format!("{heading}; changed:"),
    };
    let mut changed: Vec<String> = Vec::new();
    let (mut under, mut is_new) = ("", false);
    for (heading, line) in in_sections(now) {
        // What is further in belongs to the line above it.
        if !line.starts_with("    ") {
            is_new = !is_known(section_of(heading), line);
        }
        if is_new {
            let needs_heading = heading != line && heading != under;
            changed.extend(needs_heading.then(|| heading_of(heading)));
            changed.push(line.to_owned());
            under = heading;
        }
    }
    changed
}

const HIDDEN: &str = "Hidden tools";

/// Each line with the heading that it is below; a heading is its own.
fn in_sections(lines: &[String]) -> impl Iterator<Item = (&str, &str)> {
    lines.iter().scan("", |heading, line| {
        if !line.starts_with(' ') {
            *heading = line;
        }
        Some((*heading, line.as_str()))
    })
}

/// A heading without its count.
fn section_of(heading: &str) -> &str {
    heading.split([':', ';']).next().unwrap_or(heading)
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
        let here = if facts.current == Some(row) { CURRENT } else { "" };
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
    let apply =
        if facts.hidden.is_empty() { "" } else { ". Type apply TOOL to make one available" };
    lines.push(format!("{HIDDEN}: {}{apply}", facts.hidden.len()));
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
    let refused = |at: Option<StepId>| {
        let there = simulation.refused_attempts().iter().filter(move |tried| tried.after == at);
        there.map(|tried| {
            let why = tried.cause.messages().join("; ");
            format!("  {} was refused in {}: {why}", tried.tool, tried.state)
        })
    };
    let mut lines = vec![format!("Run: starts in {}{}", simulation.start().state(), mark(None))];
    lines.extend(refused(None));
    for (number, id) in simulation.current_branch().into_iter().enumerate() {
        let Some(step) = simulation.step(id) else { continue };
        let real = step.call.map_or("simulated", |call| call_kind(call, state));
        lines.push(format!(
            "  {}. {} {}, {real}: {} to {}{}",
            number + 1,
            step.tool,
            step.outcome.as_str(),
            step.before,
            step.after,
            mark(Some(id))
        ));
        lines.extend(refused(Some(id)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn what_changed_is_below_its_heading_and_nothing_is_said_again() {
        let before = lines(
            "Groups; ticked ones are requested:\n  [x] a: 1 tool\n  [ ] b: 1 tool\nState: undefined\n\
             States:\n  undefined: 2 tools, current\n  next: 1 tool\nAvailable tools: 1\n  one\n\
             Hidden tools: 2\n  two: state: not in undefined\n    To make it available: step\n  \
             three: state: not in undefined\nRun: starts in undefined (here)",
        );
        let now = lines(
            "Groups; ticked ones are requested:\n  [x] a: 1 tool\n  [ ] b: 1 tool\nState: next\n\
             States:\n  undefined: 2 tools\n  next: 1 tool, current\nAvailable tools: 1\n  two, new \
             here\nHidden tools: 2\n  one: state: not in next\n    To make it available: back\n  \
             three: state: not in next\nRun: starts in undefined\n  1. one: to next (here)",
        );
        let changed = "State: next\nAvailable tools: 1\n  two, new here\nHidden tools: 2; changed:\n  \
             one: state: not in next\n    To make it available: back\nRun: starts in undefined\n  \
             1. one: to next (here)";
        assert_eq!(changed_lines(&before, &now), lines(changed));
        assert_eq!(changed_lines(&now, &now), Vec::<String>::new());
    }
}
