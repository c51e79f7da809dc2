//! Where the files that are no descriptors name a state, a group or a tool: the workspace's
//! settings, its scenarios and its test cases.

use serde_json::Value;

use super::{
    case::{ask::AskCase, script::Case},
    scenario::script::Scenario,
};
use crate::schema::pointer::Pointer;

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    State,
    Group,
    /// A tool, by its key.
    Tool,
}

/// What a file is, of those that name states and groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    Settings,
    Scenario,
    /// A test case that is a call.
    CallCase,
    /// A test case that is a question to a model.
    AskCase,
    /// A stub: its members have the keys of tools or services.
    Stub,
}

impl Naming {
    /// Whether a value is a scenario, a case or a stub; settings are known by their file's name.
    #[must_use]
    pub fn of_test(value: &Value) -> Option<Self> {
        if Case::is_one(value) {
            return Some(Self::CallCase);
        }
        if AskCase::is_one(value) {
            return Some(Self::AskCase);
        }
        if stub_services(value).is_some_and(|mut services| services.all(|(_, it)| has_rules(it))) {
            return Some(Self::Stub);
        }
        Scenario::from_value(value).is_ok().then_some(Self::Scenario)
    }

    /// Paths of tokens; `*` is any one, `**` any number of them.
    fn token_paths(self, named: NameKind) -> &'static [&'static [&'static str]] {
        match (self, named) {
            (Self::Settings, NameKind::State) => &[&["states", "*"], &["context", "state"]],
            (Self::Settings, NameKind::Group) => {
                &[&["context", "groups", "*"], &["profiles", "**"], &["groups", "**"]]
            }
            (Self::Settings, NameKind::Tool) => {
                &[&["groups", "**"], &["connections", "*", "tools", "*"]]
            }
            (Self::Scenario, NameKind::Tool) => &[
                &["steps", "*", "tool"],
                &["steps", "*", "expect", "available", "*"],
                &["steps", "*", "expect", "includes", "*"],
                &["steps", "*", "expect", "hidden", "*"],
                &["steps", "*", "expect", "filtered_by_group", "*"],
                &["steps", "*", "expect", "filtered_by_state", "*"],
            ],
            (Self::Scenario, NameKind::State) => &[
                &["start", "state"],
                &["steps", "*", "expect", "before"],
                &["steps", "*", "expect", "after"],
                &["steps", "*", "expect", "state"],
            ],
            (Self::Scenario, NameKind::Group) => {
                &[&["start", "groups", "*"], &["steps", "*", "groups", "*"]]
            }
            (Self::CallCase, NameKind::Tool) => &[&["call"]],
            (Self::CallCase, NameKind::State | NameKind::Group) => &[],
            (Self::AskCase, NameKind::Tool) => &[
                &["expect", "tools"],
                &["expect", "tools", "*"],
                &["expect", "tools", "*", "call"],
                &["expect", "never", "*"],
            ],
            (Self::AskCase, NameKind::State) => &[&["state"], &["expect", "state"]],
            (Self::AskCase, NameKind::Group) => &[&["groups", "*"]],
            // Its keys name tools, not its values.
            (Self::Stub, _) => &[],
        }
    }
}

/// What a stub answers for, by key.
fn stub_services(value: &Value) -> Option<impl Iterator<Item = (&String, &Value)>> {
    let services = value.get("services")?.as_object().filter(|services| !services.is_empty())?;
    Some(services.iter())
}

fn has_rules(service: &Value) -> bool {
    service.get("rules").is_some_and(Value::is_array)
}

/// Every place of a value where the name is, in the order of the text; in a stub the member of that
/// name.
#[must_use]
pub(crate) fn find_mentions(
    value: &Value,
    naming: Naming,
    named: NameKind,
    name: &str,
) -> Vec<Pointer> {
    let mut found = Vec::new();
    if naming == Naming::Stub && named == NameKind::Tool {
        let named = stub_services(value).into_iter().flatten().filter(|(key, _)| *key == name);
        let at = Pointer::root().child("services");
        found.extend(named.map(|(key, _)| at.child(key.as_str())));
    }
    for path in naming.token_paths(named) {
        collect_mentions(value, path, &Pointer::root(), name, &mut found);
    }
    found
}

fn collect_mentions(
    value: &Value,
    path: &[&str],
    at: &Pointer,
    name: &str,
    found: &mut Vec<Pointer>,
) {
    match (path, value) {
        ([] | ["**"], Value::String(text)) if text == name => found.push(at.clone()),
        ([head, rest @ ..], Value::Object(members)) => {
            let rest = if *head == "**" { path } else { rest };
            for (key, below) in members
                .iter()
                .filter(|(key, _)| matches!(*head, "*" | "**") || *head == key.as_str())
            {
                collect_mentions(below, rest, &at.child(key.as_str()), name, found);
            }
        }
        ([head @ ("*" | "**"), rest @ ..], Value::Array(items)) => {
            let rest = if *head == "**" { path } else { rest };
            for (row, item) in items.iter().enumerate() {
                collect_mentions(item, rest, &at.item(row), name, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(value: &Value, naming: Naming, named: NameKind, name: &str) -> Vec<String> {
        find_mentions(value, naming, named, name).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn settings_and_scenarios_name_states_and_groups() {
        let settings = json!({
            "name": "a",
            "states": ["b", "a"],
            "context": {"state": "a", "groups": ["a"], "user": "a"},
            "profiles": {"a": ["a"], "bob": {"allowed-groups": ["b", "a"]}},
            "groups": {"own": ["a"], "tree": {"a": ["x"], "below": ["a"]}},
            "connections": {"a": {"tools": ["b", "a"], "servers": ["a"]}}
        });
        assert_eq!(
            places(&settings, Naming::Settings, NameKind::State, "a"),
            ["/states/1", "/context/state"]
        );
        assert_eq!(
            places(&settings, Naming::Settings, NameKind::Group, "a"),
            [
                "/context/groups/0",
                "/profiles/a/0",
                "/profiles/bob/allowed-groups/1",
                "/groups/own/0",
                "/groups/tree/below/0"
            ]
        );
        let scenario = json!({
            "name": "a",
            "start": {"groups": ["a"], "state": "a"},
            "steps": [{"tool": "a", "groups": ["b", "a"], "expect": {"state": "a", "available": ["a"]}}]
        });
        assert_eq!(Naming::of_test(&scenario), Some(Naming::Scenario));
        assert_eq!(
            places(&scenario, Naming::Scenario, NameKind::State, "a"),
            ["/start/state", "/steps/0/expect/state"]
        );
        assert_eq!(
            places(&scenario, Naming::Scenario, NameKind::Group, "a"),
            ["/start/groups/0", "/steps/0/groups/1"]
        );
        assert_eq!(
            places(&scenario, Naming::Scenario, NameKind::Tool, "a"),
            ["/steps/0/tool", "/steps/0/expect/available/0"]
        );
        assert_eq!(
            places(&settings, Naming::Settings, NameKind::Tool, "a"),
            ["/groups/own/0", "/groups/tree/below/0", "/connections/a/tools/1"]
        );
    }

    #[test]
    fn cases_name_the_tools_that_they_call() {
        let call = json!({"call": "a", "arguments": {"call": "a"}, "expect": {"contains": "a"}});
        assert_eq!(Naming::of_test(&call), Some(Naming::CallCase));
        assert_eq!(places(&call, Naming::CallCase, NameKind::Tool, "a"), ["/call"]);
        let ask = json!({"ask": "a", "state": "s", "groups": ["a", "g"], "expect": {
            "tools": ["b", "a", {"call": "a", "arguments": {"a": "a"}}], "never": ["a"],
            "state": "s", "contains": "a"
        }});
        assert_eq!(Naming::of_test(&ask), Some(Naming::AskCase));
        assert_eq!(
            places(&ask, Naming::AskCase, NameKind::Tool, "a"),
            ["/expect/tools/1", "/expect/tools/2/call", "/expect/never/0"]
        );
        assert_eq!(
            places(&ask, Naming::AskCase, NameKind::State, "s"),
            ["/state", "/expect/state"]
        );
        assert_eq!(places(&ask, Naming::AskCase, NameKind::Group, "g"), ["/groups/1"]);
        for one in [json!({"call": "a"}), json!("a"), json!(["a"])] {
            let ask = json!({"ask": "q", "expect": {"tools": one}});
            assert_eq!(places(&ask, Naming::AskCase, NameKind::Tool, "a").len(), 1, "{ask}");
        }
    }
}
