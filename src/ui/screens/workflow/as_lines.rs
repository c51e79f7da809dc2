//! The workflow as lines of text: the request, the states, the tools with the reasons why some are
//! hidden, the run.

use std::collections::{HashMap, HashSet};

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
    lines.extend(arrow_lines(facts));
    lines.extend(available_lines(facts));
    lines.extend(hidden_lines(facts));
    lines.extend(run_lines(state));
    lines
}

/// So many names are said of a list that may be long.
const FEW: usize = 12;

/// What is said on arrival: where the run is, and which tools that makes available.
pub(super) fn summary_lines(facts: &Facts, state: &State) -> Vec<String> {
    let ticked = facts.groups.iter().filter(|group| group.ticked);
    let names: Vec<String> = ticked.map(|group| group.name.to_string()).collect();
    let all = facts.groups.len();
    let groups = match names.as_slice() {
        _ if facts.asked == AskedGroups::Every => format!("all {all}"),
        [] => format!("none of {all}"),
        names => format!("{} of {all}: {}", names.len(), few_names(names)),
    };
    let mut lines = vec![format!("Groups requested: {groups}")];
    lines.extend(problem_lines(facts));
    lines.push(state_line(facts));
    let available = available_lines(facts);
    let more = available.len().saturating_sub(FEW + 1);
    lines.extend(available.into_iter().take(FEW + 1));
    if more > 0 {
        lines.push(format!("  {more} more. Type: show available"));
    }
    lines.push(format!("{HIDDEN}: {}", facts.hidden.len()));
    let steps = state.workflow.simulation.current_branch().len();
    lines.push(format!("Run: {}", count_text(steps, "step", "steps")));
    let parts: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    lines.push(format!("Type show for all of it, or for a part: show {}", parts.join(", ")));
    lines
}

/// A part of what the screen shows, by its name.
pub(super) fn part_lines(part: &str, facts: &Facts, state: &State) -> Option<Vec<String>> {
    let (_, lines) = PARTS.iter().find(|(name, _)| *name == part)?;
    Some(lines(facts, state))
}

type PartLines = fn(&Facts, &State) -> Vec<String>;

const PARTS: &[(&str, PartLines)] = &[
    ("groups", request_lines),
    ("states", |facts, _| state_lines(facts)),
    ("arrows", |facts, _| arrow_lines(facts)),
    ("available", |facts, _| available_lines(facts)),
    ("hidden", |facts, _| hidden_lines(facts)),
    ("run", |_, state| run_lines(state)),
];

/// The first names of a list, and how many more there are.
fn few_names<N: AsRef<str>>(names: &[N]) -> String {
    let first: Vec<&str> = names.iter().take(FEW).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(FEW);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}

/// What follows the line of a thing that is the present one.
const MARKS: [&str; 3] = [" (here)", CURRENT, NEW];
const CURRENT: &str = ", current";
const NEW: &str = ", new here";

/// The lines that weren't there before, each below its heading. Which tools came and went is a
/// sentence; a tool that was hidden before is listed again where its reason or its fix is another.
pub(super) fn changed_lines(before: &[String], now: &[String]) -> Vec<String> {
    let known: HashSet<(&str, &str)> =
        in_sections(before).map(|(heading, line)| (section_of(heading), line)).collect();
    let (was_hidden, is_hidden) = (hidden_blocks(before), hidden_blocks(now));
    let (was_available, is_available) = (available_names(before), available_names(now));
    let has_moved = was_available != is_available;
    let is_known = |section: &str, line: &str| {
        // Its count is in the sentence about the available tools.
        if section == HIDDEN {
            let name = hidden_name(line);
            let was = was_hidden.get(name);
            return !line.starts_with(' ') || was.is_some() && was == is_hidden.get(name);
        }
        let with = |mark: &str| known.contains(&(section, format!("{line}{mark}").as_str()));
        let without = |mark: &str| {
            line.strip_suffix(mark).is_some_and(|line| known.contains(&(section, line)))
        };
        // What the sentence says already.
        let is_new_tool = section == AVAILABLE
            && line.starts_with(' ')
            && !was_available.contains(&available_name(line));
        // The present state is said by itself.
        is_new_tool
            || without(CURRENT)
            || section == AVAILABLE && without(NEW)
            || MARKS.iter().chain(&[""]).any(|mark| with(mark))
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
    let (mut under, mut is_new, mut hidden) = ("", false, 0);
    for (heading, line) in in_sections(now) {
        let section = section_of(heading);
        if section == AVAILABLE && heading == line {
            if has_moved {
                changed.push(format!("{line}. {}", moved_words(&was_available, &is_available)));
                under = heading;
            }
            is_new = false;
            continue;
        }
        // What is further in belongs to the line above it.
        if !line.starts_with("    ") {
            is_new = !is_known(section, line);
            hidden += usize::from(is_new && section == HIDDEN);
        }
        if is_new && (section != HIDDEN || hidden <= FEW) {
            let needs_heading = heading != line && heading != under;
            changed.extend(needs_heading.then(|| heading_of(heading)));
            changed.push(line.to_owned());
            under = heading;
        } else if is_new && hidden == FEW + 1 && !line.starts_with("    ") {
            changed.push("  and more. Type: show hidden".to_owned());
        }
    }
    changed
}

const AVAILABLE: &str = "Available tools";
const HIDDEN: &str = "Hidden tools";

/// Which tools came, which went, and which are available as before.
fn moved_words(before: &[&str], now: &[&str]) -> String {
    let (was, is): (HashSet<&str>, HashSet<&str>) =
        (before.iter().copied().collect(), now.iter().copied().collect());
    let (stayed, came): (Vec<&str>, Vec<&str>) =
        now.iter().copied().partition(|name| was.contains(name));
    let went: Vec<&str> = before.iter().copied().filter(|name| !is.contains(name)).collect();
    let all = [("New here", came), ("No longer available", went), ("Still available", stayed)];
    let said = all.iter().filter(|(_, names)| !names.is_empty());
    let said: Vec<String> =
        said.map(|(words, names)| format!("{words}: {}.", few_names(names))).collect();
    said.join(" ")
}

/// The names of the tools that are available by these lines.
fn available_names(lines: &[String]) -> Vec<&str> {
    let own = in_sections(lines)
        .filter(|(heading, line)| section_of(heading) == AVAILABLE && heading != line);
    own.map(|(_, line)| available_name(line)).collect()
}

fn available_name(line: &str) -> &str {
    let name = line.strip_suffix(NEW).unwrap_or(line).trim_start();
    name.split_once(NEXT).map_or(name, |(name, _)| name)
}

/// The hidden tools by name, each with its reasons and its fix, without the state that the run is in.
fn hidden_blocks(lines: &[String]) -> HashMap<&str, String> {
    let here = in_sections(lines).find_map(|(_, line)| line.strip_prefix("State: "));
    let not_here = here.map(|state| format!(", not in {state}")).unwrap_or_default();
    let mut blocks: HashMap<&str, String> = HashMap::new();
    let mut name = "";
    for (heading, line) in in_sections(lines) {
        if section_of(heading) != HIDDEN || heading == line {
            continue;
        }
        if !line.starts_with("    ") {
            name = hidden_name(line);
        }
        let words = if not_here.is_empty() { line.to_owned() } else { line.replace(&not_here, "") };
        blocks.entry(name).or_default().push_str(&words);
    }
    blocks
}

fn hidden_name(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(name, _)| name)
}

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
    let mut lines = vec!["Groups:".to_owned()];
    for group in &facts.groups {
        let requested = if group.ticked { "requested" } else { "not requested" };
        let note = match group.origin {
            GroupOrigin::Tools => "",
            GroupOrigin::Workspace => ", from the workspace",
            GroupOrigin::Unknown => ", no tool is in it",
        };
        let count = count_text(group.tools, "tool", "tools");
        lines.push(format!("  {}: {count}, {requested}{note}", group.name));
    }
    if facts.asked == AskedGroups::Every {
        lines.push("  Every group is requested (*).".to_owned());
    }
    let user = state.context().user.map_or_else(|| "none".to_owned(), |user| user.to_string());
    lines.push(format!("User profile: {user}. The run starts in {}.", facts.subject().start));
    if let Some(question) = state.workflow.simulation.question() {
        lines.push(format!("Question: {question}"));
    }
    lines.extend(problem_lines(facts));
    lines
}

/// Why nothing is available, and that nothing of it is in the files.
fn problem_lines(facts: &Facts) -> Vec<String> {
    let refused = facts.refusals.iter().chain(&facts.denied);
    let mut lines: Vec<String> = refused.map(|why| format!("Error: {why}")).collect();
    if facts.difference.is_some() {
        lines.push("This is a what-if: nothing of it is in the files yet.".to_owned());
    }
    lines
}

fn state_line(facts: &Facts) -> String {
    format!("State: {}", facts.context.state())
}

fn state_lines(facts: &Facts) -> Vec<String> {
    let mut lines = vec![state_line(facts), "States:".to_owned()];
    for (row, name) in facts.workflow.states().iter().enumerate() {
        let here = if facts.current == Some(row) { CURRENT } else { "" };
        let reach = if facts.is_reachable(row) { "" } else { ", unreachable" };
        let tools = count_text(facts.workflow.offer_count(row), "tool", "tools");
        lines.push(format!("  {name}: {tools}{here}{reach}"));
    }
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

/// Before the state that a tool leads to.
const NEXT: &str = ", next state ";

fn available_lines(facts: &Facts) -> Vec<String> {
    let tools = facts.tools();
    let next = |row: ToolRow| match &tools[row].gate.next {
        Some(next) => format!("{NEXT}{next}"),
        None => String::new(),
    };
    let came = |row: &ToolRow| if facts.came.contains(row) { NEW } else { "" };
    let available = if facts.denied.is_some() { &[][..] } else { &facts.split.available };
    let named = |row: &ToolRow| format!("  {}{}{}", tools[*row].key, next(*row), came(row));
    let heading = format!("{AVAILABLE}: {}", available.len());
    std::iter::once(heading).chain(available.iter().map(named)).collect()
}

fn hidden_lines(facts: &Facts) -> Vec<String> {
    let apply =
        if facts.hidden.is_empty() { "" } else { ". Type apply TOOL to make one available" };
    let mut lines = vec![format!("{HIDDEN}: {}{apply}", facts.hidden.len())];
    for row in &facts.hidden {
        let (why, change) = hidden_words(facts, *row);
        lines.push(format!("  {}: {why}", facts.tools()[*row].key));
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

    const BEFORE: &str = "Groups:\n  a: 1 tool, requested\n  b: 1 tool, not requested\nState: undefined\n\
         States:\n  undefined: 2 tools, current\n  next: 1 tool\nAvailable tools: 2\n  one, next state next\n  any\n\
         Hidden tools: 2\n  two: state: available in next, not in undefined\n    To make it available: step\n  \
         three: state: available in last, not in undefined\nRun: starts in undefined (here)";

    #[test]
    fn what_changed_is_below_its_heading_and_nothing_is_said_again() {
        let before = lines(BEFORE);
        let now = lines(
            "Groups:\n  a: 1 tool, requested\n  b: 1 tool, not requested\nState: next\n\
             States:\n  undefined: 2 tools\n  next: 1 tool, current\nAvailable tools: 2\n  two, new \
             here\n  any\nHidden tools: 2\n  one: state: available in undefined, not in next\n    To make it available: back\n  \
             three: state: available in last, not in next\nRun: starts in undefined\n  1. one: to next (here)",
        );
        let changed = "State: next\nAvailable tools: 2. New here: two. No longer available: one. Still available: any.\n\
             Hidden tools: 2; changed:\n  one: state: available in undefined, not in next\n    \
             To make it available: back\nRun: starts in undefined\n  1. one: to next (here)";
        assert_eq!(changed_lines(&before, &now), lines(changed));
        assert_eq!(changed_lines(&now, &now), Vec::<String>::new());
    }

    #[test]
    fn no_heading_is_said_without_a_line_and_another_reason_of_a_hidden_tool_is() {
        let before = lines(BEFORE);
        let shown = BEFORE
            .replace("tools: 2\n  one", "tools: 3\n  two, next state next, new here\n  one")
            .replace("Hidden tools: 2\n  two: state: available in next, not in undefined\n    To make it available: step\n", "Hidden tools: 1\n");
        let changed = "Available tools: 3. New here: two. Still available: one, any.";
        assert_eq!(changed_lines(&before, &lines(&shown)), lines(changed));
        let other = BEFORE.replace("available: step", "available: request b, then step");
        let changed = "Hidden tools: 2; changed:\n  two: state: available in next, not in undefined\n    \
             To make it available: request b, then step";
        assert_eq!(changed_lines(&before, &lines(&other)), lines(changed));
        let next = BEFORE.replace("one, next state next", "one, next state last");
        let changed = "Available tools: 2; changed:\n  one, next state last";
        assert_eq!(changed_lines(&before, &lines(&next)), lines(changed));
    }
}
