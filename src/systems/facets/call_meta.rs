//! What calls of a server's tools say beside their arguments, where the tools say what they take.

use serde_json::{Map, Value};

use crate::schema::pointer::Pointer;

/// Knows what servers of the Model Context Protocol are told in `_meta`.
pub trait CallMeta: Sync {
    /// What may be said beside the arguments of a tool, as its server lists it; `None` where nothing
    /// is known of that.
    fn meta_forms(&self, tool: &Value) -> Option<MetaForms>;

    /// The members of `_meta` that say what is given.
    fn build_meta(&self, given: &GivenMeta) -> Map<String, Value>;

    /// What is wrong with it, each in a sentence; none: the server takes it.
    fn meta_faults(&self, tool: &Value, given: &GivenMeta) -> Vec<String>;

    /// What those who call the tool for a user do not see of a result; `sent` are the parameters of
    /// the call.
    fn answer_notes(&self, sent: &Value, result: &Value) -> Vec<AnswerNote>;
}

/// Forms of what may be said beside a call's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaForms {
    /// The schema of the tool's configuration, and how its fields are shown.
    pub configuration: Option<Value>,
    pub ui: Option<Value>,
    /// The configuration that counts where none is given.
    pub default: Option<Value>,
    /// The schema of what is known of the user and the chat.
    pub context: Value,
}

/// What is said beside a call's arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenMeta {
    pub configuration: Option<Value>,
    /// By key, or by the end of a known one: `chat-id`.
    pub context: Vec<(String, Value)>,
}

/// Something about a result, at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerNote {
    pub id: &'static str,
    pub at: Pointer,
    pub words: String,
}
