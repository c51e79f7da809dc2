//! The mouse in the window: presses, drags and the wheel for the program, and with Shift the
//! selection of text on the screen.

use ratatui::layout::Rect;

use super::cells::CellSize;
use crate::{
    app::input::{Button, Input, Mods, Mouse, MouseKind},
    ui::selection::Selection,
};

/// Text is selected wherever it is.
const EVERYWHERE: Rect = Rect { x: 0, y: 0, width: u16::MAX, height: u16::MAX };

/// Rows that a notch of a wheel is worth.
const NOTCH_ROWS: f64 = 3.0;

/// What the mouse asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PointerAct {
    Send(Input),
    /// The selection is another; the screen is to be drawn.
    Selected,
    /// The selection is complete; its text is to be copied.
    Copy,
    /// Paste what was selected last, in whatever program, at a cell, by column and row.
    PasteAt((u16, u16)),
    /// So many steps larger.
    Zoom(i8),
}

/// How far a wheel turned: to the right and downwards positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turned {
    Notches(f64, f64),
    Pixels(f64, f64),
}

#[derive(Debug, Default)]
pub(super) struct Pointer {
    /// Where it is, by column and row.
    cell: (u16, u16),
    held: Option<Button>,
    is_selecting: bool,
    selection: Option<Selection>,
    /// Parts of a notch that are not sent yet.
    left_over: (f64, f64),
}

impl Pointer {
    pub fn selection(&self) -> Option<Selection> {
        self.selection.filter(|selection| !selection.is_empty())
    }

    /// Forgets the selection; answers whether there was one.
    pub fn drop_selection(&mut self) -> bool {
        let had = self.selection().is_some();
        self.selection = None;
        had
    }

    fn mouse(&self, kind: MouseKind, mods: Mods) -> Input {
        let (column, row) = self.cell;
        Input::Mouse(Mouse { kind, column, row, mods })
    }

    pub fn on_moved(&mut self, cell: (u16, u16), mods: Mods) -> Option<PointerAct> {
        if self.cell == cell {
            return None;
        }
        self.cell = cell;
        if self.is_selecting {
            self.selection.as_mut()?.extend_to(cell);
            return Some(PointerAct::Selected);
        }
        Some(PointerAct::Send(self.mouse(MouseKind::Drag(self.held?), mods)))
    }

    pub fn on_pressed(&mut self, button: Button, mods: Mods) -> Vec<PointerAct> {
        let mut acts = Vec::new();
        if self.drop_selection() {
            acts.push(PointerAct::Selected);
        }
        match button {
            Button::Left if mods.shift => {
                self.is_selecting = true;
                self.selection = Some(Selection::at(self.cell, EVERYWHERE));
            }
            Button::Middle => acts.push(PointerAct::PasteAt(self.cell)),
            button => {
                self.held = Some(button);
                acts.push(PointerAct::Send(self.mouse(MouseKind::Down(button), mods)));
            }
        }
        acts
    }

    pub fn on_released(&mut self, button: Button, mods: Mods) -> Option<PointerAct> {
        if std::mem::take(&mut self.is_selecting) {
            return self.selection().map(|_| PointerAct::Copy);
        }
        if self.held != Some(button) {
            return None;
        }
        self.held = None;
        Some(PointerAct::Send(self.mouse(MouseKind::Up(button), mods)))
    }

    pub fn on_wheel(&mut self, turned: Turned, cell: CellSize, mods: Mods) -> Vec<PointerAct> {
        let (right, down) = match turned {
            Turned::Notches(right, down) => (right, down),
            Turned::Pixels(right, down) => {
                #[expect(clippy::cast_precision_loss, reason = "cells are small")]
                let notch = cell.height.max(1) as f64 * NOTCH_ROWS;
                (right / notch, down / notch)
            }
        };
        let take = |kept: &mut f64, more: f64| {
            // A turn the other way starts at once.
            *kept = if *kept * more < 0.0 { more } else { *kept + more };
            let whole = kept.trunc();
            *kept -= whole;
            #[expect(clippy::cast_possible_truncation, reason = "wheels turn by few notches")]
            let notches = whole.clamp(-100.0, 100.0) as i16;
            notches
        };
        let sideways = take(&mut self.left_over.0, right);
        let notches = take(&mut self.left_over.1, down);
        if mods.ctrl {
            let steps = i8::try_from(-notches).unwrap_or(0);
            return (steps != 0).then_some(PointerAct::Zoom(steps)).into_iter().collect();
        }
        // Shift turns a wheel sideways where it has no other way to.
        let (sideways, notches) =
            if mods.shift && sideways == 0 { (notches, 0) } else { (sideways, notches) };
        let mut acts = Vec::new();
        if notches != 0 {
            acts.push(PointerAct::Send(self.mouse(MouseKind::Wheel(notches), mods)));
        }
        if sideways != 0 {
            acts.push(PointerAct::Send(self.mouse(MouseKind::WheelSideways(sideways), mods)));
        }
        acts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: CellSize = CellSize { width: 9, height: 20 };
    const SHIFT: Mods = Mods { ctrl: false, alt: false, shift: true };

    fn sent(kind: MouseKind, column: u16, row: u16, mods: Mods) -> PointerAct {
        PointerAct::Send(Input::Mouse(Mouse { kind, column, row, mods }))
    }

    #[test]
    fn a_drag_is_reported_in_cells_and_only_while_a_button_is_held() {
        let (mut pointer, none) = (Pointer::default(), Mods::default());
        assert_eq!(pointer.on_moved((3, 4), none), None);
        assert_eq!(
            pointer.on_pressed(Button::Left, none),
            [sent(MouseKind::Down(Button::Left), 3, 4, none)]
        );
        assert_eq!(pointer.on_moved((3, 4), none), None, "within the cell");
        assert_eq!(
            pointer.on_moved((5, 4), none),
            Some(sent(MouseKind::Drag(Button::Left), 5, 4, none))
        );
        assert_eq!(pointer.on_released(Button::Right, none), None);
        assert_eq!(
            pointer.on_released(Button::Left, none),
            Some(sent(MouseKind::Up(Button::Left), 5, 4, none))
        );
        assert_eq!(pointer.on_moved((6, 4), none), None);
    }

    #[test]
    fn shift_selects_and_the_next_press_forgets_it() {
        let mut pointer = Pointer::default();
        assert_eq!(pointer.on_pressed(Button::Left, SHIFT), []);
        assert_eq!(pointer.on_released(Button::Left, SHIFT), None, "a click selects nothing");
        pointer.on_pressed(Button::Left, SHIFT);
        assert_eq!(pointer.on_moved((4, 0), SHIFT), Some(PointerAct::Selected));
        assert_eq!(pointer.on_released(Button::Left, SHIFT), Some(PointerAct::Copy));
        assert!(pointer.selection().is_some());
        let acts = pointer.on_pressed(Button::Left, Mods::default());
        assert_eq!(acts[0], PointerAct::Selected);
        assert!(acts.len() == 2 && pointer.selection().is_none());
        assert_eq!(
            pointer.on_pressed(Button::Middle, Mods::default()),
            [PointerAct::PasteAt((4, 0))]
        );
    }

    #[test]
    fn wheels_count_in_notches_and_pixels_add_up() {
        let (mut pointer, none) = (Pointer::default(), Mods::default());
        let mut wheel = |turned| pointer.on_wheel(turned, CELL, none);
        assert_eq!(wheel(Turned::Notches(0.0, 2.0)), [sent(MouseKind::Wheel(2), 0, 0, none)]);
        assert_eq!(
            wheel(Turned::Notches(1.0, 0.0)),
            [sent(MouseKind::WheelSideways(1), 0, 0, none)]
        );
        assert_eq!(wheel(Turned::Pixels(0.0, 40.0)), []);
        assert_eq!(wheel(Turned::Pixels(0.0, 40.0)), [sent(MouseKind::Wheel(1), 0, 0, none)]);
        assert_eq!(wheel(Turned::Pixels(0.0, -60.0)), [sent(MouseKind::Wheel(-1), 0, 0, none)]);
        let ctrl = Mods { ctrl: true, ..none };
        let zoom = pointer.on_wheel(Turned::Notches(0.0, -1.0), CELL, ctrl);
        assert_eq!(zoom, [PointerAct::Zoom(1)]);
        let sideways = pointer.on_wheel(Turned::Notches(0.0, 1.0), CELL, SHIFT);
        assert_eq!(sideways, [sent(MouseKind::WheelSideways(1), 0, 0, SHIFT)]);
    }
}
