//! CommonGround end to end: the real program against a stand-in for a deployment, on a real NATS server and a real PostgreSQL.

use serde_json::Value;

use crate::support::{commonground::CommonGround, place::Place};

const COUNT: &str = r#"tool_name: word_count
description: Counts words.
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.word_count.call"
after_execution: suspend
parameters: {type: object, properties: {mode: {type: string}, text: {type: string}, tenant: {type: string}}, required: [mode]}
options: {ui_allowed: true, args: {fixed: {tenant: "{project_id}"}}}
"#;

const LOCKED: &str = r#"tool_name: locked
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.word_count.call"
after_execution: terminate
parameters: {type: object, properties: {mode: {type: string}, text: {type: string}}}
"#;

const DEAD: &str = r#"tool_name: dead
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.nobody.call"
after_execution: suspend
options: {ui_allowed: true}
"#;

const SHORT: &str = r#"tool_name: short
target_subject: "cg.v1r4.{project_id}.{channel_id}.cmd.tool.short"
after_execution: suspend
options: {ui_allowed: true}
"#;

const ALL: [&str; 4] = [COUNT, LOCKED, DEAD, SHORT];

fn place(there: &CommonGround) -> Place {
    let settings = there.settings();
    let files =
        [("tools/count.yaml", COUNT), ("tools/locked.yaml", LOCKED), ("tools/dead.yaml", DEAD), ("tools/short.yaml", SHORT)];
    Place::with(&[&[("toolcrib.toml", settings.as_str())], &files[..]].concat())
}

/// The stages that a call told, by their names.
fn stages(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["stage"].as_str()).collect()
}

fn stage<'e>(events: &'e [Value], name: &str) -> &'e Value {
    let found = events.iter().find(|event| event["stage"] == name);
    found.unwrap_or_else(|| panic!("no stage {name} in {events:#?}"))
}

fn end(events: &[Value]) -> &Value {
    events.last().unwrap()
}

#[test]
fn the_stand_in_does_what_the_real_one_was_seen_to_do() {
    let (good, words) = CommonGround::check();
    assert!(good && words.contains("cases, 0 failures"), "{words}");
}

#[test]
fn a_call_goes_by_each_route_and_tells_its_way() {
    let there = CommonGround::start();
    there.put(&ALL);
    let place = place(&there);
    let call = |arguments: &[&str]| place.run(&[&["--json", "call"], arguments].concat()).events();

    // As a UI action: the options are merged, and both cards are there to compare.
    let events = call(&["word_count", "mode=map", "text=a b a"]);
    let told = stages(&events);
    assert_eq!(told[..3], ["route", "agent", "accepted"], "{events:#?}");
    for name in ["command", "reported", "done", "result-card", "call-card", "labels"] {
        assert!(told.contains(&name), "no {name} in {told:?}");
    }
    assert_eq!(stage(&events, "call-card")["body"]["content"]["arguments"]["tenant"], "lab");
    assert_eq!(stage(&events, "result-card")["body"]["content"]["result"]["counts_map"]["a"], 2);
    assert!(stage(&events, "labels")["text"].as_str().unwrap().contains("all 6"), "{}", stage(&events, "labels"));
    let text = events.iter().find(|event| event["event"] == "chunk").unwrap();
    assert_eq!(text["text"], r#"{"counts_map":{"a":2,"b":1}}"#);
    assert_eq!(end(&events)["outcome"], "succeeded");

    // Through the API: nothing is merged, and the call's card is found on the bus.
    let events = call(&["--route", "god", "word_count", "mode=map", "text=x"]);
    assert_eq!(end(&events)["outcome"], "succeeded", "{events:#?}");
    assert!(stage(&events, "route")["text"].as_str().unwrap().contains("not merged"));
    assert_eq!(stage(&events, "call-card")["body"]["content"]["arguments"].get("tenant"), None);

    // A tool that is closed to the UI takes the next best way, and its result ends the turn.
    let events = call(&["locked", "text=x"]);
    assert!(stage(&events, "route")["text"].as_str().unwrap().contains("god endpoint"), "{events:#?}");
    assert!(stage(&events, "result-card")["text"].as_str().unwrap().contains("ends the turn"));

    // NATS alone: the service shows that it is there by what it refuses.
    let events = call(&["--route", "probe", "word_count", "mode=map"]);
    assert_eq!(end(&events)["outcome"], "succeeded", "{events:#?}");
    assert!(stage(&events, "preflight")["text"].as_str().unwrap().contains("no card"), "{events:#?}");
    assert!(stage(&events, "result-card")["text"].as_str().unwrap().contains("tool_call_card_id not found"), "{events:#?}");

    // People read the same, and it is kept.
    let ran = place.run(&["call", "word_count", "mode=map", "text=a"]);
    ran.ended(0, &["as a UI action", "command seen on cg.v1r4.lab.public.cmd.tool.word_count.call", "labels: all 6"]);
    place.run(&["history", "show", "last"]).ended(0, &[]);
}

#[test]
fn each_failure_is_explained() {
    let there = CommonGround::with(&["--ack-wait", "0.3", "--watchdog", "1.5"]);
    there.put(&ALL);
    let place = place(&there);
    let call = |arguments: &[&str]| place.run(&[&["--json", "call"], arguments].concat()).events();
    let failed = |arguments: &[&str], outcome: &str, kind: &str, words: &[&str]| {
        let events = call(arguments);
        let end = end(&events);
        assert_eq!((&end["outcome"], &end["error"]["type"]), (&outcome.into(), &kind.into()), "{arguments:?}: {events:#?}");
        let told = end["error"].to_string();
        words.iter().for_each(|word| assert!(told.contains(word), "{word} is not in {told}"));
        events
    };

    // The tool itself fails.
    failed(&["word_count", "mode=map"], "failed", "bad_request", &["mode=map requires string field 'text'"]);
    // Nobody hears the command: that is told at once, and the watchdog's card ends it.
    let events = failed(&["dead"], "failed", "tool_timeout", &["timeout_seconds"]);
    assert!(stage(&events, "preflight")["text"].as_str().unwrap().contains("no consumer covers"), "{events:#?}");
    // A command that no stream keeps.
    failed(&["--route", "probe", "short"], "lost", "not-kept", &["eight tokens"]);
    // The API waits in vain.
    let events = failed(&["--route", "god", "--timeout", "1s", "dead"], "timed-out", "timed-out-first", &["no consumer covers"]);
    assert!(stages(&events).contains(&"command"));
    // Closed ways say what would open them.
    let closed = place.run(&["call", "--route", "ui", "locked"]);
    closed.ended(2, &["ui_allowed", "open is: god, probe"]);
    place.run(&["call", "--route", "gods", "locked"]).ended(2, &["there are: ui, direct, god, probe"]);
}
