//! A value that the schema lets nobody change: shown, with the reason.

use super::cell::{Answer, Cell, Click, ClickArea, DrawContext, Editor, Widget, one_line};
use crate::{
    app::input::{Code, Input},
    schema::phrase::value_text,
    ui::styles::Role,
};

pub(crate) struct ReadOnly;

pub(super) const WHY: &str = "read-only in its schema: its owner sets it. Alt+J edits it anyway";

impl Widget for ReadOnly {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let is_secret = cell.field.node.write_only
            || cell.field.node.text.format.as_deref() == Some("password");
        let (text, role) = match (cell.written, cell.value) {
            (_, Some(_)) if is_secret => ("••••".into(), Role::Dim),
            (Some(written), _) => (written.to_owned(), Role::Dim),
            (_, Some(value)) if !value.is_null() && value.as_str() != Some("") => {
                (one_line(&value_text(value)), Role::Dim)
            }
            _ => (cell.placeholder_text(), Role::Ghost),
        };
        let (style, sign) = (context.style(role), context.style(Role::Info));
        let edge = context.area.width.saturating_sub(9);
        let room = usize::from(edge.saturating_sub(1));
        let shown = crate::ui::canvas::truncate_text(&crate::ui::canvas::visible_text(&text), room)
            .into_owned();
        let area = context.area;
        context.pen(0).put_text(&shown, style).move_to(area, edge).put_text("read-only", sign);
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Locked)
    }
}

struct Locked;

impl Editor for Locked {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        context.fill_background(0);
        ReadOnly.draw_unfocused(cell, context)
    }

    fn handle_input(&mut self, _cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) || key.is_plain(Code::Char(' ')) => {
                Answer::Refused(WHY.into())
            }
            Input::Paste(_) => Answer::Refused(WHY.into()),
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, _cell: &Cell<'_>, _click: Click) -> Answer {
        Answer::Refused(WHY.into())
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        vec![("Enter", "why")]
    }
}
