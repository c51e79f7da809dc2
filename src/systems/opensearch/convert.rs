//! Entries in another shape: a dynamic tool, a composite tool, a flow agent.

use serde_json::{Map, Value, json};

use super::{
    entries::EntrySort,
    keys,
    steps::plan::{Plan, is_dynamic},
    template::text_map::text_of,
};

/// A shape that entries are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `tool_steps`, as the proposal has it.
    Steps,
    /// `DynamicTool`, as it was built.
    Dynamic,
    /// A flow agent with the steps as its tools.
    Agent,
}

impl Shape {
    pub const ALL: [Self; 3] = [Self::Steps, Self::Dynamic, Self::Agent];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Dynamic => "dynamic",
            Self::Agent => "agent",
        }
    }

    /// The shape of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.as_str() == word)
    }
}

/// An entry in another shape, and what is not as before.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    pub entry: Value,
    pub remarks: Vec<String>,
}

/// Converts an entry.
///
/// # Errors
/// When it cannot be put in that shape, with why.
pub fn convert_entry(entry: &Value, to: Shape) -> Result<Converted, String> {
    let sort = EntrySort::of_entry(entry);
    if matches!(sort, EntrySort::Connector | EntrySort::Model | EntrySort::Listed) {
        return Err("only tools and agents can be converted".into());
    }
    let plan = Plan::of_entry(entry);
    if plan.is_open {
        return Err("a model chooses the steps of this agent; no other shape can express \
            that"
            .into());
    }
    let mut remarks = Vec::new();
    let steps: Vec<Value> =
        raw_steps(entry).iter().map(|step| with_method(step, &mut remarks)).collect();
    let name = entry.get(keys::NAME).and_then(Value::as_str).unwrap_or_default();
    let entry = match to {
        Shape::Dynamic => match steps.as_slice() {
            [step]
                if step.get(keys::PARAMETERS).is_some_and(|own| own.get(keys::URI).is_some()) =>
            {
                let mut step = step.clone();
                step[keys::TYPE] = keys::DYNAMIC_TOOL.into();
                copy_missing(entry, &mut step, &[keys::NAME, keys::DESCRIPTION, keys::ATTRIBUTES]);
                step
            }
            [_] => return Err("its step has no uri: the cluster runs it by its type".into()),
            many => return Err(format!("it has {} steps; a DynamicTool has one", many.len())),
        },
        Shape::Steps => {
            let mut composite = json!({ keys::NAME: name, keys::TOOL_STEPS: steps });
            copy_missing(entry, &mut composite, &[keys::DESCRIPTION, keys::ATTRIBUTES]);
            composite
        }
        Shape::Agent => {
            let has_dynamic = plan.steps.iter().any(is_dynamic);
            if has_dynamic {
                remarks.push("no released OpenSearch has DynamicTool: a cluster registers the agent, and fails when it runs; toolcrib runs it".into());
            }
            let typed = steps.into_iter().map(|mut step| {
                if step.get(keys::PARAMETERS).is_some_and(|own| own.get(keys::URI).is_some()) {
                    step[keys::TYPE] = keys::DYNAMIC_TOOL.into();
                }
                step
            });
            let tools: Vec<Value> = typed.collect();
            let mut agent = json!({ keys::NAME: name, keys::TYPE: "flow", keys::TOOLS: tools });
            copy_missing(entry, &mut agent, &[keys::DESCRIPTION]);
            agent
        }
    };
    Ok(Converted { entry, remarks })
}

/// The steps of an entry as they stand, those of composite tools in the place of these.
fn raw_steps(entry: &Value) -> Vec<Value> {
    let list = |member: &str| entry.get(member).and_then(Value::as_array);
    if let Some(steps) = list(keys::TOOL_STEPS) {
        let own = entry.get(keys::PARAMETERS).and_then(Value::as_object);
        return steps.iter().map(|step| with_defaults(step, own)).collect();
    }
    match list(keys::TOOLS) {
        Some(tools) => tools.iter().flat_map(raw_steps).collect(),
        None => vec![entry.clone()],
    }
}

/// A step with what the whole tool says for all of its steps.
fn with_defaults(step: &Value, defaults: Option<&Map<String, Value>>) -> Value {
    let mut step = step.clone();
    if let (Some(defaults), Some(members)) = (defaults, step.as_object_mut()) {
        let own = members.entry(keys::PARAMETERS).or_insert_with(|| json!({}));
        if let Some(own) = own.as_object_mut() {
            for (name, value) in defaults {
                own.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    step
}

/// A step that calls an API, with its method.
fn with_method(step: &Value, remarks: &mut Vec<String>) -> Value {
    let mut step = step.clone();
    let spec = super::tool_parameters::ToolSpec::from_entry(&step);
    if !is_dynamic(&spec) || text_of(&spec.parameters, keys::METHOD).is_some() {
        return step;
    }
    let own =
        step.as_object_mut().map(|members| members.entry(keys::PARAMETERS).or_insert(json!({})));
    if let Some(own) = own.and_then(Value::as_object_mut) {
        let method = if spec.parameters.contains_key(keys::REQUEST_BODY) { "POST" } else { "GET" };
        own.insert(keys::METHOD.into(), method.into());
        remarks.push(format!("{} has no method; {method} is used", spec.called()));
    }
    step
}

fn copy_missing(from: &Value, to: &mut Value, members: &[&str]) {
    for member in members {
        if let Some(value) = from.get(*member)
            && to.get(*member).is_none()
        {
            to[*member] = value.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_step() -> impl Strategy<Value = Value> {
        let text = r#"(\$\{parameters\.[ab]\}|/|"|a|ü){0,4}"#;
        let parameters = prop::collection::btree_map("[a-c]", text, 0..3);
        let method = prop::option::of(prop::sample::select(vec!["GET", "POST"]));
        (method, text, prop::option::of(text), parameters, any::<bool>()).prop_map(
            |(method, uri, body, own, is_included)| {
                let mut parameters: Map<String, Value> =
                    own.into_iter().map(|(name, value)| (name, value.into())).collect();
                parameters.insert(keys::URI.into(), format!("/{uri}").into());
                parameters.extend(method.map(|method| (keys::METHOD.to_owned(), method.into())));
                parameters.extend(body.map(|body| (keys::REQUEST_BODY.to_owned(), body.into())));
                json!({
                    keys::TYPE: keys::DYNAMIC_TOOL, keys::PARAMETERS: parameters,
                    keys::CONFIG: {"c": "fixed"}, keys::INCLUDE_OUTPUT: is_included,
                })
            },
        )
    }

    fn named_steps() -> impl Strategy<Value = Vec<Value>> {
        prop::collection::vec(any_step(), 1..4).prop_map(|mut steps| {
            for (at, step) in steps.iter_mut().enumerate() {
                step[keys::NAME] = format!("s{at}").into();
            }
            steps
        })
    }

    #[test]
    fn parameters_that_are_no_object_are_left_alone() {
        for odd in [json!(3), json!([]), json!("x"), Value::Null] {
            let entry = json!({keys::TYPE: keys::DYNAMIC_TOOL, keys::PARAMETERS: odd});
            let converted = convert_entry(&entry, Shape::Steps).unwrap();
            assert_eq!(converted.entry[keys::TOOL_STEPS][0][keys::PARAMETERS], odd);
            assert_eq!(converted.remarks, [""; 0]);
        }
    }

    proptest! {
        /// What both shapes can say is the same in both, there and back.
        #[test]
        fn steps_stay_the_same_in_every_shape(steps in named_steps(), defaults in any::<bool>()) {
            let mut composite = json!({
                keys::NAME: "t", keys::DESCRIPTION: "d", keys::TOOL_STEPS: steps,
            });
            if defaults {
                composite[keys::PARAMETERS] = json!({"a": "own", "z": 1});
            }
            let first = convert_entry(&composite, Shape::Steps).unwrap().entry;
            let agent = convert_entry(&first, Shape::Agent).unwrap().entry;
            let back = convert_entry(&agent, Shape::Steps).unwrap().entry;
            prop_assert_eq!(&back, &first);
            prop_assert_eq!(Plan::of_entry(&agent).steps, Plan::of_entry(&first).steps);
            prop_assert_eq!(&agent[keys::DESCRIPTION], "d");

            let dynamic = convert_entry(&composite, Shape::Dynamic);
            prop_assert_eq!(dynamic.is_ok(), steps.len() == 1);
            if let Ok(dynamic) = dynamic {
                let own = &Plan::of_entry(&first).steps[0];
                prop_assert_eq!(&Plan::of_entry(&dynamic.entry).steps[0], own);
            }
        }

        /// Whatever an entry says, it is converted or refused.
        #[test]
        fn any_entry_is_converted_or_refused(
            members in prop::collection::btree_map(
                r"name|type|tools|tool_steps|parameters|actions|protocol",
                prop_oneof![
                    Just(json!("flow")), Just(json!([])), Just(json!([1, {}, null])), Just(json!(3)),
                    Just(json!([{"type": "XTool", "parameters": 5}])), Just(json!({"uri": "/"})),
                    Just(json!("DynamicTool")), Just(json!([{"parameters": {"uri": 5}}])),
                ],
                0..5,
            )
        ) {
            let entry: Value = members.into_iter().collect::<Map<_, _>>().into();
            for shape in Shape::ALL {
                let _ = convert_entry(&entry, shape);
            }
        }
    }
}
