//! JSON, strict or with comments, and JSON5: how it is read and how edits are written into it.

pub mod dialect;
pub mod edit;
pub mod parse;
pub mod print;

/// Whether a text begins as an object or a list does, behind comments.
pub(crate) fn is_bracketed(text: &str) -> bool {
    first_value(text).is_some_and(|at| text[at..].starts_with(['{', '[']))
}

/// Whether a text is bracketed and has a comment on a line of its own, or before its first value:
/// no YAML has that.
pub(crate) fn is_commented(text: &str) -> bool {
    let comment = |line: &str| line.starts_with("//") || line.starts_with("/*");
    is_bracketed(text)
        && text
            .lines()
            .any(|line| comment(line.trim_start_matches(['\u{feff}', '{', '[', ' ', '\t'])))
}

/// Where the first value begins.
fn first_value(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches(dialect::is_space).len();
        match parse::comment_end(text, at) {
            Some(end) => at = end,
            None => return (at < text.len()).then_some(at),
        }
    }
}
