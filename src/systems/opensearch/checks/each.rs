//! What several checks look at: each step of an entry, and each of its templates.

use serde_json::Value;

use crate::{
    model::entry::Entry,
    schema::pointer::Pointer,
    systems::opensearch::{
        connector::headers::has_parameter, entries::EntrySort, keys, steps::plan::templates_of,
        tool_parameters::ToolSpec,
    },
};

/// A step of an entry, and where it is in it.
pub(super) struct StepAt {
    pub at: Pointer,
    pub spec: ToolSpec,
}

impl StepAt {
    /// Where one of its parameters is.
    pub fn parameter(&self, name: &str) -> Pointer {
        self.at.child(keys::PARAMETERS).child(name)
    }
}

/// The steps that an entry itself says: the tools of an agent are entries of their own.
pub(super) fn own_steps(entry: &Entry) -> Vec<StepAt> {
    let value = &entry.value;
    match EntrySort::of_entry(value) {
        EntrySort::Composite => listed_steps(value, keys::TOOL_STEPS),
        EntrySort::Dynamic | EntrySort::Typed => {
            vec![StepAt { at: Pointer::root(), spec: ToolSpec::from_entry(value) }]
        }
        EntrySort::Agent | EntrySort::Connector | EntrySort::Model | EntrySort::Listed => {
            Vec::new()
        }
    }
}

/// The steps that a member of an entry lists.
pub(super) fn listed_steps(entry: &Value, member: &str) -> Vec<StepAt> {
    let items = entry.get(member).and_then(Value::as_array);
    let step = |(row, item): (usize, &Value)| StepAt {
        at: Pointer::root().child(member).item(row),
        spec: ToolSpec::from_entry(item),
    };
    items.into_iter().flatten().enumerate().map(step).collect()
}

/// A template of an entry, and where it is.
pub(super) struct TemplateAt {
    pub at: Pointer,
    pub text: String,
}

/// Every template that an entry itself says.
pub(super) fn own_templates(entry: &Entry) -> Vec<TemplateAt> {
    let mut templates = Vec::new();
    for step in own_steps(entry) {
        for (name, text) in templates_of(&step.spec) {
            templates.push(TemplateAt { at: step.parameter(name), text: text.to_owned() });
        }
    }
    for (at, action) in actions(&entry.value) {
        for name in ["url", keys::REQUEST_BODY] {
            if let Some(text) = action.get(name).and_then(Value::as_str) {
                templates.push(TemplateAt { at: at.child(name), text: text.to_owned() });
            }
        }
        let headers = action.get("headers").and_then(Value::as_object);
        for (name, value) in headers.into_iter().flatten() {
            if let Some(text) = value.as_str().filter(|text| has_parameter(text)) {
                let at = at.child("headers").child(name.as_str());
                templates.push(TemplateAt { at, text: text.to_owned() });
            }
        }
    }
    templates
}

/// The actions of a connector, each with its place.
pub(super) fn actions(entry: &Value) -> Vec<(Pointer, &Value)> {
    if EntrySort::of_entry(entry) != EntrySort::Connector {
        return Vec::new();
    }
    let items = entry.get(keys::ACTIONS).and_then(Value::as_array);
    let home = Pointer::root().child(keys::ACTIONS);
    items.into_iter().flatten().enumerate().map(|(row, item)| (home.item(row), item)).collect()
}
