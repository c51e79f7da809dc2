//! What TrustGraph as deployed (2.11.1) makes of a configuration: every tool, or the error that
//! stops them all.
//!
//! The order of its checks and the words it logs are kept, so that a user finds in the log what is
//! said here. Nothing looks at types there: what loads is what its Python can work with.

use std::{collections::HashMap, fmt};

use serde_json::{Map, Value};

use super::{
    keys,
    python::{self, optional_str},
    types::{self, Arguments, FieldKind, ToolType},
};
use crate::{model::service::Parameter, syntax::python::text::is_true};

/// Service entries by configuration key.
pub type Services<'v> = HashMap<&'v str, &'v Value>;

/// A tool as the agent holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// As Python prints it: `None` where there is no name.
    pub name: String,
    pub arguments: Vec<String>,
    /// What goes to the service with every call; empty for other types.
    pub config_values: Map<String, Value>,
    /// Any value that counts as true: the loader does not ask for text.
    pub request_queue: Option<Value>,
    pub response_queue: Option<Value>,
}

/// Why a tool, and with it the whole set, is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{logged}")]
pub struct LoadError {
    pub code: LoadCode,
    /// The tool's name as the log has it: `None` where it has none.
    pub tool: String,
    /// What TrustGraph logs.
    pub logged: String,
    /// The key of the entry at fault.
    pub field: &'static str,
}

/// Kinds of load errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadCode {
    NotJson,
    NotAnObject,
    UnknownType,
    NoService,
    UnknownService,
    BadService,
    ServiceWithoutQueues,
    MissingConfigParam,
    BadArguments,
    BadLimit,
    BadGate,
    BadName,
}

impl fmt::Display for LoadCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "not_json",
            Self::NotAnObject => "not_an_object",
            Self::UnknownType => "unknown_type",
            Self::NoService => "no_service",
            Self::UnknownService => "unknown_service",
            Self::BadService => "bad_service",
            Self::ServiceWithoutQueues => "service_without_queues",
            Self::MissingConfigParam => "missing_config_param",
            Self::BadArguments => "bad_arguments",
            Self::BadLimit => "bad_limit",
            Self::BadGate => "bad_gate",
            Self::BadName => "bad_name",
        })
    }
}

/// Loads a whole set, tools by configuration key in order. Of tools with one name the last counts,
/// in the place of the first.
pub fn load_tools<'v>(
    tools: impl IntoIterator<Item = (&'v str, &'v Value)>,
    services: &Services<'v>,
) -> Result<Vec<Loaded>, LoadError> {
    let mut set: Vec<Loaded> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (_, value) in tools {
        let (key, tool) = load_keyed_tool(value, services)?;
        match places.get(&key) {
            Some(place) => set[*place] = tool,
            None => {
                places.insert(key, set.len());
                set.push(tool);
            }
        }
    }
    Ok(set)
}

/// A tool, and the key under which the agent holds it.
pub(crate) fn load_keyed_tool(
    value: &Value,
    services: &Services<'_>,
) -> Result<(String, Loaded), LoadError> {
    let tool = load_tool(value, services)?;
    let name = value.get(keys::NAME);
    let key = python::dict_key(name)
        .map_err(|logged| Loading { value }.load_error(LoadCode::BadName, keys::NAME, logged))?;
    Ok((key, tool))
}

/// Builds one tool, as far as that goes before it is given its place among the others.
fn load_tool(value: &Value, services: &Services<'_>) -> Result<Loaded, LoadError> {
    let loading = Loading { value };
    python::members(value)
        .map_err(|logged| loading.load_error(LoadCode::NotAnObject, keys::TYPE, logged))?;
    let of = loading.of_type()?;
    let mut tool = Loaded {
        name: optional_str(value.get(keys::NAME)),
        arguments: Vec::new(),
        config_values: Map::new(),
        request_queue: None,
        response_queue: None,
    };
    if of.fields.iter().any(|field| field.kind == FieldKind::Service) {
        loading.bind_service(&mut tool, services)?;
    }
    tool.arguments = loading.argument_names(of.arguments)?;
    for field in of.fields.iter().filter(|field| matches!(field.kind, FieldKind::Count { .. })) {
        let given = value.get(field.key).map_or(Ok(()), python::check_int);
        given.map_err(|logged| loading.load_error(LoadCode::BadLimit, field.key, logged))?;
    }
    match gate_fault(value) {
        Some(fault) => {
            Err(loading.load_error(LoadCode::BadGate, fault.field, fault.logged.to_owned()))
        }
        None => Ok(tool),
    }
}

struct Loading<'v> {
    value: &'v Value,
}

impl Loading<'_> {
    fn load_error(&self, code: LoadCode, field: &'static str, logged: String) -> LoadError {
        LoadError { code, tool: optional_str(self.value.get(keys::NAME)), logged, field }
    }

    fn of_type(&self) -> Result<&'static ToolType, LoadError> {
        let named = self.value.get(keys::TYPE);
        named.and_then(Value::as_str).and_then(types::by_name).ok_or_else(|| {
            self.load_error(
                LoadCode::UnknownType,
                keys::TYPE,
                format!("Tool type {} not known", optional_str(named)),
            )
        })
    }

    /// Finds the service and takes its configuration values from the tool.
    fn bind_service(&self, tool: &mut Loaded, services: &Services<'_>) -> Result<(), LoadError> {
        let name = &tool.name;
        let stop = |code, logged| self.load_error(code, keys::SERVICE, logged);
        let Some(named) = self.value.get(keys::SERVICE).filter(|named| is_true(named)) else {
            let logged = format!("Tool {name} has type 'tool-service' but no 'service' reference");
            return Err(stop(LoadCode::NoService, logged));
        };
        python::dict_key(Some(named)).map_err(|logged| stop(LoadCode::UnknownService, logged))?;
        let key = optional_str(Some(named));
        let Some(service) = named.as_str().and_then(|key| services.get(key)) else {
            let logged = format!("Tool {name} references unknown tool-service '{key}'");
            return Err(stop(LoadCode::UnknownService, logged));
        };
        let members =
            python::members(service).map_err(|logged| stop(LoadCode::BadService, logged))?;
        let queue = |of: &str| members.get(of).filter(|queue| is_true(queue)).cloned();
        (tool.request_queue, tool.response_queue) =
            (queue(keys::REQUEST_QUEUE), queue(keys::RESPONSE_QUEUE));
        if tool.request_queue.is_none() || tool.response_queue.is_none() {
            let logged =
                format!("Tool-service '{key}' must define 'request-queue' and 'response-queue'");
            return Err(stop(LoadCode::ServiceWithoutQueues, logged));
        }
        for declared in
            declared_parameters(service).map_err(|logged| stop(LoadCode::BadService, logged))?
        {
            let DeclaredParameter { name: parameter, required } = declared;
            python::dict_key(parameter.as_ref())
                .map_err(|logged| stop(LoadCode::BadService, logged))?;
            let given = || self.value.as_object()?.get_key_value(parameter.as_ref()?.as_str()?);
            match given() {
                Some((parameter, given)) => {
                    drop(tool.config_values.insert(parameter.clone(), given.clone()));
                }
                None if required => {
                    let logged = format!(
                        "Tool {name} missing required config param '{}'",
                        optional_str(parameter.as_ref())
                    );
                    return Err(stop(LoadCode::MissingConfigParam, logged));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn argument_names(&self, of: Arguments) -> Result<Vec<String>, LoadError> {
        if let Arguments::Fixed { name, .. } = of {
            return Ok(vec![name.to_owned()]);
        }
        let bad = |logged: String| self.load_error(LoadCode::BadArguments, keys::ARGUMENTS, logged);
        let items =
            self.value.get(keys::ARGUMENTS).map_or(Ok(Vec::new()), python::items).map_err(bad)?;
        items
            .iter()
            .map(|item| Ok(optional_str(python::members(item).map_err(bad)?.get(keys::NAME))))
            .collect()
    }
}

/// A configuration parameter as a service declares it.
struct DeclaredParameter {
    /// The value that represents its name.
    name: Option<Value>,
    required: bool,
}

/// The configuration parameters that a service declares.
///
/// # Errors
/// When they are nothing that has items, in Python's words.
fn declared_parameters(service: &Value) -> Result<Vec<DeclaredParameter>, String> {
    let items = service.get(keys::CONFIG_PARAMS).map_or(Ok(Vec::new()), python::items)?;
    let read = |item: Value| match item {
        Value::Object(mut members) => DeclaredParameter {
            required: members.get(keys::REQUIRED).is_some_and(is_true),
            name: members.remove(keys::NAME),
        },
        name => DeclaredParameter { name: Some(name), required: false },
    };
    Ok(items.into_iter().map(read).collect())
}

/// The configuration parameters that a service declares; what has no text for a name is none.
#[must_use]
pub(crate) fn service_parameters(service: &Value) -> Vec<Parameter> {
    let named = |declared: DeclaredParameter| match declared.name {
        Some(Value::String(name)) => Some(Parameter { name, required: declared.required }),
        _ => None,
    };
    declared_parameters(service).unwrap_or_default().into_iter().filter_map(named).collect()
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
    let texts =
        |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let lists = [
        (
            keys::GROUP,
            "Tool 'group' field must be a list of strings",
            "All group names must be strings",
        ),
        (
            keys::STATES_DEPLOYED,
            "Tool 'applicable-states' field must be a list of strings",
            "All state names must be strings",
        ),
    ];
    let [group, states] = lists.map(|(field, no_list, no_texts)| {
        let given = tool.get(field)?;
        let logged = if given.is_array() { no_texts } else { no_list };
        (!texts(given)).then_some(GateFault { field, logged })
    });
    let state = tool.get(keys::STATE).filter(|state| !state.is_string());
    group
        .or(state.map(|_| GateFault {
            field: keys::STATE,
            logged: "Tool 'state' field must be a string",
        }))
        .or(states)
}
