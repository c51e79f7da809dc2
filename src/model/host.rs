//! Where an address leads.

/// The host that an address such as `nats://[::1]:4222` names, without brackets; all that is in its
/// place, where that is no host.
#[must_use]
pub fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((host, after)) if after.is_empty() || after.starts_with(':') => host,
        Some(_) => authority,
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

/// Whether a host, written without brackets, is this machine whatever a name service says.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let is_number = |part: &str| part.parse::<u8>().is_ok_and(|number| number.to_string() == part);
    host.eq_ignore_ascii_case("localhost")
        || host == "::1"
        || (host.starts_with("127.")
            && host.split('.').count() == 4
            && host.split('.').all(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_this_machine() {
        for address in
            ["http://127.0.0.1:80/mcp", "nats://LOCALHOST", "http://[::1]:8/x@y", "127.8.9.1:9"]
        {
            assert!(is_loopback(host_of(address)), "{address}");
        }
        for address in [
            "http://127.0.0.1@example.com/",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com:80",
            "http://localhost\\@example.com",
            "http://[::1].example.com@x",
            "http://10.0.0.1",
            "http://0.0.0.0:4",
            "http://127.1",
            "http://127.0.0.01",
            "http://127.0.0.256",
            "",
        ] {
            assert!(!is_loopback(host_of(address)), "{address}");
        }
    }
}
