//! An endpoint of a model that says what it is told to say, in whichever shape; and what it was
//! asked.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use serde_json::{Value, json};

/// A request as it came.
pub struct Asked {
    /// The first line and the headers.
    pub head: String,
    pub body: Value,
}

pub struct ModelServer {
    pub url: String,
    asked: Receiver<Asked>,
    go: Sender<()>,
}

/// Where an answer stops until [`ModelServer::go_on`], or until whoever waits for it has gone.
pub const HELD: &str = "(held)";

impl ModelServer {
    /// Gives these answers, whole HTTP responses, one for each request.
    pub fn start(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (tell, asked) = mpsc::channel();
        let (go, may_go) = mpsc::channel();
        thread::spawn(move || {
            for answer in answers {
                // A connection that brings no request only asked whether somebody is there.
                let (mut stream, request) = loop {
                    let (stream, _) = listener.accept().unwrap();
                    if let Some(request) = read(&mut BufReader::new(&stream)) {
                        break (stream, request);
                    }
                };
                let _ = tell.send(request);
                for (row, part) in answer.split(HELD).enumerate() {
                    if row > 0 && may_go.recv().is_err() {
                        return;
                    }
                    // Whoever has stopped the run reads no more.
                    if stream.write_all(part.as_bytes()).is_err() {
                        break;
                    }
                }
            }
        });
        Self { url, asked, go }
    }

    /// Lets the answer that is held go on.
    pub fn go_on(&self) {
        self.go.send(()).unwrap();
    }

    /// The requests that came, in their order.
    pub fn asked(self) -> Vec<Asked> {
        self.asked.try_iter().collect()
    }
}

fn read(from: &mut impl BufRead) -> Option<Asked> {
    let mut head = String::new();
    while from.read_line(&mut head).ok()? > 0 && !head.ends_with("\r\n\r\n") {}
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let mut body = vec![0; length.parse().ok()?];
    from.read_exact(&mut body).ok()?;
    Some(Asked { head, body: serde_json::from_slice(&body).unwrap() })
}

/// An answer as a whole.
pub fn whole(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A stream of events that ends with the connection.
pub fn stream(events: &[String]) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{}",
        events.concat()
    )
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Chat completions, as OpenAI streams them.
pub mod openai {
    use super::*;

    fn chunk(delta: &Value, finish: Option<&str>) -> String {
        event(
            &json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}),
        )
    }

    fn end(finish: &str) -> Vec<String> {
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}});
        vec![chunk(&json!({}), Some(finish)), event(&usage), "data: [DONE]\n\n".to_owned()]
    }

    /// The events of an answer in words, in two pieces.
    pub fn words(text: &str) -> Vec<String> {
        let middle = text.len() / 2;
        let pieces = [&text[..middle], &text[middle..]];
        let pieces = pieces.map(|piece| chunk(&json!({"content": piece}), None));
        pieces.into_iter().chain(end("stop")).collect()
    }

    /// The events of calls beside each other, their arguments as texts in pieces.
    pub fn calls(calls: &[(&str, &str)]) -> Vec<String> {
        let mut events = Vec::new();
        for (row, (name, arguments)) in calls.iter().enumerate() {
            let call = |call: Value| chunk(&json!({"tool_calls": [call]}), None);
            events.push(call(json!({"index": row, "id": format!("call-{row}"), "type": "function", "function": {"name": name, "arguments": ""}})));
            let middle = arguments.len() / 2;
            for piece in [&arguments[..middle], &arguments[middle..]] {
                events.push(call(json!({"index": row, "function": {"arguments": piece}})));
            }
        }
        events.into_iter().chain(end("tool_calls")).collect()
    }
}

/// Messages, as Anthropic streams them.
pub mod anthropic {
    use super::*;

    fn named(value: &Value) -> String {
        format!("event: {}\n{}", value["type"].as_str().unwrap(), event(value))
    }

    fn message(blocks: Vec<(Value, Value)>, stop: &str) -> Vec<String> {
        let mut events = vec![
            json!({"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 100, "output_tokens": 1}}}),
        ];
        for (row, (block, delta)) in blocks.into_iter().enumerate() {
            events
                .push(json!({"type": "content_block_start", "index": row, "content_block": block}));
            events.push(json!({"type": "ping"}));
            events.push(json!({"type": "content_block_delta", "index": row, "delta": delta}));
            events.push(json!({"type": "content_block_stop", "index": row}));
        }
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 20}}));
        events.push(json!({"type": "message_stop"}));
        events.iter().map(named).collect()
    }

    pub fn words(text: &str) -> Vec<String> {
        let block =
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}));
        message(vec![block], "end_turn")
    }

    pub fn calls(calls: &[(&str, &str)]) -> Vec<String> {
        let block = |(row, (name, arguments)): (usize, &(&str, &str))| {
            (
                json!({"type": "tool_use", "id": format!("toolu_{row}"), "name": name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": arguments}),
            )
        };
        message(calls.iter().enumerate().map(block).collect(), "tool_use")
    }
}
