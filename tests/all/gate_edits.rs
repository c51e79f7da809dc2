//! Edits of a tool's gate: the files say afterwards what the edit says, whether the gate stands in
//! the tool's own entry or in the settings.

use std::sync::Arc;

use proptest::prelude::*;
use toolcrib::{
    app::{
        compose::context::ComposeContext,
        message::{DocumentMessage, Loaded, Message},
        state::{Start, State},
        update::update,
    },
    engine::gate_edit::GateEdit,
    model::{clock::Millis, context::Name, entry::FileId},
    syntax::source::{Format, Source},
};

fn edit() -> impl Strategy<Value = GateEdit> {
    let name = || {
        proptest::sample::select(&["a", "b", "default", "undefined", "s"][..]).prop_map(Name::from)
    };
    prop_oneof![
        name().prop_map(GateEdit::AddGroup),
        name().prop_map(GateEdit::RemoveGroup),
        proptest::collection::vec(name(), 0..3).prop_map(GateEdit::InGroups),
        name().prop_map(GateEdit::AddState),
        name().prop_map(GateEdit::RemoveState),
        Just(GateEdit::Everywhere),
        proptest::collection::vec(name(), 0..3).prop_map(GateEdit::OnlyIn),
        proptest::option::of(name()).prop_map(GateEdit::LeadTo),
    ]
}

fn names() -> impl Strategy<Value = Option<&'static str>> {
    proptest::option::of(proptest::sample::select(&["[]", "[\"a\"]", "[\"a\", \"b\", \"a\"]"][..]))
}

fn next() -> impl Strategy<Value = Option<&'static str>> {
    proptest::option::of(proptest::sample::select(&["a", "s"][..]))
}

/// A tool whose entry holds its gate.
fn own_entry() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let block = Just(Some("\n      - a  # why\n      - s"));
    let list = || prop_oneof![names(), block];
    let key = proptest::sample::select(&["applicable-states", "available_in_states"][..]);
    (list(), list(), key, next()).prop_map(|(groups, states, key, next)| {
        let mut text = "tool:\n  one:\n    type: knowledge-query\n".to_owned();
        text.extend(groups.map(|list| format!("    group: {list}\n")));
        text.extend(states.map(|list| format!("    {key}: {list}\n")));
        text.extend(next.map(|next| format!("    state: {next}\n")));
        vec![("t.yaml", text)]
    })
}

/// A tool of each system whose gates the settings hold, with settings and without.
fn in_settings() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let mcp = (
        "mcp/my server.json",
        r#"{"server": "my server", "version": "2026-07-28", "tools": [{"name": "a.b", "inputSchema": {"type": "object"}}]}"#,
        "mcp.\"my server\".tools.\"a.b\"",
    );
    let opensearch = (
        "t.json",
        r#"{"type": "DynamicTool", "name": "one", "parameters": {"method": "GET", "uri": "/"}}"#,
        "opensearch.tools.one",
    );
    let commonground = (
        "t.yaml",
        "tool_name: one\ntarget_subject: x\nafter_execution: suspend\n",
        "commonground.tools.one",
    );
    let unique = (
        "t.json",
        r#"{"name": "one", "configuration": {}, "selectionPolicy": "ByUser"}"#,
        "unique.tools.one",
    );
    let tool = proptest::sample::select(vec![mcp, opensearch, commonground, unique]);
    let table = proptest::option::of((names(), names(), next()));
    (tool, table, any::<bool>()).prop_map(|((file, text, table), gate, has_settings)| {
        let mut files = vec![(file, text.to_owned())];
        let mut settings = "# mine\nname = \"lab\" # and this\n".to_owned();
        if let Some((groups, states, next)) = &gate {
            settings.push_str(&format!("\n[{table}] # gate\n"));
            settings.extend(groups.map(|list| format!("groups = {list}\n")));
            settings.extend(states.map(|list| format!("states = {list} # why\n")));
            settings.extend(next.map(|next| format!("next = \"{next}\"\n")));
        }
        if has_settings || gate.is_some() {
            files.push(("toolcrib.toml", settings));
        }
        files
    })
}

fn opened(files: &[(&str, String)]) -> State {
    let mut state = State::new(Start::default());
    let loaded = |(name, text): &(&str, String)| {
        let text: Arc<str> = text.as_str().into();
        let format = Format::from_path(std::path::Path::new(name)).unwrap();
        let source = Source::parse(format, text.clone());
        (FileId::new(*name), Loaded { source, text, held: None })
    };
    let files: Vec<_> = files.iter().map(loaded).collect();
    let names = files.iter().map(|(name, _)| name.clone()).collect();
    let messages = [
        DocumentMessage::Loaded(files),
        DocumentMessage::LoadEnded { names, skipped: Vec::new(), unread: Vec::new() },
    ];
    for message in messages {
        update(&mut state, Message::Document(message), Millis(1));
    }
    state
}

fn texts(state: &State) -> Vec<(FileId, String)> {
    state
        .documents
        .iter()
        .map(|(file, document)| (file.clone(), document.text.to_string()))
        .collect()
}

proptest! {
    /// The edited files read as the edited gate, and one undo gives the old ones back.
    #[test]
    fn the_files_say_what_the_edit_says(
        files in prop_oneof![own_entry(), in_settings()],
        edit in edit(),
    ) {
        let mut state = opened(&files);
        prop_assert_eq!(state.catalog.tools.len(), 1);
        let (tool, before) = (Arc::clone(&state.catalog.tools[0]), texts(&state));
        let wanted = edit.apply_to(&tool.gate);
        let changes = ComposeContext::from_state(&state).regate_changes([(&*tool, &wanted)]);
        prop_assert_eq!(changes.is_empty(), wanted == tool.gate);
        let label = "gate".to_owned();
        let change = Message::Document(DocumentMessage::Change { label, changes: changes.clone() });
        update(&mut state, change, Millis(1));
        prop_assert_eq!(&state.catalog.tools[0].gate, &wanted, "{:?}", texts(&state));
        let settings = texts(&state).into_iter().find(|(file, _)| file.as_str() == "toolcrib.toml");
        if files.len() > 1 {
            let settings = settings.unwrap().1;
            prop_assert!(settings.starts_with("# mine\nname = \"lab\" # and this\n"), "{}", settings);
        }
        if !changes.is_empty() {
            update(&mut state, Message::Document(DocumentMessage::Undo), Millis(2));
        }
        prop_assert_eq!(texts(&state), before);
    }
}
