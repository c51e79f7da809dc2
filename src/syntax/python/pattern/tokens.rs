//! A pattern cut into characters and escapes, one looked at ahead.

use std::fmt;

/// What is wrong, mostly in Python's own words.
pub(crate) type Fault = String;

/// A character, or one after a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Plain(char),
    Escape(char),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(c) => write!(f, "{c}"),
            Self::Escape(c) => write!(f, "\\{c}"),
        }
    }
}

pub(crate) struct Tokens {
    chars: Vec<char>,
    /// Behind [`Self::next`].
    at: usize,
    /// Where [`Self::next`] begins.
    start: usize,
    pub next: Option<Token>,
}

impl Tokens {
    pub fn new(pattern: &str) -> Result<Self, Fault> {
        let mut tokens = Self { chars: pattern.chars().collect(), at: 0, start: 0, next: None };
        tokens.advance()?;
        Ok(tokens)
    }

    pub fn advance(&mut self) -> Result<(), Fault> {
        self.start = self.at;
        self.next = match self.chars.get(self.at) {
            None => None,
            Some('\\') => {
                let letter = *self.chars.get(self.at + 1).ok_or("bad escape (end of pattern)")?;
                self.at += 2;
                Some(Token::Escape(letter))
            }
            Some(c) => {
                self.at += 1;
                Some(Token::Plain(*c))
            }
        };
        Ok(())
    }

    pub fn next_token(&mut self) -> Result<Option<Token>, Fault> {
        let token = self.next;
        self.advance()?;
        Ok(token)
    }

    /// Takes the next token where it is this character.
    pub fn consume_char(&mut self, c: char) -> Result<bool, Fault> {
        let is = self.next == Some(Token::Plain(c));
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    pub fn mark(&self) -> usize {
        self.start
    }

    pub fn back_to(&mut self, mark: usize) -> Result<(), Fault> {
        self.at = mark;
        self.advance()
    }

    /// Takes at most so many characters of a kind.
    pub fn consume_while(&mut self, most: usize, of: fn(char) -> bool) -> Result<String, Fault> {
        let mut taken = String::new();
        while let Some(Token::Plain(c)) = self.next
            && of(c)
            && taken.len() < most
        {
            taken.push(c);
            self.advance()?;
        }
        Ok(taken)
    }

    pub fn consume_digits(&mut self) -> Result<String, Fault> {
        self.consume_while(usize::MAX, |c| c.is_ascii_digit())
    }

    pub fn skip_line(&mut self) -> Result<(), Fault> {
        while !matches!(self.next_token()?, None | Some(Token::Plain('\n'))) {}
        Ok(())
    }

    /// Everything before a character, which is taken too.
    pub fn consume_until(&mut self, end: char) -> Result<String, Fault> {
        let mut taken = String::new();
        loop {
            match self.next_token()? {
                Some(Token::Plain(c)) if c == end => break,
                Some(token) => taken.push_str(&token.to_string()),
                None if taken.is_empty() => return Err("missing group name".into()),
                None => return Err(format!("missing {end}, unterminated name")),
            }
        }
        if taken.is_empty() { Err("missing group name".into()) } else { Ok(taken) }
    }

    /// A group's name.
    pub fn parse_name(&mut self, end: char) -> Result<String, Fault> {
        let name = self.consume_until(end)?;
        check_name(&name)?;
        Ok(name)
    }
}

/// Names are identifiers of Python.
pub(crate) fn check_name(name: &str) -> Result<(), Fault> {
    let start = |c: char| c == '_' || c.is_alphabetic();
    let rest = |c: char| start(c) || c.is_alphanumeric();
    let mut chars = name.chars();
    let is = chars.next().is_some_and(start) && chars.all(rest);
    if is { Ok(()) } else { Err(format!("bad character in group name '{name}'")) }
}
