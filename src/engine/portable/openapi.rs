//! OpenAPI documents: each operation is a tool, with the parameters and the JSON body of its request as
//! arguments.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    baggage::{Baggage, Origin},
    dialect::modernize,
    fate::Fate,
    places::{ArgumentPlace, has_body, path_names, split_arguments},
    references::{self, is_dead, lift_definitions, place_schema},
    tool::{HttpRequest, PortableTool, object_schema},
};
use crate::{
    model::{numbered::numbered_names, tool::Function},
    schema::pointer::Pointer,
};

/// The form of such documents, as `--to` takes it.
pub const FORM: &str = "openapi";

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];
const JSON: &str = "application/json";
/// Members of an operation that no tool has.
const UNREAD: [&str; 4] = ["security", "servers", "callbacks", "deprecated"];
/// Members of a body's schema that its arguments have.
const OF_BODY: [&str; 6] = ["type", "properties", "required", "title", "description", "$defs"];

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
    let mut split = split_arguments(tool, method, path);
    if split.is_in_parts() {
        let mut parts: Vec<&mut Value> =
            split.parameters.iter_mut().chain(&mut split.body).collect();
        lift_definitions((&tool.name, &tool.parameters), &mut parts, schemas);
    }
    if !split.parameters.is_empty() {
        operation["parameters"] = Value::Array(split.parameters);
    }
    if let Some(body) = split.body {
        let schema = place_schema(body, &tool.name, schemas);
        let content = json!({JSON: {"schema": schema}});
        operation["requestBody"] = json!({"required": split.is_body_required, "content": content});
    }
    let mut answer = json!({"description": "The answer"});
    if let Some(output) = &tool.output {
        let schema = place_schema(output.clone(), &format!("{}.answer", tool.name), schemas);
        answer["content"] = json!({JSON: {"schema": schema}});
    }
    operation["responses"] = json!({"200": answer});
    operation
}

/// A tool for each operation, and what of the document isn't read.
#[must_use]
pub fn read_document(document: &Value) -> (Vec<Baggage>, Vec<String>) {
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("3.") {
        return (Vec::new(), vec![format!("OpenAPI {version} isn't read, only 3.x")]);
    }
    let is_old = version.starts_with("3.0");
    let (mut tools, mut unread) = (Vec::new(), Vec::new());
    for (member, what) in [("servers", "the address"), ("security", "the credentials")] {
        if document.get(member).is_some() {
            unread.push(format!("/{member} isn't read: a connection has {what}"));
        }
    }
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            let Some(operation) = item.get(method).filter(|operation| operation.is_object()) else {
                continue;
            };
            let arguments = Arguments::default();
            let at = Operation { path, method, item, operation };
            let (lost, rest, notes) = (Vec::new(), BTreeMap::new(), Vec::new());
            let mut reader = Reader { document, is_old, at, arguments, lost, rest, unread: notes };
            let tool = reader.read_operation();
            let at = Pointer::from_iter(["paths", path.as_str(), method]);
            let origin = Origin { form: FORM, at, rest: reader.rest };
            tools.push(Baggage { lost: reader.lost, origin, ..Baggage::new(tool) });
            unread.extend(reader.unread);
        }
    }
    (tools, unread)
}

/// An operation and where it is.
#[derive(Clone, Copy)]
struct Operation<'d> {
    path: &'d str,
    method: &'static str,
    item: &'d Value,
    operation: &'d Value,
}

/// The arguments that are read so far.
#[derive(Default)]
struct Arguments {
    properties: Map<String, Value>,
    required: Vec<Value>,
    places: BTreeMap<String, Value>,
}

struct Reader<'d> {
    document: &'d Value,
    /// OpenAPI 3.0, whose schemas differ from JSON Schema.
    is_old: bool,
    at: Operation<'d>,
    arguments: Arguments,
    lost: Vec<Fate>,
    /// What no tool has, by its place in the operation.
    rest: BTreeMap<String, Value>,
    unread: Vec<String>,
}

impl<'d> Reader<'d> {
    fn read_operation(&mut self) -> PortableTool {
        let Operation { path, method, operation, .. } = self.at;
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
        for member in UNREAD {
            if let Some(value) = operation.get(member) {
                self.lose_value(format!("/{member}"), value, "no tool has it");
            }
        }
        let description = match (text("summary"), text("description")) {
            ("", description) => description.to_owned(),
            (summary, "") => summary.to_owned(),
            (summary, description) if description.starts_with(summary) => description.to_owned(),
            (summary, description) => format!("{summary}\n\n{description}"),
        };
        let parameters = self.read_arguments(&title);
        let output = self.read_answer();
        let mut tool = PortableTool::from_function(Function::new(name, description, parameters));
        tool.output = output;
        let places = std::mem::take(&mut self.arguments.places);
        // A POST to the tool's own path is what a tool without a request is written as.
        let is_plain = method == "post" && path == format!("/{}", tool.name) && places.is_empty();
        let method = method.to_ascii_uppercase();
        tool.http = (!is_plain).then(|| HttpRequest { method, path: path.to_owned(), places });
        tool
    }

    fn lose(&mut self, field: impl Into<String>, words: impl Into<String>) {
        self.lost.push(Fate::lost(field, words));
    }

    /// The same with what is there.
    fn lose_value(&mut self, field: impl Into<String>, value: &Value, words: impl Into<String>) {
        let field = field.into();
        self.rest.insert(field.clone(), value.clone());
        self.lose(field, words);
    }

    /// What a value refers to in the document, which is reported where it is not there.
    fn resolve_or_lose(&mut self, at: &str, value: &'d Value) -> &'d Value {
        let found = references::resolve(self.document, value);
        if is_dead(self.document, value) {
            let to = found.get("$ref").and_then(Value::as_str).unwrap_or_default();
            self.lose(at, format!("{to} isn't in the document"));
        }
        found
    }

    fn read_arguments(&mut self, title: &str) -> Value {
        let parameters = self.list_parameters();
        let body = self.read_body();
        if let (true, Some((schema, _))) = (parameters.is_empty(), &body)
            && self.is_body_alone(schema)
        {
            return object_schema(self.whole_schema("/arguments", schema));
        }
        let taken = |place: &str| -> Vec<String> {
            let of_place = parameters.iter().filter(|(_, at, _)| *at == place);
            of_place.map(|(name, ..)| (*name).to_owned()).collect()
        };
        let in_path = taken("path");
        for (name, place, parameter) in &parameters {
            self.read_parameter((name, place), parameter, &in_path);
        }
        if let Some((schema, is_required)) = body {
            self.read_body_arguments(title, schema, is_required);
        }
        let Arguments { properties, required, .. } = &self.arguments;
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = Value::Array(required.clone());
        }
        self.whole_schema("/arguments", &schema)
    }

    /// Name, place and value of each parameter; one of the operation hides that of its path.
    fn list_parameters(&mut self) -> Vec<(&'d str, &'d str, &'d Value)> {
        let lists = [self.at.item, self.at.operation]
            .map(|holder| holder.get("parameters").and_then(Value::as_array));
        let mut found: Vec<(&str, &str, &Value)> = Vec::new();
        for (row, parameter) in lists.into_iter().flatten().flat_map(|list| list.iter().enumerate())
        {
            let at = format!("/parameters/{row}");
            let parameter = self.resolve_or_lose(&at, parameter);
            let text = |key: &str| parameter.get(key).and_then(Value::as_str);
            let Some(name) = text("name") else {
                if parameter.get("$ref").is_none() {
                    self.lose(at, "it has no name");
                }
                continue;
            };
            let place = text("in").unwrap_or("query");
            if place == "cookie" {
                self.rest.insert(format!("/cookies/{name}"), parameter.clone());
                self.lose(at, format!("the cookie {name}"));
                continue;
            }
            match found.iter_mut().find(|(known, at, _)| (*known, *at) == (name, place)) {
                Some(known) => known.2 = parameter,
                None => found.push((name, place, parameter)),
            }
        }
        found
    }

    fn read_parameter(
        &mut self,
        (wire_name, place): (&str, &str),
        parameter: &Value,
        in_path: &[String],
    ) {
        let is_taken = |name: &str| {
            self.arguments.properties.contains_key(name)
                || (place != "path" && in_path.iter().any(|known| known == name))
        };
        let name = match is_taken(wire_name) {
            false => wire_name.to_owned(),
            true => numbered_names(&format!("{place}_{wire_name}"))
                .find(|name| !is_taken(name))
                .unwrap_or_default(),
        };
        if name != wire_name {
            let words = format!("the {place} parameter {wire_name}; another one has its name");
            self.lost.push(Fate::assumed(format!("/arguments/properties/{name}"), words));
        }
        let mut schema = parameter.get("schema").cloned().unwrap_or_else(|| json!({}));
        if let Some(content) = parameter.get("content").and_then(Value::as_object) {
            let media = content.iter().next();
            schema = media.and_then(|(_, media)| media.get("schema")).cloned().unwrap_or(schema);
            let kind = media.map_or("", |(kind, _)| kind);
            self.lose_value(format!("/parameters/{wire_name}/content"), &json!(kind), kind);
        }
        if let (Some(members), Some(words)) = (schema.as_object_mut(), parameter.get("description"))
        {
            members.entry("description").or_insert_with(|| words.clone());
        }
        if parameter.get("required") == Some(&Value::Bool(true)) {
            self.arguments.required.push(name.as_str().into());
        }
        let own = ArgumentPlace::of_parameter(parameter, wire_name, place);
        self.keep_place(&name, &own);
        self.arguments.properties.insert(name, schema);
    }

    /// Remembers where an argument goes, unless its name says it.
    fn keep_place(&mut self, name: &str, place: &ArgumentPlace) {
        let names = path_names(self.at.path);
        let default = ArgumentPlace::default_for(name, &names, has_body(self.at.method));
        if *place != default {
            self.arguments.places.insert(name.to_owned(), place.to_value(name));
        }
    }

    /// Whether the body's schema is that of the arguments.
    fn is_body_alone(&self, schema: &Value) -> bool {
        let schema = references::resolve(self.document, schema);
        let kind = schema.get("type");
        let is_object = kind.map_or(schema.get("oneOf").is_none(), |kind| kind == "object");
        let names = path_names(self.at.path);
        let properties = schema.get("properties").and_then(Value::as_object);
        let goes_elsewhere =
            properties.into_iter().flatten().any(|(name, _)| names.contains(&name.as_str()));
        is_object && has_body(self.at.method) && !goes_elsewhere
    }

    fn read_body_arguments(&mut self, title: &str, schema: Value, is_required: bool) {
        let whole = references::resolve(self.document, &schema);
        let known = &self.arguments.properties;
        let own = whole.get("properties").and_then(Value::as_object);
        let Some(own) = own.filter(|own| own.keys().all(|name| !known.contains_key(name))) else {
            self.read_whole_body(title, schema, is_required);
            return;
        };
        let own = own.clone();
        let required = required_names(whole);
        let others = whole.as_object().into_iter().flatten().map(|(key, _)| key.clone());
        let others: Vec<String> = others.filter(|key| !OF_BODY.contains(&key.as_str())).collect();
        for key in others {
            let field = format!("/requestBody/{key}");
            self.lose_value(field, &whole[&key], "the body is one with the parameters");
        }
        for (name, property) in own {
            self.keep_place(&name, &ArgumentPlace::in_body());
            self.arguments.properties.insert(name, property);
        }
        self.arguments.required.extend(required.into_iter().map(Value::from));
    }

    /// A body that is an argument of its own.
    fn read_whole_body(&mut self, title: &str, schema: Value, is_required: bool) {
        let free = |name: &String| !self.arguments.properties.contains_key(name);
        let name = numbered_names("body").find(free).unwrap_or_default();
        self.unread.push(format!("{title}: the body is the argument \"{name}\""));
        self.keep_place(&name, &ArgumentPlace::whole_body());
        self.arguments.required.extend(is_required.then(|| name.as_str().into()));
        self.arguments.properties.insert(name, schema);
    }

    /// The schema of the body, and whether it has to be given.
    fn read_body(&mut self) -> Option<(Value, bool)> {
        let body = self.resolve_or_lose("/requestBody", self.at.operation.get("requestBody")?);
        let content = body.get("content")?.as_object()?;
        let (kind, media) = content.get_key_value(JSON).or_else(|| content.iter().next())?;
        if kind != JSON {
            let words = format!("{kind}; the body is carried as JSON");
            self.lose_value("/requestBody/content", &json!(kind), words);
        }
        let is_required = body.get("required") == Some(&Value::Bool(true));
        Some((media.get("schema")?.clone(), is_required))
    }

    fn read_answer(&mut self) -> Option<Value> {
        let responses = self.at.operation.get("responses")?.as_object()?;
        let (code, first) = responses.iter().find(|(code, _)| code.starts_with('2'))?;
        let answer = self.resolve_or_lose(&format!("/responses/{code}"), first);
        let schema = answer.get("content")?.get(JSON)?.get("schema")?;
        Some(self.whole_schema("/answer", schema))
    }

    /// A schema with all that it refers to; `at` is what it is of the tool.
    fn whole_schema(&mut self, at: &str, schema: &Value) -> Value {
        let (mut whole, dead) = references::whole_schema(self.document, schema);
        for one in dead {
            let words = format!("{} isn't in the document; anything is accepted", one.to);
            self.lose(format!("{at}{}", one.at), words);
        }
        if self.is_old {
            modernize(&mut whole);
        }
        whole
    }
}

fn required_names(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
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

    /// The tools of a document, with what is not read or lost.
    fn read_tools(document: &Value) -> (Vec<PortableTool>, Vec<String>) {
        let (tools, mut unread) = read_document(document);
        unread.extend(tools.iter().flat_map(|one| &one.lost).map(|fate| fate.field.clone()));
        (tools.into_iter().map(|one| one.tool).collect(), unread)
    }

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
        let (tools, unread) = read_tools(&document);
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
        let (again, _) = read_tools(&write_document(&tools));
        assert_eq!(again[0].parameters, get.parameters);
        assert_eq!(again[0].http, get.http);
    }

    #[test]
    fn a_body_that_is_no_object_is_an_argument() {
        let (tools, unread) = read_tools(
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
        let tool = PortableTool::from_function(Function::new("a", "A", schema));
        let (again, unread) = read_tools(&write_document(std::slice::from_ref(&tool)));
        assert_eq!((again, unread), (vec![tool], Vec::new()));
    }

    #[test]
    fn another_version_is_refused_in_words() {
        let (tools, unread) = read_tools(&json!({"openapi": "2.0"}));
        assert!(tools.is_empty() && unread[0].contains("only 3.x"), "{unread:?}");
    }
}
