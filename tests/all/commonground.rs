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

#[test]
fn definitions_go_up_come_down_and_are_compared() {
    let there = CommonGround::with(&["--refuse", "b_refused"]);
    let place = place(&there);
    let push = |arguments: &[&str]| place.run(&[&["push", "commonground", "--yes"], arguments].concat());

    // First all of them, then only what differs, however the API orders and fills in.
    let first = push(&[]);
    first.ended(0, &["4 added", "4 definitions of this workspace are there"]);
    push(&[]).ended(0, &["nothing to write"]);
    std::fs::write(place.here.join("tools/count.yaml"), COUNT.replace("Counts words.", "Counts all words.")).unwrap();
    let dry = place.run(&["push", "commonground", "--dry-run"]);
    dry.ended(0, &["1 changed"]);
    assert!(dry.data.contains("tool/word_count") && dry.data.contains("Counts all words."), "{}", dry.data);
    push(&[]).ended(0, &["1 changed"]);

    // What only the project has comes into files of its own, and is here then.
    let other = "{\"tool_name\": \"other one\", \"target_subject\": \"cg.v1r4.{project_id}.{channel_id}.cmd.tool.o.call\", \
                 \"after_execution\": \"suspend\", \"description\": \"yes\", \"options\": {\"a\": {\"b\": \"010\"}}}";
    there.put(&[other]);
    let import = place.run(&["import", "commonground"]);
    import.ended(0, &["tools/other_one.yaml"]);
    place.run(&["import", "commonground"]).ended(0, &["here already, just so"]);
    push(&[]).ended(0, &["nothing to write"]);

    // Deleting is only done when asked for, and leaves what the project brought along.
    std::fs::remove_file(place.here.join("tools/dead.yaml")).unwrap();
    push(&[]).ended(0, &["nothing to write"]);
    push(&["--delete"]).ended(0, &["1 deleted", "skills.load"]);

    // What would be refused is not begun; the API itself is asked for nothing then.
    std::fs::write(place.here.join("tools/reserved.yaml"), SHORT.replace("tool_name: short", "tool_name: fork_join")).unwrap();
    let refused = push(&[]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.words.contains("reserved for internal tools: fork_join"), "{}", refused.words);
    std::fs::remove_file(place.here.join("tools/reserved.yaml")).unwrap();

    // One that only the API refuses stops it in the middle, and it is said what is done and what is not.
    let named = |name: &str| SHORT.replace("tool_name: short", &format!("tool_name: {name}"));
    std::fs::write(place.here.join("tools/z.yaml"), ["a_first", "b_refused", "c_last"].map(named).join("---\n")).unwrap();
    let halfway = push(&[]);
    assert_eq!(halfway.code, Some(1), "{}", halfway.words);
    for word in ["b_refused: the API answers 500", "written before it: a_first", "not written: c_last"] {
        assert!(halfway.words.contains(word), "{word} is not in {}", halfway.words);
    }
    let left = place.run(&["push", "commonground", "--dry-run"]);
    left.ended(0, &["2 added"]);
}

#[test]
fn a_watch_reads_the_cards_that_messages_name() {
    let there = CommonGround::start();
    there.put(&ALL);
    let place = place(&there);
    place.run(&["call", "word_count", "mode=map", "text=a b a"]).ended(0, &[]);
    // Action, accepted, command, taken up, done, wakeup, acknowledged.
    let watch =
        |more: &[&str]| place.run(&[&["watch", "--since", "1h", "--cards", "--count", "7", "--for", "60s"], more].concat());
    let events = watch(&["--json"]).events();
    let all = |event: &str| events.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    let cards = all("card");
    assert_eq!(cards.iter().map(|card| &card["what"]).collect::<Vec<_>>(), ["call-card", "result-card"], "{events:#?}");
    assert_eq!(cards[0]["card"]["content"]["arguments"]["tenant"], "lab");
    assert_eq!(cards[1]["card"]["content"]["result"]["counts_map"]["a"], 2);
    let [labels] = all("labels")[..] else { panic!("{events:#?}") };
    assert!(labels["text"].as_str().unwrap().contains("all 6") && labels["labels"][0]["copied"] == true, "{labels}");
    assert_eq!(labels["conversation"], cards[0]["conversation"]);

    let told = watch(&[]);
    for words in
        ["▤ call card ", "▤ result card ", "\"counts_map\":{\"a\":2,\"b\":1}", "✓ labels: all 6 of the call are on the result"]
    {
        assert!(told.data.contains(words), "{words} is not in {}", told.data);
    }
    // A card that is gone is told, and the rest goes on.
    there.python(
        "import sys, psycopg; psycopg.connect(sys.argv[3], autocommit=True).execute(\"delete from cards where metadata->>'type' = 'tool.result'\")",
    );
    let told = watch(&[]);
    assert!(told.data.contains("✗ card ") && told.data.contains("card not found"), "{}", told.data);

    // Where nothing is set to read them from, that is said first.
    let settings = there.settings();
    let without: String = settings.lines().filter(|line| !line.starts_with("api")).map(|line| format!("{line}\n")).collect();
    let place = Place::with(&[("toolcrib.toml", &without)]);
    place.run(&["watch", "--cards"]).ended(2, &["api = \"http://HOST:PORT\"", "[connections.cg.commonground]"]);
    place.run(&["watch", "--cards", "--connection", "nats://127.0.0.1:1"]).ended(2, &["toolcrib.toml"]);
}

#[test]
fn a_watch_begins_at_a_time_by_the_clock() {
    let there = CommonGround::with(&["--no-tools"]);
    there.put(&ALL);
    let place = place(&there);
    place.run(&["call", "--route", "probe", "--timeout", "1s", "word_count", "mode=map"]);
    let since = |time: &str| place.run(&["watch", "--since", time, "--count", "1", "--for", "60s"]);
    // What was heard came since then, whatever the hour is.
    since("2026-01-01").ended(0, &[]);
    since("2026-01-01T00:00").ended(0, &[]);
    since("25:00").ended(2, &["\"25:00\" is no time of day: hours go up to 23", "14:05"]);
    since("2999-01-01T00:00").ended(2, &["still to come"]);
}
