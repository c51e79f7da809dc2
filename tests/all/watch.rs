//! `toolcrib watch` through the real binary, on a real NATS server.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    nats::NatsServer,
    services::{Responder, foreign_call},
};

/// A process that watches, in a folder of its own.
struct Watching {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

struct Ended {
    code: Option<i32>,
    data: String,
    words: String,
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
    command.args(arguments).current_dir(home).env_clear().env("HOME", home);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(home: &Path, arguments: &[&str]) -> Ended {
    let output = command(home, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), data: text(output.stdout), words: text(output.stderr) }
}

impl Watching {
    /// One that answers in JSON, and listens already.
    fn start(home: &Path, arguments: &[&str]) -> Self {
        let arguments: Vec<&str> =
            ["watch", "--json"].into_iter().chain(arguments.iter().copied()).collect();
        let mut child = command(home, &arguments).spawn().unwrap();
        let mut watching = Self { output: BufReader::new(child.stdout.take().unwrap()), child };
        let head = watching.line();
        assert_eq!((&head["event"], &head["format"]), (&json!("watch"), &json!(1)), "{head}");
        watching
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it ended: {}", self.end_words()))
    }

    fn end_words(&mut self) -> String {
        let mut words = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        words
    }

    fn interrupt(&self) {
        let sent =
            Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    fn end(mut self) -> Ended {
        let mut data = String::new();
        self.output.read_to_string(&mut data).unwrap();
        let words = self.end_words();
        Ended { code: self.child.wait().unwrap().code(), data, words }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    fn lines(&self) -> Vec<Value> {
        self.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn body(topic: &str) -> String {
    json!({"user": "bob", "config": "{\"style\": \"a riddle\"}", "arguments": json!({"topic": topic}).to_string()}).to_string()
}

fn call(server: &NatsServer, topic: &str) {
    foreign_call(&server.url(), "tg.request.joke", "tg.response.joke", &body(topic));
}

#[test]
fn so_many_messages_are_told_and_that_is_the_end() {
    let (server, home) = (NatsServer::start(), home());
    let _responder = Responder::start(&server.url(), "response");
    let watching =
        Watching::start(home.path(), &["tg.>", "--connection", &server.url(), "--count", "4"]);
    call(&server, "owls");
    let ended = watching.end();
    assert_eq!(ended.code, Some(0), "{}", ended.words);
    let of = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        (text("part"), text("subject"), text("text"), line["conversation"].as_u64())
    };
    let told: Vec<_> = ended.lines().iter().map(of).collect();
    let made = |part: &str, subject: &str, text: &str| {
        (part.to_owned(), subject.to_owned(), text.to_owned(), Some(1))
    };
    let expected = [
        made("request", "tg.request.joke", r#"{"topic":"owls"} with {"style": "a riddle"}"#),
        made("answer", "tg.response.joke", "Hello bob, "),
        made("answer", "tg.response.joke", "owls as "),
        made("answer", "tg.response.joke", "a riddle."),
    ];
    assert_eq!(told, expected);
    assert!(
        ended.lines().iter().all(|line| line["system"] == "trustgraph"
            && line["at_ms"].as_u64() > Some(1_000_000_000_000))
    );
}

#[test]
fn what_is_saved_until_ctrl_c_opens_again_with_the_same_decoding() {
    let (server, home) = (NatsServer::start(), home());
    let _responder = Responder::start(&server.url(), "error");
    let mut watching = Watching::start(
        home.path(),
        &["tg.>", "--connection", &server.url(), "--save", "all.trace"],
    );
    foreign_call(
        &server.url(),
        "tg.request.joke",
        "tg.response.joke",
        &body("password: \"hunter22\" and sk-proj-0123456789abcdef"),
    );
    let heard = [watching.line(), watching.line()];
    watching.interrupt();
    let ended = watching.end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), ""), "{}", ended.words);
    let kept = fs::read_to_string(home.path().join("all.trace")).unwrap();
    assert_eq!(kept.lines().count(), 3);
    assert!(
        !kept.contains("0123456789abcdef") && !format!("{heard:?}").contains("0123456789abcdef"),
        "{kept}"
    );

    let opened = run(home.path(), &["watch", "--open", "all.trace", "--json"]);
    assert_eq!((opened.code, &opened.lines()[1..]), (Some(0), &heard[..]), "{}", opened.words);
    assert_eq!(opened.lines()[2]["error"]["message"], "the oven is cold");
    let failed =
        run(home.path(), &["watch", "--open", "all.trace", "--filter", "is:failed oven", "--json"]);
    assert_eq!(failed.lines().len(), 3, "the whole conversation");
    let none =
        run(home.path(), &["watch", "--open", "all.trace", "--filter", "is:succeeded", "--json"]);
    assert_eq!(none.lines().len(), 1);
    // What was open at the end of the trace had waited until then.
    let mut texts: Vec<String> = kept.lines().map(str::to_owned).collect();
    let own = heard[0]["id"].as_str().unwrap();
    let at = |value: &str, at: u64| {
        let mut message: Value = serde_json::from_str(value).unwrap();
        message["at_ms"] = json!(at);
        message.to_string()
    };
    texts.insert(2, at(&texts[1], 1_000).replace(own, "waits"));
    texts.swap(1, 2);
    texts[2] = at(&texts[2], 4_000);
    texts[3] = at(&texts[3], 4_001);
    fs::write(home.path().join("open.trace"), texts.join("\n") + "\n").unwrap();
    for (filter, code, lines) in [("is:open >2s", 1, 2), ("is:open >5s", 0, 1), ("is:open", 1, 2)] {
        let options = ["watch", "--open", "open.trace", "--json", "--filter", filter];
        let opened = run(home.path(), &options);
        assert_eq!(opened.lines().len(), lines, "{filter}: {}", opened.data);
        let options = ["watch", "--open", "open.trace", "--json", "--alert", filter];
        assert_eq!(run(home.path(), &options).code, Some(code), "{filter}");
    }
    let lines = run(home.path(), &["watch", "--open", "all.trace"]);
    assert!(
        lines.data.contains("error") && lines.data.contains("the oven is cold"),
        "{}",
        lines.data
    );
    assert!(lines.words.contains("received on tg.>"), "{}", lines.words);
    // Times count from the first message of the trace, also where that one isn't shown.
    let mut texts: Vec<String> = kept.lines().map(str::to_owned).collect();
    let before = texts[1].replace("\"at_ms\":", "\"at_ms\":1000000000000,\"was\":");
    texts.insert(1, before.replace(heard[0]["id"].as_str().unwrap(), "another"));
    fs::write(home.path().join("earlier.trace"), texts.join("\n") + "\n").unwrap();
    let filtered = run(home.path(), &["watch", "--open", "earlier.trace", "--filter", "is:failed"]);
    let first = filtered.data.lines().next().unwrap_or_default();
    assert!(first.starts_with('+') && !first.contains("0.000"), "{first}");

    let again =
        run(home.path(), &["watch", "tg.>", "--connection", &server.url(), "--save", "all.trace"]);
    assert!(again.code == Some(1) && again.words.contains("another file"), "{}", again.words);
}

#[test]
fn an_alert_is_told_and_ends_it_with_one() {
    let (server, home) = (NatsServer::start(), home());
    let _responder = Responder::start(&server.url(), "error");
    let arguments = [
        "tg.>",
        "--connection",
        &server.url(),
        "--alert",
        "is:failed",
        "--filter",
        "-is:open",
        "--count",
        "1",
    ];
    let watching = Watching::start(home.path(), &arguments);
    call(&server, "owls");
    let ended = watching.end();
    assert_eq!(ended.code, Some(1), "{}", ended.words);
    let lines = ended.lines();
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["message", "alert"]);
    assert_eq!((&lines[1]["alert"], &lines[1]["conversation"]), (&json!("is:failed"), &json!(1)));
}

#[test]
fn an_alert_on_a_time_rings_on_a_busy_bus_too() {
    let (server, home) = (NatsServer::start(), home());
    let url = server.url();
    let arguments =
        ["tg.>", "--connection", &url, "--alert", "is:open >1s", "--filter", "nothing has this"];
    let mut watching = Watching::start(home.path(), &arguments);
    let mut bus = TcpStream::connect(url.strip_prefix("nats://").unwrap()).unwrap();
    bus.write_all(b"CONNECT {\"verbose\":false,\"headers\":true}\r\n").unwrap();
    let publish = |subject: &str, id: &str, body: &str| {
        let headers = format!("NATS/1.0\r\nid: {id}\r\n\r\n");
        let all = headers.len() + body.len();
        format!("HPUB {subject} {} {all}\r\n{headers}{body}\r\n", headers.len())
    };
    bus.write_all(publish("tg.request.joke", "waits", &body("owls")).as_bytes()).unwrap();
    // Others talk all the time; each message waits until the server has the one before.
    let is_over = Arc::new(AtomicBool::new(false));
    let talking = thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || {
            let mut replies = BufReader::new(bus.try_clone().unwrap());
            while !is_over.load(Ordering::Relaxed) {
                let other = publish("tg.response.joke", "other", "{}") + "PING\r\n";
                bus.write_all(other.as_bytes()).unwrap();
                let mut line = String::new();
                while line.trim() != "PONG" {
                    line.clear();
                    replies.read_line(&mut line).unwrap();
                }
            }
        }
    });
    let alert = watching.line();
    is_over.store(true, Ordering::Relaxed);
    talking.join().unwrap();
    watching.interrupt();
    assert_eq!((&alert["event"], &alert["alert"]), (&json!("alert"), &json!("is:open >1s")));
}

#[test]
fn silence_ends_in_time_and_says_whether_that_was_enough() {
    let (server, home) = (NatsServer::start(), home());
    let url = server.url();
    let all = ["tg.>", "--connection", &url, "--for", "200ms"];
    assert_eq!(Watching::start(home.path(), &all).end().code, Some(0));
    let wanting: Vec<&str> = all.into_iter().chain(["--count", "1"]).collect();
    assert_eq!(Watching::start(home.path(), &wanting).end().code, Some(4));
}

#[test]
fn what_cannot_be_watched_says_why() {
    let (server, home) = (NatsServer::start(), home());
    let url = server.url();
    fs::write(home.path().join("other.txt"), "hello\n").unwrap();
    for (arguments, code, words) in [
        (&["tg..x", "--connection", &url][..], 2, "part of it is empty"),
        (&["tg.*", "--connection", "amqp://127.0.0.1:1"], 2, "no wildcards"),
        (&["joke", "--connection", "pulsar://127.0.0.1:1"], 2, "scheme"),
        (&["tg.>", "--connection", "nats://127.0.0.1:1"], 3, "127.0.0.1:1"),
        (&["x", "--connection", "http://127.0.0.1:1"], 2, "doesn't show other traffic"),
        (&["tg.>"], 2, "no bus to watch"),
        (&["--filter", "is:broken"], 2, "is:failed"),
        (&["--alert", ""], 2, "go off all the time"),
        (&["--open", "nowhere.trace"], 2, "nowhere.trace"),
        (&["--open", "other.txt"], 2, "line 1"),
    ] {
        let ended = run(home.path(), &[&["watch"], arguments].concat());
        assert!(
            ended.code == Some(code) && ended.words.contains(words),
            "{arguments:?}: {:?} {}",
            ended.code,
            ended.words
        );
    }
}
