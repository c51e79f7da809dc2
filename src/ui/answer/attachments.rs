//! What came with the steps of a call, as JSON: objects side by side, two and two, and lists of
//! objects as tables.

use serde_json::Value;

use crate::{
    model::{
        attachment::Attachment,
        call::{Call, EventKind},
    },
    ui::{
        canvas::{text_width, truncate_text, visible_text, wrap},
        styles::Role,
    },
};

/// So many cells a side needs; with fewer the objects stand below each other.
const SIDE: usize = 28;
/// Between two columns.
const GAP: &str = " │ ";

/// The lines of all that came with a call's steps, in its order.
#[must_use]
pub(crate) fn call_attachment_rows(call: &Call, cells: usize) -> Vec<Vec<(Role, String)>> {
    let came = call.events.iter().filter_map(|event| match &event.kind {
        EventKind::Stage(stage) => {
            let body = serde_json::from_str(&stage.body).ok()?;
            Some(Attachment { what: "stage", words: stage.words.clone(), body })
        }
        _ => None,
    });
    attachment_rows(&came.collect::<Vec<_>>(), cells)
}

/// The lines of some attachments: two objects that follow each other stand side by side where there
/// is room.
#[must_use]
pub(crate) fn attachment_rows(
    attachments: &[Attachment],
    cells: usize,
) -> Vec<Vec<(Role, String)>> {
    let mut rows = Vec::new();
    let mut rest = attachments;
    while let [attachment, after @ ..] = rest {
        rest = after;
        match (&attachment.body, after) {
            (Value::Object(_), [beside, after @ ..])
                if beside.body.is_object() && cells >= 2 * SIDE + GAP.len() =>
            {
                rest = after;
                side_by_side(&mut rows, [attachment, beside], cells);
            }
            (Value::Object(_), _) => {
                rows.push(vec![(Role::Heading, visible_text(&attachment.words).into_owned())]);
                rows.extend(
                    value_lines(&attachment.body, cells)
                        .into_iter()
                        .map(|line| vec![(Role::Text, line)]),
                );
            }
            (Value::Array(items), _) => {
                rows.push(vec![(Role::Heading, visible_text(&attachment.words).into_owned())]);
                table(&mut rows, items, cells);
            }
            _ => {}
        }
    }
    rows
}

fn side_by_side(rows: &mut Vec<Vec<(Role, String)>>, both: [&Attachment; 2], cells: usize) {
    let side = (cells - GAP.chars().count()) / 2;
    let mut put = |role: Role, [left, right]: [&str; 2]| {
        let room = " ".repeat(side.saturating_sub(text_width(left)));
        rows.push(vec![
            (role, left.to_owned()),
            (Role::Ghost, format!("{room}{GAP}")),
            (role, right.to_owned()),
        ]);
    };
    let words = both.map(|attachment| wrap(&visible_text(&attachment.words), side));
    let lines = both.map(|attachment| value_lines(&attachment.body, side));
    for (role, [left, right]) in [(Role::Heading, words), (Role::Text, lines)] {
        for line in 0..left.len().max(right.len()) {
            let at = |lines: &[String]| lines.get(line).cloned().unwrap_or_default();
            put(role, [&at(&left), &at(&right)]);
        }
    }
}

/// The value over several lines, none longer than that.
fn value_lines(value: &Value, cells: usize) -> Vec<String> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut lines = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = " ".repeat((line.len() - bare.len()).min(cells / 2));
        lines.extend(
            wrap(&visible_text(bare), cells - indent.len())
                .into_iter()
                .map(|part| format!("{indent}{part}")),
        );
    }
    lines
}

/// A column for each name of the first item.
fn table(rows: &mut Vec<Vec<(Role, String)>>, items: &[Value], cells: usize) {
    let Some(Value::Object(first)) = items.first() else { return };
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    let column = (cells / names.len().max(1)).saturating_sub(2).max(4);
    let mut put = |role: Role, texts: Vec<String>| {
        let padded = texts.iter().map(|text| {
            let text = truncate_text(text, column);
            format!("{text}{}", " ".repeat(column + 2 - text_width(&text)))
        });
        rows.push(vec![(role, padded.collect::<String>().trim_end().to_owned())]);
    };
    put(Role::Accent, names.iter().map(|name| visible_text(name).into_owned()).collect());
    for item in items {
        let text = |name: &&str| match &item[*name] {
            Value::Null => "–".to_owned(),
            Value::Bool(true) => "✓".to_owned(),
            Value::Bool(false) => "✗".to_owned(),
            Value::String(text) => visible_text(text).into_owned(),
            other => other.to_string(),
        };
        put(Role::Text, names.iter().map(text).collect());
    }
}
