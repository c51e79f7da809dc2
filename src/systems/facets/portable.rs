//! Tools of elsewhere as entries of a system.

use serde_json::Value;

use crate::{
    engine::portable::tool::{HttpRequest, PortableTool},
    model::tool::Tool,
};

/// Can have tools that come from elsewhere. What of them it has no place for is seen by reading the
/// entries again.
pub trait Portable: Sync {
    /// The files that hold these tools as entries of the system: paths within a workspace, and what
    /// is in them.
    fn write_tools(&self, tools: &[PortableTool]) -> Vec<PortableFile>;

    /// The request over HTTP that answers for a tool of the system, where its entry is one.
    fn request(&self, tool: &Tool) -> Option<HttpRequest> {
        let _ = tool;
        None
    }
}

/// A file with tools in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PortableFile {
    /// Within a workspace; its end says the format.
    pub path: String,
    pub value: Value,
}

/// A name as a key and as a file's name: small letters, digits, `-` and `_`.
#[must_use]
pub fn plain_key(name: &str) -> String {
    let mut key = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            key.push(letter.to_ascii_lowercase());
        } else if !key.ends_with('-') && !key.is_empty() {
            key.push('-');
        }
    }
    let key = key.trim_end_matches('-');
    if key.is_empty() { "tool".to_owned() } else { key.to_owned() }
}
