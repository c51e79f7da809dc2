//! Messages as Anthropic has them.

use std::collections::BTreeMap;

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

/// The version of the API that this is written for.
const VERSION: &str = "2023-06-01";

/// The API wants a limit. This is it where the settings have none.
const MAX_TOKENS: u64 = 4096;

pub(super) struct Anthropic;

impl ModelApi for Anthropic {
    fn word(&self) -> &'static str {
        "anthropic"
    }

    fn client(&self) -> Client {
        Client::Anthropic
    }

    fn request_path(&self, base: &str) -> &'static str {
        match base.trim_end_matches('/') {
            base if base.ends_with("/messages") => "",
            base if base.ends_with("/v1") => "/messages",
            _ => "/v1/messages",
        }
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        let key = key.map(|key| ("x-api-key".to_owned(), key.to_owned()));
        key.into_iter().chain([("anthropic-version".to_owned(), VERSION.to_owned())]).collect()
    }

    fn request_body(&self, request: &ModelRequest<'_>) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), request.model.into());
        body.insert("max_tokens".into(), request.max_tokens.unwrap_or(MAX_TOKENS).into());
        if let Some(system) = request.system {
            body.insert("system".into(), system.into());
        }
        body.insert("messages".into(), request.turns.iter().filter_map(message_of).collect());
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| render_tool(tool, Client::Anthropic));
            body.insert("tools".into(), tools.collect());
        }
        body.insert("stream".into(), true.into());
        with_extra(body, request.extra)
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(Reader::default())
    }
}

/// A turn as a message; `None` where nothing was said, which the API refuses.
fn message_of(turn: &Turn) -> Option<Value> {
    let call = |call: &ToolCall| {
        // The API takes objects alone.
        let input = Some(call.arguments_value()).filter(Value::is_object);
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input.unwrap_or_else(|| json!({}))})
    };
    let result = |result: &ToolResult| {
        let mut block =
            json!({"type": "tool_result", "tool_use_id": result.call_id, "content": result.text});
        if result.is_error {
            block["is_error"] = true.into();
        }
        block
    };
    match turn {
        Turn::User(text) => Some(json!({"role": "user", "content": text})),
        Turn::Model(reply) => {
            let mut content = reply.thinking.clone();
            if !reply.text.trim().is_empty() {
                content.push(json!({"type": "text", "text": reply.text.trim_end()}));
            }
            content.extend(reply.calls.iter().map(call));
            (!content.is_empty()).then(|| json!({"role": "assistant", "content": content}))
        }
        Turn::Results(results) => {
            Some(json!({"role": "user", "content": results.iter().map(result).collect::<Value>()}))
        }
    }
}

#[derive(Default)]
struct Reader {
    builder: ReplyBuilder,
    /// Parts that are neither text nor calls, by their number, until they end.
    thinking: BTreeMap<u64, Value>,
    done: bool,
}

impl Reader {
    fn begin_block(&mut self, number: Option<u64>, block: &Value) -> String {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match text("type") {
            "text" => {
                self.builder.add_text(text("text"));
                return text("text").to_owned();
            }
            "tool_use" => {
                // What comes in pieces begins with an empty object.
                let input = Some(&block["input"])
                    .filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
                self.builder.add_call_piece(CallPiece {
                    number,
                    id: text("id"),
                    name: text("name"),
                    arguments: &input.map(Value::to_string).unwrap_or_default(),
                });
            }
            _ => drop(self.thinking.insert(number.unwrap_or_default(), block.clone())),
        }
        String::new()
    }

    fn continue_block(&mut self, number: Option<u64>, delta: &Value) -> String {
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        let member = match text("type") {
            "text_delta" => {
                self.builder.add_text(text("text"));
                return text("text").to_owned();
            }
            "input_json_delta" => {
                let arguments = text("partial_json");
                self.builder.add_call_piece(CallPiece {
                    number,
                    arguments,
                    ..CallPiece::default()
                });
                return String::new();
            }
            "thinking_delta" => "thinking",
            "signature_delta" => "signature",
            _ => return String::new(),
        };
        if let Some(part) = self.thinking.get_mut(&number.unwrap_or_default()) {
            let before = part[member].as_str().unwrap_or_default();
            part[member] = format!("{before}{}", text(member)).into();
        }
        String::new()
    }

    fn end_block(&mut self, number: Option<u64>) {
        if let Some(part) = self.thinking.remove(&number.unwrap_or_default()) {
            self.builder.add_thinking(part);
        }
    }

    /// What is said again later counts from then on.
    fn take_usage(&mut self, usage: &Value) {
        let before = self.builder.usage().unwrap_or_default();
        let count = |name: &str| usage[name].as_u64();
        let cached = count("cache_read_input_tokens").unwrap_or_default();
        let written = count("cache_creation_input_tokens").unwrap_or_default();
        // The API counts what is in its cache apart.
        let input = count("input_tokens").map(|input| input + cached + written);
        if usage.is_object() {
            self.builder.set_usage(Usage {
                input: input.filter(|input| *input > 0).unwrap_or(before.input),
                output: count("output_tokens").unwrap_or(before.output),
                cached: if cached > 0 { cached } else { before.cached },
            });
        }
    }

    fn take_stop(&mut self, word: Option<&str>) {
        let Some(word) = word else { return };
        self.builder.stop = Some(match word {
            "end_turn" | "stop_sequence" => StopReason::Answered,
            "tool_use" => StopReason::ToolCalls,
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "refusal" => StopReason::Refused,
            other => StopReason::Other(other.to_owned()),
        });
    }
}

impl ReplyReader for Reader {
    fn read_event(&mut self, data: &str) -> Result<String, CallError> {
        let event = parse_piece(data)?;
        if let Some(failure) = reported_failure(&event) {
            return Err(failure);
        }
        let number = event["index"].as_u64();
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.take_usage(&event["message"]["usage"]),
            "content_block_start" => return Ok(self.begin_block(number, &event["content_block"])),
            "content_block_delta" => return Ok(self.continue_block(number, &event["delta"])),
            "content_block_stop" => self.end_block(number),
            "message_delta" => {
                self.take_usage(&event["usage"]);
                self.take_stop(event["delta"]["stop_reason"].as_str());
            }
            "message_stop" => self.done = true,
            // Signs of life, and what later versions add.
            _ => {}
        }
        Ok(String::new())
    }

    fn read_whole(&mut self, body: &str) -> Result<String, CallError> {
        let message = parse_piece(body)?;
        if let Some(failure) = reported_failure(&message) {
            return Err(failure);
        }
        self.done = true;
        let mut text = String::new();
        for (row, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            let number = u64::try_from(row).ok();
            text.push_str(&self.begin_block(number, block));
            self.end_block(number);
        }
        self.take_usage(&message["usage"]);
        self.take_stop(message["stop_reason"].as_str());
        Ok(text)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(&mut self) -> Result<ModelReply, CallError> {
        self.builder.build().filter(|_| self.done).ok_or_else(cut_off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error_kind::ErrorKind;

    fn read(events: &[&str]) -> Result<ModelReply, CallError> {
        let mut reader = Anthropic.reader();
        for event in events {
            reader.read_event(event)?;
        }
        reader.finish()
    }

    const CALLING: &[&str] = &[
        r#"{"type":"message_start","message":{"usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me."}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"sum","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}"#,
        r#"{"type":"message_stop"}"#,
    ];

    #[test]
    fn a_stream_is_read_whole() {
        let reply = read(CALLING).unwrap();
        assert_eq!((reply.text.as_str(), &reply.stop), ("Let me.", &StopReason::ToolCalls));
        assert_eq!(
            reply.calls,
            [ToolCall { id: "t1".into(), name: "sum".into(), arguments: r#"{"a":1}"#.into() }]
        );
        assert_eq!(
            reply.thinking,
            [json!({"type": "thinking", "thinking": "Hm.", "signature": "s1"})]
        );
        assert_eq!(reply.usage, Some(Usage { input: 15, output: 20, cached: 5 }));
    }

    #[test]
    fn a_stream_that_ends_anywhere_before_its_end_is_cut() {
        for end in 0..CALLING.len() {
            let cut = read(&CALLING[..end]).unwrap_err();
            assert_eq!(cut.kind, ErrorKind::ConnectionLost, "after {end} events");
        }
    }

    #[test]
    fn results_go_back_in_one_message_after_what_was_said() {
        let reply = read(CALLING).unwrap();
        let result = |id: &str, is_error: bool| ToolResult {
            call_id: id.into(),
            name: "sum".into(),
            text: "1".into(),
            is_error,
        };
        let turns = [
            Turn::User("1?".into()),
            Turn::Model(reply),
            Turn::Results(vec![result("t1", false), result("t2", true)]),
            Turn::Model(ModelReply::default()),
        ];
        let body = Anthropic.request_body(&ModelRequest {
            model: "m",
            system: None,
            turns: &turns,
            tools: &[],
            max_tokens: None,
            extra: &Map::new(),
        });
        assert_eq!(
            body,
            json!({
                "model": "m",
                "max_tokens": 4096,
                "messages": [
                    {"role": "user", "content": "1?"},
                    {"role": "assistant", "content": [
                        {"type": "thinking", "thinking": "Hm.", "signature": "s1"},
                        {"type": "text", "text": "Let me."},
                        {"type": "tool_use", "id": "t1", "name": "sum", "input": {"a": 1}},
                    ]},
                    {"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                        {"type": "tool_result", "tool_use_id": "t2", "content": "1", "is_error": true},
                    ]},
                ],
                "stream": true,
            })
        );
    }

    #[test]
    fn failures_and_whole_replies_are_read() {
        let failed = read(&[
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ]);
        assert_eq!(failed.unwrap_err().kind.as_str(), "overloaded_error");
        let mut reader = Anthropic.reader();
        let whole = r#"{"content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"n","input":{"b":2}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}"#;
        assert_eq!(reader.read_whole(whole).unwrap(), "Hi");
        let reply = reader.finish().unwrap();
        assert_eq!(reply.calls[0].arguments, r#"{"b":2}"#);
        assert_eq!(reply.usage, Some(Usage { input: 3, output: 4, cached: 0 }));
    }

    #[test]
    fn the_path_follows_the_address() {
        for (base, path) in [
            ("", "/v1/messages"),
            ("/v1", "/messages"),
            ("/anthropic", "/v1/messages"),
            ("/v1/messages", ""),
        ] {
            assert_eq!(Anthropic.request_path(base), path, "{base}");
        }
    }
}
