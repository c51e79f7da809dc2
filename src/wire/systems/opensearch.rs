//! OpenSearch on the wire: plain HTTP to a cluster.
//!
//! | | |
//! | --- | --- |
//! | [`rest`] | one request to the cluster and its answer |
//! | [`running`] | a call whose steps are made here, one request each |
//! | [`whole`] | a call of an agent that the cluster runs: at once, as a task, or streamed |
//! | [`store`] | reads and writes its agents and connectors |
//! | [`responder`], [`serving`] | answering in the place of a cluster |

pub mod responder;
pub mod rest;
pub mod running;
pub mod serving;
pub mod store;
pub mod whole;

use futures::future::BoxFuture;

use super::{
    facets::{
        multi_step::{CallContext, MultiStep},
        responder::Responder,
        store::DeployedStore,
    },
    live::{CallDriver, LiveSystem},
};
use crate::{
    model::{
        call::{CallError, Outcome},
        connection::Connection,
        entry::SystemId,
        error_kind::ErrorKind,
        transport::Traffic,
    },
    systems::{
        facets::calls::Calls,
        opensearch::{calls, keys},
    },
    wire::session::event_sink::{CallEnd, EventSink, SinkClosed},
};

pub(crate) struct LiveOpenSearch;

impl LiveSystem for LiveOpenSearch {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn call_driver(&self) -> Option<CallDriver<'_>> {
        Some(CallDriver::MultiStep(self))
    }

    fn store(&self) -> Option<&dyn DeployedStore> {
        Some(&store::OpenSearchStore)
    }

    fn responder(&self) -> Option<&dyn Responder> {
        Some(&responder::OpenSearchResponder)
    }
}

impl MultiStep for LiveOpenSearch {
    fn run_call<'a>(
        &'a self,
        call_context: CallContext<'a>,
        sink: &'a mut EventSink,
    ) -> BoxFuture<'a, Result<CallEnd, SinkClosed>> {
        Box::pin(async move {
            if let Some(problem) = wrong_connection(call_context.connection) {
                return Ok((Outcome::Lost, Some(problem)));
            }
            match call_context.request.to.as_str() {
                calls::LOCAL => running::run_steps(call_context, sink).await,
                route => whole::run_agent(call_context, route, sink).await,
            }
        })
    }
}

/// Why no call goes over a connection that leads to no cluster.
fn wrong_connection(connection: &Connection) -> Option<CallError> {
    if connection.transport().spec().traffic == Traffic::Exchange {
        return None;
    }
    let message = connection.leads_elsewhere(calls::OpenSearchCalls.answered_by());
    let remedy = "mock it (on Invoke, or with --mock), or choose a connection with transport = \
        \"http\" and servers = [\"http://HOST:9200\"]";
    Some(CallError::new(ErrorKind::BadSettings, message, remedy))
}
