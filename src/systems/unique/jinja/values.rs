//! Values of a configuration as templates have them.

use std::{collections::HashMap, sync::Arc};

use minijinja::{
    Value,
    value::{Enumerator, Object},
};
use serde_json::{Map, Number, Value as Json};

use crate::systems::pydantic::camel_name;

/// A value as templates have it: numbers by their size, members in the order they are written.
pub(super) fn fill_value(value: &Json) -> Value {
    match value {
        Json::Null => Value::from(()),
        Json::Bool(is) => Value::from(*is),
        Json::Number(number) => fill_number(number),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(fill_value).collect(),
        Json::Object(members) => Value::from_object(Members::from_json(members)),
    }
}

fn fill_number(number: &Number) -> Value {
    if let Some(whole) = number.as_i64() {
        return Value::from(whole);
    }
    let written = number.to_string();
    match written.parse::<i128>() {
        Ok(whole) => Value::from(whole),
        Err(_) => number.as_f64().map_or_else(|| Value::from(written), Value::from),
    }
}

/// Members in the order they are written. A tool hands the object on as its class has it, with names in
/// snake_case: they are found as well.
#[derive(Debug)]
struct Members {
    names: Vec<String>,
    values: HashMap<String, Value>,
}

impl Members {
    fn from_json(members: &Map<String, Json>) -> Self {
        let values = members.iter().map(|(name, member)| (name.clone(), fill_value(member)));
        Self { names: members.keys().cloned().collect(), values: values.collect() }
    }
}

impl Object for Members {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        self.values.get(name).or_else(|| self.values.get(&camel_name(name))).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.names.iter().map(|name| Value::from(name.as_str())).collect())
    }
}
