//! A conversation: a request with all the messages that its id, or its inbox, ties to it.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use crate::model::{
    call::CallError,
    clock::Millis,
    entry::SystemId,
    traffic::{
        Decoded, EndEvidence, ObservedMessage, ParentConversation, Part, SettledConversation,
    },
};

/// So many remarks, and so many parts, of one conversation are kept.
const MOST: usize = 64;

/// So many places where a conversation's messages went are kept.
pub(crate) const SUBJECTS: usize = 16;

/// An answer may be received so much earlier than what it answers, in milliseconds.
const EARLY: u64 = 5_000;

/// So many letters of what was asked and answered are kept for a list.
const SHORT: usize = 160;

/// How a conversation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationState {
    /// Asked, and not answered to the end.
    Open,
    Succeeded,
    Failed(CallError),
    /// A message of it cannot be understood.
    Unreadable(CallError),
    /// An answer to something that was not received.
    Orphan,
    /// A message that belongs to nothing.
    Single,
}

impl ConversationState {
    /// Every word, in the order of the variants.
    pub const WORDS: [&'static str; 6] =
        ["open", "succeeded", "failed", "unreadable", "orphan", "single"];

    /// A stable word for scripts, lists and filters.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        Self::WORDS[match self {
            Self::Open => 0,
            Self::Succeeded => 1,
            Self::Failed(_) => 2,
            Self::Unreadable(_) => 3,
            Self::Orphan => 4,
            Self::Single => 5,
        }]
    }

    /// Whether it ended as one side no longer wanted it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Failed(problem) if problem.kind.as_str() == CANCELLED)
    }

    /// What went wrong, where something did.
    #[must_use]
    pub fn problem(&self) -> Option<&CallError> {
        match self {
            Self::Failed(problem) | Self::Unreadable(problem) => Some(problem),
            _ => None,
        }
    }
}

/// The kind of the problem of what was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";

/// Who said how a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndSource {
    /// Who answers.
    Own,
    /// Somebody else.
    Other,
    /// Nobody: it follows from what others did.
    Nobody,
}

/// Messages that belong together.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Counts from 1.
    pub number: u64,
    pub system: Option<SystemId>,
    pub id: Option<Arc<str>>,
    /// The number of the conversation that it is a part of, and hears it, too.
    pub whole: Option<u64>,
    /// The numbers of its own parts, in the order in which they began.
    pub parts: Vec<u64>,
    /// What it shares with others of the same errand.
    pub trace: Option<Arc<str>>,
    /// The one that it is an errand of, where its messages say so.
    pub asked_by: Option<ParentConversation>,
    /// Who or what it is about, where its system says so.
    pub topic: Option<String>,
    /// Where its first message went.
    pub subject: Arc<str>,
    /// Where its messages went, the first [`SUBJECTS`] such places.
    pub subjects: Vec<Arc<str>>,
    pub began: Millis,
    pub last: Millis,
    /// The first message that answers.
    pub answered: Option<Millis>,
    pub standing: ConversationState,
    /// The beginning of what was asked.
    pub asked: String,
    /// The beginning of what was last answered.
    pub said: String,
    /// The states that it names, in order.
    pub states: Vec<String>,
    /// How it was last said to go.
    pub goes: String,
    /// When what it waits for is over at the latest.
    pub due: Option<Millis>,
    /// It says nothing new.
    pub routine: bool,
    /// What is odd about it.
    pub remarks: Vec<Remark>,
    /// The newest cards that its messages point to, by ids, in the order in which they were named.
    pub cards: Vec<String>,
    /// The numbers of its messages that are still kept, and of those of its parts.
    pub messages: VecDeque<u64>,
    /// Which of all its messages begin a row; those between them are further pieces of the same
    /// answer.
    rows: VecDeque<u64>,
    /// The conversation and the label of the piece that came last.
    piece: Option<(u64, String)>,
    /// How many messages it had.
    pub count: u64,
    pub bytes: u64,
    /// Messages that came after its end.
    pub late: u64,
    /// A message of it can't be decoded.
    pub has_unreadable: bool,
    /// Nothing of it came since messages may have been missed, so its end may be among them.
    pub is_interrupted: bool,
    /// Alerts that rang for it, by their place in the list: one bit each.
    pub rang: u64,
    /// Texts of the filter and the alerts that were found in it: one bit each.
    pub(super) found: u64,
    /// The label of what [`Self::said`] holds.
    label: String,
    /// Its request was received.
    pub(super) has_request: bool,
    /// Who said its end.
    told: EndSource,
    /// An end that was received before its request, and when.
    early: Option<(Millis, ConversationState)>,
    /// Messages that are not those of a part.
    pub(super) own: u64,
    /// Other names that it goes by.
    pub(super) names: Vec<Arc<str>>,
    /// Where its answers may go, when the transport says so.
    pub(super) inbox: Option<Arc<str>>,
}

/// Something odd, and the number of the message that it is odd about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub message: u64,
    pub words: String,
}

impl Conversation {
    pub(super) fn new(number: u64, crossing: &ObservedMessage, reading: &Decoded) -> Self {
        let standing = match &reading.part {
            Part::Request | Part::Step | Part::Note => ConversationState::Open,
            Part::Answer { .. } | Part::Error(_) | Part::Outcome(_) | Part::Unreadable(_) => {
                ConversationState::Orphan
            }
            Part::Broadcast | Part::Other => ConversationState::Single,
        };
        Self {
            id: reading.id.as_deref().map(Arc::from),
            routine: reading.routine,
            ..Self::new_empty(number, crossing, reading, standing)
        }
    }

    /// One of which only a part was received so far.
    pub(super) fn of_parts(
        number: u64,
        crossing: &ObservedMessage,
        reading: &Decoded,
        whole: &ParentConversation,
    ) -> Self {
        let id = Some(whole.id.as_str().into());
        Self {
            id,
            topic: whole.topic.clone(),
            ..Self::new_empty(number, crossing, reading, ConversationState::Open)
        }
    }

    fn new_empty(
        number: u64,
        crossing: &ObservedMessage,
        reading: &Decoded,
        standing: ConversationState,
    ) -> Self {
        Self {
            number,
            system: reading.system,
            id: None,
            whole: None,
            parts: Vec::new(),
            trace: None,
            asked_by: None,
            topic: None,
            subject: Arc::clone(&crossing.subject),
            subjects: Vec::new(),
            began: crossing.at,
            last: crossing.at,
            answered: None,
            standing,
            asked: String::new(),
            said: String::new(),
            states: Vec::new(),
            goes: String::new(),
            due: None,
            routine: false,
            remarks: Vec::new(),
            cards: Vec::new(),
            messages: VecDeque::new(),
            rows: VecDeque::new(),
            piece: None,
            count: 0,
            bytes: 0,
            late: 0,
            has_unreadable: false,
            is_interrupted: false,
            rang: 0,
            found: 0,
            label: String::new(),
            has_request: false,
            told: EndSource::Own,
            early: None,
            own: 0,
            names: Vec::new(),
            inbox: None,
        }
    }

    /// Takes a message of it in.
    pub(super) fn add_message(
        &mut self,
        message: u64,
        crossing: &ObservedMessage,
        reading: &Decoded,
    ) {
        self.record_message(message, self.number, crossing, reading);
        self.is_interrupted = false;
        self.own += 1;
        if self.subjects.len() < SUBJECTS && !self.subjects.contains(&crossing.subject) {
            self.subjects.push(Arc::clone(&crossing.subject));
        }
        if self.inbox.is_none() {
            self.inbox.clone_from(&crossing.reply);
        }
        if self.topic.is_none() || reading.renames {
            self.topic.clone_from(&reading.topic);
        }
        if let Some(trace) = reading.ties.trace.as_deref()
            && self.trace.is_none()
        {
            self.trace = Some(trace.into());
        }
        reading.remarks.iter().for_each(|words| self.add_remark(message, words));
        let late = self.late;
        self.go_on(crossing, reading);
        if self.late > late {
            self.add_remark(message, "answered again after its end");
        }
        if let Part::Unreadable(problem) = &reading.part {
            self.has_unreadable = true;
            self.add_remark(message, &format!("a message can't be decoded: {}", problem.message));
        }
        if let Some(state) = &reading.state {
            self.due = reading.due;
            if self.states.last() != Some(state) && self.states.len() < 32 {
                self.states.push(state.clone());
            }
        }
        if self.has_ended() {
            self.due = None;
        }
    }

    /// Messages of it may be missing from now on.
    pub(super) fn interrupt(&mut self, words: &str) {
        self.is_interrupted = true;
        if let Some(message) = self.messages.back().copied() {
            self.add_remark(message, words);
        }
    }

    /// Something odd is said once.
    fn add_remark(&mut self, message: u64, words: &str) {
        if self.remarks.len() < MOST && !self.remarks.iter().any(|remark| remark.words == words) {
            self.remarks.push(Remark { message, words: words.to_owned() });
        }
    }

    fn go_on(&mut self, crossing: &ObservedMessage, reading: &Decoded) {
        let ended = self.has_ended();
        match &reading.part {
            Part::Request if !self.has_request => {
                self.has_request = true;
                // The answer may be received before what it answers.
                self.began = self.began.min(crossing.at);
                self.subject = Arc::clone(&crossing.subject);
                self.asked = truncate_text(&reading.text);
                if self.standing == ConversationState::Orphan {
                    let early = self.early.take().filter(|(at, _)| crossing.at.since(*at) <= EARLY);
                    self.standing = early.map_or(ConversationState::Open, |(_, standing)| standing);
                }
            }
            Part::Step if !self.has_request => {
                self.has_request = true;
                self.asked = truncate_text(&reading.text);
            }
            Part::Outcome(_) if ended && self.told != EndSource::Nobody => {}
            Part::Answer { .. } | Part::Error(_) | Part::Unreadable(_)
                if ended && self.told == EndSource::Own =>
            {
                self.late += 1;
            }
            Part::Answer { last } => {
                self.answered.get_or_insert(crossing.at);
                self.add_text(reading);
                if *last {
                    self.set_ended(None, crossing.at, EndSource::Own);
                }
            }
            Part::Error(problem) => {
                self.answered.get_or_insert(crossing.at);
                self.standing = ConversationState::Failed(problem.clone());
                self.told = EndSource::Own;
            }
            Part::Outcome(problem) => {
                self.answered.get_or_insert(crossing.at);
                self.set_ended(problem.as_ref(), crossing.at, EndSource::Other);
            }
            Part::Unreadable(problem) => {
                self.standing = ConversationState::Unreadable(problem.clone());
            }
            Part::Note if reading.state.is_some() => {
                self.goes = truncate_text(&reading.text);
                if self.standing == ConversationState::Orphan {
                    // It was joined on its way: what it says came before what it is was received.
                    self.standing =
                        self.early.take().map_or(ConversationState::Open, |(_, standing)| standing);
                }
            }
            Part::Note => {}
            _ if self.asked.is_empty() => self.asked = truncate_text(&reading.text),
            _ => {}
        }
    }

    /// An end without its beginning stays what it is, unless that comes soon.
    fn set_ended(&mut self, problem: Option<&CallError>, at: Millis, told: EndSource) {
        let standing = problem.map_or(ConversationState::Succeeded, |problem| {
            ConversationState::Failed(problem.clone())
        });
        self.told = told;
        match self.standing {
            ConversationState::Orphan => self.early = Some((at, standing)),
            _ => self.standing = standing,
        }
    }

    /// Takes in how it ended as something else says; what its own messages said is.
    pub(super) fn apply_settled(&mut self, settled: &SettledConversation, heard: Millis) {
        self.name_cards(settled.card.as_slice());
        let told = match settled.known {
            EndEvidence::Inferred => EndSource::Nobody,
            EndEvidence::Read => EndSource::Other,
        };
        let open = if self.has_ended() {
            told == EndSource::Other && self.told != EndSource::Own
        } else {
            self.standing == ConversationState::Open
        };
        if !open {
            return;
        }
        let at = settled.at.unwrap_or(heard);
        self.answered.get_or_insert(at);
        self.last = self.last.max(at);
        self.set_ended(settled.problem.as_ref(), at, told);
        self.said = truncate_text(&settled.text);
        self.due = None;
    }

    pub(super) fn name_cards(&mut self, cards: &[String]) {
        for card in cards {
            if !self.cards.contains(card) {
                self.cards.push(card.clone());
            }
        }
        self.cards.drain(..self.cards.len().saturating_sub(MOST));
    }

    /// Takes in a message of one of its parts, which is so after it.
    pub(super) fn add_part_message(
        &mut self,
        message: u64,
        (part, standing): (u64, ConversationState),
        crossing: &ObservedMessage,
        reading: &Decoded,
    ) {
        self.record_message(message, part, crossing, reading);
        if self.parts.last() != Some(&part)
            && self.parts.len() < MOST
            && !self.parts.contains(&part)
        {
            self.parts.push(part);
        }
        self.stands_like(standing);
    }

    /// Where nothing but its parts says how it goes, it is as the newest of them.
    pub(super) fn stands_like(&mut self, part: ConversationState) {
        if !self.has_request && self.answered.is_none() && self.states.is_empty() {
            self.standing =
                if part == ConversationState::Orphan { ConversationState::Open } else { part };
        }
    }

    fn record_message(
        &mut self,
        message: u64,
        of: u64,
        crossing: &ObservedMessage,
        reading: &Decoded,
    ) {
        let piece =
            (reading.part == Part::Answer { last: false }).then(|| (of, reading.label.to_string()));
        if piece.is_none() || piece != self.piece {
            self.rows.push_back(self.count);
        }
        self.piece = piece;
        self.name_cards(&reading.cards);
        self.messages.push_back(message);
        self.count += 1;
        self.bytes += crossing.size;
        self.last = self.last.max(crossing.at);
    }

    /// Hears what was said in a part of it before that was known to be one, at the place where it
    /// was said.
    pub(super) fn catch_up(&mut self, message: u64, crossing: &ObservedMessage) {
        let place = self.messages.partition_point(|known| *known < message);
        let at = self.dropped_count() + place as u64;
        // It is alone, and what it is before begins again.
        let row = self.rows.partition_point(|begins| *begins < at);
        let splits = place < self.messages.len() && self.rows.get(row) != Some(&at);
        self.rows.iter_mut().skip(row).for_each(|begins| *begins += 1);
        self.rows.insert(row, at);
        if splits {
            self.rows.insert(row + 1, at + 1);
        }
        self.messages.insert(place, message);
        self.count += 1;
        self.bytes += crossing.size;
        self.began = self.began.min(crossing.at);
    }

    /// The message of that number, its oldest, is no longer kept.
    pub(super) fn let_go(&mut self, message: u64) {
        if self.messages.front() == Some(&message) {
            self.messages.pop_front();
            let gone = self.dropped_count();
            while self.rows.get(1).is_some_and(|second| *second <= gone) {
                self.rows.pop_front();
            }
        }
    }

    /// How many messages were its own, and not those of its parts.
    #[must_use]
    pub fn own_count(&self) -> u64 {
        self.own
    }

    /// What it goes by: its id, and its other names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.id.iter().chain(&self.names).map(|name| &**name)
    }

    /// How many of its messages are no longer kept.
    #[must_use]
    pub fn dropped_count(&self) -> u64 {
        self.count - self.messages.len() as u64
    }

    /// How many rows its messages take when the pieces of an answer stand together.
    #[must_use]
    pub fn row_count(&self) -> usize {
        if self.messages.is_empty() { 0 } else { self.rows.len() }
    }

    /// The places in [`Self::messages`] of what is in a row.
    #[must_use]
    pub fn row_range(&self, row: usize) -> Range<usize> {
        let gone = self.dropped_count();
        let place = |row: usize| {
            self.rows
                .get(row)
                .map_or(self.messages.len(), |from| from.saturating_sub(gone) as usize)
        };
        place(row)..place(row + 1)
    }

    /// The row of a place in [`Self::messages`].
    #[must_use]
    pub fn row_at(&self, place: usize) -> usize {
        let at = self.dropped_count() + place as u64;
        self.rows.partition_point(|begins| *begins <= at).saturating_sub(1)
    }

    fn add_text(&mut self, reading: &Decoded) {
        // The end of an answer goes on with what its pieces said.
        let goes_on = (&*self.label, &*reading.label) == ("chunk", "answer");
        if self.label != reading.label && !goes_on {
            self.said.clear();
        }
        if self.label != reading.label {
            self.label = reading.label.clone().into_owned();
        }
        let left = SHORT.saturating_sub(self.said.chars().count());
        self.said.extend(reading.text.chars().take(left));
    }

    /// Whether its answer has come to its end.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.standing, ConversationState::Succeeded | ConversationState::Failed(_))
    }

    /// From its first message to its last, or to now where the answer is awaited, in milliseconds.
    #[must_use]
    pub fn elapsed_ms(&self, now: Millis) -> u64 {
        let end =
            if self.standing == ConversationState::Open { now.max(self.last) } else { self.last };
        end.since(self.began)
    }

    /// From its first message to the first that answers, in milliseconds.
    #[must_use]
    pub fn first_answer(&self) -> Option<u64> {
        self.answered.map(|answered| answered.since(self.began))
    }
}

fn truncate_text(text: &str) -> String {
    text.chars().take(SHORT).collect()
}
