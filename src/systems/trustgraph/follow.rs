//! Follows agents from step to step: one message shows the state that an agent is in, and only two
//! show whether it moved.

use std::collections::{HashMap, VecDeque};

use super::witness::FAILED;
use crate::{
    model::{
        context::UNDEFINED,
        traffic::{Decoded, ObservedMessage, Part},
    },
    systems::facets::observer::Follower,
};

/// So many agents are followed at once.
const MOST: usize = 1_000;

/// The state that each agent was last seen in, by the id of its dialogue.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    states: HashMap<String, String>,
    /// The ids, oldest first.
    ids: VecDeque<String>,
}

impl Follower for Steps {
    fn observe_message(&mut self, _: &ObservedMessage, reading: &mut Decoded) {
        let Some(id) = &reading.id else { return };
        // Every question and every step names a state, and none means this one.
        let is_agents = reading.part == Part::Step || reading.label == "question";
        if !is_agents {
            return;
        }
        let now = reading.state.clone().unwrap_or_else(|| UNDEFINED.to_owned());
        let before = self.insert(id, &now);
        if let Some(before) = before.filter(|before| reading.part == Part::Step && *before != now)
            && let Some(remark) = reading.remarks.iter_mut().find(|remark| *remark == FAILED)
        {
            *remark = format!("{FAILED}, and the state moves all the same: from {before} to {now}");
        }
    }
}

impl Steps {
    fn insert(&mut self, id: &str, state: &str) -> Option<String> {
        let before = self.states.insert(id.to_owned(), state.to_owned());
        if before.is_none() {
            self.ids.push_back(id.to_owned());
            if self.ids.len() > MOST
                && let Some(oldest) = self.ids.pop_front()
            {
                self.states.remove(&oldest);
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        model::{
            clock::Millis,
            traffic::{KeptMessage, Tapped, WatchedItem},
        },
        systems::watched::TrafficWitness,
    };

    fn remarks(witness: &mut TrafficWitness, id: &str, body: &Value) -> Vec<String> {
        let body = body.to_string();
        let crossing = ObservedMessage {
            at: Millis(0),
            subject: "tg.request.agent:default:default".into(),
            reply: None,
            headers: vec![("id".into(), id.into())],
            body: body.as_bytes().into(),
            size: body.len() as u64,
            kept: KeptMessage::Whole,
            about: None,
        };
        match witness.observe_message(Tapped::ObservedMessage(crossing.into())) {
            WatchedItem::ObservedMessage(_, reading) => reading.remarks,
            other => panic!("{other:?}"),
        }
    }

    fn step(state: &Value, steps: usize) -> Value {
        let failed = json!({"action": "look", "arguments": {}, "observation": "Error: no"});
        json!({"question": "why?", "state": state, "group": ["a"], "history": vec![failed; steps]})
    }

    #[test]
    fn that_the_state_moves_after_a_failure_is_said_only_where_it_does() {
        let mut witness = TrafficWitness::default();
        let mut hear =
            |id: &str, state: Value, steps| remarks(&mut witness, id, &step(&state, steps));
        assert_eq!(hear("1", json!(null), 0), [""; 0]);
        assert_eq!(hear("1", json!("undefined"), 1), ["the tool failed"]);
        assert_eq!(
            hear("1", json!("known"), 2),
            ["the tool failed, and the state moves all the same: from undefined to known"]
        );
        assert_eq!(hear("1", json!("known"), 3), ["the tool failed"]);
        // Its beginning was not received.
        assert_eq!(hear("2", json!("known"), 4), ["the tool failed"]);
        assert_eq!(
            hear("2", json!("other"), 5),
            ["the tool failed, and the state moves all the same: from known to other"]
        );
    }
}
