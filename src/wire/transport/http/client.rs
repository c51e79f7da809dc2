//! The client that requests over HTTP are made with, and where below an address they go.

use reqwest::{Client, header::HeaderMap, redirect::Policy};
use rustls::ClientConfig;

use super::messages;
use crate::{
    model::call::CallError,
    wire::{
        tls,
        transport::{settings::Server, socket::CONNECTING},
    },
};

/// What each request says that it is of.
pub(super) const USER_AGENT: &str = concat!("toolcrib/", env!("CARGO_PKG_VERSION"));

/// A client that sends these headers with each request.
///
/// # Errors
/// When it cannot be made from these settings.
pub(crate) fn build_client(
    headers: HeaderMap,
    encryption: Option<&ClientConfig>,
) -> Result<Client, CallError> {
    // The client is built with an encryption of its own even where none is spoken.
    tls::install_provider();
    let client = Client::builder()
        .default_headers(headers)
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECTING)
        // An address is what it is; a token must not go anywhere else.
        .redirect(Policy::none())
        // One that was kept may have been closed meanwhile, and the request could not be sent
        // twice.
        .pool_max_idle_per_host(0)
        .no_proxy();
    let client = match encryption {
        Some(config) => client.tls_backend_preconfigured(config.clone()),
        None => client,
    };
    client.build().map_err(|error| messages::no_client(&error))
}

/// A server's address without its path.
#[must_use]
pub(super) fn origin_url(server: &Server, is_encrypted: bool) -> String {
    let scheme = if is_encrypted { "https" } else { "http" };
    let place = server.to_string();
    let authority = place.split_once("://").map_or(place.as_str(), |(_, authority)| authority);
    format!("{scheme}://{authority}")
}

/// What is before the path of every request to a server.
#[must_use]
pub(crate) fn base_url(server: &Server, is_encrypted: bool) -> String {
    format!("{}{}", origin_url(server, is_encrypted), server.path.trim_end_matches('/'))
}
