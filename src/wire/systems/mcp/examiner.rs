//! Holds a server against the specification: asks what shows whether it keeps the rules.

use std::{pin::pin, time::Duration};

use futures::future::BoxFuture;
use reqwest::{
    Client,
    header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::listing::{self, Paged, exchange_within, list_within};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    systems::{
        facets::examined::Examined,
        mcp::{
            calls::CALL,
            conformance::{
                CACHING, CURSOR, ENVELOPE, LOST, METHOD, NO_CURSOR, NO_METHOD, NO_TOOL, OVER_HTTP,
                PING, TOOL, WITH_TOOLS, examine_caching, examine_cursor, examine_envelope,
                examine_host, examine_method, examine_order, examine_origin, examine_output,
                examine_pages, examine_ping, examine_tool_call, examine_tools,
            },
            settings,
            version::DEFAULT,
        },
    },
    wire::{
        secrets::Secrets,
        systems::facets::examiner::{ExamineOptions, Examiner},
        transport::{
            bus::Bus,
            http::{
                authorization::resolve_headers,
                client::{base_url, build_client},
            },
            settings::parse_servers,
        },
    },
};

/// Where a page of nobody's comes from.
const ELSEWHERE: &str = "toolcrib-probe.invalid";

pub(crate) struct McpExaminer;

impl Examiner for McpExaminer {
    fn is_at(&self, connection: &Connection) -> bool {
        settings::is_at(connection)
    }

    fn examine<'a>(
        &'a self,
        bus: &'a dyn Bus,
        connection: &'a Connection,
        secrets: &'a Secrets,
        options: ExamineOptions<'a>,
    ) -> BoxFuture<'a, Result<Vec<Examined>, CallError>> {
        Box::pin(async move {
            let asked = Examination { bus, options };
            let mut found = asked.examine_methods().await?;
            let started = bus.server_profile().filter(|_| connection.command().is_some());
            found.extend(started.map(|profile| examine_output(&profile.json["findings"])));
            found.extend(match asked.list_tools().await {
                Err(problem) if listing::is_unknown(&problem) => {
                    let none = |(rule, about)| Examined::skipped(rule, about, "it has no tools");
                    WITH_TOOLS.map(none).to_vec()
                }
                listed => asked.examine_lists(listed?).await?,
            });
            found.extend(examine_http(connection, secrets, options.patience).await);
            Ok(found)
        })
    }
}

/// After how long an answer that doesn't come is worth a word.
const SOON: Duration = Duration::from_secs(1);

/// A server that is being asked.
struct Examination<'a> {
    bus: &'a dyn Bus,
    options: ExamineOptions<'a>,
}

impl Examination<'_> {
    async fn ask(
        &self,
        (rule, _): (&str, &str),
        method: &str,
        params: Value,
    ) -> Result<(Value, String), CallError> {
        let asking = exchange_within(self.bus, (method, &params), self.options.patience);
        let mut asking = pin!(asking);
        match timeout(SOON, &mut asking).await {
            Ok(answered) => answered,
            Err(_) => {
                (self.options.tell_waiting)(rule);
                asking.await
            }
        }
    }

    async fn list_tools(&self) -> Result<Paged, CallError> {
        list_within(self.bus, listing::TOOLS, self.options.patience).await
    }

    /// The reply to what is wrong on purpose. A server that ends by it has none.
    async fn provoke(&self, rule: (&str, &str), method: &str, params: Value) -> Value {
        let replied = self.ask(rule, method, params).await;
        replied.map_or_else(|problem| json!({LOST: problem.message}), |(reply, _)| reply)
    }

    async fn examine_methods(&self) -> Result<Vec<Examined>, CallError> {
        let (ping, version) = match self.ask(PING, "ping", json!({})).await {
            // It may answer other requests.
            Err(problem) if problem.kind == ErrorKind::TimedOut => {
                (json!({LOST: problem.message}), String::new())
            }
            answered => answered?,
        };
        let unknown = self.provoke(METHOD, NO_METHOD, json!({})).await;
        Ok(vec![examine_ping(&ping, &version), examine_method(&unknown)])
    }

    async fn examine_lists(
        &self,
        Paged { pages, version, .. }: Paged,
    ) -> Result<Vec<Examined>, CallError> {
        let (first, _) = self.ask(CACHING, listing::TOOLS.0, json!({})).await?;
        let again = self.list_tools().await?.pages.items;
        let cursor = json!({"cursor": NO_CURSOR});
        let cursor = self.provoke(CURSOR, listing::TOOLS.0, cursor).await;
        let no_tool = json!({"name": NO_TOOL, "arguments": {}});
        let no_tool = self.provoke(TOOL, CALL, no_tool).await;
        let no_name = self.provoke(ENVELOPE, CALL, json!({"arguments": {}})).await;
        let mut found = examine_tools(&pages.items, &version);
        found.push(examine_pages(&pages.faults));
        found.push(examine_cursor(&cursor));
        found.push(examine_order(&pages.items, &again));
        found.push(examine_caching(&first, &version));
        found.push(examine_tool_call(&no_tool));
        found.push(examine_envelope(&no_name));
        Ok(found)
    }
}

/// Asks as a page of another host would.
async fn examine_http(
    connection: &Connection,
    secrets: &Secrets,
    patience: Duration,
) -> Vec<Examined> {
    let skipped = |why: &str| OVER_HTTP.map(|(rule, about)| Examined::skipped(rule, about, why));
    if connection.command().is_some() {
        return skipped("the server is spoken with over its pipes").to_vec();
    }
    let server = parse_servers(connection).ok().and_then(|servers| servers.into_iter().next());
    let Some(server) = server.filter(|server| server.scheme == "http") else {
        return skipped("the server is spoken with over TLS").to_vec();
    };
    let headers = resolve_headers(connection, secrets).await;
    let Ok(client) = headers.and_then(|headers| build_client(headers, None)) else {
        return skipped("no request can be made").to_vec();
    };
    let url = base_url(&server, false);
    let (elsewhere, page) = (ELSEWHERE.to_owned(), format!("https://{ELSEWHERE}"));
    let host = probe(&client, &url, (HOST, elsewhere), patience).await;
    let origin = probe(&client, &url, (ORIGIN, page), patience).await;
    match (host, origin) {
        (Some(host), Some(origin)) => vec![examine_host(host), examine_origin(origin)],
        _ => skipped("the server doesn't answer").to_vec(),
    }
}

/// The status of a request to begin a connection with that header; `None` where nothing comes.
async fn probe(
    client: &Client,
    url: &str,
    (name, value): (reqwest::header::HeaderName, String),
    patience: Duration,
) -> Option<u16> {
    let about = json!({"name": "toolcrib", "version": env!("CARGO_PKG_VERSION")});
    let params = json!({"protocolVersion": DEFAULT, "capabilities": {}, "clientInfo": about});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let request = client
        .post(url)
        .header(ACCEPT, "application/json, text/event-stream")
        .header(CONTENT_TYPE, "application/json")
        .header(name, value)
        .body(body.to_string());
    let answered = timeout(patience, request.send()).await.ok()?;
    answered.ok().map(|response| response.status().as_u16())
}
