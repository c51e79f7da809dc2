//! A value that cannot be another: a constant, or null. Enter sets it, or takes it away.

use serde_json::Value;

use super::cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Widget, one_line};
use crate::{
    app::input::{Code, Input},
    schema::{fields::Presence, kind::Kind, phrase::value_text},
    ui::styles::Role,
};

pub(crate) struct Constant;

fn const_value(cell: &Cell<'_>) -> Value {
    match &cell.field.kind {
        Kind::Const(value) => value.clone(),
        _ => Value::Null,
    }
}

impl Widget for Constant {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let fixed = const_value(cell);
        let (text, role) = match cell.value {
            Some(value) if *value == fixed => (one_line(&value_text(value)), Role::Dim),
            Some(value) => (one_line(&value_text(value)), Role::Error),
            None => (format!("not set; Enter: {}", one_line(&value_text(&fixed))), Role::Ghost),
        };
        let style = context.style(role);
        if cell.selects {
            context.draw_line(0, &text, style, "▾");
        } else {
            context.pen(0).put_text(&text, style);
        }
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Fixed)
    }
}

struct Fixed;

impl Fixed {
    fn toggle_constant(cell: &Cell<'_>) -> Answer {
        let fixed = const_value(cell);
        if cell.selects && cell.value == Some(&fixed) {
            return Answer::Ask(Ask::Switch);
        }
        match cell.value {
            Some(value) if *value == fixed && cell.field.required => Answer::Ask(Ask::Next),
            Some(value) if *value == fixed => cell.unset_value(),
            _ => cell.set_value(fixed),
        }
    }
}

impl Editor for Fixed {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        context.fill_background(0);
        Constant.draw_unfocused(cell, context)
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) || key.is_plain(Code::Char(' ')) => {
                Self::toggle_constant(cell)
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, _click: Click) -> Answer {
        let settled = cell.field.presence == Presence::Set && cell.field.required && !cell.selects;
        if settled { Answer::Handled } else { Self::toggle_constant(cell) }
    }
}
