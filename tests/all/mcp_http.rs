//! MCP over HTTP against a server that does what the protocol allows: sessions, the GET stream,
//! streams that break, redirects, both eras, and the transport of 2024-11-05.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};
use toolcrib::{systems::settings::parse_settings, wire::registry::Registry};

use crate::{
    plain,
    support::{
        place::{Place, Ran},
        services::{program, script},
        signals,
        started::first_line,
    },
};

/// A server, and a workspace with a connection to it; stopped on drop.
struct HttpServer {
    child: Child,
    port: u16,
    log: PathBuf,
    place: Place,
}

impl HttpServer {
    fn start(how: &str) -> Self {
        Self::with_settings(how, "")
    }

    fn with_settings(how: &str, settings: &str) -> Self {
        let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
        let log = place.home.path().join("requests");
        let mut child = Command::new(program("TOOLCRIB_PYTHON"))
            .arg(script("mcp_http_server.py"))
            .arg(&log)
            .arg(how)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let line = first_line(&mut child);
        let port = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
        let path = if how == "old" { "sse" } else { "mcp" };
        let text = format!(
            "[connections.web]\nsystem = \"mcp\"\ntransport = \"http\"\nservers = \"http://127.0.0.1:{port}/{path}\"\n{settings}"
        );
        fs::write(place.here.join("toolcrib.toml"), text).unwrap();
        Self { child, port, log, place }
    }

    fn call(&self, words: &[&str]) -> Ran {
        self.place.run(&[&["call", "--connection", "web"], words].concat())
    }

    fn events(&self, words: &[&str]) -> Vec<Value> {
        self.call(&[words, &["--json"]].concat()).events()
    }

    /// All requests until now.
    fn requests(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// How many calls of tools there were.
    fn calls(&self) -> usize {
        self.requests().iter().filter(|request| request["method"] == "tools/call").count()
    }

    fn requests_of(&self, verb: &str) -> Vec<Value> {
        self.requests().into_iter().filter(|request| request["verb"] == verb).collect()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stages<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == "stage" && event["stage"] == name).collect()
}

fn header<'r>(request: &'r Value, name: &str) -> &'r Value {
    &request["headers"][name]
}

#[test]
fn a_session_is_begun_named_and_ended() {
    let server = HttpServer::start("legacy");
    server.place.run(&["mcp", "ping", "web"]).ended(0, &[]);
    let requests = server.requests();
    let posts: Vec<&Value> = requests.iter().filter(|request| request["verb"] == "POST").collect();
    let methods: Vec<&str> = posts.iter().filter_map(|post| post["method"].as_str()).collect();
    assert_eq!(
        methods,
        ["server/discover", "initialize", "notifications/initialized", "tools/list", "ping"]
    );
    assert!(
        posts.iter().all(|post| header(post, "accept") == "application/json, text/event-stream")
    );
    let session = json!("session-1");
    for post in &posts[2..] {
        assert_eq!(header(post, "mcp-session-id"), &session);
        assert_eq!(header(post, "mcp-protocol-version"), "2025-11-25");
    }
    assert_eq!(header(posts[1], "mcp-session-id"), &Value::Null);
    let ended = server.requests_of("DELETE");
    assert_eq!(ended.len(), 1);
    assert_eq!(header(&ended[0], "mcp-session-id"), &session);

    // No session stays, however many a command begins.
    server.call(&["echo", "text=hi"]).ended(0, &[]);
    let requests = server.requests();
    let begun = requests.iter().filter(|request| request["method"] == "initialize").count();
    assert_eq!(server.requests_of("DELETE").len(), begun);
}

/// A workspace may be somebody else's: neither what its settings name nor what a request names is
/// sent to another machine before the user agrees to exactly that.
#[test]
fn no_secret_goes_to_another_machine_without_permission() {
    const KEY: &str = "the-servers-own-key";
    let server = HttpServer::start("legacy");
    // An address of this machine too, but none that says so.
    let settings = |more: &str| {
        let port = server.port;
        let text = format!(
            "[connections.web]\nsystem = \"mcp\"\ntransport = \"http\"\nservers = \"http://0.0.0.0:{port}/mcp\"\n{more}"
        );
        fs::write(server.place.here.join("toolcrib.toml"), text).unwrap();
    };
    let run = |words: &[&str]| {
        let mut command = server.place.command(words);
        Ran::of(command.env("SERVER_KEY", KEY).env("OTHER", "b").output().unwrap())
    };
    let sent = || server.requests().iter().any(|request| request.to_string().contains(KEY));

    settings("headers = { X-Api-Key = \"$SERVER_KEY\" }\n");
    for words in [
        &["mcp", "ping", "web"][..],
        &["call", "echo", "text=a", "--connection", "web"],
        &["call", "echo", "text=a", "--connection", "web", "--dry-run"],
        &["mcp", "keep", "web"],
    ] {
        let refused = run(words);
        refused.ended(2, &["not allowed", "the environment variable SERVER_KEY as the header"]);
        refused.ended(2, &["http://0.0.0.0:", "`toolcrib allow web`", "--allow-secrets"]);
    }
    assert!(server.requests().is_empty());
    run(&["mcp", "ping", "web", "--allow-start"]).ended(2, &["not allowed"]);
    run(&["mcp", "ping", "web", "--allow-secrets"]).ended(0, &[]);
    assert!(sent());
    run(&["mcp", "ping", "web"]).ended(2, &["not allowed"]);

    let needed = run(&["allow", "--json"]).json();
    assert_eq!((&needed[0]["what"], &needed[0]["allowed"]), (&json!("send"), &json!(false)));
    run(&["allow", "web"]).ended(0, &["any change"]);
    run(&["mcp", "ping", "web"]).ended(0, &[]);
    assert_eq!(run(&["allow", "--json"]).json()[0]["allowed"], true);
    settings("headers = { X-Api-Key = \"$SERVER_KEY\", X-More = \"$OTHER\" }\n");
    run(&["mcp", "ping", "web"]).ended(2, &["OTHER"]);
    settings("headers = { X-Api-Key = \"$SERVER_KEY\" }\n");
    run(&["allow", "web", "--forget"]).ended(0, &[]);
    run(&["mcp", "ping", "web"]).ended(2, &["not allowed"]);

    settings("");
    let call = ["call", "echo", "text={{env.SERVER_KEY}}", "--connection", "web"];
    run(&call).ended(2, &["not allowed", "`toolcrib allow web --variable SERVER_KEY`"]);
    run(&["allow", "web"]).ended(0, &["needs no permission"]);
    run(&call).ended(2, &["not allowed"]);
    run(&["allow", "web", "--variable", "SERVER_KEY"]).ended(0, &[]);
    run(&call).ended(0, &[]);
    run(&["allow", "wed"]).ended(2, &["did you mean web?"]);

    // What one types oneself is agreed to.
    let address = format!("http://0.0.0.0:{}/mcp", server.port);
    run(&["mcp", "ping", &address, "--header", "X-Api-Key: $SERVER_KEY"]).ended(0, &[]);
    let add = ["mcp", "add", "mine", "--url", &address, "--header", "X-Api-Key: $SERVER_KEY"];
    run(&add).ended(0, &[]);
    run(&["mcp", "ping", "mine"]).ended(0, &[]);
}

/// A request that came: its method, and where its answer is to be put.
type Arrival = (String, oneshot::Sender<String>);

/// Answers the requests of one connection as the test says.
async fn serve_by_hand(mut stream: TcpStream, arrived: mpsc::UnboundedSender<Arrival>) {
    let mut held = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&held).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if stream.read_buf(&mut held).await.unwrap_or(0) == 0 {
                return;
            }
            continue;
        };
        let length = head.lines().find_map(|line| {
            line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
        });
        if body.len() < length.unwrap_or(0) {
            if stream.read_buf(&mut held).await.unwrap_or(0) == 0 {
                return;
            }
            continue;
        }
        held.clear();
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        let method = message["method"].as_str().or(head.split(' ').next()).unwrap_or_default();
        let (answer, answered) = oneshot::channel();
        if arrived.send((method.to_owned(), answer)).is_err() {
            return;
        }
        let Ok(answer) = answered.await else { return };
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

fn http_answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Whatever would be sent before an answer is given, is sent now: the method of the first of it.
async fn overtaking(arrivals: &mut mpsc::UnboundedReceiver<Arrival>) -> Option<String> {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    arrivals.try_recv().ok().map(|(method, _)| method)
}

#[tokio::test]
async fn nothing_overtakes_the_message_that_the_session_is_open_or_the_stream_of_what_is_unasked() {
    for begun in [
        http_answer("405 Method Not Allowed", ""),
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".to_owned(),
    ] {
        open_by_hand(&begun).await;
    }
}

/// Opens a session with a server whose answer to GET is this.
async fn open_by_hand(begun: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = format!(
        "[connections.web]\nsystem = \"mcp\"\nera = \"legacy\"\ntransport = \"http\"\nservers = \"http://{}/mcp\"\n",
        listener.local_addr().unwrap()
    );
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve_by_hand(stream, arrived.clone()));
        }
    });
    let settings = parse_settings(&settings).0;
    let connection = settings.connections.find_by_name("web").unwrap().clone();
    let registry = Registry::default();
    let opening = tokio::spawn(async move { registry.open_bus(&connection).await.map(drop) });
    let mut is_begun = false;
    loop {
        let (method, answer) = arrivals.recv().await.unwrap();
        let reply = match method.as_str() {
            "initialize" => http_answer(
                "200 OK",
                r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
            ),
            "notifications/initialized" => {
                assert_eq!(overtaking(&mut arrivals).await, None);
                http_answer("202 Accepted", "")
            }
            "GET" => {
                assert_eq!(overtaking(&mut arrivals).await, None);
                is_begun = true;
                begun.to_owned()
            }
            "tools/list" => {
                assert!(is_begun, "it came before the stream was asked for");
                answer
                    .send(http_answer(
                        "200 OK",
                        r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
                    ))
                    .unwrap();
                break;
            }
            _ => http_answer("405 Method Not Allowed", ""),
        };
        answer.send(reply).unwrap();
    }
    opening.await.unwrap().unwrap();
}

#[test]
fn the_get_stream_carries_what_the_server_asks() {
    let server = HttpServer::start("legacy");
    let asked = server.events(&["ask"]);
    assert_eq!(asked.last().unwrap()["outcome"], "succeeded", "{asked:#?}");
    assert_eq!(stages(&asked, "asked").len(), 1, "{asked:#?}");
    let stream = &server.requests_of("GET")[0];
    assert_eq!(header(stream, "accept"), "text/event-stream");
    assert_eq!(header(stream, "mcp-session-id"), "session-1");
    assert_eq!(header(stream, "mcp-protocol-version"), "2025-11-25");
}

#[test]
fn a_stream_brings_progress_and_the_answer() {
    for how in ["legacy", "modern"] {
        let server = HttpServer::start(how);
        let events = server.events(&["stream"]);
        assert_eq!(stages(&events, "progress").len(), 2, "{how}: {events:#?}");
        assert!(stages(&events, "odd").is_empty(), "{how}: {events:#?}");
        assert_eq!(events.last().unwrap()["outcome"], "succeeded", "{how}");
    }
}

#[test]
fn a_stream_that_broke_is_resumed_after_its_last_event() {
    let server = HttpServer::start("legacy");
    let events = server.events(&["breaks"]);
    assert_eq!(events.last().unwrap()["outcome"], "succeeded", "{events:#?}");
    assert!(events.iter().any(|event| event["event"] == "chunk" && event["text"] == "resumed"));
    assert_eq!(stages(&events, "progress").len(), 1, "{events:#?}");
    let gets = server.requests_of("GET");
    let resumed: Vec<&Value> =
        gets.iter().filter(|get| !header(get, "last-event-id").is_null()).collect();
    assert_eq!(resumed.len(), 1, "{gets:?}");
    assert_eq!(header(resumed[0], "last-event-id"), "1");
}

#[test]
fn what_a_stream_without_ids_had_to_say_is_lost() {
    // In the modern era an id changes nothing: there is nothing to ask.
    for how in ["legacy", "modern"] {
        let server = HttpServer::start(how);
        server.call(&["ends"]).ended(3, &["the stream ended without an answer"]);
        let resumed = server.requests_of("GET");
        assert!(resumed.iter().all(|get| header(get, "last-event-id").is_null()), "{how}");
    }
}

#[test]
fn a_call_that_a_forgotten_session_refused_is_sent_again_in_another() {
    for how in ["forgets", "forgets-json", "forgets-400"] {
        let server = HttpServer::start(how);
        let ran = server.call(&["echo", "text=a"]);
        ran.ended(0, &["the server no longer knew the session; opened another"]);
        assert_eq!(ran.data, "a", "{how}");
        let posts = server.requests_of("POST");
        let sessions: Vec<&Value> = posts
            .iter()
            .filter(|post| post["method"] == "tools/call")
            .map(|post| header(post, "mcp-session-id"))
            .collect();
        assert!(sessions.len() == 2 && sessions[0] != sessions[1], "{how}: {sessions:?}");
    }
    // Of several at once, each is.
    let server = HttpServer::start("forgets");
    let ran = server.call(&["echo", "text=a", "--times", "6", "--jobs", "6"]);
    assert!(ran.data.starts_with("6 calls: 6 succeeded"), "{}\n{}", ran.data, ran.words);
    // One that forgets each time is asked twice only.
    let server = HttpServer::start("forgets-always");
    server.call(&["echo", "text=a"]).ended(3, &["the server no longer knows the session"]);
    assert_eq!(server.calls(), 2);
}

/// The server may have done what it had taken: it is not done twice.
#[test]
fn a_call_that_a_server_took_before_it_forgot_the_session_is_not_sent_again() {
    for tool in ["breaks", "work"] {
        let server = HttpServer::start("restarts");
        let said = ["the server no longer knows the session", "before you make it again"];
        server.call(&[tool]).ended(3, &said);
        assert_eq!(server.calls(), 1, "{tool}");
        // The next one has a session of its own.
        server.call(&["echo", "text=a"]).ended(0, &[]);
    }
    // What is left of an answer is asked for where a redirect leads, too.
    let server = HttpServer::start("moves");
    let ran = server.call(&["breaks"]);
    ran.ended(0, &[]);
    assert_eq!((ran.data.as_str(), server.calls()), ("resumed", 1));
}

#[test]
fn a_connection_says_how_long_its_calls_may_take() {
    let server = HttpServer::with_settings("legacy", "timeout = \"200ms\"\n");
    server.call(&["wait"]).ended(4, &["timeout = \"2m\" of its connection"]);
    let of_tools = "timeout = \"10m\"\ntool-timeouts = { wait = \"200ms\" }\n";
    let server_of_tools = HttpServer::with_settings("legacy", of_tools);
    server_of_tools.call(&["wait"]).ended(4, &["or in tool-timeouts of its connection"]);
    let settings = server.place.here.join("toolcrib.toml");
    let text = fs::read_to_string(&settings).unwrap().replace("200ms", "soon");
    fs::write(settings, text).unwrap();
    server.place.run(&["check"]).ended(1, &[]);
}

#[test]
fn a_tool_is_called_without_a_workspace() {
    let server = HttpServer::start("legacy");
    let address = format!("http://127.0.0.1:{}/mcp", server.port);
    let place = Place::with(&[]);
    let calls = |words: &[&str]| place.run(&[&["mcp", "call"], words].concat());
    for words in [
        &["mcp", "call", "echo", "text=a=b", &address][..],
        &["mcp", "call", &format!("--connection={address}"), "echo", "text=a=b"],
        // Such an address is an MCP server's, wherever it is named.
        &["call", "echo", "text=a=b", "--connection", &address],
    ] {
        let ran = place.run(words);
        ran.ended(0, &[]);
        assert_eq!(ran.data, "a=b", "{words:?}");
    }
    calls(&["eco", &address]).ended(2, &["did you mean \"echo\"?"]);
    calls(&["echo", "txet=hi", &address]).ended(2, &["did you mean"]);
    calls(&["ends", &address]).ended(3, &["the stream ended without an answer"]);
    calls(&["echo", &address, "other"]).ended(2, &["more than one server"]);
    calls(&["echo", "text=hi"]).ended(2, &["this workspace has no MCP server"]);
    assert_eq!(fs::read_dir(&place.here).unwrap().count(), 0);
}

#[test]
fn the_address_of_a_server_is_one_on_the_screen_and_in_cases_too() {
    let server = HttpServer::start("legacy");
    let address = format!("http://127.0.0.1:{}/mcp", server.port);
    let case = format!(
        "call: echo\nconnection: {address}\narguments: {{text: hi}}\nexpect: {{contains: [hi]}}\n"
    );
    let list = r#"{"server": "own", "tools": [{"name": "echo", "description": "d", "inputSchema": {"type": "object"}}]}"#;
    let files =
        [("toolcrib.toml", "name = \"lab\"\n"), ("mcp/own.json", list), ("cases/a.yaml", &*case)];
    Place::with(&files).run(&["test"]).ended(0, &[]);

    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let lines = ["show-invoke", "deployed-tools", "list", "quit"];
    let said = plain::run(&place, &["--plain", "--connection", &address], &lines);
    let deployed = format!("tools are deployed on {address}");
    assert!(said.data.contains(&deployed), "{}\n{}", said.data, said.words);
}

#[test]
fn a_redirect_is_followed_on_its_own_origin_with_method_and_body() {
    let server = HttpServer::start("moved");
    let said = server.call(&["echo", "text=there"]);
    assert_eq!((said.code, said.data.trim()), (Some(0), "there"), "{}", said.words);
    // Once it is known, nothing goes to the old place.
    let requests = server.requests();
    let count = |member: &str, word: &str| {
        requests.iter().filter(|request| request[member] == word).count()
    };
    assert_eq!(count("path", "/mcp"), count("method", "initialize"), "{requests:?}");

    let server = HttpServer::with_settings("elsewhere", "token-variable = \"WEB_TOKEN\"\n");
    let mut command = server.place.command(&["mcp", "ping", "web"]);
    let refused = Ran::of(command.env("WEB_TOKEN", "bearer-of-the-web").output().unwrap());
    refused.ended(1, &[&format!("redirects to http://localhost:{}/other", server.port)]);
    let requests = server.requests();
    assert!(requests.iter().all(|request| request["path"] == "/mcp"), "{requests:?}");
}

#[test]
fn a_call_that_is_given_up_is_told_to_the_server_in_the_way_of_its_era() {
    for (how, told) in [("legacy", "notifications/cancelled"), ("modern", "hung up")] {
        let server = HttpServer::start(how);
        let mut command = server.place.command(&["call", "--connection", "web", "wait"]);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("1 of 2")), "{how}");
        signals::send(child.id(), "INT");
        child.wait().unwrap();
        // What the server learns by the end of a connection, it learns in its own time.
        let is_told = || server.requests().iter().any(|request| request["method"] == told);
        while !is_told() {
            std::thread::yield_now();
        }
        let cancelled = server.requests();
        let count = |word: &str| cancelled.iter().filter(|post| post["method"] == word).count();
        assert_eq!(count("notifications/cancelled"), usize::from(how == "legacy"), "{how}");
    }
}

#[test]
fn arguments_go_among_the_headers_where_a_tool_wants_them_there() {
    let server = HttpServer::start("modern");
    let said = server.call(&["mirrored", "region=Zürich"]);
    assert_eq!(
        (said.code, said.data.trim()),
        (Some(0), "=?base64?WsO8cmljaA==?="),
        "{}",
        said.words
    );
    let calls = server.requests();
    let call = calls.iter().find(|post| post["method"] == "tools/call").unwrap();
    assert_eq!(header(call, "mcp-method"), "tools/call");
    assert_eq!(header(call, "mcp-name"), "mirrored");
    // One whose header cannot be is not called in this era; in the other, headers mean nothing.
    server.call(&["wrong-header", "region=a"]).ended(2, &["header.not-token"]);
    assert_eq!(server.calls(), 1);
    let legacy = HttpServer::start("legacy");
    legacy.call(&["echo", "text=a"]).ended(0, &[]);
    assert!(legacy.requests().iter().all(|post| header(post, "mcp-param-region").is_null()));
}

#[test]
fn the_transport_of_2024_11_05_is_spoken() {
    let server = HttpServer::start("old");
    let pinged = server.place.run(&["mcp", "ping", "web"]);
    assert!(pinged.data.contains("speaks MCP 2024-11-05"), "{}{}", pinged.data, pinged.words);
    let events = server.events(&["echo", "text=old"]);
    assert_eq!(events.last().unwrap()["outcome"], "succeeded", "{events:#?}");
    assert!(events.iter().any(|event| event["event"] == "chunk" && event["text"] == "old"));
    // The server says "Accepted" to each post, which is no message.
    assert!(stages(&events, "odd").is_empty(), "{events:#?}");
}

#[test]
fn a_server_that_fails_or_is_none_says_so() {
    let server = HttpServer::start("broken");
    server.place.run(&["mcp", "ping", "web"]).ended(1, &["http.server-error"]);
    let address = format!("http://127.0.0.1:{}/mcp", server.port);
    server.place.run(&["mcp", "ping", &address]).ended(1, &["http.server-error"]);
    let port = server.port;
    drop(server);
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let url = format!("http://127.0.0.1:{port}/mcp");
    place.run(&["mcp", "ping", &url]).ended(3, &["couldn't connect"]);
    place.run(&["mcp", "add", "gone", "--url", &url]).ended(0, &[]);
    place.run(&["mcp", "ping", "gone"]).ended(3, &["couldn't connect"]);
}
