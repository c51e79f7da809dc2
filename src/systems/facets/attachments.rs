//! Cards that a system's messages point to.

use serde_json::Value;

use crate::model::{
    attachment::{Attachment, CardSource},
    call::CallError,
    connection::Connection,
    problem::Problem,
    traffic::SettledConversation,
};

/// Keeps behind its messages what they only point to.
pub trait Attachments: Sync {
    /// Where cards that messages point to can be read on a connection.
    ///
    /// # Errors
    /// When the connection lacks something, with what to set.
    fn card_source(&self, connection: &Connection, cards: &[String])
    -> Result<CardSource, Problem>;

    /// Why cards could not be read, of what came with an HTTP status that is no success.
    fn card_read_error(&self, status: u16, body: &[u8]) -> CallError;

    /// Cards for people: what belongs together beside each other, and compared.
    fn laid_out(&self, cards: &[Value]) -> Vec<Attachment>;

    /// How a card says that a conversation ended; `None` where it says nothing of that.
    fn card_outcome(&self, card: &Value) -> Option<SettledConversation>;
}
