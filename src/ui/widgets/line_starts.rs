//! Where the lines of a long text start, in two bytes a line: a text of short lines has an index of
//! a twentieth of its size.

/// So many starts are found from one that is known.
const GROUP: usize = 64;

/// Starts in rising order, the first of which is 0. Two neighbours lie less than 64 KiB apart.
#[derive(Clone, Debug)]
pub(crate) struct LineStarts {
    /// Every so many starts.
    known: Vec<usize>,
    /// From each start to the next.
    lengths: Vec<u16>,
    last: usize,
}

impl Default for LineStarts {
    fn default() -> Self {
        Self { known: vec![0], lengths: Vec::new(), last: 0 }
    }
}

impl LineStarts {
    /// How many starts there are; never none.
    pub fn count(&self) -> usize {
        self.lengths.len() + 1
    }

    pub fn last_start(&self) -> usize {
        self.last
    }

    pub fn push(&mut self, start: usize) {
        self.lengths.push(u16::try_from(start - self.last).unwrap_or(u16::MAX));
        self.last = start;
        if self.lengths.len().is_multiple_of(GROUP) {
            self.known.push(start);
        }
    }

    pub fn start_at(&self, line: usize) -> Option<usize> {
        let known = self.known.get(line / GROUP)?;
        let after = self.lengths.get(line / GROUP * GROUP..line)?;
        Some(known + after.iter().map(|length| usize::from(*length)).sum::<usize>())
    }

    /// The line that a byte of the text is in.
    pub fn line_of(&self, at: usize) -> usize {
        let group = self.known.partition_point(|start| *start <= at).saturating_sub(1);
        let mut end = self.known[group];
        let lengths = self.lengths[group * GROUP..].iter().take(GROUP);
        let before = lengths.take_while(|length| {
            end += usize::from(**length);
            end <= at
        });
        group * GROUP + before.count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_start_is_given_back_and_each_byte_has_its_line(lengths in prop::collection::vec(1_usize..300, 0..500)) {
            let mut starts = LineStarts::default();
            let mut all = vec![0];
            for length in lengths {
                all.push(all[all.len() - 1] + length);
                starts.push(all[all.len() - 1]);
            }
            prop_assert_eq!((starts.count(), starts.last_start()), (all.len(), all[all.len() - 1]));
            for (line, start) in all.iter().enumerate() {
                prop_assert_eq!(starts.start_at(line), Some(*start));
                let end = all.get(line + 1).map_or(start + 10, |end| end - 1);
                prop_assert_eq!((starts.line_of(*start), starts.line_of(end)), (line, line));
            }
            prop_assert_eq!(starts.start_at(all.len()), None);
        }
    }
}
