//! What Unique's toolkit (2026.44) makes of an MCP server's result: the `ToolCallResponse` that its
//! orchestrator reads, and the model after it.

use serde_json::{Map, Value, json};

use crate::schema::decimal;

/// The member of a text's `_meta` that says where it is from.
pub const REFERENCE: &str = "unique.app/reference";

/// What only the platform knows.
const CALL_ID: &str = "$CALL_ID";
const SERVER: &str = "$MCP_SERVER";
const CONTENT_ID: &str = "$CONTENT_ID";

/// What the toolkit says to the model after images.
const IMAGES: &str = "Include the image(s) in your response using the markdown above.";

/// What a member may hold, as the toolkit's models read it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberKind {
    Text,
    /// A text or null.
    OptionalText,
    Whole,
    OptionalWhole,
    Any,
}

/// A member of a model: its names in Python and in JSON, what it holds, and whether it may be left out.
type ModelMember = (&'static str, &'static str, MemberKind, bool);

const CHUNK_MEMBERS: [ModelMember; 12] = [
    ("id", "id", MemberKind::Text, true),
    ("text", "text", MemberKind::Text, true),
    ("order", "order", MemberKind::Whole, true),
    ("key", "key", MemberKind::OptionalText, true),
    ("chunk_id", "chunkId", MemberKind::OptionalText, true),
    ("url", "url", MemberKind::OptionalText, true),
    ("title", "title", MemberKind::OptionalText, true),
    ("start_page", "startPage", MemberKind::OptionalWhole, true),
    ("end_page", "endPage", MemberKind::OptionalWhole, true),
    ("score", "score", MemberKind::Any, true),
    ("object", "object", MemberKind::OptionalText, true),
    ("metadata", "metadata", MemberKind::Any, true),
];

const REFERENCE_MEMBERS: [ModelMember; 8] = [
    ("id", "id", MemberKind::Text, true),
    ("message_id", "messageId", MemberKind::Text, true),
    ("name", "name", MemberKind::Text, false),
    ("sequence_number", "sequenceNumber", MemberKind::Whole, false),
    ("source", "source", MemberKind::Text, false),
    ("source_id", "sourceId", MemberKind::Text, false),
    ("description", "description", MemberKind::OptionalText, true),
    ("url", "url", MemberKind::OptionalText, true),
];

/// The response of a call of `name` with these arguments. What only the platform knows is
/// written as `$NAME`.
#[must_use]
pub fn tool_call_response(name: &str, arguments: &Value, result: &Value) -> Value {
    let blocks = content_blocks(result);
    let chunks: Vec<Value> = blocks.iter().filter_map(chunk_of).collect();
    let images: Vec<String> = blocks.iter().filter_map(image_url).collect();
    let content = match chunks.is_empty() {
        true => content_text(result, blocks, images.len()),
        false => String::new(),
    };
    json!({
        "id": CALL_ID,
        "name": name,
        "content": content,
        "debug_info": {"mcp_tool": name, "mcp_server": SERVER, "arguments": arguments},
        "content_chunks": if chunks.is_empty() { Value::Null } else { Value::Array(chunks) },
        "reasoning_result": null,
        "error_message": "",
        "invocation_stats": [],
        "image_data_urls": images,
        "system_reminder": "",
    })
}

fn content_blocks(result: &Value) -> &[Value] {
    let of = |value: &'_ Value| value.get("content").is_some_and(Value::is_array);
    let holder = match of(result) {
        true => Some(result),
        false => result.get("result").filter(|inner| of(inner)),
    };
    holder.and_then(|holder| holder["content"].as_array()).map_or(&[], Vec::as_slice)
}

/// The texts, then the images as Markdown; the whole result where that is nothing.
fn content_text(result: &Value, blocks: &[Value], images: usize) -> String {
    let is_text = |block: &&Value| block.get("type").and_then(Value::as_str) == Some("text");
    let texts: Vec<String> = blocks
        .iter()
        .filter(is_text)
        .map(|block| block.get("text").map(python_text).unwrap_or_default())
        .collect();
    let mut parts = vec![texts.join("\n\n")];
    parts.extend((0..images).map(|_| format!("![image](unique://content/{CONTENT_ID})")));
    if images > 0 {
        parts.push(IMAGES.to_owned());
    }
    let content = parts.join("\n\n");
    match content.trim().is_empty() {
        true => python_json(result),
        false => content,
    }
}

fn image_url(block: &Value) -> Option<String> {
    if block.get("type").and_then(Value::as_str) != Some("image") {
        return None;
    }
    // What cannot be decoded is dropped.
    let data = block.get("data").and_then(Value::as_str).filter(|data| !data.is_empty())?;
    if !is_decoded(data) {
        return None;
    }
    let kind = block.get("mimeType").and_then(Value::as_str).unwrap_or("image/png");
    Some(format!("data:{kind};base64,{data}"))
}

/// The chunk of a text block that says where it is from, as the toolkit wants it to be said.
fn chunk_of(block: &Value) -> Option<Value> {
    if block.get("type").and_then(Value::as_str) != Some("text") {
        return None;
    }
    let meta = block.get("_meta")?.as_object()?;
    let reference = meta.get(REFERENCE)?.as_object()?;
    read_model(&REFERENCE_MEMBERS, reference)?;
    read_model(&CHUNK_MEMBERS, meta).map(Value::Object)
}

/// The members of a model; `None` where it refuses one of them.
fn read_model(model: &[ModelMember], given: &Map<String, Value>) -> Option<Map<String, Value>> {
    let read = |(python, json, kind, is_optional): &ModelMember| {
        let value = match given.get(*json).or_else(|| given.get(*python)) {
            Some(value) => read_member(*kind, value)?,
            None if !is_optional => return None,
            None => match kind {
                MemberKind::Text => json!(""),
                MemberKind::Whole => json!(0),
                _ => Value::Null,
            },
        };
        Some(((*python).to_owned(), value))
    };
    model.iter().map(read).collect()
}

fn read_member(kind: MemberKind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (MemberKind::OptionalText | MemberKind::OptionalWhole, Value::Null) => Some(Value::Null),
        (MemberKind::Text | MemberKind::OptionalText, Value::String(_)) | (MemberKind::Any, _) => {
            Some(value.clone())
        }
        (MemberKind::Whole | MemberKind::OptionalWhole, _) => whole_number(value).map(Value::from),
        (MemberKind::Text | MemberKind::OptionalText, _) => None,
    }
}

/// A whole number, also as a text, as a truth value, or with a fraction of nothing.
fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(value) => Some(i64::from(*value)),
        Value::String(text) => {
            let (digits, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
            digits.parse().ok().filter(|_| fraction.bytes().all(|digit| digit == b'0'))
        }
        Value::Number(number) if decimal::is_whole(number) => {
            let text = number.to_string();
            text.split('.').next()?.parse().ok()
        }
        _ => None,
    }
}

/// Whether Python decodes a text as base64: it skips letters that are none of base64's, and wants the
/// padding whole.
fn is_decoded(data: &str) -> bool {
    if !data.is_ascii() {
        return false;
    }
    let (mut place, mut pads) = (0, 0);
    for letter in data.bytes() {
        match letter {
            b'=' if place >= 2 => {
                pads += 1;
                if place + pads >= 4 {
                    return true;
                }
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {
                (place, pads) = ((place + 1) % 4, 0);
            }
            _ => {}
        }
    }
    place == 0
}

/// A value as Python's `str` writes it.
fn python_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => python_literal(value),
    }
}

/// A value as Python's `repr` writes it.
fn python_literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
            let mut written = String::from(quote);
            for letter in text.chars() {
                match letter {
                    '\n' => written.push_str("\\n"),
                    '\r' => written.push_str("\\r"),
                    '\t' => written.push_str("\\t"),
                    letter if letter == quote || letter == '\\' => written.extend(['\\', letter]),
                    letter => written.push(letter),
                }
            }
            written.push(quote);
            written
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python_literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", python_literal(&name.as_str().into()), python_literal(value))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

/// A value as `json.dumps` writes it.
fn python_json(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python_json).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", ascii_json(&name.as_str().into()), python_json(value))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        value => ascii_json(value),
    }
}

/// JSON of a text or a number, in ASCII alone.
fn ascii_json(value: &Value) -> String {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        match letter.is_ascii() {
            true => text.push(letter),
            false => letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| text.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(content: &Value) -> Value {
        tool_call_response("joke", &json!({"topic": "cats"}), &json!({"content": content}))
    }

    #[test]
    fn texts_come_before_images_which_the_platform_keeps() {
        let told = response(&json!([
            {"type": "text", "text": "one"},
            {"type": "image", "data": "aGk=", "mimeType": "image/gif"},
            {"type": "text", "text": "two"}, {"type": "audio", "data": "x"},
        ]));
        assert_eq!(
            told["content"],
            "one\n\ntwo\n\n![image](unique://content/$CONTENT_ID)\n\nInclude the image(s) in your response using the markdown above."
        );
        assert_eq!(told["image_data_urls"], json!(["data:image/gif;base64,aGk="]));
        assert_eq!(
            told["debug_info"],
            json!({"mcp_tool": "joke", "mcp_server": "$MCP_SERVER", "arguments": {"topic": "cats"}})
        );
        let members: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(members.len(), 10, "{members:?}");
    }

    #[test]
    fn what_has_no_text_is_the_whole_result_as_python_writes_it() {
        let told = response(&json!([{"type": "resource_link", "name": "é\n😀"}]));
        assert_eq!(
            told["content"],
            r#"{"content": [{"type": "resource_link", "name": "\u00e9\n\ud83d\ude00"}]}"#
        );
    }

    #[test]
    fn what_is_no_text_is_as_python_writes_it_and_what_is_no_image_goes() {
        let text =
            |text: Value| response(&json!([{"type": "text", "text": text}]))["content"].clone();
        assert_eq!(
            text(json!({"a": [true, null, 1.50, "it's", "\"'\n"]})),
            r#"{'a': [True, None, 1.5, "it's", '"\'\n']}"#
        );
        assert_eq!(text(json!(7)), "7");
        let image = |data: &str| {
            let told =
                response(&json!([{"type": "text", "text": "t"}, {"type": "image", "data": data}]));
            told["image_data_urls"].as_array().map(Vec::len)
        };
        let kept = ["aGk=", "a Gk=", "aGk=x", "aa=="].map(image);
        assert_eq!((kept, ["aGk", "aG", "a", "é"].map(image)), ([Some(1); 4], [Some(0); 4]));
    }

    #[test]
    fn references_are_chunks_and_drop_the_text() {
        let block = |number: Value| {
            json!({"type": "text", "text": "t", "_meta": {
            REFERENCE: {"name": "n", "sequenceNumber": number, "source": "s", "sourceId": "i"},
            "text": "chunk", "chunkId": "c", "order": 2}})
        };
        let told = response(&json!([block(json!(1)), {"type": "text", "text": "plain"}]));
        assert_eq!(told["content"], "");
        let chunk = &told["content_chunks"][0];
        assert_eq!(
            (&chunk["text"], &chunk["chunk_id"], &chunk["order"], &chunk["url"]),
            (&json!("chunk"), &json!("c"), &json!(2), &Value::Null)
        );
        let told = response(&json!([block(json!(" 2.0 "))]));
        assert_eq!(told["content_chunks"].as_array().map(Vec::len), Some(1));
        let told = response(&json!([block(json!("one"))]));
        assert_eq!((&told["content"], &told["content_chunks"]), (&json!("t"), &Value::Null));
    }
}
