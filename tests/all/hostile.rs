//! Peers, files and names that mean harm: nothing of them steers or deceives a terminal, and none
//! makes the program grow without an end.

use std::{
    fs,
    future::pending,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

use futures::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio_tungstenite::tungstenite::{
    Message as Frame,
    protocol::{CloseFrame, frame::coding::CloseCode},
};
use toolcrib::{
    app::message::{Message, ScreenId},
    model::{
        call::{EventKind, Outcome, Request},
        connection::{Connection, ConnectionState},
        stage::FrameWay,
        transport::TransportKind,
    },
    wire::{
        registry::Registry,
        transport::{
            bus::SubscriptionShare,
            message::{Address, Incoming},
        },
    },
};

use crate::support::{
    calls::{call_with, joke, limits},
    false_brokers::{self, HUGE},
    place::{Place, Ran},
    workbench::Workbench,
};

/// Turns the direction, hides, and steers: each of them alone can make a reader see what is not
/// there.
const EVIL: &str = "e\u{61c}v\u{200b}i\u{200c}l\u{200d}\u{200e}\u{202e}\u{2066}\u{feff}\u{e0041}\u{e007f}\u{9b}31m\u{1b}[2J";

#[track_caller]
fn is_harmless(text: &str) {
    let steers = |letter: char| {
        letter != '\n' && letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    let line = text.lines().find(|line| line.chars().any(steers));
    assert!(line.is_none(), "{}", line.unwrap_or_default().escape_default());
}

#[track_caller]
fn both_harmless(ran: &Ran) {
    is_harmless(&ran.data);
    is_harmless(&ran.words);
}

const CALLED: &str = "tool:\n  say:\n    type: mcp-tool\n    name: say\n    description: Says\n    mcp-tool: what\n    arguments: []\n";

/// A gateway's socket that takes any token, and then does something.
fn gateway<F: Future<Output = ()> + Send>(
    does: impl Fn(tokio_tungstenite::WebSocketStream<tokio::net::TcpStream>) -> F + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else {
                    continue;
                };
                let _hello = socket.next().await;
                let _ = socket
                    .send(Frame::text(r#"{"type": "auth-ok", "default_workspace": "w"}"#))
                    .await;
                does(socket).await;
            }
        });
    });
    url
}

#[test]
fn what_a_gateway_says_as_it_hangs_up_steers_nothing() {
    let url = gateway(async |mut socket| {
        let _request = socket.next().await;
        let _ =
            socket.close(Some(CloseFrame { code: CloseCode::Policy, reason: EVIL.into() })).await;
    });
    let place = Place::with(&[("tools.yaml", CALLED)]);
    for arguments in [
        &["call", "say", "--connection", &url][..],
        &["call", "say", "--connection", &url, "--json"],
    ] {
        let ran = place.run(arguments);
        assert_ne!(ran.code, Some(0), "{}\n{}", ran.data, ran.words);
        assert!(
            ran.words.contains("31m") || ran.data.contains("31m"),
            "what it said is told: {}\n{}",
            ran.data,
            ran.words
        );
        both_harmless(&ran);
    }
}

/// What runs beside a connection gets all the time that it wants.
async fn let_all_run() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// A call of the MCP tool `what` behind a gateway.
fn over_gateway() -> Request {
    Request {
        to: "/api/v1/flow/default/service/mcp-tool".into(),
        reply: None,
        body: r#"{"name": "what", "parameters": {}}"#.into(),
        ..joke()
    }
}

fn socket_connection(url: String) -> Connection {
    Connection::from_address(TransportKind::WebSocket, "hostile", url)
}

#[tokio::test]
async fn the_first_that_a_gateway_gets_is_the_request() {
    let (hears, heard) = mpsc::channel();
    let connection = socket_connection(gateway(move |mut socket| {
        let hears = hears.clone();
        async move {
            let first = socket.next().await;
            hears.send(matches!(first, Some(Ok(Frame::Text(_))))).unwrap();
        }
    }));
    let registry = Registry::default();
    let _bus = registry.open_bus(&connection).await.unwrap();
    let_all_run().await;
    call_with(&registry, &connection, over_gateway(), limits())
        .await
        .assert_lost("connection-lost");
    assert!(heard.recv().unwrap(), "something went before the request");
}

#[tokio::test]
async fn a_gateway_that_hangs_up_before_the_request_has_said_why() {
    // It lets us in once; whoever comes again waits.
    let connection = socket_connection(gateway(async |mut socket| {
        let frame = CloseFrame { code: CloseCode::Policy, reason: "the quota is used up".into() };
        let _ = socket.close(Some(frame)).await;
        pending::<()>().await;
    }));
    let registry = Registry::default();
    let bus = registry.open_bus(&connection).await.unwrap();
    let mut state = bus.connection_events().state.subscribe();
    state.wait_for(|state| matches!(state, ConnectionState::Reconnecting { .. })).await.unwrap();
    let heard = call_with(&registry, &connection, over_gateway(), limits()).await;
    heard.assert_lost("no-server");
    let problem = heard.problem();
    assert!(problem.message.ends_with("with code 1008: the quota is used up"), "{problem:?}");
}

#[test]
fn an_answer_and_an_error_of_a_service_steer_nothing() {
    for body in [
        "\"error\": {\"type\": \"EVIL\", \"message\": \"EVIL\"}",
        "\"response\": {\"text\": \"EVIL\"}",
    ] {
        let body = body.replace("EVIL", Value::from(EVIL).to_string().trim_matches('"'));
        let url = gateway(move |mut socket| {
            let body = body.clone();
            async move {
                let Some(Ok(Frame::Text(request))) = socket.next().await else { return };
                let id = serde_json::from_str::<Value>(&request).unwrap()["id"].clone();
                let _ = socket
                    .send(Frame::text(format!("{{\"id\": {id}, {body}, \"complete\": true}}")))
                    .await;
                while let Some(Ok(_)) = socket.next().await {}
            }
        });
        let place = Place::with(&[("tools.yaml", CALLED)]);
        let ran = place.run(&["call", "say", "--connection", &url, "--json"]);
        assert!(
            ran.data.contains("\\u061c") && ran.data.contains("\\udb40\\udc41"),
            "{}\n{}",
            ran.data,
            ran.words
        );
        both_harmless(&ran);
        is_harmless(&place.run(&["call", "say", "--connection", &url]).words);
        is_harmless(&place.run(&["history", "--json"]).data);
        both_harmless(&place.run(&["history"]));
    }
}

#[test]
fn the_name_of_a_file_or_a_tool_steers_nothing() {
    let name = "e\u{61c}v\u{200b}i\u{202e}l\u{e0041}";
    let tool = Value::from(EVIL).to_string();
    let text = format!(
        "tool:\n  {tool}:\n    type: nonsense\n    name: {tool}\n    description: {tool}\n    group: [{tool}]\n"
    );
    let place = Place::with(&[("tools.yaml", "tool: {}\n")]);
    fs::write(place.here.join(format!("{name}.yaml")), &text).unwrap();
    fs::write(place.here.join(format!("{name}2.yaml")), "tool: [unclosed\n").unwrap();
    for arguments in [
        &["check"][..],
        &["check", "--format", "github"],
        &["tools"],
        &["groups"],
        &["states"],
        &["doctor"],
        &["tools", "--json"],
        &["check", "--format", "json"],
        &["call", EVIL],
        &[&format!("{name}.yaml/nothing"), "check"],
        &["form", name],
        &[name, name],
    ] {
        let ran = place.run(arguments);
        both_harmless(&ran);
    }
    let json = place.run(&["check", "--format", "json"]).data;
    assert!(json.contains("\\u061c") && json.contains("\\udb40\\udc41"), "{json}");
    let mut bench = Workbench::yaml(&text, 120, 36);
    for screen in [
        ScreenId::Tools,
        ScreenId::Workflow,
        ScreenId::Invoke,
        ScreenId::Watch,
        ScreenId::Connections,
    ] {
        bench.send(Message::Show(screen));
        bench.draw();
        is_harmless(&bench.screen());
    }
}

#[test]
fn an_answer_on_the_screen_steers_nothing() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    let tool = bench.state.catalog.tool_called("query-customers").unwrap().id().clone();
    bench.send(Message::Select(tool));
    bench.draw();
    bench.keys("f6 f6");
    bench.happens([
        (0, EventKind::Sent { bytes: 1 }),
        (1, EventKind::Notice(EVIL.into())),
        (2, EventKind::Headers { way: FrameWay::In, headers: [("x".into(), EVIL.into())].into() }),
        (3, EventKind::Chunk { text: EVIL.into(), bytes: 10 }),
        (4, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    for _ in 0..8 {
        is_harmless(&bench.screen());
        bench.keys("tab v");
    }
}

/// A server that speaks enough NATS to be subscribed to, and then does something for ever.
fn server(does: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + 'static) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let info = "INFO {\"server_id\":\"x\",\"server_name\":\"x\",\"version\":\"2.10.0\",\"proto\":1,\"go\":\"x\",\"host\":\"127.0.0.1\",\"port\":4222,\"headers\":true,\"max_payload\":1048576,\"client_id\":1}\r\n";
            stream.write_all(info.as_bytes()).unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while let Some(Ok(line)) = lines.next() {
                match line.split(' ').next() {
                    Some("PING") => stream.write_all(b"PONG\r\n").unwrap(),
                    // Nothing is read from here on.
                    Some("SUB") => break,
                    _ => {}
                }
            }
            while does(&mut stream).is_ok() {}
        }
    });
    Connection::nats("hostile", url.as_str())
}

/// Why the connection of a listener was ended.
async fn end_of(connection: &Connection) -> String {
    let registry = Registry::default();
    let bus = registry.open_bus(connection).await.unwrap();
    let mut line = bus.subscribe(&Address::ephemeral("x"), SubscriptionShare::Each).await.unwrap();
    let Some(Incoming::Failed(problem)) = line.next().await else { panic!("no end is told") };
    assert_eq!(bus.close_reason().as_ref(), Some(&problem), "it is not tried again by itself");
    assert!(
        bus.subscribe(&Address::ephemeral("x"), SubscriptionShare::Each)
            .await
            .is_err_and(|refused| refused == problem)
    );
    assert!(
        registry.open_bus(connection).await.unwrap().close_reason().is_none(),
        "the next one who asks gets another"
    );
    problem.message
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_pings_ends_the_connection() {
    let pings = "PING\r\n".repeat(10_000);
    let words = end_of(&server(move |stream| stream.write_all(pings.as_bytes()))).await;
    assert!(
        words.contains("pings within a second") || words.contains("without a message that ends"),
        "{words}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_or_a_line_without_an_end_ends_the_connection() {
    let begins = std::sync::atomic::AtomicBool::new(true);
    let words = end_of(&server(move |stream| {
        if begins.swap(false, std::sync::atomic::Ordering::Relaxed) {
            stream.write_all(b"MSG x 1 99999999999\r\n")?;
        }
        stream.write_all(&[b'x'; 65_536])
    }))
    .await;
    assert!(words.contains("without a message that ends; one may have 1"), "{words}");
    let words = end_of(&server(|stream| stream.write_all(&[b'x'; 65_536]))).await;
    assert!(words.contains("without a message that ends"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_says_why_its_connection_ended() {
    let pings = "PING\r\n".repeat(10_000);
    let connection = server(move |stream| stream.write_all(pings.as_bytes()));
    let heard = call_with(&Registry::default(), &connection, joke(), limits()).await;
    let (outcome, problem) = heard.end();
    assert_eq!(outcome, Outcome::Lost);
    let problem = problem.unwrap();
    assert!(["flooded", "too-large"].contains(&problem.kind.as_str()), "{problem:?}");
}

/// A call ends with words about what was announced, at once, and the next one who asks gets another
/// connection.
async fn ends_as_too_large(connection: &Connection, what: &str) {
    let registry = Registry::default();
    let bus = registry.open_bus(connection).await.unwrap();
    let heard = call_with(&registry, connection, joke(), limits()).await;
    heard.assert_lost("too-large");
    let problem = heard.problem();
    assert!(
        problem.message.contains(what) && problem.remedy.contains("largest-answer"),
        "{problem:?}"
    );
    // Where sending failed first, the connection may only be about to be given up.
    bus.connection_events()
        .state
        .subscribe()
        .wait_for(|state| matches!(state, ConnectionState::Failed(_)))
        .await
        .unwrap();
    assert_eq!(bus.close_reason(), Some(problem.clone()), "it is not tried again by itself");
    assert!(
        bus.subscribe(&Address::ephemeral("x"), SubscriptionShare::Each)
            .await
            .is_err_and(|refused| refused == problem)
    );
    assert!(
        registry.open_bus(connection).await.unwrap().close_reason().is_none(),
        "the next one who asks gets another"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_message_that_a_rabbitmq_announces_ends_the_call() {
    for announced in [u64::from(HUGE), u64::MAX] {
        let (connection, _) = false_brokers::amqp(announced);
        ends_as_too_large(&connection, "announced a message of more than 269 MB").await;
    }
    let (connection, _) = false_brokers::amqp(3 * 1024 * 1024);
    let connection = Connection { largest_answer: 1024 * 1024, ..connection };
    ends_as_too_large(&connection, "announced a message of more than 2.0 MB").await;
}

#[tokio::test]
async fn a_rabbitmq_that_wishes_for_huge_frames_is_told_a_smaller_size() {
    let (connection, agreed) = false_brokers::amqp(1);
    Registry::default().open_bus(&connection).await.unwrap();
    assert_eq!(agreed.recv().unwrap(), 128 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_frame_that_a_pulsar_announces_ends_the_call() {
    ends_as_too_large(&false_brokers::pulsar(), "announced a message of more than 276 MB").await;
}
