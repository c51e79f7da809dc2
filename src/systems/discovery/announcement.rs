//! The subject on which services announce themselves, and what a message there says.
//!
//! A service that starts sends its descriptors to [`SUBJECT`]: a document with whatever a file of a
//! workspace could hold. A message without a body that names an inbox asks all of them for the same.

use serde_json::Value;

use super::{descriptors, found::Found};

/// Where descriptors are sent, and asked for.
pub const SUBJECT: &str = "tool-descriptors";

/// The word of this source.
pub const WORD: &str = "announced";

/// Whether a message asks for descriptors.
#[must_use]
pub fn is_question(body: &[u8]) -> bool {
    body.trim_ascii().is_empty()
}

/// The services that a message describes.
///
/// # Errors
/// When it describes none; why is a sentence without its end.
pub fn read_announcement(place: &str, body: &[u8]) -> Result<Vec<Found>, String> {
    let document: Value = serde_json::from_slice(body)
        .map_err(|error| format!("a message on {SUBJECT} isn't JSON: {error}"))?;
    let found: Vec<Found> = descriptors::read_descriptors(&document)
        .into_iter()
        .map(|described| Found {
            sources: vec![WORD],
            place: place.to_owned(),
            name: described.name,
            about: described.about,
            instances: 1,
            items: described.items,
            ..Found::default()
        })
        .collect();
    if found.is_empty() {
        return Err(format!("a message on {SUBJECT} holds no descriptor"));
    }
    Ok(found)
}
