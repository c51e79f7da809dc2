//! `toolcrib serve --mcp`: calls that go on as tasks, in both eras.

use serde_json::json;

use super::mcp_serve::{Client, kept, pair, place, text};

const STUB: [&str; 2] = ["--stub", "stub.yaml"];

#[test]
fn a_call_that_takes_its_time_becomes_a_task_of_a_modern_client() {
    let place = place();
    let mut client = Client::modern(&place, &STUB);
    let discovered = client.ask("server/discover", json!({}));
    let capabilities = &discovered["result"]["capabilities"];
    assert_eq!(capabilities["extensions"], json!({"io.modelcontextprotocol/tasks": {}}));
    assert!(capabilities.get("tasks").is_none(), "{capabilities}");
    let refused = client.ask("tasks/get", json!({"taskId": "x"}));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");

    client.capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let quick = client.call("Ask_the_Graph", json!({"question": "brokenly"}));
    assert_eq!(quick["result"]["resultType"], "complete", "{quick}");
    let made = client.call("Ask_the_Graph", json!({"question": "endlessly"}));
    let task = &made["result"];
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")));
    assert!(task["ttlMs"].is_u64() && task["pollIntervalMs"].is_u64(), "{task}");
    assert!(task.get("ttl").is_none() && task.get("result").is_none(), "{task}");
    let about = json!({"taskId": task["taskId"]});
    assert_eq!(client.ask("tasks/get", about.clone())["result"]["status"], "working");
    for _ in 0..2 {
        // Also once it has ended.
        let cancelled = client.ask("tasks/cancel", about.clone());
        let result = cancelled["result"].as_object().unwrap();
        assert_eq!(result["resultType"], "complete", "{cancelled}");
        assert!(!result.contains_key("taskId") && !result.contains_key("status"), "{cancelled}");
    }
    assert_eq!(client.ask("tasks/get", about)["result"]["status"], "cancelled");
    assert_eq!(client.ask("tasks/get", json!({"taskId": "x"}))["error"]["code"], -32602);
    assert_eq!(client.ask("tasks/result", json!({"taskId": "x"}))["error"]["code"], -32601);
    assert_eq!(client.close().0, Some(0));
    assert!(kept(&place).contains(&pair("Ask the Graph", "cancelled")));
}

#[test]
fn a_client_of_2025_11_25_asks_for_a_task_and_for_its_result() {
    let place = place();
    let mut client = Client::of_version(&place, &STUB, "2025-11-25");
    let listed = client.ask("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"][0]["execution"]["taskSupport"], "optional", "{listed}");
    let call =
        json!({"name": "Ask_the_Graph", "arguments": {"question": "x"}, "task": {"ttl": 60_000}});
    let made = client.ask("tools/call", call);
    let task = &made["result"]["task"];
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(60_000)), "{made}");
    let about = json!({"taskId": task["taskId"]});
    let answer = client.ask("tasks/result", about.clone());
    assert_eq!(text(&answer), "one and two");
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/related-task"], about);
    assert_eq!(client.ask("tasks/get", about.clone())["result"]["status"], "completed");
    assert_eq!(client.ask("tasks/cancel", about.clone())["error"]["code"], -32602);
    assert_eq!(client.ask("tasks/update", about)["error"]["code"], -32601);
    assert_eq!(client.close().0, Some(0));

    let mut older = Client::legacy(&place, &STUB);
    assert_eq!(older.ask("tasks/get", json!({"taskId": "x"}))["error"]["code"], -32601);
    let listed = older.ask("tools/list", json!({}));
    assert!(listed["result"]["tools"][0].get("execution").is_none(), "{listed}");
}
