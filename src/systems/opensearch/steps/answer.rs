//! What came back for a step: its output, what filter and processors make of it, and what later
//! steps get.

use serde_json::{Value, json};

use super::plan::is_dynamic;
use crate::{
    model::{call::CallError, error_kind::ErrorKind},
    systems::opensearch::{
        dynamic::filter_answer,
        error_shapes::{is_failure, read_error},
        keys,
        output::{StoredOutput, store_output},
        processors::{apply::apply_processors, read::read_processors},
        template::text_map::{TextMap, text_of},
        tool_parameters::ToolSpec,
    },
};

/// A step that was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer {
    pub status: u16,
    pub raw: String,
    /// The tool's output, before processors and `output_filter`.
    pub output: Value,
    /// After processors, where there are some.
    pub processed: Option<Value>,
    pub stored: StoredOutput,
    pub remarks: Vec<String>,
}

impl StepAnswer {
    /// The answer as JSON, for traces and scripts.
    #[must_use]
    pub fn to_json(&self, number: usize, called: &str) -> Value {
        json!({
            "step": number + 1, "name": called, "status": self.status, "raw": self.raw,
            "output": self.output, "processed": self.processed, "filtered": self.stored.filtered,
            "stored_as": format!("{called}{}", keys::OUTPUT_SUFFIX), "stored": self.stored.stored,
            "escaped_twice": self.stored.escaped_twice(), "remarks": self.remarks,
        })
    }
}

/// Reads the answer to a step that got these parameters.
///
/// # Errors
/// When the cluster failed at it, or its filter picks nothing.
pub fn read_answer(
    step: &ToolSpec,
    parameters: &TextMap,
    status: u16,
    raw: &str,
) -> Result<StepAnswer, CallError> {
    if is_failure(status) {
        return Err(read_error(status, raw));
    }
    let output = if is_dynamic(step) {
        let filter = text_of(parameters, keys::RESPONSE_FILTER);
        let text = filter_answer(raw, filter).map_err(|why| {
            let kind = ErrorKind::parse("filter-no-match");
            CallError::new(kind, why, "correct response_filter, or remove it")
        })?;
        Value::String(text)
    } else {
        tool_output(step, parameters, raw)
    };
    let mut remarks = Vec::new();
    let processed = process_output(&output, parameters, &mut remarks);
    let stored = store_output(
        processed.as_ref().unwrap_or(&output),
        text_of(parameters, keys::OUTPUT_FILTER),
    );
    if let Some(why) = &stored.unfiltered {
        remarks.push(format!("output_filter left the output unchanged: {why}"));
    }
    Ok(StepAnswer { status, raw: raw.to_owned(), output, processed, stored, remarks })
}

fn process_output(
    output: &Value,
    parameters: &TextMap,
    remarks: &mut Vec<String>,
) -> Option<Value> {
    let listed = text_of(parameters, keys::OUTPUT_PROCESSORS)?;
    match read_processors(&Value::String(listed.to_owned())) {
        Ok(processors) => {
            let processed = apply_processors(output.clone(), &processors);
            remarks.extend(processed.remarks);
            Some(processed.value)
        }
        Err(why) => {
            remarks.push(format!("output_processors had no effect: {why}"));
            None
        }
    }
}

/// The output of a tool that the cluster ran: its result, or what its data holds under
/// `response_field`.
fn tool_output(step: &ToolSpec, parameters: &TextMap, raw: &str) -> Value {
    let Ok(answer) = serde_json::from_str::<Value>(raw) else { return raw.into() };
    let entry = &answer["inference_results"][0]["output"][0];
    if let Some(result) = entry.get("result") {
        return result.clone();
    }
    let Some(data) = entry.get("dataAsMap") else {
        return if entry.is_null() { answer } else { entry.clone() };
    };
    let field = text_of(parameters, "response_field").unwrap_or("response");
    match data.get(field) {
        Some(response) if step.tool_type == keys::MODEL_TOOL => response.clone(),
        _ => data.clone(),
    }
}
