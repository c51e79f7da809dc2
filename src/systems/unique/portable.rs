//! Tools of elsewhere as Unique's: sub-agents, whose entries alone say what a model gives them.

use serde_json::json;

use super::{
    keys,
    tool::{INPUT_SCHEMA, TOOL_DESCRIPTION},
};
use crate::systems::facets::portable::{KeyedTool, Portable, PortableFile};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let write = |KeyedTool { key, tool, entry, .. }: &KeyedTool| {
            let path = format!("tools/{key}.json");
            if let Some(value) = entry.clone() {
                return PortableFile { path, value };
            }
            let value = json!({
                keys::NAME.camel: tool.name,
                keys::DISPLAY_NAME.camel: tool.name,
                keys::ICON.camel: keys::DEFAULT_ICON,
                keys::SELECTION_POLICY.camel: keys::BY_USER,
                keys::IS_SUB_AGENT.camel: true,
                keys::CONFIGURATION.camel: {
                    "assistantId": "",
                    TOOL_DESCRIPTION.camel: tool.description,
                    INPUT_SCHEMA.camel: tool.parameters.to_string(),
                },
            });
            PortableFile { path, value }
        };
        tools.iter().map(write).collect()
    }
}
