//! What a server says with a 401 or 403: `WWW-Authenticate`.

/// One way in that a server offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// `Bearer` or `DPoP`, as it was written.
    pub scheme: String,
    /// Names in lower case, values without their quotes.
    pub params: Vec<(String, String)>,
}

/// Whoever has the token may use it.
pub const BEARER: &str = "Bearer";
/// Who has the key that the token is bound to may use it (RFC 9449).
pub const DPOP: &str = "DPoP";

impl Challenge {
    #[must_use]
    pub fn has_scheme(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// Whether the same request is taken with a proof that names the nonce beside it.
    #[must_use]
    pub fn wants_nonce(&self) -> bool {
        self.param("error") == Some("use_dpop_nonce")
    }

    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Where the metadata of the resource are.
    #[must_use]
    pub fn resource_metadata(&self) -> Option<&str> {
        self.param("resource_metadata")
    }

    #[must_use]
    pub fn scope(&self) -> Option<&str> {
        self.param("scope").filter(|scope| !scope.trim().is_empty())
    }

    /// Whether the token is good and allows too little.
    #[must_use]
    pub fn is_insufficient_scope(&self) -> bool {
        self.param("error") == Some("insufficient_scope")
    }
}

/// The challenge for tokens among those of these headers' values, each of which may hold several.
/// Where tokens may be bound to a key it is that one, with what the other one says beside.
#[must_use]
pub fn token_challenge<'h>(headers: impl IntoIterator<Item = &'h str>) -> Option<Challenge> {
    let challenges: Vec<Challenge> = headers.into_iter().flat_map(parse_challenges).collect();
    let find = |scheme: &str| challenges.iter().find(|known| known.has_scheme(scheme)).cloned();
    let (bound, bearer) = (find(DPOP), find(BEARER));
    let Some(mut bound) = bound else { return bearer };
    bound.params.extend(bearer.into_iter().flat_map(|bearer| bearer.params));
    Some(bound)
}

/// Every challenge of a header's value. What is no parameter is left out.
#[must_use]
pub fn parse_challenges(header: &str) -> Vec<Challenge> {
    let mut challenges: Vec<Challenge> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return challenges;
        }
        let end = rest.find([' ', '\t', ',', '=', '"']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let value = after.trim_start_matches([' ', '\t']).strip_prefix('=');
        rest = match (value, challenges.last_mut()) {
            (Some(value), Some(challenge)) if !word.is_empty() => {
                let (value, after) = read_value(value.trim_start_matches([' ', '\t']));
                challenge.params.push((word.to_ascii_lowercase(), value));
                after
            }
            // A stray sign.
            _ if word.is_empty() => after.get(1..).unwrap_or_default(),
            _ => {
                challenges.push(Challenge { scheme: word.to_owned(), params: Vec::new() });
                after
            }
        };
    }
}

/// A value, quoted or not, and what follows it.
fn read_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_at(text.find([',', ' ', '\t']).unwrap_or(text.len()));
        return (value.to_owned(), rest);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, char)| char)),
            char => value.push(char),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn challenges_are_read_whatever_stands_around_them() {
        let text = r#"Basic realm="a, b", BEARER resource_metadata="https://h/x?a=b", scope = "one two" ,error=insufficient_scope"#;
        let challenges = parse_challenges(text);
        assert_eq!(challenges.len(), 2);
        assert_eq!(challenges[0].param("realm"), Some("a, b"));
        let bearer = token_challenge([text]).unwrap();
        assert_eq!(bearer.resource_metadata(), Some("https://h/x?a=b"));
        assert_eq!(bearer.scope(), Some("one two"));
        assert!(bearer.is_insufficient_scope());
        let bare = token_challenge(["Bearer"]).unwrap();
        assert_eq!((bare.scope(), bare.params.len()), (None, 0));
        let quoted = r#"Bearer error_description="say \"please\"""#;
        let quoted = token_challenge([quoted]).unwrap();
        assert_eq!(quoted.param("error_description"), Some("say \"please\""));
        assert_eq!(token_challenge(["Basic abc="]), None);
    }

    #[test]
    fn tokens_are_bound_to_a_key_where_they_may_be() {
        let both = token_challenge(["Bearer scope=a", "Basic, dpop error=use_dpop_nonce"]);
        let both = both.unwrap();
        assert!(both.has_scheme(DPOP) && both.wants_nonce());
        assert_eq!(both.scope(), Some("a"));
        assert!(!token_challenge(["Bearer scope=a"]).unwrap().has_scheme(DPOP));
    }

    proptest! {
        #[test]
        fn any_header_can_be_read(header in "[Bearer =\",\\\\a-z\t]{0,60}") {
            let challenges = parse_challenges(&header);
            prop_assert!(challenges.iter().all(|challenge| !challenge.scheme.is_empty()));
        }
    }
}
