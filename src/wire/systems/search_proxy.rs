//! Unique's search proxy on the wire: plain HTTP, an agent's answer as a stream of events.
//!
//! | | |
//! | --- | --- |
//! | [`calling`] | a call, what comes of it reported as it comes |
//! | [`store`] | what engines and crawlers a proxy has |

pub mod calling;
pub mod store;

use futures::future::BoxFuture;

use super::{
    facets::{
        multi_step::{CallContext, MultiStep},
        store::DeployedStore,
    },
    live::{CallDriver, LiveSystem},
};
use crate::{
    model::entry::SystemId,
    systems::search_proxy::keys,
    wire::session::event_sink::{CallEnd, EventSink, SinkClosed},
};

pub(crate) struct LiveSearchProxy;

impl LiveSystem for LiveSearchProxy {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn call_driver(&self) -> Option<CallDriver<'_>> {
        Some(CallDriver::MultiStep(self))
    }

    fn store(&self) -> Option<&dyn DeployedStore> {
        Some(&store::ProxyStore)
    }
}

impl MultiStep for LiveSearchProxy {
    fn run_call<'a>(
        &'a self,
        call_context: CallContext<'a>,
        sink: &'a mut EventSink,
    ) -> BoxFuture<'a, Result<CallEnd, SinkClosed>> {
        Box::pin(calling::call(call_context, sink))
    }
}
