//! Lines of Python's tokens.

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(String),
    /// What a text says; `None` where that is known when it runs, or is bytes.
    Text(Option<String>),
    Sign(char),
}

/// A token, and its line in the text, from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub token: Token,
    pub line: usize,
}

/// A line as Python sees it: it ends where no bracket and no text is open. It has tokens.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub indent: usize,
    pub tokens: Vec<Placed>,
}

/// How far a tab goes.
const TAB: usize = 8;
/// What may be before the quote of a text, in small letters.
const PREFIXES: [&str; 11] = ["r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"];

/// The lines of a text.
///
/// # Errors
/// Where a bracket or a text has no end.
pub(super) fn read_lines(text: &str) -> Result<Vec<Line>, String> {
    let mut reader = Reader { rest: text, line: 1, open: Vec::new() };
    let mut lines = Vec::new();
    while let Some(line) = reader.read_line()? {
        lines.push(line);
    }
    Ok(lines)
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
    /// The lines of the brackets that are open.
    open: Vec<usize>,
}

impl Reader<'_> {
    fn skip_char(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        self.line += usize::from(letter == '\n');
        Some(letter)
    }

    /// Takes as many letters as fit.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|letter| !fits(letter)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    /// The next line with a token; `None` at the end.
    fn read_line(&mut self) -> Result<Option<Line>, String> {
        let mut line = Line { indent: 0, tokens: Vec::new() };
        let mut is_start = true;
        while let Some(letter) = self.rest.chars().next() {
            let at = self.line;
            let token = match letter {
                '\n' => {
                    self.skip_char();
                    if self.open.is_empty() && !line.tokens.is_empty() {
                        return Ok(Some(line));
                    }
                    if self.open.is_empty() {
                        (line.indent, is_start) = (0, true);
                    }
                    continue;
                }
                ' ' | '\t' => {
                    self.skip_char();
                    if is_start {
                        line.indent = match letter {
                            '\t' => (line.indent / TAB + 1) * TAB,
                            _ => line.indent + 1,
                        };
                    }
                    continue;
                }
                '#' => {
                    self.take_while(|letter| letter != '\n');
                    continue;
                }
                // A line that goes on.
                '\\' => {
                    self.skip_char();
                    self.take_while(|letter| letter == '\r');
                    self.skip_char();
                    continue;
                }
                letter if letter.is_whitespace() || letter == '\u{feff}' => {
                    self.skip_char();
                    continue;
                }
                '"' | '\'' => self.read_text("")?,
                letter if letter == '_' || letter.is_alphabetic() => {
                    let name = self.take_while(|it| it == '_' || it.is_alphanumeric());
                    let is_prefix = PREFIXES.contains(&&*name.to_lowercase());
                    match is_prefix && self.rest.starts_with(['"', '\'']) {
                        true => self.read_text(&name.to_lowercase())?,
                        false => Token::Name(name),
                    }
                }
                letter if letter.is_ascii_digit() => self.read_number(),
                letter => {
                    self.skip_char();
                    match letter {
                        '(' | '[' | '{' => self.open.push(at),
                        ')' | ']' | '}' => {
                            self.open.pop();
                        }
                        _ => {}
                    }
                    Token::Sign(letter)
                }
            };
            is_start = false;
            line.tokens.push(Placed { token, line: at });
        }
        match self.open.pop() {
            Some(at) => Err(format!("line {at}: this bracket is not closed")),
            None => Ok(Some(line).filter(|line| !line.tokens.is_empty())),
        }
    }

    fn read_number(&mut self) -> Token {
        let mut number = self.take_while(|it| it == '_' || it == '.' || it.is_ascii_alphanumeric());
        let is_hex = number.starts_with("0x") || number.starts_with("0X");
        if !is_hex && number.ends_with(['e', 'E']) && self.rest.starts_with(['+', '-']) {
            number.extend(self.skip_char());
            number += &self.take_while(|it| it == '_' || it.is_ascii_digit());
        }
        Token::Number(number)
    }

    /// A text, which is at its quote; its prefix is behind.
    fn read_text(&mut self, prefix: &str) -> Result<Token, String> {
        let begin = self.line;
        let unclosed = || format!("line {begin}: this text has no end");
        let quote = self.skip_char().ok_or_else(unclosed)?;
        let two = String::from_iter([quote, quote]);
        let is_long = self.rest.starts_with(&two);
        let end = match is_long {
            true => {
                self.rest = &self.rest[two.len()..];
                two + &String::from(quote)
            }
            false => String::from(quote),
        };
        let mut text = String::new();
        loop {
            if self.rest.starts_with(&end) {
                self.rest = &self.rest[end.len()..];
                return Ok(Token::Text(says_text(prefix, text)));
            }
            match self.skip_char().ok_or_else(unclosed)? {
                '\n' if !is_long => return Err(unclosed()),
                '\\' if prefix.contains('r') => {
                    text.push('\\');
                    text.extend(self.skip_char());
                }
                '\\' => self.read_escape(&mut text).ok_or_else(unclosed)?,
                // Line ends of other systems are Python's own.
                '\r' if self.rest.starts_with('\n') => {}
                letter => text.push(letter),
            }
        }
    }

    /// What follows a backslash; `None` at the end of the text.
    fn read_escape(&mut self, text: &mut String) -> Option<()> {
        let letter = self.skip_char()?;
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code = self.rest.get(..digits).filter(|_| digits > 0);
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        if let Some(code) = code.and_then(char::from_u32) {
            self.rest = &self.rest[digits..];
            text.push(code);
            return Some(());
        }
        match letter {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '\\' | '\'' | '"' => text.push(letter),
            '\r' if self.rest.starts_with('\n') => {
                self.skip_char();
            }
            '\n' => {}
            // Python leaves what it doesn't know.
            other => text.extend(['\\', other]),
        }
        Some(())
    }
}

/// What a text says, unless that is known when it runs, or is bytes.
fn says_text(prefix: &str, text: String) -> Option<String> {
    (!prefix.contains(['b', 'f', 't'])).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let word = |placed: &Placed| match &placed.token {
            Token::Name(name) | Token::Number(name) => name.clone(),
            Token::Text(text) => format!("{text:?}"),
            Token::Sign(sign) => sign.to_string(),
        };
        let line = |line: &Line| {
            let words: Vec<String> = line.tokens.iter().map(word).collect();
            format!("{} {}", line.indent, words.join(" "))
        };
        read_lines(text).unwrap().iter().map(line).collect()
    }

    #[test]
    fn lines_go_on_where_something_is_open() {
        let text = "\nif a: # no\n\tdef f(x,  # why\n  y=1e-3):\n    b = 0x1F + \\\n      2\n";
        assert_eq!(words(text), ["0 if a :", "8 def f ( x , y = 1e-3 ) :", "4 b = 0x1F + 2"]);
        let lines = read_lines(text).unwrap();
        assert_eq!(lines[1].tokens.last().unwrap().line, 4);
    }

    #[test]
    fn texts_are_read_as_python_reads_them() {
        for (text, says) in [
            (r#""""#, r#"Some("")"#),
            (r"'it\'s'", r#"Some("it's")"#),
            ("'''a\n 'b' '''", r#"Some("a\n 'b' ")"#),
            (r"r'\d'", r#"Some("\\d")"#),
            (r"'\x41\u00e9\d\n'", r#"Some("Aé\\d\n")"#),
            ("f'{a}'", "None"),
            ("b''", "None"),
        ] {
            assert_eq!(words(text), [format!("0 {says}")], "{text}");
        }
        assert_eq!(read_lines("a\n'b").unwrap_err(), "line 2: this text has no end");
        assert_eq!(read_lines("a(\n[1]\n").unwrap_err(), "line 1: this bracket is not closed");
    }
}
