//! Parameters as the framework has them: every value is text, or null.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::systems::opensearch::java;

/// Parameters by name. `None` is a null, which counts as missing where a template names it.
pub type TextMap = BTreeMap<String, Option<String>>;

/// Parameters of a request as texts: strings stay, everything else becomes its JSON text, so that
/// a null becomes the word `null` and is not missing.
#[must_use]
pub fn stringify_values(values: &Map<String, Value>) -> TextMap {
    values
        .iter()
        .map(|(name, value)| (name.clone(), Some(java::value_text(value, java::Numbers::AsRead))))
        .collect()
}

/// The text of a parameter, where it has one.
#[must_use]
pub fn text_of<'m>(map: &'m TextMap, name: &str) -> Option<&'m str> {
    map.get(name)?.as_deref()
}
