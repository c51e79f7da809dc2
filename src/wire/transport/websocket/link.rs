//! One socket to a gateway, until it breaks.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as Lock, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use futures::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use serde::Deserialize;
use tokio::{
    sync::{Mutex, mpsc},
    time::{Instant, interval_at, timeout},
};
use tokio_tungstenite::{WebSocketStream, tungstenite::Message};

use super::messages;
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    wire::transport::{
        bus::SubscriptionShare,
        connection_event::ConnectionEvents,
        message::{Address, Incoming, Outgoing, Packet},
        message_queue::QueueSender,
        reconnecting::Link,
        socket::Socket,
    },
};

/// An open socket.
pub(crate) type Stream = WebSocketStream<Socket>;

/// How often the other side is asked whether it is there.
const ASKING: Duration = Duration::from_secs(10);

/// Who has said nothing for that long is gone.
const GONE: Duration = Duration::from_secs(25);

/// How many frames wait for one listener before the socket itself waits.
const QUEUE: usize = 64;

/// The header under which a frame's id is received.
const ID: &str = "id";

/// One socket to a gateway.
pub(crate) struct Gateway {
    place: String,
    workspace: String,
    sink: Mutex<SplitSink<Stream, Message>>,
    stream: Mutex<SplitStream<Stream>>,
    subscriptions: Arc<Subscriptions>,
}

/// Who listens for which id.
#[derive(Default)]
struct Subscriptions(Lock<HashMap<String, mpsc::Sender<Incoming>>>);

/// Hears the frames of one id.
pub(crate) struct Subscription {
    id: String,
    queue: mpsc::Receiver<Incoming>,
    subscriptions: Weak<Subscriptions>,
}

impl Gateway {
    #[must_use]
    pub fn new(stream: Stream, place: String, workspace: String) -> Self {
        let (sink, stream) = stream.split();
        Self {
            place,
            workspace,
            sink: Mutex::new(sink),
            stream: Mutex::new(stream),
            subscriptions: Arc::default(),
        }
    }

    /// Hands frames on as they come; ends when none will come any more.
    async fn dispatch_frames(&self, news: &ConnectionEvents) {
        let mut stream = self.stream.lock().await;
        let mut heard = Instant::now();
        // One that has just let us in is there: the first that it gets is a request.
        let mut asking = interval_at(heard + ASKING, ASKING);
        loop {
            let frame = tokio::select! {
                frame = stream.next() => frame,
                _ = asking.tick() => {
                    if heard.elapsed() >= GONE {
                        return news.send_down_reason(format!("{} sent nothing for {} \
                            s", self.place, GONE.as_secs()));
                    }
                    let ask = async { self.sink.lock().await.send(Message::Ping(Bytes::new())).await };
                    // One that cannot be asked will be found silent.
                    let _ = timeout(ASKING, ask).await;
                    continue;
                }
            };
            match frame {
                None => return,
                Some(Err(error)) => {
                    return news.send_down_reason(messages::close_reason(&self.place, &error));
                }
                Some(Ok(Message::Text(text))) => {
                    self.subscriptions.deliver_message(Bytes::from(text), news).await;
                }
                Some(Ok(Message::Binary(body))) => {
                    self.subscriptions.deliver_message(body, news).await;
                }
                Some(Ok(Message::Close(frame))) => {
                    let why =
                        frame.map(|frame| frame.reason.to_string()).filter(|why| !why.is_empty());
                    let why =
                        why.map_or_else(String::new, |why| format!(": {}", why.escape_debug()));
                    return news.send_down_reason(format!("{} closed the socket{why}", self.place));
                }
                Some(Ok(Message::Ping(_))) => self.subscriptions.note_sign("ping"),
                Some(Ok(Message::Pong(_))) => self.subscriptions.note_sign("pong"),
                Some(Ok(Message::Frame(_))) => {}
            }
            // A slow listener of ours is not the other side's silence.
            heard = Instant::now();
        }
    }
}

impl Subscriptions {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, mpsc::Sender<Incoming>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a sign of life to all who wait, as far as they have room for it.
    fn note_sign(&self, words: &str) {
        for subscription in self.lock().values() {
            // Who has left needs nothing.
            let _ = subscription.try_send(Incoming::Wire(words.to_owned()));
        }
    }

    async fn deliver_message(&self, body: Bytes, news: &ConnectionEvents) {
        let id = id_of(&body);
        let known = id.as_ref().and_then(|id| self.lock().get(id).cloned());
        let to = known
            .map_or_else(|| self.lock().values().cloned().collect::<Vec<_>>(), |known| vec![known]);
        let Some((last, others)) = to.split_last() else {
            let words = format!("{} sent an unexpected message", news.display_address());
            return news.send_notice(words);
        };
        let headers = id.map(|id| (ID.to_owned(), id)).into_iter().collect();
        let packet = Packet { subject: None, reply: None, headers, body };
        // Who has left needs nothing.
        for other in others {
            let _ = other.send(Incoming::Packet(packet.clone())).await;
        }
        let _ = last.send(Incoming::Packet(packet)).await;
    }
}

#[derive(Deserialize)]
struct Head {
    id: Option<String>,
}

/// The id of a frame, where it is JSON and has one.
fn id_of(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Head>(body).ok()?.id
}

impl Link for Gateway {
    type Subscription = Subscription;

    fn greeting(&self) -> String {
        let workspace = match self.workspace.as_str() {
            "" => String::new(),
            name => format!(", workspace {name}"),
        };
        format!("TrustGraph gateway at {}{workspace}", self.place)
    }

    async fn watch_connection(&self, news: &ConnectionEvents) -> Option<CallError> {
        self.dispatch_frames(news).await;
        None
    }

    async fn subscribe(
        &self,
        at: &Address,
        _: SubscriptionShare,
    ) -> Result<Subscription, CallError> {
        let (sender, queue) = mpsc::channel(QUEUE);
        self.subscriptions.lock().insert(at.name.clone(), sender);
        Ok(Subscription {
            id: at.name.clone(),
            queue,
            subscriptions: Arc::downgrade(&self.subscriptions),
        })
    }

    async fn forward_messages(subscription: &mut Subscription, feeder: &QueueSender) {
        loop {
            let heard = tokio::select! {
                () = feeder.closed() => return,
                heard = subscription.queue.recv() => heard,
            };
            let Some(heard) = heard else { return };
            if feeder.push(heard).await.is_err() {
                return;
            }
        }
    }

    async fn unsubscribe(mut subscription: Subscription) {
        // Another may listen for the same id by now.
        subscription.queue.close();
        if let Some(subscriptions) = subscription.subscriptions.upgrade() {
            subscriptions.lock().retain(|id, sender| *id != subscription.id || !sender.is_closed());
        }
    }

    async fn send(&self, message: Outgoing) -> Result<(), CallError> {
        let unfit = || CallError {
            kind: ErrorKind::NotUtf8,
            message: "the request is not valid UTF-8, which a gateway's socket does not carry"
                .into(),
            remedy: "send text".into(),
        };
        let text = String::from_utf8(message.body.to_vec()).map_err(|_| unfit())?;
        let sent = self.sink.lock().await.send(Message::text(text)).await;
        sent.map_err(|error| messages::send_failed(&self.place, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_where_there_is_one() {
        assert_eq!(id_of(br#"{"response": {"id": "x"}, "id": "r-1"}"#), Some("r-1".into()));
        for body in [&b"{}"[..], b"nonsense", b"[1]", br#"{"id": 3}"#, b"\xff"] {
            assert_eq!(id_of(body), None, "{body:?}");
        }
    }
}
