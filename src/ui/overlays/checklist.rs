//! Rows to tick, with more about the one under the cursor.

use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
};

use super::modal;
use crate::{
    app::{
        input::{Code, Input, Key, MouseKind},
        state::State,
    },
    ui::{
        canvas::{Pen, inset_area, mark_chosen, text_width},
        sheet::{Ask, Choice, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::{
            list::ListCursor,
            reading::{Line, ReadPosition, wrapped_lines},
        },
    },
};

/// The sheet at most; a smaller screen has a smaller one.
const SIZE: (u16, u16) = (150, 46);
/// From so many cells on, what is said of a row is beside the rows.
const BESIDE: u16 = 100;

/// Something that can be ticked.
pub(crate) struct Row {
    pub title: String,
    /// At the right of it, in a word or two.
    pub note: String,
    /// All about it, in paragraphs.
    pub details: Vec<(Role, String)>,
    /// Why it cannot be ticked.
    pub refusal: Option<String>,
    pub is_on: bool,
}

/// What happens with the rows that are ticked, by their numbers; or why it cannot.
type TickedAction = Box<dyn Fn(&[usize], &State) -> Result<Reply, String>>;

/// A list of rows over the screen. `Enter` accepts those that are ticked; a single row needs no
/// tick.
pub(crate) struct Checklist {
    title: String,
    accept: &'static str,
    rows: Vec<Row>,
    then: TickedAction,
    /// What is asked for when nothing is accepted.
    aside: Reply,
    cursor: ListCursor,
    details: ReadPosition,
    wrong: Option<String>,
    sheet: Rect,
    list: Rect,
    buttons: [Rect; 2],
}

impl Checklist {
    pub fn new(
        title: impl Into<String>,
        accept: &'static str,
        rows: Vec<Row>,
        aside: Reply,
        then: impl Fn(&[usize], &State) -> Result<Reply, String> + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            accept,
            rows,
            then: Box::new(then),
            aside,
            cursor: ListCursor::default(),
            details: ReadPosition::default(),
            wrong: None,
            sheet: Rect::default(),
            list: Rect::default(),
            buttons: [Rect::default(); 2],
        }
    }

    fn toggle_row(&mut self, row: usize) {
        let Some(row) = self.rows.get_mut(row) else { return };
        self.wrong.clone_from(&row.refusal);
        row.is_on = !row.is_on && row.refusal.is_none();
    }

    fn toggle_all(&mut self) {
        let can_be = |row: &Row| row.refusal.is_none();
        let all_on = self.rows.iter().filter(|row| can_be(row)).all(|row| row.is_on);
        self.rows.iter_mut().filter(|row| can_be(row)).for_each(|row| row.is_on = !all_on);
    }

    fn accept_rows(&mut self, state: &State) -> OverlayReply {
        let ticked = self.rows.iter().enumerate().filter(|(_, row)| row.is_on);
        let mut chosen: Vec<usize> = ticked.map(|(number, _)| number).collect();
        let under_cursor = self.rows.get(self.cursor.row).and_then(|row| row.refusal.clone());
        if chosen.is_empty() {
            let mut open = self.rows.iter().enumerate().filter(|(_, row)| row.refusal.is_none());
            match (open.next(), open.next()) {
                (Some((only, _)), None) if only == self.cursor.row => chosen.push(only),
                _ => {
                    let nothing =
                        || "nothing is ticked: Space ticks the row, Ctrl+A all".to_owned();
                    self.wrong = Some(under_cursor.unwrap_or_else(nothing));
                    return OverlayReply::Stay;
                }
            }
        }
        let refusal = chosen.iter().find_map(|row| self.rows.get(*row)?.refusal.clone());
        let done = refusal.map_or_else(|| (self.then)(&chosen, state), Err);
        match done {
            Ok(reply) => OverlayReply::CloseWith(reply),
            Err(wrong) => {
                self.wrong = Some(wrong);
                OverlayReply::Stay
            }
        }
    }

    fn close(&mut self) -> OverlayReply {
        OverlayReply::CloseWith(std::mem::take(&mut self.aside))
    }

    fn move_to(&mut self, before: usize) {
        if self.cursor.row != before {
            self.details = ReadPosition::default();
            self.wrong = None;
        }
    }

    fn handle_key(&mut self, key: Key, state: &State) -> OverlayReply {
        let before = self.cursor.row;
        match key.code {
            Code::Esc => return self.close(),
            Code::Enter => return self.accept_rows(state),
            Code::Char(' ') => self.toggle_row(before),
            Code::PageUp | Code::PageDown => drop(self.details.handle_input(&Input::Key(key))),
            _ => drop(self.cursor.handle_key(key, self.rows.len())),
        }
        self.move_to(before);
        OverlayReply::Stay
    }

    fn draw_rows(&mut self, frame: &mut Frame<'_>, look: Look<'_>) {
        let (buffer, styles) = (frame.buffer_mut(), look.styles);
        let shown = self.cursor.visible_rows(self.rows.len(), self.list.height);
        for (line, number) in (0_u16..).zip(shown) {
            let row = &self.rows[number];
            let role = if row.refusal.is_some() { Role::Ghost } else { Role::Overlay };
            let mark = match (row.is_on, &row.refusal) {
                (true, _) => "[x] ",
                (false, None) => "[ ] ",
                (false, Some(_)) => "    ",
            };
            let mut pen = Pen::new(buffer, self.list, line);
            pen.put_text(mark, styles[Role::Key]);
            let room = pen.remaining_cells().saturating_sub(text_width(&row.note) + 2);
            pen.put_column(&row.title, room, styles[role])
                .put_right(&format!("{} ", row.note), styles[Role::Dim]);
            if number == self.cursor.row {
                mark_chosen(buffer, self.list, line, styles, true);
            }
        }
    }
}

impl Overlay for Checklist {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let (sheet, inside) = modal::draw_modal(frame, area, SIZE, &self.title, look);
        self.sheet = sheet;
        let inside = inset_area(inside);
        let [body, _, foot] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Length(1)])
                .areas(inside);
        let [list, details] = if inside.width >= BESIDE {
            Layout::horizontal([Constraint::Percentage(45), Constraint::Fill(1)]).spacing(2)
        } else {
            let rows = u16::try_from(self.rows.len()).unwrap_or(u16::MAX);
            let most = (body.height / 2).max(1);
            Layout::vertical([Constraint::Length(rows.min(most)), Constraint::Fill(1)]).spacing(1)
        }
        .areas(body);
        self.list = list;
        self.draw_rows(frame, look);
        let buffer = frame.buffer_mut();
        if let Some(row) = self.rows.get(self.cursor.row) {
            let cells = usize::from(details.width);
            let paragraph = |(role, text): &(Role, String)| wrapped_lines(text, *role, cells);
            let lines: Vec<Line> = row.details.iter().flat_map(paragraph).collect();
            self.details.draw(buffer, details, styles, &lines);
        }
        if let Some(wrong) = &self.wrong {
            Pen::new(buffer, Rect { y: foot.y.saturating_sub(1), ..foot }, 0)
                .put_text(&format!("⚠ {wrong}"), styles[Role::Warning]);
        }
        let words = [format!(" Enter {} ", self.accept), " Esc cancel ".to_owned()];
        let mut x = foot.x;
        for (place, words) in self.buttons.iter_mut().zip(&words) {
            let width = u16::try_from(text_width(words)).unwrap_or(u16::MAX);
            *place = Rect { x, width, ..foot }.intersection(foot);
            Pen::new(buffer, *place, 0).put_text(words, styles[Role::Selected]);
            x = x.saturating_add(width + 2);
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return self.close();
        }
        match input {
            Input::Key(key) if *key == Key::ctrl('a') => self.toggle_all(),
            Input::Key(key) if key.mods.ctrl || key.mods.alt => {}
            Input::Key(key) => return self.handle_key(*key, state),
            Input::Mouse(mouse) => {
                let at = (mouse.column, mouse.row).into();
                let is_press = matches!(mouse.kind, MouseKind::Down(_));
                match self.buttons.iter().position(|place| place.contains(at)) {
                    Some(0) if is_press => return self.accept_rows(state),
                    Some(_) if is_press => return self.close(),
                    _ if self.details.contains(mouse.column, mouse.row) => {
                        self.details.handle_input(input);
                    }
                    _ => {
                        let before = self.cursor.row;
                        let pressed = self.cursor.handle_mouse(*mouse, self.list, self.rows.len());
                        self.move_to(before);
                        pressed.into_iter().for_each(|row| self.toggle_row(row));
                    }
                }
            }
            Input::Paste(_) => {}
        }
        OverlayReply::Stay
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("Enter", self.accept),
            ("Space", "tick"),
            ("Ctrl+A", "tick all"),
            ("PgDn", "read on"),
            ("Esc", "cancel"),
        ]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let choice = |row: &Row| {
            let note = Some(row.note.clone()).filter(|note| !note.is_empty());
            let details = row.details.iter().map(|(_, text)| text.clone());
            let detail = note.into_iter().chain(details).collect::<Vec<_>>().join("; ");
            let (title, refusal) = (row.title.clone(), row.refusal.clone());
            (row.is_on, Choice { title, detail, refusal, ..Choice::default() })
        };
        let rows = self.rows.iter().map(choice).collect();
        let ask = Ask::Ticks { text: None, rows, accept: self.accept };
        Sheet::new(self.title.clone(), "", ask).with_fault(self.wrong.as_ref())
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        match entry {
            Entry::Row(row) => self.toggle_row(row),
            Entry::Accept if self.rows.iter().any(|row| row.is_on) => {
                return self.accept_rows(state);
            }
            Entry::Accept => self.wrong = Some("tick a row first, by its number".into()),
            _ => return self.close(),
        }
        OverlayReply::Stay
    }
}
