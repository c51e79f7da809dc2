//! What a secret looks like: by the name it is under, and by its shape.
//!
//! A text may still be on its way. So each rule also reports what is no secret as it is, but may be
//! the beginning of one where it reaches the end of the text.

use std::{fmt, ops::Range};

/// A secret on its way to where it is kept; nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct HiddenText(pub String);

impl fmt::Debug for HiddenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HiddenText")
    }
}

/// How well-known keys and tokens begin, and what they are.
const BEGINNINGS: &[(&str, &str)] = &[
    ("sk-", "an API key"),
    ("ghp_", "a GitHub token"),
    ("github_pat_", "a GitHub token"),
    ("glpat-", "a GitLab token"),
    ("xoxb-", "a Slack token"),
    ("xoxp-", "a Slack token"),
    ("AKIA", "an AWS key"),
    ("AIza", "a Google key"),
    ("hf_", "a Hugging Face token"),
    ("tg_", "a TrustGraph key"),
    ("eyJ", "a JSON web token"),
    ("Bearer ", "a bearer token"),
    ("Basic ", "a password"),
    (KEY_FILE, "a private key"),
];

const KEY_FILE: &str = "-----BEGIN";
const KEY_END: &str = "-----END";

/// Ends of names whose values are secrets.
const ENDINGS: &[&str] = &[
    "token",
    "password",
    "passwd",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "subscriptionkey",
    "functionskey",
    "credential",
    "credentials",
    "authorization",
];

/// What a value is, when it looks like a secret under its name or by its shape.
#[must_use]
pub(crate) fn looks_secret(name: &str, value: &str) -> Option<&'static str> {
    let value = value.trim();
    if value.is_empty() || is_reference(value) || is_variable(value) {
        return None;
    }
    let begins = BEGINNINGS
        .iter()
        .find(|(beginning, _)| value.strip_prefix(beginning).is_some_and(is_token));
    if let Some((_, what)) = begins {
        return Some(what);
    }
    if password_in(value).iter().any(|(_, is)| *is) {
        return Some("a password in an address");
    }
    (is_secret_name(name) && !value.contains(char::is_whitespace)).then_some("a secret")
}

/// The name of a variable of the environment: `LAMP_TOKEN`. Keys and tokens have no such shape.
fn is_variable(value: &str) -> bool {
    value.contains('_')
        && value.starts_with(|letter: char| letter.is_ascii_uppercase())
        && value
            .bytes()
            .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_')
}

/// Whether values under this name are secrets, whatever its case and its dashes: `auth-token`,
/// `API_KEY`, `dbPassword`.
#[must_use]
pub(crate) fn is_secret_name(name: &str) -> bool {
    let last = name.chars().rev().find(|letter| letter.is_alphanumeric());
    let last = last.and_then(|last| u8::try_from(last.to_ascii_lowercase()).ok());
    let is_end = |ending: &&&str| ending.as_bytes().last().copied() == last;
    ENDINGS.iter().filter(is_end).any(|ending| ends_with(name, ending))
}

/// Whether the value of a member of that name is a secret, as [`find_secrets`] has it: words are none.
#[must_use]
pub(crate) fn is_named_secret(name: &str, value: &str) -> bool {
    is_secret_name(name) && !is_sentence(value) && is_value(name, value, true, false)
}

/// No more of it makes a sentence a key.
fn is_sentence(value: &str) -> bool {
    value.contains(char::is_whitespace)
        && !value.starts_with("Bearer ")
        && !value.starts_with("Basic ")
}

/// How the beginnings of keys begin.
const KEY_STARTS: [bool; 256] = {
    let mut starts = [false; 256];
    let mut at = 0;
    while at < BEGINNINGS.len() {
        starts[BEGINNINGS[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    starts
};

/// What of a text is secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SecretPlaces {
    /// Where secrets stand, in order and apart from each other.
    pub places: Vec<Range<usize>>,
    /// From where on the text, if it goes on, may turn out to be a secret that none of the places
    /// holds yet.
    pub begun: Option<usize>,
}

/// What a rule found: where it is, and whether it is a secret as it is.
type SecretMatch = (Range<usize>, bool);

/// Where in a text of any kind (prose, JSON, JSON text within JSON, an address) secrets stand, in
/// order and apart from each other, and where one may have begun at the end of the text.
#[must_use]
pub(crate) fn find_secrets(text: &str) -> SecretPlaces {
    search_words(text, |word| look_at(text, word))
}

/// How closely a word is looked at, beside what is before it.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    /// It is no secret and names none.
    Passed,
    /// It may name a secret.
    Name,
    Whole,
}

/// The same; each word is looked at as closely as `look` says.
fn search_words(text: &str, look: impl Fn(&Word) -> Look) -> SecretPlaces {
    // What is no secret counts only where it may become one as the text goes on.
    let counts = |(place, is): &SecretMatch| *is || place.end == text.len();
    let mut candidates = private_keys(text);
    let mut before = "";
    let mut words = Words { text, from: 0 };
    while let Some(found) = words.next_word() {
        let word = &found.range;
        let written = &text[word.clone()];
        if before.eq_ignore_ascii_case("bearer") || before.eq_ignore_ascii_case("basic") {
            candidates.push((word.clone(), is_token(written)));
        }
        before = written;
        match look(&found) {
            Look::Passed => {}
            Look::Name => {
                let name = last_name(written);
                if is_secret_name(name) {
                    let found = value_of(text, name, word.end);
                    candidates.extend(found.into_iter().flatten().filter(counts));
                }
            }
            Look::Whole => {
                let within = password_in(written).into_iter().chain(by_beginning(written));
                candidates.extend(
                    within
                        .map(|(found, is)| (word.start + found.start..word.start + found.end, is)),
                );
                candidates.extend(named_values(text, word));
            }
        }
    }
    let begun =
        candidates.iter().filter(|(place, is)| !is && place.end == text.len() && !place.is_empty());
    let begun = begun.map(|(place, _)| place.start).min();
    SecretPlaces {
        places: merge_ranges(
            candidates.into_iter().filter_map(|(place, is)| is.then_some(place)).collect(),
        ),
        begun,
    }
}

/// How closely a word has to be looked at. Nearly all are no secret by themselves, nor may become
/// one as the text goes on: they begin like no key, nothing in them separates a name, and they are
/// not the last. Of these only such may name a secret as a value is given to.
fn look_at(text: &str, word: &Word) -> Look {
    let Word { range: word, has_joint } = word;
    let written = &text.as_bytes()[word.clone()];
    let written = if let [b':', rest @ ..] = written { rest } else { written };
    let like_a_key = || {
        let Some(first) = written.first().filter(|first| KEY_STARTS[usize::from(**first)]) else {
            return false;
        };
        let mut beginnings = BEGINNINGS.iter().map(|(beginning, _)| beginning.as_bytes());
        beginnings.any(|beginning| beginning[0] == *first && written.starts_with(beginning))
    };
    if word.end == text.len() || *has_joint || like_a_key() {
        return Look::Whole;
    }
    let mut gap = text.as_bytes()[word.end..]
        .iter()
        .take_while(|letter| matches!(letter, b'"' | b'\'' | b'\\' | b' ' | b':' | b'='));
    if gap.any(|letter| matches!(letter, b':' | b'=')) { Look::Name } else { Look::Passed }
}

/// Where at the end of a text a value begins that is not there to its end.
#[must_use]
pub(crate) fn partial_match_start(text: &str, value: &str) -> Option<usize> {
    let most = value.len().saturating_sub(1).min(text.len());
    let lengths = (1..=most).rev().filter(|length| value.is_char_boundary(*length));
    lengths
        .map(|length| (length, &value[..length]))
        .find(|(_, part)| text.ends_with(part))
        .map(|(length, _)| text.len() - length)
}

/// Ranges in order, those that meet made one.
#[must_use]
pub(crate) fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// What separates words: spaces, and what JSON, addresses and prose put around values.
const fn is_separator(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '"' | '\'' | '\\' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '`'
        )
}

/// What a byte is in a text that is cut into words.
#[derive(Clone, Copy, PartialEq)]
enum ByteKind {
    Inner,
    /// Within a word, between a name and its value or the parts of an address.
    Joint,
    /// Between words.
    Separator,
    /// Of a letter beyond ASCII, which may be either.
    Beyond,
}

/// Of millions of texts each byte is looked at, once.
const BYTE_KINDS: [ByteKind; 256] = {
    let mut kinds = [ByteKind::Beyond; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte as u8 as char;
        kinds[byte] = match letter {
            '=' | ':' | '/' | '@' | '&' => ByteKind::Joint,
            _ if is_separator(letter) => ByteKind::Separator,
            _ => ByteKind::Inner,
        };
        byte += 1;
    }
    kinds
};

/// A part of a text without separators.
struct Word {
    range: Range<usize>,
    /// Whether it may hold more than a name or a value alone. A colon that it begins with doesn't
    /// count: in JSON without spaces a number has the one before it.
    has_joint: bool,
}

struct Words<'t> {
    text: &'t str,
    from: usize,
}

impl Words<'_> {
    fn next_word(&mut self) -> Option<Word> {
        let Self { text, from } = *self;
        let (mut start, mut has_joint, mut at) = (None, false, from);
        let bytes = text.as_bytes();
        let is_inner = |byte: &&u8| BYTE_KINDS[usize::from(**byte)] == ByteKind::Inner;
        while let Some(byte) = bytes.get(at) {
            let (kind, length) = match BYTE_KINDS[usize::from(*byte)] {
                ByteKind::Beyond => {
                    let letter = text[at..].chars().next()?;
                    let separates = is_separator(letter);
                    let kind = if separates { ByteKind::Separator } else { ByteKind::Inner };
                    (kind, letter.len_utf8())
                }
                kind => (kind, 1),
            };
            match (kind, start) {
                (ByteKind::Separator, None) => {}
                (ByteKind::Separator, Some(_)) => break,
                (ByteKind::Joint, None) => {
                    has_joint = *byte != b':';
                    start = Some(at);
                }
                (ByteKind::Joint, Some(_)) => has_joint = true,
                (_, None) => start = Some(at),
                (_, Some(_)) => {}
            }
            at += length;
            // Nearly all letters are within a word.
            if start.is_some() {
                at += bytes[at..].iter().take_while(is_inner).count();
            }
        }
        self.from = at;
        start.map(|start| Word { range: start..at, has_joint })
    }
}

/// Keys within a word by how they begin: at its start, or after the sign that gives one a name.
fn by_beginning(word: &str) -> Vec<SecretMatch> {
    let mut found: Vec<SecretMatch> = Vec::new();
    let starts = std::iter::once(0)
        .chain(word.match_indices(['=', ':', '/', '@', '&']).map(|(at, _)| at + 1));
    for start in starts {
        if found.last().is_some_and(|(last, _)| start < last.end) {
            continue;
        }
        let rest = &word[start..];
        if rest.bytes().next().is_some_and(|first| !KEY_STARTS[usize::from(first)]) {
            continue;
        }
        for (beginning, _) in BEGINNINGS.iter().filter(|(beginning, _)| !beginning.ends_with(' ')) {
            let Some(key) = rest.strip_prefix(beginning) else {
                if beginning.starts_with(rest) {
                    found.push((start..word.len(), false));
                }
                continue;
            };
            let part = key.split(['&', '=']).next().unwrap_or(key);
            if is_token(part) {
                found.push((start..start + rest.find('&').unwrap_or(rest.len()), true));
            } else if part.len() == key.len() {
                found.push((start..word.len(), false));
            }
        }
    }
    found
}

/// The values that a word gives names to which are those of secrets: `token=x`, `"password": "x"`,
/// `\"api_key\":\"x\"`.
fn named_values(text: &str, word: &Range<usize>) -> Vec<SecretMatch> {
    let written = &text[word.clone()];
    // A name may end within the word (`token=x`), or with it (`"token": …`).
    let ends = written.match_indices(['=', ':']).map(|(at, _)| at).chain([written.len()]);
    let names = ends
        .map(|end| (last_name(&written[..end]), word.start + end))
        .filter(|(name, _)| is_secret_name(name));
    names.filter_map(|(name, end)| value_of(text, name, end)).flatten().collect()
}

/// The name that a text ends with.
fn last_name(text: &str) -> &str {
    let ends = |byte: &u8| matches!(byte, b'?' | b'&' | b'/' | b'=' | b':' | b'#');
    text.bytes().rposition(|byte| ends(&byte)).map_or(text, |at| &text[at + 1..])
}

/// The value of a name that ends there.
fn value_of(text: &str, name: &str, end: usize) -> Option<[SecretMatch; 2]> {
    let after = &text[end..];
    let gap = after.trim_start_matches(['"', '\'', '\\', ' ', ':', '=']);
    let gap = &after[..after.len() - gap.len()];
    if gap.matches([':', '=']).count() != 1 {
        return None;
    }
    let start = end + gap.len();
    let opening: &str = gap.rsplit([':', '=', ' ']).next().unwrap_or_default();
    let value = match opening.chars().last() {
        Some(quote @ ('"' | '\'')) => {
            &text[start..start + find_closing_quote(&text[start..], quote, opening.len() - 1)]
        }
        _ => text[start..]
            .split(|letter| is_separator(letter) || letter == '&')
            .next()
            .unwrap_or_default(),
    };
    if is_sentence(value) {
        return None;
    }
    let end = start + value.len();
    let is = is_value(name, value, !opening.is_empty(), gap.ends_with(' '));
    // Backslashes at the end of the text are those of its quote, or its own.
    let open = text[end..].bytes().all(|byte| byte == b'\\');
    Some([(start..end, is), (start..if open { text.len() } else { end }, false)])
}

/// Where the quote is that ends a text which was opened by one with so many backslashes before it.
fn find_closing_quote(text: &str, quote: char, backslashes: usize) -> usize {
    for (at, _) in text.match_indices(quote) {
        let before = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if before == backslashes {
            return at - backslashes;
        }
    }
    let last = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    text.len() - last.min(backslashes)
}

/// Whether a value under a name of secrets is one. Words of prose are not, nor are pieces of text
/// that a model calls tokens.
fn is_value(name: &str, value: &str, quoted: bool, apart: bool) -> bool {
    let has_digit = value.chars().any(|letter| letter.is_ascii_digit());
    let plain = matches!(value, "" | "null" | "true" | "false") || is_reference(value);
    let number = value.len() < 6 && value.parse::<f64>().is_ok();
    let of_a_model = name.eq_ignore_ascii_case("token") && (value.len() < 8 || !has_digit);
    let prose = !quoted && apart && !has_digit;
    !(plain || number || of_a_model || prose)
}

/// Private keys in PEM form, with all that is between their lines.
fn private_keys(text: &str) -> Vec<SecretMatch> {
    let mut found = Vec::new();
    // Ids have dashes; two beside each other are rare.
    if !text.contains("--") && !text.ends_with('-') {
        return found;
    }
    let mut from = 0;
    while let Some(at) = text[from..].find(KEY_FILE).map(|at| from + at) {
        let line = text[at..].lines().next().unwrap_or_default();
        let head: String = line.chars().take(60).collect();
        let end = text[at..].find(KEY_END).map_or(text.len(), |end| at + end);
        let ending = if end == text.len() { partial_match_start(text, KEY_END) } else { None };
        if head.contains("PRIVATE KEY") {
            found.push((at..ending.unwrap_or(end), true));
        }
        // It is not said yet of what, or it may have ended.
        if head.len() == text.len() - at || ending.is_some() {
            found.push((at..text.len(), false));
        }
        from = end.max(at + KEY_FILE.len());
    }
    found.extend(partial_match_start(text, KEY_FILE).map(|at| (at..text.len(), false)));
    found
}

/// Whether a name ends with a word, whatever its case and its dashes.
fn ends_with(name: &str, word: &str) -> bool {
    let mut letters = name.chars().rev().filter(|letter| letter.is_alphanumeric());
    word.chars()
        .rev()
        .all(|letter| letters.next().is_some_and(|of| of.to_ascii_lowercase() == letter))
}

/// What represents a value that comes from elsewhere: `${TOKEN}`, `$TOKEN`, `<token>`, `{{token}}`,
/// `***`.
pub(crate) fn is_reference(text: &str) -> bool {
    let scheme = ["Bearer ", "Basic "].iter().find_map(|scheme| text.strip_prefix(scheme));
    let text = scheme.map_or(text, str::trim_start);
    ["$", "<", "{{", "%"].iter().any(|beginning| text.starts_with(beginning))
        || text.chars().all(|letter| matches!(letter, '*' | 'x' | 'X' | '.' | '…'))
}

/// Whether the rest of a key looks made by a machine: long, without spaces, with a digit.
fn is_token(rest: &str) -> bool {
    rest.len() >= 12
        && rest.chars().any(|letter| letter.is_ascii_digit())
        && !rest.trim().contains(' ')
        || rest.trim_start_matches(['-', ' ']).starts_with("RSA PRIVATE")
        || rest.contains("PRIVATE KEY")
}

/// The password of `scheme://user:password@host`, also while the host is still to come.
fn password_in(text: &str) -> Vec<SecretMatch> {
    let found = || {
        let start = text.find("://")? + 3;
        let authority = text[start..].split(['/', '?', '#']).next()?;
        let at = start + authority.find(':')? + 1;
        let end = start + authority.len();
        let host = authority.rfind('@').map_or(at, |sign| start + sign);
        let is = at < host && !is_reference(&text[at..host]);
        Some(vec![(at..end, false), (at..host.max(at), is)])
    };
    found().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_and_tokens_are_told_from_other_words() {
        for (key, text) in [
            ("note", "sk-proj-0123456789abcdef"),
            ("note", "ghp_0123456789abcdefghij"),
            ("header", "Bearer 0123456789abcdef"),
            ("note", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x"),
            ("url", "nats://user:hunter2@localhost:4222"),
            ("auth-token", "anything"),
            ("API_KEY", "anything"),
            ("pem", "-----BEGIN RSA PRIVATE KEY-----\nabc"),
            ("Authorization", "Basic"),
        ] {
            assert!(looks_secret(key, text).is_some(), "{key}: {text}");
        }
        for (key, text) in [
            ("description", "Ask for a token, then use it"),
            ("name", "sk-learn-helper"),
            ("auth-token", "${TOKEN}"),
            ("auth-token", "<token>"),
            ("auth-token", ""),
            ("password", "what the user typed"),
            ("url", "https://user@localhost/a:b@c"),
            ("url", "nats://user:$PASSWORD@localhost"),
            ("description", "Basic arithmetic in 2 steps"),
            ("tokens", "many"),
            ("Authorization", "Bearer ${credential.key}"),
        ] {
            assert_eq!(looks_secret(key, text), None, "{key}: {text}");
        }
    }

    fn found(text: &str) -> Vec<&str> {
        find_secrets(text).places.into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn secrets_are_found_by_name_in_json_at_any_depth() {
        assert_eq!(found(r#"{"auth-token": "geheim", "a": 1}"#), ["geheim"]);
        assert_eq!(
            found(r#"{"config":"{\"api_key\":\"ab \\\"c\\\" d\",\"x\":1}"}"#),
            Vec::<&str>::new(),
            "a sentence is no key"
        );
        assert_eq!(found(r#"{"config":"{\"api_key\":\"abc\",\"x\":1}"}"#), ["abc"]);
        assert_eq!(found(r#"{"b":"{\"c\":\"{\\\"dbPassword\\\":\\\"pw\\\"}\"}"}"#), ["pw"]);
        assert_eq!(found("curl -u x --password=hunter token=a&b"), ["hunter"]);
        assert_eq!(found("password: hunter2, secret: patience"), ["hunter2"]);
        assert_eq!(
            found(r#"{"token": "Hello", "max_tokens": 5, "password": null, "secret": "${S}"}"#),
            Vec::<&str>::new()
        );
        assert_eq!(found("https://h/p?api_key=abc&x=1"), ["abc"]);
    }

    #[test]
    fn secrets_are_found_by_shape_in_prose() {
        assert_eq!(
            found("the key is sk-proj-0123456789abcdef, use it"),
            ["sk-proj-0123456789abcdef"]
        );
        assert_eq!(found("Authorization: Bearer 0123456789abcdef"), ["0123456789abcdef"]);
        assert_eq!(found("see nats://alice:pw@host:4222/x"), ["pw"]);
        let pem = "a -----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY----- b";
        assert_eq!(found(pem), ["-----BEGIN PRIVATE KEY-----\nMIIabc\n"]);
        assert_eq!(found("task-based work, sk-learn and a basic tokenizer"), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn what_is_passed_over_hides_no_secret(
            parts in prop::collection::vec(r#"token|api_key|sk-|sk-[a-z0-9]{12}|Bearer|basic|[0-9a-f]{12}|u:p@h|://|[a-z]{1,4}|["'\\:={}/@&,; é]{1,2}|-----BEGIN"#, 0..12)
        ) {
            let text = parts.concat();
            prop_assert_eq!(find_secrets(&text), search_words(&text, |_| Look::Whole));
        }

        #[test]
        fn any_text_has_places_within_it_in_order(text in r#"[a-z0-9"'\\:={}/@& é-]{0,80}|.{0,80}"#) {
            let places = find_secrets(&text).places;
            for pair in places.windows(2) {
                prop_assert!(pair[0].end < pair[1].start);
            }
            for place in places {
                prop_assert!(text.get(place).is_some());
            }
        }
    }
}
