//! A JSON Schema alone as a tool: its title is the name, as pydantic's `model_json_schema()` has it.

use serde_json::Value;

use super::{baggage::Baggage, tool::PortableTool};
use crate::model::tool::Function;

/// The tool of a schema of an object; `None` where the document is no such schema.
///
/// # Errors
/// Says that the schema has no title that names a tool.
#[must_use]
pub fn read_schema(document: &Value) -> Option<Result<Baggage, String>> {
    let members = document.as_object()?;
    let is_object = members.get("type").and_then(Value::as_str) == Some("object");
    if !is_object || !members.get("properties")?.is_object() {
        return None;
    }
    let text = |member: &str| members.get(member).and_then(Value::as_str).unwrap_or_default();
    let name = name_of(text("title"));
    if name.is_empty() {
        let why = "it is a JSON Schema without a title: add \"title\", which names the tool";
        return Some(Err(why.to_owned()));
    }
    let mut parameters = members.clone();
    parameters.retain(|member, _| !["title", "description"].contains(&member.as_str()));
    let function = Function::new(name, text("description"), parameters.into());
    Some(Ok(Baggage::new(PortableTool::from_function(function))))
}

/// A title as a name: `_` where it has something else than letters, digits, `_`, `-` and `.`.
fn name_of(title: &str) -> String {
    let is_kept = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let words = title.split(|letter| !is_kept(letter)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_title_of_a_schema_names_the_tool() {
        let mut schema = json!({
            "title": "Find orders",
            "description": "Finds orders",
            "type": "object",
            "properties": {"text": {"title": "Text", "type": "string"}},
            "required": ["text"],
            "$defs": {"A": {"type": "string"}},
        });
        let tool = read_schema(&schema).unwrap().unwrap().tool;
        assert_eq!((&*tool.name, &*tool.description), ("Find_orders", "Finds orders"));
        let parameters = json!({
            "type": "object",
            "properties": {"text": {"title": "Text", "type": "string"}},
            "required": ["text"],
            "$defs": {"A": {"type": "string"}},
        });
        assert_eq!(tool.parameters, parameters);
        schema["title"] = json!(3);
        assert!(read_schema(&schema).unwrap().unwrap_err().contains("without a title"));
        for other in [json!([schema]), json!({"type": "object"}), json!({"properties": {}})] {
            assert!(read_schema(&other).is_none(), "{other}");
        }
    }
}
