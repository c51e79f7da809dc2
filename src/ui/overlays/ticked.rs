//! A text to type, and things to tick below it.

use ratatui::{Frame, layout::Rect};

use super::modal::{self, Buttons, Pressed};
use crate::{
    app::{
        input::{Code, Input, Key},
        state::State,
    },
    ui::{
        canvas::{Pen, inset_area, mark_chosen, wrap},
        sheet::{Ask, Choice, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::{list::ListCursor, text_input::TextInput},
    },
};

/// Something that is ticked or not.
pub(crate) struct Tick {
    pub title: String,
    /// Beside the title: what it adds up to.
    pub detail: String,
    pub on: bool,
}

/// What happens with the text and the ticks: a reply, or words that say what is wrong.
type TicksAction = Box<dyn Fn(&str, &[Tick], &State) -> Result<Reply, String>>;

pub(crate) struct Ticked {
    title: String,
    words: String,
    input: TextInput,
    ticks: Vec<Tick>,
    list: ListCursor,
    /// Whether the row of the list has the keys; else the text has them.
    in_list: bool,
    then: TicksAction,
    wrong: Option<String>,
    sheet: Rect,
    rows: Rect,
    buttons: Buttons,
}

impl Ticked {
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        text: impl Into<String>,
        ticks: Vec<Tick>,
        then: impl Fn(&str, &[Tick], &State) -> Result<Reply, String> + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            words: words.into(),
            input: TextInput::selected_whole(text),
            ticks,
            list: ListCursor::default(),
            in_list: false,
            then: Box::new(then),
            wrong: None,
            sheet: Rect::default(),
            rows: Rect::default(),
            buttons: Buttons::default(),
        }
    }

    fn accept(&mut self, state: &State) -> OverlayReply {
        match (self.then)(self.input.text().trim(), &self.ticks, state) {
            Ok(reply) => return OverlayReply::CloseWith(reply),
            Err(wrong) => self.wrong = Some(wrong),
        }
        OverlayReply::Stay
    }

    fn toggle_tick(&mut self, row: usize) {
        if let Some(tick) = self.ticks.get_mut(row) {
            tick.on = !tick.on;
        }
    }

    fn handle_key(&mut self, key: Key) {
        self.wrong = None;
        let rows = self.ticks.len();
        match key.code {
            Code::Down | Code::Tab if !self.in_list => self.in_list = true,
            Code::Up if self.list.row == 0 => self.in_list = false,
            Code::Tab => {
                self.list.handle_key(Key::plain(Code::Down), rows);
            }
            Code::Up | Code::Down | Code::PageUp | Code::PageDown if self.in_list => {
                self.list.handle_key(key, rows);
            }
            Code::Char(' ') if self.in_list => self.toggle_tick(self.list.row),
            _ => {
                self.in_list = false;
                self.input.handle_key(key);
            }
        }
    }
}

impl Overlay for Ticked {
    fn is_typing(&self) -> bool {
        !self.in_list
    }

    fn selected_text(&self) -> Option<&str> {
        self.input.selected_text()
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let words = wrap(&self.words, usize::from(area.width.saturating_sub(8).min(72)));
        let height = u16::try_from(words.len() + self.ticks.len()).unwrap_or(20) + 6;
        let (sheet, inside) = modal::draw_modal(frame, area, (76, height), &self.title, look);
        self.sheet = sheet;
        let inside = inset_area(inside);
        let buffer = frame.buffer_mut();
        for (row, line) in (0_u16..).zip(&words) {
            Pen::new(buffer, inside, row).put_text(line, styles[Role::Dim]);
        }
        let below = u16::try_from(words.len()).unwrap_or(0);
        let field = Rect { y: inside.y + below, height: 1, ..inside };
        let cursor = (!self.in_list).then_some(styles[Role::Cursor]);
        self.input.draw(buffer, field, styles[Role::FieldFocus], cursor);
        if let Some(wrong) = &self.wrong {
            Pen::new(buffer, inside, below + 1)
                .put_text(&format!("⚠ {wrong}"), styles[Role::Error]);
        }
        self.rows = Rect {
            y: inside.y + below + 2,
            height: inside.height.saturating_sub(below + 4),
            ..inside
        };
        let wide = self.ticks.iter().map(|tick| tick.title.len()).max().unwrap_or(0) + 2;
        let seen = self.list.visible_rows(self.ticks.len(), self.rows.height);
        let more = self.ticks.len() - seen.end;
        for (line, row) in (0_u16..).zip(seen) {
            let tick = &self.ticks[row];
            let role = if tick.on { Role::Overlay } else { Role::Dim };
            let mut pen = Pen::new(buffer, self.rows, line);
            pen.put_text(if tick.on { "[x] " } else { "[ ] " }, styles[Role::Key]).put_column(
                &tick.title,
                wide,
                styles[role],
            );
            let room = pen.remaining_cells();
            pen.put_column(&tick.detail, room, styles[Role::Dim]);
            if self.in_list && self.list.row == row {
                mark_chosen(buffer, self.rows, line, styles, true);
            }
        }
        if more > 0 {
            let below = Rect { y: self.rows.bottom(), height: 1, ..self.rows };
            Pen::new(buffer, below, 0).put_right(&format!(" ▾ {more} more "), styles[Role::Dim]);
        }
        let foot = Rect { y: inside.bottom().saturating_sub(1), height: 1, ..inside };
        self.buttons.draw(buffer, foot, ("Enter", "keep"), styles);
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
            Input::Key(key) => self.handle_key(*key),
            Input::Paste(text) => {
                self.in_list = false;
                self.input.insert(text);
            }
            Input::Mouse(mouse) if self.input.handle_mouse(*mouse) => self.in_list = false,
            Input::Mouse(mouse) => {
                let pressed = self.list.handle_mouse(*mouse, self.rows, self.ticks.len());
                if let Some(row) = pressed {
                    self.in_list = true;
                    self.toggle_tick(row);
                }
            }
        }
        OverlayReply::Stay
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        vec![("Enter", "keep"), ("Down", "next"), ("Space", "tick"), ("Esc", "cancel")]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let choice = |tick: &Tick| {
            let (title, detail) = (tick.title.clone(), tick.detail.clone());
            (tick.on, Choice { title, detail, ..Choice::default() })
        };
        let rows = self.ticks.iter().map(choice).collect();
        let ask = Ask::Ticks { text: Some(self.input.text().to_owned()), rows, accept: "keep" };
        Sheet::new(self.title.clone(), &self.words, ask).with_fault(self.wrong.as_ref())
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        self.wrong = None;
        match entry {
            Entry::Text(text) => self.input = TextInput::new(text),
            Entry::Row(row) => self.toggle_tick(row),
            Entry::Accept => return self.accept(state),
            _ => return OverlayReply::Close,
        }
        OverlayReply::Stay
    }
}
