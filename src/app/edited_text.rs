//! A JSON text that is edited in a form and can be undone: the arguments of a call, an answer.

use std::sync::Arc;

use serde_json::Value;

use super::undo::{UndoHistory, UndoStep};
use crate::{
    schema::pointer::Pointer,
    syntax::{
        edit::{Edit, EditError},
        source::Source,
    },
};

/// A text with the steps that led to it. Its revision grows with every change, so that who shows
/// it need not compare texts or values.
#[derive(Clone, Debug)]
pub struct EditedText {
    source: Source,
    revision: u64,
    history: UndoHistory<Replaced>,
}

/// A text that took the place of another.
#[derive(Clone, Debug)]
struct Replaced {
    before: Source,
    after: Source,
}

impl UndoStep for Replaced {
    type Place = Pointer;

    fn join(&mut self, later: Self) {
        self.after = later.after;
    }
}

impl EditedText {
    /// A text that nobody has edited yet.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self { source, revision: 1, history: UndoHistory::default() }
    }

    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The text as a value.
    #[must_use]
    pub fn value(&self) -> Option<&Arc<Value>> {
        self.source.value(0)
    }

    /// A number that is another one after each change. It is never 0.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Makes edits as one step, all or none.
    ///
    /// # Errors
    /// When one of them cannot be made.
    pub fn edit(&mut self, edits: &[Edit]) -> Result<(), EditError> {
        self.edit_then(edits, Ok)
    }

    /// The same, with what `finish` makes of the text after them as part of the step.
    ///
    /// # Errors
    /// When an edit cannot be made, or `finish` fails.
    pub fn edit_then(
        &mut self,
        edits: &[Edit],
        finish: impl FnOnce(Source) -> Result<Source, EditError>,
    ) -> Result<(), EditError> {
        let apply = |source: Source, edit| source.apply(0, edit).map(|(after, _)| after);
        let after = finish(edits.iter().try_fold(self.source.clone(), apply)?)?;
        let place = match edits {
            [Edit::Set { at, .. }] => Some(at.clone()),
            _ => None,
        };
        self.put_step(after, place);
        Ok(())
    }

    /// Puts another text in its place, as a step of its own.
    pub fn replace(&mut self, source: Source) {
        self.put_step(source, None);
    }

    fn put_step(&mut self, after: Source, place: Option<Pointer>) {
        let before = self.source.clone();
        self.show(after.clone());
        self.history.record(Replaced { before, after }, place);
    }

    fn show(&mut self, source: Source) {
        self.source = source;
        self.revision += 1;
    }

    /// Takes the last step back; whether there was one.
    pub fn undo(&mut self) -> bool {
        self.history.undo().map(|step| self.show(step.before)).is_some()
    }

    /// Makes the step again that was taken back last; whether there was one.
    pub fn redo(&mut self) -> bool {
        self.history.redo().map(|step| self.show(step.after)).is_some()
    }

    #[must_use]
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    #[must_use]
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::syntax::source::Format;

    fn set(key: &str, to: i64) -> Edit {
        Edit::Set { at: Pointer::root().child(key), to: json!(to).into() }
    }

    #[test]
    fn edits_are_made_all_or_none() {
        let mut text = EditedText::new(Source::parse(Format::Json, "{}").unwrap());
        let nowhere = Edit::Remove { at: Pointer::root().child("nope") };
        assert!(text.edit(&[set("a", 1), nowhere]).is_err());
        assert!(
            text.edit_then(&[set("a", 1)], |_| Err(EditError::NoSuchPlace(Pointer::root())))
                .is_err()
        );
        assert_eq!((text.source().text().to_string(), text.revision()), ("{}".into(), 1));
        assert!(!text.can_undo());
    }

    proptest! {
        #[test]
        fn undo_and_redo_lead_through_the_same_texts(edits in prop::collection::vec(("[abc]", 0..9_i64), 1..12)) {
            let mut text = EditedText::new(Source::parse(Format::Json, "{}").unwrap());
            let mut revisions = vec![text.revision()];
            for (key, to) in &edits {
                text.edit(&[set(key, *to)]).unwrap();
                revisions.push(text.revision());
            }
            let last = text.source().text().to_string();
            let mut texts = vec![last.clone()];
            while text.undo() {
                texts.push(text.source().text().to_string());
                revisions.push(text.revision());
            }
            prop_assert_eq!(&**text.source().text(), "{}");
            while let Some(expected) = texts.pop() {
                prop_assert_eq!(&**text.source().text(), &*expected);
                prop_assert_eq!(text.redo(), !texts.is_empty());
            }
            prop_assert_eq!(&**text.source().text(), &*last);
            revisions.sort_unstable();
            revisions.dedup();
            prop_assert!(revisions.len() > edits.len());
        }
    }
}
