//! The form program: accepting the document, as it should be or as a draft, and leaving.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{files, saving};
use crate::{
    app::{
        documents::Change,
        effect::{Effect, Overwrite},
        form_file::{FormEnd, FormGoal, issues_of, value_of},
        message::{AfterSave, DraftPolicy},
        notices::NoticeKind,
        question::Question,
        state::State,
    },
    model::clock::Millis,
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// Prints or saves the document. One with issues asks first, unless the user has said that it is a
/// draft.
pub(super) fn accept(
    state: &mut State,
    then: AfterSave,
    draft: DraftPolicy,
    now: Millis,
) -> Vec<Effect> {
    state.question = None;
    fill_empty(state, now);
    let Some(form) = &state.form else { return Vec::new() };
    let Some(document) = state.documents.get(&form.file) else { return Vec::new() };
    let mut issues = state.documents.unread_words();
    issues.extend(issues_of(&form.schema, document));
    if draft == DraftPolicy::Ask && !issues.is_empty() {
        state.question = Some(Question::Draft { then, issues });
        return Vec::new();
    }
    match form.goal {
        FormGoal::Printed => leave_form(state, FormEnd::Accepted { issues }),
        // A file that isn't there yet is written without an edit, too.
        FormGoal::Saved if document.is_changed() => {
            let save = saving::save_effect(&form.file, document, Overwrite::Refuse);
            if let Some(form) = &mut state.form {
                form.saving = issues;
            }
            state.leaving = then == AfterSave::Leave;
            vec![save]
        }
        FormGoal::Saved if then == AfterSave::Leave => {
            leave_form(state, FormEnd::Accepted { issues })
        }
        FormGoal::Saved => {
            state.notices.push(NoticeKind::Hint, "already saved", now);
            Vec::new()
        }
    }
}

/// A text without anything in it is none of its format: it becomes an object without members.
fn fill_empty(state: &mut State, now: Millis) {
    let Some(form) = &state.form else { return };
    let empty = |document: &crate::app::documents::Document| {
        document.source.as_ref().is_ok_and(|source| source.value(0).is_none())
            && value_of(document).is_object()
    };
    if state.documents.get(&form.file).is_some_and(empty) {
        let edit = Edit::Set { at: Pointer::root(), to: Value::Object(Map::new()).into() };
        let change = Change::File { file: form.file.clone(), document: 0, edit };
        files::apply_changes(state, "begin", &[change], now);
    }
}

/// The text is on disk.
pub(super) fn on_saved(state: &mut State, text: Option<&Arc<str>>) {
    let Some(form) = &mut state.form else { return };
    if let Some(text) = text {
        form.before = Arc::clone(text);
    }
    form.end = FormEnd::Accepted { issues: std::mem::take(&mut form.saving) };
}

fn leave_form(state: &mut State, end: FormEnd) -> Vec<Effect> {
    if let Some(form) = &mut state.form {
        form.end = end;
    }
    vec![Effect::Journal(state.offered_texts()), Effect::Quit]
}

/// Leaves the form as it is; asks when something would be lost.
pub(super) fn quit(state: &mut State, discard: bool) -> Vec<Effect> {
    let Some(form) = &state.form else { return Vec::new() };
    let changed =
        state.documents.get(&form.file).is_some_and(|document| document.text != form.before);
    if (changed || !state.documents.unread.is_empty()) && !discard {
        state.question = Some(Question::LeaveForm(form.goal));
        return Vec::new();
    }
    vec![Effect::Journal(state.offered_texts()), Effect::Quit]
}
