//! What the ML framework keeps: agents, connectors, models and the like, each under its id.

use serde_json::Value;

/// A kind of record: the part of the path that leads to it, its id's name, and its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordKind {
    pub path: &'static str,
    pub id: &'static str,
    pub index: &'static str,
    /// For people, as errors have it.
    pub noun: &'static str,
}

pub const AGENT: RecordKind =
    RecordKind { path: "agents", id: "agent_id", index: ".plugins-ml-agent", noun: "agent" };
pub const CONNECTOR: RecordKind = RecordKind {
    path: "connectors",
    id: "connector_id",
    index: ".plugins-ml-connector",
    noun: "connector",
};
pub const MODEL: RecordKind =
    RecordKind { path: "models", id: "model_id", index: ".plugins-ml-model", noun: "model" };
pub const MODEL_GROUP: RecordKind = RecordKind {
    path: "model_groups",
    id: "model_group_id",
    index: ".plugins-ml-model-group",
    noun: "model group",
};
pub const TASK: RecordKind =
    RecordKind { path: "tasks", id: "task_id", index: ".plugins-ml-task", noun: "task" };
pub const MEMORY: RecordKind = RecordKind {
    path: "memory",
    id: "memory_id",
    index: ".plugins-ml-memory-meta",
    noun: "memory",
};
pub const MESSAGE: RecordKind = RecordKind {
    path: "message",
    id: "message_id",
    index: ".plugins-ml-memory-message",
    noun: "message",
};
pub const MCP_TOOL: RecordKind =
    RecordKind { path: "mcp", id: "name", index: ".plugins-ml-mcp-tools", noun: "MCP tool" };

/// The kinds whose records are read, changed and deleted by their path alone.
pub const PLAIN_KINDS: [RecordKind; 5] = [AGENT, CONNECTOR, MODEL, MODEL_GROUP, TASK];

/// Records of every kind, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    kept: Vec<(&'static str, String, Value)>,
    last: usize,
}

impl Records {
    /// Keeps a record under an id of its own, which it says.
    pub fn add(&mut self, kind: RecordKind, value: Value) -> String {
        self.last += 1;
        let id = format!("toolcrib-{}-{}", kind.noun.replace(' ', "-"), self.last);
        self.put(kind, &id, value);
        id
    }

    /// Keeps a record under that id, in the place of what was there.
    pub fn put(&mut self, kind: RecordKind, id: &str, value: Value) {
        match self.find_row(kind, id) {
            Some(row) => self.kept[row].2 = value,
            None => self.kept.push((kind.path, id.to_owned(), value)),
        }
    }

    #[must_use]
    pub fn get(&self, kind: RecordKind, id: &str) -> Option<&Value> {
        self.find_row(kind, id).map(|row| &self.kept[row].2)
    }

    pub fn get_mut(&mut self, kind: RecordKind, id: &str) -> Option<&mut Value> {
        let row = self.find_row(kind, id)?;
        self.kept.get_mut(row).map(|(_, _, value)| value)
    }

    /// Whether it was there.
    pub fn remove(&mut self, kind: RecordKind, id: &str) -> bool {
        self.find_row(kind, id).map(|row| self.kept.remove(row)).is_some()
    }

    /// The records of a kind with their ids.
    pub fn of_kind(&self, kind: RecordKind) -> impl Iterator<Item = (&str, &Value)> {
        self.kept
            .iter()
            .filter(move |(path, ..)| *path == kind.path)
            .map(|(_, id, value)| (id.as_str(), value))
    }

    fn find_row(&self, kind: RecordKind, id: &str) -> Option<usize> {
        self.kept.iter().position(|(path, known, _)| *path == kind.path && known == id)
    }
}
