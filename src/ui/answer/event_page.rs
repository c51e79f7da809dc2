//! One event in full over the screen, from which one goes on to the next of its view.

use ratatui::{Frame, layout::Rect};
use serde_json::Value;

use super::events::{EventFilter, EventRow, Listing, LogRow};
use crate::{
    app::{
        input::{Code, Input, Key},
        message::{Message, ScreenId},
        state::State,
        verbs,
    },
    model::{
        call::{Call, CallId, EventKind},
        size,
    },
    ui::{
        overlays::page::PageOverlay,
        sheet::{Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
    },
};

/// So many cells a line of such a page takes at most.
pub(super) const CELLS: usize = 90;

/// The page of an event.
struct EventPage {
    page: PageOverlay,
    /// Its text as it came.
    text: String,
    /// Whose event it is.
    call: CallId,
    which: EventFilter,
    row: usize,
    /// How far the rows had moved up by then, as events were dropped.
    moved_up: usize,
    is_last: bool,
}

/// Opens the page of the event in that row of a view.
pub(super) fn open(call: &Call, which: EventFilter, row: usize) -> Reply {
    EventPage::of_row(call, which, row).map_or(Reply::Handled, |page| Reply::Open(Box::new(page)))
}

/// A call whose answer is under a page.
fn call_below(id: CallId, state: &State) -> Option<&Call> {
    match state.screen {
        ScreenId::History => state.invoke.kept.current_call().map(|open| &open.call),
        // Another one may be shown by now.
        _ => state.invoke.calls.get(id),
    }
}

impl EventPage {
    fn of_row(call: &Call, which: EventFilter, row: usize) -> Option<Self> {
        let rows = Listing::from_call(call, which);
        let listed = rows.get(row)?;
        let (is_last, moved_up) = (row + 1 == rows.len(), rows.moved_up());
        let (page, text) = (page_of(&listed), event_text(&listed));
        Some(Self { page, text, call: call.id, which, row, moved_up, is_last })
    }

    /// Takes in where its event is now: while a call runs, events before it are dropped from memory.
    fn keep_row(&mut self, state: &State) {
        let Some(call) = call_below(self.call, state) else { return };
        let rows = Listing::from_call(call, self.which);
        self.row = rows.row_now(self.row, self.moved_up);
        self.moved_up = rows.moved_up();
        self.is_last = self.row + 1 >= rows.len();
    }

    /// Goes on to another event of the view, where there is one.
    fn go_to(&mut self, row: Option<usize>, state: &State) -> OverlayReply {
        let call = call_below(self.call, state);
        let there = call.zip(row).and_then(|(call, row)| Self::of_row(call, self.which, row));
        if let Some(there) = there {
            *self = there;
        }
        OverlayReply::Stay
    }

    /// Which row a key leads to.
    fn row_of_key(&self, key: Key) -> Option<Option<usize>> {
        if verbs::NEXT_MARK.is_key(key) || matches!(key.code, Code::Right | Code::Char('l')) {
            return Some(self.row.checked_add(1));
        }
        if verbs::PREVIOUS_MARK.is_key(key) || matches!(key.code, Code::Left | Code::Char('h')) {
            return Some(self.row.checked_sub(1));
        }
        None
    }
}

impl Overlay for EventPage {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        self.keep_row(state);
        self.page.draw(frame, area, look, state);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        let Input::Key(key) = input else { return self.page.handle_input(input, state) };
        if verbs::COPY_AS.is_key(*key) {
            let (what, text) = ("event".to_owned(), self.text.clone());
            return OverlayReply::StayWith(Message::Copy { what, text });
        }
        self.keep_row(state);
        match self.row_of_key(*key) {
            Some(row) => self.go_to(row, state),
            None => self.page.handle_input(input, state),
        }
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let moves = [
            (!self.is_last).then_some(("]", "next")),
            (self.row > 0).then_some(("[", "previous")),
            Some(("y", "copy")),
        ];
        moves.into_iter().flatten().chain(self.page.key_hints()).collect()
    }

    fn sheet(&mut self, state: &State) -> Sheet {
        self.page.sheet(state)
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        self.page.answer(entry, state)
    }
}

/// JSON on lines of its own; what is none, as it is.
fn pretty_json(text: &str) -> String {
    let value = serde_json::from_str::<Value>(text);
    value
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| text.to_owned())
}

/// A chunk in full: its size, how long it was waited for, and its text line by line in quotes, as
/// spaces at its ends and line breaks can't be seen otherwise.
fn chunk_page(text: &str, bytes: usize, wait: Option<u64>) -> String {
    let size = size::format_size(bytes as u64);
    let wait = wait.map_or_else(String::new, |ms| format!(" · waited for {ms} ms"));
    let lines = text.split_inclusive('\n').map(|line| Value::from(line).to_string());
    let lines: Vec<String> = lines.collect();
    let text = if lines.is_empty() { "\"\"".to_owned() } else { lines.join("\n") };
    format!("{size}{wait}\n\n{text}")
}

/// What an event holds, as it came.
pub(crate) fn event_text(listed: &EventRow<'_>) -> String {
    match listed {
        EventRow::Event(event, call, _) => match &event.kind {
            EventKind::Chunk { text, .. } => call.text.slice(text.clone()).into_owned(),
            EventKind::Stray { body, .. } => body.to_string(),
            EventKind::Stage(stage) if stage.frame.is_some() => stage.body.to_string(),
            _ => listed.raw_json(),
        },
        EventRow::Gap(_) => listed.log_row().text,
    }
}

/// The same to be read.
fn shown_text(listed: &EventRow<'_>) -> String {
    let EventRow::Event(event, call, place) = listed else { return event_text(listed) };
    match &event.kind {
        EventKind::Chunk { text, bytes } => {
            chunk_page(&call.text.slice(text.clone()), *bytes, place.wait)
        }
        EventKind::Notice(words) => words.clone(),
        EventKind::End { problem: Some(problem), .. } => {
            format!("{}\n\n{}", problem.words(), problem.remedy).trim_end().to_owned()
        }
        EventKind::Stage(stage) if stage.body.is_empty() && !stage.words.is_empty() => {
            stage.words.clone()
        }
        EventKind::Stage(stage) if stage.frame.is_some() => pretty_json(&stage.body),
        EventKind::Stage(stage) if !stage.body.is_empty() => {
            format!("{}\n\n{}", stage.words, pretty_json(&stage.body))
        }
        _ => event_text(listed),
    }
}

fn page_of(listed: &EventRow<'_>) -> PageOverlay {
    const LETTERS: usize = 180_000;
    let LogRow { time, what, .. } = listed.log_row();
    let text = shown_text(listed);
    let end = text.char_indices().nth(LETTERS).map_or(text.len(), |(end, _)| end);
    // The page wraps them, as wide as it is.
    let shown = text[..end].lines().map(|line| vec![(Role::Text, line.to_owned())]);
    let rest = (end < text.len())
        .then(|| vec![(Role::Dim, "… the rest is in the answer's text".to_owned())]);
    PageOverlay::new(format!("{what} {time} ms"), shown.chain(rest).collect()).with_prose(CELLS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{history, state::Start},
        model::{call::Event, clock::Millis, trace::Head},
    };

    #[test]
    fn a_line_of_an_event_is_whole_however_wide_the_page_is() {
        let words = "word ".repeat(40);
        let request = history::request_of(&Head::default(), None);
        let mut call = Call::new(CallId(1), request, "here", Millis(0));
        call.apply_event(Event { at_ms: 1, kind: EventKind::Notice(words.clone()) });
        let rows = Listing::from_call(&call, EventFilter::Own);
        let mut page = page_of(&rows.get(0).unwrap());
        let sheet = page.sheet(&State::new(Start::default()));
        assert!(sheet.lines.iter().any(|line| line.trim() == words.trim()), "{:?}", sheet.lines);
    }
}
