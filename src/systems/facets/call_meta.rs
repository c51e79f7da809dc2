//! What calls of a server's tools say beside their arguments, where the tools say what they take.

use serde_json::{Map, Value};

use crate::schema::pointer::Pointer;

/// Knows what servers of the Model Context Protocol are reported in `_meta`.
pub trait CallMeta: Sync {
    /// What may be said beside the arguments of a tool, as its server lists it; `None` where nothing
    /// is known of that.
    fn meta_forms(&self, tool: &Value) -> Option<MetaForms>;

    /// Whether a member of `_meta` is one of its own, whatever the protocol allows as a key.
    fn is_own_key(&self, key: &str) -> bool;

    /// The members of `_meta` of a call of the tool that say what is given.
    fn build_meta(&self, tool: &Value, given: &GivenMeta) -> Map<String, Value>;

    /// What is wrong with the `_meta` of a call of the tool; none: the server takes it.
    fn meta_faults(&self, tool: &Value, meta: &Map<String, Value>) -> Vec<MetaFault>;

    /// What those who call the tool for a user do not see of a result; `sent` are the parameters of
    /// the call.
    fn answer_notes(&self, sent: &Value, result: &Value) -> Vec<AnswerNote>;

    /// A result as those hand it on to the model; `None` where they do as it is, or do not call the
    /// tool.
    fn answer_view(&self, sent: &Value, result: &Value) -> Option<AnswerView> {
        let _ = (sent, result);
        None
    }
}

/// Forms of what may be said beside a call's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaForms {
    pub configuration: Option<ConfigurationForm>,
    /// The schema of what is known of the user and the chat: members of `_meta`.
    pub context: Value,
    /// Nothing else can be said there.
    pub is_closed: bool,
}

/// The form of a tool's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigurationForm {
    /// The member of `_meta` that has it.
    pub member: &'static str,
    /// Defaults are those that count where no configuration is given.
    pub schema: Value,
    /// How its fields are shown.
    pub ui: Option<Value>,
    /// What counts where none is given: `the server's own counts`.
    pub unset: &'static str,
}

/// Something wrong with the `_meta` of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaFault {
    /// Its place within `_meta`.
    pub at: Pointer,
    /// A sentence that names the place.
    pub words: String,
    /// What gives it on the command line, where it is missing.
    pub option: Option<String>,
}

/// What is said beside a call's arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenMeta {
    pub configuration: Option<Value>,
    /// By key, or by the end of a known one: `chat-id`.
    pub context: Vec<(String, Value)>,
}

/// A result as another program has it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerView {
    /// Of the stage that shows it.
    pub name: &'static str,
    pub words: &'static str,
    pub value: Value,
}

/// Something about a result, at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerNote {
    pub id: &'static str,
    pub at: Pointer,
    pub words: String,
}
