//! What the YAML parser is given to read: the text itself, or one in which lines within brackets
//! are indented further.
//!
//! To the letter of YAML a line within brackets must be indented more than the block around them.
//! The parser holds to that, PyYAML and most others do not, and people write `[`, items, and a `]`
//! below the key. Such lines get spaces in front, which mean nothing within brackets, and offsets
//! are reported as if these were not there.

use std::borrow::Cow;

use crate::syntax::{place::Span, tree::Tree};

/// What is wrong, and at which offset.
type Fault = (usize, String);

/// Spaces in front of a padded line.
const PAD: usize = 256;

/// How often a text is read again before its indentation is called wrong.
const ROUNDS: usize = 64;

/// As the parser says it: of a line, of a word in brackets, of the lines of a text in quotes (said
/// at its begin).
const LINE: &str = "invalid indentation";
const WORD: &str = "invalid indentation in flow construct";
const QUOTED: &str = "invalid indentation in quoted scalar";

pub(crate) struct Shadow<'t> {
    text: Cow<'t, str>,
    /// Where the padded lines begin in the text itself.
    pads: Vec<usize>,
    /// The byte offset of every 64th character; nothing where characters are bytes.
    marks: Vec<usize>,
    /// The length of the text itself.
    len: usize,
    /// The bytes of a byte order mark, which the parser does not see.
    start: usize,
}

/// What a reading met that decides on pads.
#[derive(Debug, Default)]
pub(crate) struct PadFindings {
    /// Block texts: spaces mean something there.
    pub blocks: Vec<Span>,
    /// The outermost lists and objects in brackets, in the order they stand.
    pub brackets: Vec<Span>,
    /// Texts in quotes, in the order they stand.
    pub quoted: Vec<Span>,
}

/// Reads a text, padded where that is needed.
pub(crate) fn read_padded(
    text: &str,
    read: impl Fn(&Shadow<'_>) -> Result<(Tree, PadFindings), Fault>,
) -> Result<Tree, Fault> {
    let first = match read(&Shadow::with_pads(text, Vec::new())) {
        Ok((tree, _)) => return Ok(tree),
        Err(fault) if ![LINE, WORD, QUOTED].contains(&&*fault.1) => return Err(fault),
        Err(fault) => fault,
    };
    let guessed = pad_until_read(closing_lines(text), text, &read)
        .or_else(|| pad_until_read(Vec::new(), text, &read));
    let words = match first.1.as_str() {
        QUOTED => "the text in quotes isn't closed, or its next line is not indented enough",
        _ => "the line is not indented enough",
    };
    guessed.ok_or((first.0, words.to_owned()))
}

/// Pads the lines that are not indented enough, one a round, beginning with some that are known.
fn pad_until_read(
    mut pads: Vec<usize>,
    text: &str,
    read: impl Fn(&Shadow<'_>) -> Result<(Tree, PadFindings), Fault>,
) -> Option<Tree> {
    for _ in 0..ROUNDS {
        match read(&Shadow::with_pads(text, pads.clone())) {
            Ok((tree, found)) => {
                let count = pads.len();
                pads.retain(|pad| !spans_contain(&found.blocks, *pad));
                if pads.len() == count {
                    let fits = |pad: &usize| {
                        spans_contain(&found.brackets, *pad) || spans_contain(&found.quoted, *pad)
                    };
                    return pads.iter().all(fits).then_some(tree);
                }
            }
            Err((at, message)) if message == LINE || message == WORD => {
                let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
                pads.insert(pads.binary_search(&line).err()?, line);
            }
            Err((at, message)) if message == QUOTED => {
                let count = pads.len();
                let end = at + 1 + text.get(at + 1..)?.find(text.get(at..=at)?)?;
                pads.extend(text[at..end].match_indices('\n').map(|(row, _)| at + row + 1));
                pads.sort_unstable();
                pads.dedup();
                if pads.len() == count {
                    return None;
                }
            }
            Err(_) => return None,
        }
    }
    None
}

/// Whether one of the spans, which do not overlap, holds the offset.
fn spans_contain(spans: &[Span], offset: usize) -> bool {
    let row = spans.partition_point(|span| span.start <= offset);
    row > 0 && offset < spans[row - 1].end
}

/// The lines that begin with a closing bracket.
fn closing_lines(text: &str) -> Vec<usize> {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    starts
        .filter(|start| text[*start..].trim_start_matches([' ', '\t']).starts_with([']', '}']))
        .collect()
}

impl<'t> Shadow<'t> {
    const STEP: usize = 64;

    fn with_pads(text: &'t str, pads: Vec<usize>) -> Self {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut shadow =
            Self { text: Cow::Borrowed(text), pads, marks: Vec::new(), len: text.len(), start };
        if !shadow.pads.is_empty() {
            let mut padded = String::with_capacity(text.len() + shadow.pads.len() * PAD);
            let mut at = 0;
            for pad in &shadow.pads {
                padded.push_str(&text[at..*pad]);
                padded.push_str(&" ".repeat(PAD));
                at = *pad;
            }
            padded.push_str(&text[at..]);
            shadow.text = Cow::Owned(padded);
        }
        if !shadow.text.is_ascii() {
            shadow.marks = shadow.text[start..]
                .char_indices()
                .step_by(Self::STEP)
                .map(|(at, _)| start + at)
                .collect();
        }
        shadow
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte offset in the text itself of a character that the parser counts.
    pub fn byte_offset(&self, character: usize) -> usize {
        let at = self.padded_byte(character);
        // Every pad moves those behind it: the last that begins before the offset is found by
        // halving.
        let (mut count, mut above) = (0, self.pads.len());
        while count < above {
            let middle = count.midpoint(above);
            if self.pads[middle] + middle * PAD < at { count = middle + 1 } else { above = middle }
        }
        match count.checked_sub(1) {
            None => at,
            // Within the spaces in front of a line: where the line begins.
            Some(last) => (at.saturating_sub(count * PAD)).max(self.pads[last]).min(self.len),
        }
    }

    fn padded_byte(&self, character: usize) -> usize {
        if self.marks.is_empty() {
            return (self.start + character).min(self.text.len());
        }
        let Some(mark) = self.marks.get(character / Self::STEP) else { return self.text.len() };
        let rest = &self.text[*mark..];
        rest.char_indices().nth(character % Self::STEP).map_or(self.text.len(), |(at, _)| mark + at)
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::source::{Format, Source};

    #[test]
    fn a_quote_that_is_not_closed_is_said_where_it_begins() {
        for text in ["a: 'x\nb: 1\n", "a: \"x\nb: 1\n"] {
            let error = Source::parse(Format::Yaml, text).unwrap_err();
            assert!(error.message.contains("quotes isn't closed"), "{error:?}");
            assert_eq!((error.line, error.column), (1, 4));
        }
    }
}
