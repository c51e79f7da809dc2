//! A request that was received on the bus, as a call of the tool that it went to.

use super::state::State;
use crate::{
    model::{
        call::Request,
        problem::{Problem, ProblemKind},
        tool::Tool,
        traffic::{FRAMES, KeptMessage, ObservedMessage},
    },
    systems::{calling, watched},
};

/// The tool that a message calls: by its name at the watched server, or as its requests go to that
/// subject.
///
/// # Errors
/// When it calls none that is known here, with what to do.
pub(crate) fn tool_of<'s>(
    state: &'s State,
    crossing: &ObservedMessage,
) -> Result<&'s Tool, Problem> {
    let Some(call) = watched::seen_call(crossing) else {
        return tool_at(state, &crossing.subject).ok_or_else(|| {
            let cause = match &*crossing.subject == FRAMES {
                true => "it isn't the call of a tool",
                false => "no tool of this workspace sends requests there",
            };
            refused(cause, "choose a request of one of its tools")
        });
    };
    let server = &state.watched_connection().name;
    // Of a tool that is kept in the workspace, what is listed isn't shown beside it.
    let own = state.network.connections.tool_of(server, &call.tool, &state.catalog);
    let listed = || {
        let list = state.deployed_lists().find(|list| list.connection.name == *server);
        list?.catalog.tool_called(&call.tool)
    };
    own.or_else(listed).ok_or_else(|| {
        let cause = format!("no tool {} is listed of {server}", call.tool);
        refused(cause, "list its tools on Invoke (deployed tools)")
    })
}

fn refused(cause: impl Into<String>, remedy: &str) -> Problem {
    Problem::new(ProblemKind::Input, "sending again", cause).with_remedy(remedy)
}

/// The tool whose requests go to that subject.
fn tool_at<'s>(state: &'s State, subject: &str) -> Option<&'s Tool> {
    let transport = state.watched_connection().transport();
    let catalog = &state.catalog;
    let goes_there = |tool: &Tool| {
        let service =
            tool.service.as_deref().and_then(|key| catalog.service_by_key(tool.entry.system, key));
        let queue = service.and_then(|service| service.request_queue.as_deref());
        queue.is_some_and(|queue| {
            queue == subject
                || calling::queue_subject(tool.entry.system, queue, transport)
                    .is_ok_and(|name| name == subject)
        })
    };
    catalog.tools.iter().find(|tool| goes_there(tool)).map(AsRef::as_ref)
}

/// The request of a message that was received, as a call of the tool that it went to.
///
/// # Errors
/// When it belongs to no tool, or is not whole.
pub(crate) fn request_of(state: &State, number: u64) -> Result<Request, Problem> {
    let refused = |cause: &str, remedy: &str| Err(refused(cause, remedy));
    let Some(message) = state.watching.record.message(number) else {
        return refused("the message was dropped", "choose a newer one");
    };
    let crossing = &message.crossing;
    match crossing.kept {
        KeptMessage::Whole => {}
        KeptMessage::Masked => {
            return refused("a secret in it was masked", "fill the form of the tool in Invoke");
        }
        KeptMessage::Start => {
            return refused("only its start is saved", "fill the form of the tool in Invoke");
        }
    }
    let Ok(body) = std::str::from_utf8(&crossing.body) else {
        return refused("it isn't UTF-8", "choose a request of a tool");
    };
    let tool = tool_of(state, crossing)?;
    if let Some(call) = watched::seen_call(crossing) {
        return Ok(Request {
            tool: tool.id().clone(),
            system: tool.entry.system,
            name: tool.name.clone(),
            to: call.to,
            reply: None,
            headers: Vec::new(),
            correlation: state.ids.peek_id(),
            arguments: calling::request_arguments(tool.entry.system, &call.body).into(),
            body: call.body.into(),
            mock: None,
        });
    }
    let service = tool
        .service
        .as_deref()
        .and_then(|key| state.catalog.service_by_key(tool.entry.system, key));
    let correlation = state.ids.peek_id();
    let own = watched::classify_message(crossing).id;
    let fresh = |(name, value): &(String, String)| {
        let value = if Some(value) == own.as_ref() { correlation.clone() } else { value.clone() };
        (name.clone(), value)
    };
    Ok(Request {
        tool: tool.id().clone(),
        system: tool.entry.system,
        name: tool.name.clone(),
        to: service.and_then(|service| service.request_queue.clone()).unwrap_or_default(),
        reply: service
            .and_then(|service| service.response_queue.clone())
            .filter(|queue| !queue.is_empty()),
        headers: crossing.headers.iter().map(fresh).collect(),
        correlation: correlation.clone(),
        arguments: calling::request_arguments(tool.entry.system, body).into(),
        body: body.into(),
        mock: None,
    })
}
