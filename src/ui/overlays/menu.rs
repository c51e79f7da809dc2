//! A list to choose from, narrowed by typing.

use ratatui::{Frame, layout::Rect};

use super::modal;
use crate::{
    app::{
        input::{Code, Input},
        state::State,
    },
    ui::{
        canvas::{Pen, text_width, wrap},
        ranking::{RankedItem, rank_candidates},
        sheet::{Ask, Choice, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::{list::ListCursor, text_input::TextInput},
    },
};

/// A row to choose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub title: String,
    /// Beside the title: what it is.
    pub detail: String,
    /// At the right: a key, a count.
    pub note: String,
    /// Why it can't be chosen now.
    pub refusal: Option<String>,
    /// It deletes, or changes a running system: what was typed has to name it.
    pub risky: bool,
}

/// What happens with the row that was chosen (its place in the list as given).
type MenuAction = Box<dyn Fn(usize) -> OverlayReply>;

/// A list over the screen.
pub(crate) struct Menu {
    title: String,
    items: Vec<Item>,
    then: MenuAction,
    filter: TextInput,
    cursor: ListCursor,
    shown: Vec<usize>,
    sheet: Rect,
    rows: Rect,
    refused: Option<String>,
}

impl Menu {
    pub fn new(
        title: impl Into<String>,
        items: Vec<Item>,
        then: impl Fn(usize) -> OverlayReply + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            shown: (0..items.len()).collect(),
            items,
            then: Box::new(then),
            filter: TextInput::default(),
            cursor: ListCursor::default(),
            sheet: Rect::default(),
            rows: Rect::default(),
            refused: None,
        }
    }

    /// A menu whose rows send a reply.
    pub fn with_replies(
        title: impl Into<String>,
        items: Vec<Item>,
        then: impl Fn(usize) -> Reply + 'static,
    ) -> Self {
        Self::new(title, items, move |row| OverlayReply::CloseWith(then(row)))
    }

    /// Begins with this row chosen.
    #[must_use]
    pub fn with_row(mut self, row: usize) -> Self {
        self.cursor.row = row;
        self
    }

    fn apply_filter(&mut self) {
        let candidates = self.items.iter().map(|item| RankedItem {
            name: &item.title,
            description: &item.detail,
            unusable: item.refusal.is_some(),
            risky: item.risky,
            ..RankedItem::default()
        });
        self.shown = rank_candidates(self.filter.text(), candidates);
        self.cursor.row = 0;
    }

    /// What the chosen row has no room for, in lines.
    fn cut_words(&self, (titles, notes): (usize, usize), width: u16) -> Vec<String> {
        let chosen = self.shown.get(self.cursor.row).and_then(|row| self.items.get(*row));
        let Some(item) = chosen else { return Vec::new() };
        let cells = usize::from(width).saturating_sub(1).max(1);
        let room = cells.saturating_sub(titles + notes + 4);
        let fits = text_width(&item.title) <= titles && text_width(&item.detail) <= room;
        match (fits, item.detail.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => wrap(&item.title, cells),
            (false, false) => wrap(&format!("{}: {}", item.title, item.detail), cells),
        }
    }

    fn choose_row(&mut self) -> OverlayReply {
        let Some(row) = self.shown.get(self.cursor.row).copied() else { return OverlayReply::Stay };
        match &self.items[row].refusal {
            Some(why) => {
                self.refused = Some(why.clone());
                OverlayReply::Stay
            }
            None => (self.then)(row),
        }
    }
}

impl Overlay for Menu {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let widest = |of: fn(&Item) -> &str| {
            self.items.iter().map(|item| text_width(of(item))).max().unwrap_or(0)
        };
        let (titles, notes) = (widest(|item| &item.title), widest(|item| &item.note));
        let wide = (titles + widest(|item| &item.detail) + notes + 10).clamp(44, 100);
        let size = (
            u16::try_from(wide).unwrap_or(100),
            u16::try_from(self.items.len() + 4).unwrap_or(24).min(24),
        );
        let (sheet, inside) = modal::draw_modal(frame, area, size, &self.title, look);
        self.sheet = sheet;
        let buffer = frame.buffer_mut();
        let [head, rows] = [
            Rect { height: 1, ..inside },
            Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside },
        ];
        Pen::new(buffer, head, 0).put_text("› ", styles[Role::Key]);
        let field = Rect { x: head.x + 2, width: head.width.saturating_sub(2), ..head };
        self.filter.draw(buffer, field, styles[Role::Overlay], Some(styles[Role::Cursor]));
        if self.filter.text().is_empty() {
            Pen::new(buffer, field, 0)
                .skip(1)
                .put_text("type to narrow the list", styles[Role::Ghost]);
        }
        // Where both have no room, what describes an item has most of it: names are read below.
        let spare = usize::from(rows.width)
            .saturating_sub(widest(|item| &item.detail) + notes + 5)
            .max(usize::from(rows.width) / 3);
        let columns = (titles.min(40).min(spare), notes);
        let said = match &self.refused {
            Some(why) => wrap(why, usize::from(rows.width).saturating_sub(1).max(1)),
            None => self.cut_words(columns, rows.width),
        };
        let foot = u16::try_from(said.len()).unwrap_or(0).min(rows.height / 3);
        self.rows = Rect { height: rows.height.saturating_sub(foot), ..rows };
        for (line, shown) in
            self.cursor.visible_rows(self.shown.len(), self.rows.height).enumerate()
        {
            let item = &self.items[self.shown[shown]];
            let chosen = shown == self.cursor.row;
            let plain = if chosen { styles[Role::Selected] } else { styles[Role::Overlay] };
            let of = |role: Role| {
                if chosen {
                    plain
                } else {
                    styles[role].patch(ratatui::style::Style { bg: plain.bg, ..Default::default() })
                }
            };
            let title = if item.refusal.is_some() { of(Role::Ghost) } else { plain };
            let mut pen = Pen::new(buffer, self.rows, u16::try_from(line).unwrap_or(0));
            pen.put_text(if chosen { "▌" } else { " " }, plain).put_column(
                &item.title,
                columns.0 + 2,
                title,
            );
            let room = pen.remaining_cells().saturating_sub(notes + 2);
            pen.put_column(&item.detail, room, of(Role::Dim))
                .put_text("  ", plain)
                .put_column(&item.note, notes, of(Role::Key))
                .fill_rest(plain);
        }
        if self.shown.is_empty() {
            Pen::new(buffer, self.rows, 0).skip(2).put_text("no match", styles[Role::Ghost]);
        }
        let role = if self.refused.is_some() { Role::Warning } else { Role::Dim };
        let below = Rect { y: self.rows.bottom(), height: foot, ..rows };
        for (row, line) in (0..foot).zip(&said) {
            Pen::new(buffer, below, row).skip(1).put_text(line, styles[role]);
        }
    }

    fn handle_input(&mut self, input: &Input, _: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return OverlayReply::Close;
        }
        match input {
            Input::Key(key) if key.is_plain(Code::Esc) => return OverlayReply::Close,
            Input::Key(key) if key.code == Code::Enter => return self.choose_row(),
            Input::Key(key) => {
                let narrows = key.typed_char().is_some()
                    || matches!(key.code, Code::Backspace | Code::Left | Code::Right);
                if narrows || !self.cursor.handle_key(*key, self.shown.len()) {
                    self.filter.handle_key(*key);
                    self.apply_filter();
                }
                self.refused = None;
            }
            Input::Paste(text) => {
                self.filter.insert(text);
                self.apply_filter();
            }
            Input::Mouse(mouse) => {
                if self.cursor.handle_mouse(*mouse, self.rows, self.shown.len()).is_some() {
                    return self.choose_row();
                }
            }
        }
        OverlayReply::Stay
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        vec![("↑↓", "move"), ("Enter", "choose"), ("Esc", "close")]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let note = |item: &Item| match item.note.as_str() {
            "" => item.detail.clone(),
            note if item.detail.is_empty() => note.to_owned(),
            note => format!("{}; {note}", item.detail),
        };
        let choice = |item: &Item| Choice {
            title: item.title.clone(),
            detail: note(item),
            refusal: item.refusal.clone(),
            risky: item.risky,
        };
        Sheet::new(self.title.clone(), "", Ask::Row(self.items.iter().map(choice).collect()))
    }

    fn answer(&mut self, entry: Entry<'_>, _: &State) -> OverlayReply {
        match entry {
            Entry::Row(row) if row < self.items.len() => (self.then)(row),
            _ => OverlayReply::Close,
        }
    }
}
