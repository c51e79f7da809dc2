//! Double presses of the mouse: the second one counts only where the first did no more than choose
//! something.

use crate::model::clock::Millis;

/// Two presses of one cell within so many milliseconds are a double press.
const DOUBLE_PRESS: u64 = 400;

/// The last press, until the next key.
#[derive(Default)]
pub(super) struct Presses {
    /// The time of the input; none where nobody says it, and then no press is a double one.
    now: Option<Millis>,
    last: Option<Press>,
}

#[derive(Clone, Copy)]
struct Press {
    cell: (u16, u16),
    at: Millis,
    /// It did more than move a cursor.
    acted: bool,
}

impl Presses {
    pub fn set_now(&mut self, now: Millis) {
        self.now = Some(now);
    }

    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Whether a press of this cell is the second one of a double press whose first one acted.
    pub fn is_repeated(&mut self, cell: (u16, u16)) -> bool {
        let before = self.last.take().filter(|press| press.cell == cell && press.acted);
        before.zip(self.now).is_some_and(|(press, now)| now.since(press.at) < DOUBLE_PRESS)
    }

    /// Whether a press of this cell is the second one of a double press whose first one chose
    /// something at most.
    pub fn is_double(&self, cell: (u16, u16)) -> bool {
        let before = self.last.filter(|press| press.cell == cell && !press.acted);
        before.zip(self.now).is_some_and(|(press, now)| now.since(press.at) < DOUBLE_PRESS)
    }

    pub fn note(&mut self, cell: (u16, u16), acted: bool) {
        self.last = self.now.map(|at| Press { cell, at, acted });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_press_counts_after_one_that_chose_and_after_a_while() {
        let mut presses = Presses::default();
        presses.note((3, 4), true);
        assert!(!presses.is_repeated((3, 4)), "nobody said what time it is");
        presses.set_now(Millis(1_000));
        presses.note((3, 4), false);
        assert!(!presses.is_repeated((3, 4)));
        presses.note((3, 4), true);
        assert!(!presses.is_repeated((3, 5)));
        presses.note((3, 4), true);
        presses.set_now(Millis(1_399));
        assert!(presses.is_repeated((3, 4)));
        presses.note((3, 4), true);
        presses.set_now(Millis(1_800));
        assert!(!presses.is_repeated((3, 4)));
    }
}
