//! Which requests over HTTP are let in: none that a web page of another host brought along.

use std::net::{IpAddr, SocketAddr};

use hyper::{
    HeaderMap,
    header::{HOST, ORIGIN},
};

use crate::model::host::is_loopback;

/// Whom a server lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerReach {
    /// Programs of this machine.
    Loopback,
    /// Those of others too, which name the server by its address.
    Anywhere,
}

impl ServerReach {
    /// Of a server that listens there.
    #[must_use]
    pub fn of_address(at: SocketAddr) -> Self {
        if at.ip().is_loopback() { Self::Loopback } else { Self::Anywhere }
    }

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

/// Whose requests a stand-in for another server lets in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admission {
    pub reach: ServerReach,
    /// The names that it was given itself, by which callers may know it.
    pub hosts: Vec<String>,
}

/// Why a request is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    Host,
    Origin,
}

impl NotAdmitted {
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::Host => 421,
            Self::Origin => 403,
        }
    }

    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Host => "the header Host names another server",
            Self::Origin => "pages of that origin may not ask here",
        }
    }
}

impl Admission {
    /// Whether a request with these headers is let in; programs that are no browsers name no origin.
    ///
    /// # Errors
    /// When a web page of another host brought it along.
    pub fn check_headers(&self, headers: &HeaderMap) -> Result<(), NotAdmitted> {
        let is_own = |host: &str| {
            let name = host_name(host);
            self.hosts.iter().any(|own| name.eq_ignore_ascii_case(own))
                || self.reach.admits_host(host)
        };
        let all = |name, is_admitted: &dyn Fn(&str) -> bool| {
            headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(is_admitted))
        };
        if !all(HOST, &is_own) {
            return Err(NotAdmitted::Host);
        }
        match all(ORIGIN, &|origin| self.reach.admits_origin(origin)) {
            true => Ok(()),
            false => Err(NotAdmitted::Origin),
        }
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
pub(crate) fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(host, |(name, _)| name),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

fn parse_address(name: &str) -> Option<IpAddr> {
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_another_host_is_not_let_in() {
        let check = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, value.parse().unwrap());
            }
            let reach = ServerReach::Loopback;
            Admission { reach, hosts: vec!["lab.example".into()] }.check_headers(&headers)
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[("host", "127.0.0.1:8088")]), Ok(()));
        assert_eq!(check(&[("host", "Lab.Example:8088")]), Ok(()));
        assert_eq!(check(&[("host", "localhost"), ("origin", "http://localhost:5")]), Ok(()));
        assert_eq!(check(&[("host", "evil.example")]), Err(NotAdmitted::Host));
        let both = [("host", "localhost"), ("origin", "http://evil.example")];
        assert_eq!(check(&both), Err(NotAdmitted::Origin));
    }

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
