//! What a connector sends for a step: its address, headers and body, each by its rules, and what
//! its functions do before and after. It is only reported: the cluster sends it.

use serde_json::{Map, Value, json};

use super::{
    address::{AddressError, render_address},
    body::{prepare_parameters, render_body},
    headers::render_headers,
};
use crate::systems::opensearch::{
    keys,
    template::text_map::{TextMap, stringify_values, text_of},
    tool_parameters::ToolSpec,
};

/// The parameter that names the action of a `ConnectorTool`, and the one that it takes unasked.
const ACTION: &str = "connector_action";
const EXECUTE: &str = "execute";
const PREDICT: &str = "predict";

/// The parameter by which a script runs before what is given as parameters, too.
const RUNS_ALWAYS: &str = "pre_process_function.process_remote_inference_input";

/// What functions of the framework pick of an answer, by their names.
const PICKED: &[(&str, &str)] = &[
    ("connector.post_process.openai.embedding", "$.data[*].embedding"),
    ("connector.post_process.cohere.embedding", "$.embeddings"),
    ("connector.post_process.cohere_v2.embedding.float", "$.embeddings.float"),
    ("connector.post_process.cohere_v2.embedding.int8", "$.embeddings.int8"),
    ("connector.post_process.cohere_v2.embedding.uint8", "$.embeddings.uint8"),
    ("connector.post_process.cohere_v2.embedding.binary", "$.embeddings.binary"),
    ("connector.post_process.cohere_v2.embedding.ubinary", "$.embeddings.ubinary"),
    ("connector.post_process.default.embedding", "$[*]"),
    ("connector.post_process.bedrock.embedding", "$.embedding"),
    ("connector.post_process.bedrock_v2.embedding.float", "$.embeddingsByType.float"),
    ("connector.post_process.bedrock_v2.embedding.binary", "$.embeddingsByType.binary"),
    ("connector.post_process.bedrock.nova.embedding", "$.embeddings[*].embedding"),
    ("connector.post_process.bedrock.batch_job_arn", "$"),
    ("connector.post_process.cohere.rerank", "$.results"),
    ("connector.post_process.bedrock.rerank", "$.results"),
    ("connector.post_process.default.rerank", "$[*]"),
    ("connector.post_process.mlcommons.passthrough", "$"),
];

/// A connector's request.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteRequest {
    /// The connector's name.
    pub connector: String,
    pub method: String,
    /// The address, or why there is none; the same for headers and body.
    pub url: Result<String, String>,
    pub headers: Result<Vec<(String, String)>, String>,
    pub body: Result<Option<String>, String>,
    /// What its functions do, each in a sentence.
    pub functions: Vec<String>,
}

impl RemoteRequest {
    /// It for people, line by line.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let url = self.url.as_deref().unwrap_or_else(|why| why);
        let mut lines =
            vec![format!("connector {} then sends {} {url}", self.connector, self.method)];
        match &self.headers {
            Ok(headers) => {
                lines.extend(
                    headers.iter().map(|(name, value)| format!("its header {name}: {value}")),
                );
            }
            Err(why) => lines.push(format!("its headers cannot be sent: {why}")),
        }
        match &self.body {
            Ok(Some(body)) => lines.push(format!("its body {body}")),
            Ok(None) => {}
            Err(why) => lines.push(format!("its body cannot be sent: {why}")),
        }
        lines.extend(self.functions.iter().cloned());
        lines
    }

    /// It for traces and scripts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let part =
            |part: Result<Value, &String>| part.unwrap_or_else(|why| json!({ "error": why }));
        let headers = |headers: &Vec<(String, String)>| {
            headers
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect::<Map<_, _>>()
                .into()
        };
        json!({
            "connector": self.connector, "method": self.method,
            "url": part(self.url.as_ref().map(|url| url.as_str().into())),
            "headers": part(self.headers.as_ref().map(headers)),
            "body": part(self.body.as_ref().map(|body| body.as_deref().into())),
            "functions": self.functions,
        })
    }
}

/// What the connector behind a step sends, where the step has one and `known`, connectors and models
/// of the workspace, hold it. `parameters` are those of the step.
#[must_use]
pub fn remote_request(
    step: &ToolSpec,
    parameters: &TextMap,
    known: &[Value],
) -> Option<RemoteRequest> {
    let (id, action) = match step.tool_type.as_str() {
        keys::CONNECTOR_TOOL => (
            text_of(parameters, keys::CONNECTOR_ID)?,
            text_of(parameters, ACTION).unwrap_or(EXECUTE),
        ),
        keys::MODEL_TOOL => {
            let is_model = |entry: &&Value| {
                entry[keys::MODEL_ID].as_str() == text_of(parameters, keys::MODEL_ID)
            };
            let model = known.iter().find(is_model)?;
            (model[keys::CONNECTOR_ID].as_str()?, PREDICT)
        }
        _ => return None,
    };
    // A model names its connector by the same member.
    let is_it =
        |entry: &&Value| entry[keys::CONNECTOR_ID] == id && entry.get(keys::ACTIONS).is_some();
    let connector = known.iter().find(is_it)?;
    Some(render_action(connector, action, parameters))
}

fn render_action(connector: &Value, action: &str, request: &TextMap) -> RemoteRequest {
    let name = connector[keys::NAME].as_str().unwrap_or_default().to_owned();
    let listed = connector[keys::ACTIONS].as_array();
    let is_it = |found: &&Value| {
        found["action_type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case(action))
    };
    let Some(found) = listed.into_iter().flatten().find(is_it) else {
        let why = format!("it has no action {action}");
        return RemoteRequest {
            connector: name,
            method: String::new(),
            url: Err(why),
            headers: Ok(Vec::new()),
            body: Ok(None),
            functions: Vec::new(),
        };
    };
    let map = |value: &Value| value.as_object().map(stringify_values).unwrap_or_default();
    let parameters = prepare_parameters(&map(&connector[keys::PARAMETERS]), request);
    let text = |member: &str| found[member].as_str();
    let url = render_address(text("url").unwrap_or_default(), &parameters);
    let pairs: Vec<(String, String)> = map(&found["headers"])
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    // A cluster does not tell credentials: their placeholders stay.
    let headers =
        render_headers(&pairs, &TextMap::new(), &parameters, connector[keys::PROTOCOL].as_str());
    let body = text(keys::REQUEST_BODY).map(|template| render_body(template, &parameters));
    RemoteRequest {
        connector: name,
        method: text(keys::METHOD).unwrap_or("POST").to_uppercase(),
        url: url.map(|url| url.text).map_err(|error| match error {
            AddressError::Template(error) => error.message(),
            AddressError::BadUrl { rendered, why } => format!("{}: {why}", rendered.text),
        }),
        headers: headers.map_err(|error| error.to_string()),
        body: body
            .transpose()
            .map(|body| body.map(|body| body.rendered.text))
            .map_err(|error| error.to_string()),
        functions: function_words(found, request),
    }
}

/// What the functions of an action do with what a step gives, which is parameters and no texts.
fn function_words(action: &Value, request: &TextMap) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(before) = action["pre_process_function"].as_str() {
        let runs_always =
            text_of(request, RUNS_ALWAYS).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        words.push(if before.starts_with("connector.pre_process.") {
            format!("{before} before it only accepts texts and rejects parameters")
        } else if runs_always {
            "pre_process_function, a script, runs before it, only in the cluster: the body will \
            differ"
                .into()
        } else {
            "pre_process_function, a script, is skipped if parameters are given".into()
        });
    }
    if let Some(after) = action["post_process_function"].as_str() {
        let picked = PICKED.iter().find(|(name, _)| *name == after);
        words.push(match picked {
            Some((name, path)) => format!("{name} selects {path} of the answer"),
            None => {
                "post_process_function, a script, changes the answer, only in the cluster".into()
            }
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Value> {
        vec![
            json!({"name": "gpt", "model_id": "m1", "function_name": "remote", "connector_id": "c1"}),
            json!({
                "name": "echo", "connector_id": "c1", "protocol": "http",
                "parameters": {"endpoint": "h.example", "temperature": 0},
                "actions": [{
                    "action_type": "PREDICT", "method": "post", "url": "https://${parameters.endpoint}/v1",
                    "headers": {"Authorization": "Bearer ${credential.key}", "X-Ask": "${parameters.who:-nobody}"},
                    "request_body": "{\"q\": \"${parameters.prompt}\", \"t\": ${parameters.temperature}, \"s\": \"${parameters.seed:-null}\"}",
                    "pre_process_function": "connector.pre_process.openai.embedding",
                    "post_process_function": "connector.post_process.openai.embedding",
                }],
            }),
        ]
    }

    fn step(kind: &str, parameters: &Value) -> ToolSpec {
        ToolSpec::from_entry(&json!({"type": kind, "parameters": parameters}))
    }

    #[test]
    fn a_models_connector_is_filled_in_by_its_own_rules() {
        let step = step("MLModelTool", &json!({"model_id": "m1", "prompt": "say \"hi\""}));
        let remote = remote_request(&step, &step.parameters, &known()).unwrap();
        assert_eq!(remote.url.as_deref(), Ok("https://h.example/v1"));
        let headers = remote.headers.clone().unwrap();
        assert!(headers.contains(&("Authorization".into(), "Bearer ${credential.key}".into())));
        assert!(headers.contains(&("X-Ask".into(), "nobody".into())));
        let body = remote.body.clone().unwrap().unwrap();
        assert_eq!(body, r#"{"q": "say \"hi\"", "t": 0, "s": null}"#);
        assert!(remote.functions[0].contains("rejects parameters"));
        assert!(remote.functions[1].ends_with("selects $.data[*].embedding of the answer"));
        assert_eq!(remote.lines()[0], "connector echo then sends POST https://h.example/v1");
        assert_eq!(remote.to_json()["method"], "POST");
    }

    #[test]
    fn what_cannot_be_sent_says_why_and_others_have_no_connector() {
        let model = step("MLModelTool", &json!({"model_id": "m1"}));
        let remote = remote_request(&model, &model.parameters, &known()).unwrap();
        assert!(remote.body.unwrap_err().contains("prompt"));
        let tool = step("ConnectorTool", &json!({"connector_id": "c1"}));
        let remote = remote_request(&tool, &tool.parameters, &known()).unwrap();
        assert_eq!(remote.url, Err("it has no action execute".into()));
        let unknown = step("MLModelTool", &json!({"model_id": "m2"}));
        assert_eq!(remote_request(&unknown, &unknown.parameters, &known()), None);
        let list = step("ListIndexTool", &json!({}));
        assert_eq!(remote_request(&list, &list.parameters, &known()), None);
    }
}
