//! What a key pressed by accident, or a word typed in haste, cannot do.

use serde_json::json;
use toolcrib::{
    app::{
        calls::{CallPart, CallText},
        edited_text::EditedText,
        effect::Effect,
        message::{DocumentMessage, Loaded, Message, ScreenId},
        workflow::WorkflowMessage,
    },
    model::{context::Name, entry::FileId, finding::Severity, settings::SETTINGS},
    schema::pointer::Pointer,
    syntax::source::{Format, Source},
    ui::form::{notes::Note, view::FormReply},
};

use crate::{form::Desk, support::workbench::Workbench};

/// The row under the cursor of what lies over the screen.
fn chosen(bench: &Workbench) -> String {
    let screen = bench.screen();
    let row = screen
        .lines()
        .filter_map(|line| line.split_once('▌'))
        .map(|(_, row)| row.trim().to_owned())
        .next_back();
    row.unwrap_or_else(|| panic!("no row is chosen:\n{screen}"))
}

fn sought(bench: &mut Workbench, text: &str) -> String {
    bench.keys("ctrl+p");
    bench.types(text);
    let row = chosen(bench);
    bench.keys("esc");
    row
}

#[test]
fn the_palette_puts_first_what_was_named() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    for (typed, row) in [
        ("send", "send "),
        ("Send", "send "),
        ("push", "push…"),
        ("conn", "Connections"),
        ("theme", "theme"),
        ("n times", "n times…"),
    ] {
        assert!(
            sought(&mut bench, typed).starts_with(row),
            "{typed}: {}",
            sought(&mut bench, typed)
        );
    }
    // What reaches a deployment or deletes is never the first where something else was typed.
    for typed in
        ["tools", "system", "deployment", "entry", "file", "shown first", "hea", "ush", "lear"]
    {
        bench.keys("ctrl+p");
        bench.types(typed);
        let risky = ["push…", "delete", "clear", "remove"];
        let nothing = bench.shows("no match");
        assert!(
            nothing || !risky.iter().any(|act| chosen(&bench).starts_with(act)),
            "{typed}: {}",
            chosen(&bench)
        );
        bench.keys("esc");
    }
}

fn selected(bench: &Workbench) -> String {
    bench
        .state
        .selected
        .as_ref()
        .and_then(|id| bench.state.catalog.entry(id))
        .map(|entry| entry.key.clone())
        .unwrap_or_default()
}

#[test]
fn a_search_in_the_lists_of_tools_finds_the_one_that_is_named() {
    let text = "tool-service:\n  customers: {type: x}\ntool:\n  customer-service-desk: {type: tool-service, service: customers}\n  service: {type: tool-service, service: customers}\n";
    let mut bench = Workbench::yaml(text, 120, 36);
    bench.types("/");
    bench.types("service");
    assert_eq!(selected(&bench), "service", "{}", bench.screen());
    let mut bench = Workbench::yaml(text, 120, 36).on(ScreenId::Invoke);
    bench.keys("shift+tab");
    bench.types("/service");
    assert_eq!(selected(&bench), "service", "{}", bench.screen());
}

#[test]
fn arriving_at_invoke_types_nothing() {
    let mut bench = Workbench::sample("services", 120, 36).on(ScreenId::Invoke);
    let tool = bench.state.catalog.tool_called("tell-joke").unwrap().id().clone();
    bench.send(Message::Select(tool.clone()));
    bench.draw();
    bench.types("abcxyz");
    bench.keys("esc");
    assert_eq!(*bench.state.arguments_of(&tool), serde_json::json!({}), "{}", bench.screen());
    bench.types("2");
    assert_eq!(bench.state.screen, ScreenId::Workflow);
    bench.types("3");
    bench.keys("up down home");
    bench.types("6");
    assert_eq!(
        bench.state.screen,
        ScreenId::Connections,
        "moving between fields does not start typing"
    );
    // Enter types, and so does a press; who types goes on in the next field, and digits are text.
    bench.types("3");
    bench.keys("enter");
    bench.types("a 2");
    assert_eq!(bench.state.arguments_of(&tool)["topic"], "a 2", "{}", bench.screen());
    bench.keys("esc");
    bench.types("1");
    assert_eq!(bench.state.screen, ScreenId::Tools);
    bench.types("3");
    bench.clicks("a 2");
    bench.types("9");
    assert_ne!(bench.state.arguments_of(&tool)["topic"], "a 2", "{}", bench.screen());
    // Whoever leaves while typing, and comes back, does not type.
    bench.send(Message::Show(ScreenId::Tools));
    bench.draw();
    bench.send(Message::Show(ScreenId::Invoke));
    bench.draw();
    bench.types("2");
    assert_eq!(bench.state.screen, ScreenId::Workflow);
}

#[test]
fn typing_replaces_the_arguments_that_a_sample_filled_in() {
    let mut bench = Workbench::sample("services", 120, 36);
    let tool = bench.state.catalog.tool_called("tell-joke").unwrap().id().clone();
    let filled = Source::parse(Format::Json, r#"{"topic": "llamas"}"#).unwrap();
    let text = CallText { tool: tool.clone(), part: CallPart::Arguments };
    bench.state.invoke.texts.insert(text, EditedText::new(filled));
    bench.send(Message::Select(tool.clone()));
    bench.send(Message::Show(ScreenId::Invoke));
    bench.draw();
    bench.keys("enter");
    bench.types("ducks");
    assert_eq!(bench.state.arguments_of(&tool)["topic"], "ducks", "{}", bench.screen());
    // What a user typed is no longer replaced, not even after another tool was looked at.
    bench.keys("esc");
    let other =
        bench.state.catalog.tools.iter().find(|other| *other.id() != tool).unwrap().id().clone();
    for shown in [&other, &tool] {
        bench.send(Message::Select(shown.clone()));
        bench.draw();
    }
    bench.keys("enter");
    bench.types("!");
    assert_eq!(bench.state.arguments_of(&tool)["topic"], "ducks!", "{}", bench.screen());
}

#[test]
fn arriving_at_the_form_of_a_tool_or_a_connection_types_nothing() {
    let mut bench = Workbench::sample("services", 120, 36);
    let before: Vec<_> = bench
        .state
        .documents
        .iter()
        .map(|(file, document)| (file.clone(), document.text.clone()))
        .collect();
    bench.keys("enter");
    bench.types("b");
    bench.keys("down down");
    bench.types("6");
    assert_eq!(bench.state.screen, ScreenId::Connections, "{}", bench.screen());
    bench.keys("enter down");
    bench.types("4");
    assert_eq!(bench.state.screen, ScreenId::Watch, "{}", bench.screen());
    for (file, text) in before {
        assert_eq!(bench.state.documents.get(&file).unwrap().text, text);
    }
}

#[test]
fn a_test_is_of_the_connection_that_was_just_made() {
    let text = "[connections.local]\nservers = \"nats://127.0.0.1:4222\"\n[connections.zoo]\nservers = \"nats://127.0.0.1:4223\"\n";
    let mut bench = Workbench::sample("services", 120, 36);
    bench.send(Message::Document(DocumentMessage::Loaded(vec![(
        FileId::new(SETTINGS),
        Loaded { source: Source::parse(Format::Toml, text), text: text.into(), held: None },
    )])));
    let names = bench.state.documents.iter().map(|(file, _)| file.clone()).collect();
    bench.send(Message::Document(DocumentMessage::LoadEnded {
        names,
        skipped: Vec::new(),
        unread: Vec::new(),
    }));
    let mut bench = bench.on(ScreenId::Connections);
    let tested = |bench: &mut Workbench| {
        bench.effects.clear();
        bench.keys("t");
        bench.effects.iter().find_map(|effect| match effect {
            Effect::TestConnection { connection, .. } => Some(connection.name.clone()),
            _ => None,
        })
    };
    bench.clicks("zoo ");
    bench.keys("n");
    bench.types("far wss://far:8888");
    bench.keys("enter");
    bench.draw();
    assert_eq!(tested(&mut bench).as_deref(), Some("far"), "{}", bench.screen());
    bench.clicks("zoo ");
    assert_eq!(tested(&mut bench).as_deref(), Some("zoo"), "{}", bench.screen());
    bench.keys("up");
    assert_ne!(tested(&mut bench).as_deref(), Some("zoo"), "{}", bench.screen());
}

#[test]
fn the_smallest_change_shows_its_lines_before_it_writes() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    let groups = ["read-only", "knowledge"].map(Name::from);
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(groups.into()))));
    let mut bench = bench.on(ScreenId::Workflow);
    let text = |bench: &Workbench| -> Vec<_> {
        bench.state.documents.iter().map(|(_, document)| document.text.clone()).collect()
    };
    let before = text(&bench);
    bench.keys("end right right right right right right F");
    assert_eq!(text(&bench), before, "nothing is written yet: {}", bench.screen());
    assert!(bench.shows("Show reset-workflow") && bench.shows("+ "), "{}", bench.screen());
    bench.keys("esc");
    assert_eq!(text(&bench), before);
    bench.keys("F enter");
    assert_ne!(text(&bench), before, "{}", bench.screen());
    bench.keys("u");
    assert_eq!(text(&bench), before);
}

#[test]
fn a_finding_is_wrapped_where_its_field_has_no_focus_too() {
    let schema = serde_json::json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let mut desk = Desk::new(schema, serde_json::json!({"a": "x", "b": "y"}));
    let text = "This is long enough to need a second line of the form, and all of it is there to be read to the very end.";
    for severity in [Severity::Note, Severity::Warning, Severity::Error] {
        desk.form.set_notes(vec![Note {
            at: Pointer::parse("/b").unwrap(),
            severity,
            text: text.into(),
            fix: None,
        }]);
        let screen = desk.screen();
        assert!(screen.contains("to the very end."), "{severity:?}: {screen}");
    }
}

#[test]
fn a_letter_in_edit_where_no_text_goes_says_why_and_a_press_there_leads_to_nav() {
    let schema = json!({"properties": {
        "name": {"type": "string"}, "rows": {"type": "array", "items": {"type": "string"}},
        "shape": {"type": "object", "properties": {"width": {"type": "integer"}}}}});
    let mut desk = Desk::new(schema, json!({"shape": {"width": 3}}));
    desk.clicks("name");
    assert!(desk.form.is_typing());
    desk.goes("/shape");
    assert!(desk.form.is_typing());
    match desk.keys("q") {
        FormReply::Refused(why) => assert!(why.contains("takes no text"), "{why}"),
        other => panic!("{other:?}"),
    }
    desk.clicks("shape");
    assert!(!desk.form.is_typing());
    assert_eq!(desk.keys("q"), FormReply::Ignored);
    assert_eq!(*desk.value, json!({"shape": {"width": 3}}));
}

#[test]
fn a_digit_on_a_number_is_its_own_and_leads_to_no_other_screen() {
    let tools = "\
tool:
  roll: {type: tool-service, name: roll, description: Rolls, service: dice, arguments: [{name: sides, type: number, description: How many}]}
tool-service:
  dice: {id: dice, request-queue: 'non-persistent://tg/request/dice', response-queue: 'non-persistent://tg/response/dice'}
";
    let mut bench = Workbench::files(&[("tools.yaml", tools)], 120, 36).on(ScreenId::Invoke);
    assert!(bench.shows("0-9 type a number"), "{}", bench.screen());
    bench.keys("2 0 esc");
    assert_eq!(bench.state.screen, ScreenId::Invoke, "{}", bench.screen());
    let tool = bench.state.selected.clone().unwrap();
    assert_eq!(*bench.state.arguments_of(&tool), json!({"sides": 20}));
    // Beside it, a digit shows its screen.
    bench.keys("tab 2");
    assert_eq!(bench.state.screen, ScreenId::Workflow, "{}", bench.screen());
}
