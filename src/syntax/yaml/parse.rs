//! Reads YAML events into values and their places, with anchors and merge keys resolved.

use std::{collections::HashMap, sync::Arc};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value};

use super::{
    gap::GapWalk,
    resolve,
    shadow::{self, PadFindings},
};
use crate::syntax::{
    number,
    place::{NoteKind, Span},
    tree::{Document, MAX_DEPTH, Member, Members, Node, Shape, Style, Tree, exact_object},
};

/// A text may grow by its aliases to this many values, or to one a byte if that is more.
const MAX_ALIASED: usize = 100_000;
/// So many bytes of a text take the room of a value, and count as one.
const BYTES_OF_VALUE: usize = 32;

/// What is wrong, and at which offset.
type Fault = (usize, String);

pub(crate) fn parse_tree(text: &str) -> Result<Tree, Fault> {
    // The parser takes it for the end of the text, and would not see what follows.
    if let Some(at) = text.find('\0') {
        return Err((at, "a NUL character isn't allowed".into()));
    }
    shadow::read_padded(text, |shadow| {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut builder = Builder {
            text,
            stack: Vec::new(),
            root: None,
            begun: start,
            last: start,
            anchors: HashMap::new(),
            aliased: 0,
            documents: Vec::new(),
            oddities: Vec::new(),
            found: PadFindings::default(),
        };
        for event in Parser::new_from_str(&shadow.text()[start..]) {
            let (event, span) = event.map_err(|error| {
                (shadow.byte_offset(error.marker().index()), error.info().to_owned())
            })?;
            builder.handle_event(
                event,
                Span {
                    start: shadow.byte_offset(span.start.index()),
                    end: shadow.byte_offset(span.end.index()),
                },
            )?;
        }
        Ok((builder.finish(), builder.found))
    })
}

struct Builder<'t> {
    text: &'t str,
    stack: Vec<Frame>,
    root: Option<(Node, Value)>,
    /// Where the present document begins.
    begun: usize,
    /// Where the last thing seen ended: the gap before the next begins here.
    last: usize,
    anchors: HashMap<usize, Anchored>,
    /// How many values came from aliases so far.
    aliased: usize,
    documents: Vec<Document>,
    oddities: Vec<(usize, NoteKind)>,
    found: PadFindings,
}

struct Anchored {
    value: Value,
    size: usize,
}

/// A collection that is being read.
struct Frame {
    start: usize,
    lead: usize,
    anchor: usize,
    style: Style,
    /// Values within, for the bound on aliases.
    size: usize,
    inside: OpenNode,
}

enum OpenNode {
    List {
        items: Vec<Node>,
        values: Vec<Value>,
    },
    Object {
        members: Vec<Member>,
        values: Map<String, Value>,
        merged: Vec<Value>,
        key: Option<Key>,
    },
}

struct Key {
    text: String,
    span: Span,
    plain: bool,
}

/// A finished value on its way into the collection around it.
struct Done {
    node: Node,
    value: Value,
    size: usize,
    /// What a key says, where one is awaited: scalars only.
    text: Option<String>,
    plain: bool,
}

impl<'t> Builder<'t> {
    /// The documents read, each up to where the next one begins.
    fn finish(&mut self) -> Tree {
        let mut documents = std::mem::take(&mut self.documents);
        documents.shrink_to_fit();
        let mut end = self.text.len();
        for document in documents.iter_mut().rev() {
            document.extent.end = end;
            end = document.extent.start;
        }
        if let Some(first) = documents.first_mut() {
            first.extent.start = 0;
        }
        Tree { documents, oddities: std::mem::take(&mut self.oddities) }
    }

    fn handle_event(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd => Ok(()),
            Event::DocumentStart(explicit) => {
                self.begun = span.start;
                self.last = if explicit { span.end } else { self.last };
                Ok(())
            }
            Event::DocumentEnd => {
                self.last = self.last.max(span.end.min(self.text.len()));
                self.anchors.clear();
                if let Some((root, value)) = self.root.take() {
                    let extent = Span { start: self.begun, end: self.begun };
                    self.documents.push(Document { value: Arc::new(value), root, extent });
                }
                Ok(())
            }
            Event::Alias(anchor) => self.add_alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.add_scalar(&text, style, anchor, tag.as_deref(), span)
            }
            Event::SequenceStart(anchor, tag) => {
                let inside = OpenNode::List { items: Vec::new(), values: Vec::new() };
                self.open_collection(inside, anchor, tag.is_some(), span)
            }
            Event::MappingStart(anchor, tag) => {
                let inside = OpenNode::Object {
                    members: Vec::new(),
                    values: Map::new(),
                    merged: Vec::new(),
                    key: None,
                };
                self.open_collection(inside, anchor, tag.is_some(), span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close_collection(span),
        }
    }

    fn add_alias(&mut self, anchor: usize, span: Span) -> Result<(), Fault> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err((span.start, "the alias has no anchor before it in this document".into()));
        };
        self.aliased += anchored.size;
        if self.aliased > MAX_ALIASED.max(self.text.len()) {
            return Err((span.start, "the aliases grow to more values than can be held".into()));
        }
        let value = anchored.value.clone();
        let text = match &value {
            Value::String(text) => Some(text.clone()),
            Value::Array(_) | Value::Object(_) => None,
            other => Some(other.to_string()),
        };
        let size = anchored.size;
        let span = self.trimmed_span(span);
        self.last = span.end;
        self.add_value(
            Done { node: Node::new(span, Shape::Alias), value, size, text, plain: false },
            0,
        )
    }

    fn add_scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        raw: Span,
    ) -> Result<(), Fault> {
        let written = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => self.quoted_span(raw),
            _ => self.trimmed_span(raw),
        };
        let plain = style == ScalarStyle::Plain;
        let left_out = plain
            && (text.is_empty() || (text == "~" && &self.text[written.start..written.end] != "~"));
        let properties = usize::from(anchor > 0) + usize::from(tag.is_some());
        let mut lead = None;
        let span = if left_out {
            let mut gap = self.before_value();
            lead = gap.skip_properties(properties);
            Span { start: gap.at, end: gap.at }
        } else {
            let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
            let mut start = written.start;
            if properties > 0 || block {
                let mut gap = self.before_value();
                lead = gap.skip_properties(properties);
                if block {
                    gap.skip_blanks();
                    start = gap.at;
                    self.found.blocks.push(Span { start, end: raw.end });
                }
            }
            if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                self.found.quoted.push(written);
            }
            Span {
                start,
                end: if block { self.block_end(start, raw).max(start) } else { written.end },
            }
        };
        let text =
            if left_out { "" } else { self.without_added_break(text, style, span.start, raw) };
        let is_key = matches!(
            self.stack.last().map(|frame| &frame.inside),
            Some(OpenNode::Object { key: None, .. })
        );
        let value = match tag {
            _ if is_key && anchor == 0 => Value::Null,
            None if plain => resolve::core_value(text),
            None => Value::String(text.to_owned()),
            Some(tag) => tagged_value(tag, text),
        };
        if tag.is_none() && plain && !left_out && resolve::reads_differently(text) {
            self.oddities.push((span.start, NoteKind::ReadsDifferently));
        }
        // A left-out value of a list in brackets must not go back behind what is read already.
        self.last = if left_out { span.end.max(self.last) } else { raw.end.max(span.end) };
        let mut node = Node::new(span, Shape::Scalar);
        node.lead = lead.map_or(span.start, |lead| lead.start);
        self.add_value(
            Done {
                node,
                value,
                size: 1 + text.len() / BYTES_OF_VALUE,
                text: is_key.then(|| text.to_owned()),
                plain,
            },
            anchor,
        )
    }

    fn open_collection(
        &mut self,
        inside: OpenNode,
        anchor: usize,
        tagged: bool,
        span: Span,
    ) -> Result<(), Fault> {
        if self.stack.len() == MAX_DEPTH {
            return Err((span.start, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        let flow = span.end > span.start;
        let properties = usize::from(anchor > 0) + usize::from(tagged);
        let lead =
            if properties > 0 { self.before_value().skip_properties(properties) } else { None };
        let in_flow = self.stack.last().is_some_and(|frame| frame.style == Style::Flow);
        let block_list = !flow && matches!(inside, OpenNode::List { .. });
        let start = if block_list {
            // The parser says a list without indentation from behind its first dash.
            let mut gap = self.before_value();
            gap.skip_properties(properties);
            gap.skip_blanks();
            gap.at
        } else {
            span.start
        };
        self.last = if flow { span.start + 1 } else { start };
        let style = if flow || in_flow { Style::Flow } else { Style::Block };
        self.stack.push(Frame {
            start,
            lead: lead.map_or(start, |lead| lead.start),
            anchor,
            style,
            size: 1,
            inside,
        });
        Ok(())
    }

    fn close_collection(&mut self, span: Span) -> Result<(), Fault> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let closing: &[u8] =
            if matches!(frame.inside, OpenNode::List { .. }) { b"]" } else { b"}" };
        let (shape, value, end) = match frame.inside {
            OpenNode::List { items, mut values } => {
                let end = items.last().map(|item| item.span.end);
                let shape = Shape::List { items: items.into(), style: frame.style };
                values.shrink_to_fit();
                (shape, Value::Array(values), end)
            }
            OpenNode::Object { members, mut values, merged, .. } => {
                for (key, value) in merged.into_iter().flat_map(members_of) {
                    values.entry(key).or_insert(value);
                }
                let end =
                    members.last().map(|member| member.value.span.end.max(member.key_span.end));
                (
                    Shape::Object { members: Members::new(members), style: frame.style },
                    exact_object(values),
                    end,
                )
            }
        };
        // A pair in a list (`[a: b]`) has no braces; behind a last comma the parser says the
        // comma's place.
        let mut gap = GapWalk::new(self.text, span.start);
        gap.consume_indicator(b",");
        let closed = frame.style == Style::Flow
            && span.end > span.start
            && gap.consume_indicator(closing).is_some();
        let end = if closed { gap.at } else { end.unwrap_or(frame.start) };
        self.last = self.last.max(end);
        if closed && self.stack.last().is_none_or(|around| around.style != Style::Flow) {
            self.found.brackets.push(Span { start: frame.start, end });
        }
        let node = Node { span: Span { start: frame.start, end }, lead: frame.lead, shape };
        self.add_value(
            Done { node, value, size: frame.size, text: None, plain: false },
            frame.anchor,
        )
    }

    /// Puts a finished value into the collection around it, or makes it the document.
    fn add_value(&mut self, done: Done, anchor: usize) -> Result<(), Fault> {
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored { value: done.value.clone(), size: done.size });
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some((done.node, done.value));
            return Ok(());
        };
        frame.size += done.size;
        match &mut frame.inside {
            OpenNode::List { items, values } => {
                items.push(done.node);
                values.push(done.value);
            }
            OpenNode::Object { members, values, merged, key } => {
                let Some(Key { text, span, plain }) = key.take() else {
                    let Some(text) = done.text else {
                        return Err((
                            done.node.span.start,
                            "a list or an object as a key cannot be read".into(),
                        ));
                    };
                    *key = Some(Key { text, span: done.node.span, plain: done.plain });
                    return Ok(());
                };
                let merge = plain && text == "<<" && can_merge(&done.value);
                members.push(Member {
                    key: text.as_str().into(),
                    key_span: span,
                    value: done.node,
                    merge,
                });
                if merge {
                    merged.push(done.value);
                } else if values.insert(text, done.value).is_some() {
                    self.oddities.push((span.start, NoteKind::DuplicateKey));
                }
            }
        }
        Ok(())
    }

    /// The gap before a value, past the indicator that announces it.
    fn before_value(&self) -> GapWalk<'t> {
        let mut gap = GapWalk::new(self.text, self.last);
        match self.stack.last().map(|frame| (&frame.inside, frame.style)) {
            None => {}
            Some((OpenNode::Object { key: Some(_), .. }, _)) => {
                gap.consume_indicator(b":");
            }
            Some((_, Style::Flow)) => {
                gap.consume_indicator(b",");
            }
            Some((OpenNode::List { .. }, _)) => {
                gap.consume_indicator(b"-");
            }
            Some((OpenNode::Object { .. }, _)) => {
                gap.consume_indicator(b"?");
            }
        }
        gap
    }

    /// Up to the closing quote: the parser counts in what follows on the line, comments too.
    fn quoted_span(&self, raw: Span) -> Span {
        let bytes = &self.text.as_bytes()[raw.start..raw.end];
        let (quote, mut at) = (bytes.first().copied().unwrap_or_default(), 1);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' if quote == b'"' => at += 2,
                b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
                byte if *byte == quote => break,
                _ => at += 1,
            }
        }
        Span { start: raw.start, end: (raw.start + at + 1).min(raw.end) }
    }

    /// Without the spaces that the parser counts in.
    fn trimmed_span(&self, span: Span) -> Span {
        let written = self.text.get(span.start..span.end).unwrap_or_default();
        Span {
            start: span.start,
            end: span.start + written.trim_end_matches([' ', '\t', '\r', '\n']).len(),
        }
    }

    /// The parser ends a block text with a break even where the file ends without one, or the block
    /// is empty.
    fn without_added_break<'s>(
        &self,
        text: &'s str,
        style: ScalarStyle,
        start: usize,
        raw: Span,
    ) -> &'s str {
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return text;
        }
        let header = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at + 1);
        let body = self.text.get(raw.start.max(header)..raw.end).unwrap_or_default();
        let unended = raw.end == self.text.len() && !self.text.ends_with(['\n', '\r']);
        let empty = text == "\n" && body.trim().is_empty() && !self.keeps_breaks(start);
        if unended || empty { text.strip_suffix('\n').unwrap_or(text) } else { text }
    }

    /// Whether the header of a block scalar says that blank lines at its end count (`|+`).
    fn keeps_breaks(&self, start: usize) -> bool {
        self.text[start..]
            .bytes()
            .take_while(|byte| !byte.is_ascii_whitespace())
            .any(|byte| byte == b'+')
    }

    /// The end of a block scalar that begins at `start`: of its last line, blank lines behind it
    /// only where it keeps them.
    fn block_end(&self, start: usize, raw: Span) -> usize {
        let body = self.text.get(raw.start..raw.end).unwrap_or_default();
        let keeps = self.keeps_breaks(start);
        // The parser counts in the spaces that the next line begins with.
        let mut end = body.trim_end_matches([' ', '\t']).len();
        if !body[..end].ends_with('\n') {
            end = body.len();
        }
        while let Some(before) = body[..end].strip_suffix('\n') {
            end = before.strip_suffix('\r').unwrap_or(before).len();
            let line = body[..end].rfind('\n').map_or(0, |at| at + 1);
            if keeps || !body[line..end].trim_matches([' ', '\t']).is_empty() {
                break;
            }
        }
        raw.start + end
    }
}

/// The value of a scalar with a tag of its own. Tags that are not the core schema's say nothing to
/// us.
fn tagged_value(tag: &Tag, text: &str) -> Value {
    let plain = || Value::String(text.to_owned());
    if !tag.is_yaml_core_schema() {
        return plain();
    }
    match (tag.suffix.as_str(), resolve::core_value(text)) {
        ("int" | "float", Value::Number(number)) => Value::Number(number),
        ("float", _) => number::parse_decimal(text).map_or_else(plain, Value::Number),
        ("bool", Value::Bool(flag)) => Value::Bool(flag),
        ("null", _) => Value::Null,
        _ => plain(),
    }
}

fn can_merge(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    }
}

/// The members that a merge key brings: of an object, or of objects of which the first counts.
fn members_of(value: Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(members) => members.into_iter().collect(),
        Value::Array(items) => items.into_iter().flat_map(members_of).collect(),
        _ => Vec::new(),
    }
}
