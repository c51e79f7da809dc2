//! A value that cannot be another: a constant, or null. Enter sets it, or takes it away.

use serde_json::Value;

use super::cell::{Answer, Ask, Cell, Click, DrawContext, Editor, Hit, Widget, one_line};
use crate::{
    app::input::{Code, Input},
    schema::{fields::Presence, kind::Kind, phrase::plain},
    ui::styles::Role,
};

pub(crate) struct Constant;

fn fixed(cell: &Cell<'_>) -> Value {
    match &cell.field.kind {
        Kind::Const(value) => value.clone(),
        _ => Value::Null,
    }
}

impl Widget for Constant {
    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let fixed = fixed(cell);
        let (text, role) = match cell.value {
            Some(value) if *value == fixed => (one_line(&plain(value)), Role::Dim),
            Some(value) => (one_line(&plain(value)), Role::Error),
            None => (format!("{} · not set", one_line(&plain(&fixed))), Role::Ghost),
        };
        let style = context.style(role);
        if cell.selects {
            context.line(0, &text, style, "▾");
        } else {
            context.pen(0).put(&text, style);
        }
        vec![context.whole(0, Click::Open)]
    }

    fn edit(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Fixed)
    }
}

struct Fixed;

impl Fixed {
    fn turn(cell: &Cell<'_>) -> Answer {
        let fixed = fixed(cell);
        if cell.selects && cell.value == Some(&fixed) {
            return Answer::Ask(Ask::Switch);
        }
        match cell.value {
            Some(value) if *value == fixed && cell.field.required => Answer::Ask(Ask::Next),
            Some(value) if *value == fixed => cell.unset(),
            _ => cell.set(fixed),
        }
    }
}

impl Editor for Fixed {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        context.ground(0);
        Constant.show(cell, context)
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is(Code::Enter) || key.is(Code::Char(' ')) => Self::turn(cell),
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, cell: &Cell<'_>, _click: Click) -> Answer {
        let settled = cell.field.presence == Presence::Set && cell.field.required && !cell.selects;
        if settled { Answer::Handled } else { Self::turn(cell) }
    }
}
