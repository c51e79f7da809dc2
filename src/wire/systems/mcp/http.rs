//! Streamable HTTP: each frame is a POST; answers come as its body or as a stream of events, and on
//! a GET stream what a server says unasked.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as Lock, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet},
    time::{sleep, timeout},
};

use super::arrival::Arrival;
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::mcp::{
        rpc::{
            frame::{Frame, Kind},
            id::Id,
        },
        turn,
    },
    wire::transport::{
        bus::{Bus, Share},
        http::marks,
        message::{Address, Incoming, Outgoing},
        message_queue::QueueReceiver,
    },
};

/// Arrivals on their way at most.
const QUEUE: usize = 256;
/// How long a server may take to know that a session ends.
const ENDING: Duration = Duration::from_secs(2);
/// After how long a stream that broke is asked for again, where the server does not say it.
const RETRY: Duration = Duration::from_secs(1);
/// How often a stream is asked for again in vain.
const TRIES: usize = 3;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "MCP-Protocol-Version";

/// What every request of a connection says.
#[derive(Clone)]
struct SessionHeaders {
    session: Arc<Lock<Option<String>>>,
    version: Arc<Lock<Option<(String, String)>>>,
}

impl SessionHeaders {
    fn headers(&self) -> Vec<(String, String)> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone();
        session.map(|id| ("Mcp-Session-Id".to_owned(), id)).into_iter().collect()
    }

    fn version(&self) -> Option<(String, String)> {
        self.version.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(crate) struct HttpPipe {
    bus: Arc<dyn Bus>,
    said: SessionHeaders,
    streams: HashMap<Id, AbortHandle>,
    running: JoinSet<()>,
    sender: mpsc::Sender<Arrival>,
    arrivals: mpsc::Receiver<Arrival>,
}

/// One request and what comes of it.
struct Stream {
    bus: Arc<dyn Bus>,
    said: SessionHeaders,
    /// `None`: no answer is expected.
    id: Option<Id>,
    arrivals: mpsc::Sender<Arrival>,
    /// The last event that had an id, and when to ask for what came after it.
    last: Option<String>,
    retry: Duration,
    answered: bool,
}

impl HttpPipe {
    pub fn new(bus: Arc<dyn Bus>) -> Self {
        let (sender, arrivals) = mpsc::channel(QUEUE);
        let said = SessionHeaders { session: Arc::default(), version: Arc::default() };
        Self { bus, said, streams: HashMap::new(), running: JoinSet::new(), sender, arrivals }
    }

    /// Sends a frame; what comes of it arrives in its time.
    ///
    /// # Errors
    /// When the server is not there.
    pub async fn send(&mut self, outgoing: &turn::Outgoing) -> Result<(), CallError> {
        let version = outgoing.headers.iter().find(|(name, _)| name == VERSION).cloned();
        if version.is_some() {
            *self.said.version.lock().unwrap_or_else(PoisonError::into_inner) = version;
        }
        let headers = [outgoing.headers.clone(), self.said.headers()].concat();
        let body = Bytes::from(outgoing.text.clone());
        let receiver = request(&*self.bus, headers, body).await?;
        let stream = self.stream(outgoing.id.clone());
        let handle = self.running.spawn(stream.follow(receiver));
        if let Some(id) = &outgoing.id {
            self.streams.retain(|_, stream| !stream.is_finished());
            self.streams.insert(id.clone(), handle);
        }
        Ok(())
    }

    fn stream(&self, id: Option<Id>) -> Stream {
        Stream {
            bus: Arc::clone(&self.bus),
            said: self.said.clone(),
            answered: id.is_none(),
            id,
            arrivals: self.sender.clone(),
            last: None,
            retry: RETRY,
        }
    }

    /// Opens the GET stream; a server need not have one.
    pub async fn listen(&mut self, last: Option<String>) {
        let mut stream = self.stream(None);
        stream.last = last;
        self.running.spawn(async move {
            if let Ok(receiver) = stream.ask_again().await {
                stream.follow(receiver).await;
            }
        });
    }

    pub async fn next(&mut self) -> Arrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // We hold a sender.
            None => std::future::pending().await,
        }
    }

    pub fn close_stream(&mut self, id: &Id) {
        if let Some(stream) = self.streams.remove(id) {
            stream.abort();
        }
    }

    /// Ends the session, where there is one.
    pub async fn close(&mut self) {
        self.running.abort_all();
        let session = self.said.headers();
        if session.is_empty() {
            return;
        }
        let version = self.said.version();
        let headers =
            [vec![marks::method_header("DELETE")], session, version.into_iter().collect()];
        // A server need not know how to end a session.
        let _ = timeout(ENDING, async {
            let mut answer = request(&*self.bus, headers.concat(), Bytes::new()).await.ok()?;
            answer.next().await
        })
        .await;
    }
}

/// Makes a request; gives where its answer comes.
async fn request(
    bus: &dyn Bus,
    headers: Vec<(String, String)>,
    body: Bytes,
) -> Result<QueueReceiver, CallError> {
    let inbox = bus.new_inbox().ok_or_else(|| {
        CallError::new(ErrorKind::NoTransport, "this is no HTTP", "give an address of http://")
    })?;
    let receiver = bus.subscribe(&inbox, Share::Each).await?;
    let to = Address::ephemeral("");
    bus.send(Outgoing { to, reply: Some(inbox), headers, body, expires: None }).await?;
    Ok(receiver)
}

impl Stream {
    /// Takes in all that comes, over as many streams as it takes.
    async fn follow(mut self, mut receiver: QueueReceiver) {
        loop {
            let Some(problem) = self.drain(&mut receiver).await else { return };
            if self.last.is_none() {
                return self.give_up(problem).await;
            }
            let mut tries = 0;
            receiver = loop {
                sleep(self.retry).await;
                tries += 1;
                match self.ask_again().await {
                    Ok(receiver) => break receiver,
                    Err(_) if tries < TRIES => {}
                    Err(problem) => return self.give_up(Some(problem)).await,
                }
            };
        }
    }

    /// A request whose answer does not come any more ends as if HTTP had refused it.
    async fn give_up(self, problem: Option<CallError>) {
        let Some(id) = self.id.filter(|_| !self.answered) else { return };
        let body = problem.map_or_else(
            || "the stream ended without an answer".to_owned(),
            |problem| problem.message,
        );
        // Nobody may wait any more.
        let _ = self.arrivals.send(Arrival::Answered { id, status: 0, body }).await;
    }

    /// The GET of what came after the last event.
    async fn ask_again(&self) -> Result<QueueReceiver, CallError> {
        let last = self.last.clone().map(|id| ("Last-Event-ID".to_owned(), id));
        let accept = ("Accept".to_owned(), "text/event-stream".to_owned());
        let mut headers = vec![marks::method_header("GET"), accept];
        headers.extend(self.said.headers());
        headers.extend(self.said.version());
        headers.extend(last);
        request(&*self.bus, headers, Bytes::new()).await
    }

    /// Takes in one stream; `None` when all is said, else why it ended, where that is known.
    async fn drain(&mut self, receiver: &mut QueueReceiver) -> Option<Option<CallError>> {
        loop {
            let packet = match receiver.next().await {
                Some(Incoming::Packet(packet)) => packet,
                Some(Incoming::Failed(problem)) => return Some(Some(problem)),
                Some(Incoming::Ended) | None => {
                    let is_done = self.answered && self.id.is_some();
                    return (!is_done).then_some(None);
                }
                Some(_) => continue,
            };
            let named = |wanted: &str| {
                let mut headers = packet.headers.iter();
                headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
            };
            if let Some(session) = named(SESSION) {
                let mut known = self.said.session.lock().unwrap_or_else(PoisonError::into_inner);
                *known = Some(session.clone());
            }
            if let Some(id) = named(":id") {
                self.last = Some(id.clone());
            }
            if let Some(retry) = named(":retry").and_then(|retry| retry.parse().ok()) {
                self.retry = Duration::from_millis(retry);
            }
            let text = String::from_utf8_lossy(&packet.body).into_owned();
            match marks::response_status(&packet) {
                Some(status) if !(200..300).contains(&status) => {
                    if let Some(id) = self.id.clone() {
                        self.answered = true;
                        self.arrivals
                            .send(Arrival::Answered { id, status, body: text })
                            .await
                            .ok()?;
                    }
                    return None;
                }
                status => {
                    if !text.trim().is_empty() {
                        let frame = Frame::parse(text);
                        self.answered |= matches!(frame.kind, Kind::Reply { .. });
                        self.arrivals.send(Arrival::Frame(frame)).await.ok()?;
                    }
                    // A body is all there is.
                    if status.is_some() {
                        return if self.answered { None } else { Some(None) };
                    }
                }
            }
        }
    }
}
