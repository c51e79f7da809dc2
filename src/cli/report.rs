//! Findings as people, scripts and code forges read them.

use std::io;

use serde_json::{Value, json};

use clap::ValueEnum;

use super::{
    out::{CommandOutput, Tint},
    report_paths::repository_path,
    wrap::wrap,
};
use crate::{
    engine::junit::{self, Checked, Suite},
    model::{
        entry::FileId,
        finding::{Finding, RelatedPlace, Severity, Site},
    },
    schema::count::count_text,
    systems::check_codes::check_about,
};

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    /// For code scanning services
    Sarif,
    /// Annotations of GitHub's workflows
    Github,
    /// For CI: a suite for each file, with its errors
    Junit,
}

/// The findings of some files.
pub(crate) struct Report<'r> {
    /// The command, for reports that name it.
    pub command: &'static str,
    pub files: &'r [FileId],
    pub findings: &'r [Finding],
    /// A file as one would type it.
    pub shown: &'r dyn Fn(&FileId) -> String,
    /// What a finding is about, by its key, where the file has several.
    pub entry: &'r dyn Fn(&Finding) -> Option<String>,
    /// Codes of findings that say that something wasn't checked.
    pub unchecked: &'static [&'static str],
}

impl Report<'_> {
    /// The entry that a finding is about, where it doesn't name that.
    fn unnamed_entry(&self, finding: &Finding) -> Option<String> {
        (self.entry)(finding).filter(|entry| !names_word(&finding.message, entry))
    }

    /// What a finding says, beginning with the entry unless it names that.
    fn message(&self, finding: &Finding) -> String {
        let message = self.unnamed_entry(finding).map_or_else(
            || finding.message.clone(),
            |entry| format!("{entry}: {}", finding.message),
        );
        finding.fix_words().map_or_else(|| message.clone(), |fix| format!("{message} (fix: {fix})"))
    }
}

/// Whether a text has a word that is no part of a longer one.
fn names_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
        })
}

/// Writes a report, and its counts on stderr.
pub(crate) fn write_report(
    report: &Report<'_>,
    format: Format,
    out: &mut CommandOutput,
) -> io::Result<()> {
    match format {
        Format::Human => write_human(report, out)?,
        Format::Json => out.print_json(&json_report(report))?,
        Format::Sarif => out.print_json(&sarif_report(report))?,
        Format::Github => write_github(report, out)?,
        Format::Junit => out.print_raw(&junit_report(report))?,
    }
    out.print_status(summary(report));
    Ok(())
}

/// Whether a report has an error.
#[must_use]
pub(crate) fn has_errors(report: &Report<'_>) -> bool {
    report.findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Place, severity and code on a line, the sentence and the fix below.
fn write_human(report: &Report<'_>, out: &mut CommandOutput) -> io::Result<()> {
    for finding in report.findings {
        let site = &finding.site;
        let place = match site.line {
            0 => (report.shown)(&site.file),
            line => format!("{}:{line}:{}", (report.shown)(&site.file), site.column),
        };
        let tint = match finding.severity {
            Severity::Error => Tint::Bad,
            Severity::Warning => Tint::Odd,
            Severity::Note => Tint::Dim,
        };
        let entry =
            report.unnamed_entry(finding).map_or_else(String::new, |entry| format!(" {entry}"));
        let line = format!(
            "{} {} {}{}",
            out.tint(Tint::Bold, &place),
            out.tint(tint, finding.severity.as_str()),
            out.safe_text(finding.code),
            out.tint(Tint::Dim, &entry)
        );
        out.print_line(line)?;
        wrap(&finding.message, "  ").iter().try_for_each(|line| out.print_line(line))?;
        if let Some(fix) = finding.fix_words() {
            wrap(&format!("fix: {fix}"), "  ").iter().try_for_each(|line| out.print_line(line))?;
        }
    }
    Ok(())
}

/// A sentence with the counts.
fn summary(report: &Report<'_>) -> String {
    let count =
        |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    format!(
        "{}, {}, {} in {}",
        count_text(count(Severity::Error), "error", "errors"),
        count_text(count(Severity::Warning), "warning", "warnings"),
        count_text(count(Severity::Note), "note", "notes"),
        count_text(report.files.len(), "file", "files")
    )
}

/// For scripts: a list of `{code, severity, file, line, column, pointer, entry, message, fix,
/// related}`; the pointer is within the file, lines that are not known are null, and `related` has
/// the other places that it is about.
fn json_report(report: &Report<'_>) -> Value {
    let known = |number: usize| (number > 0).then_some(number);
    let related = |place: &RelatedPlace| {
        json!({
            "file": place.site.file.as_str(),
            "line": known(place.site.line),
            "column": known(place.site.column),
            "message": &*place.message,
        })
    };
    let of = |finding: &Finding| {
        let site = &finding.site;
        json!({
            "code": finding.code,
            "severity": finding.severity.as_str(),
            "file": site.file.as_str(),
            "line": known(site.line),
            "column": known(site.column),
            "pointer": file_pointer(finding),
            "entry": (report.entry)(finding),
            "message": finding.message,
            "fix": finding.fix_words(),
            "related": finding.related.iter().map(related).collect::<Value>(),
        })
    };
    report.findings.iter().map(of).collect()
}

/// The place within the file; entries that are written as text end it.
fn file_pointer(finding: &Finding) -> String {
    let site = &finding.site;
    site.entry.as_ref().map_or_else(
        || site.pointer.to_string(),
        |entry| entry.place().at.join(&site.pointer).to_string(),
    )
}

/// SARIF 2.1.0, as code scanning services take it.
#[must_use]
pub(crate) fn sarif_report(report: &Report<'_>) -> Value {
    let mut codes: Vec<&str> = report.findings.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rule = |code: &&str| {
        let mut rule = json!({"id": code});
        if let Some(about) = check_about(code) {
            rule["shortDescription"] = json!({"text": about});
            rule["fullDescription"] = json!({"text": about});
        }
        rule
    };
    let rules: Value = codes.iter().map(rule).collect();
    let result = |finding: &Finding| {
        let mut result = json!({
            "ruleId": finding.code,
            "ruleIndex": codes.binary_search(&finding.code).ok(),
            "level": finding.severity.as_str(),
            "message": {"text": report.message(finding)},
            "locations": [{"physicalLocation": physical_place(report, &finding.site)}],
        });
        if !finding.related.is_empty() {
            let place = |related: &RelatedPlace| {
                json!({
                    "physicalLocation": physical_place(report, &related.site),
                    "message": {"text": &*related.message},
                })
            };
            result["relatedLocations"] = finding.related.iter().map(place).collect();
        }
        result
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "toolcrib", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Value>(),
        }],
    })
}

fn physical_place(report: &Report<'_>, site: &Site) -> Value {
    let file = repository_path(&(report.shown)(&site.file));
    let mut place = json!({"artifactLocation": {"uri": uri(&file)}});
    if site.line > 0 {
        place["region"] = json!({"startLine": site.line, "startColumn": site.column.max(1)});
    }
    place
}

/// A path as a relative reference, or as a file address where it is absolute.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escaped: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if escaped.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

/// Workflow commands that GitHub shows at the lines they name.
fn write_github(report: &Report<'_>, out: &mut CommandOutput) -> io::Result<()> {
    for finding in report.findings {
        let site = &finding.site;
        let word = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let place = match site.line {
            0 => String::new(),
            line => format!(",line={line},col={}", site.column),
        };
        let file = (report.shown)(&site.file);
        out.print_line(annotation(word, &file, &place, finding.code, &report.message(finding)))?;
    }
    Ok(())
}

/// Annotations of what failed: each failed case at its suite's file.
pub(crate) fn write_annotations(suites: &[Suite], out: &mut CommandOutput) -> io::Result<()> {
    annotations(suites).iter().try_for_each(|line| out.print_line(line))
}

/// The same, each as a line: at the file and line of the case where it has one of its own. A case
/// that held at last is a warning.
#[must_use]
pub(crate) fn annotations(suites: &[Suite]) -> Vec<String> {
    let of_case = |suite: &Suite, case: &Checked| {
        let (file, title) = match &case.file {
            Some(file) => (file, case.name.clone()),
            None => (&suite.file, format!("{}: {}", suite.name, case.name)),
        };
        let place = case.line.map_or_else(String::new, |line| format!(",line={line}"));
        match (case.differences.as_slice(), case.failed_tries.as_slice()) {
            ([], []) => None,
            ([], tries) => {
                let words =
                    format!("flaky: it passed at last, and failed before\n{}", tries.join("\n"));
                Some(annotation("warning", file, &place, &title, &words))
            }
            (differences, _) => {
                Some(annotation("error", file, &place, &title, &differences.join("\n")))
            }
        }
    };
    let cases = suites.iter().flat_map(|suite| suite.cases.iter().map(move |case| (suite, case)));
    cases.filter_map(|(suite, case)| of_case(suite, case)).collect()
}

fn annotation(word: &str, file: &str, place: &str, title: &str, message: &str) -> String {
    let (file, title) = (escape_property(&repository_path(file)), escape_property(title));
    format!("::{word} file={file}{place},title={title}::{}", escape_data(message))
}

/// A text in a workflow command, where line ends and percent signs are written as codes.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A suite for each file: a failed case for each error, else one case that passed.
fn junit_report(report: &Report<'_>) -> String {
    let suite = |file: &FileId| {
        let errors = report
            .findings
            .iter()
            .filter(|finding| finding.site.file == *file && finding.severity == Severity::Error);
        let failed = errors.map(|finding| {
            let site = &finding.site;
            // A name that stays where lines before it come or go, so that CI knows it again.
            let pointer = file_pointer(finding);
            let at = if pointer.is_empty() { pointer } else { format!(" at {pointer}") };
            let line = match site.line {
                0 => String::new(),
                line => format!("{line}:{}: ", site.column),
            };
            Checked {
                name: format!("{}{at}", finding.code),
                differences: vec![format!("{line}{}", report.message(finding))],
                ..Checked::default()
            }
        });
        let mut cases: Vec<Checked> = failed.collect();
        let of_file = report.findings.iter().filter(|finding| finding.site.file == *file);
        let unchecked = of_file.filter(|finding| {
            finding.severity != Severity::Error && report.unchecked.contains(&finding.code)
        });
        cases.extend(unchecked.map(|finding| Checked {
            name: finding.code.into(),
            skipped: Some(report.message(finding)),
            ..Checked::default()
        }));
        if cases.is_empty() {
            cases.push(Checked { name: "no errors".into(), ..Checked::default() });
        }
        let shown = (report.shown)(file);
        Suite { name: shown.clone(), file: shown, cases, started: None }
    };
    junit::render_report(report.command, &report.files.iter().map(suite).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_by_a_whole_word() {
        for (text, word, is_named) in [
            ("leads to the state \"escalated\", which no tool lists", "escalate", false),
            ("\"escalate\" leads nowhere", "escalate", true),
            ("no service is called \"deployer\"; deploy asks for it", "deploy", true),
            ("a tool of read-only", "read", false),
            ("tools/joke: no description", "tools/joke", true),
            ("any words", "", false),
        ] {
            assert_eq!(names_word(text, word), is_named, "{text}: {word}");
        }
    }
}
