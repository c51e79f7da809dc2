//! Findings as people, scripts and code forges read them.

use std::io;

use serde_json::{Value, json};

use super::{
    opened::Opened,
    out::{Out, Tint},
    wrap::wrap,
};
use crate::model::finding::{Finding, Severity};

/// What a check came to.
pub struct Report<'r> {
    pub opened: &'r Opened,
    pub findings: &'r [Finding],
}

/// Place, severity and code on a line, the sentence and the fix below.
pub fn human(report: &Report<'_>, out: &mut Out) -> io::Result<()> {
    for finding in report.findings {
        let site = &finding.site;
        let place = match site.line {
            0 => report.opened.shown(&site.file),
            line => format!("{}:{line}:{}", report.opened.shown(&site.file), site.column),
        };
        let tint = match finding.severity {
            Severity::Error => Tint::Bad,
            Severity::Warning => Tint::Odd,
            Severity::Note => Tint::Dim,
        };
        let line =
            format!("{} {} {}", out.tint(Tint::Bold, &place), out.tint(tint, finding.severity.word()), out.text(finding.code));
        out.line(line)?;
        wrap(&finding.message, "  ").iter().try_for_each(|line| out.line(line))?;
        if let Some(fix) = finding.fix_words() {
            wrap(&format!("fix: {fix}"), "  ").iter().try_for_each(|line| out.line(line))?;
        }
    }
    Ok(())
}

/// A sentence with the counts.
pub fn summary(report: &Report<'_>) -> String {
    let count = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    let of = |count: usize, word: &str| if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") };
    let files = report.opened.asked.as_ref().map_or(report.opened.files.len(), |_| 1);
    format!(
        "{}, {}, {} in {}",
        of(count(Severity::Error), "error"),
        of(count(Severity::Warning), "warning"),
        of(count(Severity::Note), "note"),
        of(files, "file")
    )
}

/// For scripts: a list of `{code, severity, file, line, column, pointer, message, fix}`; the pointer is within the file, and lines that are not
/// known are null.
pub fn json(report: &Report<'_>) -> Value {
    let known = |number: usize| (number > 0).then_some(number);
    let of = |finding: &Finding| {
        let site = &finding.site;
        json!({
            "code": finding.code,
            "severity": finding.severity.word(),
            "file": site.file.as_str(),
            "line": known(site.line),
            "column": known(site.column),
            "pointer": pointer(finding),
            "message": finding.message,
            "fix": finding.fix_words(),
        })
    };
    report.findings.iter().map(of).collect()
}

/// The place within the file; entries that are written as text end it.
fn pointer(finding: &Finding) -> String {
    let site = &finding.site;
    site.entry.as_ref().map_or_else(|| site.pointer.to_string(), |entry| entry.place().at.join(&site.pointer).to_string())
}

/// SARIF 2.1.0, as code scanning services take it.
pub fn sarif(report: &Report<'_>) -> Value {
    let mut codes: Vec<&str> = report.findings.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Value = codes.iter().map(|code| json!({"id": code})).collect();
    let result = |finding: &Finding| {
        let site = &finding.site;
        let mut place = json!({"artifactLocation": {"uri": uri(&report.opened.shown(&site.file))}});
        if site.line > 0 {
            place["region"] = json!({"startLine": site.line, "startColumn": site.column.max(1)});
        }
        json!({
            "ruleId": finding.code,
            "ruleIndex": codes.binary_search(&finding.code).ok(),
            "level": finding.severity.word(),
            "message": {"text": sentence(finding)},
            "locations": [{"physicalLocation": place}],
        })
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

/// A path as a relative reference, or as a file address where it is absolute.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escaped: String =
        path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect();
    if escaped.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

fn sentence(finding: &Finding) -> String {
    finding.fix_words().map_or_else(|| finding.message.clone(), |fix| format!("{} (fix: {fix})", finding.message))
}

/// Workflow commands that GitHub shows at the lines they name.
pub fn github(report: &Report<'_>, out: &mut Out) -> io::Result<()> {
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
        let (file, title) = (property(&report.opened.shown(&site.file)), property(finding.code));
        out.line(format_args!("::{word} file={file}{place},title={title}::{}", escaped(&sentence(finding))))?;
    }
    Ok(())
}

/// A text in a workflow command, where line ends and percent signs are written as codes.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
