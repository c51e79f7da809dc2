//! Calls as tests make them, and what came of them.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::{sync::mpsc, time::timeout};
use toolcrib::{
    model::{
        call::{CallError, Event, EventKind, Limits, Outcome, Request, StrayCause},
        connection::Connection,
        entry::{EntryId, EntryPlace, FileId},
    },
    schema::pointer::Pointer,
    systems::trustgraph::request,
    wire::registry::Registry,
};

/// Far above anything these tests wait for; who reaches it has hung.
pub const HUNG: Duration = Duration::from_secs(60);

pub fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// A call of the service that listens on `request:tg:joke`.
pub fn joke() -> Request {
    joke_of("joke")
}

/// A call of the service that listens on the topic.
pub fn joke_of(topic: &str) -> Request {
    let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::default());
    Request {
        tool: EntryId::new(place),
        system: "trustgraph",
        name: "tell-joke".into(),
        // Spelled so that every broker can carry it.
        to: format!("request:tg:{topic}"),
        reply: Some(format!("response:tg:{topic}")),
        headers: vec![("id".into(), "7f1c".into())],
        correlation: "7f1c".into(),
        arguments: r#"{"topic": "llamas"}"#.into(),
        body: request::request_body(
            "alice",
            &map(&json!({"style": "a pun"})),
            r#"{"topic": "llamas"}"#,
        ),
        mock: None,
    }
}

/// Long enough never to be met by an answer that comes; `short` where a limit itself is the thing.
pub fn limits() -> Limits {
    Limits {
        first: HUNG,
        idle: HUNG,
        total: HUNG,
        linger: Duration::from_millis(200),
        ..Limits::default()
    }
}

pub struct Heard(pub Vec<Event>);

impl Heard {
    pub fn text(&self) -> String {
        let of = |event: &Event| match &event.kind {
            EventKind::Chunk { text, .. } => Some(text.to_string()),
            _ => None,
        };
        self.0.iter().filter_map(of).collect()
    }

    pub fn pieces(&self) -> usize {
        self.0.iter().filter(|event| matches!(event.kind, EventKind::Chunk { .. })).count()
    }

    pub fn strays(&self) -> Vec<StrayCause> {
        let of = |event: &Event| match &event.kind {
            EventKind::Stray { cause, .. } => Some(*cause),
            _ => None,
        };
        self.0.iter().filter_map(of).collect()
    }

    pub fn end(&self) -> (Outcome, Option<CallError>) {
        let of = |event: &Event| match &event.kind {
            EventKind::End { outcome, problem } => Some((*outcome, problem.clone())),
            _ => None,
        };
        let ends: Vec<_> = self.0.iter().filter_map(of).collect();
        assert_eq!(ends.len(), 1, "a call ends once: {:?}", self.0);
        ends[0].clone()
    }

    pub fn problem(&self) -> CallError {
        let (_, problem) = self.end();
        let problem = problem.unwrap_or_else(|| panic!("no problem: {:?}", self.0));
        assert!(!problem.remedy.is_empty(), "{problem:?}");
        problem
    }

    pub fn assert_lost(&self, kind: &str) {
        assert_eq!(
            (self.end().0, self.problem().kind.as_str()),
            (Outcome::Lost, kind),
            "{:?}",
            self.0
        );
    }
}

pub async fn call_with(
    registry: &Registry,
    connection: &Connection,
    request: Request,
    limits: Limits,
) -> Heard {
    call_and(registry, connection, (request, limits), |_| false, async || ()).await
}

/// What a call comes to where this happens at such an event.
pub async fn call_and(
    registry: &Registry,
    connection: &Connection,
    (request, limits): (Request, Limits),
    at: impl Fn(&Event) -> bool,
    mut happens: impl AsyncFnMut(),
) -> Heard {
    let (sender, mut receiver) = mpsc::channel(16);
    let collect = async {
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            if at(&event) {
                happens().await;
            }
            events.push(event);
        }
        Heard(events)
    };
    let both =
        async { tokio::join!(registry.run_call(connection, request, limits, sender), collect).1 };
    timeout(2 * HUNG, both).await.expect("the call hangs")
}

/// The second piece of an answer that says "one two" and more, or does not end.
pub fn two(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Chunk { text, .. } if text.starts_with("two"))
}

/// The request has gone out.
pub fn sent(event: &Event) -> bool {
    matches!(event.kind, EventKind::Sent { .. })
}
