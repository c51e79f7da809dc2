//! How far a call is that has not been answered yet, where its service says so.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    model::call::{Call, EventKind},
    ui::{
        canvas::{Pen, visible_text},
        styles::{Role, Styles},
    },
};

/// So many of the newest events are looked at.
const LOOKED_AT: usize = 64;
/// The most cells of the bar.
const WIDEST: usize = 40;

/// What the newest event that says how far a call is says: `2 of 5: half way`.
#[derive(Debug, PartialEq)]
struct Progress<'c> {
    done: f64,
    total: Option<f64>,
    /// Both as they were written.
    count: &'c str,
    message: &'c str,
    at_ms: u64,
}

fn newest_progress(call: &Call) -> Option<Progress<'_>> {
    let newest = call.events.iter().rev().take(LOOKED_AT);
    newest
        .filter_map(|logged| match &logged.kind {
            EventKind::Stage(stage) if &*stage.name == "progress" => {
                parse_progress(&stage.words, logged.at_ms)
            }
            _ => None,
        })
        .next()
}

fn parse_progress(words: &str, at_ms: u64) -> Option<Progress<'_>> {
    let (count, message) = words.split_once(": ").unwrap_or((words, ""));
    let (done, total) = match count.split_once(" of ") {
        Some((done, total)) => (done, total.trim().parse().ok()),
        None => (count, None),
    };
    let done = done.trim().parse().ok()?;
    Some(Progress { done, total, count, message, at_ms })
}

impl Progress<'_> {
    /// The part that is done; `None` where it is not known of how much.
    fn part(&self) -> Option<f64> {
        let total = self.total.filter(|total| *total > 0.0)?;
        Some((self.done / total).clamp(0.0, 1.0))
    }

    /// What is known beside the bar: `2 of 5 · 40 % · 0.5/s`.
    fn words(&self) -> String {
        let mut words = self.count.to_owned();
        if let Some(part) = self.part() {
            words.push_str(&format!(" · {:.0} %", part * 100.0));
        }
        if self.at_ms > 0 && self.done > 0.0 {
            words.push_str(&format!(" · {:.1}/s", self.done * 1_000.0 / self.at_ms as f64));
        }
        words
    }
}

/// Draws a bar and what is said beside it; how many lines that took.
pub(super) fn draw_progress(buffer: &mut Buffer, area: Rect, styles: &Styles, call: &Call) -> u16 {
    let Some(progress) = newest_progress(call).filter(|_| area.height > 0) else { return 0 };
    let mut pen = Pen::new(buffer, area, 0);
    if let Some(part) = progress.part() {
        let cells = (usize::from(area.width) / 2).min(WIDEST);
        let done = (part * cells as f64).round() as usize;
        pen.put_text(&"█".repeat(done), styles[Role::Accent])
            .put_text(&"░".repeat(cells.saturating_sub(done)), styles[Role::Dim])
            .put_text(" ", styles[Role::Text]);
    }
    let room = pen.remaining_cells();
    pen.put_column(&visible_text(&progress.words()), room, styles[Role::Text]);
    if progress.message.is_empty() || area.height < 2 {
        return 1;
    }
    let mut pen = Pen::new(buffer, area, 1);
    let room = pen.remaining_cells();
    pen.put_column(&visible_text(progress.message), room, styles[Role::Dim]);
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_from_its_words() {
        let words = |text: &str| parse_progress(text, 4_000).map(|progress| progress.words());
        for (text, shown) in [
            ("2 of 5: half way", "2 of 5 · 40 % · 0.5/s"),
            ("0 of 5", "0 of 5 · 0 %"),
            ("3: on", "3 · 0.8/s"),
            ("9 of 5", "9 of 5 · 100 % · 2.2/s"),
            ("1 of 0", "1 of 0 · 0.2/s"),
        ] {
            assert_eq!(words(text).as_deref(), Some(shown), "{text}");
        }
        assert_eq!(parse_progress("half way", 1), None);
        assert_eq!(parse_progress("1 of 2: a: b", 1).unwrap().message, "a: b");
    }
}
