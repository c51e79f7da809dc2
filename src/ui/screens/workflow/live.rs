//! A live step: what is asked before the first one of a session that reaches somebody else.

use crate::{
    app::{message::Message, state::State, workflow::WorkflowMessage},
    model::tool::Tool,
    systems::table,
    ui::{
        overlays::confirm::{Answer, Confirm},
        view::Reply,
    },
};

/// Calls the tool as a step of the run. One key does so, and it may be typed by accident: the first
/// call of a session that leaves the program is asked about, with its tool and its connection.
pub(super) fn take_live(tool: &Tool, state: &State) -> Reply {
    let take = vec![Message::Workflow(WorkflowMessage::StepLive { tool: tool.id().clone() })];
    let Some(connection) = state.first_live_connection(tool.id()) else { return Reply::Send(take) };
    let words = format!(
        "A live step sends a real call over {}. Later live steps of this session send at once.",
        connection.name
    );
    let mut answers = vec![
        Answer { key: 'y', words: "call it", messages: take },
        Answer { key: 'n', words: "cancel", messages: Vec::new() },
    ];
    // What may delete something is never what Enter does.
    if table::tool_effects(tool).is_destructive() {
        answers.reverse();
    }
    let title = format!("Call {} for real?", tool.label());
    Reply::Open(Box::new(Confirm::new(title, words, answers, Vec::new())))
}
