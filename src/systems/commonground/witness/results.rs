//! Which step takes in the result of which call: recognized by the turn, the order and the cards
//! that are new, where nothing names the call.

use super::{
    super::{headers, idempotency},
    channel_message::{ChannelMessage, short_id},
    events::{TAKES_RESULT, new_cards},
    recent::Recent,
};
use crate::model::traffic::{EndEvidence, SettledConversation};

/// What turns wait for.
#[derive(Debug, Default)]
pub(super) struct Results {
    turns: Recent<Turn>,
    /// Calls that were instructed to be over, by their ids or the keys of their marks.
    over: Recent<()>,
}

#[derive(Debug, Default)]
struct Turn {
    calls: Vec<Call>,
    /// Its worker was informed that something is in the inbox.
    rang: bool,
}

#[derive(Clone, Debug)]
struct Call {
    id: String,
    /// The key of its mark.
    key: String,
    /// The card that holds it.
    card: String,
}

/// So many calls of one turn are remembered.
const MOST: usize = 64;

impl Results {
    /// A call is made.
    pub(super) fn record_call(&mut self, heard: &ChannelMessage<'_>) {
        let (Some(turn), Some(id)) = (heard.turn_id(), heard.header(headers::CALL)) else { return };
        let tool = heard.text("tool_name").unwrap_or(&heard.subject.target);
        let key = idempotency::tool_key(&heard.subject.project_id, tool, id);
        let call = Call {
            id: id.to_owned(),
            key,
            card: heard.text("tool_call_card_id").unwrap_or_default().to_owned(),
        };
        if self.turns.get(turn).is_none() {
            self.turns.insert(turn.to_owned(), Turn::default());
        }
        let Some(turn) = self.turns.get_mut(turn) else { return };
        turn.rang = false;
        if turn.calls.len() < MOST && !turn.calls.iter().any(|known| known.id == call.id) {
            turn.calls.push(call);
        }
    }

    /// A worker is instructed to look after its turn; without a reason, because something is in the
    /// inbox.
    pub(super) fn record_wakeup(&mut self, heard: &ChannelMessage<'_>) {
        if heard.text("reason").is_none()
            && let Some(turn) = heard.turn_id().and_then(|turn| self.turns.get_mut(turn))
        {
            turn.rang = true;
        }
    }

    /// A call, by its id or the key of its mark, is over.
    pub(super) fn record_end(&mut self, name: &str) {
        self.over.insert(name.to_owned(), ());
    }

    /// The calls whose results a step, or the end of a task, takes in. Where several wait, only
    /// when there is a result for each.
    pub(super) fn settle_calls(&mut self, heard: &ChannelMessage<'_>) -> Vec<SettledConversation> {
        let Self { turns, over } = self;
        let Some(turn) = heard.turn_id().and_then(|turn| turns.get_mut(turn)) else {
            return Vec::new();
        };
        let of_task = heard.text("tool_result_card_id");
        let cards = of_task.map_or_else(|| new_cards(heard), |card| vec![card]);
        let named = heard.text("step_id").is_some_and(|step| step.starts_with(TAKES_RESULT));
        let calls = turn.calls.iter().any(|call| cards.contains(&call.card.as_str()));
        let takes = of_task.is_some() || named || (turn.rang && cards.len() == 1 && !calls);
        if !takes || cards.is_empty() {
            return Vec::new();
        }
        turn.calls.retain(|call| over.get(&call.id).is_none() && over.get(&call.key).is_none());
        if turn.calls.len() != cards.len() {
            return Vec::new();
        }
        turn.rang = false;
        let alone = cards.len() == 1;
        let settled = std::mem::take(&mut turn.calls).into_iter().map(|call| SettledConversation {
            name: call.id,
            problem: None,
            text: match alone {
                true => format!(
                    "a result came, card {}; the card has whether it says yes",
                    short_id(cards[0])
                ),
                false => format!(
                    "a result came, one of {} cards; the card has whether it says yes",
                    cards.len()
                ),
            },
            card: alone.then(|| cards[0].to_owned()),
            at: Some(heard.crossing.at),
            known: EndEvidence::Inferred,
        });
        settled.collect()
    }
}
