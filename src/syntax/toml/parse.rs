//! Reads TOML into values and their places. Dates and times become text; `inf` and `nan`, which
//! JSON cannot say, too.

use std::{ops::Range, sync::Arc};

use serde_json::{Map, Value};
use toml_edit::{ArrayOfTables, Item, Key, Table, TableLike};

use crate::syntax::{
    number,
    place::Span,
    tree::{Document, MAX_DEPTH, Member, Members, Node, Shape, Style, Tree},
};

/// What is wrong, and at which offset.
type Fault = (usize, String);

pub(crate) fn parse_tree(text: &str) -> Result<Tree, Fault> {
    let parsed = toml_edit::Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, error.message().lines().collect::<Vec<_>>().join(", "))
    })?;
    let mut reader = Reader { text, depth: 0 };
    let (mut root, value) = reader.read_table(parsed.as_table(), Style::Table { header: None })?;
    root.span = Span { start: 0, end: text.len() };
    root.lead = 0;
    let document =
        Document { value: Arc::new(value), root, extent: Span { start: 0, end: text.len() } };
    Ok(Tree { documents: vec![document], oddities: Vec::new() })
}

struct Reader<'t> {
    text: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn read_item(&mut self, item: &Item) -> Result<(Node, Value), Fault> {
        match item {
            Item::None => Ok((Node::new(Span { start: 0, end: 0 }, Shape::Scalar), Value::Null)),
            Item::Value(value) => self.read_value(value),
            Item::Table(table) => {
                let style = if table.is_dotted() {
                    Style::Dotted
                } else {
                    Style::Table { header: self.header_span(table) }
                };
                self.read_nested(|reader| reader.read_table(table, style))
            }
            Item::ArrayOfTables(tables) => self.read_nested(|reader| reader.read_tables(tables)),
        }
    }

    fn read_value(&mut self, value: &toml_edit::Value) -> Result<(Node, Value), Fault> {
        let span = span_of(value.span());
        let scalar = |value| Ok((Node::new(span, Shape::Scalar), value));
        match value {
            toml_edit::Value::String(text) => scalar(Value::String(text.value().clone())),
            toml_edit::Value::Boolean(flag) => scalar(Value::Bool(*flag.value())),
            toml_edit::Value::Datetime(_) => scalar(Value::String(self.slice(span).to_owned())),
            toml_edit::Value::Integer(_) | toml_edit::Value::Float(_) => {
                let written = self.slice(span);
                scalar(parse_number(written).unwrap_or_else(|| Value::String(written.to_owned())))
            }
            toml_edit::Value::Array(array) => self.read_nested(|reader| {
                let read = array
                    .iter()
                    .map(|item| reader.read_value(item))
                    .collect::<Result<Vec<_>, _>>()?;
                let (items, values): (Vec<_>, _) = read.into_iter().unzip();
                let shape = Shape::List { items: items.into(), style: Style::Flow };
                Ok((Node::new(span, shape), Value::Array(values)))
            }),
            toml_edit::Value::InlineTable(table) => {
                let style = if table.is_dotted() { Style::Dotted } else { Style::Flow };
                self.read_nested(|reader| {
                    let (mut node, value) = reader.read_table(table, style)?;
                    if style == Style::Flow {
                        (node.span, node.lead) = (span, span.start);
                    }
                    Ok((node, value))
                })
            }
        }
    }

    fn read_table(&mut self, table: &dyn TableLike, style: Style) -> Result<(Node, Value), Fault> {
        let (mut members, mut values) = (Vec::new(), Map::new());
        for (key, item) in table.iter() {
            if item.is_none() {
                continue;
            }
            let (value, meant) = self.read_item(item)?;
            let key_span = span_of(table.key(key).and_then(Key::span));
            members.push(Member { key: key.into(), key_span, value, merge: false });
            values.insert(key.to_owned(), meant);
        }
        let own = match style {
            Style::Table { header } => header,
            _ => None,
        };
        let parts = members.iter().map(|member| {
            member.key_span.start.min(member.value.span.start)..member.value.span.end
        });
        let span = enclosing_span(own.map(|span| span.start..span.end).into_iter().chain(parts));
        Ok((
            Node::new(span, Shape::Object { members: Members::new(members), style }),
            Value::Object(values),
        ))
    }

    fn read_tables(&mut self, tables: &ArrayOfTables) -> Result<(Node, Value), Fault> {
        let (mut items, mut values) = (Vec::new(), Vec::new());
        for table in tables {
            let (node, value) = self.read_nested(|reader| {
                reader.read_table(table, Style::Table { header: reader.header_span(table) })
            })?;
            items.push(node);
            values.push(value);
        }
        let span = enclosing_span(items.iter().map(|item| item.span.start..item.span.end));
        let shape = Shape::List { items: items.into(), style: Style::Table { header: None } };
        Ok((Node::new(span, shape), Value::Array(values)))
    }

    fn read_nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth == MAX_DEPTH {
            return Err((0, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let read = inner(self);
        self.depth -= 1;
        read
    }

    /// A table's own header: tables that only inner tables name have the place of a key instead.
    fn header_span(&self, table: &Table) -> Option<Span> {
        table
            .span()
            .map(|span| Span { start: span.start, end: span.end })
            .filter(|span| self.slice(*span).starts_with('['))
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }
}

fn parse_number(written: &str) -> Option<Value> {
    let digits = written.trim_start_matches(['+', '-']);
    let negative = written.starts_with('-');
    let number = match digits.get(..2) {
        Some("0x") => number::parse_radix(&digits[2..], 16, negative),
        Some("0o") => number::parse_radix(&digits[2..], 8, negative),
        Some("0b") => number::parse_radix(&digits[2..], 2, negative),
        _ => number::parse_decimal(written),
    };
    number.map(Value::Number)
}

fn span_of(range: Option<Range<usize>>) -> Span {
    range.map_or(Span { start: 0, end: 0 }, |range| Span { start: range.start, end: range.end })
}

/// From the first start to the last end.
fn enclosing_span(parts: impl Iterator<Item = Range<usize>>) -> Span {
    parts
        .reduce(|all, part| all.start.min(part.start)..all.end.max(part.end))
        .map_or(Span { start: 0, end: 0 }, |all| Span { start: all.start, end: all.end })
}
