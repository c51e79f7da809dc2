//! `toolcrib convert`: every tool of every sample to every target and back, what is said of each field,
//! documents that are read, and the command.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolcrib::{
    app::message::Message,
    engine::portable::{
        baggage::Baggage,
        fate::{Fate, FateKind},
        formats::{FORMATS, read_document},
        tool::PortableTool,
    },
    model::{catalog::Catalog, context::Mode, entry::FileId, tool::Function},
    store::samples::SAMPLES,
    syntax::source::{Format, Source},
    systems::{
        convert::{all_fates, fates, pack_tool},
        facets::portable::PortableFile,
        read,
        target::Target,
    },
};

use super::support::{place::Place, workbench::Workbench};

fn catalog(files: &[(String, Source)]) -> Catalog {
    let files: Vec<_> =
        files.iter().map(|(path, source)| (FileId::new(path.as_str()), source)).collect();
    read::read_catalog(files.iter().map(|(file, source)| (file, *source)), Mode::Document)
}

fn sample_catalog(name: &str) -> Catalog {
    let sample = SAMPLES.iter().find(|sample| sample.name == name).unwrap();
    let files: Vec<_> = sample
        .files
        .iter()
        .filter_map(|(path, text)| {
            let format = Format::from_path(path.as_ref())?;
            Some(((*path).to_owned(), Source::parse(format, *text).unwrap()))
        })
        .collect();
    catalog(&files)
}

/// The tools of files that a target wrote, as they are packed again.
fn unpacked(target: Target, files: &[PortableFile]) -> Vec<PortableTool> {
    match target {
        Target::Format(_) => {
            read_document(&files[0].value).unwrap().0.into_iter().map(|one| one.tool).collect()
        }
        Target::System(..) => {
            let parse = |file: &PortableFile| {
                let path = format!("{}.json", file.path.rsplit_once('.').unwrap().0);
                (path, Source::parse(Format::Json, file.value.to_string()).unwrap())
            };
            let catalog = catalog(&files.iter().map(parse).collect::<Vec<_>>());
            let pack = |tool| pack_tool(tool, Mode::Document).unwrap().tool;
            catalog.tools.iter().map(|tool| pack(tool)).collect()
        }
    }
}

/// The fields in which two tools differ.
fn differing(one: &PortableTool, other: &PortableTool) -> BTreeSet<String> {
    let fields = |tool: &PortableTool| -> BTreeMap<String, Value> {
        tool.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let (one, other) = (fields(one), fields(other));
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

/// The fields that are said not to be as they were.
fn named(fates: &[Fate]) -> BTreeSet<String> {
    let is_named = |fate: &&Fate| fate.kind != FateKind::Carried;
    fates.iter().filter(is_named).map(|fate| fate.field.clone()).collect()
}

#[test]
fn there_and_back_every_field_is_as_it_was_or_named() {
    let mut seen = 0;
    for sample in SAMPLES {
        let catalog = sample_catalog(sample.name);
        for tool in &catalog.tools {
            let packed = pack_tool(tool, Mode::Document).unwrap();
            for there in Target::all() {
                let case = format!("{} of {} to {}", tool.name, sample.name, there.word());
                let out = fates(&packed, there);
                let files = there.write(std::slice::from_ref(&packed));
                let [second] = &unpacked(there, &files)[..] else { panic!("{case}: {files:#?}") };
                let missing = &differing(&packed.tool, second) - &named(&out);
                assert!(missing.is_empty(), "{case}: {missing:?} in {out:#?}");
                let Some(back) = Target::by_word(tool.entry.system) else { continue };
                let second = Baggage::new(second.clone());
                let returned = fates(&second, back);
                let files = back.write(std::slice::from_ref(&second));
                let [third] = &unpacked(back, &files)[..] else { panic!("{case} and back") };
                let told = &named(&out) | &named(&returned);
                let missing = &differing(&packed.tool, third) - &told;
                assert!(missing.is_empty(), "{case} and back: {missing:?} in {told:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn each_member_of_an_entry_is_carried_or_named() {
    let catalog = sample_catalog("services");
    let tool = catalog.tool_called("tell-joke").unwrap();
    let packed = pack_tool(tool, Mode::Document).unwrap();
    let lost: Vec<&str> = packed.lost.iter().map(|fate| fate.field.as_str()).collect();
    assert!(lost.contains(&"/service"), "{lost:?}");
    assert!(!lost.contains(&"/arguments") && !lost.contains(&"/name"), "{lost:?}");
    let of = |word: &str, kind: FateKind| -> Vec<String> {
        let all = fates(&packed, Target::by_word(word).unwrap());
        all.into_iter().filter(|fate| fate.kind == kind).map(|fate| fate.field).collect()
    };
    for target in Target::all() {
        let carried = of(target.word(), FateKind::Carried);
        for field in ["name", "description", "arguments"] {
            assert!(carried.iter().any(|known| known == field), "{field} to {}", target.word());
        }
    }
    assert!(of("commonground", FateKind::Assumed).contains(&"/target_subject".to_owned()));
    // The system's own entry is there whole.
    assert_eq!(of("trustgraph", FateKind::Lost), [""; 0]);
    assert_eq!(of("trustgraph", FateKind::Assumed), [""; 0]);
    let foreign = fates(&Baggage::new(packed.tool.clone()), Target::by_word("trustgraph").unwrap());
    let is_service = |fate: &Fate| fate.kind == FateKind::Assumed && fate.field.contains("service");
    assert!(foreign.iter().any(is_service), "{foreign:?}");
    assert!(of("mcp", FateKind::Changed).is_empty());
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer", "minimum": 1, "description": "how many"})),
        Just(json!({"enum": ["a", 1, null]})),
        Just(json!(true)),
        Just(json!({"$ref": "#/$defs/a~1b"})),
        Just(json!({"type": "array", "items": {"$ref": "#"}})),
    ];
    (prop::collection::btree_map("[a-z]{1,3}", leaf, 0..4), any::<bool>()).prop_map(
        |(properties, is_required)| {
            let required: Vec<_> = properties.keys().filter(|_| is_required).cloned().collect();
            let mut schema = json!({"type": "object", "properties": properties});
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            schema["$defs"] = json!({"a/b": {"type": "boolean"}});
            schema
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_said_to_be_carried_is_there(name in "[a-zA-Z][a-z _.-]{0,6}", description in ".{0,12}", parameters in any_schema(), has_output in any::<bool>(), strict in any::<Option<bool>>()) {
        let mut tool = PortableTool::from_function(Function::new(name, description, parameters.clone()));
        tool.strict = strict;
        tool.output = has_output.then_some(parameters);
        for target in Target::all() {
            let packed = Baggage::new(tool.clone());
            let said = fates(&packed, target);
            let there = unpacked(target, &target.write(std::slice::from_ref(&packed)));
            prop_assert_eq!(there.len(), 1, "{}", target.word());
            let missing = &differing(&tool, &there[0]) - &named(&said);
            prop_assert!(missing.is_empty(), "{}: {:?}", target.word(), missing);
        }
    }

    #[test]
    fn no_document_makes_the_reader_panic(document in any_document()) {
        let _ = read_document(&document);
    }
}

fn any_document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!("3.0.1")),
        Just(json!("#/components/schemas/a")),
        Just(json!(true)),
        Just(json!("get"))
    ];
    let key = prop::sample::select(vec![
        "openapi",
        "paths",
        "/a",
        "get",
        "parameters",
        "name",
        "in",
        "schema",
        "$ref",
        "requestBody",
        "content",
        "application/json",
        "components",
        "schemas",
        "a",
        "tools",
        "function",
    ]);
    leaf.prop_recursive(6, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

const API: &str = "\
openapi: 3.0.3
info: {title: Orders, version: '1'}
servers: [{url: 'https://example.com'}]
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      summary: Gets an order
      parameters:
        - {name: id, in: path, required: true, description: Its number, schema: {type: integer}}
      responses: {'200': {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
components:
  schemas:
    Order: {type: object, properties: {state: {type: string, nullable: true}}}
";

#[test]
fn the_command_says_what_becomes_of_each_field_and_then_writes() {
    let place = Place::with(&[
        ("toolcrib.toml", ""),
        ("api.yaml", API),
        (
            "tools.yaml",
            "tool:\n  joke: {type: tool-service, name: joke, description: Tells a joke, service: jokes, group: [fun], arguments: [{name: topic, type: string, description: About what}]}\n",
        ),
    ]);
    let openai = place.run(&["convert", "joke", "--to", "openai"]);
    openai.ended(
        0,
        &[
            "joke → OpenAI's tools",
            "✓ carried  name, description, arguments",
            "− lost     /service: jokes",
            "− lost     groups: [\"fun\"]; the format knows no groups or states",
        ],
    );
    assert_eq!(openai.json()[0]["function"]["parameters"]["required"], json!(["topic"]));
    place
        .run(&["convert", "joke", "--to", "openai", "--lossless"])
        .ended(1, &["nothing was written"]);
    place
        .run(&["convert", "joke", "--to", "nobody"])
        .ended(2, &["there is no system or format \"nobody\"", "trustgraph, "]);
    place.run(&["convert", "jok", "--to", "mcp"]).ended(2, &["did you mean \"joke\"?"]);
    let api = place.run(&["convert", "api.yaml", "--to", "trustgraph", "--out", "orders.yaml"]);
    api.ended(
        0,
        &[
            "/servers isn't read: a connection has the address",
            "getOrder → TrustGraph",
            "− lost     answer",
            "wrote orders.yaml",
        ],
    );
    let text = std::fs::read_to_string(place.here.join("orders.yaml")).unwrap();
    assert!(
        text.starts_with("tool:\n  getorder:\n")
            && text.contains("request-queue: request:tg:getorder"),
        "{text}"
    );
    place.run(&["check", "orders.yaml"]).ended(0, &[]);
    place
        .run(&["convert", "api.yaml", "--to", "trustgraph", "--out", "orders.yaml"])
        .ended(2, &["orders.yaml is there already"]);
    let one = place.run(&["convert", "api.yaml", "getOrder", "--to", "opensearch"]);
    one.ended(0, &["getOrder → OpenSearch"]);
    assert_eq!(one.json()["parameters"]["uri"], "/orders/${parameters.id}");
    for (target, words) in [
        ("mcp", "− lost     request: GET /orders/{id}"),
        ("openai", "request: GET /orders/{id}; the format has no method and path"),
        ("opensearch", "✓ carried  name, description, arguments, request"),
    ] {
        place.run(&["convert", "api.yaml", "getOrder", "--to", target]).ended(0, &[words]);
    }
    place.run(&["convert", "api.yaml", "nothing", "--to", "mcp"]).ended(2, &["it has getOrder"]);
    let report = place.run(&["convert", "joke", "--to", "mcp", "--json"]).json();
    assert_eq!(report["tools"][0]["tool"], "joke");
    assert_eq!(report["files"][0]["path"], "mcp/converted.json");
}

#[test]
fn all_tools_are_converted_or_those_that_a_request_gets() {
    let place = Place::sample("demo");
    let names = |words: &[&str]| -> Vec<String> {
        let ran = place.run(&[&["convert", "--to", "openai"], words].concat());
        ran.ended(0, &[]);
        let list = ran.json();
        let names = list.as_array().unwrap().iter();
        names.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = place.json(&["tools", "--json"]);
    assert_eq!(names(&["--all"]).len(), all.as_array().unwrap().len());
    let offered = names(&["--groups", "read-only"]);
    assert!(!offered.is_empty() && offered.len() < names(&["--all"]).len(), "{offered:?}");
    let none = place.run(&["convert", "--to", "openai", "--groups", "nobody"]);
    none.ended(2, &["there is no tool to convert"]);
    let both = ["convert", "calculator", "--to", "openai", "--groups", "read-only"];
    place.run(&both).ended(2, &["leave the names out"]);
    place.run(&["convert", "calculator", "--all", "--to", "openai"]).ended(2, &[]);
    place.run(&["convert", "--to", "openai"]).ended(2, &[]);
}

#[test]
fn groups_and_states_go_to_the_settings_where_entries_have_none() {
    let tool = "tool:\n  joke: {type: tool-service, name: joke, description: Jokes, service: jokes, group: [fun], \
                applicable-states: [ready], state: told, arguments: []}\n";
    let place = Place::with(&[
        ("toolcrib.toml", "# ours\nconnection = \"embedded\"\n"),
        ("tools.yaml", tool),
    ]);
    let ran = place.run(&["convert", "joke", "--to", "opensearch", "--out", "joke.json"]);
    ran.ended(0, &["wrote joke.json", "wrote groups and states of joke to toolcrib.toml"]);
    let settings = std::fs::read_to_string(place.here.join("toolcrib.toml")).unwrap();
    assert!(settings.starts_with("# ours\n"), "{settings}");
    let value: toml_edit::DocumentMut = settings.parse().unwrap();
    let gate = &value["opensearch"]["tools"]["joke"];
    assert_eq!(gate["groups"][0].as_str(), Some("fun"), "{settings}");
    assert_eq!(gate["states"][0].as_str(), Some("ready"), "{settings}");
    assert_eq!(gate["next"].as_str(), Some("told"), "{settings}");
    // A file that is not the workspace's has no gates there.
    let away = tempfile::tempdir().unwrap();
    let out = away.path().join("joke.json");
    let place = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", tool)]);
    let ran = place.run(&["convert", "joke", "--to", "opensearch", "--out", out.to_str().unwrap()]);
    assert!(!ran.words.contains("groups and states of"), "{}", ran.words);
}

fn named_list(names: &[&str]) -> String {
    let function = |name: &&str| json!({"name": name, "description": "Does it", "input_schema": {"type": "object", "properties": {}}});
    names.iter().map(function).collect::<Value>().to_string()
}

#[test]
fn names_that_collide_are_all_written() {
    let list = named_list(&["getUser", "getuser", "users.get", "users-get", "users-get"]);
    let place = Place::with(&[("toolcrib.toml", ""), ("list.json", &list)]);
    let ran = place.run(&["convert", "list.json", "--to", "trustgraph", "--out", "coll.yaml"]);
    ran.ended(
        0,
        &[
            "+ assumed  key: getuser-2; another tool has getuser",
            "~ changed  name: users-get-2",
            "+ assumed  key: users-get-2; another tool has users-get",
        ],
    );
    let text = std::fs::read_to_string(place.here.join("coll.yaml")).unwrap();
    let source = Source::parse(Format::Yaml, text).unwrap();
    let value = source.value(0).unwrap();
    let keys: Vec<&String> = value["tool"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["getuser", "getuser-2", "users-get", "users-get-2", "users-get-3"]);
    assert_eq!(value["tool"]["getuser-2"]["service"], "getuser-2");
    assert_eq!(value["tool-service"].as_object().unwrap().len(), 5);
    place.run(&["convert", "list.json", "--to", "commonground", "--out", "defs"]).ended(0, &[]);
    assert_eq!(std::fs::read_dir(place.here.join("defs/tools")).unwrap().count(), 5);
    place
        .run(&["convert", "list.json", "--to", "trustgraph", "--lossless"])
        .ended(1, &["nothing was written"]);
}

#[test]
fn nothing_is_written_where_one_file_is_there_already() {
    let place = Place::with(&[
        ("toolcrib.toml", ""),
        ("list.json", &named_list(&["a", "b"])),
        ("defs/tools/b.yaml", "{}\n"),
    ]);
    place
        .run(&["convert", "list.json", "--to", "commonground", "--out", "defs"])
        .ended(2, &["b.yaml is there already"]);
    assert!(!place.here.join("defs/tools/a.yaml").exists());
}

#[test]
fn names_become_those_that_the_target_takes() {
    let list = named_list(&["users.get", "users_get", "put x!"]);
    let place = Place::with(&[("list.json", &list)]);
    for (target, names) in [
        ("openai", ["users_get", "users_get-2", "put_x_"]),
        ("mcp", ["users.get", "users_get", "put_x_"]),
        ("langchain", ["users.get", "users_get", "put x!"]),
    ] {
        let ran = place.run(&["convert", "list.json", "--to", target]);
        ran.ended(0, &[]);
        let value = ran.json();
        let list = value.get("tools").unwrap_or(&value).as_array().unwrap();
        let named = |item: &Value| item.get("function").unwrap_or(item)["name"].clone();
        assert_eq!(list.iter().map(named).collect::<Vec<_>>(), names, "{target}");
        assert_eq!(ran.words.contains("~ changed  name: put_x_"), target != "langchain");
    }
}

const FAULTY_API: &str = "\
openapi: 3.1.0
info: {title: Orders, version: '1'}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters:
        - {name: id, in: query, schema: {type: string}}
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: tags, in: query, explode: false, style: form, schema: {type: array, items: {$ref: '#/components/schemas/Tag'}}}
      responses: {'200': {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Nope'}}}}}
    put:
      operationId: putOrder
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: dry, in: query, schema: {type: boolean}}
      requestBody: {required: true, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Tag'}}}}}
components:
  schemas:
    Tag: {type: object, properties: {owner: {$ref: 'other.yaml#/Foo', description: Whose}}}
";

#[test]
fn what_refers_to_nothing_is_lost_and_accepts_anything() {
    let place = Place::with(&[("api.yaml", FAULTY_API)]);
    let ran = place.run(&["convert", "api.yaml", "getOrder", "--to", "mcp", "--json"]);
    ran.ended(
        0,
        &[
            "− lost     /answer: #/components/schemas/Nope isn't in the document; anything is accepted",
            "− lost     /arguments/$defs/Tag/properties/owner: other.yaml#/Foo isn't",
            "+ assumed  /arguments/properties/query_id: the query parameter id",
        ],
    );
    let schema = &ran.json()["files"][0]["value"]["tools"][0]["inputSchema"];
    assert_eq!(schema["$defs"]["Tag"]["properties"]["owner"], json!({"description": "Whose"}));
    assert_eq!(schema["properties"]["id"], json!({"type": "integer"}));
    assert_eq!(schema["properties"]["query_id"], json!({"type": "string"}));
    place.run(&["convert", "api.yaml", "getOrder", "--to", "openapi", "--lossless"]).ended(1, &[]);
}

#[test]
fn an_operation_keeps_where_its_arguments_go() {
    let (packed, _) = toolcrib::systems::convert::pack_document(
        Source::parse(Format::Yaml, FAULTY_API).unwrap().value(0).unwrap(),
    )
    .unwrap();
    let target = Target::by_word("openapi").unwrap();
    let value = &target.write(&packed)[0].value;
    let get = &value["paths"]["/orders/{id}"]["get"]["parameters"];
    assert_eq!(get[0], json!({"name": "id", "in": "query", "schema": {"type": "string"}}));
    assert_eq!(get[2]["in"], "header");
    assert_eq!((&get[3]["explode"], &get[3]["style"]), (&json!(false), &json!("form")));
    assert_eq!(get[3]["schema"]["items"]["$ref"], "#/components/schemas/Tag");
    let put = &value["paths"]["/orders/{id}"]["put"];
    assert_eq!(
        (&put["parameters"][1]["name"], &put["parameters"][1]["in"]),
        (&json!("dry"), &json!("query"))
    );
    assert_eq!(put["requestBody"]["content"]["application/json"]["schema"]["type"], "array");
    for fates in all_fates(&packed, target) {
        let is_named = |fate: &&Fate| fate.kind == FateKind::Changed || fate.field == "places";
        let kept: Vec<&Fate> = fates.iter().filter(is_named).collect();
        assert!(kept.iter().all(|fate| fate.kind == FateKind::Carried), "{fates:#?}");
    }
    let mcp = all_fates(&packed, Target::by_word("mcp").unwrap());
    let is_lost = |fate: &Fate| fate.kind == FateKind::Lost && fate.field == "places";
    assert!(mcp.iter().all(|fates| fates.iter().any(is_lost)), "{mcp:#?}");
}

#[test]
fn members_beside_the_known_ones_stay_in_their_own_form() {
    let strict = json!([{"type": "function", "function": {"name": "a", "description": "A", "strict": true, "parameters": {"type": "object", "properties": {}}}}]);
    let listed = json!({"tools": [{"name": "a", "description": "A", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {}}}]});
    let place =
        Place::with(&[("strict.json", &strict.to_string()), ("listed.json", &listed.to_string())]);
    let same = place.run(&["convert", "strict.json", "--to", "openai", "--lossless"]);
    same.ended(0, &[]);
    assert_eq!(same.json(), strict);
    let other = place.run(&["convert", "strict.json", "--to", "anthropic", "--lossless"]);
    // Both forms have it, at another place; the schema isn't strict yet.
    other.ended(0, &["✓ carried  name, description, arguments, strict"]);
    other.ended(
        0,
        &["a: with \"strict\", further properties: write \"additionalProperties\": false"],
    );
    assert_eq!(other.json()[0]["strict"], true);
    place
        .run(&["convert", "strict.json", "--to", "gemini", "--lossless"])
        .ended(1, &["− lost     strict: true; only OpenAI's and Anthropic's forms say it"]);
    // A list of MCP tools keeps it, for the APIs that models are asked by.
    let kept = ["convert", "strict.json", "--to", "mcp", "--out", "mcp/kept.json", "--lossless"];
    place.run(&kept).ended(0, &["✓ carried  name, description, arguments, strict"]);
    assert_eq!(place.run(&["convert", "a", "--to", "openai", "--lossless"]).json(), strict);
    let shown = place.run(&["tools", "--model", "a"]);
    shown.ended(0, &[]);
    let words = "# ⚠ refused: with \"strict\", further properties";
    assert_eq!(shown.data.matches("\"strict\": true").count(), 2, "{}", shown.data);
    assert!(shown.data.contains(words), "{}", shown.data);
    let checked = place.run(&["check", "--health"]);
    checked.ended(0, &[]);
    for code in ["health.openai-strict", "health.anthropic-strict"] {
        assert!(checked.data.contains(code), "{}", checked.data);
    }
    same.ended(0, &["a: with \"strict\", further properties"]);
    let same = place.run(&["convert", "listed.json", "--to", "mcp", "--lossless"]);
    same.ended(0, &[]);
    assert_eq!(same.json()["tools"], listed["tools"]);
    place
        .run(&["convert", "listed.json", "--to", "openai", "--lossless"])
        .ended(1, &["− lost     /annotations"]);
}

#[test]
fn check_says_how_a_list_of_functions_is_added() {
    let list = json!([{"name": "a", "description": "A", "input_schema": {"type": "object", "properties": {}}}]);
    let place = Place::with(&[("agent/tools.json", &list.to_string())]);
    let named = place.run(&["check", "agent/tools.json"]);
    named.ended(6, &[]);
    let words = named.data.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = "`toolcrib convert agent/tools.json --to mcp --out mcp/tools.json`";
    assert!(words.contains(command), "{words}");
    place.run(&["check"]).ended(0, &["offers to add the tools of agent/tools.json"]);
    place.run(&["convert", "agent/tools.json", "--to", "mcp", "--out", "mcp/tools.json"]);
    let added = place.run(&["check", "--strict"]);
    added.ended(0, &[]);
    assert!(!added.words.contains("no descriptors"), "{}", added.words);
}

#[test]
fn a_list_of_arguments_that_the_schema_says_too_is_not_lost() {
    let of = |description: &str| {
        let text = format!(
            "tool:\n  t:\n    type: mcp-tool\n    name: t\n    description: d\n    mcp-tool: m\n    \
             arguments: [{{name: city, type: str, description: {description}}}]\n    \
             arguments-schema: {{type: object, properties: {{city: {{type: string, description: Where}}}}}}\n"
        );
        let catalog = catalog(&[("t.yaml".into(), Source::parse(Format::Yaml, text).unwrap())]);
        let packed = pack_tool(&catalog.tools[0], Mode::Document).unwrap();
        let all = fates(&packed, Target::by_word("opensearch").unwrap());
        let lost = all.into_iter().filter(|fate| fate.kind == FateKind::Lost);
        lost.map(|fate| fate.field).collect::<Vec<_>>()
    };
    assert!(!of("Where").contains(&"/arguments".to_owned()), "{:?}", of("Where"));
    assert!(of("Elsewhere").contains(&"/arguments".to_owned()), "what only the list says is lost");
}

#[test]
fn an_answer_that_is_no_object_is_lost_for_mcp() {
    let item = json!({"name": "a", "description": "A", "inputSchema": {"type": "object", "properties": {}}, "outputSchema": {"type": "array"}});
    let place = Place::with(&[("toolcrib.toml", ""), ("list.json", &item.to_string())]);
    let (mut tools, _) = read_document(&item).unwrap();
    tools[0].own = None;
    let target = Target::by_word("mcp").unwrap();
    let lost = fates(&tools[0], target);
    let is_lost = |fate: &Fate| fate.field == "answer" && fate.words.contains("type object");
    assert!(lost.iter().any(is_lost), "{lost:?}");
    assert_eq!(target.write(&tools)[0].value["tools"][0].get("outputSchema"), None);
    place
        .run(&["convert", "list.json", "--to", "mcp", "--lossless"])
        .ended(1, &["− lost     answer"]);
    place.run(&["convert", "list.json", "--to", "mcp", "--out", "mcp/desk.json"]).ended(0, &[]);
    let checked = place.run(&["check", "mcp/desk.json"]);
    assert!(
        !checked.words.contains("type-not-object") && !checked.data.contains("type-not-object")
    );
}

#[test]
fn a_list_that_is_written_names_its_server_and_is_checked_by_its_name() {
    let item = json!({"name": "pet", "description": "A pet", "parameters": {"type": "object", "properties": {}}});
    let place = Place::with(&[("list.json", &item.to_string())]);
    place.run(&["convert", "list.json", "--to", "mcp", "--out", "mcp/pets.json"]).ended(0, &[]);
    let path = place.here.join("mcp/pets.json");
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("{\n  \"server\": \"pets\""), "{written}");
    // With settings and without, alone and among all.
    for settings in [false, true] {
        if settings {
            std::fs::write(place.here.join("toolcrib.toml"), "").unwrap();
        }
        place.run(&["check", "mcp/pets.json", "--strict"]).ended(0, &[]);
        let nameless = written.replace("\"server\": \"pets\",", "");
        std::fs::write(&path, nameless).unwrap();
        let checked = place.run(&["check", "mcp/pets.json"]);
        assert!(checked.data.contains("kept.no-server"), "{}", checked.data);
        assert_eq!(checked.code, Some(1), "{}", checked.words);
        std::fs::write(&path, &written).unwrap();
    }
}

#[test]
fn the_list_of_arguments_has_the_types_of_the_schema() {
    let schema = json!({"type": "object", "properties": {
        "owner": {"$ref": "#/$defs/Person"}, "limit": {"type": ["integer", "null"]},
        "choice": {"oneOf": [{"type": "boolean"}, {"type": "null"}]}, "all": {"allOf": [{"$ref": "#/$defs/Person"}]},
    }, "$defs": {"Person": {"type": "object", "description": "Who", "properties": {}}}});
    let item = json!({"name": "a", "description": "A", "parameters": schema});
    let place = Place::with(&[("toolcrib.toml", ""), ("list.json", &item.to_string())]);
    place.run(&["convert", "list.json", "--to", "trustgraph", "--out", "a.yaml"]).ended(0, &[]);
    let text = std::fs::read_to_string(place.here.join("a.yaml")).unwrap();
    let source = Source::parse(Format::Yaml, text).unwrap();
    let listed = source.value(0).unwrap()["tool"]["a"]["arguments"].clone();
    let types: Vec<&str> =
        listed.as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["object", "integer", "boolean", "object"]);
    let checked = place.run(&["check", "a.yaml"]);
    assert!(!checked.data.contains("schema-differs") && !checked.words.contains("schema-differs"));
}

#[test]
fn an_entry_goes_whole_to_its_own_system() {
    let tool = "tool:\n  Joke: {type: tool-service, name: joke, description: Jokes, service: jokes, style: pun, group: [fun], arguments: []}\n";
    let place = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", tool)]);
    let ran =
        place.run(&["convert", "joke", "--to", "trustgraph", "--lossless", "--out", "again.yaml"]);
    ran.ended(0, &["✓ carried  name, description, arguments, groups"]);
    let read = |file: &str| {
        let text = std::fs::read_to_string(place.here.join(file)).unwrap();
        Source::parse(Format::Yaml, text).unwrap().value(0).unwrap().clone()
    };
    assert_eq!(read("again.yaml"), read("tools.yaml"));
}

#[test]
fn an_entry_whose_arguments_another_file_has_goes_whole_too() {
    let sample = Place::sample("unique").here;
    let read = |file: &str| std::fs::read_to_string(sample.join(file)).unwrap();
    let (before, schema) = (read("space.json"), read("unique/Weather.json"));
    let files = [("space.json", &*before), ("unique/Weather.json", &schema), ("toolcrib.toml", "")];
    let place = Place::with(&files);
    let space: Value = serde_json::from_str(&before).unwrap();
    let entry = find_named(&space, "Weather").unwrap();
    let ran = place.run(&["convert", "Weather", "--to", "unique"]);
    ran.ended(
        0,
        &[
            "✓ carried  name",
            "− lost     arguments: not in the entry: another file says it, which isn't copied",
        ],
    );
    assert_eq!(&ran.json(), entry);
    assert!(!ran.words.contains("assumed"), "{}", ran.words);
    place
        .run(&["convert", "Weather", "--to", "unique", "--out", "space.json", "--update"])
        .ended(0, &[]);
    assert_eq!(std::fs::read_to_string(place.here.join("space.json")).unwrap(), before);
}

/// The object of this name, wherever it is.
fn find_named<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) if members.get("name") == Some(&json!(name)) => Some(value),
        Value::Object(members) => members.values().find_map(|value| find_named(value, name)),
        Value::Array(items) => items.iter().find_map(|value| find_named(value, name)),
        _ => None,
    }
}

#[test]
fn a_file_that_is_no_list_of_tools_is_refused_with_the_place() {
    let place = Place::with(&[
        ("broken.json", "{\"openapi\": \"3.1.0\",\n  oops}\n"),
        ("broken.yaml", "openapi: 3.1.0\npaths: {a: [\n"),
        ("old.yaml", "swagger: '2.0'\npaths: {}\n"),
        ("empty.yaml", "openapi: 3.1.0\npaths: {}\n"),
        ("other.yaml", "a: 1\n"),
    ]);
    for (file, words) in [
        (
            "broken.json",
            "not JSON: a key in double quotes is expected here, not \"o\" (line 2, column 3)",
        ),
        ("broken.yaml", "line "),
        ("old.yaml", "it is Swagger 2.0, and only OpenAPI 3 is read"),
        ("empty.yaml", "it has no operations"),
        ("other.yaml", "it is neither an OpenAPI document nor a list of functions"),
    ] {
        place.run(&["convert", file, "--to", "mcp"]).ended(2, &[words]);
    }
}

#[test]
fn python_functions_and_schemas_with_a_title_are_tools() {
    let server = "from fastmcp import FastMCP\n\nmcp = FastMCP('a')\n\n@mcp.tool()\n\
        def add(a: int, b: int = 2) -> int:\n    '''Adds.'''\n    return a + b\n\n\
        @mcp.tool(annotations={})\ndef order(what: Order): pass\n";
    let schema = r#"{"title": "Point", "description": "A point", "type": "object",
        "properties": {"x": {"title": "X", "type": "number"}}, "required": ["x"]}"#;
    let place = Place::with(&[
        ("server.py", server),
        ("sum.py", &server[..server.find("@mcp.tool(ann").unwrap()]),
        ("point.json", schema),
        ("nameless.json", r#"{"type": "object", "properties": {}}"#),
        ("none.py", "x = 1\n"),
    ]);
    let sum = place.run(&["convert", "sum.py", "--to", "mcp"]);
    sum.ended(0, &["add → ", "✓ carried  name, description, arguments"]);
    let tool = &sum.json()["tools"][0];
    assert_eq!((&tool["name"], &tool["description"]), (&json!("add"), &json!("Adds.")));
    let arguments = json!({"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}});
    assert_eq!(tool["inputSchema"]["properties"], arguments);
    assert_eq!(tool["inputSchema"]["required"], json!(["a"]));
    // What isn't asked for need not be read.
    let one = place.run(&["convert", "server.py", "add", "--to", "openai"]);
    one.ended(0, &["add → OpenAI's tools"]);
    let point = place.run(&["convert", "point.json", "--to", "openai"]);
    point.ended(0, &["Point → OpenAI's tools"]);
    assert_eq!(point.json()[0]["function"]["description"], "A point");
    for (file, words) in [
        ("server.py", "line 11: what: the type Order isn't read"),
        ("nameless.json", "it is a JSON Schema without a title"),
        ("none.py", "it has no function that can be a tool"),
    ] {
        place.run(&["convert", file, "--to", "mcp"]).ended(2, &[words]);
    }
}

#[test]
fn the_page_names_every_target() {
    let page = include_str!("../../docs/convert.md");
    for target in Target::all() {
        assert!(page.contains(&format!("`{}`", target.word())), "{}", target.word());
    }
    assert_eq!(FORMATS.len(), 5);
}

#[test]
fn the_screen_shows_what_becomes_of_a_tool_and_takes_it_there() {
    let mut bench = Workbench::sample("services", 120, 36);
    let tool = bench.state.catalog.tool_called("tell-joke").unwrap().id().clone();
    bench.send(Message::Select(tool));
    bench.keys("@convert");
    assert!(bench.screen().contains("Convert tell-joke to"), "{}", bench.screen());
    bench.types("openai");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(screen.contains("✓ carried name") && screen.contains("− lost /service"), "{screen}");
    bench.keys("enter");
    assert!(bench.state.clip.contains("\"type\": \"function\""), "{}", bench.state.clip);
    bench.keys("@convert");
    bench.types("commonground");
    bench.keys("enter enter");
    let file = FileId::new("tools/tell-joke.yaml");
    assert!(bench.state.documents.get(&file).is_some(), "{}", bench.screen());
    assert!(bench.state.catalog.of_file(&file).next().is_some(), "it is a tool of the workspace");
}

#[test]
fn what_commonground_refuses_is_a_warning_and_each_tool_a_document_of_its_own() {
    let list = json!([
        {"name": "one", "description": "d", "input_schema": {"type": "object", "properties": {"ids": {"type": "array"}}}},
        {"name": "two", "description": "d", "input_schema": {"type": "object", "properties": {}}},
        {"name": "three", "description": "d"},
    ]);
    let place = Place::with(&[("list.json", &list.to_string())]);
    let ran = place.run(&["convert", "list.json", "--to", "commonground"]);
    ran.ended(
        0,
        &["is array but missing `items` object", "\"three\" has no schema of its arguments"],
    );
    let names: Vec<&str> = ran.data.split("---\n").filter_map(|text| text.lines().next()).collect();
    assert_eq!(names, ["tool_name: one", "tool_name: two"]);
}

#[test]
fn trustgraph_lists_the_arguments_that_a_reference_leads_to() {
    let list = json!([{"name": "one", "description": "d", "input_schema": {
        "$ref": "#/$defs/M",
        "$defs": {"M": {"type": "object", "properties": {"x": {"type": "integer", "title": "X"}, "k": {"type": "string", "description": "the kind"}}}},
    }}]);
    let place = Place::with(&[("list.json", &list.to_string()), ("toolcrib.toml", "")]);
    place.run(&["convert", "list.json", "--to", "trustgraph", "--out", "tools.yaml"]).ended(0, &[]);
    let ran = place.run(&["check"]);
    assert!(!ran.data.contains("arguments.schema-differs"), "{}", ran.data);
    let written = std::fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert!(written.contains("description: the kind"), "{written}");
}

#[test]
fn numbers_are_written_as_in_the_source() {
    let list = r#"[{"name": "one", "description": "d", "input_schema": {"type": "object", "properties": {
        "x": {"type": "number", "minimum": 0.10, "maximum": 1.50, "multipleOf": 1e-1},
        "y": {"type": "number", "minimum": 2.0, "maximum": 12345678901234567890.5}}}}]"#;
    let place = Place::with(&[("list.json", list), ("toolcrib.toml", "")]);
    // 0.10 and 1e-1 are one number in two spellings.
    let spelled = ["\"maximum\": 1.50", "\"minimum\": 2.0", "12345678901234567890.5", "0.1,"];
    let ran = place.run(&["convert", "list.json", "--to", "openai"]);
    for text in spelled {
        assert!(ran.data.contains(text), "{text}: {}", ran.data);
    }
    place.run(&["convert", "list.json", "--to", "mcp", "--out", "mcp/one.json"]).ended(0, &[]);
    let written = std::fs::read_to_string(place.here.join("mcp/one.json")).unwrap();
    assert!(spelled.iter().all(|text| written.contains(text)), "{written}");
    // Of the workspace, into YAML.
    let ran = place.run(&["convert", "--all", "--to", "commonground"]);
    assert!(
        ran.data.contains("maximum: 1.50") && ran.data.contains("minimum: 2.0"),
        "{}",
        ran.data
    );
}

#[test]
fn trustgraph_lists_the_arguments_of_all_branches_and_says_what_the_list_lacks() {
    let branch = |name: &str| json!({"type": "object", "properties": {name: {"type": "string", "description": name}}});
    let list = json!([
        {"name": "one", "description": "d", "input_schema": {"type": "object", "oneOf": [branch("x"), branch("y")]}},
        {"name": "all", "description": "d", "input_schema": {"allOf": [branch("x"), branch("y")]}},
    ]);
    let place = Place::with(&[("list.json", &list.to_string()), ("toolcrib.toml", "")]);
    let ran = place.run(&["convert", "list.json", "--to", "trustgraph", "--out", "tools.yaml"]);
    assert_eq!(
        ran.words.matches("lists the arguments of all branches").count(),
        1,
        "{}",
        ran.words
    );
    let written = std::fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert_eq!(written.matches("- name: x").count(), 2, "{written}");
    assert_eq!(written.matches("- name: y").count(), 2, "{written}");
    let ran = place.run(&["check"]);
    assert!(!ran.data.contains("schema-differs"), "{}", ran.data);
}
