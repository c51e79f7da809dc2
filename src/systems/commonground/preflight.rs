//! A tool command against what its service will check, before it is sent: each fault with the exact place and what comes of it.

use serde_json::{Map, Value};

use super::{
    after::After,
    card::{self, Card},
    command::Command,
    fault::{Fate, Fault, Part, Said, Stage, Verdict},
    headers,
    known::Known,
    listening,
    report::{Barred, Request, Turn},
    subject::{self, Subject, VERSION},
    trace::Traceparent,
};

/// How much a service asks of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceKind {
    /// The pointer and the lifecycle, as word count does.
    #[default]
    Plain,
    /// All three keys, the card's type and its call id, as `openapi_service` does.
    Strict,
    /// The pointer alone, as `emit_marker` and `context_merge` do.
    PointerOnly,
}

impl ServiceKind {
    /// The kind of the service behind a target: upstream's own by name, others as most are.
    #[must_use]
    pub fn behind(target: &str) -> Self {
        match target {
            "jina" | "openapi" => Self::Strict,
            "emit_marker" | "context_merge" => Self::PointerOnly,
            _ => Self::Plain,
        }
    }

    /// The keys that must be there, in the order in which they are missed.
    fn required(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["tool_call_card_id", "after_execution"],
            Self::Strict => &["tool_call_card_id", "tool_name", "after_execution"],
            Self::PointerOnly => &["tool_call_card_id"],
        }
    }
}

/// What is known about the world that a command is sent into.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub service: ServiceKind,
    /// The card that the body points to, as seen from the project.
    pub card: Known<Card>,
    pub turn: Known<Turn>,
    pub request: Known<Request>,
    /// What the roster says the agent runs on.
    pub worker_target: Known<String>,
    /// The id of a result card of this call that is already there.
    pub result: Known<String>,
    /// The tool's row, which only strict services read.
    pub registered: Known<()>,
    /// Name and filter of every consumer of the command stream.
    pub listeners: Known<Vec<(String, String)>>,
}

/// The keys that a body may have; there is no other.
const KEYS: [&str; 3] = ["tool_name", "after_execution", "tool_call_card_id"];

/// Identity that belongs into headers; in a body it is refused by name.
const CONTROL_FIELDS: [&str; 13] = [
    "agent_id",
    "agent_turn_id",
    "channel_id",
    "parent_agent_id",
    "parent_agent_turn_id",
    "parent_step_id",
    "project_id",
    "recursion_depth",
    "step_id",
    "tool_call_id",
    "trace_id",
    "traceparent",
    "turn_epoch",
];

/// The control fields that a body holds, in the order of the alphabet.
#[must_use]
pub fn control_fields(body: &Map<String, Value>) -> Vec<&'static str> {
    CONTROL_FIELDS.into_iter().filter(|name| body.contains_key(*name)).collect()
}

/// What the result card of a command will say of its turn; `None` where none is written. What is refused before the body is understood
/// leaves the turn waiting.
#[must_use]
pub fn written(command: &Command, verdict: &Verdict<'_>) -> Option<After> {
    let own = || After::of_word(serde_json::from_str::<Value>(&command.body).ok()?["after_execution"].as_str()?);
    match verdict.fate {
        Fate::Executed | Fate::Unreported => own().or(Some(After::Suspend)),
        Fate::RefusedWithResult if verdict.because.is_some_and(|fault| fault.stage == Stage::Ingress) => Some(After::Suspend),
        Fate::RefusedWithResult => own().or(Some(After::Suspend)),
        Fate::Dropped | Fate::Redelivered | Fate::Stalled | Fate::Unheard => None,
    }
}

/// Everything that is wrong with a command, in the order in which it is met.
#[must_use]
pub fn preflight(command: &Command, world: &World) -> Vec<Fault> {
    let mut faults = Vec::new();
    let subject = Subject::parse(&command.subject);
    delivery(command, subject.as_ref(), world, &mut faults);
    let body: Option<Map<String, Value>> = serde_json::from_str(&command.body).ok();
    match &body {
        None => faults.push(not_an_object(&command.body)),
        Some(body) => {
            identity(command, subject.as_ref(), &mut faults);
            call_id(command, world, &mut faults);
            payload(body, world.service, &mut faults);
        }
    }
    claim(command, world, &mut faults);
    call_card(command, body.as_ref(), world, &mut faults);
    report(command, world, &mut faults);
    faults
}

fn delivery(command: &Command, subject: Option<&Subject>, world: &World, faults: &mut Vec<Fault>) {
    let mut unheard = |at, text: String| faults.push(Fault { at, stage: Stage::Delivery, fate: Fate::Unheard, text, says: None });
    let Some(subject) = subject else {
        return unheard(
            Part::Subject,
            "a subject has at least eight tokens and begins with cg; with fewer it is in no stream, and publishing ends in a time-out \
             that is no fault of the server"
                .into(),
        );
    };
    if subject.version != VERSION {
        unheard(Part::Subject, format!("its version is {:?}, and services listen for {VERSION}", subject.version));
    }
    if !subject.is_tool_command() {
        unheard(Part::Subject, "a tool command is sent to cg.v1r4.PROJECT.CHANNEL.cmd.tool.TARGET.SUFFIX".into());
    } else if subject.suffix.contains('.') {
        let text = format!("its suffix {:?} has two tokens, and services listen for one", subject.suffix);
        unheard(Part::Subject, text);
    }
    for (name, token) in [("project", &subject.project_id), ("channel", &subject.channel_id), ("target", &subject.target)] {
        if let Some(fault) = subject::id_fault(token) {
            unheard(Part::Subject, format!("the {name} {token:?} {fault}"));
        }
    }
    let Known::Found(listeners) = &world.listeners else { return };
    let who = listening::services(listeners, &command.subject);
    if let Some(text) = listening::oddity(&who, &command.subject) {
        let fate = if who.is_empty() { Fate::Unheard } else { Fate::Executed };
        faults.push(Fault { at: Part::Listeners, stage: Stage::Delivery, fate, text, says: None });
    }
}

fn not_an_object(body: &str) -> Fault {
    let text = match serde_json::from_str::<Value>(body) {
        Ok(_) => "the body is JSON, but no object".into(),
        Err(cause) => format!("the body is not JSON: {cause}"),
    };
    Fault { at: Part::Body, stage: Stage::Ingress, fate: Fate::Redelivered, text, says: None }
}

fn dropped(name: &'static str, text: String, log: &'static str) -> Fault {
    Fault { at: Part::Header(name), stage: Stage::Ingress, fate: Fate::Dropped, text, says: Some(Said::Log(log)) }
}

/// The headers that make a service drop the message without a word.
fn identity(command: &Command, subject: Option<&Subject>, faults: &mut Vec<Fault>) {
    let value = |name| headers::value(&command.headers, name);
    if value(headers::AGENT).is_none() {
        faults.push(dropped(headers::AGENT, absent(command, headers::AGENT), "missing required CG-Agent-Id"));
    }
    if let Some(subject) = subject {
        for (name, own, log) in [
            (headers::PROJECT, &subject.project_id, "CG-Project-Id mismatch"),
            (headers::CHANNEL, &subject.channel_id, "CG-Channel-Id mismatch"),
        ] {
            if let Some(given) = value(name).filter(|given| given != own) {
                faults.push(dropped(name, format!("it says {given:?}, and the subject says {own:?}"), log));
            }
        }
    }
    for (name, log) in [(headers::EPOCH, "invalid CG-Turn-Epoch"), (headers::DEPTH, "invalid CG-Recursion-Depth header")] {
        if let Err(given) = headers::number(&command.headers, name) {
            faults.push(dropped(name, format!("{given:?} is no whole number from 0 on"), log));
        }
    }
    if let Some(Err(fault)) = value(headers::TRACE).map(Traceparent::parse) {
        let text = "it is no 00-{32 hexadecimal digits, not all zero}-{16}-{2}".into();
        faults.push(dropped(headers::TRACE, text, fault.words()));
    }
}

fn absent(command: &Command, name: &str) -> String {
    match headers::misspelt(&command.headers, name) {
        Some(other) => format!("it stands there as {other}, and names are case-sensitive: it counts as absent"),
        None => "it is missing".into(),
    }
}

fn call_id(command: &Command, world: &World, faults: &mut Vec<Fault>) {
    if headers::value(&command.headers, headers::CALL).is_some() {
        return;
    }
    let at = Part::Header(headers::CALL);
    let missing = absent(command, headers::CALL);
    let recovered = world.card.as_ref().found().is_some_and(|card| !card.tool_call_id.is_empty());
    faults.push(if recovered || matches!(world.card, Known::Unknown) {
        let message = "CGContext: missing required tool_call_id".into();
        let says = Some(Said::Result { code: "bad_request", message });
        let text = format!("{missing}; the call's card names it, so that a failed result can be written");
        Fault { at, stage: Stage::Ingress, fate: Fate::RefusedWithResult, text, says }
    } else {
        let text = format!("{missing}, and no card gives it");
        Fault { at, stage: Stage::Ingress, fate: Fate::Redelivered, text, says: None }
    });
}

fn refused(at: Part, stage: Stage, text: impl Into<String>, code: &'static str, message: impl Into<String>) -> Fault {
    let says = Some(Said::Result { code, message: message.into() });
    Fault { at, stage, fate: Fate::RefusedWithResult, text: text.into(), says }
}

fn payload(body: &Map<String, Value>, service: ServiceKind, faults: &mut Vec<Fault>) {
    let control = control_fields(body);
    if let Some(first) = control.first() {
        let message = format!("cmd ingress: payload contains forbidden control fields: {}", control.join(", "));
        let text = "identity belongs into the headers and is refused in the body";
        faults.push(refused(Part::Field((*first).into()), Stage::Ingress, text, "bad_request", message));
    }
    let missing: Vec<&str> = service.required().iter().copied().filter(|key| !body.contains_key(*key)).collect();
    if let Some(first) = missing.first() {
        let list: Vec<String> = missing.iter().map(|key| format!("'{key}'")).collect();
        let message = format!("missing required fields [{}]", list.join(", "));
        let text = format!("the body lacks {}", missing.join(", "));
        faults.push(refused(Part::Field((*first).into()), Stage::Ingress, text, "bad_request", message));
    }
    let unknown = || "missing required fields ['unknown']";
    for (name, value) in body.iter().filter(|(name, _)| !control.contains(&name.as_str())) {
        let text = if !KEYS.contains(&name.as_str()) {
            extra(name)
        } else if !value.is_string() {
            "it must be text".into()
        } else {
            continue;
        };
        faults.push(refused(Part::Field(name.clone()), Stage::Ingress, text, "bad_request", unknown()));
    }
    if let Some(word) = body.get("after_execution").and_then(Value::as_str).filter(|word| After::of_word(word).is_none()) {
        let text = format!("{word:?} is neither \"suspend\" nor \"terminate\"");
        let message = format!("invalid after_execution='{word}'");
        faults.push(refused(Part::Field("after_execution".into()), Stage::Ingress, text, "invalid_after_execution", message));
    }
}

fn extra(name: &str) -> String {
    let only = "a body has tool_name, after_execution and tool_call_card_id, and nothing else";
    match name {
        "args" | "arguments" => format!("arguments stand in the call's card, never in the body; {only}"),
        "context_box_id" | "dispatch_requested_at" => {
            format!("the protocol's document calls it optional, but it is refused; {only}")
        }
        _ => only.into(),
    }
}

fn claim(command: &Command, world: &World, faults: &mut Vec<Fault>) {
    let mut stalled = |at, text: String| faults.push(Fault { at, stage: Stage::Claim, fate: Fate::Stalled, text, says: None });
    if headers::value(&command.headers, headers::TURN).is_none() {
        let text = format!("{}; the mark of the call stays \"running\"", absent(command, headers::TURN));
        stalled(Part::Header(headers::TURN), text);
    }
    if let Known::Found(card) = &world.result {
        stalled(
            Part::Result,
            format!("the call has its result already (card {card}), and there can be one only: take a new call id"),
        );
    }
}

fn call_card(command: &Command, body: Option<&Map<String, Value>>, world: &World, faults: &mut Vec<Fault>) {
    let pointer = body.and_then(|body| body.get("tool_call_card_id")).and_then(Value::as_str).unwrap_or_default();
    let card = match &world.card {
        Known::Unknown => return,
        Known::Absent => {
            let message = format!("tool_call_card_id not found: {pointer}");
            let text = format!("the project has no card {pointer:?}");
            return faults.push(refused(Part::Card(""), Stage::Card, text, "not_found", message));
        }
        Known::Found(card) => card,
    };
    let strict = world.service == ServiceKind::Strict;
    let lenient = |at, text: String| Fault { at, stage: Stage::Card, fate: Fate::Executed, text, says: None };
    if card.kind != card::CALL {
        let text = format!("it is a {:?}, not a {:?}", card.kind, card::CALL);
        let message = format!("tool_call_card_id type mismatch: expected '{}', got '{}'", card::CALL, card.kind);
        let at = Part::Card("type");
        faults.push(if strict { refused(at, Stage::Card, text, "bad_request", message) } else { lenient(at, minded(&text)) });
    }
    if !card.holds_call() {
        let message = "tool.call content must be ToolCallContent";
        faults.push(refused(Part::Card("content"), Stage::Card, "its content is no call", "bad_request", message));
    }
    let call = headers::value(&command.headers, headers::CALL);
    if let Some(call) = call.filter(|call| *call != card.tool_call_id) {
        let text = format!("it is of call {:?}, and the command is of {call:?}", card.tool_call_id);
        let message = "tool_call_id mismatch between payload and tool.call card";
        let at = Part::Card("tool_call_id");
        faults.push(if strict { refused(at, Stage::Card, text, "bad_request", message) } else { lenient(at, minded(&text)) });
    }
    let tool = body.and_then(|body| body.get("tool_name")).and_then(Value::as_str).unwrap_or_default();
    if strict && world.registered.is_absent() {
        let text = format!("the project has no tool {tool:?}, and this service reads its row");
        faults.push(refused(Part::Tool, Stage::Card, text, "not_found", format!("Tool '{tool}' not found in DB")));
    }
}

fn minded(text: &str) -> String {
    format!("{text}; this service does not mind, a strict one refuses")
}

fn report(command: &Command, world: &World, faults: &mut Vec<Fault>) {
    let mut silent = |at, text: String, says| {
        faults.push(Fault { at, stage: Stage::Report, fate: Fate::Unreported, text, says: Some(says) });
    };
    let refusal = |barred: Barred| Said::Report { code: barred.code(), result: None };
    if world.worker_target.is_absent() {
        let agent = headers::value(&command.headers, headers::AGENT).unwrap_or_default();
        let says = Said::Report { code: "protocol_violation", result: Some(("bad_request", "missing worker_target for agent")) };
        silent(Part::Roster, format!("the project has no agent {agent:?}, so nobody can be told"), says);
    }
    let epoch = headers::number(&command.headers, headers::EPOCH).ok().flatten().unwrap_or_default();
    match &world.turn {
        Known::Unknown => {}
        Known::Absent => silent(Part::Turn, Barred::Turn.words(), refusal(Barred::Turn)),
        Known::Found(turn) if epoch != 0 && epoch != turn.epoch => {
            let barred = Barred::Epoch { command: epoch, turn: turn.epoch };
            silent(Part::Header(headers::EPOCH), barred.words(), refusal(barred));
        }
        Known::Found(_) => {}
    }
    let depth = headers::number(&command.headers, headers::DEPTH).ok().flatten().unwrap_or_default();
    let (depth, known) = match &world.request {
        Known::Found(request) => (request.depth, true),
        Known::Unknown | Known::Absent => (depth, false),
    };
    if depth >= headers::DEPTH_LIMIT {
        let whose = if known { "the stored request's depth, which wins over the header's, " } else { "it " };
        let text = format!("{whose}is {depth}, and {} is the limit", headers::DEPTH_LIMIT);
        silent(Part::Header(headers::DEPTH), text, refusal(Barred::Depth(depth)));
    }
    if world.request.is_absent() && !world.turn.is_absent() {
        silent(Part::Turn, Barred::Request.words(), refusal(Barred::Request));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::commonground::{
        command::{self, Ids, Pointed},
        fault::verdict,
    };

    fn command() -> Command {
        let mut number = 0;
        let ids = Ids::fresh(&mut || {
            number += 1;
            number
        });
        let body = Pointed { tool: "lamp", after_execution: "suspend", call_card: &ids.call_card };
        command::tool("cg.v1r4.demo.public.cmd.tool.lamp.switch", &ids.context("demo", "public", "ui"), &ids.trace, &body)
    }

    fn listeners(filters: &[&str]) -> World {
        let rows = filters.iter().enumerate().map(|(row, filter)| (format!("c{row}"), (*filter).to_owned()));
        World { listeners: Known::Found(rows.collect()), ..World::default() }
    }

    #[test]
    fn our_own_commands_have_no_fault() {
        assert_eq!(preflight(&command(), &World::default()), []);
    }

    #[test]
    fn who_listens_is_told_by_the_filters() {
        let one = listeners(&["cg.v1r4.*.*.cmd.tool.lamp.*", "cg.v1r4.*.*.cmd.*.*.>", "cg.v1r4.*.*.cmd.tool.door.*"]);
        assert_eq!(preflight(&command(), &one), [], "readers of everything are no service");
        let none = preflight(&command(), &listeners(&["cg.v1r4.*.*.cmd.tool.door.*"]));
        assert_eq!((none[0].at.clone(), verdict(&none).fate), (Part::Listeners, Fate::Unheard));
        let two = preflight(&command(), &listeners(&["cg.v1r4.*.*.cmd.tool.lamp.*", "cg.v1r4.demo.*.cmd.tool.lamp.*"]));
        assert!(two[0].text.contains("c0, c1") && verdict(&two).fate == Fate::Executed, "{two:?}");
    }

    #[test]
    fn subjects_that_no_service_hears_are_seen() {
        for (subject, about) in [
            ("cg.v1r4.demo.public.cmd.tool.lamp", "eight tokens"),
            ("cg.v3r1.demo.public.cmd.tool.lamp.switch", "version"),
            ("cg.v1r4.demo.public.cmd.tool.lamp.switch.now", "two tokens"),
            ("cg.v1r4.{project_id}.public.cmd.tool.lamp.switch", "project"),
            ("cg.v1r4.demo.public.cmd.sys.ui.action", "a tool command"),
        ] {
            let faults = preflight(&Command { subject: subject.into(), ..command() }, &World::default());
            assert!(faults.iter().any(|fault| fault.text.contains(about)), "{subject}: {faults:?}");
        }
    }

    #[test]
    fn a_result_that_is_there_blocks_the_service() {
        let world = World { result: Known::Found("r".into()), ..World::default() };
        let faults = preflight(&command(), &world);
        let verdict = verdict(&faults);
        assert_eq!((verdict.fate, verdict.marker), (Fate::Stalled, Some("running")));
        assert_eq!(verdict.because.map(|fault| fault.at.to_string()).as_deref(), Some("result card"));
    }

    #[test]
    fn a_refusal_that_cannot_be_reported_is_not_heard_either() {
        let world = World { turn: Known::Absent, ..World::default() };
        let faults = preflight(&Command { body: "{}".into(), ..command() }, &world);
        assert_eq!(verdict(&faults).fate, Fate::Unreported);
    }

    #[test]
    fn control_fields_are_named_in_the_order_of_the_alphabet() {
        let mut body: Value = serde_json::from_str(&command().body).unwrap();
        body["turn_epoch"] = json!(1);
        body["agent_id"] = json!("x");
        let faults = preflight(&Command { body: body.to_string(), ..command() }, &World::default());
        let message = "cmd ingress: payload contains forbidden control fields: agent_id, turn_epoch".into();
        assert_eq!(faults[0].says, Some(Said::Result { code: "bad_request", message }));
    }
}
