//! `toolcrib groups`: which groups there are, and what each holds.

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    tools::Asked,
};
use crate::{
    engine::{
        filter::{AskedGroups, Filter},
        groups::{Group, groups_of},
    },
    model::tool::Gate,
};

#[derive(Args, Debug)]
pub(crate) struct Groups {
    #[command(flatten)]
    asked: Asked,
}

impl Groups {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if let Some(word) = &self.asked.why {
            return self.asked.explain(word, global, out);
        }
        let opened = OpenWorkspace::read_ruled(global, None, out)?;
        let asked = self.asked.request.resolve_request(&opened, out);
        let filter = Filter::new(&asked.context);
        let groups = groups_of(&opened.tools);
        let is_asked = |group: &Group| match filter.groups() {
            AskedGroups::Every => true,
            AskedGroups::Only(names) => names.contains(&group.name),
        };
        let keys = |group: &Group| {
            group.tools.iter().map(|row| opened.tools[*row].key.to_string()).collect::<Vec<_>>()
        };
        let is_here =
            |gate: &Gate| gate.not_loaded().is_none() && gate.states.admits(filter.state());
        let here = |group: &Group| {
            group.tools.iter().filter(|row| is_here(&opened.tools[**row].gate)).count()
        };
        if global.json {
            let of = |group: &Group| json!({"name": &*group.name, "asked": is_asked(group), "available": here(group), "tools": keys(group)});
            out.print_json(&groups.iter().map(of).collect::<Value>())?;
            return Ok(Ending::Done);
        }
        out.print_status(format_args!("groups {}, state {}", asked.groups_text(), filter.state()));
        let cells = |group: &Group| {
            let name = if is_asked(group) {
                Cell::tinted(Tint::Good, &*group.name)
            } else {
                Cell::plain(&*group.name)
            };
            let mark = if is_asked(group) { "yes" } else { "no" };
            vec![
                name,
                Cell::plain(mark),
                Cell::plain(format!("{} of {}", here(group), group.tools.len())),
                Cell::plain(keys(group).join(", ")),
            ]
        };
        columns::write_table(
            out,
            &["GROUP", "ASKED", "IN STATE", "TOOLS"],
            groups.iter().map(cells).collect(),
        )?;
        Ok(Ending::Done)
    }
}
