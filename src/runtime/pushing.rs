//! Sends entries to a running system, and reads what became of them there.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::{
    app::{
        message::{ConnectionMessage, Message, Purpose},
        notices::NoticeKind,
    },
    model::connection::Connection,
    systems::deployed::push::Push,
    wire::{deployed, registry::Registry},
};

/// Makes a push, and says how it ended; where it was made, also what is there now, for the ids that
/// it got.
pub async fn push_changes(
    registry: Arc<Registry>,
    connection: Connection,
    push: Box<Push>,
    messages: mpsc::Sender<Message>,
) {
    if let Err(problem) = deployed::apply_push(&*registry, &connection, &push).await {
        // Nobody listens any more when the program ends.
        let _ = messages.send(Message::Failed(problem)).await;
        return;
    }
    let words = format!("pushed to {} and verified: {}", connection.name, push.summary());
    let read = deployed::read_items(&*registry, &connection).await;
    let there = ConnectionMessage::Deployed { purpose: Purpose::KeepIds, read };
    for told in [Message::Notice(NoticeKind::Done, words), Message::Connection(there)] {
        let _ = messages.send(told).await;
    }
}
