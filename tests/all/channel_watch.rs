//! A CommonGround channel watched on a real NATS server with JetStream: messages as the real
//! services were seen to send them.

use std::{sync::Arc, time::Duration};

use async_nats::{
    HeaderMap,
    jetstream::{self, consumer::pull, stream},
};
use futures::StreamExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;
use toolcrib::{
    engine::{
        mask::Mask,
        traffic::{
            conversation::{Conversation, ConversationState},
            record::{Record, RecordBounds},
        },
    },
    model::{
        catalog::Catalog,
        clock::Millis,
        connection::Connection,
        traffic::{ObservedMessage, Tapped},
    },
    systems::{
        commonground::{idempotency::tool_key, settings::Channel},
        watched::{self, TrafficWitness},
    },
    wire::{registry::Registry, tap::Tap, transport::message::Address},
};

use crate::support::{
    calls::HUNG,
    commonground::{CommonGround, jetstream as server},
    nats::NatsServer,
};

const TRACE: &str = "00-01a1fd19fca073248029f3d8b309da00-b4e7bf2abb53389f-01";

/// A deployment's streams and bucket, with one service's consumer.
struct Deployment {
    server: NatsServer,
    _folder: TempDir,
    client: async_nats::Client,
    context: jetstream::Context,
}

impl Deployment {
    async fn start() -> Self {
        let (server, folder) = server();
        let client = async_nats::connect(server.url()).await.unwrap();
        let context = jetstream::new(client.clone());
        for kind in ["cmd", "evt"] {
            let (name, subjects) =
                (format!("cg_{kind}_v1r4"), vec![format!("cg.v1r4.*.*.{kind}.*.*.>")]);
            context
                .create_stream(stream::Config { name, subjects, ..Default::default() })
                .await
                .unwrap();
        }
        let bucket = jetstream::kv::Config {
            bucket: "cg_tool_idem_v1".into(),
            history: 64,
            ..Default::default()
        };
        context.create_key_value(bucket).await.unwrap();
        Self { server, _folder: folder, client, context }
    }

    fn connection(&self) -> Connection {
        Channel::new("lab", "public").apply_to(self.server.connection())
    }

    /// Publishes as upstream's client does, and waits until the stream has it.
    async fn publish(&self, subject: &str, call: Option<&str>, body: &Value) {
        let mut headers = HeaderMap::new();
        let of_turn = [
            ("CG-Agent-Id", "counter"),
            ("CG-Turn-Id", "turn_1"),
            ("CG-Turn-Epoch", "2"),
            ("traceparent", TRACE),
        ];
        for (name, value) in of_turn.into_iter().chain(call.map(|call| ("CG-Tool-Call-Id", call))) {
            headers.insert(name, value);
        }
        let subject = format!("cg.v1r4.lab.public.{subject}");
        self.context
            .publish_with_headers(subject, headers, body.to_string().into())
            .await
            .unwrap()
            .await
            .unwrap();
    }

    async fn command(&self, call: &str) {
        let body = json!({"tool_name": "word_count", "after_execution": "suspend", "tool_call_card_id": format!("card_of_{call}")});
        self.publish("cmd.tool.word_count.call", Some(call), &body).await;
    }

    async fn mark(&self, call: &str, body: &Value) {
        let bucket = self.context.get_key_value("cg_tool_idem_v1").await.unwrap();
        bucket.put(tool_key("lab", "word_count", call), body.to_string().into()).await.unwrap();
    }

    async fn chunk(&self, kind: &str, text: &str) {
        let body = json!({"agent_turn_id": "turn_1", "step_id": "step_1", "chunk_type": kind, "content": text});
        self.client
            .publish("cg.v1r4.lab.public.str.agent.counter.chunk", body.to_string().into())
            .await
            .unwrap();
        self.client.flush().await.unwrap();
    }

    async fn first_half(&self) {
        self.publish(
            "cmd.agent.worker_generic.wakeup",
            None,
            &json!({"inbox_id": "turn_1", "reason": "dispatch_next"}),
        )
        .await;
        self.publish(
            "evt.agent.counter.state",
            None,
            &json!({"status": "dispatched", "turn_epoch": 2}),
        )
        .await;
        self.chunk("content", "I count ").await;
        self.chunk("content", "the words.").await;
        self.command("call_1").await;
        self.mark("call_1", &json!({"status": "running", "timestamp": 1.0})).await;
    }

    async fn second_half(&self) {
        let payload = json!({"after_execution": "suspend", "status": "success", "tool_result_card_id": "card_9"});
        self.mark("call_1", &json!({"status": "done", "timestamp": 2.0, "payload": payload})).await;
        self.publish("evt.agent.counter.task", None, &json!({"status": "success"})).await;
    }

    /// All that the server keeps about who reads what, by name.
    async fn consumers(&self) -> Vec<String> {
        let mut names = Vec::new();
        for stream in ["cg_cmd_v1r4", "cg_evt_v1r4", "KV_cg_tool_idem_v1"] {
            let stream = self.context.get_stream(stream).await.unwrap();
            let mut all = stream.consumer_names();
            while let Some(name) = all.next().await {
                names.push(name.unwrap());
            }
        }
        names
    }
}

/// Somebody who looks on.
struct Onlooker {
    _registry: Registry,
    tap: Tap,
    witness: TrafficWitness,
    record: Record,
    heard: Vec<Arc<ObservedMessage>>,
    words: Vec<String>,
}

impl Onlooker {
    async fn at(connection: &Connection, places: &[&str], since: Option<Millis>) -> Self {
        let registry = Registry::default();
        let bus = registry.open_bus(connection).await.unwrap();
        let places: Vec<Address> = match places {
            [] => {
                let places = watched::default_places(&Catalog::default(), connection).unwrap();
                places.into_iter().map(|place| Address::ephemeral(place.name)).collect()
            }
            places => places.iter().map(|place| Address::ephemeral(*place)).collect(),
        };
        let tap = Tap::open_since(bus, &places, Mask::default(), since).await.unwrap();
        let (heard, words, record) = (Vec::new(), Vec::new(), Record::new(RecordBounds::default()));
        Self { _registry: registry, tap, witness: TrafficWitness::default(), record, heard, words }
    }

    async fn until(&mut self, wanted: impl Fn(&Self) -> bool) {
        let looking = async {
            while !wanted(self) {
                for tapped in self.tap.next(1_000).await {
                    match &tapped {
                        Tapped::ObservedMessage(crossing) => self.heard.push(Arc::clone(crossing)),
                        Tapped::Notice { words, .. } => self.words.push(words.clone()),
                        Tapped::Gap { .. } => {}
                    }
                    self.record.add_witnessed(self.witness.observe_message(tapped));
                }
            }
        };
        let in_time = timeout(HUNG, looking).await;
        assert!(in_time.is_ok(), "it never came: {:?} {:?}", self.words, self.subjects());
    }

    fn found(&self, id: &str) -> Option<&Conversation> {
        let mut all =
            (0..self.record.row_count()).rev().filter_map(|row| self.record.conversation_at(row));
        all.find(|conversation| conversation.names().any(|name| name == id))
    }

    fn ended(&self, id: &str) -> bool {
        self.found(id).is_some_and(Conversation::has_ended)
    }

    fn subjects(&self) -> Vec<&str> {
        self.heard.iter().map(|crossing| &*crossing.subject).collect()
    }
}

#[tokio::test]
async fn a_whole_turn_is_heard_and_nobody_notices() {
    let here = Deployment::start().await;
    let mut onlooker = Onlooker::at(&here.connection(), &[], None).await;
    here.first_half().await;
    here.second_half().await;
    // Several subscriptions hear it, in no order among them.
    let all = |onlooker: &Onlooker| {
        onlooker.ended("turn_1") && onlooker.ended("call_1") && onlooker.heard.len() == 8
    };
    onlooker.until(all).await;
    let (turn, call) = (onlooker.found("turn_1").unwrap(), onlooker.found("call_1").unwrap());
    assert_eq!(
        (&turn.standing, &call.standing, call.whole),
        (&ConversationState::Succeeded, &ConversationState::Succeeded, Some(turn.number))
    );
    assert_eq!(
        (turn.said.as_str(), call.count, onlooker.record.len()),
        ("I count the words.", 3, 2)
    );
    assert_eq!(here.consumers().await, Vec::<String>::new(), "nothing was made on the server");
    // Where no stream keeps a message its publisher is to be told so at once, as if nobody
    // listened.
    let lost = here
        .context
        .publish("cg.v1r4.lab.public.cmd.tool.word_count", "{}".into())
        .await
        .unwrap()
        .await;
    let kind = lost.unwrap_err().kind();
    assert_eq!(
        kind,
        jetstream::context::PublishErrorKind::StreamNotFound,
        "whoever looks on is no answerer"
    );
}

#[tokio::test]
async fn who_names_the_whole_channel_hears_what_no_stream_keeps_and_is_told_what_that_does() {
    let here = Deployment::start().await;
    let mut onlooker = Onlooker::at(&here.connection(), &["cg.v1r4.lab.public.>"], None).await;
    here.client.publish("cg.v1r4.lab.public.cmd.tool.word_count", "{}".into()).await.unwrap();
    onlooker.until(|onlooker| onlooker.record.row_count() == 1).await;
    let problem = onlooker.record.conversation_at(0).unwrap().standing.problem().unwrap();
    assert!(
        problem.message.contains("7 tokens") && problem.message.contains("time-out"),
        "{}",
        problem.message
    );
}

#[tokio::test]
async fn what_was_kept_comes_first_and_nothing_twice() {
    let here = Deployment::start().await;
    here.first_half().await;
    let mut onlooker = Onlooker::at(&here.connection(), &[], Some(Millis(0))).await;
    here.second_half().await;
    onlooker.until(|onlooker| onlooker.ended("turn_1") && onlooker.heard.len() == 6).await;
    let expected = [
        "cg.v1r4.lab.public.cmd.agent.worker_generic.wakeup",
        "cg.v1r4.lab.public.evt.agent.counter.state",
        "cg.v1r4.lab.public.cmd.tool.word_count.call",
    ];
    // Token streams are kept by nothing.
    assert_eq!(
        (&onlooker.subjects()[..3], onlooker.heard.len()),
        (&expected[..], 6),
        "{:?}",
        onlooker.subjects()
    );
    assert!(
        onlooker.words.iter().any(|words| words.contains("messages were kept")),
        "{:?}",
        onlooker.words
    );
    let call = onlooker.found("call_1").unwrap();
    assert_eq!((&call.standing, call.count), (&ConversationState::Succeeded, 3));
    let times: Vec<_> = onlooker.heard.iter().map(|crossing| crossing.at).collect();
    assert!(
        times[..4].is_sorted() && times[0].0 > 1_700_000_000_000,
        "the times are those of the stream: {times:?}"
    );
    drop(onlooker);
}

#[tokio::test]
async fn replaying_while_it_goes_on_loses_nothing_and_doubles_nothing() {
    const CALLS: usize = 300;
    let here = Arc::new(Deployment::start().await);
    let sending = tokio::spawn({
        let here = Arc::clone(&here);
        async move {
            for number in 0..CALLS {
                here.command(&format!("call_{number}")).await;
            }
        }
    });
    // Somewhere in the middle.
    let mut stream = here.context.get_stream("cg_cmd_v1r4").await.unwrap();
    while stream.info().await.unwrap().state.messages < CALLS as u64 / 3 {}
    let mut onlooker = Onlooker::at(&here.connection(), &[], Some(Millis(0))).await;
    sending.await.unwrap();
    onlooker.until(|onlooker| onlooker.found(&format!("call_{}", CALLS - 1)).is_some()).await;
    let mut calls: Vec<&str> =
        onlooker.heard.iter().filter_map(|crossing| crossing.header("CG-Tool-Call-Id")).collect();
    assert_eq!(calls.len(), CALLS);
    calls.sort_unstable();
    calls.dedup();
    assert_eq!(calls.len(), CALLS);
}

#[tokio::test]
async fn where_nothing_is_kept_that_is_said() {
    let server = NatsServer::start();
    let connection = Channel::new("lab", "public").apply_to(server.connection());
    let registry = Registry::default();
    let bus = registry.open_bus(&connection).await.unwrap();
    let place = [Address::ephemeral("cg.v1r4.lab.public.>")];
    let refused = Tap::open_since(bus, &place, Mask::default(), Some(Millis(0))).await;
    let problem = refused.err().unwrap();
    assert!(
        problem.kind.as_str() == "no-streams" && problem.remedy.contains("JetStream"),
        "{problem:?}"
    );
    let here = Deployment::start().await;
    let mut onlooker = Onlooker::at(&here.connection(), &["orders.>"], Some(Millis(0))).await;
    onlooker
        .until(|onlooker| onlooker.words.iter().any(|words| words.contains("no stream keeps")))
        .await;
}

#[tokio::test]
async fn what_a_service_refuses_three_times_stands_at_its_command() {
    let here = Deployment::start().await;
    let stream = here.context.get_stream("cg_cmd_v1r4").await.unwrap();
    let service = pull::Config {
        durable_name: Some("tool_word_count_cmd_v1r4".into()),
        filter_subject: "cg.v1r4.*.*.cmd.tool.word_count.*".into(),
        max_deliver: 3,
        ack_wait: Duration::from_secs(30),
        ..Default::default()
    };
    let service = stream.create_consumer(service).await.unwrap();
    let mut onlooker = Onlooker::at(&here.connection(), &[], None).await;
    // That of another channel is not ours.
    let body =
        json!({"tool_name": "word_count", "after_execution": "suspend", "tool_call_card_id": "x"})
            .to_string();
    let elsewhere = "cg.v1r4.lab.other.cmd.tool.word_count.call";
    here.context.publish(elsewhere, body.into()).await.unwrap().await.unwrap();
    here.command("call_1").await;
    let mut deliveries = service.messages().await.unwrap();
    for _ in 0..6 {
        let delivery = timeout(HUNG, deliveries.next()).await.unwrap().unwrap().unwrap();
        delivery.ack_with(jetstream::AckKind::Nak(None)).await.unwrap();
    }
    // Refusals and giving up are heard in no order.
    let all = |onlooker: &Onlooker| {
        onlooker.ended("call_1") && onlooker.found("call_1").is_some_and(|call| call.count == 5)
    };
    onlooker.until(all).await;
    let call = onlooker.found("call_1").unwrap();
    assert_eq!(
        call.standing.problem().map(|problem| problem.kind.as_str()),
        Some("given-up"),
        "{:?}",
        call.standing
    );
    assert!(onlooker.heard.iter().all(|crossing| {
        crossing
            .about
            .as_ref()
            .is_none_or(|about| &*about.subject == "cg.v1r4.lab.public.cmd.tool.word_count.call")
    }));
    assert_eq!((call.count, onlooker.record.len()), (5, 2), "{:?}", onlooker.subjects());
}

const COUNT: &str = "tool_name: word_count\ntarget_subject: \"cg.v1r4.{project_id}.{channel_id}.cmd.tool.word_count.call\"\n\
                     after_execution: suspend\n";

#[tokio::test]
async fn a_turn_with_a_child_is_heard_from_its_action_to_its_task() {
    let there = CommonGround::start();
    there.put(&[COUNT]);
    there.agents(&[
        ("ui_dbg", "ui_worker"),
        ("counter", "worker_generic"),
        ("reader", "worker_generic"),
    ]);
    let connection = Channel::new("lab", "public").apply_to(there.nats.connection());
    let mut onlooker = Onlooker::at(&connection, &[], None).await;
    let counts = |text: &str| json!({"tool": "word_count", "args": {"text": text}});
    let reads = json!([{"say": "I read it.", "calls": [{"tool": "word_count", "args": {"text": "x"}, "after": "terminate"}]}]);
    let plan = json!([
        {"say": "I count both.", "calls": [counts("a b"), counts("c")]},
        {"say": "Now you.", "calls": [{"tool": "fork_join", "args": {"agent_id": "reader", "plan": reads}}]},
        {"say": "Three words in all."},
    ]);
    there.plays("act_1", "counter", &plan);
    let of = |onlooker: &Onlooker, agent: &str| {
        let all =
            (0..onlooker.record.row_count()).filter_map(|row| onlooker.record.conversation_at(row));
        all.filter(|conversation| conversation.topic.as_deref() == Some(agent))
            .map(|turn| turn.number)
            .next()
    };
    let rests = |onlooker: &Onlooker, agent: &str| {
        let turn = of(onlooker, agent).and_then(|number| onlooker.record.conversation(number));
        turn.is_some_and(|turn| {
            turn.has_ended() && turn.states.last().is_some_and(|state| state == "idle")
        })
    };
    let closed = |record: &Record| {
        (0..record.row_count())
            .filter_map(|row| record.conversation_at(row))
            .all(Conversation::has_ended)
    };
    onlooker
        .until(|here| {
            rests(here, "counter")
                && rests(here, "reader")
                && here.ended("act_1")
                && closed(&here.record)
        })
        .await;

    let record = &onlooker.record;
    let turn = |agent| record.conversation(of(&onlooker, agent).unwrap()).unwrap();
    let (counter, reader, action) =
        (turn("counter"), turn("reader"), onlooker.found("act_1").unwrap());
    assert_eq!(
        (&counter.standing, &reader.standing, &action.standing),
        (
            &ConversationState::Succeeded,
            &ConversationState::Succeeded,
            &ConversationState::Succeeded
        )
    );
    assert_eq!(
        counter.states,
        ["dispatched", "running", "suspended", "running", "suspended", "running", "idle"]
    );
    assert_eq!(
        (reader.states.join(" "), counter.due),
        ("dispatched running suspended running idle".into(), None)
    );
    assert!(counter.said.starts_with("I count both. Now you. Three words"), "{}", counter.said);
    // Each call is a part of its turn, and over: by its mark, or, where nothing marks it, by the
    // step that took its result in.
    let names = |turn: &Conversation| {
        let parts = turn.parts.iter().map(|number| record.conversation(*number).unwrap());
        parts
            .map(|part| format!("{} {}", part.topic.as_deref().unwrap(), part.standing.as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(counter),
        ["word_count succeeded", "word_count succeeded", "fork_join succeeded"]
    );
    assert_eq!(names(reader), ["word_count succeeded"]);
    // The child says whose errand it is on, and shares its trace with all that came of the action.
    let asked_by = reader.asked_by.as_ref().unwrap();
    assert_eq!(
        (Some(&*asked_by.id), asked_by.topic.as_deref()),
        (counter.id.as_deref(), Some("counter"))
    );
    assert!(
        [counter, reader, action]
            .iter()
            .all(|one| one.trace.as_deref() == Some("01a1fd19fca073248029f3d8b309da00"))
    );
    let odd: Vec<_> = (0..record.row_count())
        .filter_map(|row| record.conversation_at(row))
        .flat_map(|one| &one.remarks)
        .collect();
    assert_eq!((odd.len(), counter.late, reader.late), (0, 0, 0), "{odd:?}");
    // Thought, calls, results, what was delivered: all are named.
    assert_eq!(
        (counter.cards.len(), reader.cards.len()),
        (9, 3),
        "{:?} {:?}",
        counter.cards,
        reader.cards
    );
    assert!(
        closed(record)
            && record.find_by_name("turn_of_act_1").unwrap().topic.as_deref() == Some("ui_dbg")
    );
}
