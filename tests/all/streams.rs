//! Answers over HTTP that go wrong on their way: broken events, what was compressed unasked,
//! redirects, streams that end in the middle, a status in the place of an answer.

use std::{
    fs,
    io::{BufRead, BufReader, Read as _, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    thread,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::support::{
    model_server::{HELD, ModelServer},
    place::{Place, Ran},
    terminal,
};

/// What a server answers to the body of a request.
type Answering = fn(&Value) -> Vec<u8>;

/// The address of a server that answers each request so, one on each connection.
fn server(answer: Answering) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            // One that brings no request only asked whether somebody is there.
            let Ok(stream) = stream else { break };
            thread::spawn(move || serve(stream, answer));
        }
    });
    address
}

fn serve(mut stream: TcpStream, answer: Answering) {
    let mut head = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    // Who asked may have gone.
    let _ = stream.write_all(&answer(&serde_json::from_slice(&body).unwrap_or_default()));
}

fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn events(body: impl AsRef<[u8]>) -> Vec<u8> {
    http("200 OK", "content-type: text/event-stream\r\n", body)
}

/// An event of a cluster's stream.
fn piece(text: &str, is_last: bool) -> String {
    let data = json!({"content": text, "is_last": is_last});
    let output = json!([{"name": "response", "dataAsMap": data}]);
    format!("data: {}\n\n", json!({"inference_results": [{ "output": output }]}))
}

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The token that is sent.
const TOKEN: &str = "t0ken-word9";

/// Any part of it.
const PARTS: [&str; 4] = ["t0k", "en-w", "ord9", "ken-"];

/// An answer that repeats the token, in pieces, at once, and where a long line is cut.
fn loose(piece: impl Fn(&str) -> String) -> Vec<u8> {
    let pieces = ["it is t0k", "en-word9, ", TOKEN, " and"].map(&piece);
    let [one, two, all, next] = &pieces;
    let long = "x".repeat((16 << 10) - ": t0ken".len());
    let more = piece(" more");
    events(format!(": ping\n\n{one}{two}{all}id: 3\n{next}: {long}{TOKEN}\n\nid: {TOKEN}\n{more}"))
}

/// The same as a text.
const LOOSE: &str = "it is t0ken-word9, t0ken-word9 and more";

/// What the cluster sends; the question says which.
fn cluster(asked: &Value) -> Vec<u8> {
    let (one, end) = (piece("one ", false), piece("two", true));
    let kind = "content-type: text/event-stream\r\n";
    match asked["parameters"]["question"].as_str().unwrap_or_default() {
        "cut" => events(format!("{one}data: {{\"inference_results\":[{{\"out\n\n{end}")),
        "done" => events(format!("{one}data: [DONE]\n\n")),
        "done early" => events(format!("{one}data: [DONE]\n\n{end}")),
        "bytes" => events([one.as_bytes(), b"data: bad \xff\xfe\n\n"].concat()),
        "half" => events(one),
        "fields" => events(format!(
            ": hello\n\nid: 7\nevent: piece\nretry: 9\n{one}: ping\nid: 8\n\nevent: usage\n{end}"
        )),
        "nothing" => http("200 OK", &format!("{kind}x-proxy: front\r\n"), ": wait\n\n"),
        "loose" => loose(|text| piece(text, text == " more")),
        "gzip" => {
            let headers = format!("{kind}content-encoding: gzip\r\n");
            http("200 OK", &headers, zipped(&format!("{one}{end}")))
        }
        "br" => http("200 OK", &format!("{kind}content-encoding: br\r\n"), "\u{b}"),
        "redirect" => http("307 Temporary Redirect", "location: /elsewhere\r\n", ""),
        "page" => http("500 Oh", "", "<html><body><h1>Internal Server Error</h1></body></html>"),
        _ => events(end),
    }
}

const AGENT: (&str, &str) =
    ("agents/a.json", r#"{"name": "helper", "type": "flow", "agent_id": "a1", "tools": []}"#);

fn with_cluster(files: &[(&str, &str)]) -> Place {
    let settings = format!(
        "connection = \"cluster\"\n[connections.cluster]\ntransport = \"http\"\nservers = [\"{}\"]\n",
        server(cluster)
    );
    Place::with(&[&[("toolcrib.toml", settings.as_str()), AGENT], files].concat())
}

/// Has the connection send the token.
fn send_token(place: &Place) {
    let file = place.here.join("toolcrib.toml");
    let line = "\ntoken-variable = \"CLUSTER_TOKEN\"";
    let settings =
        fs::read_to_string(&file).unwrap().replacen("\nservers", &format!("{line}\nservers"), 1);
    fs::write(file, settings).unwrap();
}

fn call(place: &Place, question: &str) -> (Option<i32>, Vec<Value>) {
    let question = format!("question={question}");
    let ran = place.run(&["call", "helper", &question, "--route", "stream", "--json"]);
    (ran.code, ran.events())
}

fn of_kind<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
fn a_broken_event_is_a_stray_and_no_part_of_the_answer() {
    let place = with_cluster(&[]);
    for (question, code, texts, stray) in [
        ("cut", 0, &["one ", "two"][..], r#"{"inference_results":[{"out"#),
        ("done", 0, &["one "][..], ""),
        ("done early", 0, &["one ", "two"][..], "[DONE]"),
        ("bytes", 1, &["one "][..], "bad "),
    ] {
        let (ended, events) = call(&place, question);
        let chunks = of_kind(&events, "chunk").into_iter();
        let found: Vec<&str> = chunks.filter_map(|chunk| chunk["text"].as_str()).collect();
        assert_eq!((ended, found), (Some(code), texts.to_vec()), "{question}: {events:#?}");
        let strays = of_kind(&events, "stray");
        assert_eq!(strays.len(), usize::from(!stray.is_empty()), "{question}: {events:#?}");
        for found in strays {
            assert!(found["body"].as_str().unwrap().starts_with(stray), "{found}");
        }
    }
    let (_, events) = call(&place, "bytes");
    assert_eq!(events.last().unwrap()["error"]["type"], "not-utf8", "{events:#?}");
}

#[test]
fn what_is_compressed_unasked_is_read_or_named() {
    let place = with_cluster(&[]);
    let (ended, events) = call(&place, "gzip");
    assert_eq!((ended, of_kind(&events, "chunk").len()), (Some(0), 2), "{events:#?}");
    let (ended, events) = call(&place, "br");
    let message = events.last().unwrap()["error"]["message"].as_str().unwrap();
    assert!(message.contains("compressed (br)"), "{message}");
    assert_eq!(ended, Some(1));
    // The headers say what it was.
    let headers = &of_kind(&events, "headers").pop().unwrap()["headers"];
    let has = |pair: Value| headers.as_array().unwrap().contains(&pair);
    assert!(has(json!(["content-encoding", "br"])) && has(json!([":status", "200"])), "{headers}");
}

#[test]
fn a_stream_without_an_event_shows_its_headers() {
    let (ended, events) = call(&with_cluster(&[]), "nothing");
    let headers = of_kind(&events, "headers").pop().unwrap()["headers"].to_string();
    assert!(headers.contains(r#"["x-proxy","front"]"#), "{headers}");
    let error = &events.last().unwrap()["error"];
    assert_eq!((ended, &error["message"]), (Some(3), &json!("the stream ended without an event")));
}

#[test]
fn a_redirect_and_a_page_are_told_as_what_they_are() {
    let place = with_cluster(&[]);
    for (question, kind, words) in [
        ("redirect", "http-307", "the server redirects to /elsewhere, which isn't followed"),
        ("page", "http-500", "HTTP 500: Internal Server Error"),
    ] {
        let (ended, events) = call(&place, question);
        let error = &events.last().unwrap()["error"];
        assert_eq!((ended, &error["type"]), (Some(1), &json!(kind)), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with(words), "{message}");
    }
}

#[test]
fn a_case_whose_stream_breaks_off_fails_and_one_without_an_answer_could_not_run() {
    let case = |question: &str| {
        format!(
            "call: helper\narguments: {{question: {question}}}\nroute: stream\nexpect: {{contains: two}}\n"
        )
    };
    let (half, nothing) = (case("half"), case("nothing"));
    let files = [("cases/half.yaml", half.as_str()), ("cases/nothing.yaml", nothing.as_str())];
    let place = with_cluster(&files);
    let ran = place.run(&["test", "half", "--format", "junit"]);
    ran.ended(1, &["1 of 1 case failed"]);
    assert!(ran.data.contains("failures=\"1\"") && ran.data.contains("<failure"), "{}", ran.data);
    place.run(&["test", "nothing"]).ended(3, &["1 of 1 case couldn't run"]);
}

#[test]
fn a_stream_is_kept_as_a_stub_with_its_pieces() {
    let place = with_cluster(&[]);
    call(&place, "done early");
    let file = place.here.join("kept.yaml");
    place.run(&["history", "export", "--stub", "-o", file.to_str().unwrap()]).ended(0, &[]);
    let kept = fs::read_to_string(file).unwrap();
    assert!(kept.contains("one ") && kept.contains("two") && !kept.contains("one two"), "{kept}");
}

/// What crossed the wire: the way that it went, and the lines.
fn wire(events: &[Value]) -> Vec<(&str, &str)> {
    let lines = |event: &&Value| event["stage"] == "wire";
    events
        .iter()
        .filter(lines)
        .filter_map(|event| Some((event["frame"].as_str()?, event["body"].as_str().unwrap_or(""))))
        .collect()
}

#[test]
fn what_crossed_the_wire_is_reported_and_kept_line_by_line() {
    let place = with_cluster(&[]);
    let (ended, events) = call(&place, "fields");
    let (one, end) = (piece("one ", false), piece("two", true));
    let (one, end) =
        (format!("id: 7\nevent: piece\nretry: 9\n{one}"), format!("event: usage\n{end}"));
    let lines = [": hello", one.trim_end(), ": ping", "id: 8", end.trim_end()];
    let expected: Vec<_> = lines.iter().map(|lines| ("in", *lines)).collect();
    assert_eq!((ended, &wire(&events)[1..]), (Some(0), &expected[..]), "{events:#?}");
    let sent = events.iter().find(|event| event["stage"] == "wire").unwrap();
    assert_eq!(
        (&sent["frame"], &sent["body"]["parameters"]["question"]),
        (&json!("out"), &json!("fields"))
    );
    // What is no event of the answer is no chunk of it, and nothing of it is printed unasked.
    assert_eq!(of_kind(&events, "chunk").len(), 2);
    let plain = place.run(&["call", "helper", "question=fields", "--route", "stream"]);
    assert!(plain.data.contains("one two") && !plain.words.contains("ping"), "{}", plain.words);
    let kept = place.run(&["history", "show", "last", "--json"]).data;
    assert!(kept.contains(": ping") && kept.contains("event: piece\\nretry: 9\\ndata: "), "{kept}");
}

fn run_with_token(place: &Place, words: &[&str]) -> Ran {
    Ran::of(place.command(words).env("CLUSTER_TOKEN", TOKEN).output().unwrap())
}

fn is_clean(text: &str) -> bool {
    !PARTS.iter().any(|part| text.contains(part))
}

#[test]
fn no_part_of_a_secret_is_in_what_crossed_the_wire() {
    for (place, words) in [
        (with_cluster(&[]), &["call", "helper", "question=loose", "--route", "stream"][..]),
        (with_proxy(), &["call", "ask_agent", "query=loose"]),
    ] {
        send_token(&place);
        let events = run_with_token(&place, &[words, &["--json"]].concat()).events();
        let lines = wire(&events);
        let all = lines.iter().map(|(_, lines)| *lines).collect::<Vec<_>>().join("\n\n");
        // What holds no part of it is there.
        for kept in [": ping", "data: (", "id: 3\ndata: {", " and", " more", "xx… (16390 bytes"] {
            assert!(all.contains(kept), "{kept}: {all}");
        }
        assert!(is_clean(&all), "{all}");
        // The answer itself is as it came.
        let ran = run_with_token(&place, words);
        assert_eq!(ran.data, LOOSE, "{}", ran.words);
        assert!(is_clean(&ran.words), "{}", ran.words);
        for words in [&["show", "last", "--json"][..], &["show", "last"], &["export"]] {
            let ran = place.run(&[&["history"], words].concat());
            assert!(ran.data.contains("wire") && is_clean(&ran.data), "{}", ran.data);
        }
    }
}

#[test]
fn no_part_of_a_secret_is_in_raw_or_printed_beside_the_answer() {
    let place = with_proxy();
    send_token(&place);
    let home = place.home.path();
    let mut screen = terminal::toolcrib::<&str>([])
        .folder(&place.here)
        .home(home)
        .variable("XDG_CONFIG_HOME", home.join("config"))
        .variable("XDG_STATE_HOME", home.join("state"))
        .variable("CLUSTER_TOKEN", TOKEN)
        .size(160, 40)
        .start();
    screen.wait_for("Connections");
    screen.press(["3"]);
    screen.wait_for("is required");
    screen.press(["enter"]);
    screen.type_text("loose");
    screen.press(["enter", "f6"]);
    screen.wait_for(LOOSE);
    screen.click_on("Raw");
    screen.wait_for(": ping");
    let shown = screen.contents();
    assert!(shown.contains("data: (") && shown.contains("and"), "{shown}");
    assert!(is_clean(&shown), "{shown}");

    let mut plain = place.command(&["--plain"]);
    let mut child = plain.env("CLUSTER_TOKEN", TOKEN).stdin(Stdio::piped()).spawn().unwrap();
    let lines = b"invoke ask_agent\nset query loose\nsend\nshow\nquit\n";
    child.stdin.take().unwrap().write_all(lines).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    // The chunks are the answer.
    let (chunks, beside): (Vec<&str>, Vec<&str>) =
        ran.data.lines().partition(|line| line.contains(" ms chunk "));
    assert!(chunks.len() >= 5 && is_clean(&beside.join("\n")), "{}", ran.data);
}

/// What a search agent sends.
fn proxy(asked: &Value) -> Vec<u8> {
    let delta = "data: {\"type\": \"delta\", \"text\": \"one \"}\n\n";
    match asked["query"].as_str().unwrap_or_default() {
        "alive" => events(format!(": ping\n\n{delta}")),
        "loose" => loose(|text| format!("data: {}\n\n", json!({"type": "delta", "text": text}))),
        "odd error" => {
            let error = json!({"error": {"type": "lost", "reason": "the model ran out of breath"}});
            events(format!("{delta}event: error\ndata: {error}\n\n"))
        }
        _ => events(format!("{delta}data: {{\"usage\": 1}}\n\ndata: ping\n\ndata: \"x\"\n\n")),
    }
}

fn with_proxy() -> Place {
    let settings = format!(
        "connection = \"proxy\"\n[connections.proxy]\nservers = \"{}\"\n[connections.proxy.search-proxy]\ncompany-id = \"1\"\n",
        server(proxy)
    );
    let tool = r#"{"name": "ask_agent", "search-proxy": "agent-search", "engine": "vertexai"}"#;
    Place::with(&[("toolcrib.toml", settings.as_str()), ("tools/ask.json", tool)])
}

#[test]
fn a_search_agents_unknown_events_are_shown_once_and_its_errors_as_they_came() {
    let place = with_proxy();
    let ran = place.run(&["call", "ask_agent", "query=odd error"]);
    ran.ended(1, &["the model ran out of breath", "\"type\":\"lost\""]);
    assert!(!ran.words.contains("not retryable"), "{}", ran.words);
    let ran = place.run(&["call", "ask_agent", "query=alive", "--json"]);
    let events = ran.events();
    let lines = wire(&events);
    assert!(
        matches!(&lines[1..], [("in", ": ping"), ("in", delta)] if delta.starts_with("data: {")),
        "{lines:?}"
    );
    let ran = place.run(&["call", "ask_agent", "query=others", "--json"]);
    let events = ran.events();
    let findings: Vec<&str> = of_kind(&events, "stage")
        .iter()
        .filter(|stage| stage["stage"] == "finding")
        .filter_map(|stage| stage["text"].as_str())
        .collect();
    assert_eq!(findings.len(), 2, "{findings:#?}");
    assert!(findings[0].contains("usage") && findings[0].contains("\"delta\""), "{findings:#?}");
    assert!(findings[1].contains("3 events of that kind in all"), "{findings:#?}");
}

/// An MCP server whose calls are answered by a status.
fn mcp(asked: &Value) -> Vec<u8> {
    let kind = "content-type: application/json\r\n";
    let result = |result: Value| {
        let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        http("200 OK", kind, reply.to_string())
    };
    match asked["method"].as_str().unwrap_or_default() {
        "initialize" => result(json!({
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "lab", "version": "1"},
        })),
        "tools/list" => {
            let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}});
            let tools = ["broken", "busy", "cut", "alive"].map(tool);
            result(json!({"tools": tools}))
        }
        "tools/call" => match asked["params"]["name"].as_str().unwrap_or_default() {
            "busy" => http("429 Too Many Requests", "retry-after: 7\r\n", "slow down"),
            "cut" => events(": wait\n\n"),
            "alive" => {
                let result = json!({"content": [{"type": "text", "text": "two"}]});
                let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
                events(format!(": wait\n\nevent: message\nid: 7\ndata: {reply}\n\n"))
            }
            _ => http("500 Oh", "", "oh no"),
        },
        "" => http("405 Method Not Allowed", "", ""),
        _ => http("202 Accepted", "", ""),
    }
}

#[test]
fn a_status_from_an_mcp_server_is_a_failed_call() {
    let settings = format!(
        "[connections.lab]\nsystem = \"mcp\"\nera = \"legacy\"\ntransport = \"http\"\nservers = \"{}/mcp\"\n",
        server(mcp)
    );
    let place = Place::with(&[("toolcrib.toml", settings.as_str())]);
    for (tool, code, kind, words) in [
        ("broken", 1, "http-500", "HTTP 500: oh no"),
        ("busy", 1, "http-429", "HTTP 429: slow down; retry-after: 7"),
        ("cut", 3, "connection-lost", "the stream ended without an answer"),
    ] {
        let ran = place.run(&["call", "--connection", "lab", tool, "--json"]);
        let events = ran.events();
        let error = &events.last().unwrap_or_else(|| panic!("{}", ran.words))["error"];
        assert_eq!((ran.code, &error["type"]), (Some(code), &json!(kind)), "{}", ran.words);
        assert_eq!(error["message"], words);
    }
    assert!(place.run(&["history", "--find", "is:failed"]).data.contains("busy"));
    // The frames are there besides.
    let ran = place.run(&["call", "--connection", "lab", "alive", "--json"]);
    let events = ran.events();
    assert_eq!(wire(&events), [("in", ": wait"), ("in", "id: 7")], "{events:#?}");
}

/// The lines of the wire that follow each chunk don't keep it back.
#[test]
fn a_chunk_is_printed_before_the_next_one_comes() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let first = r#"data: {"type": "delta", "text": "Hello"}"#;
    let last = r#"data: {"type": "done", "response": {"answer": "Hello"}}"#;
    let server = ModelServer::start(vec![format!("{head}{first}\n\n{HELD}{last}\n\n")]);
    let settings = format!(
        "connection = \"proxy\"\n[connections.proxy]\nservers = \"{}\"\n\
         [connections.proxy.search-proxy]\ncompany-id = \"1\"\nuser-id = \"2\"\nchat-id = \"c\"\n",
        server.url
    );
    let tool = "name: ask\ndescription: Asks an agent.\nsearch-proxy: agent-search\nengine: vertexai\nconfiguration: {}\n";
    let place = Place::with(&[("toolcrib.toml", &settings), ("ask.yaml", tool)]);
    let mut call = place.command(&["call", "ask", "query=hi"]).spawn().unwrap();
    let mut said = [0; 5];
    call.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    // If it was kept back until the call gave up, nobody reads the rest any more.
    server.go_on();
    assert_eq!(&said, b"Hello");
    assert_eq!(call.wait().unwrap().code(), Some(0));
}
