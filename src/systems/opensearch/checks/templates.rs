//! Placeholders that are not what they seem.

use std::collections::HashSet;

use serde_json::json;

use super::each::{actions, own_steps, own_templates};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::entry::Entry,
    schema::count::first_names,
    syntax::edit::Edit,
    systems::opensearch::{
        connector::body::{kept_null_names, unquote_nulls},
        keys,
        steps::plan::{is_dynamic, templates_of},
        template::{
            marks::{DEFAULT_MARK, PARAMETERS, SUFFIX},
            parse::find_placeholders,
            render::{RenderError, render_template},
            text_map::text_of,
        },
        tool::declared_schema,
    },
};

/// So many names a finding has at most.
const SHOWN: usize = 8;

/// Where names stand in `${` and `}` without a prefix: letters, digits, underscores and dashes.
fn bare_names(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    for (at, mark) in text.match_indices("${") {
        let inside = &text[at + mark.len()..];
        let Some(length) = inside.find(SUFFIX) else { break };
        let name = inside[..length].split(DEFAULT_MARK).next().unwrap_or_default();
        let is_word = !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
        if is_word && !text[..at].ends_with('$') {
            names.push((at, name));
        }
    }
    names
}

pub(super) fn missing_prefix(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let names = bare_names(&template.text);
        let Some((_, first)) = names.first() else { continue };
        let words =
            format!("${{{first}}} is sent unchanged: a placeholder is ${{parameters.{first}}}");
        let mut fixed = String::with_capacity(template.text.len());
        let mut from = 0;
        for (at, name) in &names {
            fixed.push_str(&template.text[from..*at]);
            fixed.push_str(PARAMETERS);
            fixed.push_str(name);
            from = at + "${".len() + name.len();
        }
        fixed.push_str(&template.text[from..]);
        report
            .add_finding(entry, template.at, words)
            .fix_set("write parameters. before the names", serde_json::Value::from(fixed));
    }
}

pub(super) fn unclosed(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let last = template.text.rfind(PARAMETERS);
        if last.is_some_and(|at| !template.text[at..].contains(SUFFIX)) {
            report.add_finding(entry, template.at, "the last placeholder has no }");
        }
    }
}

pub(super) fn single_colon(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let found = find_placeholders(&template.text, PARAMETERS);
        let Some(placeholder) =
            found.iter().find(|found| found.default.is_none() && found.name.contains(':'))
        else {
            continue;
        };
        let Some((name, default)) = placeholder.name.split_once(':') else { continue };
        let words = format!("\"{}\" is the whole name; a default follows :-", placeholder.name);
        let mut fixed = template.text.clone();
        fixed.replace_range(placeholder.range.clone(), &format!("{PARAMETERS}{name}:-{default}}}"));
        report
            .add_finding(entry, template.at, words)
            .fix_set(format!("make {default} the default"), serde_json::Value::from(fixed));
    }
}

pub(super) fn blank_name(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let found = find_placeholders(&template.text, PARAMETERS);
        let Some(placeholder) = found.iter().find(|found| found.name != found.name.trim()) else {
            continue;
        };
        let words = format!("the spaces in \"{}\" are part of the name", placeholder.name);
        let default = placeholder.default.map_or_else(String::new, |text| format!(":-{text}"));
        let mut fixed = template.text.clone();
        let whole = format!("{PARAMETERS}{}{default}}}", placeholder.name.trim());
        fixed.replace_range(placeholder.range.clone(), &whole);
        report
            .add_finding(entry, template.at, words)
            .safely()
            .fix_set("remove the spaces", serde_json::Value::from(fixed));
    }
}

pub(super) fn nested(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let found = find_placeholders(&template.text, PARAMETERS);
        let is_nested = found.iter().any(|found| {
            found.name.contains("${") || found.default.is_some_and(|text| text.contains("${"))
        });
        if is_nested {
            let words = "a placeholder is inside another: the first } ends the outer one";
            report.add_finding(entry, template.at, words);
        }
    }
}

pub(super) fn null_text(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in own_steps(entry).iter().filter(|step| is_dynamic(&step.spec)) {
        let Some(body) = text_of(&step.spec.parameters, keys::REQUEST_BODY) else { continue };
        let (fixed, names) = unquote_nulls(body);
        if names.is_empty() {
            continue;
        }
        let words = format!(
            "without a value {} is the text \"null\", not null",
            first_names(&names, SHOWN)
        );
        report.add_finding(entry, step.parameter(keys::REQUEST_BODY), words).fix_set(
            "remove the quotes: then it is null, and texts bring their own quotes",
            serde_json::Value::from(fixed),
        );
    }
    for (at, action) in actions(&entry.value) {
        let body = action.get(keys::REQUEST_BODY).and_then(serde_json::Value::as_str);
        let names = kept_null_names(body.unwrap_or_default());
        if names.is_empty() {
            continue;
        }
        let words = format!(
            "without a value {} is the text \"null\": null only works for names of letters, \
            digits and _",
            first_names(&names, SHOWN)
        );
        report.add_finding(entry, at.child(keys::REQUEST_BODY), words);
    }
}

/// Names that nothing gives a value, where the entry says what a model gives.
pub(super) fn no_value(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let Some(declared) = declared_schema(&entry.value) else { return };
    let own = entry.value.get(keys::PARAMETERS).and_then(serde_json::Value::as_object);
    let mut given: HashSet<String> = own.into_iter().flat_map(|own| own.keys().cloned()).collect();
    let asked = declared.get("properties").and_then(serde_json::Value::as_object);
    given.extend(asked.into_iter().flat_map(|asked| asked.keys().cloned()));
    for step in own_steps(entry) {
        given.insert(format!("{}{}", step.spec.called(), keys::OUTPUT_SUFFIX));
        for (member, template) in templates_of(&step.spec) {
            let missing = find_placeholders(template, PARAMETERS).into_iter().find(|found| {
                let name = found.name;
                found.default.is_none()
                    && !name.ends_with(keys::OUTPUT_SUFFIX)
                    && !given.contains(name)
                    && !step.spec.parameters.contains_key(name)
                    && !step.spec.config.contains_key(name)
            });
            let Some(missing) = missing else { continue };
            let near = nearest_name(missing.name, given.iter().map(String::as_str));
            let words = format!(
                "\"{}\" has no value: {} doesn't have it{}",
                missing.name,
                keys::INPUT_SCHEMA,
                did_you_mean(near)
            );
            let fixed = near.map(|near| {
                let mut fixed = template.to_owned();
                let start = missing.range.start + PARAMETERS.len();
                fixed.replace_range(start..start + missing.name.len(), near);
                (format!("name \"{near}\""), fixed)
            });
            let name = missing.name.to_owned();
            let finding = report.add_finding(entry, step.parameter(member), words);
            match fixed {
                Some((label, fixed)) => {
                    finding.fix_set(label, serde_json::Value::from(fixed));
                }
                None => {
                    if let Some(edit) = name_in_schema(&entry.value, &name) {
                        finding.fix_edits(format!("add it to {}", keys::INPUT_SCHEMA), [edit]);
                    }
                }
            }
        }
    }
}

/// The edit that makes a name one of those that a model gives, each a text.
fn name_in_schema(entry: &serde_json::Value, name: &str) -> Option<Edit> {
    let at = member_pointer(keys::ATTRIBUTES).child(keys::INPUT_SCHEMA);
    let mut schema = declared_schema(entry)?;
    let properties = schema.as_object_mut()?.entry("properties").or_insert_with(|| json!({}));
    properties.as_object_mut()?.insert(name.to_owned(), json!({"type": "string"}));
    let is_text = entry[keys::ATTRIBUTES][keys::INPUT_SCHEMA].is_string();
    let to = if is_text { schema.to_string().into() } else { schema };
    Some(Edit::Set { at, to: to.into() })
}

pub(super) fn cycle(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in own_steps(entry) {
        for (name, template) in templates_of(&step.spec) {
            let rendered = render_template(template, PARAMETERS, &step.spec.parameters);
            if let Err(error @ RenderError::Cycle { .. }) = rendered {
                report.add_finding(entry, step.parameter(name), error.message());
            }
        }
    }
}
