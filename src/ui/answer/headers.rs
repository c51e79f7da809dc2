//! What went with a request and came with its answer beside their bodies, and when that changed.

use ratatui::{buffer::Buffer, layout::Rect};

use super::attachments;
use crate::{
    model::{
        call::{Call, EventKind},
        stage::FrameWay,
    },
    ui::{
        canvas::{Pen, mark_chosen, text_width, visible_text, wrap},
        styles::{Role, Styles},
        widgets::list::ListCursor,
    },
};

/// Names are no wider than this before their values stand below each other.
const WIDEST_NAME: usize = 28;

/// A line, in pieces.
type Row = Vec<(Role, String)>;

/// The lines of all headers: those of the request, then those of the answer and of further requests,
/// with the time of each change, and those of strays. Below them is what came with the call's steps.
#[must_use]
pub(crate) fn header_rows(call: &Call, cells: u16) -> Vec<Row> {
    let cells = usize::from(cells);
    let mut rows = vec![heading("with the request")];
    let sent = call.events.iter().find_map(|event| match &event.kind {
        EventKind::Headers { way: FrameWay::Out, headers } => Some(&**headers),
        _ => None,
    });
    push_headers(&mut rows, sent.unwrap_or(&call.request.headers), cells);
    let (mut came, mut requests) = (false, 0);
    for event in call.events.iter() {
        match &event.kind {
            EventKind::Headers { way: FrameWay::Out, headers } => {
                requests += 1;
                if requests > 1 {
                    rows.push(heading(&format!("with another request +{}", event.at_ms)));
                    push_headers(&mut rows, headers, cells);
                }
            }
            EventKind::Headers { way: FrameWay::In, headers } => {
                let words = if came { "changed" } else { "with the answer" };
                rows.push(heading(&format!("{words} +{}", event.at_ms)));
                push_headers(&mut rows, headers, cells);
                came = true;
            }
            EventKind::Stray { cause, headers, .. } if !headers.is_empty() => {
                rows.push(heading(&format!("stray +{}: {}", event.at_ms, cause.message())));
                push_headers(&mut rows, headers, cells);
            }
            _ => {}
        }
    }
    if !came {
        rows.push(heading("with the answer"));
        let words = if call.outcome().is_some() { "none" } else { "none yet" };
        rows.push(vec![(Role::Ghost, format!("  {words}"))]);
    }
    rows.extend(attachments::call_attachment_rows(call, cells));
    rows
}

fn heading(words: &str) -> Row {
    vec![(Role::Heading, words.to_owned())]
}

fn push_headers(rows: &mut Vec<Row>, headers: &[(String, String)], cells: usize) {
    if headers.is_empty() {
        rows.push(vec![(Role::Ghost, "  none".to_owned())]);
    }
    let column = headers
        .iter()
        .map(|(name, _)| text_width(&visible_text(name)))
        .max()
        .unwrap_or(0)
        .min(WIDEST_NAME)
        .min(cells / 2);
    for (name, value) in headers {
        let name = visible_text(name).into_owned();
        let fits = text_width(&name) <= column;
        if !fits {
            rows.push(vec![(Role::Accent, format!("  {name}"))]);
        }
        let value = wrap(&visible_text(value), cells.saturating_sub(column + 4).max(8));
        for (line, text) in value.into_iter().enumerate() {
            let name = if fits && line == 0 { name.as_str() } else { "" };
            let gap = " ".repeat(column.saturating_sub(text_width(name)) + 2);
            rows.push(vec![
                (Role::Accent, format!("  {name}")),
                (Role::Text, format!("{gap}{text}")),
            ]);
        }
    }
}

/// Draws the lines that are seen.
pub(crate) fn draw_headers(
    buffer: &mut Buffer,
    area: Rect,
    styles: &Styles,
    call: &Call,
    cursor: &mut ListCursor,
    focused: bool,
) {
    let rows = header_rows(call, area.width);
    for (line, at) in (0_u16..).zip(cursor.visible_rows(rows.len(), area.height)) {
        let mut pen = Pen::new(buffer, area, line);
        for (role, piece) in &rows[at] {
            pen.put_text(piece, styles[*role]);
        }
        if at == cursor.row && focused {
            mark_chosen(buffer, area, line, styles, focused);
        }
    }
}
