//! Breakpoints: calls that are asked about although others are made without asking.

use serde_json::Value;

use super::call_check::CallFault;
use crate::schema::pointer::Pointer;

/// Where a run stops to ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Breakpoint {
    /// Before calls of this tool, by name or key.
    Tool(String),
    /// Before calls in this state.
    State(String),
    /// Before calls that have this argument; with this value, where one is given.
    Argument { at: Pointer, value: Option<Value> },
    /// Before calls whose arguments are wrong, and after a call that failed.
    Error,
}

/// What a breakpoint is held against.
#[derive(Clone, Copy, Debug)]
pub struct BreakContext<'c> {
    pub tool: &'c str,
    pub key: &'c str,
    pub state: &'c str,
    pub arguments: &'c Value,
    pub fault: Option<&'c CallFault>,
    /// The call before failed.
    pub after_failure: bool,
}

/// How breakpoints are written, for help and errors.
pub const BREAKPOINT_FORMS: &str =
    "tool:NAME, state:NAME, argument:NAME, argument:NAME=VALUE, or error";

impl Breakpoint {
    /// Reads `tool:NAME`, `state:NAME`, `argument:NAME`, `argument:NAME=VALUE` or `error`. A name of
    /// an argument is a pointer where it begins with `/`; a value is JSON, else a text.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("write {BREAKPOINT_FORMS}");
        if text == "error" {
            return Ok(Self::Error);
        }
        match text.split_once(':') {
            Some((_, "")) | None => Err(wrong()),
            Some(("tool", name)) => Ok(Self::Tool(name.to_owned())),
            Some(("state", name)) => Ok(Self::State(name.to_owned())),
            Some(("argument", rest)) => {
                let (name, value) = match rest.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (rest, None),
                };
                let at = match name.starts_with('/') {
                    true => Pointer::parse(name).map_err(|_| wrong())?,
                    false => Pointer::root().child(name),
                };
                let value = value
                    .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)));
                Ok(Self::Argument { at, value })
            }
            Some(_) => Err(wrong()),
        }
    }

    /// Whether a run stops here.
    #[must_use]
    pub fn is_at(&self, context: &BreakContext<'_>) -> bool {
        match self {
            Self::Tool(name) => name == context.tool || name == context.key,
            Self::State(state) => state == context.state,
            Self::Argument { at, value } => {
                let found = at.get(context.arguments);
                found.is_some_and(|found| value.as_ref().is_none_or(|value| value == found))
            }
            Self::Error => context.fault.is_some() || context.after_failure,
        }
    }
}

impl std::fmt::Display for Breakpoint {
    /// As [`Breakpoint::parse`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tool(name) => write!(f, "tool:{name}"),
            Self::State(state) => write!(f, "state:{state}"),
            Self::Argument { at, value } => {
                match at.tokens() {
                    [name] if !name.starts_with('/') => write!(f, "argument:{name}")?,
                    _ => write!(f, "argument:{at}")?,
                }
                value.as_ref().map_or(Ok(()), |value| write!(f, "={value}"))
            }
            Self::Error => f.write_str("error"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_stops_at_a_tool_a_state_an_argument_or_an_error() {
        let arguments = json!({"topic": "cats", "deep": {"n": 3}});
        let fault = CallFault::NamesVariable;
        let calm = BreakContext {
            tool: "tell-joke",
            key: "joke",
            state: "findings",
            arguments: &arguments,
            fault: None,
            after_failure: false,
        };
        for (text, stops) in [
            ("tool:tell-joke", true),
            ("tool:joke", true),
            ("tool:other", false),
            ("state:findings", true),
            ("state:start", false),
            ("argument:topic", true),
            ("argument:topic=cats", true),
            ("argument:topic=dogs", false),
            ("argument:/deep/n=3", true),
            ("argument:/deep/n=4", false),
            ("argument:missing", false),
            ("error", false),
        ] {
            let breakpoint = Breakpoint::parse(text).unwrap();
            assert_eq!(breakpoint.is_at(&calm), stops, "{text}");
            assert_eq!(Breakpoint::parse(&breakpoint.to_string()), Ok(breakpoint), "{text}");
        }
        let error = Breakpoint::parse("error").unwrap();
        assert!(error.is_at(&BreakContext { fault: Some(&fault), ..calm }));
        assert!(error.is_at(&BreakContext { after_failure: true, ..calm }));
        for wrong in ["", "tool:", "step:1", "tool"] {
            assert!(Breakpoint::parse(wrong).unwrap_err().contains("tool:NAME"), "{wrong}");
        }
    }
}
