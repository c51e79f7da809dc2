//! How Pulsar refuses, in words that tell the way out.

use crate::model::{call::CallError, error_kind::ErrorKind, size};

/// The broker would not do what it was asked, with its number for the reason.
pub(crate) fn operation_refused(
    place: &str,
    doing: &str,
    at: &str,
    number: i32,
    said: &str,
) -> CallError {
    let message = format!(
        "{place} doesn't allow us to {doing} {at}: {}",
        if said.is_empty() { "no further details" } else { said }
    );
    let (kind, remedy) = match number {
        3 => (ErrorKind::Refused, "check the token or password of this connection"),
        4 => (
            ErrorKind::Refused,
            "get permission to produce and consume there, or use other credentials",
        ),
        5 => (ErrorKind::Refused, "stop the other consumer of that subscription"),
        6 => (ErrorKind::NoServer, "the broker is not ready yet; try again in a moment"),
        7 | 8 => (ErrorKind::Refused, "the topic's backlog is full; let its services catch up"),
        11 => (
            ErrorKind::NoResponders,
            "start the service; the namespace doesn't create topics automatically",
        ),
        14 => (ErrorKind::Refused, "the broker is overloaded; try again in a moment"),
        17 => (
            ErrorKind::BadSubject,
            "use a queue such as request:tg:NAME or non-persistent://TENANT/NAMESPACE/NAME",
        ),
        _ => (
            ErrorKind::Refused,
            "see the broker's log; often the tenant or namespace is missing: pulsar-admin namespaces create tg/request",
        ),
    };
    CallError::new(kind, message, remedy)
}

/// The connection ended while something was waited for.
pub(crate) fn connection_lost(place: &str) -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        format!("the connection to {place} broke before it confirmed"),
        "send it again once the connection is back",
    )
}

/// The broker sends what nobody has room for.
pub(crate) fn message_flood(place: &str) -> CallError {
    CallError::new(
        ErrorKind::Flooded,
        format!("{place} sent more messages than it was asked for, so the connection was closed"),
        "check that a Pulsar broker is at that address; the next call connects again",
    )
}

/// The broker would not have us.
pub(crate) fn login_refused(place: &str, number: i32, said: &str) -> CallError {
    if matches!(number, 3 | 4) {
        let remedy = "check the token or password of this connection";
        return CallError::new(
            ErrorKind::Refused,
            format!("{place} rejected the credentials: {said}"),
            remedy,
        );
    }
    CallError::new(
        ErrorKind::Refused,
        format!("{place} denied access: {said}"),
        "see the broker's log",
    )
}

pub(crate) fn no_pulsar(place: &str) -> CallError {
    CallError::new(
        ErrorKind::NoServer,
        format!("{place} didn't answer like Pulsar"),
        "check that the address is a Pulsar broker's, not its web port, and whether it is encrypted (pulsar+ssl://)",
    )
}

pub(crate) fn too_large(place: &str, size: usize, most: usize) -> CallError {
    CallError::new(
        ErrorKind::TooLarge,
        format!(
            "the message is {} ({size} bytes), and {place} takes at most {} ({most} bytes)",
            size::format_size(size as u64),
            size::format_size(most as u64)
        ),
        "send less, or raise maxMessageSize in the broker's configuration",
    )
}

/// The broker says that another one has the topic, and that one cannot be reached.
pub(crate) fn redirect_unreachable(
    place: &str,
    url: &str,
    at: &str,
    cause: &CallError,
) -> CallError {
    CallError::new(
        cause.kind.clone(),
        format!("{place} says that {at} is at {url}, and there: {}", cause.message),
        "set the broker's advertisedAddress (or a listener) to one that can be reached from here, or go through its proxy",
    )
}

/// The broker sends us on to one that it knows no encrypted address of.
pub(crate) fn redirect_unencrypted(place: &str, url: &str, at: &str) -> CallError {
    CallError::new(
        ErrorKind::Tls,
        format!(
            "{place} redirects to {url} for {at}, which isn't encrypted while this connection is; \
            nothing was sent there"
        ),
        "give that broker an encrypted address (brokerServicePortTls, advertised as pulsar+ssl://), or go through its proxy",
    )
}

pub(crate) fn no_lookup(place: &str, at: &str) -> CallError {
    CallError::new(
        ErrorKind::NoServer,
        format!("{place} does not say which broker has {at}"),
        "see the broker's log, and try again in a moment",
    )
}
