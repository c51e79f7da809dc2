//! Masks an answer that comes in pieces, where a secret may lie in several of them.

use std::ops::Range;

use super::{
    mask::{Mask, mask_ranges},
    secret::{SecretPlaces, merge_ranges},
};

/// So far back a secret is looked for that began earlier, and so many letters wait at most until it
/// is known whether they belong to one; more where a longer value is known.
const REACH: usize = 512;

/// Of a longer secret that goes on, so much is remembered: before its first letter, and from there.
const LEAD: usize = 128;

/// The pieces of an answer, one after the other. What may be the beginning of a secret waits until
/// that is decided, so that not even its first letter is seen; however long the answer is, a piece
/// costs the same.
#[derive(Clone, Default)]
pub(crate) struct RedactedPieces {
    /// What was decided last, and what waits, as it came.
    text: String,
    /// Where in the text what waits begins.
    decided: usize,
    /// The pieces of which something waits, with where they end in the text.
    open: Vec<(u64, usize)>,
    count: u64,
    /// Something of a piece was replaced, or waits, since that was asked last.
    has_hidden: bool,
}

/// What may be seen of an answer, now that it is known to be no secret, or replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DecidedText {
    /// What waited of earlier pieces: their numbers from 0, and what follows what was seen of them.
    pub earlier: Vec<(u64, String)>,
    /// Each new piece as far as it is decided, which may be nothing of it.
    pub pieces: Vec<String>,
}

/// Whether an answer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    MayCome,
    None,
}

impl std::fmt::Debug for RedactedPieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pieces", self.count)
    }
}

impl RedactedPieces {
    /// The next pieces. Where no more comes, nothing waits any longer.
    pub fn redact_next<'p>(
        &mut self,
        mask: &Mask,
        pieces: impl IntoIterator<Item = &'p str>,
        more: StreamEnd,
    ) -> DecidedText {
        let mut ends = std::mem::take(&mut self.open);
        let earlier = ends.len();
        for piece in pieces {
            self.text.push_str(piece);
            ends.push((self.count, self.text.len()));
            self.count += 1;
        }
        let reach = REACH.max(mask.longest_secret_len());
        let (places, until) = self.find_decided(mask, reach, more);
        let mut now = DecidedText::default();
        let mut start = self.decided;
        for (row, (piece, end)) in ends.into_iter().enumerate() {
            let text = mask_ranges(&self.text, start.min(until)..end.min(until), &places);
            match row < earlier {
                false => now.pieces.push(text),
                true if text.is_empty() => {}
                true => now.earlier.push((piece, text)),
            }
            if end > until && end > start {
                self.open.push((piece, end));
            }
            start = end;
        }
        self.decided = until;
        self.discard_decided(&places, reach);
        now
    }

    /// The last piece goes on; what may be seen of that one, and of those before it, now. A large
    /// piece is taken in by parts, so that it is not copied as a whole.
    pub fn go_on(&mut self, mask: &Mask, text: &str) -> Vec<(u64, String)> {
        let last = self.count.saturating_sub(1);
        self.has_hidden = true;
        self.text.push_str(text);
        let end = self.text.len();
        match self.open.last_mut().filter(|(piece, _)| *piece == last) {
            Some(open) => open.1 = end,
            None => self.open.push((last, end)),
        }
        self.redact_next(mask, [], StreamEnd::MayCome).earlier
    }

    /// Notes that a piece isn't seen as it came.
    pub fn note_hidden(&mut self) {
        self.has_hidden = true;
    }

    /// Whether that was noted since this was asked last.
    pub fn take_hidden(&mut self) -> bool {
        std::mem::take(&mut self.has_hidden)
    }

    /// How many pieces there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of the first piece of which something waits.
    #[must_use]
    pub fn oldest_pending(&self) -> Option<u64> {
        self.open.first().map(|(piece, _)| *piece)
    }

    /// Where secrets stand in the text, and how far it is decided.
    fn find_decided(
        &self,
        mask: &Mask,
        reach: usize,
        more: StreamEnd,
    ) -> (Vec<Range<usize>>, usize) {
        let end = self.text.len();
        let SecretPlaces { mut places, begun } = mask.find_secrets(&self.text);
        let mut until = begun
            .filter(|_| more == StreamEnd::MayCome)
            .map_or(end, |begun| begun.max(self.decided));
        // What is a secret already need not wait for more of it.
        if let Some(place) = places.iter().find(|place| place.start <= until && until < place.end) {
            until = place.end;
        }
        if end - until > reach {
            places.push(until..end);
            places = merge_ranges(places);
            until = end;
        }
        (places, until)
    }

    /// Releases what no longer matters to what comes. Of a secret that goes on the beginning
    /// matters.
    fn discard_decided(&mut self, places: &[Range<usize>], reach: usize) {
        let from = self.text.floor_char_boundary(self.decided.saturating_sub(reach));
        let name =
            |place: &Range<usize>| self.text.floor_char_boundary(place.start.saturating_sub(LEAD));
        match places.iter().find(|place| place.end >= self.decided && name(place) < from) {
            None => self.remove_range(0..from),
            Some(place) => {
                let (name, until) =
                    (name(place), self.text.floor_char_boundary(place.start + LEAD));
                self.remove_range(until.min(from)..from);
                self.remove_range(0..name);
            }
        }
    }

    fn remove_range(&mut self, part: Range<usize>) {
        let length = part.len();
        self.text.drain(part);
        self.decided -= length;
        self.open.iter_mut().for_each(|(_, end)| *end -= length);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::mask::MASKED;

    const LONG: usize = 700;

    fn mask() -> Mask {
        Mask::new(["hunter2hunter2".to_owned(), "2hunters".to_owned(), "ab".repeat(LONG / 2)])
    }

    /// What is seen at last of each piece of a text, where so many pieces come at once.
    fn seen(text: &str, size: usize, at_once: usize) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let cut: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
        let mut pieces = RedactedPieces::default();
        let mut seen: Vec<String> = Vec::new();
        let take = |seen: &mut Vec<String>, now: DecidedText| {
            now.earlier
                .into_iter()
                .for_each(|(piece, text)| seen[usize::try_from(piece).unwrap()].push_str(&text));
            seen.extend(now.pieces);
        };
        for some in cut.chunks(at_once) {
            let now =
                pieces.redact_next(&mask(), some.iter().map(String::as_str), StreamEnd::MayCome);
            assert_eq!(now.pieces.len(), some.len(), "no piece waits as a whole");
            take(&mut seen, now);
            assert!(
                pieces.text.len() <= 2 * LONG + 3 * LEAD + size * at_once,
                "{} bytes are remembered",
                pieces.text.len()
            );
        }
        take(&mut seen, pieces.redact_next(&mask(), [], StreamEnd::None));
        assert_eq!((seen.len(), pieces.open.len()), (cut.len(), 0));
        seen
    }

    #[test]
    fn a_piece_that_is_taken_in_by_parts_reads_as_a_whole() {
        let text = "before hunter2hunter2 and token=sk-0123456789abcdefghij0123456789 after it. "
            .repeat(9);
        for size in [1, 2, 7, 50] {
            let mut pieces = RedactedPieces::default();
            let mut seen = pieces.redact_next(&mask(), ["first ", ""], StreamEnd::MayCome).pieces;
            let letters: Vec<char> = text.chars().collect();
            let parts = letters.chunks(size).map(|part| part.iter().collect::<String>());
            let mut later: Vec<(u64, String)> =
                parts.flat_map(|part| pieces.go_on(&mask(), &part)).collect();
            later.extend(pieces.redact_next(&mask(), [], StreamEnd::None).earlier);
            for (piece, text) in later {
                seen[usize::try_from(piece).unwrap()].push_str(&text);
            }
            assert_eq!(seen, ["first ", &mask().mask_text(&text)], "{size}");
        }
    }

    #[test]
    fn what_trickles_in_is_hidden_from_its_first_letter() {
        for (text, hidden) in [
            ("it is hunter2hunter2, really", "it is ***, really"),
            ("it is hunter2hunter2hunters, really", "it is ***, really"),
            ("it is sk-proj-0123456789abcdef0123456789 here", "it is *** here"),
            (r#"{"token": "abcdefgh1", "x": 1}"#, r#"{"token": "***", "x": 1}"#),
            (r#"{\"auth-token\":\"ab(c\",\"x\":1}"#, r#"{\"auth-token\":\"***\",\"x\":1}"#),
            (r#"{"token":"a(bcdefgh1","x":1}"#, r#"{"token":"***","x":1}"#),
            ("password=q and more", "password=*** and more"),
            ("?api_key=abc1&token=abcdefgh1&x=1", "?api_key=***&token=***&x=1"),
            ("Authorization: Bearer 0123456789abcdef.", "Authorization: Bearer ***"),
            ("see nats://ann:wachtwoord@host for more", "see nats://ann:***@host for more"),
            ("see nats://ann:wacht@woord@host for more", "see nats://ann:***@host for more"),
            (
                "the hunt is a skill at http://localhost:8080/x",
                "the hunt is a skill at http://localhost:8080/x",
            ),
            ("password: patience, secret: forever", "password: patience, secret: forever"),
        ] {
            for (size, at_once) in
                [(1, 1), (2, 1), (3, 2), (4, 5), (5, 1), (7, 1), (11, 3), (13, 1)]
            {
                assert_eq!(seen(text, size, at_once).concat(), hidden, "{size}, {at_once}");
            }
        }
    }

    #[test]
    fn a_secret_longer_than_is_remembered_is_hidden_to_its_end() {
        for (text, hidden) in [
            (
                format!("a -----BEGIN RSA PRIVATE KEY-----\n{}-----END … b", "Qz0\n".repeat(300)),
                "a ***-----END … b",
            ),
            (format!("a eyJ{}, b", "h0Gc".repeat(300)), "a ***, b"),
            (format!("a \"api-key\": \"{}\", b", "ü(0".repeat(300)), "a \"api-key\": \"***\", b"),
            (format!("a {} b", "ab".repeat(LONG / 2)), "a *** b"),
        ] {
            for (size, at_once) in [(3, 1), (5, 2), (200, 1), (LONG, 2)] {
                assert_eq!(seen(&text, size, at_once).concat(), hidden, "{size}, {at_once}");
            }
        }
    }

    #[test]
    fn each_piece_keeps_its_letters() {
        let text = "and this is the hunt of a skilful hunter 2 in /etc/hosts";
        for size in 1..9 {
            let cut: Vec<String> = text
                .as_bytes()
                .chunks(size)
                .map(|piece| String::from_utf8(piece.to_vec()).unwrap())
                .collect();
            assert_eq!(seen(text, size, 1), cut);
        }
    }

    #[test]
    fn what_never_gets_decided_does_not_wait_for_ever() {
        let mut pieces = RedactedPieces::default();
        let long = format!("sk-{}", "x".repeat(LONG));
        let now = pieces.redact_next(&mask(), ["a ", &long, " b "], StreamEnd::MayCome);
        assert_eq!(now.pieces, ["a ", &long, " b "], "it has ended and was none");
        assert_eq!(pieces.redact_next(&mask(), ["sk-x"], StreamEnd::MayCome).pieces, [""]);
        let now = pieces.redact_next(&mask(), [&*long], StreamEnd::MayCome);
        assert_eq!(
            now,
            DecidedText { earlier: vec![(3, MASKED.into())], pieces: vec![String::new()] }
        );
        // Pieces without letters do not wait.
        assert_eq!(pieces.redact_next(&mask(), [" s"], StreamEnd::MayCome).pieces, [" "]);
        for _ in 0..1_000 {
            assert_eq!(
                pieces.redact_next(&mask(), [""], StreamEnd::MayCome),
                DecidedText { earlier: vec![], pieces: vec!["".into()] }
            );
        }
        assert_eq!(pieces.open.len(), 1);
        assert_eq!(pieces.redact_next(&mask(), [], StreamEnd::None).earlier, [(5, "s".to_owned())]);
    }

    fn secrets() -> impl Strategy<Value = String> {
        let some = [
            "hunter2hunter2",
            "sk-proj-0123456789abcdef",
            "ghp_0123456789abcdefghij",
            "Bearer 0123456789abcdef",
            "\"token\": \"abc(defgh1\"",
            "\\\"api_key\\\":\\\"0a,b<c\\\"",
            "password=q7",
            "password: hunter2",
            "nats://ann:pw0@host",
            "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END",
        ];
        proptest::sample::select(some.to_vec()).prop_map(str::to_owned)
    }

    fn text() -> impl Strategy<Value = String> {
        let other = r#"[a-z0-9"'\\:={}/@&,_ é\n-]{0,12}"#;
        prop::collection::vec(prop_oneof![other.boxed(), secrets().boxed()], 0..5)
            .prop_map(|parts| parts.concat())
    }

    /// What is seen without the signs of secrets, and without the quotes that these may have.
    fn without_signs(seen: &str) -> String {
        let mut parts = seen.split(MASKED);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let name = out.strip_suffix('"').map(|rest| rest.trim_end_matches('\\').len());
            let quote = name.map_or("", |start| &out[start..]);
            let part = part.strip_prefix(quote).unwrap_or(part);
            out.truncate(name.unwrap_or(out.len()));
            out.push_str(part);
        }
        out
    }

    #[test]
    fn a_number_in_json_becomes_a_text() {
        let text = r#"{"t": "{\"password\":12345678}", "password": 123456789, "n": 1}"#;
        let hidden = r#"{"t": "{\"password\":\"***\"}", "password": "***", "n": 1}"#;
        for size in [1, 2, 3, 5, 8, 13, 80] {
            assert_eq!(seen(text, size, 1).concat(), hidden, "{size}");
        }
    }

    proptest! {
        #[test]
        fn harmless_pieces_stay_as_they_are(text in "[a-z .]{0,60}", size in 1_usize..9) {
            prop_assert_eq!(seen(&text, size, 1).concat(), text);
        }

        /// Only such letters are seen as are seen where the text comes at once.
        #[test]
        fn no_letter_of_a_secret_is_seen(text in text(), size in 1_usize..9, at_once in 1_usize..4) {
            let places = mask().find_secrets(&text).places;
            let letters: Vec<(usize, char)> = text.char_indices().collect();
            let harmless = |at: &usize| !places.iter().any(|place| place.contains(at));
            for (seen, piece) in seen(&text, size, at_once).iter().zip(letters.chunks(size)) {
                let mut harmless = piece.iter().filter(|(at, _)| harmless(at)).map(|(_, letter)| *letter);
                for letter in without_signs(seen).chars() {
                    prop_assert!(harmless.any(|of| of == letter), "{letter} of {piece:?} in {text}");
                }
            }
        }
    }
}
