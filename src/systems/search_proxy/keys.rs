//! Words of the proxy's entries, its endpoints, and what each request says of who makes it.

use serde_json::{Map, Value, json};

use crate::model::entry::SystemId;

pub const SYSTEM: SystemId = "search-proxy";

/// The member that makes an object an entry: the endpoint that it calls.
pub const ENDPOINT: &str = "search-proxy";
pub const NAME: &str = "name";
pub const DESCRIPTION: &str = "description";
/// What its author set; sent with every call.
pub const CONFIGURATION: &str = "configuration";
/// Members of the configuration that a model may give as well.
pub const EXPOSED: &str = "exposed";
/// The schema of the whole request, as the proxy's `/openapi.json` has it.
pub const REQUEST_SCHEMA: &str = "request-schema";

pub const QUERY: &str = "query";
pub const URLS: &str = "urls";
pub const ENGINE: &str = "engine";
pub const CRAWLER: &str = "crawler";

/// An endpoint that does something for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Search,
    AgentSearch,
    Crawl,
}

impl Endpoint {
    pub const ALL: [Self; 3] = [Self::Search, Self::AgentSearch, Self::Crawl];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::AgentSearch => "agent-search",
            Self::Crawl => "crawl",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|endpoint| endpoint.as_str() == word)
    }

    /// The endpoint of an entry.
    #[must_use]
    pub fn of_entry(entry: &Value) -> Option<Self> {
        Self::parse(entry.get(ENDPOINT)?.as_str()?)
    }

    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Search => "/v1/search",
            Self::AgentSearch => "/v1/agent-search",
            Self::Crawl => "/v1/crawl",
        }
    }

    /// The member of a request that says who answers it.
    #[must_use]
    pub fn chooser(self) -> &'static str {
        match self {
            Self::Search | Self::AgentSearch => ENGINE,
            Self::Crawl => CRAWLER,
        }
    }

    /// The member of a request that is different with each call.
    #[must_use]
    pub fn subject(self) -> &'static str {
        match self {
            Self::Search | Self::AgentSearch => QUERY,
            Self::Crawl => URLS,
        }
    }

    /// The member under which `/v1/configuration/providers` lists those who answer it.
    #[must_use]
    pub fn providers(self) -> &'static str {
        match self {
            Self::Search => "searchEngines",
            Self::AgentSearch => "agentEngines",
            Self::Crawl => "crawlers",
        }
    }

    /// The schema of [`Self::subject`] where the proxy's own is not known.
    #[must_use]
    pub fn subject_schema(self) -> Value {
        match self {
            Self::Search | Self::AgentSearch => {
                json!({"type": "string", "minLength": 1, "description": "What to search for"})
            }
            Self::Crawl => json!({
                "type": "array", "items": {"type": "string"}, "minItems": 1,
                "description": "Addresses of the pages to read",
            }),
        }
    }
}

/// Something that a request says of who makes it: the key, its header, and what it is.
pub struct ContextKey {
    pub key: &'static str,
    pub header: &'static str,
    pub help: &'static str,
}

/// What requests say of who makes them. The proxy wants the first three, unless it was started with
/// `REQUIRE_CONTEXT_HEADERS=false`.
pub const CONTEXT: [ContextKey; 6] = [
    ContextKey {
        key: "company-id",
        header: "x-unique-company-id",
        help: "The user's company: a number",
    },
    ContextKey { key: "user-id", header: "x-unique-user-id", help: "The user: a number" },
    ContextKey { key: "chat-id", header: "x-unique-chat-id", help: "The chat" },
    ContextKey {
        key: "entry-point",
        header: "x-unique-entry-point",
        help: "Where the request entered the platform: chat_tool, public_api, …",
    },
    ContextKey { key: "message-id", header: "x-unique-message-id", help: "The user's message" },
    ContextKey { key: "service-id", header: "x-service-id", help: "The service that calls" },
];

/// The header of a context's key: by its key, or as it is.
#[must_use]
pub fn header_of(key: &str) -> &str {
    CONTEXT.iter().find(|known| known.key == key).map_or(key, |known| known.header)
}

/// Who answers an entry's calls: an engine or a crawler.
#[must_use]
pub fn provider_of(entry: &Value) -> Option<&str> {
    entry.get(Endpoint::of_entry(entry)?.chooser())?.as_str()
}

/// What an entry's author set.
#[must_use]
pub fn configuration_of(entry: &Value) -> Map<String, Value> {
    entry.get(CONFIGURATION).and_then(Value::as_object).cloned().unwrap_or_default()
}
