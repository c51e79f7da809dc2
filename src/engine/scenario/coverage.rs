//! What runs exercised of a workflow: states come to, transitions made, tools taken; and what they
//! left out.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    engine::{gated::Gated, simulate::run::Simulation, workflow::graph::Workflow},
    model::{
        call::Outcome,
        context::{ANY, Context, Name},
        tool::States,
    },
};

/// Counts how often each state, transition and tool was exercised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coverage {
    states: CoverageCounts<Name>,
    transitions: CoverageCounts<Transition>,
    tools: CoverageCounts<Name>,
}

/// A tool as it leads from a state to a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Transition {
    pub tool: Name,
    /// `None`: available in every state, which counts as one.
    pub from: Option<Name>,
    /// `None`: the state stays.
    pub to: Option<Name>,
}

/// Things in their order, each with how often it was exercised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoverageCounts<K> {
    order: Vec<K>,
    counts: BTreeMap<K, u64>,
}

impl<K: Ord + Clone> CoverageCounts<K> {
    fn new(order: Vec<K>) -> Self {
        Self { counts: order.iter().map(|key| (key.clone(), 0)).collect(), order }
    }

    /// What is not there is not counted: a scenario may name what no tool has.
    fn add(&mut self, key: &K) {
        if let Some(count) = self.counts.get_mut(key) {
            *count += 1;
        }
    }

    #[must_use]
    pub fn total_count(&self) -> usize {
        self.order.len()
    }

    #[must_use]
    pub fn covered_count(&self) -> usize {
        self.counts.values().filter(|count| **count > 0).count()
    }

    /// What was never exercised, in its order.
    pub fn missed_keys(&self) -> impl Iterator<Item = &K> {
        self.order.iter().filter(|key| self.counts.get(key) == Some(&0))
    }
}

impl Coverage {
    /// Nothing exercised yet of these tools and the states that they name.
    #[must_use]
    pub fn new<T: Gated>(tools: &[T]) -> Self {
        let workflow = Workflow::new(tools, &Context::default());
        let mut transitions: Vec<Transition> = Vec::new();
        for tool in tools {
            let froms: Vec<Option<Name>> = match &tool.gate().states {
                States::Every => vec![None],
                States::Only(listed) => listed.iter().cloned().map(Some).collect(),
            };
            let of =
                |from| Transition { tool: tool.key().into(), from, to: tool.gate().next.clone() };
            transitions.extend(froms.into_iter().map(of));
        }
        let mut seen = std::collections::BTreeSet::new();
        transitions.retain(|transition| seen.insert(transition.clone()));
        let mut keys: Vec<Name> = Vec::new();
        keys.extend(tools.iter().map(|tool| Name::from(tool.key())));
        let mut seen = std::collections::BTreeSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        Self {
            states: CoverageCounts::new(workflow.states().to_vec()),
            transitions: CoverageCounts::new(transitions),
            tools: CoverageCounts::new(keys),
        }
    }

    /// Adds every step of a simulation, on all its branches. A tool counts when it was taken, its
    /// transition only when it succeeded.
    pub fn add_simulation(&mut self, simulation: &Simulation) {
        self.states.add(&simulation.start().state().into());
        for (_, step) in simulation.steps() {
            self.states.add(&step.after);
            self.tools.add(&step.tool);
            if step.outcome == Outcome::Succeeded {
                self.add_transition(&step.tool, &step.before, &step.after);
            }
        }
    }

    /// Adds a tool taken from one state, with success, and what it led to.
    pub fn add_step(&mut self, tool: &Name, before: &Name, after: &Name) {
        self.states.add(before);
        self.states.add(after);
        self.tools.add(tool);
        self.add_transition(tool, before, after);
    }

    fn add_transition(&mut self, tool: &Name, before: &Name, after: &Name) {
        // A tool is in one way for every state, or for each that it lists; and leads to one, or
        // stays.
        for from in [None, Some(before.clone())] {
            for to in [None, Some(after.clone())] {
                if to.is_some() || before == after {
                    self.transitions.add(&Transition {
                        tool: tool.clone(),
                        from: from.clone(),
                        to,
                    });
                }
            }
        }
    }

    /// `states 3 of 5 · transitions 3 of 8 · tools 3 of 5`
    #[must_use]
    pub fn summary(&self) -> String {
        let part = |word: &str, covered: usize, of: usize| format!("{word} {covered} of {of}");
        [
            part("states", self.states.covered_count(), self.states.total_count()),
            part("transitions", self.transitions.covered_count(), self.transitions.total_count()),
            part("tools", self.tools.covered_count(), self.tools.total_count()),
        ]
        .join(" · ")
    }

    /// What was left out, a line for each kind of which something was.
    #[must_use]
    pub fn missed_lines(&self) -> Vec<String> {
        let names = |names: Vec<String>| names.join(", ");
        let of_names = |share: &CoverageCounts<Name>| {
            names(share.missed_keys().map(ToString::to_string).collect())
        };
        let lines = [
            ("states", of_names(&self.states)),
            (
                "transitions",
                names(self.transitions.missed_keys().map(Transition::description).collect()),
            ),
            ("tools", of_names(&self.tools)),
        ];
        lines
            .into_iter()
            .filter(|(_, words)| !words.is_empty())
            .map(|(kind, words)| format!("{kind} not covered: {words}"))
            .collect()
    }

    /// For scripts: of each kind how many there are, how many were exercised, and each with its
    /// count.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let names = |share: &CoverageCounts<Name>| {
            let missed: Value = share.missed_keys().map(|name| Value::from(&**name)).collect();
            json!({"of": share.total_count(), "covered": share.covered_count(), "missed": missed})
        };
        let transition = |found: &Transition| json!({"tool": &*found.tool, "from": found.from.as_deref().unwrap_or(ANY), "to": found.to.as_deref()});
        json!({
            "states": names(&self.states),
            "transitions": {
                "of": self.transitions.total_count(),
                "covered": self.transitions.covered_count(),
                "missed": self.transitions.missed_keys().map(transition).collect::<Value>(),
            },
            "tools": names(&self.tools),
        })
    }
}

impl Transition {
    /// `reset-workflow (results → undefined)`
    #[must_use]
    pub fn description(&self) -> String {
        let from = self.from.as_deref().unwrap_or("any");
        match &self.to {
            Some(to) => format!("{} ({from} → {to})", self.tool),
            None => format!("{} (stays in {from})", self.tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{gated::Slot, simulate::run::Take},
        model::{clock::Millis, context::Mode, tool::Gate},
    };

    fn tools() -> Vec<Slot> {
        let tool = |key: &str, states: Option<&[&str]>, next: Option<&str>| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                states: states.map_or(States::Every, |list| {
                    States::Only(list.iter().map(|name| (*name).into()).collect())
                }),
                next: next.map(Into::into),
                groups: None,
                ..Gate::open()
            },
        };
        vec![
            tool("go", Some(&["undefined", "s"]), Some("s")),
            tool("stay", Some(&["s"]), None),
            tool("reset", None, Some("undefined")),
            tool("far", Some(&["nowhere"]), None),
        ]
    }

    #[test]
    fn a_run_covers_what_it_came_to_and_the_rest_is_named() {
        let tools = tools();
        let mut simulation = Simulation::new(Context::default(), Mode::Document, Millis(0));
        let mut take = |row, outcome| {
            simulation.take_step(&tools, &[], Take::simulated(row, outcome, Millis(0))).unwrap();
        };
        take(0, Outcome::Succeeded);
        take(1, Outcome::Failed);
        take(2, Outcome::Succeeded);
        let mut coverage = Coverage::new(&tools);
        coverage.add_simulation(&simulation);
        assert_eq!(coverage.summary(), "states 2 of 3 · transitions 2 of 5 · tools 3 of 4");
        assert_eq!(
            coverage.missed_lines(),
            [
                "states not covered: nowhere",
                "transitions not covered: go (s → s), stay (stays in s), far (stays in nowhere)",
                "tools not covered: far"
            ]
        );
        let json = coverage.to_json();
        assert_eq!(
            (&json["transitions"]["covered"], &json["transitions"]["missed"][0]["from"]),
            (&json!(2), &json!("s"))
        );
        coverage.add_step(&"go".into(), &"s".into(), &"s".into());
        coverage.add_step(&"stay".into(), &"s".into(), &"s".into());
        assert_eq!(coverage.transitions.covered_count(), 4);
    }
}
