//! The right pane: the result's card as it will be written, and what its caller gets.

use crate::{
    app::answering::Open,
    systems::facets::by_hand::Preview,
    ui::{
        styles::Role,
        widgets::reading::{self, Line},
    },
};

/// The card that the answer makes, as it is now.
pub(super) fn card_lines(open: &Open, mending: usize, cells: usize) -> Vec<Line> {
    let waiting = &open.asked.waiting;
    let Preview { written, then, told, .. } = waiting.preview(&open.answer_value());
    let mut lines = Vec::new();
    if mending > 0 {
        let errors = if mending == 1 { "error" } else { "errors" };
        lines.extend(reading::wrapped_lines(
            &format!("⚠ fix {mending} {errors} in the answer first"),
            Role::Warning,
            cells,
        ));
    }
    if let Some(problem) = &open.asked.failed {
        let words = format!(
            "✗ It couldn't be sent: {} — {}. Send it again, or ignore the call.",
            problem.message, problem.remedy
        );
        lines.extend(reading::wrapped_lines(&words, Role::Error, cells));
    }
    let card = serde_json::to_string_pretty(&written).unwrap_or_default();
    lines.extend(reading::json_lines(&card, cells));
    lines.push(Vec::new());
    lines.extend(reading::wrapped_lines(&then, Role::Dim, cells));
    if let Some(told) = told {
        lines.push(Vec::new());
        lines.push(vec![(Role::Heading, "the caller's inbox gets".into())]);
        let report = serde_json::to_string_pretty(&told).unwrap_or_default();
        lines.extend(reading::json_lines(&report, cells));
    }
    lines
}
