//! Options that do not do what they seem to.

use serde_json::{Map, Value};

use super::members::tool_options;
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::tool::Tool,
    schema::{pointer::Pointer, validate::Checker},
    systems::commonground::{context::VARIABLES, function, jina, keys, merge, template},
};

/// The options that CommonGround reads.
const KNOWN: [&str; 7] = [
    keys::ARGS,
    keys::ENVS,
    keys::JINA,
    keys::OPENAPI,
    keys::UI_ALLOWED,
    keys::SUSPEND_TIMEOUT,
    keys::TIMEOUT,
];
/// Seconds that a worker waits for a result where nothing says more.
const WAITED: f64 = 30.0;
/// The hosts that the Jina service reaches.
const HOSTS: [&str; 2] = ["s.jina.ai", "r.jina.ai"];

fn option_pointer(path: &[&str]) -> Pointer {
    path.iter().fold(member_pointer(keys::OPTIONS), |at, key| at.child(*key))
}

pub(crate) fn options_malformed(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let options = tool_options(tool);
    let mut tell = |path: &[&str], wanted: &str| {
        let message = format!("it must be {wanted}; this value is silently ignored");
        report.add_finding(&tool.entry, option_pointer(path), message);
    };
    let here = |path: &[&str]| path.iter().try_fold(options, |value, key| value.get(*key));
    for path in [
        &[keys::ARGS][..],
        &[keys::ARGS, keys::DEFAULTS],
        &[keys::ARGS, keys::FIXED],
        &[keys::ENVS],
        &[keys::JINA],
    ] {
        if here(path).is_some_and(|value| !value.is_object()) {
            tell(path, "a map");
        }
    }
    for (name, variable) in here(&[keys::ENVS]).and_then(Value::as_object).into_iter().flatten() {
        if variable.as_str().is_none_or(|variable| variable.trim().is_empty()) {
            tell(&[keys::ENVS, name], "the name of a variable of the environment");
        }
    }
    if here(&[keys::UI_ALLOWED]).is_some_and(|value| !value.is_boolean()) {
        tell(&[keys::UI_ALLOWED], "true or false");
    }
    for key in [keys::SUSPEND_TIMEOUT, keys::TIMEOUT] {
        if here(&[key]).is_some_and(|value| value.as_f64().is_none_or(|seconds| seconds <= 0.0)) {
            tell(&[key], "a number of seconds above 0");
        }
    }
}

pub(crate) fn unknown_key(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let options = tool_options(tool);
    let rows: [(&[&str], &[&str]); 2] =
        [(&[], &KNOWN), (&[keys::ARGS], &[keys::DEFAULTS, keys::FIXED])];
    for (home, known) in rows {
        let Some(members) =
            home.iter().try_fold(options, |value, key| value.get(*key)).and_then(Value::as_object)
        else {
            continue;
        };
        for key in members.keys().filter(|key| !known.contains(&key.as_str())) {
            let near = nearest_name(
                key,
                known.iter().copied().filter(|known| !members.contains_key(*known)),
            );
            let place = option_pointer(home).child(key);
            if home.is_empty() && [keys::DEFAULTS, keys::FIXED].contains(&key.as_str()) {
                report.add_finding(
                    &tool.entry,
                    place,
                    format!("\"{key}\" belongs in \"{}\"; here it has no effect", keys::ARGS),
                );
                continue;
            }
            let message = format!(
                "CommonGround has no option \"{key}\", although its service may{}",
                did_you_mean(near)
            );
            let found = report.add_finding(&tool.entry, place, message);
            if let Some(near) = near {
                found.fix_rename(near);
            }
        }
    }
}

/// Defaults and fixed values with their places.
fn preset_values(tool: &Tool) -> Vec<(&'static str, &String, &Value)> {
    let options = tool_options(tool);
    let of = [
        (keys::DEFAULTS, function::default_arguments(options)),
        (keys::FIXED, function::fixed_arguments(options)),
    ];
    let rows = of.into_iter().flat_map(|(key, map)| {
        map.into_iter().flatten().map(move |(name, value)| (key, name, value))
    });
    rows.collect()
}

pub(crate) fn value_refused(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(parameters) = tool.entry.value.get(keys::PARAMETERS) else { return };
    for (kind, name, value) in preset_values(tool) {
        let Some(property) =
            parameters.get("properties").and_then(|properties| properties.get(name))
        else {
            continue;
        };
        // A text with variables is another text when it reaches the tool, but a text.
        let filled = value
            .as_str()
            .is_some_and(|text| template::variable_names(text).any(template::is_variable));
        let asked = if filled { only_type(property) } else { property.clone() };
        let Ok(checker) = Checker::compile(&with_definitions(asked, parameters)) else { continue };
        if let Some(issue) = checker.issues(value).first() {
            let message = format!(
                "it doesn't match the schema of \"{name}\": {}; nothing checks it before the tool \
                gets it",
                issue.words
            );
            report.add_finding(&tool.entry, option_pointer(&[keys::ARGS, kind, name]), message);
        }
    }
}

fn only_type(property: &Value) -> Value {
    let of_type = property.get("type").map(|of| ("type".to_owned(), of.clone()));
    Value::Object(of_type.into_iter().collect())
}

/// A part of a schema that can still refer to the definitions of the whole.
fn with_definitions(mut part: Value, whole: &Value) -> Value {
    if let Value::Object(members) = &mut part {
        for key in ["$defs", "definitions"] {
            if let (Some(all), None) = (whole.get(key), members.get(key)) {
                members.insert(key.to_owned(), all.clone());
            }
        }
    }
    part
}

pub(crate) fn never_used(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let options = tool_options(tool);
    let envs = merge::environment_variables(options);
    for (kind, name, _) in preset_values(tool) {
        let over = if envs.contains_key(name) {
            "a variable of the environment"
        } else if kind == keys::DEFAULTS
            && function::fixed_arguments(options).is_some_and(|fixed| fixed.contains_key(name))
        {
            "the fixed value"
        } else {
            continue;
        };
        let message = format!("it has no effect: {over} with that name overrides it");
        report
            .add_finding(&tool.entry, option_pointer(&[keys::ARGS, kind, name]), message)
            .fix_remove("remove it");
    }
}

pub(crate) fn variable_unknown(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (kind, name, value) in preset_values(tool) {
        let place = option_pointer(&[keys::ARGS, kind, name]);
        let Value::String(text) = value else {
            if let Some(variable) = nested_variable(value) {
                let message = format!(
                    "{{{variable}}} isn't filled in: only top-level texts are, not those in maps \
                    and lists"
                );
                report.add_finding(&tool.entry, place, message);
            }
            continue;
        };
        for variable in template::variable_names(text).filter(|name| !template::is_variable(name)) {
            let near = nearest_name(variable, VARIABLES);
            let message = format!(
                "{{{variable}}} isn't a variable and stays as \
                    written{}",
                did_you_mean(near)
            );
            let found = report.add_finding(&tool.entry, place.clone(), message);
            if let Some(near) = near {
                found.fix_set(
                    format!("make it {{{near}}}"),
                    text.replace(&format!("{{{variable}}}"), &format!("{{{near}}}")),
                );
            }
        }
    }
}

/// A variable that a text within a map or list names.
fn nested_variable(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => {
            template::variable_names(text).find(|name| template::is_variable(name))
        }
        Value::Array(items) => items.iter().find_map(nested_variable),
        Value::Object(members) => members.values().find_map(nested_variable),
        _ => None,
    }
}

pub(crate) fn variable_shown(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let properties =
        tool.entry.value.get(keys::PARAMETERS).and_then(|parameters| parameters.get("properties"));
    for (name, value) in function::default_arguments(tool_options(tool)).into_iter().flatten() {
        let shown = properties
            .and_then(|properties| properties.get(name))
            .is_some_and(|property| property.get("default").is_none());
        let variable = value.as_str().and_then(|text| {
            template::variable_names(text).find(|name| template::is_variable(name))
        });
        if let (true, Some(variable)) = (shown, variable) {
            let message = format!(
                "the model is shown {{{variable}}} literally; remove \"{name}\" from the \
                 properties to hide it"
            );
            report.add_finding(
                &tool.entry,
                option_pointer(&[keys::ARGS, keys::DEFAULTS, name]),
                message,
            );
        }
    }
}

pub(crate) fn timeout_ineffective(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for key in [keys::SUSPEND_TIMEOUT, keys::TIMEOUT] {
        let seconds = tool_options(tool).get(key).and_then(Value::as_f64);
        if seconds.is_some_and(|seconds| seconds > 0.0 && seconds <= WAITED) {
            let message = format!(
                "it has no effect: a worker waits at least {WAITED} seconds, and this can only \
                make it longer"
            );
            report
                .add_finding(&tool.entry, option_pointer(&[key]), message)
                .fix_remove("remove it");
        }
    }
}

fn jina_options(tool: &Tool) -> Option<(&'static str, &Map<String, Value>)> {
    [keys::JINA, keys::OPENAPI]
        .into_iter()
        .find_map(|key| Some((key, tool_options(tool).get(key)?.as_object()?)))
}

pub(crate) fn jina_host(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some((key, own)) = jina_options(tool) else { return };
    let Some(address) = own.get("base_url").and_then(Value::as_str) else { return };
    let host = jina::url_host(address);
    let mode = own.get("mode").and_then(Value::as_str);
    let wanted = match mode {
        Some("search") => HOSTS[0],
        Some(_) => HOSTS[1],
        None if HOSTS.contains(&host.as_str()) => return,
        None => HOSTS[0],
    };
    if host != wanted {
        let message = format!(
            "the Jina service reaches {} only (search) and {} (reader); \"{host}\" is refused when it is called",
            HOSTS[0], HOSTS[1]
        );
        let found = report.add_finding(&tool.entry, option_pointer(&[key, "base_url"]), message);
        found.fix_set(format!("make it https://{wanted}"), format!("https://{wanted}"));
    }
}

pub(crate) fn jina_key_in_query(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some((_, own)) = jina_options(tool) else { return };
    if !own.get("method").and_then(Value::as_str).unwrap_or("GET").eq_ignore_ascii_case("GET") {
        return;
    }
    for name in merge::environment_variables(tool_options(tool)).keys() {
        let message = format!(
            "\"{name}\" becomes part of the request's URL; name the key for the service's header \
            in auth_env"
        );
        report
            .add_finding(&tool.entry, option_pointer(&[keys::ENVS, name]), message)
            .fix_remove("remove it");
    }
}
