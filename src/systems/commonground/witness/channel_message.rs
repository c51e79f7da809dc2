//! What the readers of messages look at alike: the subject's parts, headers, members of the body.

use serde_json::{Map, Value};

use super::super::{ack::Ack, command::Command, headers, subject::Subject, trace::Traceparent};
use crate::model::{
    call::CallError,
    entry::SystemId,
    error_kind::ErrorKind,
    traffic::{Decoded, KeptMessage, MessageLinks, ObservedMessage, ParentConversation, Part},
};

pub(super) const SYSTEM: SystemId = super::super::keys::SYSTEM;

/// A message whose subject is CommonGround's.
pub(super) struct ChannelMessage<'c> {
    pub(super) crossing: &'c ObservedMessage,
    pub(super) subject: Subject,
    /// The members of its body, or why it has none.
    pub(super) fields: Result<Map<String, Value>, CallError>,
}

impl<'c> ChannelMessage<'c> {
    pub(super) fn new(crossing: &'c ObservedMessage, subject: Subject) -> Self {
        Self { crossing, subject, fields: fields_of(crossing) }
    }

    /// A member of the body that is text and not blank.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.member(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.fields.as_ref().ok()?.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn header(&self, name: &str) -> Option<&'c str> {
        headers::find_value(&self.crossing.headers, name)
    }

    /// The turn that it belongs to.
    pub(super) fn turn_id(&self) -> Option<&str> {
        self.header(headers::TURN).or_else(|| self.text("agent_turn_id"))
    }

    /// What it acknowledges, where it does; of a body that cannot be read nothing.
    pub(super) fn ack(&self) -> Ack {
        let fields = self.fields.as_ref().ok().cloned().map(Value::Object);
        fields.and_then(|fields| Ack::from_value(&fields)).unwrap_or_default()
    }

    /// A message of the turn itself.
    pub(super) fn of_turn(
        &self,
        part: Part,
        label: &'static str,
        text: impl Into<String>,
    ) -> Decoded {
        let part =
            if self.turn_id().is_none() && part == Part::Note { Part::Broadcast } else { part };
        let reading = Decoded {
            id: self.turn_id().map(str::to_owned),
            ..Decoded::new(Some(SYSTEM), part, label, text)
        };
        with_trace(self.crossing, reading)
    }

    /// A message of a call, or an action, that is part of its turn.
    pub(super) fn of_call(
        &self,
        id: Option<&str>,
        part: Part,
        label: &'static str,
        text: impl Into<String>,
    ) -> Decoded {
        let within = self.turn_id().map(|turn| ParentConversation {
            id: turn.to_owned(),
            topic: self.header(headers::AGENT).map(str::to_owned),
        });
        let reading =
            Decoded { id: id.map(str::to_owned), ..Decoded::new(Some(SYSTEM), part, label, text) };
        let reading = with_trace(self.crossing, reading);
        let asked_by = self.header(headers::PARENT_TURN).map(|turn| ParentConversation {
            id: turn.to_owned(),
            topic: self.header(headers::PARENT_AGENT).map(str::to_owned),
        });
        Decoded { ties: MessageLinks { within, asked_by, ..reading.ties }, ..reading }
    }

    /// The message as who sent it made it.
    pub(super) fn command(&self) -> Command {
        Command {
            subject: self.crossing.subject.to_string(),
            headers: self.crossing.headers.clone(),
            body: self.crossing.body_text().into_owned(),
        }
    }
}

/// The reading with the trace that its headers name.
pub(super) fn with_trace(crossing: &ObservedMessage, mut reading: Decoded) -> Decoded {
    let trace = headers::find_value(&crossing.headers, headers::TRACE)
        .and_then(|text| Traceparent::parse(text).ok());
    reading.ties.trace = trace.map(|trace| trace.trace_id().to_owned());
    reading
}

pub(super) fn fields_of(crossing: &ObservedMessage) -> Result<Map<String, Value>, CallError> {
    let problem = |kind: ErrorKind, message: String| CallError {
        kind,
        message,
        remedy: "CommonGround's messages are JSON objects; look at the body".into(),
    };
    if crossing.kept == KeptMessage::Start {
        return Err(problem(
            ErrorKind::TooLarge,
            format!("only the start of its {} bytes is kept", crossing.size),
        ));
    }
    serde_json::from_slice(&crossing.body)
        .map_err(|error| problem(ErrorKind::NotJson, format!("it is no JSON object: {error}")))
}

/// The end of an id, which distinguishes ids that begin with the time.
pub(super) fn short_id(id: &str) -> String {
    const KEPT: usize = 6;
    let letters = id.chars().count();
    if letters <= KEPT + 6 {
        id.to_owned()
    } else {
        format!("…{}", id.chars().skip(letters - KEPT).collect::<String>())
    }
}
