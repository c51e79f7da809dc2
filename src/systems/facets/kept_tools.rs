//! Tools of servers that a workspace keeps as they were listed once, to be compared with later
//! lists.

use serde_json::Value;

use crate::model::{
    connection::Connection,
    entry::{Entry, FileId},
};

/// The member of a list that names the files of the workspace that its tools come from.
pub const SOURCES: &str = "sources";

/// Such a file says something else than the list.
pub const SOURCE_DIFFERS: &str = "kept.source-differs";

/// So many tools are named of each severity.
const NAMED: usize = 3;

/// Keeps the lists of its servers.
pub trait KeptTools: Sync {
    /// Whether a connection leads to such a server.
    fn is_at(&self, connection: &Connection) -> bool;

    /// The file of the workspace that keeps the list of that server.
    fn path(&self, server: &str) -> String;

    /// Whether an entry is in such a file.
    fn is_kept(&self, entry: &Entry) -> bool;

    /// The files of the workspace that the tools of such a list come from, as it says; none of an
    /// entry that is no list.
    fn sources(&self, list: &Entry) -> Vec<FileId>;

    /// The text of that file.
    fn print(&self, listed: &ListedTools) -> String;

    /// What is wrong with the tools of a list, each in a sentence that begins with the tool's name.
    fn find_faults(&self, listed: &ListedTools) -> Vec<String>;

    /// What changed from the text of such a file to a list; `None` where the text is no such file.
    fn compare(&self, kept: &str, listed: &ListedTools) -> Option<Drift>;

    /// The text of such a file once these tools, by name, are kept as they are listed; `None` where
    /// it is no such file.
    fn accept_tools(&self, kept: &str, listed: &ListedTools, names: &[&str]) -> Option<String>;
}

/// The tools of a server, as it lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedTools {
    /// Its name in the workspace.
    pub server: String,
    /// The revision of the protocol that it speaks.
    pub version: String,
    /// When it was asked, as RFC 3339 has it.
    pub time: String,
    pub tools: Vec<Value>,
}

impl ListedTools {
    /// Each tool's name and its text.
    #[must_use]
    pub fn named_texts(&self) -> Vec<(String, String)> {
        let named = self.tools.iter().filter_map(|tool| Some((tool, tool.get("name")?.as_str()?)));
        named.map(|(tool, name)| (name.to_owned(), tool.to_string())).collect()
    }
}

/// How a list differs from the one that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// The worst first.
    pub changes: Vec<ToolChange>,
    /// The revision that the server spoke when its list was kept, where it speaks another now.
    pub older_version: Option<String>,
}

/// One thing that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolChange {
    /// `breaking`, `trust`, `unclear`, `compatible`.
    pub severity: &'static str,
    /// The tool's name; `*`: the order of the list.
    pub tool: String,
    /// What it is, stable for scripts.
    pub id: &'static str,
    /// Where within the tool; empty: the tool itself.
    pub at: String,
    /// What is kept there, as text or as JSON; `None` where nothing is.
    pub before: Option<String>,
    /// What is listed there now.
    pub after: Option<String>,
}

/// The id of a change of what looks like a secret, and is masked before and after it.
pub const SECRET_CHANGED: &str = "secret.changed";

/// The ids of what a workflow no longer does.
pub const NEVER_RUNS: &str = "tool.never-runs";
pub const UNREACHABLE: &str = "state.unreachable";
pub const DEAD_END: &str = "state.dead-end";

/// What there is to say of some changes, by their ids.
const NOTES: [(&str, &str); 6] = [
    (NEVER_RUNS, "it can't run any more: no run reaches a state that has it"),
    (UNREACHABLE, "no run reaches it any more"),
    (DEAD_END, "no tool is available in it: runs end there"),
    (SECRET_CHANGED, "text that looks like a secret changed"),
    ("input.constraint-changed", "whether calls may fail can't be decided"),
    ("output.constraint-changed", "whether readers of answers may fail can't be decided"),
];

impl ToolChange {
    /// What there is to say beside what it shows.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        NOTES.iter().find(|(id, _)| *id == self.id).map(|(_, note)| *note)
    }
}

/// How many changes there are of each severity, in words: `1 breaking (tool/joke)`. The changes are
/// sorted, the worst first.
#[must_use]
pub fn count_words(changes: &[ToolChange]) -> String {
    let part = |own: &[ToolChange]| {
        let mut names: Vec<&str> = own.iter().map(|change| change.tool.as_str()).collect();
        names.dedup();
        let more = if names.len() > NAMED { ", …" } else { "" };
        names.truncate(NAMED);
        format!("{} {} ({}{more})", own.len(), own[0].severity, names.join(", "))
    };
    let parts: Vec<String> =
        changes.chunk_by(|one, other| one.severity == other.severity).map(part).collect();
    parts.join(", ")
}

impl Drift {
    /// Whether the list is as it is kept.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.changes.is_empty() && self.older_version.is_none()
    }
}
