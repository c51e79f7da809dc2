//! The Invoke screen as it is used: choose, fill in, send, watch.

use insta::assert_snapshot;
use toolcrib::{
    app::{
        calls::CallMessage,
        effect::Effect,
        message::{Message, ScreenId},
    },
    engine::stub::read::read_stub,
    model::{
        call::{CallError, CallId, Event, EventKind, Outcome, StrayCause},
        connection::Connection,
        entry::FileId,
        error_kind::ErrorKind,
        stage::{FrameWay, Stage},
        transport::TransportKind,
    },
    syntax::source::{Format, Source},
    systems::commonground::settings::Channel,
};

use crate::support::workbench::Workbench;

fn open(width: u16, height: u16) -> Workbench {
    Workbench::sample("services", width, height).on(ScreenId::Invoke)
}

fn chunk(text: &str) -> EventKind {
    EventKind::Chunk { text: text.into(), bytes: text.len() + 60 }
}

fn stray() -> EventKind {
    let headers = [("id".into(), "r-9".into())].into();
    EventKind::Stray {
        cause: StrayCause::ForeignId,
        id: Some("r-9".into()),
        headers,
        body: "{}".into(),
    }
}

/// A call to query-customers that streams.
fn streaming(width: u16, height: u16) -> Workbench {
    let mut bench = open(width, height);
    bench.send(toolcrib::app::message::Message::Select(
        bench.state.catalog.tool_called("query-customers").unwrap().id().clone(),
    ));
    bench.draw();
    bench.keys("enter");
    bench.types("What are the top customer complaints?");
    bench.keys("ctrl+enter");
    bench.happens([
        (0, EventKind::Sent { bytes: 214 }),
        (38, chunk("The three complaints")),
        (71, chunk(" heard most often are late deliveries (41 %), wrong sizes (22 %)")),
        (90, stray()),
    ]);
    bench
}

fn end(outcome: Outcome, problem: Option<(&str, &str)>) -> EventKind {
    let problem = problem.map(|(kind, message)| CallError {
        kind: ErrorKind::parse(kind),
        message: message.into(),
        remedy: "start the service, or let `toolcrib serve` answer for it".into(),
    });
    EventKind::End { outcome, problem }
}

#[test]
fn it_looks_like_this() {
    assert_snapshot!("invoke_120", streaming(120, 36).styled());
    assert_snapshot!("invoke_80", streaming(80, 24).styled());
    assert_snapshot!("invoke_80_request", open(80, 24).styled());
}

#[test]
fn a_time_limit_holds_for_the_calls_of_the_session() {
    let mut bench = open(120, 40);
    let limit_of_next = |bench: &mut Workbench| {
        bench.keys("ctrl+enter ctrl+enter");
        match bench.effects.last() {
            Some(Effect::Call { limit, .. }) => *limit,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(limit_of_next(&mut bench), None);
    bench.happens([(5, end(Outcome::Succeeded, None))]);
    bench.keys("ctrl+p");
    bench.types("time limit");
    bench.keys("enter");
    bench.types("soon");
    bench.keys("enter");
    assert!(bench.screen().contains("type a time"), "{}", bench.screen());
    bench.keys("ctrl+a delete");
    bench.types("5m");
    bench.keys("enter");
    assert!(bench.screen().contains("Answers may take 5m"), "{}", bench.screen());
    assert_eq!(limit_of_next(&mut bench), Some(std::time::Duration::from_secs(300)));
}

#[test]
fn a_path_shows_a_part_of_the_answers_of_a_tool() {
    let mut bench = open(80, 24);
    let answers = |bench: &mut Workbench, json: &str| {
        let sent = EventKind::Sent { bytes: 9 };
        bench.happens([(0, sent), (5, chunk(json)), (6, end(Outcome::Succeeded, None))]);
    };
    let asks = |bench: &mut Workbench, path: &str| {
        bench.keys("i ctrl+a delete");
        bench.types(path);
        bench.keys("enter");
    };
    bench.keys("ctrl+enter ctrl+enter");
    answers(&mut bench, r#"{"rows": [{"name": "Ada"}, {"name": "Bo"}]}"#);
    asks(&mut bench, "$.rows");
    assert!(bench.shows("is no path: write /rows/0/name"), "{}", bench.screen());
    // What it would find is seen while it is typed.
    bench.keys("ctrl+a delete");
    bench.types("/rows/*[name*=b]/na");
    assert!(bench.shows("there is nothing"), "{}", bench.screen());
    bench.types("me");
    assert!(bench.shows("1 value") && bench.shows("Bo"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("query /rows/*[name*=b]/name · 1 value"), "{}", bench.screen());
    asks(&mut bench, "/rows/*/name");
    assert!(bench.shows("query /rows/*/name · 2 values"), "{}", bench.screen());
    bench.keys("v");
    assert!(bench.shows("/rows/1/name: \"Bo\"") && !bench.shows("items]"), "{}", bench.screen());
    // It is kept for the next answer.
    bench.keys("R");
    answers(&mut bench, r#"{"rows": [{"name": "Cy"}]}"#);
    assert!(bench.shows("/rows/0/name: \"Cy\""), "{}", bench.screen());
    // A command of it prints what is shown.
    let copies = |bench: &mut Workbench| {
        bench.keys("y");
        bench.types("toolcrib");
        bench.keys("enter");
        match bench.effects.last() {
            Some(Effect::Copy(text)) => text.clone(),
            other => panic!("{other:?}"),
        }
    };
    let command = copies(&mut bench);
    assert!(command.ends_with(" --query '/rows/*/name'"), "{command}");
    asks(&mut bench, "/nope");
    assert!(bench.shows("query /nope · there is nothing; all is shown"), "{}", bench.screen());
    assert!(bench.shows("rows: [1 item]"), "{}", bench.screen());
    assert!(!copies(&mut bench).contains("--query"));
    asks(&mut bench, "");
    assert!(!bench.shows("query /nope") && bench.shows("rows: [1 item]"), "{}", bench.screen());
    bench.keys("R");
    answers(&mut bench, "started\n{\"row\": 1}\n{\"row\": 2}\nno rows\n");
    asks(&mut bench, "/*/row");
    assert!(bench.shows("query /*/row · 2 values"), "{}", bench.screen());
    asks(&mut bench, "ROWS");
    assert!(bench.shows("query ROWS · 1 line") && bench.shows("no rows"), "{}", bench.screen());
    bench.keys("y");
    bench.types("what is shown");
    bench.keys("enter");
    let copied = bench.effects.last();
    assert!(matches!(copied, Some(Effect::Copy(text)) if text == "no rows\n"), "{copied:?}");
}

#[test]
fn what_is_sent_is_what_was_shown() {
    let mut bench = streaming(120, 60);
    let Some(Effect::Call { request, connection, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_eq!(connection.name, "embedded");
    assert!(
        request.body.contains("top customer complaints")
            && request.body.contains(r#"{\"collection\":\"customers\"}"#)
    );
    let id = request.correlation.clone();
    bench.keys("esc R");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{:?}", bench.effects)
    };
    assert_ne!(request.correlation, id);
}

#[test]
fn a_tool_is_sent_again_with_its_own_newest_call() {
    let sent = |bench: &Workbench| {
        let names = bench.effects.iter().filter_map(|effect| match effect {
            Effect::Call { request, .. } => Some(request.name.clone()),
            _ => None,
        });
        names.collect::<Vec<_>>()
    };
    let mut bench = streaming(120, 36);
    bench.happens([(100, end(Outcome::Succeeded, None))]);
    bench.clicks("calculator");
    for keys in ["R", "enter R"] {
        bench.keys(keys);
        let why = "calculator has no call in this session to send again";
        assert!(bench.shows(why), "{keys}: {}", bench.screen());
    }
    assert_eq!(sent(&bench), ["query-customers"]);
    bench.keys("f6 f6");
    bench.happens([(3, end(Outcome::Succeeded, None))]);
    // The other one's call is shown, and chosen among the calls.
    bench.clicks("✓ query-c");
    bench.keys("R");
    bench.happens([(3, end(Outcome::Succeeded, None))]);
    bench.clicks("● calculator");
    bench.keys("R");
    let names = ["query-customers", "calculator", "query-customers", "calculator"];
    assert_eq!(sent(&bench), names, "{}", bench.screen());
}

#[test]
fn what_runs_is_stopped_by_quitting_only_after_a_question() {
    let mut bench = streaming(120, 36);
    bench.keys("ctrl+q");
    let words = "Quitting stops what is running: query-customers.";
    assert!(bench.shows(words), "{}", bench.screen());
    bench.keys("enter");
    assert!(!bench.effects.contains(&Effect::Quit), "{:?}", bench.effects);
    bench.keys("ctrl+q right enter");
    assert!(bench.effects.contains(&Effect::Quit), "{}", bench.screen());
}

#[test]
fn why_a_call_failed_is_seen_in_every_view() {
    let mut bench = streaming(120, 36);
    let why = "the connection broke after 2 pieces";
    bench.happens([(90, end(Outcome::Lost, Some(("connection-lost", why))))]);
    for view in ["Raw", "Time", "MD", "Hex", "Headers", "Tree", "Text"] {
        bench.clicks(view);
        assert!(bench.shows(&format!("✗ {why}")), "{view}: {}", bench.screen());
    }
}

#[test]
fn a_long_line_of_what_happened_is_read_whole() {
    let mut bench = streaming(120, 36);
    let words = format!("{} to its end", "the server says very much ".repeat(6));
    bench.happens([(95, EventKind::Notice(words)), (99, end(Outcome::Succeeded, None))]);
    assert!(!bench.shows("to its end"), "{}", bench.screen());
    bench.clicks("Text");
    bench.keys("enter");
    assert!(bench.shows("What happened") && bench.shows("to its end"), "{}", bench.screen());
    bench.keys("esc");
    bench.clicks("Time");
    bench.keys("end up enter");
    assert!(bench.shows("to its end"), "{}", bench.screen());
}

#[test]
fn a_missing_argument_is_refused_once() {
    let mut bench = open(120, 36);
    bench.keys("f6");
    assert!(
        bench.effects.iter().all(|effect| !matches!(effect, Effect::Call { .. })),
        "{}",
        bench.screen()
    );
    assert!(bench.screen().contains("send again"), "{}", bench.screen());
    bench.keys("f6");
    assert!(
        bench.effects.iter().any(|effect| matches!(effect, Effect::Call { .. })),
        "{}",
        bench.screen()
    );
}

#[test]
fn ctrl_c_stops_what_runs_before_it_quits() {
    let mut bench = streaming(120, 36);
    bench.keys("ctrl+c");
    let is_cancel = |effect: &Effect| matches!(effect, Effect::Cancel(_));
    assert!(bench.effects.iter().any(is_cancel), "{:?}", bench.effects);
    assert!(bench.shows("Ctrl+C again quits"), "{}", bench.screen());
    bench.happens([(9, end(Outcome::Cancelled, None))]);
    bench.keys("ctrl+c");
    assert!(bench.effects.iter().any(|effect| matches!(effect, Effect::Quit)));
}

#[test]
fn escape_goes_back_from_a_running_call_and_leaves_it() {
    let cancelled =
        |bench: &Workbench| bench.effects.iter().any(|effect| matches!(effect, Effect::Cancel(_)));
    for (width, height) in [(80, 24), (120, 36)] {
        let mut bench = streaming(width, height);
        bench.keys("esc esc esc");
        assert!(!cancelled(&bench), "{:?}", bench.effects);
        assert!(bench.shows("This session") && bench.shows("Ctrl+X stop"), "{}", bench.screen());
        bench.keys("ctrl+x");
        assert!(cancelled(&bench), "{:?}", bench.effects);
    }
    // Strays are a level of the answer.
    let mut bench = streaming(120, 36);
    bench.clicks("Strays");
    assert!(bench.shows("id of a different call"), "{}", bench.screen());
    bench.keys("esc");
    assert!(!bench.shows("id of a different call"), "{}", bench.screen());
}

#[test]
fn a_problem_says_what_to_do_beside_the_answer() {
    let mut bench = streaming(120, 36);
    bench.happens([(
        90,
        end(Outcome::Lost, Some(("connection-lost", "the connection broke after 2 pieces"))),
    )]);
    let screen = bench.screen();
    assert!(screen.contains("✗ cut off") && screen.contains("✗ the connection broke"), "{screen}");
    assert!(screen.contains("▸ start the service"), "{screen}");
}

#[test]
fn the_views_of_the_answer_are_switched_by_key_and_by_mouse() {
    let mut bench = streaming(120, 36);
    bench.keys("esc");
    bench.keys("v v");
    assert!(bench.screen().contains(r#"{"at_ms":38,"text":"The three"#), "{}", bench.screen());
    bench.clicks("Time");
    assert!(bench.screen().contains("chunk 2"), "{}", bench.screen());
    bench.clicks("Text");
    bench.clicks("show");
    assert!(bench.screen().contains("stray        id of a different call"), "{}", bench.screen());
    bench.happens([(120, chunk("{}")), (130, end(Outcome::Succeeded, None))]);
    bench.clicks("Tree");
    assert!(bench.screen().contains("The answer is not JSON"), "{}", bench.screen());
}

/// What crossed the wire.
fn wire(lines: &str) -> EventKind {
    EventKind::Stage(Stage {
        name: Stage::WIRE.into(),
        words: "← 20 kB".into(),
        body: lines.into(),
        frame: Some(FrameWay::In),
    })
}

#[test]
fn raw_has_the_lines_that_crossed_the_wire_and_time_what_was_made_of_them() {
    let mut bench = streaming(120, 36);
    bench.keys("esc");
    bench.happens([
        (95, chunk(" and more")),
        (95, wire("id: 7\ndata: {\"text\": \" and more\"}")),
        (99, wire(": ping")),
    ]);
    bench.clicks("Raw");
    let screen = bench.screen();
    assert!(screen.contains("id: 7␊data: {") && screen.contains(": ping"), "{screen}");
    assert!(!screen.contains("\"at_ms\"") && screen.contains("←    20 kB"), "{screen}");
    bench.clicks("Time");
    let screen = bench.screen();
    assert!(screen.contains("chunk 3") && !screen.contains(": ping"), "{screen}");
}

#[test]
fn from_an_event_in_full_one_goes_on_to_the_next_and_copies_it() {
    let mut bench = streaming(120, 36);
    bench.keys("esc");
    bench.clicks("Time");
    bench.keys("g j enter");
    assert!(bench.shows("chunk 1 +38 ms"), "{}", bench.screen());
    bench.keys("y");
    let copied = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied.as_deref(), Some("The three complaints"));
    bench.keys("]");
    assert!(bench.shows("chunk 2 +71 ms") && bench.shows("waited for 33 ms"), "{}", bench.screen());
    // The last one: another key changes nothing, and the bottom line doesn't offer it.
    assert!(!bench.shows("] next"), "{}", bench.screen());
    bench.keys("right");
    assert!(bench.shows("chunk 2 +71 ms"), "{}", bench.screen());
    bench.clicks("previous");
    assert!(bench.shows("chunk 1 +38 ms") && bench.shows("] next"), "{}", bench.screen());
    bench.keys("left left");
    assert!(bench.shows("request +0 ms"), "{}", bench.screen());
}

#[test]
fn answers_to_other_calls_are_strays_and_not_in_raw() {
    let mut bench = streaming(120, 36);
    bench.keys("esc");
    bench.clicks("Raw");
    assert!(!bench.shows("id of a different call"), "{}", bench.screen());
    bench.clicks("Strays");
    assert!(bench.shows("id of a different call"), "{}", bench.screen());
}

#[test]
fn a_json_answer_is_a_tree() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    bench
        .happens([(5, chunk(r#"{"rows": [1, {"a": null}]}"#)), (6, end(Outcome::Succeeded, None))]);
    bench.clicks("Tree");
    assert!(bench.screen().contains("▾ rows: [2 items]"), "{}", bench.screen());
    bench.clicks("rows");
    assert!(bench.screen().contains("▸ rows: [2 items]"), "{}", bench.screen());
}

#[test]
fn control_sequences_of_a_service_never_reach_the_terminal() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    bench.happens([
        (5, chunk("\x1b]0;owned\x07\x1b[2Jred\u{202e}")),
        (6, end(Outcome::Failed, Some(("\x1b[31m", "\x1b[2J")))),
    ]);
    for view in ["Text", "Raw", "Time"] {
        bench.clicks(view);
        let screen = bench.screen();
        assert!(!screen.chars().any(|letter| letter.is_control() && letter != '\n'), "{screen:?}");
        assert!(!screen.contains('\u{202e}'));
    }
    bench.clicks("Text");
    assert!(bench.screen().contains("␛]0;owned␇␛[2Jred"), "{}", bench.screen());
}

#[test]
fn a_long_answer_is_found_in_and_paged() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    let text: String = (0..5_000).map(|row| format!("row {row}\n")).collect();
    bench.happens([(5, chunk(&text)), (6, end(Outcome::Succeeded, None))]);
    // What came at once is read from its start.
    assert!(bench.shows("f –") && bench.shows("row 0"), "{}", bench.screen());
    bench.clicks("f –");
    assert!(bench.shows("row 4999"), "{}", bench.screen());
    bench.keys("home /");
    bench.types("row 4321");
    let screen = bench.screen();
    assert!(screen.contains("row 4321") && !screen.contains("row 4999"), "{screen}");
    bench.keys("esc home");
    assert!(bench.screen().contains("row 0"), "{}", bench.screen());
    bench.wheel("row 0", 2);
    assert!(
        !bench.screen().contains("│row 5 ") && bench.screen().contains("row 6"),
        "{}",
        bench.screen()
    );
}

#[test]
fn the_calls_of_the_session_are_gone_back_to() {
    let mut bench = streaming(120, 36);
    bench.happens([(100, end(Outcome::Succeeded, None))]);
    bench.clicks("calculator");
    bench.keys("f6 f6");
    bench.happens([(3, end(Outcome::Failed, Some(("missing-argument", "give an expression"))))]);
    assert!(bench.screen().contains("This session 2"), "{}", bench.screen());
    bench.clicks("✓ query-c");
    let screen = bench.screen();
    assert!(
        screen.contains("query-customers · custom-rag") && screen.contains("The three complaints"),
        "{screen}"
    );
}

#[test]
fn a_tool_that_cannot_be_called_says_why() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36).on(ScreenId::Invoke);
    bench.keys("f6");
    let screen = bench.screen();
    assert!(screen.contains("no call"), "{screen}");
    assert!(screen.contains("send: "), "{screen}");
}

#[test]
fn a_call_can_be_copied_as_a_command() {
    let mut bench = streaming(120, 36);
    bench.keys("esc y");
    assert!(bench.screen().contains("Copy as"), "{}", bench.screen());
    bench.types("toolcrib");
    bench.keys("enter");
    let Some(Effect::Copy(text)) = bench.effects.last() else {
        panic!("{:?}", bench.effects.last())
    };
    assert_eq!(
        text,
        "toolcrib call query-customers 'question=What are the top customer complaints?' --connection embedded"
    );
}

#[test]
fn the_configuration_is_a_form_too_and_changes_the_descriptor() {
    let mut bench = streaming(120, 36);
    bench.keys("shift+tab enter ctrl+u");
    bench.types("products");
    let entry = bench.state.catalog.tool_called("query-customers").unwrap().entry.clone();
    let body = bench.state.build_request(&entry.id).unwrap().body;
    assert!(body.contains(r#"{\"collection\":\"products\"}"#), "{body}");
    assert_eq!(entry.value["collection"], "products");
    assert!(bench.state.documents.changed_files().any(|(file, _)| file == entry.id.file()));
}

#[test]
fn no_size_breaks_it() {
    for (width, height) in
        [(1, 1), (20, 5), (60, 16), (61, 17), (99, 16), (100, 16), (200, 60), (500, 200)]
    {
        let mut bench = streaming(120, 36);
        bench.resize(width, height);
        bench.keys("esc tab tab v v v v tab @strays");
    }
}

#[test]
fn an_answer_is_shown_as_markdown_as_bytes_and_as_a_line_of_times() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (40, chunk("# Late **deliveries**\n- one\n")),
        (140, chunk("- two")),
        (150, end(Outcome::Succeeded, None)),
    ]);
    bench.clicks("Markdown");
    let screen = bench.screen();
    assert!(
        screen.contains("Late deliveries") && screen.contains("• one") && !screen.contains("**"),
        "{screen}"
    );
    bench.clicks("Hex");
    assert!(bench.screen().contains("00000000  23 20 4c 61"), "{}", bench.screen());
    bench.clicks("Time");
    let screen = bench.screen();
    assert!(
        screen.contains("queued +0 → sent +0 → first chunk +40")
            && screen.contains("end +150")
            && screen.contains("B/s"),
        "{screen}"
    );
}

#[test]
fn the_path_of_a_value_is_copied() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    bench
        .happens([(5, chunk(r#"{"rows": [1, {"a": null}]}"#)), (6, end(Outcome::Succeeded, None))]);
    bench.clicks("Tree");
    bench.keys("down down y");
    bench.types("path");
    bench.keys("enter");
    let Some(Effect::Copy(text)) = bench.effects.last() else {
        panic!("{:?}", bench.effects.last())
    };
    assert_eq!(text, "/rows/0");
}

#[test]
fn a_million_chunks_cost_no_more_memory_and_no_more_work_a_frame_than_a_few_thousand() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    let call = bench.state.invoke.calls.iter().next_back().unwrap().id;
    let event = Event { at_ms: 1, kind: chunk("0123456789\n") };
    for _ in 0..1_000_000 / 256 {
        bench.send(Message::Call(CallMessage::Events { call, events: vec![event.clone(); 256] }));
    }
    bench.draw();
    let shown = bench.state.invoke.calls.get(call).unwrap();
    assert_eq!((shown.chunks, shown.text.len()), (999_936, 11 * 999_936));
    // What a frame goes through is what is in memory, and that is bounded.
    assert_eq!((shown.events.len(), shown.events.let_go()), (5_200, 999_936 - 5_200));
    bench.send(Message::Call(CallMessage::Events {
        call,
        events: vec![Event { at_ms: 9, kind: end(Outcome::Succeeded, None) }],
    }));
    for view in ["Raw", "Time", "Markdown", "Hex", "Text"] {
        bench.clicks(view);
        bench.keys("home end pageup");
        assert!(
            bench.screen().contains("0123456789") || matches!(view, "Hex" | "Raw"),
            "{view}: {}",
            bench.screen()
        );
    }
}

#[test]
fn a_request_is_sent_many_times_a_few_at_once() {
    let mut bench = open(120, 36);
    bench.keys("enter");
    bench.types("1");
    bench.keys("esc @send-many");
    bench.keys("ctrl+u");
    bench.types("5 x 2");
    bench.keys("enter");
    let begun = |bench: &Workbench| -> Vec<CallId> {
        let of = |effect: &Effect| match effect {
            Effect::Call { call, .. } => Some(*call),
            _ => None,
        };
        bench.effects.iter().filter_map(of).collect()
    };
    assert_eq!(begun(&bench).len(), 2, "{}", bench.screen());
    assert!(bench.screen().contains("0 of 5"), "{}", bench.screen());
    let mut ended = 0;
    while let Some(call) = begun(&bench).get(ended).copied() {
        ended += 1;
        let at_ms = 10 * ended as u64;
        bench.send(Message::Call(CallMessage::Events {
            call,
            events: vec![Event { at_ms, kind: end(Outcome::Succeeded, None) }],
        }));
        assert!(begun(&bench).len() <= ended + 2);
    }
    bench.draw();
    assert_eq!(ended, 5);
    assert!(bench.screen().contains("5 calls: 5 succeeded · p50 30 ms"), "{}", bench.screen());
    let ids: std::collections::HashSet<_> =
        bench.state.invoke.calls.iter().map(|call| call.request.correlation.clone()).collect();
    assert_eq!(ids.len(), 5, "each has an id of its own");
    // A stop is one of all of a series.
    bench.keys("@send-many enter");
    bench.keys("ctrl+x");
    let cancelled =
        bench.effects.iter().filter(|effect| matches!(effect, Effect::Cancel(_))).count();
    assert_eq!(
        (cancelled, bench.state.invoke.batch.as_ref().unwrap().waiting),
        (4, 0),
        "{}",
        bench.screen()
    );
    let running = bench.state.invoke.batch.as_ref().unwrap().running.clone();
    for call in running {
        let events = vec![Event { at_ms: 5, kind: end(Outcome::Cancelled, None) }];
        bench.send(Message::Call(CallMessage::Events { call, events }));
    }
    bench.draw();
    assert!(bench.shows("6 not sent"), "{}", bench.screen());
}

#[test]
fn earlier_answers_go_into_arguments_and_variables_stay_unseen() {
    let mut bench = open(120, 36);
    bench.keys("enter");
    bench.types("6 * 7");
    bench.keys("f6");
    bench.happens([(3, chunk("42")), (4, end(Outcome::Succeeded, None))]);
    bench.keys("enter ctrl+u");
    bench.types("{{answer.calculator}} + {{env.SECRET}}");
    bench.keys("f6");
    let Some(Effect::Call { request, .. }) = bench.effects.last() else {
        panic!("{}", bench.screen())
    };
    assert!(request.body.contains("42 + {{env.SECRET}}"), "{}", request.body);
    bench.keys("enter ctrl+u");
    bench.types("{{answer.nobody}}");
    bench.keys("f6");
    assert!(bench.screen().contains("there is no answer of \"nobody\" yet"), "{}", bench.screen());
}

fn came<const N: usize>(headers: [(&str, &str); N]) -> EventKind {
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    EventKind::Headers { way: FrameWay::In, headers }
}

#[test]
fn headers_that_a_transport_sends_are_those_of_the_request() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    let sent = |accept: &str| EventKind::Headers {
        way: FrameWay::Out,
        headers: [("accept".to_owned(), accept.to_owned())].into(),
    };
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (1, sent("text/html")),
        (5, came([("x-served-by", "Owl")])),
        (7, sent("text/plain")),
        (9, end(Outcome::Succeeded, None)),
    ]);
    bench.clicks("Headers");
    let screen = bench.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}: {screen}"));
    let places =
        ["with the request", "text/html", "with the answer +5", "Owl", "another request +7"]
            .map(at);
    assert!(places.is_sorted() && places[4] < at("text/plain"), "{screen}");
    assert!(!screen.contains("none"), "those of the transport are all there are: {screen}");
}

#[test]
fn headers_of_request_answer_and_strays_have_a_view() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    let headers = |id: &str| came([("id", id), ("x-model", "m-1")]);
    bench.happens([
        (0, EventKind::Sent { bytes: 9 }),
        (5, headers("one")),
        (5, chunk("a")),
        (9, headers("two")),
        (9, stray()),
    ]);
    bench.clicks("Headers");
    let screen = bench.screen();
    let lines = [
        "with the request",
        "with the answer +5",
        "changed +9",
        "stray +9: id of a different call",
        "r-9",
    ];
    let places: Vec<_> = lines
        .iter()
        .map(|line| screen.find(line).unwrap_or_else(|| panic!("{line}:\n{screen}")))
        .collect();
    assert!(places.is_sorted() && screen.contains("x-model  m-1"), "{screen}");
}

#[test]
fn what_came_with_the_steps_of_a_call_stands_side_by_side() {
    let mut bench = open(200, 60);
    bench.keys("f6 f6");
    let stage = |name: &str, body: &str| {
        EventKind::Stage(Stage {
            name: name.into(),
            words: format!("the {name}"),
            body: body.into(),
            frame: None,
        })
    };
    let labels = r#"[{"label": "step", "call": "s1", "result": "s2", "copied": false}]"#;
    bench.happens([
        (1, stage("call-card", r#"{"card_id": "c1", "arguments": {"text": "to be"}}"#)),
        (2, stage("result-card", r#"{"card_id": "r1"}"#)),
        (3, stage("labels", labels)),
        (4, stage("done", "")),
    ]);
    bench.clicks("Headers");
    let screen = bench.screen();
    let line = |holds: &str| {
        screen
            .lines()
            .find(|line| line.contains(holds))
            .unwrap_or_else(|| panic!("{holds}:\n{screen}"))
    };
    assert!(line("the call-card ").contains("the result-card"), "{screen}");
    assert!(line("\"card_id\": \"c1\"").contains("\"card_id\": \"r1\""), "{screen}");
    assert!(
        line("step ").contains("s1") && line("step ").contains("s2") && line("step ").contains('✗'),
        "{screen}"
    );
    // Where there is too little room for two, they stand below each other.
    bench.resize(120, 36);
    bench.draw();
    let screen = bench.screen();
    assert!(
        screen.contains("the result-card")
            && screen
                .lines()
                .all(|line| !(line.contains("the call-card") && line.contains("the result-card"))),
        "{screen}"
    );
}

#[test]
fn esc_from_what_is_looked_for_goes_back_to_the_tool_from_before() {
    let mut bench = open(120, 36);
    let tool = |bench: &Workbench, name: &str| {
        Some(bench.state.catalog.tool_called(name).unwrap().id().clone())
    };
    bench.send(Message::Select(tool(&bench, "query-customers").unwrap()));
    bench.draw();
    bench.clicks("/ find");
    bench.types("calc");
    assert_eq!(bench.state.selected, tool(&bench, "calculator"));
    bench.types("?");
    bench.keys("esc");
    assert_eq!(bench.state.selected, tool(&bench, "query-customers"));
    // What is accepted stays.
    bench.clicks("/ find");
    bench.types("calc");
    bench.keys("enter esc");
    assert_eq!(bench.state.selected, tool(&bench, "calculator"));
}

#[test]
fn what_a_sheet_asks_is_wrapped_where_it_is_narrow() {
    let mut bench = open(60, 16);
    bench.keys("@time-limit");
    for line in ["How long an answer may take in calls of this session,", "such as 2m (30s unless"]
    {
        assert!(bench.shows(line), "{}", bench.screen());
    }
}

#[test]
fn an_answer_of_fifty_megabytes_is_paged_and_searched_in_every_view() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    let piece = "{\"row\": 17, \"text\": \"a row as others are\"}\n".repeat(20_000);
    bench.happens((0..55).map(|at| (at, chunk(&piece))));
    bench.happens([(60, chunk("the Needle")), (61, end(Outcome::Succeeded, None))]);
    bench.clicks("Text");
    assert!(bench.screen().contains("│ the Needle"), "the end is followed: {}", bench.screen());
    bench.keys("home");
    assert!(
        !bench.screen().contains("│ the Needle") && bench.screen().contains("line 1 of 1100001"),
        "{}",
        bench.screen()
    );
    bench.keys("/");
    bench.types("needle");
    assert!(bench.screen().contains("│ the Needle"), "{}", bench.screen());
    bench.keys("esc v v v v v home");
    assert!(bench.screen().contains("00000000"), "{}", bench.screen());
    bench.keys("end");
    assert!(bench.screen().contains("the Need"), "{}", bench.screen());
}

#[test]
fn of_a_million_chunks_the_first_and_the_last_stay_and_the_text_is_whole() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    for part in 0..1_000_u64 {
        let id = bench.state.invoke.calls.iter().next_back().unwrap().id;
        let events =
            (0..1_000).map(|at| Event { at_ms: part * 1_000 + at, kind: chunk("x") }).collect();
        bench.send(Message::Call(CallMessage::Events { call: id, events }));
    }
    bench.draw();
    let call = bench.state.invoke.calls.selected_call().unwrap();
    assert_eq!((call.chunks, call.text.len()), (1_000_000, 1_000_000));
    assert_eq!(call.events.len() as u64 + call.events.let_go(), 1_000_000);
    assert!(call.events.len() <= 5_200, "{} events are in memory", call.events.len());
    bench.clicks("Time");
    assert!(bench.screen().contains("chunk 1000000"), "{}", bench.screen());
}

#[test]
fn an_answer_is_kept_as_a_rule_of_a_stub() {
    let mut bench = streaming(120, 36);
    bench.keys("esc @keep-stub");
    assert!(
        !bench.screen().contains("Keep as stub"),
        "nothing is kept of a call that is under way:\n{}",
        bench.screen()
    );
    let mut bench = streaming(120, 36);
    bench.happens([(95, end(Outcome::Succeeded, None))]);
    bench.keys("esc @keep-stub");
    assert!(
        bench.screen().contains("Keep as stub") && bench.screen().contains("stubs/NAME.yaml"),
        "{}",
        bench.screen()
    );
    bench.keys("enter");
    // The sample brings a stub, which is left alone.
    let file = FileId::new("stubs/custom-rag.yaml");
    let kept = bench.state.documents.get(&file).unwrap().text.to_string();
    let stub = read_stub(&Source::parse(Format::Yaml, kept.as_str()).unwrap()).unwrap();
    let [service] = &stub.services[..] else { panic!("{kept}") };
    assert_eq!(service.request.as_deref(), Some("non-persistent://tg/request/custom-rag"));
    let [rule] = &service.rules[..] else { panic!("{kept}") };
    assert_eq!(
        rule.when.arguments.as_ref().unwrap()["question"],
        "What are the top customer complaints?"
    );
    let text: String = rule.then.pieces.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(
        (text.as_str(), rule.then.pieces.len()),
        (&*bench.state.invoke.calls.selected_call().unwrap().text.whole(), 2)
    );
    assert!(
        bench
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Save { file: saved, .. } if *saved == file))
    );
    bench.keys("@keep-stub enter");
    let again = bench.state.documents.get(&file).unwrap().text.to_string();
    assert_eq!(again, kept, "the same answer to the same request is the same rule");
}

#[test]
fn the_bottom_line_says_how_a_stream_is_stopped_from_where_the_keys_are() {
    let mut bench = streaming(120, 36);
    let cancelled =
        |bench: &Workbench| bench.effects.iter().any(|effect| matches!(effect, Effect::Cancel(_)));
    assert!(bench.shows("Ctrl+X stop") && bench.shows("[ Stop Ctrl+X ]"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows(" EDIT ") && bench.shows("Ctrl+X stop"), "{}", bench.screen());
    bench.keys("ctrl+x");
    assert!(cancelled(&bench), "{:?}", bench.effects);

    let mut bench = streaming(80, 24);
    bench.keys("/");
    assert!(bench.screen().contains("Esc done  Ctrl+X stop"), "{}", bench.screen());
    bench.keys("ctrl+x");
    assert!(cancelled(&bench), "{:?}", bench.effects);
}

#[test]
fn following_is_turned_by_key_and_by_mouse_where_there_is_an_end_to_follow() {
    let mut bench = streaming(80, 24);
    bench.clicks("follow ✓");
    assert!(bench.shows("follow –"), "{}", bench.screen());
    for view in ["Raw", "Time", "Markdown", "Hex"] {
        bench.clicks(view);
        let before = bench.shows("follow ✓");
        bench.keys("f");
        assert_ne!(bench.shows("follow ✓"), before, "{view}: {}", bench.screen());
    }
    for view in ["Tree", "Headers"] {
        bench.clicks(view);
        bench.keys("f");
        assert!(
            bench.shows(
                "this view doesn't grow, so there is nothing to \
                follow"
            ) && !bench.shows("f follow"),
            "{}",
            bench.screen()
        );
    }
}

#[test]
fn bytes_that_stream_are_followed() {
    let mut bench = streaming(80, 24);
    bench.clicks("Hex");
    bench.happens([(100, chunk(&"0123456789abcdef".repeat(100))), (101, chunk("the newest"))]);
    assert!(bench.shows("the newest"), "{}", bench.screen());
}

#[test]
fn what_does_not_fit_the_title_of_an_answer_stands_at_its_foot() {
    let screen = streaming(120, 36).screen();
    assert!(screen.contains("84 B · 90 ms") && screen.contains(" first after 38 ms ╯"), "{screen}");
}

#[test]
fn the_line_of_times_tells_the_first_byte_from_the_first_chunk() {
    let mut bench = open(120, 36);
    bench.keys("f6 f6");
    let headers = came([(":status", "200")]);
    bench.happens([
        (1, EventKind::Sent { bytes: 9 }),
        (20, headers),
        (40, chunk("a")),
        (90, end(Outcome::Succeeded, None)),
    ]);
    bench.clicks("Time");
    assert!(
        bench.shows("sent +1 → first byte +20 →") && bench.shows("chunk +40 → end +90"),
        "{}",
        bench.screen()
    );
}

#[test]
fn headers_are_found_where_they_stand() {
    let mut bench = streaming(80, 24);
    bench.happens([(95, came([("x-served-by", "Owl")]))]);
    bench.clicks("Headers");
    bench.keys("/");
    bench.types("served");
    assert!(bench.shows("x-served-by") && !bench.shows("is not there"), "{}", bench.screen());
    bench.types("?");
    assert!(bench.shows("\"served?\" not found"), "{}", bench.screen());
}

#[test]
fn a_call_is_copied_for_the_connection_that_it_was_made_over() {
    let mut bench = streaming(120, 36);
    bench.state.network.connections.choose(Connection::nats("elsewhere", "nats://127.0.0.1:4222"));
    assert_eq!(
        bench
            .state
            .connection_of(&bench.state.invoke.calls.selected_call().unwrap().request.tool)
            .name,
        "elsewhere"
    );
    bench.keys("esc y");
    bench.types("toolcrib");
    bench.keys("enter");
    let Some(Effect::Copy(text)) = bench.effects.last() else {
        panic!("{:?}", bench.effects.last())
    };
    assert!(text.ends_with("--connection embedded"), "{text}");
}

#[test]
fn calls_are_made_in_the_name_of_a_new_agent_where_that_is_asked_for() {
    let mut bench = Workbench::sample("commonground", 120, 50).on(ScreenId::Invoke);
    let connection = Connection::nats("cg", "nats://127.0.0.1:4222");
    let api = Some("http://127.0.0.1:8099".to_owned());
    let connection = Channel { agent: Some("ui-1".into()), api, ..Channel::new("demo", "general") }
        .apply_to(connection);
    bench.state.network.connections.choose(connection);
    bench.draw();
    assert!(bench.shows("agent     ui-1"), "{}", bench.screen());
    bench.keys("esc @new-agent");
    assert!(
        bench.shows("agent     a new one, made by toolcrib") && bench.shows("not ui-1"),
        "{}",
        bench.screen()
    );
    bench.keys("f6 f6");
    let Some(Effect::Call { connection, .. }) = bench.effects.last() else {
        panic!("{:?}\n{}", bench.effects, bench.screen())
    };
    assert_eq!(Channel::from_connection(connection).and_then(|channel| channel.agent), None);
    bench.keys("ctrl+x @new-agent");
    assert!(bench.shows("agent     ui-1"), "{}", bench.screen());
}

#[test]
fn over_a_gateway_no_response_queue_is_missed() {
    let tool = "tool:\n  say: {type: mcp-tool, name: say, description: Says, mcp-tool: what}\n";
    let mut bench = Workbench::yaml(tool, 120, 36).on(ScreenId::Invoke);
    bench.state.network.connections.choose(Connection::from_address(
        TransportKind::Http,
        "gateway",
        "http://127.0.0.1:8088",
    ));
    bench.draw();
    assert!(
        bench.shows("reply     the server's answer") && !bench.shows("response queue"),
        "{}",
        bench.screen()
    );
}

#[test]
fn the_log_takes_what_a_short_answer_leaves_free() {
    let mut bench = open(200, 60);
    bench.keys("enter");
    bench.types("What?");
    bench.keys("ctrl+enter");
    bench.happens((0..30).map(|number| (number, chunk("word "))));
    for number in [1, 15, 30] {
        assert!(bench.shows(&format!("chunk {number} ")), "{}", bench.screen());
    }
}
