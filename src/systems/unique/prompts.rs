//! The prompts that a tool brings: texts of its configuration, rendered as templates on the
//! configuration's own values and on samples.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    config_schema::{ConfigSchema, EntrySort},
    jinja::{is_template, outer_variables, render_template},
    keys,
};
use crate::{
    model::tool::Tool,
    schema::pointer::Pointer,
    systems::{
        facets::prompts::Prompt,
        pydantic::{camel_name, fill_defaults, written_place},
    },
};

/// Prompts lie no deeper in a configuration.
const DEEPEST: usize = 3;

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

/// The prompts of a tool, in the order in which the model reads them.
#[must_use]
pub fn tool_prompts(
    tool: &Tool,
    schema: Option<&ConfigSchema>,
    samples: &Map<String, Value>,
) -> Vec<Prompt> {
    if EntrySort::of_entry(&tool.entry.value) == EntrySort::Mcp {
        return server_prompts(tool);
    }
    let written = keys::CONFIGURATION.get(&tool.entry.value).unwrap_or(&Value::Null);
    let configuration = whole_configuration(tool, schema);
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

/// A configuration with the defaults of what it does not say, those of the schema where the default
/// configuration has none; its names as the platform has them.
fn whole_configuration(tool: &Tool, schema: Option<&ConfigSchema>) -> Value {
    let none = Map::new();
    let default = schema.and_then(|schema| schema.default_config()?.as_object());
    let mut whole = default.unwrap_or(&none).clone();
    let written = keys::CONFIGURATION.get(&tool.entry.value).and_then(Value::as_object);
    for (name, value) in written.unwrap_or(&none) {
        let camel = camel_name(name);
        let name = if whole.contains_key(&camel) { camel } else { name.clone() };
        whole.insert(name, value.clone());
    }
    Value::Object(match schema {
        Some(schema) => fill_defaults(&whole, schema.json_schema()),
        None => whole,
    })
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

/// Variables of a template that nothing gives a value, in order.
fn unknown_variables(text: &str, values: &BTreeMap<String, Value>) -> Vec<String> {
    let names = outer_variables(text).into_iter();
    let mut unknown: Vec<String> = names.filter(|name| !values.contains_key(name)).collect();
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
    use super::*;

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
