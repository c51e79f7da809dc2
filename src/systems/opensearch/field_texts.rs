//! What the fields of an entry come to for samples: templates filled in, filters and processors on
//! sample answers.

mod connector_fields;
pub(super) mod pieces;
pub(super) mod step_fields;

use serde_json::{Map, Value, json};

use super::{
    entries::EntrySort,
    steps::{
        plan::{Plan, step_places},
        state::RunState,
    },
    tool,
};
use crate::{
    model::entry::Entry,
    schema::pointer::Pointer,
    systems::facets::templates::{ANSWERS, FieldText, PARAMETERS, Samples},
};

/// The schema of samples for an entry: what a request may give, and the answers of its steps;
/// `None` where it has neither templates nor steps.
#[must_use]
pub fn sample_schema(entry: &Entry) -> Option<Value> {
    let value = &entry.value;
    let (mut parameters, steps) = match EntrySort::of_entry(value) {
        EntrySort::Listed => return None,
        EntrySort::Connector => (connector_fields::asked_schema(value), Vec::new()),
        _ => {
            let plan = Plan::of_entry(value);
            let asked = tool::asked_schema(value);
            let schema = match tool::declared_schema(value) {
                Some(declared) => with_asked_names(declared, &asked),
                None => asked,
            };
            let names = plan.steps.iter().map(|step| step.called().to_owned()).collect();
            (schema, names)
        }
    };
    if let Some(members) = parameters.as_object_mut() {
        // What has no sample is seen where it is missing.
        members.shift_remove("required");
        members.insert("description".into(), "What a request gives, as in Invoke".into());
    }
    let mut properties = Map::new();
    properties.insert(PARAMETERS.into(), parameters);
    let step = |name: String| {
        let help = "A sample of the cluster's answer, to see the result of filters and processors \
            and what later steps get";
        (name, json!({"type": "string", "format": "multiline", "description": help}))
    };
    if !steps.is_empty() {
        let steps: Map<String, Value> = steps.into_iter().map(step).collect();
        properties.insert(
            ANSWERS.into(),
            json!({
                "type": "object", "properties": steps,
                "description": "A sample of each step's answer",
            }),
        );
    }
    Some(json!({"type": "object", "properties": properties}))
}

/// A declared schema with the names that the templates ask for and it doesn't have: a sample of
/// them can be given all the same.
fn with_asked_names(mut declared: Value, asked: &Value) -> Value {
    let members = declared.as_object_mut().map(|schema| schema.entry("properties"));
    let properties = members.map(|properties| properties.or_insert_with(|| json!({})));
    if let (Some(Value::Object(properties)), Some(asked)) =
        (properties, asked["properties"].as_object())
    {
        for (name, schema) in asked {
            properties.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
    declared
}

/// What each template, filter and processor of an entry results in.
#[must_use]
pub fn render_fields(entry: &Entry, samples: &Samples) -> Vec<FieldText> {
    let value = &entry.value;
    match EntrySort::of_entry(value) {
        EntrySort::Listed => Vec::new(),
        EntrySort::Connector => connector_fields::connector_texts(value, samples),
        _ => step_texts(value, samples),
    }
}

fn step_texts(entry: &Value, samples: &Samples) -> Vec<FieldText> {
    let plan = Plan::of_entry(entry);
    let places: Vec<Pointer> = step_places(entry);
    let names: Vec<&str> = plan.steps.iter().map(|step| step.called()).collect();
    let declared = tool::declared_schema(entry);
    let mut state = RunState::from_arguments(&samples.parameters);
    let mut texts = Vec::new();
    for (number, (step, at)) in plan.steps.iter().zip(places).enumerate() {
        let around = step_fields::StepContext {
            at,
            number,
            // Where a model chooses the steps, none of them is before another.
            before: if plan.is_open { &[] } else { &names[..number] },
            declared: declared.as_ref(),
        };
        let answer = samples.answers.get(step.called()).and_then(Value::as_str);
        let stored = around.add_step(step, &state, answer, &mut texts);
        if let Some(stored) = stored.filter(|_| !plan.is_open) {
            state.store_output(number, step.called(), &stored);
        }
    }
    texts
}
