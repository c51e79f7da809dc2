//! TrustGraph's own gateway, configuration, agent and MCP service, version 2.11.1, spoken to by the real program.

use std::{fs, path::Path, process::Command};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::gateway::Deployment;

const TOOLS: &str = r#"
tool:
  ask-model: {type: text-completion, name: ask-model, description: Asks, group: [read], state: asked}
  shout:
    {type: prompt, name: shout, description: Shouts, template: shout, group: [read], applicable-states: [asked], state: shouted,
     arguments: [{name: words, type: string, description: What}]}
  broken: {type: prompt, name: broken, description: Fails, template: no-such-prompt, group: [read]}
  unknown: {type: mcp-tool, name: unknown, description: Fails, mcp-tool: nobody, group: [read]}
  joke: {type: tool-service, name: joke, description: Jokes, service: jokes, group: [read]}
tool-service:
  jokes: {id: jokes, request-queue: "request:tg:joke", response-queue: "response:tg:joke"}
"#;

fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tools.yaml"), TOOLS).unwrap();
    folder
}

struct Ran {
    code: Option<i32>,
    data: String,
    words: String,
}

fn toolcrib(folder: &Path, arguments: &[&str]) -> Ran {
    let binary = std::env::var("TOOLCRIB_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_toolcrib").to_owned());
    let output = Command::new(binary).current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), data: text(output.stdout), words: text(output.stderr) }
}

#[test]
fn the_real_gateway() {
    let trustgraph = Deployment::start();
    calls(&trustgraph);
}

fn calls(trustgraph: &Deployment) {
    let folder = workspace();
    for scheme in ["ws", "http"] {
        let url = trustgraph.url(scheme);
        let call = |arguments: &[&str]| toolcrib(folder.path(), &[&["call", "--connection", &url], arguments].concat());
        let asked = call(&["--json", "ask-model", "question=why"]);
        let events: Vec<Value> = asked.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let text: String = events.iter().filter_map(|event| event["text"].as_str()).collect();
        assert_eq!((asked.code, text.as_str()), (Some(0), "The answer is why."), "{}", asked.words);
        let pieces = events.iter().filter(|event| event["event"] == "chunk").count();
        assert_eq!(pieces, if scheme == "ws" { 4 } else { 1 }, "{}", asked.data);
        let shouted = call(&["shout", "words=hey there"]);
        assert_eq!(shouted.data.trim_end(), if scheme == "ws" { "HEY HEY THERE." } else { "HEY hey there." });
        for (tool, word) in [("broken", "language model failed"), ("unknown", "MCP tool that it does not know")] {
            let failed = call(&[tool]);
            assert_eq!(failed.code, Some(1), "{}", failed.words);
            assert!(failed.words.contains("empty-answer") && failed.words.contains(word), "{}", failed.words);
        }
        let joke = call(&["joke"]);
        assert!(joke.code == Some(2) && joke.words.contains("no endpoint for tool services"), "{}", joke.words);
    }
}
