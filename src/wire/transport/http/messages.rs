//! HTTP's troubles in words.

use std::{error::Error, io};

use crate::{
    model::{call::CallError, error_kind::ErrorKind, size},
    wire::{
        tls,
        transport::{settings::Server, socket},
    },
};

/// The request did not leave, or nothing came back for it.
#[must_use]
pub(crate) fn request_failed(server: &Server, error: &reqwest::Error) -> CallError {
    let cause = root_cause(error);
    if let Some(cause) = tls_cause(error) {
        return tls::handshake_failed(&server.to_string(), &server.host, cause);
    }
    if error.is_connect() && error.is_timeout() {
        return socket::no_answer(server);
    }
    if error.is_connect() {
        return socket::no_server(
            format!("couldn't connect to {server}: {cause}"),
            "start the server there, or correct the address",
        );
    }
    CallError::new(
        ErrorKind::ConnectionLost,
        format!("the connection to {server} ended before the answer: {cause}"),
        "check whether the server was stopped; the request may still be carried out",
    )
}

/// The answer ended in the middle.
#[must_use]
pub(crate) fn response_broken(server: &Server, error: &reqwest::Error) -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        format!("the connection to {server} broke during the answer: {}", root_cause(error)),
        "send it again once the server is back",
    )
}

#[must_use]
pub(crate) fn too_large(server: &Server, most: usize) -> CallError {
    CallError::new(
        ErrorKind::AnswerTooLarge,
        format!(
            "the answer of {server} grew past {} and was stopped there",
            size::format_size(most as u64)
        ),
        "request less",
    )
}

#[must_use]
pub(crate) fn silent_api(server: &Server, patience: std::time::Duration) -> CallError {
    CallError::new(
        ErrorKind::TimedOut,
        format!("{server} accepted the request but didn't answer within {} s", patience.as_secs()),
        "check whether it hangs; the request may still be carried out",
    )
}

#[must_use]
pub(crate) fn nobody_waits() -> CallError {
    CallError::new(
        ErrorKind::NoWayBack,
        "a request over HTTP needs a caller that waits for its answer",
        "call a tool instead",
    )
}

#[must_use]
pub(crate) fn bad_token() -> CallError {
    CallError::new(
        ErrorKind::BadSettings,
        "the token has characters that a header can't have",
        "look for a line break in the variable",
    )
}

#[must_use]
pub(crate) fn bad_method(word: &str) -> CallError {
    CallError::new(
        ErrorKind::BadRequest,
        format!("\"{}\" isn't an HTTP method", word.escape_debug()),
        "use GET, POST, PUT, PATCH or DELETE",
    )
}

#[must_use]
pub(crate) fn bad_header(name: &str) -> CallError {
    let message =
        format!("the header {} has characters that HTTP doesn't allow", name.escape_debug());
    CallError::new(ErrorKind::BadHeader, message, "look for a line break in it")
}

#[must_use]
pub(crate) fn no_client(error: &reqwest::Error) -> CallError {
    CallError::new(
        ErrorKind::BadSettings,
        format!("can't set up HTTP with these settings: {}", root_cause(error)),
        "check the certificates",
    )
}

/// The innermost cause, which says the most.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The failure of encryption among the causes.
fn tls_cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<io::Error>()
            && found.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
        {
            return Some(found);
        }
        cause = error.source();
    }
    None
}
