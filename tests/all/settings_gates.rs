//! Groups, states and next states of tools whose own files have no room for them, on the screen:
//! tools of several systems and servers in one workflow, edited as those of TrustGraph are.

use toolcrib::{
    app::{
        compose::{context::ComposeContext, groups, states},
        message::{DocumentMessage, Message, ScreenId},
        workflow::WorkflowMessage,
    },
    model::{entry::FileId, tool::States},
};

use crate::support::workbench::Workbench;

const SETTINGS: &str = "# mine\nname = \"lab\"\n\n[mcp.files.tools.write]\ngroups = [\"admin\"] # not for all\n\n[opensearch.tools.node_stats]\nstates = [\"ready\"]\n";

const FILES: &[(&str, &str)] = &[
    (
        "lamp.yaml",
        "tool_name: lamp_switch\ndescription: A lamp.\ntarget_subject: x\nafter_execution: suspend\nparameters: {type: object}\n",
    ),
    (
        "mcp/files.json",
        r#"{"server": "files", "version": "2026-07-28", "tools": [
  {"name": "read", "description": "Reads.", "inputSchema": {"type": "object"}},
  {"name": "write", "description": "Writes.", "inputSchema": {"type": "object"}}
]}"#,
    ),
    (
        "mcp/sky.json",
        r#"{"server": "sky", "version": "2026-07-28", "tools": [
  {"name": "read", "description": "Reads the sky.", "inputSchema": {"type": "object"}}
]}"#,
    ),
    (
        "stats.json",
        r#"{"type": "DynamicTool", "name": "node_stats", "description": "Stats.", "parameters": {"method": "GET", "uri": "/"}}"#,
    ),
    ("space.json", r#"[{"name": "WebSearch", "configuration": {}, "selectionPolicy": "ByUser"}]"#),
    (
        "tools.yaml",
        "tool:\n  query:\n    type: knowledge-query\n    name: query\n    description: Asks.\n    group: [read-only]\n    state: ready\n",
    ),
    ("toolcrib.toml", SETTINGS),
];

fn opened((width, height): (u16, u16)) -> Workbench {
    Workbench::files(FILES, width, height)
}

fn settings(bench: &Workbench) -> String {
    let document = bench.state.documents.get(&FileId::new("toolcrib.toml"));
    document
        .filter(|document| !document.gone)
        .map(|document| document.text.to_string())
        .unwrap_or_default()
}

#[test]
fn what_is_found_of_a_gate_in_the_settings_names_its_tool() {
    let settings = SETTINGS.replace("groups = [\"admin\"] # not for all", "next = \"nowhere\"");
    let own = |(name, text): &(&'static str, &'static str)| match *name {
        "toolcrib.toml" => (*name, settings.clone()),
        name => (name, (*text).to_owned()),
    };
    let files: Vec<(&str, String)> = FILES.iter().map(own).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    let bench = Workbench::files(&files, 120, 36);
    let mut findings = bench.state.findings.iter();
    let found = findings.find(|found| found.code == "states.never-awaited").unwrap();
    assert!(found.message.starts_with("files/write: this tool leads"), "{}", found.message);
    // The server has a row of its own.
    assert!(bench.shows("◇ files toolcrib.toml"), "{}", bench.screen());
}

/// Groups, states and next state of a tool, in a few letters.
fn gate(bench: &Workbench, key: &str) -> String {
    let gate = &bench.state.catalog.tools.iter().find(|tool| tool.entry.key == key).unwrap().gate;
    let groups = gate.groups.as_ref().map_or("all".to_owned(), |groups| groups.join(" "));
    let states = match &gate.states {
        States::Every => "any".to_owned(),
        States::Only(listed) => listed.join(" "),
    };
    format!("{groups} | {states} | {}", gate.next.as_deref().unwrap_or("stays"))
}

fn asking(bench: &mut Workbench, groups: &[&str]) {
    let groups = groups.iter().map(|group| (*group).into()).collect();
    bench.send(Message::Workflow(WorkflowMessage::SetGroups(Some(groups))));
    bench.draw();
}

/// Finds a state in the picture, which has the keys.
fn find(bench: &mut Workbench, name: &str) {
    bench.keys("/");
    bench.types(name);
    bench.keys("enter");
}

#[test]
fn tables_of_all_systems_are_read() {
    let bench = opened((120, 36));
    assert_eq!(gate(&bench, "files/write"), "admin | any | stays");
    assert_eq!(gate(&bench, "node_stats"), "all | ready | stays");
    assert_eq!(gate(&bench, "sky/read"), "all | any | stays");
}

#[test]
fn groups_are_ticked_in_the_matrix() {
    let mut bench = opened((160, 48)).on(ScreenId::Workflow);
    bench.keys("v /");
    bench.types("sky");
    bench.keys("tab");
    bench.types("read-only");
    bench.keys("enter");
    assert!(bench.shows("sky/read × group read-only"), "{}", bench.screen());
    assert!(
        bench.shows(
            "sky/read is available to every request now; it will be available only to requests for"
        ),
        "{}",
        bench.screen()
    );
    bench.keys("space");
    assert_eq!(gate(&bench, "sky/read"), "read-only | any | stays");
    assert_eq!(gate(&bench, "files/read"), "all | any | stays");
    let text = settings(&bench);
    assert!(text.starts_with("# mine\nname = \"lab\"\n"), "{text}");
    assert!(text.contains("\n[mcp.sky.tools.read]\ngroups = [\"read-only\"]\n"), "{text}");
    // Tables that hold nothing but others need no headers.
    for header in ["[mcp]", "[mcp.sky]", "[mcp.sky.tools]"] {
        assert!(!text.contains(header), "{text}");
    }
    bench.keys("space");
    assert_eq!(gate(&bench, "sky/read"), "all | any | stays");
    bench.keys("u");
    assert_eq!(gate(&bench, "sky/read"), "read-only | any | stays");
    bench.keys("u");
    assert_eq!(settings(&bench), SETTINGS);
}

#[test]
fn arrows_are_drawn_for_tools_of_every_system() {
    let mut bench = opened((200, 60)).on(ScreenId::Workflow);
    asking(&mut bench, &["read-only", "admin"]);
    bench.keys("shift+tab");
    for (key, after) in [
        ("files/read", "all | ready | undefined"),
        ("lamp_switch", "all | ready | undefined"),
        ("WebSearch", "all | ready | undefined"),
        ("node_stats", "all | ready | undefined"),
    ] {
        find(&mut bench, "ready");
        bench.keys("a");
        find(&mut bench, "undefined");
        bench.keys("enter");
        bench.types(key);
        bench.keys("enter");
        assert!(bench.shows("next = \"undefined\""), "{}", bench.screen());
        bench.keys("enter");
        assert_eq!(gate(&bench, key), after, "{}", settings(&bench));
    }
    assert!(settings(&bench).starts_with("# mine\nname = \"lab\"\n"));
    bench.keys("u u u u");
    assert_eq!(settings(&bench), SETTINGS);
}

#[test]
fn the_form_of_a_tool_has_its_gate() {
    let mut bench = opened((160, 48));
    bench.clicks("sky/read");
    bench.keys("tab");
    assert!(bench.shows("toolcrib.toml"), "{}", bench.screen());
    bench.clicks("next   ");
    bench.keys("enter");
    bench.types("ready");
    bench.keys("enter");
    assert_eq!(gate(&bench, "sky/read"), "all | any | ready", "{}", bench.screen());
    assert!(
        settings(&bench).contains("[mcp.sky.tools.read]\nnext = \"ready\"\n"),
        "{}",
        settings(&bench)
    );
    assert!(
        bench
            .state
            .documents
            .get(&FileId::new("mcp/sky.json"))
            .is_some_and(|list| !list.is_changed())
    );
    bench.keys("esc u");
    assert_eq!(settings(&bench), SETTINGS);
}

#[test]
fn a_renamed_state_and_a_deleted_group_have_their_new_names_in_tables_too() {
    let mut bench = opened((160, 48));
    let plan =
        states::rename_state(ComposeContext::from_state(&bench.state), "ready", "set").unwrap();
    bench.send(Message::Document(DocumentMessage::Compose(plan)));
    assert_eq!(gate(&bench, "node_stats"), "all | set | stays");
    assert_eq!(gate(&bench, "query"), "read-only | any | set");
    let plan = groups::delete_group(ComposeContext::from_state(&bench.state), "admin").unwrap();
    bench.send(Message::Document(DocumentMessage::Compose(plan)));
    assert_eq!(gate(&bench, "files/write"), " | any | stays");
    assert!(settings(&bench).contains("groups = [] # not for all"), "{}", settings(&bench));
}
