//! Tools of MCP servers, held against the lists of those servers: as they are now where that was
//! asked, else as the workspace keeps them.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::{
    engine::{
        lint::check::{Report, did_you_mean, member_pointer},
        workflow::similar::nearest_name,
    },
    model::{
        catalog::Catalog,
        connections::{Connections, Listeners},
        entry::{Entry, EntryKind},
        finding::{Finding, Severity},
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::trustgraph::{descriptor::text_member, keys, remote},
};

/// The server has no tool of that name.
pub(super) const UNKNOWN: (&str, Severity, &str) = (
    "server.tool-unknown",
    Severity::Warning,
    "The MCP server at that address has no tool of that name, by its list or the one kept of it; every call of it fails.",
);

/// The arguments are others than the server's tool takes.
pub(super) const ARGUMENTS: (&str, Severity, &str) = (
    "server.arguments-differ",
    Severity::Warning,
    "The arguments are not those of the MCP server's tool, by its list or the one kept of it.",
);

/// A tool that an `mcp` entry leads to.
struct Remote<'c> {
    /// The server's name in the workspace.
    server: &'c str,
    name: String,
    /// What the server has of that name, as it lists it now, or else as its kept list has it.
    tool: Option<Cow<'c, Value>>,
    others: Vec<&'c str>,
}

/// What the entries say of servers, by the address of their connections, and the servers' lists do
/// not: those that they gave when they were asked, or else those that the workspace keeps.
#[must_use]
pub(crate) fn remote_differences(
    catalog: &Catalog,
    connections: &Connections,
    listeners: &Listeners,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let servers = catalog
        .others
        .iter()
        .filter(|entry| entry.system == keys::SYSTEM && entry.kind == EntryKind::Server);
    for entry in servers {
        let Some(remote) = find_remote(catalog, connections, listeners, entry) else { continue };
        let Some(tool) = &remote.tool else {
            let near = nearest_name(&remote.name, remote.others.iter().copied());
            let at = match entry.value.get(keys::REMOTE_NAME) {
                Some(_) => member_pointer(keys::REMOTE_NAME),
                None => Pointer::root(),
            };
            let message = format!(
                "{} has no tool \"{}\"{}",
                remote.server,
                remote.name.escape_debug(),
                did_you_mean(near)
            );
            let mut report = Report::new(UNKNOWN.0, UNKNOWN.1, &mut findings);
            let found = report.add_finding(entry, at, message);
            if let Some(near) = near {
                let edit = Edit::Set { at: member_pointer(keys::REMOTE_NAME), to: near.into() };
                found.fix_edits(format!("change to \"{near}\""), [edit]);
            }
            continue;
        };
        let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
        let mut report = Report::new(ARGUMENTS.0, ARGUMENTS.1, &mut findings);
        let callers = catalog.tools.iter().filter(|tool| {
            tool.entry.system == keys::SYSTEM
                && tool.kind == keys::MCP_TOOL
                && tool.service.as_deref() == Some(&entry.key)
        });
        callers.for_each(|tool| compare_arguments(tool, &remote, schema, &mut report));
    }
    findings
}

/// The tool that an entry leads to, where the server was asked for its list, or the workspace keeps
/// one.
fn find_remote<'c>(
    catalog: &'c Catalog,
    connections: &'c Connections,
    listeners: &'c Listeners,
    entry: &Entry,
) -> Option<Remote<'c>> {
    let connection =
        connections.known.iter().find(|connection| remote::leads_to(connection, entry))?;
    let name = text_member(&entry.value, keys::REMOTE_NAME).unwrap_or(&entry.key).to_owned();
    if let Some(listed) = listeners.get(&connection.name) {
        let text = listed.iter().find(|(known, _)| *known == name).map(|(_, text)| text);
        return Some(Remote {
            server: &connection.name,
            tool: text.map(|text| Cow::Owned(serde_json::from_str(text).unwrap_or_default())),
            name,
            others: listed.iter().map(|(name, _)| name.as_str()).collect(),
        });
    }
    let of_server = |tool: &&std::sync::Arc<Tool>| {
        tool.entry.system != keys::SYSTEM
            && connection.settings.contains_key(tool.entry.system)
            && tool.service.as_deref() == Some(&connection.name)
    };
    let tools: Vec<_> = catalog.tools.iter().filter(of_server).collect();
    if tools.is_empty() {
        return None;
    }
    let tool = tools.iter().find(|tool| tool.name == name);
    let tool = tool.map(|tool| Cow::Borrowed(&*tool.entry.value));
    let others = tools.iter().map(|tool| tool.name.as_str()).collect();
    Some(Remote { server: &connection.name, name, tool, others })
}

/// Holds the arguments that a tool lists against those that the server's takes.
fn compare_arguments(tool: &Tool, remote: &Remote<'_>, schema: &Value, report: &mut Report<'_>) {
    let listed = tool.entry.value.get(keys::ARGUMENTS).and_then(Value::as_array);
    let listed = listed.map_or(&[][..], Vec::as_slice);
    let name_of =
        |argument: &Value| argument.get("name").and_then(Value::as_str).map(str::to_owned);
    let names: Vec<String> = listed.iter().filter_map(name_of).collect();
    let properties = remote::properties(schema);
    let known = |name: &str| properties.and_then(|properties| properties.get(name));
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing: Vec<&str> = required
        .filter_map(Value::as_str)
        .filter(|name| !names.iter().any(|listed| listed == name))
        .collect();
    let takes = |what: String| format!("{} of {}: {what}", remote.name, remote.server);
    if !missing.is_empty() {
        let message = takes(format!("{} is required but not listed", missing.join(", ")));
        let at = match listed.is_empty() {
            true => Pointer::root(),
            false => member_pointer(keys::ARGUMENTS),
        };
        let mut edits = vec![Edit::Set {
            at: member_pointer(keys::ARGUMENTS),
            to: Value::Array(remote::listed_arguments(schema)).into(),
        }];
        if remote::says_more(schema) {
            edits.push(Edit::Set {
                at: member_pointer(keys::ARGUMENTS_SCHEMA),
                to: schema.clone().into(),
            });
        }
        report.add_finding(&tool.entry, at, message).fix_edits("use the server's list", edits);
    }
    let is_closed = schema.get("additionalProperties") == Some(&json!(false));
    for (row, argument) in listed.iter().enumerate() {
        let Some(name) = name_of(argument) else { continue };
        let at = member_pointer(keys::ARGUMENTS).item(row);
        let Some(property) = known(&name) else {
            let near = properties
                .and_then(|properties| nearest_name(&name, properties.keys().map(String::as_str)));
            if is_closed || near.is_some() {
                let words =
                    format!("it has no argument \"{}\"{}", name.escape_debug(), did_you_mean(near));
                let found = report.add_finding(&tool.entry, at.clone().child("name"), takes(words));
                if let Some(near) = near {
                    found.fix_set(format!("change to \"{near}\""), near);
                }
            }
            continue;
        };
        let wanted = remote::argument_type(property);
        let given = argument.get("type").and_then(Value::as_str);
        let is_named = property.get("type").is_some_and(Value::is_string);
        if is_named && given.is_some_and(|given| given != wanted) {
            let words = format!("\"{}\" is of type {wanted}", name.escape_debug());
            report
                .add_finding(&tool.entry, at.child("type"), takes(words))
                .fix_set(format!("change to {wanted}"), wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{connection::Connection, context::Mode, entry::FileId, transport::TransportKind},
        syntax::source::{Format, Source},
        systems::read,
    };

    const KEPT: &str = r#"{"server": "files", "version": "2025-11-25", "tools": [
        {"name": "read", "inputSchema": {"type": "object", "required": ["path"], "additionalProperties": false,
            "properties": {"path": {"type": "string", "description": "Where."}, "limit": {"type": "integer"}}}},
        {"name": "list", "inputSchema": {"type": "object", "properties": {"folder": {"type": "string"}}}}]}"#;

    /// The findings of descriptors, each as its code, place and message, with the words of its fix.
    fn found(text: &str) -> Vec<String> {
        found_there(text, &Listeners::new())
    }

    fn found_there(text: &str, listeners: &Listeners) -> Vec<String> {
        let (file, kept) = (FileId::new("t.yaml"), FileId::new("mcp/files.json"));
        let source = Source::parse(Format::Yaml, text).unwrap();
        let list = Source::parse(Format::Json, KEPT).unwrap();
        let catalog = read::read_catalog([(&file, &source), (&kept, &list)], Mode::AsDeployed);
        let mut connection = Connection::from_address(TransportKind::Http, "files", "http://h/mcp");
        connection.settings.insert("mcp", crate::model::connection::SystemSettings::default());
        let mut connections = Connections::default();
        connections.insert(connection);
        let words = |finding: Finding| {
            let fix = finding.fix.map(|fix| format!(" [{}]", fix.label)).unwrap_or_default();
            format!("{} {} {}{fix}", finding.code, finding.site.pointer, finding.message)
        };
        remote_differences(&catalog, &connections, listeners).into_iter().map(words).collect()
    }

    fn server(of: &str) -> String {
        format!("mcp:\n  s: {{url: http://h/mcp/, {of}}}\n")
    }

    #[test]
    fn a_tool_that_the_server_has_not_is_found() {
        assert_eq!(
            found(&server("remote-name: raed")),
            [
                "server.tool-unknown /remote-name files has no tool \"raed\"; did you mean \"read\"? [change to \"read\"]"
            ]
        );
        assert_eq!(found(&server("remote-name: read")), [""; 0]);
        assert_eq!(found("mcp:\n  other: {url: http://elsewhere/mcp}\n"), [""; 0]);
    }

    #[test]
    fn what_the_server_lists_now_goes_before_what_is_kept() {
        let now = r#"{"name": "reads", "inputSchema": {"properties": {"path": {"type": "string"}}, "required": ["path"]}}"#;
        let listed = vec![("reads".to_owned(), now.to_owned())];
        let listeners = Listeners::from([("files".to_owned(), listed.into())]);
        assert_eq!(
            found_there(&server("remote-name: read"), &listeners),
            [
                "server.tool-unknown /remote-name files has no tool \"read\"; did you mean \"reads\"? [change to \"reads\"]"
            ]
        );
        let tool = "tool:\n  t: {type: mcp-tool, name: t, description: d, mcp-tool: s}\n";
        assert_eq!(
            found_there(&(server("remote-name: reads") + tool), &listeners),
            [
                "server.arguments-differ  reads of files: path is required but not listed [use the server's list]"
            ]
        );
    }

    #[test]
    fn arguments_are_held_against_the_server_s() {
        let tool = |arguments: &str| {
            let of = server("remote-name: read");
            format!(
                "{of}tool:\n  t: {{type: mcp-tool, name: t, description: d, mcp-tool: s, arguments: {arguments}}}\n"
            )
        };
        assert_eq!(found(&tool("[{name: path, type: string, description: d}]")), [""; 0]);
        assert_eq!(
            found(&tool("[]")),
            [
                "server.arguments-differ  read of files: path is required but not listed [use the server's list]"
            ]
        );
        assert_eq!(
            found(&tool(
                "[{name: pth, type: string, description: d}, {name: limit, type: string, description: d}]"
            )),
            [
                "server.arguments-differ /arguments read of files: path is required but not listed [use the server's list]",
                "server.arguments-differ /arguments/0/name read of files: it has no argument \"pth\"; did you mean \"path\"? [change to \"path\"]",
                "server.arguments-differ /arguments/1/type read of files: \"limit\" is of type integer [change to integer]",
            ]
        );
    }
}
