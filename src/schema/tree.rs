//! A schema as a whole: its places, and the nodes that were made from them.

use std::{
    cell::{OnceCell, RefCell},
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::{Value, json};

pub(crate) use super::draft::Draft;
use super::{
    encoding::escape_token,
    node::{Node, NodeKey, PlaceId, Types},
    pointer::Pointer,
    resolve::Addresses,
    ui_schema::Ui,
};

/// Where a place is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PlaceOrigin {
    /// In the schema, by JSON pointer.
    At(Arc<str>),
    /// Nowhere: the schema that allows just this type, by its index in [`Types::WORDS`].
    OnlyType(usize),
    /// Nowhere: the union of all types.
    AnyType,
}

#[derive(Debug, Default)]
struct Places {
    spots: Vec<PlaceOrigin>,
    ids: HashMap<PlaceOrigin, PlaceId>,
}

impl Places {
    fn intern(&mut self, spot: PlaceOrigin) -> PlaceId {
        if let Some(id) = self.ids.get(&spot) {
            return *id;
        }
        let id = PlaceId(u32::try_from(self.spots.len()).unwrap_or(u32::MAX));
        self.spots.push(spot.clone());
        self.ids.insert(spot, id);
        id
    }
}

/// A schema that answers what is at a place (`merge.rs` makes the nodes, when first asked for, so
/// recursion is no trouble).
#[derive(Debug)]
pub struct Schema {
    root: Arc<Value>,
    ui: Option<Arc<Value>>,
    draft: Draft,
    addresses: Addresses,
    places: RefCell<Places>,
    pub(super) nodes: RefCell<HashMap<NodeKey, Arc<Node>>>,
    pub(super) building: RefCell<HashSet<NodeKey>>,
    types: Vec<Value>,
    secrets: OnceCell<bool>,
    hidden_names: Option<IsHidden>,
}

/// Whether texts of that name are hidden.
pub type IsHidden = fn(&str) -> bool;

impl Schema {
    #[must_use]
    pub fn new(root: impl Into<Arc<Value>>) -> Self {
        let root = root.into();
        Self {
            draft: Draft::detect(&root),
            addresses: Addresses::from_schema(&root),
            root,
            ui: None,
            places: RefCell::default(),
            nodes: RefCell::default(),
            building: RefCell::default(),
            types: Types::WORDS
                .iter()
                .map(|(_, keyword, words)| json!({"type": keyword, "title": words}))
                .collect(),
            secrets: OnceCell::new(),
            hidden_names: None,
        }
    }

    /// Texts of these names are hidden, whatever the schema says of them.
    pub fn hide_names(&mut self, names: Option<IsHidden>) {
        self.hidden_names = names;
    }

    /// Which names have texts that are hidden.
    #[must_use]
    pub fn hidden_names(&self) -> Option<IsHidden> {
        self.hidden_names
    }

    /// The same, with what a uiSchema says about how its fields are shown.
    #[must_use]
    pub fn with_ui(mut self, ui: Option<Arc<Value>>) -> Self {
        self.ui = ui;
        self
    }

    /// The uiSchema as it was given.
    #[must_use]
    pub fn ui_schema(&self) -> Option<&Arc<Value>> {
        self.ui.as_ref()
    }

    /// What the uiSchema says about the whole.
    #[must_use]
    pub fn ui(&self) -> Ui<'_> {
        Ui::new(self.ui.as_deref())
    }

    #[must_use]
    pub fn root(&self) -> &Arc<Value> {
        &self.root
    }

    #[must_use]
    pub fn draft(&self) -> Draft {
        self.draft
    }

    /// The schema text at a place; `None` where a reference leads to nothing.
    pub(super) fn schema_at(&self, place: PlaceId) -> Option<&Value> {
        let spot = self.places.borrow().spots.get(place.0 as usize)?.clone();
        match spot {
            PlaceOrigin::At(pointer) => self.root.pointer(&pointer),
            PlaceOrigin::OnlyType(index) => self.types.get(index),
            PlaceOrigin::AnyType => None,
        }
    }

    /// The title that a schema has itself: one that it refers to titles what it is, not this value.
    #[must_use]
    pub(super) fn own_title(&self, key: &NodeKey) -> Option<Arc<str>> {
        let title = |place: &PlaceId| self.schema_at(*place)?.get("title")?.as_str();
        key.places.iter().find_map(title).map(Arc::from)
    }

    /// The pointer of a place within the schema; `None` for places that only the form knows.
    #[must_use]
    pub fn pointer(&self, place: PlaceId) -> Option<Arc<str>> {
        match self.places.borrow().spots.get(place.0 as usize)? {
            PlaceOrigin::At(pointer) => Some(Arc::clone(pointer)),
            PlaceOrigin::OnlyType(_) | PlaceOrigin::AnyType => None,
        }
    }

    pub(super) fn intern_place(&self, pointer: String) -> PlaceId {
        self.places.borrow_mut().intern(PlaceOrigin::At(pointer.into()))
    }

    /// The place one step further.
    pub(super) fn child_place(&self, place: PlaceId, step: &str) -> PlaceId {
        let pointer = self.pointer(place).unwrap_or_default();
        self.intern_place(format!("{pointer}/{}", escape_token(step)))
    }

    /// The place that a reference of this keyword, standing at `from`, leads to.
    pub(super) fn reference_target(
        &self,
        keyword: &str,
        reference: &str,
        from: PlaceId,
    ) -> Option<PlaceId> {
        let pointer = self.addresses.resolve(keyword, reference, &self.pointer(from)?)?;
        self.root.pointer(&pointer)?;
        Some(self.intern_place(pointer))
    }

    /// The number of a branch in its union, as the schema has it.
    pub(super) fn branch_number(&self, branch: PlaceId) -> Option<usize> {
        self.pointer(branch)?.rsplit('/').next()?.parse().ok()
    }

    /// Whether any text of a value could be a secret by the schema, its uiSchema, or its name.
    pub(super) fn may_hold_secrets(&self, value: &Value) -> bool {
        let is_spoken_of =
            || are_spoken_of(&self.root) || self.ui.as_deref().is_some_and(are_spoken_of);
        *self.secrets.get_or_init(is_spoken_of) || self.has_hidden_name(value)
    }

    fn has_hidden_name(&self, value: &Value) -> bool {
        match value {
            _ if self.hidden_names.is_none() => false,
            Value::Object(members) => members
                .iter()
                .any(|(name, member)| self.hides_name(name) || self.has_hidden_name(member)),
            Value::Array(items) => items.iter().any(|item| self.has_hidden_name(item)),
            _ => false,
        }
    }

    /// Whether texts of that name are hidden.
    pub(super) fn hides_name(&self, name: &str) -> bool {
        self.hidden_names.is_some_and(|is_hidden| is_hidden(name))
    }

    /// The node of a text as one that is hidden, where its name says so and its schema nothing else.
    pub(super) fn hidden_by_name(&self, at: &Pointer, mut node: Arc<Node>) -> Arc<Node> {
        let is_free = node.choices.is_none() && node.text.format.is_none();
        let is_text = is_free && node.types.contains(Types::TEXT);
        if is_text && at.last().is_some_and(|name| self.hides_name(name)) {
            Arc::make_mut(&mut node).text.format = Some("password".into());
        }
        node
    }

    /// The union of types that a value may have where the schema does not say which.
    pub(super) fn type_union(&self, types: Types) -> (PlaceId, Vec<PlaceId>) {
        let number = types.contains(Types::NUMBER);
        let mut places = self.places.borrow_mut();
        let branches = Types::WORDS.iter().enumerate().filter(|(_, (one, ..))| {
            types.contains(*one) && !(number && *one == Types::INTEGER) && *one != Types::NULL
        });
        let branches =
            branches.map(|(index, _)| places.intern(PlaceOrigin::OnlyType(index))).collect();
        (places.intern(PlaceOrigin::AnyType), branches)
    }
}

/// Whether a schema or a uiSchema could make a text a secret.
fn are_spoken_of(text: &Value) -> bool {
    match text {
        Value::Object(members) => {
            members.get("writeOnly") == Some(&Value::Bool(true))
                || members.values().any(are_spoken_of)
        }
        Value::Array(items) => items.iter().any(are_spoken_of),
        Value::String(text) => text == "password",
        _ => false,
    }
}
