//! One call from its request to its end, and the strays after it: joins a transport and a system.

use std::hash::{DefaultHasher, Hasher as _};

use bytes::Bytes;
use tokio::{
    sync::{broadcast, mpsc, watch},
    time::{Instant, sleep_until},
};

use self::{
    event_sink::{CallEnd, EventSink, SinkClosed},
    lines::Lines,
    messages::StrangerCounts,
};
use super::{
    secrets::Secrets,
    systems::facets::{
        exchange::{Exchange, Packed, Reader, ReplyChannel, Route},
        multi_step::{CallContext, CallMemory, MultiStep},
    },
    transport::{
        bus::{Bus, Receipt},
        connection_event::Faults,
        message::{Address, Incoming, Outgoing, Packet},
        message_queue::LostCounts,
    },
};
use crate::{
    model::{
        call::{CallError, Event, EventKind, Limits, Outcome, Request, StrayCause},
        connection::{Connection, ConnectionState},
        error_kind::ErrorKind,
        stage::FrameWay,
        transport::Traffic,
    },
    systems::facets::calls::Reply,
};

pub mod event_sink;
mod lines;
pub(crate) mod messages;
#[cfg(test)]
mod tests;

/// What a message may have beside the text of the answer.
const AROUND: u64 = 64 * 1024;

/// After the connection broke, what had come before may still be on its way through this process.
const GRACE: std::time::Duration = std::time::Duration::from_millis(100);

/// How long a procedure may take to say what it waited for in vain.
const TELLING: std::time::Duration = std::time::Duration::from_secs(5);

/// A call whose clock is running.
pub(crate) struct BegunCall {
    request: Request,
    limits: Limits,
    sink: EventSink,
    /// It was made before on another connection, which did not take it.
    is_repeated: bool,
}

/// What a procedure gets beside its request.
#[derive(Clone, Copy)]
pub(crate) struct ProcedureContext<'w> {
    pub connection: &'w Connection,
    pub bus: &'w dyn Bus,
    pub secrets: &'w Secrets,
    pub kept: &'w CallMemory,
}

/// Starts the clock of a call, before its connection is there.
#[must_use]
pub(crate) fn begin_call(
    request: Request,
    limits: Limits,
    events: mpsc::Sender<Event>,
) -> BegunCall {
    BegunCall { request, limits, sink: EventSink::new(events), is_repeated: false }
}

impl BegunCall {
    /// The same, whose error repeats no secret.
    pub fn hide_secrets(&mut self, secrets: &Secrets) {
        self.sink.secrets = Some(secrets.clone());
    }

    /// Ends a call that could not even start.
    pub async fn fail_call(mut self, problem: CallError) {
        // Whoever no longer listens need not be notified.
        let _ =
            self.sink.emit(EventKind::End { outcome: Outcome::Lost, problem: Some(problem) }).await;
    }

    /// The connection is open: what it took to open, and its server to start, is not the tool's time.
    pub fn start_limits(&mut self) {
        self.sink.opened = tokio::time::Instant::now();
    }

    /// Runs the call on an open connection: `EventKind::End` is reported exactly once, and after it
    /// only strays. Waits while the events are not taken. Dropping the future cancels the call, and
    /// nothing is reported after that.
    pub async fn run_exchange(self, bus: &dyn Bus, exchange: &dyn Exchange) {
        let transport = bus.transport();
        let opening = async {
            let route = exchange.route(&self.request, transport)?;
            let (lines, inbox) = Lines::subscribe(bus, &route).await?;
            Ok((route, lines, inbox))
        };
        let (route, lines, inbox) = match opening.await {
            Ok(opened) => opened,
            Err(problem) => return self.fail_call(problem).await,
        };
        let session = Session {
            bus,
            reader: exchange.new_reader(&self.request, transport),
            hint: exchange.no_answer_hint(transport),
            state: bus.connection_events().state.subscribe(),
            notices: bus.connection_events().notices.subscribe(),
            faults: bus.connection_events().fault_counts(),
            request: &self.request,
            limits: self.limits,
            waiting_since: self.sink.opened,
            held_then: self.sink.held,
            sink: self.sink,
            route,
            lines,
            carrier: None,
            pieces: 0,
            size: 0,
            last_body: None,
            strangers: StrangerCounts::default(),
            receipt: None,
            broken: false,
        };
        let packed = exchange.pack_request(&self.request, transport);
        // An error only says that nobody listens any more.
        let _ = session.send_and_receive(inbox, packed).await;
    }

    /// Makes the call in several steps; all else as with [`Self::run_exchange`], but that no strays
    /// come. Where the server did not take it, as it no longer knows the session, the call is given
    /// back, once: it can be made on another connection.
    pub async fn run_multi_step(
        self,
        procedure: &dyn MultiStep,
        with: ProcedureContext<'_>,
    ) -> Option<Self> {
        let Self { request, limits, mut sink, is_repeated } = self;
        let ProcedureContext { connection, bus, secrets, kept } = with;
        let latest = sink.opened + limits.total.max(limits.first) + TELLING;
        let breaks = bus.connection_events().fault_counts().breaks;
        let call_context =
            CallContext { connection, bus, request: &request, limits, secrets, kept };
        let ended = tokio::select! {
            biased;
            ended = procedure.run_call(call_context, &mut sink) => ended,
            () = sleep_until(latest) => Ok((Outcome::TimedOut, Some(messages::timed_out_total(limits, 0)))),
        };
        let broke = bus.connection_events().fault_counts().breaks != breaks;
        let end = match ended {
            Ok((Outcome::TimedOut, Some(_))) if broke => (
                Outcome::Lost,
                Some(
                    bus.close_reason()
                        .unwrap_or_else(|| messages::lost_meanwhile(&bus.display_address())),
                ),
            ),
            Ok(end) => find_silent_broker(bus, end).await,
            Err(_) => return None,
        };
        let (outcome, problem) = end;
        let is_gone = problem.as_ref().is_some_and(|it| it.kind == ErrorKind::SessionGone);
        if is_gone && !is_repeated {
            let words = "the server no longer knew the session; opened another and sent it again";
            // Whoever no longer listens need not be notified.
            let _ = sink.emit(EventKind::Notice(words.to_owned())).await;
            return Some(Self { request, limits, sink, is_repeated: true });
        }
        let _ = sink.emit(EventKind::End { outcome, problem }).await;
        None
    }
}

/// The end of a call that nobody answered: where the broker doesn't answer either, it is that.
async fn find_silent_broker(bus: &dyn Bus, end: CallEnd) -> CallEnd {
    match end {
        (Outcome::TimedOut, Some(_)) if !bus.is_responding().await => {
            let silent = || messages::silent_broker(&bus.display_address());
            (Outcome::Lost, Some(bus.close_reason().unwrap_or_else(silent)))
        }
        end => end,
    }
}

struct Session<'s> {
    bus: &'s dyn Bus,
    reader: Box<dyn Reader + 's>,
    /// What the system knows of requests that stay unanswered.
    hint: Option<&'static str>,
    state: watch::Receiver<ConnectionState>,
    notices: broadcast::Receiver<String>,
    faults: Faults,
    request: &'s Request,
    limits: Limits,
    sink: EventSink,
    route: Route,
    lines: Lines,
    /// The channel on which the answer comes: the first that brought a piece of it.
    carrier: Option<ReplyChannel>,
    pieces: u64,
    /// Bytes of text so far.
    size: u64,
    /// The message that ended the answer.
    last_body: Option<Print>,
    /// Replies so far that were none of the call's.
    strangers: StrangerCounts,
    /// What the broker said of the request, where it keeps requests.
    receipt: Option<Receipt>,
    broken: bool,
    /// When the last piece came; before any did, when the call began.
    waiting_since: Instant,
    /// What [`EventSink::held`] was then.
    held_then: std::time::Duration,
}

/// Reports a body from others without keeping it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Print(usize, u64);

impl Print {
    fn of_body(body: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(body);
        Self(body.len(), hasher.finish())
    }
}

/// What happens next in a call.
enum Step {
    Incoming(ReplyChannel, Incoming),
    Silent,
    State,
    Notice(String),
    OutOfPatience,
    OutOfTime,
}

impl Session<'_> {
    async fn send_and_receive(
        mut self,
        inbox: Option<Address>,
        packed: Packed,
    ) -> Result<(), SinkClosed> {
        let bytes = self.request.body.len();
        // From then on no answer counts, whatever the service does with the request.
        let expires = Some(self.limits.first.min(self.limits.total));
        let message = Outgoing {
            to: self.route.to.clone(),
            reply: inbox,
            headers: packed.headers,
            body: packed.body,
            expires,
        };
        let headers = self.bus.request_headers(&message);
        let frame = self.shows_wire().then(|| message.body.clone());
        let end = match self.bus.send(message).await {
            Ok(()) => {
                self.sink.emit(EventKind::Sent { bytes }).await?;
                self.sink.emit_headers(FrameWay::Out, &headers).await?;
                if let Some(frame) = frame {
                    let frame = String::from_utf8_lossy(&frame).into_owned();
                    self.sink.emit_wire(FrameWay::Out, frame).await?;
                }
                self.receive_answer().await?
            }
            Err(problem) => (Outcome::Lost, Some(problem)),
        };
        let end = match self.pieces {
            0 => find_silent_broker(self.bus, end).await,
            _ => end,
        };
        let (outcome, problem) = self.check_gaps(end);
        self.sink.emit(EventKind::End { outcome, problem }).await?;
        self.linger().await
    }

    /// Whether what crosses the wire is reported: on a bus, messages are seen by a watch.
    fn shows_wire(&self) -> bool {
        self.bus.transport().spec().traffic != Traffic::Bus
    }

    /// Takes the answer in until it ends, one way or another.
    async fn receive_answer(&mut self) -> Result<CallEnd, SinkClosed> {
        loop {
            let end = match self.next_step().await {
                Step::Incoming(channel, heard) => self.handle_incoming(channel, heard).await?,
                Step::State => {
                    self.look_at_the_connection();
                    None
                }
                Step::Notice(words) => self.handle_notice(words).await?,
                Step::Silent => Some(self.connection_lost()),
                Step::OutOfTime => Some((Outcome::TimedOut, Some(self.out_of_time()))),
                Step::OutOfPatience => Some(self.out_of_patience()),
            };
            if let Some(end) = end {
                return Ok(end);
            }
            if let Some(backlog) = self.lines.new_backlog() {
                self.sink.emit(EventKind::Notice(backlog.to_string())).await?;
            }
            // Neither a flood of other callers' replies nor an endless answer keeps a call alive.
            let now = Instant::now();
            if now >= self.sink.opened + self.limits.total {
                return Ok((Outcome::TimedOut, Some(self.out_of_time())));
            }
            if now >= self.chunk_deadline() {
                return Ok(self.out_of_patience());
            }
        }
    }

    fn look_at_the_connection(&mut self) {
        if !self.broken && self.bus.connection_events().fault_counts().breaks != self.faults.breaks
        {
            self.broken = true;
            self.has_moved();
        }
    }

    fn has_moved(&mut self) {
        (self.waiting_since, self.held_then) = (Instant::now(), self.sink.held);
    }

    async fn next_step(&mut self) -> Step {
        let (total, patience) = (self.sink.opened + self.limits.total, self.chunk_deadline());
        let Self { lines, state, notices, .. } = self;
        tokio::select! {
            // What has come goes before all clocks, which cost more to set than a message does to
            // read.
            biased;
            heard = lines.next() => heard.map_or(Step::Silent, |(channel, heard)| Step::Incoming(channel, heard)),
            Ok(()) = state.changed() => Step::State,
            Ok(words) = notices.recv() => Step::Notice(words),
            () = sleep_until(total) => Step::OutOfTime,
            () = sleep_until(patience) => Step::OutOfPatience,
        }
    }

    /// When waiting for the next piece ends. Time in which our own events were not taken does not
    /// count.
    fn chunk_deadline(&self) -> Instant {
        let limit = match (self.broken, self.pieces) {
            (true, _) => GRACE,
            (false, 0) => self.limits.first,
            (false, _) => self.limits.idle,
        };
        self.waiting_since + limit + (self.sink.held - self.held_then)
    }

    fn out_of_patience(&self) -> CallEnd {
        if self.broken {
            return self.connection_lost();
        }
        let problem = match self.pieces {
            0 => self.no_answer(),
            pieces => messages::timed_out_idle(self.limits, pieces),
        };
        (Outcome::TimedOut, Some(problem))
    }

    /// The connection broke, or is over.
    fn connection_lost(&self) -> CallEnd {
        let broke = || messages::connection_lost(&self.bus.display_address(), self.pieces);
        (Outcome::Lost, Some(self.bus.close_reason().unwrap_or_else(broke)))
    }

    fn out_of_time(&self) -> CallError {
        match self.pieces {
            0 => self.no_answer(),
            pieces => messages::timed_out_total(self.limits, pieces),
        }
    }

    fn no_answer(&self) -> CallError {
        messages::timed_out_first(
            self.limits,
            &self.route,
            self.bus.transport(),
            self.strangers,
            self.receipt.as_ref(),
            self.hint,
        )
    }

    async fn handle_incoming(
        &mut self,
        channel: ReplyChannel,
        heard: Incoming,
    ) -> Result<Option<CallEnd>, SinkClosed> {
        match heard {
            Incoming::NoResponders if self.pieces == 0 => Ok(Some((
                Outcome::Lost,
                Some(messages::no_responders(&self.route, &self.bus.display_address())),
            ))),
            Incoming::Headers(headers) => {
                self.sink.emit_headers(FrameWay::In, &headers).await.map(|()| None)
            }
            Incoming::Wire(lines) => self.sink.emit_wire(FrameWay::In, lines).await.map(|()| None),
            Incoming::Begun | Incoming::NoResponders => Ok(None),
            Incoming::Failed(problem) => Ok(Some((Outcome::Lost, Some(problem)))),
            // Had one of them been the last, the call would be over.
            Incoming::Ended => Ok(Some((
                Outcome::Lost,
                Some(messages::stream_without_end(&self.bus.display_address())),
            ))),
            Incoming::Gap => {
                self.sink.emit(EventKind::Notice(messages::GAP.into())).await.map(|()| None)
            }
            Incoming::Packet(mut packet) => {
                let wire = self.shows_wire().then(|| packet.take_wire());
                let end = self.handle_packet(channel, packet, wire).await?;
                self.sink.emit_noted_wire().await?;
                Ok(end)
            }
        }
    }

    /// What the broker says about the request in the inbox that came with it.
    fn broker_receipt(&self, channel: ReplyChannel, packet: &Packet) -> Option<Receipt> {
        if channel == ReplyChannel::Inbox { self.bus.parse_receipt(packet) } else { None }
    }

    async fn tell_receipt(&mut self, receipt: Receipt, packet: &Packet) -> Result<(), SinkClosed> {
        let (name, words) = messages::receipt_stage(&receipt);
        self.receipt = Some(receipt);
        self.sink.emit_stage(name, words, &*String::from_utf8_lossy(&packet.body)).await
    }

    /// What a message means. One that is larger than an answer may be is not read: only whose it
    /// is.
    fn read_reply(&mut self, channel: ReplyChannel, packet: &Packet) -> Reply {
        let size = packet.body.len() as u64;
        if size <= self.limits.answer.saturating_add(AROUND) {
            return self.reader.read_packet(channel, packet);
        }
        match self.reader.read_packet(channel, &Packet { body: Bytes::new(), ..packet.clone() }) {
            Reply::Stray { cause, id } => Reply::Stray { cause, id },
            _ => Reply::Refused(messages::message_too_large(self.limits, size, self.size)),
        }
    }

    async fn handle_packet(
        &mut self,
        channel: ReplyChannel,
        packet: Packet,
        wire: Option<String>,
    ) -> Result<Option<CallEnd>, SinkClosed> {
        if let Some(receipt) = self.broker_receipt(channel, &packet) {
            return self.tell_receipt(receipt, &packet).await.map(|()| None);
        }
        let reply = self.read_reply(channel, &packet);
        if let Reply::Stray { cause, id } = reply {
            self.strangers.count_stray(cause);
            return self.sink.emit_stray(cause, id, &packet).await.map(|()| None);
        }
        if let Some(wire) = wire {
            self.sink.note_wire(wire);
        }
        if self.carrier.is_some_and(|carrier| carrier != channel) {
            let told = self.sink.emit_stray(StrayCause::Duplicate, self.own_id(), &packet).await;
            return told.map(|()| None);
        }
        self.carrier = Some(channel);
        self.has_moved();
        self.sink.emit_headers(FrameWay::In, packet.visible_headers()).await?;
        match reply {
            // A service that has nothing to say yet only shows that it is there.
            Reply::Chunk { text, last: false } if text.is_empty() => Ok(None),
            Reply::Chunk { text, last } => self.handle_chunk(text, last, packet).await,
            Reply::Error(problem) => {
                self.last_body = Some(Print::of_body(&packet.body));
                Ok(Some((Outcome::Failed, Some(problem))))
            }
            Reply::Refused(problem) => Ok(Some((Outcome::Lost, Some(problem)))),
            Reply::Unreadable(problem) => {
                self.sink.emit_stray(StrayCause::Unreadable, self.own_id(), &packet).await?;
                Ok(Some((Outcome::Lost, Some(problem))))
            }
            Reply::Stray { .. } => Ok(None),
        }
    }

    async fn handle_chunk(
        &mut self,
        text: String,
        last: bool,
        packet: Packet,
    ) -> Result<Option<CallEnd>, SinkClosed> {
        self.pieces += 1;
        self.size += text.len() as u64;
        let bytes = packet.body.len();
        self.last_body = last.then(|| Print::of_body(&packet.body));
        // A large message is not kept beside its text.
        drop(packet);
        self.sink.emit(EventKind::Chunk { text: text.into(), bytes }).await?;
        if self.size > self.limits.answer {
            return Ok(Some((Outcome::Lost, Some(messages::answer_too_large(self.limits)))));
        }
        Ok(last.then_some((Outcome::Succeeded, None)))
    }

    fn own_id(&self) -> Option<String> {
        Some(self.request.correlation.clone())
    }

    async fn handle_notice(&mut self, words: String) -> Result<Option<CallEnd>, SinkClosed> {
        let about_us = |address: &Address| words.contains(&format!("\"{}\"", address.name));
        let refused = words.to_lowercase().contains("permissions violation")
            && (about_us(&self.route.to) || self.route.answers.as_ref().is_some_and(about_us));
        if refused {
            return Ok(Some((Outcome::Lost, Some(messages::permission_denied(&words)))));
        }
        self.sink.emit(EventKind::Notice(words)).await.map(|()| None)
    }

    /// An answer with gaps has not succeeded, and silence after a gap has its reason there.
    fn check_gaps(&self, end: CallEnd) -> CallEnd {
        let LostCounts { messages, bytes } = self.lines.lost_counts();
        let gaps = messages > 0
            || self.bus.connection_events().fault_counts().overflows != self.faults.overflows;
        match end.0 {
            Outcome::Succeeded | Outcome::TimedOut if gaps => {
                (Outcome::Lost, Some(messages::slow_consumer(messages, bytes)))
            }
            _ => end,
        }
    }

    /// Keeps what comes after the end, for a while.
    async fn linger(&mut self) -> Result<(), SinkClosed> {
        let until = Instant::now() + self.limits.linger;
        loop {
            let heard = tokio::select! {
                biased;
                () = sleep_until(until) => return Ok(()),
                () = self.sink.closed() => return Ok(()),
                heard = self.lines.next() => heard,
            };
            let Some((channel, heard)) = heard else { return Ok(()) };
            let Incoming::Packet(packet) = heard else { continue };
            if let Some(receipt) = self.broker_receipt(channel, &packet) {
                self.tell_receipt(receipt, &packet).await?;
                continue;
            }
            let (cause, id) = match self.read_reply(channel, &packet) {
                Reply::Stray { cause, id } => (cause, id),
                _ if self.carrier.is_some_and(|carrier| carrier != channel) => {
                    (StrayCause::Duplicate, self.own_id())
                }
                _ if self.last_body.is_some_and(|last| last == Print::of_body(&packet.body)) => {
                    (StrayCause::Duplicate, self.own_id())
                }
                _ => (StrayCause::Late, self.own_id()),
            };
            self.sink.emit_stray(cause, id, &packet).await?;
        }
    }
}
