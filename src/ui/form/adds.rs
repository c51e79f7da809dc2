//! The rows that are no value: adding an item or a member, and the items of a long list that are
//! not laid out.

use super::cell::{Answer, Ask, Cell, Click, DrawContext, Editor, Hit, Look, Widget};
use crate::{
    app::input::{Code, Input},
    schema::kind::{Adds, Kind},
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct AddRow;

pub(crate) struct MoreRow;

impl Widget for AddRow {
    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let words =
            if cell.field.kind == Kind::Add(Adds::Item) { "+ add item" } else { "+ add entry" };
        let key = context.style(Role::Key);
        context.pen(0).put(words, key);
        vec![context.whole(0, Click::Open)]
    }

    fn edit(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        let name = (cell.field.kind == Kind::Add(Adds::Member)).then(TextInput::default);
        Box::new(Adder { name })
    }
}

struct Adder {
    /// The name of the member to be.
    name: Option<TextInput>,
}

impl Adder {
    fn add(&mut self) -> Answer {
        match &mut self.name {
            None => Answer::Ask(Ask::AddItem),
            Some(name) if name.text().is_empty() => Answer::Ask(Ask::Next),
            Some(name) => {
                // Quotes alone are the name without a letter.
                let text =
                    if name.text() == "\"\"" { String::new() } else { name.text().to_owned() };
                name.clear();
                Answer::Ask(Ask::AddMember(text))
            }
        }
    }
}

impl Editor for Adder {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let ground = context.ground(0);
        let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
        match &mut self.name {
            Some(name) if !name.text().is_empty() => {
                name.draw(context.buffer, context.area, ground, cursor);
            }
            Some(_) => {
                let ghost = ground.patch(context.style(Role::Ghost));
                context
                    .pen(0)
                    .put(" ", cursor.unwrap_or(ground))
                    .put("name of the new entry, then Enter; \"\" for an empty one", ghost);
            }
            None => drop(AddRow.show(cell, context)),
        }
        vec![context.whole(0, Click::Open)]
    }

    fn typing(&self) -> bool {
        self.name.is_some()
    }

    fn input(&mut self, _cell: &Cell<'_>, input: &Input) -> Answer {
        match (input, &mut self.name) {
            (Input::Key(key), _) if key.is(Code::Enter) => self.add(),
            (Input::Key(key), None) if key.is(Code::Char(' ')) => self.add(),
            (Input::Key(key), Some(name)) => {
                if name.key(*key) {
                    Answer::Handled
                } else {
                    Answer::Ignored
                }
            }
            (Input::Paste(text), Some(name)) => {
                name.insert(text);
                Answer::Handled
            }
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, _cell: &Cell<'_>, _click: Click) -> Answer {
        let empty = self.name.as_ref().is_some_and(|name| name.text().is_empty());
        if empty { Answer::Handled } else { self.add() }
    }

    fn leave(&mut self, _cell: &Cell<'_>) -> Answer {
        match &self.name {
            Some(name) if !name.text().is_empty() => self.add(),
            _ => Answer::Handled,
        }
    }
}

impl Widget for MoreRow {
    fn show(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        let hidden = match cell.field.kind {
            Kind::More { hidden, .. } => hidden,
            _ => 0,
        };
        let key = context.style(Role::Key);
        context.pen(0).put(&format!("… {hidden} more"), key);
        vec![context.whole(0, Click::Open)]
    }

    fn edit(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(More)
    }
}

struct More;

impl Editor for More {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<Hit> {
        context.ground(0);
        MoreRow.show(cell, context)
    }

    fn input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is(Code::Enter) || key.is(Code::Char(' ')) => {
                self.click(cell, Click::Open)
            }
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, cell: &Cell<'_>, _click: Click) -> Answer {
        match cell.field.kind {
            Kind::More { start, .. } => Answer::Ask(Ask::Window(start)),
            _ => Answer::Handled,
        }
    }
}
