//! Tools of elsewhere as TrustGraph's: each with a tool service of its own.

use serde_json::{Map, Value, json};

use super::{descriptor::arguments_schema, keys, remote::listed_arguments};
use crate::{
    engine::portable::tool::PortableTool,
    model::context::Name,
    schema::equal::values_equal,
    systems::facets::portable::{KeyedTool, Portable, PortableFile},
};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn form_key(&self, key: &str) -> String {
        key.to_owned()
    }

    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let (mut entries, mut services) = (Map::new(), Map::new());
        for KeyedTool { key, tool, entry: own, .. } in tools {
            if let Some(own) = own {
                entries.insert(key.clone(), own.clone());
                continue;
            }
            entries.insert(key.clone(), entry(tool, key));
            let service = json!({
                keys::ID: key,
                keys::REQUEST_QUEUE: format!("request:tg:{key}"),
                keys::RESPONSE_QUEUE: format!("response:tg:{key}"),
            });
            services.insert(key.clone(), service);
        }
        let mut value = json!({keys::TOOLS: entries});
        if !services.is_empty() {
            value[keys::SERVICES] = Value::Object(services);
        }
        vec![PortableFile { path: "trustgraph.yaml".to_owned(), value }]
    }
}

fn entry(tool: &PortableTool, service: &str) -> Value {
    let names = |names: &[Name]| names.iter().map(|name| Value::from(&**name)).collect::<Value>();
    let mut entry = json!({
        keys::TYPE: keys::TOOL_SERVICE,
        keys::NAME: tool.name,
        keys::DESCRIPTION: tool.description,
        keys::SERVICE: service,
        keys::ARGUMENTS: listed_arguments(&tool.parameters),
    });
    // The list alone has names, types and descriptions, and all are required.
    if !values_equal(&arguments_schema(&entry, keys::TOOL_SERVICE), &tool.parameters) {
        entry[keys::ARGUMENTS_SCHEMA] = tool.parameters.clone();
    }
    if let Some(groups) = &tool.groups {
        entry[keys::GROUP] = names(groups);
    }
    if let Some(states) = &tool.states {
        entry[keys::STATES_DEPLOYED] = names(states);
    }
    if let Some(next) = &tool.next {
        entry[keys::STATE] = (&**next).into();
    }
    entry
}
