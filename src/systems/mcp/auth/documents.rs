//! The two documents of an authorization, and what is wrong with them: of the server that is
//! protected, and of the one that gives tokens for it.

use serde_json::Value;

use crate::{
    schema::pointer::Pointer,
    systems::mcp::{fault::Fault, url::HttpUrl},
};

/// What a protected server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceMetadata {
    /// As it was written: it goes into requests byte for byte.
    pub resource: Option<String>,
    pub authorization_servers: Vec<String>,
    pub scopes: Option<Vec<String>>,
    /// It takes tokens that are bound to a key.
    pub takes_bound_tokens: bool,
}

/// What an authorization server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMetadata {
    pub issuer: String,
    pub authorization_endpoint: Option<String>,
    pub token_endpoint: Option<String>,
    pub registration_endpoint: Option<String>,
    pub scopes: Option<Vec<String>>,
    /// How a client can say who it is; `None`: it does not say.
    pub auth_methods: Option<Vec<String>>,
    pub has_pkce: bool,
    /// It fetches documents about clients.
    pub takes_documents: bool,
    /// Its answers name their issuer.
    pub names_issuer: bool,
    /// It binds tokens to a key of our kind.
    pub binds_tokens: bool,
}

fn text(document: &Value, name: &str) -> Option<String> {
    document.get(name)?.as_str().map(str::to_owned)
}

fn texts(document: &Value, name: &str) -> Option<Vec<String>> {
    let items = document.get(name)?.as_array()?.iter();
    Some(items.filter_map(Value::as_str).map(str::to_owned).collect())
}

impl ResourceMetadata {
    #[must_use]
    pub fn from_document(document: &Value) -> Self {
        Self {
            resource: text(document, "resource"),
            authorization_servers: texts(document, "authorization_servers").unwrap_or_default(),
            scopes: texts(document, "scopes_supported"),
            takes_bound_tokens: names_es256(document)
                || document.get("dpop_bound_access_tokens_required") == Some(&Value::Bool(true)),
        }
    }
}

/// Whether proofs that are signed so are taken.
fn names_es256(document: &Value) -> bool {
    let algorithms = texts(document, "dpop_signing_alg_values_supported").unwrap_or_default();
    algorithms.iter().any(|algorithm| algorithm == "ES256")
}

impl ServerMetadata {
    #[must_use]
    pub fn from_document(document: &Value) -> Self {
        let is_true = |name: &str| document.get(name) == Some(&Value::Bool(true));
        let pkce = texts(document, "code_challenge_methods_supported").unwrap_or_default();
        Self {
            issuer: text(document, "issuer").unwrap_or_default(),
            authorization_endpoint: text(document, "authorization_endpoint"),
            token_endpoint: text(document, "token_endpoint"),
            registration_endpoint: text(document, "registration_endpoint"),
            scopes: texts(document, "scopes_supported"),
            auth_methods: texts(document, "token_endpoint_auth_methods_supported"),
            has_pkce: pkce.iter().any(|method| method == "S256"),
            takes_documents: is_true("client_id_metadata_document_supported"),
            names_issuer: is_true("authorization_response_iss_parameter_supported"),
            binds_tokens: names_es256(document),
        }
    }
}

/// Faults that keep a token from being asked for.
pub const STOPPING: &[&str] = &[
    "auth.not-an-object",
    "auth.resource-mismatch",
    "auth.no-authorization-server",
    "auth.server-insecure",
    "auth.issuer-mismatch",
    "auth.no-endpoint",
    "auth.endpoint-insecure",
    "auth.no-pkce",
];

fn fault(
    id: &'static str,
    member: &str,
    words: impl Into<std::borrow::Cow<'static, str>>,
) -> Fault {
    Fault::new(id, Pointer::root().child(member), words)
}

fn is_private(url: &str) -> bool {
    HttpUrl::parse(url).is_some_and(|url| url.is_private())
}

/// What is wrong with the metadata of the server at that address; `scope` is that of its challenge.
#[must_use]
pub fn resource_faults(document: &Value, address: &str, scope: Option<&str>) -> Vec<Fault> {
    if !document.is_object() {
        return vec![Fault::new("auth.not-an-object", Pointer::root(), "is no JSON object")];
    }
    let metadata = ResourceMetadata::from_document(document);
    let mut faults = Vec::new();
    match &metadata.resource {
        None => faults.push(fault(
            "auth.resource-missing",
            "resource",
            "is missing: which server the metadata are about is not said",
        )),
        Some(resource) => faults.extend(resource_fault(resource, address)),
    }
    if metadata.authorization_servers.is_empty() {
        faults.push(fault(
            "auth.no-authorization-server",
            "authorization_servers",
            "names no server that gives tokens",
        ));
    }
    let servers = metadata.authorization_servers.iter().enumerate();
    for (at, _) in servers.filter(|(_, server)| !is_private(server)) {
        let at = Pointer::root().child("authorization_servers").child(at.to_string());
        faults.push(Fault::new("auth.server-insecure", at, "is not https"));
    }
    if scope.is_none() && metadata.scopes.as_ref().is_none_or(Vec::is_empty) {
        faults.push(fault(
            "auth.no-scope",
            "scopes_supported",
            "is missing, and the challenge names no scope: a client does not know what to ask for",
        ));
    }
    let headers = texts(document, "bearer_methods_supported");
    if headers.is_some_and(|methods| !methods.iter().any(|method| method == "header")) {
        faults.push(fault(
            "auth.no-header",
            "bearer_methods_supported",
            "leaves out the header, which is how tokens are sent",
        ));
    }
    faults
}

/// Whether metadata are about the server that was asked.
fn resource_fault(resource: &str, address: &str) -> Option<Fault> {
    let at = |id, words: &'static str| Some(fault(id, "resource", words));
    let (Some(named), Some(asked)) = (HttpUrl::parse(resource), HttpUrl::parse(address)) else {
        return at("auth.resource-mismatch", "is not the URL of the server");
    };
    if !named.fragment.is_empty() {
        return at("auth.resource-mismatch", "has a fragment, which no resource may have");
    }
    let (path, whole) = (named.path.trim_end_matches('/'), asked.path.trim_end_matches('/'));
    let below =
        whole.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if named.origin() != asked.origin() || !below {
        return at("auth.resource-mismatch", "is another server than the one that was asked");
    }
    if resource != address {
        return at(
            "auth.resource-differs",
            "is not the server's URL byte for byte; it is sent as it is here",
        );
    }
    None
}

/// What is wrong with the metadata of that issuer.
#[must_use]
pub fn server_faults(document: &Value, issuer: &str) -> Vec<Fault> {
    if !document.is_object() {
        return vec![Fault::new("auth.not-an-object", Pointer::root(), "is no JSON object")];
    }
    let metadata = ServerMetadata::from_document(document);
    let mut faults = Vec::new();
    if metadata.issuer != issuer {
        let words = "is not, byte for byte, the issuer that the metadata were looked for by";
        faults.push(fault("auth.issuer-mismatch", "issuer", words));
    }
    let endpoints = [
        ("authorization_endpoint", &metadata.authorization_endpoint, true),
        ("token_endpoint", &metadata.token_endpoint, true),
        ("registration_endpoint", &metadata.registration_endpoint, false),
    ];
    for (name, endpoint, is_needed) in endpoints {
        match endpoint {
            None if is_needed => faults.push(fault("auth.no-endpoint", name, "is missing")),
            Some(endpoint) if !is_private(endpoint) => {
                faults.push(fault("auth.endpoint-insecure", name, "is not https"));
            }
            _ => {}
        }
    }
    if !metadata.has_pkce {
        faults.push(fault(
            "auth.no-pkce",
            "code_challenge_methods_supported",
            "lacks S256: clients of MCP must refuse to go on",
        ));
    }
    if metadata.registration_endpoint.is_none() && !metadata.takes_documents {
        faults.push(fault(
            "auth.no-registration",
            "registration_endpoint",
            "is missing, and documents about clients are not taken: a client has to be registered by hand",
        ));
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::mcp::fault::fault_ids;

    #[test]
    fn the_metadata_of_a_server_are_about_that_server() {
        let ids = |resource: &str| {
            let document = json!({"resource": resource, "authorization_servers": ["https://as"], "scopes_supported": ["a"]});
            fault_ids(&resource_faults(&document, "https://h/a/mcp", None))
        };
        assert_eq!(ids("https://h/a/mcp"), Vec::<&str>::new());
        for wider in
            ["https://h", "https://h/", "https://h/a", "https://H/a/mcp", "https://h/a/mcp/"]
        {
            assert_eq!(ids(wider), ["auth.resource-differs"], "{wider}");
        }
        for other in [
            "https://evil/a/mcp",
            "http://h/a/mcp",
            "https://h/b",
            "https://h/a/m",
            "x",
            "https://h/a/mcp#b",
        ] {
            assert_eq!(ids(other), ["auth.resource-mismatch"], "{other}");
        }
    }

    #[test]
    fn what_the_metadata_of_a_server_lack_is_found() {
        let ids =
            |document: Value, scope| fault_ids(&resource_faults(&document, "https://h/mcp", scope));
        assert_eq!(ids(json!([]), None), ["auth.not-an-object"]);
        assert_eq!(
            ids(json!({}), None),
            ["auth.no-authorization-server", "auth.no-scope", "auth.resource-missing"]
        );
        let insecure = json!({"resource": "https://h/mcp", "authorization_servers": ["http://as"], "bearer_methods_supported": ["body"]});
        assert_eq!(ids(insecure, Some("a")), ["auth.no-header", "auth.server-insecure"]);
    }

    #[test]
    fn what_the_metadata_of_an_authorization_server_lack_is_found() {
        let ids = |document: &Value| fault_ids(&server_faults(document, "https://as"));
        let mut document = json!({
            "issuer": "https://as", "authorization_endpoint": "https://as/a", "token_endpoint": "https://as/t",
            "code_challenge_methods_supported": ["plain", "S256"], "client_id_metadata_document_supported": true,
        });
        assert_eq!(ids(&document), Vec::<&str>::new());
        document["issuer"] = json!("https://as/");
        document["code_challenge_methods_supported"] = json!(["plain"]);
        document["client_id_metadata_document_supported"] = json!("yes");
        document["token_endpoint"] = json!("http://as/t");
        document.as_object_mut().unwrap().remove("authorization_endpoint");
        assert_eq!(
            ids(&document),
            [
                "auth.endpoint-insecure",
                "auth.issuer-mismatch",
                "auth.no-endpoint",
                "auth.no-pkce",
                "auth.no-registration"
            ]
        );
        assert_eq!(ids(&json!("no")), ["auth.not-an-object"]);
    }
}
