//! What is known of a server once a connection to it is open, in words: what was agreed on, what
//! each side says that it can do, and what is odd about it.

use serde_json::{Map, Value, json};

use super::{
    fault::NOISE,
    rpc::build::Client,
    turn::OpenedServer,
    version::{Era, Versions},
};
use crate::model::server_profile::{ProfileFact, ServerProfile};

/// What a finding about the opening of a connection means, as a sentence without its end.
#[must_use]
pub fn finding_words(id: &str) -> &'static str {
    match id {
        "discover.malformed" => "its answer to server/discover names no supported versions",
        "era.not-modern" => "it doesn't speak the modern era",
        "error.no-supported-list" => {
            "it refuses the version and does not say which versions it supports"
        }
        NOISE => {
            "it prints something else to standard output, where only messages may be: other \
            clients may fail"
        }
        "http.forbidden" => "it refuses the connection (HTTP 403)",
        "http.server-error" => "it fails with an error of its own (HTTP 5xx)",
        "initialize.malformed" => "its answer to initialize names no version",
        "initialize.refused" => "it refuses initialize",
        "initialize.refused-version" => "it first refused the version that it was asked for",
        "initialize.timeout" => "it did not answer initialize in time",
        "probe.killed-server" => "it ended when it was sent server/discover",
        "probe.rejected" => "it rejects server/discover as toolcrib sends it",
        "probe.timeout" => "it did not answer server/discover in time",
        "server.exited" => "it ended before it answered initialize",
        "version.downgraded" => "it answered with an older version than it was asked for",
        "version.no-mutual" => "it supports no version of the protocol that toolcrib speaks",
        "version.not-for-initialize" => "it answers initialize with a version of the modern era",
        "version.refused-twice" => "it refuses a version that it says it supports",
        "version.unsupported" => "it answers with a version that toolcrib does not know",
        "version.upgraded" => "it answered with a newer version than it was asked for",
        _ => "something is odd about how the connection was opened",
    }
}

/// What a server and this client said of themselves.
#[must_use]
pub fn server_profile(opened: &OpenedServer, client: &Client) -> ServerProfile {
    let fact = |label, words: String| ProfileFact { label, words };
    let (version, era) = (&opened.spoken.version, opened.spoken.era);
    let mut facts = vec![fact("protocol", format!("{version}, {} era", era.as_str()))];
    let said = match era {
        Era::Legacy => {
            Versions::default().newest_legacy().map(|newest| ("asked for", newest.to_owned()))
        }
        Era::Modern => {
            let versions = opened.result["supportedVersions"].as_array();
            let versions = versions.into_iter().flatten().filter_map(Value::as_str);
            let versions: Vec<&str> = versions.collect();
            (!versions.is_empty()).then(|| ("supports", versions.join(", ")))
        }
    };
    facts.extend(
        said.filter(|(_, words)| words != version).map(|(label, words)| fact(label, words)),
    );
    facts.push(fact("server capabilities", capability_words(opened.capabilities())));
    facts.push(fact("client capabilities", capability_words(&client.capabilities)));
    let findings = opened.findings.iter().map(|id| format!("{id}: {}", finding_words(id)));
    ServerProfile {
        facts,
        instructions: opened.instructions().map(str::to_owned),
        findings: findings.collect(),
        json: json!({
            "version": version,
            "era": era.as_str(),
            "server": opened.result,
            "client": {"clientInfo": client.info, "capabilities": client.capabilities},
            "findings": opened.findings,
        }),
    }
}

/// Capabilities in a line: `tools (listChanged), logging`.
fn capability_words(capabilities: &Value) -> String {
    let names = |members: &Map<String, Value>| -> Vec<String> {
        let is_on =
            |(_, value): &(&String, &Value)| !matches!(value, Value::Bool(false) | Value::Null);
        members.iter().filter(is_on).map(|(name, _)| name.clone()).collect()
    };
    let words = |(name, value): (&String, &Value)| {
        let parts = value.as_object().map(names).unwrap_or_default();
        match parts.is_empty() {
            true => name.clone(),
            false => format!("{name} ({})", parts.join(", ")),
        }
    };
    let all: Vec<String> = capabilities.as_object().into_iter().flatten().map(words).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::mcp::rpc::build::SpokenVersion;

    fn facts(era: Era, version: &str, result: Value) -> Vec<String> {
        let spoken = SpokenVersion { era, version: version.to_owned() };
        let opened = OpenedServer { spoken, result, findings: vec!["version.downgraded"] };
        let client =
            Client { capabilities: json!({"elicitation": {"form": {}}}), ..Client::new("c", "1") };
        let profile = server_profile(&opened, &client);
        profile.facts.iter().map(|fact| format!("{}: {}", fact.label, fact.words)).collect()
    }

    #[test]
    fn what_was_agreed_on_and_what_each_side_can_do_are_facts() {
        let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": false}, "logging": {}});
        assert_eq!(
            facts(Era::Legacy, "2025-06-18", json!({"capabilities": capabilities})),
            [
                "protocol: 2025-06-18, legacy era",
                "asked for: 2025-11-25",
                "server capabilities: tools (listChanged), resources, logging",
                "client capabilities: elicitation (form)"
            ]
        );
        assert_eq!(
            facts(
                Era::Modern,
                "2026-07-28",
                json!({"supportedVersions": ["2026-07-28", "2025-11-25"]})
            ),
            [
                "protocol: 2026-07-28, modern era",
                "supports: 2026-07-28, 2025-11-25",
                "server capabilities: nothing",
                "client capabilities: elicitation (form)"
            ]
        );
    }

    #[test]
    fn every_finding_of_an_opening_has_its_words() {
        // As the negotiation names them.
        let source = include_str!("negotiate.rs");
        let ids = source.split('"').filter(|text| {
            let parts: Vec<&str> = text.split('.').collect();
            let is_word = |part: &&str| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            };
            parts.len() == 2 && parts.iter().all(is_word)
        });
        let (mut seen, unknown) = (0, finding_words(""));
        for id in ids {
            assert_ne!(finding_words(id), unknown, "{id}");
            seen += 1;
        }
        assert!(seen > 15, "{seen}");
    }
}
