//! The table of widgets: which one shows and edits which kind of field. A new widget is a file and
//! a row.

use super::{
    adds, cell::Widget, chips, choice, constant, fold, moment, multi_line, number, path, raw_json,
    read_only, secret, text, toggle, variant,
};
use crate::schema::kind::{Kind, TextKind};

/// A row of the table.
pub struct Row {
    pub name: &'static str,
    fits: fn(&Kind) -> bool,
    widget: &'static dyn Widget,
}

/// Every widget; the first row that fits counts.
pub const ROWS: &[Row] = &[
    Row {
        name: "text",
        fits: |kind| matches!(kind, Kind::Text(TextKind::Line)),
        widget: &text::Text,
    },
    Row {
        name: "secret",
        fits: |kind| matches!(kind, Kind::Text(TextKind::Secret)),
        widget: &secret::Secret,
    },
    Row {
        name: "path",
        fits: |kind| matches!(kind, Kind::Text(TextKind::Path)),
        widget: &path::PathField,
    },
    Row {
        name: "date and time",
        fits: |kind| matches!(kind, Kind::Text(TextKind::Moment(_))),
        widget: &moment::MomentField,
    },
    Row {
        name: "multi-line text",
        fits: |kind| matches!(kind, Kind::Text(TextKind::Lines)),
        widget: &multi_line::MultiLine,
    },
    Row {
        name: "number",
        fits: |kind| matches!(kind, Kind::Number { .. }),
        widget: &number::NumberField,
    },
    Row { name: "toggle", fits: |kind| matches!(kind, Kind::Toggle), widget: &toggle::Toggle },
    Row {
        name: "choice",
        fits: |kind| matches!(kind, Kind::Choice(_)),
        widget: &choice::ChoiceField,
    },
    Row { name: "chips", fits: |kind| matches!(kind, Kind::Chips(_)), widget: &chips::Chips },
    Row {
        name: "fold",
        fits: |kind| matches!(kind, Kind::Object { .. } | Kind::List { .. } | Kind::Map { .. }),
        widget: &fold::Fold,
    },
    Row {
        name: "variant",
        fits: |kind| matches!(kind, Kind::Variant { .. }),
        widget: &variant::VariantField,
    },
    Row {
        name: "constant",
        fits: |kind| matches!(kind, Kind::Const(_) | Kind::Null),
        widget: &constant::Constant,
    },
    Row {
        name: "read-only",
        fits: |kind| matches!(kind, Kind::ReadOnly),
        widget: &read_only::ReadOnly,
    },
    Row { name: "add", fits: |kind| matches!(kind, Kind::Add(_)), widget: &adds::AddRow },
    Row { name: "more", fits: |kind| matches!(kind, Kind::More { .. }), widget: &adds::MoreRow },
    Row { name: "raw JSON", fits: |_| true, widget: &raw_json::RawJson },
];

/// The widget for a kind of field.
#[must_use]
pub fn widget(kind: &Kind) -> &'static dyn Widget {
    ROWS.iter().find(|row| (row.fits)(kind)).map_or(&raw_json::RawJson, |row| row.widget)
}
