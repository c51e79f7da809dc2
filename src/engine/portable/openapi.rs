//! OpenAPI documents: each operation is a tool, with the parameters and the JSON body of its request as
//! arguments.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::tool::{HttpRequest, PortableTool, object_schema};
use crate::{model::tool::Function, schema::pointer::Pointer};

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];
const JSON: &str = "application/json";
/// Where an OpenAPI document keeps schemas that others refer to.
const SCHEMAS: &str = "#/components/schemas/";
/// Members of an operation that no tool has.
const UNREAD: [&str; 4] = ["security", "servers", "callbacks", "deprecated"];

/// An OpenAPI 3.1 document with an operation for each tool.
#[must_use]
pub fn write_document(tools: &[PortableTool]) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for tool in tools {
        let method = tool.http.as_ref().map_or("post", |http| http.method.as_str());
        let mut path =
            tool.http.as_ref().map_or_else(|| format!("/{}", tool.name), |http| http.path.clone());
        let method = method.to_ascii_lowercase();
        while paths.get(&path).is_some_and(|known| known.get(&method).is_some()) {
            path.push('-');
        }
        let operation = write_operation(tool, &method, &path, &mut schemas);
        paths.entry(path).or_insert_with(|| json!({}))[method.as_str()] = operation;
    }
    let mut document = json!({
        "openapi": "3.1.0", "info": {"title": "Tools", "version": "1.0.0"}, "paths": paths,
    });
    if !schemas.is_empty() {
        document["components"] = json!({"schemas": schemas});
    }
    document
}

fn write_operation(
    tool: &PortableTool,
    method: &str,
    path: &str,
    schemas: &mut Map<String, Value>,
) -> Value {
    let mut operation = json!({"operationId": tool.name, "description": tool.description});
    let (parameters, body) = split_arguments(&tool.parameters, method, path);
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = body {
        let schema = place_schema(body, &tool.name, schemas);
        operation["requestBody"] = json!({"required": true, "content": {JSON: {"schema": schema}}});
    }
    let mut answer = json!({"description": "The answer"});
    if let Some(output) = &tool.output {
        let schema = place_schema(output.clone(), &format!("{}.answer", tool.name), schemas);
        answer["content"] = json!({JSON: {"schema": schema}});
    }
    operation["responses"] = json!({"200": answer});
    operation
}

/// Arguments as parameters of the path, and of the query where the method has no body; the rest is
/// the body.
fn split_arguments(schema: &Value, method: &str, path: &str) -> (Vec<Value>, Option<Value>) {
    let has_body = matches!(method, "post" | "put" | "patch");
    let names =
        path.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
    let in_path: BTreeSet<&str> = names.collect();
    if has_body && in_path.is_empty() {
        return (Vec::new(), Some(schema.clone()));
    }
    let mut body = schema.clone();
    let required: Vec<String> = required_names(schema);
    let mut parameters = Vec::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let is_in_path = in_path.contains(name.as_str());
        if has_body && !is_in_path {
            continue;
        }
        if let Some(members) = body.get_mut("properties").and_then(Value::as_object_mut) {
            members.remove(name);
        }
        let mut parameter = json!({
            "name": name, "in": if is_in_path { "path" } else { "query" }, "schema": property,
        });
        if is_in_path || required.contains(name) {
            parameter["required"] = true.into();
        }
        parameters.push(parameter);
    }
    if !has_body {
        return (parameters, None);
    }
    if let Some(names) = body.get_mut("required").and_then(Value::as_array_mut) {
        names.retain(|name| name.as_str().is_none_or(|name| !in_path.contains(name)));
    }
    (parameters, Some(body))
}

fn required_names(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The schema itself, or a reference to it where it refers to its own parts, which count from the
/// document's root there.
fn place_schema(mut schema: Value, name: &str, schemas: &mut Map<String, Value>) -> Value {
    if !has_reference(&schema) {
        return schema;
    }
    let place = format!("{SCHEMAS}{}", escape(name));
    rewrite_references(&mut schema, &|to| Some(format!("{place}{}", to.strip_prefix('#')?)));
    schemas.insert(name.to_owned(), schema);
    json!({"$ref": place})
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("$ref").and_then(Value::as_str).is_some_and(|to| to.starts_with('#'))
                || members.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Puts every reference elsewhere for which there is a place.
fn rewrite_references(schema: &mut Value, to: &impl Fn(&str) -> Option<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(place) = to(reference)
            {
                *reference = place;
            }
            members.values_mut().for_each(|value| rewrite_references(value, to));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| rewrite_references(value, to)),
        _ => {}
    }
}

/// A tool for each operation, and what of the document isn't read.
#[must_use]
pub fn read_document(document: &Value) -> (Vec<PortableTool>, Vec<String>) {
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("3.") {
        return (Vec::new(), vec![format!("OpenAPI {version} isn't read, only 3.x")]);
    }
    let mut reader = Reader { document, is_old: version.starts_with("3.0"), unread: Vec::new() };
    let mut tools = Vec::new();
    for member in ["servers", "security"] {
        if document.get(member).is_some() {
            reader.unread.push(format!("/{member}: where and as whom to call is a connection's"));
        }
    }
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get(method).filter(|operation| operation.is_object()) {
                tools.push(reader.read_operation(path, method, item, operation));
            }
        }
    }
    (tools, reader.unread)
}

struct Reader<'d> {
    document: &'d Value,
    /// OpenAPI 3.0, whose schemas differ from JSON Schema.
    is_old: bool,
    unread: Vec<String>,
}

impl<'d> Reader<'d> {
    fn read_operation(
        &mut self,
        path: &str,
        method: &str,
        item: &Value,
        operation: &Value,
    ) -> PortableTool {
        let title = format!("{} {path}", method.to_ascii_uppercase());
        let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = match text("operationId") {
            "" => {
                let name = plain_name(&format!("{method}{path}"));
                self.unread.push(format!("{title} has no operationId; it is called {name}"));
                name
            }
            id => id.to_owned(),
        };
        for member in UNREAD.iter().filter(|member| operation.get(**member).is_some()) {
            self.unread.push(format!("{title}: its {member} is not carried"));
        }
        let description = match (text("summary"), text("description")) {
            ("", description) => description.to_owned(),
            (summary, "") => summary.to_owned(),
            (summary, description) if description.starts_with(summary) => description.to_owned(),
            (summary, description) => format!("{summary}\n\n{description}"),
        };
        let parameters = self.read_arguments(&title, item, operation);
        let output = self.read_answer(operation);
        let mut tool = PortableTool::from_function(Function { name, description, parameters });
        tool.output = output;
        // A POST to the tool's own path is what a tool without a request is written as.
        let is_plain = method == "post" && path == format!("/{}", tool.name);
        tool.http = (!is_plain)
            .then(|| HttpRequest { method: method.to_ascii_uppercase(), path: path.to_owned() });
        tool
    }

    /// A value itself, or what it refers to in the document.
    fn resolve<'v>(&self, value: &'v Value) -> &'v Value
    where
        'd: 'v,
    {
        let mut value = value;
        for _ in 0..8 {
            let Some(to) = value.get("$ref").and_then(Value::as_str) else { break };
            let there = to.strip_prefix('#').and_then(|at| Pointer::parse(at).ok());
            match there.and_then(|at| at.get(self.document)) {
                Some(found) => value = found,
                None => break,
            }
        }
        value
    }

    fn read_arguments(&mut self, title: &str, item: &Value, operation: &Value) -> Value {
        let lists =
            [item, operation].map(|holder| holder.get("parameters").and_then(Value::as_array));
        let parameters: Vec<&Value> = lists
            .into_iter()
            .flatten()
            .flatten()
            .map(|parameter| self.resolve(parameter))
            .collect();
        let body = self.read_body(title, operation);
        // A body of another type than an object is an argument of its own.
        let is_object = |schema: &Value| {
            let kind = schema.get("type");
            kind.map_or(schema.get("oneOf").is_none(), |kind| kind == "object")
        };
        if parameters.is_empty() {
            match &body {
                None => return json!({"type": "object", "properties": {}}),
                Some((schema, _)) if is_object(self.resolve(schema)) => {
                    return object_schema(self.whole_schema(schema));
                }
                Some(_) => {}
            }
        }
        let (mut properties, mut required) = (Map::new(), Vec::<Value>::new());
        for parameter in parameters {
            let Some(name) = parameter.get("name").and_then(Value::as_str) else { continue };
            if parameter.get("in").and_then(Value::as_str) == Some("cookie") {
                self.unread.push(format!("{title}: the cookie {name} is not carried"));
                continue;
            }
            let mut schema = parameter.get("schema").cloned().unwrap_or_else(|| json!({}));
            if let (Some(members), Some(words)) =
                (schema.as_object_mut(), parameter.get("description"))
            {
                members.entry("description").or_insert_with(|| words.clone());
            }
            if parameter.get("required") == Some(&Value::Bool(true))
                && !required.iter().any(|known| known == name)
            {
                required.push(name.into());
            }
            properties.insert(name.to_owned(), schema);
        }
        if let Some((schema, is_required)) = body {
            let whole = self.resolve(&schema);
            match whole.get("properties").and_then(Value::as_object) {
                Some(own) if own.keys().all(|name| !properties.contains_key(name)) => {
                    properties.extend(own.clone());
                    required.extend(required_names(whole).into_iter().map(Value::from));
                }
                _ => {
                    self.unread.push(format!("{title}: the body is the argument \"body\""));
                    properties.insert("body".to_owned(), schema);
                    required.extend(is_required.then(|| "body".into()));
                }
            }
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = Value::Array(required);
        }
        self.whole_schema(&schema)
    }

    /// The schema of the body, and whether it has to be given.
    fn read_body(&mut self, title: &str, operation: &Value) -> Option<(Value, bool)> {
        let body = self.resolve(operation.get("requestBody")?);
        let content = body.get("content")?.as_object()?;
        let (kind, media) = content.get_key_value(JSON).or_else(|| content.iter().next())?;
        if kind != JSON {
            self.unread.push(format!("{title}: its body is {kind}, and is carried as JSON"));
        }
        let is_required = body.get("required") == Some(&Value::Bool(true));
        Some((media.get("schema")?.clone(), is_required))
    }

    fn read_answer(&self, operation: &Value) -> Option<Value> {
        let responses = operation.get("responses")?.as_object()?;
        let first = responses.iter().find(|(code, _)| code.starts_with('2'))?.1;
        let schema = self.resolve(first).get("content")?.get(JSON)?.get("schema")?.clone();
        Some(self.whole_schema(&schema))
    }

    /// A schema that needs nothing else of the document: what it refers to is in its `$defs`.
    fn whole_schema(&self, schema: &Value) -> Value {
        let own = schema.get("$ref").and_then(Value::as_str).map(str::to_owned);
        let mut whole = self.resolve(schema).clone();
        let mut wanted = references(&whole);
        let mut defs = Map::new();
        while let Some(to) = wanted.pop() {
            let Some(name) = schema_name(&to) else { continue };
            if defs.contains_key(&name)
                || own.as_deref() == Some(&format!("{SCHEMAS}{}", escape(&name)))
            {
                continue;
            }
            let reference = json!({"$ref": format!("{SCHEMAS}{}", escape(&name))});
            let found = self.resolve(&reference).clone();
            wanted.extend(references(&found));
            defs.insert(name, found);
        }
        if let (false, Some(members)) = (defs.is_empty(), whole.as_object_mut()) {
            let known = members.entry("$defs").or_insert_with(|| json!({}));
            if let Some(known) = known.as_object_mut() {
                known.extend(defs);
            }
        }
        let place = |to: &str| {
            if let Some(rest) = own.as_deref().and_then(|own| to.strip_prefix(own))
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return Some(format!("#{rest}"));
            }
            Some(format!("#/$defs/{}", to.strip_prefix(SCHEMAS)?))
        };
        rewrite_references(&mut whole, &place);
        if self.is_old {
            modernize(&mut whole);
        }
        whole
    }
}

/// Every reference in a schema.
fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect_references(schema, &mut found);
    found
}

fn collect_references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

/// The component that a reference leads into.
fn schema_name(to: &str) -> Option<String> {
    let name = to.strip_prefix(SCHEMAS)?.split('/').next()?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

/// OpenAPI 3.0's own keywords as JSON Schema says them.
fn modernize(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.remove("nullable") == Some(Value::Bool(true))
                && let Some(kind) = members.get_mut("type").filter(|kind| kind.is_string())
            {
                *kind = json!([kind.clone(), "null"]);
            }
            for (flag, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")]
            {
                if let Some(Value::Bool(is_exclusive)) = members.get(flag).cloned() {
                    members.remove(flag);
                    if is_exclusive && let Some(value) = members.remove(limit) {
                        members.insert(flag.to_owned(), value);
                    }
                }
            }
            members.values_mut().for_each(modernize);
        }
        Value::Array(items) => items.iter_mut().for_each(modernize),
        _ => {}
    }
}

/// A path as a name that every API takes.
fn plain_name(text: &str) -> String {
    let mut name = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_become_tools_with_all_that_they_refer_to() {
        let document = json!({
            "openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "servers": [{"url": "https://x"}],
            "paths": {"/pets/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}],
                "get": {"operationId": "getPet", "summary": "Gets a pet", "responses": {"200": {"description": "", "content": {JSON: {"schema": {"$ref": "#/components/schemas/Pet"}}}}}},
                "put": {"description": "Writes a pet", "security": [], "requestBody": {"content": {JSON: {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
            }},
            "components": {"schemas": {
                "Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "nullable": true}, "owner": {"$ref": "#/components/schemas/Person"}}},
                "Person": {"type": "object", "properties": {"pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}},
            }},
        });
        let (tools, unread) = read_document(&document);
        let [get, put] = &tools[..] else { panic!("{tools:#?}") };
        assert_eq!((get.name.as_str(), put.name.as_str()), ("getPet", "put_pets_id"));
        assert_eq!(
            get.parameters,
            json!({"type": "object", "properties": {"id": {"type": "integer", "exclusiveMinimum": 0}}, "required": ["id"]})
        );
        let output = get.output.as_ref().unwrap();
        assert_eq!(output["properties"]["name"]["type"], json!(["string", "null"]));
        assert_eq!(output["properties"]["owner"], json!({"$ref": "#/$defs/Person"}));
        assert_eq!(output["$defs"]["Person"]["properties"]["pets"]["items"], json!({"$ref": "#"}));
        assert_eq!(put.parameters["required"], json!(["id", "name"]));
        assert_eq!(put.http.as_ref().map(|http| http.method.as_str()), Some("PUT"));
        assert!(
            put.parameters["$defs"]["Pet"].is_object()
                && put.parameters["$defs"]["Person"].is_object()
        );
        assert_eq!(unread.len(), 3, "{unread:?}");
        let (again, _) = read_document(&write_document(&tools));
        assert_eq!(again[0].parameters, get.parameters);
        assert_eq!(again[0].http, get.http);
    }

    #[test]
    fn a_body_that_is_no_object_is_an_argument() {
        let (tools, unread) = read_document(
            &json!({"openapi": "3.1.0", "paths": {"/users": {"post": {
            "operationId": "addUsers",
            "requestBody": {"required": true, "content": {JSON: {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/User"}}}}},
        }}}, "components": {"schemas": {"User": {"type": "string"}}}}),
        );
        assert_eq!(
            tools[0].parameters,
            json!({"type": "object", "properties": {"body": {"type": "array", "items": {"$ref": "#/$defs/User"}}}, "required": ["body"], "$defs": {"User": {"type": "string"}}})
        );
        assert_eq!(unread.len(), 1, "{unread:?}");
    }

    #[test]
    fn a_schema_that_refers_to_itself_comes_back_as_it_was() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}, "x": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}});
        let tool = PortableTool::from_function(Function {
            name: "a".into(),
            description: "A".into(),
            parameters: schema,
        });
        let (again, unread) = read_document(&write_document(std::slice::from_ref(&tool)));
        assert_eq!((again, unread), (vec![tool], Vec::new()));
    }

    #[test]
    fn another_version_is_refused_in_words() {
        let (tools, unread) = read_document(&json!({"openapi": "2.0"}));
        assert!(tools.is_empty() && unread[0].contains("only 3.x"), "{unread:?}");
    }
}
