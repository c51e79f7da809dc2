//! What engines and crawlers a proxy has, each as an entry.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    model::{
        call::CallError,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{item::Item, push::Push},
        search_proxy::{
            answer::{is_failure, read_error},
            deployed::new_item,
            openapi::read_tools,
            settings::context_headers,
        },
    },
    wire::{
        connector::Connector,
        systems::facets::store::DeployedStore,
        transport::{
            bus::Bus,
            http::{
                marks,
                request::{HttpRequest, send_request},
            },
            message::Incoming,
        },
    },
};

const OPENAPI: &str = "/openapi.json";
const PROVIDERS: &str = "/v1/configuration/providers";
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct ProxyStore;

impl DeployedStore for ProxyStore {
    fn read_items<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Vec<Item>, Problem>> {
        Box::pin(async move {
            let with_context = |problem: CallError| problem.while_doing("reading from the proxy");
            let bus = connector.open_bus(connection).await.map_err(with_context)?;
            let headers = context_headers(connection);
            let providers = fetch(&*bus, PROVIDERS, &headers).await;
            // A proxy serves it only where it was started with EXPOSE_DOCS=true.
            let openapi = fetch(&*bus, OPENAPI, &headers).await;
            let (openapi, providers) = match (openapi, providers) {
                (Err(_), Err(problem)) => return Err(with_context(problem)),
                (openapi, providers) => {
                    (openapi.unwrap_or_default(), providers.unwrap_or_default())
                }
            };
            Ok(read_tools(&openapi, &providers).iter().map(new_item).collect())
        })
    }

    fn apply_push<'a>(
        &self,
        _: &'a dyn Connector,
        _: &'a Connection,
        _: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        let cause = "a proxy brings its own engines";
        let problem = Problem::new(ProblemKind::Input, "pushing", cause);
        let problem = problem.with_remedy("configure them where the proxy runs");
        Box::pin(std::future::ready(Err(problem)))
    }
}

/// The JSON that a path answers with.
async fn fetch(
    bus: &dyn Bus,
    path: &str,
    headers: &[(String, String)],
) -> Result<Value, CallError> {
    let request = HttpRequest { method: "GET", path, headers, body: "", keeps_lines: false };
    let mut receiver = send_request(bus, &request).await?;
    let packet = match timeout(PATIENCE, receiver.next()).await {
        Ok(Some(Incoming::Packet(packet))) => packet,
        Ok(Some(Incoming::Failed(problem))) => return Err(problem),
        Ok(Some(_) | None) => {
            let message = format!("{} ended before the answer", bus.display_address());
            return Err(CallError::new(ErrorKind::ConnectionLost, message, "try again"));
        }
        Err(_) => {
            let message = format!("no answer within {} s", PATIENCE.as_secs());
            let remedy = "check the log of the proxy";
            return Err(CallError::new(ErrorKind::TimedOutTotal, message, remedy));
        }
    };
    let (status, body) = (marks::response_status(&packet).unwrap_or_default(), &packet.body);
    if is_failure(status) {
        let mut failure = read_error(status, &String::from_utf8_lossy(body), None);
        failure.message = format!("GET {path}: {}", failure.message);
        return Err(failure);
    }
    serde_json::from_slice(body).map_err(|_| {
        let message = format!("{path} answers with something other than JSON");
        CallError::new(ErrorKind::NotJson, message, "check that a search proxy is there")
    })
}
