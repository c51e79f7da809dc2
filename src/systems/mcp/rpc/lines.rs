//! Lines of a process's output, however the bytes are cut; each is at most a frame.

/// A line without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Text {
        text: String,
        /// Its bytes were no UTF-8; those that were none are replaced.
        repaired: bool,
    },
    /// It was longer than is allowed, and is lost.
    TooLong { bytes: usize },
}

/// What has come and is not yet a line.
#[derive(Debug)]
pub struct Lines {
    held: Vec<u8>,
    most: usize,
    /// How long the line is that is being lost.
    lost: Option<usize>,
}

/// The longest line that is read where nothing else is set.
pub const LONGEST: usize = 64 * 1024 * 1024;

impl Default for Lines {
    fn default() -> Self {
        Self::of_at_most(LONGEST)
    }
}

impl Lines {
    /// Lines of at most so many bytes.
    #[must_use]
    pub fn of_at_most(most: usize) -> Self {
        Self { held: Vec::new(), most, lost: None }
    }

    /// Takes bytes in; answers with the lines that they end. Empty lines are none.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.buffer_piece(piece);
            if pieces.peek().is_some() {
                lines.extend(self.finish_line());
            }
        }
        lines
    }

    /// What is left when the output ends.
    pub fn finish_line(&mut self) -> Option<Line> {
        if let Some(bytes) = self.lost.take() {
            return Some(Line::TooLong { bytes });
        }
        let mut bytes = std::mem::take(&mut self.held);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        Some(match String::from_utf8(bytes) {
            Ok(text) => Line::Text { text, repaired: false },
            Err(error) => Line::Text {
                text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                repaired: true,
            },
        })
    }

    /// How many bytes wait for the end of their line.
    #[must_use]
    pub fn buffered_len(&self) -> usize {
        self.held.len()
    }

    fn buffer_piece(&mut self, piece: &[u8]) {
        match &mut self.lost {
            Some(lost) => *lost += piece.len(),
            None if self.held.len() + piece.len() > self.most => {
                self.lost = Some(self.held.len() + piece.len());
                self.held = Vec::new();
            }
            None => self.held.extend_from_slice(piece),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]], most: usize) -> Vec<Line> {
        let mut lines = Lines::of_at_most(most);
        let mut read: Vec<Line> = pieces.iter().flat_map(|piece| lines.push(piece)).collect();
        read.extend(lines.finish_line());
        read
    }

    fn text(text: &str) -> Line {
        Line::Text { text: text.into(), repaired: false }
    }

    #[test]
    fn lines_end_with_either_end_and_empty_ones_are_none() {
        assert_eq!(read(&[b"a\r\n\n \t\r\nb\n\nc"], 99), [text("a"), text("b"), text("c")]);
        assert_eq!(
            read(&[b"\xff\n"], 99),
            [Line::Text { text: "\u{fffd}".into(), repaired: true }]
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_lost_alone() {
        assert_eq!(read(&[b"abc", b"def\nx\n"], 4), [Line::TooLong { bytes: 6 }, text("x")]);
        assert_eq!(read(&[b"abcd\nabcde"], 4), [text("abcd"), Line::TooLong { bytes: 5 }]);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_cut(bytes in "[a-cü\r\n]{0,30}", at in 0..60_usize, then in 0..60_usize) {
            let bytes = bytes.as_bytes();
            let (at, then) = (at.min(then).min(bytes.len()), at.max(then).min(bytes.len()));
            prop_assert_eq!(read(&[&bytes[..at], &bytes[at..then], &bytes[then..]], 9), read(&[bytes], 9));
        }
    }
}
