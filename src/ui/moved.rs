//! Entries that went to another place of their file: what screens keep by entries goes along.

use super::view::Screen;
use crate::{
    app::{message::ScreenId, moved::MovedEntries, state::State},
    model::entry::EntryId,
};

/// How many of the moves of entries are known to the screens.
#[derive(Default)]
pub(super) struct KnownMoves(usize);

impl KnownMoves {
    /// Brings the screens to where entries are now. Whether they went elsewhere in the file of what
    /// is selected: what is open was opened for an entry that may be another one now.
    pub fn follow(&mut self, screens: &mut [(ScreenId, Box<dyn Screen>)], state: &State) -> bool {
        let moves = state.moved.since(self.0).unwrap_or_default();
        self.0 = state.moved.count();
        for moved in moves {
            screens.iter_mut().for_each(|(_, screen)| screen.follow_moved(moved));
        }
        let file = state.selected.as_ref().map(EntryId::file);
        let is_near = |moved: &MovedEntries| file.is_some_and(|file| moved.is_of_file(file));
        moves.iter().any(is_near)
    }
}
