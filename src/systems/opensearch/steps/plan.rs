//! The steps of an entry, in order.

use serde_json::Value;

use crate::{
    schema::pointer::Pointer,
    systems::opensearch::{
        entries::EntrySort,
        keys,
        template::{marks::PARAMETERS, text_map::text_of},
        tool_parameters::ToolSpec,
    },
};

/// What is run, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What it is called.
    pub name: String,
    pub steps: Vec<ToolSpec>,
    /// What the order of its steps is left to: a model, which no plan foresees.
    pub is_open: bool,
}

impl Plan {
    /// The steps of an entry: those of a composite tool, the tools of a flow agent, or the tool
    /// itself.
    #[must_use]
    pub fn of_entry(entry: &Value) -> Self {
        let name = entry.get(keys::NAME).and_then(Value::as_str).unwrap_or_default().to_owned();
        match EntrySort::of_entry(entry) {
            EntrySort::Agent => {
                let kind = entry.get(keys::TYPE).and_then(Value::as_str).unwrap_or_default();
                let is_flow = ["flow", "conversational_flow"]
                    .iter()
                    .any(|flow| flow.eq_ignore_ascii_case(kind));
                let tools = entry.get(keys::TOOLS).and_then(Value::as_array);
                let steps = tools.into_iter().flatten().flat_map(expand_tool).collect();
                Self { name, steps, is_open: !is_flow }
            }
            _ => Self { name, steps: expand_tool(entry), is_open: false },
        }
    }

    /// The plan with the tools that a request picks, in its order (`selected_tools`).
    ///
    /// # Errors
    /// When it picks one that is not there.
    pub fn with_selection(mut self, selected: Option<&Value>) -> Result<Self, String> {
        let names: Vec<String> = match selected {
            None | Some(Value::Null) => return Ok(self),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map_err(|_| format!("selected_tools is a list of names, not {text}"))?,
            Some(other) => serde_json::from_value(other.clone())
                .map_err(|_| format!("selected_tools is a list of names, not {other}"))?,
        };
        self.steps = names
            .iter()
            .map(|name| {
                let found = self.steps.iter().find(|step| step.called() == name).cloned();
                found.ok_or_else(|| format!("selected_tools names {name}, which is no step"))
            })
            .collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The number of the step, from 0, that a text names: by its number from 1, or by its name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find_step(&self, text: &str) -> Result<usize, String> {
        let by_number =
            text.parse::<usize>().ok().filter(|number| (1..=self.steps.len()).contains(number));
        let by_name = || self.steps.iter().position(|step| step.called() == text);
        by_number.map(|number| number - 1).or_else(by_name).ok_or_else(|| {
            let names: Vec<String> = self
                .steps
                .iter()
                .enumerate()
                .map(|(at, step)| format!("{} {}", at + 1, step.called()))
                .collect();
            format!("{text} is no step; they are {}", names.join(", "))
        })
    }
}

/// The steps of a tool: those that it lists, else itself.
fn expand_tool(tool: &Value) -> Vec<ToolSpec> {
    let own = ToolSpec::from_entry(tool);
    let Some(listed) = tool.get(keys::TOOL_STEPS).and_then(Value::as_array) else {
        return vec![own];
    };
    let mut steps: Vec<ToolSpec> = listed.iter().map(ToolSpec::from_entry).collect();
    for step in &mut steps {
        // What the whole tool says holds for each step that does not say it itself.
        for (key, value) in &own.parameters {
            step.parameters.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    steps
}

/// Where the steps of [`Plan::of_entry`] stand in the entry, one for one.
#[must_use]
pub fn step_places(entry: &Value) -> Vec<Pointer> {
    match EntrySort::of_entry(entry) {
        EntrySort::Agent => {
            let tools = entry.get(keys::TOOLS).and_then(Value::as_array);
            let home = Pointer::root().child(keys::TOOLS);
            let placed = tools.into_iter().flatten().enumerate();
            placed.flat_map(|(row, tool)| expand_place(tool, home.item(row))).collect()
        }
        _ => expand_place(entry, Pointer::root()),
    }
}

fn expand_place(tool: &Value, at: Pointer) -> Vec<Pointer> {
    match tool.get(keys::TOOL_STEPS).and_then(Value::as_array) {
        None => vec![at],
        Some(steps) => {
            let home = at.child(keys::TOOL_STEPS);
            (0..steps.len()).map(|row| home.item(row)).collect()
        }
    }
}

/// The members of a step that are templates, with their texts. What is for a connector is one where
/// it has placeholders: they are filled in with the connector's body.
#[must_use]
pub fn templates_of(step: &ToolSpec) -> Vec<(&str, &str)> {
    const ALWAYS: [&str; 3] = [keys::URI, keys::REQUEST_BODY, keys::INPUT];
    let always = ALWAYS.iter().filter_map(|name| Some((*name, text_of(&step.parameters, name)?)));
    let others = step.parameters.iter().filter_map(|(name, text)| {
        let text = text.as_deref().filter(|text| text.contains(PARAMETERS))?;
        let is_other = goes_to_connector(step) && !ALWAYS.contains(&name.as_str());
        is_other.then_some((name.as_str(), text))
    });
    always.chain(others).collect()
}

/// Whether the cluster passes a step's parameters on to a connector.
fn goes_to_connector(step: &ToolSpec) -> bool {
    !is_dynamic(step) && matches!(&*step.tool_type, keys::MODEL_TOOL | keys::CONNECTOR_TOOL)
}

/// Whether a step calls an API of the cluster by its path.
#[must_use]
pub fn is_dynamic(step: &ToolSpec) -> bool {
    step.tool_type == keys::DYNAMIC_TOOL || step.parameters.contains_key(keys::URI)
}
