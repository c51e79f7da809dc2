//! Services that announce themselves, NATS micro services and servers of registries: found, compared
//! with the workspace, added to it, and announced by toolcrib itself.

use std::{fs, process::Command};

use serde_json::{Value, json};
use toolcrib::{
    app::{
        effect::Effect,
        message::{ConnectionMessage, Message, ScreenId},
    },
    systems::discovery::{announcement::read_announcement, found::Searched, micro},
};

use crate::support::{
    commonground::CommonGround,
    nats::NatsServer,
    place::Place,
    services::{Responder, program},
    serving::Serving,
    workbench::Workbench,
};

const TOOLS: &str = r#"
tool:
  tell-joke: {type: tool-service, name: tell-joke, description: Tells a joke, service: joke-service,
    arguments: [{name: topic, type: string, description: About what}]}
  lonely: {type: tool-service, name: lonely, description: Nobody answers, service: nobody}
tool-service:
  joke-service: {id: joke-service, request-queue: "request:tg:joke", response-queue: "response:tg:joke"}
  nobody: {id: nobody, request-queue: "request:tg:nobody", response-queue: "response:tg:nobody"}
"#;

fn joke_tools(topic: &str) -> String {
    TOOLS.replace("About what", topic)
}

fn lab(server: &NatsServer) -> String {
    format!("connection = \"lab\"\n[connections.lab]\nservers = [\"{}\"]\n", server.url())
}

/// Services that answer at once need no long wait.
const ASK: [&str; 2] = ["--timeout", "400ms"];

fn discover(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let all = place.json(&[&["discover", "--json"], &ASK[..], arguments].concat());
    all.as_array().unwrap().clone()
}

fn named<'v>(all: &'v [Value], name: &str) -> &'v Value {
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}: {all:#?}"))
}

#[test]
fn what_serve_announces_is_found_compared_and_added() {
    let server = NatsServer::start();
    let there = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", &joke_tools("About what"))]);
    let mut serving = Serving::start(&there, &server.url(), &["joke-service", "--announce"]);
    while !serving.line().starts_with("announced 1 service on tool-descriptors") {}

    let empty = Place::with(&[("toolcrib.toml", &lab(&server))]);
    let found = discover(&empty, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let joke = named(&found, "joke-service");
    assert_eq!(joke["sources"], json!(["announced", "nats-micro"]));
    assert_eq!((&joke["workspace"], &joke["place"]), (&json!("new"), &json!("lab")));
    assert_eq!(joke["new"], json!(["tool-service/joke-service", "tool/tell-joke"]));
    let all = empty.run(&[&["discover"], &ASK[..]].concat());
    all.ended(1, &["1 new"]);
    assert!(all.data.contains("joke-service") && all.data.contains("Tells a joke"), "{}", all.data);

    let take = |more: &[&str]| {
        empty.run(&[&["discover", "--take", "joke-service"], &ASK[..], more].concat())
    };
    take(&["--dry-run"]).ended(0, &["nothing was written"]);
    assert!(!empty.here.join("trustgraph.yaml").exists());
    let taken = take(&[]);
    taken.ended(0, &["written: trustgraph.yaml"]);
    assert!(taken.data.contains("+ ") && taken.data.contains("tell-joke"), "{}", taken.data);
    assert_eq!(named(&discover(&empty, &[]), "joke-service")["workspace"], "same");
    // What was added calls the service.
    empty.run(&["call", "tell-joke", "topic=llamas"]).ended(0, &[]);

    let differing =
        Place::with(&[("toolcrib.toml", &lab(&server)), ("tools.yaml", &joke_tools("About whom"))]);
    let found = discover(&differing, &[]);
    let joke = named(&found, "joke-service");
    assert_eq!(joke["workspace"], "differs");
    assert_eq!(
        (&joke["changes"][0]["severity"], &joke["changes"][0]["at"]),
        (&json!("wording"), &json!("/inputSchema/properties/topic/description"))
    );
    for absent in ["tool-service/nobody", "tool/lonely"] {
        assert_eq!(named(&found, absent)["workspace"], "only here");
    }
    let take = |more: &[&str]| {
        differing.run(&[&["discover", "--take", "joke-service"], &ASK[..], more].concat())
    };
    take(&[]).ended(0, &["nothing new"]);
    take(&["--overwrite"]).ended(0, &["written: tools.yaml"]);
    let text = fs::read_to_string(differing.here.join("tools.yaml")).unwrap();
    assert!(text.contains("About what") && !text.contains("About whom"), "{text}");
    serving.interrupt();
    differing.run(&[&["discover"], &ASK[..]].concat()).ended(0, &["only here"]);
}

/// What NATS's own library for Python gets for a question to everybody.
fn foreign_question(server: &NatsServer, subject: &str) -> Vec<Value> {
    const ASK: &str = "
import asyncio, json, sys, nats
async def main(server, subject):
    bus = await nats.connect(server)
    inbox = bus.new_inbox()
    answers = await bus.subscribe(inbox)
    await bus.publish(subject, b'', reply=inbox)
    try:
        while True:
            print(json.dumps(json.loads((await answers.next_msg(timeout=1)).data)), flush=True)
    except asyncio.TimeoutError:
        pass
    except nats.errors.TimeoutError:
        pass
    await bus.close()
asyncio.run(main(*sys.argv[1:]))
";
    let output = Command::new(program("TOOLCRIB_PYTHON"))
        .args(["-c", ASK, &server.url(), subject])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn serve_answers_others_as_a_micro_service_and_on_the_announce_subject() {
    let server = NatsServer::start();
    let place = Place::with(&[("toolcrib.toml", &lab(&server)), ("tools.yaml", TOOLS)]);
    let mut serving = Serving::start(&place, &server.url(), &["joke-service", "--announce"]);
    while !serving.line().starts_with("announced") {}
    let ping = foreign_question(&server, "$SRV.PING");
    assert_eq!(
        (ping.len(), &ping[0]["type"], &ping[0]["name"]),
        (1, &json!("io.nats.micro.v1.ping_response"), &json!("joke-service"))
    );
    let info = foreign_question(&server, "$SRV.INFO.joke-service");
    assert_eq!(info[0]["endpoints"][0]["subject"], "tg.request.joke");
    assert_eq!(foreign_question(&server, "$SRV.INFO.other"), Vec::<Value>::new());
    place.run(&["call", "tell-joke", "topic=llamas"]).ended(0, &[]);
    while !serving.line().starts_with("answered") {}
    let id = info[0]["id"].as_str().unwrap();
    let stats = foreign_question(&server, &format!("$SRV.STATS.joke-service.{id}"));
    assert_eq!(stats[0]["endpoints"][0]["num_requests"], 1);
    let sent = foreign_question(&server, "tool-descriptors");
    assert_eq!(sent[0]["tool"]["tell-joke"]["service"], "joke-service");
    let found = read_announcement("lab", sent[0].to_string().as_bytes()).unwrap();
    assert_eq!(found[0].items.len(), 2);
    serving.interrupt();
}

#[test]
fn micro_services_of_others_are_found_by_what_they_say() {
    let server = NatsServer::start();
    let announced = json!([{"id": "echo", "request-queue": "request:tg:echo", "response-queue": "response:tg:echo"}]);
    let _services = Responder::micro(&server.url(), &announced.to_string());
    let place = Place::with(&[("toolcrib.toml", &lab(&server))]);
    let found = discover(&place, &[]);
    assert_eq!(found.len(), 4, "{found:#?}");
    let weather = named(&found, "weather");
    assert_eq!(
        (&weather["version"], &weather["description"], &weather["workspace"]),
        (&json!("1.4.2"), &json!("Tells the weather of a city"), &json!("new"))
    );
    assert_eq!(weather["entries"][0]["value"]["request-queue"], "nats://weather.forecast");
    assert_eq!(named(&found, "maths")["new"], json!(["tool-service/sums", "tool/sum"]));
    assert_eq!(named(&found, "plain")["workspace"], "no descriptor");
    assert_eq!(named(&found, "echo")["sources"], json!(["announced"]));
    let refused = place.run(&[&["discover", "--take", "plain"], &ASK[..]].concat());
    refused.ended(2, &["\"plain\" can't be taken in", "no descriptor"]);
    place
        .run(&[&["discover", "--take", "cake"], &ASK[..]].concat())
        .ended(2, &["nothing called \"cake\" was found"]);
    // A tool made of a schema reaches the service that sent it.
    place.run(&[&["discover", "--all"], &ASK[..]].concat()).ended(0, &["written: trustgraph.yaml"]);
    let called = place.run(&["call", "weather", "city=Bern"]);
    called.ended(0, &[]);
    assert!(called.data.contains("Rain in Bern"), "{}", called.data);
    let found = discover(&place, &[]);
    for name in ["weather", "maths", "echo"] {
        assert_eq!(named(&found, name)["workspace"], "same", "{name}");
    }
}

const REGISTRY: &str = r#"{"servers": [
  {"server": {"name": "io.example/weather", "description": "Weather by city", "version": "1.1.0",
    "remotes": [{"type": "streamable-http", "url": "http://127.0.0.1:9/mcp"}]},
    "_meta": {"io.modelcontextprotocol.registry/official": {"isLatest": true}}},
  {"server": {"name": "io.example/weather", "description": "Weather", "version": "1.0.0",
    "remotes": [{"type": "streamable-http", "url": "http://127.0.0.1:8/mcp"}]},
    "_meta": {"io.modelcontextprotocol.registry/official": {"isLatest": false}}},
  {"server": {"name": "io.example/files", "description": "Files", "version": "0.3.0",
    "packages": [{"registryType": "npm", "identifier": "@example/files", "version": "0.3.0", "transport": {"type": "stdio"}}]}}
], "metadata": {"count": 3}}"#;

#[test]
fn what_cant_be_read_is_said_and_hides_nothing() {
    let server = NatsServer::start();
    let _services = Responder::micro(&server.url(), "no json");
    let place = Place::with(&[("toolcrib.toml", &lab(&server))]);
    let ran = place.run(&[&["discover"], &ASK[..]].concat());
    ran.ended(1, &["warning: lab: a message on tool-descriptors isn't JSON", "2 new"]);
}

#[test]
fn servers_of_a_registry_become_connections_and_start_nothing() {
    let place = Place::with(&[("toolcrib.toml", ""), ("registry.json", REGISTRY)]);
    let found = discover(&place, &[]);
    assert_eq!(found.len(), 2, "{found:#?}");
    let weather = named(&found, "io.example/weather");
    assert_eq!(
        (&weather["version"], &weather["sources"], &weather["workspace"]),
        (&json!("1.1.0"), &json!(["registry"]), &json!("new"))
    );
    assert_eq!(weather["place"], "registry.json");
    assert_eq!(weather["connection"]["servers"], json!(["http://127.0.0.1:9/mcp"]));
    let taken = place.run(&["discover", "--take", "io.example/weather", "io.example/files"]);
    taken.ended(
        0,
        &[
            "added connection \"io.example/weather\"",
            "npx -y @example/files@0.3.0",
            "`toolcrib allow io.example/files` shows its command",
        ],
    );
    let found = discover(&place, &[]);
    assert!(found.iter().all(|one| one["workspace"] == "same"), "{found:#?}");
    place.run(&["discover"]).ended(0, &["2 same"]);
    let later = REGISTRY.replace("127.0.0.1:9/mcp", "127.0.0.1:7/mcp");
    fs::write(place.here.join("registry.json"), later).unwrap();
    let found = discover(&place, &[]);
    let weather = named(&found, "io.example/weather");
    assert_eq!(weather["workspace"], "differs");
    assert_eq!(weather["changes"][0]["at"], "/servers");
    // One server alone in a file is a registry's entry too.
    let alone = r#"{"name": "io.example/one", "version": "1.0.0", "remotes": [{"type": "sse", "url": "http://127.0.0.1:6/sse"}]}"#;
    fs::write(place.here.join("one.json"), alone).unwrap();
    assert_eq!(discover(&place, &["one.json"]).len(), 1);
}

#[test]
fn the_registry_of_commonground_is_compared_entry_by_entry() {
    let commonground = CommonGround::start();
    commonground.put(&[
        r#"{"tool_name": "lamp", "target_subject": "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.on", "after_execution": "suspend", "description": "Turns it on", "parameters": {"type": "object", "properties": {}}}"#,
    ]);
    let place = Place::with(&[("toolcrib.toml", &commonground.settings())]);
    let found = discover(&place, &["--connection", "cg"]);
    let lamp = named(&found, "tool/lamp");
    assert_eq!((&lamp["workspace"], &lamp["sources"]), (&json!("new"), &json!(["configured"])));
    place
        .run(&[&["discover", "--connection", "cg", "--take", "lamp"], &ASK[..]].concat())
        .ended(0, &["written: tools/lamp.yaml"]);
    let found = discover(&place, &["--connection", "cg"]);
    assert_eq!(named(&found, "tool/lamp")["workspace"], "same");
}

/// What the registry could not say is not known.
#[test]
fn entries_of_a_registry_that_cant_be_read_are_not_known() {
    let server = NatsServer::start();
    let settings = format!(
        "connection = \"cg\"\n[connections.cg]\nservers = \"{}\"\n[connections.cg.commonground]\nproject = \"lab\"\nchannel = \"public\"\napi = \"http://127.0.0.1:9\"\n",
        server.url()
    );
    let place = Place::with(&[("toolcrib.toml", &settings), ("tools/lamp.yaml", LAMP)]);
    let ran = place.run(&[&["discover"], &ASK[..]].concat());
    ran.ended(6, &["1 not known", "warning: cg: "]);
    assert!(ran.data.contains("not known") && !ran.data.contains("only here"), "{}", ran.data);
    let found = discover(&place, &[]);
    assert_eq!(named(&found, "tool/lamp")["workspace"], "not known");
    let taken = place.run(&[&["discover", "--take", "lamp"], &ASK[..]].concat());
    taken.ended(2, &["nothing called \"lamp\" was found"]);
}

const LAMP: &str = r#"tool_name: lamp
description: Switches the lamp
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch"
after_execution: terminate
parameters: {type: object, properties: {room: {type: string}}}
"#;

const RULES: &str = r#"stub: lamps
services:
  lamp:
    rules:
      - name: lit
        answer: '{"on": true}'
"#;

#[test]
fn tools_of_commonground_that_are_served_announce_their_definitions() {
    let there = CommonGround::start();
    let settings = there.settings() + "postgres-variable = \"LAB_POSTGRES\"\n";
    let place = Place::with(&[
        ("toolcrib.toml", &settings),
        ("tools/lamp.yaml", LAMP),
        ("lamp.stub.yaml", RULES),
    ]);
    let mut command = place.command(&["serve", "--stub", "lamp.stub.yaml", "--announce"]);
    let mut serving = Serving::of(command.env("LAB_POSTGRES", there.postgres.dsn()));
    while !serving.line().starts_with("announced 1 service") {}
    let elsewhere = Place::with(&[("toolcrib.toml", &there.settings())]);
    let found = discover(&elsewhere, &[]);
    let lamp = named(&found, "lamp");
    assert_eq!(
        (&lamp["sources"], &lamp["workspace"], &lamp["entries"][0]["system"]),
        (&json!(["announced", "nats-micro"]), &json!("new"), &json!("commonground"))
    );
    elsewhere
        .run(&[&["discover", "--take", "lamp"], &ASK[..]].concat())
        .ended(0, &["written: tools/lamp.yaml"]);
    assert_eq!(named(&discover(&elsewhere, &[]), "lamp")["workspace"], "same");
    serving.interrupt();
}

#[test]
fn where_nothing_can_be_asked_it_says_what_to_name() {
    let place = Place::with(&[("toolcrib.toml", "")]);
    place.run(&["discover"]).ended(2, &["no registry file", "nats://127.0.0.1:4222"]);
    place
        .run(&["discover", "--connection", "embedded"])
        .ended(2, &["nothing can be discovered on connection \"embedded\""]);
    // A connection that is named is asked alone.
    fs::write(place.here.join("registry.json"), REGISTRY).unwrap();
    place
        .run(&["discover", "--connection", "nats://127.0.0.1:9"])
        .ended(3, &["couldn't connect", "nothing was found"]);
    place
        .run(&["serve", "--announce", "--connection", "ws://127.0.0.1:0"])
        .ended(2, &["services can't announce themselves over"]);
    let server = NatsServer::start();
    place
        .run(&[&["discover", "--connection", &server.url()], &ASK[..]].concat())
        .ended(0, &["nothing was found"]);
}

#[test]
fn what_was_found_is_shown_and_added_on_connections() {
    let announced = json!({
        "tool": {"look": {"type": "tool-service", "name": "look", "description": "Looks it up", "service": "looker"}},
        "tool-service": {"looker": {"id": "looker", "request-queue": "request:tg:look", "response-queue": "response:tg:look"}},
    });
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = Workbench::sample("services", width, height).on(ScreenId::Connections);
        bench.keys("@discover");
        let asked = bench.effects.iter().find_map(|effect| match effect {
            Effect::Discover(connection) => Some(connection.clone()),
            _ => None,
        });
        let connection = asked.expect("the connection is to be asked");
        let mut found =
            read_announcement(&connection.name, announced.to_string().as_bytes()).unwrap();
        let info = json!({"name": "plain", "id": "A", "version": "0.0.1", "endpoints": []});
        let plain = micro::read_answer(&connection.name, info.to_string().as_bytes()).unwrap();
        found.push(plain.found);
        bench.send(Message::Connection(ConnectionMessage::Discovered {
            searched: Box::new(Searched { connection: *connection, is_whole: true }),
            found,
            unread: Vec::new(),
            problems: Vec::new(),
        }));
        bench.draw();
        for words in ["looker", "new", "no descriptor", "Looks it up"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        bench.keys("enter");
        assert!(bench.shows("trustgraph.yaml"), "{}", bench.screen());
        bench.keys("enter");
        assert!(bench.state.catalog.tool_called("look").is_some(), "{}", bench.screen());
    }
}
