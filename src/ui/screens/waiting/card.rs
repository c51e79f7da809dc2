//! The right pane: the result's card as it will be written, and what its caller is told.

use crate::{
    app::answering::Open,
    systems::commonground::by_hand,
    ui::{
        styles::Role,
        widgets::reading::{self, Line},
    },
};

/// The card that the answer comes to, as it stands.
pub(super) fn lines(open: &Open, mending: usize, cells: usize) -> Vec<Line> {
    let waiting = &open.asked.waiting;
    let built = by_hand::built(&open.value(), waiting.command);
    let mut lines = Vec::new();
    if mending > 0 {
        let words = if mending == 1 { "one thing is".to_owned() } else { format!("{mending} things are") };
        lines.extend(reading::words(&format!("⚠ {words} to be mended in the answer first"), Role::Warning, cells));
    }
    if let Some(problem) = &open.asked.failed {
        let words =
            format!("✗ It could not be written: {} — {}. Send it once more, or leave the call.", problem.message, problem.remedy);
        lines.extend(reading::words(&words, Role::Error, cells));
    }
    let card = serde_json::to_string_pretty(&waiting.card(&built)).unwrap_or_default();
    lines.extend(reading::json(&card, cells));
    lines.push(Vec::new());
    let after = built.after;
    let words = format!("{}: {} ({})", after.after.word(), after.after.means(), after.origin.words());
    lines.extend(reading::words(&words, Role::Dim, cells));
    lines.push(Vec::new());
    lines.push(vec![(Role::Heading, "the caller's inbox gets".into())]);
    let report = serde_json::to_string_pretty(&built.report("the card's id")).unwrap_or_default();
    lines.extend(reading::json(&report, cells));
    lines
}
