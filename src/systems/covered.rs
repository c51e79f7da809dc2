//! Messages as a trace keeps them: also without the secrets that the pieces of an answer cut.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::watched::classify_message;
use crate::{
    engine::{
        mask::{MASKED, Mask},
        stream_redactor::{RedactedPieces, StreamEnd},
    },
    model::traffic::{KeptMessage, ObservedMessage, Part, Tapped},
};

/// So many messages wait at most, and so many answers are followed.
const MOST: usize = 4_096;

/// Where an answer goes, and the id that it carries.
type Key = (String, Option<String>);

/// Hides secrets over the messages of one answer. A message whose piece ends with what may be the
/// beginning of a secret waits until that is decided, and those after it wait with it, so that
/// their order stays.
#[derive(Debug)]
pub(crate) struct SecretCover {
    mask: Mask,
    answers: HashMap<Key, RedactedPieces>,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    tapped: Tapped,
    piece: Option<MessagePiece>,
}

/// A message's piece of its answer.
#[derive(Debug)]
struct MessagePiece {
    of: Key,
    number: u64,
    text: String,
    /// What of it may be seen.
    seen: String,
}

impl SecretCover {
    #[must_use]
    pub fn new(mask: Mask) -> Self {
        Self { mask, answers: HashMap::new(), waiting: VecDeque::new() }
    }

    /// Takes in what was received next; answers what may be kept now, in the order in which it was
    /// received.
    pub fn push(&mut self, tapped: Tapped) -> Vec<Tapped> {
        let piece = if let Tapped::ObservedMessage(crossing) = &tapped {
            self.register_piece(crossing)
        } else {
            None
        };
        self.waiting.push_back(Waiting { tapped, piece });
        if self.answers.len() > MOST {
            self.decide_all();
        }
        let mut decided = Vec::new();
        while let Some(first) = self.waiting.front() {
            let waits = first.piece.as_ref().is_some_and(|piece| self.is_undecided(piece));
            if waits && self.waiting.len() <= MOST {
                break;
            }
            decided.extend(self.waiting.pop_front().map(|first| first.into_masked(waits)));
        }
        decided
    }

    /// What still waits, when nothing more is received.
    pub fn flush(&mut self) -> Vec<Tapped> {
        self.decide_all();
        self.waiting.drain(..).map(|waiting| waiting.into_masked(false)).collect()
    }

    /// The piece that a message holds, as far as it is decided.
    fn register_piece(&mut self, crossing: &ObservedMessage) -> Option<MessagePiece> {
        let reading = classify_message(crossing);
        let of: Key = (crossing.subject.to_string(), reading.id);
        let Part::Answer { last } = reading.part else {
            // Nothing of that kind goes on after it.
            if let Some(mut pieces) = self.answers.remove(&of) {
                let earlier = pieces.redact_next(&self.mask, [], StreamEnd::None).earlier;
                self.reveal_text(&of, earlier);
            }
            return None;
        };
        let pieces = self.answers.entry(of.clone()).or_default();
        let number = pieces.count();
        let mut now = pieces.redact_next(
            &self.mask,
            [reading.text.as_str()],
            if last { StreamEnd::None } else { StreamEnd::MayCome },
        );
        if last {
            self.answers.remove(&of);
        }
        self.reveal_text(&of, now.earlier);
        Some(MessagePiece {
            of,
            number,
            text: reading.text,
            seen: now.pieces.pop().unwrap_or_default(),
        })
    }

    /// More of earlier pieces may be seen.
    fn reveal_text(&mut self, of: &Key, earlier: Vec<(u64, String)>) {
        for (number, text) in earlier {
            let mut pieces =
                self.waiting.iter_mut().rev().filter_map(|waiting| waiting.piece.as_mut());
            if let Some(piece) = pieces.find(|piece| piece.number == number && piece.of == *of) {
                piece.seen.push_str(&text);
            }
        }
    }

    fn is_undecided(&self, piece: &MessagePiece) -> bool {
        let oldest = self.answers.get(&piece.of).and_then(RedactedPieces::oldest_pending);
        oldest.is_some_and(|oldest| oldest <= piece.number)
    }

    fn decide_all(&mut self) {
        for (of, mut pieces) in std::mem::take(&mut self.answers) {
            let earlier = pieces.redact_next(&self.mask, [], StreamEnd::None).earlier;
            self.reveal_text(&of, earlier);
        }
    }
}

impl Waiting {
    /// The message without its secrets, and where it still waited without what it waited for.
    fn into_masked(self, waits: bool) -> Tapped {
        match (self.tapped, self.piece) {
            (Tapped::ObservedMessage(crossing), Some(mut piece))
                if waits || piece.seen != piece.text =>
            {
                if waits {
                    piece.seen.push_str(MASKED);
                }
                let kept = if crossing.kept == KeptMessage::Whole {
                    KeptMessage::Masked
                } else {
                    crossing.kept
                };
                let body = masked_body(&crossing.body, &piece).as_bytes().into();
                Tapped::ObservedMessage(
                    ObservedMessage { body, kept, ..(*crossing).clone() }.into(),
                )
            }
            (tapped, _) => tapped,
        }
    }
}

/// The body with what may be seen in the place of its piece; where the piece is in it otherwise,
/// nothing of the body.
fn masked_body(body: &[u8], piece: &MessagePiece) -> String {
    let mut found = false;
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else { return MASKED.to_owned() };
    replace(&mut value, piece, &mut found);
    if found { value.to_string() } else { MASKED.to_owned() }
}

fn replace(value: &mut Value, piece: &MessagePiece, found: &mut bool) {
    match value {
        Value::String(text) if *text == piece.text => {
            text.clone_from(&piece.seen);
            *found = true;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, piece, found)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| replace(member, piece, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::clock::Millis;

    fn piece(id: &str, text: &str, last: bool) -> Tapped {
        let body = json!({"response": text, "end_of_stream": last}).to_string();
        let size = body.len() as u64;
        Tapped::ObservedMessage(
            ObservedMessage {
                at: Millis(1),
                subject: "tg.response.joke".into(),
                reply: None,
                headers: vec![("id".into(), id.into())],
                body: body.as_bytes().into(),
                size,
                kept: KeptMessage::Whole,
                about: None,
            }
            .into(),
        )
    }

    fn texts(tapped: &[Tapped]) -> Vec<String> {
        let text = |tapped: &Tapped| match tapped {
            Tapped::ObservedMessage(crossing) => {
                let body: Value = serde_json::from_slice(&crossing.body).unwrap();
                body["response"].as_str().unwrap().to_owned()
            }
            _ => "-".to_owned(),
        };
        tapped.iter().map(text).collect()
    }

    fn cover() -> SecretCover {
        SecretCover::new(Mask::new(["hunter2hunter2".to_owned()]))
    }

    #[test]
    fn a_secret_that_messages_cut_is_hidden_and_their_order_stays() {
        let mut cover = cover();
        assert_eq!(texts(&cover.push(piece("a", "it is ", false))), ["it is "]);
        assert!(cover.push(piece("a", "so hunt", false)).is_empty());
        // What has nothing to do with it waits for its turn.
        assert!(cover.push(piece("b", "er2hunter2.", false)).is_empty());
        assert!(cover.push(Tapped::Gap { at: Millis(2), messages: None }).is_empty());
        assert!(cover.push(piece("a", "er2h", false)).is_empty());
        let decided = cover.push(piece("a", "unter2 there", false));
        assert_eq!(texts(&decided), ["so ***", "er2hunter2.", "-", "", " there"]);
        let kept = decided.iter().filter_map(|tapped| match tapped {
            Tapped::ObservedMessage(crossing) => Some(crossing.kept),
            _ => None,
        });
        let kept: Vec<KeptMessage> = kept.collect();
        assert_eq!(
            kept,
            [KeptMessage::Masked, KeptMessage::Whole, KeptMessage::Masked, KeptMessage::Masked]
        );
    }

    #[test]
    fn what_is_no_secret_stays_to_the_letter() {
        let mut cover = cover();
        assert!(
            cover.push(piece("a", "wit", false)).len() + cover.push(piece("a", "h", false)).len()
                == 1
        );
        assert_eq!(
            cover.push(piece("a", "h", true)),
            [piece("a", "h", false), piece("a", "h", true)]
        );
        assert!(cover.push(piece("a", "oh", false)).is_empty());
        assert_eq!(cover.flush(), [piece("a", "oh", false)]);
    }

    #[test]
    fn not_too_many_wait_and_then_what_they_wait_for_is_hidden() {
        let mut cover = cover();
        assert!(cover.push(piece("a", "oh", false)).is_empty());
        for _ in 1..MOST {
            assert!(cover.push(Tapped::Gap { at: Millis(2), messages: None }).is_empty());
        }
        let decided = cover.push(Tapped::Gap { at: Millis(2), messages: None });
        assert_eq!(texts(&decided[..2]), ["o***", "-"]);
        assert_eq!(decided.len(), MOST + 1);
    }
}
