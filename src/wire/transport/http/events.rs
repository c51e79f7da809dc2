//! Reads a stream of server-sent events, however it is cut into pieces.

/// What has come and is not yet an event.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_return: bool,
}

impl Events {
    /// Takes bytes in; answers with the data of each event that they end.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
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
        self.line.len() + self.data.len()
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            return std::mem::take(&mut self.has_data).then(|| std::mem::take(&mut self.data));
        }
        let value = match line.strip_prefix(b"data") {
            Some(b"") => &[][..],
            Some(rest) => rest.strip_prefix(b":")?,
            // Comments, ids, names of events.
            None => return None,
        };
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STREAM: &str =
        ": hello\nevent: piece\ndata: {\"a\": 1}\n\ndata: two\r\ndata:lines\r\n\r\nid: 7\n\ndata\n\ndata: unfinished\n";

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        pieces.iter().flat_map(|piece| events.take(piece)).map(|data| String::from_utf8(data).unwrap()).collect()
    }

    #[test]
    fn events_are_data_between_empty_lines() {
        assert_eq!(read(&[STREAM.as_bytes()]), ["{\"a\": 1}", "two\nlines", ""]);
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
