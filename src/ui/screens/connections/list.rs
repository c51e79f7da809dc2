//! The left pane: every connection, with its sign, its transport and what goes through it.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        compose::{connections::CONNECTIONS, context::ComposeContext},
        input::Input,
        message::{ConnectionMessage, Health, Message},
        state::State,
    },
    engine::settings::connection_form::table_transport,
    ui::{
        canvas::{Pen, mark_chosen, text_width},
        styles::{Role, Styles},
        view::Reply,
        widgets::{list::ListCursor, pane::Pane},
    },
};

#[derive(Default)]
pub(super) struct List {
    cursor: ListCursor,
    area: Rect,
    names: Vec<String>,
    /// The one that was last asked for.
    asked: Option<String>,
}

/// Those that can be used, and after them those of the file that cannot.
fn connection_names(state: &State) -> Vec<String> {
    let mut names: Vec<String> =
        state.network.connections.known.iter().map(|known| known.name.clone()).collect();
    let tables = ComposeContext::from_state(state)
        .settings_value()
        .and_then(|settings| settings.get(CONNECTIONS)?.as_object());
    let written = tables.into_iter().flat_map(|tables| tables.keys());
    let broken: Vec<String> = written.filter(|name| !names.contains(name)).cloned().collect();
    names.extend(broken);
    names
}

impl List {
    /// Takes the connections in; the name of the one under the cursor, which is a new one as soon
    /// as it is there.
    pub(super) fn sync_state(&mut self, state: &State) -> String {
        let before = std::mem::replace(&mut self.names, connection_names(state));
        let place = |name: &String| self.names.iter().position(|known| known == name);
        let is_asked = self.asked != state.network.tests.selected;
        let asked = state.network.tests.selected.as_ref().filter(|_| is_asked).and_then(place);
        let more = self.names.len().saturating_sub(before.len());
        let added = self.names.iter().position(|name| !before.contains(name)).filter(|_| more == 1);
        let stays = before.get(self.cursor.row).and_then(place);
        // While the files are read, nothing is chosen yet.
        let row = match before.is_empty() || (more > 1 && state.network.tests.selected.is_none()) {
            true => asked.or_else(|| place(&state.current_connection().name)).unwrap_or(0),
            // One that has gone, or has another name, leaves the cursor in its row.
            false => added.or(asked).or(stays).unwrap_or(self.cursor.row),
        };
        self.cursor.row = row.min(self.names.len().saturating_sub(1));
        self.asked.clone_from(&state.network.tests.selected);
        self.names.get(self.cursor.row).cloned().unwrap_or_default()
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        state: &State,
        focused: bool,
    ) {
        let title = format!("Connections {}", self.names.len());
        self.area = Pane { title: &title, focused, ..Pane::default() }.draw(buffer, area, styles);
        let widest = self.names.iter().map(|name| text_width(name)).max().unwrap_or_default();
        for (line, row) in
            (0_u16..).zip(self.cursor.visible_rows(self.names.len(), self.area.height))
        {
            let name = &self.names[row];
            let (sign, role) = connection_sign(state, name);
            let (note, note_role) = connection_note(state, name);
            let mut pen = Pen::new(buffer, self.area, line);
            let chosen = row == self.cursor.row;
            pen.put_text(if chosen { "▌" } else { " " }, styles[Role::Accent])
                .put_text(sign, styles[role])
                .put_text(" ", styles[Role::Text]);
            let room = pen.remaining_cells().saturating_sub(text_width(&note) + 1);
            let cells = widest.min(room * 3 / 5);
            pen.put_column(name, cells, styles[Role::Text])
                .put_text(" ", styles[Role::Text])
                .put_column(
                    transport_name(state, name),
                    room.saturating_sub(cells + 1),
                    styles[Role::Dim],
                )
                .put_right(&note, styles[note_role]);
            if chosen {
                mark_chosen(buffer, self.area, line, styles, focused);
            }
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> Reply {
        let chosen = self.cursor.handle_input(input, self.area, self.names.len());
        match chosen.and_then(|row| self.names.get(row)) {
            Some(name) => Reply::send(Message::Connection(ConnectionMessage::Show(name.clone()))),
            None if matches!(input, Input::Mouse(_)) => Reply::Handled,
            None => Reply::Ignored,
        }
    }
}

/// How a connection is, by its sign.
fn connection_sign(state: &State, name: &str) -> (&'static str, Role) {
    if state.network.connections.find_by_name(name).is_none() {
        return ("⚠", Role::Warning);
    }
    match state.network.conditions.get(name).map(|condition| condition.health).unwrap_or_default() {
        Health::Idle => ("○", Role::Dim),
        Health::Good => ("●", Role::Success),
        Health::Busy => ("◐", Role::Warning),
        Health::Bad => ("✗", Role::Error),
    }
}

fn transport_name<'s>(state: &'s State, name: &str) -> &'s str {
    match state.network.connections.find_by_name(name) {
        Some(known) => known.transport().as_str(),
        None => {
            let table = ComposeContext::from_state(state)
                .settings_value()
                .and_then(|settings| settings.get(CONNECTIONS)?.get(name));
            table.map_or("", |table| table_transport(table).as_str())
        }
    }
}

/// What goes through it, in a word or two.
fn connection_note(state: &State, name: &str) -> (String, Role) {
    let connections = &state.network.connections;
    if connections.find_by_name(name).is_none() {
        return ("has errors".into(), Role::Warning);
    }
    let tools = connections.of_tools.values().filter(|of| *of == name).count();
    match tools {
        _ if connections.chosen.as_deref() == Some(name) => ("all calls".into(), Role::Accent),
        _ if connections.usual == name => ("default".into(), Role::Accent),
        0 => (String::new(), Role::Dim),
        1 => ("1 tool".into(), Role::State),
        count => (format!("{count} tools"), Role::State),
    }
}
