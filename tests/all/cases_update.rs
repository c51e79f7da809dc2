//! `toolcrib test --update`, and a case file that is opened in the workbench.

use std::{fs, path::Path};

use crate::{plain, support::place::Place};

const CASE: &str = "\
# mine
case: sum
expect:
  json: 43 # so far
  contains: [\"4\", \"3\"]
call: calculator
arguments: {expression: 6 * 7}
";

/// A copy of a sample.
fn copy_of(sample: &str) -> Place {
    let place = Place::with(&[]);
    copy(&Place::sample(sample).here, &place.here);
    place
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// The sample services with these cases.
fn place(cases: &[(&str, &str)]) -> Place {
    let place = copy_of("services");
    fs::create_dir_all(place.here.join("cases")).unwrap();
    for (name, text) in cases {
        fs::write(place.here.join("cases").join(name), text).unwrap();
    }
    place
}

#[test]
fn the_history_says_whether_a_call_passed_as_a_test() {
    let place = place(&[("sum.yaml", CASE)]);
    place.run(&["test"]).ended(1, &[]);
    let shown = place.run(&["history", "show", "last"]).data;
    assert!(
        shown.contains("cases/sum.yaml failed: contains: expected \"3\": it is not in"),
        "{shown}"
    );
}

#[test]
fn a_case_file_opens_its_workspace() {
    let place = place(&[("sum.yaml", CASE)]);
    let opened = plain::run(&place, &["cases/sum.yaml", "--plain"], &["quit"]);
    assert!(
        opened.data.contains("cases/sum.yaml") && opened.data.contains("runs the case"),
        "{}",
        opened.data
    );
    let aside = place.here.join("drafts");
    fs::create_dir(&aside).unwrap();
    fs::rename(place.here.join("cases/sum.yaml"), aside.join("sum.yaml")).unwrap();
    let opened = plain::run(&place, &["drafts/sum.yaml", "--plain"], &["quit"]);
    assert!(
        opened.data.contains("drafts/sum.yaml") && opened.data.contains("runs the case"),
        "{}",
        opened.data
    );
}

/// The current folder may be all of a home folder.
#[test]
fn a_case_file_of_a_folder_below_opens_that_folder() {
    let place = Place::with(&[]);
    let below = place.here.join("below");
    copy(&Place::sample("services").here, &below);
    let _ = fs::remove_file(below.join("toolcrib.toml"));
    fs::create_dir_all(below.join("cases")).unwrap();
    fs::write(below.join("cases/sum.yaml"), CASE).unwrap();
    let opened = plain::run(&place, &["below/cases/sum.yaml", "--plain"], &["quit"]);
    let words = opened.data;
    assert!(words.contains("cases/sum.yaml") && words.contains("runs the case"), "{words}");
    assert!(!words.contains("below/cases/sum.yaml"), "{words}");
}

#[test]
fn answers_are_accepted_on_the_command_line_where_they_differ() {
    let good = "call: calculator\narguments: {expression: 1 + 1}\nexpect: {json: 2}\n";
    let schema = "call: calculator\narguments: {expression: 1}\nexpect: {schema: {type: object}}\n";
    let place = place(&[("sum.yaml", CASE), ("good.yaml", good), ("schema.yaml", schema)]);
    let read = |name: &str| fs::read_to_string(place.here.join("cases").join(name)).unwrap();

    let shown = place.run(&["test", "--update", "--dry-run"]);
    shown.ended(1, &["2 of 3 cases failed", "schema can't be accepted: edit the case"]);
    for words in ["cases/sum.yaml", "-   json: 43 # so far", "+   json: 42 # so far"] {
        assert!(shown.data.contains(words), "{words}: {}", shown.data);
    }
    assert_eq!(read("sum.yaml"), CASE);

    place.run(&["test", "--update"]).ended(1, &["1 of 3 cases failed"]);
    let now = CASE.replace("json: 43", "json: 42").replace("[\"4\", \"3\"]", "[\"4\"]");
    assert_eq!(read("sum.yaml"), now);
    assert_eq!((read("good.yaml").as_str(), read("schema.yaml").as_str()), (good, schema));
    place.run(&["test", "sum", "good"]).ended(0, &["2 cases passed"]);
    place.run(&["test", "--update", "--json"]).ended(2, &["cannot be used with"]);
}

#[test]
fn what_can_not_be_updated_stops_no_other_case() {
    let runs = format!("{CASE}runs: 2\n");
    let place = place(&[("1-runs.yaml", &runs), ("sum.yaml", CASE)]);
    let cases = place.here.join("cases");
    fs::write(cases.join("0-bad.yaml"), b"call: calculator # \xff\n").unwrap();
    let ran = place.run(&["test", "--update"]);
    for words in ["cases/1-runs.yaml: it was run several times", "1 of 3 cases failed"] {
        assert!(ran.words.contains(words), "{words}: {}", ran.words);
    }
    let sum = fs::read_to_string(cases.join("sum.yaml")).unwrap();
    assert!(sum.contains("json: 42"), "{sum}");
    // What failed is known for the next run.
    let again = place.run(&["test", "--failed"]);
    assert!(again.words.contains("1 of 2 cases failed"), "{}", again.words);
}

#[test]
fn a_scenario_is_not_updated_from_a_step_on_that_cannot_be_run() {
    let place = copy_of("spec-workflow");
    let file = place.here.join("scenarios/research.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let typed = text.replace("complex-analysis", "complex-analysys");
    assert_ne!(text, typed);
    fs::write(&file, &typed).unwrap();
    let ran = place.run(&["simulate", "--update"]);
    ran.ended(1, &["can't be run, as there is no tool complex-analysys"]);
    let now = fs::read_to_string(&file).unwrap();
    fs::write(&file, now.replace("complex-analysys", "complex-analysis")).unwrap();
    place.run(&["simulate", "research"]).ended(0, &["1 scenario passed"]);
}

#[test]
fn a_request_is_shown_without_its_secrets_but_to_scripts() {
    let place = Place::with(&[
        ("toolcrib.toml", "[connections.s]\nsystem = \"mcp\"\ncommand = \"true\"\n"),
        (
            "mcp/s.json",
            r#"{"server": "s", "tools": [{"name": "login", "description": "d", "inputSchema": {"type": "object", "properties": {"password": {"type": "string"}}}}]}"#,
        ),
    ]);
    let line = ["call", "s/login", "password=Hunter2Hunter", "--dry-run"];
    let shown = place.run(&line);
    shown.ended(0, &["--json prints the request whole"]);
    assert!(shown.data.contains("***") && !shown.data.contains("Hunter2"), "{}", shown.data);
    let whole = place.run(&[&line[..], &["--json"]].concat());
    assert!(whole.data.contains("Hunter2Hunter"), "{}", whole.data);
}
