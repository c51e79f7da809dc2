//! Codes of JSON-RPC errors that have a meaning of their own in MCP.

use serde_json::Value;

/// The headers of a request do not match its body.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client has not declared what the request needs.
pub const MISSING_CAPABILITY: i64 = -32021;
/// The server does not speak the version of the request.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// There is no such resource; up to 2025-11-25.
pub const NO_RESOURCE: i64 = -32002;
/// The user has to open a URL first.
pub const URL_ELICITATION: i64 = -32042;
pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const METHOD_NOT_FOUND: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;
pub const INTERNAL_ERROR: i64 = -32603;

/// The code of an error, where it is a whole number that could be one.
#[must_use]
pub fn error_code(error: &Value) -> Option<i64> {
    error.get("code")?.as_i64()
}
