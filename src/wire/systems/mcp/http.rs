//! Streamable HTTP: each frame is a POST; answers come as its body or as a stream of events, and on
//! a GET stream what a server says unasked. Beside it the transport of 2024-11-05, where everything
//! comes on one stream.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures::future::join_all;
use tokio::{
    sync::{
        mpsc,
        oneshot::{self, error::TryRecvError},
    },
    task::{AbortHandle, JoinSet},
    time::{sleep, timeout},
};

use super::{
    arrival::TransportArrival,
    auth::{
        authority::{Authority, Refusal, Verdict, quoted_body},
        fetch::DPOP_NONCE,
    },
    http_link::{
        MadeRequest, Post, SentRequest, Server, SharedLink, VERSION, packet_header, packet_headers,
    },
    problems::busy,
    stages::{beside_frames, wire_lines},
};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind, stage::FrameWay},
    systems::mcp::{
        rpc::{
            frame::{Frame, Kind},
            id::Id,
        },
        turn,
        url::{self, HttpUrl},
        version::Era,
    },
    wire::{
        secrets::Secrets,
        spawning::boxed,
        transport::{
            bus::Bus,
            http::marks,
            message::{Incoming, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// Arrivals on their way at most.
const QUEUE: usize = 256;
/// How long a server may take to know that a session ends.
const ENDING: Duration = Duration::from_secs(2);
/// How long a server of the old transport may take to say where to post to.
const OPENING: Duration = Duration::from_secs(10);
/// How long a server may take to begin the stream of what it says unasked.
const LISTENING: Duration = Duration::from_millis(500);
/// After how long a stream that broke is asked for again, where the server does not say it.
const RETRY: Duration = Duration::from_secs(1);
/// How often a stream is asked for again in vain, and how often a request is redirected.
const TRIES: usize = 3;

const CHALLENGE: &str = "www-authenticate";
const SESSION: &str = "mcp-session-id";
/// The event in which the old transport says where to post to.
const ENDPOINT: &str = "endpoint";

pub(crate) struct HttpPipe {
    shared: SharedLink,
    streams: HashMap<Id, AbortHandle>,
    running: JoinSet<()>,
    /// Posts that want no answer, until the server has taken them.
    untaken: Vec<oneshot::Receiver<()>>,
    arrivals: mpsc::Receiver<TransportArrival>,
}

/// One request and what comes of it.
struct Stream {
    shared: SharedLink,
    /// `None`: no answer is expected.
    id: Option<Id>,
    /// `None`: it is a GET stream, for all that the server says unasked.
    post: Option<Post>,
    /// The last event that had an id, and when to ask for what came after it.
    last: Option<String>,
    retry: Duration,
    answered: bool,
    redirects: usize,
    /// The token that was sent, and how often another one was tried.
    token: Option<String>,
    renewals: usize,
    /// What was sent last went with the id of a session.
    in_session: bool,
    /// The server has begun to answer what was posted: the rest is asked for by GET.
    is_resumed: bool,
    /// Dropped once the server has taken what was posted, or has begun the stream.
    taken: Option<oneshot::Sender<()>>,
}

/// How one stream ended.
enum Drained {
    /// All is said.
    Done,
    /// There may be more; why it ended, where that is known.
    Broken(Option<CallError>),
    /// The same is to be asked for again, elsewhere.
    Again,
}

impl HttpPipe {
    /// Over a bus that was opened with these settings.
    pub fn new(bus: Arc<dyn Bus>, connection: &Connection, secrets: &Secrets) -> Self {
        let (sender, arrivals) = mpsc::channel(QUEUE);
        let address = match connection.addresses() {
            [address] => Some(address.as_str()),
            _ => None,
        };
        let authority =
            address.map(|address| Arc::new(Authority::new(connection, secrets, address)));
        let server = address.and_then(HttpUrl::parse);
        let server =
            server.map(|url| Server { origin: url.origin().into(), target: url.target().into() });
        let (said, refusal) = (Arc::default(), Arc::default());
        let shared = SharedLink { bus, server, authority, said, refusal, arrivals: sender };
        let (streams, running, untaken) = (HashMap::new(), JoinSet::new(), Vec::new());
        Self { shared, streams, running, untaken, arrivals }
    }

    /// Sends a frame; what comes of it arrives in its time.
    ///
    /// # Errors
    /// When the server is not there.
    pub async fn send(&mut self, outgoing: &turn::Outgoing) -> Result<(), CallError> {
        let version = outgoing.headers.iter().find(|(name, _)| name == VERSION);
        if let Some((_, version)) = version {
            self.shared.update(|said| said.version = Some(version.clone()));
        }
        let body = Bytes::from(outgoing.text.clone());
        let post = Post { headers: outgoing.headers.clone(), body };
        let SentRequest { made, token, in_session } = self.shared.post(&post).await?;
        let mut stream = self.stream(outgoing.id.clone(), Some(post), token);
        stream.in_session = in_session;
        let (taken, is_taken) = oneshot::channel::<()>();
        stream.taken = Some(taken);
        let handle = self.running.spawn(boxed(stream.follow(made)));
        match (&outgoing.id, outgoing.wait) {
            (Some(id), _) => {
                self.streams.retain(|_, stream| !stream.is_finished());
                self.streams.insert(id.clone(), handle);
            }
            (None, Some(wait)) => {
                // What follows goes on another connection, and could overtake it.
                let _ = timeout(Duration::from_millis(wait), is_taken).await;
            }
            (None, None) => {
                self.untaken.retain_mut(|taken| taken.try_recv() == Err(TryRecvError::Empty));
                self.untaken.push(is_taken);
            }
        }
        Ok(())
    }

    fn stream(&self, id: Option<Id>, post: Option<Post>, token: Option<String>) -> Stream {
        let answered = id.is_none();
        let shared = self.shared.clone();
        let (last, retry, redirects, renewals) = (None, RETRY, 0, 0);
        let (taken, in_session, is_resumed) = (None, false, false);
        Stream {
            shared,
            id,
            post,
            last,
            retry,
            answered,
            redirects,
            token,
            renewals,
            in_session,
            is_resumed,
            taken,
        }
    }

    /// Opens the GET stream; a server need not have one. Requests wait until the server has begun
    /// or refused it, for a while: what it says at once because of one of them would be lost.
    pub async fn listen(&mut self) {
        let mut stream = self.stream(None, None, None);
        let (taken, is_taken) = oneshot::channel::<()>();
        stream.taken = Some(taken);
        self.running.spawn(boxed(async move {
            if let Ok(made) = stream.request().await {
                stream.follow(made).await;
            }
        }));
        let _ = timeout(LISTENING, is_taken).await;
    }

    /// Opens the stream of the transport of 2024-11-05, on which everything comes.
    ///
    /// # Errors
    /// When there is no such stream either, or it does not say where to post to.
    pub async fn open_old_stream(&mut self) -> Result<(), CallError> {
        let mut receiver = self.shared.get(None).await?.made.receiver;
        let named = timeout(OPENING, self.read_endpoint(&mut receiver)).await;
        let path = named.unwrap_or_else(|_| Err(no_endpoint("it did not say where to post to")))?;
        self.shared.update(|said| said.post_path = Some(path));
        let shared = self.shared.clone();
        self.running.spawn(boxed(async move {
            let problem = follow_old_stream(&shared, &mut receiver).await;
            // Nobody may wait any more.
            let _ = shared.arrivals.send(TransportArrival::Over(problem)).await;
        }));
        Ok(())
    }

    async fn read_endpoint(&self, receiver: &mut QueueReceiver) -> Result<String, CallError> {
        let packet = loop {
            match receiver.next().await {
                Some(Incoming::Packet(packet)) => break packet,
                Some(Incoming::Failed(problem)) => return Err(problem),
                Some(Incoming::Ended) | None => return Err(no_endpoint("its stream ended")),
                Some(_) => {}
            }
        };
        if marks::event_name(&packet) != Some(ENDPOINT) {
            return Err(no_endpoint(&match marks::response_status(&packet) {
                Some(status) => format!("GET is answered with HTTP {status}"),
                None => "its first event is not that".to_owned(),
            }));
        }
        let place = String::from_utf8_lossy(&packet.body);
        let origin = self.shared.server.as_ref().map_or("", |server| &server.origin);
        url::path_of_redirect(origin, place.trim())
            .ok_or_else(|| no_endpoint("it names a place of another origin"))
    }

    pub async fn next(&mut self) -> TransportArrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // We hold a sender.
            None => std::future::pending().await,
        }
    }

    /// What has come already.
    pub fn try_next(&mut self) -> Option<TransportArrival> {
        self.arrivals.try_recv().ok()
    }

    /// Why the server refused the last request that it refused, where more is known than its
    /// status. It is reported once.
    pub fn take_refusal(&self) -> Option<CallError> {
        self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub fn close_stream(&mut self, id: &Id) {
        if let Some(stream) = self.streams.remove(id) {
            stream.abort();
        }
    }

    /// Ends the session, where there is one.
    pub async fn close(&mut self) {
        // That a call is given up would be lost on its way.
        let _ = timeout(ENDING, join_all(std::mem::take(&mut self.untaken))).await;
        self.running.abort_all();
        let said = self.shared.said();
        let Some(session) = said.session else { return };
        let mut headers =
            vec![marks::method_header("DELETE"), ("Mcp-Session-Id".to_owned(), session)];
        headers.extend(said.version.map(|version| (VERSION.to_owned(), version)));
        // A server need not know how to end a session.
        let _ = timeout(ENDING, async {
            let presented = self.shared.present("DELETE", said.path.as_deref()).await.ok()?;
            headers.extend(presented.headers);
            let answer = self.shared.request(said.path.as_deref(), headers, Bytes::new());
            answer.await.ok()?.receiver.next().await
        })
        .await;
    }
}

/// Takes in what comes on the stream of the old transport; says why it ended.
async fn follow_old_stream(shared: &SharedLink, receiver: &mut QueueReceiver) -> CallError {
    loop {
        match receiver.next().await {
            Some(Incoming::Packet(packet)) => {
                let text = String::from_utf8_lossy(&packet.body).into_owned();
                if !text.trim().is_empty() {
                    // Nobody may wait any more.
                    let _ = shared.arrivals.send(TransportArrival::Frame(Frame::parse(text))).await;
                }
            }
            Some(Incoming::Failed(problem)) => return problem,
            Some(Incoming::Ended) | None => {
                let message = "the server ended the stream of events";
                return CallError::new(ErrorKind::ConnectionLost, message, "try again");
            }
            Some(_) => {}
        }
    }
}

impl Stream {
    /// Asks for the same again: by its POST, or by a GET of what came after the last event. What the
    /// server has taken is not posted twice.
    async fn request(&mut self) -> Result<MadeRequest, CallError> {
        let sent = match &self.post {
            Some(post) if !self.is_resumed => self.shared.post(post).await?,
            _ => self.shared.get(self.last.as_ref()).await?,
        };
        (self.token, self.in_session) = (sent.token, sent.in_session);
        Ok(sent.made)
    }

    /// Asks for what came after the last event.
    async fn resume(&mut self) -> Result<MadeRequest, CallError> {
        self.is_resumed = true;
        self.request().await
    }

    /// Takes in all that comes, over as many streams as it takes.
    async fn follow(mut self, mut made: MadeRequest) {
        // A GET stream that ends without a word is asked for again a few times only.
        let mut silent = 0;
        loop {
            let before = self.last.clone();
            self.tell_beside(beside_frames(FrameWay::Out, made.headers)).await;
            let problem = match self.drain(&mut made.receiver).await {
                Drained::Done => return,
                Drained::Again => {
                    made = match self.request().await {
                        Ok(made) => made,
                        Err(problem) => return self.give_up(Some(problem)).await,
                    };
                    continue;
                }
                Drained::Broken(problem) => problem,
            };
            // Nothing is to wait for another try.
            self.taken = None;
            silent = if self.last == before { silent + 1 } else { 0 };
            let is_resumable = match self.post {
                Some(_) => self.last.is_some() && !self.is_modern(),
                None => silent < TRIES,
            };
            if !is_resumable {
                return self.give_up(problem).await;
            }
            let mut tries = 0;
            made = loop {
                sleep(self.retry).await;
                tries += 1;
                match self.resume().await {
                    Ok(made) => break made,
                    Err(_) if tries < TRIES => {}
                    Err(problem) => return self.give_up(Some(problem)).await,
                }
            };
        }
    }

    /// In the modern era what a broken stream had to say is lost.
    fn is_modern(&self) -> bool {
        let version = self.shared.said().version;
        version.is_some_and(|version| Era::from_version(&version) == Era::Modern)
    }

    /// A request whose answer does not come any more ends as if HTTP had refused it.
    async fn give_up(self, problem: Option<CallError>) {
        let Some(id) = self.id.filter(|_| !self.answered) else { return };
        let body = problem.map_or_else(
            || "the stream ended without an answer".to_owned(),
            |problem| problem.message,
        );
        // Nobody may wait any more.
        let (in_session, is_resumed) = (false, self.is_resumed);
        let arrival = TransportArrival::Answered { id, status: 0, body, in_session, is_resumed };
        let _ = self.shared.arrivals.send(arrival).await;
    }

    /// Reports headers or lines to whoever waits for the answer.
    async fn tell_beside(&self, told: Option<Packet>) {
        let id = self.id.clone().filter(|_| !self.answered);
        if let (Some(id), Some(told)) = (id, told) {
            // Nobody may wait any more.
            let _ = self.shared.arrivals.send(TransportArrival::Beside { id, told }).await;
        }
    }

    /// Takes in one stream.
    async fn drain(&mut self, receiver: &mut QueueReceiver) -> Drained {
        loop {
            let mut packet = match receiver.next().await {
                Some(Incoming::Packet(packet)) => packet,
                Some(Incoming::Wire(lines)) => {
                    self.tell_beside(wire_lines(&lines)).await;
                    continue;
                }
                Some(Incoming::Failed(problem)) => return Drained::Broken(Some(problem)),
                Some(Incoming::Ended) | None if self.answered && self.id.is_some() => {
                    return Drained::Done;
                }
                Some(Incoming::Ended) | None => return Drained::Broken(None),
                Some(Incoming::Begun) => {
                    drop(self.taken.take());
                    continue;
                }
                Some(Incoming::Headers(headers)) => {
                    self.tell_beside(beside_frames(FrameWay::In, headers)).await;
                    continue;
                }
                Some(_) => continue,
            };
            let came = marks::answer_headers(&packet).cloned().collect();
            self.tell_beside(beside_frames(FrameWay::In, came)).await;
            if marks::is_event(&packet) {
                self.tell_beside(wire_lines(&packet.take_wire())).await;
            }
            if let Some(session) = packet_header(&packet, SESSION) {
                self.shared.update(|said| said.session = Some(session.to_owned()));
            }
            if let (Some(nonce), Some(authority)) =
                (packet_header(&packet, DPOP_NONCE), &self.shared.authority)
            {
                authority.note_nonce(nonce);
            }
            if let Some(id) = packet_header(&packet, ":id") {
                self.last = Some(id.to_owned());
            }
            if let Some(retry) =
                packet_header(&packet, ":retry").and_then(|retry| retry.parse().ok())
            {
                self.retry = Duration::from_millis(retry);
            }
            let status = marks::response_status(&packet);
            if let Some(status) = status.filter(|status| !(200..300).contains(status)) {
                return self.handle_refusal(status, &packet).await;
            }
            drop(self.taken.take());
            if status.is_some() && self.shared.said().post_path.is_some() {
                // In the old transport the answer comes on the stream.
                return Drained::Done;
            }
            let text = String::from_utf8_lossy(&packet.body).into_owned();
            if !text.trim().is_empty() {
                let frame = Frame::parse(text);
                self.answered |= matches!(frame.kind, Kind::Reply { .. });
                if self.shared.arrivals.send(TransportArrival::Frame(frame)).await.is_err() {
                    return Drained::Done;
                }
            }
            // A body is all there is.
            if status.is_some() {
                return if self.answered { Drained::Done } else { Drained::Broken(None) };
            }
        }
    }

    /// An answer that is no success.
    async fn handle_refusal(&mut self, status: u16, packet: &Packet) -> Drained {
        let mut body = String::from_utf8_lossy(&packet.body).into_owned();
        if (300..400).contains(&status) {
            // Others than these two would turn a POST into a GET.
            let path = self.shared.redirected_path(packet);
            if let Some(path) = path.filter(|_| matches!(status, 307 | 308))
                && self.redirects < TRIES
            {
                self.redirects += 1;
                self.shared.update(|said| said.path = Some(path));
                return Drained::Again;
            }
            let place = packet_header(packet, "location").unwrap_or("nowhere");
            body = format!("the server redirects to {place}, which isn't followed");
            let remedy = "use that address in the connection if it is the right one";
            self.shared.note_refusal(CallError::new(ErrorKind::NotUnderstood, &body, remedy));
        }
        if matches!(status, 401 | 403)
            && let Some(authority) = self.shared.authority.clone()
        {
            let challenges: Vec<&str> = packet_headers(packet, CHALLENGE).collect();
            let has_nonce = packet_header(packet, DPOP_NONCE).is_some();
            let words = challenges.join(", ");
            let token = self.token.as_deref();
            let refusal = Refusal { status, challenges, token, body: &body, has_nonce };
            match authority.judge_refusal(refusal).await {
                Verdict::Again if self.renewals < TRIES => {
                    self.renewals += 1;
                    return Drained::Again;
                }
                Verdict::Refused(problem) => {
                    self.shared.note_refusal(problem);
                    body = format!("HTTP {status}, {CHALLENGE}: {words}");
                }
                Verdict::Again | Verdict::Unknown if status == 403 => {
                    self.shared.note_refusal(no_access(&body));
                }
                Verdict::Again | Verdict::Unknown => {}
            }
        }
        if let Some(wait) = packet_header(packet, "retry-after")
            && matches!(status, 429 | 503)
            // Of what nobody waits for, another call would get it.
            && self.id.is_some()
            && !matches!(Frame::parse(body.clone()).kind, Kind::Reply { .. })
        {
            self.shared.note_refusal(busy(status, &body, wait));
        }
        let Some(id) = self.id.clone() else { return Drained::Done };
        self.answered = true;
        // Nobody may wait any more.
        let Self { in_session, is_resumed, .. } = *self;
        let arrival = TransportArrival::Answered { id, status, body, in_session, is_resumed };
        let _ = self.shared.arrivals.send(arrival).await;
        Drained::Done
    }
}

/// The server knows who we are, or doesn't want to, and refuses.
fn no_access(body: &str) -> CallError {
    let message = format!("the server refuses access (HTTP 403){}", quoted_body(body));
    let remedy =
        "check headers, token-variable or token-key of the connection, and what they allow";
    CallError::new(ErrorKind::Unauthorized, message, remedy)
}

fn no_endpoint(cause: &str) -> CallError {
    let message = format!(
        "the server supports neither streamable HTTP nor the transport of 2024-11-05: {cause}"
    );
    CallError::new(ErrorKind::NotUnderstood, message, "check the address and its path")
}
