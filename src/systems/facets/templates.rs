//! Fields of entries that are templates, filters and processors: what becomes of them for samples.

use serde_json::{Map, Value};

use crate::{model::entry::Entry, schema::pointer::Pointer};

/// Fills templates in before anything is called.
pub trait Templates: Sync {
    /// The schema of [`Samples`] for an entry; `None` where it has no templates.
    fn sample_schema(&self, entry: &Entry) -> Option<Value>;

    /// What each template, filter and processor of an entry results in, by the field it is in.
    fn render_fields(&self, entry: &Entry, samples: &Samples) -> Vec<FieldText>;
}

/// What fields are filled in with, and what filters are tried on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// What a request gives.
    pub parameters: Map<String, Value>,
    /// The raw answers of steps, as texts, by the names of the steps.
    pub answers: Map<String, Value>,
}

/// The members of [`Samples`] as the schema and the form of samples name them.
pub const PARAMETERS: &str = "parameters";
pub const ANSWERS: &str = "answers";

/// What a field results in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldText {
    pub at: Pointer,
    /// The text, in order.
    pub pieces: Vec<TextPiece>,
    pub remarks: Vec<FieldRemark>,
}

/// A piece of a text, all of it from one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPiece {
    pub text: String,
    pub origin: PieceOrigin,
    /// The name of the parameter, where it is one's value.
    pub name: Option<String>,
}

/// Where a piece of a text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceOrigin {
    /// The template itself.
    Template,
    /// What the request gives, and so a model.
    Request,
    /// The tool's own parameters and configuration.
    Tool,
    /// A default in the template.
    Default,
    /// What an earlier step stored.
    Output,
    /// A variable of the environment, or a credential: filled in when it is sent.
    Environment,
    /// The placeholder itself: nothing gives its name a value.
    Unfilled,
}

impl PieceOrigin {
    /// Those of values, in the order in which legends have them.
    pub const VALUES: [Self; 6] =
        [Self::Request, Self::Tool, Self::Default, Self::Output, Self::Environment, Self::Unfilled];

    /// Its word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Request => "request",
            Self::Tool => "tool",
            Self::Default => "default",
            Self::Output => "step output",
            Self::Environment => "environment",
            Self::Unfilled => "not filled in",
        }
    }
}

/// Something worth knowing of what a field results in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRemark {
    pub level: RemarkLevel,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkLevel {
    /// A way to go on, for whoever looks at the field.
    Hint,
    /// A rule that acts here.
    Rule,
    Warning,
    Error,
}
