//! What every transport offers: publish to subjects, subscribe to them, and know its state.

use std::sync::Arc;

#[cfg(feature = "nats")]
use async_nats::jetstream;
use futures::{future::BoxFuture, stream::BoxStream};

use super::{
    connection_event::ConnectionEvents,
    message::{Address, Outgoing, Packet},
    message_queue::QueueReceiver,
};
use crate::model::{
    call::CallError, clock::Millis, server_profile::ServerProfile, transport::TransportKind,
};

/// Something under way that ends well or with a problem in words.
pub(crate) type BusFuture<'a, T> = BoxFuture<'a, Result<T, CallError>>;

/// Messages that were kept, oldest first.
pub(crate) type Recall = BoxStream<'static, Result<StoredMessage, CallError>>;

/// Messages that a broker keeps, and that can be received once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStream {
    /// What keeps them: a stream.
    pub stream: Arc<str>,
    /// Which of the stream's messages are meant.
    pub filter: String,
    /// The number of the stream's newest message when this was asked.
    pub newest: u64,
}

/// What a broker says to whoever sent a message to where messages are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// A stream keeps it under a number; a duplicate was there before, under that number.
    Kept { stream: String, sequence: u64, duplicate: bool },
    /// A stream that keeps what goes there does not keep this one. Whoever listens there has
    /// received it all the same.
    Refused { stream: String, cause: String },
}

/// A message that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    pub packet: Packet,
    /// When the broker received it, in nanoseconds since the Unix epoch: finer than that, nothing
    /// orders messages of several streams.
    pub nanos: u64,
    /// Its number in its stream.
    pub sequence: u64,
}

/// An open connection.
pub trait Bus: Send + Sync {
    /// What it is made of, which says how addresses are spelled.
    fn transport(&self) -> TransportKind;

    /// Where it leads, without secrets: `nats://127.0.0.1:4222`.
    fn display_address(&self) -> String;

    /// What was found there, in a few words: the server's name and version.
    fn greeting(&self) -> String;

    /// What it says of itself beside that; `None` where there is no more.
    fn server_profile(&self) -> Option<&ServerProfile> {
        None
    }

    /// Messages at a place from now on, also after the connection broke and is back. Dropping the
    /// line ends the subscription.
    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        share: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver>;

    /// The headers that a message goes out with, the transport's own and the connection's among them,
    /// without the values of secrets; none where the transport adds nothing.
    fn request_headers(&self, message: &Outgoing) -> Vec<(String, String)> {
        let _ = message;
        Vec::new()
    }

    /// Hands a message over. Refuses at once, with the reason, when it could not leave now.
    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()>;

    /// Which of what goes to these places is kept by the broker; nothing where it keeps nothing.
    fn retained_streams<'a>(&'a self, at: &'a [Address]) -> BusFuture<'a, Vec<StoredStream>> {
        let _ = at;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// What was kept since then, up to the newest that is there now, oldest first. Nothing is taken
    /// away by it and nothing stays of it.
    fn read_retained<'a>(&'a self, kept: &'a StoredStream, since: Millis) -> BusFuture<'a, Recall> {
        let _ = (kept, since);
        Box::pin(std::future::ready(Ok(futures::StreamExt::boxed(futures::stream::empty()))))
    }

    /// What the broker itself says in an inbox about the message that went out with it; `None`:
    /// somebody else's message.
    fn parse_receipt(&self, packet: &Packet) -> Option<Receipt> {
        let _ = packet;
        None
    }

    /// The message that this one reports, where the broker reports others' messages and still has
    /// it; `None`: it reports none.
    fn referenced_message<'a>(
        &'a self,
        packet: &'a Packet,
    ) -> Option<BusFuture<'a, Option<Packet>>> {
        let _ = packet;
        None
    }

    /// A fresh place that only this process listens to; `None` where the transport has none. Where
    /// there is none, a subscription is known to the server once it is made.
    fn new_inbox(&self) -> Option<Address>;

    /// What keeps messages there, where something does: JetStream.
    #[cfg(feature = "nats")]
    fn jetstream_context(&self) -> Option<jetstream::Context> {
        None
    }

    /// Whether a message can be sent there, asked before anything is made for its answer. A transport
    /// that only learns it by sending says yes.
    fn check_target<'a>(&'a self, to: &'a Address) -> BusFuture<'a, ()> {
        let _ = to;
        Box::pin(std::future::ready(Ok(())))
    }

    /// Whether the other side answers us at all, asked within a second or two. A transport whose other
    /// side confirms each message says yes.
    fn is_responding(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }

    /// Why it is over for good, where it is: nothing goes through it any more, and it does not come
    /// back.
    fn close_reason(&self) -> Option<CallError> {
        None
    }

    /// Ends it in the way of its transport; it is done when the other side knows, or was ended too.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Its state, what the other side says about the connection itself, and how often things went
    /// wrong since it was opened.
    fn connection_events(&self) -> &ConnectionEvents;
}

/// Who gets a message when several subscribe to its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionShare {
    /// Every subscriber.
    Each,
    /// One of the subscribers that name the same group.
    OneOf(&'static str),
    /// Whoever only looks on: hears all and takes nothing away, makes no place that is not there,
    /// never holds a sender back. What comes faster than it is taken is dropped and counted.
    /// Wildcards are received where the transport has any, and packets say their subject.
    Observer,
}
