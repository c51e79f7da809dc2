//! The address that a connector's request goes to: what `java.net.URI` takes, with a host.

use crate::systems::opensearch::template::{
    marks::PARAMETERS,
    render::{RenderError, Rendered, render_template},
    text_map::TextMap,
};

/// Why a request has no address.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressError {
    Template(RenderError),
    /// What was filled in is no URL with a host, and why.
    BadUrl {
        rendered: Rendered,
        why: String,
    },
}

/// Fills an address in with prepared parameters. Nothing is percent-encoded.
///
/// # Errors
/// When no request can go there.
pub fn render_address(template: &str, parameters: &TextMap) -> Result<Rendered, AddressError> {
    // With no parameters at all upstream fills nothing in, not even defaults.
    let rendered = if parameters.is_empty() {
        render_template(template, "\u{0}", parameters)
    } else {
        render_template(template, PARAMETERS, parameters)
    }
    .map_err(AddressError::Template)?;
    match check_url(&rendered.text) {
        Ok(()) => Ok(rendered),
        Err(why) => Err(AddressError::BadUrl { rendered, why }),
    }
}

const UNRESERVED: &str = "-_.!~*'()";
const PATH: &str = "-_.!~*'():@&=+$,;/";
const QUERY: &str = "-_.!~*'();/?:@&=+$,[]";
const USER: &str = "-_.!~*'();:&=+$,";

/// Whether a text is an absolute URL with a host, to the rules of `java.net.URI`.
///
/// # Errors
/// When it is not, with what is wrong.
pub fn check_url(text: &str) -> Result<(), String> {
    let (scheme, rest) = text.split_once(':').ok_or("it has no scheme such as https:")?;
    let begins_well = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_scheme = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    if !begins_well || !scheme.chars().all(is_scheme) {
        return Err("it has no scheme such as https:".into());
    }
    let rest = rest.strip_prefix("//").ok_or("// is missing behind the scheme")?;
    let (rest, fragment) = split_at_letter(rest, '#');
    let (rest, query) = split_at_letter(rest, '?');
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    check_authority(authority)?;
    check_letters(path, PATH, "path")?;
    check_letters(query, QUERY, "query")?;
    check_letters(fragment, QUERY, "fragment")
}

fn split_at_letter(text: &str, letter: char) -> (&str, &str) {
    text.split_once(letter).unwrap_or((text, ""))
}

fn check_authority(authority: &str) -> Result<(), String> {
    let (user, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    check_letters(user, USER, "user name")?;
    let (host, port) = match place.strip_prefix('[') {
        Some(inside) => {
            let (host, port) = inside.split_once(']').ok_or("] is missing behind the host")?;
            let (address, zone) = host.split_once('%').unwrap_or((host, "0"));
            check_letters(zone, UNRESERVED, "host")?;
            address
                .parse::<core::net::Ipv6Addr>()
                .map_err(|_| format!("{host} is no IPv6 address"))?;
            (None, port)
        }
        None => match place.find(':') {
            Some(at) => (Some(&place[..at]), &place[at..]),
            None => (Some(place), ""),
        },
    };
    if !port.is_empty() {
        let digits = port.strip_prefix(':').ok_or("the host ends in other letters")?;
        let is_port = digits.is_empty()
            || digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<i32>().is_ok();
        if !is_port {
            return Err(format!("{digits} is no port"));
        }
    }
    host.map_or(Ok(()), check_host)
}

fn check_host(host: &str) -> Result<(), String> {
    if host.is_empty() {
        return Err("it has no host".into());
    }
    let parts: Vec<&str> = host.split('.').collect();
    let is_byte = |part: &&str| {
        (1..=3).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u8>().is_ok()
    };
    if parts.len() == 4 && parts.iter().all(is_byte) {
        return Ok(());
    }
    let labels = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| {
        let inner = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(inner)
    };
    // Of several parts the last begins with a letter.
    let begins_well = match labels.rsplit_once('.') {
        Some((_, last)) => last.starts_with(|letter: char| letter.is_ascii_alphabetic()),
        None => true,
    };
    if begins_well && labels.split('.').all(is_label) {
        return Ok(());
    }
    Err(format!("{host} is no host name"))
}

fn check_letters(text: &str, marks: &str, what: &str) -> Result<(), String> {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_right = match letter {
            '%' => {
                let mut digit = || letters.next().is_some_and(|next| next.is_ascii_hexdigit());
                digit() && digit()
            }
            _ if letter.is_ascii() => letter.is_ascii_alphanumeric() || marks.contains(letter),
            _ => !letter.is_control() && !letter.is_whitespace(),
        };
        if !is_right {
            return Err(match letter {
                '%' => format!("% in the {what} takes two hexadecimal digits"),
                _ => format!("{letter:?} is not allowed in the {what}"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_that_java_takes() {
        for url in [
            "http://localhost:9200/_cat?x[]=1",
            "https://u:p@a.b-c.de:443/ü#f",
            "http://[::1]:9200",
            "http://127.0.0.1:/a%20b",
            "HTTP://h",
            "http://h?q",
            "http://80",
            "http://a.b./",
        ] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
        for url in [
            "localhost:9200/a",
            "http:///x",
            "http://my_host/a",
            "http://h/{x}",
            "http://h/a b",
            "http://h/%zz",
            "/a",
            "",
            "http://1.2.3/",
            "http://h:x/",
            "http://-a/",
            "ht tp://h/",
        ] {
            assert!(check_url(url).is_err(), "{url}");
        }
    }
}
