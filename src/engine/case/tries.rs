//! All runs of a case, and whether enough of them held.

use super::{
    script::{Case, RunCount},
    verdict::Verdict,
};
use crate::model::call::Outcome;

/// All runs of a case, made once.
#[derive(Clone, Debug, Default)]
pub struct CaseTry {
    pub runs: Vec<Verdict>,
    /// So many were to be made, and so many of them have to hold.
    pub count: u32,
    pub needed: u32,
    /// One of its calls ended its server, which says much of the tool.
    pub has_crashed: bool,
}

impl CaseTry {
    /// Before the first run of a case; each of its runs is made `repeat` times.
    #[must_use]
    pub fn new(case: &Case, repeat: u32) -> Self {
        let RunCount { runs, pass } = case.count;
        let times = |count: u32| count.saturating_mul(repeat);
        Self { count: times(runs), needed: times(pass), ..Self::default() }
    }

    /// One that ended with this, as its call could not be made.
    #[must_use]
    pub fn of_verdict(verdict: Verdict) -> Self {
        Self { runs: vec![verdict], count: 1, needed: 1, has_crashed: false }
    }

    /// Whether no further run is made: all were, or the last one couldn't be.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let has_run = self.has_crashed || self.runs.last().is_none_or(Verdict::has_run);
        self.runs.len() >= self.count as usize || !has_run
    }

    #[must_use]
    pub fn held(&self) -> usize {
        self.runs.iter().filter(|run| run.has_passed()).count()
    }

    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.held() > 0 && self.held() >= self.needed as usize
    }

    /// Whether its tool was called each time, and answered or failed to.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.has_crashed || self.runs.iter().all(Verdict::has_run)
    }

    /// The run that shows how it went: the last one that held, or the first that didn't.
    #[must_use]
    pub fn telling_run(&self) -> Option<&Verdict> {
        let is_telling = |run: &&Verdict| run.has_passed() == self.has_passed();
        match self.has_passed() {
            true => self.runs.iter().rev().find(is_telling),
            false => self.runs.iter().find(is_telling),
        }
    }

    /// The text of the last answer that succeeded.
    #[must_use]
    pub fn answer_text(&self) -> Option<&str> {
        let mut answers = self.runs.iter().rev().map(|run| &run.answer);
        let answer = answers.find(|answer| answer.outcome == Some(Outcome::Succeeded))?;
        Some(&answer.text)
    }

    /// What is wrong with it: how many runs held where there were several, then what the one that
    /// shows it lacks.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        let told = self.telling_run().into_iter().flat_map(Verdict::differences);
        self.runs_words().into_iter().chain(told).collect()
    }

    /// The first of these in a line; of several runs with how many held.
    #[must_use]
    pub fn first_difference(&self) -> Option<String> {
        let first = self.telling_run()?.differences().next()?;
        Some(match self.runs_words() {
            Some(words) => format!("{words}: {first}"),
            None => first,
        })
    }

    /// How many of several runs held.
    #[must_use]
    pub fn runs_words(&self) -> Option<String> {
        if self.count <= 1 {
            return None;
        }
        let needed = match self.needed {
            1 if self.count > 1 => ", 1 has to".to_owned(),
            needed if needed < self.count => format!(", {needed} have to"),
            _ => String::new(),
        };
        Some(format!("{} of {} runs passed{needed}", self.held(), self.count))
    }

    /// How long its answers took, from sending on.
    #[must_use]
    pub fn took_ms(&self) -> u64 {
        self.runs.iter().map(|run| run.answer.answered_in()).sum()
    }
}
