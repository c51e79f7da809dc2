//! Lists of functions as model APIs and LangChain take them: one table of formats.

use serde_json::{Map, Value, json};

use super::{openapi, tool::PortableTool};
use crate::{
    engine::model_view::{Client, render_tool},
    model::tool::Function,
    schema::pointer::Pointer,
};

/// A way to write tools down that is no system's.
pub struct Format {
    /// `--to` takes it.
    pub word: &'static str,
    pub title: &'static str,
    /// All tools as one document.
    pub write: fn(&[PortableTool]) -> Value,
    /// What of the fields has no place in it, with why.
    pub lacks: &'static [(&'static str, &'static str)],
    /// What it has that no tool says, with what is written.
    pub assumes: &'static [(&'static str, &'static str)],
}

const NO_GATE: &str = "the format knows no groups or states";
const NO_OUTPUT: &str = "the format has no schema of answers";

const NO_REQUEST: &str = "the format has no method and path; who calls the tool has to know them";

const LACKS: &[(&str, &str)] = &[
    ("answer", NO_OUTPUT),
    ("groups", NO_GATE),
    ("states", NO_GATE),
    ("next state", NO_GATE),
    ("request", NO_REQUEST),
];

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        word: "openai",
        title: "OpenAI's tools",
        write: write_openai,
        lacks: LACKS,
        assumes: &[],
    },
    Format {
        word: "anthropic",
        title: "Anthropic's tools",
        write: write_anthropic,
        lacks: LACKS,
        assumes: &[],
    },
    Format {
        word: "langchain",
        title: "LangChain's structured tools",
        write: write_langchain,
        lacks: LACKS,
        assumes: &[],
    },
    Format {
        word: "openapi",
        title: "an OpenAPI 3.1 document",
        write: openapi::write_document,
        lacks: &[("groups", NO_GATE), ("states", NO_GATE), ("next state", NO_GATE)],
        assumes: &[("info", "the title Tools, version 1.0.0")],
    },
];

fn write_openai(tools: &[PortableTool]) -> Value {
    tools.iter().map(|tool| render_tool(&tool.to_function(), Client::OpenAi)).collect()
}

fn write_anthropic(tools: &[PortableTool]) -> Value {
    tools.iter().map(|tool| render_tool(&tool.to_function(), Client::Anthropic)).collect()
}

fn write_langchain(tools: &[PortableTool]) -> Value {
    let write = |tool: &PortableTool| json!({"name": tool.name, "description": tool.description, "args_schema": tool.parameters});
    tools.iter().map(write).collect()
}

/// The members that hold a function's parameters, in the formats that are read.
const PARAMETERS: [&str; 6] = [
    "parameters",
    "input_schema",
    "inputSchema",
    "args_schema",
    "parameters_json_schema",
    "parametersJsonSchema",
];
/// The members of an object that hold a list of functions.
const LISTS: [&str; 4] = ["tools", "functions", "function_declarations", "functionDeclarations"];

/// Tools of a document, with what of it isn't read; `None` where it is no format that is known.
#[must_use]
pub fn read_document(document: &Value) -> Option<(Vec<PortableTool>, Vec<String>)> {
    if document.get("openapi").is_some() {
        return Some(openapi::read_document(document));
    }
    if let Some(tool) = read_function(document) {
        return Some((vec![tool], Vec::new()));
    }
    let list = match document {
        Value::Array(items) => items,
        Value::Object(members) => {
            LISTS.iter().find_map(|member| members.get(*member))?.as_array()?
        }
        _ => return None,
    };
    let (mut tools, mut unread) = (Vec::new(), Vec::new());
    for (row, item) in list.iter().enumerate() {
        // Gemini's lists hold lists.
        match read_function(item) {
            Some(tool) => tools.push(tool),
            None => match read_document(item).filter(|_| item.is_object()) {
                Some((more, odd)) => {
                    tools.extend(more);
                    unread.extend(odd);
                }
                None => unread.push(format!("{}: no function", Pointer::root().item(row))),
            },
        }
    }
    (!tools.is_empty()).then_some((tools, unread))
}

/// A function in any of the forms: `{"type": "function", "function": {…}}`, or its members alone.
fn read_function(item: &Value) -> Option<PortableTool> {
    let function = item.get("function").filter(|inner| inner.is_object()).unwrap_or(item);
    let members = function.as_object()?;
    let name = members.get("name")?.as_str()?;
    let schema = PARAMETERS.iter().find_map(|member| members.get(*member));
    let is_function = schema.is_some_and(Value::is_object)
        || item.get("type").and_then(Value::as_str) == Some("function")
        || members.contains_key("args");
    if !is_function {
        return None;
    }
    let parameters = schema.cloned().or_else(|| {
        // LangChain's `tool.args` are the properties alone.
        Some(json!({"type": "object", "properties": members.get("args")?}))
    });
    let description = members.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut tool = PortableTool::from_function(Function {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: parameters.unwrap_or_else(|| Value::Object(Map::new())),
    });
    tool.output = members.get("outputSchema").filter(|schema| schema.is_object()).cloned();
    Some(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joke() -> PortableTool {
        PortableTool::from_function(Function {
            name: "joke".into(),
            description: "Tells a joke".into(),
            parameters: json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}),
        })
    }

    #[test]
    fn every_format_is_read_as_it_is_written() {
        for format in FORMATS {
            let (tools, unread) = read_document(&(format.write)(&[joke(), joke()])).unwrap();
            assert!(unread.is_empty(), "{}: {unread:?}", format.word);
            assert_eq!(tools.len(), 2, "{}", format.word);
            assert_eq!(tools[0].to_function(), joke().to_function(), "{}", format.word);
        }
    }

    #[test]
    fn other_lists_are_read_too() {
        let schema = json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]});
        let rows = [
            json!({"tools": [{"name": "joke", "description": "Tells a joke", "inputSchema": schema}]}),
            json!([{"type": "function", "name": "joke", "description": "Tells a joke", "parameters": schema}]),
            json!({"tools": [{"functionDeclarations": [{"name": "joke", "description": "Tells a joke", "parameters": schema}]}]}),
            json!({"name": "joke", "description": "Tells a joke", "parameters": schema}),
        ];
        for row in rows {
            let (tools, _) = read_document(&row).unwrap_or_else(|| panic!("{row}"));
            assert_eq!(tools, [joke()], "{row}");
        }
        assert_eq!(read_document(&json!({"tools": [1]})), None);
        assert_eq!(read_document(&json!("joke")), None);
        let (_, unread) = read_document(&json!([{"name": "a", "parameters": {}}, 3])).unwrap();
        assert_eq!(unread, ["/1: no function"]);
    }
}
