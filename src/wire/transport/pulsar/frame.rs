//! Pulsar's frames: a command alone, or with a message behind it, with or without a checksum,
//! batched or not.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::Message;

use super::commands::{BaseCommand, Command, KeyValue, Metadata, SingleMetadata};

/// Before a checksum.
const CHECKED: u16 = 0x0e01;
/// Before what the broker itself adds to a message.
const ADDED: u16 = 0x0e02;

/// How much a frame may have beside the bodies of its messages. What is read of it takes many times
/// as much memory; by default a broker allows no more for a whole message.
const MOST_METADATA: usize = 5 * 1024 * 1024;

/// A frame as it came, without its length.
#[derive(Debug, PartialEq)]
pub(crate) struct Frame {
    pub command: Command,
    /// What follows a message's command.
    pub message: Option<(Metadata, Bytes)>,
}

/// One message of a frame.
#[derive(Debug, PartialEq)]
pub(crate) struct SingleMessage {
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// Why a frame or a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It ends too early, or its numbers make no sense.
    Broken,
    /// Its checksum is not that of its content.
    Checksum,
    /// Its payload is compressed, in the way of that number.
    Compressed(i32),
    /// It has more than [`MOST_METADATA`] beside the bodies.
    Metadata,
}

/// A frame of a command alone, with its length.
#[must_use]
pub(crate) fn command_frame(command: Command) -> Bytes {
    let command = BaseCommand::from(command).encode_to_vec();
    let mut frame = BytesMut::with_capacity(8 + command.len());
    frame.put_u32(frame_size(4 + command.len()));
    frame.put_u32(frame_size(command.len()));
    frame.put_slice(&command);
    frame.freeze()
}

/// A frame with a message, with its length and a checksum.
#[must_use]
pub(crate) fn with_message(command: Command, metadata: &Metadata, body: &[u8]) -> Bytes {
    let command = BaseCommand::from(command).encode_to_vec();
    let metadata = metadata.encode_to_vec();
    let checked = 4 + metadata.len() + body.len();
    let whole = 4 + command.len() + 2 + 4 + checked;
    let mut frame = BytesMut::with_capacity(4 + whole);
    frame.put_u32(frame_size(whole));
    frame.put_u32(frame_size(command.len()));
    frame.put_slice(&command);
    frame.put_u16(CHECKED);
    let sum_at = frame.len();
    frame.put_u32(0);
    frame.put_u32(frame_size(metadata.len()));
    frame.put_slice(&metadata);
    frame.put_slice(body);
    let sum = crc32c::crc32c(&frame[sum_at + 4..]);
    frame[sum_at..sum_at + 4].copy_from_slice(&sum.to_be_bytes());
    frame.freeze()
}

/// No frame comes near this: the codec refuses it first.
fn frame_size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Reads a frame without its length; `None` for a command that we do not know, which is to be
/// passed over.
pub(crate) fn parse_frame(mut frame: Bytes) -> Result<Option<Frame>, Fault> {
    let command = metadata_part(&mut frame, &mut { MOST_METADATA })?;
    let command = BaseCommand::decode(command).map_err(|_| Fault::Broken)?.command;
    let Some(command) = command else { return Ok(None) };
    let message =
        if matches!(command, Command::Message(_)) { Some(parse_message(frame)?) } else { None };
    Ok(Some(Frame { command, message }))
}

fn parse_message(mut rest: Bytes) -> Result<(Metadata, Bytes), Fault> {
    if starts_with_magic(&rest, ADDED) {
        rest.advance(2);
        take_prefixed(&mut rest)?;
    }
    if starts_with_magic(&rest, CHECKED) {
        rest.advance(2);
        let sum = rest.try_get_u32().map_err(|_| Fault::Broken)?;
        if sum != crc32c::crc32c(&rest) {
            return Err(Fault::Checksum);
        }
    }
    let metadata = Metadata::decode(metadata_part(&mut rest, &mut { MOST_METADATA })?)
        .map_err(|_| Fault::Broken)?;
    Ok((metadata, rest))
}

fn starts_with_magic(bytes: &Bytes, magic: u16) -> bool {
    bytes.starts_with(&magic.to_be_bytes())
}

/// A part that is behind its length.
fn take_prefixed(bytes: &mut Bytes) -> Result<Bytes, Fault> {
    let length = bytes.try_get_u32().map_err(|_| Fault::Broken)?;
    take_bytes(bytes, length as usize)
}

/// The same, where only so much is left for it and its length.
fn metadata_part(bytes: &mut Bytes, left: &mut usize) -> Result<Bytes, Fault> {
    let part = take_prefixed(bytes)?;
    *left = left.checked_sub(part.len() + size_of::<u32>()).ok_or(Fault::Metadata)?;
    Ok(part)
}

fn take_bytes(bytes: &mut Bytes, length: usize) -> Result<Bytes, Fault> {
    if length > bytes.len() { Err(Fault::Broken) } else { Ok(bytes.split_to(length)) }
}

/// The messages of a frame: those of its batch, or the one that it is.
pub(crate) fn split_batch(
    metadata: Metadata,
    mut payload: Bytes,
) -> Result<Vec<SingleMessage>, Fault> {
    if let Some(way) = metadata.compression.filter(|way| *way != 0) {
        return Err(Fault::Compressed(way));
    }
    let Some(count) = metadata.batched else {
        return Ok(vec![SingleMessage { headers: to_headers(metadata.properties), body: payload }]);
    };
    let (mut singles, mut left) = (Vec::new(), MOST_METADATA);
    for _ in 0..count {
        let single = SingleMetadata::decode(metadata_part(&mut payload, &mut left)?)
            .map_err(|_| Fault::Broken)?;
        let length = usize::try_from(single.size).map_err(|_| Fault::Broken)?;
        singles.push(SingleMessage {
            headers: to_headers(single.properties),
            body: take_bytes(&mut payload, length)?,
        });
    }
    Ok(singles)
}

fn to_headers(properties: Vec<KeyValue>) -> Vec<(String, String)> {
    properties.into_iter().map(|KeyValue { key, value }| (key, value)).collect()
}

/// A message's properties.
#[must_use]
pub(crate) fn to_properties(headers: &[(String, String)]) -> Vec<KeyValue> {
    headers.iter().map(|(key, value)| KeyValue { key: key.clone(), value: value.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::commands::{Delivery, Lookup, Ping},
        *,
    };

    fn id(value: &str) -> Vec<(String, String)> {
        vec![("id".into(), value.into())]
    }

    fn metadata(headers: &[(String, String)]) -> Metadata {
        Metadata { producer: "p".into(), properties: to_properties(headers), ..Metadata::default() }
    }

    fn delivery() -> Command {
        Command::Message(Delivery { consumer: 3, id: None })
    }

    /// What the length says is what is there.
    fn body_of(mut frame: Bytes) -> Bytes {
        assert_eq!(frame.get_u32() as usize, frame.len());
        frame
    }

    /// The frame of a message without checksum, as some brokers pass it on.
    fn unchecked(metadata: &Metadata, body: &[u8]) -> Bytes {
        let command = BaseCommand::from(delivery()).encode_to_vec();
        let mut frame = BytesMut::new();
        frame.put_u32(frame_size(command.len()));
        frame.put_slice(&command);
        frame.put_u32(frame_size(metadata.encoded_len()));
        frame.put_slice(&metadata.encode_to_vec());
        frame.put_slice(body);
        frame.freeze()
    }

    fn batch(messages: &[(&str, &str)]) -> (Metadata, Bytes) {
        let mut payload = BytesMut::new();
        for (of, body) in messages {
            let single = SingleMetadata {
                properties: to_properties(&id(of)),
                size: i32::try_from(body.len()).unwrap(),
            };
            payload.put_u32(frame_size(single.encoded_len()));
            payload.put_slice(&single.encode_to_vec());
            payload.put_slice(body.as_bytes());
        }
        (
            Metadata { batched: i32::try_from(messages.len()).ok(), ..Metadata::default() },
            payload.freeze(),
        )
    }

    #[test]
    fn a_command_comes_back_under_its_own_number() {
        let lookup = Command::Lookup(Lookup { topic: "t".into(), request: 7, authoritative: None });
        let frame = body_of(command_frame(lookup.clone()));
        assert_eq!(BaseCommand::decode(frame.slice(4..)).unwrap().kind, 23);
        assert_eq!(parse_frame(frame).unwrap(), Some(Frame { command: lookup, message: None }));
        assert_eq!(BaseCommand::from(Command::Ping(Ping {})).kind, 18);
    }

    #[test]
    fn a_message_is_read_with_and_without_checksum_and_with_what_a_broker_adds() {
        let metadata = metadata(&id("7f1c"));
        let checked = body_of(with_message(delivery(), &metadata, b"body"));
        let added = {
            let from = 4 + u32::from_be_bytes(checked[..4].try_into().unwrap()) as usize;
            let mut frame = BytesMut::from(&checked[..from]);
            frame.put_u16(ADDED);
            frame.put_u32(3);
            frame.put_slice(b"xyz");
            frame.put_slice(&checked[from..]);
            frame.freeze()
        };
        for frame in [checked, unchecked(&metadata, b"body"), added] {
            let (metadata, payload) = parse_frame(frame).unwrap().unwrap().message.unwrap();
            assert_eq!(
                split_batch(metadata, payload).unwrap(),
                [SingleMessage { headers: id("7f1c"), body: Bytes::from_static(b"body") }]
            );
        }
    }

    #[test]
    fn a_wrong_checksum_is_found() {
        let mut frame =
            BytesMut::from(body_of(with_message(delivery(), &metadata(&id("1")), b"body")));
        let last = frame.len() - 1;
        frame[last] ^= 1;
        assert_eq!(parse_frame(frame.freeze()), Err(Fault::Checksum));
    }

    #[test]
    fn batches_of_one_and_more_carry_their_ids_inside() {
        for messages in [&[("a", "one")][..], &[("a", "one"), ("b", ""), ("c", "three")]] {
            let (metadata, payload) = batch(messages);
            let read = split_batch(metadata, payload).unwrap();
            let expected = messages.iter().map(|(of, body)| SingleMessage {
                headers: id(of),
                body: Bytes::from((*body).to_owned()),
            });
            assert_eq!(read, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_cut_or_compressed_is_told() {
        let (metadata, payload) = batch(&[("a", "one")]);
        assert_eq!(
            split_batch(metadata.clone(), payload.slice(..payload.len() - 1)),
            Err(Fault::Broken)
        );
        let compressed = Metadata { compression: Some(1), ..metadata };
        assert_eq!(split_batch(compressed, payload), Err(Fault::Compressed(1)));
        let unknown = BaseCommand { kind: 60, command: None }.encode_to_vec();
        let mut frame = BytesMut::new();
        frame.put_u32(frame_size(unknown.len()));
        frame.put_slice(&unknown);
        assert_eq!(parse_frame(frame.freeze()), Ok(None));
    }

    #[test]
    fn what_would_take_many_times_its_size_is_refused() {
        // Empty messages: four bytes each, and many times that in memory.
        let most = MOST_METADATA / 4;
        let empty = Bytes::from(vec![0; 4 * (most + 1)]);
        let of = |count| Metadata { batched: i32::try_from(count).ok(), ..Metadata::default() };
        assert_eq!(split_batch(of(most), empty.clone()).unwrap().len(), most);
        assert_eq!(split_batch(of(most + 1), empty), Err(Fault::Metadata));
        let many = metadata(&vec![(String::new(), String::new()); MOST_METADATA / 4]);
        assert_eq!(
            parse_frame(body_of(with_message(delivery(), &many, b""))),
            Err(Fault::Metadata)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), count in any::<i32>()) {
            let _ = parse_frame(bytes.clone().into());
            let _ = parse_message(bytes.clone().into());
            let _ = split_batch(Metadata { batched: Some(count), ..Metadata::default() }, bytes.into());
        }

        #[test]
        fn what_is_sent_is_heard(value in "\\PC{0,20}", body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let frame = body_of(with_message(delivery(), &metadata(&id(&value)), &body));
            let (metadata, payload) = parse_frame(frame).unwrap().unwrap().message.unwrap();
            prop_assert_eq!(split_batch(metadata, payload).unwrap(), [SingleMessage { headers: id(&value), body: body.into() }]);
        }
    }
}
