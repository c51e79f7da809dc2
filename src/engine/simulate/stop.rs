//! Where a run is to stop: when a tool becomes available, a state is come to, or no tool is left.

use crate::{
    engine::{
        filter::{self, Filter},
        gated::{Gated, row_of},
    },
    model::context::{Context, Name},
};

/// A place to stop at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The tool of that key is available and was not before.
    Available(Name),
    /// The run reaches this state.
    State(Name),
    /// No tool is available any more.
    NoTool,
}

impl Stop {
    /// When it stops: `complex-analysis is available`.
    #[must_use]
    pub fn description(&self) -> String {
        match self {
            Self::Available(tool) => format!("{tool} is available"),
            Self::State(state) => format!("the state is {state}"),
            Self::NoTool => "no tool is left".into(),
        }
    }

    /// Whether a step that led from one context to another meets it.
    #[must_use]
    pub fn is_met<T: Gated>(&self, tools: &[T], before: &Context, after: &Context) -> bool {
        match self {
            Self::Available(key) => row_of(tools, key).is_some_and(|row| {
                let gate = tools[row].gate();
                Filter::new(after).admits(gate) && !Filter::new(before).admits(gate)
            }),
            Self::State(state) => after.state() == &**state,
            Self::NoTool => filter::available_tools(tools, after).is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::gated::Slot,
        model::tool::{Gate, States},
    };

    #[test]
    fn a_stop_is_met_by_the_step_that_brings_it_about() {
        let tool = |key: &str, state: &str, next: &str| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                states: States::Only(vec![state.into()]),
                next: Some(next.into()),
                ..Gate::open()
            },
        };
        let tools = [tool("a", "undefined", "s"), tool("b", "s", "end")];
        let at = |state: &str| Context { state: Some(state.into()), ..Context::default() };
        let met = |stop: Stop, from: &str, to: &str| stop.is_met(&tools, &at(from), &at(to));
        assert!(met(Stop::Available("b".into()), "undefined", "s"));
        assert!(!met(Stop::Available("b".into()), "s", "s"), "it was available before");
        assert!(
            met(Stop::State("s".into()), "undefined", "s")
                && !met(Stop::State("s".into()), "s", "end")
        );
        assert!(met(Stop::NoTool, "s", "end") && !met(Stop::NoTool, "undefined", "s"));
    }
}
