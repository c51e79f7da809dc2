//! Whether a call that a model wants can be made: its tool is there, and its arguments fit.

use serde_json::Value;

use super::turn::ToolCall;
use crate::{
    engine::{filter::Filter, gated::Gated, template, workflow::similar},
    model::context::Context,
    schema::{
        literal::Literal,
        validate::{Checker, Issue},
    },
};

/// What is wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFault {
    /// No tool has that name; the nearest one that is offered, where one is near.
    NoTool { near: Option<String> },
    /// The tool is hidden, for these reasons.
    Hidden(Vec<String>),
    /// The arguments are not a JSON object.
    NotJson(String),
    /// The arguments do not fit the tool's schema, each with its place.
    BadArguments(Vec<String>),
    /// The arguments name a variable, which would be filled in.
    NamesVariable,
}

impl CallFault {
    /// Stable word for scripts.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::NoTool { .. } => "no-tool",
            Self::Hidden(_) => "hidden",
            Self::NotJson(_) => "not-json",
            Self::BadArguments(_) => "bad-arguments",
            Self::NamesVariable => "names-variable",
        }
    }
}

impl std::fmt::Display for CallFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTool { near: Some(near) } => {
                write!(f, "there is no such tool; did you mean \"{near}\"?")
            }
            Self::NoTool { near: None } => write!(f, "there is no such tool"),
            Self::Hidden(reasons) => write!(f, "the tool is not available: {}", reasons.join("; ")),
            Self::NotJson(why) => write!(f, "the arguments are not a JSON object: {why}"),
            Self::BadArguments(issues) => {
                write!(f, "the arguments don't fit the schema: {}", issues.join("; "))
            }
            Self::NamesVariable => {
                write!(f, "arguments of a model may not name variables of the environment")
            }
        }
    }
}

/// The row of the tool that a model calls so, among all tools; one that is available first.
#[must_use]
pub fn row_of_call<T: Gated>(tools: &[T], context: &Context, name: &str) -> Option<usize> {
    let filter = Filter::new(context);
    let named = |row: &usize| tools[*row].name() == name;
    let rows = || (0..tools.len()).filter(named);
    rows().find(|row| filter.admits(tools[*row].gate())).or_else(|| rows().next())
}

/// What is wrong with the tool of a call; its row where nothing is.
///
/// # Errors
/// There is no such tool, or it is hidden.
pub fn check_tool<T: Gated>(
    tools: &[T],
    context: &Context,
    name: &str,
) -> Result<usize, CallFault> {
    let filter = Filter::new(context);
    let Some(row) = row_of_call(tools, context, name) else {
        let offered = tools.iter().filter(|tool| filter.admits(tool.gate())).map(Gated::name);
        let near = similar::nearest_name(name, offered).map(str::to_owned);
        return Err(CallFault::NoTool { near });
    };
    let reasons = filter.hidden_reasons(tools[row].gate());
    match reasons.is_empty() {
        true => Ok(row),
        false => Err(CallFault::Hidden(reasons.iter().map(ToString::to_string).collect())),
    }
}

/// The arguments of a call, numbers as the model wrote them.
///
/// # Errors
/// They are no JSON object, name a variable, or do not fit the schema.
pub fn check_arguments(call: &ToolCall, schema: &Value) -> Result<Literal, CallFault> {
    let text = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    let arguments = Literal::parse(text).map_err(|error| CallFault::NotJson(error.to_string()))?;
    if !arguments.value().is_object() {
        return Err(CallFault::NotJson("it is another kind of value".into()));
    }
    if template::names_variable(arguments.value()) {
        return Err(CallFault::NamesVariable);
    }
    // What the schema itself lacks is for `toolcrib check`.
    let Ok(checker) = Checker::compile(schema) else { return Ok(arguments) };
    let words = |issue: &Issue| match issue.at.is_root() {
        true => issue.words.clone(),
        false => format!("{}: {}", issue.at, issue.words),
    };
    let issues: Vec<String> = checker.issues(arguments.value()).iter().map(words).collect();
    if issues.is_empty() { Ok(arguments) } else { Err(CallFault::BadArguments(issues)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        engine::gated::Slot,
        model::tool::{Gate, States},
    };

    fn call(arguments: &str) -> ToolCall {
        ToolCall { id: "1".into(), name: "sum".into(), arguments: arguments.into() }
    }

    #[test]
    fn arguments_are_held_against_the_schema() {
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
        let fault = |arguments: &str| {
            check_arguments(&call(arguments), &schema).map_err(|fault| fault.word())
        };
        assert_eq!(check_arguments(&call("{\"a\": 1}"), &schema).unwrap().to_json(), "{\"a\": 1}");
        assert_eq!(fault("{\"a\": \"x\"}"), Err("bad-arguments"));
        assert_eq!(fault(""), Err("bad-arguments"));
        assert_eq!(fault("{\"a\":"), Err("not-json"));
        assert_eq!(fault("[1]"), Err("not-json"));
        assert_eq!(fault("{\"a\": 1, \"b\": \"{{env.HOME}}\"}"), Err("names-variable"));
    }

    #[test]
    fn a_tool_that_is_hidden_or_unknown_is_not_called() {
        let slot = |name: &str, states: States| Slot {
            key: name.into(),
            name: name.into(),
            gate: Gate { states, ..Gate::open() },
        };
        let tools = [slot("sum", States::Every), slot("reset", States::Only(vec!["end".into()]))];
        let check = |name: &str| check_tool(&tools, &Context::default(), name);
        assert_eq!(check("sum"), Ok(0));
        assert_eq!(check("sun"), Err(CallFault::NoTool { near: Some("sum".into()) }));
        assert_eq!(check("reset").unwrap_err().word(), "hidden");
    }
}
