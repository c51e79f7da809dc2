//! What a folder holds, for fields whose text is a path.

use std::sync::Arc;

/// The names in a folder, or why they cannot be known. Folders end with a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderList {
    /// As it was asked for.
    pub folder: String,
    pub names: Result<Arc<[String]>, String>,
}
