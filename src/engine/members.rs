//! What cases, scenarios and stubs are read with: objects with known members, every issue with its
//! place, times.

use std::{fmt, time::Duration};

use serde_json::{Map, Value};

use crate::{
    engine::workflow::similar,
    model::{
        call::Outcome,
        context::Name,
        duration::{EXAMPLES, duration_of},
    },
    schema::pointer::Pointer,
};

/// What is wrong with a file that people write, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIssue {
    pub at: Pointer,
    pub message: String,
}

impl fmt::Display for FileIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_root() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.at, self.message)
        }
    }
}

/// Why a file of several documents is none of a kind.
#[must_use]
pub(crate) fn several_documents(count: usize, one: &str) -> String {
    format!("it holds {count} documents, and a file holds one {one}")
}

/// An object with known members.
pub(crate) struct Members<'v> {
    pub members: &'v Map<String, Value>,
    pub at: Pointer,
}

impl<'v> Members<'v> {
    /// The object at that place.
    ///
    /// # Errors
    /// When it is none, or has a member that is not known.
    pub fn from_value(value: &'v Value, at: Pointer, known: &[&str]) -> Result<Self, FileIssue> {
        let Value::Object(members) = value else { return Err(wrong_type(&at, "an object", value)) };
        if let Some(name) = members.keys().find(|name| !known.contains(&name.as_str())) {
            let near = similar::nearest_name(name, known.iter().copied());
            let hint = near.map_or_else(
                || format!("known are {}", known.join(", ")),
                |near| format!("did you mean {near:?}?"),
            );
            return Err(file_issue(
                &at.child(name.as_str()),
                format!("{name:?} is unknown; {hint}"),
            ));
        }
        Ok(Self { members, at })
    }

    /// A member that is there and not null, with its place.
    #[must_use]
    pub fn non_null_value(&self, name: &str) -> Option<(&'v Value, Pointer)> {
        let value = self.members.get(name).filter(|value| !value.is_null())?;
        Some((value, self.at.child(name)))
    }

    /// A name; none where null is.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read_name(&self, name: &str) -> Result<Option<Name>, FileIssue> {
        match self.non_null_value(name) {
            None => Ok(None),
            Some((Value::String(text), _)) => Ok(Some(text.as_str().into())),
            Some((other, at)) => Err(wrong_type(&at, "a text", other)),
        }
    }

    /// A list of names; none where null is.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read_names(&self, name: &str) -> Result<Option<Vec<Name>>, FileIssue> {
        let Some((value, at)) = self.non_null_value(name) else { return Ok(None) };
        let Value::Array(items) = value else {
            return Err(wrong_type(&at, "a list of texts", value));
        };
        let name = |(row, item): (usize, &Value)| {
            item.as_str().map(Name::from).ok_or_else(|| wrong_type(&at.item(row), "a text", item))
        };
        items.iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
    }

    /// How a call ended; none where null is.
    ///
    /// # Errors
    /// When no outcome's word is there.
    pub fn read_outcome(&self, name: &str) -> Result<Option<Outcome>, FileIssue> {
        let Some(word) = self.read_name(name)? else { return Ok(None) };
        outcome_at(&word, &self.at.child(name)).map(Some)
    }

    /// How a call may have ended: an outcome, or a list of them; none where nothing is.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read_outcomes(&self, name: &str) -> Result<Vec<Outcome>, FileIssue> {
        let Some(Value::Array(items)) = self.members.get(name) else {
            return Ok(self.read_outcome(name)?.into_iter().collect());
        };
        let outcome = |(row, item): (usize, &Value)| {
            let at = self.at.child(name).item(row);
            let word = item.as_str().ok_or_else(|| wrong_type(&at, "an outcome", item))?;
            outcome_at(word, &at)
        };
        items.iter().enumerate().map(outcome).collect()
    }

    /// A number of times, at least one.
    ///
    /// # Errors
    /// When something else is there, or more than anybody means.
    pub fn read_count(&self, name: &str) -> Result<Option<u32>, FileIssue> {
        let Some(value) = self.members.get(name) else { return Ok(None) };
        // `1e3` is a whole number, too.
        let is_count =
            |count: &f64| count.fract() == 0.0 && (1.0..=f64::from(MOST_TIMES)).contains(count);
        let count = value.as_f64().filter(is_count).map(|count| Some(count as u32));
        let wanted = format!("a whole number from 1 to {MOST_TIMES}");
        count.ok_or_else(|| wrong_type(&self.at.child(name), &wanted, value))
    }

    /// A text that is not empty.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read_text(&self, name: &str) -> Result<Option<String>, FileIssue> {
        match self.members.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
            Some(empty @ Value::String(_)) => {
                Err(wrong_type(&self.at.child(name), "a text that isn't empty", empty))
            }
            Some(other) => Err(wrong_type(&self.at.child(name), "a text", other)),
        }
    }

    /// A text, or a list of texts; none where nothing is.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read_texts(&self, name: &str) -> Result<Vec<String>, FileIssue> {
        let at = self.at.child(name);
        match self.members.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(one)) => Ok(vec![one.clone()]),
            Some(Value::Array(items)) => {
                let text = |(row, item): (usize, &Value)| match item {
                    Value::String(text) => Ok(text.clone()),
                    other => Err(wrong_text(&at.child(row.to_string()), "a text", other)),
                };
                items.iter().enumerate().map(text).collect()
            }
            Some(other) => Err(wrong_text(&at, "a text or a list of texts", other)),
        }
    }

    /// A span of time as [`duration_of`] reads it, longer than nothing.
    ///
    /// # Errors
    /// When something else is there.
    pub fn read_duration(&self, name: &str) -> Result<Option<Duration>, FileIssue> {
        match self.members.get(name) {
            None => Ok(None),
            Some(value) => duration_of(value).map(Some).ok_or_else(|| {
                wrong_type(&self.at.child(name), &format!("a time such as {EXAMPLES}"), value)
            }),
        }
    }
}

/// More times are a mistake.
const MOST_TIMES: u32 = 1_000;

fn outcome_at(word: &str, at: &Pointer) -> Result<Outcome, FileIssue> {
    let unknown = || {
        let words = Outcome::ALL.map(Outcome::as_str).join(", ");
        file_issue(at, format!("{word:?} isn't an outcome: use one of {words}"))
    };
    Outcome::of_word(word).ok_or_else(unknown)
}

/// What is wrong at a place.
pub(crate) fn file_issue(at: &Pointer, message: impl Into<String>) -> FileIssue {
    FileIssue { at: at.clone(), message: message.into() }
}

/// The same where a text must be: what looks like another value is written in quotes.
fn wrong_text(at: &Pointer, wanted: &str, found: &Value) -> FileIssue {
    match found {
        Value::Number(_) | Value::Bool(_) => {
            let issue = wrong_type(at, wanted, found);
            FileIssue { message: format!("{}: write \"{found}\"", issue.message), ..issue }
        }
        _ => wrong_type(at, wanted, found),
    }
}

/// That something else was found than must stand there.
#[must_use]
pub(crate) fn wrong_type(at: &Pointer, wanted: &str, found: &Value) -> FileIssue {
    let found = match found {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string().chars().take(40).collect(),
    };
    file_issue(at, format!("expected {wanted}, found {found}"))
}
