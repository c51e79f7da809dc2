//! What a server says without being asked.

use serde::Deserialize;
use serde_json::{Number, Value, value::RawValue};

use super::rpc::{
    build::SUBSCRIPTION_ID,
    id::{Id, parse_number},
};

const PROGRESS: &str = "notifications/progress";

/// How severe a log message is, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

/// Which list a server says has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    Tools,
    Prompts,
    Resources,
}

impl List {
    /// The capability under which it is.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        }
    }
}

/// A notification, as far as it is what its method promises.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    Progress {
        token: Id,
        progress: Number,
        total: Option<Number>,
        message: Option<String>,
    },
    Log {
        /// `None` where it is no level.
        level: Option<LogLevel>,
        logger: Option<String>,
        data: Value,
    },
    /// The server gives up a request, usually one of its own.
    Cancelled {
        request: Id,
        reason: Option<String>,
    },
    Changed(List),
    ResourceUpdated {
        uri: String,
    },
    /// The state of a task, in the shape of either era.
    Task(Value),
    /// What was to be done at a URL is done.
    ElicitationComplete {
        id: String,
    },
    /// What a subscription brings.
    Subscribed {
        notifications: Value,
    },
    /// A method that is not known, or parameters that are not its own.
    Other {
        method: String,
        params: Value,
    },
}

/// The parameters of the notification of which there may be millions.
#[derive(Deserialize)]
struct ProgressParams<'p> {
    #[serde(borrow, rename = "progressToken")]
    token: &'p RawValue,
    #[serde(borrow)]
    progress: &'p RawValue,
    #[serde(borrow)]
    total: Option<&'p RawValue>,
    message: Option<String>,
}

impl Notice {
    /// Reads a notification's parameters, as they were written.
    #[must_use]
    pub fn parse(method: &str, params: &str) -> Self {
        Self::parse_progress(method, params).unwrap_or_else(|| {
            Self::from_notification(method, serde_json::from_str(params).unwrap_or_default())
        })
    }

    /// `None`: it is another notification, or not as it promises to be.
    fn parse_progress(method: &str, params: &str) -> Option<Self> {
        if method != PROGRESS {
            return None;
        }
        let ProgressParams { token, progress, total, message } =
            serde_json::from_str(params).ok()?;
        let token = Id::parse(token.get())?;
        let progress = parse_number(progress.get())?;
        let total = match total {
            Some(total) => Some(parse_number(total.get())?),
            None => None,
        };
        Some(Self::Progress { token, progress, total, message })
    }

    #[must_use]
    pub fn from_notification(method: &str, params: Value) -> Self {
        Self::parse_known(method, &params)
            .unwrap_or_else(|| Self::Other { method: method.to_owned(), params })
    }

    fn parse_known(method: &str, params: &Value) -> Option<Self> {
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        let number = |name: &str| params.get(name).and_then(Value::as_number).cloned();
        let id = |name: &str| params.get(name).and_then(Id::from_value);
        Some(match method {
            PROGRESS => Self::Progress {
                token: id("progressToken")?,
                progress: number("progress")?,
                total: number("total"),
                message: text("message"),
            },
            "notifications/message" => Self::Log {
                level: text("level").and_then(|level| LogLevel::parse(&level)),
                logger: text("logger"),
                data: params.get("data")?.clone(),
            },
            "notifications/cancelled" => {
                Self::Cancelled { request: id("requestId")?, reason: text("reason") }
            }
            "notifications/tools/list_changed" => Self::Changed(List::Tools),
            "notifications/prompts/list_changed" => Self::Changed(List::Prompts),
            "notifications/resources/list_changed" => Self::Changed(List::Resources),
            "notifications/resources/updated" => Self::ResourceUpdated { uri: text("uri")? },
            "notifications/tasks/status" | "notifications/tasks" => {
                Self::Task(params.is_object().then(|| params.clone())?)
            }
            "notifications/elicitation/complete" => {
                Self::ElicitationComplete { id: text("elicitationId")? }
            }
            "notifications/subscriptions/acknowledged" => {
                Self::Subscribed { notifications: params.get("notifications")?.clone() }
            }
            _ => return None,
        })
    }
}

/// The subscription that a notification belongs to.
#[must_use]
pub fn subscription(params: &Value) -> Option<Id> {
    Id::from_value(params.get("_meta")?.get(SUBSCRIPTION_ID)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn notices_are_read_by_their_methods() {
        let read = |method: &str, params: Value| Notice::from_notification(method, params);
        let progress = read(
            "notifications/progress",
            serde_json::from_str(r#"{"progressToken": "a", "progress": 1.50}"#).unwrap(),
        );
        assert!(
            matches!(progress, Notice::Progress { progress, total: None, .. } if progress.to_string() == "1.50")
        );
        let log = read("notifications/message", json!({"level": "loud", "data": null}));
        assert_eq!(log, Notice::Log { level: None, logger: None, data: json!(null) });
        assert_eq!(
            read("notifications/tools/list_changed", json!(null)),
            Notice::Changed(List::Tools)
        );
        assert_eq!(
            read("notifications/cancelled", json!({"requestId": 3})),
            Notice::Cancelled { request: Id::from(3), reason: None }
        );
        let odd = json!({"progressToken": 1, "progress": "much"});
        assert_eq!(
            read("notifications/progress", odd.clone()),
            Notice::Other { method: "notifications/progress".into(), params: odd }
        );
        assert!(
            LogLevel::ALL.is_sorted()
                && LogLevel::ALL
                    .iter()
                    .all(|level| LogLevel::parse(level.as_str()) == Some(*level))
        );
    }

    #[test]
    fn a_notice_says_where_it_belongs() {
        assert_eq!(subscription(&json!({"_meta": {SUBSCRIPTION_ID: 4}})), Some(Id::from(4)));
        assert_eq!(subscription(&json!([])), None);
    }

    #[test]
    fn progress_is_read_to_the_digit() {
        let notice = Notice::parse(
            PROGRESS,
            r#"{"progressToken":"7","progress":1.10,"total":12345678901234567890123,"_meta":{},"message":"a\u00e9"}"#,
        );
        let Notice::Progress { token, progress, total, message } = notice else { panic!() };
        assert_eq!((token.to_string().as_str(), progress.as_str()), ("\"7\"", "1.10"));
        assert_eq!(total.unwrap().as_str(), "12345678901234567890123");
        assert_eq!(message.as_deref(), Some("aé"));
    }

    proptest! {
        #[test]
        fn anything_can_be_read(params in super::super::tool_findings::tests::any_json()) {
            for method in ["notifications/progress", "notifications/message", "notifications/tasks", "notifications/cancelled", "x"] {
                let notice = Notice::from_notification(method, params.clone());
                prop_assert_eq!(&notice, &Notice::parse(method, &params.to_string()));
                let known = !matches!(notice, Notice::Other { .. });
                prop_assert!(!known || params.is_object());
            }
        }
    }
}
