//! `toolcrib schema`: the JSON Schema that a descriptor's form is made from.

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
};
use crate::{
    engine::workflow::similar,
    model::{
        entry::{Entry, EntryId, EntryPlace, FileId},
        problem::{Problem, ProblemKind},
    },
    schema::pointer::Pointer,
    systems::{by_id, every_system, system::NewEntry},
};

#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// A tool or service of the workspace, or a type of entry; without it, lists the types
    #[arg(value_name = "TOOL|TYPE")]
    of: Option<String>,
}

impl Schema {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let Some(word) = &self.of else { return list_types(global, out) };
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let known = opened
            .catalog
            .tool_called(word)
            .map(|tool| &tool.entry)
            .or_else(|| opened.catalog.entries().find(|entry| entry.key == *word));
        let entry = match known {
            Some(entry) => entry.clone(),
            None => new_entry(word).ok_or_else(|| unknown_entry_problem(word, &opened))?,
        };
        let system = by_id(entry.system).ok_or_else(|| unknown_entry_problem(word, &opened))?;
        out.print_json(&system.entry_schema(&entry, &opened.catalog))?;
        Ok(Ending::Done)
    }
}

/// Every type of entry with its system.
fn entry_types() -> impl Iterator<Item = (&'static str, NewEntry)> {
    every_system()
        .iter()
        .flat_map(|system| system.new_entry_kinds().into_iter().map(|kind| (system.id(), kind)))
}

fn list_types(global: &Global, out: &mut CommandOutput) -> CommandResult {
    if global.json {
        let of = |(system, new): (&str, NewEntry)| json!({"type": new.type_name, "kind": new.kind.as_str(), "system": system, "help": new.help});
        out.print_json(&entry_types().map(of).collect::<Value>())?;
        return Ok(Ending::Done);
    }
    let cells = |(system, new): (&str, NewEntry)| {
        vec![Cell::plain(new.type_name), Cell::plain(system), Cell::plain(new.help)]
    };
    columns::write_table(
        out,
        &["TYPE", "SYSTEM", "WHAT IT IS"],
        entry_types().map(cells).collect(),
    )?;
    Ok(Ending::Done)
}

/// A new entry of a type.
fn new_entry(word: &str) -> Option<Entry> {
    let (system, new) = entry_types().find(|(_, new)| new.type_name == word)?;
    let place = EntryPlace::plain(FileId::new("new"), 0, Pointer::root());
    Some(Entry {
        id: EntryId::new(place),
        system,
        kind: new.kind,
        key: String::new(),
        value: new.value.into(),
        line: 1,
        column: 1,
    })
}

fn unknown_entry_problem(word: &str, opened: &OpenWorkspace) -> Problem {
    let types: Vec<_> = entry_types().map(|(_, new)| new.type_name).collect();
    let names =
        opened.catalog.entries().map(|entry| entry.key.as_str()).chain(types.iter().copied());
    let remedy = match similar::nearest_name(word, names) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("types are {}", types.join(", ")),
    };
    let cause = format!(
        "\"{word}\" is neither a tool or service of {} nor a \
            type",
        opened.workspace.name()
    );
    Problem::new(ProblemKind::Missing, "looking for the schema", cause).with_remedy(remedy)
}
