//! Tools of elsewhere as CommonGround's definitions: commands over NATS to a service of one's own.

use serde_json::json;

use super::{keys, subject};
use crate::{
    engine::portable::tool::PortableTool,
    systems::facets::portable::{Portable, PortableFile, plain_key},
};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[PortableTool]) -> Vec<PortableFile> {
        let write = |tool: &PortableTool| {
            let key = plain_key(&tool.name);
            let target = format!(
                "cg.{}.{{project_id}}.{{channel_id}}.cmd.tool.{key}.call",
                subject::VERSION
            );
            let value = json!({
                keys::TOOL_NAME: tool.name,
                keys::DESCRIPTION: tool.description,
                keys::TARGET_SUBJECT: target,
                keys::AFTER_EXECUTION: keys::SUSPEND,
                keys::PARAMETERS: tool.parameters,
                keys::OPTIONS: {},
            });
            PortableFile { path: format!("tools/{key}.yaml"), value }
        };
        tools.iter().map(write).collect()
    }
}
