//! The signed texts (JWTs) by which a client proves who it is: to an authorization server, and with
//! each request that a bound token goes with (DPoP).

use ::base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// How long a client's assertion is good for.
const LIFETIME: u64 = 120;

/// What makes one text different from all others.
#[derive(Clone, Copy, Debug)]
pub struct UniqueClaims<'f> {
    /// Seconds since the Unix epoch.
    pub now: u64,
    /// An id that is used once.
    pub id: &'f str,
}

/// A request that a proof goes with.
#[derive(Clone, Copy, Debug)]
pub struct ProvenRequest<'r> {
    pub method: &'r str,
    pub url: &'r str,
    /// The access token that is sent with it.
    pub token: Option<&'r str>,
    /// What the server wants to read in the proof.
    pub nonce: Option<&'r str>,
}

/// What a client says of itself to that issuer (RFC 7523).
#[must_use]
pub fn client_assertion(client: &str, issuer: &str, fresh: UniqueClaims<'_>) -> Value {
    json!({
        "iss": client,
        "sub": client,
        "aud": issuer,
        "jti": fresh.id,
        "iat": fresh.now,
        "exp": fresh.now.saturating_add(LIFETIME),
    })
}

/// The header of a proof that its sender has the private half of that key (RFC 9449).
#[must_use]
pub fn proof_header(algorithm: &str, public_key: &Value) -> Value {
    json!({"typ": "dpop+jwt", "alg": algorithm, "jwk": public_key})
}

/// What such a proof says of its request; its URL without query and fragment.
#[must_use]
pub fn proof_claims(request: ProvenRequest<'_>, fresh: UniqueClaims<'_>) -> Value {
    let end = request.url.find(['?', '#']).unwrap_or(request.url.len());
    let mut claims = json!({
        "jti": fresh.id,
        "htm": request.method,
        "htu": &request.url[..end],
        "iat": fresh.now,
    });
    if let Some(token) = request.token {
        claims["ath"] = json!(encode(&Sha256::digest(token.as_bytes())));
    }
    if let Some(nonce) = request.nonce {
        claims["nonce"] = json!(nonce);
    }
    claims
}

/// The public half of a P-256 key, of its 65 bytes; `None`: it is no such key.
#[must_use]
pub fn public_key(point: &[u8]) -> Option<Value> {
    let (x, y) = point.strip_prefix(&[4]).filter(|rest| rest.len() == 64)?.split_at(32);
    Some(json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)}))
}

/// What is signed.
#[must_use]
pub fn signing_input(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| encode(value.to_string().as_bytes());
    format!("{}.{}", part(header), part(claims))
}

/// The text as it is sent.
#[must_use]
pub fn signed(input: &str, signature: &[u8]) -> String {
    format!("{input}.{}", encode(signature))
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: UniqueClaims<'static> = UniqueClaims { now: 1_000, id: "once" };

    #[test]
    fn a_client_speaks_of_itself_to_its_issuer_for_a_short_while() {
        assert_eq!(
            client_assertion("me", "https://as", FRESH),
            json!({"iss": "me", "sub": "me", "aud": "https://as", "jti": "once", "iat": 1_000, "exp": 1_120})
        );
    }

    #[test]
    fn a_proof_is_about_one_request() {
        let request = ProvenRequest {
            method: "POST",
            url: "https://h/mcp?a=b#c",
            // RFC 9449, section 7.1.
            token: Some("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"),
            nonce: Some("n"),
        };
        let claims = proof_claims(request, FRESH);
        assert_eq!(
            claims,
            json!({"jti": "once", "htm": "POST", "htu": "https://h/mcp", "iat": 1_000,
                "ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo", "nonce": "n"})
        );
        let bare = ProvenRequest { token: None, nonce: None, ..request };
        assert!(proof_claims(bare, FRESH).get("ath").is_none());
    }

    #[test]
    fn a_key_is_named_by_its_point() {
        let mut point = [0; 65];
        point[0] = 4;
        point[64] = 1;
        let key = public_key(&point).unwrap();
        assert_eq!((&key["crv"], &key["x"]), (&json!("P-256"), &json!("A".repeat(43))));
        assert_eq!(public_key(&point[1..]), None);
        assert_eq!(signed(&signing_input(&json!({}), &json!({})), b"s"), "e30.e30.cw");
    }
}
