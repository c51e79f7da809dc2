//! What changed between two lists of tools, and how much it matters.

use std::{collections::HashMap, sync::LazyLock};

use serde_json::{Map, Value};

use super::annotations::HINTS;
use crate::schema::{equal::values_equal, pointer::Pointer};

/// How much a change matters, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Calls, or readers of answers, may fail.
    Breaking,
    /// What was approved is not what is there.
    Trust,
    Unclear,
    Compatible,
}

impl Severity {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Trust => "trust",
            Self::Unclear => "unclear",
            Self::Compatible => "compatible",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The tool's name; `*` for the list.
    pub tool: String,
    /// Its stable id: `input.property-removed`.
    pub id: &'static str,
    pub severity: Severity,
    /// Within the tool.
    pub at: Pointer,
}

const INPUT: &str = "inputSchema";
const OUTPUT: &str = "outputSchema";

/// The changes from one list to another, by tool, id and place.
#[must_use]
pub fn compare_lists(old: &[Value], new: &[Value]) -> Vec<Change> {
    let (before, after) = (numbered_tools(old), numbered_tools(new));
    let there: HashMap<(&str, usize), &Value> = after.iter().copied().collect();
    let known: HashMap<(&str, usize), &Value> = before.iter().copied().collect();
    let mut changes = Vec::new();
    for (key, tool) in &before {
        let mut compared = Compared { tool: key.0, changes: &mut changes };
        match there.get(key) {
            Some(now) => compared.compare_tool(tool, now),
            None => compared.push_change("tool.removed", Severity::Breaking, &Pointer::root()),
        }
    }
    for (key, _) in after.iter().filter(|(key, _)| !known.contains_key(key)) {
        Compared { tool: key.0, changes: &mut changes }.push_change(
            "tool.added",
            Severity::Compatible,
            &Pointer::root(),
        );
    }
    let same_order = before.iter().zip(&after).all(|((one, _), (other, _))| one == other);
    if changes.is_empty() && !same_order {
        Compared { tool: "*", changes: &mut changes }.push_change(
            "order.changed",
            Severity::Compatible,
            &Pointer::root(),
        );
    }
    let mut keyed: Vec<_> =
        changes.into_iter().map(|change| (change.at.to_string(), change)).collect();
    keyed.sort_by(|(at, one), (there, other)| {
        (&one.tool, one.id, at).cmp(&(&other.tool, other.id, there))
    });
    keyed.into_iter().map(|(_, change)| change).collect()
}

/// Tools by name, those of one name by which of them they are.
fn numbered_tools(tools: &[Value]) -> Vec<((&str, usize), &Value)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut numbered = Vec::with_capacity(tools.len());
    for tool in tools {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        let count = seen.entry(name).or_default();
        *count += 1;
        numbered.push(((name, *count), tool));
    }
    numbered
}

/// Whose schema is looked at: what widens one side narrows the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaSide {
    Input,
    Output,
}

struct Compared<'c> {
    tool: &'c str,
    changes: &'c mut Vec<Change>,
}

impl Compared<'_> {
    fn push_change(&mut self, id: &'static str, severity: Severity, at: &Pointer) {
        self.changes.push(Change { tool: self.tool.to_owned(), id, severity, at: at.clone() });
    }

    fn compare_tool(&mut self, old: &Value, new: &Value) {
        let root = Pointer::root();
        for at in [
            root.child("title"),
            root.child("description"),
            root.child("annotations").child("title"),
        ] {
            if differ(at.get(old), at.get(new)) {
                self.push_change("text.changed", Severity::Trust, &at);
            }
        }
        for hint in HINTS {
            let at = root.child("annotations").child(hint.name);
            match (hint.effective_value(old), hint.effective_value(new)) {
                (before, after) if before == after => {}
                (_, after) if after == hint.looser => {
                    self.push_change("annotations.loosened", Severity::Trust, &at);
                }
                _ => self.push_change("annotations.tightened", Severity::Compatible, &at),
            }
        }
        self.compare_schemas(
            &root.child(INPUT),
            old.get(INPUT).unwrap_or(&ABSENT),
            new.get(INPUT).unwrap_or(&ABSENT),
            SchemaSide::Input,
        );
        let output = |tool: &'_ Value| tool.get(OUTPUT).is_some_and(|schema| !schema.is_null());
        match (output(old), output(new)) {
            (true, true) => {
                self.compare_schemas(
                    &root.child(OUTPUT),
                    &old[OUTPUT],
                    &new[OUTPUT],
                    SchemaSide::Output,
                );
            }
            (false, true) => {
                self.push_change("output.added", Severity::Compatible, &root.child(OUTPUT));
            }
            (true, false) => {
                self.push_change("output.removed", Severity::Breaking, &root.child(OUTPUT));
            }
            (false, false) => {}
        }
        if differ(old.get("execution"), new.get("execution")) {
            let breaks = match (task_support(old), task_support(new)) {
                (before, "required") => before != "required",
                ("required", after) => after == "forbidden",
                _ => false,
            };
            let severity = if breaks { Severity::Breaking } else { Severity::Compatible };
            self.push_change("execution.changed", severity, &root.child("execution"));
        }
        for (member, id) in [("icons", "icons.changed"), ("_meta", "meta.changed")] {
            if differ(old.get(member), new.get(member)) {
                self.push_change(id, Severity::Compatible, &root.child(member));
            }
        }
    }

    fn compare_schemas(&mut self, at: &Pointer, old: &Value, new: &Value, side: SchemaSide) {
        let (Some(old), Some(new)) = (keywords(old), keywords(new)) else {
            if !values_equal(old, new) {
                self.push_change(
                    side.pick_id("input.constraint-changed", "output.constraint-changed"),
                    Severity::Unclear,
                    at,
                );
            }
            return;
        };
        for keyword in ["title", "description"] {
            if differ(old.get(keyword), new.get(keyword)) {
                self.push_change("text.changed", Severity::Trust, &at.child(keyword));
            }
        }
        self.compare_types(at, old, new, side);
        self.compare_enums(at, old, new, side);
        self.compare_properties(at, old, new, side);
        self.compare_required(at, old, new, side);
        if let (Some(old), Some(new)) = (schema_of_items(old), schema_of_items(new)) {
            self.compare_schemas(&at.child("items"), old, new, side);
        }
        if old.keys().chain(new.keys()).any(|keyword| {
            is_constraint(keyword, old, new) && differ(old.get(keyword), new.get(keyword))
        }) {
            self.push_change(
                side.pick_id("input.constraint-changed", "output.constraint-changed"),
                Severity::Unclear,
                at,
            );
        }
    }

    fn compare_types(
        &mut self,
        at: &Pointer,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        side: SchemaSide,
    ) {
        let (before, after) = (allowed_types(old), allowed_types(new));
        let within = |some: &[&str], all: &[&str]| some.iter().all(|name| all.contains(name));
        let (widened, narrowed) = (within(&before, &after), within(&after, &before));
        match (side, widened, narrowed) {
            (_, true, true) => {}
            (SchemaSide::Input, true, _) => {
                self.push_change("input.type-widened", Severity::Compatible, at);
            }
            (SchemaSide::Input, ..) => {
                self.push_change("input.type-changed", Severity::Breaking, at);
            }
            (SchemaSide::Output, _, true) => {
                self.push_change("output.type-narrowed", Severity::Compatible, at);
            }
            (SchemaSide::Output, ..) => {
                self.push_change("output.type-changed", Severity::Breaking, at);
            }
        }
    }

    fn compare_enums(
        &mut self,
        at: &Pointer,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        side: SchemaSide,
    ) {
        let lacks = |all: Option<&Vec<Value>>, some: Option<&Vec<Value>>| match (all, some) {
            // No list allows everything.
            (None, _) => false,
            (Some(_), None) => true,
            (Some(all), Some(some)) => {
                some.iter().any(|value| !all.iter().any(|known| values_equal(known, value)))
            }
        };
        let (before, after) = (choices(old), choices(new));
        let (for_input, for_output) = match side {
            SchemaSide::Input => (Severity::Compatible, Severity::Breaking),
            SchemaSide::Output => (Severity::Breaking, Severity::Compatible),
        };
        if lacks(before, after) {
            self.push_change(
                side.pick_id("input.enum-widened", "output.enum-widened"),
                for_input,
                at,
            );
        }
        if lacks(after, before) {
            self.push_change(
                side.pick_id("input.enum-narrowed", "output.enum-narrowed"),
                for_output,
                at,
            );
        }
    }

    fn compare_properties(
        &mut self,
        at: &Pointer,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        side: SchemaSide,
    ) {
        let (before, after) = (property_schemas(old), property_schemas(new));
        let place = |name: &str| at.child("properties").child(name);
        for (name, schema) in before {
            match after.get(name) {
                Some(now) => self.compare_schemas(&place(name), schema, now, side),
                None => {
                    self.push_change(
                        side.pick_id("input.property-removed", "output.property-removed"),
                        Severity::Breaking,
                        &place(name),
                    );
                }
            }
        }
        for name in after.keys().filter(|name| !before.contains_key(name.as_str())) {
            if side == SchemaSide::Input && required_names(new).contains(&name.as_str()) {
                self.push_change("input.property-added-required", Severity::Breaking, &place(name));
            } else {
                self.push_change(
                    side.pick_id("input.property-added", "output.property-added"),
                    Severity::Compatible,
                    &place(name),
                );
            }
        }
    }

    /// Names that must be given, but those of members that came or went, which is reported already.
    fn compare_required(
        &mut self,
        at: &Pointer,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        side: SchemaSide,
    ) {
        let (before, after) = (required_names(old), required_names(new));
        let (added, removed) = match side {
            SchemaSide::Input => (Severity::Breaking, Severity::Compatible),
            SchemaSide::Output => (Severity::Compatible, Severity::Breaking),
        };
        let is_told = |name: &str, there: &Map<String, Value>, not_there: &Map<String, Value>| {
            there.contains_key(name) && !not_there.contains_key(name)
        };
        for name in after.iter().filter(|name| {
            !before.contains(name) && !is_told(name, property_schemas(new), property_schemas(old))
        }) {
            self.push_change(
                side.pick_id("input.required-added", "output.required-added"),
                added,
                &at.child("properties").child(*name),
            );
        }
        for name in before.iter().filter(|name| {
            !after.contains(name) && !is_told(name, property_schemas(old), property_schemas(new))
        }) {
            self.push_change(
                side.pick_id("input.required-removed", "output.required-removed"),
                removed,
                &at.child("properties").child(*name),
            );
        }
    }
}

impl SchemaSide {
    fn pick_id(self, input: &'static str, output: &'static str) -> &'static str {
        match self {
            Self::Input => input,
            Self::Output => output,
        }
    }
}

static ABSENT: Value = Value::Null;
static NO_MEMBERS: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The keywords of a schema; none where it is absent or allows anything, `None` where it is no
/// object.
fn keywords(schema: &Value) -> Option<&Map<String, Value>> {
    match schema {
        Value::Object(keywords) => Some(keywords),
        Value::Null | Value::Bool(true) => Some(&NO_MEMBERS),
        _ => None,
    }
}

fn differ(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => !values_equal(old, new),
        (None, None) => false,
        _ => true,
    }
}

fn property_schemas(schema: &Map<String, Value>) -> &Map<String, Value> {
    schema.get("properties").and_then(Value::as_object).unwrap_or(&NO_MEMBERS)
}

fn required_names(schema: &Map<String, Value>) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut names: Vec<&str> = names.filter_map(Value::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn choices(schema: &Map<String, Value>) -> Option<&Vec<Value>> {
    schema.get("enum").and_then(Value::as_array)
}

fn schema_of_items(schema: &Map<String, Value>) -> Option<&Value> {
    schema.get("items").filter(|items| items.is_object())
}

/// Whether a difference of a keyword is reported as one of constraints.
fn is_constraint(keyword: &str, old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    match keyword {
        "$schema" | "$comment" | "examples" | "title" | "description" | "type" => false,
        // What is walked through, or compared, as what it is.
        "properties" => [old, new]
            .into_iter()
            .any(|schema| schema.get(keyword).is_some_and(|value| !value.is_object())),
        "required" | "enum" => [old, new]
            .into_iter()
            .any(|schema| schema.get(keyword).is_some_and(|value| !value.is_array())),
        "items" => schema_of_items(old).is_none() || schema_of_items(new).is_none(),
        _ => true,
    }
}

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];

/// The types that a schema allows; a number may be an integer, and no `type` allows all.
fn allowed_types(schema: &Map<String, Value>) -> Vec<&str> {
    let mut types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => TYPES.to_vec(),
    };
    if types.contains(&"number") {
        types.push("integer");
    }
    types
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
