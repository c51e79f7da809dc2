//! Tools of elsewhere as dynamic tools of OpenSearch, which call an API.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::keys;
use crate::{
    engine::portable::tool::HttpRequest,
    model::tool::Tool,
    systems::facets::portable::{KeyedTool, Portable, PortableFile},
};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let write = |KeyedTool { key, tool, entry, .. }: &KeyedTool| {
            let path = format!("tools/{key}.json");
            if let Some(value) = entry.clone() {
                return PortableFile { path, value };
            }
            let (method, uri) = tool.http.as_ref().map_or_else(
                || ("GET".to_owned(), "/_cluster/health".to_owned()),
                |http| (http.method.clone(), http.path.replace('{', "${parameters.")),
            );
            let value = json!({
                keys::TYPE: keys::DYNAMIC_TOOL,
                keys::NAME: tool.name,
                keys::DESCRIPTION: tool.description,
                keys::PARAMETERS: {keys::METHOD: method, keys::URI: uri},
                keys::ATTRIBUTES: {keys::INPUT_SCHEMA: tool.parameters.to_string()},
            });
            PortableFile { path, value }
        };
        tools.iter().map(write).collect()
    }

    fn request(&self, tool: &Tool) -> Option<HttpRequest> {
        let value = &tool.entry.value;
        let is_dynamic = value.get(keys::TYPE).and_then(Value::as_str) == Some(keys::DYNAMIC_TOOL);
        let parameters = value.get(keys::PARAMETERS).filter(|_| is_dynamic)?;
        let text = |key: &str| parameters.get(key).and_then(Value::as_str);
        Some(HttpRequest {
            method: text(keys::METHOD)?.to_ascii_uppercase(),
            path: text(keys::URI)?.replace("${parameters.", "{"),
            places: BTreeMap::new(),
        })
    }
}
