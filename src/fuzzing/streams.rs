//! What comes in pieces from servers and brokers.

use super::split_first_line;
use crate::{
    systems::mcp::rpc::lines::Lines,
    wire::transport::{http::events::Events, pattern},
};

/// The same events come of a stream however it is cut.
pub(super) fn read_server_events(bytes: &[u8]) {
    let read = |size: usize| {
        let mut events = Events::default();
        let read: Vec<_> =
            bytes.chunks(size.max(1)).flat_map(|piece| events.push_bytes(piece)).collect();
        // A byte that is no UTF-8 is a letter of three.
        assert!(events.buffered_len() <= bytes.len() * 3, "{bytes:?}");
        (read, events.last_id().to_owned(), events.retry_ms())
    };
    let whole = read(bytes.len());
    for size in [1, 2, 7] {
        assert_eq!(read(size), whole, "in pieces of {size}");
    }
}

/// The same lines come of a stream however it is cut.
pub(super) fn read_lines(bytes: &[u8]) {
    let read = |size: usize| {
        let mut lines = Lines::default();
        let lines = bytes.chunks(size.max(1)).flat_map(|piece| lines.push(piece));
        lines.map(|line| format!("{line:?}")).collect::<Vec<_>>()
    };
    let whole = read(bytes.len());
    for size in [1, 2, 7] {
        assert_eq!(read(size), whole, "in pieces of {size}");
    }
}

/// Two patterns of subjects, one a line.
pub(super) fn read_subjects(text: &str) {
    let (one, rest) = split_first_line(text);
    let (other, subject) = split_first_line(rest);
    let both = pattern::intersect_patterns(one, other);
    let met = pattern::subject_matches(one, subject) && pattern::subject_matches(other, subject);
    if met && !subject.is_empty() {
        let meets = both.as_ref().is_some_and(|both| pattern::subject_matches(both, subject));
        assert!(meets, "{one:?} and {other:?} are {both:?}, without {subject:?}");
    }
}

/// The frames of a broker, each behind its length.
#[cfg(feature = "pulsar")]
pub(super) fn read_pulsar(bytes: &[u8]) {
    use bytes::Bytes;

    use crate::wire::transport::pulsar::frame;

    let bytes = Bytes::copy_from_slice(bytes);
    if let Ok(Some(frame)) = frame::parse_frame(bytes.clone())
        && let Some((metadata, body)) = frame.message
        && let Ok(singles) = frame::split_batch(metadata, body)
    {
        let size: usize = singles.iter().map(|single| single.body.len()).sum();
        assert!(size <= bytes.len(), "{size} bytes of {}", bytes.len());
    }
}
