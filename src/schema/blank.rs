//! The smallest value that a form starts from when the user makes something new.

use serde_json::{Map, Number, Value};

use super::{
    node::{Node, NodeKey, Types},
    places::offered_default,
    tree::Schema,
    validate::Checker,
};

/// Nested required members are made this deep at most; a schema that requires itself would go on
/// for ever.
const DEEPEST: usize = 8;

/// A new value for a node: its default where the schema allows it, else empty, with the constants
/// and defaults that are required.
#[must_use]
pub fn blank_value(schema: &Schema, checker: Option<&Checker>, key: &NodeKey) -> Value {
    Blank { schema, checker }.node_value(&schema.node(key), DEEPEST)
}

/// The same as far as the schema says it: a default, a constant, an object or a list with some of
/// them. `None`: the user has to say it.
#[must_use]
pub(crate) fn known_value(
    schema: &Schema,
    checker: Option<&Checker>,
    key: &NodeKey,
) -> Option<Value> {
    let node = schema.node(key);
    let is_said = node.constant.is_some() || offered_default(schema, checker, &node).is_some();
    let value = blank_value(schema, checker, key);
    let holds = value.is_object() || value.is_array();
    (is_said || holds && node.unions.is_empty()).then_some(value)
}

struct Blank<'b> {
    schema: &'b Schema,
    checker: Option<&'b Checker>,
}

impl Blank<'_> {
    fn node_value(&self, node: &Node, depth: usize) -> Value {
        if let Some(default) = offered_default(self.schema, self.checker, node) {
            return default.clone();
        }
        if let Some(constant) = &node.constant {
            return constant.clone();
        }
        if let Some(choices) = node.choices.as_ref().filter(|choices| !choices.open) {
            return choices.options.first().map_or(Value::Null, |option| option.value.clone());
        }
        if let Some((union, branch)) =
            node.unions.first().and_then(|union| Some((union, union.branches.first()?)))
        {
            return match depth.checked_sub(1) {
                Some(depth) => self.node_value(
                    &self.schema.node(&node.key.with_branch(union.place, *branch)),
                    depth,
                ),
                None => Value::Null,
            };
        }
        let types = node.shown_types();
        if types.contains(Types::OBJECT) {
            return Value::Object(self.required_members(node, depth));
        }
        match types.iter_names().next() {
            Some((Types::TEXT, _)) => Value::String(String::new()),
            Some((Types::BOOLEAN, _)) => Value::Bool(false),
            Some((Types::LIST, _)) => Value::Array(Vec::new()),
            Some((Types::NUMBER | Types::INTEGER, _)) => Value::Number(nearest_number(node)),
            _ => Value::Null,
        }
    }

    fn required_members(&self, node: &Node, depth: usize) -> Map<String, Value> {
        let mut members = Map::new();
        let Some(depth) = depth.checked_sub(1) else { return members };
        for property in
            node.object.properties.iter().filter(|property| node.object.requires(&property.name))
        {
            let inner = self.schema.node(&property.node);
            let is_known = inner.constant.is_some()
                || offered_default(self.schema, self.checker, &inner).is_some();
            let is_object = inner.typed && inner.types == Types::OBJECT && inner.unions.is_empty();
            if is_known || is_object {
                members.insert(property.name.to_string(), self.node_value(&inner, depth));
            }
        }
        members
    }
}

/// The bound that is nearest to nothing, else zero.
fn nearest_number(node: &Node) -> Number {
    let zero = Number::from(0);
    let bound = |at: &Number| at.as_f64().unwrap_or_default();
    match (&node.number.min, &node.number.max) {
        (Some(min), _) if bound(&min.at) > 0.0 && !min.exclusive => min.at.clone(),
        (_, Some(max)) if bound(&max.at) < 0.0 && !max.exclusive => max.at.clone(),
        (Some(min), _) if bound(&min.at) >= 0.0 && min.exclusive => {
            let above =
                min.at.to_string().parse::<i128>().ok().and_then(|whole| whole.checked_add(1));
            above.and_then(Number::from_i128).unwrap_or(zero)
        }
        _ => zero,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new(schema: Value) -> Value {
        let checker = Checker::compile(&schema).unwrap();
        let schema = Schema::new(schema);
        blank_value(&schema, Some(&checker), &schema.root_node().key)
    }

    #[test]
    fn required_constants_and_defaults_are_there_from_the_start() {
        let schema = json!({"type": "object", "required": ["kind", "size", "name"],
            "properties": {"kind": {"const": "circle"}, "size": {"default": 3}, "name": {"type": "string"}, "x": {"default": 1}}});
        assert_eq!(new(schema), json!({"kind": "circle", "size": 3}));
    }

    #[test]
    fn a_default_that_its_schema_forbids_is_not_used() {
        assert_eq!(new(json!({"type": "integer", "minimum": 5, "default": 1})), json!(5));
        assert_eq!(new(json!({"type": "string", "pattern": "^a", "default": "b"})), json!(""));
        let list = json!({"type": "array", "items": {"type": "integer"}, "default": ["x"]});
        assert_eq!(new(list), json!([]));
        assert_eq!(
            new(
                json!({"type": "object", "required": ["a"], "properties": {"a": {"enum": [1, 2], "default": 3}}})
            ),
            json!({})
        );
    }

    #[test]
    fn numbers_start_within_their_bounds() {
        assert_eq!(new(json!({"type": "integer", "minimum": 5})), json!(5));
        assert_eq!(new(json!({"type": "number", "exclusiveMinimum": 0})), json!(1));
    }

    #[test]
    fn a_schema_that_requires_itself_ends() {
        let endless =
            json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]});
        assert!(new(endless).is_object());
    }
}
