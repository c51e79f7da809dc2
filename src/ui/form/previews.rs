//! What fields come to, shown below them: a template filled in, a filter's result.

use std::collections::HashMap;

use crate::{
    schema::{fields::Field, pointer::Pointer},
    ui::{
        canvas::visible_text,
        line_wrap::{RowWidths, wrap_styled},
        styles::Role,
    },
};

/// Lines of a preview whose field has not the focus.
const FEW: usize = 3;
/// Lines of one whose field has it, at most.
const MANY: usize = 16;
/// How many letters of a text are laid out; no screen shows more.
const LONGEST: usize = 4_000;

/// What becomes of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPreview {
    pub at: Pointer,
    /// The text, each piece by what it is.
    pub pieces: Vec<(Role, String)>,
    /// What is said of it, line by line.
    pub remarks: Vec<PreviewLine>,
    /// What is said of it while the field has the focus.
    pub hints: Vec<PreviewLine>,
}

/// A line below a field, in pieces.
pub type PreviewLine = Vec<(Role, String)>;

/// The previews of a form, by the rows that show them.
#[derive(Debug, Default)]
pub(crate) struct Previews {
    all: Vec<FieldPreview>,
    by_row: HashMap<usize, Vec<usize>>,
    /// Lines as they were last laid out, by the number of the preview.
    laid_out: HashMap<usize, LaidOut>,
    cells: usize,
}

#[derive(Debug)]
struct LaidOut {
    text: Vec<PreviewLine>,
    remarks: Vec<PreviewLine>,
    hints: Vec<PreviewLine>,
}

impl Previews {
    pub fn set_previews(&mut self, previews: Vec<FieldPreview>) {
        // What stays the same keeps its lines.
        let changed = |number: &usize| previews.get(*number) != self.all.get(*number);
        let stale: Vec<usize> = self.laid_out.keys().copied().filter(changed).collect();
        for number in stale {
            self.laid_out.remove(&number);
        }
        self.all = previews;
    }

    /// Brings each preview to the row of its field; where that is folded away, it is not shown.
    pub fn place_on_rows(&mut self, fields: &[Field]) {
        self.by_row.clear();
        if self.all.is_empty() {
            return;
        }
        let mut rows: HashMap<&Pointer, usize> = HashMap::with_capacity(fields.len());
        for (row, field) in fields.iter().enumerate() {
            if field.part.is_value() {
                rows.entry(&field.pointer).or_insert(row);
            }
        }
        for (number, preview) in self.all.iter().enumerate() {
            if let Some(row) = rows.get(&preview.at) {
                self.by_row.entry(*row).or_default().push(number);
            }
        }
    }

    /// Lays out what is below the rows, where it is not yet, for lines of so many cells.
    pub fn measure(&mut self, cells: u16) {
        let cells = usize::from(cells).saturating_sub(2).max(8);
        if self.cells != cells {
            self.cells = cells;
            self.laid_out.clear();
        }
        for number in self.by_row.values().flatten() {
            let Some(preview) = self.all.get(*number) else { continue };
            self.laid_out.entry(*number).or_insert_with(|| lay_out(preview, cells));
        }
    }

    /// The lines below a row, those of its field with the focus among them.
    pub fn lines(&self, row: usize, has_focus: bool) -> Vec<PreviewLine> {
        let numbers = self.by_row.get(&row).into_iter().flatten();
        let mut lines = Vec::new();
        for laid_out in numbers.filter_map(|number| self.laid_out.get(number)) {
            let most = if has_focus { MANY } else { FEW };
            let all = laid_out.text.len();
            let shown = if all > most { most - 1 } else { all };
            lines.extend(laid_out.text.iter().take(shown).cloned());
            if shown < all {
                let more = format!("  … {} more lines", all - shown);
                let to_do = format!("{more}: go to the field");
                let is_long = has_focus || to_do.chars().count() > self.cells + 2;
                lines.push(vec![(Role::Dim, if is_long { more } else { to_do })]);
            }
            lines.extend(laid_out.remarks.iter().cloned());
            if has_focus {
                lines.extend(laid_out.hints.iter().cloned());
            }
        }
        lines
    }

    /// How many lines those are.
    pub fn line_count(&self, row: usize, has_focus: bool) -> usize {
        let numbers = self.by_row.get(&row).into_iter().flatten();
        let laid_out = numbers.filter_map(|number| self.laid_out.get(number));
        laid_out
            .map(|laid_out| {
                let most = if has_focus { MANY } else { FEW };
                let hints = if has_focus { laid_out.hints.len() } else { 0 };
                laid_out.text.len().min(most) + laid_out.remarks.len() + hints
            })
            .sum()
    }
}

fn lay_out(preview: &FieldPreview, cells: usize) -> LaidOut {
    let mut left = LONGEST;
    let mut pieces: Vec<(Role, String)> = Vec::new();
    for (role, text) in &preview.pieces {
        let part: String = text.chars().take(left).collect();
        left -= part.chars().count();
        pieces.push((*role, lines_of(&part)));
        if left == 0 {
            pieces.push((Role::Dim, "…".into()));
            break;
        }
    }
    let marked = |mark: &'static str, pieces: &[(Role, String)]| -> Vec<PreviewLine> {
        let rows = wrap_styled(pieces, RowWidths::all(cells)).into_iter().enumerate();
        rows.map(|(row, mut line)| {
            let mark = if row == 0 { mark } else { "  " };
            line.insert(0, (Role::Dim, mark.to_owned()));
            line
        })
        .collect()
    };
    let said = |lines: &[PreviewLine]| -> Vec<PreviewLine> {
        lines
            .iter()
            .flat_map(|line| {
                let is_bad =
                    line.iter().any(|(role, _)| matches!(role, Role::Warning | Role::Error));
                let shown: Vec<_> =
                    line.iter().map(|(role, text)| (*role, lines_of(text))).collect();
                marked(if is_bad { "⚠ " } else { "· " }, &shown)
            })
            .collect()
    };
    LaidOut {
        text: if pieces.is_empty() { Vec::new() } else { marked("→ ", &pieces) },
        remarks: said(&preview.remarks),
        hints: said(&preview.hints),
    }
}

/// A text with its line breaks, and nothing in it that would not show.
fn lines_of(text: &str) -> String {
    text.split('\n').map(visible_text).collect::<Vec<_>>().join("\n")
}
