//! The configuration service behind the gateway: entries by type and key, each a text, and one
//! version for all.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    model::catalog::Catalog,
    systems::{
        deployed::item::Item,
        trustgraph::{deployed::item, keys},
    },
};

/// The service's name on the gateway.
pub(crate) const SERVICE: &str = "config";

/// The operations that it knows.
pub(crate) const OPERATIONS: [&str; 6] = ["list", "get", "getvalues", "config", "put", "delete"];

/// A workspace's configuration.
#[derive(Clone, Debug)]
pub struct Table {
    version: u64,
    rows: BTreeMap<(String, String), String>,
}

impl Table {
    /// A workspace's own tools, services and MCP servers.
    #[must_use]
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let own = catalog.entries().filter(|entry| entry.system == keys::SYSTEM);
        let row = |entry: &crate::model::entry::Entry| {
            ((item::section_of(entry.kind).to_owned(), entry.key.clone()), entry.value.to_string())
        };
        Self { version: 1, rows: own.map(row).collect() }
    }

    /// The entries that agents use.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let sections = item::SECTIONS
            .iter()
            .flat_map(|(section, _)| self.of_type(section).map(move |row| (*section, row)));
        let item = |(section, (key, text)): (&'static str, (&str, &str))| Item {
            system: keys::SYSTEM,
            section,
            key: key.to_owned(),
            text: text.to_owned(),
        };
        sections.map(item).collect()
    }

    fn of_type<'t>(&'t self, of: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.rows
            .iter()
            .filter(move |((kind, _), _)| kind == of)
            .map(|((_, key), text)| (key.as_str(), text.as_str()))
    }

    /// The answer to a request, which may change what is there. An error of the service arrives as
    /// an answer in which nothing is, not even a version; so does the answer to every write.
    pub fn answer_request(&mut self, request: &Map<String, Value>) -> Value {
        let operation = request.get("operation").and_then(Value::as_str).unwrap_or_default();
        let kind = request.get("type").and_then(Value::as_str);
        let found = match operation {
            "list" => kind.map(|kind| {
                ("directory", self.of_type(kind).map(|(key, _)| Value::from(key)).collect())
            }),
            "get" => self.get_values(request).map(|values| ("values", values)),
            "getvalues" => kind.map(|kind| {
                let value = |(key, text)| json!({"type": kind, "key": key, "value": text});
                ("values", self.of_type(kind).map(value).collect())
            }),
            "config" => Some(("config", self.all_values())),
            "put" => {
                self.put_values(request);
                None
            }
            "delete" => {
                self.delete_values(request);
                None
            }
            _ => None,
        };
        let mut answer = json!({"version": 0, "values": [], "directory": [], "config": {}});
        if let Some((member, value)) = found {
            answer["version"] = self.version.into();
            answer[member] = value;
        }
        answer
    }

    /// What a list of the request names, each by type and key; `None` where there is none, or one
    /// is named badly.
    fn named_rows<'r>(
        request: &'r Map<String, Value>,
        list: &str,
    ) -> Option<Vec<((String, String), &'r Value)>> {
        let text =
            |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        let row = |item: &'r Value| Some(((text(item, "type")?, text(item, "key")?), item));
        request.get(list)?.as_array()?.iter().map(row).collect()
    }

    fn get_values(&self, request: &Map<String, Value>) -> Option<Value> {
        let value = |(row, _): ((String, String), &Value)| {
            let text = self.rows.get(&row);
            json!({"type": row.0, "key": row.1, "value": text})
        };
        Some(Self::named_rows(request, "keys")?.into_iter().map(value).collect())
    }

    fn all_values(&self) -> Value {
        let mut all = Map::new();
        for ((kind, key), text) in &self.rows {
            let of_type = all.entry(kind.as_str()).or_insert_with(|| json!({}));
            of_type[key.as_str()] = text.as_str().into();
        }
        all.into()
    }

    fn put_values(&mut self, request: &Map<String, Value>) {
        let rows = Self::named_rows(request, "values").and_then(|named| {
            let row = |(row, item): ((String, String), &Value)| {
                Some((row, item.get("value")?.as_str()?.to_owned()))
            };
            named.into_iter().map(row).collect::<Option<Vec<_>>>()
        });
        if let Some(rows) = rows {
            self.rows.extend(rows);
            self.version += 1;
        }
    }

    fn delete_values(&mut self, request: &Map<String, Value>) {
        if let Some(rows) = Self::named_rows(request, "keys") {
            rows.iter().for_each(|(row, _)| drop(self.rows.remove(row)));
            self.version += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::read,
    };

    fn ask(table: &mut Table, request: &Value) -> Value {
        table.answer_request(request.as_object().unwrap())
    }

    #[test]
    fn it_answers_as_the_real_service_does() {
        let text = r#"{"tool": {"b": {"type": "text-completion"}, "a": {"type": "prompt"}}, "mcp": {"s": {"url": "x"}}}"#;
        let file = FileId::new("t.json");
        let source = Source::parse(Format::Json, text).unwrap();
        let mut table =
            Table::from_catalog(&read::read_catalog([(&file, &source)], Mode::AsDeployed));
        let empty = json!({"version": 0, "values": [], "directory": [], "config": {}});
        let with = |member: &str, value: Value, version: u64| {
            let mut answer = empty.clone();
            answer["version"] = version.into();
            answer[member] = value;
            answer
        };
        assert_eq!(
            ask(&mut table, &json!({"operation": "list", "type": "tool"})),
            with("directory", json!(["a", "b"]), 1)
        );
        let asked = json!({"operation": "get", "keys": [{"type": "tool", "key": "a"}, {"type": "tool", "key": "nope"}]});
        let values = json!([{"type": "tool", "key": "a", "value": r#"{"type":"prompt"}"#}, {"type": "tool", "key": "nope", "value": null}]);
        assert_eq!(ask(&mut table, &asked), with("values", values, 1));
        let values = json!([{"type": "mcp", "key": "s", "value": r#"{"url":"x"}"#}]);
        assert_eq!(
            ask(&mut table, &json!({"operation": "getvalues", "type": "mcp"})),
            with("values", values, 1)
        );
        let put =
            json!({"operation": "put", "values": [{"type": "tool", "key": "c", "value": "{}"}]});
        assert_eq!(ask(&mut table, &put), empty);
        let delete = json!({"operation": "delete", "keys": [{"type": "tool", "key": "a"}, {"type": "tool", "key": "never"}]});
        assert_eq!(ask(&mut table, &delete), empty);
        assert_eq!(
            ask(&mut table, &json!({"operation": "list", "type": "tool"})),
            with("directory", json!(["b", "c"]), 3)
        );
        // A value that is no text, and an operation that lacks what it is about, change nothing.
        for bad in [
            json!({"operation": "put", "values": [{"type": "tool", "key": "d", "value": {}}]}),
            json!({"operation": "get"}),
            json!({"operation": "list"}),
            json!({"operation": "delete"}),
        ] {
            assert_eq!(ask(&mut table, &bad), empty, "{bad}");
        }
        let all = json!({"tool": {"b": r#"{"type":"text-completion"}"#, "c": "{}"}, "mcp": {"s": r#"{"url":"x"}"#}});
        assert_eq!(ask(&mut table, &json!({"operation": "config"})), with("config", all, 3));
        assert_eq!(
            table.items().iter().map(Item::name).collect::<Vec<_>>(),
            ["tool/b", "tool/c", "mcp/s"]
        );
    }
}
