//! Cases about what crosses CommonGround's bus: subjects, templates, traces, idempotency keys.

use serde_json::{Value, json};
use toolcrib::systems::commonground::{
    context::{Context, VARIABLES},
    idempotency,
    subject::{self, Subject, overlap},
    trace::{Traceparent, trace_id},
};

use super::same;

/// A context as the vectors write it.
pub fn context(given: &Value) -> Context {
    let mut context = Context::default();
    for name in VARIABLES {
        match &given[name] {
            Value::String(text) => context.set_variable(name, text),
            // Whoever names no channel is in the public one.
            Value::Null if name == "channel_id" => context.set_variable(name, ""),
            Value::Null => {}
            number => context.set_variable(name, &number.to_string()),
        }
    }
    context
}

fn text<'c>(case: &'c Value, name: &str) -> &'c str {
    case[name].as_str().unwrap_or_default()
}

pub fn template(case: &Value) -> Result<(), String> {
    let filled = subject::render_subject(text(case, "template"), &context(&case["context"]));
    same("the subject", &json!(filled.text), &case["expect"])
}

pub fn subject(case: &Value) -> Result<(), String> {
    let text = text(case, "subject");
    let subject = Subject::parse(text);
    let parts = subject.as_ref().map(|subject| {
        json!({
            "version": subject.version, "project_id": subject.project_id, "channel_id": subject.channel_id,
            "category": subject.category, "component": subject.component, "target": subject.target, "suffix": subject.suffix,
        })
    });
    let lamp = Subject::tool_command("demo", "public", "lamp", "switch").service_filter();
    let got = json!({
        "parts": parts,
        "stream": subject.as_ref().and_then(Subject::stream),
        "lamp_service_gets_it": overlap(&lamp, text),
    });
    same("the parts", &got, &case["expect"])?;
    subject.map_or(Ok(()), |subject| {
        same("printed again", &json!(subject.to_string()), &case["subject"])
    })
}

pub fn dispatch(case: &Value) -> Result<(), String> {
    let caller = &case["caller"];
    let answer = subject::check_dispatch(
        text(case, "subject"),
        text(caller, "project_id"),
        text(caller, "channel_id"),
    );
    same(
        "the answer",
        &json!(answer.map_or_else(|why| why.message(), |_| "accepted")),
        &case["expect"],
    )
}

pub fn idempotency_key(case: &Value) -> Result<(), String> {
    let [namespace, project, tool, call] =
        ["namespace", "project_id", "tool", "call_id"].map(|name| text(case, name));
    same("the key", &json!(idempotency::call_key(namespace, project, tool, call)), &case["expect"])
}

pub fn traceparent(case: &Value) -> Result<(), String> {
    let got = match Traceparent::parse(text(case, "traceparent")) {
        Ok(read) => {
            json!({"valid": true, "normalized": read.to_string(), "trace_id": read.trace_id()})
        }
        Err(fault) => json!({"valid": false, "message": fault.message()}),
    };
    same("what is read", &got, &case["expect"])
}

pub fn trace(case: &Value) -> Result<(), String> {
    let got = match trace_id(text(case, "trace_id")) {
        Some(id) => json!({"valid": true, "trace_id": id}),
        None => json!({"valid": false}),
    };
    same("what is read", &got, &case["expect"])
}
