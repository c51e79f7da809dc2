//! A value on its way into a text: with the spelling of numbers where one was given.

use serde_json::{Number, Value};

use super::{
    json::{self, dialect::Dialect},
    tree::{Document, Node, Shape, Tree},
};
use crate::schema::{decimal, literal::Literal, pointer::Pointer};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Draft {
    Null,
    Flag(bool),
    Number {
        text: String,
        /// Spelled by the user, to be kept to the letter.
        spelled: bool,
    },
    Text(String),
    List(Vec<Draft>),
    Object(Vec<(String, Draft)>),
}

/// The spelling of a value that was given as JSON text.
#[derive(Debug)]
pub(crate) struct SpelledValue {
    text: Option<(String, Tree)>,
}

impl SpelledValue {
    pub fn from_literal(literal: &Literal) -> Self {
        let text = literal.source_text().and_then(|text| {
            Some((text.to_owned(), json::parse::parse_tree(text, Dialect::Strict).ok()?))
        });
        Self { text }
    }

    fn root_node(&self) -> Option<(&str, &Node)> {
        let (text, tree) = self.text.as_ref()?;
        Some((text, &tree.documents.first()?.root))
    }

    /// A part of the value, with its own spelling if there is one.
    pub fn literal_at(&self, at: &Pointer, value: &Value) -> Literal {
        let written = self.text.as_ref().and_then(|(text, tree)| {
            let span = tree.documents.first()?.find(at)?.node.span;
            Literal::parse(text.get(span.start..span.end)?).ok()
        });
        written.unwrap_or_else(|| Literal::from(value.clone()))
    }
}

impl Draft {
    pub fn from_literal(literal: &Literal) -> Self {
        Self::from_spelled(literal.value(), SpelledValue::from_literal(literal).root_node())
    }

    pub fn of_value(value: &Value) -> Self {
        Self::from_spelled(value, None)
    }

    /// What a document of a text holds, its numbers as the text has them where JSON knows their
    /// spelling.
    pub fn of_document(document: &Document, text: &str) -> Self {
        Self::from_spelled(&document.value, Some((text, &document.root)))
    }

    /// The same value with its members in another order.
    pub fn of_arranged(value: &Value, document: &Document, text: &str) -> Self {
        Self::from_spelled(value, Some((text, &document.root)))
    }

    fn from_spelled(value: &Value, spelled: Option<(&str, &Node)>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(number) => {
                match spelled.and_then(|(text, node)| original_spelling(number, text, node)) {
                    Some(text) => Self::Number { text: text.to_owned(), spelled: true },
                    None => Self::Number { text: number.to_string(), spelled: false },
                }
            }
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => {
                let node = |row: usize| match spelled {
                    Some((text, Node { shape: Shape::List { items, .. }, .. })) => {
                        items.get(row).map(|node| (text, node))
                    }
                    _ => None,
                };
                Self::List(
                    items
                        .iter()
                        .enumerate()
                        .map(|(row, item)| Self::from_spelled(item, node(row)))
                        .collect(),
                )
            }
            Value::Object(members) => {
                let node = |key: &str| match spelled {
                    Some((text, Node { shape: Shape::Object { members, .. }, .. })) => {
                        members.get(key).map(|member| (text, &member.value))
                    }
                    _ => None,
                };
                Self::Object(
                    members
                        .iter()
                        .map(|(key, value)| (key.clone(), Self::from_spelled(value, node(key))))
                        .collect(),
                )
            }
        }
    }

    /// The value inside objects that make the way to it.
    pub fn wrap_in_keys(self, keys: &[String]) -> Self {
        keys.iter().rev().fold(self, |inner, key| Self::Object(vec![(key.clone(), inner)]))
    }

    pub fn is_container(&self) -> bool {
        matches!(self, Self::List(_) | Self::Object(_))
    }

    /// Neither a list nor an object, or one with nothing in it.
    pub fn is_leaf(&self) -> bool {
        match self {
            Self::List(items) => items.is_empty(),
            Self::Object(members) => members.is_empty(),
            _ => true,
        }
    }
}

/// A number as it is written, where that is JSON for the same number.
fn original_spelling<'t>(number: &Number, text: &'t str, node: &Node) -> Option<&'t str> {
    let written = text.get(node.span.start..node.span.end)?;
    let means = |read: Number| {
        decimal::is_float(&read) == decimal::is_float(number)
            && decimal::numbers_equal(&read, number)
    };
    serde_json::from_str(written).is_ok_and(means).then_some(written)
}
