//! What the schema of a form was made from.

use crate::{
    app::state::State,
    model::entry::{Entry, SystemId},
    systems::table,
};

/// What a schema was made from: entries with the same key have the same schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaKey {
    pub vocabulary: u64,
    system: SystemId,
    word: String,
    /// The form has the fields of a gate that is written elsewhere.
    has_gate_table: bool,
}

impl SchemaKey {
    pub fn from_entry(entry: &Entry, state: &State) -> Option<Self> {
        let word = table::by_id(entry.system)?.schema_word(entry, &state.catalog)?;
        let tool = state.catalog.tool(&entry.id);
        Some(Self {
            vocabulary: state.catalog.vocabulary,
            system: entry.system,
            word,
            has_gate_table: tool.is_some_and(|tool| tool.gate_table.is_some()),
        })
    }
}
