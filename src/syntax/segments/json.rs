//! Cuts strict JSON: the members of the objects in the outermost object.

use std::sync::Arc;

use super::found::{FoundSection, ParsedSegment, SegmentContent, stands_alone};
use crate::syntax::{
    json::{self, dialect::Dialect},
    place::Span,
    tree::Tree,
};

/// The sections of a text. What looks as JSON does is cut; whether it is, the parser says when it
/// reads the segments.
pub(crate) fn split_sections(text: &str) -> Option<Vec<FoundSection<'_>>> {
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
    let mut sections = Vec::new();
    scan.scan_object(|scan, name| {
        let mut members = Vec::new();
        scan.scan_object(|scan, key| {
            let start = key.start - 1;
            scan.scan_value()?;
            members.push(Span { start, end: scan.at });
            Some(())
        })?;
        let found = FoundSection { name: text.get(name.start..name.end)?, members };
        (!found.members.is_empty()).then(|| sections.push(found))
    })?;
    scan.skip_spaces();
    (scan.at == text.len()).then_some(sections)
}

/// As much of the begin of a text as can be read for itself: the members that are there as a whole,
/// or else the items of a list.
pub(crate) fn beginning(text: &str) -> Option<String> {
    begun_members(text).or_else(|| begun_items(text))
}

/// The items of lists in the outermost object: `{"name": …, "items": [{…}, {…`.
fn begun_items(text: &str) -> Option<String> {
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
    let mut end = None;
    // That it stops in the midst of an item is as it should be.
    let _ = scan.scan_object(|scan, _| match scan.consume_byte(b'[') {
        None => scan.scan_value(),
        Some(_) => scan.scan_items(|at| end = Some(at)),
    });
    Some(format!("{}]}}", &text[..end?]))
}

fn begun_members(text: &str) -> Option<String> {
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
    let mut end = None;
    // That it stops in the midst of a value is as it should be.
    let _ = scan.scan_object(|scan, _| {
        scan.scan_object(|scan, _| {
            scan.scan_value()?;
            end = Some(scan.at);
            Some(())
        })
    });
    Some(format!("{}}}}}", &text[..end?]))
}

/// Goes over a text without reading more of it than where its values end.
struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    /// An object; `member` is given what is between the quotes of each key, and goes over the
    /// value.
    fn scan_object(&mut self, mut member: impl FnMut(&mut Self, Span) -> Option<()>) -> Option<()> {
        self.skip_spaces();
        self.consume_byte(b'{')?;
        self.skip_spaces();
        if self.consume_byte(b'}').is_some() {
            return Some(());
        }
        loop {
            self.skip_spaces();
            let start = self.at + 1;
            self.scan_string()?;
            let key = Span { start, end: self.at - 1 };
            // A key that is not written as it reads is not looked for.
            if self.bytes[start..key.end].contains(&b'\\') {
                return None;
            }
            self.skip_spaces();
            self.consume_byte(b':')?;
            self.skip_spaces();
            member(self, key)?;
            self.skip_spaces();
            if self.consume_byte(b'}').is_some() {
                return Some(());
            }
            self.consume_byte(b',')?;
        }
    }

    /// The items of a list after its bracket; `item` is reported where each ends.
    fn scan_items(&mut self, mut item: impl FnMut(usize)) -> Option<()> {
        self.skip_spaces();
        if self.consume_byte(b']').is_some() {
            return Some(());
        }
        loop {
            self.skip_spaces();
            self.scan_value()?;
            item(self.at);
            self.skip_spaces();
            if self.consume_byte(b']').is_some() {
                return Some(());
            }
            self.consume_byte(b',')?;
        }
    }

    fn scan_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.scan_string()?;
                    if depth == 0 {
                        return Some(());
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 1 => {
                    self.at += 1;
                    return Some(());
                }
                b'}' | b']' | b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return Some(()),
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn scan_string(&mut self) -> Option<()> {
        self.consume_byte(b'"')?;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    fn consume_byte(&mut self, byte: u8) -> Option<()> {
        (self.bytes.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    fn skip_spaces(&mut self) {
        let rest = &self.bytes[self.at.min(self.text.len())..];
        self.at +=
            rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }
}

/// Where the value of a segment begins, and its key.
fn value_of(text: &str) -> Option<(usize, &str)> {
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
    scan.scan_string()?;
    let key = text.get(1..scan.at - 1)?;
    scan.skip_spaces();
    scan.consume_byte(b':')?;
    scan.skip_spaces();
    Some((scan.at, key))
}

/// How long the key of a segment is, with its quotes.
pub(crate) fn key_len(text: &str) -> Option<usize> {
    value_of(text).map(|(_, key)| key.len() + 2)
}

fn parse_strict(text: &str) -> Option<Tree> {
    json::parse::parse_tree(text, Dialect::Strict).ok()
}

pub(crate) fn segment_content(text: &str) -> Option<SegmentContent> {
    let (start, key) = value_of(text)?;
    let tree = parse_strict(&text[start..])?;
    let is_odd = !tree.oddities.is_empty();
    let document = tree.documents.into_iter().next()?;
    let fits = stands_alone(&document.root, 2) && document.root.span.end == text.len() - start;
    let is_plain =
        parse_strict(text[..start].trim_end_matches([' ', '\t', '\n', '\r', ':'])).is_some();
    (fits && is_plain).then_some(())?;
    let value = Arc::try_unwrap(document.value).ok()?;
    Some(SegmentContent { key: key.to_owned(), value, is_odd })
}

/// What is read is the value behind spaces that are those of its line, so that what is written into
/// it is indented as in the whole.
pub(crate) fn parse_segment(text: &str, start: usize, indent: &str) -> Option<ParsedSegment> {
    let (value, _) = value_of(text)?;
    let text = format!("{indent}{}", &text[value..]);
    let document = parse_strict(&text)?.documents.into_iter().next()?;
    Some(ParsedSegment { text, document, ahead: start + value - indent.len(), depth: 2 })
}
