//! The line of a search at the top of a pane: `/`, and what is typed.

use ratatui::{buffer::Buffer, layout::Rect};

use super::text_input::TextInput;
use crate::ui::{
    canvas::Pen,
    styles::{Role, Styles},
};

/// Its keys where it narrows a list.
pub(crate) const LIST_KEYS: [(&str, &str); 3] =
    [("↑↓", "choose"), ("Enter", "select"), ("Esc", "all")];

/// Its keys where it finds places in a text.
pub(crate) const TEXT_KEYS: [(&str, &str); 3] =
    [("Enter", "next"), ("↑", "before"), ("Esc", "done")];

/// Draws it into the first row of an area; answers the rest.
pub(crate) fn draw_find_line(
    buffer: &mut Buffer,
    area: Rect,
    find: &mut TextInput,
    styles: &Styles,
    is_typing: bool,
) -> Rect {
    Pen::new(buffer, area, 0).put_text("/", styles[Role::Key]);
    let width = area.width.saturating_sub(1);
    let field = Rect { x: area.x + 1, width, height: 1, ..area };
    let cursor = is_typing.then(|| styles[Role::Cursor]);
    let role = if is_typing { Role::FieldFocus } else { Role::Text };
    find.draw(buffer, field, styles[role], cursor);
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}
