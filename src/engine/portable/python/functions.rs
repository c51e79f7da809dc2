//! The functions of a text that are tools.

use serde_json::{Map, Value, json};

use super::{
    docstring::Docstring,
    expression::{Expression, Tokens},
    tokens::{Line, Placed, Token, read_lines},
    types::{ArgumentType, is_passed},
};
use crate::{
    engine::portable::{baggage::Baggage, tool::PortableTool},
    model::tool::Function,
};

/// What a line of Python begins with that no YAML does.
const BEGINNINGS: [&str; 12] = [
    "def ", "async ", "@", "import ", "from ", "class ", "if ", "try:", "with ", "\"\"\"", "'''",
    "r\"\"\"",
];

/// Whether a text is Python with a function: it begins as Python does, and has a line with `def`.
#[must_use]
pub fn is_python(text: &str) -> bool {
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().map(str::trim).find(is_said).unwrap_or_default();
    let is_word = |letter: char| letter == '_' || letter.is_alphanumeric();
    let sets = first.split_once('=').is_some_and(|(name, _)| name.trim().chars().all(is_word));
    let begins = BEGINNINGS.iter().any(|begin| first.starts_with(begin));
    (begins || sets) && has_function(text)
}

/// Whether a text has a line with `def`, as Python functions begin: a text that is neither JSON nor
/// YAML is Python then, however it begins.
#[must_use]
pub fn has_function(text: &str) -> bool {
    let is_head = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("async ").unwrap_or(line).trim_start();
        line.strip_prefix("def ").is_some_and(|rest| rest.contains('('))
    };
    text.lines().any(is_head)
}

/// The tools of a text, with what of them isn't read: functions that are decorated with `@tool` or
/// `@mcp.tool(…)`; where none is, all that are in no other function or class, but for those whose
/// names begin with `_`. Where `only` has names, tools of other names are passed over.
///
/// # Errors
/// Names the line of what can't be read.
pub fn read_functions(text: &str, only: &[String]) -> Result<(Vec<Baggage>, Vec<String>), String> {
    let ReadTools { tools, unread, broken } = read_tools(text, only)?;
    match broken.into_iter().next() {
        Some((_, why)) => Err(why),
        None => Ok((tools, unread)),
    }
}

/// The same of all tools; one that can't be read is left out, which is said with what isn't read.
///
/// # Errors
/// Names the line of what can't be read, where that is none.
pub fn read_readable(text: &str) -> Result<(Vec<Baggage>, Vec<String>), String> {
    let ReadTools { tools, mut unread, mut broken } = read_tools(text, &[])?;
    if tools.is_empty() && !broken.is_empty() {
        return Err(broken.swap_remove(0).1);
    }
    unread.extend(broken.into_iter().map(|(name, why)| format!("{name} is left out: {why}")));
    Ok((tools, unread))
}

/// What is read of a text.
#[derive(Default)]
struct ReadTools {
    tools: Vec<Baggage>,
    unread: Vec<String>,
    /// The names of tools that can't be read, each with the reason.
    broken: Vec<(String, String)>,
}

fn read_tools(text: &str, only: &[String]) -> Result<ReadTools, String> {
    let lines = read_lines(text)?;
    let all = find_tools(&lines)?;
    if let Some(name) = only.iter().find(|only| !all.iter().any(|(name, _)| name == *only)) {
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        return Err(format!("there is no tool \"{name}\" in it; it has {}", names.join(", ")));
    }
    let mut read = ReadTools::default();
    for (name, one) in all.iter().filter(|(name, _)| only.is_empty() || only.contains(name)) {
        match read_tool(&lines, one, &mut read.unread) {
            Ok(tool) => read.tools.push(Baggage::new(PortableTool::from_function(tool))),
            Err(why) => read.broken.push((name.clone(), why)),
        }
    }
    Ok(read)
}

/// The functions that are tools, by the names of those.
fn find_tools(lines: &[Line]) -> Result<Vec<(String, Found<'_>)>, String> {
    let found = find_functions(lines);
    let has_decorated = found.iter().any(|one| one.decorator.is_some());
    let outside = found.iter().map(|one| lines[one.row].indent).min().unwrap_or(0);
    let is_tool = |one: &Found<'_>| match has_decorated {
        true => one.decorator.is_some(),
        false => lines[one.row].indent == outside && !one.name.starts_with('_'),
    };
    let tools = found.into_iter().filter(is_tool);
    let all: Vec<_> = tools.map(|one| (tool_name(&one), one)).collect();
    match all.is_empty() {
        true => Err("it has no function that can be a tool".to_owned()),
        false => Ok(all),
    }
}

/// A function, and the decorator that makes a tool of it.
struct Found<'t> {
    row: usize,
    name: &'t str,
    decorator: Option<&'t Line>,
}

/// What decorators that make tools are called.
const DECORATORS: [&str; 2] = ["tool", "function_tool"];

/// The name of the tool that a function is.
fn tool_name(one: &Found<'_>) -> String {
    let mut named = Function::new(one.name, "", Value::Null);
    if let Some(decorator) = one.decorator {
        // What is wrong with it is said where all of the tool is read.
        _ = read_decorator(decorator, &mut named, &mut Vec::new());
    }
    named.name
}

fn find_functions(lines: &[Line]) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut decorator = None;
    for (row, line) in lines.iter().enumerate() {
        let mut tokens = Tokens::new(&line.tokens);
        if tokens.take_sign('@') {
            let name = tokens.take_dotted().unwrap_or_default();
            if name.rsplit('.').next().is_some_and(|name| DECORATORS.contains(&name)) {
                decorator = Some(line);
            }
            continue;
        }
        if let Some(name) = take_head(&mut tokens) {
            found.push(Found { row, name, decorator });
        }
        decorator = None;
    }
    found
}

/// `async def name`.
fn take_head<'t>(tokens: &mut Tokens<'t>) -> Option<&'t str> {
    let word = tokens.take_name()?;
    let word = if word == "async" { tokens.take_name()? } else { word };
    if word == "def" { tokens.take_name() } else { None }
}

fn read_tool(
    lines: &[Line],
    one: &Found<'_>,
    unread: &mut Vec<String>,
) -> Result<Function, String> {
    let line = &lines[one.row];
    let mut tokens = Tokens::new(&line.tokens);
    take_head(&mut tokens);
    let mut arguments = read_arguments(&mut tokens, unread)?;
    // What it answers is behind the arrow.
    tokens.skip_to(&[':']);
    tokens.advance();
    let body = match tokens.rest() {
        [] => lines
            .get(one.row + 1)
            .filter(|next| next.indent > line.indent)
            .map(|next| &*next.tokens),
        rest => Some(rest),
    };
    let said = Docstring::parse(&body.and_then(text_of).unwrap_or_default());
    for (name, text) in said.arguments {
        match arguments.iter_mut().find(|argument| argument.name == name) {
            Some(argument) => argument.describe(text),
            None => {
                let at = line.tokens.first().map_or(1, |token| token.line);
                unread.push(format!(
                    "line {at}: the docstring describes {name}, which is no argument"
                ));
            }
        }
    }
    let mut function = Function::new(one.name, said.description, object_of(arguments));
    if let Some(decorator) = one.decorator {
        read_decorator(decorator, &mut function, unread)?;
    }
    Ok(function)
}

/// An argument of a function.
struct Argument {
    name: String,
    read: ArgumentType,
}

impl Argument {
    /// Takes a text of the docstring, where nothing else describes it.
    fn describe(&mut self, text: String) {
        if let Some(members) = self.read.schema.as_object_mut().filter(|_| !text.is_empty()) {
            members.entry("description").or_insert_with(|| text.into());
        }
    }
}

/// The arguments in the brackets, which it is at.
fn read_arguments(
    tokens: &mut Tokens<'_>,
    unread: &mut Vec<String>,
) -> Result<Vec<Argument>, String> {
    let mut arguments = Vec::new();
    // Names of types may be before them.
    let begin = tokens.line();
    tokens.skip_to(&['(']);
    if !tokens.take_sign('(') {
        return Err(format!("line {begin}: the function has no arguments in brackets"));
    }
    let mut is_first = true;
    while !tokens.take_sign(')') {
        let line = tokens.line();
        let wrong = |why: &str| format!("line {line}: {why}");
        if tokens.take_sign('/') || tokens.take_sign('*') {
            if !matches!(tokens.peek(), Some(Token::Sign(',' | ')'))) {
                return Err(wrong(
                    "*args and **kwargs have no schema: name the arguments one by one",
                ));
            }
        } else {
            let name = tokens.take_name().ok_or_else(|| wrong("no name of an argument is here"))?;
            let annotation = tokens.take_sign(':').then(|| tokens.read_expression());
            let default = tokens.take_sign('=').then(|| tokens.read_expression());
            let is_self = is_first && annotation.is_none() && ["self", "cls"].contains(&name);
            let passed = [&annotation, &default].into_iter().flatten().any(is_passed);
            if !is_self && !passed {
                let read = read_argument(annotation.as_ref(), default.as_ref());
                let read = read.map_err(|why| wrong(&format!("{name}: {why}")))?;
                let odd =
                    read.unread.iter().map(|what| wrong(&format!("{name}: {what} isn't read")));
                unread.extend(odd);
                arguments.push(Argument { name: name.to_owned(), read });
            }
        }
        is_first = false;
        if !tokens.take_sign(',') && tokens.peek() != Some(&Token::Sign(')')) {
            return Err(wrong("this argument isn't read: what follows it is no comma"));
        }
    }
    Ok(arguments)
}

fn read_argument(
    annotation: Option<&Expression>,
    default: Option<&Expression>,
) -> Result<ArgumentType, String> {
    let mut read = match annotation {
        Some(annotation) => ArgumentType::of_annotation(annotation)?,
        None => ArgumentType { schema: json!({}), ..ArgumentType::default() },
    };
    if let Some(default) = default {
        read.add_default(default);
    }
    Ok(read)
}

fn object_of(arguments: Vec<Argument>) -> Value {
    let required: Vec<String> = arguments
        .iter()
        .filter(|argument| !argument.read.is_optional)
        .map(|argument| argument.name.clone())
        .collect();
    let properties: Map<String, Value> =
        arguments.into_iter().map(|argument| (argument.name, argument.read.schema)).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

/// The text that a body begins with.
fn text_of(body: &[Placed]) -> Option<String> {
    let is_alone = |placed: &Placed| matches!(placed.token, Token::Text(_));
    match Tokens::new(body).read_expression() {
        Expression::Text(text) if body.iter().all(is_alone) => Some(text),
        _ => None,
    }
}

/// Takes the name and the description that a decorator gives.
fn read_decorator(
    line: &Line,
    function: &mut Function,
    unread: &mut Vec<String>,
) -> Result<(), String> {
    let mut tokens = Tokens::new(&line.tokens);
    let at = tokens.line();
    tokens.take_sign('@');
    tokens.take_dotted();
    if tokens.peek() != Some(&Token::Sign('(')) {
        return Ok(());
    }
    for (row, (name, said)) in tokens.read_arguments().into_iter().enumerate() {
        let name = match name.as_deref() {
            // LangChain's first argument is the name.
            None if row == 0 => "name",
            None => "an argument",
            Some("name_or_callable" | "name_override") => "name",
            Some("description_override") => "description",
            Some(name) => name,
        };
        match (name, said) {
            ("name", Expression::Text(text)) if !text.is_empty() => function.name = text,
            ("description", Expression::Text(text)) => function.description = text,
            // The docstring is read in any case.
            ("parse_docstring" | "title", _) | (_, Expression::None) => {}
            ("args_schema", said) => {
                return Err(format!(
                    "line {at}: args_schema isn't read, as nothing is run: convert the output of \
                    {}.model_json_schema()",
                    said.last_name().unwrap_or("its class")
                ));
            }
            ("name", _) => {
                return Err(format!("line {at}: the name of the tool is known only when it runs"));
            }
            (name, _) => unread.push(format!("line {at}: {name} of the decorator isn't read")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Function>, Vec<String>) {
        let (tools, unread) =
            read_functions(text, &[]).unwrap_or_else(|error| panic!("{error}:\n{text}"));
        (tools.iter().map(|one| one.tool.to_function()).collect(), unread)
    }

    #[test]
    fn one_that_cannot_be_read_is_left_out() {
        let text = "def good(n: int): pass\n\ndef odd(data: bytes): pass\n";
        let (tools, unread) = read_readable(text).unwrap();
        let names: Vec<&str> = tools.iter().map(|one| one.tool.name.as_str()).collect();
        assert_eq!(names, ["good"]);
        assert!(unread[0].starts_with("odd is left out: line 3"), "{unread:?}");
        assert!(read_functions(text, &[]).is_err(), "a script is to notice it");
        assert!(read_readable("def odd(data: bytes): pass").is_err());
    }

    #[test]
    fn a_server_of_fastmcp_has_the_tools_that_it_decorates() {
        let (tools, unread) = read(
            r#"
from typing import Annotated, Literal
from fastmcp import Context, FastMCP

mcp = FastMCP("shop")

def helper(x):
    return x

@mcp.tool()
async def find(
    text: str,
    kind: Literal["all", "open"] = "all",
    limit: Annotated[int, Field(description="How many", ge=1)] = 10,
    *,
    tags: list[str] | None = None,
    ctx: Context,
) -> dict[str, int]:
    """Finds orders.

    Args:
        text: What is looked for
        limit: Never used
        gone: Nothing
    """
    return {}

class Shop:
    @mcp.tool(name="buy-it", description="Buys", annotations={"a": 1})
    def buy(self, id: "str"): pass
"#,
        );
        let find = json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What is looked for"},
                "kind": {"type": "string", "enum": ["all", "open"], "default": "all"},
                "limit": {"type": "integer", "description": "How many", "minimum": 1, "default": 10},
                "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": null},
            },
            "required": ["text"],
        });
        let names: Vec<(&str, &str)> =
            tools.iter().map(|tool| (&*tool.name, &*tool.description)).collect();
        assert_eq!(names, [("find", "Finds orders."), ("buy-it", "Buys")]);
        assert_eq!(tools[0].parameters, find);
        let buy =
            json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
        assert_eq!(tools[1].parameters, buy);
        assert_eq!(
            unread,
            [
                "line 11: the docstring describes gone, which is no argument",
                "line 29: annotations of the decorator isn't read",
            ]
        );
    }

    #[test]
    fn functions_are_tools_where_none_is_decorated() {
        let text = "def one(a=1.50, b=now()): \"Does it\"\ndef _two(): pass\ndef three():\n    def four(): pass\n";
        let (tools, unread) = read(text);
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["one", "three"]);
        assert_eq!(tools[0].description, "Does it");
        assert_eq!(tools[0].parameters["properties"]["b"], json!({}));
        assert!(tools[0].parameters.get("required").is_none());
        assert_eq!(unread, ["line 1: b: its default, which is known when it runs, isn't read"]);
        let (tools, _) = read("@tool(\"look-up\", parse_docstring=True)\ndef f(x: str): pass");
        assert_eq!(tools[0].name, "look-up");
    }

    #[test]
    fn what_cannot_be_read_names_its_line() {
        for (text, why) in [
            ("x = 1", "no function that can be a tool"),
            ("def f(\n  a: str,\n  b: Order): pass", "line 3: b: the type Order isn't read"),
            ("def f(**more): pass", "line 1: *args and **kwargs have no schema"),
            ("def f(*more): pass", "line 1: *args and **kwargs have no schema"),
            ("@tool(args_schema=In)\ndef f(a): pass", "line 1: args_schema isn't read"),
            ("@tool(NAME)\ndef f(a): pass", "line 1: the name of the tool is known only"),
            ("def f(a", "line 1: this bracket is not closed"),
            ("def f(a b): pass", "line 1: this argument isn't read"),
        ] {
            let error = read_functions(text, &[]).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn tools_that_are_not_wanted_are_passed_over() {
        let text = "@tool('a-b')\ndef f(x: int): pass\n@function_tool\ndef g(x: Order): pass\n";
        let (tools, _) = read_functions(text, &["a-b".to_owned()]).unwrap();
        assert_eq!(tools.iter().map(|one| &*one.tool.name).collect::<Vec<_>>(), ["a-b"]);
        let wrong = |only: &str| read_functions(text, &[only.to_owned()]).unwrap_err();
        assert!(wrong("g").starts_with("line 4: x: the type Order"), "{}", wrong("g"));
        assert_eq!(wrong("f"), "there is no tool \"f\" in it; it has a-b, g");
    }

    #[test]
    fn a_text_with_a_function_is_known() {
        for text in [
            "# a\ndef f(): pass",
            "@tool\nasync def f(\n",
            "x = 1\n  def f(a):",
            "\u{feff}@tool\ndef f(): pass",
        ] {
            assert!(is_python(text), "{text}");
        }
        for text in [
            "{\"def\": 1}",
            "a: |\n  def f(x):",
            "define(x)",
            "import os",
            "a: b=c\ndef f(",
            "POST /a?b=c\ndef f(",
        ] {
            assert!(!is_python(text), "{text}");
        }
    }
}
