//! Tools of elsewhere as entries of a system.

use serde_json::Value;

use crate::{
    engine::{
        latin_letters::latin_letters,
        model_view::Client,
        portable::{
            fate::Fate,
            tool::{HttpRequest, PortableTool},
        },
    },
    model::tool::Tool,
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// Can have tools that come from elsewhere. What of them it has no place for is seen by reading the
/// entries again.
pub trait Portable: Sync {
    /// The files that hold these tools as entries of the system: paths within a workspace, and what
    /// is in them.
    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile>;

    /// Says in a file of tools what the name says that it got; nothing where no more is to be said.
    fn name_file(&self, value: &mut Value, name: &str) {
        let _ = (value, name);
    }

    /// The API whose names its tools take; none where it takes any name.
    fn client(&self) -> Option<Client> {
        None
    }

    /// The key of an entry as its files spell it.
    fn form_key(&self, key: &str) -> String {
        plain_key(key)
    }

    /// Whether its files show the keys of tools.
    fn shows_keys(&self) -> bool {
        true
    }

    /// The edits that go with others of a file's entries: of what the file says of them beside.
    fn edits_beside(&self, before: &Value, after: &Value) -> Vec<Edit> {
        let _ = (before, after);
        Vec::new()
    }

    /// Why it has no place for a field, where reading it again doesn't say that.
    fn why_lost(&self, field: &str) -> Option<&'static str> {
        let _ = field;
        None
    }

    /// Whether all that a member of an entry says is also said by what is carried of it.
    fn is_said_twice(&self, entry: &Value, at: &Pointer) -> bool {
        let _ = (entry, at);
        false
    }

    /// What an entry says in a simpler way beside the whole of a tool.
    fn simplified(&self, tool: &PortableTool) -> Option<Fate> {
        let _ = tool;
        None
    }

    /// The request over HTTP that answers for a tool of the system, where its entry is one.
    fn request(&self, tool: &Tool) -> Option<HttpRequest> {
        let _ = tool;
        None
    }
}

/// A tool under a name and a key that no other has.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedTool {
    pub key: String,
    /// The key that it would have, where another tool has it.
    pub taken: Option<String>,
    pub tool: PortableTool,
    /// Its entry, where it is one of the system already.
    pub entry: Option<Value>,
    /// The entry in whose place it goes, where one is there: it is written in the same way where
    /// there are several.
    pub instead_of: Option<Value>,
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
    for letter in latin_letters(name).chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            key.push(letter.to_ascii_lowercase());
        } else if !key.ends_with('-') && !key.is_empty() {
            key.push('-');
        }
    }
    let key = key.trim_end_matches('-');
    if key.is_empty() { "tool".to_owned() } else { key.to_owned() }
}
