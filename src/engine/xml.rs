//! Text as XML has it.

/// A text with `&`, `<` and `>` as references, and any other sign as `other` writes it.
pub(super) fn escape_text(text: &str, other: impl Fn(&mut String, char)) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            sign => other(&mut escaped, sign),
        }
    }
    escaped
}
