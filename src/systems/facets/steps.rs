//! Calls of several steps that are run here, so that each can be looked at, run alone and tried
//! again.

use serde_json::{Map, Value};

use super::templates::TextPiece;
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
    /// When its steps cannot be known.
    fn preview_steps(&self, request: &Request) -> Result<Vec<StepPreview>, String>;

    /// What steps of an earlier call stored, and those before it that it went on from, from its body
    /// and its stages (name and body), for [`StepChoice::outputs`].
    fn outputs_of(&self, body: &str, stages: &[(String, String)]) -> Map<String, Value>;

    /// What came of the steps that a call ran, in order, from its stages (name and body).
    fn report_steps(&self, stages: &[(String, String)]) -> Vec<StepReport>;

    /// Which steps a call was to run, from its body, as [`Self::choose_steps`] takes them; `None`
    /// where it was to run all.
    fn choice_of(&self, body: &str) -> Option<StepChoice>;
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
    /// Whether there is something to send.
    pub is_sendable: bool,
    pub body: Option<String>,
    /// The path and the body in pieces, where templates make them.
    pub path_pieces: Vec<TextPiece>,
    pub body_pieces: Vec<TextPiece>,
    pub seen: Vec<SeenValue>,
    /// What it takes of the outputs of steps before it.
    pub feeds: Vec<StepFeed>,
    /// What it can be given in the place of what it sees.
    pub inputs: Vec<StepInput>,
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

/// The output of a step that goes into a later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFeed {
    /// The step whose output it is, from 1.
    pub from: usize,
    /// The parameter of the later step that asks for it.
    pub into: String,
}

/// Something that a step takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepInput {
    /// The argument that gives it to this step alone.
    pub argument: String,
    pub name: String,
    /// What it is without that, where it is something.
    pub value: Option<String>,
    /// Where that is from, for people.
    pub origin: String,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// From 1.
    pub number: usize,
    pub name: String,
    /// `None`: it could not be sent.
    pub sent: Option<SentStep>,
    /// `None`: no answer came.
    pub result: Option<StepResult>,
}

/// What a step sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentStep {
    pub method: String,
    pub path: String,
    pub body: Option<String>,
}

impl StepReport {
    /// Whether later steps get something of it.
    #[must_use]
    pub fn has_succeeded(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.problem.is_none())
    }
}

/// What a step was answered, and what was made of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepResult {
    pub status: u64,
    pub raw: String,
    /// Why nothing is made of it, where it is an error.
    pub problem: Option<String>,
    /// The text after filters, and where there are processors what these made.
    pub filtered: String,
    pub processed: Option<String>,
    /// Under which name later steps see it, as it is stored: escaped once, and as a connector puts
    /// it into a text: escaped twice.
    pub stored_as: String,
    pub stored: String,
    pub escaped_twice: String,
    pub remarks: Vec<String>,
}
