//! Composing a workflow: after each wish the filter says what was wanted, and undo gives the bytes
//! back.

use std::sync::Arc;

use proptest::prelude::*;
use toolcrib::{
    app::{
        compose::{
            arrows::{self, Tail},
            cells::{self, Column, Switch},
            context::ComposeContext,
            entries, groups, pasting,
            plan::Plan,
            states,
        },
        message::{DocumentMessage, Loaded, Message},
        state::{Start, State},
        update::update,
        workflow::WorkflowMessage,
    },
    engine::{filter::split_tools, workflow::graph::Workflow},
    model::{
        clock::Millis,
        context::{Context, Name},
        entry::{EntryId, FileId},
        tool::States,
    },
    syntax::source::{Format, Source},
};

const DEFAULT_GROUP: &str = "default";

fn opened(files: &[(&str, &str)]) -> State {
    let mut state = State::new(Start::default());
    let loaded = |(name, text): &(&str, &str)| {
        let text: Arc<str> = (*text).into();
        let format = Format::from_path(std::path::Path::new(name)).unwrap();
        (
            FileId::new(*name),
            Loaded { source: Source::parse(format, text.clone()), text, held: None },
        )
    };
    let mut files: Vec<_> = files.iter().map(loaded).collect();
    files.sort_by(|one, other| one.0.cmp(&other.0));
    let names = files.iter().map(|(name, _)| name.clone()).collect();
    send(&mut state, Message::Document(DocumentMessage::Loaded(files)));
    send(
        &mut state,
        Message::Document(DocumentMessage::LoadEnded {
            names,
            skipped: Vec::new(),
            unread: Vec::new(),
        }),
    );
    state
}

fn send(state: &mut State, message: Message) {
    update(state, message, Millis(1));
}

/// Makes a plan; fails when the application refuses it.
fn make(state: &mut State, plan: Plan) {
    let seen = plan.file_plans(&state.documents).unwrap();
    send(state, Message::Document(DocumentMessage::Compose(plan)));
    for file in seen {
        assert_eq!(
            text(state, file.file.as_str()),
            file.after.as_deref().map(str::to_owned),
            "what was shown is what was made"
        );
    }
}

fn text(state: &State, file: &str) -> Option<String> {
    state
        .documents
        .get(&FileId::new(file))
        .filter(|document| !document.gone)
        .map(|document| document.text.to_string())
}

fn texts(state: &State) -> Vec<(FileId, Arc<str>)> {
    state
        .documents
        .iter()
        .map(|(file, document)| (file.clone(), document.text.whole_text().clone()))
        .collect()
}

fn id(state: &State, key: &str) -> EntryId {
    state.catalog.tool_called(key).unwrap_or_else(|| panic!("no tool {key}")).id().clone()
}

const TOOLS: &str = "\
tool:
  ask: # the first
    type: knowledge-query
    name: ask
    description: d
    group: [read, basic] # who may
    applicable-states: [undefined, research]
    state: analysis

  tell:
    type: text-completion
    name: tell
    description: d
    state: undefined
";

const SETTINGS: &str = "name = \"w\" # ours\n\n[context]\nstate = \"analysis\"\ngroups = [\"read\"]\n\n[profiles]\nann = [\"read\", \"basic\"]\n";

const SCENARIO: &str = "# kept\nname: s\nstart: {groups: [read], state: analysis}\nsteps:\n  # 1: the state stays analysis; 1 of 2 tools available\n  - tool: ask\n    expect: {state: analysis}\n";

fn workspace() -> State {
    opened(&[("tools.yaml", TOOLS), ("toolcrib.toml", SETTINGS), ("scenarios/s.yaml", SCENARIO)])
}

#[test]
fn a_state_without_tools_is_kept_in_the_settings() {
    let mut state = workspace();
    let plan = states::add_state(ComposeContext::from_state(&state), "review").unwrap();
    make(&mut state, plan);
    assert_eq!(
        text(&state, "toolcrib.toml").unwrap(),
        SETTINGS.replace("# ours\n", "# ours\nstates = [\"review\"]\n")
    );
    let plan = states::add_state(ComposeContext::from_state(&state), "done").unwrap();
    make(&mut state, plan);
    assert!(text(&state, "toolcrib.toml").unwrap().contains("states = [\"review\", \"done\"]\n"));
    assert_eq!(
        state.workflow.listed_states.iter().map(|name| &**name).collect::<Vec<_>>(),
        ["review", "done"]
    );
    let workflow = Workflow::new(&state.catalog.tools, &Context::default())
        .with_states(&state.workflow.listed_states);
    assert!(workflow.state_row("review").is_some());
    assert_eq!(
        states::add_state(ComposeContext::from_state(&state), "done").unwrap_err(),
        "done already exists"
    );
    assert!(
        states::add_state(ComposeContext::from_state(&state), "*").is_err()
            && states::add_state(ComposeContext::from_state(&state), "").is_err()
    );
    send(&mut state, Message::Document(DocumentMessage::Undo));
    send(&mut state, Message::Document(DocumentMessage::Undo));
    assert_eq!(text(&state, "toolcrib.toml").unwrap(), SETTINGS);
    assert!(state.workflow.listed_states.is_empty());
}

#[test]
fn without_settings_the_first_state_makes_them() {
    let mut state = opened(&[]);
    let plan = states::add_state(ComposeContext::from_state(&state), "review").unwrap();
    make(&mut state, plan);
    assert_eq!(text(&state, "toolcrib.toml").unwrap(), "states = [\"review\"]\n");
    send(&mut state, Message::Document(DocumentMessage::Undo));
    assert!(text(&state, "toolcrib.toml").is_none() && state.workflow.listed_states.is_empty());
}

#[test]
fn a_state_is_renamed_in_every_file_that_names_it() {
    let mut state = workspace();
    let plan =
        states::rename_state(ComposeContext::from_state(&state), "analysis", "study").unwrap();
    make(&mut state, plan);
    assert_eq!(
        text(&state, "tools.yaml").unwrap(),
        TOOLS.replace("state: analysis", "state: study")
    );
    assert_eq!(
        text(&state, "toolcrib.toml").unwrap(),
        SETTINGS.replace("\"analysis\"", "\"study\"")
    );
    assert_eq!(text(&state, "scenarios/s.yaml").unwrap(), SCENARIO.replace("analysis", "study"));
    send(&mut state, Message::Document(DocumentMessage::Undo));
    assert_eq!(text(&state, "tools.yaml").unwrap(), TOOLS);
    assert_eq!(text(&state, "scenarios/s.yaml").unwrap(), SCENARIO);
    assert!(states::rename_state(ComposeContext::from_state(&state), "undefined", "x").is_err());
    let joined =
        states::rename_state(ComposeContext::from_state(&state), "research", "analysis").unwrap();
    assert!(joined.notes[0].contains("are merged"));
}

#[test]
fn deleting_a_state_tells_what_refers_to_it_first() {
    let mut state = workspace();
    let plan = states::delete_state(ComposeContext::from_state(&state), "analysis").unwrap();
    assert_eq!(
        plan.notes,
        ["leading to it: ask.", "Not changed, although it uses the state: scenarios/s.yaml."]
    );
    make(&mut state, plan);
    assert!(
        !text(&state, "tools.yaml").unwrap().contains("analysis")
            && !text(&state, "toolcrib.toml").unwrap().contains("analysis")
    );
}

#[test]
fn an_arrow_is_drawn_and_says_what_else_it_moves() {
    let mut state = workspace();
    let ask = id(&state, "ask");
    let plan = arrows::draw_arrow(
        ComposeContext::from_state(&state),
        &ask,
        &Tail::State("review".into()),
        &"done".into(),
    )
    .unwrap();
    assert_eq!(
        plan.notes,
        ["ask has only one next state: from undefined, research it will lead to done instead \
            of analysis."]
    );
    let tell = id(&state, "tell");
    let only = arrows::draw_arrow(
        ComposeContext::from_state(&state),
        &tell,
        &Tail::Only("review".into()),
        &"done".into(),
    )
    .unwrap();
    assert_eq!(
        only.notes,
        [
            "tell has only one next state: from review it will lead to done instead of undefined.",
            "tell is available everywhere now; it will be available only in review. Its arrows \
                from all other states to undefined go away."
        ]
    );
    make(&mut state, plan);
    let wanted =
        TOOLS.replace("research]", "research, review]").replace("state: analysis", "state: done");
    assert_eq!(text(&state, "tools.yaml").unwrap(), wanted);
    assert!(
        arrows::draw_arrow(
            ComposeContext::from_state(&state),
            &ask,
            &Tail::State("review".into()),
            &"done".into()
        )
        .is_err()
    );
    let plan = arrows::remove_arrows(
        ComposeContext::from_state(&state),
        &[ask],
        &Tail::State("review".into()),
    )
    .unwrap();
    make(&mut state, plan);
    assert_eq!(
        text(&state, "tools.yaml").unwrap(),
        TOOLS.replace("state: analysis", "state: done")
    );
}

#[test]
fn an_empty_workspace_gets_its_first_tools_in_one_file() {
    let mut state = opened(&[]);
    for (key, from, to) in [("ask", "undefined", "analysis"), ("fix", "analysis", "done")] {
        let ground = ComposeContext::from_state(&state);
        let (kind, home) = entries::tool_kinds(ground, None).remove(0);
        let gate = arrows::gate_of_new(&Tail::State(from.into()), &to.into());
        let plan = entries::new_tool(ground, &kind, key, &gate, &home).unwrap();
        make(&mut state, plan);
    }
    assert_eq!(state.documents.iter().count(), 1, "{:?}", texts(&state));
    assert_eq!(state.catalog.tools.len(), 2);
    assert_eq!(state.catalog.tools[1].gate.next.as_deref(), Some("done"));
}

#[test]
fn a_group_is_renamed_in_every_file_and_deleted() {
    let mut state = workspace();
    let plan = groups::rename_group(ComposeContext::from_state(&state), "read", "see").unwrap();
    make(&mut state, plan);
    assert_eq!(text(&state, "tools.yaml").unwrap(), TOOLS.replace("[read,", "[see,"));
    assert_eq!(text(&state, "toolcrib.toml").unwrap(), SETTINGS.replace("\"read\"", "\"see\""));
    assert_eq!(text(&state, "scenarios/s.yaml").unwrap(), SCENARIO.replace("[read]", "[see]"));
    let plan = groups::delete_group(ComposeContext::from_state(&state), "see").unwrap();
    make(&mut state, plan);
    assert_eq!(text(&state, "tools.yaml").unwrap(), TOOLS.replace("[read, basic]", "[basic]"));
    assert!(!text(&state, "toolcrib.toml").unwrap().contains("see"));
}

#[test]
fn the_workspaces_own_lists_are_made_filled_renamed_and_deleted() {
    let mut state = workspace();
    for name in ["knowledge/read", "knowledge/write", "own"] {
        let plan = groups::add_list(ComposeContext::from_state(&state), name).unwrap();
        make(&mut state, plan);
    }
    assert!(
        groups::add_list(ComposeContext::from_state(&state), "own/below").is_err(),
        "own is a list"
    );
    let column = Column::List("knowledge/read".into());
    let plan = cells::switch_cells(
        ComposeContext::from_state(&state),
        &[(id(&state, "ask"), column)],
        Switch::On,
        &[],
    )
    .unwrap();
    make(&mut state, plan);
    assert!(state.gated_tools()[0].gate.groups().contains(&"knowledge/read".into()));
    let held = Column::List("knowledge".into());
    assert!(
        cells::switch_cells(
            ComposeContext::from_state(&state),
            &[(id(&state, "ask"), held)],
            Switch::On,
            &[]
        )
        .is_err(),
        "it holds groups"
    );
    let plan =
        groups::rename_group(ComposeContext::from_state(&state), "knowledge/read", "knowledge/see")
            .unwrap();
    make(&mut state, plan);
    assert!(state.gated_tools()[0].gate.groups().contains(&"knowledge/see".into()));
    let plan = groups::delete_group(ComposeContext::from_state(&state), "knowledge").unwrap();
    make(&mut state, plan);
    assert!(!text(&state, "toolcrib.toml").unwrap().contains("knowledge"));
}

#[test]
fn tools_go_from_one_workspace_to_another_as_text() {
    let from = opened(&[(
        "a.yaml",
        "tool:\n  joke: {type: tool-service, name: joke, description: d, service: jokes, state: told}\ntool-service:\n  jokes: {id: jokes, request-queue: x, response-queue: y}\n",
    )]);
    let copied = pasting::copy_entries(ComposeContext::from_state(&from), &[id(&from, "joke")]);
    let mut to = workspace();
    let plan = pasting::paste_entries(ComposeContext::from_state(&to), &copied, None).unwrap();
    make(&mut to, plan);
    assert!(text(&to, "tools.yaml").unwrap().starts_with(TOOLS.trim_end()));
    assert_eq!(to.catalog.tool(&id(&to, "joke")).unwrap().gate, from.catalog.tools[0].gate);
    assert_eq!(to.catalog.services.len(), 1, "what answers for it came along");
    assert!(
        pasting::paste_entries(ComposeContext::from_state(&to), &copied, None)
            .unwrap_err()
            .starts_with("Already here")
    );
    let other = r#"{"type": "prompt", "name": "joke", "description": "another", "arguments": [{"name": "q", "type": "string", "description": "d"}]}"#;
    let plan = pasting::paste_entries(ComposeContext::from_state(&to), other, None).unwrap();
    assert!(plan.notes[0].contains("joke-2"), "{:?}", plan.notes);
    make(&mut to, plan);
    assert_eq!(to.catalog.tool(&id(&to, "joke-2")).unwrap().description, "another");
    // The line with the key is missing.
    let keyless = "tool:\n  type: prompt\n  name: Tell a joke\n  description: d\n  arguments: []\n";
    let plan = pasting::paste_entries(ComposeContext::from_state(&to), keyless, None).unwrap();
    assert!(plan.notes[0].contains("its name is the key, tell-a-joke"), "{:?}", plan.notes);
    make(&mut to, plan);
    assert_eq!(to.catalog.tool(&id(&to, "tell-a-joke")).unwrap().name, "Tell a joke");
    // As in a console, with no space behind its colons.
    let request = "POST /_plugins/_ml/agents/_register\n{\"name\":\"A\",\"type\":\"flow\",\"tools\":[{\"type\":\"ListIndexTool\"}]}";
    let plan = pasting::paste_entries(ComposeContext::from_state(&to), request, None).unwrap();
    assert!(!plan.changes.is_empty());
    let broken = request.replace("}]}", "},]}");
    let why = pasting::paste_entries(ComposeContext::from_state(&to), &broken, None).unwrap_err();
    assert!(why.starts_with("in these requests: line 2, column"), "{why}");
    for bad in ["", "{", "a: b", "- 1"] {
        assert!(
            pasting::paste_entries(ComposeContext::from_state(&to), bad, None).is_err(),
            "{bad}"
        );
    }
    let mut empty = opened(&[]);
    let plan = pasting::paste_entries(ComposeContext::from_state(&empty), &copied, None).unwrap();
    make(&mut empty, plan);
    assert_eq!((empty.catalog.tools.len(), empty.catalog.services.len()), (1, 1));
}

#[test]
fn a_tool_of_another_format_is_pasted_as_one_of_the_workspace() {
    let text = r#"{"name": "get_weather", "description": "The weather of a city",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "description": "Its name"}}, "required": ["city"]},
        "annotations": {"readOnlyHint": true}}"#;
    let mut state = workspace();
    let plan = pasting::paste_entries(ComposeContext::from_state(&state), text, None).unwrap();
    let note = plan.notes.join(" ");
    assert!(note.contains("Converted to TrustGraph."), "{note}");
    make(&mut state, plan);
    let tool = state.catalog.tool(&id(&state, "get_weather")).unwrap();
    assert_eq!(tool.entry.value["type"], "tool-service");
    assert_eq!(tool.entry.value["arguments"][0]["name"], "city");
    let none = pasting::paste_entries(ComposeContext::from_state(&state), "{\"a\": 1}", None);
    assert!(none.unwrap_err().contains("tools of MCP"));
}

#[test]
fn python_functions_and_schemas_with_a_title_are_pasted_as_tools() {
    let python = "@mcp.tool()\ndef get_news(city: str, limit: int = LIMIT) -> str:\n    \
        \"\"\"The news of a city.\n\n    Args:\n        city: Its name\n    \"\"\"\n";
    let schema = r#"{"title": "get_tides", "description": "The tides", "type": "object",
        "properties": {"city": {"type": "string", "description": "Its name"}}, "required": ["city"]}"#;
    let mut state = workspace();
    for (text, name, note) in [
        (
            python,
            "get_news",
            "line 2: limit: its default, which is known when it runs, isn't read.",
        ),
        (schema, "get_tides", "Converted to TrustGraph."),
    ] {
        let plan = pasting::paste_entries(ComposeContext::from_state(&state), text, None).unwrap();
        assert!(plan.notes.join(" ").contains(note), "{:?}", plan.notes);
        make(&mut state, plan);
        let tool = state.catalog.tool(&id(&state, name)).unwrap();
        assert_eq!(tool.entry.value["arguments"][0]["description"], "Its name");
    }
    let broken = "def f(order: Order): pass";
    let why = pasting::paste_entries(ComposeContext::from_state(&state), broken, None).unwrap_err();
    assert!(why.starts_with("line 1: order: the type Order isn't read"), "{why}");
}

#[test]
fn two_steps_at_one_place_are_two_steps_of_undo() {
    let mut state = workspace();
    for group in ["x", "y"] {
        let plan = cells::switch_cells(
            ComposeContext::from_state(&state),
            &[(id(&state, "ask"), Column::Group(group.into()))],
            Switch::On,
            &[],
        )
        .unwrap();
        make(&mut state, plan);
    }
    send(&mut state, Message::Document(DocumentMessage::Undo));
    assert_eq!(text(&state, "tools.yaml").unwrap(), TOOLS.replace("basic]", "basic, x]"));
}

// Properties.

const NAMES: [&str; 4] = ["undefined", "a", "b", "c"];
const GROUPS: [&str; 3] = ["default", "g", "h"];

fn some(names: &'static [&'static str]) -> impl Strategy<Value = Option<Vec<&'static str>>> {
    prop::option::of(prop::collection::vec(prop::sample::select(names), 0..4))
}

/// A workspace of a few tools, each written in one of several ways.
fn any_workspace() -> impl Strategy<Value = String> {
    let tool = (
        some(&NAMES),
        some(&GROUPS),
        prop::option::of(prop::sample::select(&NAMES[..])),
        any::<bool>(),
        any::<bool>(),
    );
    prop::collection::vec(tool, 1..5).prop_map(|tools| {
        let mut text = "tool:\n".to_owned();
        for (row, (states, groups, next, document, block)) in tools.into_iter().enumerate() {
            text.push_str(&format!(
                "  t{row}: # tool {row}\n    type: prompt\n    name: t{row}\n    description: d\n"
            ));
            let list = |key: &str, names: Vec<&str>| match block && !names.is_empty() {
                true => names.iter().fold(format!("    {key}:\n"), |text, name| {
                    text + &format!("      - {name} # why\n")
                }),
                false => format!("    {key}: [{}]\n", names.join(", ")),
            };
            text.extend(groups.map(|groups| list("group", groups)));
            text.extend(next.map(|next| format!("    state: {next}\n")));
            text.extend(states.map(|states| {
                list(if document { "available_in_states" } else { "applicable-states" }, states)
            }));
        }
        text
    })
}

#[derive(Clone, Debug)]
enum Wish {
    Draw(usize, &'static str, &'static str),
    Narrow(usize, &'static str, &'static str),
    FromAny(usize, &'static str),
    MoveTail(usize, &'static str, &'static str),
    MoveHead(usize, &'static str),
    TakeAway(usize, &'static str),
    Everywhere(usize),
    RenameState(&'static str, &'static str),
    DeleteState(&'static str),
    RenameGroup(&'static str, &'static str),
    DeleteGroup(&'static str),
    Group(usize, &'static str, bool),
    State(usize, &'static str, bool),
}

fn wish() -> impl Strategy<Value = Wish> {
    let name = || prop::sample::select(&NAMES[..]);
    let new = || prop::sample::select(&["a", "d", "e f"][..]);
    let group = || prop::sample::select(&["g", "h", "i", "default"][..]);
    prop_oneof![
        (0_usize..4, name(), name()).prop_map(|(tool, from, to)| Wish::Draw(tool, from, to)),
        (0_usize..4, name(), name()).prop_map(|(tool, from, to)| Wish::Narrow(tool, from, to)),
        (0_usize..4, name()).prop_map(|(tool, to)| Wish::FromAny(tool, to)),
        (0_usize..4, name(), name())
            .prop_map(|(tool, from, onto)| Wish::MoveTail(tool, from, onto)),
        (0_usize..4, name()).prop_map(|(tool, to)| Wish::MoveHead(tool, to)),
        (0_usize..4, name()).prop_map(|(tool, from)| Wish::TakeAway(tool, from)),
        (0_usize..4).prop_map(Wish::Everywhere),
        (name(), new()).prop_map(|(from, to)| Wish::RenameState(from, to)),
        name().prop_map(Wish::DeleteState),
        (group(), group()).prop_map(|(from, to)| Wish::RenameGroup(from, to)),
        group().prop_map(Wish::DeleteGroup),
        (0_usize..4, group(), any::<bool>())
            .prop_map(|(tool, group, on)| Wish::Group(tool, group, on)),
        (0_usize..4, name(), any::<bool>())
            .prop_map(|(tool, state, on)| Wish::State(tool, state, on)),
    ]
}

/// What a drawn wish switches a cell to.
fn to(on: bool) -> Switch {
    if on { Switch::On } else { Switch::Off }
}

fn plan(state: &State, wish: &Wish) -> Result<Plan, String> {
    let ground = ComposeContext::from_state(state);
    let tool = |row: usize| {
        state
            .catalog
            .tools
            .get(row)
            .map(|tool| tool.id().clone())
            .ok_or_else(|| "no tool".to_owned())
    };
    let states: Vec<Name> = NAMES.iter().map(|name| Name::from(*name)).collect();
    match *wish {
        Wish::Draw(row, from, to) => {
            arrows::draw_arrow(ground, &tool(row)?, &Tail::State(from.into()), &to.into())
        }
        Wish::Narrow(row, from, to) => {
            arrows::draw_arrow(ground, &tool(row)?, &Tail::Only(from.into()), &to.into())
        }
        Wish::FromAny(row, to) => arrows::draw_arrow(ground, &tool(row)?, &Tail::Every, &to.into()),
        Wish::MoveTail(row, from, onto) => {
            arrows::move_tail(ground, &[tool(row)?], &Tail::State(from.into()), &onto.into())
        }
        Wish::MoveHead(row, to) => arrows::move_head(ground, &[tool(row)?], &to.into()),
        Wish::TakeAway(row, from) => {
            arrows::remove_arrows(ground, &[tool(row)?], &Tail::State(from.into()))
        }
        Wish::Everywhere(row) => arrows::allow_everywhere(ground, &[tool(row)?]),
        Wish::RenameState(from, to) => states::rename_state(ground, from, to),
        Wish::DeleteState(name) => states::delete_state(ground, name),
        Wish::RenameGroup(from, to) => groups::rename_group(ground, from, to),
        Wish::DeleteGroup(name) => groups::delete_group(ground, name),
        Wish::Group(row, name, on) => cells::switch_cells(
            ground,
            &[(tool(row)?, Column::Group(name.into()))],
            to(on),
            &states,
        ),
        Wish::State(row, name, on) => cells::switch_cells(
            ground,
            &[(tool(row)?, Column::State(name.into()))],
            to(on),
            &states,
        ),
    }
}

/// Whether the filter shows a tool in a context.
fn shows(state: &State, row: usize, groups: &str, at: &str) -> bool {
    let context = Context { groups: Some(vec![groups.into()]), state: Some(at.into()), user: None };
    split_tools(&state.catalog.tools, &context).available.contains(&row)
}

fn next(state: &State, row: usize, at: &str) -> String {
    state.catalog.tools[row].gate.next.as_deref().unwrap_or(at).to_owned()
}

/// What is meant by each wish, in the filter's terms.
fn holds(before: &State, after: &State, wish: &Wish) {
    let everything = |state: &State, row: usize, at: &str| shows(state, row, "*", at);
    // What the wish is not about is as it was.
    let same = |except: &dyn Fn(usize, &str, &str) -> bool| {
        for row in 0..before.catalog.tools.len() {
            for (group, at) in GROUPS
                .iter()
                .chain(&["*"])
                .flat_map(|group| NAMES.iter().map(move |at| (*group, *at)))
            {
                if !except(row, group, at) {
                    assert_eq!(
                        shows(before, row, group, at),
                        shows(after, row, group, at),
                        "t{row} under {group} in {at}"
                    );
                }
            }
        }
    };
    match *wish {
        Wish::Draw(row, from, to) => {
            assert!(everything(after, row, from));
            assert_eq!(next(after, row, from), to);
            same(&|of, _, at| of == row && at == from);
        }
        Wish::Narrow(row, from, to) => {
            assert!(NAMES.iter().all(|at| everything(after, row, at) == (*at == from)));
            assert_eq!(next(after, row, from), to);
            same(&|of, _, _| of == row);
        }
        Wish::FromAny(row, to) => {
            assert!(
                NAMES.iter().all(|at| everything(after, row, at) && next(after, row, at) == to)
            );
            same(&|of, _, _| of == row);
        }
        Wish::MoveTail(row, from, onto) => {
            if before.catalog.tools[row].gate.states == States::Every
                || everything(before, row, from)
            {
                assert!(everything(after, row, onto));
                assert!(
                    from == onto
                        || !everything(after, row, from)
                        || after.catalog.tools[row].gate.states == States::Every
                );
            }
            same(&|of, _, _| of == row);
        }
        Wish::MoveHead(row, to) => {
            assert_eq!(next(after, row, "undefined"), to);
            same(&|_, _, _| false);
        }
        Wish::TakeAway(row, from) => {
            match before.catalog.tools[row].gate.states {
                States::Every => assert!(after.catalog.tools[row].gate.next.is_none()),
                States::Only(_) => assert!(!everything(after, row, from)),
            }
            same(&|of, _, at| {
                of == row && (at == from || before.catalog.tools[row].gate.next.is_none())
            });
        }
        Wish::Everywhere(row) => {
            assert!(NAMES.iter().all(|at| everything(after, row, at)));
            same(&|of, _, _| of == row);
        }
        Wish::RenameState(from, to) => {
            let known = Workflow::new(&after.catalog.tools, &Context::default());
            assert!(known.state_row(from).is_none());
            for row in 0..before.catalog.tools.len() {
                assert_eq!(
                    everything(after, row, to),
                    everything(before, row, from) || everything(before, row, to)
                );
            }
        }
        Wish::DeleteState(name) => {
            assert!(
                Workflow::new(&after.catalog.tools, &Context::default()).state_row(name).is_none()
            );
            same(&|_, _, at| at == name);
        }
        Wish::RenameGroup(from, to) => {
            for (row, at) in
                (0..before.catalog.tools.len()).flat_map(|row| NAMES.map(|at| (row, at)))
            {
                assert_eq!(
                    shows(after, row, to, at),
                    shows(before, row, from, at) || shows(before, row, to, at)
                );
                assert!(!shows(after, row, from, at));
            }
        }
        Wish::DeleteGroup(name) => {
            // A tool in no other group is in default whether it says so or not.
            let stays = |row: usize| {
                name == DEFAULT_GROUP && *after.catalog.tools[row].gate.groups() == [name.into()]
            };
            assert!(NAMES.iter().all(|at| {
                (0..after.catalog.tools.len()).all(|row| stays(row) || !shows(after, row, name, at))
            }));
            same(&|_, group, _| group == name);
        }
        Wish::Group(row, name, on) => {
            assert!(
                NAMES
                    .iter()
                    .all(|at| shows(after, row, name, at) == (on && everything(before, row, at)))
            );
            same(&|of, group, _| of == row && group == name);
        }
        Wish::State(row, name, on) => {
            assert_eq!(everything(after, row, name), on);
            same(&|of, _, at| of == row && at == name);
        }
    }
}

#[test]
fn default_is_deleted_where_tools_name_it_beside_others() {
    let text = "tool:\n  a: {type: text-completion, name: a, description: d, group: [default, see]}\n  \
                b: {type: text-completion, name: b, description: d}\n";
    let mut state = opened(&[("tools.yaml", text)]);
    let plan = groups::delete_group(ComposeContext::from_state(&state), DEFAULT_GROUP).unwrap();
    make(&mut state, plan);
    let groups = |row: usize| state.catalog.tools[row].gate.groups().join(" ");
    assert_eq!([groups(0), groups(1)], ["see", "default"]);
    let again = groups::delete_group(ComposeContext::from_state(&state), DEFAULT_GROUP);
    assert!(again.unwrap_err().contains("name no group are in default"));
}

#[test]
fn the_first_group_that_is_ticked_is_requested_alone_where_no_tool_is_in_default() {
    let tick = |group: &str| {
        let text =
            format!("tool:\n  a: {{type: text-completion, name: a, description: d{group}}}\n");
        let mut state = opened(&[("tools.yaml", &text)]);
        send(&mut state, Message::Workflow(WorkflowMessage::ToggleGroup("see".into())));
        state.context().groups.unwrap_or_default().join(" ")
    };
    assert_eq!(tick(", group: [see]"), "see");
    assert_eq!(tick(""), "default see");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn after_a_wish_the_filter_agrees_and_undo_gives_the_bytes_back(text in any_workspace(), wish in wish()) {
        let before = opened(&[("tools.yaml", &text), ("toolcrib.toml", SETTINGS)]);
        let mut after = opened(&[("tools.yaml", &text), ("toolcrib.toml", SETTINGS)]);
        if let Ok(plan) = plan(&after, &wish) {
            make(&mut after, plan);
            prop_assert!(texts(&after) != texts(&before), "a plan changes something");
            holds(&before, &after, &wish);
            send(&mut after, Message::Document(DocumentMessage::Undo));
            prop_assert_eq!(texts(&after), texts(&before));
        }
    }
}
