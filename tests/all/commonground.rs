//! CommonGround end to end: the real program against a stand-in for a deployment, on a real NATS
//! server and a real PostgreSQL.

use serde_json::{Value, json};

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
    let files = [
        ("tools/count.yaml", COUNT),
        ("tools/locked.yaml", LOCKED),
        ("tools/dead.yaml", DEAD),
        ("tools/short.yaml", SHORT),
    ];
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
    assert_eq!(told[..4], ["route", "agent", "woken", "accepted"], "{events:#?}");
    assert_eq!(
        told.iter().filter(|stage| **stage == "reported").count(),
        1,
        "the action's own bell is no report: {told:?}"
    );
    for name in ["command", "reported", "done", "result-card", "call-card", "labels"] {
        assert!(told.contains(&name), "no {name} in {told:?}");
    }
    assert_eq!(stage(&events, "call-card")["body"]["content"]["arguments"]["tenant"], "lab");
    assert_eq!(stage(&events, "result-card")["body"]["content"]["result"]["counts_map"]["a"], 2);
    assert!(
        stage(&events, "labels")["text"].as_str().unwrap().contains("all 6"),
        "{}",
        stage(&events, "labels")
    );
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
    assert!(
        stage(&events, "route")["text"].as_str().unwrap().contains("god endpoint"),
        "{events:#?}"
    );
    assert!(stage(&events, "result-card")["text"].as_str().unwrap().contains("ends the turn"));

    // NATS alone: the service shows that it is there by what it refuses.
    let events = call(&["--route", "probe", "word_count", "mode=map"]);
    assert_eq!(end(&events)["outcome"], "succeeded", "{events:#?}");
    assert!(
        stage(&events, "preflight")["text"].as_str().unwrap().contains("no card"),
        "{events:#?}"
    );
    assert!(
        stage(&events, "result-card")["text"]
            .as_str()
            .unwrap()
            .contains("tool_call_card_id not found"),
        "{events:#?}"
    );

    // People read the same, and it is kept.
    let ran = place.run(&["call", "word_count", "mode=map", "text=a"]);
    ran.ended(
        0,
        &[
            "as a UI action",
            "command seen on cg.v1r4.lab.public.cmd.tool.word_count.call",
            "labels: all 6",
        ],
    );
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
        assert_eq!(
            (&end["outcome"], &end["error"]["type"]),
            (&outcome.into(), &kind.into()),
            "{arguments:?}: {events:#?}"
        );
        let told = end["error"].to_string();
        words.iter().for_each(|word| assert!(told.contains(word), "{word} is not in {told}"));
        events
    };

    // The tool itself fails.
    failed(
        &["word_count", "mode=map"],
        "failed",
        "bad_request",
        &["mode=map requires string field 'text'"],
    );
    // Nobody hears the command: that is told at once, and the watchdog's card ends it.
    let events = failed(&["dead"], "failed", "tool_timeout", &["timeout_seconds"]);
    assert!(
        stage(&events, "preflight")["text"].as_str().unwrap().contains("no consumer covers"),
        "{events:#?}"
    );
    // Its command is given up: the call ends at once, and not when the watchdog or the API end
    // their waiting.
    for route in ["ui", "god"] {
        let given_up = ["--no-check", "--route", route, "word_count", "mode=map", "fail:=true"];
        let events =
            failed(&given_up, "lost", "given-up", &["its mark stays", "look into the log"]);
        assert!(stages(&events).contains(&"given-up"), "{events:#?}");
    }
    // How often other commands were delivered again says nothing about this one.
    let events = call(&[
        "--no-check",
        "--route",
        "god",
        "--timeout",
        "1s",
        "word_count",
        "mode=map",
        "hold:=true",
    ]);
    let told = events.last().unwrap()["error"]["remedy"].as_str().unwrap();
    assert!(told.contains("has 1 under way: it is at work") && !told.contains("back"), "{told}");
    there.tell("go");
    // A command that no stream keeps.
    failed(&["--route", "probe", "short"], "lost", "not-kept", &["eight tokens"]);
    // The API waits in vain.
    let events = failed(
        &["--route", "god", "--timeout", "3s", "dead"],
        "timed-out",
        "timed-out-first",
        &["no consumer covers"],
    );
    assert!(stages(&events).contains(&"command"));
    // Closed ways say what would open them.
    let closed = place.run(&["call", "--route", "ui", "locked"]);
    closed.ended(2, &["ui_allowed", "open is: god, probe"]);
    place
        .run(&["call", "--route", "gods", "locked"])
        .ended(2, &["there are: ui, direct, god, probe"]);
}

#[test]
fn definitions_go_up_come_down_and_are_compared() {
    let there = CommonGround::with(&["--refuse", "b_refused"]);
    let place = place(&there);
    let push =
        |arguments: &[&str]| place.run(&[&["push", "commonground", "--yes"], arguments].concat());

    // First all of them, then only what differs, however the API orders and fills in.
    let first = push(&[]);
    first.ended(0, &["4 added", "4 definitions of this workspace are there"]);
    push(&[]).ended(0, &["nothing to write"]);
    std::fs::write(
        place.here.join("tools/count.yaml"),
        COUNT.replace("Counts words.", "Counts all words."),
    )
    .unwrap();
    let dry = place.run(&["push", "commonground", "--dry-run"]);
    dry.ended(0, &["1 changed"]);
    assert!(
        dry.data.contains("tool/word_count") && dry.data.contains("Counts all words."),
        "{}",
        dry.data
    );
    push(&[]).ended(0, &["1 changed"]);

    // What only the project has comes into files of its own, and is here then.
    let other = "{\"tool_name\": \"other one\", \"target_subject\": \"cg.v1r4.{project_id}.{channel_id}.cmd.tool.o.call\", \
                 \"after_execution\": \"suspend\", \"description\": \"yes\", \"options\": {\"a\": {\"b\": \"010\"}}}";
    there.put(&[other]);
    let import = place.run(&["import", "commonground"]);
    import.ended(0, &["tools/other_one.yaml"]);
    place.run(&["import", "commonground"]).ended(0, &["already here, unchanged"]);
    push(&[]).ended(0, &["nothing to write"]);

    // Deleting is only done when asked for, and leaves what the project brought along.
    std::fs::remove_file(place.here.join("tools/dead.yaml")).unwrap();
    push(&[]).ended(0, &["nothing to write"]);
    push(&["--delete"]).ended(0, &["1 deleted", "skills.load"]);

    // What would be refused is not begun; the API itself is asked for nothing then.
    std::fs::write(
        place.here.join("tools/reserved.yaml"),
        SHORT.replace("tool_name: short", "tool_name: fork_join"),
    )
    .unwrap();
    let refused = push(&[]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.words.contains("reserved for internal tools: fork_join"), "{}", refused.words);
    std::fs::remove_file(place.here.join("tools/reserved.yaml")).unwrap();

    // One that only the API refuses stops it in the middle, and it is said what is done and what is
    // not.
    let named = |name: &str| SHORT.replace("tool_name: short", &format!("tool_name: {name}"));
    std::fs::write(
        place.here.join("tools/z.yaml"),
        ["a_first", "b_refused", "c_last"].map(named).join("---\n"),
    )
    .unwrap();
    let halfway = push(&[]);
    assert_eq!(halfway.code, Some(1), "{}", halfway.words);
    for word in ["b_refused: the API answers 500", "written: 2 of 3"] {
        assert!(halfway.words.contains(word), "{word} is not in {}", halfway.words);
    }
    let left = place.run(&["push", "commonground", "--dry-run"]);
    left.ended(0, &["1 added"]);
    std::fs::remove_file(place.here.join("tools/z.yaml")).unwrap();

    // A name that no address can hold keeps the rest from nothing.
    there.put(&[&named("a/b"), &named("zzz")]);
    let odd = push(&["--delete"]);
    assert_eq!(odd.code, Some(1), "{}", odd.words);
    for word in [
        "a/b: it cannot be deleted through the API",
        "has a \"/\"",
        "delete from resource.tools",
        "tool_name = 'a/b'",
    ] {
        assert!(odd.words.contains(word), "{word} is not in {}", odd.words);
    }
    let left = place.run(&["push", "commonground", "--dry-run", "--delete"]);
    left.ended(0, &["1 deleted"]);
    assert!(left.data.contains("tool/a/b"), "{}", left.data);
}

#[test]
fn only_what_differs_is_shown_however_the_api_orders_it() {
    let there = CommonGround::start();
    // The database orders members by their length.
    there.put(&[COUNT]);
    let place = place(&there);
    std::fs::write(
        place.here.join("tools/count.yaml"),
        COUNT.replace("required: [mode]", "required: [mode, text]"),
    )
    .unwrap();
    let dry = place.run(&["push", "commonground", "--dry-run"]);
    dry.ended(0, &["3 added, 1 changed"]);
    let changed: Vec<&str> = dry
        .data
        .lines()
        .skip_while(|line| !line.starts_with("~ tool/word_count"))
        .skip(1)
        .collect();
    let changed: Vec<&str> =
        changed.into_iter().take_while(|line| line.starts_with("  ")).collect();
    let changed: Vec<String> =
        changed.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(changed, ["- \"mode\"", "+ \"mode\",", "+ \"text\""], "{}", dry.data);
}

#[test]
fn an_agent_is_made_once_for_a_workspace_and_kept() {
    let there = CommonGround::start();
    there.put(&ALL);
    let here = place(&there);
    let call = |place: &Place, arguments: &[&str]| {
        let events = place
            .run(&[&["--json", "call", "word_count", "mode=map", "text=a"], arguments].concat())
            .events();
        assert_eq!(end(&events)["outcome"], "succeeded", "{events:#?}");
        stage(&events, "agent")["text"].as_str().unwrap().to_owned()
    };
    let made = "import psycopg, sys\ndb = psycopg.connect(sys.argv[3], autocommit=True)\n\
                print(db.execute(\"select count(*) from resource.project_agents where agent_id like 'ui_toolcrib_%'\").fetchone()[0])";
    let agents = || there.python(made).trim().to_owned();
    let first = call(&here, &[]);
    assert!(first.contains("made on ui_worker, and kept"), "{first}");
    for route in ["ui", "god"] {
        let next = call(&here, &["--route", route]);
        assert!(
            next.contains("our own agent") && first.contains(next.rsplit(' ').next().unwrap()),
            "{first}: {next}"
        );
    }
    assert_eq!(agents(), "1");
    // Calls at once each have their own.
    here.run(&["call", "word_count", "mode=map", "text=a", "--times", "6", "--jobs", "3"])
        .ended(0, &[]);
    let several: u32 = agents().parse().unwrap();
    assert!((1..=3).contains(&several), "{several}");
    // Another workspace has its own.
    let other = place(&there);
    assert!(call(&other, &[]).contains("made on"));
    // One that the deployment lost is made anew.
    there.python(
        "import psycopg, sys\ndb = psycopg.connect(sys.argv[3], autocommit=True)\n\
         db.execute('delete from resource.project_agents')\ndb.execute('delete from state.agent_state_head')",
    );
    assert!(call(&here, &[]).contains("made on"));
    assert_eq!(agents(), "1");
}

#[test]
fn a_project_that_does_not_exist_is_said_before_anything_is_made() {
    let there = CommonGround::start();
    there.put(&ALL);
    let settings = there.settings().replace("project = \"lab\"", "project = \"labs\"");
    let place = Place::with(&[
        ("toolcrib.toml", settings.as_str()),
        ("tools/count.yaml", COUNT),
        ("tools/locked.yaml", LOCKED),
    ]);
    for route in ["ui", "god", "probe"] {
        let ran = place.run(&["call", "--route", route, "word_count", "mode=map"]);
        ran.ended(2, &["has no project \"labs\"", "set project in"]);
    }
    place.run(&["serve", "--by-hand", "word_count"]).ended(2, &["has no project \"labs\""]);
    let left = there.python(
        "import psycopg, sys\ndb = psycopg.connect(sys.argv[3])\n\
         print([db.execute('select count(*) from ' + table).fetchone()[0] for table in ('resource.project_agents', 'cards', 'state.agent_inbox')])",
    );
    assert_eq!(left.trim(), "[0, 0, 0]");
}

#[test]
fn tools_of_the_deployment_are_called_without_a_definition() {
    let there = CommonGround::start();
    there.agents(&[("counter", "worker_generic")]);
    let settings = there.settings();
    let place = Place::with(&[("toolcrib.toml", settings.as_str())]);
    let listed = place.run(&["tools", "--deployed"]);
    listed.ended(0, &[]);
    for words in ["skills.load", "delegate_async", "fork_join", "ui god", "DEFINED HERE"] {
        assert!(listed.data.contains(words), "{words} is not in {}", listed.data);
    }
    let rows = place.run(&["--json", "tools", "--deployed"]).json();
    let row = |name: &str| {
        rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (&row("delegate_async")["routes"], &row("ask_expert")["routes"]),
        (&json!(["ui", "god"]), &json!(["god"]))
    );
    place.run(&["call", "skills.load", "--dry-run"]).ended(0, &[]);
    place.run(&["call", "delegate_async", "target_ref=counter"]).ended(2, &["target_strategy"]);
    place.run(&["call", "nothing"]).ended(2, &["connection \"cg\" has no tool \"nothing\""]);

    // A turn of another agent, to its end: what it says is the answer.
    let delegate =
        ["delegate_async", "target_strategy=reuse", "target_ref=counter", "instruction=I count."];
    let events = place.run(&[&["--json", "call"], &delegate[..]].concat()).events();
    assert_eq!(end(&events)["outcome"], "succeeded", "{events:#?}");
    let said: String = events
        .iter()
        .filter(|event| event["event"] == "chunk")
        .filter_map(|event| event["text"].as_str())
        .collect();
    assert_eq!(said, "I count. ", "{events:#?}");
    let turn: Vec<&str> = events
        .iter()
        .filter(|event| event["stage"] == "turn")
        .filter_map(|event| event["text"].as_str())
        .collect();
    assert!(turn[0].starts_with("agent counter has begun turn turn_"), "{turn:#?}");
    for words in ["state: running thinking", "step: ", "task: success"] {
        assert!(turn.iter().any(|told| told.contains(words)), "{words} is not in {turn:#?}");
    }
    assert!(stage(&events, "deliverable")["body"]["content"]["text"] == "I count.", "{events:#?}");
    // What goes wrong in the turn is how the call ends.
    let wrong = r#"instruction=[{"say": "I try.", "calls": [{"tool": "nobody", "args": {}}]}]"#;
    let events = place.run(&[&["--json", "call"], &delegate[..3], &[wrong]].concat()).events();
    assert_eq!(
        (&end(&events)["outcome"], &end(&events)["error"]["type"]),
        (&json!("failed"), &json!("internal_error")),
        "{events:#?}"
    );
}

#[test]
fn a_watch_reads_the_cards_that_messages_name() {
    let there = CommonGround::start();
    there.put(&ALL);
    let place = place(&there);
    place.run(&["call", "word_count", "mode=map", "text=a b a"]).ended(0, &[]);
    // Action, bell, accepted, command, taken up, done, wakeup, state, acknowledged.
    let watch = |more: &[&str]| {
        place.run(
            &[&["watch", "--since", "1h", "--cards", "--count", "10", "--for", "60s"], more]
                .concat(),
        )
    };
    let events = watch(&["--json"]).events();
    let all = |event: &str| events.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    let cards = all("card");
    assert_eq!(
        cards.iter().map(|card| &card["what"]).collect::<Vec<_>>(),
        ["call-card", "result-card"],
        "{events:#?}"
    );
    assert_eq!(cards[0]["card"]["content"]["arguments"]["tenant"], "lab");
    assert_eq!(cards[1]["card"]["content"]["result"]["counts_map"]["a"], 2);
    let [labels] = all("labels")[..] else { panic!("{events:#?}") };
    assert!(
        labels["text"].as_str().unwrap().contains("all 6") && labels["labels"][0]["copied"] == true,
        "{labels}"
    );
    assert_eq!(labels["conversation"], cards[0]["conversation"]);

    let told = watch(&[]);
    for words in [
        "▤ call card ",
        "▤ result card ",
        "\"counts_map\":{\"a\":2,\"b\":1}",
        "✓ labels: all 6 of the call are on the result",
    ] {
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
    let without: String = settings
        .lines()
        .filter(|line| !line.starts_with("api"))
        .map(|line| format!("{line}\n"))
        .collect();
    let place = Place::with(&[("toolcrib.toml", &without)]);
    place
        .run(&["watch", "--cards"])
        .ended(2, &["api = \"http://HOST:PORT\"", "[connections.cg.commonground]"]);
    place
        .run(&["watch", "--cards", "--connection", "nats://127.0.0.1:1"])
        .ended(2, &["toolcrib.toml"]);
}

#[test]
fn agents_are_called_by_the_names_that_the_projects_roster_has() {
    let there = CommonGround::start();
    // Its turn tells no name by itself: it has only begun.
    there.python(
        "import asyncio, json, nats, sys, urllib.request as it\n\
         body = json.dumps({'agent_id': 'clerk', 'profile_name': 'p', 'worker_target': 'worker_generic', 'display_name': 'Front desk'})\n\
         it.urlopen(it.Request(sys.argv[1] + '/projects/lab/agents', body.encode(), {'Content-Type': 'application/json'}))\n\
         headers = {'CG-Agent-Id': 'clerk', 'CG-Turn-Id': 'turn_1', 'CG-Turn-Epoch': '2'}\n\
         async def begins():\n \
             client = await nats.connect(sys.argv[2])\n \
             body = json.dumps({'status': 'dispatched', 'turn_epoch': 2}).encode()\n \
             await client.jetstream().publish('cg.v1r4.lab.public.evt.agent.clerk.state', body, headers=headers)\n \
             await client.close()\n\
         asyncio.run(begins())",
    );
    let settings = there.settings();
    let place = Place::with(&[("toolcrib.toml", settings.as_str())]);
    let events =
        place.run(&["--json", "watch", "--since", "1h", "--count", "1", "--for", "60s"]).events();
    let state = events
        .iter()
        .find(|event| event["label"] == "state")
        .unwrap_or_else(|| panic!("{events:#?}"));
    assert_eq!((&state["topic"], &state["state"]), (&json!("Front desk"), &json!("dispatched")));
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
    since("25:00").ended(2, &["\"25:00\" isn't a time of day: hours go up to 23", "14:05"]);
    since("2999-01-01T00:00").ended(2, &["in the future"]);
}
