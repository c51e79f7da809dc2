//! `[…]`

use super::{
    escape::{escaped_character, is_octal, octal_code},
    parser::Parser,
    tokens::{Fault, Token},
    width::Width,
};

/// A member of a set.
enum Member {
    /// `None` where it is not known which.
    Char(Option<u32>),
    /// `\d` and the like, which no range begins or ends with.
    Class,
}

impl Parser {
    pub(super) fn parse_set(&mut self) -> Result<Width, Fault> {
        self.tokens.consume_char('^')?;
        let mut empty = true;
        loop {
            let token = self.tokens.next_token()?.ok_or("unterminated character set")?;
            if token == Token::Plain(']') && !empty {
                return Ok(Width::ONE);
            }
            empty = false;
            let low = self.parse_set_member(token)?;
            if !self.tokens.consume_char('-')? {
                continue;
            }
            let end = self.tokens.next_token()?.ok_or("unterminated character set")?;
            if end == Token::Plain(']') {
                return Ok(Width::ONE);
            }
            let high = self.parse_set_member(end)?;
            let orderly = match (low, high) {
                (Member::Char(Some(low)), Member::Char(Some(high))) => low <= high,
                (Member::Char(_), Member::Char(_)) => true,
                _ => false,
            };
            if !orderly {
                return Err(format!("bad character range {token}-{end}"));
            }
        }
    }

    fn parse_set_member(&mut self, token: Token) -> Result<Member, Fault> {
        match token {
            Token::Plain(c) => Ok(Member::Char(Some(c.into()))),
            Token::Escape('d' | 'D' | 's' | 'S' | 'w' | 'W') => Ok(Member::Class),
            Token::Escape(digit @ '0'..='7') => {
                let digits = format!("{digit}{}", self.tokens.consume_while(2, is_octal)?);
                octal_code(&digits).map(|code| Member::Char(Some(code)))
            }
            Token::Escape(digit @ '8'..='9') => Err(format!("bad escape \\{digit}")),
            Token::Escape(letter) => escaped_character(&mut self.tokens, letter).map(Member::Char),
        }
    }
}
