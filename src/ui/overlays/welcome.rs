//! The ways to begin in a folder: one below the other, each with its key.

use ratatui::{Frame, layout::Rect};

use super::{modal, way_back::ending_question};
use crate::{
    app::{
        actions::{ActionId, Scope},
        input::{Code, Input, Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    model::entry::FileId,
    ui::{
        canvas::{Pen, inset_area, sentence_case, wrap},
        pasted,
        sheet::{Ask, Choice, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
    },
};

/// What `?` says.
const HELP: &str = "Press a letter, or choose with ↑↓ and Enter. Esc closes this; “welcome…” in the \
    command palette (Ctrl+P) opens it again.";

/// A way to begin.
pub(crate) struct Way {
    pub key: char,
    /// A verb and its object, in small letters.
    pub words: &'static str,
    /// Which one, where there may be several: a file.
    pub detail: String,
    pub act: WayAct,
}

/// What a way does.
pub(crate) enum WayAct {
    Send(Vec<Message>),
    Do(ActionId),
    /// Proposes to add the tools of a file of the workspace.
    AddTools(FileId),
}

pub(crate) struct Welcome {
    words: &'static str,
    ways: Vec<Way>,
    at: usize,
    shows_help: bool,
    sheet: Rect,
    rows: Rect,
}

impl Welcome {
    pub fn new(words: &'static str, ways: Vec<Way>) -> Self {
        let (sheet, rows) = (Rect::default(), Rect::default());
        Self { words, ways, at: 0, shows_help: false, sheet, rows }
    }

    fn take(&mut self, row: usize, state: &State) -> OverlayReply {
        match self.ways.get_mut(row).map(|way| &mut way.act) {
            Some(WayAct::Send(messages)) => {
                OverlayReply::CloseWith(Reply::Send(std::mem::take(messages)))
            }
            Some(WayAct::Do(act)) => OverlayReply::Act(act),
            Some(WayAct::AddTools(file)) => OverlayReply::CloseWith(ending_question(
                pasted::take_file(file.as_str(), state),
                state,
            )),
            None => OverlayReply::Stay,
        }
    }

    fn close() -> OverlayReply {
        OverlayReply::CloseWith(Reply::send(Message::DropQuestion))
    }

    fn handle_key(&mut self, key: Key, state: &State) -> OverlayReply {
        let count = self.ways.len().max(1);
        let letter = key.typed_char();
        let named = letter.and_then(|letter| self.ways.iter().position(|way| way.key == letter));
        // A digit shows a screen here, too.
        let is_digit = letter.is_some_and(|letter| letter.is_ascii_digit());
        if let Some(action) = state.keymap.action_for(&[Scope::Global], key).filter(|_| is_digit) {
            return OverlayReply::Act(action);
        }
        match key.code {
            Code::Esc => return Self::close(),
            Code::Enter => return self.take(self.at, state),
            Code::Up => self.at = self.at.checked_sub(1).unwrap_or(count - 1),
            Code::Down | Code::Tab => self.at = (self.at + 1) % count,
            Code::F(1) => self.shows_help = true,
            _ if letter == Some('?') => self.shows_help = true,
            _ => match named {
                Some(row) => return self.take(row, state),
                // A letter that means nothing here is answered by what does.
                None => self.shows_help |= letter.is_some(),
            },
        }
        OverlayReply::Stay
    }
}

fn propose_tools(text: &str, state: &State) -> OverlayReply {
    OverlayReply::CloseWith(ending_question(pasted::paste_descriptors(text, state), state))
}

fn detail_after(way: &Way) -> String {
    if way.detail.is_empty() { String::new() } else { format!(" {}", way.detail) }
}

impl Overlay for Welcome {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let cells = usize::from(area.width.saturating_sub(8).min(72));
        let words = wrap(if self.shows_help { HELP } else { self.words }, cells);
        let count = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX - 16);
        let (above, ways) = (count(words.len()) + 1, count(self.ways.len()));
        let size = (76, above + ways + 2);
        let (sheet, inside) = modal::draw_modal(frame, area, size, "Welcome to toolcrib", look);
        self.sheet = sheet;
        let inside = inset_area(inside);
        let buffer = frame.buffer_mut();
        for (row, line) in (0..inside.height).zip(&words) {
            Pen::new(buffer, inside, row).put_text(line, styles[Role::Overlay]);
        }
        let height = inside.height.saturating_sub(above);
        self.rows = Rect { y: inside.y + above.min(inside.height), height, ..inside };
        for (line, (row, way)) in (0..height).zip(self.ways.iter().enumerate()) {
            let ground = styles[if row == self.at { Role::Selected } else { Role::Overlay }];
            let key = if row == self.at { ground } else { styles[Role::Key] };
            Pen::new(buffer, self.rows, line)
                .put_text(" ", ground)
                .put_text(&way.key.to_string(), ratatui::style::Style { bg: ground.bg, ..key })
                .put_text("  ", ground)
                .put_text(&sentence_case(way.words), ground)
                .put_text(&detail_after(way), ground)
                .fill_rest(ground);
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return Self::close();
        }
        match input {
            Input::Key(key) => self.handle_key(*key, state),
            // A pasted tool is a way to begin, too.
            Input::Paste(text) => propose_tools(text, state),
            Input::Mouse(Mouse { kind: MouseKind::Down(_), column, row, .. })
                if self.rows.contains((*column, *row).into()) =>
            {
                self.take(usize::from(row - self.rows.y), state)
            }
            _ => OverlayReply::Stay,
        }
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let act = match self.ways.get(self.at) {
            // Which one is in its row.
            Some(Way { act: WayAct::AddTools(_), .. }) => "add its tools",
            way => way.map_or("", |way| way.words),
        };
        vec![("↑↓", "choose"), ("Esc", "close"), ("Enter", act), ("?", "help")]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let choice = |way: &Way| Choice {
            title: format!("{}{}", way.words, detail_after(way)),
            ..Choice::default()
        };
        let rows = self.ways.iter().map(choice).collect();
        Sheet::new("Welcome to toolcrib", self.words, Ask::Row(rows))
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        match entry {
            Entry::Row(row) => self.take(row, state),
            _ => Self::close(),
        }
    }
}
