//! What was found of an authorization, for people.

use super::walk::{Chain, Step};
use crate::{
    model::{
        authorization::{AuthorizationFault, AuthorizationStep},
        shown::visible_text,
    },
    systems::mcp::auth::documents::STOPPING,
};

/// Each step, with all that counts of it.
#[must_use]
pub(crate) fn steps(chain: &Chain) -> Vec<AuthorizationStep> {
    chain.steps.iter().map(step).collect()
}

fn step(step: &Step) -> AuthorizationStep {
    let shown = |text: &str| visible_text(text).into_owned();
    AuthorizationStep {
        request: format!("{} {}", step.method, shown(&step.url)),
        outcome: outcome(step),
        facts: step.facts.iter().map(|(name, value)| (*name, shown(value))).collect(),
        faults: step
            .faults
            .iter()
            .map(|fault| AuthorizationFault {
                id: fault.id,
                at: fault.at.to_string(),
                words: fault.words.to_string(),
                is_stopping: STOPPING.contains(&fault.id),
            })
            .collect(),
    }
}

fn outcome(step: &Step) -> String {
    match &step.outcome {
        Ok(status) => format!("HTTP {status}"),
        Err(cause) => visible_text(cause).into_owned(),
    }
}

/// The documents in a line: which were found, and what is wrong with them.
#[must_use]
pub(crate) fn summary(chain: &Chain) -> String {
    let told = chain.steps.iter().map(|step| {
        let faults: Vec<&str> = step.faults.iter().map(|fault| fault.id).collect();
        let faults =
            if faults.is_empty() { String::new() } else { format!(" ({})", faults.join(", ")) };
        format!("{}: {}{faults}", visible_text(&step.url), outcome(step))
    });
    told.collect::<Vec<_>>().join("; ")
}
