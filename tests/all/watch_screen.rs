//! The Watch screen as it is used: listen, look at a conversation, filter, pause, be alerted, save,
//! send once more.

use std::sync::Arc;

use insta::assert_snapshot;
use ratatui::{Terminal, backend::TestBackend};
use serde_json::{Value, json};
use toolcrib::{
    app::{
        effect::Effect,
        input::{Button, Input, Mods, Mouse, MouseKind},
        message::{ConnectionMessage, Message, ScreenId},
        notices::NoticeKind,
        watching::{Source, WatchMessage},
    },
    engine::traffic::{
        conversation::ConversationState,
        record::Record,
        span::StartTime,
        trace::{self, Head},
    },
    model::{
        call::CallError,
        clock::Millis,
        connection::Connection,
        error_kind::ErrorKind,
        traffic::{KeptMessage, ObservedMessage, Tapped, WatchedItem},
        transport::TransportKind,
    },
    systems::{
        commonground::settings::Channel,
        deployed::item::Item,
        settings::parse_settings,
        watched::{self, TrafficWitness},
    },
    ui::{
        screens::watch::WatchScreen,
        theme::Theme,
        view::{Look, MousePlaces, Screen},
    },
};

use crate::support::workbench::Workbench;

/// 2026-01-01 12:00:00 UTC.
const NOON: u64 = 1_767_268_800_000;

fn crossing(at: u64, subject: &str, id: &str, body: &Value) -> Tapped {
    let body = body.to_string();
    Tapped::ObservedMessage(Arc::new(ObservedMessage {
        at: Millis(NOON + at),
        subject: subject.into(),
        reply: None,
        headers: vec![("id".into(), id.into())],
        size: body.len() as u64,
        body: body.into_bytes().into(),
        kept: KeptMessage::Whole,
        about: None,
    }))
}

fn request(at: u64, id: &str, topic: &str) -> Tapped {
    let body = json!({"user": "alice", "config": "{\"style\": \"pun\"}", "arguments": json!({"topic": topic}).to_string()});
    crossing(at, "tg.request.joke", id, &body)
}

fn piece(at: u64, id: &str, text: &str, last: bool) -> Tapped {
    crossing(
        at,
        "tg.response.joke",
        id,
        &json!({"error": null, "response": text, "end_of_stream": last}),
    )
}

fn agent(at: u64, subject: &str, body: &Value) -> Tapped {
    crossing(at, subject, "a-77", body)
}

/// What passes in a busy minute.
fn traffic() -> Vec<Tapped> {
    let step = json!({"thought": "A joke will do", "action": "tell-joke", "arguments": {"topic": "llamas"}, "observation": "Why did the llama…"});
    vec![
        request(0, "7f1c", "llamas"),
        piece(38, "7f1c", "Here's a pun for you:\n\n", false),
        agent(
            50,
            "tg.request.agent:default:default",
            &json!({"question": "Make me laugh", "state": "", "group": ["read-only"], "history": []}),
        ),
        piece(71, "7f1c", "What do llamas say? No prob-llama!", true),
        agent(
            400,
            "tg.response.agent:default:default",
            &json!({"message_type": "thought", "content": "A joke will do", "end_of_dialog": false}),
        ),
        agent(
            900,
            "tg.request.agent:default:default",
            &json!({"question": "Make me laugh", "state": "analysis", "history": [step]}),
        ),
        request(1_000, "8a2d", "owls"),
        crossing(
            1_012,
            "tg.response.joke",
            "8a2d",
            &json!({"error": {"type": "tool-service-error", "message": "the oven is cold"}, "response": "", "end_of_stream": true}),
        ),
        Tapped::Gap { at: Millis(NOON + 1_100), messages: Some(17) },
        piece(1_200, "somebody", "who asked for this?", true),
        agent(
            2_300,
            "tg.response.agent:default:default",
            &json!({"message_type": "error", "error": {"type": "agent-error", "message": "ToolServiceClient() takes no arguments"}}),
        ),
        request(2_500, "9b3e", "cats"),
        Tapped::Notice {
            at: Millis(NOON + 2_600),
            words: "the connection to nats://127.0.0.1:4222 broke; reconnecting".into(),
            breaks: true,
        },
    ]
}

fn heard(bench: &mut Workbench, tapped: Vec<Tapped>) {
    let turn = bench.state.watching.turn;
    let heard = tapped.into_iter().map(watched::classify_tapped).collect();
    bench.send(Message::Watch(WatchMessage::Heard { turn, heard }));
    bench.draw();
}

/// The screen while it listens.
fn listening(width: u16, height: u16) -> Workbench {
    let mut bench = Workbench::sample("services", width, height).on(ScreenId::Watch);
    bench.keys("n enter");
    let turn = bench.state.watching.turn;
    bench.send(Message::Watch(WatchMessage::Began { turn }));
    bench.draw();
    bench
}

fn busy(width: u16, height: u16) -> Workbench {
    let mut bench = listening(width, height);
    heard(&mut bench, traffic());
    bench
}

fn standings(bench: &Workbench) -> Vec<&'static str> {
    let record = &bench.state.watching.record;
    (0..record.row_count())
        .filter_map(|row| record.conversation_at(row))
        .map(|conversation| conversation.standing.as_str())
        .collect()
}

#[test]
fn it_looks_like_this() {
    assert_snapshot!("watch_200", busy(200, 60).styled());
    assert_snapshot!("watch_120", busy(120, 36).styled());
    let mut narrow = busy(80, 24);
    assert_snapshot!("watch_80", narrow.styled());
    narrow.keys("up up up enter");
    assert_snapshot!("watch_80_messages", narrow.styled());
    assert_snapshot!(
        "watch_nothing",
        Workbench::sample("services", 120, 36).on(ScreenId::Watch).styled()
    );
}

#[test]
fn listening_begins_with_the_queues_of_the_services_or_those_named() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Tools);
    bench.keys("4 n enter");
    let Some(Effect::Watch { places, connection, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!(connection.name, "embedded");
    assert!(
        places.iter().any(|place| place.name == "tg.request.joke")
            && places.iter().any(|place| place.name == "tg.response.joke")
    );
    bench.keys("n");
    bench.types("tg..x");
    bench.keys("enter");
    assert!(bench.shows("a part of it is empty"), "{}", bench.screen());
    bench.keys("backspace backspace > enter");
    let Some(Effect::Watch { places, turn, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!((places[0].name.as_str(), *turn), ("tg.>", 2));
    bench.send(Message::Watch(WatchMessage::Heard {
        turn: 1,
        heard: vec![watched::classify_tapped(request(0, "x", "late"))],
    }));
    assert_eq!(
        bench.state.watching.record.heard_count(),
        0,
        "what an earlier tap heard comes too late"
    );
    let problem = CallError {
        kind: ErrorKind::parse("no-server"),
        message: "nobody answers".into(),
        remedy: "start it".into(),
    };
    bench.send(Message::Watch(WatchMessage::Refused { turn: 2, problem }));
    bench.draw();
    assert!(bench.shows("✗ nobody answers"), "{}", bench.screen());
}

#[test]
fn where_nothing_can_be_heard_that_is_said_before_anything_is_asked() {
    let at = |url: &str, transport| {
        let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Watch);
        bench.state.network.connections.choose(Connection::from_address(transport, "there", url));
        bench.draw();
        bench
    };
    // Without frames and line ends: words may stand on two lines.
    let flat = |bench: &Workbench| {
        bench
            .screen()
            .replace(['│', '─', '╭', '╮', '╰', '╯'], " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut gateway = at("ws://h", TransportKind::WebSocket);
    let told = flat(&gateway);
    assert!(
        told.contains(
            "a gateway over WebSocket only answers its own callers and doesn't show \
            other traffic: choose a connection"
        ),
        "{told}"
    );
    gateway.keys("n enter");
    assert!(!gateway.shows("separated by spaces"), "{}", gateway.screen());
    assert!(!gateway.effects.iter().any(|effect| matches!(effect, Effect::Watch { .. })));

    // The sample's queues are Pulsar addresses.
    let mut kafka = at("kafka://h", TransportKind::Kafka);
    kafka.keys("enter");
    let asked = flat(&kafka);
    assert!(
        asked.contains("Name at least one") && asked.contains("Kafka has no Pulsar addresses"),
        "{asked}"
    );
    assert!(!asked.contains("JetStream") && !asked.contains("* and >"), "{asked}");
    let mut nats = at("nats://h", TransportKind::Nats);
    nats.keys("enter");
    let asked = flat(&nats);
    assert!(asked.contains("the 6 queues") && asked.contains("since:10m"), "{asked}");
}

#[test]
fn a_conversation_shows_its_messages_and_each_of_them_whole() {
    let mut bench = busy(160, 40);
    assert_eq!(standings(&bench), ["succeeded", "failed", "failed", "orphan", "open"]);
    bench.keys("home down enter");
    assert!(
        bench.shows("states analysis") && bench.shows("ToolServiceClient() takes no arguments"),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("step 1") && bench.shows("[analysis]"), "{}", bench.screen());
    bench.keys("home enter");
    assert!(
        bench.shows("What it says") && bench.shows("\"question\": \"Make me laugh\""),
        "{}",
        bench.screen()
    );
    bench.keys("esc");
    bench.clicks("the oven is cold");
    assert!(bench.shows("tool-service-error: the oven is cold"), "{}", bench.screen());
}

#[test]
fn a_filter_is_typed_and_what_is_wrong_with_it_is_said_at_once() {
    let mut bench = busy(120, 36);
    bench.keys("/");
    bench.types("is:fail");
    assert!(bench.shows("is:failed") && bench.shows("Conversations 5"), "{}", bench.screen());
    bench.types("ed");
    assert!(bench.shows("Conversations 2 of 5"), "{}", bench.screen());
    bench.keys("enter");
    heard(
        &mut bench,
        vec![crossing(
            3_000,
            "tg.response.joke",
            "9b3e",
            &json!({"error": {"type": "e", "message": "m"}}),
        )],
    );
    assert_eq!(standings(&bench), ["failed", "failed", "failed"]);
    // What is typed replaces the filter that is there.
    bench.keys("/");
    bench.types("is:open");
    bench.keys("enter");
    assert_eq!(bench.state.watching.record.view().to_string(), "is:open");
    bench.keys("esc");
    assert!(bench.state.watching.record.view().is_empty(), "Esc in the list shows all");
    bench.types("/is:failed");
    bench.keys("enter enter");
    assert!(bench.shows("Esc conversations"), "{}", bench.screen());
    bench.keys("esc");
    assert_eq!(bench.state.watching.record.view().to_string(), "is:failed", "Esc goes back first");
    bench.keys("esc");
    assert!(bench.state.watching.record.view().is_empty(), "then it shows all");
    bench.keys("/ esc");
    assert_eq!(standings(&bench).len(), 5);
    bench.keys("shift+tab down enter");
    assert_eq!(
        bench.state.watching.record.view().to_string(),
        "on:tg.request.joke",
        "a subject is a filter, too"
    );
    assert!(bench.shows("/ on:tg.request.joke"), "{}", bench.screen());
}

#[test]
fn while_it_is_paused_nothing_moves_and_nothing_is_lost() {
    let mut bench = listening(120, 36);
    heard(&mut bench, vec![request(0, "1", "one")]);
    bench.keys("p");
    heard(&mut bench, vec![request(10, "2", "two"), piece(20, "1", "done", true)]);
    assert!(
        bench.shows("paused · 2 held back") && bench.shows("Conversations 1"),
        "{}",
        bench.screen()
    );
    bench.keys("p");
    assert_eq!(standings(&bench), ["succeeded", "open"]);
    bench.keys("x");
    assert!(
        bench.shows("Clear the traffic?") && bench.shows("removes 2 conversations"),
        "{}",
        bench.screen()
    );
    bench.keys("enter");
    assert_eq!(standings(&bench).len(), 2, "Enter keeps");
    bench.keys("x y esc");
    assert_eq!(standings(&bench).len(), 2, "a letter that no button shows does nothing");
    bench.keys("x right enter");
    assert!(standings(&bench).is_empty() && bench.shows("No traffic yet"), "{}", bench.screen());
    // Who waits for a broker's messages here waits for nothing.
    assert!(bench.shows("On embedded only calls"), "{}", bench.screen());
    bench.keys("@stop-watching");
    assert!(matches!(bench.effects.last(), Some(Effect::StopWatching)) && bench.shows("stopped"));
}

#[test]
fn alerts_ring_and_can_be_taken_away() {
    let mut bench = listening(120, 36);
    bench.keys("a enter");
    heard(&mut bench, traffic());
    let notices: Vec<_> = bench.state.notices.iter().map(|notice| notice.text.clone()).collect();
    assert!(
        notices.iter().any(
            |words| words.contains("alert is:failed on tg.request") && words.contains("1 more")
        ),
        "{notices:?}"
    );
    assert!(bench.shows("! is:failed"), "{}", bench.screen());
    // It is seen on other screens, too, whatever else is done meanwhile.
    bench.send(Message::Show(ScreenId::Tools));
    bench.send(Message::Notice(NoticeKind::Done, "something else ended".into()));
    bench.draw();
    assert!(bench.shows("alert is:failed"), "{}", bench.screen());
    bench.keys("4");
    assert!(!bench.shows("alert is:failed"), "{}", bench.screen());
    bench.keys("a down enter");
    assert!(bench.state.watching.record.alerts().is_empty());
}

#[test]
fn an_alert_counts_the_conversations_that_it_marks() {
    let mut bench = busy(120, 36);
    bench.keys("a enter");
    let record = &bench.state.watching.record;
    let all = (0..record.row_count()).filter_map(|row| record.conversation_at(row));
    let marked = all.filter(|conversation| conversation.rang > 0).count();
    assert_eq!((marked, record.alerts()[0].rang), (2, 2));
    // The text that is offered is typed over.
    bench.keys("a enter");
    bench.types("is:open");
    bench.keys("enter");
    assert_eq!(bench.state.watching.record.alerts()[1].filter.to_string(), "is:open");
}

#[test]
fn the_chosen_one_stays_chosen_unless_the_newest_is_followed() {
    let mut bench = busy(120, 36);
    heard(&mut bench, vec![request(5_000, "new", "dogs")]);
    assert!(bench.shows("conversation 6"), "{}", bench.screen());
    bench.keys("home");
    heard(&mut bench, vec![request(6_000, "newer", "dogs")]);
    assert!(bench.shows("conversation 1 ") && bench.shows("id 7f1c"), "{}", bench.screen());
    bench.keys("f");
    assert!(bench.shows("conversation 7"), "{}", bench.screen());
    // Whoever opens its messages stays with them.
    bench.keys("enter");
    heard(&mut bench, vec![request(7_000, "newest", "dogs")]);
    assert!(bench.shows("Messages of conversation 7"), "{}", bench.screen());
}

#[test]
fn nothing_is_followed_that_is_not_seen() {
    let mut bench = busy(80, 24);
    bench.keys("shift+tab f");
    assert!(bench.shows("this follows the conversations"), "{}", bench.screen());
    bench.keys("tab f");
    assert!(bench.shows("f follow"), "{}", bench.screen());
}

#[test]
fn a_request_is_sent_once_more_as_a_call_of_its_tool() {
    let mut bench = busy(120, 36);
    bench.keys("home R");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert!(request.body.contains("llamas") && request.name.contains("joke"), "{request:?}");
    assert!(
        request.correlation != "7f1c"
            && request.headers == [("id".to_owned(), request.correlation.clone())]
    );
    assert_eq!(bench.state.screen, ScreenId::Invoke);
    bench.keys("esc tab");
    let mut bench = busy(120, 36);
    bench.keys("home down R");
    assert!(
        bench.state.notices.iter().next_back().unwrap().text.contains("no tool of this workspace")
    );
    bench.keys("home @watched-tool");
    assert_eq!(bench.state.screen, ScreenId::Tools);
}

#[test]
fn a_call_of_a_server_s_tool_is_sent_once_more_or_edited() {
    const SETTINGS: &str =
        "connection = \"shop\"\n[connections.shop]\nsystem = \"mcp\"\ncommand = \"true\"\n";
    const KEPT: &str = r#"{"server": "shop", "version": "2025-11-25", "tools": [{"name": "find", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}]}"#;
    let files = [("toolcrib.toml", SETTINGS), ("mcp/shop.json", KEPT)];
    let open = || {
        let mut bench = Workbench::files(&files, 120, 36).on(ScreenId::Watch);
        bench.keys("n");
        let turn = bench.state.watching.turn;
        bench.send(Message::Watch(WatchMessage::Began { turn }));
        let frame = |at, name: &str| {
            let params = json!({"name": name, "arguments": {"query": "llamas"}, "_meta": {"progressToken": at}});
            let body =
                json!({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": params})
                    .to_string();
            Tapped::ObservedMessage(Arc::new(ObservedMessage {
                at: Millis(NOON + at),
                subject: "frames".into(),
                reply: None,
                headers: vec![(":direction".into(), "out".into())],
                size: body.len() as u64,
                body: body.into_bytes().into(),
                kept: KeptMessage::Whole,
                about: None,
            }))
        };
        heard(&mut bench, vec![frame(1, "find"), frame(2, "gone")]);
        bench
    };
    let mut bench = open();
    // Nobody else sends there: it needs no question.
    bench.keys("home R");
    let Some(Effect::Call { request, connection, .. }) = bench.effects.last() else {
        panic!("{}", bench.screen())
    };
    assert_eq!((&*request.to, &*request.name, &*connection.name), ("tools/call", "find", "shop"));
    assert_eq!(&*request.body, r#"{"name":"find","arguments":{"query":"llamas"}}"#);
    let mut bench = open();
    bench.keys("home e");
    assert!(bench.state.screen == ScreenId::Invoke && bench.shows("llamas"), "{}", bench.screen());
    // One that is listed of the server, too, is the one that the workspace has.
    let mut bench = open();
    bench.send(Message::Connection(ConnectionMessage::ListDeployed(Some("shop".into()))));
    let Some(Effect::ReadDeployed { purpose, .. }) = bench.effects.last() else {
        panic!("{}", bench.screen())
    };
    let (purpose, text) = (*purpose, json!({"name": "find", "inputSchema": {}}).to_string());
    let found = Item { system: "mcp", section: "tools", key: "shop/find".into(), text };
    let listed = ConnectionMessage::Deployed { purpose, read: Ok(vec![found]) };
    bench.send(Message::Connection(listed));
    bench.draw();
    bench.keys("home R");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{}", bench.screen())
    };
    assert_eq!(request.tool, *bench.state.catalog.tools[0].id());
    let mut bench = open();
    bench.keys("home down R");
    let told = &bench.state.notices.iter().next_back().unwrap().text;
    assert!(told.contains("no tool gone is listed of shop"), "{told}");
}

#[test]
fn other_clients_requests_are_sent_and_unsaved_messages_are_left_only_after_a_question() {
    let mut bench = busy(120, 36);
    bench.keys("q");
    assert!(bench.effects.contains(&Effect::Quit), "nothing is lost of what is made up here");
    let mut bench = busy(120, 36);
    let settings = "[connections.bus]\nservers = \"nats://127.0.0.1:1\"\n";
    bench.state.network.connections.known.extend(parse_settings(settings).0.connections.known);
    bench.state.watching.head.connection = "bus".into();
    bench.keys("home R");
    assert!(bench.shows("may be another client's"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::Call { .. })));
    bench.keys("R enter");
    assert!(matches!(bench.effects.last(), Some(Effect::Call { .. })), "{}", bench.screen());
    bench.keys("4 o enter");
    assert!(bench.shows("aren't saved, and the trace takes"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::OpenTrace(_))));
    bench.keys("q");
    assert!(bench.shows("messages of Watch aren't saved"), "{}", bench.screen());
    bench.keys("esc s enter");
    bench.send(Message::Watch(WatchMessage::Saved { path: "watched.trace".into(), messages: 9 }));
    // Nothing is lost but the call that still runs.
    bench.keys("q right enter");
    assert!(bench.effects.contains(&Effect::Quit), "{}", bench.screen());
}

#[test]
fn a_double_press_opens_the_messages_of_a_conversation() {
    let mut bench = busy(120, 36);
    bench.clicks("the oven is cold");
    assert!(!bench.shows("Esc conversations"), "{}", bench.screen());
    let (column, row) = bench.find("the oven is cold");
    let twice = MouseKind::Double(Button::Left);
    bench.input(&Input::Mouse(Mouse { kind: twice, column, row, mods: Mods::default() }));
    bench.draw();
    assert!(bench.shows("Esc conversations"), "{}", bench.screen());
}

#[test]
fn the_end_of_an_answer_goes_on_with_its_pieces() {
    let mut bench = listening(120, 36);
    let pieces = [piece(2, "a1", "one, ", false), piece(3, "a1", "two", true)];
    heard(&mut bench, [vec![request(1, "a1", "llamas")], pieces.to_vec()].concat());
    let record = &bench.state.watching.record;
    assert_eq!(record.conversation_at(0).unwrap().said, "one, two");
}

#[test]
fn the_legend_names_the_signs_and_their_filters() {
    let mut bench = busy(120, 36);
    bench.keys("@watch-signs");
    for words in ["Legend", "is:orphan", "a reply whose request wasn't seen", "requests go there"] {
        assert!(bench.shows(words), "{words}: {}", bench.screen());
    }
}

#[test]
fn a_trace_is_saved_and_opened_in_place_of_what_was_heard() {
    let mut bench = busy(120, 36);
    bench.keys("s enter");
    let Some(Effect::SaveTrace { path, head, heard }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!((path.as_str(), head.connection.as_str()), ("watched.trace", "embedded"));
    assert_eq!(heard, &traffic());
    bench.keys("o enter");
    assert!(
        matches!(bench.effects.last(), Some(Effect::OpenTrace(path)) if path == "watched.trace")
    );
    let mut record = Record::default();
    record.add_witnessed(watched::classify_tapped(request(0, "kept", "goats")));
    let opened = WatchMessage::Opened {
        path: "watched.trace".into(),
        head: Head::default(),
        record: Box::new(record),
    };
    bench.send(Message::Watch(opened));
    bench.draw();
    assert_eq!(bench.state.watching.source, Source::Trace("watched.trace".into()));
    assert!(bench.shows("▤ watched.trace") && bench.shows("goats"), "{}", bench.screen());
}

#[test]
fn copies_offer_what_it_says() {
    let mut bench = busy(120, 36);
    bench.keys("home y down enter");
    assert!(
        matches!(bench.effects.last(), Some(Effect::Copy(text)) if text == r#"{"topic":"llamas"} with {"style": "pun"}"#)
    );
}

#[test]
fn a_frame_draws_and_decodes_what_is_seen_however_much_was_heard() {
    let mut bench = listening(120, 36);
    let mut work = Vec::new();
    for thousand in [0, 9, 99] {
        let many: Vec<WatchedItem> = (bench.state.watching.record.heard_count()
            ..(thousand + 1) * 1_000)
            .map(|number| {
                watched::classify_tapped(request(number, &format!("r{}", number / 2), "llamas"))
            })
            .collect();
        let turn = bench.state.watching.turn;
        bench.send(Message::Watch(WatchMessage::Heard { turn, heard: many }));
        let (mut screen, theme) = (WatchScreen::default(), Theme::default());
        let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
        let look = Look {
            styles: &theme.styles,
            keymap: &bench.state.keymap,
            images: None,
            mouse: &MousePlaces::default(),
        };
        screen.sync_state(&bench.state);
        terminal.draw(|frame| screen.draw(frame, frame.area(), look, &bench.state)).unwrap();
        work.push(screen.work_done());
    }
    assert_eq!(bench.state.watching.record.heard_count(), 100_000);
    assert_eq!(
        bench.state.watching.record.searched_count(),
        0,
        "without a filter nothing is searched"
    );
    for frame in &work {
        assert!(frame.frames == 1 && frame.rows <= 2 * 36 && frame.decoded <= 36, "{work:?}");
    }
    assert_eq!(work[1], work[2], "ten times the messages take no more rows");
}

/// A CommonGround turn while its answer streams: a call of it is over, another one waits.
fn turn() -> Vec<Tapped> {
    let of_turn =
        [("CG-Agent-Id", "counter"), ("CG-Turn-Id", "turn_01a1fd19fca0"), ("CG-Turn-Epoch", "2")];
    let trace = ("traceparent", "00-01a1fd19fca073248029f3d8b309da00-b4e7bf2abb53389f-01");
    let says = |at: u64, subject: &str, call: Option<&str>, body: &Value| {
        let subject = if subject.starts_with('$') {
            subject.to_owned()
        } else {
            format!("cg.v1r4.lab.public.{subject}")
        };
        let headers =
            of_turn.into_iter().chain([trace]).chain(call.map(|call| ("CG-Tool-Call-Id", call)));
        let body = body.to_string();
        Tapped::ObservedMessage(Arc::new(ObservedMessage {
            at: Millis(NOON + at),
            subject: subject.as_str().into(),
            reply: None,
            headers: headers.map(|(name, value)| (name.into(), value.into())).collect(),
            size: body.len() as u64,
            body: body.into_bytes().into(),
            kept: KeptMessage::Whole,
            about: None,
        }))
    };
    let command = |at, name: &str, call| {
        let body = json!({"tool_name": name, "after_execution": "suspend", "tool_call_card_id": "01a1fd19fca073248029f3d81187dfda"});
        says(at, &format!("cmd.tool.{name}.call"), Some(call), &body)
    };
    let mark = |at, name: &str, call, body: &Value| {
        let key = toolcrib::systems::commonground::idempotency::tool_key("lab", name, call);
        says(at, &format!("$KV.cg_tool_idem_v1.{key}"), None, body)
    };
    let state = |at, status: &str, about: &Value| {
        says(
            at,
            "evt.agent.counter.state",
            None,
            &json!({"status": status, "turn_epoch": 2, "metadata": about}),
        )
    };
    let chunk = |at, kind: &str, text: &str| {
        let body = json!({"agent_turn_id": "turn_01a1fd19fca0", "step_id": "step_1", "chunk_type": kind, "content": text});
        says(at, "str.agent.counter.chunk", None, &body)
    };
    let done = json!({"after_execution": "suspend", "status": "success", "tool_result_card_id": "01a1fd19fca07324802900000000174a"});
    let mut all = vec![
        says(
            0,
            "cmd.agent.worker_generic.wakeup",
            None,
            &json!({"inbox_id": "turn_01a1fd19fca0", "reason": "dispatch_next"}),
        ),
        state(4, "dispatched", &json!({})),
        says(
            9,
            "evt.agent.counter.step",
            None,
            &json!({"step_id": "step_1", "phase": "started", "new_card_ids": []}),
        ),
        state(10, "running", &json!({"activity": "thinking"})),
    ];
    let words =
        "I will count the words of both texts, and then look up what the longer one is about. ";
    all.extend(
        words
            .split_inclusive(' ')
            .enumerate()
            .map(|(row, word)| chunk(40 + 20 * row as u64, "content", word)),
    );
    all.extend([
        chunk(480, "end", ""),
        state(490, "running", &json!({"activity": "executing_tool", "current_tool": "word_count"})),
        command(500, "word_count", "call_1d8e01"),
        mark(510, "word_count", "call_1d8e01", &json!({"status": "running", "timestamp": 1.0})),
        mark(
            730,
            "word_count",
            "call_1d8e01",
            &json!({"status": "done", "timestamp": 2.0, "payload": done}),
        ),
        command(740, "web_search", "call_2b7f02"),
        state(
            760,
            "suspended",
            &json!({"activity": "awaiting_tool_result", "waiting_tool_call_ids": ["call_2b7f02"],
            "resume_deadline": "2026-01-01T12:00:31Z"}),
        ),
    ]);
    let ring = json!({"inbox_id": "row_7", "reason": "watchdog_pending_inbox"});
    all.extend((1..6).map(|row| says(row * 1_000, "cmd.agent.worker_other.wakeup", None, &ring)));
    all
}

fn channel(width: u16, height: u16) -> Workbench {
    let mut bench = listening(width, height);
    heard(&mut bench, turn());
    let turn = bench.state.watching.turn;
    let now = Millis(NOON + 14_000);
    for message in toolcrib::app::update::update(
        &mut bench.state,
        Message::Watch(WatchMessage::Tick { turn }),
        now,
    ) {
        bench.effects.push(message);
    }
    bench.keys("home");
    bench.draw();
    bench
}

#[test]
fn a_channel_looks_like_this() {
    assert_snapshot!("channel_200", channel(200, 60).styled());
    assert_snapshot!("channel_120", channel(120, 36).styled());
    let mut narrow = channel(80, 24);
    assert_snapshot!("channel_80", narrow.styled());
    narrow.keys("enter");
    assert_snapshot!("channel_80_messages", narrow.styled());
}

#[test]
fn a_turn_counts_down_its_call_is_below_it_and_pieces_stand_together() {
    let mut bench = channel(160, 40);
    assert_eq!(standings(&bench), ["open", "succeeded", "open"]);
    assert!(
        bench.shows("17 s left") && bench.shows("suspended") && bench.shows("└ ✓ word_count"),
        "{}",
        bench.screen()
    );
    bench.keys("end");
    assert!(
        bench.shows("no service accepted it"),
        "the call that waits says what may be the matter: {}",
        bench.screen()
    );
    bench.keys("home");
    assert!(bench.shows("says ×18") && bench.shows("└ command"), "{}", bench.screen());
    assert!(bench.shows("5 hidden, . → routine"), "{}", bench.screen());
    bench.keys("@routine");
    assert_eq!(standings(&bench).len(), 4);
    bench.keys("@routine tab home down down down down @pieces");
    assert!(!bench.shows("says ×18"), "{}", bench.screen());
    bench.keys("@pieces enter");
    assert!(
        bench.shows(
            "I will count the words of both texts, and then look up what the longer one is about."
        ),
        "{}",
        bench.screen()
    );
    assert!(bench.shows("first of 18 chunks"), "{}", bench.screen());
}

/// A connection to the channel, with an API or without.
fn connected(bench: &mut Workbench, api: Option<&str>) {
    let channel = Channel { api: api.map(str::to_owned), ..Channel::new("lab", "public") };
    let connection = channel.apply_to(Connection::nats("cg", "nats://127.0.0.1:4222"));
    bench.state.network.connections.insert(connection);
    bench.state.watching.head.connection = "cg".into();
    bench.draw();
}

fn stored(id: &str, kind: &str, step: &str, content: &Value) -> (String, Result<Value, CallError>) {
    let labels = json!({"type": kind, "step_id": step, "trace_id": "t", "agent_turn_id": "turn_01a1fd19fca0", "function_name": "word_count"});
    let card = json!({"card_id": id, "project_id": "lab", "type": kind, "tool_call_id": "call_1d8e01", "content": content, "metadata": labels});
    (id.to_owned(), Ok(card))
}

fn cards(step: &str) -> [(String, Result<Value, CallError>); 2] {
    let (call, result) = ("01a1fd19fca073248029f3d81187dfda", "01a1fd19fca07324802900000000174a");
    let failed = json!({"status": "failed", "after_execution": "suspend", "result": null, "error": {"code": "bad_request", "message": "mode=map wants a text"}});
    let made = json!({"tool_name": "word_count", "arguments": {"mode": "map"}, "status": "called"});
    [stored(call, "tool.call", "step_1", &made), stored(result, "tool.result", step, &failed)]
}

/// The bench while the cards of the chosen conversation are read.
fn reading(width: u16, height: u16, step: &str) -> Workbench {
    let mut bench = channel(width, height);
    connected(&mut bench, Some("http://127.0.0.1:8099"));
    bench.keys("down v");
    assert!(bench.shows("reads 2 cards at http://127.0.0.1:8099"), "{}", bench.screen());
    let Some(Effect::ReadCards { turn, card_source, connection, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    let paths: Vec<&str> = card_source.wanted.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(
        (connection.name.as_str(), paths[0]),
        ("cg", "/projects/lab/cards/01a1fd19fca073248029f3d81187dfda")
    );
    let turn = *turn;
    bench.send(Message::Watch(WatchMessage::CardsRead { turn, read: cards(step).to_vec() }));
    bench.draw();
    bench
}

#[test]
fn cards_stand_beside_each_other_with_their_labels_compared() {
    let mut bench = reading(120, 36, "another");
    for words in [
        "2 cards",
        "call card 01a1",
        "result card 01a1",
        "mode=map wants a text",
        "│   \"card_id\": \"01a1",
    ] {
        assert!(bench.shows(words), "{words}: {}", bench.screen());
    }
    bench.keys("end");
    assert!(
        bench.shows("not copied from the call to the result: step_id") && bench.shows("✗"),
        "{}",
        bench.screen()
    );
    assert!(
        matches!(&bench.state.watching.record.conversation_at(1).unwrap().standing, ConversationState::Failed(problem) if problem.message.starts_with("mode=map")),
        "the card says more than the mark"
    );
    bench.keys("y");
    assert!(
        matches!(bench.effects.last(), Some(Effect::Copy(text)) if text.contains("\"tool_name\": \"word_count\""))
    );
    let narrow = reading(80, 24, "step_1");
    assert!(narrow.shows("call card ") && narrow.shows("2 cards"), "{}", narrow.screen());
    assert_snapshot!("channel_cards_120", reading(120, 36, "step_1").styled());
}

#[test]
fn cards_are_read_by_mouse_from_a_message_too_and_what_lacks_is_said() {
    let mut bench = channel(120, 36);
    bench.keys("down v");
    assert!(
        bench.shows("add [connections."),
        "the embedded connection has none: {}",
        bench.screen()
    );
    connected(&mut bench, None);
    assert!(!bench.shows("v cards"), "what cannot be done now is not offered");
    bench.keys("home down v");
    assert!(bench.shows("api = \"http://HOST:PORT\""), "{}", bench.screen());
    let mut bench = channel(200, 60);
    connected(&mut bench, Some("http://127.0.0.1:8099"));
    bench.clicks("dispatched] epoch");
    bench.keys("v");
    assert!(bench.shows("it refers to no cards"), "{}", bench.screen());
    // A conversation's cards, and the mark of the call, whole, and then its cards: all by pressing.
    bench.clicks("└ word_count ");
    bench.clicks("v cards");
    assert!(bench.shows("reads 2 cards"), "{}", bench.screen());
    bench.clicks("Esc close");
    bench.clicks("counter ");
    bench.clicks("word_count success");
    bench.clicks("word_count success");
    assert!(bench.shows("What it says"), "{}", bench.screen());
    bench.clicks("show its cards");
    let Some(Effect::ReadCards { turn, card_source, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!(
        (*turn, card_source.wanted.len()),
        (2, 2),
        "the call's card comes with the result's"
    );
    // One that is not there says so, and what belongs beside a result is asked for once it is
    // known.
    let gone = CallError {
        kind: ErrorKind::parse("not_found"),
        message: "card not found".into(),
        remedy: String::new(),
    };
    let [(call, _), (result, read)] = cards("step_1");
    let read = WatchMessage::CardsRead { turn: 2, read: vec![(call, Err(gone)), (result, read)] };
    bench.send(Message::Watch(read));
    bench.draw();
    assert!(
        bench.shows("✗ card 01a1fd19fca073248029f3d81187dfda: card not found")
            && bench.shows("1 card "),
        "{}",
        bench.screen()
    );
    bench.keys("esc");
    assert!(!bench.shows("card not found"));
}

/// Time goes by until so many milliseconds after noon.
fn later(bench: &mut Workbench, at: u64) {
    let turn = bench.state.watching.turn;
    let tick = Message::Watch(WatchMessage::Tick { turn });
    toolcrib::app::update::update(&mut bench.state, tick, Millis(NOON + at));
    bench.draw();
}

#[test]
fn a_deadline_counts_down_and_says_when_it_is_over() {
    let mut bench = channel(160, 40);
    for (at, words) in [
        (15_000, "16 s left"),
        (30_500, "1 s left"),
        (31_000, "0 s left"),
        (33_000, "2.0 s over its time"),
    ] {
        later(&mut bench, at);
        assert!(bench.shows(words), "{words}: {}", bench.screen());
    }
    assert!(
        bench.shows("its deadline passed 2 s ago") && bench.shows("tool_timeout"),
        "{}",
        bench.screen()
    );
    bench.keys("/");
    bench.types("is:overdue");
    assert_eq!(standings(&bench), ["open"]);
}

#[test]
fn a_channel_is_watched_by_mouse_alone() {
    let mut bench = channel(120, 36);
    bench.clicks("p pause");
    heard(&mut bench, turn().split_off(30));
    assert!(bench.shows("paused · 4 held back"), "{}", bench.screen());
    bench.clicks("p pause");
    assert!(
        !bench.shows("paused") && bench.state.watching.record.heard_count() == 38,
        "{}",
        bench.screen()
    );
    // A subject pressed twice is a filter, which goes by pressing, too.
    bench.clicks("counter.step");
    bench.clicks("counter.step");
    assert_eq!(
        bench.state.watching.record.view().to_string(),
        "on:cg.v1r4.lab.public.evt.agent.counter.step"
    );
    bench.clicks("Conversations 1 of 4");
    bench.clicks("/ filter");
    bench.clicks("Esc show all");
    assert!(
        bench.state.watching.record.view().is_empty() && bench.shows("Conversations 3"),
        "{}",
        bench.screen()
    );
    // A turn, its pieces, one of them whole.
    bench.clicks("● counter");
    bench.clicks("says ×18");
    bench.clicks("says ×18");
    assert!(bench.shows("first of 18 chunks"), "{}", bench.screen());
    bench.clicks("Esc close");
    let (column, row) = bench.find("[running]");
    let kind = MouseKind::Down(Button::Right);
    bench.input(&Input::Mouse(Mouse { kind, column, row, mods: Mods::default() }));
    bench.clicks("Show the chunks");
    assert!(!bench.shows("says ×18"));
    let before = bench.screen();
    bench.wheel("[running]", 6);
    assert_ne!(before, bench.screen(), "the wheel moves the messages");
    // Narrow, pane by pane.
    let mut narrow = channel(80, 24);
    narrow.clicks("Messages");
    assert!(narrow.shows("says ×18"), "{}", narrow.screen());
    narrow.clicks("Conversations");
    narrow.clicks("web_search");
    assert!(
        narrow.state.watching.record.row_count() == 3 && narrow.shows("└ web_search"),
        "{}",
        narrow.screen()
    );
    narrow.clicks("Messages");
    assert!(narrow.shows("no service accepted it"), "{}", narrow.screen());
}

#[test]
fn a_channel_that_is_kept_as_a_trace_opens_as_it_was() {
    let mut bench = channel(120, 36);
    bench.keys("s enter");
    let Some(Effect::SaveTrace { heard: kept, head, .. }) = bench.effects.last().cloned() else {
        panic!("{:?}", bench.effects)
    };
    let (mut record, mut witness) = (Record::default(), TrafficWitness::default());
    for tapped in &kept {
        let line = trace::parse_line(&trace::tapped_line(tapped).to_string()).unwrap();
        let trace::Line::Tapped(tapped) = line else { panic!("{line:?}") };
        record.add_witnessed(witness.observe_message(tapped));
    }
    let shown = |record: &Record| {
        let all = (0..record.row_count()).filter_map(|row| record.conversation_at(row));
        let told = all.map(|one| {
            format!(
                "{:?} {:?} {:?} {:?} {} {:?}",
                one.id, one.standing, one.states, one.due, one.said, one.cards
            )
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(shown(&record), shown(&bench.state.watching.record));
    assert_eq!((record.len(), record.routine_count()), (4, 5));
    let opened =
        WatchMessage::Opened { path: "watched.trace".into(), head, record: Box::new(record) };
    bench.send(Message::Watch(opened));
    bench.keys("home");
    // Time stands still in a trace: what was awaited when it was kept still is.
    assert!(
        bench.shows("▤ watched.trace") && bench.shows("suspended") && bench.shows("└ ✓ word_count"),
        "{}",
        bench.screen()
    );
    bench.keys("/");
    bench.types("state:suspended");
    assert!(bench.shows("Conversations 1 of 4"), "{}", bench.screen());
}

#[test]
fn listening_may_begin_with_what_was_kept() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Watch);
    bench.keys("n");
    bench.types("tg.> since:soon");
    bench.keys("enter");
    assert!(bench.shows("isn't a time"), "{}", bench.screen());
    bench.keys("backspace backspace backspace backspace");
    bench.types("0.5s");
    bench.keys("enter");
    let Some(Effect::Watch { places, since, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!((places.len(), *since), (1, Some(StartTime::Ago(500))));
    for (text, begins) in [
        ("14:05", StartTime::Clock(14 * 3_600 + 300)),
        ("1970-01-02T00:01", StartTime::Wall(86_460)),
    ] {
        bench.keys("n");
        bench.types(&format!("since:{text}"));
        bench.keys("enter");
        assert!(
            matches!(bench.effects.last(), Some(Effect::Watch { since: Some(since), .. }) if *since == begins),
            "{text}"
        );
    }
    bench.keys("n");
    bench.types("since:25:00");
    bench.keys("enter");
    assert!(bench.shows("hours go up to 23"), "{}", bench.screen());
}

#[test]
fn a_request_that_was_seen_is_edited_in_the_form_of_its_tool() {
    let mut bench = busy(160, 40);
    bench.keys("e");
    assert_eq!(bench.state.screen, ScreenId::Invoke);
    assert!(bench.shows("the call's arguments are in the form"), "{}", bench.screen());
    assert!(bench.shows("topic *  cats"), "{}", bench.screen());
}

#[test]
fn the_main_key_begins_to_watch_and_ends_it() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Watch);
    assert!(bench.shows("[ Watch F6 ]"), "{}", bench.screen());
    bench.keys("f6");
    let is_begun = |effect: &Effect| matches!(effect, Effect::Watch { .. });
    assert!(bench.effects.iter().any(is_begun), "{}", bench.screen());
}
