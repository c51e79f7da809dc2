//! The right pane: one conversation in a few lines, and its messages with their times, decoded as
//! far as they are seen.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect};

use super::labels::{
    clock_time, conversation_name, conversation_sign, conversation_state, progress_text, role_of,
    text_tail,
};
use crate::{
    app::{
        input::{Code, Key, Mouse, MouseKind},
        state::State,
    },
    engine::traffic::conversation::{Conversation, ConversationState},
    model::{
        size,
        traffic::{KeptMessage, Part},
    },
    schema::count::count_text,
    systems::watched,
    ui::{
        answer::events::format_duration,
        canvas::{Pen, mark_chosen, text_width, wrap, wrap_to},
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
    /// The message that is read, and how many of its conversation were dropped by then.
    read: Option<u64>,
    dropped: u64,
    /// The pieces of an answer stand one by one.
    pub(super) each: bool,
    area: Rect,
    /// Rows that were drawn, and messages that were decoded for them, so far.
    pub(super) drawn: usize,
}

impl Messages {
    /// Takes in which conversation is shown. What is read of it stays in its line while older messages
    /// are dropped from memory.
    pub(super) fn sync_conversation(&mut self, conversation: Option<&Conversation>) {
        let shown = conversation.map(|conversation| conversation.number);
        if self.of != shown {
            self.of = shown;
            self.cursor = ListCursor::default();
            self.follow = true;
            self.read = None;
        }
        let Some(conversation) = conversation else { return };
        let dropped = conversation.dropped_count();
        if std::mem::replace(&mut self.dropped, dropped) != dropped
            && let Some(message) = self.read.filter(|_| !self.follow)
        {
            let place = conversation.messages.partition_point(|known| *known < message);
            let row = if self.each { place } else { conversation.row_at(place) };
            self.cursor.follow_to(row);
        }
    }

    /// Notes which message is read.
    fn note_read(&mut self, conversation: Option<&Conversation>) {
        self.read = conversation.and_then(|conversation| {
            conversation.messages.get(self.chosen_messages(conversation).start).copied()
        });
    }

    /// The places in its conversation of what is in the chosen row.
    pub(super) fn chosen_messages(&self, conversation: &Conversation) -> Range<usize> {
        self.row_messages(conversation, self.cursor.row)
    }

    fn row_messages(&self, conversation: &Conversation, row: usize) -> Range<usize> {
        if self.each {
            row..(row + 1).min(conversation.messages.len())
        } else {
            conversation.row_range(row)
        }
    }

    fn row_count(&self, conversation: &Conversation) -> usize {
        if self.each { conversation.messages.len() } else { conversation.row_count() }
    }

    /// Shows pieces one by one, or together; the chosen one stays chosen as far as it can.
    pub(super) fn toggle_grouping(&mut self, conversation: Option<&Conversation>) {
        let at = conversation.map_or(0, |conversation| self.chosen_messages(conversation).start);
        self.each = !self.each;
        let row = conversation.and_then(|conversation| {
            (0..self.row_count(conversation))
                .find(|row| self.row_messages(conversation, *row).contains(&at))
        });
        self.cursor.row = row.unwrap_or(0);
        self.note_read(conversation);
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
        let rows = conversation.map_or(0, |conversation| self.row_count(conversation));
        let title = conversation.map_or_else(
            || "Messages".to_owned(),
            |conversation| format!("Messages of conversation {}", conversation.number),
        );
        let held = state.watching.held_count();
        let note = held.map_or_else(String::new, |held| format!("‖ paused, {held} held"));
        let pane = Pane { title: &title, note: &note, focused, ..Pane::default() };
        let inside = pane.draw(buffer, area, styles);
        if held.is_some() {
            look.mouse.presses(pane.note_area(area), "pause");
        }
        look.mouse.reads(inside);
        let Some(conversation) = conversation else {
            self.area = Rect::default();
            return;
        };
        let lines =
            conversation_lines(conversation, state, usize::from(inside.width.saturating_sub(2)));
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inside.height / 2);
        for (row, (role, text)) in (0..height).zip(&lines) {
            Pen::new(buffer, inside, row).skip(1).put_text(text, styles[*role]);
        }
        self.area = Rect { y: inside.y + height, height: inside.height - height, ..inside };
        if self.follow {
            self.cursor.row = rows.saturating_sub(1);
        }
        let window = self.cursor.visible_rows(rows, self.area.height);
        self.cursor.draw_position(rows, buffer, area, styles);
        let first = window.start;
        for row in window {
            let place = self.row_messages(conversation, row);
            self.drawn += 1;
            let line = Rect {
                y: self.area.y + u16::try_from(row - first).unwrap_or(0),
                height: 1,
                ..self.area
            };
            draw_row(buffer, line, styles, state, (conversation, place));
            if row == self.cursor.row {
                mark_chosen(buffer, line, 0, styles, focused);
            }
        }
    }

    pub(super) fn handle_key(&mut self, key: Key, state: &State, chosen: Option<u64>) -> bool {
        let conversation = chosen.and_then(|number| state.watching.record.conversation(number));
        let rows = conversation.map_or(0, |conversation| self.row_count(conversation));
        let taken = self.cursor.handle_key(key, rows);
        if taken {
            self.follow = key.code == Code::End;
            self.note_read(conversation);
        }
        taken
    }

    /// Whether the chosen row was pressed once more.
    pub(super) fn handle_mouse(
        &mut self,
        mouse: Mouse,
        state: &State,
        chosen: Option<u64>,
    ) -> bool {
        let before = self.cursor.row;
        let conversation = chosen.and_then(|number| state.watching.record.conversation(number));
        let rows = conversation.map_or(0, |conversation| self.row_count(conversation));
        let pressed = self.cursor.handle_mouse(mouse, self.area, rows);
        self.follow &= !(pressed.is_some() || matches!(mouse.kind, MouseKind::Wheel(_)));
        self.note_read(conversation);
        pressed == Some(before)
    }
}

/// A conversation in a few lines.
fn conversation_lines(
    conversation: &Conversation,
    state: &State,
    cells: usize,
) -> Vec<(Role, String)> {
    let (sign, role) = conversation_sign(conversation);
    let took = format_duration(conversation.elapsed_ms(state.watching.record.latest_time()));
    let first = conversation
        .first_answer()
        .map_or_else(String::new, |ms| format!(" · first answer after {}", format_duration(ms)));
    let late = if conversation.late > 0 {
        format!(" · {} after its end", conversation.late)
    } else {
        String::new()
    };
    let stands = format!("{sign} {} · {took}{first}{late}", conversation_state(conversation));
    let mut lines: Vec<_> =
        wrap_to(&stands, cells.max(8), 3).into_iter().map(|line| (role, line)).collect();
    lines.extend(now_of(conversation, state, cells.max(8)));
    let messages = count_text(conversation.count, "message", "messages");
    let gone = conversation.count - conversation.messages.len() as u64;
    let gone = if gone > 0 { format!(", the first {gone} dropped") } else { String::new() };
    let began = clock_time(conversation.began, state.wall.offset);
    lines.push((
        Role::Dim,
        format!("{began} · {messages} · {}{gone}", size::format_size(conversation.bytes)),
    ));
    let id = conversation.id.as_deref().map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
    let mut add = |role: Role, text: &str| {
        let most = if role == Role::Error { 8 } else { 4 };
        lines.extend(wrap_to(text, cells.max(8), most).into_iter().map(|line| (role, line)));
    };
    add(Role::Dim, &id);
    add(Role::Dim, &conversation.subject);
    if let Some(trace) = &conversation.trace {
        add(Role::Dim, &format!("trace {trace}"));
    }
    if let Some(by) = &conversation.asked_by {
        let known = state.watching.record.find_by_name(&by.id);
        let stands = known.map_or_else(String::new, |known| {
            format!(" · conversation {}, {}", known.number, conversation_state(known))
        });
        add(
            Role::Dim,
            &format!(
                "asked for by {}{stands} · {}",
                by.topic.as_deref().unwrap_or("another turn"),
                by.id
            ),
        );
    }
    if !conversation.states.is_empty() {
        add(Role::State, &format!("states {}", conversation.states.join(" → ")));
    }
    if let Some(problem) = conversation.standing.problem() {
        add(Role::Error, &problem.words());
    }
    lines.push((Role::Border, "─".repeat(cells)));
    lines
}

/// How it goes now: what it waits for, what may be the matter, what is odd, its parts, and what it
/// says while it says it.
fn now_of(conversation: &Conversation, state: &State, cells: usize) -> Vec<(Role, String)> {
    let record = &state.watching.record;
    let now = record.latest_time();
    let mut lines = Vec::new();
    let mut add = |role: Role, text: &str, most: usize| {
        lines.extend(wrap_to(text, cells, most).into_iter().map(|line| (role, line)));
    };
    if let Some((role, words)) = progress_text(conversation, now) {
        add(role, &words, 2);
    }
    if let Some(words) = watched::waiting_reason(conversation, now) {
        add(Role::Warning, &format!("⚠ {words}"), 6);
    }
    for remark in conversation.remarks.iter().rev().take(2) {
        add(Role::Warning, &format!("⚠ {}", remark.words), 6);
    }
    let parts =
        conversation.parts.iter().rev().take(3).filter_map(|number| record.conversation(*number));
    for part in parts {
        let (sign, role) = conversation_sign(part);
        add(
            role,
            &format!(
                "└ {sign} {} · {} · {}",
                conversation_name(part),
                conversation_state(part),
                format_duration(part.elapsed_ms(now))
            ),
            1,
        );
    }
    if conversation.standing == ConversationState::Open && !conversation.said.is_empty() {
        let said = wrap(&latest_text(conversation, state), cells.saturating_sub(2).max(8));
        let last = said.len().saturating_sub(4);
        said[last..].iter().for_each(|line| add(Role::Text, &format!("│ {line}"), 1));
    }
    lines
}

/// The end of what it has said last, decoded from its pieces as far back as is shown.
fn latest_text(conversation: &Conversation, state: &State) -> String {
    let pieces =
        (0..conversation.row_count()).rev().map(|row| conversation.row_range(row)).find(|row| {
            let first = conversation
                .messages
                .get(row.start)
                .and_then(|number| state.watching.record.message(*number));
            first.is_some_and(|message| {
                watched::classify_message(&message.crossing).part == Part::Answer { last: false }
            })
        });
    pieces.map_or_else(String::new, |row| end_of(conversation, state, row))
}

/// The end of what some messages say together.
fn end_of(conversation: &Conversation, state: &State, row: Range<usize>) -> String {
    /// So many letters, of so many messages at most.
    const LETTERS: usize = 600;
    const MESSAGES: usize = 200;
    let mut texts: Vec<String> = Vec::new();
    let mut letters = 0;
    for place in row.rev().take(MESSAGES) {
        let message = conversation
            .messages
            .get(place)
            .and_then(|number| state.watching.record.message(*number));
        let Some(message) = message.filter(|message| message.crossing.body.len() <= LONGEST) else {
            continue;
        };
        let text = watched::classify_message(&message.crossing).text;
        letters += text.chars().count();
        texts.push(text);
        if letters >= LETTERS {
            break;
        }
    }
    texts.into_iter().rev().collect()
}

/// The newest messages of a conversation in lines: when after its begin, what each is, what it says.
pub(super) fn message_lines(conversation: &Conversation, state: &State) -> Vec<String> {
    /// So many messages, and so many letters of each.
    const MESSAGES: usize = 100;
    const LETTERS: usize = 200;
    let numbers = conversation.messages.iter();
    let gone = conversation.messages.len().saturating_sub(MESSAGES);
    let earlier = (gone > 0).then(|| format!("{gone} earlier messages are not listed."));
    let line = |number: &u64| {
        let crossing = &state.watching.record.message(*number)?.crossing;
        let at = crossing.at.since(conversation.began);
        if crossing.body.len() > LONGEST {
            return Some(format!("+{at} ms: {}", size::format_size(crossing.size)));
        }
        let reading = watched::classify_message(crossing);
        let text: String = reading.text.chars().take(LETTERS).collect();
        Some(format!("+{at} ms {}: {}", reading.label, text.replace('\n', " ")))
    };
    earlier.into_iter().chain(numbers.skip(gone).filter_map(line)).collect()
}

/// The cells of a label with the space after it: of most, as many as of all others.
fn label_cells(label: &str) -> usize {
    text_width(label).max(11) + 1
}

fn draw_row(
    buffer: &mut Buffer,
    line: Rect,
    styles: &Styles,
    state: &State,
    (conversation, place): (&Conversation, Range<usize>),
) {
    let record = &state.watching.record;
    let message = conversation.messages.get(place.start).and_then(|number| record.message(*number));
    let Some(message) = message else { return };
    let crossing = &message.crossing;
    let mut pen = Pen::new(buffer, line, 0);
    pen.put_text(
        &format!("{:>7} ", format!("+{}", crossing.at.since(conversation.began))),
        styles[Role::Dim],
    );
    if crossing.body.len() > LONGEST {
        pen.put_column(&message.label, 12, styles[Role::Dim]);
        pen.put_text(
            &format!("{} · Enter shows it", size::format_size(crossing.size)),
            styles[Role::Ghost],
        );
        return;
    }
    let reading = watched::classify_message(crossing);
    let part =
        record.conversation(message.conversation).filter(|part| part.number != conversation.number);
    let label = match (part, place.len()) {
        (Some(_), _) => format!("└ {}", reading.label),
        (None, 0..2) => reading.label.to_string(),
        (None, pieces) => format!("{} ×{pieces}", reading.label),
    };
    pen.put_column(&label, label_cells(&label), styles[role_of(&reading.part)]);
    if conversation.remarks.iter().any(|remark| remark.message == message.number) {
        pen.put_text("⚠ ", styles[Role::Warning]);
    }
    if let Some(state) = &reading.state {
        pen.put_text(&format!("[{state}] "), styles[Role::State]);
    }
    if crossing.kept == KeptMessage::Masked {
        pen.put_text("masked ", styles[Role::Warning]);
    }
    if let Some(name) =
        part.and_then(|part| part.topic.as_deref()).filter(|name| !reading.text.starts_with(name))
    {
        pen.put_text(&format!("{name} "), styles[Role::Label]);
    }
    let room = pen.remaining_cells();
    let pieces = place.len();
    let text: String = if pieces > 1 { end_of(conversation, state, place) } else { reading.text };
    let text: String = text
        .chars()
        .take(LONGEST)
        .map(|letter| if letter == '\n' { ' ' } else { letter })
        .collect();
    // Of what still comes the end is seen.
    let text =
        if pieces > 1 { text_tail(&text, room) } else { text.chars().take(room + 1).collect() };
    pen.put_text(&text, styles[Role::Text]);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        engine::traffic::record::{Record, RecordBounds},
        model::{
            clock::Millis,
            traffic::{Decoded, ObservedMessage, WatchedItem},
        },
    };

    fn witnessed(at: u64, part: Part) -> WatchedItem {
        let message = ObservedMessage {
            at: Millis(at),
            subject: "tg.response.joke".into(),
            reply: None,
            headers: Vec::new(),
            body: b"x".as_slice().into(),
            size: 1,
            kept: KeptMessage::Whole,
            about: None,
        };
        let label = part.as_str();
        let decoded = Decoded::new(Some("trustgraph"), part, label, "x");
        WatchedItem::ObservedMessage(
            Arc::new(message),
            Decoded { id: Some("a".to_owned()), ..decoded },
        )
    }

    #[test]
    fn a_label_never_touches_what_is_said() {
        assert_eq!((label_cells("chunk ×4"), label_cells("chunk ×60000")), (12, 13));
    }

    #[test]
    fn what_is_read_stays_in_its_line_while_older_messages_are_dropped() {
        let mut record = Record::new(RecordBounds { messages: 20, ..RecordBounds::default() });
        record.add_witnessed(witnessed(0, Part::Request));
        let mut pieces = (1..).map(|at| witnessed(at, Part::Answer { last: false }));
        pieces.by_ref().take(19).for_each(|piece| drop(record.add_witnessed(piece)));
        let mut messages = Messages { each: true, ..Messages::default() };
        messages.sync_conversation(record.conversation(1));
        (messages.follow, messages.cursor.row) = (false, 10);
        messages.note_read(record.conversation(1));
        let read = messages.read;
        pieces.by_ref().take(5).for_each(|piece| drop(record.add_witnessed(piece)));
        messages.sync_conversation(record.conversation(1));
        assert_eq!(messages.cursor.row, 5);
        messages.note_read(record.conversation(1));
        assert_eq!(messages.read, read);
        let one = record.conversation(1).unwrap();
        for row in 0..one.row_count() {
            assert!(one.row_range(row).all(|place| one.row_at(place) == row), "{row}");
        }
    }
}
