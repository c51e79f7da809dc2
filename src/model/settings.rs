//! Settings: what a workspace says for everyone who opens it, and what a user prefers everywhere.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    check_rules::CheckRules,
    connections::Connections,
    context::{Context, Mode, Name, Profile},
    health::HealthSettings,
    notification::NotificationSettings,
};

/// The file that marks a workspace's folder and holds its settings.
pub const SETTINGS: &str = "toolcrib.toml";

/// What a workspace's `toolcrib.toml` says.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkspaceSettings {
    /// The workspace's name; the folder's where it has none.
    pub name: Option<String>,
    pub mode: Mode,
    /// What a run and a request start with.
    pub context: Context,
    pub profiles: Vec<Profile>,
    /// Custom group lists and hierarchies, as `engine::groups::CustomGroups` reads them; an object.
    pub groups: Value,
    /// States that the workspace keeps although no tool may name them yet.
    pub states: Vec<Name>,
    /// None of them is chosen.
    pub connections: Connections,
    /// Addresses of JSON Schemas with the files that hold them, relative to the workspace.
    pub schemas: Vec<(String, String)>,
    /// How findings are taken.
    pub check: CheckRules,
    /// What the health of the tools is measured by.
    pub health: HealthSettings,
    /// What models' tokens cost, by the models' names.
    pub prices: BTreeMap<String, TokenPrice>,
}

/// What a model's tokens cost, per million.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenPrice {
    pub input: f64,
    pub output: f64,
    /// Of input that is in the endpoint's cache; `None`: as other input.
    pub cached: Option<f64>,
}

impl Default for WorkspaceSettings {
    fn default() -> Self {
        Self {
            name: None,
            mode: Mode::default(),
            context: Context::default(),
            profiles: Vec::new(),
            groups: Value::Object(serde_json::Map::new()),
            states: Vec::new(),
            connections: Connections::default(),
            schemas: Vec::new(),
            check: CheckRules::default(),
            health: HealthSettings::default(),
            prices: BTreeMap::new(),
        }
    }
}

/// What a user's `config.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserSettings {
    pub theme: Option<String>,
    /// Signs beyond ASCII are not drawn.
    pub ascii: bool,
    /// The program that opens files, with its arguments; else `$VISUAL`, `$EDITOR`.
    pub editor: Option<String>,
    /// Action id → keys, in place of the table's own.
    pub keys: BTreeMap<String, Vec<String>>,
    pub notifications: NotificationSettings,
}

impl UserSettings {
    /// The keys that the file may have.
    pub const KEYS: [&str; 5] = ["theme", "ascii", "editor", "keys", "notifications"];
}
