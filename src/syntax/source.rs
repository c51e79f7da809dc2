//! A parsed text that remembers every byte: values, places, and edits.

use std::{path::Path, sync::Arc};

use serde_json::Value;

pub use super::place::{Format, Note, NoteKind, Place, Span, SyntaxError};
use super::{
    amend,
    change::{self, Splice},
    draft::Draft,
    edit::{Edit, EditError, Patch},
    gentle,
    json::{self, dialect::Dialect},
    lines::Lines,
    page::Page,
    print,
    python::{self, Reading},
    toml,
    tree::{Document, Tree},
    value, yaml,
};
use crate::schema::pointer::Pointer;

/// A text with what it means. Immutable and cheap to clone: an edit gives another one.
#[derive(Clone, Debug)]
pub struct Source {
    format: Format,
    text: Arc<str>,
    meaning: Arc<Meaning>,
}

#[derive(Debug)]
struct Meaning {
    tree: Tree,
    lines: Lines,
    notes: Vec<Note>,
}

impl Source {
    /// Reads a text. Depth is bounded; a text that is not well-formed is told with line and column.
    pub fn parse(format: Format, text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        let text = text.into();
        let lines = Lines::of(&text);
        let tree = match format {
            Format::Json | Format::Jsonc | Format::Json5 => json::parse::parse(&text, Dialect::of(format)),
            Format::Yaml => yaml::parse::parse(&text),
            Format::Toml => toml::parse::parse(&text),
        };
        let tree = tree.map_err(|(offset, message)| {
            let (line, column) = lines.position(&text, offset);
            SyntaxError { format, message, line, column }
        })?;
        let notes = tree.notes(|offset| lines.position(&text, offset));
        Ok(Self { format, text, meaning: Arc::new(Meaning { tree, lines, notes }) })
    }

    /// Reads a file's text by the ending of its name. A name without an ending that is known says nothing, so the text itself decides.
    pub fn of_file(path: &Path, text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        let text = text.into();
        if let Some(format) = Format::of(path) {
            return Self::of_format(format, text);
        }
        Self::json_of(&text).or_else(|error| {
            let mut others = [Format::Yaml, Format::Toml].into_iter().filter(|_| !json::is_commented(&text));
            others.find_map(|format| Self::parse(format, text.clone()).ok()).ok_or(error)
        })
    }

    /// Reads a text that is known to be in a format; a text of JSON with comments is read as what it is.
    pub fn of_format(format: Format, text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        match format {
            Format::Json => Self::json_of(&text.into()),
            format => Self::parse(format, text),
        }
    }

    /// A text in the strictest JSON that it is. The error is that of the dialect that the text looks like.
    fn json_of(text: &Arc<str>) -> Result<Self, SyntaxError> {
        let strict = match Self::parse(Format::Json, text.clone()) {
            Err(error) if json::is_bracketed(text) => error,
            done => return done,
        };
        let wider = Self::parse(Format::Jsonc, text.clone()).or_else(|_| Self::parse(Format::Json5, text.clone()));
        wider.map_err(|error| if json::is_commented(text) { error } else { strict })
    }

    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// How many documents the text holds: one, but for YAML with `---`. An empty text has none; TOML always has one.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.meaning.tree.documents.len()
    }

    /// The value of a document, with aliases and merge keys resolved.
    #[must_use]
    pub fn value(&self, document: usize) -> Option<&Arc<Value>> {
        self.document(document).map(|document| &document.value)
    }

    /// A document's own text, with its markers and comments.
    #[must_use]
    pub fn document_text(&self, document: usize) -> Option<&str> {
        let extent = self.document(document)?.extent;
        self.text.get(extent.start..extent.end)
    }

    /// Where the value at `at` stands; values that come from an alias or a merge key have the alias's place.
    #[must_use]
    pub fn place(&self, document: usize, at: &Pointer) -> Option<Place> {
        let found = self.document(document)?.find(at)?;
        let key = found.member.map(|member| member.key_span);
        let start = key.map_or(found.node.span.start, |key| key.start);
        let (line, column) = self.meaning.lines.position(&self.text, start);
        Some(Place { key, value: found.node.span, line, column })
    }

    /// The value's own text, exactly as written.
    #[must_use]
    pub fn written(&self, document: usize, at: &Pointer) -> Option<&str> {
        let span = self.document(document)?.find(at)?.node.span;
        self.text.get(span.start..span.end)
    }

    /// A document as JSON on one line, numbers to the letter; `None` where there is no such document.
    #[must_use]
    pub fn json(&self, document: usize) -> Option<String> {
        Some(print::one_line(&Draft::of_document(self.document(document)?, &self.text)))
    }

    /// The text of a new file with this value, which is the document's own up to the order of members. Comments above the document and the
    /// spelling of numbers stay. `None` where there is no document, or more than one.
    #[must_use]
    pub fn laid_out(&self, value: &Value) -> Option<String> {
        let [document] = self.meaning.tree.documents.as_slice() else { return None };
        let draft = Draft::of_arranged(value, document, &self.text);
        Some(format!("{}{}", self.head(), print::laid_out(self.format, &draft, Page::of(&self.text, self.format).eol)))
    }

    /// Whether the text is as a new file's would be; one with nothing but comments is.
    #[must_use]
    pub fn is_laid_out(&self) -> bool {
        let only_head = self.head().len() == self.text.len();
        only_head || self.value(0).is_some_and(|value| self.laid_out(value).is_some_and(|text| text == *self.text))
    }

    /// Whether there is nothing in the document yet.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let is_empty = |value: &Arc<Value>| value.as_object().is_some_and(serde_json::Map::is_empty);
        self.is_laid_out() && self.value(0).is_none_or(is_empty)
    }

    /// The comments and empty lines that the text begins with.
    fn head(&self) -> &str {
        let sign = if self.format.is_json() { "//" } else { "#" };
        let is_head = |line: &&str| line.trim().is_empty() || line.starts_with(sign);
        let len = self.text.split_inclusive('\n').take_while(is_head).map(str::len).sum();
        &self.text[..len]
    }

    /// A document as PyYAML reads it, JSON as well as YAML; `None` where there is no such document.
    #[must_use]
    pub fn as_python(&self, document: usize) -> Option<Reading> {
        Some(python::reading(self.document(document)?, &self.text))
    }

    /// The same of a part of a document, with pointers within that part.
    #[must_use]
    pub fn as_python_at(&self, document: usize, at: &Pointer) -> Option<Reading> {
        python::reading_at(self.document(document)?, at, &self.text)
    }

    /// The innermost value at a byte offset, for jumping from text to field. A key belongs to its value.
    #[must_use]
    pub fn pointer_at(&self, offset: usize) -> Option<(usize, Pointer)> {
        self.meaning.tree.pointer_at(offset)
    }

    /// What is odd about the text, in the order it stands.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.meaning.notes
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    #[must_use]
    pub fn position(&self, offset: usize) -> (usize, usize) {
        self.meaning.lines.position(&self.text, offset)
    }

    /// The text after an edit, and the patch that leads there. Only the lines of what is edited change.
    ///
    /// A value set to what it is already changes nothing. On the way to a place `null` counts as missing, and a text
    /// without a document takes the first value as its document 0. An edit below an anchor shows at its aliases too.
    /// The new text is read again and held against what was meant: what would come out otherwise is refused.
    pub fn apply(&self, document: usize, edit: &Edit) -> Result<(Source, Patch), EditError> {
        if document >= self.documents().max(1) {
            return Err(EditError::NoDocument(document));
        }
        let before = self.value(document).map(|value| &**value);
        let expected = value::edited(before, edit)?;
        if before == Some(&expected) && !self.respells(document, edit) {
            return Ok((self.clone(), change::patch(&self.text, Vec::new())));
        }
        if let Some(done) = self.apply_gently(document, edit, &expected) {
            return Ok(done);
        }
        let mut refused = None;
        for splices in amend::ways(self.format, &self.text, self.document(document), edit, &expected)? {
            match self.amended(document, &expected, splices) {
                Ok(done) => return Ok(done),
                Err(error) => drop(refused.get_or_insert(error)),
            }
        }
        Err(refused.unwrap_or_else(|| EditError::Broken("there is no way to write it".into())))
    }

    /// The text with splices that were found elsewhere, if they do what the edit means.
    pub(super) fn spliced(&self, document: usize, edit: &Edit, splices: Vec<Splice>) -> Result<(Source, Patch), EditError> {
        let expected = value::edited(self.value(document).map(|value| &**value), edit)?;
        self.amended(document, &expected, splices)
    }

    /// A list or an object set anew by the few edits in which it differs, so that the rest of it stays as written.
    fn apply_gently(&self, document: usize, edit: &Edit, expected: &Value) -> Option<(Source, Patch)> {
        let Edit::Set { at, to } = edit else { return None };
        let steps = gentle::steps(at, at.get(self.value(document)?)?, to)?;
        let mut now = self.clone();
        for step in &steps {
            now = now.apply(document, step).ok()?.0;
        }
        let patch = change::patch(&self.text, vec![Splice::new(0, self.text.len(), &*now.text)]);
        amend::means(now.document(document)?, expected).then_some((now, patch))
    }

    /// The text with the splices made, if it means what is expected.
    fn amended(&self, document: usize, expected: &Value, splices: Vec<Splice>) -> Result<(Source, Patch), EditError> {
        let patch = change::patch(&self.text, splices);
        let after = self.patched(&patch)?;
        let count = self.documents().max(document + 1);
        let others = (0..count).filter(|other| *other != document);
        let holds = after.documents() == count
            && after.document(document).is_some_and(|now| amend::means(now, expected))
            && others.into_iter().all(|other| self.value(other) == after.value(other));
        match holds {
            true => Ok((after, patch)),
            false => Err(EditError::Broken(format!("{} would read it differently", self.format.name()))),
        }
    }

    /// Whether the text changes although the value stays: another spelling of a number, equal items that change places.
    fn respells(&self, document: usize, edit: &Edit) -> bool {
        match edit {
            Edit::Set { at, to } => match (to.value(), to.written()) {
                (Value::Number(_), Some(spelling)) => self.written(document, at) != Some(spelling),
                (Value::String(_), _) => self.is_ambiguous(document, at, false),
                _ => false,
            },
            Edit::Rename { at, key } => at.last() == Some(key) && self.is_ambiguous(document, at, true),
            Edit::Move { at, to } => at.last_index() != Some(*to),
            _ => false,
        }
    }

    /// Whether a note is about the key at its place, and not about the value.
    #[must_use]
    pub fn is_key(&self, note: &Note) -> bool {
        let key = self.place(note.document, &note.at).and_then(|place| place.key);
        key.is_some_and(|key| self.position(key.start) == (note.line, note.column))
    }

    /// Whether readers take the value (or the key) at a place for different things, as it is written.
    fn is_ambiguous(&self, document: usize, at: &Pointer, key: bool) -> bool {
        let here = |note: &&Note| note.kind == NoteKind::ReadsDifferently && note.document == document && note.at == *at;
        self.notes().iter().filter(here).any(|note| self.is_key(note) == key)
    }

    /// The text without one of its documents; the others stay as they are written.
    ///
    /// # Errors
    /// When there is no such document, or the rest would read otherwise without it.
    pub fn without(&self, document: usize) -> Result<Self, EditError> {
        let extent = self.document(document).ok_or(EditError::NoDocument(document))?.extent;
        let patch = change::patch(&self.text, vec![Splice::new(extent.start, extent.end, "")]);
        let after = self.patched(&patch)?;
        let rest = (0..self.documents()).filter(|row| *row != document);
        let same =
            after.documents() + 1 == self.documents() && rest.enumerate().all(|(now, row)| after.value(now) == self.value(row));
        if same { Ok(after) } else { Err(EditError::Broken("its other documents would read differently without it".into())) }
    }

    /// The text after a patch (an edit taken back or made again).
    pub fn patched(&self, patch: &Patch) -> Result<Self, EditError> {
        let text = patch.apply(&self.text).ok_or_else(|| EditError::Broken("the text has changed since".into()))?;
        Self::parse(self.format, text).map_err(|error| EditError::Broken(error.to_string()))
    }

    fn document(&self, row: usize) -> Option<&Document> {
        self.meaning.tree.documents.get(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(format: Format, text: &str) -> Source {
        Source::parse(format, text).unwrap()
    }

    fn written<'s>(source: &'s Source, at: &str) -> &'s str {
        source.written(0, &Pointer::parse(at).unwrap()).unwrap()
    }

    #[test]
    fn a_document_is_taken_out_and_the_others_stay_as_written() {
        let text = "# head\na: 1 # one\n---\n# of b\nb: yes\n---\nc: [3,  4]\n";
        let source = read(Format::Yaml, text);
        let without = |row: usize| source.without(row).map(|after| after.text().to_string());
        assert_eq!(without(1).as_deref(), Ok("# head\na: 1 # one\n---\nc: [3,  4]\n"));
        assert_eq!(without(2).as_deref(), Ok("# head\na: 1 # one\n---\n# of b\nb: yes\n"));
        let first = source.without(0).unwrap();
        assert_eq!((first.documents(), first.value(0), first.value(1)), (2, source.value(1), source.value(2)));
        assert_eq!(without(3), Err(EditError::NoDocument(3)));
    }

    #[test]
    fn json_has_values_and_places() {
        let source = read(Format::Json, "\u{feff}{\r\n  \"ä\\u00e4\": [1.50, {\"b\": null}]\r\n}");
        assert_eq!(**source.value(0).unwrap(), json!({"ää": [1.5, {"b": null}]}));
        assert_eq!(written(&source, "/ää/0"), "1.50");
        let place = source.place(0, &Pointer::parse("/ää/1/b").unwrap()).unwrap();
        assert_eq!((place.line, place.column), (2, 22));
        let offset = source.text().find("null").unwrap();
        assert_eq!(source.pointer_at(offset), Some((0, Pointer::parse("/ää/1/b").unwrap())));
    }

    #[test]
    fn a_document_is_json_on_one_line_with_its_own_numbers() {
        let text = "{\n  \"a\": [1.50, 1e3 , 12345678901234567890123, -0],\r\n \"\\u00e4\": {\"b\": \"x\\ty\" }, \"c\": [] }";
        let wanted = r#"{"a":[1.50,1e3,12345678901234567890123,-0],"ä":{"b":"x\ty"},"c":[]}"#;
        assert_eq!(read(Format::Json, text).json(0).as_deref(), Some(wanted));
        let yaml = "a: &n 1.50\nb: 0x10\nc: *n\nd: 1_000\ne: [+1, .5, 2.]\n---\n- x\n";
        assert_eq!(read(Format::Yaml, yaml).json(0).as_deref(), Some(r#"{"a":1.50,"b":16,"c":1.5,"d":"1_000","e":[1,0.5,2.0]}"#));
        assert_eq!(read(Format::Yaml, yaml).json(1).as_deref(), Some(r#"["x"]"#));
        assert_eq!(read(Format::Toml, "a = 1_000\nb = 1.50\n").json(0).as_deref(), Some(r#"{"a":1000,"b":1.50}"#));
        assert_eq!(read(Format::Yaml, "").json(0), None);
    }

    #[test]
    fn json_says_what_is_wrong_and_where() {
        for (text, line, column, words) in [
            ("{\"a\": 1,}", 1, 8, "a comma before \"}\" is not allowed"),
            ("{\n \"a\" 1}", 2, 6, "a colon is expected"),
            ("[1 2]", 1, 4, "a comma or \"]\" is expected"),
            ("[tru]", 1, 2, "\"tru\" is no value"),
            ("{\"a\": 1} x", 1, 10, "after the end"),
            ("// c", 1, 1, "no comments"),
            ("\"ab", 1, 1, "does not end"),
            ("[01]", 1, 2, "invalid number"),
            ("\"ä\\x\"", 1, 4, "invalid escape"),
            ("[\"a\nb\"]", 1, 4, "control character"),
            ("[", 1, 2, "the end of the file"),
        ] {
            let error = Source::parse(Format::Json, text).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn json_with_comments_and_json5_are_read_as_what_they_are() {
        let jsonc = "// head\n{\n  /* a */ \"a\": [1, 2,], // b\n  \"c\": \"http://x/*y*/\",\n}\n// foot";
        assert_eq!(**read(Format::Jsonc, jsonc).value(0).unwrap(), json!({"a": [1, 2], "c": "http://x/*y*/"}));
        let json5 = "// head\n{a: 'it\\'s', $b_1: \"x\\\ny\", 'c d': [+1, .5, 5., 0x1F, -0xA,], \u{e9}\\u0061: null, // c\n}";
        let value = json!({"a": "it's", "$b_1": "xy", "c d": [1, 0.5, 5.0, 31, -10], "éa": null});
        let source = read(Format::Json5, json5);
        assert_eq!(**source.value(0).unwrap(), value);
        assert_eq!((written(&source, "/c d/3"), written(&source, "/a")), ("0x1F", "'it\\'s'"));
        assert_eq!(read(Format::Json5, "\u{feff}\u{a0}[\u{b}]").value(0).map(|value| (**value).clone()), Some(json!([])));
        assert_eq!(read(Format::Jsonc, "// nothing\n").documents(), 0);
        let of = |name: &str, text: &str| Source::of_file(Path::new(name), text).map(|source| source.format());
        for (name, text, format) in [
            ("a.json", "{\"a\": 1}", Format::Json),
            ("a.json", jsonc, Format::Jsonc),
            ("a.json", "{a: 1}", Format::Json5),
            ("a.jsonc", "{\"a\": 1}", Format::Jsonc),
            ("a.json5", "{\"a\": 1}", Format::Json5),
            ("stdin", jsonc, Format::Jsonc),
            ("stdin", "{a: 'x', /* c */}", Format::Json5),
            ("stdin", "{a: x}", Format::Yaml),
            ("stdin", "a: 1", Format::Yaml),
            ("stdin", "// not json: 1", Format::Yaml),
            ("stdin", "'text'", Format::Yaml),
            ("stdin", "[a]\nb = 1", Format::Toml),
        ] {
            assert_eq!(of(name, text), Ok(format), "{name} {text}");
        }
        assert!(of("stdin", "{ // c\n a: b }").is_err(), "a comment of JSON's is never taken for YAML");
    }

    #[test]
    fn json_with_comments_and_json5_say_what_is_wrong_and_where() {
        for (format, text, column, words) in [
            (Format::Json5, "[Infinity]", 2, "Infinity has no value in JSON"),
            (Format::Json5, "[-NaN]", 2, "-NaN has no value in JSON"),
            (Format::Json5, "[01]", 2, "\"01\" is not a number"),
            (Format::Json5, "['\\x4']", 3, "two hex digits"),
            (Format::Json5, "['a\nb']", 4, "a line end in a text"),
            (Format::Json5, "{a b: 1}", 4, "a colon is expected"),
            (Format::Json5, "{1: 2}", 2, "a key is expected"),
            (Format::Json5, "[1,,2]", 4, "a value is expected"),
            (Format::Jsonc, "['a']", 2, "a value is expected"),
            (Format::Jsonc, "{a: 1}", 2, "a key in double quotes"),
            (Format::Jsonc, "[1] /* x", 5, "the comment does not end"),
            (Format::Jsonc, "[,]", 2, "a value is expected"),
        ] {
            let error = Source::parse(format, text).unwrap_err();
            assert_eq!((error.line, error.column), (1, column), "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn yaml_has_values_and_places() {
        let text = "# ünï\na: |\n  text ö  \n  two\n\nb: >-  # c | d\n   folded\n\n   x\n# note\nc:\nd: &x # c\n\
            e: &y {a: 1, b, \"c\" : [x: y, ~]}\nf: *y\ng:\n- a\n-\n- - b\n  - c\n- k: v\n  l: plain\n     multi\n\
            q: !!str 5\nh: |+\n  keep\n\n\ni: ~\n? j\n? k\n: - l\nm: !!float &z 5\nn: &w\n  - 1\n";
        let source = read(Format::Yaml, text);
        assert_eq!(
            **source.value(0).unwrap(),
            json!({
                "a": "text ö  \ntwo\n", "b": "folded\nx", "c": null, "d": null, "e": {"a": 1, "b": null, "c": [{"x": "y"}, null]},
                "f": {"a": 1, "b": null, "c": [{"x": "y"}, null]}, "g": ["a", null, ["b", "c"], {"k": "v", "l": "plain multi"}],
                "q": "5", "h": "keep\n\n\n", "i": null, "j": null, "k": ["l"], "m": 5, "n": [1]
            })
        );
        for (at, text) in [
            ("/a", "|\n  text ö  \n  two"),
            ("/b", ">-  # c | d\n   folded\n\n   x"),
            ("/c", ""),
            ("/d", ""),
            ("/e", "{a: 1, b, \"c\" : [x: y, ~]}"),
            ("/e/c/0", "x: y"),
            ("/f", "*y"),
            ("/f/c/0", "*y"),
            ("/g", "- a\n-\n- - b\n  - c\n- k: v\n  l: plain\n     multi"),
            ("/g/1", ""),
            ("/g/2", "- b\n  - c"),
            ("/g/3/l", "plain\n     multi"),
            ("/q", "5"),
            ("/h", "|+\n  keep\n\n"),
            ("/i", "~"),
            ("/j", ""),
            ("/k", "- l"),
            ("/m", "5"),
            ("/n", "- 1"),
        ] {
            assert_eq!(written(&source, at), text, "{at}");
        }
        let empty = |at: &str| source.place(0, &Pointer::parse(at).unwrap()).unwrap().value.start;
        assert!(text[..empty("/c")].ends_with("\nc:"));
        assert!(text[..empty("/d")].ends_with("d: &x"));
        assert!(text[..empty("/g/1")].ends_with("- a\n-"));
    }

    #[test]
    fn yaml_documents_merges_and_notes() {
        let text =
            "\u{feff}base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}\nflag: yes\nflag: no\non: 012\n---\n--- # two\n- 1\n...\n";
        let source = read(Format::Yaml, text);
        assert_eq!(source.documents(), 3);
        assert_eq!(source.value(0).unwrap()["more"], json!({"x": 1, "y": 3}));
        assert_eq!((**source.value(1).unwrap()).clone(), json!(null));
        assert_eq!(source.pointer_at(text.find("- 1").unwrap() + 2), Some((2, Pointer::root().item(0))));
        assert_eq!(written(&source, "/more/x"), "*b");
        let notes: Vec<_> = source.notes().iter().map(|note| (note.kind, note.at.to_string(), note.line)).collect();
        use NoteKind::{DuplicateKey, ReadsDifferently};
        assert_eq!(
            notes,
            [
                (ReadsDifferently, "/flag".into(), 3),
                (ReadsDifferently, "/flag".into(), 4),
                (DuplicateKey, "/flag".into(), 4),
                (ReadsDifferently, "/on".into(), 5),
                (ReadsDifferently, "/on".into(), 5),
            ]
        );
        for text in ["", "# only\n", "\n\n"] {
            assert_eq!(read(Format::Yaml, text).documents(), 0, "{text:?}");
        }
    }

    #[test]
    fn yaml_counts_crlf_and_wide_letters() {
        let text = "a: 1\r\nb: |\r\n  x ü\r\n  y\r\nc: \"d\r\n  e\" # ü\r\nf: g";
        let source = read(Format::Yaml, text);
        assert_eq!(**source.value(0).unwrap(), json!({"a": 1, "b": "x ü\ny\n", "c": "d e", "f": "g"}));
        assert_eq!(written(&source, "/b"), "|\r\n  x ü\r\n  y");
        assert_eq!(written(&source, "/f"), "g");
    }

    #[test]
    fn yaml_ends_block_texts_where_the_file_does() {
        for (text, value) in
            [("a: |\n  x", "x"), ("a: |\n  x\n", "x\n"), ("a: |\n", ""), ("a: >-\n  x\n  y", "x y"), ("a: |+\n  x\n\n", "x\n\n")]
        {
            assert_eq!(**read(Format::Yaml, text).value(0).unwrap(), json!({"a": value}), "{text:?}");
        }
    }

    #[test]
    fn yaml_takes_brackets_that_are_not_indented() {
        let text = "a: [\n]\nb: {\n  \"ü\": [\n    \"x\",\n    {}, # c\n  ],\n}\nc: |\n  {\n  }\nd:\n  e: [\n1, \"2\n] 3\"\n]\n";
        let source = read(Format::Yaml, text);
        assert_eq!(**source.value(0).unwrap(), json!({"a": [], "b": {"ü": ["x", {}]}, "c": "{\n}\n", "d": {"e": [1, "2 ] 3"]}}));
        for (at, text) in [("/a", "[\n]"), ("/b/ü/1", "{}"), ("/d/e", "[\n1, \"2\n] 3\"\n]"), ("/c", "|\n  {\n  }")] {
            assert_eq!(written(&source, at), text, "{at}");
        }
        let error = Source::parse(Format::Yaml, "a:\n    b: 1\n  c: [\n]\n").unwrap_err();
        assert_eq!(error.line, 3, "{error}");
        assert!(Source::parse(Format::Yaml, "a:\n    - b\n  foo\n").is_err());
    }

    #[test]
    fn toml_has_values_and_places() {
        let text = "a = 1_000\r\nb.c = 'x'\nb.d = 2026-11-21\n[t]\nx = 0xff\n[t.u]\ny = [1, {z = inf}]\n[[l]]\nn = 1\n[[l]]\n";
        let source = read(Format::Toml, text);
        assert_eq!(
            **source.value(0).unwrap(),
            json!({"a": 1000, "b": {"c": "x", "d": "2026-11-21"}, "t": {"x": 255, "u": {"y": [1, {"z": "inf"}]}}, "l": [{"n": 1}, {}]})
        );
        for (at, text) in [
            ("/a", "1_000"),
            ("/b/c", "'x'"),
            ("/b", "c = 'x'\nb.d = 2026-11-21"),
            ("/t/u", "[t.u]\ny = [1, {z = inf}]"),
            ("/t/u/y/1/z", "inf"),
            ("/l/1", "[[l]]"),
        ] {
            assert_eq!(written(&source, at), text, "{at}");
        }
        assert_eq!(source.pointer_at(text.find("inf").unwrap()).unwrap().1.to_string(), "/t/u/y/1/z");
        let error = Source::parse(Format::Toml, "a = 1\nb = \n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 5), "{error}");
        assert_eq!(**read(Format::Toml, "\u{feff}a = 1").value(0).unwrap(), json!({"a": 1}));
        assert_eq!(written(&read(Format::Toml, "\u{feff}a = 1"), "/a"), "1");
    }

    #[test]
    fn bombs_are_refused() {
        for (format, unit) in
            [(Format::Json, "["), (Format::Json, "{\"a\":"), (Format::Yaml, "["), (Format::Yaml, "- "), (Format::Yaml, "? ")]
        {
            let error = Source::parse(format, unit.repeat(100_000)).unwrap_err();
            assert!(!error.message.is_empty());
        }
        assert!(Source::parse(Format::Toml, format!("a = {}", "[".repeat(100_000))).is_err());
        assert!(Source::parse(Format::Toml, format!("{}a = 1", "a.".repeat(100_000))).is_err());
        let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let last = format!("*a{}", level - 1);
            laughs += &format!("a{level}: &a{level} [{}]\n", [&*last; 10].join(", "));
        }
        let error = Source::parse(Format::Yaml, laughs).unwrap_err();
        assert!(error.to_string().contains("aliases grow"), "{error}");
    }

    fn texts() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "a",
            "b",
            " ",
            "  ",
            "\n",
            "\r\n",
            "\r",
            "\t",
            ":",
            ": ",
            "- ",
            "-",
            "? ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "\"",
            "'",
            "\\",
            "#",
            " #",
            "|",
            ">",
            "|2",
            ">-",
            "&x ",
            "*x",
            "!",
            "!!str ",
            "<<: ",
            "---",
            "...",
            "---\n",
            "1",
            "0x1",
            ".5",
            "e3",
            "=",
            ".",
            "[[",
            "]]",
            "\"\"\"",
            "'''",
            "ü",
            "→",
            "\u{feff}",
            "\u{0}",
            "\u{85}",
            "\u{2028}",
            "%",
            "%YAML 1.2\n",
            "@",
            "`",
            "~",
            "true",
        ]);
        prop_oneof![any::<String>(), prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn no_text_makes_a_reader_panic(text in texts()) {
            for format in [Format::Json, Format::Yaml, Format::Toml] {
                if let Ok(source) = Source::parse(format, &*text) {
                    for offset in 0..=text.len() {
                        if let Some((document, at)) = source.pointer_at(offset) {
                            prop_assert!(source.place(document, &at).is_some(), "{text:?} {offset} {at}");
                            prop_assert!(source.written(document, &at).is_some(), "{text:?} {offset} {at}");
                        }
                    }
                }
            }
        }

        #[test]
        fn json_is_read_as_serde_reads_it(text in texts()) {
            let ours = Source::parse(Format::Json, &*text).ok().and_then(|source| source.value(0).cloned());
            let mut theirs = serde_json::from_str::<Value>(text.strip_prefix('\u{feff}').unwrap_or(&text)).ok();
            theirs.iter_mut().for_each(crate::schema::decimal::canonicalize);
            prop_assert_eq!(ours.as_deref(), theirs.as_ref());
        }
    }
}
