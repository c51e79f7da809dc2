//! A tool as models' APIs get it: the entry of each API's tool list, what that API refuses in it,
//! and about how many tokens it costs.

use serde_json::{Value, json};

use super::latin_letters::latin_letters;
use crate::{
    model::tool::Function,
    schema::{pointer::Pointer, validate::Checker},
};

/// Whose form a tool is shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    OpenAi,
    Anthropic,
    Gemini,
    Mcp,
}

impl Client {
    /// Those whose forms previews show.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Mcp];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Mcp => "MCP",
        }
    }
}

/// The entry of the client's tool list: of `tools` in an OpenAI chat completion, of `tools` in an
/// Anthropic message, of Gemini's `functionDeclarations`, of the answer to MCP's `tools/list`.
#[must_use]
pub(crate) fn render_tool(function: &Function, client: Client) -> Value {
    let Function { name, description, parameters, strict } = function;
    let mut entry = match client {
        Client::OpenAi => {
            json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
        }
        Client::Anthropic => {
            json!({"name": name, "description": description, "input_schema": parameters})
        }
        // The member `parameters` takes only a part of JSON Schema.
        Client::Gemini => {
            json!({"name": name, "description": description, "parametersJsonSchema": parameters})
        }
        Client::Mcp => json!({"name": name, "description": description, "inputSchema": parameters}),
    };
    let home = match client {
        Client::OpenAi => entry.get_mut("function"),
        Client::Anthropic => Some(&mut entry),
        Client::Gemini | Client::Mcp => None,
    };
    if let (Some(Value::Object(members)), Some(strict)) = (home, strict) {
        members.insert("strict".to_owned(), (*strict).into());
    }
    entry
}

/// About how many tokens a text costs. Every model counts differently: good to a fifth, for
/// comparing tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenEstimate(pub usize);

impl TokenEstimate {
    /// Letters of a word go four to six into a token, digits three, signs two, letters of other
    /// scripts one.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut total = 0;
        let mut run = (Sort::Blank, 0_usize);
        for letter in text.chars() {
            let sort = Sort::from_char(letter);
            if sort != run.0 {
                total += run.0.token_count(run.1);
                run = (sort, 0);
            }
            run.1 += 1;
        }
        Self(total + run.0.token_count(run.1))
    }

    /// The estimate for a tool as a client sends it.
    #[must_use]
    pub fn of_tool(function: &Function, client: Client) -> Self {
        Self::from_text(&render_tool(function, client).to_string())
    }
}

impl std::fmt::Display for TokenEstimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "about {} tokens (an estimate)", self.0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Blank,
    Letter,
    Digit,
    Sign,
    Other,
}

impl Sort {
    fn from_char(letter: char) -> Self {
        match letter {
            _ if letter.is_whitespace() => Self::Blank,
            _ if letter.is_ascii_alphabetic() => Self::Letter,
            _ if letter.is_ascii_digit() => Self::Digit,
            _ if letter.is_ascii() => Self::Sign,
            _ => Self::Other,
        }
    }

    fn token_count(self, count: usize) -> usize {
        match self {
            Self::Blank => 0,
            Self::Letter => count.div_ceil(6),
            Self::Digit => count.div_ceil(3),
            Self::Sign => count.div_ceil(2),
            Self::Other => count,
        }
    }
}

/// What a client's API refuses in a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Within the function's parameters; the root for its name and description too.
    pub at: Pointer,
    pub message: String,
}

/// The longest name that OpenAI's and Anthropic's APIs take.
const LONGEST_NAME: usize = 64;
/// The longest description that OpenAI's API takes.
const LONGEST_DESCRIPTION: usize = 1024;
/// Keywords that OpenAI's and Anthropic's APIs refuse at the root of the parameters.
const NOT_AT_ROOT: [&str; 5] = ["anyOf", "oneOf", "allOf", "not", "enum"];

/// Which names an API takes: letters, digits, `-`, `_` and more.
struct NameRule {
    extra: &'static str,
    longest: usize,
    /// Whether they begin with a letter or `_`.
    begins_plainly: bool,
}

impl NameRule {
    fn of_tools(client: Client) -> Self {
        match client {
            Client::Mcp => Self { extra: ".", longest: 2 * LONGEST_NAME, begins_plainly: false },
            Client::Gemini => Self { extra: ".:", longest: LONGEST_NAME, begins_plainly: true },
            Client::OpenAi | Client::Anthropic => Self::of_properties(""),
        }
    }

    /// Which names of arguments APIs take.
    fn of_properties(extra: &'static str) -> Self {
        Self { extra, longest: LONGEST_NAME, begins_plainly: false }
    }

    fn has(&self, letter: char) -> bool {
        letter.is_ascii_alphanumeric() || "_-".contains(letter) || self.extra.contains(letter)
    }

    fn accepts(&self, name: &str) -> bool {
        (1..=self.longest).contains(&name.len())
            && name.chars().all(|letter| self.has(letter))
            && self.begins_well(name)
    }

    fn begins_well(&self, name: &str) -> bool {
        let is_plain = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
        !self.begins_plainly || name.starts_with(is_plain)
    }
}

/// Whether a client's API takes a tool of that name.
#[must_use]
pub fn accepts_name(name: &str, client: Client) -> bool {
    NameRule::of_tools(client).accepts(name)
}

/// The name itself, or one like it that a client's API takes: letters without their marks, and `_` in
/// the place of what it refuses, so that it can be a function's name in most languages.
#[must_use]
pub fn accepted_name(name: &str, client: Client) -> String {
    let rule = NameRule::of_tools(client);
    let plain = |letter: char| if rule.has(letter) { letter } else { '_' };
    let mut name: String = latin_letters(name.trim()).chars().map(plain).collect();
    if name.is_empty() {
        return "tool".to_owned();
    }
    if !rule.begins_well(&name) {
        name.insert(0, '_');
    }
    name.truncate(rule.longest);
    name
}

/// What a client's API would refuse in a tool; empty where it takes it.
#[must_use]
pub fn find_refusals(function: &Function, client: Client) -> Vec<Refusal> {
    let mut found = Vec::new();
    let mut refuse =
        |at: &Pointer, message: String| found.push(Refusal { at: at.clone(), message });
    let root = Pointer::root();
    if !accepts_name(&function.name, client) {
        refuse(
            &root,
            format!(
                "the name \"{}\": only letters, digits, - and _, {LONGEST_NAME} at most",
                function.name
            ),
        );
    }
    if client == Client::OpenAi && function.description.chars().count() > LONGEST_DESCRIPTION {
        refuse(&root, format!("the description has more than {LONGEST_DESCRIPTION} characters"));
    }
    if function.parameters.get("type").and_then(Value::as_str) != Some("object") {
        refuse(&root, "the parameters must be of type object".into());
    }
    let leads_out = |at: &Pointer| {
        at.last() == Some("$ref")
            && at
                .get(&function.parameters)
                .and_then(Value::as_str)
                .is_some_and(|to| !to.starts_with('#'))
    };
    let flaws = Checker::find_flaws(&function.parameters).into_iter();
    // Of references that lead out, each client is informed below.
    for finding in flaws.filter(|finding| !finding.at.is_root() && !leads_out(&finding.at)) {
        let keyword = finding
            .at
            .last()
            .map_or_else(String::new, |keyword| format!(" ({keyword}: {})", finding.words));
        refuse(&finding.at, format!("the parameters are not a JSON Schema{keyword}"));
    }
    if client == Client::Mcp {
        return found;
    }
    for key in NOT_AT_ROOT.iter().filter(|key| function.parameters.get(**key).is_some()) {
        refuse(
            &root.child(*key),
            format!("\"{key}\" at the root of the parameters; put it inside a property"),
        );
    }
    visit_schemas(&function.parameters, &root, &mut |at, schema| {
        found.extend(schema_refusals(at, schema, client));
    });
    found
}

/// What a client would refuse in one schema, those below it aside.
fn schema_refusals(at: &Pointer, schema: &Value, client: Client) -> Vec<Refusal> {
    let mut found = Vec::new();
    let mut refuse = |at: Pointer, message: String| found.push(Refusal { at, message });
    let rule = NameRule::of_properties(".");
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(serde_json::Map::keys);
    for name in names.filter(|name| !rule.accepts(name)) {
        let words =
            format!("the name \"{name}\": only letters, digits, _ - and ., {LONGEST_NAME} at most");
        refuse(at.child("properties").child(name), words);
    }
    let is_array = schema.get("type").and_then(Value::as_str) == Some("array");
    if client == Client::OpenAi && is_array && schema.get("items").is_none() {
        refuse(at.clone(), "an array must define its \"items\"".into());
    }
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(reference) = reference.filter(|reference| !reference.starts_with('#')) {
        let words = format!("the reference \"{reference}\" points outside the schema");
        refuse(at.child("$ref"), words);
    }
    found
}

/// Shows every schema below a schema, itself first.
fn visit_schemas(schema: &Value, at: &Pointer, see: &mut impl FnMut(&Pointer, &Value)) {
    see(at, schema);
    let Value::Object(members) = schema else { return };
    for (key, value) in members {
        let at = at.child(key);
        match (key.as_str(), value) {
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(below),
            ) => {
                below.iter().for_each(|(name, schema)| visit_schemas(schema, &at.child(name), see));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(below)) => {
                below
                    .iter()
                    .enumerate()
                    .for_each(|(row, schema)| visit_schemas(schema, &at.item(row), see));
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames",
                Value::Object(_),
            ) => visit_schemas(value, &at, see),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_changed_where_a_client_refuses_it() {
        for (name, openai, mcp) in [
            ("users.get", "users_get", "users.get"),
            ("put x!", "put_x_", "put_x_"),
            ("a-b_1", "a-b_1", "a-b_1"),
            ("Größe holen", "Groesse_holen", "Groesse_holen"),
            ("", "tool", "tool"),
        ] {
            assert_eq!(accepted_name(name, Client::OpenAi), openai);
            assert_eq!(accepted_name(name, Client::Mcp), mcp);
            assert!(accepts_name(openai, Client::Anthropic));
        }
        for (name, gemini) in [("users.get:v1", "users.get:v1"), ("1st try", "_1st_try")] {
            assert_eq!(accepted_name(name, Client::Gemini), gemini);
            assert_eq!(accepts_name(name, Client::Gemini), name == gemini);
        }
        assert_eq!(accepted_name(&"1".repeat(64), Client::Gemini).len(), 64);
        assert_eq!(accepted_name(&"ü".repeat(99), Client::OpenAi).len(), 64);
    }

    fn function(name: &str, parameters: Value) -> Function {
        Function::new(name, "Tells a joke", parameters)
    }

    #[test]
    fn each_client_has_its_own_shape() {
        let parameters = json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]});
        let joke = function("tell-joke", parameters.clone());
        assert_eq!(
            render_tool(&joke, Client::OpenAi),
            json!({"type": "function", "function": {"name": "tell-joke", "description": "Tells a joke", "parameters": parameters}})
        );
        assert_eq!(
            render_tool(&joke, Client::Anthropic),
            json!({"name": "tell-joke", "description": "Tells a joke", "input_schema": parameters})
        );
        assert_eq!(
            render_tool(&joke, Client::Mcp),
            json!({"name": "tell-joke", "description": "Tells a joke", "inputSchema": parameters})
        );
        assert!(Client::ALL.iter().all(|client| find_refusals(&joke, *client).is_empty()));
    }

    #[test]
    fn each_client_refuses_what_its_api_refuses() {
        let refused = |name: &str, parameters: Value, client| -> Vec<String> {
            find_refusals(&function(name, parameters), client)
                .into_iter()
                .map(|refusal| refusal.at.to_string())
                .collect()
        };
        let object = || json!({"type": "object"});
        assert_eq!(refused("tell a joke", object(), Client::OpenAi), [""]);
        assert_eq!(refused("tell.joke", object(), Client::Anthropic), [""]);
        assert!(refused("tell.joke", object(), Client::Mcp).is_empty());
        assert_eq!(refused("", object(), Client::Mcp), [""]);
        assert_eq!(
            refused("a", json!({"type": "object", "minProperties": -1}), Client::Mcp),
            ["/minProperties"]
        );
        assert_eq!(
            refused("a", json!({"type": "object", "anyOf": [{}]}), Client::OpenAi),
            ["/anyOf"]
        );
        assert!(refused("a", json!({"type": "object", "anyOf": [{}]}), Client::Mcp).is_empty());
        let list = json!({"type": "object", "properties": {"rows": {"type": "array"}}});
        assert_eq!(refused("a", list.clone(), Client::OpenAi), ["/properties/rows"]);
        assert!(refused("a", list, Client::Anthropic).is_empty());
        let odd = json!({"type": "object", "properties": {"a": {"items": {"properties": {"the name": {"$ref": "http://x"}}}}}});
        assert_eq!(
            refused("a", odd, Client::Anthropic),
            [
                "/properties/a/items/properties/the name",
                "/properties/a/items/properties/the name/$ref"
            ]
        );
    }

    #[test]
    fn estimates_grow_with_the_text_and_say_what_they_are() {
        let one = TokenEstimate::from_text("Tell a joke on a given topic");
        assert_eq!(one, TokenEstimate(7));
        assert_eq!(TokenEstimate::from_text("日本語"), TokenEstimate(3));
        assert!(TokenEstimate::from_text("Tell a joke on a given topic, please") > one);
        assert_eq!(one.to_string(), "about 7 tokens (an estimate)");
    }
}
