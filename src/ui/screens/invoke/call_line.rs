//! A call in a line of the session's calls.

use crate::{
    model::call::Call,
    ui::{
        answer::events::format_duration,
        canvas::{Pen, text_width, truncate_key},
        styles::{Role, Styles},
    },
};

/// A call as its row shows it.
pub(super) struct CallLine<'c> {
    pub name: &'c str,
    /// Empty: a call of the tool's service.
    pub kind: &'static str,
    pub took: &'c str,
    /// What it was called with.
    pub words: &'c str,
}

/// So many cells of what a call was called with are worth more than its time.
const WORDS: usize = 16;
/// So many are shown beside a long name.
const FEW_WORDS: usize = 8;

impl CallLine<'_> {
    /// The name is worth more than the time, and so is what distinguishes it from other calls.
    pub(super) fn draw(&self, mut pen: Pen<'_>, is_one_tool: bool, styles: &Styles) {
        let Self { name, kind, took, words } = *self;
        let words = if words.is_empty() && is_one_tool { name } else { words };
        let name = if is_one_tool { "" } else { name };
        let room = pen.remaining_cells();
        let wanted = text_width(name) + text_width(words).min(WORDS) + 2;
        let whole = [kind, took].into_iter().filter(|part| !part.is_empty());
        let notes = [whole.collect::<Vec<_>>().join(" · "), kind.to_owned()];
        let note = notes.iter().find(|note| wanted + text_width(note) < room);
        let note = note.map_or(kind, String::as_str);
        let room = room.saturating_sub(text_width(note) + usize::from(!note.is_empty()));
        let most = if words.is_empty() { room } else { room.saturating_sub(FEW_WORDS + 1) };
        let name = truncate_key(name, most.max(room / 2));
        if !name.is_empty() {
            pen.put_text(&name, styles[Role::Text]).put_text(" ", styles[Role::Text]);
        }
        let taken = text_width(&name) + usize::from(!name.is_empty());
        pen.put_column(words, room.saturating_sub(taken), styles[Role::Dim])
            .put_right(note, styles[Role::Dim]);
    }
}

/// How long a call took that has ended.
pub(super) fn call_duration(call: &Call) -> Option<String> {
    call.answered_in().map(format_duration)
}
