//! How bytes travel: every transport in one table, with all that the rest of the program knows of
//! it.
//!
//! Whoever needs to know what a transport can do asks its row for that ability and never which
//! transport it is, so that a new one needs a row here, a row in `wire/transport.rs` and the file
//! that speaks it.

/// Which transport: the key of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportKind {
    /// In process, with toolcrib's own sample services.
    Embedded,
    Nats,
    RabbitMq,
    Pulsar,
    Kafka,
    /// One request after another, each with its answer.
    Http,
    /// One socket, on which answers stream.
    WebSocket,
    /// A process that is started, on its standard input and output.
    Stdio,
}

/// What a transport says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Transport {
    pub kind: TransportKind,
    /// The word that settings and traces name it by.
    pub word: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// How addresses begin that say this transport, the usual one first; none where it has no
    /// addresses.
    pub schemes: &'static [Scheme],
    /// Schemes that it takes as well where the settings name it.
    pub also: &'static [Scheme],
    /// An address, as help shows it; empty where it has none.
    pub example: &'static str,
    /// A command starts what is spoken with, in the place of addresses.
    pub has_command: bool,
    pub traffic: Traffic,
    pub names: Names,
    /// Every call can have an inbox of its own, beside the queue that all callers hear.
    pub has_inbox: bool,
    /// What it keeps of earlier messages can be received once more.
    pub keeps: bool,
    /// Services that name the same group share its requests; else each of them gets all.
    pub shares: bool,
    /// Messages of several places are received in the order in which they were sent.
    pub ordered: bool,
    /// A credentials file can say who we are.
    pub credentials_file: bool,
    /// Its requests, or its handshake, carry headers of HTTP.
    pub http_headers: bool,
    /// The program that is usually at hand to send a request over it.
    pub program: Option<Program>,
    /// What to look at where a request has no answer, because the transport does not tell that
    /// nobody received it; empty where it says.
    pub unheard: &'static str,
}

/// How an address begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// What is before `://`.
    pub word: &'static str,
    /// The port that is meant where an address names none.
    pub port: u16,
    /// Whether it is encrypted always.
    pub encrypted: bool,
}

/// Who hears what goes over a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Everybody who listens at a place, so that it can be watched and answered there.
    Bus,
    /// Only the other side, which answers each request on the request's own way.
    Exchange,
    /// Only the other side, at the end of one pipe that carries all requests and answers.
    Pipe,
}

/// How places are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Parts with dots between them, for which `*` and `>` may stand when listening.
    Subjects,
    /// Topics with a scheme and a path.
    Topics,
    /// Any text.
    Plain,
}

/// A program outside of toolcrib that sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `nats`, the command line of NATS.
    Nats,
    Curl,
}

const HTTP: &[Scheme] = &[plain_scheme("http", 80), encrypted_scheme("https", 443)];
const WEB_SOCKET: &[Scheme] = &[plain_scheme("ws", 80), encrypted_scheme("wss", 443)];

/// What most of them are.
const BROKER: Transport = Transport {
    kind: TransportKind::Embedded,
    word: "",
    title: "",
    schemes: &[],
    also: &[],
    example: "",
    has_command: false,
    traffic: Traffic::Bus,
    names: Names::Plain,
    has_inbox: false,
    keeps: false,
    shares: true,
    ordered: true,
    credentials_file: false,
    http_headers: false,
    program: None,
    unheard: "",
};

const EMBEDDED: Transport = Transport {
    kind: TransportKind::Embedded,
    word: "embedded",
    title: "the embedded connection",
    names: Names::Subjects,
    has_inbox: true,
    ..BROKER
};

const NATS: Transport = Transport {
    kind: TransportKind::Nats,
    word: "nats",
    title: "NATS",
    schemes: &[plain_scheme("nats", 4222), encrypted_scheme("tls", 4222)],
    example: "nats://HOST:4222",
    names: Names::Subjects,
    has_inbox: true,
    keeps: true,
    credentials_file: true,
    program: Some(Program::Nats),
    unheard: "whether the service runs (while a watch listens to its subject, NATS takes a request without a service), ",
    ..BROKER
};

const RABBITMQ: Transport = Transport {
    kind: TransportKind::RabbitMq,
    word: "rabbitmq",
    title: "RabbitMQ",
    schemes: &[plain_scheme("amqp", 5672), encrypted_scheme("amqps", 5671)],
    example: "amqp://HOST:5672/VHOST",
    unheard: "whether the service runs (RabbitMQ keeps the request, and it is answered when the service is back), ",
    ..BROKER
};

const PULSAR: Transport = Transport {
    kind: TransportKind::Pulsar,
    word: "pulsar",
    title: "Pulsar",
    schemes: &[plain_scheme("pulsar", 6650), encrypted_scheme("pulsar+ssl", 6651)],
    example: "pulsar://HOST:6650",
    names: Names::Topics,
    unheard: "whether the service runs (Pulsar drops a request without a consumer), ",
    ..BROKER
};

const KAFKA: Transport = Transport {
    kind: TransportKind::Kafka,
    word: "kafka",
    title: "Kafka",
    schemes: &[plain_scheme("kafka", 9092), encrypted_scheme("kafka+ssl", 9093)],
    example: "kafka://HOST:9092",
    shares: false,
    // Topics are fetched one by one, each in its own time.
    ordered: false,
    unheard: "whether the service runs (Kafka keeps the request for minutes, and a service that is back may still answer it), ",
    ..BROKER
};

const PLAIN_HTTP: Transport = Transport {
    kind: TransportKind::Http,
    word: "http",
    title: "HTTP",
    schemes: HTTP,
    also: WEB_SOCKET,
    example: "https://HOST:8888",
    traffic: Traffic::Exchange,
    http_headers: true,
    program: Some(Program::Curl),
    ..BROKER
};

const SOCKET: Transport = Transport {
    kind: TransportKind::WebSocket,
    word: "websocket",
    title: "a gateway over WebSocket",
    schemes: WEB_SOCKET,
    also: HTTP,
    example: "wss://HOST:8888",
    traffic: Traffic::Pipe,
    http_headers: true,
    ..BROKER
};

const STDIO: Transport = Transport {
    kind: TransportKind::Stdio,
    word: "stdio",
    title: "a process started by toolcrib",
    has_command: true,
    traffic: Traffic::Pipe,
    ..BROKER
};

/// Every transport, in the order in which they are offered.
pub(crate) const TRANSPORTS: &[TransportKind] = &[
    TransportKind::Embedded,
    TransportKind::Nats,
    TransportKind::RabbitMq,
    TransportKind::Pulsar,
    TransportKind::Kafka,
    TransportKind::Http,
    TransportKind::WebSocket,
    TransportKind::Stdio,
];

const fn plain_scheme(word: &'static str, port: u16) -> Scheme {
    Scheme { word, port, encrypted: false }
}

const fn encrypted_scheme(word: &'static str, port: u16) -> Scheme {
    Scheme { word, port, encrypted: true }
}

impl TransportKind {
    /// Its row: all that can be asked of it.
    #[must_use]
    pub fn spec(self) -> &'static Transport {
        match self {
            Self::Embedded => &EMBEDDED,
            Self::Nats => &NATS,
            Self::RabbitMq => &RABBITMQ,
            Self::Pulsar => &PULSAR,
            Self::Kafka => &KAFKA,
            Self::Http => &PLAIN_HTTP,
            Self::WebSocket => &SOCKET,
            Self::Stdio => &STDIO,
        }
    }

    /// The word that settings and traces name it by.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.spec().word
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.spec().title
    }

    /// Whether messages of others can be received on it, and requests of others be answered.
    #[must_use]
    pub fn is_bus(self) -> bool {
        self.spec().traffic == Traffic::Bus
    }

    /// The transport of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        TRANSPORTS.iter().copied().find(|kind| kind.as_str() == word)
    }

    /// The transport of settings that name none, by the first of their addresses.
    #[must_use]
    pub fn of_first(address: Option<&str>) -> Self {
        address.map_or(Self::Embedded, |address| Self::of_address(address).unwrap_or(Self::Nats))
    }

    /// The transport of settings that name neither one nor an address, but a command.
    #[must_use]
    pub fn of_command() -> Option<Self> {
        TRANSPORTS.iter().copied().find(|kind| kind.spec().has_command)
    }

    /// The transport that an address says by its scheme.
    #[must_use]
    pub fn of_address(address: &str) -> Option<Self> {
        let (scheme, _) = address.split_once("://")?;
        TRANSPORTS
            .iter()
            .copied()
            .find(|kind| kind.spec().schemes.iter().any(|own| own.word == scheme))
    }
}

impl Transport {
    /// The schemes that its addresses may have, the usual one first.
    pub fn accepted_schemes(&self) -> impl Iterator<Item = Scheme> {
        self.schemes.iter().chain(self.also).copied()
    }
}

/// Whether an address is one that is encrypted always.
#[must_use]
pub(crate) fn is_encrypted(address: &str) -> bool {
    let scheme = address.split_once("://").map(|(scheme, _)| scheme);
    let schemes = TRANSPORTS.iter().flat_map(|kind| kind.spec().schemes);
    schemes.filter(|known| known.encrypted).any(|known| Some(known.word) == scheme)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_row_is_found_by_its_kind_its_word_and_its_addresses() {
        let mut schemes = HashSet::new();
        for kind in TRANSPORTS.iter().copied() {
            let row = kind.spec();
            assert_eq!((row.kind, TransportKind::of_word(row.word)), (kind, Some(kind)));
            for scheme in row.schemes {
                assert_eq!(TransportKind::of_address(&format!("{}://h", scheme.word)), Some(kind));
                assert!(schemes.insert(scheme.word), "{} stands in two rows", scheme.word);
            }
            let shown = row.example.split_once("://").map(|(scheme, _)| scheme);
            assert_eq!(shown.is_some(), !row.schemes.is_empty(), "{}", row.word);
            assert!(
                shown.is_none_or(|shown| row.schemes.iter().any(|scheme| scheme.word == shown)),
                "{}",
                row.word
            );
        }
    }

    #[test]
    fn an_address_says_whether_it_is_encrypted() {
        for (address, expected) in [
            ("tls://h", true),
            ("nats://h", false),
            ("kafka+ssl://h", true),
            ("h", false),
            ("x://h", false),
        ] {
            assert_eq!(is_encrypted(address), expected, "{address}");
        }
    }
}
