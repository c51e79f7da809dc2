//! JSON Schemas and what forms make of them.

use std::sync::Arc;

use serde_json::Value;

use super::split_first_line;
use crate::{
    schema::{
        blank, decimal, example,
        fields::{self, View},
        inlined::inline_references,
        metaschema, moment, references, secrets, subschemas,
        tree::Schema,
        ui_schema,
        validate::Checker,
    },
    syntax::python,
};

/// `{"schema": …, "value": …, "ui": …}`; anything else is a schema.
pub(super) fn read_schema(input: &Value) {
    let schema = Arc::new(input.get("schema").unwrap_or(input).clone());
    let value = input.get("value").cloned().unwrap_or_default();
    let ui = input.get("ui").cloned();
    _ = Checker::compile(&schema);
    _ = references::stray_references(&schema);
    _ = subschemas::list_objects(&schema);
    _ = metaschema::Metaschemas::new(metaschema::ecma_fault).first_flaw(&schema);
    if let Some(ui) = &ui {
        _ = ui_schema::ignored_options(ui);
    }
    check_inlined(&schema, &value);
    let opened = Checker::compile_lenient(&schema);
    let checker = opened.checker.as_ref();
    let tree = Schema::new(Arc::clone(&opened.schema)).with_ui(ui.map(Arc::new));
    let blank = blank::blank_value(&tree, checker, &tree.root_node().key);
    for value in [&value, &blank] {
        if let Some(checker) = checker {
            let issues = checker.issues(value);
            assert_eq!(issues.is_empty(), checker.is_valid(value), "{value} by {schema}");
        }
        let view = View::default();
        for field in fields::layout_fields(&tree, checker, value, &view) {
            _ = format!("{field:?}");
        }
        for place in secrets::secret_places(&tree, checker, &view, value) {
            assert!(place.get(value).is_some_and(Value::is_string), "{place} in {value}");
        }
    }
    for seed in 0..2 {
        _ = example::make_example(&opened.schema, seed);
    }
    let mut canonical = value;
    decimal::canonicalize(&mut canonical);
    let once = canonical.clone();
    decimal::canonicalize(&mut canonical);
    assert_eq!(canonical, once);
}

/// A schema with its references replaced allows the same values, as long as no part has an address
/// of its own, which would be there twice.
fn check_inlined(schema: &Arc<Value>, value: &Value) {
    let inlined = Arc::new(inline_references(schema));
    let text = schema.to_string();
    if ["\"$id\"", "\"id\"", "nchor\"", "$dynamic", "$recursive"].iter().any(|it| text.contains(it))
    {
        return;
    }
    if let (Ok(one), Ok(other)) = (Checker::compile(schema), Checker::compile(&inlined)) {
        assert_eq!(one.is_valid(value), other.is_valid(value), "{value} by {schema} and {inlined}");
    }
}

/// A pattern on the first line, a text behind it.
pub(super) fn read_pattern(text: &str) {
    let (pattern, text) = split_first_line(text);
    let ecma = metaschema::ecma_fault(pattern);
    _ = python::pattern::check_pattern(pattern);
    let schema = serde_json::json!({"type": "string", "pattern": pattern});
    if let Ok(checker) = Checker::compile(&schema) {
        assert_eq!(ecma, None, "{pattern:?}");
        _ = checker.is_valid(&text.into());
    }
}

pub(super) fn read_moments(text: &str) {
    if let Some(date) = moment::date_in(text) {
        _ = moment::midnight_seconds(date);
        _ = moment::weekday(date);
        for by in [-1, 1, 400, i64::MIN, i64::MAX] {
            _ = moment::plus_days(date, by);
            _ = moment::plus_months(date, by);
        }
    }
    for cursor in [0, text.len() / 2, text.len(), usize::MAX] {
        for by in [1, -1, 10] {
            _ = moment::step_date_time(text, cursor, by);
        }
    }
    _ = moment::duration_words(text);
}
