//! The token of a connection: found when the server first wants one, renewed when it is old, and
//! sent to that server alone.

use std::{
    sync::{Mutex as Lock, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use tokio::sync::Mutex;

use super::{
    fetch::Fetcher,
    grants, report,
    sign_in::no_store,
    signing,
    tokens::{broken_key, named_client, request_tokens},
    walk::walk,
};
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials, SettingValue},
        error_kind::ErrorKind,
        shown::{shell_word, visible_text},
    },
    systems::mcp::auth::{
        answers::Grant,
        challenge::{BEARER, Challenge, DPOP, token_challenge},
        clients::Client,
        documents::ServerMetadata,
        jwt::ProvenRequest,
        scopes::missing_scopes,
    },
    wire::secrets::Secrets,
};

/// So many seconds before its end a token is renewed.
const EARLY: u64 = 30;

const AUTHORIZATION: &str = "Authorization";

pub(crate) struct Authority {
    connection: Connection,
    secrets: Secrets,
    /// The address of the one server that tokens go to.
    address: String,
    /// What was found; the key store is asked only when the server wants a token.
    grant: Mutex<Option<Grant>>,
    /// What the server wants to read in the next proof.
    nonce: Lock<Option<String>>,
}

/// What a request says about who sends it.
#[derive(Clone, Default)]
pub(crate) struct PresentedToken {
    /// `None`: the token of the connection's settings, or none.
    pub token: Option<String>,
    pub headers: Vec<(String, String)>,
}

/// A request that was refused.
pub(crate) struct Refusal<'r> {
    pub status: u16,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<&'r str>,
    /// The token that was sent.
    pub token: Option<&'r str>,
    /// The body of the answer.
    pub body: &'r str,
    /// Whether the server gave what a proof has to name.
    pub has_nonce: bool,
}

/// What to do about a refusal.
pub(crate) enum Verdict {
    /// Ask again: there is another token now.
    Again,
    Refused(CallError),
    /// It is about something else than tokens.
    Unknown,
}

impl Authority {
    pub fn new(connection: &Connection, secrets: &Secrets, address: &str) -> Self {
        let (connection, secrets) = (connection.clone(), secrets.clone());
        Self {
            connection,
            secrets,
            address: address.to_owned(),
            grant: Mutex::default(),
            nonce: Lock::default(),
        }
    }

    /// What to send with a request.
    ///
    /// # Errors
    /// When the token is bound to a key that cannot be used.
    pub async fn present(&self, method: &str, url: &str) -> Result<PresentedToken, CallError> {
        let mut known = self.grant.lock().await;
        let Some(grant) = known.as_ref() else { return Ok(PresentedToken::default()) };
        let is_old = grant.expires.is_some_and(|end| end <= seconds_now() + EARLY);
        let renewed = if is_old { self.renew(grant).await.ok().flatten() } else { None };
        let grant = match renewed {
            Some(renewed) => &*known.insert(renewed),
            None => grant,
        };
        let token = &grant.access_token;
        let header = |name: &str, value: String| (name.to_owned(), value);
        let headers = match &grant.proof_key {
            None => vec![header(AUTHORIZATION, format!("{BEARER} {token}"))],
            Some(key) => {
                let nonce = self.nonce.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let nonce = nonce.as_deref();
                let request = ProvenRequest { method, url, token: Some(token), nonce };
                let proof = signing::sign_proof(key, request).map_err(broken_key)?;
                vec![header(AUTHORIZATION, format!("{DPOP} {token}")), header(DPOP, proof)]
            }
        };
        Ok(PresentedToken { token: Some(token.clone()), headers })
    }

    /// The server gave what the next proof has to name.
    pub fn note_nonce(&self, nonce: &str) {
        *self.nonce.lock().unwrap_or_else(PoisonError::into_inner) = Some(nonce.to_owned());
    }

    /// The server refused a request.
    pub async fn judge_refusal(&self, refusal: Refusal<'_>) -> Verdict {
        let Refusal { status, challenges, token: used, body, has_nonce } = refusal;
        let challenge = token_challenge(challenges);
        if has_nonce && challenge.as_ref().is_some_and(Challenge::wants_nonce) {
            return Verdict::Again;
        }
        // A server that says nothing of tokens wants what else the settings name.
        let is_about_keys = challenge.is_none() && self.has_own_key();
        if status == 401 && (self.has_own_token() || is_about_keys) {
            return Verdict::Refused(self.token_refused(status, challenge.as_ref(), body));
        }
        let mut known = self.grant.lock().await;
        if status == 403 {
            let wanted = challenge.filter(Challenge::is_insufficient_scope);
            let Some(wanted) = wanted else { return Verdict::Unknown };
            let asked = known.as_ref().and_then(|grant| grant.scope.as_deref());
            return Verdict::Refused(self.too_little(asked, &wanted));
        }
        let is_new = |grant: &Grant| used != Some(grant.access_token.as_str());
        // Another request may have renewed it meanwhile, or somebody else have signed in.
        if known.as_ref().is_some_and(is_new) {
            return Verdict::Again;
        }
        let kept = grants::read_grant(&self.secrets, &self.address).await;
        let unread = kept.as_ref().err().cloned().map(no_store);
        if let Ok(Some(grant)) = kept {
            if is_new(&grant) {
                *known = Some(grant);
                return Verdict::Again;
            }
            if let Ok(Some(renewed)) = self.renew(&grant).await {
                *known = Some(renewed);
                return Verdict::Again;
            }
        }
        drop(known);
        let challenge = challenge.unwrap_or_default();
        Verdict::Refused(self.unauthorized(challenge, used.is_some(), unread, body).await)
    }

    /// Whether the settings name a secret that goes into a header of its own.
    fn has_own_key(&self) -> bool {
        let headers = &self.connection.headers;
        headers.values().any(|value| matches!(value, SettingValue::Secret(_)))
    }

    /// Whether the settings name the token.
    fn has_own_token(&self) -> bool {
        let is_it = |name: &String| name.eq_ignore_ascii_case(AUTHORIZATION);
        !matches!(self.connection.credentials, Credentials::None)
            || self.connection.headers.keys().any(is_it)
    }

    /// The grant with a new token; `None` where it cannot be renewed.
    async fn renew(&self, grant: &Grant) -> Result<Option<Grant>, CallError> {
        let Some(token) = grant.refresh_token.clone() else { return Ok(None) };
        let server = ServerMetadata { issuer: grant.issuer.clone(), ..ServerMetadata::default() };
        let named = named_client(&self.connection, &self.secrets, &server).await?;
        let client: Option<Client> = match named {
            Some(client) => Some(client),
            None => grants::read_client(&self.secrets, &grant.issuer).await.map_err(no_store)?,
        };
        let Some(client) = client else { return Ok(None) };
        let fetcher = Fetcher::new(&self.connection, &self.secrets).await?;
        let pairs = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token.as_str()),
            ("resource", grant.resource.as_str()),
        ];
        let renewed = request_tokens(&fetcher, &client, grant.clone(), &pairs).await?;
        grants::save_grant(&self.secrets, &renewed).await.map_err(no_store)?;
        Ok(Some(renewed))
    }

    /// The token of the settings is refused.
    fn token_refused(&self, status: u16, challenge: Option<&Challenge>, body: &str) -> CallError {
        let said = challenge.and_then(|challenge| {
            challenge.param("error_description").or_else(|| challenge.param("error"))
        });
        let said =
            said.map_or_else(|| quoted_body(body), |said| format!(": {}", visible_text(said)));
        let (what, named) = match self.connection.credentials {
            Credentials::None if self.has_own_token() => ("token", "the header Authorization"),
            Credentials::None => ("key", "the headers"),
            _ => ("token", "token-variable or token-key"),
        };
        let message = format!("the server rejects the connection's {what} (HTTP {status}){said}");
        CallError::new(ErrorKind::Unauthorized, message, format!("check {named} of the connection"))
    }

    /// The token is good and allows too little.
    fn too_little(&self, asked: Option<&str>, wanted: &Challenge) -> CallError {
        let scope = wanted.scope().unwrap_or_default();
        let missing = missing_scopes(asked, wanted.scope());
        if missing.is_empty() {
            let message = format!(
                "the server wants the scope \"{}\", which was asked for already",
                visible_text(scope)
            );
            let remedy = "signing in again changes nothing; ask whoever runs the server";
            return CallError::new(ErrorKind::InsufficientScope, message, remedy);
        }
        let message = format!("the server wants the scope \"{}\" too", visible_text(scope));
        if self.has_own_token() {
            let remedy = "get a token with that scope";
            return CallError::new(ErrorKind::InsufficientScope, message, remedy);
        }
        let remedy = format!(
            "toolcrib mcp auth {} --sign-in --scope \"{}\"",
            shell_word(&self.connection.name),
            visible_text(&missing.join(" "))
        );
        CallError::new(ErrorKind::InsufficientScope, message, remedy)
    }

    /// Nobody is let in without a token, and there is none; with what the server's documents say.
    async fn unauthorized(
        &self,
        challenge: Challenge,
        was_signed_in: bool,
        unread: Option<CallError>,
        body: &str,
    ) -> CallError {
        let found = match Fetcher::new(&self.connection, &self.secrets).await {
            Ok(fetcher) => {
                let chain = walk(&fetcher, &self.address, Some(challenge)).await;
                if !was_signed_in && !chain.is_about_tokens() {
                    return self.locked(body);
                }
                report::summary(&chain)
            }
            Err(problem) => problem.message,
        };
        let why = if was_signed_in {
            "the server no longer accepts the token (401)"
        } else {
            "the server requires a token (401)"
        };
        let (name, headers) = (&self.connection.name, &self.connection.headers);
        let unread = unread.map(|problem| format!("; {}", problem.message)).unwrap_or_default();
        let message = format!("{why}; {found}{unread}");
        let remedy = format!(
            "`toolcrib mcp auth {}` shows each step, --sign-in gets a token; or set token-variable or token-key{}",
            shell_word(name),
            if headers.is_empty() {
                ", or headers for an API key"
            } else {
                "; or check its headers"
            }
        );
        CallError::new(ErrorKind::Unauthorized, message, remedy)
    }

    /// Nobody is let in, and the server says nothing of tokens that could be got.
    fn locked(&self, body: &str) -> CallError {
        let message = format!("the server requires a key or a token (401){}", quoted_body(body));
        let remedy = if self.connection.headers.is_empty() {
            "set headers for an API key, or token-variable or token-key for a token"
        } else {
            "check the connection's headers, or set token-variable or token-key"
        };
        CallError::new(ErrorKind::Unauthorized, message, remedy)
    }
}

/// What a server says in the body of a refusal, behind a colon; nothing where that is nothing.
pub(crate) fn quoted_body(body: &str) -> String {
    const MOST: usize = 300;
    let said: String = visible_text(body.trim()).chars().take(MOST).collect();
    if said.is_empty() { said } else { format!(": {said}") }
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
