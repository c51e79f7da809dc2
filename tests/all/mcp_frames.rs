//! The frames of a connection to an MCP server: with the call that they are of, in Watch as
//! conversations, and sent as they are.

use std::fs;

use serde_json::{Value, json};
use toolcrib::{
    app::{
        effect::Effect,
        message::{Message, ScreenId},
        watching::WatchMessage,
    },
    model::{
        call::{EventKind, Outcome},
        clock::Millis,
        stage::{FrameWay, Stage},
        traffic::{DIRECTION, FRAMES, KeptMessage, ObservedMessage, Tapped},
    },
    systems::watched::TrafficWitness,
};

use super::mcp_live::{events, place};
use crate::support::workbench::Workbench;

const SETTINGS: &str = "[connections.sky]\nsystem = \"mcp\"\ncommand = \"sky\"\n";

fn bench(screen: ScreenId) -> Workbench {
    let tool = json!({"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}});
    let kept = json!({"server": "sky", "version": "2025-11-25", "tools": [tool]}).to_string();
    let files = [("mcp/sky.json", &*kept), ("toolcrib.toml", SETTINGS)];
    Workbench::files(&files, 160, 36).on(screen)
}

fn frame(way: FrameWay, name: &str, text: &str) -> EventKind {
    EventKind::Stage(Stage {
        name: name.into(),
        words: "words".into(),
        body: text.into(),
        frame: Some(way),
    })
}

#[test]
fn a_call_shows_its_frames_as_they_crossed_the_wire() {
    let mut bench = bench(ScreenId::Invoke);
    bench.keys("f6");
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (0, frame(FrameWay::Out, "frame", "{\"id\": 3, \"method\": \"tools/call\"}")),
        (41, frame(FrameWay::In, "progress", "{\"method\": \"notifications/progress\"}")),
        (45, frame(FrameWay::In, "frame", "{\"id\": 3, \"result\": {\"content\": []}}")),
        (45, EventKind::Chunk { text: "hi".into(), bytes: 2 }),
        (45, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    bench.keys("tab tab v v");
    for part in [
        "+0      →     33 B  tools/call              {\"id\": 3,",
        "+41     ←     36 B  notifications/progress  {\"method\"",
        "+45     ←     36 B  result",
    ] {
        assert!(bench.shows(part), "{part}\n{}", bench.screen());
    }
    assert!(!bench.shows("chunk 1"), "{}", bench.screen());

    // One is found, opened on lines of its own, and copied.
    bench.keys("/");
    bench.types("tools/call");
    bench.keys("esc enter");
    assert!(
        bench.shows("\"method\": \"tools/call\"\n") || bench.shows("  \"id\": 3,"),
        "{}",
        bench.screen()
    );
    bench.keys("esc y");
    assert!(bench.shows("frame under the cursor"), "{}", bench.screen());

    // It is sent as it is edited, also wrong.
    bench.keys("esc e");
    assert!(bench.shows("Send a frame"), "{}", bench.screen());
    bench.types(" oops");
    bench.keys("enter");
    let sent = "{\"id\": 3, \"method\": \"tools/call\"} oops";
    assert_eq!(sent_frame(&bench).as_deref(), Some(sent));
    bench.happens([
        (0, frame(FrameWay::Out, "frame", sent)),
        (7, frame(FrameWay::In, "frame", "{\"id\": null, \"error\": {\"code\": -32700}}")),
        (7, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    assert!(bench.shows("+7      ←     39 B  error"), "{}", bench.screen());
}

/// The frame that was sent last, as it is.
fn sent_frame(bench: &Workbench) -> Option<String> {
    bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Call { request, .. } if request.to == FRAMES => Some(request.body.to_string()),
        _ => None,
    })
}

#[test]
fn a_call_tells_its_frames_to_scripts() {
    let place = place("");
    let told = events(&place, &["count", "to:=2"]);
    let frames: Vec<(&str, &Value)> =
        told.iter().filter_map(|event| Some((event["frame"].as_str()?, &event["body"]))).collect();
    let (first, last) = (frames.first().unwrap(), frames.last().unwrap());
    assert_eq!((first.0, &first.1["method"]), ("out", &json!("tools/call")), "{told:#?}");
    assert_eq!((last.0, &last.1["id"]), ("in", &first.1["id"]), "{told:#?}");
    assert!(last.1["result"].is_object(), "{told:#?}");
}

#[test]
fn frames_are_sent_as_they_are_and_their_answers_told_with_their_times() {
    let place = place("");
    fs::write(place.here.join("frames"), "{\"id\": \"b\", \"method\": \"nothing\"}\n\nno JSON\n")
        .unwrap();
    let ping = "{\"jsonrpc\": \"2.0\", \"id\": \"a\",  \"method\": \"ping\"}";
    let ran = place
        .run(&["mcp", "frames", "test", "--once", "--json", "--send", ping, "--send", "@frames"]);
    // This server ends where it gets what is no JSON.
    ran.ended(3, &["waiting for what a frame leads to"]);
    let frames = ran.events();
    let sent = |text: &str| {
        let row =
            frames.iter().position(|frame| frame["direction"] == "out" && frame["frame"] == text);
        row.unwrap_or_else(|| panic!("{text}: {frames:#?}"))
    };
    let answer = |id: &str| {
        let is_it = |frame: &&Value| {
            frame["after_us"].is_u64() && frame["frame"].as_str().unwrap().contains(id)
        };
        let row = frames.iter().find(is_it);
        serde_json::from_str::<Value>(row.unwrap()["frame"].as_str().unwrap()).unwrap()
    };
    // To the byte, and in order.
    assert!(sent(ping) < sent("{\"id\": \"b\", \"method\": \"nothing\"}"), "{frames:#?}");
    assert!(sent("no JSON") > sent(ping), "{frames:#?}");
    assert!(answer("\"a\"")["result"].is_object());
    assert_eq!(answer("\"b\"")["error"]["code"], -32601);

    let found = place.run(&["mcp", "frames", "test", "--once", "--find", "tools/list"]);
    assert!(found.data.lines().count() >= 1, "{}", found.data);
    assert!(found.data.lines().all(|line| line.contains("tools/list")), "{}", found.data);
}

#[test]
fn a_connection_is_watched_as_conversations() {
    let mut bench = bench(ScreenId::Watch);
    assert!(bench.shows("Press n to see every frame of sky"), "{}", bench.screen());
    bench.keys("n");
    assert!(bench.shows("opening sky") && bench.shows("on frames"), "{}", bench.screen());
    let turn = bench.state.watching.turn;
    bench.send(Message::Watch(WatchMessage::Began { turn }));
    let mut witness = TrafficWitness::default();
    let mut hear = |at, direction: &str, text: &str| {
        witness.observe_message(Tapped::ObservedMessage(std::sync::Arc::new(ObservedMessage {
            at: Millis(at),
            subject: FRAMES.into(),
            reply: None,
            headers: vec![(DIRECTION.to_owned(), direction.to_owned())],
            body: text.as_bytes().into(),
            size: text.len() as u64,
            kept: KeptMessage::Whole,
            about: None,
        })))
    };
    let heard = vec![
        hear(
            1_000,
            "out",
            r#"{"id":4,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#,
        ),
        hear(
            1_010,
            "in",
            r#"{"method":"notifications/progress","params":{"progressToken":4,"progress":1,"total":2}}"#,
        ),
        hear(1_020, "stderr", "at work"),
        hear(1_030, "in", r#"{"id":4,"result":{"content":[{"type":"text","text":"hi there"}]}}"#),
    ];
    bench.send(Message::Watch(WatchMessage::Heard { turn, heard }));
    bench.draw();
    for part in ["✓", "echo", "30 ms"] {
        assert!(bench.shows(part), "{part}\n{}", bench.screen());
    }
    for part in ["tools/call", "progress", "1 of 2", "stderr", "at work", "hi there"] {
        assert!(bench.shows(part), "{part}\n{}", bench.screen());
    }
    bench.keys("@send-watched-frame");
    assert!(bench.shows("Send a frame"), "{}", bench.screen());
    bench.keys("enter");
    assert!(sent_frame(&bench).unwrap().contains("\"arguments\":{\"text\":\"hi\"}"));
}
