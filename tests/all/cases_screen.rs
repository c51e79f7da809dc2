//! Test cases on the screen: how a run shows, how the list leads to what failed, how a case is
//! edited and takes over an answer.

use std::time::Duration;

use toolcrib::{
    app::{
        calls::CallMessage,
        documents::Change,
        effect::Effect,
        message::{DocumentMessage, Message, ScreenId},
    },
    model::{
        call::{CallId, Event, EventKind, Outcome},
        entry::FileId,
    },
};

use crate::support::workbench::Workbench;

const SUM: &str = "\
case: sum
call: calculator
arguments: {expression: 6 * 7}
";

/// The sample services with these case files, on Invoke.
fn bench(files: &[(&str, &str)]) -> Workbench {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    let changes = files
        .iter()
        .map(|(name, text)| Change::Create { file: FileId::new(*name), text: (*text).into() });
    let changes = changes.collect();
    bench.send(Message::Document(DocumentMessage::Change { label: "make".into(), changes }));
    bench
}

fn answered(text: &str) -> [EventKind; 2] {
    let chunk = EventKind::Chunk { text: text.into(), bytes: text.len() };
    [chunk, EventKind::End { outcome: Outcome::Succeeded, problem: None }]
}

/// The calls that were begun, with how long each may take.
fn begun(bench: &Workbench) -> Vec<(CallId, Option<Duration>)> {
    let call = |effect: &Effect| match effect {
        Effect::Call { call, limit, .. } => Some((*call, *limit)),
        _ => None,
    };
    bench.effects.iter().filter_map(call).collect()
}

/// The answer to the call that was begun last.
fn answers(bench: &mut Workbench, text: &str) {
    let call = begun(bench).last().unwrap().0;
    let events = answered(text).map(|kind| Event { at_ms: 4, kind });
    bench.send(Message::Call(CallMessage::Events { call, events: events.into() }));
    bench.draw();
}

fn run(bench: &mut Workbench, files: &[&str]) {
    let files = files.iter().map(|file| FileId::new(*file)).collect();
    bench.send(Message::Call(CallMessage::RunCases(files)));
}

#[test]
fn a_cases_time_limit_is_that_of_its_call() {
    let limited = format!("{SUM}timeout: 1s\n");
    let mut bench = bench(&[("cases/sum.yaml", SUM), ("cases/limited.yaml", &limited)]);
    run(&mut bench, &["cases/sum.yaml", "cases/limited.yaml"]);
    let limits: Vec<_> = begun(&bench).into_iter().map(|(_, limit)| limit).collect();
    // In the order of their names.
    assert_eq!(limits, [Some(Duration::from_secs(1)), None]);
    // That of the session is for those that have none.
    let time = Some(Duration::from_secs(120));
    bench.send(Message::Call(CallMessage::LimitTime(time)));
    run(&mut bench, &["cases/sum.yaml"]);
    assert_eq!(begun(&bench).last().unwrap().1, time);
}

/// The requests that were sent, as they are.
fn sent(bench: &Workbench) -> Vec<String> {
    let call = |effect: &Effect| match effect {
        Effect::Call { request, .. } => Some(format!("{request:?}")),
        _ => None,
    };
    bench.effects.iter().filter_map(call).collect()
}

#[test]
fn a_case_is_run_as_often_as_it_says_and_passes_where_enough_of_its_runs_do() {
    let expects = format!("{SUM}runs: 3\npass: 2\nexpect: {{contains: \"42\"}}\n");
    let mut bench = bench(&[("cases/sum.yaml", &expects)]);
    run(&mut bench, &["cases/sum.yaml"]);
    for (count, answer) in [(1, "42"), (2, "41")] {
        assert_eq!(begun(&bench).len(), count, "one run after the other");
        answers(&mut bench, answer);
        assert!(!bench.shows("1 case passed") && !bench.shows("1 of 1 case failed"));
    }
    answers(&mut bench, "42");
    assert!(bench.shows("1 case passed"), "{}", bench.screen());
    assert_eq!(begun(&bench).len(), 3);

    run(&mut bench, &["cases/sum.yaml"]);
    for answer in ["41", "42", "41"] {
        answers(&mut bench, answer);
    }
    let words = "1 of 1 case failed: 1 of 3 runs passed, 2 have to: contains";
    assert!(bench.shows(words), "{}", bench.screen());
    bench.keys("t");
    bench.keys("down enter down down down enter");
    for words in ["1 of 3 runs passed, 2 have to", "it is not in \"41\""] {
        assert!(bench.shows(words), "{words}:\n{}", bench.screen());
    }
}

#[test]
fn a_cancelled_case_is_not_run_again() {
    let mut bench = bench(&[("cases/sum.yaml", &format!("{SUM}runs: 3\n"))]);
    run(&mut bench, &["cases/sum.yaml"]);
    let call = begun(&bench).last().unwrap().0;
    let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
    let events = vec![Event { at_ms: 4, kind }];
    bench.send(Message::Call(CallMessage::Events { call, events }));
    bench.draw();
    assert_eq!(begun(&bench).len(), 1);
    assert!(bench.shows("1 of 1 case failed: 0 of 3 runs passed"), "{}", bench.screen());
}

#[test]
fn a_case_gets_the_answers_that_it_names_of_the_cases_before_it() {
    let next = "call: calculator\narguments: {expression: \"{{answer.calculator}} + 1\"}\n";
    let files = [("cases/1-sum.yaml", SUM), ("cases/2-next.yaml", next)];
    // Also where the user runs it alone: what it names is run with it, before it.
    let mut bench = bench(&files);
    run(&mut bench, &["cases/2-next.yaml"]);
    assert_eq!(begun(&bench).len(), 1, "it waits");
    assert!(sent(&bench)[0].contains("6 * 7"), "{:?}", sent(&bench));
    answers(&mut bench, "42");
    assert_eq!(begun(&bench).len(), 2);
    assert!(sent(&bench)[1].contains("42 + 1"), "{:?}", sent(&bench));
    answers(&mut bench, "43");
    assert!(bench.shows("2 cases passed"), "{}", bench.screen());
    // The one that was asked for is shown.
    let shown = bench.state.invoke.calls.selected;
    assert_eq!(shown, begun(&bench).last().map(|(call, _)| *call));

    // The first one fails: there is no answer for the other.
    run(&mut bench, &["cases/2-next.yaml"]);
    let call = begun(&bench).last().unwrap().0;
    let kind = EventKind::End { outcome: Outcome::Failed, problem: None };
    let events = vec![Event { at_ms: 4, kind }];
    bench.send(Message::Call(CallMessage::Events { call, events }));
    bench.draw();
    assert_eq!(begun(&bench).len(), 3, "the other isn't sent");
    assert!(bench.shows("2 of 2 cases failed"), "{}", bench.screen());
    let gone = vec![Change::Remove { file: FileId::new("cases/1-sum.yaml") }];
    bench.send(Message::Document(DocumentMessage::Change { label: "x".into(), changes: gone }));
    run(&mut bench, &["cases/2-next.yaml"]);
    bench.draw();
    assert!(bench.shows("and no case before it in its folder"), "{}", bench.screen());
}

#[test]
fn the_newest_answer_counts_in_the_order_in_which_people_count() {
    let next = "call: calculator\narguments: {expression: \"{{answer.calculator}} + 1\"}\n";
    let names =
        ["cases/10-sum.yaml", "cases/2-sum.yaml", "cases/12-later.yaml", "cases/old/1.yaml"];
    let files: Vec<_> = names.map(|name| (name, SUM)).into_iter().collect();
    let mut bench = bench(&[files, vec![("cases/11-next.yaml", next)]].concat());
    run(&mut bench, &["cases/11-next.yaml"]);
    for (row, text) in [(0, "4"), (1, "42")] {
        assert_eq!(begun(&bench).len(), 2, "those before it in its folder");
        let call = begun(&bench)[row].0;
        let events = answered(text).map(|kind| Event { at_ms: 4, kind }).into();
        bench.send(Message::Call(CallMessage::Events { call, events }));
    }
    assert!(sent(&bench)[2].contains("42 + 1"), "{:?}", sent(&bench));
}

#[test]
fn a_case_with_a_key_twice_is_not_run() {
    let mut bench = bench(&[("cases/twice.yaml", &format!("{SUM}call: tell-joke\n"))]);
    run(&mut bench, &["cases/twice.yaml"]);
    bench.draw();
    assert!(begun(&bench).is_empty());
    assert!(bench.shows("the key \"call\" is there twice"), "{}", bench.screen());
}

#[test]
fn a_case_that_looks_at_times_is_called_alone() {
    let timed = format!("{SUM}expect: {{under: 1s}}\n").replace("case: sum", "case: timed");
    let files = [("cases/1.yaml", SUM), ("cases/2.yaml", &*timed), ("cases/3.yaml", SUM)];
    let mut bench = bench(&files);
    run(&mut bench, &["cases/1.yaml", "cases/2.yaml", "cases/3.yaml"]);
    let first: Vec<CallId> = begun(&bench).iter().map(|(call, _)| *call).collect();
    assert_eq!(first.len(), 2, "the others beside each other");
    let begun_names: Vec<_> =
        bench.state.invoke.calls.iter().filter_map(|call| call.case.clone()).collect();
    assert!(begun_names.iter().all(|name| &**name == "sum"), "{begun_names:?}");
    for call in first {
        assert_eq!(begun(&bench).len(), 2);
        let events = answered("42").map(|kind| Event { at_ms: 4, kind });
        bench.send(Message::Call(CallMessage::Events { call, events: events.into() }));
    }
    assert_eq!(begun(&bench).len(), 3);
}

#[test]
fn the_answer_of_a_test_shows_what_it_lacks_in_invoke_and_in_history() {
    let expects = format!("{SUM}expect: {{chunks: 2, contains: \"42\"}}\n");
    let mut bench = bench(&[("cases/sum.yaml", &expects)]);
    // What was shown before goes.
    bench.keys("enter");
    bench.types("1");
    bench.keys("f6");
    bench.happens([(1, answered("1")[0].clone()), (2, answered("1")[1].clone())]);
    run(&mut bench, &["cases/sum.yaml"]);
    answers(&mut bench, "42");
    for words in [
        "Test sum ✗ failed",
        "✗ chunks: expected 2 or more",
        "but 1 came",
        "t edits the case, or accepts this answer",
        "1 of 1 case failed: chunks: expected 2 or more: 1 came",
    ] {
        assert!(bench.shows(words), "{words}:\n{}", bench.screen());
    }
    assert!(!bench.shows("✗ contains"), "{}", bench.screen());
    // The list of this session's calls has the same sign.
    let listed = bench.screen().lines().any(|line| line.contains("✗ calculator"));
    assert!(listed || bench.shows("▌✗"), "{}", bench.screen());
    let kept = bench.effects.iter().find_map(|effect| match effect {
        Effect::KeepResult { event, .. } => Some(event.kind.clone()),
        _ => None,
    });
    let Some(EventKind::Stage(stage)) = kept else { panic!("{:?}", bench.effects) };
    assert_eq!(stage.words, "cases/sum.yaml failed: chunks: expected 2 or more: 1 came");

    let expects = "expect: {chunks: 1}\n";
    let text = format!("{SUM}{expects}");
    let change = Change::Text { file: FileId::new("cases/sum.yaml"), text: text.into() };
    let changes = vec![change];
    bench.send(Message::Document(DocumentMessage::Change { label: "edit".into(), changes }));
    run(&mut bench, &["cases/sum.yaml"]);
    answers(&mut bench, "42");
    assert!(bench.shows("Test sum ✓ passed") && !bench.shows("but 1 came"), "{}", bench.screen());
}

#[test]
fn of_several_the_first_that_failed_is_shown() {
    let wrong = format!("{SUM}expect: {{json: 43}}\n").replace("sum", "wrong");
    let mut bench = bench(&[("cases/sum.yaml", SUM), ("cases/wrong.yaml", &wrong)]);
    run(&mut bench, &["cases/sum.yaml", "cases/wrong.yaml"]);
    let calls = begun(&bench);
    for (call, _) in calls {
        let events = answered("42").map(|kind| Event { at_ms: 4, kind });
        bench.send(Message::Call(CallMessage::Events { call, events: events.into() }));
    }
    bench.draw();
    assert!(bench.shows("Test wrong ✗ failed"), "{}", bench.screen());
    assert!(bench.shows("1 of 2 cases failed; t lists these first"), "{}", bench.screen());
}

#[test]
fn the_list_runs_what_the_command_runs_and_names_the_file_where_names_repeat() {
    let mut bench = bench(&[
        ("cases/c2.yaml", SUM),
        ("cases/c10.yaml", SUM),
        ("drafts/other.yaml", &SUM.replace("sum", "draft")),
        ("cases/none.yaml", "tool: calculator\n"),
        ("cases/broken.yaml", "call: calculator\nexpect:\n  contain: x\n"),
    ]);
    bench.keys("t");
    assert!(bench.shows("Run all (2)"), "{}", bench.screen());
    assert!(bench.shows("In other folders, run one by one"), "{}", bench.screen());
    let screen = bench.screen();
    let place = |words: &str| screen.find(words).unwrap_or_else(|| panic!("{words}:\n{screen}"));
    // Broken ones come first, and numbers count as numbers.
    assert!(place("broken, line 3") < place("sum  cases/c2.yaml"));
    assert!(place("sum  cases/c2.yaml") < place("sum  cases/c10.yaml"));
    assert!(place("sum  cases/c10.yaml") < place("draft"));
    assert!(bench.shows("/tool: \"tool\" is unknown"), "{}", bench.screen());
    bench.keys("enter");
    assert_eq!(begun(&bench).len(), 2);

    // Another one is run by itself.
    for (call, _) in begun(&bench) {
        let events = answered("42").map(|kind| Event { at_ms: 4, kind });
        bench.send(Message::Call(CallMessage::Events { call, events: events.into() }));
    }
    bench.keys("t");
    bench.types("draft");
    bench.keys("enter enter");
    assert_eq!(begun(&bench).len(), 3);

    // A broken one is opened where it is at fault.
    bench.keys("t");
    bench.types("broken");
    bench.keys("enter");
    let opened = bench.effects.iter().any(|effect| {
        matches!(effect, Effect::Editor { file, line: 3, .. } if file.as_str() == "cases/broken.yaml")
    });
    assert!(opened, "{:?}", bench.effects);
}

#[test]
fn failed_cases_come_first_and_are_found_by_that_word() {
    let wrong = SUM.replace("sum", "zulu") + "expect: {json: 43}\n";
    let mut bench = bench(&[("cases/a.yaml", SUM), ("cases/z.yaml", &wrong)]);
    run(&mut bench, &["cases/a.yaml", "cases/z.yaml"]);
    for (call, _) in begun(&bench) {
        let events = answered("42").map(|kind| Event { at_ms: 4, kind });
        bench.send(Message::Call(CallMessage::Events { call, events: events.into() }));
    }
    bench.keys("t");
    let screen = bench.screen();
    assert!(screen.find("✗ zulu").unwrap() < screen.find("✓ sum").unwrap(), "{screen}");
    assert!(bench.shows("Run failed (1)") && bench.shows("failed: json: expected 43"), "{screen}");
    bench.types("failed");
    assert!(bench.shows("✗ zulu") && !bench.shows("✓ sum"), "{}", bench.screen());
    bench.keys("esc t");
    bench.types("results");
    bench.keys("enter");
    assert!(bench.shows("sum  passed") && bench.shows("zulu  failed"), "{}", bench.screen());
    bench.keys("/");
    bench.types("failed");
    assert!(!bench.shows("sum  passed") && bench.shows("zulu  failed"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows("sum  passed"), "{}", bench.screen());
}

#[test]
fn an_answer_is_accepted_after_the_change_was_shown() {
    let text = "# mine\ncase: sum\ncall: calculator\narguments: {expression: 6 * 7}\nexpect:\n  \
                contains: \"43\" # so far\n";
    let mut bench = bench(&[("cases/sum.yaml", text)]);
    run(&mut bench, &["cases/sum.yaml"]);
    answers(&mut bench, "42");
    // The list begins at the case that failed.
    bench.keys("t enter");
    assert!(bench.shows("Accept its answer…"), "{}", bench.screen());
    bench.types("accept");
    bench.keys("enter");
    assert!(bench.shows("- ") && bench.shows("\"42\""), "{}", bench.screen());
    bench.keys("enter");
    let file = FileId::new("cases/sum.yaml");
    let now = bench.state.documents.get(&file).unwrap().text.to_string();
    assert_eq!(now, text.replace("\"43\"", "\"42\""));
    assert!(bench.shows("Test sum ✓ passed"), "{}", bench.screen());
    let saved =
        |effect: &Effect| matches!(effect, Effect::Save { file: saved, .. } if *saved == file);
    assert!(bench.effects.iter().any(saved));
}

#[test]
fn members_that_change_each_time_can_be_left_out() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("f6");
    let text = r#"{"name": "Ada", "at": "1796048352.8050888", "n": 1}"#;
    bench.happens((3..).zip(answered(text)));
    bench.keys("esc K");
    for words in ["[x] json", "[x]   .name", "[ ]   .at", "[x]   .n"] {
        assert!(bench.shows(words), "{words}:\n{}", bench.screen());
    }
    bench.clicks("[x]   .name");
    bench.keys("enter");
    let file = FileId::new("cases/calculator.yaml");
    let kept = bench.state.documents.get(&file).unwrap().text.to_string();
    let expect = &kept[kept.find("expect:").unwrap()..];
    assert!(expect.contains("json:\n    n: 1\n") && !expect.contains("Ada"), "{kept}");
}

#[test]
fn problems_lists_broken_cases_as_check_does() {
    let mut bench = bench(&[
        ("cases/unknown.yaml", "call: calculater\n"),
        ("cases/broken.yaml", "call: calculator\nexpect: {contain: x}\n"),
        ("scenarios/wrong.yaml", "steps: 3\n"),
    ]);
    bench.draw();
    let of = |file: &str| {
        let mut found =
            bench.state.findings.iter().filter(|found| found.site.file.as_str() == file);
        found.find(|found| found.code == "file.malformed").map(|found| found.message.clone())
    };
    let unknown = of("cases/unknown.yaml").unwrap();
    assert!(unknown.contains("there is no tool") && unknown.contains("did you mean"), "{unknown}");
    assert!(of("cases/broken.yaml").unwrap().contains("did you mean"));
    assert!(of("scenarios/wrong.yaml").is_some());
}

#[test]
fn a_case_that_is_opened_is_in_the_form_and_the_list_begins_at_it() {
    let other = SUM.replace("sum", "zulu").replace("6 * 7", "1 + 1");
    let mut bench = bench(&[("cases/a.yaml", SUM), ("cases/z.yaml", &other)]);
    bench.state.invoke.cases.opening = Some(FileId::new("cases/z.yaml"));
    let names = bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
    let ended = DocumentMessage::LoadEnded { names, skipped: Vec::new(), unread: Vec::new() };
    bench.send(Message::Document(ended));
    bench.draw();
    assert!(bench.shows("1 + 1"), "{}", bench.screen());
    assert!(bench.shows("cases/z.yaml: t runs the case or edits it"), "{}", bench.screen());
    bench.keys("t enter");
    assert!(bench.shows("Edit in $EDITOR") && bench.shows("cases/z.yaml"), "{}", bench.screen());
}

#[test]
fn values_whose_names_are_secrets_are_dots_until_they_are_to_be_seen() {
    let tools = r#"{"server": "s", "tools": [{"name": "login", "description": "d", "inputSchema":
        {"type": "object", "properties": {"user": {"type": "string"}, "password": {"type": "string"}}}}]}"#;
    let settings = "[connections.s]\nsystem = \"mcp\"\ncommand = \"true\"\n";
    let files = [("toolcrib.toml", settings), ("mcp/s.json", tools)];
    let mut bench = Workbench::files(&files, 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("ada");
    bench.keys("tab");
    bench.types("Hunter2Hunter");
    assert!(bench.shows("ada") && !bench.shows("Hunter2"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.shows("Hunter2") && bench.shows("\"password\":\"••••\""), "{}", bench.screen());
    bench.keys("+");
    let screen = bench.screen();
    let in_form = screen.lines().any(|line| line.contains("password Hunter2Hunter"));
    assert!(in_form && screen.contains("\"password\":\"Hunter2"), "{screen}");
    bench.keys("+");
    assert!(!bench.shows("Hunter2"), "{}", bench.screen());
    // Also in a form that was last seen with them.
    bench.keys("+ @arguments-as-json esc + @arguments-as-json");
    assert!(bench.shows("ada") && !bench.shows("Hunter2"), "{}", bench.screen());
}
