//! The tools of the specification's example, for tests.

use super::gated::Slot;
use crate::model::{
    context::Name,
    tool::{Gate, States},
};

/// A tool by its gate; the state `*` represents every one.
pub(crate) fn gated_slot(key: &str, groups: &[&str], states: &[&str], next: Option<&str>) -> Slot {
    let names = |list: &[&str]| list.iter().map(|name| Name::from(*name)).collect::<Vec<_>>();
    Slot {
        key: key.into(),
        name: key.into(),
        gate: Gate {
            groups: Some(names(groups)),
            states: if states == ["*"] { States::Every } else { States::Only(names(states)) },
            next: next.map(Name::from),
            ..Gate::open()
        },
    }
}

/// Its five tools.
pub(crate) fn spec_tools() -> Vec<Slot> {
    vec![
        gated_slot(
            "knowledge-query",
            &["read-only", "knowledge", "basic"],
            &["undefined", "research"],
            Some("analysis"),
        ),
        gated_slot(
            "graph-update",
            &["write", "knowledge", "admin"],
            &["analysis", "modification"],
            None,
        ),
        gated_slot("text-completion", &["read-only", "text", "basic"], &["*"], Some("undefined")),
        gated_slot(
            "complex-analysis",
            &["advanced", "compute", "expensive"],
            &["analysis"],
            Some("results"),
        ),
        gated_slot("reset-workflow", &["admin"], &["analysis", "results"], Some("undefined")),
    ]
}
