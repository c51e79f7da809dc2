//! The stubs of the workspace that tools' mocks answer by.

use super::documents::Documents;
use crate::{
    engine::stub::{page::file_of_tool, read::read_stub},
    model::{stub::StubService, tool::Tool},
};

/// The tool's own stub, where its file can be read.
#[must_use]
pub(crate) fn own_stub(documents: &Documents, tool: &Tool) -> Option<StubService> {
    let key = &tool.entry.key;
    let document = documents.get(&file_of_tool(key)).filter(|document| !document.gone)?;
    let stub = read_stub(document.source.as_ref().ok()?).ok()?;
    stub.services.into_iter().find(|service| service.name == *key)
}
