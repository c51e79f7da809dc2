//! The table of widgets: which one shows and edits which kind of field. A new widget is a file and
//! a row.

use super::{
    adds, cell::Widget, chips, choice, constant, fold, moment, multi_line, number, or_null, path,
    raw_json, read_only, secret, text, toggle, variant,
};
use crate::schema::kind::{Kind, TextKind};

/// A row of the table.
pub(crate) struct Row {
    fits: fn(&Kind) -> bool,
    widget: &'static dyn Widget,
}

/// Every widget; the first row that fits counts.
pub(crate) const ROWS: &[Row] = &[
    Row { fits: |kind| matches!(kind, Kind::Text(TextKind::Line)), widget: &text::Text },
    Row { fits: |kind| matches!(kind, Kind::Text(TextKind::Secret)), widget: &secret::Secret },
    Row { fits: |kind| matches!(kind, Kind::Text(TextKind::Path)), widget: &path::PathField },
    Row {
        fits: |kind| matches!(kind, Kind::Text(TextKind::Moment(_))),
        widget: &moment::MomentField,
    },
    Row {
        fits: |kind| matches!(kind, Kind::Text(TextKind::Lines)),
        widget: &multi_line::MultiLine,
    },
    Row { fits: |kind| matches!(kind, Kind::Number { .. }), widget: &number::NumberField },
    Row { fits: |kind| matches!(kind, Kind::Toggle), widget: &toggle::Toggle },
    Row { fits: |kind| matches!(kind, Kind::Choice(_)), widget: &choice::ChoiceField },
    Row { fits: |kind| matches!(kind, Kind::Chips(_)), widget: &chips::Chips },
    Row {
        fits: |kind| matches!(kind, Kind::Object { .. } | Kind::List { .. } | Kind::Map { .. }),
        widget: &fold::Fold,
    },
    Row { fits: |kind| matches!(kind, Kind::Variant { .. }), widget: &variant::VariantField },
    Row { fits: |kind| matches!(kind, Kind::Const(_) | Kind::Null), widget: &constant::Constant },
    Row { fits: |kind| matches!(kind, Kind::OrNull { .. }), widget: &or_null::OrNull },
    Row { fits: |kind| matches!(kind, Kind::ReadOnly), widget: &read_only::ReadOnly },
    Row { fits: |kind| matches!(kind, Kind::Add(_)), widget: &adds::AddRow },
    Row { fits: |kind| matches!(kind, Kind::More { .. }), widget: &adds::MoreRow },
    Row { fits: |_| true, widget: &raw_json::RawJson },
];

/// The widget for a kind of field.
#[must_use]
pub(crate) fn widget_for(kind: &Kind) -> &'static dyn Widget {
    ROWS.iter().find(|row| (row.fits)(kind)).map_or(&raw_json::RawJson, |row| row.widget)
}
