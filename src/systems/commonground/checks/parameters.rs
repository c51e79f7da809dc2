//! Schemas that the API takes and models' APIs do not.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    engine::{
        lint::{
            check::{Report, member_pointer},
            context::LintContext,
        },
        schema_faults::other_faults,
    },
    model::tool::Tool,
    schema::{
        pointer::Pointer,
        validate::{Checker, SchemaFinding},
    },
    syntax::edit::Edit,
    systems::commonground::{entries, keys, rules},
};

fn parameters(tool: &Tool) -> Option<&Value> {
    tool.entry.value.get(keys::PARAMETERS).filter(|parameters| parameters.is_object())
}

pub(crate) fn not_object(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(parameters) = parameters(tool) else {
        if tool.entry.value.get(keys::PARAMETERS).is_none()
            && entries::definition_name(&tool.entry.value).is_some()
        {
            let message =
                "it has no parameters, so its schema is empty: models' APIs expect an object";
            let at = member_pointer(keys::PARAMETERS);
            let found = report.add_finding(&tool.entry, at.clone(), message);
            found.fix_edits(
                "set an empty object: no parameters",
                [Edit::Set { at, to: json!({"type": "object", "properties": {}}).into() }],
            );
        }
        return;
    };
    if parameters.get("type").and_then(Value::as_str) != Some("object") {
        let message = "models' APIs expect a schema of type object here";
        let at = member_pointer(keys::PARAMETERS);
        let found = report.add_finding(&tool.entry, at.clone(), message);
        if parameters.get("type").is_none() {
            found.fix_edits(
                "add type: object",
                [Edit::Set { at: at.child("type"), to: "object".into() }],
            );
        }
    }
}

/// What the API takes, and what no validator of another language can rely on.
pub(crate) fn schema_unchecked(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(parameters) = parameters(tool).filter(|parameters| rules::is_schema(parameters))
    else {
        return;
    };
    for flaw in flaws(parameters).filter(|flaw| flaw.unchecked) {
        let message = format!(
            "CommonGround accepts it, but values aren't checked against it: \
                {}",
            flaw.words
        );
        report.add_finding(&tool.entry, member_pointer(keys::PARAMETERS).join(&flaw.at), message);
    }
}

/// All that is wrong with parameters that the API rejects: it names one fault alone.
pub(crate) fn schema_invalid(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(parameters) = parameters(tool).filter(|parameters| !rules::is_schema(parameters))
    else {
        return;
    };
    for SchemaFinding { at, words, .. } in flaws(parameters).map(SchemaFinding::into_flaw) {
        let keyword = at.last().map_or_else(String::new, |keyword| format!("\"{keyword}\": "));
        let at = member_pointer(keys::PARAMETERS).join(&at);
        report.add_finding(&tool.entry, at, format!("{keyword}{words}"));
    }
}

/// As forms and calls say it.
fn flaws(parameters: &Value) -> impl Iterator<Item = SchemaFinding> {
    Checker::compile_lenient(&Arc::new(parameters.clone())).findings.into_iter()
}

pub(crate) fn required_undefined(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(parameters) = parameters(tool) else { return };
    let properties = parameters.get("properties").and_then(Value::as_object);
    let required = parameters.get("required").and_then(Value::as_array);
    for (row, name) in required.into_iter().flatten().enumerate() {
        let Some(name) = name.as_str() else { continue };
        if properties.is_none_or(|properties| !properties.contains_key(name)) {
            let at = member_pointer(keys::PARAMETERS).child("required").item(row);
            let message = format!(
                "\"{name}\" is required but not among the properties: the model has to guess what \
                it is"
            );
            report.add_finding(&tool.entry, at, message).fix_remove("remove it");
        }
    }
}

/// All but required parameters that aren't there, which have a check of their own.
pub(crate) fn contradictory(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (at, words) in parameters(tool).map(other_faults).into_iter().flatten() {
        report.add_finding(&tool.entry, member_pointer(keys::PARAMETERS).join(&at), words);
    }
}

/// Arrays that the API's own look does not come to.
pub(crate) fn bare_array(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(parameters) = parameters(tool) else { return };
    let mut found = Vec::new();
    visit(parameters, &member_pointer(keys::PARAMETERS), Visibility::Seen, &mut found);
    for at in found {
        let message = "it can be an array but has no \"items\": the API accepts it, some models' \
            APIs reject it";
        let items = at.child("items");
        let fix = Edit::Set { at: items, to: json!({"type": "string"}).into() };
        report.add_finding(&tool.entry, at, message).fix_edits("set its items to strings", [fix]);
    }
}

/// Whether the API looks at a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Seen,
    Unseen,
}

fn visit(schema: &Value, at: &Pointer, sight: Visibility, found: &mut Vec<Pointer>) {
    let Value::Object(members) = schema else { return };
    let of_type = members.get("type");
    let alone = of_type.and_then(Value::as_str) == Some("array");
    let among = of_type
        .and_then(Value::as_array)
        .is_some_and(|types| types.iter().any(|name| name == "array"));
    let bare =
        members.get("items").and_then(Value::as_object).is_none_or(serde_json::Map::is_empty);
    if bare
        && members.get("prefixItems").is_none()
        && (among || (alone && sight == Visibility::Unseen))
    {
        found.push(at.clone());
    }
    // The API looks at the items of an array and at nothing else of it, and at no items of anything
    // else.
    let (of_items, of_rest) =
        if alone { (sight, Visibility::Unseen) } else { (Visibility::Unseen, sight) };
    for (key, below) in members {
        let at = at.child(key);
        match (key.as_str(), below) {
            ("properties" | "$defs" | "definitions", Value::Object(all)) => {
                all.iter()
                    .for_each(|(name, schema)| visit(schema, &at.child(name), of_rest, found));
            }
            ("patternProperties" | "dependentSchemas", Value::Object(all)) => {
                all.iter().for_each(|(name, schema)| {
                    visit(schema, &at.child(name), Visibility::Unseen, found);
                });
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                all.iter()
                    .enumerate()
                    .for_each(|(row, schema)| visit(schema, &at.item(row), of_rest, found));
            }
            ("prefixItems", Value::Array(all)) => {
                all.iter().enumerate().for_each(|(row, schema)| {
                    visit(schema, &at.item(row), Visibility::Unseen, found);
                });
            }
            ("items", _) => visit(below, &at, of_items, found),
            (
                "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames",
                _,
            ) => {
                visit(below, &at, Visibility::Unseen, found);
            }
            _ => {}
        }
    }
}
