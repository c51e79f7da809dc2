//! On which line each row of a form is, and how much of it is seen.

use std::borrow::Cow;

use super::{
    cell::{Cell, Editor},
    notes::{Remark, Remarks},
    registry,
};
use crate::{
    schema::{
        fields::{Field, Part, Presence, Role},
        kind::{Kind, TextKind},
    },
    ui::canvas::{text_width, truncate_text, visible_text, wrap},
};

/// Widths of the columns of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Where labels begin; the sign of the focus is left of it.
    pub label: u16,
    /// Where widgets begin.
    pub widget: u16,
    /// How wide widgets are.
    pub room: u16,
}

/// Cells that widgets keep where labels take more than their part.
const ROOM: usize = 20;
/// Cells that a depth moves a row to the right.
pub(crate) const INDENT: u16 = 2;
/// The most of that.
const DEEPEST: u16 = 16;

impl Columns {
    /// Columns that give labels what they need, up to two fifths of the width, or more where no label
    /// is cut then and widgets keep their room; and the keys beside them, up to a fifth.
    #[must_use]
    pub fn from_fields(fields: &[Field], cells: u16) -> Self {
        let wanted = |field: &Field| {
            let mark = usize::from(field.is_marked_required()) * 2;
            text_width(&visible_text(&field.label)) + mark + usize::from(field_indent(field))
        };
        let most = (usize::from(cells) * 2 / 5).clamp(8, 32);
        let with_key = |field: &Field| {
            let label = wanted(field);
            let key = field.key.as_deref().map_or(0, |key| key_cells(&visible_text(key)));
            Some(label + key).filter(|wide| *wide <= most / 2).unwrap_or(label)
        };
        let widest = fields.iter().map(with_key).max().unwrap_or(0).max(8);
        let leaves_room = widest + ROOM + 3 <= usize::from(cells);
        let is_whole = widest <= 32 && (leaves_room || widest <= usize::from(cells) * 9 / 20);
        let label = u16::try_from(if is_whole { widest } else { most }).unwrap_or(8);
        let widget = 1 + label + 1;
        // One cell at the right is for the scroll bar, one keeps off it.
        Self { label: 1, widget, room: cells.saturating_sub(widget + 2) }
    }
}

#[must_use]
pub(crate) fn field_indent(field: &Field) -> u16 {
    u16::try_from(field.depth).unwrap_or(u16::MAX / INDENT).saturating_mul(INDENT).min(DEEPEST)
}

/// The end of the way to a row that lies deeper than indents can show.
#[must_use]
pub(crate) fn path_of(field: &Field) -> Option<String> {
    let tokens = field.pointer.tokens();
    let above =
        tokens.len().checked_sub(1).filter(|_| field.depth > usize::from(DEEPEST / INDENT))?;
    let names: Vec<_> = tokens[above.saturating_sub(3)..above]
        .iter()
        .map(|name| truncate_text(&visible_text(name), 16).into_owned())
        .collect();
    Some(format!("… › {}", names.join(" › ")))
}

/// Cells for the label of a row, beside its indent and mark.
#[must_use]
pub(crate) fn label_room(columns: Columns, field: &Field) -> usize {
    let marks = if field.is_marked_required() { 2 } else { 0 };
    usize::from(columns.widget.saturating_sub(columns.label))
        .saturating_sub(1 + usize::from(shown_indent(columns, field)) + marks)
}

/// What is between a label and the key beside it.
pub(crate) const KEY_GAP: &str = " · ";

fn key_cells(key: &str) -> usize {
    text_width(KEY_GAP) + text_width(key)
}

/// The key beside the label of a row, where it says something else and has room.
#[must_use]
pub(crate) fn shown_key(columns: Columns, field: &Field) -> Option<Cow<'_, str>> {
    let label = text_width(&visible_text(&field.label));
    let left = label_room(columns, field).saturating_sub(label);
    field.key.as_deref().map(visible_text).filter(|key| key_cells(key) <= left)
}

/// The indent of a row: deep ones leave room for the label.
#[must_use]
pub(crate) fn shown_indent(columns: Columns, field: &Field) -> u16 {
    field_indent(field).min(columns.widget / 2)
}

/// What the signs at the right of the focused row take.
#[must_use]
pub(crate) fn row_signs(field: &Field) -> &'static str {
    match field.role {
        _ if !field.is_removable() || field.part == Part::Value || field.node.read_only => "",
        Role::Item { .. } if field.locks.add && field.locks.order => "×",
        Role::Item { .. } if field.locks.add => "↑ ↓ ×",
        Role::Item { .. } if field.locks.order => "copy ×",
        Role::Item { .. } => "copy ↑ ↓ ×",
        Role::Root => "",
        Role::Member | Role::Entry { .. } => "×",
    }
}

/// Cells at the right for those signs.
#[must_use]
pub(crate) fn signs_room(field: &Field) -> u16 {
    match text_width(row_signs(field)) {
        0 => 0,
        // The same for a lone cross as for short rows of signs, so that little moves with the
        // focus.
        wide => u16::try_from(wide + 1).unwrap_or(0).max(6),
    }
}

/// The lines of every row, as sums: row `n` is on `starts[n]..starts[n + 1]`.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub starts: Vec<usize>,
}

impl Lines {
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The rows that stand on any of `height` lines from `top` on.
    #[must_use]
    pub fn rows_in_view(&self, top: usize, height: usize) -> std::ops::Range<usize> {
        let rows = self.starts.len().saturating_sub(1);
        let first = self.starts.partition_point(|start| *start <= top).saturating_sub(1).min(rows);
        let end = self.starts.partition_point(|start| *start < top + height).min(rows);
        first..end.max(first)
    }

    /// The lines of a row.
    #[must_use]
    pub fn line_range(&self, row: usize) -> std::ops::Range<usize> {
        let start = self.starts.get(row).copied().unwrap_or_default();
        start..self.starts.get(row + 1).copied().unwrap_or(start)
    }
}

/// How many lines a row's widget takes.
#[must_use]
pub(crate) fn widget_lines(cell: &Cell<'_>, editor: Option<&dyn Editor>, cells: u16) -> u16 {
    match editor {
        Some(editor) => editor.line_count(cell, cells),
        None => registry::widget_for(&cell.field.kind).line_count(cell, cells),
    }
    .max(1)
}

/// Cells at the right end of a widget that are for its signs: `▾`, `+ add`, `− +`.
const SIGN_CELLS: usize = 8;
/// What asks for a kind takes at most, and what is before other hints: a mark, "choose".
const KIND_HINT: usize = 40;
const HINT_EDGE: usize = 8;

/// Whether what is said of a row is on the line of its widget, which has nothing in it yet: that a
/// value is required needs no line of its own. The cells that are to its right there; the widget
/// is so many lines tall and cells wide.
#[must_use]
pub(crate) fn beside_gap(
    cell: &Cell<'_>,
    remarks: &[Remark],
    (lines, cells): (u16, u16),
) -> Option<usize> {
    let [Remark { text, fix: None, .. }] = remarks else { return None };
    let is_empty = cell.field.presence == Presence::Unset && cell.draft.is_none();
    if !is_empty || lines != 1 || text.contains('\n') {
        return None;
    }
    let said = text_width(&visible_text(text)) + 2;
    let fits = |hint: usize, gap: usize| hint + said + gap <= usize::from(cells);
    let hint = text_width(&visible_text(&cell.placeholder_text()));
    let is_roomy = match cell.field.kind {
        // These have more to say.
        Kind::Const(_) | Kind::ReadOnly | Kind::Text(TextKind::Secret) => false,
        Kind::Variant { .. } => fits(KIND_HINT, SIGN_CELLS),
        _ => fits(hint + HINT_EDGE, SIGN_CELLS),
    };
    // A text has no signs.
    let is_text = matches!(cell.field.kind, Kind::Text(TextKind::Line));
    match is_roomy {
        true => Some(SIGN_CELLS),
        false => (is_text && fits(hint + 2, 0)).then_some(0),
    }
}

/// How many lines the remarks of a row take.
#[must_use]
pub(crate) fn remark_lines(remarks: &Remarks, row: usize, cells: u16) -> usize {
    remarks.row_remarks(row).iter().map(|remark| remark_text(remark, cells).height()).sum()
}

/// Where a remark's fix is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FixLine {
    /// At the right of the last line.
    Beside,
    /// On lines of its own.
    Below,
}

/// A remark as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownRemark {
    pub lines: Vec<String>,
    /// Its fix in lines, where it has one.
    pub fix: Option<(FixLine, Vec<String>)>,
}

impl ShownRemark {
    #[must_use]
    pub fn height(&self) -> usize {
        let below = |fix: &(FixLine, Vec<String>)| match fix.0 {
            FixLine::Beside => 0,
            FixLine::Below => fix.1.len(),
        };
        self.lines.len() + self.fix.as_ref().map_or(0, below)
    }
}

/// A remark broken into lines, and where its fix has room.
#[must_use]
pub(crate) fn remark_text(remark: &Remark, cells: u16) -> ShownRemark {
    let room = usize::from(cells).saturating_sub(2).max(8);
    let text = visible_text(&remark.text);
    let lines = wrap(&text, room);
    let beside =
        |fix: &str| lines.last().is_none_or(|last| text_width(last) + text_width(fix) + 4 <= room);
    let fix = remark.fix.as_ref().map(|(_, fix)| {
        let fix = format!("▸ fix: {}", visible_text(fix));
        match beside(&fix) {
            true => (FixLine::Beside, vec![fix]),
            false => (FixLine::Below, wrap(&fix, room)),
        }
    });
    ShownRemark { fix, lines }
}
