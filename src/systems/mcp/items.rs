//! Resources, templates and prompts as a server lists them, and the requests that read them.

use serde_json::{Map, Value, json};

use super::{contents::annotation_notes, uri_template};
use crate::model::server_item::{ItemKind, ItemRequest, ServerItem};

/// What a list of that kind has in a place; `None` where it cannot be asked for.
#[must_use]
pub fn read_item(kind: ItemKind, json: &Value) -> Option<ServerItem> {
    let text = |name: &str| json.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = match kind {
        ItemKind::Resource => text("uri")?,
        ItemKind::Template => text("uriTemplate")?,
        ItemKind::Prompt => text("name")?,
    };
    let arguments = match kind {
        ItemKind::Resource => None,
        ItemKind::Template => Some(template_schema(&id)),
        ItemKind::Prompt => prompt_schema(json),
    };
    Some(ServerItem {
        kind,
        title: text("title").or_else(|| text("name")).unwrap_or_else(|| id.clone()),
        id,
        description: text("description").unwrap_or_default(),
        mime: text("mimeType"),
        size: json.get("size").and_then(Value::as_u64),
        notes: annotation_notes(json),
        arguments,
        json: json.clone(),
    })
}

fn template_schema(template: &str) -> Value {
    let variables = uri_template::variables(template);
    let required = variables.iter().filter(|variable| !variable.is_optional);
    let required: Vec<&str> = required.map(|variable| variable.name.as_str()).collect();
    let property = |name: &String| (name.clone(), json!({"type": "string"}));
    let properties: Map<_, _> = variables.iter().map(|variable| property(&variable.name)).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn prompt_schema(prompt: &Value) -> Option<Value> {
    let arguments = prompt.get("arguments")?.as_array().filter(|all| !all.is_empty())?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in arguments {
        let Some(name) = argument.get("name").and_then(Value::as_str) else { continue };
        let mut property = json!({"type": "string"});
        for member in ["title", "description"] {
            if let Some(words) = argument.get(member).filter(|words| words.is_string()) {
                property[member] = words.clone();
            }
        }
        properties.insert(name.to_owned(), property);
        if argument.get("required") == Some(&Value::Bool(true)) {
            required.push(name);
        }
    }
    Some(json!({"type": "object", "properties": properties, "required": required}))
}

/// The method that reads it, and its parameters.
#[must_use]
pub fn read_request(request: &ItemRequest) -> (&'static str, Value) {
    let ItemRequest { kind, id, arguments } = request;
    let uri = |id: &str| ("resources/read", json!({"uri": id}));
    match kind {
        ItemKind::Resource => uri(id),
        ItemKind::Template => {
            let value = |name: &str| arguments.get(name).and_then(Value::as_str);
            uri(&uri_template::expand(id, value))
        }
        ItemKind::Prompt if arguments.is_empty() => ("prompts/get", json!({"name": id})),
        ItemKind::Prompt => ("prompts/get", json!({"name": id, "arguments": arguments})),
    }
}

/// The parameters of `completion/complete` for one of its arguments; the others are its context.
#[must_use]
pub fn complete_params(request: &ItemRequest, argument: &str) -> Value {
    let ItemRequest { kind, id, arguments } = request;
    let about = match kind {
        ItemKind::Prompt => json!({"type": "ref/prompt", "name": id}),
        _ => json!({"type": "ref/resource", "uri": id}),
    };
    let typed = arguments.get(argument).and_then(Value::as_str).unwrap_or_default();
    let mut context = arguments.clone();
    context.shift_remove(argument);
    let mut params = json!({"ref": about, "argument": {"name": argument, "value": typed}});
    if !context.is_empty() {
        params["context"] = json!({"arguments": context});
    }
    params
}

/// What a completion suggests.
#[must_use]
pub fn suggestions(result: &Value) -> Vec<String> {
    let values = result.get("completion").and_then(|completion| completion.get("values"));
    let values = values.and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: ItemKind, id: &str, arguments: &Value) -> ItemRequest {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        ItemRequest { kind, id: id.into(), arguments }
    }

    #[test]
    fn an_item_says_what_it_takes() {
        let prompt = json!({"name": "greet", "title": "Greet", "arguments": [
            {"name": "who", "description": "Whom", "required": true}, {"name": "how"}, {}]});
        let item = read_item(ItemKind::Prompt, &prompt).unwrap();
        assert_eq!(item.title, "Greet");
        assert_eq!(item.argument_names(), [("who", true), ("how", false)]);
        assert_eq!(item.arguments.unwrap()["properties"]["who"]["description"], "Whom");
        let template = json!({"uriTemplate": "x://{id}{?page}", "name": "n"});
        let item = read_item(ItemKind::Template, &template).unwrap();
        assert_eq!(item.argument_names(), [("id", true), ("page", false)]);
        let resource = json!({"uri": "x:1", "mimeType": "image/png", "size": 1500});
        let item = read_item(ItemKind::Resource, &resource).unwrap();
        assert_eq!((item.type_words().as_str(), item.arguments), ("image/png, 1.5 kB", None));
        assert_eq!(read_item(ItemKind::Resource, &json!({"name": "n"})), None);
    }

    #[test]
    fn each_kind_is_read_in_its_way() {
        let id = json!({"id": "a b"});
        let read = read_request(&request(ItemKind::Template, "x://{id}", &id));
        assert_eq!(read, ("resources/read", json!({"uri": "x://a%20b"})));
        let read = read_request(&request(ItemKind::Prompt, "p", &json!({})));
        assert_eq!(read, ("prompts/get", json!({"name": "p"})));
        let got =
            complete_params(&request(ItemKind::Prompt, "p", &json!({"a": "x", "b": "y"})), "b");
        let expected = json!({"ref": {"type": "ref/prompt", "name": "p"},
            "argument": {"name": "b", "value": "y"}, "context": {"arguments": {"a": "x"}}});
        assert_eq!(got, expected);
        assert_eq!(suggestions(&json!({"completion": {"values": ["u", 1, "v"]}})), ["u", "v"]);
    }
}
