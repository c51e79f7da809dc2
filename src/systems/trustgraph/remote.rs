//! MCP servers that TrustGraph calls: entries for their tools, and what these say of the arguments.

use serde_json::{Map, Value, json};

use super::{descriptor::text_member, keys, queue};
use crate::{
    model::{
        catalog::Catalog,
        connection::Connection,
        entry::{Entry, EntryKind},
    },
    schema::{
        node::{Node, Property, Types},
        tree::Schema,
    },
    systems::{
        deployed::item::Item,
        facets::remote_tools::{BusEndpoint, RemoteServer, RemoteTools},
    },
};

/// The types that an argument of the list can have.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// What a property's schema says beside what the list of arguments can.
const LISTED: [&str; 3] = ["type", "title", "description"];

/// What makes a schema more than its own properties.
const COMBINED: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];

/// How deep branches within branches are looked at.
const DEEPEST: usize = 6;

pub(crate) struct McpServers;

impl RemoteTools for McpServers {
    fn adopt_tools(&self, server: &RemoteServer<'_>) -> Result<Vec<Item>, String> {
        let url = server.url.ok_or_else(|| {
            format!(
                "{} is started as a program, and TrustGraph reaches servers by an address alone",
                server.name
            )
        })?;
        let names =
            server.tools.iter().filter_map(|tool| Some((tool, tool.get("name")?.as_str()?)));
        let entries = names.flat_map(|(tool, name)| {
            let key = format!("{}-{name}", server.name);
            let remote = json!({keys::URL: url, keys::REMOTE_NAME: name});
            [
                (keys::SERVERS, key.clone(), remote),
                (keys::TOOLS, key.clone(), new_tool(&key, name, tool)),
            ]
        });
        Ok(entries
            .map(|(section, key, value)| Item {
                system: keys::SYSTEM,
                section,
                key,
                text: value.to_string(),
            })
            .collect())
    }

    fn adopt_endpoint(&self, endpoint: &BusEndpoint<'_>) -> Option<(Vec<Item>, String)> {
        let BusEndpoint { name, subject, description, schema } = *endpoint;
        let queue = format!("nats://{subject}");
        queue::nats_subject(&queue).ok()?;
        let service = json!({
            keys::ID: name,
            keys::REQUEST_QUEUE: queue,
            keys::RESPONSE_QUEUE: format!("{queue}.response"),
            keys::CONFIG_PARAMS: [],
        });
        let mut tool = json!({
            keys::TYPE: keys::TOOL_SERVICE,
            keys::NAME: name,
            keys::DESCRIPTION: description,
            keys::SERVICE: name,
        });
        add_arguments(&mut tool, schema);
        let item = |section, value: Value| Item {
            system: keys::SYSTEM,
            section,
            key: name.to_owned(),
            text: value.to_string(),
        };
        let note = "Made of the endpoint's schema: calls send TrustGraph's request (user, config, \
            arguments), so check that the service reads it.";
        Some((vec![item(keys::SERVICES, service), item(keys::TOOLS, tool)], note.to_owned()))
    }

    fn calls_server(&self, catalog: &Catalog, connection: &Connection) -> bool {
        let servers = catalog.others.iter().filter(|entry| entry.kind == EntryKind::Server);
        let mut own = servers.filter(|entry| entry.system == keys::SYSTEM);
        own.any(|entry| leads_to(connection, entry))
    }
}

/// Whether a connection leads to the address that an entry for a server names.
#[must_use]
pub(super) fn leads_to(connection: &Connection, entry: &Entry) -> bool {
    let url = text_member(&entry.value, keys::URL).map(|url| url.trim_end_matches('/'));
    let addresses = connection.addresses().iter();
    url.is_some()
        && addresses.map(|address| address.trim_end_matches('/')).any(|it| Some(it) == url)
}

fn new_tool(key: &str, name: &str, tool: &Value) -> Value {
    let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut value = json!({
        keys::TYPE: keys::MCP_TOOL,
        keys::NAME: name,
        keys::DESCRIPTION: description,
        keys::MCP_TOOL: key,
    });
    add_arguments(&mut value, tool.get("inputSchema").unwrap_or(&Value::Null));
    value
}

/// Gives a tool the arguments that a schema has.
fn add_arguments(tool: &mut Value, schema: &Value) {
    tool[keys::ARGUMENTS] = Value::Array(listed_arguments(schema));
    if says_more(schema) {
        tool[keys::ARGUMENTS_SCHEMA] = schema.clone();
    }
}

/// The arguments that a schema has, as TrustGraph lists them.
#[must_use]
pub(super) fn listed_arguments(schema: &Value) -> Vec<Value> {
    let tree = Schema::new(schema.clone());
    let argument = |property: &Property| {
        let own = properties(schema).and_then(|own| own.get(&*property.name));
        let said = |keyword: &str| own?.get(keyword)?.as_str().map(str::to_owned);
        let inherited = || tree.node(&property.node).description.as_deref().map(str::to_owned);
        let described = said("description").or_else(|| said("title")).or_else(inherited);
        json!({
            "name": &*property.name,
            "type": listed_type(&tree, property),
            "description": described.unwrap_or_default(),
        })
    };
    // Where the schema is a reference, what it leads to has them.
    all_arguments(&tree).iter().map(argument).collect()
}

/// The arguments of a schema, with those of every branch where it is a union; the first of a name.
#[must_use]
pub(super) fn all_arguments(schema: &Schema) -> Vec<Property> {
    let mut found = Vec::new();
    add_arguments_of(schema, &schema.root_node(), DEEPEST, &mut found);
    found
}

fn add_arguments_of(schema: &Schema, node: &Node, depth: usize, found: &mut Vec<Property>) {
    for property in &node.object.properties {
        if !found.iter().any(|known: &Property| known.name == property.name) {
            found.push(property.clone());
        }
    }
    let Some((union, depth)) = node.unions.first().zip(depth.checked_sub(1)) else { return };
    for branch in &union.branches {
        let branch = schema.node(&node.key.with_branch(union.place, *branch));
        add_arguments_of(schema, &branch, depth, found);
    }
}

/// Whether a schema has other arguments in one branch than in another.
#[must_use]
pub(super) fn has_branches(schema: &Value) -> bool {
    !Schema::new(schema.clone()).root_node().unions.is_empty()
}

/// The type of a property in the list, where references lead too; the first where it has several.
#[must_use]
pub(super) fn listed_type(schema: &Schema, property: &Property) -> &'static str {
    let node = schema.node(&property.node);
    let union = node.unions.first().filter(|_| !node.typed);
    let branches = union.into_iter().flat_map(|union| {
        union.branches.iter().map(|branch| node.key.with_branch(union.place, *branch))
    });
    // A branch that says none allows them all.
    let says_some = |types: &Types| *types != Types::ALL.difference(Types::NULL);
    let of_branches = branches.map(|branch| schema.node(&branch).shown_types()).filter(says_some);
    let types = of_branches.chain([node.shown_types()]);
    let first = types.filter_map(|types| types.iter_names().next()).next();
    let word = first.and_then(|(first, _)| Types::WORDS.iter().find(|(of, ..)| *of == first));
    word.map_or("string", |(_, keyword, _)| keyword)
}

/// What the list would say is a property's type: the one that it names, and text where it names
/// none or several.
#[must_use]
pub(super) fn argument_type(schema: &Value) -> &'static str {
    let named = schema.get("type").and_then(Value::as_str);
    TYPES.into_iter().find(|kind| Some(*kind) == named).unwrap_or("string")
}

#[must_use]
pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// Whether a schema says more of its arguments than names, types and descriptions: what is required
/// counts, as no argument of the list is.
#[must_use]
pub(super) fn says_more(schema: &Value) -> bool {
    let is_required =
        schema.get("required").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    let has_more = |schema: &Value| {
        schema
            .as_object()
            .is_none_or(|members| members.keys().any(|key| !LISTED.contains(&key.as_str())))
            || schema.get("type").is_none_or(|kind| !kind.is_string())
    };
    let is_combined = COMBINED.iter().any(|keyword| schema.get(*keyword).is_some());
    is_required
        || is_combined
        || properties(schema).into_iter().flatten().any(|(_, schema)| has_more(schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adopted(tools: &[Value]) -> Vec<(String, Value)> {
        let server = RemoteServer { name: "files", url: Some("http://h/mcp"), tools };
        let items = McpServers.adopt_tools(&server).unwrap();
        items.iter().map(|item| (item.name(), item.parse_value().unwrap())).collect()
    }

    #[test]
    fn each_tool_becomes_a_server_and_a_tool() {
        let schema = json!({"type": "object", "properties": {
            "path": {"type": "string", "description": "Where."}, "limit": {"type": "integer"},
        }});
        let tools = [json!({"name": "read", "description": "Reads.", "inputSchema": schema})];
        assert_eq!(
            adopted(&tools),
            [
                (
                    "mcp/files-read".to_owned(),
                    json!({"url": "http://h/mcp", "remote-name": "read"})
                ),
                (
                    "tool/files-read".to_owned(),
                    json!({"type": "mcp-tool", "name": "read", "description": "Reads.", "mcp-tool": "files-read",
                    "arguments": [
                        {"name": "path", "type": "string", "description": "Where."},
                        {"name": "limit", "type": "integer", "description": ""},
                    ]})
                ),
            ]
        );
    }

    #[test]
    fn a_schema_is_kept_where_the_list_says_less() {
        for (schema, kept) in [
            (json!({}), false),
            (json!({"properties": {"a": {"type": "string", "title": "A"}}}), false),
            (json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}), true),
            (json!({"properties": {"a": {"type": "string", "enum": ["x"]}}}), true),
            (json!({"properties": {"a": {"type": ["string", "null"]}}}), true),
            (json!({"properties": {"a": true}}), true),
            (json!({"anyOf": [{"properties": {"a": {"type": "string"}}}]}), true),
        ] {
            let tools = [json!({"name": "t", "inputSchema": schema})];
            let tool = &adopted(&tools)[1].1;
            assert_eq!(tool.get("arguments-schema"), kept.then_some(&schema), "{schema}");
        }
    }

    #[test]
    fn the_arguments_of_all_branches_are_listed() {
        let listed = |schema: Value| {
            let all = listed_arguments(&schema).into_iter();
            all.map(|item| format!("{} {}", item["name"], item["type"]).replace('"', ""))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let object = |members: Value| json!({"type": "object", "properties": members});
        let (id, name) = (json!({"type": "integer"}), json!({"type": "string"}));
        let nested = json!({"oneOf": [object(json!({"name": name})), object(json!({"at": name}))]});
        for union in ["anyOf", "oneOf"] {
            let schema = json!({"type": "object", union: [
                object(json!({"id": id})), object(json!({"id": id, "name": name})), nested]});
            assert_eq!(listed(schema), "id integer, name string, at string");
        }
        // An argument that is a union has the type of its first branch.
        let of_union = |branches: Value| listed(object(json!({"a": {"oneOf": branches}})));
        let other = object(json!({"at": name}));
        assert_eq!(of_union(json!([object(json!({"id": id})), other])), "a object");
        assert_eq!(of_union(json!([{"type": "null"}, {"type": "array"}])), "a array");
        assert_eq!(of_union(json!([{"const": 1}, {"type": "boolean"}])), "a boolean");
        let merged = json!({"allOf": [object(json!({"id": id})), object(json!({"name": name}))]});
        assert_eq!(listed(merged), "id integer, name string");
        let beside = json!({"properties": {"own": name}, "anyOf": [
            object(json!({"id": id})), object(json!({"name": name}))]});
        assert_eq!(listed(beside), "own string, id integer, name string");
    }

    #[test]
    fn a_server_without_an_address_is_refused() {
        let server = RemoteServer { name: "files", url: None, tools: &[] };
        assert!(McpServers.adopt_tools(&server).unwrap_err().contains("by an address alone"));
    }
}
