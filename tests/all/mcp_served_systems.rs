//! Tools of TrustGraph, CommonGround and OpenSearch in one workspace, called by an MCP client through
//! `toolcrib serve --mcp`.

use std::fs;

use serde_json::json;

use super::mcp_serve::{Client, kept, names, pair, text};
use crate::support::{cluster::MemoryCluster, commonground::CommonGround, place::Place};

const TRUSTGRAPH: &str = "
tool:
  summarize:
    type: tool-service
    name: summarize
    description: Summarizes what is known
    service: custom-rag
    collection: customers
    group: [read]
    state: done
    available_in_states: [stored]
    arguments: [{name: question, type: string, description: What to summarize}]
  purge:
    type: text-completion
    name: purge
    description: Purges
    group: [admin]
";

const COMMONGROUND: &str = include_str!("../../samples/commonground/tools/word_count.yaml");

const OPENSEARCH: &str = r#"{"type": "DynamicTool", "name": "put_book", "description": "Stores a book",
    "parameters": {"method": "PUT", "uri": "/books/_doc/${parameters.id}?refresh=true",
        "request_body": "{\"text\": \"${parameters.text}\"}"}}"#;

#[test]
fn tools_of_each_system_are_called_and_move_the_state_for_all() {
    let cluster = MemoryCluster::start();
    let there = CommonGround::start();
    there.put(&[COMMONGROUND]);
    let place = Place::with(&[
        ("tools.yaml", TRUSTGRAPH),
        ("services.yaml", include_str!("../../samples/demo/services.yaml")),
        ("tools/word_count.yaml", COMMONGROUND),
        ("tools/put-book.json", OPENSEARCH),
    ]);
    // TrustGraph's go to the services that toolcrib brings along.
    let ground = there
        .settings()
        .replace("connection = \"cg\"", "connection = \"embedded\"")
        .replace("[connections.cg]\n", "[connections.cg]\ntools = [\"word_count\"]\n");
    let settings = format!(
        "{ground}[context]\ngroups = [\"read\"]\n\
         [connections.cluster]\ntransport = \"http\"\nservers = [\"{}\"]\ntools = [\"put_book\"]\n\
         [opensearch.tools.put_book]\ngroups = [\"read\"]\nstates = [\"undefined\"]\nnext = \"stored\"\n",
        cluster.url
    );
    fs::write(place.here.join("toolcrib.toml"), settings).unwrap();
    let mut client = Client::legacy(&place, &[]);
    let sorted = |client: &mut Client| {
        let mut names = client.names();
        names.sort();
        names
    };
    assert_eq!(sorted(&mut client), ["put_book", "word_count"]);
    let systems = client.ask("tools/list", json!({}));
    assert_eq!(names(&systems).len(), 2);

    // CommonGround's have no states: it stays where it is.
    let counted = client.call("word_count", json!({"mode": "map", "text": "one two two"}));
    assert!(text(&counted).contains(r#""two":2"#), "{counted}");
    assert_eq!(sorted(&mut client), ["put_book", "word_count"]);

    // OpenSearch's leads on, as toolcrib.toml says, and the client is told.
    let book = json!({"name": "put_book", "arguments": {"id": "1", "text": "The wind blows"}});
    client.send(2, "tools/call", book);
    let (mut changed, mut stored) = (false, None);
    while !changed || stored.is_none() {
        let message = client.next();
        changed |= message["method"] == "notifications/tools/list_changed";
        stored = stored.or((message["id"] == 2).then_some(message));
    }
    let stored = stored.unwrap();
    assert!(text(&stored).contains("created"), "{stored}");
    assert_eq!(sorted(&mut client), ["summarize", "word_count"]);
    let hidden = client.call("put_book", json!({"id": "2", "text": "x"}));
    assert!(text(&hidden).contains("is not available"), "{hidden}");
    let closed = client.call("purge", json!({"question": "x"}));
    assert!(text(&closed).contains("admin"), "{closed}");

    // TrustGraph's is there now, and leads to a state without it.
    let done = client.call("summarize", json!({"question": "What blows?"}));
    assert_ne!(done["result"]["isError"], true, "{done}");
    assert_eq!(sorted(&mut client), ["word_count"]);
    assert_eq!(client.close().0, Some(0));
    let succeeded = ["put_book", "summarize", "word_count"].map(|tool| pair(tool, "succeeded"));
    assert_eq!(kept(&place), succeeded);
}
