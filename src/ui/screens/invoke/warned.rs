//! What is wrong with a request, said once before it is sent all the same.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    schema::{fields::Field, pointer::Pointer},
    ui::form::view::Form,
};

/// Arguments with what was said to be wrong when they were to be sent.
#[derive(PartialEq)]
pub(super) struct Warned {
    arguments: Arc<Value>,
    /// What was typed then and is no value: of the arguments, and of `_meta`.
    typed: [Vec<String>; 2],
    pub words: String,
}

impl Warned {
    /// The first thing that is wrong with what these forms hold, or `beside` them; `at` is where
    /// the arguments' is put right.
    pub fn of(
        form: &Form,
        meta: Option<&Form>,
        at: Option<&Pointer>,
        beside: impl FnOnce() -> Option<String>,
    ) -> Option<Self> {
        let name = |at: &Pointer| if at.is_root() { String::new() } else { at.dotted() + ": " };
        let issue =
            || Some(form.issues().first()?).map(|it| name(at.unwrap_or(&it.at)) + &it.words);
        let words = form.unsent_draft().or_else(issue).or_else(beside)?;
        let typed = [form.draft_texts(), meta.map(Form::draft_texts).unwrap_or_default()];
        Some(Self { arguments: Arc::clone(form.value()), typed, words })
    }
}

/// Where the first thing that is wrong with a form is put right: where an object is missing, at its
/// first required field.
pub(super) fn wrong_field(form: &mut Form) -> Option<Pointer> {
    let mut at = form.all_issues().into_iter().next()?.at;
    while at.get(form.value()).is_none() {
        form.unfold_above([at.child("")].iter());
        let is_missing = |field: &&Field| {
            field.required
                && field.pointer.parent().as_ref() == Some(&at)
                && field.pointer.get(form.value()).is_none()
        };
        let Some(within) = form.fields().iter().find(is_missing) else { break };
        at = within.pointer.clone();
    }
    Some(at)
}
