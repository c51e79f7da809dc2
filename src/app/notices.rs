//! What the user was informed, newest last; bounded.

use std::collections::VecDeque;

use crate::model::{clock::Millis, problem::Problem};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    Done,
    Hint,
    Warning,
    Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub kind: NoticeKind,
    pub text: String,
    pub at: Millis,
}

/// How many notices are kept.
pub(crate) const KEPT: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct Notices {
    list: VecDeque<Notice>,
    /// The bottom line shows the newest until the next key.
    fresh: bool,
}

impl Notices {
    pub fn push(&mut self, kind: NoticeKind, text: impl Into<String>, at: Millis) {
        if self.list.len() == KEPT {
            self.list.pop_front();
        }
        self.list.push_back(Notice { kind, text: text.into(), at });
        self.fresh = true;
    }

    pub fn push_problem(&mut self, problem: &Problem, at: Millis) {
        self.push(NoticeKind::Problem, problem.to_string(), at);
    }

    /// The notice for the bottom line.
    #[must_use]
    pub fn current(&self) -> Option<&Notice> {
        if self.fresh { self.list.back() } else { None }
    }

    /// What was under way is done: words that say so no longer show, unless newer ones do.
    pub fn withdraw(&mut self, text: &str) {
        self.fresh &= self.list.back().is_none_or(|notice| notice.text != text);
    }

    /// The user has gone on; the bottom line is free again.
    pub fn mark_seen(&mut self) {
        self.fresh = false;
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Notice> + ExactSizeIterator {
        self.list.iter()
    }
}
