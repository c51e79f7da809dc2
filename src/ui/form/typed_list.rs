//! Several texts typed in one line: where one ends, and how one keeps its comma.

/// Whether a comma after this text ends it: not within quotes, nor where the text has a comma
/// already.
pub(super) fn ends_text(text: &str) -> bool {
    let text = text.trim_start();
    let quoted = text.starts_with('"') && (text.len() == 1 || !text.trim_end().ends_with('"'));
    !quoted && (text.starts_with('"') || !text.contains(','))
}

/// A text without the quotes that keep its comma.
pub(super) fn strip_quotes(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| inner.contains(',')).unwrap_or(text)
}

/// The texts of a list in one line or several; a comma within quotes belongs to its text.
pub(super) fn split_texts(text: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if quoted || text[start..at].trim().is_empty() => quoted = !quoted,
            '\n' | ',' if !quoted || letter == '\n' => {
                pieces.push(&text[start..at]);
                (start, quoted) = (at + 1, false);
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}
