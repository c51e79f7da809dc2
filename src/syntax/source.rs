//! A parsed text that remembers every byte: values and places. What edits make of it is in
//! `source_edits.rs`.

use std::{path::Path, sync::Arc};

use serde_json::Value;

use super::{
    cut::SegmentedText,
    draft::Draft,
    edit_strategies::TextStyle,
    json,
    lazy_value::LazyValue,
    lines::Lines,
    print,
    python::{self, Reading},
    segments::{self, ParsedSegment, Segments},
    shared_text::SharedText,
    tree::{Document, Tree},
    whole::{self, ParsedText, WholeText},
};
pub use super::{
    place::{Format, Note, NoteKind, Place, Span, SyntaxError},
    segments::Member,
};
use crate::schema::pointer::Pointer;

/// A text with what it means. Immutable and cheap to clone: an edit gives another one.
///
/// Of a long text that allows it, the members of its sections are read each alone (see
/// `segments.rs`): an edit within one of them costs the same however long the text is. What is
/// asked of such a text as a whole is found out when it is asked.
#[derive(Clone, Debug)]
pub struct Source {
    format: Format,
    text: SharedText,
    meaning: Arc<Meaning>,
    /// The manner in which edits are written: that of the text before the first of them, or of the
    /// text that this one is a segment of.
    learned: Option<Arc<TextStyle>>,
}

/// Longer texts are read once: reading one again has to go unnoticed.
const MOST_READ_AGAIN: usize = 16 * 1024;

#[derive(Debug)]
struct Meaning {
    lines: Lines,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Whole(WholeText),
    Cut(Box<SegmentedText>),
}

impl Source {
    /// Reads a text. Depth is bounded; a text that is not well-formed is reported with line and
    /// column.
    pub fn parse(format: Format, text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        let text = text.into();
        let cut =
            if text.len() < segments::LONG { None } else { Segments::from_text(format, &text) };
        match cut {
            Some(segments) => {
                let lines = Lines::new(&text);
                Ok(Self::of_cut(format, text.into(), lines, SegmentedText::new(segments)))
            }
            None => Self::parse_whole(format, text),
        }
    }

    /// The begin of a long text with the members that stand there, read as a text of its own: what
    /// can be shown before all of the text is read. `None` where to read all of it takes no longer.
    #[must_use]
    pub fn beginning(format: Format, text: &str) -> Option<Self> {
        Self::parse(format, segments::beginning(format, text)?).ok()
    }

    pub(super) fn parse_whole(format: Format, text: Arc<str>) -> Result<Self, SyntaxError> {
        let lines = Lines::new(&text);
        let body = Body::Whole(WholeText::new(ParsedText::parse(format, &text, &lines)?));
        Ok(Self {
            format,
            text: text.into(),
            meaning: Arc::new(Meaning { lines, body }),
            learned: None,
        })
    }

    pub(super) fn of_cut(
        format: Format,
        text: SharedText,
        lines: Lines,
        cut: SegmentedText,
    ) -> Self {
        Self {
            format,
            text,
            meaning: Arc::new(Meaning { lines, body: Body::Cut(Box::new(cut)) }),
            learned: None,
        }
    }

    /// Reads a file's text by the ending of its name. A name without an ending that is known says
    /// nothing, so the text itself decides.
    pub fn of_file(path: &Path, text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        let text = text.into();
        if let Some(format) = Format::from_path(path) {
            return Self::of_format(format, text);
        }
        Self::json_of(&text).or_else(|error| {
            let mut others =
                [Format::Yaml, Format::Toml].into_iter().filter(|_| !json::is_commented(&text));
            others.find_map(|format| Self::parse(format, text.clone()).ok()).ok_or(error)
        })
    }

    /// Reads a text that is known to be in a format; a text of JSON with comments is read as what
    /// it is.
    pub fn of_format(format: Format, text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        match format {
            Format::Json => Self::json_of(&text.into()),
            format => Self::parse(format, text),
        }
    }

    /// A text in the strictest JSON that it is. The error is that of the dialect that the text
    /// looks like.
    fn json_of(text: &Arc<str>) -> Result<Self, SyntaxError> {
        let strict = match Self::parse(Format::Json, text.clone()) {
            Err(error) if json::is_bracketed(text) => error,
            done => return done,
        };
        let wider = Self::parse(Format::Jsonc, text.clone())
            .or_else(|_| Self::parse(Format::Json5, text.clone()));
        wider.map_err(|error| if json::is_commented(text) { error } else { strict })
    }

    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        self.text.whole_text()
    }

    /// The same, as it shares what it can with other revisions.
    #[must_use]
    pub fn shared_text(&self) -> &SharedText {
        &self.text
    }

    /// The same with its text in one piece.
    #[must_use]
    pub fn in_one_piece(&self) -> Self {
        Self { text: self.text().clone().into(), ..self.clone() }
    }

    /// How many documents the text holds: one, but for YAML with `---`. An empty text has none;
    /// TOML always has one.
    #[must_use]
    pub fn document_count(&self) -> usize {
        match &self.meaning.body {
            Body::Whole(whole) => whole.document_count(),
            Body::Cut(_) => 1,
        }
    }

    /// The value of a document, with aliases and merge keys resolved.
    #[must_use]
    pub fn value(&self, document: usize) -> Option<&Arc<Value>> {
        match &self.meaning.body {
            Body::Cut(cut) if document == 0 => Some(cut.value(&self.text)),
            _ => self.document_at(document).map(|document| &document.value),
        }
    }

    /// Finds out the manner in which a long text is written, which else its first edit does: for who
    /// reads it away from the keys.
    pub fn learn_style(&self) {
        if let Some(cut) = self.as_cut() {
            cut.learned_style(self.format, &self.text);
        }
    }

    /// The manner in which its edits are written, where that is known.
    pub(super) fn learned(&self) -> Option<&Arc<TextStyle>> {
        self.learned.as_ref()
    }

    /// The same with that manner.
    pub(super) fn with_style(self, learned: Option<Arc<TextStyle>>) -> Self {
        Self { learned, ..self }
    }

    /// Where its lines begin.
    #[must_use]
    pub fn lines(&self) -> &Lines {
        &self.meaning.lines
    }

    /// A document's own text, with its markers and comments.
    #[must_use]
    pub fn document_text(&self, document: usize) -> Option<&str> {
        if self.as_cut().is_some() {
            return (document == 0).then_some(&**self.text());
        }
        let extent = self.document_at(document)?.extent;
        self.text().get(extent.start..extent.end)
    }

    /// Where the value at `at` is; values that come from an alias or a merge key have the alias's
    /// place.
    #[must_use]
    pub fn find_place(&self, document: usize, at: &Pointer) -> Option<Place> {
        let (key, value) = match self.parse_segment(document, at) {
            Some((row, alone)) => {
                let found = alone.document.find(&alone.to_inner_pointer(at))?;
                let key = found.member.map(|member| alone.to_outer_span(member.key_span));
                // What is read alone may be the value without its key.
                let own = || self.as_cut().and_then(|cut| cut.segments.key_span(&self.text, row));
                (
                    key.or_else(|| own().filter(|_| at.tokens().len() == 2)),
                    alone.to_outer_span(found.node.span),
                )
            }
            None => {
                let found = self.document_at(document)?.find(at)?;
                (found.member.map(|member| member.key_span), found.node.span)
            }
        };
        let (line, column) =
            self.meaning.lines.position_in(&self.text, key.map_or(value.start, |key| key.start));
        Some(Place { key, value, line, column })
    }

    /// Where the value at `at` begins, with its key if it has one.
    #[must_use]
    pub fn start_offset(&self, document: usize, at: &Pointer) -> Option<usize> {
        if let Some((cut, row)) = self.find_segment(document, at).filter(|_| at.tokens().len() == 2)
        {
            return cut.segments.key_start(&self.text, row);
        }
        if let ([_, _, key], Some((cut, row))) = (at.tokens(), self.find_segment(document, at))
            && let Some(found) = cut.segments.member_start(&self.text, row, key)
        {
            return found;
        }
        self.find_place(document, at).map(|place| place.key.unwrap_or(place.value).start)
    }

    /// The value's own text, exactly as written.
    #[must_use]
    pub fn written_text(&self, document: usize, at: &Pointer) -> Option<&str> {
        let span = match self.parse_segment(document, at) {
            Some((_, alone)) => {
                alone.to_outer_span(alone.document.find(&alone.to_inner_pointer(at))?.node.span)
            }
            None => self.document_at(document)?.find(at)?.node.span,
        };
        self.text.slice(span.start, span.end)
    }

    /// A document as JSON on one line, numbers to the letter; `None` where there is no such
    /// document.
    #[must_use]
    pub fn to_json(&self, document: usize) -> Option<String> {
        Some(print::one_line(&Draft::of_document(self.document_at(document)?, self.text())))
    }

    /// A document as PyYAML reads it, JSON as well as YAML; `None` where there is no such document.
    #[must_use]
    pub fn as_python(&self, document: usize) -> Option<Reading> {
        Some(python::read_as_python(self.document_at(document)?, self.text()))
    }

    /// The same of a part of a document, with pointers within that part.
    #[must_use]
    pub fn as_python_at(&self, document: usize, at: &Pointer) -> Option<Reading> {
        match self.parse_segment(document, at) {
            Some((_, alone)) => {
                python::reading_at(&alone.document, &alone.to_inner_pointer(at), &alone.text)
            }
            None => python::reading_at(self.document_at(document)?, at, self.text()),
        }
    }

    /// The innermost value at a byte offset, for jumping from text to field. A key belongs to its
    /// value.
    #[must_use]
    pub fn pointer_at(&self, offset: usize) -> Option<(usize, Pointer)> {
        self.whole_tree()?.pointer_at(offset)
    }

    /// What is odd about the text, in the order it is.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        match &self.meaning.body {
            Body::Whole(whole) => whole.notes(),
            Body::Cut(cut) => cut.notes(self.format, &self.text, &self.meaning.lines),
        }
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    #[must_use]
    pub fn position(&self, offset: usize) -> (usize, usize) {
        self.meaning.lines.position_in(&self.text, offset)
    }

    /// Whether a note is about the key at its place, and not about the value.
    #[must_use]
    pub fn is_key(&self, note: &Note) -> bool {
        let key = self.find_place(note.document, &note.at).and_then(|place| place.key);
        key.is_some_and(|key| self.position(key.start) == (note.line, note.column))
    }

    pub(super) fn document_at(&self, row: usize) -> Option<&Document> {
        self.whole_tree()?.documents.get(row)
    }

    pub(super) fn whole_tree(&self) -> Option<&Tree> {
        match &self.meaning.body {
            Body::Whole(whole) => Some(whole.tree(self.format, self.text())),
            Body::Cut(cut) => cut.whole_tree(self.format, &self.text, &self.meaning.lines),
        }
    }

    /// The same without what was read of it, which is read again when it is asked for: for texts
    /// that may never be looked at. A long text stays as it is.
    #[must_use]
    pub fn at_rest(&self) -> Self {
        let Body::Whole(whole) = &self.meaning.body else { return self.clone() };
        if self.text.len() > MOST_READ_AGAIN {
            return self.clone();
        }
        let (lines, body) = (self.meaning.lines.clone(), Body::Whole(whole.at_rest()));
        Self { meaning: Arc::new(Meaning { lines, body }), ..self.clone() }
    }

    /// Whether nothing is held of what was read of it.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        matches!(&self.meaning.body, Body::Whole(whole) if whole.is_at_rest())
    }

    /// The same for a look at many texts one after the other: what is read of one at rest is dropped
    /// with the clone.
    #[must_use]
    pub fn for_a_look(&self) -> Self {
        if self.is_at_rest() { self.at_rest() } else { self.clone() }
    }

    /// The value of the only document of a text that can be at rest, read when it is asked for.
    #[must_use]
    pub fn resting_value(&self) -> Option<LazyValue> {
        let can_rest = self.document_count() == 1 && self.text.len() <= MOST_READ_AGAIN;
        can_rest.then(|| whole::lazy_value(self.format, self.text()))
    }

    /// A part of a document's value, without a look at the rest where that can be.
    #[must_use]
    pub fn value_at(&self, document: usize, at: &Pointer) -> Option<Value> {
        if let (Some(cut), [name, ..]) = (self.as_cut().filter(|_| document == 0), at.tokens())
            && !cut.segments.has_section(name)
        {
            return None;
        }
        match self.find_segment(document, at) {
            Some((cut, row)) => {
                let inner: Pointer = at.tokens()[2..].iter().cloned().collect();
                inner.get(&*cut.segments.row_value(&self.text, row)?).cloned()
            }
            None => at.get(self.value(document)?).cloned(),
        }
    }

    /// The objects in a document's outermost object by their names, each with its members, where the text is read in these pieces; `None` where it is read as a whole.
    pub fn sections(
        &self,
        document: usize,
    ) -> Option<impl Iterator<Item = (&str, impl Iterator<Item = Member<'_>>)>> {
        self.as_cut().filter(|_| document == 0).map(|cut| cut.segments.sections(&self.text))
    }

    /// The value of a member of a section, to be held on its own; `None` where the text is read as
    /// a whole.
    #[must_use]
    pub fn section_member(&self, document: usize, at: &Pointer) -> Option<LazyValue> {
        let (cut, row) = self.find_segment(document, at).filter(|_| at.tokens().len() == 2)?;
        cut.segments.row_value(&self.text, row)
    }

    /// Where this revision of a text says something else than another one; `None` where that cannot
    /// be known without reading them.
    #[must_use]
    pub fn changed_places(&self, other: &Self) -> Option<Vec<Pointer>> {
        let (one, other) = (self.as_cut()?, other.as_cut()?);
        one.segments
            .changed_rows(&other.segments)?
            .into_iter()
            .map(|row| one.segments.row_pointer(row))
            .collect()
    }

    /// The pieces of text in which this revision may differ from another one, each with what is
    /// there in the other; `None` where that cannot be known without a comparison of the texts.
    #[must_use]
    pub fn pieces_beside(&self, other: &Self) -> Option<Vec<(Span, Span)>> {
        let (one, other) = (&self.as_cut()?.segments, &other.as_cut()?.segments);
        one.changed_rows(other)?
            .into_iter()
            .map(|row| Some((one.row_span(row)?, other.row_span(row)?)))
            .collect()
    }

    pub(super) fn as_cut(&self) -> Option<&SegmentedText> {
        match &self.meaning.body {
            Body::Cut(cut) => Some(cut),
            Body::Whole(_) => None,
        }
    }

    /// The segment that a pointer leads to or into.
    fn find_segment(&self, document: usize, at: &Pointer) -> Option<(&SegmentedText, usize)> {
        let cut = self.as_cut().filter(|_| document == 0)?;
        Some((cut, cut.segments.row_at(at)?))
    }

    /// The same, read alone.
    pub(super) fn parse_segment(
        &self,
        document: usize,
        at: &Pointer,
    ) -> Option<(usize, Arc<ParsedSegment>)> {
        self.as_cut().filter(|_| document == 0)?.parse_segment(&self.text, at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::syntax::edit::{Edit, EditError};

    fn read(format: Format, text: &str) -> Source {
        Source::parse(format, text).unwrap()
    }

    fn written<'s>(source: &'s Source, at: &str) -> &'s str {
        source.written_text(0, &Pointer::parse(at).unwrap()).unwrap()
    }

    /// The text read in segments, however short it is.
    fn cut(format: Format, text: &str) -> Option<Source> {
        let segments = Segments::from_text(format, text)?;
        Some(Source::of_cut(format, text.into(), Lines::new(text), SegmentedText::new(segments)))
    }

    fn whole(format: Format, text: &str) -> Source {
        Source::parse_whole(format, text.into()).unwrap()
    }

    /// Every place of a value.
    fn places(value: &Value, at: &Pointer, into: &mut Vec<Pointer>) {
        into.push(at.clone());
        match value {
            Value::Object(members) => {
                members
                    .iter()
                    .for_each(|(key, value)| places(value, &at.child(key.as_str()), into));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(row, item)| places(item, &at.item(row), into));
            }
            _ => {}
        }
    }

    /// Holds what is answered of a text read in segments against the same text read as a whole.
    fn same_answers(cut: &Source, whole: &Source) -> Result<(), TestCaseError> {
        prop_assert_eq!(cut.text(), whole.text());
        prop_assert_eq!(cut.value(0), whole.value(0));
        prop_assert_eq!(cut.notes(), whole.notes());
        prop_assert_eq!(cut.lines(), whole.lines());
        let mut all = Vec::new();
        places(whole.value(0).unwrap(), &Pointer::root(), &mut all);
        for at in &all {
            prop_assert_eq!(cut.find_place(0, at), whole.find_place(0, at), "{}", at);
            prop_assert_eq!(cut.start_offset(0, at), whole.start_offset(0, at), "{}", at);
            let absent = at.child("absent");
            prop_assert_eq!(
                cut.start_offset(0, &absent),
                whole.start_offset(0, &absent),
                "{}",
                absent
            );
            prop_assert_eq!(cut.written_text(0, at), whole.written_text(0, at), "{}", at);
            prop_assert_eq!(cut.value_at(0, at), whole.value_at(0, at), "{}", at);
            prop_assert_eq!(
                cut.as_python_at(0, at).map(|read| read.value),
                whole.as_python_at(0, at).map(|read| read.value)
            );
        }
        let read = cut.sections(0).unwrap().map(|(name, members)| {
            (name.to_owned(), members.map(|member| (*member.value).clone()).collect())
        });
        let read: Vec<(String, Vec<Value>)> = read.collect();
        for (name, values) in read {
            prop_assert_eq!(
                whole.value(0).unwrap()[&name]
                    .as_object()
                    .unwrap()
                    .values()
                    .cloned()
                    .collect::<Vec<_>>(),
                values
            );
        }
        Ok(())
    }

    const YAML_MEMBERS: [&str; 9] = [
        "a:\n  name: one # why\n  group: [x, y]\n  list:\n    - p: 1\n      q: yes\n    - p: 2\n",
        "b:\n  text: |\n    line ä\n\n    two\n\n\n  n: 1.50\n",
        "c:\n  \"quoted\": \"a: #b\\n\"\n  more: >-\n    folded\n    text\n# a comment\n\n  # and one more\n",
        "d:\n- 1\n- k: v\n  l: null\n",
        "e: {a: 1, b: [2, 3],\n  c: 'it''s'}\n",
        "f: plain\n",
        "g:\n",
        "h:\n  keep: |+\n    x\n\n\n",
        "i:\n  deep:\n    er: &anchor [1]\n    so: *anchor\n",
    ];

    const JSON_MEMBERS: [&str; 5] = [
        "\"a\": {\n  \"name\": \"o\\\"ne\", \"group\": [\"x\", \"y\"],\n  \"list\": [\n    {\"p\": 1},\n    {\"p\": 1.50}\n  ]\n}",
        "\"b\":{\"c\":{},\"d\":[],\"e\":null}",
        "\"c\" : [1, {\"ä\": \"}{\"}]",
        "\"d\": \"text\"",
        "\"e\": {\n  \"empty\": {\n  },\n  \"n\": 12345678901234567890123\n}",
    ];

    /// Texts with sections of some of the members.
    fn sectioned() -> impl Strategy<Value = (Format, String)> {
        let yaml = prop::collection::vec(
            (prop::sample::subsequence(YAML_MEMBERS.to_vec(), 1..6), 1_usize..4, any::<bool>()),
            1..3,
        );
        let yaml = yaml.prop_map(|sections| {
            let mut text = String::from("# head\n");
            for (row, (members, indent, crowded)) in sections.iter().enumerate() {
                text += &format!("s{row}: # section\n{}", if *crowded { "" } else { "\n" });
                for line in members.concat().lines() {
                    text += &format!(
                        "{}{line}\n",
                        if line.is_empty() || line.starts_with("# a") {
                            String::new()
                        } else {
                            " ".repeat(*indent)
                        }
                    );
                }
            }
            (Format::Yaml, text)
        });
        let json = prop::collection::vec(
            (prop::sample::subsequence(JSON_MEMBERS.to_vec(), 1..5), any::<bool>()),
            1..3,
        );
        let json = json.prop_map(|sections| {
            let section = |(row, (members, on_lines)): (usize, (Vec<&str>, bool))| {
                let members: Vec<_> =
                    members.iter().map(|member| member.replace('\n', "\n    ")).collect();
                let (gap, end) = if on_lines { ("\n    ", "\n  ") } else { ("", "") };
                format!("  \"s{row}\": {{{gap}{}{end}}}", members.join(&format!(",{gap}")))
            };
            let sections: Vec<_> = sections.into_iter().enumerate().map(section).collect();
            (Format::Json, format!("{{\n{}\n}}\n", sections.join(",\n")))
        });
        prop_oneof![yaml, json]
    }

    proptest! {
        #[test]
        fn a_text_at_rest_says_the_same((format, text) in sectioned()) {
            let (awake, resting) = (whole(format, &text), whole(format, &text).at_rest());
            prop_assert_eq!(resting.resting_value().unwrap().parsed(), awake.value(0).unwrap().clone());
            let mut all = Vec::new();
            places(awake.value(0).unwrap(), &Pointer::root(), &mut all);
            for at in &all {
                prop_assert_eq!(resting.find_place(0, at), awake.find_place(0, at), "{}", at);
                prop_assert_eq!(resting.written_text(0, at), awake.written_text(0, at), "{}", at);
            }
            prop_assert_eq!(resting.value(0), awake.value(0));
            prop_assert_eq!(resting.notes(), awake.notes());
            prop_assert_eq!(resting.lines(), awake.lines());
        }
    }

    #[test]
    fn what_can_rest_is_short_and_says_one_thing() {
        let texts = [
            (Format::Yaml, "a: yes\n---\nb: 1\n"),
            (Format::Yaml, "# nothing\n"),
            (Format::Toml, "a = 1\n[b]\nc = 1.50\n"),
            (Format::Json, "{\"a\": 1, \"a\": 2}"),
            (Format::Jsonc, "{\"a\": 1, // one\n}"),
            (Format::Json5, "{a: 'b'}"),
        ];
        for (format, text) in texts {
            let (awake, resting) = (whole(format, text), whole(format, text).at_rest());
            assert_eq!(resting.document_count(), awake.document_count(), "{text}");
            assert_eq!(resting.notes(), awake.notes(), "{text}");
            let only = awake.value(0).filter(|_| awake.document_count() == 1).cloned();
            assert_eq!(resting.resting_value().map(|value| value.parsed()), only, "{text}");
            for document in 0..3 {
                assert_eq!(resting.value(document), awake.value(document), "{text}");
            }
        }
        let long = format!("[{}]", "1, ".repeat(8000) + "1");
        let long = whole(Format::Json, &long);
        assert!(
            long.resting_value().is_none() && Arc::ptr_eq(&long.at_rest().meaning, &long.meaning)
        );
    }

    #[test]
    fn the_beginning_of_a_long_text_reads_as_it_does_in_the_whole() {
        for format in [Format::Yaml, Format::Json] {
            let member = |row: usize| match format {
                Format::Yaml => format!("  m{row}:\n    name: \"né {row}\"\n    list: [a, b]\n"),
                _ => format!("    \"m{row}\": {{\"name\": \"né }} {row}\", \"list\": [1, 2]}}"),
            };
            let (head, between, tail) = match format {
                Format::Yaml => ("# head\none:\n  first: 1\ntwo:\n", "", "three:\n  last: 1\n"),
                _ => ("{\"one\": {\"first\": 1}, \"two\": {\n", ",\n", "\n}}\n"),
            };
            let text = |count: usize| {
                let members: Vec<_> = (0..count).map(member).collect();
                format!("{head}{}{tail}", members.join(between))
            };
            let long = text(8000);
            let (whole, begun) = (read(format, &long), Source::beginning(format, &long).unwrap());
            let members = begun.value(0).unwrap()["two"].as_object().unwrap();
            assert!((100..4000).contains(&members.len()), "{}", members.len());
            for key in members.keys() {
                let at = Pointer::root().child("two").child(key.as_str());
                assert_eq!(begun.value_at(0, &at), whole.value_at(0, &at));
                assert_eq!(begun.find_place(0, &at), whole.find_place(0, &at));
            }
            assert!(Source::beginning(format, &text(20)).is_none());
            assert!(Source::beginning(format, &"[1]\n".repeat(100_000)).is_none());
        }
    }

    fn some_edit() -> impl Strategy<Value = (prop::sample::Index, usize, Value)> {
        let values = [
            json!("x"),
            json!("two\nlines\n"),
            json!(7),
            json!([1, "b"]),
            json!({"k": [true]}),
            json!(null),
            json!("# no: comment"),
        ];
        (any::<prop::sample::Index>(), 0_usize..5, prop::sample::select(values.to_vec()))
    }

    fn made(what: usize, at: Pointer, value: Value) -> Edit {
        match what {
            0 => Edit::Remove { at },
            1 => Edit::Set { at: at.child("new"), to: value.into() },
            2 => Edit::Insert { at: at.item(0), item: value.into() },
            3 => Edit::Rename { at, key: "renamed".into() },
            _ => Edit::Set { at, to: value.into() },
        }
    }

    proptest! {
        #[test]
        fn a_text_read_in_segments_is_the_text_read_as_a_whole((format, text) in sectioned(), edits in prop::collection::vec(some_edit(), 1..4)) {
            let mut whole = whole(format, &text);
            let Some(mut cut) = cut(format, &text) else { return Ok(()) };
            for (at, what, value) in edits {
                same_answers(&cut, &whole)?;
                let mut all = Vec::new();
                places(whole.value(0).unwrap(), &Pointer::root(), &mut all);
                let edit = made(what, at.get(&all).clone(), value);
                let (after_cut, after_whole) = (cut.apply(0, &edit), whole.apply(0, &edit));
                match (after_cut, after_whole) {
                    (Ok((after_cut, patch)), Ok((after_whole, _))) => {
                        prop_assert_eq!(after_cut.text(), after_whole.text(), "{:?} of {}", edit, text);
                        let back = after_cut.with_patch(&patch.inverse()).unwrap();
                        prop_assert_eq!(back.text(), cut.text());
                        prop_assert_eq!(back.value(0), cut.value(0));
                        (cut, whole) = (after_cut, after_whole);
                        if cut.sections(0).is_none() {
                            return Ok(());
                        }
                    }
                    (Err(one), Err(other)) => prop_assert_eq!(one, other),
                    (one, other) => return Err(TestCaseError::fail(format!("{edit:?} of {text}: {one:?}, {other:?}"))),
                }
            }
        }
    }

    #[test]
    fn only_what_means_the_same_alone_is_read_alone() {
        let member = "  a: {n: 1}\n  b: {n: 2}\n";
        assert!(
            cut(Format::Yaml, &format!("# head\ns:\n{member}t: # two\n  c:\n    - 1\n")).is_some()
        );
        for text in [
            "s:\n  a: &x 1\n  b: *x\n",
            "s:\n  a: 1\n  a: 2\n",
            "s:\n  a: 1\n--- \nt: 1\n",
            "s:\n  a: \"x\n  y\"\n",
            "s:\n  a: [\n  1]\n",
            "s:\n  <<: {a: 1}\n  b: 1\n",
            "s:\n  a: 1\n b: 1\n",
            "s:\n  a: 1\ns:\n  b: 1\n",
            "s:\n  ? a\n  : 1\n",
            "s: {a: 1}\n",
            "- s:\n  a: 1\n",
            "s:\n\ta: 1\n",
            "yes:\n  a: 1\n",
        ] {
            assert!(cut(Format::Yaml, text).is_none(), "{text}");
        }
        assert!(
            cut(Format::Json, r#"{"s": {"a": 1, "b": {"c": "}"}}, "t": {"a": []}} "#).is_some()
        );
        for text in [
            r#"{"s": {"a": 1, "a": 2}}"#,
            r#"{"s": {"a": 1}, "t": 1}"#,
            r#"{"s": {"a": 1}, "s": {"b": 1}}"#,
            r#"{"s": {"a": 1,}}"#,
            r#"{"s": {"a": tru}}"#,
            r#"{"s": {"\u0061": 1}}"#,
            r#"{"s": {"a": [1}}"#,
            r#"{"s": {}}"#,
            r#"[{"s": {"a": 1}}]"#,
        ] {
            assert!(cut(Format::Json, text).is_none(), "{text}");
        }
    }

    #[test]
    fn an_edit_within_a_segment_shares_the_others_and_reads_no_whole() {
        let entry = |row: usize| format!("  tool-{row}:\n    name: n{row}\n    description: d\n");
        let text = format!("tool:\n{}", (0..300).map(entry).collect::<String>());
        let source = read(Format::Yaml, &text);
        let set = Edit::Set { at: at("/tool/tool-150/description"), to: "other".into() };
        let (after, _) = source.apply(0, &set).unwrap();
        assert_eq!(after.changed_places(&source), Some(vec![at("/tool/tool-150")]));
        assert_eq!(
            **after.text(),
            *text.replacen("n150\n    description: d", "n150\n    description: other", 1)
        );
    }

    fn at(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn a_document_is_taken_out_and_the_others_stay_as_written() {
        let text = "# head\na: 1 # one\n---\n# of b\nb: yes\n---\nc: [3,  4]\n";
        let source = read(Format::Yaml, text);
        let without =
            |row: usize| source.without_document(row).map(|after| after.text().to_string());
        assert_eq!(without(1).as_deref(), Ok("# head\na: 1 # one\n---\nc: [3,  4]\n"));
        assert_eq!(without(2).as_deref(), Ok("# head\na: 1 # one\n---\n# of b\nb: yes\n"));
        let first = source.without_document(0).unwrap();
        assert_eq!(
            (first.document_count(), first.value(0), first.value(1)),
            (2, source.value(1), source.value(2))
        );
        assert_eq!(without(3), Err(EditError::NoDocument(3)));
    }

    #[test]
    fn json_has_values_and_places() {
        let source = read(Format::Json, "\u{feff}{\r\n  \"ä\\u00e4\": [1.50, {\"b\": null}]\r\n}");
        assert_eq!(**source.value(0).unwrap(), json!({"ää": [1.5, {"b": null}]}));
        assert_eq!(written(&source, "/ää/0"), "1.50");
        let place = source.find_place(0, &Pointer::parse("/ää/1/b").unwrap()).unwrap();
        assert_eq!((place.line, place.column), (2, 22));
        let offset = source.text().find("null").unwrap();
        assert_eq!(source.pointer_at(offset), Some((0, Pointer::parse("/ää/1/b").unwrap())));
    }

    #[test]
    fn a_document_is_json_on_one_line_with_its_own_numbers() {
        let text = "{\n  \"a\": [1.50, 1e3 , 12345678901234567890123, -0],\r\n \"\\u00e4\": {\"b\": \"x\\ty\" }, \"c\": [] }";
        let wanted = r#"{"a":[1.50,1e3,12345678901234567890123,-0],"ä":{"b":"x\ty"},"c":[]}"#;
        assert_eq!(read(Format::Json, text).to_json(0).as_deref(), Some(wanted));
        let yaml = "a: &n 1.50\nb: 0x10\nc: *n\nd: 1_000\ne: [+1, .5, 2.]\n---\n- x\n";
        assert_eq!(
            read(Format::Yaml, yaml).to_json(0).as_deref(),
            Some(r#"{"a":1.50,"b":16,"c":1.5,"d":"1_000","e":[1,0.5,2.0]}"#)
        );
        assert_eq!(read(Format::Yaml, yaml).to_json(1).as_deref(), Some(r#"["x"]"#));
        assert_eq!(
            read(Format::Toml, "a = 1_000\nb = 1.50\n").to_json(0).as_deref(),
            Some(r#"{"a":1000,"b":1.50}"#)
        );
        assert_eq!(read(Format::Yaml, "").to_json(0), None);
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
        let jsonc =
            "// head\n{\n  /* a */ \"a\": [1, 2,], // b\n  \"c\": \"http://x/*y*/\",\n}\n// foot";
        assert_eq!(
            **read(Format::Jsonc, jsonc).value(0).unwrap(),
            json!({"a": [1, 2], "c": "http://x/*y*/"})
        );
        let json5 = "// head\n{a: 'it\\'s', $b_1: \"x\\\ny\", 'c d': [+1, .5, 5., 0x1F, -0xA,], \u{e9}\\u0061: null, // c\n}";
        let value = json!({"a": "it's", "$b_1": "xy", "c d": [1, 0.5, 5.0, 31, -10], "éa": null});
        let source = read(Format::Json5, json5);
        assert_eq!(**source.value(0).unwrap(), value);
        assert_eq!((written(&source, "/c d/3"), written(&source, "/a")), ("0x1F", "'it\\'s'"));
        assert_eq!(
            read(Format::Json5, "\u{feff}\u{a0}[\u{b}]").value(0).map(|value| (**value).clone()),
            Some(json!([]))
        );
        assert_eq!(read(Format::Jsonc, "// nothing\n").document_count(), 0);
        let of = |name: &str, text: &str| {
            Source::of_file(Path::new(name), text).map(|source| source.format())
        };
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
        assert!(
            of("stdin", "{ // c\n a: b }").is_err(),
            "a comment of JSON's is never taken for YAML"
        );
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
        let empty =
            |at: &str| source.find_place(0, &Pointer::parse(at).unwrap()).unwrap().value.start;
        assert!(text[..empty("/c")].ends_with("\nc:"));
        assert!(text[..empty("/d")].ends_with("d: &x"));
        assert!(text[..empty("/g/1")].ends_with("- a\n-"));
    }

    #[test]
    fn yaml_documents_merges_and_notes() {
        let text = "\u{feff}base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}\nflag: yes\nflag: no\non: 012\n---\n--- # two\n- 1\n...\n";
        let source = read(Format::Yaml, text);
        assert_eq!(source.document_count(), 3);
        assert_eq!(source.value(0).unwrap()["more"], json!({"x": 1, "y": 3}));
        assert_eq!((**source.value(1).unwrap()).clone(), json!(null));
        assert_eq!(
            source.pointer_at(text.find("- 1").unwrap() + 2),
            Some((2, Pointer::root().item(0)))
        );
        assert_eq!(written(&source, "/more/x"), "*b");
        let notes: Vec<_> =
            source.notes().iter().map(|note| (note.kind, note.at.to_string(), note.line)).collect();
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
            assert_eq!(read(Format::Yaml, text).document_count(), 0, "{text:?}");
        }
    }

    #[test]
    fn yaml_counts_crlf_and_wide_letters() {
        let text = "a: 1\r\nb: |\r\n  x ü\r\n  y\r\nc: \"d\r\n  e\" # ü\r\nf: g";
        let source = read(Format::Yaml, text);
        assert_eq!(
            **source.value(0).unwrap(),
            json!({"a": 1, "b": "x ü\ny\n", "c": "d e", "f": "g"})
        );
        assert_eq!(written(&source, "/b"), "|\r\n  x ü\r\n  y");
        assert_eq!(written(&source, "/f"), "g");
    }

    #[test]
    fn yaml_ends_block_texts_where_the_file_does() {
        for (text, value) in [
            ("a: |\n  x", "x"),
            ("a: |\n  x\n", "x\n"),
            ("a: |\n", ""),
            ("a: >-\n  x\n  y", "x y"),
            ("a: |+\n  x\n\n", "x\n\n"),
        ] {
            assert_eq!(
                **read(Format::Yaml, text).value(0).unwrap(),
                json!({"a": value}),
                "{text:?}"
            );
        }
    }

    #[test]
    fn yaml_takes_brackets_that_are_not_indented() {
        let text = "a: [\n]\nb: {\n  \"ü\": [\n    \"x\",\n    {}, # c\n  ],\n}\nc: |\n  {\n  }\nd:\n  e: [\n1, \"2\n] 3\"\n]\n";
        let source = read(Format::Yaml, text);
        assert_eq!(
            **source.value(0).unwrap(),
            json!({"a": [], "b": {"ü": ["x", {}]}, "c": "{\n}\n", "d": {"e": [1, "2 ] 3"]}})
        );
        for (at, text) in [
            ("/a", "[\n]"),
            ("/b/ü/1", "{}"),
            ("/d/e", "[\n1, \"2\n] 3\"\n]"),
            ("/c", "|\n  {\n  }"),
        ] {
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
        assert_eq!(
            source.pointer_at(text.find("inf").unwrap()).unwrap().1.to_string(),
            "/t/u/y/1/z"
        );
        let error = Source::parse(Format::Toml, "a = 1\nb = \n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 5), "{error}");
        assert_eq!(**read(Format::Toml, "\u{feff}a = 1").value(0).unwrap(), json!({"a": 1}));
        assert_eq!(written(&read(Format::Toml, "\u{feff}a = 1"), "/a"), "1");
    }

    #[test]
    fn bombs_are_refused() {
        for (format, unit) in [
            (Format::Json, "["),
            (Format::Json, "{\"a\":"),
            (Format::Yaml, "["),
            (Format::Yaml, "- "),
            (Format::Yaml, "? "),
        ] {
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
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(40_000), "*a,".repeat(40_000));
        for text in [laughs, long] {
            let error = Source::parse(Format::Yaml, text).unwrap_err();
            assert!(error.to_string().contains("aliases grow"), "{error}");
        }
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
        prop_oneof![
            any::<String>(),
            prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn no_text_makes_a_reader_panic(text in texts()) {
            for format in [Format::Json, Format::Yaml, Format::Toml] {
                if let Ok(source) = Source::parse(format, &*text) {
                    for offset in 0..=text.len() {
                        if let Some((document, at)) = source.pointer_at(offset) {
                            prop_assert!(source.find_place(document, &at).is_some(), "{text:?} {offset} {at}");
                            prop_assert!(source.written_text(document, &at).is_some(), "{text:?} {offset} {at}");
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
