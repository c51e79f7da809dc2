//! The server of a bundle, from its manifest.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    entries,
    reader::Reader,
    server::{Input, Server},
};
use crate::{schema::pointer::Pointer, systems::mcp::form::Form};

/// The server of a manifest as it is started on a platform: `linux`, `darwin` or `win32`.
pub(super) fn read_servers(reader: &mut Reader, manifest: &Value, platform: &str) -> Vec<Server> {
    let at = Pointer::from_iter(["server", "mcp_config"]);
    let Some(config) = at.get(manifest).and_then(Value::as_object) else {
        reader.push_fault(
            "config.no-servers",
            &Pointer::root(),
            "says of no server how it is started",
        );
        return Vec::new();
    };
    let mut config = config.clone();
    let overrides = config.shift_remove("platform_overrides");
    let own =
        overrides.as_ref().and_then(|overrides| overrides.get(platform)).and_then(Value::as_object);
    for (name, value) in own.into_iter().flatten() {
        config.insert(name.clone(), value.clone());
    }
    let name = manifest.get("name").and_then(Value::as_str).unwrap_or("bundle");
    let server = entries::read_server(reader, Form::Mcpb, name, &Value::Object(config), &at);
    let declared = declared_inputs(manifest.get("user_config").and_then(Value::as_object));
    server.into_iter().map(|server| with_inputs(reader, server, &declared, &at)).collect()
}

fn with_inputs(
    reader: &mut Reader,
    mut server: Server,
    declared: &BTreeMap<String, Input>,
    at: &Pointer,
) -> Server {
    entries::collect_inputs(reader, &mut server, declared, at);
    server
}

fn declared_inputs(settings: Option<&Map<String, Value>>) -> BTreeMap<String, Input> {
    let is = |setting: &Value, member: &str| setting.get(member) == Some(&Value::Bool(true));
    let input = |(key, setting): (&String, &Value)| {
        let default = setting.get("default").cloned().unwrap_or_default();
        let input = Input {
            id: key.clone(),
            secret: is(setting, "sensitive"),
            required: is(setting, "required"),
            default,
        };
        (key.clone(), input)
    };
    settings.into_iter().flatten().map(input).collect()
}
