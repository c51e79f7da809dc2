//! Objects, lists and maps: a row that shows or hides what they hold.

use serde_json::Value;

use super::cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget};
use crate::{
    app::input::{Code, Input},
    schema::{
        count::count_text,
        fields::Presence,
        kind::{Column, Kind},
        messages,
        pointer::Pointer,
    },
    ui::{canvas::text_width, styles::Role},
};

pub(crate) struct Fold;

const ADD: &str = "+ add";
/// What the signs of a focused row, and of a focused list, take.
const ROW_SIGNS: u16 = 11;
const LIST_SIGNS: u16 = 6;

impl Widget for Fold {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let open = cell.field.fold_state() == Some(true);
        let mark = if open { "▾ " } else { "▸ " };
        let (text, role) = match cell.field.presence {
            Presence::Set => (members_text(cell), Role::Text),
            _ => (cell.placeholder_text(), Role::Ghost),
        };
        let addable = cell.field.takes_items() || matches!(cell.field.kind, Kind::Map { .. });
        if let Some(hits) = table_line(cell, context, open) {
            return hits;
        }
        let more = if open || cell.field.presence != Presence::Set {
            String::new()
        } else {
            summary(cell)
        };
        let (accent, style, dim) =
            (context.style(Role::Accent), context.style(role), context.style(Role::Dim));
        let style = ratatui::style::Style { bg: None, ..style };
        let area = context.area;
        let edge = area.width.saturating_sub(u16::try_from(text_width(ADD)).unwrap_or(0));
        let room = usize::from(if addable { edge.saturating_sub(1) } else { area.width });
        let counted = usize::from(area.width).saturating_sub(cell.count_room());
        let room = room.min(counted).saturating_sub(2);
        let text = crate::ui::canvas::truncate_text(&text, room).into_owned();
        let left = room.saturating_sub(text_width(&text) + 2);
        let mut pen = context.pen(0);
        pen.put_text(mark, accent).put_text(&text, style);
        if !more.is_empty() && left > 6 {
            let more = crate::ui::canvas::visible_text(&more).into_owned();
            pen.put_text("  ", dim).put_text(&crate::ui::canvas::truncate_text(&more, left), dim);
        }
        let mut hits = Vec::new();
        if addable {
            let key = context.style(Role::Key);
            context.pen(0).move_to(area, edge).put_text(ADD, key);
            hits.push(ClickArea { line: 0, columns: edge..area.width, click: Click::Add });
        }
        hits.push(context.line_hit(0, Click::Fold));
        hits
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Folder)
    }
}

/// The head of an open table, or one of its rows.
fn table_line(
    cell: &Cell<'_>,
    context: &mut DrawContext<'_>,
    open: bool,
) -> Option<Vec<ClickArea>> {
    let mark = if open { "▾ " } else { "▸ " };
    let (columns, is_row) = match (&cell.field.kind, cell.value) {
        (Kind::List { columns: Some(columns), open: true, .. }, Some(Value::Array(items)))
            if !items.is_empty() =>
        {
            (columns, false)
        }
        (Kind::Object { columns: Some(columns), .. }, Some(Value::Object(_))) => (columns, true),
        _ => return None,
    };
    let edge = context.area.width.saturating_sub(u16::try_from(text_width(ADD)).unwrap_or(0));
    let room = usize::from(if is_row { context.area.width } else { edge.saturating_sub(1) });
    // The signs of the focused row take their room beside the columns, so that these stand still.
    let signs = match (context.look, is_row) {
        (Look::Plain, _) => 0,
        (_, true) => ROW_SIGNS,
        (_, false) if cell.field.is_removable() => LIST_SIGNS,
        _ => 0,
    };
    let widths = column_widths(
        columns,
        usize::from((context.area.width + signs).saturating_sub(ROW_SIGNS + 2)),
    );
    let (accent, dim, text, ghost) = (
        context.style(Role::Accent),
        context.style(Role::Heading),
        context.style(Role::Text),
        context.style(Role::Ghost),
    );
    let text = ratatui::style::Style { bg: None, ..text };
    let mut hits = Vec::new();
    let mut left = room.saturating_sub(2);
    let mut pen = context.pen(0);
    pen.put_text(mark, accent);
    for (column, cells) in columns.iter().zip(widths) {
        if left < 3 {
            break;
        }
        let cells = cells.min(left);
        if is_row {
            let value = cell.value.and_then(|value| value.get(&*column.name));
            let place = cell.field.pointer.child(&*column.name);
            let shown = value
                .map_or_else(|| "·".to_owned(), |value| cell.inner.display_value(&place, value));
            pen.put_column(
                &shown,
                cells,
                if value.is_some_and(|value| !value.is_null()) { text } else { ghost },
            );
        } else {
            pen.put_column(&column.title, cells, dim);
        }
        pen.put_text("  ", ratatui::style::Style::default());
        left = left.saturating_sub(cells + 2);
    }
    if !is_row {
        let key = context.style(Role::Key);
        let area = context.area;
        context.pen(0).move_to(area, edge).put_text(ADD, key);
        hits.push(ClickArea { line: 0, columns: edge..area.width, click: Click::Add });
    }
    hits.push(context.line_hit(0, Click::Fold));
    Some(hits)
}

/// The widths of columns in so many cells: each what it needs, the widest giving way first.
fn column_widths(columns: &[Column], cells: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.cells).collect();
    let room = cells.saturating_sub(2 * widths.len().saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max_by_key(|width| **width) {
            Some(widest) if *widest > 4 => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn members_text(cell: &Cell<'_>) -> String {
    match (&cell.field.kind, cell.value) {
        (Kind::List { .. }, Some(Value::Array(items))) if items.is_empty() => "empty".into(),
        (Kind::List { .. }, Some(Value::Array(items))) => count_text(items.len(), "item", "items"),
        (_, Some(Value::Object(members))) if members.is_empty() => "empty".into(),
        (Kind::Map { .. }, Some(Value::Object(members))) => {
            count_text(members.len(), "entry", "entries")
        }
        (_, Some(Value::Object(members))) => {
            let object = &cell.field.node.object;
            let known = members.keys().filter(|name| object.property(name).is_some()).count();
            let set = format!("{known} of {} set", object.properties.len());
            match members.len() - known {
                0 => set,
                more if object.properties.is_empty() => count_text(more, "entry", "entries"),
                more => format!("{set}, {more} more"),
            }
        }
        _ => messages::describe_expected(&cell.field.node),
    }
}

/// What a folded value holds, in a few words: its first texts and numbers.
#[must_use]
pub(crate) fn summary(cell: &Cell<'_>) -> String {
    let said = |place: Pointer, value: &Value| match value {
        Value::String(text) if text.is_empty() => None,
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        scalar => Some(cell.inner.display_value(&place, scalar)),
    };
    let member =
        |at: &Pointer, (name, value): (&String, &Value)| said(at.child(name.as_str()), value);
    let here = &cell.field.pointer;
    let words: Vec<String> = match cell.value {
        Some(Value::Object(members)) => {
            members.iter().filter_map(|entry| member(here, entry)).take(3).collect()
        }
        Some(Value::Array(items)) => {
            let item = |(index, item): (usize, &Value)| match item {
                // An item that has a name is known by it, wherever the name is.
                Value::Object(members) => members
                    .get_key_value("name")
                    .into_iter()
                    .chain(members)
                    .find_map(|entry| member(&here.item(index), entry)),
                other => said(here.item(index), other),
            };
            items.iter().enumerate().filter_map(item).take(4).collect()
        }
        _ => Vec::new(),
    };
    words.join(" · ")
}

/// A list without items, to which one can be added: there is nothing to unfold.
pub(super) fn is_empty_list(cell: &Cell<'_>) -> bool {
    let field = cell.field;
    matches!(field.kind, Kind::List { len: 0, .. })
        && field.presence != Presence::Null
        && field.node.list.prefix.is_empty()
        && field.takes_items()
}

struct Folder;

impl Editor for Folder {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        context.fill_background(0);
        Fold.draw_unfocused(cell, context)
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let Input::Key(key) = input else { return Answer::Ignored };
        let open = cell.field.fold_state() == Some(true);
        match key.code {
            Code::Enter if key.is_plain(Code::Enter) && is_empty_list(cell) => {
                Answer::Ask(Ask::AddItem)
            }
            Code::Enter | Code::Char(' ') if key.is_plain(key.code) => Answer::Ask(Ask::Fold),
            Code::Right if !open => Answer::Ask(Ask::Fold),
            Code::Left if open => Answer::Ask(Ask::Fold),
            _ => Answer::Ignored,
        }
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        let open = ("←→", if cell.field.fold_state() == Some(true) { "close" } else { "open" });
        match is_empty_list(cell) {
            true => vec![("Enter", "add item"), open],
            false => vec![open],
        }
    }

    fn handle_click(&mut self, _cell: &Cell<'_>, click: Click) -> Answer {
        Answer::Ask(if click == Click::Add { Ask::AddItem } else { Ask::Fold })
    }
}
