//! Servers as entries of a map, which is the form of most programs.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value};

use super::{
    reader::Reader,
    server::{HTTP, Input, SSE, STDIO, Server},
};
use crate::{schema::pointer::Pointer, systems::mcp::form::Form};

/// What asks for a value, as editors and bundles write it.
static ASKED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$\{(?:input:|user_config\.)([^}]+)\}").ok());

/// Reads one entry; nothing where it names no server that can be reached.
pub(super) fn read_server(
    reader: &mut Reader,
    form: Form,
    name: &str,
    entry: &Value,
    at: &Pointer,
) -> Option<Server> {
    let Some(members) = entry.as_object() else {
        reader.push_fault("config.entry-not-object", at, "is not an object, and is left out");
        return None;
    };
    let nested = members.get("command").and_then(Value::as_object).filter(|_| form == Form::Zed);
    let mut server =
        Server { name: name.to_owned(), disabled: is_disabled(members), ..Server::default() };
    // Zed once had the arguments within the command.
    let (process, place) =
        nested.map_or((members, at.clone()), |nested| (nested, at.child("command")));
    server.command =
        reader.read_member(process, if nested.is_some() { "path" } else { "command" }, &place);
    server.url = reader.read_member(members, "url", at);
    if form == Form::Zed && is_of_extension(members, &server) {
        reader.push_fault(
            "config.extension",
            at,
            "belongs to an extension of Zed, which alone knows its command; it is left out",
        );
        return None;
    }
    server.transport = read_transport(reader, form, members, &server, at)?;
    server.args = reader.read_list(process.get("args"), &place.child("args"));
    server.env = reader.read_map(process.get("env"), &place.child("env"));
    server.cwd = reader.read_member(members, "cwd", at);
    server.env_file = reader.read_member(members, "envFile", at);
    server.headers = reader.read_map(members.get("headers"), &at.child("headers"));
    if form == Form::Codex {
        name_variables(reader, &mut server, members, at);
    }
    if server.command.is_some() && server.url.is_some() {
        reader.push_fault(
            "config.both-command-and-url",
            at,
            "has a command and a url; only one of them counts",
        );
    }
    reader.look_for_secrets(&server, at);
    Some(server)
}

fn is_disabled(members: &Map<String, Value>) -> bool {
    members.get("disabled") == Some(&Value::Bool(true))
        || members.get("enabled") == Some(&Value::Bool(false))
}

fn is_of_extension(members: &Map<String, Value>, server: &Server) -> bool {
    let is_named = members.get("source").and_then(Value::as_str) == Some("extension");
    is_named || server.command.is_none() && server.url.is_none() && members.contains_key("settings")
}

/// The transport that an entry names, or that its members speak for; nothing where it lacks what
/// that needs.
fn read_transport(
    reader: &mut Reader,
    form: Form,
    members: &Map<String, Value>,
    server: &Server,
    at: &Pointer,
) -> Option<String> {
    let (command, url) = (server.command.is_some(), server.url.is_some());
    let written = members.get("type").and_then(Value::as_str);
    let (transport, is_there) = match written {
        Some(STDIO | "local") => (STDIO, command),
        Some(HTTP | "streamable-http" | "streamableHttp" | "remote") => (HTTP, url),
        Some(SSE) => (SSE, url),
        Some(other) => (other, command || url),
        None if command => (STDIO, true),
        None => (HTTP, url),
    };
    if !is_there {
        reader.push_fault(
            "config.no-transport",
            at,
            "names neither a command nor a url that it could be reached by; it is left out",
        );
        return None;
    }
    if !matches!(transport, STDIO | HTTP | SSE) {
        reader.push_fault(
            "config.transport-unsupported",
            &at.child("type"),
            "is no transport that can be used here",
        );
    }
    if written.is_none() && transport == HTTP && form == Form::McpJson {
        reader.push_fault(
            "config.type-missing",
            at,
            "has a url and no type, which Claude Code reads as stdio",
        );
    }
    if matches!(transport, HTTP | SSE) && form == Form::ClaudeDesktop {
        reader.push_fault(
            "config.remote-not-read",
            at,
            "Claude Desktop reads no servers with a url from this file",
        );
    }
    Some(transport.to_owned())
}

/// Codex names variables of the environment in members of their own.
fn name_variables(
    reader: &mut Reader,
    server: &mut Server,
    members: &Map<String, Value>,
    at: &Pointer,
) {
    let variable = |name: &str| format!("${{env:{name}}}");
    let vars = members.get("env_vars").and_then(Value::as_array);
    for item in vars.into_iter().flatten() {
        // A name, or an object with it.
        let name = item.as_str().or_else(|| item.get("name").and_then(Value::as_str));
        if let Some(name) = name.filter(|name| server.env.iter().all(|(known, _)| known != name)) {
            server.env.push((name.to_owned(), variable(name)));
        }
    }
    server.headers.extend(reader.read_map(members.get("http_headers"), &at.child("http_headers")));
    for (header, name) in
        reader.read_map(members.get("env_http_headers"), &at.child("env_http_headers"))
    {
        server.headers.retain(|(known, _)| *known != header);
        server.headers.push((header, variable(&name)));
    }
    if let Some(name) = reader.read_member(members, "bearer_token_env_var", at) {
        server.headers.retain(|(known, _)| !known.eq_ignore_ascii_case("Authorization"));
        server.headers.push(("Authorization".to_owned(), format!("Bearer {}", variable(&name))));
    }
}

/// Finds what a server asks for, in the order in which it does, among what the file declares.
pub(super) fn collect_inputs(
    reader: &mut Reader,
    server: &mut Server,
    declared: &BTreeMap<String, Input>,
    at: &Pointer,
) {
    let mut inputs: Vec<Input> = Vec::new();
    for text in server.texts() {
        let Some(asked) = ASKED.as_ref() else { return };
        for id in
            asked.captures_iter(text).filter_map(|captures| captures.get(1)).map(|id| id.as_str())
        {
            if inputs.iter().any(|known| known.id == id) {
                continue;
            }
            match declared.get(id) {
                Some(input) => inputs.push(input.clone()),
                None => {
                    reader.push_fault(
                        "config.input-undeclared",
                        at,
                        format!("asks for {id:?}, which the file does not declare"),
                    );
                    inputs.push(Input::undeclared(id));
                }
            }
        }
    }
    server.inputs = inputs;
}
