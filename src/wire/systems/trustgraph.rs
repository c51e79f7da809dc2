//! TrustGraph on the wire: calls over a bus or through its gateway, its configuration, its agent,
//! and services that answer in its place.
//!
//! | file | does |
//! | --- | --- |
//! | [`exchange`] | how calls ride on transports |
//! | [`store`], [`ask`] | reads and writes the configuration through the gateway |
//! | [`agent`], [`overhearing`] | a whole run of the agent, and what is received of it on the broker |
//! | [`responder`] | answering in the place of its services |
//! | [`offers`], [`serving`], [`beside`] | which service answers on which queues, listens and answers, looks who answers there already |
//! | [`mod@gateway`] | a gateway of our own |
//!
//! An answer goes to the response queue that the descriptor names, with the request's header `id`,
//! as TrustGraph's own services send it; only where the descriptor names none does it go to the
//! request's inbox. It never goes to both, because the caller listens on both and would hear
//! everything twice.

pub mod agent;
mod announced;
pub mod ask;
pub mod beside;
pub mod exchange;
pub mod gateway;
pub mod offers;
pub mod overhearing;
pub mod responder;
pub mod serving;
pub mod store;

use std::sync::Arc;

use futures::{FutureExt, future::BoxFuture};
use tokio_util::sync::CancellationToken;

use super::{
    facets::{
        agent::{AgentRun, AgentRuns},
        embedded::{self, Embedded},
        responder::Responder,
        store::DeployedStore,
    },
    live::{CallDriver, LiveSystem},
};
use crate::{
    model::{agent::AgentQuestion, call::CallError, entry::SystemId},
    systems::{deployed::item::Item, trustgraph::keys},
    wire::transport::bus::Bus,
};

pub(crate) struct LiveTrustGraph;

impl LiveSystem for LiveTrustGraph {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn call_driver(&self) -> Option<CallDriver<'_>> {
        Some(CallDriver::Exchange(&exchange::TrustGraphExchange))
    }

    fn store(&self) -> Option<&dyn DeployedStore> {
        Some(&store::TrustGraphStore)
    }

    fn responder(&self) -> Option<&dyn Responder> {
        Some(&responder::TrustGraphResponder)
    }

    fn agent(&self) -> Option<&dyn AgentRuns> {
        Some(self)
    }

    fn embedded(&self) -> Option<&dyn Embedded> {
        Some(self)
    }
}

impl AgentRuns for LiveTrustGraph {
    fn begin_run(&self, asked: &AgentQuestion, items: &[Item]) -> Box<dyn AgentRun> {
        Box::new(agent::TrustGraphRun::new(asked, items))
    }
}

impl Embedded for LiveTrustGraph {
    fn serve_samples(
        &self,
        bus: Arc<dyn Bus>,
    ) -> BoxFuture<'static, Result<embedded::Serving, CallError>> {
        Box::pin(async move {
            let serving = serving::Serving::start(bus, offers::sample_services()).await?;
            Ok(serving.run(None, CancellationToken::new()).boxed())
        })
    }
}
