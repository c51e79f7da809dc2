//! A list of short texts: `[read-only ×] [knowledge ×] + add`.

use std::sync::Arc;

use ratatui::style::Style;
use serde_json::Value;

use super::{
    cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget},
    chip_places::{ChipPosition, chip_positions, draw_chips},
    listing::{Listing, ShownOption},
    typed_list::{ends_text, split_texts, strip_quotes},
};
use crate::{
    app::input::{Code, Input, Key},
    schema::{fields::Presence, kind::Kind, node::Choices},
    syntax::edit::Edit,
    ui::{
        canvas::{text_width, truncate_text, visible_text},
        styles::Role,
        widgets::text_input::TextInput,
    },
};

pub(crate) struct Chips;

const ADD: &str = "+ add";
/// Cells that a text being typed has at least.
const TYPED: usize = 12;

fn text_items<'c>(cell: &Cell<'c>) -> Vec<&'c str> {
    cell.value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn field_choices(cell: &Cell<'_>) -> Option<Arc<Choices>> {
    match &cell.field.kind {
        Kind::Chips(choices) => choices.clone(),
        _ => None,
    }
}

impl Widget for Chips {
    fn line_count(&self, cell: &Cell<'_>, cells: u16) -> u16 {
        let after = if cell.field.presence == Presence::Set { text_width(ADD) } else { 0 };
        chip_positions(&text_items(cell), after, cells).last().map_or(1, |spot| spot.line + 1)
    }

    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let items = text_items(cell);
        let spots = chip_positions(&items, text_width(ADD), context.area.width);
        let mut hits = draw_chips(&spots, None, context);
        if let Some(last) = spots.last() {
            if let Some(draft) = cell.draft.filter(|draft| !draft.is_empty()) {
                let (area, key) = (context.area, context.style(Role::Key));
                let mut pen = context.pen(last.line);
                pen.move_to(area, last.column).put_text(&visible_text(draft), key);
            } else {
                hits.push(draw_add(cell, last, context.style(Role::Ghost), context));
            }
        }
        hits.extend((0..context.area.height).map(|line| context.line_hit(line, Click::Open)));
        hits
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(ChipLine {
            choices: field_choices(cell),
            input: TextInput::new(cell.draft.unwrap_or_default()),
            chosen: None,
            replaces: None,
            list: None,
            places: Vec::new(),
        })
    }
}

/// What adds a chip behind the others; where there is none, at the right edge.
fn draw_add(
    cell: &Cell<'_>,
    last: &ChipPosition,
    ghost: Style,
    context: &mut DrawContext<'_>,
) -> ClickArea {
    let (key, area) = (context.style(Role::Key), context.area);
    let (mut line, mut column) = (last.line, last.column);
    if text_items(cell).is_empty() {
        let is_set = cell.field.presence == Presence::Set;
        let text = if is_set { "empty".to_owned() } else { cell.placeholder_text() };
        let room = usize::from(area.width).saturating_sub(text_width(ADD) + 1);
        context.pen(0).put_text(&truncate_text(&visible_text(&text), room), ghost);
        (line, column) = (0, area.width.saturating_sub(5));
    }
    context.pen(line).move_to(area, column).put_text(ADD, key);
    ClickArea { line, columns: column..column + 5, click: Click::Add }
}

/// The items without the one that is being typed.
fn other_items<'i>(items: &[&'i str], typed: Option<usize>) -> Vec<&'i str> {
    items
        .iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != typed)
        .map(|(_, item)| *item)
        .collect()
}

struct ChipLine {
    choices: Option<Arc<Choices>>,
    input: TextInput,
    /// The chip that the arrows went to.
    chosen: Option<usize>,
    /// The chip that is being typed.
    replaces: Option<usize>,
    list: Option<Listing>,
    /// Where the chips were drawn: line and columns.
    places: Vec<(u16, std::ops::Range<u16>)>,
}

impl ChipLine {
    fn list_options(&self, cell: &Cell<'_>) -> Vec<ShownOption> {
        let items = other_items(&text_items(cell), self.replaces);
        let shown = |text: &str, help: &str| ShownOption {
            label: text.to_owned(),
            help: super::cell::one_line(help),
            present: items.contains(&text),
        };
        let choices = self.choices.iter().flat_map(|choices| &choices.options);
        let texts = choices.filter_map(|option| {
            let help = option.title.as_deref().or(option.help.as_deref()).unwrap_or_default();
            Some(shown(option.value.as_str()?, help))
        });
        let members = cell.members.into_iter().flatten();
        texts.chain(members.map(|(name, _)| shown(name, ""))).collect()
    }

    fn is_closed(&self) -> bool {
        self.choices.as_ref().is_some_and(|choices| !choices.open)
    }

    /// Opens, filters or closes the options by what is typed.
    fn update_suggestions(&mut self, cell: &Cell<'_>, wanted: bool) {
        let options = self.list_options(cell);
        if options.is_empty() || !wanted {
            self.list = None;
            return;
        }
        let list = self.list.get_or_insert_with(|| Listing::suggestions(&options));
        list.filter_options(&options, self.input.text());
        if list.chosen_option().is_none() && !self.is_closed() {
            self.list = None;
        }
    }

    /// The edit that puts a chip after the others.
    fn append(cell: &Cell<'_>, text: &str) -> Edit {
        let at = &cell.field.pointer;
        match cell.field.presence {
            Presence::Set => {
                Edit::Insert { at: at.item(text_items(cell).len()), item: text.into() }
            }
            _ => Edit::Set { at: at.clone(), to: Value::Array(vec![text.into()]).into() },
        }
    }

    /// What is typed is in the value at once, letter by letter; in a closed choice it filters.
    fn apply_typed(&mut self, cell: &Cell<'_>) -> Answer {
        let text = self.input.text().to_owned();
        self.update_suggestions(cell, !text.is_empty());
        match self.replaces {
            Some(index) if text.trim().is_empty() => {
                self.replaces = None;
                Answer::Change(vec![Edit::Remove { at: cell.field.pointer.item(index) }])
            }
            Some(index) => Answer::Change(vec![Edit::Set {
                at: cell.field.pointer.item(index),
                to: text.trim().into(),
            }]),
            None if self.is_closed() => Answer::Draft { text, words: String::new() },
            None if text.trim().is_empty() => Answer::Handled,
            None => {
                self.replaces = Some(text_items(cell).len());
                Answer::Change(vec![Self::append(cell, text.trim())])
            }
        }
    }

    /// Done with the text in a closed choice: the option of that name is in the list, else the
    /// one under the cursor. A text that is no option stays.
    fn finish_closed(&mut self, cell: &Cell<'_>, under: Option<usize>) -> Answer {
        let text = self.input.text().trim().to_owned();
        if text.is_empty() {
            return Answer::Draft { text, words: String::new() };
        }
        let options = self.list_options(cell);
        let named = options.iter().position(|option| option.label == text);
        match named.or(under).filter(|number| options.get(*number).is_some()) {
            Some(number) if text_items(cell).contains(&options[number].label.as_str()) => {
                self.input.clear();
                self.list = None;
                Answer::Draft { text: String::new(), words: String::new() }
            }
            Some(number) => self.toggle_option(cell, number),
            None => {
                self.list = None;
                Answer::Draft { words: format!("{text:?} is not one of the choices"), text }
            }
        }
    }

    /// A comma ends the text: not one within it, nor one that an option has there.
    fn ends_at_comma(&self, cell: &Cell<'_>) -> bool {
        let text = self.input.text();
        let with = format!("{text},");
        let goes_on = |option: &ShownOption| option.label.starts_with(&with);
        match self.is_closed() {
            true => !self.list_options(cell).iter().any(goes_on),
            false => ends_text(text),
        }
    }

    /// Done with the chip that is being typed.
    fn finish(&mut self, cell: &Cell<'_>) -> Answer {
        if self.is_closed() {
            return self.finish_closed(cell, None);
        }
        let text = strip_quotes(self.input.text().trim()).to_owned();
        self.input.clear();
        self.list = None;
        let Some(index) = self.replaces.take() else { return Answer::Handled };
        let at = cell.field.pointer.item(index);
        let items = text_items(cell);
        let is_there = cell.field.node.list.unique
            && other_items(&items, Some(index)).contains(&text.as_str());
        match items.get(index) {
            _ if is_there => Answer::Change(vec![Edit::Remove { at }]),
            Some(item) if *item == text => Answer::Handled,
            _ if text.is_empty() => Answer::Change(vec![Edit::Remove { at }]),
            _ => Answer::Change(vec![Edit::Set { at, to: text.into() }]),
        }
    }

    /// Takes the option in, or out again.
    fn toggle_option(&mut self, cell: &Cell<'_>, number: usize) -> Answer {
        let options = self.list_options(cell);
        let Some(option) = options.get(number) else { return Answer::Handled };
        let typed = self.replaces.take();
        let known = text_items(cell)
            .iter()
            .enumerate()
            .position(|(index, item)| *item == option.label && Some(index) != typed);
        self.input.clear();
        self.list = None;
        match (known, typed) {
            (Some(_), Some(typed)) => self.remove(cell, typed),
            (Some(known), None) => self.remove(cell, known),
            (None, Some(typed)) => Answer::Change(vec![Edit::Set {
                at: cell.field.pointer.item(typed),
                to: option.label.as_str().into(),
            }]),
            (None, None) => Answer::Change(vec![Self::append(cell, &option.label)]),
        }
    }

    /// The number of the item that a drawn chip shows.
    fn item_of(&self, chip: usize) -> usize {
        chip + usize::from(self.replaces.is_some_and(|typed| typed <= chip))
    }

    fn remove(&mut self, cell: &Cell<'_>, index: usize) -> Answer {
        self.replaces = self
            .replaces
            .filter(|typed| *typed != index)
            .map(|typed| typed - usize::from(index < typed));
        let left = text_items(cell).len().saturating_sub(1);
        self.chosen =
            self.chosen.filter(|_| left > 0).map(|chosen| chosen.min(left.saturating_sub(1)));
        Answer::Change(vec![Edit::Remove { at: cell.field.pointer.item(index) }])
    }

    fn move_chip(&mut self, cell: &Cell<'_>, from: usize, by: isize) -> Answer {
        let to = from.checked_add_signed(by).filter(|to| *to < text_items(cell).len());
        let Some(to) = to else { return Answer::Handled };
        self.chosen = Some(to);
        Answer::Change(vec![Edit::Move { at: cell.field.pointer.item(from), to }])
    }

    /// Keys while one of the chips is chosen.
    fn chip_key(&mut self, cell: &Cell<'_>, chosen: usize, key: Key) -> Answer {
        let items = text_items(cell);
        match key.code {
            Code::Left if key.mods.shift || key.mods.alt => self.move_chip(cell, chosen, -1),
            Code::Right if key.mods.shift || key.mods.alt => self.move_chip(cell, chosen, 1),
            Code::Left => {
                self.chosen = Some(chosen.saturating_sub(1));
                Answer::Handled
            }
            Code::Right | Code::End => {
                self.chosen =
                    (key.code == Code::Right && chosen + 1 < items.len()).then_some(chosen + 1);
                Answer::Handled
            }
            Code::Delete | Code::Backspace => self.remove(cell, chosen),
            Code::Enter => {
                self.edit_chip(cell, chosen);
                Answer::Handled
            }
            _ => Answer::Ignored,
        }
    }

    fn edit_chip(&mut self, cell: &Cell<'_>, index: usize) {
        if self.is_closed() {
            return;
        }
        if let Some(item) = text_items(cell).get(index) {
            self.input = TextInput::new(*item);
            self.replaces = Some(index);
            self.chosen = None;
        }
    }

    fn handle_enter(&mut self, cell: &Cell<'_>) -> Answer {
        let listed = self.list.as_ref().and_then(Listing::chosen_option);
        let typed = self.input.text().trim().to_owned();
        let options = self.list_options(cell);
        match listed.and_then(|number| Some((number, options.get(number)?))) {
            // The typed text is a chip of its own unless the list was asked for.
            Some((number, option))
                if self.is_closed()
                    || typed.is_empty()
                    || option.label == typed
                    || self.list_is_led() =>
            {
                self.toggle_option(cell, number)
            }
            _ if !typed.is_empty() => self.finish(cell),
            _ if self.list.is_none() && !options.is_empty() => {
                self.update_suggestions(cell, true);
                Answer::Handled
            }
            _ => Answer::Ask(Ask::Next),
        }
    }

    /// The cursor in the list was moved away from its first row.
    fn list_is_led(&self) -> bool {
        self.list.as_ref().is_some_and(Listing::is_led)
    }
}

impl Editor for ChipLine {
    fn line_count(&self, cell: &Cell<'_>, cells: u16) -> u16 {
        let wide = text_width(self.input.text()).max(TYPED) + 1;
        let chips = chip_positions(&other_items(&text_items(cell), self.replaces), wide, cells)
            .last()
            .map_or(1, |spot| spot.line + 1);
        chips + self.list.as_ref().map_or(0, |list| list.line_count(cells))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let items = other_items(&text_items(cell), self.replaces);
        let wide = text_width(self.input.text()).max(TYPED) + 1;
        let spots = chip_positions(&items, wide, context.area.width);
        let mut hits = draw_chips(&spots, self.chosen, context);
        let chips = spots.iter().take(spots.len().saturating_sub(1));
        let place = |spot: &ChipPosition| {
            let first = spot.pieces().next();
            (spot.line, first.map_or(spot.column..spot.column, |(.., columns)| columns))
        };
        self.places = chips.map(place).collect();
        let mut below = 1;
        if let Some(last) = spots.last() {
            below = last.line + 1;
            let style = context.style(Role::FieldFocus);
            let cursor = (context.look == Look::Active && self.chosen.is_none())
                .then(|| context.style(Role::Cursor));
            let room = context.area.width.saturating_sub(last.column);
            let area = ratatui::layout::Rect {
                x: context.area.x + last.column,
                y: context.area.y + last.line,
                width: room.min(u16::try_from(wide.max(TYPED)).unwrap_or(room)),
                height: 1,
            };
            if area.y < context.area.bottom() {
                self.input.draw(context.buffer, area, style, cursor);
                let ghost = style.patch(context.style(Role::Ghost));
                if self.input.text().is_empty() && context.look != Look::Active {
                    hits.push(draw_add(cell, last, ghost, context));
                } else if self.input.text().is_empty() {
                    let words = match cell.field.presence {
                        Presence::Unset if items.is_empty() => cell.placeholder_text(),
                        _ => "add".into(),
                    };
                    let area = context.area;
                    context.pen(last.line).move_to(area, last.column + 1).put_text(&words, ghost);
                }
            }
            hits.push(ClickArea {
                line: last.line,
                columns: last.column..context.area.width,
                click: Click::Add,
            });
        }
        let options = self.list_options(cell);
        if let Some(list) = &mut self.list {
            hits.extend(list.draw(&options, context, below));
        }
        hits
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        self.list.is_some()
    }

    fn close(&mut self) {
        self.list = None;
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let key = match input {
            Input::Key(key) => *key,
            Input::Paste(text) => {
                let pieces: Vec<&str> = split_texts(text)
                    .into_iter()
                    .map(str::trim)
                    .filter(|piece| !piece.is_empty())
                    .collect();
                let are_options = || {
                    let options = self.list_options(cell);
                    let is_option = |piece: &&str| options.iter().any(|one| one.label == **piece);
                    pieces.iter().all(is_option)
                };
                if pieces.len() > 1 && (!self.is_closed() || are_options()) {
                    let mut all: Vec<Value> =
                        text_items(cell).into_iter().map(Value::from).collect();
                    all.extend(pieces.into_iter().map(strip_quotes).map(Value::from));
                    return cell.set_value(Value::Array(all));
                }
                self.input.insert(text.trim());
                return self.apply_typed(cell);
            }
            Input::Mouse(_) => return Answer::Ignored,
        };
        if let Some(chosen) = self.chosen {
            let answer = self.chip_key(cell, chosen, key);
            if answer != Answer::Ignored || key.typed_char().is_none() {
                return answer;
            }
            self.chosen = None;
        }
        if self.list.as_mut().is_some_and(|list| list.move_cursor(key)) {
            return Answer::Handled;
        }
        let empty = self.input.text().is_empty();
        let count = text_items(cell).len();
        match key.code {
            Code::Enter if key.is_plain(Code::Enter) => self.handle_enter(cell),
            Code::Char(',') if self.is_closed() && self.ends_at_comma(cell) => {
                let under = self.list.as_ref().and_then(Listing::chosen_option);
                self.finish_closed(cell, under)
            }
            Code::Char(',') if self.ends_at_comma(cell) => self.finish(cell),
            Code::Left | Code::Backspace if empty && count > 0 => {
                self.chosen = Some(count - 1);
                Answer::Handled
            }
            Code::Backspace | Code::Delete if empty && count == 0 => cell.unset_value(),
            _ => {
                let before = self.input.text().to_owned();
                match self.input.handle_key(key) {
                    false => Answer::Ignored,
                    true if self.input.text() == before => Answer::Handled,
                    true => self.apply_typed(cell),
                }
            }
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Remove(chip) => return self.remove(cell, self.item_of(chip)),
            Click::Item(chip) => {
                let item = self.item_of(chip);
                let answer = self.finish(cell);
                self.chosen = Some(item);
                return answer;
            }
            Click::Pick(number) => return self.toggle_option(cell, number),
            Click::Add => {
                self.chosen = None;
                self.update_suggestions(cell, self.list.is_none());
            }
            _ => {}
        }
        Answer::Handled
    }

    /// The chip in hand goes to the place of the one under the mouse.
    fn handle_drag(&mut self, cell: &Cell<'_>, line: i32, column: i32) -> Answer {
        let (Ok(line), Ok(column)) = (u16::try_from(line), u16::try_from(column)) else {
            return Answer::Handled;
        };
        let under =
            self.places.iter().position(|(at, columns)| *at == line && columns.contains(&column));
        match (self.chosen, under) {
            (Some(from), Some(to)) if from != to => {
                let by = isize::try_from(to).unwrap_or(0) - isize::try_from(from).unwrap_or(0);
                self.move_chip(cell, from, by)
            }
            _ => Answer::Handled,
        }
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match (&self.list, self.chosen) {
            (Some(_), _) => vec![("↑↓", "choose"), ("Enter", "select"), ("Esc", "close")],
            (None, Some(_)) => vec![("Enter", "edit"), ("Del", "remove"), ("Shift+←→", "move")],
            (None, None) if text_items(cell).is_empty() => vec![("Enter", "add")],
            (None, None) => vec![("Enter", "add"), ("←", "to the chips")],
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        self.choices = field_choices(cell);
        let items = text_items(cell);
        self.chosen =
            self.chosen.filter(|_| !items.is_empty()).map(|chosen| chosen.min(items.len() - 1));
        if self
            .replaces
            .is_some_and(|index| items.get(index).copied() != Some(self.input.text().trim()))
        {
            self.replaces = None;
            self.input.clear();
        }
        if self.list.is_some() {
            self.update_suggestions(cell, true);
        }
    }

    fn on_leave(&mut self, cell: &Cell<'_>) -> Answer {
        self.finish(cell)
    }
}
