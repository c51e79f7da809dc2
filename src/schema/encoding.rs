//! Names as they are written in JSON Pointers and in references.

/// A name as a token of a JSON Pointer.
pub(super) fn escape_token(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// A text in the letters that a URI may have; what is escaped already stays so.
pub(super) fn percent_encode(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_escape = |at: usize| {
        bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let mut encoded = String::with_capacity(text.len());
    for (at, byte) in bytes.iter().enumerate() {
        let plain = byte.is_ascii_alphanumeric()
            || b"-._~!$&'()*+,;=:@/?".contains(byte)
            || (*byte == b'%' && is_escape(at));
        if plain {
            encoded.push(char::from(*byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// A text with what is escaped by per cent signs as it is meant.
pub(super) fn percent_decode(text: &str) -> String {
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
