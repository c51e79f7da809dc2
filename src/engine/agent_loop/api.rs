//! What an API of models has to say of itself: where requests go, what is in them, how their
//! answers are read.

use serde_json::{Map, Value};

use super::turn::{ModelReply, Turn};
use crate::{
    engine::model_view::Client,
    model::{call::CallError, error_kind::ErrorKind, tool::Function},
};

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct ModelRequest<'r> {
    /// The model's name at its endpoint.
    pub model: &'r str,
    pub system: Option<&'r str>,
    pub turns: &'r [Turn],
    /// The tools that it may call.
    pub tools: &'r [Function],
    /// How many tokens a reply may have; `None`: as the endpoint has it.
    pub max_tokens: Option<u64>,
    /// Members that the settings add to the body, or put in the place of ours.
    pub extra: &'r Map<String, Value>,
}

/// A way to talk with models over HTTP.
pub trait ModelApi: Sync {
    /// Its word in settings: `openai`.
    fn word(&self) -> &'static str;

    /// Whose form tools have in it.
    fn client(&self) -> Client;

    /// The path of a request, below an address that ends with `base`.
    fn request_path(&self, base: &str) -> &'static str;

    /// The headers of a request with this key.
    fn headers(&self, key: Option<&str>) -> Vec<(String, String)>;

    /// The body of a request for a streamed reply.
    fn request_body(&self, request: &ModelRequest<'_>) -> Value;

    /// Reads one reply.
    fn reader(&self) -> Box<dyn ReplyReader>;

    /// The reply to a request's body where it is made here, and nothing is sent.
    fn reply_here(&self, _body: &str) -> Option<ModelReply> {
        None
    }
}

/// Reads one reply, in whichever pieces it comes.
pub trait ReplyReader: Send {
    /// Takes in an event of the stream; answers with the text that it adds.
    ///
    /// # Errors
    /// When the endpoint reports a failure, or the event is not of this API.
    fn read_event(&mut self, data: &str) -> Result<String, CallError>;

    /// Reads a reply that came as a whole.
    ///
    /// # Errors
    /// As [`ReplyReader::read_event`].
    fn read_whole(&mut self, body: &str) -> Result<String, CallError>;

    /// Whether nothing more of the reply comes.
    fn is_done(&self) -> bool;

    /// The reply.
    ///
    /// # Errors
    /// When the stream ended before the reply did.
    fn finish(&mut self) -> Result<ModelReply, CallError>;
}

/// The body with what the settings add.
pub(super) fn with_extra(mut body: Map<String, Value>, extra: &Map<String, Value>) -> Value {
    body.extend(extra.clone());
    Value::Object(body)
}

/// A piece of JSON that an endpoint sent.
pub(super) fn parse_piece(text: &str) -> Result<Value, CallError> {
    serde_json::from_str(text).map_err(|error| {
        let start: String = text.chars().take(80).collect();
        CallError::new(
            ErrorKind::NotUnderstood,
            format!("the endpoint sent what is not JSON ({error}): {start}"),
            "check the address and the api of the model's connection",
        )
    })
}

/// The failure that a piece reports, where it reports one.
#[must_use]
pub fn reported_failure(value: &Value) -> Option<CallError> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let message = text("message").or(error.as_str()).unwrap_or("the endpoint gives no reason");
    let kind = text("type").or(text("code")).filter(|word| !word.is_empty()).unwrap_or("error");
    Some(CallError::new(ErrorKind::parse(kind), message, ""))
}

/// The stream ended too early.
pub(super) fn cut_off() -> CallError {
    CallError::new(
        ErrorKind::ConnectionLost,
        "the model's reply ends in the middle",
        "ask again; a proxy may limit how long a reply takes",
    )
}
