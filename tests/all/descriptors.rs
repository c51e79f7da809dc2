//! Every form in which TrustGraph's entries stand in files: what is read, and where it stands.

use serde_json::json;
use toolcrib::{
    model::{
        catalog::Catalog,
        context::Mode,
        entry::{EntryForm, EntryKind, FileId},
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{by_id, every_system, read, system::NewPlace},
};

fn parse(name: &str, text: &str) -> (FileId, Source) {
    let file = FileId::new(name);
    let source = Source::parse(Format::from_path(file.path()).unwrap(), text).unwrap();
    (file, source)
}

fn catalog(name: &str, text: &str) -> Catalog {
    let (file, source) = parse(name, text);
    read::read_catalog([(&file, &source)], Mode::Document)
}

/// Entries as `kind key document line:column`, with a mark for JSON text.
fn entries(name: &str, text: &str) -> Vec<String> {
    let entry = |entry: &toolcrib::model::entry::Entry| {
        let text = if entry.id.place().form == EntryForm::JsonText { " text" } else { "" };
        format!(
            "{} {} {} {}:{}{text}",
            entry.kind.as_str(),
            entry.key,
            entry.id.place().document,
            entry.line,
            entry.column
        )
    };
    catalog(name, text).entries().map(entry).collect()
}

#[test]
fn one_entry_in_a_file() {
    let tool = r#"{"type": "tool-service", "name": "tell-joke", "description": "d", "service": "joke-service"}"#;
    let service = r#"{"id": "joke-service", "request-queue": "a", "response-queue": "b"}"#;
    assert_eq!(entries("tools/tell-joke.json", tool), ["tool tell-joke 0 1:1"]);
    assert_eq!(entries("joke.json", service), ["service joke-service 0 1:1"]);
    assert_eq!(entries("ask.yml", "# asks\ntype: prompt\nname: ask\n"), ["tool ask 0 2:1"]);
    assert_eq!(entries("ask.toml", "type = \"prompt\"\nname = \"ask\"\n"), ["tool ask 0 1:1"]);
    assert_eq!(entries("m.yaml", "url: http://localhost\nremote-name: x\n"), ["server m 0 1:1"]);
}

#[test]
fn maps_of_entries() {
    let yaml = "tool:\n  a:\n    type: prompt\n  b: {name: B}\ntool-service:\n  s: {request-queue: q}\nmcp:\n  m: {url: http://localhost}\n";
    assert_eq!(
        entries("all.yaml", yaml),
        ["tool a 0 2:3", "tool b 0 4:3", "service s 0 6:3", "server m 0 8:3"]
    );
    let toml = "[tool.a]\ntype = \"prompt\"\n\n[tool-service.s]\nrequest-queue = \"q\"\n";
    assert_eq!(entries("all.toml", toml), ["tool a 0 1:7", "service s 0 4:15"]);
    let json = "{\n  \"tool\": {\n    \"a\": {\"type\": \"prompt\"}\n  }\n}";
    assert_eq!(entries("all.json", json), ["tool a 0 3:5"]);
}

#[test]
fn several_documents_in_a_file() {
    let yaml = "tool:\n  a: {type: prompt}\n---\nanother: thing\n---\ntype: prompt\nname: c\n";
    assert_eq!(entries("many.yaml", yaml), ["tool a 0 2:3", "tool many 2 6:1"]);
}

#[test]
fn exports_with_json_text() {
    let export = "{\"tool\": {\n \"a\": \"{\\\"type\\\": \\\"prompt\\\", \\\"name\\\": \\\"A\\\"}\",\n \"b\": \"{oh\"}, \"prompt\": {\"x\": \"{}\"}}";
    assert_eq!(entries("export.json", export), ["tool a 0 2:2 text", "tool b 0 3:2 text"]);
    assert_eq!(catalog("export.json", export).tools[0].name, "A");
    let reply = r#"{"version": 2, "values": [{"type": "tool", "key": "a", "value": "{\"type\": \"prompt\"}"}]}"#;
    assert_eq!(entries("values.json", reply).len(), 1);
}

#[test]
fn files_of_others_are_left_alone() {
    for (name, text) in [
        (
            "package.json",
            r#"{"name": "x", "version": "1.0.0", "description": "d", "type": "module", "main": "x.js"}"#,
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\n[tool.black]\nline-length = 88\n[tool.poetry]\nname = \"x\"\ndescription = \"d\"\ngroup.dev.dependencies = {}\n",
        ),
        (
            "toolcrib.toml",
            "name = \"x\"\nmode = \"document\"\n[profiles]\nanalyst = [\"read-only\"]\n[connections.local]\ntransport = \"nats\"\nservers = [\"nats://127.0.0.1\"]\n",
        ),
        (
            "scenario.yaml",
            "name: x\nstart: {groups: [a], state: b}\nsteps:\n  - {tool: a, expect: {state: c}}\n",
        ),
        ("docker-compose.yaml", "services:\n  web: {image: x, command: y}\n"),
        (
            "ci.yaml",
            "name: CI\non: push\njobs:\n  build: {runs-on: x, steps: [{name: a, run: b}]}\n",
        ),
        ("mcp.json", r#"{"mcpServers": {"a": {"command": "x", "args": []}}}"#),
        ("vscode.json", r#"{"mcp": {"servers": {"a": {"command": "x"}}}}"#),
        ("list.json", "[1, 2]"),
        ("empty.yaml", ""),
    ] {
        assert_eq!(entries(name, text), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_changed_file_is_read_alone() {
    let a = parse("a.yaml", "tool:\n  x: {type: prompt}\n  y: {type: prompt}\n");
    let b = parse("b.yaml", "tool:\n  z: {type: prompt}\n");
    let mut catalog = read::read_catalog([(&a.0, &a.1), (&b.0, &b.1)], Mode::Document);
    let keys = |catalog: &Catalog| {
        catalog.tools.iter().map(|tool| tool.entry.key.clone()).collect::<Vec<_>>().join(" ")
    };
    let (edited, _) =
        a.1.apply(0, &Edit::Remove { at: Pointer::parse("/tool/x").unwrap() }).unwrap();
    catalog.replace_file(&a.0, read::read_part(&a.0, &edited, Mode::Document));
    assert_eq!(keys(&catalog), "y z");
    let y = catalog.tools[0].id().clone();
    assert_eq!(catalog.tool(&y).map(|tool| tool.entry.key.as_str()), Some("y"));
    assert_eq!(catalog.tool_called("z").map(|tool| tool.id().file().as_str()), Some("b.yaml"));
    catalog.replace_file(&a.0, Default::default());
    assert_eq!((keys(&catalog).as_str(), catalog.tool(&y).is_none()), ("z", true));
}

#[test]
fn in_document_mode_a_services_id_finds_it_too() {
    let text = "tool-service:\n  jokes: {id: joke-service, request-queue: a, response-queue: b}\n";
    let (file, source) = parse("s.yaml", text);
    let found = |mode, key| {
        read::read_catalog([(&file, &source)], mode).service_by_key("trustgraph", key).is_some()
    };
    assert_eq!(
        (found(Mode::Document, "jokes"), found(Mode::Document, "joke-service")),
        (true, true)
    );
    assert_eq!(
        (found(Mode::AsDeployed, "jokes"), found(Mode::AsDeployed, "joke-service")),
        (true, false)
    );
}

#[test]
fn new_entries_are_known_again_when_read_back() {
    for system in every_system() {
        for kind in system.new_entry_kinds() {
            let value = kind.named_value("fresh");
            let (path, value) = match kind.place {
                NewPlace::Map(section) => ("new.json".into(), json!({section: {"fresh": value}})),
                NewPlace::Alone => ("new.json".into(), value),
                NewPlace::Folder(folder) => (format!("{folder}/new.json"), value),
                NewPlace::List(list) => ((list.path)("new"), (list.value)("new", vec![value])),
            };
            let catalog = catalog(&path, &value.to_string());
            let found: Vec<EntryKind> = catalog.entries().map(|entry| entry.kind).collect();
            // What holds a list is there with it.
            let holder = matches!(kind.place, NewPlace::List(_)).then_some(EntryKind::Server);
            let expected: Vec<EntryKind> = [kind.kind].into_iter().chain(holder).collect();
            assert_eq!(found, expected, "{value}");
        }
    }
}

#[test]
fn the_form_of_every_kind_has_a_valid_schema_and_takes_a_right_entry() {
    let text = "\
tool:
  joke: {type: tool-service, name: joke, description: d, group: [a], state: s, applicable-states: [undefined], service: jokes, style: pun, arguments: [{name: topic, type: string, description: d}]}
  rows: {type: row-embeddings-query, name: rows, description: d, schema-name: s, limit: '20'}
  ask: {type: knowledge-query, name: ask, description: d, available_in_states: [undefined], collection: c}
tool-service:
  jokes: {id: jokes, request-queue: x, response-queue: y, config-params: [{name: style, required: true}]}
mcp:
  m: {url: 'http://localhost'}
";
    let catalog = catalog("t.yaml", text);
    for entry in catalog.entries() {
        let schema = by_id(entry.system).unwrap().entry_schema(entry, &catalog);
        let validator = jsonschema::draft202012::new(&schema)
            .unwrap_or_else(|error| panic!("{}: {error}", entry.key));
        let errors: Vec<String> =
            validator.iter_errors(&entry.value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", entry.key);
        assert!(!validator.is_valid(&serde_json::json!({})), "{} takes anything", entry.key);
    }
    let joke = &catalog.tools[0].entry;
    let schema = by_id(joke.system).unwrap().entry_schema(joke, &catalog);
    let order: Vec<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        order,
        [
            "name",
            "type",
            "description",
            "group",
            "state",
            "applicable-states",
            "service",
            "style",
            "arguments",
            "arguments-schema"
        ]
    );
    assert_eq!(schema["properties"]["service"]["examples"], serde_json::json!(["jokes"]));
    assert!(schema["required"].as_array().unwrap().contains(&"style".into()));
}

mod anything {
    use proptest::prelude::*;
    use serde_json::{Map, Value};
    use toolcrib::{
        engine::model_view::{self, Client},
        systems::findings,
    };

    use super::*;

    const KEYS: &[&str] = &[
        "type",
        "name",
        "description",
        "group",
        "state",
        "applicable-states",
        "available_in_states",
        "arguments",
        "arguments-schema",
        "service",
        "mcp-tool",
        "mcp_tool_id",
        "template",
        "limit",
        "schema-name",
        "id",
        "request-queue",
        "response-queue",
        "config-params",
        "required",
        "url",
        "groups",
    ];
    const WORDS: &[&str] = &[
        "tool-service",
        "prompt",
        "mcp-tool",
        "row-embeddings-query",
        "a",
        "b",
        "*",
        "",
        "undefined",
        " a",
        "a,b",
        "string",
    ];

    /// Values as no author would write them, made of the words that mean something.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(Value::from),
            prop::sample::select(WORDS).prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((prop::sample::select(KEYS), inner), 0..8).prop_map(
                    |members| Value::Object(
                        members
                            .into_iter()
                            .map(|(key, value)| (key.to_owned(), value))
                            .collect::<Map<_, _>>()
                    )
                ),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn whatever_an_entry_holds_it_is_read_checked_and_shown(tools in prop::collection::vec(value(), 1..4), other in value(), key in ".{0,4}") {
            let members = |values: &[Value]| values.iter().enumerate().map(|(row, value)| (format!("{key}{row}"), value.clone())).collect::<Map<_, _>>();
            let mut all = members(&tools);
            all.insert("sure".into(), serde_json::json!({"type": "prompt"}));
            let text = serde_json::json!({"tool": all, "tool-service": members(std::slice::from_ref(&other)), "mcp": members(&[other])}).to_string();
            let (file, source) = parse("t.json", &text);
            for mode in [Mode::Document, Mode::AsDeployed] {
                let catalog = read::read_catalog([(&file, &source)], mode);
                prop_assert_eq!(catalog.tools.len(), tools.len() + 1);
                let found = findings::catalog_findings(&catalog, |_| Some(&source));
                for finding in &found {
                    prop_assert!(finding.site.line > 0 && finding.site.column > 0, "{:?}", finding);
                    prop_assert!(!finding.message.chars().any(char::is_control), "{:?}", finding.message);
                }
                for entry in catalog.entries() {
                    let schema = by_id(entry.system).unwrap().entry_schema(entry, &catalog);
                    prop_assert!(jsonschema::draft202012::new(&schema).is_ok(), "{schema}");
                }
                for tool in &catalog.tools {
                    let function = by_id(tool.entry.system).unwrap().model_function(tool);
                    let said = found.iter().any(|finding| {
                        finding.code == "arguments.schema-invalid" && finding.site.entry.as_ref() == Some(tool.id())
                    });
                    prop_assert!(said || jsonschema::draft202012::new(&function.parameters).is_ok(), "{}", function.parameters);
                    for client in Client::ALL {
                        let _ = model_view::find_refusals(&function, client);
                    }
                }
            }
        }
    }
}
