//! `toolcrib states`: which states there are, what each offers, and how to get there.

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    tools::{Asked, sets_json, sets_words},
    wrap::wrap,
};
use crate::{
    engine::{
        explain::{
            request::RequestView,
            state::{Passage, StateView},
        },
        filter::join_names,
        gated::ToolRow,
        workflow::{
            analysis::Analysis,
            graph::{StateRow, Workflow},
            similar,
        },
    },
    model::{
        context::{Context, Name},
        problem::{Problem, ProblemKind},
    },
};

#[derive(Args, Debug)]
pub(crate) struct States {
    #[command(flatten)]
    asked: Asked,

    /// Explain this state: how runs enter and exit it, by which tools and with which groups
    #[arg(long, value_name = "STATE", conflicts_with = "why")]
    about: Option<String>,

    /// List the tools and states that the requested groups can never reach, and where a run gets
    /// stuck
    #[arg(long, conflicts_with_all = ["why", "about"])]
    never: bool,
}

impl States {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if let Some(word) = &self.asked.why {
            return self.asked.explain(word, global, out);
        }
        let opened = OpenWorkspace::read_ruled(global, None, out)?;
        let asked = self.asked.request.resolve_request(&opened, out);
        if let Some(state) = &self.about {
            let known = &opened.settings.states;
            let context = &asked.context;
            let view = StateView::for_state(&opened.tools, context, known, state);
            let view = view.ok_or_else(|| unknown_state(&opened, context, state))?;
            return print_state(global, out, &opened, (&view, context.state()));
        }
        let workflow =
            Workflow::new(&opened.tools, &asked.context).with_states(&opened.settings.states);
        let view = View { opened: &opened, workflow: &workflow, analysis: &workflow.analysis() };
        if self.never {
            return print_unreachable(
                global,
                out,
                &opened,
                &RequestView::from_analysis(&workflow, view.analysis),
            );
        }
        let rows = 0..workflow.states().len();
        if global.json {
            out.print_json(&rows.map(|row| view.state_json(row)).collect())?;
            return Ok(Ending::Done);
        }
        out.print_status(format_args!(
            "with groups {}, from {}",
            asked.groups_text(),
            workflow.states()[workflow.start()]
        ));
        let rows = rows.map(|row| view.state_cells(row)).collect();
        columns::write_table(out, &["STATE", "TOOLS", "HOW TO GET THERE", "WHAT IT OFFERS"], rows)?;
        Ok(Ending::Done)
    }
}

struct View<'v> {
    opened: &'v OpenWorkspace,
    workflow: &'v Workflow,
    analysis: &'v Analysis,
}

impl View<'_> {
    fn tool_keys(&self, rows: impl Iterator<Item = ToolRow>) -> Vec<String> {
        rows.map(|row| self.opened.tools[row].key.to_string()).collect()
    }

    /// The tools of the shortest way from the start; `None` when there is no way.
    fn path_to_state(&self, state: StateRow) -> Option<Vec<String>> {
        Some(self.tool_keys(self.analysis.paths.to_state(state)?.into_iter().map(|hop| hop.tool)))
    }

    fn offered_tools(&self, state: StateRow) -> Vec<String> {
        self.tool_keys(
            (0..self.opened.tools.len()).filter(|tool| self.workflow.offers_tool(state, *tool)),
        )
    }

    fn state_json(&self, state: StateRow) -> Value {
        json!({
            "name": &*self.workflow.states()[state],
            "current": state == self.workflow.start(),
            "reachable": self.analysis.reaches(state),
            "way": self.path_to_state(state),
            "returns": self.analysis.returns[state],
            "dead_end": self.analysis.dead_ends.contains(&state),
            "tools": self.offered_tools(state),
        })
    }

    fn state_cells(&self, state: StateRow) -> Vec<Cell> {
        let name = &*self.workflow.states()[state];
        let start = state == self.workflow.start();
        let way = match self.path_to_state(state) {
            _ if start => Cell::tinted(Tint::Good, "here"),
            Some(keys) => Cell::plain(format!("call {}", keys.join(", "))),
            None => Cell::tinted(Tint::Dim, "no way"),
        };
        let offers = self.offered_tools(state);
        let offered = match offers.is_empty() {
            true => Cell::tinted(Tint::Odd, "nothing: a dead end"),
            false => Cell::plain(offers.join(", ")),
        };
        vec![
            Cell::tinted(if start { Tint::Good } else { Tint::Bold }, name),
            Cell::plain(offers.len().to_string()),
            way,
            offered,
        ]
    }
}

fn unknown_state(opened: &OpenWorkspace, context: &Context, state: &str) -> Problem {
    let workflow = Workflow::new(&opened.tools, context).with_states(&opened.settings.states);
    let cause = format!("no tool of {} uses the state \"{state}\"", opened.workspace.name());
    let remedy = match similar::nearest_name(state, workflow.states().iter().map(|name| &**name)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => "`toolcrib states` lists them".to_owned(),
    };
    Problem::new(ProblemKind::Missing, "looking for the state", cause).with_remedy(remedy)
}

const STAYING: &str = "STAYING";

/// How one comes into a state, from another, and out of it.
fn print_state(
    global: &Global,
    out: &mut CommandOutput,
    opened: &OpenWorkspace,
    (view, start): (&StateView, &str),
) -> CommandResult {
    let key = |row: &ToolRow| opened.tools[*row].key.to_string();
    let way: Option<Vec<String>> = view.way.as_ref().map(|rows| rows.iter().map(key).collect());
    if global.json {
        let passage = |passage: &Passage| {
            json!({
                "tool": key(&passage.tool),
                "from": passage.from.as_ref().map(|names| names_json(names)),
                "to": &*passage.to,
                "groups": names_json(&passage.groups),
                "admitted": passage.admitted,
            })
        };
        let of = |list: &[Passage]| list.iter().map(passage).collect::<Value>();
        let (into, leaving, staying) = (of(&view.into), of(&view.out), of(&view.stay));
        out.print_json(&json!({"name": &*view.name, "way": way, "sufficient_groups": sets_json(&view.groups), "into": into, "out": leaving, "stay": staying}))?;
        return Ok(Ending::Done);
    }
    let way = match way {
        None => "none with these groups".to_owned(),
        Some(keys) if keys.is_empty() => "you are there".to_owned(),
        Some(keys) => format!("call {}", keys.join(", then ")),
    };
    out.print_line(out.tint(Tint::Bold, &out.safe_text(&view.name)))?;
    let groups = sets_words(&view.groups, start);
    for (label, text) in [("the path there", way), ("groups needed", groups)] {
        wrap(&out.safe_text(&format!("{label}: {text}")), "  ")
            .iter()
            .try_for_each(|line| out.print_line(line))?;
    }
    for (title, passages) in
        [("INTO IT", &view.into), ("OUT OF IT", &view.out), (STAYING, &view.stay)]
    {
        if passages.is_empty() {
            continue;
        }
        out.print_line("")?;
        let cells = |passage: &Passage| {
            let from = passage
                .from
                .as_ref()
                .map_or_else(|| "any state".to_owned(), |names| join_names(names));
            let tint = if passage.admitted { Tint::Good } else { Tint::Dim };
            let groups = if passage.groups.is_empty() {
                "none, only *".to_owned()
            } else {
                join_names(&passage.groups)
            };
            vec![
                Cell::tinted(tint, key(&passage.tool)),
                Cell::plain(from),
                Cell::plain(if title == STAYING { "stays" } else { &*passage.to }),
                Cell::plain(groups),
            ]
        };
        columns::write_table(
            out,
            &[title, "FROM", "TO", "GROUPS"],
            passages.iter().map(cells).collect(),
        )?;
    }
    Ok(Ending::Done)
}

/// What the groups asked for never get to.
fn print_unreachable(
    global: &Global,
    out: &mut CommandOutput,
    opened: &OpenWorkspace,
    view: &RequestView,
) -> CommandResult {
    let key = |row: &ToolRow| opened.tools[*row].key.to_string();
    let traps: Value = view.traps.iter().map(|trap| names_json(trap)).collect();
    if global.json {
        let tools: Value =
            view.never_run.iter().map(|(row, why)| json!({"tool": key(row), "why": why})).collect();
        out.print_json(&json!({
            "tools": tools,
            "states": names_json(&view.never_reached),
            "dead_ends": names_json(&view.dead_ends),
            "traps": traps,
            "no_way_back": names_json(&view.no_way_back),
        }))?;
        return Ok(Ending::Done);
    }
    let cells =
        |(row, why): &(ToolRow, String)| vec![Cell::plain(key(row)), Cell::plain(why.clone())];
    columns::write_table(out, &["NEVER RUNS", "WHY"], view.never_run.iter().map(cells).collect())?;
    let traps: Vec<String> = view.traps.iter().map(|trap| join_names(trap)).collect();
    for (title, words) in [
        ("states never reached", join_names(&view.never_reached)),
        ("dead ends", join_names(&view.dead_ends)),
        ("traps", traps.join("; ")),
        ("no way back to the start from", join_names(&view.no_way_back)),
    ] {
        let words = if words.is_empty() { "none".to_owned() } else { words };
        wrap(&out.safe_text(&format!("{title}: {words}")), "")
            .iter()
            .try_for_each(|line| out.print_line(line))?;
    }
    Ok(Ending::Done)
}

fn names_json(names: &[Name]) -> Value {
    names.iter().map(|name| Value::from(&**name)).collect()
}
