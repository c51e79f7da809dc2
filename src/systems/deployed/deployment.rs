//! What a system offers whose entries can be read and written while it runs.

use serde_json::{Value, json};

use super::{
    item::{self, Item},
    push::{AbsentEntries, Push},
};
use crate::{
    engine::drift::Change,
    model::{
        catalog::Catalog,
        connection::Connection,
        entry::Entry,
        problem::{Problem, ProblemKind},
    },
};

/// Where new entries go in a workspace, where its own files do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Into one file of that name, in maps by their sections.
    Sections(&'static str),
    /// Each into a file of its own in that folder, named by its key.
    Each(&'static str),
}

/// That a connection does not lead to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDeployed {
    /// Goes on after `connection "a" leads to NATS, `.
    pub cause: &'static str,
    /// Goes on after `name `.
    pub wanted: &'static str,
}

/// How a workspace without a connection gets one to the system: what the first run asks, and makes
/// of the answers.
#[derive(Debug)]
pub struct FirstConnection {
    /// The key of the button.
    pub key: char,
    /// What the button does: `import from TrustGraph`.
    pub act: &'static str,
    /// The connection's name.
    pub name: &'static str,
    /// What is to be known before: a sentence.
    pub words: &'static str,
    pub fields: &'static [FirstField],
    /// The table of the system's settings, which says that the connection leads to it.
    pub table: Option<&'static str>,
}

/// A text that is asked for.
#[derive(Debug)]
pub struct FirstField {
    pub label: &'static str,
    /// Where it is in the table of the connection; `servers` is a list of one.
    pub at: &'static [&'static str],
    pub value: &'static str,
    pub required: bool,
}

/// The member of a connection's table that holds its addresses.
const SERVERS: &str = "servers";

impl FirstConnection {
    /// The table of the connection in `toolcrib.toml`; `values` are the fields' texts.
    ///
    /// # Errors
    /// When one is empty that is required.
    pub fn table_value(&self, values: &[&str]) -> Result<Value, String> {
        let mut table = json!({});
        if let Some(own) = self.table {
            table[own] = json!({});
        }
        for (field, value) in self.fields.iter().zip(values) {
            let value = value.trim();
            match (value.is_empty(), field.required) {
                (true, true) => return Err(format!("{} is required", field.label)),
                (true, false) => {}
                (false, _) if field.at == [SERVERS] => table[SERVERS] = json!([value]),
                (false, _) => {
                    let place = field.at.iter().fold(&mut table, |table, key| &mut table[*key]);
                    *place = value.into();
                }
            }
        }
        Ok(table)
    }
}

pub trait Deployment: Sync {
    /// What is read and written, and by which way:
    /// `Tool definitions of a CommonGround project, through its management API`.
    fn about(&self) -> &'static str;

    /// Whether a connection leads to it.
    fn is_at(&self, connection: &Connection) -> bool;

    /// What a connection that leads elsewhere lacks, and which one to name instead.
    fn elsewhere(&self) -> NotDeployed;

    /// How its entries come into a workspace where it is not by an import; they are not sent there
    /// either. `None`: they are imported and pushed.
    fn read_only(&self) -> Option<&'static str> {
        None
    }

    /// How the first run connects to it; `None`: it is not offered there.
    fn first_connection(&self) -> Option<&'static FirstConnection> {
        None
    }

    /// What sending the catalog's entries changes, where `items` is what is there.
    ///
    /// # Errors
    /// When the workspace itself does not say clearly what to send.
    fn plan_push(
        &self,
        catalog: &Catalog,
        items: &[Item],
        absent: AbsentEntries,
    ) -> Result<Push, Problem>;

    /// Whether an entry of ours is that one there.
    fn is_named(&self, entry: &Entry, item: &Item) -> bool;

    /// The section under which an entry of ours is kept there; `None` where it is not kept.
    fn section(&self, entry: &Entry) -> Option<&'static str> {
        Some(entry.kind.as_str())
    }

    fn layout(&self) -> Layout;

    /// Whether the system itself brought that entry along: it is not taken into a workspace, and
    /// not deleted.
    fn is_own(&self, item: &Item) -> bool {
        let _ = item;
        false
    }

    /// What changed between two entries for one tool, where the entry is the tool as its readers get
    /// it; `None`: the tools that the entries make are compared.
    fn compare_tools(
        &self,
        old: &serde_json::Value,
        new: &serde_json::Value,
    ) -> Option<Vec<Change>> {
        let _ = (old, new);
        None
    }

    /// The member of an entry that holds a secret, which no file of a workspace gets.
    fn secret(&self) -> Option<&'static str> {
        None
    }

    /// An entry as a file of the workspace holds it.
    fn file_value(&self, value: Value) -> Value {
        value
    }

    /// Whether `ours`, an entry as a file holds it, says the same as what an import of that item
    /// would make of it; beside the id, if [`Deployment::given_id`] says it.
    fn is_same(&self, item: &Item, ours: Value, imported: &Value) -> bool {
        let _ = item;
        self.file_value(ours) == *imported
    }

    /// What an entry of ours becomes where the one `there` is taken into the workspace.
    fn imported_value(&self, entry: &Entry, there: Value) -> Value {
        let _ = entry;
        there
    }

    /// The member of an entry that keeps the id which the system gave it there, and that id, where
    /// the entry does not say it yet.
    fn given_id(&self, entry: &Entry, item: &Item) -> Option<(&'static str, String)> {
        let _ = (entry, item);
        None
    }

    /// That something there loads the entries again when they are written once more.
    ///
    /// # Errors
    /// When nothing does.
    fn check_reload(&self) -> Result<(), Problem> {
        let cause = "nothing there reloads definitions: each is read when it is used";
        Err(Problem::new(ProblemKind::Input, "pushing", cause).with_remedy("omit --reload"))
    }

    /// What there can be called, as a file of a workspace would hold it: the items, and what else
    /// calls reach there.
    fn callable_document(&self, items: &[Item]) -> Value {
        item::group_by_section(items)
    }

    /// What so many tools there mean: `the agent should load 3 tools`. Nobody has seen it load
    /// them.
    fn loaded_message(&self, tools: usize) -> String;
}
