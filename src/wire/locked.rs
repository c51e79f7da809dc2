//! What a workspace has locked of what is where a connection leads, and what of it is no longer so.

use std::path::Path;

use super::plain_file;
use crate::{
    engine::mask::Mask,
    model::shown::visible_text,
    systems::{
        deployed::{deployment::Deployment, item::Item},
        facets::kept_tools::{ToolChange, count_words},
        lock::{LOCK, Lock},
    },
};

/// What changed since a connection was locked, the worst first; nothing where it isn't locked. The
/// mask knows the secrets that were used to get there.
///
/// # Errors
/// When the lock can't be read, or isn't what was written.
pub fn compare_items(
    root: &Path,
    connection: &str,
    deployment: &dyn Deployment,
    items: &[Item],
    mask: &Mask,
) -> Result<Vec<ToolChange>, String> {
    let Some(text) = plain_file::read_text(&root.join(LOCK)) else { return Ok(Vec::new()) };
    let lock = Lock::parse(&text).map_err(|cause| format!("{LOCK}: {cause}"))?;
    let locked = lock.connections.get(connection);
    Ok(locked.map_or_else(Vec::new, |locked| locked.compare(deployment, items, mask)))
}

/// The same in a line; `None` where nothing changed.
#[must_use]
pub fn describe_drift(
    root: &Path,
    connection: &str,
    deployment: &dyn Deployment,
    items: &[Item],
    mask: &Mask,
) -> Option<String> {
    let changes = match compare_items(root, connection, deployment, items, mask) {
        Ok(changes) if changes.is_empty() => return None,
        Ok(changes) => changes,
        Err(cause) => return Some(cause),
    };
    let (counts, name) = (count_words(&changes), visible_text(connection));
    Some(format!(
        "it has changed since it was locked: {}; `toolcrib drift {name}` shows what",
        visible_text(&counts)
    ))
}
