//! The geometry of a text: its lines, their indentation, and how it ends them.

use super::{json, place::Format, tree::Node};

#[derive(Clone, Copy)]
pub(crate) struct TextPage<'t> {
    pub text: &'t str,
    /// How lines end here: as the first one does.
    pub eol: &'static str,
    comments: Comments,
}

/// How comments are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comments {
    /// From `#` to the end of the line.
    Hash,
    /// From `//` to the end of the line, and from `/*` to `*/`.
    Slashes,
}

impl<'t> TextPage<'t> {
    pub fn new(text: &'t str, format: Format) -> Self {
        let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let comments = if format.is_json() { Comments::Slashes } else { Comments::Hash };
        Self { text, eol: if crlf { "\r\n" } else { "\n" }, comments }
    }

    /// Where a comment that begins at an offset ends; `None` where none does.
    pub fn comment_end(&self, at: usize) -> Option<usize> {
        match self.comments {
            Comments::Hash => self.text[at..].starts_with('#').then(|| self.line_end(at)),
            Comments::Slashes => {
                json::parse::comment_end(self.text, at).map(|end| end.min(self.text.len()))
            }
        }
    }

    /// Where the line of an offset ends, if nothing but comments follows there.
    pub fn rest_is_comment(&self, at: usize) -> Option<usize> {
        let end = self.line_end(at);
        let mut at = at;
        while at < end {
            match self.text.as_bytes()[at] {
                b' ' | b'\t' => at += 1,
                _ => at = self.comment_end(at)?,
            }
        }
        // A comment that goes on in the next line belongs to what follows there.
        (at == end).then_some(end)
    }

    /// Where the line of an offset begins, behind a byte order mark.
    pub fn line_start(&self, offset: usize) -> usize {
        let start = self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        if self.text[start..].starts_with('\u{feff}') && start == 0 {
            '\u{feff}'.len_utf8().min(offset)
        } else {
            start
        }
    }

    /// Where the line of an offset ends, its line end left out.
    pub fn line_end(&self, offset: usize) -> usize {
        let end = self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at);
        if self.text[offset..end].ends_with('\r') { end - 1 } else { end }
    }

    /// Where the next line begins; the end of the text behind the last.
    pub fn next_line(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at + 1)
    }

    /// The spaces that the line of an offset begins with.
    pub fn line_indent(&self, offset: usize) -> &'t str {
        let line = &self.text[self.line_start(offset)..self.line_end(offset)];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether nothing but spaces is before the offset on its line.
    pub fn begins_line(&self, offset: usize) -> bool {
        self.text[self.line_start(offset)..offset].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// Whether the texts of two offsets stand on different lines.
    pub fn has_line_break(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    pub fn node_text(&self, node: &Node) -> &'t str {
        &self.text[node.span.start..node.span.end]
    }
}
