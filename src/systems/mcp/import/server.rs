//! A server as a configuration names it, and what it asks for before it starts.

use serde_json::{Map, Value, json};

/// Words of transports.
pub const STDIO: &str = "stdio";
pub const HTTP: &str = "http";
pub const SSE: &str = "sse";

/// A server, its values as they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    pub name: String,
    /// What a registry says of it.
    pub about: String,
    pub version: String,
    /// `stdio`, `http` or `sse`; another one as it is written.
    pub transport: String,
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
    pub env_file: Option<String>,
    pub url: Option<String>,
    pub headers: Vec<(String, String)>,
    pub disabled: bool,
    pub inputs: Vec<Input>,
}

/// A value that somebody has to give.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub id: String,
    pub secret: bool,
    pub required: bool,
    /// Null where there is none.
    pub default: Value,
}

impl Input {
    /// One of which nothing is said.
    #[must_use]
    pub fn undeclared(id: &str) -> Self {
        Self { id: id.to_owned(), secret: false, required: true, default: Value::Null }
    }
}

impl Server {
    /// Every text of it in which variables may stand, in the order in which they are shown.
    pub fn texts<'s>(&'s self) -> impl Iterator<Item = &'s str> {
        let whole = self.command.iter().chain(&self.args);
        let places = self.cwd.iter().chain(&self.env_file).chain(&self.url);
        let values = |pairs: &'s [(String, String)]| pairs.iter().map(|(_, value)| value);
        whole
            .chain(values(&self.env))
            .chain(places)
            .chain(values(&self.headers))
            .map(String::as_str)
    }

    /// All of it, every member always.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let map = |pairs: &[(String, String)]| {
            pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>()
        };
        let input = |input: &Input| json!({"id": input.id, "secret": input.secret, "required": input.required, "default": input.default});
        json!({
            "name": self.name,
            "transport": self.transport,
            "command": self.command,
            "args": self.args,
            "env": map(&self.env),
            "cwd": self.cwd,
            "env_file": self.env_file,
            "url": self.url,
            "headers": map(&self.headers),
            "disabled": self.disabled,
            "inputs": self.inputs.iter().map(input).collect::<Vec<_>>(),
        })
    }
}
