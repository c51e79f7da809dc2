//! Arguments as they are typed for a call: each edit can be taken back, and what has issues is sent
//! only when it is meant.

use toolcrib::app::{effect::Effect, message::ScreenId};

use crate::support::workbench::Workbench;

fn open() -> Workbench {
    let mut bench = Workbench::sample("first-call", 120, 36).on(ScreenId::Invoke);
    bench.keys("enter");
    bench
}

fn typed(bench: &Workbench) -> String {
    bench
        .state
        .invoke
        .texts
        .values()
        .next()
        .map(|typed| typed.source().text().to_string())
        .unwrap_or_default()
}

fn is_sent(bench: &Workbench) -> bool {
    bench.effects.iter().any(|effect| matches!(effect, Effect::Call { .. }))
}

#[test]
fn typing_is_taken_back_and_made_again() {
    let mut bench = open();
    bench.types("llama");
    assert!(typed(&bench).contains("llama"), "{}", bench.screen());
    let whole = typed(&bench);
    bench.keys("alt+u");
    assert!(!typed(&bench).contains('l'), "typing at one place is one step: {}", typed(&bench));
    assert!(!bench.screen().contains("llama"), "{}", bench.screen());
    bench.keys("ctrl+r");
    assert_eq!(typed(&bench), whole);
}

#[test]
fn what_is_taken_back_is_of_this_tool_alone_and_what_is_typed_then_counts() {
    let mut bench = open();
    bench.types("a");
    bench.keys("alt+u");
    bench.types("b");
    bench.keys("ctrl+r");
    assert!(typed(&bench).contains("\"b\""), "{}", typed(&bench));
    bench.keys("alt+u alt+u");
    assert!(!typed(&bench).contains('b'));
}

#[test]
fn a_call_with_issues_is_sent_only_when_it_is_meant() {
    let mut bench = open();
    bench.keys("f6");
    assert!(!is_sent(&bench) && bench.screen().contains("send again"), "{}", bench.screen());
    bench.types("x");
    bench.keys("backspace f6");
    assert!(is_sent(&bench), "{}", bench.screen());
}
