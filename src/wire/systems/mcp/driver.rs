//! Runs the state machine of a connection over a pipe, and says each call what is its own.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
    time::Duration,
};

use futures::{
    StreamExt,
    future::{BoxFuture, select},
    stream::FuturesUnordered,
};
use serde_json::Value;
use tokio::{
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
    task::yield_now,
    time::{Instant, sleep, sleep_until},
};

use super::{
    arrival::TransportArrival,
    asker::Asker,
    folders::FolderHold,
    frame_log::{Direction, FrameLog},
    pipe::Pipe,
    problems::{
        LastWords, http_error, lost, not_connected, odd, refused, session_gone, session_over,
        timed_out, unauthorized, unusable_headers,
    },
    questions::{Asks, FINDING, ends, input_required},
    raw_frames::{RawFrames, outgoing_frame},
    requests::{Command, Finished, Repeat, Waiting},
    stages::{ALIVE, answer_packet, fault_words, late_frame, sent_frame, stage},
    tasks::{Following, TaskStep},
    tool_facts::{KnownTools, PreparedCall, ToolFacts},
};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    schema::literal::Literal,
    systems::mcp::{
        asked::Kind as AskedKind,
        calls::CALL,
        fault::Fault,
        negotiate::Transport,
        rpc::{
            build::Call,
            frame::{Frame, Span},
            id::Id,
        },
        session::{Session, is_session_gone},
        task::{self, RESULT},
        turn::{Event, OpenedServer, Outgoing, TransportStep, Turn, TurnOutcome},
    },
    wire::{
        secrets::Secrets,
        transport::{
            connection_event::ConnectionEvents,
            message::{Incoming, Packet},
            message_queue::QueueSender,
        },
    },
};

/// So many messages are taken at once before commands and the clock have their turn.
const BURST: usize = 256;

pub(crate) struct Driver {
    pub session: Session,
    pub pipe: Pipe,
    pub connection: Connection,
    pub secrets: Secrets,
    pub news: Arc<ConnectionEvents>,
    pub known: KnownTools,
    pub asker: Asker,
    /// Receives once whether both sides speak.
    pub opening: Option<oneshot::Sender<Result<OpenedServer, CallError>>>,
    pub frames: FrameLog,
    pub(super) state: Running,
}

/// What is under way.
#[derive(Default)]
pub(super) struct Running {
    pub waiting: HashMap<Id, Waiting>,
    /// Who still looks at what comes of a request that was given up.
    late: HashMap<Id, mpsc::Sender<Packet>>,
    /// Those whose listener has gone.
    gone: FuturesUnordered<BoxFuture<'static, Id>>,
    deadlines: Vec<(Instant, Id)>,
    /// Questions of the server that are being answered, and how to take each away.
    pub asking: FuturesUnordered<BoxFuture<'static, Finished>>,
    pub withdrawals: HashMap<Id, oneshot::Sender<()>>,
    raw: RawFrames,
    last_words: LastWords,
    /// Who wants to know which resources and lists have changed.
    pub updates: Vec<QueueSender>,
    pub folders: FolderHold,
    /// The pipe is over, and why.
    over: Option<CallError>,
    /// The server no longer knows the session: no request is sent any more, and each that was sent has
    /// its own end.
    is_forgotten: bool,
}

impl Running {
    /// Whether nothing more is to come.
    fn is_over(&self) -> bool {
        self.over.is_some() || self.is_forgotten && self.waiting.is_empty()
    }
}

impl Driver {
    /// A connection that is about to be opened.
    pub fn new(
        (session, pipe): (Session, Pipe),
        (connection, secrets): (Connection, Secrets),
        (news, known): (Arc<ConnectionEvents>, KnownTools),
        asker: Asker,
        opening: oneshot::Sender<Result<OpenedServer, CallError>>,
    ) -> Self {
        let (frames, state) = (FrameLog::default(), Running::default());
        let opening = Some(opening);
        Self { session, pipe, connection, secrets, news, known, asker, opening, frames, state }
    }

    /// Opens the connection and drives it until it is over, or nobody holds it any more.
    pub async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        let turn = self.session.open();
        self.perform(turn).await;
        while !self.state.is_over() {
            let deadline = self.state.deadlines.iter().map(|(at, _)| *at).min();
            let due = deadline.unwrap_or_else(|| Instant::now() + Duration::from_secs(3_600));
            tokio::select! {
                arrival = self.pipe.next() => self.take_burst(arrival).await,
                () = self.state.folders.end(), if self.state.folders.is_holding() => {}
                command = commands.recv(), if !self.state.folders.is_holding() => match command {
                    Some(Command::Close(done)) => {
                        self.pipe.close().await;
                        drop(done);
                        return;
                    }
                    Some(command) => self.obey(command).await,
                    None => return self.pipe.close().await,
                },
                Some(id) = self.state.gone.next() => {
                    let turn = self.session.cancel(&id, Some("the caller cancelled it"));
                    let sent = turn.todo.iter().find_map(|step| match step {
                        TransportStep::Send(outgoing) => Some(sent_frame(&outgoing.text)),
                        _ => None,
                    });
                    self.perform(turn).await;
                    if let Some(mut waiting) = self.state.waiting.remove(&id) {
                        if let (Some(to), Some(sent)) = (waiting.leaving.parting.take(), sent) {
                            // Who made the call need not look at it any more.
                            let _ = to.try_send(sent);
                            self.state.late.retain(|_, to| !to.is_closed());
                            self.state.late.insert(id, to);
                        }
                        self.leave_task(&waiting).await;
                    }
                }
                Some(finished) = self.state.asking.next() => self.finish(finished).await,
                () = sleep_until(due), if deadline.is_some() => self.look_at_the_clock().await,
            }
        }
        if self.state.is_forgotten {
            give_back(commands).await;
        }
        self.end().await;
    }

    async fn obey(&mut self, command: Command) {
        let (method, params, inbox, leaving) = match command {
            Command::Request { method, params, inbox, leaving } => (method, params, inbox, leaving),
            Command::Frame { text, inbox } => return self.send_raw(&text, inbox).await,
            Command::Observe(to) => return self.frames.observe(to),
            Command::Updates(to) => return self.state.updates.push(to),
            Command::Close(_) => return,
        };
        let mut call = Call::from_method(&method);
        for (name, value) in params {
            match value {
                Value::Object(meta) if name == "_meta" => {
                    for (name, value) in meta {
                        call.meta = call.meta.with_member(&name, &Literal::from(value));
                    }
                }
                value => call = call.with_param(&name, &Literal::from(value)),
            }
        }
        self.begin(call, Waiting { inbox, leaving, rounds: 0, task: None, is_begun: false }).await;
    }

    /// Sends a frame of which the session knows nothing.
    async fn send_raw(&mut self, text: &str, inbox: Option<QueueSender>) {
        let outgoing = outgoing_frame(text, self.session.opened());
        if let Some(inbox) = inbox {
            let _ = inbox.push(Incoming::Packet(sent_frame(text))).await;
            self.state.raw.wait_for(outgoing.id.clone(), inbox);
        }
        self.send(outgoing).await;
    }

    fn facts_of(&self, tool: &str) -> ToolFacts {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(tool).cloned().unwrap_or_default()
    }

    /// Sends a request whose answer somebody waits for.
    async fn begin(&mut self, call: Call, waiting: Waiting) {
        let with_progress = call.method == CALL;
        let PreparedCall { call, mirrored, faults } = match call.params.get("name") {
            Some(Value::String(tool)) if with_progress => {
                let spoken = self.session.opened().map(|opened| opened.spoken.era);
                self.facts_of(&tool).prepare(call, (&tool, spoken), self.pipe.kind())
            }
            _ => PreparedCall { call, ..PreparedCall::default() },
        };
        if !faults.is_empty() {
            let problem = unusable_headers(&faults);
            return drop(waiting.inbox.push(Incoming::Failed(problem)).await);
        }
        let Some(outgoing) = self.session.call(call, with_progress, mirrored) else {
            let is_forgotten = self.state.is_forgotten;
            let problem = if is_forgotten { waiting.session_problem() } else { not_connected() };
            return drop(waiting.inbox.push(Incoming::Failed(problem)).await);
        };
        if with_progress {
            // Who has left needs no frames.
            let _ = waiting.inbox.push(Incoming::Packet(sent_frame(&outgoing.text))).await;
        }
        if let Some(id) = outgoing.id.clone() {
            let (listener, gone) = (waiting.inbox.clone(), id.clone());
            self.state.gone.push(Box::pin(async move {
                listener.closed().await;
                gone
            }));
            self.state.waiting.insert(id, waiting);
        }
        self.send(outgoing).await;
    }

    pub(super) async fn send(&mut self, outgoing: Outgoing) {
        self.frames.note(Direction::Out, &outgoing.text);
        if let (Some(id), Some(wait)) = (&outgoing.id, outgoing.wait) {
            let until = Instant::now() + Duration::from_millis(wait);
            self.state.deadlines.push((until, id.clone()));
        }
        let Err(problem) = self.pipe.send(&outgoing).await else { return };
        match (self.pipe.kind(), outgoing.id) {
            // What it wrote before it ended comes first, then its end.
            (Transport::Stdio, _) => {}
            (Transport::Http, _) if self.opening.is_some() => self.over(problem).await,
            (Transport::Http, Some(id)) => {
                let turn = self.session.http_answered(&id, 0, &problem.message);
                Box::pin(self.perform(turn)).await;
            }
            (Transport::Http, None) => {}
        }
    }

    /// Takes what has come, and what has come by then: to look at all else that may happen costs
    /// more than most messages.
    async fn take_burst(&mut self, first: TransportArrival) {
        let (mut next, mut left) = (Some(first), BURST);
        while let Some(arrival) = next {
            self.take(arrival).await;
            left -= 1;
            let goes_on = left > 0 && !self.state.is_over();
            next = if goes_on { self.pipe.try_next() } else { None };
        }
        if left == 0 {
            // Who takes what was reported keeps up, so that little of it waits.
            yield_now().await;
        }
    }

    async fn take(&mut self, arrival: TransportArrival) {
        let turn = match arrival {
            TransportArrival::Frame(frame) => {
                self.frames.note(Direction::In, frame.text());
                if self.state.raw.take_frame(&frame).await {
                    return;
                }
                self.session.handle_frame(frame)
            }
            TransportArrival::Beside { id, told } => {
                self.state.raw.take_headers(&id, &told).await;
                if let Some(waiting) = self.state.waiting.get(&id) {
                    // One that has left is informed that it has by another way.
                    let _ = waiting.inbox.push(Incoming::Packet(told)).await;
                }
                return;
            }
            TransportArrival::Words(line) => {
                self.frames.note(Direction::Words, &line);
                self.state.last_words.remember_error(&line);
                return self.tell_all("stderr", &line, "").await;
            }
            TransportArrival::Answered { id, status, body, in_session, is_resumed } => {
                self.frames.note(Direction::In, &body);
                if self.state.raw.take_body(&id, &body).await {
                    return;
                }
                if let Some(waiting) = self.state.waiting.get_mut(&id) {
                    waiting.is_begun |= is_resumed;
                }
                match in_session && is_session_gone(status, &body) {
                    true => self.session.session_gone(&id),
                    false => self.session.http_answered(&id, status, &body),
                }
            }
            TransportArrival::Over(problem) => return self.over(problem).await,
        };
        self.perform(turn).await;
    }

    async fn look_at_the_clock(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.state.deadlines)
            .into_iter()
            .partition::<Vec<_>, _>(|(at, _)| *at <= now);
        self.state.deadlines = later;
        for (_, id) in due {
            let turn = self.session.timed_out(&id);
            self.perform(turn).await;
        }
    }

    /// The pipe ended: while the connection is being opened it may be begun again.
    async fn over(&mut self, problem: CallError) {
        let is_opening = self.opening.is_some();
        let turn = self.session.handle_disconnect();
        let again = turn.todo.iter().any(|todo| matches!(todo, TransportStep::Respawn));
        if !again {
            self.state.over = Some(problem);
        }
        if is_opening || !turn.events.is_empty() {
            Box::pin(self.perform(turn)).await;
        }
    }

    async fn perform(&mut self, turn: Turn) {
        for event in turn.events {
            self.tell(event).await;
        }
        for todo in turn.todo {
            match todo {
                TransportStep::Send(outgoing) => Box::pin(self.send(outgoing)).await,
                TransportStep::Respawn => match Pipe::open(&self.connection, &self.secrets).await {
                    Ok(pipe) => self.pipe = pipe,
                    Err(problem) => self.state.over = Some(problem),
                },
                TransportStep::Listen => self.pipe.listen().await,
                TransportStep::CloseStream(id) => self.pipe.close_stream(&id),
                TransportStep::Authorize => {
                    self.refuse(self.pipe.take_refusal().unwrap_or_else(unauthorized));
                }
                TransportStep::OpenOldSse => self.open_old_stream().await,
            }
        }
    }

    async fn open_old_stream(&mut self) {
        match self.pipe.open_old_stream().await {
            Ok(()) => {
                let turn = self.session.old_sse_opened();
                Box::pin(self.perform(turn)).await;
            }
            Err(problem) => self.refuse(problem),
        }
    }

    fn refuse(&mut self, problem: CallError) {
        if let Some(opening) = self.opening.take() {
            // Whoever opened it may have gone.
            let _ = opening.send(Err(problem.clone()));
        }
        self.state.over = Some(problem);
    }

    async fn tell(&mut self, event: Event) {
        let Event { what, frame, faults } = event;
        let text = frame.as_ref().map_or("", Frame::text);
        match what {
            TurnOutcome::Opened(opened) => {
                // Only what opens a connection has one.
                self.state.deadlines.clear();
                self.state.folders.begin(opened.spoken.era, &self.asker);
                if let Some(opening) = self.opening.take() {
                    let _ = opening.send(Ok(opened));
                }
            }
            TurnOutcome::Refused { findings, error } => {
                let ended = self.state.over.take().or_else(|| self.pipe.take_refusal());
                let words = std::mem::take(&mut self.state.last_words);
                self.refuse(match ended {
                    Some(ended) => words.added_to(ended),
                    None => refused(&self.connection.name, &findings, error.as_ref(), &words),
                });
            }
            TurnOutcome::Answer { id, call, result, .. } => {
                let result = frame.as_ref().zip(result.as_ref());
                let asks = result
                    .and_then(|(frame, span)| input_required(self.session.client(), frame, span));
                if let Some(asks) = asks {
                    return self.ask_within(&id, call, text.to_owned(), asks).await;
                }
                if let Some((frame, span)) = result
                    && self.follow(&id, &call, frame, span).await
                {
                    return;
                }
                let text = frame.map(Frame::into_text).unwrap_or_default();
                self.answer(&id, &call, text, &faults).await;
            }
            TurnOutcome::HttpError { id, status, .. } => {
                let refusal = self.pipe.take_refusal();
                self.fail(&id, refusal.unwrap_or_else(|| http_error(status, text))).await;
            }
            TurnOutcome::TimedOut { id, .. } => self.fail(&id, timed_out()).await,
            TurnOutcome::Lost { id, .. } => {
                let lost = self.state.over.clone().unwrap_or_else(lost);
                self.fail(&id, lost).await;
            }
            TurnOutcome::SessionGone { id } => {
                // Who makes the call again finds that this connection is over.
                self.news.mark_closed(&session_over());
                self.state.is_forgotten = true;
                if let Some(problem) = self.state.waiting.get(&id).map(Waiting::session_problem) {
                    self.fail(&id, problem).await;
                }
            }
            TurnOutcome::Notice(notice) => {
                let text = frame.map(Frame::into_text).unwrap_or_default();
                self.notice(notice, text, &faults).await;
            }
            TurnOutcome::Asked { id, asked } => self.asked(id, asked, &faults, text).await,
            TurnOutcome::AnsweredAtOnce { asked } if asked.kind == AskedKind::Ping => {}
            TurnOutcome::AnsweredAtOnce { asked } => {
                let words = format!("the server asks {}, which was refused", asked.method);
                self.tell_all("asked", &words, text).await;
            }
            TurnOutcome::Withdrawn { id, .. } => {
                self.state.withdrawals.remove(&id);
                self.tell_all("asked", "the server no longer wants the answer", text).await;
            }
            TurnOutcome::Late { id, .. } if self.tell_late(&id, text) => {}
            TurnOutcome::Late { .. } | TurnOutcome::Unmatched | TurnOutcome::Foreign => {
                self.tell_all("odd", &odd(text, &faults), text).await;
            }
            TurnOutcome::Noise => {
                self.state.last_words.remember_noise(text);
                self.tell_all("odd", &odd(text, &faults), "").await;
            }
        }
    }

    pub(super) async fn answer(&mut self, id: &Id, call: &Call, text: String, faults: &[Fault]) {
        let Some(waiting) = self.state.waiting.remove(id) else { return };
        let call = waiting.task.as_ref().map_or(call, |following| &following.call);
        let version = self.session.opened().map(|opened| opened.spoken.version.as_str());
        let promised = match call.params.get("name") {
            Some(Value::String(tool)) if call.method == CALL => self.facts_of(&tool).output_schema,
            _ => None,
        };
        let packet = answer_packet(text, version, faults, promised.as_ref());
        // Who has left needs no answer.
        let _ = waiting.inbox.push(Incoming::Packet(packet)).await;
    }

    async fn fail(&mut self, id: &Id, problem: CallError) {
        if let Some(waiting) = self.state.waiting.remove(id) {
            let _ = waiting.inbox.push(Incoming::Failed(problem)).await;
        }
    }

    /// Goes on after a question.
    async fn finish(&mut self, finished: Finished) {
        match finished {
            Finished::Left(waiting) => self.leave_task(&waiting).await,
            Finished::Poll(waiting) if waiting.inbox.is_closed() => {
                self.leave_task(&waiting).await;
            }
            Finished::Poll(waiting) => {
                if let Some(id) = waiting.task.as_ref().map(|following| &following.task.id) {
                    let call = task::get(id);
                    self.begin(call, *waiting).await;
                }
            }
            Finished::Request(id, asked, answered) => {
                self.state.withdrawals.remove(&id);
                let done = answered.as_ref().map_or("withdrawn", |answered| answered.words);
                self.push_to_all(&ends(&asked, done)).await;
                if let Some(answered) = answered {
                    self.answer_server(&id, &asked, &answered).await;
                }
            }
            Finished::Result(repeat) => {
                let Repeat { id, call, waiting, text, state, responses } = *repeat;
                match responses {
                    Some(responses) => {
                        let responses = Literal::from(Value::Object(responses));
                        let call = match &waiting.task {
                            Some(following) => task::update(&following.task.id, &responses),
                            None => call.with_responses(&responses, state.as_ref()),
                        };
                        self.begin(call, waiting).await;
                    }
                    None => {
                        self.state.waiting.insert(id.clone(), waiting);
                        self.answer(&id, &call, text, &[]).await;
                    }
                }
            }
        }
    }

    /// Follows the task that a result makes or reports; `false`: it is an answer.
    async fn follow(&mut self, id: &Id, call: &Call, frame: &Frame, span: &Span) -> bool {
        let Some(era) = self.session.opened().map(|opened| opened.spoken.era) else { return false };
        let Some(mut waiting) = self.state.waiting.remove(id) else { return false };
        let mut following = match waiting.task.take() {
            Some(mut following) if call.method != RESULT => {
                following.update(&frame.parse_value(span), era);
                following
            }
            // Few results make one, and some are large.
            None if frame.raw_text(span).contains("\"taskId\"") => {
                match Following::of_result(&frame.parse_value(span), era, call) {
                    Some(following) => following,
                    None => {
                        self.state.waiting.insert(id.clone(), waiting);
                        return false;
                    }
                }
            }
            mut task => {
                if let Some(news) = task.as_mut().and_then(|task| task.end(frame, span)) {
                    // Who has left is found out elsewhere.
                    let _ = waiting.inbox.push(Incoming::Packet(stage("task", &news, ""))).await;
                }
                self.state.waiting.insert(id.clone(), Waiting { task, ..waiting });
                return false;
            }
        };
        let mut told = vec![stage(ALIVE, "", "")];
        if let Some(news) = following.news() {
            told.push(stage("task", &news, &following.task.told.to_string()));
            let faults = following.task.faults.iter();
            told.extend(faults.map(|fault| stage(FINDING, &fault_words(fault), "")));
        }
        for packet in told {
            // Who has left is found out below.
            let _ = waiting.inbox.push(Incoming::Packet(packet)).await;
        }
        let next = following.next(&call.method, era, self.session.client());
        waiting.task = Some(following);
        match next {
            TaskStep::Poll(after) => self.state.asking.push(Box::pin(async move {
                let inbox = waiting.inbox.clone();
                select(Box::pin(sleep(after)), Box::pin(inbox.closed())).await;
                Finished::Poll(Box::new(waiting))
            })),
            TaskStep::Fetch(call) => self.begin(call, waiting).await,
            TaskStep::Done(reply) => {
                self.state.waiting.insert(id.clone(), waiting);
                self.answer(id, call, reply, &[]).await;
            }
            TaskStep::Ask(requests) => {
                self.state.waiting.insert(id.clone(), waiting);
                let text = frame.text().to_owned();
                let asks = Asks { requests, state: None };
                self.ask_within(id, call.clone(), text, asks).await;
            }
            TaskStep::Cancelled => {
                self.state.waiting.insert(id.clone(), waiting);
                let message = "the server cancelled the task";
                let kind = ErrorKind::parse("task-cancelled");
                self.fail(id, CallError::new(kind, message, "call the tool again")).await;
            }
        }
        true
    }

    /// Nobody waits for a task any more: the server is asked to stop it.
    async fn leave_task(&mut self, waiting: &Waiting) {
        let Some(following) = &waiting.task else { return };
        let cancel = task::cancel(&following.task.id);
        if let Some(outgoing) = self.session.call(cancel, false, Vec::new()) {
            Box::pin(self.send(outgoing)).await;
        }
    }

    /// Reports what came of a request that was given up to who made it; whether they still look.
    pub(super) fn tell_late(&self, id: &Id, text: &str) -> bool {
        let told = self.state.late.get(id).map(|to| to.try_send(late_frame(text)));
        // So much at once is none of the other calls' either.
        told.is_some_and(|told| !matches!(told, Err(TrySendError::Closed(_))))
    }

    /// Reports something to all calls that are under way, as nobody knows whose it is.
    pub(super) async fn tell_all(&mut self, name: &str, words: &str, body: &str) {
        self.push_to_all(&stage(name, words, body)).await;
    }

    pub(super) async fn push_to_all(&mut self, told: &Packet) {
        for waiting in self.state.waiting.values() {
            let _ = waiting.inbox.push(Incoming::Packet(told.clone())).await;
        }
    }

    async fn end(mut self) {
        let ended = if self.state.is_forgotten { session_over } else { lost };
        let problem = self.state.over.take().unwrap_or_else(ended);
        for (_, waiting) in self.state.waiting.drain() {
            let _ = waiting.inbox.push(Incoming::Failed(problem.clone())).await;
        }
        self.news.mark_closed(&problem);
        if let Some(opening) = self.opening.take() {
            let _ = opening.send(Err(problem));
        }
        self.pipe.close().await;
    }
}

/// Requests that were not sent can be made on another connection.
async fn give_back(mut commands: mpsc::Receiver<Command>) {
    commands.close();
    while let Some(command) = commands.recv().await {
        if let Command::Request { inbox, .. } = command {
            // Who has left needs no answer.
            let _ = inbox.push(Incoming::Failed(session_gone())).await;
        }
    }
}
