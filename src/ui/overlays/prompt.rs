//! A question that is answered with one line of text.

use ratatui::{Frame, layout::Rect};

use super::modal::{self, Buttons, Pressed};
use crate::{
    app::{
        input::{Code, Input},
        state::State,
    },
    ui::{
        canvas::{Pen, inset_area, truncate_text, visible_text, wrap},
        sheet::{Ask, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::text_input::TextInput,
    },
};

/// What happens with the text: a reply, or words that say what is wrong with it.
type PromptAction = Box<dyn Fn(&str, &State) -> Result<Reply, String>>;

/// What the text would come to, or why it would come to nothing.
type Preview = Box<dyn Fn(&str) -> Result<Vec<String>, String>>;

/// The lines that a preview takes.
pub(crate) const PREVIEW_LINES: usize = 6;

pub(crate) struct Prompt {
    title: String,
    /// What is asked and what will happen.
    words: String,
    input: TextInput,
    then: PromptAction,
    wrong: Option<String>,
    preview: Option<Preview>,
    /// What it said of the text that is typed.
    previewed: Option<(String, Result<Vec<String>, String>)>,
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
            preview: None,
            previewed: None,
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

    /// Shows below the text what it would come to, as it is typed.
    pub fn with_preview(
        self,
        preview: impl Fn(&str) -> Result<Vec<String>, String> + 'static,
    ) -> Self {
        Self { preview: Some(Box::new(preview)), ..self }
    }

    /// The lines below the text: what is wrong with it, else what it would come to.
    fn lines_below(&mut self, cells: usize, room: usize) -> Vec<(Role, String)> {
        let lines_of = |role: Role, text: &str| {
            wrap(text, cells).into_iter().map(move |line| (role, line)).collect()
        };
        if let Some(wrong) = &self.wrong {
            return lines_of(Role::Error, &format!("⚠ {wrong}"));
        }
        let Some(preview) = &self.preview else { return Vec::new() };
        let text = self.input.text().trim();
        if self.previewed.as_ref().is_none_or(|(known, _)| known != text) {
            self.previewed = Some((text.to_owned(), preview(text)));
        }
        let mut lines: Vec<(Role, String)> = match &self.previewed {
            Some((_, Ok(lines))) => lines
                .iter()
                .map(|line| (Role::Text, truncate_text(&visible_text(line), cells).into_owned()))
                .collect(),
            Some((_, Err(why))) => lines_of(Role::Dim, why),
            None => Vec::new(),
        };
        // The sheet keeps its height while one types.
        lines.resize(room.clamp(1, PREVIEW_LINES), (Role::Text, String::new()));
        lines
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
        let room = usize::from(area.height).saturating_sub(words.len() + 7);
        let said = self.lines_below(cells, room);
        let below = u16::try_from(said.len()).unwrap_or(1).max(1);
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
        for (row, (role, line)) in (field.y + 1 - inside.y..).zip(&said) {
            Pen::new(buffer, inside, row).put_text(line, styles[*role]);
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
