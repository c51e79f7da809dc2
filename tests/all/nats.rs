//! Calls over a real NATS server, to services that are not ours in language or library,
//! well-behaved and not.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    engine::mask::Mask,
    model::{
        call::{Event, EventKind, Limits, Outcome, Request, StrayCause},
        connection::{Connection, ConnectionState, Credentials, SecretAt, Tls},
        error_kind::ErrorKind,
    },
    systems::trustgraph::request,
    wire::{
        registry::Registry,
        systems::trustgraph::{offers, serving::Serving},
        tap::Tap,
        transport::{
            bus::SubscriptionShare,
            message::{self, Address, Outgoing},
        },
    },
};

use crate::support::{
    calls::{HUNG, Heard, call_and, call_with, joke, joke_of, limits, map, sent, two},
    certificates::Certificates,
    commonground::jetstream,
    nats::NatsServer,
    services::{Responder, foreign_call},
};

/// What a service in that mode gives.
async fn from_service(mode: &str, limits: Limits) -> Heard {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), mode);
    call_with(&Registry::default(), &server.connection(), joke(), limits).await
}

#[tokio::test]
async fn a_service_streams_on_the_response_subject_or_in_the_inbox() {
    for mode in ["response", "inbox", "inbox-without-id"] {
        let heard = from_service(mode, limits()).await;
        assert_eq!(heard.text(), "Hello alice, llamas as a pun.", "{mode}");
        assert_eq!(
            (heard.pieces(), heard.end().0, heard.strays().len()),
            (3, Outcome::Succeeded, 0),
            "{mode}"
        );
    }
}

#[tokio::test]
async fn a_service_that_answers_on_both_is_heard_once() {
    let heard = from_service("both", limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.");
    assert_eq!(heard.strays(), [StrayCause::Duplicate; 3]);
}

#[tokio::test]
async fn replies_of_others_are_strays() {
    let heard = from_service("wrong-id-then-right", limits()).await;
    assert_eq!(
        (heard.text().as_str(), heard.strays()),
        ("Hello alice, llamas as a pun.", vec![StrayCause::ForeignId])
    );
    let short = Limits { first: Duration::from_millis(500), ..limits() };
    for (mode, strays) in
        [("wrong-id", vec![StrayCause::ForeignId; 3]), ("unknown-id", vec![StrayCause::UnknownId])]
    {
        let heard = from_service(mode, short).await;
        assert_eq!(
            (heard.end().0, heard.problem().kind.as_str()),
            (Outcome::TimedOut, "timed-out-first"),
            "{mode}"
        );
        assert_eq!((heard.text().as_str(), heard.strays()), ("", strays), "{mode}");
    }
}

#[tokio::test]
async fn what_comes_after_the_end_is_kept_apart() {
    let twice = from_service("twice", limits()).await;
    assert_eq!((twice.text().as_str(), twice.strays()), ("once", vec![StrayCause::Duplicate]));
    let late = from_service("late", limits()).await;
    assert_eq!((late.text().as_str(), late.strays()), ("in time", vec![StrayCause::Late]));
}

#[tokio::test]
async fn replies_that_make_no_sense_lose_the_call() {
    from_service("not-json", limits()).await.assert_lost("not-json");
    from_service("not-utf8", limits()).await.assert_lost("not-utf8");
}

#[tokio::test]
async fn the_services_error_comes_with_its_type() {
    let heard = from_service("error", limits()).await;
    assert_eq!(heard.end().0, Outcome::Failed);
    let problem = heard.problem();
    assert_eq!(
        (problem.kind.as_str(), problem.message.as_str()),
        ("tool-service-error", "the oven is cold")
    );
}

#[tokio::test]
async fn silence_and_endless_answers_end_by_their_own_limit() {
    let short = Duration::from_millis(400);
    let cases = [
        ("silent", Limits { first: short, ..limits() }, "timed-out-first"),
        ("no-end", Limits { idle: short, ..limits() }, "timed-out-idle"),
        ("endless", Limits { total: short, ..limits() }, "timed-out-total"),
    ];
    for (mode, limits, kind) in cases {
        let heard = from_service(mode, limits).await;
        assert_eq!(
            (heard.end().0, heard.problem().kind.as_str()),
            (Outcome::TimedOut, kind),
            "{mode}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_and_long_answers_arrive_whole() {
    let huge = from_service("huge", limits()).await;
    assert_eq!(
        (huge.end().0, huge.pieces(), huge.text().len()),
        (Outcome::Succeeded, 200, 100_000_000)
    );
    let many = from_service("many", limits()).await;
    let expected: String = (0..20_000).map(|row| format!("{row} ")).collect();
    assert!(many.end().0 == Outcome::Succeeded && many.text() == expected);
}

#[tokio::test]
async fn a_killed_server_loses_the_call_and_nothing_is_sent_until_it_is_back() {
    let mut server = NatsServer::start();
    let responder = Responder::start(&server.url(), "no-end");
    let (registry, connection) = (Registry::default(), server.connection());
    let mut states = registry.connection_states();
    let heard = after_two(&registry, &connection, limits(), async || server.kill()).await;
    heard.assert_lost("connection-lost");
    assert_eq!(heard.text(), "one two");
    drop(responder);

    let refused = call_with(&registry, &connection, joke(), limits()).await;
    refused.assert_lost("no-server");
    assert!(!refused.0.iter().any(sent), "{:?}", refused.0);

    let server = NatsServer::on_port(server.port());
    let _responder = Responder::start(&server.url(), "response");
    let back = states.wait_for(|states| states.get("test") == Some(&ConnectionState::Connected));
    timeout(HUNG, back).await.expect("it does not reconnect").unwrap();
    let heard = call_with(&registry, &connection, joke(), limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.");
}

#[tokio::test]
async fn nobody_listening_and_no_server_are_told_apart() {
    let mut server = NatsServer::start();
    let heard = call_with(&Registry::default(), &server.connection(), joke(), limits()).await;
    heard.assert_lost("no-responders");
    assert!(heard.problem().message.contains("tg.request.joke"));
    let connection = server.connection();
    server.kill();
    let heard = call_with(&Registry::default(), &connection, joke(), limits()).await;
    heard.assert_lost("no-server");
    assert!(heard.problem().message.contains(&connection.addresses()[0]), "{:?}", heard.problem());
}

#[tokio::test]
async fn a_request_over_the_limit_says_both_sizes() {
    let server = NatsServer::configured("max_payload: 2000");
    let request = Request { body: "x".repeat(3000).into(), ..joke() };
    let heard = call_with(&Registry::default(), &server.connection(), request, limits()).await;
    heard.assert_lost("too-large");
    let message = heard.problem().message;
    assert!(message.contains("3022 bytes") && message.contains("2000 bytes"), "{message}");
}

#[tokio::test]
async fn credentials_come_from_the_environment_and_wrong_ones_are_refused() {
    let registry = |secret: &'static str| {
        Registry::new(Arc::new(move |name| (name == "SECRET").then(|| secret.to_owned())))
    };
    let variable = || SecretAt::Variable("SECRET".into());
    let password = || Credentials::Password { user: "alice".into(), password: variable() };
    let token = || Credentials::Token { token: variable() };
    let by_password = NatsServer::configured("authorization { user: alice, password: s3cret }");
    let by_token = NatsServer::configured("authorization { token: s3cret }");
    for (server, credentials) in [(&by_password, password()), (&by_token, token())] {
        let connection = Connection { credentials, ..server.connection() };
        let greeting = registry("s3cret").test_connection(&connection).await.unwrap();
        assert!(greeting.contains("nats-server"), "{greeting}");
        let heard = call_with(&registry("wr0ng"), &connection, joke(), limits()).await;
        heard.assert_lost("refused");
        let shown = format!("{:?}", heard.0);
        assert!(!shown.contains("wr0ng") && !shown.contains("s3cret"), "{shown}");
        let nothing = call_with(&Registry::default(), &server.connection(), joke(), limits()).await;
        nothing.assert_lost("refused");
    }
}

#[tokio::test]
async fn a_subject_that_the_server_forbids_is_told() {
    let lines = r#"authorization { users: [{ user: alice, password: p, permissions: { publish: "other.>", subscribe: ">" } }] }"#;
    let server = NatsServer::configured(lines);
    let credentials =
        Credentials::Password { user: "alice".into(), password: SecretAt::Variable("P".into()) };
    let registry = Registry::new(Arc::new(|_| Some("p".into())));
    let heard =
        call_with(&registry, &Connection { credentials, ..server.connection() }, joke(), limits())
            .await;
    heard.assert_lost("refused");
    assert!(heard.problem().message.contains("tg.request.joke"), "{:?}", heard.problem());
}

#[tokio::test]
async fn who_may_listen_nowhere_neither_serves_nor_watches() {
    let lines = r#"authorization { users: [{ user: alice, password: p, permissions: { publish: ">", subscribe: { allow: ">", deny: "tg.request.>" } } }] }"#;
    let server = NatsServer::configured(lines);
    let credentials =
        Credentials::Password { user: "alice".into(), password: SecretAt::Variable("P".into()) };
    let registry = Registry::new(Arc::new(|_| Some("p".into())));
    let connection = Connection { credentials, ..server.connection() };
    let bus = registry.open_bus(&connection).await.unwrap();
    let refused = Serving::start(Arc::clone(&bus), offers::sample_services()).await.err().unwrap();
    assert!(refused.message.contains("listen on tg.request."), "{refused:?}");
    let place = |subject: &str| Address::ephemeral(subject);
    let deaf = Tap::open(Arc::clone(&bus), &[place("tg.request.x")], Mask::default()).await;
    assert_eq!(deaf.err().map(|problem| problem.kind), Some(ErrorKind::Refused));
    // One that may be listened at is enough.
    let places = [place("tg.request.x"), place("tg.response.x")];
    Tap::open(bus, &places, Mask::default()).await.unwrap();
}

#[tokio::test]
async fn several_servers_are_tried_in_turn() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "response");
    let mut gone = NatsServer::start();
    gone.kill();
    let connection = server.connection().with_addresses(vec![gone.url(), server.url()]);
    let heard = call_with(&Registry::default(), &connection, joke(), limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.");
}

#[tokio::test]
async fn our_services_answer_a_foreign_caller_on_the_response_subject_alone() {
    let server = NatsServer::start();
    let registry = Registry::default();
    let bus = registry.open_bus(&server.connection()).await.unwrap();
    let serving = Serving::start(bus, offers::sample_services()).await.unwrap();
    let (stop, (report, mut reports)) = (CancellationToken::new(), mpsc::channel(16));
    let running = tokio::spawn(serving.run(Some(report), stop.clone()));
    let ask = async |topic: &str, config: Value, arguments: Value| {
        let body =
            request::request_body("alice", &map(&config), &arguments.to_string()).to_string();
        let (url, to, from) =
            (server.url(), format!("tg.request.{topic}"), format!("tg.response.{topic}"));
        tokio::task::spawn_blocking(move || foreign_call(&url, &to, &from, &body)).await.unwrap()
    };
    let sum = ask("calc", json!({}), json!({"expression": "(2 + 3) * 4"})).await;
    assert_eq!(sum, json!({"pieces": 1, "text": "20", "error": null, "inbox": []}));
    let found = ask(
        "custom-rag",
        json!({"collection": "customers"}),
        json!({"question": "top complaints?"}),
    )
    .await;
    assert!(
        found["pieces"].as_u64() > Some(5)
            && found["text"].as_str().unwrap().contains("late deliveries"),
        "{found}"
    );
    let unknown = ask("custom-rag", json!({"collection": "x"}), json!({"question": "?"})).await;
    assert_eq!(unknown["error"]["type"], "unknown-collection");
    stop.cancel();
    timeout(HUNG, running).await.expect("serving does not stop").unwrap();
    let mut told = Vec::new();
    while let Some(answered) = reports.recv().await {
        told.push((answered.service, answered.user, answered.problem.is_some()));
    }
    let expected = [("calculator", false), ("custom-rag", false), ("custom-rag", true)];
    assert_eq!(
        told,
        expected.map(|(service, failed)| (service.to_owned(), "alice".to_owned(), failed))
    );
}

#[tokio::test]
async fn encrypted_connections_are_verified_both_ways() {
    toolcrib::wire::tls::install_provider();
    let files = Certificates::make();
    let [cert, key, ca] = ["server.pem", "server.key", "ca.pem"].map(|name| files.file(name));
    let server = NatsServer::configured(&format!(
        "tls {{ cert_file: '{cert}', key_file: '{key}', ca_file: '{ca}', verify: true }}"
    ));
    let tls = Tls {
        required: true,
        ca_file: Some(ca),
        cert_file: Some(files.file("client.pem")),
        key_file: Some(files.file("client.key")),
    };
    let connection = |tls: Tls| Connection { tls, ..server.connection() };
    let heard = call_with(&Registry::default(), &connection(tls.clone()), joke(), limits()).await;
    heard.assert_lost("no-responders");

    let stranger = Certificates::make();
    let distrusted = Tls { ca_file: Some(stranger.file("ca.pem")), ..tls.clone() };
    let heard = call_with(&Registry::default(), &connection(distrusted), joke(), limits()).await;
    heard.assert_lost("tls");
    assert!(heard.problem().message.contains("doesn't trust"), "{:?}", heard.problem());

    let unknown = Tls {
        cert_file: Some(stranger.file("client.pem")),
        key_file: Some(stranger.file("client.key")),
        ..tls
    };
    let heard = call_with(&Registry::default(), &connection(unknown), joke(), limits()).await;
    assert_eq!(heard.end().0, Outcome::Lost);
    assert!(
        ["tls", "refused", "no-server"].contains(&heard.problem().kind.as_str()),
        "{:?}",
        heard.problem()
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_says_whose_it_is() {
    toolcrib::wire::tls::install_provider();
    let files = Certificates::naming(&["localhost"]);
    let server = NatsServer::configured(&format!(
        "tls {{ cert_file: '{}', key_file: '{}' }}",
        files.file("server.pem"),
        files.file("server.key")
    ));
    let tls = Tls { required: true, ca_file: Some(files.file("ca.pem")), ..Tls::default() };
    let connection = Connection { tls, ..server.connection() };
    let heard = call_with(&Registry::default(), &connection, joke(), limits()).await;
    heard.assert_lost("tls");
    let told = heard.problem().message;
    assert!(told.contains("its certificate is not for 127.0.0.1, but for localhost"), "{told}");
    let named = connection.with_addresses(vec![format!("nats://localhost:{}", server.port())]);
    call_with(&Registry::default(), &named, joke(), limits()).await.assert_lost("no-responders");
    let plain = Connection { tls: Tls::default(), ..named };
    let heard = call_with(&Registry::default(), &plain, joke(), limits()).await;
    assert_eq!(heard.end().0, Outcome::Lost, "a server that wants TLS: {:?}", heard.0);
}

fn stages(heard: &Heard) -> Vec<(String, String)> {
    let of = |event: &Event| match &event.kind {
        EventKind::Stage(stage) => Some((stage.name.to_string(), stage.words.clone())),
        _ => None,
    };
    heard.0.iter().filter_map(of).collect()
}

#[tokio::test]
async fn a_stream_that_keeps_requests_gives_its_receipt() {
    let (server, _folder) = jetstream();
    let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap());
    let config = |name: &str, subject: &str, most| async_nats::jetstream::stream::Config {
        name: name.into(),
        subjects: vec![subject.into()],
        max_messages: most,
        discard: async_nats::jetstream::stream::DiscardPolicy::New,
        ..Default::default()
    };
    context.create_stream(config("REQUESTS", "tg.request.joke", 100)).await.unwrap();
    context.create_stream(config("FULL", "tg.request.full", 1)).await.unwrap();
    let short = Limits { first: Duration::from_millis(300), linger: Duration::ZERO, ..limits() };
    let registry = Registry::default();

    // Nobody listens, and still somebody answers: the stream.
    let mut request = joke();
    request.headers.push(("Nats-Msg-Id".into(), "once".into()));
    let first = call_with(&registry, &server.connection(), request.clone(), short).await;
    let kept = "JetStream keeps the request: stream REQUESTS, message 1".to_owned();
    assert_eq!((stages(&first), first.strays()), (vec![("kept".into(), kept)], Vec::new()));
    assert_eq!(first.end().0, Outcome::TimedOut);
    assert!(
        first.problem().remedy.contains("stream REQUESTS keeps the request as message 1"),
        "{:?}",
        first.problem()
    );
    let again = call_with(&registry, &server.connection(), request, short).await;
    assert!(
        matches!(&stages(&again)[..], [(name, words)] if name == "duplicate" && words.contains("message 1")),
        "{:?}",
        again.0
    );

    let full = call_with(&registry, &server.connection(), joke_of("full"), short).await;
    assert_eq!(stages(&full)[0].0, "kept");
    let full = call_with(&registry, &server.connection(), joke_of("full"), short).await;
    assert!(
        matches!(&stages(&full)[..], [(name, words)] if name == "not-kept" && words.contains("maximum messages")),
        "{:?}",
        full.0
    );
    assert_eq!(full.end().0, Outcome::TimedOut, "no answer of the service's");

    // A service that answers in the same inbox is told from the receipt.
    for mode in ["response", "inbox", "inbox-without-id"] {
        let _service = Responder::start(&server.url(), mode);
        let heard = call_with(&registry, &server.connection(), joke(), limits()).await;
        assert_eq!(
            (heard.text().as_str(), heard.strays()),
            ("Hello alice, llamas as a pun.", Vec::new()),
            "{mode}"
        );
    }
    let stream = context.get_stream("REQUESTS").await.unwrap();
    assert_eq!(
        stream.cached_info().state.messages,
        4,
        "one for the two that were the same, and each of the others"
    );
}

/// What a call without an end comes to where this happens after its second piece.
async fn after_two(
    registry: &Registry,
    connection: &Connection,
    limits: Limits,
    happens: impl AsyncFnMut(),
) -> Heard {
    call_and(registry, connection, (joke(), limits), two, happens).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stands_still_is_noticed_and_is_there_again_when_it_goes_on() {
    let server = NatsServer::start();
    let responder = Responder::start(&server.url(), "no-end");
    let (registry, connection) = (Registry::default(), server.connection());
    let mut states = registry.connection_states();
    let heard = after_two(&registry, &connection, limits(), async || server.signal("STOP")).await;
    heard.assert_lost("connection-lost");
    assert_eq!(heard.text(), "one two");
    let meanwhile = call_with(&registry, &connection, joke(), limits()).await;
    meanwhile.assert_lost("no-server");
    assert!(meanwhile.problem().message.contains("nothing was sent"), "{:?}", meanwhile.problem());
    let fresh = call_with(&Registry::default(), &connection, joke(), limits()).await;
    fresh.assert_lost("no-server");
    assert!(fresh.problem().message.contains("didn't answer within 5 s"), "{:?}", fresh.problem());
    server.signal("CONT");
    let back = states.wait_for(|states| states.get("test") == Some(&ConnectionState::Connected));
    timeout(HUNG, back).await.expect("it does not reconnect").unwrap();
    drop(responder);
    let _responder = Responder::start(&server.url(), "response");
    let heard = call_with(&registry, &connection, joke(), limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.");
}

#[tokio::test]
async fn a_short_standstill_only_takes_time() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "response");
    let (registry, connection) = (Registry::default(), server.connection());
    registry.test_connection(&connection).await.unwrap();
    server.signal("STOP");
    let short = Limits { first: Duration::from_millis(300), ..limits() };
    let silent = call_with(&registry, &connection, joke(), short).await;
    silent.assert_lost("connection-lost");
    assert!(silent.problem().message.contains("doesn't respond"), "{:?}", silent.problem());
    let heard =
        call_and(&registry, &connection, (joke(), limits()), sent, async || server.signal("CONT"))
            .await;
    assert_eq!(heard.end().0, Outcome::Succeeded, "{:?}", heard.0);
    assert!(heard.text().starts_with("Hello alice"), "{:?}", heard.0);
}

#[tokio::test]
async fn a_killed_service_leaves_the_call_to_its_limit() {
    let server = NatsServer::start();
    let mut responder = Responder::start(&server.url(), "no-end");
    let short = Limits { idle: Duration::from_millis(500), ..limits() };
    let heard =
        after_two(&Registry::default(), &server.connection(), short, async || responder.kill())
            .await;
    assert_eq!(
        (heard.text().as_str(), heard.problem().kind.as_str()),
        ("one two", "timed-out-idle")
    );
    call_with(&Registry::default(), &server.connection(), joke(), limits())
        .await
        .assert_lost("no-responders");
}

/// The line between network and call holds 64 MiB; this answer is 100 MB, and nobody takes it
/// before all of it is there.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_nobody_takes_in_time_has_gaps_and_says_so() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "torrent");
    let (registry, connection) = (Registry::default(), server.connection());
    // On a connection of its own: the server lets nobody fall behind for both.
    let elsewhere = Registry::default().open_bus(&connection).await.unwrap();
    let mut onlooker = elsewhere
        .subscribe(&Address::ephemeral("tg.response.joke"), SubscriptionShare::Each)
        .await
        .unwrap();
    let here = registry.open_bus(&connection).await.unwrap();
    let inbox = here.new_inbox().unwrap();
    let mut echo = here.subscribe(&inbox, SubscriptionShare::Each).await.unwrap();
    let (sender, mut receiver) = mpsc::channel::<Event>(1);
    // The last piece, which says that it is the last, is among those let go.
    let short = Limits { idle: Duration::from_millis(300), ..limits() };
    let calling = registry.run_call(&connection, joke(), short, sender);
    let taking = async {
        while !matches!(onlooker.next().await, Some(message::Incoming::Packet(packet)) if packet.body.ends_with(b"true}"))
        {
        }
        // What comes back behind all of it.
        here.send(Outgoing {
            to: inbox,
            reply: None,
            headers: Vec::new(),
            body: "".into(),
            expires: None,
        })
        .await
        .unwrap();
        echo.next().await.unwrap();
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            events.push(event);
        }
        Heard(events)
    };
    let heard =
        timeout(HUNG, async { tokio::join!(calling, taking).1 }).await.expect("the call hangs");
    heard.assert_lost("slow-consumer");
    let told = heard.problem().message;
    assert!(told.contains("messages (") && told.contains("were dropped"), "{told}");
    assert!(heard.pieces() > 200 && heard.pieces() < 400, "{}", heard.pieces());
    let notices = heard.0.iter().filter(
        |event| matches!(&event.kind, EventKind::Notice(words) if words.contains("were dropped")),
    );
    assert_eq!(notices.count(), 1, "{:?}", heard.problem());
}

/// A stream that keeps requests sends a receipt into the inbox of each, which is no answer, also
/// where nobody else is there.
#[tokio::test]
async fn the_receipt_of_a_stream_that_keeps_requests_is_no_answer() {
    let (server, _streams) = jetstream();
    let client = async_nats::connect(server.url()).await.unwrap();
    let streams = async_nats::jetstream::new(client);
    let config = async_nats::jetstream::stream::Config {
        name: "KEPT".into(),
        subjects: vec!["tg.request.>".into()],
        ..Default::default()
    };
    let kept = streams.create_stream(config).await.unwrap();
    let short = Limits { first: Duration::from_millis(500), ..limits() };
    let alone = call_with(&Registry::default(), &server.connection(), joke(), short).await;
    assert_eq!((alone.problem().kind.as_str(), alone.strays()), ("timed-out-first", Vec::new()));
    let receipt = alone
        .0
        .iter()
        .any(|event| matches!(&event.kind, EventKind::Stage(stage) if stage.body.contains("KEPT")));
    assert!(receipt, "{:?}", alone.0);
    for mode in ["response", "inbox", "inbox-without-id"] {
        let _responder = Responder::start(&server.url(), mode);
        let heard = call_with(&Registry::default(), &server.connection(), joke(), limits()).await;
        assert_eq!(
            (heard.text().as_str(), heard.end().0),
            ("Hello alice, llamas as a pun.", Outcome::Succeeded),
            "{mode}"
        );
    }
    assert_eq!(kept.get_raw_message(1).await.unwrap().payload, joke().body.as_bytes());
}
