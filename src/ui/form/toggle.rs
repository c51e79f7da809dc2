//! True or false; unset as a third way where nothing is required.

use serde_json::Value;

use super::cell::{Answer, Cell, Click, Editor, Hit, Paper, Widget};
use crate::{
    app::input::{Code, Input},
    ui::styles::Role,
};

pub struct Toggle;

impl Widget for Toggle {
    fn show(&self, cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        let (mark, words, role) = match (cell.value, &cell.field.node.default) {
            (Some(Value::Bool(true)), _) => ("[x]", "true".into(), Role::Text),
            (Some(Value::Bool(false)), _) => ("[ ]", "false".into(), Role::Text),
            (_, Some(Value::Bool(true))) if cell.value.is_none() => ("[x]", cell.ghost(), Role::Ghost),
            (_, Some(Value::Bool(false))) if cell.value.is_none() => ("[ ]", cell.ghost(), Role::Ghost),
            _ => ("[·]", cell.ghost(), Role::Ghost),
        };
        let ground = paper.ground(0);
        let mark_role = if role == Role::Text { Role::Accent } else { Role::Ghost };
        let (mark_style, style) = (ground.patch(paper.style(mark_role)), paper.style(role));
        let style = ratatui::style::Style { bg: ground.bg, ..style };
        paper.pen(0).put(mark, mark_style).put(" ", ground).put(&words, style);
        vec![paper.whole(0, Click::Open)]
    }

    fn edit(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Switch)
    }
}

struct Switch;

impl Switch {
    /// Unset → the other than the default → the default → unset again, where it need not be there.
    fn turn(cell: &Cell<'_>) -> Answer {
        let first = !matches!(cell.field.node.default, Some(Value::Bool(true)));
        match cell.value {
            Some(Value::Bool(now)) if *now == first => cell.set(!first),
            Some(Value::Bool(_)) if cell.field.required || !cell.field.is_removable() => cell.set(first),
            Some(Value::Bool(_)) if !matches!(cell.field.role, crate::schema::fields::Role::Member) => cell.set(first),
            Some(Value::Bool(_)) => cell.unset(),
            _ => cell.set(first),
        }
    }
}

impl Editor for Switch {
    fn draw(&mut self, cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        Toggle.show(cell, paper)
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is(Code::Enter) || key.is(Code::Char(' ')) => Self::turn(cell),
            Input::Key(key) if key.is(Code::Right) => cell.set(true),
            Input::Key(key) if key.is(Code::Left) => cell.set(false),
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, cell: &Cell<'_>, _click: Click) -> Answer {
        Self::turn(cell)
    }
}
