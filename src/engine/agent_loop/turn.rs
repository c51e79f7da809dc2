//! What a model and those who ask it say to each other, in no API's words.

use serde_json::{Map, Value, json};

/// One side's part of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    User(String),
    Model(ModelReply),
    /// The results of the calls of the reply before, in the order of the calls.
    Results(Vec<ToolResult>),
}

/// A tool call as a model wants it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// What its result refers to.
    pub id: String,
    /// The name that the model sees.
    pub name: String,
    /// As the model wrote them: JSON where nothing went wrong.
    pub arguments: String,
}

/// What a tool call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    pub call_id: String,
    pub name: String,
    pub text: String,
    pub is_error: bool,
}

/// What a model said in one turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelReply {
    pub text: String,
    /// Parts that the API wants back unchanged.
    pub thinking: Vec<Value>,
    pub calls: Vec<ToolCall>,
    pub stop: StopReason,
    /// `None`: the endpoint does not report it.
    pub usage: Option<Usage>,
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StopReason {
    #[default]
    Answered,
    ToolCalls,
    /// The limit of tokens is reached.
    Length,
    /// The model, or a filter of its endpoint, refuses.
    Refused,
    /// The API's own word.
    Other(String),
}

impl StopReason {
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Answered => "answered",
            Self::ToolCalls => "tool-calls",
            Self::Length => "length",
            Self::Refused => "refused",
            Self::Other(word) => word,
        }
    }

    /// The reason of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Self {
        let known = [Self::Answered, Self::ToolCalls, Self::Length, Self::Refused];
        known
            .into_iter()
            .find(|reason| reason.as_str() == word)
            .unwrap_or_else(|| Self::Other(word.to_owned()))
    }
}

/// Tokens, as the endpoint counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All that was read, those from a cache among them.
    pub input: u64,
    pub output: u64,
    /// How many of the input were in the endpoint's cache.
    pub cached: u64,
}

impl Usage {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input + other.input,
            output: self.output + other.output,
            cached: self.cached + other.cached,
        }
    }

    #[must_use]
    pub fn to_json(self) -> Value {
        json!({"input": self.input, "output": self.output, "cached": self.cached})
    }
}

impl ToolCall {
    /// The arguments as a value; as they are where they are no JSON or a text. None at all are an
    /// empty object.
    #[must_use]
    pub fn arguments_value(&self) -> Value {
        match self.arguments.trim() {
            "" => Value::Object(Map::new()),
            text => match serde_json::from_str(text) {
                // A text within quotes is read back without them.
                Ok(Value::String(_)) | Err(_) => text.into(),
                Ok(value) => value,
            },
        }
    }
}

impl ModelReply {
    /// For scripts and recordings; [`ModelReply::from_json`] reads it again.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let call = |call: &ToolCall| json!({"id": call.id, "name": call.name, "arguments": call.arguments_value()});
        let mut value = json!({
            "text": self.text,
            "calls": self.calls.iter().map(call).collect::<Value>(),
            "stop": self.stop.as_str(),
            "usage": self.usage.map(Usage::to_json),
        });
        if !self.thinking.is_empty() {
            value["thinking"] = self.thinking.clone().into();
        }
        value
    }

    /// The reply that was written so. What is missing is empty.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let call = |(row, call): (usize, &Value)| ToolCall {
            id: match text(call, "id") {
                id if id.is_empty() => format!("call_{}", row + 1),
                id => id,
            },
            name: text(call, "name"),
            arguments: match &call["arguments"] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                value => value.to_string(),
            },
        };
        let count = |usage: &Value, name: &str| usage[name].as_u64().unwrap_or_default();
        let calls: Vec<ToolCall> =
            value["calls"].as_array().into_iter().flatten().enumerate().map(call).collect();
        let stop = match value["stop"].as_str() {
            Some(word) => StopReason::of_word(word),
            None if calls.is_empty() => StopReason::Answered,
            None => StopReason::ToolCalls,
        };
        Self {
            text: text(value, "text"),
            thinking: value["thinking"].as_array().cloned().unwrap_or_default(),
            calls,
            stop,
            usage: value["usage"].is_object().then(|| Usage {
                input: count(&value["usage"], "input"),
                output: count(&value["usage"], "output"),
                cached: count(&value["usage"], "cached"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_as_it_was_written() {
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: "joke".into(),
            arguments: arguments.into(),
        };
        let reply = ModelReply {
            text: "Let me see.".into(),
            thinking: vec![json!({"type": "thinking", "signature": "s"})],
            calls: vec![call("a", r#"{"topic":"cats"}"#), call("b", r#"{"topic":"#)],
            stop: StopReason::Other("pause_turn".into()),
            usage: Some(Usage { input: 10, output: 2, cached: 4 }),
        };
        assert_eq!(ModelReply::from_json(&reply.to_json()), reply);
    }

    #[test]
    fn a_recording_by_hand_needs_names_and_arguments_only() {
        let reply = ModelReply::from_json(&json!({"calls": [{"name": "joke"}]}));
        assert_eq!(reply.stop, StopReason::ToolCalls);
        assert_eq!(reply.calls[0].id, "call_1");
        assert_eq!(reply.calls[0].arguments_value(), json!({}));
        assert_eq!(ModelReply::from_json(&json!({"text": "Hi"})).stop, StopReason::Answered);
    }
}
