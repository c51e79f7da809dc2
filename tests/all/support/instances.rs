//! Values made from a schema: right ones, and right ones spoilt. Whether they are right is for
//! `jsonschema` alone to say.

use std::collections::BTreeSet;

use jsonschema::Validator;
use proptest::{
    strategy::{Strategy, ValueTree},
    string::string_regex,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Number, Value, json};

use super::luck::Luck;

/// The judge: formats are checked in every draft, nothing is fetched.
pub fn judge(schema: &Value) -> Validator {
    jsonschema::options().offline().should_validate_formats(true).build(schema).unwrap()
}

/// A value that the schema allows, where one is found.
pub fn valid(schema: &Value, judge: &Validator, luck: &mut Luck) -> Option<Value> {
    (0..40).find_map(|attempt| {
        let mut maker = Maker { root: schema, luck, spare: attempt > 25 };
        let value = maker.value(&[schema], if attempt > 25 { 2 } else { 6 });
        judge.is_valid(&value).then_some(value)
    })
}

/// The value with one thing in it that the schema forbids, where one is found.
pub fn invalid(value: &Value, judge: &Validator, luck: &mut Luck) -> Option<Value> {
    let mut places = Vec::new();
    each_place(value, &mut String::new(), &mut places);
    (0..40).find_map(|_| {
        let mut spoilt = value.clone();
        let place = luck.pick(&places).clone();
        let slot = spoilt.pointer_mut(&place)?;
        match (luck.below(4), &mut *slot) {
            (0, Value::Object(members)) if !members.is_empty() => {
                let name = members.keys().nth(luck.below(members.len()))?.clone();
                members.shift_remove(&name);
            }
            (1, Value::Object(members)) => {
                members.insert("a member of mine".into(), json!(1));
            }
            (0, Value::Array(items)) if !items.is_empty() => {
                items.pop();
            }
            (1, Value::Array(items)) => items.extend([json!(null), json!([]), json!([])]),
            (2, Value::Number(number)) => {
                *slot = json!(number.as_f64().unwrap_or(0.0) * -1e9 - 0.5);
            }
            (2, Value::String(text)) => *slot = json!(format!("{text} \u{7f}").repeat(200)),
            _ => {
                *slot = luck
                    .pick(&[
                        json!(null),
                        json!(true),
                        json!(-0.5),
                        json!(""),
                        json!("?!"),
                        json!([[]]),
                        json!({"?": 1}),
                    ])
                    .clone();
            }
        }
        (!judge.is_valid(&spoilt)).then_some(spoilt)
    })
}

fn each_place(value: &Value, at: &mut String, places: &mut Vec<String>) {
    places.push(at.clone());
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.replace('~', "~0").replace('/', "~1"), member))
            .collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    for (token, inner) in below {
        let length = at.len();
        at.push('/');
        at.push_str(&token);
        each_place(inner, at, places);
        at.truncate(length);
    }
}

struct Maker<'m> {
    root: &'m Value,
    luck: &'m mut Luck,
    /// Leave out what need not be there.
    spare: bool,
}

impl<'m> Maker<'m> {
    /// Where a reference leads: a pointer into the schema, or an anchor.
    fn target(&self, reference: &str) -> Option<&'m Value> {
        let fragment = reference.split_once('#')?.1;
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.root.pointer(&fragment.replace("%20", " ").replace("%25", "%"));
        }
        anchored(self.root, fragment)
    }

    /// The schemas that apply together, with a branch taken of each union.
    fn together(
        &mut self,
        schema: &'m Value,
        parts: &mut Vec<&'m Map<String, Value>>,
        depth: usize,
    ) {
        let Some(keywords) = schema.as_object().filter(|_| depth > 0) else { return };
        parts.push(keywords);
        for name in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let target = keywords
                .get(name)
                .and_then(Value::as_str)
                .and_then(|reference| self.target(reference));
            if let Some(target) = target {
                self.together(target, parts, depth - 1);
            }
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.together(part, parts, depth - 1);
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(branches) =
                keywords.get(name).and_then(Value::as_array).filter(|branches| !branches.is_empty())
            {
                let branch = &branches[self.luck.below(branches.len())];
                self.together(branch, parts, depth - 1);
            }
        }
        if keywords.contains_key("if") {
            let met = self.luck.chance(60);
            for name in if met { ["if", "then"] } else { ["else", "else"] } {
                if let Some(part) = keywords.get(name) {
                    self.together(part, parts, depth - 1);
                }
            }
        }
        for name in ["dependentSchemas", "dependencies"] {
            for part in
                keywords.get(name).and_then(Value::as_object).into_iter().flat_map(Map::values)
            {
                if self.luck.chance(40) {
                    self.together(part, parts, depth - 1);
                }
            }
        }
    }

    fn value(&mut self, schemas: &[&'m Value], depth: usize) -> Value {
        let mut parts = Vec::new();
        for schema in schemas {
            self.together(schema, &mut parts, 8);
        }
        if let Some(constant) = parts.iter().find_map(|part| part.get("const")) {
            return constant.clone();
        }
        if let Some(values) = parts
            .iter()
            .find_map(|part| part.get("enum")?.as_array())
            .filter(|values| !values.is_empty())
        {
            return values[self.luck.below(values.len())].clone();
        }
        if let Some(default) =
            parts.iter().find_map(|part| part.get("default")).filter(|_| self.luck.chance(10))
        {
            return default.clone();
        }
        match self.kind(&parts, depth) {
            "null" => Value::Null,
            "boolean" => json!(self.luck.chance(50)),
            "integer" => self.number(&parts, true),
            "number" => self.number(&parts, false),
            "array" => self.list(&parts, depth),
            "object" => self.object(&parts, depth),
            _ => json!(self.text(&parts)),
        }
    }

    fn kind(&mut self, parts: &[&'m Map<String, Value>], depth: usize) -> &'m str {
        let mut allowed: Vec<&str> =
            vec!["string", "integer", "number", "boolean", "null", "array", "object"];
        let mut typed = false;
        for part in parts {
            let named: Vec<&str> = match part.get("type") {
                Some(Value::String(name)) => vec![name],
                Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
                _ => continue,
            };
            typed = true;
            allowed.retain(|kind| {
                named.contains(kind) || *kind == "integer" && named.contains(&"number")
            });
        }
        if !typed {
            let speaks = |names: &[&str]| {
                parts.iter().any(|part| names.iter().any(|name| part.contains_key(*name)))
            };
            if speaks(&[
                "properties",
                "required",
                "additionalProperties",
                "patternProperties",
                "propertyNames",
                "minProperties",
            ]) {
                return "object";
            }
            if speaks(&["items", "prefixItems", "contains", "minItems", "uniqueItems"]) {
                return "array";
            }
            if speaks(&["pattern", "format", "minLength", "maxLength", "contentMediaType"]) {
                return "string";
            }
            if speaks(&["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"])
            {
                return "number";
            }
            if depth < 3 {
                allowed.retain(|kind| !["array", "object"].contains(kind));
            }
        }
        if allowed.is_empty() { "string" } else { self.luck.pick::<&str>(&allowed) }
    }

    fn number(&mut self, parts: &[&'m Map<String, Value>], whole: bool) -> Value {
        let mut low = f64::NEG_INFINITY;
        let mut high = f64::INFINITY;
        let mut step = None;
        for part in parts {
            let number = |name: &str| part.get(name).and_then(Value::as_f64);
            low = low
                .max(number("minimum").unwrap_or(low))
                .max(number("exclusiveMinimum").map_or(low, |at| at + 1e-3));
            high = high
                .min(number("maximum").unwrap_or(high))
                .min(number("exclusiveMaximum").map_or(high, |at| at - 1e-3));
            step = number("multipleOf").or(step);
        }
        let spread = self.luck.below(50) as f64;
        let mut value = match (low.is_finite(), high.is_finite()) {
            (true, true) => low + (high - low) * self.luck.below(101) as f64 / 100.0,
            (true, false) => low + spread,
            (false, true) => high - spread,
            (false, false) => spread * if self.luck.chance(50) { -1.25 } else { 1e3 },
        };
        if whole || step.is_some() {
            let step = step.unwrap_or(1.0);
            value = (value / step).ceil() * step;
        }
        if value.fract() == 0.0 && value.abs() < 1e15 {
            json!(value as i64)
        } else {
            Number::from_f64(value).map_or(json!(0), Value::Number)
        }
    }

    fn text(&mut self, parts: &[&'m Map<String, Value>]) -> String {
        let word = |name: &str| parts.iter().find_map(|part| part.get(name)?.as_str());
        if let Some(text) = word("pattern").and_then(|pattern| self.matching(pattern)) {
            return text;
        }
        if let Some(sample) = word("format").and_then(sample) {
            return sample.to_owned();
        }
        if word("contentEncoding") == Some("base64") {
            return "aGVsbG8=".into();
        }
        if word("contentMediaType") == Some("application/json") {
            return "{\"a\": [1, 2]}".into();
        }
        let bound =
            |name: &'static str| parts.iter().filter_map(move |part| part.get(name)?.as_u64());
        let low = bound("minLength").max().unwrap_or(0);
        let high = bound("maxLength").min().unwrap_or(low + 30).max(low);
        let words = [
            "ada",
            "Größe",
            "日本語",
            "a b",
            "x",
            "it's \"so\"",
            "🦀",
            "two\nlines",
            "",
            " pad ",
            "a,b",
            "1.50",
        ];
        let mut text = (*self.luck.pick(&words)).to_owned();
        while (text.chars().count() as u64) < low {
            text.push_str(self.luck.pick::<&str>(&["abc", "é", "7 "]));
        }
        text.chars().take(usize::try_from(high).unwrap_or(usize::MAX)).collect()
    }

    /// A text by a pattern: what stands before and after it may be anything, so nothing does.
    fn matching(&mut self, pattern: &str) -> Option<String> {
        let strategy = string_regex(pattern.trim_start_matches('^').trim_end_matches('$')).ok()?;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.luck.next().to_le_bytes());
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(Config::default(), random);
        Some(strategy.new_tree(&mut runner).ok()?.current())
    }

    fn list(&mut self, parts: &[&'m Map<String, Value>], depth: usize) -> Value {
        let bound =
            |name: &'static str| parts.iter().filter_map(move |part| part.get(name)?.as_u64());
        let low = bound("minItems").max().unwrap_or(0) as usize;
        let high = bound("maxItems").min().map_or(low + 3, |high| high as usize);
        let prefix = parts
            .iter()
            .find_map(|part| part.get("prefixItems").or_else(|| part.get("items"))?.as_array());
        let prefix = prefix.map_or(&[][..], Vec::as_slice);
        let rest: Vec<&Value> = parts
            .iter()
            .filter_map(|part| {
                let name = if part.get("items").is_some_and(Value::is_array) {
                    "additionalItems"
                } else {
                    "items"
                };
                part.get(name).filter(|items| !items.is_array())
            })
            .collect();
        let closed = rest.iter().any(|rest| **rest == Value::Bool(false));
        let wanted = parts.iter().find_map(|part| part.get("contains"));
        let most = if closed { prefix.len().min(high) } else { high };
        let spread = most.saturating_sub(low);
        let mut count = low
            + if self.spare || depth == 0 || spread == 0 {
                0
            } else {
                self.luck.below(spread.min(4) + 1)
            };
        if wanted.is_some() {
            count = count.max(1);
        }
        let mut items: Vec<Value> = Vec::new();
        for index in 0..count {
            for _ in 0..6 {
                let item = match (prefix.get(index), wanted) {
                    (Some(own), _) => self.value(&[own], depth.saturating_sub(1)),
                    (None, Some(wanted)) if index == count - 1 => {
                        let mut both = rest.clone();
                        both.push(wanted);
                        self.value(&both, depth.saturating_sub(1))
                    }
                    _ => self.value(&rest, depth.saturating_sub(1)),
                };
                let twice =
                    parts.iter().any(|part| part.get("uniqueItems") == Some(&Value::Bool(true)))
                        && items.contains(&item);
                if !twice {
                    items.push(item);
                    break;
                }
            }
        }
        Value::Array(items)
    }

    fn object(&mut self, parts: &[&'m Map<String, Value>], depth: usize) -> Value {
        let list = |value: Option<&'m Value>| {
            value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        };
        let mut names: BTreeSet<&str> =
            parts.iter().flat_map(|part| list(part.get("required"))).collect();
        let mut declared: Vec<&str> = Vec::new();
        for part in parts {
            for name in
                part.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys)
            {
                declared.push(name);
                if depth > 0 && !self.spare && self.luck.chance(60) {
                    names.insert(name);
                }
            }
        }
        for _ in 0..3 {
            for part in parts {
                for keyword in ["dependentRequired", "dependencies"] {
                    for (name, others) in
                        part.get(keyword).and_then(Value::as_object).into_iter().flatten()
                    {
                        if names.contains(name.as_str()) {
                            names.extend(list(Some(others)));
                        }
                    }
                }
            }
        }
        let mut members = Map::new();
        let mut order: Vec<&str> =
            declared.into_iter().filter(|name| names.contains(name)).collect();
        order.extend(names.iter().copied());
        for name in order {
            if !members.contains_key(name) {
                let value = self.member(parts, name, depth);
                members.insert(name.to_owned(), value);
            }
        }
        let low =
            parts.iter().filter_map(|part| part.get("minProperties")?.as_u64()).max().unwrap_or(0)
                as usize;
        let closed = parts.iter().any(|part| {
            ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .any(|name| part.get(*name) == Some(&Value::Bool(false)))
        });
        let patterns = parts.iter().find_map(|part| part.get("patternProperties")?.as_object());
        let mut more = if depth > 0 && !self.spare && self.luck.chance(40) {
            1 + self.luck.below(2)
        } else {
            0
        };
        more = more.max(low.saturating_sub(members.len()));
        for number in 0..more * 2 {
            if members.len() >= low && number >= more {
                break;
            }
            let pattern = patterns
                .and_then(|patterns| patterns.keys().nth(self.luck.below(patterns.len().max(1))));
            let by_names = parts.iter().find_map(|part| part.get("propertyNames"));
            let name = match (pattern, by_names) {
                (Some(pattern), _) if closed || self.luck.chance(50) => {
                    self.matching(pattern).unwrap_or_default()
                }
                _ if closed => break,
                (_, Some(rule)) => self.value(&[rule], 1).as_str().unwrap_or_default().to_owned(),
                _ => (*self.luck.pick(&["extra", "a b", "x-1", "größe", "a/b~c", "0"])).to_owned(),
            };
            if !members.contains_key(&name) {
                let value = self.member(parts, &name, depth);
                members.insert(name, value);
            }
        }
        Value::Object(members)
    }

    /// The value of a member: all that is said of its name.
    fn member(&mut self, parts: &[&'m Map<String, Value>], name: &str, depth: usize) -> Value {
        let mut schemas: Vec<&Value> = Vec::new();
        for part in parts {
            let before = schemas.len();
            schemas.extend(part.get("properties").and_then(|properties| properties.get(name)));
            for (pattern, inner) in
                part.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
            {
                if jsonschema::is_valid(&json!({"pattern": pattern}), &json!(name)) {
                    schemas.push(inner);
                }
            }
            if schemas.len() == before {
                schemas.extend(part.get("additionalProperties").filter(|rest| rest.is_object()));
            }
        }
        self.value(&schemas, depth.saturating_sub(1))
    }
}

fn anchored<'v>(schema: &'v Value, name: &str) -> Option<&'v Value> {
    match schema {
        Value::Object(members) => {
            let is_it = ["$anchor", "$dynamicAnchor"]
                .iter()
                .any(|keyword| members.get(*keyword).is_some_and(|it| it == name));
            if is_it {
                Some(schema)
            } else {
                members.values().find_map(|member| anchored(member, name))
            }
        }
        Value::Array(items) => items.iter().find_map(|item| anchored(item, name)),
        _ => None,
    }
}

fn sample(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2026-11-21",
        "time" => "14:30:00Z",
        "date-time" => "2026-11-21T14:30:00+01:00",
        "duration" => "P1DT2H",
        "email" | "idn-email" => "ann@example.com",
        "uri" | "iri" | "url" => "https://example.com/a?b=c#d",
        "uri-reference" | "iri-reference" => "/a#b",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "hostname" | "idn-hostname" => "example.com",
        "regex" => "^[a-z]+$",
        "json-pointer" => "/a/0",
        "json" => "{\"a\": 1}",
        _ => return None,
    })
}
