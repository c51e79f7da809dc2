//! Reads JSON, strict or in a wider dialect, into values and their places.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::dialect::{self, Dialect};
use crate::{
    schema::decimal,
    syntax::{
        place::{NoteKind, Span},
        python_json,
        tree::{Document, MAX_DEPTH, Member, Members, Node, Shape, Style, Tree, exact_object},
    },
};

const MINUS_INFINITY: &str = "-Infinity";

/// What is wrong, and at which offset.
type Fault = (usize, String);

pub(crate) fn parse_tree(text: &str, dialect: Dialect) -> Result<Tree, Fault> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut parser =
        Parser { text, bytes: text.as_bytes(), dialect, at: start, depth: 0, oddities: Vec::new() };
    parser.skip_spaces()?;
    if parser.at == text.len() {
        return Ok(Tree { documents: Vec::new(), oddities: Vec::new() });
    }
    let (root, value) = parser.parse_value()?;
    parser.skip_spaces()?;
    if parser.at < text.len() {
        return Err((parser.at, format!("{} after the end of the value", parser.describe_next())));
    }
    let document =
        Document { value: Arc::new(value), root, extent: Span { start: 0, end: text.len() } };
    Ok(Tree { documents: vec![document], oddities: parser.oddities })
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    dialect: Dialect,
    at: usize,
    depth: usize,
    oddities: Vec<(usize, NoteKind)>,
}

impl Parser<'_> {
    fn parse_value(&mut self) -> Result<(Node, Value), Fault> {
        let start = self.at;
        let (shape, value) = match self.bytes.get(start) {
            Some(b'{') => self.parse_nested(Self::parse_object)?,
            Some(b'[') => self.parse_nested(Self::parse_list)?,
            Some(b'"') => (Shape::Scalar, Value::String(self.parse_string()?)),
            Some(b'\'') if self.dialect.is_json5() => {
                (Shape::Scalar, Value::String(self.parse_string()?))
            }
            Some(b'-' | b'0'..=b'9') => (Shape::Scalar, self.parse_number()?),
            Some(b'+' | b'.') if self.dialect.is_json5() => (Shape::Scalar, self.parse_number()?),
            Some(b'a'..=b'z' | b'A'..=b'Z') => (Shape::Scalar, self.parse_word()?),
            _ => {
                return Err((
                    start,
                    format!("a value is expected here, not {}", self.describe_next()),
                ));
            }
        };
        Ok((Node::new(Span { start, end: self.at }, shape), value))
    }

    fn parse_nested(
        &mut self,
        inner: fn(&mut Self) -> Result<(Shape, Value), Fault>,
    ) -> Result<(Shape, Value), Fault> {
        if self.depth == MAX_DEPTH {
            return Err((self.at, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        self.at += 1;
        let read = inner(self);
        self.depth -= 1;
        read
    }

    fn parse_object(&mut self) -> Result<(Shape, Value), Fault> {
        let (mut members, mut values) = (Vec::new(), Map::new());
        self.skip_spaces()?;
        while !self.consume_byte(b'}') {
            if !members.is_empty() && self.parse_separator("}")? {
                break;
            }
            let start = self.at;
            let key = self.parse_key()?;
            let key_span = Span { start, end: self.at };
            self.skip_spaces()?;
            if !self.consume_byte(b':') {
                return Err((
                    self.at,
                    format!("a colon is expected after the key, not {}", self.describe_next()),
                ));
            }
            self.skip_spaces()?;
            let (node, value) = self.parse_value()?;
            members.push(Member { key: key.as_str().into(), key_span, value: node, merge: false });
            if values.insert(key, value).is_some() {
                self.oddities.push((start, NoteKind::DuplicateKey));
            }
            self.skip_spaces()?;
        }
        Ok((
            Shape::Object { members: Members::new(members), style: Style::Flow },
            exact_object(values),
        ))
    }

    fn parse_list(&mut self) -> Result<(Shape, Value), Fault> {
        let (mut items, mut values) = (Vec::new(), Vec::new());
        self.skip_spaces()?;
        while !self.consume_byte(b']') {
            if !items.is_empty() && self.parse_separator("]")? {
                break;
            }
            let (node, value) = self.parse_value()?;
            items.push(node);
            values.push(value);
            self.skip_spaces()?;
        }
        values.shrink_to_fit();
        Ok((Shape::List { items: items.into(), style: Style::Flow }, Value::Array(values)))
    }

    /// The comma between two children; whether the brackets close behind it.
    fn parse_separator(&mut self, close: &str) -> Result<bool, Fault> {
        if !self.consume_byte(b',') {
            return Err((
                self.at,
                format!("a comma or \"{close}\" is expected here, not {}", self.describe_next()),
            ));
        }
        let comma = self.at - 1;
        self.skip_spaces()?;
        if !self.text[self.at..].starts_with(close) {
            return Ok(false);
        }
        if !self.dialect.has_comments() {
            return Err((comma, format!("a comma before \"{close}\" is not allowed")));
        }
        self.at += close.len();
        Ok(true)
    }

    fn parse_key(&mut self) -> Result<String, Fault> {
        match self.bytes.get(self.at) {
            Some(b'"') => self.parse_string(),
            Some(b'\'') if self.dialect.is_json5() => self.parse_string(),
            _ if self.dialect.is_json5() => self.parse_bare_key(),
            _ => Err((
                self.at,
                format!("a key in double quotes is expected here, not {}", self.describe_next()),
            )),
        }
    }

    /// A key without quotes.
    fn parse_bare_key(&mut self) -> Result<String, Fault> {
        let start = self.at;
        let belongs = |letter: char| dialect::continues_name(letter) || letter == '\\';
        let written =
            self.text[start..].split(|letter| !belongs(letter)).next().unwrap_or_default();
        let name = dialect::unescape_text(written).ok().filter(|name| dialect::is_name(name));
        let name = name.ok_or_else(|| {
            (start, format!("a key is expected here, not {}", self.describe_next()))
        })?;
        self.at += written.len();
        Ok(name)
    }

    fn parse_string(&mut self) -> Result<String, Fault> {
        let (start, quote) = (self.at, self.bytes[self.at]);
        self.at += 1;
        let mut escaped = false;
        loop {
            match self.bytes.get(self.at) {
                None => return Err((start, "the text in quotes does not end".into())),
                Some(byte) if *byte == quote => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at +=
                        1 + self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8);
                    // The two bytes of a line end are one.
                    self.at += usize::from(
                        self.text[..self.at].ends_with('\r')
                            && self.bytes.get(self.at) == Some(&b'\n'),
                    );
                }
                Some(b'\n' | b'\r') if self.dialect.is_json5() => {
                    return Err((
                        self.at,
                        "a line end in a text: write \\n, or a backslash before it to go on in the next line".into(),
                    ));
                }
                Some(0..=0x1f) if !self.dialect.is_json5() => {
                    return Err((
                        self.at,
                        "a control character in a text: write it as an escape such as \\n".into(),
                    ));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let inside = &self.text[start + 1..self.at - 1];
        if !escaped {
            return Ok(inside.to_owned());
        }
        if self.dialect.is_json5() {
            return dialect::unescape_text(inside).map_err(|(at, words)| (start + 1 + at, words));
        }
        let written = &self.text[start..self.at];
        if let Some(text) = python_json::with_halves(written) {
            self.oddities.push((start, NoteKind::NotJson));
            return Ok(text);
        }
        serde_json::from_str(written).map_err(|error| {
            let inside = if error.line() == 1 { error.column().saturating_sub(1) } else { 0 };
            let at = (start..=start + inside)
                .rev()
                .find(|at| self.text.is_char_boundary(*at))
                .unwrap_or(start);
            (at, message_without_position(&error))
        })
    }

    fn parse_number(&mut self) -> Result<Value, Fault> {
        if self.dialect.is_json5() {
            let belongs =
                |byte: u8| matches!(byte, b'-' | b'+' | b'.') || byte.is_ascii_alphanumeric();
            let written = self.consume_while(belongs);
            let number = dialect::parse_number(&self.text[written.start..written.end]);
            return number.map(Value::Number).map_err(|words| (written.start, words));
        }
        if self.text[self.at..].starts_with(MINUS_INFINITY) {
            self.oddities.push((self.at, NoteKind::NotJson));
            self.at += MINUS_INFINITY.len();
            return Ok(python_json::no_number(MINUS_INFINITY));
        }
        let written = self
            .consume_while(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
        let number = serde_json::from_str(&self.text[written.start..written.end]);
        number
            .map(|number| Value::Number(decimal::canonical_number(number)))
            .map_err(|error| (written.start, message_without_position(&error)))
    }

    fn parse_word(&mut self) -> Result<Value, Fault> {
        let written = self.consume_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match &self.text[written.start..written.end] {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            word @ ("Infinity" | "NaN") if !self.dialect.is_json5() => {
                self.oddities.push((written.start, NoteKind::NotJson));
                Ok(python_json::no_number(word))
            }
            other @ ("Infinity" | "NaN") if self.dialect.is_json5() => dialect::parse_number(other)
                .map(Value::Number)
                .map_err(|words| (written.start, words)),
            other => Err((written.start, format!("{other:?} is no value: text needs quotes"))),
        }
    }

    fn consume_while(&mut self, belongs: fn(u8) -> bool) -> Span {
        let start = self.at;
        let len = self.bytes[start..].iter().take_while(|byte| belongs(**byte)).count();
        self.at += len;
        Span { start, end: self.at }
    }

    fn consume_byte(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// Goes over spaces, and comments where there are any.
    fn skip_spaces(&mut self) -> Result<(), Fault> {
        loop {
            self.at += self.bytes[self.at..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
                .count();
            if self.dialect.is_json5() {
                let rest = &self.text[self.at..];
                self.at += rest.len() - rest.trim_start_matches(dialect::is_space).len();
            }
            if !self.dialect.has_comments() || self.bytes.get(self.at) != Some(&b'/') {
                return Ok(());
            }
            match comment_end(self.text, self.at) {
                Some(end) => self.at = end,
                None if self.text[self.at..].starts_with("/*") => {
                    return Err((self.at, "the comment does not end: */ is missing".into()));
                }
                None => return Ok(()),
            }
        }
    }

    /// What is at the present offset, in words.
    fn describe_next(&self) -> String {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some('/') if !self.dialect.has_comments() => {
                "\"/\" (JSON has no comments; name the file .jsonc)".into()
            }
            Some(letter) => format!("{:?}", letter.to_string()),
            None => "the end of the file".into(),
        }
    }
}

/// Where a comment that begins at an offset ends, the line end of a `//` comment left out; `None`
/// where none begins or it does not end.
pub(crate) fn comment_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if let Some(inside) = rest.strip_prefix("/*") {
        return inside.find("*/").map(|end| at + 2 + end + 2);
    }
    rest.starts_with("//")
        .then(|| at + rest.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(rest.len()))
}

/// The reader's words without its own line and column.
fn message_without_position(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_owned()
}
