//! What changed between two lists of tools of a server, and how much it matters.

use serde_json::Value;

use super::annotations::HINTS;
use crate::{
    engine::drift::{self, Change, ComparedTool, Judgement, Severity, differ},
    schema::pointer::Pointer,
};

/// The changes from one list to another, by tool, id and place, as saved lists name them: what isn't
/// walked through is unclear.
#[must_use]
pub fn compare_lists(old: &[Value], new: &[Value]) -> Vec<Change> {
    drift::compare_lists(old, new, Judgement::Undecided, compare_members)
}

/// The changes of one tool; whether calls may fail is decided where it can be.
#[must_use]
pub fn compare_tools(old: &Value, new: &Value) -> Vec<Change> {
    let [old, new] = [old, new].map(std::slice::from_ref);
    drift::compare_lists(old, new, Judgement::Decided, compare_members)
}

/// Hints, tasks, icons and what servers add.
fn compare_members(tool: &mut ComparedTool<'_>, old: &Value, new: &Value) {
    let root = Pointer::root();
    for hint in HINTS {
        let at = root.child("annotations").child(hint.name);
        match (hint.effective_value(old), hint.effective_value(new)) {
            (before, after) if before == after => {}
            (_, after) if after == hint.looser => {
                tool.push_change("annotations.loosened", Severity::Trust, &at);
            }
            _ => tool.push_change("annotations.tightened", Severity::Compatible, &at),
        }
    }
    if differ(old.get("execution"), new.get("execution")) {
        let breaks = match (task_support(old), task_support(new)) {
            (before, "required") => before != "required",
            ("required", after) => after == "forbidden",
            _ => false,
        };
        let severity = if breaks { Severity::Breaking } else { Severity::Compatible };
        tool.push_change("execution.changed", severity, &root.child("execution"));
    }
    for (member, id) in [("icons", "icons.changed"), ("_meta", "meta.changed")] {
        if differ(old.get(member), new.get(member)) {
            tool.push_change(id, Severity::Compatible, &root.child(member));
        }
    }
}

fn task_support(tool: &Value) -> &str {
    let support = tool.get("execution").and_then(|execution| execution.get("taskSupport"));
    support.and_then(Value::as_str).unwrap_or("forbidden")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn told(old: &Value, new: &Value) -> Vec<String> {
        let changes = compare_lists(std::slice::from_ref(old), std::slice::from_ref(new));
        changes
            .iter()
            .map(|change| format!("{} {} {}", change.id, change.severity.as_str(), change.at))
            .collect()
    }

    fn tool(members: &Value) -> Value {
        let mut tool = json!({"name": "a"});
        for (name, value) in members.as_object().unwrap() {
            tool[name.as_str()] = value.clone();
        }
        tool
    }

    fn input(old: &Value, new: &Value) -> Vec<String> {
        told(&tool(&json!({"inputSchema": old})), &tool(&json!({"inputSchema": new})))
    }

    fn output(old: &Value, new: &Value) -> Vec<String> {
        told(&tool(&json!({"outputSchema": old})), &tool(&json!({"outputSchema": new})))
    }

    #[test]
    fn texts_that_come_go_or_change_are_told() {
        let with = |members: Value| tool(&members);
        assert_eq!(
            told(&with(json!({})), &with(json!({"title": "t"}))),
            ["text.changed trust /title"]
        );
        let annotated = with(json!({"annotations": {"title": "t"}}));
        assert_eq!(told(&annotated, &with(json!({}))), ["text.changed trust /annotations/title"]);
        let deep = |text: &str| json!({"properties": {"a": {"items": {"title": text}}}});
        assert_eq!(
            input(&deep("a"), &deep("b")),
            ["text.changed trust /inputSchema/properties/a/items/title"]
        );
        let reached = |text: &str| json!({"$defs": {"A": {"description": text}}, "items": {"$ref": "#/$defs/A"}});
        assert_eq!(
            output(&reached("a"), &reached("b")),
            ["text.changed trust /outputSchema/items/description"]
        );
        let unreached = |text: &str| json!({"$defs": {"A": {"description": text}}});
        assert_eq!(
            output(&unreached("a"), &unreached("b")),
            ["output.constraint-changed unclear /outputSchema"]
        );
    }

    #[test]
    fn hints_loosen_and_tighten() {
        for (hint, value, change) in [
            ("readOnlyHint", true, "tightened compatible"),
            ("idempotentHint", true, "tightened compatible"),
            ("destructiveHint", false, "tightened compatible"),
            ("openWorldHint", false, "tightened compatible"),
        ] {
            let (none, given) = (tool(&json!({})), tool(&json!({"annotations": {hint: value}})));
            assert_eq!(told(&none, &given), [format!("annotations.{change} /annotations/{hint}")]);
            assert_eq!(
                told(&given, &none),
                [format!("annotations.loosened trust /annotations/{hint}")]
            );
        }
    }

    #[test]
    fn what_references_lead_to_is_compared_where_it_is_used() {
        let with = |units: Value| {
            json!({"$defs": {"Units": {"enum": units}, "Place": {"properties": {"units": {"$ref": "#/$defs/Units"}}}},
                "properties": {"at": {"$ref": "#/$defs/Place"}}})
        };
        assert_eq!(
            input(&with(json!(["C", "F"])), &with(json!(["C"]))),
            ["input.enum-narrowed breaking /inputSchema/properties/at/properties/units"]
        );
        // The same schema, written where it is used, is no change.
        let written = json!({"properties": {"at": {"properties": {"units": {"enum": ["C"]}}}}});
        assert_eq!(input(&with(json!(["C"])), &written), [""; 0]);
    }

    #[test]
    fn types_are_sets() {
        let kind = |kind: Value| json!({"type": kind});
        assert_eq!(input(&kind(json!("string")), &kind(json!(["string"]))), Vec::<String>::new());
        assert_eq!(
            input(&kind(json!(["string", "null"])), &kind(json!(["null", "string"]))),
            Vec::<String>::new()
        );
        assert_eq!(
            input(&kind(json!("string")), &json!({})),
            ["input.type-widened compatible /inputSchema"]
        );
        assert_eq!(
            input(&json!({}), &kind(json!("string"))),
            ["input.type-changed breaking /inputSchema"]
        );
        assert_eq!(
            input(&kind(json!("number")), &kind(json!("integer"))),
            ["input.type-changed breaking /inputSchema"]
        );
        assert_eq!(
            output(&kind(json!("number")), &kind(json!("integer"))),
            ["output.type-narrowed compatible /outputSchema"]
        );
        assert_eq!(
            output(&json!({}), &kind(json!("object"))),
            ["output.type-narrowed compatible /outputSchema"]
        );
        assert_eq!(
            output(&kind(json!("string")), &kind(json!("object"))),
            ["output.type-changed breaking /outputSchema"]
        );
        assert_eq!(
            input(&kind(json!(["number", "integer"])), &kind(json!("number"))),
            Vec::<String>::new()
        );
    }

    #[test]
    fn enums_are_sets_and_none_allows_everything() {
        let of = |values: Value| json!({"enum": values});
        assert_eq!(input(&of(json!(["a", "b"])), &of(json!(["b", "a"]))), Vec::<String>::new());
        assert_eq!(
            input(&of(json!(["a"])), &of(json!(["a", "b"]))),
            ["input.enum-widened compatible /inputSchema"]
        );
        assert_eq!(
            input(&json!({}), &of(json!(["a"]))),
            ["input.enum-narrowed breaking /inputSchema"]
        );
        assert_eq!(
            input(&of(json!(["a"])), &json!({})),
            ["input.enum-widened compatible /inputSchema"]
        );
        assert_eq!(
            output(&of(json!(["a"])), &of(json!(["a", "b"]))),
            ["output.enum-widened breaking /outputSchema"]
        );
        assert_eq!(
            output(&of(json!(["a", "b"])), &of(json!(["a"]))),
            ["output.enum-narrowed compatible /outputSchema"]
        );
        assert_eq!(
            input(&of(json!(["a", "b"])), &of(json!(["a", "c"]))),
            [
                "input.enum-narrowed breaking /inputSchema",
                "input.enum-widened compatible /inputSchema"
            ]
        );
        assert_eq!(input(&of(json!([1])), &of(json!([1.0]))), Vec::<String>::new());
    }

    #[test]
    fn members_of_answers_matter_the_other_way_round() {
        let with =
            |members: Value, required: Value| json!({"properties": members, "required": required});
        let (none, one) = (with(json!({}), json!([])), with(json!({"n": {}}), json!(["n"])));
        assert_eq!(
            output(&none, &one),
            ["output.property-added compatible /outputSchema/properties/n"]
        );
        assert_eq!(
            output(&one, &none),
            ["output.property-removed breaking /outputSchema/properties/n"]
        );
        let optional = with(json!({"n": {}}), json!([]));
        assert_eq!(
            output(&optional, &one),
            ["output.required-added compatible /outputSchema/properties/n"]
        );
        assert_eq!(
            input(&one, &optional),
            ["input.required-removed compatible /inputSchema/properties/n"]
        );
        assert_eq!(
            input(&json!({}), &json!({"required": ["x"]})),
            ["input.required-added breaking /inputSchema/properties/x"]
        );
    }

    #[test]
    fn other_keywords_are_unclear_and_some_are_nothing() {
        let changed = |old: Value, new: Value| input(&old, &new);
        for keyword in ["$schema", "$comment", "examples"] {
            assert_eq!(changed(json!({keyword: "a"}), json!({})), Vec::<String>::new());
        }
        let unclear = ["input.constraint-changed unclear /inputSchema"];
        assert_eq!(changed(json!({"default": 1}), json!({"default": 2})), unclear);
        assert_eq!(
            changed(json!({"anyOf": [], "minimum": 1}), json!({"x-mcp-header": "A"})),
            unclear,
            "told once a place"
        );
        assert_eq!(changed(json!({}), json!({"items": {"type": "string"}})), unclear);
        assert_eq!(
            changed(json!({"items": [{}]}), json!({"items": [{"type": "string"}]})),
            unclear
        );
        assert_eq!(changed(json!({"maximum": 10}), json!({"maximum": 10.0})), Vec::<String>::new());
        let (yes, no) = (json!({"properties": {"a": true}}), json!({"properties": {"a": false}}));
        assert_eq!(
            input(&yes, &no),
            ["input.constraint-changed unclear /inputSchema/properties/a"]
        );
        assert_eq!(input(&yes, &json!({"properties": {"a": {}}})), Vec::<String>::new());
    }

    #[test]
    fn answers_tasks_icons_and_meta() {
        let (none, with) = (tool(&json!({})), tool(&json!({"outputSchema": {"type": "object"}})));
        assert_eq!(told(&none, &with), ["output.added compatible /outputSchema"]);
        assert_eq!(told(&with, &none), ["output.removed breaking /outputSchema"]);
        let tasks = |support: &str| tool(&json!({"execution": {"taskSupport": support}}));
        for (old, new, severity) in [
            (tasks("optional"), tasks("required"), "breaking"),
            (none.clone(), tasks("required"), "breaking"),
            (tasks("required"), none.clone(), "breaking"),
            (tasks("required"), tasks("forbidden"), "breaking"),
            (tasks("required"), tasks("optional"), "compatible"),
            (tasks("optional"), tasks("forbidden"), "compatible"),
        ] {
            assert_eq!(told(&old, &new), [format!("execution.changed {severity} /execution")]);
        }
        assert_eq!(told(&none, &tool(&json!({"icons": []}))), ["icons.changed compatible /icons"]);
        assert_eq!(
            told(&none, &tool(&json!({"_meta": {"a": 1}}))),
            ["meta.changed compatible /_meta"]
        );
    }

    #[test]
    fn the_order_is_told_only_where_nothing_else_changed() {
        let named =
            |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
        let ids = |old: &[&str], new: &[&str]| {
            compare_lists(&named(old), &named(new))
                .iter()
                .map(|change| (change.tool.clone(), change.id))
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&["a", "b", "c"], &["c", "a", "b"]), [("*".into(), "order.changed")]);
        assert_eq!(ids(&["a", "b"], &["b", "c", "a"]), [("c".into(), "tool.added")]);
        assert_eq!(
            ids(&["a", "a"], &["a"]),
            [("a".into(), "tool.removed")],
            "a name that two have"
        );
    }

    proptest! {
        #[test]
        fn a_list_is_like_itself(tools in prop::collection::vec(super::super::tool_findings::tests::any_json(), 0..4)) {
            prop_assert_eq!(compare_lists(&tools, &tools), []);
        }

        #[test]
        fn any_two_lists_can_be_compared(
            old in prop::collection::vec(super::super::tool_findings::tests::any_json(), 0..4),
            new in prop::collection::vec(super::super::tool_findings::tests::any_json(), 0..4),
        ) {
            let (there, back) = (compare_lists(&old, &new), compare_lists(&new, &old));
            prop_assert_eq!(there.is_empty(), back.is_empty());
        }
    }
}
