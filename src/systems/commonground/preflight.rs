//! A tool command against what its service will check, before it is sent: each fault with the exact
//! place and what comes of it.

pub mod body;
mod ingress;
mod world;

use body::Body;
pub(crate) use body::control_fields;
use ingress::IncomingCommand;
pub use world::{CommandWorld, ServiceKind};

use serde_json::{Map, Value};

use super::{
    after::{AfterExecution, AfterSource as Lifecycles},
    card::{self, Card},
    command::Command,
    fault::{CommandFate, Fault, KnownText, Part, Stage, Verdict},
    headers, keys,
    known::Known,
    listening,
    report::ReportRefusal,
    result::{self, BuiltResult},
    subject::{self, Subject, VERSION},
};
use crate::syntax::python::text as python;

/// What a command's body says of its turn, as text.
fn lifecycle(command: &Command) -> Option<String> {
    let body = Body::parse(&command.body);
    let said = body.data()?.get(keys::AFTER_EXECUTION).filter(|said| !said.is_null())?;
    Some(python::str(said)).filter(|said| !said.is_empty())
}

/// What the result card of a command will say of its turn; `None` where none is written.
#[must_use]
pub fn stored_after(command: &Command, verdict: &Verdict<'_>) -> Option<AfterExecution> {
    match verdict.fate {
        CommandFate::Executed | CommandFate::Unreported | CommandFate::RefusedWithResult => Some(
            lifecycle(command)
                .and_then(|said| AfterExecution::of_word(python::strip(&said)))
                .unwrap_or(AfterExecution::Suspend),
        ),
        CommandFate::Dropped
        | CommandFate::Redelivered
        | CommandFate::Stalled
        | CommandFate::Unheard => None,
    }
}

/// The failed result that a service writes in the place of the tool's; `None` where it writes none
/// of its own.
#[must_use]
pub fn refusal_result(command: &Command, verdict: &Verdict<'_>) -> Option<BuiltResult> {
    let fault = verdict.refused?;
    let Some(KnownText::Result { code, message }) = &fault.says else { return None };
    let said = lifecycle(command);
    if fault.stage == Stage::Ingress {
        // The builder is given what the body says, and an unknown word there replaces the error.
        let explicit = said.unwrap_or_else(|| AfterExecution::Suspend.as_str().into());
        return Some(result::refused_result(
            code,
            message,
            Some(&explicit.into()),
            Lifecycles::default(),
        ));
    }
    Some(result::failed_result(code, message, stored_after(command, verdict)))
}

/// Everything that is wrong with a command, in the order in which it is met.
#[must_use]
pub fn preflight_command(command: &Command, world: &CommandWorld) -> Vec<Fault> {
    let mut faults = Vec::new();
    let subject = Subject::parse(&command.subject);
    check_delivery(command, subject.as_ref(), world, &mut faults);
    let body = Body::parse(&command.body);
    IncomingCommand { command, subject: subject.as_ref(), world }
        .collect_faults(&body, &mut faults);
    check_claim(command, world, &mut faults);
    call_card(command, subject.as_ref(), body.data(), world, &mut faults);
    check_report(command, world, &mut faults);
    faults
}

fn check_delivery(
    command: &Command,
    subject: Option<&Subject>,
    world: &CommandWorld,
    faults: &mut Vec<Fault>,
) {
    let mut unheard = |at, text: String| {
        faults.push(Fault {
            at,
            stage: Stage::Delivery,
            fate: CommandFate::Unheard,
            text,
            says: None,
        });
    };
    let Some(subject) = subject else {
        return unheard(
            Part::Subject,
            "a subject starts with cg and has at least eight tokens; with fewer it is in no \
            stream, and publishing times out"
                .into(),
        );
    };
    if subject.version != VERSION {
        unheard(
            Part::Subject,
            format!("its version is {:?}, and services listen for {VERSION}", subject.version),
        );
    }
    if !subject.is_tool_command() {
        unheard(
            Part::Subject,
            "a tool command is sent to cg.v1r4.PROJECT.CHANNEL.cmd.tool.TARGET.SUFFIX".into(),
        );
    } else if subject.suffix.contains('.') {
        let text =
            format!("its suffix {:?} has two tokens, and services listen for one", subject.suffix);
        unheard(Part::Subject, text);
    }
    for (name, token) in [
        ("project", &subject.project_id),
        ("channel", &subject.channel_id),
        ("target", &subject.target),
    ] {
        if let Some(fault) = subject::id_fault(token) {
            unheard(Part::Subject, format!("the {name} {token:?} {fault}"));
        }
    }
    let Known::Found(listeners) = &world.listeners else { return };
    let who = listening::services(listeners, &command.subject);
    if let Some(text) = listening::oddity(&who, &command.subject) {
        let fate = if who.is_empty() { CommandFate::Unheard } else { CommandFate::Executed };
        faults.push(Fault { at: Part::Listeners, stage: Stage::Delivery, fate, text, says: None });
    }
}

fn check_claim(command: &Command, world: &CommandWorld, faults: &mut Vec<Fault>) {
    let mut stalled = |at, text: String| {
        faults.push(Fault {
            at,
            stage: Stage::Claim,
            fate: CommandFate::Stalled,
            text,
            says: None,
        });
    };
    if headers::find_value(&command.headers, headers::TURN).is_none() {
        let text = format!(
            "{}; the mark of the call stays \"running\"",
            headers::missing_reason(&command.headers, headers::TURN)
        );
        stalled(Part::Header(headers::TURN), text);
    }
    if let Known::Found(card) = &world.result {
        stalled(
            Part::Result,
            format!(
                "the call has its result already (card {card}), and there can be one only: take a new call id"
            ),
        );
    }
}

fn call_card(
    command: &Command,
    subject: Option<&Subject>,
    body: Option<&Map<String, Value>>,
    world: &CommandWorld,
    faults: &mut Vec<Fault>,
) {
    let text =
        |key: &str| body.and_then(|body| body.get(key)).and_then(Value::as_str).unwrap_or_default();
    let strict = world.service == ServiceKind::Strict;
    let found = |card: &&Card| world::is_of(subject, card);
    let mut put = |at, text: String, code, message: String| {
        faults.push(refusal_fault(at, text, code, message));
    };
    match &world.card {
        Known::Unknown => {}
        Known::Found(card) if found(&card) => of_card(command, card, strict, faults),
        Known::Absent | Known::Found(_) => {
            let pointer = text("tool_call_card_id");
            let message = format!("tool_call_card_id not found: {pointer}");
            put(
                Part::Card(""),
                format!("the project has no card {pointer:?}"),
                "not_found",
                message,
            );
        }
    }
    if world.worker_target.is_absent() {
        let agent = headers::find_value(&command.headers, headers::AGENT).unwrap_or_default();
        let text =
            format!("the project has no agent {agent:?}, so that no worker can receive a result");
        faults.push(refusal_fault(
            Part::Roster,
            text,
            "bad_request",
            "missing worker_target for agent".into(),
        ));
    }
    if strict && world.registered.is_absent() {
        let tool = text("tool_name");
        let told = format!("the project has no tool {tool:?}, and this service reads its row");
        faults.push(refusal_fault(
            Part::Tool,
            told,
            "not_found",
            format!("Tool '{tool}' not found in DB"),
        ));
    }
}

fn refusal_fault(at: Part, text: String, code: &'static str, message: String) -> Fault {
    Fault::refusal(at, Stage::Card, text, code, message)
}

fn of_card(command: &Command, card: &Card, strict: bool, faults: &mut Vec<Fault>) {
    let lenient = |at, text: String| Fault {
        at,
        stage: Stage::Card,
        fate: CommandFate::Executed,
        text: strictness_note(&text),
        says: None,
    };
    let mut put = |at, text: String, message: String| {
        faults.push(if strict {
            refusal_fault(at, text, "bad_request", message)
        } else {
            lenient(at, text)
        });
    };
    if card.kind != card::CALL {
        let got = python::repr(&card.kind.as_str().into());
        let message =
            format!("tool_call_card_id type mismatch: expected '{}', got {got}", card::CALL);
        put(
            Part::Card("type"),
            format!("it is a {:?}, not a {:?}", card.kind, card::CALL),
            message,
        );
    }
    let call = headers::find_value(&command.headers, headers::CALL);
    if let Some(call) = call.filter(|call| ![*call, ""].contains(&card.tool_call_id.as_str())) {
        let text = format!("it is of call {:?}, and the command is of {call:?}", card.tool_call_id);
        put(
            Part::Card("tool_call_id"),
            text,
            "tool_call_id mismatch between payload and tool.call card".into(),
        );
    }
    if !card.holds_call() {
        let message = "tool.call content must be ToolCallContent".into();
        faults.push(refusal_fault(
            Part::Card("content"),
            "its content is no call".into(),
            "bad_request",
            message,
        ));
    }
}

fn strictness_note(text: &str) -> String {
    format!("{text}; this service does not mind, a strict one refuses")
}

fn check_report(command: &Command, world: &CommandWorld, faults: &mut Vec<Fault>) {
    let mut silent = |at, text: String, code| {
        faults.push(Fault {
            at,
            stage: Stage::Report,
            fate: CommandFate::Unreported,
            text,
            says: Some(KnownText::Report(code)),
        });
    };
    let mut bar = |at, barred: ReportRefusal| silent(at, barred.message(), barred.code());
    let epoch =
        headers::parse_number(&command.headers, headers::EPOCH).ok().flatten().unwrap_or_default();
    match &world.turn {
        Known::Absent => bar(Part::Turn, ReportRefusal::Turn),
        Known::Found(turn) if epoch != 0 && epoch != turn.epoch => {
            bar(
                Part::Header(headers::EPOCH),
                ReportRefusal::Epoch { command: epoch, turn: turn.epoch },
            );
        }
        Known::Found(_) | Known::Unknown => {}
    }
    let of_header =
        headers::parse_number(&command.headers, headers::DEPTH).ok().flatten().unwrap_or_default();
    let (depth, whose) = match &world.request {
        Known::Found(request) => {
            (request.depth, "the stored request's depth, which wins over the header's, ")
        }
        Known::Unknown => (of_header, "it "),
        Known::Absent => (0, ""),
    };
    if world.request.is_absent() && !world.turn.is_absent() {
        bar(Part::Turn, ReportRefusal::Request);
    }
    if depth >= headers::DEPTH_LIMIT {
        let text = format!("{whose}is {depth}, and {} is the limit", headers::DEPTH_LIMIT);
        silent(Part::Header(headers::DEPTH), text, ReportRefusal::Depth(depth).code());
    }
    if i64::try_from(epoch).is_err() {
        let fault = Fault {
            at: Part::Header(headers::EPOCH),
            stage: Stage::Report,
            fate: CommandFate::Unreported,
            text: "it is larger than the database can look up".into(),
            says: Some(KnownText::Report("internal_error")),
        };
        // The look-up itself fails, before anything is compared.
        let first =
            faults.iter().position(|fault| fault.stage == Stage::Report).unwrap_or(faults.len());
        faults.insert(first, fault);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::commonground::{
        command::{self, CommandBody, Ids},
        fault::verdict,
    };

    fn command() -> Command {
        let mut number = 0;
        let ids = Ids::generate(&mut || {
            number += 1;
            number
        });
        let body =
            CommandBody { tool: "lamp", after_execution: "suspend", call_card: &ids.call_card };
        command::tool_command(
            "cg.v1r4.demo.public.cmd.tool.lamp.switch",
            &ids.first_context("demo", "public", "ui"),
            &ids.trace,
            &body,
        )
    }

    fn listeners(filters: &[&str]) -> CommandWorld {
        let rows = filters
            .iter()
            .enumerate()
            .map(|(row, filter)| (format!("c{row}"), (*filter).to_owned()));
        CommandWorld { listeners: Known::Found(rows.collect()), ..CommandWorld::default() }
    }

    #[test]
    fn our_own_commands_have_no_fault() {
        assert_eq!(preflight_command(&command(), &CommandWorld::default()), []);
    }

    #[test]
    fn who_listens_is_told_by_the_filters() {
        let one = listeners(&[
            "cg.v1r4.*.*.cmd.tool.lamp.*",
            "cg.v1r4.*.*.cmd.*.*.>",
            "cg.v1r4.*.*.cmd.tool.door.*",
        ]);
        assert_eq!(preflight_command(&command(), &one), [], "readers of everything are no service");
        let none = preflight_command(&command(), &listeners(&["cg.v1r4.*.*.cmd.tool.door.*"]));
        assert_eq!(
            (none[0].at.clone(), verdict(&none).fate),
            (Part::Listeners, CommandFate::Unheard)
        );
        let two = preflight_command(
            &command(),
            &listeners(&["cg.v1r4.*.*.cmd.tool.lamp.*", "cg.v1r4.demo.*.cmd.tool.lamp.*"]),
        );
        assert!(
            two[0].text.contains("c0, c1") && verdict(&two).fate == CommandFate::Executed,
            "{two:?}"
        );
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
            let faults = preflight_command(
                &Command { subject: subject.into(), ..command() },
                &CommandWorld::default(),
            );
            assert!(faults.iter().any(|fault| fault.text.contains(about)), "{subject}: {faults:?}");
        }
    }

    #[test]
    fn a_result_that_is_there_blocks_the_service() {
        let world = CommandWorld { result: Known::Found("r".into()), ..CommandWorld::default() };
        let faults = preflight_command(&command(), &world);
        let verdict = verdict(&faults);
        assert_eq!((verdict.fate, verdict.marker), (CommandFate::Stalled, Some("running")));
        assert_eq!(
            verdict.because.map(|fault| fault.at.to_string()).as_deref(),
            Some("result card")
        );
    }

    #[test]
    fn a_refusal_that_cannot_be_reported_is_not_heard_either() {
        let world = CommandWorld { turn: Known::Absent, ..CommandWorld::default() };
        let faults = preflight_command(&Command { body: "{}".into(), ..command() }, &world);
        assert_eq!(verdict(&faults).fate, CommandFate::Unreported);
    }

    #[test]
    fn control_fields_are_named_in_the_order_of_the_alphabet() {
        let mut body: Value = serde_json::from_str(&command().body).unwrap();
        body["turn_epoch"] = json!(1);
        body["agent_id"] = json!("x");
        body["channel"] = json!("");
        let faults = preflight_command(
            &Command { body: body.to_string(), ..command() },
            &CommandWorld::default(),
        );
        let message =
            "cmd ingress: payload contains forbidden control fields: agent_id, channel, turn_epoch"
                .into();
        assert_eq!(faults[0].says, Some(KnownText::Result { code: "bad_request", message }));
    }

    /// Fate, deliveries, and what the result's error, the report's refusal or the log says.
    fn fate(command: &Command, world: &CommandWorld) -> String {
        let faults = preflight_command(command, world);
        let verdict = verdict(&faults);
        let error = refusal_result(command, &verdict).and_then(|built| built.error);
        let error = error.map(|error| {
            format!(" {}: {}", error["code"].as_str().unwrap(), error["message"].as_str().unwrap())
        });
        let said = match verdict.because.and_then(|fault| fault.says.as_ref()) {
            Some(KnownText::Log(text)) => format!(" log {text}"),
            Some(KnownText::Report(code)) => format!(" report {code}"),
            _ => String::new(),
        };
        format!("{}{}{said}", verdict.fate.as_str(), error.unwrap_or_default())
    }

    fn with_header(name: &str, value: Option<&str>) -> Command {
        let mut command = command();
        command.headers.retain(|(own, _)| own != name);
        command.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        command
    }

    fn with_body(body: &Value) -> Command {
        Command { body: body.to_string(), ..command() }
    }

    fn call_card(value: &Value) -> CommandWorld {
        let mut card = json!({"card_id": "c", "content": {"__type__": "ToolCallContent"}, "tenant_id": "demo"});
        card.as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
        let card = Known::looked_up(Card::from_value(&card));
        CommandWorld { service: ServiceKind::Strict, card, ..CommandWorld::default() }
    }

    #[test]
    fn odd_headers_are_dropped_with_the_logs_words() {
        for (name, value, expected) in [
            (headers::EPOCH, "-1", "dropped log CGContext: turn_epoch cannot be negative"),
            (headers::EPOCH, "1.0", "dropped log invalid CG-Turn-Epoch"),
            (headers::EPOCH, "0_1", "executed"),
            (headers::EPOCH, " +٣ ", "executed"),
            (headers::EPOCH, "", "executed"),
            (headers::EPOCH, "99999999999999999999999", "unreported report internal_error"),
            (headers::DEPTH, "", "dropped log missing CG-Recursion-Depth header"),
            (headers::DEPTH, "-1", "dropped log invalid CG-Recursion-Depth header"),
            (headers::DEPTH, "0_0", "executed"),
            (headers::PROJECT, " ", "dropped log CG-Project-Id mismatch"),
            (headers::CHANNEL, "", "dropped log CG-Channel-Id mismatch"),
            (headers::AGENT, " ", "dropped log missing required CG-Agent-Id"),
            (headers::TRACE, "", "executed"),
        ] {
            assert_eq!(
                fate(&with_header(name, Some(value)), &CommandWorld::default()),
                expected,
                "{name} {value:?}"
            );
        }
        let mut twice = with_header(headers::TRACE, Some("zz"));
        twice.body = json!({"agent_id": 1}).to_string();
        let forbidden = "cmd ingress: payload contains forbidden control fields: agent_id";
        assert_eq!(fate(&twice, &CommandWorld::default()), format!("dropped log {forbidden}"));
    }

    #[test]
    fn odd_bodies_are_refused_with_the_services_words() {
        let unknown = "refused_with_result bad_request: missing required fields ['unknown']";
        let lacks = |keys: &str| {
            format!("refused_with_result bad_request: missing required fields [{keys}]")
        };
        for (body, expected) in [
            (json!(null), lacks("'tool_call_card_id', 'after_execution'")),
            (
                json!({"tool_call_card_id": " ", "after_execution": "suspend"}),
                lacks("'tool_call_card_id'"),
            ),
            (
                json!({"tool_call_card_id": "c", "after_execution": "suspend", "tool_name": ""}),
                "executed".into(),
            ),
            (
                json!({"tool_call_card_id": "c", "after_execution": "suspend", "tool_name": null}),
                "executed".into(),
            ),
            (json!({"tool_call_card_id": 5, "after_execution": "suspend"}), unknown.into()),
            (
                json!({"tool_call_card_id": "c", "after_execution": " suspend "}),
                "refused_with_result bad_request: invalid after_execution=' suspend '".into(),
            ),
            (
                json!({"after_execution": "later"}),
                "refused_with_result invalid_after_execution: invalid after_execution='later'"
                    .into(),
            ),
            (
                json!({"tool_call_card_id": "c", "after_execution": 5}),
                "refused_with_result invalid_after_execution: invalid after_execution='5'".into(),
            ),
            (json!([1]), "redelivered".into()),
            (
                json!([["tool_call_card_id", "c"], ["after_execution", "suspend"]]),
                "executed".into(),
            ),
        ] {
            assert_eq!(fate(&with_body(&body), &CommandWorld::default()), expected, "{body}");
        }
        let ends = with_body(&json!({"after_execution": " terminate"}));
        let faults = preflight_command(&ends, &CommandWorld::default());
        assert_eq!(
            refusal_result(&ends, &verdict(&faults)).map(|built| built.after.after),
            Some(AfterExecution::Terminate)
        );
    }

    #[test]
    fn a_missing_call_id_needs_a_call_card_to_be_told() {
        let nameless = with_header(headers::CALL, None);
        let told = "refused_with_result bad_request: CGContext: missing required tool_call_id";
        assert_eq!(
            fate(&nameless, &call_card(&json!({"type": "tool.call", "tool_call_id": "x"}))),
            told
        );
        assert_eq!(
            fate(
                &nameless,
                &call_card(&json!({"metadata": {"type": "tool.call", "tool_call_id": "x"}}))
            ),
            told
        );
        for lost in [
            json!({"type": "tool.call"}),
            json!({"tool_call_id": "x"}),
            json!({"type": "tool.call", "tool_call_id": "x", "tenant_id": "other"}),
        ] {
            assert_eq!(fate(&nameless, &call_card(&lost)), "redelivered", "{lost}");
        }
        assert_eq!(
            fate(&nameless, &CommandWorld { card: Known::Absent, ..CommandWorld::default() }),
            "redelivered"
        );
        let control = Command { body: json!({"channel": 1}).to_string(), ..nameless };
        let log = "dropped log cmd ingress: payload contains forbidden control fields: channel";
        assert_eq!(
            fate(&control, &CommandWorld { card: Known::Absent, ..CommandWorld::default() }),
            log
        );
    }

    #[test]
    fn cards_of_others_and_without_a_type_are_told() {
        let call =
            command().headers.iter().find(|(name, _)| name == headers::CALL).unwrap().1.clone();
        let of = |value: Value| fate(&command(), &call_card(&value));
        let other = of(json!({"type": "tool.call", "tenant_id": "other", "tool_call_id": call}));
        assert!(
            other.starts_with("refused_with_result not_found: tool_call_card_id not found: "),
            "{other}"
        );
        let got = |got: &str| {
            format!(
                "refused_with_result bad_request: tool_call_card_id type mismatch: expected 'tool.call', got {got}"
            )
        };
        assert_eq!(of(json!({"tool_call_id": call})), got("'unknown'"));
        assert_eq!(of(json!({"tool_call_id": call, "metadata": {"type": null}})), got("'None'"));
        assert_eq!(of(json!({"type": "tool.call"})), "executed", "a card without a call id passes");
        assert_eq!(
            of(json!({"type": "tool.call", "tool_call_id": "x"})),
            "refused_with_result bad_request: tool_call_id mismatch between payload and tool.call card"
        );
        let unknown =
            CommandWorld { registered: Known::Absent, ..call_card(&json!({"type": "tool.call"})) };
        assert_eq!(
            fate(&command(), &unknown),
            "refused_with_result not_found: Tool 'lamp' not found in DB"
        );
    }

    #[test]
    fn a_refusal_whose_report_is_refused_names_both() {
        let world =
            CommandWorld { card: Known::Absent, turn: Known::Absent, ..CommandWorld::default() };
        let told = fate(&command(), &world);
        assert!(
            told.starts_with("unreported not_found: ")
                && told.ends_with(" report protocol_violation"),
            "{told}"
        );
        let answered = CommandWorld { result: Known::Found("r".into()), ..CommandWorld::default() };
        assert_eq!(
            fate(&with_body(&json!({})), &answered),
            "redelivered",
            "a second result cannot be written"
        );
    }
}
