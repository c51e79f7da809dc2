//! A configuration as Python's pydantic reads it by a model with camelCase aliases: names in either
//! spelling, texts taken for numbers, and what it does not know dropped.

use std::{cell::Cell, collections::HashSet, sync::Arc};

use serde_json::{Map, Number, Value};

use crate::{
    engine::conformance::issue_message,
    schema::{
        pointer::Pointer,
        validate::{Checker, Issue},
    },
};

/// References and unions are not followed further.
const DEEPEST: usize = 24;
/// How much the defaults of a schema may fill in: letters, and more for each value. Defaults within
/// defaults can double with each level.
const MOST_FILLED: usize = 4 << 20;
/// How many names are kept of those that are read where one is not.
const MOST_KNOWN: usize = 1_000;

/// A member's name in camelCase: `max_tokens` is `maxTokens`. What is no name of a field in
/// snake_case, as `maxTokens` and `max_tokens_`, stays as it is.
#[must_use]
pub fn camel_name(name: &str) -> String {
    let is_field = !name.contains(|letter: char| letter.is_ascii_uppercase())
        && name.split('_').all(|part| !part.is_empty());
    if !is_field {
        return name.to_owned();
    }
    let mut camel = String::with_capacity(name.len());
    let mut begins_word = false;
    for letter in name.chars() {
        match letter {
            '_' => begins_word = true,
            _ if begins_word => camel.push(letter.to_ascii_uppercase()),
            _ => camel.push(letter),
        }
        // A letter behind a digit begins one too.
        if letter != '_' {
            begins_word = letter.is_ascii_digit();
        }
    }
    camel
}

/// A configuration as it is read, and what was done to it. Places are those of the configuration as
/// it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    pub value: Value,
    /// Members that nothing reads.
    pub ignored: Vec<Ignored>,
    /// Members in the second spelling beside the first, which counts.
    pub doubled: Vec<Pointer>,
    /// Values that are taken for others.
    pub converted: Vec<(Pointer, Value)>,
}

/// A member that nothing reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    pub at: Pointer,
    /// Names that are read there, the first of very many.
    pub known: Arc<[String]>,
}

/// The configuration as the schema's program reads it.
#[must_use]
pub fn read_configuration(value: &Value, schema: &Value) -> Reading {
    let mut reader = Reader::new(schema);
    let value = reader.read_value(value, &[schema], &Pointer::root(), 0);
    Reading { value, ..reader.reading }
}

/// Where something is in the configuration as it is written, of a place in it as it is read.
#[must_use]
pub fn written_place(value: &Value, at: &Pointer) -> Pointer {
    let mut here = Some(value);
    let mut written = Pointer::root();
    for token in at.tokens() {
        let members = here.and_then(Value::as_object);
        let name = members
            .filter(|members| !members.contains_key(token))
            .and_then(|members| members.keys().find(|name| camel_name(name) == *token))
            .unwrap_or(token);
        here = here.and_then(|value| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            value => value.get(name),
        });
        written = written.child(name.as_str());
    }
    written
}

/// What is wrong with a configuration, members among it that nothing reads; none: it is taken.
#[must_use]
pub fn configuration_faults(configuration: &Value, schema: &Value) -> Vec<String> {
    let reading = read_configuration(configuration, schema);
    let checker = Checker::compile(schema).ok();
    let wrong = |issue: &Issue| {
        if issue.at.is_root() {
            format!("the configuration {}", issue.words)
        } else {
            issue_message(issue)
        }
    };
    let issues = checker.map(|checker| checker.issues(&reading.value)).unwrap_or_default();
    let ignored = reading.ignored.iter().map(|ignored| {
        format!("{} is nothing that the tool is configured with", ignored.at.tokens().join(" › "))
    });
    issues.iter().map(wrong).chain(ignored).collect()
}

/// The schema of an object with these defaults in the place of its own.
#[must_use]
pub fn with_defaults(mut schema: Value, defaults: &Map<String, Value>) -> Value {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = properties {
        for (name, default) in defaults {
            if let Some(Value::Object(property)) = properties.get_mut(name) {
                property.insert("default".to_owned(), default.clone());
            }
        }
    }
    schema
}

/// The configuration with the defaults of the schema where it says nothing, also in the objects that
/// it has; names in either spelling count. What has no default is left out, and what would be more than
/// anyone reads. Of several kinds of object those of the one that fits best are filled in.
#[must_use]
pub fn fill_defaults(value: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let reader = Reader::new(schema);
    reader.fill_members(value, &[schema], 0)
}

struct Reader<'s> {
    root: &'s Value,
    reading: Reading,
    /// What may still be filled in.
    room: Cell<usize>,
}

/// Schemas that were met; none is opened twice, however often references lead to it.
type Seen = HashSet<*const Value>;

impl<'s> Reader<'s> {
    fn new(root: &'s Value) -> Self {
        Self { root, reading: Reading::default(), room: Cell::new(MOST_FILLED) }
    }

    /// The schemas that a value may be read by: references followed, unions opened. Of a union those
    /// of the branch that fits these members best, where there are some.
    fn open_schema(
        &self,
        schema: &'s Value,
        members: Option<&Map<String, Value>>,
        depth: usize,
        seen: &mut Seen,
    ) -> Vec<&'s Value> {
        let mut found = Vec::new();
        if depth > DEEPEST || !seen.insert(schema) {
            return found;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|at| self.root.pointer(at))
        {
            found.extend(self.open_schema(target, members, depth + 1, seen));
        }
        let unions = ["anyOf", "oneOf", "allOf"].map(|name| schema.get(name));
        for (union, is_choice) in unions.into_iter().zip([true, true, false]) {
            let branches = union.and_then(Value::as_array).into_iter().flatten();
            let opened = branches.map(|branch| self.open_schema(branch, members, depth + 1, seen));
            match members.filter(|_| is_choice) {
                Some(members) => found.extend(best_branch(members, opened.collect())),
                None => found.extend(opened.flatten()),
            }
        }
        let says = ["type", "properties", "enum", "const"];
        let is_plain = unions.iter().all(Option::is_none) && schema.get("$ref").is_none();
        if is_plain || says.iter().any(|name| schema.get(name).is_some()) {
            found.push(schema);
        }
        found
    }

    fn read_value(
        &mut self,
        value: &Value,
        schemas: &[&'s Value],
        at: &Pointer,
        depth: usize,
    ) -> Value {
        let opened = self.open_all(schemas);
        match value {
            Value::Object(members) if depth < DEEPEST => {
                let opened = chosen_branches(members, opened);
                self.read_object(members, &opened, at, depth)
            }
            Value::Array(items) if depth < DEEPEST => {
                let of_items: Vec<&Value> =
                    opened.iter().filter_map(|schema| schema.get("items")).collect();
                let item = |(row, item): (usize, &Value)| {
                    self.read_value(item, &of_items, &at.item(row), depth + 1)
                };
                items.iter().enumerate().map(item).collect()
            }
            Value::Object(_) | Value::Array(_) => value.clone(),
            plain => match convert(plain, &opened) {
                Some(other) => {
                    self.reading.converted.push((at.clone(), other.clone()));
                    other
                }
                None => plain.clone(),
            },
        }
    }

    /// A value with the defaults of these schemas in it.
    fn fill_value(&self, value: &Value, schemas: &[&'s Value], depth: usize) -> Value {
        match value {
            Value::Object(members) if depth < DEEPEST => {
                Value::Object(self.fill_members(members, schemas, depth))
            }
            Value::Array(items) if depth < DEEPEST => {
                let opened = self.open_all(schemas);
                let of_items: Vec<&Value> =
                    opened.iter().filter_map(|schema| schema.get("items")).collect();
                items.iter().map(|item| self.fill_value(item, &of_items, depth + 1)).collect()
            }
            plain => plain.clone(),
        }
    }

    fn fill_members(
        &self,
        members: &Map<String, Value>,
        schemas: &[&'s Value],
        depth: usize,
    ) -> Map<String, Value> {
        let mut seen = Seen::new();
        let opened: Vec<&Value> = schemas
            .iter()
            .flat_map(|schema| self.open_schema(schema, Some(members), 0, &mut seen))
            .collect();
        let properties: Vec<(&'s String, &'s Value)> = opened
            .iter()
            .filter_map(|schema| schema.get("properties").and_then(Value::as_object))
            .flatten()
            .collect();
        let mut filled = Map::new();
        for (name, value) in members {
            let spelled = camel_name(name);
            let of_member: Vec<&Value> = properties
                .iter()
                .filter(|(known, _)| *known == name || **known == spelled)
                .map(|(_, property)| *property)
                .collect();
            filled.insert(name.clone(), self.fill_value(value, &of_member, depth + 1));
        }
        for (name, property) in properties {
            let is_said = members.keys().any(|said| said == name || camel_name(said) == *name);
            let default = property.get("default").filter(|_| !is_said);
            if let Some(default) = default.filter(|default| self.takes_room(default)) {
                let default = self.fill_value(default, &[property], depth + 1);
                filled.entry(name.clone()).or_insert(default);
            }
        }
        filled
    }

    /// Whether there is room for a default more.
    fn takes_room(&self, default: &Value) -> bool {
        let left = self.room.get().checked_sub(size_of_value(default));
        self.room.set(left.unwrap_or_default());
        left.is_some()
    }

    fn open_all(&self, schemas: &[&'s Value]) -> Vec<&'s Value> {
        let mut seen = Seen::new();
        schemas.iter().flat_map(|schema| self.open_schema(schema, None, 0, &mut seen)).collect()
    }

    fn read_object(
        &mut self,
        members: &Map<String, Value>,
        schemas: &[&'s Value],
        at: &Pointer,
        depth: usize,
    ) -> Value {
        let properties: Vec<&'s Map<String, Value>> = schemas
            .iter()
            .filter_map(|schema| schema.get("properties").and_then(Value::as_object))
            .collect();
        let others: Vec<&'s Value> =
            schemas.iter().filter_map(|schema| schema.get("additionalProperties")).collect();
        let is_known = |name: &str| properties.iter().any(|known| known.contains_key(name));
        let mut known_names: Option<Arc<[String]>> = None;
        let mut read = Map::new();
        for (name, value) in members {
            let at = at.child(name.as_str());
            let spelled = camel_name(name);
            let own = if is_known(name) || !is_known(&spelled) { name } else { &spelled };
            if own != name && members.contains_key(own) {
                self.reading.doubled.push(at);
                continue;
            }
            if is_known(own) {
                let of_member: Vec<&Value> =
                    properties.iter().filter_map(|known| known.get(own)).collect();
                read.insert(own.clone(), self.read_value(value, &of_member, &at, depth + 1));
            } else if others.is_empty() && !properties.is_empty() {
                let names = || {
                    let names = properties.iter().flat_map(|known| known.keys());
                    names.take(MOST_KNOWN).cloned().collect()
                };
                let known = Arc::clone(known_names.get_or_insert_with(names));
                self.reading.ignored.push(Ignored { at, known });
            } else {
                read.insert(name.clone(), self.read_value(value, &others, &at, depth + 1));
            }
        }
        Value::Object(read)
    }
}

/// What a value takes: its letters, and some for each value in it.
fn size_of_value(value: &Value) -> usize {
    const EACH: usize = 32;
    EACH + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size_of_value).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| name.len() + size_of_value(member)).sum()
        }
        _ => 0,
    }
}

/// Of several kinds of object those that the members' constants choose; all where they choose none.
fn chosen_branches<'s>(members: &Map<String, Value>, schemas: Vec<&'s Value>) -> Vec<&'s Value> {
    let chosen: Vec<&Value> =
        schemas.iter().filter(|schema| fits_constants(members, schema)).copied().collect();
    if chosen.is_empty() { schemas } else { chosen }
}

/// Whether members have the constants of a kind of object, or say nothing about them.
fn fits_constants(members: &Map<String, Value>, schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().all(|(name, property)| {
        let (wanted, given) = (property.get("const"), members.get(name));
        wanted.is_none_or(|wanted| {
            given.or_else(|| property.get("default")).is_none_or(|given| given == wanted)
        })
    })
}

/// The kind of object that pydantic takes members for: among those that fit, the first of those that
/// know most of them; nothing where none fits.
fn best_branch<'s>(members: &Map<String, Value>, branches: Vec<Vec<&'s Value>>) -> Vec<&'s Value> {
    let spelled: HashSet<String> =
        members.keys().flat_map(|name| [name.clone(), camel_name(name)]).collect();
    let fits = |schema: &&Value| {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let has_all = required.filter_map(Value::as_str).all(|name| spelled.contains(name));
        has_all && fits_constants(members, schema)
    };
    let count_known = |branch: &[&Value]| -> usize {
        let properties = branch.iter().filter_map(|schema| schema.get("properties")?.as_object());
        properties.flat_map(Map::keys).filter(|name| spelled.contains(*name)).count()
    };
    let mut best: Option<(usize, Vec<&Value>)> = None;
    for branch in branches {
        let is_object = branch.iter().any(|schema| schema.get("properties").is_some());
        if !is_object || !branch.iter().all(fits) {
            continue;
        }
        let known = count_known(&branch);
        if best.as_ref().is_none_or(|(most, _)| known > *most) {
            best = Some((known, branch));
        }
    }
    best.map(|(_, branch)| branch).unwrap_or_default()
}

/// What a value is taken for; `None` where it is taken as it is, or for nothing.
fn convert(value: &Value, schemas: &[&Value]) -> Option<Value> {
    let types = |schema: &Value| -> Vec<String> {
        match schema.get("type") {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(all)) => {
                all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    };
    let is_taken = |schema: &&Value| {
        let types = types(schema);
        types.is_empty() || types.iter().any(|word| is_of_type(value, word))
    };
    if schemas.iter().any(is_taken) {
        return None;
    }
    schemas.iter().flat_map(|schema| types(schema)).find_map(|word| match word.as_str() {
        "boolean" => read_boolean(value).map(Value::Bool),
        "integer" => read_number(value).filter(is_whole).map(Value::Number),
        "number" => read_number(value).map(Value::Number),
        _ => None,
    })
}

fn is_of_type(value: &Value, word: &str) -> bool {
    match value {
        Value::Null => word == "null",
        Value::Bool(_) => word == "boolean",
        Value::String(_) => word == "string",
        Value::Number(number) => word == "number" || (word == "integer" && is_whole(number)),
        Value::Array(_) => word == "array",
        Value::Object(_) => word == "object",
    }
}

fn is_whole(number: &Number) -> bool {
    number.as_i64().is_some()
        || number.as_u64().is_some()
        || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// What the platform takes for true or false.
#[must_use]
pub fn read_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is) => Some(*is),
        Value::Number(number) => match number.as_f64() {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        },
        Value::String(text) => match text.to_lowercase().as_str() {
            "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
            "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// What it takes for a number.
fn read_number(value: &Value) -> Option<Number> {
    match value {
        Value::Bool(is) => Some(Number::from(u8::from(*is))),
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => {
            let text = text.trim();
            let text = text.strip_prefix('+').unwrap_or(text).replace('_', "");
            serde_json::from_str(&text).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "$defs": {"Limits": {"type": "object", "properties": {"maxWords": {"type": "integer"}}}},
            "type": "object",
            "properties": {
                "isOn": {"type": "boolean"},
                "ratio": {"type": "number"},
                "limits": {"$ref": "#/$defs/Limits"},
                "more": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Limits"}, {"type": "null"}]}},
                "names": {"type": "object", "additionalProperties": {"type": "integer"}},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
        })
    }

    #[test]
    fn names_have_two_spellings_and_texts_are_numbers() {
        let written = json!({
            "is_on": "Yes", "ratio": "1_0.5", "limits": {"max_words": " +7 "},
            "more": [{"max_words": true}, null], "names": {"a_b": "3"}, "either": "5",
        });
        let reading = read_configuration(&written, &schema());
        assert_eq!(
            reading.value,
            json!({
                "isOn": true, "ratio": 10.5, "limits": {"maxWords": 7},
                "more": [{"maxWords": 1}, null], "names": {"a_b": 3}, "either": "5",
            })
        );
        let places: Vec<String> = reading.converted.iter().map(|(at, _)| at.to_string()).collect();
        assert_eq!(
            places,
            ["/is_on", "/ratio", "/limits/max_words", "/more/0/max_words", "/names/a_b"]
        );
        let place = |at: &str| written_place(&written, &Pointer::parse(at).unwrap()).to_string();
        assert_eq!(place("/limits/maxWords"), "/limits/max_words");
        assert_eq!(place("/more/0/maxWords"), "/more/0/max_words");
        assert_eq!(place("/names/a_b"), "/names/a_b");
        assert_eq!(place("/nothing/here"), "/nothing/here");
    }

    #[test]
    fn only_names_of_fields_have_a_second_spelling() {
        for (name, camel) in [
            ("max_tokens", "maxTokens"),
            ("max_2_tokens", "max2Tokens"),
            ("top_3k", "top3K"),
            ("maxTokens", "maxTokens"),
            ("max_tokens_", "max_tokens_"),
            ("max__tokens", "max__tokens"),
            ("maxTokens_", "maxTokens_"),
        ] {
            assert_eq!(camel_name(name), camel, "{name}");
        }
        // A member that nothing reads does not go before the one that is read.
        let written = json!({"is_on": true, "is_on_": "No", "isOn_": 3});
        let reading = read_configuration(&written, &schema());
        assert_eq!(reading.value, json!({"isOn": true}));
        assert_eq!(reading.ignored.len(), 2);
    }

    #[test]
    fn what_nothing_reads_is_told_and_the_first_spelling_counts() {
        let written = json!({"isOn": false, "is_on": true, "limit": 1, "limits": {"words": 3}});
        let reading = read_configuration(&written, &schema());
        assert_eq!(reading.value, json!({"isOn": false, "limits": {}}));
        assert_eq!(reading.doubled, [Pointer::root().child("is_on")]);
        let ignored: Vec<String> =
            reading.ignored.iter().map(|ignored| ignored.at.to_string()).collect();
        assert_eq!(ignored, ["/limit", "/limits/words"]);
        assert_eq!(*reading.ignored[1].known, ["maxWords"]);
    }

    #[test]
    fn what_cannot_be_taken_stays_as_it_is() {
        let written =
            json!({"isOn": "maybe", "ratio": "much", "limits": {"maxWords": "7.5"}, "names": 3});
        let reading = read_configuration(&written, &schema());
        assert_eq!((reading.value, reading.converted), (written, Vec::new()));
    }

    #[test]
    fn what_is_not_said_has_the_default_of_the_schema() {
        let schema = json!({
            "$defs": {"Limits": {"type": "object", "properties": {
                "maxWords": {"type": "integer", "default": 7}, "tone": {"type": "string", "default": "dry"},
            }}},
            "properties": {
                "isOn": {"type": "boolean", "default": true},
                "name": {"type": "string"},
                "limits": {"$ref": "#/$defs/Limits", "default": {"tone": "warm"}},
                "more": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Limits"}, {"type": "null"}]}},
            },
        });
        let filled =
            |value: Value| Value::Object(fill_defaults(value.as_object().unwrap(), &schema));
        assert_eq!(
            filled(json!({})),
            json!({"isOn": true, "limits": {"maxWords": 7, "tone": "warm"}})
        );
        assert_eq!(
            filled(
                json!({"is_on": false, "limits": {"max_words": 1}, "more": [{}, null], "x": {}})
            ),
            json!({
                "is_on": false, "limits": {"max_words": 1, "tone": "dry"},
                "more": [{"maxWords": 7, "tone": "dry"}, null], "x": {},
            })
        );
    }

    #[test]
    fn a_constant_chooses_the_branch() {
        let branch = |word: &str, own: &str| json!({"type": "object", "properties": {"kind": {"const": word, "default": word}, own: {"type": "integer"}}});
        let schema = json!({"anyOf": [branch("a", "x"), branch("b", "y")]});
        let reading = read_configuration(&json!({"kind": "b", "x": "1", "y": "2"}), &schema);
        assert_eq!(reading.value, json!({"kind": "b", "y": 2}));
    }

    /// A server's tool may bring any schema. Each of these is a few letters, and never done where what
    /// was seen is opened again.
    #[test]
    fn no_schema_is_read_without_end() {
        let same = |count: usize| vec![json!({"$ref": "#/$defs/A"}); count];
        let many = json!({
            "$defs": {"A": {"anyOf": same(20), "allOf": same(20)}},
            "properties": {"x": {"$ref": "#/$defs/A"}, "a": {"anyOf": same(9)}},
        });
        let value = json!({"x": 1, "a": {"b": [1, {"c": 2}]}});
        assert_eq!(read_configuration(&value, &many).value, value);
        assert_eq!(configuration_faults(&value, &many), Vec::<String>::new());
        let members = value.as_object().unwrap();
        assert_eq!(&fill_defaults(members, &many), members);

        let node = json!({"$ref": "#/$defs/N", "default": {}});
        let double = json!({
            "$defs": {"N": {"properties": {"a": node, "b": node}}}, "$ref": "#/$defs/N",
        });
        let filled = Value::Object(fill_defaults(&Map::new(), &double));
        assert!(size_of_value(&filled) < 2 * MOST_FILLED, "{}", size_of_value(&filled));
        let long = json!({"default": "x".repeat(MOST_FILLED / 2)});
        let texts = json!({"properties": {"a": long, "b": long, "c": long, "d": {"default": 1}}});
        assert_eq!(fill_defaults(&Map::new(), &texts).len(), 1);
    }

    /// What `{"mode": {"words": 4}}` is for `mode: A | B = A()` in pydantic.
    #[test]
    fn defaults_are_those_of_the_branch_that_fits_best() {
        let schema = json!({
            "$defs": {
                "A": {"type": "object", "properties": {"words": {"type": "integer", "default": 1}}},
                "B": {
                    "type": "object", "required": ["url"],
                    "properties": {
                        "url": {"type": "string"},
                        "systemPrompt": {"type": "string", "default": "B speaks"},
                    },
                },
                "C": {"type": "object", "properties": {
                    "words": {"type": "integer", "default": 2},
                    "maxHits": {"type": "integer", "default": 3},
                }},
            },
            "properties": {"mode": {
                "anyOf": [
                    {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"},
                    {"type": "null"},
                ],
                "default": {},
            }},
        });
        for (given, filled) in [
            (json!({}), json!({"mode": {"words": 1}})),
            (json!({"mode": {"words": 4}}), json!({"mode": {"words": 4}})),
            (
                json!({"mode": {"url": "u"}}),
                json!({"mode": {"url": "u", "systemPrompt": "B speaks"}}),
            ),
            (json!({"mode": {"max_hits": 9}}), json!({"mode": {"max_hits": 9, "words": 2}})),
            (json!({"mode": null}), json!({"mode": null})),
        ] {
            let made = fill_defaults(given.as_object().unwrap(), &schema);
            assert_eq!(Value::Object(made), filled, "{given}");
        }
    }
}
