//! What becomes of each field of tools, on lines and for scripts.

use serde_json::{Value, json};

use crate::{
    cli::out::{CommandOutput, Tint},
    engine::portable::fate::{Fate, FateKind},
};

/// A head, and below it what becomes of the fields.
pub(super) fn print_fates(head: &str, fates: &[Fate], out: &CommandOutput) {
    out.print_status(out.tint(Tint::Bold, head));
    fate_lines(fates).iter().for_each(|(tint, line)| {
        let line = out.safe_text(line).into_owned();
        out.print_status(tint.map_or(line.clone(), |tint| out.tint(tint, &line)));
    });
}

/// A tool and its fields, for scripts.
pub(super) fn tool_json(name: &str, fates: &[Fate]) -> Value {
    let fate =
        |fate: &Fate| json!({"fate": fate.kind.as_str(), "field": fate.field, "words": fate.words});
    json!({"tool": name, "fields": fates.iter().map(fate).collect::<Vec<_>>()})
}

/// Whether a field is there otherwise, or not at all.
pub(super) fn is_lossy(fates: &[Fate]) -> bool {
    fates.iter().any(|fate| matches!(fate.kind, FateKind::Changed | FateKind::Lost))
}

/// A line for each kind of fate; those with words have one each.
fn fate_lines(fates: &[Fate]) -> Vec<(Option<Tint>, String)> {
    let mut lines = Vec::new();
    for kind in FateKind::ALL {
        let tint = match kind {
            FateKind::Carried => Some(Tint::Good),
            FateKind::Changed => Some(Tint::Odd),
            FateKind::Lost => Some(Tint::Bad),
            FateKind::Assumed => None,
        };
        let own: Vec<&Fate> = fates.iter().filter(|fate| fate.kind == kind).collect();
        let (plain, worded): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|fate| fate.words.is_empty());
        let head = format!("  {} {:8}", kind.sign(), kind.as_str());
        if !plain.is_empty() {
            let names: Vec<&str> = plain.iter().map(|fate| fate.field.as_str()).collect();
            lines.push((tint, format!("{head} {}", names.join(", "))));
        }
        for fate in worded {
            lines.push((tint, format!("{head} {}: {}", fate.field, fate.words)));
        }
    }
    lines
}
