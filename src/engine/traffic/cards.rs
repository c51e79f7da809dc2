//! Which cards belong to what is chosen: those that it names, and those of the calls that these are
//! of.

use super::{conversation::Conversation, record::Record};

/// So many are looked at together.
pub(crate) const MOST: usize = 24;

/// The newest cards that a conversation and its parts name.
#[must_use]
pub(crate) fn of_conversation(conversation: &Conversation) -> Vec<String> {
    newest_cards(conversation.cards.clone())
}

/// The cards that a message of a conversation names, with those of the calls that they are of. A
/// message of a call that names none means the call's.
#[must_use]
pub(crate) fn of_message(
    record: &Record,
    conversation: &Conversation,
    named: &[String],
) -> Vec<String> {
    let own = conversation.parts.is_empty();
    if named.is_empty() {
        return if own { of_conversation(conversation) } else { Vec::new() };
    }
    let whole =
        conversation.whole.and_then(|whole| record.conversation(whole)).unwrap_or(conversation);
    let calls = whole
        .parts
        .iter()
        .filter_map(|part| record.conversation(*part))
        .chain(own.then_some(conversation));
    let mut cards = named.to_vec();
    for call in calls.filter(|call| call.cards.iter().any(|card| named.contains(card))) {
        cards.extend(call.cards.iter().filter(|card| !named.contains(card)).cloned());
    }
    newest_cards(cards)
}

/// Those that the conversations of such names have beside the ones that are there.
#[must_use]
pub(crate) fn further_cards<'n>(
    record: &Record,
    names: impl Iterator<Item = &'n str>,
    there: &[String],
) -> Vec<String> {
    let mut cards = Vec::new();
    for conversation in names.filter_map(|name| record.find_by_name(name)) {
        cards.extend(conversation.cards.iter().filter(|card| !there.contains(card)).cloned());
    }
    newest_cards(cards)
}

fn newest_cards(named: Vec<String>) -> Vec<String> {
    let mut cards: Vec<String> = Vec::new();
    for card in named {
        if !cards.contains(&card) {
            cards.push(card);
        }
    }
    cards.drain(..cards.len().saturating_sub(MOST));
    cards
}
