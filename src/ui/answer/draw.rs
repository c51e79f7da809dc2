//! Drawing the answer: its title, its views, what went wrong, the newest events, the strays.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    bytes,
    events::{EventFilter, EventRow, Listing, LogRow, format_duration, gap_words, result_sign},
    headers,
    pane::{Answer, VIEWS, View},
    progress::draw_progress,
    unmet,
};
use crate::{
    engine::query::answer_json,
    model::{
        call::{Call, CallState, EventKind, LoggedEvent, StrayCause},
        clock::Millis,
        size,
        stage::{FrameWay, Stage},
    },
    schema::count::count_text,
    systems::calling,
    ui::{
        canvas::{Pen, inset_area, mark_chosen, text_width, truncate_text, visible_text, wrap},
        styles::{Role, Styles},
        view::Look,
        widgets::{
            code,
            json_tree::{JsonTree, LARGEST_TREE},
            pane::{Pane, draw_foot},
        },
    },
};

/// So many letters of a frame are looked at for its row.
const FRAME_START: usize = 1_000;
/// A frame of more bytes is not read for what it is.
const LARGEST_LABELLED: usize = 16 * 1024;
/// The cells of what a frame is at most: most methods fit.
const LABEL: usize = 22;

/// How many lines of the log stand below the text at least, where there is room for both.
const LOG: u16 = 7;

/// What is drawn.
pub(crate) struct ShownAnswer<'s> {
    pub call: &'s Call,
    /// What the title begins with.
    pub whose: &'s str,
    /// What is said at the right of it; empty: nothing.
    pub note: &'s str,
    /// The clock, which a running call's time goes on by; none where a kept call is replayed.
    pub now: Option<Millis>,
    /// Nothing more comes, though it may have no end: the program was ended during the call.
    pub is_over: bool,
    pub focused: bool,
}

impl Answer {
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        shown: &ShownAnswer<'_>,
    ) {
        let ShownAnswer { call, whose, note, now, is_over, focused } = *shown;
        let beside = if note.is_empty() { 0 } else { text_width(note) + 4 };
        let room = usize::from(area.width.saturating_sub(4)).saturating_sub(beside);
        let (sign, word) = match result_sign(call) {
            _ if is_over && call.outcome().is_none() => ("○", "unfinished"),
            (sign, word, _) => (sign, word),
        };
        let (title, rest) = title_parts(call, &format!("{whose} {sign} {word}"), now, room);
        let inside = Pane { title: &title, note, focused, ..Pane::default() }.draw(
            buffer,
            area,
            look.styles,
        );
        if inside.height >= 2 {
            self.draw_inside(buffer, inside, look, call, focused);
        }
        let room = usize::from(area.width.saturating_sub(4));
        draw_foot(&footer_text(rest, self.position_text(call), room), buffer, area, look.styles);
    }

    fn draw_inside(
        &mut self,
        buffer: &mut Buffer,
        inside: Rect,
        look: Look<'_>,
        call: &Call,
        focused: bool,
    ) {
        self.draw_tabs(
            buffer,
            Rect { height: 1, width: inside.width.saturating_sub(1), ..inside },
            look,
            call,
        );
        let below = inset_area(Rect { y: inside.y + 1, height: inside.height - 1, ..inside });
        let mut body = unmet::draw_unmet(buffer, below, look, call);
        if matches!(self.view(), View::Text | View::Tree) {
            body = self.queried.draw_line(buffer, body, look);
        }
        if self.find.is_some() {
            let line = Rect { y: body.bottom() - 1, height: 1, ..body };
            body.height -= 1;
            self.draw_find(buffer, line, look.styles);
        }
        self.stray_line = Rect::default();
        self.draw_body(buffer, body, look, call, focused);
    }

    fn draw_tabs(&mut self, buffer: &mut Buffer, line: Rect, look: Look<'_>, call: &Call) {
        let sign = self.is_following().map(|follows| if follows { "✓" } else { "–" });
        let strays = (call.strays > 0).then(|| format!("Strays {}", call.strays));
        let mut names: Vec<String> =
            VIEWS.iter().map(|name| (*name).to_owned()).chain(strays).collect();
        let closest = |names: &[String]| names.iter().map(|name| text_width(name) + 1).sum();
        let mut wide: usize = closest(&names);
        if wide > usize::from(line.width) + 1 {
            names[View::Markdown as usize] = "MD".to_owned();
            wide = closest(&names);
        }
        // Where the word has no room beside the names, its key is shown.
        let words = ["follow".to_owned(), look.keymap.display_key("follow")];
        let note = sign.map_or_else(String::new, |sign| {
            let mut notes = words.iter().map(|word| format!("{word} {sign}"));
            let room = usize::from(line.width).saturating_sub(wide);
            notes.find(|note| text_width(note) <= room).unwrap_or_default()
        });
        self.tabs.draw(buffer, line, &names, &note, look.styles);
    }

    fn draw_find(&mut self, buffer: &mut Buffer, line: Rect, styles: &Styles) {
        /// Fewer cells for what is typed are too few.
        const NARROW: usize = 12;
        let Some(find) = &mut self.find else { return };
        let mut pen = Pen::new(buffer, line, 0);
        pen.put_text("/ ", styles[Role::Accent]);
        let place = self.find_place.filter(|_| !find.text().is_empty());
        let place = place.map_or_else(String::new, |(row, of)| format!(" {row} of {of} "));
        let keys = [" Enter next  ↑ before  Esc done", " Enter next", ""];
        let beside = keys.map(|keys| format!("{place}{keys}"));
        let room = pen.remaining_cells().saturating_sub(NARROW);
        let fits = beside.iter().find(|words| text_width(words) <= room);
        let words = fits.map_or("", String::as_str);
        let field = Rect {
            x: pen.column_now(),
            width: line.width.saturating_sub(2 + u16::try_from(text_width(words)).unwrap_or(0)),
            ..line
        };
        find.draw(buffer, field, styles[Role::FieldFocus], Some(styles[Role::Cursor]));
        let rest =
            Rect { x: field.right(), width: line.right().saturating_sub(field.right()), ..line };
        Pen::new(buffer, rest, 0).put_text(words, styles[Role::Dim]);
    }

    fn draw_body(
        &mut self,
        buffer: &mut Buffer,
        body: Rect,
        look: Look<'_>,
        call: &Call,
        focused: bool,
    ) {
        let styles = look.styles;
        let is_text =
            self.view() == View::Text || self.view() == View::Tree && has_only_problem(call);
        let body = if is_text { body } else { draw_problem(buffer, body, styles, call) };
        self.body = body;
        // The text itself knows where its lines end.
        if self.view() != View::Text || call.text.is_empty() {
            look.mouse.reads(body);
        }
        match self.view() {
            View::Text => self.draw_text(buffer, body, look, call),
            // Where there is no answer, what went wrong is all there is.
            View::Tree if has_only_problem(call) => self.draw_text(buffer, body, look, call),
            View::Tree => self.draw_tree(buffer, body, styles, call, focused),
            View::Time => {
                let head = timeline_lines(call, usize::from(body.width));
                let height = u16::try_from(head.len()).unwrap_or(0).min(body.height / 2);
                for (line, words) in (0..height).zip(&head) {
                    Pen::new(buffer, body, line).put_text(words, styles[Role::Info]);
                }
                let below = Rect { y: body.y + height, height: body.height - height, ..body };
                self.body = below;
                self.draw_list(buffer, below, styles, call, focused);
            }
            View::Raw | View::Strays => self.draw_list(buffer, body, styles, call, focused),
            View::Markdown => {
                if self.list_follows && call.outcome().is_none() {
                    // The last row there is, however many come.
                    self.list.row = usize::MAX;
                }
                self.rendered.draw(buffer, body, styles, &call.text, &mut self.list);
            }
            View::Hex => {
                if self.list_follows && call.outcome().is_none() {
                    self.list.row = usize::MAX;
                }
                bytes::draw_hex(buffer, body, styles, &call.text, &mut self.list, focused);
            }
            View::Head => {
                headers::draw_headers(buffer, body, styles, call, &mut self.list, focused);
            }
        }
    }

    /// The text, below it what went wrong, below that the newest events.
    fn draw_text(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, call: &Call) {
        let styles = look.styles;
        let problem = problem_lines(call, area.width, area.height / 2);
        let problem_height = u16::try_from(problem.len()).unwrap_or(0);
        let stray_height = u16::from(call.strays > 0);
        let left = area.height.saturating_sub(problem_height + stray_height);
        let rows = Listing::from_call(call, EventFilter::Own);
        let shown = self.queried.text(call);
        let is_high = left >= 14;
        let images = look.images.filter(|_| !self.images.is_empty());
        // Images are worth more than the log.
        let usual = if images.is_some() { LOG.min(left / 4) } else { LOG.max(left / 4) };
        let log_rows = |most: u16| match is_high {
            true => most.min(u16::try_from(rows.len()).unwrap_or(most)) + 1,
            false => 0,
        };
        let view = Rect { height: left - log_rows(usual), ..area };
        self.text.tail = images.map_or(0, |images| self.images.lay(images, view));
        // What the text leaves free shows more of the log.
        let text_rows = self.text.rows_up_to(usize::from(left), shown, area.width);
        let free = left.saturating_sub(u16::try_from(text_rows).unwrap_or(left) + 2);
        let log_height = log_rows(usual.max(free));
        // Without any text the problem is the answer, and is where one looks for it.
        let above = if call.text.is_empty() { problem_height } else { 0 };
        let text = Rect { y: area.y + above, height: left - log_height, ..area };
        let below = text.height;
        self.body = text;
        if call.text.is_empty() && matches!(call.state, CallState::Opening | CallState::Waiting) {
            let taken = draw_progress(buffer, text, styles, call);
            if taken < text.height {
                Pen::new(buffer, text, taken)
                    .put_text("waiting for the answer …", styles[Role::Ghost]);
            }
        }
        self.text.draw(self.queried.text(call), buffer, text, styles);
        if let (Some(images), Some(place)) = (images, self.text.tail_place()) {
            self.images.draw(buffer, text, place, images, styles);
        }
        for (line, (role, words)) in (if above > 0 { 0 } else { below }..).zip(problem) {
            Pen::new(buffer, area, line).put_text(&words, styles[role]);
        }
        let rest = area.height.saturating_sub(below);
        look.mouse.reads(Rect { y: area.y + below, height: rest, ..area });
        let mut line = below + problem_height;
        if log_height > 0 {
            Pen::new(buffer, area, line)
                .put_text(&"─".repeat(usize::from(area.width)), styles[Role::Border]);
            let first = rows.len().saturating_sub(usize::from(log_height - 1));
            let what_wide = what_width(call);
            for (row, listed) in (1_u16..).zip((first..rows.len()).filter_map(|row| rows.get(row)))
            {
                draw_log_row(&mut Pen::new(buffer, area, line + row), &listed, what_wide, styles);
            }
            line += log_height;
        }
        if stray_height > 0 {
            self.stray_line = Rect { y: area.y + line, height: 1, ..area };
            self.draw_stray_line(buffer, look, call);
        }
    }

    fn draw_stray_line(&self, buffer: &mut Buffer, look: Look<'_>, call: &Call) {
        let first = match Listing::from_call(call, EventFilter::Strays).get(0) {
            Some(EventRow::Event(event, ..)) => match &event.kind {
                EventKind::Stray { cause, .. } => Some(cause.message()),
                _ => None,
            },
            _ => None,
        };
        let kept = count_text(call.strays, "stray kept", "strays kept");
        let show = format!(" ▸ {} show", look.keymap.way_to("strays"));
        let mut pen = Pen::new(buffer, self.stray_line, 0);
        let words = format!("{kept}: {}", first.unwrap_or(StrayCause::Late.message()));
        pen.put_column(
            &words,
            pen.remaining_cells().saturating_sub(text_width(&show)),
            look.styles[Role::Warning],
        )
        .put_text(&show, look.styles[Role::Key]);
    }

    fn draw_tree(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        call: &Call,
        focused: bool,
    ) {
        let ended = call.outcome().is_some();
        if !ended {
            let words = "The tree appears when the answer is complete.";
            Pen::new(buffer, area, 0).put_text(words, styles[Role::Ghost]);
            return;
        }
        if self.tree.as_ref().is_none_or(|(length, _)| *length != call.text.len()) {
            let tree = self.queried.tree().map_or_else(|| whole_tree(call), Ok);
            self.tree = Some((call.text.len(), tree));
        }
        match &mut self.tree {
            Some((_, Ok(tree))) => tree.draw(buffer, area, styles, focused),
            Some((_, Err(why))) => {
                for (line, words) in (0_u16..).zip(wrap(why, usize::from(area.width))) {
                    Pen::new(buffer, area, line).put_text(&words, styles[Role::Dim]);
                }
            }
            None => {}
        }
    }

    fn draw_list(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        call: &Call,
        focused: bool,
    ) {
        let rows = Listing::from_call(call, self.which_events(call));
        if rows.is_empty() {
            Pen::new(buffer, area, 0).put_text("nothing yet", styles[Role::Ghost]);
        }
        if self.list_follows {
            self.list.row = rows.len().saturating_sub(1);
        }
        let raw = self.view() == View::Raw;
        let visible = self.list.visible_rows(rows.len(), area.height);
        // What a frame is may be beyond the right edge.
        let label = |listed: &EventRow<'_>| {
            let (_, text) = listed.frame()?;
            let is_small = text.len() <= LARGEST_LABELLED;
            is_small.then(|| calling::frame_label(call.request.system, text)).flatten()
        };
        let listed_rows: Vec<_> = visible.filter_map(|row| Some((row, rows.get(row)?))).collect();
        let labels = listed_rows.iter().filter(|_| raw);
        let labels: Vec<String> =
            labels.map(|(_, listed)| label(listed).unwrap_or_default()).collect();
        let widest = labels.iter().map(|label| text_width(label)).max().unwrap_or(0).min(LABEL);
        for (line, (row, listed)) in (0_u16..).zip(listed_rows) {
            let mut pen = Pen::new(buffer, area, line);
            if raw {
                let text = match listed.frame() {
                    Some((way, text)) => {
                        let LogRow { time, .. } = listed.log_row();
                        let size = listed.frame_size();
                        pen.put_column(&time, 8, styles[Role::Dim])
                            .put_text(way.sign(), styles[Role::Accent])
                            .put_text(&format!(" {size:>8}  "), styles[Role::Dim]);
                        let label = labels.get(usize::from(line)).map_or("", String::as_str);
                        pen.put_column(&visible_text(label), widest, styles[Role::Label])
                            .put_text("  ", styles[Role::Text]);
                        visible_text(&text.chars().take(FRAME_START).collect::<String>())
                            .into_owned()
                    }
                    None => listed.raw_json(),
                };
                // Only what can be seen is coloured; a piece may be megabytes long.
                let seen: String = text.chars().take(usize::from(area.width) + 1).collect();
                let seen = truncate_text(&seen, pen.remaining_cells());
                for (role, piece) in code::highlight_line(&seen) {
                    pen.put_text(piece, styles[role]);
                }
            } else {
                if self.view() == View::Time {
                    draw_wait(&mut pen, &listed, call, styles);
                }
                draw_log_row(&mut pen, &listed, what_width(call), styles);
            }
            if row == self.list.row && focused {
                mark_chosen(buffer, area, line, styles, focused);
            }
        }
    }

    fn position_text(&mut self, call: &Call) -> Option<String> {
        match self.view() {
            View::Text => self.text.position_text(self.queried.text(call)),
            View::Tree => {
                self.tree.as_ref().and_then(|(_, tree)| tree.as_ref().ok()?.position_text())
            }
            _ => self.list.position_text(self.row_count(call)),
        }
    }
}

/// Cells for what an event was: the number of the last chunk is never cut.
fn what_width(call: &Call) -> usize {
    format!("chunk {}", call.chunks).len().max("step-request".len())
}

/// How long each chunk was waited for, of an answer of several; the longest wait is marked.
fn draw_wait(pen: &mut Pen<'_>, listed: &EventRow<'_>, call: &Call, styles: &Styles) {
    const CELLS: usize = 11;
    if call.chunks < 2 {
        return;
    }
    let (text, role) = match listed.wait() {
        Some((wait, true)) => (format!("▸{}", format_duration(wait)), Role::Warning),
        Some((wait, false)) => (format!(" {}", format_duration(wait)), Role::Dim),
        None => (String::new(), Role::Dim),
    };
    pen.put_column(&text, CELLS, styles[role]);
}

fn draw_log_row(pen: &mut Pen<'_>, listed: &EventRow<'_>, what_width: usize, styles: &Styles) {
    let LogRow { time, what, role, text } = listed.log_row();
    let first = text.lines().next().unwrap_or_default();
    pen.put_column(&time, 8, styles[Role::Dim])
        .put_column(&what, what_width, styles[role])
        .put_text(" ", styles[Role::Text])
        .put_text(first, styles[Role::Text]);
}

/// The head with the state, then the count, the size and the times, as much as fits; and what of them does not.
fn title_parts(call: &Call, head: &str, now: Option<Millis>, room: usize) -> (String, Vec<String>) {
    let mocked = if call.is_mocked() { " · mocked" } else { "" };
    let mut title = format!("{head}{mocked}");
    let took = call.answered_in().or_else(|| {
        let last = call.events.iter().next_back()?.at_ms;
        // Full seconds: the picture is drawn again at each of them.
        let passed = now.map_or(0, |now| call.since_sent(now.since(call.started)) / 1_000 * 1_000);
        Some(call.since_sent(last).max(passed))
    });
    // Nothing came, and no second has passed.
    let took = took.filter(|took| *took >= 1_000 || call.chunks > 0 || call.outcome().is_some());
    let chunks = count_text(call.chunks, "chunk", "chunks");
    let parts = [
        (call.chunks > 0).then_some(chunks),
        (call.chunks > 0).then(|| size::format_size(call.text.len() as u64)),
        took.map(format_duration),
        call.first_after().map(|ms| format!("first after {}", format_duration(ms))),
        silence(call, now).or_else(|| byte_rate(call)),
        connecting_words(call),
    ];
    let mut rest = Vec::new();
    for part in parts.into_iter().flatten() {
        if text_width(&title) + text_width(&part) + 3 <= room {
            title.push_str(" · ");
            title.push_str(&part);
        } else {
            rest.push(part);
        }
    }
    (title, rest)
}

/// What the title has no room for, as much as fits beside the place.
fn footer_text(rest: Vec<String>, place: Option<String>, room: usize) -> String {
    let mut parts: Vec<String> = place.into_iter().collect();
    for (row, part) in rest.into_iter().enumerate() {
        if parts.iter().map(|part| text_width(part) + 3).sum::<usize>() + text_width(&part) <= room
        {
            parts.insert(row.min(parts.len()), part);
        }
    }
    parts.join(" · ")
}

/// How long the connection took to open, and its server to start, where that is to be noticed.
fn connecting_words(call: &Call) -> Option<String> {
    const NOTICED: u64 = 100;
    let ms = call.sent_ms.filter(|ms| *ms >= NOTICED)?;
    Some(format!("connected after {}", format_duration(ms)))
}

/// For how long an answer that goes on has brought nothing, once that is long.
fn silence(call: &Call, now: Option<Millis>) -> Option<String> {
    const LONG: u64 = 3_000;
    let last = call.events.iter().next_back()?.at_ms;
    let silent = now?.since(call.started).saturating_sub(last) / 1_000 * 1_000;
    let is_long = call.state == CallState::Streaming && silent >= LONG;
    is_long.then(|| format!("nothing for {}", format_duration(silent)))
}

/// How many milliseconds a rate needs.
const SHORTEST_RATED: u64 = 100;

/// Bytes a second since the first chunk.
fn byte_rate(call: &Call) -> Option<String> {
    let last = match &call.state {
        CallState::Ended { at_ms, .. } => *at_ms,
        _ => call.events.iter().next_back()?.at_ms,
    };
    let ms = last.saturating_sub(call.times.first_ms?);
    // Of a moment there is no rate.
    (ms >= SHORTEST_RATED && call.chunks > 1).then(|| {
        format!("{}/s", size::format_size((call.text.len() as u64).saturating_mul(1_000) / ms))
    })
}

/// The call's way in a few words, in lines that fit: queued, sent, first byte and chunk, last
/// chunk, end.
fn timeline_lines(call: &Call, cells: usize) -> Vec<String> {
    let at = |wanted: fn(&LoggedEvent) -> bool, from_end: bool| {
        let mut events = call.events.iter();
        let fits = |event: &&LoggedEvent| wanted(event);
        if from_end { events.rfind(fits) } else { events.find(fits) }.map(|event| event.at_ms)
    };
    let chunk = |event: &LoggedEvent| matches!(event.kind, EventKind::Chunk { .. });
    // Over HTTP headers come before any of the answer.
    let is_of_answer = |event: &LoggedEvent| {
        matches!(event.kind, EventKind::Headers { way: FrameWay::In, .. } | EventKind::Chunk { .. })
    };
    let first = at(is_of_answer, false);
    let end = match &call.state {
        CallState::Ended { at_ms, .. } => Some(*at_ms),
        _ => None,
    };
    let parts = [
        Some("queued +0".to_owned()),
        at(|event| matches!(event.kind, EventKind::Sent { .. }), false)
            .map(|ms| format!("sent +{ms}")),
        first.filter(|ms| Some(*ms) != call.times.first_ms).map(|ms| format!("first byte +{ms}")),
        call.times.first_ms.map(|ms| format!("first chunk +{ms}")),
        at(chunk, true).filter(|_| call.chunks > 1).map(|ms| format!("last chunk +{ms}")),
        end.map(|ms| format!("end +{ms}")),
    ];
    let stations = parts.into_iter().flatten().collect::<Vec<_>>().join(" → ");
    let rate = byte_rate(call).map_or_else(String::new, |rate| format!(" · {rate}"));
    wrap(&format!("{stations}{rate}"), cells)
}

/// Draws what went wrong at the foot of a view that has no place for it; answers the area above.
fn draw_problem(buffer: &mut Buffer, area: Rect, styles: &Styles, call: &Call) -> Rect {
    let lines = problem_lines(call, area.width, area.height / 3);
    let height = u16::try_from(lines.len()).unwrap_or(0);
    let above = Rect { height: area.height - height, ..area };
    for (row, (role, words)) in (above.height..).zip(lines) {
        Pen::new(buffer, area, row).put_text(&words, styles[role]);
    }
    above
}

/// Whether a call ended with a problem and nothing else.
fn has_only_problem(call: &Call) -> bool {
    let is_failed = matches!(&call.state, CallState::Ended { problem: Some(_), .. });
    is_failed && call.text.is_empty() && call.stage_body(Stage::STRUCTURED).is_none()
}

fn problem_lines(call: &Call, cells: u16, most: u16) -> Vec<(Role, String)> {
    let CallState::Ended { problem: Some(problem), .. } = &call.state else {
        return Vec::new();
    };
    let cells = usize::from(cells);
    let mut lines: Vec<_> = wrap(&format!("✗ {}", problem.words()), cells)
        .into_iter()
        .map(|line| (Role::Error, line))
        .collect();
    if !problem.remedy.is_empty() {
        lines.extend(
            wrap(&format!("▸ {}", problem.remedy), cells)
                .into_iter()
                .map(|line| (Role::Info, line)),
        );
    }
    lines.truncate(usize::from(most));
    lines
}

/// The JSON of an answer, else the data beside it.
fn whole_tree(call: &Call) -> Result<JsonTree, String> {
    let data = call.stage_body(Stage::STRUCTURED).map(|data| &**data);
    let data = data.filter(|data| fits_a_tree(data.len()).is_ok());
    let value = match fits_a_tree(call.text.len()) {
        Ok(()) => answer_json(&call.text.whole(), data)
            .map_err(|error| format!("The answer is not JSON ({error}); Text shows it.")),
        Err(why) => data.and_then(|data| serde_json::from_str(data).ok()).ok_or(why),
    };
    value.map(JsonTree::new).map_err(|why| match call.events.gap() {
        Some((_, count)) => format!("{why} {}.", gap_words(count)),
        None => why,
    })
}

fn fits_a_tree(length: usize) -> Result<(), String> {
    let sizes = [length, LARGEST_TREE].map(|size| size::format_size(size as u64));
    match length > LARGEST_TREE {
        true => Err(format!(
            "The answer is {}; the tree view is limited to {}. Text shows all of it.",
            sizes[0], sizes[1]
        )),
        false => Ok(()),
    }
}

/// What is shown before the first call.
pub(crate) fn draw_welcome(buffer: &mut Buffer, area: Rect, look: Look<'_>, is_mocked: bool) {
    let send = look.keymap.way_to("send");
    let mut words = format!(
        "No call yet. Fill in the arguments and press {send}: the answer appears here, chunk by \
        chunk."
    );
    if is_mocked {
        words.push_str(" The tool is mocked: toolcrib answers, and nothing is sent.");
    }
    for (line, words) in (0_u16..).zip(wrap(&words, usize::from(area.width))) {
        Pen::new(buffer, area, line).put_text(&words, look.styles[Role::Ghost]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{history, keymap::Keymap},
        model::{
            call::{CallId, Event, Outcome},
            event_log::work,
            trace::Head,
        },
        ui::{theme::Theme, view::MousePlaces},
    };

    /// A call that so many messages came to; each twentieth is a stray.
    fn streamed(count: u64) -> Call {
        let request = history::request_of(&Head::default(), None);
        let mut call = Call::new(CallId(1), request, "here", Millis(0));
        call.apply_event(Event { at_ms: 0, kind: EventKind::Sent { bytes: 100 } });
        (1..=count).for_each(|at_ms| call.apply_event(message(at_ms)));
        call
    }

    fn message(at_ms: u64) -> Event {
        let kind = match at_ms % 20 {
            0 => EventKind::Stray {
                cause: StrayCause::NoId,
                id: None,
                headers: [].into(),
                body: "{}".into(),
            },
            _ => EventKind::Chunk { text: format!("piece {at_ms}\n").into(), bytes: 20 },
        };
        Event { at_ms, kind }
    }

    #[test]
    fn the_time_of_a_running_call_goes_on_before_its_first_chunk() {
        let call = streamed(0);
        let title = |now: u64| title_parts(&call, "Answer ◌ waiting", Some(Millis(now)), 60).0;
        assert_eq!(title(400), "Answer ◌ waiting");
        assert_eq!(title(3_400), "Answer ◌ waiting · 3.0 s");
        let streams = streamed(1_500);
        let title = |now: u64| title_parts(&streams, "Answer", Some(Millis(now)), 99).0;
        assert!(title(1_600).contains(" · 1.5 s"), "{}", title(1_600));
        assert!(title(61_000).contains(" · 1 min 1 s"), "{}", title(61_000));
        assert!(!title(4_000).contains("nothing for"), "{}", title(4_000));
        assert!(title(9_600).ends_with(" · nothing for 8.0 s"), "{}", title(9_600));
    }

    /// What it took to start a server says nothing about a tool.
    #[test]
    fn how_long_a_call_took_counts_from_its_request_on() {
        let request = history::request_of(&Head::default(), None);
        let mut call = Call::new(CallId(1), request, "here", Millis(0));
        let chunk = EventKind::Chunk { text: "a".into(), bytes: 1 };
        let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
        for (at_ms, kind) in [(542, EventKind::Sent { bytes: 1 }), (544, chunk), (546, end)] {
            call.apply_event(Event { at_ms, kind });
        }
        let (title, _) = title_parts(&call, "Answer", None, 99);
        let times = "4 ms · first after 2 ms · connected after 542 ms";
        assert_eq!(title, format!("Answer · 1 chunk · 1 B · {times}"));
    }

    /// Draws a frame; how many events were looked at for it.
    fn frame_work(answer: &mut Answer, call: &Call) -> u64 {
        let (keymap, styles) = (Keymap::default(), Theme::default().styles);
        let area = Rect::new(0, 0, 120, 40);
        let before = work::events_looked_at();
        answer.sync_call(Some(call));
        answer.draw(
            &mut Buffer::empty(area),
            area,
            Look { styles: &styles, keymap: &keymap, images: None, mouse: &MousePlaces::default() },
            &ShownAnswer {
                call,
                whose: "answer",
                note: "",
                now: None,
                is_over: false,
                focused: true,
            },
        );
        work::events_looked_at() - before
    }

    #[test]
    fn a_frame_looks_at_the_events_that_are_seen_however_many_came() {
        for count in [100, 10_000, 100_000] {
            let mut call = streamed(count);
            for view in [View::Text, View::Raw, View::Time, View::Hex, View::Strays] {
                let mut answer = Answer::default();
                answer.sync_call(Some(&call));
                answer.tabs.at = view as usize;
                assert!(answer.view() == view);
                let first = frame_work(&mut answer, &call);
                call.apply_event(message(1));
                let next = frame_work(&mut answer, &call);
                // An event in a row of the 40, found by halves where it is a stray.
                let most = 40 * 2 * 15;
                assert!(
                    first <= most && next <= most,
                    "{} of {count}: {first}, {next}",
                    answer.tabs.at
                );
            }
        }
    }
}
