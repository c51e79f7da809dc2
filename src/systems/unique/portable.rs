//! Tools of elsewhere as Unique's: sub-agents, whose entries alone say what a model gives them.

use serde_json::{Value, json};

use super::{
    keys::{self, Member, TOOL_DESCRIPTION},
    tool::INPUT_SCHEMA,
};
use crate::systems::facets::portable::{KeyedTool, Portable, PortableFile};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let write = |KeyedTool { key, tool, entry, instead_of, .. }: &KeyedTool| {
            let path = format!("tools/{key}.json");
            if let Some(value) = entry.clone() {
                return PortableFile { path, value };
            }
            let there = instead_of.as_ref().and_then(|entry| keys::CONFIGURATION.get(entry));
            let value = json!({
                keys::NAME.camel: tool.name,
                keys::DISPLAY_NAME.camel: tool.name,
                keys::ICON.camel: keys::DEFAULT_ICON,
                keys::SELECTION_POLICY.camel: keys::BY_USER,
                keys::IS_SUB_AGENT.camel: true,
                keys::CONFIGURATION.camel: {
                    "assistantId": "",
                    spelled_in(there, TOOL_DESCRIPTION): tool.description,
                    spelled_in(there, INPUT_SCHEMA): tool.parameters.to_string(),
                },
            });
            PortableFile { path, value }
        };
        tools.iter().map(write).collect()
    }
}

/// A member's name as the object that is there has it, else as the platform writes it.
fn spelled_in(there: Option<&Value>, member: Member) -> &'static str {
    let known = there.and_then(Value::as_object).and_then(|members| member.find(members));
    known.map_or(member.camel, |(name, _)| name)
}
