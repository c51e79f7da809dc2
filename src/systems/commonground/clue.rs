//! What a message that passes in a channel says of one call under way.

use serde_json::Value;

use super::{ack::Ack, headers, subject::Subject, trace::Traceparent, witness};
use crate::model::{
    clock::Millis,
    traffic::{Decoded, KeptMessage, ObservedMessage},
};

/// What a call is known by.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallIdentity {
    /// The id of the call, and of the UI action that made it.
    pub call: String,
    /// The trace that it belongs to.
    pub trace: String,
    pub agent: String,
}

/// A message on a call's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallClue {
    /// The UI worker says what became of the action.
    Ack(Ack),
    /// The tool's command.
    Command { subject: String, card: Option<String>, call: Option<String> },
    /// The caller's worker is instructed to look into its inbox. Before the command that is the
    /// action itself, after it a result was reported.
    Wakeup,
    /// A turn of another agent goes on.
    Turn(Box<Decoded>),
}

/// What it says; `None` where it is of something else.
#[must_use]
pub(crate) fn find_clue(
    subject: &str,
    received: &[(String, String)],
    body: &[u8],
    wanted: &CallIdentity,
) -> Option<CallClue> {
    let parts = Subject::parse(subject)?;
    let body: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    let header = |name| headers::find_value(received, name);
    let traced = || {
        header(headers::TRACE)
            .and_then(|text| Traceparent::parse(text).ok())
            .is_some_and(|own| own.trace_id() == wanted.trace)
    };
    match (parts.category.as_str(), parts.component.as_str()) {
        ("evt", "sys") if parts.suffix == "action_ack" => {
            Ack::from_value(&body).filter(|ack| ack.action == wanted.call).map(CallClue::Ack)
        }
        ("cmd", "tool" | "sys") if parts.suffix != "action" => {
            let call = header(headers::CALL);
            let own = call == Some(&wanted.call)
                || (traced() && header(headers::AGENT) == Some(&wanted.agent));
            own.then(|| CallClue::Command {
                subject: subject.to_owned(),
                card: text("tool_call_card_id"),
                call: call.map(str::to_owned),
            })
        }
        // The watchdog, and whoever gives the agent its next turn, say why.
        ("cmd", "agent") if parts.suffix == "wakeup" && text("reason").is_none() => {
            (traced() && header(headers::AGENT) == Some(&wanted.agent)).then_some(CallClue::Wakeup)
        }
        ("evt", "agent") if parts.target != wanted.agent && traced() => {
            turn_clue(subject, received, &body)
        }
        // Token streams carry no headers, so that only their turn says whose they are.
        ("str", "agent") if parts.target != wanted.agent => turn_clue(subject, received, &body),
        _ => None,
    }
}

/// What a message reports an agent's turn.
fn turn_clue(subject: &str, received: &[(String, String)], body: &Value) -> Option<CallClue> {
    let body = body.to_string();
    let crossing = ObservedMessage {
        at: Millis(0),
        subject: subject.into(),
        reply: None,
        headers: received.to_vec(),
        size: body.len() as u64,
        body: body.into_bytes().into(),
        kept: KeptMessage::Whole,
        about: None,
    };
    let reading = witness::classify_message(&crossing)?;
    reading.id.is_some().then(|| CallClue::Turn(Box::new(reading)))
}

/// What the server says of a delivery that was given back, or of the last one that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub consumer: String,
    pub sequence: u64,
    pub deliveries: u64,
    pub given_up: bool,
}

/// Reads an advisory of JetStream's.
#[must_use]
pub(crate) fn parse_advisory(subject: &str, body: &[u8]) -> Option<Advice> {
    let given_up = subject.contains(".MAX_DELIVERIES.");
    if !given_up && !subject.contains(".MSG_NAKED.") {
        return None;
    }
    let body: Value = serde_json::from_slice(body).ok()?;
    Some(Advice {
        consumer: body["consumer"].as_str()?.to_owned(),
        sequence: body["stream_seq"].as_u64()?,
        deliveries: body["deliveries"].as_u64().unwrap_or_default(),
        given_up,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_of_the_call_counts() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let wanted =
            CallIdentity { call: "call_1".into(), trace: trace.into(), agent: "ui_1".into() };
        let look = |subject: &str, pairs: &[(&str, &str)], body: &str| {
            let pairs: Vec<_> = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            find_clue(&format!("cg.v1r4.p.c.{subject}"), &pairs, body.as_bytes(), &wanted)
        };
        let ack = |id: &str| {
            look(
                "evt.sys.ui.action_ack",
                &[],
                &format!("{{\"action_id\":\"{id}\",\"status\":\"accepted\"}}"),
            )
        };
        assert!(
            matches!(ack("call_1"), Some(CallClue::Ack(ack)) if ack.status == "accepted" && !ack.is_final())
        );
        assert_eq!(ack("call_2"), None);
        let command = look(
            "cmd.tool.lamp.switch",
            &[(headers::CALL, "call_1")],
            "{\"tool_call_card_id\":\"k\"}",
        );
        assert!(matches!(command, Some(CallClue::Command { card: Some(card), .. }) if card == "k"));
        let parent = format!("00-{trace}-00f067aa0ba902b7-01");
        let gods = [
            (headers::CALL, "call_9"),
            (headers::TRACE, parent.as_str()),
            (headers::AGENT, "ui_1"),
        ];
        assert!(matches!(
            look("cmd.tool.lamp.switch", &gods, "{}"),
            Some(CallClue::Command { .. })
        ));
        assert_eq!(
            look("cmd.tool.lamp.switch", &gods[..2], "{}"),
            None,
            "a child call of another agent"
        );
        assert_eq!(look("cmd.agent.w.wakeup", &gods[1..], "{}"), Some(CallClue::Wakeup));
        assert_eq!(
            look(
                "cmd.agent.w.wakeup",
                &gods[1..],
                r#"{"reason": "watchdog_pending_inbox", "inbox_id": "i"}"#
            ),
            None
        );
        let theirs = [
            (headers::AGENT, "counter"),
            (headers::TRACE, parent.as_str()),
            (headers::TURN, "turn_9"),
        ];
        let state = look("evt.agent.counter.state", &theirs, r#"{"status": "running"}"#);
        assert!(
            matches!(&state, Some(CallClue::Turn(reading)) if reading.id.as_deref() == Some("turn_9")),
            "{state:?}"
        );
        let chunk = look(
            "str.agent.counter.chunk",
            &[],
            r#"{"agent_turn_id": "turn_9", "chunk_type": "content", "content": "I "}"#,
        );
        assert!(matches!(chunk, Some(CallClue::Turn(reading)) if reading.text == "I "));
        assert_eq!(
            look("evt.agent.ui_1.state", &gods[1..], "{}"),
            None,
            "the caller's own turn is not what it started"
        );
    }

    #[test]
    fn advisories_are_read() {
        let body = br#"{"stream":"cg_cmd_v1r4","consumer":"tool_x_cmd_v1r4","stream_seq":7,"deliveries":3}"#;
        let read = parse_advisory(
            "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.cg_cmd_v1r4.tool_x_cmd_v1r4",
            body,
        )
        .unwrap();
        assert!(read.given_up && (read.sequence, read.deliveries) == (7, 3));
        assert_eq!(parse_advisory("$JS.EVENT.ADVISORY.CONSUMER.CREATED.cg_cmd_v1r4.x", body), None);
    }
}
