//! Sending a request: what is typed goes along, and what is wrong with it is said once.

use super::{
    parts::Part,
    request::RequestPane,
    warned::{Warned, wrong_field},
};
use crate::{
    app::{calls::CallMessage, message::Message, notices::NoticeKind, state::State},
    model::entry::EntryId,
    schema::pointer::Pointer,
    systems::facets::steps::StepChoice,
    ui::view::Reply,
};

impl RequestPane {
    /// Sends what the forms hold. What a schema or the server forbids is refused once; sending it
    /// again means it.
    pub(super) fn send(&mut self, state: &State) -> Reply {
        let until = self.steps.run().last_before_break(0);
        match until.filter(|_| self.steps.is_open() && !self.mock.is_on()) {
            Some(until) => self.send_chosen(state, |tool| {
                let until = Some((until + 1).to_string());
                CallMessage::SendSteps {
                    tool,
                    choice: Box::new(StepChoice { until, ..StepChoice::default() }),
                }
            }),
            None => self.send_chosen(state, |tool| CallMessage::Send { tool }),
        }
    }

    /// Whether the last request wasn't sent because of what is typed for it.
    pub(super) fn is_warned(&self) -> bool {
        self.warned.is_some()
    }

    /// The cursor goes to the argument at a place.
    fn point_at_argument(&mut self, at: &Pointer, state: &State) -> Vec<Message> {
        self.part = Part::Arguments;
        match self.arguments.ask(state, |form| form.focus_field(at)) {
            Reply::Send(messages) => messages,
            _ => Vec::new(),
        }
    }

    /// The same with a message of another kind.
    pub(super) fn send_chosen(
        &mut self,
        state: &State,
        message: impl FnOnce(EntryId) -> CallMessage,
    ) -> Reply {
        // What is typed and not yet taken in goes along.
        let mut messages = self.arguments.leave(state);
        messages.extend(self.steps.inputs.leave(state));
        messages.extend(self.mock.host.leave(state));
        messages.extend(self.meta.host_mut().leave(state));
        if let Some(words) = self.mock.first_issue() {
            self.show_part(Part::Mock);
            let words = format!("The mock can't answer: {words}");
            return Reply::Send(
                [messages, vec![Message::Notice(NoticeKind::Problem, words)]].concat(),
            );
        }
        let wrong_at = self.arguments.shown_form_mut().and_then(wrong_field);
        let (Some(form), Some(tool)) = (self.arguments.shown_form(), self.tool().cloned()) else {
            return Reply::Refused("choose a tool first".into());
        };
        let beside = || state.tool(&tool).and_then(|tool| self.meta.first_issue(tool));
        let warned = Warned::of(form, self.meta.host().shown_form(), wrong_at.as_ref(), beside);
        if let Some(Warned { words, .. }) = &warned
            && self.warned != warned
        {
            let edits = if wrong_at.is_some() { " Enter edits it," } else { "" };
            let words = format!("{words};{edits} send again to make the call anyway");
            self.warned = warned;
            if let Some(at) = wrong_at {
                messages.extend(self.point_at_argument(&at, state));
            }
            if messages.is_empty() {
                return Reply::Refused(words);
            }
            messages.push(Message::Notice(NoticeKind::Hint, words));
            return Reply::Send(messages);
        }
        self.warned = None;
        messages.push(Message::Call(message(tool)));
        Reply::Send(messages)
    }
}
