//! What Unique's toolkit (2026.44) makes of an MCP server's result: the `ToolCallResponse` that its
//! orchestrator reads, and the model after it.

use serde_json::{Map, Value, json};

/// The member of a text's `_meta` that says where it is from.
pub const REFERENCE: &str = "unique.app/reference";

/// What only the platform knows.
const CALL_ID: &str = "$CALL_ID";
const SERVER: &str = "$MCP_SERVER";
const CONTENT_ID: &str = "$CONTENT_ID";

/// What the toolkit says to the model after images.
const IMAGES: &str = "Include the image(s) in your response using the markdown above.";

/// Members of a chunk, by their names in Python and in JSON.
const CHUNK_MEMBERS: [(&str, &str); 12] = [
    ("id", "id"),
    ("text", "text"),
    ("order", "order"),
    ("key", "key"),
    ("chunk_id", "chunkId"),
    ("url", "url"),
    ("title", "title"),
    ("start_page", "startPage"),
    ("end_page", "endPage"),
    ("score", "score"),
    ("object", "object"),
    ("metadata", "metadata"),
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
    let texts: Vec<&str> = blocks
        .iter()
        .filter(is_text)
        .map(|block| block.get("text").and_then(Value::as_str).unwrap_or_default())
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
    let data = block.get("data").and_then(Value::as_str).filter(|data| !data.is_empty())?;
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
    let is_text = |names: [&str; 2]| member(reference, names).is_some_and(Value::is_string);
    let is_whole =
        member(reference, ["sequence_number", "sequenceNumber"]).is_some_and(is_whole_number);
    let is_reference = is_text(["name"; 2])
        && is_text(["source"; 2])
        && is_text(["source_id", "sourceId"])
        && is_whole;
    if !is_reference {
        return None;
    }
    let given = |(python, json): (&'static str, &'static str)| {
        let default = match python {
            "id" | "text" => json!(""),
            "order" => json!(0),
            _ => Value::Null,
        };
        (python.to_owned(), member(meta, [python, json]).cloned().unwrap_or(default))
    };
    let chunk: Map<String, Value> = CHUNK_MEMBERS.into_iter().map(given).collect();
    let is_chunk = chunk["id"].is_string()
        && chunk["text"].is_string()
        && is_whole_number(&chunk["order"])
        && ["key", "chunk_id", "url", "title", "object"]
            .iter()
            .all(|name| chunk[*name].is_null() || chunk[*name].is_string());
    is_chunk.then_some(Value::Object(chunk))
}

fn member<'m>(members: &'m Map<String, Value>, names: [&str; 2]) -> Option<&'m Value> {
    names.iter().find_map(|name| members.get(*name))
}

/// A whole number, also as a text.
fn is_whole_number(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().parse::<i64>().is_ok(),
        value => value.is_i64() || value.is_u64(),
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
        let told = response(&json!([block(json!("one"))]));
        assert_eq!((&told["content"], &told["content_chunks"]), (&json!("t"), &Value::Null));
    }
}
