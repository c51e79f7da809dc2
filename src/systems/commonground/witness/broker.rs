//! What is beside the channel: marks in the idempotency bucket, and what the broker reports
//! messages that services refuse.

use serde_json::Value;

use super::{
    super::idempotency::{self, Marker},
    channel_message::{SYSTEM, fields_of, short_id},
};
use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    traffic::{Decoded, MessageLinks, ObservedMessage, Part},
};

const ADVISORY: &str = "$JS.EVENT.ADVISORY.CONSUMER.";

/// What such a message is; `read` reads the message that it reports.
pub(super) fn classify_message(
    crossing: &ObservedMessage,
    read: &dyn Fn(&ObservedMessage) -> Option<Decoded>,
) -> Option<Decoded> {
    if let Some(told) = crossing.subject.strip_prefix(ADVISORY) {
        return told
            .split('.')
            .nth(1)?
            .starts_with("cg_")
            .then(|| classify_advisory(crossing, told, read));
    }
    let (bucket, key) = crossing.subject.strip_prefix("$KV.")?.split_once('.')?;
    [idempotency::TOOL_BUCKET, idempotency::ACTION_BUCKET]
        .contains(&bucket)
        .then(|| classify_mark(crossing, key))
}

fn classify_mark(crossing: &ObservedMessage, key: &str) -> Decoded {
    let value: Value = serde_json::from_slice(&crossing.body).unwrap_or_default();
    let mut cards = Vec::new();
    let (part, label, text) = match idempotency::parse_marker(&value) {
        Some(Marker::Running { .. }) => (Part::Note, "started", "a service runs it".to_owned()),
        Some(Marker::Done { result_card, status, after_execution }) => {
            let status = status.unwrap_or_else(|| "done".to_owned());
            cards.extend(result_card.clone());
            let card = result_card.as_deref().map(short_id);
            let mut words = vec![status.clone()];
            words.extend(card.clone().map(|card| format!("result card {card}")));
            words.extend(after_execution.map(|after| format!("then {after}")));
            let problem =
                (!["success", "partial", "done"].contains(&status.as_str())).then(|| CallError {
                    kind: ErrorKind::parse(&status),
                    message: card.map_or_else(
                        || "the tool says no".into(),
                        |card| format!("the tool says no; its result card {card} says why"),
                    ),
                    remedy: "see the result card".into(),
                });
            (Part::Outcome(problem), "result", words.join(" · "))
        }
        None if crossing.body.is_empty() => {
            (Part::Note, "mark", "the mark was taken away".to_owned())
        }
        None => (Part::Note, "mark", crossing.body_text().into_owned()),
    };
    let ties = MessageLinks { also: vec![key.to_owned()], ..MessageLinks::default() };
    let topic = key.split('.').nth(2).map(str::to_owned);
    Decoded { ties, topic, cards, ..Decoded::new(Some(SYSTEM), part, label, text) }
}

/// `told`: the kind of advisory, the stream and the consumer.
fn classify_advisory(
    crossing: &ObservedMessage,
    told: &str,
    read: &dyn Fn(&ObservedMessage) -> Option<Decoded>,
) -> Decoded {
    let fields = fields_of(crossing).unwrap_or_default();
    let number = |name: &str| fields.get(name).and_then(Value::as_u64);
    let consumer = told.splitn(3, '.').nth(2).unwrap_or("a consumer");
    let times = number("deliveries").unwrap_or(0);
    let about = crossing.about.as_deref().and_then(read);
    let gives_up = told.starts_with("MAX_DELIVERIES");
    let mut text = match gives_up {
        true => format!("delivered {times} times, given up by {consumer}"),
        false => format!("{consumer} refused it, delivery {times}"),
    };
    let part = if gives_up {
        Part::Error(CallError {
            kind: ErrorKind::GivenUp,
            message: text.clone(),
            remedy: GIVEN_UP.into(),
        })
    } else {
        Part::Note
    };
    let Some(about) = about else {
        text.push_str(&format!(
            "; message {} is no longer kept",
            number("stream_seq").unwrap_or(0)
        ));
        return Decoded::new(
            Some(SYSTEM),
            Part::Other,
            if gives_up { "given up" } else { "refused" },
            text,
        );
    };
    let remarks = if gives_up { vec![GIVEN_UP.to_owned()] } else { Vec::new() };
    let label = if gives_up { "given up" } else { "refused" };
    let Decoded { id, ties, topic, cards, .. } = about;
    Decoded { id, ties, topic, remarks, cards, ..Decoded::new(Some(SYSTEM), part, label, text) }
}

/// What lies behind a message that is given up.
const GIVEN_UP: &str = "given up after several deliveries: the body is no JSON object, or the report of the result was refused (turn unknown, \
                        another epoch, depth of 20 or more, agent not in the roster, or the same call reported before)";
