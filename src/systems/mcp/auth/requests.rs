//! What is asked of an authorization server: the page for the user, and the tokens after it.

use ::base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::clients::{AuthMethod, Client};
use crate::systems::mcp::base64;

/// How a token is asked for with a signed text (RFC 7523).
pub const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// How a token is asked for with another one (RFC 8693).
pub const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
/// The token of an identity provider that says who the user is.
pub const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
/// The token of an identity provider that an authorization server takes in the user's place.
pub const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
/// What a client signs of itself.
pub const CLIENT_ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// What a request for tokens consists of.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenRequest {
    /// The body, as a form.
    pub form: String,
    /// The value of `Authorization`, where the client says so who it is.
    pub authorization: Option<String>,
}

/// What the user is asked to allow.
#[derive(Clone, Copy, Debug)]
pub struct ConsentPage<'p> {
    pub endpoint: &'p str,
    pub client: &'p str,
    pub redirect: &'p str,
    pub state: &'p str,
    pub verifier: &'p str,
    pub scope: Option<&'p str>,
    /// Byte for byte as the metadata have it.
    pub resource: &'p str,
}

/// The URL of the page on which the user allows it.
#[must_use]
pub fn page_url(page: ConsentPage<'_>) -> String {
    let challenge = code_challenge(page.verifier);
    let mut pairs = vec![
        ("response_type", "code"),
        ("client_id", page.client),
        ("redirect_uri", page.redirect),
        ("state", page.state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("resource", page.resource),
    ];
    pairs.extend(page.scope.map(|scope| ("scope", scope)));
    let sign = if page.endpoint.contains('?') { '&' } else { '?' };
    format!("{}{sign}{}", page.endpoint, encode_form(&pairs))
}

/// What proves later that we began: the hash of a secret text.
#[must_use]
pub fn code_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// A request for tokens: `pairs` say what for.
#[must_use]
pub fn token_request(client: &Client, pairs: &[(&str, &str)]) -> TokenRequest {
    let mut pairs = pairs.to_vec();
    let secret = client.secret.as_deref().unwrap_or_default();
    let mut authorization = None;
    match client.method {
        AuthMethod::Basic => {
            let named = format!("{}:{}", encode_text(&client.id), encode_text(secret));
            authorization = Some(format!("Basic {}", base64::encode(named.as_bytes())));
        }
        AuthMethod::Post => {
            pairs.extend([("client_id", client.id.as_str()), ("client_secret", secret)]);
        }
        AuthMethod::None | AuthMethod::PrivateKeyJwt => pairs.push(("client_id", &client.id)),
    }
    TokenRequest { form: encode_form(&pairs), authorization }
}

/// Names and values as a form or a query has them.
#[must_use]
pub fn encode_form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={}", encode_text(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn encode_text(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Names and values of a query.
#[must_use]
pub fn decode_form(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode_text(name), decode_text(value))
        })
        .collect()
}

fn decode_text(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        let decoded = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        rest = if decoded.is_some() { &after[2..] } else { after };
        bytes.push(decoded.unwrap_or(if *first == b'+' { b' ' } else { *first }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(code_challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn a_client_names_itself_in_its_own_way() {
        let client = |method| Client {
            id: "a:b".into(),
            secret: Some("c d".into()),
            method,
            ..Client::default()
        };
        let request = |method| token_request(&client(method), &[("grant_type", "x")]);
        let basic = request(AuthMethod::Basic);
        let named = format!("Basic {}", base64::encode(b"a%3Ab:c%20d"));
        assert_eq!((basic.form.as_str(), basic.authorization), ("grant_type=x", Some(named)));
        let post = request(AuthMethod::Post);
        assert_eq!(post.form, "grant_type=x&client_id=a%3Ab&client_secret=c%20d");
        assert_eq!(request(AuthMethod::None).form, "grant_type=x&client_id=a%3Ab");
    }

    #[test]
    fn the_resource_goes_out_byte_for_byte() {
        let url = page_url(ConsentPage {
            endpoint: "https://as/a?x=1",
            client: "me",
            redirect: "http://127.0.0.1:1/callback",
            state: "s",
            verifier: "v",
            scope: None,
            resource: "https://H:443",
        });
        let (_, query) = url.split_once('?').unwrap();
        let pairs = decode_form(query);
        assert!(pairs.contains(&("resource".into(), "https://H:443".into())), "{pairs:?}");
        assert!(!pairs.iter().any(|(name, _)| name == "scope"));
        assert_eq!(pairs[0], ("x".into(), "1".into()));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_read_again(value in ".{0,40}") {
            let form = encode_form(&[("a", &value), ("b", "")]);
            prop_assert!(form.is_ascii());
            prop_assert_eq!(decode_form(&form), [("a".to_owned(), value), ("b".to_owned(), String::new())]);
        }

        #[test]
        fn any_query_can_be_read(query in "[%+&=a-f0-9ü]{0,40}") {
            prop_assert!(decode_form(&query).len() <= query.len());
        }
    }
}
