//! Addresses over HTTP in their parts, each as it was written: what is compared byte for byte must
//! not go through a reader that respells it.

use crate::model::host::is_loopback;

/// An `http` or `https` URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpUrl<'u> {
    scheme: &'u str,
    authority: &'u str,
    /// The path with its slash, as far as `?` or `#`; empty where there is none.
    pub path: &'u str,
    /// With its `?`; empty where there is none.
    pub query: &'u str,
    /// With its `#`; empty where there is none.
    pub fragment: &'u str,
}

impl<'u> HttpUrl<'u> {
    /// `None`: it is no URL over HTTP, or names a user.
    #[must_use]
    pub fn parse(text: &'u str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
            || text.chars().any(|char| char.is_control() || char == ' ' || char == '\\')
        {
            return None;
        }
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (rest, fragment) = rest.split_at(rest.find('#').unwrap_or(rest.len()));
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let is_usable = !authority.is_empty() && !authority.contains('@');
        is_usable.then_some(Self { scheme, authority, path, query, fragment })
    }

    /// Scheme, host and port in one spelling; the scheme's own port is left out.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = self.scheme.to_ascii_lowercase();
        let authority = self.authority.to_ascii_lowercase();
        let usual = if self.is_encrypted() { ":443" } else { ":80" };
        format!("{scheme}://{}", authority.strip_suffix(usual).unwrap_or(&authority))
    }

    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.scheme.eq_ignore_ascii_case("https")
    }

    /// The host, without brackets.
    #[must_use]
    pub fn host(&self) -> &'u str {
        match self.authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, _)) => host,
            None => self.authority.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether it leads to this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback(self.host())
    }

    /// Whether what is said there can be overheard by nobody else.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.is_encrypted() || self.is_loopback()
    }

    /// Path and query, as a request names them.
    #[must_use]
    pub fn target(&self) -> String {
        let path = if self.path.is_empty() { "/" } else { self.path };
        format!("{path}{}", self.query)
    }
}

/// The path that a redirect from that origin leads to; `None` where it leads to another origin, or
/// cannot be followed.
#[must_use]
pub fn path_of_redirect(origin: &str, location: &str) -> Option<String> {
    if location.starts_with('/') && !location.starts_with("//") {
        let path = location.split('#').next().unwrap_or_default();
        return Some(path.to_owned());
    }
    let url = HttpUrl::parse(location)?;
    (url.origin() == origin).then(|| url.target())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_apart_as_they_were_written() {
        let url = HttpUrl::parse("HTTPS://Host.example:443/A%2f/b?c=d#e").unwrap();
        assert_eq!((url.path, url.query, url.fragment), ("/A%2f/b", "?c=d", "#e"));
        assert_eq!(url.origin(), "https://host.example");
        assert_eq!(HttpUrl::parse("http://[::1]:8080").unwrap().origin(), "http://[::1]:8080");
        assert_eq!(HttpUrl::parse("https://h").unwrap().target(), "/");
        assert_eq!(HttpUrl::parse("https://h?x").unwrap().target(), "/?x");
        for bad in ["h/x", "ftp://h", "http://", "http:///x", "http://a@h", "http://h/\n", "//h"] {
            assert_eq!(HttpUrl::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        let is_private = |url: &str| HttpUrl::parse(url).unwrap().is_private();
        for private in
            ["http://localhost:1", "http://127.0.0.1/x", "http://127.8.9.1", "http://[::1]:1"]
        {
            assert!(is_private(private), "{private}");
        }
        assert!(is_private("https://example.com"));
        for open in ["http://example.com", "http://localhost.example.com", "http://10.0.0.1"] {
            assert!(!is_private(open), "{open}");
        }
    }

    #[test]
    fn a_redirect_is_followed_on_its_own_origin_alone() {
        let follow = |location| path_of_redirect("http://h:8000", location);
        assert_eq!(follow("/mcp/"), Some("/mcp/".into()));
        assert_eq!(follow("http://H:8000/mcp/?a=b#c"), Some("/mcp/?a=b".into()));
        for other in ["http://h/mcp/", "https://h:8000/", "//evil/mcp", "http://evil:8000/", "x"] {
            assert_eq!(follow(other), None, "{other}");
        }
    }
}
