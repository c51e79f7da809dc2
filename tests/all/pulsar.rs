//! Calls over a real broker that speaks Pulsar's protocol, to services that are not ours in
//! language or library, TrustGraph's own among them; and over a scripted one, for what that broker
//! does not do.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    model::{
        call::{Limits, Outcome, Request, StrayCause},
        connection::{Connection, Credentials, SecretAt, Tls},
        transport::TransportKind,
    },
    wire::{
        registry::Registry,
        systems::trustgraph::{offers, serving::Serving},
    },
};

use crate::{
    stubs::the_sample_answers_on,
    support::{
        battery::{self, Broker, from_service, responder},
        calls::{HUNG, call_with, joke, joke_of, limits},
        certificates::Certificates,
        place::Place,
        pulsar::PulsarBroker,
        relay::Relay,
        services::{JokeService, Responder},
        serving::Serving as Served,
    },
};

impl Broker for PulsarBroker {
    fn connection(&self) -> Connection {
        Self::connection(self)
    }

    fn url_for_others(&self) -> String {
        self.url()
    }

    fn places(&self, topic: &str) -> [String; 2] {
        [
            format!("non-persistent://tg/request/{topic}"),
            format!("non-persistent://tg/response/{topic}"),
        ]
    }

    fn signal(&self, name: &str) {
        Self::signal(self, name);
    }

    fn kill(&mut self) {
        Self::kill(self);
    }

    fn restart(&mut self) {
        Self::restart(self);
    }
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
        assert!(
            heard.text().starts_with("Here's a ") && heard.text().contains(" for you:"),
            "{:?}",
            heard.0
        );
        assert_eq!(
            (heard.end().0, heard.pieces(), heard.strays().len()),
            (Outcome::Succeeded, 1, 0)
        );
    }
    let broken = Request { body: r#"{"config": "{not json"}"#.into(), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), broken, limits()).await;
    assert_eq!(
        (heard.end().0, heard.problem().kind.as_str()),
        (Outcome::Failed, "tool-service-error")
    );
    let short = Limits { first: Duration::from_secs(1), ..limits() };
    let nonsense = Request { body: "not json".into(), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), nonsense, short).await;
    assert_eq!(
        (heard.problem().kind.as_str(), heard.strays()),
        ("timed-out-first", vec![StrayCause::UnknownId])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_as_they_should_be_and_not() {
    let broker = PulsarBroker::start();
    battery::replies_as_they_should_be_and_not(&broker).await;
    battery::a_late_reply_is_a_stray(&broker).await;
    let short = Duration::from_millis(400);
    battery::silence_and_endless_answers(&broker, [short; 3]).await;
    let nobody = call_with(
        &Registry::default(),
        &broker.connection(),
        joke_of("nobody"),
        Limits { first: short, ..limits() },
    )
    .await;
    assert!(
        nobody.problem().remedy.contains("Pulsar drops a request without a consumer"),
        "{:?}",
        nobody.problem()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn large_answers_arrive_whole_and_kept_topics_carry_calls_too() {
    let broker = PulsarBroker::start();
    let heard = from_service(&broker, "large", limits()).await;
    assert_eq!(
        (heard.end().0, heard.pieces(), heard.text().len()),
        (Outcome::Succeeded, 5, 20_000_000),
        "{:?}",
        heard.end()
    );
    let [request, response] = ["persistent://tg/flow/cake", "persistent://tg/flow/cake-answers"];
    // One reply: where a topic keeps its messages, this broker sometimes delivers one again before
    // it can be acknowledged.
    let _responder = Responder::at(&broker.url(), "error", [request, response]);
    let request =
        Request { to: "flow:tg:cake".into(), reply: Some("flow:tg:cake-answers".into()), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), request, limits()).await;
    assert_eq!(
        (heard.end().0, heard.problem().message.as_str()),
        (Outcome::Failed, "the oven is cold")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn our_services_answer_a_foreign_caller() {
    battery::our_services_answer_a_foreign_caller(&PulsarBroker::start()).await;
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
    let mut states = registry.connection_states();
    let serving =
        Serving::start(registry.open_bus(&connection).await.unwrap(), offers::sample_services())
            .await
            .unwrap();
    let running = tokio::spawn(serving.run(None, CancellationToken::new()));
    battery::stopped_and_killed_during_a_stream(&mut broker, &registry).await;
    battery::is_gone(&broker, &registry).await;
    // Until the service listens again, the broker drops what nobody hears.
    let patient = Limits { first: Duration::from_secs(1), ..limits() };
    battery::comes_back(&mut broker, &registry, &mut states, (patient, &["timed-out-first"])).await;
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
    call_with(&registry, &broker.connection(), inboxless, limits())
        .await
        .assert_lost("no-way-back");
    let greeting = registry.test_connection(&broker.connection()).await.unwrap();
    assert!(greeting.contains(&broker.url()) && greeting.contains("messages up to"), "{greeting}");
    let tls = Tls { required: true, ..Tls::default() };
    let encrypted = Connection { tls, ..broker.connection() };
    let problem = Registry::default().test_connection(&encrypted).await.unwrap_err().to_string();
    assert!(problem.contains("couldn't make an encrypted connection"), "{problem}");
}

/// The real broker has no encryption of its own; a relay before it does what a proxy or the broker
/// would.
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
        ..Connection::from_address(
            TransportKind::Pulsar,
            "test",
            format!("{scheme}://{host}:{}", relay.port),
        )
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
    assert!(
        sent.contains("t0ken-of-ours")
            && sent.contains("llamas")
            && sent.contains("tg/response/joke"),
        "{}",
        sent.len()
    );

    let tested = async |connection: Connection| {
        registry().test_connection(&connection).await.map_err(|problem| problem.to_string())
    };
    let [other_name, stranger] =
        battery::certificates_are_verified(&registry(), &files, safe).await;
    assert!(stranger.contains("ca-file"), "{stranger}");
    let plain = tested(connection("pulsar", "localhost", files.file("ca.pem"))).await.unwrap_err();
    assert!(
        plain.contains("didn't answer like Pulsar") && plain.contains("pulsar+ssl://"),
        "{plain}"
    );
    let to_plain = good.with_addresses(vec![broker.url().replace("pulsar://", "pulsar+ssl://")]);
    let to_plain = tested(to_plain).await.unwrap_err();
    assert!(to_plain.contains("couldn't make an encrypted connection"), "{to_plain}");
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
    let connection = Connection {
        credentials,
        ..Connection::from_address(TransportKind::Pulsar, "fake", address)
    };
    let (tested, heard) =
        timeout(HUNG, async { tokio::join!(registry.test_connection(&connection), broker) })
            .await
            .unwrap();
    (tested.unwrap_or_else(|problem| problem.to_string()), heard)
}

#[tokio::test]
async fn the_token_is_shown_to_the_broker_alone() {
    // CommandError: request 0, AuthenticationError, "no such token".
    let refusal = b"\0\0\0\x1b\0\0\0\x17\x08\x0e\x72\x13\x08\0\x10\x03\x1a\x0dno such token";
    let (told, heard) = greets_with(refusal, "t0ken").await;
    assert!(
        told.contains("rejected the credentials")
            && told.contains("no such token")
            && !told.contains("t0ken"),
        "{told}"
    );
    let heard = String::from_utf8_lossy(&heard);
    assert!(heard.contains("t0ken") && heard.contains("token"), "{heard}");
    let (told, _) = greets_with(b"HTTP/1.1 400 Bad Request\r\n\r\n", "t").await;
    assert!(told.contains("didn't answer like Pulsar"), "{told}");
}

#[test]
fn whoever_serves_beside_a_real_service_is_warned() {
    let (broker, place) = (PulsarBroker::start(), Place::with(&[("tools.json", JOKES)]));
    let serve = || Served::start(&place, &broker.url(), &["jokes"]);
    let mut alone = serve();
    assert_eq!(alone.line(), "listening on non-persistent://tg/request/joke for jokes");
    alone.interrupt();
    let _service = JokeService::on_pulsar(&broker.url());
    let mut beside = serve();
    let warned = beside.line();
    assert!(
        warned.contains("a service already answers on non-persistent://tg/request/joke")
            && warned.contains("two answers"),
        "{warned}"
    );
    assert!(beside.line().starts_with("listening"));
    beside.interrupt();
}

const JOKES: &str = r#"{
    "tool": {"tell": {"type": "tool-service", "name": "tell", "description": "d", "service": "jokes"}},
    "tool-service": {"jokes": {"request-queue": "non-persistent://tg/request/joke", "response-queue": "non-persistent://tg/response/joke"}}}"#;
