//! A row of a form, and what the user decided about the rows.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use super::{
    kind::Kind,
    node::{Locks, Node, PlaceId},
    pointer::Pointer,
};

/// One row of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub pointer: Pointer,
    pub part: Part,
    pub role: Role,
    pub depth: usize,
    /// The title, else the name.
    pub label: Arc<str>,
    /// The member's name, where the title says something else.
    pub key: Option<Arc<str>>,
    /// What the schema says here, with the unions decided as the value is.
    pub node: Arc<Node>,
    pub kind: Kind,
    pub required: bool,
    pub presence: Presence,
    /// What may not be done with it, as the item of its list.
    pub locks: Locks,
    /// The schema's default is not what the schema allows: it is no value to offer.
    pub bad_default: bool,
}

impl Field {
    /// What says this row from all others.
    #[must_use]
    pub fn id(&self) -> (&Pointer, Part) {
        (&self.pointer, self.part)
    }

    /// It has to be given, which a value as a whole always is.
    #[must_use]
    pub fn is_marked_required(&self) -> bool {
        self.required && self.role != Role::Root
    }

    #[must_use]
    pub fn help(&self) -> Option<&Arc<str>> {
        self.node.description.as_ref()
    }

    /// The row's contents can be shown or hidden.
    #[must_use]
    pub fn fold_state(&self) -> Option<bool> {
        match self.kind {
            Kind::List { open, .. } | Kind::Object { open, .. } | Kind::Map { open, .. } => {
                Some(open)
            }
            Kind::Variant { open, .. } => open,
            _ => None,
        }
    }

    /// A list that may have one more item: not a tuple whose places are all taken.
    #[must_use]
    pub fn takes_items(&self) -> bool {
        let list = &self.node.list;
        !self.node.read_only
            && !self.node.hints.locks.add
            && matches!(self.kind, Kind::List { len, .. } if !list.closed || len < list.prefix.len())
    }

    /// The value can be taken away.
    #[must_use]
    pub fn is_removable(&self) -> bool {
        !self.locks.remove
            && self.presence != Presence::Unset
            && !self.pointer.is_root()
            && self.part.is_value()
    }
}

/// Which part of the value at a pointer a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Whole,
    /// Which branch of the union at this place of the schema.
    Switch(PlaceId),
    /// The value itself, below its switch.
    Value,
    /// Whether the schema that the value is allows null.
    OrNull,
    Add,
    /// The items before (0) or after (1) those laid out.
    More(u8),
}

impl Part {
    /// The row is for the value at its pointer, or for what the value is.
    #[must_use]
    pub fn is_value(self) -> bool {
        matches!(self, Self::Whole | Self::Switch(_) | Self::Value)
    }
}

/// How a value hangs in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Root,
    /// A declared member.
    Member,
    /// A member under a name that the user gave.
    Entry {
        /// The schema refuses it.
        unknown: bool,
    },
    Item {
        index: usize,
        len: usize,
    },
}

/// Whether there is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Unset,
    Null,
    Set,
}

impl Presence {
    pub(super) fn from_value(value: Option<&Value>) -> Self {
        match value {
            None => Self::Unset,
            Some(Value::Null) => Self::Null,
            Some(_) => Self::Set,
        }
    }
}

/// What the user decided about the layout.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Rows opened (true) or closed by hand.
    pub folds: HashMap<Pointer, bool>,
    /// Branches picked by hand; they hold as long as the value could be meant for them.
    pub picks: HashMap<(Pointer, PlaceId), usize>,
    /// The first item laid out of a long list.
    pub windows: HashMap<Pointer, usize>,
    /// An object that is to get a member which its schema does not speak of.
    pub adding: Option<Pointer>,
    /// Members that are not set have no row.
    pub only_set: bool,
}
