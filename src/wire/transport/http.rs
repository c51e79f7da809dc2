//! Plain HTTP: any method, any path, any headers; what comes back on a request's connection is the
//! answer, whole or as a stream of events.
//!
//! The place that a message goes to is its path, and its headers are the request's; [`marks`] says
//! what else there is, the method and the status among it. A message without a method is a POST of
//! JSON.
//!
//! Nothing is kept open between requests that could break; whether there is a server is found out
//! when the connection is opened and with each request. Who no longer waits for an answer ends its
//! request.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    bus::{Bus, BusFuture, SubscriptionShare},
    connection_event::ConnectionEvents,
    message::{Address, Outgoing},
    message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
    settings::{self, Server},
    socket,
};
use crate::{
    model::{call::CallError, connection::Connection, transport::TransportKind},
    wire::{secrets::Secrets, tls},
};

pub mod authorization;
pub mod client;
mod coding;
pub mod events;
mod exchange;
pub mod marks;
pub mod messages;
pub mod request;

use authorization::Authorization;
use exchange::RequestSender;

/// A server that answers requests.
pub(crate) struct Http {
    server: Server,
    exchange: RequestSender,
    news: ConnectionEvents,
    inboxes: AtomicU64,
    /// Who waits in which inbox for the answer to a request that is yet to be sent.
    waiting: Mutex<HashMap<String, QueueSender>>,
}

/// Finds the first server that lets itself be spoken to, or says why there is none.
pub(crate) async fn connect(connection: &Connection, secrets: &Secrets) -> Result<Http, CallError> {
    let servers = settings::parse_servers(connection)?;
    let encryption = tls::config_if_required(connection).await?;
    let authorization = Authorization::resolve(connection, secrets).await?;
    let server = socket::first_reachable(&servers, async |server| {
        socket::open_socket(server, encryption.as_ref()).await.map(|_| server)
    })
    .await?;
    let exchange = RequestSender::new(
        server,
        encryption.as_deref(),
        authorization,
        connection.largest_answer,
    )?;
    let news = ConnectionEvents::new(settings::display_address(connection));
    news.mark_connected();
    Ok(Http {
        server: server.clone(),
        exchange,
        news,
        inboxes: AtomicU64::default(),
        waiting: Mutex::default(),
    })
}

impl Http {
    fn lock_waiting(&self) -> std::sync::MutexGuard<'_, HashMap<String, QueueSender>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for Http {
    fn transport(&self) -> TransportKind {
        TransportKind::Http
    }

    fn display_address(&self) -> String {
        self.news.display_address().to_owned()
    }

    fn greeting(&self) -> String {
        format!(
            "a server takes connections at {}; a token is tried with the first request",
            self.server
        )
    }

    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        _: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        Box::pin(async move {
            let (feeder, line) = message_queue(CAPACITY);
            let mut waiting = self.lock_waiting();
            waiting.retain(|_, feeder| !feeder.is_closed());
            waiting.insert(at.name.clone(), feeder);
            Ok(line)
        })
    }

    fn request_headers(&self, message: &Outgoing) -> Vec<(String, String)> {
        self.exchange.shown_headers(message)
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(async move {
            let inbox =
                message.reply.as_ref().and_then(|reply| self.lock_waiting().remove(&reply.name));
            let Some(inbox) = inbox else { return Err(messages::nobody_waits()) };
            self.exchange.send_request(message, inbox).await
        })
    }

    fn new_inbox(&self) -> Option<Address> {
        Some(Address::ephemeral(self.inboxes.fetch_add(1, Ordering::Relaxed).to_string()))
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }
}
