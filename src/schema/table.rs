//! Lists of objects as tables: which members are columns, and how wide they are.

use std::sync::Arc;

use serde_json::Value;

use super::{
    kind::Column,
    node::{Node, Types},
    phrase::value_text,
    tree::Schema,
};

/// Items at either end that are looked at for how wide a column gets.
const LOOKED_AT: usize = 100;
/// Columns at most.
const MOST: usize = 4;
/// The widest that a column gets.
const WIDEST: usize = 28;

/// The columns of a list whose items are objects alike: the first members that hold a single short
/// value.
#[must_use]
pub(crate) fn table_columns(
    schema: &Schema,
    list: &Node,
    items: &[Value],
) -> Option<Arc<[Column]>> {
    if !list.list.prefix.is_empty() || list.list.items.places.is_empty() {
        return None;
    }
    let node = schema.node(&list.list.items);
    if !node.typed || node.types.difference(Types::NULL) != Types::OBJECT || !node.unions.is_empty()
    {
        return None;
    }
    let single = Types::TEXT.union(Types::NUMBER).union(Types::BOOLEAN).union(Types::NULL);
    let mut columns = Vec::new();
    for property in &node.object.properties {
        let inner = schema.node(&property.node);
        let chosen = inner.choices.is_some() || inner.constant.is_some();
        let is_single = chosen
            || inner.unions.is_empty()
                && inner.types.difference(single).is_empty()
                && !inner.types.is_empty();
        let is_secret = inner.write_only
            || inner.text.format.as_deref() == Some("password")
            || schema.hides_name(&property.name);
        if !is_single || is_secret {
            continue;
        }
        let title = inner.title.clone().unwrap_or_else(|| Arc::clone(&property.name));
        // The last ones too: numbers and names often grow along a list.
        let (first, last) =
            (items.iter().take(LOOKED_AT), items.iter().skip(LOOKED_AT).rev().take(LOOKED_AT));
        let values = first.chain(last).filter_map(|item| item.get(&*property.name));
        let widest =
            values.map(|value| value_text(value).chars().take(WIDEST).count()).max().unwrap_or(0);
        let cells = widest.max(title.chars().count()).clamp(3, WIDEST);
        columns.push(Column { name: Arc::clone(&property.name), title, cells });
        if columns.len() == MOST {
            break;
        }
    }
    (columns.len() > 1).then(|| columns.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_members_are_columns_and_secrets_are_not() {
        let schema = Schema::new(
            json!({"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string", "title": "Name"}, "key": {"type": "string", "writeOnly": true},
            "tags": {"type": "array"}, "size": {"type": "integer"}}}}),
        );
        let items = [json!({"name": "a long name", "key": "s3cret", "size": 5})];
        let columns = table_columns(&schema, &schema.root_node(), &items).unwrap();
        let shown: Vec<_> = columns.iter().map(|column| (&*column.title, column.cells)).collect();
        assert_eq!(shown, [("Name", 11), ("size", 4)]);
    }
}
