//! What the settings of a connection say about how its tokens are got.

use serde_json::{Map, Value, json};

use super::keys;
use crate::{
    engine::settings::system_settings::SecretMember,
    model::connection::{Connection, SecretAt, SystemSettings},
};

/// How a token is got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrantKind {
    /// The user allows it on a page.
    #[default]
    Browser,
    /// The client's own secret or key is enough.
    ClientCredentials,
    /// A signed text that the platform gave says which workload this is.
    WorkloadIdentity,
    /// The identity provider of an enterprise vouches for the user.
    EnterpriseManaged,
}

impl GrantKind {
    const ALL: [Self; 4] =
        [Self::Browser, Self::ClientCredentials, Self::WorkloadIdentity, Self::EnterpriseManaged];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::ClientCredentials => "client-credentials",
            Self::WorkloadIdentity => "workload-identity",
            Self::EnterpriseManaged => "enterprise-managed",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// The identity provider that vouches for the user, and who we are for it.
#[derive(Clone, Copy, Debug)]
pub struct IdentityProvider<'c> {
    pub token_endpoint: &'c str,
    pub client_id: &'c str,
    pub client_secret: Option<&'c SecretAt>,
}

pub const SECRETS: &[SecretMember] = &[
    SecretMember { key: keys::CLIENT_SECRET, written: &[keys::CLIENT_SECRET] },
    SecretMember { key: keys::CLIENT_PEM, written: &[keys::CLIENT_PEM] },
    SecretMember { key: keys::IDENTITY_TOKEN, written: &[keys::IDENTITY_TOKEN] },
    SecretMember { key: keys::IDP_CLIENT_SECRET, written: &[keys::IDP_CLIENT_SECRET] },
];

/// The settings, as properties of a schema.
#[must_use]
pub fn properties() -> Map<String, Value> {
    let text = |words: String| json!({"type": "string", "description": words});
    let mut properties = Map::new();
    let mut add = |key: String, property: Value| drop(properties.insert(key, property));
    add(keys::CLIENT_ID.into(), text("The client that is registered at the server's authorization server, or the https URL of a document about it; without it, one is registered where that can be".into()));
    let mut add_secret = |key: &str, what: &str| {
        add(format!("{key}-variable"), text(format!("The environment variable with {what}")));
        add(format!("{key}-key"), text(format!("The name of {what} in the system's key store")));
    };
    add_secret(keys::CLIENT_SECRET, "the secret of that client");
    add_secret(keys::CLIENT_PEM, "the private key (PEM) with which that client signs who it is");
    add_secret(
        keys::IDENTITY_TOKEN,
        "the token (JWT) that says which workload this is, or for grant \"enterprise-managed\" who the user is",
    );
    add_secret(keys::IDP_CLIENT_SECRET, "the secret that the identity provider gave");
    add(keys::IDP_TOKEN_ENDPOINT.into(), text("Where the identity provider of your enterprise gives tokens (grant \"enterprise-managed\")".into()));
    add(
        keys::IDP_CLIENT_ID.into(),
        text("The client that is registered at that identity provider".into()),
    );
    let words: Vec<&str> = GrantKind::ALL.into_iter().map(GrantKind::as_str).collect();
    add(
        keys::GRANT.into(),
        json!({
            "type": "string", "enum": words, "default": GrantKind::default().as_str(),
            "description": "How to get a token: you allow it on a page; with the client's secret \
            or key; with a workload's token; or from your enterprise's identity provider",
        }),
    );
    properties
}

fn settings(connection: &Connection) -> Option<&SystemSettings> {
    connection.settings.get(keys::SYSTEM)
}

/// How tokens are got.
#[must_use]
pub fn grant_kind(connection: &Connection) -> GrantKind {
    let word = settings(connection).and_then(|settings| settings.text_value(keys::GRANT));
    word.and_then(GrantKind::parse).unwrap_or_default()
}

/// The client that the settings name.
#[must_use]
pub fn client_id(connection: &Connection) -> Option<&str> {
    settings(connection)?.text_value(keys::CLIENT_ID)
}

/// Where a secret is that the settings name with that key.
#[must_use]
pub fn secret<'c>(connection: &'c Connection, key: &str) -> Option<&'c SecretAt> {
    settings(connection)?.secrets.get(key)
}

/// The identity provider; `None` where its endpoint or its client is not named.
#[must_use]
pub fn identity_provider(connection: &Connection) -> Option<IdentityProvider<'_>> {
    let known = settings(connection)?;
    Some(IdentityProvider {
        token_endpoint: known.text_value(keys::IDP_TOKEN_ENDPOINT)?,
        client_id: known.text_value(keys::IDP_CLIENT_ID)?,
        client_secret: known.secrets.get(keys::IDP_CLIENT_SECRET),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_schema_is_read_again() {
        let words = properties()[keys::GRANT]["enum"].clone();
        for word in words.as_array().unwrap() {
            let word = word.as_str().unwrap();
            assert_eq!(GrantKind::parse(word).map(GrantKind::as_str), Some(word));
        }
        assert_eq!(GrantKind::parse("password"), None);
    }

    #[test]
    fn an_identity_provider_has_an_endpoint_and_a_client() {
        let connection = |keys: &[&str]| {
            let values = keys.iter().map(|key| ((*key).to_owned(), json!("x"))).collect();
            let settings = SystemSettings { values, ..SystemSettings::default() };
            Connection::embedded().with_settings(keys::SYSTEM, settings)
        };
        assert!(identity_provider(&connection(&[keys::IDP_TOKEN_ENDPOINT])).is_none());
        let whole = connection(&[keys::IDP_TOKEN_ENDPOINT, keys::IDP_CLIENT_ID]);
        assert_eq!(identity_provider(&whole).unwrap().client_id, "x");
    }
}
