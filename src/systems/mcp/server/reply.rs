//! What a server says, as frames: results, errors and notifications.

use serde_json::{Map, Value, json};

use crate::{
    schema::literal::Literal,
    systems::mcp::{
        codes,
        notice::LogLevel,
        rpc::{
            build::{Members, SUBSCRIPTION_ID, SpokenVersion, notification_frame, result_frame},
            id::Id,
        },
        version::Era,
    },
};

/// The member of `_meta` in which a server of the modern era says who it is.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The extension by which calls become tasks, from 2026-07-28 on.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";
/// The one revision before it that has tasks.
pub const WITH_TASKS: &str = "2025-11-25";
/// The notification that the tools are others now.
pub const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: String,
    /// For people.
    pub title: String,
    pub version: String,
    /// For the model: what is here.
    pub instructions: String,
    /// Servers behind the tools may have resources and prompts.
    pub has_servers: bool,
}

impl ServerInfo {
    #[must_use]
    pub fn server_info(&self) -> Value {
        json!({"name": self.name, "title": self.title, "version": self.version})
    }

    /// What can be asked of it in that version.
    #[must_use]
    pub fn capabilities(&self, version: &str) -> Value {
        let mut capabilities = json!({"tools": {"listChanged": true}, "logging": {}});
        if Era::from_version(version) == Era::Modern {
            capabilities["extensions"] = json!({TASKS: {}});
        } else if version == WITH_TASKS {
            capabilities["tasks"] = json!({"cancel": {}, "requests": {"tools": {"call": {}}}});
        }
        if self.has_servers {
            capabilities["resources"] = json!({"subscribe": true});
            for more in ["prompts", "completions"] {
                capabilities[more] = json!({});
            }
        }
        capabilities
    }

    /// The frame of a result, with what the era wants beside it.
    #[must_use]
    pub fn result(&self, id: &Id, spoken: &SpokenVersion, result: Value) -> Reply {
        self.typed_result(id, spoken, "complete", result)
    }

    /// The frame of a result of that type.
    #[must_use]
    pub fn typed_result(
        &self,
        id: &Id,
        spoken: &SpokenVersion,
        kind: &str,
        mut result: Value,
    ) -> Reply {
        if spoken.era == Era::Modern
            && let Some(members) = result.as_object_mut()
        {
            members.insert("resultType".into(), json!(kind));
            add_meta(members, vec![(SERVER_INFO, self.server_info())]);
        }
        Reply { text: result_frame(id, &Literal::from(result)), status: 200 }
    }

    /// The same of a list, which may be another at any time.
    #[must_use]
    pub fn list_result(&self, id: &Id, spoken: &SpokenVersion, mut result: Value) -> Reply {
        if spoken.era == Era::Modern {
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
        self.result(id, spoken, result)
    }
}

/// Adds to the `_meta` of a result.
pub(super) fn add_meta(result: &mut Map<String, Value>, added: Vec<(&str, Value)>) {
    let mut meta = match result.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    meta.extend(added.into_iter().map(|(name, value)| (name.to_owned(), value)));
    result.insert("_meta".into(), Value::Object(meta));
}

/// A frame that answers a request, and the status with which HTTP carries it alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub status: u16,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

impl Refusal {
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// What an error of JSON-RPC says.
    #[must_use]
    pub fn from_error(error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or(codes::INTERNAL_ERROR);
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        Self { data: error.get("data").cloned(), ..Self::new(code, message) }
    }

    /// The frame; without an id where the request's could not be read.
    #[must_use]
    pub fn to_reply(&self, id: Option<&Id>, era: Era) -> Reply {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        let id = id.map(Id::to_value);
        let status = match (era, self.code) {
            (_, codes::PARSE_ERROR | codes::INVALID_REQUEST) => 400,
            (Era::Legacy, _) => 200,
            (Era::Modern, codes::METHOD_NOT_FOUND) => 404,
            (
                Era::Modern,
                codes::INVALID_PARAMS
                | codes::HEADER_MISMATCH
                | codes::MISSING_CAPABILITY
                | codes::UNSUPPORTED_VERSION,
            ) => 400,
            (Era::Modern, _) => 200,
        };
        Reply { text: json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string(), status }
    }
}

/// How far a call is.
#[must_use]
pub fn progress_frame(
    token: &Id,
    progress: &Value,
    total: Option<&Value>,
    message: &str,
) -> String {
    let params = Members::default()
        .with_member("progressToken", &Literal::from(token.to_value()))
        .with_member("progress", &Literal::from(progress.clone()))
        .with_some("total", total.cloned().map(Literal::from).as_ref());
    let message = Some(message).filter(|message| !message.is_empty()).map(Literal::from);
    notification_frame("notifications/progress", &params.with_some("message", message.as_ref()))
}

/// Something worth knowing.
#[must_use]
pub fn log_frame(level: LogLevel, logger: &str, data: Value) -> String {
    let params = Members::default()
        .with_member("level", &level.as_str().into())
        .with_member("logger", &logger.into())
        .with_member("data", &Literal::from(data));
    notification_frame("notifications/message", &params)
}

/// The tools are others now; `subscription` is the request that wanted to know it.
#[must_use]
pub fn tools_changed_frame(subscription: Option<&Id>) -> String {
    let meta = subscription.map(subscription_meta);
    let params = Members::default().with_some("_meta", meta.map(Literal::from).as_ref());
    notification_frame(TOOLS_CHANGED, &params)
}

/// A resource has changed; `subscription` is the request that wanted to know it.
#[must_use]
pub fn resource_updated_frame(uri: &str, subscription: Option<&Id>) -> String {
    let meta = subscription.map(subscription_meta);
    let params = Members::default()
        .with_member("uri", &uri.into())
        .with_some("_meta", meta.map(Literal::from).as_ref());
    notification_frame("notifications/resources/updated", &params)
}

/// What of a subscription will be received.
#[must_use]
pub fn acknowledged_frame(subscription: &Id, notifications: &Value) -> String {
    let params = Members::default()
        .with_member("notifications", &Literal::from(notifications.clone()))
        .with_member("_meta", &Literal::from(subscription_meta(subscription)));
    notification_frame("notifications/subscriptions/acknowledged", &params)
}

#[must_use]
pub fn subscription_meta(subscription: &Id) -> Value {
    json!({SUBSCRIPTION_ID: subscription.to_value()})
}

/// The result of a call that was not made.
#[must_use]
pub fn refused_result(words: &str) -> Value {
    json!({"content": [{"type": "text", "text": words}], "isError": true})
}
