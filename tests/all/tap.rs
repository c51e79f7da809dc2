//! Taps on real brokers: they hear everything, and nobody notices them.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolcrib::{
    engine::{
        mask::Mask,
        traffic::{
            conversation::{Conversation, ConversationState},
            record::{Record, RecordBounds},
        },
    },
    model::{
        call::{Limits, Outcome, Request},
        connection::Connection,
        traffic::Tapped,
    },
    systems::{trustgraph::request, watched},
    wire::{
        registry::Registry,
        systems::trustgraph::{offers, serving::Serving},
        tap::Tap,
        transport::{
            bus::SubscriptionShare,
            message::{Address, Outgoing},
        },
    },
};

use crate::support::{
    calls::{HUNG, call_with, joke, joke_of, limits, map},
    certificates::Certificates,
    kafka::KafkaBroker,
    nats::NatsServer,
    place::Place,
    pulsar::PulsarBroker,
    rabbitmq::{PASSWORD, Rabbit},
    services::{JokeService, Responder, foreign_call},
    signals,
    terminal::toolcrib,
};

/// Somebody who looks on, over a connection of their own.
struct Onlooker {
    _registry: Registry,
    tap: Tap,
    record: Record,
    words: Vec<String>,
}

impl Onlooker {
    async fn at(connection: &Connection, subjects: &[&str]) -> Self {
        let registry =
            Registry::new(Arc::new(|name| (name == "SECRET").then(|| PASSWORD.to_owned())));
        let place = |subject: &&str| watched::parse_place(subject, connection.transport()).unwrap();
        let address = |subject| {
            let place = place(subject);
            Address { name: place.name, kept: place.kept }
        };
        let addresses: Vec<Address> = subjects.iter().map(address).collect();
        let bus = registry.open_bus(connection).await.unwrap();
        let tap = Tap::open(bus, &addresses, Mask::default()).await.unwrap();
        Self {
            _registry: registry,
            tap,
            record: Record::new(RecordBounds::default()),
            words: Vec::new(),
        }
    }

    /// Looks on until something is so.
    async fn until(&mut self, wanted: impl Fn(&Self) -> bool) {
        let looking = async {
            while !wanted(self) {
                for tapped in self.tap.next(1_000).await {
                    if let Tapped::Notice { words, .. } = &tapped {
                        self.words.push(words.clone());
                    }
                    self.record.add_witnessed(watched::classify_tapped(tapped));
                }
            }
        };
        let in_time = timeout(HUNG, looking).await;
        assert!(in_time.is_ok(), "it never came: {:?} {:?}", self.words, self.all());
    }

    fn all(&self) -> Vec<&Conversation> {
        (0..self.record.row_count()).filter_map(|row| self.record.conversation_at(row)).collect()
    }

    fn ended(&self) -> usize {
        self.all().iter().filter(|conversation| conversation.has_ended()).count()
    }

    fn says(&self, words: &str) -> bool {
        self.words.iter().any(|said| said.contains(words))
    }
}

#[tokio::test]
async fn on_nats_a_call_is_heard_whole_and_nothing_is_taken_away() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "response");
    let mut onlooker =
        Onlooker::at(&server.connection(), &["request:tg:joke", "tg.response.*"]).await;
    let heard = call_with(&Registry::default(), &server.connection(), joke(), limits()).await;
    assert_eq!((heard.text().as_str(), heard.pieces()), ("Hello alice, llamas as a pun.", 3));
    onlooker.until(|onlooker| onlooker.ended() == 1).await;
    let [conversation] = onlooker.all()[..] else { panic!("{:?}", onlooker.all()) };
    assert_eq!(
        (conversation.id.as_deref(), &*conversation.subject),
        (Some("7f1c"), "tg.request.joke")
    );
    assert_eq!((&conversation.standing, conversation.count), (&ConversationState::Succeeded, 4));
    assert!(
        conversation.asked.contains("llamas") && conversation.asked.contains("a pun"),
        "{}",
        conversation.asked
    );
}

#[tokio::test]
async fn on_nats_an_answer_in_the_inbox_is_tied_to_its_request() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "inbox-without-id");
    let mut onlooker = Onlooker::at(&server.connection(), &[">"]).await;
    let heard = call_with(&Registry::default(), &server.connection(), joke(), limits()).await;
    assert_eq!(heard.end().0, Outcome::Succeeded);
    onlooker.until(|onlooker| onlooker.ended() == 1).await;
    assert_eq!((onlooker.all().len(), onlooker.all()[0].count), (1, 4));
}

#[tokio::test]
async fn a_group_of_services_still_shares_its_work() {
    const CALLS: usize = 20;
    let server = NatsServer::start();
    let mut onlooker = Onlooker::at(&server.connection(), &["tg.>"]).await;
    let stop = CancellationToken::new();
    let (sender, mut reports) = tokio::sync::mpsc::channel(100);
    let mut registries = Vec::new();
    for _ in 0..2 {
        let registry = Registry::default();
        let bus = registry.open_bus(&server.connection()).await.unwrap();
        let serving = Serving::start(bus, offers::sample_services()).await.unwrap();
        tokio::spawn(serving.run(Some(sender.clone()), stop.clone()));
        registries.push(registry);
    }
    let registry = Registry::default();
    let pun =
        request::request_body("alice", &map(&json!({"style": "pun"})), r#"{"topic": "llamas"}"#);
    for _ in 0..CALLS {
        let request = Request { body: Arc::clone(&pun), ..joke() };
        let heard = call_with(
            &registry,
            &server.connection(),
            request,
            Limits { linger: Duration::ZERO, ..limits() },
        )
        .await;
        assert_eq!((heard.end().0, heard.strays().len()), (Outcome::Succeeded, 0), "{:?}", heard.0);
    }
    onlooker.until(|onlooker| onlooker.record.heard_count() as usize >= 2 * CALLS).await;
    let requests = onlooker
        .record
        .subjects()
        .find(|(name, _)| &***name == "tg.request.joke")
        .unwrap()
        .1
        .messages;
    assert_eq!(requests as usize, CALLS, "each request is heard once");
    // A report may come after its answer.
    for _ in 0..CALLS {
        assert!(reports.recv().await.is_some());
    }
    assert!(reports.try_recv().is_err(), "and answered once");
    stop.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_heard_to_the_last_piece() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "many");
    let mut onlooker = Onlooker::at(&server.connection(), &["tg.>"]).await;
    let heard = call_with(&Registry::default(), &server.connection(), joke(), limits()).await;
    assert_eq!(heard.pieces(), 20_000);
    onlooker.until(|onlooker| onlooker.ended() == 1).await;
    assert_eq!((onlooker.all()[0].count, onlooker.record.missed_count()), (20_001, 0));
}

#[tokio::test]
async fn a_server_that_comes_back_is_heard_again_and_both_are_told() {
    let mut server = NatsServer::start();
    let mut onlooker = Onlooker::at(&server.connection(), &["tg.>"]).await;
    let client = async_nats::connect(server.url()).await.unwrap();
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("id", "unanswered");
    client.publish_with_headers("tg.request.joke", headers, body().into()).await.unwrap();
    onlooker.until(|onlooker| onlooker.all().len() == 1).await;
    assert!(!onlooker.all()[0].is_interrupted);
    server.kill();
    onlooker.until(|onlooker| onlooker.says("broke; reconnecting")).await;
    assert!(onlooker.all()[0].is_interrupted, "its answer may be missing");
    let server = NatsServer::on_port(server.port());
    onlooker.until(|onlooker| onlooker.says("again")).await;
    let _responder = Responder::start(&server.url(), "response");
    let said = foreign_call(&server.url(), "tg.request.joke", "tg.response.joke", &body());
    assert_eq!(said["pieces"], 3, "{said}");
    onlooker.until(|onlooker| onlooker.ended() == 1).await;
}

fn body() -> String {
    json!({"user": "bob", "config": "{\"style\": \"a riddle\"}", "arguments": "{\"topic\": \"owls\"}"}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn on_pulsar_trustgraphs_own_service_is_heard() {
    let mut broker = PulsarBroker::start();
    let subjects = ["non-persistent://tg/request/joke", "non-persistent://tg/response/joke"];
    let mut onlooker = Onlooker::at(&broker.connection(), &subjects).await;
    {
        let _service = JokeService::on_pulsar(&broker.url());
        let broken = Request {
            body: r#"{"config": "{not json"}"#.into(),
            correlation: "b".into(),
            ..joke()
        };
        let broken = Request { headers: vec![("id".into(), "b".into())], ..broken };
        for (request, outcome) in [(joke(), Outcome::Succeeded), (broken, Outcome::Failed)] {
            let heard =
                call_with(&Registry::default(), &broker.connection(), request, limits()).await;
            assert_eq!((heard.end().0, heard.strays().len()), (outcome, 0), "{:?}", heard.0);
        }
    }
    onlooker.until(|onlooker| onlooker.ended() == 2).await;
    let mut words: Vec<_> =
        onlooker.all().iter().map(|conversation| conversation.standing.as_str()).collect();
    words.sort_unstable();
    assert_eq!(words, ["failed", "succeeded"]);
    let failed = onlooker
        .all()
        .into_iter()
        .find_map(|conversation| conversation.standing.problem())
        .unwrap();
    assert!(
        failed.message.contains("Expecting property name"),
        "the service's own words: {failed:?}"
    );

    broker.kill();
    onlooker.until(|onlooker| onlooker.says("broke; reconnecting")).await;
    broker.restart();
    onlooker.until(|onlooker| onlooker.says("again")).await;
    let _responder = Responder::at(&broker.url(), "response", subjects);
    // The subscription is made again shortly after the connection is; until then a topic that keeps
    // nothing brings nothing.
    while onlooker.ended() < 3 {
        let heard = call_with(&Registry::default(), &broker.connection(), joke(), limits()).await;
        assert_eq!(heard.end().0, Outcome::Succeeded);
        let _ =
            timeout(Duration::from_millis(300), onlooker.until(|onlooker| onlooker.ended() == 3))
                .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_pulsar_topics_that_keep_their_messages_are_heard_too() {
    let broker = PulsarBroker::start();
    let topics = ["persistent://tg/flow/ask", "persistent://tg/flow/answer"];
    let mut onlooker = Onlooker::at(&broker.connection(), &topics).await;
    let _responder = Responder::at(&broker.url(), "response", topics);
    let request = Request { to: topics[0].into(), reply: Some(topics[1].into()), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), request, limits()).await;
    assert_eq!((heard.pieces(), heard.strays().len()), (3, 0), "{:?}", heard.0);
    // The responder's own probes pass there, too.
    let whole = |conversation: &&Conversation| {
        conversation.id.as_deref() == Some("7f1c") && conversation.count == 4
    };
    onlooker.until(|onlooker| onlooker.all().iter().any(whole)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_kafka_trustgraphs_own_service_is_heard() {
    let mut broker = KafkaBroker::start();
    let mut onlooker =
        Onlooker::at(&broker.connection(), &["request:tg:joke", "tg.response.joke"]).await;
    let not_there = |onlooker: &Onlooker| {
        onlooker.words.iter().filter(|words| words.contains("doesn't exist yet")).count()
    };
    onlooker.until(|onlooker| not_there(onlooker) == 2).await;
    let nobody = call_with(&Registry::default(), &broker.connection(), joke(), limits()).await;
    assert_eq!(
        nobody.problem().kind.as_str(),
        "no-responders",
        "an onlooker makes no topic, and answers for nobody"
    );
    let service = JokeService::on_kafka(broker.address());
    // The service makes its topic for answers with the first one.
    onlooker.until(|onlooker| onlooker.says("tg.request.joke exists now")).await;
    let heard = call_with(&Registry::default(), &broker.connection(), joke(), limits()).await;
    assert_eq!((heard.end().0, heard.strays().len()), (Outcome::Succeeded, 0), "{:?}", heard.0);
    onlooker.until(|onlooker| onlooker.says("tg.response.joke exists now")).await;
    let again =
        Request { correlation: "b".into(), headers: vec![("id".into(), "b".into())], ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), again, limits()).await;
    assert_eq!((heard.end().0, heard.strays().len()), (Outcome::Succeeded, 0), "{:?}", heard.0);
    onlooker
        .until(|onlooker| {
            onlooker.all().iter().any(|heard| heard.id.as_deref() == Some("b") && heard.has_ended())
        })
        .await;
    drop(service);

    broker.kill();
    onlooker.until(|onlooker| onlooker.says("broke; reconnecting")).await;
    broker.restart();
    onlooker.until(|onlooker| onlooker.says("again")).await;
    let topics = ["tg.request.joke", "tg.response.joke"];
    let _responder = Responder::at(&broker.url(), "response", topics);
    // Its topics are looked for until they are there; what was sent before that is not heard.
    let ended = onlooker.ended();
    while onlooker.ended() == ended {
        let heard = call_with(&Registry::default(), &broker.connection(), joke(), limits()).await;
        assert_eq!(heard.end().0, Outcome::Succeeded, "{:?}", heard.0);
        let _ =
            timeout(Duration::from_secs(2), onlooker.until(|onlooker| onlooker.ended() > ended))
                .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_rabbitmq_trustgraphs_own_service_is_heard() {
    let files = Certificates::naming(&["localhost"]);
    let mut broker = Rabbit::start(&files);
    let mut onlooker =
        Onlooker::at(&broker.connection(), &["request:tg:joke", "tg.response.joke"]).await;
    onlooker
        .until(|onlooker| {
            onlooker.words.iter().filter(|words| words.contains("doesn't exist yet")).count() == 2
        })
        .await;
    let registry = Registry::new(Arc::new(|name| (name == "SECRET").then(|| PASSWORD.to_owned())));
    let nobody = call_with(&registry, &broker.connection(), joke_of("joke"), limits()).await;
    assert_eq!(
        nobody.problem().kind.as_str(),
        "no-responders",
        "an onlooker makes no exchange, and answers for nobody"
    );
    let service = JokeService::on_rabbitmq(broker.port());
    onlooker
        .until(|onlooker| {
            onlooker.words.iter().filter(|words| words.contains("exists now")).count() == 2
        })
        .await;
    let heard = call_with(&registry, &broker.connection(), joke_of("joke"), limits()).await;
    assert_eq!((heard.end().0, heard.strays().len()), (Outcome::Succeeded, 0), "{:?}", heard.0);
    onlooker.until(|onlooker| onlooker.ended() == 1).await;
    assert_eq!((onlooker.all().len(), onlooker.all()[0].count), (1, 2));
    drop(service);

    broker.kill();
    onlooker.until(|onlooker| onlooker.says("broke; reconnecting")).await;
    broker.restart();
    onlooker.until(|onlooker| onlooker.says("again")).await;
    let _responder = Responder::at(
        &broker.url_for_others(),
        "response",
        ["tg.request.joke", "tg.response.joke"],
    );
    // The exchanges outlive the broker, and the onlooker's own queue is made again shortly after
    // the connection is.
    while onlooker.ended() < 2 {
        let heard = call_with(&registry, &broker.connection(), joke_of("joke"), limits()).await;
        assert_eq!(heard.end().0, Outcome::Succeeded);
        let _ =
            timeout(Duration::from_millis(300), onlooker.until(|onlooker| onlooker.ended() == 2))
                .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_kafka_no_request_is_shown_after_its_answer() {
    const CALLS: usize = 20;
    let broker = KafkaBroker::start();
    let bus = Registry::default().open_bus(&broker.connection()).await.unwrap();
    let [request, response] = ["tg.request.joke", "tg.response.joke"].map(Address::ephemeral);
    // Who listens makes the topics.
    let _lines = [
        bus.subscribe(&request, SubscriptionShare::Each).await.unwrap(),
        bus.subscribe(&response, SubscriptionShare::Each).await.unwrap(),
    ];
    let mut onlooker =
        Onlooker::at(&broker.connection(), &["request:tg:joke", "response:tg:joke"]).await;
    let send = async |to: &Address, id: usize, body: &str| {
        let headers = vec![("id".into(), id.to_string())];
        bus.send(Outgoing {
            to: to.clone(),
            reply: None,
            headers,
            body: body.to_owned().into(),
            expires: None,
        })
        .await
        .unwrap();
    };
    for id in 0..CALLS {
        send(&response, id, r#"{"error": null, "response": "ha", "end_of_stream": true}"#).await;
        send(&request, id, r#"{"config": "{}", "arguments": "{}"}"#).await;
    }
    onlooker.until(|onlooker| onlooker.ended() == CALLS).await;
    let mut asked = Vec::new();
    for tapped in onlooker.record.to_tapped() {
        let Tapped::ObservedMessage(crossing) = tapped else { continue };
        let id = crossing.header("id").unwrap().to_owned();
        match &*crossing.subject {
            "tg.request.joke" => asked.push(id),
            _ => assert!(asked.contains(&id), "{id} is answered before it is asked"),
        }
    }
    assert_eq!(asked.len(), CALLS);
}

#[test]
fn on_pulsar_nothing_of_a_watch_stays_at_the_broker() {
    let (broker, home) = (PulsarBroker::start(), tempfile::tempdir().unwrap());
    let topics = ["persistent://tg/flow/kept", "non-persistent://tg/request/joke"];
    let watch = |more: &[&str]| {
        let mut watch = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        watch.arg("watch").args(topics).args(["--connection", &broker.url()]).args(more);
        watch.current_dir(home.path()).env_clear().env("HOME", home.path()).stdin(Stdio::null());
        watch
    };
    assert!(watch(&["--for", "300ms"]).output().unwrap().status.success());
    broker.logs("Removed subscription 'toolcrib-");
    broker.logs("Removed subscription 'toolcrib-");
    // The same when somebody presses Ctrl+C.
    let mut watching = watch(&[]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watching.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("listening on"));
    signals::send(watching.id(), "INT");
    assert!(watching.wait().unwrap().success());
    broker.logs("Removed subscription 'toolcrib-");
    broker.logs("Removed subscription 'toolcrib-");
}

#[test]
fn on_pulsar_nothing_of_the_workbenchs_watch_stays_at_the_broker() {
    let broker = PulsarBroker::start();
    let settings =
        format!("connection = \"mq\"\n[connections.mq]\nservers = \"{}\"\n", broker.url());
    let place = Place::with(&[
        ("toolcrib.toml", settings.as_str()),
        ("tools.yaml", "tool: {a: {type: text-completion}}\n"),
    ]);
    let mut terminal = toolcrib([&place.here]).home(place.home.path()).folder(&place.here).start();
    terminal.wait_for("text-completion");
    let mut listens = |press: &[&str]| {
        terminal.press(["4", "n"]);
        terminal.wait_for("separated by spaces");
        terminal.type_text("persistent://tg/flow/kept non-persistent://tg/request/joke");
        terminal.press(["enter"]);
        terminal.wait_for("watching mq");
        terminal.press(press);
        // Of each topic one, and neither can have a backlog any more.
        broker.logs("Removed subscription 'toolcrib-");
        broker.logs("Removed subscription 'toolcrib-");
    };
    listens(&["@stop-watching"]);
    listens(&["ctrl+q"]);
    assert!(terminal.wait_end().success());
}
