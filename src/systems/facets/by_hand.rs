//! Calls that a person answers in the place of a tool's service.

use std::fmt::Debug;

use serde_json::Value;

use crate::{
    model::{clock::Millis, connection::Connection, tool::Tool},
    schema::pointer::Pointer,
};

/// Has tools that a person can answer for.
pub trait ByHand: Sync {
    /// The address at which calls of the tool are taken over that connection; `None` where they
    /// cannot be taken.
    fn listen_address(&self, tool: &Tool, connection: &Connection) -> Option<String>;

    /// What it takes, to go on after "only":
    /// `a CommonGround tool … over a connection that names a channel`.
    fn requirements(&self) -> &'static str;
}

/// A call that waits for its answer, which is a value with a form of its own.
pub trait WaitingCall: Debug + Send + Sync {
    fn tool_name(&self) -> &str;

    /// Who called: an agent's id.
    fn caller_id(&self) -> &str;

    /// When its caller stops waiting, about; `tool` is the tool as the workspace has it.
    fn due(&self, tool: Option<&Tool>) -> Option<Millis>;

    /// The ids that tell the call from others, each with its label.
    fn labeled_ids(&self) -> Vec<(&'static str, String)>;

    /// The same in one line.
    fn id_line(&self) -> String;

    /// What is asked, in words; `None` where the arguments say it.
    fn question(&self) -> Option<String>;

    /// What becomes of the caller then, where the answer does not say.
    fn caller_outcome(&self) -> String;

    /// An answer as its form begins.
    fn blank_answer(&self) -> Value;

    /// The form of an answer as it is.
    fn answer_schema(&self, answer: &Value) -> Value;

    /// What is wrong with an answer beside what its form says: the place, and why.
    fn answer_fault(&self, answer: &Value) -> Option<(Pointer, String)>;

    /// A member that no longer belongs to an answer as it is.
    fn leftover_member(&self, answer: &Value) -> Option<Pointer>;

    /// The answer that refuses the call, with that message.
    fn refusal_answer(&self, message: &str) -> Value;

    /// What becomes of the message of a refusal, to go on after the caller: `gets … this message`;
    /// `None` where a refusal has none.
    fn refusal_note(&self) -> Option<&'static str>;

    /// An answer as a person types it in one line.
    ///
    /// # Errors
    /// What is wrong with it, for whoever typed it.
    fn parse_line(&self, line: &str) -> Result<Value, String>;

    /// How to type one, for whoever is asked.
    fn how_to_type(&self) -> &'static str;

    /// What an answer results in.
    fn preview(&self, answer: &Value) -> Preview;
}

/// What an answer results in.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// What that is: `Card`.
    pub title: &'static str,
    /// As it will be written.
    pub written: Value,
    /// What becomes of the caller then, and why.
    pub then: String,
    /// What its caller is informed beside it.
    pub told: Option<Value>,
}
