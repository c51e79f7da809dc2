//! True or false; where it need not be there, unset as a third way, and null where that is allowed.

use serde_json::Value;

use super::cell::{Answer, Cell, Click, DrawContext, Editor, Hit, Widget};
use crate::{
    app::input::{Code, Input},
    schema::fields::{Presence, Role as Seat},
    ui::{canvas::text_width, styles::Role},
};

pub(crate) struct Toggle;

impl Widget for Toggle {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let default = cell
            .field
            .node
            .default
            .as_ref()
            .filter(|_| !cell.field.bad_default && cell.value.is_none());
        let (mark, words, role) = match (cell.value, default) {
            (Some(Value::Bool(true)), _) => ("[x]", "true".into(), Role::Text),
            (Some(Value::Bool(false)), _) => ("[ ]", "false".into(), Role::Text),
            (_, Some(Value::Bool(true))) => ("[x]", cell.placeholder_text(), Role::Ghost),
            (_, Some(Value::Bool(false))) => ("[ ]", cell.placeholder_text(), Role::Ghost),
            _ => ("[·]", cell.placeholder_text(), Role::Ghost),
        };
        let ground = context.fill_background(0);
        let mark_role = if role == Role::Text { Role::Accent } else { Role::Ghost };
        let (mark_style, style) = (ground.patch(context.style(mark_role)), context.style(role));
        let style = ratatui::style::Style { bg: ground.bg, ..style };
        context.pen(0).put_text(mark, mark_style).put_text(" ", ground).put_text(&words, style);
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Switch)
    }
}

/// What it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    False,
    Unset,
    True,
    Null,
}

/// The ways there are, from left to right.
fn available_ways(cell: &Cell<'_>) -> Vec<Way> {
    let field = cell.field;
    let may_go = matches!(field.role, Seat::Member) && !field.required && !field.pointer.is_root();
    let mut ways = vec![Way::False];
    if may_go || field.presence == Presence::Unset {
        ways.push(Way::Unset);
    }
    ways.push(Way::True);
    if cell.takes_null() {
        ways.push(Way::Null);
    }
    ways
}

fn current_way(cell: &Cell<'_>) -> Way {
    match cell.value {
        Some(Value::Bool(true)) => Way::True,
        Some(Value::Bool(false)) => Way::False,
        Some(_) => Way::Null,
        None => Way::Unset,
    }
}

fn choose_way(cell: &Cell<'_>, way: Way) -> Answer {
    match way {
        _ if way == current_way(cell) => Answer::Handled,
        Way::False => cell.set_value(false),
        Way::True => cell.set_value(true),
        Way::Null => cell.set_value(Value::Null),
        Way::Unset => cell.unset_value(),
    }
}

struct Switch;

impl Switch {
    /// Unset → the other than the default → the default → null where it may be → unset again, where
    /// it need not be there.
    fn cycle_value(cell: &Cell<'_>) -> Answer {
        let first = if matches!(cell.field.node.default, Some(Value::Bool(true))) {
            Way::False
        } else {
            Way::True
        };
        let second = if first == Way::True { Way::False } else { Way::True };
        let ways = available_ways(cell);
        let round: Vec<Way> = [first, second, Way::Null, Way::Unset]
            .into_iter()
            .filter(|way| ways.contains(way))
            .collect();
        let at = round.iter().position(|way| *way == current_way(cell)).unwrap_or(round.len() - 1);
        let next = round[(at + 1) % round.len()];
        // What has to be there is not taken away by turning.
        choose_way(cell, if next == Way::Unset && cell.field.required { first } else { next })
    }

    fn shift_way(cell: &Cell<'_>, by: isize) -> Answer {
        let ways = available_ways(cell);
        let at = ways.iter().position(|way| *way == current_way(cell)).unwrap_or(0);
        let to = at.saturating_add_signed(by).min(ways.len() - 1);
        choose_way(cell, ways[to])
    }
}

impl Editor for Switch {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let ways = available_ways(cell);
        let default = cell
            .field
            .node
            .default
            .as_ref()
            .filter(|default| default.is_boolean() && !cell.field.bad_default);
        let words = |way: &Way| match way {
            Way::False => "false".to_owned(),
            Way::True => "true".to_owned(),
            Way::Null => "null".to_owned(),
            Way::Unset => {
                default.map_or("unset".to_owned(), |default| format!("unset, {default} by default"))
            }
        };
        let all: usize = ways.iter().map(|way| text_width(&words(way)) + 6).sum();
        if all > usize::from(context.area.width) + 2 {
            return Toggle.draw_unfocused(cell, context);
        }
        let ground = context.fill_background(0);
        let (accent, dim) =
            (ground.patch(context.style(Role::Accent)), ground.patch(context.style(Role::Dim)));
        let mut hits = Vec::new();
        let mut column = 0;
        let here = current_way(cell);
        let area = context.area;
        for way in &ways {
            let is_here = *way == here;
            let text = format!("{} {}", if is_here { "(•)" } else { "( )" }, words(way));
            context
                .pen(0)
                .move_to(area, column)
                .put_text(&text, if is_here { accent } else { dim });
            let end = column + u16::try_from(text_width(&text)).unwrap_or(0);
            hits.push(Hit { line: 0, columns: column..end, click: Click::Pick(*way as usize) });
            column = end + 2;
        }
        hits.push(context.line_hit(0, Click::Open));
        hits
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) || key.is_plain(Code::Char(' ')) => {
                Self::cycle_value(cell)
            }
            Input::Key(key) if key.is_plain(Code::Right) => Self::shift_way(cell, 1),
            Input::Key(key) if key.is_plain(Code::Left) => Self::shift_way(cell, -1),
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Pick(number) => {
                let way = [Way::False, Way::Unset, Way::True, Way::Null].get(number).copied();
                way.map_or(Answer::Handled, |way| choose_way(cell, way))
            }
            _ => Self::cycle_value(cell),
        }
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        vec![("Space", "turn"), ("←→", "choose")]
    }
}
