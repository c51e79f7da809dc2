//! A text to read, with scrolling: help, notices, a diff.

use ratatui::{Frame, layout::Rect};

use super::modal;
use crate::{
    app::{
        input::{Code, Input, Key},
        message::Message,
        state::State,
    },
    ui::{
        canvas::{Pen, text_width},
        line_wrap::{RowWidths, wrap_styled},
        sheet::{Ask, Entry, Sheet, plain_lines},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::{
            find_line::{FindKey, FindLine},
            list::ListCursor,
        },
    },
};

/// A sign or label of at most so many cells has what follows it wrapped beside it.
const MOST_HANGING: usize = 12;

/// A line in pieces, each with its role.
pub(crate) type Line = Vec<(Role, String)>;

#[derive(Default)]
pub(crate) struct PageOverlay {
    title: String,
    lines: Vec<Line>,
    /// The same as they fit the sheet, and how many cells they have there.
    rows: Vec<Line>,
    cells: usize,
    /// At most so many cells wide, where it is prose.
    widest: Option<usize>,
    cursor: ListCursor,
    sheet: Rect,
    height: u16,
    /// What Enter goes on to, in words and done.
    going: Option<(&'static str, Reply)>,
    /// What is done when it is closed.
    closing: Reply,
    /// The parts of the text, of which `/` leaves some; empty: all of it is one.
    sections: Vec<Vec<Line>>,
    find: FindLine,
}

impl PageOverlay {
    pub fn new(title: impl Into<String>, lines: Vec<Line>) -> Self {
        Self { title: title.into(), lines, ..Self::default() }
    }

    /// A text in parts: what is typed after `/` leaves those that have each word of it.
    pub fn with_sections(title: impl Into<String>, sections: Vec<Vec<Line>>) -> Self {
        let lines = sections.concat();
        Self { sections, ..Self::new(title, lines) }
    }

    /// Leaves the parts that have each word of what is to be found.
    fn narrow(&mut self) {
        let needle = self.find.needle().to_lowercase();
        let has_all = |section: &&Vec<Line>| {
            let texts = section.iter().flatten().map(|(_, text)| text.as_str());
            let text = texts.collect::<Vec<_>>().join(" ").to_lowercase();
            needle.split_whitespace().all(|word| text.contains(word))
        };
        self.lines = self.sections.iter().filter(has_all).flatten().cloned().collect();
        (self.cells, self.cursor.row) = (0, 0);
    }

    /// Takes a key for the find line; whether it was for that.
    fn find_key(&mut self, key: Key) -> bool {
        let finds = !self.sections.is_empty() && !self.find.is_typing();
        if finds && key.code == Code::Char('/') {
            self.find.open();
            return true;
        }
        match self.find.handle_key(key) {
            FindKey::Typed | FindKey::Cleared => self.narrow(),
            FindKey::Accepted => {}
            FindKey::Passed => return false,
        }
        true
    }

    /// Shows another text; where it was scrolled to stays.
    pub fn set_content(&mut self, title: impl Into<String>, lines: Vec<Line>) {
        (self.title, self.lines) = (title.into(), lines);
        self.cells = 0;
    }

    /// Prose: its lines are wrapped at so many cells, also where there is room for more.
    #[must_use]
    pub fn with_prose(mut self, cells: usize) -> Self {
        self.widest = Some(cells);
        self
    }

    /// Enter goes on to something.
    #[must_use]
    pub fn with_enter_messages(self, words: &'static str, messages: Vec<Message>) -> Self {
        self.going_on(words, Reply::Send(messages))
    }

    /// The same, to anything.
    #[must_use]
    pub fn going_on(mut self, words: &'static str, reply: Reply) -> Self {
        self.going = Some((words, reply));
        self
    }

    /// Something is done when it is closed.
    #[must_use]
    pub fn closing_with(mut self, reply: Reply) -> Self {
        self.closing = reply;
        self
    }

    fn close(&mut self) -> OverlayReply {
        OverlayReply::CloseWith(std::mem::take(&mut self.closing))
    }

    /// Begins at the end of the text.
    #[must_use]
    pub fn at_end(mut self) -> Self {
        self.cursor.row = usize::MAX;
        self
    }

    /// Wraps the lines for so many cells.
    fn wrap_lines(&mut self, cells: usize) {
        if self.cells != cells {
            self.cells = cells;
            self.rows = self.lines.iter().flat_map(|line| hanging_rows(line, cells)).collect();
        }
    }
}

/// The rows of a line in so many cells; those after the first are indented as the line is, or
/// below the text after its sign.
fn hanging_rows(line: &Line, cells: usize) -> Vec<Line> {
    let first = line.first().map_or("", |(_, text)| text.as_str());
    let is_sign = line.len() > 1 && first.ends_with(' ') && text_width(first) <= MOST_HANGING;
    let indent =
        if is_sign { text_width(first) } else { first.len() - first.trim_start_matches(' ').len() };
    let indent = if indent * 2 < cells { indent } else { 0 };
    let widths = RowWidths { first: cells, others: cells - indent };
    let mut rows = wrap_styled(line, widths);
    for row in rows.iter_mut().skip(1).filter(|_| indent > 0) {
        row.insert(0, (Role::Text, " ".repeat(indent)));
    }
    rows
}

impl Overlay for PageOverlay {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let widest = self
            .lines
            .iter()
            .map(|line| line.iter().map(|(_, text)| text_width(text)).sum::<usize>())
            .max()
            .unwrap_or(0)
            .min(self.widest.unwrap_or(usize::MAX));
        let width = u16::try_from(widest + 6).unwrap_or(u16::MAX).max(50);
        // Without the sheet's edges and a little room on both sides.
        self.wrap_lines(usize::from(width.min(area.width.saturating_sub(2)).max(7)) - 6);
        let rows = self.rows.len() + usize::from(self.find.is_open());
        let size = (width, u16::try_from(rows + 2).unwrap_or(u16::MAX));
        let (sheet, inside) = modal::draw_modal(frame, area, size, &self.title, look);
        self.sheet = sheet;
        let inside = self.find.draw(frame.buffer_mut(), inside, look.styles, true);
        self.height = inside.height;
        look.mouse.reads(inside);
        let buffer = frame.buffer_mut();
        let window = self.cursor.visible_rows(self.rows.len(), inside.height);
        for (row, line) in (0_u16..).zip(&self.rows[window]) {
            let mut pen = Pen::new(buffer, inside, row);
            pen.skip(2);
            for (role, text) in line {
                let style = ratatui::style::Style {
                    bg: look.styles[Role::Overlay].bg,
                    ..look.styles[*role]
                };
                pen.put_text(text, style);
            }
        }
        if let Some(position) = self.cursor.position_text(self.rows.len()) {
            let foot = Rect { y: sheet.bottom().saturating_sub(1), height: 1, ..inside };
            Pen::new(buffer, foot, 0).put_right(&format!(" {position} "), look.styles[Role::Dim]);
        }
    }

    fn is_typing(&self) -> bool {
        self.find.is_typing()
    }

    fn selected_text(&self) -> Option<&str> {
        self.find.selected_text()
    }

    fn handle_input(&mut self, input: &Input, _: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return self.close();
        }
        if let Input::Key(key) = input
            && self.find_key(*key)
        {
            return OverlayReply::Stay;
        }
        let rows = self.rows.len();
        match input {
            Input::Key(key) if key.code == Code::Enter && self.going.is_some() => {
                return OverlayReply::CloseWith(
                    self.going.take().map(|(_, reply)| reply).unwrap_or_default(),
                );
            }
            Input::Key(key)
                if matches!(key.code, Code::Esc | Code::Enter | Code::Char('q' | '?')) =>
            {
                return self.close();
            }
            Input::Key(key) => {
                // The text moves, not a cursor in it: start from the edge in that direction.
                match key.code {
                    Code::Down | Code::Char('j') => {
                        self.cursor.row =
                            self.cursor.row.max(usize::from(self.height).saturating_sub(1));
                    }
                    Code::Up | Code::Char('k') => {
                        self.cursor.row =
                            self.cursor.row.min(rows.saturating_sub(usize::from(self.height)));
                    }
                    _ => {}
                }
                self.cursor.handle_key(*key, rows);
            }
            Input::Mouse(mouse) if self.find.handle_mouse(*mouse) => {}
            Input::Mouse(mouse) => {
                self.cursor.handle_mouse(*mouse, self.sheet, rows);
            }
            Input::Paste(text) if self.find.insert(text) => self.narrow(),
            Input::Paste(_) => {}
        }
        OverlayReply::Stay
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let going = self.going.iter().map(|(words, _)| ("Enter", *words));
        let scrolls = self.rows.len() > usize::from(self.height);
        let finds = (!self.sections.is_empty()).then_some(("/", "find"));
        let esc = ("Esc", if self.find.is_open() { "all" } else { "close" });
        going.chain(scrolls.then_some(("↑↓", "scroll"))).chain(finds).chain([esc]).collect()
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let ask = self.going.as_ref().map_or(Ask::Nothing, |(words, _)| Ask::Next(words));
        Sheet { title: self.title.clone(), lines: plain_lines(&self.lines), ask }
    }

    fn answer(&mut self, entry: Entry<'_>, _: &State) -> OverlayReply {
        match (entry, self.going.take()) {
            (Entry::Accept, Some((_, reply))) => OverlayReply::CloseWith(reply),
            _ => self.close(),
        }
    }
}
