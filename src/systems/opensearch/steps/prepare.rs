//! One step before it is sent: the parameters that it sees, each with where it is from, and its
//! request.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    plan::{is_dynamic, templates_of},
    state::RunState,
};
use crate::{
    schema::ordering::PutInOrder,
    systems::opensearch::{
        connector::request::{RemoteRequest, remote_request},
        dynamic::{DynamicError, build_request},
        keys,
        template::{
            marks::PARAMETERS,
            parse::find_placeholders,
            render::{Origin, Rendered},
            text_map::{TextMap, text_of},
        },
        tool_parameters::{ToolSpec, merge_parameters, unpack_input},
    },
};

/// Where a parameter of a step is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterOrigin {
    /// The tool's own `parameters`.
    Tool,
    Request,
    /// A key of the request that names the tool: `<tool>.x`.
    RequestForTool,
    /// The tool's `config`, which wins over all.
    Config,
    /// The output of the step of that number, from 0.
    Output(usize),
    /// A member of the tool's `input`.
    Input,
    /// Nothing says it: toolcrib takes the likely one.
    Assumed,
}

impl ParameterOrigin {
    /// The origin for people.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Tool => "the tool".into(),
            Self::Request => "the request".into(),
            Self::RequestForTool => "the request, for this tool".into(),
            Self::Config => "the tool's config".into(),
            Self::Output(step) => format!("the output of step {}", step + 1),
            Self::Input => "the tool's input".into(),
            Self::Assumed => "toolcrib".into(),
        }
    }
}

/// A parameter as a step sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenParameter {
    pub name: String,
    pub value: Option<String>,
    pub origin: ParameterOrigin,
}

/// What a step sends to the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRequest {
    pub method: String,
    /// Path and query, from the slash on.
    pub path: String,
    pub body: Option<String>,
    /// The texts of the path and the body with where their pieces are from; those of steps without
    /// templates of their own are all the step's.
    pub rendered: Vec<(&'static str, Rendered)>,
}

/// A step, ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedStep {
    /// From 0.
    pub number: usize,
    pub called: String,
    pub tool_type: String,
    pub seen: Vec<SeenParameter>,
    /// The parameters as they are filled in.
    pub parameters: TextMap,
    /// The request, or why there is none.
    pub request: Result<StepRequest, String>,
    /// What the connector behind it then sends.
    pub remote: Option<RemoteRequest>,
    /// Names in its texts that only its connector could give a value: the cluster runs the step.
    pub left_open: Vec<String>,
    /// What is worth knowing before it is sent.
    pub remarks: Vec<String>,
}

impl PreparedStep {
    /// Names that nothing gives a value, in the texts that would be sent.
    #[must_use]
    pub fn unfilled_names(&self) -> Vec<String> {
        let mut known = HashSet::new();
        let rendered = self.request.iter().flat_map(|request| &request.rendered);
        let names = rendered.flat_map(|(_, rendered)| rendered.unfilled_names());
        names.filter(|name| known.insert(*name)).map(str::to_owned).collect()
    }

    /// The step with what the connector behind it sends, where `known` holds that one.
    #[must_use]
    pub fn with_remote(self, step: &ToolSpec, known: &[Value]) -> Self {
        // One with a path of its own is sent to the cluster as it is.
        let remote = match is_dynamic(step) || self.request.is_err() {
            true => None,
            false => remote_request(step, &self.parameters, known),
        };
        Self { remote, ..self }
    }

    /// The step as JSON, for traces and scripts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let seen: Map<String, Value> = self
            .seen
            .iter()
            .map(|seen| {
                let row = json!({"value": seen.value, "from": seen.origin.words()});
                (seen.name.clone(), row)
            })
            .collect();
        let mut step = json!({
            "step": self.number + 1, "name": self.called, "type": self.tool_type,
            "parameters": seen,
        });
        match &self.request {
            Ok(request) => {
                step["method"] = request.method.as_str().into();
                step["path"] = request.path.as_str().into();
                step["body"] = request.body.as_deref().into();
            }
            Err(why) => step["error"] = why.as_str().into(),
        }
        if let Some(remote) = &self.remote {
            step["remote"] = remote.to_json();
        }
        step["unfilled"] = self.unfilled_names().into();
        step["remarks"] = self.remarks.clone().into();
        step
    }
}

/// Prepares a step of a run; `templates` are rendered by the rules of `DynamicTool` where the step
/// has a path of its own, else the cluster runs the tool and only the parameters are ours.
#[must_use]
pub fn prepare_step(number: usize, step: &ToolSpec, state: &RunState) -> PreparedStep {
    let merged = merge_parameters(step, &state.parameters());
    let mut remarks = Vec::new();
    let (parameters, request) = if is_dynamic(step) {
        let parameters = with_method(merged, &mut remarks);
        let request = dynamic_request(&parameters, &mut remarks);
        (parameters, request)
    } else {
        let parameters = unpack_input(&merged, &step.attributes);
        let request = server_request(step, &parameters);
        (parameters, request)
    };
    let mut seen: Vec<SeenParameter> = parameters
        .iter()
        .map(|(name, value)| SeenParameter {
            name: name.clone(),
            value: value.clone(),
            origin: origin_of(name, step, state),
        })
        .collect();
    seen.order_by_key(|seen| matches!(seen.origin, ParameterOrigin::Tool));
    let given = seen.iter().filter(|seen| {
        matches!(seen.origin, ParameterOrigin::Request | ParameterOrigin::RequestForTool)
    });
    for parameter in given {
        if parameter.value.as_deref().is_some_and(|value| value.contains(PARAMETERS)) {
            remarks.push(format!(
                "the value of {} has a placeholder, which is filled in, too",
                parameter.name
            ));
        }
    }
    let left_open = left_open(step, &parameters);
    PreparedStep {
        number,
        called: step.called().to_owned(),
        tool_type: step.tool_type.clone(),
        seen,
        parameters,
        request,
        remote: None,
        left_open,
        remarks,
    }
}

/// What is said of a name that only a connector could give a value.
#[must_use]
pub fn left_open_remark(name: &str) -> String {
    format!("{name} has no value, unless the connector has one")
}

/// Names in the texts of a step that the cluster runs, which have no value there.
fn left_open(step: &ToolSpec, parameters: &TextMap) -> Vec<String> {
    if is_dynamic(step) {
        return Vec::new();
    }
    let texts = templates_of(step).into_iter().map(|(member, text)| {
        // What a request says takes the place of the step's own text.
        text_of(parameters, member).unwrap_or(text)
    });
    let texts: Vec<&str> = texts.collect();
    let placeholders = texts.iter().flat_map(|text| find_placeholders(text, PARAMETERS));
    let mut known = HashSet::new();
    placeholders
        .filter(|found| found.default.is_none() && !parameters.contains_key(found.name))
        .filter(|found| known.insert(found.name))
        .map(|found| found.name.to_owned())
        .collect()
}

/// The proposal's steps name no method: with a body it is POST, else GET.
fn with_method(mut parameters: TextMap, remarks: &mut Vec<String>) -> TextMap {
    if text_of(&parameters, keys::METHOD).is_none() {
        let has_body = text_of(&parameters, keys::REQUEST_BODY)
            .is_some_and(|body| !body.is_empty() && body != "null");
        let method = if has_body { "POST" } else { "GET" };
        remarks.push(format!("no method: {method} is used"));
        parameters.insert(keys::METHOD.into(), Some(method.into()));
    }
    parameters
}

fn dynamic_request(parameters: &TextMap, remarks: &mut Vec<String>) -> Result<StepRequest, String> {
    let built = build_request(parameters).map_err(|error| match error {
        DynamicError::BadBody { rendered, why } if !rendered.unfilled_names().is_empty() => {
            let names = rendered.unfilled_names().join(", ");
            format!("the body isn't JSON ({why}): {names} has no value")
        }
        other => other.to_string(),
    })?;
    let has_blank = built.uri.text.contains(char::is_whitespace);
    if has_blank || built.uri.text.contains(['"', '<', '>', '\\', '^', '`', '{', '|', '}']) {
        let is_unfilled = !built.uri.unfilled_names().is_empty();
        if !is_unfilled {
            remarks.push(
                "the path holds letters that no URL may have; values go in as they are".into(),
            );
        }
    }
    let slash = if built.uri.text.starts_with('/') { "" } else { "/" };
    let path = encode_path(&format!("{slash}{}", built.uri.text));
    let mut rendered = vec![(keys::URI, built.uri)];
    let body = built.body.map(|body| {
        let text = body.rendered.text.clone();
        remarks.extend(raw_value_remarks(&body.rendered));
        rendered.push((keys::REQUEST_BODY, body.rendered));
        text
    });
    Ok(StepRequest { method: built.method, path, body, rendered })
}

/// Values that add members to a body, since nothing escapes them.
#[must_use]
pub fn raw_value_remarks(rendered: &Rendered) -> Vec<String> {
    let breaks = |text: &str| text.contains('"') && !text.trim_start().starts_with(['{', '[']);
    let mut known = HashSet::new();
    let breaking = rendered.pieces.iter().filter_map(|piece| match &piece.from {
        Origin::Value(name) if breaks(&rendered.text[piece.range.clone()]) => Some(name.as_str()),
        _ => None,
    });
    breaking
        .filter(|name| known.insert(*name))
        .map(|name| {
            format!(
                "the value of {name} has a quote and is inserted unchanged: it may \
            add members to the body"
            )
        })
        .collect()
}

/// A path as it can stand in a request: what no URL may have is percent-encoded.
fn encode_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_graphic() && !br#""<>\^`{|}#"#.contains(&byte);
        if is_plain {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The request by which the cluster runs a tool of its own: a model, an agent, or any type.
fn server_request(step: &ToolSpec, parameters: &TextMap) -> Result<StepRequest, String> {
    let named = |name: &str| {
        let value = text_of(parameters, name).filter(|value| !value.trim().is_empty());
        value.ok_or_else(|| format!("{} needs {name} among its parameters", step.tool_type))
    };
    let path = match step.tool_type.as_str() {
        "" => return Err("the step has no type".into()),
        keys::MODEL_TOOL => format!("{}/models/{}/_predict", keys::ML, named(keys::MODEL_ID)?),
        keys::AGENT_TOOL => format!("{}/agents/{}/_execute", keys::ML, named(keys::AGENT_ID)?),
        other => format!("{}/tools/_execute/{other}", keys::ML),
    };
    let values: Map<String, Value> =
        parameters.iter().map(|(name, value)| (name.clone(), value.as_deref().into())).collect();
    let body = json!({ "parameters": values }).to_string();
    Ok(StepRequest {
        method: "POST".into(),
        path: encode_path(&path),
        body: Some(body),
        rendered: Vec::new(),
    })
}

/// Where a parameter is from: what was laid on last is asked first.
fn origin_of(name: &str, step: &ToolSpec, state: &RunState) -> ParameterOrigin {
    if step.config.contains_key(name) {
        return ParameterOrigin::Config;
    }
    if state.request.contains_key(&format!("{}.{name}", step.called())) {
        return ParameterOrigin::RequestForTool;
    }
    if let Some((_, number, _)) = state.outputs.iter().find(|(known, ..)| known == name) {
        return ParameterOrigin::Output(*number);
    }
    if state.request.contains_key(name) {
        return ParameterOrigin::Request;
    }
    if step.parameters.contains_key(name) {
        ParameterOrigin::Tool
    } else if is_dynamic(step) {
        ParameterOrigin::Assumed
    } else {
        ParameterOrigin::Input
    }
}
