//! Servers that are configured for other programs, as connections of a workspace.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Map, Value};

/// Reads where other programs start and reach servers.
pub trait Configured: Sync {
    /// The files of other programs that configure servers, each by its path below a user's home
    /// folder, with `/` between folders.
    fn home_files(&self) -> Vec<&'static str>;

    /// The same below the folder of a project.
    fn project_files(&self) -> Vec<&'static str>;

    /// Reads such a file, in whatever form it is.
    fn read_config(&self, file: &ConfigFile<'_>) -> ConfigServers;

    /// The table of a connection to a server that a user names by its command or its address: what
    /// stands in `toolcrib.toml`.
    ///
    /// # Errors
    /// When the words name no server, or one that cannot be reached from here.
    fn server_table(&self, words: &[&str]) -> Result<Map<String, Value>, String>;
}

/// A file, and what its variables stand for.
#[derive(Clone, Copy, Debug)]
pub struct ConfigFile<'f> {
    /// With `/` between folders; its end tells the form.
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
    /// Its command or its address as it is written, what may be a secret masked.
    pub shown: String,
    /// Whether it is switched off there.
    pub disabled: bool,
    /// The table of a connection that starts or reaches the same server; `Err`: why there is none.
    /// No secret stands in it.
    pub table: Result<Map<String, Value>, String>,
    /// What the user has to know or do before it works.
    pub notes: Vec<String>,
}
