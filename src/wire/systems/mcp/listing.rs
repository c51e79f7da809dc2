//! What a server has: its lists, page by page, and requests that have but one answer.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::stages::{ANSWER, STAGE, VERSION, said};
use crate::{
    model::{
        call::CallError,
        error_kind::ErrorKind,
        server_item::{ListTiming, ListedPage},
        shown::visible_text,
    },
    systems::mcp::{
        codes,
        pages::{NextPage, Pages, caching_words},
        rpc::frame::reply_value,
    },
    wire::{
        now::elapsed_ms,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// A list: its method, and the member that holds it.
pub(crate) type ListOf = (&'static str, &'static str);

pub(crate) const TOOLS: ListOf = ("tools/list", "tools");
/// All lists.
pub(crate) const LISTS: [ListOf; 4] = [
    TOOLS,
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("prompts/list", "prompts"),
];

/// How long an answer may take that no person waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a request; gives where its answer comes.
pub(crate) async fn begin(
    bus: &dyn Bus,
    method: &str,
    params: String,
) -> Result<QueueReceiver, CallError> {
    let Some(inbox) = bus.new_inbox() else {
        let message = format!("{} isn't an MCP server", bus.display_address());
        return Err(CallError::new(ErrorKind::NoTransport, message, "choose another connection"));
    };
    let receiver = bus.subscribe(&inbox, SubscriptionShare::Each).await?;
    let (to, reply) = (Address::ephemeral(method), Some(inbox));
    let headers = Vec::new();
    bus.send(Outgoing { to, reply, headers, body: params.into(), expires: None }).await?;
    Ok(receiver)
}

/// The reply that an answer's text holds: an object with its `result` or its `error`.
#[must_use]
pub(crate) fn reply(packet: &Packet) -> Value {
    reply_value(&String::from_utf8_lossy(&packet.body))
}

/// A request whose result is all that counts, and the revision of the protocol that is spoken.
///
/// # Errors
/// When the server refuses it, or nothing comes.
pub(crate) async fn request(
    bus: &dyn Bus,
    method: &str,
    params: &Value,
) -> Result<(Value, String), CallError> {
    request_within(bus, (method, params), PATIENCE).await
}

async fn request_within(
    bus: &dyn Bus,
    (method, params): (&str, &Value),
    patience: Duration,
) -> Result<(Value, String), CallError> {
    let (mut reply, version) = exchange_within(bus, (method, params), patience).await?;
    match reply.get("error") {
        Some(error) => Err(refused(method, error)),
        None => Ok((reply["result"].take(), version)),
    }
}

/// The same, with the reply as it is: an object with its `result` or its `error`.
///
/// # Errors
/// When nothing comes.
pub(crate) async fn exchange(
    bus: &dyn Bus,
    method: &str,
    params: &Value,
) -> Result<(Value, String), CallError> {
    exchange_within(bus, (method, params), PATIENCE).await
}

/// The same where the answer may take that long.
///
/// # Errors
/// When nothing comes.
pub(crate) async fn exchange_within(
    bus: &dyn Bus,
    (method, params): (&str, &Value),
    patience: Duration,
) -> Result<(Value, String), CallError> {
    let mut receiver = begin(bus, method, params.to_string()).await?;
    let answering = async {
        loop {
            match receiver.next().await {
                Some(Incoming::Packet(packet)) if said(&packet, STAGE) == Some(ANSWER) => {
                    return Ok(packet);
                }
                Some(Incoming::Failed(problem)) => return Err(problem),
                Some(_) => {}
                None => {
                    let message = format!("{} ended", bus.display_address());
                    return Err(CallError::new(ErrorKind::ConnectionLost, message, "try again"));
                }
            }
        }
    };
    let packet = timeout(patience, answering).await.unwrap_or_else(|_| {
        let message = format!("{method} was not answered within {} s", patience.as_secs_f64());
        Err(CallError::new(ErrorKind::TimedOut, message, "check the server"))
    })?;
    Ok((reply(&packet), said(&packet, VERSION).unwrap_or_default().to_owned()))
}

/// A server's refusal of a request.
#[must_use]
pub(crate) fn refused(method: &str, error: &Value) -> CallError {
    let code = error.get("code").cloned().unwrap_or_default();
    let words = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let message = format!("the server refuses {method}: {} ({code})", visible_text(words));
    CallError::new(ErrorKind::parse(&code.to_string()), message, "check the server")
}

/// A list, and the revision of the protocol that is spoken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paged {
    pub pages: Pages,
    pub version: String,
    pub timing: ListTiming,
}

/// A list with all its pages.
///
/// # Errors
/// When a page cannot be had.
pub(crate) async fn list(bus: &dyn Bus, of: ListOf) -> Result<Paged, CallError> {
    list_within(bus, of, PATIENCE).await
}

/// The same where each page may take that long.
///
/// # Errors
/// When a page cannot be had.
pub(crate) async fn list_within(
    bus: &dyn Bus,
    (method, member): ListOf,
    patience: Duration,
) -> Result<Paged, CallError> {
    let (mut pages, mut params) = (Pages::default(), json!({}));
    let mut timing = ListTiming { kind: member, ..ListTiming::default() };
    loop {
        let began = Instant::now();
        let (result, version) = request_within(bus, (method, &params), patience).await?;
        let took_ms = elapsed_ms(began);
        timing.caching = caching_words(&result);
        let next = pages.add(result, member);
        let items = pages.sizes.last().copied().unwrap_or_default();
        timing.pages.push(ListedPage { items, took_ms });
        match next {
            NextPage::Page(cursor) => params = json!({"cursor": cursor}),
            NextPage::Done => return Ok(Paged { pages, version, timing }),
        }
    }
}

/// Whether a refusal says that the server does not know the method.
#[must_use]
pub(crate) fn is_unknown(problem: &CallError) -> bool {
    problem.kind.as_str() == codes::METHOD_NOT_FOUND.to_string()
}
