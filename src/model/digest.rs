//! Names of files and folders that are made of something longer: the same in every version.

use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

/// The beginning of the SHA-256 of a text.
#[must_use]
pub(crate) fn text_digest(text: &str) -> u64 {
    bytes_digest(text.as_bytes())
}

/// A name of 16 hexadecimal digits, made of a text.
#[must_use]
pub(crate) fn text_name(text: &str) -> String {
    format!("{:016x}", text_digest(text))
}

/// A name of 16 hexadecimal digits, made of a path.
#[must_use]
pub(crate) fn path_name(path: &Path) -> String {
    format!("{:016x}", bytes_digest(path.as_os_str().as_encoded_bytes()))
}

/// A name of 64 hexadecimal digits, made of a list of texts: no other list has it.
#[must_use]
pub(crate) fn parts_name<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut hash = Sha256::new();
    // Each part with its length, so that no two lists run into the same bytes.
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name that toolcrib gave before it used SHA-256, to find what lies under it. Rust does not
/// promise that it stays the same.
#[must_use]
pub(crate) fn former_name<T: Hash + ?Sized>(value: &T) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn bytes_digest(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_beginning_of_sha_256() {
        // `printf %s /home/ada/tools | sha256sum`
        assert_eq!(text_name("/home/ada/tools"), "7d1c7074514939b0");
        assert_eq!(path_name(Path::new("/home/ada/tools")), text_name("/home/ada/tools"));
    }
}
