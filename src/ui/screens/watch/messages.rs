//! The right pane: one conversation in a few lines, and its messages with their times, decoded as far as they are seen.

use ratatui::{buffer::Buffer, layout::Rect};

use super::words::{clock, role_of, sign, span, standing};
use crate::{
    app::{
        input::{Code, Key, Mouse, MouseKind},
        state::State,
    },
    engine::traffic::conversation::Conversation,
    model::{size, traffic::Kept},
    systems::watched,
    ui::{
        canvas::{Pen, mark_chosen, wrap},
        styles::{Role, Styles},
        view::Look,
        widgets::{list::ListCursor, pane::Pane},
    },
};

/// A body that is longer is not decoded for a row.
const LONGEST: usize = 64 * 1024;

/// The right pane.
#[derive(Default)]
pub(super) struct Messages {
    of: Option<u64>,
    cursor: ListCursor,
    /// The newest one stays in view.
    follow: bool,
    area: Rect,
    /// Rows that were drawn, and messages that were decoded for them, so far.
    pub(super) drawn: usize,
}

impl Messages {
    /// Takes in which conversation is shown.
    pub(super) fn sync(&mut self, chosen: Option<u64>) {
        if self.of != chosen {
            self.of = chosen;
            self.cursor = ListCursor::default();
            self.follow = true;
        }
    }

    /// The chosen message's place in its conversation.
    pub(super) fn row(&self) -> usize {
        self.cursor.row
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        state: &State,
        (chosen, focused): (Option<u64>, bool),
    ) {
        let styles = look.styles;
        let record = &state.watching.record;
        let conversation = chosen.and_then(|number| record.conversation(number));
        let rows = conversation.map_or(0, |conversation| conversation.messages.len());
        let title =
            conversation.map_or_else(|| "Messages".to_owned(), |conversation| format!("Conversation {}", conversation.number));
        let foot = self.cursor.position(rows).unwrap_or_default();
        let inside = Pane { title: &title, foot: &foot, focused, ..Pane::default() }.draw(buffer, area, styles);
        let Some(conversation) = conversation else {
            self.area = Rect::default();
            return;
        };
        let lines = about(conversation, state, usize::from(inside.width.saturating_sub(2)));
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inside.height / 2);
        for (row, (role, text)) in (0..height).zip(&lines) {
            Pen::new(buffer, inside, row).skip(1).put(text, styles[*role]);
        }
        self.area = Rect { y: inside.y + height, height: inside.height - height, ..inside };
        if self.follow {
            self.cursor.row = rows.saturating_sub(1);
        }
        let window = self.cursor.window(rows, self.area.height);
        let first = window.start;
        for row in window {
            let Some(number) = conversation.messages.get(row) else { continue };
            self.drawn += 1;
            let line = Rect { y: self.area.y + u16::try_from(row - first).unwrap_or(0), height: 1, ..self.area };
            draw_row(buffer, line, styles, state, (conversation, *number));
            if row == self.cursor.row {
                mark_chosen(buffer, line, styles, focused);
            }
        }
    }

    pub(super) fn key(&mut self, key: Key, state: &State, chosen: Option<u64>) -> bool {
        let taken = self.cursor.key(key, count(state, chosen));
        if taken {
            self.follow = key.code == Code::End;
        }
        taken
    }

    /// Whether the chosen row was pressed once more.
    pub(super) fn mouse(&mut self, mouse: Mouse, state: &State, chosen: Option<u64>) -> bool {
        let before = self.cursor.row;
        let pressed = self.cursor.mouse(mouse, self.area, count(state, chosen));
        self.follow &= !(pressed.is_some() || matches!(mouse.kind, MouseKind::Wheel(_)));
        pressed == Some(before)
    }
}

fn count(state: &State, chosen: Option<u64>) -> usize {
    chosen.and_then(|number| state.watching.record.conversation(number)).map_or(0, |conversation| conversation.messages.len())
}

/// A conversation in a few lines.
fn about(conversation: &Conversation, state: &State, cells: usize) -> Vec<(Role, String)> {
    let (sign, role) = sign(conversation);
    let took = span(conversation.took(state.watching.record.now()));
    let first = conversation.first_answer().map_or_else(String::new, |ms| format!(" · first answer after {}", span(ms)));
    let late = if conversation.late > 0 { format!(" · {} after its end", conversation.late) } else { String::new() };
    let stands = format!("{sign} {} · {took}{first}{late}", standing(conversation));
    let mut lines: Vec<_> = wrap(&stands, cells.max(8)).into_iter().take(3).map(|line| (role, line)).collect();
    let messages = if conversation.count == 1 { "1 message".to_owned() } else { format!("{} messages", conversation.count) };
    let gone = conversation.count - conversation.messages.len() as u64;
    let gone = if gone > 0 { format!(", the first {gone} let go") } else { String::new() };
    let began = clock(conversation.began, state.wall.offset);
    lines.push((Role::Dim, format!("{began} · {messages} · {}{gone}", size::bytes(conversation.bytes))));
    let id = conversation.id.as_deref().map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
    let mut add = |role: Role, text: &str| lines.extend(wrap(text, cells.max(8)).into_iter().take(4).map(|line| (role, line)));
    add(Role::Dim, &id);
    add(Role::Dim, &conversation.subject);
    if !conversation.states.is_empty() {
        add(Role::State, &format!("states {}", conversation.states.join(" → ")));
    }
    if let Some(problem) = conversation.standing.problem() {
        add(Role::Error, &format!("{}: {}", problem.kind, problem.message));
    }
    lines.push((Role::Border, "─".repeat(cells)));
    lines
}

fn draw_row(buffer: &mut Buffer, line: Rect, styles: &Styles, state: &State, (conversation, number): (&Conversation, u64)) {
    let Some(message) = state.watching.record.message(number) else { return };
    let crossing = &message.crossing;
    let mut pen = Pen::new(buffer, line, 0);
    pen.put(&format!("{:>7} ", format!("+{}", crossing.at.since(conversation.began))), styles[Role::Dim]);
    if crossing.body.len() > LONGEST {
        pen.column(&message.label, 12, styles[Role::Dim]);
        pen.put(&format!("{} · Enter shows it", size::bytes(crossing.size)), styles[Role::Ghost]);
        return;
    }
    let reading = watched::read(crossing);
    pen.column(&reading.label, 12, styles[role_of(&reading.part)]);
    if let Some(state) = &reading.state {
        pen.put(&format!("[{state}] "), styles[Role::State]);
    }
    if crossing.kept == Kept::Masked {
        pen.put("masked ", styles[Role::Warning]);
    }
    let room = pen.room();
    let text: String = reading.text.chars().take(room + 1).collect();
    pen.put(&text.replace('\n', " "), styles[Role::Text]);
}
