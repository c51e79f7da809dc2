//! Where lines begin, so that a byte offset can be told as line and column.

/// The start offset of every line of one text.
#[derive(Clone, Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    pub fn of(text: &str) -> Self {
        let begun = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(begun).collect())
    }

    /// Line and column of an offset, both from 1; columns count characters, a byte order mark is none.
    pub fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        let before = text.get(self.0[line - 1]..offset).unwrap_or_default();
        (line, before.trim_start_matches('\u{feff}').chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_characters_from_one() {
        let text = "\u{feff}ab\r\nä→c\n";
        let lines = Lines::of(text);
        assert_eq!(lines.position(text, 3), (1, 1));
        assert_eq!(lines.position(text, text.find('c').unwrap()), (2, 3));
        assert_eq!(lines.position(text, text.len()), (3, 1));
    }
}
