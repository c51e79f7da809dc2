//! A request to the cluster and its answer, with the shapes that failures have.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    engine::stub::play::StubPlay,
    model::{call::CallError, clock::Millis, stub::Fault},
    schema::encoding::percent_decode,
};

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterRequest {
    pub method: String,
    /// From the slash on, without what is behind `?`; percent signs are read.
    pub path: String,
    pub query: Vec<(String, String)>,
    pub body: String,
    pub now: Millis,
    /// Through how many agents it came.
    pub depth: usize,
}

impl ClusterRequest {
    /// The request of a path as it is in a URL.
    #[must_use]
    pub fn from_target(method: &str, target: &str, body: &str, now: Millis) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (percent_decode(name), percent_decode(value))
        };
        Self {
            method: method.to_owned(),
            path: percent_decode(path),
            query: query.split('&').filter(|part| !part.is_empty()).map(pair).collect(),
            body: body.to_owned(),
            now,
            depth: 0,
        }
    }

    /// The parts of the path between its slashes.
    #[must_use]
    pub fn segments(&self) -> Vec<&str> {
        self.path.split('/').filter(|part| !part.is_empty()).collect()
    }

    #[must_use]
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The members of the body; an empty one has none.
    ///
    /// # Errors
    /// With what a cluster says of a body that is no object.
    pub fn members(&self) -> Result<Map<String, Value>, Box<ClusterAnswer>> {
        if self.body.trim().is_empty() {
            return Ok(Map::new());
        }
        serde_json::from_str(&self.body).map_err(|error| {
            let reason = format!("the body is no JSON object: {error}");
            let cause = json!({
                "type": "parsing_exception", "reason": reason,
                "line": error.line(), "col": error.column(),
            });
            Box::new(ClusterAnswer::from_causes(400, cause))
        })
    }
}

/// What is said to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterAnswer {
    pub status: u16,
    pub body: AnswerBody,
    /// How long it is waited before.
    pub after: Duration,
    /// What goes wrong with it.
    pub fault: Option<Fault>,
    /// What whoever serves is notified of it.
    pub told: AnswerReport,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnswerContent {
    Json(Value),
    Text(String),
    Events(Vec<Value>),
    /// Pieces of a stub in their own time, each the content of an event.
    Play(StubPlay),
}

/// The body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerBody(pub(crate) AnswerContent);

/// Who answered, for whoever serves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerReport {
    /// The stub's name, or what replaces it.
    pub service: String,
    pub rule: Option<String>,
    pub problem: Option<CallError>,
}

impl ClusterAnswer {
    #[must_use]
    pub fn json(status: u16, body: Value) -> Self {
        Self::new(status, AnswerContent::Json(body))
    }

    #[must_use]
    pub fn text(status: u16, body: impl Into<String>) -> Self {
        Self::new(status, AnswerContent::Text(body.into()))
    }

    #[must_use]
    pub fn events(events: Vec<Value>) -> Self {
        Self::new(200, AnswerContent::Events(events))
    }

    pub(crate) fn play(play: StubPlay) -> Self {
        Self::new(200, AnswerContent::Play(play))
    }

    fn new(status: u16, content: AnswerContent) -> Self {
        Self {
            status,
            body: AnswerBody(content),
            after: Duration::ZERO,
            fault: None,
            told: AnswerReport::default(),
        }
    }

    /// A failure of the ML framework.
    #[must_use]
    pub fn failure(status: u16, details: impl Into<String>) -> Self {
        let kind =
            if status == 400 { "IllegalArgumentException" } else { "OpenSearchStatusException" };
        let reason = if status == 400 { "Invalid Request" } else { "System Error" };
        let error = json!({"type": kind, "reason": reason, "details": details.into()});
        Self::json(status, json!({"status": status, "error": error}))
    }

    /// A failure of the cluster itself.
    #[must_use]
    pub fn from_causes(status: u16, cause: Value) -> Self {
        let mut error = cause.clone();
        error["root_cause"] = vec![cause].into();
        Self::json(status, json!({"error": error, "status": status}))
    }

    /// That no path of the cluster is that.
    #[must_use]
    pub fn no_handler(request: &ClusterRequest) -> Self {
        let (path, method) = (&request.path, &request.method);
        let error = format!("no handler found for uri [{path}] and method [{method}]");
        Self::json(400, json!({ "error": error }))
    }

    /// The body as one text; that of a stream is its events' data, line by line.
    #[must_use]
    pub fn body_text(&self) -> String {
        match &self.body.0 {
            AnswerContent::Json(value) => value.to_string(),
            AnswerContent::Text(text) => text.clone(),
            AnswerContent::Events(events) => {
                events.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
            }
            AnswerContent::Play(_) => String::new(),
        }
    }

    /// Whether the cluster failed.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.status >= 400
    }
}

/// Entries as the framework wraps them.
#[must_use]
pub fn inference_results(entries: Vec<Value>) -> Value {
    let output: Map<String, Value> = Map::from_iter([("output".to_owned(), entries.into())]);
    json!({ "inference_results": [output] })
}
