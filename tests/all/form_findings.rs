//! What is wrong in a form counts everywhere; what is set back is as it was saved; undo, leaving and
//! deleting lead to where one was.

use std::collections::BTreeSet;

use toolcrib::{
    app::{
        documents::Change,
        message::{DocumentMessage, Message},
    },
    model::{
        context::Mode,
        entry::FileId,
        finding::{EntryEdit, Finding, Severity},
    },
    schema::pointer::Pointer,
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{findings, read},
};

use super::support::{place::Place, workbench::Workbench};

const LAMP: &str = "\
tool_name: lamp
description: >
  Turns the lamp on.
  Use it when asked.   # kept
target_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch
after_execution: suspend
parameters: {type: object, properties: {token: {type: string, description: Which}}}
options:
  envs: {token: \"LAMP TOKEN\"}
";

fn found_in(name: &str, text: &str) -> Vec<Finding> {
    let file = FileId::new(name);
    let source = Source::parse(Format::from_path(file.path()).unwrap(), text).unwrap();
    let catalog = read::read_catalog([(&file, &source)], Mode::Document);
    findings::catalog_findings(&catalog, |_| Some(&source))
}

fn text_of(bench: &Workbench, name: &str) -> String {
    bench.state.documents.get(&FileId::new(name)).unwrap().text.to_string()
}

#[test]
fn an_error_that_only_the_form_has_counts_everywhere() {
    let place = Place::with(&[("toolcrib.toml", ""), ("lamp.yaml", LAMP)]);
    let ran = place.run(&["check"]);
    ran.ended(1, &["1 error"]);
    assert!(ran.data.contains("entry.schema"), "{}", ran.data);
    assert!(ran.data.contains("lamp.yaml:9:") && ran.data.contains("envs › token"), "{}", ran.data);
    let good = LAMP.replace("LAMP TOKEN", "LAMP_TOKEN");
    let place = Place::with(&[("toolcrib.toml", ""), ("lamp.yaml", &good)]);
    place.run(&["check"]).ended(0, &["0 errors"]);

    let mut bench = Workbench::files(&[("lamp.yaml", LAMP)], 120, 36);
    assert_eq!(bench.state.findings.error_count(), 1, "{:?}", bench.state.findings);
    bench.keys("tab ]");
    let screen = bench.screen();
    assert_eq!(screen.matches("✗ must be letters,").count(), 1, "once at the field: {screen}");
    assert!(screen.contains("digits and _") && screen.contains("LAMP TOKEN"), "{screen}");
}

#[test]
fn a_fault_that_a_check_names_is_not_found_again() {
    for (name, text) in [
        ("a.yaml", "mcp:\n  m: {url: ''}\n"),
        ("b.yaml", "mcp:\n  m: {remote-name: x}\n  n: {url: 'localhost:9000'}\n"),
        ("c.yaml", "tool-service:\n  s: {config-params: [{required: true}]}\n"),
        (
            "d.yaml",
            "tool:\n  t: {type: tool-service, group: x, arguments: [{}, 1, {name: a, type: strin}]}\n",
        ),
        ("e.yaml", "tool:\n  t: {type: nonsense, name: 1, description: [d]}\n"),
        (
            "f.yaml",
            "tool_name: ''\ntarget_subject: ''\nafter_execution: on\noptions: {suspend_timeout: x, envs: 1}\n",
        ),
        ("g.json", r#"{"type": "DynamicTool", "name": "a", "parameters": {"method": "get"}}"#),
        (
            "h.json",
            r#"{"name": "x", "configuration": {}, "icon": "no", "isEnabled": "yes", "selectionPolicy": 1}"#,
        ),
    ] {
        let found = found_in(name, text);
        let (of_schema, others): (Vec<_>, Vec<_>) =
            found.iter().partition(|finding| finding.code == "entry.schema");
        assert!(!others.is_empty(), "{name}: {found:#?}");
        assert!(of_schema.is_empty(), "{name}: {of_schema:#?}\nbeside {others:#?}");
    }
    let found = found_in("a.yaml", "mcp:\n  m: {url: ''}\n");
    let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
    assert_eq!(errors.count(), 1, "{found:#?}");
}

#[test]
fn types_of_arguments_that_are_understood_are_right() {
    let text = "tool:\n  t: {type: prompt, name: t, description: d, template: x, arguments: [{name: a, type: str, description: d}]}\n";
    assert_eq!(found_in("t.yaml", text), []);
}

#[test]
fn a_tool_without_a_description_is_found_in_every_system() {
    for (name, text) in [
        ("t.yaml", "tool:\n  t: {type: text-completion, name: t, description: ''}\n"),
        (
            "c.yaml",
            "tool_name: lamp\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.on\nafter_execution: suspend\n",
        ),
        (
            "o.json",
            r#"{"type": "DynamicTool", "name": "a", "description": "", "parameters": {"method": "GET", "uri": "/_cat/indices"}}"#,
        ),
        (
            "u.json",
            r#"{"name": "x", "isSubAgent": true, "configuration": {"assistantId": "a", "toolDescription": ""}}"#,
        ),
    ] {
        let found = found_in(name, text);
        let codes: BTreeSet<&str> = found.iter().map(|finding| finding.code).collect();
        assert!(codes.contains("identity.no-description"), "{name}: {codes:?}");
    }
}

fn change(bench: &mut Workbench, at: &str, to: &str) {
    make(bench, Edit::Set { at: Pointer::parse(at).unwrap(), to: to.into() });
}

fn make(bench: &mut Workbench, edit: Edit) {
    let entry = bench.state.catalog.tool_called("lamp").unwrap().id().clone();
    let changes = vec![Change::Entry(EntryEdit { entry, edit })];
    let label = "edit".to_owned();
    bench.send(Message::Document(DocumentMessage::Change { label, changes }));
    bench.draw();
}

fn go_to(bench: &mut Workbench, at: &str) {
    let entry = bench.state.catalog.tool_called("lamp").unwrap().id().clone();
    bench.send(Message::Jump(entry, Pointer::parse(at).unwrap()));
    bench.draw();
}

#[test]
fn a_reverted_field_is_byte_for_byte_as_it_was_saved() {
    let mut bench = Workbench::files(&[("lamp.yaml", LAMP)], 120, 36);
    change(&mut bench, "/after_execution", "terminate");
    change(&mut bench, "/description", "Turns it off.\nNow.");
    let edited = text_of(&bench, "lamp.yaml");
    assert!(!edited.contains("description: >\n"), "{edited}");
    go_to(&mut bench, "/description");
    bench.keys("@revert-field");
    let rest = LAMP.replace("after_execution: suspend", "after_execution: terminate");
    assert_eq!(text_of(&bench, "lamp.yaml"), rest, "{}", bench.screen());
    bench.keys("u u");
    assert_eq!(text_of(&bench, "lamp.yaml"), LAMP);
    bench.keys("U U");
    assert_eq!(text_of(&bench, "lamp.yaml"), rest);
}

#[test]
fn what_is_set_back_has_its_quotes_comments_and_place() {
    for (text, at, other) in [
        (
            "tool:\n  lamp:\n    type: 'text-completion'  # t\n    name: lamp\n    description: d\n",
            "/type",
            "prompt",
        ),
        (
            "tool:\n  lamp: {type: \"prompt\", name: lamp, description: 'd',  template: t}\n",
            "/description",
            "e",
        ),
        (
            "tool:\n  lamp:\n    name: lamp\n    description: >-\n      a\n      b\n\n    type: prompt\n",
            "/description",
            "e",
        ),
    ] {
        let mut bench = Workbench::yaml(text, 120, 36);
        change(&mut bench, at, other);
        assert_ne!(text_of(&bench, "tools.yaml"), text);
        go_to(&mut bench, at);
        bench.keys("@revert-field");
        assert_eq!(text_of(&bench, "tools.yaml"), text);
        make(&mut bench, Edit::Remove { at: Pointer::parse(at).unwrap() });
        assert_ne!(text_of(&bench, "tools.yaml"), text);
        bench.keys("@revert-field");
        assert_eq!(text_of(&bench, "tools.yaml"), text, "removed and back: {}", bench.screen());
    }
}

#[test]
fn undo_and_redo_lead_to_the_field_that_they_change() {
    let door = LAMP.replace("lamp", "door");
    let mut bench = Workbench::files(&[("door.yaml", &door), ("lamp.yaml", LAMP)], 120, 36);
    go_to(&mut bench, "/options/envs/token");
    change(&mut bench, "/options/envs/token", "LAMP_TOKEN");
    let is_at_token = |bench: &Workbench| {
        let screen = bench.screen();
        screen.contains("▌    token")
    };
    bench.keys("home");
    assert!(!is_at_token(&bench), "{}", bench.screen());
    bench.keys("u");
    assert!(is_at_token(&bench), "{}", bench.screen());
    bench.keys("home U");
    assert!(is_at_token(&bench), "{}", bench.screen());
    // In the list the keys stay there.
    bench.keys("home shift+tab u up");
    let selected = bench.state.selected.clone().unwrap();
    assert_eq!(selected.file().as_str(), "door.yaml", "{}", bench.screen());
}

const THREE: &str = "\
tool:
  a: {type: text-completion, name: a, description: d}
  b: {type: prompt, name: b, description: e, template: t, arguments: [{name: q, type: string, description: d}]}
  c: {type: text-completion, name: c, description: f}
";

#[test]
fn an_entry_that_is_come_back_to_is_as_it_was_left() {
    let mut bench = Workbench::yaml(THREE, 120, 36);
    let ids: Vec<_> = bench.state.catalog.tools.iter().map(|tool| tool.id().clone()).collect();
    bench.send(Message::Jump(ids[1].clone(), Pointer::parse("/arguments/0/type").unwrap()));
    bench.draw();
    bench.keys("down");
    let before = bench.screen();
    for other in [&ids[0], &ids[2], &ids[1]] {
        bench.send(Message::Select(other.clone()));
        bench.draw();
    }
    assert_eq!(bench.screen(), before);
}

#[test]
fn the_entry_beside_a_deleted_one_is_selected() {
    let mut bench = Workbench::yaml(THREE, 120, 36);
    let selected = |bench: &Workbench| {
        let id = bench.state.selected.as_ref().unwrap();
        bench.state.catalog.entry(id).unwrap().key.clone()
    };
    bench.keys("down");
    assert_eq!(selected(&bench), "b");
    bench.keys("d right enter");
    assert_eq!(selected(&bench), "c", "{}", bench.screen());
    bench.keys("d right enter");
    assert_eq!(selected(&bench), "a", "the last one leaves it to the one above");
    bench.keys("u");
    assert_eq!(selected(&bench), "c");

    let tool = |name: &str| {
        format!(
            r#"{{"name": "{name}", "description": "Does {name}.", "inputSchema": {{"type": "object"}}}}"#
        )
    };
    let tools = ["ask", "pay", "ship"].map(tool).join(",\n  ");
    let list = format!("{{\"server\": \"shop\", \"tools\": [\n  {tools}\n]}}\n");
    let mut bench = Workbench::files(&[("mcp/shop.json", &list)], 120, 36);
    let pay = bench.state.catalog.tools[1].id().clone();
    bench.send(Message::Select(pay));
    bench.draw();
    bench.keys("d right enter");
    assert_eq!(selected(&bench), "shop/ship", "rows of a list move up");
}
