//! Keys that sign for us: that of the settings, by which a client says who it is, and one of our own
//! for each sign-in, which its tokens are bound to.

use std::time::{SystemTime, UNIX_EPOCH};

use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RsaKeyPair,
    },
};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject as _};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::systems::mcp::{
    auth::jwt::{self, ProvenRequest, UniqueClaims},
    base64,
};

const ES256: &str = "ES256";

/// A private key.
enum PrivateKey {
    P256(EcdsaKeyPair),
    Rsa(Box<RsaKeyPair>),
    Ed25519(Ed25519KeyPair),
}

impl PrivateKey {
    /// The key of a PEM text, whose lines may also be parted by `\n` in letters, as variables of
    /// the environment often have them.
    fn from_pem(text: &str) -> Result<Self, &'static str> {
        let text = text.replace("\\n", "\n");
        let key = PrivateKeyDer::from_pem_slice(text.as_bytes());
        match key.map_err(|_| "is no private key in PEM")? {
            PrivateKeyDer::Pkcs8(key) => Self::from_pkcs8(key.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(key) => match RsaKeyPair::from_der(key.secret_pkcs1_der()) {
                Ok(key) => Ok(Self::Rsa(Box::new(key))),
                Err(_) => Err("is no RSA key that can be used: 2048 to 4096 bits are"),
            },
            _ => Err("is not in PKCS#8: `openssl pkcs8 -topk8 -nocrypt -in FILE` makes it so"),
        }
    }

    fn from_pkcs8(key: &[u8]) -> Result<Self, &'static str> {
        let random = SystemRandom::new();
        if let Ok(key) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key, &random) {
            return Ok(Self::P256(key));
        }
        if let Ok(key) = RsaKeyPair::from_pkcs8(key) {
            return Ok(Self::Rsa(Box::new(key)));
        }
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(key)
            .map(Self::Ed25519)
            .map_err(|_| "is a key of another kind than P-256, RSA (2048 bits or more) and Ed25519")
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::P256(_) => ES256,
            Self::Rsa(_) => "RS256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn sign(&self, header: &Value, claims: &Value) -> Result<String, &'static str> {
        let input = jwt::signing_input(header, claims);
        let random = SystemRandom::new();
        let failed = |_| "could not sign";
        let signature = match self {
            Self::P256(key) => {
                key.sign(&random, input.as_bytes()).map_err(failed)?.as_ref().to_vec()
            }
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, input.as_bytes(), &mut signature)
                    .map_err(failed)?;
                signature
            }
            Self::Ed25519(key) => key.sign(input.as_bytes()).as_ref().to_vec(),
        };
        Ok(jwt::signed(&input, &signature))
    }
}

/// What a client with that key says of itself to an issuer.
///
/// # Errors
/// What is wrong with the key; goes on after its name.
pub(crate) fn sign_assertion(
    pem: &str,
    client: &str,
    issuer: &str,
) -> Result<String, &'static str> {
    let key = PrivateKey::from_pem(pem)?;
    let header = json!({"typ": "JWT", "alg": key.algorithm()});
    with_fresh(|fresh| key.sign(&header, &jwt::client_assertion(client, issuer, fresh)))
}

/// A new key that tokens can be bound to, as a text for the key store. `None`: this machine has no
/// random numbers.
pub(crate) fn new_proof_key() -> Option<String> {
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).ok()?;
    Some(base64::encode(key.as_ref()))
}

/// The proof that whoever sends a request has that key; it is good for this request alone.
///
/// # Errors
/// What is wrong with the key; goes on after its name.
pub(crate) fn sign_proof(key: &str, request: ProvenRequest<'_>) -> Result<String, &'static str> {
    let bytes = base64::decode(key).ok_or("cannot be read any more")?;
    let key = PrivateKey::from_pkcs8(&bytes)?;
    let public = match &key {
        PrivateKey::P256(pair) => jwt::public_key(pair.public_key().as_ref()),
        _ => None,
    };
    let header = jwt::proof_header(key.algorithm(), &public.ok_or("is of another kind")?);
    with_fresh(|fresh| key.sign(&header, &jwt::proof_claims(request, fresh)))
}

fn with_fresh<T>(make: impl FnOnce(UniqueClaims<'_>) -> T) -> T {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    make(UniqueClaims { now, id: &Uuid::new_v4().to_string() })
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey};

    use super::*;

    fn pem(kind: &str, der: &[u8]) -> String {
        format!("-----BEGIN {kind}-----\\n{}\\n-----END {kind}-----\\n", base64::encode(der))
    }

    /// Header, claims, what was signed, and the signature.
    fn parts(text: &str) -> (Value, Value, &str, Vec<u8>) {
        let (input, signature) = text.rsplit_once('.').unwrap();
        let (header, claims) = input.split_once('.').unwrap();
        let bytes = |part: &str| {
            let standard = part.replace('-', "+").replace('_', "/");
            let padding = "=".repeat((4 - part.len() % 4) % 4);
            base64::decode(&format!("{standard}{padding}")).unwrap()
        };
        let value = |part: &str| serde_json::from_slice(&bytes(part)).unwrap();
        (value(header), value(claims), input, bytes(signature))
    }

    #[test]
    fn a_client_signs_with_the_key_that_it_has() {
        let random = SystemRandom::new();
        let key = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let signed = sign_assertion(&pem("PRIVATE KEY", key.as_ref()), "me", "https://as").unwrap();
        let (header, claims, input, signature) = parts(&signed);
        assert_eq!((&header["alg"], &claims["sub"]), (&json!("EdDSA"), &json!("me")));
        let public = Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap();
        let public = UnparsedPublicKey::new(&ED25519, public.public_key().as_ref().to_vec());
        assert!(public.verify(input.as_bytes(), &signature).is_ok());
    }

    #[test]
    fn a_key_that_cannot_be_used_is_told() {
        let refused = |pem: &str| sign_assertion(pem, "me", "https://as").unwrap_err();
        assert_eq!(refused("secret"), "is no private key in PEM");
        assert!(refused(&pem("EC PRIVATE KEY", b"x")).contains("openssl pkcs8"));
        assert!(refused(&pem("PRIVATE KEY", b"x")).contains("of another kind"));
        assert!(refused(&pem("RSA PRIVATE KEY", b"x")).contains("RSA"));
    }

    #[test]
    fn each_proof_is_another_one_of_the_same_key() {
        let key = new_proof_key().unwrap();
        let request = ProvenRequest { method: "GET", url: "https://h", token: None, nonce: None };
        let proofs = [sign_proof(&key, request).unwrap(), sign_proof(&key, request).unwrap()];
        let [first, second] = proofs.each_ref().map(|proof| parts(proof));
        assert_eq!(first.0, second.0);
        assert_ne!(first.1["jti"], second.1["jti"]);
        let bytes = base64::decode(&key).unwrap();
        let Ok(PrivateKey::P256(pair)) = PrivateKey::from_pkcs8(&bytes) else { panic!() };
        let public = pair.public_key().as_ref().to_vec();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
        assert!(public.verify(second.2.as_bytes(), &second.3).is_ok());
        assert!(sign_proof("no key", request).is_err());
    }
}
