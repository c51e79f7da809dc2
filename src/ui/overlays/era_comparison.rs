//! How a server differs between the eras of its protocol, to read: its lists, and a call.

use ratatui::{Frame, layout::Rect};

use super::page::{Line, PageOverlay};
use crate::{
    app::{input::Input, message::Message, state::State},
    engine::{
        diff::LineKind,
        eras::{EraComparison, EraRow, EraView, Presence},
    },
    ui::{
        canvas::{pad_text, wrap},
        sheet::{Ask, Entry, Sheet, plain_lines},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
    },
};

/// Cells of a line at most.
const WIDE: usize = 140;
const COUNT: usize = 9;
/// Cells of a line that is printed.
const PLAIN: usize = 100;

/// The comparison over the screen, in lines as wide as that allows.
pub(crate) struct EraPage {
    title: String,
    comparison: EraComparison,
    page: PageOverlay,
    cells: usize,
}

impl EraPage {
    pub fn new(connection: &str, comparison: &EraComparison) -> Self {
        let page = PageOverlay::default().closing_with(Reply::send(Message::DropQuestion));
        let title = format!("{connection} in both eras");
        Self { title, comparison: comparison.clone(), page, cells: 0 }
    }
}

impl Overlay for EraPage {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let cells = usize::from(area.width.saturating_sub(8)).clamp(20, WIDE);
        if cells != self.cells {
            self.cells = cells;
            let lines = Layout::of(cells).comparison_lines(&self.comparison);
            self.page.set_content(self.title.clone(), lines);
        }
        self.page.draw(frame, area, look, state);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        self.page.handle_input(input, state)
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        self.page.key_hints()
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        let lines = plain_lines(&Layout::of(PLAIN).comparison_lines(&self.comparison));
        Sheet { title: self.title.clone(), lines, ask: Ask::Nothing }
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        self.page.answer(entry, state)
    }
}

/// How wide lines and their columns are.
#[derive(Clone, Copy)]
struct Layout {
    cells: usize,
    name: usize,
    /// One of two answers beside each other.
    side: usize,
}

impl Layout {
    fn of(cells: usize) -> Self {
        Self { cells, name: cells * 2 / 5, side: (cells - 3) / 2 }
    }

    fn say(self, role: Role, text: &str) -> Vec<Line> {
        wrap(text, self.cells).into_iter().map(|line| vec![(role, line)]).collect()
    }

    fn comparison_lines(self, comparison: &EraComparison) -> Vec<Line> {
        let mut lines = Vec::new();
        for side in &comparison.sides {
            lines.extend(match &side.seen {
                Ok(view) => {
                    let words =
                        format!("● {}: {}, after {} ms", side.era, view.greeting, view.took_ms);
                    self.say(Role::Success, &words)
                }
                Err(problem) => self
                    .say(Role::Error, &format!("✗ not in the {} era: {}", side.era, problem.cause)),
            });
        }
        let Some(both) = comparison.both() else {
            let words = "The server doesn't support both eras, so there is nothing to compare.";
            lines.extend(self.say(Role::Dim, words));
            return lines;
        };
        lines.push(Line::new());
        let eras =
            comparison.sides.iter().map(|side| pad_text(side.era, COUNT)).collect::<String>();
        lines.push(vec![(
            Role::Heading,
            format!("{}{eras}difference", pad_text("list", self.name)),
        )]);
        for kind in list_kinds(both) {
            let counts = both.map(|view| pad_text(&entry_count(view, kind), COUNT)).concat();
            lines.push(vec![(Role::Text, format!("{}{counts}", pad_text(kind, self.name)))]);
            let of_kind = comparison.rows.iter().filter(|row| row.kind == kind);
            lines.extend(of_kind.filter(|row| !row.is_same()).flat_map(|row| self.row_lines(row)));
        }
        if comparison.rows.iter().all(EraRow::is_same) {
            lines.extend(self.say(Role::Success, "✓ the lists are the same"));
        }
        lines.extend(self.answer_lines(comparison));
        lines
    }

    fn row_lines(self, row: &EraRow) -> Vec<Line> {
        let signs = match row.presence {
            Presence::Both => ["≠", "≠"],
            Presence::First => ["✓", "–"],
            Presence::Second => ["–", "✓"],
        };
        let signs = signs.map(|sign| pad_text(sign, COUNT)).concat();
        let name = pad_text(&format!("  {}", row.name), self.name);
        let room = self.cells.saturating_sub(self.name + 2 * COUNT);
        let mut words = wrap(&row.differences.join(", "), room).into_iter();
        let first = words.next().unwrap_or_default();
        let mut lines = vec![vec![(Role::Warning, format!("{name}{signs}{first}"))]];
        let indent = " ".repeat(self.name + 2 * COUNT);
        lines.extend(words.map(|line| vec![(Role::Warning, format!("{indent}{line}"))]));
        lines
    }

    /// The answers side by side; what only one of them has is opposite to nothing.
    fn answer_lines(self, comparison: &EraComparison) -> Vec<Line> {
        let Some(compared) = comparison.answer_lines() else { return Vec::new() };
        let is_same = compared.iter().all(|(kind, _)| *kind == LineKind::Same);
        let words = if is_same { "✓ the answers are the same" } else { "≠ the answers differ" };
        let role = if is_same { Role::Success } else { Role::Warning };
        let mut lines = vec![Line::new(), vec![(role, words.to_owned())]];
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (kind, text) in compared {
            match kind {
                LineKind::Removed => removed.push(text),
                LineKind::Added => added.push(text),
                LineKind::Same => {
                    lines.extend(self.side_lines(&mut removed, &mut added));
                    lines.extend(self.pair_lines(&text, &text, [Role::Text; 2]));
                }
            }
        }
        lines.extend(self.side_lines(&mut removed, &mut added));
        lines
    }

    /// Lines of one side opposite to those of the other one; both are empty then.
    fn side_lines(self, removed: &mut Vec<String>, added: &mut Vec<String>) -> Vec<Line> {
        let (removed, added) = (std::mem::take(removed), std::mem::take(added));
        let none = String::new();
        let rows = (0..removed.len().max(added.len())).flat_map(|row| {
            let (left, right) =
                (removed.get(row).unwrap_or(&none), added.get(row).unwrap_or(&none));
            self.pair_lines(left, right, [Role::Removed, Role::Added])
        });
        rows.collect()
    }

    fn pair_lines(self, left: &str, right: &str, [left_role, right_role]: [Role; 2]) -> Vec<Line> {
        let [left, right] = [left, right].map(|text| wrap(text, self.side));
        let rows = (0..left.len().max(right.len())).map(|row| {
            let at = |side: &[String]| side.get(row).cloned().unwrap_or_default();
            vec![
                (left_role, pad_text(&at(&left), self.side)),
                (Role::Border, " │ ".to_owned()),
                (right_role, at(&right)),
            ]
        });
        rows.collect()
    }
}

fn list_kinds(both: [&EraView; 2]) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for (kind, _) in both.iter().flat_map(|view| &view.lists) {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    kinds
}

fn entry_count(view: &EraView, kind: &str) -> String {
    let list = view.lists.iter().find(|(known, _)| *known == kind);
    list.map_or_else(|| "–".to_owned(), |(_, items)| items.len().to_string())
}
