//! The record of what was received: bounded, joined into conversations, with those that a filter
//! shows.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use super::{
    alerts::{Alert, MOST},
    conversation::{Conversation, ConversationState},
    conversations::Conversations,
    filter::{Filter, Needle},
    heard::{Message, TrafficMark},
    names::Names,
    rates::{Count, Rates},
};
use crate::model::{
    clock::Millis,
    traffic::{
        Decoded, ObservedMessage, ParentConversation, Part, SettledConversation, Tapped,
        WatchedItem,
    },
};

/// How much is kept; the oldest goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordBounds {
    pub messages: usize,
    pub bytes: usize,
}

impl Default for RecordBounds {
    fn default() -> Self {
        Self { messages: 100_000, bytes: 64 * 1024 * 1024 }
    }
}

/// So many gaps and words about the connection are kept.
const MARKS: usize = 1_000;

/// An alert rang for a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its place in the list.
    pub alert: usize,
    pub conversation: u64,
}

/// Everything that was received, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub struct Record {
    bounds: RecordBounds,
    messages: VecDeque<Message>,
    heard: u64,
    weight: usize,
    conversations: Conversations,
    open: BTreeSet<u64>,
    names: Names,
    rates: Rates,
    marks: VecDeque<TrafficMark>,
    /// Messages that the tap dropped.
    missed: u64,
    now: Millis,
    view: Filter,
    /// What says nothing new is shown as well.
    reveals: bool,
    /// How many messages tell nothing new.
    routine: u64,
    /// Numbers of the conversations that the view holds for; not kept while it holds for all.
    shown: VecDeque<u64>,
    alerts: Vec<Alert>,
    /// Those of the view, then those of the alerts in their order.
    needles: Vec<Needle>,
    searched: u64,
}

impl Record {
    #[must_use]
    pub fn new(bounds: RecordBounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// Takes in what was received next; the alerts that ring with it.
    pub fn add_witnessed(&mut self, witnessed: WatchedItem) -> Vec<Ring> {
        self.now = self.now.max(witnessed.heard_at());
        match witnessed {
            WatchedItem::ObservedMessage(crossing, reading) => self.add_message(crossing, &reading),
            WatchedItem::Gap { at, messages } => {
                self.missed += messages.unwrap_or(0);
                self.add_mark(Tapped::Gap { at, messages });
                self.interrupt("messages may be missing here: they came faster than they were read")
            }
            WatchedItem::Notice { at, words, breaks } => {
                self.add_mark(Tapped::Notice { at, words, breaks });
                match breaks {
                    true => self.interrupt("messages may be missing here: the connection broke"),
                    false => Vec::new(),
                }
            }
        }
    }

    /// Time has gone by: what waits for its answer waits longer. The alerts that ring now.
    pub fn tick(&mut self, now: Millis) -> Vec<Ring> {
        self.now = self.now.max(now);
        let open: Vec<u64> = self.open.iter().copied().collect();
        open.into_iter().flat_map(|number| self.update_conversation(number)).collect()
    }

    fn add_mark(&mut self, what: Tapped) {
        if self.marks.len() == MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(TrafficMark { after: self.heard, what });
    }

    /// Of what is not over messages may be missing from now on, their end among them; the alerts
    /// that ring with it.
    fn interrupt(&mut self, words: &str) -> Vec<Ring> {
        let open: Vec<u64> = self.open.iter().copied().collect();
        for number in &open {
            if let Some(conversation) = self.conversations.get_mut(*number) {
                conversation.interrupt(words);
            }
        }
        open.into_iter().flat_map(|number| self.update_conversation(number)).collect()
    }

    fn add_message(&mut self, crossing: Arc<ObservedMessage>, reading: &Decoded) -> Vec<Ring> {
        self.heard += 1;
        self.rates.add(&crossing, &reading.part);
        if reading.routine {
            self.routine += 1;
            if self.routine == 1 {
                // From now on the view no longer holds for all.
                self.rebuild_view();
            }
        }
        let number = self.conversation_for(&crossing, reading);
        let lower = (!self.needles.is_empty()).then(|| crossing.lowercase_text());
        let found = lower.map_or(0, |text| self.found_in(&text));
        let heard = self.heard;
        let whole = self.conversations.row_index(number).and_then(|row| {
            let conversation = &mut self.conversations.all[row];
            conversation.add_message(heard, &crossing, reading);
            conversation.found |= found;
            self.names.add_names(conversation, reading);
            conversation.whole
        });
        let whole = whole.filter(|whole| {
            self.conversations.add_part_message((*whole, number), heard, &crossing, reading)
        });
        let settled: Vec<u64> = reading
            .ties
            .settles
            .iter()
            .flat_map(|settled| self.end_conversation(settled, crossing.at))
            .collect();
        self.weight += crossing.memory_size();
        let label = reading.label.clone();
        self.messages.push_back(Message { number: heard, crossing, conversation: number, label });
        let changed = [Some(number), whole].into_iter().flatten().chain(settled);
        let rings = changed.flat_map(|number| self.update_conversation(number)).collect();
        self.make_room();
        rings
    }

    /// Something that is no message says how a conversation ended; the alerts that ring with it.
    pub fn apply_settled(&mut self, settled: &SettledConversation) -> Vec<Ring> {
        self.end_conversation(settled, self.now)
            .into_iter()
            .flat_map(|number| self.update_conversation(number))
            .collect()
    }

    fn end_conversation(&mut self, settled: &SettledConversation, at: Millis) -> Vec<u64> {
        self.names
            .find_by_name(&settled.name)
            .map_or_else(Vec::new, |number| self.conversations.apply_settled(number, settled, at))
    }

    /// The conversation of that name.
    #[must_use]
    pub fn find_by_name(&self, name: &str) -> Option<&Conversation> {
        self.conversation(self.names.find_by_name(name)?)
    }

    /// The conversation that a message belongs to; a new one where there is none.
    fn conversation_for(&mut self, crossing: &ObservedMessage, reading: &Decoded) -> u64 {
        let goes_on = |conversation: &Conversation| {
            // An id that is used once more begins again.
            !(reading.part == Part::Request && conversation.has_request && conversation.has_ended())
        };
        let known = self.names.find_by_message(crossing, reading);
        let known = known.filter(|number| self.conversation(*number).is_some_and(goes_on));
        let whole = reading
            .ties
            .within
            .as_ref()
            .map(|whole| self.whole_conversation(whole, crossing, reading));
        let number = known.unwrap_or_else(|| {
            self.conversations.add_new(|number| Conversation::new(number, crossing, reading))
        });
        if let Some(whole) = whole.filter(|whole| *whole != number) {
            let Self { conversations, messages, .. } = self;
            conversations.join_part((whole, number), |number| {
                Some(Arc::clone(&find_message(messages, number)?.crossing))
            });
        }
        number
    }

    /// The conversation that others are parts of, which may not have been received itself yet.
    fn whole_conversation(
        &mut self,
        whole: &ParentConversation,
        crossing: &ObservedMessage,
        reading: &Decoded,
    ) -> u64 {
        let known = self
            .names
            .find_by_name(&whole.id)
            .filter(|number| self.conversations.row_index(*number).is_some());
        known.unwrap_or_else(|| {
            let number = self
                .conversations
                .add_new(|number| Conversation::of_parts(number, crossing, reading, whole));
            let nothing = Decoded::new(None, Part::Other, "", "");
            if let Some(conversation) = self.conversations.get_mut(number) {
                self.names.add_names(conversation, &nothing);
            }
            number
        })
    }

    /// Brings one conversation's place in the view up to date, and rings.
    fn update_conversation(&mut self, number: u64) -> Vec<Ring> {
        let Some(row) = self.conversations.row_index(number) else { return Vec::new() };
        let now = self.now;
        let shows_all = self.shows_all();
        let conversation = &mut self.conversations.all[row];
        match conversation.standing {
            ConversationState::Open => self.open.insert(number),
            _ => self.open.remove(&number),
        };
        let found = conversation.found;
        if !shows_all {
            let holds = (self.reveals || !conversation.routine)
                && self.view.matches(conversation, now, |needle| found >> needle & 1 == 1);
            match (holds, self.shown.binary_search(&number)) {
                (true, Err(place)) => self.shown.insert(place, number),
                (false, Ok(place)) => drop(self.shown.remove(place)),
                _ => {}
            }
        }
        let mut rings = Vec::new();
        let mut first = self.view.needles().count();
        for (row, alert) in self.alerts.iter_mut().enumerate() {
            let rang = conversation.rang >> row & 1 == 1;
            if !rang
                && alert
                    .filter
                    .matches(conversation, now, |needle| found >> (first + needle) & 1 == 1)
            {
                conversation.rang |= 1 << row;
                alert.rang += 1;
                rings.push(Ring { alert: row, conversation: number });
            }
            first += alert.filter.needles().count();
        }
        rings
    }

    fn found_in(&mut self, text: &str) -> u64 {
        self.searched += 1;
        let bits = self
            .needles
            .iter()
            .enumerate()
            .map(|(row, needle)| u64::from(needle.stands_in(text)) << row);
        bits.sum()
    }

    fn make_room(&mut self) {
        while self.messages.len() > self.bounds.messages
            || (self.weight > self.bounds.bytes && self.messages.len() > 1)
        {
            let Some(gone) = self.messages.pop_front() else { break };
            self.weight -= gone.crossing.memory_size();
            let whole =
                self.conversation(gone.conversation).and_then(|conversation| conversation.whole);
            for number in [Some(gone.conversation), whole].into_iter().flatten() {
                if let Some(conversation) = self.conversations.get_mut(number) {
                    conversation.let_go(gone.number);
                }
            }
        }
        while self.conversations.all.len() > self.bounds.messages
            || self.conversations.all.front().is_some_and(|oldest| oldest.messages.is_empty())
        {
            let Some(gone) = self.conversations.all.pop_front() else { break };
            self.names.remove_conversation(&gone);
            self.open.remove(&gone.number);
            if self.shown.front() == Some(&gone.number) {
                self.shown.pop_front();
            }
        }
    }

    /// Shows only what that filter holds for, from now on.
    ///
    /// # Errors
    /// When it, with the alerts, looks for more texts than can be known apart.
    pub fn set_view(&mut self, view: Filter) -> Result<(), String> {
        self.apply_filters(view, self.alerts.clone())
    }

    /// Rings for that filter, too, for what comes from now on. What it holds for already is marked
    /// and counted, and doesn't ring.
    ///
    /// # Errors
    /// When there are too many.
    pub fn watch_for(&mut self, filter: Filter) -> Result<(), String> {
        if filter.is_empty() {
            return Err("an alert for everything would go off all the time".into());
        }
        if self.alerts.len() == MOST {
            return Err(format!("there are already {MOST} alerts; remove one first"));
        }
        let alerts = self.alerts.iter().cloned().chain([Alert::new(filter)]).collect();
        self.apply_filters(self.view.clone(), alerts)?;
        let numbers: Vec<u64> =
            self.conversations.all.iter().map(|conversation| conversation.number).collect();
        numbers.into_iter().for_each(|number| drop(self.update_conversation(number)));
        Ok(())
    }

    /// Takes an alert away.
    pub fn forget_alert(&mut self, row: usize) {
        if row >= self.alerts.len() {
            return;
        }
        let mut alerts = self.alerts.clone();
        alerts.remove(row);
        let below = (1 << row) - 1;
        for conversation in &mut self.conversations.all {
            conversation.rang = conversation.rang & below | conversation.rang >> 1 & !below;
        }
        // Fewer texts than before always fit.
        let _ = self.apply_filters(self.view.clone(), alerts);
    }

    fn apply_filters(&mut self, view: Filter, alerts: Vec<Alert>) -> Result<(), String> {
        let needles: Vec<Needle> = view
            .needles()
            .chain(alerts.iter().flat_map(|alert| alert.filter.needles()))
            .cloned()
            .collect();
        if needles.len() > u64::BITS as usize {
            return Err("too many search texts at once".into());
        }
        let same = self.needles == needles;
        (self.view, self.alerts, self.needles) = (view, alerts, needles);
        if !same {
            self.search_again();
        }
        self.rebuild_view();
        Ok(())
    }

    /// Finds those that the view holds for again.
    fn rebuild_view(&mut self) {
        self.shown.clear();
        if !self.shows_all() {
            let holds = |conversation: &&Conversation| {
                (self.reveals || !conversation.routine)
                    && self.view.matches(conversation, self.now, |needle| {
                        conversation.found >> needle & 1 == 1
                    })
            };
            self.shown = self
                .conversations
                .all
                .iter()
                .filter(holds)
                .map(|conversation| conversation.number)
                .collect();
        }
    }

    fn shows_all(&self) -> bool {
        self.view.is_empty() && (self.reveals || self.routine == 0)
    }

    /// Shows what says nothing new as well, or hides it again.
    pub fn show_routine(&mut self, reveals: bool) {
        self.reveals = reveals;
        self.rebuild_view();
    }

    /// Whether what says nothing new is shown.
    #[must_use]
    pub fn shows_routine(&self) -> bool {
        self.reveals
    }

    /// How many messages said nothing new.
    #[must_use]
    pub fn routine_count(&self) -> u64 {
        self.routine
    }

    fn search_again(&mut self) {
        self.conversations.all.iter_mut().for_each(|conversation| conversation.found = 0);
        if self.needles.is_empty() {
            return;
        }
        for row in 0..self.messages.len() {
            let (text, number) =
                (self.messages[row].crossing.lowercase_text(), self.messages[row].conversation);
            let found = self.found_in(&text);
            if let Some(conversation) = self.conversations.get_mut(number) {
                conversation.found |= found;
            }
        }
    }

    /// Forgets all that was received; filter and alerts stay.
    pub fn clear(&mut self) {
        let alerts = self.alerts.iter().map(|alert| Alert::new(alert.filter.clone())).collect();
        let (view, needles, reveals) =
            (self.view.clone(), std::mem::take(&mut self.needles), self.reveals);
        *self = Self {
            view,
            needles,
            alerts,
            reveals,
            bounds: self.bounds,
            now: self.now,
            ..Self::default()
        };
    }

    /// How many conversations the view shows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        if self.shows_all() { self.conversations.all.len() } else { self.shown.len() }
    }

    /// The conversation in a row of the view, the oldest first.
    #[must_use]
    pub fn conversation_at(&self, row: usize) -> Option<&Conversation> {
        if self.shows_all() {
            self.conversations.all.get(row)
        } else {
            self.conversation(*self.shown.get(row)?)
        }
    }

    /// The row of the view that a conversation is in.
    #[must_use]
    pub fn row_of(&self, number: u64) -> Option<usize> {
        if self.shows_all() {
            self.conversations.row_index(number)
        } else {
            self.shown.binary_search(&number).ok()
        }
    }

    /// The conversation of that number, while it is kept.
    #[must_use]
    pub fn conversation(&self, number: u64) -> Option<&Conversation> {
        self.conversations.get(number)
    }

    /// The message of that number, while it is kept.
    #[must_use]
    pub fn message(&self, number: u64) -> Option<&Message> {
        find_message(&self.messages, number)
    }

    /// All that is kept, in order, as a tap said it.
    #[must_use]
    pub fn to_tapped(&self) -> Vec<Tapped> {
        let mut all = Vec::with_capacity(self.messages.len() + self.marks.len());
        let mut marks = self.marks.iter().peekable();
        for message in &self.messages {
            while let Some(mark) = marks.next_if(|mark| mark.after < message.number) {
                all.push(mark.what.clone());
            }
            all.push(Tapped::ObservedMessage(Arc::clone(&message.crossing)));
        }
        all.extend(marks.map(|mark| mark.what.clone()));
        all
    }

    /// What crossed each subject, by name.
    pub fn subjects(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Count)> {
        self.rates.iter()
    }

    /// Gaps and words about the connection, oldest first.
    pub fn marks(&self) -> impl DoubleEndedIterator<Item = &TrafficMark> + ExactSizeIterator {
        self.marks.iter()
    }

    /// How many messages were received.
    #[must_use]
    pub fn heard_count(&self) -> u64 {
        self.heard
    }

    /// How many messages were received and are no longer kept.
    #[must_use]
    pub fn let_go(&self) -> u64 {
        self.heard - self.messages.len() as u64
    }

    /// How many messages were missed, because they came faster than they were taken.
    #[must_use]
    pub fn missed_count(&self) -> u64 {
        self.missed
    }

    /// How many conversations are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.conversations.all.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conversations.all.is_empty() && self.marks.is_empty()
    }

    /// When the last thing was received, or the last tick was.
    #[must_use]
    pub fn latest_time(&self) -> Millis {
        self.now
    }

    #[must_use]
    pub fn view(&self) -> &Filter {
        &self.view
    }

    #[must_use]
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// How many messages were searched for texts so far: the measure of a filter's work.
    #[must_use]
    pub fn searched_count(&self) -> u64 {
        self.searched
    }
}

/// The message of that number, while it is kept.
fn find_message(messages: &VecDeque<Message>, number: u64) -> Option<&Message> {
    let first = messages.front()?.number;
    messages.get(usize::try_from(number.checked_sub(first)?).ok()?)
}

#[cfg(test)]
mod tests;
