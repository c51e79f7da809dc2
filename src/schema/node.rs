//! One place of a schema as a form sees it: references followed, `allOf` merged, what its keywords
//! come to.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use serde_json::Value;

use super::{decimal, equal::values_equal};

/// A place inside a [`super::tree::Schema`], by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub(super) u32);

/// What a node was made from: places that all apply to one value, and the unions among them that
/// are already decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeKey {
    pub places: Vec<PlaceId>,
    pub settled: Vec<PlaceId>,
}

impl NodeKey {
    #[must_use]
    pub fn from_place(place: PlaceId) -> Self {
        Self { places: vec![place], settled: Vec::new() }
    }

    /// The key with another place that applies as well.
    #[must_use]
    pub fn with_place(&self, place: PlaceId) -> Self {
        let mut key = self.clone();
        if !key.places.contains(&place) {
            key.places.push(place);
        }
        key
    }

    /// The key with a union decided for one of its branches.
    #[must_use]
    pub fn with_branch(&self, union: PlaceId, branch: PlaceId) -> Self {
        let mut key = self.with_place(branch);
        key.settled.push(union);
        key
    }

    /// The key with an inclusive union left open: the members of every branch are offered.
    #[must_use]
    pub fn with_all(&self, union: PlaceId) -> Self {
        let mut key = self.clone();
        key.settled.push(union);
        key
    }
}

/// A set of JSON types. A number is an integer or a fraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Types(u8);

impl Types {
    pub const NONE: Self = Self(0);
    pub const NULL: Self = Self(1);
    pub const BOOLEAN: Self = Self(2);
    pub const INTEGER: Self = Self(4);
    pub const NUMBER: Self = Self(4 | 8);
    pub const TEXT: Self = Self(16);
    pub const LIST: Self = Self(32);
    pub const OBJECT: Self = Self(64);
    pub const ALL: Self = Self(127);

    /// The types in the order in which they are offered, with the words for them.
    pub const WORDS: [(Self, &'static str, &'static str); 7] = [
        (Self::TEXT, "string", "text"),
        (Self::NUMBER, "number", "number"),
        (Self::INTEGER, "integer", "whole number"),
        (Self::BOOLEAN, "boolean", "true or false"),
        (Self::LIST, "array", "list"),
        (Self::OBJECT, "object", "object"),
        (Self::NULL, "null", "null"),
    ];

    /// The type that a schema names; nothing for a name that is none.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        Self::WORDS
            .iter()
            .find(|(_, keyword, _)| *keyword == name)
            .map_or(Self::NONE, |(types, ..)| *types)
    }

    /// The type of a value. `1.0` is an integer.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if decimal::is_whole(number) => Self::INTEGER,
            Value::Number(_) => Self(8),
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::LIST,
            Value::Object(_) => Self::OBJECT,
        }
    }

    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The types without those ruled out; a number that must not be whole is a number still.
    #[must_use]
    pub(super) fn without_ruled_out(self, ruled_out: Self) -> Self {
        if ruled_out == Self::INTEGER && self.contains(Self::NUMBER) {
            self
        } else {
            self.difference(ruled_out)
        }
    }

    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        other.0 != 0 && self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        self.contains(Self::of_value(value))
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The types one by one, a number as one.
    pub fn iter_names(self) -> impl Iterator<Item = (Self, &'static str)> {
        let number = self.contains(Self::NUMBER);
        Self::WORDS
            .into_iter()
            .filter(move |(types, ..)| {
                self.contains(*types) && !(number && *types == Self::INTEGER)
            })
            .map(|(types, _, words)| (types, words))
    }

    /// `text, number or null`.
    #[must_use]
    pub fn to_words(self) -> String {
        super::phrase::join_alternatives(self.iter_names().map(|(_, word)| word))
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_words())
    }
}

/// One of the values that a choice offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub value: Value,
    pub title: Option<Arc<str>>,
    pub help: Option<Arc<str>>,
}

/// The values that may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    pub options: Vec<Choice>,
    /// Any other text may be typed as well.
    pub open: bool,
}

/// Bounds of a text's length, its pattern, its format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextRules {
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub patterns: Vec<Arc<str>>,
    pub format: Option<Arc<str>>,
    pub media_type: Option<Arc<str>>,
    pub encoding: Option<Arc<str>>,
}

/// Bounds of a number, as written in the schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberRules {
    pub min: Option<Bound>,
    pub max: Option<Bound>,
    pub multiple_of: Option<serde_json::Number>,
}

/// A bound of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    pub at: serde_json::Number,
    pub exclusive: bool,
}

/// A declared member.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub name: Arc<str>,
    pub node: NodeKey,
}

/// What an object may hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectRules {
    pub properties: Vec<Property>,
    /// Where each name is among the properties.
    index: HashMap<Arc<str>, usize>,
    pub required: BTreeSet<Arc<str>>,
    /// Members whose name matches the pattern.
    pub patterns: Vec<(Arc<str>, PlaceId)>,
    /// What undeclared members have to be, where the schema says.
    pub additional: NodeKey,
    /// Undeclared members are refused.
    pub closed: bool,
    /// The schema says outright that undeclared members may come.
    pub open: bool,
    pub names: Option<PlaceId>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// Members that make others required.
    pub dependent_required: Vec<(Arc<str>, Vec<Arc<str>>)>,
    /// Members that bring another schema.
    pub dependent_schemas: Vec<(Arc<str>, PlaceId)>,
}

impl ObjectRules {
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.index.get(name).and_then(|at| self.properties.get(*at))
    }

    /// Declares a member at a place, or adds the place to what it is known by.
    pub(super) fn declare_member(&mut self, name: &str, at: PlaceId) {
        match self.index.get(name).and_then(|known| self.properties.get_mut(*known)) {
            Some(property) => property.node = property.node.with_place(at),
            None => {
                let name: Arc<str> = name.into();
                self.index.insert(Arc::clone(&name), self.properties.len());
                self.properties.push(Property { name, node: NodeKey::from_place(at) });
            }
        }
    }

    /// Declares a member that another branch of a union speaks of, where nothing is said of it
    /// here.
    pub(super) fn offer_member(&mut self, property: &Property) {
        if !self.index.contains_key(&property.name) {
            self.index.insert(Arc::clone(&property.name), self.properties.len());
            self.properties.push(property.clone());
        }
    }

    #[must_use]
    pub fn requires(&self, name: &str) -> bool {
        self.required.contains(name)
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a list may hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListRules {
    /// The first items, each with its own schema.
    pub prefix: Vec<NodeKey>,
    /// The items after those.
    pub items: NodeKey,
    /// No items after the prefix.
    pub closed: bool,
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub unique: bool,
    pub contains: Option<PlaceId>,
}

impl ListRules {
    /// What the item with this number has to be.
    #[must_use]
    pub fn item_key(&self, index: usize) -> &NodeKey {
        self.prefix.get(index).unwrap_or(&self.items)
    }

    /// How many items there may be at most.
    #[must_use]
    pub fn max_items(&self) -> usize {
        let declared = if self.closed { self.prefix.len() } else { usize::MAX };
        declared.min(self.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX))
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An `anyOf` or `oneOf` that is left when null, single branches and constants are taken out.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    /// The schema that holds it; its identity.
    pub place: PlaceId,
    pub branches: Vec<PlaceId>,
    /// The member that distinguishes the branches.
    pub tag: Option<Arc<str>>,
    /// Several may hold at once: an object may have the members of more than one branch.
    pub inclusive: bool,
    /// Made of the types that a value may have, where the schema has no branches.
    pub of_types: bool,
}

/// `if`, `then`, `else`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub test: PlaceId,
    pub then: Option<PlaceId>,
    pub otherwise: Option<PlaceId>,
}

/// How a field is shown and what may be done with it, beside what the schema says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// Lines of a text.
    pub rows: Option<u16>,
    /// What a text is when it is cleared.
    pub empty_value: Option<Value>,
    /// It is written as JSON.
    pub as_json: bool,
    pub locks: Locks,
}

/// What may not be done with the items of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    pub add: bool,
    pub order: bool,
    pub remove: bool,
}

/// The list's texts are names of members of the value beside it that this keyword names: in a schema,
/// `required` has names of `properties`.
pub(crate) const MEMBERS_OF: &str = "x-members-of";

/// The value is a JSON Schema itself: one that is folded is described by what it asks for.
pub(crate) const HOLDS_SCHEMA: &str = "x-holds-schema";

/// A text of the form `$NAME` is filled in with that environment variable.
pub(crate) const NAMES_VARIABLE: &str = "x-names-variable";

/// Marks the items of a list of texts to which null is added elsewhere than in the list.
pub(crate) const NULL_APART: &str = "x-null-apart";

/// So many examples are shown: all of them can be as many as a workspace has names.
pub(super) const SHOWN_EXAMPLES: usize = 3;

/// A place of the schema with everything that applies there.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub key: NodeKey,
    pub title: Option<Arc<str>>,
    pub description: Option<Arc<str>>,
    /// What to show where nothing is set, instead of what is wanted.
    pub placeholder: Option<Arc<str>>,
    pub default: Option<Value>,
    /// The first of its examples.
    pub examples: Vec<Value>,
    /// Those of its examples that are texts, to be offered.
    pub suggestions: Option<Arc<Choices>>,
    /// The value beside this list whose members are offered to it, by the keyword [`MEMBERS_OF`].
    pub members_of: Option<Arc<str>>,
    /// The value is a schema, by the keyword [`HOLDS_SCHEMA`].
    pub holds_schema: bool,
    /// `$NAME` is an environment variable here, by the keyword [`NAMES_VARIABLE`].
    pub names_variable: bool,
    /// Null is added elsewhere than here, by the keyword [`NULL_APART`].
    pub null_apart: bool,
    pub read_only: bool,
    pub write_only: bool,
    pub deprecated: bool,
    /// What is allowed.
    pub types: Types,
    /// The schema itself says so; else `types` is everything or read off other keywords.
    pub typed: bool,
    /// Null is allowed beside what the node is for.
    pub nullable: bool,
    pub constant: Option<Value>,
    pub choices: Option<Arc<Choices>>,
    pub text: TextRules,
    pub number: NumberRules,
    pub object: ObjectRules,
    pub list: ListRules,
    pub unions: Vec<Union>,
    pub conditions: Vec<Condition>,
    /// Nothing is allowed here.
    pub never: bool,
    /// References that lead nowhere.
    pub unresolved: Vec<Arc<str>>,
    /// How a uiSchema wants it shown.
    pub hints: Hints,
    /// Every place that says something here, with those that references and unions lead to.
    pub made_from: Vec<PlaceId>,
}

impl Node {
    #[must_use]
    pub fn new(key: NodeKey) -> Self {
        Self {
            key,
            title: None,
            description: None,
            placeholder: None,
            default: None,
            examples: Vec::new(),
            suggestions: None,
            members_of: None,
            holds_schema: false,
            names_variable: false,
            null_apart: false,
            read_only: false,
            write_only: false,
            deprecated: false,
            types: Types::ALL,
            typed: false,
            nullable: false,
            constant: None,
            choices: None,
            text: TextRules::default(),
            number: NumberRules::default(),
            object: ObjectRules::default(),
            list: ListRules::default(),
            unions: Vec::new(),
            conditions: Vec::new(),
            never: false,
            unresolved: Vec::new(),
            hints: Hints::default(),
            made_from: Vec::new(),
        }
    }

    /// The types that the form offers: those the schema names, else those its other keywords speak
    /// of; never null.
    #[must_use]
    pub fn shown_types(&self) -> Types {
        let allowed = self.types.difference(Types::NULL);
        if self.typed {
            return allowed;
        }
        let mut spoken = Types::NONE;
        if !self.object.is_empty() {
            spoken = spoken.union(Types::OBJECT);
        }
        if !self.list.is_empty() {
            spoken = spoken.union(Types::LIST);
        }
        if self.text != TextRules::default() {
            spoken = spoken.union(Types::TEXT);
        }
        if self.number != NumberRules::default() {
            spoken = spoken.union(Types::NUMBER);
        }
        if spoken.is_empty() { allowed } else { spoken.intersection(allowed) }
    }

    /// Whether a value is one of the choices, where only these are allowed.
    #[must_use]
    pub fn lists(&self, value: &Value) -> Option<bool> {
        let choices = self.choices.as_ref().filter(|choices| !choices.open)?;
        let is_this = |choice: &Choice| values_equal(&choice.value, value);
        Some(choices.options.iter().any(is_this) || value.is_null() && self.nullable)
    }

    /// Only null is allowed.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.constant == Some(Value::Null) || (self.typed && self.types == Types::NULL)
    }

    /// It says nothing about where a value goes in a form: only rules for what is elsewhere.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        !self.typed
            && self.constant.is_none()
            && self.choices.is_none()
            && self.unions.is_empty()
            && self.object.properties.is_empty()
            && self.object.patterns.is_empty()
            && self.object.additional.places.is_empty()
            && self.list.is_empty()
            && self.text == TextRules::default()
            && self.number == NumberRules::default()
    }
}
