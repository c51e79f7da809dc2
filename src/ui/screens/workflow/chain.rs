//! The steps of a tool as a picture, in place of the states: what runs after what, what one stores
//! that goes into another, and how far the newest run is.

use ratatui::{
    buffer::Buffer,
    layout::{Margin, Rect},
    style::Style,
};

use super::{graph::Zoom, scene::Scene, viewport::Viewport};
use crate::{
    app::{
        calls::CallMessage,
        input::{Code, Key, Mouse, MouseKind},
        message::{Message, ScreenId},
        moved::MovedEntries,
        state::State,
        step_run::{StepProgress, StepRun, StepsRevision},
    },
    engine::{
        canvas_text::{self, Cell, Drawing, Role as Part},
        layout::{
            chain::{ChainDiagram, ChainFeed, ChainLink, ChainStep, chain_diagram},
            diagram::{BoxSpec, Direction, Frame},
            hit::DiagramHit,
            picture::{BoxArea, Picture},
            states::Detail,
        },
    },
    model::entry::EntryId,
    systems::facets::steps::StepPreview,
    ui::{
        canvas::{text_width, truncate_text, visible_text},
        overlays::page::PageOverlay,
        styles::{Role, Styles},
        view::Reply,
        widgets::pane::Pane,
    },
};

pub(super) const NO_STEPS: &str = "this tool has no steps that toolcrib runs";
/// Cells of a line in a box at most: the most with which the picture is not wider than the pane.
const LENGTHS: [usize; 3] = [46, 32, 20];
/// So many of the values that a step sees are named in its box.
const NAMED: usize = 4;
/// Above this many steps the picture runs downwards, as a list does.
const MANY: usize = 12;

/// The marks of steps, and what they mean.
const SIGNS: [(&str, &str); 8] = [
    ("✓", "the newest run completed this step"),
    ("✗", "it failed there"),
    ("▶", "it stopped before this step and continues here"),
    ("…", "it is at this step now"),
    ("●", "runs stop before this step (Space)"),
    ("╌▷", "one step runs after the other"),
    ("─▶", "a step uses what another one stored"),
    ("output → a", "the parameter that uses it"),
];

#[derive(Default)]
pub(crate) struct Chain {
    /// Whose steps are shown; `None`: the states are.
    tool: Option<EntryId>,
    revision: Option<StepsRevision>,
    run: StepRun,
    /// The chosen step, from 0.
    row: usize,
    detail: Detail,
    laid: Option<LaidSteps>,
    view: Viewport,
    /// Where the mouse took hold of the picture, and the step that was pressed, until it moves.
    held: Option<((u16, u16), Option<usize>)>,
    /// The chosen step is to be brought into view.
    follow: bool,
    /// The detail is to be the most with which all is in view.
    fitting: bool,
}

/// The picture of the steps as they are.
struct LaidSteps {
    /// What the places depend on: the steps without their marks, and the room.
    bare: Vec<ChainStep>,
    room: (u16, u16),
    /// Cells of a line in a box at most.
    longest: usize,
    chain: ChainDiagram,
    picture: Picture,
    drawing: Drawing,
}

impl Chain {
    pub fn is_open(&self) -> bool {
        self.tool.is_some()
    }

    /// Shows the steps of a tool, the one chosen at which its newest run stopped.
    pub fn open(&mut self, tool: EntryId, state: &State) -> Reply {
        *self = Self { tool: Some(tool), detail: self.detail, follow: true, ..Self::default() };
        self.sync_state(state);
        if self.run.steps.is_empty() {
            self.close();
            let why = self.run.refusal.take();
            return Reply::Refused(why.unwrap_or_else(|| NO_STEPS.into()));
        }
        self.row = self.run.stopped_at().unwrap_or_default();
        Reply::Handled
    }

    pub fn follow_moved(&mut self, moved: &MovedEntries) {
        moved.follow_one(&mut self.tool);
    }

    /// Shows the states again.
    pub fn close(&mut self) {
        self.tool = None;
    }

    /// Takes in the steps of the tool, and what came of them.
    pub fn sync_state(&mut self, state: &State) {
        let Some(tool) = &self.tool else { return };
        if state.tool(tool).is_none() {
            return self.close();
        }
        let revision = StepsRevision::of_tool(state, tool);
        if self.revision.as_ref() != Some(&revision) {
            self.run = StepRun::of_tool(state, tool);
            self.revision = Some(revision);
            self.choose_step(self.row);
        }
    }

    fn choose_step(&mut self, row: usize) {
        self.row = row.min(self.run.steps.len().saturating_sub(1));
        self.follow = true;
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>) {
        let Scene { styles, state, focused } = scene;
        let tool = self.tool.as_ref().and_then(|tool| state.tool(tool));
        let name = tool.map_or("", |tool| tool.name.as_str());
        let title = format!("Steps of {name} · {}", self.run.steps.len());
        let pane = Pane { title: &title, note: "Esc states", foot: &self.footer_text(), focused };
        pane.draw(buffer, area, styles);
        self.view.inside = area.inner(Margin::new(1, 1));
        self.update_layout();
        let Some(laid) = &mut self.laid else { return };
        if std::mem::take(&mut self.follow)
            && let Some(placed) = laid.picture.boxes.get(self.row)
            && !self.view.shows_whole(placed.area)
        {
            self.view.show_box(placed.area, &laid.picture);
        }
        self.view.clamp(&laid.picture);
        laid.draw_window(self.view.visible_part(&laid.picture));
        let (run, chosen) = (&self.run, self.row);
        self.view.draw_cells(buffer, &laid.drawing, |cell| {
            let text = match cell.arrow_row().and_then(|row| laid.chain.links.get(row)) {
                Some(ChainLink::Order) => canvas_text::dashed_sign(&cell.text),
                _ => &cell.text,
            };
            (text, cell_style(cell, &laid.chain, run, chosen, styles, focused))
        });
        self.view.draw_ways_out(buffer, &laid.picture, styles);
    }

    fn update_layout(&mut self) {
        if !std::mem::take(&mut self.fitting) {
            return self.update_detail();
        }
        for detail in [Detail::More, Detail::Usual, Detail::Less] {
            self.detail = detail;
            self.update_detail();
            if self.laid.as_ref().is_some_and(LaidSteps::fits_in_view) {
                break;
            }
        }
    }

    fn update_detail(&mut self) {
        let room = (self.view.inside.width, self.view.inside.height);
        let (run, detail) = (&self.run, self.detail);
        let steps = |longest: usize, marks: Marks| -> Vec<ChainStep> {
            let box_of = BoxText { run, detail, longest, marks };
            let rows = run.steps.iter().enumerate();
            rows.map(|(row, step)| box_of.chain_step(row, step)).collect()
        };
        if let Some(laid) = self.laid.as_mut().filter(|laid| laid.room == room)
            && laid.bare == steps(laid.longest, Marks::Bare)
        {
            return laid.replace_steps(&steps(laid.longest, Marks::Shown));
        }
        for longest in LENGTHS {
            let mut laid = LaidSteps::new(steps(longest, Marks::Bare), room, longest);
            laid.replace_steps(&steps(longest, Marks::Shown));
            let is_narrow = laid.picture.width <= usize::from(room.0);
            self.laid = Some(laid);
            if is_narrow {
                break;
            }
        }
    }

    /// What there is to say about the chosen step, in a line.
    fn footer_text(&self) -> String {
        let Some(step) = self.run.steps.get(self.row) else { return String::new() };
        let result = self.run.report_of(self.row).and_then(|report| report.result.as_ref());
        let status = result.map(|result| result.status).unwrap_or_default();
        let problem = result.and_then(|result| result.problem.as_deref());
        let came = match self.run.progress_of(self.row) {
            StepProgress::Waiting => step.line.clone(),
            StepProgress::Running => "it is running".into(),
            StepProgress::Ran => format!("it returned {status}"),
            StepProgress::Failed => problem.unwrap_or("it failed").to_owned(),
            StepProgress::Next => format!("next: {}", step.line),
        };
        let words = format!("{} {came}", step.number);
        visible_text(&words).into_owned()
    }

    /// Arrows go from step to step; with Shift they move the picture.
    pub fn handle_key(&mut self, key: Key) -> Reply {
        let page = i32::from(self.view.inside.height / 2);
        match key.code {
            _ if key.mods.ctrl || key.mods.alt => return Reply::Ignored,
            Code::Left if key.mods.shift => self.pan(-4, 0),
            Code::Right if key.mods.shift => self.pan(4, 0),
            Code::Up if key.mods.shift => self.pan(0, -2),
            Code::Down if key.mods.shift => self.pan(0, 2),
            Code::PageUp => self.pan(0, -page),
            Code::PageDown => self.pan(0, page),
            Code::Up | Code::Left | Code::Char('k' | 'h') => {
                self.choose_step(self.row.saturating_sub(1));
            }
            Code::Down | Code::Right | Code::Char('j' | 'l') => self.choose_step(self.row + 1),
            Code::Home => self.choose_step(0),
            Code::End => self.choose_step(usize::MAX),
            _ => return Reply::Ignored,
        }
        Reply::Handled
    }

    fn pan(&mut self, right: i32, down: i32) {
        if let Some(laid) = &self.laid {
            self.view.pan((right, down), &laid.picture);
        }
    }

    /// A press on a step leads to it in Invoke; dragging and the wheel move the picture.
    pub fn handle_mouse(&mut self, mouse: Mouse) -> Reply {
        let at = (mouse.column, mouse.row);
        match mouse.kind {
            MouseKind::Wheel(notches) if mouse.mods.ctrl => {
                return self.zoom(if notches < 0 { Zoom::In } else { Zoom::Out });
            }
            MouseKind::Wheel(notches) if mouse.mods.shift => self.pan(i32::from(notches) * 4, 0),
            MouseKind::Wheel(notches) => self.pan(0, i32::from(notches) * 2),
            MouseKind::WheelSideways(notches) => self.pan(i32::from(notches) * 4, 0),
            MouseKind::Down(_) => {
                let step = self.step_at(at);
                self.row = step.unwrap_or(self.row);
                self.held = Some((at, step));
            }
            MouseKind::Drag(_) => {
                if let Some((from, _)) = self.held.filter(|(from, _)| *from != at) {
                    self.held = Some((at, None));
                    let moved = |from: u16, to: u16| i32::from(from) - i32::from(to);
                    self.pan(moved(from.0, at.0), moved(from.1, at.1));
                }
            }
            MouseKind::Double(_) => {}
            MouseKind::Up(_) => {
                if let Some((_, Some(step))) = self.held.take() {
                    self.row = step;
                    return self.show_step();
                }
            }
        }
        Reply::Handled
    }

    fn step_at(&self, (column, row): (u16, u16)) -> Option<usize> {
        let is_inside = self.view.inside.contains((column, row).into());
        let point = self.view.point_at(column, row).filter(|_| is_inside)?;
        match self.laid.as_ref()?.picture.hit_test(point) {
            DiagramHit::Box(step) => Some(step),
            _ => None,
        }
    }

    /// Goes to the chosen step in Invoke.
    pub fn show_step(&self) -> Reply {
        let Some(tool) = self.tool.clone() else { return Reply::Ignored };
        Reply::Send(vec![
            Message::Select(tool.clone()),
            Message::Show(ScreenId::Invoke),
            Message::Call(CallMessage::ShowStep { tool, step: self.row }),
        ])
    }

    /// Runs stop before the chosen step, or no longer.
    pub fn turn_breakpoint(&self) -> Reply {
        match (self.tool.clone(), self.run.steps.get(self.row)) {
            (Some(tool), Some(step)) => {
                let step = step.name.clone();
                Reply::send(Message::Call(CallMessage::TurnBreakpoint { tool, step }))
            }
            _ => Reply::Ignored,
        }
    }

    /// More of each step, or less.
    pub fn zoom(&mut self, way: Zoom) -> Reply {
        self.detail = match (self.detail, way) {
            (Detail::Usual, Zoom::Out) => Detail::Less,
            (Detail::Usual, Zoom::In) => Detail::More,
            (Detail::More, Zoom::In) => {
                return Reply::Refused("no more detail to show".into());
            }
            (Detail::More, Zoom::Out) | (_, Zoom::In) => Detail::Usual,
            (_, Zoom::Out) => {
                return Reply::Refused("no less detail to show".into());
            }
        };
        self.follow = true;
        Reply::Handled
    }

    /// Shows as much of each step as lets all be seen.
    pub fn fit_picture(&mut self) -> Reply {
        (self.fitting, self.follow) = (true, true);
        Reply::Handled
    }

    /// Brings the step into view at which the newest run stopped.
    pub fn show_next(&mut self) -> Reply {
        self.choose_step(self.run.stopped_at().unwrap_or(self.row));
        Reply::Handled
    }

    pub fn open_legend() -> Reply {
        let row = |(sign, words): (&str, &str)| {
            vec![(Role::Accent, format!("{sign:<12}")), (Role::Text, words.to_owned())]
        };
        let lines = SIGNS.into_iter().map(row).collect();
        Reply::Open(Box::new(PageOverlay::new("Legend", lines)))
    }
}

impl LaidSteps {
    fn new(bare: Vec<ChainStep>, room: (u16, u16), longest: usize) -> Self {
        let lay_out = |direction| {
            let chain = chain_diagram(&bare, direction, measure_text);
            let picture = chain.diagram.layout();
            (chain, picture)
        };
        let beside = (bare.len() <= MANY).then(|| lay_out(Direction::LeftToRight));
        let (chain, picture) = beside
            .filter(|(_, picture)| fits_in(picture, room))
            .unwrap_or_else(|| lay_out(Direction::TopDown));
        Self { bare, room, longest, chain, picture, drawing: Drawing::default() }
    }

    fn fits_in_view(&self) -> bool {
        fits_in(&self.picture, self.room)
    }

    /// Shows steps in the same places.
    fn replace_steps(&mut self, steps: &[ChainStep]) {
        let is_shown = |(shown, step): (&BoxSpec, &ChainStep)| {
            shown.lines == step.lines && shown.frame == step.frame
        };
        if self.chain.diagram.boxes.iter().zip(steps).all(is_shown) {
            return;
        }
        self.chain = chain_diagram(steps, self.chain.diagram.direction, measure_text);
        self.drawing = Drawing::default();
    }

    fn draw_window(&mut self, window: BoxArea) {
        if self.drawing.window != window {
            self.drawing = canvas_text::draw_picture(&self.chain.diagram, &self.picture, window);
        }
    }
}

fn fits_in(picture: &Picture, room: (u16, u16)) -> bool {
    picture.width <= usize::from(room.0) && picture.height <= usize::from(room.1)
}

fn measure_text(text: &str) -> usize {
    text_width(&visible_text(text))
}

/// Whether the boxes say what came of their steps. The room for it is kept, so that the picture
/// stays while a run goes on.
#[derive(Clone, Copy, PartialEq)]
enum Marks {
    Bare,
    Shown,
}

/// What the boxes of steps say.
struct BoxText<'r> {
    run: &'r StepRun,
    detail: Detail,
    /// Cells of a line at most.
    longest: usize,
    marks: Marks,
}

impl BoxText<'_> {
    fn chain_step(&self, row: usize, step: &StepPreview) -> ChainStep {
        let progress = match self.marks {
            Marks::Bare => StepProgress::Waiting,
            Marks::Shown => self.run.progress_of(row),
        };
        let has_break = self.marks == Marks::Shown && self.run.has_break(row);
        let (sign, stop) = (progress_sign(progress), if has_break { "●" } else { " " });
        let short = |text: &str| truncate_text(&visible_text(text), self.longest).into_owned();
        let mut lines = vec![format!("{sign} {} {} {stop}", step.number, short(&step.name))];
        if self.detail >= Detail::Usual {
            lines.push(shorten_line(&visible_text(&step.line), self.longest));
        }
        if self.detail == Detail::More {
            let seen = step.seen.iter().filter(|seen| !seen.is_own);
            let named = seen.clone().take(NAMED);
            lines.extend(named.map(|seen| short(&format!("{}: {}", seen.name, seen.value))));
            let more = seen.count().saturating_sub(NAMED);
            lines.extend((more > 0).then(|| format!("{more} more")));
        }
        let frame = match progress {
            StepProgress::Next | StepProgress::Running => Frame::Heavy,
            _ => Frame::Plain,
        };
        let feeds = step.feeds.iter().filter_map(|feed| {
            Some(ChainFeed { from: feed.from.checked_sub(1)?, into: feed.into.clone() })
        });
        ChainStep { lines, frame, feeds: feeds.collect() }
    }
}

/// A request's line in so many cells: of a longer path the end, which says most.
fn shorten_line(line: &str, longest: usize) -> String {
    let Some((method, path)) = line.split_once(" /").filter(|_| text_width(line) > longest) else {
        return truncate_text(line, longest).into_owned();
    };
    let room = longest.saturating_sub(text_width(method) + 2);
    let mut start = path.len();
    for (at, _) in path.char_indices().rev() {
        if text_width(&path[at..]) > room {
            break;
        }
        start = at;
    }
    format!("{method} …{}", &path[start..])
}

fn progress_sign(progress: StepProgress) -> &'static str {
    match progress {
        StepProgress::Waiting => " ",
        StepProgress::Running => "…",
        StepProgress::Ran => "✓",
        StepProgress::Failed => "✗",
        StepProgress::Next => "▶",
    }
}

fn cell_style(
    cell: &Cell,
    chain: &ChainDiagram,
    run: &StepRun,
    chosen: usize,
    styles: &Styles,
    focused: bool,
) -> Style {
    let of_step = |row: usize| match run.progress_of(row) {
        StepProgress::Waiting => styles[Role::State],
        StepProgress::Ran => styles[Role::Success],
        StepProgress::Failed => styles[Role::Error],
        StepProgress::Running | StepProgress::Next => styles[Role::Accent],
    };
    match cell.role {
        Part::Text { owner, line: 0 } if owner == chosen => {
            styles[if focused { Role::Selected } else { Role::SelectedDim }]
        }
        Part::Border(row) if row == chosen && focused => styles[Role::BorderFocus],
        Part::Border(row) | Part::Inside(row) | Part::Text { owner: row, line: 0 } => of_step(row),
        Part::Text { .. } => styles[Role::Text],
        _ => match cell.arrow_row().and_then(|row| chain.links.get(row)) {
            Some(ChainLink::Data) => styles[Role::FromOutput],
            _ => styles[Role::Dim],
        },
    }
}
