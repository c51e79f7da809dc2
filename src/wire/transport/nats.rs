//! NATS through its own client: connecting, sending only while connected, and its troubles in
//! words.

use std::{str::FromStr, sync::Arc, time::Duration};

use super::{
    bus::{Bus, BusFuture, Recall, Receipt, StoredStream, SubscriptionShare},
    connection_event::ConnectionEvents,
    message::{Address, Incoming, Outgoing, Packet},
    message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
    settings,
};
use crate::{
    model::{
        call::CallError, clock::Millis, connection::Connection, error_kind::ErrorKind, size,
        transport::TransportKind,
    },
    wire::{backoff, secrets::Secrets, spawning::spawn},
};
use async_nats::{
    Client, Event, HeaderMap, HeaderName, HeaderValue, Message, StatusCode, Subscriber, jetstream,
};
use futures::{StreamExt, future::BoxFuture};
use guard::ClientRuntime;
use tokio::task::AbortHandle;

mod guard;
mod options;
mod receipt;
mod received;
mod streams;

/// How long handing a message to the network may take; the server is on the line, so this is ample.
const HANDING_OVER: Duration = Duration::from_secs(5);

/// How long a message to ourselves may take.
const ECHO: Duration = Duration::from_secs(2);

/// How much a line holds at most: twice as much as elsewhere, as core NATS holds nobody back, and
/// what finds no room is lost.
const HELD: usize = 2 * CAPACITY;

/// An open connection to a NATS server.
pub(crate) struct Nats {
    client: Client,
    place: String,
    news: Arc<ConnectionEvents>,
    home: Arc<ClientRuntime>,
    guard: AbortHandle,
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.guard.abort();
    }
}

/// Connects, or says why not.
pub(crate) async fn connect(connection: &Connection, secrets: &Secrets) -> Result<Nats, CallError> {
    let place = settings::display_address(connection);
    let news = Arc::new(ConnectionEvents::new(place.clone()));
    let (told, tries) = (Arc::clone(&news), Arc::clone(&news));
    let options = options::connect_options(connection, secrets)
        .await?
        .event_callback(move |event| {
            handle_event(&told, &event);
            std::future::ready(())
        })
        .reconnect_delay_callback(move |attempt| {
            // The first try is made at once: when the connection is opened, and when it broke.
            if attempt <= 1 {
                return Duration::ZERO;
            }
            tries.mark_reconnecting(attempt);
            backoff::retry_delay(attempt - 1)
        });
    let servers = options::parse_servers(connection)?;
    let home = Arc::new(ClientRuntime::new().map_err(|error| options::no_home(&place, &error))?);
    let there = servers.clone();
    let connected = match home.spawn(async move { options.connect(&there).await }) {
        Some(connecting) => {
            connecting.await.map_err(|error| options::no_home(&place, &error.into()))?
        }
        None => return Err(options::no_home(&place, &std::io::ErrorKind::Other.into())),
    };
    let client = connected.map_err(|error| options::connect_failed(&place, &servers, &error))?;
    news.mark_connected();
    let guard = spawn(guard::watch_connection(
        Arc::clone(&home),
        client.clone(),
        Arc::clone(&news),
        connection.largest_answer,
    ))
    .abort_handle();
    Ok(Nats { client, place, news, home, guard })
}

fn handle_event(news: &ConnectionEvents, event: &Event) {
    match event {
        Event::Connected => news.mark_connected(),
        Event::Disconnected => news.mark_broken(),
        Event::LameDuckMode => {
            news.send_notice(format!("{} is shutting down", news.display_address()));
        }
        Event::SlowConsumer(_) => news.count_overflow(),
        Event::ServerError(error) => {
            let words = error.to_string();
            if let Some(subject) = refused_subject(&words) {
                news.mark_refused(subject);
            }
            news.send_notice(format!("{} says: {words}", news.display_address()));
        }
        Event::ClientError(_) | Event::Draining | Event::Closed => {}
    }
}

/// Where a server says that nobody may listen with these credentials.
fn refused_subject(words: &str) -> Option<&str> {
    let (_, subject) = words.split_once("ermissions Violation for Subscription to \"")?;
    Some(subject.split('"').next().unwrap_or_default())
}

impl Nats {
    fn connection_down(&self) -> CallError {
        self.home.close_reason().unwrap_or_else(|| CallError {
            kind: ErrorKind::NoServer,
            message: format!("the connection to {} is down, so nothing was sent", self.place),
            remedy: "reconnecting; send again once it is back, or choose another connection".into(),
        })
    }

    /// Whether messages can be handed to the client now.
    fn is_up(&self) -> bool {
        self.home.close_reason().is_none()
            && self.client.connection_state() == async_nats::connection::State::Connected
    }

    /// Nothing is handed to the client while it is not connected: it would keep it and send it
    /// minutes later.
    async fn publish(&self, message: Outgoing) -> Result<(), CallError> {
        if !self.is_up() {
            return Err(self.connection_down());
        }
        let headers = header_map(&message.headers)?;
        let (size, most) = (wire_size(&message), self.client.max_payload());
        if most > 0 && size > most {
            return Err(CallError {
                kind: ErrorKind::TooLarge,
                message: format!(
                    "the message is {} ({size} bytes) with its headers, and {} takes at most {} ({most} bytes)",
                    size::format_size(size as u64),
                    self.place,
                    size::format_size(most as u64)
                ),
                remedy: "send less, or raise max_payload in the server's configuration".into(),
            });
        }
        self.home.count_sent(
            size + message.to.name.len()
                + message.reply.as_ref().map_or(0, |reply| reply.name.len()),
        );
        let Outgoing { to, reply, body, .. } = message;
        let handing = async {
            match reply {
                Some(reply) => {
                    self.client
                        .publish_with_reply_and_headers(to.name, reply.name, headers, body)
                        .await
                }
                None => self.client.publish_with_headers(to.name, headers, body).await,
            }
            .map_err(|error| self.send_failed(error))?;
            self.client.flush().await.map_err(|error| self.send_failed(error))
        };
        tokio::time::timeout(HANDING_OVER, handing)
            .await
            .unwrap_or_else(|_| Err(self.connection_down()))
    }

    /// Whether the server returns a message to us; that it forbids us to send one is an answer, too.
    async fn hears_itself(&self) -> bool {
        let mut notices = self.news.notices.subscribe();
        let asking = async {
            let inbox = self.client.new_inbox();
            let mut line = self.client.subscribe(inbox.clone()).await.ok()?;
            self.client.publish(inbox, bytes::Bytes::new()).await.ok()?;
            self.client.flush().await.ok()?;
            tokio::select! {
                _ = line.next() => {}
                _ = notices.recv() => {}
            }
            Some(())
        };
        matches!(tokio::time::timeout(ECHO, asking).await, Ok(Some(())))
    }

    fn send_failed(&self, error: impl std::fmt::Display) -> CallError {
        CallError {
            kind: ErrorKind::ConnectionLost,
            message: format!("couldn't pass the message to {}: {error}", self.place),
            remedy: "send it again once the connection is back".into(),
        }
    }
}

/// What the server counts against its limit: the headers as they are written, and the body.
fn wire_size(message: &Outgoing) -> usize {
    const FRAME: usize = "NATS/1.0\r\n\r\n".len();
    let headers: usize =
        message.headers.iter().map(|(name, value)| name.len() + value.len() + ": \r\n".len()).sum();
    FRAME + headers + message.body.len()
}

/// Headers as the client wants them.
pub(crate) fn header_map(pairs: &[(String, String)]) -> Result<HeaderMap, CallError> {
    let unfit = |name: &str, error: &dyn std::fmt::Display| CallError {
        kind: ErrorKind::BadHeader,
        message: format!("header \"{}\" cannot be sent: {error}", name.escape_debug()),
        remedy: "use letters, digits and dashes in its name and no line break in its value".into(),
    };
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        if name.is_empty() {
            return Err(unfit(name, &"it has no name"));
        }
        let header = HeaderName::from_str(name).map_err(|error| unfit(name, &error))?;
        map.append(header, HeaderValue::from_str(value).map_err(|error| unfit(name, &error))?);
    }
    Ok(map)
}

fn to_incoming(message: Message, share: SubscriptionShare) -> Incoming {
    if message.status == Some(StatusCode::NO_RESPONDERS) && message.payload.is_empty() {
        return Incoming::NoResponders;
    }
    Incoming::Packet(Packet {
        subject: (share == SubscriptionShare::Observer).then(|| message.subject.to_string()),
        reply: message.reply.map(|subject| Address::ephemeral(subject.to_string())),
        headers: received::sorted_headers(message.headers.as_ref()),
        body: message.payload,
    })
}

/// Takes messages off the client as fast as they come, so that the client itself never has to drop
/// any.
async fn forward_messages(
    mut subscriber: Subscriber,
    share: SubscriptionShare,
    feeder: QueueSender,
    home: Arc<ClientRuntime>,
) {
    loop {
        let message = tokio::select! {
            () = feeder.closed() => break,
            message = subscriber.next() => message,
        };
        let Some(message) = message else {
            if let Some(problem) = home.close_reason() {
                // Who has left needs nothing.
                let _ = feeder.try_push(Incoming::Failed(problem));
            }
            return;
        };
        if feeder.try_push(to_incoming(message, share)).is_err() {
            break;
        }
    }
    let _ = subscriber.unsubscribe().await;
}

impl Bus for Nats {
    fn transport(&self) -> TransportKind {
        TransportKind::Nats
    }

    fn display_address(&self) -> String {
        self.place.clone()
    }

    fn greeting(&self) -> String {
        self.client.try_server_info().map_or_else(String::new, |info| {
            let most = size::format_size(info.max_payload as u64);
            format!("nats-server {} at {}, messages up to {most}", info.version, self.place)
        })
    }

    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        share: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        Box::pin(async move {
            if !self.is_up() {
                return Err(self.connection_down());
            }
            self.home.count_sent(at.name.len());
            let asking = async {
                match share {
                    SubscriptionShare::Each | SubscriptionShare::Observer => {
                        self.client.subscribe(at.name.clone()).await
                    }
                    SubscriptionShare::OneOf(group) => {
                        self.client.queue_subscribe(at.name.clone(), group.to_owned()).await
                    }
                }
            };
            let subscriber = tokio::time::timeout(HANDING_OVER, asking)
                .await
                .map_err(|_| self.connection_down())?;
            let subscriber = subscriber.map_err(|error| CallError {
                kind: ErrorKind::BadSubject,
                message: format!("cannot listen on {}: {error}", at.name.escape_debug()),
                remedy: "a subject is names joined by single dots".into(),
            })?;
            let (feeder, line) = message_queue(HELD);
            spawn(forward_messages(subscriber, share, feeder, Arc::clone(&self.home)));
            Ok(line)
        })
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(self.publish(message))
    }

    fn is_responding(&self) -> BoxFuture<'_, bool> {
        Box::pin(self.hears_itself())
    }

    fn jetstream_context(&self) -> Option<jetstream::Context> {
        Some(jetstream::new(self.client.clone()))
    }

    fn retained_streams<'a>(&'a self, at: &'a [Address]) -> BusFuture<'a, Vec<StoredStream>> {
        Box::pin(streams::retained_streams(&self.client, at))
    }

    fn read_retained<'a>(&'a self, kept: &'a StoredStream, since: Millis) -> BusFuture<'a, Recall> {
        Box::pin(streams::read_retained(&self.client, kept, since))
    }

    fn parse_receipt(&self, packet: &Packet) -> Option<Receipt> {
        receipt::parse_receipt(packet)
    }

    fn referenced_message<'a>(
        &'a self,
        packet: &'a Packet,
    ) -> Option<BusFuture<'a, Option<Packet>>> {
        let tells =
            packet.subject.as_deref().is_some_and(|subject| subject.starts_with(streams::ADVISORY));
        tells.then(|| {
            Box::pin(streams::referenced_message(&self.client, packet))
                as BusFuture<'a, Option<Packet>>
        })
    }

    fn new_inbox(&self) -> Option<Address> {
        Some(Address::ephemeral(self.client.new_inbox()))
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }

    fn close_reason(&self) -> Option<CallError> {
        self.home.close_reason()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn headers_that_would_break_the_protocol_are_refused() {
        let pair = |name: &str, value: &str| [(name.to_owned(), value.to_owned())];
        assert!(header_map(&pair("id", "7f1c")).is_ok());
        for (name, value) in [("id", "a\r\nPUB x 0"), ("i:d", "a"), ("", "a"), ("i d\n", "a")] {
            assert_eq!(
                header_map(&pair(name, value)).unwrap_err().kind,
                ErrorKind::BadHeader,
                "{name:?}: {value:?}"
            );
        }
    }

    #[test]
    fn the_size_that_counts_includes_the_headers() {
        let message = Outgoing {
            to: Address::ephemeral("s"),
            reply: None,
            headers: vec![("id".into(), "1".into())],
            body: Bytes::from_static(b"body"),
            expires: None,
        };
        assert_eq!(wire_size(&message), "NATS/1.0\r\nid: 1\r\n\r\nbody".len());
    }
}
