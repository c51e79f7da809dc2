//! A document as PyYAML reads it, which is by YAML 1.1: what plain words mean there, and what JSON
//! cannot say of it.

pub mod pattern;
pub mod text;

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    place::Span,
    tree::{Document, Member, Node, Shape},
    yaml::resolve::{self, ScalarKind},
};
use crate::schema::{decimal, pointer::Pointer};

/// A document's value there, keys that are no text as the text that JSON makes of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub value: Value,
    /// In the order they stand; pointers are those of the text as it reads here.
    pub oddities: Vec<(Pointer, PythonOddity)>,
}

/// What JSON does not have, or PyYAML's safe loader refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PythonOddity {
    /// A value of this Python type: `date`, `datetime`, `set`, `bytes`; `float` for what is no
    /// number.
    NotJson(&'static str),
    /// A key of this Python type, no text.
    Key(&'static str),
    /// A tag that only an unsafe loader follows.
    Tag(String),
    /// The words mean something else there than here: what they are there.
    Differs(Value),
}

/// Reads a document again from its places.
pub(super) fn read_as_python(document: &Document, text: &str) -> Reading {
    let mut reader = Reader { text, anchors: HashMap::new(), oddities: Vec::new() };
    let value = reader.read_value(&document.root, Some(&document.value), &Pointer::root());
    Reading { value, oddities: reader.oddities }
}

/// Reads a part of a document again; what an alias brings from outside of it is as it reads here.
pub(super) fn reading_at(document: &Document, at: &Pointer, text: &str) -> Option<Reading> {
    let found = document.find(at)?;
    let mut reader = Reader { text, anchors: HashMap::new(), oddities: Vec::new() };
    let value = reader.read_value(found.node, at.get(&document.value), &Pointer::root());
    Some(Reading { value, oddities: reader.oddities })
}

struct Reader<'t> {
    text: &'t str,
    anchors: HashMap<&'t str, Value>,
    oddities: Vec<(Pointer, PythonOddity)>,
}

impl<'t> Reader<'t> {
    fn source_text(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The value of a node, of which this is what it reads as here.
    fn read_value(&mut self, node: &Node, here: Option<&Value>, at: &Pointer) -> Value {
        let properties = self.text.get(node.lead..node.span.start).unwrap_or_default();
        let mut words = properties.split_whitespace().take_while(|word| !word.starts_with('#'));
        let (mut anchor, mut tag) = (None, None);
        for word in words.by_ref() {
            anchor = word.strip_prefix('&').or(anchor);
            tag = word.starts_with('!').then_some(word).or(tag);
        }
        let value = match &node.shape {
            Shape::Alias => {
                let name = self.source_text(node.span).trim_start_matches('*');
                self.anchors.get(name).or(here).cloned().unwrap_or_default()
            }
            Shape::Scalar => self.read_scalar(node, here, tag, at),
            Shape::List { items, .. } => {
                self.note_tag(tag, at);
                let row = |(row, item): (usize, &Node)| {
                    let here = here.and_then(|here| here.get(row));
                    self.read_value(item, here, &at.item(row))
                };
                items.iter().enumerate().map(row).collect()
            }
            Shape::Object { members, .. } => {
                self.note_tag(tag, at);
                self.read_object(members.as_slice(), here, at)
            }
        };
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, value.clone());
        }
        value
    }

    fn read_object(&mut self, members: &[Member], here: Option<&Value>, at: &Pointer) -> Value {
        let mut values = Map::new();
        let mut merged = Vec::new();
        for (row, member) in members.iter().enumerate() {
            let last = members[row + 1..].iter().all(|later| later.key != member.key);
            let place = at.child(&*member.key);
            let here =
                here.and_then(|here| here.get(&*member.key)).filter(|_| last && !member.merge);
            let value = self.read_value(&member.value, here, &place);
            if member.merge {
                merged.push(value);
                continue;
            }
            let key = self.read_key(member, &place);
            values.insert(key, value);
        }
        let members_of = |value: Value| match value {
            Value::Array(items) => items,
            one => vec![one],
        };
        for value in merged.into_iter().flat_map(members_of) {
            let Value::Object(more) = value else { continue };
            for (key, value) in more {
                values.entry(key).or_insert(value);
            }
        }
        Value::Object(values)
    }

    /// A key as the text that JSON makes of it.
    fn read_key(&mut self, member: &Member, at: &Pointer) -> String {
        let written = self.source_text(member.key_span);
        if written.starts_with(['"', '\'']) {
            return member.key.to_string();
        }
        let read = resolve::yaml11_value(written);
        if let Some(kind) = python_type(&read) {
            self.oddities.push((at.clone(), PythonOddity::Key(kind)));
        }
        match read {
            ScalarKind::Json(Value::String(_)) | ScalarKind::Other(_) => member.key.to_string(),
            ScalarKind::Json(other) => other.to_string(),
        }
    }

    fn read_scalar(
        &mut self,
        node: &Node,
        here: Option<&Value>,
        tag: Option<&str>,
        at: &Pointer,
    ) -> Value {
        let written = self.source_text(node.span);
        let here = here.cloned().unwrap_or_default();
        if tag.is_some() {
            self.note_tag(tag, at);
            return here;
        }
        if written.starts_with(['"', '\'', '|', '>'])
            || here.as_str().is_some_and(|text| text != written)
        {
            return here;
        }
        match resolve::yaml11_value(written) {
            ScalarKind::Json(value) => {
                if value != here {
                    self.oddities.push((at.clone(), PythonOddity::Differs(value.clone())));
                }
                value
            }
            ScalarKind::Other(kind) => {
                self.oddities.push((at.clone(), PythonOddity::NotJson(kind)));
                Value::String(written.to_owned())
            }
        }
    }

    fn note_tag(&mut self, tag: Option<&str>, at: &Pointer) {
        let Some(tag) = tag else { return };
        let oddity = match tag {
            "!!str" | "!!int" | "!!float" | "!!bool" | "!!null" | "!!map" | "!!seq" | "!" => return,
            "!!set" => PythonOddity::NotJson("set"),
            "!!binary" => PythonOddity::NotJson("bytes"),
            "!!timestamp" => PythonOddity::NotJson("datetime"),
            "!!omap" | "!!pairs" => PythonOddity::NotJson("tuple"),
            other => PythonOddity::Tag(other.to_owned()),
        };
        self.oddities.push((at.clone(), oddity));
    }
}

/// The type of what is no text, as Python calls it.
fn python_type(read: &ScalarKind) -> Option<&'static str> {
    match read {
        ScalarKind::Other(kind) => Some(kind),
        ScalarKind::Json(Value::String(_)) => None,
        ScalarKind::Json(value) => Some(type_name(value)),
    }
}

/// What a plain word means to PyYAML; `None` where JSON does not have it.
#[must_use]
pub(crate) fn python_value(written: &str) -> Option<Value> {
    match resolve::yaml11_value(written) {
        ScalarKind::Json(value) => Some(value),
        ScalarKind::Other(_) => None,
    }
}

/// What a plain word means to PyYAML, in words.
#[must_use]
pub(crate) fn describe_word(written: &str) -> String {
    match resolve::yaml11_value(written) {
        ScalarKind::Json(Value::String(text)) => format!("the text \"{text}\""),
        ScalarKind::Json(value) => value.to_string(),
        ScalarKind::Other(kind) => format!("a {kind}"),
    }
}

/// What Python calls the type of a value.
#[must_use]
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if decimal::is_float(number) => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::{Format, Source};

    fn read(text: &str) -> Reading {
        Source::parse(Format::Yaml, text).unwrap().as_python(0).unwrap()
    }

    #[test]
    fn plain_words_mean_what_they_mean_to_pyyaml() {
        for (text, value) in [
            ("yes", json!(true)),
            ("Off", json!(false)),
            ("y", json!("y")),
            ("'yes'", json!("yes")),
            ("010", json!(8)),
            ("-010", json!(-8)),
            ("08", json!("08")),
            ("0b11", json!(3)),
            ("0x1F", json!(31)),
            ("1:30", json!(90)),
            ("1:30.5", json!(90.5)),
            ("1_000", json!(1000)),
            ("1e3", json!("1e3")),
            ("1.5e+3", json!(1500.0)),
            ("0o17", json!("0o17")),
            ("~", json!(null)),
            ("12", json!(12)),
            ("-1.5", json!(-1.5)),
            ("text", json!("text")),
            ("two\n words", json!("two words")),
        ] {
            assert_eq!(read(&format!("a: {text}\n")).value["a"], value, "{text}");
        }
    }

    #[test]
    fn what_json_does_not_have_is_told_with_its_place() {
        let found = read(
            "a: 2024-01-01\nb: {c: .nan, d: !!set {x}}\n1: [2024-01-01 10:00:00]\nyes: !custom x\nn: 010\n",
        );
        let told: Vec<_> =
            found.oddities.iter().map(|(at, oddity)| (at.to_string(), oddity.clone())).collect();
        assert_eq!(
            told,
            [
                ("/a".into(), PythonOddity::NotJson("date")),
                ("/b/c".into(), PythonOddity::NotJson("float")),
                ("/b/d".into(), PythonOddity::NotJson("set")),
                ("/1/0".into(), PythonOddity::NotJson("datetime")),
                ("/1".into(), PythonOddity::Key("int")),
                ("/yes".into(), PythonOddity::Tag("!custom".into())),
                ("/yes".into(), PythonOddity::Key("bool")),
                ("/n".into(), PythonOddity::Differs(json!(8))),
            ]
        );
        assert_eq!(
            found.value.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["a", "b", "1", "true", "n"]
        );
    }

    #[test]
    fn anchors_merges_and_doubles_are_followed() {
        let found =
            read("x: &x yes\ny: *x\nbase: &b {p: on, q: 1}\nmore: {<<: *b, q: 2}\nd: 1\nd: no\n");
        assert_eq!(found.value["y"], json!(true));
        assert_eq!(found.value["more"], json!({"q": 2, "p": true}));
        assert_eq!(found.value["d"], json!(false));
    }
}
