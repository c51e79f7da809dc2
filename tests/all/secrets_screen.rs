//! That what a call passes as a secret is in nothing that the screens keep or send away.

use toolcrib::{
    app::{
        calls::CallMessage,
        documents::Change,
        effect::Effect,
        message::{DocumentMessage, Message, ScreenId},
    },
    model::{
        call::{Event, EventKind, Outcome},
        entry::FileId,
    },
};

use crate::support::workbench::Workbench;

const CASE: &str = "\
case: login
call: calculator
arguments: {password: Corr3cthorse, expression: Corr3cthorse}
expect:
  json: {note: old, n: 1}
";

/// The case, and what its service said.
fn failed_case() -> Workbench {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    let file = FileId::new("cases/login.yaml");
    let changes = vec![Change::Create { file: file.clone(), text: CASE.into() }];
    bench.send(Message::Document(DocumentMessage::Change { label: "make".into(), changes }));
    bench.send(Message::Call(CallMessage::RunCases(vec![file])));
    let begun = bench.effects.iter().find_map(|effect| match effect {
        Effect::Call { call, .. } => Some(*call),
        _ => None,
    });
    let text = r#"{"note":"Corr3cthorse","n":2}"#;
    let kinds = [
        EventKind::Chunk { text: text.into(), bytes: text.len() },
        EventKind::End { outcome: Outcome::Succeeded, problem: None },
    ];
    let events = kinds.map(|kind| Event { at_ms: 4, kind }).into();
    bench.send(Message::Call(CallMessage::Events { call: begun.unwrap(), events }));
    bench.draw();
    bench
}

#[test]
fn what_a_test_says_is_kept_with_the_mask_of_its_call() {
    let bench = failed_case();
    // The answer is beside it; what is noticed goes to the desktop, too.
    let shown: String = bench.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("1 of 1 case failed") && shown.contains("is \"***\""), "{shown}");
    let kept = bench.effects.iter().find_map(|effect| match effect {
        Effect::KeepResult { arguments, .. } => Some(arguments.to_string()),
        _ => None,
    });
    assert!(kept.unwrap().contains("Corr3cthorse"), "by these its secrets are known");
}

#[test]
fn an_answer_is_accepted_without_the_secrets_of_its_call() {
    let mut bench = failed_case();
    bench.keys("t enter");
    bench.types("accept");
    bench.keys("enter enter");
    let now = bench.state.documents.get(&FileId::new("cases/login.yaml")).unwrap().text.to_string();
    assert_eq!(now, CASE.replace("{note: old, n: 1}", "{n: 2}"));
}

#[test]
fn a_call_is_kept_as_a_case_without_its_secrets() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench.types("https://u:Corr3cthorse1@h/ or password=12345678901 and 12345678901");
    bench.keys("f6");
    bench.happens([
        (3, EventKind::Chunk { text: "fine".into(), bytes: 4 }),
        (4, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    bench.keys("esc K enter");
    let file = FileId::new("cases/calculator.yaml");
    let kept = bench.state.documents.get(&file).unwrap().text.to_string();
    assert!(kept.contains("https://u:***@h/ or password=*** and "), "{kept}");
    assert!(!kept.contains("Corr3cthorse"), "{kept}");
}
