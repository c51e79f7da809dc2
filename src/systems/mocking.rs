//! Calls that a mock answers, whichever system the tool is of: its service need not be there, nor
//! even known.

use std::sync::Arc;

use super::{calling, facets::calls::CallOf, table::by_id};
use crate::{
    engine::stub::mock::MockedTool,
    model::{
        call::Request,
        stub::{MOCK_CONNECTION, MockCall, StubService},
        tool::Tool,
    },
};

/// What a mock needs to know of a tool; `kept` is its newest answer, `stub` its own stub.
#[must_use]
pub(crate) fn mocked_tool(
    tool: &Tool,
    kept: Option<String>,
    stub: Option<StubService>,
) -> MockedTool<'_> {
    let output_schema =
        by_id(tool.entry.system).and_then(|system| system.output_schema(tool)).map(Arc::new);
    MockedTool { name: &tool.name, output_schema, kept, stub }
}

/// The request of a call that `service` answers: as it would be sent, where it could be, else its
/// arguments alone.
#[must_use]
pub(crate) fn mock_request(call: &CallOf<'_>, service: impl Into<Arc<StubService>>) -> Request {
    let mut request = calling::build_request(call).unwrap_or_else(|_| unsendable_request(call));
    request.mock = Some(Arc::new(mock_call(&request, call.user, service)));
    request
}

/// The same of a request that is there already.
#[must_use]
pub(crate) fn mock_call(
    request: &Request,
    user: &str,
    service: impl Into<Arc<StubService>>,
) -> MockCall {
    let stubs = by_id(request.system).and_then(|system| system.stubs());
    MockCall {
        service: service.into(),
        user: user.to_owned(),
        config: stubs.map(|stubs| stubs.request_config(request)).unwrap_or_default(),
    }
}

fn unsendable_request(call: &CallOf<'_>) -> Request {
    call.new_request(MOCK_CONNECTION, call.arguments.to_json())
}
