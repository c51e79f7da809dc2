//! Parts of a schema that are asked about on their own: the branches of unions, the tests of
//! conditions, what a default has to be. They are compiled together, when one of them is first
//! asked about, so that what they refer to is compiled once.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use jsonschema::{Registry, Validator};
use serde_json::{Map, Value, json};

use super::{draft::Draft, patterns, resolve::Addresses, simple::SimpleSchema, subschemas};

/// The address under which the schema represents its own parts.
const ADDRESS: &str = "toolcrib:schema";
/// References that lead to references are followed so far.
const MOST_STEPS: usize = 16;
/// Keywords that check nothing.
const SAYS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "$comment",
    "deprecated",
    "readOnly",
    "writeOnly",
    "markdownDescription",
];

pub(super) struct SchemaParts {
    schema: Arc<Value>,
    draft: Draft,
    addresses: OnceCell<Addresses>,
    compiled: OnceCell<Option<Compiled>>,
    /// Keywords, and parts that nobody could foresee, each compiled alone.
    others: RefCell<HashMap<String, Option<Validator>>>,
}

/// A schema of an object with a member for each part, under the part's number.
struct Compiled {
    registry: Registry<'static>,
    all: Option<Validator>,
    numbers: HashMap<String, usize>,
}

impl SchemaParts {
    pub(super) fn new(schema: &Arc<Value>, draft: Draft) -> Self {
        Self {
            schema: Arc::clone(schema),
            draft,
            addresses: OnceCell::new(),
            compiled: OnceCell::new(),
            others: RefCell::default(),
        }
    }

    /// Whether a value fits the part at a JSON pointer; `None` when that cannot be known.
    pub(super) fn fits_part(&self, pointer: &str, value: &Value) -> Option<bool> {
        let pointer = self.end_of(pointer);
        let target = |reference: &str, at: &str| self.addresses().resolve("$ref", reference, at);
        let alone = |at: &str, (name, rule): (&str, &Value), value: &Value| {
            self.validate_part(at, value, || {
                validation_options()
                    .with_draft(self.draft.for_validator())
                    .build(&json!({name: rule}))
                    .ok()
            })
        };
        let simple =
            SimpleSchema { root: &self.schema, draft: self.draft, target: &target, alone: &alone };
        if let Some(fits) = simple.fits_part(&pointer, value) {
            return Some(fits);
        }
        let compiled = self.compiled.get_or_init(|| self.compile_parts()).as_ref()?;
        match (&compiled.all, compiled.numbers.get(&pointer)) {
            (Some(all), Some(number)) => {
                let asked = Map::from_iter([(number.to_string(), value.clone())]);
                Some(all.is_valid(&Value::Object(asked)))
            }
            _ => self.fits_alone(&compiled.registry, &pointer, value),
        }
    }

    /// Where a part is that is nothing but a reference.
    fn end_of(&self, pointer: &str) -> String {
        let mut pointer = pointer.to_owned();
        for _ in 0..MOST_STEPS {
            let Some(Value::Object(keywords)) = self.schema.pointer(&pointer) else { break };
            let Some(reference) = keywords.get("$ref").and_then(Value::as_str) else { break };
            let alone = !self.draft.counts_siblings_of_ref()
                || keywords.keys().all(|name| name == "$ref" || says_only(name));
            let Some(target) =
                self.addresses().resolve("$ref", reference, &pointer).filter(|_| alone)
            else {
                break;
            };
            pointer = target;
        }
        pointer
    }

    fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::from_schema(&self.schema))
    }

    fn compile_parts(&self) -> Option<Compiled> {
        let draft = self.draft.for_validator();
        let registry = Registry::new().draft(draft).add(ADDRESS, (*self.schema).clone());
        let registry = registry.and_then(jsonschema::RegistryBuilder::prepare).ok()?;
        let mut numbers = HashMap::new();
        for (at, schema) in subschemas::list_subschemas(&self.schema) {
            for part in asked_of(&at, schema) {
                let part = self.end_of(&part);
                let next = numbers.len();
                numbers.entry(part).or_insert(next);
            }
        }
        let members = numbers
            .iter()
            .map(|(part, number)| (number.to_string(), json!({"$ref": part_address(part)})));
        let all = json!({"properties": members.collect::<Map<_, _>>()});
        let all = validation_options().with_draft(draft).with_registry(&registry).build(&all).ok();
        Some(Compiled { registry, all, numbers })
    }

    fn fits_alone(
        &self,
        registry: &Registry<'static>,
        pointer: &str,
        value: &Value,
    ) -> Option<bool> {
        self.validate_part(pointer, value, || {
            let options =
                validation_options().with_draft(self.draft.for_validator()).with_registry(registry);
            options.build(&json!({"$ref": part_address(pointer)})).ok()
        })
    }

    /// What the validator of one part or keyword says, which is made once.
    fn validate_part(
        &self,
        pointer: &str,
        value: &Value,
        make: impl FnOnce() -> Option<Validator>,
    ) -> Option<bool> {
        let mut others = self.others.borrow_mut();
        if !others.contains_key(pointer) {
            others.insert(pointer.to_owned(), make());
        }
        others.get(pointer)?.as_ref().map(|validator| validator.is_valid(value))
    }
}

pub(super) fn says_only(keyword: &str) -> bool {
    SAYS.contains(&keyword) || keyword.starts_with("x-")
}

/// The parts that a form asks about for a schema: branches, a test, and the schema itself where it
/// has a default.
fn asked_of(at: &str, schema: &Value) -> Vec<String> {
    let Some(keywords) = schema.as_object() else { return Vec::new() };
    let mut parts = Vec::new();
    for union in ["anyOf", "oneOf"] {
        let branches = keywords.get(union).and_then(Value::as_array).map_or(0, Vec::len);
        parts.extend((0..branches).map(|branch| format!("{at}/{union}/{branch}")));
    }
    parts.extend(keywords.contains_key("if").then(|| format!("{at}/if")));
    parts.extend(keywords.contains_key("default").then(|| at.to_owned()));
    parts
}

fn part_address(pointer: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~$".contains(byte);
    let encoded = pointer.bytes().map(|byte| {
        if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    format!("{ADDRESS}#{}", encoded.collect::<String>())
}

/// How schemas are compiled: no reference is ever followed out of one, formats are checked in every
/// draft.
pub(super) fn validation_options<'r>() -> jsonschema::ValidationOptions<'r> {
    // Texts that hold JSON have a format that is in no draft.
    let holds_json =
        |text: &str| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .with_format("json", holds_json)
        .with_keyword("pattern", patterns::pattern_keyword)
}
