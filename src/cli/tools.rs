//! `toolcrib tools`: which tools a request gets, and why it does not get the others.

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    deployed,
    ending::{Ended, Ending},
    global::Global,
    opened::Opened,
    out::{Out, Tint},
    request::{Asked, RequestArgs},
    wrap::wrap,
};
use crate::{
    engine::{
        explain::tool::{Explainer, Explanation, sufficient_groups},
        filter::list,
        gated::ToolRow,
        workflow::reach::{GroupSets, Proof},
    },
    model::{
        context::{ANY, Name},
        tool::{Audience, Gate, States},
    },
};

#[derive(Args, Debug)]
pub(crate) struct Tools {
    #[command(flatten)]
    pub request: RequestArgs,

    /// Only this tool, with everything that shows or hides it
    #[arg(long, value_name = "TOOL")]
    why: Option<String>,

    /// The tools that can be called on the running system that the connection leads to, also those
    /// without a definition here (TrustGraph, CommonGround)
    #[arg(long, conflicts_with = "why")]
    deployed: bool,
}

impl Tools {
    /// Whether one tool is asked about.
    #[must_use]
    pub fn asks_why(&self) -> bool {
        self.why.is_some()
    }

    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = Opened::read_aloud(global, out)?;
        if self.deployed {
            return deployed::list(&opened, global.json, out);
        }
        let asked = self.request.ask(&opened, out);
        let explainer = Explainer::new(&opened.tools, &asked.context, &opened.settings.profiles);
        let view = View { opened: &opened, asked: &asked, explainer: &explainer };
        match &self.why {
            None if global.json => {
                out.json(&view.rows().into_iter().map(|row| view.json(row)).collect())?;
            }
            None => view.list(out)?,
            Some(word) => {
                let wanted = opened.tool(word)?.id();
                let row = opened
                    .catalog
                    .tools
                    .iter()
                    .position(|tool| tool.id() == wanted)
                    .unwrap_or_default();
                match global.json {
                    true => {
                        let mut value = view.json(row);
                        value["sufficient_groups"] = sets_json(&view.sufficient(row));
                        out.json(&[value].into_iter().collect())?;
                    }
                    false => view.why(out, row)?,
                }
            }
        }
        Ok(Ending::Done)
    }
}

struct View<'v> {
    opened: &'v Opened,
    asked: &'v Asked,
    explainer: &'v Explainer,
}

impl View<'_> {
    /// The tools in the order in which their systems hold them.
    fn rows(&self) -> Vec<ToolRow> {
        self.opened.catalog.in_order((0..self.opened.tools.len()).collect())
    }

    fn explain(&self, row: ToolRow) -> Explanation {
        self.explainer.explain(&self.opened.tools, row)
    }

    fn sufficient(&self, row: ToolRow) -> GroupSets {
        sufficient_groups(&self.opened.tools, self.asked.context.state(), row)
    }

    /// Why a tool is hidden, each with its kind and its way out.
    fn reasons(&self, explanation: &Explanation) -> Vec<(&'static str, String, Option<String>)> {
        let fix = explanation.changes.first().map(|change| change.text(&self.opened.tools));
        explanation
            .reasons
            .iter()
            .map(|reason| (reason.kind(), reason.to_string(), fix.clone()))
            .collect()
    }

    fn json(&self, row: ToolRow) -> Value {
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
            "states": states(&gate.states).iter().map(|name| Value::from(&**name)).collect::<Value>(),
            "next_state": gate.next.as_deref(),
            "available": explanation.reasons.is_empty(),
            "reasons": self.reasons(&explanation).into_iter().map(reason).collect::<Value>(),
        })
    }

    fn list(&self, out: &mut Out) -> std::io::Result<()> {
        let explanations: Vec<Explanation> =
            self.rows().into_iter().map(|row| self.explain(row)).collect();
        let (available, hidden): (Vec<_>, Vec<_>) =
            explanations.iter().partition(|explanation| explanation.reasons.is_empty());
        out.say(format_args!(
            "groups {}, state {}",
            self.asked.groups(),
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
            columns::write(
                out,
                &["AVAILABLE", "LEADS TO", "GROUPS"],
                available.iter().map(cells).collect(),
            )?;
        }
        if !hidden.is_empty() {
            if !available.is_empty() {
                out.line("")?;
            }
            out.line(out.tint(Tint::Dim, "HIDDEN"))?;
        }
        for explanation in hidden {
            out.line(out.text(&self.opened.tools[explanation.tool].key).into_owned())?;
            self.write_reasons(out, explanation)?;
        }
        Ok(())
    }

    fn write_reasons(&self, out: &mut Out, explanation: &Explanation) -> std::io::Result<()> {
        let reasons = self.reasons(explanation);
        for (_, text, _) in &reasons {
            wrap(text, "  ").iter().try_for_each(|line| out.line(line))?;
        }
        match reasons.into_iter().find_map(|(_, _, fix)| fix) {
            Some(fix) => wrap(&format!("→ {fix}"), "  ").iter().try_for_each(|line| out.line(line)),
            None => Ok(()),
        }
    }

    fn why(&self, out: &mut Out, row: ToolRow) -> std::io::Result<()> {
        let (tool, slot) = (&self.opened.catalog.tools[row], &self.opened.tools[row]);
        let explanation = self.explain(row);
        let available = explanation.reasons.is_empty();
        let word = if available {
            out.tint(Tint::Good, "available")
        } else {
            out.tint(Tint::Odd, "hidden")
        };
        out.line(format!("{}: {word}", out.tint(Tint::Bold, &tool.entry.key)))?;
        let place = format!("{}:{}", self.opened.shown(tool.entry.id.file()), tool.entry.line);
        let states = match &slot.gate.states {
            States::Every => "every state".to_owned(),
            States::Only(listed) if listed.is_empty() => "no state".to_owned(),
            States::Only(listed) => list(listed),
        };
        for (label, text) in [
            ("name", tool.name.clone()),
            ("file", place),
            ("groups", groups_of(&slot.gate)),
            ("available in", states),
            ("leads to", slot.gate.next.as_deref().unwrap_or("the state stays").to_owned()),
            ("asked for", self.asked.groups()),
            ("state", self.asked.context.state().to_owned()),
            ("groups enough", sets_words(&self.sufficient(row))),
        ] {
            let lines = wrap(&out.text(&text), &" ".repeat(16));
            let rest = lines.iter().enumerate().map(|(row, line)| match row {
                0 => format!("  {label:<13} {}", line.trim_start()),
                _ => line.clone(),
            });
            rest.collect::<Vec<_>>().iter().try_for_each(|line| out.line(line))?;
        }
        if available {
            return Ok(());
        }
        out.line("reasons")?;
        for (_, text, _) in self.reasons(&explanation) {
            wrap(&text, "  ").iter().try_for_each(|line| out.line(line))?;
        }
        if !explanation.changes.is_empty() {
            out.line("what would show it, the smallest change first")?;
        }
        for change in &explanation.changes {
            wrap(&change.text(&self.opened.tools), "  ")
                .iter()
                .try_for_each(|line| out.line(line))?;
        }
        Ok(())
    }
}

/// The groups that a tool is in, in words.
fn groups_of(gate: &Gate) -> String {
    match (&gate.offer, gate.groups()) {
        (Audience::ToAll, _) => "all".into(),
        (_, groups) if groups.is_empty() => "none".into(),
        (_, groups) => list(&groups),
    }
}

/// Sets of groups, each of which is enough, as words.
#[must_use]
pub(crate) fn sets_words(sets: &GroupSets) -> String {
    if sets.sets.is_empty() {
        return "no groups are: no run comes there".into();
    }
    let of =
        |set: &Vec<Name>| if set.is_empty() { "none needed".to_owned() } else { set.join(" + ") };
    let more = if sets.proof == Proof::Found { "; there may be others" } else { "" };
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

fn states(states: &States) -> Vec<Name> {
    match states {
        States::Every => vec![ANY.into()],
        States::Only(listed) => listed.clone(),
    }
}
