//! A conversation: a request with all the messages that its id, or its inbox, ties to it.

use std::{collections::VecDeque, sync::Arc};

use crate::model::{
    call::CallProblem,
    clock::Millis,
    entry::SystemId,
    traffic::{Crossing, Part, Reading},
};

/// So many letters of what was asked and answered are kept for a list.
const SHORT: usize = 160;

/// How a conversation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Asked, and not answered to the end.
    Open,
    Succeeded,
    Failed(CallProblem),
    /// A message of it cannot be understood.
    Unreadable(CallProblem),
    /// An answer to something that was not heard.
    Orphan,
    /// A message that belongs to nothing.
    Single,
}

impl Standing {
    /// Every word, in the order of the variants.
    pub const WORDS: [&'static str; 6] = ["open", "succeeded", "failed", "unreadable", "orphan", "single"];

    /// A stable word for scripts, lists and filters.
    #[must_use]
    pub fn word(&self) -> &'static str {
        Self::WORDS[match self {
            Self::Open => 0,
            Self::Succeeded => 1,
            Self::Failed(_) => 2,
            Self::Unreadable(_) => 3,
            Self::Orphan => 4,
            Self::Single => 5,
        }]
    }

    /// What went wrong, where something did.
    #[must_use]
    pub fn problem(&self) -> Option<&CallProblem> {
        match self {
            Self::Failed(problem) | Self::Unreadable(problem) => Some(problem),
            _ => None,
        }
    }
}

/// Messages that belong together.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Counts from 1.
    pub number: u64,
    pub system: Option<SystemId>,
    pub id: Option<Arc<str>>,
    /// Where its first message went.
    pub subject: Arc<str>,
    pub began: Millis,
    pub last: Millis,
    /// The first message that answers.
    pub answered: Option<Millis>,
    pub standing: Standing,
    /// The beginning of what was asked.
    pub asked: String,
    /// The beginning of what was last answered.
    pub said: String,
    /// The states that it names, in order.
    pub states: Vec<String>,
    /// The numbers of its messages that are still kept.
    pub messages: VecDeque<u64>,
    /// How many messages it had.
    pub count: u64,
    pub bytes: u64,
    /// Messages that came after its end.
    pub late: u64,
    /// Alerts that rang for it, by their place in the list: one bit each.
    pub rang: u64,
    /// Texts of the filter and the alerts that were found in it: one bit each.
    pub(super) found: u64,
    /// The label of what [`Self::said`] holds.
    label: String,
    /// Its request was heard.
    pub(super) has_request: bool,
    /// Where its answers may go, when the transport says so.
    pub(super) inbox: Option<Arc<str>>,
}

impl Conversation {
    pub(super) fn new(number: u64, crossing: &Crossing, reading: &Reading) -> Self {
        let answers = matches!(reading.part, Part::Answer { .. } | Part::Error(_) | Part::Unreadable(_));
        let standing = match &reading.part {
            Part::Request | Part::Step => Standing::Open,
            Part::Broadcast | Part::Other => Standing::Single,
            _ if answers => Standing::Orphan,
            _ => Standing::Single,
        };
        Self {
            number,
            system: reading.system,
            id: reading.id.as_deref().map(Arc::from),
            subject: Arc::clone(&crossing.subject),
            began: crossing.at,
            last: crossing.at,
            answered: None,
            standing,
            asked: String::new(),
            said: String::new(),
            states: Vec::new(),
            messages: VecDeque::new(),
            count: 0,
            bytes: 0,
            late: 0,
            rang: 0,
            found: 0,
            label: String::new(),
            has_request: false,
            inbox: None,
        }
    }

    /// Takes a message of it in.
    pub(super) fn take(&mut self, message: u64, crossing: &Crossing, reading: &Reading) {
        self.messages.push_back(message);
        if self.inbox.is_none() {
            self.inbox.clone_from(&crossing.reply);
        }
        self.count += 1;
        self.bytes += crossing.size;
        let ended = self.has_ended();
        match &reading.part {
            Part::Request if !self.has_request => {
                self.has_request = true;
                // The answer may be heard before what it answers.
                self.began = self.began.min(crossing.at);
                self.subject = Arc::clone(&crossing.subject);
                self.asked = short(&reading.text);
                if self.standing == Standing::Orphan {
                    self.standing = Standing::Open;
                }
            }
            Part::Step if !self.has_request => {
                self.has_request = true;
                self.asked = short(&reading.text);
            }
            Part::Answer { .. } | Part::Error(_) | Part::Unreadable(_) if ended => self.late += 1,
            Part::Answer { last } => {
                self.answered.get_or_insert(crossing.at);
                self.says(reading);
                if *last && self.has_request {
                    self.standing = Standing::Succeeded;
                }
            }
            Part::Error(problem) => {
                self.answered.get_or_insert(crossing.at);
                self.standing = Standing::Failed(problem.clone());
            }
            Part::Unreadable(problem) => self.standing = Standing::Unreadable(problem.clone()),
            _ if self.asked.is_empty() => self.asked = short(&reading.text),
            _ => {}
        }
        if let Some(state) = &reading.state
            && self.states.last() != Some(state)
            && self.states.len() < 32
        {
            self.states.push(state.clone());
        }
        self.last = self.last.max(crossing.at);
    }

    fn says(&mut self, reading: &Reading) {
        if self.label != reading.label {
            self.label = reading.label.clone().into_owned();
            self.said.clear();
        }
        let left = SHORT.saturating_sub(self.said.chars().count());
        self.said.extend(reading.text.chars().take(left));
    }

    /// Whether its answer has come to its end.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.standing, Standing::Succeeded | Standing::Failed(_))
    }

    /// From its first message to its last, or to now where the answer is awaited, in milliseconds.
    #[must_use]
    pub fn took(&self, now: Millis) -> u64 {
        let end = if self.standing == Standing::Open { now.max(self.last) } else { self.last };
        end.since(self.began)
    }

    /// From its first message to the first that answers, in milliseconds.
    #[must_use]
    pub fn first_answer(&self) -> Option<u64> {
        self.answered.map(|answered| answered.since(self.began))
    }
}

fn short(text: &str) -> String {
    text.chars().take(SHORT).collect()
}
