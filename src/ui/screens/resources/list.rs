//! The left pane: resources, templates and prompts of a server under their headings.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        connection_test::Report,
        input::Input,
        message::Message,
        resources::{ItemId, ResourceMessage},
        state::State,
    },
    model::server_item::{ItemKind, ServerItem},
    ui::{
        canvas::{Pen, inset_area, mark_chosen, text_width},
        styles::{Role, Styles},
        view::Reply,
        widgets::{
            list::ListCursor,
            pane::Pane,
            reading::{Line, ReadPosition, wrapped_lines},
        },
    },
};

#[derive(Default)]
pub(super) struct ItemList {
    cursor: ListCursor,
    area: Rect,
    rows: Vec<ItemRow>,
    words: ReadPosition,
}

/// A row of the list.
enum ItemRow {
    Heading(String),
    Item { id: ItemId, title: String, note: String },
}

impl ItemRow {
    fn item_id(&self) -> Option<&ItemId> {
        match self {
            Self::Heading(_) => None,
            Self::Item { id, .. } => Some(id),
        }
    }
}

fn item_rows(connection: &str, items: &[&ServerItem]) -> Vec<ItemRow> {
    let mut rows = Vec::new();
    for kind in ItemKind::ALL {
        let of_kind: Vec<_> = items.iter().filter(|item| item.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        rows.push(ItemRow::Heading(format!("{} {}", kind.title(), of_kind.len())));
        rows.extend(of_kind.into_iter().map(|item| ItemRow::Item {
            id: ItemId::new(connection, item),
            title: item.title.clone(),
            note: item_note(item),
        }));
    }
    rows
}

/// Its type, or how many arguments it takes.
fn item_note(item: &ServerItem) -> String {
    match (item.kind, item.argument_names().len()) {
        (ItemKind::Prompt, 0) => String::new(),
        (ItemKind::Prompt, 1) => "1 argument".to_owned(),
        (ItemKind::Prompt, count) => format!("{count} arguments"),
        _ => item.mime.clone().unwrap_or_default(),
    }
}

impl ItemList {
    /// Takes in what is listed; gives the item under the cursor.
    pub(super) fn sync_state(&mut self, state: &State) -> Option<ItemId> {
        let connection = state.network.resource_server()?;
        let items = state.network.readable_items(&connection.name);
        self.rows = item_rows(&connection.name, &items);
        let chosen = state.network.resources.chosen.as_ref();
        let row = self.rows.iter().position(|row| row.item_id() == chosen && chosen.is_some());
        let first = || self.rows.iter().position(|row| row.item_id().is_some());
        self.cursor.row = row.or_else(first).unwrap_or_default();
        self.rows.get(self.cursor.row)?.item_id().cloned()
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        state: &State,
        focused: bool,
    ) {
        let server = state.network.resource_server().map(|connection| connection.name.as_str());
        let title =
            server.map_or_else(|| "Resources".to_owned(), |name| format!("Resources of {name}"));
        let inside = Pane { title: &title, focused, ..Pane::default() }.draw(buffer, area, styles);
        let text = inset_area(inside);
        let notes = server.map_or_else(Vec::new, |name| {
            report_lines(state, name, self.rows.is_empty(), usize::from(text.width))
        });
        let height = u16::try_from(notes.len()).unwrap_or(text.height).min(text.height / 2);
        self.area = Rect { height: inside.height - height, ..inside };
        let below = Rect { y: text.bottom() - height, height, ..text };
        let words = if self.rows.is_empty() { Rect { height: text.height, ..text } } else { below };
        self.words.draw(buffer, words, styles, &notes);
        if server.is_none() {
            Pen::new(buffer, text, 0).put_text("no server with resources", styles[Role::Ghost]);
        }
        for (line, row) in
            (0_u16..).zip(self.cursor.visible_rows(self.rows.len(), self.area.height))
        {
            let mut pen = Pen::new(buffer, self.area, line);
            let (title, note) = match &self.rows[row] {
                ItemRow::Heading(words) => {
                    pen.put_text(" ", styles[Role::Text]).put_text(words, styles[Role::Heading]);
                    continue;
                }
                ItemRow::Item { title, note, .. } => (title, note),
            };
            let chosen = row == self.cursor.row;
            pen.put_text(if chosen { "▌ " } else { "  " }, styles[Role::Accent]);
            let room = pen.remaining_cells();
            let note_room = text_width(note).min(room / 2);
            pen.put_column(title, room.saturating_sub(note_room + 2), styles[Role::Text])
                .put_text(" ", styles[Role::Text])
                .put_column(note, note_room, styles[Role::Dim]);
            if chosen {
                mark_chosen(buffer, self.area, line, styles, focused);
            }
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> Reply {
        let before = self.cursor.row;
        let chosen = self.cursor.handle_input(input, self.area, self.rows.len());
        match chosen.and_then(|row| self.item_near(row, before)) {
            Some(id) => Reply::send(Message::Resource(ResourceMessage::Choose(id))),
            None if matches!(input, Input::Mouse(_)) => Reply::Handled,
            None if chosen.is_some() => Reply::Handled,
            None => Reply::Ignored,
        }
    }

    /// The item in a row; at a heading the next one in the direction of the move.
    fn item_near(&self, row: usize, before: usize) -> Option<ItemId> {
        let id = |row: &ItemRow| row.item_id().cloned();
        let upwards = || self.rows.get(..row)?.iter().rev().find_map(id);
        match self.rows.get(row)?.item_id() {
            Some(item) => Some(item.clone()),
            None if row < before => upwards().or_else(|| self.rows.get(row..)?.iter().find_map(id)),
            None => self.rows.get(row..)?.iter().find_map(id),
        }
    }
}

/// How asking the server went, where there is something to say.
fn report_lines(state: &State, name: &str, is_empty: bool, cells: usize) -> Vec<Line> {
    let say = |words: &str, role| wrapped_lines(words, role, cells);
    match state.network.tests.reports.get(name).map(|(_, report)| report) {
        None => say("F5 loads the server's lists.", Role::Dim),
        Some(Report::UnderWay) => say("◐ asking …", Role::Warning),
        Some(Report::NotAllowed(permission)) => {
            let words = permission.words();
            let told = format!("It {words}. Test it on Connections (6) to allow that.");
            say(&told, Role::Warning)
        }
        Some(Report::Failed(problem)) => {
            let mut lines = say(&format!("✗ {}", problem.cause), Role::Error);
            lines.extend(say(&problem.remedy, Role::Info));
            lines
        }
        Some(Report::Reached(reached)) => {
            let faults = reached.list_faults.iter();
            let mut lines: Vec<Line> =
                faults.flat_map(|words| say(&format!("⚠ {words}"), Role::Warning)).collect();
            let untold = reached.untold.iter();
            lines.extend(
                untold.flat_map(|problem| say(&format!("✗ {}", problem.cause), Role::Error)),
            );
            if is_empty && lines.is_empty() {
                lines = say("The server has no resources and no prompts.", Role::Dim);
            }
            lines
        }
    }
}
