//! The tour of the demo on the screen: a strip above the bottom line, with the key that starts or
//! ends it.

use ratatui::{Frame, layout::Rect, style::Modifier};

use super::{
    canvas::{Pen, text_width},
    line_wrap::wrap,
    styles::{Role, Styles},
    view::Reply,
};
use crate::app::{
    input::{Code, Key},
    message::Message,
    state::State,
    tour::{Tour, TourMessage},
};

/// Starts the tour where it is offered, and ends it while it runs.
fn tour_key() -> Key {
    Key::plain(Code::F(1))
}

/// What the key does to the tour; `None` where it is not the tour's.
pub(super) fn take_key(key: Key, state: &State) -> Option<Reply> {
    let message = match state.tour {
        _ if key != tour_key() => return None,
        Tour::Off => return None,
        Tour::Offered => TourMessage::Start,
        Tour::At { .. } => TourMessage::Leave,
    };
    Some(Reply::send(Message::Tour(message)))
}

/// Draws the strip at the bottom of the area, if there is a tour. What is left of the area, and
/// where a press is the key.
pub(super) fn draw_strip(
    frame: &mut Frame<'_>,
    area: Rect,
    styles: &Styles,
    state: &State,
) -> (Rect, Option<(Rect, Key)>) {
    let Some(words) = state.tour.words(&state.keymap) else { return (area, None) };
    let (head, act) = match &state.tour {
        Tour::At { step, of, .. } => (format!("Tour {}/{of}", step + 1), "leaves the tour"),
        _ => ("Tour".to_owned(), "starts it"),
    };
    let act = format!("{} {act}", tour_key());
    let beside = text_width(&head) + text_width(&act) + 8;
    let lines = wrap(&words, usize::from(area.width).saturating_sub(beside).max(20));
    let rows = u16::try_from(lines.len()).unwrap_or(1).min(area.height / 3);
    let strip = Rect { y: area.y + area.height - rows, height: rows, ..area };
    let buffer = frame.buffer_mut();
    buffer.set_style(strip, styles[Role::Selected]);
    let text = styles[Role::Selected];
    for (row, line) in (0..rows).zip(&lines) {
        let mut pen = Pen::new(buffer, strip, row);
        pen.fill_rest(text).move_to(Rect { y: strip.y + row, height: 1, ..strip }, 1);
        if row == 0 {
            pen.put_text(&head, text.add_modifier(Modifier::BOLD));
        }
        let at = u16::try_from(text_width(&head) + 3).unwrap_or(0);
        pen.move_to(Rect { y: strip.y + row, height: 1, ..strip }, at).put_text(line, text);
    }
    let wide = u16::try_from(text_width(&act)).unwrap_or(0);
    let place = Rect {
        x: strip.right().saturating_sub(wide + 2),
        y: strip.y,
        width: wide.min(strip.width),
        height: 1,
    };
    Pen::new(buffer, place, 0).put_text(&act, text.add_modifier(Modifier::BOLD));
    (Rect { height: area.height - rows, ..area }, Some((place, tour_key())))
}
