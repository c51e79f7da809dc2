//! Reads a configuration in any form, also one that it has to know by its keys.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    bundle, entries,
    reader::Reader,
    registry,
    server::{Input, Server},
};
use crate::{
    schema::pointer::Pointer,
    syntax::source::{Format, Source},
    systems::mcp::{fault::Fault, form::Form},
};

/// What a configuration names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The form in which it was read; `None` where it cannot be read.
    pub form: Option<Form>,
    /// In the order of the file.
    pub servers: Vec<Server>,
    /// Places are within the file.
    pub faults: Vec<Fault>,
}

/// Keys that hold servers by name, with the form that has them.
const KEYS: [(&str, Form); 4] = [
    ("context_servers", Form::Zed),
    ("servers", Form::VsCode),
    ("mcpServers", Form::McpJson),
    ("mcp_servers", Form::Codex),
];

/// Members that only the entry of a server has.
const OF_SERVER: [&str; 5] = ["command", "url", "args", "headers", "env"];

/// Reads the servers of a configuration; without a form it is recognized by its keys. `platform` is
/// `linux`, `darwin` or `win32`.
#[must_use]
pub fn config_import(form: Option<Form>, text: &str, platform: &str) -> Imported {
    let mut reader = Reader::default();
    let (source, form) = match parse_source(form, text) {
        Ok(read) => read,
        Err(error) => {
            reader.push_fault(
                "config.unreadable",
                &Pointer::root(),
                format!("cannot be read: {error}"),
            );
            return Imported { faults: reader.faults, ..Imported::default() };
        }
    };
    let null = Value::Null;
    let root = source.value(0).map_or(&null, |value| value.as_ref());
    if source.format() == Format::Jsonc && !matches!(form, Form::VsCode | Form::Zed) {
        reader.push_fault(
            "config.not-strict-json",
            &Pointer::root(),
            "has comments or commas that strict JSON does not allow",
        );
    }
    let servers = match form {
        Form::Mcpb => bundle::read_servers(&mut reader, root, platform),
        Form::ServerJson => registry::read_servers(&mut reader, root),
        form => read_servers(&mut reader, form, root),
    };
    Imported { form: Some(form), servers, faults: reader.faults }
}

fn parse_source(form: Option<Form>, text: &str) -> Result<(Source, Form), String> {
    let parse = |format: Format| Source::parse(format, text).map_err(|error| error.to_string());
    let json = || match parse(Format::Json).or_else(|error| parse(Format::Jsonc).map_err(|_| error))
    {
        Ok(source) if source.document_count() == 0 => Err("there is nothing in it".to_owned()),
        read => read,
    };
    match form {
        Some(Form::Codex) => Ok((parse(Format::Toml)?, Form::Codex)),
        Some(form) => Ok((json()?, form)),
        None => match json() {
            Ok(source) => {
                let form = source.value(0).map_or(Form::McpJson, |root| detect_form(root));
                Ok((source, form))
            }
            // An empty text is TOML too.
            Err(error) if text.trim().is_empty() => Err(error),
            Err(error) => {
                parse(Format::Toml).map(|source| (source, Form::Codex)).map_err(|_| error)
            }
        },
    }
}

/// The form that a file of JSON is in, by its keys; that of Claude Code, which has the most
/// members, where they do not tell.
fn detect_form(root: &Value) -> Form {
    let has = |key: &str| root.get(key).is_some();
    if has("manifest_version") || has("dxt_version") {
        return Form::Mcpb;
    }
    let is_listed = root.get(registry::LIST).is_some_and(Value::is_array);
    if has("packages") || has("remotes") || is_listed {
        return Form::ServerJson;
    }
    let by_key = KEYS.iter().find(|(key, _)| has(key)).map(|(_, form)| *form);
    by_key.or_else(|| older_settings(root).map(|_| Form::VsCode)).unwrap_or(Form::McpJson)
}

/// Where the settings of VS Code once had the servers.
fn older_settings(root: &Value) -> Option<(Pointer, &Map<String, Value>)> {
    let at = Pointer::from_iter(["mcp", "servers"]);
    let servers = at.get(root)?.as_object()?;
    Some((at, servers))
}

fn read_servers(reader: &mut Reader, form: Form, root: &Value) -> Vec<Server> {
    let maps = maps(reader, form, root);
    if maps.iter().all(|(_, map)| map.is_empty()) {
        reader.push_fault("config.no-servers", &Pointer::root(), "names no server");
    }
    let declared = declared_inputs(root);
    let mut servers = Vec::new();
    for (at, map) in maps {
        for (name, entry) in map {
            let at = at.child(name.as_str());
            let Some(mut server) = entries::read_server(reader, form, name, entry, &at) else {
                continue;
            };
            if form == Form::VsCode {
                entries::collect_inputs(reader, &mut server, &declared, &at);
            }
            servers.push(server);
        }
    }
    servers
}

/// The maps of servers in a file.
fn maps<'r>(
    reader: &mut Reader,
    form: Form,
    root: &'r Value,
) -> Vec<(Pointer, &'r Map<String, Value>)> {
    let at = |key: &str| Some((Pointer::root().child(key), root.get(key)?.as_object()?));
    let own = match form {
        Form::VsCode => "servers",
        Form::Zed => "context_servers",
        Form::Codex => "mcp_servers",
        Form::ClaudeDesktop | Form::McpJson | Form::Cursor | Form::Mcpb | Form::ServerJson => {
            "mcpServers"
        }
    };
    let mut found: Vec<_> = at(own).into_iter().collect();
    if form == Form::McpJson {
        found.extend(of_projects(root));
    }
    if found.is_empty() && form == Form::VsCode {
        found.extend(older_settings(root));
    }
    if !found.is_empty() {
        return found;
    }
    let others = KEYS.iter().filter_map(|(key, _)| at(key)).chain(older_settings(root));
    if let Some(other) = others.into_iter().find(|(_, map)| !map.is_empty()) {
        reader.push_fault(
            "config.wrong-key",
            &other.0,
            format!("is the key of another program; here it is {own:?}"),
        );
        return vec![other];
    }
    let is_server = |entry: &Value| OF_SERVER.iter().any(|member| entry.get(member).is_some());
    match root.as_object().filter(|map| map.values().any(is_server)) {
        Some(map) => {
            reader.push_fault(
                "config.bare-map",
                &Pointer::root(),
                format!("has its servers without {own:?} around them"),
            );
            vec![(Pointer::root(), map)]
        }
        None => Vec::new(),
    }
}

/// What Claude Code keeps for single folders in `~/.claude.json`.
fn of_projects(root: &Value) -> impl Iterator<Item = (Pointer, &Map<String, Value>)> {
    let projects = root.get("projects").and_then(Value::as_object).into_iter().flatten();
    projects.filter_map(|(path, project)| {
        let at = Pointer::from_iter(["projects", path.as_str(), "mcpServers"]);
        Some((at, project.get("mcpServers")?.as_object()?))
    })
}

/// What the settings of an editor declare that is asked for.
fn declared_inputs(root: &Value) -> BTreeMap<String, Input> {
    let inputs =
        root.get("inputs").or_else(|| root.get("mcp")?.get("inputs")).and_then(Value::as_array);
    let input = |input: &Value| {
        let id = input.get("id")?.as_str()?.to_owned();
        let default = input.get("default").cloned().unwrap_or_default();
        let secret = input.get("password") == Some(&Value::Bool(true));
        Some((id.clone(), Input { id, secret, required: true, default }))
    };
    inputs.into_iter().flatten().filter_map(input).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::systems::mcp::fault::fault_ids;

    fn read(form: &str, text: &str) -> (Vec<Server>, Vec<&'static str>) {
        let read = config_import(Form::parse(form), text, "linux");
        (read.servers, fault_ids(&read.faults))
    }

    fn of(form: &str, value: &Value) -> (Vec<Server>, Vec<&'static str>) {
        read(form, &value.to_string())
    }

    /// The entry of a single server, and what is wrong with it.
    fn one(form: &str, entry: &Value) -> (Option<Server>, Vec<&'static str>) {
        let key = match form {
            "vscode" => "servers",
            "zed" => "context_servers",
            _ => "mcpServers",
        };
        let (mut servers, faults) = of(form, &json!({key: {"s": entry}}));
        (servers.pop(), faults)
    }

    fn transport(form: &str, entry: &Value) -> (String, Vec<&'static str>) {
        let (server, faults) = one(form, entry);
        (server.map(|server| server.transport).unwrap_or_default(), faults)
    }

    #[test]
    fn comments_are_for_editors() {
        let text = "{// one\n\"mcpServers\": {\"a\": {\"command\": \"x\",}}}";
        for form in ["mcp-json", "claude-desktop", "cursor", "auto"] {
            let (servers, faults) = read(form, text);
            assert_eq!((servers.len(), faults), (1, vec!["config.not-strict-json"]), "{form}");
        }
        let zed = read("zed", "{/* one */ \"context_servers\": {\"a\": {\"command\": \"x\"},}}");
        assert_eq!((zed.0.len(), zed.1), (1, vec![]));
    }

    #[test]
    fn types_are_told_by_word_or_by_what_is_there() {
        for (kind, transports) in [
            ("stdio", "stdio"),
            ("local", "stdio"),
            ("http", "http"),
            ("streamable-http", "http"),
            ("streamableHttp", "http"),
            ("remote", "http"),
            ("sse", "sse"),
        ] {
            let entry = if transports == "stdio" {
                json!({"type": kind, "command": "x"})
            } else {
                json!({"type": kind, "url": "u"})
            };
            assert_eq!(transport("mcp-json", &entry), (transports.into(), vec![]));
            let other = if transports == "stdio" {
                json!({"type": kind, "url": "u"})
            } else {
                json!({"type": kind, "command": "x"})
            };
            assert_eq!(
                transport("mcp-json", &other),
                (String::new(), vec!["config.no-transport"]),
                "{kind}"
            );
        }
        assert_eq!(
            transport("mcp-json", &json!({"type": "ws", "url": "u"})),
            ("ws".into(), vec!["config.transport-unsupported"])
        );
        assert_eq!(
            transport("claude-desktop", &json!({"url": "u"})),
            ("http".into(), vec!["config.remote-not-read"])
        );
        assert_eq!(transport("cursor", &json!({"url": "u"})), ("http".into(), vec![]));
        let both = json!({"command": "x", "url": "u"});
        assert_eq!(
            transport("mcp-json", &both),
            ("stdio".into(), vec!["config.both-command-and-url"])
        );
        assert_eq!(transport("mcp-json", &json!({"command": ""})).1, ["config.no-transport"]);
    }

    #[test]
    fn servers_that_are_off_are_listed() {
        let is_off = |members: Value| {
            let mut entry = members;
            entry["command"] = json!("x");
            one("cursor", &entry).0.unwrap().disabled
        };
        assert!(is_off(json!({"disabled": true})) && is_off(json!({"enabled": false})));
        assert!(
            !is_off(json!({"disabled": false, "enabled": true}))
                && !is_off(json!({"disabled": "true"}))
        );
    }

    #[test]
    fn values_are_made_text() {
        let entry = json!({"command": "x", "args": [true, null, 1.50, {"a": 1}], "env": {"A": false}, "cwd": "/c", "envFile": ".env"});
        let (server, faults) = one("cursor", &entry);
        let server = server.unwrap();
        assert_eq!(server.args, ["true", "null", "1.5", "{\"a\":1}"]);
        assert_eq!(
            (server.env, server.cwd, server.env_file),
            (vec![("A".into(), "false".into())], Some("/c".into()), Some(".env".into()))
        );
        assert_eq!(faults, ["config.value-not-text"]);
        let (server, faults) =
            one("cursor", &json!({"command": "x", "args": "-y x", "env": ["A=1"]}));
        assert_eq!((server.unwrap().args, faults), (vec![], vec!["config.args-not-list"]));
        assert_eq!(one("cursor", &json!({"command": "x", "args": null})).1, Vec::<&str>::new());
        assert_eq!(one("cursor", &json!("x")), (None, vec!["config.entry-not-object"]));
    }

    #[test]
    fn secrets_are_told_by_their_names() {
        for name in [
            "MY_TOKEN",
            "clientSecret",
            "PASSWORD",
            "API_KEY",
            "x-api-key",
            "apikey",
            "Authorization",
            "Bearer",
        ] {
            for member in ["env", "headers"] {
                let with =
                    |value: &str| one("cursor", &json!({"command": "x", member: {name: value}})).1;
                assert_eq!(with("abc"), ["config.secret-inline"], "{name}");
                assert_eq!([with(""), with("Bearer ${env:X}")], [Vec::<&str>::new(), Vec::new()]);
            }
        }
        assert_eq!(
            one("cursor", &json!({"command": "x", "env": {"MODE": "abc", "KEY": "k"}})).1,
            Vec::<&str>::new()
        );
    }

    #[test]
    fn maps_are_found_under_other_keys_and_bare() {
        let server = json!({"a": {"command": "x"}});
        let keyed = |key: &str| json!({key: server});
        for (form, key) in [
            ("mcp-json", "servers"),
            ("vscode", "mcpServers"),
            ("zed", "mcpServers"),
            ("cursor", "context_servers"),
        ] {
            assert_eq!(of(form, &keyed(key)).1, ["config.wrong-key"], "{form}");
        }
        assert_eq!(read("codex", "[mcpServers.a]\ncommand = \"x\"").1, ["config.wrong-key"]);
        assert_eq!(of("cursor", &server).1, ["config.bare-map"]);
        let mixed = of("auto", &json!({"a": {"command": "x"}, "b": 5}));
        assert_eq!(
            (mixed.0.len(), mixed.1),
            (1, vec!["config.bare-map", "config.entry-not-object"])
        );
        for nothing in [
            json!({}),
            json!([]),
            json!({"mcpServers": {}}),
            json!({"mcpServers": []}),
            json!({"theme": {"a": 1}}),
            json!(5),
        ] {
            for form in ["mcp-json", "auto", "vscode", "mcpb", "server-json"] {
                assert_eq!(
                    of(form, &nothing),
                    (vec![], vec!["config.no-servers"]),
                    "{form} {nothing}"
                );
            }
        }
        for form in ["auto", "mcp-json", "codex"] {
            assert_eq!(read(form, "{").1, ["config.unreadable"]);
        }
        assert_eq!(
            [read("auto", "").1, read("auto", " \n").1, read("mcp-json", "").1],
            [["config.unreadable"]; 3]
        );
    }

    #[test]
    fn a_file_is_told_by_its_keys() {
        let told = |text: &str| config_import(None, text, "linux").form.map(Form::as_str);
        for (text, form) in [
            ("[mcp_servers.a]\ncommand = \"x\"", "codex"),
            ("{\"manifest_version\": \"0.3\", \"mcpServers\": {}}", "mcpb"),
            ("{\"remotes\": []}", "server-json"),
            ("{\"packages\": []}", "server-json"),
            ("{\"mcpServers\": {}, \"context_servers\": {}}", "zed"),
            ("{\"mcpServers\": {}, \"servers\": {}}", "vscode"),
            ("{\"mcp\": {\"servers\": {}}}", "vscode"),
            ("{\"mcpServers\": {}}", "mcp-json"),
            ("\u{feff}{}", "mcp-json"),
        ] {
            assert_eq!(told(text), Some(form), "{text}");
        }
    }

    #[test]
    fn older_places_are_read() {
        let settings = json!({"mcp": {"servers": {"a": {"command": "${input:k}"}}, "inputs": [{"id": "k", "default": "d"}]}});
        let (servers, faults) = of("vscode", &settings);
        assert_eq!(faults, Vec::<&str>::new());
        assert_eq!(
            servers[0].inputs,
            [Input { id: "k".into(), secret: false, required: true, default: json!("d") }]
        );
        let claude = json!({"mcpServers": {"a": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"b": {"command": "y"}}}, "/q": {}}});
        let names: Vec<String> =
            of("mcp-json", &claude).0.into_iter().map(|server| server.name).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn zed_has_extensions_without_saying_so() {
        assert_eq!(one("zed", &json!({"settings": {}})).1, ["config.extension"]);
        assert_eq!(
            one("zed", &json!({"source": "extension", "command": "x"})).1,
            ["config.extension"]
        );
        assert_eq!(one("zed", &json!({})).1, ["config.no-transport"]);
    }

    #[test]
    fn codex_names_variables_in_keys_of_their_own() {
        let text = "[mcp_servers.a]\nurl = \"u\"\nbearer_token_env_var = \"T\"\n[mcp_servers.a.http_headers]\nX = \"1\"\n\
            [mcp_servers.a.env_http_headers]\nY = \"V\"\n[mcp_servers.b]\ncommand = \"c\"\nurl = \"u\"\nenv = {A = \"1\"}\nenv_vars = [\"A\", {name = \"B\"}]\n";
        let (servers, faults) = read("codex", text);
        let pairs = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect::<Vec<_>>()
        };
        assert_eq!(
            servers[0].headers,
            pairs(&[("X", "1"), ("Y", "${env:V}"), ("Authorization", "Bearer ${env:T}")])
        );
        assert_eq!(servers[1].env, pairs(&[("A", "1"), ("B", "${env:B}")]));
        assert_eq!(faults, ["config.both-command-and-url"]);
    }

    #[test]
    fn bundles_are_started_as_the_platform_wants() {
        let manifest = json!({"manifest_version": "0.3", "name": "b", "server": {"mcp_config": {
            "command": "node", "args": ["${user_config.dirs}", "${user_config.gone}"], "env": {"K": "${user_config.n}"},
            "platform_overrides": {"win32": {"command": "node.exe", "env": {}}}}},
            "user_config": {"n": {"type": "number", "default": 5}, "dirs": {"required": true}, "unused": {}}});
        let on = |platform: &str| config_import(Some(Form::Mcpb), &manifest.to_string(), platform);
        let linux = on("linux");
        let ids_of: Vec<(String, bool, Value)> = linux.servers[0]
            .inputs
            .iter()
            .map(|input| (input.id.clone(), input.required, input.default.clone()))
            .collect();
        assert_eq!(
            ids_of,
            [
                ("dirs".into(), true, json!(null)),
                ("gone".into(), true, json!(null)),
                ("n".into(), false, json!(5))
            ]
        );
        assert_eq!(fault_ids(&linux.faults), ["config.input-undeclared"]);
        let windows = on("win32").servers.remove(0);
        assert_eq!(
            (windows.command.as_deref(), windows.env.len(), windows.args.len()),
            (Some("node.exe"), 0, 2)
        );
    }

    #[test]
    fn registry_entries_are_started_by_their_registry() {
        let of = |packages: Value| of("server-json", &json!({"name": "n", "packages": packages}));
        let started = |package: Value| {
            let server = of(json!([package])).0.remove(0);
            format!("{} {}", server.command.unwrap(), server.args.join(" "))
        };
        assert_eq!(
            started(json!({"registryType": "pypi", "identifier": "p", "version": "1"})),
            "uvx p==1"
        );
        assert_eq!(
            started(json!({"registry_type": "npm", "identifier": "p", "runtime_hint": "bunx"})),
            "bunx -y p"
        );
        assert_eq!(
            started(json!({"registryType": "oci", "identifier": "ghcr.io/a/b:1", "version": "2"})),
            "docker run -i --rm ghcr.io/a/b:1"
        );
        let arguments = json!({"registryType": "npm", "identifier": "p",
            "runtimeArguments": [{"type": "named", "name": "--yes"}],
            "packageArguments": [
                {"type": "named", "name": "--port", "default": "80"}, {"type": "positional", "valueHint": "dir", "isRequired": true},
                {"type": "named", "name": "--mount", "value": "src={source}", "variables": {"source": {"isSecret": true}}}]});
        assert_eq!(
            started(arguments.clone()),
            "npx --yes p --port ${input:port} ${input:dir} --mount src={source}"
        );
        let inputs = of(json!([arguments])).0.remove(0).inputs;
        let told: Vec<_> = inputs
            .iter()
            .map(|input| (input.id.as_str(), input.required, input.secret, &input.default))
            .collect();
        assert_eq!(
            told,
            [("port", false, false, &json!("80")), ("dir", true, false, &json!(null))]
        );
        assert_eq!(
            of(json!([{"registryType": "elsewhere", "identifier": "p"}])).1,
            ["config.no-transport"]
        );
        assert_eq!(of(json!([5])).1, ["config.entry-not-object"]);
    }

    #[test]
    fn remotes_are_reached() {
        let remotes = json!({"name": "n", "remotes": [
            {"type": "sse", "url": "u", "headers": [{"name": "X-Api-Key", "isSecret": true, "isRequired": true}]},
            {"type": "streamable-http"},
            {"transport_type": "streamable-http", "url": "v", "headers": [{"name": "Authorization", "value": "abc"}]}]});
        let (servers, faults) = of("server-json", &remotes);
        let told: Vec<_> = servers
            .iter()
            .map(|server| (server.name.as_str(), server.transport.as_str()))
            .collect();
        assert_eq!(told, [("n", "sse"), ("n#2", "http")]);
        assert_eq!(servers[0].headers, [("X-Api-Key".to_owned(), "${input:X-Api-Key}".to_owned())]);
        assert_eq!(faults, ["config.no-transport", "config.secret-inline"]);
    }

    #[test]
    fn faults_are_at_their_places() {
        let read = config_import(
            Some(Form::Cursor),
            "{\"mcpServers\": {\"a/b\": {\"command\": \"x\", \"args\": [\"y\", 5]}}}",
            "linux",
        );
        let places: Vec<String> = read.faults.iter().map(|fault| fault.at.to_string()).collect();
        assert_eq!(places, ["/mcpServers/a~1b/args/1"]);
    }

    proptest! {
        #[test]
        fn any_file_can_be_read(root in super::super::super::tool_findings::tests::any_json(), key in prop::sample::select(vec!["", "servers", "mcpServers", "packages", "remotes", "server"])) {
            let value = if key.is_empty() { root } else { json!({key: root}) };
            for form in [None].into_iter().chain(Form::ALL.map(Some)) {
                let read = config_import(form, &value.to_string(), "linux");
                prop_assert!(read.servers.iter().all(|server| server.command.is_some() || server.url.is_some()));
            }
        }

        #[test]
        fn any_text_can_be_read(text in "[\\[\\]{}\"a-c:,=. \n]{0,30}|.*") {
            for form in [None].into_iter().chain(Form::ALL.map(Some)) {
                config_import(form, &text, "linux").faults.iter().for_each(|fault| assert!(!fault.words.is_empty()));
            }
        }
    }
}
