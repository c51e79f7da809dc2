//! `after_execution`: what a result does to its turn, and where that was said.

use serde_json::Value;

use crate::syntax::python::text as python;

/// What becomes of the turn that waits for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterExecution {
    /// It takes the result, its epoch goes up by one, and the model is asked again.
    Suspend,
    /// It ends, and the result is what it delivers.
    Terminate,
}

impl AfterExecution {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Terminate => "terminate",
        }
    }

    /// The value of exactly that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Suspend, Self::Terminate].into_iter().find(|after| after.as_str() == word)
    }

    /// The value as CommonGround reads it: trimmed.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        Self::of_word(python::strip(value.as_str()?))
    }

    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Suspend => "the turn goes on with the result",
            Self::Terminate => "the result ends the turn",
        }
    }
}

/// Who said it; the first that does, wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Given to the builder of the result.
    Explicit,
    /// `__cg_control.after_execution` in the result itself.
    Control,
    /// The service sets its own: `openapi_service` takes it from the tool's row.
    Service,
    Command,
    /// Nobody did.
    Default,
    /// As the result card has it.
    Stored,
}

impl Origin {
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Explicit => "given with the result",
            Self::Control => "__cg_control in the result",
            Self::Service => "set by the service",
            Self::Command => "from the command",
            Self::Default => "nobody said anything else",
            Self::Stored => "as the result card has it",
        }
    }
}

/// The value and who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    pub after: AfterExecution,
    pub origin: Origin,
}

/// The override that a result carries: valid after trimming.
#[must_use]
pub(crate) fn control_override(result: &Value) -> Option<AfterExecution> {
    AfterExecution::from_value(&result["__cg_control"]["after_execution"])
}

/// What could say it when a result is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct AfterSource {
    pub explicit: Option<AfterExecution>,
    pub service: Option<AfterExecution>,
    pub command: Option<AfterExecution>,
}

/// What is written into a new result.
#[must_use]
pub(crate) fn on_writing(said: AfterSource, result: &Value) -> Effective {
    let rows = [
        (said.explicit, Origin::Explicit),
        (control_override(result), Origin::Control),
        (said.service, Origin::Service),
        (said.command, Origin::Command),
    ];
    let first =
        rows.into_iter().find_map(|(after, origin)| Some(Effective { after: after?, origin }));
    first.unwrap_or(Effective { after: AfterExecution::Suspend, origin: Origin::Default })
}

/// What counts when a stored result is read.
#[must_use]
pub fn on_reading(stored: AfterExecution, result: &Value) -> Effective {
    match control_override(result) {
        Some(after) => Effective { after, origin: Origin::Control },
        None => Effective { after: stored, origin: Origin::Stored },
    }
}

/// What several results of one step do to the turn: any that terminates ends it, and the first of
/// these that did not succeed gives the turn its status.
#[must_use]
pub fn turn_outcome<'r>(
    results: impl IntoIterator<Item = (&'r str, AfterExecution)>,
) -> (AfterExecution, &'r str) {
    let mut ending = results
        .into_iter()
        .filter(|(_, after)| *after == AfterExecution::Terminate)
        .map(|(status, _)| status)
        .peekable();
    if ending.peek().is_none() {
        return (AfterExecution::Suspend, "success");
    }
    (AfterExecution::Terminate, ending.find(|status| *status != "success").unwrap_or("success"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_who_says_it_wins() {
        let all = AfterSource {
            explicit: Some(AfterExecution::Suspend),
            service: Some(AfterExecution::Suspend),
            command: Some(AfterExecution::Suspend),
        };
        let result = json!({"__cg_control": {"after_execution": "terminate"}});
        let origin = |said, result: &Value| on_writing(said, result).origin;
        assert_eq!(origin(all, &result), Origin::Explicit);
        assert_eq!(origin(AfterSource { explicit: None, ..all }, &result), Origin::Control);
        assert_eq!(origin(AfterSource { explicit: None, ..all }, &json!({})), Origin::Service);
        assert_eq!(
            origin(AfterSource { explicit: None, service: None, ..all }, &json!({})),
            Origin::Command
        );
        assert_eq!(
            origin(AfterSource::default(), &json!({"__cg_control": {"after_execution": "later"}})),
            Origin::Default
        );
    }
}
