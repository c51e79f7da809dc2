//! How the arguments of a request are shown: in a form or as JSON, with or without secrets.

use super::{parts::Part, request::RequestPane};
use crate::{
    app::{message::Message, notices::NoticeKind, state::State},
    ui::{form::view::Form, view::Reply},
};

impl RequestPane {
    /// Edits the arguments as JSON, or in a form again.
    pub(super) fn switch_json(&mut self, state: &State) -> Reply {
        let mut messages = self.arguments.leave(state);
        self.part = Part::Arguments;
        if let Some(words) = self.arguments.shown_form().and_then(Form::unsent_draft) {
            messages.push(Message::Notice(NoticeKind::Problem, words));
            return Reply::Send(messages);
        }
        self.arguments.rest();
        self.view.as_json = !self.view.as_json;
        self.opens_json = self.view.as_json;
        Reply::Send(messages)
    }

    /// Shows values whose names are those of secrets, or hides them again.
    pub(super) fn turn_secrets(&mut self) -> Reply {
        self.view.shows_secrets = !self.view.shows_secrets;
        self.generation = None;
        Reply::Handled
    }
}
