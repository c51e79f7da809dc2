//! Words of kept lists and of the settings of servers.

use crate::model::entry::SystemId;

pub const SYSTEM: SystemId = "mcp";

/// The folder of kept lists, and the table of servers in `toolcrib.toml`.
pub const MCP: &str = "mcp";

pub const SERVER: &str = "server";
pub const ERA: &str = "era";
/// The least level of logs that a server is asked for.
pub const LOG_LEVEL: &str = "log-level";
/// What a connection declares to its server, and the folders that it reports it.
pub const CAPABILITIES: &str = "capabilities";
pub const ROOTS: &str = "roots";
pub const VERSION: &str = "version";
pub const TIME: &str = "time";
pub const HASH: &str = "hash";
pub const TOOLS: &str = "tools";
pub const NAME: &str = "name";

/// Settings of a connection that say which client we are for an authorization server.
pub const CLIENT_ID: &str = "client-id";
pub const CLIENT_SECRET: &str = "client-secret";
/// The setting that says how tokens are got.
pub const GRANT: &str = "grant";
/// The key that a client signs with.
pub const CLIENT_PEM: &str = "client-pem";
/// The token that says who the workload or the user is.
pub const IDENTITY_TOKEN: &str = "identity-token";
/// The identity provider of an enterprise, and the client that we are for it.
pub const IDP_TOKEN_ENDPOINT: &str = "idp-token-endpoint";
pub const IDP_CLIENT_ID: &str = "idp-client-id";
pub const IDP_CLIENT_SECRET: &str = "idp-client-secret";
