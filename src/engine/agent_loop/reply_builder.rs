//! A reply from its pieces: text, and tool calls whose arguments come bit by bit.

use super::turn::{ModelReply, StopReason, ToolCall, Usage};

/// A reply as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ReplyBuilder {
    reply: ModelReply,
    /// The number that the endpoint gives to each call.
    numbers: Vec<u64>,
    pub stop: Option<StopReason>,
}

/// A piece of a call. What is not in it is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallPiece<'p> {
    /// `None`: of the call before.
    pub number: Option<u64>,
    pub id: &'p str,
    pub name: &'p str,
    pub arguments: &'p str,
}

impl ReplyBuilder {
    pub fn add_text(&mut self, text: &str) {
        self.reply.text.push_str(text);
    }

    pub fn add_thinking(&mut self, part: serde_json::Value) {
        self.reply.thinking.push(part);
    }

    /// Adds a piece to its call, or begins a call: the first piece of a number does, and one with
    /// another id, since some endpoints give every call the number 0.
    pub fn add_call_piece(&mut self, piece: CallPiece<'_>) {
        let calls = &mut self.reply.calls;
        let number = piece.number.unwrap_or_else(|| {
            let last = self.numbers.last().copied();
            let begins =
                calls.last().is_none_or(|call| !piece.id.is_empty() && piece.id != call.id);
            last.map_or(0, |last| if begins { last + 1 } else { last })
        });
        let known = self.numbers.iter().rposition(|known| *known == number);
        let known = known.filter(|row| {
            let of_call = &calls[*row].id;
            piece.id.is_empty() || of_call.is_empty() || of_call == piece.id
        });
        let row = known.unwrap_or_else(|| {
            self.numbers.push(number);
            calls.push(ToolCall::default());
            calls.len() - 1
        });
        let call = &mut calls[row];
        if call.id.is_empty() {
            piece.id.clone_into(&mut call.id);
        }
        // The name comes whole, with some endpoints again with each piece.
        if call.name.is_empty() {
            piece.name.clone_into(&mut call.name);
        }
        call.arguments.push_str(piece.arguments);
    }

    /// Sets the tokens that the endpoint counted.
    pub fn set_usage(&mut self, usage: Usage) {
        self.reply.usage = Some(usage);
    }

    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.reply.usage
    }

    /// The reply; `None` where the endpoint has not said why it stopped.
    #[must_use]
    pub fn build(&mut self) -> Option<ModelReply> {
        let mut reply = std::mem::take(&mut self.reply);
        let stop = self.stop.take()?;
        for (row, call) in reply.calls.iter_mut().enumerate() {
            // A result has to refer to something.
            if call.id.is_empty() {
                call.id = format!("call_{}", row + 1);
            }
        }
        // Endpoints differ in what they say when there are calls.
        reply.stop = match stop {
            StopReason::Answered if !reply.calls.is_empty() => StopReason::ToolCalls,
            StopReason::ToolCalls if reply.calls.is_empty() => StopReason::Answered,
            stop => stop,
        };
        Some(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[(Option<u64>, &str, &str, &str)]) -> Vec<(String, String, String)> {
        let mut builder = ReplyBuilder::default();
        for (number, id, name, arguments) in pieces {
            builder.add_call_piece(CallPiece { number: *number, id, name, arguments });
        }
        builder.stop = Some(StopReason::ToolCalls);
        let calls = builder.build().unwrap().calls;
        calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.into(), name.into(), arguments.into())
    }

    #[test]
    fn pieces_of_parallel_calls_find_theirs() {
        let pieces = [
            (Some(0), "a", "one", ""),
            (Some(1), "b", "two", "{"),
            (Some(0), "", "", "{\"x\""),
            (Some(1), "", "", "}"),
            (Some(0), "", "", ":1}"),
        ];
        assert_eq!(joined(&pieces), [call("a", "one", "{\"x\":1}"), call("b", "two", "{}")]);
    }

    #[test]
    fn calls_that_all_have_the_number_0_are_known_by_their_ids() {
        let pieces =
            [(Some(0), "a", "one", "{}"), (Some(0), "b", "two", "{"), (Some(0), "", "", "}")];
        assert_eq!(joined(&pieces), [call("a", "one", "{}"), call("b", "two", "{}")]);
    }

    #[test]
    fn pieces_without_numbers_belong_to_the_call_before() {
        let pieces = [
            (None, "a", "one", "{"),
            (None, "", "", "}"),
            (None, "b", "two", "{"),
            (None, "b", "two", "}"),
        ];
        assert_eq!(joined(&pieces), [call("a", "one", "{}"), call("b", "two", "{}")]);
    }

    #[test]
    fn a_call_without_an_id_gets_one() {
        assert_eq!(joined(&[(Some(0), "", "one", "{}")]), [call("call_1", "one", "{}")]);
    }
}
