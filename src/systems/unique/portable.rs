//! Tools of elsewhere as Unique's: sub-agents, whose entries alone say what a model gives them.

use serde_json::json;

use super::{
    keys,
    tool::{INPUT_SCHEMA, TOOL_DESCRIPTION},
};
use crate::{
    engine::portable::tool::PortableTool,
    systems::facets::portable::{Portable, PortableFile, plain_key},
};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[PortableTool]) -> Vec<PortableFile> {
        let write = |tool: &PortableTool| {
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
            PortableFile { path: format!("tools/{}.json", plain_key(&tool.name)), value }
        };
        tools.iter().map(write).collect()
    }
}
