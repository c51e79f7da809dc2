//! Identities made without reading the world: a seed from the runtime, then one after another.

use crate::schema::chance::scramble;

/// A source of ids that look like random UUIDs; the same seed gives the same row.
#[derive(Clone, Debug)]
pub struct Ids {
    seed: u64,
    given: u64,
}

impl Ids {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, given: 0 }
    }

    /// The id that [`Ids::take_id`] will give next.
    #[must_use]
    pub fn peek_id(&self) -> String {
        let high = scramble(self.seed ^ scramble(self.given));
        let low = scramble(high ^ self.seed.rotate_left(32));
        // Version 4, variant 1, as RFC 9562 lays them out.
        let (a, b, c) = (high >> 32, (high >> 16) & 0xffff, (high & 0x0fff) | 0x4000);
        let (d, e) = (((low >> 48) & 0x3fff) | 0x8000, low & 0xffff_ffff_ffff);
        format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}")
    }

    pub fn take_id(&mut self) -> String {
        let id = self.peek_id();
        self.given += 1;
        id
    }
}

/// Eight letters of an id that distinguish it where there is no room for all: the first of one that
/// is random (a UUID of version 4, as toolcrib's own calls have), as the history lists it; the last
/// of others, which often begin with a word or the time.
#[must_use]
pub fn shown_id(id: &str) -> &str {
    const SHOWN: usize = 8;
    let fits = |(place, letter): (usize, u8)| match place {
        8 | 13 | 18 | 23 => letter == b'-',
        14 => letter == b'4',
        _ => letter.is_ascii_hexdigit(),
    };
    if id.len() == 36 && id.bytes().enumerate().all(fits) {
        return &id[..SHOWN];
    }
    let from = id.char_indices().nth_back(SHOWN - 1);
    &id[from.map_or(0, |(at, _)| at)..]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_id_is_shown_by_what_distinguishes_it() {
        for (id, shown) in [
            ("7f1c2a3b-0000-4000-8000-000000000001", "7f1c2a3b"),
            // Version 7 begins with the time.
            ("0192f1c2-a3b0-7000-8000-0000abcdef01", "abcdef01"),
            ("request-000000012", "00000012"),
            ("äöü-é", "äöü-é"),
            ("–", "–"),
        ] {
            assert_eq!(shown_id(id), shown, "{id}");
        }
    }

    #[test]
    fn ids_are_uuids_and_all_different() {
        let mut ids = Ids::new(7);
        let many: HashSet<_> = (0..10_000).map(|_| ids.take_id()).collect();
        assert_eq!(many.len(), 10_000);
        assert!(
            many.iter()
                .all(|id| uuid::Uuid::parse_str(id).is_ok_and(|uuid| uuid.get_version_num() == 4))
        );
    }
}
