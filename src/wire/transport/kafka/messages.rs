//! How Kafka refuses, in words that tell the way out.

use std::error::Error as Cause;

use rskafka::client::error::{Error, ProtocolError};

use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    wire::transport::{
        reconnecting::LinkEvent,
        settings::Server,
        socket::{self, no_server},
    },
};

/// The broker's number for what it says, as far as it came to that.
#[must_use]
pub(crate) fn error_code(error: &Error) -> Option<ProtocolError> {
    let mut next: Option<&(dyn Cause + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(Error::ServerError { protocol_error, .. }) = cause.downcast_ref() {
            return Some(*protocol_error);
        }
        if let Some(said) = cause.downcast_ref::<ProtocolError>() {
            return Some(*said);
        }
        next = cause.source();
    }
    None
}

/// Whether a partition is only just changing hands, or coming to be.
#[must_use]
pub(crate) fn is_moving(error: &Error) -> bool {
    use ProtocolError::{LeaderNotAvailable, NotLeaderOrFollower, UnknownTopicOrPartition};
    matches!(
        error_code(error),
        Some(LeaderNotAvailable | NotLeaderOrFollower | UnknownTopicOrPartition)
    )
}

/// The broker would not do what it was asked with that topic.
pub(crate) fn operation_refused(place: &str, doing: &str, topic: &str, error: &Error) -> CallError {
    use ProtocolError as Said;
    let Some(said) = error_code(error) else {
        return broker_unreachable(place, doing, topic, error);
    };
    match said {
        Said::MessageTooLarge | Said::RecordListTooLarge => CallError::new(
            ErrorKind::TooLarge,
            format!("{place} rejected the message for {topic}: it is larger than the topic allows"),
            "send less, or raise max.message.bytes of the topic (message.max.bytes of the broker)",
        ),
        Said::UnknownTopicOrPartition => no_topic(place, topic),
        Said::InvalidTopicException => CallError::new(
            ErrorKind::BadSubject,
            format!("{place} rejected {topic} as a topic name"),
            "use a queue such as request:tg:NAME, with letters, digits, dots, _ and -",
        ),
        Said::TopicAuthorizationFailed
        | Said::GroupAuthorizationFailed
        | Said::ClusterAuthorizationFailed => CallError::new(
            ErrorKind::Refused,
            format!("{place} doesn't allow us to {doing} {topic}"),
            "get permission to describe, read, write and create there, or use other credentials",
        ),
        Said::PolicyViolation => CallError::new(
            ErrorKind::Refused,
            format!("{place} doesn't allow us to {doing} {topic}: its policy forbids it"),
            "create the service's topics there by hand",
        ),
        Said::NotEnoughReplicas | Said::NotEnoughReplicasAfterAppend => CallError::new(
            ErrorKind::Refused,
            format!("{place} has too few in-sync replicas of {topic} to accept a message"),
            "check that all brokers are running, and the topic's min.insync.replicas",
        ),
        Said::LeaderNotAvailable | Said::NotLeaderOrFollower => CallError::new(
            ErrorKind::NoServer,
            format!("{topic} has no leader at {place} at the moment"),
            "check that all brokers are running, and try again in a moment",
        ),
        said => CallError::new(
            ErrorKind::Refused,
            format!("could not {doing} {topic} at {place}: {said}"),
            "see the broker's log",
        ),
    }
}

/// No broker could be asked.
fn broker_unreachable(place: &str, doing: &str, topic: &str, error: &Error) -> CallError {
    let said = error.to_string();
    // The library's words name the address that another broker said it.
    let elsewhere =
        said.split_once("error connecting to broker \"").and_then(|(_, rest)| rest.split_once('"'));
    match elsewhere {
        Some((broker, _)) if !place.ends_with(&format!("//{broker}")) => CallError::new(
            ErrorKind::NoServer,
            format!(
                "{place} says that {topic} is at {broker}, and that cannot be reached from here"
            ),
            "set the broker's advertised.listeners to an address that can be reached from here",
        ),
        _ => CallError::new(
            ErrorKind::ConnectionLost,
            format!("could not {doing} {topic}: the connection to {place} broke"),
            "send it again once the connection is back; what was sent may have arrived",
        ),
    }
}

/// Why a topic is received no more; `None` where the connection broke, which is recognized by who
/// keeps it. `most`: what one message may have.
pub(crate) fn subscription_ended(
    place: &str,
    topic: &str,
    most: usize,
    error: &Error,
) -> Option<LinkEvent> {
    let said = error.to_string();
    let words = match error_code(error) {
        Some(ProtocolError::OffsetOutOfRange) => {
            format!(
                "{place} has removed messages of {topic} before they were read; it goes on with what comes from now on"
            )
        }
        Some(other) => format!("{place} lets us read {topic} no more: {other}"),
        None if said.contains("compression") => {
            let how = "in a way that is not read (only gzip and snappy are)";
            format!(
                "a message of {topic} is compressed {how}; it goes on with what comes from now on"
            )
        }
        None if said.contains("Message too large") => {
            return Some(LinkEvent::Fatal(socket::too_large(place, "message", most as u64)));
        }
        None => return None,
    };
    Some(LinkEvent::Notice(words))
}

/// Nobody ever made that topic.
pub(crate) fn no_topic(place: &str, topic: &str) -> CallError {
    CallError::new(
        ErrorKind::NoResponders,
        format!("{place} has no topic {topic}, so no service has ever listened there"),
        "start the service, or mock it (on Invoke, or with --mock); if it is running, compare its \
        request-queue",
    )
}

pub(crate) fn too_many(place: &str, topic: &str, partitions: usize, most: usize) -> CallError {
    CallError::new(
        ErrorKind::Refused,
        format!("{topic} at {place} has {partitions} partitions, and each needs a connection"),
        format!("use a topic of at most {most} partitions"),
    )
}

/// Refuses what is no topic's name before a broker is asked.
pub(crate) fn check_name(topic: &str) -> Result<(), CallError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if (1..=249).contains(&topic.len()) && topic.bytes().all(fits) {
        return Ok(());
    }
    let start: String = topic.chars().take(40).flat_map(char::escape_debug).collect();
    let message = format!(
        "\"{start}\" isn't a topic name: Kafka allows up to 249 letters, digits, dots, _ and -"
    );
    Err(CallError::new(ErrorKind::BadSubject, message, "use a queue such as request:tg:NAME"))
}

/// What answers is not Kafka.
pub(crate) fn no_kafka(server: &Server) -> CallError {
    no_server(
        format!("{server} didn't answer like Kafka"),
        "check that the address is a Kafka broker's, and whether its port is encrypted (kafka+ssl://)",
    )
}

/// Whether the broker knows of passwords, but not in the way that was tried.
#[must_use]
pub(crate) fn is_other_way(refusal: &str) -> bool {
    ["UnsupportedSaslMechanism", "unsupported sasl mechanism"]
        .iter()
        .any(|words| refusal.contains(words))
}

/// The broker was reached, and would not have us.
pub(crate) fn login_refused(server: &Server, refusal: &str) -> CallError {
    if is_other_way(refusal) {
        let message = format!("{server} supports none of SCRAM-SHA-512, SCRAM-SHA-256 and PLAIN");
        return CallError::new(
            ErrorKind::Refused,
            message,
            "enable one of these SASL mechanisms on the broker",
        );
    }
    if refusal.to_lowercase().contains("sasl") {
        let message = format!("{server} rejected the credentials");
        return CallError::new(
            ErrorKind::Refused,
            message,
            "check the user and password of this connection",
        );
    }
    no_server(
        format!("{server} answered, then closed the connection"),
        "it may want a user and password: set user and password-variable; else see the broker's log",
    )
}
