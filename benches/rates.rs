//! How fast an answer streams in, on each broker, without a screen and on one; keys and memory
//! meanwhile; a call's way there and back.
//!
//! Floors: a loop that does nothing but count the same messages on the same connection, and a bare
//! request. They are measured in turns with what they are the floor of. Wants the brokers of the
//! tests:
//! `eval "$(tests/setup)"; cargo bench --bench rates [nats] [memory] [flood] [rabbitmq] [pulsar] [gateway]`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it prints what it finds, and fails where it cannot"
)]
#![expect(dead_code, reason = "the support of the tests can do more")]

use std::{
    fs,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use report::{Row, spread};
use serde_json::{Value, json};
use support::{
    certificates::Certificates,
    nats::NatsServer,
    pulsar::PulsarBroker,
    rabbitmq::{self, Rabbit},
    terminal::{binary, toolcrib},
};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use tokio_tungstenite::{accept_async, client_async, tungstenite::Message};
use toolcrib::{
    model::{
        connection::{Connection, Credentials, SecretAt},
        transport::TransportKind,
    },
    systems::trustgraph::{gateway::served, reply, request::ID},
    wire::{
        registry::Registry,
        systems::trustgraph::exchange::queue_address,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Incoming, Outgoing},
            message_queue::QueueReceiver,
        },
    },
};

#[path = "support/report.rs"]
mod report;
#[path = "../tests/all/support.rs"]
mod support;

const TURNS: usize = 5;
const MANY: usize = 200_000;
const HALF: usize = 500_000;
const MILLION: usize = 1_000_000;
const CALLS: usize = 30;
const KEYS: usize = 60;
/// So many messages a second a service on NATS sends: the server holds nobody back, so more would
/// only be lost at the slowest.
const PACE: usize = 100_000;
/// The same where nothing is to be lost, whatever else the machine does.
const SLOW: usize = 50_000;
/// Before the end of an answer that was sent faster.
const PAUSE: Duration = Duration::from_secs(5);
/// Messages sent at once.
const BLOCK: usize = 200;
/// Of the text in a piece.
const PIECE: usize = 100;
const LARGE: usize = 50 * 1024 * 1024;

/// A service's answer: so many pieces, each so long.
#[derive(Default)]
struct Answer {
    pieces: AtomicUsize,
    length: AtomicUsize,
    /// So many a second where the server holds nobody back; 0: as fast as the service can.
    pace: AtomicUsize,
    /// What the pieces are cut from, one after the other; the same words in each without it.
    prose: String,
}

impl Answer {
    fn set(&self, pieces: usize, length: usize) {
        self.pieces.store(pieces, Ordering::SeqCst);
        self.length.store(length, Ordering::SeqCst);
    }

    /// The messages, the last of which ends it.
    fn bodies(&self) -> impl Iterator<Item = Bytes> + use<> {
        let (pieces, length) =
            (self.pieces.load(Ordering::SeqCst), self.length.load(Ordering::SeqCst));
        let text = "all work and no play makes jack a dull boy\n".repeat(length / 40 + 1);
        let piece = Bytes::from(reply::chunk_body(&text[..length], false));
        let last = Bytes::from(reply::chunk_body("end", true));
        let cuts: Vec<Bytes> = self
            .prose
            .as_bytes()
            .chunks_exact(length)
            .map(|cut| reply::chunk_body(&String::from_utf8_lossy(cut), false).into())
            .collect();
        let cuts = if cuts.is_empty() { vec![piece] } else { cuts };
        (0..pieces - 1).map(move |row| cuts[row % cuts.len()].clone()).chain([last])
    }

    /// The same as the frames of a gateway's socket.
    fn frames(&self, id: &str) -> impl Iterator<Item = Message> + use<> {
        let (pieces, length) =
            (self.pieces.load(Ordering::SeqCst), self.length.load(Ordering::SeqCst));
        let text = "all work and no play makes jack a dull boy\n".repeat(length / 40 + 1);
        let frame = |text: &str, last| {
            served::response_frame(Some(id), &served::answer_chunk("mcp-tool", text, last), last)
                .to_string()
        };
        let (piece, last) =
            (Message::text(frame(&text[..length], false)), Message::text(frame("end", true)));
        std::iter::repeat_n(piece, pieces - 1).chain([last])
    }
}

/// A workspace with one tool, whose service is reached over that connection.
fn workspace(connection: &Connection) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let (kind, by) = if !connection.transport().is_bus() {
        ("mcp-tool", "mcp-tool")
    } else {
        ("tool-service", "service")
    };
    write(
        "tool.json",
        json!({"type": kind, "name": "flood", "description": "Says much", by: "flood"}).to_string(),
    );
    write(
        "service.json",
        r#"{"id": "flood", "request-queue": "request:tg:flood", "response-queue": "response:tg:flood"}"#.into(),
    );
    let credentials = match &connection.credentials {
        Credentials::Password { user, password: SecretAt::Variable(variable) } => {
            format!("user = \"{user}\"\npassword-variable = \"{variable}\"\n")
        }
        _ => String::new(),
    };
    let (word, server) = (connection.transport().as_str(), &connection.addresses()[0]);
    write(
        "toolcrib.toml",
        format!(
            "name = \"rates\"\nconnection = \"here\"\n[connections.here]\ntransport = \"{word}\"\nservers = [\"{server}\"]\n{credentials}"
        ),
    );
    folder
}

/// Answers each request on NATS at its pace.
fn serve_nats(runtime: &Runtime, url: &str, answer: &Arc<Answer>) {
    let listening = async {
        let client = async_nats::connect(url).await.unwrap();
        let requests = client.queue_subscribe("tg.request.flood", "bench".into()).await.unwrap();
        // Once this comes back, the server knows of the subscription before it.
        let mut echo = client.subscribe("ready").await.unwrap();
        client.publish("ready", Bytes::new()).await.unwrap();
        echo.next().await.unwrap();
        (client, requests)
    };
    let (client, requests) = runtime.block_on(listening);
    runtime.spawn(answer_nats(client, requests, Arc::clone(answer)));
}

async fn answer_nats(
    client: async_nats::Client,
    mut requests: async_nats::Subscriber,
    answer: Arc<Answer>,
) {
    while let Some(request) = requests.next().await {
        let headers = request.headers.unwrap();
        let (pace, pieces) =
            (answer.pace.load(Ordering::SeqCst), answer.pieces.load(Ordering::SeqCst));
        let begun = tokio::time::Instant::now();
        for (sent, body) in answer.bodies().enumerate() {
            if sent % BLOCK == 0 {
                client.flush().await.unwrap();
            }
            if sent % BLOCK == 0 && pace > 0 {
                tokio::time::sleep_until(
                    begun + Duration::from_secs_f64(sent as f64 / pace as f64),
                )
                .await;
            }
            if pace == 0 && sent + 1 == pieces {
                // Whoever lost pieces is to hear the end.
                client.flush().await.unwrap();
                tokio::time::sleep(PAUSE).await;
            }
            client.publish_with_headers("tg.response.flood", headers.clone(), body).await.unwrap();
        }
        client.flush().await.unwrap();
    }
}

/// Answers each request over a bus of ours.
async fn serve(bus: Arc<dyn Bus>, mut line: QueueReceiver, answer: Arc<Answer>) {
    let to = queue_address("response:tg:flood", bus.transport()).unwrap();
    while let Some(heard) = line.next().await {
        let Incoming::Packet(packet) = heard else { continue };
        let headers: Vec<_> = packet.headers.into_iter().filter(|(name, _)| name == ID).collect();
        for body in answer.bodies() {
            bus.send(Outgoing {
                to: to.clone(),
                reply: None,
                headers: headers.clone(),
                body,
                expires: None,
            })
            .await
            .unwrap();
        }
    }
}

/// Answers each request on a gateway's socket.
async fn serve_socket(listener: TcpListener, answer: Arc<Answer>) {
    while let Ok((stream, _)) = listener.accept().await {
        let answer = Arc::clone(&answer);
        tokio::spawn(async move {
            let mut socket = accept_async(stream).await.unwrap();
            while let Some(Ok(message)) = socket.next().await {
                let Message::Text(text) = message else { continue };
                let frame: Value = serde_json::from_str(&text).unwrap();
                if frame["type"] == "auth" {
                    socket
                        .send(Message::text(
                            r#"{"type": "auth-ok", "default_workspace": "default"}"#,
                        ))
                        .await
                        .unwrap();
                    continue;
                }
                for frame in answer.frames(frame["id"].as_str().unwrap()) {
                    // Who asked may leave before the end.
                    if socket.feed(frame).await.is_err() {
                        return;
                    }
                }
                let _ = socket.flush().await;
            }
        });
    }
}

/// Frames a second: asks, and counts until the last, on a socket without anything of ours.
async fn bare_socket(at: &str, pieces: usize) -> f64 {
    let stream = TcpStream::connect(at).await.unwrap();
    let (mut socket, _) = client_async(format!("ws://{at}/api/v1/socket"), stream).await.unwrap();
    socket.send(Message::text(r#"{"type": "auth", "token": ""}"#)).await.unwrap();
    socket.next().await.unwrap().unwrap();
    let begun = Instant::now();
    let request = json!({"id": "bare", "service": "mcp-tool", "flow": "default", "request": {"name": "flood", "parameters": {}}});
    socket.send(Message::text(request.to_string())).await.unwrap();
    let mut count = 0;
    while count < pieces {
        match socket.next().await {
            Some(Ok(Message::Text(_))) => count += 1,
            other => panic!("{other:?} after {count} of {pieces}"),
        }
    }
    count as f64 / begun.elapsed().as_secs_f64()
}

/// Messages a second: asks, and counts until the last, on a connection without anything of ours.
async fn bare_nats(url: &str, pieces: usize) -> f64 {
    let client = async_nats::connect(url).await.unwrap();
    let mut replies = client.subscribe("tg.response.flood").await.unwrap();
    client.flush().await.unwrap();
    let begun = Instant::now();
    let mut headers = async_nats::HeaderMap::new();
    headers.insert(ID, "bare");
    client.publish_with_headers("tg.request.flood", headers, "{}".into()).await.unwrap();
    let mut count = 0;
    while let Some(message) = replies.next().await {
        count += 1;
        if message.payload.ends_with(b"true}")
            || message.payload.windows(5).any(|part| part == b"\"end\"")
        {
            break;
        }
    }
    if count != pieces {
        println!("  (the bare loop lost {} of {pieces})", pieces - count);
    }
    count as f64 / begun.elapsed().as_secs_f64()
}

/// Messages a second through our own transport, without a session.
async fn bare_bus(bus: &dyn Bus, pieces: usize) -> f64 {
    let transport = bus.transport();
    let at = queue_address("response:tg:flood", transport).unwrap();
    let mut line = bus.subscribe(&at, SubscriptionShare::Each).await.unwrap();
    let to = queue_address("request:tg:flood", transport).unwrap();
    let begun = Instant::now();
    let headers = vec![(ID.to_owned(), "bare".to_owned())];
    bus.send(Outgoing { to, reply: None, headers, body: Bytes::from_static(b"{}"), expires: None })
        .await
        .unwrap();
    let mut count = 0;
    while count < pieces {
        match line.next().await {
            Some(Incoming::Packet(_)) => count += 1,
            other => panic!("{other:?} after {count} of {pieces}"),
        }
    }
    count as f64 / begun.elapsed().as_secs_f64()
}

/// Runs `toolcrib call flood` to its end; how long that took.
fn call(folder: &TempDir) -> Duration {
    let state = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let output = Command::new(binary())
        .args(["call", "flood"])
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", state.path())
        .env("SECRET", rabbitmq::PASSWORD)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let took = begun.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    took
}

/// Runs `toolcrib call flood`; how many pieces it heard, how long that took, and the most memory
/// that it held, in MB.
fn heard(folder: &TempDir) -> (usize, Duration, f64) {
    let state = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let mut child = Command::new(binary())
        .args(["call", "flood", "-v"])
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", state.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Read meanwhile: a full pipe would hold the call up for ever.
    let said = child.stderr.take().unwrap();
    let said = std::thread::spawn(move || std::io::read_to_string(said).unwrap());
    let mut most: f64 = 0.0;
    while child.try_wait().unwrap().is_none() {
        // Of one that has just ended nothing is told any more.
        most = most.max(memory(child.id(), "VmHWM").unwrap_or_default());
        std::thread::sleep(Duration::from_millis(5));
    }
    let took = begun.elapsed();
    let said = said.join().unwrap();
    let pieces =
        said.lines().find_map(|line| line.split_once(" chunk")?.0.rsplit(' ').next()?.parse().ok());
    (pieces.unwrap_or_else(|| panic!("{said}")), took, most)
}

fn rates(what: &str, ours: Vec<f64>, floor: Vec<f64>) {
    Row::new(what, "/s", spread(ours).0).with_floor(spread(floor).0).report();
}

/// A number of the process's status, in MB.
fn memory(process: u32, name: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// An answer that lost something has ended, too; its row says how long that took.
fn has_ended(screen: &str) -> bool {
    ["succeeded", "cut off"].iter().any(|end| screen.contains(end))
}

/// Shows one answer live at 200x60; how long it took, and the keys' times meanwhile.
fn shown(folder: &TempDir, watched: bool) -> (Duration, Vec<f64>, [f64; 3]) {
    let mut terminal =
        toolcrib([folder.path()]).size(200, 60).variable("SECRET", rabbitmq::PASSWORD).start();
    terminal.wait_for("flood");
    terminal.press(["3"]);
    terminal.wait_for("send");
    let begun = Instant::now();
    terminal.press(["f6"]);
    let mut keys = Vec::new();
    if watched {
        terminal.wait_for("all work");
        for _ in 0..KEYS {
            // The help comes and goes over the running answer.
            for (key, there) in [("f1", true), ("esc", false)] {
                let pressed = Instant::now();
                terminal.press([key]);
                if there {
                    terminal.wait_for("type to narrow the list");
                } else {
                    terminal.wait_gone("type to narrow the list");
                }
                keys.push(pressed.elapsed().as_secs_f64() * 1e3);
            }
            if has_ended(&terminal.contents()) {
                break;
            }
        }
    }
    terminal.wait_until("the end of the answer", |screen| has_ended(&screen.contents()));
    let took = begun.elapsed();
    let held = ["VmRSS", "RssAnon", "VmHWM"].map(|name| memory(terminal.process(), name).unwrap());
    terminal.press(["ctrl+q"]);
    terminal.wait_end();
    (took, keys, held)
}

fn nats(runtime: &Runtime) {
    let server = NatsServer::start();
    let connection = server.connection();
    let url = connection.addresses()[0].clone();
    let answer = Arc::new(Answer { pace: PACE.into(), ..Answer::default() });
    serve_nats(runtime, &url, &answer);
    let folder = workspace(&connection);

    answer.set(1, PIECE);
    runtime.block_on(bare_nats(&url, 1));
    let (mut bare, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        let begun = Instant::now();
        runtime.block_on(bare_nats(&url, 1));
        bare.push(begun.elapsed().as_secs_f64() * 1e3);
        whole.push(call(&folder).as_secs_f64() * 1e3);
    }
    let floor = spread(bare).0;
    Row::of_times("call over NATS, whole process", whole).with_floor(floor).report();

    answer.set(MANY, PIECE);
    let (mut floor, mut headless, mut live) = (Vec::new(), Vec::new(), Vec::new());
    let per_second = |took: Duration| MANY as f64 / took.as_secs_f64();
    for _ in 0..TURNS {
        floor.push(runtime.block_on(bare_nats(&url, MANY)));
        headless.push(per_second(call(&folder)));
        live.push(per_second(shown(&folder, false).0));
    }
    println!("NATS: a service sends {PACE} pieces a second; what is not lost");
    rates("NATS, `toolcrib call`, pieces", headless, floor.clone());
    rates("NATS, shown live at 200x60, pieces", live, floor);

    answer.set(MILLION, PIECE);
    answer.pace.store(SLOW, Ordering::SeqCst);
    let (took, keys, _) = shown(&folder, true);
    Row::of_times(format!("key to painted overlay while NATS streams {SLOW}/s"), keys).report();
    let what = format!("1,000,000 pieces of 100 bytes at {SLOW}/s, shown");
    Row::new(what, "s", took.as_secs_f64()).report();
}

/// English as people write it: an answer that is packed must not be one line a million times.
fn prose() -> String {
    let texts = [
        include_str!("../README.md"),
        include_str!("../CHANGELOG.md"),
        include_str!("../docs/calls.md"),
        include_str!("../docs/opensearch.md"),
        include_str!("../docs/mcp.md"),
    ];
    // What ends an answer on the screen is left out.
    let words = texts.concat().replace("succeeded", "went well").replace("cut off", "short");
    words.chars().filter(char::is_ascii).collect()
}

/// What the process holds after large answers, on a screen and without one.
fn memories(runtime: &Runtime) {
    let server = NatsServer::start();
    let connection = server.connection();
    let answer = Arc::new(Answer { pace: SLOW.into(), prose: prose(), ..Answer::default() });
    serve_nats(runtime, &connection.addresses()[0], &answer);
    let folder = workspace(&connection);
    let sizes = [
        ("one small piece", 1, PIECE),
        ("50 MB in pieces of 500 kB", LARGE / 500_000, 500_000),
        ("1,000,000 pieces of 20 bytes", MILLION, 20),
        ("1,000,000 pieces of 100 bytes", MILLION, PIECE),
        ("1,000,000 pieces of 200 bytes", MILLION, 200),
    ];
    for (what, pieces, length) in sizes {
        answer.set(pieces, length);
        let [held, own, most] = shown(&folder, false).2;
        Row::new(format!("memory shown, {what}"), "MB", held).report();
        Row::new(format!("memory shown, its own, {what}"), "MB", own).report();
        Row::new(format!("memory shown, at most, {what}"), "MB", most).report();
        Row::new(format!("memory of `call`, at most, {what}"), "MB", heard(&folder).2).report();
    }
}

/// How much of an answer is heard that a service on NATS sends as fast as it can, and at a pace.
fn flood(runtime: &Runtime) {
    let server = NatsServer::start();
    let connection = server.connection();
    let url = connection.addresses()[0].clone();
    let answer = Arc::new(Answer::default());
    serve_nats(runtime, &url, &answer);
    let folder = workspace(&connection);
    for (pieces, pace) in [(MANY, 0), (HALF, 0), (MILLION, 0), (MILLION, SLOW)] {
        answer.set(pieces, PIECE);
        answer.pace.store(pace, Ordering::SeqCst);
        // One that has a pace takes long.
        let (turns, at) =
            if pace == 0 { (TURNS, String::new()) } else { (1, format!(" at {pace}/s")) };
        if pace == 0 {
            runtime.block_on(bare_nats(&url, pieces));
        }
        let of_many: Vec<_> = (0..turns).map(|_| heard(&folder)).collect();
        let median = |of: &dyn Fn(&(usize, Duration, f64)) -> f64| {
            spread(of_many.iter().map(of).collect()).0
        };
        let lost = median(&|(heard, ..)| 100.0 * (pieces - heard) as f64 / pieces as f64);
        Row::new(format!("NATS flood of {pieces}{at}, lost"), "%", lost).report();
        let most = median(&|(_, _, most)| *most);
        Row::new(format!("NATS flood of {pieces}{at}, memory at most"), "MB", most).report();
    }
}

/// The rates over a bus of ours; the service answers over another.
fn bus(runtime: &Runtime, title: &str, connection: &Connection, pieces: usize) {
    let answer = Arc::new(Answer::default());
    answer.set(pieces, PIECE);
    let registry = || Registry::new(Arc::new(|_| Some(rabbitmq::PASSWORD.into())));
    let (ours, theirs) = (registry(), registry());
    let open = |registry: &Registry| {
        runtime.block_on(registry.open_bus(connection)).map_err(|problem| problem.message).unwrap()
    };
    let (ours, theirs) = (open(&ours), open(&theirs));
    let at = queue_address("request:tg:flood", connection.transport()).unwrap();
    let line = runtime.block_on(theirs.subscribe(&at, SubscriptionShare::OneOf("bench"))).unwrap();
    runtime.spawn(serve(theirs, line, Arc::clone(&answer)));
    let folder = workspace(connection);
    turns(title, &folder, pieces, || runtime.block_on(bare_bus(&*ours, pieces)));
}

/// The rates over a gateway's socket.
fn gateway(runtime: &Runtime, pieces: usize) {
    let answer = Arc::new(Answer::default());
    answer.set(pieces, PIECE);
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let at = listener.local_addr().unwrap().to_string();
    runtime.spawn(serve_socket(listener, answer));
    let folder = workspace(&Connection::from_address(
        TransportKind::WebSocket,
        "here",
        format!("ws://{at}"),
    ));
    turns("Gateway, WebSocket", &folder, pieces, || runtime.block_on(bare_socket(&at, pieces)));
}

/// Measures the floor, a call without a screen and one that is shown, in turns.
fn turns(title: &str, folder: &TempDir, pieces: usize, bare: impl Fn() -> f64) {
    let (mut floor, mut headless, mut live) = (Vec::new(), Vec::new(), Vec::new());
    let per_second = |took: Duration| pieces as f64 / took.as_secs_f64();
    for _ in 0..TURNS {
        floor.push(bare());
        headless.push(per_second(call(folder)));
        live.push(per_second(shown(folder, false).0));
    }
    rates(&format!("{title}, `toolcrib call`, pieces"), headless, floor.clone());
    rates(&format!("{title}, shown live at 200x60, pieces"), live, floor);
}

fn main() {
    let named: Vec<_> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if std::env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let wanted = |name: &str| named.is_empty() || named.iter().any(|asked| asked == name);
    let runtime = Runtime::new().unwrap();
    if wanted("nats") {
        nats(&runtime);
    }
    if wanted("memory") {
        memories(&runtime);
    }
    if wanted("flood") {
        flood(&runtime);
    }
    if wanted("rabbitmq") {
        let rabbit = Rabbit::start(&Certificates::make());
        bus(&runtime, "RabbitMQ", &rabbit.connection(), MANY / 10);
    }
    if wanted("pulsar") {
        let pulsar = PulsarBroker::start();
        bus(&runtime, "Pulsar", &pulsar.connection(), MANY / 10);
    }
    if wanted("gateway") {
        gateway(&runtime, MANY);
    }
}
