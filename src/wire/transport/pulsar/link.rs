//! The brokers that one connection leads to: which has a topic, what is sent, and what is received.

use std::{collections::HashMap, sync::Arc};

use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::{
    commands::{
        Ack, CloseConsumer, Command, EXCLUSIVE, FOUND, Flow, Lookup, LookupResponse, Metadata,
        Producer, REDIRECTED, SHARED, Send, Subscribe, Unsubscribe,
    },
    frame,
    meet::{Brokers, GreetedBroker},
    messages,
    wire::{ArrivedMessages, Wire},
};
use crate::{
    model::{call::CallError, size},
    wire::{
        now::now_millis,
        transport::{
            bus::SubscriptionShare,
            connection_event::ConnectionEvents,
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueSender,
            reconnecting::{Link, LinkEvent},
        },
    },
};

/// Messages that may be on their way to one listener. Many, since a topic that keeps nothing drops
/// what is not permitted, and nobody is informed; what our own line drops is counted. Fewer where
/// each may have to wait for its listener.
const PERMITS: u32 = 100_000;
const PERMITS_KEPT: u32 = 64;

/// How often a broker may send us to another one.
const REDIRECTIONS: usize = 10;

/// The brokers that are spoken to together: the one that was asked first, and those that have
/// topics we use.
pub(crate) struct Pulsar {
    brokers: Brokers,
    first: Arc<Wire>,
    version: String,
    largest: usize,
    others: Mutex<HashMap<String, Arc<Wire>>>,
    said: mpsc::UnboundedSender<LinkEvent>,
    heard: Mutex<mpsc::UnboundedReceiver<LinkEvent>>,
    /// The connection to one of the brokers ended, and with it all.
    broken: CancellationToken,
}

/// A consumer and its messages.
pub(crate) struct Subscription {
    wire: Arc<Wire>,
    number: u64,
    arrivals: mpsc::Receiver<ArrivedMessages>,
    /// The topic keeps its messages, so each is acknowledged.
    kept: bool,
    share: SubscriptionShare,
    permits: u32,
}

impl Pulsar {
    #[must_use]
    pub fn new(
        brokers: Brokers,
        met: GreetedBroker,
        said: mpsc::UnboundedSender<LinkEvent>,
        heard: mpsc::UnboundedReceiver<LinkEvent>,
        broken: CancellationToken,
    ) -> Self {
        let GreetedBroker { wire, version, largest } = met;
        let (others, heard) = (Mutex::default(), Mutex::new(heard));
        Self { brokers, first: Arc::new(wire), version, largest, others, said, heard, broken }
    }

    /// The broker that has a topic.
    async fn broker_of(&self, topic: &str) -> Result<Arc<Wire>, CallError> {
        let mut wire = Arc::clone(&self.first);
        let mut authoritative = None;
        for _ in 0..REDIRECTIONS {
            let found = lookup_topic(&wire, topic, authoritative).await?;
            authoritative = found.authoritative;
            match lookup_target(found, self.brokers.encryption.is_some()) {
                TopicLookup::Here => return Ok(wire),
                TopicLookup::There(url) => return self.broker_at(&url, topic).await,
                TopicLookup::Ask(url) => wire = self.broker_at(&url, topic).await?,
                TopicLookup::Unencrypted(url) => {
                    return Err(messages::redirect_unencrypted(
                        wire.display_address(),
                        &url,
                        topic,
                    ));
                }
                TopicLookup::Refused { error, said } => {
                    return Err(messages::operation_refused(
                        wire.display_address(),
                        "find",
                        topic,
                        error,
                        &said,
                    ));
                }
            }
        }
        Err(messages::no_lookup(self.first.display_address(), topic))
    }

    async fn broker_at(&self, url: &str, topic: &str) -> Result<Arc<Wire>, CallError> {
        let url = url.trim_end_matches('/');
        if url == self.first.display_address() {
            return Ok(Arc::clone(&self.first));
        }
        let mut others = self.others.lock().await;
        if let Some(wire) = others.get(url) {
            return Ok(Arc::clone(wire));
        }
        let met = self.brokers.connect_url(url, self.said.clone(), self.broken.clone()).await;
        let met = met.map_err(|problem| {
            messages::redirect_unreachable(self.first.display_address(), url, topic, &problem)
        })?;
        let wire = Arc::new(met.wire);
        others.insert(url.to_owned(), Arc::clone(&wire));
        Ok(wire)
    }

    async fn open_producer(&self, topic: &str) -> Result<(Arc<Wire>, u64), CallError> {
        let others: Vec<_> = self.others.lock().await.values().cloned().collect();
        for wire in [&self.first].into_iter().chain(&others) {
            if let Some(number) = wire.producer_id(topic) {
                return Ok((Arc::clone(wire), number));
            }
        }
        let wire = self.broker_of(topic).await?;
        let (producer, request) = (wire.next_number(), wire.next_number());
        let command = Command::Producer(Producer { topic: topic.to_owned(), producer, request });
        match wire.send_request(request, command).await? {
            Command::Error(refusal) => Err(messages::operation_refused(
                wire.display_address(),
                "send to",
                topic,
                refusal.error,
                &refusal.message,
            )),
            _ => {
                wire.note_producer(topic, producer);
                Ok((wire, producer))
            }
        }
    }
}

/// Which broker has a topic, as one of them says.
#[derive(Debug, PartialEq, Eq)]
enum TopicLookup {
    /// Whoever was asked, or who is before it.
    Here,
    There(String),
    /// That one knows.
    Ask(String),
    /// One that has no encrypted address, and ours is an encrypted connection.
    Unencrypted(String),
    Refused {
        error: i32,
        said: String,
    },
}

/// An encrypted connection follows encrypted addresses alone.
fn lookup_target(found: LookupResponse, encrypted: bool) -> TopicLookup {
    let named = |url: Option<String>| url.filter(|url| !url.is_empty());
    let (plain, safe) = (named(found.url), named(found.url_tls));
    let url = if encrypted { safe } else { plain.clone() };
    match (found.response, url, plain) {
        // A proxy is between, and speaks for the broker.
        (Some(FOUND), ..) if found.through_proxy == Some(true) => TopicLookup::Here,
        // Where encryption ends before the broker, it knows no encrypted address of its own.
        (Some(FOUND), None, _) => TopicLookup::Here,
        (Some(FOUND), Some(url), _) => TopicLookup::There(url),
        (Some(REDIRECTED), Some(url), _) => TopicLookup::Ask(url),
        (Some(REDIRECTED), None, Some(plain)) if encrypted => TopicLookup::Unencrypted(plain),
        _ => TopicLookup::Refused {
            error: found.error.unwrap_or_default(),
            said: found.message.unwrap_or_default(),
        },
    }
}

async fn lookup_topic(
    wire: &Wire,
    topic: &str,
    authoritative: Option<bool>,
) -> Result<LookupResponse, CallError> {
    let request = wire.next_number();
    let command = Command::Lookup(Lookup { topic: topic.to_owned(), request, authoritative });
    match wire.send_request(request, command).await? {
        Command::LookupResponse(found) => Ok(found),
        Command::Error(refusal) => Err(messages::operation_refused(
            wire.display_address(),
            "find",
            topic,
            refusal.error,
            &refusal.message,
        )),
        _ => Err(messages::no_lookup(wire.display_address(), topic)),
    }
}

impl Link for Pulsar {
    type Subscription = Subscription;

    fn greeting(&self) -> String {
        format!(
            "{} at {}, messages up to {}",
            self.version,
            self.first.display_address(),
            size::format_size(self.largest as u64)
        )
    }

    async fn watch_connection(&self, news: &ConnectionEvents) -> Option<CallError> {
        let mut heard = self.heard.lock().await;
        loop {
            tokio::select! {
                biased;
                Some(event) = heard.recv() => match event {
                    LinkEvent::Notice(words) => news.send_notice(words),
                    LinkEvent::Fatal(problem) => return Some(problem),
                },
                () = self.broken.cancelled() => return None,
            }
        }
    }

    async fn subscribe(
        &self,
        at: &Address,
        share: SubscriptionShare,
    ) -> Result<Subscription, CallError> {
        let wire = self.broker_of(&at.name).await?;
        let (number, request) = (wire.next_number(), wire.next_number());
        let waits = at.kept && share != SubscriptionShare::Observer;
        let permits = if waits { PERMITS_KEPT } else { PERMITS };
        let arrivals = wire.add_consumer(number, permits);
        let (subscription, sharing, durable) = match share {
            SubscriptionShare::Each | SubscriptionShare::Observer => {
                (format!("toolcrib-{}", uuid::Uuid::new_v4()), EXCLUSIVE, false)
            }
            SubscriptionShare::OneOf(group) => (group.to_owned(), SHARED, true),
        };
        let command = Command::Subscribe(Subscribe {
            topic: at.name.clone(),
            subscription,
            sharing,
            consumer: number,
            request,
            durable: Some(durable),
        });
        if let Command::Error(refusal) = wire.send_request(request, command).await? {
            wire.remove_consumer(number);
            return Err(messages::operation_refused(
                wire.display_address(),
                "listen on",
                &at.name,
                refusal.error,
                &refusal.message,
            ));
        }
        wire.send_command(Command::Flow(Flow { consumer: number, permits })).await?;
        Ok(Subscription { wire, number, arrivals, kept: at.kept, share, permits })
    }

    async fn forward_messages(subscription: &mut Subscription, feeder: &QueueSender) {
        // Moves what arrives into the line, and lets as many more come as were taken.
        let mut taken = 0;
        loop {
            let arrived = tokio::select! {
                () = feeder.closed() => return,
                arrived = subscription.arrivals.recv() => arrived,
            };
            let Some(ArrivedMessages { id, singles }) = arrived else { return };
            // Every message of a batch uses up a permit.
            taken += u32::try_from(singles.len()).unwrap_or(u32::MAX);
            for single in singles {
                let heard = Incoming::Packet(Packet {
                    subject: None,
                    reply: None,
                    headers: single.headers,
                    body: single.body,
                });
                let waits = subscription.kept && subscription.share != SubscriptionShare::Observer;
                let put = if waits { feeder.push(heard).await } else { feeder.try_push(heard) };
                if put.is_err() {
                    return;
                }
            }
            let consumer = subscription.number;
            if let (true, Some(id)) = (subscription.kept, id) {
                let acknowledged = subscription
                    .wire
                    .send_command(Command::Ack(Ack { consumer, kind: 0, ids: vec![id] }))
                    .await;
                if acknowledged.is_err() {
                    return;
                }
            }
            if taken >= subscription.permits / 2 {
                if subscription
                    .wire
                    .send_command(Command::Flow(Flow { consumer, permits: taken }))
                    .await
                    .is_err()
                {
                    return;
                }
                taken = 0;
            }
        }
    }

    async fn unsubscribe(subscription: Subscription) {
        subscription.wire.remove_consumer(subscription.number);
        // Nobody else has a subscription of our own: what waits in it would wait for ever.
        if !matches!(subscription.share, SubscriptionShare::OneOf(_)) {
            let request = subscription.wire.next_number();
            let unsubscribe =
                Command::Unsubscribe(Unsubscribe { consumer: subscription.number, request });
            if matches!(
                subscription.wire.send_request(request, unsubscribe).await,
                Ok(Command::Success(_))
            ) {
                // The consumer went with it.
                return;
            }
        }
        let request = subscription.wire.next_number();
        // A broker that is gone has forgotten it already.
        let _ = subscription
            .wire
            .send_request(
                request,
                Command::CloseConsumer(CloseConsumer { consumer: subscription.number, request }),
            )
            .await;
    }

    async fn send(&self, message: Outgoing) -> Result<(), CallError> {
        let Outgoing { to, headers, body, .. } = message;
        let weight: usize =
            headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
                + body.len();
        if weight > self.largest {
            return Err(messages::too_large(self.first.display_address(), weight, self.largest));
        }
        let (wire, producer) = self.open_producer(&to.name).await?;
        let sequence = wire.next_number();
        let metadata = Metadata {
            producer: format!("toolcrib-{producer}"),
            sequence,
            published: now_millis().0,
            properties: frame::to_properties(&headers),
            compression: None,
            batched: None,
        };
        let frame =
            frame::with_message(Command::Send(Send { producer, sequence }), &metadata, &body);
        wire.hand_over((producer, sequence), frame).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encrypted_connection_never_follows_a_plain_address() {
        let found = |response, url: &str, url_tls: &str| LookupResponse {
            url: Some(url.into()),
            url_tls: Some(url_tls.into()),
            response: Some(response),
            ..LookupResponse::default()
        };
        let (plain, safe) = ("pulsar://b:6650", "pulsar+ssl://b:6651");
        assert_eq!(lookup_target(found(FOUND, plain, safe), true), TopicLookup::There(safe.into()));
        assert_eq!(
            lookup_target(found(FOUND, plain, safe), false),
            TopicLookup::There(plain.into())
        );
        assert_eq!(lookup_target(found(FOUND, plain, ""), true), TopicLookup::Here);
        assert_eq!(
            lookup_target(found(REDIRECTED, plain, safe), true),
            TopicLookup::Ask(safe.into())
        );
        assert_eq!(
            lookup_target(found(REDIRECTED, plain, ""), true),
            TopicLookup::Unencrypted(plain.into())
        );
        assert_eq!(
            lookup_target(found(REDIRECTED, "", ""), true),
            TopicLookup::Refused { error: 0, said: String::new() }
        );
        let proxied = LookupResponse { through_proxy: Some(true), ..found(FOUND, plain, safe) };
        assert_eq!(lookup_target(proxied, true), TopicLookup::Here);
    }
}
