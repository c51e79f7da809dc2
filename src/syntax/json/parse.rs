//! Reads strict JSON (RFC 8259) into values and their places.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    schema::decimal,
    syntax::{
        place::{NoteKind, Span},
        tree::{Document, MAX_DEPTH, Member, Members, Node, Shape, Style, Tree},
    },
};

/// What is wrong, and at which offset.
type Fault = (usize, String);

pub fn parse(text: &str) -> Result<Tree, Fault> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut parser = Parser { text, bytes: text.as_bytes(), at: start, depth: 0, oddities: Vec::new() };
    parser.skip_blanks();
    if parser.at == text.len() {
        return Ok(Tree { documents: Vec::new(), oddities: Vec::new() });
    }
    let (root, value) = parser.value()?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err((parser.at, format!("{} after the end of the value", parser.here())));
    }
    let document = Document { value: Arc::new(value), root, extent: Span { start: 0, end: text.len() } };
    Ok(Tree { documents: vec![document], oddities: parser.oddities })
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    oddities: Vec<(usize, NoteKind)>,
}

impl Parser<'_> {
    fn value(&mut self) -> Result<(Node, Value), Fault> {
        let start = self.at;
        let (shape, value) = match self.bytes.get(start) {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => (Shape::Scalar, Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => (Shape::Scalar, self.number()?),
            Some(b'a'..=b'z' | b'A'..=b'Z') => (Shape::Scalar, self.word()?),
            _ => return Err((start, format!("a value is wanted here, not {}", self.here()))),
        };
        Ok((Node::new(Span { start, end: self.at }, shape), value))
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Result<(Shape, Value), Fault>) -> Result<(Shape, Value), Fault> {
        if self.depth == MAX_DEPTH {
            return Err((self.at, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        self.at += 1;
        let read = inner(self);
        self.depth -= 1;
        read
    }

    fn object(&mut self) -> Result<(Shape, Value), Fault> {
        let (mut members, mut values) = (Vec::new(), Map::new());
        self.skip_blanks();
        while !self.take(b'}') {
            if !members.is_empty() {
                self.separator("}")?;
            }
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err((self.at, format!("a key in double quotes is wanted here, not {}", self.here())));
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = Span { start, end: self.at };
            self.skip_blanks();
            if !self.take(b':') {
                return Err((self.at, format!("a colon is wanted after the key, not {}", self.here())));
            }
            self.skip_blanks();
            let (node, value) = self.value()?;
            members.push(Member { key: key.as_str().into(), key_span, value: node, merge: false });
            if values.insert(key, value).is_some() {
                self.oddities.push((start, NoteKind::DuplicateKey));
            }
            self.skip_blanks();
        }
        Ok((Shape::Object { members: Members::new(members), style: Style::Flow }, Value::Object(values)))
    }

    fn list(&mut self) -> Result<(Shape, Value), Fault> {
        let (mut items, mut values) = (Vec::new(), Vec::new());
        self.skip_blanks();
        while !self.take(b']') {
            if !items.is_empty() {
                self.separator("]")?;
            }
            let (node, value) = self.value()?;
            items.push(node);
            values.push(value);
            self.skip_blanks();
        }
        items.shrink_to_fit();
        values.shrink_to_fit();
        Ok((Shape::List { items, style: Style::Flow }, Value::Array(values)))
    }

    fn separator(&mut self, close: &str) -> Result<(), Fault> {
        if !self.take(b',') {
            return Err((self.at, format!("a comma or \"{close}\" is wanted here, not {}", self.here())));
        }
        let comma = self.at - 1;
        self.skip_blanks();
        if self.text[self.at..].starts_with(close) {
            return Err((comma, format!("a comma before \"{close}\" is not allowed")));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let mut escaped = false;
        loop {
            match self.bytes.get(self.at) {
                None => return Err((start, "the text in quotes does not end".into())),
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(0..=0x1f) => {
                    return Err((self.at, "a control character in a text: write it as an escape such as \\n".into()));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if !escaped {
            return Ok(self.text[start + 1..self.at - 1].to_owned());
        }
        serde_json::from_str(&self.text[start..self.at]).map_err(|error| {
            let inside = if error.line() == 1 { error.column().saturating_sub(1) } else { 0 };
            let at = (start..=start + inside).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(start);
            (at, reason(&error))
        })
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let written = self.token(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
        let number = serde_json::from_str(&self.text[written.start..written.end]);
        number.map(|number| Value::Number(decimal::canonical(number))).map_err(|error| (written.start, reason(&error)))
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let written = self.token(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match &self.text[written.start..written.end] {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            other => Err((written.start, format!("{other:?} is no value: text stands in double quotes"))),
        }
    }

    fn token(&mut self, belongs: fn(u8) -> bool) -> Span {
        let start = self.at;
        let len = self.bytes[start..].iter().take_while(|byte| belongs(**byte)).count();
        self.at += len;
        Span { start, end: self.at }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        self.at += self.bytes[self.at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    /// What stands at the present offset, in words.
    fn here(&self) -> String {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some('/') => "\"/\" (JSON has no comments)".into(),
            Some(letter) => format!("{:?}", letter.to_string()),
            None => "the end of the file".into(),
        }
    }
}

/// The reader's words without its own line and column.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_owned()
}
