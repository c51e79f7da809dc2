//! The events of a call as what its client is informed: how far it is, what is worth knowing, and
//! the result.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use super::{
    dialogue::ToolCall,
    reply::{Reply, ServerInfo, add_meta, log_frame, progress_frame},
};
use crate::{
    model::{
        call::{CallError, Event, EventKind, Outcome},
        stage::Stage,
    },
    systems::mcp::notice::LogLevel,
};

/// So many lines of a server's standard error go with a failure, the last ones.
const LAST_LINES: usize = 20;
/// The most of a piece of an answer that goes with the progress; the result has all of it.
const LONGEST_MESSAGE: usize = 4_096;
/// The logger of what toolcrib itself reports a call.
const LOGGER: &str = "toolcrib";

/// The report of a call that failed, among the `_meta` of its result.
pub const ERROR: &str = "toolcrib/error";
/// How it ended.
pub const OUTCOME: &str = "toolcrib/outcome";

/// Follows one call for its client.
#[derive(Debug)]
pub struct CallReport {
    call: ToolCall,
    text: String,
    /// The last progress that was reported.
    progress: f64,
    pieces: u64,
    /// The tool itself says how far it is.
    has_own_progress: bool,
    /// A whole result that came of the tool of another server.
    result: Option<Map<String, Value>>,
    /// The tool is promised to answer with structured content.
    is_structured: bool,
    stderr: VecDeque<String>,
}

impl CallReport {
    #[must_use]
    pub fn new(call: ToolCall, is_structured: bool) -> Self {
        Self {
            call,
            is_structured,
            text: String::new(),
            // The first may be nothing.
            progress: f64::NEG_INFINITY,
            pieces: 0,
            has_own_progress: false,
            result: None,
            stderr: VecDeque::new(),
        }
    }

    /// The call as its client asks for it again, with another id.
    pub fn repeat_as(&mut self, call: ToolCall) {
        self.call = call;
    }

    /// The call as its client asked for it last.
    #[must_use]
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Takes an event in that is not the end; the frame that reports it, where one does.
    pub fn handle_event(&mut self, kind: EventKind) -> Option<String> {
        match kind {
            EventKind::Chunk { text, .. } => {
                self.text.push_str(&text);
                self.pieces += 1;
                if self.has_own_progress {
                    return None;
                }
                self.next_progress(&self.pieces.into(), None, &text)
            }
            EventKind::Stage(stage) => self.handle_stage(&stage),
            EventKind::Notice(words) => self.log(LogLevel::Info, LOGGER, words.into()),
            EventKind::Stray { cause, .. } => {
                let words = format!("a message that is no part of the answer: {}", cause.message());
                self.log(LogLevel::Debug, LOGGER, words.into())
            }
            EventKind::Sent { .. } | EventKind::Headers { .. } | EventKind::End { .. } => None,
        }
    }

    fn handle_stage(&mut self, stage: &Stage) -> Option<String> {
        let params = || {
            let frame: Value = serde_json::from_str(&stage.body).ok()?;
            frame.get("params").cloned()
        };
        match &*stage.name {
            "progress" => {
                let told = params()?;
                let message = told.get("message").and_then(Value::as_str).unwrap_or_default();
                self.has_own_progress = true;
                self.next_progress(told.get("progress")?, told.get("total"), message)
            }
            "log" => {
                let told = params().unwrap_or_default();
                let text = |name: &str| told.get(name).and_then(Value::as_str);
                let level = text("level").and_then(LogLevel::parse).unwrap_or(LogLevel::Info);
                let logger = text("logger").unwrap_or(LOGGER);
                let data = told.get("data").cloned();
                self.log(level, logger, data.unwrap_or_else(|| stage.words.clone().into()))
            }
            "result" => {
                let result = serde_json::from_str(&stage.body).ok();
                self.result = result.filter(|result: &Map<_, _>| {
                    result.get("content").is_some_and(Value::is_array)
                });
                None
            }
            _ if stage.is_wire() => None,
            name => {
                if name == "stderr" {
                    self.stderr.push_back(stage.words.clone());
                    if self.stderr.len() > LAST_LINES {
                        self.stderr.pop_front();
                    }
                }
                let data = json!({"stage": name, "text": stage.words});
                self.log(LogLevel::Info, LOGGER, data)
            }
        }
    }

    /// Progress that the client wants to know; it only grows.
    fn next_progress(
        &mut self,
        progress: &Value,
        total: Option<&Value>,
        message: &str,
    ) -> Option<String> {
        let token = self.call.progress.as_ref()?;
        self.progress = progress.as_f64().filter(|number| *number > self.progress)?;
        let message: String = message.chars().take(LONGEST_MESSAGE).collect();
        Some(progress_frame(token, progress, total, &message))
    }

    fn log(&self, level: LogLevel, logger: &str, data: Value) -> Option<String> {
        let least = self.call.level?;
        (level >= least).then(|| log_frame(level, logger, data))
    }

    /// The answer to the call, which ended so.
    #[must_use]
    pub fn into_reply(
        self,
        about: &ServerInfo,
        outcome: Outcome,
        problem: Option<CallError>,
    ) -> Reply {
        let (id, spoken) = (self.call.id.clone(), self.call.spoken.clone());
        let result = match outcome {
            Outcome::Succeeded => self.success(),
            _ => self.failure(outcome, problem),
        };
        about.result(&id, &spoken, result)
    }

    fn success(self) -> Value {
        let mut result = self.result.unwrap_or_else(|| {
            let mut result = text_content(&self.text);
            let data = serde_json::from_str(&self.text).ok().filter(Value::is_object);
            let data = data.filter(|_| self.is_structured);
            result.extend(data.map(|data| ("structuredContent".to_owned(), data)));
            result
        });
        result.remove("resultType");
        result.insert("isError".into(), false.into());
        Value::Object(result)
    }

    /// The whole cause, as a model and its user read it.
    fn failure(self, outcome: Outcome, problem: Option<CallError>) -> Value {
        let mut words = match &problem {
            Some(problem) => format!("{} ({})", problem.message, problem.kind),
            None => format!("the call {}", outcome.as_str()),
        };
        if let Some(remedy) = problem.as_ref().map(|problem| &problem.remedy)
            && !remedy.is_empty()
        {
            words.push_str(&format!("\n{remedy}"));
        }
        if !self.stderr.is_empty() {
            words.push_str("\nstandard error:");
            self.stderr.iter().for_each(|line| words.push_str(&format!("\n{line}")));
        }
        let mut result = match self.result {
            Some(result) => result,
            None if self.text.is_empty() => Map::from_iter([("content".to_owned(), json!([]))]),
            None => text_content(&self.text),
        };
        result.remove("resultType");
        // It may be what broke the tool's promise.
        result.remove("structuredContent");
        if let Some(Value::Array(content)) = result.get_mut("content") {
            content.push(json!({"type": "text", "text": words}));
        }
        let mut meta = vec![(OUTCOME, outcome.as_str().into())];
        meta.extend(problem.map(|CallError { kind, message, remedy }| {
            (ERROR, json!({"type": kind.as_str(), "message": message, "remedy": remedy}))
        }));
        add_meta(&mut result, meta);
        result.insert("isError".into(), true.into());
        Value::Object(result)
    }
}

fn text_content(text: &str) -> Map<String, Value> {
    Map::from_iter([("content".to_owned(), json!([{"type": "text", "text": text}]))])
}

/// The end among the events of a call.
#[must_use]
pub fn end_of(event: &Event) -> Option<(Outcome, Option<CallError>)> {
    match &event.kind {
        EventKind::End { outcome, problem } => Some((*outcome, problem.clone())),
        _ => None,
    }
}
