//! The gate of a tool whose entry has no room for it, in the form of the entry: a member that goes by
//! the name of the settings file, and whose edits are edits of that file.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value, json};

use crate::{
    app::{compose::context::ComposeContext, documents::Change, state::State},
    engine::{gate_place::GatePlace, settings::gate_table},
    model::{
        catalog::Catalog, context::UNDEFINED, finding::Finding, settings::SETTINGS, tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// The member of the form.
pub(super) fn member_pointer() -> Pointer {
    Pointer::root().child(SETTINGS)
}

/// The table of a tool's gate, and the place in it, of a place in the form; `None` where that is
/// in the tool's entry.
pub(super) fn settings_place(tool: &Tool, at: &Pointer) -> Option<Pointer> {
    Some(tool.gate_table.as_ref()?.join(&at.strip_prefix(&member_pointer())?))
}

/// The schema of an entry's form, with the gate.
pub(super) fn schema_with_gate(mut schema: Value, tool: &Tool, catalog: &Catalog) -> Value {
    if tool.gate_table.is_none() {
        return schema;
    }
    let names = catalog.gate_names();
    let groups: Vec<&str> = names.groups.iter().map(|group| &**group).collect();
    let states: BTreeSet<&str> =
        names.states.iter().map(|state| &**state).chain([UNDEFINED]).collect();
    let mut table = gate_table::table_schema();
    table["title"] = SETTINGS.into();
    table["description"] = format!(
        "When the tool is available. Its own format has no place for that, so it is saved in \
        {SETTINGS}."
    )
    .into();
    table["properties"][gate_table::GROUPS]["items"]["examples"] = json!(groups);
    table["properties"][gate_table::STATES]["items"]["examples"] = json!(states);
    table["properties"][gate_table::NEXT]["examples"] = json!(states);
    if let Some(members) = schema.as_object_mut() {
        let properties = members.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert(SETTINGS.to_owned(), table);
        }
    }
    schema
}

/// An entry's value with the gate that a settings file says.
pub(super) fn value_with_gate(
    value: &Arc<Value>,
    tool: &Tool,
    settings: Option<&Value>,
) -> Arc<Value> {
    let (Some(table), Some(members)) = (&tool.gate_table, value.as_object()) else {
        return Arc::clone(value);
    };
    let gate = settings.and_then(|settings| table.get(settings)).cloned();
    let mut members = members.clone();
    members.insert(SETTINGS.to_owned(), gate.unwrap_or_else(|| Value::Object(Map::new())));
    Arc::new(Value::Object(members))
}

/// What is said at the name of a tool whose gate goes by it: typing another one leaves that behind.
pub(super) fn name_words(tool: &Tool, state: &State) -> Option<(Pointer, String)> {
    let settings = ComposeContext::from_state(state).settings_value()?;
    tool.gate_table.as_ref()?.get(settings)?;
    let words = format!(
        "typing another name leaves its groups and states in {SETTINGS} behind; {} takes them along",
        state.keymap.way_to("rename")
    );
    Some((Pointer::root().child(tool.name_key), words))
}

/// The changes that edits of the gate in the form come to. A table that says nothing goes.
pub(super) fn gate_changes(edits: &[Edit], tool: &Tool, state: &State) -> Vec<Change> {
    let Some(table) = &tool.gate_table else { return Vec::new() };
    let context = ComposeContext::from_state(state);
    let written = context.settings_value().and_then(|settings| table.get(settings));
    let member = member_pointer();
    let mut edits: Vec<Edit> = edits
        .iter()
        .filter_map(|edit| edit.strip_prefix(&member))
        .filter(|edit| written.is_some() || !matches!(edit, Edit::Remove { .. }))
        .map(|edit| edit.with_prefix(table))
        .collect();
    let takes_last = |edit: &Edit| {
        let left = written.and_then(Value::as_object).map_or(0, Map::len);
        matches!(edit, Edit::Remove { at } if left == 1 && at.parent().as_ref() == Some(table))
    };
    if let [edit] = edits.as_mut_slice()
        && takes_last(edit)
    {
        *edit = Edit::Remove { at: table.clone() };
    }
    context.settings_changes(edits)
}

/// What was found about a tool's gate, each with its place in the form.
pub(super) fn gate_findings<'s>(
    tool: &'s Tool,
    state: &'s State,
) -> impl Iterator<Item = (Pointer, &'s Finding)> {
    let place = GatePlace::of_tool(&state.catalog, tool);
    let (entry, home) = (place.entry, place.at);
    let is_elsewhere = entry.id != tool.entry.id;
    let findings = state.findings_of(&entry.id).filter(move |_| is_elsewhere);
    findings.filter_map(move |finding| {
        let inside = finding.site.pointer.strip_prefix(&home)?;
        Some((member_pointer().join(&inside), finding))
    })
}
