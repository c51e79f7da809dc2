//! The prompts that a tool brings: texts of its configuration, rendered as templates on the
//! configuration's own values and on samples.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    config_schema::{ConfigSchema, EntrySort},
    jinja::{is_template, outer_variables, render_one_of},
    keys,
    rendering::Rendering,
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
        let name = camel_name(name).to_lowercase();
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
    let texts: Vec<_> = prompt_texts(&configuration)
        .into_iter()
        .filter_map(|(at, text)| {
            let role = Role::from_name(name_of(&at), text).filter(|_| !text.is_empty())?;
            let is_read = Rendering::of_text(&tool.entry.value, &at) == Rendering::AsWritten;
            // What is neither a prompt nor rendered has braces for some other reason.
            (!is_read || role != Role::Other).then_some((at, text, role, is_read))
        })
        .collect();
    let count = texts.iter().filter(|(_, text, _, is_read)| !is_read && is_template(text)).count();
    let mut prompts: Vec<(Role, Prompt)> = texts
        .into_iter()
        .map(|(at, text, role, is_read)| {
            let (rendered, unknown) = match is_read {
                true => (Ok(text.to_owned()), Vec::new()),
                false => render_text(count, text, &values, &configuration),
            };
            let is_default = written_place(written, &at).get(written).is_none();
            let place = at.tokens().join(" › ");
            (role, Prompt { title: role.title(), place, is_default, rendered, unknown })
        })
        .collect();
    prompts.sort_by_key(|(role, _)| *role);
    prompts.into_iter().map(|(_, prompt)| prompt).collect()
}

/// A text, one of so many templates of its tool, with the values of its variables, and the names of
/// those that nothing gives one. A name in snake_case is that of the member which pydantic spells so.
fn render_text(
    count: usize,
    text: &str,
    values: &BTreeMap<String, Value>,
    configuration: &Value,
) -> (Result<String, String>, Vec<String>) {
    let value_of = |name: &str| {
        let member = || configuration.get(camel_name(name)).filter(|_| snake_name(name) == name);
        values.get(name).or_else(member)
    };
    let unknown = outer_variables(text).into_iter().filter(|name| value_of(name).is_none());
    let mut unknown: Vec<String> = unknown.collect();
    unknown.sort_unstable();
    (render_one_of(count, text, value_of), unknown)
}

/// The description of a tool's function as its class gives it to a model: what its configuration says,
/// or has by default.
#[must_use]
pub fn function_description(tool: &Tool, schema: Option<&ConfigSchema>) -> Option<String> {
    let configuration = whole_configuration(tool, schema);
    let text = keys::TOOL_DESCRIPTION.get(&configuration)?.as_str()?;
    let at = Pointer::root().child(keys::TOOL_DESCRIPTION.camel);
    if Rendering::of_text(&tool.entry.value, &at) != Rendering::Rendered {
        return Some(text.to_owned());
    }
    let values = template_values(tool, &configuration, &Map::new());
    Some(render_text(1, text, &values, &configuration).0.unwrap_or_else(|_| text.to_owned()))
}

/// The texts of a configuration that are prompts, each with its place.
#[must_use]
pub fn prompt_texts(configuration: &Value) -> Vec<(Pointer, &str)> {
    let mut found = Vec::new();
    collect_texts(configuration, &Pointer::root(), 0, &mut found);
    found.retain(|(at, text)| Role::from_name(name_of(at), text).is_some());
    found
}

/// Whether a text is a prompt by its name, whatever it says.
#[must_use]
pub fn is_prompt(at: &Pointer) -> bool {
    Role::from_name(name_of(at), "").is_some()
}

/// The name of a text: of one in a list that of the list.
fn name_of(at: &Pointer) -> &str {
    let is_row = |token: &&String| token.parse::<usize>().is_ok();
    at.tokens().iter().rev().find(|token| !is_row(token)).map_or("", String::as_str)
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
        Value::Array(items) if depth < DEEPEST => {
            for (row, item) in items.iter().enumerate() {
                collect_texts(item, &at.item(row), depth + 1, found);
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

    /// pydantic writes the field `top_3k` as `top3K`.
    #[test]
    fn variables_are_members_as_pydantic_spells_them() {
        let configuration = json!({"top3K": 1, "max2Tokens": 2, "limits": {"maxWords": 3}});
        let text =
            "{{ top_3k }} {{ max_2_tokens }} {{ limits.max_words }} {{ maxWords }} {{ top3K }}";
        let (rendered, unknown) = render_text(1, text, &BTreeMap::new(), &configuration);
        assert_eq!(rendered, Ok("1 2 3  ".to_owned()));
        assert_eq!(unknown, ["maxWords", "top3K"]);
    }
}
