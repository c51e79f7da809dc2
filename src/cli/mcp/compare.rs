//! `toolcrib mcp compare`: one server in both eras of the protocol, side by side.

use std::time::Instant;

use clap::Args;
use serde_json::{Map, Value, json};

use super::target::{Looked, Target, listing};
use crate::{
    cli::{
        arguments,
        columns::{self, Cell},
        ending::{Ended, Ending, Halt},
        global::Global,
        out::{Out, Tint},
    },
    engine::{
        diff::LineKind,
        eras::{self, EraComparison, EraRow, EraSide, EraView, Presence},
    },
    systems::facets::kept_tools::{KeptTools, ListedTools},
};

#[derive(Args, Debug)]
pub(super) struct Compare {
    /// The connection, by its name in toolcrib.toml
    name: String,

    /// A tool to call in both eras
    #[arg(long)]
    tool: Option<String>,

    /// An argument of the call: key=text, or key:=json; repeat it for more
    #[arg(short, long = "argument", value_name = "KEY=VALUE", requires = "tool")]
    arguments: Vec<String>,
}

impl Compare {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let target = Target { name: Some(self.name.clone()), command: Vec::new() };
        let looked = Looked::of(&target, global, out)?;
        let arguments = arguments::read_arguments(None, &self.arguments)?.into_value();
        let mut sides = Vec::new();
        for (era, connection) in looked.inspector.era_variants(&looked.connection) {
            let looked = Looked { connection, ..Looked::of(&target, global, out)? };
            let mut view = EraView::default();
            let began = Instant::now();
            let ended = looked.with("comparing the eras of a server", async |bus| {
                view.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                view.greeting = bus.greeting();
                let listing = listing(&looked, bus).await?;
                view.version = listing.version;
                let lists = listing.lists.into_iter();
                view.lists = lists.map(|listed| (listed.kind, listed.items)).collect();
                if let Some(tool) = &self.tool {
                    let reply = looked.inspector.call_tool(bus, tool, &arguments).await;
                    let doing = || format!("calling {tool}");
                    let reply = reply.map_err(|problem| problem.while_doing(doing()));
                    view.answer = Some(match reply {
                        Ok(reply) => reply_text(reply),
                        Err(problem) => problem.cause,
                    });
                }
                Ok(Ending::Done)
            });
            let seen = match ended {
                Ok(Ending::Interrupted) => return Ok(Ending::Interrupted),
                Ok(_) => Ok(view),
                Err(Halt::Met(problem)) => Err(problem),
                Err(halt @ Halt::Unread) => return Err(halt),
            };
            sides.push(EraSide { era, seen });
        }
        let mut comparison = EraComparison { sides, rows: Vec::new() };
        if let Some(both) = comparison.both() {
            comparison.rows = compare_lists(looked.keeper, &self.name, both);
        }
        if global.json {
            out.print_json(&comparison_json(&comparison))?;
        } else {
            write_comparison(&comparison, out)?;
        }
        Ok(if comparison.is_same() { Ending::Done } else { Ending::Found })
    }
}

/// A reply without what only the modern era has in every result, so that it is no difference.
fn reply_text(mut reply: Value) -> String {
    if let Some(result) = reply.get_mut("result").and_then(Value::as_object_mut)
        && result.get("resultType").is_some_and(|kind| kind == "complete")
    {
        result.shift_remove("resultType");
    }
    serde_json::to_string_pretty(&reply).unwrap_or_default()
}

fn compare_lists(
    keeper: &dyn KeptTools,
    server: &str,
    [first, second]: [&EraView; 2],
) -> Vec<EraRow> {
    let items = |view: &EraView, kind: &str| {
        let list = view.lists.iter().find(|(known, _)| *known == kind);
        list.map(|(_, items)| items.clone()).unwrap_or_default()
    };
    let mut kinds: Vec<&'static str> = first.lists.iter().map(|(kind, _)| *kind).collect();
    for (kind, _) in &second.lists {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    let listed = |view: &EraView, tool: &Value| ListedTools {
        server: server.to_owned(),
        version: view.version.clone(),
        time: String::new(),
        tools: vec![tool.clone()],
    };
    let explain_tool = |old: &Value, new: &Value| {
        let drift = keeper.compare(&keeper.print(&listed(first, old)), &listed(second, new));
        let words = drift.unwrap_or_default().changes.into_iter().map(|change| {
            let at =
                if change.at.is_empty() { String::new() } else { format!(" at {}", change.at) };
            format!("{}{at}", change.id)
        });
        words.collect()
    };
    let rows = kinds.into_iter().flat_map(|kind| {
        let (old, new) = (items(first, kind), items(second, kind));
        match kind {
            "tools" => eras::compare_lists(kind, [&old, &new], explain_tool),
            _ => eras::compare_lists(kind, [&old, &new], eras::different_members),
        }
    });
    rows.collect()
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

fn write_comparison(comparison: &EraComparison, out: &mut Out) -> std::io::Result<()> {
    for side in &comparison.sides {
        match &side.seen {
            Ok(view) => {
                let words = format!("{}: {}", side.era, view.greeting);
                out.print_status(format_args!("{words}; connected in {} ms", view.took_ms));
            }
            Err(problem) => out.warn(format_args!("not in the {} era: {problem}", side.era)),
        }
    }
    let Some([first, second]) = comparison.both() else {
        out.print_status("The server is not spoken with in both eras, so nothing is compared");
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
