//! Dialogs opened from a question: the question is over, and where it showed the ways to begin,
//! closing the dialog with nothing done leads back to them.

use ratatui::{Frame, layout::Rect};

use crate::{
    app::{input::Input, message::Message, notices::NoticeKind, question::Question, state::State},
    ui::{
        sheet::{Entry, Sheet},
        view::{Look, Overlay, OverlayReply, Reply},
    },
};

/// What an action does that answers the question that is asked, if one is.
#[must_use]
pub(crate) fn ending_question(reply: Reply, state: &State) -> Reply {
    let over = Message::DropQuestion;
    match reply {
        reply if state.question.is_none() => reply,
        Reply::Ignored | Reply::Handled => Reply::send(over),
        Reply::Send(messages) => Reply::Send([vec![over], messages].concat()),
        Reply::Refused(why) => Reply::Send(vec![over, Message::Notice(NoticeKind::Hint, why)]),
        Reply::Open(overlay) if state.question == Some(Question::Begin) => {
            Reply::SendAndOpen(over, Box::new(WayBack(overlay)))
        }
        Reply::Open(overlay) => Reply::SendAndOpen(over, overlay),
        reply @ Reply::SendAndOpen(..) => reply,
    }
}

/// A dialog that leads back to the ways to begin.
struct WayBack(Box<dyn Overlay>);

fn lead_back(reply: OverlayReply) -> OverlayReply {
    match reply {
        OverlayReply::Close | OverlayReply::CloseWith(Reply::Handled | Reply::Ignored) => {
            OverlayReply::CloseWith(Reply::send(Message::CancelQuestion))
        }
        OverlayReply::CloseWith(Reply::Open(next)) => {
            OverlayReply::CloseWith(Reply::Open(Box::new(WayBack(next))))
        }
        reply => reply,
    }
}

impl Overlay for WayBack {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        self.0.draw(frame, area, look, state);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        lead_back(self.0.handle_input(input, state))
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        self.0.key_hints()
    }

    fn is_typing(&self) -> bool {
        self.0.is_typing()
    }

    fn selected_text(&self) -> Option<&str> {
        self.0.selected_text()
    }

    fn sheet(&mut self, state: &State) -> Sheet {
        self.0.sheet(state)
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        lead_back(self.0.answer(entry, state))
    }
}
