//! Services that answer within this process.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::{model::call::CallError, wire::transport::bus::Bus};

/// Answers until it is dropped.
pub(crate) type Serving = BoxFuture<'static, ()>;

/// Has sample services that can be called without a server.
pub trait Embedded: Sync {
    /// Subscribes for the sample services. Once this is done, every request on the bus is received;
    /// they answer while what comes of it runs.
    fn serve_samples(&self, bus: Arc<dyn Bus>) -> BoxFuture<'static, Result<Serving, CallError>>;
}
