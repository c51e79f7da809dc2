//! What a tool may be configured with: from a schema file of the workspace, from a kept list of a
//! server that says it beside its tools, else, for entries of MCP servers, from what is known of
//! them all.

use std::{
    cell::RefCell,
    collections::HashMap,
    rc::Rc,
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value, json};

use super::{
    keys::{self, Member},
    meta,
};
use crate::{
    model::{
        catalog::Catalog,
        entry::{Entry, EntryKind},
    },
    schema::validate::Checker,
    syntax::python::text,
};

/// Where a server's tool says it.
const IN_META: [&str; 2] = ["_meta", meta::CONFIG_SCHEMA];
/// How many compiled schemas are kept.
const MOST_COMPILED: usize = 32;

/// Compiled schemas by what holds them.
type Compiled = Vec<(Arc<Value>, Rc<Option<Checker>>)>;

thread_local! {
    /// Compiling a schema takes longer than checking by it.
    static COMPILED: RefCell<Compiled> = const { RefCell::new(Vec::new()) };
}

/// What is known of a tool beside its entry.
#[derive(Clone, Debug)]
pub struct ConfigSchema {
    /// What holds it: a schema file, a tool of a kept list.
    home: Arc<Value>,
    /// Members between there and the schema.
    path: &'static [&'static str],
}

impl ConfigSchema {
    /// That of what is known of a tool: its schema file, or a server's tool that says it.
    #[must_use]
    pub fn of_known(known: &Arc<Value>) -> Option<Self> {
        let is_server_tool = known.get("inputSchema").is_some();
        let path: &[_] = if is_server_tool { &IN_META } else { &[] };
        let is_said = !is_server_tool || meta::config_schema(known).is_some();
        is_said.then(|| Self { home: Arc::clone(known), path })
    }

    fn part(&self) -> &Value {
        self.path.iter().fold(&*self.home, |value, name| value.get(name).unwrap_or(&Value::Null))
    }

    /// The JSON Schema of its configuration.
    #[must_use]
    pub fn json_schema(&self) -> &Value {
        let part = self.part();
        part.get(keys::JSON_SCHEMA).unwrap_or(part)
    }

    /// How the fields are to be shown.
    #[must_use]
    pub fn ui_schema(&self) -> Option<&Value> {
        self.part().get(keys::UI_SCHEMA)
    }

    /// The configuration of a tool that says nothing.
    #[must_use]
    pub fn default_config(&self) -> Option<&Value> {
        self.part().get(keys::DEFAULT_CONFIG)
    }

    /// A member that only a schema file has.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Value> {
        self.part().get(keys::JSON_SCHEMA).and_then(|_| self.part().get(name))
    }

    /// What says whether a configuration is right; `None` where the schema is invalid as a whole.
    #[must_use]
    pub fn checker(&self) -> Rc<Option<Checker>> {
        let known = COMPILED.with_borrow(|compiled| {
            let found = compiled.iter().find(|(home, _)| Arc::ptr_eq(home, &self.home));
            found.map(|(_, checker)| Rc::clone(checker))
        });
        known.unwrap_or_else(|| {
            let opened = Checker::compile_lenient(&Arc::new(self.json_schema().clone()));
            let checker = Rc::new(opened.checker);
            COMPILED.with_borrow_mut(|compiled| {
                compiled.truncate(MOST_COMPILED - 1);
                compiled.insert(0, (Arc::clone(&self.home), Rc::clone(&checker)));
            });
            checker
        })
    }
}

/// Those of a catalog, by the names of the tools.
#[derive(Debug, Default)]
pub struct ConfigSchemas<'c> {
    by_name: HashMap<&'c str, ConfigSchema>,
}

impl<'c> ConfigSchemas<'c> {
    #[must_use]
    pub fn of_catalog(catalog: &'c Catalog) -> Self {
        let mut by_name = HashMap::new();
        for tool in &catalog.tools {
            if tool.entry.system != keys::SYSTEM && meta::config_schema(&tool.entry.value).is_some()
            {
                let home = Arc::clone(tool.entry.value.shared());
                by_name.insert(tool.name.as_str(), ConfigSchema { home, path: &IN_META });
            }
        }
        for file in catalog.others.iter().filter(|entry| is_schema(entry)) {
            let home = Arc::clone(file.value.shared());
            by_name.insert(file.key.as_str(), ConfigSchema { home, path: &[] });
        }
        Self { by_name }
    }

    /// That of the tool of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&ConfigSchema> {
        self.by_name.get(name)
    }

    /// What holds for the configuration of an entry.
    #[must_use]
    pub fn for_entry(&self, entry: &Value) -> Option<ConfigSchema> {
        match EntrySort::of_entry(entry) {
            EntrySort::Mcp => Some(mcp_schema()),
            EntrySort::SubAgent => self.named(keys::SUB_AGENT).cloned(),
            EntrySort::Factory => self.named(keys::NAME.get(entry)?.as_str()?).cloned(),
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &'c str> {
        self.by_name.keys().copied()
    }
}

/// Whether an entry is a schema file.
#[must_use]
pub fn is_schema(entry: &Entry) -> bool {
    entry.system == keys::SYSTEM && entry.kind == EntryKind::Schema
}

/// By what an entry's configuration is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrySort {
    /// An MCP server's tool: nothing looks at its configuration.
    Mcp,
    /// Another space, whatever the entry's name.
    SubAgent,
    /// What the tool factory has under the entry's name.
    Factory,
}

impl EntrySort {
    /// As the platform decides, in its order.
    #[must_use]
    pub fn of_entry(entry: &Value) -> Self {
        let none = Map::new();
        let members = entry.as_object().unwrap_or(&none);
        let configuration = members.get(keys::CONFIGURATION.camel).and_then(Value::as_object);
        let names_source = |members: &Map<String, Value>| {
            // Here the other spelling is looked at first.
            let Member { camel, snake } = keys::MCP_SOURCE_ID;
            members.get(snake).or_else(|| members.get(camel)).is_some_and(is_some_text)
        };
        let is_set = |name: &str| members.get(name).is_some_and(text::is_true);
        if names_source(members) || configuration.is_some_and(names_source) {
            Self::Mcp
        } else if is_set(keys::IS_SUB_AGENT.snake) || is_set(keys::IS_SUB_AGENT.camel) {
            Self::SubAgent
        } else {
            Self::Factory
        }
    }
}

/// Whether Python makes a text of it that is not empty; none of null.
fn is_some_text(value: &Value) -> bool {
    !value.is_null() && value.as_str() != Some("")
}

/// The configuration of an MCP entry, which the platform makes itself and does not check.
fn mcp_schema() -> ConfigSchema {
    static SCHEMA: LazyLock<Arc<Value>> = LazyLock::new(|| {
        let text = |help: &str| json!({"type": "string", "description": help});
        let prompt = |help: &str| json!({"type": ["string", "null"], "format": "textarea", "default": null, "description": help});
        Arc::new(json!({
            "title": "MCP server", "type": "object",
            "properties": {
                "serverId": text("The server's id at the platform."),
                "serverName": text("Its name; the model reads it in the system prompt."),
                "mcpSourceId": text("Makes the entry that of an MCP server; the platform writes the server's id here."),
                "serverSystemPrompt": prompt("Kept by the platform; the system prompt that the model gets is that of each tool."),
                "serverUserPrompt": prompt("As the system prompt, for the user's message."),
            },
            "required": keys::MCP_REQUIRED.map(|member| member.camel),
        }))
    });
    ConfigSchema { home: Arc::clone(&SCHEMA), path: &[] }
}
