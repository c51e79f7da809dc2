//! One workflow over the tools of two MCP servers and of TrustGraph: simulated, and stepped for
//! real.

use std::{fs, io::Write};

use serde_json::json;

use super::{
    mcp_live::{python, script},
    mcp_serve::{Client, kept, pair, text},
};
use crate::support::place::Place;

const TOOLS: &str = "
tool:
  summarize:
    type: tool-service
    name: summarize
    description: Summarizes what is known
    service: custom-rag
    collection: customers
    group: [work]
    state: undefined
    available_in_states: [counted]
    arguments: [{name: question, type: string, description: What to summarize}]
";

const GATES: &str = r#"
[connections.embedded]
tools = ["summarize"]

[mcp.one.tools.echo]
groups = ["work"]
states = ["undefined"]
next = "echoed"

[mcp.two.tools.count]
groups = ["work"]
states = ["echoed"]
next = "counted"
"#;

const SCENARIO: &str = "
name: three systems
start: {groups: [work], state: undefined}
steps:
  - tool: one/echo
    expect: {hidden: [two/count, summarize], state: echoed}
  - tool: one/echo
    expect: {refused: true, state: echoed}
  - tool: two/count
    expect: {hidden: [one/echo, summarize], state: counted}
  - tool: summarize
    expect: {hidden: [two/count], state: undefined}
";

/// A workspace with the tools of two servers, gated beside those of TrustGraph.
fn mixed_place() -> Place {
    let place = Place::with(&[
        ("toolcrib.toml", "name = \"lab\"\n[context]\ngroups = [\"work\"]\n"),
        ("tools.yaml", TOOLS),
        ("services.yaml", include_str!("../../samples/demo/services.yaml")),
        ("scenarios/three.yaml", SCENARIO),
    ]);
    for name in ["one", "two"] {
        place.run(&["mcp", "add", name, "--", &python(), &script()]).ended(0, &[]);
        place.run(&["mcp", "keep", name]).ended(0, &[]);
    }
    let settings = fs::OpenOptions::new().append(true).open(place.here.join("toolcrib.toml"));
    settings.unwrap().write_all(GATES.as_bytes()).unwrap();
    place
}

#[test]
fn a_scenario_goes_over_tools_of_several_servers_and_of_trustgraph() {
    let place = mixed_place();
    place.run(&["simulate"]).ended(0, &["1 scenario passed"]);
    let why = place.run(&["tools", "--why", "two/count"]);
    assert!(why.data.contains("echoed"), "{}", why.data);
    let wrong = SCENARIO
        .replace("state: counted}\n  - tool: summarize", "state: echoed}\n  - tool: summarize");
    fs::write(place.here.join("scenarios/three.yaml"), wrong).unwrap();
    place.run(&["simulate"]).ended(1, &[]);
}

#[test]
fn the_same_steps_are_made_for_real() {
    let place = mixed_place();
    let mut client = Client::legacy(&place, &[]);
    let has = |client: &mut Client| {
        let names = client.names();
        ["echo", "count_2", "summarize"].map(|name| names.iter().any(|known| known == name))
    };
    assert_eq!(has(&mut client), [true, false, false]);
    assert_eq!(text(&client.call("echo", json!({"text": "hi"}))), "hi");
    assert_eq!(has(&mut client), [false, true, false]);
    assert_eq!(text(&client.call("count_2", json!({"to": 2}))), "counted");
    assert_eq!(has(&mut client), [false, false, true]);
    let done = client.call("summarize", json!({"question": "What is known?"}));
    assert_ne!(done["result"]["isError"], true, "{done}");
    assert_eq!(has(&mut client), [true, false, false]);
    assert_eq!(client.close().0, Some(0));
    assert_eq!(kept(&place), ["count", "echo", "summarize"].map(|tool| pair(tool, "succeeded")));
}
