//! Steps that go by themselves: the shortest way to a tool or a state, a random walk, every way;
//! and where a run stops.

use super::facts::Facts;
use crate::{
    app::{message::Message, state::State, workflow::WorkflowMessage},
    engine::{
        gated::ToolRow,
        scenario::coverage::Coverage,
        simulate::{stop::Stop, walk},
    },
    model::{context::Name, entry::EntryId},
    ui::{
        overlays::{
            menu::{Item, Menu},
            page::{Line, PageOverlay},
            prompt::Prompt,
        },
        styles::Role,
        view::Reply,
    },
};

/// Ways that are listed; the others are counted.
const LISTED: usize = 200;
/// A walk is not made longer than this.
const LONGEST: usize = 1_000;

/// Asks how to go on without choosing each step.
pub(crate) fn walk_menu(facts: &Facts, state: &State) -> Reply {
    if facts.here.is_none() {
        return Reply::Refused("the run is in a state that no tool uses".into());
    }
    let (states, tools) = (to_states(facts, state), to_tools(facts, state));
    let title = |title: &str, detail: &str| Item {
        title: title.into(),
        detail: detail.into(),
        ..Item::default()
    };
    let to_stop = walk::to_stop(&state.gated_tools(), &state.context(), &state.workflow.stops);
    let mut stop = title("to a stop", "");
    match &to_stop {
        Some((way, met)) => {
            let keys: Vec<String> =
                way.iter().filter_map(|row| key_and_id(state, *row)).map(|(key, _)| key).collect();
            stop.detail = format!("{}: {}", met.description(), keys.join(", then "));
            stop.note = way.len().to_string();
        }
        None => {
            let why = if state.workflow.stops.is_empty() {
                format!("no stop condition is set: {} sets one", state.keymap.way_to("stop-when"))
            } else {
                "no path with these groups meets a stop".to_owned()
            };
            (stop.detail, stop.refusal) = (why.clone(), Some(why));
        }
    }
    let to_stop: Vec<EntryId> = to_stop
        .into_iter()
        .flat_map(|(way, _)| way)
        .filter_map(|row| key_and_id(state, row))
        .map(|(_, id)| id)
        .collect();
    let items = vec![
        title("to a tool…", "the shortest path until it is available"),
        title("to a state…", "the shortest path"),
        stop,
        title("a random walk…", "with a number of steps and a seed"),
        title("every way…", "up to a number of steps, with coverage"),
    ];
    let then = move |row: usize| match row {
        0 => ways_menu("To which tool?", &tools),
        1 => ways_menu("To which state?", &states),
        2 => Reply::send(Message::Workflow(WorkflowMessage::Walk { tools: to_stop.clone() })),
        3 => ask_random_walk(),
        _ => ask_every_way(),
    };
    Reply::Open(Box::new(Menu::with_replies("Auto-run", items, then)))
}

/// A goal: its name, and the tools that lead there; `None`: there is no way.
type GoalPath = (String, Option<Vec<(String, EntryId)>>);

fn ways_menu(title: &str, ways: &[GoalPath]) -> Reply {
    let item = |(name, way): &GoalPath| Item {
        title: name.clone(),
        detail: match way.as_deref() {
            None => "no path with these groups".into(),
            Some([]) => "here".into(),
            Some(steps) => {
                steps.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", then ")
            }
        },
        note: way.as_ref().map_or_else(String::new, |steps| steps.len().to_string()),
        refusal: match way.as_deref() {
            None => Some("no path leads there with the requested groups".into()),
            Some([]) => Some("the run is already there".into()),
            Some(_) => None,
        },
        ..Item::default()
    };
    let items = ways.iter().map(item).collect();
    let ways: Vec<Vec<EntryId>> = ways
        .iter()
        .map(|(_, way)| way.iter().flatten().map(|(_, tool)| tool.clone()).collect())
        .collect();
    Reply::Open(Box::new(Menu::with_replies(title, items, move |row| {
        Reply::send(Message::Workflow(WorkflowMessage::Walk { tools: ways[row].clone() }))
    })))
}

fn key_and_id(state: &State, row: ToolRow) -> Option<(String, EntryId)> {
    let tool = state.catalog.tools.get(row)?;
    Some((tool.entry.key.clone(), tool.id().clone()))
}

fn to_states(facts: &Facts, state: &State) -> Vec<GoalPath> {
    let Some(here) = &facts.here else { return Vec::new() };
    let way = |row: usize| {
        here.to_state(row)
            .map(|hops| hops.iter().filter_map(|hop| key_and_id(state, hop.tool)).collect())
    };
    facts
        .workflow
        .states()
        .iter()
        .enumerate()
        .map(|(row, name)| (name.to_string(), way(row)))
        .collect()
}

fn to_tools(facts: &Facts, state: &State) -> Vec<GoalPath> {
    let Some(here) = &facts.here else { return Vec::new() };
    let way = |row: ToolRow| {
        let hops = here
            .to_tool(&facts.workflow, row)
            .filter(|_| facts.workflow.members()[row].is_admitted())?;
        Some(hops.iter().filter_map(|hop| key_and_id(state, hop.tool)).collect())
    };
    (0..facts.tools().len()).map(|row| (facts.tools()[row].key.to_string(), way(row))).collect()
}

fn ask_random_walk() -> Reply {
    let words = "Number of steps, and a seed: the same seed takes the same path. The walk stops \
        where a stop is set.";
    Reply::Open(Box::new(
        Prompt::new("A random walk", words, "10 1", |text, state| {
            let mut numbers = text.split_whitespace();
            let mut number = |absent: Option<u64>| match numbers.next() {
                None => absent.ok_or("type a number of steps and a seed: 10 1"),
                Some(word) => {
                    word.parse::<u64>().map_err(|_| "type two whole numbers: steps and seed")
                }
            };
            let (steps, seed) = (number(None)?, number(Some(1))?);
            let steps = usize::try_from(steps).unwrap_or(usize::MAX).min(LONGEST);
            let tools = walk::random_walk(&state.gated_tools(), &state.context(), seed, steps);
            if tools.is_empty() {
                return Err("no tool is available here: request other groups".into());
            }
            let tools = tools
                .into_iter()
                .filter_map(|row| key_and_id(state, row))
                .map(|(_, id)| id)
                .collect();
            Ok(Reply::send(Message::Workflow(WorkflowMessage::Walk { tools })))
        })
        .with_act("walk")
        .preselected(),
    ))
}

fn ask_every_way() -> Reply {
    let words = "Up to how many steps? No step is taken: paths are listed with their coverage.";
    Reply::Open(Box::new(
        Prompt::new("Every way", words, "3", |text, state| {
            let steps = text.parse::<usize>().ok().filter(|steps| (1..=100).contains(steps));
            let steps = steps.ok_or("type a whole number from 1 to 100")?;
            Ok(Reply::Open(Box::new(every_page(state, steps))))
        })
        .with_act("walk")
        .preselected(),
    ))
}

fn every_page(state: &State, steps: usize) -> PageOverlay {
    let (tools, context) = (state.gated_tools(), state.context());
    let ways = walk::all_walks(&tools, &context, steps, LISTED);
    let workflow = crate::engine::workflow::graph::Workflow::new(&tools, &context);
    let mut coverage = Coverage::new(&tools);
    for (from, tool) in &ways.steps {
        let name = |row: usize| workflow.states()[row].clone();
        coverage.add_step(
            &tools[*tool].key,
            &name(*from),
            &name(workflow.target_state(*from, *tool)),
        );
    }
    let text = |role: Role, words: String| -> Line { vec![(role, words)] };
    let mut lines = vec![
        text(
            Role::Heading,
            format!("{} paths of up to {steps} steps from {}", ways.count, context.state()),
        ),
        text(Role::Text, coverage.summary()),
    ];
    lines.extend(
        coverage
            .missed_lines()
            .into_iter()
            .flat_map(|missed| crate::ui::canvas::wrap(&missed, 70))
            .map(|line| text(Role::Warning, line)),
    );
    lines.push(Line::new());
    for way in &ways.listed {
        let keys: Vec<&str> = way.iter().map(|row| &*tools[*row].key).collect();
        lines.push(text(Role::Text, keys.join(", ")));
    }
    let rest = ways.count.saturating_sub(ways.listed.len() as u64);
    if rest > 0 {
        lines.push(text(Role::Dim, format!("and {rest} more")));
    }
    PageOverlay::new("Every way", lines)
}

/// Asks where runs stop; `tool` and `selected` are at hand and stand first.
pub(crate) fn ask_stops(
    facts: &Facts,
    state: &State,
    tool: Option<ToolRow>,
    selected: Option<Name>,
) -> Reply {
    let mut stops: Vec<Stop> = state.workflow.stops.clone();
    let mut offer = |stop: Stop| {
        if !stops.contains(&stop) {
            stops.push(stop);
        }
    };
    tool.into_iter().for_each(|row| offer(Stop::Available(facts.tools()[row].key.clone())));
    selected.into_iter().for_each(|name| offer(Stop::State(name)));
    offer(Stop::NoTool);
    facts.workflow.states().iter().for_each(|name| offer(Stop::State(name.clone())));
    facts.tools().iter().for_each(|tool| offer(Stop::Available(tool.key.clone())));
    let item = |stop: &Stop| Item {
        title: stop.description(),
        detail: if state.workflow.stops.contains(stop) {
            "Enter removes it".into()
        } else {
            String::new()
        },
        note: if state.workflow.stops.contains(stop) { "on".into() } else { String::new() },
        ..Item::default()
    };
    let items = stops.iter().map(item).collect();
    Reply::Open(Box::new(Menu::with_replies("Stop when", items, move |row| {
        Reply::send(Message::Workflow(WorkflowMessage::ToggleStop(stops[row].clone())))
    })))
}
