//! Up to three panes beside each other, or below 100 columns one at a time under a line of their
//! names.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
};

use crate::{
    app::{
        actions::ActionId,
        input::{Button, Mouse, MouseKind},
    },
    ui::{
        canvas::{Pen, text_width},
        styles::{Role, Styles},
    },
};

/// Below this width panes are shown one at a time.
pub(crate) const SIDE_BY_SIDE: u16 = 100;

/// From one pane or field to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Next,
    Previous,
}

/// A change of how panes share the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneChange {
    /// The focused pane alone, or all again.
    Zoom,
    Narrower,
    Wider,
}

/// How many columns a pane gains or loses by a key.
const RESIZE_STEP: i16 = 4;
/// The fewest columns that a resized pane keeps.
const NARROWEST: u16 = 20;

/// Which pane has the keys, and where the panes lie.
#[derive(Clone, Debug, Default)]
pub struct Panes {
    /// The pane that has the keys, counted from 0 at the left.
    pub focus: usize,
    /// The pane that has them in place of these, where there is one.
    pub elsewhere: Option<&'static str>,
    areas: Vec<Rect>,
    tabs: Vec<Rect>,
    /// Words of the line of names that do something when they are pressed, and what.
    pressable: Vec<(Rect, ActionId)>,
    zoomed: bool,
    /// How many columns the user moved each edge between two panes to the right.
    moved: Vec<i16>,
    /// The edge that is dragged, and where the mouse was last.
    dragged: Option<(usize, u16)>,
}

impl Panes {
    /// Lays the panes out and draws the line of names where only one fits. A pane that is not shown
    /// has an empty area.
    pub fn layout_panes(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        names: &[&str],
        widths: &[Constraint],
        styles: &Styles,
    ) -> Vec<Rect> {
        self.tabs.clear();
        self.pressable.clear();
        if area.width >= SIDE_BY_SIDE && !self.zoomed {
            self.areas = Layout::horizontal(widths).split(area).to_vec();
            self.move_edges();
            return self.areas.clone();
        }
        let line = Rect { height: 1.min(area.height), ..area };
        buffer.set_style(line, styles[Role::Text]);
        let mut pen = Pen::new(buffer, line, 0);
        for (row, name) in names.iter().enumerate() {
            let has_keys = row == self.focus && self.elsewhere.is_none();
            let style = styles[if has_keys { Role::Accent } else { Role::Dim }];
            pen.put_text(if has_keys { " ▸" } else { "  " }, style);
            let x = pen.column_now();
            pen.put_text(name, style);
            self.tabs.push(Rect::new(
                x.saturating_sub(2),
                line.y,
                u16::try_from(text_width(name) + 3).unwrap_or(0),
                1,
            ));
            if row + 1 < names.len() {
                pen.put_text("  │", styles[Role::Border]);
            }
        }
        if let Some(name) = self.elsewhere {
            pen.put_text("  │", styles[Role::Border])
                .put_text(" ▸", styles[Role::Accent])
                .put_text(name, styles[Role::Accent]);
        }
        let zoom = self.zoomed.then_some(("z all panes  ", "zoom-pane"));
        let words = zoom.into_iter().chain([("Tab next pane ", "next-pane")]);
        let line_words: String = words.clone().map(|(words, _)| words).collect();
        pen.put_right(&line_words, styles[Role::Dim]);
        let mut right = line.right();
        for (words, action) in words.rev() {
            let width = u16::try_from(text_width(words)).unwrap_or(0).min(right - line.x);
            right -= width;
            self.pressable.push((Rect { x: right, width, ..line }, action));
        }
        let rest = Rect { y: area.y + line.height, height: area.height - line.height, ..area };
        let shown =
            |row: usize| if row == self.focus { rest } else { Rect::new(area.x, area.y, 0, 0) };
        self.areas = (0..names.len()).map(shown).collect();
        self.areas.clone()
    }

    /// Changes how the panes share the screen; why it can't be done, in words.
    pub fn change(&mut self, change: PaneChange) -> Result<(), &'static str> {
        let by = match change {
            PaneChange::Zoom => {
                self.zoomed = !self.zoomed;
                return Ok(());
            }
            PaneChange::Narrower => -RESIZE_STEP,
            PaneChange::Wider => RESIZE_STEP,
        };
        if self.is_stacked() {
            return Err("only one pane is shown, in the whole window");
        }
        // The last pane grows at its left edge, the others at their right one.
        let edges = self.edges();
        match edges.iter().position(|edge| edge.0 == self.focus) {
            Some(edge) => self.move_edge(edge, by),
            None => self.move_edge(edges.len().saturating_sub(1), -by),
        }
        Ok(())
    }

    /// The edges between panes beside each other: the panes at the left and at the right of each.
    fn edges(&self) -> Vec<(usize, usize)> {
        let is_edge = |left: usize, right: usize| {
            let (left, right) = (self.areas[left], self.areas[right]);
            !left.is_empty() && left.right() == right.left() && left.top() == right.top()
        };
        let rows = 0..self.areas.len();
        let pairs = rows.clone().flat_map(|left| rows.clone().map(move |right| (left, right)));
        pairs.filter(|(left, right)| left != right && is_edge(*left, *right)).collect()
    }

    fn move_edge(&mut self, edge: usize, by: i16) {
        let Some((left, right)) = self.edges().get(edge).copied() else { return };
        let fits = |width: u16, by: i16| by >= 0 || width.saturating_add_signed(by) >= NARROWEST;
        if fits(self.areas[left].width, by) && fits(self.areas[right].width, -by) {
            self.moved.resize(self.moved.len().max(edge + 1), 0);
            self.moved[edge] += by;
        }
    }

    /// Moves the edges to where the user dragged them, as far as the panes keep their least width.
    fn move_edges(&mut self) {
        for (edge, (left, right)) in self.edges().into_iter().enumerate() {
            let wanted = self.moved.get(edge).copied().unwrap_or(0);
            let least = |width: u16| i16::try_from(width.saturating_sub(NARROWEST)).unwrap_or(0);
            let by = wanted.clamp(-least(self.areas[left].width), least(self.areas[right].width));
            self.areas[left].width = self.areas[left].width.saturating_add_signed(by);
            self.areas[right].x = self.areas[right].x.saturating_add_signed(by);
            self.areas[right].width = self.areas[right].width.saturating_add_signed(-by);
        }
    }

    /// Takes a press on an edge between two panes and the drag after it; whether it was one.
    pub fn drag_edge(&mut self, mouse: Mouse) -> bool {
        match (mouse.kind, self.dragged) {
            (MouseKind::Down(Button::Left), _) => {
                let is_on = |left: usize, right: usize| {
                    let (left, right) = (self.areas[left], self.areas[right]);
                    let columns = left.right().saturating_sub(1)..=right.left();
                    // The top line has titles and tabs.
                    let rows = left.top() + 1..left.bottom();
                    columns.contains(&mouse.column) && rows.contains(&mouse.row)
                };
                let edges = if self.is_stacked() { Vec::new() } else { self.edges() };
                let edge = edges.iter().position(|(left, right)| is_on(*left, *right));
                self.dragged = edge.map(|edge| (edge, mouse.column));
                self.dragged.is_some()
            }
            (MouseKind::Drag(_), Some((edge, column))) => {
                let by = i32::from(mouse.column) - i32::from(column);
                self.move_edge(edge, i16::try_from(by).unwrap_or(0));
                self.dragged = Some((edge, mouse.column));
                true
            }
            (MouseKind::Up(_), Some(_)) => {
                self.dragged = None;
                true
            }
            _ => false,
        }
    }

    /// What of the line of names does something when it is pressed.
    pub fn pressable(&self) -> &[(Rect, ActionId)] {
        &self.pressable
    }

    /// Where a pane lies; empty where it is not shown.
    #[must_use]
    pub fn area(&self, pane: usize) -> Rect {
        self.areas.get(pane).copied().unwrap_or_default()
    }

    /// Puts a pane below another one that it shares a column with, where panes lie beside each
    /// other.
    pub fn stack_panes(&mut self, upper: usize, lower: usize, height: u16) -> Vec<Rect> {
        if self.tabs.is_empty()
            && let Some(whole) = self.areas.get(upper).copied()
            && lower < self.areas.len()
        {
            let height = height.min(whole.height);
            self.areas[upper].height = whole.height - height;
            self.areas[lower] = Rect { y: whole.bottom() - height, height, ..whole };
        }
        self.areas.clone()
    }

    /// Whether only one pane is seen at a time.
    #[must_use]
    pub fn is_stacked(&self) -> bool {
        !self.tabs.is_empty()
    }

    /// Whether one pane is shown alone although more would fit.
    pub fn is_zoomed(&self) -> bool {
        self.zoomed
    }

    /// Shows a pane that is not seen now, and gives it the keys. Whether it was not seen.
    pub fn reveal(&mut self, pane: usize) -> bool {
        let is_hidden = self.focus != pane && (self.is_stacked() || self.zoomed);
        if is_hidden {
            self.focus = pane;
        }
        is_hidden
    }

    /// The next pane has the keys.
    pub fn next(&mut self) {
        self.focus = (self.focus + 1) % self.areas.len().max(1);
    }

    /// The pane before has the keys.
    pub fn previous(&mut self) {
        let count = self.areas.len().max(1);
        self.focus = (self.focus + count - 1) % count;
    }

    /// One level back: all panes again, or the pane before where only one is seen. Whether there
    /// was such a level.
    pub fn go_back(&mut self) -> bool {
        if std::mem::take(&mut self.zoomed) {
            return true;
        }
        let has_before = self.is_stacked() && self.focus > 0;
        self.focus -= usize::from(has_before);
        has_before
    }

    /// The pane that a step leads to has the keys.
    pub fn step(&mut self, step: Step) {
        match step {
            Step::Next => self.next(),
            Step::Previous => self.previous(),
        }
    }

    /// Gives the keys to the pane under a press, and answers the pane under the mouse.
    pub fn handle_mouse(&mut self, mouse: Mouse) -> Option<usize> {
        let at = (mouse.column, mouse.row).into();
        let pressed = matches!(mouse.kind, MouseKind::Down(_));
        if pressed && let Some(tab) = self.tabs.iter().position(|tab| tab.contains(at)) {
            self.focus = tab;
            return None;
        }
        let pane = self.areas.iter().position(|area| area.contains(at))?;
        if pressed {
            self.focus = pane;
        }
        Some(pane)
    }
}
