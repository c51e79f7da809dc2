//! The rows that are no value: adding an item or a member, and the items of a long list that are
//! not laid out.

use super::cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget};
use crate::{
    app::input::{Code, Input},
    schema::{
        kind::{AddedPart, Kind},
        messages,
        pointer::Pointer,
    },
    ui::{canvas::visible_text, styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct AddRow;

pub(crate) struct MoreRow;

/// What the row that adds says while items are typed one after another.
const NEXT_ITEM: &str = "the next item; Enter ends the list";

impl Widget for AddRow {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let words = match cell.field.kind {
            Kind::Add(AddedPart::Item) => format!("+ add item{}", nested_name(&cell.field.pointer)),
            _ => "+ add entry".to_owned(),
        };
        let key = context.style(Role::Key);
        context.pen(0).put_text(&visible_text(&words), key);
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        let name = (cell.field.kind == Kind::Add(AddedPart::Member)).then(TextInput::default);
        Box::new(Adder { name })
    }
}

/// Which list it is, of those in a list: ` to matrix › 1`.
fn nested_name(list: &Pointer) -> String {
    match (list.parent().as_ref().and_then(Pointer::last), list.last_index()) {
        (Some(name), Some(row)) => format!(" to {name} › {}", row + 1),
        _ => String::new(),
    }
}

/// What a name has to look like, where the schema says so.
fn name_words(cell: &Cell<'_>) -> String {
    let object = &cell.field.node.object;
    match object.patterns.is_empty() || !object.closed {
        true => "name of the new entry, then Enter; \"\" for an empty one".to_owned(),
        false => format!("{}, then Enter", messages::pattern_words(object)),
    }
}

struct Adder {
    /// The name of the member to be.
    name: Option<TextInput>,
}

impl Adder {
    fn add_child(&mut self) -> Answer {
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
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let ground = context.fill_background(0);
        let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
        match &mut self.name {
            Some(name) if !name.text().is_empty() => {
                name.draw(context.buffer, context.area, ground, cursor);
            }
            Some(_) => {
                let ghost = ground.patch(context.style(Role::Ghost));
                let words = name_words(cell);
                context
                    .pen(0)
                    .put_text(" ", cursor.unwrap_or(ground))
                    .put_text(&visible_text(&words), ghost);
            }
            None if cell.adding => {
                let ghost = ground.patch(context.style(Role::Ghost));
                context.pen(0).put_text(" ", cursor.unwrap_or(ground)).put_text(NEXT_ITEM, ghost);
            }
            None => drop(AddRow.draw_unfocused(cell, context)),
        }
        vec![context.line_hit(0, Click::Open)]
    }

    fn is_typing(&self) -> bool {
        self.name.is_some()
    }

    fn handle_input(&mut self, _cell: &Cell<'_>, input: &Input) -> Answer {
        match (input, &mut self.name) {
            (Input::Key(key), _) if key.is_plain(Code::Enter) => self.add_child(),
            (Input::Key(key), None) if key.is_plain(Code::Char(' ')) => self.add_child(),
            (Input::Key(key), Some(name)) => {
                if name.handle_key(*key) {
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

    fn handle_click(&mut self, _cell: &Cell<'_>, _click: Click) -> Answer {
        let empty = self.name.as_ref().is_some_and(|name| name.text().is_empty());
        if empty { Answer::Handled } else { self.add_child() }
    }

    fn on_leave(&mut self, _cell: &Cell<'_>) -> Answer {
        match &self.name {
            Some(name) if !name.text().is_empty() => self.add_child(),
            _ => Answer::Handled,
        }
    }
}

impl Widget for MoreRow {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let hidden = match cell.field.kind {
            Kind::More { hidden, .. } => hidden,
            _ => 0,
        };
        let key = context.style(Role::Key);
        context.pen(0).put_text(&format!("… {hidden} more"), key);
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(MoreMark)
    }
}

struct MoreMark;

impl Editor for MoreMark {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        context.fill_background(0);
        MoreRow.draw_unfocused(cell, context)
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) || key.is_plain(Code::Char(' ')) => {
                self.handle_click(cell, Click::Open)
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, _click: Click) -> Answer {
        match cell.field.kind {
            Kind::More { start, .. } => Answer::Ask(Ask::Window(start)),
            _ => Answer::Handled,
        }
    }
}
