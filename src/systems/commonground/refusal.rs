//! CommonGround's texts explained: what they mean, and what to do. Several of them say something
//! else than what is wrong.

use super::report::ReportRefusal;

/// A text of CommonGround's, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explained {
    pub means: String,
    pub remedy: String,
}

type Row = (&'static str, &'static str, &'static str);

/// A piece of the text, what it means, what to do; the first that fits counts.
const TEXTS: &[Row] = &[
    (
        "missing required fields ['unknown']",
        "no field is missing: the body holds a key beside tool_name, after_execution and tool_call_card_id, or a value that is no text",
        "take every other key out; arguments belong in the call's card",
    ),
    (
        "missing required fields",
        "the command's body lacks the named keys",
        "send tool_name, after_execution and tool_call_card_id",
    ),
    (
        "payload contains forbidden control fields",
        "identity in the body",
        "move the named fields into the CG-… headers; agent_turn_id is CG-Turn-Id there",
    ),
    (
        "CGContext: missing required tool_call_id",
        "the header CG-Tool-Call-Id is missing",
        "send it, with exactly these capitals",
    ),
    (
        "CGContext: missing required agent_turn_id",
        "the header CG-Turn-Id is missing",
        "send it, with exactly these capitals",
    ),
    (
        "invalid after_execution",
        "after_execution is neither suspend nor terminate",
        "send one of the two",
    ),
    (
        "tool_call_card_id not found",
        "the project has no card of that id",
        "write the card first, under the same project",
    ),
    (
        "tool.call content must be ToolCallContent",
        "the card that the command points to holds no call",
        "point to the call's card",
    ),
    (
        "type mismatch: expected 'tool.call'",
        "the card is labelled as something else",
        "set its metadata.type to tool.call",
    ),
    (
        "tool_call_id mismatch",
        "card and command are of different calls",
        "use one call id in CG-Tool-Call-Id and on the card",
    ),
    (
        "not found in DB",
        "the service reads the tool's row, and the project has none of that name",
        "push the tool's definition",
    ),
    (
        "missing worker_target for agent",
        "the project has no such agent, so nobody receives the result",
        "register the agent in the roster",
    ),
    (
        "subject project mismatch",
        "target_subject names another project than the caller's",
        "write {project_id} and {channel_id} in target_subject",
    ),
    (
        "status=rejected code=protocol_violation",
        "the command is not sent: target_subject has fewer than eight parts, is no command, is a wake-up, or names another project or channel; \
         or the caller is no agent of the project",
        "correct target_subject and push the tool: cg.v1r4.{project_id}.{channel_id}.cmd.tool.TARGET.SUFFIX",
    ),
    (
        "no response from stream",
        "no stream keeps the tool's subject",
        "check that target_subject starts with cg.v1r4 and has eight parts, and push the tool",
    ),
    (
        "recursion_depth_exceeded",
        "the call is 20 deep or deeper",
        "look for agents that call each other in a circle",
    ),
    (
        "invalid_source_actor",
        "who reports is neither sys.… nor tool.… nor in the roster",
        "report as tool.NAME",
    ),
    (
        "timeout waiting for tool_result inbox",
        "no result came in time; the API gives it as a fault of its own",
        "check that the tool's service runs and listens on the subject",
    ),
    (
        "not a valid subset of the interest subjects",
        "the filter reaches beyond the stream's subjects",
        "filter by cg.v1r4.PROJECT.CHANNEL.cmd.*.*.> and narrower",
    ),
    (
        "duplicate key value violates unique constraint",
        "the call has its result already: another service answered, or the watchdog's time-out came first",
        "let one service answer, and within the tool's timeout_seconds",
    ),
    (
        "protocol_violation",
        "the action was refused after its turn was leased: its id was used before, and the agent is wedged now",
        "take a fresh action id every time, and make a new UI agent",
    ),
    (
        "upstream_unavailable",
        "no stream keeps the tool's subject, or what the service needs cannot be reached",
        "check that target_subject has eight parts, and check the service's log",
    ),
    (
        "inbox_not_empty",
        "the turn cannot end while rows of the agent's inbox are open",
        "check which results are still missing",
    ),
    (
        "delegation denied: caller profile missing delegation_policy",
        "the profile of the calling agent does not let it start other agents",
        "call in the name of an agent whose profile has a delegation_policy (--new-agent makes one)",
    ),
    (
        "delegation denied by policy",
        "the profile of the calling agent does not let it start this one",
        "add the target's profile or tags to delegation_policy in the caller's profile",
    ),
    (
        "ui_not_allowed",
        "the tool doesn't allow UI calls",
        "set \"ui_allowed\": true in its options and push it",
    ),
    ("tool_definition_missing", "the project has no such tool", "push its definition"),
    ("invalid_args", "the action's args is no object", "send an object, {} at least"),
    ("invalid_metadata", "the action's metadata is no object", "omit it, or send an object"),
    (
        "missing_agent_turn_id",
        "the header CG-Turn-Id is missing",
        "send a fresh one with every action",
    ),
    ("agent_not_found", "the project has no such agent", "make a UI agent"),
    (
        "invalid_worker_target",
        "the agent runs on another worker than ui_worker",
        "make an agent with worker_target ui_worker",
    ),
    (
        "busy",
        "the agent has another action under way; it stays so for good after an action id was used twice",
        "wait for it, or make a new UI agent",
    ),
    (
        "dispatch_failed",
        "the UI worker could not send the tool's command",
        "check that target_subject has eight parts, and check the UI worker's log",
    ),
    (
        "missing_tool_result_card",
        "the report pointed to a card that is not there",
        "write the card in the same transaction",
    ),
    (
        "invalid_tool_result_type",
        "the card reported is no result",
        "give it the type tool.result and such a content",
    ),
    ("Name or service not known", "the service has no internet access", "run it where it has"),
    (
        "tool_timeout",
        "no result came within the tool's time; a later one can no longer be stored",
        "raise options.timeout_seconds",
    ),
];

/// The text that nearly every refused report gets.
pub(crate) const REPORT_REFUSED: &str =
    "publish_tool_result_report rejected: status=rejected code=protocol_violation";

/// How the texts of refused reports begin.
const REPORT: &str = "publish_tool_result_report rejected";

/// What a text of CommonGround's means; `None` where it is none that needs words. `known` are the
/// causes that bar the report, where they could be looked up.
#[must_use]
pub(crate) fn explain(text: &str, known: &[ReportRefusal]) -> Option<Explained> {
    if text.contains(REPORT) && text.contains("protocol_violation") {
        return Some(of_report(known));
    }
    let (_, means, remedy) = TEXTS.iter().find(|(piece, _, _)| text.contains(piece))?;
    Some(Explained { means: (*means).into(), remedy: (*remedy).into() })
}

fn of_report(known: &[ReportRefusal]) -> Explained {
    if known.is_empty() {
        return Explained {
            means: "the result was written, but its report refused: this text covers ten causes \
                    and names none".into(),
            remedy:
                "check in turn: the turn id and epoch, a request edge of the call id, an earlier report of it, and the result \
                     card's type, call id, author_id and function_name"
                    .into(),
        };
    }
    let causes: Vec<String> = known.iter().map(|barred| barred.message()).collect();
    Explained {
        means: format!("the result was written, but its report refused: {}", causes.join("; ")),
        remedy: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_for_ten_causes_names_the_one_that_is_known() {
        let one = explain(REPORT_REFUSED, &[ReportRefusal::Author]).unwrap();
        assert!(one.means.contains("author_id"), "{one:?}");
        assert!(explain(REPORT_REFUSED, &[]).unwrap().means.contains("ten causes"));
        let depth =
            explain(&REPORT_REFUSED.replace("protocol_violation", "recursion_depth_exceeded"), &[])
                .unwrap();
        assert!(depth.means.contains("20"), "{depth:?}");
    }

    #[test]
    fn a_text_is_found_by_its_own_row() {
        for (piece, means, _) in TEXTS {
            assert_eq!(explain(piece, &[]).unwrap().means, *means, "{piece}");
        }
        assert_eq!(explain("all is well", &[]), None);
    }
}
