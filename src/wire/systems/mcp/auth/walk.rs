//! Looks at what a server says about who may use it: the refusal, the documents that it leads to,
//! and what is wrong with each.

use serde_json::Value;

use super::fetch::{Fetched, Fetcher};
use crate::systems::mcp::{
    auth::{
        challenge::{Challenge, token_challenge},
        documents::{ResourceMetadata, STOPPING, ServerMetadata, resource_faults, server_faults},
        places,
    },
    fault::Fault,
    rpc::{
        build::{self, Call, SpokenVersion},
        id::Id,
    },
    version::{Era, FIRST_MODERN},
};

/// One request, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub method: &'static str,
    pub url: String,
    /// The status, or why there is none.
    pub outcome: Result<u16, String>,
    /// What counts of the answer.
    pub facts: Vec<(&'static str, String)>,
    pub faults: Vec<Fault>,
}

/// All that a server says about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chain {
    pub steps: Vec<Step>,
    /// Whether the server lets nobody in without a token.
    pub is_closed: bool,
    pub challenge: Challenge,
    pub resource: Option<ResourceMetadata>,
    /// The server that gives tokens; with its usual endpoints where it has no metadata, as was the
    /// rule in 2025-03-26.
    pub server: Option<ServerMetadata>,
}

impl Chain {
    /// Whether the server says anything of tokens: it asks for one, or has documents about them.
    #[must_use]
    pub fn is_about_tokens(&self) -> bool {
        let is_there = |step: &Step| step.outcome.as_ref().is_ok_and(|status| *status < 300);
        self.challenge != Challenge::default() || self.steps.iter().skip(1).any(is_there)
    }

    /// The first fault that keeps a token from being asked for, with its place.
    #[must_use]
    pub fn stopping_fault(&self) -> Option<(&Step, &Fault)> {
        let faults = self.steps.iter().flat_map(|step| step.faults.iter().map(move |f| (step, f)));
        let mut faults = faults.filter(|(_, fault)| STOPPING.contains(&fault.id));
        faults.next()
    }

    /// What goes into requests as the resource.
    #[must_use]
    pub fn resource<'c>(&'c self, address: &'c str) -> &'c str {
        let named = self.resource.as_ref().and_then(|metadata| metadata.resource.as_deref());
        named.unwrap_or(address)
    }
}

/// Follows it from the refusal, or from the beginning.
pub(crate) async fn walk(fetcher: &Fetcher, address: &str, refusal: Option<Challenge>) -> Chain {
    let mut chain = Chain { is_closed: refusal.is_some(), ..Chain::default() };
    match refusal {
        Some(challenge) => chain.challenge = challenge,
        None => chain.knock(fetcher, address).await,
    }
    chain.find_resource(fetcher, address).await;
    match chain.resource.clone() {
        Some(resource) => {
            if let Some(issuer) = resource.authorization_servers.first()
                && chain.stopping_fault().is_none()
            {
                chain.find_server(fetcher, address, issuer).await;
            }
        }
        None => chain.find_old_server(fetcher, address).await,
    }
    chain
}

impl Chain {
    fn note(
        &mut self,
        method: &'static str,
        url: &str,
        got: &Result<Fetched, String>,
    ) -> &mut Step {
        let outcome = got.as_ref().map(|got| got.status).map_err(Clone::clone);
        let url = url.to_owned();
        let (facts, faults) = (Vec::new(), Vec::new());
        self.steps.push(Step { method, url, outcome, facts, faults });
        // It was just put there.
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    /// Asks the server without a token for what needs no session, and then for what is worth
    /// guarding.
    async fn knock(&mut self, fetcher: &Fetcher, address: &str) {
        for call in [build::discover(), Call::from_method("tools/list")] {
            let spoken = SpokenVersion { era: Era::Modern, version: FIRST_MODERN.to_owned() };
            let client = build::Client::new("toolcrib", env!("CARGO_PKG_VERSION"));
            let frame = call.to_frame(&Id::from(1), &client, &spoken);
            let got = fetcher.post_frame(address, &call.headers(&spoken), frame).await;
            let step = self.note("POST", address, &got);
            step.facts.push(("method", call.method.clone()));
            let Ok(got) = got else { return };
            let challenge = token_challenge(got.challenges.iter().map(String::as_str));
            let values = got.challenges.iter().cloned();
            step.facts.extend(values.map(|value| ("www-authenticate", value)));
            if got.status == 401 && challenge.is_none() {
                step.faults.push(missing_challenge());
            }
            if matches!(got.status, 401 | 403) {
                self.is_closed = true;
                self.challenge = challenge.unwrap_or_default();
                return;
            }
        }
    }

    /// A document, where it may be asked for; what there is of it is in its step.
    async fn find_document(
        &mut self,
        fetcher: &Fetcher,
        address: &str,
        url: &str,
    ) -> Option<Value> {
        if let Some(why) = places::fetch_refusal(url, address) {
            self.note("GET", url, &Err(format!("not asked for: it {why}")));
            return None;
        }
        let got = fetcher.get_document(url).await;
        self.note("GET", url, &got);
        got.ok().filter(Fetched::is_success).map(|got| got.document)
    }

    fn describe(&mut self, facts: Vec<(&'static str, String)>, faults: Vec<Fault>) {
        if let Some(step) = self.steps.last_mut() {
            step.facts.extend(facts);
            step.faults.extend(faults);
        }
    }

    async fn find_resource(&mut self, fetcher: &Fetcher, address: &str) {
        let named = self.challenge.resource_metadata().map(str::to_owned);
        for url in places::resource_metadata_urls(address, named.as_deref()) {
            let Some(document) = self.find_document(fetcher, address, &url).await else { continue };
            let metadata = ResourceMetadata::from_document(&document);
            let mut facts = Vec::new();
            facts.extend(metadata.resource.clone().map(|resource| ("resource", resource)));
            facts.push(("authorization_servers", metadata.authorization_servers.join(" ")));
            facts.extend(
                metadata.scopes.as_ref().map(|names| ("scopes_supported", names.join(" "))),
            );
            facts.extend(
                metadata.takes_bound_tokens.then(|| ("tokens", "may be bound (DPoP)".into())),
            );
            let faults = resource_faults(&document, address, self.challenge.scope());
            self.describe(facts, faults);
            self.resource = Some(metadata);
            return;
        }
    }

    async fn find_server(&mut self, fetcher: &Fetcher, address: &str, issuer: &str) {
        for url in places::server_metadata_urls(issuer) {
            let Some(document) = self.find_document(fetcher, address, &url).await else { continue };
            let metadata = ServerMetadata::from_document(&document);
            let mut facts = vec![("issuer", metadata.issuer.clone())];
            let endpoints = [
                ("authorization_endpoint", &metadata.authorization_endpoint),
                ("token_endpoint", &metadata.token_endpoint),
                ("registration_endpoint", &metadata.registration_endpoint),
            ];
            for (name, endpoint) in endpoints {
                facts.extend(endpoint.clone().map(|endpoint| (name, endpoint)));
            }
            let faults = server_faults(&document, issuer);
            self.describe(facts, faults);
            self.server = Some(metadata);
            return;
        }
    }

    /// Where a server says nothing of itself, it gave tokens itself in 2025-03-26, at the usual
    /// places.
    async fn find_old_server(&mut self, fetcher: &Fetcher, address: &str) {
        if !self.is_closed {
            return;
        }
        let Some(issuer) = places::default_endpoint(address, "") else { return };
        let issuer = issuer.trim_end_matches('/').to_owned();
        let before = self.steps.len();
        self.find_server(fetcher, address, &issuer).await;
        let is_guarded = |step: &Step| matches!(step.outcome, Ok(401 | 403));
        if self.server.is_none() && self.steps[before..].iter().all(is_guarded) {
            // Where one gets a token, no token is asked for.
            self.describe(Vec::new(), vec![no_authorization_server()]);
        } else if self.server.is_none() {
            let endpoint = |name| places::default_endpoint(address, name);
            self.server = Some(ServerMetadata {
                issuer,
                authorization_endpoint: endpoint("authorize"),
                token_endpoint: endpoint("token"),
                registration_endpoint: endpoint("register"),
                has_pkce: true,
                ..ServerMetadata::default()
            });
        }
    }
}

fn no_authorization_server() -> Fault {
    Fault {
        id: "auth.no-authorization-server",
        at: crate::schema::pointer::Pointer::root(),
        words: "asks for a token, too: nothing says which server gives tokens".into(),
    }
}

fn missing_challenge() -> Fault {
    Fault {
        id: "auth.no-challenge",
        at: crate::schema::pointer::Pointer::root(),
        words: "comes without a challenge for tokens: WWW-Authenticate is required".into(),
    }
}
