//! What model APIs refuse in a tool, and what to write instead: one table of keywords, and the rules
//! that look at more than a keyword.
//!
//! Sources: OpenAI's "Structured Outputs" (supported schemas), Anthropic's "Tool use", the errors of
//! its API and "JSON Schema limitations" of its "Structured outputs" (also of strict tools), the
//! message `Schema` of Gemini's API (`parameters`; `parametersJsonSchema` takes more), the Model
//! Context Protocol with what VS Code checks.

use serde_json::{Map, Value, json};

use super::{place::find_in_entry, place::find_schema, set::ToolView, texts::argument_name};
use crate::{
    engine::{lint::check::Report, model_view::Client},
    model::{health::ModelApi, tool::Function},
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// How many places a finding names.
const MOST_NAMED: usize = 3;
/// How deep a schema is looked at; OpenAI's strict mode takes ten levels.
const DEEPEST: usize = 40;
const DEEPEST_STRICT: usize = 10;
/// The longest names and descriptions.
const LONGEST_NAME: usize = 64;
const LONGEST_MCP_NAME: usize = 128;
const LONGEST_DESCRIPTION: usize = 1024;

/// One thing that some APIs refuse.
pub(super) struct SchemaFlaw {
    apis: u8,
    /// Within the parameters; the root for the name and the description too.
    at: Pointer,
    /// What it is: `"oneOf"`.
    what: String,
    /// What to do instead, as an order.
    advice: &'static str,
    /// The edit within a schema, where it means the same.
    fix: Option<Replacement>,
    /// SDKs rewrite it before they send it.
    is_rewritten: bool,
    /// It is the tool's name.
    pub is_name: bool,
}

impl SchemaFlaw {
    /// What it is, and what to do instead.
    fn words(&self) -> String {
        match argument_name(&self.at) {
            name if name.is_empty() => format!("{}: {}", self.what, self.advice),
            name => format!("{} of {name}: {}", self.what, self.advice),
        }
    }
}

/// What a schema of an object allows that has no `additionalProperties: false`.
const FURTHER: &str = "further properties";

/// A keyword that says the same as another.
#[derive(Clone, Copy)]
enum Replacement {
    Rename(&'static str),
    /// `const` as an `enum` of one value.
    ConstAsEnum,
}

const fn bit(api: ModelApi) -> u8 {
    1 << api as u8
}

const OPENAI: u8 = bit(ModelApi::OpenAi);
const STRICT: u8 = bit(ModelApi::OpenAiStrict);
const ANTHROPIC: u8 = bit(ModelApi::Anthropic) | ANTHROPIC_STRICT;
const ANTHROPIC_STRICT: u8 = bit(ModelApi::AnthropicStrict);
const GEMINI: u8 = bit(ModelApi::Gemini);
const MCP: u8 = bit(ModelApi::Mcp);

struct Keyword {
    name: &'static str,
    apis: u8,
    advice: &'static str,
    fix: Option<Replacement>,
}

const fn keyword(name: &'static str, apis: u8, advice: &'static str) -> Keyword {
    Keyword { name, apis, advice, fix: None }
}

const SAY_IT: &str = "say it in the description";
const REMOVE: &str = "remove it";
const INLINE: &str = "write the schema where it is used";
const ONE_SCHEMA: &str = "merge its schemas into one";
const WITH_LIMIT: &str = "use \"minimum\" or \"maximum\"";

/// Keywords that are refused at any place.
const KEYWORDS: &[Keyword] = &[
    Keyword {
        name: "oneOf",
        apis: STRICT | GEMINI,
        advice: "use \"anyOf\"",
        fix: Some(Replacement::Rename("anyOf")),
    },
    Keyword {
        name: "const",
        apis: GEMINI,
        advice: "use \"enum\" with one value",
        fix: Some(Replacement::ConstAsEnum),
    },
    keyword("allOf", STRICT | GEMINI, ONE_SCHEMA),
    keyword("not", STRICT | GEMINI, SAY_IT),
    keyword("if", STRICT | GEMINI, SAY_IT),
    keyword("dependentRequired", STRICT | GEMINI, SAY_IT),
    keyword("dependentSchemas", STRICT | GEMINI, SAY_IT),
    keyword("patternProperties", STRICT | GEMINI, "list the properties"),
    keyword("propertyNames", STRICT | GEMINI, SAY_IT),
    keyword("unevaluatedProperties", STRICT | GEMINI, REMOVE),
    keyword("unevaluatedItems", STRICT | GEMINI, REMOVE),
    keyword("contains", STRICT | GEMINI, SAY_IT),
    keyword("uniqueItems", STRICT | ANTHROPIC_STRICT | GEMINI, SAY_IT),
    keyword("prefixItems", STRICT | GEMINI, "use an object with a property for each item"),
    keyword("minProperties", STRICT, SAY_IT),
    keyword("maxProperties", STRICT, SAY_IT),
    keyword("minLength", STRICT | ANTHROPIC_STRICT, "use \"pattern\""),
    keyword("maxLength", STRICT | ANTHROPIC_STRICT, "use \"pattern\""),
    keyword("maxItems", ANTHROPIC_STRICT, SAY_IT),
    keyword("minimum", ANTHROPIC_STRICT, SAY_IT),
    keyword("maximum", ANTHROPIC_STRICT, SAY_IT),
    keyword("exclusiveMinimum", ANTHROPIC_STRICT, SAY_IT),
    keyword("exclusiveMaximum", ANTHROPIC_STRICT, SAY_IT),
    keyword("default", STRICT, SAY_IT),
    keyword("$ref", GEMINI, INLINE),
    keyword("$schema", GEMINI, REMOVE),
    keyword("$id", GEMINI, REMOVE),
    keyword("$comment", GEMINI, REMOVE),
    keyword("examples", GEMINI, SAY_IT),
    keyword("readOnly", GEMINI, REMOVE),
    keyword("writeOnly", GEMINI, REMOVE),
    keyword("deprecated", GEMINI, REMOVE),
    keyword("additionalProperties", GEMINI, REMOVE),
    keyword("exclusiveMinimum", GEMINI, WITH_LIMIT),
    keyword("exclusiveMaximum", GEMINI, WITH_LIMIT),
    keyword("multipleOf", ANTHROPIC_STRICT | GEMINI, SAY_IT),
];

/// The formats of texts that Anthropic's strict mode takes.
const ANTHROPIC_FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// What it takes in no pattern.
const NOT_IN_PATTERNS: [&str; 9] =
    ["(?=", "(?!", "(?<=", "(?<!", "\\b", "\\B", "\\1", "\\2", "\\3"];

/// Keywords that are refused at the root.
const AT_ROOT: &[Keyword] = &[
    keyword("anyOf", OPENAI | STRICT | ANTHROPIC, "put it inside a property"),
    keyword("oneOf", OPENAI | ANTHROPIC, "put it inside a property"),
    keyword("allOf", OPENAI | ANTHROPIC, ONE_SCHEMA),
    keyword("not", OPENAI, SAY_IT),
    keyword("enum", OPENAI, "put it inside a property"),
];

/// Everything that some API refuses in a tool.
pub(super) fn find_flaws(function: &Function) -> Vec<SchemaFlaw> {
    let mut finder = Finder { found: Vec::new(), path: Vec::new() };
    finder.check_function(function);
    finder.check_schema(&function.parameters);
    finder.found
}

/// What an API refuses only as the tool says `strict: true`, each in a few words; nothing of a tool
/// that doesn't, and of APIs that have no such mode.
#[must_use]
pub fn strict_refusals(function: &Function, client: Client) -> Vec<String> {
    let (plain, strict) = match client {
        Client::OpenAi => (ModelApi::OpenAi, ModelApi::OpenAiStrict),
        Client::Anthropic => (ModelApi::Anthropic, ModelApi::AnthropicStrict),
        Client::Gemini | Client::Mcp => return Vec::new(),
    };
    if !function.is_strict() {
        return Vec::new();
    }
    let is_refused =
        |flaw: &SchemaFlaw| flaw.apis & bit(strict) != 0 && flaw.apis & bit(plain) == 0;
    let words = |flaw: SchemaFlaw| format!("with \"strict\", {}", flaw.words());
    find_flaws(function).into_iter().filter(is_refused).map(words).collect()
}

/// One finding for all that one API refuses in the tool.
pub(super) fn report_flaws(
    view: &ToolView<'_>,
    api: ModelApi,
    flaws: &[SchemaFlaw],
    is_editable: bool,
    report: &mut Report<'_>,
) {
    // A tool that asks for strict mode is sent as it is.
    let is_all = view.settings.are_apis_given || view.function.is_strict();
    let is_wanted =
        |flaw: &&SchemaFlaw| flaw.apis & bit(api) != 0 && (is_all || !flaw.is_rewritten);
    let own: Vec<&SchemaFlaw> = flaws.iter().filter(is_wanted).collect();
    let Some(first) = own.first() else { return };
    let mut named: Vec<String> = own.iter().take(MOST_NAMED).map(|flaw| flaw.words()).collect();
    if own.len() > MOST_NAMED {
        named.push(format!("and {} more", own.len() - MOST_NAMED));
    }
    let message = format!("{} refuses {}", api.title(), named.join("; "));
    let found = report.add_finding(&view.tool.entry, find_in_entry(view, &first.at), message);
    if !is_editable {
        return;
    }
    let edits: Vec<Edit> = own.iter().flat_map(|flaw| fix_edits(view, flaw)).collect();
    if !edits.is_empty() {
        let mut labels: Vec<&str> =
            own.iter().filter(|flaw| flaw.fix.is_some()).map(|flaw| flaw.advice).collect();
        labels.dedup();
        found.fix_edits(labels.join(", "), edits);
    }
}

fn fix_edits(view: &ToolView<'_>, flaw: &SchemaFlaw) -> Vec<Edit> {
    let Some((fix, at)) = flaw.fix.zip(find_schema(view, &flaw.at)) else { return Vec::new() };
    match fix {
        Replacement::Rename(key) => {
            vec![Edit::Rename { at: at.child("oneOf"), key: key.to_owned() }]
        }
        Replacement::ConstAsEnum => {
            let value =
                flaw.at.get(&view.function.parameters).and_then(|schema| schema.get("const"));
            let set =
                |value: &Value| Edit::Set { at: at.child("const"), to: json!([value]).into() };
            let rename = Edit::Rename { at: at.child("const"), key: "enum".to_owned() };
            value.map(set).into_iter().chain([rename]).collect()
        }
    }
}

struct Finder<'s> {
    found: Vec<SchemaFlaw>,
    /// The way to the schema that is looked at.
    path: Vec<&'s str>,
}

impl<'s> Finder<'s> {
    fn add(&mut self, apis: u8, what: impl Into<String>, advice: &'static str) {
        self.add_fixable(apis, what.into(), advice, None);
    }

    fn add_fixable(
        &mut self,
        apis: u8,
        what: String,
        advice: &'static str,
        fix: Option<Replacement>,
    ) {
        let at = Pointer::from_iter(self.path.iter().copied());
        let (is_rewritten, is_name) = (false, false);
        self.found.push(SchemaFlaw { apis, at, what, advice, fix, is_rewritten, is_name });
    }

    fn add_name(&mut self, apis: u8, name: &str, advice: &'static str) {
        self.add(apis, format!("the name \"{name}\""), advice);
        if let Some(flaw) = self.found.last_mut() {
            flaw.is_name = true;
        }
    }

    /// What strict modes refuse, and SDKs rewrite.
    fn add_rewritten(&mut self, apis: u8, what: &str, advice: &'static str) {
        self.add(apis, what, advice);
        if let Some(flaw) = self.found.last_mut() {
            flaw.is_rewritten = true;
        }
    }

    fn check_function(&mut self, function: &Function) {
        let name = &function.name;
        let all = |more: &str| {
            name.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter))
        };
        let length = name.chars().count();
        if !all("_-") || !(1..=LONGEST_NAME).contains(&length) {
            let advice = "use letters, digits, \"_\" and \"-\", 64 at most";
            self.add_name(OPENAI | STRICT | ANTHROPIC, name, advice);
        }
        if !all("_-.:")
            || length > LONGEST_NAME
            || !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        {
            self.add_name(GEMINI, name, "begin with a letter or \"_\", 64 letters at most");
        }
        if !all("_-.") || !(1..=LONGEST_MCP_NAME).contains(&length) {
            let advice = "use letters, digits, \"_\", \"-\" and \".\", 128 at most";
            self.add_name(MCP, name, advice);
        }
        if function.description.chars().count() > LONGEST_DESCRIPTION {
            self.add(OPENAI | STRICT, "a description of more than 1,024 letters", "shorten it");
        }
        if function.parameters.get("type").and_then(Value::as_str) != Some("object") {
            let all = OPENAI | STRICT | ANTHROPIC | GEMINI | MCP;
            self.add(all, "parameters that are no object", "write \"type\": \"object\"");
        }
        for keyword in AT_ROOT {
            if function.parameters.get(keyword.name).is_some() {
                let what = format!("\"{}\" at the root", keyword.name);
                self.add(keyword.apis, what, keyword.advice);
            }
        }
    }

    fn check_schema(&mut self, schema: &'s Value) {
        let Value::Object(members) = schema else { return };
        if self.path.len() > DEEPEST {
            return;
        }
        for (key, value) in members {
            for keyword in KEYWORDS.iter().filter(|keyword| keyword.name == key) {
                let what = format!("\"{key}\"");
                self.add_fixable(keyword.apis, what, keyword.advice, keyword.fix);
            }
            if key == "$ref" && value.as_str().is_some_and(|to| !to.starts_with('#')) {
                self.add(OPENAI | STRICT | ANTHROPIC | MCP, "a \"$ref\" out of the schema", INLINE);
            }
        }
        self.check_types(members);
        self.check_grammar(members);
        self.check_object(members);
        self.check_below(members);
    }

    /// What Anthropic can't make a grammar of, which strict mode keeps to.
    fn check_grammar(&mut self, members: &'s Map<String, Value>) {
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let list = |key: &str| members.get(key).and_then(Value::as_array);
        if members.get("minItems").and_then(Value::as_u64).is_some_and(|least| least > 1) {
            self.add(ANTHROPIC_STRICT, "more than 1 as \"minItems\"", SAY_IT);
        }
        if list("enum").is_some_and(|all| all.iter().any(|one| one.is_object() || one.is_array())) {
            let what = "an \"enum\" of objects or lists";
            self.add(ANTHROPIC_STRICT, what, "use texts or numbers");
        }
        if text("type") == Some("string")
            && text("format").is_some_and(|format| !ANTHROPIC_FORMATS.contains(&format))
        {
            self.add(ANTHROPIC_STRICT, "this \"format\"", SAY_IT);
        }
        if text("pattern")
            .is_some_and(|pattern| NOT_IN_PATTERNS.iter().any(|no| pattern.contains(no)))
        {
            let what = "a \"pattern\" that looks around, back, or for the ends of words";
            self.add(ANTHROPIC_STRICT, what, "use a simpler one");
        }
        if list("allOf").is_some_and(|all| all.iter().any(|one| one.get("$ref").is_some())) {
            self.add(ANTHROPIC_STRICT, "a \"$ref\" in \"allOf\"", INLINE);
        }
        let to = text("$ref").and_then(|to| Pointer::parse(to.strip_prefix('#')?).ok());
        let is_around = |to: &Pointer| {
            to.tokens().len() <= self.path.len()
                && to.tokens().iter().eq(&self.path[..to.tokens().len()])
        };
        if to.as_ref().is_some_and(is_around) {
            let advice = "write out as many levels as are needed";
            self.add(ANTHROPIC_STRICT, "a schema within itself", advice);
        }
    }

    fn check_types(&mut self, members: &'s Map<String, Value>) {
        let kind = members.get("type").and_then(Value::as_str);
        if kind == Some("array") && !members.contains_key("items") {
            let refused = OPENAI | STRICT | GEMINI | MCP;
            self.add(refused, "a list without \"items\"", "say what its items are");
        }
        if members.get("type").is_some_and(Value::is_array) {
            self.add(GEMINI, "a list of types", "use \"anyOf\", or \"nullable\": true");
        }
        if let Some(choices) = members.get("enum").and_then(Value::as_array)
            && (kind != Some("string") || choices.iter().any(|choice| !choice.is_string()))
        {
            self.add(GEMINI, "an \"enum\" of other values than texts", "use texts");
        }
        let format = members.get("format").and_then(Value::as_str);
        if kind == Some("string")
            && format.is_some_and(|format| !matches!(format, "enum" | "date-time"))
        {
            self.add(GEMINI, "another \"format\" than \"date-time\"", SAY_IT);
        }
    }

    fn check_object(&mut self, members: &'s Map<String, Value>) {
        let properties = members.get("properties").and_then(Value::as_object);
        let is_object = members.get("type").and_then(Value::as_str) == Some("object");
        if !is_object && properties.is_none() {
            return;
        }
        if members.get("additionalProperties") != Some(&Value::Bool(false)) {
            let apis = STRICT | ANTHROPIC_STRICT;
            self.add_rewritten(apis, FURTHER, "write \"additionalProperties\": false");
        }
        let required = members.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
        };
        for name in properties.into_iter().flat_map(Map::keys) {
            if !is_required(name) {
                self.path.extend(["properties", name]);
                self.add_rewritten(
                    STRICT,
                    "the optional value",
                    "list it in \"required\", and let its type be null too",
                );
                self.path.truncate(self.path.len() - 2);
            }
            let is_plain =
                name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter));
            if !is_plain || name.len() > LONGEST_NAME {
                let what = format!("the argument's name \"{name}\"");
                self.add(
                    OPENAI | STRICT | ANTHROPIC,
                    what,
                    "use letters, digits, \"_\", \"-\" and \".\", 64 at most",
                );
            }
        }
        let is_root = self.path.is_empty();
        if !is_root && is_object && properties.is_none_or(Map::is_empty) {
            self.add(GEMINI, "an object without properties", "list its properties");
        }
        let depth =
            self.path.iter().filter(|step| matches!(**step, "properties" | "items")).count();
        if depth == DEEPEST_STRICT {
            self.add(STRICT, "more than ten levels", "make it flatter");
        }
    }

    fn check_below(&mut self, members: &'s Map<String, Value>) {
        for (key, value) in members {
            self.path.push(key);
            match (key.as_str(), value) {
                ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                    for (name, schema) in schemas {
                        self.path.push(name);
                        self.check_schema(schema);
                        self.path.pop();
                    }
                }
                ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => {
                    for (row, schema) in schemas.iter().enumerate() {
                        self.path.push(ROWS.get(row).copied().unwrap_or("-"));
                        self.check_schema(schema);
                        self.path.pop();
                    }
                }
                ("items" | "additionalProperties", Value::Object(_)) => self.check_schema(value),
                _ => {}
            }
            self.path.pop();
        }
    }
}

/// Rows as steps of a path.
const ROWS: [&str; 16] =
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];

#[cfg(test)]
mod tests {
    use super::*;

    fn flaws(api: ModelApi, parameters: Value) -> Vec<String> {
        let function = Function::new("a", "A", parameters);
        let own = find_flaws(&function).into_iter().filter(|flaw| flaw.apis & bit(api) != 0);
        own.map(|flaw| format!("{} {}", flaw.at, flaw.what)).collect()
    }

    fn object(properties: &Value) -> Value {
        let names: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
        json!({"type": "object", "additionalProperties": false, "required": names, "properties": properties})
    }

    #[test]
    fn what_every_api_takes_has_no_flaw() {
        let parameters = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "description": "A"},
            "b": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        }});
        for api in [ModelApi::OpenAi, ModelApi::Anthropic, ModelApi::Gemini, ModelApi::Mcp] {
            assert_eq!(flaws(api, parameters.clone()), [""; 0], "{api:?}");
        }
        assert_eq!(
            flaws(ModelApi::OpenAiStrict, parameters),
            [" further properties", "/properties/b the optional value"]
        );
        assert_eq!(
            flaws(ModelApi::OpenAiStrict, object(&json!({"a": {"type": "string"}}))),
            [""; 0]
        );
    }

    #[test]
    fn each_api_refuses_its_own() {
        let one = |schema: Value| object(&json!({"x": schema}));
        let rows: [(Value, &[ModelApi]); 9] = [
            (
                json!({"type": "array"}),
                &[ModelApi::OpenAi, ModelApi::OpenAiStrict, ModelApi::Gemini, ModelApi::Mcp],
            ),
            (json!({"oneOf": [{"type": "string"}]}), &[ModelApi::OpenAiStrict, ModelApi::Gemini]),
            (json!({"const": "a"}), &[ModelApi::Gemini]),
            (json!({"type": ["string", "null"]}), &[ModelApi::Gemini]),
            (json!({"type": "integer", "enum": [1]}), &[ModelApi::Gemini]),
            (json!({"type": "string", "format": "email"}), &[ModelApi::Gemini]),
            (
                json!({"type": "string", "minLength": 1}),
                &[ModelApi::OpenAiStrict, ModelApi::AnthropicStrict],
            ),
            (json!({"type": "string", "default": "a"}), &[ModelApi::OpenAiStrict]),
            (
                json!({"$ref": "https://x/y"}),
                &[
                    ModelApi::OpenAi,
                    ModelApi::OpenAiStrict,
                    ModelApi::Anthropic,
                    ModelApi::AnthropicStrict,
                    ModelApi::Gemini,
                    ModelApi::Mcp,
                ],
            ),
        ];
        for (schema, wanted) in rows {
            let refusing: Vec<ModelApi> = ModelApi::ALL
                .into_iter()
                .filter(|api| {
                    flaws(*api, one(schema.clone()))
                        .iter()
                        .any(|flaw| flaw.starts_with("/properties/x"))
                })
                .collect();
            assert_eq!(refusing, wanted, "{schema}");
        }
        for schema in [
            json!({"type": "integer", "minimum": 1}),
            json!({"type": "array", "items": {}, "minItems": 2}),
            json!({"type": "string", "format": "byte"}),
            json!({"type": "string", "pattern": "^(?!a)"}),
            json!({"enum": [{"a": 1}]}),
            json!({"allOf": [{"$ref": "#/$defs/a"}]}),
            json!({"type": "array", "items": {"$ref": "#/properties/x"}}),
        ] {
            let found = flaws(ModelApi::AnthropicStrict, one(schema.clone()));
            assert_eq!(found.len(), 1, "{schema}: {found:?}");
        }
        let taken =
            json!({"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/a"}, "default": []});
        assert_eq!(flaws(ModelApi::AnthropicStrict, one(taken)), [""; 0]);
        let union = json!({"type": "object", "anyOf": [{"type": "object"}]});
        assert!(
            flaws(ModelApi::Anthropic, union.clone()).contains(&" \"anyOf\" at the root".into())
        );
        assert_eq!(flaws(ModelApi::Mcp, union), [""; 0]);
    }
}
