//! The tour of the demo on the screen: a strip above the bottom line, with the key that starts or
//! ends it.

use ratatui::{Frame, layout::Rect, style::Modifier};

use super::{
    action_rows::{self, refuse_when},
    canvas::{Pen, text_width},
    everywhere::Window,
    line_wrap::wrap,
    styles::{Role, Styles},
    view::Reply,
};
use crate::app::{
    actions::{ActionId, Scope},
    message::Message,
    state::State,
    tour::{Tour, TourMessage},
};

/// Starts the tour where it is offered, and leaves it while it runs.
const TURN: ActionId = "tour";

type Row = action_rows::Row<dyn Window>;

/// F1 is the tour's in the demo and help's elsewhere, in both modes: so it has no verb.
pub(crate) const ACTIONS: &[Row] = &[Row::new(Scope::Tour, TURN, "tour", |_, state| turn(state))
    .edit_keys(&["f1"])
    .help("Start or leave the tour of the demo; it goes on where you left")
    .refused(|_, state| refuse_when(state.tour == Tour::Off, "only in toolcrib demo"))];

fn turn(state: &State) -> Reply {
    let message = match state.tour {
        Tour::At { .. } => TourMessage::Leave,
        _ => TourMessage::Start,
    };
    Reply::send(Message::Tour(message))
}

/// Draws the strip at the bottom of the area, if there is a tour. What is left of the area, and
/// where a press does the action.
pub(super) fn draw_strip(
    frame: &mut Frame<'_>,
    area: Rect,
    styles: &Styles,
    state: &State,
) -> (Rect, Option<(Rect, ActionId)>) {
    let Some(words) = state.tour.words(&state.keymap) else { return (area, None) };
    let (head, act) = match &state.tour {
        Tour::At { step, of, .. } => (format!("Tour {}/{of}", step + 1), "leaves the tour"),
        _ => ("Tour".to_owned(), "starts it"),
    };
    let act = format!("{} {act}", state.keymap.way_to(TURN));
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
    // The words of a step can be read with a press; only what says that it leaves does so.
    let pressed = if matches!(state.tour, Tour::At { .. }) { place } else { strip };
    (Rect { height: area.height - rows, ..area }, Some((pressed, TURN)))
}
