//! Tools that differ only by their name.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use serde_json::Value;

use crate::{engine::gated::ToolRow, model::tool::Tool};

/// Sets of tools, of one system, whose descriptors are the same but for `name` and `id`. In catalog
/// order.
#[must_use]
pub(crate) fn find_twins(tools: &[Arc<Tool>]) -> Vec<Vec<ToolRow>> {
    let mut alike: HashMap<u64, Vec<Vec<ToolRow>>> = HashMap::new();
    for (row, tool) in tools.iter().enumerate() {
        let mut hasher = DefaultHasher::new();
        tool.entry.system.hash(&mut hasher);
        hash_value(&tool.entry.value.parsed(), Depth::Top, &mut hasher);
        let sets = alike.entry(hasher.finish()).or_default();
        match sets
            .iter_mut()
            .find(|set| set.first().is_some_and(|first| are_twins(&tools[*first], tool)))
        {
            Some(set) => set.push(row),
            None => sets.push(vec![row]),
        }
    }
    let mut twins: Vec<Vec<ToolRow>> =
        alike.into_values().flatten().filter(|set| set.len() > 1).collect();
    twins.sort();
    twins
}

fn are_twins(a: &Tool, b: &Tool) -> bool {
    let is_named = |key: &str| matches!(key, "name" | "tool_name" | "id");
    match (&*a.entry.value.parsed(), &*b.entry.value.parsed()) {
        (Value::Object(left), Value::Object(right)) => {
            let count = |map: &serde_json::Map<String, Value>| {
                map.keys().filter(|key| !is_named(key)).count()
            };
            a.entry.system == b.entry.system
                && count(left) == count(right)
                && left
                    .iter()
                    .filter(|(key, _)| !is_named(key))
                    .all(|(key, value)| right.get(key) == Some(value))
        }
        _ => false,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Top,
    Within,
}

fn hash_value(value: &Value, depth: Depth, hasher: &mut DefaultHasher) {
    std::mem::discriminant(value).hash(hasher);
    match value {
        Value::Null => {}
        Value::Bool(flag) => flag.hash(hasher),
        Value::Number(number) => number.hash(hasher),
        Value::String(text) => text.hash(hasher),
        Value::Array(items) => {
            items.iter().for_each(|item| hash_value(item, Depth::Within, hasher));
        }
        // The order of keys does not matter, so their hashes are summed.
        Value::Object(map) => {
            let sum = map
                .iter()
                .filter(|(key, _)| {
                    depth == Depth::Within || !matches!(key.as_str(), "name" | "tool_name" | "id")
                })
                .map(|(key, value)| {
                    let mut own = DefaultHasher::new();
                    key.hash(&mut own);
                    hash_value(value, Depth::Within, &mut own);
                    own.finish()
                })
                .fold(0_u64, u64::wrapping_add);
            sum.hash(hasher);
        }
    }
}
