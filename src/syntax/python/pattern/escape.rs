//! What a backslash begins, outside of sets.

use super::{
    parser::{Item, Kind, Parser},
    tokens::{Fault, Token, Tokens},
    width::Width,
};

impl Parser {
    pub(super) fn parse_escape(&mut self, letter: char) -> Result<Item, Fault> {
        match letter {
            'A' | 'b' | 'B' | 'Z' => Ok(Item { kind: Kind::Edge, width: Width::NONE }),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Ok(Item::with_width(Width::ONE)),
            '0' => self.tokens.consume_while(2, is_octal).map(|_| Item::with_width(Width::ONE)),
            '1'..='9' => self.parse_number_escape(letter),
            _ => escaped_character(&mut self.tokens, letter).map(|_| Item::with_width(Width::ONE)),
        }
    }

    /// Three octal digits are a character, fewer digits are a group's number.
    fn parse_number_escape(&mut self, first: char) -> Result<Item, Fault> {
        let mut digits = String::from(first);
        if let Some(Token::Plain(second @ '0'..='9')) = self.tokens.next {
            digits.push(second);
            self.tokens.advance()?;
            if digits.chars().all(is_octal)
                && let Some(Token::Plain(third @ '0'..='7')) = self.tokens.next
            {
                digits.push(third);
                self.tokens.advance()?;
                return octal_code(&digits).map(|_| Item::with_width(Width::ONE));
            }
        }
        let group: usize = digits.parse().unwrap_or(usize::MAX);
        if group >= self.groups.len() {
            return Err(format!("invalid group reference {group}"));
        }
        self.group_reference(group)
    }
}

pub(super) fn is_octal(c: char) -> bool {
    ('0'..='7').contains(&c)
}

/// The character of octal digits.
pub(super) fn octal_code(digits: &str) -> Result<u32, Fault> {
    match u32::from_str_radix(digits, 8) {
        Ok(code) if code <= 0o377 => Ok(code),
        _ => Err(format!("octal escape value \\{digits} outside of range 0-0o377")),
    }
}

/// The character that an escape represents, in and outside of sets; `None` where only Unicode's
/// names say it.
pub(super) fn escaped_character(tokens: &mut Tokens, letter: char) -> Result<Option<u32>, Fault> {
    let control = match letter {
        'a' => Some(7),
        'b' => Some(8),
        'f' => Some(12),
        'n' => Some(10),
        'r' => Some(13),
        't' => Some(9),
        'v' => Some(11),
        _ => None,
    };
    if control.is_some() {
        return Ok(control);
    }
    match letter {
        'x' => parse_hex_escape(tokens, letter, 2).map(Some),
        'u' => parse_hex_escape(tokens, letter, 4).map(Some),
        'U' => match parse_hex_escape(tokens, letter, 8)? {
            code if code <= 0x0010_FFFF => Ok(Some(code)),
            code => Err(format!("bad escape \\U{code:08x}")),
        },
        'N' => parse_named_escape(tokens).map(|()| None),
        letter if letter.is_ascii_alphabetic() => Err(format!("bad escape \\{letter}")),
        letter => Ok(Some(letter.into())),
    }
}

fn parse_hex_escape(tokens: &mut Tokens, letter: char, length: usize) -> Result<u32, Fault> {
    let digits = tokens.consume_while(length, |c| c.is_ascii_hexdigit())?;
    let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == length);
    code.ok_or_else(|| format!("incomplete escape \\{letter}{digits}"))
}

/// `\N{EM DASH}`: any name that Unicode could have passes.
fn parse_named_escape(tokens: &mut Tokens) -> Result<(), Fault> {
    if !tokens.consume_char('{')? {
        return Err("missing {".into());
    }
    let name =
        tokens.consume_until('}').map_err(|fault| fault.replace("group name", "character name"))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-');
    if name.chars().all(plain) { Ok(()) } else { Err(format!("undefined character name '{name}'")) }
}
