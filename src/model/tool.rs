//! A tool: what an agent can use, and its gate.

use std::sync::Arc;

use serde_json::Value;

use super::{
    context::{DEFAULT_GROUP, Name},
    entry::{Entry, EntryId},
};
use crate::schema::pointer::Pointer;

/// A tool as its system reads it in the present mode.
#[derive(Clone, Debug)]
pub struct Tool {
    pub entry: Entry,
    /// The name that the model sees; the key where none is given.
    pub name: String,
    /// The member of the entry that holds it, or would.
    pub name_key: &'static str,
    /// The system's own type: `tool-service`, `mcp-tool`, …
    pub kind: String,
    pub description: String,
    /// The key of the service (or server) that answers for it.
    pub service: Option<String>,
    pub gate: Gate,
    /// The members that hold the gate, in the entry or in the table of the settings.
    pub keys: GateKeys,
    /// The table of `toolcrib.toml` that holds the gate, or would; `None`: the entry does.
    pub gate_table: Option<Pointer>,
    /// What its system knows of it from elsewhere than its entry.
    pub known: Option<Arc<Value>>,
}

impl Tool {
    #[must_use]
    pub fn id(&self) -> &EntryId {
        &self.entry.id
    }

    /// Its file and key, which names it where tools of several systems have its key.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}:{}", self.id().file(), self.entry.key)
    }

    /// Its key, and in brackets the name that models see, where the key doesn't end with it
    /// (`SERVER/NAME`).
    #[must_use]
    pub fn label(&self) -> String {
        let key = &self.entry.key;
        let named = key.rsplit_once('/').map_or(key.as_str(), |(_, name)| name);
        if named == self.name { key.clone() } else { format!("{key} ({})", self.name) }
    }
}

/// What a tool says that its calls do to the world. It is a claim: nothing holds the tool to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolEffects {
    pub read_only: bool,
    /// `None` here and below: it says nothing of it.
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl ToolEffects {
    /// Whether it says that a call may delete or overwrite something.
    #[must_use]
    pub fn is_destructive(&self) -> bool {
        self.destructive == Some(true)
    }

    /// What it says, each in a word or two; none where it says nothing.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        let said = |said: Option<bool>, yes, no| said.map(|said| if said { yes } else { no });
        // What changes nothing is neither destructive nor does it matter how often it is called.
        let may_change = |words: &&str| !self.read_only || *words == "destructive";
        let changes = [
            said(self.destructive, "destructive", "not destructive"),
            said(self.idempotent, "idempotent", "not idempotent"),
        ];
        let read_only = self.read_only.then_some("read-only");
        let open_world = (self.open_world == Some(true)).then_some("open world");
        let changes = changes.into_iter().flatten().filter(may_change);
        read_only.into_iter().chain(changes).chain(open_world).collect()
    }
}

/// The members that hold a gate, or would hold it: what to edit to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateKeys {
    pub groups: &'static str,
    pub states: &'static str,
    pub next: &'static str,
}

/// When a tool is available, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// `None`: not given, which means `default`.
    pub groups: Option<Vec<Name>>,
    pub states: States,
    /// The state after it; `None`: the state stays.
    pub next: Option<Name>,
    pub offer: Audience,
}

/// Whom a tool is offered to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Requests that ask for one of its groups.
    #[default]
    ToGroups,
    /// Every request: its system knows no groups.
    ToAll,
    /// No request: its system does not load it.
    ToNone(NotLoaded),
}

/// Why a system does not load a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotLoaded {
    /// An entry stops the whole set: its section and key, and what the system logs.
    Refused { entry: Name, logged: Name },
    /// The tool under this key has the same name, and is loaded later.
    Replaced { by: Name },
    /// It is left out for a reason of its own: `isEnabled is false`.
    LeftOut { why: Name },
}

impl Gate {
    /// Why its system does not load the tool; `None` where it does.
    #[must_use]
    pub fn not_loaded(&self) -> Option<&NotLoaded> {
        match &self.offer {
            Audience::ToNone(why) => Some(why),
            Audience::ToGroups | Audience::ToAll => None,
        }
    }

    /// The gate as the tool's entry has it, whether the tool is loaded or not.
    #[must_use]
    pub fn to_declared(&self) -> Self {
        let offer = match &self.offer {
            // Systems that leave tools out know no groups of their own.
            Audience::ToNone(NotLoaded::LeftOut { .. }) if self.groups.is_none() => Audience::ToAll,
            Audience::ToNone(_) => Audience::ToGroups,
            offer => offer.clone(),
        };
        Self { offer, ..self.clone() }
    }

    /// The groups that count; none where it is offered to all.
    #[must_use]
    pub fn groups(&self) -> Vec<Name> {
        match self.offer {
            Audience::ToAll => Vec::new(),
            Audience::ToGroups | Audience::ToNone(_) => {
                self.groups.clone().unwrap_or_else(|| vec![DEFAULT_GROUP.into()])
            }
        }
    }

    /// In no group but the default, available in every state, leading nowhere.
    #[must_use]
    pub fn open() -> Self {
        Self { groups: None, states: States::Every, next: None, offer: Audience::ToGroups }
    }

    /// That of a system without gates: available to every request, in every state.
    #[must_use]
    pub fn ungated() -> Self {
        Self { offer: Audience::ToAll, ..Self::open() }
    }
}

/// The states in which a tool is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum States {
    /// None listed, or `*` among them.
    Every,
    /// Only these; empty: in none.
    Only(Vec<Name>),
}

impl States {
    #[must_use]
    pub fn admits(&self, state: &str) -> bool {
        match self {
            Self::Every => true,
            Self::Only(listed) => listed.iter().any(|name| &**name == state),
        }
    }
}

/// A tool as a model's API gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub description: String,
    /// A JSON Schema of type object.
    pub parameters: Value,
    /// Whether a model has to keep to the schema strictly, where the tool says so: the member
    /// `strict` of OpenAI's and Anthropic's APIs.
    pub strict: Option<bool>,
}

impl Function {
    /// A function that says nothing of how strictly a model keeps to its schema.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters, strict: None }
    }

    /// Whether it says that a model keeps to its schema strictly.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict == Some(true)
    }
}
