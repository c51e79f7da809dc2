//! The servers of a registry entry, `server.json`, or of a list of such entries: packages to be
//! started and addresses to be reached.

use serde_json::Value;

use super::{
    reader::Reader,
    server::{HTTP, Input, SSE, STDIO, Server},
};
use crate::schema::pointer::Pointer;

/// The servers of all entries; of a list, the newest version of each.
pub(super) fn read_servers(reader: &mut Reader, root: &Value) -> Vec<Server> {
    let Some(list) = root.get(LIST).and_then(Value::as_array) else {
        return read_entry(reader, root, &Pointer::root());
    };
    let mut servers = Vec::new();
    for (index, listed) in list.iter().enumerate().filter(|(_, listed)| is_newest(listed)) {
        let at = Pointer::root().child(LIST).item(index);
        match listed.get("server") {
            Some(entry) => servers.extend(read_entry(reader, entry, &at.child("server"))),
            None => servers.extend(read_entry(reader, listed, &at)),
        }
    }
    servers
}

/// The member of a registry's answer that lists entries.
pub(super) const LIST: &str = "servers";

/// Whether a registry doesn't say of an entry that there is a newer version.
fn is_newest(listed: &Value) -> bool {
    let official = listed.get("_meta").and_then(|meta| meta.get(OFFICIAL));
    official.and_then(|official| find_member(official, "isLatest")) != Some(&Value::Bool(false))
}

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// The packages and then the remotes; the second server of an entry is called `NAME#2`. `place` is
/// that of the entry in the file.
fn read_entry(reader: &mut Reader, root: &Value, place: &Pointer) -> Vec<Server> {
    let name = root.get("name").and_then(Value::as_str).unwrap_or("server");
    let mut servers: Vec<Server> = Vec::new();
    let readers: [(&str, Read); 2] = [("packages", read_package), ("remotes", read_remote)];
    let mut is_named = false;
    for (member, read) in readers {
        for (index, entry) in
            root.get(member).and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            is_named = true;
            let at = place.child(member).item(index);
            if !entry.is_object() {
                reader.push_fault(
                    "config.entry-not-object",
                    &at,
                    "is not an object, and is left out",
                );
                continue;
            }
            let Some(mut server) = read(reader, entry, &at) else {
                reader.push_fault(
                    "config.no-transport",
                    &at,
                    "says neither what to start nor which address to reach; it is left out",
                );
                continue;
            };
            let number = servers.len() + 1;
            server.name = if number == 1 { name.to_owned() } else { format!("{name}#{number}") };
            server.about = text_member(root, "description").unwrap_or_default().to_owned();
            server.version = text_member(root, "version").unwrap_or_default().to_owned();
            reader.look_for_secrets(&server, &at);
            servers.push(server);
        }
    }
    if !is_named {
        reader.push_fault("config.no-servers", place, "names no server");
    }
    servers
}

type Read = fn(&mut Reader, &Value, &Pointer) -> Option<Server>;

/// A member by its name, or by the one that it had before revision 2025-09-16.
fn find_member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let older = || {
        let mut snake = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
        }
        value.get(snake)
    };
    value.get(name).or_else(older).filter(|value| !value.is_null())
}

fn text_member<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    find_member(value, name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn list_member<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    find_member(value, name).and_then(Value::as_array).into_iter().flatten()
}

/// How the packages of a registry are started.
struct Runner {
    command: &'static str,
    /// Where the entry has none of its own.
    args: &'static [&'static str],
    /// What is between a package and its version.
    version: &'static str,
}

fn runner(registry: &str) -> Option<Runner> {
    Some(match registry {
        "npm" => Runner { command: "npx", args: &["-y"], version: "@" },
        "pypi" => Runner { command: "uvx", args: &[], version: "==" },
        "oci" => Runner { command: "docker", args: &["run", "-i", "--rm"], version: ":" },
        "nuget" => Runner { command: "dnx", args: &[], version: "@" },
        _ => return None,
    })
}

fn read_package(reader: &mut Reader, entry: &Value, at: &Pointer) -> Option<Server> {
    let runner = runner(text_member(entry, "registryType")?)?;
    let identifier = text_member(entry, "identifier")?;
    let mut server = Server { transport: STDIO.to_owned(), ..Server::default() };
    server.command = Some(text_member(entry, "runtimeHint").unwrap_or(runner.command).to_owned());
    read_arguments(&mut server, entry, "runtimeArguments");
    if server.args.is_empty() {
        server.args = runner.args.iter().map(|arg| (*arg).to_owned()).collect();
    }
    // An image may have its tag already.
    let is_tagged = runner.version == ":"
        && identifier.rsplit('/').next().is_some_and(|last| last.contains([':', '@']));
    server.args.push(match text_member(entry, "version").filter(|_| !is_tagged) {
        Some(version) => format!("{identifier}{}{version}", runner.version),
        None => identifier.to_owned(),
    });
    read_arguments(&mut server, entry, "packageArguments");
    for variable in list_member(entry, "environmentVariables") {
        read_pair(&mut server, variable, |server| &mut server.env);
    }
    if let Some(transport) = find_member(entry, "transport") {
        read_transport(reader, &mut server, transport, &at.child("transport"));
    }
    Some(server)
}

fn read_remote(reader: &mut Reader, entry: &Value, at: &Pointer) -> Option<Server> {
    let mut server = Server::default();
    read_transport(reader, &mut server, entry, at);
    server.url.is_some().then_some(server)
}

/// Takes in how a server is reached.
fn read_transport(reader: &mut Reader, server: &mut Server, transport: &Value, at: &Pointer) {
    let written =
        text_member(transport, "type").or_else(|| text_member(transport, "transportType"));
    server.transport = match written {
        Some(STDIO) => STDIO,
        Some(HTTP | "streamable-http" | "streamable") => HTTP,
        Some(SSE) => SSE,
        None if server.command.is_some() => STDIO,
        None => HTTP,
        Some(other) => {
            reader.push_fault(
                "config.transport-unsupported",
                &at.child("type"),
                "is no transport that can be used here",
            );
            other
        }
    }
    .to_owned();
    server.url = text_member(transport, "url").map(str::to_owned);
    for header in list_member(transport, "headers") {
        read_pair(server, header, |server| &mut server.headers);
    }
}

fn read_arguments(server: &mut Server, entry: &Value, name: &str) {
    for argument in list_member(entry, name) {
        let flag = text_member(argument, "name")
            .filter(|_| text_member(argument, "type") == Some("named"));
        server.args.extend(flag.map(str::to_owned));
        let says_how =
            ["valueHint", "default", "isRequired", "isSecret", "format", "choices", "placeholder"];
        let is_flag =
            flag.is_some() && says_how.iter().all(|name| find_member(argument, name).is_none());
        if find_member(argument, "value").is_some() || !is_flag {
            let hint = text_member(argument, "valueHint").or(flag).unwrap_or("argument");
            let value = read_value(server, argument, hint.trim_start_matches('-'));
            server.args.push(value);
        }
    }
}

/// A variable or a header.
fn read_pair(server: &mut Server, spec: &Value, of: fn(&mut Server) -> &mut Vec<(String, String)>) {
    let Some(name) = text_member(spec, "name") else { return };
    let value = read_value(server, spec, name);
    of(server).push((name.to_owned(), value));
}

/// A value as it is written, or one that is asked for under that id.
fn read_value(server: &mut Server, spec: &Value, id: &str) -> String {
    if let Some(value) = find_member(spec, "value").and_then(Value::as_str) {
        return value.to_owned();
    }
    declare_input(server, id, spec);
    format!("${{input:{id}}}")
}

fn declare_input(server: &mut Server, id: &str, spec: &Value) {
    let is = |name: &str| find_member(spec, name) == Some(&Value::Bool(true));
    if server.inputs.iter().all(|known| known.id != id) {
        let default = find_member(spec, "default").cloned().unwrap_or_default();
        server.inputs.push(Input {
            id: id.to_owned(),
            secret: is("isSecret"),
            required: is("isRequired"),
            default,
        });
    }
}
