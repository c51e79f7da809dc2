//! The sheet on which every overlay draws: centred, cleared, with an edge and a title.

use ratatui::{Frame, buffer::Buffer, layout::Rect, widgets::Clear};

use crate::{
    app::input::{Code, Input, Mouse, MouseKind},
    ui::{
        canvas::{Pen, text_width},
        styles::{Role, Styles},
        view::Look,
        widgets::pane::Pane,
    },
};

/// A sheet of at most `width` × `height` cells in the middle of `area`; answers its inside.
pub(crate) fn draw_modal(
    frame: &mut Frame<'_>,
    area: Rect,
    size: (u16, u16),
    title: &str,
    look: Look<'_>,
) -> (Rect, Rect) {
    let width = size.0.min(area.width.saturating_sub(2)).max(1);
    let height = size.1.min(area.height.saturating_sub(2)).max(1);
    let sheet = Rect {
        x: area.x + (area.width - width.min(area.width)) / 2,
        y: area.y + (area.height - height.min(area.height)) / 3,
        width,
        height,
    };
    frame.render_widget(Clear, sheet);
    let inside = Pane { title, focused: true, ..Pane::default() }.draw(
        frame.buffer_mut(),
        sheet,
        look.styles,
    );
    frame.buffer_mut().set_style(inside, look.styles[Role::Overlay]);
    (sheet, inside)
}

/// How many cells a line of words has in a sheet of [`draw_modal`] that is to be so wide.
pub(crate) fn line_cells(area: Rect, width: u16) -> usize {
    // Without its frame, and a blank at either side.
    usize::from(width.min(area.width.saturating_sub(2)).saturating_sub(4).max(1))
}

/// The two buttons at the foot of a dialog: what it does, and cancel.
#[derive(Debug, Default)]
pub(crate) struct Buttons([Rect; 2]);

/// What an input asks of a dialog with a typed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Act,
    Cancel,
    /// A press outside, which would lose the text.
    Outside,
}

impl Buttons {
    /// `act` is the key and the word of the first one.
    pub fn draw(&mut self, buffer: &mut Buffer, line: Rect, act: (&str, &str), styles: &Styles) {
        let mut x = line.x;
        let words = [(act.0, act.1, Role::Selected), ("Esc", "cancel", Role::Chip)];
        for (place, (key, word, role)) in self.0.iter_mut().zip(words) {
            let words = format!(" {key} {word} ");
            let width = u16::try_from(text_width(&words)).unwrap_or(u16::MAX);
            *place = Rect { x, width, ..line }.intersection(line);
            Pen::new(buffer, *place, 0).put_text(&words, styles[role]);
            x = x.saturating_add(width).saturating_add(2);
        }
    }

    /// Which of them an input presses. Esc cancels too, and so does a press outside the sheet while
    /// the text is not edited.
    #[must_use]
    pub fn pressed(&self, input: &Input, sheet: Rect, is_edited: bool) -> Option<Pressed> {
        match input {
            _ if is_outside(input, sheet) && is_edited => Some(Pressed::Outside),
            _ if is_outside(input, sheet) => Some(Pressed::Cancel),
            Input::Key(key) => key.is_plain(Code::Esc).then_some(Pressed::Cancel),
            Input::Mouse(Mouse { kind: MouseKind::Down(_), column, row, .. }) => {
                match self.0.map(|place| place.contains((*column, *row).into())) {
                    [true, _] => Some(Pressed::Act),
                    [_, true] => Some(Pressed::Cancel),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// What a dialog with a typed text says to a press outside it, which would lose that text.
pub(crate) const KEEPS_TEXT: &str = "What you typed is still here: Esc discards it";

/// Whether an input is a press outside the sheet, which closes it.
#[must_use]
pub(crate) fn is_outside(input: &Input, sheet: Rect) -> bool {
    match input {
        Input::Mouse(Mouse { kind: MouseKind::Down(_), column, row, .. }) => {
            !sheet.contains((*column, *row).into())
        }
        _ => false,
    }
}
