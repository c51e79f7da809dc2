//! Annotations and `Field(…)` as JSON Schema, as pydantic makes it of them.

use serde_json::{Value, json};

use super::{
    expression::{Expression, Tokens},
    tokens::read_lines,
};

/// What is written of an argument: its schema, and what isn't in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ArgumentType {
    pub schema: Value,
    /// It may be left out, whatever its schema has as the default.
    pub is_optional: bool,
    /// What of it isn't read.
    pub unread: Vec<String>,
}

/// What frameworks pass themselves, and no model.
const PASSED: [&str; 6] = [
    "Context",
    "RunnableConfig",
    "ToolRuntime",
    "CallbackManagerForToolRun",
    "AsyncCallbackManagerForToolRun",
    "Depends",
];
/// Types that are a schema of their own.
const PLAIN: [(&str, &str); 16] = [
    ("str", r#"{"type": "string"}"#),
    ("bytes", r#"{"type": "string", "format": "binary"}"#),
    ("Decimal", r#"{"anyOf": [{"type": "number"}, {"type": "string"}]}"#),
    ("int", r#"{"type": "integer"}"#),
    ("float", r#"{"type": "number"}"#),
    ("bool", r#"{"type": "boolean"}"#),
    ("Any", "{}"),
    ("object", "{}"),
    ("datetime", r#"{"type": "string", "format": "date-time"}"#),
    ("date", r#"{"type": "string", "format": "date"}"#),
    ("time", r#"{"type": "string", "format": "time"}"#),
    ("timedelta", r#"{"type": "string", "format": "duration"}"#),
    ("UUID", r#"{"type": "string", "format": "uuid"}"#),
    ("Path", r#"{"type": "string", "format": "path"}"#),
    ("AnyUrl", r#"{"type": "string", "format": "uri"}"#),
    ("HttpUrl", r#"{"type": "string", "format": "uri"}"#),
];
const LISTS: [&str; 5] = ["list", "List", "Sequence", "Iterable", "MutableSequence"];
const SETS: [&str; 4] = ["set", "Set", "frozenset", "FrozenSet"];
const MAPS: [&str; 5] = ["dict", "Dict", "Mapping", "MutableMapping", "DefaultDict"];
/// Members of `Field(…)` and their keywords; those of lengths are of texts, or of lists.
const FIELD: [(&str, &str, &str); 11] = [
    ("description", "description", "description"),
    ("title", "title", "title"),
    ("examples", "examples", "examples"),
    ("pattern", "pattern", "pattern"),
    ("ge", "minimum", "minimum"),
    ("gt", "exclusiveMinimum", "exclusiveMinimum"),
    ("le", "maximum", "maximum"),
    ("lt", "exclusiveMaximum", "exclusiveMaximum"),
    ("multiple_of", "multipleOf", "multipleOf"),
    ("min_length", "minLength", "minItems"),
    ("max_length", "maxLength", "maxItems"),
];
/// Those that say something of all kinds of values.
const OF_ALL: [&str; 3] = ["description", "title", "examples"];
/// So deep may annotations be in each other.
const DEEPEST: usize = 50;

/// Whether a framework passes the argument, so that the tool has none.
pub(super) fn is_passed(annotation: &Expression) -> bool {
    let is_known = |name: &str| PASSED.contains(&name) || name.starts_with("Injected");
    match annotation {
        Expression::Index(_, parts) if annotation.last_name() == Some("Optional") => {
            parts.iter().any(is_passed)
        }
        Expression::Index(_, parts) if annotation.last_name() == Some("Annotated") => {
            parts.iter().any(is_passed)
        }
        Expression::Or(parts) => parts.iter().any(is_passed),
        other => other.last_name().is_some_and(is_known),
    }
}

impl ArgumentType {
    /// Reads an annotation.
    ///
    /// # Errors
    /// Says which type isn't read.
    pub fn of_annotation(annotation: &Expression) -> Result<Self, String> {
        let mut read = Self::default();
        read.schema = read.schema_of(annotation, 0)?;
        Ok(read)
    }

    /// Takes in a default as it is written.
    pub fn add_default(&mut self, default: &Expression) {
        match default {
            Expression::Call(_, arguments) if default.last_name() == Some("Field") => {
                self.add_field(arguments);
            }
            _ => {
                self.is_optional = true;
                match (default.to_value(), self.schema.as_object_mut()) {
                    (Some(value), Some(members)) => {
                        members.insert("default".to_owned(), value);
                    }
                    _ => self.unread.push("its default, which is known when it runs,".to_owned()),
                }
            }
        }
    }

    fn schema_of(&mut self, annotation: &Expression, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err("this annotation is nested too deeply".to_owned());
        }
        let name = annotation.last_name().unwrap_or_default();
        match annotation {
            Expression::None => Ok(json!({"type": "null"})),
            Expression::Text(text) => {
                // A type that is written before it is there.
                let lines = read_lines(text)?;
                let inner = lines.first().map(|line| Tokens::new(&line.tokens).read_expression());
                let inner = inner.ok_or("this annotation is empty")?;
                self.schema_of(&inner, depth + 1)
            }
            Expression::Or(parts) => self.any_of(parts, depth),
            Expression::Name(_) => plain_schema(name).ok_or_else(|| unknown_type(name)),
            Expression::Index(_, parts) => match (name, parts.as_slice()) {
                ("Optional", [one]) => self.any_of(&[one.clone(), Expression::None], depth),
                ("Union", parts) => self.any_of(parts, depth),
                ("Literal", parts) => literal_schema(parts),
                ("Annotated", [first, rest @ ..]) => {
                    let schema = self.schema_of(first, depth + 1)?;
                    Ok(self.annotated(schema, rest))
                }
                (list, [item]) if LISTS.contains(&list) => {
                    Ok(json!({"type": "array", "items": self.schema_of(item, depth + 1)?}))
                }
                (set, [item]) if SETS.contains(&set) => {
                    let items = self.schema_of(item, depth + 1)?;
                    Ok(json!({"type": "array", "items": items, "uniqueItems": true}))
                }
                (map, [_, value]) if MAPS.contains(&map) => {
                    let values = self.schema_of(value, depth + 1)?;
                    Ok(json!({"type": "object", "additionalProperties": values}))
                }
                ("tuple" | "Tuple", [item, Expression::Ellipsis]) => {
                    Ok(json!({"type": "array", "items": self.schema_of(item, depth + 1)?}))
                }
                ("tuple" | "Tuple", items) => {
                    let items = items.iter().map(|item| self.schema_of(item, depth + 1));
                    let items: Vec<Value> = items.collect::<Result<_, _>>()?;
                    let count = items.len();
                    Ok(
                        json!({"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}),
                    )
                }
                _ => Err(unknown_type(name)),
            },
            _ if name.is_empty() => Err("this annotation is no type that is read".to_owned()),
            _ => Err(unknown_type(name)),
        }
    }

    fn any_of(&mut self, parts: &[Expression], depth: usize) -> Result<Value, String> {
        let parts = parts.iter().map(|part| self.schema_of(part, depth + 1));
        let mut parts: Vec<Value> = parts.collect::<Result<_, _>>()?;
        Ok(match parts.len() {
            1 => parts.swap_remove(0),
            _ => json!({"anyOf": parts}),
        })
    }

    /// A schema with what `Annotated` says beside the type.
    fn annotated(&mut self, schema: Value, beside: &[Expression]) -> Value {
        let outer = std::mem::replace(&mut self.schema, schema);
        for said in beside {
            match (said, said.last_name()) {
                (Expression::Text(text), _) => self.add_text(text),
                (Expression::Call(_, arguments), Some("Field")) => self.add_field(arguments),
                (Expression::Call(_, arguments), Some("Doc")) => {
                    if let [(None, Expression::Text(text)), ..] = arguments.as_slice() {
                        self.add_text(text);
                    }
                }
                (_, name) => {
                    let name = name.unwrap_or("what is");
                    self.unread.push(format!("{name} beside its type"));
                }
            }
        }
        std::mem::replace(&mut self.schema, outer)
    }

    fn add_text(&mut self, text: &str) {
        if let Some(members) = self.schema.as_object_mut() {
            members.entry("description").or_insert_with(|| text.into());
        }
    }

    fn add_field(&mut self, arguments: &[(Option<String>, Expression)]) {
        for (name, said) in arguments {
            let name = name.as_deref().unwrap_or("default");
            let row = FIELD.iter().find(|(member, ..)| *member == name);
            match (name, row, said.to_value()) {
                ("default", ..) if *said == Expression::Ellipsis => {}
                ("default", ..) => self.add_default(said),
                ("default_factory", ..) => {
                    let made = match said.last_name() {
                        Some("list" | "set" | "tuple") => Expression::List(Vec::new()),
                        Some("dict") => Expression::Dict(Vec::new()),
                        _ => Expression::Other,
                    };
                    self.add_default(&made);
                }
                (_, Some((_, of_text, of_list)), Some(value)) => {
                    self.add_keyword(of_text, of_list, value);
                }
                _ => self.unread.push(format!("{name} of its Field")),
            }
        }
    }

    /// Puts a keyword where it says something: of a value that may be null, into the other kind.
    fn add_keyword(&mut self, of_text: &str, of_list: &str, value: Value) {
        let is_null = |schema: &Value| schema["type"] == "null";
        let branches = self.schema.get("anyOf").and_then(Value::as_array);
        let branch = branches.and_then(|all| all.iter().position(|schema| !is_null(schema)));
        let target = match branch.filter(|_| !OF_ALL.contains(&of_text)) {
            Some(row) => &mut self.schema["anyOf"][row],
            None => &mut self.schema,
        };
        let keyword = if target["type"] == "array" { of_list } else { of_text };
        if let Some(members) = target.as_object_mut() {
            members.insert(keyword.to_owned(), value);
        }
    }
}

/// The schema of a type that has nothing in brackets.
fn plain_schema(name: &str) -> Option<Value> {
    let plain = PLAIN.iter().find(|(known, _)| *known == name);
    match plain {
        Some((_, schema)) => serde_json::from_str(schema).ok(),
        None if LISTS.contains(&name) || ["tuple", "Tuple"].contains(&name) => {
            Some(json!({"type": "array", "items": {}}))
        }
        None if SETS.contains(&name) => {
            Some(json!({"type": "array", "items": {}, "uniqueItems": true}))
        }
        None => MAPS.contains(&name).then(|| json!({"type": "object"})),
    }
}

fn unknown_type(name: &str) -> String {
    // Python's own, such as complex, have no schema to be converted.
    if name.starts_with(char::is_lowercase) {
        return format!("the type {name} isn't read: write one that JSON has, such as str");
    }
    format!(
        "the type {name} isn't read, as nothing is run: convert the output of \
        {name}.model_json_schema(), or write the type out"
    )
}

/// The values of `Literal[…]`.
fn literal_schema(parts: &[Expression]) -> Result<Value, String> {
    let values: Option<Vec<Value>> = parts.iter().map(Expression::to_value).collect();
    let values = values.ok_or("a value of this Literal is known only when it runs")?;
    let kind = |value: &Value| match value {
        Value::String(_) => Some("string"),
        Value::Number(number) if number.as_i64().is_some() => Some("integer"),
        Value::Bool(_) => Some("boolean"),
        _ => None,
    };
    let first = values.first().and_then(kind);
    let is_one_kind = values.iter().all(|value| kind(value) == first);
    Ok(match first.filter(|_| is_one_kind) {
        Some(kind) => json!({"type": kind, "enum": values}),
        None => json!({"enum": values}),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ArgumentType, String> {
        let lines = read_lines(text).unwrap();
        ArgumentType::of_annotation(&Tokens::new(&lines[0].tokens).read_expression())
    }

    #[test]
    fn types_are_the_schemas_that_pydantic_makes() {
        for (text, schema) in [
            ("str", json!({"type": "string"})),
            ("typing.Any", json!({})),
            ("list", json!({"type": "array", "items": {}})),
            ("list[int]", json!({"type": "array", "items": {"type": "integer"}})),
            (
                "set[str]",
                json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            ),
            ("dict", json!({"type": "object"})),
            (
                "Dict[str, 'bool']",
                json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            ),
            ("float | None", json!({"anyOf": [{"type": "number"}, {"type": "null"}]})),
            ("Optional[str]", json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
            ("Union[str, int]", json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})),
            ("Literal['a', \"b\"]", json!({"type": "string", "enum": ["a", "b"]})),
            ("Literal[1, 'a', None]", json!({"enum": [1, "a", null]})),
            ("tuple[int, ...]", json!({"type": "array", "items": {"type": "integer"}})),
            (
                "tuple[int, str]",
                json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}),
            ),
            (
                "Annotated[int, Field(ge=1, le=9, description='How many')]",
                json!({"type": "integer", "minimum": 1, "maximum": 9, "description": "How many"}),
            ),
            (
                "Annotated[Optional[list[str]], 'Some', Field(max_length=3, title='T')]",
                json!({"anyOf": [{"type": "array", "items": {"type": "string"}, "maxItems": 3}, {"type": "null"}], "description": "Some", "title": "T"}),
            ),
            ("bytes", json!({"type": "string", "format": "binary"})),
            ("datetime.date", json!({"type": "string", "format": "date"})),
        ] {
            assert_eq!(read(text).map(|read| read.schema), Ok(schema), "{text}");
        }
        for (text, why) in [
            ("Order", "the type Order isn't read, as nothing is run"),
            ("complex", "the type complex isn't read: write one that JSON has"),
            ("list[Order]", "the type Order isn't read"),
            ("Callable[[int], str]", "the type Callable isn't read"),
            ("Literal[A]", "known only when it runs"),
            ("1 + 2", "no type that is read"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn defaults_make_arguments_optional() {
        for (default, schema, is_optional, unread) in [
            ("5", json!({"type": "integer", "default": 5}), true, 0),
            ("[-1, +2]", json!({"type": "integer", "default": [-1, 2]}), true, 0),
            ("LIMIT", json!({"type": "integer"}), true, 1),
            ("Field(...)", json!({"type": "integer"}), false, 0),
            ("Field(3, ge=1)", json!({"type": "integer", "default": 3, "minimum": 1}), true, 0),
            (
                "Field(default=None, alias='x')",
                json!({"type": "integer", "default": null}),
                true,
                1,
            ),
            ("Field(default_factory=list)", json!({"type": "integer", "default": []}), true, 0),
        ] {
            let mut argument = read("int").unwrap();
            let lines = read_lines(default).unwrap();
            argument.add_default(&Tokens::new(&lines[0].tokens).read_expression());
            let ArgumentType { schema: read, is_optional: optional, unread: odd } = argument;
            assert_eq!((read, optional, odd.len()), (schema, is_optional, unread), "{default}");
        }
    }

    #[test]
    fn what_a_framework_passes_is_no_argument() {
        let is = |text: &str| {
            let lines = read_lines(text).unwrap();
            is_passed(&Tokens::new(&lines[0].tokens).read_expression())
        };
        for text in
            ["Context", "Context[A, B]", "fastmcp.Context | None", "Annotated[dict, InjectedState]"]
        {
            assert!(is(text), "{text}");
        }
        assert!(!is("list[Context]") && !is("str"));
    }
}
