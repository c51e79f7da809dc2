//! Servers that want tokens: their documents shown step by step, a token got with the user and kept
//! in the key store, renewed, widened, and seen nowhere.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};

use crate::support::{
    key_store::KeyRing,
    place::{Place, Ran},
    services::{program, script},
    started::first_line,
    terminal::{self, Terminal},
};

/// A server with its authorization server, a workspace with a connection to it, and a key store.
struct Guarded {
    child: Child,
    base: String,
    log: PathBuf,
    place: Place,
    ring: KeyRing,
}

impl Guarded {
    fn start(how: &str, settings: &str) -> Self {
        let place = Place::with(&[("toolcrib.toml", "name = \"lab\"\n")]);
        let log = place.home.path().join("requests");
        let mut child = Command::new(program("TOOLCRIB_PYTHON"))
            .arg(script("mcp_auth_server.py"))
            .arg(&log)
            .arg(how)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let line = first_line(&mut child);
        let base = format!("http://127.0.0.1:{}", line.trim().rsplit(' ').next().unwrap());
        let text = format!(
            "[connections.web]\nsystem = \"mcp\"\ntransport = \"http\"\nservers = \"{base}/mcp\"\n{settings}"
        );
        fs::write(place.here.join("toolcrib.toml"), text).unwrap();
        Self { child, base, log, place, ring: KeyRing::start() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        let (name, value) = self.ring.variable();
        command.env(name, value);
        command
    }

    /// A command that finds no key store, as on a machine without a desktop.
    fn bare(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.env("XDG_RUNTIME_DIR", self.place.home.path());
        command.env_remove("DBUS_SESSION_BUS_ADDRESS");
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    fn call(&self, tool: &str) -> Ran {
        self.run(&["call", tool, "--connection", "web"])
    }

    /// Signs in as a person does, who opens the page that is printed.
    fn sign_in(&self, more: &[&str]) -> Ran {
        let arguments = [&["mcp", "auth", "web", "--sign-in"], more].concat();
        let mut child = self.command(&arguments).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut page = String::new();
        output.read_line(&mut page).unwrap();
        if !page.is_empty() {
            allow_on_page(page.trim());
        }
        let mut ran = Ran::of(child.wait_with_output().unwrap());
        ran.data = page;
        ran
    }

    fn requests_to(&self, path: &str) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|request| request["path"] == path).collect()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Opens the page, as a browser does: it allows everything, and leads back.
fn allow_on_page(page: &str) {
    let answer = get(page);
    let place = answer.lines().find_map(|line| line.strip_prefix("Location: ")).unwrap();
    get(place.trim());
}

/// What a page answers.
fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_documents_are_shown_step_by_step() {
    let server = Guarded::start("right", "");
    let told = server.run(&["mcp", "auth", "web"]);
    told.ended(0, &[]);
    let base = &server.base;
    for line in [
        format!("POST {base}/mcp: HTTP 401"),
        format!("GET {base}/.well-known/oauth-protected-resource/mcp: HTTP 200"),
        format!("  resource: {base}/mcp"),
        "  scopes_supported: read write".to_owned(),
        format!("GET {base}/.well-known/oauth-authorization-server/as: HTTP 200"),
        format!("  token_endpoint: {base}/token"),
        format!("{base}/as gives tokens: toolcrib mcp auth web --sign-in"),
    ] {
        assert!(told.data.lines().any(|known| known == line), "{line}\n{}", told.data);
    }
    // Nothing was registered or asked for.
    assert!(server.requests_to("/register").is_empty() && server.requests_to("/token").is_empty());
    server.run(&["mcp", "ping", "web"]).ended(
        3,
        &[
            "the server requires a token (401)",
            "oauth-protected-resource/mcp: HTTP \
            200",
            "--sign-in",
        ],
    );
}

#[test]
fn a_token_is_got_with_the_user_kept_used_and_forgotten() {
    let server = Guarded::start("right", "");
    server.sign_in(&[]).ended(0, &["signed in for read"]);
    let called = server.call("read");
    assert_eq!((called.code, called.data.trim()), (Some(0), "done with read"), "{}", called.words);

    let registered = &server.requests_to("/register")[0]["body"];
    assert_eq!(registered["application_type"], "native");
    let page = server.requests_to("/authorize")[0]["query"].clone();
    assert_eq!(page["code_challenge_method"], "S256");
    assert_eq!(
        (&page["resource"], &page["scope"]),
        (&json!(format!("{}/mcp", server.base)), &json!("read"))
    );
    assert_eq!(registered["redirect_uris"], json!([page["redirect_uri"]]));
    // Neither a token nor a code is written anywhere but into the key store.
    let found = Command::new("grep")
        .args(["-rlE", "secret-(token|refresh)"])
        .args([server.place.home.path().join("state"), server.place.here.clone()])
        .output()
        .unwrap();
    assert!(found.stdout.is_empty(), "{}", String::from_utf8_lossy(&found.stdout));

    server.run(&["mcp", "auth", "web"]).ended(0, &[]);
    server.run(&["mcp", "auth", "web", "--sign-out"]).ended(0, &["deleted"]);
    server.run(&["mcp", "ping", "web"]).ended(3, &["the server requires a token (401)"]);
}

/// No tokens: a key in a header of its own, from the settings, and for one command.
#[test]
fn a_server_that_wants_a_header_of_its_own_gets_it() {
    const KEY: &str = "the-servers-own-key";
    let server = Guarded::start("key", "headers = { X-Api-Key = \"$SERVER_KEY\" }\n");
    let run = |key: &str, arguments: &[&str]| {
        Ran::of(server.command(arguments).env("SERVER_KEY", key).output().unwrap())
    };
    let called = run(KEY, &["call", "read", "--connection", "web"]);
    assert_eq!((called.code, called.data.trim()), (Some(0), "done with a key"), "{}", called.words);
    let told = run(KEY, &["call", "read", "--connection", "web", "--json"]);
    let events = told.data.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let headers: Vec<Value> = events.filter(|event| event["event"] == "headers").collect();
    let [sent, came] = &headers[..] else { panic!("{}", told.data) };
    let has = |event: &Value, way: &str, header: &Value| {
        event["way"] == way && event["headers"].as_array().unwrap().contains(header)
    };
    assert!(has(sent, "out", &json!(["x-api-key", "***"])), "{sent}");
    assert!(sent["headers"].to_string().contains("mcp-protocol-version"), "{sent}");
    assert!(has(came, "in", &json!([":status", "200"])), "{came}");
    assert!(!told.data.contains(KEY), "{}", told.data);
    let rejected = run("another-key", &["mcp", "ping", "web"]);
    rejected.ended(3, &["rejects the connection's key (HTTP 401)", "check the headers"]);
    // What is asked about tokens goes with the key as well.
    let looked = run(KEY, &["mcp", "auth", "web"]);
    assert!(looked.data.contains("/mcp: HTTP 200"), "{}", looked.data);
    let examined = run(KEY, &["mcp", "conformance", "web"]);
    assert!(!examined.data.contains("asks for a token first"), "{}", examined.data);
    server.run(&["mcp", "ping", "web"]).ended(2, &["SERVER_KEY is not set"]);
    let doctor = server.run(&["doctor"]);
    assert!(doctor.data.contains("SERVER_KEY"), "{}", doctor.data);

    let address = format!("{}/mcp", server.base);
    run("", &["mcp", "ping", &address])
        .ended(3, &["key or a token (401): ", "headers for an API key"]);
    let shown = run("", &["mcp", "auth", &address]);
    assert!(shown.data.contains("/mcp: HTTP 401"), "{} {}", shown.data, shown.words);
    run("", &["mcp", "list", &address, "--header", &format!("X-Api-Key: {KEY}")]).ended(0, &[]);
    run(KEY, &["mcp", "list", &address, "--header", "x-api-key: $SERVER_KEY"]).ended(0, &[]);
    for (header, words) in [
        ("X-Api-Key", "write NAME: VALUE"),
        ("X Y: a", "can't be the name of a header"),
        ("X-A: Key $KEY", "has a variable in a longer text"),
        ("X-A: ", "has no value"),
        ("X-A: $", "names no environment variable"),
        ("Host: a", "toolcrib sets the header Host itself"),
    ] {
        run("", &["mcp", "list", &address, "--header", header]).ended(2, &[words]);
    }
    for header in [format!("X Y: {KEY}"), format!("Host: {KEY}")] {
        let refused = run("", &["mcp", "list", &address, "--header", &header]);
        assert!(refused.code == Some(2) && !refused.words.contains(KEY), "{}", refused.words);
    }

    let twice = ["--header", "X-A: a", "--header", "x-a: b"];
    run("", &[&["mcp", "list", &address][..], &twice].concat()).ended(2, &["names x-a twice"]);
    let stdio = ["mcp", "ping", "--header", "X-A: a", "--", "true"];
    run("", &stdio).ended(2, &["cannot be used with"]);

    let add = ["mcp", "add", "more", "--url", &address, "--header"];
    let refused = run("", &[&add[..], &[&format!("X-Api-Key: {KEY}")]].concat());
    refused.ended(2, &["secrets don't belong in toolcrib.toml", "'X-Api-Key: $VARIABLE'"]);
    assert!(!refused.words.contains(KEY), "{}", refused.words);
    let more = ["X-Api-Key: $SERVER_KEY", "--header", "X-Tenant: acme"];
    run("", &[&add[..], &more].concat()).ended(0, &["added connection \"more\""]);
    run(KEY, &["mcp", "list", "more"]).ended(0, &[]);
    let token =
        ["mcp", "add", "token", "--url", &address, "--header", "authorization: bearer $A_B"];
    run("", &token).ended(0, &[]);
    let written = fs::read_to_string(server.place.here.join("toolcrib.toml")).unwrap();
    assert!(written.contains("token-variable = \"A_B\"") && !written.contains(KEY), "{written}");
}

#[test]
fn a_scope_more_is_asked_for_and_none_is_lost() {
    let server = Guarded::start("right", "");
    server.sign_in(&[]).ended(0, &[]);
    let refused = server.call("write");
    refused.ended(3, &["the server wants the scope \"write\" too", "--sign-in --scope \"write\""]);
    server.sign_in(&["--scope", "write"]).ended(0, &["signed in for read write"]);
    let called = server.call("write");
    assert_eq!((called.code, called.data.trim()), (Some(0), "done with read write"));
}

#[test]
fn an_old_token_is_renewed_and_goes_nowhere_else() {
    let server = Guarded::start("short", "");
    server.sign_in(&[]).ended(0, &[]);
    server.call("read").ended(0, &[]);
    let asked = server.requests_to("/token");
    let renewed = &asked[1]["form"];
    assert_eq!(
        (&renewed["grant_type"], &renewed["resource"]),
        (&json!("refresh_token"), &json!(format!("{}/mcp", server.base)))
    );
    // The token is for the server, not for who gives it.
    let others = ["/token", "/register", "/authorize", "/.well-known/oauth-protected-resource/mcp"];
    for request in others.iter().flat_map(|path| server.requests_to(path)) {
        assert_eq!(request["authorization"], Value::Null, "{request}");
    }
    // The renewed one was kept: the next call needs no other.
    server.call("read").ended(0, &[]);
    assert_eq!(server.requests_to("/token").len(), asked.len());
}

#[test]
fn documents_that_are_wrong_are_told_and_stop_it() {
    for (how, id, stops) in [
        ("resource", "auth.resource-mismatch at /resource", true),
        ("issuer", "auth.issuer-mismatch at /issuer", true),
        ("no-pkce", "auth.no-pkce at /code_challenge_methods_supported", true),
        ("no-registration", "auth.no-registration at /registration_endpoint", false),
        ("bare", "auth.no-challenge", false),
    ] {
        let server = Guarded::start(how, "");
        let told = server.run(&["mcp", "auth", "web"]);
        let sign = if stops { "error" } else { "warning" };
        assert!(
            told.data.contains(&format!("  {sign} {id}")),
            "{how}: {}{}",
            told.data,
            told.words
        );
        assert_eq!(told.code, Some(i32::from(stops)), "{how}: {}", told.data);
        if stops {
            let refused = server.sign_in(&[]);
            assert_eq!(
                (refused.code, refused.data.as_str()),
                (Some(3), ""),
                "{how}: {}",
                refused.words
            );
            assert!(server.requests_to("/register").is_empty(), "{how}");
        }
    }
    let server = Guarded::start("no-registration", "client-id = \"mine\"\n");
    server.sign_in(&[]).ended(0, &["signed in"]);
    assert_eq!(server.requests_to("/authorize")[0]["query"]["client_id"], "mine");
    let server = Guarded::start("iss", "");
    server.sign_in(&[]).ended(3, &["auth.iss-mismatch"]);
    assert!(server.requests_to("/token").is_empty());
}

#[test]
fn without_a_key_store_the_token_is_printed_when_asked_for() {
    let server = Guarded::start("right", "");
    let sign_in = ["mcp", "auth", "web", "--sign-in"];
    let refused = Ran::of(server.bare(&sign_in).output().unwrap());
    refused.ended(3, &["there is no key store here", "--print-token prints the token instead"]);
    let mut signing = server.bare(&[&sign_in[..], &["--print-token"]].concat());
    let mut child = signing.stderr(Stdio::piped()).spawn().unwrap();
    let mut words = BufReader::new(child.stderr.take().unwrap()).lines();
    let page = words.find_map(|line| line.ok().filter(|line| line.starts_with("http"))).unwrap();
    allow_on_page(page.trim());
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success());
    let token = said.trim();
    assert!(!token.is_empty() && token.lines().count() == 1, "{said}");
    // It is one that the server takes.
    fs::write(
        server.place.here.join("toolcrib.toml"),
        fs::read_to_string(server.place.here.join("toolcrib.toml")).unwrap()
            + "token-variable = \"WEB_TOKEN\"\n",
    )
    .unwrap();
    let mut ping = server.bare(&["mcp", "ping", "web"]);
    Ran::of(ping.env("WEB_TOKEN", token).output().unwrap()).ended(0, &[]);
}

#[test]
fn without_a_key_store_one_signs_in_for_the_session() {
    let server = Guarded::start("right", "");
    let none = ("XDG_RUNTIME_DIR", server.place.home.path().to_str().unwrap());
    let mut screen = workbench_with(&server, none);
    screen.press(["@sign-in", "enter"]);
    screen.wait_for("waiting for you to allow it on this page:");
    screen.press(["@sign-in", "enter"]);
    screen.wait_for("the page's URL copied");
    allow_on_page(&copied(&screen).unwrap());
    screen.wait_for("kept until toolcrib ends");
    // It is tested with the token at once.
    screen.wait_for("guarded");
}

/// The workbench with the connection shown.
fn workbench(server: &Guarded) -> Terminal {
    let (name, value) = server.ring.variable();
    workbench_with(server, (name, value))
}

/// The same with this variable, by which a key store is found or isn't.
fn workbench_with(server: &Guarded, (name, value): (&str, &str)) -> Terminal {
    let home = server.place.home.path();
    let mut screen = terminal::toolcrib(["."])
        .folder(&server.place.here)
        .home(home)
        .variable("XDG_STATE_HOME", home.join("state"))
        .variable(name, value)
        .size(160, 50)
        .start();
    screen.wait_for("toolcrib");
    screen.press(["6"]);
    screen.wait_for("Connections 2");
    screen.press(["down"]);
    screen.wait_for("sign in…");
    screen
}

/// What was last put on the clipboard.
fn copied(screen: &Terminal) -> Option<String> {
    let text = BASE64.decode(screen.clipboard()?).unwrap();
    Some(String::from_utf8(text).unwrap())
}

#[test]
fn one_signs_in_from_the_workbench() {
    let server = Guarded::start("right", "");
    let mut screen = workbench(&server);
    screen.press(["@sign-in"]);
    screen.wait_for("Tokens of web");
    screen.type_text("What the server");
    screen.press(["enter"]);
    screen.wait_for("scopes_supported: read write");
    screen.wait_for("gives tokens");
    assert!(server.requests_to("/register").is_empty());

    screen.press(["@sign-in", "enter"]);
    screen.wait_for("waiting for you to allow it on this page:");
    // The first that can be done now.
    screen.press(["@sign-in", "enter"]);
    screen.wait_for("the page's URL copied");
    let page = copied(&screen).unwrap();
    screen.press(["@sign-in"]);
    screen.type_text("Cancel");
    screen.press(["enter"]);
    screen.wait_for("cancelled; nothing was saved");
    assert!(server.requests_to("/token").is_empty() && page.contains("/authorize?"));

    screen.press(["@sign-in", "enter"]);
    screen.wait_for("waiting for you to allow it on this page:");
    screen.press(["@sign-in", "enter"]);
    let begun = Instant::now();
    let other = loop {
        match copied(&screen).filter(|copied| *copied != page) {
            Some(other) => break other,
            None => assert!(begun.elapsed() < Duration::from_secs(60), "no other page is copied"),
        }
        thread::yield_now();
    };
    allow_on_page(&other);
    screen.wait_for("signed in for read");
    // It is tested with the token at once.
    screen.wait_for("guarded");
    server.call("read").ended(0, &[]);

    screen.press(["@sign-in"]);
    screen.type_text("Sign out");
    screen.press(["enter"]);
    screen.wait_for("deleted the token");
    server.run(&["mcp", "ping", "web"]).ended(3, &["the server requires a token (401)"]);
}

#[test]
fn a_token_of_the_settings_that_is_refused_says_so() {
    let server = Guarded::start("right", "token-variable = \"WEB_TOKEN\"\n");
    let mut command = server.command(&["mcp", "ping", "web"]);
    let refused = Ran::of(command.env("WEB_TOKEN", "bearer-of-the-web").output().unwrap());
    refused.ended(3, &["the server rejects the connection's token", "token-variable"]);
    assert!(!refused.words.contains("bearer-of-the-web"));
    assert!(server.requests_to("/.well-known/oauth-protected-resource/mcp").is_empty());
    server.run(&["mcp", "auth", "web", "--sign-in"]).ended(2, &["has a token of its own"]);
}
