//! `toolcrib states`: which states there are, what each offers, and how to get there.

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    ending::{Ended, Ending},
    global::Global,
    opened::Opened,
    out::{Out, Tint},
    tools::Tools,
};
use crate::engine::{
    gated::ToolRow,
    workflow::{
        analysis::Analysis,
        graph::{StateRow, Workflow},
    },
};

#[derive(Args, Debug)]
pub struct States {
    #[command(flatten)]
    tools: Tools,
}

impl States {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        if self.tools.asks_why() {
            return self.tools.run(global, out);
        }
        let opened = Opened::read_aloud(global, out)?;
        let asked = self.tools.request.ask(&opened, out);
        let workflow = Workflow::new(&opened.tools, &asked.context).including(&opened.settings.states);
        let view = View { opened: &opened, workflow: &workflow, analysis: &workflow.analysis() };
        let rows = 0..workflow.states().len();
        if global.json {
            out.json(&rows.map(|row| view.json(row)).collect())?;
            return Ok(Ending::Done);
        }
        out.say(format_args!("under the groups {}, from {}", asked.groups(), workflow.states()[workflow.start()]));
        let rows = rows.map(|row| view.cells(row)).collect();
        columns::write(out, &["STATE", "TOOLS", "HOW TO GET THERE", "WHAT IT OFFERS"], rows)?;
        Ok(Ending::Done)
    }
}

struct View<'v> {
    opened: &'v Opened,
    workflow: &'v Workflow,
    analysis: &'v Analysis,
}

impl View<'_> {
    fn keys(&self, rows: impl Iterator<Item = ToolRow>) -> Vec<String> {
        rows.map(|row| self.opened.tools[row].key.to_string()).collect()
    }

    /// The tools of the shortest way from the start; `None` when there is no way.
    fn way(&self, state: StateRow) -> Option<Vec<String>> {
        Some(self.keys(self.analysis.paths.to_state(state)?.into_iter().map(|hop| hop.tool)))
    }

    fn offers(&self, state: StateRow) -> Vec<String> {
        self.keys((0..self.opened.tools.len()).filter(|tool| self.workflow.offers(state, *tool)))
    }

    fn json(&self, state: StateRow) -> Value {
        json!({
            "name": &*self.workflow.states()[state],
            "current": state == self.workflow.start(),
            "reachable": self.analysis.reaches(state),
            "way": self.way(state),
            "returns": self.analysis.returns[state],
            "dead_end": self.analysis.dead_ends.contains(&state),
            "tools": self.offers(state),
        })
    }

    fn cells(&self, state: StateRow) -> Vec<Cell> {
        let name = &*self.workflow.states()[state];
        let start = state == self.workflow.start();
        let way = match self.way(state) {
            _ if start => Cell::tinted(Tint::Good, "here"),
            Some(keys) => Cell::plain(format!("take {}", keys.join(", "))),
            None => Cell::tinted(Tint::Dim, "no way"),
        };
        let offers = self.offers(state);
        let offered = match offers.is_empty() {
            true => Cell::tinted(Tint::Odd, "nothing: a dead end"),
            false => Cell::plain(offers.join(", ")),
        };
        vec![Cell::tinted(if start { Tint::Good } else { Tint::Bold }, name), Cell::plain(offers.len().to_string()), way, offered]
    }
}
