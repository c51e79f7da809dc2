//! The stubs of the workspace that tools' mocks answer by.

use std::{collections::BTreeMap, sync::Arc};

use super::documents::Documents;
use crate::{
    engine::stub::{page::file_of_tool, read::read_stub},
    model::{stub::StubService, tool::Tool},
};

/// The tool's own stub, where its file can be read.
#[must_use]
pub(crate) fn own_stub(documents: &Documents, tool: &Tool) -> Option<StubService> {
    let key = &tool.entry.key;
    let document = documents.present(&file_of_tool(key))?;
    read_stub(document.source.as_ref().ok()?).ok()?.into_service_named(key)
}

/// The own stubs of all tools, by the tools' keys.
#[must_use]
pub(crate) fn own_stubs(
    documents: &Documents,
    tools: &[Arc<Tool>],
) -> BTreeMap<String, StubService> {
    let own = |tool: &Arc<Tool>| Some((tool.entry.key.clone(), own_stub(documents, tool)?));
    tools.iter().filter_map(own).collect()
}
