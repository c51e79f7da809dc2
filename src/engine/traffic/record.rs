//! The record of what was heard: bounded, joined into conversations, with those that a filter shows.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use super::{
    alerts::{Alert, MOST},
    conversation::{Conversation, Standing},
    filter::{Filter, Needle},
    rates::Count,
};
use crate::model::{
    clock::Millis,
    traffic::{Crossing, Part, Reading, Tapped, Witnessed},
};

/// How much is kept; the oldest goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub messages: usize,
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { messages: 100_000, bytes: 64 * 1024 * 1024 }
    }
}

/// So many gaps and words about the connection are kept.
const MARKS: usize = 1_000;

/// So many subjects are counted each for itself.
const SUBJECTS: usize = 1_000;

/// A message that is kept.
#[derive(Clone, Debug)]
pub struct Message {
    /// Counts from 1.
    pub number: u64,
    pub crossing: Arc<Crossing>,
    /// The conversation that it belongs to.
    pub conversation: u64,
    pub label: Cow<'static, str>,
}

/// A gap, or words about the connection, and the message that it comes after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub after: u64,
    pub what: Tapped,
}

/// An alert rang for a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its place in the list.
    pub alert: usize,
    pub conversation: u64,
}

/// Everything that was heard, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub struct Record {
    bounds: Bounds,
    messages: VecDeque<Message>,
    heard: u64,
    weight: usize,
    conversations: VecDeque<Conversation>,
    begun: u64,
    open: BTreeSet<u64>,
    by_id: HashMap<Arc<str>, u64>,
    by_inbox: HashMap<Arc<str>, u64>,
    subjects: BTreeMap<Arc<str>, Count>,
    marks: VecDeque<Mark>,
    /// Messages that the tap let go.
    missed: u64,
    now: Millis,
    view: Filter,
    /// Numbers of the conversations that the view holds for; not kept while it holds for all.
    shown: VecDeque<u64>,
    alerts: Vec<Alert>,
    /// Those of the view, then those of the alerts in their order.
    needles: Vec<Needle>,
    searched: u64,
}

impl Record {
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// Takes in what was heard next; the alerts that ring with it.
    pub fn take(&mut self, witnessed: Witnessed) -> Vec<Ring> {
        self.now = self.now.max(witnessed.at());
        match witnessed {
            Witnessed::Crossing(crossing, reading) => self.join(crossing, &reading),
            Witnessed::Gap { at, messages } => {
                self.missed += messages.unwrap_or(0);
                self.mark(Tapped::Gap { at, messages })
            }
            Witnessed::Notice { at, words } => self.mark(Tapped::Notice { at, words }),
        }
    }

    /// Time has gone by: what waits for its answer waits longer. The alerts that ring now.
    pub fn tick(&mut self, now: Millis) -> Vec<Ring> {
        self.now = self.now.max(now);
        let open: Vec<u64> = self.open.iter().copied().collect();
        open.into_iter().flat_map(|number| self.judge(number)).collect()
    }

    fn mark(&mut self, what: Tapped) -> Vec<Ring> {
        if self.marks.len() == MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { after: self.heard, what });
        Vec::new()
    }

    fn join(&mut self, crossing: Arc<Crossing>, reading: &Reading) -> Vec<Ring> {
        self.heard += 1;
        self.count(&crossing, &reading.part);
        let number = self.home(&crossing, reading);
        let lower = (!self.needles.is_empty()).then(|| lowered(&crossing));
        let found = lower.map_or(0, |text| self.found_in(&text));
        let heard = self.heard;
        if let Some(conversation) = self.at_mut(number) {
            conversation.take(heard, &crossing, reading);
            conversation.found |= found;
            let open = conversation.standing == Standing::Open;
            let (id, inbox) = (conversation.id.clone(), conversation.inbox.clone());
            if let Some(id) = id {
                self.by_id.insert(id, number);
            }
            if let Some(inbox) = inbox {
                self.by_inbox.insert(inbox, number);
            }
            if open {
                self.open.insert(number)
            } else {
                self.open.remove(&number)
            };
        }
        self.weight += crossing.weight();
        let label = reading.label.clone();
        self.messages.push_back(Message { number: heard, crossing, conversation: number, label });
        let rings = self.judge(number);
        self.make_room();
        rings
    }

    fn count(&mut self, crossing: &Crossing, part: &Part) {
        const INBOXES: &str = "_INBOX.";
        let name: Arc<str> = match crossing.subject.starts_with(INBOXES) {
            true => "_INBOX.*".into(),
            false if self.subjects.len() >= SUBJECTS && !self.subjects.contains_key(&crossing.subject) => "(others)".into(),
            false => Arc::clone(&crossing.subject),
        };
        let count = self.subjects.entry(name).or_default();
        count.add(crossing.at, crossing.size);
        count.failures += u64::from(matches!(part, Part::Error(_) | Part::Unreadable(_)));
    }

    /// The conversation that a message belongs to; a new one where there is none.
    fn home(&mut self, crossing: &Crossing, reading: &Reading) -> u64 {
        let by_id = reading.id.as_deref().and_then(|id| self.by_id.get(id));
        let known = by_id.or_else(|| self.by_inbox.get(&crossing.subject)).copied();
        let goes_on = |conversation: &Conversation| {
            // An id that is used once more begins anew.
            !(reading.part == Part::Request && conversation.has_request && conversation.has_ended())
        };
        if let Some(number) = known
            && self.conversation(number).is_some_and(goes_on)
        {
            return number;
        }
        self.begun += 1;
        self.conversations.push_back(Conversation::new(self.begun, crossing, reading));
        self.begun
    }

    /// Brings one conversation's place in the view up to date, and rings.
    fn judge(&mut self, number: u64) -> Vec<Ring> {
        let Some(row) = self.row_among_all(number) else { return Vec::new() };
        let now = self.now;
        let conversation = &mut self.conversations[row];
        let found = conversation.found;
        if !self.view.is_empty() {
            let holds = self.view.holds(conversation, now, |needle| found >> needle & 1 == 1);
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
            if !rang && alert.filter.holds(conversation, now, |needle| found >> (first + needle) & 1 == 1) {
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
        let bits = self.needles.iter().enumerate().map(|(row, needle)| u64::from(needle.stands_in(text)) << row);
        bits.sum()
    }

    fn make_room(&mut self) {
        while self.messages.len() > self.bounds.messages || (self.weight > self.bounds.bytes && self.messages.len() > 1) {
            let Some(gone) = self.messages.pop_front() else { break };
            self.weight -= gone.crossing.weight();
            if let Some(conversation) = self.at_mut(gone.conversation) {
                conversation.messages.pop_front();
            }
        }
        while self.conversations.len() > self.bounds.messages
            || self.conversations.front().is_some_and(|oldest| oldest.messages.is_empty())
        {
            let Some(gone) = self.conversations.pop_front() else { break };
            for (key, map) in [(&gone.id, &mut self.by_id), (&gone.inbox, &mut self.by_inbox)] {
                if let Some(key) = key.as_deref()
                    && map.get(key) == Some(&gone.number)
                {
                    map.remove(key);
                }
            }
            self.open.remove(&gone.number);
            if self.shown.front() == Some(&gone.number) {
                self.shown.pop_front();
            }
        }
    }

    /// Shows only what that filter holds for, from now on.
    ///
    /// # Errors
    /// When it, with the alerts, looks for more texts than can be told apart.
    pub fn show(&mut self, view: Filter) -> Result<(), String> {
        self.arrange(view, self.alerts.clone())
    }

    /// Rings for that filter, too, for what comes from now on.
    ///
    /// # Errors
    /// When there are too many.
    pub fn watch_for(&mut self, filter: Filter) -> Result<(), String> {
        if filter.is_empty() {
            return Err("an alert for everything would ring all the time".into());
        }
        if self.alerts.len() == MOST {
            return Err(format!("there are {MOST} alerts already; take one away first"));
        }
        let row = self.alerts.len();
        let alerts = self.alerts.iter().cloned().chain([Alert::new(filter)]).collect();
        self.arrange(self.view.clone(), alerts)?;
        // What it holds for already has gone by.
        let numbers: Vec<u64> = self.conversations.iter().map(|conversation| conversation.number).collect();
        numbers.into_iter().for_each(|number| drop(self.judge(number)));
        self.alerts[row].rang = 0;
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
        for conversation in &mut self.conversations {
            conversation.rang = conversation.rang & below | conversation.rang >> 1 & !below;
        }
        // Fewer texts than before always fit.
        let _ = self.arrange(self.view.clone(), alerts);
    }

    fn arrange(&mut self, view: Filter, alerts: Vec<Alert>) -> Result<(), String> {
        let needles: Vec<Needle> =
            view.needles().chain(alerts.iter().flat_map(|alert| alert.filter.needles())).cloned().collect();
        if needles.len() > u64::BITS as usize {
            return Err("that looks for more texts at once than can be told apart".into());
        }
        let same = self.needles == needles;
        (self.view, self.alerts, self.needles) = (view, alerts, needles);
        if !same {
            self.search_again();
        }
        self.shown.clear();
        if !self.view.is_empty() {
            let holds = |conversation: &&Conversation| {
                self.view.holds(conversation, self.now, |needle| conversation.found >> needle & 1 == 1)
            };
            self.shown = self.conversations.iter().filter(holds).map(|conversation| conversation.number).collect();
        }
        Ok(())
    }

    fn search_again(&mut self) {
        self.conversations.iter_mut().for_each(|conversation| conversation.found = 0);
        if self.needles.is_empty() {
            return;
        }
        for row in 0..self.messages.len() {
            let (text, number) = (lowered(&self.messages[row].crossing), self.messages[row].conversation);
            let found = self.found_in(&text);
            if let Some(conversation) = self.at_mut(number) {
                conversation.found |= found;
            }
        }
    }

    /// Forgets all that was heard; filter and alerts stay.
    pub fn clear(&mut self) {
        let alerts = self.alerts.iter().map(|alert| Alert::new(alert.filter.clone())).collect();
        let (view, needles) = (self.view.clone(), std::mem::take(&mut self.needles));
        *self = Self { view, needles, alerts, bounds: self.bounds, now: self.now, ..Self::default() };
    }

    /// How many conversations the view shows.
    #[must_use]
    pub fn rows(&self) -> usize {
        if self.view.is_empty() { self.conversations.len() } else { self.shown.len() }
    }

    /// The conversation in a row of the view, the oldest first.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&Conversation> {
        if self.view.is_empty() { self.conversations.get(row) } else { self.conversation(*self.shown.get(row)?) }
    }

    /// The row of the view that a conversation stands in.
    #[must_use]
    pub fn row_of(&self, number: u64) -> Option<usize> {
        if self.view.is_empty() { self.row_among_all(number) } else { self.shown.binary_search(&number).ok() }
    }

    /// The conversation of that number, while it is kept.
    #[must_use]
    pub fn conversation(&self, number: u64) -> Option<&Conversation> {
        self.conversations.get(self.row_among_all(number)?)
    }

    fn at_mut(&mut self, number: u64) -> Option<&mut Conversation> {
        let row = self.row_among_all(number)?;
        self.conversations.get_mut(row)
    }

    fn row_among_all(&self, number: u64) -> Option<usize> {
        let first = self.conversations.front()?.number;
        let row = usize::try_from(number.checked_sub(first)?).ok()?;
        (row < self.conversations.len()).then_some(row)
    }

    /// The message of that number, while it is kept.
    #[must_use]
    pub fn message(&self, number: u64) -> Option<&Message> {
        let first = self.messages.front()?.number;
        self.messages.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// All that is kept, in order, as a tap told it.
    #[must_use]
    pub fn tapped(&self) -> Vec<Tapped> {
        let mut all = Vec::with_capacity(self.messages.len() + self.marks.len());
        let mut marks = self.marks.iter().peekable();
        for message in &self.messages {
            while let Some(mark) = marks.next_if(|mark| mark.after < message.number) {
                all.push(mark.what.clone());
            }
            all.push(Tapped::Crossing(Arc::clone(&message.crossing)));
        }
        all.extend(marks.map(|mark| mark.what.clone()));
        all
    }

    /// What crossed each subject, by name.
    pub fn subjects(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Count)> {
        self.subjects.iter()
    }

    /// Gaps and words about the connection, oldest first.
    pub fn marks(&self) -> impl DoubleEndedIterator<Item = &Mark> + ExactSizeIterator {
        self.marks.iter()
    }

    /// How many messages were heard.
    #[must_use]
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// How many messages were heard and are no longer kept.
    #[must_use]
    pub fn let_go(&self) -> u64 {
        self.heard - self.messages.len() as u64
    }

    /// How many messages were missed, because they came faster than they were taken.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// How many conversations are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.conversations.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conversations.is_empty() && self.marks.is_empty()
    }

    /// When the last thing was heard, or the last tick was.
    #[must_use]
    pub fn now(&self) -> Millis {
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
    pub fn searched(&self) -> u64 {
        self.searched
    }
}

/// All that a text can be found in, in lower case.
fn lowered(crossing: &Crossing) -> String {
    let mut text = crossing.text().into_owned();
    for part in [&*crossing.subject].into_iter().chain(crossing.headers.iter().map(|(_, value)| value.as_str())) {
        text.push('\n');
        text.push_str(part);
    }
    text.make_ascii_lowercase();
    text
}

#[cfg(test)]
mod tests;
