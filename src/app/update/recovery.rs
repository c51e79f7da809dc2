//! Unsaved work of an earlier session, offered at the start.

use std::{collections::BTreeMap, sync::Arc};

use super::files::apply_changes;
use crate::{
    app::{
        documents::Change,
        effect::Effect,
        form_file::FormGoal,
        message::Recovery,
        notices::NoticeKind,
        question::Question,
        state::{LoadProgress, State},
    },
    model::{clock::Millis, entry::FileId, unsaved::UnsavedTexts},
};

/// Offers the unsaved texts of an earlier session, but not before the files are read that they are
/// changes of.
pub(super) fn offer_recovery(state: &mut State, texts: BTreeMap<FileId, Arc<str>>) {
    match state.reading {
        LoadProgress::UnderWay(_) => state.offer = Some(texts),
        LoadProgress::Done => ask_to_recover(state, texts),
    }
}

/// The files are read: what waited for that is offered.
pub(super) fn offer_held(state: &mut State) {
    if let Some(texts) = state.offer.take() {
        ask_to_recover(state, texts);
    }
}

/// A text that is there already is not worth a question: a form that nobody typed into is kept as
/// it began.
fn ask_to_recover(state: &mut State, mut texts: BTreeMap<FileId, Arc<str>>) {
    texts.retain(|file, text| {
        state.documents.get(file).is_none_or(|document| document.text != *text)
    });
    if !texts.is_empty() {
        state.question = Some(Question::Recover(texts));
    }
}

pub(super) fn answer_recovery(state: &mut State, answer: Recovery, now: Millis) -> Vec<Effect> {
    let Some(Question::Recover(texts)) = state.question.take() else { return Vec::new() };
    if answer == Recovery::Discard {
        state.notices.push(NoticeKind::Done, "discarded unsaved work of the earlier session", now);
        return vec![Effect::Journal(UnsavedTexts::new())];
    }
    let changes: Vec<_> = texts
        .into_iter()
        .map(|(file, text)| match state.documents.get(&file) {
            Some(_) => Change::Text { file, text },
            None => Change::Create { file, text },
        })
        .collect();
    let what = match changes.as_slice() {
        [only] => only.file().to_string(),
        many => format!("{} files", many.len()),
    };
    let effects = apply_changes(state, "restore unsaved work", &changes, now);
    let words = match &state.form {
        Some(form) if form.goal == FormGoal::Printed => {
            "restored what was typed; done prints it, undo removes it".to_owned()
        }
        _ => format!("restored unsaved work in {what}; save it or undo"),
    };
    state.notices.push(NoticeKind::Done, words, now);
    effects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            documents::Document,
            message::{DocumentMessage, Message},
            state::Start,
            update::update,
        },
        syntax::source::{Format, Source},
    };

    #[test]
    fn unsaved_work_is_offered_when_its_files_are_read_and_not_before() {
        let texts = BTreeMap::from([(FileId::new("tools.yaml"), Arc::from("tool: {}\n"))]);
        let mut state = State::new(Start::default());
        update(&mut state, Message::Document(DocumentMessage::Unsaved(texts.clone())), Millis(0));
        assert_eq!(state.question, None);
        update(
            &mut state,
            Message::Document(DocumentMessage::LoadEnded {
                names: Vec::new(),
                skipped: Vec::new(),
            }),
            Millis(0),
        );
        assert_eq!(state.question, Some(Question::Recover(texts)));
    }

    #[test]
    fn a_text_that_is_there_already_is_not_offered() {
        let (same, other) = (FileId::new("same.json"), FileId::new("other.json"));
        let mut state = State::new(Start::default());
        for file in [&same, &other] {
            let text: Arc<str> = "{}".into();
            let source = Source::parse(Format::Json, text.clone());
            state
                .documents
                .load_document(file.clone(), Document::from_disk(Format::Json, text, source));
        }
        let texts =
            BTreeMap::from([(same, Arc::from("{}")), (other.clone(), Arc::from("{\"a\": 1}"))]);
        ask_to_recover(&mut state, texts);
        assert_eq!(
            state.question,
            Some(Question::Recover(BTreeMap::from([(other, Arc::from("{\"a\": 1}"))])))
        );
    }
}
