//! Tools of elsewhere as CommonGround's definitions: commands over NATS to a service of one's own.

use serde_json::json;

use super::{keys, subject};
use crate::systems::facets::portable::{KeyedTool, Portable, PortableFile};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let write = |KeyedTool { key, tool, entry, .. }: &KeyedTool| {
            let path = format!("tools/{key}.yaml");
            if let Some(value) = entry.clone() {
                return PortableFile { path, value };
            }
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
            PortableFile { path, value }
        };
        tools.iter().map(write).collect()
    }
}
