//! What a call is copied as runs as it is, and gives what the call gives.

use std::{fs, process::Command};

use serde_json::{Value, json};
use toolcrib::{
    app::{
        effect::Effect,
        message::{ConnectionMessage, Message, ScreenId},
    },
    model::{
        connection::{Connection, Credentials, SecretAt, Tls},
        transport::TransportKind,
    },
};

use crate::support::{
    certificates::Certificates,
    gateway::{StandIn, TOKEN},
    nats::NatsServer,
    place::Place,
    services::{Responder, program},
    workbench::Workbench,
};

/// Hard for shells and for programs alike.
const WORDS: &str = r#"it's $HOME, `x` and "llamas" \n"#;

const TOOLS: &str = "\
tool:
  tell-joke:
    {type: tool-service, name: tell-joke, description: Jokes, service: jokes, style: a pun,
     arguments: [{name: topic, type: string, description: About what}]}
  say:
    {type: mcp-tool, name: say, description: Says, mcp-tool: what, arguments: [{name: words, type: string, description: What}]}
tool-service:
  jokes: {request-queue: 'request:tg:joke', response-queue: 'response:tg:joke', config-params: [{name: style, required: true}]}
";

/// What a call of the tool over that connection is copied as.
fn copied(tool: &str, connection: Connection, what: &str) -> String {
    let mut bench = Workbench::yaml(TOOLS, 120, 36).on(ScreenId::Invoke);
    let name = connection.name.clone();
    bench.state.network.connections.insert(connection);
    bench.send(Message::Connection(ConnectionMessage::Use(Some(name))));
    let id = bench.state.catalog.tool_called(tool).unwrap().id().clone();
    bench.send(Message::Select(id));
    bench.draw();
    bench.keys("enter");
    bench.types(WORDS);
    bench.keys("esc y");
    bench.types(what);
    bench.keys("enter");
    match bench.effects.last() {
        Some(Effect::Copy(text)) => text.clone(),
        other => panic!("{other:?}\n{}", bench.screen()),
    }
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_python_program_asks_over_nats_as_the_call_would() {
    let server = NatsServer::start();
    for mode in ["response", "inbox"] {
        let _responder = Responder::start(&server.url(), mode);
        let text = copied("tell-joke", server.connection(), "Python");
        let printed = output(Command::new(program("TOOLCRIB_PYTHON")).args(["-c", &text]));
        assert_eq!(printed, format!("Hello user, {WORDS} as a pun.\n"), "{mode}");
    }
}

#[test]
fn a_python_program_logs_in_over_tls_and_ends_where_it_cannot() {
    let files = Certificates::make();
    let [certificate, key] = ["server.pem", "server.key"].map(|name| files.file(name));
    let server = NatsServer::configured(&format!(
        "tls {{ cert_file: \"{certificate}\", key_file: \"{key}\" }}\n\
         authorization {{ users: [ {{ user: alice, password: s3cret }}, {{ user: service, password: other }} ] }}"
    ));
    let own = format!("tls://service:other@localhost:{}", server.port());
    let _responder = Responder::trusting(&own, &files.file("ca.pem"));
    let credentials = Credentials::Password {
        user: "alice".into(),
        password: SecretAt::Variable("SECRET".into()),
    };
    let tls = |ca: String| Tls { required: true, ca_file: Some(ca), ..Tls::default() };
    let connection =
        Connection { credentials, tls: tls(files.file("ca.pem")), ..server.connection() };
    let run = |connection: &Connection, password: &str| {
        let text = copied("tell-joke", connection.clone(), "Python");
        assert!(!text.contains("s3cret"), "{text}");
        Command::new(program("TOOLCRIB_PYTHON"))
            .args(["-c", &text])
            .env("SECRET", password)
            .output()
            .unwrap()
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let asked = run(&connection, "s3cret");
    assert_eq!(
        text(&asked.stdout),
        format!("Hello user, {WORDS} as a pun.\n"),
        "{}",
        text(&asked.stderr)
    );
    let others = Certificates::make();
    let stranger = Connection { tls: tls(others.file("ca.pem")), ..connection.clone() };
    for (connection, password, words) in [
        (&stranger, "s3cret", "CERTIFICATE_VERIFY_FAILED"),
        (&connection, "wr0ng", "Authorization"),
    ] {
        let refused = run(connection, password);
        assert!(
            !refused.status.success() && text(&refused.stderr).contains(words),
            "{words}: {}",
            text(&refused.stderr)
        );
    }
}

#[test]
fn a_curl_command_asks_the_gateway_as_the_call_would() {
    let gateway = StandIn::start();
    let text = copied("say", gateway.connection(TransportKind::Http), "curl");
    assert!(!text.contains(TOKEN), "{text}");
    let answer = output(Command::new("sh").args(["-c", &text]).env("SECRET", TOKEN));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let heard: Value = serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
    assert_eq!(heard["path"], "/api/v1/flow/default/service/mcp-tool");
    assert_eq!(
        (&heard["body"]["name"], &heard["body"]["parameters"]),
        (&json!("what"), &json!({"words": WORDS}))
    );
}

#[test]
fn a_toolcrib_command_makes_the_call() {
    let server = NatsServer::start();
    let _responder = Responder::start(&server.url(), "response");
    let settings = format!("[connections.test]\nservers = [\"{}\"]\n", server.url());
    let place = Place::with(&[("tools.yaml", TOOLS), ("toolcrib.toml", &settings)]);
    let text = copied("tell-joke", server.connection(), "toolcrib");
    let folder = place.home.path().join("bin");
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_toolcrib"), folder.join("toolcrib")).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command
        .args(["-c", &text])
        .current_dir(&place.here)
        .env("PATH", path)
        .env("XDG_STATE_HOME", place.home.path());
    assert_eq!(output(&mut command).trim_end(), format!("Hello user, {WORDS} as a pun."));
}
