//! The turn of another agent that a call started: reported as it goes on, until its end.

use tokio::time::{Instant, sleep_until};

use super::{
    call_progress::{CallProgress, connection_lost, end_as_lost},
    calling::Calling,
    channel_watch::{ChannelWatch, SeenMessage},
};
use crate::{
    model::{
        attachment::Attachment,
        call::{CallError, EventKind, Outcome},
        error_kind::ErrorKind,
        traffic::{Decoded, Part},
    },
    systems::commonground::{attachments, clue::CallClue, internal::Started},
    wire::session::event_sink::{CallEnd, SinkClosed},
};

/// What was notified of a turn.
struct Watched {
    turn: Started,
    /// What the agent said in its last step.
    said: String,
}

/// Goes on after a call that ended so, where it started a turn; how that ends is how the call ends.
pub(crate) async fn follow_turn(
    calling: &mut Calling<'_>,
    watch: &mut ChannelWatch,
    progress: &CallProgress,
    end: CallEnd,
) -> Result<CallEnd, SinkClosed> {
    let Some(turn) = calling.started.take().filter(|_| end.0 == Outcome::Succeeded) else {
        return Ok(end);
    };
    let words = format!("agent {} has begun turn {}", turn.agent, turn.turn);
    calling.sink.emit_stage("turn", words, "").await?;
    let mut watched = Watched { turn, said: String::new() };
    for reading in &progress.turns {
        if let Some(end) = watched.handle_message(calling, reading).await? {
            return Ok(end);
        }
    }
    let (total, idle) =
        (calling.sink.opened + calling.call_context.limits.total, calling.call_context.limits.idle);
    let mut silent = Instant::now() + idle;
    loop {
        tokio::select! {
            biased;
            seen = watch.next(&progress.wanted) => match seen {
                None => return end_as_lost(connection_lost(calling)),
                Some(SeenMessage::Clue(CallClue::Turn(reading))) => {
                    if let Some(end) = watched.handle_message(calling, &reading).await? {
                        return Ok(end);
                    }
                    silent = Instant::now() + idle;
                }
                Some(_) => {}
            },
            () = sleep_until(silent.min(total)) => return Ok(watched.timed_out(calling)),
        }
    }
}

impl Watched {
    /// Reports what a message says of the turn; how it ends, where that is its end.
    async fn handle_message(
        &mut self,
        calling: &mut Calling<'_>,
        reading: &Decoded,
    ) -> Result<Option<CallEnd>, SinkClosed> {
        if reading.id.as_deref() != Some(self.turn.turn.as_str()) {
            return Ok(None);
        }
        match &reading.part {
            Part::Answer { .. } => {
                self.said.push_str(&reading.text);
                let (text, bytes) = (reading.text.as_str().into(), reading.text.len());
                calling.sink.emit(EventKind::Chunk { text, bytes }).await?;
            }
            Part::Outcome(failed) => {
                self.show_deliverable(calling, reading).await?;
                let outcome = if failed.is_some() { Outcome::Failed } else { Outcome::Succeeded };
                return Ok(Some((outcome, failed.clone())));
            }
            _ => {
                if reading.label == "begins" {
                    self.said.clear();
                }
                let state =
                    reading.state.as_ref().map_or_else(String::new, |state| format!("{state} "));
                let words = format!("{}: {state}{}", reading.label, reading.text);
                calling.sink.emit_stage("turn", words.trim_end(), "").await?;
            }
        }
        Ok(None)
    }

    /// Shows what the turn delivers, and gives it as the answer where the agent did not just say
    /// it.
    async fn show_deliverable(
        &self,
        calling: &mut Calling<'_>,
        task: &Decoded,
    ) -> Result<(), SinkClosed> {
        calling.sink.emit_stage("turn", format!("{}: {}", task.label, task.text), "").await?;
        let Some(id) = task.cards.first() else { return Ok(()) };
        let value = match calling.read_card(id).await {
            Ok(value) => value,
            Err(why) => {
                return calling
                    .sink
                    .emit_stage("deliverable", format!("card {id} cannot be read: {why}"), "")
                    .await;
            }
        };
        let attachments = attachments::laid_out(std::slice::from_ref(&value));
        for Attachment { words, body, .. } in attachments {
            calling.sink.emit_stage("deliverable", words, body.to_string()).await?;
        }
        let content = &value["content"];
        let text = content["text"].as_str().map_or_else(|| content.to_string(), str::to_owned);
        if text.trim() == self.said.trim() {
            return Ok(());
        }
        let text = if self.said.is_empty() { text } else { format!("\n{text}") };
        calling.sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await
    }

    fn timed_out(&self, calling: &Calling<'_>) -> CallEnd {
        let seconds = calling.sink.opened.elapsed().as_secs();
        let Started { agent, turn } = &self.turn;
        let message = format!("turn {turn} of agent {agent} did not end within {seconds} s");
        (
            Outcome::TimedOut,
            Some(CallError::new(
                ErrorKind::TimedOutTurn,
                message,
                format!(
                    "it may go on: look at it in Watch, or {}",
                    calling.call_context.limits.more_time
                ),
            )),
        )
    }
}
