//! The Tools screen as it is used: keys and mouse in, the screen and the files out.

use std::sync::Arc;

use serde_json::json;
use toolcrib::{
    app::{
        calls::{CallMessage, CallPart, CallText},
        documents::Change,
        effect::Effect,
        input::Input,
        message::{DocumentMessage, Message, ScreenId},
        workflow::WorkflowMessage,
    },
    model::{call::Outcome, entry::FileId},
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

use super::support::workbench::Workbench;

#[test]
fn it_looks_as_it_should_at_two_sizes() {
    for (width, height) in [(80, 24), (120, 36)] {
        let mut bench = Workbench::sample("spec-workflow", width, height);
        insta::assert_snapshot!(format!("tools {width}x{height} catalog"), bench.styled());
        bench.keys("tab");
        insta::assert_snapshot!(format!("tools {width}x{height} form"), bench.styled());
        bench.keys("ctrl+p");
        insta::assert_snapshot!(format!("tools {width}x{height} palette"), bench.styled());
    }
}

fn tools_of(bench: &Workbench) -> String {
    bench.state.documents.get(&FileId::new("tools.yaml")).unwrap().text.to_string()
}

fn saved(bench: &Workbench) -> Vec<String> {
    let text = |effect: &Effect| match effect {
        Effect::Save { text, .. } => text.as_ref().map(ToString::to_string),
        _ => None,
    };
    bench.effects.iter().filter_map(text).collect()
}

/// A server's list of three tools, the last of which only staff may have.
fn servers_tools() -> Workbench {
    let tool = |name: &str| {
        format!(
            r#"{{"name": "{name}", "description": "Does {name}.", "inputSchema": {{"type": "object"}}}}"#
        )
    };
    let tools = ["ask", "pay", "ship"].map(tool).join(",\n  ");
    let list = format!("{{\"server\": \"shop\", \"tools\": [\n  {tools}\n]}}\n");
    let settings = "[mcp.shop.tools.ship]\ngroups = [\"staff\"]\n";
    Workbench::files(&[("mcp/shop.json", &list), ("toolcrib.toml", settings)], 120, 36)
}

fn keys_of(bench: &Workbench) -> Vec<&str> {
    bench.state.catalog.tools.iter().map(|tool| &*tool.entry.key).collect()
}

fn selected_key(bench: &Workbench) -> &str {
    let selected = bench.state.selected.as_ref().unwrap();
    &bench.state.catalog.entry(selected).unwrap().key
}

#[test]
fn a_tool_that_is_added_to_a_list_is_the_one_to_go_on_with() {
    let mut bench = servers_tools();
    bench.keys("home c");
    bench.types("ask-2");
    bench.keys("enter");
    assert_eq!(keys_of(&bench), ["shop/ask", "shop/pay", "shop/ship", "shop/ask-2"]);
    assert_eq!(selected_key(&bench), "shop/ask-2", "{}", bench.screen());
    // It alone waits to be saved.
    assert!(bench.shows("shop/ask-2*"), "{}", bench.screen());
    assert!(!bench.shows("shop/ask*") && !bench.shows("shop/ship*"), "{}", bench.screen());
}

#[test]
fn a_copy_has_the_groups_and_states_of_its_tool() {
    let mut bench = servers_tools();
    let ship = bench.state.catalog.tool_called("shop/ship").unwrap().id().clone();
    bench.state.selected = Some(ship);
    bench.draw();
    bench.keys("c");
    bench.types("send");
    bench.keys("enter");
    let copy = bench.state.catalog.tool_called("shop/send").unwrap();
    let ship = bench.state.catalog.tool_called("shop/ship").unwrap();
    assert_eq!(copy.gate, ship.gate);
}

#[test]
fn a_tool_that_moves_up_in_its_list_is_compared_with_itself_on_disk() {
    let mut bench = servers_tools();
    bench.keys("home");
    assert_eq!(selected_key(&bench), "shop/ask");
    bench.keys("d right enter");
    assert_eq!(keys_of(&bench), ["shop/pay", "shop/ship"], "{}", bench.screen());
    assert!(!bench.shows("shop/pay*"), "{}", bench.screen());
    bench.keys("home tab");
    assert!(bench.shows("Does pay."), "{}", bench.screen());
    assert!(!bench.shows("was \"") && !bench.shows("Does ask."), "{}", bench.screen());
}

#[test]
fn a_tool_far_from_its_row_on_disk_is_not_compared_with_another() {
    let list = |rows: std::ops::Range<usize>| {
        let tool = |row| {
            format!(
                r#"{{"name": "t{row}", "description": "Does {row}.", "inputSchema": {{"type": "object"}}}}"#
            )
        };
        let tools: Vec<String> = rows.map(tool).collect();
        format!("{{\"server\": \"shop\", \"tools\": [\n  {}\n]}}\n", tools.join(",\n  "))
    };
    let (all, left) = (list(0..200), list(100..200));
    let mut bench = Workbench::files(&[("mcp/shop.json", &all)], 120, 36);
    let file = FileId::new("mcp/shop.json");
    let changes = vec![Change::Text { file, text: left.as_str().into() }];
    bench.send(Message::Document(DocumentMessage::Change { label: "cut".into(), changes }));
    let id = bench.state.catalog.tool_called("shop/t150").unwrap().id().clone();
    bench.send(Message::Select(id));
    bench.draw();
    bench.keys("tab");
    assert!(bench.shows("Does 150."), "{}", bench.screen());
    assert!(!bench.shows("was \"") && !bench.shows("Does 50."), "{}", bench.screen());
}

#[test]
fn a_tool_whose_gate_alone_is_unsaved_is_marked() {
    let mut bench = servers_tools();
    assert!(!bench.shows("shop/ship*"), "{}", bench.screen());
    let at =
        Pointer::root().child("mcp").child("shop").child("tools").child("ship").child("groups");
    let edit = Edit::Set { at, to: json!(["boss"]).into() };
    let changes = vec![Change::File { file: FileId::new("toolcrib.toml"), document: 0, edit }];
    bench.send(Message::Document(DocumentMessage::Change { label: "gate".into(), changes }));
    bench.draw();
    assert!(bench.shows("shop/ship*") && !bench.shows("shop/pay*"), "{}", bench.screen());
}

#[test]
fn a_tool_of_a_list_that_has_another_name_is_compared_with_its_row_on_disk() {
    let mut bench = servers_tools();
    bench.keys("home down r ctrl+u");
    bench.types("buy");
    bench.keys("enter");
    assert_eq!(keys_of(&bench), ["shop/ask", "shop/buy", "shop/ship"], "{}", bench.screen());
    assert_eq!(selected_key(&bench), "shop/buy");
    bench.keys("tab");
    assert!(bench.shows("was \"pay\""), "{}", bench.screen());
    // A new one has nothing to be compared with, and pushes no other out of its comparison.
    bench.keys("shift+tab home c");
    bench.types("ask-2");
    bench.keys("enter tab");
    assert_eq!(selected_key(&bench), "shop/ask-2");
    assert!(!bench.shows("was \""), "{}", bench.screen());
}

#[test]
fn one_field_edited_by_keys_changes_one_line_of_the_file() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    let before = tools_of(&bench);
    bench.keys("tab enter");
    bench.types("!");
    bench.keys("esc");
    assert!(bench.screen().contains("▌"), "the changed line is marked");
    bench.keys("ctrl+s");
    let saved = saved(&bench);
    let changed: Vec<_> =
        saved[0].lines().zip(before.lines()).filter(|(new, old)| new != old).collect();
    assert_eq!(
        changed,
        [("    name: \"Knowledge Graph Query!\"", "    name: \"Knowledge Graph Query\"")]
    );
    bench.keys("u");
    assert_eq!(tools_of(&bench), before);
    bench.keys("ctrl+r");
    assert_eq!(tools_of(&bench), saved[0]);
}

#[test]
fn a_copy_of_a_tool_of_a_space_is_named_after_the_tool() {
    let mut bench = Workbench::sample("unique", 120, 36);
    bench.keys("@duplicate");
    assert!(bench.shows("Weather-2"), "{}", bench.screen());
    bench.keys("enter");
    let keys: Vec<_> = bench.state.catalog.tools.iter().map(|tool| &*tool.entry.key).collect();
    assert!(keys.contains(&"Field service/Weather-2"), "{keys:?}");
    bench.keys("@rename ctrl+a delete");
    bench.types("Rain");
    bench.keys("enter");
    let keys: Vec<_> = bench.state.catalog.tools.iter().map(|tool| &*tool.entry.key).collect();
    assert!(keys.contains(&"Field service/Rain") && keys.len() == 6, "{keys:?}");
}

#[test]
fn a_renamed_tool_has_its_new_key_in_scenarios_and_in_the_run() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    let tool = bench.state.catalog.tool_called("knowledge-query").unwrap().id().clone();
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(vec!["read-only".into()]))));
    bench.send(Message::Workflow(WorkflowMessage::Step { tool, outcome: Outcome::Succeeded }));
    let scenario = |bench: &Workbench| {
        let file = FileId::new("scenarios/progression.yaml");
        bench.state.documents.get(&file).unwrap().text.to_string()
    };
    let before = scenario(&bench);
    bench.keys("r");
    assert!(bench.screen().contains("scenarios/progression.yaml"), "{}", bench.screen());
    bench.keys("ctrl+u");
    bench.types("ask");
    bench.keys("enter");
    assert!(tools_of(&bench).contains("\n  ask:\n"), "{}", bench.screen());
    assert_eq!(
        scenario(&bench),
        before.replace("tool: knowledge-query", "tool: ask").replace("[knowledge-query]", "[ask]")
    );
    assert_eq!(&*bench.state.workflow.simulation.steps().next().unwrap().1.tool, "ask");
    bench.keys("u");
    assert_eq!(scenario(&bench), before);
    assert_eq!(&*bench.state.workflow.simulation.steps().next().unwrap().1.tool, "knowledge-query");
}

#[test]
fn a_finding_is_jumped_to_and_mended_with_one_key() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    let count = bench.state.findings.len();
    bench.keys("v v v");
    let row = bench
        .state
        .findings
        .iter()
        .position(|finding| finding.code == "states.never-produced")
        .unwrap();
    bench.keys("shift+tab");
    bench.keys(&"down ".repeat(row));
    bench.keys("F");
    assert!(bench.state.findings.len() < count);
    assert!(!bench.state.findings.iter().any(|finding| finding.message.contains("research")));
}

#[test]
fn the_fix_of_the_tool_is_applied_where_no_list_of_problems_is_shown() {
    let text =
        "tool:\n  a: {type: tool-service, name: a, description: d, service: s, groop: [x]}\n";
    let mut bench = Workbench::files(&[("tools.yaml", text)], 120, 36);
    let has = |bench: &Workbench, code: &str| bench.state.findings.iter().any(|of| of.code == code);
    assert!(has(&bench, "gates.misspelt-key"), "{:?}", bench.state.findings);
    bench.keys("F");
    assert!(bench.shows("Fix") && bench.shows("groop"), "{}", bench.screen());
}

#[test]
fn what_a_rename_changed_is_saved_together() {
    let tool = "tool:\n  a: {type: tool-service, name: a, description: d, service: s}\n";
    let files = [
        ("tools.yaml", tool),
        ("scenarios/x.yaml", "steps:\n- tool: a\n"),
        ("other.yaml", "tool:\n  z: {type: tool-service, name: z, description: d, service: s}\n"),
    ];
    let mut bench = Workbench::files(&files, 120, 36);
    bench.clicks("● a");
    bench.keys("r");
    bench.types("better");
    bench.keys("enter");
    assert!(bench.shows("better"), "{}", bench.screen());
    bench.keys("s");
    let saved = |effect: &Effect| match effect {
        Effect::Save { file, .. } => Some(file.to_string()),
        _ => None,
    };
    let saved: Vec<String> = bench.effects.iter().filter_map(saved).collect();
    assert_eq!(saved, ["scenarios/x.yaml", "tools.yaml"], "{}", bench.screen());
}

#[test]
fn a_tool_is_found_and_chosen_by_typing() {
    let mut bench = Workbench::sample("services", 120, 36);
    bench.keys("/");
    bench.types("qprod");
    bench.keys("enter");
    let chosen = bench.state.selected.clone().unwrap();
    assert_eq!(bench.state.catalog.tool(&chosen).unwrap().name, "query-products");
}

#[test]
fn the_mouse_alone_chooses_edits_and_saves() {
    let mut bench = Workbench::sample("services", 120, 36);
    bench.clicks("calculator");
    bench.clicks("type *");
    assert!(bench.screen().contains("calculator · TrustGraph tool"));
    bench.clicks("+ add");
    bench.types("maths");
    bench.keys("enter esc");
    bench.clicks("save");
    assert!(saved(&bench)[0].contains("\"maths\""), "{:?}", saved(&bench));
}

#[test]
fn a_new_tool_is_a_file_of_its_own_and_undo_takes_it_back() {
    let mut bench = Workbench::sample("services", 120, 36);
    let count = bench.state.catalog.tools.len();
    bench.keys("n enter");
    bench.types("my-tool");
    bench.keys("enter");
    assert_eq!(bench.state.catalog.tools.len(), count + 1);
    assert!(bench.screen().contains("my-tool · TrustGraph tool"));
    bench.keys("esc u");
    assert_eq!(bench.state.catalog.tools.len(), count);
}

#[test]
fn a_renamed_service_is_renamed_in_the_tools_that_use_it() {
    let mut bench = Workbench::sample("services", 120, 36);
    bench.keys("/");
    bench.types("custom-rag");
    bench.keys("enter shift+tab r");
    bench.keys("ctrl+u");
    bench.types("library");
    bench.keys("enter");
    let uses = bench
        .state
        .catalog
        .tools
        .iter()
        .filter(|tool| tool.service.as_deref() == Some("library"))
        .count();
    assert_eq!(uses, 2, "{}", bench.screen());
}

#[test]
fn every_theme_and_no_colour_draw_every_size() {
    for size in [(1, 1), (20, 6), (60, 16), (80, 24), (200, 60), (500, 200)] {
        let mut bench = Workbench::sample("services", size.0, size.1);
        for _ in 0..4 {
            bench.keys("@next-theme down enter tab");
        }
    }
}

#[test]
fn a_form_is_shown_as_the_tool_says_and_its_prompts_beside_it() {
    let mut bench = Workbench::sample("unique", 160, 48);
    let weather = bench.state.catalog.tool_called("Weather").unwrap().id().clone();
    bench.send(Message::Select(weather));
    bench.draw();
    bench.keys("tab");
    bench.clicks("Weather Config");
    bench.keys("right v v");
    assert!(bench.shows("rendering…"), "{}", bench.screen());
    render_model(&mut bench);
    let screen = bench.screen();
    assert!(!screen.contains("rendering…"), "{screen}");
    for part in [
        "Days Ahead",
        "System Prompt",
        "# System prompt (systemPrompt)",
        "Give temperatures in celsius.",
    ] {
        assert!(screen.contains(part), "{part}:\n{screen}");
    }
}

/// Renders what models see as the program does beside the keys: all that was asked for. How often.
fn render_model(bench: &mut Workbench) -> usize {
    let mut count = 0;
    loop {
        let asked =
            std::mem::take(&mut bench.effects).into_iter().find_map(|effect| match effect {
                Effect::RenderModel(goal) => Some(goal),
                _ => None,
            });
        let Some(goal) = asked else { break };
        let (tool, text) = (goal.tool.clone(), goal.render());
        bench.send(Message::Document(DocumentMessage::ModelRendered { tool, text }));
        bench.draw();
        count += 1;
    }
    count
}

/// A tool of a space with so many prompts, each of which takes a good part of the time that there is.
fn with_long_prompts(count: usize) -> Workbench {
    let long = "{% for i in range(30000) %}{% endfor %}Lamps of {{ tool_name }}";
    let prompts: serde_json::Map<_, _> =
        (0..count).map(|row| (format!("part{row}SystemPrompt"), long.into())).collect();
    let space = json!([{
        "name": "Lamp", "displayName": "Lamp", "selectionPolicy": "ByUser",
        "configuration": prompts,
    }]);
    let mut bench = Workbench::files(&[("space.json", &space.to_string())], 160, 48);
    let lamp = bench.state.catalog.tool_called("Lamp").unwrap().id().clone();
    bench.send(Message::Select(lamp));
    bench.draw();
    bench.keys("tab tab v v");
    bench
}

#[test]
fn prompts_are_rendered_beside_the_keys_and_all_of_a_tool_take_no_longer_than_one() {
    let mut bench = with_long_prompts(1);
    assert_eq!(render_model(&mut bench), 1);
    assert!(bench.shows("Lamps of Lamp"), "{}", bench.screen());
    let mut bench = with_long_prompts(8);
    render_model(&mut bench);
    assert!(bench.shows("can't be rendered: line 1: it takes too long"), "{}", bench.screen());
    assert!(!bench.shows("Lamps of Lamp"), "{}", bench.screen());
}

#[test]
fn while_prompts_are_rendered_the_newest_edit_alone_waits_for_the_next() {
    let mut bench = with_long_prompts(1);
    let file = FileId::new("space.json");
    for name in ["Red", "Green", "Blue"] {
        let text = bench.state.documents.get(&file).unwrap().text.to_string();
        let text = text.replace("{{ tool_name }}", &format!("{name} {{{{ tool_name }}}}"));
        let change = Change::Text { file: file.clone(), text: text.into() };
        let (label, changes) = ("edit".to_owned(), vec![change]);
        bench.send(Message::Document(DocumentMessage::Change { label, changes }));
    }
    bench.draw();
    assert_eq!(render_model(&mut bench), 2);
    assert!(bench.shows("Lamps of Red Green Blue Lamp"), "{}", bench.screen());
    bench.clicks("Problems");
    bench.send(Message::Document(DocumentMessage::Undo));
    assert_eq!(render_model(&mut bench), 0, "nobody looks");
    bench.clicks("Model");
    assert_eq!(render_model(&mut bench), 1);
    assert!(bench.shows("Lamps of Red Green Lamp"), "{}", bench.screen());
}

#[test]
fn esc_in_a_text_of_several_lines_leads_back_to_nav() {
    let mut bench = Workbench::sample("demo", 120, 36);
    bench.keys("tab");
    bench.clicks("Ask what customers say");
    bench.types("Please ");
    assert!(bench.shows(" EDIT "), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows(" NAV ") && bench.shows("Please"), "{}", bench.screen());
    bench.keys("j");
    assert!(bench.shows(" NAV "), "{}", bench.screen());
}

#[test]
fn a_renamed_entry_stays_selected_among_others_of_its_file() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    bench.keys("down r ctrl+u");
    bench.types("other");
    bench.keys("enter");
    let selected = bench.state.selected.clone().unwrap();
    assert_eq!(bench.state.catalog.entry(&selected).unwrap().key, "other", "{}", bench.screen());
}

#[test]
fn saving_a_renamed_tool_removes_the_file_that_it_had() {
    let tool = r#"{"type": "knowledge-query", "name": "a", "description": "Asks"}"#;
    let mut bench = Workbench::files(&[("a.json", tool)], 120, 36);
    bench.keys("r ctrl+u");
    bench.types("b");
    bench.keys("enter");
    assert!(bench.shows("s saves"), "{}", bench.screen());
    bench.keys("q");
    assert!(bench.shows("a.json (deleted)"), "{}", bench.screen());
    bench.keys("esc s");
    let saved: Vec<(&str, bool)> = bench
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Save { file, text, .. } => Some((file.as_str(), text.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(saved, [("a.json", false), ("b.json", true)]);
}

#[test]
fn adding_within_an_item_adds_the_next_one() {
    let text = "tool:\n  a:\n    type: tool-service\n    name: a\n    description: d\n    service: s\n    \
        arguments:\n      - {name: x, type: string, description: what}\n";
    let mut bench = Workbench::yaml(text, 120, 40);
    let count = |bench: &Workbench| {
        let tool = bench.state.catalog.tools.first().unwrap();
        tool.entry.value["arguments"].as_array().unwrap().len()
    };
    bench.keys("enter");
    bench.clicks("▸ 1 item");
    bench.clicks("▸ x");
    bench.keys("down down down a");
    assert_eq!(count(&bench), 2, "{}", bench.screen());
}

/// A list that was kept of an MCP server, and nothing else.
const KEPT: &str = r#"{"server": "sky", "era": "stateful", "version": "2025-11-25", "tools": [
  {"name": "look", "description": "Looks up", "inputSchema": {"type": "object"}}
]}
"#;

#[test]
fn what_is_new_beside_a_kept_list_gets_a_file_of_its_own() {
    for kind in ["mcp-tool", "mcp server", "unique"] {
        let mut bench = Workbench::files(&[("mcp/sky.json", KEPT)], 120, 36);
        bench.keys("n");
        bench.types(kind);
        bench.keys("enter");
        assert!(bench.shows("file of its own: KEY.json"), "{}", bench.screen());
        bench.types("one");
        bench.keys("enter");
        let text = |name: &str| {
            bench.state.documents.get(&FileId::new(name)).map(|of| of.text.to_string())
        };
        assert_eq!(text("mcp/sky.json").unwrap(), KEPT, "{kind}");
        assert!(text("one.json").is_some(), "{kind}: {}", bench.screen());
        assert!(bench.state.catalog.tool_called("sky/look").is_some(), "{kind}");
    }
}

#[test]
fn a_step_made_again_selects_what_it_made() {
    let mut bench = Workbench::sample("services", 120, 36);
    let selected = |bench: &Workbench| {
        let id = bench.state.selected.clone().unwrap();
        bench.state.catalog.entry(&id).unwrap().key.clone()
    };
    bench.keys("down");
    let before = selected(&bench);
    for (keys, name) in [("r ctrl+a", "renamed"), ("@duplicate ctrl+a", "copied"), ("n", "made")] {
        bench.keys(keys);
        if name == "made" {
            bench.types("prompt");
            bench.keys("enter");
        }
        bench.types(name);
        bench.keys("enter");
        assert_eq!(selected(&bench), name, "{}", bench.screen());
        bench.keys("esc u");
        assert_eq!(selected(&bench), before, "{name}: {}", bench.screen());
        bench.keys("ctrl+r");
        assert_eq!(selected(&bench), name, "{}", bench.screen());
        bench.keys("u");
    }
}

#[test]
fn what_a_form_does_not_have_is_said() {
    let mut bench = Workbench::yaml("tool:\n  ask:\n    type: prompt\n    name: ask\n", 120, 36);
    bench.keys("tab @find-field");
    bench.types("zzzz");
    assert!(bench.shows("no field matches"), "{}", bench.screen());
    bench.keys("esc");
    let text = "tool:\n  ask:\n    type: text-completion\n    name: ask\n    description: Asks.\n";
    let mut bench = Workbench::yaml(text, 120, 36);
    bench.keys("tab @next-issue");
    assert!(bench.shows("this form has no errors or warnings"), "{}", bench.screen());
}

#[test]
fn the_suggested_key_of_a_copy_is_replaced_by_what_is_typed() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36);
    bench.keys("@duplicate");
    bench.types("zz");
    bench.keys("enter");
    assert!(tools_of(&bench).contains("\n  zz:\n"), "{}", bench.screen());
}

#[test]
fn a_group_that_is_typed_is_one_step_of_undo() {
    for group in ["", "    group: [a]\n"] {
        let text = format!("tool:\n  ask:\n    type: prompt\n    name: ask\n{group}");
        let mut bench = Workbench::yaml(&text, 120, 36);
        let file =
            |bench: &Workbench| bench.state.documents.iter().next().unwrap().1.text.to_string();
        bench.keys("tab @find-field");
        bench.types("group");
        bench.keys("enter enter");
        bench.types("beta");
        bench.keys("enter esc");
        assert!(file(&bench).contains("beta"), "{}", bench.screen());
        bench.keys("u");
        assert_eq!(file(&bench), text, "{}", bench.screen());
        bench.keys("ctrl+r");
        assert!(file(&bench).contains("beta"), "{}", file(&bench));
    }
}

#[test]
fn a_tool_with_a_file_of_its_own_stays_selected_in_the_list_when_it_is_renamed() {
    let tool = r#"{"type": "prompt", "name": "ask", "description": "Asks."}"#;
    let mut bench = Workbench::files(&[("tools/ask.json", tool)], 120, 36);
    bench.keys("r");
    bench.types("say");
    bench.keys("enter");
    assert_eq!(bench.state.selected.as_ref().unwrap().file().as_str(), "tools/say.json");
    // The list has the keys still.
    bench.keys("r");
    assert!(bench.shows("The new key of say"), "{}", bench.screen());
}

#[test]
fn a_renamed_tool_or_service_is_renamed_in_stubs() {
    let stub = "stub: odd\nservices:\n  ask:\n    rules:\n      - answer: No.  # short\n";
    let tools = "tool:\n  ask:\n    type: prompt\n    name: ask\n";
    let mut bench = Workbench::files(&[("stubs/odd.yaml", stub), ("tools.yaml", tools)], 120, 36);
    // The key is selected, so that typing takes its place.
    bench.keys("r");
    assert!(bench.shows("stubs/odd.yaml"), "{}", bench.screen());
    bench.types("say");
    bench.keys("enter");
    let text = |bench: &Workbench, file: &str| {
        bench.state.documents.get(&FileId::new(file)).unwrap().text.to_string()
    };
    assert_eq!(text(&bench, "stubs/odd.yaml"), stub.replace("  ask:", "  say:"));
    assert!(text(&bench, "tools.yaml").contains("  say:"));
    bench.keys("u");
    assert_eq!(text(&bench, "stubs/odd.yaml"), stub);

    let services = "tool-service:\n  jokes:\n    request-queue: a\n    response-queue: b\n";
    let stub = stub.replace("ask", "jokes");
    let files = [("stubs/odd.yaml", stub.as_str()), ("services.yaml", services)];
    let mut bench = Workbench::files(&files, 120, 36);
    bench.keys("r");
    bench.types("puns");
    bench.keys("enter");
    assert_eq!(text(&bench, "stubs/odd.yaml"), stub.replace("jokes", "puns"));
}

#[test]
fn a_renamed_tool_keeps_its_own_stub() {
    let stub = "stub: odd\nservices:\n  ask:\n    rules:\n      - answer: No.  # short\n";
    let tools = "tool:\n  ask:\n    type: prompt\n    name: ask\n";
    let mut bench = Workbench::files(&[("stubs/ask.yaml", stub), ("tools.yaml", tools)], 120, 36);
    bench.keys("r");
    bench.types("say");
    bench.keys("enter");
    let text = |bench: &Workbench, file: &str| {
        let document = bench.state.documents.present(&FileId::new(file));
        document.map(|document| document.text.to_string())
    };
    assert_eq!(text(&bench, "stubs/say.yaml"), Some(stub.replace("  ask:", "  say:")));
    assert_eq!(text(&bench, "stubs/ask.yaml"), None);
    bench.keys("u");
    assert_eq!(text(&bench, "stubs/ask.yaml").as_deref(), Some(stub));
    assert_eq!(text(&bench, "stubs/say.yaml"), None);
}

#[test]
fn a_renamed_tool_is_renamed_in_its_cases() {
    let case = "case: asks\ncall: ask\narguments: {}\nexpect:\n  outcome: ok\n";
    let tools = "tool:\n  ask:\n    type: prompt\n    name: ask\n";
    let mut bench = Workbench::files(&[("cases/ask.yaml", case), ("tools.yaml", tools)], 120, 36);
    bench.keys("r ctrl+a");
    assert!(bench.shows("cases/ask.yaml"), "{}", bench.screen());
    bench.types("say");
    bench.keys("enter");
    let text = bench.state.documents.get(&FileId::new("cases/ask.yaml")).unwrap().text.to_string();
    assert_eq!(text, case.replace("call: ask", "call: say"));
}

#[test]
fn the_foot_of_the_catalog_says_what_is_seen() {
    let tools: String = (0..100)
        .map(|row| {
            format!("  t{row}: {{type: prompt, name: t{row}, description: d, template: t}}\n")
        })
        .collect();
    let mut bench = Workbench::yaml(&format!("tool:\n{tools}"), 120, 36);
    bench.keys("G");
    let screen = bench.screen();
    let foot = screen.split(" of 10").next().unwrap().rsplit('–').next().unwrap();
    let count = screen.split(" of 10").nth(1).unwrap().chars().next().unwrap();
    assert_eq!(foot, format!("10{count}"), "{screen}");
}

#[test]
fn redo_stays_at_the_tool_whose_fix_is_made_again() {
    let text = "tool:\n  echo: {type: mcp-tool, name: echo, description: d, mcp-tool: there}\n  \
        ask: {type: tool-service, name: ask, description: d, service: far}\n";
    let bench = Workbench::yaml(text, 120, 36);
    // The list begins with what is worst, wherever it is in the file.
    let severities: Vec<_> = bench.state.findings.iter().map(|finding| finding.severity).collect();
    assert!(severities.is_sorted(), "{severities:?}");
    for (key, made) in [("ask", "tool-service:"), ("echo", "mcp:")] {
        let mut bench = Workbench::yaml(text, 120, 36);
        let id = bench.state.catalog.tool_called(key).unwrap().id().clone();
        bench.send(Message::Select(id.clone()));
        bench.draw();
        assert!(bench.shows("fix: make the"), "{}", bench.screen());
        bench.keys("F");
        let file = bench.state.documents.iter().next().unwrap().1.text.to_string();
        assert!(file.contains(made), "{file}");
        bench.keys("u U");
        assert_eq!(bench.state.selected, Some(id), "{}", bench.screen());
    }
}

#[test]
fn saving_a_tool_removes_no_file_whose_creation_was_undone() {
    let tool = r#"{"type": "knowledge-query", "name": "a", "description": "Asks"}"#;
    let mut bench = Workbench::files(&[("a.json", tool)], 120, 36);
    bench.keys("@duplicate enter S");
    let saved = bench.effects.iter().find_map(|effect| match effect {
        Effect::Save { file, text, .. } => Some((file.clone(), text.clone())),
        _ => None,
    });
    let (file, text) = saved.unwrap();
    bench.send(Message::Document(DocumentMessage::Saved { file, text }));
    bench.keys("u");
    assert!(bench.shows("S removes"), "{}", bench.screen());
    bench.effects.clear();
    bench.keys("s");
    assert!(bench.effects.iter().all(|effect| !matches!(effect, Effect::Save { .. })));
    assert!(bench.shows("a.json has no changes; S saves 1 other file"), "{}", bench.screen());
}

#[test]
fn a_theme_is_seen_before_it_is_chosen() {
    let mut bench = Workbench::sample("services", 120, 36);
    let before = bench.state.theme.clone();
    bench.keys("@next-theme down");
    let shown = bench.state.theme.clone();
    assert_ne!(shown, before);
    bench.keys("esc");
    assert_eq!(bench.state.theme, before);
    bench.keys("@next-theme down enter");
    assert_eq!(bench.state.theme, shown);
}

#[test]
fn the_palette_begins_with_what_was_chosen_last_and_what_is_of_the_screen() {
    let mut bench = Workbench::sample("services", 120, 36);
    bench.keys("@describe-tool ctrl+p");
    let first = |bench: &Workbench| {
        let screen = bench.screen();
        let mut lines = screen.lines().skip_while(|line| !line.contains("type to narrow"));
        let row = lines.nth(1).unwrap_or_default();
        row.rsplit('▌').next().unwrap_or_default().to_owned()
    };
    assert!(!first(&bench).contains("Workflow ·"), "{}", bench.screen());
    bench.keys("esc @notices esc ctrl+p");
    assert!(first(&bench).starts_with("notices"), "{}", bench.screen());
}

#[test]
fn a_find_box_hints_at_its_own_keys_alone() {
    let mut bench = Workbench::sample("services", 120, 36);
    bench.keys("/");
    let screen = bench.screen();
    let line = screen.lines().last().unwrap();
    assert!(line.contains("↑↓ choose  Enter select  Esc all"), "{line}");
    assert!(!line.contains("Del") && !line.contains("F8"), "{line}");
}

#[test]
fn a_name_is_asked_for_without_blame() {
    let mut bench = workspace_of_one();
    bench.keys("2 shift+tab n");
    assert!(bench.shows("New state") && !bench.shows("needs a name"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("the state needs a name"), "{}", bench.screen());
}

fn workspace_of_one() -> Workbench {
    Workbench::files(
        &[("a.json", r#"{"type": "knowledge-query", "name": "a", "description": "Asks"}"#)],
        120,
        36,
    )
}

#[test]
fn an_argument_that_is_missing_within_another_is_gone_to() {
    let kept = r#"{"server": "sky", "era": "stateful", "version": "2025-11-25", "tools": [
      {"name": "look", "description": "Looks up", "inputSchema": {"type": "object",
        "properties": {"order": {"type": "object", "properties": {"id": {"type": "string"}},
        "required": ["id"]}}, "required": ["order"]}}]}
    "#;
    let mut bench = Workbench::files(&[("mcp/sky.json", kept)], 120, 36).on(ScreenId::Invoke);
    bench.keys("@mock-tool f6");
    assert!(bench.shows("order.id: is required; Enter edits it"), "{}", bench.screen());
    bench.keys("enter");
    bench.types("seven");
    bench.keys("esc");
    let id = bench.state.catalog.tools[0].id().clone();
    assert_eq!(bench.state.arguments_of(&id)["order"]["id"], "seven", "{}", bench.screen());
}

#[test]
fn what_is_found_stays_until_all_is_wanted_again() {
    let mut bench = Workbench::sample("services", 120, 36);
    let all = bench.state.catalog.tools.len();
    bench.types("/joke");
    bench.keys("enter");
    let listed = |bench: &Workbench| {
        let column = bench.screen();
        column.lines().map(|line| line.chars().take(30).collect::<String>()).collect::<String>()
    };
    assert!(listed(&bench).contains("tell-joke") && !listed(&bench).contains("calculator"));
    assert!(bench.shows(&format!("of {all}")) && bench.shows("/ joke"), "{}", bench.screen());
    // The form has the focus; the list is still narrowed, and its keys say how to have all again.
    bench.keys("shift+tab");
    assert!(bench.shows("all tools"), "{}", bench.screen());
    bench.types("/");
    bench.keys("right");
    bench.types("s");
    bench.keys("enter shift+tab");
    assert!(bench.shows("/ jokes"), "{}", bench.screen());
    bench.keys("esc");
    let chosen = || listed(&bench).contains("▌◆ joke-service");
    assert!(listed(&bench).contains("calculator") && !bench.shows("/ joke") && chosen());
    // Two words are two conditions, and descriptions count.
    bench.types("/joke tell");
    assert!(listed(&bench).contains("tell-joke"), "{}", bench.screen());
    bench.keys("enter");
    // A tool that is chosen elsewhere is seen here.
    let other = bench.state.catalog.tools.iter().find(|tool| tool.name != "tell-joke").unwrap();
    let (id, name) = (other.id().clone(), other.name.clone());
    bench.send(toolcrib::app::message::Message::Select(id));
    bench.draw();
    assert!(listed(&bench).contains(&name), "{}", bench.screen());
}

/// A tool of CommonGround, whose groups and states are in the settings; there are none yet.
fn lamp() -> Workbench {
    let text = "\
tool_name: lamp
description: Turns the lamp on. Use it when asked.
target_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch
after_execution: suspend
parameters:
  type: object
  properties:
    size:
      type: integer
      minimum: 20
      maximum: 14
      description: Which size
";
    Workbench::files(&[("lamp.yaml", text)], 120, 36)
}

fn go_to_field(bench: &mut Workbench, name: &str) {
    bench.keys("/");
    bench.types(name);
    bench.keys("enter");
}

#[test]
fn the_first_group_is_typed_where_there_are_no_settings_yet() {
    let mut bench = lamp();
    bench.keys("tab");
    go_to_field(&mut bench, "groups");
    bench.keys("enter");
    bench.types("indoors");
    bench.keys("enter esc");
    assert_eq!(selected_key(&bench), "lamp", "{}", bench.screen());
    let settings = bench.state.documents.get(&FileId::new("toolcrib.toml")).unwrap();
    assert!(settings.text.to_string().contains("indoors"), "{}", settings.text);
}

#[test]
fn a_number_that_is_half_typed_leaves_the_one_before_in_the_file() {
    let mut bench = lamp();
    bench.keys("tab");
    go_to_field(&mut bench, "size at most");
    bench.keys("enter ctrl+a ctrl+k");
    bench.types("250 cm");
    let text = |bench: &Workbench| {
        bench.state.documents.get(&FileId::new("lamp.yaml")).unwrap().text.to_string()
    };
    assert!(text(&bench).contains("maximum: 14\n"), "{}", text(&bench));
    assert!(bench.shows("250 cm") && bench.shows("is not a whole number"), "{}", bench.screen());
}

#[test]
fn the_next_issue_is_reached_below_folded_rows() {
    let mut bench = lamp();
    bench.keys("tab home");
    assert!(!bench.shows("at most"), "{}", bench.screen());
    bench.keys("]");
    assert!(bench.shows("▌      at "), "{}", bench.screen());
}

#[test]
fn a_route_that_was_chosen_goes_with_a_renamed_tool() {
    // Its key is its place in the file, by which everything chosen for it goes.
    let tool = "tool:\n  lamp: {type: tool-service, name: lamp, description: d, service: s}\n";
    let mut bench = Workbench::files(&[("tools.yaml", tool)], 120, 36);
    let before = bench.state.catalog.tools[0].id().clone();
    bench.state.network.choose_route(before.clone(), Some("god".into()));
    bench.keys("r ctrl+u");
    bench.types("bulb");
    bench.keys("enter");
    let after = bench.state.catalog.tools[0].id().clone();
    assert_ne!(after, before, "{}", bench.screen());
    let network = &bench.state.network;
    assert_eq!((network.route_of(&after), network.route_of(&before)), (Some("god"), None));
}

/// Two tools of which one takes its description from the other's anchor.
const SHARED: &str = "\
tool:
  ask:
    type: text-completion
    name: ask
    description: &words Asks a model.
  tell:
    type: text-completion
    name: say
    description: *words
";

#[test]
fn a_field_that_other_places_share_says_so_and_a_change_there_is_its_own() {
    let mut bench = Workbench::yaml(SHARED, 120, 36);
    bench.keys("tab @find-field");
    bench.types("description");
    bench.keys("enter");
    for words in ["&words is used in line 9 too:", "a change here changes it there"] {
        assert!(bench.shows(words), "{}", bench.screen());
    }
    bench.keys("esc shift+tab down tab @find-field");
    bench.types("description");
    bench.keys("enter");
    assert!(bench.shows("*words, from line 5:"), "{}", bench.screen());
    bench.keys("enter");
    bench.types("!");
    bench.keys("esc");
    let now = tools_of(&bench);
    assert_eq!(now, SHARED.replace("*words", "Asks a model.!"), "{}", bench.screen());
    assert!(!bench.shows("from line 5"), "{}", bench.screen());
}

#[test]
fn a_tool_whose_anchor_another_tool_uses_can_be_deleted() {
    let mut bench = Workbench::yaml(SHARED, 120, 36);
    bench.keys("d right enter");
    let left = "\
tool:
  tell:
    type: text-completion
    name: say
    description: Asks a model.
";
    assert_eq!(tools_of(&bench), left, "{}", bench.screen());
    bench.keys("u");
    assert_eq!(tools_of(&bench), SHARED, "{}", bench.screen());
}

/// The list of an MCP server's tools of these names.
fn kept_list(names: &[&str]) -> String {
    let tool = |name: &&str| {
        serde_json::json!({
            "name": name,
            "description": format!("Does {name}"),
            "inputSchema": {"type": "object", "properties": {"topic": {"type": "string"}}},
        })
    };
    let tools: Vec<_> = names.iter().map(tool).collect();
    let list = serde_json::json!({
        "server": "sky", "era": "stateful", "version": "2025-11-25", "tools": tools
    });
    format!("{list:#}\n")
}

fn changes_on_disk(bench: &mut Workbench, names: &[&str]) {
    let (file, text) = (FileId::new("mcp/sky.json"), Some(kept_list(names).as_str().into()));
    bench.send(Message::Document(DocumentMessage::DiskChanged { file, text }));
    bench.draw();
}

#[test]
fn what_is_selected_typed_and_asked_goes_with_a_tool_whose_list_changes_on_disk() {
    let list = kept_list(&["tell", "look"]);
    let mut bench = Workbench::files(&[("mcp/sky.json", &list)], 120, 36);
    assert_eq!(selected_key(&bench), "sky/tell");
    // What is typed for its call is its own.
    let text = CallText { tool: bench.state.selected.clone().unwrap(), part: CallPart::Arguments };
    let topic = Edit::Set { at: Pointer::root().child("topic"), to: "cheese".into() };
    bench.send(Message::Call(CallMessage::EditText { text, edits: vec![topic] }));
    changes_on_disk(&mut bench, &["wipe", "tell", "look"]);
    assert_eq!(selected_key(&bench), "sky/tell");
    let tool = bench.state.selected.clone().unwrap();
    assert_eq!(bench.state.arguments_of(&tool)["topic"], "cheese", "{}", bench.screen());
    let wipe = bench.state.catalog.tools.iter().find(|tool| tool.name == "wipe").unwrap().id();
    assert_eq!(bench.state.typed_text(wipe, CallPart::Arguments).map(|_| ()), None);

    // A question that was asked of it closes; nothing of another one is deleted.
    bench.keys("d");
    assert!(bench.shows("Delete sky/tell?"), "{}", bench.screen());
    changes_on_disk(&mut bench, &["new", "wipe", "tell", "look"]);
    assert!(!bench.shows("Delete"), "{}", bench.screen());
    assert_eq!(selected_key(&bench), "sky/tell");

    // Its form goes on with it, in EDIT too.
    bench.keys("tab @find-field");
    bench.types("description");
    bench.keys("enter enter");
    bench.types(" again");
    changes_on_disk(&mut bench, &["newest", "new", "wipe", "tell", "look"]);
    // It has unsaved changes: they stay.
    assert!(bench.shows("saving will ask"), "{}", bench.screen());
    bench.keys("esc u");
    changes_on_disk(&mut bench, &["tell", "look"]);
    assert_eq!(selected_key(&bench), "sky/tell");
    // A tool that is gone takes nothing along.
    changes_on_disk(&mut bench, &["look"]);
    assert_eq!(selected_key(&bench), "sky/look");
    let look = bench.state.selected.clone().unwrap();
    assert!(bench.state.arguments_of(&look).get("topic").is_none());
}

/// Checks the workspace as the program does beside the keys.
fn check_all(bench: &mut Workbench) {
    bench.send(Message::Document(DocumentMessage::CheckDue));
    let asked = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Check(snapshot) => Some((snapshot.turn, Arc::new(snapshot.collect_findings()))),
        _ => None,
    });
    let (turn, findings) = asked.unwrap();
    bench.send(Message::Document(DocumentMessage::Checked { turn, findings }));
    bench.draw();
}

#[test]
fn problems_are_found_by_their_words_and_a_fixed_one_goes_at_once() {
    let tool = |row: usize| {
        format!("  tool-{row}:\n    type: prompt\n    name: tool-{row}\n    owner: me\n")
    };
    let text: String = (0..40).map(tool).collect();
    let mut bench = Workbench::yaml(&format!("tool:\n{text}"), 120, 36);
    bench.keys("tab tab v v v");
    assert!(bench.shows("checking…"), "{}", bench.screen());
    check_all(&mut bench);
    let count = |bench: &Workbench| bench.state.findings.len();
    let all = count(&bench);
    bench.keys("/");
    bench.types("unknown-key tool-7 ");
    assert!(bench.shows(&format!("Problems 1 of {all}")), "{}", bench.screen());
    bench.keys("enter F");
    assert_eq!(count(&bench), all - 1, "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.shows(&format!("Problems {}", all - 1)), "{}", bench.screen());
}

#[test]
fn a_text_is_found_in_the_file_in_both_directions() {
    let lines = "# filler\n".repeat(60);
    let tool = "tool:\n  one: {type: prompt, name: one, owner: me}\n";
    let text = format!("{tool}{lines}# zebra of the left\n{lines}# zebra of the right\n");
    let mut bench = Workbench::yaml(&text, 120, 36);
    bench.keys("tab tab /");
    bench.types("zebra");
    let (left, right) = ("zebra of the left", "zebra of the right");
    assert!(bench.shows("↑ previous"), "{}", bench.screen());
    for (key, seen, hidden) in
        [("", left, right), ("enter", right, left), ("up", left, right), ("up", right, left)]
    {
        bench.keys(key);
        assert!(bench.shows(seen) && !bench.shows(hidden), "{key}: {}", bench.screen());
    }
}

#[test]
fn the_name_of_a_tool_says_that_its_gate_goes_by_it() {
    let settings = "[mcp.sky.tools.look]\ngroups = [\"eyes\"]\n";
    let list = kept_list(&["look", "tell"]);
    let files = [("mcp/sky.json", list.as_str()), ("toolcrib.toml", settings)];
    let mut bench = Workbench::files(&files, 120, 36);
    let words = "typing another name leaves";
    for (keys, is_said) in [("tab @find-field", true), ("shift+tab down tab @find-field", false)] {
        bench.keys(keys);
        bench.types("name");
        bench.keys("enter");
        assert_eq!(bench.shows(words), is_said, "{}", bench.screen());
        bench.keys("esc");
    }
}

/// Two documents in one file, each with a tool.
#[test]
fn tools_of_documents_are_followed_and_so_is_what_was_found_about_them() {
    let tool = |name: &str| {
        format!(
            "tool:\n  {name}: {{type: prompt, name: {name}, owner: me, description: It is {name}.}}\n"
        )
    };
    let text =
        |names: &[&str]| names.iter().map(|name| tool(name)).collect::<Vec<_>>().join("---\n");
    let mut bench = Workbench::yaml(&text(&["one", "two"]), 120, 36);
    bench.keys("down");
    assert_eq!(selected_key(&bench), "two");
    let of_two = |bench: &Workbench| {
        let id = bench.state.selected.clone().unwrap();
        bench.state.findings_of(&id).map(|found| found.message.clone()).collect::<Vec<_>>()
    };
    let before = of_two(&bench);
    assert!(!before.is_empty());
    let disk = Some(text(&["zero", "one", "two"]).as_str().into());
    let file = FileId::new("tools.yaml");
    bench.send(Message::Document(DocumentMessage::DiskChanged { file, text: disk }));
    bench.draw();
    assert_eq!(selected_key(&bench), "two", "{}", bench.screen());
    assert_eq!(of_two(&bench), before);
}

#[test]
fn a_press_on_the_count_of_problems_leads_to_them() {
    let mut bench = Workbench::yaml("tool:\n  ask:\n    type: prompt\n    name: ask\n", 120, 36);
    let finding = bench.state.findings.first().unwrap();
    let place = format!("ask · tools.yaml:{}", finding.site.line);
    assert!(!bench.shows(&place), "{}", bench.screen());
    bench.clicks("⚠ 2 warnings");
    assert!(bench.shows(&place), "{}", bench.screen());
}

/// What it breaks is said first, and the whole of a long question can be read.
#[test]
fn deleting_what_many_tools_name_says_what_that_means() {
    let tool = |row: usize| {
        format!(
            "  tool-{row:02}: {{type: tool-service, name: t{row}, description: D, service: svc}}\n"
        )
    };
    let tools: String = (0..60).map(tool).collect();
    let text = format!(
        "tool:\n{tools}tool-service:\n  svc: {{id: svc, request-queue: a, response-queue: b}}\n"
    );
    let mut bench = Workbench::yaml(&text, 80, 24);
    bench.keys("G d");
    assert!(bench.shows("Delete svc?"), "{}", bench.screen());
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let screen = bench.screen();
    let words = screen.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ");
    for part in
        ["60 tools will refer to something", "tool-00", "and 54 more", "Undo brings it back."]
    {
        assert!(words.contains(part), "{part}: {}", bench.screen());
    }
    assert!(!bench.shows("↑↓ scroll"), "{}", bench.screen());
}

#[test]
fn tools_of_files_are_added_one_file_after_the_other() {
    let list = |name: &str| {
        let schema = r#"{"type": "object", "properties": {}}"#;
        format!(r#"[{{"name": "{name}", "description": "Does it", "input_schema": {schema}}}]"#)
    };
    let (one, two) = (list("first_of_all"), list("second_of_all"));
    let files = [
        ("tools.yaml", "tool:\n  a: {type: text-completion, name: a, description: A}\n"),
        ("one.json", one.as_str()),
        ("two.json", two.as_str()),
    ];
    let mut bench = Workbench::files(&files, 120, 36);
    let ask = |bench: &mut Workbench| {
        bench.keys("ctrl+p");
        bench.types("add tools of a file");
        bench.keys("enter");
    };
    ask(&mut bench);
    assert!(bench.shows("one.json") && bench.shows("two.json"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("first_of_all"), "{}", bench.screen());
    bench.keys("enter");
    assert!(tools_of(&bench).contains("first_of_all"), "{}", tools_of(&bench));
    ask(&mut bench);
    assert!(bench.shows("▌two.json") && !bench.shows("one.json"), "{}", bench.screen());
}

#[test]
fn the_tool_of_a_json_schema_is_offered_where_a_file_is_asked_for() {
    let tools = "tool:\n  a: {type: text-completion, name: a, description: A}\n";
    let schema =
        r#"{"title": "order", "type": "object", "properties": {"id": {"type": "string"}}}"#;
    let mut bench = Workbench::files(&[("tools.yaml", tools), ("order.json", schema)], 120, 36);
    bench.keys("@add-file-tools");
    assert!(bench.shows("Add the tools of"), "{}", bench.screen());
    assert!(bench.shows("order.json"), "{}", bench.screen());
    assert!(bench.shows("another file…"), "{}", bench.screen());
}

#[test]
fn a_file_is_named_where_tools_are_pasted() {
    let list = r#"[{"name": "first_of_all", "description": "Does it", "input_schema": {"type": "object", "properties": {}}}]"#;
    let tool = "tool:\n  a: {type: text-completion, name: a, description: A}\n";
    let mut bench = Workbench::files(&[("tools.yaml", tool), ("agent/one.json", list)], 120, 36);
    bench.keys("ctrl+p");
    bench.types("paste tools");
    bench.keys("enter");
    bench.types("agent/one.json");
    bench.keys("enter");
    assert!(bench.shows("first_of_all"), "{}", bench.screen());
}

#[test]
fn a_list_goes_with_the_file_that_its_tools_come_from() {
    let function = |name: &str, words: &str| json!({"type": "function", "function": {"name": name, "description": words, "strict": true, "parameters": {"type": "object", "properties": {}}}});
    let agent = FileId::new("agent.json");
    let first = json!([function("one", "First"), function("two", "Second")]);
    let mut bench = Workbench::files(&[("agent.json", &first.to_string())], 120, 36);
    // The ways to begin are shown, with the file among them.
    bench.keys("f enter");
    assert!(bench.shows("come from agent.json"), "{}", bench.screen());
    bench.keys("enter");
    let list = FileId::new("mcp/server.json");
    let value = |bench: &Workbench, file: &FileId| {
        let document = bench.state.documents.get(file).unwrap();
        document.source.as_ref().unwrap().value(0).unwrap().clone()
    };
    assert_eq!(value(&bench, &list)["sources"], json!(["agent.json"]));
    let differs = |bench: &Workbench| {
        let found = bench.state.findings.iter();
        found.filter(|finding| finding.code == "kept.source-differs").count()
    };
    assert_eq!(differs(&bench), 0);
    // The program's own file changes.
    let second =
        json!([function("one", "First of all"), function("two", "Second"), function("new", "New")]);
    let disk =
        DocumentMessage::DiskChanged { file: agent.clone(), text: Some(second.to_string().into()) };
    bench.send(Message::Document(disk));
    assert_eq!(differs(&bench), 1);
    bench.keys("@read-source");
    assert!(bench.shows("First of all"), "{}", bench.screen());
    bench.keys("enter");
    let tools = value(&bench, &list)["tools"].clone();
    assert_eq!(
        (&tools[0]["description"], &tools[2]["name"]),
        (&json!("First of all"), &json!("new"))
    );
    assert_eq!(differs(&bench), 0);
    // And the list does.
    let edit = Edit::Set {
        at: Pointer::parse("/tools/1/description").unwrap(),
        to: json!("Second to none").into(),
    };
    let change = Change::File { file: list, document: 0, edit };
    bench.send(Message::Document(DocumentMessage::Change {
        label: "edit".into(),
        changes: vec![change],
    }));
    assert_eq!(differs(&bench), 1);
    bench.keys("@write-source");
    assert!(bench.shows("Second to none"), "{}", bench.screen());
    bench.keys("enter");
    let written = value(&bench, &agent);
    assert_eq!(written[1], function("two", "Second to none"));
    assert_eq!(written[0], function("one", "First of all"));
    assert_eq!(differs(&bench), 0);
}

#[test]
fn a_file_that_the_workspace_does_not_read_is_read_for_its_tools() {
    let mut bench = Workbench::files(&[], 120, 36).on(ScreenId::Tools);
    // As a terminal pastes the path of a file that is dropped on it.
    bench.input(&Input::Paste("'/home/ada/my tools/server.py'\n".into()));
    let read = Effect::ReadTools("/home/ada/my tools/server.py".into());
    assert!(bench.effects.contains(&read), "{:?}", bench.effects);
    // No YAML, and it begins as YAML may.
    let python = "mcp: FastMCP = FastMCP('a')\n\n@mcp.tool()\ndef find_city(name: str) -> str:\n    \"\"\"Finds a city\"\"\"\n";
    bench.send(Message::Document(DocumentMessage::ToolsRead(python.into())));
    bench.draw();
    assert!(bench.shows("Paste tools as those of"), "{}", bench.screen());
    bench.keys("enter");
    assert!(bench.shows("find_city") && bench.state.question.is_none(), "{}", bench.screen());
    bench.keys("enter");
    let [tool] = &bench.state.catalog.tools[..] else { panic!("{}", bench.screen()) };
    assert_eq!(tool.name, "find_city");
    bench.send(Message::Document(DocumentMessage::ToolsRead("just words".into())));
    bench.draw();
    assert!(bench.shows("no tool in this text"), "{}", bench.screen());
    bench.keys("esc");
    assert!(bench.state.question.is_none() && !bench.shows("Paste tools"), "{}", bench.screen());
}
