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
    piece: Option<LazyPiece>,
    kept: OnceLock<Arc<Value>>,
}

/// A piece of a text, and what reads it.
#[derive(Clone)]
struct LazyPiece {
    text: Arc<str>,
    span: Span,
    read: fn(&str) -> Option<Value>,
}

impl LazyPiece {
    fn parse(&self) -> Arc<Value> {
        let written = self.text.get(self.span.start..self.span.end).unwrap_or_default();
        Arc::new((self.read)(written).unwrap_or_default())
    }
}

impl LazyValue {
    /// The value of a piece that `read` has read before.
    pub(super) fn of_piece(
        (text, span): (Arc<str>, Span),
        read: fn(&str) -> Option<Value>,
    ) -> Self {
        Self { piece: Some(LazyPiece { text, span, read }), kept: OnceLock::new() }
    }

    /// The same, with the value kept by this and by all clones.
    #[must_use]
    pub fn into_kept(self) -> Self {
        Arc::clone(self.shared()).into()
    }

    /// The value, which is not kept if it has to be read.
    #[must_use]
    pub fn parsed(&self) -> Arc<Value> {
        match (self.kept.get(), &self.piece) {
            (None, Some(piece)) => piece.parse(),
            _ => Arc::clone(self.shared()),
        }
    }

    /// The value, which is kept from now on.
    #[must_use]
    pub fn shared(&self) -> &Arc<Value> {
        self.kept.get_or_init(|| self.piece.as_ref().map(LazyPiece::parse).unwrap_or_default())
    }
}

impl Deref for LazyValue {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.shared()
    }
}

impl Clone for LazyValue {
    fn clone(&self) -> Self {
        let kept = if self.piece.is_some() { OnceLock::new() } else { self.kept.clone() };
        Self { piece: self.piece.clone(), kept }
    }
}

impl From<Arc<Value>> for LazyValue {
    fn from(value: Arc<Value>) -> Self {
        Self { piece: None, kept: value.into() }
    }
}

impl From<Value> for LazyValue {
    fn from(value: Value) -> Self {
        Arc::new(value).into()
    }
}

impl PartialEq for LazyValue {
    fn eq(&self, other: &Self) -> bool {
        self.parsed() == other.parsed()
    }
}

/// Shows the value if it is kept, and reads none.
impl fmt::Debug for LazyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kept.get() {
            Some(value) => fmt::Debug::fmt(value, f),
            None => f.write_str("(not read)"),
        }
    }
}
