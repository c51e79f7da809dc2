//! Which requests over HTTP are let in: none that a web page of another host brought along.

use std::net::IpAddr;

/// Whom a server lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerReach {
    /// Programs of this machine.
    Loopback,
    /// Those of others too, which name the server by its address.
    Anywhere,
}

impl ServerReach {
    /// Whether a request for that host is for this server. A page that has its own name lead here
    /// sends that name.
    #[must_use]
    pub fn admits_host(self, host: &str) -> bool {
        match self {
            Self::Loopback => is_loopback(host_name(host)),
            Self::Anywhere => {
                let name = host_name(host);
                is_loopback(name) || parse_address(name).is_some()
            }
        }
    }

    /// Whether a page of that origin may ask: one of this machine.
    #[must_use]
    pub fn admits_origin(self, origin: &str) -> bool {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|host| is_loopback(host_name(host)))
    }
}

/// Whether a request's `Authorization` is that bearer token. How long it takes to say so does not
/// depend on where they differ.
#[must_use]
pub(crate) fn admits_token(token: &str, given: &[String]) -> bool {
    let [given] = given else { return false };
    let Some((scheme, given)) = given.split_once(' ') else { return false };
    let (given, token) = (given.trim().as_bytes(), token.as_bytes());
    let differing = given.iter().zip(token).fold(0, |differing, (a, b)| differing | (a ^ b));
    scheme.eq_ignore_ascii_case("bearer") && given.len() == token.len() && differing == 0
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(host, |(name, _)| name),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

fn parse_address(name: &str) -> Option<IpAddr> {
    name.parse().ok()
}

fn is_loopback(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || parse_address(name).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_let_in() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8931", "[::1]:8931", "127.0.0.2"] {
            assert!(ServerReach::Loopback.admits_host(host), "{host}");
            assert!(ServerReach::Anywhere.admits_host(host), "{host}");
            assert!(ServerReach::Loopback.admits_origin(&format!("http://{host}")), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "", "127.0.0.1.evil.example"] {
            assert!(!ServerReach::Loopback.admits_host(host), "{host}");
            assert!(!ServerReach::Anywhere.admits_host(host), "{host}");
            assert!(!ServerReach::Anywhere.admits_origin(&format!("https://{host}")), "{host}");
        }
        for host in ["192.0.2.7:8931", "[2001:db8::1]"] {
            assert!(!ServerReach::Loopback.admits_host(host), "{host}");
            assert!(ServerReach::Anywhere.admits_host(host), "{host}");
            assert!(!ServerReach::Anywhere.admits_origin(&format!("http://{host}")), "{host}");
        }
        assert!(
            !ServerReach::Loopback.admits_origin("null")
                && !ServerReach::Loopback.admits_origin("localhost")
        );
    }
}
