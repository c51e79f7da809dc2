//! A question with a few answers, each with its key.

use ratatui::{Frame, layout::Rect};

use super::modal;
use crate::{
    app::{
        input::{Code, Input, Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    ui::{
        canvas::{Pen, inset_area, sentence_case, text_width},
        sheet::{Ask, Choice, Entry, Sheet, plain_lines},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::{
            difference::Line,
            reading::{ReadPosition, wrapped_lines},
        },
    },
};

/// Cells between two answers of a row.
const BETWEEN: u16 = 2;

/// What Esc does where nothing else is said.
const CANCEL: &str = "cancel";

/// An answer: its key, its words, what it asks for.
pub(crate) struct Answer {
    pub key: char,
    pub words: &'static str,
    pub messages: Vec<Message>,
}

/// A question over the screen. Esc puts it aside.
pub(crate) struct Confirm {
    title: String,
    words: String,
    /// What the question is about, below its words.
    shown: Vec<Line>,
    /// How far that is read, where it has more lines than there is room for.
    read: ReadPosition,
    is_long: bool,
    answers: Vec<Answer>,
    aside: Vec<Message>,
    /// What Esc does, in a word or two.
    escape: &'static str,
    at: usize,
    sheet: Rect,
    places: Vec<Rect>,
}

impl Confirm {
    /// The first answer is the one that Enter gives; `aside` is asked for when nothing is answered.
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        answers: Vec<Answer>,
        aside: Vec<Message>,
    ) -> Self {
        let (title, words) = (title.into(), words.into());
        Self {
            title,
            words,
            shown: Vec::new(),
            read: ReadPosition::default(),
            is_long: false,
            answers,
            aside,
            escape: CANCEL,
            at: 0,
            sheet: Rect::default(),
            places: Vec::new(),
        }
    }

    /// With what it is about.
    pub fn with_lines(self, shown: Vec<Line>) -> Self {
        Self { shown, ..self }
    }

    /// With the word for what Esc does, where that isn't to cancel.
    pub fn with_escape(self, escape: &'static str) -> Self {
        Self { escape, ..self }
    }

    /// Whether the answers have letters: for two of them, Enter and Esc do.
    fn has_letters(&self) -> bool {
        self.answers.len() > 2
    }

    fn give_answer(&mut self, row: usize) -> OverlayReply {
        match self.answers.get_mut(row) {
            Some(answer) => {
                OverlayReply::CloseWith(Reply::Send(std::mem::take(&mut answer.messages)))
            }
            None => OverlayReply::Stay,
        }
    }

    fn put_aside(&mut self) -> OverlayReply {
        OverlayReply::CloseWith(Reply::Send(std::mem::take(&mut self.aside)))
    }
}

/// Where buttons stand in rows of so many cells, each as its column, row and width; and how many
/// rows they take.
fn place_buttons(buttons: &[String], cells: u16) -> (Vec<(u16, u16, u16)>, u16) {
    let (mut x, mut y) = (0, 0);
    let place = |words: &String| {
        let width = u16::try_from(text_width(words)).unwrap_or(u16::MAX);
        if x > 0 && width > cells.saturating_sub(x) {
            (x, y) = (0, y + 1);
        }
        let at = (x, y, width);
        x += width.saturating_add(BETWEEN).min(u16::MAX - x);
        at
    };
    let places = buttons.iter().map(place).collect();
    (places, y + 1)
}

impl Overlay for Confirm {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let cells = area.width.saturating_sub(8).min(72);
        let mut lines = wrapped_lines(&self.words, Role::Overlay, usize::from(cells));
        if !self.shown.is_empty() {
            lines.push(Vec::new());
            // Text is on the ground of what lies over the screen.
            let over = |role| if role == Role::Text { Role::Overlay } else { role };
            let piece = |(role, text): &(Role, String)| (over(*role), text.clone());
            lines.extend(self.shown.iter().map(|line| line.iter().map(piece).collect::<Line>()));
        }
        let buttons: Vec<String> = self
            .answers
            .iter()
            .map(|answer| match self.has_letters() {
                true => format!(" {} {} ", answer.key, sentence_case(answer.words)),
                false => format!(" {} ", sentence_case(answer.words)),
            })
            .collect();
        let (places, rows) = place_buttons(&buttons, cells);
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX - 16) + rows + 3;
        let (sheet, inside) = modal::draw_modal(frame, area, (76, height), &self.title, look);
        self.sheet = sheet;
        let inside = inset_area(inside);
        let buffer = frame.buffer_mut();
        let above = Rect { height: inside.height.saturating_sub(rows + 1), ..inside };
        self.is_long = lines.len() > usize::from(above.height);
        self.read.draw(buffer, above, styles, &lines);
        let first = inside.height.saturating_sub(rows);
        self.places.clear();
        for (row, ((x, y, width), words)) in places.into_iter().zip(&buttons).enumerate() {
            let style = styles[if row == self.at { Role::Selected } else { Role::Chip }];
            Pen::new(buffer, inside, first + y).skip(x).put_text(words, style);
            self.places.push(Rect::new(inside.x + x, inside.y + first + y, width, 1));
        }
    }

    fn handle_input(&mut self, input: &Input, _: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            // What Esc does then is a choice of its own, which a press beside it isn't.
            let is_choice = self.escape != CANCEL;
            return if is_choice { OverlayReply::Stay } else { self.put_aside() };
        }
        match input {
            Input::Key(key) if key.is_plain(Code::Esc) => self.put_aside(),
            Input::Key(key) if key.code == Code::Enter => self.give_answer(self.at),
            Input::Key(Key { code: Code::Left, .. }) => {
                self.at = self.at.saturating_sub(1);
                OverlayReply::Stay
            }
            Input::Key(Key { code: Code::Right | Code::Tab, .. }) => {
                self.at = (self.at + 1) % self.answers.len().max(1);
                OverlayReply::Stay
            }
            Input::Key(Key {
                code: Code::Up | Code::Down | Code::PageUp | Code::PageDown | Code::Home | Code::End,
                ..
            })
            | Input::Mouse(Mouse { kind: MouseKind::Wheel(_), .. }) => {
                self.read.handle_input(input);
                OverlayReply::Stay
            }
            // Letters work where the buttons show them.
            Input::Key(key) => {
                match key
                    .typed_char()
                    .filter(|_| self.has_letters())
                    .and_then(|letter| self.answers.iter().position(|answer| answer.key == letter))
                {
                    Some(row) => self.give_answer(row),
                    None => OverlayReply::Stay,
                }
            }
            Input::Mouse(Mouse { kind: MouseKind::Down(_), column, row, .. }) => {
                match self.places.iter().position(|place| place.contains((*column, *row).into())) {
                    Some(row) => self.give_answer(row),
                    None => OverlayReply::Stay,
                }
            }
            _ => OverlayReply::Stay,
        }
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let act = self.answers.get(self.at).map_or("OK", |answer| answer.words);
        let scroll = self.is_long.then_some(("↑↓", "scroll"));
        // Where Esc answers, one of two keys that do the same is enough.
        let is_said = self.escape != CANCEL && act == self.escape;
        let escape = (!is_said).then_some(("Esc", self.escape));
        [("←→", "choose"), ("Enter", act)].into_iter().chain(escape).chain(scroll).collect()
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let choice = |answer: &Answer| Choice {
            title: answer.words.into(),
            key: Some(answer.key),
            ..Choice::default()
        };
        let rows = self.answers.iter().map(choice).collect();
        let mut sheet = Sheet::new(self.title.clone(), &self.words, Ask::Row(rows));
        sheet.lines.extend(plain_lines(&self.shown));
        if self.escape != CANCEL {
            sheet.lines.push(format!("Here cancel means {}.", self.escape));
        }
        sheet
    }

    fn answer(&mut self, entry: Entry<'_>, _: &State) -> OverlayReply {
        match entry {
            Entry::Row(row) => self.give_answer(row),
            _ => self.put_aside(),
        }
    }
}
