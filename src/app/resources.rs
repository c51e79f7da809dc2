//! What servers have to read beside their tools, as one looks at it: which resource or prompt is
//! chosen, what is typed for it, what it holds.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};

use super::edited_text::EditedText;
use crate::{
    model::{
        content_part::ContentPart,
        problem::Problem,
        server_item::{ItemContent, ItemKind, ItemRequest, ServerItem},
    },
    syntax::edit::Edit,
};

/// Something that can be read: by the connection of its server, its kind, and the URI, template or
/// name that the server has it under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ItemId {
    pub connection: String,
    pub kind: ItemKind,
    pub id: String,
}

impl ItemId {
    #[must_use]
    pub fn new(connection: &str, item: &ServerItem) -> Self {
        Self { connection: connection.to_owned(), kind: item.kind, id: item.id.clone() }
    }
}

/// What a user asks for, then what comes back.
#[derive(Clone, Debug)]
pub enum ResourceMessage {
    /// Show what the server of that connection has.
    Show(String),
    Choose(ItemId),
    /// Edits of its arguments, as one step of undo.
    Edit {
        item: ItemId,
        edits: Vec<Edit>,
    },
    Undo(ItemId),
    Redo(ItemId),
    Read(ItemId),
    /// Follow a resource, which is read again whenever its server says that it has changed; or
    /// follow it no longer.
    Follow(ItemId),
    /// Read what a link leads to, at the server of that connection.
    ReadLink {
        connection: String,
        uri: String,
    },
    /// Write parts into new files.
    SaveParts {
        parts: Vec<ContentPart>,
        path: String,
    },
    /// Open a part with the system's program for its type.
    OpenPart(Box<ContentPart>),

    /// What it holds.
    WasRead {
        turn: u64,
        item: ItemId,
        read: Box<Result<ItemContent, Problem>>,
    },
    /// The server says that a resource that is followed has changed.
    Updated(ItemId),
    /// Why a resource is no longer followed, although nobody asked for that.
    FollowEnded {
        item: ItemId,
        problem: Box<Problem>,
    },
    /// What the server suggests for one of its arguments.
    Suggested {
        turn: u64,
        item: Box<ItemId>,
        argument: String,
        values: Vec<String>,
    },
}

/// How a reading goes.
#[derive(Clone, Debug)]
pub enum ReadReport {
    UnderWay,
    Done(Arc<ItemContent>),
    Failed(Problem),
}

/// What the server suggested for one argument, and the number of the asking.
#[derive(Clone, Debug, Default)]
struct Suggestions {
    asked: u64,
    values: Vec<String>,
}

/// Everything about it. What servers list is with the tests of their connections.
#[derive(Debug, Default)]
pub struct Resources {
    /// The connection whose server is shown; `None`: that which suits best.
    pub connection: Option<String>,
    pub chosen: Option<ItemId>,
    /// Resources that were read by a link and are in no list, by connection.
    pub linked: HashMap<String, Vec<ServerItem>>,
    /// Grows with everything that a form of arguments shows.
    pub revision: u64,
    arguments: HashMap<ItemId, EditedText>,
    reports: HashMap<ItemId, (u64, ReadReport)>,
    /// Resources that are followed, and how often each has changed since.
    followed: HashMap<ItemId, u64>,
    suggestions: HashMap<(ItemId, String), Suggestions>,
    turn: u64,
}

impl Resources {
    #[must_use]
    pub fn typed_arguments(&self, item: &ItemId) -> Option<&EditedText> {
        self.arguments.get(item)
    }

    pub(super) fn arguments_mut(&mut self) -> &mut HashMap<ItemId, EditedText> {
        self.revision += 1;
        &mut self.arguments
    }

    #[must_use]
    pub fn report(&self, item: &ItemId) -> Option<&ReadReport> {
        self.reports.get(item).map(|(_, report)| report)
    }

    /// The request that reads an item with what is typed for it; what is empty is left out.
    #[must_use]
    pub fn read_request(&self, item: &ItemId) -> ItemRequest {
        let value = self.typed_arguments(item).and_then(EditedText::value);
        let typed = value.and_then(|value| value.as_object().cloned()).unwrap_or_default();
        let is_said = |(_, value): &(String, Value)| value.as_str() != Some("");
        let arguments: Map<String, Value> = typed.into_iter().filter(is_said).collect();
        ItemRequest { kind: item.kind, id: item.id.clone(), arguments }
    }

    /// The schema of an item's arguments, with what its server suggests for each.
    #[must_use]
    pub fn arguments_schema(&self, connection: &str, item: &ServerItem) -> Option<Value> {
        let mut schema = item.arguments.clone()?;
        let id = ItemId::new(connection, item);
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            let known = self.suggestions.get(&(id.clone(), name.clone()));
            if let Some(known) = known.filter(|known| !known.values.is_empty()) {
                property["examples"] = known.values.clone().into();
            }
        }
        Some(schema)
    }

    /// A reading begins; its number.
    pub(super) fn begin_reading(&mut self, item: ItemId) -> u64 {
        self.turn += 1;
        self.reports.insert(item, (self.turn, ReadReport::UnderWay));
        self.turn
    }

    /// What is shown is read again, and shown until that is done; the number of the reading.
    pub(super) fn begin_refreshing(&mut self, item: ItemId) -> u64 {
        match self.reports.get_mut(&item) {
            Some((asked, ReadReport::Done(_))) => {
                self.turn += 1;
                *asked = self.turn;
                self.turn
            }
            _ => self.begin_reading(item),
        }
    }

    /// How often a resource has changed since it is followed; `None` where it is not.
    #[must_use]
    pub fn update_count(&self, item: &ItemId) -> Option<u64> {
        self.followed.get(item).copied()
    }

    /// The counts of changes of those that are followed.
    pub(super) fn followed_mut(&mut self) -> &mut HashMap<ItemId, u64> {
        &mut self.followed
    }

    /// A reading ended; an older one than the last counts no more.
    pub(super) fn end_reading(&mut self, turn: u64, item: &ItemId, report: ReadReport) {
        if let Some((asked, known)) = self.reports.get_mut(item)
            && *asked == turn
        {
            *known = report;
        }
    }

    /// The server is asked for what it suggests for an argument; the number of the asking.
    pub(super) fn begin_suggesting(&mut self, item: &ItemId, argument: &str) -> u64 {
        self.turn += 1;
        let place = (item.clone(), argument.to_owned());
        self.suggestions.entry(place).or_default().asked = self.turn;
        self.turn
    }

    pub(super) fn end_suggesting(
        &mut self,
        turn: u64,
        item: ItemId,
        argument: String,
        values: Vec<String>,
    ) {
        if let Some(known) = self.suggestions.get_mut(&(item, argument))
            && known.asked == turn
            && known.values != values
        {
            known.values = values;
            self.revision += 1;
        }
    }
}
