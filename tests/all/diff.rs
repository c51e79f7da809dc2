//! `toolcrib diff`: what changed between the tools of two sides, whatever form each of them has.

use std::{fs, io::Write as _};

use serde_json::{Value, json};

use super::support::place::{Place, Ran};

const API: &str = "\
openapi: 3.0.3
info: {title: Orders, version: '1'}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      summary: Gets an order
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: full, in: query, schema: {type: boolean}}
      responses: {'200': {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
  /orders:
    get:
      summary: Lists orders
components:
  schemas:
    Order: {type: object, required: [state], properties: {state: {type: string}}}
";

/// What a command says that gets a text on standard input.
fn piped(place: &Place, arguments: &[&str], text: &str) -> Ran {
    let mut command = place.command(arguments);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

/// The changes of two files, as `severity entry change at`.
fn changes(place: &Place, old: &str, new: &str) -> Vec<String> {
    let ran = place.run(&["diff", old, new, "--json"]);
    let report = ran.json();
    let list = report["changes"].as_array().unwrap();
    assert_eq!(ran.code, Some(i32::from(!list.is_empty())), "{}", ran.words);
    assert_eq!(report["state"], if list.is_empty() { "same" } else { "changed" });
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let line = |one| ["severity", "entry", "change", "at"].map(|key| text(one, key)).join(" ");
    list.iter().map(line).collect()
}

/// The changes where the API says something else.
fn api_changes(replaced: &[(&str, &str)]) -> Vec<String> {
    let new = replaced.iter().fold(API.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let place = Place::with(&[("old.yaml", API), ("new.yaml", &new)]);
    changes(&place, "old.yaml", "new.yaml")
}

#[test]
fn a_change_of_an_api_matters_by_what_its_callers_meet() {
    assert_eq!(
        api_changes(&[("/orders/{id}:", "/v2/orders/{id}:")]),
        ["breaking tool/getOrder request.path-changed /request/path"]
    );
    assert_eq!(
        api_changes(&[("    get:\n      operationId", "    post:\n      operationId")]),
        ["breaking tool/getOrder request.method-changed /request/method"]
    );
    assert_eq!(
        api_changes(&[("name: full, in: query", "name: full, in: header")]),
        ["breaking tool/getOrder request.place-changed /request/places/full"]
    );
    // Another name in the path is never sent; only the argument has another.
    assert_eq!(
        api_changes(&[("{id}", "{number}"), ("name: id", "name: number")]),
        [
            "breaking tool/getOrder input.property-added-required /inputSchema/properties/number",
            "breaking tool/getOrder input.property-removed /inputSchema/properties/id",
        ]
    );
    assert_eq!(
        api_changes(&[("name: full, in: query,", "name: full, in: query, required: true,")]),
        ["breaking tool/getOrder input.required-added /inputSchema/properties/full"]
    );
    assert_eq!(
        api_changes(&[("Gets an order", "Gets one order")]),
        ["wording tool/getOrder text.changed /description"]
    );
    // Behind the reference.
    assert_eq!(
        api_changes(&[("required: [state], ", "")]),
        ["breaking tool/getOrder output.required-removed /outputSchema/properties/state"]
    );
    assert_eq!(
        api_changes(&[("      summary: Lists", "      deprecated: true\n      summary: Lists")]),
        ["compatible tool/get_orders entry.changed /deprecated"]
    );
    assert_eq!(
        api_changes(&[("paths:", "servers: [{url: 'https://x'}]\npaths:")]),
        ["behaviour * entry.changed /servers"]
    );
    assert_eq!(
        api_changes(&[("paths:", "security: [{key: []}]\npaths:")]),
        ["breaking * entry.changed /security"]
    );
}

#[test]
fn an_operation_is_known_by_its_id_or_by_its_request() {
    assert_eq!(
        api_changes(&[("operationId: getOrder", "operationId: readOrder")]),
        ["breaking tool/readOrder name.changed /name"]
    );
    assert_eq!(
        api_changes(&[("      summary: Lists", "      operationId: list\n      summary: Lists")]),
        ["breaking tool/list name.changed /name"]
    );
    let moved = api_changes(&[("  /orders:\n    get:", "  /all:\n    put:")]);
    assert_eq!(
        moved,
        ["breaking tool/get_orders entry.removed ", "compatible tool/put_all entry.added ",]
    );
}

#[test]
fn a_version_of_git_is_compared_with_the_file() {
    let place = Place::with(&[("api.yaml", API)]);
    let same = piped(&place, &["diff", "-", "api.yaml"], API);
    same.ended(0, &["- → api.yaml: no changes"]);
    let old = API.replace("Gets an order", "Gets orders").replace("/orders/{id}:", "/order/{id}:");
    let ran = piped(&place, &["diff", "-", "api.yaml", "--fail-on", "breaking"], &old);
    ran.ended(1, &["- → api.yaml: 1 breaking (tool/getOrder), 1 wording (tool/getOrder)"]);
    let lines = "breaking api.yaml tool/getOrder request.path-changed at /request/path\n  - /order/{id}\n  + /orders/{id}\nwording api.yaml";
    assert!(ran.data.starts_with(lines), "{}", ran.data);
    let milder = API.replace("Gets an order", "Gets orders");
    piped(&place, &["diff", "-", "api.yaml", "--fail-on", "behaviour"], &milder)
        .ended(0, &["1 wording"]);
    let annotated = piped(&place, &["diff", "-", "api.yaml", "--format", "github"], &old).data;
    let line = "::error file=api.yaml,line=5,col=5,title=request.path-changed::api.yaml tool/getOrder: breaking at /request/path: /order/{id} → /orders/{id}";
    assert!(annotated.contains(line), "{annotated}");
    let junit = piped(&place, &["diff", "-", "api.yaml", "--format", "junit"], &old);
    assert!(junit.data.contains("failures=\"2\""), "{}", junit.data);
    let sarif = piped(&place, &["diff", "-", "api.yaml", "--format", "sarif"], &old);
    assert_eq!(sarif.json()["runs"][0]["results"][0]["ruleId"], "request.path-changed");
    // On either side.
    piped(&place, &["diff", "api.yaml", "-"], &old).ended(1, &["api.yaml → -: 1 breaking"]);
}

/// Runs git in the place, with a name of its own and no settings of the user's.
fn git(place: &Place, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(&place.here).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]);
    let done = command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}

/// Runs a command that runs git.
fn since(place: &Place, arguments: &[&str]) -> Ran {
    let path = std::env::var_os("PATH").unwrap();
    Ran::of(place.command(arguments).env("PATH", path).output().unwrap())
}

#[test]
fn a_workspace_is_compared_with_what_it_was_in_git() {
    let place = Place::with(&[
        ("shop/toolcrib.toml", ""),
        ("shop/a/tools.yaml", TOOLS),
        ("shop/b/more.yaml", "tool: {more: {type: text-completion, name: M, description: M}}\n"),
    ]);
    since(&place, &["diff", "-w", "shop", "--since", "main"])
        .ended(2, &["is in no git repository"]);
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "one"]);
    let same = since(&place, &["diff", "--since", "main", "shop"]);
    same.ended(0, &["main → shop: no changes"]);
    let write = |path: &str, text: &str| fs::write(place.here.join(path), text).unwrap();
    write("shop/a/tools.yaml", &TOOLS.replace("[fun]", "[work]"));
    write("shop/b/more.yaml", "tool: {more: [\n");
    write("shop/b/new.yaml", TOOLS);
    let folder = since(&place, &["diff", "--since", "HEAD", "shop/a"]);
    folder.ended(1, &["HEAD:a → shop/a: 1 behaviour (tool/joke)"]);
    assert!(!folder.data.contains("tmp"), "{}", folder.data);
    since(&place, &["diff", "--since", "HEAD", "shop/a/tools.yaml"]).ended(1, &["1 behaviour"]);
    since(&place, &["diff", "--since", "HEAD", "-w", "shop"])
        .ended(2, &["reading shop/b/more.yaml", "1 file not compared"]);
    let annotated = since(&place, &["diff", "--since", "HEAD", "shop/a", "--format", "github"]);
    assert!(annotated.data.contains("file=shop/a/tools.yaml,line=2"), "{}", annotated.data);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "two"]);
    write("shop/b/more.yaml", "tool: {}\n");
    let broken = since(&place, &["diff", "--since", "HEAD", "shop"]);
    broken.ended(2, &["reading HEAD:b/more.yaml", "1 file not compared"]);
    for (words, arguments) in [
        ("there is no such commit, branch or tag", ["--since", "other", "shop"]),
        ("\"-x\" names no commit", ["--since=-x", "shop", "-q"]),
        (
            "reading HEAD~1:b/new.yaml: it isn't in that version",
            ["--since", "HEAD~1", "shop/b/new.yaml"],
        ),
    ] {
        let ran = since(&place, &[&["diff"][..], &arguments].concat());
        ran.ended(2, &[words]);
    }
    place.run(&["diff", "a", "b", "--since", "main"]).ended(2, &["cannot be used with"]);
    place.run(&["diff"]).ended(2, &["required"]);
}

#[test]
fn links_and_submodules_are_no_new_tools() {
    let tool = |key: &str| {
        format!("tool: {{{key}: {{type: text-completion, name: {key}, description: M}}}}\n")
    };
    let place = Place::with(&[
        ("shop/toolcrib.toml", ""),
        ("shop/a/tools.yaml", TOOLS),
        ("shop/parts/parts.yaml", &tool("part")),
        ("library/l.yaml", &tool("more")),
        ("library/m.yaml", &tool("most")),
    ]);
    let link = |name: &str| {
        let target = format!("../library/{name}");
        std::os::unix::fs::symlink(target, place.here.join("shop").join(name)).unwrap();
    };
    link("l.yaml");
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["-C", "shop/parts", "init", "-q", "-b", "main"]);
    git(&place, &["-C", "shop/parts", "add", "-A"]);
    git(&place, &["-C", "shop/parts", "commit", "-q", "-m", "parts"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "one"]);
    since(&place, &["diff", "--since", "HEAD", "shop"])
        .ended(0, &["HEAD → shop: no changes; 2 files of links and submodules not compared"]);
    since(&place, &["diff", "--since", "HEAD", "shop/a"]).ended(0, &["shop/a: no changes"]);
    // One that wasn't there is new.
    link("m.yaml");
    since(&place, &["diff", "--since", "HEAD", "shop"]).ended(1, &["1 compatible (tool/most)"]);
}

/// git gives its hooks and aliases variables that name a repository and a folder.
#[test]
fn the_repository_is_that_of_the_workspace() {
    let place = Place::with(&[
        ("sub/toolcrib.toml", ""),
        ("sub/tools.yaml", TOOLS),
        ("beside.yaml", "tool: {more: {type: text-completion, name: M, description: M}}\n"),
    ]);
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "one"]);
    let path = std::env::var_os("PATH").unwrap();
    let mut command = place.command(&["-w", "sub", "diff", "--since", "HEAD"]);
    command.env("PATH", path).env("GIT_DIR", place.here.join(".git")).env("GIT_PREFIX", "sub/");
    Ran::of(command.output().unwrap()).ended(0, &["HEAD → sub: no changes"]);
}

#[test]
fn a_side_without_tools_is_an_empty_list_or_refused() {
    let place = Place::with(&[
        ("api.yaml", API),
        ("none.json", "[]"),
        ("other.yaml", "a: 1\n"),
        ("text.yaml", "only words\n"),
        ("blank.yaml", "\n"),
        ("broken.yaml", "openapi: 3.1.0\npaths: {a: [\n"),
        ("old.yaml", "swagger: '2.0'\npaths: {}\n"),
        ("empty/readme.txt", "nothing"),
    ]);
    let removed = changes(&place, "api.yaml", "none.json");
    assert_eq!(
        removed,
        ["breaking tool/getOrder entry.removed ", "breaking tool/get_orders entry.removed "]
    );
    assert_eq!(changes(&place, "none.json", "none.json"), [""; 0]);
    assert_eq!(changes(&place, "api.yaml", "api.yaml"), [""; 0]);
    for (side, words) in [
        ("other.yaml", "reading other.yaml: there are no tools in it"),
        ("text.yaml", "reading text.yaml: there are no tools in it"),
        ("blank.yaml", "reading blank.yaml: it is empty"),
        ("broken.yaml", "reading broken.yaml: "),
        ("old.yaml", "it is Swagger 2.0, and only OpenAPI 3 is read"),
        ("empty", "reading empty: there are no tools in this folder"),
        ("gone.yaml", "reading gone.yaml: "),
    ] {
        place.run(&["diff", "api.yaml", side]).ended(2, &[words]);
        place.run(&["diff", side, "api.yaml"]).ended(2, &[words]);
    }
    place.run(&["diff", "-", "-"]).ended(2, &["standard input can only be one of the two"]);
    // A command that fails prints nothing.
    piped(&place, &["diff", "-", "api.yaml"], "").ended(2, &["reading -: it is empty"]);
}

const TOOLS: &str = "\
tool:
  joke: {type: tool-service, name: joke, description: Tells a joke, service: jokes, group: [fun], arguments: [{name: topic, type: string, description: About what}]}
  the other: {type: text-completion, name: Other, description: Completes}
tool-service:
  jokes: {id: jokes, request-queue: a, response-queue: b}
";

#[test]
fn entries_of_one_system_are_compared_whole() {
    let new = TOOLS
        .replace("service: jokes", "service: puns")
        .replace("[fun]", "[fun, work]")
        .replace("request-queue: a", "request-queue: c");
    let place = Place::with(&[("a/tools.yaml", TOOLS), ("b/other.yaml", &new)]);
    let expected = [
        "behaviour tool/joke entry.changed /group",
        "behaviour tool/joke entry.changed /service",
        "behaviour tool-service/jokes entry.changed /request-queue",
    ];
    assert_eq!(changes(&place, "a/tools.yaml", "b/other.yaml"), expected);
    assert_eq!(changes(&place, "a", "b"), expected);
    let ran = piped(&place, &["diff", "-", "a/tools.yaml"], &TOOLS.replace("[fun]", "[work]"));
    ran.ended(1, &["- → a/tools.yaml: 1 behaviour (tool/joke)"]);
    let annotated = place.run(&["diff", "a", "b", "--format", "github", "--fail-on", "breaking"]);
    annotated.ended(0, &[]);
    assert!(annotated.data.contains("::notice file=b/other.yaml,line=2"), "{}", annotated.data);
}

#[test]
fn a_tool_under_another_name_is_the_same() {
    let renamed = TOOLS.replace("  joke:", "  pun:").replace("name: joke", "name: pun");
    let place = Place::with(&[("a.yaml", TOOLS), ("b.yaml", &renamed)]);
    let report = place.run(&["diff", "a.yaml", "b.yaml", "--json"]).json();
    let change = &report["changes"][0];
    assert_eq!(
        (&change["change"], &change["before"], &change["after"]),
        (&json!("name.changed"), &json!("joke"), &json!("pun")),
        "{report}"
    );
    assert_eq!(report["changes"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
fn a_file_that_cannot_be_read_is_compared_on_neither_side() {
    let broken = "tool: {a: [\n";
    let place = Place::with(&[
        ("old/sub/tools.yaml", TOOLS),
        ("old/more.yaml", "tool: {more: {type: text-completion, name: More, description: M}}\n"),
        ("new/sub/tools.yaml", &TOOLS.replace("[fun]", "[work]")),
        ("new/more.yaml", broken),
        ("gone/more.yaml", broken),
    ]);
    let ran = place.run(&["diff", "old", "new", "--json"]);
    let report = ran.json();
    assert_eq!(ran.code, Some(2), "{}", ran.words);
    assert_eq!(report["changes"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["changes"][0]["at"], "/group");
    assert_eq!(report["unread"][0]["file"], "new/more.yaml");
    let ran = place.run(&["diff", "new", "old"]);
    ran.ended(2, &["reading new/more.yaml", "1 behaviour (tool/joke); 1 file not compared"]);
    let report = place.run(&["diff", "old", "new", "--format", "github"]);
    assert!(report.data.contains("::error file=new/more.yaml"), "{}", report.data);
    // A folder of a workspace names its files below itself.
    place.run(&["diff", "old/sub", "new/sub"]).ended(1, &["1 behaviour (tool/joke)"]);
    place.run(&["diff", "old", "gone"]).ended(2, &["reading gone/more.yaml"]);
}

#[test]
fn a_tool_alone_in_its_file_is_itself_on_standard_input() {
    let tool = "{type: text-completion, description: Completes}\n";
    let place = Place::with(&[("tools/write.yaml", tool)]);
    piped(&place, &["diff", "-", "tools/write.yaml"], tool).ended(0, &["no changes"]);
}

#[test]
fn groups_in_the_settings_count() {
    let tool = "tool_name: lamp\ndescription: A\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.on\nafter_execution: suspend\nparameters: {type: object, properties: {}}\noptions: {}\n";
    let settings = |group: &str| format!("[commonground.tools.lamp]\ngroups = [\"{group}\"]\n");
    let place = Place::with(&[
        ("a/lamp.yaml", tool),
        ("a/toolcrib.toml", &settings("home")),
        ("b/lamp.yaml", tool),
        ("b/toolcrib.toml", &settings("work")),
    ]);
    assert_eq!(changes(&place, "a", "b"), ["behaviour tool/lamp entry.changed /groups"]);
    assert_eq!(changes(&place, "a/lamp.yaml", "a"), [""; 0]);
}

#[test]
fn sides_of_other_forms_are_compared_as_tools() {
    let place = Place::with(&[("toolcrib.toml", ""), ("tools.yaml", TOOLS)]);
    for (target, file) in
        [("openai", "list.json"), ("gemini", "gemini.json"), ("mcp", "mcp/kept.json")]
    {
        let ran = place.run(&["convert", "joke", "Other", "--to", target, "--out", file]);
        ran.ended(0, &[]);
        assert_eq!(changes(&place, file, file), [""; 0]);
        // Who takes a list knows neither groups nor services; names may be others for it.
        let found = changes(&place, "tools.yaml", file);
        assert_eq!(found, [""; 0], "{file}");
    }
    let anthropic = json!([{"name": "joke", "description": "Tells", "cache_control": {"type": "ephemeral"}, "input_schema": {"type": "object", "properties": {}}}]);
    std::fs::write(place.here.join("a.json"), anthropic.to_string()).unwrap();
    let plain = anthropic.to_string().replace("ephemeral", "lasting");
    std::fs::write(place.here.join("b.json"), plain).unwrap();
    assert_eq!(
        changes(&place, "a.json", "b.json"),
        ["behaviour tool/joke entry.changed /cache_control"]
    );
}

#[test]
fn hints_of_servers_are_compared_as_drift_does() {
    let list = |is_read_only: bool| {
        json!({"tools": [{"name": "read", "description": "A", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": is_read_only}}]}).to_string()
    };
    let place = Place::with(&[("a.json", &list(true)), ("b.json", &list(false))]);
    assert_eq!(
        changes(&place, "a.json", "b.json"),
        ["behaviour tool/read annotations.loosened /annotations/readOnlyHint"]
    );
}

#[test]
fn no_secret_is_shown() {
    let server = |token: &str| {
        format!(
            "tool:\n  a: {{type: mcp-tool, name: a, description: A, mcp-tool: files}}\nmcp:\n  files: {{url: 'http://h', auth-token: {token}}}\n"
        )
    };
    let place =
        Place::with(&[("a.yaml", &server("hunter2secret")), ("b.yaml", &server("swordfish"))]);
    let ran = place.run(&["diff", "a.yaml", "b.yaml"]);
    assert!(!format!("{}{}", ran.data, ran.words).contains("hunter2"), "{}", ran.data);
}

#[test]
fn what_a_schema_no_longer_allows_is_breaking_and_what_can_not_be_decided_says_so() {
    let schema = |property: &Value| json!({"type": "object", "properties": {"p": property}});
    let plain = |property: &Value| {
        json!([{"name": "t", "description": "d", "input_schema": schema(property)}]).to_string()
    };
    let served = |property: &Value| {
        json!({"tools": [{"name": "t", "description": "d", "inputSchema": schema(property)}]})
            .to_string()
    };
    let forms: [&dyn Fn(&Value) -> String; 2] = [&plain, &served];
    let kind = |of: &str| json!({"type": "object", "properties": {"kind": {"const": of}}, "required": ["kind"]});
    let (two, one) = (json!({"oneOf": [kind("p"), kind("q")]}), json!({"oneOf": [kind("p")]}));
    for (old, new, expected) in [
        (&two, &one, "breaking tool/t input.constraint-narrowed /inputSchema/properties/p"),
        (&one, &two, "compatible tool/t input.constraint-widened /inputSchema/properties/p"),
        (
            &json!({"pattern": "a"}),
            &json!({"pattern": "b"}),
            "breaking tool/t input.constraint-changed /inputSchema/properties/p",
        ),
    ]
    .iter()
    .flat_map(|case| forms.iter().map(move |form| (form(case.0), form(case.1), case.2)))
    {
        let place = Place::with(&[("old.json", &old), ("new.json", &new)]);
        assert_eq!(changes(&place, "old.json", "new.json"), [expected], "{old}");
        let ran = place.run(&["diff", "old.json", "new.json", "--fail-on", "breaking"]);
        assert_eq!(ran.code, Some(i32::from(expected.starts_with("breaking"))), "{}", ran.data);
        assert_eq!(
            ran.data.contains("can't be decided"),
            expected.contains("-changed"),
            "{}",
            ran.data
        );
    }
}

#[test]
fn what_changed_of_the_workflow_is_said() {
    let tools = |target: &str| {
        format!(
            "tool:\n  ship: {{type: text-completion, name: ship, description: Ships, state: {target}}}\n  \
             confirm: {{type: text-completion, name: confirm, description: Confirms, state: undefined, \
             applicable-states: [shipped]}}\n  ask: {{type: text-completion, name: ask, description: Asks, \
             applicable-states: [undefined]}}\n"
        )
        .replace("description: Ships,", "description: Ships, applicable-states: [undefined],")
    };
    let place = Place::with(&[("a.yaml", &tools("shipped")), ("b.yaml", &tools("sent"))]);
    assert_eq!(
        changes(&place, "a.yaml", "b.yaml"),
        [
            "breaking tool/confirm tool.never-runs ",
            "behaviour tool/ship entry.changed /state",
            "behaviour state/shipped state.unreachable ",
            "behaviour state/sent state.dead-end ",
            "behaviour tool/ship arrow.removed ",
            "behaviour tool/ship arrow.added ",
            "compatible state/sent state.added ",
        ]
    );
    let ran = place.run(&["diff", "a.yaml", "b.yaml"]);
    for words in ["undefined → sent", "no run reaches it any more", "runs end there"] {
        assert!(ran.data.contains(words), "{words}: {}", ran.data);
    }
}
