//! A server of toolcrib's own: tools of the workspace, for clients that others wrote, in both eras.
//!
//! | file | does |
//! | --- | --- |
//! | [`handler`] | what every client has in common: the tools, calls of them, news of changes |
//! | [`calling`] | one call, and what a server behind its tool asks meanwhile |
//! | [`tasks`], [`task_store`] | calls that go on as tasks |
//! | [`running`] | the requests of a client that are under way |
//! | [`questions`] | what clients were asked and have not answered |
//! | [`relay`] | requests for what servers behind the tools have beside them |
//! | [`subscriptions`] | resources that clients follow |
//! | [`pipes`] | one client over its pipes |
//! | [`http`] | clients over HTTP, each request |
//! | [`responses`] | the answers to these |
//! | [`replay`] | streams of events that a client goes on with after they broke |
//! | [`sessions`] | clients of the legacy era over HTTP |
//! | [`guard`](crate::wire::guard) | which of them are let in |

mod calling;
pub mod handler;
pub mod http;
pub mod pipes;
mod questions;
mod relay;
mod replay;
mod responses;
pub mod running;
pub mod sessions;
mod subscriptions;
mod task_store;
mod tasks;

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use self::{handler::RequestHandler, http::HttpServer};
use crate::{
    model::problem::Problem,
    wire::systems::facets::tool_server::{
        ListenPlace, ListeningServer, Pipes, ToolHost, ToolServer,
    },
};

pub(crate) struct McpToolServer;

impl ToolServer for McpToolServer {
    fn serve_pipes(
        &self,
        host: Arc<dyn ToolHost>,
        pipes: Pipes,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()> {
        Box::pin(pipes::serve_client(RequestHandler::new(host), pipes, stop))
    }

    fn listen(
        &self,
        host: Arc<dyn ToolHost>,
        place: ListenPlace,
    ) -> BoxFuture<'static, Result<Box<dyn ListeningServer>, Problem>> {
        Box::pin(async move {
            let server = HttpServer::bind(RequestHandler::new(host), place).await?;
            Ok(Box::new(server) as Box<dyn ListeningServer>)
        })
    }
}
