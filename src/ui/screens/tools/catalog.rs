//! The left pane of Tools: every entry, arranged and found as one types.

use std::collections::HashMap;

use ratatui::{Frame, layout::Rect, style::Style};

use super::saved;

use crate::{
    app::{
        actions::ActionId,
        documents::Document,
        input::{Code, Input},
        message::Message,
        moved::MovedEntries,
        state::{LoadProgress, State},
    },
    engine::filter::Filter,
    model::{
        entry::{Entry, EntryId, EntryKind, FileId},
        finding::Severity,
        settings::SETTINGS,
        tool::{Audience, States},
    },
    schema::count::count_text,
    systems::table,
    ui::{
        canvas::{Pen, text_width, truncate_key, wrap},
        find_index::{FindIndex, Findable},
        pasted,
        styles::Role,
        view::{Look, Reply},
        widgets::{
            find_line::{FindKey, FindLine},
            list::ListCursor,
            pane::Pane,
        },
    },
};

/// The keys of the list while it is narrowed.
pub(super) const NARROWED_KEYS: [(&str, &str); 1] = [("Esc", "all tools")];

/// In fewer cells nothing can be read of where a tool leads.
const LEAST_NEXT: usize = 4;

/// The actions worth naming in the hint line, most useful first.
pub(super) const HINTS: [ActionId; 8] =
    ["new", "find", "next-pane", "invoke", "mock-service", "rename", "duplicate", "delete"];

/// After the key of an entry that saving would change.
const UNSAVED: &str = "*";

/// How the catalog is arranged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Arrangement {
    #[default]
    Group,
    File,
    State,
    Type,
}

impl Arrangement {
    fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::File => "file",
            Self::State => "first state",
            Self::Type => "type",
        }
    }

    fn next(self) -> Self {
        match self {
            Self::Group => Self::File,
            Self::File => Self::State,
            Self::State => Self::Type,
            Self::Type => Self::Group,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Row {
    Heading(String),
    Entry(EntryId),
}

#[derive(Default)]
pub(super) struct CatalogPane {
    arrangement: Arrangement,
    find: FindLine,
    rows: Vec<Row>,
    cursor: ListCursor,
    area: Rect,
    /// What the rows were made of: the catalog's revision and its names of tools, the arrangement,
    /// the text to find.
    made_of: Option<((u64, u64), Arrangement, String)>,
    /// The entries as they are searched, while somebody types.
    searched: Option<SearchedEntries>,
    chosen: Option<EntryId>,
    /// Which entries in view have unsaved changes, by the state that this was found out of.
    unsaved: (u64, HashMap<EntryId, bool>),
}

impl CatalogPane {
    pub(super) fn follow_moved(&mut self, moved: &MovedEntries) {
        moved.follow_one(&mut self.chosen);
        self.made_of = None;
        self.unsaved = Default::default();
    }

    pub(super) fn sync_state(&mut self, state: &State) {
        let needle = self.find.needle().to_owned();
        // What models see a tool as counts only where it is looked for.
        let names = if needle.is_empty() { 0 } else { state.catalog.tool_names };
        let wanted = ((state.catalog.revision, names), self.arrangement, needle);
        if self.made_of.as_ref() != Some(&wanted) {
            self.rows = match wanted.2.as_str() {
                "" => arranged_rows(state, self.arrangement),
                needle => self.matching_rows(state, wanted.0, needle),
            };
            self.made_of = Some(wanted);
            self.chosen = None;
        }
        if self.chosen != state.selected {
            self.chosen.clone_from(&state.selected);
            let is_chosen = |row: &Row| matches!((row, &state.selected), (Row::Entry(id), Some(chosen)) if id == chosen);
            if !self.rows.get(self.cursor.row).is_some_and(is_chosen) {
                let found = self.rows.iter().position(is_chosen);
                if found.is_none() && self.find.is_narrowed() {
                    // Chosen elsewhere: it is to be seen here.
                    self.find.clear();
                    return self.sync_state(state);
                }
                self.cursor.row = found.unwrap_or(self.cursor.row);
            }
        }
    }

    fn matching_rows(&mut self, state: &State, of: (u64, u64), needle: &str) -> Vec<Row> {
        let known = self.searched.take().filter(|searched| searched.of == of);
        let mut searched = known.unwrap_or_else(|| SearchedEntries::new(state, of));
        let rows = searched.find(needle);
        self.searched = self.find.is_typing().then_some(searched);
        rows
    }

    fn is_unsaved(&mut self, id: &EntryId, state: &State) -> bool {
        let Some(entry) = state.catalog.entry(id) else { return false };
        // Nothing is looked up where the file is as on disk.
        let settings = FileId::new(SETTINGS);
        let mut files = [id.file(), &settings].into_iter();
        if !files.any(|file| state.documents.get(file).is_some_and(Document::is_changed)) {
            return false;
        }
        if self.unsaved.0 != state.generation {
            self.unsaved = (state.generation, HashMap::new());
        }
        let known = &mut self.unsaved.1;
        *known.entry(id.clone()).or_insert_with(|| saved::is_unsaved(entry, state))
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

    /// Chooses the best match of what is typed.
    fn choose_best(&mut self, state: &State) -> Reply {
        self.sync_state(state);
        self.cursor.row = 0;
        self.move_cursor(1, 0)
    }

    /// The entry below the selected one, else the one above it: the cursor goes there when that is
    /// deleted.
    pub(super) fn neighbour(&self, state: &State) -> Option<EntryId> {
        let is_chosen = |row: &Row| matches!((row, &state.selected), (Row::Entry(id), Some(chosen)) if id == chosen);
        let here = self.rows.iter().position(is_chosen)?;
        let entry = |row: &Row| match row {
            Row::Entry(id) => Some(id.clone()),
            Row::Heading(_) => None,
        };
        let below = self.rows[here + 1..].iter().find_map(entry);
        below.or_else(|| self.rows[..here].iter().rev().find_map(entry))
    }

    pub(super) fn next_arrangement(&mut self, state: &State) {
        self.arrangement = self.arrangement.next();
        self.sync_state(state);
    }

    /// What is shown in the place of entries, with the actions that lines name.
    fn empty_lines(
        &self,
        cells: usize,
        look: Look<'_>,
        state: &State,
    ) -> Vec<(String, Option<ActionId>)> {
        if !self.find.needle().is_empty() {
            return vec![("no match".to_owned(), None)];
        }
        if state.reading != LoadProgress::Done {
            return vec![("reading the files…".to_owned(), None)];
        }
        let key = |action| look.keymap.display_key(action);
        let mut lines = vec![
            (format!("no tools yet: {} makes one", key("new")), Some("new")),
            (format!("{} welcome: more ways", key("palette")), Some("welcome")),
        ];
        for line in listed_elsewhere(state) {
            let wrapped = if line.is_empty() { vec![line] } else { wrap(&line, cells) };
            lines.extend(wrapped.into_iter().map(|line| (line, None)));
        }
        lines
    }

    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let all = state.catalog.tools.len();
        let title = match self.find.needle().is_empty() {
            true => format!("Tools {all}"),
            false => {
                let is_tool =
                    |row: &&Row| matches!(row, Row::Entry(id) if state.catalog.tool(id).is_some());
                format!("Tools {} of {all}", self.rows.iter().filter(is_tool).count())
            }
        };
        // What is found comes in the order of how well it matches.
        let note = match self.find.needle().is_empty() {
            true => format!("by {}", self.arrangement.as_str()),
            false => String::new(),
        };
        let pane = Pane { title: &title, note: &note, focused, ..Pane::default() };
        let inside = pane.draw(frame.buffer_mut(), area, styles);
        if !note.is_empty() {
            look.mouse.presses(pane.note_area(area), "group-by");
        }
        let buffer = frame.buffer_mut();
        let list = self.find.draw(buffer, inside, styles, focused);
        self.area = list;
        let filter = Filter::new(&state.context());
        let window = self.cursor.visible_rows(self.rows.len(), list.height);
        self.cursor.draw_position(self.rows.len(), buffer, area, styles);
        // Where all files are as on disk, nothing is looked up for each row.
        let has_unsaved = state.documents.changed_files().next().is_some();
        for (line, place) in (0_u16..).zip(window) {
            let chosen = place == self.cursor.row;
            let mut pen = Pen::new(buffer, list, line);
            match &self.rows[place].clone() {
                Row::Heading(words) => {
                    pen.put_text(words, styles[Role::Heading]);
                }
                Row::Entry(id) => {
                    let ground = match (chosen, focused) {
                        (true, true) => Some(styles[Role::Selected]),
                        (true, false) => Some(styles[Role::SelectedDim]),
                        _ => None,
                    };
                    let is_unsaved = has_unsaved && self.is_unsaved(id, state);
                    let looks = EntryLooks { ground, is_unsaved };
                    draw_entry(&mut pen, id, &filter, look, state, looks);
                }
            }
        }
        if self.rows.is_empty() {
            let cells = usize::from(list.width.saturating_sub(1)).max(1);
            let lines = self.empty_lines(cells, look, state);
            for (row, (words, act)) in (0..list.height).zip(lines) {
                Pen::new(buffer, list, row).skip(1).put_text(&words, styles[Role::Ghost]);
                if let Some(act) = act {
                    let line = Rect { y: list.y + row, height: 1, ..list };
                    look.mouse.presses(line, act);
                }
            }
        }
    }

    pub(super) fn handle_input(
        &mut self,
        input: &Input,
        state: &State,
        focus: &mut usize,
    ) -> Reply {
        match input {
            Input::Key(key) => match self.find.handle_key(*key) {
                FindKey::Typed => self.choose_best(state),
                FindKey::Cleared => {
                    // Where the cursor was among the matches says nothing among all.
                    self.chosen = None;
                    self.sync_state(state);
                    Reply::Handled
                }
                FindKey::Accepted => open_pane(focus),
                FindKey::Passed if key.is_plain(Code::Enter) || key.is_plain(Code::Right) => {
                    open_pane(focus)
                }
                FindKey::Passed => {
                    let before = self.cursor.row;
                    if !self.cursor.handle_key(*key, self.rows.len()) {
                        return Reply::Ignored;
                    }
                    self.move_cursor(if self.cursor.row >= before { 1 } else { -1 }, before)
                }
            },
            Input::Paste(text) if self.find.insert(text) => self.choose_best(state),
            Input::Paste(text) => pasted::paste_descriptors(text, state),
            Input::Mouse(mouse) if self.find.handle_mouse(*mouse) => Reply::Handled,
            Input::Mouse(mouse) => {
                let before = self.cursor.row;
                self.cursor.handle_mouse(*mouse, self.area, self.rows.len());
                self.move_cursor(if self.cursor.row >= before { 1 } else { -1 }, before)
            }
        }
    }

    /// Stops at an entry, passing over headings, and chooses it.
    fn move_cursor(&mut self, direction: isize, before: usize) -> Reply {
        let mut row = self.cursor.row;
        while let Some(Row::Heading(_)) = self.rows.get(row) {
            match row.checked_add_signed(direction) {
                Some(next) if next < self.rows.len() => row = next,
                // Above the first entry there is only its heading.
                _ => {
                    let first = self.rows.iter().position(|row| !matches!(row, Row::Heading(_)));
                    row = first.filter(|_| direction < 0).unwrap_or(before);
                    break;
                }
            }
        }
        self.cursor.row = row;
        match self.rows.get(row) {
            Some(Row::Entry(id)) => {
                self.chosen = Some(id.clone());
                Reply::send(Message::Select(id.clone()))
            }
            _ => Reply::Handled,
        }
    }
}

/// Goes to the pane of the chosen entry.
fn open_pane(focus: &mut usize) -> Reply {
    *focus += 1;
    Reply::Handled
}

/// Where the tools are that a running system has, for who looks for them in a list of files.
fn listed_elsewhere(state: &State) -> Vec<String> {
    let lists = state.deployed_lists().filter(|list| !list.catalog.tools.is_empty());
    let mut lines: Vec<String> = lists
        .map(|list| {
            let count = count_text(list.catalog.tools.len(), "tool", "tools");
            format!("{} has {count}:", list.connection.name)
        })
        .collect();
    if !lines.is_empty() {
        lines.push("Invoke (3) calls them,".to_owned());
        lines.push("Connections (6) adds them to this folder".to_owned());
    }
    let servers: Vec<&str> = state.network.unlisted_servers(&state.catalog).collect();
    if !servers.is_empty() {
        lines.push(format!("Invoke (3), then Enter: the tools of {}", servers.join(", ")));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

/// How the row of an entry looks: what is behind it where it is chosen, and whether it is marked as
/// unsaved.
#[derive(Clone, Copy)]
struct EntryLooks {
    ground: Option<Style>,
    is_unsaved: bool,
}

fn draw_entry(
    pen: &mut Pen<'_>,
    id: &EntryId,
    filter: &Filter,
    look: Look<'_>,
    state: &State,
    EntryLooks { ground, is_unsaved }: EntryLooks,
) {
    let styles = look.styles;
    let star = usize::from(is_unsaved);
    let plain = ground.unwrap_or(styles[Role::Text]);
    let of = |role: Role| ground.unwrap_or(styles[role]);
    let Some(entry) = state.catalog.entry(id) else { return };
    // An entry of a file that can't be read is as it was before.
    let is_broken = state.documents.get(id.file()).is_some_and(|file| file.source.is_err());
    let of_file = is_broken.then_some(Severity::Error);
    let worst = of_file.or_else(|| state.findings_of(id).map(|finding| finding.severity).min());
    let (mark, mark_role) = match worst {
        Some(Severity::Error) => ("✗", Role::Error),
        Some(Severity::Warning) => ("⚠", Role::Warning),
        _ => (" ", Role::Text),
    };
    pen.put_text(if ground.is_some() { "▌" } else { " " }, of(Role::Accent));
    match state.catalog.tool(id) {
        Some(tool) => {
            let available = filter.admits(&tool.gate);
            let (sign, role) =
                if available { ("● ", Role::Available) } else { ("○ ", Role::Hidden) };
            pen.put_text(sign, of(role));
            let room = pen.remaining_cells().saturating_sub(2 + star);
            let name = text_width(&entry.key).min(room);
            let next = tool.gate.next.as_deref().filter(|_| room - name > LEAST_NEXT);
            let next = next.map(|next| format!(" → {next}")).unwrap_or_default();
            pen.put_column(
                &truncate_key(&entry.key, name),
                name,
                if available { plain } else { of(Role::Hidden) },
            );
            pen.put_text(&UNSAVED[..star], of(Role::Changed));
            pen.put_column(&next, room - name, of(Role::Dim));
        }
        None => {
            pen.put_text(
                if entry.kind == EntryKind::Service { "◆ " } else { "◇ " },
                of(Role::Info),
            );
            let room = pen.remaining_cells().saturating_sub(2 + star);
            let name = text_width(&entry.key).min(room);
            pen.put_column(&truncate_key(&entry.key, name), name, plain);
            pen.put_text(&UNSAVED[..star], of(Role::Changed));
            // What the settings say of a server is beside the server.
            let is_in_settings = id.file().as_str() == SETTINGS;
            let home = if is_in_settings { format!(" {SETTINGS}") } else { String::new() };
            pen.put_column(&home, room - name, of(Role::Dim));
        }
    }
    pen.put_text(mark, of(mark_role)).fill_rest(plain);
}

/// The rows for an arrangement.
fn arranged_rows(state: &State, arrangement: Arrangement) -> Vec<Row> {
    let mut headed: Vec<(String, EntryId)> = Vec::new();
    for entry in state.catalog.entries() {
        headed.push((heading(entry, state, arrangement), entry.id.clone()));
    }
    // Headings in the order in which they first come; entries in the order of their files.
    let mut order: Vec<&str> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (heading, _) in &headed {
        places.entry(heading.as_str()).or_insert_with(|| {
            order.push(heading);
            order.len() - 1
        });
    }
    let mut members: Vec<Vec<Row>> = vec![Vec::new(); order.len()];
    for (heading, id) in &headed {
        members[places[heading.as_str()]].push(Row::Entry(id.clone()));
    }
    let mut rows = Vec::with_capacity(headed.len() + order.len());
    for (heading, members) in order.into_iter().zip(members) {
        rows.push(Row::Heading(heading.to_owned()));
        rows.extend(members);
    }
    rows
}

fn heading(entry: &Entry, state: &State, arrangement: Arrangement) -> String {
    let Some(tool) = state.catalog.tool(&entry.id) else {
        return match (arrangement, entry.kind) {
            (Arrangement::File, _) => entry.id.file().to_string(),
            (_, EntryKind::Service) => "services".into(),
            (_, EntryKind::Schema) => "schemas".into(),
            _ => "servers".into(),
        };
    };
    match arrangement {
        Arrangement::Group if tool.gate.offer == Audience::ToAll => "in every group".into(),
        Arrangement::Group => {
            tool.gate.groups().first().map_or_else(|| "in no group".to_owned(), ToString::to_string)
        }
        Arrangement::File => entry.id.file().to_string(),
        Arrangement::State => match &tool.gate.states {
            States::Every => "in every state".into(),
            States::Only(listed) => listed
                .first()
                .map_or_else(|| "in no state".to_owned(), |state| format!("in {state}")),
        },
        Arrangement::Type if tool.kind.is_empty() => "without a type".into(),
        Arrangement::Type => tool.kind.clone(),
    }
}

/// The entries as they are searched.
struct SearchedEntries {
    /// The catalog's revision and its names of tools.
    of: (u64, u64),
    ids: Vec<EntryId>,
    index: FindIndex,
}

impl SearchedEntries {
    fn new(state: &State, of: (u64, u64)) -> Self {
        let ids = state.catalog.entries().map(|entry| entry.id.clone()).collect();
        let findable = |entry: &Entry| match state.catalog.tool(&entry.id) {
            Some(tool) => {
                let name = Some(&*tool.name).filter(|name| **name != *entry.key);
                let names = [&*entry.key, name.unwrap_or_default(), table::tool_title(tool)];
                Findable::new(names, &[tool.description.as_str()])
            }
            None => Findable::new([&*entry.key], &[]),
        };
        Self { of, ids, index: state.catalog.entries().map(findable).collect() }
    }

    fn find(&mut self, needle: &str) -> Vec<Row> {
        let found = self.index.find(needle).into_iter();
        found.filter_map(|row| self.ids.get(row).cloned().map(Row::Entry)).collect()
    }
}
