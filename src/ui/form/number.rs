//! A number: typed as it is to be written, or stepped.

use serde_json::Number;

use super::cell::{ANYWHERE, Answer, Ask, Cell, Click, Editor, Hit, Look, Paper, Widget};
use crate::{
    app::input::{Code, Input},
    schema::{fields::Presence, kind::Kind, literal::Literal, parse},
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub struct NumberField;

const STEPS: &str = "− +";

impl Widget for NumberField {
    fn show(&self, cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        let text = cell.text();
        let (shown, role) = if text.is_empty() { (cell.ghost(), Role::Ghost) } else { (text, Role::SyntaxNumber) };
        let style = paper.style(role);
        paper.line(0, &shown, style, "");
        vec![paper.whole(0, ANYWHERE)]
    }

    fn edit(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(NumberLine { input: TextInput::new(cell.text()) })
    }
}

struct NumberLine {
    input: TextInput,
}

impl NumberLine {
    fn typed(&self, cell: &Cell<'_>) -> Answer {
        let text = self.input.text().trim();
        if text.is_empty() {
            return cell.unset();
        }
        let whole = cell.field.kind == Kind::Number { whole: true };
        match parse::number(text, whole) {
            Ok(literal) => cell.set(literal),
            Err(words) => Answer::Draft { text: self.input.text().to_owned(), words: words.into() },
        }
    }

    fn step(&mut self, cell: &Cell<'_>, by: i8) -> Answer {
        let Some(next) = stepped(cell, by) else { return Answer::Handled };
        self.input = TextInput::new(next.to_string());
        cell.set(Literal::from(serde_json::Value::Number(next)))
    }
}

/// The number one step further, within its bounds; `None` where a step would lose digits.
fn stepped(cell: &Cell<'_>, by: i8) -> Option<Number> {
    let node = &cell.field.node;
    let present = cell.value.or(node.default.as_ref()).and_then(serde_json::Value::as_number);
    let rules = &node.number;
    let step = rules.multiple_of.clone().unwrap_or_else(|| Number::from(1));
    let present = present.cloned().unwrap_or_else(|| Number::from(0));
    let next = match (present.as_i64(), step.as_i64()) {
        (Some(present), Some(step)) => Number::from(present.checked_add(step.checked_mul(i64::from(by))?)?),
        _ => {
            let (present, step) = (present.as_f64()?, step.as_f64()?);
            // Steps are counted, so that 0.1 three times is 0.3.
            let count = (present / step).round() + f64::from(by);
            let digits = step.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
            let next = if rules.multiple_of.is_some() { count * step } else { present + f64::from(by) };
            let digits = digits.max(present.to_string().split_once('.').map_or(0, |(_, digits)| digits.len()));
            Number::from_f64(format!("{next:.digits$}").parse().ok()?)?
        }
    };
    let value = next.as_f64()?;
    let above =
        rules.min.as_ref().is_none_or(|min| min.at.as_f64().is_some_and(|at| value > at || (value == at && !min.exclusive)));
    let below =
        rules.max.as_ref().is_none_or(|max| max.at.as_f64().is_some_and(|at| value < at || (value == at && !max.exclusive)));
    // From outside its bounds a number may step towards them.
    let inwards = if by > 0 { below } else { above };
    inwards.then_some(next)
}

impl Editor for NumberLine {
    fn draw(&mut self, cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        let ground = paper.ground(0);
        let cursor = (paper.look == Look::Active).then(|| paper.style(Role::Cursor));
        let steps = u16::try_from(STEPS.chars().count()).unwrap_or(0);
        let edge = paper.area.width.saturating_sub(steps);
        let line = ratatui::layout::Rect { width: edge.saturating_sub(1), ..paper.area };
        if self.input.text().is_empty() {
            let ghost = ground.patch(paper.style(Role::Ghost));
            let mut pen = paper.pen(0);
            if let Some(cursor) = cursor {
                pen.put(" ", cursor);
            }
            pen.put(&cell.ghost(), ghost);
        } else {
            self.input.draw(paper.buffer, line, ground.patch(paper.styles[Role::SyntaxNumber]), cursor);
        }
        let (area, key) = (paper.area, ground.patch(paper.style(Role::Key)));
        paper.pen(0).to(area, edge).put(STEPS, key);
        vec![
            Hit { line: 0, columns: edge..edge + 1, click: Click::Step(-1) },
            Hit { line: 0, columns: edge + 2..edge + 3, click: Click::Step(1) },
            Hit { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn typing(&self) -> bool {
        true
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) if key.is(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key) if key.mods.ctrl && key.code == Code::Up => self.step(cell, 1),
            Input::Key(key) if key.mods.ctrl && key.code == Code::Down => self.step(cell, -1),
            Input::Key(key) if self.input.key(*key) => {
                let removes = matches!(key.code, Code::Backspace | Code::Delete) && self.input.text().is_empty();
                if self.input.text() == before && !removes { Answer::Handled } else { self.typed(cell) }
            }
            Input::Paste(text) => {
                self.input.insert(text.trim());
                self.typed(cell)
            }
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Step(by) => return self.step(cell, by),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn sync(&mut self, cell: &Cell<'_>) {
        let same = match parse::number(self.input.text(), false) {
            Ok(typed) => cell.value == Some(typed.value()) && cell.draft.is_none(),
            Err(_) => cell.draft == Some(self.input.text()),
        };
        if !same || cell.field.presence == Presence::Unset && cell.draft.is_none() {
            self.input = TextInput::new(cell.text());
        }
    }
}
