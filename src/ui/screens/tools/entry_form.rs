//! What the form of an entry shows (its value, schema, notes), and what its edits change: the entry,
//! and its gate where that is written in the settings.

use std::sync::Arc;

use serde_json::Value;

use super::{
    dialogs,
    gate_fields::{
        gate_changes, gate_findings, name_words, schema_with_gate, settings_place, value_with_gate,
    },
};
use crate::{
    app::{
        compose::context::ComposeContext,
        documents::Change,
        message::{DocumentMessage, Message, TextTarget},
        state::State,
    },
    model::{
        entry::{Entry, EntryForm, EntryId},
        finding::{EntryEdit, Finding},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::{entry_rules, table},
    ui::{
        form::{
            host::{ValueOwner, written_in},
            notes::Note,
            shared::shared_in,
            view::Form,
        },
        view::Reply,
    },
};

impl ValueOwner for EntryId {
    fn text_target(&self, at: Pointer, state: &State) -> (TextTarget, Pointer) {
        let tool = state.catalog.tool(self);
        match tool.and_then(|tool| settings_place(tool, &at)) {
            Some(at) => (TextTarget::Settings, at),
            None => (TextTarget::Entry(self.clone()), at),
        }
    }

    fn edit_messages(&self, edits: Vec<Edit>, _: &Form, state: &State) -> Vec<Message> {
        let (Some(first), Some(entry)) = (edits.first(), state.catalog.entry(self)) else {
            return Vec::new();
        };
        let place = first.pointer().words_in(&entry.value.parsed());
        let label = format!("edit {place} of {}", entry.key);
        let tool = state.catalog.tool(self);
        let of_gate = tool.map_or_else(Vec::new, |tool| gate_changes(&edits, tool, state));
        let is_own =
            |edit: &Edit| tool.and_then(|tool| settings_place(tool, edit.pointer())).is_none();
        let change = |edit| Change::Entry(EntryEdit { entry: self.clone(), edit });
        let own = edits.into_iter().filter(is_own).map(change);
        vec![Message::Document(DocumentMessage::Change {
            label,
            changes: own.chain(of_gate).collect(),
        })]
    }

    fn fix_note(&self, note: usize, state: &State) -> Reply {
        let found = shown_findings(self, state).nth(note);
        match found {
            Some((at, finding)) if finding.fix.is_none() => dialogs::make_service(self, &at, state),
            Some((_, finding)) => {
                dialogs::apply_fixes(&finding.fixes().cloned().collect::<Vec<_>>())
            }
            None => Reply::Handled,
        }
    }
}

/// What was found about an entry, and about its gate where that is written elsewhere, each with its
/// place in the form. What the form finds itself is not among it.
fn shown_findings<'s>(
    entry: &'s EntryId,
    state: &'s State,
) -> impl Iterator<Item = (Pointer, &'s Finding)> {
    let own = state.findings_of(entry).map(|finding| (finding.site.pointer.clone(), finding));
    let tool = state.catalog.tool(entry);
    own.chain(tool.into_iter().flat_map(move |tool| gate_findings(tool, state)))
        .filter(|(_, finding)| finding.code != entry_rules::CODE)
}

/// Takes in the entry as it is now, and what was found about it.
pub(super) fn take_entry(form: &mut Form, entry: &Entry, state: &State) {
    let place = entry.id.place();
    let source =
        state.documents.get(&place.file).and_then(|document| document.source.as_ref().ok());
    let source = source.filter(|_| place.form == EntryForm::Plain);
    let value = match state.catalog.tool(&entry.id) {
        Some(tool) => {
            let settings = ComposeContext::from_state(state).settings_value();
            value_with_gate(entry.value.shared(), tool, settings)
        }
        None => Arc::clone(entry.value.shared()),
    };
    form.sync_written(&value, &written_in(source, place.document, &place.at));
    let tool = state.catalog.tool(&entry.id);
    let mut shared = shared_in(source, place.document, &place.at);
    shared.extend(tool.and_then(|tool| name_words(tool, state)));
    form.set_shared(shared);
    let service = |at: &Pointer| dialogs::unmade_service(&entry.id, at, state);
    let note = |(at, finding): (Pointer, &Finding)| Note {
        fix: finding.fix_words().or_else(|| service(&at)),
        at,
        severity: finding.severity,
        text: finding.message.clone(),
    };
    form.set_notes(shown_findings(&entry.id, state).map(note).collect());
}

pub(super) fn schema_of(entry: &Entry, state: &State) -> Arc<Value> {
    let schema = table::by_id(entry.system)
        .map_or(Value::Bool(true), |system| system.entry_schema(entry, &state.catalog));
    Arc::new(match state.catalog.tool(&entry.id) {
        Some(tool) => schema_with_gate(schema, tool, &state.catalog),
        None => schema,
    })
}

/// How the fields of an entry are shown, where its system says it.
pub(super) fn ui_of(entry: &Entry, state: &State) -> Option<Arc<Value>> {
    table::by_id(entry.system)?.entry_ui(entry, &state.catalog).map(Arc::new)
}
