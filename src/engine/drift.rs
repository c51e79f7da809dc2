//! What changed between two lists of tools, and how much it matters: their texts and the schemas of
//! their arguments and answers. What else a tool has, its system compares.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use serde_json::{Map, Value};

use crate::schema::{
    equal::values_equal,
    inclusion::{Declared, includes, is_constraint},
    inlined::inline_references,
    ordering::PutInOrder,
    pointer::Pointer,
};

/// How much a change matters, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Calls, or readers of answers, may fail.
    Breaking,
    /// What was approved is not what is there.
    Trust,
    /// Whether calls may fail can't be decided.
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

/// How changes of a schema's other keywords are judged: of those that are neither a type, a choice of
/// values, properties nor what is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// By whether one schema allows all that the other does.
    Decided,
    /// As unclear, whatever they are: the rule for saved lists of MCP servers.
    Undecided,
}

/// The changes from one list to another, by tool, id and place; `compare_more` compares what is a
/// system's own.
#[must_use]
pub fn compare_lists(
    old: &[Value],
    new: &[Value],
    judgement: Judgement,
    compare_more: impl Fn(&mut ComparedTool<'_>, &Value, &Value),
) -> Vec<Change> {
    let (before, after) = (numbered_tools(old), numbered_tools(new));
    let there: HashMap<(&str, usize), &Value> = after.iter().copied().collect();
    let known: HashMap<(&str, usize), &Value> = before.iter().copied().collect();
    let mut changes = Vec::new();
    for (key, tool) in &before {
        let mut compared = ComparedTool { tool: key.0, judgement, changes: &mut changes };
        match there.get(key) {
            Some(now) => {
                compared.compare_tool(tool, now);
                compare_more(&mut compared, tool, now);
            }
            None => compared.push_change("tool.removed", Severity::Breaking, &Pointer::root()),
        }
    }
    for (key, _) in after.iter().filter(|(key, _)| !known.contains_key(key)) {
        ComparedTool { tool: key.0, judgement, changes: &mut changes }.push_change(
            "tool.added",
            Severity::Compatible,
            &Pointer::root(),
        );
    }
    let same_order = before.iter().zip(&after).all(|((one, _), (other, _))| one == other);
    if changes.is_empty() && !same_order {
        ComparedTool { tool: "*", judgement, changes: &mut changes }.push_change(
            "order.changed",
            Severity::Compatible,
            &Pointer::root(),
        );
    }
    let mut keyed: Vec<_> =
        changes.into_iter().map(|change| (change.at.to_string(), change)).collect();
    keyed.order_by(|(at, one), (there, other)| {
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

/// A tool that is in both lists.
pub struct ComparedTool<'c> {
    tool: &'c str,
    judgement: Judgement,
    changes: &'c mut Vec<Change>,
}

impl ComparedTool<'_> {
    /// Adds a change at a place within the tool.
    pub fn push_change(&mut self, id: &'static str, severity: Severity, at: &Pointer) {
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
        let schema = |tool: &'_ Value, member| tool.get(member).unwrap_or(&ABSENT).clone();
        let [before, after] = [old, new].map(|tool| schema(tool, INPUT));
        self.compare_roots(&root.child(INPUT), &before, &after, SchemaSide::Input);
        let output = |tool: &'_ Value| tool.get(OUTPUT).is_some_and(|schema| !schema.is_null());
        match (output(old), output(new)) {
            (true, true) => {
                let at = root.child(OUTPUT);
                self.compare_roots(&at, &old[OUTPUT], &new[OUTPUT], SchemaSide::Output);
            }
            (false, true) => {
                self.push_change("output.added", Severity::Compatible, &root.child(OUTPUT));
            }
            (true, false) => {
                self.push_change("output.removed", Severity::Breaking, &root.child(OUTPUT));
            }
            (false, false) => {}
        }
    }

    fn compare_roots(&mut self, at: &Pointer, old: &Value, new: &Value, side: SchemaSide) {
        let [before, after] = [old, new].map(inline_references);
        if self.judgement == Judgement::Undecided {
            return self.compare_schemas(at, &before, &after, side);
        }
        self.compare_definitions(at, [old, &before], [new, &after], side);
        let [before, after] = [before, after].map(without_definitions);
        self.compare_schemas(at, &before, &after, side);
    }

    /// The definitions that references still lead to, or that nothing leads to; with each side as it
    /// is and without its references.
    fn compare_definitions(
        &mut self,
        at: &Pointer,
        old: [&Value; 2],
        new: [&Value; 2],
        side: SchemaSide,
    ) {
        for folder in DEFINITIONS {
            let named = |schema: &'_ Value, name: &str| {
                schema.get(folder).and_then(|folder| folder.get(name)).cloned()
            };
            let names = [old[1], new[1]].into_iter().filter_map(|schema| schema.get(folder));
            let names: BTreeSet<&String> =
                names.filter_map(Value::as_object).flat_map(Map::keys).collect();
            for name in names {
                let at = at.child(folder).child(name);
                // One that is only used now, or no more, is compared as it is written.
                let [before, after] = [old, new].map(|sides| named(sides[0], name));
                match (before, after) {
                    (Some(before), Some(after)) => self.compare_schemas(&at, &before, &after, side),
                    _ => self.push_change("text.changed", Severity::Trust, &at),
                }
            }
        }
    }

    fn compare_schemas(&mut self, at: &Pointer, old: &Value, new: &Value, side: SchemaSide) {
        let (Some(before), Some(after)) = (keywords(old), keywords(new)) else {
            if !values_equal(old, new) {
                self.push_constraint(at, old, new, side);
            }
            return;
        };
        let changes = |keyword: &str| differ(before.get(keyword), after.get(keyword));
        for keyword in ["title", "description"] {
            if changes(keyword) {
                self.push_change("text.changed", Severity::Trust, &at.child(keyword));
            }
        }
        // What says together with them which values there are.
        let is_decided = self.judgement == Judgement::Decided;
        let is_rewritten = is_decided && VALUES.iter().any(|keyword| changes(keyword));
        if !is_rewritten {
            self.compare_types(at, before, after, side);
            self.compare_enums(at, before, after, side);
        }
        self.compare_properties(at, before, after, side);
        self.compare_required(at, before, after, side);
        if let (Some(old), Some(new)) = (schema_of_items(before), schema_of_items(after)) {
            self.compare_schemas(&at.child("items"), old, new, side);
        }
        if !is_decided {
            let mut others = before.keys().chain(after.keys());
            if others.any(|keyword| is_other(keyword, before, after) && changes(keyword)) {
                self.push_undecided(at, side);
            }
            return;
        }
        let is_walked = |keyword: &str| is_walked(keyword, before, after);
        let others = before.keys().chain(after.keys()).filter(|keyword| {
            !is_walked(keyword) && (is_rewritten || !["type", "enum"].contains(&keyword.as_str()))
        });
        let (constraints, said): (Vec<&String>, Vec<&String>) =
            others.filter(|keyword| changes(keyword)).partition(|keyword| is_constraint(keyword));
        let is_in_both = adds_known_member(before, after);
        let is_whole = is_rewritten || is_in_both || PLACES.iter().any(|keyword| changes(keyword));
        let own = |schema: &Map<String, Value>| {
            let own = schema.iter().filter(|(keyword, _)| is_whole || !is_walked(keyword));
            Value::Object(own.map(|(keyword, value)| (keyword.clone(), value.clone())).collect())
        };
        if !constraints.is_empty() {
            self.push_constraint(at, &own(before), &own(after), side);
        } else if is_in_both {
            let (id, severity) = judge_constraint(&own(before), &own(after), side);
            if severity != Severity::Compatible {
                self.push_change(id, severity, at);
            }
        }
        if said.iter().any(|keyword| !WITHOUT_EFFECT.contains(&keyword.as_str())) {
            let id = side.pick_id("input.keyword-changed", "output.keyword-changed");
            self.push_change(id, Severity::Trust, at);
        }
    }

    fn push_undecided(&mut self, at: &Pointer, side: SchemaSide) {
        let id = side.pick_id("input.constraint-changed", "output.constraint-changed");
        self.push_change(id, Severity::Unclear, at);
    }

    /// A change of which values a schema allows.
    fn push_constraint(&mut self, at: &Pointer, old: &Value, new: &Value, side: SchemaSide) {
        if self.judgement == Judgement::Undecided {
            return self.push_undecided(at, side);
        }
        let (id, severity) = judge_constraint(old, new, side);
        self.push_change(id, severity, at);
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

/// What a change of which values a schema allows is, and how much it matters.
fn judge_constraint(old: &Value, new: &Value, side: SchemaSide) -> (&'static str, Severity) {
    // A member that is gone is one that a caller gives, or a reader waits for.
    let declared = match side {
        SchemaSide::Input => Declared::ByNarrow,
        SchemaSide::Output => Declared::ByWide,
    };
    let is_wider = includes(new, old, declared);
    let is_narrower = includes(old, new, declared);
    let (for_input, for_output) = match (is_wider, is_narrower) {
        (true, true) => (Severity::Compatible, Severity::Compatible),
        (true, false) => (Severity::Compatible, Severity::Breaking),
        (false, true) => (Severity::Breaking, Severity::Compatible),
        (false, false) => (Severity::Unclear, Severity::Unclear),
    };
    let id = match (is_wider, is_narrower) {
        (true, true) => side.pick_id("input.constraint-rewritten", "output.constraint-rewritten"),
        (true, false) => side.pick_id("input.constraint-widened", "output.constraint-widened"),
        (false, true) => side.pick_id("input.constraint-narrowed", "output.constraint-narrowed"),
        (false, false) => side.pick_id("input.constraint-changed", "output.constraint-changed"),
    };
    let severity = match side {
        SchemaSide::Input => for_input,
        SchemaSide::Output => for_output,
    };
    (id, severity)
}

/// Whether a member that is declared now may have been one before: in a branch, by a pattern, as any
/// other member.
fn adds_known_member(old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let known = property_schemas(old);
    let is_schema = |keyword: &&str| old.get(*keyword).is_some_and(|rule| !rule.is_boolean());
    property_schemas(new).keys().any(|name| !known.contains_key(name))
        && VALUES.iter().chain(&OTHER_MEMBERS).any(is_schema)
}

/// Keywords of members that `properties` doesn't name.
const OTHER_MEMBERS: [&str; 5] = [
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "dependentSchemas",
    "dependencies",
];
/// Keywords that say which items the schema of all others is for.
const PLACES: [&str; 2] = ["prefixItems", "additionalItems"];
/// Keywords that say what values there are, as `type` and `enum` do.
const VALUES: [&str; 9] = ["const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref"];
/// Keywords of which a change is none, or is reported otherwise.
const WITHOUT_EFFECT: [&str; 5] = ["$schema", "$comment", "examples", "title", "description"];
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

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

fn without_definitions(mut schema: Value) -> Value {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.retain(|keyword, _| !DEFINITIONS.contains(&keyword.as_str()));
    }
    schema
}

/// What a tool has at the place of a change; within a schema, what its references lead to.
#[must_use]
pub fn value_at(tool: &Value, at: &Pointer) -> Option<Value> {
    match at.tokens() {
        [member, within @ ..]
            if !within.is_empty() && [INPUT, OUTPUT].contains(&member.as_str()) =>
        {
            let (schema, within) = (tool.get(member)?, Pointer::from_iter(within));
            within.get(&inline_references(schema)).or_else(|| within.get(schema)).cloned()
        }
        _ => at.get(tool).cloned(),
    }
}

/// Whether two values differ, where either may be absent.
#[must_use]
pub fn differ(old: Option<&Value>, new: Option<&Value>) -> bool {
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

/// Whether a keyword's schemas are walked through, or its names compared.
fn is_walked(keyword: &str, old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let is_absent_or = |is: fn(&Value) -> bool| {
        [old, new].into_iter().all(|schema| schema.get(keyword).is_none_or(is))
    };
    match keyword {
        "properties" => is_absent_or(Value::is_object),
        "required" => is_absent_or(Value::is_array),
        "items" => schema_of_items(old).is_some() && schema_of_items(new).is_some(),
        _ => false,
    }
}

/// Whether a keyword is neither walked through nor compared as what it is, nor without effect.
fn is_other(keyword: &str, old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let is_list = |schema: &Map<String, Value>| schema.get(keyword).is_none_or(Value::is_array);
    match keyword {
        "type" => false,
        "enum" => ![old, new].into_iter().all(is_list),
        _ => !WITHOUT_EFFECT.contains(&keyword) && !is_walked(keyword, old, new),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::schema::validate::Checker;

    fn changed(member: &str, old: &Value, new: &Value) -> Vec<String> {
        let tool = |schema: &Value| json!({"name": "a", member: schema});
        let changes = compare_lists(&[tool(old)], &[tool(new)], Judgement::Decided, |_, _, _| {});
        let words =
            |change: &Change| format!("{} {} {}", change.id, change.severity.as_str(), change.at);
        changes.iter().map(words).collect()
    }

    fn input(old: &Value, new: &Value) -> Vec<String> {
        changed(INPUT, old, new)
    }

    fn output(old: &Value, new: &Value) -> Vec<String> {
        changed(OUTPUT, old, new)
    }

    #[test]
    fn constraints_that_narrow_break_calls_and_those_that_widen_break_readers() {
        let changed = |old: Value, new: Value| {
            let first = |changes: Vec<String>| changes.join(", ");
            [first(input(&old, &new)), first(output(&old, &new))]
        };
        let expect = |id: &str, for_input: &str, for_output: &str, at: &str| {
            [
                format!("input.constraint-{id} {for_input} /inputSchema{at}"),
                format!("output.constraint-{id} {for_output} /outputSchema{at}"),
            ]
        };
        let (ten, five) = (json!({"maximum": 10}), json!({"maximum": 5}));
        let narrowed = |at: &str| expect("narrowed", "breaking", "compatible", at);
        let widened = expect("widened", "compatible", "breaking", "");
        assert_eq!(changed(ten.clone(), five.clone()), narrowed(""));
        assert_eq!(changed(five, ten), widened);
        assert_eq!(changed(json!({}), json!({"items": {"type": "string"}})), narrowed(""));
        assert_eq!(
            changed(json!({"items": [{}]}), json!({"items": [{"type": "string"}]})),
            narrowed("")
        );
        let (yes, no) = (json!({"properties": {"a": true}}), json!({"properties": {"a": false}}));
        assert_eq!(changed(yes.clone(), no), narrowed("/properties/a"));
        assert_eq!(
            changed(json!({"pattern": "a"}), json!({"pattern": "b"})),
            expect("changed", "unclear", "unclear", "")
        );
        assert_eq!(
            changed(
                json!({"type": ["null", "string"]}),
                json!({"anyOf": [{"type": "null"}, {"type": "string"}]})
            ),
            expect("rewritten", "compatible", "compatible", "")
        );
        // A member that goes from a branch is one that a caller may give, or a reader wait for.
        let branch = |members: Value| json!({"anyOf": [{"type": "object", "properties": members}]});
        assert_eq!(
            changed(branch(json!({"a": {}})), branch(json!({"a": {}, "b": {}})))[0],
            "input.constraint-widened compatible /inputSchema"
        );
        assert_eq!(
            changed(branch(json!({"a": {}, "b": {}})), branch(json!({"a": {}}))),
            narrowed("").map(|text| text.replace(
                "output.constraint-narrowed compatible",
                "output.constraint-widened breaking"
            ))
        );
        // The last one as well.
        let bare = json!({"anyOf": [{"type": "object"}]});
        assert_eq!(
            changed(branch(json!({"a": {}})), bare.clone())[0],
            "input.constraint-narrowed breaking /inputSchema"
        );
        assert_eq!(
            changed(bare, branch(json!({"a": {}})))[0],
            "input.constraint-widened compatible /inputSchema"
        );
        let listed = |last: Value| json!({"anyOf": [{"enum": ["a"]}, {"enum": last}]});
        assert_eq!(changed(listed(json!(["b"])), listed(json!([])))[0], narrowed("")[0]);
        assert_eq!(input(&yes, &json!({"properties": {"a": {}}})), Vec::<String>::new());
        assert_eq!(
            changed(json!({"maximum": 10}), json!({"maximum": 10.0})),
            [String::new(), String::new()]
        );
    }

    #[test]
    fn other_keywords_are_a_change_of_their_own_and_some_are_nothing() {
        for keyword in ["$schema", "$comment", "examples"] {
            assert_eq!(input(&json!({keyword: "a"}), &json!({})), Vec::<String>::new());
        }
        let said = ["input.keyword-changed trust /inputSchema"];
        assert_eq!(input(&json!({"default": 1}), &json!({"default": 2})), said);
        assert_eq!(
            input(&json!({"default": 1, "deprecated": true}), &json!({"x-mcp-header": "A"})),
            said,
            "once a place"
        );
    }

    #[test]
    fn a_reference_that_is_written_out_is_no_change() {
        let of = |b: Value| json!({"$defs": {"n": {"type": "integer"}}, "properties": {"b": b}});
        let (referring, written) =
            (of(json!({"$ref": "#/$defs/n"})), of(json!({"type": "integer"})));
        assert_eq!(input(&referring, &written), Vec::<String>::new());
        assert_eq!(input(&written, &referring), Vec::<String>::new());
        let tree = |leaf: Value| {
            json!({"$defs": {"T": {"properties": {"v": leaf, "next": {"$ref": "#/$defs/T"}}}},
                "properties": {"t": {"$ref": "#/$defs/T"}}})
        };
        assert_eq!(
            input(&tree(json!({"maximum": 2})), &tree(json!({"maximum": 1}))),
            [
                "input.constraint-narrowed breaking /inputSchema/$defs/T/properties/v",
                "input.constraint-narrowed breaking /inputSchema/properties/t/properties/v",
            ]
        );
    }

    fn values() -> Vec<Value> {
        let plain = [json!(null), json!(true), json!(0), json!(1), json!(1.5), json!(2), json!("")];
        let mut all: Vec<Value> = plain.into_iter().chain([json!("a"), json!("ab")]).collect();
        let within = all.clone();
        all.extend([json!([]), json!({}), json!([1, 1]), json!(["a", null]), json!([1, "a"])]);
        for value in &within {
            all.extend([
                json!([value]),
                json!({"a": value}),
                json!({"b": value}),
                json!({"a": value, "b": "a"}),
                json!({"a": {"b": value}}),
                json!([{"a": value}]),
            ]);
        }
        all
    }

    fn schemas() -> impl Strategy<Value = Value> {
        let value = || prop::sample::select(values()[..14].to_vec());
        let keyword = prop_oneof![
            prop::sample::select(TYPES.to_vec()).prop_map(|name| ("type", json!(name))),
            prop::sample::subsequence(TYPES.to_vec(), 1..4)
                .prop_map(|names| ("type", json!(names))),
            prop::collection::vec(value(), 0..3).prop_map(|values| ("enum", values.into())),
            value().prop_map(|value| ("const", value)),
            (0..3u8, prop::sample::select(vec!["minLength", "maxLength", "minItems", "maxItems"]))
                .prop_map(|(limit, name)| (name, json!(limit))),
            (0..3u8, prop::sample::select(vec!["minimum", "maximum", "exclusiveMinimum"]))
                .prop_map(|(limit, name)| (name, json!(limit))),
            (1..3u8).prop_map(|of| ("multipleOf", json!(of))),
            prop::sample::subsequence(vec!["a", "b"], 0..2)
                .prop_map(|names| ("required", json!(names))),
            Just(("uniqueItems", json!(true))),
            Just(("additionalProperties", json!(false))),
        ];
        let schema = |keywords: Vec<(&'static str, Value)>| {
            Value::Object(
                keywords.into_iter().map(|(name, rule)| (name.to_owned(), rule)).collect(),
            )
        };
        let leaf = prop_oneof![
            8 => prop::collection::vec(keyword.clone(), 0..3).prop_map(schema),
            1 => any::<bool>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, move |inner| {
            let list = prop::collection::vec(inner.clone(), 1..4);
            let nested = prop_oneof![
                3 => (prop::sample::select(vec!["anyOf", "oneOf", "allOf"]), list)
                    .prop_map(|(name, list)| (name, Value::from(list))),
                2 => (prop::sample::select(vec!["items", "not", "contains"]), inner.clone()),
                2 => prop::collection::vec((prop::sample::select(vec!["a", "b"]), inner.clone()), 0..3)
                    .prop_map(|members| ("properties", members.into_iter().collect())),
                1 => prop::collection::vec(inner, 1..3)
                    .prop_map(|items| ("prefixItems", items.into())),
            ];
            (prop::collection::vec(keyword.clone(), 0..2), prop::collection::vec(nested, 1..3))
                .prop_map(move |(mut plain, nested)| {
                    plain.extend(nested);
                    schema(plain)
                })
        })
    }

    /// The same schema, with another one in the place of one of those in it.
    fn with_part(schema: &Value, part: &Value, left: &mut usize) -> Value {
        if *left == 0 {
            *left = usize::MAX;
            return part.clone();
        }
        *left = left.saturating_sub(1);
        match schema {
            Value::Object(members) => members
                .iter()
                .map(|(name, rule)| (name.clone(), with_part_of(name, rule, part, left)))
                .collect(),
            other => other.clone(),
        }
    }

    fn with_part_of(keyword: &str, rule: &Value, part: &Value, left: &mut usize) -> Value {
        match (keyword, rule) {
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter().map(|one| with_part(one, part, left)).collect()
            }
            ("properties", Value::Object(members)) => members
                .iter()
                .map(|(name, one)| (name.clone(), with_part(one, part, left)))
                .collect(),
            ("items" | "not" | "contains", one) => with_part(one, part, left),
            // What lists values gets shorter, too.
            ("enum", Value::Array(values)) if *left == 0 && !values.is_empty() => {
                *left = usize::MAX;
                values[1..].into()
            }
            (_, other) => other.clone(),
        }
    }

    /// The schema without members that it doesn't declare, as nobody gives them.
    fn closed(schema: &Value) -> Value {
        let mut closed = closed_parts(schema);
        if closed == Value::Bool(true) {
            closed = json!({});
        }
        if let Some(keywords) = closed.as_object_mut() {
            let none = json!({"unevaluatedProperties": false});
            keywords.insert("unevaluatedItems".to_owned(), none);
            keywords.insert("unevaluatedProperties".to_owned(), false.into());
        }
        closed
    }

    fn closed_parts(schema: &Value) -> Value {
        let Value::Object(keywords) = schema else { return schema.clone() };
        let close = |(name, rule): (&String, &Value)| {
            let rule = match (name.as_str(), rule) {
                ("anyOf" | "oneOf" | "allOf", Value::Array(list)) => {
                    list.iter().map(closed_parts).collect()
                }
                ("prefixItems", Value::Array(list)) => list.iter().map(closed).collect(),
                ("properties", Value::Object(members)) => {
                    members.iter().map(|(name, one)| (name.clone(), closed(one))).collect()
                }
                ("items", one) => closed(one),
                (_, other) => other.clone(),
            };
            (name.clone(), rule)
        };
        Value::Object(keywords.iter().map(close).collect())
    }

    /// A value that one schema takes, with the members that it declares, and the other one doesn't.
    fn lost_value(from: &Value, to: &Value) -> Option<Value> {
        let compile = |schema: &Value| Checker::compile(schema).ok();
        // Of a branch that must not hold, a closed schema allows more.
        let (closed, open, after) = (compile(&closed(from))?, compile(from)?, compile(to)?);
        values()
            .into_iter()
            .find(|value| closed.is_valid(value) && open.is_valid(value) && !after.is_valid(value))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn what_is_called_compatible_takes_all_values_that_were_taken(
            old in schemas(), part in schemas(), other in schemas(), place in 0..12usize
        ) {
            for new in [with_part(&old, &part, &mut place.clone()), other] {
                for (from, to) in [(&old, &new), (&new, &old)] {
                    let is_compatible = |change: &str| !change.contains("breaking") && !change.contains("unclear");
                    if input(from, to).iter().all(|change| is_compatible(change)) {
                        prop_assert_eq!(lost_value(from, to), None, "{} → {}", from, to);
                    }
                    // What a reader understood.
                    if output(from, to).iter().all(|change| is_compatible(change)) {
                        prop_assert_eq!(lost_value(to, from), None, "an answer: {} → {}", from, to);
                    }
                    if includes(to, from, Declared::ByNarrow) {
                        prop_assert_eq!(lost_value(from, to), None, "{} within {}", from, to);
                    }
                }
            }
        }
    }
}
