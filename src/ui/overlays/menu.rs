//! A list to choose from, narrowed by typing.

use ratatui::{Frame, layout::Rect};

use super::modal;
use crate::{
    app::{
        actions::ActionId,
        input::{Code, Input},
        message::Message,
        state::State,
    },
    ui::{
        canvas::{Pen, text_width, truncate_text, wrap},
        ranking::{RankedItem, rank_candidates},
        sheet::{Ask, Choice, Entry, Sheet},
        styles::{Role, Styles},
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
    /// The action that it does: why that can't be done is taken in as the menu opens.
    pub action: Option<ActionId>,
    /// It could only be chosen at another place.
    pub elsewhere: bool,
    /// It deletes, or changes a running system: what was typed has to name it.
    pub risky: bool,
    /// The heading below which it comes after the others; empty: none.
    pub section: &'static str,
}

/// A line of the list.
#[derive(Clone, Copy)]
enum Line {
    /// The item of that place in the list as given.
    Item(usize),
    Heading(&'static str),
}

/// A line of an item as it is drawn: its first, or one on which its detail goes on.
struct ItemLine<'m> {
    item: &'m Item,
    is_first: bool,
    detail: String,
    chosen: bool,
}

/// Draws it with so many cells for titles and notes.
fn draw_item(
    mut pen: Pen<'_>,
    line: &ItemLine<'_>,
    (titles, notes): (usize, usize),
    styles: &Styles,
) {
    let ItemLine { item, is_first, detail, chosen } = line;
    let (named, note) = match is_first {
        true => (item.title.as_str(), item.note.as_str()),
        false => ("", ""),
    };
    let plain = if *chosen { styles[Role::Selected] } else { styles[Role::Overlay] };
    let of = |role: Role| match chosen {
        true => plain,
        false => styles[role].patch(ratatui::style::Style { bg: plain.bg, ..Default::default() }),
    };
    let title = if item.refusal.is_some() { of(Role::Ghost) } else { plain };
    pen.put_text(if *chosen { "▌" } else { " " }, plain).put_column(
        &truncate_text(named, titles + 1),
        titles + 2,
        title,
    );
    let room = pen.remaining_cells().saturating_sub(notes + 3);
    pen.put_column(detail, room, of(Role::Dim))
        .put_text("  ", plain)
        .put_column(note, notes, of(Role::Key))
        .fill_rest(plain);
}

/// The lines of these items: those without a heading first, then the others under theirs.
fn lines_of(rows: impl IntoIterator<Item = usize>, items: &[Item]) -> Vec<Line> {
    let (mut lines, mut sections) = (Vec::new(), Vec::<(&'static str, Vec<Line>)>::new());
    for row in rows {
        let section = items[row].section;
        match sections.iter_mut().find(|(known, _)| *known == section) {
            _ if section.is_empty() => lines.push(Line::Item(row)),
            Some((_, of)) => of.push(Line::Item(row)),
            None => sections.push((section, vec![Line::Heading(section), Line::Item(row)])),
        }
    }
    lines.extend(sections.into_iter().flat_map(|(_, of)| of));
    lines
}

/// What happens with the row that was chosen (its place in the list as given).
type MenuAction = Box<dyn Fn(usize, &State) -> OverlayReply>;

/// What shows a row before it is chosen, and what puts back what was shown before.
struct Preview {
    of_row: Box<dyn Fn(usize) -> Message>,
    back: Message,
}

/// A list over the screen.
pub(crate) struct Menu {
    title: String,
    items: Vec<Item>,
    then: MenuAction,
    preview: Option<Preview>,
    filter: TextInput,
    cursor: ListCursor,
    shown: Vec<Line>,
    sheet: Rect,
    rows: Rect,
    refused: Option<String>,
    /// What describes a row is wrapped, where else it is cut and read below the list.
    wraps: bool,
    /// Of the lines in view: the row of each.
    lines: Vec<usize>,
}

impl Menu {
    pub fn new(
        title: impl Into<String>,
        items: Vec<Item>,
        then: impl Fn(usize) -> OverlayReply + 'static,
    ) -> Self {
        Self::with_state(title, items, move |row, _| then(row))
    }

    /// The same where what a row does depends on how things are when it is chosen.
    pub fn with_state(
        title: impl Into<String>,
        items: Vec<Item>,
        then: impl Fn(usize, &State) -> OverlayReply + 'static,
    ) -> Self {
        Self::of_items(title.into(), items, Box::new(then))
    }

    fn of_items(title: String, items: Vec<Item>, then: MenuAction) -> Self {
        Self {
            title,
            shown: lines_of(0..items.len(), &items),
            items,
            then,
            preview: None,
            filter: TextInput::default(),
            cursor: ListCursor::default(),
            sheet: Rect::default(),
            rows: Rect::default(),
            refused: None,
            wraps: false,
            lines: Vec::new(),
        }
    }

    /// With rows of as many lines as their descriptions need.
    #[must_use]
    pub fn with_wrapped_rows(self) -> Self {
        Self { wraps: true, ..self }
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
        let line = self.shown.iter().position(|line| matches!(line, Line::Item(of) if *of == row));
        self.cursor.row = line.unwrap_or(row);
        self
    }

    /// The row under the cursor is shown as if it were chosen; whoever leaves gets back what was.
    #[must_use]
    pub fn with_preview(self, of_row: impl Fn(usize) -> Message + 'static, back: Message) -> Self {
        Self { preview: Some(Preview { of_row: Box::new(of_row), back }), ..self }
    }

    fn close(&self) -> OverlayReply {
        match &self.preview {
            Some(preview) => OverlayReply::CloseWith(Reply::send(preview.back.clone())),
            None => OverlayReply::Close,
        }
    }

    /// Goes on after an input with which another row may be under the cursor.
    fn stay(&self, before: Option<usize>) -> OverlayReply {
        let row = self.chosen_item().filter(|row| Some(*row) != before);
        match (&self.preview, row) {
            (Some(preview), Some(row)) => OverlayReply::StayWith((preview.of_row)(row)),
            _ => OverlayReply::Stay,
        }
    }

    fn apply_filter(&mut self) {
        let candidates = self.items.iter().map(|item| RankedItem {
            name: &item.title,
            description: &item.detail,
            unusable: item.refusal.is_some(),
            elsewhere: item.elsewhere,
            risky: item.risky,
            ..RankedItem::default()
        });
        let mut rows = rank_candidates(self.filter.text(), candidates);
        let text = self.filter.text().trim().to_lowercase();
        let holds = |words: &str| words.to_lowercase().contains(&text);
        let is_far = |row: &usize| !self.items[*row].section.is_empty();
        // What only resembles the text doesn't come before what is called so elsewhere.
        if rows.iter().any(|row| is_far(row) && holds(&self.items[*row].title)) {
            let item = |row: &usize| &self.items[*row];
            rows.retain(|row| is_far(row) || holds(&item(row).title) || holds(&item(row).detail));
        }
        self.shown = lines_of(rows, &self.items);
        self.cursor.row = 0;
        self.pass_heading(true);
    }

    /// The cursor is on no heading: it goes on downwards, or upwards where there is a row.
    fn pass_heading(&mut self, down: bool) {
        let is_heading = |row: usize| matches!(self.shown.get(row), Some(Line::Heading(_)));
        if is_heading(self.cursor.row) {
            self.cursor.row = match self.cursor.row.checked_sub(1) {
                Some(above) if !down => above,
                _ => self.cursor.row + 1,
            };
        }
    }

    /// The item under the cursor, by its place in the list as given.
    fn chosen_item(&self) -> Option<usize> {
        match self.shown.get(self.cursor.row) {
            Some(Line::Item(row)) => Some(*row),
            _ => None,
        }
    }

    /// What the chosen row has no room for, in lines.
    fn cut_words(&self, (titles, notes): (usize, usize), width: u16) -> Vec<String> {
        let chosen = self.chosen_item().and_then(|row| self.items.get(row));
        let Some(item) = chosen else { return Vec::new() };
        let cells = usize::from(width).saturating_sub(1).max(1);
        let room = cells.saturating_sub(titles + notes + 5);
        let fits =
            self.wraps || text_width(&item.title) <= titles && text_width(&item.detail) <= room;
        match (fits, item.detail.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => wrap(&item.title, cells),
            (false, false) => wrap(&format!("{}: {}", item.title, item.detail), cells),
        }
    }

    /// The lines in view: a row of what is shown, which of its lines, and what that says.
    fn lines_in_view(&mut self, cells: usize) -> Vec<(usize, usize, String)> {
        let detail = |line: &Line| match line {
            Line::Item(row) => self.items[*row].detail.as_str(),
            Line::Heading(_) => "",
        };
        let height = self.rows.height;
        let seen = if self.wraps {
            let lines = |row: usize| wrap(detail(&self.shown[row]), cells).len().max(1);
            self.cursor.visible_tall_rows(self.shown.len(), lines, height)
        } else {
            self.cursor.visible_rows(self.shown.len(), height)
        };
        let parts = |row: usize| {
            let whole = detail(&self.shown[row]);
            let mut parts = if self.wraps { wrap(whole, cells) } else { vec![whole.to_owned()] };
            if parts.is_empty() {
                parts.push(String::new());
            }
            parts.into_iter().enumerate().map(move |(part, text)| (row, part, text))
        };
        let lines: Vec<_> = seen.flat_map(parts).take(usize::from(height)).collect();
        self.lines = lines.iter().map(|(row, ..)| *row).collect();
        lines
    }

    fn choose_row(&mut self, state: &State) -> OverlayReply {
        let Some(row) = self.chosen_item() else { return OverlayReply::Stay };
        match &self.items[row].refusal {
            Some(why) => {
                self.refused = Some(why.clone());
                OverlayReply::Stay
            }
            None => (self.then)(row, state),
        }
    }
}

impl Overlay for Menu {
    fn note_refusals(&mut self, refusal: &dyn Fn(ActionId) -> Option<String>) {
        for item in &mut self.items {
            item.refusal = item.action.map_or(item.refusal.take(), refusal);
            if let (Some(why), Some(_)) = (&item.refusal, item.action) {
                item.detail = format!("unavailable: {why}");
            }
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let styles = look.styles;
        let widest = |of: fn(&Item) -> &str| {
            self.items.iter().map(|item| text_width(of(item))).max().unwrap_or(0)
        };
        let (titles, notes) = (widest(|item| &item.title), widest(|item| &item.note));
        let wide = (titles + widest(|item| &item.detail) + notes + 10)
            .clamp(44, usize::from(area.width * 3 / 4).max(100));
        let size = (
            u16::try_from(wide).unwrap_or(100),
            u16::try_from(self.items.len() + 4).unwrap_or(24).min(24.max(area.height * 2 / 3)),
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
        // Where both have no room, what describes an item has most of it: the few names that are
        // longer than the others are cut, and read below.
        let mut widths: Vec<usize> =
            self.items.iter().map(|item| text_width(&item.title)).collect();
        widths.sort_unstable();
        let most = widths.get(widths.len() * 9 / 10).copied().unwrap_or(titles);
        let cells = usize::from(rows.width);
        let spare = cells
            .saturating_sub(widest(|item| &item.detail) + notes + 6)
            .max(most.clamp(cells / 5, cells / 3));
        let columns = (titles.min(40).min(spare), notes);
        let said = match &self.refused {
            Some(why) => wrap(why, usize::from(rows.width).saturating_sub(1).max(1)),
            None => self.cut_words(columns, rows.width),
        };
        let foot = u16::try_from(said.len()).unwrap_or(0).min(rows.height / 3);
        self.rows = Rect { height: rows.height.saturating_sub(foot), ..rows };
        let of_sheet = |role: Role| {
            let ground =
                ratatui::style::Style { bg: styles[Role::Overlay].bg, ..Default::default() };
            styles[role].patch(ground)
        };
        let details = usize::from(rows.width).saturating_sub(columns.0 + notes + 6).max(1);
        for (at, (shown, part, detail)) in (0..self.rows.height).zip(self.lines_in_view(details)) {
            let item = match self.shown[shown] {
                Line::Item(row) => &self.items[row],
                Line::Heading(words) => {
                    let style = of_sheet(Role::Heading);
                    Pen::new(buffer, self.rows, at).skip(1).put_text(words, style);
                    continue;
                }
            };
            let drawn =
                ItemLine { item, is_first: part == 0, detail, chosen: shown == self.cursor.row };
            draw_item(Pen::new(buffer, self.rows, at), &drawn, columns, styles);
        }
        let more = self.shown.len().saturating_sub(self.lines.last().map_or(0, |row| row + 1));
        if more > 0 {
            let edge = Rect { y: sheet.bottom().saturating_sub(1), height: 1, ..sheet };
            let edge = Rect { width: edge.width.saturating_sub(2), ..edge };
            Pen::new(buffer, edge, 0).put_right(&format!(" ▾ {more} more "), styles[Role::Dim]);
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

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return self.close();
        }
        let before = self.chosen_item();
        match input {
            Input::Key(key) if key.is_plain(Code::Esc) => return self.close(),
            Input::Key(key) if key.code == Code::Enter => return self.choose_row(state),
            Input::Key(key) => {
                let narrows = key.typed_char().is_some()
                    || matches!(key.code, Code::Backspace | Code::Left | Code::Right);
                if narrows || !self.cursor.handle_key(*key, self.shown.len()) {
                    self.filter.handle_key(*key);
                    self.apply_filter();
                }
                self.pass_heading(!matches!(key.code, Code::Up | Code::PageUp));
                self.refused = None;
            }
            Input::Paste(text) => {
                self.filter.insert(text);
                self.apply_filter();
            }
            Input::Mouse(mouse) if self.filter.handle_mouse(*mouse) => {}
            Input::Mouse(mouse) => {
                let rows = self.shown.len();
                let pressed =
                    self.cursor.handle_mouse(*mouse, self.rows, rows.max(self.lines.len()));
                if pressed.is_some() {
                    let line = usize::from(mouse.row.saturating_sub(self.rows.y));
                    let Some(row) = self.lines.get(line) else { return OverlayReply::Stay };
                    self.cursor.row = *row;
                    return self.choose_row(state);
                }
            }
        }
        self.stay(before)
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn selected_text(&self) -> Option<&str> {
        self.filter.selected_text()
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
            key: None,
        };
        Sheet::new(self.title.clone(), "", Ask::Row(self.items.iter().map(choice).collect()))
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        match entry {
            Entry::Row(row) if row < self.items.len() => (self.then)(row, state),
            _ => OverlayReply::Close,
        }
    }
}
