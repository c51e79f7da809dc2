//! The history of arguments typed for tools: each edit can be taken back and made again.

use crate::{model::entry::EntryId, schema::pointer::Pointer, syntax::source::Source};

use super::documents::UNDO_STEPS;

/// The arguments of a tool, at another time; `None`: nothing was typed yet.
#[derive(Clone, Debug)]
struct Step {
    tool: EntryId,
    text: Option<Source>,
    /// Edits one after another at the same place make one step.
    place: Option<Pointer>,
}

#[derive(Clone, Debug, Default)]
pub struct TypedHistory {
    done: Vec<Step>,
    undone: Vec<Step>,
}

impl TypedHistory {
    /// Remembers what a tool's arguments were before an edit; typing on at one place is one step.
    pub fn remember(&mut self, tool: &EntryId, before: Option<Source>, place: Option<Pointer>) {
        self.undone.retain(|step| step.tool != *tool);
        let last = self.done.iter().rfind(|step| step.tool == *tool);
        if place.is_some() && last.is_some_and(|last| last.place == place) {
            return;
        }
        if self.done.len() == UNDO_STEPS {
            self.done.remove(0);
        }
        self.done.push(Step { tool: tool.clone(), text: before, place });
    }

    #[must_use]
    pub fn can_undo(&self, tool: &EntryId) -> bool {
        self.done.iter().any(|step| step.tool == *tool)
    }

    #[must_use]
    pub fn can_redo(&self, tool: &EntryId) -> bool {
        self.undone.iter().any(|step| step.tool == *tool)
    }

    /// What the tool's arguments were before the last edit, which is given as it is `now`.
    pub fn undo(&mut self, tool: &EntryId, now: Option<Source>) -> Option<Option<Source>> {
        let step = taken(&mut self.done, tool)?;
        self.undone.push(Step { tool: tool.clone(), text: now, place: None });
        Some(step.text)
    }

    /// What they were before the last undo.
    pub fn redo(&mut self, tool: &EntryId, now: Option<Source>) -> Option<Option<Source>> {
        let step = taken(&mut self.undone, tool)?;
        self.done.push(Step { tool: tool.clone(), text: now, place: None });
        Some(step.text)
    }
}

fn taken(steps: &mut Vec<Step>, tool: &EntryId) -> Option<Step> {
    let at = steps.iter().rposition(|step| step.tool == *tool)?;
    Some(steps.remove(at))
}
