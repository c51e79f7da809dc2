//! What is known between two steps: what the request gave, and what steps before it stored.

use serde_json::{Map, Value};

use crate::systems::opensearch::{
    keys,
    output::StoredOutput,
    template::text_map::{TextMap, stringify_values},
};

/// Parameters of a run: those of its request, and outputs of steps that ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunState {
    pub request: TextMap,
    /// By the name under which later steps see it, with the number of the step, from 0.
    pub outputs: Vec<(String, usize, String)>,
}

impl RunState {
    /// A run that begins with these arguments.
    #[must_use]
    pub fn from_arguments(arguments: &Map<String, Value>) -> Self {
        Self { request: stringify_values(arguments), outputs: Vec::new() }
    }

    /// What the next step's tool is given: the request, and over it what was stored.
    #[must_use]
    pub fn parameters(&self) -> TextMap {
        let mut parameters = self.request.clone();
        let stored = self.outputs.iter().map(|(name, _, text)| (name.clone(), Some(text.clone())));
        parameters.extend(stored);
        parameters
    }

    /// Keeps the output of a step for those after it.
    pub fn store_output(&mut self, step: usize, called: &str, output: &StoredOutput) {
        let name = format!("{called}{}", keys::OUTPUT_SUFFIX);
        self.outputs.retain(|(known, ..)| *known != name);
        self.outputs.push((name, step, output.stored.clone()));
    }

    /// Outputs of an earlier run, by name, that a run goes on from. What the request gives under
    /// that name is taken in its place, so that a step can be tried with another input.
    pub fn restore_outputs(&mut self, outputs: &Map<String, Value>) {
        for (name, value) in outputs.iter().filter(|(name, _)| !self.request.contains_key(*name)) {
            if let (Some(step), Some(text)) = (value["step"].as_u64(), value["stored"].as_str()) {
                let step = usize::try_from(step).unwrap_or(usize::MAX);
                self.outputs.push((name.clone(), step, text.to_owned()));
            }
        }
    }
}
