//! A gateway's troubles in words.

use std::time::Duration;

use tokio_tungstenite::tungstenite::{Error, protocol::CloseFrame};

use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    wire::transport::socket::no_server,
};

/// Something is there, but not what we look for.
#[must_use]
pub(crate) fn no_gateway(place: &str, cause: &str) -> CallError {
    no_server(
        format!("{place} isn't a gateway that toolcrib can use: {cause}"),
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
        ("it wants a token", "set token-variable or token-key of the connection")
    };
    CallError {
        kind: ErrorKind::Refused,
        message: format!("{place} denied access: {cause}"),
        remedy: remedy.into(),
    }
}

#[must_use]
pub(crate) fn auth_timed_out(place: &str, within: Duration) -> CallError {
    no_server(
        format!("{place} didn't accept or reject the token within {} s", within.as_secs()),
        "check whether the gateway is running, and the service that checks tokens (iam-svc or \
        no-auth-svc)",
    )
}

/// A frame that could not be sent.
#[must_use]
pub(crate) fn send_failed(place: &str, error: &Error) -> CallError {
    CallError {
        kind: ErrorKind::ConnectionLost,
        message: format!("couldn't send the request to {place}: {error}"),
        remedy: "send it again once the connection is back".into(),
    }
}

/// The other side closed the socket: with which code, and why, as far as it says that.
#[must_use]
pub(crate) fn closed(place: &str, frame: Option<&CloseFrame>) -> String {
    let Some(frame) = frame else { return format!("{place} closed the socket") };
    let code = u16::from(frame.code);
    let why = match frame.reason.as_str() {
        "" => String::new(),
        why => format!(": {}", why.escape_debug()),
    };
    format!("{place} closed the socket with code {code}{why}")
}

/// What ended the connection.
#[must_use]
pub(crate) fn close_reason(place: &str, error: &Error) -> String {
    match error {
        Error::Capacity(error) => format!("{place} sent more than fits in one frame: {error}"),
        Error::Utf8(_) => format!("{place} sent text that is not UTF-8, which ends the socket"),
        other => format!("{place}: {other}"),
    }
}
