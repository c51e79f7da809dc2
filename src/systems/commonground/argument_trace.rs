//! The way of a tool's arguments, said: what the model sees, what it gives, what the tool gets, and
//! where each value comes from.

use serde_json::{Map, Value};

use super::{
    context::{Context, VARIABLES},
    function, keys,
    merge::{self, Merged},
    template,
};
use crate::{
    model::{
        connection::Connection,
        merging::{self, Merging, Origin},
        tool::Tool,
    },
    systems::commonground::settings::Channel,
};

/// Who puts values in. The god endpoint hands on what it gets.
const BY_DISPATCHER: &str =
    "Workers and UI actions do this; the god endpoint passes the arguments on unchanged.";

/// What a connection knows of a call, with what-if values over it.
#[must_use]
pub(crate) fn call_context(connection: &Connection, variables: &[(String, String)]) -> Context {
    let mut context = Context::default();
    if let Some(channel) = Channel::from_connection(connection) {
        context.set_variable("project_id", &channel.project);
        context.set_variable("channel_id", &channel.channel);
        context.agent_id = channel.agent.clone().unwrap_or_default();
    }
    for (name, value) in variables {
        context.set_variable(name, value);
    }
    context
}

/// Puts what-if values in the place of what services read from their environment, by names such as
/// `$LAMP_TOKEN`.
pub(crate) fn apply_environment(trail: &mut Merging, variables: &[(String, String)]) {
    for row in &mut trail.rows {
        if let Origin::Environment(variable) = &row.origin {
            let named = |(name, _): &&(String, String)| name.strip_prefix('$') == Some(variable);
            row.got = variables
                .iter()
                .find(named)
                .map(|(_, value)| value.as_str().into())
                .or(row.got.take());
        }
    }
}

/// The way of each argument of a call.
#[must_use]
pub(crate) fn trace_arguments(
    tool: &Tool,
    given: &Map<String, Value>,
    context: &Context,
) -> Merging {
    let none = Value::Null;
    let value = &*tool.entry.value;
    let options = value.get(keys::OPTIONS).unwrap_or(&none);
    let merged = merge::merge_arguments(given, options, context);
    let properties = value
        .get(keys::PARAMETERS)
        .and_then(|parameters| parameters.get("properties"))
        .and_then(Value::as_object);
    let declared = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
    let mut names: Vec<&String> = properties.into_iter().flat_map(Map::keys).collect();
    let rest = [
        Some(given),
        function::default_arguments(options),
        function::fixed_arguments(options),
        Some(&merged.envs),
    ];
    for name in rest.into_iter().flatten().flat_map(Map::keys) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: &String| merging::Merged {
        name: name.clone(),
        shown: declared(name) && !function::is_hidden(options, name),
        given: given.get(name).cloned(),
        origin: origin(name, options, &merged),
        got: merged.arguments.get(name).cloned(),
        unfilled: merged
            .unfilled
            .iter()
            .filter(|(of, _)| of == name)
            .map(|(_, variable)| variable.clone())
            .collect(),
    };
    let rows = names.into_iter().map(row).collect();
    let mut notes = Vec::new();
    if !(merged.defaults_applied.is_empty()
        && merged.fixed_applied.is_empty()
        && merged.envs.is_empty())
    {
        notes.push(BY_DISPATCHER.to_owned());
    }
    Merging { rows, variables: variables(options, context), notes }
}

fn origin(name: &str, options: &Value, merged: &Merged) -> Origin {
    let written = |map: Option<&Map<String, Value>>| {
        map.and_then(|map| map.get(name)).cloned().unwrap_or_default()
    };
    let applied = |names: &[String]| names.iter().any(|applied| applied == name);
    if let Some(variable) = merged.envs.get(name).and_then(Value::as_str) {
        Origin::Environment(variable.to_owned())
    } else if applied(&merged.fixed_applied) {
        Origin::Fixed(written(function::fixed_arguments(options)))
    } else if applied(&merged.defaults_applied) {
        Origin::Default(written(function::default_arguments(options)))
    } else if merged.arguments.contains_key(name) {
        Origin::Given
    } else {
        Origin::Absent
    }
}

/// The variables that defaults and fixed values name, in the guide's order.
fn variables(options: &Value, context: &Context) -> Vec<(String, Option<String>)> {
    let values = [function::default_arguments(options), function::fixed_arguments(options)]
        .into_iter()
        .flatten()
        .flat_map(Map::values);
    let named: Vec<&str> =
        values.filter_map(Value::as_str).flat_map(template::variable_names).collect();
    let known = VARIABLES.into_iter().filter(|name| named.contains(name));
    known.map(|name| (name.to_owned(), context.variable_value(name))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::read,
    };

    fn told(given: &Value, variables: &[(&str, &str)]) -> Vec<String> {
        let definition = json!({
            "tool_name": "lamp", "target_subject": "x", "after_execution": "suspend",
            "parameters": {"properties": {"room": {}, "bright": {}, "house": {}, "token": {}}},
            "options": {
                "args": {"defaults": {"bright": 80, "turn": "{agent_turn_id}"}, "fixed": {"house": "{project_id}/{user}"}},
                "envs": {"token": "LAMP_TOKEN"},
            },
        });
        let source = Source::parse(Format::Json, definition.to_string()).unwrap();
        let catalog = read::read_catalog([(&FileId::new("lamp.json"), &source)], Mode::Document);
        let mut context = Context::default();
        variables.iter().for_each(|(name, value)| context.set_variable(name, value));
        let trail = trace_arguments(&catalog.tools[0], given.as_object().unwrap(), &context);
        let named: Vec<String> =
            trail.variables.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        let rows = trail.rows.iter().map(|row| {
            format!(
                "{} {} {} | {}",
                row.name,
                row.origin.as_str(),
                row.received_text(),
                row.remark()
            )
        });
        rows.chain(named).collect()
    }

    #[test]
    fn every_value_says_where_it_comes_from() {
        assert_eq!(
            told(
                &json!({"room": "hall", "house": "mine", "token": "t", "odd": null}),
                &[("project_id", "demo")]
            ),
            [
                "room given \"hall\" | ",
                "bright default 80 | ",
                "house fixed \"demo/{user}\" | models don't see it; given \"mine\" is dropped; written \"{project_id}/{user}\"; {user} not filled in",
                "token env $LAMP_TOKEN | models don't see it; given \"t\" is dropped",
                "odd given null | models don't see it",
                "turn default \"{agent_turn_id}\" | models don't see it; {agent_turn_id} not filled in",
                "project_id=Some(\"demo\")",
                "agent_turn_id=None",
            ]
        );
    }

    #[test]
    fn what_is_given_stands_over_a_default_alone() {
        let told = told(&json!({"bright": null}), &[("agent_turn_id", "t1")]);
        assert_eq!(told[0], "room – nothing | ");
        assert_eq!(told[1], "bright given null | ");
        assert_eq!(
            told[4],
            "turn default \"t1\" | models don't see it; written \"{agent_turn_id}\""
        );
    }
}
