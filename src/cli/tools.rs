//! `toolcrib tools`: which tools a request gets, and why it does not get the others.

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    deployed,
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    request::{RequestArgs, RequestSettings},
    wrap::wrap,
};
use crate::{
    engine::{
        explain::tool::{Explainer, Explanation, sufficient_groups},
        filter::join_names,
        gated::ToolRow,
        workflow::reach::{GroupSets, ReachProof, no_way_words},
    },
    model::{
        context::{ANY, Name},
        tool::{Audience, Gate, States},
    },
    systems::model_text,
};

/// What a request gets, or why it doesn't get one tool.
#[derive(Args, Debug)]
pub(crate) struct Asked {
    #[command(flatten)]
    pub request: RequestArgs,

    /// Explain why this tool is available or hidden
    #[arg(long, value_name = "TOOL")]
    pub why: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Tools {
    #[command(flatten)]
    asked: Asked,

    /// Print this tool as a model sees it: its prompts, and its function in the format of each API,
    /// with estimated tokens
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["why", "deployed"])]
    model: Option<String>,

    /// List the tools of the running system behind the connection, also those without a file
    /// (TrustGraph, CommonGround, OpenSearch, MCP, search-proxy)
    #[arg(long, conflicts_with = "why")]
    deployed: bool,
}

impl Tools {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if self.deployed {
            let opened = OpenWorkspace::read_connected(global, None, out)?;
            return deployed::list_callable(&opened, global.json, out);
        }
        if let Some(word) = &self.asked.why {
            return self.asked.explain(word, global, out);
        }
        let opened = OpenWorkspace::read_ruled(global, None, out)?;
        if let Some(word) = &self.model {
            return print_model_view(&opened, word, global.json, out);
        }
        self.asked.with_view(&opened, out, |view, out| {
            match global.json {
                true => out.print_json(
                    &view.tool_rows().into_iter().map(|row| view.tool_json(row)).collect(),
                )?,
                false => view.print_list(out)?,
            }
            Ok(Ending::Done)
        })
    }
}

impl Asked {
    /// Prints why a tool is available or hidden.
    pub fn explain(&self, word: &str, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_ruled(global, None, out)?;
        let wanted = opened.tool(word)?.id();
        let row = opened.catalog.tools.iter().position(|tool| tool.id() == wanted);
        let row = row.unwrap_or_default();
        self.with_view(&opened, out, |view, out| {
            match global.json {
                true => {
                    let mut value = view.tool_json(row);
                    value["sufficient_groups"] = sets_json(&view.group_sets(row));
                    out.print_json(&[value].into_iter().collect())?;
                }
                false => view.print_explanation(out, row)?,
            }
            Ok(Ending::Done)
        })
    }

    fn with_view(
        &self,
        opened: &OpenWorkspace,
        out: &mut CommandOutput,
        show: impl FnOnce(&View<'_>, &mut CommandOutput) -> CommandResult,
    ) -> CommandResult {
        let asked = self.request.resolve_request(opened, out);
        let explainer = Explainer::new(&opened.tools, &asked.context, &opened.settings.profiles);
        show(&View { opened, asked: &asked, explainer: &explainer }, out)
    }
}

/// What a model gets of one tool.
fn print_model_view(
    opened: &OpenWorkspace,
    word: &str,
    json: bool,
    out: &mut CommandOutput,
) -> CommandResult {
    let tool = opened.tool(word)?;
    if json {
        out.print_json(&model_text::model_json(tool, &opened.catalog))?;
        return Ok(Ending::Done);
    }
    let text = model_text::tool_text(tool, &opened.catalog);
    for line in text.trim_end().lines() {
        out.print_line(out.safe_text(line))?;
    }
    Ok(Ending::Done)
}

struct View<'v> {
    opened: &'v OpenWorkspace,
    asked: &'v RequestSettings,
    explainer: &'v Explainer,
}

impl View<'_> {
    /// The tools in the order in which their systems hold them.
    fn tool_rows(&self) -> Vec<ToolRow> {
        self.opened.catalog.in_order((0..self.opened.tools.len()).collect())
    }

    fn explain(&self, row: ToolRow) -> Explanation {
        self.explainer.explain(&self.opened.tools, row)
    }

    fn group_sets(&self, row: ToolRow) -> GroupSets {
        sufficient_groups(&self.opened.tools, self.asked.context.state(), row)
    }

    /// Why a tool is hidden, each with its kind and its way out.
    fn hidden_reasons(
        &self,
        explanation: &Explanation,
    ) -> Vec<(&'static str, String, Option<String>)> {
        let fix = explanation.changes.first().map(|change| change.description(&self.opened.tools));
        explanation
            .reasons
            .iter()
            .map(|reason| (reason.kind(), reason.to_string(), fix.clone()))
            .collect()
    }

    fn tool_json(&self, row: ToolRow) -> Value {
        let (tool, gate) = (&self.opened.catalog.tools[row], &self.opened.tools[row].gate);
        let explanation = self.explain(row);
        let names =
            |names: &[Name]| names.iter().map(|name| Value::from(&**name)).collect::<Value>();
        let reason = |(kind, text, fix)| json!({"kind": kind, "text": text, "fix": fix});
        json!({
            "name": tool.name,
            "key": tool.entry.key,
            "system": tool.entry.system,
            "type": tool.kind,
            "file": tool.entry.id.file().as_str(),
            "groups": names(&gate.groups()),
            "states": state_names(&gate.states).iter().map(|name| Value::from(&**name)).collect::<Value>(),
            "next_state": gate.next.as_deref(),
            "available": explanation.reasons.is_empty(),
            "reasons": self.hidden_reasons(&explanation).into_iter().map(reason).collect::<Value>(),
        })
    }

    fn print_list(&self, out: &mut CommandOutput) -> std::io::Result<()> {
        let explanations: Vec<Explanation> =
            self.tool_rows().into_iter().map(|row| self.explain(row)).collect();
        let (available, hidden): (Vec<_>, Vec<_>) =
            explanations.iter().partition(|explanation| explanation.reasons.is_empty());
        out.print_status(format_args!(
            "groups {}, state {}",
            self.asked.groups_text(),
            self.asked.context.state()
        ));
        if !available.is_empty() {
            let cells = |explanation: &&Explanation| {
                let tool = &self.opened.tools[explanation.tool];
                let next = tool
                    .gate
                    .next
                    .as_deref()
                    .map_or_else(|| Cell::tinted(Tint::Dim, "stays"), Cell::plain);
                vec![Cell::tinted(Tint::Good, &*tool.key), next, Cell::plain(groups_of(&tool.gate))]
            };
            columns::write_table(
                out,
                &["AVAILABLE", "LEADS TO", "GROUPS"],
                available.iter().map(cells).collect(),
            )?;
        }
        if !hidden.is_empty() {
            if !available.is_empty() {
                out.print_line("")?;
            }
            out.print_line(out.tint(Tint::Dim, "HIDDEN"))?;
        }
        for explanation in hidden {
            out.print_line(out.safe_text(&self.opened.tools[explanation.tool].key).into_owned())?;
            self.write_reasons(out, explanation)?;
        }
        Ok(())
    }

    fn write_reasons(
        &self,
        out: &mut CommandOutput,
        explanation: &Explanation,
    ) -> std::io::Result<()> {
        let reasons = self.hidden_reasons(explanation);
        for (_, text, _) in &reasons {
            wrap(text, "  ").iter().try_for_each(|line| out.print_line(line))?;
        }
        match reasons.into_iter().find_map(|(_, _, fix)| fix) {
            Some(fix) => {
                wrap(&format!("→ {fix}"), "  ").iter().try_for_each(|line| out.print_line(line))
            }
            None => Ok(()),
        }
    }

    fn print_explanation(&self, out: &mut CommandOutput, row: ToolRow) -> std::io::Result<()> {
        let (tool, slot) = (&self.opened.catalog.tools[row], &self.opened.tools[row]);
        let explanation = self.explain(row);
        let available = explanation.reasons.is_empty();
        let word = if available {
            out.tint(Tint::Good, "available")
        } else {
            out.tint(Tint::Odd, "hidden")
        };
        out.print_line(format!("{}: {word}", out.tint(Tint::Bold, &tool.entry.key)))?;
        let place =
            format!("{}:{}", self.opened.display_path(tool.entry.id.file()), tool.entry.line);
        let states = match &slot.gate.states {
            States::Every => "every state".to_owned(),
            States::Only(listed) if listed.is_empty() => "no state".to_owned(),
            States::Only(listed) => join_names(listed),
        };
        for (label, text) in [
            ("name", tool.name.clone()),
            ("file", place),
            ("groups", groups_of(&slot.gate)),
            ("available in", states),
            ("leads to", slot.gate.next.as_deref().unwrap_or("the state stays").to_owned()),
            ("asked for", self.asked.groups_text()),
            ("state", self.asked.context.state().to_owned()),
            ("groups needed", sets_words(&self.group_sets(row), self.asked.context.state())),
        ] {
            let lines = wrap(&out.safe_text(&text), &" ".repeat(16));
            let rest = lines.iter().enumerate().map(|(row, line)| match row {
                0 => format!("  {label:<13} {}", line.trim_start()),
                _ => line.clone(),
            });
            rest.collect::<Vec<_>>().iter().try_for_each(|line| out.print_line(line))?;
        }
        if available {
            return Ok(());
        }
        out.print_line("reasons")?;
        for (_, text, _) in self.hidden_reasons(&explanation) {
            wrap(&text, "  ").iter().try_for_each(|line| out.print_line(line))?;
        }
        if !explanation.changes.is_empty() {
            out.print_line("what would show it, the smallest change first")?;
        }
        for change in &explanation.changes {
            wrap(&change.description(&self.opened.tools), "  ")
                .iter()
                .try_for_each(|line| out.print_line(line))?;
        }
        Ok(())
    }
}

/// The groups that a tool is in, in words.
fn groups_of(gate: &Gate) -> String {
    match (&gate.offer, gate.groups()) {
        (Audience::ToAll, _) => "all".into(),
        (_, groups) if groups.is_empty() => "none".into(),
        (_, groups) => join_names(&groups),
    }
}

/// Sets of groups, each of which is enough from a state on, as words.
#[must_use]
pub(crate) fn sets_words(sets: &GroupSets, start: &str) -> String {
    if sets.sets.is_empty() {
        return no_way_words(start);
    }
    let of =
        |set: &Vec<Name>| if set.is_empty() { "none needed".to_owned() } else { set.join(" + ") };
    let more = if sets.proof == ReachProof::Found { "; there may be others" } else { "" };
    format!("{}{more}", sets.sets.iter().map(of).collect::<Vec<_>>().join("; or "))
}

/// The same for scripts: a list of lists.
#[must_use]
pub(crate) fn sets_json(sets: &GroupSets) -> Value {
    sets.sets
        .iter()
        .map(|set| set.iter().map(|name| Value::from(&**name)).collect::<Value>())
        .collect()
}

fn state_names(states: &States) -> Vec<Name> {
    match states {
        States::Every => vec![ANY.into()],
        States::Only(listed) => listed.clone(),
    }
}
