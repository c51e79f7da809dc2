//! What a service checks before it claims a call: headers, then the body, then the call's id, in
//! this order.

use serde_json::{Map, Value};

use super::{
    super::{
        after::AfterExecution,
        card,
        command::Command,
        fault::{CommandFate, Fault, KnownText, Part, Stage},
        headers,
        known::Known,
        subject::Subject,
        trace::Traceparent,
    },
    body::{Body, KEYS, control_fields},
    world::{self, CommandWorld, ServiceKind},
};
use crate::syntax::python::text as python;

/// A command on its way into a service.
pub(super) struct IncomingCommand<'c> {
    pub command: &'c Command,
    pub subject: Option<&'c Subject>,
    pub world: &'c CommandWorld,
}

impl IncomingCommand<'_> {
    pub fn collect_faults(&self, body: &Body, faults: &mut Vec<Fault>) {
        let data = match body {
            Body::NotJson(cause) => {
                return faults
                    .push(redelivery_fault(Part::Body, format!("the body is not JSON: {cause}")));
            }
            Body::NoObject => None,
            Body::Data(data) | Body::Pairs(data) => Some(data),
        };
        let control = if let Body::Data(data) = body { control_fields(data) } else { Vec::new() };
        let forbidden = format!(
            "cmd ingress: payload contains forbidden control fields: {}",
            control.join(", ")
        );
        let mut dropped = self.header_faults();
        if let Some(fault) = dropped.first_mut().filter(|_| !control.is_empty()) {
            // The service reads the body first, and logs that.
            fault.says = Some(KnownText::Log(forbidden.clone()));
        }
        faults.extend(dropped);
        let Some(data) = data else {
            return faults
                .push(redelivery_fault(Part::Body, "the body is JSON, but no object".into()));
        };
        let recovered = self.can_write_result(data);
        if let Some(first) = control.first() {
            let at = Part::Field((*first).into());
            let text = "identity belongs into the headers and is refused in the body";
            faults.push(match recovered {
                true => refusal_fault(at, text, forbidden),
                false => {
                    let says = Some(KnownText::Log(forbidden));
                    Fault {
                        at,
                        stage: Stage::Ingress,
                        fate: CommandFate::Dropped,
                        text: text.into(),
                        says,
                    }
                }
            });
        }
        let mut refusals = payload_faults(data, self.world.service, &control);
        refusals.extend(self.call_id(recovered));
        if !recovered {
            for fault in &mut refusals {
                fault.fate = CommandFate::Redelivered;
                fault.says = None;
                fault.text.push_str(
                    "; no failed result can be written, as neither the headers nor a call's card name the call and the turn",
                );
            }
        }
        faults.extend(refusals);
    }

    fn header_value(&self, name: &str) -> Option<&str> {
        headers::find_value(&self.command.headers, name)
    }

    /// The headers that make a service drop the message without a word, in its order.
    fn header_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut dropped = |name: &'static str, text: String, log: &str| {
            let says = Some(KnownText::Log(log.into()));
            faults.push(Fault {
                at: Part::Header(name),
                stage: Stage::Ingress,
                fate: CommandFate::Dropped,
                text,
                says,
            });
        };
        if let Some(Err(fault)) = self.header_value(headers::TRACE).map(Traceparent::parse) {
            let text = "it is no 00-{32 hexadecimal digits, not all zero}-{16}-{2}".into();
            dropped(headers::TRACE, text, fault.message());
        }
        let not_whole = |given: &str| format!("{given:?} is no whole number from 0 on");
        match headers::raw_value(&self.command.headers, headers::DEPTH) {
            Some("") => {
                dropped(
                    headers::DEPTH,
                    "it is empty: omit it, or send a number".into(),
                    "missing CG-Recursion-Depth header",
                );
            }
            Some(given) if headers::parse_whole_number(given).is_none() => {
                dropped(headers::DEPTH, not_whole(given), "invalid CG-Recursion-Depth header");
            }
            _ => {}
        }
        if let Some(subject) = self.subject {
            for (name, own, log) in [
                (headers::PROJECT, &subject.project_id, "CG-Project-Id mismatch"),
                (headers::CHANNEL, &subject.channel_id, "CG-Channel-Id mismatch"),
            ] {
                if let Some(given) =
                    headers::raw_value(&self.command.headers, name).filter(|given| given != own)
                {
                    dropped(name, format!("it says {given:?}, and the subject says {own:?}"), log);
                }
            }
        }
        if self.header_value(headers::AGENT).is_none() {
            dropped(
                headers::AGENT,
                headers::missing_reason(&self.command.headers, headers::AGENT),
                "missing required CG-Agent-Id",
            );
        }
        if let Some(given) = self
            .header_value(headers::EPOCH)
            .filter(|given| headers::parse_whole_number(given).is_none())
        {
            let log = if python::parse_int(given).is_ok() {
                "CGContext: turn_epoch cannot be negative"
            } else {
                "invalid CG-Turn-Epoch"
            };
            dropped(headers::EPOCH, not_whole(given), log);
        }
        faults
    }

    /// Whether a failed result can be written for what is refused: the call and the turn are named
    /// by the headers, or by the call's card.
    fn can_write_result(&self, data: &Map<String, Value>) -> bool {
        let (call, turn) = (
            self.header_value(headers::CALL).is_some(),
            self.header_value(headers::TURN).is_some(),
        );
        if call && turn {
            return true;
        }
        if data.get("tool_call_card_id").is_none_or(|id| id.is_null() || id.as_str() == Some("")) {
            return false;
        }
        match &self.world.card {
            Known::Unknown => true,
            Known::Absent => false,
            Known::Found(card) => {
                let labelled =
                    card.label("agent_turn_id").is_some_and(|turn| !python::strip(turn).is_empty());
                card.kind == card::CALL
                    && world::is_of(self.subject, card)
                    && (call || !card.tool_call_id.is_empty())
                    && (turn || labelled)
            }
        }
    }

    fn call_id(&self, recovered: bool) -> Option<Fault> {
        if self.header_value(headers::CALL).is_some() {
            return None;
        }
        let missing = headers::missing_reason(&self.command.headers, headers::CALL);
        let told = if recovered {
            "; the call's card names it, so that a failed result can be written"
        } else {
            ""
        };
        Some(refusal_fault(
            Part::Header(headers::CALL),
            format!("{missing}{told}"),
            "CGContext: missing required tool_call_id",
        ))
    }
}

fn redelivery_fault(at: Part, text: String) -> Fault {
    Fault { at, stage: Stage::Ingress, fate: CommandFate::Redelivered, text, says: None }
}

fn refusal_fault(at: Part, text: impl Into<String>, message: impl Into<String>) -> Fault {
    Fault::refusal(at, Stage::Ingress, text, "bad_request", message)
}

/// What is wrong with the members, in the service's order: kinds and names, then what is missing,
/// then the lifecycle.
fn payload_faults(data: &Map<String, Value>, service: ServiceKind, control: &[&str]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, value) in data.iter().filter(|(name, _)| !control.contains(&name.as_str())) {
        let text = if !KEYS.contains(&name.as_str()) {
            extra_message(name)
        } else if !(value.is_string() || value.is_null()) {
            "it must be text".into()
        } else {
            continue;
        };
        faults.push(refusal_fault(
            Part::Field(name.clone()),
            text,
            "missing required fields ['unknown']",
        ));
    }
    let text = |key: &str| {
        data.get(key).and_then(Value::as_str).filter(|text| !python::strip(text).is_empty())
    };
    // What is of another kind is reported already.
    let blank = |key: &&str| {
        text(key).is_none()
            && data.get(*key).is_none_or(|value| value.is_string() || value.is_null())
    };
    let missing: Vec<&str> = service.required_keys().iter().copied().filter(blank).collect();
    if let Some(first) = missing.first() {
        let list: Vec<String> = missing.iter().map(|key| format!("'{key}'")).collect();
        let message = format!("missing required fields [{}]", list.join(", "));
        faults.push(refusal_fault(
            Part::Field((*first).into()),
            format!("the body lacks {}", missing.join(", ")),
            message,
        ));
    }
    let known = |word: &&str| {
        AfterExecution::of_word(word).is_none() && service != ServiceKind::PointerOnly
    };
    if let Some(word) = text("after_execution").filter(known) {
        let told = format!("{word:?} is neither \"suspend\" nor \"terminate\"");
        let message = format!("invalid after_execution={}", python::repr(&word.into()));
        faults.push(refusal_fault(Part::Field("after_execution".into()), told, message));
    }
    faults
}

fn extra_message(name: &str) -> String {
    let only = "a body has tool_name, after_execution and tool_call_card_id, and nothing else";
    match name {
        "args" | "arguments" => {
            format!("arguments belong in the call's card, never in the body; {only}")
        }
        "context_box_id" | "dispatch_requested_at" => {
            format!("the protocol's document calls it optional, but it is refused; {only}")
        }
        _ => only.into(),
    }
}
