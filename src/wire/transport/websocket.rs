//! A gateway's socket: frames of JSON, each with the id of the request that it belongs to.
//!
//! All calls share one socket. The first frame says who we are, also where nobody needs to be
//! anyone; a frame goes to whoever listens for its id, and one that belongs to nobody goes to all
//! of them, so that it is seen.

use super::{
    reconnecting::{self, Reconnecting},
    settings,
};
use crate::{
    model::{call::CallError, connection::Connection, transport::TransportKind},
    wire::secrets::Secrets,
};

mod dial;
mod link;
mod messages;

/// Connects, or says why not.
pub(crate) async fn connect(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<Reconnecting<link::Gateway>, CallError> {
    let dial = dial::Gateways::new(connection, secrets).await?;
    reconnecting::connect(TransportKind::WebSocket, settings::display_address(connection), dial)
        .await
}
