//! A gateway's troubles in words.

use std::time::Duration;

use tokio_tungstenite::tungstenite::Error;

use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    wire::transport::socket::no_server,
};

/// Something is there, but not what we look for.
#[must_use]
pub(crate) fn no_gateway(place: &str, cause: &str) -> CallError {
    no_server(
        format!("{place} is no gateway that we can speak to: {cause}"),
        "check the address and the port (the gateway's own, 8888 as it comes), and whether it wants wss://",
    )
}

/// There was no socket, or not for long.
#[must_use]
pub(crate) fn handshake_failed(place: &str, error: &Error) -> CallError {
    match error {
        Error::Http(response) => no_gateway(
            place,
            &format!("it answered with HTTP status {}", response.status().as_u16()),
        ),
        Error::Io(error) => no_gateway(place, &format!("the connection ended ({error})")),
        other => no_gateway(place, &format!("it did not answer as a WebSocket does ({other})")),
    }
}

#[must_use]
pub(crate) fn not_let_in(place: &str, has_token: bool) -> CallError {
    let (cause, remedy) = if has_token {
        (
            "the token is wrong or expired",
            "put a valid token (an API key tg_…, or a login's jwt) into the connection's variable",
        )
    } else {
        ("it wants a token", "set token-variable or token-key of the connection to where one lies")
    };
    CallError {
        kind: ErrorKind::Refused,
        message: format!("{place} does not let us in: {cause}"),
        remedy: remedy.into(),
    }
}

#[must_use]
pub(crate) fn auth_timed_out(place: &str, within: Duration) -> CallError {
    no_server(
        format!(
            "{place} took our token and did not say within {} s whether it is good",
            within.as_secs()
        ),
        "see whether the gateway is stopped, and whether the service that checks tokens (iam-svc or no-auth-svc) runs",
    )
}

/// A frame that could not be sent.
#[must_use]
pub(crate) fn send_failed(place: &str, error: &Error) -> CallError {
    CallError {
        kind: ErrorKind::ConnectionLost,
        message: format!("the request could not be handed to {place}: {error}"),
        remedy: "send it again once the connection is back".into(),
    }
}

/// What ended the connection.
#[must_use]
pub(crate) fn close_reason(place: &str, error: &Error) -> String {
    match error {
        Error::Capacity(error) => format!("{place} sent more than is taken in one frame: {error}"),
        Error::Utf8(_) => format!("{place} sent text that is not UTF-8, which ends the socket"),
        other => format!("{place}: {other}"),
    }
}
