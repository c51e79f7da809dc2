//! The screen of connections: seen, edited through a form, tested, and what is found where they
//! lead.

use serde_json::{Value, json};
use toolcrib::{
    app::{
        connection_test::{ConnectionReport, Report},
        effect::Effect,
        folder::FolderList,
        message::{ConnectionMessage, DocumentMessage, Loaded, Message, Purpose, ScreenId},
        question::Question,
    },
    model::{
        connection::Connection,
        entry::FileId,
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
    },
    runtime::connection_test::connection_report,
    syntax::source::{Format, Source},
    systems::{
        facets::{
            configured::{ConfigServer, ConfigServers, FoundConfig},
            kept_tools::ListedTools,
        },
        trustgraph::settings::Gateway,
    },
    wire::registry::Registry,
};

use crate::support::{nats::NatsServer, workbench::Workbench};

const TEXT: &str = "connection = \"local\"\n[connections.local]\nservers = \"nats://127.0.0.1:4222\"\n# theirs\n[connections.broker]\nservers = [\"amqp://mq:5672\"]\ntools = [\"tell-joke\"]\n\n[connections.leaky]\nservers = \"nats://host\"\npassword = \"hunter2\"\nuser = \"x\"\n";

fn opened(width: u16, height: u16) -> Workbench {
    opened_with(TEXT, width, height)
}

fn opened_with(text: &str, width: u16, height: u16) -> Workbench {
    let mut bench = Workbench::sample("services", width, height);
    let loaded =
        Loaded { source: Source::parse(Format::Toml, text), text: text.into(), held: None };
    bench.send(Message::Document(DocumentMessage::Loaded(vec![(FileId::new(SETTINGS), loaded)])));
    let names = bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
    bench.send(Message::Document(DocumentMessage::LoadEnded {
        names,
        skipped: Vec::new(),
        unread: Vec::new(),
    }));
    bench.on(ScreenId::Connections)
}

fn text(bench: &Workbench) -> String {
    bench.state.documents.get(&FileId::new(SETTINGS)).unwrap().text.to_string()
}

#[test]
fn all_are_listed_with_what_goes_through_them() {
    let mut bench = opened(120, 36);
    for words in [
        "local",
        "default",
        "broker   rabbitmq",
        "1 tool",
        "has errors",
        "The default:",
        "nats://127.0.0.1:…",
        "password-variable ",
    ] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    bench.clicks("broker ");
    assert!(bench.shows("Always used for tell-joke."), "{}", bench.screen());
    bench.clicks("leaky");
    assert!(bench.shows("secrets don't") && bench.shows("••••"), "{}", bench.screen());
    assert!(!bench.shows("hunter2"), "{}", bench.screen());
    assert!(bench.shows("Its settings can't be used yet"), "{}", bench.screen());
    for (width, height) in [(80, 24), (200, 60)] {
        let bench = opened(width, height);
        assert!(bench.shows("6 Conn") && bench.shows("broker"), "{}", bench.screen());
        assert!(
            bench.shows("○ local"),
            "the top line has room for the connection: {}",
            bench.screen()
        );
    }
}

#[test]
fn a_server_is_copied_for_other_programs_without_its_secrets() {
    let server = "connection = \"bus\"\n[connections.bus]\nservers = \"nats://127.0.0.1:4223\"\n\
        [connections.shop]\nsystem = \"mcp\"\ncommand = \"node\"\nargs = [\"srv.js\"]\n\
        env = { KEY = \"$MY_KEY\" }\n[connections.local]\nservers = \"nats://127.0.0.1:4222\"\n";
    let mut bench = opened_with(server, 120, 36);
    bench.state.root = "/srv/shops".into();
    bench.clicks("shop ");
    bench.keys("y");
    bench.types("cursor");
    bench.keys("enter");
    let Some(Effect::Copy(text)) = bench.effects.last() else { panic!("{}", bench.screen()) };
    let entry: Value = serde_json::from_str(text).unwrap();
    let shop = &entry["mcpServers"]["shop"];
    assert_eq!((&shop["command"], &shop["args"]), (&json!("node"), &json!(["srv.js"])));
    assert_eq!(shop["env"], json!({"KEY": "${env:MY_KEY}"}));
    assert_eq!(shop["cwd"], "/srv/shops");
    bench.clicks("local ");
    bench.keys("y");
    assert!(bench.shows("it isn't a connection to an MCP server"), "{}", bench.screen());
}

#[test]
fn the_form_changes_the_file_and_calls_go_by_it_at_once() {
    let mut bench = opened(120, 36);
    bench.clicks("broker ");
    bench.keys("enter");
    bench.clicks("user ");
    bench.types("alice");
    bench.keys("tab");
    assert!(
        text(&bench).contains("tools = [\"tell-joke\"]\nuser = \"alice\"\n"),
        "{}",
        text(&bench)
    );
    assert!(text(&bench).contains("# theirs\n"), "{}", text(&bench));
    assert!(bench.shows("set only one kind of credentials"), "{}", bench.screen());
    assert!(
        bench.state.network.connections.find_by_name("broker").is_none(),
        "half a login is none"
    );
    bench.types("MQ_PASSWORD");
    bench.keys("tab");
    assert_eq!(
        bench.state.network.connections.find_by_name("broker").map(|known| known.secrets().count()),
        Some(1),
        "{}",
        text(&bench)
    );
}

#[test]
fn what_systems_need_is_edited_in_the_spelling_that_the_file_has() {
    let text_of_gate =
        "[connections.gate] # theirs\nservers = \"wss://h:8888\"\nflow = 'f' # the flow\n";
    let text_of_lab = "\n[connections.lab]\nservers = ['nats://h']\n[connections.lab.commonground]\nproject = 'p' # ours\nchannel = 'c'\n";
    let mut bench = Workbench::sample("services", 120, 60);
    let whole = format!("{text_of_gate}{text_of_lab}");
    let loaded = Loaded {
        source: Source::parse(Format::Toml, whole.as_str()),
        text: whole.as_str().into(),
        held: None,
    };
    bench.send(Message::Document(DocumentMessage::Loaded(vec![(FileId::new(SETTINGS), loaded)])));
    let names = bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
    bench.send(Message::Document(DocumentMessage::LoadEnded {
        names,
        skipped: Vec::new(),
        unread: Vec::new(),
    }));
    let mut bench = bench.on(ScreenId::Connections);
    bench.clicks("gate ");
    bench.keys("enter");
    assert!(!bench.shows("commonground"), "{}", bench.screen());
    bench.clicks("workspace ");
    bench.types("w");
    bench.keys("tab");
    let edited = text_of_gate.replace("# the flow\n", "# the flow\nworkspace = \"w\"\n");
    assert_eq!(text(&bench), format!("{edited}{text_of_lab}"));
    let gateway =
        Gateway::from_connection(bench.state.network.connections.find_by_name("gate").unwrap());
    assert_eq!((gateway.workspace.as_deref(), gateway.flow.as_str()), (Some("w"), "f"));
    bench.keys("esc");
    bench.clicks("lab ");
    bench.keys("enter");
    assert!(!bench.shows("workspace "), "{}", bench.screen());
    bench.clicks("agent ");
    bench.types("a.b");
    bench.keys("tab");
    assert_eq!(text(&bench), format!("{edited}{text_of_lab}agent = \"a.b\"\n"));
    assert!(bench.shows("agent is part of"), "{}", bench.screen());
    assert!(
        bench.state.network.connections.find_by_name("lab").is_none(),
        "it cannot be used until that is mended"
    );
}

#[test]
fn a_path_is_chosen_from_what_the_folder_holds() {
    let mut bench = opened(120, 36);
    bench.keys("enter");
    bench.clicks("ca-file ");
    bench.types("certs/");
    bench.keys("enter");
    let asked = bench.effects.iter().find_map(|effect| match effect {
        Effect::LookIntoFolder(folder) => Some(folder.clone()),
        _ => None,
    });
    let folder = asked.expect("the folder is to be looked into");
    let names = Ok(["ours.pem".to_owned(), "theirs.pem".to_owned()].as_slice().into());
    bench.send(Message::Folder(FolderList { folder, names }));
    bench.draw();
    assert!(bench.shows("ours.pem") && bench.shows("theirs.pem"), "{}", bench.screen());
}

#[test]
fn a_test_is_asked_for_and_told() {
    let mut bench = opened(120, 36);
    bench.effects.clear();
    bench.keys("t");
    let asked = bench.effects.iter().find_map(|effect| match effect {
        Effect::TestConnection { turn, connection, .. } => Some((*turn, connection.name.clone())),
        _ => None,
    });
    let (turn, name) = asked.expect("the connection is to be tested");
    assert_eq!(name, "local");
    assert!(bench.shows("asking"), "{}", bench.screen());
    let there = Some(vec!["tool/tell-joke".to_owned()]);
    let reached = Report::Reached(Box::new(ConnectionReport {
        greeting: "a server".into(),
        took_ms: 7,
        there,
        ..ConnectionReport::default()
    }));
    bench.send(Message::Connection(ConnectionMessage::Tested {
        turn: turn - 1,
        connection: name.clone(),
        report: reached.clone(),
    }));
    bench.draw();
    assert!(bench.shows("asking"), "an older answer does not count: {}", bench.screen());
    bench.send(Message::Connection(ConnectionMessage::Tested {
        turn,
        connection: name,
        report: reached,
    }));
    bench.draw();
    assert!(
        bench.shows("a server, after 7 ms") && bench.shows("tool/tell-joke"),
        "{}",
        bench.screen()
    );
}

#[test]
fn connections_are_made_and_unmade_by_keys() {
    let mut bench = opened(120, 36);
    bench.keys("n");
    bench.types("far wss://far:8888");
    bench.keys("enter");
    assert!(
        text(&bench).ends_with("\n[connections.far]\nservers = [\"wss://far:8888\"]\n"),
        "{}",
        text(&bench)
    );
    assert!(bench.shows("far · toolcrib.toml"), "the new one is shown: {}", bench.screen());
    bench.keys("@default-connection");
    assert!(text(&bench).starts_with("connection = \"far\"\n"), "{}", text(&bench));
    assert_eq!(bench.state.current_connection().name, "far");
    // Enter cancels: nothing is deleted that wasn't asked for by its own button.
    bench.keys("d");
    assert!(bench.shows("Enter cancel"), "{}", bench.screen());
    bench.keys("enter");
    assert!(text(&bench).starts_with("connection = \"far\"\n"), "{}", text(&bench));
    bench.keys("d d esc");
    assert!(text(&bench).starts_with("connection = \"far\"\n"), "a held key deletes nothing");
    bench.keys("d right enter");
    assert_eq!(text(&bench), TEXT.replace("connection = \"local\"\n", ""));
    bench.clicks("broker ");
    bench.keys("@choose-connection");
    assert_eq!(bench.state.current_connection().name, "broker");
    bench.keys("@choose-connection");
    assert_eq!(bench.state.current_connection().name, "embedded");
}

/// Two files of other programs, as the runtime answers with what it read of them.
fn found_servers() -> Message {
    let server = |name: &str, table: Result<Value, String>, disabled: bool| ConfigServer {
        name: name.into(),
        about: String::new(),
        version: String::new(),
        shown: format!("npx -y server-{name}"),
        disabled,
        table: table.map(|table| table.as_object().unwrap().clone()),
        notes: Vec::new(),
        wanted: Vec::new(),
    };
    let start = |name: &str| json!({"system": "mcp", "command": "npx", "args": [name]});
    let config = |path: &str, form, servers, findings: &[&str]| FoundConfig {
        path: path.into(),
        read: ConfigServers {
            form,
            servers,
            findings: findings.iter().map(ToString::to_string).collect(),
        },
    };
    let code = vec![
        server("files", Ok(start("files")), false),
        server("local", Ok(start("local")), true),
        server("flag", Err("argument 2 looks like a secret".into()), false),
    ];
    let cursor = vec![server("git", Ok(start("git")), true)];
    let configs = vec![
        config(
            "/here/.vscode/mcp.json",
            "vscode",
            code,
            &["config.secret-inline at /servers/flag"],
        ),
        config("/home/ann/.cursor/mcp.json", "cursor", cursor, &[]),
    ];
    Message::Connection(ConnectionMessage::ServersFound { configs, problems: Vec::new() })
}

#[test]
fn servers_of_other_programs_are_ticked_and_added() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = opened(width, height);
        bench.effects.clear();
        bench.keys("@import-servers");
        assert!(bench.effects.contains(&Effect::FindServers), "{:?}", bench.effects);
        bench.send(found_servers());
        bench.draw();
        for words in ["npx -y server-files", ".vscode/mcp.json", "name taken", "off there"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        assert!(bench.shows("config.secret-inline"), "{}", bench.screen());
        // What can't be added is not ticked, and says why.
        bench.keys("down down space");
        assert!(bench.shows("⚠ argument 2 looks like a secret"), "{}", bench.screen());
        bench.keys("down space");
        bench.clicks("files ");
        bench.keys("enter");
        let added = text(&bench);
        assert!(added.starts_with(TEXT.trim_end()), "{added}");
        for table in ["[connections.files]", "[connections.git]", "args = [\"git\"]"] {
            assert!(added.contains(table), "{table}\n{added}");
        }
        assert!(bench.shows("Added files, git"), "{}", bench.screen());
        // Once more: they are there.
        bench.keys("@import-servers");
        bench.send(found_servers());
        bench.draw();
        assert!(bench.shows("added"), "{}", bench.screen());
        bench.keys("esc");
        assert_eq!(text(&bench), added);
    }
}

/// A test of the connection `files` ended, and its server lists these tools.
fn lists(bench: &mut Workbench, version: &str, tools: &Value) {
    bench.effects.clear();
    bench.keys("t");
    let turn = bench.effects.iter().find_map(|effect| match effect {
        Effect::TestConnection { turn, .. } => Some(*turn),
        _ => None,
    });
    let listed = ListedTools {
        server: "files".into(),
        version: version.into(),
        time: "2026-11-23T10:00:00Z".into(),
        tools: tools.as_array().cloned().unwrap(),
    };
    let reached = ConnectionReport { listed: Some(listed), ..ConnectionReport::default() };
    bench.send(Message::Connection(ConnectionMessage::Tested {
        turn: turn.expect("the connection is to be tested"),
        connection: "files".into(),
        report: Report::Reached(Box::new(reached)),
    }));
    bench.draw();
}

#[test]
fn tools_of_a_server_are_kept_and_what_changed_is_accepted_one_by_one() {
    let mut bench = opened(200, 60);
    bench.keys("K");
    assert!(bench.shows("test the connection (t) first"), "{}", bench.screen());
    bench.send(found_servers());
    bench.draw();
    bench.keys("enter");
    assert!(bench.shows("nothing is ticked: Space ticks"), "{}", bench.screen());
    bench.keys("space enter");
    assert!(bench.shows("files · toolcrib.toml"), "{}", bench.screen());
    let old = json!([{"name": "read", "description": "Reads a file"}, {"name": "write", "description": "Writes a file"}]);
    lists(&mut bench, "2025-11-25", &old);
    assert!(bench.shows("Its tools aren't saved in the workspace."), "{}", bench.screen());
    bench.keys("K");
    assert!(bench.shows("✓ same as in mcp/files.json"), "{}", bench.screen());
    let new = json!([{"name": "read", "description": "Reads all files"}, {"name": "erase"}]);
    lists(&mut bench, "2025-11-25", &new);
    for words in ["⚠ 1 breaking", "⚠ 1 trust", "⚠ 1 compatible"] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    bench.keys("K");
    bench.clicks("read ");
    for words in ["trust: text.changed at /description", "- Reads a file", "+ Reads all files"] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    bench.keys("enter");
    let kept = |bench: &Workbench| {
        let document = bench.state.documents.get(&FileId::new("mcp/files.json")).unwrap();
        let value: Value = serde_json::from_str(document.text.whole_text()).unwrap();
        let tools = value["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kept(&bench), ["read", "write"]);
    assert!(!bench.shows("1 trust") && bench.shows("⚠ 1 breaking"), "{}", bench.screen());
    bench.keys("K");
    bench.keys("ctrl+a enter");
    assert_eq!(kept(&bench), ["read", "erase"]);
    assert!(bench.shows("✓ same as in mcp/files.json"), "{}", bench.screen());
}

#[tokio::test]
async fn a_real_server_is_found_or_missed_in_words() {
    let server = NatsServer::start();
    let registry = Registry::default();
    let Report::Reached(reached) = connection_report(&registry, &server.connection()).await else {
        panic!("nobody answers")
    };
    assert!(reached.greeting.starts_with("nats-server "), "{}", reached.greeting);
    assert_eq!((reached.there, reached.listeners, reached.untold.len()), (None, None, 0));
    let nobody = Connection::nats("nobody", "nats://127.0.0.1:1");
    let Report::Failed(problem) = connection_report(&registry, &nobody).await else {
        panic!("somebody answers")
    };
    assert!(problem.cause.contains("couldn't connect to nats://127.0.0.1:1"), "{problem}");
    let Report::Reached(reached) = connection_report(&registry, &Connection::embedded()).await
    else {
        panic!("embedded is always there")
    };
    assert!(reached.untold.is_empty());
}

#[test]
fn a_first_import_that_reaches_nobody_saves_nothing_and_says_the_way_back() {
    let mut bench = Workbench::files(&[], 120, 36);
    bench.state.question = Some(Question::Begin);
    bench.draw();
    bench.keys("t f6");
    let asked = bench
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::ReadDeployed { purpose: Purpose::FirstImport, .. }));
    assert!(asked, "{:?}", bench.effects);
    let problem =
        Problem::new(ProblemKind::Unreachable, "importing", "couldn't connect to 127.0.0.1:8088");
    bench.send(Message::Connection(ConnectionMessage::Deployed {
        purpose: Purpose::FirstImport,
        read: Err(problem),
    }));
    bench.draw();
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::Save { .. })));
    assert_eq!(bench.state.screen, ScreenId::Connections);
    let screen = bench.screen();
    let (left, right) = ("couldn't connect to 127.0.0.1:8088", "isn't saved: u removes it");
    assert!(screen.contains(left) && screen.contains(right), "{screen}");
    bench.keys("u");
    assert_eq!(bench.state.current_connection().name, "embedded");
}

#[test]
fn who_misses_a_connection_where_one_is_chosen_is_led_to_where_it_is_added() {
    let mut bench = opened(120, 36).on(ScreenId::Watch);
    bench.keys("C");
    bench.types("add a conn");
    bench.keys("enter");
    assert_eq!(bench.state.screen, ScreenId::Connections, "{}", bench.screen());
}
