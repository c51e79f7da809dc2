//! Tools of a running system on Invoke: listed beside the workspace's own, found, and called
//! without a definition here.

use serde_json::json;
use toolcrib::{
    app::{
        effect::Effect,
        message::{ConnectionMessage, DocumentMessage, Message, Purpose, ScreenId},
    },
    model::{
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    systems::{commonground::settings::Channel, deployed::item::Item, settings::parse_settings},
};

use crate::support::{
    commonground::CommonGround, place::Place, terminal::toolcrib, workbench::Workbench,
};

const OWN: &str = "tool_name: word_count\ndescription: Counts words.\n\
    target_subject: \"cg.v1r4.{project_id}.{channel_id}.cmd.tool.word_count.call\"\nafter_execution: suspend\n\
    parameters: {type: object, properties: {text: {type: string}}}\n";

/// A workspace of one tool on Invoke, over a connection to a project.
fn open(width: u16, height: u16) -> Workbench {
    let mut bench = Workbench::yaml(OWN, width, height);
    bench.state.network.connections.choose(project("lab"));
    bench.on(ScreenId::Invoke)
}

fn project(name: &str) -> Connection {
    let channel =
        Channel { api: Some("http://127.0.0.1:1".into()), ..Channel::new(name, "public") };
    channel.apply_to(Connection::nats(name, "nats://127.0.0.1:1"))
}

fn tools(names: &[&str]) -> Vec<Item> {
    let text = |name: &str| {
        let parameters = json!({"type": "object", "properties": {"skill": {"type": "string"}}, "required": ["skill"]});
        let subject = format!("cg.v1r4.{{project_id}}.{{channel_id}}.cmd.tool.{name}.call");
        json!({"tool_name": name, "description": "d", "target_subject": subject, "after_execution": "suspend",
            "parameters": parameters, "options": {"ui_allowed": true}})
        .to_string()
    };
    let item = |name: &&str| Item {
        system: "commonground",
        section: "tool",
        key: (*name).into(),
        text: text(name),
    };
    names.iter().map(item).collect()
}

/// What the last asking was for.
fn asked(bench: &Workbench) -> Purpose {
    match bench.effects.last() {
        Some(Effect::ReadDeployed { purpose, .. }) => *purpose,
        other => panic!("nothing is read: {other:?}"),
    }
}

fn answers(bench: &mut Workbench, purpose: Purpose, read: Result<Vec<Item>, Problem>) {
    bench.send(Message::Connection(ConnectionMessage::Deployed { purpose, read }));
    bench.draw();
}

fn refused() -> Problem {
    Problem::new(
        ProblemKind::Unreachable,
        "reading CommonGround's tools",
        "nobody answers at http://127.0.0.1:1",
    )
    .with_remedy("start the API")
}

#[test]
fn they_are_listed_below_the_workspaces_own_and_called() {
    for (width, height) in [(120, 36), (80, 24)] {
        let mut bench = open(width, height);
        bench.keys("@deployed-tools");
        assert!(bench.shows("listing the tools of lab …"), "{}", bench.screen());
        let purpose = asked(&bench);
        answers(&mut bench, purpose, Ok(tools(&["skills.load", "skills.list"])));
        // With those of PMO itself, which the API does not list.
        for words in ["◆ skills.load", "◆ delegate_async", "◆ 7 deployed on lab", "● word_count"]
        {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        let (own, deployed) = (bench.find("● word_count"), bench.find("◆ skills.load"));
        assert!(own.1 < deployed.1, "{}", bench.screen());
        bench.keys("/");
        bench.types("load");
        assert!(bench.shows("1 of 8") && !bench.shows("delegate_async"), "{}", bench.screen());
        bench.keys("enter tab");
        assert!(bench.shows("skills.load · deployed on lab"), "{}", bench.screen());
        bench.keys("enter");
        bench.types("writing");
        bench.keys("f6");
        let Some(Effect::Call { request, connection, .. }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        assert_eq!((request.name.as_str(), connection.name.as_str()), ("skills.load", "lab"));
        assert!(request.arguments.contains("writing"), "{}", request.arguments);
    }
}

#[test]
fn what_needs_a_definition_is_refused_with_the_reason() {
    let mut bench = open(120, 36);
    bench.keys("@deployed-tools");
    let purpose = asked(&bench);
    answers(&mut bench, purpose, Ok(tools(&["skills.load"])));
    bench.clicks("◆ skills.load");
    for key in ["e", "@tool-connection"] {
        bench.keys(key);
        assert!(bench.shows("no file") && bench.shows("deployed"), "{key}\n{}", bench.screen());
    }
    // It stays the chosen one when the workspace is read again.
    bench.send(Message::Document(DocumentMessage::LoadEnded {
        names: bench.state.documents.iter().map(|(file, _)| file.clone()).collect(),
        skipped: vec![],
        unread: vec![],
    }));
    bench.draw();
    assert!(bench.shows("skills.load · deployed on lab"), "{}", bench.screen());
}

#[test]
fn a_listing_that_fails_says_why_and_an_older_one_counts_no_more() {
    let mut bench = open(120, 36);
    bench.keys("@deployed-tools");
    let first = asked(&bench);
    bench.keys("@deployed-tools");
    let second = asked(&bench);
    answers(&mut bench, first, Ok(tools(&["skills.load"])));
    assert!(bench.shows("listing the tools") && !bench.shows("skills.load"), "{}", bench.screen());
    answers(&mut bench, second, Err(refused()));
    assert!(
        bench.shows("lab: nobody answers") && bench.shows("start the API"),
        "{}",
        bench.screen()
    );
    bench.keys("@deployed-tools");
    let third = asked(&bench);
    answers(&mut bench, third, Ok(tools(&["skills.load"])));
    assert!(bench.shows("skills.load") && !bench.shows("nobody answers"), "{}", bench.screen());
}

#[test]
fn they_are_those_of_the_connection_that_is_chosen() {
    let mut bench = open(120, 36);
    bench.keys("@deployed-tools");
    let purpose = asked(&bench);
    answers(&mut bench, purpose, Ok(tools(&["skills.load"])));
    bench.state.network.connections.insert(project("other"));
    bench.send(Message::Connection(ConnectionMessage::Use(Some("other".into()))));
    bench.draw();
    assert!(!bench.shows("skills.load"), "{}", bench.screen());
    bench.send(Message::Connection(ConnectionMessage::Use(Some("lab".into()))));
    bench.draw();
    assert!(bench.shows("◆ skills.load"), "{}", bench.screen());
    // Where it leads to no system there is nothing to list.
    bench.send(Message::Connection(ConnectionMessage::Use(Some("embedded".into()))));
    let effects = bench.effects.len();
    bench.keys("@deployed-tools");
    assert!(bench.shows("\"embedded\" can't list its tools"), "{}", bench.screen());
    assert_eq!(bench.effects.len(), effects);
}

#[test]
fn the_chosen_one_stays_chosen_when_others_come_before_it() {
    let mut bench = open(120, 36);
    bench.keys("@deployed-tools");
    let purpose = asked(&bench);
    answers(&mut bench, purpose, Ok(tools(&["skills.list", "skills.load"])));
    bench.clicks("◆ skills.load");
    bench.keys("tab enter");
    bench.types("writing");
    bench.keys("esc");
    // The server says that its list is another one, and it is listed again.
    let changed = || Message::Connection(ConnectionMessage::ToolsChanged("lab".into()));
    bench.send(changed());
    bench.draw();
    assert!(bench.shows("the tools of lab have changed"), "{}", bench.screen());
    let again = asked(&bench);
    assert_ne!(again, purpose);
    answers(&mut bench, again, Ok(tools(&["first", "skills.list", "skills.load"])));
    assert!(bench.shows("◆ first"), "{}", bench.screen());
    assert!(bench.shows("skills.load · deployed on lab"), "{}", bench.screen());
    bench.keys("f6");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!(request.name, "skills.load");
    assert!(request.arguments.contains("writing"), "{}", request.arguments);
}

#[test]
fn one_that_is_shown_unchosen_stays_when_others_come_before_it() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.network.connections.choose(project("lab"));
    let mut bench = bench.on(ScreenId::Invoke);
    // What was not listed is not listed by a change.
    let effects = bench.effects.len();
    bench.send(Message::Connection(ConnectionMessage::ToolsChanged("lab".into())));
    assert_eq!(bench.effects.len(), effects, "{:?}", bench.effects);
    for names in [&["skills.load"] as &[&str], &["first", "skills.load"]] {
        bench.keys("@deployed-tools");
        let purpose = asked(&bench);
        answers(&mut bench, purpose, Ok(tools(names)));
        assert!(bench.shows("skills.load · deployed on lab"), "{}", bench.screen());
    }
    assert!(bench.shows("◆ first"), "{}", bench.screen());
}

#[test]
fn a_server_that_could_not_be_listed_is_tried_again() {
    let mut bench = servers(120, 36).on(ScreenId::Invoke);
    assert!(bench.shows("Enter lists the tools of web or other"), "{}", bench.screen());
    bench.keys("enter enter");
    let purpose = asked(&bench);
    answers(&mut bench, purpose, Err(refused()));
    let words = "Enter tries web again, or lists the";
    assert!(bench.shows(words), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("listing failed; try again"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("listing the tools of web"), "{}", bench.screen());
}

#[test]
fn where_there_is_no_tool_the_way_to_those_of_servers_is_named() {
    for (width, height) in [(120, 36), (80, 24)] {
        let bench = servers(width, height).on(ScreenId::Tools);
        let words = bench.screen().replace(['│', '\n'], " ");
        assert!(words.contains("Invoke (3), then Enter"), "{}", bench.screen());
        assert!(bench.shows("web, other"), "{}", bench.screen());
    }
}

/// An empty workspace with two MCP servers.
fn servers(width: u16, height: u16) -> Workbench {
    let mut bench = Workbench::files(&[], width, height);
    let settings = "[connections.web]\nsystem = \"mcp\"\ncommand = \"web\"\n\
        [connections.other]\nsystem = \"mcp\"\ncommand = \"other\"\n";
    bench.state.network.connections.known.extend(parse_settings(settings).0.connections.known);
    // The offer to begin is closed.
    bench.keys("e");
    bench
}

#[test]
fn trustgraphs_are_listed_by_the_same_key() {
    let mut bench = Workbench::yaml(
        "tool: {own: {type: text-completion, name: own, description: d}}\n",
        120,
        36,
    );
    bench.state.network.connections.choose(Connection::http("gate", "http://127.0.0.1:1"));
    let mut bench = bench.on(ScreenId::Invoke);
    bench.keys("@deployed-tools");
    let purpose = asked(&bench);
    let item = |section, key: &str, text: &str| Item {
        system: "trustgraph",
        section,
        key: key.into(),
        text: text.into(),
    };
    let ask = r#"{"name": "ask", "type": "text-completion", "description": "Asks."}"#;
    answers(&mut bench, purpose, Ok(vec![item("tool", "ask", ask)]));
    assert!(bench.shows("◆ ask") && bench.shows("◆ 1 deployed on gate"), "{}", bench.screen());
    bench.clicks("◆ ask");
    assert!(bench.shows("ask · deployed on gate"), "{}", bench.screen());
    bench.keys("tab enter");
    bench.types("Why?");
    bench.keys("f6");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert!(request.body.contains("Why?"), "{}", request.body);
}

#[test]
fn a_connection_that_starts_a_server_says_which_system_that_is() {
    let settings = "[connections.dev]\ncommand = \"a-server\"\n";
    let place = Place::with(&[("toolcrib.toml", settings), ("tools/count.yaml", OWN)]);
    let found = place.run(&["check"]);
    let words = found.data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("toolcrib.toml:2") && words.contains("add system = \"mcp\""), "{words}");
    for command in [&["call", "dev/echo"][..], &["call", "echo", "--connection", "dev"]] {
        place.run(command).ended(2, &["add system = \"mcp\" to [connections.dev]"]);
    }
}

#[test]
fn a_turn_of_another_agent_is_started_and_watched_to_its_end() {
    let there = CommonGround::start();
    there.agents(&[("counter", "worker_generic")]);
    let settings = there.settings();
    let place = Place::with(&[("toolcrib.toml", settings.as_str()), ("tools/count.yaml", OWN)]);
    let mut terminal = toolcrib([&place.here]).home(place.home.path()).folder(&place.here).start();
    terminal.wait_for("word_count");
    terminal.press(["3", "@deployed-tools"]);
    terminal.wait_for("deployed on cg");
    terminal.press(["/"]);
    terminal.type_text("delegate");
    terminal.press(["enter"]);
    terminal.wait_for("delegate_async · deployed on cg");
    terminal.press(["tab", "right", "right"]);
    terminal.wait_for("reuse");
    terminal.press(["down", "enter"]);
    terminal.type_text("counter");
    terminal.press(["tab"]);
    terminal.type_text("I count.");
    terminal.press(["f6"]);
    terminal.wait_for("delegate_async succeeded");
    // What the agent says is the answer, and the call is in the history as any other.
    assert!(terminal.contents().matches("I count.").count() >= 2, "{}", terminal.contents());
    terminal.press(["esc", "5"]);
    terminal.wait_for("Calls 1");
    assert!(terminal.contents().contains("delegate_async  "), "{}", terminal.contents());
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
}
