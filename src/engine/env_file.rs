//! Files of environment variables: a line `NAME=VALUE` for each, as `.env` files have them.

use std::collections::BTreeMap;

use super::settings::table::is_variable_name;

/// A line that can't be read, counted from 1, and why. Its value isn't repeated: it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFault {
    pub line: usize,
    pub words: &'static str,
}

/// The variables of a file's text; of several lines with one name the last counts. `export` may be
/// before a name, `#` begins a comment. A value within single quotes is as it is; within double
/// quotes `\n`, `\r`, `\t`, `\"`, `\\` and `\$` are read. Both may go over several lines. Nothing is
/// filled in.
///
/// # Errors
/// The first line that is none of that.
pub fn read_env_file(text: &str) -> Result<BTreeMap<String, String>, LineFault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut variables = BTreeMap::new();
    let (mut rest, mut line) = (text, 1);
    while !rest.is_empty() {
        let (first, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let pair = first.trim();
        let is_said = !pair.is_empty() && !pair.starts_with('#');
        let after = match is_said {
            true => read_pair(rest, &mut variables).map_err(|words| LineFault { line, words })?,
            false => after,
        };
        line += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
    }
    Ok(variables)
}

/// Reads the variable that a text begins with; what follows it.
fn read_pair<'t>(
    text: &'t str,
    variables: &mut BTreeMap<String, String>,
) -> Result<&'t str, &'static str> {
    let (first, after) = text.split_once('\n').unwrap_or((text, ""));
    let (name, value) = first.split_once('=').ok_or("it has no =: write NAME=VALUE")?;
    let name = name.trim();
    let name = name.strip_prefix("export ").map_or(name, str::trim);
    if !is_variable_name(name) {
        return Err("a name has letters, digits and _, and no digit first");
    }
    let start = first.len() - value.trim_start().len();
    let (value, after) = match text[start..].chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let (value, after) = read_quoted(&text[start + 1..], quote)
                .ok_or("the quote at the start of its value has no end")?;
            let (beside, after) = after.split_once('\n').unwrap_or((after, ""));
            if !matches!(beside.trim_start().chars().next(), None | Some('#')) {
                return Err("something follows the quote that ends its value");
            }
            (value, after)
        }
        _ => (bare_value(value).to_owned(), after),
    };
    variables.insert(name.to_owned(), value);
    Ok(after)
}

/// A value without quotes, up to a comment, which is after a blank.
fn bare_value(value: &str) -> &str {
    let is_comment =
        |(at, _): &(usize, &str)| value[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let end = value.match_indices('#').find(is_comment).map_or(value.len(), |(at, _)| at);
    value[..end].trim()
}

/// A value up to its quote, and what follows that; `None`: there is no such quote.
fn read_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return Some((value, &text[at + 1..]));
        }
        if letter != '\\' || quote == '\'' {
            value.push(letter);
            continue;
        }
        match letters.next()?.1 {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            plain @ ('"' | '\\' | '$') => value.push(plain),
            other => value.extend(['\\', other]),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_other_programs_read_them() {
        let text = "\u{feff}# a comment\n\n A = one \nexport B=two # words\r\nC=a#b\nD='it is $A \\n' # c\n\
                    E=\"two\\nlines \\\"\\$5\\\" \\d\"\nKEY=\"-----BEGIN\nabc=\n-----END\"\nF=\nG= # none\nA=last";
        let read = read_env_file(text).unwrap();
        for (name, value) in [
            ("A", "last"),
            ("B", "two"),
            ("C", "a#b"),
            ("D", "it is $A \\n"),
            ("E", "two\nlines \"$5\" \\d"),
            ("KEY", "-----BEGIN\nabc=\n-----END"),
            ("F", ""),
            ("G", ""),
        ] {
            assert_eq!(read[name], value, "{name}");
        }
        assert_eq!(read.len(), 8);
    }

    #[test]
    fn a_line_that_is_none_is_named_without_its_value() {
        for (text, line, words) in [
            ("A=1\nhunter2", 2, "no ="),
            ("A=1\n\n2B=hunter2", 3, "letters, digits"),
            ("A=\"x\ny\"\nB='hunter2\nC=1", 3, "no end"),
            ("# a\n\nA='\n' # b\n=hunter2", 5, "letters, digits"),
            ("A='hunter2' more", 1, "follows the quote"),
        ] {
            let fault = read_env_file(text).unwrap_err();
            assert!(fault.line == line && fault.words.contains(words), "{text}: {fault:?}");
        }
    }
}
