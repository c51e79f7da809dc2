//! Placeholders that are not what they seem.

use super::each::{own_steps, own_templates};
use crate::{
    engine::lint::{check::Report, context::LintContext},
    model::entry::Entry,
    systems::opensearch::{
        connector::body::quoted_null_names,
        keys,
        steps::plan::{is_dynamic, templates_of},
        template::{
            marks::{DEFAULT_MARK, PARAMETERS, SUFFIX},
            parse::find_placeholders,
            render::{RenderError, render_template},
            text_map::text_of,
        },
    },
};

/// What stands between `${` and `}` without a prefix: letters, digits, underscores and dots.
fn bare_names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices("${") {
        let inside = &text[at + 2..];
        let Some(length) = inside.find(SUFFIX) else { continue };
        let name = inside[..length].split(DEFAULT_MARK).next().unwrap_or_default();
        let is_word = !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
        if is_word && !text[..at].ends_with('$') && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn missing_prefix(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let mut mended = template.text.clone();
        let names = bare_names(&template.text);
        for name in &names {
            mended = mended
                .replace(&format!("${{{name}}}"), &format!("{PARAMETERS}{name}}}"))
                .replace(&format!("${{{name}:-"), &format!("{PARAMETERS}{name}:-"));
        }
        if let Some(first) = names.first() {
            let words = format!(
                "${{{first}}} is sent as it stands: a placeholder is ${{parameters.{first}}}"
            );
            report
                .add_finding(entry, template.at, words)
                .fix_set("write parameters. before the names", serde_json::Value::from(mended));
        }
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
        let words =
            format!("\"{}\" is the whole name; a default stands behind :-", placeholder.name);
        let mut mended = template.text.clone();
        mended
            .replace_range(placeholder.range.clone(), &format!("{PARAMETERS}{name}:-{default}}}"));
        report
            .add_finding(entry, template.at, words)
            .fix_set(format!("make {default} the default"), serde_json::Value::from(mended));
    }
}

pub(super) fn blank_name(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let found = find_placeholders(&template.text, PARAMETERS);
        let Some(placeholder) = found.iter().find(|found| found.name != found.name.trim()) else {
            continue;
        };
        let words = format!("the blanks in \"{}\" are part of the name", placeholder.name);
        let default = placeholder.default.map_or_else(String::new, |text| format!(":-{text}"));
        let mut mended = template.text.clone();
        let whole = format!("{PARAMETERS}{}{default}}}", placeholder.name.trim());
        mended.replace_range(placeholder.range.clone(), &whole);
        report
            .add_finding(entry, template.at, words)
            .fix_set("take the blanks out", serde_json::Value::from(mended));
    }
}

pub(super) fn nested(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for template in own_templates(entry) {
        let found = find_placeholders(&template.text, PARAMETERS);
        let is_nested = found.iter().any(|found| {
            found.name.contains("${") || found.default.is_some_and(|text| text.contains("${"))
        });
        if is_nested {
            let words = "a placeholder stands within another: the first } ends the outer one";
            report.add_finding(entry, template.at, words);
        }
    }
}

pub(super) fn null_text(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for step in own_steps(entry).iter().filter(|step| is_dynamic(&step.spec)) {
        let Some(body) = text_of(&step.spec.parameters, keys::REQUEST_BODY) else { continue };
        let names = quoted_null_names(body);
        if names.is_empty() {
            continue;
        }
        let mut mended = body.to_owned();
        for name in &names {
            let bare = format!("{PARAMETERS}{name}:-null}}");
            mended = mended.replace(&format!("\"{bare}\""), &bare);
        }
        let words = format!("without a value {} is the text \"null\", not null", names.join(", "));
        report.add_finding(entry, step.parameter(keys::REQUEST_BODY), words).fix_set(
            "take the quotes away: null then, and values bring their own quotes",
            serde_json::Value::from(mended),
        );
    }
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
