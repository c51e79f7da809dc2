//! Servers that are configured for other programs, as connections of a workspace.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Map, Value};

use crate::model::{connection::Connection, copied::Copied};

/// Reads where other programs start and reach servers.
pub trait Configured: Sync {
    /// The files of other programs that configure servers, each by its path below a user's home
    /// folder, with `/` between folders.
    fn home_files(&self) -> Vec<&'static str>;

    /// The same below the folder of a project.
    fn project_files(&self) -> Vec<&'static str>;

    /// Reads such a file, in whatever form it is.
    fn read_config(&self, file: &ConfigFile<'_>) -> ConfigServers;

    /// The connection as other programs are configured with it, an entry for each of them; nothing
    /// where it leads to no such server. No secret is in them.
    fn config_entries(&self, connection: &Connection) -> Vec<Copied>;

    /// The table of a connection to a server that a user names by its command or its address: what
    /// is in `toolcrib.toml`.
    ///
    /// # Errors
    /// When the words name no server, or one that cannot be reached from here.
    fn server_table(&self, words: &[&str]) -> Result<Map<String, Value>, String>;

    /// Whether an address is by its form that of such a server, whatever else its transport leads
    /// to.
    fn is_own_address(&self, address: &str) -> bool;

    /// The connection to such an address, as one that leads to such a server.
    fn claim_address(&self, connection: Connection) -> Connection;
}

/// A file, and what its variables stand for.
#[derive(Clone, Copy, Debug)]
pub struct ConfigFile<'f> {
    /// With `/` between folders; its end says the form.
    pub path: &'f str,
    pub text: &'f str,
    pub home: Option<&'f str>,
    /// The folder of the project.
    pub project: Option<&'f str>,
    pub variables: &'f BTreeMap<String, String>,
    /// `linux`, `darwin` or `win32`.
    pub platform: &'f str,
}

/// A file of another program, and what it configures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundConfig {
    pub path: PathBuf,
    pub read: ConfigServers,
}

/// What a file configures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigServers {
    /// The form in which it was read: `vscode`, `codex` and so on; empty where it cannot be read.
    pub form: &'static str,
    /// In the order of the file.
    pub servers: Vec<ConfigServer>,
    /// What is wrong with it, each in a sentence with its place.
    pub findings: Vec<String>,
}

/// A server of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigServer {
    pub name: String,
    /// What the file says that it is for; empty where it says nothing.
    pub about: String,
    /// Empty where the file names none.
    pub version: String,
    /// Its command or its address as it is written, what may be a secret masked.
    pub shown: String,
    /// Whether it is switched off there.
    pub disabled: bool,
    /// The table of a connection that starts or reaches the same server; `Err`: why there is none.
    /// No secret is in it.
    pub table: Result<Map<String, Value>, String>,
    /// What the user has to know or do before it works.
    pub notes: Vec<String>,
    /// Values that the user has to give before it works, in the order of the file.
    pub wanted: Vec<WantedValue>,
}

/// A value that no configuration has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedValue {
    /// What it is for: the name of a variable, or of what the configuration asks for.
    pub title: String,
    pub place: ValuePlace,
    /// What it is where the user says nothing else; never a secret.
    pub default: String,
}

/// Where a value belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValuePlace {
    /// The system's key store, under this name.
    KeyStore(String),
    /// In the place of this text, wherever the table has it.
    Text(String),
}

impl WantedValue {
    /// How it is given at the command line; `None` where it cannot.
    #[must_use]
    pub fn command_note(&self) -> Option<String> {
        match &self.place {
            ValuePlace::KeyStore(key) => {
                Some(format!("`toolcrib secret set {key}` saves the value of {}", self.title))
            }
            ValuePlace::Text(_) => None,
        }
    }
}

impl ConfigServer {
    /// What the user has to know or do at the command line.
    #[must_use]
    pub fn command_notes(&self) -> Vec<String> {
        let wanted = self.wanted.iter().filter_map(WantedValue::command_note);
        self.notes.iter().cloned().chain(wanted).collect()
    }

    /// The names of values that the table waits for.
    #[must_use]
    pub fn asked_values(&self) -> Vec<&str> {
        let is_text = |wanted: &&WantedValue| matches!(wanted.place, ValuePlace::Text(_));
        self.wanted.iter().filter(is_text).map(|wanted| wanted.title.as_str()).collect()
    }
}
