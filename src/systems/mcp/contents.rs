//! What answers, resources and prompts hold, part by part: texts as they came, all else with its
//! kind, its size and its bytes; what is not known as JSON.

use serde_json::Value;

use super::{base64, fault::Fault};
use crate::{model::content_part::ContentPart, schema::pointer::Pointer};

/// Parts, and what is wrong with what brought them; places are within the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    pub description: Option<String>,
    pub parts: Vec<ContentPart>,
    pub faults: Vec<Fault>,
}

impl Contents {
    fn push_fault(&mut self, id: &'static str, at: Pointer, words: &'static str) {
        self.faults.push(Fault::new(id, at, words));
    }

    fn read_block(&mut self, source: &str, block: &Value, place: &Pointer) {
        let Some(kind) = text_of(block, "type") else {
            return self.push_fault("content.malformed", place.clone(), "has no type");
        };
        let part = ContentPart {
            source: source.to_owned(),
            mime: text_of(block, "mimeType"),
            notes: annotation_notes(block),
            ..ContentPart::default()
        };
        match kind.as_str() {
            "text" => {
                let text = text_of(block, "text");
                if text.is_none() {
                    self.push_fault("content.malformed", place.child("text"), "isn't text");
                }
                self.parts.push(ContentPart { kind, text, ..part });
            }
            "image" | "audio" => {
                if part.mime.is_none() {
                    let words = "does not say of which type it is";
                    self.push_fault("content.no-mime-type", place.child("mimeType"), words);
                }
                let bytes = self.decode_bytes(block, "data", place);
                self.parts.push(ContentPart { kind, bytes, ..part });
            }
            "resource_link" => {
                let words = ["name", "uri", "description"].map(|member| text_of(block, member));
                let text = words.into_iter().flatten().collect::<Vec<_>>().join("\n");
                let link = text_of(block, "uri");
                self.parts.push(ContentPart {
                    kind: "link".into(),
                    text: Some(text),
                    link,
                    ..part
                });
            }
            "resource" => {
                let resource = block.get("resource").unwrap_or(&Value::Null);
                let before = self.parts.len();
                self.read_resource(source, resource, &place.child("resource"));
                for inner in &mut self.parts[before..] {
                    inner.notes.extend(part.notes.iter().cloned());
                }
            }
            _ => {
                let text = serde_json::to_string_pretty(block).unwrap_or_default();
                let mime = Some("application/json".to_owned());
                self.parts.push(ContentPart { kind, text: Some(text), mime, ..part });
            }
        }
    }

    fn read_resource(&mut self, source: &str, item: &Value, place: &Pointer) {
        let uri = text_of(item, "uri");
        if uri.is_none() {
            self.push_fault("resource.no-uri", place.child("uri"), "does not say where it lies");
        }
        let words = [Some(source.to_owned()).filter(|source| !source.is_empty()), uri];
        let part = ContentPart {
            source: words.into_iter().flatten().collect::<Vec<_>>().join(" "),
            mime: text_of(item, "mimeType"),
            notes: annotation_notes(item),
            ..ContentPart::default()
        };
        if let Some(text) = text_of(item, "text") {
            self.parts.push(ContentPart { kind: "text".into(), text: Some(text), ..part });
        } else if item.get("blob").is_some() {
            let bytes = self.decode_bytes(item, "blob", place);
            self.parts.push(ContentPart { kind: "blob".into(), bytes, ..part });
        } else {
            let words = "has neither text nor blob";
            self.push_fault("content.malformed", place.clone(), words);
        }
    }

    fn decode_bytes(
        &mut self,
        block: &Value,
        member: &str,
        place: &Pointer,
    ) -> Option<std::sync::Arc<[u8]>> {
        let bytes = block.get(member).and_then(Value::as_str).and_then(base64::decode);
        if bytes.is_none() {
            self.push_fault("content.base64-invalid", place.child(member), "is not base64");
        }
        bytes.map(Into::into)
    }
}

fn text_of(item: &Value, name: &str) -> Option<String> {
    item.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// What annotations say, each in a few words.
pub(super) fn annotation_notes(item: &Value) -> Vec<String> {
    let Some(annotations) = item.get("annotations") else { return Vec::new() };
    let audience = annotations.get("audience").and_then(Value::as_array).map(|audience| {
        let names: Vec<&str> = audience.iter().filter_map(Value::as_str).collect();
        format!("for {}", names.join(" and "))
    });
    let said = |name: &str, words: &str| {
        let value = annotations.get(name)?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some(format!("{words} {value}"))
    };
    let notes = [audience, said("priority", "priority"), said("lastModified", "changed")];
    notes.into_iter().flatten().collect()
}

/// The result of `tools/call`; without faults, which the view of a result has.
#[must_use]
pub fn answer_parts(result: &Value) -> Vec<ContentPart> {
    let mut contents = Contents::default();
    let at = Pointer::root().child("content");
    let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
    for (row, block) in blocks.enumerate() {
        contents.read_block("", block, &at.item(row));
    }
    contents.parts
}

/// The result of `resources/read`.
#[must_use]
pub fn resource_contents(result: &Value) -> Contents {
    let mut contents = Contents::default();
    let at = Pointer::root().child("contents");
    match result.get("contents").and_then(Value::as_array) {
        None => {
            let words = "is no list of what the resource holds";
            contents.push_fault("resource.no-contents", at, words);
        }
        Some(items) => {
            for (row, item) in items.iter().enumerate() {
                contents.read_resource("", item, &at.item(row));
            }
        }
    }
    contents
}

/// The result of `prompts/get`.
#[must_use]
pub fn prompt_contents(result: &Value) -> Contents {
    let mut contents =
        Contents { description: text_of(result, "description"), ..Contents::default() };
    let at = Pointer::root().child("messages");
    let Some(messages) = result.get("messages").and_then(Value::as_array) else {
        contents.push_fault("prompt.no-messages", at, "is no list of messages");
        return contents;
    };
    for (row, message) in messages.iter().enumerate() {
        let place = at.item(row);
        let role = text_of(message, "role").unwrap_or_default();
        if !["user", "assistant"].contains(&role.as_str()) {
            let words = "is neither user nor assistant";
            contents.push_fault("prompt.role-unknown", place.child("role"), words);
        }
        let block = message.get("content").unwrap_or(&Value::Null);
        contents.read_block(&role, block, &place.child("content"));
    }
    contents
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::fault::fault_ids, *};

    #[test]
    fn resources_are_texts_and_blobs() {
        let contents = resource_contents(&json!({"contents": [
            {"uri": "file:///a/b.md", "mimeType": "text/markdown", "text": "# x"},
            {"uri": "demo://img/1", "mimeType": "image/png", "blob": "aGk="},
            {"uri": "x:y", "blob": "%"}, {"uri": "z"}]}));
        assert_eq!(contents.parts[0].text.as_deref(), Some("# x"));
        assert!(contents.parts[0].is_markdown() && !contents.parts[1].is_markdown());
        assert_eq!(contents.parts[1].bytes.as_deref(), Some(&b"hi"[..]));
        assert_eq!(contents.parts[1].summary(), "blob image/png, 2 B");
        assert_eq!(fault_ids(&contents.faults), ["content.base64-invalid", "content.malformed"]);
        assert_eq!(fault_ids(&resource_contents(&json!({})).faults), ["resource.no-contents"]);
    }

    #[test]
    fn prompts_are_messages_of_any_content() {
        let message = |role: &str, content: Value| json!({"role": role, "content": content});
        let contents = prompt_contents(&json!({"description": "d", "messages": [
            message("user", json!({"type": "text", "text": "hello"})),
            message("assistant", json!({"type": "image", "data": "aGk="})),
            message("user", json!({"type": "resource", "annotations": {"audience": ["user"]},
                "resource": {"uri": "x:1", "text": "t"}})),
            message("robot", json!({"type": "hologram", "n": 1})),
            message("user", json!("words"))]}));
        let told: Vec<(&str, &str)> =
            contents.parts.iter().map(|part| (part.source.as_str(), part.kind.as_str())).collect();
        let expected =
            [("user", "text"), ("assistant", "image"), ("user x:1", "text"), ("robot", "hologram")];
        assert_eq!(told, expected);
        assert_eq!(contents.parts[2].notes, ["for user"]);
        assert!(contents.parts[3].text.as_deref().is_some_and(|text| text.contains("\"n\": 1")));
        let ids = ["content.malformed", "content.no-mime-type", "prompt.role-unknown"];
        assert_eq!(fault_ids(&contents.faults), ids);
    }

    #[test]
    fn an_answer_keeps_every_block() {
        let parts = answer_parts(&json!({"content": [
            {"type": "text", "text": "t", "annotations": {"priority": 0.5, "audience": ["user", "assistant"]}},
            {"type": "audio", "mimeType": "audio/wav", "data": "aGk="},
            {"type": "resource_link", "name": "n", "uri": "x:1"}, {"type": "odd"}]}));
        let kinds: Vec<&str> = parts.iter().map(|part| part.kind.as_str()).collect();
        assert_eq!(kinds, ["text", "audio", "link", "odd"]);
        assert_eq!(parts[0].notes, ["for user and assistant", "priority 0.5"]);
        assert_eq!(parts[2].text.as_deref(), Some("n\nx:1"));
    }
}
