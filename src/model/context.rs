//! What a request comes with: user, groups, state; and the mode in which rules are read.

use std::{fmt, sync::Arc};

use serde_json::Value;

/// A group or state name, compared exactly.
pub type Name = Arc<str>;

/// The state of a request that names none.
pub(crate) const UNDEFINED: &str = "undefined";
/// The group of a tool or request that names none.
pub(crate) const DEFAULT_GROUP: &str = "default";
/// Every group (in a request), every state (on a tool).
pub(crate) const ANY: &str = "*";

/// Whose rules count where TrustGraph departs from its document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The written rules: either states key counts, the state moves only after success.
    #[default]
    Document,
    /// What the deployed code does: only `applicable-states` counts, the state moves after failures
    /// too.
    AsDeployed,
}

impl Mode {
    /// What it means for a run, in a few words.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Document => "either key for states applies; the state changes only after success",
            Self::AsDeployed => {
                "only applicable-states applies; the state changes after failures too"
            }
        }
    }

    /// Its name where there is little room.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::AsDeployed => "deployed",
        }
    }

    /// The same where there is less room still.
    #[must_use]
    pub fn abbreviation(self) -> &'static str {
        match self {
            Self::Document => "doc",
            Self::AsDeployed => "depl",
        }
    }

    #[must_use]
    pub fn toggled(self) -> Self {
        match self {
            Self::Document => Self::AsDeployed,
            Self::AsDeployed => Self::Document,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Document => "document",
            Self::AsDeployed => "as deployed",
        })
    }
}

/// User, groups and state that a request comes with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The user profile; `None`: no permissions gate.
    pub user: Option<Name>,
    /// `None`: left out, which means `default`. Empty: no tool at all.
    pub groups: Option<Vec<Name>>,
    /// `None` or empty: `undefined`.
    pub state: Option<Name>,
}

impl Context {
    /// The state that counts.
    #[must_use]
    pub fn state(&self) -> &str {
        self.state.as_deref().filter(|state| !state.is_empty()).unwrap_or(UNDEFINED)
    }

    /// The groups that count.
    #[must_use]
    pub fn groups(&self) -> Vec<Name> {
        self.groups.clone().unwrap_or_else(|| vec![DEFAULT_GROUP.into()])
    }
}

/// A user profile: the groups that its requests may name. `*` among them allows all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub user: Name,
    pub allowed_groups: Vec<Name>,
}

impl Profile {
    /// The profiles of a table as settings have it: `NAME = [groups]`, or
    /// `NAME = { allowed-groups = [groups] }`. What is neither is left out.
    #[must_use]
    pub fn read_all(table: &Value) -> Vec<Self> {
        let names = |value: &Value| {
            value
                .as_array()
                .map(|items| items.iter().filter_map(Value::as_str).map(Name::from).collect())
        };
        let read = |(user, value): (&String, &Value)| {
            let allowed_groups = match value.as_object() {
                Some(members) => members.get("allowed-groups").and_then(names).unwrap_or_default(),
                None => names(value)?,
            };
            Some(Self { user: user.as_str().into(), allowed_groups })
        };
        table.as_object().into_iter().flatten().filter_map(read).collect()
    }
}
