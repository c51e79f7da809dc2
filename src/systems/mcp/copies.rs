//! A call of a server's tool, and a connection to a server, as other programs have them. Secrets
//! stay where they lie, and variables of the environment stay variables.

use serde_json::{Map, Value, json};

use super::settings;
use crate::{
    engine::template::{TextPiece, split_variables, value_with_variables},
    model::{
        call::Request,
        connection::{
            Connection, Credentials, Endpoint, RequestVariable, SecretAt, ServerCommand,
            SettingValue,
        },
        copied::{Copied, FRAME, MCP_COMMAND, argument_words, in_python, in_shell, shell_headers},
        shown::shell_word,
    },
    schema::literal::Literal,
};

/// What a call of a tool is copied as.
pub(super) fn of_call(request: &Request, connection: &Connection) -> Vec<Copied> {
    let Request { to: method, body, .. } = request;
    let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{body}}}"#);
    let mut copies = vec![Copied::new(FRAME, frame)];
    let params = serde_json::from_str(body).map(|params| in_environment(params, connection));
    if let (Some(server), Ok(Value::Object(params))) = (Server::of(connection), params) {
        let call = ToolCall { server, connection, method, params };
        copies.extend([
            Copied::new(MCP_COMMAND, call.toolcrib_command()),
            Copied::new("MCP Inspector command", call.inspector_command()),
            Copied::new("Python program", call.python_program()),
        ]);
    }
    copies
}

/// What a call says, where secrets of the settings, which other programs don't know, are variables
/// of the environment.
fn in_environment(params: Value, connection: &Connection) -> Value {
    let filled = value_with_variables(&params, &|name| match connection.variables.get(name) {
        Some(RequestVariable::Secret(at)) => {
            Ok(Some(format!("{{{{env.{}}}}}", environment_name(at)).into()))
        }
        Some(RequestVariable::Shown(_) | RequestVariable::Hidden(_)) | None => Ok(None),
    });
    filled.unwrap_or(params)
}

/// Programs that are configured with servers, the member that has them, and how a variable of the
/// environment is written there.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("mcpServers entry for Claude", "mcpServers", "${NAME}"),
    ("mcpServers entry for Cursor", "mcpServers", "${env:NAME}"),
    ("servers entry for VS Code", "servers", "${env:NAME}"),
];

/// The connection as other programs are configured with it; nothing where it leads to no server.
pub(super) fn of_connection(connection: &Connection) -> Vec<Copied> {
    let Some(server) = Server::of(connection) else { return Vec::new() };
    let entry = |(what, member, variable): (&str, &str, &str)| {
        let entry = server.config_entry(connection, &|name| variable.replace("NAME", name));
        let servers: Map<String, Value> = [(connection.name.clone(), entry)].into_iter().collect();
        Copied::new(what, format!("{:#}\n", json!({member: servers})))
    };
    PROGRAMS.into_iter().map(entry).collect()
}

/// Where a server is.
#[derive(Clone, Copy)]
enum Server<'c> {
    Started(&'c ServerCommand),
    At(&'c str),
}

impl<'c> Server<'c> {
    fn of(connection: &'c Connection) -> Option<Self> {
        match &connection.endpoint {
            _ if !settings::is_at(connection) => None,
            Endpoint::Process(command) => Some(Self::Started(command)),
            Endpoint::Servers { addresses, .. } => addresses.first().map(|at| Self::At(at)),
            Endpoint::Embedded => None,
        }
    }

    /// What a shell does first, so that paths of the command are found.
    fn enter_folder(self) -> String {
        match self {
            Self::Started(ServerCommand { dir: Some(dir), .. }) => {
                format!("cd {} && ", shell_word(dir))
            }
            _ => String::new(),
        }
    }

    /// Its command or its address, for a shell.
    fn words(self) -> String {
        match self {
            Self::Started(ServerCommand { command, args, .. }) => {
                let words = std::iter::once(command).chain(args);
                words.map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
            }
            Self::At(address) => shell_word(address),
        }
    }

    /// The variables that it gets, for a shell: `A=b KEY="$KEY"`.
    fn variables(self) -> Vec<String> {
        let Self::Started(ServerCommand { env, .. }) = self else { return Vec::new() };
        let word = |(name, value): (&String, &SettingValue)| match value {
            SettingValue::Text(text) => shell_word(&format!("{name}={text}")),
            SettingValue::Secret(at) => format!("{}=\"{}\"", shell_word(name), in_shell(at)),
        };
        env.iter().map(word).collect()
    }

    /// Whether its address is that of the transport that was before the streamable one.
    fn is_sse(self) -> bool {
        matches!(self, Self::At(address) if path_of(address).ends_with("/sse"))
    }

    /// It in a configuration, secrets by variables that `reference` writes.
    fn config_entry(self, connection: &Connection, reference: &dyn Fn(&str) -> String) -> Value {
        let mut entry = Map::new();
        match self {
            Self::Started(ServerCommand { command, args, env, dir }) => {
                entry.insert("command".into(), json!(command));
                entry.insert("args".into(), json!(args));
                let value = |(name, value): (&String, &SettingValue)| {
                    let text = match value {
                        SettingValue::Text(text) => text.clone(),
                        SettingValue::Secret(SecretAt::Variable(variable)) => reference(variable),
                        SettingValue::Secret(SecretAt::KeyStore(_)) => reference(name),
                    };
                    (name.clone(), Value::from(text))
                };
                let env: Map<String, Value> = env.iter().map(value).collect();
                if !env.is_empty() {
                    entry.insert("env".into(), env.into());
                }
                entry.extend(dir.iter().map(|dir| ("cwd".to_owned(), json!(dir))));
            }
            Self::At(address) => {
                let kind = if self.is_sse() { "sse" } else { "http" };
                entry.insert("type".into(), kind.into());
                entry.insert("url".into(), address.into());
                let written = |at: &SecretAt| reference(&environment_name(at));
                let header = |(name, text, secret): HeaderParts<'_>| {
                    let text = text.to_owned() + &secret.map(written).unwrap_or_default();
                    (name.to_owned(), Value::from(text))
                };
                let headers: Map<String, Value> =
                    headers_of(connection).into_iter().map(header).collect();
                if !headers.is_empty() {
                    entry.insert("headers".into(), headers.into());
                }
            }
        }
        Value::Object(entry)
    }
}

/// A header: its name, the text that it begins with, and the secret that follows.
type HeaderParts<'c> = (&'c str, &'c str, Option<&'c SecretAt>);

fn headers_of(connection: &Connection) -> Vec<HeaderParts<'_>> {
    let token = match &connection.credentials {
        Credentials::Token { token } => Some(("Authorization", "Bearer ", Some(token))),
        _ => None,
    };
    let own = connection.headers.iter().map(|(name, value)| match value {
        SettingValue::Text(text) => (name.as_str(), text.as_str(), None),
        SettingValue::Secret(at) => (name.as_str(), "", Some(at)),
    });
    token.into_iter().chain(own).collect()
}

/// The variable of the environment that has a secret; what is in the key store has one of its name.
fn environment_name(at: &SecretAt) -> String {
    let letter = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_uppercase(),
        false => '_',
    };
    match at {
        SecretAt::Variable(name) => name.clone(),
        SecretAt::KeyStore(key) => {
            // No variable begins with a digit.
            let is_digit = |first: char| first.is_ascii_digit();
            let start = if key.starts_with(is_digit) { "_" } else { "" };
            start.chars().chain(key.chars().map(letter)).collect()
        }
    }
}

fn path_of(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

/// A call of a tool of a server.
struct ToolCall<'c> {
    server: Server<'c>,
    connection: &'c Connection,
    method: &'c str,
    /// What the method gets.
    params: Map<String, Value>,
}

impl ToolCall<'_> {
    fn tool(&self) -> &str {
        self.params.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    fn arguments(&self) -> Value {
        self.params.get("arguments").cloned().unwrap_or_else(|| json!({}))
    }

    fn meta(&self) -> Option<&Map<String, Value>> {
        self.params.get("_meta")?.as_object()
    }

    /// A line that works in any folder, without a workspace.
    fn toolcrib_command(&self) -> String {
        let mut words = vec!["toolcrib mcp call".to_owned(), shell_word(self.tool())];
        words.extend(argument_words(&Literal::from(self.arguments())));
        let meta = self.params.get("_meta").map(ToString::to_string);
        words.extend(meta.map(|meta| format!("--meta {}", shell_word(&meta))));
        let line = words.join(" ");
        let variables = self.server.variables();
        let there = self.server.words();
        match self.server {
            Server::At(_) => format!("{line} {there}{}", self.shell_headers()),
            Server::Started(_) => {
                let env = match variables.is_empty() {
                    true => String::new(),
                    false => format!("env {} ", variables.join(" ")),
                };
                format!("{}{line} -- {env}{there}", self.server.enter_folder())
            }
        }
    }

    fn inspector_command(&self) -> String {
        let inspector = "npx @modelcontextprotocol/inspector --cli";
        let mut line = format!("{}{inspector} {}", self.server.enter_folder(), self.server.words());
        match self.server {
            // Options of the server's own end where `--` is.
            Server::Started(command) if command.args.iter().any(|arg| arg.starts_with('-')) => {
                line += " --";
            }
            // Others are known by their ends.
            Server::At(address)
                if !["/mcp", "/sse"].iter().any(|end| path_of(address).ends_with(end)) =>
            {
                line += " --transport http";
            }
            Server::Started(_) | Server::At(_) => {}
        }
        line += &self.shell_headers();
        let variables = self.server.variables();
        line.extend(variables.iter().map(|variable| format!(" -e {variable}")));
        line += &format!(" --method {} --tool-name {}", self.method, shell_word(self.tool()));
        let arguments = self.arguments();
        for (flag, members) in
            [("--tool-arg", arguments.as_object()), ("--tool-metadata", self.meta())]
        {
            let words = members.into_iter().flatten().map(|(name, value)| {
                format!(" {flag} {}", with_shell_variables(&inspector_argument(name, value)))
            });
            line.extend(words);
        }
        line
    }

    fn shell_headers(&self) -> String {
        match self.server {
            Server::At(_) => shell_headers(self.connection, "--header"),
            Server::Started(_) => String::new(),
        }
    }

    /// A program for the SDK's second version.
    fn python_program(&self) -> String {
        let text = |text: &str| Value::from(text).to_string();
        let header = |(name, begin, secret): HeaderParts<'_>| {
            let begin = (!begin.is_empty() || secret.is_none()).then(|| text(begin));
            let value: Vec<String> = begin.into_iter().chain(secret.map(in_python)).collect();
            format!("{}: {}", text(name), value.join(" + "))
        };
        let headers: Vec<String> = headers_of(self.connection).into_iter().map(header).collect();
        let headers = headers.join(", ");
        let (imports, server) = match self.server {
            Server::Started(ServerCommand { command, args, env, dir }) => {
                let env = env.iter().map(|(name, value)| match value {
                    SettingValue::Text(value) => format!("{}: {}", text(name), text(value)),
                    SettingValue::Secret(at) => format!("{}: {}", text(name), in_python(at)),
                });
                let env = env.collect::<Vec<_>>().join(", ");
                let mut members = vec![
                    format!("command={}", text(command)),
                    format!("args={}", python_value(&json!(args))),
                ];
                members.extend((!env.is_empty()).then(|| format!("env={{{env}}}")));
                members.extend(dir.as_ref().map(|dir| format!("cwd={}", text(dir))));
                let members: String =
                    members.iter().map(|member| format!("    {member},\n")).collect();
                (
                    "from mcp import Client, StdioServerParameters\n",
                    format!("StdioServerParameters(\n{members})"),
                )
            }
            Server::At(address) if self.server.is_sse() => (
                "from mcp import Client\nfrom mcp.client.sse import sse_client\n",
                format!("sse_client({}, headers={{{headers}}})", text(address)),
            ),
            Server::At(address) if headers.is_empty() => {
                ("from mcp import Client\n", text(address))
            }
            Server::At(address) => (
                "import httpx2\nfrom mcp import Client\n\
                from mcp.client.streamable_http import streamable_http_client\n",
                format!(
                    "streamable_http_client(\n    {},\n    \
                    http_client=httpx2.AsyncClient(headers={{{headers}}}, timeout=300),\n)",
                    text(address)
                ),
            ),
        };
        let meta = self.params.get("_meta").map(|meta| format!(", meta={}", python_value(meta)));
        let main = format!(
            "SERVER = {server}\n\n\nasync def main():\n    async with Client(SERVER) as client:\n        \
            result = await client.call_tool({}, {}{})\n        \
            print(result.model_dump_json(indent=2, by_alias=True, exclude_none=True))\n\n\n\
            asyncio.run(main())\n",
            text(self.tool()),
            python_value(&self.arguments()),
            meta.unwrap_or_default()
        );
        let os = if main.contains("os.environ[") { "import os\n" } else { "" };
        format!("# pip install \"mcp>=2\"\nimport asyncio\n{os}\n{imports}\n{main}")
    }
}

/// A value in Python.
fn python_value(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let piece = |piece: TextPiece<'_>| match piece {
                TextPiece::Text(text) => Value::from(text).to_string(),
                TextPiece::Variable(name) => in_python(&SecretAt::Variable(name.to_owned())),
            };
            match text.is_empty() {
                true => "\"\"".to_owned(),
                false => {
                    split_variables(text).into_iter().map(piece).collect::<Vec<_>>().join(" + ")
                }
            }
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(python_value).collect())),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), python_value(value))
            };
            format!("{{{}}}", joined(members.iter().map(member).collect()))
        }
    }
}

/// An argument as the Inspector takes it: JSON where the value is JSON, else text.
fn inspector_argument(name: &str, value: &Value) -> String {
    match value {
        Value::String(text)
            if !text.is_empty()
                && !text.contains("{{")
                && serde_json::from_str::<Value>(text).is_err() =>
        {
            format!("{name}={text}")
        }
        value => format!("{name}={value}"),
    }
}

/// A word for a shell, which fills in the variables of the environment.
fn with_shell_variables(text: &str) -> String {
    let piece = |piece: TextPiece<'_>| match piece {
        TextPiece::Text(text) => shell_word(text),
        TextPiece::Variable(name) => format!("\"${name}\""),
    };
    split_variables(text).into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::{EntryId, EntryPlace, FileId},
        schema::pointer::Pointer,
    };

    fn request(params: &Value) -> Request {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        Request {
            tool: EntryId::new(place),
            system: "mcp",
            name: "find".into(),
            to: "tools/call".into(),
            reply: None,
            headers: Vec::new(),
            correlation: "1".into(),
            arguments: "{}".into(),
            body: params.to_string().into(),
            mock: None,
        }
    }

    fn text_of(copies: &[Copied], what: &str) -> String {
        let copied = copies.iter().find(|copied| copied.what == what);
        copied.unwrap_or_else(|| panic!("{what}: {copies:?}")).text.clone()
    }

    fn started(args: &[&str]) -> Connection {
        let env = [
            ("LEVEL", SettingValue::Text("a b".into())),
            ("TOKEN", SettingValue::Secret(SecretAt::Variable("MY_TOKEN".into()))),
        ];
        settings::on(Connection::process(
            "shop",
            ServerCommand {
                command: "node".into(),
                args: args.iter().map(|arg| (*arg).to_owned()).collect(),
                env: env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                dir: Some("/srv/my shop".into()),
            },
        ))
    }

    #[test]
    fn a_call_of_a_started_server_runs_from_any_folder() {
        let params = json!({
            "name": "find",
            "arguments": {"text": "it's", "limit": 5, "code": "5", "key": "a {{env.KEY}}"},
        });
        let copies = of_call(&request(&params), &started(&["srv.js"]));
        assert_eq!(
            text_of(&copies, FRAME),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"text":"it's","limit":5,"code":"5","key":"a {{env.KEY}}"}}}"#
        );
        assert_eq!(
            text_of(&copies, MCP_COMMAND),
            r#"cd '/srv/my shop' && toolcrib mcp call find 'text=it'\''s' limit:=5 code=5 'key=a {{env.KEY}}' -- env 'LEVEL=a b' TOKEN="$MY_TOKEN" node srv.js"#
        );
        assert_eq!(
            text_of(&copies, "MCP Inspector command"),
            r#"cd '/srv/my shop' && npx @modelcontextprotocol/inspector --cli node srv.js -e 'LEVEL=a b' -e TOKEN="$MY_TOKEN" --method tools/call --tool-name find --tool-arg 'text=it'\''s' --tool-arg limit=5 --tool-arg 'code="5"' --tool-arg 'key="a '"$KEY"'"'"#
        );
        assert_eq!(
            text_of(&copies, "Python program"),
            "# pip install \"mcp>=2\"\nimport asyncio\nimport os\n\n\
            from mcp import Client, StdioServerParameters\n\n\
            SERVER = StdioServerParameters(\n    command=\"node\",\n    args=[\"srv.js\"],\n    \
            env={\"LEVEL\": \"a b\", \"TOKEN\": os.environ[\"MY_TOKEN\"]},\n    \
            cwd=\"/srv/my shop\",\n)\n\n\nasync def main():\n    \
            async with Client(SERVER) as client:\n        \
            result = await client.call_tool(\"find\", {\"text\": \"it's\", \"limit\": 5, \
            \"code\": \"5\", \"key\": \"a \" + os.environ[\"KEY\"]})\n        \
            print(result.model_dump_json(indent=2, by_alias=True, exclude_none=True))\n\n\n\
            asyncio.run(main())\n"
        );
        let with_flags = of_call(&request(&params), &started(&["srv.js", "--dev"]));
        let line = text_of(&with_flags, "MCP Inspector command");
        assert!(line.contains("node srv.js --dev -- -e 'LEVEL=a b'"), "{line}");
    }

    #[test]
    fn secrets_among_the_variables_of_the_settings_are_those_of_the_environment() {
        let variables = [
            ("key", RequestVariable::Secret(SecretAt::Variable("SHOP_KEY".into()))),
            ("pin", RequestVariable::Secret(SecretAt::KeyStore("shop-pin".into()))),
        ];
        let connection = Connection {
            variables: variables.map(|(name, variable)| (name.to_owned(), variable)).into(),
            ..started(&["srv.js"])
        };
        let params = json!({
            "name": "find", "arguments": {"key": "{{var.key}}", "pin": "no. {{ var.pin }}"},
        });
        let copies = of_call(&request(&params), &connection);
        for (what, part) in [
            (MCP_COMMAND, "'key={{env.SHOP_KEY}}' 'pin=no. {{env.SHOP_PIN}}' --"),
            (
                "MCP Inspector command",
                r#"--tool-arg 'key="'"$SHOP_KEY"'"' --tool-arg 'pin="no. '"$SHOP_PIN"'"'"#,
            ),
            (
                "Python program",
                r#"{"key": os.environ["SHOP_KEY"], "pin": "no. " + os.environ["SHOP_PIN"]}"#,
            ),
        ] {
            let text = text_of(&copies, what);
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }

    #[test]
    fn a_shell_runs_nothing_of_the_names_in_settings() {
        let mut server = started(&["srv.js"]);
        let Endpoint::Process(command) = &mut server.endpoint else { panic!("no command") };
        let key = SettingValue::Secret(SecretAt::Variable("(id)".into()));
        command.env = [("A;id;B".to_owned(), key)].into_iter().collect();
        let params = json!({"name": "find", "arguments": {}});
        let line = text_of(&of_call(&request(&params), &server), MCP_COMMAND);
        assert!(line.contains(r#"-- env 'A;id;B'="\$(id)" node srv.js"#), "{line}");
    }

    #[test]
    fn a_call_over_http_has_its_headers_and_no_secret() {
        let headers = [
            ("X-Key", SettingValue::Secret(SecretAt::Variable("KEY".into()))),
            ("X-Tenant", SettingValue::Text("t1".into())),
        ];
        let connection = Connection {
            credentials: Credentials::Token { token: SecretAt::Variable("TOKEN".into()) },
            headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            ..settings::on(Connection::http("web", "https://h/api"))
        };
        let params = json!({"name": "now", "arguments": {"deep": {"on": true, "no": null}}, "_meta": {"a/b": 1}});
        let copies = of_call(&request(&params), &connection);
        let flags = r#"--header "authorization: Bearer $TOKEN" --header "X-Key: $KEY" --header 'X-Tenant: t1'"#;
        assert_eq!(
            text_of(&copies, MCP_COMMAND),
            format!(
                r#"toolcrib mcp call now 'deep:={{"on":true,"no":null}}' --meta '{{"a/b":1}}' https://h/api {flags}"#
            )
        );
        assert_eq!(
            text_of(&copies, "MCP Inspector command"),
            format!(
                r#"npx @modelcontextprotocol/inspector --cli https://h/api --transport http {flags} --method tools/call --tool-name now --tool-arg 'deep={{"on":true,"no":null}}' --tool-metadata a/b=1"#
            )
        );
        let program = text_of(&copies, "Python program");
        for part in [
            "import os\n\nimport httpx2\n",
            r#"headers={"Authorization": "Bearer " + os.environ["TOKEN"], "X-Key": os.environ["KEY"], "X-Tenant": "t1"}"#,
            r#"call_tool("now", {"deep": {"on": True, "no": None}}, meta={"a/b": 1})"#,
        ] {
            assert!(program.contains(part), "{part}:\n{program}");
        }
        let plain = settings::on(Connection::http("web", "http://127.0.0.1:1/mcp"));
        let program = text_of(&of_call(&request(&params), &plain), "Python program");
        assert!(program.contains("SERVER = \"http://127.0.0.1:1/mcp\"\n"), "{program}");
        let embedded = of_call(&request(&params), &Connection::embedded());
        assert_eq!(embedded.iter().map(|copied| &*copied.what).collect::<Vec<_>>(), [FRAME]);
    }

    #[test]
    fn a_connection_is_an_entry_of_other_programs() {
        let entry = |connection: &Connection, row: usize| {
            let text = of_connection(connection).swap_remove(row).text;
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let shop = json!({
            "command": "node", "args": ["srv.js"], "env": {"LEVEL": "a b", "TOKEN": "${MY_TOKEN}"},
            "cwd": "/srv/my shop",
        });
        assert_eq!(entry(&started(&["srv.js"]), 0), json!({"mcpServers": {"shop": shop}}));
        let connection = Connection {
            credentials: Credentials::Token { token: SecretAt::KeyStore("web-token".into()) },
            ..settings::on(Connection::http("web", "https://h/sse"))
        };
        let web = json!({
            "type": "sse", "url": "https://h/sse",
            "headers": {"Authorization": "Bearer ${env:WEB_TOKEN}"},
        });
        assert_eq!(entry(&connection, 1), json!({"mcpServers": {"web": &web}}));
        assert_eq!(entry(&connection, 2), json!({"servers": {"web": web}}));
        assert!(of_connection(&Connection::nats("bus", "nats://h")).is_empty());
        assert_eq!(environment_name(&SecretAt::KeyStore("7-key".into())), "_7_KEY");
    }
}
