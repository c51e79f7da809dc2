//! What comes back: from the page that the user saw, and with tokens.

use serde_json::{Value, json};

use super::{
    challenge::{BEARER, DPOP},
    documents::ServerMetadata,
    requests::decode_form,
};

/// Why an answer is not taken, as a stable id and in words.
pub type Refused = (&'static str, String);

/// The code that the page gave. Its state and its issuer are compared byte for byte, and before all
/// else: an answer that somebody else wrote says nothing.
///
/// # Errors
/// When it is not the answer to our question, or no.
pub fn read_redirect(query: &str, state: &str, server: &ServerMetadata) -> Result<String, Refused> {
    let pairs = decode_form(query);
    let value =
        |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    if value("state") != Some(state) {
        return Err(("auth.state-mismatch", "the answer is not to our question".into()));
    }
    match value("iss") {
        Some(issuer) if issuer != server.issuer => {
            let words = format!("the answer is of {issuer}, and {} was asked", server.issuer);
            return Err(("auth.iss-mismatch", words));
        }
        None if server.names_issuer => {
            let words = "the answer does not say whose it is, which its server promises";
            return Err(("auth.iss-missing", words.into()));
        }
        _ => {}
    }
    if let Some(error) = value("error") {
        return Err(("auth.denied", described(error, value("error_description"))));
    }
    let code = value("code").filter(|code| !code.is_empty()).map(str::to_owned);
    code.ok_or_else(|| ("auth.no-code", "the answer has no code".into()))
}

fn described(error: &str, description: Option<&str>) -> String {
    match description {
        Some(description) => format!("{error}: {description}"),
        None => error.to_owned(),
    }
}

/// What the key store keeps of a permission: all that it takes to use and to renew it.
#[derive(Clone, PartialEq, Eq)]
pub struct Grant {
    /// The server's address that it was given for.
    pub address: String,
    /// As in the requests for it.
    pub resource: String,
    pub issuer: String,
    pub token_endpoint: String,
    /// What was asked for.
    pub scope: Option<String>,
    pub access_token: String,
    pub refresh_token: Option<String>,
    /// Seconds since the Unix epoch.
    pub expires: Option<u64>,
    /// The key that the tokens are bound to, or are asked for to be.
    pub proof_key: Option<String>,
}

impl Grant {
    /// The grant with the tokens of an answer, which came at that time. A token to renew it stays
    /// where the answer brings no other.
    ///
    /// # Errors
    /// When the answer is an error, or brings no token that can be sent.
    pub fn with_tokens(mut self, answer: &Value, now: u64) -> Result<Self, Refused> {
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        if let Some(error) = text("error") {
            return Err(("auth.refused", described(error, text("error_description"))));
        }
        let Some(token) = text("access_token").filter(|token| !token.is_empty()) else {
            return Err(("auth.no-token", "the answer has no access_token".into()));
        };
        let has_type =
            |wanted: &str| text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case(wanted));
        if has_type(BEARER) {
            self.proof_key = None;
        } else if !(self.proof_key.is_some() && has_type(DPOP)) {
            let words = "the token is of a type that was not asked for";
            return Err(("auth.token-type", words.into()));
        }
        self.access_token = token.to_owned();
        if let Some(token) = text("refresh_token") {
            self.refresh_token = Some(token.to_owned());
        }
        let lasts = answer.get("expires_in").and_then(Value::as_u64);
        self.expires = lasts.map(|seconds| now.saturating_add(seconds));
        Ok(self)
    }

    /// The text that the key store keeps.
    #[must_use]
    pub fn print(&self) -> String {
        json!({
            "address": self.address,
            "resource": self.resource,
            "issuer": self.issuer,
            "token_endpoint": self.token_endpoint,
            "scope": self.scope,
            "access_token": self.access_token,
            "refresh_token": self.refresh_token,
            "expires": self.expires,
            "proof_key": self.proof_key,
        })
        .to_string()
    }

    /// The grant of such a text for a server; `None`: it is another text, or of another server.
    #[must_use]
    pub fn parse(text: &str, address: &str) -> Option<Self> {
        let kept: Value = serde_json::from_str(text).ok()?;
        let text = |name: &str| kept.get(name)?.as_str().map(str::to_owned);
        let grant = Self {
            address: text("address")?,
            resource: text("resource")?,
            issuer: text("issuer")?,
            token_endpoint: text("token_endpoint")?,
            scope: text("scope"),
            access_token: text("access_token")?,
            refresh_token: text("refresh_token"),
            expires: kept.get("expires").and_then(Value::as_u64),
            proof_key: text("proof_key"),
        };
        (grant.address == address).then_some(grant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(names_issuer: bool) -> ServerMetadata {
        ServerMetadata { issuer: "https://as".into(), names_issuer, ..ServerMetadata::default() }
    }

    #[test]
    fn an_answer_counts_where_it_is_ours_and_of_the_server_that_was_asked() {
        let read = |query: &str, names: bool| {
            read_redirect(query, "s", &server(names)).map_err(|(id, _)| id)
        };
        assert_eq!(read("code=c&state=s", false), Ok("c".into()));
        assert_eq!(read("code=c&state=s&iss=https%3A%2F%2Fas", true), Ok("c".into()));
        for (query, names, id) in [
            ("code=c", false, "auth.state-mismatch"),
            ("code=c&state=t", false, "auth.state-mismatch"),
            ("code=c&state=s&iss=https://as/", false, "auth.iss-mismatch"),
            ("error=x&state=s&iss=https://evil", true, "auth.iss-mismatch"),
            ("code=c&state=s", true, "auth.iss-missing"),
            ("error=access_denied&state=s", false, "auth.denied"),
            ("state=s", false, "auth.no-code"),
        ] {
            assert_eq!(read(query, names), Err(id), "{query}");
        }
    }

    #[test]
    fn a_grant_is_kept_for_its_server_and_renewed() {
        let grant = Grant {
            address: "https://h/mcp".into(),
            resource: "https://h".into(),
            issuer: "https://as".into(),
            token_endpoint: "https://as/t".into(),
            scope: Some("a".into()),
            access_token: String::new(),
            refresh_token: Some("r".into()),
            expires: None,
            proof_key: None,
        };
        let answer = json!({"access_token": "t", "token_type": "bearer", "expires_in": 60});
        let renewed = grant.clone().with_tokens(&answer, 1_000).ok().unwrap();
        assert_eq!(renewed.expires, Some(1_060));
        assert_eq!(renewed.refresh_token.as_deref(), Some("r"));
        assert!(Grant::parse(&renewed.print(), "https://h/mcp") == Some(renewed.clone()));
        assert!(Grant::parse(&renewed.print(), "https://evil/mcp").is_none());
        let refused = |answer: Value| grant.clone().with_tokens(&answer, 0).err().unwrap().0;
        assert_eq!(refused(json!({"error": "invalid_grant"})), "auth.refused");
        assert_eq!(refused(json!({"token_type": "Bearer"})), "auth.no-token");
        assert_eq!(refused(json!({"access_token": "t", "token_type": "mac"})), "auth.token-type");
        let bound = json!({"access_token": "t", "token_type": "DPoP"});
        assert_eq!(refused(bound.clone()), "auth.token-type");
        let asking = Grant { proof_key: Some("k".into()), ..grant };
        let proof_key = |answer: &Value| {
            let taken = asking.clone().with_tokens(answer, 0).ok().unwrap();
            Grant::parse(&taken.print(), "https://h/mcp").unwrap().proof_key
        };
        assert_eq!(proof_key(&bound).as_deref(), Some("k"));
        assert_eq!(proof_key(&answer), None);
    }
}
