//! Cuts YAML: sections in block style, whose members are in block style too.

use super::{
    found::{FoundSection, ParsedSegment, SegmentContent, stands_alone},
    plain,
};
use crate::syntax::{
    place::Span,
    tree::{Document, Shape, Style},
    yaml,
};

/// The sections of a text. What is not cut for certain is `None`: the segments are read by the
/// parser then, and tell the rest.
pub(crate) fn split_sections(text: &str) -> Option<Vec<FoundSection<'_>>> {
    if has_odd_line_ends(text) || text.starts_with('\u{feff}') {
        return None;
    }
    let mut sections: Vec<FoundSection<'_>> = Vec::new();
    let mut column = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        let words = words.trim_end_matches(['\n', '\r', ' ']);
        let known = sections.last_mut();
        match (words.as_bytes().first(), known) {
            (None | Some(b'#'), None) => {}
            (None | Some(b'#'), Some(section)) => {
                if let Some(last) = section.members.last_mut() {
                    last.end = at;
                }
            }
            (Some(b'\t'), _) => return None,
            (Some(_), _) if indent == 0 => {
                if sections.last().is_some_and(|section| section.members.is_empty()) {
                    return None;
                }
                sections.push(FoundSection { name: plain_key(words)?, members: Vec::new() });
                column = None;
            }
            (Some(_), None) => return None,
            (Some(_), Some(section)) => {
                let column = *column.get_or_insert(indent);
                match section.members.last_mut() {
                    _ if indent < column => return None,
                    // The items of a list may stand as far out as its key.
                    Some(last) if indent > column || words.starts_with("- ") || words == "-" => {
                        last.end = at;
                    }
                    _ => section.members.push(Span { start, end: at }),
                }
            }
        }
    }
    sections.last().is_some_and(|section| !section.members.is_empty()).then_some(sections)
}

/// As much of the begin of a text as can be read for itself: whole lines, up to the last member that
/// begins in it, which may not be there as a whole.
pub(crate) fn beginning(text: &str) -> Option<String> {
    let lines = &text[..text.rfind('\n')? + 1];
    let sections = split_sections(lines)?;
    let [.., _, last] = sections.last()?.members.as_slice() else { return None };
    Some(lines[..last.start].to_owned())
}

/// The key of a line that holds nothing but a key.
fn plain_key(words: &str) -> Option<&str> {
    let (name, rest) = words.split_once(':')?;
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let is_word =
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_plain);
    let is_alone = rest.is_empty() || (rest.starts_with(' ') && rest.trim_start().starts_with('#'));
    (is_word && is_alone && !yaml::resolve::reads_differently(name)).then_some(name)
}

/// Whether lines end in more than one way, or in one that only YAML knows.
fn has_odd_line_ends(text: &str) -> bool {
    let returns = text.bytes().filter(|byte| *byte == b'\r').count();
    returns > 0
        && (text.matches("\r\n").count() != returns
            || text.bytes().filter(|byte| *byte == b'\n').count() != returns)
}

/// Whether a text in the place of a segment is one: a single member, and nothing less indented than
/// that.
pub(crate) fn holds_one(text: &str) -> bool {
    let whole = format!("a:\n{text}");
    let is_one = |sections: Vec<FoundSection<'_>>| matches!(sections.as_slice(), [section] if section.members.len() == 1);
    split_sections(&whole).is_some_and(is_one)
}

pub(crate) fn segment_content(text: &str) -> Option<SegmentContent> {
    plain::segment_content(text).or_else(|| parsed_content(text))
}

/// The same as the parser reports it.
pub(super) fn parsed_content(text: &str) -> Option<SegmentContent> {
    let tree = yaml::parse::parse_tree(text).ok()?;
    let is_odd = !tree.oddities.is_empty();
    let [document] = <[Document; 1]>::try_from(tree.documents).ok()?;
    let indent = text.len() - text.trim_start_matches(' ').len();
    let Shape::Object { members, style: Style::Block } = &document.root.shape else { return None };
    let [member] = members.as_slice() else { return None };
    let is_plain = member.key_span.start == indent && document.root.lead == indent && !member.merge;
    if !is_plain || !stands_alone(&member.value, 2) {
        return None;
    }
    let value = std::sync::Arc::try_unwrap(document.value).ok()?;
    let serde_json::Value::Object(members) = value else { return None };
    let (key, value) = members.into_iter().next()?;
    Some(SegmentContent { key, value, is_odd })
}

pub(crate) fn parse_segment(text: &str, start: usize) -> Option<ParsedSegment> {
    let tree = yaml::parse::parse_tree(text).ok()?;
    let [document] = <[Document; 1]>::try_from(tree.documents).ok()?;
    Some(ParsedSegment { text: text.to_owned(), document, ahead: start, depth: 1 })
}
