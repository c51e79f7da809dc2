//! Values to give, several at once: texts, and secrets that are typed hidden.

use ratatui::{Frame, layout::Rect};

use super::modal::{self, Buttons, Pressed};
use crate::{
    app::{
        input::{Code, Input, Key, MouseKind},
        state::State,
        verbs,
    },
    ui::{
        canvas::{Pen, inset_area, text_width, wrap},
        sheet::{Ask, AskedValue, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::text_input::TextInput,
    },
};

/// Cells of the sheet at most.
const WIDE: u16 = 90;

/// How what is typed is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Plain,
    Hidden,
}

/// A value to give.
pub(crate) struct Asked {
    pub label: String,
    pub text: String,
    pub shown: Shown,
}

/// What happens with the values, in their order; or words that say what is wrong with them.
type Then = Box<dyn Fn(&[&str], &State) -> Result<Reply, String>>;

pub(crate) struct ValueForm {
    title: String,
    /// What accepting does, as its button says it.
    act: &'static str,
    words: String,
    fields: Vec<(Asked, TextInput)>,
    /// The field that has the keys.
    at: usize,
    then: Then,
    /// What is asked for when nothing is accepted.
    aside: Reply,
    wrong: Option<String>,
    sheet: Rect,
    rows: Rect,
    buttons: Buttons,
}

impl ValueForm {
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        fields: Vec<Asked>,
        aside: Reply,
        then: impl Fn(&[&str], &State) -> Result<Reply, String> + 'static,
    ) -> Self {
        let input = |asked: Asked| {
            let input = TextInput::new(asked.text.clone());
            (asked, input)
        };
        Self {
            title: title.into(),
            act: "accept",
            words: words.into(),
            fields: fields.into_iter().map(input).collect(),
            at: 0,
            then: Box::new(then),
            aside,
            wrong: None,
            sheet: Rect::default(),
            rows: Rect::default(),
            buttons: Buttons::default(),
        }
    }

    /// With the word of its button: a verb.
    #[must_use]
    pub fn with_act(self, act: &'static str) -> Self {
        Self { act, ..self }
    }

    /// Enter goes on to the next field, and after the last one accepts.
    fn handle_enter(&mut self, state: &State) -> OverlayReply {
        if self.at + 1 < self.fields.len() {
            self.at += 1;
            return OverlayReply::Stay;
        }
        self.accept(state)
    }

    fn accept(&mut self, state: &State) -> OverlayReply {
        let values: Vec<&str> = self.fields.iter().map(|(_, input)| input.text()).collect();
        match (self.then)(&values, state) {
            Ok(reply) => OverlayReply::CloseWith(reply),
            Err(wrong) => {
                self.wrong = Some(wrong);
                OverlayReply::Stay
            }
        }
    }

    fn cancel(&mut self) -> OverlayReply {
        OverlayReply::CloseWith(std::mem::take(&mut self.aside))
    }

    fn handle_key(&mut self, key: Key) {
        let last = self.fields.len().saturating_sub(1);
        match key.code {
            Code::Tab if key.mods.shift => self.at = self.at.checked_sub(1).unwrap_or(last),
            Code::Up => self.at = self.at.saturating_sub(1),
            Code::Tab => self.at = if self.at < last { self.at + 1 } else { 0 },
            Code::Down => self.at = (self.at + 1).min(last),
            _ => {
                self.wrong = None;
                if let Some((_, input)) = self.fields.get_mut(self.at) {
                    input.handle_key(key);
                }
            }
        }
    }
}

impl Overlay for ValueForm {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let cells = usize::from(area.width.saturating_sub(6).min(WIDE - 4));
        let words = wrap(&self.words, cells);
        let top = u16::try_from(words.len()).unwrap_or(1) + 1;
        let count = u16::try_from(self.fields.len()).unwrap_or(u16::MAX);
        let height = top.saturating_add(count).saturating_add(5);
        let (sheet, inside) = modal::draw_modal(frame, area, (WIDE, height), &self.title, look);
        self.sheet = sheet;
        let inside = inset_area(inside);
        let buffer = frame.buffer_mut();
        for (row, line) in (0_u16..).zip(&words) {
            Pen::new(buffer, inside, row).put_text(line, styles[Role::Dim]);
        }
        let height = inside.height.saturating_sub(top + 2);
        self.rows = Rect { y: inside.y + top, height, ..inside };
        let widest = self.fields.iter().map(|(asked, _)| text_width(&asked.label)).max();
        let labels = widest.unwrap_or(0).min(usize::from(inside.width / 2)) + 2;
        for (number, (line, (asked, input))) in (0..height).zip(&mut self.fields).enumerate() {
            let mut pen = Pen::new(buffer, self.rows, line);
            pen.put_column(&asked.label, labels, styles[Role::Label]);
            let x = pen.column_now();
            let width = self.rows.right().saturating_sub(x);
            let field = Rect { x, y: self.rows.y + line, width, height: 1 };
            look.mouse.types(field);
            let has_keys = number == self.at;
            let style = styles[if has_keys { Role::FieldFocus } else { Role::Field }];
            let cursor = has_keys.then_some(styles[Role::Cursor]);
            match asked.shown {
                Shown::Plain => input.draw(buffer, field, style, cursor),
                Shown::Hidden => input.draw_masked(buffer, field, style, cursor),
            }
        }
        if let Some(wrong) = &self.wrong {
            Pen::new(buffer, inside, inside.height.saturating_sub(2))
                .put_text(&format!("⚠ {wrong}"), styles[Role::Error]);
        }
        let foot = Rect { y: inside.bottom().saturating_sub(1), height: 1, ..inside };
        self.buttons.draw(buffer, foot, ("F6", self.act), styles);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        let is_edited = self.fields.iter().any(|(_, input)| input.is_edited());
        match self.buttons.pressed(input, self.sheet, is_edited) {
            Some(Pressed::Act) => return self.accept(state),
            Some(Pressed::Cancel) => return self.cancel(),
            Some(Pressed::Outside) => {
                self.wrong = Some(modal::KEEPS_TEXT.to_owned());
                return OverlayReply::Stay;
            }
            None => {}
        }
        match input {
            Input::Key(key) if verbs::SEND.is_key(*key) => return self.accept(state),
            Input::Key(key) if key.code == Code::Enter => return self.handle_enter(state),
            Input::Key(key) => self.handle_key(*key),
            Input::Paste(text) => {
                if let Some((_, input)) = self.fields.get_mut(self.at) {
                    input.insert(text.trim_end_matches(['\n', '\r']));
                }
            }
            Input::Mouse(mouse) => {
                let place = (mouse.column, mouse.row).into();
                let is_field = self.rows.contains(place);
                let row = usize::from(mouse.row.saturating_sub(self.rows.y));
                let is_press = matches!(mouse.kind, MouseKind::Down(_));
                if is_press && is_field && row < self.fields.len() {
                    self.at = row;
                }
                if let Some((_, input)) = self.fields.get_mut(self.at) {
                    input.handle_mouse(*mouse);
                }
            }
        }
        OverlayReply::Stay
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn selected_text(&self) -> Option<&str> {
        let (asked, input) = self.fields.get(self.at)?;
        input.selected_text().filter(|_| asked.shown == Shown::Plain)
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let last = self.at + 1 >= self.fields.len();
        let enter = if last { self.act } else { "next" };
        vec![("Enter", enter), ("F6", self.act), ("Tab", "next"), ("Esc", "cancel")]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let value = |(asked, input): &(Asked, TextInput)| AskedValue {
            label: asked.label.clone(),
            present: input.text().to_owned(),
            hidden: asked.shown == Shown::Hidden,
        };
        let ask = Ask::Values(self.fields.iter().map(value).collect());
        Sheet::new(self.title.clone(), &self.words, ask).with_fault(self.wrong.as_ref())
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        let Entry::Values(values) = entry else { return self.cancel() };
        for ((_, input), value) in self.fields.iter_mut().zip(values) {
            *input = TextInput::new(value.as_str());
        }
        self.accept(state)
    }
}
