//! A service's side of a call: what it does with a command, before and after the tool's own code.
//! Pure: who serves only carries it out.

use serde_json::{Map, Value};

use super::settings::Channel;
use super::{
    after::{AfterExecution, AfterSource},
    command::Command,
    context::Context,
    fault::{CommandFate, Stage, verdict},
    keys,
    known::Known,
    preflight::{CommandWorld, preflight_command, refusal_result},
    result::{self, BuiltResult, ToolResult},
    subject::{self, Subject},
};
use crate::model::tool::Tool;

/// What is done with a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CommandAction {
    /// The tool is asked, with the arguments of the call's card.
    Ask(Map<String, Value>),
    /// It is not asked; this goes back.
    Refused(Box<BuiltResult>, String),
    /// Taken and forgotten.
    Dropped(String),
    /// Nothing can be written for it. A real service would have it delivered again and again, or
    /// stand still over it.
    Hopeless(String),
}

/// Decides as a real service does. That a result cannot be reported shows later, in what bars its
/// report.
#[must_use]
pub(crate) fn handle_command(command: &Command, world: &CommandWorld) -> CommandAction {
    let own = CommandWorld { listeners: Known::Unknown, ..world.clone() };
    let mut faults = preflight_command(command, &own);
    faults.retain(|fault| fault.stage != Stage::Report);
    let verdict = verdict(&faults);
    let why = || verdict.because.map(ToString::to_string).unwrap_or_default();
    match (verdict.fate, refusal_result(command, &verdict)) {
        (CommandFate::Executed, _) => {
            let card = world.card.as_ref().into_option();
            let arguments = card.and_then(|card| card.content["arguments"].as_object()).cloned();
            arguments.map_or_else(
                || CommandAction::Hopeless("the call's card cannot be read".into()),
                CommandAction::Ask,
            )
        }
        (CommandFate::RefusedWithResult, Some(built)) => {
            CommandAction::Refused(Box::new(built), why())
        }
        (CommandFate::Dropped, _) => CommandAction::Dropped(why()),
        _ => CommandAction::Hopeless(why()),
    }
}

/// What a tool's code said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolOutput {
    /// Its pieces, joined.
    pub text: String,
    pub error: Option<(String, String)>,
}

/// What a command says of `after_execution`.
#[must_use]
pub(crate) fn requested_after(command: &Command) -> Option<AfterExecution> {
    let body = serde_json::from_str::<Value>(&command.body).ok()?;
    AfterExecution::from_value(&body["after_execution"])
}

/// The result of what was said: JSON where the text is some, else the text itself.
#[must_use]
pub(crate) fn build_from_spoken(spoken: &ToolOutput, command: &Command) -> BuiltResult {
    let after = requested_after(command);
    if let Some((code, message)) = &spoken.error {
        return result::failed_result(code, message, after);
    }
    let result =
        serde_json::from_str(&spoken.text).unwrap_or_else(|_| Value::String(spoken.text.clone()));
    result::build(&ToolResult::success(
        &result,
        AfterSource { command: after, ..AfterSource::default() },
    ))
}

/// The part of a tool's subject that its service listens on, in that channel; `None` where it sends
/// to no tool's subject.
#[must_use]
pub(crate) fn service_target(tool: &Tool, channel: &Channel) -> Option<String> {
    target_of(tool.entry.value.get(keys::TARGET_SUBJECT)?.as_str()?, channel)
}

/// The same of a subject with variables.
#[must_use]
pub(crate) fn target_of(subject: &str, channel: &Channel) -> Option<String> {
    let context = Context {
        project_id: channel.project.clone(),
        channel_id: channel.channel.clone(),
        ..Context::default()
    };
    let subject = Subject::parse(&subject::render_subject(subject, &context).text)?;
    subject.is_tool_command().then_some(subject.target)
}

/// The author of a service's cards, by the target that it listens on.
#[must_use]
pub(crate) fn author(target: &str) -> String {
    format!("tool.{target}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::commonground::{card::Card, report::Turn};

    fn command() -> Command {
        let body =
            json!({"tool_name": "lamp", "after_execution": "terminate", "tool_call_card_id": "c"})
                .to_string();
        let headers = [("CG-Agent-Id", "a"), ("CG-Turn-Id", "t"), ("CG-Tool-Call-Id", "call")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Command { subject: "cg.v1r4.lab.public.cmd.tool.lamp.on".into(), headers, body }
    }

    fn world() -> CommandWorld {
        let content = json!({"tool_name": "lamp", "arguments": {"room": "hall"}});
        let card = json!({"card_id": "c", "type": "tool.call", "tool_call_id": "call", "content": content});
        CommandWorld { card: Known::looked_up(Card::from_value(&card)), ..CommandWorld::default() }
    }

    #[test]
    fn a_sound_command_asks_the_tool_with_the_cards_arguments() {
        let CommandAction::Ask(arguments) = handle_command(&command(), &world()) else {
            panic!("it was not asked")
        };
        assert_eq!(arguments["room"], "hall");
        let built = build_from_spoken(
            &ToolOutput { text: "{\"on\": true}".into(), error: None },
            &command(),
        );
        assert_eq!(
            (built.after.after, &built.result["on"]),
            (AfterExecution::Terminate, &json!(true))
        );
        let burnt =
            ToolOutput { text: String::new(), error: Some(("burnt".into(), "the bulb".into())) };
        assert_eq!(super::build_from_spoken(&burnt, &command()).status, "failed");
    }

    #[test]
    fn what_a_real_service_refuses_is_refused_and_what_it_drops_is_dropped() {
        let unknown = CommandWorld { card: Known::Absent, ..world() };
        assert!(
            matches!(handle_command(&command(), &unknown), CommandAction::Refused(built, _) if built.result["error_code"] == "not_found")
        );
        let nameless = Command { headers: Vec::new(), ..command() };
        assert!(matches!(handle_command(&nameless, &world()), CommandAction::Dropped(_)));
        let text = Command { body: "text".into(), ..command() };
        assert!(matches!(handle_command(&text, &world()), CommandAction::Hopeless(_)));
        let answered = CommandWorld { result: Known::Found("r".into()), ..world() };
        assert!(matches!(handle_command(&command(), &answered), CommandAction::Hopeless(_)));
        let gone_on = CommandWorld { turn: Known::Found(Turn { epoch: 9 }), ..world() };
        assert!(
            matches!(handle_command(&command(), &gone_on), CommandAction::Ask(_)),
            "that shows when it is reported"
        );
    }
}
