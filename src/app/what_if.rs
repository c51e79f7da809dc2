//! A change of groups and gates that is looked at before it is made.

use std::sync::Arc;

use crate::{
    engine::{gate_edit::GateEdit, gated::Slot},
    model::{
        context::{Context, Name},
        entry::EntryId,
        tool::{Gate, Tool},
    },
};

/// What would be asked for, and how tools would be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The groups that would be asked for; `None` inside: left out.
    pub groups: Option<Vec<Name>>,
    /// In the order in which they were thought of.
    pub edits: Vec<(EntryId, GateEdit)>,
}

impl WhatIf {
    /// Nothing different yet.
    #[must_use]
    pub fn from_context(context: &Context) -> Self {
        Self { groups: context.groups.clone(), edits: Vec::new() }
    }

    /// One edit more; the one before that it takes back, or says again, goes.
    pub fn add_edit(&mut self, tool: &EntryId, edit: GateEdit) {
        let opposite = match &edit {
            GateEdit::AddGroup(name) => Some(GateEdit::RemoveGroup(name.clone())),
            GateEdit::RemoveGroup(name) => Some(GateEdit::AddGroup(name.clone())),
            GateEdit::AddState(name) => Some(GateEdit::RemoveState(name.clone())),
            GateEdit::RemoveState(name) => Some(GateEdit::AddState(name.clone())),
            GateEdit::InGroups(_)
            | GateEdit::Everywhere
            | GateEdit::OnlyIn(_)
            | GateEdit::LeadTo(_) => None,
        };
        let before = self.edits.len();
        self.edits.retain(|(of, known)| of != tool || Some(known) != opposite.as_ref());
        if self.edits.len() == before {
            self.edits.retain(|(of, known)| {
                let same_kind = std::mem::discriminant(known) == std::mem::discriminant(&edit);
                of != tool
                    || !(known == &edit
                        || same_kind
                            && matches!(
                                edit,
                                GateEdit::LeadTo(_) | GateEdit::OnlyIn(_) | GateEdit::InGroups(_)
                            ))
            });
            self.edits.push((tool.clone(), edit));
        }
    }

    /// The context with these groups.
    #[must_use]
    pub fn apply_to_context(&self, context: &Context) -> Context {
        Context { groups: self.groups.clone(), ..context.clone() }
    }

    /// The tools with these edits; `slots` are of `tools`, row for row.
    pub fn apply_to_slots(&self, tools: &[Arc<Tool>], slots: &mut [Slot]) {
        for (tool, slot) in tools.iter().zip(slots) {
            for (_, edit) in self.edits.iter().filter(|(of, _)| of == tool.id()) {
                slot.gate = edit.apply_to(&slot.gate);
            }
        }
    }

    /// A tool as it would be.
    #[must_use]
    pub fn tried_tool(&self, tool: &Tool) -> Tool {
        let edits = self.edits.iter().filter(|(of, _)| of == tool.id());
        let gate = edits.fold(tool.gate.clone(), |gate, (_, edit)| edit.apply_to(&gate));
        Tool { gate, ..tool.clone() }
    }

    /// The gates that accepting it gives to tools; `tools` are the catalog's.
    #[must_use]
    pub fn changed_gates<'t>(&self, tools: &'t [Arc<Tool>]) -> Vec<(&'t Tool, Gate)> {
        let changed = |tool: &'t Arc<Tool>| {
            let gate = self.tried_tool(tool).gate;
            (gate != tool.gate).then_some((&**tool, gate))
        };
        tools.iter().filter_map(changed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::{EntryPlace, FileId},
        schema::pointer::Pointer,
    };

    #[test]
    fn what_is_taken_back_is_no_longer_there() {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::default());
        let tool = EntryId::new(place);
        let mut what_if = WhatIf::from_context(&Context::default());
        what_if.add_edit(&tool, GateEdit::AddGroup("a".into()));
        what_if.add_edit(&tool, GateEdit::LeadTo(Some("s".into())));
        what_if.add_edit(&tool, GateEdit::LeadTo(Some("t".into())));
        assert_eq!(what_if.edits.len(), 2);
        what_if.add_edit(&tool, GateEdit::RemoveGroup("a".into()));
        assert_eq!(what_if.edits, [(tool, GateEdit::LeadTo(Some("t".into())))]);
    }
}
