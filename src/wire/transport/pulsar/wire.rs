//! One connection to one Pulsar broker: requests and their answers, messages out and their
//! receipts, and messages in for our consumers.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures::StreamExt;
use tokio::{
    io::{AsyncWriteExt, ReadHalf, WriteHalf},
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
    task::AbortHandle,
    time::timeout,
};
use tokio_util::{
    codec::{FramedRead, LengthDelimitedCodec, LengthDelimitedCodecError},
    sync::CancellationToken,
};

use super::{
    commands::{Command, MessageId, Ping, Pong},
    frame::{self, Fault, Frame, SingleMessage},
    messages,
};
use crate::{
    model::call::CallError,
    wire::{
        spawning::spawn,
        transport::{
            reconnecting::LinkEvent,
            socket::{self, Socket},
        },
    },
};

/// What a frame may have beside the body of its message.
const AROUND: u64 = 8 * 1024 * 1024;
/// Frames on their way out; more wait.
const OUTBOX: usize = 256;
/// A broker that is silent for so long is asked for a sign of life, and is gone when it gives none
/// for as long again.
const SILENCE: Duration = Duration::from_secs(30);

/// Messages that came for one consumer in one frame.
pub(crate) struct ArrivedMessages {
    pub id: Option<MessageId>,
    pub singles: Vec<SingleMessage>,
}

type Answer = oneshot::Sender<Result<Command, CallError>>;

/// An open connection. Dropping it closes it.
pub(crate) struct Wire {
    shared: Arc<SharedWire>,
    tasks: [AbortHandle; 2],
}

struct SharedWire {
    place: String,
    outbox: mpsc::Sender<Bytes>,
    tables: Mutex<Tables>,
    next: AtomicU64,
    /// What the broker says; whoever keeps the connection listens.
    said: mpsc::UnboundedSender<LinkEvent>,
    broken: CancellationToken,
}

/// Who waits for what.
#[derive(Default)]
struct Tables {
    requests: HashMap<u64, Answer>,
    receipts: HashMap<(u64, u64), oneshot::Sender<Result<(), CallError>>>,
    consumers: HashMap<u64, mpsc::Sender<ArrivedMessages>>,
    producers: HashMap<String, u64>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// A stream to a broker, cut into frames.
pub(crate) type Frames = FramedRead<ReadHalf<Socket>, LengthDelimitedCodec>;

/// Both halves of a stream to a broker, the one that is read cut into frames. One whose length says
/// that its message has more than so many bytes is refused before it is read.
#[must_use]
pub(crate) fn split_socket(socket: Socket, largest: u64) -> (Frames, WriteHalf<Socket>) {
    let (read, write) = tokio::io::split(socket);
    let most = usize::try_from(largest.saturating_add(AROUND)).unwrap_or(usize::MAX);
    let codec = LengthDelimitedCodec::builder().max_frame_length(most).new_codec();
    (FramedRead::new(read, codec), write)
}

impl Wire {
    /// Begins to read and write on a stream whose greetings are done. `broken` is cancelled when it
    /// ends.
    #[must_use]
    pub fn new(
        place: String,
        frames: Frames,
        out: WriteHalf<Socket>,
        said: mpsc::UnboundedSender<LinkEvent>,
        broken: CancellationToken,
    ) -> Self {
        let (outbox, queue) = mpsc::channel(OUTBOX);
        let (tables, next) = (Mutex::default(), AtomicU64::new(1));
        let shared = Arc::new(SharedWire { place, outbox, tables, next, said, broken });
        let reading = spawn(Arc::clone(&shared).read_frames(frames));
        let writing = spawn(write_frames(queue, out));
        Self { shared, tasks: [reading.abort_handle(), writing.abort_handle()] }
    }

    #[must_use]
    pub fn display_address(&self) -> &str {
        &self.shared.place
    }

    /// A number that was not given before on this connection.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.shared.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a command and waits for the answer to the request of that number.
    pub async fn send_request(&self, request: u64, command: Command) -> Result<Command, CallError> {
        let (sender, answer) = oneshot::channel();
        self.shared.lock_tables().requests.insert(request, sender);
        self.send_frame(frame::command_frame(command)).await?;
        answer.await.unwrap_or_else(|_| Err(messages::connection_lost(&self.shared.place)))
    }

    /// Sends a command that has no answer.
    pub async fn send_command(&self, command: Command) -> Result<(), CallError> {
        self.send_frame(frame::command_frame(command)).await
    }

    /// Sends a frame with a message, and waits for the broker's receipt.
    pub async fn hand_over(
        &self,
        (producer, sequence): (u64, u64),
        frame: Bytes,
    ) -> Result<(), CallError> {
        let (sender, receipt) = oneshot::channel();
        self.shared.lock_tables().receipts.insert((producer, sequence), sender);
        self.send_frame(frame).await?;
        receipt.await.unwrap_or_else(|_| Err(messages::connection_lost(&self.shared.place)))
    }

    /// Where a consumer's messages come out; before it subscribes, so that none is missed. It may
    /// be sent so many at once.
    #[must_use]
    pub fn add_consumer(&self, number: u64, permits: u32) -> mpsc::Receiver<ArrivedMessages> {
        let (sender, receiver) = mpsc::channel(permits as usize);
        self.shared.lock_tables().consumers.insert(number, sender);
        receiver
    }

    pub fn remove_consumer(&self, consumer: u64) {
        self.shared.lock_tables().consumers.remove(&consumer);
    }

    /// The producer that this connection has for a topic.
    #[must_use]
    pub fn producer_id(&self, topic: &str) -> Option<u64> {
        self.shared.lock_tables().producers.get(topic).copied()
    }

    pub fn note_producer(&self, topic: &str, number: u64) {
        self.shared.lock_tables().producers.insert(topic.to_owned(), number);
    }

    async fn send_frame(&self, frame: Bytes) -> Result<(), CallError> {
        if self.shared.broken.is_cancelled() {
            return Err(messages::connection_lost(&self.shared.place));
        }
        self.shared
            .outbox
            .send(frame)
            .await
            .map_err(|_| messages::connection_lost(&self.shared.place))
    }
}

async fn write_frames(mut queue: mpsc::Receiver<Bytes>, mut out: WriteHalf<Socket>) {
    while let Some(frame) = queue.recv().await {
        let written = async {
            out.write_all(&frame).await?;
            // Only when nothing more is waiting, so that many small frames leave together.
            if queue.is_empty() { out.flush().await } else { Ok(()) }
        };
        if written.await.is_err() {
            // The reader sees the end too, and says so.
            return;
        }
    }
}

impl SharedWire {
    fn lock_tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_frames(self: Arc<Self>, mut frames: Frames) {
        let mut asked = false;
        loop {
            match timeout(SILENCE, frames.next()).await {
                Ok(Some(Ok(frame))) => {
                    asked = false;
                    self.handle_frame(frame.freeze()).await;
                }
                Ok(Some(Err(error))) => {
                    if error.get_ref().is_some_and(|cause| cause.is::<LengthDelimitedCodecError>())
                    {
                        let most = frames.decoder().max_frame_length() as u64;
                        self.emit_event(LinkEvent::Fatal(socket::too_large(
                            &self.place,
                            "message",
                            most,
                        )));
                    } else {
                        self.emit_notice(format!(
                            "the connection to {} failed: {error}",
                            self.place
                        ));
                    }
                    break;
                }
                Ok(None) => break,
                Err(_) if asked => {
                    self.emit_notice(format!(
                        "{} sent nothing for {} s",
                        self.place,
                        2 * SILENCE.as_secs()
                    ));
                    break;
                }
                Err(_) => {
                    asked = true;
                    let _ = self.outbox.try_send(frame::command_frame(Command::Ping(Ping {})));
                }
            }
        }
        self.broken.cancel();
        // Whoever waits is recognized by the end of what they wait on.
        *self.lock_tables() = Tables::default();
    }

    fn emit_notice(&self, words: String) {
        self.emit_event(LinkEvent::Notice(words));
    }

    fn emit_event(&self, event: LinkEvent) {
        // Nobody keeps the connection any more.
        let _ = self.said.send(event);
    }

    async fn handle_frame(&self, frame: Bytes) {
        match frame::parse_frame(frame) {
            Ok(Some(Frame { command, message: None })) => self.handle_command(command).await,
            Ok(Some(Frame {
                command: Command::Message(delivery),
                message: Some((metadata, payload)),
            })) => {
                match frame::split_batch(metadata, payload) {
                    Ok(singles) => {
                        let consumer =
                            self.lock_tables().consumers.get(&delivery.consumer).cloned();
                        let arrived = ArrivedMessages { id: delivery.id, singles };
                        // Whoever left meanwhile does not want it.
                        if let Some(Err(TrySendError::Full(_))) =
                            consumer.map(|consumer| consumer.try_send(arrived))
                        {
                            self.emit_event(LinkEvent::Fatal(messages::message_flood(&self.place)));
                        }
                    }
                    Err(fault) => self.emit_notice(fault_words(&self.place, &fault)),
                }
            }
            Ok(_) => {}
            Err(fault) => self.emit_notice(fault_words(&self.place, &fault)),
        }
    }

    async fn handle_command(&self, command: Command) {
        match command {
            Command::Ping(_) => {
                drop(self.outbox.send(frame::command_frame(Command::Pong(Pong {}))).await);
            }
            Command::SendReceipt(receipt) => {
                self.resolve_receipt((receipt.producer, receipt.sequence), Ok(()));
            }
            Command::SendError(error) => {
                let problem = messages::operation_refused(
                    &self.place,
                    "send a message to",
                    "its topic",
                    error.error,
                    &error.message,
                );
                self.resolve_receipt((error.producer, error.sequence), Err(problem));
            }
            Command::CloseProducer(close) => {
                self.lock_tables().producers.retain(|_, number| *number != close.producer);
            }
            Command::CloseConsumer(close) => {
                drop(self.lock_tables().consumers.remove(&close.consumer));
            }
            Command::Success(ref done) => self.resolve_request(done.request, Ok(command)),
            Command::ProducerSuccess(ref done) => self.resolve_request(done.request, Ok(command)),
            Command::LookupResponse(ref found) => self.resolve_request(found.request, Ok(command)),
            Command::Error(refusal) => {
                self.resolve_request(refusal.request, Ok(Command::Error(refusal)));
            }
            _ => {}
        }
    }

    fn resolve_request(&self, request: u64, answer: Result<Command, CallError>) {
        let waiting = self.lock_tables().requests.remove(&request);
        // Who gave up waiting does not want it.
        let _ = waiting.map(|waiting| waiting.send(answer));
    }

    fn resolve_receipt(&self, of: (u64, u64), receipt: Result<(), CallError>) {
        let waiting = self.lock_tables().receipts.remove(&of);
        let _ = waiting.map(|waiting| waiting.send(receipt));
    }
}

fn fault_words(place: &str, fault: &Fault) -> String {
    let why = match fault {
        Fault::Broken => "it is cut off or invalid".to_owned(),
        Fault::Metadata => "it has too much metadata".to_owned(),
        Fault::Checksum => "its checksum is wrong, so it was damaged in transit".to_owned(),
        Fault::Compressed(way) => {
            let names = ["nothing", "LZ4", "zlib", "Zstandard", "Snappy"];
            let name = usize::try_from(*way).ok().and_then(|way| names.get(way));
            format!(
                "it is compressed with {}, which TrustGraph's services do not do",
                name.unwrap_or(&"something unknown")
            )
        }
    };
    format!("a message from {place} could not be read: {why}")
}

#[cfg(test)]
mod tests {
    use super::{
        super::commands::{Delivery, Metadata},
        *,
    };

    #[tokio::test]
    async fn a_broker_that_sends_more_than_was_asked_for_is_left() {
        let (ours, mut theirs) = tokio::io::duplex(1 << 16);
        let (frames, out) = split_socket(Box::new(ours), 1 << 20);
        let (said, mut heard) = mpsc::unbounded_channel();
        let wire = Wire::new("pulsar://there".into(), frames, out, said, CancellationToken::new());
        let mut arrivals = wire.add_consumer(3, 2);
        let metadata = Metadata { producer: "p".into(), ..Metadata::default() };
        let message = frame::with_message(
            Command::Message(Delivery { consumer: 3, id: None }),
            &metadata,
            b"body",
        );
        for _ in 0..3 {
            theirs.write_all(&message).await.unwrap();
        }
        let Some(LinkEvent::Fatal(problem)) = heard.recv().await else { panic!("it was not left") };
        assert_eq!(problem.kind.as_str(), "flooded");
        assert!(
            arrivals.recv().await.is_some()
                && arrivals.recv().await.is_some()
                && arrivals.try_recv().is_err()
        );
    }
}
