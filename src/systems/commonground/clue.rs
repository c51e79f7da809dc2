//! What a message that passes in a channel says of one call under way.

use serde_json::Value;

use super::{headers, subject::Subject, trace::Traceparent};

/// What a call is known by.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The id of the call, and of the UI action that made it.
    pub call: String,
    /// The trace that it belongs to.
    pub trace: String,
    pub agent: String,
}

/// A message on a call's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clue {
    /// The UI worker says what became of the action.
    Ack { status: String, card: Option<String>, code: Option<String>, error: Option<String> },
    /// The tool's command.
    Command { subject: String, card: Option<String>, call: Option<String> },
    /// The caller's worker is told to look into its inbox: a result was reported.
    Wakeup,
}

/// What it says; `None` where it is of something else.
#[must_use]
pub fn clue(subject: &str, received: &[(String, String)], body: &[u8], wanted: &Wanted) -> Option<Clue> {
    let parts = Subject::parse(subject)?;
    let body: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    let header = |name| headers::value(received, name);
    let traced = || {
        header(headers::TRACE).and_then(|text| Traceparent::parse(text).ok()).is_some_and(|own| own.trace_id() == wanted.trace)
    };
    match (parts.category.as_str(), parts.component.as_str()) {
        ("evt", "sys") if parts.suffix == "action_ack" && text("action_id").as_deref() == Some(&wanted.call) => {
            let status = text("status").unwrap_or_default();
            Some(Clue::Ack { status, card: text("tool_result_card_id"), code: text("error_code"), error: text("error") })
        }
        ("cmd", "tool" | "sys") if parts.suffix != "action" => {
            let call = header(headers::CALL);
            let own = call == Some(&wanted.call) || (traced() && header(headers::AGENT) == Some(&wanted.agent));
            own.then(|| Clue::Command {
                subject: subject.to_owned(),
                card: text("tool_call_card_id"),
                call: call.map(str::to_owned),
            })
        }
        ("cmd", "agent") if parts.suffix == "wakeup" && traced() && header(headers::AGENT) == Some(&wanted.agent) => {
            Some(Clue::Wakeup)
        }
        _ => None,
    }
}

/// What the server says of a delivery that was given back, or of the last one that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    pub consumer: String,
    pub sequence: u64,
    pub deliveries: u64,
    pub given_up: bool,
}

/// Reads an advisory of JetStream's.
#[must_use]
pub fn advice(subject: &str, body: &[u8]) -> Option<Advice> {
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
        let wanted = Wanted { call: "call_1".into(), trace: trace.into(), agent: "ui_1".into() };
        let look = |subject: &str, pairs: &[(&str, &str)], body: &str| {
            let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            clue(&format!("cg.v1r4.p.c.{subject}"), &pairs, body.as_bytes(), &wanted)
        };
        let ack = |id: &str| look("evt.sys.ui.action_ack", &[], &format!("{{\"action_id\":\"{id}\",\"status\":\"accepted\"}}"));
        assert!(matches!(ack("call_1"), Some(Clue::Ack { status, .. }) if status == "accepted"));
        assert_eq!(ack("call_2"), None);
        let command = look("cmd.tool.lamp.switch", &[(headers::CALL, "call_1")], "{\"tool_call_card_id\":\"k\"}");
        assert!(matches!(command, Some(Clue::Command { card: Some(card), .. }) if card == "k"));
        let parent = format!("00-{trace}-00f067aa0ba902b7-01");
        let gods = [(headers::CALL, "call_9"), (headers::TRACE, parent.as_str()), (headers::AGENT, "ui_1")];
        assert!(matches!(look("cmd.tool.lamp.switch", &gods, "{}"), Some(Clue::Command { .. })));
        assert_eq!(look("cmd.tool.lamp.switch", &gods[..2], "{}"), None, "a child call of another agent");
        assert_eq!(look("cmd.agent.w.wakeup", &gods[1..], "{}"), Some(Clue::Wakeup));
    }

    #[test]
    fn advisories_are_read() {
        let body = br#"{"stream":"cg_cmd_v1r4","consumer":"tool_x_cmd_v1r4","stream_seq":7,"deliveries":3}"#;
        let read = advice("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.cg_cmd_v1r4.tool_x_cmd_v1r4", body).unwrap();
        assert!(read.given_up && (read.sequence, read.deliveries) == (7, 3));
        assert_eq!(advice("$JS.EVENT.ADVISORY.CONSUMER.CREATED.cg_cmd_v1r4.x", body), None);
    }
}
