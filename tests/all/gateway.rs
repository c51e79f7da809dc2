//! Calls through a gateway, over HTTP and over its socket: what comes back, and what goes wrong,
//! each with its outcome in words.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, net::TcpListener, time::timeout};
use toolcrib::{
    model::{
        call::{Event, EventKind, Limits, Outcome, Request, StrayCause},
        connection::{Connection, ConnectionState, Credentials, SecretAt, SettingValue},
        stage::FrameWay,
        transport::TransportKind,
    },
    systems::trustgraph::settings::Gateway,
    wire::registry::Registry,
};

use crate::support::{
    battery,
    calls::{HUNG, Heard, call_and, call_with, joke_of, limits, sent, two},
    certificates::Certificates,
    gateway::{StandIn, TOKEN},
};

const BOTH: [TransportKind; 2] = [TransportKind::Http, TransportKind::WebSocket];

fn registry() -> Registry {
    knowing(TOKEN)
}

fn knowing(secret: &'static str) -> Registry {
    Registry::new(Arc::new(move |name| (name == "SECRET").then(|| secret.to_owned())))
}

/// A call of the MCP tool of that name, which tells the stand-in what to do.
fn asking(name: &str) -> Request {
    // An answer that comes late must not be taken for the next call's.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let id = format!("call-{}", CALLS.fetch_add(1, Ordering::Relaxed));
    Request {
        to: "/api/v1/flow/default/service/mcp-tool".into(),
        reply: None,
        headers: vec![("id".into(), id.clone())],
        correlation: id,
        body: json!({"name": name, "parameters": {}}).to_string().into(),
        ..joke_of("joke")
    }
}

async fn heard(gateway: &StandIn, transport: TransportKind, name: &str, limits: Limits) -> Heard {
    call_with(&registry(), &gateway.connection(transport), asking(name), limits).await
}

/// The lines that a call says first, over the wire; nobody answers it.
async fn first_lines(transport: TransportKind, scheme: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("{scheme}://{}", listener.local_addr().unwrap());
    let secret = SettingValue::Secret(SecretAt::Variable("SECRET".into()));
    let headers = [("X-Tenant", SettingValue::Text("acme".into())), ("X-Api-Key", secret)];
    let connection = Connection {
        headers: headers.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Connection::from_address(transport, "test", address)
    };
    let listening = async {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut said, mut piece) = (String::new(), [0; 4096]);
            // A connection that says nothing only finds out whether somebody is there.
            while !said.contains("\r\n\r\n") {
                match stream.read(&mut piece).await.unwrap() {
                    0 => break,
                    length => said.push_str(&String::from_utf8_lossy(&piece[..length])),
                }
            }
            if !said.is_empty() {
                return said;
            }
        }
    };
    let registry = registry();
    let calling = call_with(&registry, &connection, asking("echo"), limits());
    tokio::select! {
        said = timeout(HUNG, listening) => said.unwrap(),
        heard = calling => panic!("{:?}", heard.0),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_of_the_settings_go_with_each_request_and_with_the_handshake() {
    for (transport, scheme) in BOTH.into_iter().zip(["http", "ws"]) {
        let said = first_lines(transport, scheme).await.to_lowercase();
        for line in ["x-tenant: acme\r\n", &format!("x-api-key: {TOKEN}\r\n")] {
            assert!(said.contains(line), "{transport:?}: {line} is not in {said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_in_peace() {
    let gateway = StandIn::start();
    for transport in BOTH {
        let streamed = heard(&gateway, transport, "stream", limits()).await;
        assert_eq!(
            (streamed.text().as_str(), streamed.pieces()),
            ("one two three", 3),
            "{transport:?}"
        );
        assert_eq!(
            (streamed.end().0, streamed.strays().len()),
            (Outcome::Succeeded, 0),
            "{transport:?}"
        );
        let huge = heard(&gateway, transport, "huge", limits()).await;
        let size = if transport == TransportKind::Http { 10_000_000 } else { 100_000_000 };
        assert_eq!((huge.end().0, huge.text().len()), (Outcome::Succeeded, size), "{transport:?}");
        let short = Duration::from_millis(300);
        let silent =
            heard(&gateway, transport, "silent", Limits { first: short, ..limits() }).await;
        assert_eq!(
            (silent.end().0, silent.problem().kind.as_str()),
            (Outcome::TimedOut, "timed-out-first")
        );
        assert!(silent.problem().remedy.contains("behind the gateway"), "{:?}", silent.problem());
        let no_end = heard(&gateway, transport, "no-end", Limits { idle: short, ..limits() }).await;
        assert_eq!(
            (no_end.problem().kind.as_str(), no_end.text().trim()),
            ("timed-out-idle", "one two")
        );
        let close = heard(&gateway, transport, "close", limits()).await;
        close.assert_lost("connection-lost");
        assert!(close.text().starts_with("one"), "{:?}", close.0);
    }
    what_is_sent(&gateway).await;
    headers_of_an_answer(&gateway).await;
    messages_that_are_not_as_they_should_be(&gateway).await;
    pages_and_places_that_are_none_of_ours(&gateway).await;
    tokens(&gateway).await;
    calls_share_one_socket(&gateway).await;
}

async fn what_is_sent(gateway: &StandIn) {
    let gateway_of =
        Gateway { workspace: Some("w".into()), flow: "f".into(), ..Gateway::default() };
    let with = |transport| gateway_of.clone().apply_to(gateway.connection(transport));
    let framed = Request { headers: vec![("workspace".into(), "w".into())], ..asking("what") };
    let heard = call_with(&registry(), &with(TransportKind::WebSocket), framed, limits()).await;
    let sent: Value = serde_json::from_str(&heard.text()).unwrap();
    let request = json!({"name": "what", "parameters": {}});
    assert_eq!(
        sent,
        json!({"workspace": "w", "flow": "default", "service": "mcp-tool", "request": request})
    );
    let heard = call_with(&registry(), &with(TransportKind::Http), asking("what"), limits()).await;
    let sent: Value = serde_json::from_str(&heard.text()).unwrap();
    assert_eq!(sent, json!({"path": "/api/v1/flow/default/service/mcp-tool", "body": request}));
    let below = gateway
        .connection(TransportKind::Http)
        .with_addresses(vec![format!("{}/tg/", gateway.url("http"))]);
    let heard = call_with(&registry(), &below, asking("what"), limits()).await;
    assert!(heard.text().contains("/tg/api/v1/flow"), "{:?}", heard.0);
}

async fn headers_of_an_answer(gateway: &StandIn) {
    for name in ["stream", "what"] {
        let heard = heard(gateway, TransportKind::Http, name, limits()).await;
        let of = |event: &Event| match &event.kind {
            EventKind::Headers { way, headers } => Some((*way, headers.clone())),
            _ => None,
        };
        let told: Vec<_> = heard.0.iter().filter_map(of).collect();
        let [(FrameWay::Out, sent), (FrameWay::In, told)] = &told[..] else {
            panic!("they went once and came once: {:?}", heard.0);
        };
        let accept = ("accept".to_owned(), "application/json, text/event-stream".to_owned());
        assert!(sent.contains(&accept), "{sent:?}");
        assert!(
            told.iter().any(|(name, value)| name == "content-type" && !value.is_empty()),
            "{told:?}"
        );
        assert!(told.iter().all(|(name, _)| name != ":event"), "{told:?}");
    }
}

async fn messages_that_are_not_as_they_should_be(gateway: &StandIn) {
    let socket = TransportKind::WebSocket;
    for (name, text, stray) in [
        ("foreign", "yours", StrayCause::ForeignId),
        ("no-id", "yours", StrayCause::NoId),
        ("twice", "once", StrayCause::Duplicate),
        ("late", "in time", StrayCause::Late),
    ] {
        let heard = heard(gateway, socket, name, limits()).await;
        assert_eq!((heard.text().as_str(), heard.strays()), (text, vec![stray]), "{name}");
    }
    let short =
        Limits { first: Duration::from_millis(300), total: Duration::from_millis(300), ..limits() };
    let nonsense = heard(gateway, socket, "not-json", short).await;
    assert_eq!((nonsense.end().0, nonsense.strays()), (Outcome::TimedOut, vec![StrayCause::NoId]));
    heard(gateway, socket, "nothing", limits()).await.assert_lost("not-a-reply");
    let broken = heard(gateway, socket, "not-utf8", limits()).await;
    broken.assert_lost("connection-lost");
    let told = broken.0.iter().any(
        |event| matches!(&event.kind, EventKind::Notice(words) if words.contains("not UTF-8")),
    );
    assert!(told, "{:?}", broken.0);
    let endless = heard(gateway, socket, "endless", short).await;
    assert_eq!(
        (endless.end().0, endless.problem().kind.as_str()),
        (Outcome::TimedOut, "timed-out-total")
    );
    let closed = heard(gateway, socket, "close", limits()).await;
    let words = format!("{:?}", closed.0);
    assert!(words.contains("with code 1000: enough") && !words.contains('\u{1b}'), "{words}");
    let many = heard(gateway, socket, "many", limits()).await;
    let expected: String = (0..20_000).map(|row| format!("{row} ")).collect();
    assert!(many.text() == expected && many.end().0 == Outcome::Succeeded);
}

async fn pages_and_places_that_are_none_of_ours(gateway: &StandIn) {
    let http = TransportKind::Http;
    for kind in ["not-json", "not-utf8"] {
        heard(gateway, http, kind, limits()).await.assert_lost(kind);
    }
    let page = heard(gateway, http, "page", limits()).await;
    page.assert_lost("refused");
    assert!(page.problem().message.contains("502"), "{:?}", page.problem());
    // The token goes nowhere else.
    let elsewhere = heard(gateway, http, "elsewhere", limits()).await;
    elsewhere.assert_lost("no-gateway");
    let nowhere = gateway
        .connection(TransportKind::WebSocket)
        .with_addresses(vec![format!("{}/nowhere", gateway.url("ws"))]);
    let nowhere = registry().test_connection(&nowhere).await.unwrap_err().to_string();
    assert!(nowhere.contains("HTTP status 40") && nowhere.contains("8888"), "{nowhere}");
    for transport in BOTH {
        let queue =
            call_with(&registry(), &gateway.connection(transport), joke_of("joke"), limits()).await;
        queue.assert_lost("bad-subject");
        assert!(queue.problem().remedy.contains("pulsar://"), "{:?}", queue.problem());
    }
    let embedded =
        call_with(&registry(), &Connection::embedded(), asking("stream"), limits()).await;
    embedded.assert_lost("bad-subject");
    assert!(embedded.problem().remedy.contains("gateway"), "{:?}", embedded.problem());
}

async fn tokens(gateway: &StandIn) {
    for transport in BOTH {
        let wrong = call_with(
            &knowing("wr0ng"),
            &gateway.connection(transport),
            asking("stream"),
            limits(),
        )
        .await;
        wrong.assert_lost("refused");
        let shown = format!("{:?}", wrong.0);
        assert!(
            shown.contains("token") && !shown.contains("wr0ng") && !shown.contains(TOKEN),
            "{shown}"
        );
        let nobody = Connection { credentials: Credentials::None, ..gateway.connection(transport) };
        call_with(&registry(), &nobody, asking("stream"), limits()).await.assert_lost("refused");
        let unset = Registry::new(Arc::new(|_| None));
        let unset =
            unset.test_connection(&gateway.connection(transport)).await.unwrap_err().to_string();
        assert!(unset.contains("SECRET"), "{unset}");
    }
    let greeting =
        registry().test_connection(&gateway.connection(TransportKind::WebSocket)).await.unwrap();
    assert!(greeting.contains("workspace lab"), "{greeting}");
}

async fn calls_share_one_socket(gateway: &StandIn) {
    let (registry, connection) = (registry(), gateway.connection(TransportKind::WebSocket));
    let call = |_| call_with(&registry, &connection, asking("stream"), limits());
    for heard in futures::future::join_all((0..10).map(call)).await {
        assert_eq!((heard.text().as_str(), heard.strays().len()), ("one two three", 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn encryption_is_verified() {
    let files = Certificates::naming(&["localhost"]);
    let gateway = StandIn::encrypted(&files);
    for transport in BOTH {
        let connection = |host: &str, ca| gateway.encrypted_connection(transport, host, ca);
        let good = call_with(
            &registry(),
            &connection("localhost", files.file("ca.pem")),
            asking("stream"),
            limits(),
        )
        .await;
        assert_eq!(
            (good.text().as_str(), good.end().0),
            ("one two three", Outcome::Succeeded),
            "{transport:?}"
        );
        battery::certificates_are_verified(&registry(), &files, connection).await;
        let unencrypted = gateway.connection(transport);
        let unencrypted = call_with(&registry(), &unencrypted, asking("stream"), limits()).await;
        assert_eq!(unencrypted.end().0, Outcome::Lost, "{:?}", unencrypted.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_in_trouble() {
    let mut gateway = StandIn::start();
    for transport in BOTH {
        let (registry, connection) = (registry(), gateway.connection(transport));
        stopped_and_going_on(&gateway, &registry, &connection).await;
        let mut states = registry.connection_states();
        killed_during_a_stream(&mut gateway, &registry, &connection).await;
        let refused = call_with(&registry, &connection, asking("stream"), limits()).await;
        refused.assert_lost("no-server");
        assert!(
            !refused.0.iter().any(|event| matches!(event.kind, EventKind::Sent { .. })),
            "{:?}",
            refused.0
        );
        let fresh = call_with(&self::registry(), &connection, asking("stream"), limits()).await;
        fresh.assert_lost("no-server");
        gateway.restart();
        let back =
            states.wait_for(|states| states.get("test") == Some(&ConnectionState::Connected));
        timeout(HUNG, back).await.expect("it does not reconnect").unwrap();
        let again = call_with(&registry, &connection, asking("stream"), limits()).await;
        assert_eq!(
            (again.text().as_str(), again.end().0),
            ("one two three", Outcome::Succeeded),
            "{transport:?}"
        );
    }
}

async fn stopped_and_going_on(gateway: &StandIn, registry: &Registry, connection: &Connection) {
    let first = call_with(registry, connection, asking("stream"), limits()).await;
    assert_eq!(first.end().0, Outcome::Succeeded, "{:?}", first.0);
    gateway.signal("STOP");
    let short = Limits { first: Duration::from_millis(300), ..limits() };
    let silent = call_with(registry, connection, asking("stream"), short).await;
    assert_eq!(
        (silent.end().0, silent.problem().kind.as_str()),
        (Outcome::TimedOut, "timed-out-first")
    );
    let heard = call_and(registry, connection, (asking("stream"), limits()), sent, async || {
        gateway.signal("CONT");
    })
    .await;
    assert_eq!((heard.text().as_str(), heard.end().0), ("one two three", Outcome::Succeeded));
}

async fn killed_during_a_stream(
    gateway: &mut StandIn,
    registry: &Registry,
    connection: &Connection,
) {
    let heard =
        call_and(registry, connection, (asking("no-end"), limits()), two, async || gateway.kill())
            .await;
    heard.assert_lost("connection-lost");
    assert_eq!(heard.text().trim(), "one two");
}
