//! A value that is read from its text when it is asked for.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use super::place::Span;

/// A value, or the piece of text that says it. A piece is read when the value is asked for; then
/// the value is kept, but not by clones that are made of it: who looks at the values of a large
/// file one after the other does that on clones.
pub struct LazyValue {
    origin: Option<Origin>,
    kept: OnceLock<Arc<Value>>,
}

/// Where a value is that isn't kept.
#[derive(Clone)]
enum Origin {
    Piece(LazyPiece),
    Item(ListItem),
}

/// A piece of a text, and what reads it.
#[derive(Clone)]
struct LazyPiece {
    text: Arc<str>,
    span: Span,
    read: fn(&str) -> Option<Value>,
}

impl LazyPiece {
    fn parse(&self) -> Value {
        let written = self.text.get(self.span.start..self.span.end).unwrap_or_default();
        (self.read)(written).unwrap_or_default()
    }
}

/// An item of a list that is a member of a larger value.
#[derive(Clone)]
struct ListItem {
    whole: Arc<Value>,
    list: &'static str,
    row: usize,
}

impl ListItem {
    fn find(&self) -> &Value {
        let item = self.whole.get(self.list).and_then(|list| list.get(self.row));
        item.unwrap_or(&Value::Null)
    }
}

impl Origin {
    fn read(&self) -> Arc<Value> {
        Arc::new(match self {
            Self::Piece(piece) => piece.parse(),
            Self::Item(item) => item.find().clone(),
        })
    }
}

impl LazyValue {
    /// The value of a piece that `read` has read before.
    pub(super) fn of_piece(
        (text, span): (Arc<str>, Span),
        read: fn(&str) -> Option<Value>,
    ) -> Self {
        let piece = LazyPiece { text, span, read };
        Self { origin: Some(Origin::Piece(piece)), kept: OnceLock::new() }
    }

    /// The item `row` of the list `list` within a value, which is shared and not copied; null where
    /// there is none.
    #[must_use]
    pub fn of_item(whole: &Arc<Value>, list: &'static str, row: usize) -> Self {
        let item = ListItem { whole: Arc::clone(whole), list, row };
        Self { origin: Some(Origin::Item(item)), kept: OnceLock::new() }
    }

    /// The same, with the value kept by this and by all clones.
    #[must_use]
    pub fn into_kept(self) -> Self {
        Arc::clone(self.shared()).into()
    }

    /// The value, which is not kept if it has to be read.
    #[must_use]
    pub fn parsed(&self) -> Arc<Value> {
        match (self.kept.get(), &self.origin) {
            (None, Some(origin)) => origin.read(),
            _ => Arc::clone(self.shared()),
        }
    }

    /// The value, which is kept from now on.
    #[must_use]
    pub fn shared(&self) -> &Arc<Value> {
        self.kept.get_or_init(|| self.origin.as_ref().map(Origin::read).unwrap_or_default())
    }
}

impl Deref for LazyValue {
    type Target = Value;

    fn deref(&self) -> &Value {
        match &self.origin {
            Some(Origin::Item(item)) => item.find(),
            _ => self.shared(),
        }
    }
}

impl Clone for LazyValue {
    fn clone(&self) -> Self {
        let kept = if self.origin.is_some() { OnceLock::new() } else { self.kept.clone() };
        Self { origin: self.origin.clone(), kept }
    }
}

impl From<Arc<Value>> for LazyValue {
    fn from(value: Arc<Value>) -> Self {
        Self { origin: None, kept: value.into() }
    }
}

impl From<Value> for LazyValue {
    fn from(value: Value) -> Self {
        Arc::new(value).into()
    }
}

impl PartialEq for LazyValue {
    fn eq(&self, other: &Self) -> bool {
        match (&self.origin, &other.origin) {
            (Some(Origin::Item(one)), Some(Origin::Item(other))) => one.find() == other.find(),
            _ => self.parsed() == other.parsed(),
        }
    }
}

/// Shows the value if it is at hand, and reads none.
impl fmt::Debug for LazyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.origin, self.kept.get()) {
            (Some(Origin::Item(item)), _) => fmt::Debug::fmt(item.find(), f),
            (_, Some(value)) => fmt::Debug::fmt(value, f),
            (_, None) => f.write_str("(not read)"),
        }
    }
}
