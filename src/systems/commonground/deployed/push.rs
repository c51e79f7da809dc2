//! What sending the workspace's definitions changes in a project.

use std::collections::BTreeSet;

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
            push::{Absent, Change, Push},
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
/// When a name stands twice.
pub fn plan(catalog: &Catalog, there: &[Item], absent: Absent) -> Result<Push, Problem> {
    let entries: Vec<&Entry> = catalog.entries().filter(|entry| entry.system == keys::SYSTEM).collect();
    let mut push = Push {
        system: keys::SYSTEM,
        changes: Vec::new(),
        notes: Vec::new(),
        after: Vec::new(),
        loads: Ok(entries.len()),
        reload: false,
    };
    let mut seen = BTreeSet::new();
    for entry in &entries {
        let key = entry.key.trim();
        if !seen.insert(key) {
            let cause = format!("tool {key} stands twice, the second time in {}:{}", entry.id.file(), entry.line);
            return Err(
                Problem::new(ProblemKind::Input, "comparing with CommonGround", cause).remedy("give one of them another name")
            );
        }
        let value = rules::stored(&entry.value);
        let old = there.iter().find(|item| item.key == key);
        let same = old.is_some_and(|old| old.value().as_ref() == Some(&value));
        let text = value.to_string();
        if !same {
            let before = old.map(|old| old.text.clone());
            push.changes.push(Change { section: SECTION, key: key.to_owned(), before, after: Some(text.clone()) });
        }
        push.after.push(Item { system: keys::SYSTEM, section: SECTION, key: key.to_owned(), text });
    }
    let mut left = Vec::new();
    for item in there.iter().filter(|item| !seen.contains(item.key.as_str())) {
        if absent == Absent::Keep || is_own(&item.key) {
            left.extend((absent == Absent::Delete).then_some(item.key.as_str()));
            push.after.push(item.clone());
            continue;
        }
        push.changes.push(Change { section: SECTION, key: item.key.clone(), before: Some(item.text.clone()), after: None });
    }
    if !left.is_empty() {
        push.notes.push(format!("CommonGround's own tools stay there: {}.", left.join(", ")));
    }
    if let Some(cause) = refused(&entries) {
        push.loads = Err(cause);
    }
    Ok(push)
}

/// The first thing for which the API would refuse one of them: it takes them one after another, so all are looked at before. They are sent
/// as JSON, so that nothing reads otherwise than it is meant.
fn refused(entries: &[&Entry]) -> Option<String> {
    entries.iter().find_map(|entry| {
        let read = Reading { value: (*entry.value).clone(), oddities: Vec::new() };
        let refusal = rules::refusals(&read).into_iter().next()?;
        let field = refusal.field.map_or_else(String::new, |field| format!("{}: ", field.name));
        Some(format!("{} in {}:{}: the API would refuse it: {field}{}", entry.key, entry.id.file(), entry.line, refusal.text))
    })
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

    const LAMP: &str =
        "tool_name: lamp\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.lamp.switch\nafter_execution: suspend\n";

    fn pushed(ours: &str, there: &[Item], absent: Absent) -> Result<Push, Problem> {
        let source = Source::parse(Format::Yaml, ours).unwrap();
        plan(&read::catalog([(&FileId::new("t.yaml"), &source)], Mode::Document), there, absent)
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
        let there = rows::read(&json!([row, other, own]));
        assert!(names(&pushed(LAMP, &there, Absent::Keep).unwrap()).is_empty());
        let push = pushed(LAMP, &there, Absent::Delete).unwrap();
        assert_eq!(names(&push), ["-old"]);
        assert!(push.notes[0].contains("skills.load"));
        assert_eq!(names(&pushed(LAMP, &[], Absent::Keep).unwrap()), ["+lamp"]);
    }

    #[test]
    fn what_the_api_would_refuse_is_not_begun() {
        for (from, to, about) in [
            ("tool_name: lamp", "tool_name: fork_join", "reserved"),
            ("suspend", "Suspend", "after_execution"),
            (".cmd.tool.", ".cmd.sys.", "external"),
        ] {
            let told = pushed(&LAMP.replace(from, to), &[], Absent::Keep).unwrap().loads.unwrap_err();
            assert!(told.contains(about), "{told}");
        }
        assert!(pushed(&format!("{LAMP}---\n{LAMP}"), &[], Absent::Keep).is_err());
    }
}
