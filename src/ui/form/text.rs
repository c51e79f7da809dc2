//! One line of text; a secret is masked.

use unicode_segmentation::UnicodeSegmentation;

use super::cell::{ANYWHERE, Answer, Ask, Cell, Click, Editor, Hit, Look, Paper, Widget, one_line};
use crate::{
    app::input::{Code, Input},
    schema::{
        fields::Presence,
        kind::{Kind, TextKind},
    },
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub struct Text;

impl Widget for Text {
    fn show(&self, cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        let text = cell.text();
        if text.is_empty() {
            let ghost = paper.style(Role::Ghost);
            paper.line(0, &cell.ghost(), ghost, "");
        } else {
            let plain = paper.style(Role::Text);
            let plain = ratatui::style::Style { bg: None, ..plain };
            let shown = if is_secret(cell) { masked(&text) } else { one_line(&text) };
            paper.line(0, &shown, plain, "");
        }
        vec![paper.whole(0, ANYWHERE)]
    }

    fn edit(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Line { input: TextInput::new(cell.text()) })
    }
}

fn is_secret(cell: &Cell<'_>) -> bool {
    cell.field.kind == Kind::Text(TextKind::Secret)
}

/// As many dots as letters, but never more than tell anything.
fn masked(text: &str) -> String {
    "•".repeat(text.graphemes(true).count().min(24))
}

struct Line {
    input: TextInput,
}

impl Line {
    fn changed(&self, cell: &Cell<'_>, before: &str, key: Option<Code>) -> Answer {
        let text = self.input.text();
        if text != before {
            return cell.set(text);
        }
        // One more Backspace on an empty text takes the text itself away.
        let removes = matches!(key, Some(Code::Backspace | Code::Delete)) && text.is_empty();
        if removes { cell.unset() } else { Answer::Handled }
    }
}

impl Editor for Line {
    fn draw(&mut self, cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        let ground = paper.ground(0);
        let active = paper.look == Look::Active;
        let cursor = active.then(|| paper.style(Role::Cursor));
        if self.input.text().is_empty() {
            let ghost = ground.patch(paper.style(Role::Ghost));
            let mut pen = paper.pen(0);
            if let Some(cursor) = cursor {
                pen.put(" ", cursor);
            }
            pen.put(&cell.ghost(), ghost);
        } else if is_secret(cell) {
            let before = self.input.text()[..self.input.cursor()].graphemes(true).count();
            let mut mask = TextInput::new("•".repeat(before));
            let after = self.input.text().graphemes(true).count() - before;
            mask.insert(&"•".repeat(after));
            for _ in 0..after {
                mask.key(crate::app::input::Key::plain(Code::Left));
            }
            mask.draw(paper.buffer, paper.area, ground, cursor);
        } else {
            self.input.draw(paper.buffer, paper.area, ground, cursor);
        }
        vec![paper.whole(0, ANYWHERE)]
    }

    fn typing(&self) -> bool {
        true
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) if key.is(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key) if self.input.key(*key) => self.changed(cell, &before, Some(key.code)),
            Input::Paste(text) => {
                self.input.insert(text);
                self.changed(cell, &before, None)
            }
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, _cell: &Cell<'_>, click: Click) -> Answer {
        if let Click::At { column, .. } = click {
            self.input.click(usize::from(column));
        }
        Answer::Handled
    }

    fn sync(&mut self, cell: &Cell<'_>) {
        let gone = cell.field.presence == Presence::Unset && cell.draft.is_none();
        if self.input.text() != cell.text() || gone {
            self.input = TextInput::new(cell.text());
        }
    }
}
