//! The matrix under the mouse: presses choose cells and switch them, dragging chooses a range.

use ratatui::layout::Rect;

use super::{
    compose_menus as menus,
    facts::Facts,
    matrix::{Matrix, RowOrder},
};
use crate::{
    app::{
        input::{Button, Mouse, MouseKind},
        state::State,
    },
    ui::view::Reply,
};

impl Matrix {
    /// The cell under the mouse.
    fn cell_at(&self, mouse: Mouse) -> Option<(usize, usize)> {
        let at = (mouse.column, mouse.row);
        let row = |area: Rect| self.top + usize::from(at.1.saturating_sub(area.y));
        let column = |area: Rect| {
            self.left + usize::from(at.0.saturating_sub(area.x) / self.column_width.max(1))
        };
        let place = (row(self.cells), column(self.cells));
        let inside = self.cells.contains(at.into())
            && place.0 < self.rows.len()
            && place.1 < self.columns.len();
        inside.then_some(place)
    }

    pub fn handle_mouse(&mut self, mouse: Mouse, facts: &Facts, state: &State) -> Reply {
        match mouse.kind {
            MouseKind::Wheel(notches) if !mouse.mods.shift => {
                self.cursor.0 = self.cursor.0.saturating_add_signed(isize::from(notches) * 3);
                self.clamp_cursor();
            }
            MouseKind::Wheel(notches) | MouseKind::WheelSideways(notches) => {
                self.cursor.1 = self.cursor.1.saturating_add_signed(isize::from(notches));
                self.clamp_cursor();
            }
            MouseKind::Down(button) => return self.handle_press(mouse, button, facts, state),
            MouseKind::Drag(_) => {
                if let Some(cell) = self.cell_at(mouse)
                    && self.pressed.is_none_or(|pressed| pressed != cell)
                {
                    // A range that begins on what is chosen begins where it was pressed.
                    let begun = self.pressed.take();
                    if cell != self.cursor || begun.is_some() {
                        self.anchor = begun.or(self.anchor).or(Some(self.cursor));
                    }
                    self.cursor = cell;
                }
            }
            MouseKind::Up(_) => {
                if self.pressed.take().is_some_and(|pressed| self.cell_at(mouse) == Some(pressed)) {
                    return self.switch_cells(facts, state);
                }
            }
            MouseKind::Double(_) => {}
        }
        Reply::Handled
    }

    /// A press chooses a cell; one on what is chosen switches it when the button comes up there; the
    /// right button opens what can be done with the tool.
    fn handle_press(
        &mut self,
        mouse: Mouse,
        button: Button,
        facts: &Facts,
        state: &State,
    ) -> Reply {
        let at = (mouse.column, mouse.row).into();
        self.pressed = None;
        if let Some(cell) = self.cell_at(mouse) {
            let (rows, columns) = self.selected_ranges();
            let chosen = rows.contains(&cell.0) && columns.contains(&cell.1);
            if !chosen {
                (self.cursor, self.anchor) = (cell, None);
            }
            return match (button, chosen) {
                (Button::Right, _) => self.row_menu(facts, state),
                (_, true) => {
                    self.pressed = Some(cell);
                    Reply::Handled
                }
                _ => Reply::Handled,
            };
        }
        if self.heads.contains(at) {
            let column = self.left
                + usize::from(mouse.column.saturating_sub(self.heads.x) / self.column_width.max(1));
            if column < self.columns.len() {
                (self.cursor.1, self.anchor) = (column, None);
                if button == Button::Right {
                    return menus::of_column(&self.columns[column]);
                }
                self.row_order = RowOrder::Ticked;
                self.sync_facts(facts, state);
            }
        } else if self.names.contains(at) {
            self.cursor.0 = self.top + usize::from(mouse.row - self.names.y);
            self.clamp_cursor();
            if button == Button::Right {
                return self.row_menu(facts, state);
            }
        }
        Reply::Handled
    }
}
