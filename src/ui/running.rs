//! What runs and can be stopped from anywhere.

use crate::app::{agent_run::AgentMessage, calls::CallMessage, message::Message, state::State};

/// What an interrupt stops before it means anything else: the newest running call, else a model
/// that speaks.
pub(crate) fn stop_running(state: &State) -> Option<Message> {
    let call = state.invoke.calls.running_calls().last();
    let stop = call.map(|call| Message::Call(CallMessage::Cancel(call.id)));
    stop.or_else(|| state.invoke.agent.is_moving().then_some(Message::Agent(AgentMessage::Stop)))
}
