//! A value on its way into a text: with the spelling of numbers where one was given.

use serde_json::Value;

use super::{
    json,
    tree::{Node, Shape},
};
use crate::schema::literal::Literal;

#[derive(Clone, Debug, PartialEq)]
pub enum Draft {
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

impl Draft {
    pub fn of(literal: &Literal) -> Self {
        let tree = literal.written().and_then(|text| Some((text, json::parse::parse(text).ok()?)));
        let spelled = tree.as_ref().and_then(|(text, tree)| Some((*text, &tree.documents.first()?.root)));
        Self::from(literal.value(), spelled)
    }

    pub fn of_value(value: &Value) -> Self {
        Self::from(value, None)
    }

    fn from(value: &Value, spelled: Option<(&str, &Node)>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(number) => match spelled {
                Some((text, node)) => Self::Number { text: text[node.span.start..node.span.end].to_owned(), spelled: true },
                None => Self::Number { text: number.to_string(), spelled: false },
            },
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => {
                let node = |row: usize| match spelled {
                    Some((text, Node { shape: Shape::List { items, .. }, .. })) => items.get(row).map(|node| (text, node)),
                    _ => None,
                };
                Self::List(items.iter().enumerate().map(|(row, item)| Self::from(item, node(row))).collect())
            }
            Value::Object(members) => {
                let node = |key: &str| match spelled {
                    Some((text, Node { shape: Shape::Object { members, .. }, .. })) => {
                        members.get(key).map(|member| (text, &member.value))
                    }
                    _ => None,
                };
                Self::Object(members.iter().map(|(key, value)| (key.clone(), Self::from(value, node(key)))).collect())
            }
        }
    }

    /// The value inside objects that make the way to it.
    pub fn wrapped(self, keys: &[String]) -> Self {
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
