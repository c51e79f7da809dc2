//! Base64 with the standard letters, as content blocks and headers have it.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Bits after the last byte count for nothing.
const STANDARD: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical)
        .with_decode_allow_trailing_bits(true),
);

#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes that a text represents; `None` where it is no base64.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// How many bytes a text represents; `None` where it is no base64.
#[must_use]
pub fn decoded_len(text: &str) -> Option<usize> {
    // By pieces, so that a large image is not held twice.
    let pieces = text.as_bytes().chunks(4 * 1024);
    let last = pieces.len().saturating_sub(1);
    let mut length = 0;
    for (index, piece) in pieces.enumerate() {
        if index < last && piece.contains(&b'=') {
            return None;
        }
        length += STANDARD.decode(piece).ok()?.len();
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_base64_has_no_length() {
        for text in ["??", "aGk", "aGk=\n", "aG k=", "a", "=", "aGk=aGk=", "aGk_"] {
            assert_eq!((decoded_len(text), decode(text)), (None, None), "{text:?}");
        }
        assert_eq!(
            [decoded_len(""), decoded_len("aGk="), decoded_len("AAEC"), decoded_len("aGl=")],
            [Some(0), Some(2), Some(3), Some(2)]
        );
    }

    proptest! {
        #[test]
        fn the_length_is_that_of_the_bytes(bytes in prop::collection::vec(any::<u8>(), 0..9_000)) {
            let text = encode(&bytes);
            prop_assert_eq!(decoded_len(&text), Some(bytes.len()));
            prop_assert_eq!(decode(&text), Some(bytes));
        }
    }
}
