//! Entries from elsewhere, with what they change in the workspace's files before it is changed.

use super::proposal::Proposal;
use crate::{
    app::compose::{
        context::ComposeContext,
        imports::{self, ConflictChoice},
    },
    systems::deployed::item::Item,
};

/// Takes entries into the workspace's files, after a look at what changes there.
pub(crate) fn import_proposal(title: String, items: Vec<Item>) -> Proposal {
    Proposal::new(title, "", move |state| {
        imports::plan_import(ComposeContext::from_state(state), &items, ConflictChoice::Overwrite)
    })
    .with_act("import")
}
