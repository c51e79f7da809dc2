//! Which answer belongs to which request, over all streams of a connection.

use std::collections::{HashMap, VecDeque};

use super::{build::Call, id::Id};
use crate::schema::ordering::PutInOrder;

/// So many requests that have ended are remembered, to know their late answers.
const REMEMBERED: usize = 1_000;

/// Why nothing more is expected for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEnd {
    Answered,
    /// It was asked to stop.
    Cancelled,
    TimedOut,
}

/// What an answer is to those who wait.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerArrival {
    /// It ends this request.
    Ends {
        id: Id,
        call: Call,
        /// The id came as a text for a number, or as a number for a text.
        other_type: bool,
    },
    /// Its request has ended before.
    Late(RequestEnd),
    /// Nobody asked.
    Unknown,
}

/// The requests of a client.
#[derive(Debug, Default)]
pub struct Router {
    last: u64,
    waiting: HashMap<Id, Call>,
    ended: VecDeque<(Id, RequestEnd)>,
}

impl Router {
    /// A new id for a request that is about to be sent.
    pub fn register(&mut self, call: Call) -> Id {
        self.last += 1;
        let id = Id::from(self.last);
        self.waiting.insert(id.clone(), call);
        id
    }

    /// The request that waits under an id.
    #[must_use]
    pub fn waiting_call(&self, id: &Id) -> Option<&Call> {
        self.waiting.get(id)
    }

    /// The ids of all that wait, in the order in which they were asked.
    #[must_use]
    pub fn waiting_ids(&self) -> Vec<Id> {
        let mut ids: Vec<Id> = self.waiting.keys().cloned().collect();
        ids.order_by_key(|id| id.as_text().parse::<u64>().unwrap_or(u64::MAX));
        ids
    }

    /// An answer with that id has come.
    pub fn resolve(&mut self, id: &Id) -> AnswerArrival {
        let known = if self.waiting.contains_key(id) {
            Some(id.clone())
        } else {
            self.spelled_otherwise(id)
        };
        if let Some((known, call)) = known.and_then(|known| self.waiting.remove_entry(&known)) {
            self.remember(known.clone(), RequestEnd::Answered);
            return AnswerArrival::Ends { other_type: known != *id, id: known, call };
        }
        let text = id.as_text();
        let ended = self.ended.iter().rev().find(|(known, _)| known.as_text() == text);
        ended.map_or(AnswerArrival::Unknown, |(_, ended)| AnswerArrival::Late(*ended))
    }

    /// Whether a request of that id has ended, as far as that is remembered.
    #[must_use]
    pub fn has_ended(&self, id: &Id) -> bool {
        let text = id.as_text();
        self.ended.iter().any(|(known, _)| known.as_text() == text)
    }

    /// Nobody waits any longer; the request, where somebody did.
    pub fn give_up(&mut self, id: &Id, why: RequestEnd) -> Option<Call> {
        let call = self.waiting.remove(id)?;
        self.remember(id.clone(), why);
        Some(call)
    }

    fn spelled_otherwise(&self, id: &Id) -> Option<Id> {
        let text = id.as_text();
        // Our own ids are whole numbers.
        let number =
            text.parse::<u64>().ok().or_else(|| text.parse::<f64>().ok().and_then(whole_number))?;
        Some(Id::from(number)).filter(|id| self.waiting.contains_key(id))
    }

    fn remember(&mut self, id: Id, why: RequestEnd) {
        if self.ended.len() >= REMEMBERED {
            self.ended.pop_front();
        }
        self.ended.push_back((id, why));
    }
}

/// `7.0` as 7.
fn whole_number(number: f64) -> Option<u64> {
    format!("{number}").parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn id(json: &str) -> Id {
        Id::from_value(&serde_json::from_str::<Value>(json).unwrap()).unwrap()
    }

    #[test]
    fn an_answer_ends_its_request_once() {
        let mut router = Router::default();
        let (first, second) =
            (router.register(Call::from_method("a")), router.register(Call::from_method("b")));
        assert_eq!(router.waiting_ids(), [first.clone(), second.clone()]);
        let ends = router.resolve(&second);
        assert_eq!(
            ends,
            AnswerArrival::Ends {
                id: second.clone(),
                call: Call::from_method("b"),
                other_type: false
            }
        );
        assert_eq!(router.resolve(&second), AnswerArrival::Late(RequestEnd::Answered));
        assert_eq!(router.give_up(&first, RequestEnd::Cancelled), Some(Call::from_method("a")));
        assert_eq!(router.give_up(&first, RequestEnd::TimedOut), None);
        assert_eq!(router.resolve(&first), AnswerArrival::Late(RequestEnd::Cancelled));
        assert_eq!(router.resolve(&id("9")), AnswerArrival::Unknown);
    }

    #[test]
    fn an_id_may_come_back_as_another_type() {
        for spelled in ["\"1\"", "1.0"] {
            let mut router = Router::default();
            router.register(Call::from_method("a"));
            let arrival = router.resolve(&id(spelled));
            assert!(matches!(arrival, AnswerArrival::Ends { other_type: true, .. }), "{arrival:?}");
        }
        assert_eq!(Router::default().resolve(&id("\"x\"")), AnswerArrival::Unknown);
    }

    #[test]
    fn what_has_ended_is_forgotten_in_the_end() {
        let mut router = Router::default();
        for _ in 0..=REMEMBERED {
            let id = router.register(Call::default());
            router.resolve(&id);
        }
        assert_eq!(router.resolve(&Id::from(1)), AnswerArrival::Unknown);
        assert_eq!(router.resolve(&Id::from(2)), AnswerArrival::Late(RequestEnd::Answered));
    }
}
