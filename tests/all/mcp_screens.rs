//! What the screens offer for MCP servers beside calls: parts of answers, questions with many
//! fields, both eras side by side, tools of another system.

use std::sync::Arc;

use ratatui::{
    Terminal,
    backend::TestBackend,
    buffer::{Buffer, Cell},
    style::Color,
};
use serde_json::{Value, json};
use toolcrib::{
    app::{
        answering::{AnsweringMessage, AskId, SERVERS, WaitingQuestion},
        connection_test::{ConnectionReport, Report},
        effect::Effect,
        input::{Code, Input, Key},
        message::{ConnectionMessage, DocumentMessage, Message, ScreenId},
        notices::NoticeKind,
        resources::ResourceMessage,
        state::State,
    },
    engine::eras::{EraComparison, EraRow, EraSide, EraView, Presence},
    model::{
        call::{EventKind, Outcome},
        entry::FileId,
        image_pixels::{DecodedImage, ImagePixels},
        problem::{Problem, ProblemKind},
        server_item::{ListTiming, ListedPage},
        server_profile::{ProfileFact, ServerProfile},
        stage::Stage,
    },
    systems::{
        facets::{
            configured::{ConfigServer, ConfigServers, FoundConfig, ValuePlace, WantedValue},
            kept_tools::ListedTools,
        },
        mcp::{
            answering::WaitingRequest,
            asked::{Kind, ServerRequest as McpAsked},
        },
    },
    ui::{
        images::{IMAGE_CELL, ImageWay},
        root::Root,
    },
};

use crate::support::workbench::{self, Workbench};

const SETTINGS: &str = "connection = \"sky\"\n[connections.sky]\nsystem = \"mcp\"\ntransport = \"http\"\nservers = [\"http://127.0.0.1:9/mcp\"]\n";

fn bench(screen: ScreenId, (width, height): (u16, u16)) -> Workbench {
    let tool = json!({"name": "draw", "inputSchema": {"type": "object", "properties": {}}});
    let kept = json!({"server": "sky", "version": "2025-11-25", "tools": [tool]}).to_string();
    let files = [("mcp/sky.json", &*kept), ("toolcrib.toml", SETTINGS)];
    Workbench::files(&files, width, height).on(screen)
}

#[test]
fn parts_of_an_answer_are_saved_opened_and_read_when_asked() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = bench(ScreenId::Invoke, size);
        bench.keys("f6");
        let result = json!({"content": [
            {"type": "text", "text": "a picture"},
            {"type": "image", "mimeType": "image/png", "data": "aGk="},
            {"type": "resource_link", "name": "more", "uri": "test://more"},
            {"type": "resource", "resource": {"uri": "test://a.md", "mimeType": "text/markdown", "text": "# A"}}]});
        let stage = Stage {
            name: "result".into(),
            words: "result".into(),
            body: result.to_string().into(),
            frame: None,
        };
        bench.happens([
            (
                5,
                EventKind::Chunk { text: "a picture\n[image image/png, 2 bytes]".into(), bytes: 9 },
            ),
            (6, EventKind::Stage(stage)),
            (6, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
        ]);
        bench.clicks("Answer");
        bench.effects.clear();
        bench.keys("o");
        for words in
            ["Open image image/png, 2 B", "Save image image/png", "Read test://more", "test://a.md"]
        {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        assert_eq!(bench.effects, []);
        bench.keys("enter");
        let opened = bench.effects.last();
        assert!(
            matches!(opened, Some(Effect::OpenPart(part)) if part.bytes.as_deref() == Some(b"hi")),
            "{opened:?}"
        );
        bench.keys("o");
        bench.clicks("Read test://more");
        let read = bench.effects.last();
        assert!(
            matches!(read, Some(Effect::ReadItem { request, .. }) if request.id == "test://more"),
            "{read:?}"
        );
        assert_eq!(bench.state.screen, ScreenId::Resources);
    }
}

/// A call whose answer is an image, shown where images are drawn in that way.
fn answered_with_an_image(way: ImageWay) -> (State, Root) {
    let mut bench = bench(ScreenId::Invoke, (120, 36));
    bench.keys("f6");
    let image = json!({"type": "image", "mimeType": "image/png", "data": "aGk="});
    let body = json!({"content": [image]}).to_string().into();
    let stage = Stage { name: "result".into(), words: "result".into(), body, frame: None };
    bench.happens([
        (5, EventKind::Chunk { text: "[image image/png, 2 bytes]".into(), bytes: 9 }),
        (6, EventKind::Stage(stage)),
        (6, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    assert!(!bench.shows("pixels") && !bench.shows("reading …"), "no colours, no image");
    let (state, mut root) = bench.into_parts();
    root.images.show(way);
    (state, root)
}

/// The drawing of that state, and what becomes of the images that it asks for.
pub(super) fn drawn(
    state: &State,
    root: &mut Root,
    decoded: &Result<DecodedImage, String>,
) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
    let buffer = terminal.draw(|frame| root.draw(frame, state)).unwrap().buffer.clone();
    for file in root.images.take_wanted() {
        assert_eq!(&*file, b"hi");
        root.images.take_in(&file, decoded.clone());
    }
    buffer
}

/// A red image of that size.
pub(super) fn red(width: usize, height: usize) -> Result<DecodedImage, String> {
    let bytes = [200, 0, 0, 255].repeat(width * height);
    let pixels = Arc::new(ImagePixels { width, height, bytes });
    Ok(DecodedImage { size: (width, height), pixels })
}

/// How many cells have both halves of an image's red.
pub(super) fn red_cells(buffer: &Buffer) -> usize {
    let is_red = |cell: &&Cell| {
        cell.symbol() == "▀" && cell.fg == Color::Rgb(200, 0, 0) && cell.bg == cell.fg
    };
    buffer.content().iter().filter(is_red).count()
}

#[test]
fn an_image_is_drawn_below_the_text_once_it_is_decoded() {
    let (state, mut root) = answered_with_an_image(ImageWay::HalfBlocks { is_indexed: false });
    let before = workbench::text(&drawn(&state, &mut root, &red(20, 20)));
    assert!(before.contains("image image/png, 2 B · reading …"), "{before}");
    let shown = drawn(&state, &mut root, &red(20, 20));
    let text = workbench::text(&shown);
    assert!(text.contains("image image/png, 2 B · 20 × 20 pixels"), "{text}");
    assert_eq!(red_cells(&shown), 20 * 10, "{text}");
    root.handle_input(&Input::Key(Key::plain(Code::Char('?'))), &state);
    let covered = drawn(&state, &mut root, &red(20, 20));
    assert!(red_cells(&covered) < 200, "help lies over a part of it");
}

#[test]
fn a_large_image_is_as_high_as_the_pane_at_most_and_a_broken_one_is_a_line() {
    let (state, mut root) = answered_with_an_image(ImageWay::HalfBlocks { is_indexed: false });
    drawn(&state, &mut root, &red(100, 1_000));
    let shown = drawn(&state, &mut root, &red(100, 1_000));
    let text = workbench::text(&shown);
    assert!(text.contains("· 100 × 1000 pixels"), "{text}");
    let rows = text.lines().filter(|line| line.contains('▀')).count();
    assert!((10..30).contains(&rows), "{rows}\n{text}");
    assert!(text.contains("[image image/png, 2 bytes]"), "its line stays in sight: {text}");
    let (state, mut root) = answered_with_an_image(ImageWay::HalfBlocks { is_indexed: false });
    let broken = Err("it ends too early".to_owned());
    drawn(&state, &mut root, &broken);
    let text = workbench::text(&drawn(&state, &mut root, &broken));
    assert!(text.contains("2 B · can't be drawn: it"), "{text}");
    assert!(text.contains("ends too early"), "the words are wrapped: {text}");
}

#[test]
fn an_image_has_its_place_in_a_window() {
    let (state, mut root) = answered_with_an_image(ImageWay::Window { cell: (9, 20) });
    drawn(&state, &mut root, &red(180, 200));
    let cells_shown = |buffer: &Buffer| {
        buffer.content().iter().filter(|cell| cell.symbol() == IMAGE_CELL).count()
    };
    let shown = cells_shown(&drawn(&state, &mut root, &red(180, 200)));
    let places = root.images.places();
    let [place] = places.as_slice() else { panic!("{places:?}") };
    assert_eq!((place.cells, place.above), ((20, 10), 0));
    assert_eq!((place.area.width, place.area.height), place.cells);
    assert_eq!(shown, 20 * 10);
    root.handle_input(&Input::Key(Key::plain(Code::Char('?'))), &state);
    let covered = cells_shown(&drawn(&state, &mut root, &red(180, 200)));
    assert!(covered < shown, "help lies over a part of it");
}

#[test]
fn an_answer_that_is_text_has_no_parts() {
    let mut bench = bench(ScreenId::Invoke, (120, 36));
    bench.keys("f6");
    bench.happens([
        (5, EventKind::Chunk { text: "words".into(), bytes: 5 }),
        (6, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
    ]);
    bench.clicks("Answer");
    bench.keys("o");
    assert!(bench.shows("text only"), "{}", bench.screen());
    bench.keys("@save-answer");
    assert!(bench.shows("answer, 5 B, into the file:"), "{}", bench.screen());
    bench.keys("enter");
    let saved = bench.effects.iter().find_map(|effect| match effect {
        Effect::SaveParts { parts, path } => Some((parts[0].text.clone(), path.clone())),
        _ => None,
    });
    assert_eq!(saved, Some((Some("words".into()), "1-answer.txt".into())));
}

/// Asks for values of a schema.
fn ask(bench: &mut Workbench, schema: &Value) {
    let kind = Kind::Form { message: "Who are you?".into(), schema: schema.clone() };
    let asked = McpAsked {
        method: "elicitation/create".into(),
        params: json!({"message": "Who are you?", "requestedSchema": schema}),
        kind,
        faults: Vec::new(),
    };
    let waiting = WaitingRequest { server: "sky".into(), asked, faults: Vec::new() };
    bench.send(Message::Answering(AnsweringMessage::Asked(Box::new(WaitingQuestion {
        ask: AskId { turn: SERVERS, number: 1 },
        waiting: Arc::new(waiting),
        arguments: "{}".into(),
        failed: None,
    }))));
    bench.draw();
}

#[test]
fn an_answer_is_sent_against_its_schema_only_as_it_was_warned_of() {
    let mut bench = bench(ScreenId::Waiting, (120, 36));
    let properties = json!({"age": {"type": "integer"}, "name": {"type": "string"}});
    ask(&mut bench, &json!({"type": "object", "properties": properties, "required": ["age"]}));
    let is_sent = |bench: &Workbench| {
        bench.effects.iter().any(|effect| matches!(effect, Effect::Reply { .. }))
    };
    bench.keys("f6");
    assert!(!is_sent(&bench) && bench.shows("send again to answer anyway"), "{}", bench.screen());
    // Another answer, with which the same is wrong.
    bench.keys("down enter");
    bench.types("Ann");
    bench.keys("f6");
    assert!(!is_sent(&bench) && bench.shows("Ann"), "{}", bench.screen());
    // What is typed and is no number isn't sent, which is said.
    bench.clicks("whole number");
    bench.types("x");
    bench.keys("f6");
    assert!(!is_sent(&bench) && bench.shows("would be left out"), "{}", bench.screen());
    bench.keys("f6");
    assert!(is_sent(&bench), "{}", bench.screen());
}

#[test]
fn a_question_with_many_fields_is_laid_out_at_once() {
    let mut bench = bench(ScreenId::Waiting, (120, 36));
    let names: Vec<String> = (1..=12).map(|number| format!("field{number}")).collect();
    let properties: Value =
        names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
    ask(&mut bench, &json!({"type": "object", "properties": properties, "required": ["field12"]}));
    for name in &names {
        assert!(bench.shows(&format!("{name} ")), "{name}\n{}", bench.screen());
    }
    // What is folded by hand stays so.
    bench.clicks("▾ empty");
    assert!(!bench.shows("field7 "), "{}", bench.screen());
}

fn era_side(era: &'static str, tools: usize, answer: &str) -> EraSide {
    let view = EraView {
        greeting: format!("sky 1 speaks the {era} era"),
        version: "x".into(),
        took_ms: 12,
        lists: vec![("tools", vec![json!({}); tools])],
        answer: Some(answer.into()),
    };
    EraSide { era, seen: Ok(view) }
}

#[test]
fn both_eras_of_a_server_are_compared_side_by_side() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = bench(ScreenId::Connections, size);
        bench.effects.clear();
        bench.keys("D");
        bench.types("draw {\"n\": }");
        bench.keys("enter");
        assert!(bench.shows("the arguments aren't JSON"), "{}", bench.screen());
        bench.keys("backspace");
        bench.types("3}");
        bench.keys("enter");
        let compared = bench.effects.iter().find_map(|effect| match effect {
            Effect::CompareEras { connection, call } => {
                Some((connection.name.clone(), call.clone()))
            }
            _ => None,
        });
        let call = Some(("draw".to_owned(), json!({"n": 3})));
        assert_eq!(compared, Some(("sky".to_owned(), call)));
        let row = EraRow {
            kind: "tools",
            name: "late".into(),
            presence: Presence::Second,
            differences: Vec::new(),
        };
        let sides = vec![era_side("legacy", 2, "{\n  1"), era_side("modern", 3, "{\n  2")];
        let comparison = Box::new(EraComparison { sides, rows: vec![row] });
        let message = ConnectionMessage::ErasCompared { connection: "sky".into(), comparison };
        bench.send(Message::Connection(message));
        bench.draw();
        for words in ["sky in both eras", "● legacy: sky 1", "late", "≠ the answers differ"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        bench.keys("end");
        assert!(bench.shows("  1") && bench.shows("│   2"), "{}", bench.screen());
        bench.keys("esc");
        assert!(bench.state.question.is_none());
        let problem = Problem::new(ProblemKind::Refused, "comparing", "it speaks another one");
        let sides = vec![era_side("legacy", 2, "1"), EraSide { era: "modern", seen: Err(problem) }];
        let comparison = Box::new(EraComparison { sides, rows: Vec::new() });
        let message = ConnectionMessage::ErasCompared { connection: "sky".into(), comparison };
        bench.send(Message::Connection(message));
        bench.draw();
        assert!(
            bench.shows("✗ not in the modern era: it speaks another one"),
            "{}",
            bench.screen()
        );
    }
}

#[test]
fn trustgraph_tools_are_made_of_a_servers_tools() {
    let mut bench = bench(ScreenId::Connections, (120, 36));
    bench.keys("@adopt-tools");
    assert!(bench.shows("test the connection (t) first"), "{}", bench.screen());
    bench.keys("esc t");
    let turn = bench.effects.iter().find_map(|effect| match effect {
        Effect::TestConnection { turn, .. } => Some(*turn),
        _ => None,
    });
    let schema = json!({"type": "object", "properties": {"colour": {"type": "string"}}});
    let tools = ["draw", "paint"]
        .map(|name| json!({"name": name, "description": "Makes a picture", "inputSchema": schema}));
    let listed = ListedTools { server: "sky".into(), tools: tools.to_vec(), ..Default::default() };
    bench.send(Message::Connection(ConnectionMessage::Tested {
        turn: turn.expect("it is tested"),
        connection: "sky".into(),
        report: Report::Reached(Box::new(ConnectionReport {
            listed: Some(listed),
            ..ConnectionReport::default()
        })),
    }));
    bench.draw();
    bench.keys("@adopt-tools down space enter");
    for words in ["Make TrustGraph tools of sky", "remote-name", "paint"] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    bench.keys("enter");
    let is_made = |name: &str| {
        let tools = bench.state.catalog.tools.iter();
        tools.filter(|tool| tool.name == name && tool.entry.system == "trustgraph").count() == 1
    };
    assert!(is_made("paint") && !is_made("draw"), "{}", bench.screen());
}

#[test]
fn what_a_server_asks_for_is_typed_when_it_is_added_and_secrets_stay_out_of_files() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = bench(ScreenId::Connections, size);
        let wanted = |title: &str, place, default: &str| WantedValue {
            title: title.into(),
            place,
            default: default.into(),
        };
        let folder = ValuePlace::Text("${input:folder}".into());
        let table = json!({"system": "mcp", "command": "run", "args": ["--in=${input:folder}"], "env-key": {"API_KEY": "notes-API_KEY"}});
        let server = ConfigServer {
            name: "notes".into(),
            about: String::new(),
            version: String::new(),
            shown: "run".into(),
            disabled: false,
            table: Ok(table.as_object().unwrap().clone()),
            notes: Vec::new(),
            wanted: vec![
                wanted("folder", folder, "/tmp"),
                wanted("API_KEY", ValuePlace::KeyStore("notes-API_KEY".into()), ""),
            ],
        };
        let read = ConfigServers { form: "vscode", servers: vec![server], findings: Vec::new() };
        let configs = vec![FoundConfig { path: "/here/.vscode/mcp.json".into(), read }];
        let found = ConnectionMessage::ServersFound { configs, problems: Vec::new() };
        bench.send(Message::Connection(found));
        bench.draw();
        assert!(bench.shows("It asks for API_KEY"), "{}", bench.screen());
        bench.keys("enter");
        assert!(bench.shows("notes · folder") && bench.shows("/tmp"), "{}", bench.screen());
        bench.types("/notes");
        bench.keys("tab");
        bench.types("hunter2");
        assert!(!bench.shows("hunter2"), "{}", bench.screen());
        bench.effects.clear();
        bench.keys("enter");
        let kept = bench.effects.iter().find_map(|effect| match effect {
            Effect::KeepSecret { name, secret } => Some((name.as_str(), secret.0.as_str())),
            _ => None,
        });
        assert_eq!(kept, Some(("notes-API_KEY", "hunter2")));
        assert!(!format!("{:?}", bench.effects).contains("hunter2"));
        let document = bench.state.documents.get(&FileId::new("toolcrib.toml")).unwrap();
        let text = document.text.to_string();
        assert!(text.contains("--in=/tmp/notes") && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn where_there_is_no_key_store_a_secret_is_kept_for_the_session_or_named_as_a_variable() {
    for (typed, kept) in [("hunter2hunter2", true), ("$API_KEY", false)] {
        let mut bench = bench(ScreenId::Connections, (120, 36));
        let table =
            json!({"system": "mcp", "command": "run", "env-key": {"API_KEY": "notes-API_KEY"}});
        let server = ConfigServer {
            name: "notes".into(),
            about: String::new(),
            version: String::new(),
            shown: "run".into(),
            disabled: false,
            table: Ok(table.as_object().unwrap().clone()),
            notes: Vec::new(),
            wanted: vec![WantedValue {
                title: "API_KEY".into(),
                place: ValuePlace::KeyStore("notes-API_KEY".into()),
                default: String::new(),
            }],
        };
        let read = ConfigServers { form: "vscode", servers: vec![server], findings: Vec::new() };
        let configs = vec![FoundConfig { path: "/here/.vscode/mcp.json".into(), read }];
        let connection = |message| Message::Connection(message);
        bench.send(connection(ConnectionMessage::KeyStore { is_there: false }));
        let found = ConnectionMessage::ServersFound { configs, problems: Vec::new() };
        bench.send(connection(found));
        bench.draw();
        bench.keys("enter");
        assert!(bench.shows("There is no key store here"), "{}", bench.screen());
        bench.types(typed);
        bench.effects.clear();
        bench.keys("enter");
        let is_kept = |effect: &Effect| matches!(effect, Effect::KeepSecret { .. });
        assert_eq!(bench.effects.iter().any(is_kept), kept);
        let document = bench.state.documents.get(&FileId::new("toolcrib.toml")).unwrap();
        let text = document.text.to_string();
        assert_eq!(text.contains("\"$API_KEY\""), !kept, "{text}");
        assert_eq!(text.contains("env-key"), kept, "{text}");
        // What came of it stays until a key is pressed, whatever is saved meanwhile.
        let name = "notes-API_KEY".to_owned();
        let in_key_store = Ok(false);
        bench.send(connection(ConnectionMessage::SecretKept { name, in_key_store }));
        bench.send(Message::Notice(NoticeKind::Done, "Saved toolcrib.toml".into()));
        bench.draw();
        assert!(bench.shows("notes-API_KEY is kept until toolcrib ends"), "{}", bench.screen());
    }
}

#[test]
fn a_link_is_read_where_it_is_not_listed() {
    let mut bench = bench(ScreenId::Connections, (120, 36));
    let message =
        ResourceMessage::ReadLink { connection: "sky".into(), uri: "test://hidden".into() };
    bench.send(Message::Resource(message));
    bench.draw();
    assert!(bench.shows("test://hidden") && bench.shows("◐ reading"), "{}", bench.screen());
}

#[test]
fn a_test_shows_what_the_server_says_of_itself() {
    let profile = ServerProfile {
        facts: vec![
            ProfileFact { label: "protocol", words: "2025-06-18, legacy era".into() },
            ProfileFact { label: "offers", words: "tools (listChanged), logging".into() },
        ],
        instructions: Some("Draw first.\nThen \u{1b}[31mlook.".into()),
        findings: vec!["version.downgraded: it answered with an older version".into()],
        json: Value::Null,
    };
    let page = |items| ListedPage { items, took_ms: 3 };
    let timing =
        ListTiming { kind: "tools", pages: vec![page(4), page(1)], ..ListTiming::default() };
    let reached = ConnectionReport {
        profile: Some(profile),
        timings: vec![timing],
        listed: Some(ListedTools::default()),
        ..ConnectionReport::default()
    };
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = bench(ScreenId::Connections, size);
        bench.keys("t");
        let turn = bench.effects.iter().rev().find_map(|effect| match effect {
            Effect::TestConnection { turn, .. } => Some(*turn),
            _ => None,
        });
        bench.send(Message::Connection(ConnectionMessage::Tested {
            turn: turn.expect("it is tested"),
            connection: "sky".into(),
            report: Report::Reached(Box::new(reached.clone())),
        }));
        bench.draw();
        if size.0 < 100 {
            bench.clicks("Test");
        }
        for words in [
            "version.downgraded",
            "2025-06-18, legacy era",
            "tools (listChanged), logging",
            "tools 5 in 2 pages",
            "Draw first.",
            "look.",
        ] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        assert!(!bench.screen().contains('\u{1b}'));
    }
}

#[test]
fn how_far_a_call_is_is_a_bar_until_it_is_answered() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = bench(ScreenId::Invoke, size);
        bench.keys("f6");
        let progress = |words: &str| {
            let (name, body) = ("progress".into(), "".into());
            EventKind::Stage(Stage { name, words: words.into(), body, frame: None })
        };
        bench.happens([(1_000, progress("1 of 4: begun")), (2_000, progress("3 of 4: drawing"))]);
        for words in ["██", "░ 3 of 4 · 75 % · 1.5/s", "drawing"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        bench.happens([
            (2_100, EventKind::Chunk { text: "done".into(), bytes: 4 }),
            (2_100, EventKind::End { outcome: Outcome::Succeeded, problem: None }),
        ]);
        assert!(!bench.shows("75 %"), "{}", bench.screen());
    }
}

#[test]
fn a_tool_that_names_no_arguments_has_no_field_that_must_be_filled_in() {
    let bench = bench(ScreenId::Invoke, (120, 36));
    assert!(!bench.shows("value *") && !bench.shows("arguments *"), "{}", bench.screen());
    assert!(bench.shows("arguments"), "{}", bench.screen());
}

#[test]
fn esc_leads_from_the_arguments_and_from_the_answer_back_to_the_tools() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = bench(ScreenId::Invoke, size);
        for pane in ["", "tab"] {
            bench.keys(pane);
            assert!(!bench.shows("Enter arguments"), "{}", bench.screen());
            bench.keys("esc");
            assert!(bench.shows("Enter arguments"), "{}", bench.screen());
            bench.keys("enter");
        }
    }
}

#[test]
fn what_a_command_does_is_read_in_full_at_80_columns() {
    let mut bench = bench(ScreenId::Invoke, (80, 24));
    bench.keys("ctrl+p");
    bench.types("send frame");
    assert!(
        bench.shows("Edit a frame and send it to the MCP server")
            || bench.shows("exactly as written, valid or not"),
        "{}",
        bench.screen()
    );
}

/// A kept list with a tool whose schema has nested values.
fn schema_bench(width: u16, height: u16) -> Workbench {
    let schema = json!({
        "type": "object", "required": ["who"],
        "properties": {
            "who": {"type": "object", "properties": {"id": {"type": "string"}, "level": {"enum": ["gold", 7, null]}}},
            "count": {"type": "integer", "default": null}
        }
    });
    let tool = json!({"name": "order", "description": "Orders", "inputSchema": schema});
    let kept = json!({"server": "sky", "version": "2025-11-25", "tools": [tool]});
    let kept = serde_json::to_string_pretty(&kept).unwrap();
    let files = [("mcp/sky.json", &*kept), ("toolcrib.toml", SETTINGS)];
    Workbench::files(&files, width, height).on(ScreenId::Tools)
}

#[test]
fn the_schema_of_the_arguments_is_built_in_fields() {
    let mut bench = schema_bench(120, 50);
    bench.clicks("properties");
    bench.clicks("▸ 2 entries");
    bench.clicks("▸ object");
    for field in ["who", "count", "whole number", "required", "[who ×]"] {
        assert!(bench.shows(field), "{field}\n{}", bench.screen());
    }
    // What no kind of value fits is edited as it is, and is no error.
    assert!(!bench.shows("✗"), "{}", bench.screen());
    // The names of the properties that are there are offered, nested ones too.
    bench.clicks("+ add entry");
    bench.types("days");
    bench.keys("enter");
    let file = FileId::new("mcp/sky.json");
    let text = bench.state.documents.get(&file).unwrap().text.to_string();
    let value: Value = serde_json::from_str(&text).unwrap();
    let made = &value["tools"][0]["inputSchema"]["properties"]["days"];
    assert_eq!(made, &json!({"type": "string"}), "{text}");
}

#[test]
fn text_that_is_no_value_is_asked_about_before_it_is_lost() {
    let mut bench = schema_bench(120, 50);
    bench.clicks("inputSchema");
    bench.keys("alt+j");
    bench.keys("ctrl+a");
    bench.types("{\"type\": ");
    bench.keys("esc");
    assert!(bench.shows("is not JSON"), "{}", bench.screen());
    bench.keys("q");
    assert!(bench.shows("Input that can't be saved would be lost"), "{}", bench.screen());
    assert!(bench.shows("sky/order: inputSchema is not"), "{}", bench.screen());
    bench.keys("esc");
    // Saving says so too.
    let file = FileId::new("mcp/sky.json");
    let text = bench.state.documents.get(&file).unwrap().text.to_string();
    bench.send(Message::Document(DocumentMessage::Saved { file, text: Some(text.into()) }));
    let said = bench.state.notices.current().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(said.contains("isn't in it: sky/order: inputSchema"), "{said}");
    // Once it is a value again, nothing is asked.
    bench.keys("u q");
    assert!(bench.effects.contains(&Effect::Quit), "{}", bench.screen());
}
