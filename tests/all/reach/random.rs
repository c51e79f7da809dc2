//! Schemas of every keyword that forms know, put together by luck.

use serde_json::{Map, Value, json};

use crate::support::luck::Luck;

/// The versions of JSON Schema, with the address each is told by.
const DRAFTS: [(u16, &str); 6] = [
    (2020, ""),
    (2020, "https://json-schema.org/draft/2020-12/schema"),
    (2019, "https://json-schema.org/draft/2019-09/schema"),
    (7, "http://json-schema.org/draft-07/schema#"),
    (6, "http://json-schema.org/draft-06/schema#"),
    (4, "http://json-schema.org/draft-04/schema#"),
];

/// A random schema; the larger the size, the deeper.
pub fn schema(luck: &mut Luck, size: usize) -> Value {
    let (draft, address) = *luck.pick(&DRAFTS);
    let mut maker = Maker { luck, draft };
    let mut schema = if maker.luck.chance(80) { maker.object(size) } else { maker.any(size) };
    if !schema.is_object() {
        schema = json!({"allOf": [schema]});
    }
    let tree = json!({"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": maker.shared("tree")},
        "all": {"type": "array", "items": {"$ref": maker.shared("tree")}}}, "required": ["name"]});
    let small = maker.leaf();
    let folder = if draft >= 2019 { "$defs" } else { "definitions" };
    schema[folder] = json!({"tree": tree, "small": small});
    if draft == 2020 {
        schema[folder]["anchored"] = json!({"$anchor": "here", "type": "integer", "minimum": 1});
        schema[folder]["open"] = json!({"$dynamicAnchor": "open", "type": ["string", "integer"]});
    }
    if !address.is_empty() {
        schema["$schema"] = address.into();
    }
    schema
}

struct Maker<'m> {
    luck: &'m mut Luck,
    draft: u16,
}

impl Maker<'_> {
    fn shared(&self, name: &str) -> String {
        format!("#/{}/{name}", if self.draft >= 2019 { "$defs" } else { "definitions" })
    }

    /// What is said of a value beside what it may be.
    fn words(&mut self, schema: &mut Value) {
        let Some(schema) = schema.as_object_mut() else { return };
        let mut say = |name: &str, value: Value, percent: u64| {
            if self.luck.chance(percent) {
                schema.entry(name).or_insert(value);
            }
        };
        say("title", json!("A title"), 30);
        say("description", json!("What it is for, *in a few* words."), 30);
        say("default", json!("a default"), 4);
        say("default", json!(7), 4);
        say("examples", json!(["an example", 3]), 6);
        say("deprecated", json!(true), 4);
        say("writeOnly", json!(true), 4);
        say("$comment", json!("said to nobody"), 4);
    }

    fn any(&mut self, size: usize) -> Value {
        let mut schema = match self.luck.below(if size == 0 { 8 } else { 22 }) {
            0..8 => self.leaf(),
            8..11 => self.object(size - 1),
            11..13 => self.list(size - 1),
            13 => self.tuple(size - 1),
            14 => self.tagged(size - 1),
            15 => json!({"anyOf": [self.leaf(), {"type": "null"}]}),
            16 => {
                json!({(*self.luck.pick(&["anyOf", "oneOf"])): [self.leaf(), self.any(size - 1), self.list(size - 1)]})
            }
            17 => json!({"allOf": [self.object(size - 1), self.object(size - 1)]}),
            18 => {
                let name = *self.luck.pick(&["tree", "small"]);
                let reference = self.shared(name);
                json!({"$ref": reference})
            }
            19 if self.draft == 2020 => {
                (*self.luck.pick(&[&json!({"$ref": "#here"}), &json!({"$dynamicRef": "#open"})]))
                    .clone()
            }
            20 => json!({"type": ["string", "object", "null"], "properties": {"p": self.leaf()}}),
            _ => json!({"not": {"type": *self.luck.pick(&["string", "boolean", "object"])}}),
        };
        let is_plain_reference = schema.get("$ref").is_some() && self.draft < 2019;
        if !is_plain_reference {
            self.words(&mut schema);
        }
        schema
    }

    fn leaf(&mut self) -> Value {
        let mut schema = match self.luck.below(20) {
            0 => json!({"type": "string"}),
            1 => json!({"type": "string", "minLength": 2, "maxLength": 12}),
            2 => {
                json!({"type": "string", "pattern": *self.luck.pick(&["^[a-z]{1,8}$", "^x-[0-9]+$", "^(GET|POST) /[a-z/]*$"])})
            }
            3 => {
                json!({"type": "string", "format": *self.luck.pick(&["date", "date-time", "email", "ipv4", "uri", "hostname"])})
            }
            4 => json!({"type": "string", "maxLength": 5_000}),
            5 => json!({"type": "integer", "minimum": -3, "maximum": 90}),
            6 => json!({"type": "number", "multipleOf": 0.25}),
            7 if self.draft > 4 => {
                json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1})
            }
            7 => json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
            8 => json!({"type": "boolean"}),
            9 => json!({"enum": ["red", "green", "blue", "a b", "e", "f", "g", "h", "i"]}),
            10 => json!({"enum": [1, "one", true, null, [1], {"a": 1}]}),
            11 => json!({"type": "integer", "enum": [1, 2, 3]}),
            12 if self.draft > 4 => json!({"const": *self.luck.pick(&["fixed", "f"])}),
            12 => json!({"enum": [{"fixed": [1, 2]}]}),
            13 if self.draft > 4 => {
                json!({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two", "description": "More than one."}]})
            }
            14 => json!({"type": ["integer", "null"]}),
            15 => json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}]}),
            16 => json!({"type": "string", "contentMediaType": "text/markdown"}),
            17 if self.draft > 4 => json!(true),
            18 => json!({"type": "null"}),
            19 => json!({"type": "boolean", "enum": [true]}),
            _ => json!({}),
        };
        self.words(&mut schema);
        schema
    }

    fn list(&mut self, size: usize) -> Value {
        let mut schema = json!({"type": "array"});
        match self.luck.below(6) {
            0 => schema["items"] = json!({"type": "string"}),
            1 => schema["items"] = json!({"enum": ["a", "b", "c"]}),
            2 => schema["items"] = self.object(size.saturating_sub(1)),
            3 if self.draft > 4 => schema["contains"] = json!({"type": "integer", "minimum": 5}),
            4 => {}
            _ => schema["items"] = self.any(size.saturating_sub(1)),
        }
        if self.luck.chance(20) {
            schema["minItems"] = json!(1);
        }
        if self.luck.chance(20) {
            schema["maxItems"] = json!(4);
        }
        if self.luck.chance(20) {
            schema["uniqueItems"] = json!(true);
        }
        schema
    }

    fn tuple(&mut self, size: usize) -> Value {
        let first = Value::Array(
            (0..1 + self.luck.below(3)).map(|_| self.any(size.saturating_sub(1))).collect(),
        );
        let rest = match self.luck.below(3) {
            0 => json!(false),
            1 => json!({"type": "integer"}),
            _ => json!({}),
        };
        match self.draft {
            2020 => json!({"type": "array", "prefixItems": first, "items": rest}),
            _ => json!({"type": "array", "items": first, "additionalItems": rest}),
        }
    }

    fn tagged(&mut self, size: usize) -> Value {
        let mut branch = |name: &str| {
            let tag = if self.draft > 4 { json!({"const": name}) } else { json!({"enum": [name]}) };
            let mut branch = self.object(size.saturating_sub(1));
            branch["properties"]["kind"] = tag;
            branch["required"] = json!(["kind"]);
            if let Some(branch) = branch.as_object_mut() {
                branch.retain(|name, _| !["minProperties", "propertyNames"].contains(&&**name));
            }
            branch
        };
        let branches = [branch("circle"), branch("square"), branch("line")];
        json!({"oneOf": branches, "discriminator": {"propertyName": "kind"}})
    }

    fn object(&mut self, size: usize) -> Value {
        let names = ["alpha", "beta", "x-gamma", "delta e", "zeta", "key/with~signs"];
        let count = 1 + self.luck.below(names.len());
        let mut properties = Map::new();
        for name in &names[..count] {
            properties.insert((*name).to_owned(), self.any(size));
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if self.luck.chance(50) {
            schema["required"] = json!([names[self.luck.below(count)]]);
        }
        if self.luck.chance(8) {
            schema["required"] = json!(["alpha", "nowhere declared"]);
        }
        match self.luck.below(8) {
            0 => schema["additionalProperties"] = json!(false),
            1 => schema["additionalProperties"] = json!(true),
            2 => schema["additionalProperties"] = self.leaf(),
            3 if self.draft >= 2019 => schema["unevaluatedProperties"] = json!(false),
            4 => {
                schema["patternProperties"] = json!({"^x-[a-z]{1,4}$": {"type": ["string", "number", "boolean", "array", "object", "null"]}});
                schema["additionalProperties"] = json!(false);
            }
            5 if self.draft > 4 => {
                schema["propertyNames"] = json!({"type": "string", "pattern": "^[a-z~/ -]{1,16}$"});
            }
            _ => {}
        }
        match self.luck.below(8) {
            0 if self.draft >= 2019 => schema["dependentRequired"] = json!({"alpha": ["beta"]}),
            0 => schema["dependencies"] = json!({"alpha": ["beta"]}),
            1 if self.draft >= 2019 => {
                schema["dependentSchemas"] =
                    json!({"alpha": {"properties": {"came": self.leaf()}, "required": ["came"]}});
            }
            2 if self.draft >= 7 => {
                schema["properties"]["mode"] = json!({"enum": ["fast", "slow"]});
                schema["if"] =
                    json!({"properties": {"mode": {"const": "fast"}}, "required": ["mode"]});
                schema["then"] =
                    json!({"properties": {"speed": {"type": "integer"}}, "required": ["speed"]});
                schema["else"] = json!({"properties": {"reason": {"type": "string"}}});
            }
            3 => schema["minProperties"] = json!(2),
            _ => {}
        }
        self.words(&mut schema);
        schema.as_object_mut().map(|schema| schema.shift_remove("default"));
        schema
    }
}
