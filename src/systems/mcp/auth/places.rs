//! Where the documents of an authorization are looked for, in this order.

use crate::systems::mcp::url::HttpUrl;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// The metadata of a resource: where its challenge says, else below the server's address, with its
/// path and then without.
#[must_use]
pub fn resource_metadata_urls(address: &str, named: Option<&str>) -> Vec<String> {
    let mut urls: Vec<String> = named.map(str::to_owned).into_iter().collect();
    let Some(url) = HttpUrl::parse(address) else { return urls };
    let origin = base(address, &url);
    let path = url.path.trim_end_matches('/');
    if !path.is_empty() {
        urls.push(format!("{origin}{RESOURCE}{path}{}", url.query));
    }
    urls.push(format!("{origin}{RESOURCE}"));
    let mut seen = Vec::new();
    urls.retain(|url| {
        !seen.contains(url) && {
            seen.push(url.clone());
            true
        }
    });
    urls
}

/// The metadata of an authorization server: with its path inserted, as OAuth and as OpenID have it,
/// then with OpenID's appended to it.
#[must_use]
pub fn server_metadata_urls(issuer: &str) -> Vec<String> {
    let Some(url) = HttpUrl::parse(issuer) else { return Vec::new() };
    let origin = base(issuer, &url);
    let path = url.path.trim_end_matches('/');
    let mut urls = vec![format!("{origin}{SERVER}{path}"), format!("{origin}{OPENID}{path}")];
    if !path.is_empty() {
        urls.push(format!("{origin}{path}{OPENID}"));
    }
    urls
}

/// The endpoints of a server of 2025-03-26 that has no metadata.
#[must_use]
pub fn default_endpoint(address: &str, name: &str) -> Option<String> {
    let url = HttpUrl::parse(address)?;
    Some(format!("{}/{name}", base(address, &url)))
}

/// Why a URL that a server names must not be fetched; `None`: it may.
#[must_use]
pub fn fetch_refusal(url: &str, server: &str) -> Option<&'static str> {
    let Some(url) = HttpUrl::parse(url) else { return Some("is no URL over HTTP") };
    let is_at_home = HttpUrl::parse(server).is_some_and(|server| server.is_loopback());
    if url.is_loopback() && !is_at_home {
        return Some("leads to this machine, and the server that names it is elsewhere");
    }
    (!url.is_private()).then_some("is not https, and leads elsewhere")
}

/// Scheme and authority as they were written.
fn base<'t>(text: &'t str, url: &HttpUrl<'_>) -> &'t str {
    let rest = url.path.len() + url.query.len() + url.fragment.len();
    &text[..text.len() - rest]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_looked_for_with_the_path_first() {
        let near = |address, named| resource_metadata_urls(address, named);
        assert_eq!(
            near("https://H:8443/a/mcp/", None),
            [
                "https://H:8443/.well-known/oauth-protected-resource/a/mcp",
                "https://H:8443/.well-known/oauth-protected-resource"
            ]
        );
        assert_eq!(
            near("https://h", Some("https://h/custom.json")),
            ["https://h/custom.json", "https://h/.well-known/oauth-protected-resource"]
        );
        assert_eq!(
            near("https://h/mcp", Some("https://h/.well-known/oauth-protected-resource/mcp")).len(),
            2
        );
        assert_eq!(
            server_metadata_urls("https://as/tenant1"),
            [
                "https://as/.well-known/oauth-authorization-server/tenant1",
                "https://as/.well-known/openid-configuration/tenant1",
                "https://as/tenant1/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            server_metadata_urls("https://as"),
            [
                "https://as/.well-known/oauth-authorization-server",
                "https://as/.well-known/openid-configuration"
            ]
        );
        assert_eq!(default_endpoint("http://h:1/mcp", "token").unwrap(), "http://h:1/token");
    }

    #[test]
    fn a_server_sends_nobody_to_this_machine_but_from_this_machine() {
        assert_eq!(fetch_refusal("https://as/x", "https://h/mcp"), None);
        assert_eq!(fetch_refusal("http://127.0.0.1:1/x", "http://localhost:2/mcp"), None);
        for (url, server) in [
            ("http://127.0.0.1:1/x", "https://h/mcp"),
            ("https://localhost/x", "https://h/mcp"),
            ("http://as/x", "https://h/mcp"),
            ("file:///etc/passwd", "http://localhost:2"),
        ] {
            assert!(fetch_refusal(url, server).is_some(), "{url}");
        }
    }
}
