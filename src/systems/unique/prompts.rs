//! The prompts that a tool brings: texts of its configuration, rendered as templates on the
//! configuration's own values and on samples.

use std::collections::BTreeMap;

use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value as Filled};
use serde_json::{Map, Value};

use super::{config_schema::EntrySort, keys, meta};
use crate::{
    model::tool::Tool,
    schema::pointer::Pointer,
    systems::{
        facets::prompts::Prompt,
        pydantic::{camel_name, written_place},
    },
};

/// Prompts lie no deeper in a configuration.
const DEEPEST: usize = 3;
/// How deep brackets of a template may be nested, and what is said of others.
const DEEPEST_BRACKETS: usize = 60;
const TOO_DEEP: &str = "its brackets are nested too deep";
/// The name of the one template that there is at a time.
const TEMPLATE: &str = "prompt";

/// What a text of a configuration is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Description,
    System,
    FormatSystem,
    User,
    FormatUser,
    Reminder,
    Other,
}

impl Role {
    /// By the name that a configuration gives it.
    fn from_name(name: &str, text: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let has = |part: &str| name.contains(part);
        let rules = [
            (has("reminder"), Self::Reminder),
            (has("format") && has("user"), Self::FormatUser),
            (has("format") && (has("information") || has("system")), Self::FormatSystem),
            (has("user") && has("prompt"), Self::User),
            (has("system") && has("prompt"), Self::System),
            (name == "tooldescription", Self::Description),
            (is_template(text), Self::Other),
        ];
        rules.into_iter().find(|(holds, _)| *holds).map(|(_, role)| role)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Description => "Description",
            Self::System => "System prompt",
            Self::FormatSystem => "Format information, system prompt",
            Self::User => "User prompt",
            Self::FormatUser => "Format information, user prompt",
            Self::Reminder => "Reminder",
            Self::Other => "Template",
        }
    }
}

fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|sign| text.contains(sign))
}

/// The prompts of a tool, in the order in which the model reads them.
#[must_use]
pub fn tool_prompts(tool: &Tool, samples: &Map<String, Value>) -> Vec<Prompt> {
    if EntrySort::of_entry(&tool.entry.value) == EntrySort::Mcp {
        return server_prompts(tool);
    }
    let written = keys::CONFIGURATION.get(&tool.entry.value).unwrap_or(&Value::Null);
    let configuration = whole_configuration(tool);
    let values = template_values(tool, &configuration, samples);
    let mut prompts: Vec<(Role, Prompt)> = prompt_texts(&configuration)
        .into_iter()
        .filter_map(|(at, text)| {
            let name = at.last().unwrap_or_default();
            let role = Role::from_name(name, text)?;
            let is_default = written_place(written, &at).get(written).is_none();
            let prompt = Prompt {
                title: role.title(),
                place: at.tokens().join(" › "),
                is_default,
                rendered: render_template(text, &values),
                unknown: unknown_variables(text, &values),
            };
            (!text.is_empty()).then_some((role, prompt))
        })
        .collect();
    prompts.sort_by_key(|(role, _)| *role);
    prompts.into_iter().map(|(_, prompt)| prompt).collect()
}

/// The texts of a configuration that are prompts, each with its place.
#[must_use]
pub fn prompt_texts(configuration: &Value) -> Vec<(Pointer, &str)> {
    let mut found = Vec::new();
    collect_texts(configuration, &Pointer::root(), 0, &mut found);
    found.retain(|(at, text)| Role::from_name(at.last().unwrap_or_default(), text).is_some());
    found
}

/// A configuration with the defaults of what it does not say, its names as the platform has them.
fn whole_configuration(tool: &Tool) -> Value {
    let none = Map::new();
    let default = tool.known.as_deref().and_then(|known| default_config(known)?.as_object());
    let mut whole = default.unwrap_or(&none).clone();
    let written = keys::CONFIGURATION.get(&tool.entry.value).and_then(Value::as_object);
    for (name, value) in written.unwrap_or(&none) {
        let camel = camel_name(name);
        let name = if whole.contains_key(&camel) { camel } else { name.clone() };
        whole.insert(name, value.clone());
    }
    Value::Object(whole)
}

/// Of a schema file, or of a tool in a list that has the same beside it.
fn default_config(known: &Value) -> Option<&Value> {
    known
        .get(keys::DEFAULT_CONFIG)
        .or_else(|| meta::config_schema(known)?.get(keys::DEFAULT_CONFIG))
}

fn collect_texts<'v>(
    value: &'v Value,
    at: &Pointer,
    depth: usize,
    found: &mut Vec<(Pointer, &'v str)>,
) {
    match value {
        Value::String(text) => found.push((at.clone(), text)),
        Value::Object(members) if depth < DEEPEST => {
            for (name, member) in members {
                collect_texts(member, &at.child(name.as_str()), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// What variables of a template stand for: members of the configuration in snake_case, as tools
/// hand them on, and over them the samples.
#[must_use]
pub fn template_values(
    tool: &Tool,
    configuration: &Value,
    samples: &Map<String, Value>,
) -> BTreeMap<String, Value> {
    let display = keys::DISPLAY_NAME.get(&tool.entry.value).cloned().unwrap_or("".into());
    let mut values = BTreeMap::from([
        ("tool_name".to_owned(), Value::from(tool.name.as_str())),
        ("display_name".to_owned(), display),
    ]);
    for (name, value) in configuration.as_object().into_iter().flatten() {
        values.insert(snake_name(name), value.clone());
    }
    values.extend(samples.iter().map(|(name, value)| (name.clone(), value.clone())));
    values
}

/// A name as Python has it: `maxTokens` is `max_tokens`.
fn snake_name(name: &str) -> String {
    let mut made = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            made.push('_');
        }
        made.push(letter.to_ascii_lowercase());
    }
    made
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    // As the toolkit renders them.
    environment.set_lstrip_blocks(true);
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.set_fuel(Some(100_000));
    environment
}

/// A value as templates have it. Numbers are kept as texts here, which templates cannot compare.
fn fill_value(value: &Value) -> Filled {
    match value {
        Value::Null => Filled::from(()),
        Value::Bool(is) => Filled::from(*is),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Filled::from(whole),
            (None, Some(number)) => Filled::from(number),
            (None, None) => Filled::from(number.to_string()),
        },
        Value::String(text) => Filled::from(text.as_str()),
        Value::Array(items) => items.iter().map(fill_value).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), fill_value(member))).collect()
        }
    }
}

/// Whether brackets are nested so deep that reading the template could take more stack than a thread
/// has: the parser goes down a dozen calls for each.
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST_BRACKETS
    })
}

/// A text as the model reads it, or why it cannot be read.
///
/// # Errors
/// What is wrong with the template, and in which line.
pub fn render_template(text: &str, values: &BTreeMap<String, Value>) -> Result<String, String> {
    if !is_template(text) {
        return Ok(text.to_owned());
    }
    if is_too_deep(text) {
        return Err(TOO_DEEP.into());
    }
    let filled: BTreeMap<&str, Filled> =
        values.iter().map(|(name, value)| (name.as_str(), fill_value(value))).collect();
    let rendered = environment().render_named_str(TEMPLATE, text, filled);
    rendered.map_err(|error| {
        let line = error.line().map_or_else(String::new, |line| format!("line {line}: "));
        let words = match error.kind() {
            ErrorKind::OutOfFuel => "it takes too long".to_owned(),
            kind => error.detail().map_or_else(|| kind.to_string(), str::to_owned),
        };
        format!("{line}{words}")
    })
}

/// Why a text cannot be read as a template; `None` where it can.
#[must_use]
pub fn template_fault(text: &str) -> Option<String> {
    if is_too_deep(text) {
        return Some(TOO_DEEP.into());
    }
    let environment = environment();
    let fault = environment.template_from_named_str(TEMPLATE, text).err()?;
    let line = fault.line().map_or_else(String::new, |line| format!("line {line}: "));
    Some(format!("{line}{}", fault.detail().unwrap_or("it cannot be read")))
}

/// Variables of a template that nothing gives a value, in order.
fn unknown_variables(text: &str, values: &BTreeMap<String, Value>) -> Vec<String> {
    if is_too_deep(text) {
        return Vec::new();
    }
    let environment = environment();
    let Ok(template) = environment.template_from_named_str(TEMPLATE, text) else {
        return Vec::new();
    };
    let mut unknown: Vec<String> = template
        .undeclared_variables(false)
        .into_iter()
        .filter(|name| !values.contains_key(name))
        .collect();
    unknown.sort_unstable();
    unknown
}

/// What the platform makes of a server's tool: its name before the prompt that the server says,
/// none of it a template.
fn server_prompts(tool: &Tool) -> Vec<Prompt> {
    let configuration = keys::CONFIGURATION.get(&tool.entry.value);
    let server = configuration
        .and_then(|value| keys::MCP_REQUIRED[1].get(value)?.as_str())
        .unwrap_or_default();
    let said = |name: &str| {
        let known = tool.known.as_deref()?;
        known.get("_meta")?.get(name)?.as_str().filter(|text| !text.is_empty())
    };
    let mut system = format!("**MCP Server**: {server}\n**Tool Name**: {}", tool.name);
    if let Some(text) = said("unique.app/system-prompt") {
        system = format!("{system}\n{text}");
    }
    let prompt = |role: Role, place: &str, text: String| Prompt {
        title: role.title(),
        place: place.to_owned(),
        is_default: false,
        rendered: Ok(text),
        unknown: Vec::new(),
    };
    let mut prompts = vec![prompt(Role::System, "made by the platform", system)];
    for (role, name) in [
        (Role::FormatSystem, "unique.app/tool-format-information"),
        (Role::User, "unique.app/user-prompt"),
    ] {
        prompts.extend(said(name).map(|text| prompt(role, name, text.to_owned())));
    }
    prompts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(text: &str, values: &Value) -> Result<String, String> {
        let values = values.as_object().unwrap().clone().into_iter().collect();
        render_template(text, &values)
    }

    #[test]
    fn templates_are_rendered_as_the_toolkit_does() {
        assert_eq!(rendered("a {{ b }} {{ c }}.", &json!({"b": 1})), Ok("a 1 .".into()));
        let blocks = "x\n  {% if on -%}\nyes\n  {%- endif %}\ny\n";
        assert_eq!(rendered(blocks, &json!({"on": true})), Ok("x\nyes\ny".into()));
        assert_eq!(rendered("plain { }\n", &json!({})), Ok("plain { }\n".into()));
        let wrong = rendered("a\n{% if %}", &json!({})).unwrap_err();
        assert!(wrong.starts_with("line 2: "), "{wrong}");
        let endless =
            "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        assert_eq!(rendered(endless, &json!({})), Err("line 1: it takes too long".into()));
        let deep = |depth: usize| format!("{{{{ {}1{} }}}}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(rendered(&deep(50), &json!({})), Ok("1".into()));
        assert_eq!(rendered(&deep(140), &json!({})), Err(TOO_DEEP.into()));
        assert_eq!(template_fault(&deep(140)).as_deref(), Some(TOO_DEEP));
    }

    #[test]
    fn texts_are_prompts_by_their_names() {
        for (name, role) in [
            ("toolDescription", Some(Role::Description)),
            ("toolDescriptionForSystemPrompt", Some(Role::System)),
            ("toolFormatInformationForSystemPrompt", Some(Role::FormatSystem)),
            ("formatInformation", Some(Role::FormatSystem)),
            ("toolFormatInformationForUserPrompt", Some(Role::FormatUser)),
            ("toolDescriptionForUserPrompt", Some(Role::User)),
            ("executionReminder", Some(Role::Reminder)),
            ("displayName", None),
        ] {
            assert_eq!(Role::from_name(name, "text"), role, "{name}");
        }
        assert_eq!(Role::from_name("nudge", "{{ x }}"), Some(Role::Other));
        assert_eq!(snake_name("maxTokensPerCall"), "max_tokens_per_call");
    }
}
