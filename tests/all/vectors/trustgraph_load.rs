//! Ops `validate` and `load`: what TrustGraph as deployed makes of tools.

use serde_json::{Map, Value, json};
use toolcrib::systems::trustgraph::load::{self, Services};

fn compare(found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("found {found}, expected {expected}")) }
}

pub fn validate(case: &Value) -> Result<(), String> {
    let found = match load::gate_fault(&case["tool"]) {
        None => json!({"ok": true}),
        Some(fault) => json!({"ok": false, "field": fault.field}),
    };
    compare(&found, &case["expect"])
}

pub fn load(case: &Value) -> Result<(), String> {
    let entries = |kind: &str| case["config"][kind].as_object().cloned().unwrap_or_default();
    let (tools, services) = (entries("tool"), entries("tool-service"));
    let services: Services<'_> =
        services.iter().map(|(key, value)| (key.as_str(), value)).collect();
    match load::load_tools(tools.iter().map(|(key, value)| (key.as_str(), value)), &services) {
        Ok(loaded) => {
            let expected = case["expect"]["tools"]
                .as_object()
                .ok_or("loaded, though an error was expected")?;
            let found: Map<String, Value> = loaded
                .iter()
                .map(|tool| {
                    let whole = json!({
                        "arguments": tool.arguments, "config_values": tool.config_values,
                        "request_queue": tool.request_queue, "response_queue": tool.response_queue,
                    });
                    // A case names only what it is about.
                    let asked = expected
                        .get(&tool.name)
                        .and_then(Value::as_object)
                        .cloned()
                        .unwrap_or_default();
                    (
                        tool.name.clone(),
                        asked.keys().map(|key| (key.clone(), whole[key].clone())).collect(),
                    )
                })
                .collect();
            compare(&found.into(), &case["expect"]["tools"])
        }
        Err(error) => {
            let expected = &case["expect"]["error"];
            if !error.logged.contains(expected["contains"].as_str().unwrap_or("\u{0}")) {
                return Err(format!("logs {:?}, expected {expected}", error.logged));
            }
            compare(
                &json!([error.code.to_string(), error.tool]),
                &json!([expected["code"], expected["tool"]]),
            )
        }
    }
}
