//! Subjects that the API takes and no service ever hears from.

use serde_json::Value;

use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::tool::Tool,
    systems::commonground::{
        keys,
        subject::{SUBJECT_VARIABLES, VERSION},
        template,
    },
};

/// The subject, where the API takes it.
fn subject(tool: &Tool) -> Option<&str> {
    let subject = tool.entry.value.get(keys::TARGET_SUBJECT).and_then(Value::as_str)?;
    (subject.contains(".cmd.tool.") && !subject.contains(".cmd.sys.")).then_some(subject)
}

pub(crate) fn subject_undeliverable(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(subject) = subject(tool) else { return };
    let at = || member_pointer(keys::TARGET_SUBJECT);
    let tokens: Vec<&str> = subject.split('.').collect();
    let faults = [
        subject.chars().any(char::is_whitespace).then(|| "a subject can't contain \
            spaces".to_owned()),
        tokens.contains(&"").then(|| "two dots in a row, or one at the end".to_owned()),
        tokens
            .iter()
            .any(|token| token.contains(['*', '>']))
            .then(|| "\"*\" and \">\" are for subscribing: nothing can be sent to a subject with \
                wildcards".to_owned()),
        (tokens[0] != "cg").then(|| format!("it starts with \"{}\", not \"cg\"", tokens[0])),
        (tokens.len() < 8).then(|| {
            format!(
                "it has {} parts and needs eight (…cmd.tool.TARGET.SUFFIX): no stream keeps it, sending times out",
                tokens.len()
            )
        }),
        (tokens.len() > 8)
            .then(|| format!("its suffix has {} parts; services listen for one, and never get the command", tokens.len() - 7)),
    ];
    for fault in faults.into_iter().flatten() {
        report.add_finding(&tool.entry, at(), fault);
    }
    if tokens[0] == "cg" && tokens.get(1).is_some_and(|version| *version != VERSION) {
        let message =
            format!("its version is \"{}\"; CommonGround's streams keep {VERSION} only", tokens[1]);
        let right: Vec<&str> = tokens
            .iter()
            .enumerate()
            .map(|(row, token)| if row == 1 { VERSION } else { token })
            .collect();
        report
            .add_finding(&tool.entry, at(), message)
            .fix_set(format!("make it {VERSION}"), right.join("."));
    }
}

pub(crate) fn variable_unknown(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(subject) = subject(tool) else { return };
    for name in template::variable_names(subject).filter(|name| !SUBJECT_VARIABLES.contains(name)) {
        let why = if template::is_variable(name) {
            "isn't filled in in a subject"
        } else {
            "isn't a variable"
        };
        let near = nearest_name(name, SUBJECT_VARIABLES);
        let message = format!(
            "{{{name}}} {why}: it stays as written, and no service listens there; project_id, \
            channel_id and agent_id are filled in{}",
            did_you_mean(near)
        );
        let found = report.add_finding(&tool.entry, member_pointer(keys::TARGET_SUBJECT), message);
        if let Some(near) = near {
            let right = subject.replace(&format!("{{{name}}}"), &format!("{{{near}}}"));
            found.fix_set(format!("make it {{{near}}}"), right);
        }
    }
}

pub(crate) fn subject_literal(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(subject) = subject(tool) else { return };
    let tokens: Vec<&str> = subject.split('.').collect();
    let wanted = [(2, "project", "{project_id}"), (3, "channel", "{channel_id}")];
    for (row, word, variable) in wanted {
        let Some(token) =
            tokens.get(row).filter(|token| !token.contains(['{', '*', '>']) && tokens.len() >= 8)
        else {
            continue;
        };
        let message = format!(
            "it names the {word} \"{token}\": from another one the dispatcher refuses (subject {word} mismatch)"
        );
        let right: Vec<&str> = tokens
            .iter()
            .enumerate()
            .map(|(at, token)| if at == row { variable } else { token })
            .collect();
        let found = report.add_finding(&tool.entry, member_pointer(keys::TARGET_SUBJECT), message);
        found.fix_set(format!("put {variable} there"), right.join("."));
    }
}
