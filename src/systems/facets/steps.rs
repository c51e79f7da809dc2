//! Calls of several steps that are run here, so that each can be looked at, run alone and tried
//! again.

use serde_json::{Map, Value};

use crate::model::{call::Request, problem::Problem};

/// Runs the steps of a call itself.
pub trait Steps: Sync {
    /// The request with only these steps of it.
    ///
    /// # Errors
    /// When it has no such step, or its steps are not run here.
    fn choose_steps(&self, request: Request, choice: &StepChoice) -> Result<Request, Problem>;

    /// The steps of a request as they would be sent, as far as that is known before they run; none
    /// where they are not run here.
    ///
    /// # Errors
    /// When its steps cannot be told.
    fn preview_steps(&self, request: &Request) -> Result<Vec<StepPreview>, String>;

    /// What steps of an earlier call stored, and those before it that it went on from, from its body
    /// and its stages (name and body), for [`StepChoice::outputs`].
    fn outputs_of(&self, body: &str, stages: &[(String, String)]) -> Map<String, Value>;
}

/// Which steps are to run; each is named by its number from 1, or by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepChoice {
    pub from: Option<String>,
    pub until: Option<String>,
    pub only: Option<String>,
    /// What the steps before stored in an earlier call.
    pub outputs: Map<String, Value>,
}

/// A step before it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPreview {
    /// From 1.
    pub number: usize,
    pub name: String,
    /// `GET /_nodes/n1/stats`, or why nothing is sent.
    pub line: String,
    pub body: Option<String>,
    pub seen: Vec<SeenValue>,
    pub remarks: Vec<String>,
    /// The same for scripts.
    pub json: Value,
}

/// A parameter that a step sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenValue {
    pub name: String,
    pub value: String,
    /// Where it is from, for people: `the output of step 1`.
    pub origin: String,
    /// The step itself says it.
    pub is_own: bool,
}
