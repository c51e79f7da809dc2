//! A number: typed as it is to be written, or stepped.

use std::cmp::Ordering;

use super::{
    cell::{ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget},
    clip::{clip_answer, requested_clip},
};
use crate::{
    app::input::{Code, Input},
    engine::template,
    schema::{
        decimal,
        fields::{Part, Presence, Role as Seat},
        kind::Kind,
        literal::Literal,
        messages,
        node::Bound,
        parse,
    },
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct NumberField;

const STEPS: &str = "− +";

impl Widget for NumberField {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let text = cell.value_text();
        let (shown, role) = if text.is_empty() {
            (cell.placeholder_text(), cell.placeholder_role())
        } else {
            (text, Role::SyntaxNumber)
        };
        let style = context.style(role);
        context.draw_line(0, &shown, style, "");
        vec![context.line_hit(0, ANYWHERE)]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(NumberLine { input: cell.text_input() })
    }
}

struct NumberLine {
    input: TextInput,
}

impl NumberLine {
    fn apply_typed(&self, cell: &Cell<'_>) -> Answer {
        let text = self.input.text().trim();
        if text.is_empty() {
            // What the user put there stays while another number is typed.
            let words = if is_declared(cell) { "" } else { "a number is expected here" };
            return Answer::Draft { text: String::new(), words: words.into() };
        }
        // It is filled in with a number.
        if cell.fills_in && template::is_filled_in(text) {
            return cell.set_value(text);
        }
        let whole = cell.field.kind == Kind::Number { whole: true };
        match parse::parse_number(text, whole) {
            Ok(literal) => cell.set_value(literal),
            Err(words) => Answer::Draft { text: self.input.text().to_owned(), words: words.into() },
        }
    }

    fn step_value(&mut self, cell: &Cell<'_>, by: i8) -> Answer {
        let Some(next) = stepped_number(cell, by) else {
            let words = messages::describe_bounds(&cell.field.node)
                .unwrap_or_else(|| "no next number can be written exactly".into());
            return Answer::Refused(format!("that's the limit: {words}"));
        };
        match Literal::parse(&next) {
            Ok(literal) => {
                self.input = TextInput::new(next);
                cell.set_value(literal)
            }
            Err(_) => Answer::Handled,
        }
    }
}

/// Whether the number may be left out.
fn is_declared(cell: &Cell<'_>) -> bool {
    cell.field.role == Seat::Member && cell.field.part == Part::Whole
}

/// The number one step further as it is to be written, within its bounds; `None` where there is
/// none, or a step would lose digits.
fn stepped_number(cell: &Cell<'_>, by: i8) -> Option<String> {
    let node = &cell.field.node;
    let rules = &node.number;
    let default = node
        .default
        .as_ref()
        .filter(|_| cell.value.is_none())
        .and_then(serde_json::Value::as_number);
    let present = match cell.value_text() {
        text if text.is_empty() => default.map_or_else(|| "0".to_owned(), ToString::to_string),
        text => text,
    };
    let step = rules.multiple_of.as_ref().map_or_else(|| "1".to_owned(), ToString::to_string);
    let next = match (present.parse::<i128>(), step.parse::<i128>()) {
        (Ok(present), Ok(step)) if step > 0 => {
            whole_step(present, step, i128::from(by), rules.multiple_of.is_some())?.to_string()
        }
        _ => fraction_step(&present, &step, by, rules.multiple_of.is_some())?,
    };
    let value: serde_json::Number = serde_json::from_str(&next).ok()?;
    let inside = |bound: &Bound, side: Ordering| match decimal::compare(&value, &bound.at) {
        Some(Ordering::Equal) => !bound.exclusive,
        other => other == Some(side),
    };
    // From outside its bounds a number may step towards them.
    let may = if by > 0 {
        rules.max.as_ref().is_none_or(|max| inside(max, Ordering::Less))
    } else {
        rules.min.as_ref().is_none_or(|min| inside(min, Ordering::Greater))
    };
    may.then_some(next)
}

/// To the next multiple where there are multiples.
fn whole_step(present: i128, step: i128, by: i128, multiples: bool) -> Option<i128> {
    let rest = present.rem_euclid(step);
    if !multiples || rest == 0 {
        return present.checked_add(step.checked_mul(by)?);
    }
    let below = present - rest;
    if by > 0 { below.checked_add(step) } else { Some(below) }
}

fn fraction_step(present: &str, step: &str, by: i8, multiples: bool) -> Option<String> {
    let digits = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
    let places = digits(present).max(digits(step));
    if present.contains(['e', 'E']) || present.trim_start_matches('-').len() > 15 {
        return None;
    }
    let (number, step): (f64, f64) = (present.parse().ok()?, step.parse().ok()?);
    // Steps are counted, so that 0.1 three times is 0.3.
    let next = if multiples {
        ((number / step).round() + f64::from(by)) * step
    } else {
        number + f64::from(by)
    };
    Some(format!("{next:.places$}"))
}

impl Editor for NumberLine {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let ground = context.fill_background(0);
        let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
        let steps = u16::try_from(STEPS.chars().count()).unwrap_or(0);
        let edge = context.area.width.saturating_sub(steps);
        let line = ratatui::layout::Rect { width: edge.saturating_sub(1), ..context.area };
        if self.input.text().is_empty() {
            let ghost = ground.patch(context.style(Role::Ghost));
            let mut pen = context.pen(0);
            if let Some(cursor) = cursor {
                pen.put_text(" ", cursor);
            }
            pen.put_text(&cell.placeholder_text(), ghost);
        } else {
            self.input.draw(
                context.buffer,
                line,
                ground.patch(context.styles[Role::SyntaxNumber]),
                cursor,
            );
        }
        let (area, key) = (context.area, ground.patch(context.style(Role::Key)));
        context.pen(0).move_to(area, edge).put_text(STEPS, key);
        vec![
            ClickArea { line: 0, columns: edge..edge + 1, click: Click::Step(-1) },
            ClickArea { line: 0, columns: edge + 2..edge + 3, click: Click::Step(1) },
            ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn text_at_cursor(&self) -> Option<(&str, &str)> {
        Some(self.input.text().split_at(self.input.cursor()))
    }

    fn lets_route(&self) -> bool {
        true
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if let Some(clip) = requested_clip(input) {
            return clip_answer(clip, self.input.take_clip(clip), || self.apply_typed(cell));
        }
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key) if key.mods.ctrl && key.code == Code::Up => self.step_value(cell, 1),
            Input::Key(key) if key.mods.ctrl && key.code == Code::Down => self.step_value(cell, -1),
            Input::Key(key) if self.input.handle_key(*key) => {
                let removes = matches!(key.code, Code::Backspace | Code::Delete)
                    && self.input.text().is_empty();
                // A number that was offered is the user's when it is typed.
                let is_chosen = cell.fresh && key.typed_char().is_some();
                match self.input.text() == before {
                    true if removes && is_declared(cell) => cell.unset_value(),
                    true if !removes && !is_chosen => Answer::Handled,
                    _ => self.apply_typed(cell),
                }
            }
            Input::Paste(text) => {
                self.input.insert(text.trim());
                self.apply_typed(cell)
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Step(by) => return self.step_value(cell, by),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        vec![("Enter", "accept"), ("Ctrl+↑↓", "step")]
    }

    // A number that is cleared keeps its place in the file while another one is typed.
    fn on_leave(&mut self, cell: &Cell<'_>) -> Answer {
        if cell.draft == Some("") && is_declared(cell) {
            cell.unset_value()
        } else {
            Answer::Handled
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        let same = match parse::parse_number(self.input.text(), false) {
            Ok(typed) => cell.value == Some(typed.value()) && cell.draft.is_none(),
            Err(_) => {
                let text = cell.value.and_then(serde_json::Value::as_str);
                cell.draft.or(text) == Some(self.input.text())
            }
        };
        if !same || cell.field.presence == Presence::Unset && cell.draft.is_none() {
            self.input = TextInput::new(cell.value_text());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_keep_every_digit() {
        assert_eq!(
            whole_step(123_456_789_012_345_678_901, 1, 1, false),
            Some(123_456_789_012_345_678_902)
        );
        assert_eq!(whole_step(7, 5, 1, true), Some(10));
        assert_eq!(whole_step(-7, 5, -1, true), Some(-10));
        assert_eq!(fraction_step("0.20", "0.1", 1, true).as_deref(), Some("0.30"));
        assert_eq!(fraction_step("1.5", "1", -1, false).as_deref(), Some("0.5"));
        assert_eq!(fraction_step("1e3", "1", 1, false), None);
    }
}
