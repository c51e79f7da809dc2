//! What is between two values of YAML: spaces, comments, indicators, and the next value's anchor
//! and tag.

use crate::syntax::place::Span;

/// A walk over the text between values.
#[derive(Clone, Copy)]
pub(crate) struct GapWalk<'t> {
    text: &'t str,
    pub at: usize,
}

impl<'t> GapWalk<'t> {
    pub fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// Goes over spaces, line ends and comments.
    pub fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => {
                    self.at += self.text[self.at..]
                        .find(['\n', '\r'])
                        .unwrap_or(self.text.len() - self.at);
                }
                _ => break,
            }
        }
    }

    /// Goes over spaces and one of these indicators; stays where none of them follows.
    pub fn consume_indicator(&mut self, indicators: &[u8]) -> Option<usize> {
        let mut ahead = *self;
        ahead.skip_blanks();
        let found =
            self.text.as_bytes().get(ahead.at).is_some_and(|byte| indicators.contains(byte));
        found.then(|| {
            self.at = ahead.at + 1;
            ahead.at
        })
    }

    /// Goes over as many properties (`&anchor`, `!tag`) as are said to be there.
    pub fn skip_properties(&mut self, count: usize) -> Option<Span> {
        let mut all: Option<Span> = None;
        for _ in 0..count {
            let mut ahead = *self;
            ahead.skip_blanks();
            if !matches!(self.text.as_bytes().get(ahead.at), Some(b'&' | b'!')) {
                break;
            }
            let rest = &self.text[ahead.at..];
            let verbatim = if rest.starts_with("!<") { rest.find('>').unwrap_or(0) } else { 0 };
            let len = rest[verbatim..]
                .find([' ', '\t', '\r', '\n', ',', ']', '}'])
                .unwrap_or(rest.len() - verbatim)
                + verbatim;
            self.at = ahead.at + len;
            all = Some(Span { start: all.map_or(ahead.at, |span| span.start), end: self.at });
        }
        all
    }
}
