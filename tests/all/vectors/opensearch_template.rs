//! Templates of OpenSearch: what they are filled in with, and what becomes of them.

use serde_json::{Map, Value, json};
use toolcrib::systems::opensearch::{
    connector::{
        address::{AddressError, render_address},
        body::{BodyError, escape_values, prepare_parameters, render_body},
        headers::{HeaderError, render_headers},
    },
    dynamic::{DynamicError, build_request, filter_answer},
    output::store_output,
    template::{
        marks::PARAMETERS,
        render::{RenderError, render_template},
        text_map::{TextMap, stringify_values},
    },
    tool_parameters::{ToolSpec, merge_parameters, unpack_input},
};

use super::same;

/// Parameters that are texts already, or null.
fn texts(value: &Value) -> TextMap {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.clone(), value.as_str().map(str::to_owned))).collect()
}

fn stringified(value: &Value) -> TextMap {
    value.as_object().map(stringify_values).unwrap_or_default()
}

fn failure(error: &str, detail: impl Into<Value>) -> Value {
    json!({"error": error, "detail": detail.into()})
}

fn template_failure(error: RenderError) -> Value {
    match error {
        RenderError::Cycle { chain, .. } => failure("cycle", chain),
        other => failure("template", other.message()),
    }
}

/// A result compared with what the case expects of it.
fn compare(what: &str, got: Result<Value, Value>, case: &Value) -> Result<(), String> {
    same(what, &got.unwrap_or_else(|error| error), &case["expect"])
}

pub fn substitute(case: &Value) -> Result<(), String> {
    let template = case["template"].as_str().unwrap();
    let prefix = case["prefix"].as_str().unwrap_or(PARAMETERS);
    let got = render_template(template, prefix, &texts(&case["params"]))
        .map(|rendered| json!({"text": rendered.text}))
        .map_err(template_failure);
    compare("text", got, case)
}

pub fn stringify(case: &Value) -> Result<(), String> {
    compare("parameters", Ok(json!({"params": stringified(&case["params"])})), case)
}

pub fn escape(case: &Value) -> Result<(), String> {
    compare("parameters", Ok(json!({"params": escape_values(&texts(&case["params"]))})), case)
}

fn prepared(case: &Value) -> TextMap {
    prepare_parameters(&stringified(&case["defaults"]), &stringified(&case["params"]))
}

pub fn body(case: &Value) -> Result<(), String> {
    let template = case["template"].as_str().unwrap();
    let got = match render_body(template, &prepared(case)) {
        Ok(body) => {
            // Where the parsed body is given, comparing that is enough.
            let expected = &case["expect"];
            return match expected.get("json") {
                Some(json) => same("body", &body.json.unwrap_or_default(), json),
                None => same("text", &body.rendered.text.into(), &expected["text"]),
            };
        }
        Err(BodyError::Template(error)) => template_failure(error),
        Err(BodyError::InvalidPayload(rendered)) => failure("invalid_payload", rendered.text),
        Err(BodyError::Unfilled(names, _)) => failure("unfilled", names),
    };
    compare("error", Err(got), case)
}

pub fn url(case: &Value) -> Result<(), String> {
    let got = render_address(case["template"].as_str().unwrap(), &prepared(case))
        .map(|rendered| json!({"text": rendered.text}))
        .map_err(|error| match error {
            AddressError::Template(error) => template_failure(error),
            AddressError::BadUrl { rendered, .. } => failure("bad_url", rendered.text),
        });
    compare("address", got, case)
}

pub fn headers(case: &Value) -> Result<(), String> {
    let template: Vec<(String, String)> = case["template"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    let got = render_headers(
        &template,
        &stringified(&case["credential"]),
        &stringified(&case["params"]),
        case["protocol"].as_str(),
    )
    .map(|headers| {
        let sent: Map<String, Value> =
            headers.into_iter().map(|(name, value)| (name, value.into())).collect();
        json!({"headers": sent})
    })
    .map_err(|error| match error {
        HeaderError::NotAllowed(name) => failure("header_not_allowed", name),
        HeaderError::Unresolved(name) => failure("header_unresolved", name),
        HeaderError::Template(_, error) => template_failure(error),
        other => failure("header", other.to_string()),
    });
    compare("headers", got, case)
}

fn tool_of(case: &Value) -> ToolSpec {
    ToolSpec::from_entry(&case["tool"])
}

pub fn tool_params(case: &Value) -> Result<(), String> {
    let merged = merge_parameters(&tool_of(case), &stringified(&case["params"]));
    compare("parameters", Ok(json!({"params": merged})), case)
}

pub fn tool_input(case: &Value) -> Result<(), String> {
    let attributes = stringified(&case["attributes"]);
    let unpacked = unpack_input(&stringified(&case["params"]), &attributes);
    compare("parameters", Ok(json!({"params": unpacked})), case)
}

pub fn step_output(case: &Value) -> Result<(), String> {
    let output = store_output(&case["output"], case["output_filter"].as_str());
    compare("output", Ok(json!({"filtered": output.filtered, "param": output.stored})), case)
}

pub fn dynamic_request(case: &Value) -> Result<(), String> {
    let merged = merge_parameters(&tool_of(case), &stringified(&case["params"]));
    let got = build_request(&merged)
        .map(|request| {
            json!({
                "method": request.method,
                "uri": request.uri.text,
                "body": request.body.map(|body| body.json),
            })
        })
        .map_err(|error| match error {
            DynamicError::NoUri => failure("no_uri", Value::Null),
            DynamicError::NoMethod => failure("no_method", Value::Null),
            DynamicError::BadMethod(method) => failure("bad_method", method),
            DynamicError::BadBody { rendered, .. } => failure("bad_body", rendered.text),
            DynamicError::Template(_, error) => template_failure(error),
        });
    compare("request", got, case)
}

pub fn dynamic_output(case: &Value) -> Result<(), String> {
    let got = filter_answer(case["response"].as_str().unwrap(), case["response_filter"].as_str())
        .map(|text| json!({"text": text}))
        .map_err(|_| failure("filter_no_match", case["expect"]["detail"].clone()));
    compare("text", got, case)
}
