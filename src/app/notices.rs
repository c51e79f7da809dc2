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
    /// An alert that the user has not seen yet: what is noticed after it waits behind it.
    alert: Option<Notice>,
    /// Files that are being saved together: so many are awaited still.
    saving: usize,
    /// Those of them that are saved, and those that were removed.
    saved: Vec<String>,
    removed: Vec<String>,
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

    /// An alert rang: it is shown until the next key, whatever else is noticed meanwhile, but for
    /// problems.
    pub fn push_alert(&mut self, text: impl Into<String>, at: Millis) {
        self.push(NoticeKind::Warning, text, at);
        self.alert = self.list.back().cloned();
    }

    /// So many files are being saved together: one notice names them.
    pub fn await_saves(&mut self, files: usize) {
        (self.saving, self.saved, self.removed) = (files, Vec::new(), Vec::new());
    }

    /// Whether files are being saved together.
    #[must_use]
    pub fn awaits_saves(&self) -> bool {
        self.saving > 0
    }

    /// A file was saved, or what else was done with it.
    pub fn push_saved(&mut self, done: &str, file: &str, at: Millis) {
        if self.saving > 0 {
            let list = if done == "Saved" { &mut self.saved } else { &mut self.removed };
            list.push(file.to_owned());
        } else {
            self.push(NoticeKind::Done, format!("{done} {file}"), at);
        }
        if self.saved.len() + self.removed.len() >= self.saving {
            self.end_saves(at);
        }
    }

    /// Names what was saved so far, where the others could not be, or were with errors.
    pub fn end_saves(&mut self, at: Millis) {
        self.saving = 0;
        let named = |done: &str, files: Vec<String>| {
            let (last, others) = files.split_last()?;
            Some(match others {
                [] => format!("{done} {last}"),
                others => format!("{done} {} and {last}", others.join(", ")),
            })
        };
        let saved = named("Saved", std::mem::take(&mut self.saved));
        let removed = named("Removed", std::mem::take(&mut self.removed));
        let words: Vec<String> = saved.into_iter().chain(removed).collect();
        if !words.is_empty() {
            self.push(NoticeKind::Done, words.join(". "), at);
        }
    }

    /// The notice for the bottom line.
    #[must_use]
    pub fn current(&self) -> Option<&Notice> {
        let newest = self.list.back().filter(|_| self.fresh);
        match newest {
            Some(notice) if notice.kind == NoticeKind::Problem => Some(notice),
            newest => self.alert.as_ref().or(newest),
        }
    }

    /// What was under way is done: words that say so no longer show, unless newer ones do.
    pub fn withdraw(&mut self, text: &str) {
        self.fresh &= self.list.back().is_none_or(|notice| notice.text != text);
    }

    /// The user has gone on; the bottom line is free again.
    pub fn mark_seen(&mut self) {
        self.fresh = false;
        self.alert = None;
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Notice> + ExactSizeIterator {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1);

    fn shown(notices: &Notices) -> Option<&str> {
        notices.current().map(|notice| notice.text.as_str())
    }

    #[test]
    fn files_that_are_saved_together_are_named_together() {
        let mut notices = Notices::default();
        notices.push_saved("Saved", "one.json", NOW);
        assert_eq!(shown(&notices), Some("Saved one.json"));
        notices.await_saves(3);
        for file in ["a.json", "b.json", "c.toml"] {
            notices.push_saved("Saved", file, NOW);
        }
        assert_eq!(shown(&notices), Some("Saved a.json, b.json and c.toml"));
        notices.await_saves(2);
        notices.push_saved("Saved", "a.json", NOW);
        notices.end_saves(NOW);
        assert_eq!(shown(&notices), Some("Saved a.json"), "the other one failed");
        notices.await_saves(3);
        for (done, file) in [("Removed", "a.json"), ("Saved", "b.json"), ("Removed", "c.toml")] {
            notices.push_saved(done, file, NOW);
        }
        assert_eq!(shown(&notices), Some("Saved b.json. Removed a.json and c.toml"));
        assert_eq!(notices.iter().len(), 4);
    }

    #[test]
    fn an_alert_stays_until_it_is_seen() {
        let mut notices = Notices::default();
        notices.push(NoticeKind::Done, "saved", NOW);
        notices.push_alert("alert is:failed", NOW);
        notices.push(NoticeKind::Warning, "joke failed", NOW);
        notices.push(NoticeKind::Done, "sum succeeded", NOW);
        assert_eq!(shown(&notices), Some("alert is:failed"));
        notices.push(NoticeKind::Problem, "couldn't save", NOW);
        assert_eq!(shown(&notices), Some("couldn't save"));
        notices.mark_seen();
        assert_eq!(shown(&notices), None);
        notices.push(NoticeKind::Done, "sum succeeded", NOW);
        assert_eq!(shown(&notices), Some("sum succeeded"));
        assert_eq!(notices.iter().len(), 6, "all are kept for the page of notices");
    }
}
