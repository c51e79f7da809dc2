//! Who we are for an authorization server.

use serde_json::{Value, json};

use super::documents::ServerMetadata;
use crate::systems::mcp::url::HttpUrl;

/// How a client says who it is when it asks for a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthMethod {
    /// It has no secret.
    #[default]
    None,
    Basic,
    Post,
    /// It signs what it says of itself.
    PrivateKeyJwt,
}

impl AuthMethod {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    /// The way of a client that the server registered for us, which has no key.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::None, Self::Basic, Self::Post].into_iter().find(|known| known.as_str() == word)
    }

    /// The way for a client with or without a secret, as the server takes it.
    #[must_use]
    pub fn for_server(server: &ServerMetadata, has_secret: bool) -> Self {
        let taken = |method: Self| match &server.auth_methods {
            Some(methods) => methods.iter().any(|known| known == method.as_str()),
            // What the standard says where nothing is said.
            None => method == Self::Basic,
        };
        let wanted =
            if has_secret { [Self::Basic, Self::Post, Self::None] } else { [Self::None; 3] };
        let fallback = if has_secret { Self::Basic } else { Self::None };
        wanted.into_iter().find(|method| taken(*method)).unwrap_or(fallback)
    }
}

/// A client that an authorization server knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    pub id: String,
    pub secret: Option<String>,
    /// The key that it signs with, as PEM.
    pub private_key: Option<String>,
    pub method: AuthMethod,
    /// Where the user is sent back to, where that was reported at its registration.
    pub redirect: Option<String>,
}

/// Which client to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientChoice {
    Use(Client),
    /// To be registered first.
    Register,
    /// The user has to register one and name it.
    Ask,
}

/// Chooses: the client of the settings, where the server takes it; else the one that was registered
/// there before; else a new one.
#[must_use]
pub fn choose_client(
    named: Option<Client>,
    registered: Option<Client>,
    server: &ServerMetadata,
) -> ClientChoice {
    let is_document = named.as_ref().is_some_and(|client| is_document_url(&client.id));
    if let Some(client) = named.filter(|_| !is_document || server.takes_documents) {
        return ClientChoice::Use(client);
    }
    match registered {
        Some(client) => ClientChoice::Use(client),
        None if server.registration_endpoint.is_some() => ClientChoice::Register,
        None => ClientChoice::Ask,
    }
}

/// Whether a client's id is the URL of a document about it.
#[must_use]
pub fn is_document_url(id: &str) -> bool {
    HttpUrl::parse(id).is_some_and(|url| url.is_encrypted() && url.path.len() > 1)
}

/// What is known of us: the body of a registration, and of a document about us.
#[must_use]
pub fn client_metadata(redirect: &str, method: AuthMethod, scope: Option<&str>) -> Value {
    let mut metadata = json!({
        "client_name": "toolcrib",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.as_str(),
    });
    if let Some(scope) = scope {
        metadata["scope"] = json!(scope);
    }
    metadata
}

/// The way to register for: without a secret where that can be.
#[must_use]
pub fn registration_method(server: &ServerMetadata) -> AuthMethod {
    let taken = |method: AuthMethod| {
        let methods = server.auth_methods.iter().flatten();
        methods.into_iter().any(|known| known == method.as_str())
    };
    match &server.auth_methods {
        Some(_) if !taken(AuthMethod::None) => AuthMethod::for_server(server, true),
        _ => AuthMethod::None,
    }
}

/// The client that a server has registered. `None`: its answer has no id.
#[must_use]
pub fn registered_client(answer: &Value, asked: AuthMethod, redirect: &str) -> Option<Client> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
    let method = text("token_endpoint_auth_method").and_then(|word| AuthMethod::parse(&word));
    Some(Client {
        id: text("client_id")?,
        secret: text("client_secret"),
        private_key: None,
        method: method.unwrap_or(asked),
        redirect: Some(redirect.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(methods: Option<&[&str]>) -> ServerMetadata {
        let methods = methods.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        ServerMetadata { auth_methods: methods, ..ServerMetadata::default() }
    }

    fn named(id: &str) -> Option<Client> {
        Some(Client { id: id.to_owned(), ..Client::default() })
    }

    #[test]
    fn the_client_of_the_settings_counts_where_it_is_taken() {
        let document = "https://example.com/client.json";
        let mut server =
            ServerMetadata { registration_endpoint: Some("https://as/r".into()), ..server(None) };
        assert_eq!(
            choose_client(named("me"), named("old"), &server),
            ClientChoice::Use(named("me").unwrap())
        );
        assert_eq!(choose_client(named(document), None, &server), ClientChoice::Register);
        assert_eq!(
            choose_client(None, named("old"), &server),
            ClientChoice::Use(named("old").unwrap())
        );
        server.takes_documents = true;
        assert_eq!(
            choose_client(named(document), None, &server),
            ClientChoice::Use(named(document).unwrap())
        );
        assert_eq!(choose_client(None, None, &ServerMetadata::default()), ClientChoice::Ask);
        assert!(
            !is_document_url("https://example.com") && !is_document_url("http://h/client.json")
        );
    }

    #[test]
    fn a_client_says_who_it_is_as_the_server_takes_it() {
        let method = |methods, secret| AuthMethod::for_server(&server(methods), secret).as_str();
        assert_eq!(method(None, true), "client_secret_basic");
        assert_eq!(method(Some(&["client_secret_post"]), true), "client_secret_post");
        assert_eq!(
            method(Some(&["client_secret_post", "client_secret_basic"]), true),
            "client_secret_basic"
        );
        assert_eq!(method(Some(&["none"]), true), "none");
        assert_eq!(method(Some(&["client_secret_post"]), false), "none");
        let wanted = |methods| registration_method(&server(methods)).as_str();
        assert_eq!(wanted(None), "none");
        assert_eq!(wanted(Some(&["client_secret_post"])), "client_secret_post");
        assert_eq!(wanted(Some(&["client_secret_basic", "none"])), "none");
    }

    #[test]
    fn a_registration_says_that_we_are_a_program_and_its_answer_counts() {
        let body = client_metadata("http://127.0.0.1:1/callback", AuthMethod::None, Some("a"));
        assert_eq!((&body["application_type"], &body["scope"]), (&json!("native"), &json!("a")));
        let answer = json!({"client_id": "x", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"});
        let client =
            registered_client(&answer, AuthMethod::None, "http://127.0.0.1:1/callback").unwrap();
        assert_eq!((client.method, client.secret.as_deref()), (AuthMethod::Post, Some("s")));
        assert_eq!(registered_client(&json!({}), AuthMethod::None, ""), None);
    }
}
