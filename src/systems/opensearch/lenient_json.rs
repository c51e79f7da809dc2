//! JSON as Gson reads it where it is lenient: names and texts without quotes or with single ones,
//! `=` and `;`, comments. A tool's `input` is read that way.

use serde_json::{Map, Number, Value};

/// How deep a text may nest.
const DEEPEST: usize = 255;

/// The members of a text that is an object, as far as Gson takes it for one; none where it is
/// blank, or the word `null`.
///
/// # Errors
/// When it is something else, with what was expected.
pub fn read_members(text: &str) -> Result<Map<String, Value>, String> {
    match read_whole(text)? {
        None => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err("it is no object".into()),
    }
}

/// The items of a text that is a list, by the same rules.
///
/// # Errors
/// When it is something else, with what was expected.
pub fn read_items(text: &str) -> Result<Vec<Value>, String> {
    match read_whole(text)? {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err("it is no list".into()),
    }
}

/// The texts of a text that is a list; numbers and truth values are texts as well, a null is none.
///
/// # Errors
/// When it is something else, with what was expected.
pub fn read_names(text: &str) -> Result<Vec<Option<String>>, String> {
    let name = |item: Value| match item {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Bool(_) | Value::Number(_) => Ok(Some(item.to_string())),
        _ => Err("a list of texts is expected".into()),
    };
    read_items(text)?.into_iter().map(name).collect()
}

/// What a text says; `None` where it is blank, or the word `null`.
fn read_whole(text: &str) -> Result<Option<Value>, String> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_blanks()?;
    if reader.rest().is_empty() {
        return Ok(None);
    }
    let value = reader.value(0)?;
    if value.is_null() {
        // What is behind a null is not read any more.
        return Ok(None);
    }
    reader.skip_blanks()?;
    if reader.rest().is_empty() {
        Ok(Some(value))
    } else {
        Err("there is something after it".into())
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, letter: char) -> bool {
        let is_next = self.peek() == Some(letter);
        if is_next {
            self.at += letter.len_utf8();
        }
        is_next
    }

    fn skip_blanks(&mut self) -> Result<(), String> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or("a comment does not end")?;
                self.at += end + 2;
            } else if rest.starts_with("//") || rest.starts_with('#') {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
        self.skip_blanks()?;
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some('"' | '\'') => self.quoted().map(Value::String),
            Some(_) => self.bare(),
            None => Err("the text ends too early".into()),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.skip('{');
        let mut members = Map::new();
        self.skip_blanks()?;
        if self.skip('}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_blanks()?;
            let name = match self.peek() {
                Some('"' | '\'') => self.quoted()?,
                _ => self.word()?.to_owned(),
            };
            self.skip_blanks()?;
            if self.skip('=') {
                self.skip('>');
            } else if !self.skip(':') {
                return Err("expected ':'".into());
            }
            let value = self.value(depth + 1)?;
            // Deeper down the last one counts, as in Gson.
            if depth == 0 && members.contains_key(&name) {
                return Err(format!("{name} appears twice"));
            }
            members.insert(name, value);
            self.skip_blanks()?;
            if self.skip('}') {
                return Ok(Value::Object(members));
            }
            if !self.skip(',') && !self.skip(';') {
                return Err("expected ',' or '}'".into());
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.skip('[');
        let mut items = Vec::new();
        self.skip_blanks()?;
        if self.skip(']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.skip_blanks()?;
            // Nothing between two commas is a null.
            match self.peek() {
                Some(',' | ';' | ']') => items.push(Value::Null),
                _ => items.push(self.value(depth + 1)?),
            }
            self.skip_blanks()?;
            if self.skip(']') {
                return Ok(Value::Array(items));
            }
            if !self.skip(',') && !self.skip(';') {
                return Err("expected ',' or ']'".into());
            }
        }
    }

    fn quoted(&mut self) -> Result<String, String> {
        let quote = self.peek().ok_or("the text ends too early")?;
        self.skip(quote);
        let mut text = String::new();
        loop {
            let letter = self.peek().ok_or("a text does not end")?;
            self.at += letter.len_utf8();
            match letter {
                _ if letter == quote => return Ok(text),
                '\\' => text.push(self.escape()?),
                _ => text.push(letter),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let letter = self.peek().ok_or("an escape does not end")?;
        self.at += letter.len_utf8();
        Ok(match letter {
            't' => '\t',
            'b' => '\u{8}',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'u' => return self.unicode(),
            '\n' | '\'' | '"' | '\\' | '/' => letter,
            _ => return Err(format!("\\{letter} is no escape")),
        })
    }

    fn unicode(&mut self) -> Result<char, String> {
        let high = self.code_unit()?;
        if (0xD800..0xDC00).contains(&high) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.code_unit()?;
            if let Some(Ok(letter)) = char::decode_utf16([high, low]).next() {
                return Ok(letter);
            }
            self.at = before;
        }
        Ok(char::from_u32(high.into()).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn code_unit(&mut self) -> Result<u16, String> {
        let digits = self.rest().get(..4).ok_or("an escape does not end")?;
        let unit = u16::from_str_radix(digits, 16).map_err(|_| "\\u takes four digits")?;
        self.at += 4;
        Ok(unit)
    }

    /// What is there without quotes, up to a blank or a mark.
    fn word(&mut self) -> Result<&'t str, String> {
        let rest = self.rest();
        let marks = [
            '/', '\\', ';', '#', '=', '{', '}', '[', ']', ':', ',', ' ', '\t', '\u{c}', '\r', '\n',
        ];
        let length = rest.find(marks).unwrap_or(rest.len());
        if length == 0 {
            return Err("expected a value".into());
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn bare(&mut self) -> Result<Value, String> {
        let word = self.word()?;
        Ok(match word.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => match serde_json::from_str::<Number>(word) {
                Ok(number) => Value::Number(number),
                Err(_) => Value::String(word.to_owned()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn words_need_no_quotes() {
        let members =
            read_members("{index: books, 'size': 5; q => \"a\\u00e9\", l: [1,,x] /* c */}");
        assert_eq!(
            Value::Object(members.unwrap()),
            json!({"index": "books", "size": 5, "q": "aé", "l": [1, null, "x"]})
        );
        for text in ["why", "{a:1} b", "{a:1,a:2}", "{a", "[1]", "5", "{a:1,}"] {
            assert!(read_members(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lists_of_names_need_no_quotes_either() {
        let names = |text: &str| read_names(text).map(|names| json!(names));
        assert_eq!(
            names("[a, 'b', \"c\", 1.50, true, null]"),
            Ok(json!(["a", "b", "c", "1.50", "true", null]))
        );
        assert_eq!(names("  "), Ok(json!([])));
        for text in ["a", "{}", "[[a]]", "[a] b", "[a"] {
            assert!(read_names(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"[{}\[\]:,;='"/\\a1ü \n#*]{0,40}"#) {
            let _ = read_members(&text);
        }
    }
}
