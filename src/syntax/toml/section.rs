//! Where tables, lines and keys of TOML stand: what belongs to a `[header]`, and the parts of
//! dotted keys.

use crate::syntax::{
    page::TextPage,
    place::Span,
    tree::{Member, Node, Shape, Style},
};

/// Whether a value is written with headers rather than behind a key.
pub(crate) fn is_section(node: &Node) -> bool {
    matches!(
        node.shape,
        Shape::Object { style: Style::Table { .. }, .. }
            | Shape::List { style: Style::Table { .. }, .. }
    )
}

pub(crate) fn is_dotted(node: &Node) -> bool {
    matches!(node.shape, Shape::Object { style: Style::Dotted, .. })
}

pub(crate) fn header_span(node: &Node) -> Option<Span> {
    match node.shape {
        Shape::Object { style: Style::Table { header }, .. } => header,
        _ => None,
    }
}

pub(crate) fn object_members(node: &Node) -> &[Member] {
    match &node.shape {
        Shape::Object { members, .. } => members.as_slice(),
        _ => &[],
    }
}

/// Where the lines of a table's own members end, its sections left out; `None` where it has neither
/// header nor members.
pub(crate) fn own_end(node: &Node) -> Option<usize> {
    let own = object_members(node)
        .iter()
        .filter(|member| !is_section(&member.value))
        .map(|member| member.value.span.end);
    own.chain(header_span(node).map(|header| header.end)).max()
}

/// Every table with a header at or below a node.
pub(crate) fn collect_headed<'t>(node: &'t Node, found: &mut Vec<&'t Node>) {
    if header_span(node).is_some() {
        found.push(node);
    }
    match &node.shape {
        Shape::Object { members, .. } => {
            members
                .iter()
                .filter(|member| is_section(&member.value))
                .for_each(|member| collect_headed(&member.value, found));
        }
        Shape::List { items, style: Style::Table { .. } } => {
            items.iter().for_each(|item| collect_headed(item, found));
        }
        _ => {}
    }
}

/// The keys of all lines below a dotted table, with the keys' values.
pub(crate) fn collect_leaves<'t>(node: &'t Node, found: &mut Vec<&'t Member>) {
    for member in object_members(node) {
        if is_dotted(&member.value) {
            collect_leaves(&member.value, found);
        } else {
            found.push(member);
        }
    }
}

/// The lines of a section: from its header to its last own member, with the blank lines behind
/// them.
pub(crate) fn section_lines(page: &TextPage<'_>, node: &Node) -> Option<Span> {
    let start = page.line_start(header_span(node)?.start);
    let mut end = page.next_line(own_end(node)?);
    while end < page.text.len() && page.text[end..page.line_end(end)].trim().is_empty() {
        end = page.next_line(end);
    }
    Some(Span { start, end })
}

/// The parts of a dotted key that begins at an offset.
pub(crate) fn key_parts(page: &TextPage<'_>, start: usize) -> Vec<Span> {
    let bytes = page.text.as_bytes();
    let blanks = |mut at: usize| {
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    };
    let (mut at, mut found) = (blanks(start), Vec::new());
    loop {
        let begin = at;
        match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => {
                at += 1;
                while let Some(byte) = bytes.get(at).filter(|byte| *byte != quote) {
                    at += if *byte == b'\\' && *quote == b'"' { 2 } else { 1 };
                }
                at += 1;
            }
            _ => {
                while bytes
                    .get(at)
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
                {
                    at += 1;
                }
            }
        }
        if at == begin {
            return found;
        }
        found.push(Span { start: begin, end: at });
        at = blanks(at);
        if bytes.get(at) != Some(&b'.') {
            return found;
        }
        at = blanks(at + 1);
    }
}

/// The parts of a table's header.
pub(crate) fn header_keys(page: &TextPage<'_>, header: Span) -> Vec<Span> {
    let inside =
        page.text[header.start..].len() - page.text[header.start..].trim_start_matches('[').len();
    key_parts(page, header.start + inside)
}

/// Where the key of a line begins, dots and all.
pub(crate) fn line_key(page: &TextPage<'_>, key: Span) -> usize {
    let start = page.line_start(key.start);
    let parts = key_parts(page, start);
    if let (Some(first), true) = (parts.first(), parts.contains(&key)) {
        return first.start;
    }
    let lead = &page.text[start..key.start];
    let opened = lead.rfind(['{', ',']).map_or(0, |at| at + 1);
    start + opened + (lead[opened..].len() - lead[opened..].trim_start_matches([' ', '\t']).len())
}
