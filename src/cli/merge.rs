//! `toolcrib merge`: what a tool gets of the arguments that a model gives, and where each value
//! comes from.

use clap::Args;
use serde_json::{Map, Value, json};

use super::{
    arguments,
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    wrap::wrap,
};
use crate::{
    model::{
        connection::Connection,
        merging::{Merging, Origin},
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    systems::table,
};

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// The tool, by key or name
    tool: String,

    /// The model's arguments: key=text, or key:=json for numbers, lists and other values
    #[arg(value_name = "KEY=VALUE")]
    pairs: Vec<String>,

    /// All arguments as an object: JSON, a file, or - for standard input
    #[arg(long, value_name = "FILE|-|JSON")]
    args: Option<String>,

    /// The value of a variable: agent_turn_id=turn_1; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    with: Vec<String>,
}

impl Merge {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let tool = opened.tool(&self.tool)?;
        let given = arguments::read_arguments(self.args.as_deref(), &self.pairs)?;
        let merging = merge_arguments(
            tool,
            given.value(),
            &self.with,
            &opened.settings.connections.for_tool(tool),
        )?;
        if global.json {
            out.json_line(&to_json(&merging))?;
        } else {
            print_merging(out, &merging)?;
        }
        Ok(Ending::Done)
    }
}

/// The way of a tool's arguments; where its system changes nothing, of just what is given.
///
/// # Errors
/// When a variable is not written NAME=VALUE.
fn merge_arguments(
    tool: &Tool,
    given: &Value,
    with: &[String],
    connection: &Connection,
) -> Result<Merging, Problem> {
    let pair = |word: &String| {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            Problem::new(
                ProblemKind::Input,
                "reading the variables",
                format!("\"{word}\" has no ="),
            )
            .with_remedy("write NAME=VALUE")
        })?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let variables: Vec<(String, String)> = with.iter().map(pair).collect::<Result<_, Problem>>()?;
    let given = given.as_object().cloned().unwrap_or_default();
    let told = table::by_id(tool.entry.system)
        .and_then(|system| system.merge()?.trace_arguments(tool, &given, connection, &variables));
    Ok(told.unwrap_or_else(|| Merging::untouched(&given)))
}

/// The stable shape for scripts.
fn to_json(merging: &Merging) -> Value {
    let row = |row: &crate::model::merging::Merged| {
        let (written, variable) = match &row.origin {
            Origin::Default(written) | Origin::Fixed(written) => (Some(written), None),
            Origin::Environment(variable) => (None, Some(variable)),
            Origin::Given | Origin::Absent => (None, None),
        };
        let mut value = json!({
            "name": row.name, "shown": row.shown, "origin": row.origin.as_str(), "unfilled": row.unfilled,
        });
        let parts =
            [("given", row.given.as_ref()), ("got", row.got.as_ref()), ("written", written)];
        for (key, part) in parts {
            if let Some(part) = part {
                value[key] = part.clone();
            }
        }
        if let Some(variable) = variable {
            value["variable"] = variable.as_str().into();
        }
        value
    };
    let variables: Map<String, Value> = merging
        .variables
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().into()))
        .collect();
    json!({"arguments": merging.rows.iter().map(row).collect::<Value>(), "variables": variables, "notes": merging.notes})
}

/// As a table for people.
fn print_merging(out: &mut CommandOutput, merging: &Merging) -> std::io::Result<()> {
    let rows = merging.rows.iter().map(|row| {
        let tint = match &row.origin {
            Origin::Absent => Tint::Dim,
            _ if !row.unfilled.is_empty() => Tint::Odd,
            _ => Tint::Good,
        };
        vec![
            Cell::plain(&*row.name),
            Cell::plain(row.received_text()),
            Cell::tinted(tint, row.origin.as_str()),
            Cell::tinted(Tint::Dim, row.remark()),
        ]
    });
    let rows: Vec<_> = rows.collect();
    match rows.is_empty() {
        true => out.print_line("The tool gets no arguments: give some as NAME=VALUE.")?,
        false => columns::write_table(out, &["ARGUMENT", "THE TOOL GETS", "FROM", "NOTES"], rows)?,
    }
    for (name, value) in &merging.variables {
        let line = match value {
            Some(value) => format!("{{{name}}} is {value}"),
            None => format!("{{{name}}} has no value here: set it with --with {name}=…"),
        };
        out.print_line(out.safe_text(&line).into_owned())?;
    }
    merging.notes.iter().flat_map(|note| wrap(note, "")).try_for_each(|line| out.print_line(line))
}
