//! A run as it is asked for: the entry, its arguments, and which of its steps are to run. It is the
//! body of the request that a call begins with.

use serde_json::{Map, Value, json};

use super::{plan::Plan, state::RunState};

/// Which steps are to run, each counted from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRange {
    /// The first; steps before it are not run, and what they stored is taken from `outputs`.
    pub from: usize,
    /// The last; `None`: to the end.
    pub until: Option<usize>,
    /// What an earlier run stored, as [`RunState::restore_outputs`] reads it.
    pub outputs: Map<String, Value>,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOrder {
    pub entry: Value,
    pub arguments: Map<String, Value>,
    pub range: StepRange,
    /// Connectors and models of the workspace that its steps may go through.
    pub behind: Vec<Value>,
}

const BEHIND: &str = "behind";
const ENTRY: &str = "entry";
const ARGUMENTS: &str = "arguments";
const FROM: &str = "from";
const UNTIL: &str = "until";
const OUTPUTS: &str = "outputs";

impl RunOrder {
    /// The body of a request that asks for it.
    #[must_use]
    pub fn to_body(&self) -> String {
        let mut body = json!({ ENTRY: self.entry, ARGUMENTS: self.arguments });
        if self.range.from > 0 {
            body[FROM] = (self.range.from + 1).into();
        }
        if let Some(until) = self.range.until {
            body[UNTIL] = (until + 1).into();
        }
        if !self.range.outputs.is_empty() {
            body[OUTPUTS] = self.range.outputs.clone().into();
        }
        if !self.behind.is_empty() {
            body[BEHIND] = self.behind.clone().into();
        }
        body.to_string()
    }

    /// What a request's body asks for; `None` where it is none of these.
    #[must_use]
    pub fn from_body(body: &str) -> Option<Self> {
        let mut body: Map<String, Value> = serde_json::from_str(body).ok()?;
        let number = |body: &Map<String, Value>, member: &str| {
            let number = usize::try_from(body.get(member)?.as_u64()?).ok()?;
            number.checked_sub(1)
        };
        let object = |value: Option<Value>| match value {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        };
        let range = StepRange {
            from: number(&body, FROM).unwrap_or_default(),
            until: number(&body, UNTIL),
            outputs: object(body.remove(OUTPUTS)),
        };
        let arguments = object(body.remove(ARGUMENTS));
        let behind = match body.remove(BEHIND) {
            Some(Value::Array(behind)) => behind,
            _ => Vec::new(),
        };
        Some(Self { entry: body.remove(ENTRY)?, arguments, range, behind })
    }

    /// The steps of its entry, as far as the request picks them.
    ///
    /// # Errors
    /// When it picks one that is not there, when there is none, or when a model chooses them.
    pub fn read_plan(&self) -> Result<Plan, String> {
        let selected = self.arguments.get(crate::systems::opensearch::keys::SELECTED_TOOLS);
        let plan = Plan::of_entry(&self.entry).with_selection(selected)?;
        if plan.is_open {
            return Err(
                "a model chooses the steps of this agent, so that only the cluster can run it"
                    .into(),
            );
        }
        if plan.steps.is_empty() {
            return Err("it has no steps".into());
        }
        Ok(plan)
    }

    /// What the first step begins with.
    #[must_use]
    pub fn begin(&self) -> RunState {
        let mut state = RunState::from_arguments(&self.arguments);
        state.restore_outputs(&self.range.outputs);
        state
    }

    /// The numbers of the steps that are to run, of so many.
    #[must_use]
    pub fn step_numbers(&self, count: usize) -> std::ops::Range<usize> {
        let end = self.range.until.map_or(count, |until| (until + 1).min(count));
        self.range.from.min(end)..end
    }
}
