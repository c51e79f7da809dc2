//! `toolcrib mcp conformance`: which rules of the specification a server keeps, for people, scripts
//! and CI.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::{
    cli::{
        ending::{CommandResult, Ending},
        out::{CommandOutput, Tint},
        wrap::wrap,
    },
    engine::junit::{Checked, Suite, render_report},
    model::finding::Severity,
    schema::count::count_text,
    systems::facets::examined::{Examined, Verdict},
};

pub(super) const EXIT_CODES: &str =
    "Exits with 1 if a rule is broken, and with 0 if there are only warnings.";

#[derive(Args, Debug)]
pub(super) struct ConformanceReport {
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// For CI: a case for each rule
    Junit,
}

impl ConformanceReport {
    /// Writes the verdicts on a server.
    pub fn write_verdicts(
        &self,
        server: &str,
        examined: &[Examined],
        json: bool,
        out: &mut CommandOutput,
    ) -> CommandResult {
        match if json { Format::Json } else { self.format } {
            Format::Human => {
                examined.iter().try_for_each(|examined| print_verdict(examined, out))?;
            }
            Format::Json => out.print_json(&examined.iter().map(to_json).collect())?,
            Format::Junit => {
                let cases = examined.iter().map(to_case).collect();
                let suite = Suite {
                    name: server.to_owned(),
                    file: server.to_owned(),
                    cases,
                    started: None,
                };
                out.print_raw(&render_report("toolcrib mcp conformance", &[suite]))?;
            }
        }
        let count = |word: &str| examined.iter().filter(|one| verdict_word(one) == word).count();
        out.print_status(format_args!(
            "{} kept, {} broken, {}, {} skipped",
            count("kept"),
            count("broken"),
            count_text(count("warning"), "warning", "warnings"),
            count("skipped")
        ));
        Ok(if count("broken") == 0 { Ending::Done } else { Ending::Found })
    }
}

/// For scripts: only an error breaks a rule.
fn verdict_word(examined: &Examined) -> &'static str {
    match &examined.verdict {
        Verdict::Kept => "kept",
        Verdict::Broken { severity: Severity::Error, .. } => "broken",
        Verdict::Broken { .. } => "warning",
        Verdict::Skipped(_) => "skipped",
    }
}

fn details(examined: &Examined) -> &[String] {
    match &examined.verdict {
        Verdict::Kept => &[],
        Verdict::Broken { details, .. } => details,
        Verdict::Skipped(why) => std::slice::from_ref(why),
    }
}

fn print_verdict(examined: &Examined, out: &mut CommandOutput) -> std::io::Result<()> {
    let word = verdict_word(examined);
    let tint = match word {
        "kept" => Tint::Good,
        "broken" => Tint::Bad,
        "warning" => Tint::Odd,
        _ => Tint::Dim,
    };
    let mark = out.tint(tint, &format!("{word:<8}"));
    out.print_line(format!("{mark} {:<26} {}", examined.rule, examined.about))?;
    for detail in details(examined) {
        wrap(detail, "         ").iter().try_for_each(|line| out.print_line(line))?;
    }
    Ok(())
}

/// `{rule, about, verdict, details}`.
fn to_json(examined: &Examined) -> Value {
    json!({
        "rule": examined.rule,
        "about": examined.about,
        "verdict": verdict_word(examined),
        "details": details(examined),
    })
}

/// A case that holds or fails, or was not looked at.
fn to_case(examined: &Examined) -> Checked {
    let (mut differences, mut skipped) = (Vec::new(), None);
    match verdict_word(examined) {
        "broken" => differences = details(examined).to_vec(),
        "skipped" => skipped = Some(details(examined).join("; ")),
        _ => {}
    }
    let name = format!("{}: {}", examined.rule, examined.about);
    Checked { name, differences, skipped, ..Checked::default() }
}
