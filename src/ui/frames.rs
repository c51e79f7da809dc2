//! Frames sent as they are, from where they were seen: Invoke and Watch offer it.

use super::{overlays::prompt::Prompt, view::Reply};
use crate::{
    app::{calls::CallMessage, message::Message},
    model::connection::Connection,
    systems::calling,
};

/// A frame to begin with where none was seen.
const PING: &str = r#"{"jsonrpc": "2.0", "id": "a", "method": "ping"}"#;

/// Asks for a frame, beginning with one that was seen, and sends it.
pub(crate) fn edit_frame(connection: &Connection, seen: Option<String>) -> Reply {
    let name = connection.name.clone();
    let words = format!(
        "Sent to {name} exactly as written, valid or not. Replies appear in Invoke under Raw, \
        with their times."
    );
    let frame = seen.unwrap_or_else(|| PING.to_owned());
    Reply::Open(Box::new(
        Prompt::new("Send a frame", words, frame, move |frame, _| {
            if frame.trim().is_empty() {
                return Err("type what to send".to_owned());
            }
            let (connection, frame) = (name.clone(), frame.to_owned());
            Ok(Reply::send(Message::Call(CallMessage::SendFrame { connection, frame })))
        })
        .with_act("send"),
    ))
}

/// Why frames can't be sent over a connection.
pub(crate) fn frame_refusal(connection: &Connection) -> Option<String> {
    let is_possible = calling::frame_request(connection, PING, "").is_some();
    (!is_possible).then(|| format!("connection \"{}\" doesn't accept frames", connection.name))
}
