//! Whether the schema that a value is allows null: a tick, whatever the schema spells it with.

use super::{
    cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Widget},
    read_only,
};
use crate::{
    app::input::{Code, Input},
    schema::kind::Kind,
    ui::styles::Role,
};

pub(crate) struct OrNull;

fn is_on(cell: &Cell<'_>) -> bool {
    cell.field.kind == Kind::OrNull { on: true }
}

impl Widget for OrNull {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let (mark, words, role) = match is_on(cell) {
            true => ("[x]", " null is allowed", Role::Text),
            false => ("[ ]", "", Role::Text),
        };
        let ground = context.fill_background(0);
        let mark_style = ground.patch(context.style(Role::Accent));
        let style = ratatui::style::Style { bg: ground.bg, ..context.style(role) };
        context.pen(0).put_text(mark, mark_style).put_text(words, style);
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Tick)
    }
}

struct Tick;

impl Tick {
    fn switch(cell: &Cell<'_>) -> Answer {
        match cell.field.node.read_only {
            true => Answer::Refused(read_only::WHY.into()),
            false => Answer::Ask(Ask::OrNull(!is_on(cell))),
        }
    }
}

impl Editor for Tick {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        OrNull.draw_unfocused(cell, context)
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) || key.is_plain(Code::Char(' ')) => {
                Self::switch(cell)
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, _click: Click) -> Answer {
        Self::switch(cell)
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        vec![("Space", "switch")]
    }
}
