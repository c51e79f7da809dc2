//! The calls of this process by their ids: an answer to one of them is nothing odd in the record of
//! another.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use crate::model::{
    call::{Event, EventKind, StrayCause},
    trace::TraceId,
};

/// So many calls are known by their ids.
const KNOWN_IDS: usize = 1_000;

/// The ids of the newest calls of this process.
#[derive(Debug, Default)]
pub(super) struct OwnIds(Mutex<VecDeque<TraceId>>);

impl OwnIds {
    pub fn add(&self, id: &TraceId) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() == KNOWN_IDS {
            ids.pop_front();
        }
        ids.push_back(id.clone());
    }

    /// Whether an event of a call is an answer to another one, which shares the queue of answers:
    /// nothing about it is odd.
    pub fn is_of_another_call(&self, event: &Event) -> bool {
        let EventKind::Stray { cause: StrayCause::ForeignId, id: Some(answered), .. } = &event.kind
        else {
            return false;
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|id| **id == **answered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_to_another_call_of_this_process_is_no_stray() {
        let ids = OwnIds::default();
        (0..KNOWN_IDS + 1).for_each(|number| ids.add(&number.to_string().as_str().into()));
        let stray = |cause, id: &str| Event {
            at_ms: 1,
            kind: EventKind::Stray {
                cause,
                id: Some(id.to_owned()),
                headers: Default::default(),
                body: "".into(),
            },
        };
        assert!(ids.is_of_another_call(&stray(StrayCause::ForeignId, "7")));
        assert!(!ids.is_of_another_call(&stray(StrayCause::ForeignId, "of somebody else")));
        assert!(!ids.is_of_another_call(&stray(StrayCause::Late, "7")));
        assert!(!ids.is_of_another_call(&stray(StrayCause::ForeignId, "0")), "the oldest is gone");
    }
}
