//! What a client sends: requests, notifications and answers of both eras, each on one line.

use serde_json::{Map, Value, json};

use super::id::Id;
use crate::{
    schema::literal::Literal,
    systems::mcp::{headers::encode_value, version::Era},
};

pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Members of an object as JSON, each as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members(Vec<(String, String)>);

impl Members {
    /// One member more, in the place of one of that name.
    #[must_use]
    pub fn with_member(mut self, name: &str, value: &Literal) -> Self {
        self.set(name, value.to_json().into_owned());
        self
    }

    /// The same, where there is a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<&Literal>) -> Self {
        match value {
            Some(value) => self.with_member(name, value),
            None => self,
        }
    }

    fn set(&mut self, name: &str, json: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = json,
            None => self.0.push((name.to_owned(), json)),
        }
    }

    /// A member as a value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        let (_, json) = self.0.iter().find(|(known, _)| known == name)?;
        serde_json::from_str(json).ok()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let members: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Who speaks, and what it can do.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// `name` and `version`, also `title`.
    pub info: Value,
    /// What is declared to servers.
    pub capabilities: Value,
    /// The least level of logs that is asked for with each request of the modern era; none: no
    /// logs.
    pub log_level: Option<String>,
}

impl Client {
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            info: json!({"name": name, "version": version}),
            capabilities: json!({}),
            log_level: None,
        }
    }

    /// Whether a capability is declared: `elicitation`, or `elicitation.url` within it.
    #[must_use]
    pub fn declares(&self, path: &[&str]) -> bool {
        path.iter().try_fold(&self.capabilities, |at, name| at.get(name)).is_some()
    }

    /// What every request says about itself in the modern era, with the request's own `_meta`,
    /// which wins.
    fn meta(&self, version: &str, own: &Members) -> Members {
        let said = [
            (PROTOCOL_VERSION, Some(json!(version))),
            (CLIENT_INFO, Some(self.info.clone())),
            (CLIENT_CAPABILITIES, Some(self.capabilities.clone())),
            (LOG_LEVEL, self.log_level.as_ref().map(|level| json!(level))),
        ];
        let mut meta = Members::default();
        for (name, value) in said {
            meta.0.extend(value.map(|value| (name.to_owned(), value.to_string())));
        }
        own.0.iter().for_each(|(name, value)| meta.set(name, value.clone()));
        meta
    }
}

/// How both sides speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenVersion {
    pub era: Era,
    pub version: String,
}

/// A request before it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub method: String,
    pub params: Members,
    /// Its `_meta`, but what every request of the modern era says.
    pub meta: Members,
}

impl Call {
    #[must_use]
    pub fn from_method(method: &str) -> Self {
        Self { method: method.to_owned(), ..Self::default() }
    }

    #[must_use]
    pub fn with_param(mut self, name: &str, value: &Literal) -> Self {
        self.params = self.params.with_member(name, value);
        self
    }

    /// A call of a tool, its arguments as they were written.
    #[must_use]
    pub fn for_tool(name: &str, arguments: &Literal) -> Self {
        Self::from_method("tools/call")
            .with_param("name", &name.into())
            .with_param("arguments", arguments)
    }

    /// Asks for reports on how far the work is, under that token.
    #[must_use]
    pub fn with_progress(mut self, token: &Id) -> Self {
        self.meta = self.meta.with_member("progressToken", &Literal::from(token.to_value()));
        self
    }

    /// The same request again with what the server wanted to know (`inputResponses`) and its
    /// `requestState`, unchanged. It is to be sent under a new id.
    #[must_use]
    pub fn with_responses(mut self, responses: &Literal, state: Option<&Literal>) -> Self {
        self.params.0.retain(|(name, _)| name != "requestState");
        self.params =
            self.params.with_member("inputResponses", responses).with_some("requestState", state);
        self
    }

    /// The frame of the request.
    #[must_use]
    pub fn to_frame(&self, id: &Id, client: &Client, spoken: &SpokenVersion) -> String {
        let meta = match spoken.era {
            Era::Modern => client.meta(&spoken.version, &self.meta),
            Era::Legacy => self.meta.clone(),
        };
        let mut params = self.params.clone();
        if !meta.is_empty() {
            params.set("_meta", meta.to_json());
        }
        message_frame(Some(id), &self.method, &params)
    }

    /// The headers that HTTP repeats of it, but those of arguments.
    #[must_use]
    pub fn headers(&self, spoken: &SpokenVersion) -> Vec<(String, String)> {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut headers = Vec::new();
        if self.method != "initialize" {
            headers.push(header("MCP-Protocol-Version", &spoken.version));
        }
        if spoken.era == Era::Modern {
            headers.push(header("Mcp-Method", &self.method));
            let named = match self.method.as_str() {
                "tools/call" | "prompts/get" => self.params.get("name"),
                "resources/read" => self.params.get("uri"),
                "tasks/get" | "tasks/update" | "tasks/cancel" => self.params.get("taskId"),
                _ => None,
            };
            headers.extend(
                named
                    .as_ref()
                    .and_then(Value::as_str)
                    .map(|name| header("Mcp-Name", &encode_value(name))),
            );
        }
        headers
    }
}

/// `server/discover`.
#[must_use]
pub fn discover() -> Call {
    Call::from_method("server/discover")
}

/// `initialize` with that version.
#[must_use]
pub fn initialize(client: &Client, version: &str) -> Call {
    Call::from_method("initialize")
        .with_param("protocolVersion", &version.into())
        .with_param("capabilities", &Literal::from(client.capabilities.clone()))
        .with_param("clientInfo", &Literal::from(client.info.clone()))
}

/// The frame of a notification.
#[must_use]
pub fn notification_frame(method: &str, params: &Members) -> String {
    message_frame(None, method, params)
}

/// The frame of a request.
#[must_use]
pub fn request_frame(id: &Id, method: &str, params: &Members) -> String {
    message_frame(Some(id), method, params)
}

/// Asks the server to stop working at a request.
#[must_use]
pub fn cancelled_frame(id: &Id, reason: Option<&str>) -> String {
    let params = Members::default().with_member("requestId", &Literal::from(id.to_value()));
    notification_frame(
        "notifications/cancelled",
        &params.with_some("reason", reason.map(Literal::from).as_ref()),
    )
}

/// The answer to a request of the server.
#[must_use]
pub fn result_frame(id: &Id, result: &Literal) -> String {
    one_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, result.to_json()))
}

/// The refusal of a request of the server.
#[must_use]
pub fn error_frame(id: &Id, code: i64, message: &str) -> String {
    let error = Value::Object(Map::from_iter([
        ("code".to_owned(), json!(code)),
        ("message".to_owned(), json!(message)),
    ]));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

fn message_frame(id: Option<&Id>, method: &str, params: &Members) -> String {
    let id = id.map(|id| format!("\"id\":{id},")).unwrap_or_default();
    let params =
        if params.is_empty() { String::new() } else { format!(",\"params\":{}", params.to_json()) };
    one_line(&format!("{{\"jsonrpc\":\"2.0\",{id}\"method\":{}{params}}}", json!(method)))
}

/// JSON on one line: a break can only stand between values.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(version: &str) -> SpokenVersion {
        SpokenVersion { era: Era::from_version(version), version: version.into() }
    }

    #[test]
    fn arguments_go_out_as_they_were_written() {
        let arguments =
            Literal::parse("{\"n\": 1.10,\r\n \"big\": 12345678901234567890123}").unwrap();
        let frame = Call::for_tool("x", &arguments).to_frame(
            &Id::from(7),
            &Client::new("t", "1"),
            &spoken("2025-11-25"),
        );
        assert_eq!(
            frame,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"n": 1.10,   "big": 12345678901234567890123}}}"#
        );
    }

    #[test]
    fn a_modern_request_says_who_asks() {
        let client = Client { log_level: Some("info".into()), ..Client::new("t", "1") };
        let call =
            Call { meta: Members::default().with_member(LOG_LEVEL, &"debug".into()), ..discover() }
                .with_progress(&Id::from(1));
        let frame: Value =
            serde_json::from_str(&call.to_frame(&Id::from(1), &client, &spoken("2026-07-28")))
                .unwrap();
        assert_eq!(
            frame["params"]["_meta"],
            json!({PROTOCOL_VERSION: "2026-07-28", CLIENT_INFO: {"name": "t", "version": "1"}, CLIENT_CAPABILITIES: {},
                LOG_LEVEL: "debug", "progressToken": 1})
        );
        let legacy = Call::from_method("ping").to_frame(
            &Id::Text("a".into()),
            &client,
            &spoken("2025-06-18"),
        );
        assert_eq!(legacy, r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
    }

    #[test]
    fn a_request_is_repeated_with_what_was_wanted() {
        let first = Call::for_tool("x", &Literal::from(json!({})))
            .with_responses(&json!({"k": 1}).into(), Some(&"s1".into()));
        let second = first.with_responses(&json!({"l": 2}).into(), None);
        assert_eq!(
            second.params.to_json(),
            r#"{"name":"x","arguments":{},"inputResponses":{"l":2}}"#,
            "no state that was not given"
        );
    }

    #[test]
    fn headers_repeat_the_request() {
        let names = |call: &Call, version: &str| -> Vec<String> {
            call.headers(&spoken(version))
                .into_iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect()
        };
        let read = Call::from_method("resources/read").with_param("uri", &"file:///ü".into());
        assert_eq!(
            names(&read, "2026-07-28"),
            [
                "MCP-Protocol-Version: 2026-07-28",
                "Mcp-Method: resources/read",
                "Mcp-Name: =?base64?ZmlsZTovLy/DvA==?="
            ]
        );
        assert_eq!(names(&read, "2025-06-18"), ["MCP-Protocol-Version: 2025-06-18"]);
        assert_eq!(
            names(&initialize(&Client::new("t", "1"), "2025-11-25"), "2025-11-25"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn answers_and_cancellations() {
        assert_eq!(
            cancelled_frame(&Id::from(3), None),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#
        );
        assert_eq!(
            result_frame(&Id::Text("a".into()), &json!({}).into()),
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#
        );
        assert_eq!(
            error_frame(&Id::from(1), -32601, "no"),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#
        );
    }
}
