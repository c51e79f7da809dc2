//! Up to three panes beside each other, or below 100 columns one at a time under a line of their
//! names.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
};

use crate::{
    app::input::{Mouse, MouseKind},
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

/// Which pane has the keys, and where the panes lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panes {
    /// The pane that has the keys, counted from 0 at the left.
    pub focus: usize,
    areas: Vec<Rect>,
    tabs: Vec<Rect>,
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
        if area.width >= SIDE_BY_SIDE {
            self.areas = Layout::horizontal(widths).split(area).to_vec();
            return self.areas.clone();
        }
        let line = Rect { height: 1.min(area.height), ..area };
        buffer.set_style(line, styles[Role::Text]);
        let mut pen = Pen::new(buffer, line, 0);
        for (row, name) in names.iter().enumerate() {
            let style = styles[if row == self.focus { Role::Accent } else { Role::Dim }];
            pen.put_text(if row == self.focus { " ▸" } else { "  " }, style);
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
        pen.put_right("Tab next pane ", styles[Role::Dim]);
        let rest = Rect { y: area.y + line.height, height: area.height - line.height, ..area };
        let shown =
            |row: usize| if row == self.focus { rest } else { Rect::new(area.x, area.y, 0, 0) };
        self.areas = (0..names.len()).map(shown).collect();
        self.areas.clone()
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

    /// The next pane has the keys.
    pub fn next(&mut self) {
        self.focus = (self.focus + 1) % self.areas.len().max(1);
    }

    /// The pane before has the keys.
    pub fn previous(&mut self) {
        let count = self.areas.len().max(1);
        self.focus = (self.focus + count - 1) % count;
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
