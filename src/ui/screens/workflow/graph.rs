//! The states as a picture: the current one lit, those out of reach dim; moved with keys, wheel and mouse.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{facts::Facts, scene::Scene};
use crate::{
    app::{
        input::{Code, Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    engine::{
        canvas_text::{self, Cell, Drawing, Role as Part},
        filter::AskedGroups,
        gated::ToolRow,
        layout::{
            diagram::Direction,
            hit::Hit,
            picture::{Area, Picture, Point},
            states::{self, Detail, Drawn, StateDiagram, View},
        },
        workflow::graph::{Edge, Link, StateRow},
    },
    model::{call::Outcome, context::Name},
    ui::{
        canvas::{Pen, visible, width},
        styles::{Role, Styles},
        view::Reply,
        widgets::pane::Pane,
    },
};

#[derive(Default)]
pub struct Graph {
    detail: Detail,
    laid: Option<Laid>,
    /// The drawing's cell at the pane's upper left corner; less than nothing where the drawing is smaller and centred.
    offset: (i32, i32),
    selected: Option<Name>,
    inside: Rect,
    /// Where a drag began.
    held: Option<(u16, u16)>,
    /// The state that was current when last drawn; the view follows when it changes.
    followed: Option<StateRow>,
}

/// What stands at a cell of the picture, in the workflow's own terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    State(StateRow),
    /// An arrow's line or head: all tools that it stands for.
    Edge(Edge),
    /// An arrow's label, and any part of an arrow at a state's foot.
    Label(Edge),
    Empty,
}

/// A layout that is kept while only the run goes on.
struct Laid {
    key: LayoutKey,
    room: (u16, u16),
    direction: Direction,
    picture: Picture,
    /// What the texts in the boxes depend on beside the layout.
    content: (Option<StateRow>, AskedGroups),
    states: StateDiagram,
    drawing: Drawing,
}

/// What a layout depends on. Groups are among it only where arrows of other groups are left out.
#[derive(PartialEq)]
struct LayoutKey {
    generation: u64,
    start: Name,
    detail: Detail,
    asked: Option<AskedGroups>,
}

/// Above this many tools, only those whose groups are asked for give arrows.
const MANY_TOOLS: usize = 300;
/// Above this many states the graph is not drawn whole on one pane anyway; the layout then takes the first direction.
const MANY: usize = 150;

impl Graph {
    /// The state that the keys act on: the one chosen, else the current one.
    pub fn selected(&self, facts: &Facts) -> Option<StateRow> {
        let chosen = self.selected.as_ref().and_then(|name| facts.workflow.state(name));
        chosen.or(facts.current)
    }

    fn lay(&mut self, facts: &Facts, state: &State, room: (u16, u16)) {
        let drawn = if state.catalog.tools.len() > MANY_TOOLS { Drawn::Asked } else { Drawn::All };
        let (generation, start) = facts.subject();
        let asked = (drawn == Drawn::Asked).then(|| facts.asked.clone());
        let key = LayoutKey { generation, start, detail: self.detail, asked };
        let content = (facts.current, facts.asked.clone());
        if let Some(laid) = self.laid.as_mut().filter(|laid| laid.key == key && laid.room == room) {
            if laid.content != content {
                laid.content = content;
                laid.states = diagram(facts, state, laid.direction, self.detail, drawn);
                laid.drawing = canvas_text::draw(&laid.states.diagram, &laid.picture);
            }
            return;
        }
        let make = |direction| {
            let states = diagram(facts, state, direction, self.detail, drawn);
            let picture = states.diagram.layout();
            (states, picture)
        };
        let overflow = |picture: &Picture| {
            let beyond = |size: usize, room: u16| size.saturating_sub(usize::from(room));
            beyond(picture.width, room.0) + 2 * beyond(picture.height, room.1)
        };
        let mut direction = Direction::LeftToRight;
        let (mut states, mut picture) = make(direction);
        if overflow(&picture) > 0 && facts.workflow.states().len() <= MANY {
            let (other_states, other) = make(direction.other());
            if overflow(&other) < overflow(&picture) {
                (direction, states, picture) = (direction.other(), other_states, other);
            }
        }
        let drawing = canvas_text::draw(&states.diagram, &picture);
        self.laid = Some(Laid { key, room, direction, picture, content, states, drawing });
        self.followed = None;
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
        let Scene { styles, state, focused } = scene;
        let title = format!("States · {} · {} reachable", facts.workflow.states().len(), facts.reachable());
        let foot = self.foot(facts, state);
        let inside = Pane { title: &title, note: "+ - zoom", foot: &foot, focused }.draw(buffer, area, styles);
        let loose = self.laid.as_ref().map_or(0, |laid| u16::from(!laid.states.staying.is_empty()));
        self.inside = Rect { height: inside.height.saturating_sub(loose), ..inside };
        self.lay(facts, state, (self.inside.width, self.inside.height));
        if self.followed != facts.current {
            self.followed = facts.current;
            self.centre(facts);
        }
        self.settle();
        let selected = self.selected(facts);
        let Some(laid) = &self.laid else { return };
        for y in 0..self.inside.height {
            for x in 0..self.inside.width {
                let (column, row) = (i32::from(x) + self.offset.0, i32::from(y) + self.offset.1);
                let Ok((column, row)) = usize::try_from(column).and_then(|column| Ok((column, usize::try_from(row)?))) else {
                    continue;
                };
                let Some(cell) = laid.drawing.cell(Point { x: column, y: row }) else { continue };
                if !cell.text.is_empty() {
                    let tie = tie(cell, laid, facts);
                    let style = style(cell, tie, facts, styles, selected.filter(|_| focused));
                    put(buffer, self.inside, (x, y), if tie == Tie::NotAsked { dashed(&cell.text) } else { &cell.text }, style);
                }
            }
        }
        self.draw_arrows_out(buffer, styles);
        if !laid.states.staying.is_empty() {
            let keys: Vec<&str> = laid.states.staying.iter().map(|row| state.catalog.tools[*row].entry.key.as_str()).collect();
            Pen::new(buffer, inside, inside.height.saturating_sub(1))
                .put(" any state, and it stays: ", styles[Role::Dim])
                .put(&keys.join(", "), styles[Role::Transition]);
        }
    }

    /// Signs at the edges where the drawing goes on.
    fn draw_arrows_out(&self, buffer: &mut Buffer, styles: &Styles) {
        let Some(laid) = &self.laid else { return };
        let (right, bottom) = (self.inside.width.saturating_sub(1), self.inside.height.saturating_sub(1));
        let beyond = |size: usize, offset: i32, room: u16| i32::try_from(size).unwrap_or(i32::MAX) > offset + i32::from(room);
        let style = styles[Role::Accent];
        if self.offset.0 > 0 {
            put(buffer, self.inside, (0, bottom / 2), "‹", style);
        }
        if beyond(laid.drawing.width, self.offset.0, self.inside.width) {
            put(buffer, self.inside, (right, bottom / 2), "›", style);
        }
        if self.offset.1 > 0 {
            put(buffer, self.inside, (right / 2, 0), "▴", style);
        }
        if beyond(laid.drawing.height, self.offset.1, self.inside.height) {
            put(buffer, self.inside, (right / 2, bottom), "▾", style);
        }
    }

    /// What there is to say about the chosen state.
    fn foot(&self, facts: &Facts, state: &State) -> String {
        let Some(row) = self.selected(facts) else { return String::new() };
        let name = &facts.workflow.states()[row];
        let mut words = vec![name.to_string()];
        if Some(row) == facts.current {
            words.push("current".into());
        } else {
            let hops = facts.here.as_ref().and_then(|paths| paths.to_state(row));
            words.push(match hops.as_deref() {
                None => "out of reach".into(),
                Some(hops) => {
                    let keys: Vec<&str> = hops.iter().map(|hop| state.catalog.tools[hop.tool].entry.key.as_str()).collect();
                    format!("by {}", keys.join(", "))
                }
            });
        }
        if facts.analysis.dead_ends.contains(&row) {
            words.push("dead end".into());
        }
        if facts.analysis.traps.iter().any(|trap| trap.contains(&row)) {
            words.push("no way out".into());
        }
        if let Some(found) = facts.analysis.never_produced.iter().find(|found| found.state == row) {
            words.push(match found.elsewhere.first() {
                Some(tool) => format!("produced by {}, whose groups are not asked for", state.catalog.tools[*tool].entry.key),
                None => match facts.workflow.similar_state(row) {
                    Some(near) => format!("never produced; did you mean {}?", facts.workflow.states()[near]),
                    None => "never produced".into(),
                },
            });
        }
        words.join(" · ")
    }

    /// Keeps the drawing in view; a small one is centred.
    fn settle(&mut self) {
        let Some(laid) = &self.laid else { return };
        let keep = |offset: i32, size: usize, room: u16| {
            let (size, room) = (i32::try_from(size).unwrap_or(i32::MAX), i32::from(room));
            if size <= room { -((room - size) / 2) } else { offset.clamp(0, size - room) }
        };
        self.offset = (
            keep(self.offset.0, laid.drawing.width, self.inside.width),
            keep(self.offset.1, laid.drawing.height, self.inside.height),
        );
    }

    fn area_of(&self, row: StateRow) -> Option<Area> {
        Some(self.laid.as_ref()?.picture.boxes.get(row)?.area)
    }

    /// Brings a state into the middle.
    fn show(&mut self, row: StateRow) {
        let Some(area) = self.area_of(row) else { return };
        let middle = |at: usize, size: usize, room: u16| i32::try_from(at + size / 2).unwrap_or(0) - i32::from(room / 2);
        self.offset = (middle(area.x, area.width, self.inside.width), middle(area.y, area.height, self.inside.height));
    }

    pub fn centre(&mut self, facts: &Facts) {
        if let Some(row) = facts.current {
            self.show(row);
        }
    }

    /// The drawing from its beginning, in the usual detail.
    pub fn fit(&mut self) {
        self.detail = Detail::Usual;
        self.offset = (0, 0);
    }

    pub fn zoom(&mut self, closer: bool) -> Reply {
        let detail = match (self.detail, closer) {
            (Detail::Less, true) | (Detail::More, false) => Detail::Usual,
            (Detail::Usual, true) => Detail::More,
            (Detail::Usual, false) => Detail::Less,
            (Detail::More, true) => return Reply::Refused("this is the most that can be shown".into()),
            (Detail::Less, false) => return Reply::Refused("this is the least that can be shown".into()),
        };
        self.detail = detail;
        Reply::Handled
    }

    /// Arrows choose the next state in that direction; with Shift, or `H J K L`, they move the drawing.
    pub fn key(&mut self, key: Key, facts: &Facts) -> Reply {
        let step = match key.code {
            _ if key.mods.ctrl || key.mods.alt => return Reply::Ignored,
            Code::Left | Code::Char('h' | 'H') => (-1, 0),
            Code::Right | Code::Char('l' | 'L') => (1, 0),
            Code::Up | Code::Char('k' | 'K') => (0, -1),
            Code::Down | Code::Char('j' | 'J') => (0, 1),
            Code::PageUp => return self.pan(0, -i32::from(self.inside.height / 2)),
            Code::PageDown => return self.pan(0, i32::from(self.inside.height / 2)),
            Code::Home => return self.pan(i32::MIN / 2, i32::MIN / 2),
            Code::End => return self.pan(i32::MAX / 2, i32::MAX / 2),
            Code::Esc if self.selected.is_some() => {
                self.selected = None;
                return Reply::Handled;
            }
            _ => return Reply::Ignored,
        };
        let moves = key.mods.shift || matches!(key.code, Code::Char('H' | 'J' | 'K' | 'L'));
        if moves {
            return self.pan(step.0 * 4, step.1 * 2);
        }
        if let Some(next) = self.towards(facts, step) {
            self.selected = Some(facts.workflow.states()[next].clone());
            self.reveal(next);
        }
        Reply::Handled
    }

    fn pan(&mut self, right: i32, down: i32) -> Reply {
        self.offset = (self.offset.0.saturating_add(right), self.offset.1.saturating_add(down));
        self.settle();
        Reply::Handled
    }

    /// Moves the drawing if a state is not wholly in view.
    fn reveal(&mut self, row: StateRow) {
        let Some(area) = self.area_of(row) else { return };
        let inside = |at: usize, size: usize, offset: i32, room: u16| {
            let (at, end) = (i32::try_from(at).unwrap_or(0), i32::try_from(at + size).unwrap_or(0));
            at >= offset && end <= offset + i32::from(room)
        };
        let seen = inside(area.x, area.width, self.offset.0, self.inside.width)
            && inside(area.y, area.height, self.offset.1, self.inside.height);
        if !seen {
            self.show(row);
        }
    }

    /// The nearest state in a direction; what lies aside counts as farther.
    fn towards(&self, facts: &Facts, (right, down): (i32, i32)) -> Option<StateRow> {
        let laid = self.laid.as_ref()?;
        let middle = |area: &Area| {
            let half = |at: usize, size: usize| i64::try_from(2 * at + size).unwrap_or(0);
            // Cells are about twice as high as wide.
            (half(area.x, area.width), 2 * half(area.y, area.height))
        };
        let from = middle(&laid.picture.boxes.get(self.selected(facts)?)?.area);
        let reach = |(row, placed): (usize, &crate::engine::layout::picture::Placed)| {
            let to = middle(&placed.area);
            let (x, y) = (to.0 - from.0, to.1 - from.1);
            let ahead = x * i64::from(right) + y * i64::from(down);
            let aside = (x * i64::from(down)).abs() + (y * i64::from(right)).abs();
            (ahead > 0).then_some((ahead + 2 * aside, row))
        };
        laid.picture.boxes.iter().enumerate().filter_map(reach).min().map(|(_, row)| row)
    }

    pub fn mouse(&mut self, mouse: Mouse, facts: &Facts) -> Reply {
        match mouse.kind {
            MouseKind::Wheel(notches) if mouse.mods.shift => self.pan(i32::from(notches) * 4, 0),
            MouseKind::Wheel(notches) => self.pan(0, i32::from(notches) * 2),
            MouseKind::WheelSideways(notches) => self.pan(i32::from(notches) * 4, 0),
            MouseKind::Down(_) => {
                self.held = Some((mouse.column, mouse.row));
                if let Some(row) = self.state_at(mouse) {
                    self.selected = Some(facts.workflow.states()[row].clone());
                }
                Reply::Handled
            }
            MouseKind::Drag(_) => match self.held.replace((mouse.column, mouse.row)) {
                Some((column, row)) => {
                    self.pan(i32::from(column) - i32::from(mouse.column), i32::from(row) - i32::from(mouse.row))
                }
                None => Reply::Handled,
            },
            MouseKind::Up(_) => {
                self.held = None;
                Reply::Handled
            }
        }
    }

    /// What stands at a cell of the screen; `None` outside the picture's place on the pane.
    pub fn spot(&self, column: u16, row: u16) -> Option<Spot> {
        let laid = self.laid.as_ref().filter(|_| self.inside.contains((column, row).into()))?;
        let along = |cell: u16, start: u16, offset: i32| i32::from(cell) - i32::from(start) + offset;
        let (x, y) = (along(column, self.inside.x, self.offset.0), along(row, self.inside.y, self.offset.1));
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return Some(Spot::Empty) };
        let edge = |link: Link, tools: &[ToolRow]| Edge { link, tools: tools.to_vec() };
        Some(match laid.picture.hit(Point { x, y }) {
            Hit::Box(state) => Spot::State(state),
            Hit::Arrow(arrow) => Spot::Edge(laid.states.arrows[arrow].clone()),
            Hit::Label(arrow) => Spot::Label(laid.states.arrows[arrow].clone()),
            Hit::Itself(state) => Spot::Label(edge(Link::Between { from: state, to: state }, &laid.states.feet[state].0)),
            Hit::FromAny(to) => Spot::Label(edge(Link::FromAny { to }, &laid.states.feet[to].1)),
            Hit::Nothing => Spot::Empty,
        })
    }

    /// Where a state's box stands on the screen, as far as it is in view.
    #[expect(dead_code, reason = "edit mode draws on it")]
    pub fn seen(&self, state: StateRow) -> Option<Rect> {
        let area = self.area_of(state)?;
        let cell = |at: usize, start: u16, offset: i32| i32::try_from(at).ok().map(|at| at - offset + i32::from(start));
        let (left, top) = (cell(area.x, self.inside.x, self.offset.0)?, cell(area.y, self.inside.y, self.offset.1)?);
        let (right, bottom) = (left + i32::try_from(area.width).ok()?, top + i32::try_from(area.height).ok()?);
        let held = |at: i32, start: u16, end: u16| u16::try_from(at.clamp(i32::from(start), i32::from(end))).unwrap_or(start);
        let (x, y) = (held(left, self.inside.x, self.inside.right()), held(top, self.inside.y, self.inside.bottom()));
        let (right, bottom) =
            (held(right, self.inside.x, self.inside.right()), held(bottom, self.inside.y, self.inside.bottom()));
        (right > x && bottom > y).then(|| Rect::new(x, y, right - x, bottom - y))
    }

    /// Where the picture is drawn on the screen.
    #[expect(dead_code, reason = "edit mode draws on it")]
    pub fn inside(&self) -> Rect {
        self.inside
    }

    /// The state that a press at this cell means.
    fn state_at(&self, mouse: Mouse) -> Option<StateRow> {
        match self.spot(mouse.column, mouse.row)? {
            Spot::State(row) => Some(row),
            _ => None,
        }
    }

    /// Takes the tools that lead from here to the chosen state.
    pub fn walk(&self, facts: &Facts, state: &State) -> Reply {
        let Some(row) = self.selected(facts) else { return Reply::Refused("there is no state".into()) };
        let name = &facts.workflow.states()[row];
        match facts.here.as_ref().and_then(|paths| paths.to_state(row)) {
            Some(hops) if hops.is_empty() => Reply::Refused(format!("the run stands in {name}: arrows choose another state")),
            Some(hops) => {
                let step = |hop: &crate::engine::workflow::paths::Hop| Message::Step {
                    tool: state.catalog.tools[hop.tool].id().clone(),
                    outcome: Outcome::Succeeded,
                };
                Reply::Send(hops.iter().map(step).collect())
            }
            None => Reply::Refused(format!("no tools of these groups lead from here to {name}")),
        }
    }

    pub fn start_here(&self, facts: &Facts, _: &State) -> Reply {
        match self.selected(facts) {
            Some(row) => Reply::send(Message::SetStart(facts.workflow.states()[row].clone())),
            None => Reply::Refused("there is no state".into()),
        }
    }
}

fn diagram(facts: &Facts, state: &State, direction: Direction, detail: Detail, drawn: Drawn) -> StateDiagram {
    let view = View { current: facts.current, direction, detail, drawn, measure: |text| width(&visible(text)) };
    states::diagram(&facts.workflow, &state.catalog.tools, view)
}

/// What an arrow's cell says about its tools.
#[derive(Clone, Copy, PartialEq)]
enum Tie {
    /// No arrow.
    None,
    /// Some of its tools can be taken now.
    Open,
    /// Its tools are asked for, but the run stands elsewhere.
    Asked,
    /// It leaves a state that is out of reach.
    Far,
    /// The groups of its tools are not asked for.
    NotAsked,
}

fn tie(cell: &Cell, laid: &Laid, facts: &Facts) -> Tie {
    let (tools, from) = match cell.role {
        Part::Line(row) | Part::Head(row) | Part::Label(row) => match laid.states.arrows.get(row) {
            Some(edge) => match edge.link {
                Link::Between { from, .. } => (&edge.tools, Some(from)),
                Link::FromAny { .. } | Link::StayAny => (&edge.tools, None),
            },
            None => return Tie::None,
        },
        Part::Itself(row) => (&laid.states.feet[row].0, Some(row)),
        Part::FromAny(row) => (&laid.states.feet[row].1, None),
        _ => return Tie::None,
    };
    let is_asked = tools.iter().any(|tool| facts.workflow.members()[*tool].is_admitted());
    match (is_asked, from) {
        (false, _) => Tie::NotAsked,
        (true, None) => Tie::Open,
        (true, Some(from)) if Some(from) == facts.current => Tie::Open,
        (true, Some(from)) if facts.reaches(from) => Tie::Asked,
        (true, Some(_)) => Tie::Far,
    }
}

/// Lines of tools whose groups are not asked for are broken.
fn dashed(line: &str) -> &str {
    match line {
        "─" => "╌",
        "│" => "╎",
        "▶" => "▷",
        "◀" => "◁",
        "▲" => "△",
        "▼" => "▽",
        other => other,
    }
}

/// How a cell looks: by its state, or by what can be done with its arrow.
fn style(cell: &Cell, tie: Tie, facts: &Facts, styles: &Styles, selected: Option<StateRow>) -> Style {
    let of_state = |row: StateRow| match (Some(row) == facts.current, facts.reaches(row)) {
        (true, _) => styles[Role::StateCurrent],
        (false, true) => styles[Role::State],
        (false, false) => styles[Role::StateDim],
    };
    match (cell.role, tie) {
        (_, Tie::Open) => styles[Role::Available],
        (_, Tie::Asked) => styles[Role::Transition],
        (_, Tie::Far | Tie::NotAsked) => styles[Role::StateDim],
        (Part::Text { owner, line: 0 }, _) if selected == Some(owner) => styles[Role::Selected],
        (Part::Border(row), _) if selected == Some(row) && Some(row) != facts.current => styles[Role::BorderFocus],
        (Part::Border(row) | Part::Inside(row), _) => of_state(row),
        (Part::Text { owner, line }, _) if line == 0 || Some(owner) == facts.current || !facts.reaches(owner) => of_state(owner),
        (Part::Text { .. }, _) => styles[Role::Dim],
        _ => styles[Role::Transition],
    }
}

fn put(buffer: &mut Buffer, area: Rect, (x, y): (u16, u16), text: &str, style: Style) {
    let (x, y) = (area.x + x, area.y + y);
    if area.contains((x, y).into()) && buffer.area.contains((x, y).into()) {
        let room = usize::from(area.right() - x);
        buffer.set_stringn(x, y, &*visible(text), room, style);
    }
}
