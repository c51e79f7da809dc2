//! One client over its pipes.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    handler::RequestHandler,
    questions::{Caller, PendingQuestions},
    running::RunningRequests,
    subscriptions::{FollowedResources, OwnFrames},
    tasks::{run_task_call, run_task_request},
};
use crate::{
    systems::mcp::{
        codes,
        rpc::{
            frame::Frame,
            id::Id,
            lines::{Line, Lines},
        },
        server::{
            dialogue::{ClientRequest, Dialogue},
            reply::{Refusal, tools_changed_frame},
        },
        version::Era,
    },
    wire::{spawning::boxed, systems::facets::tool_server::Pipes},
};

/// How long calls under way may take once nothing more is asked.
const DRAINING: Duration = Duration::from_secs(5);
/// How long the last words may take to be read.
const LEAVING: Duration = Duration::from_secs(1);

/// A client, and what of it is under way.
struct PipeClient {
    handler: Arc<RequestHandler>,
    dialogue: Dialogue,
    frames: mpsc::Sender<String>,
    running: RunningRequests,
    questions: PendingQuestions,
    followed: FollowedResources,
    own: OwnFrames,
    calls: TaskTracker,
    subscriptions: TaskTracker,
    leaving: CancellationToken,
}

/// Nobody reads any more.
struct Unread;

/// Serves a client until it closes its end or `stop`.
pub(crate) async fn serve_client(
    handler: Arc<RequestHandler>,
    pipes: Pipes,
    stop: CancellationToken,
) {
    let Pipes { mut input, output } = pipes;
    let mut changes = handler.changes();
    let mut client = PipeClient {
        handler,
        dialogue: Dialogue::default(),
        frames: output,
        running: RunningRequests::default(),
        questions: PendingQuestions::default(),
        followed: FollowedResources::default(),
        own: OwnFrames::default(),
        calls: TaskTracker::new(),
        subscriptions: TaskTracker::new(),
        leaving: CancellationToken::new(),
    };
    let mut lines = Lines::default();
    let frames = client.frames.clone();
    client.own.open(frames.clone());
    loop {
        let served = tokio::select! {
            bytes = input.recv() => match bytes {
                Some(bytes) => client.handle_lines(lines.push(&bytes)).await,
                None => {
                    // What it wrote last may have no end of line.
                    let last = lines.finish_line();
                    let _ = client.handle_lines(last.into_iter().collect()).await;
                    break;
                }
            },
            Ok(()) = changes.changed() => client.tell_change().await,
            () = frames.closed() => Err(Unread),
            () = stop.cancelled() => break,
        };
        if served.is_err() {
            client.running.cancel_all();
            break;
        }
    }
    client.leave(&stop).await;
}

impl PipeClient {
    async fn handle_lines(&mut self, lines: Vec<Line>) -> Result<(), Unread> {
        for line in lines {
            match line {
                Line::Text { text, .. } => self.handle_frame(Frame::parse(text)).await?,
                Line::TooLong { bytes } => {
                    let message = format!("a message of {bytes} bytes is too long");
                    let refusal = Refusal::new(codes::INVALID_REQUEST, message);
                    self.send(refusal.to_reply(None, Era::Modern).text).await?;
                }
            }
        }
        Ok(())
    }

    async fn handle_frame(&mut self, frame: Frame) -> Result<(), Unread> {
        let messages = match self.dialogue.split_messages(frame) {
            Ok(messages) => messages,
            Err(reply) => return self.send(reply.text).await,
        };
        for message in messages {
            let asked = self.handler.handle_message(&mut self.dialogue, &message);
            self.perform(asked).await?;
        }
        Ok(())
    }

    async fn perform(&mut self, asked: ClientRequest) -> Result<(), Unread> {
        let (handler, frames) = (Arc::clone(&self.handler), self.frames.clone());
        match asked {
            ClientRequest::Reply(reply) => self.send(reply.text).await?,
            ClientRequest::Call(call) => match self.running.begin(&call.id) {
                Some(running) => {
                    let questions = Some(self.questions.clone());
                    let caller = Caller { frames, running, questions };
                    self.calls.spawn(boxed(run_task_call(handler, *call, caller)));
                }
                None => self.refuse(&call.id).await?,
            },
            ClientRequest::Relay(request) => match self.running.begin(&request.id) {
                Some(running) => {
                    let caller = Caller { frames, running, questions: None };
                    self.calls.spawn(boxed(handler.run_relay(request, caller)));
                }
                None => self.refuse(&request.id).await?,
            },
            ClientRequest::Follow(asked) => match self.running.begin(&asked.id) {
                Some(running) => {
                    let caller = Caller { frames, running, questions: None };
                    let client = (self.followed.clone(), self.own.clone());
                    self.calls.spawn(boxed(handler.run_following(asked, caller, client)));
                }
                None => self.refuse(&asked.id).await?,
            },
            ClientRequest::Task(request) => match self.running.begin(&request.id) {
                Some(running) => {
                    let caller = Caller { frames, running, questions: None };
                    self.calls.spawn(boxed(run_task_request(handler, request, caller)));
                }
                None => self.refuse(&request.id).await?,
            },
            ClientRequest::Answer { id, answer } => self.questions.answer(&id, answer),
            ClientRequest::Listen(listening) => match self.running.begin(&listening.id) {
                Some(running) => {
                    let leaving = self.leaving.clone();
                    let listening = handler.run_listening(listening, frames, running, leaving);
                    self.subscriptions.spawn(boxed(listening));
                }
                None => self.refuse(&listening.id).await?,
            },
            ClientRequest::Cancel(id) => self.running.cancel(&id),
            ClientRequest::Nothing => {}
        }
        Ok(())
    }

    /// Reports a client of the legacy era unasked that there are other tools.
    async fn tell_change(&mut self) -> Result<(), Unread> {
        match self.dialogue.is_initialized() {
            true => self.send(tools_changed_frame(None)).await,
            false => Ok(()),
        }
    }

    async fn refuse(&self, id: &Id) -> Result<(), Unread> {
        self.send(refuse_request().to_reply(Some(id), Era::Modern).text).await
    }

    async fn send(&self, frame: String) -> Result<(), Unread> {
        self.frames.send(frame).await.map_err(|_| Unread)
    }

    /// Lets the calls under way end, unless the whole server is stopped.
    async fn leave(self, stop: &CancellationToken) {
        self.calls.close();
        tokio::select! {
            () = self.calls.wait() => {}
            () = stop.cancelled() => {}
            () = sleep(DRAINING) => {}
        }
        self.leaving.cancel();
        self.subscriptions.close();
        let _ = timeout(LEAVING, self.subscriptions.wait()).await;
        self.running.cancel_all();
        let _ = timeout(LEAVING, self.calls.wait()).await;
    }
}

/// Why a request is not begun.
#[must_use]
pub(crate) fn refuse_request() -> Refusal {
    let message = "a request of that id is under way, or too many are";
    Refusal::new(codes::INVALID_REQUEST, message)
}
