//! Reads small files of a workspace, which may be from somebody else.

use std::{
    fs::{self, File},
    io::Read as _,
    path::Path,
};

/// More bytes than these aren't read.
const LARGEST: u64 = 100_000_000;

/// The text of a file; `None` where it can't be read, is no plain file (to open a pipe would wait
/// for its writer) or is too large.
#[must_use]
pub(crate) fn read_text(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(|metadata| metadata.is_file())?;
    let mut text = String::new();
    File::open(path).ok()?.take(LARGEST + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LARGEST).then_some(text)
}
