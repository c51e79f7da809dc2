//! Entries of OpenSearch: what a file holds, what is wrong in it and how it is mended, what a model
//! sees.

use std::{collections::BTreeMap, io::Write as _, process::Stdio};

use serde_json::{Value, json};
use toolcrib::{
    model::{catalog::Catalog, context::Mode, entry::FileId, finding::Finding},
    store::samples::by_name,
    syntax::source::{Format, Source},
    systems::{
        by_id,
        facets::templates::Samples,
        findings,
        opensearch::{checks::CHECKS, entries::EntrySort},
        read,
    },
};

use crate::support::place::{Place, Ran};

type Files = BTreeMap<FileId, Source>;

fn files_of(texts: &[(&str, String)]) -> Files {
    let parsed = texts.iter().map(|(name, text)| {
        let file = FileId::new(*name);
        let format = Format::from_path(file.path()).unwrap();
        (file, Source::parse(format, text.as_str()).unwrap())
    });
    parsed.collect()
}

fn catalog_of(files: &Files) -> Catalog {
    read::read_catalog(files.iter(), Mode::Document)
}

fn findings_in(files: &Files) -> Vec<Finding> {
    findings::catalog_findings(&catalog_of(files), |file| files.get(file))
}

fn one(entry: &Value) -> Files {
    files_of(&[("tools/a.json", serde_json::to_string_pretty(entry).unwrap())])
}

/// The codes of this system's findings in an entry.
fn codes(entry: &Value) -> Vec<&'static str> {
    let own = |code: &&str| CHECKS.iter().any(|check| check.code == *code);
    findings_in(&one(entry)).iter().map(|finding| finding.code).filter(own).collect()
}

fn dynamic(parameters: &Value) -> Value {
    json!({"type": "DynamicTool", "name": "t", "parameters": parameters})
}

fn get(uri: &str) -> Value {
    dynamic(&json!({"method": "GET", "uri": uri}))
}

fn post(body: &str) -> Value {
    dynamic(&json!({"method": "POST", "uri": "/i/_search", "request_body": body}))
}

/// A tool that says what a model gives it.
fn declared(names: &[&str], mut tool: Value) -> Value {
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    tool["attributes"] = json!({"input_schema": {"type": "object", "properties": properties}});
    tool
}

/// A tool whose arguments a text says.
fn with_schema(text: &str) -> Value {
    let mut tool = get("/");
    tool["attributes"] = json!({"input_schema": text});
    tool
}

fn step(name: &str, uri: &str, body: &str) -> Value {
    json!({"type": "DynamicTool", "name": name, "parameters": {"method": "POST", "uri": uri, "request_body": body}})
}

fn composite(steps: &[Value]) -> Value {
    json!({"name": "c", "tool_steps": steps})
}

fn agent(tools: &Value) -> Value {
    json!({"name": "a", "type": "flow", "tools": tools})
}

fn connector(action: &Value) -> Value {
    json!({"name": "c", "version": 1, "protocol": "http", "credential": {"key": "$KEY"}, "actions": [action]})
}

/// A case of each check: what it finds, and something like it that is right.
fn cases() -> Vec<(&'static str, Value, Value)> {
    let own = |parameters: Value| {
        let mut tool = get("/${parameters.x}");
        tool["parameters"].as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        tool
    };
    let search = r#"{"query": {"match_all": {}}}"#;
    let ask = r#"{"parameters": {"prompt": "${parameters.a.output}"}}"#;
    let typed = |kind: &str| json!({"type": kind, "parameters": {}});
    let action = |url: &str, body: &str, header: &str| {
        connector(
            &json!({"action_type": "predict", "method": "POST", "url": url, "request_body": body, "headers": {"Authorization": header}}),
        )
    };
    let url = "https://h/${parameters.m}";
    let of = |member: &str, value: Value| {
        let mut entry = action(url, "{}", "");
        entry[member] = value;
        entry
    };
    let described = |words: &str| {
        let mut tool = get("/");
        tool["description"] = words.into();
        tool
    };
    vec![
        ("identity.no-description", described(" "), described("Lists")),
        (
            "template.prefix",
            get("/_nodes/${node_id}/stats"),
            get("/_nodes/${parameters.node_id}/stats"),
        ),
        ("template.unclosed", get("/${parameters.x"), get("/${parameters.x}")),
        ("template.default", get("/${parameters.x:null}"), get("/${parameters.x:-null}")),
        ("template.blank", get("/${parameters. x }"), get("/${parameters.x}")),
        (
            "template.nested",
            get("/${parameters.x:-${parameters.y}}"),
            get("/${parameters.x}${parameters.y}"),
        ),
        (
            "template.null-text",
            post(r#"{"a": "${parameters.a:-null}"}"#),
            post(r#"{"a": ${parameters.a:-null}}"#),
        ),
        (
            "template.no-value",
            declared(&["index"], get("/${parameters.indx}/_count")),
            declared(&["index"], get("/${parameters.index}/_count")),
        ),
        ("template.cycle", own(json!({"x": "${parameters.x}"})), own(json!({"x": "y"}))),
        ("request.uri", get(" "), get("/")),
        ("request.method", dynamic(&json!({"method": "get", "uri": "/"})), get("/")),
        (
            "tool.schema",
            with_schema("{\"type\": \"strin\"}"),
            with_schema("{\"type\": \"object\"}"),
        ),
        ("request.body", post(r#"{"a": ${parameters.a}"#), post(r#"{"a": ${parameters.a}}"#)),
        (
            "request.swapped-body",
            composite(&[
                step("a", "/i/_search", &ask.replace("a.output", "q")),
                step("b", "/m/_predict", search),
            ]),
            composite(&[step("a", "/i/_search", search), step("b", "/m/_predict", ask)]),
        ),
        (
            "output.filter",
            own(json!({"response_filter": "$.a["})),
            own(json!({"response_filter": "$.a"})),
        ),
        (
            "output.processors",
            own(json!({"output_processors": [{"type": "x"}]})),
            own(json!({"output_processors": [{"type": "to_string"}]})),
        ),
        (
            "steps.output",
            composite(&[step("ab", "/i/_search", search), step("b", "/m/_predict", ask)]),
            composite(&[step("a", "/i/_search", search), step("b", "/m/_predict", ask)]),
        ),
        (
            "steps.name-clash",
            agent(&json!([typed("XTool"), typed("XTool")])),
            agent(&json!([typed("XTool"), typed("YTool")])),
        ),
        (
            "agent.type",
            json!({"name": "a", "type": "flwo", "tools": [typed("XTool")]}),
            agent(&json!([])),
        ),
        (
            "agent.model",
            json!({"name": "a", "type": "Conversational", "tools": []}),
            json!({"name": "a", "type": "conversational", "tools": [], "llm": {"model_id": "m"}}),
        ),
        (
            "agent.tools",
            agent(&json!([typed("XTool"), {"name": "b"}])),
            agent(&json!([typed("XTool")])),
        ),
        ("steps.none", agent(&json!([])), agent(&json!([typed("XTool")]))),
        (
            "steps.type",
            composite(&[json!({"name": "a", "parameters": {}})]),
            composite(&[json!({"name": "a", "parameters": {"uri": "/"}})]),
        ),
        (
            "tool.target",
            typed("AgentTool"),
            json!({"type": "AgentTool", "parameters": {"agent_id": "a"}}),
        ),
        (
            "agent.name",
            json!({"name": "x".repeat(129), "type": "flow", "tools": []}),
            agent(&json!([])),
        ),
        (
            "tool.unknown-type",
            json!([typed("ListIndxTool"), {"name": "ListIndexTool", "type": "ListIndexTool", "version": "undefined", "description": ""}]),
            json!([typed("ListIndexTool"), {"name": "ListIndexTool", "type": "ListIndexTool", "version": "undefined", "description": ""}]),
        ),
        ("connector.fields", of("protocol", json!("htp")), of("protocol", json!("http"))),
        (
            "connector.credential",
            of("credential", json!({})),
            of("credential", json!({"any": "$ANY"})),
        ),
        (
            "connector.action",
            connector(&json!({"action_type": "predct", "method": "POST", "url": url})),
            connector(
                &json!({"action_type": "PREDICT", "method": "POST", "url": url, "name": "ask-1"}),
            ),
        ),
        (
            "connector.header",
            action(url, "{}", "Bearer ${parameters.key}"),
            action(url, "{}", "Bearer ${credential.key}"),
        ),
        ("connector.url", action("h/${parameters.m}", "{}", ""), action(url, "{}", "")),
        ("connector.body", action(url, "{", ""), action(url, r#"{"a": ${parameters.a}}"#, "")),
    ]
}

#[test]
fn each_check_finds_its_own() {
    let cases = cases();
    // What the settings say has a test of its own.
    for check in CHECKS.iter().filter(|check| !check.code.starts_with("gate.")) {
        let (_, wrong, right) = cases
            .iter()
            .find(|(code, ..)| *code == check.code)
            .unwrap_or_else(|| panic!("{} has no case", check.code));
        assert!(codes(wrong).contains(&check.code), "{}: {:?}", check.code, codes(wrong));
        assert!(!codes(right).contains(&check.code), "{}: {:?}", check.code, codes(right));
    }
}

/// The findings of that code, each with its label and words.
fn words_of(entry: &Value, code: &str) -> Vec<(Option<String>, String)> {
    let found = findings_in(&one(entry)).into_iter().filter(|finding| finding.code == code);
    found.map(|finding| (finding.fix.map(|fix| fix.label), finding.message)).collect()
}

#[test]
fn further_places_are_looked_at_too() {
    let listed = json!({"name": "ListIndexTool", "type": "ListIndexTool", "version": "undefined", "description": ""});
    let typed = |kind: &str| json!({"type": kind, "name": "s", "parameters": {}});
    // A step that the cluster runs by its type, and a DynamicTool that an agent of it has.
    for entry in [composite(&[typed("ListIndxTool")]), agent(&json!([get("/_cat/indices")]))] {
        let found = codes(&json!([entry, listed]));
        assert!(found.contains(&"tool.unknown-type"), "{entry}: {found:?}");
    }
    let own_path = composite(&[step("a", "/i/_search", "{}")]);
    assert!(!codes(&json!([own_path, listed])).contains(&"tool.unknown-type"));

    // A connector's null takes a name of one word.
    let body = |name: &str| {
        let body = format!(r#"{{"a": "${{parameters.{name}:-null}}"}}"#);
        connector(
            &json!({"action_type": "predict", "method": "POST", "url": "https://h", "request_body": body}),
        )
    };
    assert!(codes(&body("kb.output")).contains(&"template.null-text"));
    assert!(!codes(&body("kb_output")).contains(&"template.null-text"));

    // A name that is like none of those given is named in the schema.
    let entry = declared(&["index"], get("/${parameters.index}/${parameters.wholly_other}"));
    let [(Some(label), words)] = &words_of(&entry, "template.no-value")[..] else {
        panic!("{:?}", words_of(&entry, "template.no-value"));
    };
    assert!(label.contains("input_schema") && words.contains("wholly_other"), "{label}: {words}");

    // A path within processors, and a group that the server reads as 1.0.
    let processors = |list: Value| {
        let own = json!({"method": "GET", "uri": "/", "output_processors": list});
        words_of(&dynamic(&own), "output.processors")
    };
    let path = processors(
        json!([{"type": "for_each", "path": "$.a", "processors": [{"type": "jsonpath_filter", "path": "$["}]}]),
    );
    assert!(path[0].1.contains("']' is missing"), "{path:?}");
    let groups = processors(json!([{"type": "regex_capture", "pattern": "(a)", "groups": [1]}]));
    assert!(groups[0].1.contains("groups is a text"), "{groups:?}");
}

/// What is found of an entry, as `code: place: words`.
fn lines(entry: &Value) -> Vec<String> {
    let line = |finding: Finding| {
        format!("{}: {}: {}", finding.code, finding.site.pointer, finding.message)
    };
    findings_in(&one(entry)).into_iter().map(line).collect()
}

#[test]
fn what_a_cluster_rejects_is_found_at_its_place() {
    let has = |entry: &Value, wanted: &str| {
        let found = lines(entry);
        assert!(found.iter().any(|line| line.starts_with(wanted)), "{wanted}: {found:#?}");
    };
    let flow = |tools: Value| json!({"name": "a", "type": "flow", "tools": tools});
    has(&flow(json!({"a": 1})), "agent.tools: /tools: tools isn't a list");
    has(&flow(json!(["ListIndexTool"])), "agent.tools: /tools/0: a tool is an object");
    has(&flow(json!([{"name": "b"}])), r#"agent.tools: /tools/0/type: "b" has no type"#);
    has(&flow(json!([{"type": " "}])), "agent.tools: /tools/0/type: step 1 has no type");
    has(&json!({"name": "a", "type": "FLOW", "app_type": "rag"}), "steps.none: /tools: tools is");
    has(&composite(&[]), "steps.none: /tool_steps: tool_steps is empty");
    let asking = json!({"name": "a", "type": "conversational", "tools": [], "llm": {"id": "m"}});
    has(&asking, "agent.model: /llm/model_id: llm needs the model's id");
    assert_eq!(lines(&asking).len(), 1, "one that asks a model may have no tools");

    // The id may be asked of a model, be the whole tool's, or in the config.
    let target = |entry: &Value| codes(entry).contains(&"tool.target");
    let model = |more: Value| {
        let mut tool = json!({"type": "MLModelTool", "name": "ask", "parameters": {"prompt": "p"}});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool
    };
    assert!(target(&model(json!({}))));
    assert!(!target(&model(json!({"config": {"model_id": "m"}}))));
    assert!(!target(&declared(&["model_id"], model(json!({})))));
    assert!(target(&declared(&["prompt"], model(json!({})))));
    let whole = |parameters: Value| json!({"name": "c", "parameters": parameters, "tool_steps": [model(json!({}))]});
    assert!(target(&whole(json!({}))) && !target(&whole(json!({"model_id": "m"}))));
    has(
        &json!({"name": "c", "tool_steps": [{"type": "ConnectorTool"}]}),
        "tool.target: /tool_steps/0/parameters/connector_id: ConnectorTool needs connector_id",
    );

    let action = json!({"action_type": "predict", "method": "PATCH", "url": "https://h"});
    has(&connector(&action), r#"connector.action: /actions/0/method: "PATCH" is no method"#);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut entry = connector(
            &json!({"action_type": "predict", "method": "post", "url": "https://h", "headers": {"Authorization": "Bearer ${credential.kye}"}}),
        );
        change(&mut entry);
        entry
    };
    has(
        &with(&|_| ()),
        r#"connector.credential: /actions/0/headers/Authorization: credential has no "kye"; did you mean "key"?"#,
    );
    let without = |member: &'static str| {
        with(&move |entry| drop(entry.as_object_mut().unwrap().shift_remove(member)))
    };
    has(&without("version"), "connector.fields: /version: version is missing");
    has(&without("name"), "connector.fields: /name: name is missing");
    has(&without("credential"), "connector.credential: /credential: the cluster rejects a new");
    // What the cluster has already keeps them.
    let known = with(&|entry| {
        entry["connector_id"] = "c1".into();
        entry.as_object_mut().unwrap().retain(|name, _| name != "version" && name != "credential");
    });
    assert_eq!(lines(&known), Vec::<String>::new());
    let aws = with(&|entry| {
        entry["protocol"] = "aws_sigv4".into();
        entry["credential"] = json!({"access_key": "$A", "kye": "$B"});
        entry["parameters"] = json!({"region": "r"});
    });
    has(&aws, "connector.credential: /credential/secret_key: aws_sigv4 needs secret_key");
    has(&aws, "connector.credential: /credential/service_name: aws_sigv4 needs service_name");
    assert_eq!(lines(&aws).len(), 2);
}

#[test]
fn a_fix_mends_what_it_is_for() {
    let mut mended = Vec::new();
    for (code, wrong, _) in cases() {
        let files = one(&wrong);
        let Some((finding, fix)) = findings_in(&files)
            .into_iter()
            .find(|finding| finding.code == code)
            .and_then(|finding| Some((finding.clone(), finding.fix?)))
        else {
            continue;
        };
        let mut source = files[&finding.site.file].clone();
        for edit in &fix.edits {
            let place = edit.entry.place();
            source = source.apply(place.document, &edit.edit.with_prefix(&place.at)).unwrap().0;
        }
        let after = Files::from([(finding.site.file.clone(), source)]);
        let left: Vec<_> =
            findings_in(&after).into_iter().filter(|left| left.code == code).collect();
        assert_eq!(left, [], "{code}: {}", fix.label);
        mended.push(code);
    }
    assert!(mended.len() >= 10, "{mended:?}");
}

#[test]
fn a_file_may_hold_each_kind() {
    let yaml = "name: helper\ntype: conversational_flow\ntools:\n  - type: ListIndexTool\n  - name: ask\n    type: MLModelTool\n    parameters: {model_id: m}\n";
    let files = files_of(&[
        ("agents/a.yaml", yaml.to_owned()),
        ("tools/t.json", get("/${parameters.x}").to_string()),
        (
            "tools/c.json",
            connector(&json!({"action_type": "predict", "method": "POST", "url": "https://h"}))
                .to_string(),
        ),
        ("tools/other.json", json!({"name": "x", "type": "text", "parameters": {}}).to_string()),
    ]);
    let catalog = catalog_of(&files);
    let kinds: Vec<(&str, &str)> =
        catalog.tools.iter().map(|tool| (tool.entry.key.as_str(), tool.kind.as_str())).collect();
    assert_eq!(
        kinds,
        [
            ("helper", "conversational_flow agent"),
            ("helper/ListIndexTool", "ListIndexTool"),
            ("helper/ask", "MLModelTool"),
            ("t", "dynamic"),
        ]
    );
    assert_eq!(catalog.others.len(), 1, "the connector");
}

#[test]
fn a_sample_is_asked_for_each_name_of_the_templates() {
    let entry = declared(&["index"], get("/${parameters.index}/${parameters.other}"));
    let entry = catalog_of(&one(&entry)).tools[0].entry.clone();
    let system = by_id("opensearch").unwrap();
    let schema = system.templates().unwrap().sample_schema(&entry).unwrap();
    let names: Vec<&String> = schema
        .pointer("/properties/parameters/properties")
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["index", "other"]);
    // A prompt's placeholders are filled in by the connector.
    let prompt = json!({"type": "MLModelTool", "name": "ask", "parameters": {"model_id": "m", "prompt": "${parameters.q}"}});
    let function = catalog_of(&one(&prompt)).tools[0].clone();
    let asked = system.model_function(&function).parameters;
    assert_eq!(asked["required"], json!(["q"]));
}

#[test]
fn what_looks_secret_is_masked_in_the_form() {
    let parameters = json!({"api_key": "k", "note": "sk-abcdefghijklmnop1234567890", "x": "plain"});
    let tool = json!({"type": "MLModelTool", "name": "ask", "parameters": parameters});
    let catalog = catalog_of(&one(&tool));
    let system = by_id("opensearch").unwrap();
    for entry in [tool.clone(), agent(&json!([tool]))] {
        let catalog_of_entry = catalog_of(&one(&entry));
        let schema = system.entry_schema(&catalog_of_entry.tools[0].entry, &catalog);
        let parameters = schema
            .pointer("/properties/parameters/properties")
            .filter(|own| own.get("api_key").is_some())
            .or(schema.pointer("/properties/tools/items/properties/parameters/properties"))
            .unwrap();
        let hidden = |name: &str| parameters[name].get("writeOnly").is_some();
        assert_eq!((hidden("api_key"), hidden("note"), hidden("x")), (true, true, false));
    }
}

#[test]
fn every_entry_fills_its_form() {
    let sample = by_name("opensearch").unwrap();
    let texts: Vec<(&str, String)> = sample
        .files
        .iter()
        .filter(|(path, _)| path.ends_with(".json"))
        .map(|(path, text)| (*path, (*text).to_owned()))
        .collect();
    let files = files_of(&texts);
    let catalog = catalog_of(&files);
    let system = by_id("opensearch").unwrap();
    for tool in &catalog.tools {
        let schema = system.entry_schema(&tool.entry, &catalog);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&tool.entry.value).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", tool.entry.key);
    }
}

#[test]
fn a_model_gives_what_the_templates_ask_for() {
    let tool = composite(&[
        step(
            "a",
            "/${parameters.index:-books}/_search",
            r#"{"size": ${parameters.size:-3}, "q": "${parameters.q}"}"#,
        ),
        step("b", "/m/_predict", r#"{"p": "${parameters.a.output}", "x": ${parameters.any}}"#),
    ]);
    let catalog = catalog_of(&one(&tool));
    let function = by_id("opensearch").unwrap().model_function(&catalog.tools[0]);
    assert_eq!(
        function.parameters,
        json!({
            "type": "object",
            "properties": {
                "index": {"type": "string", "description": "Default: books"},
                "size": {"type": "number", "description": "Default: 3"},
                "q": {"type": "string"}, "any": {},
            },
            "required": ["q", "any"],
        })
    );
    let chooses = json!({"name": "a", "type": "conversational", "llm": {}, "tools": [step("s", "/${parameters.x}", "{}")]});
    let catalog = catalog_of(&one(&chooses));
    let function = by_id("opensearch").unwrap().model_function(&catalog.tools[0]);
    assert_eq!(function.parameters["required"], json!(["question"]));
    let declared = json!({"type": "ListIndexTool", "name": "l", "version": "undefined", "description": "",
        "attributes": {"input_schema": "{\"type\": \"object\", \"properties\": {\"i\": {}}}"}});
    let catalog = catalog_of(&one(&declared));
    let function = by_id("opensearch").unwrap().model_function(&catalog.tools[0]);
    assert_eq!(function.parameters["properties"], json!({"i": {}}));
}

#[test]
fn what_a_cluster_lists_of_its_tools_is_read_also_without_a_version() {
    let attributes = json!({"input_schema": "{\"type\": \"object\", \"properties\": {\"i\": {}}}"});
    let tool = json!({"name": "ListIndexTool", "type": "ListIndexTool", "attributes": attributes});
    let list = files_of(&[("tools.json", json!([tool]).to_string())]);
    let catalog = catalog_of(&list);
    let [listed] = &catalog.tools[..] else { panic!("{:?}", catalog.tools) };
    assert_eq!(EntrySort::of_entry(&listed.entry.value), EntrySort::Listed);
    let function = by_id("opensearch").unwrap().model_function(listed);
    assert_eq!(function.parameters["properties"], json!({"i": {}}));
    // An agent's tool says more.
    let mut step = tool;
    step["parameters"] = json!({});
    assert_eq!(EntrySort::of_entry(&step), EntrySort::Typed);
}

#[test]
fn gates_stand_in_the_settings() {
    let settings = "[opensearch]\ntool = 1\n[opensearch.tools.t]\ngroups = [\"ops\"]\nnext = \"seen\"\n[opensearch.tools.tt]\n[opensearch.tools.b]\nstates = 5\n";
    let two = json!([get("/"), {"type": "DynamicTool", "name": "b", "parameters": {"method": "GET", "uri": "/"}}]);
    let files = files_of(&[("t.json", two.to_string()), ("toolcrib.toml", settings.to_owned())]);
    let catalog = catalog_of(&files);
    let gate = &catalog.tools[0].gate;
    assert_eq!(
        (gate.groups.clone(), gate.next.as_deref()),
        (Some(vec!["ops".into()]), Some("seen"))
    );
    let mut found: Vec<(&str, String)> = findings_in(&files)
        .iter()
        .filter(|finding| finding.code.starts_with("gate."))
        .map(|finding| (finding.code, finding.site.pointer.to_string()))
        .collect();
    found.sort();
    let expected = [
        ("gate.malformed", "/tools/b/states"),
        ("gate.unknown", "/tool"),
        ("gate.unknown", "/tools/tt"),
    ];
    assert_eq!(found, expected.map(|(code, at)| (code, at.to_owned())));
}

#[test]
fn tools_of_an_agent_are_the_agents_own() {
    let files = one(&agent(&json!([{"type": "ListIndexTool", "parameters": {}}])));
    let catalog = catalog_of(&files);
    let why: Vec<bool> =
        catalog.tools.iter().map(|tool| tool.gate.not_loaded().is_some()).collect();
    assert_eq!(why, [false, true]);
}

/// What `convert` makes of a text.
fn converted(text: &str, more: &[&str]) -> Ran {
    let place = Place::with(&[]);
    let mut command = place.command(&[&["convert", "-"], more].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

#[test]
fn what_the_documentation_shows_becomes_json() {
    let page = "POST /_plugins/_ml/agents/_register\n{\n  \"name\": \"a\",\n  \"prompt\": \"\"\"Say \"hi\"\nto all\"\"\"\n}\n";
    assert_eq!(converted(page, &[]).json(), json!({"name": "a", "prompt": "Say \"hi\"\nto all"}));
    converted("{\n \"a\": b}", &[]).ended(2, &["line 2"]);
}

#[test]
fn a_tool_goes_through_every_shape() {
    let tool = get("/_nodes/${parameters.node_id}/stats");
    let steps = converted(&tool.to_string(), &["--to", "steps"]).json();
    assert_eq!(steps, json!({"name": "t", "tool_steps": [tool]}));
    let agent = converted(&steps.to_string(), &["--to", "agent"]);
    assert_eq!(agent.json(), json!({"name": "t", "type": "flow", "tools": [tool]}));
    assert!(agent.words.contains("no released OpenSearch has DynamicTool"), "{}", agent.words);
    let back = converted(&agent.data, &["--to", "dynamic"]).json();
    assert_eq!(back, tool);

    let proposal = include_str!("../../samples/opensearch/tools/proposal.json");
    let steps = converted(proposal, &["--to", "steps"]).json();
    let methods: Vec<&Value> = steps["tool_steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["parameters"]["method"])
        .collect();
    assert_eq!(methods, ["POST", "POST"]);
    converted(proposal, &["--to", "dynamic"]).ended(2, &["it has 2 steps; a DynamicTool has one"]);
    converted(proposal, &["--to", "text"]).ended(2, &["steps, dynamic, agent"]);
}

#[test]
fn a_body_with_a_name_missing_is_not_yet_said_to_be_no_json() {
    let remarks = |body: &str| -> Vec<String> {
        let action = json!({"action_type": "predict", "method": "POST", "url": "https://h", "request_body": body});
        let mut entry = connector(&action);
        entry["parameters"] = json!({"given": "x"});
        let catalog = catalog_of(&one(&entry));
        let templates = by_id("opensearch").unwrap().templates().unwrap();
        let texts = templates.render_fields(&catalog.others[0], &Samples::default());
        texts.into_iter().flat_map(|text| text.remarks).map(|remark| remark.text).collect()
    };
    let missing = remarks(r#"{"messages": ${parameters.messages}}"#);
    assert_eq!(missing, ["no sample for messages: add one in Try"]);
    assert_eq!(remarks("never ${parameters.given}"), ["this isn't a JSON object or array"]);
}
