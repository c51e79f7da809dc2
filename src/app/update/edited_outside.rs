//! What comes back from an editor outside.

use serde_json::Value;

use super::{agent_run, answering, calls, files, resources};
use crate::{
    app::{
        agent_run::AgentMessage, answering::AnsweringMessage, calls::CallText, documents::Change,
        effect::Effect, message::TextTarget, notices::NoticeKind, outside_text::OutsideText,
        resources::ResourceMessage, state::State,
    },
    model::{
        clock::Millis,
        entry::{EntryForm, EntryId, FileId},
        finding::EntryEdit,
        settings::SETTINGS,
    },
    schema::{parse::parse_json, pointer::Pointer},
    syntax::{arranged::set_in_order, edit::Edit},
};

/// What is at the place of a file that an editor was given; the order of its members counts.
fn value_there(state: &State, target: &TextTarget, at: &Pointer) -> Option<Value> {
    let (file, document, at) = match target {
        TextTarget::Entry(entry) if entry.place().form == EntryForm::Plain => {
            let place = entry.place();
            (place.file.clone(), place.document, place.at.join(at))
        }
        TextTarget::Form => (state.form.as_ref()?.file.clone(), 0, at.clone()),
        TextTarget::Settings => (FileId::new(SETTINGS), 0, at.clone()),
        _ => return None,
    };
    state.documents.get(&file)?.source.as_ref().ok()?.value_at(document, &at)
}

/// What an editor was given, where it is now; `None`: it is gone.
fn target_now(state: &State, target: TextTarget) -> Option<TextTarget> {
    let moves = state.moved.since(state.moved_before_editor);
    let follow = |id: EntryId| moves?.iter().try_fold(id, |id, moved| moved.follow(&id));
    Some(match target {
        TextTarget::Entry(entry) => TextTarget::Entry(follow(entry)?),
        TextTarget::Call(CallText { tool, part }) => {
            TextTarget::Call(CallText { tool: follow(tool)?, part })
        }
        other => other,
    })
}

/// Takes in a text that an editor gives back, where what it was given is still there.
pub(super) fn take_text(
    state: &mut State,
    target: TextTarget,
    at: Pointer,
    text: OutsideText,
    now: Millis,
) -> Vec<Effect> {
    let to = match text {
        OutsideText::Plain(text) => text.into(),
        OutsideText::Json(text) => match parse_json(&text) {
            Ok(value) => value,
            Err(words) => {
                state.notices.push(NoticeKind::Problem, format!("what was edited {words}"), now);
                return Vec::new();
            }
        },
    };
    let Some(target) = target_now(state, target) else {
        let words = "what was edited is gone from its file: nothing was changed, and its text is on \
                     the clipboard";
        state.notices.push(NoticeKind::Problem, words, now);
        let text = to.value().as_str().map_or_else(|| format!("{:#}", to.value()), str::to_owned);
        return vec![Effect::Copy(text)];
    };
    let ordered = set_in_order(at.clone(), value_there(state, &target, &at).as_ref(), to.clone());
    let edit = Edit::Set { at, to };
    match target {
        TextTarget::Entry(entry) => {
            let label = format!("edit {}", edit.pointer().to_string().trim_start_matches('/'));
            let change = |edit| Change::Entry(EntryEdit { entry: entry.clone(), edit });
            let changes: Vec<Change> = ordered.into_iter().map(change).collect();
            return files::apply_changes(state, &label, &changes, now);
        }
        TextTarget::Call(text) => calls::edit_text(state, text, &[edit], now),
        TextTarget::Answer(ask) => {
            return answering::handle(
                state,
                AnsweringMessage::Edit { ask, edits: vec![edit] },
                now,
            );
        }
        TextTarget::ModelCall => {
            return agent_run::handle_message(state, AgentMessage::Edit(vec![edit]), now);
        }
        TextTarget::ModelResult(place) => {
            let Edit::Set { to, .. } = &edit else { return Vec::new() };
            return agent_run::change_result(state, place, to.value(), now);
        }
        TextTarget::Item(item) => {
            let message = ResourceMessage::Edit { item, edits: vec![edit] };
            return resources::handle_message(state, message, now);
        }
        TextTarget::Form | TextTarget::Settings => {
            let form = state.form.as_ref().map(|form| form.file.clone());
            if let Some(file) =
                form.or((target == TextTarget::Settings).then(|| FileId::new(SETTINGS)))
            {
                let label = format!("edit {}", edit.pointer().to_string().trim_start_matches('/'));
                let change = |edit| Change::File { file: file.clone(), document: 0, edit };
                let changes: Vec<Change> = ordered.into_iter().map(change).collect();
                return files::apply_changes(state, &label, &changes, now);
            }
        }
    }
    Vec::new()
}
