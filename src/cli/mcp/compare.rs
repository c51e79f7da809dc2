//! `toolcrib mcp compare`: one server in both eras of the protocol, side by side.

use clap::Args;
use serde_json::{Map, Value, json};

use super::target::{InspectedServer, Target};
use crate::{
    cli::{
        arguments,
        columns::{self, Cell},
        ending::{CommandResult, Ending},
        global::Global,
        out::{CommandOutput, Tint},
        signals::{interrupted, wait_for},
    },
    engine::{
        diff::LineKind,
        eras::{EraComparison, EraRow, EraSide, EraView, Presence},
    },
    runtime::eras,
};

#[derive(Args, Debug)]
pub(super) struct Compare {
    /// The connection, by its name in toolcrib.toml; without it, the workspace's default
    /// connection, or its only MCP server
    name: Option<String>,

    /// A tool to call in both eras
    #[arg(long)]
    tool: Option<String>,

    /// An argument of the call: key=text, or key:=json; can be repeated
    #[arg(short, long = "argument", value_name = "KEY=VALUE", requires = "tool")]
    arguments: Vec<String>,
}

impl Compare {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let target = Target { name: self.name.clone(), ..Target::default() };
        let looked = InspectedServer::of(&target, global, out)?;
        let arguments = arguments::read_arguments(None, &self.arguments)?.into_value();
        let call = self.tool.clone().map(|tool| (tool, arguments));
        let mut comparison = EraComparison::default();
        let compared = async {
            let comparing = eras::compare_eras(&looked.registry, &looked.connection, call.as_ref());
            let ended = tokio::select! {
                compared = comparing => {
                    comparison = compared;
                    Ending::Done
                }
                () = interrupted() => Ending::Interrupted,
            };
            looked.registry.close().await;
            Ok(ended)
        };
        if wait_for("comparing the eras of a server", compared)? == Ending::Interrupted {
            return Ok(Ending::Interrupted);
        }
        if global.json {
            out.print_json(&comparison_json(&comparison))?;
        } else {
            write_comparison(&comparison, out)?;
        }
        Ok(if comparison.is_same() { Ending::Done } else { Ending::Found })
    }
}

fn comparison_json(comparison: &EraComparison) -> Value {
    let side = |side: &EraSide| match &side.seen {
        Ok(view) => {
            let counts =
                view.lists.iter().map(|(kind, items)| ((*kind).to_owned(), items.len().into()));
            json!({
                "era": side.era,
                "server": view.greeting,
                "version": view.version,
                "connected_ms": view.took_ms,
                "lists": counts.collect::<Map<_, _>>(),
                "answer": view.answer,
            })
        }
        Err(problem) => json!({"era": side.era, "error": problem.cause}),
    };
    let differing = comparison.rows.iter().filter(|row| !row.is_same());
    let differences = differing.map(|row| {
        json!({"kind": row.kind, "name": row.name, "in": eras_of(row, comparison), "differs": row.differences})
    });
    json!({
        "eras": comparison.sides.iter().map(side).collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
        "same": comparison.is_same(),
    })
}

/// The eras in which a row is listed.
fn eras_of(row: &EraRow, comparison: &EraComparison) -> Vec<&'static str> {
    let names = comparison.sides.iter().map(|side| side.era);
    match row.presence {
        Presence::Both => names.collect(),
        Presence::First => names.take(1).collect(),
        Presence::Second => names.skip(1).collect(),
    }
}

fn write_comparison(comparison: &EraComparison, out: &mut CommandOutput) -> std::io::Result<()> {
    // Where the other era works, there is nothing to correct.
    let is_reached = comparison.sides.iter().any(|side| side.seen.is_ok());
    for side in &comparison.sides {
        match &side.seen {
            Err(problem) if is_reached => {
                out.warn(format_args!("not in the {} era: {}", side.era, problem.cause));
            }
            Ok(view) => {
                let words = format!("{}: {}", side.era, view.greeting);
                out.print_status(format_args!("{words}; connected in {} ms", view.took_ms));
            }
            Err(problem) => out.warn(format_args!("not in the {} era: {problem}", side.era)),
        }
    }
    let Some([first, second]) = comparison.both() else {
        out.print_status("The server wasn't reached in both eras, so nothing is compared");
        return Ok(());
    };
    let count = |view: &EraView, kind: &str| {
        let list = view.lists.iter().find(|(known, _)| *known == kind);
        list.map_or_else(|| "-".to_owned(), |(_, items)| items.len().to_string())
    };
    let mut rows = Vec::new();
    for kind in ["tools", "resources", "resourceTemplates", "prompts"] {
        let cells = [kind.to_owned(), count(first, kind), count(second, kind), String::new()];
        rows.push(cells.into_iter().map(Cell::plain).collect());
        let differing = comparison.rows.iter().filter(|row| row.kind == kind && !row.is_same());
        rows.extend(differing.map(difference_cells));
    }
    let names = comparison.sides.iter().map(|side| side.era.to_uppercase()).collect::<Vec<_>>();
    columns::write_table(out, &["LIST", &names[0], &names[1], "DIFFERENCE"], rows)?;
    let Some(lines) = comparison.answer_lines() else { return Ok(()) };
    let is_same = lines.iter().all(|(kind, _)| *kind == LineKind::Same);
    out.print_line(if is_same { "The answer is the same:" } else { "- legacy, + modern:" })?;
    for (kind, text) in lines {
        let (sign, tint) = match kind {
            LineKind::Same => (' ', None),
            LineKind::Removed => ('-', Some(Tint::Bad)),
            LineKind::Added => ('+', Some(Tint::Good)),
        };
        let line = format!("{sign} {}", out.safe_text(&text));
        out.print_line(tint.map_or_else(|| line.clone(), |tint| out.tint(tint, &line)))?;
    }
    Ok(())
}

fn difference_cells(row: &EraRow) -> Vec<Cell> {
    let (first, second) = match row.presence {
        Presence::Both => ("≠", "≠"),
        Presence::First => ("yes", "no"),
        Presence::Second => ("no", "yes"),
    };
    let cells =
        [format!("  {}", row.name), first.into(), second.into(), row.differences.join(", ")];
    cells.into_iter().map(|text| Cell::tinted(Tint::Odd, text)).collect()
}
