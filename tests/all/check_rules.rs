//! `toolcrib check` by the rules of a workspace, and `check --fix`.

use serde_json::Value;

use super::support::place::{Place, Ran};

const TOOLS: &str = "\
tool:
  ask:
    type: text-completion # ours
    name: ask
    description: Asks a model.
    owner: crm
    oner: crm
  tell:
    type: text-completion
    name: tell
    description: Tells a model.
    group: [x, x, x]
";

fn found(ran: &Ran) -> Vec<String> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let line =
        |finding: &Value| ["severity", "file", "code"].map(|key| text(finding, key)).join(" ");
    ran.json().as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_workspace_says_which_findings_it_wants_and_how_much_they_matter() {
    let check = |settings: &str| {
        let place = Place::with(&[
            ("toolcrib.toml", settings),
            ("tools.yaml", TOOLS),
            ("old/tools.yaml", &TOOLS.replace("ask", "old").replace("tell", "older")),
        ]);
        place.run(&["check", "--json"])
    };
    let unknown = "descriptor.unknown-key";
    let of = |ran: &Ran, code: &str| -> Vec<String> {
        found(ran).into_iter().filter(|line| line.ends_with(code)).collect()
    };
    let all = check("");
    assert_eq!(of(&all, unknown).len(), 4, "{}", all.data);
    assert_eq!(all.code, Some(0));

    let own = check("[check]\nextra-keys = ['owner']\n");
    assert_eq!(
        of(&own, unknown),
        [
            "warning old/tools.yaml descriptor.unknown-key",
            "warning tools.yaml descriptor.unknown-key"
        ]
    );
    let ruled = check(
        "[check]\n'descriptor.*' = 'error'\n[check.files.'old/**']\n'descriptor.unknown-key' = 'off'\n",
    );
    assert_eq!(
        of(&ruled, unknown),
        ["error tools.yaml descriptor.unknown-key", "error tools.yaml descriptor.unknown-key"]
    );
    assert_eq!(ruled.code, Some(1));
    assert_eq!(of(&check("[check]\n'*' = 'off'\n"), ""), [""; 0]);
}

#[test]
fn fixes_that_leave_no_choice_are_made_and_the_rest_is_reported() {
    let place = Place::with(&[("tools.yaml", TOOLS), ("part/other.yaml", "tool: {}\n")]);
    // What is written is lost by none of these.
    let safe = place.run(&["check", "--fix", "--json"]);
    assert!(safe.words.contains("fixed tools.yaml:12 gates.listed-twice"), "{}", safe.words);
    let text = || std::fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert_eq!(text(), TOOLS.replace("[x, x, x]", "[x]"));
    std::fs::write(place.here.join("tools.yaml"), TOOLS).unwrap();
    let dry = place.run(&["check", "--fix", "--unsafe-fixes", "--dry-run"]);
    assert_eq!(dry.code, Some(1), "{}", dry.words);
    assert!(dry.words.contains("would fix tools.yaml:6 descriptor.unknown-key"), "{}", dry.words);
    assert!(dry.data.contains("-     owner: crm"), "{}", dry.data);
    assert_eq!(text(), TOOLS);
    // Only what is asked about.
    place.run(&["check", "part", "--fix", "--unsafe-fixes"]).ended(0, &["0 fixes in 0 files"]);
    assert_eq!(text(), TOOLS);

    let ran = place.run(&["check", "--fix", "--unsafe-fixes", "--json"]);
    assert!(ran.words.contains("fixed tools.yaml:6 descriptor.unknown-key"), "{}", ran.words);
    let left = found(&ran);
    assert!(!left.iter().any(|line| line.ends_with("descriptor.unknown-key")), "{left:?}");
    let now = text();
    assert!(now.contains("text-completion # ours") && !now.contains("oner: crm"), "{now}");
    assert!(now.contains("group: [x]"), "{now}");
    place.run(&["check", "--fix", "--unsafe-fixes"]).ended(0, &["0 fixes in 0 files"]);
}

#[test]
fn fixes_of_values_that_tools_share_are_made_once() {
    let tools = "\
tool:
  one: {type: tool-service, name: one, description: One, service: s, arguments: &list [{name: x, type: string, description: An x}, {name: x, type: string, description: An x}, {name: y, type: string, description: A y}]}
  two: {type: tool-service, name: two, description: Two, service: s, arguments: *list}
";
    let place = Place::with(&[("tools.yaml", tools)]);
    place.run(&["check", "--fix", "--unsafe-fixes"]);
    let now = std::fs::read_to_string(place.here.join("tools.yaml")).unwrap();
    assert_eq!(now, tools.replacen("{name: x, type: string, description: An x}, ", "", 1));
}

#[test]
fn a_finding_of_two_places_is_reported_at_the_one_that_is_asked_about() {
    let tool = |key: &str| {
        format!(
            "tool:\n  {key}: {{type: text-completion, name: same, description: Asks a model.}}\n"
        )
    };
    let place =
        Place::with(&[("toolcrib.toml", ""), ("a.yaml", &tool("one")), ("b.yaml", &tool("two"))]);
    for (file, other) in [("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")] {
        let ran = place.run(&["check", file, "--json"]);
        let all = ran.json();
        let is_it = |finding: &&Value| finding["code"] == "identity.duplicate-name";
        let finding = all.as_array().unwrap().iter().find(is_it).unwrap();
        assert_eq!((&finding["file"], &finding["line"]), (&file.into(), &2.into()));
        assert!(finding["message"].as_str().unwrap().contains(other), "{finding}");
        assert_eq!(finding["related"][0]["file"], other);
        let sarif = place.run(&["check", file, "--format", "sarif"]).json();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        let result = results.iter().find(|one| one["ruleId"] == "identity.duplicate-name").unwrap();
        let place_of = |list: &str| {
            result[list][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap()
        };
        assert_eq!((place_of("locations"), place_of("relatedLocations")), (file, other));
    }
}

#[test]
fn connections_are_tested_by_a_command() {
    let settings = "[connections.there]\nservers = ['nats://127.0.0.1:1']\n";
    let place = Place::with(&[("toolcrib.toml", settings), ("tools.yaml", TOOLS)]);
    let ran = place.run(&["doctor", "--connect", "--json"]);
    assert_eq!(ran.code, Some(3), "{}", ran.words);
    let rows = ran.json();
    let row = rows.as_array().unwrap().iter().find(|row| row["check"] == "connection there");
    let row = row.unwrap();
    assert_eq!(row["status"], "unreachable", "{row}");
    assert!(row["detail"].as_str().unwrap().contains("127.0.0.1:1"), "{row}");
    let ran = place.run(&["doctor", "--connect", "--connection", "embedded", "--json"]);
    let rows = ran.json();
    let is_it = |row: &&Value| row["check"] == "connection embedded";
    assert_eq!(rows.as_array().unwrap().iter().find(is_it).unwrap()["status"], "ok", "{rows:#}");
    // What another connection lacks is no answer to a question about this one.
    let settings = "[connections.there]\nservers = ['nats://127.0.0.1:1']\nca-file = 'gone.pem'\n";
    let place = Place::with(&[("toolcrib.toml", settings), ("tools.yaml", TOOLS)]);
    place.run(&["doctor"]).ended(1, &[]);
    let ran = place.run(&["doctor", "--connect", "--connection", "embedded"]);
    ran.ended(0, &[]);
    for folder in ["settings folder", "state folder", "cache folder"] {
        assert!(ran.data.contains(folder), "{}", ran.data);
    }
}

#[test]
fn cases_in_other_folders_are_named_where_they_are_not_run() {
    let case = "call: ask\nexpect: {outcome: succeeded}\n";
    let place = Place::with(&[
        ("toolcrib.toml", ""),
        ("tools.yaml", TOOLS),
        ("cases/one.yaml", case),
        ("crm/cases/two.yaml", case),
    ]);
    let words = "crm/cases: 1 case isn't run; `toolcrib test crm/cases` runs it";
    let all = place.run(&["test", "--mock"]);
    assert!(all.words.contains(words), "{}", all.words);
    assert!(!place.run(&["test", "crm/cases", "--mock"]).words.contains("isn't run"));
}

#[test]
fn parameters_of_opensearch_may_be_anything() {
    let tool = "type: ConnectorTool\nname: look\ndescription: Looks something up when asked.\nparameters:\n  connector_id: 5\n  input: {question: '${parameters.q}'}\n  prompt: [1, true]\n";
    let place = Place::with(&[("toolcrib.toml", ""), ("opensearch/look.yaml", tool)]);
    let found = found(&place.run(&["check", "--json"]));
    assert!(!found.iter().any(|line| line.contains("entry.schema")), "{found:?}");
}
