//! JSONPath as the framework reads it (Jayway's): a path without a choice gives one value, every
//! other a list; `$.` may be missing; a filter on an object tests that object.
//!
//! What a filter says is left to `serde_json_path`; the steps around it differ too much from the
//! RFC's.

use serde_json::{Map, Value};

use crate::schema::pointer::Pointer;

/// How long a path may be, and how deep its brackets may nest.
const LONGEST: usize = 4_096;
const DEEPEST: usize = 32;
/// So many places are kept at most: steps such as `..` and `[0,0]` multiply them.
const MOST_PLACES: usize = 100_000;

/// A path that can be asked.
#[derive(Clone, Debug)]
pub struct JsonPath {
    steps: Vec<Step>,
    /// It asks how many there are.
    counts: bool,
}

#[derive(Clone, Debug)]
enum Step {
    /// `.a`, `['a','b']`.
    Names(Vec<String>),
    /// `[0]`, `[0,-1]`.
    Indices(Vec<i64>),
    /// `[1:]`.
    Slice(Option<i64>, Option<i64>),
    /// `.*`, `[*]`.
    Every,
    /// `[?(@.a > 1)]`.
    Filter(serde_json_path::JsonPath),
    /// `..`: the step after it, at every depth.
    Deep,
}

impl Step {
    /// It gives one value at most.
    fn is_definite(&self) -> bool {
        match self {
            Self::Names(names) => names.len() == 1,
            Self::Indices(indices) => indices.len() == 1,
            Self::Slice(..) | Self::Every | Self::Filter(_) | Self::Deep => false,
        }
    }
}

/// A value and where it is.
type FoundValue<'v> = (Pointer, &'v Value);

/// Why a path gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathMiss {
    /// It leads nowhere.
    NotFound,
    /// It cannot be asked of such a value.
    Unreadable,
    /// It leads to more than [`MOST_PLACES`] places.
    TooMany,
}

/// A document as paths see it: JSON, or a bare text. `None` where it begins as JSON and is none.
#[must_use]
pub fn read_document(text: &str) -> Option<Value> {
    let bare = text.trim_matches(|letter| letter <= ' ');
    match serde_json::from_str(text) {
        Ok(value) => Some(value),
        Err(_) if bare.is_empty() || bare.starts_with(['{', '[', '}', ']', ':', '"', '\'']) => None,
        Err(_) => Some(bare.into()),
    }
}

impl JsonPath {
    /// Reads a path.
    ///
    /// # Errors
    /// When it is none, with what was expected; also for those functions and operators of Jayway's
    /// that are not read here.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("a path is expected, such as $.hits.hits".into());
        }
        if text.len() > LONGEST {
            return Err(format!("a path has at most {LONGEST} letters"));
        }
        if text.ends_with('.') {
            return Err("a path does not end in a dot".into());
        }
        let whole = if text.starts_with('$') { text.to_owned() } else { format!("$.{text}") };
        let mut steps = Vec::new();
        let mut rest = &whole[1..];
        while !rest.is_empty() {
            if let Some(counts) = read_function(rest)? {
                return Ok(Self { steps, counts });
            }
            rest = read_step(rest, &mut steps)?;
        }
        Ok(Self { steps, counts: false })
    }

    /// Whether it gives one value, and not a list.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        let last = self.steps.len().saturating_sub(1);
        self.steps.iter().enumerate().all(|(at, step)| {
            // Several names at the end make one object.
            step.is_definite() || at == last && matches!(step, Step::Names(_))
        })
    }

    /// What it picks; `None` where it leads nowhere.
    #[must_use]
    pub fn read(&self, value: &Value) -> Option<Value> {
        self.try_read(value).ok()
    }

    /// What it picks.
    ///
    /// # Errors
    /// When it picks nothing, with the reason.
    pub fn try_read(&self, value: &Value) -> Result<Value, PathMiss> {
        if value.is_null() {
            return Err(PathMiss::Unreadable);
        }
        if self.counts { self.count_found(value) } else { self.read_value(value) }
    }

    /// How many items or members each value has that it leads to.
    fn count_found(&self, value: &Value) -> Result<Value, PathMiss> {
        let count = |value: &Value| match value {
            Value::Array(items) => items.len().into(),
            Value::Object(members) => members.len().into(),
            _ => Value::Null,
        };
        let found = walk(value, &self.steps)?;
        if self.steps.iter().all(Step::is_definite) {
            return found.first().map(|(_, value)| count(value)).ok_or(PathMiss::NotFound);
        }
        // At every depth they are counted together.
        if matches!(self.steps.first(), Some(Step::Deep)) {
            let counts = found.iter().filter_map(|(_, value)| count(value).as_u64());
            return Ok(counts.sum::<u64>().into());
        }
        Ok(found.into_iter().map(|(_, value)| count(value)).collect())
    }

    fn read_value(&self, value: &Value) -> Result<Value, PathMiss> {
        if let Some((Step::Names(names), before)) = self.steps.split_last()
            && names.len() > 1
        {
            let found = walk(value, before)?;
            let mut merged = found.iter().filter_map(|(_, value)| merge_members(value, names));
            return if self.is_definite() {
                merged.next().ok_or(PathMiss::NotFound)
            } else {
                Ok(merged.collect())
            };
        }
        let found = walk(value, &self.steps)?;
        if self.is_definite() {
            let first = found.first().map(|(_, value)| (*value).clone());
            return first.ok_or(PathMiss::NotFound);
        }
        Ok(found.into_iter().map(|(_, value)| value.clone()).collect())
    }

    /// Where it leads to; nothing where it leads nowhere.
    #[must_use]
    pub fn locate(&self, value: &Value) -> Vec<Pointer> {
        let found = walk(value, &self.steps).unwrap_or_default();
        found.into_iter().map(|(at, _)| at).collect()
    }
}

/// An object of those members that a value has.
fn merge_members(value: &Value, names: &[String]) -> Option<Value> {
    let members = value.as_object()?;
    let merged: Map<String, Value> =
        names.iter().filter_map(|name| Some((name.clone(), members.get(name)?.clone()))).collect();
    Some(merged.into())
}

fn walk<'v>(value: &'v Value, steps: &[Step]) -> Result<Vec<FoundValue<'v>>, PathMiss> {
    let mut found = vec![(Pointer::root(), value)];
    let mut is_definite = true;
    let mut steps = steps.iter();
    while let Some(step) = steps.next() {
        let mut next = Vec::new();
        if let Step::Deep = step {
            let Some(inner) = steps.next() else { return Err(PathMiss::NotFound) };
            for (at, value) in &found {
                apply_at_every_depth(inner, at, value, &mut next);
                if next.len() > MOST_PLACES {
                    return Err(PathMiss::TooMany);
                }
            }
            is_definite = false;
        } else {
            for (at, value) in &found {
                let applied = apply_step(step, at, value, &mut next);
                if is_definite {
                    applied?;
                }
                if next.len() > MOST_PLACES {
                    return Err(PathMiss::TooMany);
                }
            }
            // A place that a list does not have is no failure, where what follows gives a list.
            if is_definite
                && matches!(step, Step::Names(names) if names.len() == 1)
                && next.is_empty()
            {
                return Err(PathMiss::NotFound);
            }
            is_definite &= step.is_definite();
        }
        found = next;
    }
    Ok(found)
}

/// Adds what a step gives of a value, or says that it gives nothing of such a value.
fn apply_step<'v>(
    step: &Step,
    at: &Pointer,
    value: &'v Value,
    to: &mut Vec<FoundValue<'v>>,
) -> Result<(), PathMiss> {
    match (step, value) {
        (Step::Names(names), Value::Object(members)) => {
            for name in names {
                if let Some(member) = members.get(name) {
                    to.push((at.child(name), member));
                }
            }
        }
        (Step::Indices(indices), Value::Array(items)) => {
            for index in indices {
                if let Some(place) = place_of(*index, items.len())
                    && let Some(item) = items.get(place)
                {
                    to.push((at.item(place), item));
                }
            }
        }
        (Step::Slice(from, until), Value::Array(items)) => {
            let clamp = |place: i64| {
                let place = if place < 0 { place + items.len() as i64 } else { place };
                usize::try_from(place.max(0)).unwrap_or(0).min(items.len())
            };
            let until = until.map_or(items.len(), clamp);
            let first = from.map_or(0, clamp);
            let taken = items.iter().enumerate().take(until).skip(first);
            to.extend(taken.map(|(place, item)| (at.item(place), item)));
        }
        (Step::Every, Value::Object(_) | Value::Array(_)) => to.extend(children(at, value)),
        (Step::Every, _) => {}
        (Step::Filter(filter), Value::Array(items)) => {
            for (place, item) in items.iter().enumerate() {
                if is_accepted(filter, item) {
                    to.push((at.item(place), item));
                }
            }
        }
        (Step::Filter(filter), Value::Object(_)) => {
            if is_accepted(filter, value) {
                to.push((at.clone(), value));
            }
        }
        (Step::Filter(_), _) => return Err(PathMiss::Unreadable),
        _ => return Err(PathMiss::NotFound),
    }
    Ok(())
}

fn apply_at_every_depth<'v>(
    step: &Step,
    at: &Pointer,
    value: &'v Value,
    to: &mut Vec<FoundValue<'v>>,
) {
    // An item that a filter takes is found when the item itself is looked at.
    let is_for_items = matches!(step, Step::Filter(_)) && value.is_array();
    if !is_for_items {
        // What has no such member is passed over.
        let _ = apply_step(step, at, value, to);
    }
    for (at, child) in children(at, value) {
        if to.len() > MOST_PLACES {
            return;
        }
        apply_at_every_depth(step, &at, child, to);
    }
}

fn children<'v>(at: &Pointer, value: &'v Value) -> Vec<FoundValue<'v>> {
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, member)| (at.child(name), member)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(place, item)| (at.item(place), item)).collect()
        }
        _ => Vec::new(),
    }
}

fn is_accepted(filter: &serde_json_path::JsonPath, value: &Value) -> bool {
    !filter.query(&Value::Array(vec![value.clone()])).is_empty()
}

fn place_of(index: i64, length: usize) -> Option<usize> {
    usize::try_from(if index < 0 { index + i64::try_from(length).ok()? } else { index }).ok()
}

/// Whether a path ends here in a function, and counts.
fn read_function(rest: &str) -> Result<Option<bool>, String> {
    let Some(name) = rest.strip_suffix("()").and_then(|rest| rest.strip_prefix('.')) else {
        return Ok(None);
    };
    match name {
        "length" | "size" => Ok(Some(true)),
        _ if name.contains(['.', '[']) => Ok(None),
        _ => Err(format!("{name}() is not tried out here; length() is")),
    }
}

/// Reads the step that a text begins with, and gives what is behind it.
fn read_step<'t>(text: &'t str, steps: &mut Vec<Step>) -> Result<&'t str, String> {
    if let Some(inside) = text.strip_prefix('[') {
        let length = bracket_length(inside)?;
        steps.push(read_bracket(inside[..length].trim())?);
        return Ok(&inside[length + 1..]);
    }
    let Some(rest) = text.strip_prefix('.') else {
        return Err(format!("'.' or '[' is expected at {text}"));
    };
    if let Some(deeper) = rest.strip_prefix('.') {
        if matches!(steps.last(), Some(Step::Deep)) {
            return Err("'..' appears twice".into());
        }
        steps.push(Step::Deep);
        return if deeper.starts_with('[') { Ok(deeper) } else { read_name(deeper, steps) };
    }
    if rest.starts_with('[') {
        return Ok(rest);
    }
    read_name(rest, steps)
}

fn read_name<'t>(rest: &'t str, steps: &mut Vec<Step>) -> Result<&'t str, String> {
    let length = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(length);
    if name.is_empty() {
        return Err("a name is expected behind the dot".into());
    }
    if name.contains(char::is_whitespace) {
        return Err(format!("write a name with spaces in brackets: ['{name}']"));
    }
    if name.contains(['(', ')']) {
        return Err(format!("{name} is not tried out here; length() at the end is"));
    }
    steps.push(if name == "*" { Step::Every } else { Step::Names(vec![name.to_owned()]) });
    Ok(behind)
}

/// How much of a text is before the bracket that closes it.
fn bracket_length(text: &str) -> Result<usize, String> {
    let (mut depth, mut quote) = (0_usize, None);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[' | '(') => depth += 1,
            (None, ']') if depth == 0 => return Ok(at),
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
        if depth > DEEPEST {
            return Err(format!("brackets nest more than {DEEPEST} deep"));
        }
    }
    Err("']' is missing".into())
}

fn read_bracket(inside: &str) -> Result<Step, String> {
    if inside == "*" {
        return Ok(Step::Every);
    }
    if let Some(filter) = inside.strip_prefix('?') {
        return read_filter(filter.trim());
    }
    if inside.starts_with(['\'', '"']) {
        return read_names(inside).map(Step::Names);
    }
    let number = |text: &str| {
        text.trim().parse::<i64>().map_err(|_| format!("[{inside}] is no name, place or filter"))
    };
    if let Some((from, until)) = inside.split_once(':') {
        let bound = |text: &str| {
            if text.trim().is_empty() { Ok(None) } else { number(text).map(Some) }
        };
        return Ok(Step::Slice(bound(from)?, bound(until)?));
    }
    inside.split(',').map(number).collect::<Result<_, _>>().map(Step::Indices)
}

/// Names in quotes, with commas between them.
fn read_names(inside: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut rest = inside;
    loop {
        let mut letters = rest.chars();
        let Some(quote) = letters.next().filter(|letter| matches!(letter, '\'' | '"')) else {
            return Err(format!("names in brackets stand in quotes: [{inside}]"));
        };
        let mut name = String::new();
        loop {
            match letters.next() {
                None => return Err(format!("a quote is missing: [{inside}]")),
                Some('\\') => name.extend(letters.next()),
                Some(letter) if letter == quote => break,
                Some(letter) => name.push(letter),
            }
        }
        names.push(name);
        rest = letters.as_str().trim_start();
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind.trim_start(),
            None if rest.is_empty() => return Ok(names),
            None => return Err(format!("',' is expected between names: [{inside}]")),
        }
    }
}

fn read_filter(filter: &str) -> Result<Step, String> {
    serde_json_path::JsonPath::parse(&format!("$[?{filter}]"))
        .map(Step::Filter)
        .map_err(|_| format!("the filter {filter} is not read here: == != < > && || and ! are"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_that_multiplies_places_ends() {
        let value = (0..30).fold(json!(1), |inner, _| json!([inner]));
        for path in [format!("${}", "[0,0]".repeat(30)), format!("${}", "..*".repeat(12))] {
            let path = JsonPath::parse(&path).unwrap();
            assert_eq!(path.try_read(&value), Err(PathMiss::TooMany));
            assert_eq!(path.locate(&value), []);
        }
    }

    /// Each was run through Jayway's library, 2.10.
    #[test]
    fn paths_pick_what_jayway_picks() {
        let value = json!({
            "a": [{"x": 1, "y": 2}, {"x": 3, "z": {"x": 9}}], "o": {"x": 5}, "n": null,
            "a-b": {"@t": 1}, "l": [1, 2, 3], "s": "abc", "e": [[1], [2], []],
        });
        for (path, picked) in [
            ("$.a[0].x", Some(json!(1))),
            ("a[*].y", Some(json!([2]))),
            ("$.a.length()", Some(json!(2))),
            ("$.s.length()", Some(json!(null))),
            ("$.a[*].x.length()", Some(json!([null, null]))),
            ("$.a[*].q.length()", Some(json!([]))),
            ("$..q.length()", Some(json!(0))),
            ("$..e.length()", Some(json!(3))),
            ("$..x.length()", Some(json!(0))),
            ("$.l[7][*]", Some(json!([]))),
            ("$.l[7].x", None),
            ("$.a[0]['q','r'].length()", Some(json!([]))),
            ("$.q.length()", None),
            ("$.b[*].y", None),
            ("$.a[5]", None),
            ("$..nope", Some(json!([]))),
            ("$.a[0].x.z", None),
            ("$.n", Some(json!(null))),
            ("$.n.b", None),
            ("$.a[?(@.x>1)].x", Some(json!([3]))),
            ("$.o[?(@.x>1)]", Some(json!([{"x": 5}]))),
            ("$.a[0:1].x", Some(json!([1]))),
            ("$.a.x", None),
            ("$.a-b.@t", Some(json!(1))),
            ("$.a[*]['x','y']", Some(json!([{"x": 1, "y": 2}, {"x": 3}]))),
            ("$.a[0]['x','q']", Some(json!({"x": 1}))),
            ("$.a[*].q.z", Some(json!([]))),
            ("$.a[-1].x", Some(json!(3))),
            ("$..x", Some(json!([1, 3, 9, 5]))),
            ("$..[?(@.x>4)]", Some(json!([{"x": 9}, {"x": 5}]))),
            ("$.l[-2:]", Some(json!([2, 3]))),
            ("$.l[:-1]", Some(json!([1, 2]))),
            ("$.l[5,1]", Some(json!([2]))),
            ("$.s[0]", None),
            ("$.s[*]", Some(json!([]))),
            ("$.e[*][0]", Some(json!([1, 2]))),
            ("$['o','n'].x", Some(json!([5]))),
        ] {
            assert_eq!(JsonPath::parse(path).unwrap().read(&value), picked, "{path}");
        }
        for (text, document) in
            [("null", Some(json!(null))), (" plain text\n", Some(json!("plain text")))]
        {
            assert_eq!(read_document(text), document);
        }
        assert_eq!((read_document("{a"), read_document(" ")), (None, None));
        let of = |path: &str, value: &Value| JsonPath::parse(path).unwrap().try_read(value);
        assert_eq!(of("$", &json!(null)), Err(PathMiss::Unreadable));
        assert_eq!(of("$[?(@.x)]", &json!(5)), Err(PathMiss::Unreadable));
        assert_eq!(of("$.x", &json!(5)), Err(PathMiss::NotFound));
        for path in ["", "$.a.", "$ .a", "$.a b", "$a", "$['a'", "$.a[::2]", "$.a.sum()", "$.a[x]"]
        {
            assert!(JsonPath::parse(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_path_is_read_or_refused(path in r#"\$?[.\[\]*?()@'":,0-9a-c =<>!&|-]{0,30}"#) {
            if let Ok(path) = JsonPath::parse(&path) {
                let value = json!({"a": [{"b": 1}, [0], "c"], "b": {"a": null}});
                let _ = path.read(&value);
                for at in path.locate(&value) {
                    prop_assert!(value.pointer(&at.to_string()).is_some());
                }
            }
        }
    }
}
