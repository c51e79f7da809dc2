//! A configuration as Python's pydantic reads it by a model with camelCase aliases: names in either
//! spelling, texts taken for numbers, and what it does not know dropped.

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
    /// Names that are read there.
    pub known: Vec<String>,
}

/// The configuration as the schema's program reads it.
#[must_use]
pub fn read_configuration(value: &Value, schema: &Value) -> Reading {
    let mut reader = Reader { root: schema, reading: Reading::default() };
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
/// it has; names in either spelling count. What has no default is left out.
#[must_use]
pub fn fill_defaults(value: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let reader = Reader { root: schema, reading: Reading::default() };
    reader.fill_members(value, &[schema], 0)
}

struct Reader<'s> {
    root: &'s Value,
    reading: Reading,
}

impl<'s> Reader<'s> {
    /// The schemas that a value may be read by: references followed, unions opened.
    fn open_schema(&self, schema: &'s Value, depth: usize, found: &mut Vec<&'s Value>) {
        if depth > DEEPEST {
            return;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|at| self.root.pointer(at))
        {
            self.open_schema(target, depth + 1, found);
        }
        let unions = ["anyOf", "oneOf", "allOf"].map(|name| schema.get(name));
        let branches = unions.into_iter().flatten().filter_map(Value::as_array).flatten();
        for branch in branches {
            self.open_schema(branch, depth + 1, found);
        }
        let says = ["type", "properties", "enum", "const"];
        let is_plain = unions.iter().all(Option::is_none) && schema.get("$ref").is_none();
        if is_plain || says.iter().any(|name| schema.get(name).is_some()) {
            found.push(schema);
        }
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
        let opened = chosen_branches(members, self.open_all(schemas));
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
            if let Some(default) = property.get("default").filter(|_| !is_said) {
                let default = self.fill_value(default, &[property], depth + 1);
                filled.entry(name.clone()).or_insert(default);
            }
        }
        filled
    }

    fn open_all(&self, schemas: &[&'s Value]) -> Vec<&'s Value> {
        let mut opened = Vec::new();
        for schema in schemas {
            self.open_schema(schema, 0, &mut opened);
        }
        opened
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
                let known = properties.iter().flat_map(|known| known.keys()).cloned().collect();
                self.reading.ignored.push(Ignored { at, known });
            } else {
                read.insert(name.clone(), self.read_value(value, &others, &at, depth + 1));
            }
        }
        Value::Object(read)
    }
}

/// Of several kinds of object those that the members' constants choose; all where they choose none.
fn chosen_branches<'s>(members: &Map<String, Value>, schemas: Vec<&'s Value>) -> Vec<&'s Value> {
    let fits = |schema: &&&Value| {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().all(|(name, property)| {
            let (wanted, given) = (property.get("const"), members.get(name));
            wanted.is_none_or(|wanted| {
                given.or_else(|| property.get("default")).is_none_or(|given| given == wanted)
            })
        })
    };
    let chosen: Vec<&Value> = schemas.iter().filter(fits).copied().collect();
    if chosen.is_empty() { schemas } else { chosen }
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
        assert_eq!(reading.ignored[1].known, ["maxWords"]);
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
}
