//! Stubs as a gateway: called by our own client over HTTP and over the socket, and by a caller in
//! another language.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    engine::stub::read::read_stub,
    model::{
        call::{Limits, Outcome, Request, StrayCause},
        connection::Connection,
        stub::{Fault, StubService},
        transport::TransportKind,
    },
    syntax::source::{Format, Source},
    wire::{
        registry::Registry,
        systems::{
            facets::decided::AnswerSource,
            trustgraph::gateway::{doors::GatewayRoute, listening::OpenGateway},
        },
    },
};

use crate::support::{
    calls::{Heard, call_with, joke_of, limits},
    gateway::{StandIn, TOKEN},
    place::{Place, Ran},
    services::{program, script},
    serving::Serving,
};

const TOOLS: &str = r#"{
    "tool": {
        "echo": {"type": "mcp-tool", "name": "echo", "description": "Says it again", "mcp-tool": "server-echo",
                 "arguments": [{"name": "text", "type": "string", "description": "What to say"}]},
        "stream": {"type": "mcp-tool", "name": "stream", "description": "Counts", "mcp-tool": "stream", "arguments": []},
        "ask": {"type": "prompt", "name": "ask", "description": "Asks", "template": "agent-ask",
                "arguments": [{"name": "topic", "type": "string", "description": "About what"}]},
        "know": {"type": "knowledge-query", "name": "know", "description": "Knows", "collection": "customers"},
        "tell": {"type": "tool-service", "name": "tell", "description": "Tells", "service": "teller", "arguments": []}},
    "mcp": {"server-echo": {"url": "http://127.0.0.1:1/mcp"}, "stream": {"url": "http://127.0.0.1:1/mcp"}},
    "tool-service": {"teller": {"request-queue": "request:tg:teller", "response-queue": "response:tg:teller"}}}"#;

const STUB: &str = "\
services:
  echo:
    rules:
      - {name: cold, when: {contains: oven}, answer: so far, error: {type: burnt, message: The oven is cold}}
      - {name: quiet, when: {contains: quiet}, fault: silence}
      - {name: half, when: {contains: half}, answer: half of this, fault: broken-json}
      - {name: other, when: {contains: other}, answer: not yours, fault: wrong-id}
      - {name: object, when: {contains: object}, answer: {json: {b: 1, a: [2.5]}}}
      - {name: lost, when: {contains: lost}, error: {type: empty-answer}}
      - {name: count, when: {contains: count}, answer: ['one ', {text: 'two ', after: 20ms}, three]}
  ask:
    rules:
      - {name: llamas, when: {arguments: {topic: llamas}, config: {id: agent-ask}}, answer: [No prob, -llama]}
  tell:
    rules:
      - answer: over the bus alone
";

const SETTINGS: &str = "\
[connections.gate]
transport = \"TRANSPORT\"
servers = [\"SCHEME://127.0.0.1:0\"]
token-variable = \"SECRET\"
workspace = \"lab\"
";

/// A workspace whose connection `gate` is a gateway of our own, which wants a token.
fn place(transport: &str, scheme: &str) -> Place {
    let settings = SETTINGS.replace("TRANSPORT", transport).replace("SCHEME", scheme);
    Place::with(&[("tools.json", TOOLS), ("stub.yaml", STUB), ("toolcrib.toml", &settings)])
}

fn serving(place: &Place, arguments: &[&str]) -> Serving {
    Serving::of(
        place
            .command(&[&["serve", "--connection", "gate"], arguments].concat())
            .env("SECRET", TOKEN),
    )
}

/// What a caller in another language gets for each request.
fn foreign(url: &str, requests: &Value) -> Vec<Value> {
    let mut caller = Command::new(program("TOOLCRIB_PYTHON"))
        .arg(script("gateway_caller.py"))
        .arg(url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    caller.stdin.take().unwrap().write_all(requests.to_string().as_bytes()).unwrap();
    let output = caller.wait_with_output().unwrap();
    assert!(output.status.success(), "the caller failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A request of the MCP tool, with the token.
fn echo(way: &str, text: &str) -> Value {
    json!({"way": way, "service": "mcp-tool", "token": TOKEN, "body": {"name": "server-echo", "parameters": {"text": text}}})
}

fn with(mut request: Value, name: &str, value: impl Into<Value>) -> Value {
    request[name] = value.into();
    request
}

#[test]
fn callers_of_another_language_are_answered_as_by_the_real_gateway() {
    let place = place("http", "http");
    let mut serving = serving(&place, &["--stub", "stub.yaml", "know"]);
    let said = [(); 3].map(|()| serving.line());
    assert!(
        said[0].contains("rule \"other\" of \"echo\": over HTTP an answer has no id"),
        "{said:?}"
    );
    assert!(
        said[1].contains(
            "\"tell\" is left out: TrustGraph's gateway has no endpoint for tool services"
        ),
        "{said:?}"
    );
    assert_eq!(said[2], "answering /api/v1/flow/default/service/mcp-tool for echo");
    let url = serving.address();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let prompt = json!({"service": "prompt", "token": TOKEN, "body": {"id": "agent-ask", "variables": {"topic": "llamas"}}});
    let question = json!({"service": "graph-rag", "token": TOKEN, "body": {"query": "What are the top complaints?", "collection": "customers"}});
    let came = foreign(
        &url,
        &json!([
            echo("post", "count"),
            echo("events", "count"),
            echo("socket", "count"),
            with(prompt.clone(), "way", "post"),
            with(prompt, "way", "socket"),
            with(question, "way", "post"),
            echo("post", "object"),
            echo("post", "lost"),
            echo("socket", "lost"),
            echo("post", "the oven"),
            echo("events", "the oven"),
            echo("socket", "the oven"),
            echo("post", "odd"),
        ]),
    );
    let messages = |row: usize| came[row]["messages"].clone();
    assert_eq!(messages(0), json!([{"text": "one two three"}]));
    let event = |text: &str, last: bool| json!({"text": text, "end_of_stream": last});
    assert_eq!(
        messages(1),
        json!([event("one ", false), event("two ", false), event("three", true)])
    );
    let frame = |response: Value, complete: bool| json!({"id": "call", "response": response, "complete": complete});
    let text = |text: &str| json!({"text": text});
    assert_eq!(
        messages(2),
        json!([frame(text("one "), false), frame(text("two "), false), frame(text("three"), true)])
    );
    assert_eq!(came[2]["status"], "auth-ok");
    let piece = |text: &str, last: bool| json!({"text": text, "object": "", "end_of_stream": last});
    assert_eq!(messages(3), json!([piece("No prob-llama", true)]));
    assert_eq!(
        messages(4),
        json!([frame(piece("No prob", false), false), frame(piece("-llama", true), true)])
    );
    assert!(messages(5)[0]["response"].as_str().unwrap().contains("late deliveries"), "{came:?}");
    assert_eq!(
        (messages(6), messages(7)),
        (json!([{"object": {"b": 1, "a": [2.5]}}]), json!([{}]))
    );
    assert_eq!(messages(8), json!([frame(json!({}), true)]));
    let error = json!({"error": {"type": "burnt", "message": "The oven is cold"}});
    assert_eq!((messages(9), &came[9]["status"]), (json!([error]), &json!(200)));
    assert_eq!(messages(10), json!([event("so far", false), error]));
    assert_eq!(messages(11), json!([frame(text("so far"), false), frame(error, true)]));
    assert_eq!(messages(12)[0]["error"]["type"], "no-rule");
    let told: Vec<String> = (0..13).map(|_| serving.line()).collect();
    assert!(
        told.iter().any(|line| line == "answered echo http-1 by \"count\": 3 chunks"),
        "{told:?}"
    );
    assert!(
        told.iter().any(|line| line == "answered ask call by \"llamas\": 2 chunks"),
        "{told:?}"
    );
    serving.interrupt();
}

#[test]
fn what_goes_wrong_is_told_or_not_told_as_by_the_real_gateway() {
    let place = place("websocket", "ws");
    let mut serving = serving(&place, &["--stub", "stub.yaml"]);
    let url = serving.address();
    assert!(url.starts_with("ws://127.0.0.1:"), "{url}");
    let short = |way: &str, text: &str| with(echo(way, text), "patience", 0.3);
    let raw = |text: &str| json!({"way": "raw", "service": "", "body": text});
    let huge = "POST /api/v1/flow/default/service/mcp-tool HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer tg_good\r\nContent-Length: 99999999\r\n\r\n";
    let mut service = echo("post", "count");
    service["service"] = "nonsense".into();
    let requests = [
        short("post", "quiet"),
        short("events", "quiet"),
        short("socket", "quiet"),
        short("post", "other"),
        echo("post", "half"),
        echo("socket", "half"),
        echo("socket", "other"),
        with(echo("post", "count"), "token", "wrong"),
        with(echo("socket", "count"), "token", "wrong"),
        echo("early", "count"),
        with(echo("post", "count"), "body", "{"),
        with(echo("post", "count"), "body", "[1]"),
        with(echo("socket", "count"), "body", "{"),
        service.clone(),
        with(service, "way", "socket"),
        with(echo("post", "count"), "flow", "f"),
        with(echo("socket", "count"), "flow", "f"),
        with(echo("post", "count"), "body", json!({"parameters": {}})),
        with(echo("post", "count"), "body", json!({"name": "nobody"})),
        with(echo("post", "count"), "body", json!({"name": "server-echo", "workspace": "w"})),
        raw("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        raw(huge),
        raw("GET /api/v1/socket HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ];
    let came = foreign(&url.replacen("ws", "http", 1), &json!(requests));
    let told = |row: usize| {
        (came[row]["status"].clone(), came[row]["messages"].clone(), came[row]["error"].clone())
    };
    for row in 0..4 {
        assert_eq!((&told(row).1, &told(row).2), (&json!([]), &json!("timeout")), "{row}");
    }
    assert!(told(4).1[0].as_str().unwrap().starts_with("{\"text\":"), "{:?}", told(4));
    assert!(told(5).1[0].as_str().unwrap().starts_with("{\"id\":\"call\""), "{:?}", told(5));
    assert_ne!(told(6).1[0]["id"], "call");
    assert_eq!(told(7), (json!(401), json!([{"error": "auth failure"}]), json!(null)));
    let barred = json!({"id": "call", "error": {"type": "auth-required", "message": "auth failure"}, "complete": true});
    assert_eq!(told(8), (json!("auth-failed"), json!([barred]), json!(null)));
    assert_eq!(told(9).1, json!([barred]));
    let plain =
        |row: usize| (came[row]["status"].clone(), came[row]["messages"][0]["error"].clone());
    assert_eq!(plain(10), (json!(400), json!("invalid json")));
    assert_eq!(plain(11), (json!(400), json!("body must be an object")));
    assert_eq!(plain(12).1, json!({"type": "error", "message": "Bad message"}));
    assert_eq!(plain(13), (json!(404), json!("unknown kind")));
    assert_eq!(plain(14).1["type"], "unknown-service");
    assert_eq!(plain(15), (json!(200), json!("Invalid flow lab/f")));
    assert_eq!(plain(16).1["message"], "Invalid flow lab/f");
    assert_eq!(plain(17), (json!(200), json!({"type": "gateway-error", "message": "'name'"})));
    assert_eq!((told(18).0, told(18).1), (json!(200), json!([{}])));
    assert_eq!(plain(19), (json!(404), json!("workspace not found")));
    for (row, line) in [(20, "HTTP/1.1 404"), (21, "HTTP/1.1 413"), (22, "HTTP/1.1 426")] {
        let answer = told(row).1[0].as_str().unwrap().to_owned();
        assert!(answer.starts_with(line) && answer.contains("{\"error\":"), "{answer}");
    }
    let said: Vec<String> = requests.iter().map(|_| serving.line()).collect();
    let is_said =
        |words: &str| assert!(said.iter().any(|line| line.contains(words)), "{words}: {said:#?}");
    is_said("by \"quiet\": 0 chunks");
    is_said("by \"other\": 0 chunks (over HTTP an answer has no id");
    is_said("refused mcp-tool call: its token is missing or wrong");
    is_said("nothing answers for {\"name\":\"nobody\"}");
    assert!(!said.concat().contains(TOKEN), "{said:?}");
    serving.interrupt();
}

/// A gateway within this process, and the connections to it.
struct InProcess {
    connections: [Connection; 2],
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

impl InProcess {
    async fn start(stub: StubService) -> Self {
        let doors =
            vec![GatewayRoute::of_path(&stub, AnswerSource::Stub(Arc::new(stub.clone()))).unwrap()];
        let free = Connection::from_address(TransportKind::Http, "gate", "http://127.0.0.1:0");
        let listening =
            OpenGateway::start(&free, Registry::default().secrets(), None, doors).await.unwrap();
        let url = listening.url();
        let socket = Connection::from_address(
            TransportKind::WebSocket,
            "socket",
            url.replacen("http", "ws", 1),
        );
        let stop = CancellationToken::new();
        let running = tokio::spawn(listening.run(None, stop.clone()));
        Self {
            connections: [Connection::from_address(TransportKind::Http, "http", url), socket],
            stop,
            running,
        }
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }
}

const PATH: &str = "/api/v1/flow/default/service/prompt";

async fn asked(registry: &Registry, connection: &Connection, topic: &str, limits: Limits) -> Heard {
    let request = Request {
        to: PATH.into(),
        reply: None,
        body: json!({"id": "any", "variables": {"topic": topic}}).to_string().into(),
        ..joke_of("joke")
    };
    call_with(registry, connection, request, limits).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_is_what_a_call_sees_of_it_on_both_ways() {
    let mut text = format!("services:\n  any:\n    request-queue: {PATH}\n    rules:\n");
    for (_, word, _) in toolcrib::model::stub::FAULTS {
        let answer = if *word == "silence" { "" } else { ", answer: [a, b], pause: 1ms" };
        text.push_str(&format!(
            "      - {{when: {{arguments: {{topic: {word}}}}}, fault: {word}{answer}}}\n"
        ));
    }
    let stub = read_stub(&Source::parse(Format::Yaml, text).unwrap()).unwrap().services.remove(0);
    let gate = InProcess::start(stub).await;
    let waits = Limits {
        first: Duration::from_millis(400),
        idle: Duration::from_millis(400),
        total: Duration::from_secs(2),
        ..limits()
    };
    for (fault, word, _) in toolcrib::model::stub::FAULTS {
        for connection in &gate.connections {
            let socket = connection.transport() == TransportKind::WebSocket;
            let (outcome, kind, text, strays) = match fault {
                Fault::Silence => (Outcome::TimedOut, "timed-out-first", "", vec![]),
                Fault::WrongId | Fault::UnknownId | Fault::NoId if !socket => {
                    (Outcome::TimedOut, "timed-out-first", "", vec![])
                }
                Fault::WrongId | Fault::UnknownId => {
                    (Outcome::TimedOut, "timed-out-first", "", vec![StrayCause::ForeignId])
                }
                Fault::NoId => (Outcome::TimedOut, "timed-out-first", "", vec![StrayCause::NoId]),
                Fault::BrokenJson if socket => {
                    (Outcome::TimedOut, "timed-out-idle", "a", vec![StrayCause::NoId])
                }
                Fault::BrokenJson => (Outcome::Lost, "not-json", "a", vec![StrayCause::Unreadable]),
                Fault::NotUtf8 if socket => (Outcome::Lost, "connection-lost", "a", vec![]),
                Fault::NotUtf8 => (Outcome::Lost, "not-utf8", "a", vec![StrayCause::Unreadable]),
                Fault::NoEnd => (Outcome::TimedOut, "timed-out-idle", "ab", vec![]),
                Fault::Endless => (Outcome::TimedOut, "timed-out-total", "", vec![]),
                Fault::Late | Fault::Twice => {
                    (Outcome::Succeeded, "", "ab", vec![StrayCause::Late])
                }
                Fault::OutOfOrder => (Outcome::Succeeded, "", "b", vec![StrayCause::Late]),
            };
            let waits = if outcome == Outcome::TimedOut { waits } else { limits() };
            // A socket of its own for each call, which ends the endless answer too.
            let heard = asked(&Registry::default(), connection, word, waits).await;
            let (ended, problem) = heard.end();
            let told = format!("{word} over {}: {:?}", connection.name, heard.0.last());
            assert_eq!(
                (
                    ended,
                    problem.map_or_else(String::new, |problem| problem.kind.to_string()).as_str()
                ),
                (outcome, kind),
                "{told}"
            );
            if *fault == Fault::Endless {
                assert!(heard.text().starts_with("ababab"), "{told}");
                continue;
            }
            assert_eq!(heard.text(), text, "{told}");
            // Of what is said a second time, the second half is told apart.
            assert_eq!(heard.strays().first(), strays.first(), "{told}");
        }
    }
    gate.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_run_at_once_and_stopping_ends_them() {
    let rules =
        "rules: [{when: {contains: wait}, fault: silence}, {answer: [a, {text: b, after: 50ms}]}]";
    let text = format!("services:\n  any:\n    request-queue: {PATH}\n    {rules}\n");
    let stub = read_stub(&Source::parse(Format::Yaml, text).unwrap()).unwrap().services.remove(0);
    let (gate, registry) = (InProcess::start(stub).await, Registry::default());
    // Over HTTP, where each call has an inbox of its own; on the socket they would share one id.
    let calls = (0..20).map(|_| asked(&registry, &gate.connections[0], "x", limits()));
    for heard in futures::future::join_all(calls).await {
        assert_eq!((heard.text().as_str(), heard.end().0), ("ab", Outcome::Succeeded));
    }
    let waiting = asked(&registry, &gate.connections[0], "wait", limits());
    let stop = gate.stop.clone();
    let stopping = async {
        tokio::task::yield_now().await;
        stop.cancel();
    };
    let (heard, ()) = tokio::join!(waiting, stopping);
    assert_eq!(heard.end().0, Outcome::Lost, "{:?}", heard.0);
    gate.end().await;
}

#[test]
fn what_a_gateway_answered_is_answered_again_by_a_gateway_of_our_own() {
    let (real, place) = (StandIn::start(), place("websocket", "ws"));
    let settings = fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    let known = settings
        .replace("connections.gate", "connections.real")
        .replace("ws://127.0.0.1:0", &real.url("ws"));
    fs::write(place.here.join("toolcrib.toml"), format!("{settings}{known}")).unwrap();
    let call = |arguments: &[&str]| {
        Ran::of(place.command(arguments).env("SECRET", TOKEN).output().unwrap())
    };
    let told = call(&["call", "stream", "--connection", "real"]);
    told.ended(0, &[]);
    assert!(told.data.contains("one two three"), "{}", told.data);
    place
        .run(&["history", "export", "--stub", "-o", "kept.yaml"])
        .ended(0, &["saved 1 rule in kept.yaml"]);
    let text = fs::read_to_string(place.here.join("kept.yaml")).unwrap();
    assert!(
        text.contains("request-queue: /api/v1/flow/default/service/mcp-tool")
            && text.contains("name: stream"),
        "{text}"
    );
    let mut serving = serving(&place, &["--stub", "kept.yaml"]);
    let socket = serving.address();
    for url in [socket.clone(), socket.replacen("ws", "http", 1)] {
        let open = settings
            .replace("ws://127.0.0.1:0", &url)
            .replace("connections.gate", "connections.again");
        let open = if url.starts_with("http") { open.replace("websocket", "http") } else { open };
        fs::write(place.here.join("toolcrib.toml"), open).unwrap();
        let again = call(&["call", "stream", "--connection", "again"]);
        again.ended(0, &[]);
        assert_eq!(again.data, told.data, "{url}");
        assert!(serving.line().contains("by \"stream\": 3 chunks"));
        // Each message as it crossed the wire: the request, and three pieces.
        let events = call(&["call", "stream", "--connection", "again", "--json"]).events();
        let crossed = events.iter().filter(|event| event["stage"] == "wire");
        let ways: Vec<&str> = crossed.filter_map(|event| event["frame"].as_str()).collect();
        assert_eq!(ways, ["out", "in", "in", "in"], "{url}: {events:#?}");
        assert!(serving.line().contains("by \"stream\": 3 chunks"));
    }
    serving.interrupt();
    // On a bus there is no such place.
    place.run(&["serve", "--stub", "kept.yaml", "--connection", "nats://127.0.0.1:1"]).ended(
        2,
        &["\"mcp-tool\" is left out", "is behind a gateway", "--connection ws://127.0.0.1:0"],
    );
}

#[test]
fn what_cannot_be_served_says_why_and_where_it_can_be() {
    let place = place("websocket", "ws");
    let serve = |arguments: &[&str]| {
        Ran::of(
            place.command(&[&["serve"], arguments].concat()).env("SECRET", TOKEN).output().unwrap(),
        )
    };
    serve(&["--connection", "wss://127.0.0.1:0", "--stub", "stub.yaml"])
        .ended(3, &["without encryption", "--listen 127.0.0.1:0"]);
    serve(&["--connection", "gate", "--listen", "192.0.2.1:9", "--stub", "stub.yaml"])
        .ended(3, &["cannot listen at 192.0.2.1:9"]);
    serve(&["--connection", "nats://127.0.0.1:1", "--listen", "127.0.0.1:0"])
        .ended(2, &["--listen is for gateways"]);
    serve(&["--connection", "gate", "echo"])
        .ended(2, &["no sample can answer for the tool \"echo\"", "--stub FILE"]);
    fs::write(place.here.join("s.yaml"), "services: {tell: {rules: [{answer: x}]}}").unwrap();
    serve(&["--connection", "gate", "--stub", "s.yaml"])
        .ended(2, &["no endpoint for tool services", "serve it on its broker"]);
    fs::write(place.here.join("s.yaml"), "services: {nobody: {rules: [{answer: x}]}}").unwrap();
    serve(&["--connection", "gate", "--stub", "s.yaml"])
        .ended(2, &["\"nobody\", which is no tool", "/api/v1/flow/default/service/mcp-tool"]);
    place.run(&["serve", "--connection", "gate", "--stub", "stub.yaml"]).ended(3, &["SECRET"]);
}

/// The configuration of the workspace is behind the gateway too, and an agent that has its tools.
#[test]
fn a_gateway_of_our_own_is_read_written_and_asked() {
    let place = Place::with(&[("tools.json", TOOLS), ("stub.yaml", STUB)]);
    let mut serving = Serving::start(&place, "ws://127.0.0.1:0", &["--stub", "stub.yaml"]);
    let mut said = Vec::new();
    let url = loop {
        match serving.line() {
            line if line.starts_with("listening at ") => break line.replace("listening at ", ""),
            line => said.push(line),
        }
    };
    assert!(
        said.iter()
            .any(|line| line == "answering /api/v1/config for the configuration of this workspace"),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|line| line
                .starts_with("answering /api/v1/flow/default/service/agent for an agent")),
        "{said:?}"
    );
    let more = r#"{"tool": {
        "first": {"type": "text-completion", "name": "first", "description": "d", "group": ["g"], "state": "next"},
        "second": {"type": "text-completion", "name": "second", "description": "d", "group": ["g"], "applicable-states": ["next"]}}}"#;
    let other = Place::with(&[("more.json", more)]);
    let run = |arguments: &[&str]| other.run(&[arguments, &["--connection", &url]].concat());
    let imported = run(&["import", "trustgraph", "--dry-run"]);
    imported.ended(0, &[]);
    assert!(
        imported.data.contains("server-echo") && imported.data.contains("teller"),
        "{}",
        imported.data
    );
    run(&["push", "trustgraph", "--yes", "--delete"])
        .ended(0, &["2 added", "deleted", "the agent should load 2 tools"]);
    run(&["push", "trustgraph", "--yes", "--delete"]).ended(0, &["everything is already there"]);
    let asked = run(&["agent", "--groups", "g", "use first, then second"]);
    asked.ended(0, &[]);
    for line in [
        "state       undefined · 1 available: first",
        "action      first {}",
        "state       next · 2 available: first, second",
        "answer      done after 2 steps",
    ] {
        assert!(asked.data.contains(line), "{line}: {}", asked.data);
    }
    run(&["agent", "--groups", "g", "second"])
        .ended(1, &["the model called \"second\", which it doesn't have", "call first first"]);
    run(&["agent", "--groups", "g", "--pattern", "plan-then-execute", "first then second"])
        .ended(1, &["which it doesn't have"]);
    run(&["agent", "--groups", "g", "what now?"]).ended(0, &[]);
    let requests = json!([
        {"way": "post", "service": "agent", "body": {"question": "first", "group": ["g"]}},
        {"way": "raw", "service": "", "body": post("{\"operation\": \"list\", \"type\": \"tool\"}")},
        {"way": "raw", "service": "", "body": post("{\"operation\": \"dance\"}")},
        {"way": "raw", "service": "", "body": post("{\"keys\": []}")},
    ]);
    let came = foreign(&url.replacen("ws", "http", 1), &requests);
    let answer = json!({"message_type": "answer", "content": "done after 1 step", "end_of_message": true, "end_of_dialog": true});
    assert_eq!(came[0]["messages"], json!([answer]), "over HTTP only the last message arrives");
    let text = |row: usize| came[row]["messages"][0].as_str().unwrap().to_owned();
    assert!(text(1).contains(r#""directory":["first","second"]"#), "{}", text(1));
    assert!(
        text(2).starts_with("HTTP/1.1 400") && text(2).contains("unknown operation"),
        "{}",
        text(2)
    );
    assert!(
        text(3).starts_with("HTTP/1.1 400") && text(3).contains("missing operation"),
        "{}",
        text(3)
    );
    serving.interrupt();
}

/// A request for the configuration, as it goes over the wire.
fn post(body: &str) -> String {
    format!(
        "POST /api/v1/config HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_stub_named_agent_answers_for_the_agent() {
    let stub = "services:\n  agent:\n    rules:\n      - answer: [{json: {message_type: thought, content: hm, end_of_message: true}}, {json: {message_type: answer, content: so, end_of_message: true}}]\n";
    let place = Place::with(&[("tools.json", TOOLS), ("stub.yaml", stub)]);
    let mut serving = Serving::start(&place, "ws://127.0.0.1:0", &["--stub", "stub.yaml"]);
    let url = serving.address();
    let asked = place.run(&["agent", "why?", "--connection", &url]);
    asked.ended(0, &[]);
    assert!(
        asked.data.contains("thought     hm") && asked.data.contains("answer      so"),
        "{}",
        asked.data
    );
    serving.interrupt();
}
