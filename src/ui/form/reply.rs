//! What a form answers to whoever holds its value.

use crate::{app::outside_text::OutsideText, schema::pointer::Pointer, syntax::edit::Edit};

/// What a form made of an input.
#[derive(Debug, PartialEq)]
pub enum FormReply {
    /// Not for the form: ask outward.
    Ignored,
    /// Focus, scroll, folds or a draft changed, or nothing needs to.
    Handled,
    /// The value changes by these edits, one after the other, as one step of undo. The form shows
    /// them already; whoever holds the value makes them and answers by `Form::sync_value`.
    Edits(Vec<Edit>),
    /// The value at this place is to be edited outside; whoever holds the value takes what comes back.
    OpenEditor { at: Pointer, text: OutsideText },
    /// A text is wanted on the clipboard; where it was cut, the edits took it away.
    Copy { what: String, text: String, edits: Vec<Edit> },
    /// This was selected with the mouse.
    Selected(String),
    /// What was copied last is to be pasted into the text that is edited.
    PasteText,
    /// What a folder holds is wanted, after these edits; it is passed by `Form::set_folder`.
    Folder { folder: String, edits: Vec<Edit> },
    /// The fix of the note with this number is wanted.
    Fix(usize),
    /// The words say why it cannot be done.
    Refused(String),
}

impl FormReply {
    /// This and what came after it, with no edit lost.
    #[must_use]
    pub(super) fn merge_with(self, next: Self) -> Self {
        match (self, next) {
            (Self::Edits(mut first), Self::Edits(second)) => {
                first.extend(second);
                Self::Edits(first)
            }
            (Self::Edits(mut first), Self::Copy { what, text, edits }) => {
                first.extend(edits);
                Self::Copy { what, text, edits: first }
            }
            (Self::Edits(mut first), Self::Folder { folder, edits }) => {
                first.extend(edits);
                Self::Folder { folder, edits: first }
            }
            (edits @ Self::Edits(_), _) => edits,
            (_, next) => next,
        }
    }
}
