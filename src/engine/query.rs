//! What of an answer is looked at: a path such as `/rows/*/name`, written as the places that `ignore`
//! of a case names, with conditions where it goes through a list; or a text, for the lines that have
//! it.

use serde_json::{Deserializer, Value};

use crate::schema::{count::count_text, phrase::value_text, pointer::Pointer};

/// In a path: every item of a list, or every member of an object.
const EVERY: &str = "*";
/// So many values are looked for within a text.
const MOST_TRIES: usize = 200;

/// Where something is in a value, or where several things are; or what lines have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    text: String,
    wanted: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    Path(Vec<Step>),
    /// In small letters.
    LinesWith(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    /// Each for which all of these hold.
    Every(Vec<Condition>),
}

/// What holds of an item: `status=open`, `price>10`, `name*=bas`, or `name` alone, which is there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    at: Pointer,
    /// With the text that the value is held against.
    compared: Option<(Comparison, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Is,
    IsNot,
    Has,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// The longer signs first.
const SIGNS: [(&str, Comparison); 7] = [
    ("!=", Comparison::IsNot),
    ("*=", Comparison::Has),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::More),
    ("=", Comparison::Is),
];

/// What an answer says, ready to be looked at.
#[derive(Clone, Debug)]
pub struct AnswerData {
    text: String,
    value: Result<Value, String>,
}

/// What a query finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Where values are, and what they are; `is_list`: there may be any number of them.
    Values {
        values: Vec<(Pointer, Value)>,
        is_list: bool,
    },
    Lines(Vec<String>),
}

impl Query {
    /// Reads a path, which begins with `/`, or the text that lines are to have.
    ///
    /// # Errors
    /// Says how one is written, where the text is neither.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is no path: write /rows/0/name, /rows/*/name for that of each row, or \
                 /rows/*[status=open]/name; a word alone shows the lines that have it"
            )
        };
        let wanted = match text.strip_prefix('/') {
            Some(path) => Wanted::Path(read_path(path).ok_or_else(wrong)?),
            // As paths are written elsewhere.
            None if text.is_empty() || text.starts_with(['$', '.']) => return Err(wrong()),
            None => Wanted::LinesWith(text.to_lowercase()),
        };
        Ok(Self { text: text.to_owned(), wanted })
    }

    /// The query as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it finds in an answer. A `*` on an empty list, or on one of which no item meets the
    /// conditions, finds nothing, and that is an answer, too.
    ///
    /// # Errors
    /// Says why nothing can be found: there is no such place, or no line has the text.
    pub fn find(&self, answer: &AnswerData) -> Result<Found, String> {
        match &self.wanted {
            Wanted::Path(steps) => {
                let value = answer.value.as_ref().map_err(|why| {
                    format!("the answer is not JSON ({why}); a word shows the lines that have it")
                })?;
                let mut found = Vec::new();
                if !add_found(Pointer::root(), value, steps, &mut found) {
                    return Err("there is nothing".to_owned());
                }
                let values = found.into_iter().map(|(at, value)| (at, value.clone())).collect();
                let is_list = steps.iter().any(|step| matches!(step, Step::Every(_)));
                Ok(Found::Values { values, is_list })
            }
            Wanted::LinesWith(wanted) => {
                let has = |line: &&str| line.to_lowercase().contains(wanted.as_str());
                let lines: Vec<String> =
                    answer.text.lines().filter(has).map(str::to_owned).collect();
                match lines.is_empty() {
                    true => Err(format!("no line has {:?}; a path begins with /", self.text)),
                    false => Ok(Found::Lines(lines)),
                }
            }
        }
    }
}

impl AnswerData {
    /// Reads an answer; `structured` is the JSON of the data that came beside its text.
    #[must_use]
    pub fn read(text: &str, structured: Option<&str>) -> Self {
        let value = answer_json(text, structured).map_err(|error| error.to_string());
        let is_line = !text.trim().contains('\n');
        let text = match &value {
            // JSON in one line, or with no text.
            Ok(value @ (Value::Array(_) | Value::Object(_))) if is_line => format!("{value:#}"),
            _ => text.to_owned(),
        };
        Self { text, value }
    }

    /// What it is as JSON.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref().ok()
    }
}

impl Found {
    /// As JSON: the value, or a list of all values or lines.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Values { values, is_list: false } => {
                values.first().map_or(Value::Null, |(_, value)| value.clone())
            }
            Self::Values { values, .. } => values.iter().map(|(_, value)| value.clone()).collect(),
            Self::Lines(lines) => lines.iter().map(String::as_str).collect(),
        }
    }

    /// To read: the value, or a line for each; a text without quotes.
    #[must_use]
    pub fn to_text(&self) -> String {
        let of_value = |value: &Value, is_list: bool| match value {
            Value::Array(_) | Value::Object(_) if !is_list => format!("{value:#}\n"),
            value => format!("{}\n", value_text(value)),
        };
        match self {
            Self::Values { values, is_list } => {
                values.iter().map(|(_, value)| of_value(value, *is_list)).collect()
            }
            Self::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        }
    }

    /// How much it is.
    #[must_use]
    pub fn count_words(&self) -> String {
        match self {
            Self::Values { values, .. } => count_text(values.len(), "value", "values"),
            Self::Lines(lines) => count_text(lines.len(), "line", "lines"),
        }
    }
}

fn read_path(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = Some(path);
    while let Some(path) = rest {
        let (step, after) = read_step(path)?;
        steps.push(step);
        rest = match after {
            "" => None,
            after => Some(after.strip_prefix('/')?),
        };
    }
    Some(steps)
}

/// A step of a path, and what follows it.
fn read_step(path: &str) -> Option<(Step, &str)> {
    if path.starts_with("*[") {
        let mut conditions = Vec::new();
        let mut rest = &path[EVERY.len()..];
        while let Some(inner) = rest.strip_prefix('[') {
            let (condition, after) = read_condition(inner)?;
            conditions.push(condition);
            rest = after;
        }
        return Some((Step::Every(conditions), rest));
    }
    let end = path.find('/').unwrap_or(path.len());
    let (token, rest) = path.split_at(end);
    let step = match token {
        EVERY => Step::Every(Vec::new()),
        token => Step::Member(Pointer::parse(&format!("/{token}")).ok()?.last()?.to_owned()),
    };
    Some((step, rest))
}

/// A condition up to its bracket, and what follows that.
fn read_condition(text: &str) -> Option<(Condition, &str)> {
    let end = text.find(['=', '!', '*', '<', '>', ']'])?;
    let (name, rest) = text.split_at(end);
    let name = name.trim();
    let at = match name {
        "" => Pointer::root(),
        name => Pointer::parse(&format!("/{name}")).ok()?,
    };
    if let Some(after) = rest.strip_prefix(']') {
        let condition = Condition { at, compared: None };
        return (!name.is_empty()).then_some((condition, after));
    }
    let (sign, comparison) = SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
    let value = rest[sign.len()..].trim_start();
    let (value, after) = match value.starts_with('"') {
        true => {
            let mut texts = Deserializer::from_str(value).into_iter::<String>();
            let text = texts.next()?.ok()?;
            (text, value[texts.byte_offset()..].trim_start().strip_prefix(']')?)
        }
        false => {
            let (value, after) = value.split_once(']')?;
            (value.trim().to_owned(), after)
        }
    };
    Some((Condition { at, compared: Some((comparison, value)) }, after))
}

impl Condition {
    fn holds(&self, item: &Value) -> bool {
        let value = self.at.get(item);
        let Some((comparison, wanted)) = &self.compared else {
            return value.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
        };
        let Some(value) = value else { return *comparison == Comparison::IsNot };
        let text = value_text(value);
        let number = value.as_f64().zip(wanted.parse::<f64>().ok());
        let order = match number {
            Some((number, wanted)) => number.partial_cmp(&wanted),
            None => Some(text.as_str().cmp(wanted)),
        };
        let is_same = order.is_some_and(|order| order.is_eq());
        match comparison {
            Comparison::Is => is_same,
            Comparison::IsNot => !is_same,
            Comparison::Has => text.to_lowercase().contains(&wanted.to_lowercase()),
            Comparison::Less => order.is_some_and(|order| order.is_lt()),
            Comparison::AtMost => order.is_some_and(|order| order.is_le()),
            Comparison::More => order.is_some_and(|order| order.is_gt()),
            Comparison::AtLeast => order.is_some_and(|order| order.is_ge()),
        }
    }
}

fn all_hold(conditions: &[Condition], item: &Value) -> bool {
    conditions.iter().all(|condition| condition.holds(item))
}

/// Adds what is at the rest of a path; whether that is a place at all.
fn add_found<'v>(
    at: Pointer,
    value: &'v Value,
    rest: &[Step],
    found: &mut Vec<(Pointer, &'v Value)>,
) -> bool {
    let Some((step, rest)) = rest.split_first() else {
        found.push((at, value));
        return true;
    };
    let inner: Vec<(Pointer, &'v Value)> = match (value, step) {
        (Value::Array(items), Step::Every(conditions)) => {
            let items = items.iter().enumerate().filter(|(_, item)| all_hold(conditions, item));
            items.map(|(row, item)| (at.item(row), item)).collect()
        }
        (Value::Object(members), Step::Every(conditions)) => {
            let members = members.iter().filter(|(_, member)| all_hold(conditions, member));
            members.map(|(name, member)| (at.child(name), member)).collect()
        }
        (Value::Array(items), Step::Member(token)) => {
            let item = token.parse::<usize>().ok().and_then(|row| Some((row, items.get(row)?)));
            let Some((row, item)) = item else { return false };
            vec![(at.item(row), item)]
        }
        (Value::Object(members), Step::Member(token)) => {
            let Some(member) = members.get(token) else { return false };
            vec![(at.child(token), member)]
        }
        _ => return false,
    };
    let mut is_place = inner.is_empty();
    for (at, value) in inner {
        is_place |= add_found(at, value, rest, found);
    }
    is_place
}

/// An answer as JSON: its text, else the data that came beside the text; else a list of what its
/// pieces or its lines are, or the largest JSON that is within it. JSON that is cut off is none.
///
/// # Errors
/// When nothing of it is JSON: why its text isn't.
pub fn answer_json(text: &str, structured: Option<&str>) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        let data = structured.and_then(|data| serde_json::from_str(data).ok());
        let begins = text.trim_start();
        let is_begun = begins.starts_with(['{', '[']);
        let is_cut = is_begun && begins.lines().next().is_none_or(|line| read_line(line).is_none());
        data.or_else(|| value_of_pieces(text))
            .or_else(|| value_of_lines(text).filter(|_| !is_cut))
            .or_else(|| value_within(text).filter(|_| !is_begun))
            .ok_or(error)
    })
}

fn is_compound(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// Values that follow each other, as in a stream.
fn value_of_pieces(text: &str) -> Option<Value> {
    let values = Deserializer::from_str(text).into_iter::<Value>();
    let values: Vec<Value> = values.collect::<Result<_, _>>().ok()?;
    (values.len() > 1 && values.iter().any(is_compound)).then_some(Value::Array(values))
}

/// The lines that are JSON, where several are, also those of server-sent events.
fn value_of_lines(text: &str) -> Option<Value> {
    let values: Vec<Value> = text.lines().filter_map(read_line).collect();
    (values.len() > 1).then_some(Value::Array(values))
}

fn read_line(line: &str) -> Option<Value> {
    let line = line.trim();
    let line = line.strip_prefix("data:").unwrap_or(line);
    serde_json::from_str::<Value>(line).ok().filter(is_compound)
}

/// The longest value within a text: an object, or a list that isn't one of plain values, as `[1]` is
/// in any text.
fn value_within(text: &str) -> Option<Value> {
    let is_one = |value: &Value| match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => items.iter().any(is_compound),
        _ => false,
    };
    let mut longest: Option<(usize, Value)> = None;
    let mut at = 0;
    for _ in 0..MOST_TRIES {
        let Some(start) = text[at..].find(['{', '[']).map(|found| at + found) else { break };
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        at = start + 1;
        let Some(Ok(value)) = values.next() else { continue };
        let length = values.byte_offset();
        at = start + length;
        if is_one(&value) && longest.as_ref().is_none_or(|(known, _)| length > *known) {
            longest = Some((length, value));
        }
    }
    longest.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(query: &str, answer: &str) -> Result<Found, String> {
        Query::parse(query).unwrap().find(&AnswerData::read(answer, None))
    }

    fn text_of(query: &str, answer: &str) -> Option<String> {
        found(query, answer).ok().map(|found| found.to_text())
    }

    const ROWS: &str = r#"{
        "rows": [{"name": "Ada", "tags": {"a": 1}}, {"name": "Bo"}, {}],
        "none": [],
        "a/b": 1.50
    }"#;

    #[test]
    fn a_path_selects_a_value_or_one_of_each_item() {
        let text = |path: &str| text_of(path, ROWS);
        assert_eq!(text("/rows/*/name").as_deref(), Some("Ada\nBo\n"));
        assert_eq!(text("/rows/1/name").as_deref(), Some("Bo\n"));
        assert_eq!(text("/rows/0/tags/*").as_deref(), Some("1\n"));
        assert_eq!(text("/a~1b").as_deref(), Some("1.50\n"));
        assert_eq!(text("/rows/1").as_deref(), Some("{\n  \"name\": \"Bo\"\n}\n"));
        assert_eq!(text("/none/*/name").as_deref(), Some(""));
        for nowhere in ["/rowz/*", "/rows/9", "/rows/*/nam", "/rows/0/name/*", "/rows/"] {
            assert_eq!(text(nowhere), None, "{nowhere}");
        }
        let json_of = |path: &str| found(path, ROWS).ok().map(|found| found.to_json());
        assert_eq!(json_of("/rows/*/name"), Some(json!(["Ada", "Bo"])));
        assert_eq!(json_of("/rows/0/name"), Some(json!("Ada")));
        assert_eq!((json_of("/none/*"), json_of("/nothing")), (Some(json!([])), None));
        let Ok(Found::Values { values, .. }) = found("/rows/*/name", ROWS) else {
            unreachable!("a path finds values")
        };
        let places: Vec<String> = values.iter().map(|(at, _)| at.to_string()).collect();
        assert_eq!(places, ["/rows/0/name", "/rows/1/name"]);
    }

    #[test]
    fn conditions_choose_among_items() {
        let rows = json!({"rows": [
            {"id": 1, "status": "open", "price": 9.5, "at": "2026-01-02", "of": {"name": "a/b"}},
            {"id": 2, "status": "done", "price": 10, "at": "2026-02-01", "of": {"name": "x]y"}},
            {"id": 3, "status": "Open again", "price": 11, "is_new": true},
        ], "tags": ["red", "blue"]})
        .to_string();
        for (path, ids) in [
            ("/rows/*[status=open]/id", "1"),
            ("/rows/*[status!=open]/id", "2 3"),
            ("/rows/*[status*=open]/id", "1 3"),
            ("/rows/*[price>=10]/id", "2 3"),
            ("/rows/*[price>9.5][price<11]/id", "2"),
            ("/rows/*[ price <= 9.50 ]/id", "1"),
            ("/rows/*[at<2026-02]/id", "1"),
            ("/rows/*[of/name=a/b]/id", "1"),
            ("/rows/*[of/name=\"x]y\"]/id", "2"),
            ("/rows/*[is_new]/id", "3"),
            ("/rows/*[nothing=1]/id", ""),
            ("/tags/*[=blue]", "blue"),
        ] {
            let text = text_of(path, &rows).unwrap();
            assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), ids, "{path}");
        }
    }

    #[test]
    fn what_is_no_path_says_how_one_is_written() {
        for text in ["", "$.rows", ".rows", "/a~b", "/rows/*[a=1", "/rows/*[]", "/rows/*[a=1]b"] {
            let wrong = Query::parse(text).unwrap_err();
            assert!(wrong.contains("write /rows/0/name"), "{text}: {wrong}");
        }
    }

    #[test]
    fn a_word_shows_the_lines_that_have_it() {
        let log = "started\nERROR one\nfine\nan error, too";
        assert_eq!(text_of("error", log).as_deref(), Some("ERROR one\nan error, too\n"));
        assert_eq!(found("error", log).unwrap().to_json(), json!(["ERROR one", "an error, too"]));
        let line = r#"{"a":1,"b":2}"#;
        assert_eq!(text_of("b", line).as_deref(), Some("  \"b\": 2\n"));
        assert!(found("rows/0", line).unwrap_err().contains("a path begins with /"));
        assert!(found("/a", log).unwrap_err().starts_with("the answer is not JSON"));
    }

    #[test]
    fn json_is_found_beside_a_text_and_within_it() {
        let read = |text: &str, data: Option<&str>| answer_json(text, data).ok();
        assert_eq!(read("[1]", Some("{}")), Some(json!([1])));
        assert_eq!(read("one row", Some(r#"{"rows":1}"#)), Some(json!({"rows": 1})));
        assert_eq!(read("{\"a\":1}{\"a\":2}\n[3]", None), Some(json!([{"a": 1}, {"a": 2}, [3]])));
        let events = "event: x\ndata: {\"a\":1}\n\ndata: {\"a\":2}\ndata: [DONE]\n";
        assert_eq!(read(events, None), Some(json!([{"a": 1}, {"a": 2}])));
        let fenced = "As [1] says:\n```json\n{\"rows\": [{\"id\": 7}]}\n```\nand {}.";
        assert_eq!(read(fenced, None), Some(json!({"rows": [{"id": 7}]})));
        for text in ["one row", "as [1] says", "1 2", "{\"a\": ", &"[".repeat(100_000)] {
            assert_eq!(read(text, None), None, "{:.20}", text);
        }
    }
}
