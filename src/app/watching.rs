//! What is watched: what was received so far, where it comes from, and what can be asked of it.

use std::collections::VecDeque;

use serde_json::Value;

use crate::{
    engine::traffic::{
        record::{Record, Ring},
        span::StartTime,
        trace::Head,
    },
    model::{attachment::Attachment, call::CallError, entry::SystemId, traffic::WatchedItem},
};

/// So much is held back while the view is still.
const HELD: usize = 100_000;

/// So many bytes of it.
const HELD_BYTES: usize = 64 * 1024 * 1024;

/// What a user asks of the watch, and what comes back.
#[derive(Clone, Debug)]
pub enum WatchMessage {
    /// Listen there, through the connection that calls use; nowhere in particular: where it matters
    /// to the connection's system. A `since:10m` or `since:14:05` among them has what was kept
    /// since then come first.
    Begin(Vec<String>),
    /// Stop watching; the messages so far stay.
    Stop,
    /// Keep the view still, or go on.
    Pause,
    /// Forget what was received.
    Clear,
    /// Show only what this filter holds for.
    Filter(String),
    /// Show what says nothing new as well, or hide it again.
    Reveal,
    AddAlert(String),
    ForgetAlert(usize),
    /// Keep all that was received in a new file.
    Save(String),
    /// Show a saved trace.
    Open(String),
    /// Send the request of that number once more, as a call of the tool that it went to.
    Resend(u64),
    /// Read these cards, which messages of that system point to.
    ReadCards {
        system: Option<SystemId>,
        cards: Vec<String>,
    },

    /// The tap listens.
    Began {
        turn: u64,
    },
    Heard {
        turn: u64,
        heard: Vec<WatchedItem>,
    },
    /// A second went by.
    Tick {
        turn: u64,
    },
    Refused {
        turn: u64,
        problem: CallError,
    },
    Saved {
        path: String,
        messages: usize,
    },
    Opened {
        path: String,
        head: Head,
        record: Box<Record>,
    },
    /// Cards that were asked for, or why they are not here.
    CardsRead {
        turn: u64,
        read: Vec<CardRead>,
    },
}

/// A card by its id, or why it is not here.
pub(crate) type CardRead = (String, Result<Value, CallError>);

/// Cards that were asked for last, as far as they came.
#[derive(Clone, Debug, Default)]
pub struct Cards {
    /// Reports one asking from the one before.
    pub turn: u64,
    pub system: Option<SystemId>,
    /// The address that they are read from.
    pub from: String,
    /// Those that are still to come.
    pub awaited: Vec<String>,
    pub read: Vec<CardRead>,
    /// Those that came, laid out.
    pub attachments: Vec<Attachment>,
}

impl Cards {
    /// Those that are here, as they are kept.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.read.iter().filter_map(|(_, read)| read.as_ref().ok())
    }

    /// Why others are not.
    pub fn problems(&self) -> impl Iterator<Item = (&str, &CallError)> {
        self.read.iter().filter_map(|(id, read)| Some((id.as_str(), read.as_ref().err()?)))
    }
}

/// What is asked for when listening begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WatchRequest {
    pub subjects: Vec<String>,
    pub since: Option<StartTime>,
}

impl WatchRequest {
    /// Takes `since:10m` out of the subjects.
    ///
    /// # Errors
    /// When what is after it is no time.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let mut asked = Self::default();
        for word in words {
            match word.strip_prefix("since:") {
                Some(since) => asked.since = Some(StartTime::parse(since)?),
                None => asked.subjects.push(word.clone()),
            }
        }
        Ok(asked)
    }
}

/// Where what is shown comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// Nothing was watched yet.
    #[default]
    Nothing,
    /// The tap is being set.
    Opening,
    Listening,
    Stopped,
    Failed(CallError),
    /// A trace of that name.
    Trace(String),
}

/// Everything about the watch.
#[derive(Clone, Debug, Default)]
pub struct Watching {
    pub source: Source,
    /// Where it comes from: connection, transport, subjects.
    pub head: Head,
    pub record: Record,
    /// Reports one watch from the one before.
    pub turn: u64,
    pub cards: Cards,
    /// How many of the received messages are in a file.
    pub saved: u64,
    /// How many are in the file that is being written.
    pub saving: u64,
    /// What came since the view was kept still.
    held: Option<PausedMessages>,
}

#[derive(Clone, Debug, Default)]
struct PausedMessages {
    heard: VecDeque<WatchedItem>,
    bytes: usize,
    lost: u64,
}

impl Watching {
    /// Takes in what was received, or holds it back while the view is still; the alerts that ring.
    pub fn record_messages(&mut self, heard: Vec<WatchedItem>) -> Vec<Ring> {
        match &mut self.held {
            Some(held) => {
                heard.into_iter().for_each(|witnessed| held.push(witnessed));
                Vec::new()
            }
            None => heard
                .into_iter()
                .flat_map(|witnessed| self.record.add_witnessed(witnessed))
                .collect(),
        }
    }

    /// Keeps the view still, or takes in what came meanwhile; the alerts that ring then.
    pub fn toggle_pause(&mut self) -> Vec<Ring> {
        match self.held.take() {
            None => {
                self.held = Some(PausedMessages::default());
                Vec::new()
            }
            Some(held) => {
                let at =
                    held.heard.front().map_or(self.record.latest_time(), WatchedItem::heard_at);
                let gap =
                    (held.lost > 0).then_some(WatchedItem::Gap { at, messages: Some(held.lost) });
                self.record_messages(gap.into_iter().chain(held.heard).collect())
            }
        }
    }

    /// How much came since the view was kept still; `None` while it moves.
    #[must_use]
    pub fn held_count(&self) -> Option<usize> {
        self.held.as_ref().map(|held| held.heard.len())
    }

    /// How many messages are in no file.
    #[must_use]
    pub fn unsaved_count(&self) -> u64 {
        let held = self.held.as_ref().map_or(0, |held| held.heard.len() as u64);
        self.record.heard_count().saturating_sub(self.saved) + held
    }

    /// Forgets what was received.
    pub fn clear(&mut self) {
        self.record.clear();
        self.saved = 0;
        if let Some(held) = &mut self.held {
            *held = PausedMessages::default();
        }
    }

    /// Whether something is listened to, or about to be.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        matches!(self.source, Source::Opening | Source::Listening)
    }
}

impl PausedMessages {
    /// The oldest go when there are too many, and are counted.
    fn push(&mut self, witnessed: WatchedItem) {
        let weight = |witnessed: &WatchedItem| match witnessed {
            WatchedItem::ObservedMessage(crossing, _) => crossing.memory_size(),
            _ => 0,
        };
        self.bytes += weight(&witnessed);
        self.heard.push_back(witnessed);
        while self.heard.len() > HELD || (self.bytes > HELD_BYTES && self.heard.len() > 1) {
            let Some(gone) = self.heard.pop_front() else { return };
            self.bytes -= weight(&gone);
            self.lost += u64::from(matches!(gone, WatchedItem::ObservedMessage(..)));
        }
    }
}
