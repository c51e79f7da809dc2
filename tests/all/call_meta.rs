//! What a call says beside its arguments, in `_meta`: its forms in Invoke, how it is checked and
//! sent, and how it is kept.

use serde_json::{Value, json};
use toolcrib::app::{
    effect::Effect,
    message::{Message, ScreenId},
};

use crate::support::workbench::Workbench;

/// A kept list of a server: a tool that says what Unique reads, and one that says nothing.
fn kept() -> String {
    let configuration = json!({
        "json_schema": {"type": "object", "properties": {
            "units": {"title": "Units", "enum": ["celsius", "fahrenheit"]},
            "maxDays": {"title": "Max Days", "type": "integer", "maximum": 14, "default": 7},
        }},
        "ui_schema": {"ui:order": ["maxDays", "units"]},
        "default_config": {"maxDays": 5},
    });
    let context =
        json!({"required": ["unique.app/chat/chat-id"], "optional": ["unique.app/auth/user-id"]});
    let weather = json!({
        "name": "weather", "description": "Forecasts", "inputSchema": {"type": "object", "properties": {"place": {"type": "string"}}},
        "_meta": {"unique.app/config-schema": configuration, "unique.app/context-requirements": context},
    });
    let echo = json!({"name": "echo", "description": "Says it", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}});
    json!({"server": "sky", "version": "2025-11-25", "tools": [weather, echo]}).to_string()
}

const SETTINGS: &str = "[connections.sky]\nsystem = \"mcp\"\ncommand = \"sky\"\n";

fn invoke(tool: &str, width: u16, height: u16) -> Workbench {
    let files = [("mcp/sky.json", &*kept()), ("toolcrib.toml", SETTINGS)];
    let mut bench = Workbench::files(&files, width, height);
    let tool = bench.state.catalog.tool_called(tool).unwrap().id().clone();
    bench.send(Message::Select(tool));
    bench.on(ScreenId::Invoke)
}

/// The `_meta` of the last request that was sent.
fn sent(bench: &Workbench) -> Option<Value> {
    let body = bench.effects.iter().rev().find_map(|effect| match effect {
        Effect::Call { request, .. } => Some(request.body.clone()),
        _ => None,
    });
    serde_json::from_str::<Value>(&body.expect("a call")).unwrap().get("_meta").cloned()
}

fn is_sent(bench: &Workbench) -> bool {
    bench.effects.iter().any(|effect| matches!(effect, Effect::Call { .. }))
}

#[test]
fn a_tool_has_forms_of_its_configuration_and_its_context_beside_that_of_the_arguments() {
    let mut bench = invoke("weather", 120, 40);
    for part in
        ["▾ configuration  the server's own counts", "Max Days 5 · default", "▸ context", "▸ _meta"]
    {
        assert!(bench.shows(part), "{part}:\n{}", bench.screen());
    }
    let (_, days) = bench.find("Max Days");
    let (_, units) = bench.find("Units");
    assert!(days < units, "the uiSchema says so:\n{}", bench.screen());
    assert!(bench.shows("unique.app/chat/chat-id is"), "{}", bench.screen());

    // What the server requires is asked for once.
    bench.keys("f6");
    assert!(
        !is_sent(&bench) && bench.shows("chat-id is required; send again"),
        "{}",
        bench.screen()
    );

    bench.keys("tab enter");
    bench.types("9");
    bench.keys("enter tab enter");
    bench.types("c1");
    bench.keys("enter");
    assert!(bench.shows("configuration  sent with the call"), "{}", bench.screen());
    bench.keys("f6");
    let meta = json!({"unique.app/config": {"maxDays": 9}, "unique.app/chat/chat-id": "c1"});
    assert_eq!(sent(&bench), Some(meta));

    // One step of undo each; the configuration goes with its last member.
    bench.keys("u u");
    bench.effects.clear();
    bench.keys("f6 f6");
    assert_eq!(sent(&bench), None, "{}", bench.screen());
}

#[test]
fn what_the_server_would_not_take_is_said_before_it_is_sent() {
    let mut bench = invoke("weather", 120, 40);
    bench.keys("tab enter");
    bench.types("99");
    bench.keys("enter f6");
    assert!(!is_sent(&bench) && bench.shows("maxDays is more than 14"), "{}", bench.screen());
}

#[test]
fn the_command_of_a_call_that_is_sent_all_the_same_skips_the_check() {
    let mut bench = invoke("weather", 120, 40);
    for (keys, is_skipped) in [("f6 f6 y", true), ("tab tab enter", false)] {
        bench.keys(keys);
        if !is_skipped {
            bench.types("c1");
            bench.keys("enter f6 y");
        }
        bench.types("toolcrib command");
        bench.keys("enter");
        let Some(Effect::Copy(command)) = bench.effects.last() else {
            panic!("{}", bench.screen())
        };
        assert_eq!(command.ends_with(" --no-check"), is_skipped, "{command}");
    }
}

#[test]
fn any_tool_of_a_server_has_an_editor_of_the_meta() {
    let mut bench = invoke("echo", 120, 40);
    assert!(bench.shows("_meta  only the arguments"), "{}", bench.screen());
    bench.keys("tab enter ctrl+a");
    bench.types("{\"com.example/limit\": 1.50, \"not so\": 1}");
    bench.keys("esc");
    assert!(bench.shows("meta.key-invalid: \"not so\""), "{}", bench.screen());
    bench.keys("f6");
    assert!(!is_sent(&bench), "{}", bench.screen());
    bench.keys("f6");
    let written = json!({"com.example/limit": 1.5, "not so": 1}).to_string().replace("1.5", "1.50");
    let meta = sent(&bench).unwrap();
    assert_eq!(meta.to_string(), written, "numbers as they were typed");

    // What is no object is not sent.
    bench.keys("u enter ctrl+a");
    bench.types("[1]");
    bench.keys("esc");
    assert!(bench.shows("_meta isn't an object"), "{}", bench.screen());
    bench.keys("u");

    // A call that was sent comes back into the forms with it, and is kept as a case with it.
    assert!(bench.shows("only the arguments"), "{}", bench.screen());
    bench.keys("tab e");
    assert!(bench.shows("_meta  meta.key-invalid"), "{}", bench.screen());
}

#[test]
fn a_call_over_the_platform_is_shown_before_it_is_copied() {
    let mut bench = invoke("weather", 120, 40);
    bench.keys("y");
    bench.types("platform");
    bench.keys("enter");
    for part in
        ["Not sent: toolcrib has no account there", "POST https://", "\"chatId\": \"$CHAT_ID\""]
    {
        assert!(bench.shows(part), "{part}:\n{}", bench.screen());
    }
    bench.keys("enter");
    let copied = bench.effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    assert!(copied.unwrap().starts_with("curl -X POST"), "{}", bench.screen());
    assert!(!is_sent(&bench));
}

#[test]
fn tools_of_other_systems_have_no_meta() {
    let bench = Workbench::sample("first-call", 120, 40).on(ScreenId::Invoke);
    assert!(!bench.shows("_meta"), "{}", bench.screen());
}
