//! Lists of functions as model APIs and LangChain take them: one table of formats.

use serde_json::{Map, Value, json};

use super::{
    baggage::{Baggage, Origin, OwnForm},
    dialect,
    fate::Fate,
    openapi,
    tool::{PortableTool, short_text},
};
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
    /// The API whose names it takes.
    pub client: Option<Client>,
    /// All tools as one document.
    pub write: fn(&[PortableTool]) -> Value,
    /// What of the fields has no place in it, with why.
    pub lacks: &'static [(&'static str, &'static str)],
    /// What it has that no tool says, with what is written.
    pub assumes: &'static [(&'static str, &'static str)],
}

const NO_GATE: &str = "the format knows no groups or states";
const NO_OUTPUT: &str = "the format has no schema of answers";
const NO_STRICT: &str = "only OpenAI's and Anthropic's forms say it";

const NO_REQUEST: &str = "the format has no method and path; who calls the tool has to know them";

const LACKS: &[(&str, &str)] = &[
    ("strict", NO_STRICT),
    ("answer", NO_OUTPUT),
    ("groups", NO_GATE),
    ("states", NO_GATE),
    ("next state", NO_GATE),
    ("request", NO_REQUEST),
    ("places", NO_REQUEST),
];

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        word: OPENAI,
        title: "OpenAI's tools",
        client: Some(Client::OpenAi),
        write: write_openai,
        lacks: LACKS,
        assumes: &[],
    },
    Format {
        word: "anthropic",
        title: "Anthropic's tools",
        client: Some(Client::Anthropic),
        write: write_anthropic,
        lacks: LACKS,
        assumes: &[],
    },
    Format {
        word: GEMINI,
        title: "Gemini's function declarations",
        client: Some(Client::Gemini),
        write: write_gemini,
        lacks: &[
            ("strict", NO_STRICT),
            ("groups", NO_GATE),
            ("states", NO_GATE),
            ("next state", NO_GATE),
            ("request", NO_REQUEST),
            ("places", NO_REQUEST),
        ],
        assumes: &[],
    },
    Format {
        word: "langchain",
        title: "LangChain's structured tools",
        client: None,
        write: write_langchain,
        lacks: LACKS,
        assumes: &[],
    },
    Format {
        word: openapi::FORM,
        title: "an OpenAPI 3.1 document",
        client: None,
        write: openapi::write_document,
        lacks: &[
            ("strict", NO_STRICT),
            ("groups", NO_GATE),
            ("states", NO_GATE),
            ("next state", NO_GATE),
        ],
        assumes: &[
            ("info", "the title Tools, version 1.0.0"),
            ("request", "POST and the path /NAME"),
        ],
    },
];

fn write_openai(tools: &[PortableTool]) -> Value {
    tools.iter().map(|tool| render_tool(&tool.to_function(), Client::OpenAi)).collect()
}

fn write_anthropic(tools: &[PortableTool]) -> Value {
    tools.iter().map(|tool| render_tool(&tool.to_function(), Client::Anthropic)).collect()
}

fn write_gemini(tools: &[PortableTool]) -> Value {
    let write = |tool: &PortableTool| {
        let mut declared = render_tool(&tool.to_function(), Client::Gemini);
        if let Some(output) = &tool.output {
            declared["responseJsonSchema"] = output.clone();
        }
        declared
    };
    json!({"functionDeclarations": tools.iter().map(write).collect::<Vec<_>>()})
}

fn write_langchain(tools: &[PortableTool]) -> Value {
    let write = |tool: &PortableTool| json!({"name": tool.name, "description": tool.description, "args_schema": tool.parameters});
    tools.iter().map(write).collect()
}

/// Members that hold a function's parameters, with the target whose form it is where it is one's
/// alone.
const PARAMETERS: [(&str, Option<&str>); 6] = [
    ("parameters", None),
    ("input_schema", Some("anthropic")),
    ("inputSchema", Some(MCP)),
    ("args_schema", Some("langchain")),
    ("parameters_json_schema", None),
    ("parametersJsonSchema", Some(GEMINI)),
];
/// The names of such members; also that of LangChain's properties alone.
pub const PARAMETER_MEMBERS: [&str; 7] = [
    "parameters",
    "input_schema",
    "inputSchema",
    "args_schema",
    "parameters_json_schema",
    "parametersJsonSchema",
    "args",
];
const OPENAI: &str = "openai";
const GEMINI: &str = "gemini";
const MCP: &str = "mcp";
/// Members that hold the schema of answers.
const OUTPUTS: [&str; 4] =
    ["outputSchema", "response", "response_json_schema", "responseJsonSchema"];
/// Whether a model keeps to the schema strictly, in OpenAI's and Anthropic's forms.
const STRICT: &str = "strict";
/// Where that is among the members of a function that are not read.
const STRICT_PLACES: [&str; 2] = ["/function/strict", "/strict"];
/// The member of `_meta` that says the same of a tool in MCP's form, which has no member of its own
/// for it.
pub const META_STRICT: &str = "toolcrib/strict";
/// What a function's type is called where it is one of one's own.
const TYPES: [&str; 2] = ["function", "custom"];
/// The members of an object that hold a list of functions.
const LISTS: [&str; 4] = ["tools", "functions", "function_declarations", "functionDeclarations"];
/// Those of them that are Gemini's.
const GEMINI_LISTS: [&str; 2] = ["function_declarations", "functionDeclarations"];

/// Tools of a document, with what of it isn't read; `None` where it is no format that is known.
#[must_use]
pub fn read_document(document: &Value) -> Option<(Vec<Baggage>, Vec<String>)> {
    read_at(document, &Pointer::root())
}

/// The list that a document is, and where it is in it; `None` where it is none.
#[must_use]
pub fn find_list(document: &Value) -> Option<(Pointer, &Vec<Value>)> {
    let (at, list, _) = list_of(document, &Pointer::root())?;
    Some((at, list))
}

fn list_of<'d>(value: &'d Value, at: &Pointer) -> Option<(Pointer, &'d Vec<Value>, ListKind)> {
    match value {
        Value::Array(items) => Some((at.clone(), items, ListKind::Unknown)),
        Value::Object(members) => {
            let member = LISTS.iter().find(|member| members.contains_key(**member))?;
            let is_gemini = GEMINI_LISTS.contains(member);
            let kind = if is_gemini { ListKind::Gemini } else { ListKind::Unknown };
            Some((at.child(*member), members.get(*member)?.as_array()?, kind))
        }
        _ => None,
    }
}

fn read_at(value: &Value, at: &Pointer) -> Option<(Vec<Baggage>, Vec<String>)> {
    if value.get("openapi").is_some() {
        let (mut tools, unread) = openapi::read_document(value);
        tools.iter_mut().for_each(|one| one.origin.at = at.join(&one.origin.at));
        return Some((tools, unread));
    }
    if let Some(tool) = read_function(value, at, ListKind::Unknown) {
        return Some((vec![tool], Vec::new()));
    }
    let (home, list, kind) = list_of(value, at)?;
    let (mut tools, mut unread) = (Vec::new(), Vec::new());
    for (row, item) in list.iter().enumerate() {
        let at = home.item(row);
        // Gemini's lists hold lists.
        match read_function(item, &at, kind) {
            Some(tool) => tools.push(tool),
            None => match read_at(item, &at).filter(|_| item.is_object()) {
                Some((more, odd)) => {
                    tools.extend(more);
                    unread.extend(odd);
                }
                None => unread.push(no_function(row, item)),
            },
        }
    }
    (!tools.is_empty()).then_some((tools, unread))
}

/// The type of a tool that Anthropic's API has itself, such as `web_search_20250305`: it ends with a
/// date, and the tool has no schema.
fn own_type(item: &Value) -> Option<&str> {
    let kind = item.get("type")?.as_str()?;
    let (_, date) = kind.rsplit_once('_')?;
    (date.len() == 8 && date.bytes().all(|digit| digit.is_ascii_digit())).then_some(kind)
}

/// That an item of a list is none that can be read.
fn no_function(row: usize, item: &Value) -> String {
    let at = Pointer::root().item(row);
    match (item.get("name").and_then(Value::as_str), own_type(item)) {
        (Some(name), Some(kind)) => {
            format!("{at}: \"{name}\" is a tool of Anthropic's own ({kind}), and is left out")
        }
        (Some(name), None) => {
            format!("{at}: \"{name}\" has no schema of its arguments, and is left out: give it one")
        }
        (None, _) => format!("{at}: no function"),
    }
}

/// What the place of a function says of its form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListKind {
    Unknown,
    Gemini,
}

/// A function in any of the forms: `{"type": "function", "function": {…}}`, or its members alone.
fn read_function(item: &Value, at: &Pointer, list: ListKind) -> Option<Baggage> {
    let inner = item.get("function").filter(|inner| inner.is_object());
    let members = inner.unwrap_or(item).as_object()?;
    let name = members.get("name")?.as_str()?;
    let of_schema =
        PARAMETERS.into_iter().find_map(|(key, word)| Some((members.get(key)?, word, key)));
    let schema = of_schema.map(|(schema, ..)| schema);
    let is_typed = item.get("type").and_then(Value::as_str) == Some("function");
    let is_function =
        schema.is_some_and(Value::is_object) || is_typed || members.contains_key("args");
    if !is_function {
        return None;
    }
    let is_gemini = list == ListKind::Gemini
        || schema.is_some_and(dialect::is_gemini)
        || of_schema.is_some_and(|(_, word, _)| word == Some(GEMINI));
    let read_schema = |key: &str, schema: &Value| {
        let mut schema = schema.clone();
        // The other members of Gemini's form hold JSON Schemas.
        if is_gemini && ["parameters", "response"].contains(&key) {
            dialect::from_gemini(&mut schema);
        }
        schema
    };
    let parameters = of_schema.map(|(schema, _, key)| read_schema(key, schema)).or_else(|| {
        // LangChain's `tool.args` are the properties alone.
        Some(json!({"type": "object", "properties": members.get("args")?}))
    });
    let description = members.get("description").and_then(Value::as_str).unwrap_or_default();
    let parameters = parameters.unwrap_or_else(|| Value::Object(Map::new()));
    let strict = read_strict(members);
    let function = Function { strict, ..Function::new(name, description, parameters) };
    let mut tool = PortableTool::from_function(function);
    let output = OUTPUTS.into_iter().find_map(|key| Some((key, members.get(key)?)));
    let output =
        output.filter(|(key, value)| value.is_object() && (is_gemini || *key == OUTPUTS[0]));
    tool.output = output.map(|(key, schema)| read_schema(key, schema));
    let mut read = vec!["name", "description", "type", "args"];
    read.extend(of_schema.map(|(.., key)| key));
    read.extend(output.map(|(key, _)| key));
    let word = of_schema.and_then(|(_, word, _)| word).or(is_typed.then_some(OPENAI));
    let own = own_members(item, inner.is_some(), &read);
    let rest = unread_members(&own);
    let is_lost = |at: &str| strict.is_none() || !STRICT_PLACES.contains(&at);
    let lost = rest.iter().filter(|(at, _)| is_lost(at));
    let lost = lost.map(|(at, value)| Fate::lost(at, short_text(value))).collect();
    let form = word.unwrap_or(if is_gemini { GEMINI } else { "" });
    let origin = Origin { form, at: at.clone(), rest: rest.into_iter().collect() };
    let value = match word {
        Some(MCP) => item.clone(),
        // Chat's form and that of responses have the same members at other places.
        Some(OPENAI) if inner.is_none() => json!({"function": own}),
        _ => own,
    };
    let key = tool.name.clone();
    let own = word.map(|word| OwnForm { word, key, name_key: "name", value });
    Some(Baggage { lost, own, origin, beside: Vec::new(), tool })
}

/// What a function says of whether a model keeps to its schema strictly.
fn read_strict(members: &Map<String, Value>) -> Option<bool> {
    let in_meta = || members.get("_meta")?.get(META_STRICT);
    members.get(STRICT).or_else(in_meta)?.as_bool()
}

/// The members of a function, and those around it, that are not read.
fn own_members(item: &Value, is_wrapped: bool, read: &[&str]) -> Value {
    let is_own = |(key, value): &(&String, &Value)| {
        let is_type = *key == "type" && !value.as_str().is_some_and(|kind| TYPES.contains(&kind));
        !value.is_null() && (is_type || !read.contains(&key.as_str()))
    };
    let unread = |value: &Value| -> Map<String, Value> {
        let members = value.as_object().into_iter().flatten().filter(is_own);
        members.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let mut own = unread(item);
    if is_wrapped {
        let inner = item.get("function").map(unread).unwrap_or_default();
        own.shift_remove("function");
        if !inner.is_empty() {
            own.insert("function".to_owned(), Value::Object(inner));
        }
    }
    Value::Object(own)
}

/// Each of them by its place.
fn unread_members(own: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (key, value) in own.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) if key == "function" => {
                let inner = inner.iter();
                all.extend(inner.map(|(key, value)| (format!("/function/{key}"), value.clone())));
            }
            _ => all.push((format!("/{key}"), value.clone())),
        }
    }
    all
}

/// Adds the members of another value that are not there yet, at any depth.
pub fn add_members(value: &mut Value, more: &Value) {
    let (Some(members), Some(more)) = (value.as_object_mut(), more.as_object()) else { return };
    for (key, other) in more {
        match members.get_mut(key) {
            Some(known) => add_members(known, other),
            None => {
                members.insert(key.clone(), other.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joke() -> PortableTool {
        let parameters = json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]});
        PortableTool::from_function(Function::new("joke", "Tells a joke", parameters))
    }

    #[test]
    fn every_format_is_read_as_it_is_written() {
        for format in FORMATS {
            let (tools, unread) = read_document(&(format.write)(&[joke(), joke()])).unwrap();
            assert!(unread.is_empty(), "{}: {unread:?}", format.word);
            assert_eq!(tools.len(), 2, "{}", format.word);
            assert_eq!(tools[0].tool.to_function(), joke().to_function(), "{}", format.word);
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
            assert_eq!(tools.len(), 1, "{row}");
            assert_eq!((&tools[0].tool, &tools[0].lost), (&joke(), &Vec::new()), "{row}");
        }
        assert_eq!(read_document(&json!({"tools": [1]})), None);
        assert_eq!(read_document(&json!("joke")), None);
        let (_, unread) = read_document(&json!([{"name": "a", "parameters": {}}, 3])).unwrap();
        assert_eq!(unread, ["/1: no function"]);
        let own = json!({"type": "web_search_20250305", "name": "web_search"});
        let (_, unread) = read_document(&json!([{"name": "a", "parameters": {}}, own])).unwrap();
        let words = "is a tool of Anthropic's own (web_search_20250305), and is left out";
        assert_eq!(unread, [format!("/1: \"web_search\" {words}")]);
    }

    #[test]
    fn members_that_no_tool_has_are_lost_or_of_the_own_form() {
        let schema = json!({"type": "object", "properties": {}});
        let read = |item: Value| {
            let (mut tools, _) = read_document(&item).unwrap();
            let one = tools.remove(0);
            let lost: Vec<String> = one.lost.into_iter().map(|fate| fate.field).collect();
            (lost.join(" "), one.own.map(|own| (own.word, own.value)))
        };
        let strict = json!({"function": {"strict": true}});
        let chat = json!({"type": "function", "function": {"name": "a", "strict": true, "parameters": schema}});
        assert_eq!(read(chat), (String::new(), Some(("openai", strict.clone()))));
        let responses =
            json!({"type": "function", "name": "a", "strict": true, "parameters": schema});
        assert_eq!(read(responses), (String::new(), Some(("openai", strict))));
        let odd = json!({"name": "a", "strict": "very", "input_schema": schema});
        assert_eq!(read(odd).0, "/strict");
        let cached = json!({"name": "a", "type": "custom", "cache_control": {"type": "ephemeral"}, "input_schema": schema});
        let own = json!({"cache_control": {"type": "ephemeral"}});
        assert_eq!(read(cached), ("/cache_control".to_owned(), Some(("anthropic", own))));
        let old = json!({"name": "a", "parameters": schema, "behavior": "BLOCKING"});
        assert_eq!(read(old), ("/behavior".to_owned(), None));
    }

    #[test]
    fn types_of_gemini_are_read_as_json_schema_has_them() {
        let declared = json!({"name": "joke", "description": "Tells a joke",
            "parameters": {"type": "OBJECT", "properties": {"topic": {"type": "STRING"}}, "required": ["topic"]}});
        let nullable = json!({"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "string", "nullable": true}}},
            "response": {"type": "STRING"}});
        let (tools, _) = read_document(&json!([declared])).unwrap();
        assert_eq!(tools[0].tool, joke());
        let (tools, _) =
            read_document(&json!({"tools": [{"functionDeclarations": [declared, nullable]}]}))
                .unwrap();
        assert_eq!(tools[0].tool, joke());
        assert_eq!(tools[1].tool.parameters["properties"]["x"]["type"], json!(["string", "null"]));
        assert_eq!(tools[1].tool.output, Some(json!({"type": "string"})));
        assert!(tools.iter().all(|one| one.lost.is_empty() && one.own.is_none()));
    }

    #[test]
    fn declarations_of_gemini_keep_their_json_schemas() {
        let mut tool = joke();
        tool.parameters["properties"]["topic"]["type"] = json!(["string", "null"]);
        tool.output = Some(json!({"type": "string"}));
        let written = write_gemini(std::slice::from_ref(&tool));
        let declared = &written["functionDeclarations"][0];
        assert_eq!(declared["parametersJsonSchema"], tool.parameters);
        assert_eq!(declared["responseJsonSchema"], json!({"type": "string"}));
        for document in [written.clone(), declared.clone(), json!({"tools": [written]})] {
            let (tools, unread) = read_document(&document).unwrap();
            assert_eq!((&tools[0].tool, unread.len()), (&tool, 0), "{document}");
            assert_eq!(tools[0].origin.at.get(&document), Some(declared), "{document}");
            assert!(tools[0].lost.is_empty(), "{:?}", tools[0].lost);
        }
    }
}
