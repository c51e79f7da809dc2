//! The schema of a tool's arguments: whether it is one, and whether the list beside it says
//! TrustGraph's own model the same.

use serde_json::{Value, json};

use crate::{
    engine::{
        lint::{
            check::{Report, member_pointer},
            context::LintContext,
        },
        schema_faults::schema_faults,
    },
    model::tool::Tool,
    schema::{node::Property, tree::Schema, validate::Checker},
    syntax::edit::Edit,
    systems::trustgraph::{
        descriptor::{argument_schema, argument_type, text_member},
        keys,
        remote::{all_arguments, listed_type},
        types::{self, Arguments},
    },
};

/// What is under the schema's key; nothing where the tool's type has a fixed argument.
fn given_schema(tool: &Tool) -> Option<&Value> {
    let listed = types::by_name(&tool.kind).is_none_or(|of| of.arguments == Arguments::Listed);
    tool.entry.value.get(keys::ARGUMENTS_SCHEMA).filter(|_| listed)
}

pub(crate) fn schema_invalid(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(schema) = given_schema(tool) else { return };
    let at = member_pointer(keys::ARGUMENTS_SCHEMA);
    if !schema.is_object() {
        report.add_finding(
            &tool.entry,
            at,
            "the schema of the arguments must be an object, such as {\"type\": \"object\", \"properties\": {}}",
        );
        return;
    }
    for finding in Checker::compile(schema).err().into_iter().flatten() {
        let keyword = finding.at.last().map_or_else(String::new, |keyword| format!("{keyword}: "));
        report.add_finding(
            &tool.entry,
            at.join(&finding.at),
            format!("not a JSON Schema: {keyword}{}", finding.words),
        );
    }
    if let Some(of) = schema.get("type").filter(|of| *of != "object") {
        let message = format!("the arguments of a call are an object, and this schema wants {of}");
        report
            .add_finding(&tool.entry, at.child("type"), message)
            .fix_set("make it \"object\"", "object");
    }
}

pub(crate) fn schema_contradictory(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (at, words) in given_schema(tool).map(schema_faults).into_iter().flatten() {
        report.add_finding(&tool.entry, member_pointer(keys::ARGUMENTS_SCHEMA).join(&at), words);
    }
}

pub(crate) fn schema_differs(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(schema @ Value::Object(_)) = given_schema(tool) else { return };
    // What is no schema has a finding of its own, and nothing can be added to it.
    if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
        return;
    }
    let schema = Schema::new(schema.clone());
    let declared = all_arguments(&schema);
    let listed = tool
        .entry
        .value
        .get(keys::ARGUMENTS)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let named =
        |item: &&Value, property: &Property| text_member(item, keys::NAME) == Some(&property.name);
    let in_list = |property: &&Property| listed.iter().find(|item| named(item, property));
    let unlisted: Vec<&str> = declared
        .iter()
        .filter(|property| in_list(property).is_none())
        .map(|property| &*property.name)
        .collect();
    let unknown: Vec<&str> = listed
        .iter()
        .filter_map(|item| text_member(item, keys::NAME))
        .filter(|name| !declared.iter().any(|property| *property.name == **name))
        .collect();
    for (row, item) in listed.iter().enumerate() {
        report_type(tool, (&schema, &declared), (row, item), report);
    }
    let words = match (unlisted.as_slice(), unknown.as_slice()) {
        ([], []) => return,
        (missing, []) => format!("the list of arguments lacks {}", missing.join(", ")),
        ([], unknown) => {
            format!("the schema of the arguments lacks {}", unknown.join(", "))
        }
        (missing, unknown) => {
            format!(
                "the list of arguments lacks {}, and their schema lacks {}",
                missing.join(", "),
                unknown.join(", ")
            )
        }
    };
    // Neither loses an argument by it: what only one of them has, the other gets.
    let of_schema = declared.iter().map(|property| {
        in_list(&property).cloned().unwrap_or_else(|| list_item(&schema, property))
    });
    let is_unknown =
        |item: &&Value| text_member(item, keys::NAME).is_some_and(|name| unknown.contains(&name));
    let only_listed: Vec<&Value> = listed.iter().filter(is_unknown).collect();
    let items: Vec<Value> = of_schema.chain(only_listed.iter().copied().cloned()).collect();
    let to_list = (!unlisted.is_empty())
        .then(|| Edit::Set { at: member_pointer(keys::ARGUMENTS), to: Value::Array(items).into() });
    let properties = member_pointer(keys::ARGUMENTS_SCHEMA).child("properties");
    let to_schema = only_listed.iter().filter_map(|item| {
        let at = properties.child(text_member(item, keys::NAME)?);
        Some(Edit::Set { at, to: argument_schema(item).into() })
    });
    // What a list names is always given, and an API takes no schema but that of an object.
    let of_list = (!unknown.is_empty()).then(|| required_edits(tool, &unknown));
    let edits: Vec<Edit> =
        to_list.into_iter().chain(to_schema).chain(of_list.into_iter().flatten()).collect();
    let added = |names: &[&str], to: &str| {
        (!names.is_empty()).then(|| format!("add {} to the {to}", names.join(", ")))
    };
    let labels: Vec<String> =
        added(&unlisted, "list").into_iter().chain(added(&unknown, "schema")).collect();
    report
        .add_finding(
            &tool.entry,
            member_pointer(keys::ARGUMENTS_SCHEMA),
            format!("{words}: TrustGraph's own model only reads the list"),
        )
        .fix_edits(labels.join(", "), edits);
}

/// That the list and the schema say different types of an argument.
fn report_type(
    tool: &Tool,
    (schema, declared): (&Schema, &[Property]),
    (row, item): (usize, &Value),
    report: &mut Report<'_>,
) {
    let name = text_member(item, keys::NAME).unwrap_or_default();
    let Some(property) = declared.iter().find(|property| *property.name == *name) else { return };
    let listed = text_member(item, keys::TYPE).and_then(argument_type);
    let of_schema = list_item(schema, property);
    let declared = text_member(&of_schema, keys::TYPE).unwrap_or_default();
    let types = schema.node(&property.node).shown_types();
    let Some(listed) = listed.filter(|listed| *listed != declared) else { return };
    // An integer is a number; and more than one type is more than a list can say.
    if types.iter_names().count() != 1 || (listed, declared) == ("number", "integer") {
        return;
    }
    let at = member_pointer(keys::ARGUMENTS).item(row).child(keys::TYPE);
    let message = format!(
        "\"{name}\" is {listed} in the list and {declared} in the schema: TrustGraph's own model only \
         reads the list"
    );
    report
        .add_finding(&tool.entry, at, message)
        .fix_set(format!("make it {declared} in the list"), declared);
}

/// What makes a schema say what the list says of arguments that it gets: an object, which always has
/// them.
fn required_edits(tool: &Tool, added: &[&str]) -> Vec<Edit> {
    let at = member_pointer(keys::ARGUMENTS_SCHEMA);
    let schema = tool.entry.value.get(keys::ARGUMENTS_SCHEMA);
    let known = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    let mut required = known.cloned().unwrap_or_default();
    required.extend(added.iter().map(|name| Value::from(*name)));
    let has_type = schema.is_some_and(|schema| schema.get("type").is_some());
    let of_type = (!has_type).then(|| Edit::Set { at: at.child("type"), to: "object".into() });
    let of_required = Edit::Set { at: at.child("required"), to: Value::Array(required).into() };
    of_type.into_iter().chain([of_required]).collect()
}

/// A declared member as an item of the list.
fn list_item(schema: &Schema, property: &Property) -> Value {
    let node = schema.node(&property.node);
    let of = listed_type(schema, property);
    json!({keys::NAME: &*property.name, keys::TYPE: of, keys::DESCRIPTION: node.description.as_deref().unwrap_or_default()})
}
