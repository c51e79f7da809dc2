//! Tools of MCP servers that TrustGraph calls (`mcp-tool`): made of a server's tools on the screen,
//! and held against what the server lists now.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use toolcrib::{
    app::{
        connection_test::{ConnectionReport, Report},
        effect::Effect,
        message::{ConnectionMessage, Message, ScreenId},
    },
    systems::facets::kept_tools::ListedTools,
};

use crate::support::{
    place::Place,
    services::{program, script},
    workbench::Workbench,
};

const SETTINGS: &str = "connection = \"sky\"\n[connections.sky]\nsystem = \"mcp\"\nservers = \"http://127.0.0.1:9/mcp\"\n";

/// The answer to the last test of the server: these tools.
fn answer_test(bench: &mut Workbench, tools: &[Value]) {
    let turn = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::TestConnection { turn, .. } => Some(*turn),
        _ => None,
    });
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
}

fn tool(name: &str, argument: &str) -> Value {
    let schema = json!({"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]});
    json!({"name": name, "description": "Makes a picture", "inputSchema": schema})
}

#[test]
fn what_was_made_of_a_server_is_held_against_what_it_lists_now() {
    let mut bench = Workbench::files(&[("toolcrib.toml", SETTINGS)], 120, 36);
    bench = bench.on(ScreenId::Connections);
    bench.keys("t");
    answer_test(&mut bench, &[tool("draw", "colour")]);
    bench.keys("@adopt-tools space enter");
    assert!(bench.shows("Make TrustGraph tools of sky"), "{}", bench.screen());
    bench.keys("enter");
    let id = bench.state.catalog.tool_called("draw").expect("it is made").id().clone();
    bench.send(Message::Select(id));
    bench = bench.on(ScreenId::Tools);
    assert!(!bench.shows("server.arguments-differ"), "{}", bench.screen());

    // The server's tool wants another argument now.
    bench.keys("6");
    bench.keys("t");
    answer_test(&mut bench, &[tool("draw", "shade")]);
    let codes: Vec<&str> = bench.state.findings.iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&"server.arguments-differ"), "{codes:?}");
    bench.keys("1");
    assert!(bench.shows("draw of sky: shade is"), "at the field:\n{}", bench.screen());

    // It has another name now.
    bench.keys("6");
    bench.keys("t");
    answer_test(&mut bench, &[tool("drawn", "colour")]);
    let found = bench.state.findings.iter().find(|finding| finding.code == "server.tool-unknown");
    let fix = found.and_then(|finding| finding.fix.as_ref()).map(|fix| fix.label.as_str());
    assert_eq!(fix, Some("change to \"drawn\""));
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_check_asks_the_server_that_a_connection_leads_to() {
    let place = Place::with(&[]);
    let mut child = Command::new(program("TOOLCRIB_PYTHON"))
        .arg(script("mcp_http_server.py"))
        .arg(place.home.path().join("requests"))
        .arg("legacy")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let _server = Server(child);
    let url = format!("http://127.0.0.1:{}/mcp", line.trim().rsplit(' ').next().unwrap());
    let settings = format!("[connections.web]\nsystem = \"mcp\"\nservers = \"{url}\"\n");
    let entries = format!(
        "mcp:\n  e: {{url: '{url}', remote-name: ecko}}\ntool:\n  e: {{type: mcp-tool, name: e, description: d, mcp-tool: e, group: [a],\n    arguments: [{{name: txt, type: string, description: d}}]}}\n"
    );
    std::fs::write(place.here.join("toolcrib.toml"), settings).unwrap();
    std::fs::write(place.here.join("t.yaml"), &entries).unwrap();
    let found = |words: &[&str]| -> Vec<String> {
        let found = place.json(&[&["check", "--json"], words].concat());
        let of_server = |it: &&Value| it["code"].as_str().unwrap().starts_with("server.");
        let shown = |it: &Value| format!("{} {} {}", it["code"], it["line"], it["message"]);
        found.as_array().unwrap().iter().filter(of_server).map(shown).collect()
    };
    // Nobody was asked, and nothing is kept.
    assert_eq!(found(&[]), [""; 0]);
    let told = found(&["--connection", "web"]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("server.tool-unknown") && told[0].contains("did you mean"),
        "{told:?}"
    );
    std::fs::write(place.here.join("t.yaml"), entries.replace("ecko", "echo")).unwrap();
    let told = found(&["--connection", "web"]);
    assert!(told.len() == 1 && told[0].contains("server.arguments-differ"), "{told:?}");
}
