//! `toolcrib convert --update`: a new version of tools in the files that hold them, in which all else
//! stays as it is.

use std::fs;

use serde_json::{Value, json};

use super::support::place::{Place, Ran};

const API: &str = "\
openapi: 3.1.0
info: {title: Orders, version: '1'}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      summary: Gets one order
      parameters:
        - {name: id, in: path, required: true, description: Its number, schema: {type: string}}
        - {name: depth, in: query, required: true, schema: {type: integer}}
  /orders:
    post:
      operationId: addOrder
      summary: Adds an order
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {item: {$ref: '#/components/schemas/Item'}}}}}}
components:
  schemas:
    Item: {type: object, properties: {part: {$ref: '#/components/schemas/Item'}, name: {type: string}}}
";

const TOOLS: &str = "\
# Our tools, with our comments
tool:
  getorder: # the first
    type: tool-service
    name: getOrder
    description: Gets an order # as the API says
    service: shop       # our own
    group: [shop, \"read only\"]
    applicable-states: [open]
    arguments:
      - {name: id, type: string, description: Its number, note: ours} # stays
      - {name: full, type: boolean, description: All of it}
    x-note: keep   me
  the other: {type: text-completion,   name: other, description: Other}
tool-service:
  shop: {id: shop, request-queue: a, response-queue: b}
";

fn place(files: &[(&str, &str)]) -> Place {
    Place::with(&[&[("toolcrib.toml", ""), ("api.yaml", API)], files].concat())
}

fn text(place: &Place, file: &str) -> String {
    fs::read_to_string(place.here.join(file)).unwrap()
}

fn update(place: &Place, target: &str, out: &str, more: &[&str]) -> Ran {
    let words = ["convert", "api.yaml", "--to", target, "--out", out, "--update"];
    place.run(&[&words, more].concat())
}

/// That a second update finds nothing more.
#[track_caller]
fn is_settled(place: &Place, target: &str, out: &str, file: &str) {
    let before = text(place, file);
    let again = update(place, target, out, &[]);
    again.ended(0, &[": no changes"]);
    assert!(!again.words.contains("updated") && !again.words.contains("wrote"), "{}", again.words);
    assert_eq!(text(place, file), before);
}

#[test]
fn only_what_the_source_says_otherwise_changes() {
    let place = place(&[("tools.yaml", TOOLS)]);
    let dry = update(&place, "trustgraph", "tools.yaml", &["--dry-run"]);
    dry.ended(0, &["nothing was written: --dry-run"]);
    assert_eq!(text(&place, "tools.yaml"), TOOLS);
    let ran = update(&place, "trustgraph", "tools.yaml", &[]);
    ran.ended(
        0,
        &[
            "addOrder → TrustGraph\n",
            "tools.yaml: 2 breaking (tool/getorder), 1 wording (tool/getorder); 1 tool new",
            "not in api.yaml, left as it is: other",
            "updated tools.yaml",
        ],
    );
    assert!(!ran.words.contains("getOrder → TrustGraph"), "{}", ran.words);
    assert_eq!(ran.data, dry.data);
    for line in [
        "breaking tools.yaml tool/getorder input.property-removed at /inputSchema/properties/full\n",
        "breaking tools.yaml tool/getorder input.property-added-required at /inputSchema/properties/depth\n",
        "wording tools.yaml tool/getorder text.changed at /description\n  - Gets an order\n  + Gets one order\n",
    ] {
        assert!(ran.data.contains(line), "{line}\n{}", ran.data);
    }
    let now = text(&place, "tools.yaml");
    for line in [
        "# Our tools, with our comments\n",
        "  getorder: # the first\n",
        "    description: Gets one order # as the API says\n    service: shop       # our own\n    group: [shop, \"read only\"]\n    applicable-states: [open]\n",
        "      - {name: id, type: string, description: Its number, note: ours} # stays\n",
        "    x-note: keep   me\n",
        "  the other: {type: text-completion,   name: other, description: Other}\n",
        "  shop: {id: shop, request-queue: a, response-queue: b}\n",
    ] {
        assert!(now.contains(line), "{line}\n{now}");
    }
    assert!(
        !now.contains("full") && now.contains("depth") && now.contains("  addorder:\n"),
        "{now}"
    );
    assert!(now.contains("request-queue: request:tg:addorder"), "{now}");
    place.run(&["check", "tools.yaml"]).ended(0, &[]);
    is_settled(&place, "trustgraph", "tools.yaml", "tools.yaml");
    place.run(&["diff", "api.yaml", "tools.yaml"]).ended(1, &["compatible (tool/the other)"]);
}

#[test]
fn arguments_stay_in_the_form_that_the_entry_has() {
    let with = |arguments: &str| {
        format!(
            "tool:\n  getorder: {{type: tool-service, name: getOrder, description: Gets one order, service: s, {arguments}}}\n"
        )
    };
    let schema = "arguments-schema: {type: object, properties: {id: {type: string, description: Its number}}, required: [id]}";
    let listed = "arguments: [{name: id, type: string, description: Its number}]";
    for (before, has_list, has_schema) in [
        (schema.to_owned(), false, true),
        (listed.to_owned(), true, false),
        (format!("{listed}, {schema}"), true, true),
    ] {
        let place = place(&[("tools.yaml", &with(&before))]);
        let ran = place.run(&[
            "convert",
            "api.yaml",
            "getOrder",
            "--to",
            "trustgraph",
            "--out",
            "tools.yaml",
            "--update",
        ]);
        ran.ended(0, &["tools.yaml: 1 breaking"]);
        assert!(!ran.words.contains("not in"), "{}", ran.words);
        let now = text(&place, "tools.yaml");
        assert_eq!(now.contains("arguments: "), has_list, "{now}");
        assert_eq!(now.contains("arguments-schema: "), has_schema, "{now}");
        assert!(now.contains("depth"), "{now}");
    }
}

#[test]
fn a_folder_of_files_is_updated_and_gets_what_is_new() {
    let place = place(&[("list.json", "[]")]);
    let convert = ["convert", "api.yaml", "--to", "commonground", "--out", "defs"];
    place.run(&convert).ended(0, &["wrote defs/tools/getorder.yaml"]);
    place
        .run(&convert)
        .ended(2, &["is there already", "take the new version into it with --update"]);
    let file = "defs/tools/getorder.yaml";
    let ours = text(&place, file)
        .replace("after_execution: suspend", "after_execution: terminate # ours")
        .replace('\n', "\r\n");
    fs::write(place.here.join(file), &ours).unwrap();
    let api = API.replace("Gets one order", "Reads an order").replace("addOrder", "createOrder");
    fs::write(place.here.join("api.yaml"), api).unwrap();
    update(&place, "commonground", "defs", &[]).ended(
        0,
        &[
            "updated defs/tools/getorder.yaml",
            "wrote defs/tools/createorder.yaml",
            "not in api.yaml, left as it is: addOrder",
        ],
    );
    assert_eq!(text(&place, file), ours.replace("Gets one order", "Reads an order"));
    assert!(place.here.join("defs/tools/addorder.yaml").exists());
    is_settled(&place, "commonground", "defs", file);
}

#[test]
fn a_file_of_one_tool_has_no_place_for_others() {
    let place = place(&[]);
    place
        .run(&["convert", "api.yaml", "getOrder", "--to", "opensearch", "--out", "one.json"])
        .ended(0, &[]);
    let before = text(&place, "one.json");
    update(&place, "opensearch", "one.json", &[])
        .ended(2, &["one.json has no place for more tools, and new are addOrder"]);
    assert_eq!(text(&place, "one.json"), before);
    let api = API.replace("Its number", "The number").replace("/orders/{id}:", "/v2/orders/{id}:");
    fs::write(place.here.join("api.yaml"), api).unwrap();
    let ran = place.run(&[
        "convert",
        "api.yaml",
        "getOrder",
        "--to",
        "opensearch",
        "--out",
        "one.json",
        "--update",
    ]);
    ran.ended(0, &["updated one.json"]);
    let now: Value = serde_json::from_str(&text(&place, "one.json")).unwrap();
    assert_eq!(now["parameters"]["uri"], "/v2/orders/${parameters.id}");
    let schema = now["attributes"]["input_schema"].as_str().unwrap();
    assert_eq!(
        schema,
        serde_json::from_str::<Value>(&before).unwrap()["attributes"]["input_schema"]
            .as_str()
            .unwrap()
            .replace("Its number", "The number")
    );
}

#[test]
fn nothing_is_written_where_a_file_is_broken_or_a_field_is_lost() {
    let broken = place(&[("defs/getorder.yaml", "tool: [\n")]);
    update(&broken, "trustgraph", "defs", &[]).ended(2, &["reading defs/getorder.yaml: "]);
    assert!(!broken.here.join("defs/trustgraph.yaml").exists());
    let lossy = place(&[("tools.yaml", TOOLS)]);
    update(&lossy, "trustgraph", "tools.yaml", &["--lossless"]).ended(
        1,
        &[
            "getOrder → TrustGraph",
            "− lost     request: GET /orders/{id}",
            "nothing was written: --lossless",
        ],
    );
    assert_eq!(text(&lossy, "tools.yaml"), TOOLS);
    let other = place(&[("other.yaml", "a: 1\n")]);
    update(&other, "trustgraph", "other.yaml", &[]).ended(2, &["it holds no tools of TrustGraph"]);
    let taken = place(&[("defs/tools/addorder.yaml", "a: 1\n")]);
    update(&taken, "commonground", "defs", &[]).ended(2, &["is there already, and holds none"]);
    assert!(!taken.here.join("defs/tools/getorder.yaml").exists());
    other.run(&["convert", "api.yaml", "--to", "mcp", "--update"]).ended(2, &["--out"]);
}

#[test]
fn what_anchors_share_is_written_out_or_refused() {
    // Comes from an anchor elsewhere: written out here.
    let shared = "\
tool:
  base: {type: tool-service, name: base, description: Base, service: s, arguments: &list [{name: id, type: string, description: Its number}]} # ours
  getorder: {type: tool-service, name: getOrder, description: Gets one order, service: s, arguments: *list}
";
    let aliased = place(&[("tools.yaml", shared)]);
    let one = [
        "convert",
        "api.yaml",
        "getOrder",
        "--to",
        "trustgraph",
        "--out",
        "tools.yaml",
        "--update",
    ];
    aliased.run(&one).ended(0, &["updated tools.yaml"]);
    let now = text(&aliased, "tools.yaml");
    let first = shared.lines().nth(1).unwrap();
    assert!(now.contains(first) && now.contains("depth") && !now.contains("*list"), "{now}");
    // Is the anchor that another tool uses: that one would change with it.
    let anchored = shared.replace("name: base", "name: x").replace("base:", "x:");
    let anchored = anchored
        .replace("getOrder", "base")
        .replace("getorder", "base")
        .replace("name: x", "name: getOrder")
        .replace("  x:", "  getorder:");
    let refused = place(&[("tools.yaml", &anchored)]);
    refused.run(&one).ended(
        2,
        &["updating tools.yaml: what changes of a tool is used at other places by a YAML alias"],
    );
    assert_eq!(text(&refused, "tools.yaml"), anchored);
}

#[test]
fn schemas_with_references_stay_whole() {
    let place = place(&[]);
    let out = ["convert", "api.yaml", "--to", "mcp", "--out", "mcp/shop.json"];
    place.run(&out).ended(0, &[]);
    let mut list: Value = serde_json::from_str(&text(&place, "mcp/shop.json")).unwrap();
    assert!(list["tools"][1]["inputSchema"]["$defs"]["Item"].is_object(), "{list:#}");
    let hash = list["hash"].clone();
    let file = "mcp/shop.json";
    list["tools"][1]["annotations"] = json!({"readOnlyHint": false});
    fs::write(place.here.join(file), format!("{list:#}\n")).unwrap();
    fs::write(
        place.here.join("api.yaml"),
        API.replace("name: {type: string}", "name: {type: integer}"),
    )
    .unwrap();
    let ran = update(&place, "mcp", file, &[]);
    ran.ended(0, &["updated mcp/shop.json"]);
    assert!(
        ran.data.contains("input.type-changed at /inputSchema/properties/item/properties/name"),
        "{}",
        ran.data
    );
    let now: Value = serde_json::from_str(&text(&place, file)).unwrap();
    assert_eq!(now["tools"][1]["annotations"], json!({"readOnlyHint": false}));
    assert_eq!(
        now["tools"][1]["inputSchema"]["$defs"]["Item"]["properties"]["name"],
        json!({"type": "integer"})
    );
    assert_eq!(now["hash"], hash, "a list that was edited stays one that was");
    is_settled(&place, "mcp", file, file);
    // One that is as it was kept gets the hash of what it holds.
    fs::remove_file(place.here.join(file)).unwrap();
    place.run(&out).ended(0, &[]);
    fs::write(place.here.join("api.yaml"), API).unwrap();
    update(&place, "mcp", file, &[]).ended(0, &["updated"]);
    let checked = place.run(&["check", file]);
    assert!(!checked.data.contains("hash") && !checked.data.contains("differ"), "{}", checked.data);
    let now: Value = serde_json::from_str(&text(&place, file)).unwrap();
    assert_eq!(now["hash"], hash);
}

#[test]
fn lists_of_functions_are_updated_item_by_item() {
    for target in ["openai", "anthropic", "gemini", "langchain"] {
        let place = place(&[]);
        place
            .run(&["convert", "api.yaml", "getOrder", "--to", target, "--out", "list.json"])
            .ended(0, &[]);
        let before = text(&place, "list.json")
            .replace("Gets one order", "Old")
            .replace("\"name\": \"getOrder\"", "\"name\":   \"getOrder\", \"strict\": true");
        fs::write(place.here.join("list.json"), &before).unwrap();
        update(&place, target, "list.json", &[])
            .ended(0, &["list.json: 1 wording (tool/getOrder); 1 tool new", "updated list.json"]);
        let now = text(&place, "list.json");
        assert!(
            now.contains("\"name\":   \"getOrder\"") && now.contains("strict"),
            "{target}: {now}"
        );
        assert!(now.contains("Gets one order") && now.contains("\"addOrder\""), "{target}: {now}");
        is_settled(&place, target, "list.json", "list.json");
    }
    let place = place(&[
        (
            "flat.json",
            "[{\"type\": \"function\", \"name\": \"getOrder\", \"description\": \"Old\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}]\n",
        ),
        ("none.json", "[]\n"),
    ]);
    update(&place, "openai", "flat.json", &[]).ended(0, &["updated flat.json"]);
    let flat: Value = serde_json::from_str(&text(&place, "flat.json")).unwrap();
    assert_eq!(
        (&flat[0]["description"], flat[0].get("function")),
        (&json!("Gets one order"), None)
    );
    assert_eq!(flat[0]["parameters"]["required"], json!(["id", "depth"]));
    update(&place, "openai", "none.json", &[]).ended(0, &["none.json: no changes; 2 tools new"]);
    update(&place, "anthropic", "flat.json", &[])
        .ended(2, &["its tools are in the form of openai, not of anthropic"]);
    update(&place, "openapi", "api.yaml", &[])
        .ended(2, &["an OpenAPI document that is there isn't updated"]);
}

#[test]
fn gemini_gets_one_kind_of_schema() {
    let old = json!({"functionDeclarations": [{"name": "getOrder", "description": "Gets one order",
        "parameters": {"type": "OBJECT", "properties": {"id": {"type": "STRING", "description": "Its number"}}, "required": ["id"]}}]});
    let place = place(&[("list.json", &old.to_string())]);
    update(&place, "gemini", "list.json", &[]).ended(0, &["1 breaking"]);
    let now: Value = serde_json::from_str(&text(&place, "list.json")).unwrap();
    let declared = &now["functionDeclarations"][0];
    assert_eq!(declared.get("parameters"), None, "{now:#}");
    assert_eq!(declared["parametersJsonSchema"]["required"], json!(["id", "depth"]));
}

#[test]
fn a_name_of_ones_own_stays_and_groups_go_to_the_settings() {
    let renamed = TOOLS.replace("name: getOrder", "name: Fetch an order");
    let place = place(&[("tools.yaml", &renamed), ("defs/lamp.yaml", "")]);
    update(&place, "trustgraph", "tools.yaml", &[]).ended(0, &["updated"]);
    assert!(text(&place, "tools.yaml").contains("    name: Fetch an order\n"));
    // A source that has groups takes them along.
    fs::remove_file(place.here.join("defs/lamp.yaml")).unwrap();
    let convert = ["convert", "getorder", "--to", "commonground", "--out", "defs"];
    place.run(&convert).ended(0, &["wrote groups and states of"]);
    let settings = text(&place, "toolcrib.toml");
    assert!(settings.contains("read only"), "{settings}");
    let now = text(&place, "tools.yaml").replace("[shop, \"read only\"]", "[shop]");
    fs::write(place.here.join("tools.yaml"), now).unwrap();
    let ran = place.run(&[&convert[..], &["--update"]].concat());
    ran.ended(0, &["wrote groups and states of"]);
    assert!(ran.data.contains("entry.changed at /groups"), "{}", ran.data);
    assert!(!text(&place, "toolcrib.toml").contains("read only"));
}

#[test]
fn one_name_in_two_files_is_refused_and_the_report_is_json() {
    let place = place(&[("a/one.yaml", TOOLS), ("b/two.yaml", TOOLS)]);
    update(&place, "trustgraph", ".", &[])
        .ended(2, &["getOrder is there twice: ", "name the file of one of them"]);
    let report = update(&place, "trustgraph", "a", &["--json"]).json();
    assert_eq!(report["tools"][0]["state"], "changed");
    assert_eq!(report["tools"][0]["changes"][0]["severity"], "breaking");
    assert_eq!(report["tools"][1]["state"], "new");
    assert_eq!(
        (&report["files"], &report["left"], &report["written"]),
        (&json!(["a/one.yaml"]), &json!(["other"]), &json!(true))
    );
    // Two source tools, in one file, from a workspace's own tools of the same system.
    let same = place.run(&[
        "convert",
        "other",
        "--to",
        "trustgraph",
        "-w",
        "b",
        "--out",
        "a/one.yaml",
        "--update",
    ]);
    same.ended(0, &["a/one.yaml: no changes"]);
}

#[test]
fn an_export_with_entries_as_texts_is_updated_within_them() {
    let entry = json!({"type": "tool-service", "name": "getOrder", "description": "Old", "service": "s", "arguments": []});
    let export = json!({"version": 2, "config": {"tool": {"getorder": entry.to_string()}}});
    let place = place(&[("export.json", &format!("{export:#}\n"))]);
    let one = [
        "convert",
        "api.yaml",
        "getOrder",
        "--to",
        "trustgraph",
        "--out",
        "export.json",
        "--update",
    ];
    place.run(&one).ended(0, &["updated export.json"]);
    let now: Value = serde_json::from_str(&text(&place, "export.json")).unwrap();
    let inner: Value =
        serde_json::from_str(now["config"]["tool"]["getorder"].as_str().unwrap()).unwrap();
    assert_eq!((&inner["description"], &inner["service"]), (&json!("Gets one order"), &json!("s")));
}

#[test]
fn members_keep_the_spelling_that_the_entry_has() {
    let schema = "{\n  \"type\": \"object\",  \"properties\": {\"id\": {\"type\": \"string\", \"description\": \"Its number\"}},\n  \"required\": [\"id\"]\n}";
    let entry = json!({"name": "getOrder", "isSubAgent": true, "selectionPolicy": "ByUser", "configuration":
        {"assistantId": "ours", "tool_description": "Old", "tool_input_json_schema": schema}});
    let place = place(&[("order.json", &format!("{entry:#}\n"))]);
    let one =
        ["convert", "api.yaml", "getOrder", "--to", "unique", "--out", "order.json", "--update"];
    place.run(&one).ended(0, &["updated order.json"]);
    let now: Value = serde_json::from_str(&text(&place, "order.json")).unwrap();
    let configuration = now["configuration"].as_object().unwrap();
    let keys: Vec<&String> = configuration.keys().collect();
    assert_eq!(keys, ["assistantId", "tool_description", "tool_input_json_schema"]);
    assert_eq!(configuration["tool_description"], "Gets one order");
    let inner = configuration["tool_input_json_schema"].as_str().unwrap();
    assert!(inner.contains("\"object\",  \"properties\"") && inner.contains("depth"), "{inner}");
}

#[test]
fn a_long_file_changes_only_where_a_tool_does() {
    let entry = |row: usize, form: &dyn Fn(Value) -> Value| {
        let long = "Does what it does, and says so at length. ".repeat(20);
        form(json!({"type": "text-completion", "name": format!("Tool {row}"), "description": long}))
    };
    let forms: [&dyn Fn(Value) -> Value; 2] = [&|value| value, &|value| value.to_string().into()];
    for form in forms {
        let mut tools: serde_json::Map<String, Value> =
            (0..60).map(|row| (format!("tool {row}"), entry(row, form))).collect();
        let own = json!({"type": "tool-service", "name": "getOrder", "description": "Old", "service": "s", "arguments": []});
        tools.insert("getorder".into(), form(own));
        let before = format!("{:#}\n", json!({"tool": tools}));
        let place = place(&[("long.json", &before)]);
        let one = ["convert", "api.yaml", "--to", "trustgraph", "--out", "long.json", "--update"];
        let ran = place.run(&one);
        ran.ended(0, &["updated long.json", "; 1 tool new", " and 54 more"]);
        let now = text(&place, "long.json");
        let kept = before.lines().filter(|line| line.contains("tool ")).count();
        assert_eq!(
            now.lines().filter(|line| before.contains(line) && line.contains("tool ")).count(),
            kept
        );
        assert!(now.contains("Gets one order") && now.contains("addorder"), "{now}");
        is_settled(&place, "trustgraph", "long.json", "long.json");
    }
}
