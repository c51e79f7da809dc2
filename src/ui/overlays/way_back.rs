//! Dialogs opened from a question: the question is over, and where it showed the ways to begin,
//! closing the dialog with nothing done leads back to them. And dialogs that are a question.

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
        Reply::Open(overlay)
            if matches!(state.question, Some(Question::Begin | Question::AddTools(_))) =>
        {
            Reply::SendAndOpen(over, Box::new(WayBack { overlay, is_asked: false }))
        }
        Reply::Open(overlay) => Reply::SendAndOpen(over, overlay),
        reply @ Reply::SendAndOpen(..) => reply,
    }
}

/// A dialog as the overlay of a question, which is over when the dialog is; where nothing came of it,
/// the ways to begin are shown where there is nothing yet.
#[must_use]
pub(crate) fn as_question(overlay: Box<dyn Overlay>) -> Box<dyn Overlay> {
    Box::new(WayBack { overlay, is_asked: true })
}

/// A dialog that leads back to the ways to begin.
struct WayBack {
    overlay: Box<dyn Overlay>,
    /// It is the question that is asked.
    is_asked: bool,
}

impl WayBack {
    fn lead_back(&self, reply: OverlayReply, state: &State) -> OverlayReply {
        match reply {
            OverlayReply::Close | OverlayReply::CloseWith(Reply::Handled | Reply::Ignored) => {
                OverlayReply::CloseWith(Reply::send(Message::CancelQuestion))
            }
            OverlayReply::CloseWith(reply) if self.is_asked => {
                OverlayReply::CloseWith(ending_question(reply, state))
            }
            OverlayReply::CloseWith(Reply::Open(overlay)) => {
                let next = Self { overlay, is_asked: false };
                OverlayReply::CloseWith(Reply::Open(Box::new(next)))
            }
            reply => reply,
        }
    }
}

impl Overlay for WayBack {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        self.overlay.draw(frame, area, look, state);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        let reply = self.overlay.handle_input(input, state);
        self.lead_back(reply, state)
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        self.overlay.key_hints()
    }

    fn is_typing(&self) -> bool {
        self.overlay.is_typing()
    }

    fn selected_text(&self) -> Option<&str> {
        self.overlay.selected_text()
    }

    fn sheet(&mut self, state: &State) -> Sheet {
        self.overlay.sheet(state)
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        let reply = self.overlay.answer(entry, state);
        self.lead_back(reply, state)
    }
}
