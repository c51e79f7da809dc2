//! An agent's answer as it comes: lines of `data:`, in the shape of a response or as events of AG-UI.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::agent_answer::entry_text;

/// What a piece of a stream says.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamPiece {
    Text(String),
    /// A tool is called, with all of its arguments.
    ToolCall {
        name: String,
        arguments: String,
    },
    /// What a tool answered.
    ToolResult {
        name: String,
        content: String,
    },
    /// Another event: its name and what came with it.
    Event {
        name: String,
        body: Value,
    },
    Failed(String),
    /// Something that is broken, or that nobody can read; as it came.
    Unreadable,
    /// What other servers end their streams with: no end here until the stream ends with it.
    Done,
    Ended,
}

/// Reads a stream piece by piece, and joins what comes in fragments.
#[derive(Clone, Debug, Default)]
pub struct StreamReader {
    /// Calls under way, by their id or place.
    calls: BTreeMap<String, BegunCall>,
    /// The names of tools whose calls ended, by the ids of these.
    names: BTreeMap<String, String>,
}

/// A call of which more may come.
#[derive(Clone, Debug, Default)]
struct BegunCall {
    id: String,
    name: String,
    arguments: String,
}

impl BegunCall {
    fn into_piece(self) -> StreamPiece {
        StreamPiece::ToolCall { name: self.name, arguments: self.arguments }
    }

    /// Whether a fragment belongs to another call at the same place: a model that is asked again,
    /// after the tool answered, counts from 0 again.
    fn is_other(&self, id: &str, name: &str) -> bool {
        match id.is_empty() {
            true => !name.is_empty() && !self.arguments.is_empty(),
            false => !self.id.is_empty() && self.id != id,
        }
    }
}

/// What a failure begins with that the server writes by hand: only quotes are escaped in it.
const PLAIN_FAILURE: &str = "{\"error\": \"";

/// The end marker of other APIs.
pub const DONE: &str = "[DONE]";

impl StreamReader {
    /// Reads the data of one event.
    pub fn push_data(&mut self, data: &str) -> Vec<StreamPiece> {
        let Ok(value) = serde_json::from_str::<Value>(data) else {
            let failure = data.trim_end().strip_prefix(PLAIN_FAILURE);
            return vec![match failure.map(|rest| rest.strip_suffix("\"}").unwrap_or(rest)) {
                Some(message) => StreamPiece::Failed(message.replace("\\\"", "\"")),
                None if data.trim() == DONE => StreamPiece::Done,
                // What begins as JSON and is none was cut off.
                None if data.trim_start().starts_with(['{', '[']) => StreamPiece::Unreadable,
                None => StreamPiece::Text(data.to_owned()),
            }];
        };
        if let Some(kind) = value["type"].as_str() {
            return self.push_typed(kind, &value);
        }
        if let Some(error) = value.get("error") {
            let message = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            return vec![StreamPiece::Failed(message)];
        }
        let mut told = Vec::new();
        let results = value["inference_results"].as_array();
        for entry in
            results.into_iter().flatten().filter_map(|result| result["output"].as_array()).flatten()
        {
            let data = &entry["dataAsMap"];
            match data["content"].as_str() {
                Some(content) => told.extend(self.push_content(content)),
                None => {
                    let name = entry["name"].as_str().unwrap_or_default().to_owned();
                    told.push(StreamPiece::Event { name, body: json!(entry_text(entry)) });
                }
            }
            if data["is_last"] == true {
                told.push(StreamPiece::Ended);
            }
        }
        told
    }

    /// A text, or a fragment of tool calls as a model gives them.
    fn push_content(&mut self, content: &str) -> Vec<StreamPiece> {
        if content.is_empty() {
            return Vec::new();
        }
        let value = serde_json::from_str::<Value>(content).unwrap_or_default();
        let is_fragment = value.as_array().is_some_and(|items| {
            !items.is_empty() && items.iter().all(|item| item["function"].is_object())
        });
        if is_fragment {
            let mut ended = Vec::new();
            for item in value.as_array().into_iter().flatten() {
                let text = |member: &str| item["function"][member].as_str().unwrap_or_default();
                let id = item["id"].as_str().unwrap_or_default();
                let call = self.calls.entry(item["index"].to_string()).or_default();
                if call.is_other(id, text("name")) {
                    ended.push(std::mem::take(call).into_piece());
                }
                call.id.push_str(if call.id.is_empty() { id } else { "" });
                call.name.push_str(text("name"));
                call.arguments.push_str(text("arguments"));
            }
            return ended;
        }
        let calls = value["choices"][0]["message"]["tool_calls"].as_array();
        match calls {
            Some(calls) => {
                self.calls.clear();
                let call = |call: &Value| {
                    let text = |member: &str| {
                        call["function"][member].as_str().unwrap_or_default().to_owned()
                    };
                    StreamPiece::ToolCall { name: text("name"), arguments: text("arguments") }
                };
                calls.iter().map(call).collect()
            }
            None => {
                let mut told = self.finish();
                told.push(StreamPiece::Text(content.to_owned()));
                told
            }
        }
    }

    /// An event of AG-UI.
    fn push_typed(&mut self, kind: &str, value: &Value) -> Vec<StreamPiece> {
        let text = |member: &str| value[member].as_str().unwrap_or_default().to_owned();
        match kind {
            "TEXT_MESSAGE_CONTENT" => vec![StreamPiece::Text(text("delta"))],
            "TOOL_CALL_START" => {
                let call = BegunCall { name: text("toolCallName"), ..BegunCall::default() };
                self.calls.insert(text("toolCallId"), call);
                Vec::new()
            }
            "TOOL_CALL_ARGS" => {
                self.calls
                    .entry(text("toolCallId"))
                    .or_default()
                    .arguments
                    .push_str(&text("delta"));
                Vec::new()
            }
            "TOOL_CALL_END" => {
                let call = self.calls.remove(&text("toolCallId"));
                if let Some(call) = &call {
                    self.names.insert(text("toolCallId"), call.name.clone());
                }
                call.map(BegunCall::into_piece).into_iter().collect()
            }
            "TOOL_CALL_RESULT" => {
                let name = self.names.get(&text("toolCallId")).cloned().unwrap_or_default();
                vec![StreamPiece::ToolResult { name, content: text("content") }]
            }
            "RUN_ERROR" => vec![StreamPiece::Failed(text("message"))],
            "RUN_FINISHED" => vec![StreamPiece::Ended],
            "RUN_STARTED" | "TEXT_MESSAGE_START" | "TEXT_MESSAGE_END" => Vec::new(),
            other => vec![StreamPiece::Event { name: other.to_owned(), body: value.clone() }],
        }
    }

    /// Calls of which no end was reported, when something else follows or the stream ends.
    pub fn finish(&mut self) -> Vec<StreamPiece> {
        std::mem::take(&mut self.calls).into_values().map(BegunCall::into_piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(content: &str, is_last: bool) -> String {
        let data = json!({"content": content, "is_last": is_last});
        json!({"inference_results": [{"output": [{"name": "response", "dataAsMap": data}]}]})
            .to_string()
    }

    fn read(pieces: &[String]) -> Vec<StreamPiece> {
        let mut reader = StreamReader::default();
        let mut told: Vec<StreamPiece> =
            pieces.iter().flat_map(|piece| reader.push_data(piece)).collect();
        told.extend(reader.finish());
        told
    }

    #[test]
    fn fragments_of_a_tool_call_are_joined() {
        let call = StreamPiece::ToolCall { name: "search".into(), arguments: r#"{"q":1}"#.into() };
        let whole = json!({"choices": [{"message": {"tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{\"q\":1}"}},
        ]}}]});
        let fragments = [
            piece(r#"[{"index":0,"id":"c","function":{"name":"search","arguments":""}}]"#, false),
            piece(r#"[{"index":0,"function":{"arguments":"{\"q\""}}]"#, false),
            piece(r#"[{"index":0,"function":{"arguments":":1}"}}]"#, false),
        ];
        assert_eq!(read(&fragments), vec![call.clone()]);
        let mut ended = fragments.to_vec();
        ended.extend([piece(&whole.to_string(), false), piece("Done", false), piece("", true)]);
        assert_eq!(
            read(&ended),
            vec![call.clone(), StreamPiece::Text("Done".into()), StreamPiece::Ended]
        );
        let typed = [
            r#"{"type":"RUN_STARTED"}"#,
            r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search"}"#,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":"}"#,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"1}"}"#,
            r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#,
            r#"{"type":"TOOL_CALL_RESULT","toolCallId":"c","content":"two"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","delta":"Done"}"#,
            r#"{"type":"RUN_FINISHED"}"#,
        ]
        .map(str::to_owned);
        let result = StreamPiece::ToolResult { name: "search".into(), content: "two".into() };
        assert_eq!(
            read(&typed),
            vec![call, result, StreamPiece::Text("Done".into()), StreamPiece::Ended]
        );
    }

    #[test]
    fn calls_one_after_another_at_the_same_place_stay_apart() {
        let call = |name: &str| StreamPiece::ToolCall { name: name.into(), arguments: "{}".into() };
        let begun = |id: &str, name: &str| {
            let function = json!({"name": name, "arguments": ""});
            piece(&json!([{"index": 0, "id": id, "function": function}]).to_string(), false)
        };
        let arguments = || piece(r#"[{"index":0,"function":{"arguments":"{}"}}]"#, false);
        for ids in [["a", "b"], ["", ""]] {
            let pieces = [
                begun(ids[0], "find"),
                arguments(),
                begun(ids[1], "answer"),
                arguments(),
                piece("Done", true),
            ];
            let text = StreamPiece::Text("Done".into());
            assert_eq!(read(&pieces), vec![call("find"), call("answer"), text, StreamPiece::Ended]);
        }
    }

    #[test]
    fn a_broken_event_is_no_text() {
        let events = ["fine", "{\"inference_results\":[{\"out", " [DONE]", "[1, "];
        assert_eq!(
            read(&events.map(str::to_owned)),
            [
                StreamPiece::Text("fine".into()),
                StreamPiece::Unreadable,
                StreamPiece::Done,
                StreamPiece::Unreadable
            ]
        );
    }

    #[test]
    fn a_failure_ends_it() {
        assert_eq!(read(&[r#"{"error":"no"}"#.into()]), vec![StreamPiece::Failed("no".into())]);
        // As the server writes it where an agent cannot be run at all.
        let plain = "{\"error\": \"a \\\"b\\\"\nc \\d\"}".to_owned();
        assert_eq!(read(&[plain]), vec![StreamPiece::Failed("a \"b\"\nc \\d".into())]);
    }
}
