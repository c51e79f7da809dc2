//! What the engine reads of a tool: its key, its name, its gate; nothing of any system.

use std::ops::Deref;

use crate::model::{
    context::Name,
    tool::{Gate, Tool},
};

/// A tool as the engine sees it. All functions take tools in catalog order and name them by their
/// row in it.
pub trait Gated {
    /// What other descriptors, scenarios and audit records call it.
    fn key(&self) -> &str;
    /// What the model sees.
    fn name(&self) -> &str;
    fn gate(&self) -> &Gate;
}

/// A tool's place in the slice that was given.
pub(crate) type ToolRow = usize;

impl Gated for Tool {
    fn key(&self) -> &str {
        &self.entry.key
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn gate(&self) -> &Gate {
        &self.gate
    }
}

/// What leads to a tool is one.
impl<P: Deref<Target: Gated>> Gated for P {
    fn key(&self) -> &str {
        (**self).key()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn gate(&self) -> &Gate {
        (**self).gate()
    }
}

/// A tool that has no descriptor at hand, or whose gate differs from its descriptor's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub key: Name,
    pub name: Name,
    pub gate: Gate,
}

impl Gated for Slot {
    fn key(&self) -> &str {
        &self.key
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn gate(&self) -> &Gate {
        &self.gate
    }
}

/// The row of the tool that `word` means: a key wins over a name, the first of several over the
/// others.
#[must_use]
pub fn row_of<T: Gated>(tools: &[T], word: &str) -> Option<ToolRow> {
    tools
        .iter()
        .position(|tool| tool.key() == word)
        .or_else(|| tools.iter().position(|tool| tool.name() == word))
}
