//! What a server has to read, on the screen: listed, filled in with what the server suggests, read,
//! saved and opened.

use serde_json::{Value, json};
use toolcrib::{
    app::{
        connection_test::{ConnectionReport, Report},
        effect::Effect,
        message::{ConnectionMessage, DocumentMessage, Loaded, Message, ScreenId},
        resources::{ItemId, ResourceMessage},
    },
    model::{
        content_part::ContentPart,
        entry::FileId,
        problem::{Problem, ProblemKind},
        server_item::{ItemContent, ItemKind, ServerItem},
        settings::SETTINGS,
    },
    syntax::source::{Format, Source},
    systems::facets::kept_tools::ListedTools,
    ui::images::ImageWay,
};

use super::mcp_screens::{drawn, red, red_cells};
use crate::support::workbench::{self, Workbench};

const TEXT: &str = "[connections.files]\nsystem = \"mcp\"\ncommand = \"server\"\n";

/// A server that was tested and has these, shown on the screen.
fn opened(width: u16, height: u16, items: Vec<ServerItem>) -> Workbench {
    let mut bench = Workbench::sample("services", width, height);
    let loaded =
        Loaded { source: Source::parse(Format::Toml, TEXT), text: TEXT.into(), held: None };
    bench.send(Message::Document(DocumentMessage::Loaded(vec![(FileId::new(SETTINGS), loaded)])));
    let names = bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
    bench.send(Message::Document(DocumentMessage::LoadEnded {
        names,
        skipped: Vec::new(),
        unread: Vec::new(),
    }));
    let mut bench = bench.on(ScreenId::Connections);
    bench.clicks("files ");
    bench.effects.clear();
    bench.keys("o");
    assert_eq!(bench.state.screen, ScreenId::Resources);
    let tested = bench.effects.iter().find_map(|effect| match effect {
        Effect::TestConnection { turn, .. } => Some(*turn),
        _ => None,
    });
    let reached = ConnectionReport {
        listed: Some(ListedTools::default()),
        items,
        list_faults: vec!["prompts: page.loop: the same cursor came twice".into()],
        tool_faults: vec!["draw: input.missing: has no schema".into()],
        ..ConnectionReport::default()
    };
    bench.send(Message::Connection(ConnectionMessage::Tested {
        turn: tested.expect("the server is asked what it has"),
        connection: "files".into(),
        report: Report::Reached(Box::new(reached)),
    }));
    bench.draw();
    bench
}

fn item(kind: ItemKind, id: &str, arguments: Option<Value>) -> ServerItem {
    let mut item = ServerItem::linked(id.to_owned());
    (item.kind, item.arguments) = (kind, arguments);
    item
}

fn some_items() -> Vec<ServerItem> {
    let who = json!({"type": "object", "required": ["who"],
        "properties": {"who": {"type": "string"}, "how": {"type": "string"}}});
    vec![
        ServerItem {
            mime: Some("text/markdown".into()),
            description: "All notes".into(),
            ..item(ItemKind::Resource, "test://notes", None)
        },
        item(ItemKind::Resource, "test://dot", None),
        item(ItemKind::Prompt, "greet", Some(who)),
    ]
}

fn answer(bench: &mut Workbench, content: ItemContent) {
    end_reading(bench, Ok(content));
}

fn end_reading(bench: &mut Workbench, read: Result<ItemContent, Problem>) {
    let asked = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::ReadItem { turn, item, .. } => Some((*turn, item.clone())),
        _ => None,
    });
    let (turn, item) = asked.expect("it is read");
    let read = Box::new(read);
    bench.send(Message::Resource(ResourceMessage::WasRead { turn, item, read }));
    bench.draw();
}

fn text_part(mime: &str, text: &str) -> ContentPart {
    ContentPart {
        kind: "text".into(),
        mime: Some(mime.into()),
        text: Some(text.into()),
        ..ContentPart::default()
    }
}

#[test]
fn resources_are_listed_and_read_as_markdown_and_as_json() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut bench = opened(width, height, some_items());
        for words in ["Resources 2", "Prompts 1", "test://notes", "greet", "2 arguments"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        assert!(bench.shows("⚠ prompts: page.loop"), "{}", bench.screen());
        bench.keys("enter");
        assert!(bench.shows("◐ reading"), "{}", bench.screen());
        let content = ItemContent {
            parts: vec![text_part("text/markdown", "# Head\n\n**bold** words")],
            result: json!({"contents": [{"text": "# Head"}]}),
            faults: vec!["resource.no-uri at /contents/0/uri".into()],
            ..ItemContent::default()
        };
        answer(&mut bench, content);
        for words in ["⚠ resource.no-uri", "Head", "bold words", "text text/markdown, 22 B"] {
            assert!(bench.shows(words), "{words}\n{}", bench.screen());
        }
        assert!(!bench.shows("**bold**"), "{}", bench.screen());
        bench.keys("v");
        assert!(bench.shows("\"contents\": ["), "{}", bench.screen());
        bench.keys("y");
        assert!(bench.state.clip.contains("\"text\": \"# Head\""), "{}", bench.state.clip);
    }
}

#[test]
fn resources_and_prompts_are_found_as_one_types() {
    let many = (0..300).map(|number| ServerItem {
        description: format!("All about subject {number}"),
        ..item(ItemKind::Resource, &format!("test://docs/{number:03}"), None)
    });
    let prompt = item(ItemKind::Prompt, "greet", Some(json!({"type": "object"})));
    for (width, height) in [(80, 24), (120, 36)] {
        let items = many.clone().chain([prompt.clone()]).collect();
        let mut bench = opened(width, height, items);
        bench.keys("/");
        bench.types("subject 217");
        assert!(bench.shows("1 found") && bench.shows("docs/217"), "{}", bench.screen());
        bench.keys("esc /");
        bench.types("blob");
        assert!(bench.shows("no match") && bench.shows("0 found"), "{}", bench.screen());
        bench.keys("ctrl+u");
        bench.types("greet");
        let chosen = |bench: &Workbench| bench.state.network.resources.chosen.clone().unwrap().id;
        assert_eq!(chosen(&bench), "greet");
        bench.keys("backspace backspace backspace backspace backspace");
        bench.types("docs/29");
        bench.keys("down enter");
        assert!(bench.shows("/ docs/29") && !bench.shows("docs/001"), "{}", bench.screen());
        assert!(width < 100 || bench.shows("Esc all"), "{}", bench.screen());
        assert_eq!(chosen(&bench), "test://docs/291");
        bench.effects.clear();
        bench.keys("enter");
        assert!(matches!(bench.effects.last(), Some(Effect::ReadItem { .. })));
        bench.keys(if width < 100 { "esc esc" } else { "esc" });
        assert!(bench.shows("test://docs/290") && !bench.shows("/ docs/29"), "{}", bench.screen());
    }
}

#[test]
fn a_text_is_found_in_the_content() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut bench = opened(width, height, some_items());
        bench.keys("enter");
        let text: String = (0..200)
            .map(|line| {
                if line % 60 == 50 {
                    format!("a Blob in {line}\n")
                } else {
                    format!("line {line}\n")
                }
            })
            .collect();
        let parts = vec![text_part("text/plain", &text)];
        answer(&mut bench, ItemContent { parts, ..ItemContent::default() });
        if width >= 100 {
            bench.keys("tab tab");
        }
        bench.keys("/");
        bench.types("blob");
        assert!(bench.shows("1 of 3") && bench.shows("a Blob in 50"), "{}", bench.screen());
        assert!(width < 100 || bench.shows("Enter next  ↑ previous"), "{}", bench.screen());
        bench.keys("enter");
        assert!(bench.shows("2 of 3") && bench.shows("a Blob in 110"), "{}", bench.screen());
        bench.keys("up up");
        assert!(bench.shows("3 of 3") && bench.shows("a Blob in 170"), "{}", bench.screen());
        bench.types("s");
        assert!(bench.shows("not found"), "{}", bench.screen());
        bench.keys("backspace esc");
        assert!(!bench.shows("of 3"), "{}", bench.screen());
        // What was looked for is there again.
        bench.keys("/ enter");
        assert!(bench.shows("of 3"), "{}", bench.screen());
        // Where it can't be read again, nothing is looked for.
        bench.keys("f6");
        end_reading(&mut bench, Err(Problem::new(ProblemKind::Refused, "reading", "it is gone")));
        bench.keys("6");
        assert_eq!(bench.state.screen, ScreenId::Connections, "{}", bench.screen());
    }
}

#[test]
fn connections_says_what_a_server_has_and_what_is_wrong_with_it() {
    let mut bench = opened(200, 60, some_items()).on(ScreenId::Connections);
    for words in ["2 resources, 1 prompt", "⚠ prompts: page.loop", "⚠ draw: input.missing"] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    bench.keys("o");
    assert!(bench.shows("test://notes"), "{}", bench.screen());
}

#[test]
fn a_prompt_is_filled_in_with_what_the_server_suggests() {
    let mut bench = opened(120, 36, some_items());
    bench.keys("end");
    let suggested = |bench: &mut Workbench, argument: &str, typed: &str, values: &[&str]| {
        let asked = bench.effects.iter().rev().find_map(|effect| match effect {
            Effect::SuggestValues { turn, request, argument: of, .. } if of == argument => {
                let now = request.arguments.get(argument).and_then(Value::as_str);
                (now.unwrap_or_default() == typed).then_some(*turn)
            }
            _ => None,
        });
        bench.send(Message::Resource(ResourceMessage::Suggested {
            turn: asked.expect("the server is asked for what suits"),
            item: Box::new(bench.state.network.resources.chosen.clone().unwrap()),
            argument: argument.into(),
            values: values.iter().map(ToString::to_string).collect(),
        }));
        bench.draw();
    };
    suggested(&mut bench, "who", "", &["Ann", "Anton", "Bob"]);
    // What must be given is gone to before anything is read.
    bench.effects.clear();
    bench.keys("f6");
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::ReadItem { .. })));
    bench.keys("enter");
    for words in ["Ann ", "Anton", "Bob"] {
        assert!(bench.shows(words), "{words}\n{}", bench.screen());
    }
    // What comes while one types is offered at once.
    bench.types("Z");
    suggested(&mut bench, "who", "Z", &["Zoe"]);
    assert!(bench.shows("Zoe") && !bench.shows("Anton"), "{}", bench.screen());
    // What suits one argument may depend on another one.
    suggested(&mut bench, "how", "", &["warmly"]);
    bench.keys("enter");
    bench.keys("f6");
    let sent = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::ReadItem { request, .. } => Some(request.clone()),
        _ => None,
    });
    assert_eq!(Value::from(sent.unwrap().arguments), json!({"who": "Zoe"}));
    bench.keys("esc u");
    assert!(!bench.shows("Zoe"), "{}", bench.screen());
}

#[test]
fn an_image_is_drawn_below_what_is_said_of_it_and_what_follows_comes_after_it() {
    let mut bench = opened(120, 36, some_items());
    bench.keys("down enter f6");
    let image = ContentPart {
        source: "test://dot".into(),
        kind: "blob".into(),
        mime: Some("image/png".into()),
        bytes: Some((*b"hi").into()),
        ..ContentPart::default()
    };
    let parts = vec![image, text_part("text/plain", "the last words")];
    answer(&mut bench, ItemContent { parts, ..ItemContent::default() });
    assert!(bench.shows("the last words") && !bench.shows("pixels"), "{}", bench.screen());
    let (state, mut root) = bench.into_parts();
    root.images.show(ImageWay::HalfBlocks { is_indexed: false });
    let before = workbench::text(&drawn(&state, &mut root, &red(20, 20)));
    assert!(before.contains("reading …"), "{before}");
    let shown = drawn(&state, &mut root, &red(20, 20));
    let text = workbench::text(&shown);
    assert_eq!(red_cells(&shown), 20 * 10, "{text}");
    let line = |words: &str| text.lines().position(|line| line.contains(words)).unwrap();
    assert_eq!(line("the last words") - line("20 × 20 pixels"), 13, "{text}");
}

#[test]
fn bytes_are_named_saved_and_opened_when_asked_and_links_are_followed() {
    let mut bench = opened(120, 36, some_items());
    bench.keys("down enter");
    let image = ContentPart {
        source: "test://dot".into(),
        kind: "blob".into(),
        mime: Some("image/png".into()),
        bytes: Some((*b"hi").into()),
        ..ContentPart::default()
    };
    let link = ContentPart {
        kind: "link".into(),
        link: Some("test://more".into()),
        text: Some("more\ntest://more".into()),
        ..ContentPart::default()
    };
    bench.effects.clear();
    bench.keys("f6");
    answer(&mut bench, ItemContent { parts: vec![image.clone(), link], ..ItemContent::default() });
    assert!(bench.shows("blob image/png, 2 B"), "{}", bench.screen());
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::OpenPart(_))));
    bench.keys("o");
    assert_eq!(bench.effects.last(), Some(&Effect::OpenPart(Box::new(image.clone()))));
    bench.keys("s");
    assert!(bench.shows("1-dot.png"), "{}", bench.screen());
    bench.keys("enter");
    let saved = bench.effects.last();
    assert!(
        matches!(saved, Some(Effect::SaveParts { parts, path }) if path == "1-dot.png" && parts[0] == image),
        "{saved:?}"
    );
    bench.keys("@follow-link");
    bench.clicks("Read test://more");
    assert!(bench.shows("Resources 3"), "{}", bench.screen());
    let linked = bench.state.network.resources.chosen.clone().unwrap();
    assert_eq!(linked.id, "test://more");
    let read = bench.effects.last();
    assert!(matches!(read, Some(Effect::ReadItem { item, .. }) if *item == linked), "{read:?}");
}

#[test]
fn a_resource_is_followed_until_it_is_no_longer() {
    let mut bench = opened(120, 36, some_items());
    bench.effects.clear();
    bench.keys("f");
    let followed = bench.effects.iter().find_map(|effect| match effect {
        Effect::FollowItem { item, request, .. } => Some((item.clone(), request.id.clone())),
        _ => None,
    });
    let (item, id) = followed.expect("it is followed");
    assert_eq!(id, "test://notes");
    let said = |text: &str| ItemContent {
        parts: vec![text_part("text/plain", text)],
        ..ItemContent::default()
    };
    answer(&mut bench, said("first words"));
    assert!(bench.shows("followed, 0 changes"), "{}", bench.screen());
    bench.send(Message::Resource(ResourceMessage::Updated(item.clone())));
    bench.draw();
    // What is shown stays until it is read again.
    assert!(bench.shows("first words") && bench.shows("followed, 1 change "), "{}", bench.screen());
    answer(&mut bench, said("other words"));
    assert!(bench.shows("other words"), "{}", bench.screen());
    bench.effects.clear();
    bench.keys("f");
    assert_eq!(bench.effects, [Effect::UnfollowItem(item.clone())]);
    assert!(!bench.shows("followed"), "{}", bench.screen());
    // What still comes counts no more.
    bench.send(Message::Resource(ResourceMessage::Updated(item.clone())));
    let cause = "the server does not say when its resources change";
    let problem = || Box::new(Problem::new(ProblemKind::Input, "following test://notes", cause));
    let ended =
        |item: &ItemId| ResourceMessage::FollowEnded { item: item.clone(), problem: problem() };
    bench.send(Message::Resource(ended(&item)));
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::ReadItem { .. })));
    assert!(!bench.shows(cause), "{}", bench.screen());
    bench.keys("f");
    bench.send(Message::Resource(ended(&item)));
    bench.draw();
    assert!(bench.shows("does not say when") && !bench.shows("followed"), "{}", bench.screen());
}

#[test]
fn a_prompt_cannot_be_followed() {
    let mut bench = opened(120, 36, some_items());
    bench.clicks("greet");
    bench.effects.clear();
    bench.keys("f");
    assert!(bench.shows("prompts can't be followed"), "{}", bench.screen());
    assert_eq!(bench.effects, []);
}
