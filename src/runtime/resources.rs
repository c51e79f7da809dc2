//! Reads what servers have beside their tools, and takes parts of answers out: into files, and to
//! the programs that show them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{browser, connection_test::inspector_at};
use crate::{
    app::{
        message::{ConnectionMessage, Message},
        notices::NoticeKind,
        resources::{ItemId, ResourceMessage},
    },
    engine::secret::HiddenText,
    model::{
        call::CallError,
        connection::Connection,
        content_part::ContentPart,
        problem::{Problem, ProblemKind},
        server_item::{ItemContent, ItemRequest},
    },
    store::{
        saved_parts::{self, ScratchFolder},
        secrets::{self, KeptSecret},
    },
    wire::registry::Registry,
};

/// Reads a resource or a prompt.
pub(super) async fn read_item(
    registry: Arc<Registry>,
    (turn, item): (u64, ItemId),
    connection: Connection,
    request: ItemRequest,
) -> Message {
    let reading = async {
        let Some(inspector) = inspector_at(&connection) else { return Ok(ItemContent::default()) };
        let bus = registry.open_bus(&connection).await?;
        inspector.read_content(&*bus, &request).await
    };
    let told = |problem: CallError| problem.while_doing(format!("reading {}", item.id));
    let read = Box::new(reading.await.map_err(told));
    Message::Resource(ResourceMessage::WasRead { turn, item, read })
}

/// What the server suggests for an argument; nothing where it cannot be asked.
pub(super) async fn suggest_values(
    registry: Arc<Registry>,
    turn: u64,
    connection: Connection,
    (request, argument): (ItemRequest, String),
) -> Message {
    let mut values = Vec::new();
    if let Some(inspector) = inspector_at(&connection)
        && let Ok(bus) = registry.open_bus(&connection).await
        && let Ok(suggested) = inspector.suggest_values(&*bus, &request, &argument).await
    {
        values = suggested;
    }
    let item = ItemId { connection: connection.name, kind: request.kind, id: request.id };
    let item = Box::new(item);
    Message::Resource(ResourceMessage::Suggested { turn, item, argument, values })
}

/// Writes parts into new files; a path that is not absolute counts from the workspace.
pub(super) fn save_parts(root: &Path, parts: &[ContentPart], path: &str) -> Message {
    match saved_parts::save_parts(parts, &root.join(path)) {
        Ok(saved) => {
            let named =
                |path: &PathBuf| path.strip_prefix(root).unwrap_or(path).display().to_string();
            let names: Vec<String> = saved.iter().map(named).collect();
            Message::Notice(NoticeKind::Done, format!("Saved {}", names.join(", ")))
        }
        Err(problem) => Message::Failed(problem),
    }
}

/// Keeps a secret in the system's key store; where there is none, until the program ends.
pub(super) fn keep_secret(name: &str, secret: &HiddenText) -> Message {
    let kept = secrets::save_in_session(name, Some(&secret.0));
    let in_key_store = kept.map(|kept| kept == KeptSecret::InKeyStore);
    let name = name.to_owned();
    Message::Connection(ConnectionMessage::SecretKept { name, in_key_store })
}

/// Opens a part with the system's program for its type.
pub(super) fn open_part(scratch: &ScratchFolder, part: &ContentPart) -> Message {
    let opened = scratch.write_part(part).and_then(|path| {
        browser::open_file(&path).map_err(|error| {
            let cause = format!("no program can open it: {error}");
            Problem::new(ProblemKind::Missing, "opening part of an answer", cause)
                .with_remedy("save it instead")
        })
    });
    match opened {
        Ok(()) => Message::Notice(NoticeKind::Done, format!("Opened {}", part.summary())),
        Err(problem) => Message::Failed(problem),
    }
}
