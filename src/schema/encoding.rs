//! Names as they are written in JSON Pointers, in references and in addresses.

/// A name as a token of a JSON Pointer.
pub(super) fn escape_token(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// A text in the letters that a URI's path may have; what is escaped already stays so.
pub(super) fn percent_encode(text: &str) -> String {
    escape_bytes(text, |at, byte| b"!$&'()*+,;=:@/?".contains(&byte) || is_escape(text, at))
}

/// A text in the letters that a URI may have anywhere; what is escaped already stays so.
pub(crate) fn percent_encode_reserved(text: &str) -> String {
    escape_bytes(text, |at, byte| b":/?#[]@!$&'()*+,;=".contains(&byte) || is_escape(text, at))
}

/// Whether an escaped byte is there.
fn is_escape(text: &str, at: usize) -> bool {
    let digits = text.as_bytes().get(at + 1..at + 3);
    text.as_bytes()[at] == b'%'
        && digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// A text as one part of a path, or of a query: `/`, `&` and `=` are escaped too.
pub(crate) fn percent_encode_part(text: &str) -> String {
    escape_bytes(text, |_, _| false)
}

fn escape_bytes(text: &str, is_kept: impl Fn(usize, u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || is_kept(at, byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// A text with what is escaped by per cent signs as it is meant.
pub(crate) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
