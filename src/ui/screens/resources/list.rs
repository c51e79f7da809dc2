//! The left pane: resources, templates and prompts of a server under their headings.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        connection_test::Report,
        input::{Input, Key},
        message::Message,
        resources::{ItemId, ResourceMessage},
        state::State,
    },
    model::server_item::{ItemKind, ServerItem},
    ui::{
        canvas::{Pen, inset_area, mark_chosen, text_width},
        find_index::{FindIndex, Findable},
        styles::{Role, Styles},
        view::Reply,
        widgets::{
            find_line::{FindKey, FindLine},
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
    find: FindLine,
    searched: Option<SearchedItems>,
    /// What was chosen when the rows were made.
    chosen: Option<ItemId>,
}

/// The items as they are searched.
struct SearchedItems {
    /// What they are of: the server, the asking, how many.
    of: (String, u64, usize),
    index: FindIndex,
}

impl SearchedItems {
    fn new(of: (String, u64, usize), items: &[&ServerItem]) -> Self {
        let findable =
            |item: &&ServerItem| Findable::new([&*item.title, &*item.id], &[&*item.description]);
        Self { of, index: items.iter().map(findable).collect() }
    }
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
        rows.extend(of_kind.into_iter().map(|item| item_row(connection, item)));
    }
    rows
}

fn item_row(connection: &str, item: &ServerItem) -> ItemRow {
    ItemRow::Item {
        id: ItemId::new(connection, item),
        title: item.title.clone(),
        note: item_note(item),
    }
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
        let chosen = state.network.resources.chosen.as_ref();
        self.make_rows(&connection.name, &items, state);
        let mut row = self.row_of(chosen);
        let is_new = self.chosen.as_ref() != chosen;
        if row.is_none() && is_new && chosen.is_some() && self.find.is_narrowed() {
            // Chosen elsewhere: it is to be seen here.
            self.find.clear();
            self.make_rows(&connection.name, &items, state);
            row = self.row_of(chosen);
        }
        self.chosen = chosen.cloned();
        let first = || self.rows.iter().position(|row| row.item_id().is_some());
        self.cursor.row = row.or_else(first).unwrap_or_default();
        self.rows.get(self.cursor.row)?.item_id().cloned()
    }

    fn row_of(&self, item: Option<&ItemId>) -> Option<usize> {
        self.rows.iter().position(|row| row.item_id() == item && item.is_some())
    }

    /// All under their headings; of a text to find what matches, best first.
    fn make_rows(&mut self, connection: &str, items: &[&ServerItem], state: &State) {
        if self.find.needle().is_empty() {
            self.searched = None;
            self.rows = item_rows(connection, items);
            return;
        }
        let turn = state.network.tests.reports.get(connection).map_or(0, |(turn, _)| *turn);
        let of = (connection.to_owned(), turn, items.len());
        let known = self.searched.take().filter(|searched| searched.of == of);
        let mut searched = known.unwrap_or_else(|| SearchedItems::new(of, items));
        let found = searched.index.find(self.find.needle()).into_iter();
        let found = found.filter_map(|row| items.get(row));
        self.rows = found.map(|item| item_row(connection, item)).collect();
        self.searched = Some(searched);
    }

    pub(super) fn is_typing(&self) -> bool {
        self.find.is_typing()
    }

    pub(super) fn is_narrowed(&self) -> bool {
        self.find.is_narrowed()
    }

    pub(super) fn open_find(&mut self) {
        self.find.open();
    }

    /// What a key does to the find line; `None`: it is for the list.
    fn find_key(&mut self, key: Key, state: &State) -> Option<Reply> {
        match self.find.handle_key(key) {
            FindKey::Typed => Some(self.choose_best(state)),
            FindKey::Accepted => Some(self.choose_first_of(self.cursor.row)),
            FindKey::Cleared => Some(Reply::Handled),
            FindKey::Passed => None,
        }
    }

    /// The best match is chosen as one types.
    fn choose_best(&mut self, state: &State) -> Reply {
        let Some(server) = state.network.resource_server() else { return Reply::Handled };
        let items = state.network.readable_items(&server.name);
        self.make_rows(&server.name, &items, state);
        self.choose_first_of(0)
    }

    fn choose_first_of(&self, row: usize) -> Reply {
        self.item_near(row, 0).map_or(Reply::Handled, |id| {
            Reply::send(Message::Resource(ResourceMessage::Choose(id)))
        })
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
        let has_all = self.find.needle().is_empty();
        // How many are found needs the room.
        let title = match server.filter(|_| has_all) {
            Some(name) => format!("Resources of {name}"),
            None => "Resources".to_owned(),
        };
        let items = self.rows.iter().filter(|row| row.item_id().is_some()).count();
        let note = if has_all { String::new() } else { format!("{items} found") };
        let pane = Pane { title: &title, note: &note, focused, ..Pane::default() };
        let inside = pane.draw(buffer, area, styles);
        let inside = self.find.draw(buffer, inside, styles, focused);
        let text = inset_area(inside);
        let notes = server.map_or_else(Vec::new, |name| {
            let is_empty = self.rows.is_empty() && has_all;
            report_lines(state, name, is_empty, usize::from(text.width))
        });
        let height = u16::try_from(notes.len()).unwrap_or(text.height).min(text.height / 2);
        self.area = Rect { height: inside.height - height, ..inside };
        let below = Rect { y: text.bottom() - height, height, ..text };
        let is_found = !self.rows.is_empty() || !has_all;
        let words = if is_found { below } else { Rect { height: text.height, ..text } };
        self.words.draw(buffer, words, styles, &notes);
        if is_found && self.rows.is_empty() {
            Pen::new(buffer, text, 0).put_text("no match", styles[Role::Ghost]);
        }
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

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        match input {
            Input::Key(key) => {
                if let Some(reply) = self.find_key(*key, state) {
                    return reply;
                }
            }
            Input::Paste(text) if self.find.insert(text) => return self.choose_best(state),
            Input::Mouse(mouse) if self.find.handle_mouse(*mouse) => return Reply::Handled,
            Input::Paste(_) | Input::Mouse(_) => {}
        }
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
