//! How RabbitMQ refuses, in words that tell the way out.

use lapin::{Error, ErrorKind as Fault, protocol::AMQPError};

use super::bounded::TooLarge;
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    wire::transport::{
        settings::Server,
        socket::{self, no_server},
    },
};

/// The numbers by which the broker says what was wrong.
const DENIED: u16 = 403;
const MISSING: u16 = 404;
const OTHERWISE: u16 = 406;

/// The broker's number for what it says, and its words.
fn amqp_error(error: &Error) -> Option<(u16, &AMQPError)> {
    match error.kind() {
        Fault::ProtocolError(said) => Some((said.get_id(), said)),
        _ => None,
    }
}

/// The broker announced more than is read, and so the connection ended.
pub(crate) fn too_large(place: &str, error: &Error) -> Option<CallError> {
    let Fault::IOError(error) = error.kind() else { return None };
    let TooLarge { what, most } = error.get_ref()?.downcast_ref()?;
    Some(socket::too_large(place, what, *most))
}

/// The broker was reached, and would not have us.
pub(crate) fn login_refused(server: &Server, error: &Error) -> CallError {
    match amqp_error(error) {
        Some((DENIED, _)) => CallError::new(
            ErrorKind::Refused,
            format!("{server} rejected the credentials"),
            "check the user and password of this connection; \"guest\" may only connect from the broker's own machine",
        ),
        Some((530, said)) => CallError::new(
            ErrorKind::Refused,
            format!("{server} denied access: {}", said.get_message()),
            "use an existing virtual host that the user may access: amqp://HOST:PORT/VHOST",
        ),
        Some((_, said)) => CallError::new(
            ErrorKind::Refused,
            format!("{server} denied access: {}", said.get_message()),
            "see the broker's log",
        ),
        None => no_server(
            format!("{server} didn't answer like RabbitMQ: {error}"),
            "check that the address is RabbitMQ's, and whether its port is encrypted (amqps://)",
        ),
    }
}

/// Whether the user lacks a permission.
pub(crate) fn is_denied(error: &Error) -> bool {
    amqp_error(error).is_some_and(|(number, _)| number == DENIED)
}

/// What was asked of the broker.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// What it was for: `listen on`.
    pub doing: &'static str,
    /// The exchange that it was about.
    pub at: String,
    /// Which permission it takes: `write on tg.request.joke`.
    pub needs: String,
}

/// The broker would not do what it was asked.
pub(crate) fn operation_refused(place: &str, asked: &Operation, error: &Error) -> CallError {
    let Operation { doing, at, needs } = asked;
    if let Some(problem) = too_large(place, error) {
        return problem;
    }
    let Some((number, said)) = amqp_error(error) else {
        return CallError::new(
            ErrorKind::ConnectionLost,
            format!("could not {doing} {at} at {place}: {error}"),
            "send it again once the connection is back",
        );
    };
    let said = said.get_message();
    match number {
        MISSING => CallError::new(
            ErrorKind::NoResponders,
            format!("{place} has no exchange {at}: no service has ever listened there"),
            "start the service, or mock it (on Invoke, or with --mock); if it is running, compare \
            its request-queue",
        ),
        OTHERWISE if said.as_str().contains("larger than") => CallError::new(
            ErrorKind::TooLarge,
            format!("{place} rejected the message: {said}"),
            "send less, or raise max_message_size there",
        ),
        OTHERWISE => CallError::new(
            ErrorKind::BadSubject,
            format!(
                "{at} at {place} is of another form than TrustGraph's durable fanout exchange: {said}"
            ),
            "delete the exchange or queue there if nothing needs it, or use another virtual host",
        ),
        DENIED => CallError::new(
            ErrorKind::Refused,
            format!("{place} doesn't allow us to {doing} {at}: {said}"),
            format!(
                "get the permission to {needs} (rabbitmqctl set_permissions), or use other \
                 credentials"
            ),
        ),
        _ => CallError::new(
            ErrorKind::Refused,
            format!("could not {doing} {at} at {place}: {said}"),
            "see the broker's log",
        ),
    }
}

/// No queue took the message.
pub(crate) fn no_queue_bound(place: &str, at: &str) -> CallError {
    CallError::new(
        ErrorKind::NoResponders,
        format!(
            "no queue is bound to the exchange {at} at {place}, so no service received the message"
        ),
        "start the service, or mock it (on Invoke, or with --mock); if it is running, compare its \
        request-queue",
    )
}

/// A queue did not take the message.
pub(crate) fn delivery_rejected(place: &str, at: &str) -> CallError {
    CallError::new(
        ErrorKind::Refused,
        format!("{place} rejected the message for {at}"),
        "check whether a queue there is full",
    )
}

/// The broker has run short of memory or disk.
pub(crate) fn broker_blocked(place: &str) -> CallError {
    CallError::new(
        ErrorKind::NoServer,
        format!(
            "{place} accepts no messages at the moment because it is short of memory or disk; \
            nothing was sent"
        ),
        "free some there and send it again",
    )
}

pub(crate) fn too_long(name: &str) -> CallError {
    let start: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    CallError::new(
        ErrorKind::BadSubject,
        format!("the name \"{start}…\" is longer than the 255 bytes that AMQP allows"),
        "use a shorter one",
    )
}

/// Why a connection is no longer there.
pub(crate) fn close_reason(place: &str, error: &Error) -> String {
    match amqp_error(error) {
        Some((_, said)) => format!("{place} closed the connection: {}", said.get_message()),
        None => format!("the connection to {place} failed: {error}"),
    }
}
