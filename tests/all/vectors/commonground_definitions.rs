//! Cases about CommonGround's definitions: what the API takes, what a model sees, what a tool gets.

use serde_json::{Value, json};
use toolcrib::{
    syntax::{
        python::pattern,
        source::{Format, Source},
    },
    systems::commonground::{
        function,
        merge::{self, Merged},
        rules::{self, Refusal, Rule},
    },
};

use super::{commonground_wire::context, same};

pub fn definition(case: &Value) -> Result<(), String> {
    answered(&case["definition"].to_string(), &case["expect"])
}

pub fn text(case: &Value) -> Result<(), String> {
    answered(case["yaml"].as_str().ok_or("no text")?, &case["expect"])
}

/// What the API answers to an upload.
fn answered(text: &str, expect: &Value) -> Result<(), String> {
    let Ok(source) = Source::parse(Format::Yaml, text) else {
        return same("refused", &json!("yaml_syntax"), &expect["error"]);
    };
    let Some(read) = source.as_python(0) else {
        return same("an empty text", &json!("YAML root must be a mapping"), &expect["message"]);
    };
    let refused = rules::refusals(&read);
    let Some(first) = refused.first() else {
        same("status", &json!(201), &expect["http_status"])?;
        return same("stored", &rules::stored_row(&read.value), &expect["stored"]);
    };
    same("status", &json!(first.status), &expect["http_status"])?;
    if let Some(fields) = expect.get("field_errors") {
        let field = |refusal: &&Refusal| refusal.rule == Rule::Fields;
        let told = refused.iter().filter(field).filter_map(|refusal| refusal.field.as_ref());
        let told: Value =
            told.map(|field| json!({"field": field.name, "kind": field.kind})).collect();
        return same("fields", &told, fields);
    }
    if let Some(start) = expect["message_starts"].as_str() {
        return if first.text.starts_with(start) {
            Ok(())
        } else {
            Err(format!("it says {:?}", first.text))
        };
    }
    if expect.get("why").is_some() {
        return same("the rule", &json!(first.rule == Rule::Storable), &json!(true));
    }
    same("message", &json!(first.text), &expect["message"])
}

/// Whether the API takes a pattern; only tests/real asks.
pub fn pattern(case: &Value) -> Result<(), String> {
    let answer = pattern::check_pattern(case["pattern"].as_str().unwrap_or_default());
    same(&format!("whether it is one ({answer:?})"), &json!(answer.is_ok()), &case["expect"])
}

pub fn merge(case: &Value) -> Result<(), String> {
    let given = case["given"].as_object().ok_or("nothing given")?;
    let Merged { arguments, defaults_applied, fixed_applied, envs, .. } =
        merge::merge_arguments(given, &case["options"], &context(&case["context"]));
    let got = json!({
        "arguments": arguments, "defaults_applied": defaults_applied, "fixed_applied": fixed_applied, "envs": envs,
    });
    same("merged", &got, &case["expect"])
}

pub fn given(case: &Value) -> Result<(), String> {
    let (arguments, error) = merge::parse_given(&case["raw"]);
    same("read", &json!({"arguments": arguments, "error": error}), &case["expect"])
}

pub fn shown(case: &Value) -> Result<(), String> {
    same(
        "shown",
        &function::visible_parameters(case["parameters"].clone(), &case["options"]),
        &case["expect"],
    )
}
