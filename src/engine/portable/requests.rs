//! What a caller over HTTP meets where a tool's request is another than it was.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    places::{argument_places, path_names},
    tool::{HttpRequest, PortableTool},
};

/// One difference between the requests of a tool. Who calls it as before is refused, or understood
/// otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestChange {
    /// Stable: `request.path-changed`.
    pub id: &'static str,
    /// Within the tool.
    pub at: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The request of an operation: where it says nothing, a POST to the tool's own path.
#[must_use]
pub fn operation_request(tool: &PortableTool) -> HttpRequest {
    tool.http.clone().unwrap_or_else(|| HttpRequest {
        method: "POST".to_owned(),
        path: format!("/{}", tool.name),
        places: BTreeMap::new(),
    })
}

/// What differs between the requests of two tools, of which both are operations. An argument's place
/// follows from the method unless it is said, so that places are compared where the method stays.
#[must_use]
pub fn compare_requests(old: &PortableTool, new: &PortableTool) -> Vec<RequestChange> {
    let (before, after) = (operation_request(old), operation_request(new));
    let mut changes = Vec::new();
    let mut push = |id, at: String, before: &str, after: &str| {
        let (before, after) = (Some(before.to_owned()), Some(after.to_owned()));
        changes.push(RequestChange { id, at, before, after });
    };
    if before.method != after.method {
        let at = "/request/method".to_owned();
        push("request.method-changed", at, &before.method, &after.method);
    }
    if without_names(&before.path) != without_names(&after.path) {
        push("request.path-changed", "/request/path".to_owned(), &before.path, &after.path);
    }
    if before.method == after.method {
        let there = argument_places(new, &after);
        for (name, place) in argument_places(old, &before) {
            if let Some(now) = there.get(&name).filter(|now| **now != place) {
                let at = format!("/request/places/{name}");
                push("request.place-changed", at, &place_text(&place), &place_text(now));
            }
        }
    }
    changes
}

/// A path as it is sent: what is between braces is replaced, whatever its name is.
fn without_names(path: &str) -> String {
    let replace = |path: String, name: &str| path.replacen(&format!("{{{name}}}"), "{}", 1);
    path_names(path).into_iter().fold(path.to_owned(), replace)
}

/// A place in few letters: `query`, or with all that is said of it.
fn place_text(place: &Value) -> String {
    match place.as_object() {
        Some(members) if members.len() == 1 => {
            members.values().next().and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        _ => json!(place).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::portable::openapi::read_document;

    fn changes(old: &Value, new: &Value) -> Vec<String> {
        let read = |paths: &Value| {
            let document = json!({"openapi": "3.1.0", "paths": paths});
            read_document(&document).0.remove(0).tool
        };
        let text = |text: Option<String>| text.unwrap_or_default();
        let changes = compare_requests(&read(old), &read(new)).into_iter();
        changes
            .map(|one| format!("{} {}: {} → {}", one.id, one.at, text(one.before), text(one.after)))
            .collect()
    }

    #[test]
    fn another_method_path_or_place_is_a_change() {
        let of = |path: &str, method: &str, parameters: Value| json!({path: {method: {"operationId": "a", "parameters": parameters}}});
        let id = |place: &str| json!([{"name": "id", "in": place, "schema": {"type": "string"}}]);
        let get = of("/a", "get", id("query"));
        assert_eq!(changes(&get, &get), [""; 0]);
        assert_eq!(
            changes(&get, &of("/b", "get", id("query"))),
            ["request.path-changed /request/path: /a → /b"]
        );
        assert_eq!(
            changes(&get, &of("/a", "post", id("query"))),
            ["request.method-changed /request/method: GET → POST"]
        );
        assert_eq!(
            changes(&get, &of("/a", "get", id("header"))),
            ["request.place-changed /request/places/id: query → header"]
        );
        let styled =
            json!([{"name": "id", "in": "query", "explode": false, "schema": {}, "example": "a"}]);
        assert_eq!(
            changes(&get, &of("/a", "get", styled)),
            [
                "request.place-changed /request/places/id: query → {\"in\":\"query\",\"explode\":false}"
            ]
        );
        let shown =
            json!([{"name": "id", "in": "query", "schema": {"type": "string"}, "example": "a"}]);
        assert_eq!(changes(&get, &of("/a", "get", shown)), [""; 0], "an example is never sent");
        // The name of a parameter in a path is never sent.
        let named = |name: &str| {
            let parameters = json!([{"name": name, "in": "path", "required": true, "schema": {}}]);
            of(&format!("/a/{{{name}}}"), "get", parameters)
        };
        assert_eq!(changes(&named("id"), &named("number")), [""; 0]);
        // A POST to the tool's own path is said by nothing.
        let post = of("/a", "post", json!([]));
        assert_eq!(
            changes(&post, &of("/a", "put", json!([]))),
            ["request.method-changed /request/method: POST → PUT"]
        );
    }
}
