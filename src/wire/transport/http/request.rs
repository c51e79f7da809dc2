//! One request over an open connection, and the line on which its answer comes.

use bytes::Bytes;

use super::marks;
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    wire::transport::{
        bus::{Bus, SubscriptionShare},
        message::{Address, Outgoing},
        message_queue::QueueReceiver,
    },
};

/// A request to a server; `path` begins with a slash, an empty body is none.
pub(crate) struct HttpRequest<'r> {
    pub method: &'r str,
    pub path: &'r str,
    pub headers: &'r [(String, String)],
    pub body: &'r str,
    /// Whether the lines of a stream come beside its events.
    pub keeps_lines: bool,
}

impl HttpRequest<'_> {
    fn message(&self, reply: Option<Address>) -> Outgoing {
        let lines = self.keeps_lines.then(marks::lines_header);
        let headers = [marks::method_header(self.method)].into_iter().chain(lines);
        Outgoing {
            to: Address::ephemeral(self.path),
            reply,
            headers: headers.chain(self.headers.iter().cloned()).collect(),
            body: Bytes::copy_from_slice(self.body.as_bytes()),
            expires: None,
        }
    }
}

/// The headers that a request goes out with, without the values of secrets.
pub(crate) fn shown_headers(bus: &dyn Bus, request: &HttpRequest<'_>) -> Vec<(String, String)> {
    bus.request_headers(&request.message(None))
}

/// Sends a request over a bus, and gives where its answer arrives.
///
/// # Errors
/// When it does not leave.
pub(crate) async fn send_request(
    bus: &dyn Bus,
    request: &HttpRequest<'_>,
) -> Result<QueueReceiver, CallError> {
    let inbox = bus.new_inbox().ok_or_else(|| no_inbox(bus))?;
    let receiver = bus.subscribe(&inbox, SubscriptionShare::Each).await?;
    bus.send(request.message(Some(inbox))).await?;
    Ok(receiver)
}

fn no_inbox(bus: &dyn Bus) -> CallError {
    let message = format!("{} doesn't answer requests", bus.display_address());
    CallError::new(ErrorKind::BadSettings, message, "choose an http connection")
}
