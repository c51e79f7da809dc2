//! The kept calls, newest first, narrowed by what is looked for.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        history::HistoryMessage,
        input::{Input, Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    engine::{
        agent_loop::event::RUN_PREFIX,
        trace::{
            argument_words::argument_words,
            wanted::{TraceFilter, WORDS},
        },
    },
    model::{call::Call, clock::Millis, stub::MOCK_CONNECTION, trace::Summary},
    schema::moment::{LocalTime, month_name},
    ui::{
        answer::events::{call_sign, format_duration, outcome_role, outcome_sign, test_sign},
        canvas::{Pen, mark_chosen, text_width, truncate_text, wrap},
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::{
            find_line::{FindKey, FindLine},
            list::ListCursor,
            pane::{Pane, draw_foot},
        },
    },
};

#[derive(Default)]
pub(super) struct List {
    cursor: ListCursor,
    /// Its text is the query of the state.
    find: FindLine,
    rows: Rect,
}

impl List {
    pub(super) fn sync_state(&mut self, state: &State) {
        if let Some(row) = state.invoke.kept.selected_row() {
            self.cursor.row = row;
        }
        self.find.follow_text(&state.invoke.kept.query);
    }

    pub(super) fn is_typing(&self) -> bool {
        self.find.is_typing()
    }

    pub(super) fn open_find(&mut self) {
        self.find.open();
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
        let kept = &state.invoke.kept;
        let calls = &kept.listing.calls;
        let title = format!("Calls {}", calls.len() + kept.listing.older);
        let note = match kept.is_loading() {
            true => "reading …".to_owned(),
            false => format!("{} find", look.keymap.way_to("find")),
        };
        let older = if kept.listing.older > 0 {
            format!(" · {} older", kept.listing.older)
        } else {
            String::new()
        };
        let pane = Pane { title: &title, note: &note, focused, ..Pane::default() };
        let mut inside = pane.draw(buffer, area, styles);
        if !self.find.is_typing() && !kept.is_loading() {
            look.mouse.presses(pane.note_area(area), "find");
        }
        inside = self.find.draw(buffer, inside, styles, focused);
        if self.find.is_typing() {
            let words = wrap(WORDS, usize::from(inside.width));
            let height = (inside.height / 4).min(words.len().try_into().unwrap_or(u16::MAX));
            for (row, words) in (0..height).zip(&words) {
                Pen::new(buffer, inside, row).put_text(words, styles[Role::Dim]);
            }
            inside = Rect { y: inside.y + height, height: inside.height - height, ..inside };
        }
        self.rows = inside;
        if calls.is_empty() && !kept.is_loading() {
            let (words, role) = match TraceFilter::check_words(&kept.query) {
                Err(wrong) => (wrong, Role::Warning),
                Ok(()) if kept.query.is_empty() => match &kept.not_kept {
                    Some(problem) => (format!("calls can't be saved: {problem}"), Role::Warning),
                    None => ("no calls yet".to_owned(), Role::Ghost),
                },
                Ok(()) => ("no match".to_owned(), Role::Ghost),
            };
            let lines = wrap(&words, usize::from(inside.width.saturating_sub(2)));
            for (row, line) in (0..inside.height).zip(lines) {
                Pen::new(buffer, inside, row).skip(2).put_text(&line, styles[role]);
            }
        }
        let today = state.wall;
        let window = self.cursor.visible_rows(calls.len(), inside.height);
        let place = self.cursor.position_text(calls.len());
        let foot = place.map_or_else(|| older.clone(), |place| format!("{place}{older}"));
        draw_foot(&foot, buffer, area, styles);
        for (line, row) in (0_u16..).zip(window) {
            let call = &calls[row];
            let here = kept.selected.as_ref() == Some(&call.id);
            let marked = kept.marked.contains(&call.id);
            let usual = &state.network.connections.usual;
            let mut pen = Pen::new(buffer, inside, line);
            let running = state.invoke.calls.running_kept(&call.id);
            draw_row(&mut pen, (call, running), (here, marked), today, usual, styles);
            if here {
                mark_chosen(buffer, inside, line, styles, focused);
            }
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        match input {
            Input::Key(key) => self.handle_key(*key, state),
            Input::Paste(text) if self.find.insert(text) => self.search(),
            Input::Paste(_) => Reply::Ignored,
            Input::Mouse(mouse) => self.handle_mouse(*mouse, state),
        }
    }

    fn handle_key(&mut self, key: Key, state: &State) -> Reply {
        // A list that stays narrowed is only one of the things that Esc leaves here.
        if self.find.is_typing() {
            match self.find.handle_key(key) {
                FindKey::Typed | FindKey::Cleared => return self.search(),
                FindKey::Accepted => return Reply::Handled,
                FindKey::Passed => {}
            }
        }
        let calls = &state.invoke.kept.listing.calls;
        if self.cursor.handle_key(key, calls.len()) {
            self.choose_row(state)
        } else {
            Reply::Ignored
        }
    }

    fn search(&self) -> Reply {
        Reply::send(Message::History(HistoryMessage::Find(self.find.text().to_owned())))
    }

    fn choose_row(&self, state: &State) -> Reply {
        let chosen = state.invoke.kept.listing.calls.get(self.cursor.row).map(|call| &call.id);
        match chosen.filter(|id| state.invoke.kept.selected.as_ref() != Some(*id)) {
            Some(id) => Reply::send(Message::History(HistoryMessage::Select(id.clone()))),
            None => Reply::Handled,
        }
    }

    fn handle_mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        if self.find.handle_mouse(mouse) {
            return Reply::Handled;
        }
        let pressed =
            self.cursor.handle_mouse(mouse, self.rows, state.invoke.kept.listing.calls.len());
        if pressed.is_some() || matches!(mouse.kind, MouseKind::Wheel(_)) {
            self.choose_row(state)
        } else {
            Reply::Handled
        }
    }
}

/// So many cells of what a call was called with are shown, whatever its tool is called.
const ARGUMENTS: usize = 16;

/// Sign, time, tool, arguments as far as they fit, how long it took.
fn draw_row(
    pen: &mut Pen<'_>,
    // What is kept of it, and the call while it runs.
    (call, running): (&Summary, Option<&Call>),
    (here, marked): (bool, bool),
    now: LocalTime,
    // The workspace's own connection, of which nothing needs to be said.
    usual: &str,
    styles: &Styles,
) {
    let ended = || {
        let sign = |outcome| (outcome_sign(outcome), outcome_role(outcome));
        call.outcome.map_or(("○", Role::Warning), sign)
    };
    let now_shown = || match running.map(call_sign) {
        Some((sign, _, role)) => (sign, role),
        None => ended(),
    };
    let tested = call.has_passed.map(test_sign);
    let (sign, role) = tested.map_or_else(now_shown, |(sign, _, role)| (sign, role));
    // What is kept so far says nothing of how long it will take.
    let took = match running {
        Some(_) => "running".to_owned(),
        None => call.known_duration().map(format_duration).unwrap_or_default(),
    };
    pen.put_text(if here { "▌" } else { " " }, styles[Role::Accent])
        .put_text(if marked { "◆" } else { " " }, styles[Role::Accent])
        .put_text(sign, styles[role])
        .put_text(" ", styles[Role::Text])
        .put_column(&time_or_date(call.at, now), 9, styles[Role::Dim]);
    let room = pen.remaining_cells().saturating_sub(text_width(&took) + 1);
    let words = argument_words(&call.arguments);
    // What distinguishes calls of a tool is worth more than all of its name and its connection.
    let wanted = if words.is_empty() { 0 } else { text_width(&words).min(ARGUMENTS) + 2 };
    let label = call_label(call, usual, room.saturating_sub(wanted).max(room * 2 / 5));
    pen.put_text(&label, styles[Role::Text]);
    let cells = room.saturating_sub(text_width(&label) + 2);
    if cells > 2 {
        pen.put_text("  ", styles[Role::Text]).put_column(&words, cells, styles[Role::Dim]);
    }
    pen.put_right(&took, styles[Role::Dim]);
}

/// The tool, and where it was called if that isn't the usual connection and there is room.
fn call_label<'c>(call: &'c Summary, usual: &str, cells: usize) -> Cow<'c, str> {
    const MOCKED: &str = " (mocked)";
    match &*call.connection {
        // A mock's answer is none of the service.
        MOCK_CONNECTION => {
            let tool = truncate_text(&call.tool, cells.saturating_sub(MOCKED.len()).max(1));
            Cow::Owned(format!("{tool}{MOCKED}"))
        }
        // A model's run has the connection in its name.
        there if there == usual || call.tool.starts_with(RUN_PREFIX) => {
            truncate_text(&call.tool, cells)
        }
        there => {
            let whole = format!("{} · {there}", call.tool);
            if text_width(&whole) > cells {
                return truncate_text(&call.tool, cells);
            }
            Cow::Owned(whole)
        }
    }
}

/// The time of today's calls, the date of others.
pub(crate) fn time_or_date(at: Millis, now: LocalTime) -> String {
    let at = LocalTime {
        seconds: i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX / 2),
        offset: now.offset,
    };
    if at.date() == now.date() || now.seconds == 0 {
        at.clock_time()
    } else {
        let date = at.date();
        format!("{} {}", date.day(), &month_name(date)[..3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::history,
        model::{call::CallId, trace::Head},
        ui::theme::Theme,
    };

    /// A call's row in the list of a screen that is so wide.
    fn row(tool: &str, connection: &str, arguments: &str) -> String {
        row_after(5_300, (tool, connection, arguments))
    }

    fn row_after(took_ms: u64, call: (&str, &str, &str)) -> String {
        row_of(took_ms, call, None)
    }

    fn row_of(
        took_ms: u64,
        (tool, connection, arguments): (&str, &str, &str),
        running: Option<&Call>,
    ) -> String {
        let area = Rect::new(0, 0, 52, 1);
        let mut buffer = Buffer::empty(area);
        let call = Summary {
            id: "1".into(),
            at: Millis(0),
            tool: tool.into(),
            connection: connection.into(),
            arguments: arguments.into(),
            outcome: None,
            error: None,
            sent_ms: None,
            took_ms,
            first_ms: None,
            chunks: 0,
            size: 0,
            strays: 0,
            has_passed: None,
        };
        let now = LocalTime { seconds: 0, offset: 0 };
        let styles = Theme::default().styles;
        let mut pen = Pen::new(&mut buffer, area, 0);
        draw_row(&mut pen, (&call, running), (false, false), now, "local", &styles);
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn a_call_that_runs_is_none_that_was_never_finished() {
        let request = history::request_of(&Head::default(), None);
        let running = Call::new(CallId(1), request, "here", Millis(0));
        let row = row_of(505, ("ask", "local", "{}"), Some(&running));
        assert!(row.contains('◌') && row.trim_end().ends_with("running"), "{row:?}");
        let killed = row_of(505, ("ask", "local", "{}"), None);
        assert!(killed.contains('○') && killed.trim_end().ends_with("505 ms"), "{killed:?}");
    }

    #[test]
    fn what_a_call_was_called_with_has_room_beside_a_long_name() {
        let arguments = r#"{"question": "late deliveries of March"}"#;
        for (tool, connection, shown) in [
            ("ask", "local", "ask  late deliveries of March"),
            ("ask", "staging", "ask · staging  late deliveries"),
            ("query-customers-by-region", "staging", "query-customer…  late deliver"),
            ("query-customers", MOCK_CONNECTION, "query… (mocked)  late deliver"),
        ] {
            let row = row(tool, connection, arguments);
            assert!(row.contains(shown) && row.ends_with("5.3 s"), "{row:?}");
        }
        let begun = row_after(0, ("ask", "local", arguments));
        assert!(begun.contains("ask  late") && !begun.contains(" ms"), "{begun:?}");
        let alone = row("query-customers-by-region", "local", "{}");
        assert!(alone.contains("query-customers-by-region "), "{alone:?}");
    }
}
