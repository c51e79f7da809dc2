//! What is watched: where to listen for what people name, and what passes there, in the terms of
//! whichever system it is.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    facets::observer::{Follower, Observer, Place, SeenCall, Usual},
    table::{by_id, every_system},
};
use crate::{
    engine::traffic::conversation::{Conversation, ConversationState},
    model::{
        attachment::{Attachment, CardSource},
        call::CallError,
        catalog::Catalog,
        clock::Millis,
        connection::Connection,
        entry::SystemId,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        traffic::{Decoded, ObservedMessage, Part, SettledConversation, Tapped, WatchedItem},
        transport::{Names, TransportKind},
    },
};

/// Where to listen for a subject that somebody names: a queue in a system's own spelling, or a
/// place as the transport spells it.
///
/// # Errors
/// When there is no such place on the transport, with what to name instead.
pub fn parse_place(text: &str, transport: TransportKind) -> Result<Place, Problem> {
    let text = text.trim();
    let parse = |(_, observer): (_, &dyn Observer)| observer.parse_place(text, transport);
    if !transport.is_bus()
        && let Some(place) = observers().filter(|(_, it)| it.owns(text)).find_map(parse)
    {
        return place;
    }
    require_bus(transport)?;
    if let Some(place) = observers().find_map(parse) {
        return place;
    }
    let refused = |cause: &str, remedy: &str| {
        Err(Problem::new(ProblemKind::Input, format!("watching \"{text}\""), cause)
            .with_remedy(remedy))
    };
    let parts: Vec<&str> = text.split('.').collect();
    let wild = |part: &&str| ["*", ">"].contains(part);
    let names = transport.spec().names;
    let subjects = names == Names::Subjects;
    if text.is_empty()
        || text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
    {
        return refused(
            "it is empty, or has a space in it",
            "name subjects, such as tg.request.joke",
        );
    }
    if subjects
        && (parts.iter().any(|part| part.is_empty())
            || parts.iter().rev().skip(1).any(|part| *part == ">"))
    {
        return refused(
            "a part of it is empty, or > is not its last part",
            "use tg.request.joke, tg.*.joke or tg.>",
        );
    }
    if !subjects && parts.iter().any(wild) {
        let remedy = "name each queue, or none for the queues of the workspace's services";
        return refused(&format!("{} has no wildcards", transport.title()), remedy);
    }
    if names == Names::Topics {
        let remedy = "use request:tg:NAME or non-persistent://tg/request/NAME";
        return refused(&format!("{}'s topics have a scheme", transport.title()), remedy);
    }
    Ok(Place { name: text.to_owned(), kept: false })
}

/// Where to listen when nobody names anything: all that matters to the system that the connection
/// leads to; else the queues of the services that there are, or where there are none, everything.
///
/// # Errors
/// When there is neither a service that the transport could carry nor a wildcard.
pub fn default_places(catalog: &Catalog, connection: &Connection) -> Result<Vec<Place>, Problem> {
    if let Some(Usual { places, .. }) = default_watch(connection) {
        return Ok(places);
    }
    let transport = connection.transport();
    require_bus(transport)?;
    let queues = catalog
        .services
        .iter()
        .flat_map(|service| [&service.request_queue, &service.response_queue])
        .flatten();
    let queues = queues.filter(|queue| !queue.is_empty());
    let mut places: Vec<Place> = Vec::new();
    let mut refused = None;
    for queue in queues {
        let found = observers()
            .find_map(|(_, observer)| observer.parse_place(queue, transport))
            .unwrap_or_else(|| parse_place(queue, transport));
        match found {
            Ok(place) if !places.contains(&place) => places.push(place),
            Ok(_) => {}
            // One that has no place there cannot be received there.
            Err(problem) => refused = Some(problem),
        }
    }
    if !places.is_empty() {
        return Ok(places);
    }
    match transport.spec().names {
        Names::Subjects => Ok(vec![Place { name: ">".into(), kept: false }]),
        _ => {
            let cause = match refused {
                Some(Problem { cause, remedy, .. }) => {
                    format!(
                        "no subject is named, and no queue of the workspace's services has a place there: {cause}; {remedy}"
                    )
                }
                None => {
                    "no subject given, and no service of the workspace has a queue there".to_owned()
                }
            };
            let remedy = "name what to watch, such as request:tg:joke and response:tg:joke";
            Err(Problem::new(ProblemKind::Missing, "watching", cause).with_remedy(remedy))
        }
    }
}

/// The call of a tool that a message is, where the place that it went to doesn't say the tool.
#[must_use]
pub(crate) fn seen_call(crossing: &ObservedMessage) -> Option<SeenCall> {
    let mut owners = observers().filter(|(_, observer)| observer.owns(&crossing.subject));
    owners.find_map(|(_, observer)| observer.seen_call(crossing))
}

fn observers() -> impl Iterator<Item = (SystemId, &'static dyn Observer)> {
    every_system().iter().filter_map(|system| Some((system.id(), system.observer()?)))
}

/// All that matters to the system that a connection leads to; `None` where it leads to none that
/// says so.
#[must_use]
pub(crate) fn default_watch(connection: &Connection) -> Option<Usual> {
    observers().find_map(|(_, observer)| observer.default_watch(connection))
}

/// All that passes between toolcrib and a server; `None` where the connection leads to a bus.
#[must_use]
pub(crate) fn server_watch(connection: &Connection) -> Option<Usual> {
    default_watch(connection).filter(|_| !connection.transport().is_bus())
}

/// Whether anything can be received on a connection at all.
///
/// # Errors
/// When it leads to no bus, and to no system that shows what passes.
pub(crate) fn require_watchable(connection: &Connection) -> Result<(), Problem> {
    match default_watch(connection) {
        Some(_) => Ok(()),
        None => require_bus(connection.transport()),
    }
}

/// Whether there is a bus to listen on at all.
///
/// # Errors
/// When the transport has none.
fn require_bus(transport: TransportKind) -> Result<(), Problem> {
    if transport.is_bus() {
        return Ok(());
    }
    let cause = format!(
        "{} only answers its own callers and doesn't show other \
        traffic",
        transport.title()
    );
    Err(Problem::new(ProblemKind::Input, "watching", cause)
        .with_remedy("choose a connection to the broker behind it"))
}

/// Headers that tie messages together, whatever their system.
const IDS: [&str; 5] = ["id", "correlation_id", "correlation-id", "request_id", "request-id"];

/// Reads what is received as the systems do, and remembers what they need to see more than one
/// message says.
#[derive(Default)]
pub struct TrafficWitness {
    followers: BTreeMap<SystemId, Box<dyn Follower>>,
}

impl TrafficWitness {
    /// Learns who takes part, as the places of [`roster_sources`] tell it.
    pub fn update_roster(&mut self, system: SystemId, roster: &Value) {
        let follower =
            self.followers.remove(system).or_else(|| Some(by_id(system)?.observer()?.follower()));
        if let Some(mut follower) = follower {
            follower.update_roster(roster);
            self.followers.insert(system, follower);
        }
    }

    /// What was received next.
    #[must_use]
    pub fn observe_message(&mut self, tapped: Tapped) -> WatchedItem {
        let mut witnessed = classify_tapped(tapped);
        if let WatchedItem::ObservedMessage(crossing, reading) = &mut witnessed
            && let Some(id) = reading.system
        {
            let known = self.followers.contains_key(id);
            if let Some(new) = (!known).then(|| Some(by_id(id)?.observer()?.follower())).flatten() {
                self.followers.insert(id, new);
            }
            if let Some(follower) = self.followers.get_mut(id) {
                follower.observe_message(crossing, reading);
            }
        }
        witnessed
    }
}

/// What may be the matter with a conversation that waits; `None` while nothing need be.
#[must_use]
pub(crate) fn waiting_reason(conversation: &Conversation, now: Millis) -> Option<String> {
    let waits = conversation.standing == ConversationState::Open;
    waits
        .then(|| by_id(conversation.system?)?.observer()?.waiting_reason(conversation, now))
        .flatten()
}

/// Where it can be read who takes part on a connection, with the systems whose it is.
pub(crate) fn roster_sources(
    connection: &Connection,
) -> impl Iterator<Item = (SystemId, CardSource)> {
    observers()
        .filter_map(move |(system, observer)| Some((system, observer.roster_source(connection)?)))
}

/// Where the cards that a system's messages point to can be read on a connection.
///
/// # Errors
/// When there are none of that system, or the connection lacks something, with what to set.
pub(crate) fn card_source(
    system: Option<SystemId>,
    connection: &Connection,
    cards: &[String],
) -> Result<CardSource, Problem> {
    match system.and_then(|id| by_id(id)?.attachments()) {
        Some(attachments) => attachments.card_source(connection, cards),
        None => Err(Problem::new(
            ProblemKind::Input,
            "reading cards",
            "these messages refer to no cards",
        )),
    }
}

/// Why a card could not be read, of what came with an HTTP status that is no success.
#[must_use]
pub(crate) fn card_read_error(system: SystemId, status: u16, body: &[u8]) -> CallError {
    match by_id(system).and_then(|system| system.attachments()) {
        Some(attachments) => attachments.card_read_error(status, body),
        None => CallError::new(
            ErrorKind::parse(&format!("http-{status}")),
            format!("the server answers {status}"),
            "",
        ),
    }
}

/// Whether cards of any system can be read on a connection.
///
/// # Errors
/// When not, with what to set.
pub(crate) fn any_card_source(connection: &Connection) -> Result<(), Problem> {
    let mut sources = every_system()
        .iter()
        .filter_map(|system| Some(system.attachments()?.card_source(connection, &[])));
    let first = sources.next().unwrap_or_else(|| card_source(None, connection, &[]));
    first.or_else(|problem| sources.find_map(Result::ok).ok_or(problem)).map(drop)
}

/// Cards for people, as their system lays them out.
#[must_use]
pub(crate) fn laid_out(system: Option<SystemId>, cards: &[Value]) -> Vec<Attachment> {
    system
        .and_then(|id| by_id(id)?.attachments())
        .map_or_else(Vec::new, |attachments| attachments.laid_out(cards))
}

/// How a card says that a conversation of its system ended.
#[must_use]
pub(crate) fn card_outcome(system: Option<SystemId>, card: &Value) -> Option<SettledConversation> {
    by_id(system?)?.attachments()?.card_outcome(card)
}

/// One message, as its system reads it, without what went before.
#[must_use]
pub fn classify_tapped(tapped: Tapped) -> WatchedItem {
    match tapped {
        Tapped::ObservedMessage(crossing) => {
            let reading = classify_message(&crossing);
            WatchedItem::ObservedMessage(crossing, reading)
        }
        Tapped::Gap { at, messages } => WatchedItem::Gap { at, messages },
        Tapped::Notice { at, words, breaks } => WatchedItem::Notice { at, words, breaks },
    }
}

/// A message as its system reads it; where it is nobody's, what can be said of any message.
#[must_use]
pub(crate) fn classify_message(crossing: &ObservedMessage) -> Decoded {
    let owner = observers().find(|(_, observer)| observer.owns(&crossing.subject));
    let reading = match owner {
        Some((_, owner)) => owner.classify_message(crossing),
        None => observers().find_map(|(_, observer)| observer.classify_message(crossing)),
    };
    if let Some(reading) = reading {
        return reading;
    }
    let header = |wanted: &&str| {
        let known = crossing.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        known.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    };
    let (part, label) = match &crossing.reply {
        Some(_) => (Part::Request, "request"),
        None if crossing.subject.starts_with("_INBOX.") => (Part::Answer { last: true }, "answer"),
        None => (Part::Other, "message"),
    };
    Decoded {
        id: IDS.iter().find_map(header),
        ..Decoded::new(None, part, label, crossing.body_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::traffic::KeptMessage;

    fn name(text: &str, transport: TransportKind) -> Result<String, String> {
        parse_place(text, transport).map(|place| place.name).map_err(|problem| problem.to_string())
    }

    #[test]
    fn places_are_named_as_the_system_or_the_transport_spells_them() {
        use TransportKind::{Embedded, Kafka, Nats, Pulsar, RabbitMq};
        for (text, transport, expected) in [
            ("request:tg:joke", Nats, "tg.request.joke"),
            ("non-persistent://tg/request/joke", Nats, "tg.request.joke"),
            ("tg.>", Nats, "tg.>"),
            ("*.request.*", Embedded, "*.request.*"),
            ("tg.request.joke", RabbitMq, "tg.request.joke"),
            ("request:tg:agent:default:default", RabbitMq, "tg.request.agent:default:default"),
            ("request:tg:joke", Pulsar, "non-persistent://tg/request/joke"),
            ("persistent://tg/flow/x", Pulsar, "persistent://tg/flow/x"),
            ("request:tg:agent:default:default", Kafka, "tg.request.agent.default.default"),
            ("tg.request.joke", Kafka, "tg.request.joke"),
        ] {
            assert_eq!(name(text, transport), Ok(expected.to_owned()), "{text}");
        }
        for (text, transport, word) in [
            ("", Nats, "empty"),
            ("a b", Nats, "space"),
            ("tg..x", Nats, "empty"),
            ("tg.>.x", Nats, "last"),
            ("tg.*", RabbitMq, "wildcard"),
            ("joke", Pulsar, "scheme"),
            ("tg.>", Kafka, "wildcard"),
            ("non-persistent://tg/request/joke", Kafka, "request:tg:joke"),
            ("non-persistent://tg/request/joke", RabbitMq, "request:tg:joke"),
            ("request:tg:joke", TransportKind::Http, "doesn't show other traffic"),
        ] {
            assert!(
                name(text, transport).unwrap_err().contains(word),
                "{text}: {:?}",
                name(text, transport)
            );
        }
    }

    #[test]
    fn any_message_can_be_read() {
        let crossing = |reply: Option<&str>, headers: &[(&str, &str)]| ObservedMessage {
            at: Millis(0),
            subject: "orders.new".into(),
            reply: reply.map(Into::into),
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect(),
            body: b"hello"[..].into(),
            size: 5,
            kept: KeptMessage::Whole,
            about: None,
        };
        let asks = classify_message(&crossing(Some("_INBOX.1"), &[("Correlation_Id", "c-1")]));
        assert_eq!(
            (asks.part, asks.id.as_deref(), asks.text.as_str()),
            (Part::Request, Some("c-1"), "hello")
        );
        assert_eq!(classify_message(&crossing(None, &[])).part, Part::Other);
    }
}
