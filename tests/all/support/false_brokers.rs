//! Peers that speak just enough of a broker's protocol to carry one call, and then say something
//! that no broker would.

use std::{
    io::{Read, Result, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use prost::{
    bytes::Buf,
    encoding::{WireType, decode_key, decode_varint},
};
use toolcrib::model::{connection::Connection, transport::TransportKind};

/// A size that no message has.
pub const HUGE: u32 = 2_000_000_000;

/// A listener that plays a part for each who connects.
fn peer(
    scheme: &str,
    kind: TransportKind,
    plays: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static,
) -> Connection {
    let plays = Arc::new(plays);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("{scheme}://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let plays = Arc::clone(&plays);
            // It ends when the other side hangs up.
            thread::spawn(move || plays(&mut stream));
        }
    });
    Connection::from_address(kind, "hostile", url)
}

fn read<const LENGTH: usize>(stream: &mut TcpStream) -> Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_some(stream: &mut TcpStream, length: u32) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// An AMQP frame: its kind, channel and payload.
fn amqp_frame(kind: u8, channel: [u8; 2], payload: &[u8]) -> Vec<u8> {
    [&[kind][..], &channel, &(payload.len() as u32).to_be_bytes(), payload, b"\xce"].concat()
}

/// What a broker that wishes for huge frames answers to each method, class and method first.
fn amqp_answer(class: u8, method: u8) -> Option<Vec<u8>> {
    let answer: &[u8] = match (class, method) {
        // Start-Ok: Tune, with as many channels as may be, huge frames and no heartbeat.
        (10, 11) => {
            return Some([&[0, 10, 0, 30, 0, 0][..], &HUGE.to_be_bytes(), &[0, 0]].concat());
        }
        (10, 40) => &[0, 10, 0, 41, 0],
        (20, 10) => &[0, 20, 0, 11, 0, 0, 0, 0],
        (20, 40) => &[0, 20, 0, 41],
        (40, 10) => &[0, 40, 0, 11],
        // A queue called q, with no messages and no listeners.
        (50, 10) => &[0, 50, 0, 11, 1, b'q', 0, 0, 0, 0, 0, 0, 0, 0],
        (50, 20) => &[0, 50, 0, 21],
        (60, 10) => &[0, 60, 0, 11],
        (60, 20) => &[0, 60, 0, 21, 1, b'c'],
        (85, 10) => &[0, 85, 0, 11],
        _ => return None,
    };
    Some(answer.to_vec())
}

/// Speaks AMQP until a message is published; then announces one with a body of that size, of which
/// nothing comes. Gives also the frame size that each client agrees to.
pub fn amqp(body: u64) -> (Connection, Receiver<u32>) {
    let (agreed, sizes) = channel();
    (peer("amqp", TransportKind::RabbitMq, move |stream| play_amqp(stream, body, &agreed)), sizes)
}

fn play_amqp(stream: &mut TcpStream, body: u64, agreed: &Sender<u32>) -> Result<()> {
    read::<8>(stream)?;
    let start =
        [&[0, 10, 0, 10, 0, 9, 0, 0, 0, 0, 0, 0, 0, 5][..], b"PLAIN\0\0\0\x05en_US"].concat();
    stream.write_all(&amqp_frame(1, [0, 0], &start))?;
    let mut listens = [0; 2];
    loop {
        let [kind, channel @ .., a, b, c, d] = read::<7>(stream)?;
        let payload = read_some(stream, u32::from_be_bytes([a, b, c, d]))?;
        read::<1>(stream)?;
        match (kind, &payload[..]) {
            (1, &[0, 10, 0, 31, _, _, a, b, c, d, ..]) => {
                let _ = agreed.send(u32::from_be_bytes([a, b, c, d]));
            }
            (1, &[_, class, _, method, ..]) => {
                if (class, method) == (60, 20) {
                    listens = channel;
                }
                if let Some(answer) = amqp_answer(class, method) {
                    stream.write_all(&amqp_frame(1, channel, &answer))?;
                }
            }
            // The body of what was published: it is acknowledged, and answered.
            (3, _) => {
                let acknowledged = [0, 60, 0, 80, 0, 0, 0, 0, 0, 0, 0, 1, 0];
                stream.write_all(&amqp_frame(1, channel, &acknowledged))?;
                let deliver = [0, 60, 0, 60, 1, b'c', 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
                stream.write_all(&amqp_frame(1, listens, &deliver))?;
                stream.write_all(&amqp_frame(
                    2,
                    listens,
                    &[&[0, 60, 0, 0][..], &body.to_be_bytes(), &[0, 0]].concat(),
                ))?;
            }
            _ => {}
        }
    }
}

/// Speaks Pulsar's protocol until a message is sent; then says that a huge frame comes, of which
/// nothing comes.
pub fn pulsar() -> Connection {
    peer("pulsar", TransportKind::Pulsar, play_pulsar)
}

fn play_pulsar(stream: &mut TcpStream) -> Result<()> {
    loop {
        let length = u32::from_be_bytes(read(stream)?);
        let frame = read_some(stream, length)?;
        let end = 4 + u32::from_be_bytes(frame[..4].try_into().unwrap()) as usize;
        let (kind, command) = pulsar_command(&frame[4..end]);
        let number = |field| pulsar_number(command, field);
        match kind {
            2 => pulsar_says(stream, 3, b"\x0a\x01x")?,
            23 => pulsar_says(stream, 24, &[0x18, 1, 0x20, number(2)])?,
            4 => pulsar_says(stream, 13, &[0x08, number(5)])?,
            5 => pulsar_says(stream, 17, &[0x08, number(3), 0x12, 1, b'p'])?,
            6 => {
                pulsar_says(stream, 7, &[0x08, number(1), 0x10, number(2)])?;
                stream.write_all(&HUGE.to_be_bytes())?;
            }
            _ => {}
        }
    }
}

/// A command's kind, and its own message.
fn pulsar_command(mut base: &[u8]) -> (u8, &[u8]) {
    let kind = pulsar_number(base, 1);
    while decode_key(&mut base).unwrap().1 == WireType::Varint {
        decode_varint(&mut base).unwrap();
    }
    decode_varint(&mut base).unwrap();
    (kind, base)
}

/// The small number in a field.
fn pulsar_number(mut message: &[u8], field: u32) -> u8 {
    loop {
        let (tag, kind) = decode_key(&mut message).unwrap();
        let number = decode_varint(&mut message).unwrap();
        match kind {
            WireType::Varint if tag == field => return u8::try_from(number).unwrap(),
            WireType::Varint => {}
            _ => message.advance(usize::try_from(number).unwrap()),
        }
    }
}

/// Sends a command alone; its field has the number of its kind.
fn pulsar_says(stream: &mut TcpStream, kind: u8, message: &[u8]) -> Result<()> {
    // The key of a field above 15 takes two bytes.
    let key = u32::from(kind) << 3 | 2;
    let key = if key < 128 { vec![key as u8] } else { vec![key as u8 | 128, (key >> 7) as u8] };
    let command = [&[0x08, kind][..], &key, &[message.len() as u8], message].concat();
    let size = command.len() as u32;
    stream.write_all(&[&(size + 4).to_be_bytes()[..], &size.to_be_bytes(), &command].concat())
}
