//! What the branches of a union are called: each by what distinguishes it from the others, no two
//! alike.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use super::{
    encoding::percent_decode,
    messages,
    node::{Node, PlaceId, Types, Union},
    phrase::value_text,
    tree::Schema,
};

/// More names than these of one kind say no more.
const MOST_NAMES: usize = 3;

/// The names of the branches of a union.
pub(super) fn branch_names(schema: &Schema, union: &Union, nodes: &[Arc<Node>]) -> Vec<Arc<str>> {
    let branches = Branches { schema, union, nodes };
    let mut labels: Vec<String> = (0..nodes.len()).map(|number| branches.label(number)).collect();
    let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, label) in labels.iter().enumerate() {
        alike.entry(label.clone()).or_default().push(number);
    }
    for group in alike.values().filter(|group| group.len() > 1) {
        let by = |by: &Difference| {
            group.iter().map(|number| branches.difference(*by, group, *number)).collect::<Vec<_>>()
        };
        let differences = DIFFERENCES.iter().map(by);
        let telling = differences
            .into_iter()
            .find(|texts| texts.iter().collect::<HashSet<_>>().len() == texts.len());
        let telling =
            telling.unwrap_or_else(|| (1..=group.len()).map(|number| number.to_string()).collect());
        for (number, difference) in
            group.iter().zip(telling).filter(|(_, difference)| !difference.is_empty())
        {
            labels[*number] = format!("{} ({difference})", labels[*number]);
        }
    }
    let mut taken = HashSet::new();
    let mut own = |label: String| {
        let numbered = (2..).map(|number| format!("{label} {number}"));
        let free = std::iter::once(label.clone())
            .chain(numbered)
            .find(|label| taken.insert(label.clone()));
        free.unwrap_or(label).into()
    };
    labels.into_iter().map(&mut own).collect()
}

struct Branches<'b> {
    schema: &'b Schema,
    union: &'b Union,
    nodes: &'b [Arc<Node>],
}

/// What may tell branches apart that would have the same name.
#[derive(Clone, Copy)]
enum Difference {
    Constants,
    Required,
    Keys,
    Reference,
    Types,
    Rules,
}

const DIFFERENCES: [Difference; 6] = [
    Difference::Constants,
    Difference::Required,
    Difference::Keys,
    Difference::Reference,
    Difference::Types,
    Difference::Rules,
];

impl Branches<'_> {
    fn label(&self, number: usize) -> String {
        let node = &self.nodes[number];
        if let Some(title) = node.title.as_deref().filter(|title| !title.trim().is_empty()) {
            return title.to_owned();
        }
        let tag = self.union.tag.as_deref().or_else(|| self.object_tag());
        let tag = tag.and_then(|tag| self.member_constant(node, tag));
        if let Some(constant) = tag.as_ref().or(node.constant.as_ref()) {
            return value_text(constant);
        }
        let name = self.union.branches.get(number).and_then(|place| self.reference_at(*place));
        name.unwrap_or_else(|| self.shape_description(node))
    }

    /// What a branch is, where nothing names it.
    fn shape_description(&self, node: &Node) -> String {
        let words = node.shown_types().to_words();
        let is_object = node.typed && node.types == Types::OBJECT;
        if is_object && !node.object.properties.is_empty() {
            let everywhere =
                |name: &str| self.nodes.iter().all(|other| other.object.property(name).is_some());
            let names = node.object.properties.iter().map(|property| &*property.name);
            let own: Vec<&str> =
                names.clone().filter(|name| !everywhere(name)).take(MOST_NAMES).collect();
            let names = if own.is_empty() { names.take(MOST_NAMES).collect() } else { own };
            return format!("{words} with {}", names.join(", "));
        }
        let items = self.schema.node(&node.list.items);
        if node.shown_types() == Types::LIST && items.typed {
            return format!("list of {}", items.shown_types().to_words());
        }
        words
    }

    /// The member that is a constant in each branch that is an object with members.
    fn object_tag(&self) -> Option<&str> {
        let objects: Vec<&Node> =
            self.nodes.iter().map(AsRef::as_ref).filter(has_members).collect();
        let [first, _, ..] = objects.as_slice() else { return None };
        let names = first.object.properties.iter().map(|property| &*property.name);
        names
            .into_iter()
            .find(|name| objects.iter().all(|node| self.member_constant(node, name).is_some()))
    }

    fn member_constant(&self, node: &Node, name: &str) -> Option<Value> {
        self.schema.node(&node.object.property(name)?.node).constant.clone()
    }

    /// The name of the definition that a branch refers to.
    fn reference_at(&self, place: PlaceId) -> Option<String> {
        let reference = self.schema.schema_at(place)?.get("$ref")?.as_str()?;
        let name = reference.rsplit(['/', '#']).next().filter(|name| !name.is_empty())?;
        Some(percent_decode(name).replace("~1", "/").replace("~0", "~"))
    }

    /// What the branch with this number has that others of its group do not.
    fn difference(&self, by: Difference, group: &[usize], number: usize) -> String {
        let node = &self.nodes[number];
        let names = node.object.properties.iter().map(|property| &*property.name);
        let all =
            |test: &dyn Fn(&Node) -> bool| group.iter().all(|other| test(&self.nodes[*other]));
        match by {
            Difference::Constants => {
                let given = names.filter_map(|name| {
                    Some(format!("{name} {}", value_text(&self.member_constant(node, name)?)))
                });
                given.take(MOST_NAMES).collect::<Vec<_>>().join(", ")
            }
            Difference::Required => {
                let required = node.object.required.iter().map(|name| &**name);
                join_names(
                    "needs",
                    required.filter(|name| !all(&|other| other.object.requires(name))),
                )
            }
            Difference::Keys => join_names(
                "with",
                names.filter(|name| !all(&|other| other.object.property(name).is_some())),
            ),
            Difference::Reference => self
                .union
                .branches
                .get(number)
                .and_then(|place| self.reference_at(*place))
                .unwrap_or_default(),
            Difference::Types => node.shown_types().to_words(),
            Difference::Rules => messages::describe_bounds(node).unwrap_or_default(),
        }
    }
}

fn has_members(node: &&Node) -> bool {
    !node.object.properties.is_empty()
}

fn join_names<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.take(MOST_NAMES).collect();
    if names.is_empty() { String::new() } else { format!("{word} {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn called(union: &Value) -> Vec<String> {
        let schema = Schema::new(
            json!({"oneOf": union, "$defs": {"A<B>": {"type": "object"}, "C": {"type": "array"}}}),
        );
        let node = schema.root_node();
        let union = &node.unions[0];
        let nodes: Vec<_> = union
            .branches
            .iter()
            .map(|place| schema.node(&super::super::node::NodeKey::from_place(*place)))
            .collect();
        branch_names(&schema, union, &nodes).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn branches_are_called_by_what_differs() {
        let object = |members: Value, required: Value| json!({"type": "object", "properties": members, "required": required});
        let any = || json!({});
        assert_eq!(
            called(&json!([{"title": "One", "type": "string"}, {"type": "integer"}])),
            ["One", "whole number"]
        );
        assert_eq!(
            called(&json!([
                object(json!({"id": any(), "name": any(), "size": any(), "r": any()}), json!([])),
                object(
                    json!({"id": any(), "name": any(), "size": any(), "side": any()}),
                    json!([])
                )
            ])),
            ["object with r", "object with side"]
        );
        let tagged =
            |kind: Value, more: &str| object(json!({"type": kind, more: any()}), json!(["type"]));
        assert_eq!(
            called(&json!([
                tagged(json!({"const": "circle"}), "r"),
                tagged(json!({"enum": ["square"]}), "side"),
                {"type": "array", "items": {"type": "number"}}
            ])),
            ["circle", "square", "list of number"]
        );
        let titled = |schema: Value| {
            let mut schema = schema;
            schema["title"] = "Item".into();
            schema
        };
        assert_eq!(
            called(&json!([
                titled(object(json!({"kind": {"const": "a"}}), json!([]))),
                titled(object(json!({"kind": {"const": "b"}}), json!([])))
            ])),
            ["Item (kind a)", "Item (kind b)"]
        );
        assert_eq!(
            called(&json!([
                titled(object(json!({"a": any(), "b": any()}), json!(["a"]))),
                titled(object(json!({"a": any(), "b": any()}), json!(["b"])))
            ])),
            ["Item (needs a)", "Item (needs b)"]
        );
        assert_eq!(
            called(&json!([
                titled(object(json!({"a": any()}), json!([]))),
                titled(object(json!({}), json!([])))
            ])),
            ["Item (with a)", "Item"]
        );
        assert_eq!(
            called(&json!([{"$ref": "#/$defs/A%3CB%3E"}, {"$ref": "#/$defs/C"}])),
            ["A<B>", "C"]
        );
        assert_eq!(
            called(&json!([titled(json!({"type": "string"})), titled(json!({"type": "number"}))])),
            ["Item (text)", "Item (number)"]
        );
        assert_eq!(
            called(&json!([
                titled(json!({"type": "array", "items": {"type": "string"}})),
                titled(json!({"type": "array"}))
            ])),
            ["Item (1)", "Item (2)"]
        );
    }
}
