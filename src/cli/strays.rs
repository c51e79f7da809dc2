//! Messages that are no part of an answer, in words.

use crate::{
    engine::mask::Mask,
    model::{call::StrayCause, shown::short_line},
    schema::count::count_text,
};

/// So many answers to other calls are shown as they come: where others call, too, a queue of answers
/// may bring any number of them.
const FOREIGN_SHOWN: u64 = 3;

/// What came of them in a call.
#[derive(Default)]
pub(super) struct Strays {
    /// Answers to other calls.
    foreign: u64,
}

impl Strays {
    /// A message in words, and whether it is shown to everybody.
    pub fn describe(&mut self, cause: StrayCause, id: Option<&str>, body: &str) -> (String, bool) {
        let is_foreign = cause == StrayCause::ForeignId;
        let id = id.filter(|_| is_foreign).map_or_else(String::new, |id| format!(" {id}"));
        let words = format!(
            "a message that isn't part of the answer: {}{id}: {}",
            cause.message(),
            preview_text(&Mask::default().mask_text(body))
        );
        self.foreign += u64::from(is_foreign);
        (words, !is_foreign || self.foreign <= FOREIGN_SHOWN)
    }

    /// How many answers to other calls were not shown.
    pub fn rest(&self) -> Option<String> {
        let more = self.foreign.checked_sub(FOREIGN_SHOWN).filter(|more| *more > 0)?;
        let count = count_text(more, "more message", "more messages");
        Some(format!("{count} of different calls (--verbose lists them)"))
    }
}

/// As much of a message as a line holds.
pub(super) fn preview_text(body: &str) -> String {
    short_line(body, 160)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_other_calls_are_shown_three_times_and_counted() {
        let mut strays = Strays::default();
        let shown: Vec<bool> =
            (0..5).map(|_| strays.describe(StrayCause::ForeignId, Some("7"), "{}").1).collect();
        assert_eq!(shown, [true, true, true, false, false]);
        let (words, is_shown) = strays.describe(StrayCause::Late, Some("7"), "x");
        assert!(is_shown && !words.contains('7'), "{words}");
        assert!(strays.rest().unwrap().starts_with("2 more messages of different calls"));
    }
}
