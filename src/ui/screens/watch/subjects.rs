//! The left pane: what is listened to and how that goes, how much crosses each subject, the alerts.

use ratatui::{buffer::Buffer, layout::Rect};

use super::labels::{subject_topic, text_tail, watch_reply};
use crate::{
    app::{
        input::{Key, Mouse},
        state::State,
        watching::{Source, WatchMessage},
    },
    engine::traffic::rates,
    model::traffic::Tapped,
    ui::{
        canvas::{Pen, mark_chosen, wrap},
        styles::Role,
        view::{Look, Reply},
        widgets::{list::ListCursor, pane::Pane},
    },
};

/// The left pane.
#[derive(Default)]
pub(super) struct Subjects {
    cursor: ListCursor,
    area: Rect,
}

fn row_count(state: &State) -> usize {
    state.watching.record.subjects().len() + state.watching.record.alerts().len()
}

impl Subjects {
    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let pane = Pane { title: "Subjects", focused, ..Pane::default() };
        let inside = pane.draw(buffer, area, styles);
        let lines = status_lines(state, usize::from(inside.width), look);
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inside.height);
        for (row, (role, text)) in (0..height).zip(&lines) {
            Pen::new(buffer, inside, row).put_text(text, styles[*role]);
        }
        self.area = Rect { y: inside.y + height, height: inside.height - height, ..inside };
        let record = &state.watching.record;
        let count = record.subjects().len();
        let window = self.cursor.visible_rows(row_count(state), self.area.height);
        self.cursor.draw_position(row_count(state), buffer, area, styles);
        let first = window.start;
        let subjects: Vec<_> = record.subjects().skip(first).take(window.len()).collect();
        for row in window {
            let line = u16::try_from(row - first).unwrap_or(0);
            let mut pen = Pen::new(buffer, self.area, line);
            let room = pen.remaining_cells();
            if let Some((name, of)) = subjects.get(row - first).filter(|_| row < count) {
                let rate = rates::format_rate(of.rate(record.latest_time()));
                let note = format!("{:>6} {rate:>7}", of.messages);
                let cells = room.saturating_sub(note.chars().count() + 2);
                let role = if of.failures > 0 { Role::Error } else { Role::Text };
                let (sign, topic) = subject_topic(name);
                pen.put_text(sign, styles[Role::Dim]).put_text(" ", styles[role]);
                pen.put_column(&text_tail(topic, cells), cells, styles[role])
                    .put_text(&note, styles[Role::Dim]);
            } else if let Some(alert) = record.alerts().get(row - count) {
                let role = if alert.rang > 0 { Role::Warning } else { Role::Dim };
                // Below the counts of the subjects, which have rates beside them.
                let note = format!("{:>6}", alert.rang);
                let cells = room.saturating_sub(17);
                pen.put_text(" ! ", styles[role])
                    .put_column(&alert.filter.to_string(), cells, styles[role])
                    .put_text(&note, styles[role]);
            }
            if row == self.cursor.row && focused {
                mark_chosen(buffer, self.area, line, styles, focused);
            }
        }
    }

    pub(super) fn handle_key(&mut self, key: Key, state: &State) -> bool {
        self.cursor.handle_key(key, row_count(state))
    }

    /// Whether the chosen row was pressed once more.
    pub(super) fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> bool {
        let before = self.cursor.row;
        self.cursor.handle_mouse(mouse, self.area, row_count(state)) == Some(before)
    }

    /// Shows only what the chosen row is about.
    pub(super) fn filter_by_row(&self, state: &State) -> Reply {
        let record = &state.watching.record;
        let subject = record.subjects().nth(self.cursor.row).map(|(name, _)| format!("on:{name}"));
        let alert = || {
            Some(
                record
                    .alerts()
                    .get(self.cursor.row.checked_sub(record.subjects().len())?)?
                    .filter
                    .to_string(),
            )
        };
        subject
            .or_else(alert)
            .map_or(Reply::Handled, |filter| watch_reply(WatchMessage::Filter(filter)))
    }
}

/// How the watch goes, line by line.
fn status_lines(state: &State, cells: usize, look: Look<'_>) -> Vec<(Role, String)> {
    let watching = &state.watching;
    let (record, head) = (&watching.record, &watching.head);
    let mut lines = match &watching.source {
        Source::Nothing => {
            vec![(Role::Dim, format!(" ○ not watching; {} starts", look.keymap.way_to("watch")))]
        }
        Source::Opening => vec![(Role::Info, format!(" ◌ opening {}", head.connection))],
        Source::Listening => vec![(Role::Success, format!(" ● watching {}", head.connection))],
        Source::Stopped => vec![(Role::Dim, " ■ stopped".to_owned())],
        Source::Failed(problem) => {
            let words = wrap(
                &format!("✗ {} — {}", problem.message, problem.remedy),
                cells.saturating_sub(2),
            );
            words.into_iter().take(8).map(|line| (Role::Error, format!(" {line}"))).collect()
        }
        Source::Trace(name) => vec![(Role::Info, format!(" ▤ {name}"))],
    };
    if !head.subjects.is_empty() {
        let subjects = if head.subjects.len() > 3 {
            format!("{} subjects", head.subjects.len())
        } else {
            head.subjects.join(", ")
        };
        lines.push((Role::Dim, format!("   on {subjects}")));
    }
    if let Some(held) = watching.held_count() {
        lines.push((Role::Warning, format!(" ‖ paused · {held} held back")));
    }
    if record.heard_count() > 0 {
        lines.push((Role::Text, format!("   {} messages received", record.heard_count())));
    }
    if record.let_go() > 0 {
        lines.push((Role::Dim, format!("   {} of them dropped", record.let_go())));
    }
    if record.missed_count() > 0 {
        lines.push((Role::Warning, format!(" ⚠ {} missed: too fast", record.missed_count())));
    }
    if let Some(Tapped::Notice { words, .. }) = record.marks().next_back().map(|mark| &mark.what) {
        let words = wrap(words, cells.saturating_sub(3));
        lines.extend(words.into_iter().take(3).map(|line| (Role::Warning, format!("   {line}"))));
    }
    lines.push((Role::Border, "─".repeat(cells)));
    lines
}
