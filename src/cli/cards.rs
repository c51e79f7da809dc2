//! The cards that watched messages name: read while the watch goes on, reported as they come, calls
//! compared with their results.

use std::collections::{HashMap, HashSet, VecDeque};

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{
    ending::StopReason,
    out::{CommandOutput, Tint},
};
use crate::{
    engine::{mask::Mask, traffic::record::Record},
    model::{
        attachment::Attachment, call::CallError, connection::Connection, entry::SystemId,
        error_kind::ErrorKind, shown::shorten,
    },
    systems::watched,
    wire::card_source::{self, Read},
};

/// So many are read in one go.
const AT_ONCE: usize = 24;

/// So many may wait for that.
const WAITING: usize = 10_000;

/// Reads cards, each once.
pub(crate) struct CardReader {
    connection: Connection,
    mask: Mask,
    json: bool,
    asked: HashSet<String>,
    waiting: VecDeque<NamedCard>,
    reading: Option<BoxFuture<'static, Vec<(NamedCard, Read)>>>,
    /// Those of a call of which the other one has not come yet.
    alone: HashMap<String, Value>,
}

/// A card, and whose message named it.
#[derive(Clone)]
pub(crate) struct NamedCard {
    id: String,
    system: Option<SystemId>,
    conversation: u64,
}

impl CardReader {
    pub fn new(connection: Connection, mask: Mask, json: bool) -> Self {
        let (asked, waiting, alone) = (HashSet::new(), VecDeque::new(), HashMap::new());
        Self { connection, mask, json, asked, waiting, reading: None, alone }
    }

    /// A message names cards.
    pub fn request_cards(&mut self, system: Option<SystemId>, conversation: u64, cards: &[String]) {
        for id in cards {
            if self.waiting.len() < WAITING && self.asked.insert(id.clone()) {
                self.waiting.push_back(NamedCard { id: id.clone(), system, conversation });
            }
        }
        self.go_on();
    }

    /// Whether nothing is still to come.
    pub fn is_idle(&self) -> bool {
        self.reading.is_none()
    }

    /// What came next; waits for it.
    pub async fn next(&mut self) -> Vec<(NamedCard, Read)> {
        let came = match &mut self.reading {
            Some(reading) => reading.await,
            None => std::future::pending().await,
        };
        self.reading = None;
        self.go_on();
        came
    }

    fn go_on(&mut self) {
        if self.reading.is_some() || self.waiting.is_empty() {
            return;
        }
        let wanted: Vec<NamedCard> =
            self.waiting.drain(..self.waiting.len().min(AT_ONCE)).collect();
        let ids: Vec<String> = wanted.iter().map(|wanted| wanted.id.clone()).collect();
        let card_source = watched::card_source(
            wanted.first().and_then(|wanted| wanted.system),
            &self.connection,
            &ids,
        );
        let (connection, mask) = (self.connection.clone(), self.mask.clone());
        self.reading = Some(Box::pin(async move {
            let read = match card_source {
                Ok(card_source) => card_source::read_cards(&connection, &card_source, &mask).await,
                Err(problem) => {
                    let problem = CallError {
                        kind: ErrorKind::NoCardSource,
                        message: problem.cause,
                        remedy: problem.remedy,
                    };
                    ids.into_iter().map(|id| (id, Err(problem.clone()))).collect()
                }
            };
            wanted.into_iter().zip(read).collect()
        }));
    }

    /// Reports of a card, and compares it with the other one of its call. The conversation ends as
    /// a result says.
    pub fn print_card(
        &mut self,
        (wanted, (id, read)): (NamedCard, Read),
        record: &mut Record,
        out: &mut CommandOutput,
    ) -> Result<(), StopReason> {
        let value = match read {
            Ok(value) => value,
            Err(problem) if self.json => {
                let error = json!({"type": problem.kind.as_str(), "message": problem.message});
                let line = json!({"event": "card", "conversation": wanted.conversation, "card_id": id, "error": error});
                return Ok(out.json_line(&line)?);
            }
            Err(problem) => {
                return print_indented(
                    out,
                    Tint::Bad,
                    &format!("✗ card {id}: {}", problem.message),
                );
            }
        };
        if let Some(settled) = watched::card_outcome(wanted.system, &value) {
            record.apply_settled(&settled);
        }
        let [attachment] = <[Attachment; 1]>::try_from(watched::laid_out(
            wanted.system,
            std::slice::from_ref(&value),
        ))
        .unwrap_or_else(|_| {
            [Attachment { what: "card", words: format!("card {id}"), body: value.clone() }]
        });
        if self.json {
            let (conversation, what) = (wanted.conversation, attachment.what);
            out.json_line(
                &json!({"event": "card", "conversation": conversation, "card_id": id, "what": what, "card": attachment.body}),
            )?;
        } else {
            print_indented(
                out,
                Tint::Dim,
                &format!("▤ {} {}", attachment.words, content_preview(&value["content"])),
            )?;
        }
        let Some(call) = value["tool_call_id"].as_str().filter(|call| !call.is_empty()) else {
            return Ok(());
        };
        let Some(other) = self.alone.remove(call) else {
            if self.alone.len() < WAITING {
                self.alone.insert(call.to_owned(), value.clone());
            }
            return Ok(());
        };
        let attachments = watched::laid_out(wanted.system, &[other, value.clone()]);
        for attachment in attachments.into_iter().filter(|attachment| attachment.what == "labels") {
            if self.json {
                let line = json!({"event": "labels", "conversation": wanted.conversation, "tool_call_id": call,
                    "text": attachment.words, "labels": attachment.body});
                out.json_line(&line)?;
            } else {
                let all = attachment
                    .body
                    .as_array()
                    .is_none_or(|rows| rows.iter().all(|row| row["copied"] == true));
                print_indented(
                    out,
                    if all { Tint::Good } else { Tint::Odd },
                    &format!("{} {}", if all { "✓" } else { "⚠" }, attachment.words),
                )?;
            }
        }
        Ok(())
    }
}

fn print_indented(out: &mut CommandOutput, tint: Tint, words: &str) -> Result<(), StopReason> {
    let line = format!("{:>20}{}", "", out.safe_text(words));
    let line = out.tint(tint, &line);
    Ok(out.print_line(line)?)
}

/// The beginning of a content, on one line.
fn content_preview(content: &Value) -> String {
    shorten(&content.to_string(), 400).into_owned()
}
