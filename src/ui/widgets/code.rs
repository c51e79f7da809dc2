//! Lines of JSON, YAML or TOML coloured by a small lexer, one line at a time.

use crate::ui::styles::Role;

/// A line in pieces, each with its role. Looks at this line only, so a window of a large text costs
/// no more than it shows.
#[must_use]
pub(crate) fn highlight_line(line: &str) -> Vec<(Role, &str)> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (role, length) = match first {
            '"' | '\'' => {
                let length = quoted_len(rest, first);
                (if is_key(&rest[length..]) { Role::SyntaxKey } else { Role::SyntaxText }, length)
            }
            '#' if rest.len() == line.len()
                || line[..line.len() - rest.len()].ends_with([' ', '\t']) =>
            {
                (Role::SyntaxComment, rest.len())
            }
            '{' | '}' | '[' | ']' | ',' | ':' | '=' | '-' | ' ' | '\t' => {
                (Role::Dim, first.len_utf8())
            }
            _ => highlight_word(rest),
        };
        pieces.push((role, &rest[..length]));
        rest = &rest[length..];
    }
    pieces
}

fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            end if end == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_key(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with('=')
        || after.strip_prefix(':').is_some_and(|value| value.is_empty() || value.starts_with(' '))
}

fn highlight_word(text: &str) -> (Role, usize) {
    let colon = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1));
    let stop = text.find([',', ']', '}', '#', '=', '"']).unwrap_or(text.len());
    if let Some(colon) = colon.filter(|colon| *colon < stop) {
        return (Role::SyntaxKey, colon.max(1));
    }
    let end = stop.max(1).min(text.len());
    let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let shown = text[..end].trim();
    if is_key(&text[end..]) && text[end..].starts_with('=') {
        return (Role::SyntaxKey, end);
    }
    let number = shown.parse::<f64>().is_ok() || matches!(shown, "true" | "false" | "null" | "~");
    (if number { Role::SyntaxNumber } else { Role::Text }, end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn roles(line: &str) -> Vec<(Role, &str)> {
        highlight_line(line).into_iter().filter(|(role, _)| *role != Role::Dim).collect()
    }

    #[test]
    fn keys_texts_numbers_and_comments_are_told_apart() {
        assert_eq!(
            roles(r#"  "limit": 10, "a""#),
            [
                (Role::SyntaxKey, "\"limit\""),
                (Role::SyntaxNumber, "10"),
                (Role::SyntaxText, "\"a\"")
            ]
        );
        assert_eq!(
            roles("    state: analysis # next"),
            [
                (Role::SyntaxKey, "state"),
                (Role::Text, "analysis "),
                (Role::SyntaxComment, "# next")
            ]
        );
        assert_eq!(
            roles("mode = \"document\""),
            [(Role::SyntaxKey, "mode "), (Role::SyntaxText, "\"document\"")]
        );
    }

    proptest! {
        #[test]
        fn pieces_join_to_the_line(line in ".{0,60}") {
            prop_assert_eq!(highlight_line(&line).into_iter().map(|(_, text)| text).collect::<String>(), line);
        }
    }
}
