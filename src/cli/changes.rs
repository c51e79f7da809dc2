//! What changed of tools and entries, as commands list it: on lines, for scripts, and as findings for
//! CI.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{
    deployed,
    out::{CommandOutput, Tint},
};
use crate::{
    model::{
        entry::FileId,
        finding::{Finding, Severity, Site},
        shown::short_line,
    },
    schema::pointer::Pointer,
    systems::facets::kept_tools::ToolChange,
};

/// From which severity on a change makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum FailOn {
    Compatible,
    Wording,
    Behaviour,
    Breaking,
}

impl FailOn {
    /// The severity of a change, by its word.
    #[must_use]
    pub fn of_change(change: &ToolChange) -> Self {
        match change.severity {
            "breaking" => Self::Breaking,
            "wording" => Self::Wording,
            "compatible" => Self::Compatible,
            _ => Self::Behaviour,
        }
    }
}

/// A change as a finding: of that place, and an error where it lets the command fail. `from` is what
/// it changed in.
pub(super) fn change_finding(
    from: &str,
    change: &ToolChange,
    fail_on: FailOn,
    site: ChangeSite,
) -> Finding {
    let at = match change.at.as_str() {
        "" => String::new(),
        at => format!(" at {at}"),
    };
    let texts = match (&change.before, &change.after) {
        (None, None) => String::new(),
        (before, after) => format!(": {} → {}", shortened(before), shortened(after)),
    };
    let texts = format!("{texts}{}", noted(change));
    let words = format!("{from} {}: {}{at}{texts}", change.tool, change.severity);
    finding(change.id, FailOn::of_change(change) >= fail_on, words, site)
}

/// What there is to say of a change beside what it shows.
fn noted(change: &ToolChange) -> String {
    change.note().map_or_else(String::new, |note| format!(": {note}"))
}

/// Where a change is shown: a file, and the line and column in it where they are known.
#[derive(Clone, Debug)]
pub(super) struct ChangeSite {
    pub file: FileId,
    pub line: usize,
    pub column: usize,
}

impl ChangeSite {
    /// The file as a whole.
    #[must_use]
    pub fn of_file(file: FileId) -> Self {
        Self { file, line: 0, column: 0 }
    }
}

/// A finding of something that changed.
pub(super) fn finding(
    code: &'static str,
    is_error: bool,
    message: String,
    site: ChangeSite,
) -> Finding {
    let ChangeSite { file, line, column } = site;
    Finding::new(
        code,
        if is_error { Severity::Error } else { Severity::Note },
        message,
        Site { file, entry: None, pointer: Pointer::root(), line, column },
    )
}

/// A text of a change as it fits into a sentence.
fn shortened(text: &Option<String>) -> String {
    text.as_ref().map_or_else(|| "nothing".to_owned(), |text| short_line(text, 100))
}

/// A change, for scripts.
pub(super) fn change_json(change: &ToolChange) -> Value {
    json!({
        "severity": change.severity, "entry": change.tool, "change": change.id,
        "at": change.at, "before": change.before, "after": change.after,
    })
}

/// A change on a line, with both texts below as lines that differ.
pub(super) fn print_change(
    out: &mut CommandOutput,
    connection: &str,
    change: &ToolChange,
) -> std::io::Result<()> {
    let tint = match change.severity {
        "breaking" => Tint::Bad,
        "compatible" => Tint::Dim,
        _ => Tint::Odd,
    };
    let at = if change.at.is_empty() { String::new() } else { format!(" at {}", change.at) };
    let entry = format!("{connection} {}", change.tool);
    let line = format!(
        "{} {} {}{}{}",
        out.tint(tint, change.severity),
        out.tint(Tint::Bold, &out.safe_text(&entry)),
        change.id,
        out.safe_text(&at),
        noted(change)
    );
    out.print_line(line)?;
    let text = |text: &Option<String>| {
        text.as_deref().map_or_else(String::new, |text| format!("{text}\n"))
    };
    deployed::print_diff(out, &text(&change.before), &text(&change.after))
}
