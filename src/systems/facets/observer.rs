//! What passes on a bus, in the terms of a system.

use serde_json::Value;

use crate::{
    engine::traffic::conversation::Conversation,
    model::{
        attachment::CardSource,
        clock::Millis,
        connection::Connection,
        problem::Problem,
        traffic::{Decoded, ObservedMessage},
        transport::TransportKind,
    },
};

/// Reads messages that pass by.
pub trait Observer: Sync {
    /// What a message that passed by is; `None` where it is none of this system's.
    fn classify_message(&self, crossing: &ObservedMessage) -> Option<Decoded>;

    /// The call of a tool that a message is, where the place that it went to doesn't say the tool.
    fn seen_call(&self, crossing: &ObservedMessage) -> Option<SeenCall> {
        let _ = crossing;
        None
    }

    /// Somebody who follows what passes and sees what one message alone does not show.
    fn follower(&self) -> Box<dyn Follower>;

    /// Whether a subject is spelled as only this system's are, so that no other system is asked
    /// about what passes there.
    fn owns(&self, subject: &str) -> bool {
        let _ = subject;
        false
    }

    /// Where messages to a queue are received on the transport; `None` where the text is no queue
    /// in one of this system's own spellings.
    fn parse_place(&self, text: &str, transport: TransportKind) -> Option<Result<Place, Problem>> {
        let _ = (text, transport);
        None
    }

    /// Everything that matters to this system on a connection; `None` where the connection does not
    /// lead to it.
    fn default_watch(&self, connection: &Connection) -> Option<Usual> {
        let _ = connection;
        None
    }

    /// What may be the matter with a conversation of this system that waits; `None` while nothing
    /// need be.
    fn waiting_reason(&self, conversation: &Conversation, now: Millis) -> Option<String> {
        let _ = (conversation, now);
        None
    }

    /// Where it can be read who takes part on a connection, so that messages can be known by names;
    /// `None`: nowhere.
    fn roster_source(&self, connection: &Connection) -> Option<CardSource> {
        let _ = connection;
        None
    }
}

/// Follows what passes, message by message, in the order in which it is received.
pub trait Follower: Send {
    /// Takes in a message of its system, and adds to the reading what the messages before it make
    /// odd.
    fn observe_message(&mut self, crossing: &ObservedMessage, reading: &mut Decoded);

    /// Takes in who there is, as [`Observer::roster_source`] reads it.
    fn update_roster(&mut self, roster: &Value) {
        let _ = roster;
    }
}

/// A call of a tool that was seen on its way to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenCall {
    /// The tool's name at its server.
    pub tool: String,
    /// Where its request goes, and its body.
    pub to: String,
    pub body: String,
}

/// What is listened to where nobody names anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usual {
    /// For people: `all of channel public of project lab`.
    pub words: String,
    pub places: Vec<Place>,
}

/// Where messages are received, as the transport spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub name: String,
    /// They are kept until somebody takes them.
    pub kept: bool,
}
