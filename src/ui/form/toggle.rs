//! True or false; where it need not be there, unset as a third way, and null where that is allowed.

use serde_json::Value;

use super::cell::{Answer, Cell, Click, ClickArea, DrawContext, Editor, Widget};
use crate::{
    app::input::{Code, Input},
    schema::fields::{Presence, Role as Seat},
    ui::{canvas::text_width, styles::Role},
};

pub(crate) struct Toggle;

impl Widget for Toggle {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
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
enum SwitchState {
    False,
    Unset,
    True,
    Null,
}

/// The ways there are, from left to right.
fn allowed_switches(cell: &Cell<'_>) -> Vec<SwitchState> {
    let field = cell.field;
    let may_go = matches!(field.role, Seat::Member) && !field.required && !field.pointer.is_root();
    let mut states = vec![SwitchState::False];
    if may_go || field.presence == Presence::Unset {
        states.push(SwitchState::Unset);
    }
    states.push(SwitchState::True);
    if cell.takes_null() {
        states.push(SwitchState::Null);
    }
    states
}

fn current_switch(cell: &Cell<'_>) -> SwitchState {
    match cell.value {
        Some(Value::Bool(true)) => SwitchState::True,
        Some(Value::Bool(false)) => SwitchState::False,
        Some(_) => SwitchState::Null,
        None => SwitchState::Unset,
    }
}

fn set_switch(cell: &Cell<'_>, to: SwitchState) -> Answer {
    match to {
        _ if to == current_switch(cell) => Answer::Handled,
        SwitchState::False => cell.set_value(false),
        SwitchState::True => cell.set_value(true),
        SwitchState::Null => cell.set_value(Value::Null),
        SwitchState::Unset => cell.unset_value(),
    }
}

struct Switch;

impl Switch {
    /// Unset → the other than the default → the default → null where it may be → unset again, where
    /// it need not be there.
    fn cycle_value(cell: &Cell<'_>) -> Answer {
        let first = if matches!(cell.field.node.default, Some(Value::Bool(true))) {
            SwitchState::False
        } else {
            SwitchState::True
        };
        let second =
            if first == SwitchState::True { SwitchState::False } else { SwitchState::True };
        let states = allowed_switches(cell);
        let round: Vec<SwitchState> = [first, second, SwitchState::Null, SwitchState::Unset]
            .into_iter()
            .filter(|to| states.contains(to))
            .collect();
        let at = round.iter().position(|to| *to == current_switch(cell)).unwrap_or(round.len() - 1);
        let next = round[(at + 1) % round.len()];
        // What has to be there is not taken away by turning.
        set_switch(
            cell,
            if next == SwitchState::Unset && cell.field.required { first } else { next },
        )
    }

    fn shift_switch(cell: &Cell<'_>, by: isize) -> Answer {
        let states = allowed_switches(cell);
        let at = states.iter().position(|to| *to == current_switch(cell)).unwrap_or(0);
        let to = at.saturating_add_signed(by).min(states.len() - 1);
        set_switch(cell, states[to])
    }
}

impl Editor for Switch {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let states = allowed_switches(cell);
        let default = cell
            .field
            .node
            .default
            .as_ref()
            .filter(|default| default.is_boolean() && !cell.field.bad_default);
        let words = |to: &SwitchState| match to {
            SwitchState::False => "false".to_owned(),
            SwitchState::True => "true".to_owned(),
            SwitchState::Null => "null".to_owned(),
            SwitchState::Unset => {
                default.map_or("unset".to_owned(), |default| format!("unset, {default} by default"))
            }
        };
        let all: usize = states.iter().map(|to| text_width(&words(to)) + 6).sum();
        if all > usize::from(context.area.width) + 2 {
            return Toggle.draw_unfocused(cell, context);
        }
        let ground = context.fill_background(0);
        let (accent, dim) =
            (ground.patch(context.style(Role::Accent)), ground.patch(context.style(Role::Dim)));
        let mut hits = Vec::new();
        let mut column = 0;
        let here = current_switch(cell);
        let area = context.area;
        for to in &states {
            let is_here = *to == here;
            let text = format!("{} {}", if is_here { "(•)" } else { "( )" }, words(to));
            context
                .pen(0)
                .move_to(area, column)
                .put_text(&text, if is_here { accent } else { dim });
            let end = column + u16::try_from(text_width(&text)).unwrap_or(0);
            hits.push(ClickArea {
                line: 0,
                columns: column..end,
                click: Click::Pick(*to as usize),
            });
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
            Input::Key(key) if key.is_plain(Code::Right) => Self::shift_switch(cell, 1),
            Input::Key(key) if key.is_plain(Code::Left) => Self::shift_switch(cell, -1),
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Pick(number) => {
                let to =
                    [SwitchState::False, SwitchState::Unset, SwitchState::True, SwitchState::Null]
                        .get(number)
                        .copied();
                to.map_or(Answer::Handled, |to| set_switch(cell, to))
            }
            _ => Self::cycle_value(cell),
        }
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        vec![("Space", "switch"), ("←→", "choose")]
    }
}
