//! One call of a client: its events as what the client is informed, and what a server behind the
//! tool asks meanwhile, which is passed on to a client that can answer it.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    handler::RequestHandler,
    questions::{Caller, Repetition},
};
use crate::{
    model::call::{CallError, Event, Outcome},
    systems::{
        facets::served::ServedTool,
        mcp::{
            codes,
            server::{
                call_report::{CallReport, end_of},
                client_questions::{question_frame, question_reply},
                dialogue::ToolCall,
                reply::Refusal,
            },
            version::Era,
        },
    },
    wire::systems::facets::{responder::Question, tool_server::CallChannels},
};

/// Events of a call on their way at most.
const QUEUE: usize = 256;
/// How long a client of the modern era may take to find out what its call wants to know.
const PATIENCE: Duration = Duration::from_secs(600);

/// A call under way.
struct RunningCall<'c> {
    handler: &'c RequestHandler,
    report: CallReport,
    caller: Caller,
    /// Answers of a client on their way to who asked.
    answering: FuturesUnordered<BoxFuture<'static, ()>>,
    end: (Outcome, Option<CallError>),
}

/// What is next.
enum Step {
    Event(Event),
    Question(Question),
    Over,
}

/// Nobody waits for the call any more.
struct Left;

/// Makes a call, and sends what its client is informed; nothing more once it is cancelled.
pub(crate) async fn run_call(handler: Arc<RequestHandler>, call: ToolCall, caller: Caller) {
    if let Some(repeated) = &call.repeated {
        let state = repeated.state.clone();
        return resume_call(&handler, &state, call, caller).await;
    }
    let (row, arguments) = (call.row, call.arguments.clone());
    let is_structured = handler.host.tools().get(row).is_some_and(ServedTool::is_structured);
    let (sender, mut events) = mpsc::channel(QUEUE);
    let (asker, mut questions) = mpsc::channel(1);
    let channels = CallChannels { events: sender, questions: asker };
    let mut working = handler.host.run_call(row, &arguments, channels);
    let mut is_working = true;
    let mut running = RunningCall {
        handler: &handler,
        report: CallReport::new(call, is_structured),
        caller,
        answering: FuturesUnordered::new(),
        end: (Outcome::Lost, None),
    };
    loop {
        let step = tokio::select! {
            biased;
            () = running.caller.running.cancelled.cancelled() => return,
            event = events.recv() => event.map_or(Step::Over, Step::Event),
            Some(question) = questions.recv() => Step::Question(question),
            Some(()) = running.answering.next() => continue,
            () = &mut working, if is_working => {
                is_working = false;
                continue;
            }
        };
        let done = match step {
            Step::Event(event) => running.handle_event(event).await,
            Step::Question(question) => running.pass_on(question).await,
            Step::Over => break,
        };
        if done.is_err() {
            return;
        }
    }
    running.reply().await;
}

/// A client of the modern era goes on with a call that it was asked about.
async fn resume_call(handler: &RequestHandler, state: &str, call: ToolCall, caller: Caller) {
    let Caller { frames, running, .. } = caller;
    let repetition = Repetition { call, frames, running };
    let Err(unknown) = handler.parked.resume(state, repetition) else { return };
    let message = "requestState is none that this server waits for: call the tool again without it";
    let refusal = Refusal::new(codes::INVALID_PARAMS, message);
    let reply = refusal.to_reply(Some(&unknown.call.id), Era::Modern);
    // Who has left needs no answer.
    let _ = unknown.frames.send(reply.text).await;
}

impl RunningCall<'_> {
    async fn handle_event(&mut self, event: Event) -> Result<(), Left> {
        if let Some(ended) = end_of(&event) {
            self.end = ended;
        } else if let Some(frame) = self.report.handle_event(event.kind) {
            // A call goes on although nobody reads: what ends it cancels it.
            tokio::select! {
                () = self.caller.running.cancelled.cancelled() => return Err(Left),
                _ = self.caller.frames.send(frame) => {}
            }
        }
        Ok(())
    }

    /// Asks the client what a server behind the tool asks; a question that it cannot answer is
    /// dropped, by which it is declined.
    async fn pass_on(&mut self, question: Question) -> Result<(), Left> {
        let method = question.asking.waiting.tool_name().to_owned();
        let params = Value::Object(question.asking.arguments.clone());
        if !self.report.call().abilities.can_answer(&method, &params) {
            return Ok(());
        }
        match (self.report.call().spoken.era, &self.caller.questions) {
            (Era::Legacy, Some(pending)) => {
                let (id, answered) = pending.begin();
                let frame = question_frame(&id, &method, &params);
                self.caller.frames.send(frame).await.map_err(|_| Left)?;
                self.answering.push(Box::pin(hand_back(answered, question)));
                Ok(())
            }
            (Era::Legacy, None) => Ok(()),
            (Era::Modern, _) => self.ask_by_result(&method, &params, question).await,
        }
    }

    /// Ends the request with the question, and waits for the call to be repeated with the answer.
    async fn ask_by_result(
        &mut self,
        method: &str,
        params: &Value,
        question: Question,
    ) -> Result<(), Left> {
        loop {
            let (state, repeated) = self.handler.parked.park();
            let call = self.report.call();
            let asked = (&call.id, &call.spoken);
            let reply = question_reply(&self.handler.about, asked, (method, params), &state);
            self.caller.frames.send(reply.text).await.map_err(|_| Left)?;
            // What holds the request open goes, and with it its stream.
            let (closed, _) = mpsc::channel(1);
            self.caller.frames = closed;
            let Ok(Ok(Repetition { call, frames, running })) = timeout(PATIENCE, repeated).await
            else {
                return Err(Left);
            };
            let answer = call.repeated.as_ref().and_then(|repeated| repeated.answer().cloned());
            (self.caller.frames, self.caller.running) = (frames, running);
            self.report.repeat_as(call);
            if let Some(answer) = answer {
                // It may no longer be wanted; the call says so itself.
                let _ = question.reply.send(Some(answer));
                return Ok(());
            }
        }
    }

    /// Answers the call.
    async fn reply(self) {
        let (outcome, problem) = self.end;
        let reply = self.report.into_reply(&self.handler.about, outcome, problem);
        // Who has left needs no answer.
        let _ = self.caller.frames.send(reply.text).await;
    }
}

/// Gives an answer to who asked; without one the question is declined.
async fn hand_back(answered: oneshot::Receiver<Value>, question: Question) {
    if let Ok(answer) = answered.await {
        // It may no longer be wanted.
        let _ = question.reply.send(Some(answer));
    }
}
