//! Reads a stream of server-sent events, as the HTML standard has it, however it is cut into
//! pieces.

use crate::wire::transport::message::WireText;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The name that it was given; empty where it is a plain message.
    pub name: String,
    /// The last id that was reported until then; empty where there is none.
    pub id: String,
    /// After how many milliseconds the server wants to be asked again when the stream breaks, as it
    /// said last.
    pub retry: Option<u64>,
    pub data: Vec<u8>,
}

/// What came next of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// With its lines, where these are kept.
    Event(Event, Option<String>),
    /// Lines that are no event: a comment, an id or a time to wait without data.
    Beside(String),
}

/// What has come and is not yet an event.
#[derive(Debug, Default)]
pub struct Events {
    /// The lines since the last event, where they are kept.
    lines: Option<WireText>,
    line: Vec<u8>,
    name: String,
    /// The id that the event in hand names, which counts from its end on.
    id: String,
    last_id: String,
    data: Option<Vec<u8>>,
    retry: Option<u64>,
    begun: bool,
    after_return: bool,
}

impl Events {
    /// The same, which keeps the lines of each event beside it.
    #[must_use]
    pub(crate) fn with_lines() -> Self {
        Self { lines: Some(WireText::default()), ..Self::default() }
    }

    /// Takes bytes in; answers with the events that they end.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Vec<Event> {
        let event = |part| match part {
            Part::Event(event, _) => Some(event),
            Part::Beside(_) => None,
        };
        self.push_parts(bytes).into_iter().filter_map(event).collect()
    }

    /// The same with what is no event; that is known where lines are kept.
    pub(crate) fn push_parts(&mut self, bytes: &[u8]) -> Vec<Part> {
        let mut ended = Vec::new();
        for byte in bytes {
            // A line ends with CR, LF, or both.
            let follows_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    ended.extend(self.end_line(&line));
                }
                byte => self.line.push(*byte),
            }
        }
        ended
    }

    /// The last id that counts, to resume after; empty where there is none. An event without data
    /// sets it too.
    #[must_use]
    pub fn last_id(&self) -> &str {
        &self.last_id
    }

    /// After how many milliseconds the server wants to be asked again when the stream breaks, as it
    /// said last.
    #[must_use]
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry
    }

    /// How many bytes wait for the end of their event.
    #[must_use]
    pub fn buffered_len(&self) -> usize {
        self.line.len() + self.name.len() + self.id.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    /// Whether the lines of events are kept.
    pub(crate) fn keeps_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// The event that the stream ends in the middle of, as far as it came; `None` where it ends
    /// between two events, or lines are not kept.
    pub(crate) fn take_begun(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let lines = self.lines.as_mut()?;
        if !line.is_empty() {
            lines.extend(if lines.is_empty() { b"" } else { b"\n" });
            lines.extend(&line);
        }
        (!lines.is_empty()).then(|| lines.take_begun())
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Part> {
        let event = self.read_line(line);
        let Some(lines) = &mut self.lines else {
            return event.map(|event| Part::Event(event, None));
        };
        // A comment alone is a sign of life, which need not wait for an event.
        let is_sign = lines.is_empty() && line.starts_with(b":");
        if !line.is_empty() {
            lines.extend(if lines.is_empty() { b"" } else { b"\n" });
            lines.extend(line);
        }
        if !line.is_empty() && !is_sign {
            return None;
        }
        match event {
            Some(event) => Some(Part::Event(event, Some(lines.take_text()))),
            None => (!lines.is_empty()).then(|| Part::Beside(lines.take_text())),
        }
    }

    fn read_line(&mut self, line: &[u8]) -> Option<Event> {
        let first = !std::mem::replace(&mut self.begun, true);
        let line = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| first).unwrap_or(line);
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            self.last_id.clone_from(&self.id);
            let (id, retry) = (self.id.clone(), self.retry);
            return self.data.take().map(|data| Event { name, id, retry, data });
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || String::from_utf8_lossy(value).into_owned();
        match field {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"event" => self.name = text(),
            b"id" if !value.contains(&0) => self.id = text(),
            // More than can be counted is for ever.
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = Some(text().parse().unwrap_or(u64::MAX));
            }
            // Comments, and fields that nobody knows.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STREAM: &str = ": hello\nevent: piece\ndata: {\"a\": 1}\n\ndata: two\r\ndata:lines\r\n\r\nid: 7\n\ndata\n\ndata: unfinished\n";

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut events = Events::default();
        pieces.iter().flat_map(|piece| events.push_bytes(piece)).collect()
    }

    #[test]
    fn events_are_data_between_empty_lines() {
        let read = read(&[STREAM.as_bytes()]);
        let data: Vec<_> = read.iter().map(|event| String::from_utf8_lossy(&event.data)).collect();
        assert_eq!(data, ["{\"a\": 1}", "two\nlines", ""]);
        assert_eq!(
            (read[0].name.as_str(), read[1].name.as_str(), read[2].id.as_str()),
            ("piece", "", "7")
        );
    }

    #[test]
    fn an_id_counts_from_the_end_of_its_event_and_also_without_data() {
        let mut events = Events::default();
        events.push_bytes(b"id: 7\n\nid: 8\ndata: unfinished\n");
        assert_eq!(events.last_id(), "7");
        events.push_bytes(b"\n");
        assert_eq!(events.last_id(), "8");
        events.push_bytes(b"id\n\n");
        assert_eq!(events.last_id(), "");
    }

    #[test]
    fn the_wait_before_a_retry_is_the_last_that_was_told_in_digits() {
        let mut events = Events::default();
        events.push_bytes(b"retry: 007\nretry: 1e3\nretry: +5\n");
        assert_eq!(events.retry_ms(), Some(7));
        events.push_bytes(b"retry: 99999999999999999999999\n");
        assert_eq!(events.retry_ms(), Some(u64::MAX));
        events.push_bytes(b"retry: 12");
        assert_eq!(events.retry_ms(), Some(u64::MAX), "the line has not ended");
    }

    #[test]
    fn lines_that_are_no_event_come_beside_them_as_they_end() {
        let mut events = Events::with_lines();
        let mut read = |bytes: &str| -> Vec<String> {
            let words = |part| match part {
                Part::Event(event, lines) => format!("{} of {lines:?}", event.name),
                Part::Beside(lines) => format!("beside {lines:?}"),
            };
            events.push_parts(bytes.as_bytes()).into_iter().map(words).collect()
        };
        assert_eq!(read(": ping\n"), [r#"beside ": ping""#], "it waits for nothing");
        assert_eq!(read("\nid: 7\r\nretry: 9\r\n\r\n"), [r#"beside "id: 7\nretry: 9""#]);
        assert_eq!(
            read("event: piece\n: within\ndata: a\ndata: b\n\n: pong\n"),
            [r#"piece of Some("event: piece\n: within\ndata: a\ndata: b")"#, r#"beside ": pong""#]
        );
        let long = format!("data: {}\n\n", "x".repeat(1 << 20));
        let [lines] = &read(&long)[..] else { panic!("one event") };
        assert!(lines.len() < 20_000 && lines.contains("1048582 bytes in all"), "{}", lines.len());
    }

    #[test]
    fn an_event_that_never_ends_is_seen_as_far_as_it_came() {
        let begun = |bytes: &[u8]| {
            let mut events = Events::with_lines();
            events.push_parts(bytes);
            events.take_begun()
        };
        assert_eq!(
            begun(b"data: a\n\nevent: piece\ndata: {\"te").as_deref(),
            Some("event: piece\ndata: {\"te… (23 bytes in all)")
        );
        assert_eq!(begun(b"data: a\n").as_deref(), Some("data: a… (7 bytes in all)"));
        assert_eq!((begun(b"data: a\n\n"), begun(b": ping\n"), begun(b"")), (None, None, None));
        let mut without = Events::default();
        without.push_parts(b"data: a");
        assert_eq!(without.take_begun(), None);
    }

    /// What a reader knows in the end, with the events on the way.
    fn known(pieces: &[&[u8]]) -> (Vec<Event>, String, Option<u64>) {
        let mut events = Events::default();
        let read = pieces.iter().flat_map(|piece| events.push_bytes(piece)).collect();
        (read, events.last_id().to_owned(), events.retry_ms())
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_cut(at in 0..STREAM.len(), then in 0..STREAM.len()) {
            let (first, second) = (at.min(then), at.max(then));
            let bytes = STREAM.as_bytes();
            prop_assert_eq!(read(&[&bytes[..first], &bytes[first..second], &bytes[second..]]), read(&[bytes]));
        }

        #[test]
        fn nor_does_it_of_any_other_stream(
            parts in prop::collection::vec(
                prop::sample::select(vec!["data", "id", "event", "retry", ":", ": ", "\n", "\r", "\r\n", "7", "x", "ü", "\0", "\u{feff}"]),
                0..40,
            ),
            at in any::<prop::sample::Index>(),
        ) {
            let text = parts.concat();
            let bytes = text.as_bytes();
            let (head, tail) = bytes.split_at(at.index(bytes.len() + 1));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = known(&[bytes]);
            prop_assert_eq!(&known(&[head, tail]), &whole);
            prop_assert_eq!(&known(&single), &whole);
            prop_assert!(whole.0.iter().all(|event| !event.id.contains('\0')));
        }
    }
}
