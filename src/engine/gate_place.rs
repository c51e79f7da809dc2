//! Where the gate of a tool is written: in its own entry, or in a table of `toolcrib.toml`.

use serde_json::Value;

use crate::{
    model::{catalog::Catalog, entry::Entry, settings::SETTINGS, tool::Tool},
    schema::pointer::Pointer,
};

/// Where a tool's gate is written: an entry, and the place in it of the object that holds the gate.
#[derive(Clone, Debug)]
pub struct GatePlace<'c> {
    pub entry: &'c Entry,
    pub at: Pointer,
    /// The tool's key, where that is another entry.
    tool: Option<&'c str>,
}

impl<'c> GatePlace<'c> {
    /// The place of a tool's gate; the tool's own entry where it is written nowhere yet.
    #[must_use]
    pub fn of_tool(catalog: &'c Catalog, tool: &'c Tool) -> Self {
        let found = tool.gate_table.as_ref().and_then(|table| {
            let entry =
                setting_entries(catalog).find(|entry| table.starts_with(&entry.id.place().at))?;
            let at = table.strip_prefix(&entry.id.place().at)?;
            at.get(&entry.value)?;
            Some(Self { entry, at, tool: Some(&tool.entry.key) })
        });
        found.unwrap_or_else(|| Self { entry: &tool.entry, at: Pointer::root(), tool: None })
    }

    /// What is said of the gate there, with the tool where that is another entry.
    #[must_use]
    pub fn message(&self, said: impl Into<String>) -> String {
        let said = said.into();
        match self.tool {
            Some(tool) => format!("{tool}: {said}"),
            None => said,
        }
    }

    /// The place of a member.
    #[must_use]
    pub fn member(&self, key: &str) -> Pointer {
        self.at.child(key)
    }

    /// The place of a name in a member that holds one or a list of them.
    #[must_use]
    pub fn name(&self, key: &str, name: &str) -> Pointer {
        let at = self.member(key);
        let value = self.entry.value.parsed();
        let items = at.get(&value).and_then(Value::as_array);
        match items.and_then(|items| items.iter().position(|item| item.as_str() == Some(name))) {
            Some(item) => at.item(item),
            None => at,
        }
    }
}

/// The tables of `toolcrib.toml` that systems read themselves.
pub fn setting_entries(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    catalog.others.iter().filter(|entry| entry.id.file().as_str() == SETTINGS)
}
