//! What TrustGraph as deployed (2.11.1) makes of a configuration: every tool, or the error that stops them all.
//!
//! The order of its checks and the words it logs are kept, so that a user finds in the log what is said here.

use std::{collections::HashMap, fmt};

use serde_json::{Map, Value};

use super::{
    keys, request,
    types::{self, Arguments, FieldKind},
};
use crate::{model::service::Parameter, syntax::python::type_name};

/// Service entries by configuration key.
pub type Services<'v> = HashMap<&'v str, &'v Value>;

/// A tool as the agent holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Python's `None` where there is no name.
    pub name: String,
    pub arguments: Vec<String>,
    /// What goes to the service with every call; empty for other types.
    pub config_values: Map<String, Value>,
    pub request_queue: Option<String>,
    pub response_queue: Option<String>,
}

/// Why a tool, and with it the whole set, is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{logged}")]
pub struct LoadError {
    pub code: LoadCode,
    /// The tool's name, or its key where it has none.
    pub tool: String,
    /// What TrustGraph logs.
    pub logged: String,
    /// The key of the entry at fault.
    pub field: &'static str,
}

/// Kinds of load errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadCode {
    NotAnObject,
    UnknownType,
    NoService,
    UnknownService,
    ServiceWithoutQueues,
    MissingConfigParam,
    BadArguments,
    BadLimit,
    BadGate,
}

impl fmt::Display for LoadCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnObject => "not_an_object",
            Self::UnknownType => "unknown_type",
            Self::NoService => "no_service",
            Self::UnknownService => "unknown_service",
            Self::ServiceWithoutQueues => "service_without_queues",
            Self::MissingConfigParam => "missing_config_param",
            Self::BadArguments => "bad_arguments",
            Self::BadLimit => "bad_limit",
            Self::BadGate => "bad_gate",
        })
    }
}

/// Loads a whole set, tools by configuration key in order. Of tools with one name the last counts.
pub fn load<'v>(
    tools: impl IntoIterator<Item = (&'v str, &'v Value)>,
    services: &Services<'v>,
) -> Result<Vec<Loaded>, LoadError> {
    let mut set: Vec<Loaded> = Vec::new();
    let mut rows: HashMap<String, usize> = HashMap::new();
    for (key, value) in tools {
        let tool = load_tool(key, value, services)?;
        match rows.get(&tool.name) {
            Some(row) => set[*row] = tool,
            None => {
                rows.insert(tool.name.clone(), set.len());
                set.push(tool);
            }
        }
    }
    Ok(set)
}

/// Loads one tool, as it is loaded among its set.
pub fn load_tool(key: &str, value: &Value, services: &Services<'_>) -> Result<Loaded, LoadError> {
    let loading = Loading { key, value };
    if !value.is_object() {
        return Err(loading.stop(
            LoadCode::NotAnObject,
            keys::TYPE,
            format!("'{}' object has no attribute 'get'", type_name(value)),
        ));
    }
    let named = value.get(keys::TYPE);
    let unknown = || loading.stop(LoadCode::UnknownType, keys::TYPE, format!("Tool type {} not known", python(named)));
    let of = named.and_then(Value::as_str).and_then(types::by_name).ok_or_else(unknown)?;
    let mut tool = Loaded {
        name: python(value.get(keys::NAME)),
        arguments: Vec::new(),
        config_values: Map::new(),
        request_queue: None,
        response_queue: None,
    };
    if of.fields.iter().any(|field| field.kind == FieldKind::Service) {
        loading.bind(&mut tool, services)?;
    }
    tool.arguments = loading.arguments(of.arguments)?;
    for field in of.fields.iter().filter(|field| matches!(field.kind, FieldKind::Count { .. })) {
        if let Some(given) = value.get(field.key).filter(|given| !is_count(given)) {
            let logged = format!("invalid literal for int() with base 10: {}", python(Some(given)));
            return Err(loading.stop(LoadCode::BadLimit, field.key, logged));
        }
    }
    match gate_fault(value) {
        Some(fault) => Err(loading.stop(LoadCode::BadGate, fault.field, fault.logged.to_owned())),
        None => Ok(tool),
    }
}

struct Loading<'v> {
    key: &'v str,
    value: &'v Value,
}

impl Loading<'_> {
    fn stop(&self, code: LoadCode, field: &'static str, logged: String) -> LoadError {
        let name = self.value.get(keys::NAME).and_then(Value::as_str).unwrap_or(self.key);
        LoadError { code, tool: name.to_owned(), logged, field }
    }

    /// Finds the service and takes its configuration values from the tool.
    fn bind(&self, tool: &mut Loaded, services: &Services<'_>) -> Result<(), LoadError> {
        let name = &tool.name;
        let Some(key) = self.value.get(keys::SERVICE).and_then(Value::as_str).filter(|key| !key.is_empty()) else {
            let logged = format!("Tool {name} has type 'tool-service' but no 'service' reference");
            return Err(self.stop(LoadCode::NoService, keys::SERVICE, logged));
        };
        let Some(service) = services.get(key) else {
            let logged = format!("Tool {name} references unknown tool-service '{key}'");
            return Err(self.stop(LoadCode::UnknownService, keys::SERVICE, logged));
        };
        let queue = |of: &str| service.get(of).and_then(Value::as_str).filter(|queue| !queue.is_empty()).map(str::to_owned);
        tool.request_queue = queue(keys::REQUEST_QUEUE);
        tool.response_queue = queue(keys::RESPONSE_QUEUE);
        if tool.request_queue.is_none() || tool.response_queue.is_none() {
            let logged = format!("Tool-service '{key}' must define 'request-queue' and 'response-queue'");
            return Err(self.stop(LoadCode::ServiceWithoutQueues, keys::SERVICE, logged));
        }
        let parameters = parameters(service);
        if let Some(missing) = parameters.iter().find(|parameter| parameter.required && self.value.get(&parameter.name).is_none())
        {
            let logged = format!("Tool {name} missing required config param '{}'", missing.name);
            return Err(self.stop(LoadCode::MissingConfigParam, keys::SERVICE, logged));
        }
        tool.config_values = request::configuration(self.value, &parameters);
        Ok(())
    }

    fn arguments(&self, of: Arguments) -> Result<Vec<String>, LoadError> {
        if let Arguments::Fixed { name, .. } = of {
            return Ok(vec![name.to_owned()]);
        }
        let bad = |logged: String| self.stop(LoadCode::BadArguments, keys::ARGUMENTS, logged);
        match self.value.get(keys::ARGUMENTS) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| match item {
                    Value::Object(_) => Ok(python(item.get(keys::NAME))),
                    other => Err(bad(format!("'{}' object has no attribute 'get'", type_name(other)))),
                })
                .collect(),
            Some(Value::String(text)) if text.is_empty() => Ok(Vec::new()),
            Some(Value::Object(members)) if members.is_empty() => Ok(Vec::new()),
            Some(Value::String(_) | Value::Object(_)) => Err(bad("'str' object has no attribute 'get'".into())),
            Some(other) => Err(bad(format!("'{}' object is not iterable", type_name(other)))),
        }
    }
}

/// The configuration parameters that a service declares.
#[must_use]
pub fn parameters(service: &Value) -> Vec<Parameter> {
    let declared = service.get(keys::CONFIG_PARAMS).and_then(Value::as_array);
    let parameter = |item: &Value| {
        let name = item.as_str().or_else(|| item.get(keys::NAME)?.as_str())?;
        Some(Parameter { name: name.to_owned(), required: item.get(keys::REQUIRED).and_then(Value::as_bool).unwrap_or(false) })
    };
    declared.into_iter().flatten().filter_map(parameter).collect()
}

/// What is wrong with a tool's gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateFault {
    pub field: &'static str,
    /// What TrustGraph logs.
    pub logged: &'static str,
}

/// TrustGraph's own check of group, state and applicable-states: the first fault.
#[must_use]
pub fn gate_fault(tool: &Value) -> Option<GateFault> {
    let texts = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let lists = [
        (keys::GROUP, "Tool 'group' field must be a list", "All group names must be strings"),
        (keys::STATES_DEPLOYED, "Tool 'applicable-states' field must be a list", "All state names must be strings"),
    ];
    let [group, states] = lists.map(|(field, no_list, no_texts)| {
        let given = tool.get(field)?;
        let logged = if given.is_array() { no_texts } else { no_list };
        (!texts(given)).then_some(GateFault { field, logged })
    });
    let state = tool.get(keys::STATE).filter(|state| !state.is_string());
    group.or(state.map(|_| GateFault { field: keys::STATE, logged: "Tool 'state' field must be a string" })).or(states)
}

/// Whether Python's `int()` takes a value.
#[must_use]
pub fn is_count(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::String(text) => {
            let digits = text.trim();
            let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
            !digits.is_empty() && digits.chars().all(|letter| letter.is_ascii_digit())
        }
        _ => false,
    }
}

/// A value as Python prints it, for the texts of errors.
fn python(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "None".into(),
        Some(Value::Bool(true)) => "True".into(),
        Some(Value::Bool(false)) => "False".into(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
