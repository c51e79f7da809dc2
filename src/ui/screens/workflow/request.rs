//! The request: groups with tick boxes, the user, the state in which the run starts, the question.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    facts::{Facts, GroupOrigin, GroupRow},
    keep,
    scene::Scene,
};
use crate::{
    app::{
        input::{Button, Key, Mouse, MouseKind},
        message::Message,
        state::State,
        workflow::WorkflowMessage,
    },
    engine::filter::{self, AskedGroups},
    model::context::{ANY, Name},
    ui::{
        canvas::{Pen, wrap},
        overlays::menu::{Item, Menu},
        styles::{Role, Styles},
        view::Reply,
        widgets::{list::ListCursor, pane::Pane},
    },
};

#[derive(Default)]
pub(crate) struct Request {
    cursor: ListCursor,
    /// The group that the cursor was put on: it stays there where the groups' order changes.
    chosen: Option<Name>,
    rows: Rect,
    /// The groups to go back to when not every group is asked for any more.
    before_all: Option<Vec<Name>>,
}

/// What a row of the pane shows.
enum Row<'f> {
    Group(&'f GroupRow),
    User,
    Start,
    Question,
}

fn row_at(facts: &Facts, at: usize) -> Row<'_> {
    match facts.groups.get(at) {
        Some(group) => Row::Group(group),
        None if at == facts.groups.len() => Row::User,
        None if at == facts.groups.len() + 1 => Row::Start,
        None => Row::Question,
    }
}

fn row_count(facts: &Facts) -> usize {
    facts.groups.len() + 3
}

impl Request {
    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
        let Scene { styles, state, focused } = scene;
        if let Some(chosen) = self.chosen.clone() {
            self.point_at(&chosen, facts);
        }
        let ticked = facts.groups.iter().filter(|group| group.ticked).count();
        let note = format!("{ticked} of {}", facts.groups.len());
        let pane = Pane { title: "Request", note: &note, focused, ..Pane::default() }
            .draw(buffer, area, styles);
        let inside = draw_refusals(buffer, pane, styles, facts);
        let asked = match &facts.asked {
            AskedGroups::Every => "groups · all (*)",
            AskedGroups::Only(_) if facts.context.groups.is_none() => "groups · default",
            AskedGroups::Only(names) if names.is_empty() => "groups · none, no tool",
            AskedGroups::Only(_) => "groups",
        };
        Pen::new(buffer, inside, 0).skip(1).put_text(asked, styles[Role::Heading]);
        let empty = filter::empty_request(facts.tools(), &facts.asked);
        let (words, role) = match (&facts.denied, &empty) {
            (Some(denied), _) => (denied.as_str(), Role::Error),
            (None, Some(empty)) => (empty.as_str(), Role::Warning),
            (None, None) => ("", Role::Text),
        };
        let words = match words.is_empty() {
            true => Vec::new(),
            false => wrap(words, usize::from(inside.width)),
        };
        let warning = u16::try_from(words.len()).unwrap_or(0).min(inside.height.saturating_sub(3));
        let foot = Rect { y: inside.bottom().saturating_sub(warning), height: warning, ..inside };
        self.rows =
            Rect { y: inside.y + 1, height: inside.height.saturating_sub(1 + warning), ..inside };
        for (line, at) in self.cursor.visible_rows(row_count(facts), self.rows.height).enumerate() {
            let chosen = at == self.cursor.row;
            let ground = scene.row_background(chosen);
            let on = |role: Role| ground.role_style(role);
            let mut pen = Pen::new(buffer, self.rows, u16::try_from(line).unwrap_or(0));
            pen.put_text(if chosen { "▌" } else { " " }, on(Role::Accent));
            match row_at(facts, at) {
                Row::Group(group) => {
                    let number = match group.origin {
                        GroupOrigin::Tools => group.tools.to_string(),
                        GroupOrigin::Workspace => format!("own {}", group.tools),
                        GroupOrigin::Unknown => "no tool".to_owned(),
                    };
                    let name_role = if group.ticked { Role::Text } else { Role::Dim };
                    let number_role = if group.origin == GroupOrigin::Unknown {
                        Role::Warning
                    } else {
                        Role::Dim
                    };
                    pen.put_text(
                        if group.ticked { "[x] " } else { "[ ] " },
                        on(if group.ticked { Role::Accent } else { Role::Dim }),
                    );
                    let room = pen.remaining_cells().saturating_sub(number.len() + 2);
                    pen.put_column(&group.name, room, on(name_role));
                    pen.put_text(" ", on(Role::Text))
                        .put_text(&number, on(number_role))
                        .fill_rest(on(Role::Text));
                }
                Row::User => {
                    let user = facts.context.user.as_deref().unwrap_or("none");
                    pen.put_text("user     ", on(Role::Label))
                        .put_text(user, on(Role::Text))
                        .fill_rest(on(Role::Text));
                }
                Row::Question => {
                    let (words, role) = state
                        .workflow
                        .simulation
                        .question()
                        .map_or(("none", Role::Dim), |asked| (asked, Role::Text));
                    pen.put_text("question ", on(Role::Label))
                        .put_text(words, on(role))
                        .fill_rest(on(Role::Text));
                }
                Row::Start => {
                    let start = state.workflow.simulation.start().state().to_owned();
                    pen.put_text("start    ", on(Role::Label))
                        .put_text(&start, on(Role::State))
                        .fill_rest(on(Role::Text));
                }
            }
        }
        for (line, text) in (0_u16..).zip(&words) {
            Pen::new(buffer, foot, line).put_text(text, styles[role]);
        }
    }

    pub fn handle_key(&mut self, key: Key, facts: &Facts, _: &State) -> Reply {
        let moved = self.cursor.handle_key(key, row_count(facts));
        self.chosen = self.current_group(facts);
        if moved { Reply::Handled } else { Reply::Ignored }
    }

    pub fn handle_mouse(&mut self, mouse: Mouse, facts: &Facts, state: &State) -> Reply {
        let pressed = self.cursor.handle_mouse(mouse, self.rows, row_count(facts)).is_some();
        self.chosen = self.current_group(facts);
        if pressed && matches!(mouse.kind, MouseKind::Down(Button::Left)) {
            self.handle_enter(facts, state)
        } else {
            Reply::Handled
        }
    }

    /// Puts the cursor on a group; whether it is there.
    pub fn point_at(&mut self, group: &str, facts: &Facts) -> bool {
        let found = facts.groups.iter().position(|row| *row.name == *group);
        self.cursor.row = found.unwrap_or(self.cursor.row);
        self.chosen = self.current_group(facts);
        found.is_some()
    }

    /// The group under the cursor.
    pub fn current_group(&self, facts: &Facts) -> Option<Name> {
        match row_at(facts, self.cursor.row) {
            Row::Group(group) => Some(group.name.clone()),
            Row::User | Row::Start | Row::Question => None,
        }
    }

    /// Space: ticks the group under the cursor.
    pub fn toggle_group(&self, facts: &Facts, state: &State) -> Reply {
        self.handle_enter(facts, state)
    }

    /// What the row under the cursor offers.
    pub fn handle_enter(&self, facts: &Facts, state: &State) -> Reply {
        match row_at(facts, self.cursor.row) {
            Row::Group(group) if facts.asked == AskedGroups::Every => {
                // From "every group" to all but this one.
                let others = facts
                    .groups
                    .iter()
                    .filter(|other| other.name != group.name && other.origin == GroupOrigin::Tools);
                Reply::send(Message::Workflow(WorkflowMessage::SetGroups(Some(
                    others.map(|other| other.name.clone()).collect(),
                ))))
            }
            Row::Group(group) => {
                Reply::send(Message::Workflow(WorkflowMessage::ToggleGroup(group.name.clone())))
            }
            Row::User => ask_user(state),
            Row::Start => ask_start_state(facts),
            Row::Question => keep::ask_question(state),
        }
    }

    pub fn all_groups(&mut self, state: &State) -> Reply {
        let context = state.context();
        let every = AskedGroups::from_request(context.groups.as_deref()) == AskedGroups::Every;
        let groups = if every {
            self.before_all.take()
        } else {
            self.before_all = context.groups;
            Some(vec![ANY.into()])
        };
        Reply::send(Message::Workflow(WorkflowMessage::SetGroups(groups)))
    }
}

/// Why no tool is loaded, before all else; what is left of the pane.
fn draw_refusals(buffer: &mut Buffer, pane: Rect, styles: &Styles, facts: &Facts) -> Rect {
    let words: Vec<String> =
        facts.refusals.iter().flat_map(|words| wrap(words, usize::from(pane.width))).collect();
    let height = u16::try_from(words.len()).unwrap_or(u16::MAX).min(pane.height / 2);
    for (line, words) in (0..height).zip(&words) {
        Pen::new(buffer, pane, line).put_text(words, styles[Role::Error]);
    }
    Rect { y: pane.y + height, height: pane.height - height, ..pane }
}

/// The next of the workspace's users, and after the last none.
pub(crate) fn next_user(state: &State) -> Reply {
    let present = state.context().user;
    let next = match present {
        None => state.workflow.profiles.first(),
        Some(user) => {
            let at = state.workflow.profiles.iter().position(|profile| profile.user == user);
            at.and_then(|at| state.workflow.profiles.get(at + 1))
        }
    };
    Reply::send(Message::Workflow(WorkflowMessage::SetUser(
        next.map(|profile| profile.user.clone()),
    )))
}

fn ask_user(state: &State) -> Reply {
    if state.workflow.profiles.is_empty() {
        return Reply::Refused(
            "the workspace has no user profiles: add them under [profiles] in toolcrib.toml".into(),
        );
    }
    let mut items = vec![Item {
        title: "none".into(),
        detail: "no permissions gate".into(),
        ..Item::default()
    }];
    let allowed = |groups: &[Name]| groups.join(", ");
    items.extend(state.workflow.profiles.iter().map(|profile| Item {
        title: profile.user.to_string(),
        detail: allowed(&profile.allowed_groups),
        ..Item::default()
    }));
    let names: Vec<Option<Name>> = std::iter::once(None)
        .chain(state.workflow.profiles.iter().map(|profile| Some(profile.user.clone())))
        .collect();
    Reply::Open(Box::new(Menu::with_replies("User", items, move |row| {
        Reply::send(Message::Workflow(WorkflowMessage::SetUser(names[row].clone())))
    })))
}

fn ask_start_state(facts: &Facts) -> Reply {
    let names: Vec<Name> = facts.workflow.states().to_vec();
    let item = |(row, name): (usize, &Name)| Item {
        title: name.to_string(),
        detail: match facts.workflow.offer_count(row) {
            1 => "1 tool".into(),
            tools => format!("{tools} tools"),
        },
        ..Item::default()
    };
    let items = names.iter().enumerate().map(item).collect();
    Reply::Open(Box::new(Menu::with_replies("Start the run in", items, move |row| {
        Reply::send(Message::Workflow(WorkflowMessage::SetStart(names[row].clone())))
    })))
}
