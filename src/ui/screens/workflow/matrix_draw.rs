//! The table on the screen: heads that stay, cells, and below them what switching would change.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    detail,
    facts::Facts,
    matrix::{Axis, ColumnOrder, Matrix, RowOrder, Typing},
    scene::Scene,
};
use crate::{
    app::compose::{
        cells::{self, Column, Tick},
        context::ComposeContext,
    },
    schema::count::count_text,
    ui::{
        canvas::{Pen, text_width, truncate_text},
        styles::{Role, Styles},
        widgets::{pane::Pane, text_input::TextInput},
    },
};

/// Names of columns take at most so many cells a line.
const WIDEST: usize = 13;

impl Matrix {
    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
        let Scene { styles, state, .. } = scene;
        self.sync_facts(facts, state);
        let title = match self.axis {
            Axis::Groups => {
                format!(
                    "Matrix · {} × {}",
                    count_text(self.rows.len(), "tool", "tools"),
                    count_text(self.columns.len(), "group", "groups")
                )
            }
            Axis::States => {
                let states =
                    self.columns.iter().filter(|column| **column != Column::AnyState).count();
                format!(
                    "Matrix · {} × {}",
                    count_text(self.rows.len(), "tool", "tools"),
                    count_text(states, "state", "states")
                )
            }
        };
        let note = format!(
            "rows {} · columns {}",
            order_of_rows(self.row_order),
            order_of_columns(self.column_order)
        );
        let title = match state.workflow.what_if {
            Some(_) => format!("What if · {title}"),
            None => title,
        };
        let inside = Pane { title: &title, note: &note, foot: self.legend(), focused: true }
            .draw(buffer, area, styles);
        let filters = self.typing.is_some()
            || !self.row_filter.text().is_empty()
            || !self.column_filter.text().is_empty();
        let line = Rect { height: u16::from(filters), ..inside };
        if filters {
            self.draw_filters(buffer, line, styles);
        }
        let foot_height = (inside.height / 3).clamp(3, 9);
        let table = Rect {
            y: inside.y + line.height,
            height: inside.height.saturating_sub(line.height + foot_height),
            ..inside
        };
        let foot = Rect {
            y: table.bottom(),
            height: foot_height.min(inside.height.saturating_sub(line.height)),
            ..inside
        };
        self.layout_table(table, state);
        self.draw_heads(buffer, styles);
        self.draw_rows(buffer, scene);
        self.draw_foot(buffer, foot, scene, facts);
    }

    fn legend(&self) -> &'static str {
        match self.axis {
            Axis::Groups => "● in the group  ○ names no group  · not in it",
            Axis::States => "● available  ○ in every state  · not available",
        }
    }

    /// Where heads and cells go, and which of them are seen.
    fn layout_table(&mut self, table: Rect, state: &crate::app::state::State) {
        let cells = |text: &str| u16::try_from(text_width(text)).unwrap_or(u16::MAX);
        let keys = self
            .rows
            .iter()
            .take(2_000)
            .filter_map(|id| state.catalog.tool(id))
            .map(|tool| cells(&tool.entry.key));
        let widest = keys.max().unwrap_or(0);
        let next = if self.axis == Axis::States { 14 } else { 0 };
        let names = (widest.max(8) + 2).min(table.width / 3).max(10) + next;
        let room = usize::from(table.width.saturating_sub(names));
        let widest_of = |width: fn(&str) -> usize| {
            self.columns.iter().map(|column| width(column.name())).max().unwrap_or(0)
        };
        let longest = widest_of(text_width);
        let whole = longest.clamp(5, WIDEST);
        let head_cells = match self.columns.len() * (whole + 1) <= room {
            true => whole,
            false => widest_of(broken_width).clamp(5, WIDEST),
        };
        self.column_width = u16::try_from(head_cells).unwrap_or(13) + 1;
        let head = (if longest > head_cells { 2 } else { 1 }).min(table.height);
        self.names = Rect {
            y: table.y + head,
            width: names.min(table.width),
            height: table.height - head,
            ..table
        };
        let x = self.names.right();
        self.cells = Rect { x, width: table.right().saturating_sub(x), ..self.names };
        self.heads = Rect { y: table.y, height: head, ..self.cells };
        let (tall, wide) = (usize::from(self.cells.height).max(1), self.columns_seen());
        self.top = self
            .top
            .min(self.rows.len().saturating_sub(tall))
            .clamp((self.cursor.0 + 1).saturating_sub(tall), self.cursor.0);
        self.left = self
            .left
            .min(self.columns.len().saturating_sub(wide))
            .clamp((self.cursor.1 + 1).saturating_sub(wide), self.cursor.1);
    }

    fn column_area(&self, column: usize, y: u16, height: u16) -> Rect {
        let x = self.cells.x
            + u16::try_from(column - self.left).unwrap_or(0).saturating_mul(self.column_width);
        Rect { x, y, width: self.column_width.min(self.cells.right().saturating_sub(x)), height }
    }

    fn visible_columns(&self) -> std::ops::Range<usize> {
        self.left..(self.left + self.columns_seen()).min(self.columns.len())
    }

    fn draw_heads(&self, buffer: &mut Buffer, styles: &Styles) {
        for column in self.visible_columns() {
            let place = self.column_area(column, self.heads.y, self.heads.height);
            let role = match (&self.columns[column], column == self.cursor.1) {
                (_, true) => Role::Accent,
                (Column::List(_), _) => Role::Info,
                (Column::State(_), _) => Role::State,
                _ => Role::Heading,
            };
            let cells = usize::from(self.column_width.saturating_sub(1));
            let parts = head_lines(self.columns[column].name(), place.height, cells);
            for (row, part) in (0..place.height).zip(parts) {
                let blanks = usize::from(place.width.saturating_sub(1))
                    .saturating_sub(text_width(&part))
                    / 2;
                Pen::new(buffer, place, row)
                    .skip(u16::try_from(blanks).unwrap_or(0))
                    .put_text(&part, styles[role]);
            }
        }
        let hidden = (self.left, self.columns.len().saturating_sub(self.visible_columns().end));
        let corner = Rect { x: self.names.x, y: self.heads.y, width: self.names.width, height: 1 };
        let words = match hidden {
            (0, 0) => String::new(),
            (0, right) => format!("{right} more ›"),
            (left, 0) => format!("‹ {left} more"),
            (left, right) => format!("‹ {left} · {right} ›"),
        };
        Pen::new(buffer, corner, 0)
            .put_text(
                if self.axis == Axis::States { " tool → leads to" } else { " tool" },
                styles[Role::Dim],
            )
            .put_right(&format!("{words} "), styles[Role::Dim]);
    }

    fn draw_rows(&self, buffer: &mut Buffer, scene: Scene<'_>) {
        let Scene { styles, state, .. } = scene;
        let settings = ComposeContext::from_state(state).settings_value();
        let (rows, columns) = self.selected_ranges();
        for (line, (row, id)) in
            (0..self.cells.height).zip(self.rows.iter().enumerate().skip(self.top))
        {
            let Some(tool) = state.catalog.tool(id) else { continue };
            let tool = match &state.workflow.what_if {
                Some(what_if) => Cow::Owned(what_if.tried_tool(tool)),
                None => Cow::Borrowed(tool),
            };
            let at_cursor = row == self.cursor.0;
            let mut pen = Pen::new(buffer, self.names, line);
            let style = styles[if at_cursor { Role::Accent } else { Role::Text }];
            let next = if self.axis == Axis::States { 14 } else { 0 };
            let key_cells = usize::from(self.names.width).saturating_sub(next + 2);
            pen.put_text(if at_cursor { "▌" } else { " " }, style)
                .put_column(&tool.entry.key, key_cells, style)
                .skip(1);
            if self.axis == Axis::States {
                let words = tool
                    .gate
                    .next
                    .as_ref()
                    .map_or_else(|| "stays".to_owned(), |next| format!("→ {next}"));
                pen.put_column(
                    &words,
                    13,
                    styles[if tool.gate.next.is_some() { Role::Transition } else { Role::Ghost }],
                );
            }
            for column in self.visible_columns() {
                let tick = cells::cell_tick(&tool, &self.columns[column], settings);
                let (sign, role) = match tick {
                    Tick::On => ("●", Role::Available),
                    Tick::Implied | Tick::Unrestricted => ("○", Role::Available),
                    Tick::Off => ("·", Role::Ghost),
                };
                let chosen = rows.contains(&row) && columns.contains(&column);
                let style = match (chosen, (row, column) == self.cursor) {
                    (_, true) => styles[Role::Selected],
                    (true, _) => styles[role]
                        .patch(Style { bg: styles[Role::SelectedDim].bg, ..Style::default() }),
                    _ => styles[role],
                };
                let place = self.column_area(column, self.cells.y + line, 1);
                let cells = usize::from(place.width.saturating_sub(1));
                let text = format!("{sign:^cells$}");
                Pen::new(buffer, place, 0).put_text(&text, style);
            }
        }
    }

    /// Names in full, and what Space would change.
    fn draw_foot(&mut self, buffer: &mut Buffer, area: Rect, scene: Scene<'_>, facts: &Facts) {
        let Scene { styles, state, .. } = scene;
        let (rows, columns) = self.selected_ranges();
        let many = rows.count() * columns.count();
        let tool = self.rows.get(self.cursor.0).and_then(|id| state.catalog.tool(id));
        let name = tool.map_or("", |tool| tool.entry.key.as_str()).to_owned();
        let column = self.current_column().map_or_else(String::new, |column| match column {
            Column::Group(name) => format!("group {name}"),
            Column::List(name) => format!("own list {name}"),
            Column::State(name) => format!("state {name}"),
            Column::AnyState => "every state".to_owned(),
        });
        let rule = "─".repeat(usize::from(area.width));
        Pen::new(buffer, area, 0).put_text(&rule, styles[Role::Border]);
        let mut pen = Pen::new(buffer, area, 0);
        pen.skip(1).put_text(&format!(" {name} × {column} "), styles[Role::Title]);
        if many > 1 {
            pen.put_text(&format!("· {many} cells "), styles[Role::Accent]);
        }
        let Some(preview) = self.work_out(facts, state) else {
            let words = if state.catalog.tools.is_empty() {
                "no tools yet: Esc goes to the picture, where a draws the first arrow"
            } else {
                "nothing to toggle here"
            };
            Pen::new(buffer, area, 1).skip(1).put_text(words, styles[Role::Dim]);
            return;
        };
        let mut lines: Vec<Vec<(Role, String)>> = Vec::new();
        match &preview.plan {
            Ok(plan) => {
                lines.push(vec![(Role::Key, "Space ".into()), (Role::Text, plan.label.clone())]);
                lines.extend(
                    plan.notes.iter().take(1).map(|note| vec![(Role::Warning, note.clone())]),
                );
            }
            Err(why) => lines.push(vec![(Role::Warning, why.clone())]),
        }
        lines.extend(preview.lines.iter().cloned());
        if state.workflow.what_if.is_some() {
            lines.push(vec![(Role::Heading, "the what-if so far".to_owned())]);
            lines.extend(detail::what_if_lines(state, facts));
        }
        let room = usize::from(area.height.saturating_sub(1));
        let more = lines.len().saturating_sub(room);
        for (row, line) in (1..area.height).zip(&lines) {
            let mut pen = Pen::new(buffer, area, row);
            pen.skip(1);
            for (role, text) in line {
                pen.put_text(text, styles[*role]);
            }
            if more > 0 && row + 1 == area.height {
                pen.put_right(&format!(" … {more} more lines "), styles[Role::Dim]);
            }
        }
    }

    fn draw_filters(&mut self, buffer: &mut Buffer, line: Rect, styles: &Styles) {
        let half = line.width / 2;
        let typing = self.typing;
        let mut put = |label: &str, field: &mut TextInput, which: Typing, x: u16| {
            let place = Rect { x, width: half.saturating_sub(1), ..line };
            let mut pen = Pen::new(buffer, place, 0);
            pen.put_text(label, styles[Role::Key]);
            let text = Rect {
                x: pen.column_now(),
                width: place.right().saturating_sub(pen.column_now()),
                ..place
            };
            let cursor = (typing == Some(which)).then_some(styles[Role::Cursor]);
            field.draw(buffer, text, styles[Role::Field], cursor);
        };
        put(" tools / ", &mut self.row_filter, Typing::Rows, line.x);
        put(" columns / ", &mut self.column_filter, Typing::Columns, line.x + half);
    }
}

/// The name in two parts, broken between words so that the longer part is as short as it can be.
fn broken_name(name: &str) -> Option<(&str, &str)> {
    let breaks = name.match_indices(['-', '_', ' ', '/', '.', ':']);
    let parts = breaks.map(|(at, sign)| name.split_at(at + sign.len()));
    parts
        .filter(|(_, rest)| !rest.is_empty())
        .min_by_key(|(first, rest)| text_width(first).max(text_width(rest)))
}

/// How many cells a name takes where it may be broken between words.
fn broken_width(name: &str) -> usize {
    broken_name(name)
        .map_or_else(|| text_width(name), |(first, rest)| text_width(first).max(text_width(rest)))
}

/// A column's name over at most so many lines of so many cells.
fn head_lines(name: &str, lines: u16, cells: usize) -> Vec<String> {
    if lines < 2 || text_width(name) <= cells {
        let mut parts = vec![String::new(); usize::from(lines).saturating_sub(1)];
        parts.push(truncate_text(name, cells).into_owned());
        return parts;
    }
    if let Some((first, rest)) = broken_name(name).filter(|_| broken_width(name) <= cells) {
        return vec![first.to_owned(), rest.to_owned()];
    }
    let mut first = String::new();
    for letter in name.chars() {
        if text_width(&first) + 2 > cells {
            break;
        }
        first.push(letter);
    }
    let rest = truncate_text(&name[first.len()..], cells).into_owned();
    vec![first, rest]
}

fn order_of_rows(order: RowOrder) -> &'static str {
    match order {
        RowOrder::Files => "as in files",
        RowOrder::Name => "by name",
        RowOrder::Ticked => "ticked first",
        RowOrder::Most => "most ticks first",
    }
}

fn order_of_columns(order: ColumnOrder) -> &'static str {
    match order {
        ColumnOrder::Named => "as in files",
        ColumnOrder::Name => "by name",
        ColumnOrder::Most => "most ticks first",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_broken_between_words() {
        assert_eq!(head_lines("identify-customer", 2, 9), ["identify-", "customer"]);
        assert_eq!(head_lines("triage", 2, 9), ["", "triage"]);
        assert_eq!(head_lines("modification", 2, 9), ["modifica", "tion"]);
        assert_eq!(head_lines("modification", 1, 9), ["modifica…"]);
        assert_eq!((broken_width("a-very-long-name"), broken_width("modification")), (9, 12));
    }
}
