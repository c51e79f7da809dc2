//! Calls that go on as tasks after their request was answered.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use super::{
    calling::run_call,
    handler::{FRAMES, RequestHandler},
    questions::{Caller, Repetition},
    running::RunningRequests,
    task_store::RunningTask,
};
use crate::{
    systems::mcp::{
        codes,
        rpc::{
            frame::{Frame, Kind},
            id::Id,
        },
        server::{
            client_questions::RepeatedCall,
            dialogue::{TaskRequest, TaskWish, ToolCall},
            reply::Refusal,
            served_task::ServedTask,
        },
        version::Era,
    },
    wire::{now::now_millis, spawning::spawn},
};

/// How long a call of the modern era may take before it becomes a task.
const AFTER: Duration = Duration::from_secs(1);
/// How long the answer to `tasks/result` may be waited for; then its client asks again.
const WAITING: Duration = Duration::from_secs(600);

/// Makes a call whose client takes tasks: it becomes one where that was asked for, or once it has
/// taken its time.
pub(crate) async fn run_task_call(handler: Arc<RequestHandler>, call: ToolCall, caller: Caller) {
    let (ttl, after) = match call.task {
        TaskWish::Asked { ttl } => (ttl, None),
        TaskWish::Possible => (None, Some(AFTER)),
        TaskWish::None => return run_call(handler, call, caller).await,
    };
    let running = RunningRequests::default();
    let (frames, mut frame_receiver) = mpsc::channel(FRAMES);
    // It was just made, so that nothing of that id runs.
    let Some(own) = running.begin(&call.id) else { return };
    // A task of the legacy era has no stream on which its client could be asked.
    let inner = Caller { frames, running: own, questions: None };
    spawn(run_call(Arc::clone(&handler), call.clone(), inner));
    if let Some(after) = after {
        let mut due = std::pin::pin!(sleep(after));
        loop {
            tokio::select! {
                biased;
                () = caller.running.cancelled.cancelled() => return running.cancel_all(),
                frame = frame_receiver.recv() => {
                    let Some(frame) = frame else { return };
                    let is_reply = matches!(Frame::parse(&*frame).kind, Kind::Reply { .. });
                    // A call goes on although nobody reads: what ends it cancels it.
                    let _ = caller.frames.send(frame).await;
                    if is_reply {
                        return;
                    }
                }
                () = &mut due => break,
            }
        }
    }
    let id = uuid::Uuid::new_v4().to_string();
    let task = ServedTask::new(id, ttl, now_millis());
    let task_value = task.to_value(call.spoken.era);
    let (asked, spoken) = (call.id.clone(), call.spoken.clone());
    let task = RunningTask::new(task, call, running);
    handler.tasks.insert(Arc::clone(&task));
    let reply = match spoken.era {
        Era::Legacy => handler.about.result(&asked, &spoken, json!({"task": task_value})),
        Era::Modern => handler.about.typed_result(&asked, &spoken, "task", task_value),
    };
    // Who has left may still ask about it.
    let _ = caller.frames.send(reply.text).await;
    spawn(async move { task.follow(frame_receiver).await });
}

/// Answers a request about a task.
pub(crate) async fn run_task_request(
    handler: Arc<RequestHandler>,
    request: TaskRequest,
    caller: Caller,
) {
    let (id, spoken) = (request.id.clone(), request.spoken.clone());
    let answered = tokio::select! {
        () = caller.running.cancelled.cancelled() => return,
        answered = answer_request(&handler, request) => answered,
    };
    let reply = match answered {
        Ok(result) => handler.about.result(&id, &spoken, result),
        Err(refusal) => refusal.to_reply(Some(&id), spoken.era),
    };
    // Who has left needs no answer.
    let _ = caller.frames.send(reply.text).await;
}

async fn answer_request(
    handler: &Arc<RequestHandler>,
    request: TaskRequest,
) -> Result<Value, Refusal> {
    let era = request.spoken.era;
    let Some(task) = handler.tasks.find(&request.task) else {
        return Err(Refusal::new(codes::INVALID_PARAMS, "there is no such task"));
    };
    match (request.method.as_str(), era) {
        ("tasks/get", Era::Legacy) => Ok(task.task().to_value(era)),
        ("tasks/get", Era::Modern) => Ok(task.task().to_details()),
        ("tasks/cancel", _) => {
            let was_running = task.cancel();
            match era {
                Era::Modern => Ok(json!({})),
                Era::Legacy if was_running => Ok(task.task().to_value(era)),
                Era::Legacy => {
                    let message = "the task has ended, and cannot be cancelled";
                    Err(Refusal::new(codes::INVALID_PARAMS, message))
                }
            }
        }
        ("tasks/update", Era::Modern) => {
            update_task(handler, &task, &request.responses);
            Ok(json!({}))
        }
        _ => {
            let Ok(outcome) = timeout(WAITING, task.outcome()).await else {
                let message = "the task works on; ask again";
                return Err(Refusal::new(codes::INTERNAL_ERROR, message));
            };
            let mut result = outcome.map_err(|error| Refusal::from_error(&error))?;
            result["_meta"]["io.modelcontextprotocol/related-task"] = json!({"taskId": task.id});
            Ok(result)
        }
    }
}

/// Goes on with a task that wanted to know something. Answers to what it did not ask are nothing.
fn update_task(handler: &Arc<RequestHandler>, task: &Arc<RunningTask>, responses: &Value) {
    let Some(state) = task.task().take_question(now_millis()) else { return };
    let (frames, frame_receiver) = mpsc::channel(FRAMES);
    // The call still runs under its own id.
    let Some(running) = task.running.begin(&Id::Text(state.clone())) else { return };
    // Without an answer to what was asked the call asks again.
    let params = json!({"requestState": state, "inputResponses": responses});
    let call = ToolCall { repeated: RepeatedCall::from_params(&params), ..task.call.clone() };
    // One that waits no longer has ended by itself.
    let _ = handler.parked.resume(&state, Repetition { call, frames, running });
    let task = Arc::clone(task);
    spawn(async move { task.follow(frame_receiver).await });
}
