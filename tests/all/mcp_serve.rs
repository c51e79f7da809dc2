//! `toolcrib serve --mcp`: clients of both eras over stdio and HTTP, groups and states, what a call
//! comes to, and that it is kept.

use std::{
    env,
    io::{BufRead, BufReader, Lines, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    place::{Place, Ran},
    serving::Serving,
};

const TOOLS: &str = r#"
tool:
  ask:
    type: knowledge-query
    name: "Ask the Graph"
    description: "Asks"
    group: [read]
    state: asked
    available_in_states: [undefined]
  write:
    type: text-completion
    name: write
    description: "Writes"
    group: [read]
    available_in_states: [asked]
  admin:
    type: text-completion
    name: admin
    description: "Administers"
    group: [admin]
"#;

const STUB: &str = "
stub: answers
services:
  ask:
    rules:
      - when: {contains: badly}
        error: {type: burnt, message: The oven is cold}
      - when: {contains: endlessly}
        answer: [on]
        pause: 20ms
        fault: endless
      - when: {contains: silently}
        answer: half
        fault: no-end
      - when: {contains: brokenly}
        answer: half
        fault: broken-json
      - answer: [one, \" and \", two]
  write: {rules: [{answer: written}]}
  lonely: {rules: [{answer: alone}]}
";

pub(super) fn place() -> Place {
    let settings = "name = \"lab\"\n[context]\ngroups = [\"read\"]\n";
    Place::with(&[("toolcrib.toml", settings), ("tools.yaml", TOOLS), ("stub.yaml", STUB)])
}

/// A client on the pipes of the server that it started.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    is_modern: bool,
    /// What requests of the modern era declare.
    pub(super) capabilities: Value,
}

impl Client {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        Self::of(&mut place.command(&[&["serve", "--mcp"], arguments].concat()))
    }

    /// One that is made ready to run.
    fn of(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let (input, capabilities) = (child.stdin.take(), json!({}));
        Self { input, child, output, is_modern: false, capabilities }
    }

    /// One that has begun as the legacy era has it.
    pub(super) fn legacy(place: &Place, arguments: &[&str]) -> Self {
        Self::start(place, arguments).begin("2025-06-18")
    }

    /// The same in a version of that era.
    pub(super) fn of_version(place: &Place, arguments: &[&str], version: &str) -> Self {
        Self::start(place, arguments).begin(version)
    }

    fn begin(mut self, version: &str) -> Self {
        let client = &mut self;
        let about = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let opened = client.ask("initialize", about);
        assert_eq!(opened["result"]["protocolVersion"], version, "{opened}");
        client.tell("notifications/initialized", json!({}));
        self
    }

    pub(super) fn modern(place: &Place, arguments: &[&str]) -> Self {
        let mut client = Self::start(place, arguments);
        client.is_modern = true;
        client
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        message["params"] = params;
        self.write(&message.to_string());
    }

    pub(super) fn send(&mut self, id: i64, method: &str, mut params: Value) {
        if self.is_modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&request.to_string());
    }

    pub(super) fn next(&mut self) -> Value {
        let line = self.output.next().expect("it said no more").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next messages, up to the one that this holds for.
    fn until(&mut self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut heard = Vec::new();
        while heard.last().is_none_or(|last| !is_last(last)) {
            heard.push(self.next());
        }
        heard
    }

    /// The answer to a request, without what comes before it.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(1, method, params);
        self.until(|message| message["id"] == 1).pop().unwrap()
    }

    pub(super) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let mut params = json!({"name": name});
        params["arguments"] = arguments;
        self.ask("tools/call", params)
    }

    pub(super) fn names(&mut self) -> Vec<String> {
        names(&self.ask("tools/list", json!({})))
    }

    /// Closes its end; how the server ended, and what it still said.
    pub(super) fn close(mut self) -> (Option<i32>, Vec<String>) {
        self.input = None;
        let rest = self.output.by_ref().map_while(Result::ok).collect();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

pub(super) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// The tools and outcomes of the calls that were kept, in the order of their names.
pub(super) fn kept(place: &Place) -> Vec<(String, String)> {
    let word = |call: &Value, name: &str| call[name].as_str().unwrap_or_default().to_owned();
    let calls = place.json(&["history", "--json"]);
    let calls = calls.as_array().unwrap().iter();
    let mut kept: Vec<_> = calls.map(|call| (word(call, "tool"), word(call, "outcome"))).collect();
    kept.sort();
    kept
}

pub(super) fn pair(tool: &str, outcome: &str) -> (String, String) {
    (tool.to_owned(), outcome.to_owned())
}

#[test]
fn a_state_that_moves_is_another_list_and_is_told() {
    let place = place();
    let mut client = Client::legacy(&place, &["--stub", "stub.yaml"]);
    let listed = client.ask("tools/list", json!({}));
    assert_eq!(names(&listed), ["Ask_the_Graph", "lonely"]);
    let first = &listed["result"]["tools"][0];
    assert_eq!(
        (&first["title"], &first["_meta"]["toolcrib/key"], &first["inputSchema"]["type"]),
        (&json!("Ask the Graph"), &json!("ask"), &json!("object"))
    );
    // What is hidden says why, and is no error of the protocol.
    let hidden = client.call("write", json!({"question": "x"}));
    assert_eq!(hidden["result"]["isError"], true, "{hidden}");
    assert!(text(&hidden).contains("available in asked, not in undefined"), "{hidden}");

    client.send(2, "tools/call", json!({"name": "Ask_the_Graph", "arguments": {"question": "x"}}));
    let (mut changed, mut answered) = (false, None);
    while !changed || answered.is_none() {
        let message = client.next();
        changed |= message["method"] == "notifications/tools/list_changed";
        answered = answered.or((message["id"] == 2).then_some(message));
    }
    assert_eq!(text(&answered.unwrap()), "one and two");
    assert_eq!(client.names(), ["write", "lonely"]);
    assert_eq!(text(&client.call("write", json!({"question": "x"}))), "written");
    assert_eq!(text(&client.call("lonely", json!({}))), "alone");
    assert_eq!(client.close(), (Some(0), vec![]));
    let succeeded = ["Ask the Graph", "lonely", "write"].map(|tool| pair(tool, "succeeded"));
    assert_eq!(kept(&place), succeeded);
    let listed = place.json(&["history", "--json"]);
    let over: Vec<_> = listed.as_array().unwrap().iter().map(|call| &call["connection"]).collect();
    assert_eq!(over, ["mock"; 3]);
}

#[test]
fn a_request_of_the_command_line_says_which_tools_there_are() {
    let place = place();
    let with = ["--stub", "stub.yaml", "--groups", "*", "--state", "asked", "write", "admin"];
    assert_eq!(Client::legacy(&place, &with).names(), ["write", "admin"]);
    assert_eq!(Client::modern(&place, &["--groups", "", "--no-history"]).names(), [""; 0]);
    place.run(&["serve", "--mcp", "nobody"]).ended(2, &["there is no tool \"nobody\""]);
    place.run(&["serve", "--groups", "read"]).ended(2, &["add --mcp"]);
}

#[test]
fn a_failure_says_its_whole_cause_and_moves_nothing() {
    let place = place();
    let mut client = Client::modern(&place, &["--stub", "stub.yaml"]);
    let failed = client.call("Ask_the_Graph", json!({"question": "badly"}));
    let result = &failed["result"];
    assert_eq!((&result["isError"], &result["resultType"]), (&json!(true), &json!("complete")));
    assert_eq!(text(&failed), "The oven is cold (burnt)");
    assert_eq!(result["_meta"]["toolcrib/error"]["type"], "burnt");
    assert_eq!(client.names(), ["Ask_the_Graph", "lonely"]);
    let unfit = client.call("Ask_the_Graph", json!({"question": 5}));
    assert!(text(&unfit).starts_with("/question: "), "{unfit}");
    let variable = json!({"question": "{\"a\": \"\\u007b{env.HOME}}\", \"b\": \"{{\"}"});
    let variable = client.call("Ask_the_Graph", variable);
    assert!(text(&variable).contains("can't use environment variables"), "{variable}");
    for (name, arguments) in [("nobody", json!({})), ("Ask_the_Graph", json!([]))] {
        assert_eq!(client.call(name, arguments)["error"]["code"], -32602, "{name}");
    }
    assert_eq!(kept(&place), [pair("Ask the Graph", "failed")]);
}

#[test]
fn a_stub_keeps_what_its_tool_promises_if_its_answers_do() {
    let kept = r#"{"server": "shop", "tools": [{"name": "quote", "description": "d", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true},
        "outputSchema": {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}}]}"#;
    let stub =
        |answer: &str| format!("services:\n  shop/quote:\n    rules:\n    - answer: {answer}\n");
    for (answer, keeps) in
        [("{json: {total: 3}}", true), ("{json: {sum: 3}}", false), ("three", false)]
    {
        let place = Place::with(&[
            ("toolcrib.toml", ""),
            ("mcp/shop.json", kept),
            ("stub.yaml", stub(answer).as_str()),
        ]);
        let mut client = Client::legacy(&place, &["--stub", "stub.yaml"]);
        let listed = client.ask("tools/list", json!({}))["result"]["tools"][0].clone();
        assert_eq!(listed["annotations"]["readOnlyHint"], true, "{listed}");
        assert_eq!(listed["outputSchema"].is_object(), keeps, "{listed}");
        let name = listed["name"].as_str().unwrap().to_owned();
        let result = client.call(&name, json!({}))["result"].clone();
        assert_eq!(result["structuredContent"] == json!({"total": 3}), keeps, "{result}");
    }
}

#[test]
fn what_a_stub_does_wrong_fails_the_call() {
    let place = place();
    let mut client = Client::legacy(&place, &["--stub", "stub.yaml", "--timeout", "200ms"]);
    let silent = client.call("Ask_the_Graph", json!({"question": "silently"}));
    assert_eq!((text(&silent), &silent["result"]["isError"]), ("half", &json!(true)));
    assert_eq!(silent["result"]["_meta"]["toolcrib/outcome"], "timed-out", "{silent}");
    let broken = client.call("Ask_the_Graph", json!({"question": "brokenly"}));
    assert_eq!(broken["result"]["_meta"]["toolcrib/outcome"], "lost", "{broken}");
    assert_eq!(client.names(), ["Ask_the_Graph", "lonely"]);
}

#[test]
fn what_streams_is_progress_and_what_is_cancelled_is_not_answered() {
    let place = place();
    let mut client = Client::legacy(&place, &["--stub", "stub.yaml"]);
    let stream = |token: &str, question: &str| json!({"name": "Ask_the_Graph", "arguments": {"question": question}, "_meta": {"progressToken": token}});
    client.send(2, "tools/call", stream("a", "endlessly"));
    let on = client.until(|message| message["params"]["progress"] == 3);
    let told = &on.last().unwrap()["params"];
    assert_eq!((&told["progressToken"], &told["message"]), (&json!("a"), &json!("on")));
    client.tell("notifications/cancelled", json!({"requestId": 2, "reason": "enough"}));
    // The rest of what was on its way is before the answer to what was asked after.
    client.send(3, "tools/call", stream("b", "x"));
    let rest = client.until(|message| message["id"] == 3);
    assert!(rest.iter().all(|message| message["id"] != 2), "{rest:#?}");
    let pieces: Vec<&Value> = rest
        .iter()
        .filter(|message| message["params"]["progressToken"] == "b")
        .map(|message| &message["params"]["message"])
        .collect();
    assert_eq!(pieces, ["one", " and ", "two"]);
    assert_eq!(client.close().0, Some(0));
    assert_eq!(kept(&place), ["cancelled", "succeeded"].map(|end| pair("Ask the Graph", end)));
}

#[test]
fn both_eras_are_spoken_on_the_same_pipes() {
    let place = place();
    let mut client = Client::modern(&place, &["--stub", "stub.yaml"]);
    let discovered = client.ask("server/discover", json!({}));
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"].as_array().unwrap().len(), 5, "{discovered}");
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(0), &json!("private")));
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["title"], "lab",
        "{discovered}"
    );
    client.send(7, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let acknowledged = client.next();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    client.send(8, "tools/call", json!({"name": "Ask_the_Graph", "arguments": {"question": "x"}}));
    let heard = client.until(|message| message["method"] == "notifications/tools/list_changed");
    let changed = &heard.last().unwrap()["params"];
    assert_eq!(changed["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    let (code, rest) = client.close();
    let last: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((code, &last["id"]), (Some(0), &json!(7)), "the subscription ends with a result");

    let mut client = Client::start(&place, &[]);
    for (line, code) in [
        ("{\"id\": 1", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#, -32602),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2099-01-01",
            "io.modelcontextprotocol/clientCapabilities": {}}}}"#,
            -32022,
        ),
    ] {
        client.write(&line.replace('\n', " "));
        let answer = client.next();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    client.is_modern = true;
    for (method, code) in
        [("ping", -32601), ("resources/list", -32601), ("subscriptions/listen", -32602)]
    {
        assert_eq!(client.ask(method, json!({}))["error"]["code"], code, "{method}");
    }
    let cursor = client.ask("tools/list", json!({"cursor": "elsewhere"}));
    assert_eq!(cursor["error"]["code"], -32602);
}

/// Tools of another server, which are called through this one.
#[test]
fn tools_of_another_server_are_passed_on_as_they_are() {
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/mcp_server.py");
    let python = env::var("TOOLCRIB_PYTHON").expect("eval \"$(tests/setup)\" says where Python is");
    place.run(&["mcp", "add", "test", "--", &python, script.to_str().unwrap()]).ended(0, &[]);
    place.run(&["mcp", "keep", "test"]).ended(0, &[]);
    // A client starts it anywhere.
    let mut command =
        place.command(&["serve", "--mcp", "--workspace", place.here.to_str().unwrap()]);
    let mut client = Client::of(command.current_dir(place.home.path())).begin("2025-06-18");
    let listed = client.ask("tools/list", json!({}));
    let number = &listed["result"]["tools"][3];
    assert_eq!(
        (&number["name"], &number["outputSchema"]["required"]),
        (&json!("number"), &json!(["n"]))
    );

    client.write(r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "number", "arguments": {"n": 12345678901234567890123}}}"#);
    let line = client.output.find(|line| line.as_ref().unwrap().contains("\"id\":2")).unwrap();
    assert!(line.unwrap().contains(r#""structuredContent":{"n":12345678901234567890123}"#));

    let params = json!({"name": "count", "arguments": {"to": 3}, "_meta": {"progressToken": 9}});
    client.send(3, "tools/call", params);
    let counted = client.until(|message| message["id"] == 3);
    let steps: Vec<Value> = counted
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| message["params"]["progress"].clone())
        .collect();
    assert_eq!(steps, [1, 2, 3]);
    let failed = client.call("fail", json!({}));
    assert_eq!(failed["result"]["isError"], true);
    assert!(text(&failed).contains("Error executing tool fail"), "{failed}");
    assert!(text(&failed).contains("the database is locked"), "{failed}");
}

/// A workspace whose connection leads to the server.
fn caller(how: &str) -> Place {
    let settings = format!("[connections.served]\nsystem = \"mcp\"\n{how}\n");
    Place::with(&[("toolcrib.toml", &settings)])
}

fn call(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["call", "--connection", "served", "--allow-start"], words].concat())
}

#[test]
fn our_own_client_calls_it_in_both_eras() {
    let place = place();
    let mut http = Serving::of(&mut place.command(&[
        "serve",
        "--mcp",
        "--stub",
        "stub.yaml",
        "--http",
        "127.0.0.1:0",
    ]));
    let url = http.address();
    let program = format!(
        "command = \"{}\"\nargs = [\"serve\", \"--mcp\", \"--stub\", \"stub.yaml\"]\ndir = \"{}\"",
        env!("CARGO_BIN_EXE_toolcrib"),
        place.here.display()
    );
    let served = format!("transport = \"http\"\nservers = \"{url}\"");
    for era in ["legacy", "modern"] {
        for how in [&program, &served] {
            let place = caller(&format!("{how}\nera = \"{era}\""));
            let pinged = place.run(&["mcp", "ping", "served", "--allow-start"]);
            assert!(pinged.data.contains(era), "{}\n{}", pinged.data, pinged.words);
            let alone = call(&place, &["lonely"]);
            assert_eq!((alone.code, alone.data.trim()), (Some(0), "alone"), "{}", alone.words);
            let failed = call(&place, &["Ask_the_Graph", "question=badly"]);
            failed.ended(1, &["The oven is cold (burnt)"]);
        }
    }
    http.interrupt();
}

/// A request over HTTP; the status, the headers and the whole body.
fn post(url: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String, String) {
    let mut stream = send_post(url, headers, body);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

fn send_post(url: &str, headers: &[(&str, &str)], body: &Value) -> TcpStream {
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    let own: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let is_said = |wanted: &str| headers.iter().any(|(name, _)| *name == wanted);
    let host = if is_said("Host") { String::new() } else { format!("Host: {address}\r\n") };
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\n{host}{own}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[test]
fn over_http_only_those_of_this_machine_ask_and_headers_say_what_the_body_says() {
    let place = place();
    let mut server = Serving::of(&mut place.command(&["serve", "--mcp", "--http", "127.0.0.1:0"]));
    let url = server.address();
    let list = modern("tools/list", json!({}));
    let said = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];
    let status = |more: &[(&str, &str)], body: &Value| post(&url, more, body).0;
    let with = |more: &[(&'static str, &'static str)]| [&said, more].concat();
    assert_eq!(status(&said, &list), 200);
    assert_eq!(status(&with(&[("Origin", "http://localhost:6274")]), &list), 200);
    assert_eq!(status(&with(&[("Host", "evil.example")]), &list), 421);
    assert_eq!(status(&with(&[("Origin", "https://evil.example")]), &list), 403);
    for (headers, code) in [(&said[..1], -32020), (&said[1..], -32020)] {
        let (status, _, body) = post(&url, headers, &list);
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(code)), "{body}");
    }
    let unknown = modern("prompts/list", json!({}));
    assert_eq!(status(&[said[0], ("Mcp-Method", "prompts/list")], &unknown), 404);

    // The legacy era has sessions.
    let legacy = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"protocolVersion": "2025-11-25"}});
    assert_eq!(status(&[], &legacy("tools/list")), 400);
    let (_, head, _) = post(&url, &[], &legacy("initialize"));
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    assert_eq!(status(&[("Mcp-Session-Id", session)], &legacy("tools/list")), 200);
    assert_eq!(status(&[("Mcp-Session-Id", "another")], &legacy("tools/list")), 404);
    server.interrupt();
}

#[test]
fn a_modern_call_over_http_is_cancelled_with_its_stream() {
    let place = place();
    let mut server = Serving::of(&mut place.command(&[
        "serve",
        "--mcp",
        "--stub",
        "stub.yaml",
        "--http",
        "127.0.0.1:0",
    ]));
    let url = server.address();
    let arguments = json!({"name": "Ask_the_Graph", "arguments": {"question": "endlessly"}, "_meta": {"progressToken": 1}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "Ask_the_Graph"),
    ];
    let stream = send_post(&url, &headers, &modern("tools/call", arguments));
    let mut lines = BufReader::new(stream).lines();
    assert!(lines.any(|line| line.unwrap().contains("notifications/progress")));
    drop(lines);
    while !server.line().contains("ask cancelled") {}
    assert_eq!(kept(&place), [pair("Ask the Graph", "cancelled")]);
    server.interrupt();
}

#[test]
fn ctrl_c_ends_it_with_its_calls() {
    let place = place();
    let mut client = Client::legacy(&place, &["--stub", "stub.yaml"]);
    let params = json!({"name": "Ask_the_Graph", "arguments": {"question": "endlessly"}, "_meta": {"progressToken": 1}});
    client.send(2, "tools/call", params);
    client.until(|message| message["method"] == "notifications/progress");
    let told = Command::new("kill").args(["-INT", &client.child.id().to_string()]).status();
    assert!(told.unwrap().success());
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    assert_eq!(kept(&place), [pair("Ask the Graph", "cancelled")]);
}

/// A server that takes whatever it is asked, and refuses pings.
const LENIENT: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    answers = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "lenient", "version": "1"}},
        "tools/list": {"tools": [{"name": "read", "inputSchema": {"type": "string"}}]},
        "tools/call": {"content": [{"type": "text", "text": "MCP error -32602: unknown tool"}], "isError": True},
    }
    if id is not None:
        answer = {"result": answers[method]} if method in answers else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": id, **answer}), flush=True)
"#;

/// Rules and verdicts of a report.
fn verdicts(report: &Value) -> Vec<(String, String)> {
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let rows = report.as_array().unwrap().iter();
    rows.map(|row| (word(row, "rule"), word(row, "verdict"))).collect()
}

#[test]
fn a_server_is_held_against_the_specification() {
    let place = Place::with(&[("lenient.py", LENIENT)]);
    let python = env::var("TOOLCRIB_PYTHON").expect("eval \"$(tests/setup)\" says where Python is");
    let line = ["mcp", "conformance", "--json", "--", &python, "lenient.py"];
    let ran = place.run(&line);
    ran.ended(1, &["lenient 1 speaks MCP 2025-11-25", "2 broken"]);
    let expected = [
        ("ping", "broken"),
        ("method.unknown", "kept"),
        ("stdio.output", "kept"),
        ("input.type-not-object", "broken"),
        ("tool.no-description", "warning"),
        ("list.pages", "kept"),
        ("list.cursor", "warning"),
        ("list.stable", "kept"),
        ("list.caching", "skipped"),
        ("call.unknown-tool", "warning"),
        ("call.bad-envelope", "warning"),
        ("http.host", "skipped"),
        ("http.origin", "skipped"),
    ];
    assert_eq!(verdicts(&ran.json()), expected.map(|(rule, verdict)| pair(rule, verdict)));
    let suite =
        place.run(&["mcp", "conformance", "--format", "junit", "--", &python, "lenient.py"]);
    assert!(
        suite.data.contains("tests=\"13\" failures=\"2\" errors=\"0\" skipped=\"3\""),
        "{}",
        suite.data
    );

    // One that answers no ping is asked for the rest.
    let mute = LENIENT.replace("id is not None", "id is not None and method != 'ping'");
    let place = Place::with(&[("mute.py", mute.as_str())]);
    let line = ["mcp", "conformance", "--json", "--timeout", "2s", "--", &python, "mute.py"];
    let ran = place.run(&line);
    ran.ended(1, &["2 broken"]);
    assert_eq!(verdicts(&ran.json()), expected.map(|(rule, verdict)| pair(rule, verdict)));
    assert!(ran.data.contains("ping was not answered within 2 s"), "{}", ran.data);

    // One that ends by what it is asked.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/mcp_server.py");
    let fragile = place.run(&["mcp", "conformance", "--", &python, script.to_str().unwrap()]);
    fragile.ended(1, &["3 broken"]);
    assert!(fragile.data.contains("broken   list.cursor"), "{}", fragile.data);
    assert!(fragile.data.contains("ValueError"), "{}", fragile.data);
}

#[test]
fn our_own_server_keeps_what_it_asks_of_others() {
    let place = place();
    let mut server = Serving::of(&mut place.command(&["serve", "--mcp", "--http", "127.0.0.1:0"]));
    let url = server.address();
    for era in ["legacy", "modern"] {
        let caller = caller(&format!("transport = \"http\"\nservers = \"{url}\"\nera = \"{era}\""));
        let report = caller.run(&["mcp", "conformance", "served", "--json"]);
        report.ended(0, &["0 broken, 0 warnings"]);
        let skipped =
            verdicts(&report.json()).into_iter().filter(|(_, verdict)| verdict == "skipped");
        let skipped: Vec<String> = skipped.map(|(rule, _)| rule).collect();
        assert_eq!(skipped, [if era == "legacy" { "list.caching" } else { "ping" }]);
    }
    server.interrupt();
}
