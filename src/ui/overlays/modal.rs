//! The sheet on which every overlay draws: centred, cleared, with an edge and a title.

use ratatui::{Frame, layout::Rect, widgets::Clear};

use crate::{
    app::input::{Input, Mouse, MouseKind},
    ui::{styles::Role, view::Look, widgets::pane::Pane},
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
