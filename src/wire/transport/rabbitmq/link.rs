//! One connection to a broker: what is sent, what is received, and what the broker says.

use std::{collections::HashSet, time::Duration};

use bytes::Bytes;
use futures::{FutureExt, StreamExt, stream::BoxStream};
use lapin::{
    BasicProperties, Channel, Confirmation, Consumer, Event, ExchangeKind,
    message::Delivery,
    options::{
        BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions,
        ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions,
    },
    types::{AMQPValue, FieldTable, ShortString},
};
use tokio::sync::Mutex;

use super::messages::{self, Operation};
use crate::{
    model::call::CallError,
    wire::transport::{
        bus::SubscriptionShare,
        connection_event::ConnectionEvents,
        message::{Address, Incoming, Outgoing, Packet},
        message_queue::QueueSender,
        reconnecting::Link,
    },
};

/// How many messages may be on their way to one listener before it acknowledges any.
const PREFETCH: u16 = 64;

/// How long a message lives: until taken, or as long as the broker does.
const FLEETING: u8 = 1;
const PERSISTENT: u8 = 2;

/// One connection to a broker.
pub(crate) struct Rabbit {
    connection: lapin::Connection,
    place: String,
    events: Mutex<BoxStream<'static, Event>>,
    outlet: Mutex<Outlet>,
}

/// The channel that messages leave on; one that the broker closed is replaced.
#[derive(Default)]
struct Outlet {
    channel: Option<Channel>,
    /// Exchanges that are there.
    known: HashSet<String>,
}

/// A consumer on a channel of its own.
pub(crate) struct Subscription {
    channel: Channel,
    consumer: Consumer,
    share: SubscriptionShare,
}

impl Rabbit {
    #[must_use]
    pub fn new(connection: lapin::Connection, place: String) -> Self {
        let events = Mutex::new(connection.events_listener().boxed());
        Self { connection, place, events, outlet: Mutex::default() }
    }

    fn refusal_mapper(&self, asked: Operation) -> impl Fn(lapin::Error) -> CallError + use<> {
        let place = self.place.clone();
        move |error| messages::operation_refused(&place, &asked, &error)
    }

    async fn open_channel(&self, asked: &Operation) -> Result<Channel, CallError> {
        self.connection.create_channel().await.map_err(self.refusal_mapper(asked.clone()))
    }

    /// The channel to send on, once it is known that the exchange is there: sending to one that is
    /// not would close it for all.
    async fn outlet_channel(&self, exchange: &ShortString) -> Result<Channel, CallError> {
        let at = exchange.as_str();
        let asked = sending(at);
        let mut outlet = self.outlet.lock().await;
        if !outlet.known.contains(at) {
            let channel = self.open_channel(&asked).await?;
            let found = declare_exchange(&channel, exchange, Declaring::Finding).await;
            found.map_err(self.refusal_mapper(asked.clone()))?;
            outlet.known.insert(at.to_owned());
        }
        if let Some(channel) =
            outlet.channel.as_ref().filter(|channel| channel.status().connected())
        {
            return Ok(channel.clone());
        }
        let channel = self.open_channel(&asked).await?;
        channel
            .confirm_select(ConfirmSelectOptions::default())
            .await
            .map_err(self.refusal_mapper(asked))?;
        outlet.channel = Some(channel.clone());
        Ok(channel)
    }

    /// A channel to listen with, once it is known that the exchange is there. Where it is, that takes
    /// no permission to make one.
    async fn channel_at(&self, exchange: &ShortString, aside: bool) -> Result<Channel, CallError> {
        let at = exchange.as_str();
        let asked = Operation {
            doing: "listen on",
            at: at.to_owned(),
            needs: format!("configure {at}, or let a service make it first"),
        };
        let channel = self.open_channel(&asked).await?;
        let declaring = if aside { Declaring::Finding } else { Declaring::Making };
        let denied = match declare_exchange(&channel, exchange, declaring).await {
            Ok(()) => return Ok(channel),
            Err(error) if !aside && messages::is_denied(&error) => error,
            Err(error) => return Err(self.refusal_mapper(asked)(error)),
        };
        // What the broker refuses closes the channel.
        let channel = self.open_channel(&asked).await?;
        match declare_exchange(&channel, exchange, Declaring::Finding).await {
            Ok(()) => Ok(channel),
            Err(_) => Err(self.refusal_mapper(asked)(denied)),
        }
    }
}

/// How an exchange is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declaring {
    /// It must be there.
    Finding,
    /// It is made where it isn't there.
    Making,
}

/// Declares an exchange of TrustGraph's form.
async fn declare_exchange(
    channel: &Channel,
    exchange: &ShortString,
    declaring: Declaring,
) -> Result<(), lapin::Error> {
    let options = ExchangeDeclareOptions {
        durable: true,
        passive: declaring == Declaring::Finding,
        ..ExchangeDeclareOptions::default()
    };
    let kind = ExchangeKind::Fanout;
    channel.exchange_declare(exchange.clone(), kind, options, FieldTable::default()).await
}

fn sending(at: &str) -> Operation {
    Operation { doing: "send to", at: at.to_owned(), needs: format!("write {at}") }
}

/// The longest time that the broker takes, in milliseconds.
const LATEST: u128 = u32::MAX as u128;

/// A time as the protocol carries it: milliseconds in a text. None at all would mean at once.
fn expiration_text(after: Duration) -> String {
    after.as_millis().clamp(1, LATEST).to_string()
}

/// What a queue may hold: that of an onlooker who has stopped must not fill the broker.
fn queue_limits(share: SubscriptionShare) -> Result<FieldTable, CallError> {
    const MESSAGES: i64 = 100_000;
    const BYTES: i64 = 64 * 1024 * 1024;
    let mut bounds = FieldTable::default();
    if share == SubscriptionShare::Observer {
        bounds.insert(short_string("x-max-length")?, AMQPValue::LongLongInt(MESSAGES));
        bounds.insert(short_string("x-max-length-bytes")?, AMQPValue::LongLongInt(BYTES));
    }
    Ok(bounds)
}

/// A name as the protocol carries it.
fn short_string(name: &str) -> Result<ShortString, CallError> {
    ShortString::try_new(name).map_err(|_| messages::too_long(name))
}

fn header_table(headers: &[(String, String)]) -> Result<FieldTable, CallError> {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        table.insert(short_string(name)?, AMQPValue::LongString(value.as_bytes().into()));
    }
    Ok(table)
}

fn to_packet(delivery: Delivery) -> Packet {
    let headers = delivery.properties.headers().iter().flat_map(|table| table.inner());
    let headers =
        headers.filter_map(|(name, value)| Some((name.to_string(), value_text(value)?))).collect();
    Packet { subject: None, reply: None, headers, body: Bytes::from(delivery.data) }
}

/// A header's value as text, where it has one.
fn value_text(value: &AMQPValue) -> Option<String> {
    match value {
        AMQPValue::LongString(text) => Some(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        AMQPValue::ShortString(text) => Some(text.to_string()),
        AMQPValue::Boolean(value) => Some(value.to_string()),
        AMQPValue::ShortShortInt(value) => Some(value.to_string()),
        AMQPValue::ShortInt(value) => Some(value.to_string()),
        AMQPValue::LongInt(value) => Some(value.to_string()),
        AMQPValue::LongLongInt(value) => Some(value.to_string()),
        AMQPValue::Double(value) => Some(value.to_string()),
        _ => None,
    }
}

impl Link for Rabbit {
    type Subscription = Subscription;

    fn greeting(&self) -> String {
        format!("RabbitMQ at {}, virtual host {}", self.place, self.connection.status().vhost())
    }

    async fn watch_connection(&self, news: &ConnectionEvents) -> Option<CallError> {
        let mut events = self.events.lock().await;
        while let Some(event) = events.next().await {
            match event {
                Event::ConnectionBlocked(reason) => {
                    news.send_notice(format!(
                        "{} accepts no messages at the moment: {reason}",
                        self.place
                    ));
                }
                Event::ConnectionUnblocked => {
                    news.send_notice(format!("{} accepts messages again", self.place));
                }
                // One channel's trouble is reported where that channel is used.
                Event::Error(error) if !self.connection.status().connected() => {
                    let fatal = messages::too_large(&self.place, &error);
                    if fatal.is_none() {
                        news.send_notice(messages::close_reason(&self.place, &error));
                    }
                    return fatal;
                }
                _ => {}
            }
        }
        None
    }

    async fn subscribe(
        &self,
        at: &Address,
        share: SubscriptionShare,
    ) -> Result<Subscription, CallError> {
        let exchange = short_string(&at.name)?;
        let aside = share == SubscriptionShare::Observer;
        let said = |needs: String| {
            self.refusal_mapper(Operation { doing: "listen on", at: at.name.clone(), needs })
        };
        let channel = self.channel_at(&exchange, aside).await?;
        let nothing = FieldTable::default;
        let (name, options) = match share {
            SubscriptionShare::Each | SubscriptionShare::Observer => {
                (String::new(), QueueDeclareOptions::exclusive().auto_delete())
            }
            SubscriptionShare::OneOf(group) => (
                format!("{}.{group}", at.name),
                QueueDeclareOptions { durable: at.kept, ..QueueDeclareOptions::default() },
            ),
        };
        let shown = if name.is_empty() { "queues called amq.gen-…" } else { &name };
        let queue = channel
            .queue_declare(short_string(&name)?, options, queue_limits(share)?)
            .await
            .map_err(said(format!("configure {shown}")))?
            .name()
            .clone();
        let bound = channel.queue_bind(
            queue.clone(),
            exchange,
            ShortString::default(),
            QueueBindOptions::default(),
            nothing(),
        );
        let reading = || format!("read {} and write {shown}", at.name);
        bound.await.map_err(said(reading()))?;
        let limited = channel.basic_qos(PREFETCH, BasicQosOptions::default()).await;
        limited.map_err(said(reading()))?;
        // Who only looks on is sent everything at once, so that the broker keeps nothing for it.
        let taking = BasicConsumeOptions { no_ack: aside, ..BasicConsumeOptions::default() };
        let consuming = channel.basic_consume(queue, ShortString::default(), taking, nothing());
        let consumer = consuming.await.map_err(said(format!("read {shown}")))?;
        Ok(Subscription { channel, consumer, share })
    }

    async fn forward_messages(subscription: &mut Subscription, feeder: &QueueSender) {
        // Takes what the consumer brings, and acknowledges many at once while more is waiting.
        let mut newest = None;
        let mut unconfirmed = 0;
        loop {
            let waiting = subscription.consumer.next().now_or_never();
            if waiting.is_none() || unconfirmed >= PREFETCH / 2 {
                if let Some(tag) = newest.take()
                    && subscription
                        .channel
                        .basic_ack(tag, BasicAckOptions { multiple: true })
                        .await
                        .is_err()
                {
                    return;
                }
                unconfirmed = 0;
            }
            let next = match waiting {
                Some(next) => next,
                None => tokio::select! {
                    () = feeder.closed() => return,
                    next = subscription.consumer.next() => next,
                },
            };
            let Some(Ok(delivery)) = next else { return };
            let put = if subscription.share == SubscriptionShare::Observer {
                feeder.try_push(Incoming::Packet(to_packet(delivery)))
            } else {
                newest = Some(delivery.delivery_tag);
                unconfirmed += 1;
                feeder.push(Incoming::Packet(to_packet(delivery))).await
            };
            if put.is_err() {
                return;
            }
        }
    }

    async fn unsubscribe(subscription: Subscription) {
        // Where the channel is gone already, so is the subscription.
        let _ = subscription.channel.close(200, ShortString::default()).await;
    }

    async fn send(&self, message: Outgoing) -> Result<(), CallError> {
        let Outgoing { to, headers, body, expires, .. } = message;
        if self.connection.status().blocked() {
            return Err(messages::broker_blocked(&self.place));
        }
        let exchange = short_string(&to.name)?;
        let properties = BasicProperties::default()
            .with_content_type(short_string("application/json")?)
            .with_delivery_mode(if to.kept { PERSISTENT } else { FLEETING })
            .with_headers(header_table(&headers)?);
        let properties = match expires {
            Some(after) => properties.with_expiration(short_string(&expiration_text(after))?),
            None => properties,
        };
        let channel = self.outlet_channel(&exchange).await?;
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let sent = async {
            channel
                .basic_publish(exchange, ShortString::default(), options, &body, properties)
                .await?
                .await
        };
        let confirmation = match sent.await {
            Ok(confirmation) => confirmation,
            Err(error) => {
                // Whatever was wrong, it may be the exchange that is gone.
                self.outlet.lock().await.known.remove(&to.name);
                return Err(messages::operation_refused(&self.place, &sending(&to.name), &error));
            }
        };
        match confirmation {
            Confirmation::Ack(None) | Confirmation::NotRequested => Ok(()),
            Confirmation::Ack(Some(_)) | Confirmation::Nack(Some(_)) => {
                Err(messages::no_queue_bound(&self.place, &to.name))
            }
            Confirmation::Nack(None) => Err(messages::delivery_rejected(&self.place, &to.name)),
        }
    }

    async fn check_target(&self, to: &Address) -> Result<(), CallError> {
        let exchange = short_string(&to.name)?;
        self.outlet_channel(&exchange).await.map(|_| ())
    }
}
