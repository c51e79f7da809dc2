//! A call of a tool: what comes on the way is reported as it comes, and the answer as it is, with
//! what is wrong with it.

use std::{borrow::Cow, time::Duration};

use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    listing::{begin, reply},
    problems::call_end,
    raw_frames::send_frame,
    stages::{
        ALIVE, ANSWER, FAULT, PROMISED, QUESTION, STAGE, VERSION, is_beside_stages, said,
        tell_answer, tell_stage,
    },
};
use crate::{
    model::{
        call::{CallError, EventKind, Limits, Outcome, StrayCause},
        connection::Connection,
        error_kind::ErrorKind,
        shown::{shell_word, shorten, visible_text},
        size,
        stage::Stage,
        traffic::FRAMES,
        transport::Traffic,
    },
    schema::count::count_text,
    systems::{
        calling::{answer_notes, answer_views},
        mcp::{
            fault::Fault,
            result_view::{Outcome as Ended, View, is_copy, result_view, take_text},
            settings,
        },
    },
    wire::{
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        spawning::spawn,
        systems::facets::multi_step::{CallContext, CallMemory},
        transport::{
            message::{Incoming, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// Listens to one call. Dropped before its end, the server is informed, and this is waited for
/// before the process ends.
struct CallListener<'k> {
    receiver: Option<QueueReceiver>,
    kept: &'k CallMemory,
    /// Where it is reported what is sent to the server when the call is cancelled; `None` once it
    /// has ended.
    sink: Option<EventSink>,
    /// How long it is reported what the server says after that.
    linger: Duration,
}

impl CallListener<'_> {
    async fn next(&mut self) -> Option<Incoming> {
        self.receiver.as_mut()?.next().await
    }

    /// What has come already: a clock that nobody needs costs more than it.
    fn try_next(&mut self) -> Option<Incoming> {
        self.receiver.as_mut()?.try_next()
    }
}

impl Drop for CallListener<'_> {
    fn drop(&mut self) {
        if let Some(receiver) = self.receiver.take() {
            let left = give_up(receiver, self.sink.take(), self.linger);
            self.kept.keep_task(spawn(left));
        }
    }
}

async fn give_up(receiver: QueueReceiver, sink: Option<EventSink>, linger: Duration) {
    let parting = receiver.unsubscribe_shown().await;
    let (Some(mut parting), Some(mut sink)) = (parting, sink) else { return };
    if let Ok(sent) = parting.try_recv() {
        // Nobody may look at the call any more.
        let _ = tell_stage(sent, &mut sink).await;
    }
    if !linger.is_zero() {
        // No end of a process waits for it.
        drop(spawn(tell_late(parting, sink, linger)));
    }
}

/// Reports what a server says of a call that was given up.
async fn tell_late(mut parting: mpsc::Receiver<Packet>, mut sink: EventSink, linger: Duration) {
    let until = Instant::now() + linger;
    while let Ok(Some(packet)) = timeout_at(until, parting.recv()).await {
        if sink.emit_stray(StrayCause::Late, None, &packet).await.is_err() {
            return;
        }
    }
}

/// What ends a call that waits.
enum Patience {
    Total,
    Next,
}

/// Makes the call.
pub(crate) async fn call(
    context: CallContext<'_>,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let CallContext { connection, bus, request, kept, limits, .. } = context;
    if !settings::is_at(connection) {
        let message = format!("connection \"{}\" isn't to an MCP server", connection.name);
        let remedy = "choose one with system = \"mcp\"";
        return Ok((Outcome::Lost, Some(CallError::new(ErrorKind::BadSettings, message, remedy))));
    }
    if request.to == FRAMES {
        return send_frame(context, sink).await;
    }
    let mut listening = match begin(bus, &request.to, request.body.to_string()).await {
        Ok(receiver) => CallListener {
            receiver: Some(receiver),
            kept,
            sink: Some(sink.aside()),
            linger: limits.linger,
        },
        Err(problem) => return Ok((Outcome::Lost, Some(problem))),
    };
    let ended = hear_out(&mut listening, context, sink).await;
    // What is reported after its end is none of the call's.
    listening.sink = None;
    ended
}

/// Takes in what comes of a call, up to its end.
async fn hear_out(
    listening: &mut CallListener<'_>,
    CallContext { connection, bus, request, limits, .. }: CallContext<'_>,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    sink.emit(EventKind::Sent { bytes: request.body.len() }).await?;
    let mut stages = 0_u64;
    let mut since = Instant::now();
    // While a person has a question of the server, nothing else is expected.
    let mut questions = 0_u32;
    loop {
        let held = sink.held;
        let patience = if stages == 0 { limits.first } else { limits.idle };
        let total = sink.opened + limits.total + sink.held;
        let heard = match listening.try_next() {
            Some(heard) => Ok(Some(heard)),
            None => tokio::select! {
                biased;
                heard = listening.next() => Ok(heard),
                () = sleep_until(total) => Err(Patience::Total),
                () = sleep_until(since + patience), if questions == 0 => Err(Patience::Next),
            },
        };
        match heard {
            Err(which) => {
                return Ok((Outcome::TimedOut, Some(timed_out(&which, patience, limits, stages))));
            }
            Ok(Some(Incoming::Packet(packet))) => {
                if said(&packet, STAGE) == Some(ANSWER) {
                    // There is nothing more to report to the server.
                    drop(listening.receiver.take());
                    return answer((&packet, connection), &request.body, limits.answer, sink).await;
                }
                if said(&packet, STAGE) == Some(ALIVE) {
                    since = Instant::now();
                    continue;
                }
                if is_beside_stages(&packet) {
                    tell_stage(packet, sink).await?;
                    continue;
                }
                stages += 1;
                questions = match said(&packet, QUESTION) {
                    Some("begins") => questions + 1,
                    Some(_) => questions.saturating_sub(1),
                    None => questions,
                };
                tell_stage(packet, sink).await?;
                // Time in which nobody took our events does not count.
                since = sink.last + (sink.held - held);
            }
            Ok(Some(Incoming::Failed(problem))) => return Ok(call_end(problem)),
            Ok(Some(_)) => {}
            Ok(None) => {
                let message = format!("{} ended before the answer", bus.display_address());
                let problem = CallError::new(ErrorKind::ConnectionLost, message, "send it again");
                return Ok((Outcome::Lost, Some(bus.close_reason().unwrap_or(problem))));
            }
        }
    }
}

async fn answer(
    (packet, connection): (&Packet, &Connection),
    sent: &str,
    largest: u64,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let (server, bytes) = (&connection.name, packet.body.len());
    let look =
        if connection.transport().spec().traffic == Traffic::Exchange { LOG } else { STDERR };
    if bytes as u64 > largest {
        let message = format!("the answer has more than {}", size::format_size(largest));
        let remedy = "raise largest-answer of the connection, or request less";
        let problem = CallError::new(ErrorKind::AnswerTooLarge, message, remedy);
        return Ok((Outcome::Lost, Some(problem)));
    }
    tell_answer(packet, sink).await?;
    let mut reply = reply(packet);
    let promised: Option<Value> =
        said(packet, PROMISED).and_then(|schema| serde_json::from_str(schema).ok());
    let View { outcome, text, faults } =
        result_view(&reply, promised.as_ref(), said(packet, VERSION).unwrap_or_default());
    tell_findings(packet, &faults, &reply, sent, sink).await?;
    tell_result(&reply, &text, (outcome, promised.is_some()), sink).await?;
    let end = end_of(outcome, &reply, &text, (server, look));
    if matches!(outcome, Ended::Ok | Ended::InvalidStructured) {
        // A large text is not copied.
        let text = match text {
            Cow::Borrowed(_) => take_text(&mut reply).unwrap_or_default(),
            Cow::Owned(text) => text,
        };
        drop(reply);
        sink.emit(EventKind::Chunk { text: text.into(), bytes }).await?;
    }
    Ok(end)
}

/// Reports what is wrong with a reply, and other views of its result.
async fn tell_findings(
    packet: &Packet,
    faults: &[Fault],
    reply: &Value,
    sent: &str,
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    for (_, words) in packet.headers.iter().filter(|(name, _)| name == FAULT) {
        sink.emit_stage("finding", words, "").await?;
    }
    for Fault { id, at, words } in faults {
        sink.emit_stage("finding", format!("{id} at {at}: {words}"), "").await?;
    }
    let Some(result) = reply.get("result") else { return Ok(()) };
    for note in answer_notes(sent, result) {
        let words = format!("{} at {}: {}", note.id, note.at, note.words);
        sink.emit_stage("finding", words, "").await?;
    }
    for view in answer_views(sent, result) {
        sink.emit_stage(view.name, view.words, view.value.to_string()).await?;
    }
    Ok(())
}

/// Reports what a reply has beside its text: structured content, all of a result, and the data of an
/// error.
async fn tell_result(
    reply: &Value,
    text: &str,
    (outcome, has_schema): (Ended, bool),
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    if let Some(data) = structured_beside(reply, text) {
        let body = data.to_string();
        let words = format!("structured content: {}", shorten(&body, 300));
        sink.emit_stage(Stage::STRUCTURED, words, body).await?;
    }
    if let Some(result) = reply.get("result").filter(|result| is_more_than_text(result)) {
        let words = match has_schema && outcome == Ended::Ok {
            true => "the whole result; it matches the outputSchema",
            false => "the whole result",
        };
        sink.emit_stage(Stage::RESULT, words, result.to_string()).await?;
    }
    if let (Ended::ProtocolError, Some(data)) = (outcome, reply["error"].get("data")) {
        let words = format!("data of the error: {}", short_json(data));
        sink.emit_stage("error-data", words, data.to_string()).await?;
    }
    Ok(())
}

/// How a call ends with that reply; `look` is where its server says more.
fn end_of(outcome: Ended, reply: &Value, text: &str, (server, look): (&str, &str)) -> CallEnd {
    let failed = |kind: &str, message: &str, remedy: &str| {
        (Outcome::Failed, Some(CallError::new(ErrorKind::parse(kind), message, remedy)))
    };
    let details = |said: &str| match said {
        "" => "the server sent no details".to_owned(),
        said => said.to_owned(),
    };
    match outcome {
        Ended::Ok => (Outcome::Succeeded, None),
        Ended::ToolError => failed("mcp-tool-error", &details(text), look),
        Ended::ProtocolError => {
            let error = &reply["error"];
            // The code is said beside the message.
            let message = details(error["message"].as_str().unwrap_or_default());
            failed(&error["code"].to_string(), &message, look)
        }
        Ended::InvalidStructured => {
            let message = "the structured content doesn't match the tool's outputSchema";
            failed("invalid-structured", message, "correct the tool, or its outputSchema")
        }
        Ended::InputRequired => {
            let message = format!("the server needs more input first: {text}");
            let remedy = "answer its question, or call the tool with everything it needs";
            failed("input-required", &message, remedy)
        }
        Ended::Task => {
            let message = format!("the server created a task that can't be read: {text}");
            failed("task", &message, &see_frames(server))
        }
        Ended::Malformed => {
            let message = "the answer is neither a result nor an error";
            (Outcome::Lost, Some(CallError::new(ErrorKind::NotAReply, message, see_frames(server))))
        }
    }
}

/// Where a server says more of a failure: one that runs here, and one over HTTP.
const STDERR: &str = "check the server's standard error and its arguments";
const LOG: &str = "check the arguments and the server's log";

fn see_frames(server: &str) -> String {
    format!("`toolcrib mcp frames {}` shows what it wrote", shell_word(server))
}

/// A value in a line, cut where it is long.
fn short_json(value: &Value) -> String {
    const MOST: usize = 500;
    shorten(&visible_text(&value.to_string()), MOST).into_owned()
}

/// The structured content of a result whose text doesn't say the same.
fn structured_beside<'r>(reply: &'r Value, text: &str) -> Option<&'r Value> {
    let data = reply.get("result")?.get("structuredContent").filter(|data| !data.is_null())?;
    (!is_copy(text, data)).then_some(data)
}

/// Whether a result has more to look at than its text.
fn is_more_than_text(result: &Value) -> bool {
    let is_text = |block: &Value| {
        block["type"] == "text" && block.as_object().is_some_and(|block| block.len() == 2)
    };
    let is_plain = |(name, value): (&String, &Value)| match name.as_str() {
        "content" => value.as_array().is_some_and(|blocks| blocks.iter().all(is_text)),
        "isError" | "resultType" | "ttlMs" | "cacheScope" => true,
        _ => false,
    };
    !result.as_object().is_some_and(|members| members.iter().all(is_plain))
}

fn timed_out(which: &Patience, patience: Duration, limits: Limits, stages: u64) -> CallError {
    let total = limits.total;
    let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
    let (kind, message) = match (which, stages) {
        (Patience::Total, 0) => {
            (ErrorKind::TimedOutTotal, format!("no answer within {}", seconds(total)))
        }
        (Patience::Total, _) => {
            let came = count_text(stages, "message", "messages");
            let words = format!("the answer did not end within {} ({came} came)", seconds(total));
            (ErrorKind::TimedOutTotal, words)
        }
        (Patience::Next, 0) => {
            (ErrorKind::TimedOutFirst, format!("no answer within {}", seconds(patience)))
        }
        (Patience::Next, _) => {
            let came = count_text(stages, "message", "messages");
            let words = format!("nothing more for {} after {came}", seconds(patience));
            (ErrorKind::TimedOutIdle, words)
        }
    };
    let remedy = format!("{}; the call was cancelled at the server", limits.more_time);
    CallError::new(kind, message, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_says_what_came_before() {
        let time = Duration::from_secs(1);
        let limits = Limits::default().within(time);
        let words = |which, stages| timed_out(&which, time, limits, stages).message;
        assert_eq!(words(Patience::Total, 0), "no answer within 1 s");
        assert_eq!(
            words(Patience::Total, 7),
            "the answer did not end within 1 s (7 messages came)"
        );
        assert_eq!(words(Patience::Next, 1), "nothing more for 1 s after 1 message");
        // Where it was made on the screen, there are no options.
        let there = timed_out(&Patience::Next, time, Limits::on_screen(), 0).remedy;
        assert!(there.contains("time limit…") && !there.contains("--timeout"), "{there}");
    }
}
