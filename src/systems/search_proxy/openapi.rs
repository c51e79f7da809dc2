//! The tools that a proxy has, read from its `/openapi.json` and its list of providers.

use serde_json::{Map, Value, json};

use super::keys::{self, Endpoint};

const COMPONENTS: &str = "#/components/schemas/";
/// References are not followed further.
const DEEPEST: usize = 24;

/// The entries of a proxy's tools. `openapi` is what `/openapi.json` answers, `providers` what
/// `/v1/configuration/providers` does; null where there is none.
#[must_use]
pub fn read_tools(openapi: &Value, providers: &Value) -> Vec<Value> {
    Endpoint::ALL
        .into_iter()
        .flat_map(|endpoint| read_endpoint(endpoint, openapi, providers))
        .collect()
}

fn read_endpoint(endpoint: Endpoint, openapi: &Value, providers: &Value) -> Vec<Value> {
    let known = request_schemas(endpoint, openapi);
    let registered = providers.get(endpoint.providers()).and_then(Value::as_array);
    let names: Vec<String> = match registered {
        Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => known.iter().map(|(name, _)| name.clone()).collect(),
    };
    let schema_of = |wanted: &str| known.iter().find(|(name, _)| name == wanted);
    names
        .into_iter()
        .map(|name| {
            let schema = schema_of(&name).map(|(_, schema)| schema.clone());
            new_entry(endpoint, &name, schema)
        })
        .collect()
}

fn new_entry(endpoint: Endpoint, provider: &str, schema: Option<Value>) -> Value {
    let description = match endpoint {
        Endpoint::Search => format!("Searches the web with {provider}."),
        Endpoint::AgentSearch => format!("Has {provider} search the web and answer a question."),
        Endpoint::Crawl => format!("Reads pages of the web with {provider}."),
    };
    let mut entry = json!({
        keys::NAME: format!("{}-{}", endpoint.as_str(), provider.to_lowercase()),
        keys::DESCRIPTION: description,
        keys::ENDPOINT: endpoint.as_str(),
        endpoint.chooser(): provider,
        keys::CONFIGURATION: {},
    });
    if let Some(schema) = schema {
        entry[keys::REQUEST_SCHEMA] = schema;
    }
    entry
}

/// The schemas of an endpoint's requests, each under the name of who answers it.
fn request_schemas(endpoint: Endpoint, openapi: &Value) -> Vec<(String, Value)> {
    let body = &openapi["paths"][endpoint.path()]["post"]["requestBody"]["content"];
    let mut found = Vec::new();
    collect_branches(openapi, &body["application/json"]["schema"], 0, &mut found);
    let named = found.into_iter().filter_map(|schema| {
        let property = &schema["properties"][endpoint.chooser()];
        let name = [&property["const"], &property["enum"][0], &property["default"]];
        let name = name.into_iter().find_map(Value::as_str)?.to_owned();
        Some((name, self_contained(openapi, schema)))
    });
    named.collect()
}

/// The objects that a schema allows: unions opened, references followed.
fn collect_branches<'o>(
    openapi: &'o Value,
    schema: &'o Value,
    depth: usize,
    found: &mut Vec<&'o Value>,
) {
    if depth > DEEPEST {
        return;
    }
    if let Some(target) = referred(openapi, schema) {
        return collect_branches(openapi, target, depth + 1, found);
    }
    let unions = ["oneOf", "anyOf"].map(|name| schema.get(name).and_then(Value::as_array));
    for branch in unions.into_iter().flatten().flatten() {
        collect_branches(openapi, branch, depth + 1, found);
    }
    if schema.get("properties").is_some_and(Value::is_object) {
        found.push(schema);
    }
}

fn referred<'o>(openapi: &'o Value, schema: &Value) -> Option<&'o Value> {
    openapi["components"]["schemas"].get(schema.get("$ref")?.as_str()?.strip_prefix(COMPONENTS)?)
}

/// The schema with what it refers to under `$defs`.
fn self_contained(openapi: &Value, schema: &Value) -> Value {
    let mut definitions = Map::new();
    let mut whole = schema.clone();
    bring_along(openapi, &mut whole, &mut definitions);
    if !definitions.is_empty() {
        whole["$defs"] = definitions.into();
    }
    whole
}

fn bring_along(openapi: &Value, schema: &mut Value, definitions: &mut Map<String, Value>) {
    match schema {
        Value::Array(items) => {
            items.iter_mut().for_each(|item| bring_along(openapi, item, definitions));
        }
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = target.and_then(|at| at.strip_prefix(COMPONENTS)).map(str::to_owned)
            {
                if !definitions.contains_key(&name) {
                    // It is there before it is looked at: it may refer to itself.
                    definitions.insert(name.clone(), Value::Null);
                    let mut found = openapi["components"]["schemas"][&name].clone();
                    bring_along(openapi, &mut found, definitions);
                    definitions.insert(name.clone(), found);
                }
                members.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
            }
            for (name, member) in members.iter_mut() {
                if name != "$ref" {
                    bring_along(openapi, member, definitions);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openapi() -> Value {
        let engine = |name: &str| json!({"type": "string", "const": name});
        let body = |schema: Value| json!({"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}});
        json!({
            "paths": {
                "/v1/search": body(json!({"oneOf": [
                    {"$ref": "#/components/schemas/Near"}, {"$ref": "#/components/schemas/Far"},
                ]})),
                "/v1/crawl": body(json!({"$ref": "#/components/schemas/Reader"})),
            },
            "components": {"schemas": {
                "Near": {"type": "object", "properties": {
                    "engine": engine("near"), "query": {"type": "string"},
                    "area": {"$ref": "#/components/schemas/Area"},
                }},
                "Area": {"type": "object", "properties": {"within": {"$ref": "#/components/schemas/Area"}}},
                "Far": {"type": "object", "properties": {"engine": engine("far")}},
                "Reader": {"type": "object", "properties": {"crawler": {"default": "Plain"}}},
            }},
        })
    }

    #[test]
    fn each_engine_is_a_tool_with_a_schema_of_its_own() {
        let tools = read_tools(&openapi(), &Value::Null);
        let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["search-near", "search-far", "crawl-plain"]);
        let schema = &tools[0][keys::REQUEST_SCHEMA];
        assert_eq!(schema["properties"]["area"]["$ref"], "#/$defs/Area");
        assert_eq!(schema["$defs"]["Area"]["properties"]["within"]["$ref"], "#/$defs/Area");
        assert_eq!(tools[2][keys::CRAWLER], "Plain");
    }

    #[test]
    fn those_that_are_registered_count() {
        let providers = json!({"searchEngines": ["far", "new"], "crawlers": []});
        let tools = read_tools(&openapi(), &providers);
        let listed: Vec<_> = tools
            .iter()
            .map(|tool| (tool["engine"].as_str(), tool.get(keys::REQUEST_SCHEMA).is_some()))
            .collect();
        assert_eq!(listed, [(Some("far"), true), (Some("new"), false)]);
    }
}
