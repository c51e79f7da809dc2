//! Cases: calls kept with expectations, made again by the command and on the screen.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolcrib::{
    app::{
        calls::CallMessage,
        cases::VerdictCounts,
        effect::Effect,
        message::{DocumentMessage, Message, ScreenId},
    },
    engine::mask::Mask,
    model::{
        call::{CallId, Event, EventKind, Outcome},
        entry::FileId,
    },
};

use crate::support::{
    place::{Place, Ran},
    workbench::Workbench,
};

const GOOD: &str = "\
case: six times seven
call: calculator
arguments: {expression: 6 * 7}
expect: {json: 42, under: 30s, chunks: 1}
";

const WRONG: &str = "\
call: calculator
arguments: {expression: 1/0}
expect:
  contains: [infinity]
  under: 30s
";

/// The sample services, with these files among its cases.
fn place(cases: &[(&str, &str)]) -> Place {
    let sample = Place::sample("services");
    let mut files: Vec<(String, String)> = Vec::new();
    collect(&sample.here, "", &mut files);
    files.extend(cases.iter().map(|(name, text)| (format!("cases/{name}"), (*text).to_owned())));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Place::with(&files)
}

fn collect(folder: &Path, below: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().into_string().unwrap());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), files),
            false => files.push((name, fs::read_to_string(entry.path()).unwrap())),
        }
    }
}

#[test]
fn cases_that_hold_end_with_nothing_to_tell() {
    let place = place(&[
        ("good.yaml", GOOD),
        (
            "refused.yaml",
            "call: calculator\narguments: {expression: 1/0}\nexpect: {outcome: failed, error: division-by-zero}\n",
        ),
    ]);
    let ran = place.run(&["test"]);
    ran.ended(0, &["2 cases passed"]);
    assert!(ran.data.contains("✓ six times seven  calculator"), "{}", ran.data);
    // They are calls like others.
    assert_eq!(place.json(&["history", "--json"]).as_array().unwrap().len(), 2);
}

#[test]
fn what_differs_is_told_for_people_scripts_and_ci() {
    let place = place(&[
        ("good.yaml", GOOD),
        ("wrong.yaml", WRONG),
        ("unknown.yaml", "call: calculater\n"),
    ]);
    let ran = place.run(&["test", "--jobs", "1"]);
    ran.ended(1, &["1 of 3 cases failed, 1 couldn't run"]);
    let said = ran.data.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "✗ cases/wrong.yaml",
        "outcome: expected succeeded: it failed",
        "contains: expected \"infinity\"",
        "did you mean \"calculator\"?",
    ] {
        assert!(said.contains(words), "{words}:\n{}", ran.data);
    }
    let verdicts = place.json(&["test", "--json"]);
    let of = |key: &str| {
        verdicts.as_array().unwrap().iter().map(|one| one[key].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(of("holds"), [json!(true), json!(false), json!(false)]);
    assert_eq!(of("outcome"), [json!("succeeded"), json!(null), json!("failed")]);
    let report = place.run(&["test", "--format", "junit"]).data;
    assert!(
        report.contains(
            "<testsuites name=\"toolcrib test\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""
        ),
        "{report}"
    );
    assert_eq!(report.matches("<testsuite name=\"cases\" ").count(), 1, "{report}");
    let good =
        "<testcase classname=\"cases/good.yaml\" name=\"six times seven\" file=\"cases/good.yaml\"";
    assert!(report.contains(good), "{report}");
    assert!(report.contains(" timestamp=\"20"), "{report}");
    assert_eq!(of("file")[0], "cases/good.yaml");

    // GitHub's annotations name files as the repository does.
    fs::create_dir(place.here.join(".git")).unwrap();
    let mut within = place.command(&["test", "--format", "github"]);
    let report = Ran::of(within.current_dir(place.here.join("cases")).output().unwrap());
    report.ended(1, &[]);
    for words in
        ["::error file=cases/wrong.yaml,line=3,title=wrong.yaml::", "%0Acontains: expected"]
    {
        assert!(report.data.contains(words), "{words}: {}", report.data);
    }
    assert_eq!(report.data.lines().count(), 2, "{}", report.data);
}

#[test]
fn every_part_that_differs_is_named() {
    let expected =
        "call: calculator\narguments: {expression: 1}\nexpect: {json: {a: 1, b: [2], c: x}}\n";
    let place = place(&[("parts.yaml", expected)]);
    let ran = place.run(&["test", "--mock", "--mock-text", "{\"a\": 3, \"b\": [4]}"]);
    ran.ended(1, &[]);
    let words = ran.data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("/a is 3, not 1; /b/0 is 4, not 2; there is no \"c\" in the answer"),
        "{}",
        ran.data
    );
}

#[test]
fn cases_are_answered_by_a_stub_and_by_nothing_else() {
    let stub = "services:\n  calculator:\n    rules:\n    - answer: {text: '43'}\n";
    let place = place(&[
        ("sum.yaml", "call: calculator\narguments: {expression: 6 * 7}\nexpect: {json: 43}\n"),
        ("../stub.yaml", stub),
    ]);
    place.run(&["test"]).ended(1, &[]);
    place.run(&["test", "--stub", "stub.yaml"]).ended(0, &["1 case passed"]);
    let called = place.run(&["call", "calculator", "expression=1", "--stub", "stub.yaml"]);
    assert_eq!(called.data, "43");
    fs::write(place.here.join("cases/other.yaml"), "call: tell-joke\narguments: {topic: x}\n")
        .unwrap();
    let ran = place.run(&["test", "--stub", "stub.yaml"]);
    ran.ended(2, &["1 of 2 cases couldn't run"]);
    assert!(ran.data.contains("has no service \"tell-joke\""), "{}", ran.data);
}

#[test]
fn a_call_that_a_stub_answers_reports_what_comes_after_the_end() {
    let rule = |fault: &str, pause: &str| {
        format!(
            "  - {{when: {{contains: [{fault}]}}, fault: {fault}{pause}, answer: [one, two]}}\n"
        )
    };
    let rules = [("late", ""), ("twice", ""), ("out-of-order", ", pause: 20ms")]
        .map(|(fault, pause)| rule(fault, pause));
    let place = place(&[(
        "../stub.yaml",
        &format!(
            "services:\n  calculator:\n    rules:\n{}",
            rules.concat().replace("  - ", "    - ")
        ),
    )]);
    let call = |fault: &str, more: &[&str]| {
        let expression = format!("expression={fault}");
        let line = ["call", "calculator", &expression, "--stub", "stub.yaml"];
        place.run(&[&line, more].concat())
    };
    let late = call("late", &[]);
    late.ended(0, &["came after the end: one more thing"]);
    assert_eq!(late.data, "onetwo");
    call("twice", &[]).ended(0, &["came after the end: one", "came twice: two"]);
    let now = call("out-of-order", &[]);
    assert!(now.data == "two" && !now.words.contains("came after"), "{}", now.words);
    call("out-of-order", &["--linger", "1m"]).ended(0, &["came after the end: one"]);
}

#[test]
fn a_file_of_several_cases_is_refused() {
    let place = place(&[("two.yaml", &format!("{GOOD}---\n{WRONG}"))]);
    let said = "it holds 2 documents, and a file holds one case";
    place.run(&["test"]).ended(2, &[said, "into a file of its own"]);
    let ran = place.run(&["check", "cases"]);
    assert!(ran.code == Some(1) && ran.data.contains(said), "{}", ran.data);
}

#[test]
fn a_case_of_a_tool_that_is_not_there_is_an_error() {
    let place = place(&[("unknown.yaml", "call: calculater\n")]);
    let ran = place.run(&["check", "cases/unknown.yaml"]);
    ran.ended(1, &["1 error"]);
    let words = ran.data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("unknown.yaml:1:1 error file.malformed"), "{}", ran.data);
    assert!(words.contains("did you mean \"calculator\"?"), "{}", ran.data);
}

#[test]
fn a_file_that_holds_nothing_is_found_where_its_command_would_read_it() {
    let nothing = "# nothing yet\n";
    let place = place(&[
        ("empty.yaml", nothing),
        ("../stubs/empty.yaml", nothing),
        ("../scenarios/empty.yaml", nothing),
        ("../notes.yaml", nothing),
    ]);
    let ran = place.run(&["check"]);
    assert_eq!(ran.code, Some(1), "{}", ran.words);
    for (folder, words) in [
        ("cases", "a case has call, arguments and expect"),
        ("stubs", "a stub has services, each with rules"),
        ("scenarios", "a scenario has a start and steps"),
    ] {
        let found = format!("{folder}/empty.yaml:1:1 error file.malformed");
        assert!(ran.data.contains(&found) && ran.data.contains(words), "{found}: {}", ran.data);
    }
    assert!(!ran.data.contains("notes.yaml"), "{}", ran.data);
    place.run(&["test"]).ended(2, &["the file is empty"]);
}

/// Two cases of a server that counts its starts, and ends at once.
#[test]
fn a_server_that_cannot_start_is_started_once() {
    let place = Place::with(&[
        (
            "toolcrib.toml",
            "[connections.s]\nsystem = \"mcp\"\ncommand = \"sh\"\nargs = [\"-c\", \"echo x >> starts; exit 1\"]\n",
        ),
        (
            "mcp/s.json",
            r#"{"server": "s", "tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}}]}"#,
        ),
        ("cases/one.yaml", "call: s/a\nexpect: {json: {a: 1}}\n"),
        ("cases/two.yaml", "call: s/a\nexpect: {json: {a: 1}}\n"),
    ]);
    let refused = place.run(&["test", "--jobs", "1"]);
    refused.ended(2, &["2 of 2 cases couldn't run"]);
    let words = refused.data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("not-allowed") && words.contains("toolcrib allow"), "{words}");
    assert!(!words.contains("not JSON"), "{words}");
    let ran = place.run(&["test", "--jobs", "1", "--allow-start"]);
    ran.ended(3, &["2 of 2 cases couldn't run"]);
    let starts = fs::read_to_string(place.here.join("starts")).unwrap();
    let once = starts.lines().count();
    fs::remove_file(place.here.join("starts")).unwrap();
    fs::remove_file(place.here.join("cases/two.yaml")).unwrap();
    place.run(&["test", "--jobs", "1", "--allow-start"]).ended(3, &["1 of 1 case couldn't run"]);
    let alone = fs::read_to_string(place.here.join("starts")).unwrap().lines().count();
    assert_eq!(once, alone, "another case starts it no more often");
}

#[test]
fn what_is_at_fault_here_counts_before_what_is_not_reached() {
    let settings = "[connections.s]\nsystem = \"mcp\"\ncommand = \"true\"\n\
                    [connections.web]\nsystem = \"mcp\"\ntransport = \"http\"\n\
                    servers = [\"http://127.0.0.1:9/mcp\"]\n";
    let list = |server: &str| {
        format!(
            r#"{{"server": "{server}", "tools": [{{"name": "a", "description": "d", "inputSchema": {{"type": "object"}}}}]}}"#
        )
    };
    let place = Place::with(&[
        ("toolcrib.toml", settings),
        ("mcp/s.json", &list("s")),
        ("mcp/web.json", &list("web")),
        ("cases/local.yaml", "call: s/a\n"),
        ("cases/web.yaml", "call: web/a\n"),
    ]);
    place.run(&["test", "web"]).ended(3, &["1 of 1 case couldn't run"]);
    place.run(&["test", "local"]).ended(2, &["1 of 1 case couldn't run"]);
    place.run(&["test"]).ended(2, &["2 of 2 cases couldn't run"]);
}

#[test]
fn a_case_that_is_none_or_nowhere_is_told() {
    let place = place(&[("broken.yaml", "call: calculator\nexpect:\n  outcom: failed\n")]);
    place.run(&["test"]).ended(2, &["line 3, column 3", "did you mean \"outcome\"?"]);
    place.run(&["test", "nowhere.yaml"]).ended(2, &["nowhere.yaml"]);
    Place::sample("services").run(&["test"]).ended(2, &["has no folder \"cases\""]);
}

#[test]
fn without_a_server_that_is_what_is_told() {
    let place = place(&[("good.yaml", GOOD)]);
    let ran = place.run(&["test", "--connection", "nats://127.0.0.1:1"]);
    ran.ended(3, &["1 of 1 case"]);
    assert!(ran.data.contains("was not sent"), "{}", ran.data);
    let line = ["test", "--connection", "nats://127.0.0.1:1", "--format", "junit"];
    let junit = place.run(&line);
    junit.ended(3, &[]);
    let counts = "failures=\"0\" errors=\"1\"";
    assert!(junit.data.contains(counts) && junit.data.contains("<error "), "{}", junit.data);
}

fn end(outcome: Outcome) -> EventKind {
    EventKind::End { outcome, problem: None }
}

fn chunk(text: &str) -> EventKind {
    EventKind::Chunk { text: text.into(), bytes: text.len() }
}

#[test]
fn a_case_and_a_stub_hold_no_secrets_however_the_answer_was_cut() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.state.mask = Mask::new(["hunter2hunter2".to_owned()]);
    bench.keys("enter");
    bench.types("hunter2hunter2 + 1");
    bench.keys("f6");
    bench.happens([
        (3, chunk("it is hun")),
        (4, chunk("ter2hunter2, good b")),
        (5, chunk("ye")),
        (6, end(Outcome::Succeeded)),
    ]);
    // Who asked sees the answer.
    assert!(bench.screen().contains("it is hunter2hunter2, good bye"), "{}", bench.screen());
    bench.keys("esc K enter @keep-stub enter");
    let kept = |name: &str| bench.state.documents.get(&FileId::new(name)).unwrap().text.to_string();
    let (case, stub) = (kept("cases/calculator.yaml"), kept("stubs/calc.yaml"));
    assert!(case.contains("\"*** + 1\"") && case.contains("{{env.NAME}}"), "{case}");
    assert!(stub.contains("it is ***") && stub.contains("ye"), "{stub}");
    assert!(
        !case.contains("hunter") && !stub.contains("hunter") && !stub.contains("ter2"),
        "{case}{stub}"
    );
}

#[test]
fn a_request_is_saved_as_a_case_before_there_is_an_answer() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("esc K");
    assert!(bench.shows("Save request as case"), "{}", bench.screen());
    bench.keys("enter");
    let file = FileId::new("cases/calculator.yaml");
    let kept = bench.state.documents.get(&file).unwrap().text.to_string();
    for part in ["call: calculator", "expression: 6 * 7", "expect:\n  outcome: succeeded"] {
        assert!(kept.contains(part), "{part}: {kept}");
    }
    // The next one has a name of its own; one that has an answer is kept with that.
    bench.keys("@keep-request");
    bench.keys("enter");
    let named = |bench: &Workbench, name: &str| bench.state.documents.has(&FileId::new(name));
    assert!(named(&bench, "cases/calculator-2.yaml"), "{}", bench.screen());
    bench.keys("f6");
    bench.happens([(3, chunk("42")), (4, end(Outcome::Succeeded))]);
    bench.keys("esc K");
    assert!(bench.shows("Keep as case"), "{}", bench.screen());
}

#[test]
fn a_long_list_of_expectations_stays_where_it_is_pressed() {
    let mut bench = Workbench::sample("services", 80, 24).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("f6");
    let members: Vec<String> = (10..50).map(|row| format!("\"m{row}\":1")).collect();
    let answer = format!("{{{}}}", members.join(","));
    bench.happens([(3, chunk(&answer)), (4, end(Outcome::Succeeded))]);
    bench.keys("esc K");
    assert!(bench.shows(".m10") && bench.shows(" more "), "{}", bench.screen());
    bench.keys(&"down ".repeat(35));
    let first = (10..50).map(|row| format!(".m{row}")).find(|name| bench.shows(name)).unwrap();
    let place = bench.find(&first);
    assert!(first != ".m10" && bench.shows(&format!("[x]   {first}")), "{}", bench.screen());
    bench.clicks(&first);
    assert!(bench.shows(&format!("[ ]   {first}")), "{}", bench.screen());
    assert_eq!(bench.find(&first), place, "{}", bench.screen());
    bench.keys("down up");
    assert_eq!(bench.find(&first), place, "{}", bench.screen());
}

/// A case says nothing of how a call that was stopped ended, and then it has to succeed.
#[test]
fn a_stopped_call_is_kept_as_one_that_is_to_succeed() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("f6");
    bench.happens([(3, chunk("4")), (4, end(Outcome::Cancelled))]);
    bench.keys("esc K");
    assert!(bench.shows("the case expects it to succeed"), "{}", bench.screen());
    bench.keys("enter");
    let kept = bench.state.documents.get(&FileId::new("cases/calculator.yaml")).unwrap();
    assert!(!kept.text.to_string().contains("outcome:"), "{}", kept.text);
}

#[test]
fn a_call_is_kept_as_a_case_and_called_again_on_the_screen() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("f6");
    assert!(bench.screen().contains("connecting"), "{}", bench.screen());
    bench.happens([(3, chunk("42")), (4, end(Outcome::Succeeded))]);
    bench.keys("esc K");
    assert!(bench.screen().contains("Keep as case"), "{}", bench.screen());
    bench.keys("enter");
    let file = FileId::new("cases/calculator.yaml");
    let kept = bench.state.documents.get(&file).unwrap().text.to_string();
    assert!(
        kept.contains("call: calculator")
            && kept.contains("expression: 6 * 7")
            && kept.contains("outcome: succeeded"),
        "{kept}"
    );
    assert!(
        bench
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Save { file: saved, .. } if *saved == file))
    );

    for (answer, words) in [("42", "1 case passed"), ("43", "1 of 1 case failed")] {
        bench.keys("t enter");
        let Some(Effect::Call { call, request, .. }) = bench.effects.last() else {
            panic!("{:?}", bench.effects)
        };
        assert!(request.body.contains("6 * 7"));
        let call: CallId = *call;
        let events = [chunk(answer), end(Outcome::Succeeded)].map(|kind| Event { at_ms: 4, kind });
        bench.send(Message::Call(CallMessage::Events { call, events: events.into() }));
        bench.draw();
        assert!(bench.screen().contains(words), "{}", bench.screen());
    }
    bench.keys("t");
    assert!(bench.screen().contains("✗ calculator"), "{}", bench.screen());
    // The list begins at the case that failed.
    bench.keys("enter");
    bench.types("expectations");
    bench.keys("enter");
    assert!(bench.screen().contains("it is not in \"43\""), "{}", bench.screen());
}

#[test]
fn what_is_expected_is_ticked_by_key_and_by_mouse_and_secrets_stay_out_of_the_file() {
    const KEY: &str = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
    let mut bench = Workbench::sample("services", 80, 24).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("f6");
    let answer = format!(r#"{{"count": 42, "password": "hunter2", "key": "{KEY}"}}"#);
    bench.happens([(3, chunk(&answer)), (40, end(Outcome::Succeeded))]);
    bench.keys("esc K");
    assert!(
        bench.shows("[x] json") && bench.shows("[ ] schema") && bench.shows("[ ] under     100ms"),
        "{}",
        bench.screen()
    );
    bench.clicks("[ ] schema");
    bench.keys("down space");
    assert!(bench.shows("[x] schema") && bench.shows("[x] under"), "{}", bench.screen());
    bench.keys("enter");
    let kept =
        bench.state.documents.get(&FileId::new("cases/calculator.yaml")).unwrap().text.to_string();
    assert!(
        kept.contains("under: 100ms") && kept.contains("schema:") && kept.contains("count: 42"),
        "{kept}"
    );
    assert!(!kept.contains("hunter2") && !kept.contains(KEY), "{kept}");
}

#[test]
fn many_are_called_a_few_at_a_time() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    let files: Vec<FileId> = (0..9).map(|row| FileId::new(format!("cases/{row}.yaml"))).collect();
    let create = |file: &FileId| toolcrib::app::documents::Change::Create {
        file: file.clone(),
        // One that looks at times would be called alone.
        text: GOOD.replace("under: 30s, ", "").into(),
    };
    bench.send(Message::Document(DocumentMessage::Change {
        label: "make".into(),
        changes: files.iter().map(create).collect(),
    }));
    bench.keys("f6 f6");
    bench.effects.clear();
    let own = bench.state.invoke.calls.selected;
    assert!(own.is_some(), "{}", bench.screen());
    bench.send(Message::Call(CallMessage::RunCases(files)));
    // The answer beside the form stays that of its own call.
    assert_eq!(bench.state.invoke.calls.selected, own);
    bench.draw();
    assert!(bench.shows("╭ Answer "), "{}", bench.screen());
    let begun = |bench: &Workbench| {
        bench
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Call { call, .. } => Some(*call),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(begun(&bench).len(), 4);
    let mut ended = 0;
    while let Some(call) = begun(&bench).get(ended).copied() {
        let event = |kind| Event { at_ms: 1, kind };
        bench.send(Message::Call(CallMessage::Events {
            call,
            events: vec![event(chunk("42")), event(end(Outcome::Succeeded))],
        }));
        ended += 1;
    }
    assert_eq!(
        (ended, bench.state.invoke.cases.verdict_counts()),
        (9, VerdictCounts { hold: 9, differ: 0 })
    );
    let tests: Vec<_> =
        bench.state.invoke.calls.iter().filter_map(|call| call.case.clone()).collect();
    assert_eq!((tests.len(), &*tests[0]), (9, "six times seven"));
    bench.send(Message::Call(CallMessage::Select(begun(&bench)[0])));
    bench.draw();
    assert!(bench.shows("╭ Test six times seven ✓"), "{}", bench.screen());
}

#[test]
fn a_broken_file_holds_no_other_case_up_and_is_in_the_report() {
    let broken = "call: calculator\nargments: {}\n";
    let place = place(&[("good.yaml", GOOD), ("broken.yaml", broken)]);
    place.run(&["test"]).ended(2, &["1 of 2 cases couldn't run"]);
    let told = place.run(&["test"]).data.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("✓ six times seven") && told.contains("did you mean"), "{told}");
    let report = place.run(&["test", "--format", "junit"]);
    report.ended(2, &[]);
    assert!(report.data.contains("tests=\"2\" failures=\"0\" errors=\"1\" "), "{}", report.data);
    let verdicts = place.json(&["test", "--json"]);
    assert_eq!((&verdicts[0]["holds"], &verdicts[1]["holds"]), (&json!(false), &json!(true)));
    // Alone it is said as any file that can't be read.
    place.run(&["test", "cases/broken.yaml"]).ended(2, &["did you mean"]);
    let report = place.run(&["test", "cases/broken.yaml", "--format", "junit"]);
    report.ended(2, &[]);
    assert!(report.data.contains("tests=\"1\" failures=\"0\" errors=\"1\" "), "{}", report.data);
    // A case goes by its name, too.
    place.run(&["test", "good"]).ended(0, &["1 case passed"]);
    place.run(&["test", "none"]).ended(2, &["none"]);
}

#[test]
fn all_that_a_schema_refuses_is_named_and_a_wrong_schema_is_a_broken_case() {
    let expected = "call: calculator\narguments: {expression: 1}\nexpect:\n  schema: \
                    {required: [foo, bar], properties: {a: {type: string}}}\n";
    let wrong = "call: calculator\narguments: {expression: 1}\nexpect:\n  schema: {type: 3}\n";
    let place = place(&[("parts.yaml", expected), ("wrong.yaml", wrong)]);
    let ran = place.run(&["test", "--mock", "--mock-text", "{\"a\": 3}"]);
    ran.ended(2, &[]);
    let words = ran.data.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["\"foo\"", "\"bar\"", "/a ", "not a schema", "wrong.yaml"] {
        assert!(words.contains(part) || words.contains(&part.replace('"', "")), "{part}: {words}");
    }
}

#[test]
fn arguments_that_the_schema_refuses_are_said_by_check_and_test() {
    let refused = "call: calculator\narguments: {expression: 5}\n";
    let on_purpose = format!("{refused}expect: {{outcome: failed}}\n");
    let place = place(&[("refused.yaml", refused), ("purpose.yaml", &on_purpose)]);
    let ran = place.run(&["check", "cases"]);
    let words = "expression is not text: the schema of \"calculator\" refuses it";
    assert!(ran.data.contains("cases/refused.yaml:2:13 warning case.arguments"), "{}", ran.data);
    assert!(
        ran.data.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
        "{}",
        ran.data
    );
    assert!(!ran.data.contains("purpose.yaml"), "{}", ran.data);
    let ran = place.run(&["test", "refused", "--mock"]);
    let words = "the schema of calculator refuses its arguments: expression is not text";
    assert!(ran.words.contains(words), "{}", ran.words);
}

#[test]
fn check_refuses_what_test_refuses_and_no_more() {
    let place = place(&[
        ("a.yaml", "cas: json\n"),
        ("b.yaml", "case: only a name\n"),
        ("c.yaml", "hello\n"),
        ("d.yaml", "call: calculator\nconnection: nosuch\n"),
        ("e.yaml", "call: only_there\nconnection: embedded\n"),
        ("f.yaml", "call: nowhere\n"),
    ]);
    for (path, text) in [("scenarios/s.yaml", "nam: x\n"), ("stubs/s.yaml", "stubb: x\n")] {
        let path = place.here.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let ran = place.run(&["check"]);
    for (at, words) in [
        ("cases/a.yaml:1:1", "\"cas\" is unknown; did you mean \"case\"?"),
        ("cases/b.yaml:1:1", "\"call\" is missing"),
        ("cases/c.yaml:1:1", "expected an object, found"),
        ("cases/d.yaml:2:1", "there is no connection \"nosuch\""),
        ("cases/f.yaml:1:1", "there is no tool \"nowhere\""),
        ("scenarios/s.yaml:1:1", "\"nam\" is unknown; did you mean \"name\"?"),
        ("stubs/s.yaml:1:1", "\"stubb\" is unknown; did you mean \"stub\"?"),
    ] {
        assert!(ran.data.contains(&format!("{at} error file.malformed")), "{at}: {}", ran.data);
        let flat = ran.data.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}: {}", ran.data);
    }
    assert!(!ran.data.contains("e.yaml"), "{}", ran.data);
}

#[test]
fn a_masked_argument_is_said_by_check() {
    let masked = "call: calculator\narguments:\n  expression: 1\n  login: [{password: '***'}]\n";
    let place = place(&[("masked.yaml", masked)]);
    let ran = place.run(&["check", "cases"]);
    assert_eq!(ran.code, Some(1), "{}", ran.words);
    assert!(ran.data.contains("cases/masked.yaml:4:12 error case.masked-secret"), "{}", ran.data);
    assert!(ran.data.contains("login.0.password is ***"), "{}", ran.data);
    let ran = place.run(&["test"]);
    ran.ended(2, &["1 of 1 case couldn't run"]);
    assert!(ran.data.contains("login.0.password is ***"), "{}", ran.data);
    let mocked = place.run(&["test", "--mock"]);
    assert!(!mocked.data.contains("***"), "{}", mocked.data);
}

#[test]
fn a_secret_that_is_left_out_of_a_text_is_said_wherever_it_is() {
    let case = |name: &str, sent: &str| (name.to_owned(), format!("call: calculator\n{sent}\n"));
    let cases = [
        case("url.yaml", "arguments: {expression: 'https://u:***@h/'}"),
        case("header.yaml", "arguments: {expression: [Bearer ***]}"),
        case("meta.yaml", "arguments: {expression: 1}\nmeta: {x/token: '***'}"),
        case("outputs.yaml", "arguments: {expression: 1}\nsteps: {outputs: {login: {b: '***'}}}"),
        case("text.yaml", "arguments: {expression: 1 ***bold***}"),
    ];
    let files: Vec<_> = cases.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = place(&files);
    let ran = place.run(&["check", "cases"]);
    for words in [
        "cases/url.yaml:2:13 error case.masked-secret",
        "cases/header.yaml:2:26 error case.masked-secret",
        "cases/meta.yaml:3:8 error case.masked-secret",
        "meta.x/token is ***",
        "steps.outputs.login.b is ***",
        "cases/text.yaml:2:13 warning case.masked-secret",
        "expression has *** in it",
    ] {
        assert!(ran.data.contains(words), "{words}: {}", ran.data);
    }
    let ran = place.run(&["test", "url", "meta"]);
    ran.ended(2, &["2 of 2 cases couldn't run"]);
}

#[test]
fn a_variable_that_is_not_set_is_that_cases_own_fault() {
    let needs = "case: needs\ncall: calculator\narguments: {expression: \"{{env.NOT_SET}}\"}\n";
    let place = place(&[("a.yaml", needs), ("b.yaml", GOOD), ("c.yaml", GOOD)]);
    for jobs in ["1", "4"] {
        let ran = place.run(&["test", "--jobs", jobs]);
        ran.ended(2, &["1 of 3 cases couldn't run"]);
        assert!(ran.data.contains("✗ needs") && ran.data.contains("NOT_SET"), "{}", ran.data);
        assert_eq!(ran.data.matches("✓ six times seven").count(), 2, "{}", ran.data);
    }
}
