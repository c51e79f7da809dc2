//! The tools of a server as `tools/list` has them, under names that every client takes.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::{
    engine::model_view::{Client, accepted_name},
    systems::{facets::served::ServedTool, mcp::keys},
};

/// So many tools stand on a page of the list.
const PAGE: usize = 500;
/// The longest name that every client hands on to its model.
const LONGEST_NAME: usize = 64;

/// What a tool is in the workspace, among its `_meta`.
pub const KEY: &str = "toolcrib/key";
/// The system that it is of.
pub const SYSTEM: &str = "toolcrib/system";
/// Its name there, where that is no name for clients.
pub const NAME: &str = "toolcrib/name";

/// Members of a tool of another server that hold for our clients too.
const KEPT: [&str; 4] = ["title", "annotations", "icons", "outputSchema"];

/// A tool's place in the slice that the toolbox was made from.
pub type ToolRow = usize;

/// Tools and their names, which stay what they are whatever is available.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    listed: Vec<Value>,
    rows: HashMap<String, ToolRow>,
}

impl Toolbox {
    #[must_use]
    pub fn new(tools: &[ServedTool]) -> Self {
        let mut taken = HashSet::new();
        let mut toolbox = Self::default();
        for (row, tool) in tools.iter().enumerate() {
            let name = unique_name(&accepted_name(&tool.function.name, Client::OpenAi), &mut taken);
            toolbox.listed.push(list_entry(tool, &name));
            toolbox.rows.insert(name, row);
        }
        toolbox
    }

    /// The tool of that name.
    #[must_use]
    pub fn find_row(&self, name: &str) -> Option<ToolRow> {
        self.rows.get(name).copied()
    }

    /// The schema of a tool's arguments.
    #[must_use]
    pub fn input_schema(&self, row: ToolRow) -> Option<&Value> {
        self.listed.get(row)?.get("inputSchema")
    }

    /// A page of those that are available, in the order of the rows; `None` where the cursor is
    /// none that was given.
    #[must_use]
    pub fn list_page(&self, available: &[ToolRow], cursor: Option<&str>) -> Option<Value> {
        // A cursor says the first row of its page, which holds although others come and go.
        let from = match cursor {
            None => 0,
            Some(cursor) => cursor.strip_prefix("row-")?.parse::<ToolRow>().ok()?,
        };
        if from > self.listed.len() {
            return None;
        }
        let mut rows = available.iter().copied().filter(|row| *row >= from);
        let tools: Vec<&Value> =
            rows.by_ref().take(PAGE).filter_map(|row| self.listed.get(row)).collect();
        let mut page = json!({"tools": tools});
        if let Some(next) = rows.next() {
            page["nextCursor"] = json!(format!("row-{next}"));
        }
        Some(page)
    }
}

fn list_entry(tool: &ServedTool, name: &str) -> Value {
    let ServedTool { key, system, function, entry, .. } = tool;
    let own = entry.as_deref().filter(|_| *system == Some(keys::SYSTEM));
    let own = |member: &str| own.and_then(|entry| entry.get(member)).cloned();
    let mut listed = Map::new();
    listed.insert("name".into(), name.into());
    if *name != function.name {
        listed.insert("title".into(), function.name.clone().into());
    }
    listed.insert("description".into(), function.description.clone().into());
    listed.insert("inputSchema".into(), object_schema(&function.parameters));
    for member in KEPT {
        listed.extend(own(member).map(|value| (member.to_owned(), value)));
    }
    let mut meta = match own("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    meta.insert(KEY.into(), key.clone().into());
    meta.extend(system.map(|system| (SYSTEM.to_owned(), system.into())));
    if *name != function.name {
        meta.insert(NAME.into(), function.name.clone().into());
    }
    listed.insert("_meta".into(), Value::Object(meta));
    Value::Object(listed)
}

/// A schema as clients want it: of type object at its root.
fn object_schema(parameters: &Value) -> Value {
    match parameters {
        Value::Object(members) if members.get("type") == Some(&json!("object")) => {
            parameters.clone()
        }
        Value::Object(members) if !members.contains_key("type") => {
            let own = members.iter().map(|(name, value)| (name.clone(), value.clone()));
            std::iter::once(("type".to_owned(), json!("object"))).chain(own).collect()
        }
        _ => json!({"type": "object"}),
    }
}

/// A name, with a number where it is taken.
fn unique_name(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number: usize| {
        let end = format!("_{number}");
        // All of it is ASCII.
        let room = LONGEST_NAME - end.len();
        format!("{}{end}", &name[..name.len().min(room)])
    });
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::model::tool::Function;

    fn tool(name: &str, parameters: Value) -> ServedTool {
        let function = Function::new(name, "x", parameters);
        ServedTool {
            key: format!("key of {name}"),
            system: Some("echo"),
            function,
            entry: None,
            is_stubbed: false,
        }
    }

    fn names(page: &Value) -> Vec<&str> {
        page["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    #[test]
    fn names_are_what_every_client_takes_and_the_own_name_is_beside_them() {
        let named = ["Knowledge Graph Query", "joke", "joke", "joke_2", "größe", ""];
        let toolbox = Toolbox::new(&named.map(|name| tool(name, json!({"type": "object"}))));
        let page = toolbox.list_page(&[0, 1, 2, 3, 4, 5], None).unwrap();
        assert_eq!(
            names(&page),
            ["Knowledge_Graph_Query", "joke", "joke_2", "joke_2_2", "groesse", "tool"]
        );
        let first = &page["tools"][0];
        assert_eq!(
            (&first["title"], &first["_meta"]),
            (
                &json!("Knowledge Graph Query"),
                &json!({KEY: "key of Knowledge Graph Query", SYSTEM: "echo", NAME: "Knowledge Graph Query"})
            )
        );
        assert_eq!((page["tools"][1].get("title"), toolbox.find_row("joke_2")), (None, Some(2)));
    }

    #[test]
    fn a_schema_is_of_type_object() {
        let schema = |parameters| object_schema(&parameters);
        assert_eq!(
            schema(json!({"properties": {"a": {}}})),
            json!({"type": "object", "properties": {"a": {}}})
        );
        assert_eq!(schema(json!(true)), json!({"type": "object"}));
        assert_eq!(schema(json!({"type": "string"})), json!({"type": "object"}));
    }

    #[test]
    fn a_tool_of_another_server_keeps_what_it_says_of_itself() {
        let entry = json!({"name": "read", "title": "Read", "annotations": {"readOnlyHint": true},
            "outputSchema": {"type": "object"}, "_meta": {"a/b": 1}, "execution": {}});
        let served = |entry: Option<Value>| ServedTool {
            system: Some(keys::SYSTEM),
            entry: entry.map(Into::into),
            is_stubbed: false,
            ..tool("read", json!({"type": "object"}))
        };
        let listed = list_entry(&served(Some(entry)), "read");
        assert_eq!(
            listed,
            json!({"name": "read", "description": "x", "inputSchema": {"type": "object"}, "title": "Read",
                "annotations": {"readOnlyHint": true}, "outputSchema": {"type": "object"},
                "_meta": {"a/b": 1, KEY: "key of read", SYSTEM: "mcp"}})
        );
        assert_eq!(list_entry(&served(None), "read").get("outputSchema"), None);
    }

    proptest! {
        #[test]
        fn every_tool_has_a_name_of_its_own(named in prop::collection::vec(".{0,80}|[ab_]{0,3}|[ab]{70}", 0..12)) {
            let tools: Vec<ServedTool> = named.iter().map(|name| tool(name, json!({}))).collect();
            let toolbox = Toolbox::new(&tools);
            let page = toolbox.list_page(&(0..tools.len()).collect::<Vec<_>>(), None).unwrap();
            let names = names(&page);
            let different: HashSet<&&str> = names.iter().collect();
            prop_assert_eq!(different.len(), tools.len());
            for (row, name) in names.iter().enumerate() {
                prop_assert_eq!(toolbox.find_row(name), Some(row));
                prop_assert!((1..=LONGEST_NAME).contains(&name.len()));
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)));
            }
        }

        #[test]
        fn pages_hold_all_that_is_available_once(available in prop::collection::btree_set(0..1_800_usize, 0..1_700)) {
            static LARGE: LazyLock<Toolbox> = LazyLock::new(|| {
                let tools: Vec<_> = (0..1_800).map(|row| tool(&format!("t{row}"), json!({}))).collect();
                Toolbox::new(&tools)
            });
            let toolbox = &*LARGE;
            let available: Vec<usize> = available.into_iter().collect();
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let page = toolbox.list_page(&available, cursor.as_deref()).unwrap();
                seen.extend(names(&page).into_iter().filter_map(|name| toolbox.find_row(name)));
                cursor = page["nextCursor"].as_str().map(str::to_owned);
                if cursor.is_none() {
                    break;
                }
            }
            prop_assert_eq!(seen, available);
            prop_assert_eq!(toolbox.list_page(&[], Some("elsewhere")), None);
            prop_assert_eq!(toolbox.list_page(&[], Some("row-99999")), None);
        }
    }
}
