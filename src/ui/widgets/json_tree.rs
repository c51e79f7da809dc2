//! A JSON value as a tree that folds; draws only the rows that are seen.

use std::collections::HashSet;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;

use super::{list::ListCursor, text_view::Search};
use crate::{
    app::input::{Code, Key, Mouse, MouseKind},
    schema::{count::count_text, pointer::Pointer},
    ui::{
        canvas::{Pen, mark_chosen},
        styles::{Role, Styles},
    },
};

/// A longer text is not shown as a tree.
pub(crate) const LARGEST_TREE: usize = 4 * 1024 * 1024;

/// One line of the tree.
#[derive(Debug)]
struct Row {
    at: Pointer,
    depth: usize,
    name: String,
    value: NodeKind,
}

#[derive(Debug)]
enum NodeKind {
    Leaf(Role, String),
    Branch { members: usize, brackets: [&'static str; 2] },
}

/// A value with its folds and its cursor.
#[derive(Debug, Default)]
pub(crate) struct JsonTree {
    value: Value,
    /// The places of it that are shown.
    shown: Vec<Pointer>,
    rows: Vec<Row>,
    folded: HashSet<Pointer>,
    cursor: ListCursor,
    area: Rect,
}

impl JsonTree {
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self { value, ..Self::default() }.narrowed(vec![Pointer::root()])
    }

    /// The tree with nothing but what is at these places, each with its path before it.
    #[must_use]
    pub fn narrowed(mut self, shown: Vec<Pointer>) -> Self {
        self.shown = shown;
        self.rebuild_rows();
        self
    }

    fn rebuild_rows(&mut self) {
        self.rows = self.rows_within(&self.folded);
    }

    /// The rows of what is shown, but for those that are folded away.
    fn rows_within(&self, folded: &HashSet<Pointer>) -> Vec<Row> {
        let mut rows = Vec::new();
        for at in &self.shown {
            if let Some(value) = at.get(&self.value) {
                push_rows(&mut rows, folded, at, 0, at.to_string(), value);
            }
        }
        rows
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, focused: bool) {
        self.area = area;
        let window = self.cursor.visible_rows(self.rows.len(), area.height);
        for (line, row) in (0_u16..).zip(window) {
            let Row { at, depth, name, value } = &self.rows[row];
            let here = row == self.cursor.row;
            let mut pen = Pen::new(buffer, area, line);
            let open = match value {
                NodeKind::Branch { members: 0, .. } | NodeKind::Leaf(..) => "  ",
                NodeKind::Branch { .. } if self.folded.contains(at) => "▸ ",
                NodeKind::Branch { .. } => "▾ ",
            };
            pen.skip(u16::try_from(depth * 2).unwrap_or(u16::MAX))
                .put_text(open, styles[Role::Dim]);
            if !name.is_empty() {
                pen.put_text(name, styles[Role::SyntaxKey]).put_text(": ", styles[Role::Dim]);
            }
            match value {
                NodeKind::Leaf(role, text) => pen.put_text(text, styles[*role]),
                NodeKind::Branch { members, brackets: [open, close] } => {
                    let items = count_text(*members, "item", "items");
                    pen.put_text(&format!("{open}{items}{close}"), styles[Role::Dim])
                }
            };
            if here && focused {
                mark_chosen(buffer, area, line, styles, focused);
            }
        }
    }

    /// Moves, folds and opens; whether the key was for the tree.
    pub fn handle_key(&mut self, key: Key) -> bool {
        if self.cursor.handle_key(key, self.rows.len()) {
            return true;
        }
        match key.code {
            Code::Enter | Code::Char(' ') => self.fold_row(None),
            Code::Left => self.fold_row(Some(true)),
            Code::Right => self.fold_row(Some(false)),
            _ => return false,
        }
        true
    }

    pub fn handle_mouse(&mut self, mouse: Mouse) {
        let pressed = self.cursor.handle_mouse(mouse, self.area, self.rows.len());
        if pressed.is_some() && matches!(mouse.kind, MouseKind::Down(_)) {
            self.fold_row(None);
        }
    }

    /// Folds (`true`), opens (`false`) or turns the row of the cursor. Folding what has nothing
    /// open goes to what holds it.
    fn fold_row(&mut self, fold: Option<bool>) {
        let Some(row) = self.rows.get(self.cursor.row) else { return };
        let branch = matches!(row.value, NodeKind::Branch { members: 1.., .. });
        let folded = self.folded.contains(&row.at);
        match fold {
            Some(true) if !branch || folded => {
                let depth = row.depth;
                let holder =
                    self.rows[..self.cursor.row].iter().rposition(|above| above.depth < depth);
                self.cursor.row = holder.unwrap_or(self.cursor.row);
            }
            _ if !branch => {}
            _ if folded && fold != Some(true) => drop(self.folded.take(&row.at.clone())),
            _ if !folded && fold != Some(false) => drop(self.folded.insert(row.at.clone())),
            _ => {}
        }
        self.rebuild_rows();
    }

    /// The place under the cursor, and the value there as JSON.
    #[must_use]
    pub fn selected_entry(&self) -> Option<(Pointer, String)> {
        let row = self.rows.get(self.cursor.row)?;
        row.at.get(&self.value).map(|value| (row.at.clone(), value.to_string()))
    }

    #[must_use]
    pub fn position_text(&self) -> Option<String> {
        self.cursor.position_text(self.rows.len())
    }

    /// Which of how many rows that hold the query the cursor is on, those that are folded away, too;
    /// `None` where there are too many rows to count them with each key.
    #[must_use]
    pub fn found_place(&self, query: &str) -> Option<(usize, usize)> {
        const MOST: usize = 20_000;
        let query = query.to_lowercase();
        let unfolded = self.unfolded_rows();
        let rows = unfolded.as_ref().unwrap_or(&self.rows);
        let here = &self.rows.get(self.cursor.row).filter(|_| rows.len() <= MOST)?.at;
        let holding: Vec<&Row> = rows.iter().filter(|row| row.holds(&query)).collect();
        let place = holding.iter().position(|row| row.at == *here)?;
        Some((place + 1, holding.len()))
    }

    /// All rows, where some are folded away.
    fn unfolded_rows(&self) -> Option<Vec<Row>> {
        if self.folded.is_empty() {
            return None;
        }
        Some(self.rows_within(&HashSet::new()))
    }

    /// Goes to a row whose text holds the query, and opens what it is folded into; whether there is
    /// one.
    pub fn search(&mut self, query: &str, way: Search) -> bool {
        let query = query.to_lowercase();
        let unfolded = self.unfolded_rows();
        let rows = unfolded.as_ref().unwrap_or(&self.rows);
        let at = self.rows.get(self.cursor.row).map(|row| &row.at);
        let here = rows.iter().position(|row| Some(&row.at) == at).unwrap_or(0);
        let fits = |row: &usize| rows[*row].holds(&query);
        let count = rows.len();
        let found = match way {
            Search::Here => (here..count).chain(0..here).find(fits),
            Search::Next => ((here + 1).min(count)..count).chain(0..here).find(fits),
            Search::Previous => (0..here).rev().chain((here + 1..count).rev()).find(fits),
        };
        let Some(at) = found
            .or_else(|| Some(here).filter(|here| *here < count && fits(here)))
            .map(|row| rows[row].at.clone())
        else {
            return false;
        };
        let before = self.folded.len();
        self.folded.retain(|folded| *folded == at || !at.starts_with(folded));
        if self.folded.len() < before {
            self.rebuild_rows();
        }
        self.cursor.row = self.rows.iter().position(|row| row.at == at).unwrap_or(self.cursor.row);
        true
    }
}

impl Row {
    /// Whether its name or its value holds a text in small letters.
    fn holds(&self, query: &str) -> bool {
        let text = match &self.value {
            NodeKind::Leaf(_, text) => text.to_lowercase(),
            NodeKind::Branch { .. } => String::new(),
        };
        self.name.to_lowercase().contains(query) || text.contains(query)
    }
}

fn push_rows(
    rows: &mut Vec<Row>,
    folded: &HashSet<Pointer>,
    at: &Pointer,
    depth: usize,
    name: String,
    value: &Value,
) {
    let leaf = |role, text: String| NodeKind::Leaf(role, text);
    let shown = match value {
        Value::Object(members) => NodeKind::Branch { members: members.len(), brackets: ["{", "}"] },
        Value::Array(items) => NodeKind::Branch { members: items.len(), brackets: ["[", "]"] },
        Value::String(_) => leaf(Role::SyntaxText, value.to_string()),
        other => leaf(Role::SyntaxNumber, other.to_string()),
    };
    rows.push(Row { at: at.clone(), depth, name, value: shown });
    if folded.contains(at) {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                push_rows(rows, folded, &at.child(name.clone()), depth + 1, name.clone(), member);
            }
        }
        Value::Array(items) => {
            for (row, item) in items.iter().enumerate() {
                push_rows(rows, folded, &at.item(row), depth + 1, row.to_string(), item);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::theme::Theme;

    fn lines(tree: &mut JsonTree) -> Vec<String> {
        let area = Rect::new(0, 0, 40, 8);
        let mut buffer = Buffer::empty(area);
        tree.draw(&mut buffer, area, &Theme::default().styles, true);
        let line =
            |y| (0..40).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..8).map(line).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn what_is_folded_away_is_found_and_opened_forth_and_back() {
        let mut tree = JsonTree::new(json!({"a": {"one": "owl"}, "b": {"two": "owl"}, "c": "owl"}));
        let at = |tree: &JsonTree| {
            tree.selected_entry().map(|(at, _)| at.to_string()).unwrap_or_default()
        };
        for name in ["one", "two"] {
            assert!(tree.search(name, Search::Here));
            tree.handle_key(Key::plain(Code::Left));
            tree.handle_key(Key::plain(Code::Left));
        }
        assert_eq!(
            lines(&mut tree),
            ["▾ {3 items}", "  ▸ a: {1 item}", "  ▸ b: {1 item}", "    c: \"owl\""]
        );
        let mut seen = Vec::new();
        for way in
            [Search::Next, Search::Next, Search::Previous, Search::Previous, Search::Previous]
        {
            assert!(tree.search("OWL", way));
            seen.push(at(&tree));
        }
        assert_eq!(seen, ["/b/two", "/c", "/b/two", "/a/one", "/c"]);
    }

    #[test]
    fn what_is_at_some_places_is_shown_with_its_path() {
        let value = json!({"rows": [{"name": "Ada", "n": 1}, {"name": "Bo"}]});
        let places = ["/rows/0/name", "/rows/1"].map(|at| Pointer::parse(at).unwrap());
        let mut tree = JsonTree::new(value).narrowed(places.to_vec());
        assert_eq!(
            lines(&mut tree),
            ["  /rows/0/name: \"Ada\"", "▾ /rows/1: {1 item}", "    name: \"Bo\""]
        );
        assert!(tree.search("bo", Search::Here) && !tree.search("n: 1", Search::Next));
        let at = tree.selected_entry().map(|(at, value)| (at.to_string(), value));
        assert_eq!(at, Some(("/rows/1/name".to_owned(), "\"Bo\"".to_owned())));
    }

    #[test]
    fn places_are_counted_also_where_they_are_folded_away_unless_there_are_very_many() {
        let mut tree = JsonTree::new(json!({"a": {"one": "owl"}, "b": "owl", "c": {"two": "owl"}}));
        tree.handle_key(Key::plain(Code::Down));
        tree.handle_key(Key::plain(Code::Left));
        tree.handle_key(Key::plain(Code::Down));
        assert_eq!(tree.found_place("owl"), Some((2, 3)));
        assert!(tree.search("owl", Search::Previous));
        assert_eq!(tree.found_place("owl"), Some((1, 3)));
        for (items, place) in [(10, Some((1, 1))), (20_000, None)] {
            let mut tree = JsonTree::new(json!(vec!["o"; items]));
            assert!(tree.search("7", Search::Here));
            assert_eq!(tree.found_place("7"), place, "{items}");
        }
    }

    #[test]
    fn branches_fold_and_open_by_keys() {
        let mut tree = JsonTree::new(json!({"a": {"b/c": [1, "x"]}, "d": null}));
        let all = [
            "▾ {2 items}",
            "  ▾ a: {1 item}",
            "    ▾ b/c: [2 items]",
            "        0: 1",
            "        1: \"x\"",
            "    d: null",
        ];
        assert_eq!(lines(&mut tree), all);
        tree.handle_key(Key::plain(Code::Down));
        tree.handle_key(Key::plain(Code::Left));
        assert_eq!(lines(&mut tree), ["▾ {2 items}", "  ▸ a: {1 item}", "    d: null"]);
        assert_eq!(
            tree.selected_entry().map(|(_, value)| value).as_deref(),
            Some(r#"{"b/c":[1,"x"]}"#)
        );
        tree.handle_key(Key::plain(Code::Enter));
        assert_eq!(lines(&mut tree), all);
        assert!(tree.search("X", Search::Next) && !tree.search("nowhere", Search::Next));
        assert_eq!(tree.selected_entry().map(|(_, value)| value).as_deref(), Some("\"x\""));
        tree.handle_key(Key::plain(Code::Left));
        assert_eq!(tree.selected_entry().map(|(_, value)| value).as_deref(), Some(r#"[1,"x"]"#));
    }
}
