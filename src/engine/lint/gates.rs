//! Groups, and names that do not match though they look alike.

use std::collections::BTreeMap;

use super::{
    check::{Report, did_you_mean},
    context::{LintContext, listed_states},
};
use crate::{
    engine::workflow::similar::{Names, fold_name},
    model::{
        context::{ANY, Name},
        tool::Tool,
    },
    syntax::edit::Edit,
};

pub(crate) fn no_group(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if tool.gate.groups.as_ref().is_some_and(Vec::is_empty) {
        let place = context.gate_place(tool);
        let found = report.add_finding(
            place.entry,
            place.member(tool.keys.groups),
            place.message("it is in no group: only a request for \"*\" gets it"),
        );
        let without = if tool.gate_table.is_some() {
            "remove the list: available to every request"
        } else {
            "remove the list: in the group \"default\""
        };
        found.fix_remove(without);
    }
}

pub(crate) fn wildcard_group(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if tool.gate.groups.iter().flatten().any(|group| &**group == ANY) {
        let message = "\"*\" among a tool's groups is a group of that name: only a request for \"*\" matches it";
        let place = context.gate_place(tool);
        report.add_finding(place.entry, place.name(tool.keys.groups, ANY), place.message(message));
    }
}

pub(crate) fn comma_in_group(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for group in tool.gate.groups.iter().flatten().filter(|group| group.contains(',')) {
        let parts: Vec<&str> =
            group.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let place = context.gate_place(tool);
        let at = place.name(tool.keys.groups, group);
        let found = report.add_finding(
            place.entry,
            at.clone(),
            place.message(format!("\"{group}\" is one group, comma included")),
        );
        let (Some((first, rest)), Some(index), Some(list)) =
            (parts.split_first(), at.last_index(), at.parent())
        else {
            continue;
        };
        let set = Edit::Set { at: at.clone(), to: (*first).into() };
        let inserts = rest.iter().enumerate().map(|(step, part)| Edit::Insert {
            at: list.item(index + 1 + step),
            item: (*part).into(),
        });
        found.fix_edits(
            format!("split into {} groups", parts.len()),
            std::iter::once(set).chain(inserts),
        );
    }
}

pub(crate) fn surrounding_blanks(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (key, name) in gate_names(tool).filter(|(_, name)| name.trim() != &***name) {
        let message = format!("\"{name}\" starts or ends with a space, and names match exactly");
        let place = context.gate_place(tool);
        report
            .add_finding(place.entry, place.name(key, name), place.message(message))
            .safely()
            .fix_set("trim the spaces", name.trim());
    }
}

/// The group and state names of a tool, with the member each is in.
fn gate_names(tool: &Tool) -> impl Iterator<Item = (&'static str, &Name)> {
    let groups = tool.gate.groups.iter().flatten().map(|name| (tool.keys.groups, name));
    let states = listed_states(tool).iter().map(|name| (tool.keys.states, name));
    groups.chain(states).chain(tool.gate.next.iter().map(|name| (tool.keys.next, name)))
}

pub(crate) fn near_duplicates(context: &LintContext<'_>, report: &mut Report<'_>) {
    let (groups, states) = (rarer_spellings(&context.groups), rarer_spellings(&context.states));
    if groups.is_empty() && states.is_empty() {
        return;
    }
    for tool in &context.catalog.tools {
        for (key, name) in gate_names(tool) {
            let (kind, rarer) =
                if key == tool.keys.groups { ("group", &groups) } else { ("state", &states) };
            if let Some(usual) = rarer.get(&**name) {
                let message =
                    format!("the {kind} \"{name}\" is not \"{usual}\": names match exactly");
                let place = context.gate_place(tool);
                report
                    .add_finding(place.entry, place.name(key, name), place.message(message))
                    .fix_set(format!("change to \"{usual}\""), *usual);
            }
        }
    }
}

/// Names that look like another, with the one that is used most; of equals the first.
fn rarer_spellings<'c>(counts: &BTreeMap<&'c str, usize>) -> BTreeMap<&'c str, &'c str> {
    let mut alike: BTreeMap<String, Vec<(&'c str, usize)>> = BTreeMap::new();
    for (name, count) in counts {
        alike.entry(fold_name(name)).or_default().push((name, *count));
    }
    let mut rarer = BTreeMap::new();
    for names in alike.into_values().filter(|names| names.len() > 1) {
        let Some((usual, _)) =
            names.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })
        else {
            continue;
        };
        // What differs by outer spaces alone has a check of its own.
        let others = names.iter().map(|(name, _)| *name).filter(|name| name.trim() != usual.trim());
        rarer.extend(others.map(|name| (name, usual)));
    }
    rarer
}

/// How many letters a group's name has at least where one of them may be a slip: short names differ
/// in one letter on purpose.
const LETTERS_OF_SLIP: usize = 5;

pub(crate) fn near_groups(context: &LintContext<'_>, report: &mut Report<'_>) {
    let of_several = context.groups.iter().filter(|(_, count)| **count > 1);
    let of_several = Names::from_names(of_several.map(|(name, _)| *name));
    let is_alone = |name: &str| context.groups.get(name) == Some(&1);
    for tool in &context.catalog.tools {
        for group in tool.gate.groups.iter().flatten().filter(|group| is_alone(group)) {
            let near = of_several.one_edit_away(group).filter(|near| is_slip(group, near));
            let Some(near) = near else { continue };
            let message = format!("no other tool is in \"{group}\"{}", did_you_mean(Some(near)));
            let place = context.gate_place(tool);
            report
                .add_finding(
                    place.entry,
                    place.name(tool.keys.groups, group),
                    place.message(message),
                )
                .fix_set(format!("change to \"{near}\""), near);
        }
    }
}

/// Whether a name that is one edit away is likely to be the same one: numbered names are not, and
/// what differs in case, spaces or dashes has a check of its own.
fn is_slip(name: &str, near: &str) -> bool {
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    name.chars().count() >= LETTERS_OF_SLIP
        && digits(name) == digits(near)
        && fold_name(name) != fold_name(near)
}

/// Words that name reading.
const READING: &[&str] = &["read", "reader", "readers", "readonly", "view", "viewer", "viewers"];
/// Words that name changing things.
const WRITING: &[&str] = &[
    "write",
    "writer",
    "update",
    "delete",
    "remove",
    "create",
    "insert",
    "drop",
    "modify",
    "edit",
    "set",
    "put",
    "reset",
    "purge",
    "destroy",
    "overwrite",
    "truncate",
    "revoke",
    "grant",
];

pub(crate) fn write_reachable(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(groups) = tool.gate.groups.as_ref() else { return };
    let Some(reading) = groups.iter().find(|group| has_word(group, READING)) else { return };
    let writing = groups
        .iter()
        .find(|group| has_word(group, WRITING))
        .map(|group| format!("is also in \"{group}\""));
    let writing = writing.or_else(|| {
        has_word(&tool.name, WRITING).then(|| {
            "seems to change data, by its \
            name"
                .to_owned()
        })
    });
    if let Some(writing) = writing {
        let message = format!("a request for \"{reading}\" gets this tool, which {writing}");
        let place = context.gate_place(tool);
        let found = report.add_finding(
            place.entry,
            place.name(tool.keys.groups, reading),
            place.message(message),
        );
        if groups.len() > 1 {
            found.fix_remove(format!("remove it from \"{reading}\""));
        }
    }
}

/// Whether one of a name's words is in a list; `read-only`, `readOnly` and `read_only` have the
/// word `read`.
fn has_word(name: &str, words: &[&str]) -> bool {
    let mut word = String::new();
    let mut last_small = false;
    for letter in name.chars().chain([' ']) {
        let new = !letter.is_alphanumeric() || (letter.is_uppercase() && last_small);
        if new {
            if words.contains(&word.as_str()) {
                return true;
            }
            word.clear();
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        last_small = letter.is_lowercase();
    }
    false
}
