//! A question that is answered with one line of text.

use ratatui::{Frame, layout::Rect};

use super::modal::{self, Buttons, Pressed};
use crate::{
    app::{
        input::{Code, Input},
        state::State,
    },
    ui::{
        canvas::{Pen, inset_area, wrap},
        sheet::{Ask, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::text_input::TextInput,
    },
};

/// What happens with the text: a reply, or words that say what is wrong with it.
type PromptAction = Box<dyn Fn(&str, &State) -> Result<Reply, String>>;

pub(crate) struct Prompt {
    title: String,
    /// What is asked and what will happen.
    words: String,
    input: TextInput,
    then: PromptAction,
    wrong: Option<String>,
    /// What Enter does, in a word or two.
    act: &'static str,
    sheet: Rect,
    buttons: Buttons,
}

impl Prompt {
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        text: impl Into<String>,
        then: impl Fn(&str, &State) -> Result<Reply, String> + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            words: words.into(),
            input: TextInput::new(text),
            then: Box::new(then),
            wrong: None,
            act: "OK",
            sheet: Rect::default(),
            buttons: Buttons::default(),
        }
    }

    /// With the word of its button.
    pub fn with_act(self, act: &'static str) -> Self {
        Self { act, ..self }
    }

    /// The text that is there is an example: what is typed replaces it.
    pub fn preselected(self) -> Self {
        let input = TextInput::selected_whole(self.input.text());
        Self { input, ..self }
    }

    fn accept(&mut self, state: &State) -> OverlayReply {
        match (self.then)(self.input.text().trim(), state) {
            Ok(reply) => return OverlayReply::CloseWith(reply),
            Err(wrong) => self.wrong = Some(wrong),
        }
        OverlayReply::Stay
    }
}

impl Overlay for Prompt {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let cells = modal::line_cells(area, 70);
        let words = wrap(&self.words, cells);
        let wrong = self.wrong.as_ref().map(|wrong| wrap(&format!("⚠ {wrong}"), cells));
        let wrong = wrong.unwrap_or_default();
        let below = u16::try_from(wrong.len()).unwrap_or(1).max(1);
        let height = u16::try_from(words.len()).unwrap_or(1) + 5 + below;
        let (sheet, inside) = modal::draw_modal(frame, area, (70, height), &self.title, look);
        self.sheet = sheet;
        let inside = inset_area(inside);
        let buffer = frame.buffer_mut();
        for (row, line) in (0_u16..).zip(&words) {
            Pen::new(buffer, inside, row).put_text(line, styles[Role::Dim]);
        }
        let field = Rect {
            y: inside.y
                + height.saturating_sub(4 + below).min(inside.height.saturating_sub(2 + below)),
            height: 1,
            ..inside
        };
        self.input.draw(buffer, field, styles[Role::FieldFocus], Some(styles[Role::Cursor]));
        look.mouse.types(field);
        for (row, line) in (field.y + 1 - inside.y..).zip(&wrong) {
            Pen::new(buffer, inside, row).put_text(line, styles[Role::Error]);
        }
        let foot = Rect { y: inside.bottom().saturating_sub(1), height: 1, ..inside };
        self.buttons.draw(buffer, foot, ("Enter", self.act), styles);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        match self.buttons.pressed(input, self.sheet, self.input.is_edited()) {
            Some(Pressed::Act) => return self.accept(state),
            Some(Pressed::Cancel) => return OverlayReply::Close,
            Some(Pressed::Outside) => {
                self.wrong = Some(modal::KEEPS_TEXT.to_owned());
                return OverlayReply::Stay;
            }
            None => {}
        }
        match input {
            Input::Key(key) if key.code == Code::Enter => return self.accept(state),
            Input::Key(key) => {
                self.input.handle_key(*key);
                self.wrong = None;
            }
            Input::Paste(text) => self.input.insert(text),
            Input::Mouse(mouse) => {
                self.input.accept_offer();
                self.input.handle_mouse(*mouse);
            }
        }
        OverlayReply::Stay
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn selected_text(&self) -> Option<&str> {
        self.input.selected_text()
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        vec![("Enter", self.act), ("Esc", "cancel")]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let ask = Ask::Text(self.input.text().to_owned());
        Sheet::new(self.title.clone(), &self.words, ask).with_fault(self.wrong.as_ref())
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        let Entry::Text(text) = entry else { return OverlayReply::Close };
        self.input = TextInput::new(text);
        self.accept(state)
    }
}
