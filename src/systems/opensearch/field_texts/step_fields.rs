//! The fields of a step: its templates, and what becomes of its answer.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::pieces::{first_names, plain_piece, remark, text_pieces, unsampled_remark};
use crate::{
    model::shown::shorten,
    schema::pointer::Pointer,
    systems::{
        facets::templates::{FieldRemark, FieldText, PieceOrigin, RemarkLevel},
        opensearch::{
            connector::body::{escape_values, quoted_null_names},
            java::{self, Numbers},
            keys,
            output::StoredOutput,
            processors::{apply::apply_processors, read::read_processors},
            steps::{
                answer::{StepAnswer, read_answer},
                plan::is_dynamic,
                prepare::{ParameterOrigin, PreparedStep, prepare_step, raw_value_remarks},
                state::RunState,
            },
            strict_json,
            template::{
                marks::PARAMETERS,
                render::{Origin, Rendered, render_template},
                text_map::{TextMap, text_of},
            },
            tool_parameters::{ToolSpec, merge_parameters},
        },
    },
};

/// How many bytes of an output are shown.
const LONGEST: usize = 4_000;

/// Where a step is.
pub(super) struct StepContext<'s> {
    pub at: Pointer,
    /// From 0.
    pub number: usize,
    /// The names of the steps that run before it.
    pub before: &'s [&'s str],
    /// What the entry itself says a model gives.
    pub declared: Option<&'s Value>,
}

/// What becomes of values on their way into a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FillRule {
    /// They go in as they are.
    Raw,
    /// They are escaped, as a connector does.
    Escaped,
}

impl StepContext<'_> {
    /// Adds what the step's fields come to; answers what it stores of a sample answer.
    pub fn add_step(
        &self,
        step: &ToolSpec,
        state: &RunState,
        answer: Option<&str>,
        texts: &mut Vec<FieldText>,
    ) -> Option<StoredOutput> {
        let prepared = prepare_step(self.number, step, state);
        let merged = merge_parameters(step, &state.parameters());
        for (name, template) in &step.parameters {
            let Some(template) = template.as_deref() else { continue };
            if !template.contains(PARAMETERS) || is_output_rule(name) {
                continue;
            }
            // A tool fills in its input itself, and escapes nothing.
            let is_raw = name == keys::INPUT || is_dynamic(step);
            let rule = if is_raw { FillRule::Raw } else { FillRule::Escaped };
            texts.push(self.template_text((name, template), &prepared, &merged, rule));
        }
        let Some(answer) = answer else {
            self.add_hints(step, texts);
            return None;
        };
        let read = read_answer(step, &prepared.parameters, 200, answer);
        self.add_results(step, read.as_ref().map_err(|error| error.message.clone()), texts);
        read.ok().map(|read| read.stored)
    }

    fn parameter(&self, name: &str) -> Pointer {
        self.at.child(keys::PARAMETERS).child(name)
    }

    fn template_text(
        &self,
        (name, template): (&str, &str),
        prepared: &PreparedStep,
        merged: &TextMap,
        rule: FillRule,
    ) -> FieldText {
        let at = self.parameter(name);
        let filled = match rule {
            FillRule::Raw => render_template(template, PARAMETERS, merged),
            FillRule::Escaped => {
                let values = escape_values(merged);
                let own = text_of(&values, name).unwrap_or(template);
                render_template(own, PARAMETERS, &values)
            }
        };
        let rendered = match filled {
            Ok(rendered) => rendered,
            Err(error) => {
                let remarks = vec![remark(RemarkLevel::Error, error.message())];
                return FieldText { at, pieces: Vec::new(), remarks };
            }
        };
        let mut remarks = self.missing_remarks(&rendered);
        if rule == FillRule::Escaped {
            let words = "a connector whose body names it fills it in, escaped for JSON";
            remarks.push(remark(RemarkLevel::Rule, words));
        }
        if name == keys::REQUEST_BODY && rule == FillRule::Raw {
            remarks.extend(null_remarks(template, merged));
            let raw = raw_value_remarks(&rendered).into_iter();
            remarks.extend(raw.map(|words| remark(RemarkLevel::Warning, words)));
            if rendered.unfilled_names().is_empty()
                && let Err(error) = strict_json::parse_unique(&rendered.text)
            {
                remarks.push(remark(RemarkLevel::Warning, format!("this is not JSON: {error}")));
            }
        }
        remarks.extend(placeholder_remarks(&rendered, prepared));
        let origins = piece_origins(prepared);
        let origin_of = |name: &str| origins.get(name).copied().unwrap_or(PieceOrigin::Tool);
        FieldText { at, pieces: text_pieces(&rendered, &origin_of), remarks }
    }

    /// Names without a value: what will give it, and what nothing gives.
    fn missing_remarks(&self, rendered: &Rendered) -> Vec<FieldRemark> {
        let is_given = |name: &str| {
            self.declared.is_none_or(|schema| schema["properties"].get(name).is_some())
        };
        let mut remarks = Vec::new();
        let (mut unsampled, mut ungiven) = (Vec::new(), Vec::new());
        for name in rendered.unfilled_names() {
            let step = name.strip_suffix(keys::OUTPUT_SUFFIX);
            match step.and_then(|step| self.before.iter().position(|known| *known == step)) {
                Some(step) => {
                    let words = format!("{name} is available once step {} has run", step + 1);
                    remarks.push(remark(RemarkLevel::Rule, words));
                }
                None if is_given(name) => unsampled.push(name),
                None => ungiven.push(name),
            }
        }
        remarks.extend(unsampled_remark(&unsampled));
        if !ungiven.is_empty() {
            let names = first_names(&ungiven);
            let words = format!("{names} has no value: it isn't in {}", keys::INPUT_SCHEMA);
            remarks.push(remark(RemarkLevel::Warning, words));
        }
        remarks
    }

    /// Says where the fields that work on answers show what they do.
    fn add_hints(&self, step: &ToolSpec, texts: &mut Vec<FieldText>) {
        for name in [keys::RESPONSE_FILTER, keys::OUTPUT_PROCESSORS, keys::OUTPUT_FILTER] {
            if text_of(&step.parameters, name).is_some() {
                let words = "paste a sample answer in Try to see its result";
                texts.push(FieldText {
                    at: self.parameter(name),
                    remarks: vec![remark(RemarkLevel::Hint, words)],
                    ..FieldText::default()
                });
            }
        }
    }

    /// What filters and processors make of a sample answer.
    fn add_results(
        &self,
        step: &ToolSpec,
        read: Result<&StepAnswer, String>,
        texts: &mut Vec<FieldText>,
    ) {
        let given = |name: &str| text_of(&step.parameters, name).is_some();
        let read = match read {
            Ok(read) => read,
            Err(why) => {
                let at = self.parameter(keys::RESPONSE_FILTER);
                let remarks = vec![remark(RemarkLevel::Warning, why)];
                texts.push(FieldText { at, remarks, ..FieldText::default() });
                return;
            }
        };
        if given(keys::RESPONSE_FILTER) {
            let at = self.parameter(keys::RESPONSE_FILTER);
            let pieces = shown_value(&read.output);
            texts.push(FieldText { at, pieces, remarks: Vec::new() });
        }
        if let Some(listed) = text_of(&step.parameters, keys::OUTPUT_PROCESSORS) {
            let at = self.parameter(keys::OUTPUT_PROCESSORS);
            texts.extend(processor_texts(&at, listed, &read.output));
        }
        if given(keys::OUTPUT_FILTER) {
            let stored = &read.stored;
            let mut remarks = Vec::new();
            if let Some(why) = &stored.unfiltered {
                let words = format!("the output is unchanged: {why}");
                remarks.push(remark(RemarkLevel::Warning, words));
            }
            if stored.stored != stored.filtered {
                let words = format!("escaped for later steps: {}", start_of(&stored.stored));
                remarks.push(remark(RemarkLevel::Rule, words));
            }
            let pieces = plain_piece(start_of(&stored.filtered));
            texts.push(FieldText { at: self.parameter(keys::OUTPUT_FILTER), pieces, remarks });
        }
    }
}

/// Whether a parameter works on answers, and is no template.
fn is_output_rule(name: &str) -> bool {
    [keys::RESPONSE_FILTER, keys::OUTPUT_FILTER, keys::OUTPUT_PROCESSORS].contains(&name)
}

/// The output after each processor, at the place of that one.
fn processor_texts(at: &Pointer, listed: &str, output: &Value) -> Vec<FieldText> {
    let Ok(Value::Array(items)) = serde_json::from_str::<Value>(listed) else { return Vec::new() };
    let mut value = output.clone();
    let mut texts = Vec::new();
    for (row, item) in items.into_iter().enumerate() {
        // Why one cannot be made, the checks say at the field.
        let Ok(processors) = read_processors(&Value::Array(vec![item])) else { break };
        let processed = apply_processors(value, &processors);
        value = processed.value;
        let failed = processed.remarks.into_iter();
        texts.push(FieldText {
            at: at.item(row),
            pieces: shown_value(&value),
            remarks: failed.map(|why| remark(RemarkLevel::Warning, why)).collect(),
        });
    }
    texts
}

/// Where the values of a step's parameters are from, by their names.
#[must_use]
pub fn piece_origins(prepared: &PreparedStep) -> HashMap<&str, PieceOrigin> {
    let origin_of = |origin: &ParameterOrigin| match origin {
        ParameterOrigin::Request | ParameterOrigin::RequestForTool => PieceOrigin::Request,
        ParameterOrigin::Output(_) => PieceOrigin::Output,
        ParameterOrigin::Assumed => PieceOrigin::Default,
        ParameterOrigin::Tool | ParameterOrigin::Config | ParameterOrigin::Input => {
            PieceOrigin::Tool
        }
    };
    prepared.seen.iter().map(|seen| (seen.name.as_str(), origin_of(&seen.origin))).collect()
}

/// Quoted nulls of missing names, which stay text by the rules of a tool.
fn null_remarks(template: &str, values: &TextMap) -> Option<FieldRemark> {
    let quoted = quoted_null_names(template);
    let missing = quoted.iter().map(String::as_str);
    let missing: Vec<&str> = missing.filter(|name| text_of(values, name).is_none()).collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    let words =
        || format!("{} {verb} missing: \"null\" is a text here, not null", first_names(&missing));
    (!missing.is_empty()).then(|| remark(RemarkLevel::Rule, words()))
}

/// Values of the request that hold placeholders themselves.
fn placeholder_remarks(rendered: &Rendered, prepared: &PreparedStep) -> Option<FieldRemark> {
    let used: HashSet<&str> = rendered
        .pieces
        .iter()
        .filter_map(|piece| match &piece.from {
            Origin::Value(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let is_given = |origin: &ParameterOrigin| {
        matches!(origin, ParameterOrigin::Request | ParameterOrigin::RequestForTool)
    };
    let holding = prepared.seen.iter().filter(|seen| {
        is_given(&seen.origin)
            && seen.value.as_deref().is_some_and(|value| value.contains(PARAMETERS))
            && used.contains(seen.name.as_str())
    });
    let names: Vec<&str> = holding.map(|seen| seen.name.as_str()).collect();
    let words = || {
        let names = first_names(&names);
        format!("the value of {names} has a placeholder, which is filled in, too")
    };
    (!names.is_empty()).then(|| remark(RemarkLevel::Warning, words()))
}

fn shown_value(value: &Value) -> Vec<crate::systems::facets::templates::TextPiece> {
    plain_piece(start_of(&java::value_text(value, Numbers::AsRead)))
}

/// As much of an output as a form shows.
fn start_of(text: &str) -> String {
    shorten(text, LONGEST).into_owned()
}
