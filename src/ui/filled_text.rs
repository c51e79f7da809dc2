//! How templates that were filled in are shown: each piece by where it is from.

use std::collections::HashSet;

use super::{
    form::previews::{FieldPreview, PreviewLine},
    styles::Role,
};
use crate::systems::facets::templates::{FieldText, PieceOrigin, RemarkLevel, TextPiece};

/// How a piece from there is shown.
#[must_use]
pub(crate) fn origin_role(origin: PieceOrigin) -> Role {
    match origin {
        PieceOrigin::Template => Role::Text,
        PieceOrigin::Request => Role::FromRequest,
        PieceOrigin::Tool => Role::FromTool,
        PieceOrigin::Default => Role::FromDefault,
        PieceOrigin::Output => Role::FromOutput,
        PieceOrigin::Environment => Role::FromEnvironment,
        PieceOrigin::Unfilled => Role::Unfilled,
    }
}

/// What each look of a piece means.
#[must_use]
pub(crate) fn legend_line() -> PreviewLine {
    let mut line = PreviewLine::new();
    for origin in PieceOrigin::VALUES {
        if !line.is_empty() {
            line.push((Role::Dim, "  ".into()));
        }
        line.push((origin_role(origin), format!("■ {}", origin.as_str())));
    }
    line
}

/// What becomes of a field, as its form shows it.
#[must_use]
pub(crate) fn field_preview(text: FieldText) -> FieldPreview {
    let mut preview = FieldPreview { at: text.at, ..FieldPreview::default() };
    preview.hints.extend(origins_line(&text.pieces));
    for remark in text.remarks {
        let (lines, role) = match remark.level {
            RemarkLevel::Hint => (&mut preview.hints, Role::Dim),
            RemarkLevel::Rule => (&mut preview.remarks, Role::Info),
            RemarkLevel::Warning => (&mut preview.remarks, Role::Warning),
            RemarkLevel::Error => (&mut preview.remarks, Role::Error),
        };
        lines.push(vec![(role, remark.text)]);
    }
    let pieces = text.pieces.into_iter();
    preview.pieces = pieces.map(|piece| (origin_role(piece.origin), piece.text)).collect();
    preview
}

/// How many names of each origin are named.
const NAMED: usize = 12;

/// `request: question  default: size`: the names of a text by where their values are from.
fn origins_line(pieces: &[TextPiece]) -> Option<PreviewLine> {
    let mut line = PreviewLine::new();
    for origin in PieceOrigin::VALUES {
        let own = pieces.iter().filter(|piece| piece.origin == origin);
        let named = own.map(|piece| piece.name.as_deref().unwrap_or(&piece.text));
        let mut known = HashSet::new();
        let names: Vec<&str> = named.filter(|name| known.insert(*name)).collect();
        if !names.is_empty() {
            let gap = if line.is_empty() { "" } else { "  " };
            line.push((Role::Dim, gap.to_owned()));
            line.push((origin_role(origin), format!("{}:", origin.as_str())));
            let first = names.get(..NAMED).unwrap_or(&names).join(", ");
            let more = match names.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            line.push((Role::Dim, format!(" {first}{more}")));
        }
    }
    (!line.is_empty()).then_some(line)
}
