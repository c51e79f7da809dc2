//! Reads a stream of server-sent events, as the HTML standard has it, however it is cut into pieces.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The name that it was given; empty where it is a plain message.
    pub name: String,
    /// The last id that was told until then; empty where there is none.
    pub id: String,
    /// After how many milliseconds the server wants to be asked again when the stream breaks, as it said last.
    pub retry: Option<u64>,
    pub data: Vec<u8>,
}

/// What has come and is not yet an event.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    name: String,
    id: String,
    data: Option<Vec<u8>>,
    retry: Option<u64>,
    begun: bool,
    after_return: bool,
}

impl Events {
    /// Takes bytes in; answers with the events that they end.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Event> {
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

    /// How many bytes wait for the end of their event.
    #[must_use]
    pub fn held(&self) -> usize {
        self.line.len() + self.name.len() + self.id.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Event> {
        let first = !std::mem::replace(&mut self.begun, true);
        let line = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| first).unwrap_or(line);
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
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
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => self.retry = text().parse().ok(),
            // Comments, and fields that nobody knows.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    const STREAM: &str =
        ": hello\nevent: piece\ndata: {\"a\": 1}\n\ndata: two\r\ndata:lines\r\n\r\nid: 7\n\ndata\n\ndata: unfinished\n";

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut events = Events::default();
        pieces.iter().flat_map(|piece| events.take(piece)).collect()
    }

    #[test]
    fn events_are_data_between_empty_lines() {
        let read = read(&[STREAM.as_bytes()]);
        let data: Vec<_> = read.iter().map(|event| String::from_utf8_lossy(&event.data)).collect();
        assert_eq!(data, ["{\"a\": 1}", "two\nlines", ""]);
        assert_eq!((read[0].name.as_str(), read[1].name.as_str(), read[2].id.as_str()), ("piece", "", "7"));
    }

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn streams_are_read_as_the_vectors_have_it() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("../../../../tests/vectors/mcp.json")).unwrap();
        let cases: Vec<&Value> = cases.iter().filter(|case| case["op"] == "sse_parse").collect();
        assert!(cases.len() >= 19, "only {} are there", cases.len());
        for case in cases {
            let input = &case["input"];
            let texts = |key: &str| input[key].as_array().into_iter().flatten().filter_map(Value::as_str);
            let whole = input["text"].as_str().into_iter().chain(texts("chunks")).map(|text| text.as_bytes().to_vec());
            let pieces: Vec<Vec<u8>> = whole.chain(texts("hex").map(bytes)).collect();
            let mut events = Events::default();
            let read: Vec<Event> = pieces.iter().flat_map(|piece| events.take(piece)).collect();
            let last = read.last().cloned().unwrap_or_default();
            let shown = |event: Event| {
                let name = if event.name.is_empty() { "message" } else { &event.name };
                json!({"event": name, "data": String::from_utf8_lossy(&event.data), "id": event.id})
            };
            let got: Vec<Value> = read.into_iter().map(shown).collect();
            let got = json!({"events": got, "last_event_id": last.id, "retry": last.retry});
            assert_eq!(got, case["expect"], "{}", case["name"]);
        }
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_cut(at in 0..STREAM.len(), then in 0..STREAM.len()) {
            let (first, second) = (at.min(then), at.max(then));
            let bytes = STREAM.as_bytes();
            prop_assert_eq!(read(&[&bytes[..first], &bytes[first..second], &bytes[second..]]), read(&[bytes]));
        }
    }
}
