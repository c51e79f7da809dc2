//! Runs of cases over a server that counts, fails, hangs and dies: chosen, repeated, tried again,
//! chained, interrupted, and reported.

use std::{collections::BTreeSet, fs, path::Path, process::Child};

use serde_json::{Value, json};

use crate::{
    mcp_live::python,
    support::{
        place::{Place, Ran},
        signals,
    },
};

/// A workspace of that server's tools, with these cases.
fn place(cases: &[(&str, &str)]) -> Place {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services/case_server.py");
    let settings = format!(
        "[connections.s]\nsystem = \"mcp\"\nera = \"legacy\"\ncommand = {:?}\nargs = [{script:?}]\n",
        python()
    );
    let tool =
        |name: &str| json!({"name": name, "description": "d", "inputSchema": {"type": "object"}});
    let names = ["echo", "count", "login", "fail", "hang", "die"];
    let list = json!({"server": "s", "tools": names.map(tool)}).to_string();
    let mut files = vec![("toolcrib.toml", settings.as_str()), ("mcp/s.json", list.as_str())];
    let paths: Vec<String> = cases.iter().map(|(name, _)| format!("cases/{name}")).collect();
    files.extend(paths.iter().map(String::as_str).zip(cases.iter().map(|(_, text)| *text)));
    Place::with(&files)
}

fn test(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["test", "--allow-start"], words].concat())
}

/// What was printed, without the breaks and gaps between its words.
fn told(ran: &Ran) -> String {
    ran.data.split_whitespace().collect::<Vec<_>>().join(" ")
}

const ECHO: &str = "call: echo\narguments: {text: hello}\nexpect: {contains: hello}\n";
const WRONG: &str = "call: echo\narguments: {text: hello}\nexpect: {contains: bye}\n";

#[test]
fn a_crash_fails_its_own_case_and_other_calls_are_sent_again() {
    let place = place(&[("a.yaml", "case: dies\ncall: die\n"), ("b.yaml", ECHO), ("c.yaml", ECHO)]);
    let ran = test(&place, &["--jobs", "3"]);
    ran.ended(1, &["1 of 3 cases failed"]);
    let said = told(&ran);
    assert!(said.contains("✗ dies") && said.contains("it was lost (connection-lost:"), "{said}");
    assert_eq!(said.matches("sent again, as the server ended").count(), 3, "{said}");
    // What is sent again is a call of its own: both can be looked at.
    let kept = place.json(&["history", "--json"]);
    let kept = kept.as_array().unwrap();
    let ids: BTreeSet<&str> = kept.iter().filter_map(|call| call["id"].as_str()).collect();
    assert!(kept.len() > 3 && ids.len() == kept.len(), "{kept:?}");
    for id in ids {
        place.run(&["history", "show", id]).ended(0, &[]);
    }
    // Alone it is no other's fault either.
    let ran = test(&place, &["a", "--json"]);
    ran.ended(1, &["1 of 1 case failed"]);
    assert_eq!(
        (&ran.json()[0]["status"], &ran.json()[0]["resent"]),
        (&json!("failed"), &Value::Null)
    );
}

#[test]
fn the_text_of_an_error_is_expected() {
    let case = |expect: &str| format!("call: fail\nexpect: {expect}\n");
    let place = place(&[
        ("contains.yaml", &case("{outcome: failed, contains: upstream}")),
        ("message.yaml", &case("{error: {type: mcp-tool-error, message: unavailable}}")),
        ("type.yaml", &case("{error: mcp-tool-error}")),
        ("wrong.yaml", &case("{error: {type: mcp-tool-error, message: refused}}")),
    ]);
    let ran = test(&place, &[]);
    ran.ended(1, &["1 of 4 cases failed"]);
    let said = told(&ran);
    assert!(said.contains("✗ cases/wrong.yaml"), "{said}");
    assert!(
        said.contains("with \"refused\": it was mcp-tool-error: upstream unavailable"),
        "{said}"
    );
}

#[test]
fn what_was_never_sent_passes_no_expectation() {
    let case = "call: echo\narguments: {text: \"{{env.NOT_SET}}\"}\nexpect: {outcome: lost}\n";
    let place = place(&[("lost.yaml", case)]);
    let ran = test(&place, &[]);
    ran.ended(2, &["1 of 1 case couldn't run"]);
    assert!(ran.data.contains("it was not sent (no-variable"), "{}", ran.data);
    let ran = place.run(&["test"]);
    ran.ended(2, &["1 of 1 case couldn't run"]);
    assert_eq!(place.json(&["test", "--json"])[0]["status"], "not-run");
}

#[test]
fn answers_of_earlier_cases_are_filled_in() {
    let used = "call: echo\narguments: {text: \"{{answer.login/visit}} of {{answer.login/rows/0/id}}\"}\n\
                expect: {contains: v-17 of 7}\n";
    let place = place(&[("1-login.yaml", "call: login\n"), ("2-use.yaml", used)]);
    test(&place, &[]).ended(0, &["2 cases passed"]);
    test(&place, &["--jobs", "1"]).ended(0, &["2 cases passed"]);
    // What it names is run before it, whatever was asked for.
    let alone = test(&place, &["2-use"]);
    alone.ended(
        0,
        &["Also run, as others name their answers: cases/1-login.yaml", "2 cases passed"],
    );
    let ran = test(&place, &["2-use", "1-login"]);
    ran.ended(0, &["2 cases passed"]);
    assert!(!ran.words.contains("Also run"), "{}", ran.words);
    // Digits are a number: the tenth comes after the second.
    let tenth = place.here.join("cases/10-use.yaml");
    fs::rename(place.here.join("cases/2-use.yaml"), &tenth).unwrap();
    fs::rename(place.here.join("cases/1-login.yaml"), place.here.join("cases/9-login.yaml"))
        .unwrap();
    test(&place, &[]).ended(0, &["2 cases passed"]);
    // A part that isn't there.
    fs::write(&tenth, used.replace("visit", "visits")).unwrap();
    let ran = test(&place, &["--filter", "10-use"]);
    assert!(told(&ran).contains("has no /visits: name a part that is in it"), "{}", ran.data);
    test(&place, &["--failed"]).ended(2, &["1 of 2 cases couldn't run"]);
    // No case calls it: nothing is sent as it is written.
    fs::write(&tenth, used.replace("answer.login", "answer.nobody")).unwrap();
    let ran = test(&place, &["10-use"]);
    assert_eq!(ran.code, Some(2), "{}", ran.words);
    let said = told(&ran);
    assert!(said.contains("it names the answer of \"nobody\", and no case of this run"), "{said}");
    fs::rename(place.here.join("cases/9-login.yaml"), place.here.join("cases/1-login.yaml"))
        .unwrap();
    fs::rename(&tenth, place.here.join("cases/2-use.yaml")).unwrap();
    // Where that failed, there is nothing to fill in.
    fs::write(place.here.join("cases/1-login.yaml"), "call: fail\nexpect: {outcome: failed}\n")
        .unwrap();
    fs::write(place.here.join("cases/2-use.yaml"), used.replace("login", "fail")).unwrap();
    let ran = test(&place, &[]);
    ran.ended(2, &["1 of 2 cases couldn't run"]);
    assert!(told(&ran).contains("there is no answer of \"fail\" yet"), "{}", ran.data);
}

#[test]
fn a_case_that_calls_its_tool_by_key_answers_one_that_names_it() {
    let used =
        "call: echo\narguments: {text: \"{{answer.login/visit}}\"}\nexpect: {contains: v-17}\n";
    let place = place(&[("1-login.yaml", "call: s/login\n"), ("2-use.yaml", used)]);
    let said = ["Also run, as others name their answers: cases/1-login.yaml\n", "2 cases passed"];
    test(&place, &["2-use"]).ended(0, &said);
}

#[test]
fn of_the_cases_whose_answers_are_named_those_are_said_that_nobody_asked_for() {
    let both = "call: echo\narguments: {text: \"{{answer.login/visit}} {{answer.count}}\"}\n";
    let place = place(&[
        ("1-login.yaml", "call: login\n"),
        ("2-count.yaml", "call: count\n"),
        ("3-both.yaml", both),
    ]);
    let said = ["Also run, as others name their answers: cases/2-count.yaml\n", "3 cases passed"];
    test(&place, &["3-both", "1-login"]).ended(0, &said);
}

#[test]
fn runs_are_counted_and_a_pass_after_a_retry_is_flaky() {
    let runs = "case: mostly\ncall: count\nruns: 3\npass: 2\nexpect: {lacks: call 1}\n";
    let place = place(&[("runs.yaml", runs)]);
    let ran = test(&place, &[]);
    ran.ended(0, &["1 case passed"]);
    assert!(ran.data.contains("✓ mostly  count  2 of 3 runs passed, 2 have to"), "{}", ran.data);
    let strict = runs.replace("pass: 2", "pass: 3");
    fs::write(place.here.join("cases/runs.yaml"), strict).unwrap();
    let ran = test(&place, &[]);
    ran.ended(1, &[]);
    assert!(
        told(&ran).contains("2 of 3 runs passed lacks: expected no \"call 1\""),
        "{}",
        ran.data
    );
    // Tried again, it doesn't begin with the first call.
    let ran = test(&place, &["--retries", "2"]);
    ran.ended(0, &["1 case passed, 1 flaky"]);
    let said = told(&ran);
    assert!(said.contains("flaky: passed on try 2") && said.contains("try 1: lacks"), "{said}");
    let ran = test(&place, &["--retries", "2", "--json"]).json();
    assert_eq!(
        (&ran[0]["status"], &ran[0]["holds"], &ran[0]["tries"], &ran[0]["held"]),
        (&json!("flaky"), &json!(true), &json!(2), &json!(3))
    );
    let junit = test(&place, &["--retries", "2", "--format", "junit"]).data;
    assert!(
        junit.contains("failures=\"0\"") && junit.contains("<flakyFailure message=\"lacks"),
        "{junit}"
    );
    let github = test(&place, &["--retries", "2", "--format", "github"]).data;
    assert!(github.starts_with("::warning file="), "{github}");

    let once = "case: once\ncall: count\nexpect: {lacks: call 2}\n";
    fs::write(place.here.join("cases/runs.yaml"), once).unwrap();
    test(&place, &[]).ended(0, &[]);
    let ran = test(&place, &["--repeat", "3"]);
    ran.ended(1, &["1 of 1 case failed"]);
    assert!(ran.data.contains("2 of 3 runs passed"), "{}", ran.data);
}

#[test]
fn cases_are_chosen_by_name_file_tool_pattern_and_by_what_failed() {
    let place = place(&[
        ("c1.yaml", ECHO),
        ("c2.yaml", WRONG),
        ("count.yaml", "case: numbers\ncall: count\n"),
        ("other.yaml", "case: Sum of all\ncall: count\n"),
    ]);
    test(&place, &["--failed"]).ended(0, &["No case failed when it was last run."]);
    for (words, ended) in [
        (&["--filter", "SUM"][..], "1 case passed"),
        (&["--filter", "count"], "2 cases passed"),
        (&["--filter", "sum", "--filter", "c1"], "2 cases passed"),
        (&["c*", "--filter", "echo"], "1 of 2 cases failed"),
        (&["cases/c[1].yaml"], "1 case passed"),
        (&["c1", "cases/c1.yaml"], "1 case passed"),
    ] {
        let ran = test(&place, words);
        assert!(ran.words.contains(ended), "{words:?}: {} {}", ran.words, ran.data);
    }
    // What passed stays out, whatever else is run.
    test(&place, &["c1"]).ended(0, &[]);
    test(&place, &["--failed"]).ended(1, &["1 of 1 case failed"]);
    fs::write(place.here.join("cases/c2.yaml"), ECHO).unwrap();
    test(&place, &["--failed"]).ended(0, &["1 case passed"]);
    test(&place, &["--failed"]).ended(0, &["No case failed"]);
    // A word that is no file says which there are.
    for (words, said) in [
        (&["count-all"][..], "there are c1, c2, count, other"),
        (&["conut"], "did you mean \"count\"?"),
        (&["echo"], "`toolcrib test --filter echo` runs 2 cases"),
        (&["x*"], "there is no case file \"x*\""),
        (&["--filter", "nobody"], "no case has \"nobody\" in its name, file or tool"),
    ] {
        test(&place, words).ended(2, &[said]);
    }
}

#[test]
fn failures_are_told_once_more_and_alone_with_quiet() {
    let place = place(&[("a.yaml", ECHO), ("b.yaml", WRONG), ("c.yaml", ECHO)]);
    let ran = test(&place, &["--jobs", "1"]);
    ran.ended(1, &[]);
    let last = ran.data.lines().last().unwrap();
    assert_eq!(last, "✗ cases/b.yaml  contains: expected \"bye\": it is not in \"hello\"");
    let quiet = test(&place, &["-q"]);
    assert!(!quiet.data.contains('✓') && quiet.words.is_empty(), "{} {}", quiet.data, quiet.words);
    assert!(quiet.data.starts_with("✗ cases/b.yaml"), "{}", quiet.data);
    assert!(quiet.data.ends_with("1 of 3 cases failed\n"), "{}", quiet.data);
    let first = test(&place, &["--jobs", "1", "--fail-fast"]);
    first.ended(1, &["1 of 3 cases failed, 1 skipped"]);
    assert!(!first.data.contains("cases/c.yaml"), "{}", first.data);
    let skipped = test(&place, &["--jobs", "1", "--fail-fast", "--json"]).json();
    assert_eq!(skipped[2]["skipped"], "an earlier case failed (--fail-fast)");
}

/// A run that hangs at its second case, interrupted there.
fn interrupt(place: &Place, words: &[&str]) -> Ran {
    let line = [&["test", "--allow-start", "--jobs", "1"], words].concat();
    let running: Child = place.command(&line).spawn().unwrap();
    while !place.here.join("hanging").exists() {
        std::thread::yield_now();
    }
    signals::send(running.id(), "INT");
    Ran::of(running.wait_with_output().unwrap())
}

#[test]
fn an_interrupted_run_writes_its_report() {
    let place = place(&[("a.yaml", ECHO), ("b.yaml", "call: hang\n"), ("c.yaml", ECHO)]);
    let ran = interrupt(&place, &["--format", "junit"]);
    ran.ended(130, &["1 of 3 cases passed, 2 skipped"]);
    for part in [
        "tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"2\"",
        "<skipped message=\"the run was interrupted while this case ran\"/>",
        "<skipped message=\"the run was interrupted before this case\"/>",
    ] {
        assert!(ran.data.contains(part), "{part}: {}", ran.data);
    }
    fs::remove_file(place.here.join("hanging")).unwrap();
    let ran = interrupt(&place, &["--json", "--output", "reports/r.json"]);
    ran.ended(130, &["the report is in reports/r.json"]);
    let said = told(&ran);
    assert!(said.contains("✓ cases/a.yaml echo"), "{said}");
    assert!(said.contains("- cases/b.yaml hang skipped: the run was interrupted while"), "{said}");
    let report = fs::read_to_string(place.here.join("reports/r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let status = [0, 1, 2].map(|row| report[row]["status"].clone());
    assert_eq!(status, ["passed", "skipped", "skipped"]);
    test(&place, &["--output", "r.xml"]).ended(2, &["choose its format: --format junit"]);
}

#[test]
fn reports_name_the_line_of_what_differs() {
    let wrong =
        "call: echo\narguments: {text: hello}\nexpect:\n  outcome: succeeded\n  contains: bye\n";
    let twice = "call: echo\nexpect: {contains: zzz}\nexpect: {contains: a}\n";
    let place = place(&[
        ("differs.yaml", wrong),
        ("twice.yaml", twice),
        ("unknown.yaml", "call: echo\nexpects: {}\n"),
        ("syntax.yaml", "call: echo\n\t- x: [\n"),
    ]);
    let ran = test(&place, &["--format", "github"]);
    ran.ended(2, &["1 of 4 cases failed, 3 couldn't run"]);
    for part in [
        "file=cases/differs.yaml,line=5,",
        "file=cases/twice.yaml,line=3,",
        "the key \"expect\" is there twice",
        "file=cases/unknown.yaml,line=2,",
        "file=cases/syntax.yaml,line=2,",
    ] {
        assert!(ran.data.contains(part), "{part}: {}", ran.data);
    }
    // What is in the report needs no warning.
    assert!(!ran.words.contains("is left out"), "{}", ran.words);
    let sarif = test(&place, &["--format", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let differs = results.iter().find(|one| one["ruleId"] == "contains").unwrap();
    let place_of = &differs["locations"][0]["physicalLocation"];
    assert_eq!(place_of["artifactLocation"]["uri"], "cases/differs.yaml");
    assert_eq!(place_of["region"]["startLine"], 5);
    // Nor has a file that isn't asked for.
    let other = test(&place, &["differs"]);
    assert!(!other.words.contains("is left out"), "{}", other.words);
}

#[test]
fn a_file_that_is_no_text_is_reported_once() {
    let place = place(&[("good.yaml", ECHO)]);
    fs::write(place.here.join("cases/bytes.yaml"), b"call: echo # \xff\n").unwrap();
    let ran = test(&place, &[]);
    ran.ended(2, &["1 of 2 cases couldn't run"]);
    assert!(ran.data.contains("bytes.yaml"), "{}", ran.data);
    assert!(!ran.words.contains("left out"), "{}", ran.words);
}

#[test]
fn a_report_says_what_is_no_case_and_what_connecting_took() {
    let place = place(&[("empty.yaml", ""), ("good.yaml", ECHO)]);
    let verdicts = test(&place, &["--json"]).json();
    assert_eq!((&verdicts[0]["tool"], &verdicts[0]["status"]), (&Value::Null, &json!("not-run")));
    assert_eq!((&verdicts[1]["tool"], &verdicts[1]["status"]), (&json!("echo"), &json!("passed")));
    assert!(verdicts[1]["connect_ms"].is_u64() && verdicts[1]["took_ms"].is_u64(), "{verdicts}");
    let ran = test(&place, &["empty"]);
    ran.ended(2, &["the file is empty: a case has call"]);
    assert!(!ran.words.contains(": :"), "{}", ran.words);
}
