//! Gives a tool another gate: which members of its entry change, and to what.

use serde_json::{Map, Value};

use super::{descriptor::states_key, keys};
use crate::{
    model::{
        context::{Mode, Name},
        finding::EntryEdit,
        tool::{Gate, States, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// The edits after which the tool reads as having this gate; none where it has it already. What
/// already says so stays as it is written.
#[must_use]
pub(crate) fn gate_edits(tool: &Tool, to: &Gate, mode: Mode) -> Vec<EntryEdit> {
    let members = changed_members(&tool.entry.value, &tool.gate, to, mode);
    let edit = |(key, value): (&str, Option<Value>)| {
        let at = Pointer::root().child(key);
        let edit = match value {
            Some(value) => Edit::Set { at, to: value.into() },
            None => Edit::Remove { at },
        };
        EntryEdit { entry: tool.id().clone(), edit }
    };
    members.into_iter().map(edit).collect()
}

/// A new entry's value with a gate.
#[must_use]
pub(crate) fn add_gate(mut value: Value, gate: &Gate) -> Value {
    let members = changed_members(&value, &Gate::open(), gate, Mode::Document);
    if let Value::Object(object) = &mut value {
        object.extend(
            members
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?)))
                .collect::<Map<_, _>>(),
        );
    }
    value
}

/// The members that change, and their new values; `None`: the member goes.
fn changed_members(
    value: &Value,
    now: &Gate,
    to: &Gate,
    mode: Mode,
) -> Vec<(&'static str, Option<Value>)> {
    let mut changed = Vec::new();
    if now.groups != to.groups {
        changed.push((
            keys::GROUP,
            to.groups.as_deref().map(|names| name_array(value.get(keys::GROUP), names)),
        ));
    }
    if now.next != to.next {
        changed.push((keys::STATE, to.next.as_ref().map(|next| Value::from(&**next))));
    }
    if now.states != to.states {
        // Where both spellings stand and count, both say the same afterwards.
        let counted: &[&'static str] = match mode {
            Mode::Document => &[keys::STATES_DEPLOYED, keys::STATES_DOCUMENT],
            Mode::AsDeployed => &[keys::STATES_DEPLOYED],
        };
        let mut given: Vec<&'static str> =
            counted.iter().copied().filter(|key| value.get(*key).is_some()).collect();
        if given.is_empty() && matches!(to.states, States::Only(_)) {
            given.push(states_key(value, mode));
        }
        for key in given {
            let states = match &to.states {
                States::Every => None,
                States::Only(names) => Some(name_array(value.get(key), names)),
            };
            changed.push((key, states));
        }
    }
    changed.retain(|(key, to)| to.is_some() || value.get(*key).is_some());
    changed
}

/// The names as a list; what was no name in the list before stays at its end, since it is not ours
/// to drop.
fn name_array(before: Option<&Value>, names: &[Name]) -> Value {
    let odd = before
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|item| !item.is_string())
        .cloned();
    names.iter().map(|name| Value::from(&**name)).chain(odd).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::Arc;

    use super::*;
    use crate::{
        model::entry::FileId,
        syntax::source::{Format, Source},
        systems::read,
    };

    fn tool(file: &FileId, source: &Source, mode: Mode) -> Arc<Tool> {
        read::read_catalog([(file, source)], mode).tools.remove(0)
    }

    fn text_after(format: Format, text: &str, to: &Gate, mode: Mode) -> String {
        let file = FileId::new(if format == Format::Yaml { "t.yaml" } else { "t.json" });
        let mut source = Source::parse(format, text).unwrap();
        for EntryEdit { entry, edit } in gate_edits(&tool(&file, &source, mode), to, mode) {
            source = source.apply(0, &edit.with_prefix(&entry.place().at)).unwrap().0;
        }
        // Whether the set loads is another matter.
        assert_eq!(&tool(&file, &source, mode).gate.to_declared(), to, "{}", source.text());
        source.text().to_string()
    }

    const YAML: &str = "tool:\n  a:\n    type: prompt\n    name: a # its name\n    group: [x, 3]\n    available_in_states: [s] # here\n";

    #[test]
    fn only_the_lines_of_what_changes_are_changed() {
        let gate = Gate {
            groups: Some(vec!["x".into(), "y".into()]),
            states: States::Only(vec!["s".into(), "t".into()]),
            next: None,
            ..Gate::open()
        };
        let after = text_after(Format::Yaml, YAML, &gate, Mode::Document);
        assert_eq!(after, YAML.replace("[x, 3]", "[x, y, 3]").replace("[s]", "[s, t]"));
        let same = Gate {
            groups: Some(vec!["x".into()]),
            states: States::Only(vec!["s".into()]),
            next: None,
            ..Gate::open()
        };
        assert_eq!(text_after(Format::Yaml, YAML, &same, Mode::Document), YAML);
    }

    #[test]
    fn as_deployed_the_other_spelling_is_left_alone() {
        let gate = Gate {
            groups: Some(vec!["x".into()]),
            states: States::Only(vec!["t".into()]),
            next: None,
            ..Gate::open()
        };
        let after = text_after(Format::Yaml, YAML, &gate, Mode::AsDeployed);
        assert!(
            after.contains("available_in_states: [s] # here\n")
                && after.contains("applicable-states:"),
            "{after}"
        );
    }

    #[test]
    fn a_new_entry_has_its_gate() {
        let gate = Gate {
            groups: None,
            states: States::Only(vec!["s".into()]),
            next: Some("t".into()),
            ..Gate::open()
        };
        let wanted = json!({"type": "prompt", "state": "t", "applicable-states": ["s"]});
        assert_eq!(add_gate(json!({"type": "prompt"}), &gate), wanted);
        assert_eq!(add_gate(json!({"type": "prompt"}), &Gate::open()), json!({"type": "prompt"}));
    }

    fn names() -> impl Strategy<Value = Vec<Name>> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "undefined", "d: e"]), 0..4)
            .prop_map(|names| names.into_iter().map(Name::from).collect())
    }

    fn gate() -> impl Strategy<Value = Gate> {
        let states = prop_oneof![Just(States::Every), names().prop_map(States::Only)];
        let next = prop::option::of(prop::sample::select(vec!["a", "b"]).prop_map(Name::from));
        (prop::option::of(names()), states, next).prop_map(|(groups, states, next)| Gate {
            groups,
            states,
            next,
            ..Gate::open()
        })
    }

    fn written() -> impl Strategy<Value = Value> {
        let list = prop_oneof![
            Just(Value::Null),
            Just(json!("a")),
            Just(json!(3)),
            Just(json!(["*"])),
            Just(json!(["a", 1, "b", "a"])),
            Just(json!([])),
        ];
        let member = |key: &'static str, list: BoxedStrategy<Value>| {
            prop::option::of(list).prop_map(move |value| (key, value))
        };
        (
            member("group", list.clone().boxed()),
            member("available_in_states", list.clone().boxed()),
            member("applicable-states", list.boxed()),
            member("state", prop_oneof![Just(json!("")), Just(json!("a")), Just(json!(1))].boxed()),
        )
            .prop_map(|(group, one, other, state)| {
                let mut tool = json!({"type": "prompt", "name": "a", "description": "d"});
                for (key, value) in [group, one, other, state] {
                    if let Some(value) = value {
                        tool[key] = value;
                    }
                }
                json!({"tool": {"a": tool}})
            })
    }

    proptest! {
        #[test]
        fn whatever_is_written_reads_as_wanted_afterwards(value in written(), to in gate(), deployed: bool) {
            let mode = if deployed { Mode::AsDeployed } else { Mode::Document };
            let text = serde_json::to_string_pretty(&value).unwrap();
            text_after(Format::Json, &text, &to, mode);
        }
    }
}
