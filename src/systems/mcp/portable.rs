//! Tools of elsewhere as the list of an MCP server.

use serde_json::{Value, json};

use super::{
    kept::KeptList,
    version::{DEFAULT, Era},
};
use crate::{
    engine::portable::tool::PortableTool,
    systems::facets::portable::{Portable, PortableFile},
};

pub(crate) struct PortableTools;

/// The server that is said to list them.
const SERVER: &str = "converted";

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[PortableTool]) -> Vec<PortableFile> {
        let write = |tool: &PortableTool| {
            let mut value = json!({
                "name": tool.name, "description": tool.description, "inputSchema": tool.parameters,
            });
            if let Some(output) = &tool.output {
                value["outputSchema"] = output.clone();
            }
            value
        };
        let list = KeptList {
            server: SERVER.to_owned(),
            era: Era::from_version(DEFAULT),
            version: DEFAULT.to_owned(),
            time: String::new(),
            tools: tools.iter().map(write).collect(),
        };
        let value = serde_json::from_str(&list.print()).unwrap_or(Value::Null);
        vec![PortableFile { path: KeptList::path(SERVER), value }]
    }
}
