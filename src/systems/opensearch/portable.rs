//! Tools of elsewhere as dynamic tools of OpenSearch, which call an API.

use serde_json::json;

use super::keys;
use crate::{
    engine::portable::tool::PortableTool,
    systems::facets::portable::{Portable, PortableFile, plain_key},
};

pub(crate) struct PortableTools;

impl Portable for PortableTools {
    fn write_tools(&self, tools: &[PortableTool]) -> Vec<PortableFile> {
        let write = |tool: &PortableTool| {
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
            PortableFile { path: format!("tools/{}.json", plain_key(&tool.name)), value }
        };
        tools.iter().map(write).collect()
    }
}
