//! Unsaved work of an earlier session, offered at the start.

use super::files::apply_changes;
use crate::{
    app::{
        compose::plan::list_names,
        documents::Change,
        effect::Effect,
        form_file::FormGoal,
        message::Recovery,
        notices::NoticeKind,
        question::Question,
        state::{LoadProgress, State},
    },
    model::{clock::Millis, entry::FileId, unsaved::LeftText},
};

/// Asks about what is offered, but not before the files are read that it is changes of, and not in
/// the place of another question. A text that is there already is not worth a question: a form that
/// nobody typed into is kept as it began.
pub(super) fn ask_to_recover(state: &mut State) {
    let is_free = matches!(state.question, None | Some(Question::Begin));
    if !is_free || state.reading != LoadProgress::Done {
        return;
    }
    let Some(mut texts) = state.offer.take() else { return };
    texts.retain(|file, left| {
        state.documents.get(file).is_none_or(|document| document.text != left.text)
    });
    if !texts.is_empty() {
        state.question = Some(Question::Recover(texts.clone()));
        state.offer = Some(texts);
    }
}

pub(super) fn answer_recovery(state: &mut State, answer: Recovery, now: Millis) -> Vec<Effect> {
    let Some(Question::Recover(texts)) = state.question.take() else { return Vec::new() };
    state.offer = None;
    if answer == Recovery::Discard {
        state.notices.push(NoticeKind::Done, "discarded unsaved work of the earlier session", now);
        return vec![Effect::Journal(state.unsaved_texts())];
    }
    let behind: Vec<FileId> =
        texts.iter().filter(|(_, left)| left.is_behind).map(|(file, _)| file.clone()).collect();
    let changes: Vec<_> = texts
        .into_iter()
        .map(|(file, LeftText { text, .. })| match state.documents.get(&file) {
            Some(_) => Change::Text { file, text },
            None => Change::Create { file, text },
        })
        .collect();
    let what = match changes.as_slice() {
        [only] => only.file().to_string(),
        many => format!("{} files", many.len()),
    };
    let effects = apply_changes(state, "restore unsaved work", &changes, now);
    for file in &behind {
        let saved = state.documents.get(file).and_then(|document| document.saved.clone());
        saved.into_iter().for_each(|theirs| state.documents.note_elsewhere(file, theirs));
    }
    let words = match &state.form {
        Some(form) if form.goal == FormGoal::Printed => {
            "restored what was typed; done prints it, undo removes it".to_owned()
        }
        _ if !behind.is_empty() => {
            let what = list_names(behind.iter().map(FileId::as_str));
            format!("restored unsaved work; {what} changed on disk since, so saving will ask")
        }
        _ => format!("restored unsaved work in {what}; save it or undo"),
    };
    state.notices.push(NoticeKind::Done, words, now);
    effects
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        app::{
            documents::Document,
            message::{DocumentMessage, Message},
            state::Start,
            update::update,
        },
        model::unsaved::LeftTexts,
        syntax::source::{Format, Source},
    };

    fn left<const N: usize>(texts: [(&str, &str); N]) -> LeftTexts {
        let left = |(file, text): (&str, &str)| {
            (FileId::new(file), LeftText { text: text.into(), is_behind: false })
        };
        texts.into_iter().map(left).collect()
    }

    #[test]
    fn unsaved_work_is_offered_when_its_files_are_read_and_not_before() {
        let texts = left([("tools.yaml", "tool: {}\n")]);
        let mut state = State::new(Start::default());
        update(&mut state, Message::Document(DocumentMessage::Unsaved(texts.clone())), Millis(0));
        assert_eq!(state.question, None);
        update(
            &mut state,
            Message::Document(DocumentMessage::LoadEnded {
                names: Vec::new(),
                skipped: Vec::new(),
                unread: Vec::new(),
            }),
            Millis(0),
        );
        assert_eq!(state.question, Some(Question::Recover(texts)));
    }

    #[test]
    fn a_text_that_is_there_already_is_not_offered() {
        let (same, other) = (FileId::new("same.json"), FileId::new("other.json"));
        let mut state = State::new(Start::default());
        state.reading = LoadProgress::Done;
        for file in [&same, &other] {
            let text: Arc<str> = "{}".into();
            let source = Source::parse(Format::Json, text.clone());
            state
                .documents
                .load_document(file.clone(), Document::from_disk(Format::Json, text, source));
        }
        let texts = left([("same.json", "{}"), ("other.json", "{\"a\": 1}")]);
        update(&mut state, Message::Document(DocumentMessage::Unsaved(texts)), Millis(0));
        assert_eq!(state.question, Some(Question::Recover(left([("other.json", "{\"a\": 1}")]))));
    }

    fn offered() -> (State, FileId) {
        let file = FileId::new("tools.yaml");
        let mut state = State::new(Start::default());
        let texts = left([("tools.yaml", "tool: {}\n")]);
        state.reading = LoadProgress::Done;
        update(&mut state, Message::Document(DocumentMessage::Unsaved(texts)), Millis(0));
        assert!(matches!(state.question, Some(Question::Recover(_))));
        (state, file)
    }

    fn journaled(effects: &[Effect]) -> Option<Vec<String>> {
        effects.iter().rev().find_map(|effect| match effect {
            Effect::Journal(texts) => Some(texts.keys().map(ToString::to_string).collect()),
            _ => None,
        })
    }

    #[test]
    fn what_nobody_decided_about_is_asked_again_and_stays_in_the_journal() {
        let (mut state, file) = offered();
        let kept = vec![file.to_string()];
        // Another question in its place doesn't answer it.
        state.question = Some(Question::Leave {
            files: vec![FileId::new("other.json")],
            mocks: Vec::new(),
            messages: 0,
            unread: Vec::new(),
            running: Vec::new(),
        });
        update(&mut state, Message::DropQuestion, Millis(0));
        assert!(matches!(state.question, Some(Question::Recover(_))), "{:?}", state.question);
        for discard in [false, true] {
            let effects = update(&mut state, Message::Quit { discard }, Millis(0));
            assert_eq!(journaled(&effects), Some(kept.clone()), "discard: {discard}");
        }
    }

    #[test]
    fn what_is_restored_over_a_file_that_changed_since_asks_when_it_is_saved() {
        let file = FileId::new("a.json");
        let restored = |is_behind: bool| {
            let mut state = State::new(Start::default());
            state.reading = LoadProgress::Done;
            let theirs: Arc<str> = "{\"theirs\": 1}".into();
            let source = Source::parse(Format::Json, theirs.clone());
            let document = Document::from_disk(Format::Json, theirs.clone(), source);
            state.documents.load_document(file.clone(), document);
            let mut texts = left([("a.json", "{\"mine\": 1}")]);
            texts.values_mut().for_each(|left| left.is_behind = is_behind);
            update(&mut state, Message::Document(DocumentMessage::Unsaved(texts)), Millis(0));
            let restore = Message::Document(DocumentMessage::Recover(Recovery::Restore));
            update(&mut state, restore, Millis(0));
            let save = Message::Document(DocumentMessage::Save(Some(file.clone())));
            let effects = update(&mut state, save, Millis(0));
            let asks = state.question.take().is_some();
            match effects.into_iter().next() {
                Some(Effect::Save { text, before, .. }) => {
                    assert_eq!(text.as_deref(), Some("{\"mine\": 1}"));
                    assert_eq!(before, Some(theirs));
                }
                other => assert!(asks && other.is_none(), "{other:?}"),
            }
            let is_known = state.documents.unsaved_texts()[&file].before.is_some();
            update(&mut state, Message::Document(DocumentMessage::Undo), Millis(0));
            let change = Change::Text { file: file.clone(), text: "{\"new\": 1}".into() };
            apply_changes(&mut state, "edit", &[change], Millis(0));
            assert!(state.documents.unsaved_texts()[&file].before.is_some(), "{is_behind}");
            (asks, is_known)
        };
        assert_eq!((restored(false), restored(true)), ((false, true), (true, false)));
    }

    #[test]
    fn what_is_discarded_is_only_what_was_offered() {
        let (mut state, _) = offered();
        let file = FileId::new("mine.json");
        let create = Change::Create { file: file.clone(), text: "{}".into() };
        apply_changes(&mut state, "new", &[create], Millis(0));
        let discard = Message::Document(DocumentMessage::Recover(Recovery::Discard));
        let effects = update(&mut state, discard, Millis(0));
        assert_eq!(journaled(&effects), Some(vec![file.to_string()]));
        assert_eq!(state.question, None);
    }
}
