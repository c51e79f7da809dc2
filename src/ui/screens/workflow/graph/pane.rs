//! The pane of the picture: what the user chose to see, and what keys and mouse do.

use std::collections::HashSet;

use ratatui::{
    buffer::Buffer,
    layout::{Margin, Rect},
};

use super::{
    super::{facts::Facts, scene::Scene, viewport::Viewport},
    foot,
    hit_target::{self, ArrowEnd, HitTarget},
    layout::{GraphView, LaidGraph, Past},
    legend,
    minimap::{self, MiniMap},
    name_key, paint,
    seek::{FoundItem, Seek, SeekOutcome},
    travel,
};
use crate::{
    app::{
        input::{Code, Key},
        state::State,
    },
    engine::{
        layout::{
            extent::Scale,
            picture::{BoxArea, Point},
            states::Detail,
        },
        workflow::graph::{Edge, Link, StateRow},
    },
    model::context::Name,
    ui::{
        canvas::{Pen, text_width},
        styles::{Role, Styles},
        view::Reply,
        widgets::pane::Pane,
    },
};

#[derive(Default)]
pub(crate) struct Graph {
    pub(super) shown: GraphView,
    pub(super) laid: Option<LaidGraph>,
    pub(super) past: Past,
    pub(super) view: Viewport,
    pub(super) selected: Option<Name>,
    /// The arrow that is chosen, by the states that it joins; without a first one: from any state.
    pub(super) arrow: Option<(Option<Name>, Name)>,
    pub(super) seek: Seek,
    pub(super) map: Map,
    pub(super) follows: FollowMode,
    /// What can be pressed on the pane's edge.
    pub(super) buttons: Vec<(Rect, Press)>,
    pub(super) map_at: Option<Rect>,
    pub(super) held: Option<DragStart>,
    /// The state that was current when last drawn; the view follows when it changes.
    pub(super) followed: Option<StateRow>,
    /// The detail is to be the most with which all is in view.
    pub(super) fitting: bool,
    /// The detail was chosen by hand; until then it is fitted to each new size of the pane.
    pub(super) is_zoomed: bool,
    /// How large a picture with its names may be.
    pub(super) room: (u16, u16),
    /// How wide the pane is and how high the screen: what only the user changes. While it is the
    /// same, the picture doesn't turn, whatever else grows beside it.
    pub(super) frame: (u16, u16),
    /// The picture may take the other direction.
    pub(super) may_turn: bool,
    /// Where the names of numbered states are.
    pub(super) names_area: Rect,
    /// The detail before the picture outgrew the view and was fitted again.
    pub(super) detail_before: Option<Detail>,
}

/// Whether the small map is shown where there is need for it.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Map {
    #[default]
    WhereNeeded,
    Hidden,
}

/// What the view does when the run goes on.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum FollowMode {
    #[default]
    Run,
    Nothing,
}

/// More of each state, or less.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Zoom {
    In,
    Out,
}

/// What the mouse took hold of.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum DragStart {
    Picture(u16, u16),
    Map,
}

/// What a press on a button of the pane's edge does.
pub(super) type Press = fn(&mut Graph, &Facts) -> Reply;

/// What can be pressed on the pane's edge.
const BUTTONS: [(&str, Press); 6] = [
    ("-", |graph, _| graph.zoom(Zoom::Out)),
    ("+", |graph, _| graph.zoom(Zoom::In)),
    ("0 fit", |graph, _| graph.fit_picture()),
    ("view", Graph::next_scale),
    ("o open", Graph::toggle_chosen),
    ("legend", |_, _| Graph::open_legend()),
];

impl Graph {
    /// The state that the keys act on: the one chosen, else the current one.
    pub fn selected_state(&self, facts: &Facts) -> Option<StateRow> {
        let chosen = self.selected.as_ref().and_then(|name| facts.workflow.state_row(name));
        chosen.or(facts.current)
    }

    /// The arrow that is chosen beside the state.
    pub fn selected_edge(&self, facts: &Facts) -> Option<Edge> {
        self.laid.as_ref()?.edge_of(self.selected_link(facts)?).cloned()
    }

    pub(super) fn selected_link(&self, facts: &Facts) -> Option<Link> {
        let (from, to) = self.arrow.as_ref()?;
        let to = facts.workflow.state_row(to)?;
        Some(match from {
            Some(from) => Link::Between { from: facts.workflow.state_row(from)?, to },
            None => Link::FromAny { to },
        })
    }

    /// Chooses an arrow and a state that it touches.
    pub(super) fn select_link(&mut self, link: Link, state: StateRow, facts: &Facts) {
        let name = |row: StateRow| facts.workflow.states()[row].clone();
        let (from, to) = link.end_states();
        self.selected = Some(name(state));
        self.arrow = to.map(|to| (from.map(name), name(to)));
    }

    pub fn select(&mut self, state: StateRow, facts: &Facts) {
        self.selected = facts.workflow.states().get(state).cloned();
        self.arrow = None;
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
        let Scene { styles, state, focused } = scene;
        let whole = area.inner(Margin::new(1, 1));
        let frame = (area.width, buffer.area.height);
        let is_new_frame = std::mem::replace(&mut self.frame, frame) != frame;
        self.may_turn = is_new_frame || self.fitting;
        // What is written below the picture takes its line from it, which the layout may bring.
        let mut below = self.has_line_below();
        loop {
            let height = whole.height.saturating_sub(u16::from(below));
            self.view.inside = Rect { height, ..whole };
            self.room = (whole.width, height);
            self.update_layout(facts, state);
            self.leave_room_for_names(facts);
            if below || !self.has_line_below() {
                break;
            }
            below = true;
        }
        self.may_turn = false;
        let title = self.fitting_title(facts, area);
        let row = self.selected_state(facts);
        let feet = row.zip(self.laid.as_ref()).map(|(row, laid)| laid.hidden_feet(row));
        let edge = self.selected_edge(facts);
        let foot = foot::footer_text(facts, row, edge.as_ref(), feet.unwrap_or_default());
        let note = self.lay_buttons(area, &title);
        Pane { title: &title, note: &note, foot: &foot, focused }.draw(buffer, area, styles);
        let way = state.keymap.way_to("zoom-in");
        self.draw_unlabelled(buffer, area, text_width(&foot), (styles, &way));
        if self.followed != facts.current {
            self.followed = facts.current;
            if self.follows == FollowMode::Run {
                self.centre_current(facts);
            }
        }
        self.clamp_offset();
        let node = self.selected_state(facts).filter(|_| focused || self.selected.is_some());
        let link = self.selected_link(facts);
        let Some(laid) = &mut self.laid else { return };
        let chosen = paint::ChosenParts {
            node: node.and_then(|state| laid.box_of(state)).filter(|_| focused),
            arrow: link.and_then(|link| laid.arrow_of(link)),
            foot: link.and_then(|link| laid.foot_of(link)),
        };
        paint::draw_picture(buffer, self.view, laid, facts, paint::Look { styles, chosen });
        self.view.draw_ways_out(buffer, &laid.picture, styles);
        name_key::draw(buffer, self.names_area, (laid, facts), styles);
        self.draw_map(buffer, facts, scene);
        let last = whole.height.saturating_sub(1);
        if self.seek.is_typing() {
            let (text, count) = self.seek.bottom_line();
            Pen::new(buffer, whole, last)
                .put_text(&text, styles[Role::Field])
                .put_text("▏ ", styles[Role::Cursor])
                .put_text(&count, styles[Role::Dim]);
        } else if let Some(laid) = self.laid.as_ref().filter(|laid| !laid.states.staying.is_empty())
        {
            let keys: Vec<&str> =
                laid.states.staying.iter().map(|row| &*facts.tools()[*row].key).collect();
            Pen::new(buffer, whole, last)
                .put_text(" from any state, without moving: ", styles[Role::Dim])
                .put_text(&keys.join(", "), styles[Role::Transition]);
        }
    }

    /// Takes the lines of the states' names from the picture where that has numbers for them, as
    /// far as half of the room.
    fn leave_room_for_names(&mut self, facts: &Facts) {
        let inside = &mut self.view.inside;
        let names = self.laid.as_ref().map(|laid| name_key::lines_of(laid, facts, inside.width));
        let lines = u16::try_from(names.unwrap_or_default().len()).unwrap_or(u16::MAX);
        let lines = lines.min(inside.height / 2);
        inside.height -= lines;
        self.names_area = Rect { y: inside.bottom(), height: lines, ..*inside };
    }

    fn has_line_below(&self) -> bool {
        let stays = |laid: &LaidGraph| !laid.states.staying.is_empty();
        self.seek.is_typing() || self.laid.as_ref().is_some_and(stays)
    }

    /// The title, shorter where the buttons of the view would have no room beside it.
    fn fitting_title(&self, facts: &Facts, area: Rect) -> String {
        let of_view = &BUTTONS[..4];
        let buttons: usize = of_view.iter().map(|(label, _)| text_width(label) + 2).sum();
        let room = usize::from(area.width).saturating_sub(buttons + 10);
        let whole = self.title(facts);
        if text_width(&whole) <= room {
            return whole;
        }
        let parts: Vec<&str> = whole.split(" · ").collect();
        // How many are reachable counts less than what part of them is seen.
        let kept = parts.iter().enumerate().filter(|(row, _)| *row != 2);
        kept.map(|(_, part)| *part).collect::<Vec<_>>().join(" · ")
    }

    fn title(&self, facts: &Facts) -> String {
        let count = facts.workflow.states().len();
        let part = match self
            .laid
            .as_ref()
            .map(|laid| (laid.extent.scale, laid.extent.left_out(), laid.extent.nodes.len()))
        {
            Some((Scale::Near, left_out, _)) => {
                format!(" · {} near", count.saturating_sub(left_out))
            }
            Some((Scale::Folded, _, 1)) => " · in 1 box".to_owned(),
            Some((Scale::Folded, _, boxes)) => format!(" · in {boxes} boxes"),
            _ => String::new(),
        };
        let follows = if self.follows == FollowMode::Run { "" } else { " · not following" };
        format!("States · {count} · {} reachable{part}{follows}", facts.reachable_count())
    }

    /// Places those buttons at the right of the upper edge that fit beside the title.
    fn lay_buttons(&mut self, area: Rect, title: &str) -> String {
        self.buttons.clear();
        let mut room = usize::from(area.width).saturating_sub(text_width(title) + 10);
        let fitting: Vec<(&str, Press)> = BUTTONS
            .into_iter()
            .take_while(|(label, _)| {
                let needed = text_width(label) + 2;
                let fits = needed <= room;
                room = room.saturating_sub(needed);
                fits
            })
            .collect();
        let note = fitting.iter().map(|(label, _)| *label).collect::<Vec<_>>().join("  ");
        let cells = |text: &str| u16::try_from(text_width(text)).unwrap_or(0);
        let mut x = area.right().saturating_sub(cells(&note) + 2);
        for (label, press) in fitting {
            self.buttons.push((Rect::new(x, area.y, cells(label), 1), press));
            x += cells(label) + 2;
        }
        note
    }

    /// At the left of the lower edge: how many arrows have no label, and what shows more, which a
    /// press does too.
    fn draw_unlabelled(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        foot: usize,
        (styles, way): (&Styles, &str),
    ) {
        let count = self.laid.as_ref().map_or(0, LaidGraph::count_unlabelled);
        let words = match count {
            0 => return,
            1 => format!("1 label hidden: {way} zooms in"),
            count => format!("{count} labels hidden: {way} zooms in"),
        };
        let width = text_width(&words);
        if foot + width + 8 > usize::from(area.width) || area.height < 2 {
            return;
        }
        let cells = u16::try_from(width).unwrap_or(0) + 2;
        let place = Rect { x: area.x + 1, y: area.bottom() - 1, width: cells, height: 1 };
        buffer.set_string(place.x, place.y, format!(" {words} "), styles[Role::Dim]);
        self.buttons.push((place, |graph, _| graph.zoom(Zoom::In)));
    }

    fn draw_map(&mut self, buffer: &mut Buffer, facts: &Facts, scene: Scene<'_>) {
        let before = self.map_at.take();
        let Some(laid) =
            self.laid.as_ref().filter(|laid| self.map == Map::WhereNeeded && laid.wants_map())
        else {
            return;
        };
        let selected = self.selected_state(facts);
        let chosen = selected.and_then(|row| self.state_area(row));
        let boxes: Vec<Rect> = laid
            .picture
            .boxes
            .iter()
            .filter_map(|placed| self.view.screen_area(placed.area))
            .collect();
        let labels: Vec<Rect> =
            laid.picture.labels().filter_map(|label| self.view.screen_area(label.area())).collect();
        let in_the_way = |map: Rect| {
            let is_chosen = chosen.is_some_and(|chosen| chosen.intersects(map));
            let is_over = |areas: &[Rect]| areas.iter().any(|area| area.intersects(map));
            // It doesn't jump from corner to corner where there is something in all of them.
            (is_chosen, is_over(&boxes), is_over(&labels), Some(map) != before)
        };
        let size = (laid.picture.width, laid.picture.height);
        let Some(place) = minimap::map_area(self.view.inside, size, in_the_way) else { return };
        self.map_at = Some(place);
        let map = MiniMap {
            view: self.view.visible_part(&laid.picture),
            current: facts.current.and_then(|row| laid.box_of(row)),
            selected: selected.and_then(|row| laid.box_of(row)),
        };
        map.draw(buffer, place, laid, scene.styles);
    }

    /// Keeps the picture in view; a small one is centred.
    fn clamp_offset(&mut self) {
        if let Some(laid) = &self.laid {
            self.view.clamp(&laid.picture);
        }
    }

    fn area_of(&self, row: StateRow) -> Option<BoxArea> {
        self.laid.as_ref()?.area_of(row)
    }

    /// Brings a point into the middle.
    pub(super) fn show_point(&mut self, point: Point) {
        if let Some(laid) = &self.laid {
            self.view.show_point(point, &laid.picture);
        }
    }

    /// Brings a state into the middle.
    pub(super) fn centre_state(&mut self, row: StateRow) {
        if let (Some(area), Some(laid)) = (self.area_of(row), &self.laid) {
            self.view.show_box(area, &laid.picture);
        }
    }

    fn centre_current(&mut self, facts: &Facts) {
        if let Some(row) = facts.current {
            self.centre_state(row);
        }
    }

    pub fn start_search(&mut self) -> Reply {
        self.seek.start_search();
        Reply::Handled
    }

    /// Brings the run's state into the middle, with nothing chosen.
    pub fn show_current(&mut self, facts: &Facts) -> Reply {
        (self.selected, self.arrow, self.shown.focus) = (None, None, None);
        self.centre_current(facts);
        Reply::Handled
    }

    pub fn fit_picture(&mut self) -> Reply {
        (self.fitting, self.is_zoomed) = (true, false);
        Reply::Handled
    }

    pub fn toggle_follow(&mut self) -> Reply {
        self.follows =
            if self.follows == FollowMode::Run { FollowMode::Nothing } else { FollowMode::Run };
        Reply::hint(match self.follows {
            FollowMode::Run => "the picture follows the run",
            FollowMode::Nothing => "the picture stays where it is",
        })
    }

    pub fn toggle_map(&mut self) -> Reply {
        self.map = if self.map == Map::Hidden { Map::WhereNeeded } else { Map::Hidden };
        Reply::Handled
    }

    pub fn open_legend() -> Reply {
        Reply::Open(Box::new(legend::legend_page()))
    }

    /// Arrows go to the next state in that direction; with Shift, or `H J K L`, they move the
    /// picture.
    pub fn handle_key(&mut self, key: Key, facts: &Facts, state: &State) -> Reply {
        if self.seek.is_typing() {
            return self.seek_key(key, facts, state);
        }
        let step = match key.code {
            _ if key.mods.ctrl || key.mods.alt => return Reply::Ignored,
            Code::Left | Code::Char('h' | 'H') => (-1, 0),
            Code::Right | Code::Char('l' | 'L') => (1, 0),
            Code::Up | Code::Char('k' | 'K') => (0, -1),
            Code::Down | Code::Char('j' | 'J') => (0, 1),
            Code::PageUp => return self.pan(0, -i32::from(self.view.inside.height / 2)),
            Code::PageDown => return self.pan(0, i32::from(self.view.inside.height / 2)),
            Code::Home | Code::End => return self.go_to_end(key.code == Code::End, facts),
            Code::Esc if self.arrow.take().is_some() => return Reply::Handled,
            Code::Esc if self.selected.take().is_some() => return Reply::Handled,
            _ => return Reply::Ignored,
        };
        let moves = key.mods.shift || matches!(key.code, Code::Char('H' | 'J' | 'K' | 'L'));
        if moves {
            return self.pan(step.0 * 4, step.1 * 2);
        }
        let next = self.laid.as_ref().zip(self.selected_state(facts)).and_then(|(laid, row)| {
            let next = travel::next_box(laid, laid.box_of(row)?, step)?;
            laid.extent.nodes[next].states().first().copied()
        });
        let Some(next) = next else {
            return Reply::Refused("there is no state in that direction".into());
        };
        self.select(next, facts);
        self.reveal(next);
        Reply::Handled
    }

    /// Chooses the first or the last state of the picture, as one reads it.
    fn go_to_end(&mut self, is_last: bool, facts: &Facts) -> Reply {
        let end = self.laid.as_ref().and_then(|laid| {
            let place = |row: &usize| laid.picture.boxes[*row].area;
            let order = |row: &usize| (place(row).y, place(row).x);
            let boxes = 0..laid.picture.boxes.len().min(laid.extent.nodes.len());
            let end = if is_last { boxes.max_by_key(order) } else { boxes.min_by_key(order) };
            laid.extent.nodes[end?].states().first().copied()
        });
        if let Some(row) = end {
            self.select(row, facts);
            self.reveal(row);
        }
        Reply::Handled
    }

    pub fn is_finding(&self) -> bool {
        self.seek.is_typing()
    }

    pub fn handle_paste(&mut self, text: &str, facts: &Facts, state: &State) -> Reply {
        if !self.seek.is_typing() {
            return Reply::Ignored;
        }
        self.seek.handle_paste(text, facts, state);
        self.go_to_found(facts);
        Reply::Handled
    }

    fn seek_key(&mut self, key: Key, facts: &Facts, state: &State) -> Reply {
        match self.seek.handle_key(key, facts, state) {
            SeekOutcome::Moved => self.go_to_found(facts),
            SeekOutcome::Accepted => {}
            SeekOutcome::GivenUp => {
                (self.selected, self.arrow, self.shown.focus) = (None, None, None);
            }
            SeekOutcome::Ignored => return Reply::Ignored,
        }
        Reply::Handled
    }

    /// Shows what is found, also where it was not in the picture.
    fn go_to_found(&mut self, facts: &Facts) {
        let (state, arrow) = match self.seek.current_match() {
            Some(FoundItem::State(row)) => (row, None),
            Some(FoundItem::Tool(_, Link::Between { from, to })) if from != to => {
                (from, Some((from, to)))
            }
            Some(FoundItem::Tool(_, Link::Between { from: to, .. } | Link::FromAny { to })) => {
                (to, None)
            }
            Some(FoundItem::Tool(_, Link::StayAny)) | None => return,
        };
        self.select(state, facts);
        let name = |row: StateRow| facts.workflow.states()[row].clone();
        self.arrow = arrow.map(|(from, to)| (Some(name(from)), name(to)));
        if self
            .laid
            .as_ref()
            .is_some_and(|laid| laid.box_of(state).is_none() || laid.extent.scale == Scale::Near)
        {
            self.shown.focus.clone_from(&self.selected);
        }
        self.reveal(state);
    }

    pub(super) fn pan(&mut self, right: i32, down: i32) -> Reply {
        if let Some(laid) = &self.laid {
            self.view.pan((right, down), &laid.picture);
        }
        Reply::Handled
    }

    /// Moves the picture if a state is not wholly in view.
    fn reveal(&mut self, row: StateRow) {
        let Some(area) = self.area_of(row) else { return };
        let is_covered = |seen: Rect| self.map_at.is_some_and(|map| map.intersects(seen));
        if !self.view.shows_whole(area) || self.state_area(row).is_none_or(is_covered) {
            self.centre_state(row);
        }
    }

    /// What is at a cell of the screen; `None` outside the picture's place on the pane.
    pub fn target_at(&self, column: u16, row: u16) -> Option<HitTarget> {
        let laid =
            self.laid.as_ref().filter(|_| self.view.inside.contains((column, row).into()))?;
        Some(
            self.view
                .point_at(column, row)
                .map_or(HitTarget::Empty, |point| hit_target::target_at(laid, point)),
        )
    }

    /// The arrow whose line is at a cell of the screen, and which of its ends is nearer.
    pub fn arrow_at(&self, column: u16, row: u16) -> Option<(Edge, ArrowEnd)> {
        let is_free = self.view.inside.contains((column, row).into())
            && self.map_at.is_none_or(|map| !map.contains((column, row).into()));
        let laid = self.laid.as_ref().filter(|_| is_free)?;
        hit_target::arrow_at(laid, self.view.point_at(column, row)?)
    }

    /// Goes on with what is chosen after the tools have changed: a state that has another name
    /// stays chosen, and one that is new, made in this pane, becomes so. What was found and laid
    /// out by row is found and laid out again.
    pub fn follow_facts(&mut self, before: &Facts, after: &Facts, focused: bool, state: &State) {
        self.follow_names(before, after, focused);
        self.seek.search_again(after, state);
        if self.laid.is_some() {
            self.update_layout(after, state);
        }
    }

    fn follow_names(&mut self, before: &Facts, after: &Facts, focused: bool) {
        let (old, new) = (before.workflow.states(), after.workflow.states());
        if old == new {
            return;
        }
        let known: HashSet<&Name> = old.iter().collect();
        let mut appeared = new.iter().filter(|name| !known.contains(name));
        let (Some(only), None) = (appeared.next(), appeared.next()) else { return };
        let is_gone = |name: &Name| after.workflow.state_row(name).is_none();
        if let Some((from, to)) = &mut self.arrow {
            from.iter_mut()
                .chain([to])
                .filter(|name| is_gone(name))
                .for_each(|name| *name = only.clone());
        }
        if self.selected.as_ref().is_some_and(is_gone) || focused && new.len() > old.len() {
            self.selected = Some(only.clone());
        }
    }

    /// Where a state's box is on the screen, as far as it is in view.
    pub fn state_area(&self, state: StateRow) -> Option<Rect> {
        self.view.screen_area(self.area_of(state)?)
    }

    /// Where the picture is drawn on the screen.
    pub fn picture_area(&self) -> Rect {
        self.view.inside
    }
}
