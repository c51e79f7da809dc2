//! A path that says what of a JSON answer is looked at: `/rows/*/name`, written as the places that
//! `ignore` of a case names.

use serde_json::Value;

use crate::schema::{phrase::value_text, pointer::Pointer};

/// In a path: every item of a list, or every member of an object.
const EVERY: &str = "*";

/// Where something is in a value, or where several things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query(Pointer);

impl Query {
    /// Reads a path.
    ///
    /// # Errors
    /// Says how one is written, where the text is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("{text:?} is no path: write /rows/0/name, or /rows/*/name for that of each row")
        };
        match Pointer::parse(text) {
            Ok(at) if !at.is_root() => Ok(Self(at)),
            _ => Err(wrong()),
        }
    }

    /// The path as it is written.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.to_string()
    }

    /// What is there, in its order. A `*` on an empty list selects nothing, and that is an answer,
    /// too; `None`: there is no such place.
    #[must_use]
    pub fn select<'v>(&self, value: &'v Value) -> Option<Vec<(Pointer, &'v Value)>> {
        let mut found = Vec::new();
        let is_place = add_found(Pointer::root(), value, self.0.tokens(), &mut found);
        is_place.then_some(found)
    }

    /// What is there, as JSON: the value, or where the path has a `*` a list of all values.
    #[must_use]
    pub fn to_json(&self, value: &Value) -> Option<Value> {
        let found = self.select(value)?;
        let mut values = found.into_iter().map(|(_, value)| value.clone());
        match self.has_every() {
            true => Some(values.collect()),
            false => values.next(),
        }
    }

    /// What is there, to read: the value, or where the path has a `*` a line for each; a text
    /// without quotes.
    #[must_use]
    pub fn to_text(&self, value: &Value) -> Option<String> {
        let found = self.select(value)?;
        let lines = found.into_iter().map(|(_, value)| match value {
            Value::Array(_) | Value::Object(_) if !self.has_every() => format!("{value:#}\n"),
            value => format!("{}\n", value_text(value)),
        });
        Some(lines.collect())
    }

    fn has_every(&self) -> bool {
        self.0.tokens().iter().any(|token| token == EVERY)
    }
}

/// Adds what is at the rest of a path; whether that is a place at all.
fn add_found<'v>(
    at: Pointer,
    value: &'v Value,
    rest: &[String],
    found: &mut Vec<(Pointer, &'v Value)>,
) -> bool {
    let Some((token, rest)) = rest.split_first() else {
        found.push((at, value));
        return true;
    };
    let mut is_place = false;
    match value {
        Value::Array(items) if token == EVERY => {
            is_place = items.is_empty();
            for (row, item) in items.iter().enumerate() {
                is_place |= add_found(at.item(row), item, rest, found);
            }
        }
        Value::Object(members) if token == EVERY => {
            is_place = members.is_empty();
            for (name, member) in members {
                is_place |= add_found(at.child(name), member, rest, found);
            }
        }
        Value::Array(items) => {
            if let Some((row, item)) =
                token.parse::<usize>().ok().and_then(|row| Some((row, items.get(row)?)))
            {
                is_place = add_found(at.item(row), item, rest, found);
            }
        }
        Value::Object(members) => {
            if let Some(member) = members.get(token) {
                is_place = add_found(at.child(token), member, rest, found);
            }
        }
        _ => {}
    }
    is_place
}

/// An answer as JSON: its text, else the data that came beside the text.
///
/// # Errors
/// Says why the text is no JSON, where no data came either.
pub fn answer_json(text: &str, structured: Option<&str>) -> Result<Value, String> {
    serde_json::from_str(text).or_else(|error| {
        let data = structured.and_then(|data| serde_json::from_str(data).ok());
        data.ok_or_else(|| format!("the answer is not JSON ({error})"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text_of(path: &str, value: &Value) -> Option<String> {
        Query::parse(path).unwrap().to_text(value)
    }

    #[test]
    fn a_path_selects_a_value_or_one_of_each_item() {
        let value = json!({
            "rows": [{"name": "Ada", "tags": {"a": 1}}, {"name": "Bo"}, {}],
            "none": [],
            "a/b": 1.50,
        });
        assert_eq!(text_of("/rows/*/name", &value).as_deref(), Some("Ada\nBo\n"));
        assert_eq!(text_of("/rows/1/name", &value).as_deref(), Some("Bo\n"));
        assert_eq!(text_of("/rows/0/tags/*", &value).as_deref(), Some("1\n"));
        assert_eq!(text_of("/a~1b", &value).as_deref(), Some("1.5\n"));
        assert_eq!(text_of("/rows/1", &value).as_deref(), Some("{\n  \"name\": \"Bo\"\n}\n"));
        assert_eq!(text_of("/none/*/name", &value).as_deref(), Some(""));
        for nowhere in ["/rowz/*", "/rows/9", "/rows/*/nam", "/rows/0/name/*", "/rows/"] {
            assert_eq!(text_of(nowhere, &value), None, "{nowhere}");
        }
        let json_of = |path: &str| Query::parse(path).unwrap().to_json(&value);
        assert_eq!(json_of("/rows/*/name"), Some(json!(["Ada", "Bo"])));
        assert_eq!(json_of("/rows/0/name"), Some(json!("Ada")));
        assert_eq!((json_of("/none/*"), json_of("/nothing")), (Some(json!([])), None));
        let places = Query::parse("/rows/*/name").unwrap();
        let places: Vec<String> =
            places.select(&value).unwrap().iter().map(|(at, _)| at.to_string()).collect();
        assert_eq!(places, ["/rows/0/name", "/rows/1/name"]);
    }

    #[test]
    fn what_is_no_path_says_how_one_is_written() {
        for text in ["", "rows", "$.rows", "/a~b"] {
            let wrong = Query::parse(text).unwrap_err();
            assert!(wrong.contains("write /rows/0/name"), "{wrong}");
        }
    }

    #[test]
    fn data_beside_a_text_that_is_no_json_is_the_answer() {
        assert_eq!(answer_json("[1]", Some("{}")), Ok(json!([1])));
        assert_eq!(answer_json("one row", Some(r#"{"rows":1}"#)), Ok(json!({"rows": 1})));
        assert!(answer_json("one row", None).unwrap_err().starts_with("the answer is not JSON"));
    }
}
