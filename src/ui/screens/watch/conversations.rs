//! The middle pane: the conversations that the filter holds for, drawn as far as they are seen.

use ratatui::{buffer::Buffer, layout::Rect};

use super::labels::{clock_time, conversation_name, conversation_sign, progress_text, watch_reply};
use crate::{
    app::{
        input::{Code, Input, Key, Mouse, MouseKind},
        state::State,
        watching::{Source, WatchMessage},
    },
    engine::traffic::{conversation::Conversation, filter::Filter},
    schema::count::count_text,
    systems::watched,
    ui::{
        answer::events::short_duration,
        canvas::{Pen, mark_chosen, wrap},
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::{list::ListCursor, pane::Pane, text_input::TextInput},
    },
};

/// The middle pane.
pub(super) struct Conversations {
    cursor: ListCursor,
    /// The number of the chosen one.
    pub(super) chosen: Option<u64>,
    /// The newest one is chosen as it comes.
    pub(super) follow: bool,
    filter: Option<TypedFilter>,
    area: Rect,
    /// Rows that were drawn so far.
    pub(super) drawn: usize,
}

/// A filter that is being typed.
struct TypedFilter {
    input: TextInput,
    wrong: Option<String>,
}

impl Default for Conversations {
    fn default() -> Self {
        Self {
            cursor: ListCursor::default(),
            chosen: None,
            follow: true,
            filter: None,
            area: Rect::default(),
            drawn: 0,
        }
    }
}

impl Conversations {
    /// Takes in what came: the chosen one stays chosen, wherever it is now.
    pub(super) fn sync_state(&mut self, state: &State) {
        let record = &state.watching.record;
        let last = record.row_count().saturating_sub(1);
        let known = self.chosen.and_then(|number| record.row_of(number));
        match known {
            _ if self.follow => self.cursor.row = last,
            // It stays in its line, whatever is dropped or filtered out above it.
            Some(row) => self.cursor.follow_to(row),
            None => self.cursor.row = self.cursor.row.min(last),
        }
        self.choose_row(state);
    }

    /// Puts the cursor on a conversation; whether it is there.
    pub(super) fn point_at(&mut self, number: u64, state: &State) -> bool {
        let found = state.watching.record.row_of(number);
        if let Some(row) = found {
            self.follow = false;
            self.cursor.row = row;
            self.choose_row(state);
        }
        found.is_some()
    }

    fn choose_row(&mut self, state: &State) {
        self.chosen = state
            .watching
            .record
            .conversation_at(self.cursor.row)
            .map(|conversation| conversation.number);
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let record = &state.watching.record;
        let rows = record.row_count();
        let title = if record.view().is_empty() {
            format!("Conversations {rows}")
        } else {
            format!("Conversations {rows} of {}", record.len())
        };
        let hidden = if record.shows_routine() { 0 } else { record.routine_count() };
        let title = if hidden > 0 {
            format!("{title} · {hidden} hidden, {}", look.keymap.way_to("routine"))
        } else {
            title
        };
        let note = if let Some(held) = state.watching.held_count() {
            format!("‖ paused, {held} held")
        } else if self.follow {
            "follow ✓".to_owned()
        } else {
            format!("{} follow", look.keymap.way_to("follow-watch"))
        };
        let pane = Pane { title: &title, note: &note, focused, ..Pane::default() };
        let mut inside = pane.draw(buffer, area, styles);
        let shown = if state.watching.held_count().is_some() { "pause" } else { "follow-watch" };
        look.mouse.presses(pane.note_area(area), shown);
        if let Some(height) = self.draw_filter(buffer, inside, styles, record.view()) {
            inside = Rect { y: inside.y + height, height: inside.height - height, ..inside };
        }
        self.area = inside;
        if rows == 0 {
            return draw_empty(buffer, inside, look, state);
        }
        let window = self.cursor.visible_rows(rows, inside.height);
        self.cursor.draw_position(rows, buffer, area, styles);
        let first = window.start;
        for row in window {
            let Some(conversation) = record.conversation_at(row) else { continue };
            self.drawn += 1;
            let line =
                Rect { y: inside.y + u16::try_from(row - first).unwrap_or(0), height: 1, ..inside };
            draw_row(buffer, line, styles, conversation, state);
            if row == self.cursor.row {
                mark_chosen(buffer, line, 0, styles, focused);
            }
        }
    }

    /// The filter's line, and below it what is wrong with it; how many lines that takes.
    fn draw_filter(
        &mut self,
        buffer: &mut Buffer,
        inside: Rect,
        styles: &Styles,
        view: &Filter,
    ) -> Option<u16> {
        let line = Rect { height: 1.min(inside.height), ..inside };
        let Some(typed) = &mut self.filter else {
            if view.is_empty() {
                return None;
            }
            Pen::new(buffer, line, 0)
                .put_text("/ ", styles[Role::Accent])
                .put_text(&view.to_string(), styles[Role::Accent]);
            return Some(line.height);
        };
        Pen::new(buffer, line, 0).put_text("/ ", styles[Role::Accent]);
        let field = Rect { x: line.x + 2, width: line.width.saturating_sub(2), ..line };
        typed.input.draw(buffer, field, styles[Role::FieldFocus], Some(styles[Role::Cursor]));
        if typed.input.text().is_empty() {
            Pen::new(buffer, field, 0).skip(1).put_text(
                "words  is:failed  >500ms  id:…  on:SUBJECT  state:…  -not",
                styles[Role::Ghost],
            );
        }
        let Some(wrong) = &typed.wrong else { return Some(line.height) };
        let lines = wrap(&format!("⚠ {wrong}"), usize::from(inside.width));
        for (row, line) in (1..inside.height).zip(&lines) {
            Pen::new(buffer, inside, row).put_text(line, styles[Role::Warning]);
        }
        Some(u16::try_from(lines.len() + 1).unwrap_or(u16::MAX).min(inside.height))
    }

    pub(super) fn is_typing(&self) -> bool {
        self.filter.is_some()
    }

    pub(super) fn open_filter(&mut self, state: &State) {
        self.filter = Some(TypedFilter {
            input: TextInput::selected_whole(state.watching.record.view().to_string()),
            wrong: None,
        });
    }

    /// Takes what is typed into the filter.
    pub(super) fn handle_filter_input(&mut self, input: &Input) -> Reply {
        let Some(typed) = &mut self.filter else { return Reply::Ignored };
        let changed = match input {
            Input::Key(key) if key.is_plain(Code::Esc) => {
                self.filter = None;
                return watch_reply(WatchMessage::Filter(String::new()));
            }
            Input::Key(key) if key.code == Code::Enter => {
                self.filter = typed.wrong.is_some().then(|| TypedFilter {
                    input: typed.input.clone(),
                    wrong: typed.wrong.clone(),
                });
                return Reply::Handled;
            }
            Input::Key(key) => typed.input.handle_key(*key),
            Input::Paste(text) => {
                typed.input.insert(text);
                true
            }
            Input::Mouse(_) => false,
        };
        if !changed {
            return Reply::Ignored;
        }
        match Filter::parse(typed.input.text()) {
            Ok(filter) => {
                typed.wrong = None;
                watch_reply(WatchMessage::Filter(filter.to_string()))
            }
            Err(wrong) => {
                typed.wrong = Some(wrong);
                watch_reply(WatchMessage::Filter(String::new()))
            }
        }
    }

    pub(super) fn handle_key(&mut self, key: Key, state: &State) -> bool {
        let taken = self.cursor.handle_key(key, state.watching.record.row_count());
        if taken {
            self.follow = key.code == Code::End;
            self.choose_row(state);
        }
        taken
    }

    pub(super) fn handle_mouse(&mut self, mouse: Mouse, state: &State) {
        if self.filter.as_mut().is_some_and(|typed| typed.input.handle_mouse(mouse)) {
            return;
        }
        let rows = state.watching.record.row_count();
        let chosen = self.cursor.handle_mouse(mouse, self.area, rows);
        if chosen.is_some() || matches!(mouse.kind, MouseKind::Wheel(_)) {
            self.follow = false;
            self.choose_row(state);
        }
    }
}

fn draw_row(
    buffer: &mut Buffer,
    line: Rect,
    styles: &Styles,
    conversation: &Conversation,
    state: &State,
) {
    let record = &state.watching.record;
    let (sign, role) = conversation_sign(conversation);
    let wide = line.width >= 60;
    let widest = line.width >= 90;
    let mut pen = Pen::new(buffer, line, 0);
    pen.put_text(if conversation.rang > 0 { "!" } else { " " }, styles[Role::Warning])
        .put_text(sign, styles[role])
        .put_text(" ", styles[Role::Text]);
    if wide {
        pen.put_text(&clock_time(conversation.began, state.wall.offset), styles[Role::Dim])
            .put_text(" ", styles[Role::Text]);
    }
    // What is part of another is below it.
    let topic = conversation_name(conversation);
    let name = if conversation.whole.is_some() { format!("└ {topic}") } else { topic.to_owned() };
    pen.put_column(&name, if wide { 18 } else { 11 }, styles[Role::Label])
        .put_text(" ", styles[Role::Text]);
    if widest {
        let count = count_text(conversation.count, "message", "messages");
        pen.put_text(&format!("{count:>14} "), styles[Role::Dim]);
    } else if wide {
        pen.put_text(&format!("{:>6} ", conversation.count), styles[Role::Dim]);
    }
    pen.put_text(
        &format!("{:>8} ", short_duration(conversation.elapsed_ms(record.latest_time()))),
        styles[Role::Dim],
    );
    if !conversation.remarks.is_empty() {
        pen.put_text("⚠ ", styles[Role::Warning]);
    }
    let said = &conversation.said;
    if let Some(problem) = conversation.standing.problem() {
        pen.put_text(&problem.message.replace('\n', " "), styles[Role::Error]);
    } else if let Some((role, words)) = progress_text(conversation, record.latest_time()) {
        pen.put_text(&words, styles[role])
            .put_text("  ", styles[Role::Text])
            .put_text(&said.replace('\n', " "), styles[Role::Dim]);
    } else {
        let over = conversation.whole.is_some() && conversation.has_ended();
        let tells = !said.is_empty()
            && (conversation.asked.is_empty()
                || over
                || !conversation.states.is_empty() && conversation.topic.is_some());
        // The name goes without saying once more.
        let asked = conversation
            .asked
            .strip_prefix(topic)
            .map_or(&*conversation.asked, |rest| rest.trim_start_matches([' ', '·']));
        pen.put_text(&if tells { said } else { asked }.replace('\n', " "), styles[Role::Text]);
    }
}

/// What to do where there is nothing to see.
fn draw_empty(buffer: &mut Buffer, inside: Rect, look: Look<'_>, state: &State) {
    let (watching, key) = (&state.watching, |act| look.keymap.way_to(act));
    let words = match &watching.source {
        _ if watching.record.heard_count() > 0 => {
            "no conversation matches the filter; Esc shows all".to_owned()
        }
        Source::Listening if watching.held_count().is_some() => {
            format!("paused; {} resumes and shows what arrived in the meantime", key("pause"))
        }
        Source::Listening if state.watched_connection().is_embedded() => format!(
            "No traffic yet. On embedded only calls of Invoke appear; {} chooses another connection, \
             {} adds one.",
            key("connection"),
            key("show-connections")
        ),
        Source::Listening => "No traffic yet".to_owned(),
        Source::Opening => "opening the connection …".to_owned(),
        _ if let Err(problem) = watched::require_watchable(&state.connection_to_watch()) => {
            format!(
                "{}: {}. {} opens a saved trace.",
                problem.cause,
                problem.remedy,
                key("open-trace")
            )
        }
        _ if let Some(whole) = watched::server_watch(&state.connection_to_watch()) => format!(
            "Press {} to see {} as conversations: a request with its progress, logs, questions \
            and answer. Calls from Invoke use the same connection; {} opens a saved trace.",
            key("watch"),
            whole.words,
            key("open-trace")
        ),
        _ if state.connection_to_watch().is_embedded() => format!(
            "Press {} to watch calls of Invoke on embedded. {} chooses the connection of a broker, {} \
             adds one. {} opens a saved trace.",
            key("watch"),
            key("connection"),
            key("show-connections"),
            key("open-trace")
        ),
        _ => format!(
            "Press {} to watch the queues of this workspace's services, or other subjects; {} \
            opens a saved trace. \
             Passive: clients and services aren't affected.",
            key("watch"),
            key("open-trace")
        ),
    };
    let lines = wrap(&words, usize::from(inside.width.saturating_sub(2)));
    for (row, line) in (0..inside.height).zip(lines) {
        Pen::new(buffer, inside, row).skip(1).put_text(&line, look.styles[Role::Ghost]);
    }
}
