//! The conversations that are kept, by their numbers; those that are parts of others are received
//! there as well.

use std::{collections::VecDeque, sync::Arc};

use super::conversation::{Conversation, ConversationState};
use crate::model::{
    clock::Millis,
    traffic::{Decoded, ObservedMessage, SettledConversation},
};

/// Conversations, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversations {
    pub(super) all: VecDeque<Conversation>,
    begun: u64,
}

impl Conversations {
    /// A new one, made with its number.
    pub(super) fn add_new(&mut self, make: impl FnOnce(u64) -> Conversation) -> u64 {
        self.begun += 1;
        self.all.push_back(make(self.begun));
        self.begun
    }

    /// Where the one of that number is, while it is kept.
    pub(super) fn row_index(&self, number: u64) -> Option<usize> {
        let first = self.all.front()?.number;
        let row = usize::try_from(number.checked_sub(first)?).ok()?;
        (row < self.all.len()).then_some(row)
    }

    pub(super) fn get(&self, number: u64) -> Option<&Conversation> {
        self.all.get(self.row_index(number)?)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Conversation> {
        let row = self.row_index(number)?;
        self.all.get_mut(row)
    }

    /// A conversation hears what was said in a part of it; whether it is there.
    pub(super) fn add_part_message(
        &mut self,
        (whole, part): (u64, u64),
        message: u64,
        crossing: &ObservedMessage,
        reading: &Decoded,
    ) -> bool {
        let Some(part) = self.get(part) else { return false };
        let (number, standing, found) = (part.number, part.standing.clone(), part.found);
        let Some(whole) = self.get_mut(whole) else { return false };
        whole.add_part_message(message, (number, standing), crossing, reading);
        if whole.asked_by.is_none() {
            whole.asked_by.clone_from(&reading.ties.asked_by);
        }
        whole.found |= found;
        true
    }

    /// One turns out to be a part of another, which hears what was said in it before. `message`
    /// finds what is still kept.
    pub(super) fn join_part(
        &mut self,
        (whole, part): (u64, u64),
        message: impl Fn(u64) -> Option<Arc<ObservedMessage>>,
    ) {
        let Some(conversation) = self.get_mut(part).filter(|part| part.whole.is_none()) else {
            return;
        };
        conversation.whole = Some(whole);
        let (found, cards, numbers) =
            (conversation.found, conversation.cards.clone(), conversation.messages.clone());
        let Some(whole) = self.get_mut(whole) else { return };
        for number in numbers {
            if let Some(crossing) = message(number) {
                whole.catch_up(number, &crossing);
            }
        }
        whole.found |= found;
        whole.name_cards(&cards);
    }

    /// Ends one as something says that is no message of it; the numbers of those that stand
    /// otherwise now.
    pub(super) fn apply_settled(
        &mut self,
        number: u64,
        settled: &SettledConversation,
        heard: Millis,
    ) -> Vec<u64> {
        let Some(part) = self.get_mut(number) else { return Vec::new() };
        part.apply_settled(settled, heard);
        let (whole, standing): (Option<u64>, ConversationState) =
            (part.whole, part.standing.clone());
        if let Some(whole) = whole.and_then(|whole| self.get_mut(whole)) {
            whole.name_cards(settled.card.as_slice());
            whole.stands_like(standing);
        }
        [Some(number), whole].into_iter().flatten().collect()
    }
}
