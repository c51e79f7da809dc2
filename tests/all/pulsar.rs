//! Calls over a real broker that speaks Pulsar's protocol, to services that are not ours in language or library, TrustGraph's own among them;
//! and over a scripted one, for what that broker does not do.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    model::{
        call::{Event, EventKind, Limits, Outcome, Request, StrayCause},
        connection::{Connection, ConnectionState, Credentials, SecretAt, Tls, TransportKind},
    },
    systems::trustgraph::request,
    wire::{
        registry::Registry,
        serve::{offers, serving::Serving},
    },
};

use crate::{
    stubs::the_sample_answers_on,
    support::{
        calls::{HUNG, Heard, call_with, joke, joke_of, limits, map},
        certificates::Certificates,
        pulsar::PulsarBroker,
        relay::Relay,
        services::{JokeService, Responder, foreign_call},
    },
};

fn places(topic: &str) -> [String; 2] {
    [format!("non-persistent://tg/request/{topic}"), format!("non-persistent://tg/response/{topic}")]
}

fn responder(broker: &PulsarBroker, mode: &str) -> Responder {
    let [request, response] = places(mode);
    Responder::at(&broker.url(), mode, [&request, &response])
}

/// What a service in that mode gives, on topics of its own.
async fn from_service(broker: &PulsarBroker, mode: &str, limits: Limits) -> Heard {
    let _responder = responder(broker, mode);
    call_with(&Registry::default(), &broker.connection(), joke_of(mode), limits).await
}

#[tokio::test(flavor = "multi_thread")]
async fn trustgraphs_own_service_answers() {
    let broker = PulsarBroker::start();
    let _service = JokeService::on_pulsar(&broker.url());
    let addressed = Request {
        to: "non-persistent://tg/request/joke".into(),
        reply: Some("non-persistent://tg/response/joke".into()),
        ..joke()
    };
    for request in [joke(), addressed] {
        let heard = call_with(&Registry::default(), &broker.connection(), request, limits()).await;
        assert!(heard.text().starts_with("Here's a ") && heard.text().contains(" for you:"), "{:?}", heard.0);
        assert_eq!((heard.end().0, heard.pieces(), heard.strays().len()), (Outcome::Succeeded, 1, 0));
    }
    let broken = Request { body: r#"{"config": "{not json"}"#.into(), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), broken, limits()).await;
    assert_eq!((heard.end().0, heard.problem().kind.as_str()), (Outcome::Failed, "tool-service-error"));
    let short = Limits { first: Duration::from_secs(1), ..limits() };
    let nonsense = Request { body: "not json".into(), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), nonsense, short).await;
    assert_eq!((heard.problem().kind.as_str(), heard.strays()), ("timed-out-first", vec![StrayCause::UnknownId]));
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_as_they_should_be_and_not() {
    let broker = PulsarBroker::start();
    let heard = from_service(&broker, "response", limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.");
    assert_eq!((heard.pieces(), heard.end().0, heard.strays().len()), (3, Outcome::Succeeded, 0));
    let heard = from_service(&broker, "wrong-id-then-right", limits()).await;
    assert_eq!((heard.text().as_str(), heard.strays()), ("Hello alice, llamas as a pun.", vec![StrayCause::ForeignId]));
    let twice = from_service(&broker, "twice", limits()).await;
    assert_eq!((twice.text().as_str(), twice.strays()), ("once", vec![StrayCause::Duplicate]));
    let late = from_service(&broker, "late", limits()).await;
    assert_eq!((late.text().as_str(), late.strays()), ("in time", vec![StrayCause::Late]));
    from_service(&broker, "not-json", limits()).await.assert_lost("not-json");
    from_service(&broker, "not-utf8", limits()).await.assert_lost("not-utf8");
    let heard = from_service(&broker, "error", limits()).await;
    assert_eq!((heard.end().0, heard.problem().message.as_str()), (Outcome::Failed, "the oven is cold"));
    let short = Duration::from_millis(400);
    let cases = [
        ("silent", Limits { first: short, ..limits() }, "timed-out-first"),
        ("no-end", Limits { idle: short, ..limits() }, "timed-out-idle"),
        ("endless", Limits { total: short, ..limits() }, "timed-out-total"),
    ];
    for (mode, limits, kind) in cases {
        let heard = from_service(&broker, mode, limits).await;
        assert_eq!((heard.end().0, heard.problem().kind.as_str()), (Outcome::TimedOut, kind), "{mode}");
    }
    let nobody =
        call_with(&Registry::default(), &broker.connection(), joke_of("nobody"), Limits { first: short, ..limits() }).await;
    assert!(nobody.problem().remedy.contains("Pulsar drops a request that nobody hears"), "{:?}", nobody.problem());
}

#[tokio::test(flavor = "multi_thread")]
async fn large_answers_arrive_whole_and_kept_topics_carry_calls_too() {
    let broker = PulsarBroker::start();
    let heard = from_service(&broker, "large", limits()).await;
    assert_eq!((heard.end().0, heard.pieces(), heard.text().len()), (Outcome::Succeeded, 5, 20_000_000), "{:?}", heard.end());
    let [request, response] = ["persistent://tg/flow/cake", "persistent://tg/flow/cake-answers"];
    // One reply: where a topic keeps its messages, this broker sometimes delivers one again before it can be acknowledged.
    let _responder = Responder::at(&broker.url(), "error", [request, response]);
    let request = Request { to: "flow:tg:cake".into(), reply: Some("flow:tg:cake-answers".into()), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), request, limits()).await;
    assert_eq!((heard.end().0, heard.problem().message.as_str()), (Outcome::Failed, "the oven is cold"));
}

#[tokio::test(flavor = "multi_thread")]
async fn our_services_answer_a_foreign_caller() {
    let broker = PulsarBroker::start();
    let registry = Registry::default();
    let bus = registry.open(&broker.connection()).await.unwrap();
    let serving = Serving::start(bus, offers::samples()).await.unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(serving.run(None, stop.clone()));
    let ask = async |topic: &str, config: Value, arguments: Value| {
        let body = request::body("alice", &map(&config), &arguments.to_string()).to_string();
        let (url, [to, from]) = (broker.url(), places(topic));
        tokio::task::spawn_blocking(move || foreign_call(&url, &to, &from, &body)).await.unwrap()
    };
    let sum = ask("calc", json!({}), json!({"expression": "(2 + 3) * 4"})).await;
    assert_eq!(sum, json!({"pieces": 1, "text": "20", "error": null, "inbox": []}));
    let found = ask("custom-rag", json!({"collection": "customers"}), json!({"question": "top complaints?"})).await;
    assert!(found["pieces"].as_u64() > Some(5) && found["text"].as_str().unwrap().contains("late deliveries"), "{found}");
    stop.cancel();
    timeout(HUNG, running).await.expect("serving does not stop").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn stubs_answer() {
    let broker = PulsarBroker::start();
    the_sample_answers_on(&Registry::default(), &broker.connection()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_stops_is_killed_and_comes_back() {
    let mut broker = PulsarBroker::start();
    let (registry, connection) = (Registry::default(), broker.connection());
    let mut states = registry.states();
    let serving = Serving::start(registry.open(&connection).await.unwrap(), offers::samples()).await.unwrap();
    let running = tokio::spawn(serving.run(None, CancellationToken::new()));
    let _responder = responder(&broker, "no-end");
    let (sender, mut receiver) = mpsc::channel::<Event>(16);
    let calling = registry.call(&connection, joke_of("no-end"), limits(), sender);
    let watch_and_kill = async {
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            if matches!(&event.kind, EventKind::Chunk { text, .. } if &**text == "two") {
                broker.signal("STOP");
                let heard = call_with(&registry, &connection, joke_of("no-end"), limits()).await;
                heard.assert_lost("no-server");
                assert!(heard.problem().message.contains("did not confirm"), "{:?}", heard.problem());
                broker.signal("CONT");
                broker.kill();
            }
            events.push(event);
        }
        Heard(events)
    };
    let ((), heard) = timeout(HUNG, async { tokio::join!(calling, watch_and_kill) }).await.expect("the call hangs");
    heard.assert_lost("connection-lost");
    assert_eq!(heard.text(), "one two");

    let refused = call_with(&registry, &connection, joke(), limits()).await;
    refused.assert_lost("no-server");
    let fresh = call_with(&Registry::default(), &connection, joke(), limits()).await;
    fresh.assert_lost("no-server");
    assert!(fresh.problem().message.contains(&broker.url()), "{:?}", fresh.problem());

    broker.restart();
    let back = states.wait_for(|states| states.get("test") == Some(&ConnectionState::Connected));
    timeout(HUNG, back).await.expect("it does not reconnect").unwrap();
    let body = request::body("alice", &map(&json!({})), r#"{"expression": "6 * 7"}"#);
    let sum = Request { body, ..joke_of("calc") };
    // The service that listened before listens again by itself; until it does, the broker drops what nobody hears.
    let patient = Limits { first: Duration::from_secs(1), ..limits() };
    let heard = loop {
        let heard = call_with(&registry, &connection, sum.clone(), patient).await;
        if heard.end().0 == Outcome::Succeeded {
            break heard;
        }
        assert_eq!(heard.problem().kind, "timed-out-first", "{:?}", heard.0);
    };
    assert_eq!(heard.text(), "42");
    running.abort();
}

#[tokio::test]
async fn requests_that_cannot_be_sent_say_why() {
    let broker = PulsarBroker::start();
    let registry = Registry::default();
    let large = Request { body: "x".repeat(6_000_000).into(), ..joke() };
    let heard = call_with(&registry, &broker.connection(), large, limits()).await;
    heard.assert_lost("too-large");
    let subject = Request { to: "nats://tg.request.joke".into(), ..joke() };
    let heard = call_with(&registry, &broker.connection(), subject, limits()).await;
    heard.assert_lost("bad-subject");
    assert!(heard.problem().remedy.contains("request:tg:joke"), "{:?}", heard.problem());
    let inboxless = Request { reply: None, ..joke() };
    call_with(&registry, &broker.connection(), inboxless, limits()).await.assert_lost("no-way-back");
    let greeting = registry.test(&broker.connection()).await.unwrap();
    assert!(greeting.contains(&broker.url()) && greeting.contains("messages up to"), "{greeting}");
    let tls = Tls { required: true, ..Tls::default() };
    let encrypted = Connection { tls, ..broker.connection() };
    let problem = Registry::default().test(&encrypted).await.unwrap_err().to_string();
    assert!(problem.contains("no encrypted connection"), "{problem}");
}

/// The real broker has no encryption of its own; a relay before it does what a proxy or the broker would.
#[tokio::test(flavor = "multi_thread")]
async fn encryption_is_verified_and_carries_calls_and_the_token() {
    let (broker, files) = (PulsarBroker::start(), Certificates::naming(&["localhost"]));
    let relay = Relay::before(broker.port(), &files).await;
    let _service = JokeService::on_pulsar(&broker.url());
    let _responder = responder(&broker, "response");
    let registry = || Registry::new(Arc::new(|_| Some("t0ken-of-ours".into())));
    let connection = |scheme: &str, host: &str, ca: String| Connection {
        credentials: Credentials::Token { token: SecretAt::Variable("TOKEN".into()) },
        tls: Tls { required: scheme == "pulsar+ssl", ca_file: Some(ca), ..Tls::default() },
        ..Connection::to(TransportKind::Pulsar, "test", format!("{scheme}://{host}:{}", relay.port))
    };
    let safe = |host: &str, ca: String| connection("pulsar+ssl", host, ca);
    let good = safe("localhost", files.file("ca.pem"));
    let kept = registry();
    let heard = call_with(&kept, &good, joke(), limits()).await;
    assert_eq!(heard.end().0, Outcome::Succeeded, "{:?}", heard.0);
    let streamed = call_with(&kept, &good, joke_of("response"), limits()).await;
    assert_eq!((streamed.text().as_str(), streamed.pieces()), ("Hello alice, llamas as a pun.", 3));
    // The broker names its own plain address as the topics' place; we stay where we are encrypted.
    let sent = relay.heard();
    let sent = String::from_utf8_lossy(&sent);
    assert!(sent.contains("t0ken-of-ours") && sent.contains("llamas") && sent.contains("tg/response/joke"), "{}", sent.len());

    let tested = async |connection: Connection| registry().test(&connection).await.map_err(|problem| problem.to_string());
    let other_name = tested(safe("127.0.0.1", files.file("ca.pem"))).await.unwrap_err();
    assert!(other_name.contains("its certificate is not for 127.0.0.1, but for localhost"), "{other_name}");
    let stranger = tested(safe("localhost", Certificates::make().file("ca.pem"))).await.unwrap_err();
    assert!(stranger.contains("does not trust") && stranger.contains("ca-file"), "{stranger}");
    let plain = tested(connection("pulsar", "localhost", files.file("ca.pem"))).await.unwrap_err();
    assert!(plain.contains("did not greet us as Pulsar does") && plain.contains("pulsar+ssl://"), "{plain}");
    let to_plain = Connection { servers: vec![broker.url().replace("pulsar://", "pulsar+ssl://")], ..good };
    let to_plain = tested(to_plain).await.unwrap_err();
    assert!(to_plain.contains("no encrypted connection"), "{to_plain}");
    for told in [other_name, stranger, plain, to_plain] {
        assert!(!told.contains("t0ken"), "{told}");
    }
}

/// A broker that hears one greeting and answers it with those bytes; gives what it heard.
async fn greets_with(answer: &'static [u8], token: &'static str) -> (String, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("pulsar://{}", listener.local_addr().unwrap());
    let broker = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut heard = vec![0; 4096];
        let length = stream.read(&mut heard).await.unwrap();
        heard.truncate(length);
        stream.write_all(answer).await.unwrap();
        heard
    };
    let registry = Registry::new(Arc::new(move |_| Some(token.into())));
    let credentials = Credentials::Token { token: SecretAt::Variable("TOKEN".into()) };
    let connection = Connection { credentials, ..Connection::to(TransportKind::Pulsar, "fake", address) };
    let (tested, heard) = timeout(HUNG, async { tokio::join!(registry.test(&connection), broker) }).await.unwrap();
    (tested.unwrap_or_else(|problem| problem.to_string()), heard)
}

#[tokio::test]
async fn the_token_is_shown_to_the_broker_alone() {
    // CommandError: request 0, AuthenticationError, "no such token".
    let refusal = b"\0\0\0\x1b\0\0\0\x17\x08\x0e\x72\x13\x08\0\x10\x03\x1a\x0dno such token";
    let (told, heard) = greets_with(refusal, "t0ken").await;
    assert!(told.contains("refused our credentials") && told.contains("no such token") && !told.contains("t0ken"), "{told}");
    let heard = String::from_utf8_lossy(&heard);
    assert!(heard.contains("t0ken") && heard.contains("token"), "{heard}");
    let (told, _) = greets_with(b"HTTP/1.1 400 Bad Request\r\n\r\n", "t").await;
    assert!(told.contains("did not greet us as Pulsar does"), "{told}");
}
