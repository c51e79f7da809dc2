//! That a secret which was used is in nothing that is shown or kept, whatever the other side says; and
//! that none gets into a file of the workspace.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use serde_json::json;

use crate::support::{
    place::{Place, Ran},
    serving::Serving,
};

const PASSWORD: &str = "hunter2hunter2";
/// `bob` and that password, as HTTP sends them.
const ENCODED: &str = "Ym9iOmh1bnRlcjJodW50ZXIy";
const TOKEN: &str = "plain-Word7token-zz91";

/// A request's head, and its `Authorization`.
fn read_authorization(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.trim().split_once(": ") else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => value.clone_into(&mut authorization),
            _ => {}
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    Some(authorization)
}

/// A server that says in its error, and in a header, what it was sent; its address.
fn echoing_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let Some(sent) = read_authorization(&stream) else { return };
                let bare = sent.rsplit(' ').next().unwrap_or_default();
                let words = format!("you sent {sent}, which is {bare}");
                let body = json!({"error": {"type": "x", "reason": words, "root_cause": [{"type": "x", "reason": words}]}, "status": 400});
                let body = body.to_string();
                let _ = write!(
                    stream,
                    "HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nX-Echo: {bare}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
            });
        }
    });
    url
}

fn run(place: &Place, words: &[&str]) -> Ran {
    let mut command = place.command(words);
    command.env("PASSWORD_OF_BOB", PASSWORD).env("ITS", TOKEN).env("PLAINVAL", "visiblevalue123");
    Ran::of(command.output().unwrap())
}

#[track_caller]
fn assert_hidden(ran: &Ran, secret: &str) {
    assert!(!ran.data.contains(secret), "{}", ran.data);
    assert!(!ran.words.contains(secret), "{}", ran.words);
}

#[test]
fn no_command_repeats_what_a_server_sends_back() {
    let url = echoing_server();
    let settings = |credentials: &str| {
        format!(
            "connection = \"os\"\n[connections.os]\ntransport = \"http\"\nservers = [\"{url}\"]\n{credentials}\n[connections.os.opensearch]\nretries = 0\n"
        )
    };
    let tools = "agents:\n  a: {name: a, type: flow, tools: [{type: ListIndexTool}]}\n";
    let by_password = "user = \"bob\"\npassword-variable = \"PASSWORD_OF_BOB\"";
    for (credentials, secret) in [(by_password, ENCODED), ("token-variable = \"ITS\"", TOKEN)] {
        let settings = settings(credentials);
        let place =
            Place::with(&[("toolcrib.toml", settings.as_str()), ("opensearch/a.yaml", tools)]);
        for words in [
            &["import", "opensearch"][..],
            &["lock"],
            &["discover", "--connection", "os"],
            &["tools", "--deployed"],
        ] {
            let ran = run(&place, words);
            assert!(ran.words.contains("***"), "{words:?}: {}{}", ran.data, ran.words);
            assert_hidden(&ran, secret);
        }
        let lock =
            json!({"lock": 1, "connections": {"os": {"system": "opensearch", "entries": {}}}});
        std::fs::write(place.here.join("toolcrib.lock"), lock.to_string()).unwrap();
        for format in ["human", "json", "junit", "sarif", "github"] {
            let ran = run(&place, &["drift", "--format", format]);
            assert_eq!(ran.code, Some(1), "{}", ran.words);
            assert_hidden(&ran, secret);
        }
    }
}

/// An MCP server that repeats what it is sent and the variable that it is given, as results and as
/// errors with data.
const SERVER: &str = r#"
import json, os, sys
token = os.environ.get("ITS", "none")
tools = [{"name": "echo", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}]
if len(sys.argv) > 1:
    tools[0]["description"] = "says " + token
for line in sys.stdin:
    sent = json.loads(line)
    method, of = sent.get("method"), sent.get("id")
    if of is None: continue
    answer = {"error": {"code": -32601, "message": "no"}}
    if method == "initialize":
        answer = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}}
    elif method == "tools/list":
        answer = {"result": {"tools": tools}}
    elif method == "tools/call":
        given = sent["params"]["arguments"].get("a", "")
        if given.startswith("fail"):
            answer = {"error": {"code": -32000, "message": "no " + token, "data": {"why": token}}}
        else:
            answer = {"result": {"content": [{"type": "text", "text": "got " + given + " " + token}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": of, **answer}), flush=True)
"#;

fn server_place(more: &str) -> Place {
    let python = super::mcp_live::python();
    let settings = format!(
        "connection = \"s\"\n[connections.s]\nsystem = \"mcp\"\ncommand = {python:?}\nargs = [\"server.py\"{more}]\nenv = {{ ITS = \"$ITS\" }}\n"
    );
    let place = Place::with(&[("toolcrib.toml", settings.as_str()), ("server.py", SERVER)]);
    place.run(&["mcp", "allow", "s"]).ended(0, &[]);
    place
}

#[test]
fn values_of_the_environment_are_neither_in_frames_nor_in_the_history() {
    let place = server_place("");
    let called = run(&place, &["call", "echo", "a={{env.PLAINVAL}}", "--json"]);
    called.ended(0, &[]);
    for event in called.events() {
        let is_answer = event["event"] == "chunk" || event["stage"] == "result";
        assert!(is_answer || !event.to_string().contains("visiblevalue"), "{event}");
    }
    let loud = run(&place, &["call", "echo", "a={{env.PLAINVAL}}", "-vv"]);
    loud.ended(0, &[]);
    assert!(!loud.words.contains("visiblevalue") && loud.words.contains("***"), "{}", loud.words);
    let calls = place.json(&["history", "--json"]);
    let kept = place.run(&["history", "show", calls[0]["id"].as_str().unwrap(), "--json"]);
    assert!(kept.data.contains("{{env.PLAINVAL}}"), "{}", kept.data);
    assert_hidden(&kept, "visiblevalue");
}

#[test]
fn the_data_of_an_error_has_no_secret() {
    let place = server_place("");
    for words in [&["call", "echo", "a=fail"][..], &["call", "echo", "a=fail", "-v"]] {
        let failed = run(&place, words);
        failed.ended(1, &["***"]);
        assert_hidden(&failed, TOKEN);
    }
}

#[test]
fn no_list_with_a_secret_is_saved_and_a_lock_has_none() {
    let place = server_place(", \"telling\"");
    let kept = run(&place, &["mcp", "keep", "s"]);
    kept.ended(3, &["holds a secret of the connection"]);
    assert!(!place.here.join("mcp/s.json").exists());
    run(&place, &["lock"]).ended(0, &[]);
    let lock = std::fs::read_to_string(place.here.join("toolcrib.lock")).unwrap();
    assert!(lock.contains("says ***") && !lock.contains(TOKEN), "{lock}");
    run(&place, &["drift"]).ended(0, &["s: as locked"]);
}

#[test]
fn a_test_prints_no_secret_of_an_answer() {
    let place = server_place("");
    std::fs::create_dir(place.here.join("cases")).unwrap();
    let case = "call: echo\nconnection: s\narguments: {a: x}\nexpect: {json: other}\n";
    std::fs::write(place.here.join("cases/one.yaml"), case).unwrap();
    for format in ["human", "json", "junit", "github"] {
        let ran = run(&place, &["test", "--format", format]);
        assert_eq!(ran.code, Some(1), "{}{}", ran.data, ran.words);
        assert!(ran.data.contains("got x ***"), "{}", ran.data);
        assert_hidden(&ran, TOKEN);
    }
}

#[test]
fn a_call_is_kept_without_its_secrets_and_with_all_else() {
    let place = server_place("");
    let arguments = r#"{"pin_secret": 12345678901, "password": "pässwört1", "key_token": "hun t\"er2\"", "a": "12345678901 or pässwört1", "b": "keep"}"#;
    run(&place, &["call", "echo", "--no-check", "--args", arguments]).ended(0, &[]);
    let kept = place.run(&["history", "show", "last", "--json"]);
    for secret in ["12345678901", "rt1", "hun t"] {
        assert_hidden(&kept, secret);
    }
    let read = r#""arguments":{"pin_secret":"***","password":"***","key_token":"***","a":"*** or ***","b":"keep"}"#;
    assert!(kept.data.replace(": ", ":").replace(", ", ",").contains(read), "{}", kept.data);
    // What was masked isn't asked for by a stub, all else is.
    let stub = place.run(&["history", "export", "--stub"]);
    assert!(stub.data.contains("b: keep") && stub.data.contains("got *** or ***"), "{}", stub.data);
    assert!(!stub.data.contains("pin_secret"), "{}", stub.data);
}

#[test]
fn what_would_be_sent_is_shown_as_it_is_kept() {
    let place = server_place("");
    let arguments =
        r#"{"password": "Corr3cthorse", "a": "Corr3cthorse", "key_token": 12345678901}"#;
    let line = ["call", "echo", "--no-check", "--args", arguments, "--dry-run"];
    let shown = run(&place, &line);
    shown.ended(0, &["--json prints the request whole"]);
    assert_hidden(&shown, "Corr3cthorse");
    let json: String = shown.data.split_whitespace().collect();
    assert!(json.contains(r#"{"password":"***","a":"***","key_token":"***"}"#), "{}", shown.data);
    let whole = run(&place, &[&line[..], &["--json"]].concat());
    assert!(whole.data.contains("Corr3cthorse"), "{}", whole.data);
}

#[test]
fn a_test_keeps_nothing_of_its_calls_secrets() {
    let place = server_place("");
    std::fs::create_dir(place.here.join("cases")).unwrap();
    let case = "call: echo\nconnection: s\narguments: {password: Corr3cthorse, a: Corr3cthorse}\nexpect: {contains: other}\n";
    std::fs::write(place.here.join("cases/one.yaml"), case).unwrap();
    let updated = run(&place, &["test", "--update", "--dry-run"]);
    assert!(updated.data.contains("got"), "{}{}", updated.data, updated.words);
    assert_hidden(&updated, "Corr3cthorse");
    let kept = place.run(&["history", "show", "last", "--json"]);
    assert!(kept.data.contains("cases/one.yaml failed"), "{}", kept.data);
    assert_hidden(&kept, "Corr3cthorse");
}

#[test]
fn no_secret_is_added_to_the_settings() {
    let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
    let key = "sk-proj-abcdefghij0123456789abcdefghij";
    for words in [
        &["--env", "API_KEY=InlineS3c", "--", "server"][..],
        &["--env", &format!("FOO={key}"), "--", "server"],
        &["--", "server", &format!("--token={key}")],
        &["--", "server", "--api-key", "InlineS3c"],
        &["--url", "http://h/mcp?api_key=InlineS3c"],
    ] {
        let refused = place.run(&[&["mcp", "add", "s"], words].concat());
        refused.ended(2, &["secrets don't belong in toolcrib.toml", "$VARIABLE"]);
        assert_hidden(&refused, "InlineS3c");
        assert_hidden(&refused, key);
    }
    let given = ["--env", "API_KEY=$MY_KEY", "--env", "FOO=bar", "--", "server", "--keep-alive"];
    place.run(&[&["mcp", "add", "s"], &given[..]].concat()).ended(0, &[]);
    let settings = "[connections.a]\nsystem = \"mcp\"\ncommand = \"x\"\nargs = [\"--port\", \"80\", \"--token\", \"InlineS3c\"]\n\
        [connections.b]\nservers = [\"http://h/?api_key=InlineS3c1\"]\n\
        [connections.c]\nsystem = \"mcp\"\ncommand = \"x\"\nargs = [\"--header\", \"Authorization: Bearer ${KEY}\", \"--token\", \"$KEY\", \"--credentials\", \"/run/keys.json\"]\n";
    let place = Place::with(&[("toolcrib.toml", settings)]);
    let found = place.json(&["check", "--json"]);
    let found = found.as_array().unwrap().iter().filter(|one| one["code"] == "settings.secret");
    let at: Vec<_> = found.map(|one| one["pointer"].as_str().unwrap()).collect();
    assert_eq!(at, ["/connections/a/args/3", "/connections/b/servers"]);
    // It works as it did: what looks like a secret may be none.
    place.run(&["tools"]).ended(0, &[]);
}

#[test]
fn the_key_of_an_address_is_not_repeated() {
    let place = Place::with(&[]);
    let pinged = place.run(&["mcp", "ping", "http://127.0.0.1:9/mcp?api_key=UrlPassw0rd77"]);
    pinged.ended(3, &["api_key=***"]);
    assert_hidden(&pinged, "UrlPassw0rd77");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = read_authorization(&stream);
            let _ = write!(
                stream,
                "HTTP/1.1 302 Found\r\nLocation: http://user:pw7secret@127.0.0.1:9/loop\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            );
        }
    });
    let redirected = place.run(&["mcp", "ping", &url]);
    redirected.ended(1, &["the server redirects to http://user:***@127.0.0.1:9/loop"]);
    assert_hidden(&redirected, "pw7secret");
}

#[test]
fn a_web_page_of_another_host_is_not_answered() {
    let tools = "tool:\n  joke: {type: text-completion, name: joke, description: Tells a joke}\n";
    let place = Place::with(&[("tools.yaml", tools), ("toolcrib.toml", "")]);
    let mut serving =
        Serving::of(&mut place.command(&["serve", "--connection", "ws://127.0.0.1:0"]));
    let url = serving.address();
    let host = url.split("://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let asked = |path: &str, headers: &str| {
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line.split(' ').nth(1).unwrap().to_owned()
    };
    for path in ["/api/v1/config", "/api/v1/socket"] {
        let own = format!("Host: {host}\r\n");
        let foreign = format!("{own}Origin: http://evil.example\r\n");
        assert_eq!(asked(path, &foreign), "403");
        assert_eq!(asked(path, "Host: evil.example\r\n"), "421");
        assert!(!["403", "421"].contains(&&*asked(path, &own)));
    }
}

#[test]
fn a_home_folder_below_the_current_one_is_refused() {
    let place = Place::with(&[("tools.yaml", "tool: {}\n")]);
    let mut command = place.command(&["history"]);
    command.env("HOME", "relative");
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(variable);
    }
    Ran::of(command.output().unwrap()).ended(2, &["HOME is not an absolute path"]);
    assert!(!place.here.join("relative").exists());
}
