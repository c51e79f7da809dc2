//! JSON Pointer (RFC 6901): where a value is inside a document.

use std::fmt;

use serde_json::Value;

/// A place inside a JSON-like value. Tokens are unescaped; an array index is its decimal text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(Vec<String>);

/// The text is not a JSON pointer: it does not start with `/`, or has a `~` that is neither `~0`
/// nor `~1`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON pointer: {0:?} (start with \"/\"; write \"~\" as \"~0\" and \"/\" as \"~1\")")]
pub struct NotAPointer(pub String);

impl Pointer {
    /// The whole document.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses the text form: empty for the root, else `/`-separated escaped tokens.
    pub fn parse(text: &str) -> Result<Self, NotAPointer> {
        if text.is_empty() {
            return Ok(Self::root());
        }
        let Some(rest) = text.strip_prefix('/') else { return Err(NotAPointer(text.to_owned())) };
        rest.split('/')
            .map(unescape_token)
            .collect::<Option<Vec<_>>>()
            .map(Self)
            .ok_or_else(|| NotAPointer(text.to_owned()))
    }

    /// The pointer one step further, to a member or (by decimal text) an item.
    #[must_use]
    pub fn child(&self, token: impl Into<String>) -> Self {
        let mut tokens = Vec::with_capacity(self.0.len() + 1);
        tokens.extend_from_slice(&self.0);
        tokens.push(token.into());
        Self(tokens)
    }

    /// The pointer to an item of the list here.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        self.child(index.to_string())
    }

    /// The pointer made of this one followed by `rest`.
    #[must_use]
    pub fn join(&self, rest: &Pointer) -> Self {
        Self(self.0.iter().chain(&rest.0).cloned().collect())
    }

    /// One step back; `None` at the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, head) = self.0.split_last()?;
        Some(Self(head.to_vec()))
    }

    /// The last token; `None` at the root.
    #[must_use]
    pub fn last(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// The last token as an item's index.
    #[must_use]
    pub fn last_index(&self) -> Option<usize> {
        self.last()?.parse().ok()
    }

    #[must_use]
    pub fn tokens(&self) -> &[String] {
        &self.0
    }

    /// The way to it with dots, as in `arguments.0.name`; as the text form where a token has a dot
    /// or a space, or is empty.
    #[must_use]
    pub fn dotted(&self) -> String {
        let is_odd = |token: &String| token.is_empty() || token.contains(['.', ' ']);
        if self.tokens().iter().any(is_odd) { self.to_string() } else { self.tokens().join(".") }
    }

    /// The way to it in words, as forms number what is in a list: `arguments › 3 › name`. `value` is
    /// what it points into.
    #[must_use]
    pub fn words_in(&self, value: &Value) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut here = Some(value);
        for token in self.tokens() {
            let row = here.and_then(Value::as_array).and(token.parse::<usize>().ok());
            parts.push(row.map_or_else(|| token.clone(), |row| (row + 1).to_string()));
            here = match row {
                Some(row) => here.and_then(|list| list.get(row)),
                None => here.and_then(|object| object.get(token)),
            };
        }
        parts.join(" › ")
    }

    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether what is said of this place is about `at`, too: it is that place, or lies within it.
    #[must_use]
    pub fn is_about(&self, at: &Pointer) -> bool {
        self == at || (!at.is_root() && self.starts_with(at))
    }

    #[must_use]
    pub fn starts_with(&self, head: &Pointer) -> bool {
        self.0.starts_with(&head.0)
    }

    /// What follows `head`, if this pointer starts with it.
    #[must_use]
    pub fn strip_prefix(&self, head: &Pointer) -> Option<Pointer> {
        self.0.strip_prefix(head.0.as_slice()).map(|rest| Self(rest.to_vec()))
    }

    /// The value at this place.
    #[must_use]
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |at, token| match at {
            Value::Object(members) => members.get(token),
            Value::Array(items) => items.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The value at this place, to change it.
    pub fn get_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(value, |at, token| match at {
            Value::Object(members) => members.get_mut(token),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

impl<T: Into<String>> FromIterator<T> for Pointer {
    fn from_iter<I: IntoIterator<Item = T>>(tokens: I) -> Self {
        Self(tokens.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|token| write!(f, "/{}", token.replace('~', "~0").replace('/', "~1")))
    }
}

fn unescape_token(token: &str) -> Option<String> {
    let mut text = String::with_capacity(token.len());
    let mut letters = token.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '~' => text.push(match letters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            other => text.push(other),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_place_in_words_numbers_items_as_forms_do() {
        let value = serde_json::json!({"arguments": [{"name": "a"}, {}], "map": {"0": [[1]]}});
        for (at, words) in [
            ("/arguments/1", "arguments › 2"),
            ("/arguments/0/name", "arguments › 1 › name"),
            ("/arguments/2/name", "arguments › 3 › name"),
            ("/map/0/0/0", "map › 0 › 1 › 1"),
            ("", ""),
        ] {
            let at = Pointer::parse(at).unwrap();
            assert_eq!(at.words_in(&value), words);
        }
        assert_eq!(Pointer::root().item(1).words_in(&serde_json::json!([1, 2])), "2");
    }

    #[test]
    fn finds_members_and_items() {
        let value = serde_json::json!({"a/b": [{"c~d": 7}]});
        let at = Pointer::root().child("a/b").item(0).child("c~d");
        assert_eq!(at.to_string(), "/a~1b/0/c~0d");
        assert_eq!(at.get(&value), Some(&serde_json::json!(7)));
        assert_eq!(at.parent().and_then(|p| p.last_index()), Some(0));
    }

    #[test]
    fn refuses_what_is_no_pointer() {
        for text in ["a", "/~", "/~2", "#/a"] {
            assert_eq!(Pointer::parse(text), Err(NotAPointer(text.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn printed_pointers_parse_to_themselves(tokens in prop::collection::vec(".*", 0..5)) {
            let pointer: Pointer = tokens.into_iter().collect();
            prop_assert_eq!(Pointer::parse(&pointer.to_string()), Ok(pointer));
        }
    }
}
