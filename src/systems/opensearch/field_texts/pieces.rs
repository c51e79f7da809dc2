//! Texts in pieces, each with where it is from.

use std::ops::Range;

use crate::{
    schema::count,
    systems::{
        facets::templates::{FieldRemark, PieceOrigin, RemarkLevel, TextPiece},
        opensearch::template::render::{Origin, Rendered},
    },
};

/// What begins and ends the name of what toolcrib itself fills in.
const OPEN: &str = "{{";
const CLOSE: &str = "}}";
/// What such a name begins with where it is a variable, of the environment or of the settings.
const VARIABLES: [&str; 2] = ["env.", "var."];

/// The pieces of a filled-in text; `origin_of` says where the value of a parameter is from.
#[must_use]
pub fn text_pieces(rendered: &Rendered, origin_of: &dyn Fn(&str) -> PieceOrigin) -> Vec<TextPiece> {
    let mut pieces = Vec::new();
    for piece in &rendered.pieces {
        let (origin, name) = match &piece.from {
            Origin::Template => (PieceOrigin::Template, None),
            Origin::Value(name) => (origin_of(name), Some(name)),
            Origin::Default(name) => (PieceOrigin::Default, Some(name)),
            Origin::Unfilled(name) => (PieceOrigin::Unfilled, Some(name)),
        };
        let text = &rendered.text[piece.range.clone()];
        for (range, is_variable) in variable_ranges(text) {
            let text = text[range].to_owned();
            let origin = if is_variable { PieceOrigin::Environment } else { origin };
            pieces.push(TextPiece { text, origin, name: name.cloned() });
        }
    }
    pieces
}

/// A text that nothing is filled into.
pub(super) fn plain_piece(text: impl Into<String>) -> Vec<TextPiece> {
    vec![TextPiece { text: text.into(), origin: PieceOrigin::Template, name: None }]
}

/// A text cut at variables, and which parts are such.
fn variable_ranges(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut ranges = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(open) = text[at..].find(OPEN).map(|found| at + found) {
        let inside = open + OPEN.len();
        let Some(length) = text[inside..].find(CLOSE) else { break };
        at = inside + length + CLOSE.len();
        let name = text[inside..].trim_start();
        if !VARIABLES.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        if open > from {
            ranges.push((from..open, false));
        }
        ranges.push((open..at, true));
        from = at;
    }
    if from < text.len() {
        ranges.push((from..text.len(), false));
    }
    ranges
}

/// A remark of a field.
pub(super) fn remark(level: RemarkLevel, text: impl Into<String>) -> FieldRemark {
    FieldRemark { level, text: text.into() }
}

/// Names that stay as they are because no sample gives them.
pub(super) fn unsampled_remark(names: &[&str]) -> Option<FieldRemark> {
    let words = || format!("no sample for {}: add one in Try", first_names(names));
    (!names.is_empty()).then(|| remark(RemarkLevel::Rule, words()))
}

/// The first of many names, as a remark has them.
pub(super) fn first_names(names: &[&str]) -> String {
    count::first_names(names, 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_pieces_of_their_own() {
        let cut = |text: &str| -> Vec<(String, bool)> {
            let ranges = variable_ranges(text).into_iter();
            ranges.map(|(range, is)| (text[range].to_owned(), is)).collect()
        };
        assert_eq!(
            cut("Bearer {{env.TOKEN}} {{answer.x}} {{"),
            [
                ("Bearer ".into(), false),
                ("{{env.TOKEN}}".into(), true),
                (" {{answer.x}} {{".into(), false),
            ]
        );
        assert_eq!(cut("{{ env.X }}"), [("{{ env.X }}".to_owned(), true)]);
        assert_eq!(cut("{{var.X}}"), [("{{var.X}}".to_owned(), true)]);
    }
}
