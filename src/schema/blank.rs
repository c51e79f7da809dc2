//! The smallest value that a form starts from when the user makes something new.

use serde_json::{Map, Number, Value};

use super::{
    node::{Node, NodeKey, Types},
    tree::Schema,
};

/// Nested required members are made this deep at most; a schema that requires itself would go on for ever.
const DEEPEST: usize = 8;

/// A new value for a node: its default, else empty, with the constants and defaults that are required.
#[must_use]
pub fn blank(schema: &Schema, key: &NodeKey) -> Value {
    value(schema, &schema.node(key), DEEPEST)
}

fn value(schema: &Schema, node: &Node, depth: usize) -> Value {
    if let Some(default) = node.default.as_ref().filter(|default| node.types.admits(default)) {
        return default.clone();
    }
    if let Some(constant) = &node.constant {
        return constant.clone();
    }
    if let Some(choices) = node.choices.as_ref().filter(|choices| !choices.open) {
        return choices.options.first().map_or(Value::Null, |option| option.value.clone());
    }
    if let Some((union, branch)) = node.unions.first().and_then(|union| Some((union, union.branches.first()?))) {
        return match depth.checked_sub(1) {
            Some(depth) => value(schema, &schema.node(&node.key.with_branch(union.place, *branch)), depth),
            None => Value::Null,
        };
    }
    let types = node.shown_types();
    if types.contains(Types::OBJECT) {
        return Value::Object(members(schema, node, depth));
    }
    match types.each().next() {
        Some((Types::TEXT, _)) => Value::String(String::new()),
        Some((Types::BOOLEAN, _)) => Value::Bool(false),
        Some((Types::LIST, _)) => Value::Array(Vec::new()),
        Some((Types::NUMBER | Types::INTEGER, _)) => Value::Number(number(node)),
        _ => Value::Null,
    }
}

fn members(schema: &Schema, node: &Node, depth: usize) -> Map<String, Value> {
    let mut members = Map::new();
    let Some(depth) = depth.checked_sub(1) else { return members };
    for property in node.object.properties.iter().filter(|property| node.object.requires(&property.name)) {
        let inner = schema.node(&property.node);
        let is_known = inner.constant.is_some() || inner.default.as_ref().is_some_and(|default| inner.types.admits(default));
        let is_object = inner.typed && inner.types == Types::OBJECT && inner.unions.is_empty();
        if is_known || is_object {
            members.insert(property.name.to_string(), value(schema, &inner, depth));
        }
    }
    members
}

/// The bound that is nearest to nothing, else zero.
fn number(node: &Node) -> Number {
    let zero = Number::from(0);
    let bound = |at: &Number| at.as_f64().unwrap_or_default();
    match (&node.number.min, &node.number.max) {
        (Some(min), _) if bound(&min.at) > 0.0 && !min.exclusive => min.at.clone(),
        (_, Some(max)) if bound(&max.at) < 0.0 && !max.exclusive => max.at.clone(),
        (Some(min), _) if bound(&min.at) >= 0.0 && min.exclusive => {
            min.at.as_i64().and_then(|whole| whole.checked_add(1)).map_or(zero, Number::from)
        }
        _ => zero,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new(schema: Value) -> Value {
        let schema = Schema::new(schema);
        blank(&schema, &schema.root_node().key)
    }

    #[test]
    fn required_constants_and_defaults_are_there_from_the_start() {
        let schema = json!({"type": "object", "required": ["kind", "size", "name"],
            "properties": {"kind": {"const": "circle"}, "size": {"default": 3}, "name": {"type": "string"}, "x": {"default": 1}}});
        assert_eq!(new(schema), json!({"kind": "circle", "size": 3}));
    }

    #[test]
    fn numbers_start_within_their_bounds() {
        assert_eq!(new(json!({"type": "integer", "minimum": 5})), json!(5));
        assert_eq!(new(json!({"type": "number", "exclusiveMinimum": 0})), json!(1));
    }

    #[test]
    fn a_schema_that_requires_itself_ends() {
        let endless = json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]});
        assert!(new(endless).is_object());
    }
}
