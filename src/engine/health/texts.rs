//! What descriptions say.

use serde_json::Value;

use super::{place::find_in_entry, set::ToolView};
use crate::{
    engine::lint::check::{Report, member_pointer},
    schema::{count::first_names, pointer::Pointer},
};

/// Words by which a description says when its tool is the right one.
const CUES: [&str; 20] = [
    "use", "used", "useful", "using", "when", "whenever", "if", "before", "after", "instead",
    "prefer", "unless", "only", "once", "whether", "needs", "needed", "asks", "asked", "example",
];

/// How many places a sentence holds.
const MOST_NAMED: usize = 4;

pub(super) fn when_to_use(view: &ToolView<'_>, report: &mut Report<'_>) {
    let description = &view.function.description;
    // That there is none is a finding of each system.
    if description.trim().is_empty() || has_cue(description) {
        return;
    }
    let entry = &view.tool.entry;
    let at = match entry.value.parsed().get("description") {
        Some(_) => member_pointer("description"),
        None => Pointer::root(),
    };
    report.add_finding(
        entry,
        at,
        format!(
            "the description doesn't say when to use \"{}\": add a sentence such as \"Use it when \
             …\", and what other tool to use instead",
            view.tool.name
        ),
    );
}

fn has_cue(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric())
        .any(|word| CUES.iter().any(|cue| word.eq_ignore_ascii_case(cue)))
}

pub(super) fn undescribed_arguments(view: &ToolView<'_>, report: &mut Report<'_>) {
    let mut found = Vec::new();
    collect_undescribed(&view.function.parameters, &Pointer::root(), &mut found);
    let Some(first) = found.first() else { return };
    let names: Vec<String> = found.iter().map(argument_name).collect();
    let names = first_names(&names, MOST_NAMED);
    let at = find_in_entry(view, first);
    let have = if found.len() == 1 { "has" } else { "have" };
    report.add_finding(
        &view.tool.entry,
        at,
        format!("{names} {have} no description: say what to give, with an example or a limit"),
    );
}

/// Properties without a description, those of objects and lists within them too.
fn collect_undescribed(schema: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    let says = |schema: &Value| {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        text("description").is_some_and(|text| !text.trim().is_empty())
            // What is described where it points to, or fixed, needs no words here.
            || schema.get("$ref").is_some()
            || schema.get("const").is_some()
    };
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (name, property) in properties {
            let at = at.child("properties").child(name);
            if !says(property) {
                found.push(at.clone());
            }
            collect_undescribed(property, &at, found);
        }
    }
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        collect_undescribed(items, &at.child("items"), found);
    }
}

/// An argument as people name it: `address.zip`, `rows[].id`.
pub(super) fn argument_name(at: &Pointer) -> String {
    let mut name = String::new();
    let mut tokens = at.tokens().iter();
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "properties" => {
                if !name.is_empty() {
                    name.push('.');
                }
                name += tokens.next().map_or("", String::as_str);
            }
            "items" => name += "[]",
            other => {
                if !name.is_empty() {
                    name.push('.');
                }
                name += other;
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_description_says_when_by_a_word() {
        for text in ["Use this for orders", "Finds it. When late, ask.", "Only for admins"] {
            assert!(has_cue(text), "{text}");
        }
        for text in ["Tells a joke", "Userland things", "Gives the weather of a city"] {
            assert!(!has_cue(text), "{text}");
        }
    }

    #[test]
    fn arguments_at_every_depth_are_named_by_their_path() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "description": "A"},
            "b": {"type": "object", "description": "B", "properties": {"c": {"type": "string", "description": " "}}},
            "d": {"type": "array", "items": {"type": "object", "properties": {"e": {}}}},
            "f": {"$ref": "#/$defs/x"},
        }});
        let mut found = Vec::new();
        collect_undescribed(&schema, &Pointer::root(), &mut found);
        let names: Vec<String> = found.iter().map(argument_name).collect();
        assert_eq!(names, ["b.c", "d", "d[].e"]);
    }
}
