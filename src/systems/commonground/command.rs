//! The messages that a caller sends, exactly as they go out. Fresh ids come from outside: nothing
//! here is random.

use serde_json::{Map, Value, json};

use super::{context::Context, headers, subject::Subject, trace::Traceparent};

/// A message for the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub subject: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// Fresh ids of one call, in the shapes that CommonGround's own have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ids {
    /// Of the turn: `turn_…`.
    pub turn: String,
    pub step: String,
    /// Of the call, and of the action that makes it: the one becomes the other.
    pub call: String,
    pub call_card: String,
    pub result_card: String,
    pub trace: Traceparent,
}

impl Ids {
    /// Makes them for a test; `random` gives another number each time it is asked.
    #[cfg(test)]
    pub fn generate(random: &mut dyn FnMut() -> u128) -> Self {
        let mut hex = || format!("{:032x}", random());
        let (turn, step, call) =
            (format!("turn_{}", hex()), format!("step_{}", hex()), format!("call_{}", hex()));
        let (call_card, result_card) = (hex(), hex());
        Self {
            turn,
            step,
            call,
            call_card,
            result_card,
            trace: Traceparent::new_root(random(), low_half(random())),
        }
    }

    /// The context of a first call in a turn of its own.
    #[must_use]
    pub fn first_context(&self, project: &str, channel: &str, agent: &str) -> Context {
        Context {
            project_id: project.into(),
            channel_id: channel.into(),
            agent_id: agent.into(),
            agent_turn_id: Some(self.turn.clone()),
            turn_epoch: Some(1),
            step_id: self.step.clone(),
            tool_call_id: self.call.clone(),
            trace_id: self.trace.trace_id().into(),
            recursion_depth: Some(0),
            ..Context::default()
        }
    }
}

/// The low half of a random number, for a span.
#[must_use]
pub(crate) fn low_half(random: u128) -> u64 {
    (random & u128::from(u64::MAX)) as u64
}

/// The headers of a context in their usual order; what has no value is left out, but for the depth,
/// which is then 0.
#[must_use]
pub(crate) fn control_headers(context: &Context, trace: &Traceparent) -> Vec<(String, String)> {
    let number = |value: Option<u64>| value.unwrap_or_default().to_string();
    let epoch = number(context.turn_epoch);
    let depth = number(context.recursion_depth);
    let (trace, turn) = (trace.to_string(), context.turn_id().to_owned());
    [
        (headers::PROJECT, &context.project_id),
        (headers::CHANNEL, &context.channel_id),
        (headers::AGENT, &context.agent_id),
        (headers::TURN, &turn),
        (headers::EPOCH, &epoch),
        (headers::STEP, &context.step_id),
        (headers::CALL, &context.tool_call_id),
        (headers::DEPTH, &depth),
        (headers::PARENT_AGENT, &context.parent_agent_id),
        (headers::PARENT_TURN, &context.parent_agent_turn_id),
        (headers::PARENT_STEP, &context.parent_step_id),
        (headers::TRACE, &trace),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| (name.to_owned(), value.clone()))
    .collect()
}

/// A tool command: identity in the headers, a pointer to the call's card in the body, which allows
/// these three keys and no other.
#[must_use]
pub(crate) fn tool_command(
    subject: &str,
    context: &Context,
    trace: &Traceparent,
    body: &CommandBody<'_>,
) -> Command {
    let CommandBody { tool, after_execution, call_card } = body;
    let body = json!({"tool_name": tool, "after_execution": after_execution, "tool_call_card_id": call_card});
    Command {
        subject: subject.into(),
        headers: control_headers(context, trace),
        body: body.to_string(),
    }
}

/// What a tool command's body says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandBody<'p> {
    pub tool: &'p str,
    pub after_execution: &'p str,
    pub call_card: &'p str,
}

/// A UI action: the worker behind it writes the cards. The action's id becomes the call's id, and
/// must be fresh: one that was used wedges the agent for good.
#[must_use]
pub(crate) fn ui_action(
    context: &Context,
    trace: &Traceparent,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Command {
    let action = &context.tool_call_id;
    let caller = Context { step_id: String::new(), tool_call_id: String::new(), ..context.clone() };
    Command {
        subject: Subject::ui_action(&context.project_id, &context.channel_id).to_string(),
        headers: control_headers(&caller, trace),
        body: json!({"action_id": action, "tool_name": tool, "args": arguments}).to_string(),
    }
}

/// The bell that makes an agent's worker look into its inbox; it says nothing but that.
#[must_use]
pub(crate) fn wakeup_command(
    context: &Context,
    worker_target: &str,
    trace: &Traceparent,
) -> Command {
    let rung = Context {
        project_id: context.project_id.clone(),
        channel_id: context.channel_id.clone(),
        agent_id: context.agent_id.clone(),
        agent_turn_id: context.agent_turn_id.clone(),
        turn_epoch: context.turn_epoch,
        ..Context::default()
    };
    let mut headers = control_headers(&rung, trace);
    headers.retain(|(name, _)| name != headers::DEPTH);
    Command {
        subject: Subject::agent_wakeup(&context.project_id, &context.channel_id, worker_target)
            .to_string(),
        headers,
        body: "{}".into(),
    }
}

/// The context that a message's subject and headers give; the subject says the project and the
/// channel.
#[must_use]
pub(crate) fn context_of(subject: &Subject, received: &[(String, String)]) -> Context {
    let text = |name| headers::find_value(received, name).unwrap_or_default().to_owned();
    let number = |name| headers::parse_number(received, name).ok().flatten();
    let trace = headers::find_value(received, headers::TRACE)
        .and_then(|text| Traceparent::parse(text).ok());
    Context {
        project_id: subject.project_id.clone(),
        channel_id: subject.channel_id.clone(),
        agent_id: text(headers::AGENT),
        agent_turn_id: Some(text(headers::TURN)),
        turn_epoch: number(headers::EPOCH),
        step_id: text(headers::STEP),
        tool_call_id: text(headers::CALL),
        trace_id: trace.map(|trace| trace.trace_id().to_owned()).unwrap_or_default(),
        parent_step_id: text(headers::PARENT_STEP),
        context_box_id: None,
        recursion_depth: number(headers::DEPTH),
        parent_agent_id: text(headers::PARENT_AGENT),
        parent_agent_turn_id: text(headers::PARENT_TURN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Ids {
        let mut number = 0;
        Ids::generate(&mut || {
            number += 1;
            number
        })
    }

    #[test]
    fn what_a_command_carries_is_read_back_from_it() {
        let ids = ids();
        let context = ids.first_context("demo", "public", "ui_dbg");
        let subject = Subject::tool_command("demo", "public", "lamp", "switch");
        let body = CommandBody {
            tool: "lamp_switch",
            after_execution: "suspend",
            call_card: &ids.call_card,
        };
        let command = tool_command(&subject.to_string(), &context, &ids.trace, &body);
        assert_eq!(
            context_of(&Subject::parse(&command.subject).unwrap(), &command.headers),
            context
        );
        let body: Value = serde_json::from_str(&command.body).unwrap();
        assert_eq!(body.as_object().unwrap().len(), 3);
    }

    #[test]
    fn fresh_ids_are_all_different() {
        let Ids { turn, step, call, call_card, result_card, trace } = ids();
        let tails =
            [&turn[5..], &step[5..], &call[5..], &call_card, &result_card, trace.trace_id()];
        assert!(
            tails
                .iter()
                .enumerate()
                .all(|(row, tail)| tail.len() == 32 && !tails[..row].contains(tail)),
            "{tails:?}"
        );
    }

    #[test]
    fn a_ui_action_carries_its_id_in_the_body_alone() {
        let ids = ids();
        let command = ui_action(
            &ids.first_context("demo", "public", "ui_dbg"),
            &ids.trace,
            "lamp_switch",
            &Map::new(),
        );
        assert_eq!(command.subject, "cg.v1r4.demo.public.cmd.sys.ui.action");
        let names: Vec<_> = command.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "CG-Project-Id",
                "CG-Channel-Id",
                "CG-Agent-Id",
                "CG-Turn-Id",
                "CG-Turn-Epoch",
                "CG-Recursion-Depth",
                "traceparent"
            ]
        );
        let body: Value = serde_json::from_str(&command.body).unwrap();
        assert_eq!(body, json!({"action_id": ids.call, "tool_name": "lamp_switch", "args": {}}));
    }

    #[test]
    fn a_bell_says_neither_step_nor_call_nor_depth() {
        let ids = ids();
        let command = wakeup_command(
            &ids.first_context("demo", "public", "a"),
            "worker_generic",
            &ids.trace.child(9),
        );
        assert_eq!(
            (command.subject.as_str(), command.body.as_str()),
            ("cg.v1r4.demo.public.cmd.agent.worker_generic.wakeup", "{}")
        );
        assert_eq!(command.headers.len(), 6, "{:?}", command.headers);
    }
}
