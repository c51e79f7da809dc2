//! What sending the workspace's definitions changes in a project.

use std::collections::BTreeSet;

use serde_json::Value;

use super::rows::SECTION;
use crate::{
    model::{
        catalog::Catalog,
        entry::Entry,
        problem::{Problem, ProblemKind},
    },
    syntax::python::Reading,
    systems::{
        commonground::{keys, rules},
        deployed::{
            item::Item,
            push::{AbsentEntries, Change, Push},
        },
    },
};

/// What every project has from its beginning.
pub(super) fn is_own(name: &str) -> bool {
    name == "emit_marker" || name.starts_with("skills.")
}

/// What sending the catalog's definitions changes, where `there` is what the project has.
///
/// # Errors
/// When a name is twice.
pub(crate) fn plan_push(
    catalog: &Catalog,
    there: &[Item],
    absent: AbsentEntries,
) -> Result<Push, Problem> {
    let entries: Vec<&Entry> =
        catalog.entries().filter(|entry| entry.system == keys::SYSTEM).collect();
    let mut push = Push { loads: Ok(entries.len()), ..Push::empty(keys::SYSTEM) };
    let mut seen = BTreeSet::new();
    for entry in &entries {
        let key = entry.key.trim();
        if !seen.insert(key) {
            let cause = format!(
                "tool {key} is defined twice, the second time in {}:{}",
                entry.id.file(),
                entry.line
            );
            return Err(Problem::new(ProblemKind::Input, "comparing with CommonGround", cause)
                .with_remedy("give one of them another name"));
        }
        let value = rules::stored_row(&entry.value);
        let old = there.iter().find(|item| item.key == key);
        let same = old.is_some_and(|old| old.parse_value().as_ref() == Some(&value));
        let text = value.to_string();
        if !same {
            // The API keeps no order of members, so that its own would show as a change.
            let before = old.map(|old| {
                old.parse_value()
                    .map_or_else(|| old.text.clone(), |old| ordered_like(&old, &value).to_string())
            });
            push.changes.push(Change {
                section: SECTION,
                key: key.to_owned(),
                before,
                after: Some(text.clone()),
            });
        }
        push.after.push(Item { system: keys::SYSTEM, section: SECTION, key: key.to_owned(), text });
    }
    let mut left = Vec::new();
    for item in there.iter().filter(|item| !seen.contains(item.key.as_str())) {
        if absent == AbsentEntries::Keep || is_own(&item.key) {
            left.extend((absent == AbsentEntries::Delete).then_some(item.key.as_str()));
            push.after.push(item.clone());
            continue;
        }
        push.changes.push(Change {
            section: SECTION,
            key: item.key.clone(),
            before: Some(item.text.clone()),
            after: None,
        });
    }
    if !left.is_empty() {
        push.notes.push(format!("CommonGround's own tools stay there: {}.", left.join(", ")));
    }
    push.notes.extend(refusal_messages(&entries));
    Ok(push)
}

/// A value with its members in the order of another's, wherever both have them; the rest follows.
fn ordered_like(value: &Value, like: &Value) -> Value {
    match (value, like) {
        (Value::Object(members), Value::Object(wanted)) => {
            let shared = wanted
                .iter()
                .filter_map(|(name, like)| Some((name, ordered_like(members.get(name)?, like))));
            let rest = members
                .iter()
                .filter(|(name, _)| !wanted.contains_key(*name))
                .map(|(name, value)| (name, value.clone()));
            Value::Object(shared.chain(rest).map(|(name, value)| (name.clone(), value)).collect())
        }
        (Value::Array(items), Value::Array(wanted)) => items
            .iter()
            .enumerate()
            .map(|(row, item)| {
                wanted.get(row).map_or_else(|| item.clone(), |like| ordered_like(item, like))
            })
            .collect(),
        _ => value.clone(),
    }
}

/// What the API would refuse, each in a sentence. It takes definitions one after another, and what
/// it refuses keeps nothing else back. They are sent as JSON, so that nothing reads otherwise than
/// it is meant.
fn refusal_messages(entries: &[&Entry]) -> Vec<String> {
    let told = |entry: &&Entry| {
        let read = Reading { value: (*entry.value).clone(), oddities: Vec::new() };
        let refusal = rules::refusals(&read).into_iter().next()?;
        let field = refusal.field.map_or_else(String::new, |field| format!("{}: ", field.name));
        Some(format!(
            "{} in {}:{}: the API would reject it: {field}{}",
            entry.key,
            entry.id.file(),
            entry.line,
            refusal.text
        ))
    };
    entries.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::{commonground::deployed::rows, read},
    };

    const LAMP: &str = "tool_name: lamp\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch\nafter_execution: suspend\n";

    fn pushed(ours: &str, there: &[Item], absent: AbsentEntries) -> Result<Push, Problem> {
        let source = Source::parse(Format::Yaml, ours).unwrap();
        plan_push(
            &read::read_catalog([(&FileId::new("t.yaml"), &source)], Mode::Document),
            there,
            absent,
        )
    }

    fn names(push: &Push) -> Vec<String> {
        push.changes.iter().map(|change| format!("{}{}", change.sign(), change.key)).collect()
    }

    #[test]
    fn what_the_api_fills_in_and_reorders_is_no_change() {
        let row = json!({"project_id": "p", "options": {}, "parameters": {}, "description": null, "after_execution": "suspend",
            "target_subject": "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch", "tool_name": "lamp"});
        let other = json!({"tool_name": "old", "target_subject": "x"});
        let own = json!({"tool_name": "skills.load", "target_subject": "x"});
        let there = rows::read_items(&json!([row, other, own]));
        assert!(names(&pushed(LAMP, &there, AbsentEntries::Keep).unwrap()).is_empty());
        let push = pushed(LAMP, &there, AbsentEntries::Delete).unwrap();
        assert_eq!(names(&push), ["-old"]);
        assert!(push.notes[0].contains("skills.load"));
        assert_eq!(names(&pushed(LAMP, &[], AbsentEntries::Keep).unwrap()), ["+lamp"]);
    }

    #[test]
    fn only_what_differs_shows_as_a_change() {
        let ours = format!(
            "{LAMP}parameters:\n  type: object\n  properties:\n    mode: {{type: string}}\n    at: {{type: integer}}\n"
        );
        let row = json!({"parameters": {"properties": {"at": {"type": "number"}, "mode": {"type": "string"}}, "type": "object"},
            "target_subject": "cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch", "after_execution": "suspend", "tool_name": "lamp"});
        let push = pushed(&ours, &rows::read_items(&json!([row])), AbsentEntries::Keep).unwrap();
        let [before, after] = push.changes[0].redacted_texts(None);
        let lines = crate::engine::diff::diff_lines(&before, &after);
        let changed: Vec<_> = lines
            .iter()
            .filter(|line| line.kind != crate::engine::diff::LineKind::Same)
            .map(|line| line.text.trim())
            .collect();
        assert_eq!(changed, ["\"type\": \"number\"", "\"type\": \"integer\""], "{before}{after}");
        let rest = ordered_like(
            &json!({"b": [{"y": 1, "x": 2}, 3], "own": 0, "a": 1}),
            &json!({"a": 0, "b": [{"x": 0, "y": 0}]}),
        );
        assert_eq!(rest.to_string(), r#"{"a":1,"b":[{"x":2,"y":1},3],"own":0}"#);
    }

    #[test]
    fn what_the_api_would_refuse_is_said_and_keeps_nothing_back() {
        for (from, to, about) in [
            ("tool_name: lamp", "tool_name: fork_join", "reserved"),
            ("suspend", "Suspend", "after_execution"),
            (".cmd.tool.", ".cmd.sys.", "external"),
        ] {
            let push = pushed(&LAMP.replace(from, to), &[], AbsentEntries::Keep).unwrap();
            assert!(push.notes[0].contains(about) && push.changes.len() == 1, "{push:?}");
        }
        assert!(pushed(&format!("{LAMP}---\n{LAMP}"), &[], AbsentEntries::Keep).is_err());
    }
}
