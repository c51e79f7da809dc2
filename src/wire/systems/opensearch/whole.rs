//! A call of an agent that the cluster runs as a whole.

use std::time::Duration;

use serde_json::Value;
use tokio::time::sleep;

use super::rest::{Answer, RestClient};
use crate::{
    model::{
        call::{CallError, EventKind, Outcome, StrayCause},
        error_kind::ErrorKind,
        shown::not_utf8_words,
    },
    systems::opensearch::{
        agent_answer::{self, AgentAnswer},
        calls::{STREAM, whole_request},
        error_shapes::{is_failure, read_error},
        keys,
        steps::order::RunOrder,
        stream::{DONE, StreamPiece, StreamReader},
    },
    wire::{
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        systems::facets::multi_step::CallContext,
        transport::http::marks,
    },
};

/// How long to wait before a task is asked after again.
const BETWEEN: Duration = Duration::from_millis(500);

/// Runs an agent by one of the cluster's ways.
pub(crate) async fn run_agent(
    context: CallContext<'_>,
    route: &str,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let rest = RestClient::new(&context);
    let order = RunOrder::from_body(&context.request.body);
    let Some(whole) = order.and_then(|order| whole_request(&order, route)) else {
        let problem = CallError::new(
            ErrorKind::BadRequest,
            "the request names no agent",
            "add the agent's agent_id to its entry",
        );
        return Ok((Outcome::Failed, Some(problem)));
    };
    let (path, body) = (whole.path.as_str(), whole.body.as_str());
    sink.emit(EventKind::Sent { bytes: body.len() }).await?;
    if route == STREAM {
        return stream_answer(&context, (path, body), sink).await;
    }
    let answer = match fetch_json(&rest, ("POST", path, Some(body)), sink).await {
        Ok(value) => value,
        Err(end) => return Ok(end),
    };
    let response = match answer["task_id"].as_str() {
        Some(task) => match follow_task(&rest, task, sink).await? {
            Ok(response) => response,
            Err(end) => return Ok(end),
        },
        None => answer,
    };
    let answer = agent_answer::read_answer(&response);
    tell_memory(&rest, &answer, sink).await?;
    sink.emit_stage("response", "the whole response", response.to_string()).await?;
    let text = answer.text;
    sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await?;
    Ok((Outcome::Succeeded, None))
}

/// A request whose answer is JSON and no failure.
async fn fetch_json(
    rest: &RestClient<'_>,
    asked: (&str, &str, Option<&str>),
    sink: &mut EventSink,
) -> Result<Value, CallEnd> {
    read_json(&rest.fetch(asked, sink).await?)
}

fn read_json(answer: &Answer) -> Result<Value, CallEnd> {
    if is_failure(answer.status) {
        return Err((Outcome::Failed, Some(read_error(answer.status, &answer.body))));
    }
    serde_json::from_str(&answer.body).map_err(|_| {
        let message = "the cluster's answer is not JSON";
        let problem = CallError::new(ErrorKind::NotJson, message, "check that it is a cluster");
        (Outcome::Failed, Some(problem))
    })
}

/// Asks after a task until it is done, and gives its response.
async fn follow_task(
    rest: &RestClient<'_>,
    task: &str,
    sink: &mut EventSink,
) -> Result<Result<Value, CallEnd>, SinkClosed> {
    sink.emit_stage("task", format!("the cluster works on it as task {task}"), "").await?;
    let path = format!("{}/tasks/{task}", keys::ML);
    let mut state = String::new();
    loop {
        let told = match fetch_json(rest, ("GET", &path, None), sink).await {
            Ok(told) => told,
            Err(end) => return Ok(Err(end)),
        };
        let now = told["state"].as_str().unwrap_or_default();
        if now != state {
            now.clone_into(&mut state);
            let words = format!("task {task} is {}", now.to_lowercase());
            sink.emit_stage("task", words, told.to_string()).await?;
        }
        match now {
            "COMPLETED" | "COMPLETED_WITH_ERROR" => {
                return Ok(Ok(told.get("response").cloned().unwrap_or(told)));
            }
            "FAILED" | "CANCELLED" => {
                let message =
                    told["error"].as_str().or_else(|| told["response"]["error_message"].as_str());
                let message = message.map_or_else(|| format!("the task is {now}"), str::to_owned);
                let problem = CallError::new(ErrorKind::parse("task-failed"), message, "");
                return Ok(Err((Outcome::Failed, Some(problem))));
            }
            _ => {}
        }
        if sink.opened.elapsed() > rest.total() + sink.held {
            let message = format!(
                "task {task} isn't done in time; the cluster keeps working on \
                it"
            );
            let problem = CallError::new(ErrorKind::TimedOutTotal, message, rest.more_time());
            return Ok(Err((Outcome::TimedOut, Some(problem))));
        }
        sleep(BETWEEN).await;
    }
}

/// What the agent did for the message, and the conversation that it belongs to, where it keeps a
/// memory; that they cannot be read is no failure of the call.
async fn tell_memory(
    rest: &RestClient<'_>,
    answer: &AgentAnswer,
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    if let Some(message) = &answer.message_id {
        let path = format!("{}/memory/message/{message}/traces", keys::ML);
        for trace in read_list(rest, &path, "traces", sink).await? {
            let origin = trace["origin"].as_str().unwrap_or("a tool");
            let words = format!("trace {}: {origin}", trace["trace_number"]);
            sink.emit_stage("trace", words, trace.to_string()).await?;
        }
    }
    let Some(memory) = &answer.memory_id else { return Ok(()) };
    let path = format!("{}/memory/{memory}/messages", keys::ML);
    let messages = read_list(rest, &path, "messages", sink).await?;
    if !messages.is_empty() {
        let count = messages.len();
        let noun = if count == 1 { "message" } else { "messages" };
        let words = format!("conversation {memory} has {count} {noun}");
        sink.emit_stage("memory", words, Value::Array(messages).to_string()).await?;
    }
    Ok(())
}

/// The list that an answer holds; what cannot be read is reported, and is empty.
async fn read_list(
    rest: &RestClient<'_>,
    path: &str,
    member: &str,
    sink: &mut EventSink,
) -> Result<Vec<Value>, SinkClosed> {
    match fetch_json(rest, ("GET", path, None), sink).await {
        Ok(told) => Ok(told[member].as_array().cloned().unwrap_or_default()),
        Err((_, problem)) => {
            let why = problem.map_or_else(String::new, |problem| problem.message);
            let words = format!("couldn't read the {member}: {why}");
            sink.emit(EventKind::Notice(words)).await?;
            Ok(Vec::new())
        }
    }
}

/// Reports an answer as it comes.
async fn stream_answer(
    context: &CallContext<'_>,
    (path, body): (&str, &str),
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let rest = &RestClient::new(context);
    let wire = RestClient::new(context).showing_wire();
    let mut pending = match wire.send_request(("POST", path, Some(body)), sink).await {
        Ok(pending) => pending,
        Err(end) => return Ok(end),
    };
    let mut reader = StreamReader::default();
    let mut kept = AgentAnswer::default();
    let mut pieces = 0_usize;
    // An end marker of other APIs came, and nothing after it.
    let mut is_done = false;
    loop {
        let packet = match wire.next_packet(&mut pending, sink).await {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            Err(end) => return Ok(end),
        };
        if !marks::is_event(&packet) {
            // A refusal comes whole, and so may an answer.
            return match read_json(&Answer::from_packet(&packet)) {
                Ok(response) => {
                    let text = agent_answer::read_answer(&response).text;
                    sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await?;
                    Ok((Outcome::Succeeded, None))
                }
                Err(end) => Ok(end),
            };
        }
        let Ok(data) = std::str::from_utf8(&packet.body) else {
            tell_stray(&packet.body, sink).await?;
            return Ok(not_utf8(&packet.body));
        };
        if std::mem::take(&mut is_done) {
            tell_stray(DONE.as_bytes(), sink).await?;
        }
        pieces += 1;
        for told in reader.push_data(data) {
            match told {
                StreamPiece::Ended => {
                    tell_rest(&mut reader, sink).await?;
                    tell_memory(rest, &kept, sink).await?;
                    return Ok((Outcome::Succeeded, None));
                }
                StreamPiece::Failed(message) => {
                    let problem = CallError::new(ErrorKind::AgentError, message, "");
                    return Ok((Outcome::Failed, Some(problem)));
                }
                StreamPiece::Event { name, body } if name == "memory_id" => {
                    kept.memory_id = body.as_str().map(str::to_owned);
                }
                StreamPiece::Event { name, body }
                    if ["parent_message_id", "parent_interaction_id"].contains(&name.as_str()) =>
                {
                    kept.message_id = body.as_str().map(str::to_owned);
                }
                StreamPiece::Unreadable => tell_stray(&packet.body, sink).await?,
                StreamPiece::Done => is_done = true,
                other => tell(other, sink).await?,
            }
        }
    }
    tell_rest(&mut reader, sink).await?;
    if is_done {
        tell_memory(rest, &kept, sink).await?;
        return Ok((Outcome::Succeeded, None));
    }
    let message = match pieces {
        0 => "the stream ended without an event",
        _ => "the stream ended without its last piece",
    };
    let problem = CallError::new(ErrorKind::ConnectionLost, message, "ask again");
    Ok((Outcome::Lost, Some(problem)))
}

/// The end of a call whose answer can't be read.
fn not_utf8(body: &[u8]) -> CallEnd {
    let message = not_utf8_words(body, "event");
    let remedy = "let the server send UTF-8";
    (Outcome::Lost, Some(CallError::new(ErrorKind::NotUtf8, message, remedy)))
}

/// Reports an event that can't be read, as it came.
async fn tell_stray(body: &[u8], sink: &mut EventSink) -> Result<(), SinkClosed> {
    let body = String::from_utf8_lossy(body).into_owned().into();
    let (cause, headers) = (StrayCause::Unreadable, Vec::new().into());
    sink.emit(EventKind::Stray { cause, id: None, headers, body }).await
}

async fn tell_rest(reader: &mut StreamReader, sink: &mut EventSink) -> Result<(), SinkClosed> {
    for told in reader.finish() {
        tell(told, sink).await?;
    }
    Ok(())
}

async fn tell(told: StreamPiece, sink: &mut EventSink) -> Result<(), SinkClosed> {
    match told {
        StreamPiece::Text(text) => {
            sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await
        }
        StreamPiece::ToolCall { name, arguments } => {
            sink.emit_stage("tool-call", format!("the agent calls {name}"), arguments).await
        }
        StreamPiece::ToolResult { name, content } => {
            let words = if name.is_empty() {
                "a tool answered".to_owned()
            } else {
                format!("{name} answered")
            };
            sink.emit_stage("tool-result", words, content).await
        }
        StreamPiece::Event { name, body } => {
            sink.emit_stage(&name, name.clone(), body.to_string()).await
        }
        StreamPiece::Failed(_)
        | StreamPiece::Unreadable
        | StreamPiece::Done
        | StreamPiece::Ended => Ok(()),
    }
}
