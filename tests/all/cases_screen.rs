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
    assert_eq!(limits, [None, Some(Duration::from_secs(1))]);
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
