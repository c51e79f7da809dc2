//! What a request of the modern era says about itself, and whether it is enough.

use serde_json::{Value, json};

use super::{client_questions::ClientAbilities, reply::Refusal};
use crate::systems::mcp::{
    codes,
    notice::LogLevel,
    rpc::{
        build::{CLIENT_CAPABILITIES, LOG_LEVEL, PROTOCOL_VERSION, SpokenVersion},
        id::Id,
    },
    version::{Era, Versions},
};

/// What is in `_meta`.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    pub spoken: SpokenVersion,
    /// The least level of logs that is asked for; none: no logs.
    pub level: Option<LogLevel>,
    /// What the client can be asked.
    pub abilities: ClientAbilities,
}

/// Whether a request is of the modern era.
#[must_use]
pub fn is_modern(params: &Value) -> bool {
    params.get("_meta").is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some())
}

/// The version that a request says, as it says it.
#[must_use]
pub fn said_version(params: &Value) -> Option<&str> {
    params.get("_meta")?.get(PROTOCOL_VERSION)?.as_str()
}

/// Reads the envelope of a modern request.
///
/// # Errors
/// When something is missing, or the version is none of ours.
pub fn read_envelope(params: &Value, versions: &Versions) -> Result<Envelope, Refusal> {
    let meta = params.get("_meta").and_then(Value::as_object);
    let missing: Vec<&str> = [PROTOCOL_VERSION, CLIENT_CAPABILITIES]
        .into_iter()
        .filter(|name| meta.is_none_or(|meta| !meta.contains_key(*name)))
        .collect();
    if !missing.is_empty() {
        let message = format!("params._meta lacks {}", missing.join(" and "));
        return Err(Refusal::new(codes::INVALID_PARAMS, message));
    }
    let meta = meta.cloned().unwrap_or_default();
    let Some(version) = meta[PROTOCOL_VERSION].as_str() else {
        let message = format!("params._meta: {PROTOCOL_VERSION} is no text");
        return Err(Refusal::new(codes::INVALID_PARAMS, message));
    };
    if !meta[CLIENT_CAPABILITIES].is_object() {
        let message = format!("params._meta: {CLIENT_CAPABILITIES} is no object");
        return Err(Refusal::new(codes::INVALID_PARAMS, message));
    }
    if !versions.modern.iter().any(|known| known == version) {
        return Err(unsupported_version(version, versions));
    }
    let level = meta.get(LOG_LEVEL).and_then(Value::as_str).and_then(LogLevel::parse);
    let abilities = ClientAbilities::new(&meta[CLIENT_CAPABILITIES]);
    let spoken = SpokenVersion { era: Era::Modern, version: version.to_owned() };
    Ok(Envelope { spoken, level, abilities })
}

/// A version that is not spoken here, with those that are.
#[must_use]
pub fn unsupported_version(requested: &str, versions: &Versions) -> Refusal {
    let data = json!({"supported": all_versions(versions), "requested": requested});
    let refusal = Refusal::new(codes::UNSUPPORTED_VERSION, "unsupported protocol version");
    Refusal { data: Some(data), ..refusal }
}

/// Every version that is spoken, the newest first.
#[must_use]
pub fn all_versions(versions: &Versions) -> Vec<&str> {
    versions.modern.iter().chain(&versions.legacy).map(String::as_str).collect()
}

/// The token under which a request wants to know how far it is.
#[must_use]
pub fn progress_token(params: &Value) -> Option<Id> {
    Id::from_value(params.get("_meta")?.get("progressToken")?)
}
