//! Chat completions as OpenAI has them, and everyone who copies them.

use serde_json::{Map, Value, json};

use super::{
    api::{
        ModelApi, ModelRequest, ReplyReader, cut_off, parse_piece, reported_failure, with_extra,
    },
    reply_builder::{CallPiece, ReplyBuilder},
    turn::{ModelReply, StopReason, ToolCall, ToolResult, Turn, Usage},
};
use crate::{
    engine::model_view::{Client, render_tool},
    model::call::CallError,
};

pub(super) struct OpenAi;

impl ModelApi for OpenAi {
    fn word(&self) -> &'static str {
        "openai"
    }

    fn client(&self) -> Client {
        Client::OpenAi
    }

    fn request_path(&self, base: &str) -> &'static str {
        match base.trim_end_matches('/') {
            "" => "/v1/chat/completions",
            base if base.ends_with("/chat/completions") => "",
            _ => "/chat/completions",
        }
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        key.map(|key| ("authorization".to_owned(), format!("Bearer {key}"))).into_iter().collect()
    }

    fn request_body(&self, request: &ModelRequest<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), request.model.into());
        let system = request.system.map(|text| json!({"role": "system", "content": text}));
        let messages = system.into_iter().chain(request.turns.iter().flat_map(messages_of));
        body.insert("messages".into(), messages.collect());
        // An empty list is refused.
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| render_tool(tool, Client::OpenAi));
            body.insert("tools".into(), tools.collect());
        }
        if let Some(most) = request.max_tokens {
            body.insert("max_tokens".into(), most.into());
        }
        body.insert("stream".into(), true.into());
        body.insert("stream_options".into(), json!({"include_usage": true}));
        with_extra(body, request.extra)
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(Reader::default())
    }
}

fn messages_of(turn: &Turn) -> Vec<Value> {
    let call = |call: &ToolCall| {
        let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
        json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
    };
    let result = |result: &ToolResult| {
        let text = match result.is_error {
            true => format!("Error: {}", result.text),
            false => result.text.clone(),
        };
        json!({"role": "tool", "tool_call_id": result.call_id, "content": text})
    };
    match turn {
        Turn::User(text) => vec![json!({"role": "user", "content": text})],
        Turn::Model(reply) => {
            let text = if reply.text.is_empty() { Value::Null } else { reply.text.as_str().into() };
            let mut message = json!({"role": "assistant", "content": text});
            if !reply.calls.is_empty() {
                message["tool_calls"] = reply.calls.iter().map(call).collect();
            }
            vec![message]
        }
        Turn::Results(results) => results.iter().map(result).collect(),
    }
}

#[derive(Default)]
struct Reader {
    builder: ReplyBuilder,
    done: bool,
}

impl Reader {
    /// Takes in what a message has, whole or as a difference.
    fn take_message(&mut self, message: &Value) -> String {
        let text =
            ["content", "refusal"].map(|name| message[name].as_str().unwrap_or_default()).concat();
        self.builder.add_text(&text);
        if message["refusal"].as_str().is_some_and(|text| !text.is_empty()) {
            self.builder.stop = Some(StopReason::Refused);
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let arguments = match &function["arguments"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                // Some endpoints send the value itself.
                value => value.to_string(),
            };
            self.builder.add_call_piece(CallPiece {
                number: call["index"].as_u64(),
                id: call["id"].as_str().unwrap_or_default(),
                name: function["name"].as_str().unwrap_or_default(),
                arguments: &arguments,
            });
        }
        text
    }

    fn take_stop(&mut self, word: Option<&str>) {
        let Some(word) = word else { return };
        // A refusal is said in its own member; the reason is "stop" all the same.
        if self.builder.stop == Some(StopReason::Refused) {
            return;
        }
        self.builder.stop = Some(match word {
            "stop" => StopReason::Answered,
            "tool_calls" | "function_call" => StopReason::ToolCalls,
            "length" => StopReason::Length,
            "content_filter" => StopReason::Refused,
            other => StopReason::Other(other.to_owned()),
        });
    }

    fn take_usage(&mut self, usage: &Value) {
        let count = |name: &str| usage[name].as_u64().unwrap_or_default();
        if usage.is_object() {
            self.builder.set_usage(Usage {
                input: count("prompt_tokens"),
                output: count("completion_tokens"),
                cached: usage["prompt_tokens_details"]["cached_tokens"]
                    .as_u64()
                    .unwrap_or_default(),
            });
        }
    }

    fn take(&mut self, value: &Value, member: &str) -> Result<String, CallError> {
        if let Some(failure) = reported_failure(value) {
            return Err(failure);
        }
        self.take_usage(&value["usage"]);
        let Some(choice) = value["choices"].get(0) else { return Ok(String::new()) };
        let text = self.take_message(&choice[member]);
        self.take_stop(choice["finish_reason"].as_str());
        Ok(text)
    }
}

impl ReplyReader for Reader {
    fn read_event(&mut self, data: &str) -> Result<String, CallError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(String::new());
        }
        self.take(&parse_piece(data)?, "delta")
    }

    fn read_whole(&mut self, body: &str) -> Result<String, CallError> {
        self.done = true;
        self.take(&parse_piece(body)?, "message")
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(&mut self) -> Result<ModelReply, CallError> {
        self.builder.build().ok_or_else(cut_off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{error_kind::ErrorKind, tool::Function};

    fn read(events: &[&str]) -> Result<ModelReply, CallError> {
        let mut reader = OpenAi.reader();
        for event in events {
            reader.read_event(event)?;
        }
        reader.finish()
    }

    #[test]
    fn a_request_has_the_conversation_and_the_tools() {
        let call = ToolCall { id: "a".into(), name: "joke".into(), arguments: String::new() };
        let turns = [
            Turn::User("Why?".into()),
            Turn::Model(ModelReply { calls: vec![call], ..ModelReply::default() }),
            Turn::Results(vec![ToolResult {
                call_id: "a".into(),
                name: "joke".into(),
                text: "no".into(),
                is_error: true,
            }]),
        ];
        let tool = Function::new("joke", "Tells one", json!({"type": "object"}));
        let extra = json!({"temperature": 0}).as_object().cloned().unwrap();
        let body = OpenAi.request_body(&ModelRequest {
            model: "m",
            system: Some("Be brief."),
            turns: &turns,
            tools: &[tool],
            max_tokens: Some(9),
            extra: &extra,
        });
        assert_eq!(
            body,
            json!({
                "model": "m",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "Why?"},
                    {"role": "assistant", "content": null, "tool_calls": [
                        {"id": "a", "type": "function", "function": {"name": "joke", "arguments": "{}"}},
                    ]},
                    {"role": "tool", "tool_call_id": "a", "content": "Error: no"},
                ],
                "tools": [{"type": "function", "function": {"name": "joke", "description": "Tells one", "parameters": {"type": "object"}}}],
                "max_tokens": 9,
                "stream": true,
                "stream_options": {"include_usage": true},
                "temperature": 0,
            })
        );
    }

    #[test]
    fn text_calls_and_usage_are_read_from_a_stream() {
        let reply = read(&[
            r#"{"choices":[{"delta":{"role":"assistant","content":"Let "}}]}"#,
            r#"{"choices":[{"delta":{"content":"me."}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"sum","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "[DONE]",
        ]);
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), &reply.stop), ("Let me.", &StopReason::ToolCalls));
        assert_eq!(reply.calls[0].arguments, r#"{"a":1}"#);
        assert_eq!(reply.usage, Some(Usage { input: 12, output: 7, cached: 4 }));
    }

    #[test]
    fn a_reply_that_comes_whole_is_read_too() {
        let mut reader = OpenAi.reader();
        let text = reader.read_whole(
            r#"{"choices":[{"message":{"content":"Hi","tool_calls":[{"id":"a","function":{"name":"n","arguments":{"b":2}}}]},"finish_reason":"stop"}]}"#,
        );
        assert_eq!(text.unwrap(), "Hi");
        let reply = reader.finish().unwrap();
        assert_eq!(
            (reply.calls[0].arguments.as_str(), reply.stop),
            (r#"{"b":2}"#, StopReason::ToolCalls)
        );
    }

    #[test]
    fn a_cut_stream_a_failure_and_a_refusal_are_each_known() {
        let cut = read(&[r#"{"choices":[{"delta":{"content":"Hal"}}]}"#]).unwrap_err();
        assert_eq!(cut.kind, ErrorKind::ConnectionLost);
        let failed =
            read(&[r#"{"error":{"message":"Overloaded","type":"server_error"}}"#]).unwrap_err();
        assert_eq!((failed.kind.as_str(), failed.message.as_str()), ("server_error", "Overloaded"));
        let refused = read(&[
            r#"{"choices":[{"delta":{"refusal":"I can't."}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ]);
        let refused = refused.unwrap();
        assert_eq!((refused.text.as_str(), refused.stop), ("I can't.", StopReason::Refused));
        assert_eq!(read(&["{nonsense"]).unwrap_err().kind, ErrorKind::NotUnderstood);
    }

    #[test]
    fn the_path_follows_the_address() {
        for (base, path) in [
            ("", "/v1/chat/completions"),
            ("/v1", "/chat/completions"),
            ("/v1beta/openai/", "/chat/completions"),
            ("/v1/chat/completions", ""),
        ] {
            assert_eq!(OpenAi.request_path(base), path, "{base}");
        }
    }
}
