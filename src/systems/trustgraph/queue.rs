//! Queue names as descriptors spell them, and what each broker calls them.

use crate::model::{
    problem::{Problem, ProblemKind},
    transport::TransportKind,
};

/// Who hears a message, and whether it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A work queue that is shared and not kept.
    Request,
    /// Every caller hears all.
    Response,
    /// Broadcast.
    Notify,
    /// A work queue that is shared and kept.
    Flow,
}

impl Class {
    const ALL: [(&'static str, Self); 4] = [
        ("request", Self::Request),
        ("response", Self::Response),
        ("notify", Self::Notify),
        ("flow", Self::Flow),
    ];

    /// The class of that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, class)| *class)
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, class)| *class == self).map_or("", |(name, _)| name)
    }

    fn is_shared(self) -> bool {
        matches!(self, Self::Request | Self::Flow)
    }
}

/// A queue as a descriptor names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queue<'t> {
    /// `request:tg:joke`; only the first two colons split.
    Logical { class: Class, space: &'t str, topic: &'t str },
    /// `non-persistent://tg/request/joke`.
    Address { scheme: &'t str, path: &'t str },
    /// `nats://any.subject`, taken as it is.
    Subject(&'t str),
    /// A name alone.
    Bare(&'t str),
}

/// A Pulsar topic and how TrustGraph subscribes to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PulsarTopic {
    pub address: String,
    /// `shared`, or `exclusive` where every subscriber has its own subscription.
    pub subscription: &'static str,
}

/// A RabbitMQ fanout exchange and the queues bound to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RabbitExchange {
    pub exchange: String,
    /// `named` where subscribers share one queue, else `per-subscriber`.
    pub queue: &'static str,
    pub persistent: bool,
}

impl<'t> Queue<'t> {
    /// Reads a queue name in any of its spellings.
    pub fn parse(text: &'t str) -> Result<Self, Problem> {
        if let Some((scheme, path)) = text.split_once("://") {
            return match scheme {
                "nats" => Ok(Self::Subject(path)),
                "persistent" | "non-persistent" => Ok(Self::Address { scheme, path }),
                _ => Err(queue_problem(text, format!("the scheme \"{scheme}\" is not known"))),
            };
        }
        let parts: Vec<&str> = text.splitn(3, ':').collect();
        match parts[..] {
            [class, space, topic] => match Class::parse(class) {
                Some(class) => Ok(Self::Logical { class, space, topic }),
                None => Err(queue_problem(
                    text,
                    format!("its class \"{class}\" isn't request, response, notify or flow"),
                )),
            },
            [_, _] => Err(queue_problem(text, "it has two parts instead of three")),
            _ => Ok(Self::Bare(text)),
        }
    }

    /// What Pulsar calls it; a bare name has no place there.
    pub fn pulsar_topic(&self) -> Result<PulsarTopic, Problem> {
        match self {
            Self::Logical { class, space, topic } => {
                let persistence =
                    if *class == Class::Flow { "persistent" } else { "non-persistent" };
                let subscription = if class.is_shared() { "shared" } else { "exclusive" };
                Ok(PulsarTopic {
                    address: format!("{persistence}://{space}/{}/{topic}", class.as_str()),
                    subscription,
                })
            }
            // TrustGraph takes an address as it is and never sees its class, so even a response is
            // shared.
            Self::Address { scheme, path } => {
                Ok(PulsarTopic { address: format!("{scheme}://{path}"), subscription: "shared" })
            }
            Self::Subject(_) => {
                Err(queue_problem(&self.to_string(), "Pulsar has no NATS subjects"))
            }
            Self::Bare(name) => Err(queue_problem(name, "Pulsar needs a class and a topic space")),
        }
    }

    /// What RabbitMQ calls it; addresses have no place there.
    pub fn rabbitmq_exchange(&self) -> Result<RabbitExchange, Problem> {
        let (class, space, topic) = self.logical("RabbitMQ")?;
        Ok(RabbitExchange {
            exchange: format!("{space}.{}.{topic}", class.as_str()),
            queue: if class.is_shared() { "named" } else { "per-subscriber" },
            persistent: class == Class::Flow,
        })
    }

    /// What Kafka calls it; addresses have no place there.
    pub fn kafka_topic(&self) -> Result<String, Problem> {
        let (class, space, topic) = self.logical("Kafka")?;
        let name = format!("{space}.{}.{}", class.as_str(), topic).replace(':', ".");
        check_topic(&name)?;
        Ok(name)
    }

    /// The NATS subject: without the scheme, and with a dot for every `/` and `:`. Never a
    /// wildcard.
    pub fn nats_subject(&self) -> Result<String, Problem> {
        let subject = match self {
            Self::Logical { class, space, topic } => {
                dotted(&format!("{space}.{}.{topic}", class.as_str()))
            }
            Self::Address { path, .. } => dotted(path),
            Self::Subject(subject) => (*subject).to_owned(),
            Self::Bare(name) => dotted(name),
        };
        check_subject(&subject)?;
        Ok(subject)
    }

    /// The same queue spelled so that every broker can carry it; `None` where it belongs to one
    /// broker alone.
    #[must_use]
    pub fn portable_name(&self) -> Option<String> {
        match self {
            Self::Logical { .. } => Some(self.to_string()),
            Self::Address { path, .. } => {
                let [space, class, topic] = path.splitn(3, '/').collect::<Vec<_>>()[..] else {
                    return None;
                };
                let class = Class::parse(class)?;
                (!space.is_empty() && !topic.is_empty())
                    .then(|| format!("{}:{space}:{topic}", class.as_str()))
            }
            Self::Subject(subject) => {
                let [space, class, topic] = subject.splitn(3, '.').collect::<Vec<_>>()[..] else {
                    return None;
                };
                Class::parse(class).map(|class| format!("{}:{space}:{topic}", class.as_str()))
            }
            Self::Bare(name) => Some(format!("{}:tg:{name}", Class::Flow.as_str())),
        }
    }

    fn is_persistent(&self) -> bool {
        match self {
            Self::Logical { class, .. } => *class == Class::Flow,
            Self::Address { scheme, .. } => *scheme == "persistent",
            Self::Subject(_) | Self::Bare(_) => false,
        }
    }

    fn logical(&self, broker: &str) -> Result<(Class, &'t str, &'t str), Problem> {
        match self {
            Self::Logical { class, space, topic } => Ok((*class, space, topic)),
            Self::Bare(name) => Ok((Class::Flow, "tg", name)),
            Self::Address { .. } => {
                Err(queue_problem(&self.to_string(), format!("{broker} has no Pulsar addresses")))
            }
            Self::Subject(_) => {
                Err(queue_problem(&self.to_string(), format!("{broker} has no NATS subjects")))
            }
        }
    }
}

impl std::fmt::Display for Queue<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Logical { class, space, topic } => {
                write!(f, "{}:{space}:{topic}", class.as_str())
            }
            Self::Address { scheme, path } => write!(f, "{scheme}://{path}"),
            Self::Subject(subject) => write!(f, "nats://{subject}"),
            Self::Bare(name) => f.write_str(name),
        }
    }
}

/// A queue as one transport spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueName {
    pub name: String,
    /// Its messages are kept until somebody takes them.
    pub kept: bool,
}

/// Whether a text is a queue in one of TrustGraph's own spellings, rather than a name that any
/// broker may have.
#[must_use]
pub(crate) fn is_spelled(text: &str) -> bool {
    matches!(
        Queue::parse(text),
        Ok(Queue::Logical { .. } | Queue::Address { .. } | Queue::Subject(_))
    )
}

/// Spells a queue.
type Spell = fn(&Queue<'_>) -> Result<QueueName, Problem>;

/// How each transport spells a queue.
const SPELLINGS: &[(TransportKind, Spell)] = &[
    (TransportKind::Embedded, |queue| {
        Ok(QueueName { name: queue.nats_subject()?, kept: queue.is_persistent() })
    }),
    (TransportKind::Nats, |queue| {
        Ok(QueueName { name: queue.nats_subject()?, kept: queue.is_persistent() })
    }),
    (TransportKind::RabbitMq, |queue| {
        queue
            .rabbitmq_exchange()
            .map(|rabbit| QueueName { name: rabbit.exchange, kept: rabbit.persistent })
    }),
    (TransportKind::Pulsar, |queue| {
        queue
            .pulsar_topic()
            .map(|topic| QueueName { name: topic.address, kept: queue.is_persistent() })
    }),
    (TransportKind::Kafka, |queue| {
        queue.kafka_topic().map(|name| QueueName { name, kept: queue.is_persistent() })
    }),
];

/// The queue of that name, in any of its spellings, as the transport spells it. Where it has no
/// place there, the problem's remedy offers a spelling that has.
pub(crate) fn spell_queue(queue: &str, transport: TransportKind) -> Result<QueueName, Problem> {
    let name = queue;
    let queue = Queue::parse(name)?;
    match SPELLINGS.iter().find(|(kind, _)| *kind == transport) {
        Some((_, spell)) => {
            spell(&queue).map_err(|problem| match portable_spelling(name, transport) {
                Some(better) => problem.with_remedy(format!("use {better}")),
                None => problem,
            })
        }
        None => Err(queue_problem(
            &queue.to_string(),
            format!("{} has no queues", transport.title()),
        )
        .with_remedy(
            "choose a connection to the broker itself: pulsar://, amqp://, kafka:// or nats://",
        )),
    }
}

/// Another spelling of the same queue, which every broker carries; `None` where there is none, or
/// that transport could not carry it either.
#[must_use]
pub(crate) fn portable_spelling(queue: &str, transport: TransportKind) -> Option<String> {
    let better = Queue::parse(queue).ok()?.portable_name().filter(|better| better != queue)?;
    let (_, spell) = SPELLINGS.iter().find(|(kind, _)| *kind == transport)?;
    Queue::parse(&better).is_ok_and(|queue| spell(&queue).is_ok()).then_some(better)
}

/// The NATS subject of a queue name in any spelling.
pub(crate) fn nats_subject(queue: &str) -> Result<String, Problem> {
    Queue::parse(queue)?.nats_subject()
}

fn dotted(text: &str) -> String {
    text.replace(['/', ':'], ".")
}

/// The longest subject that stays well within a server's limit for one protocol line.
const LONGEST_SUBJECT: usize = 1024;

fn check_subject(subject: &str) -> Result<(), Problem> {
    let fault = if subject.is_empty() {
        "it is empty"
    } else if subject.chars().any(|c| c.is_whitespace() || c.is_control()) {
        "it has a space or a control character"
    } else if subject.split('.').any(str::is_empty) {
        "a part of it is empty"
    } else if subject.contains(['*', '>']) {
        "it has a wildcard, but a message goes to one subject"
    } else if subject.len() > LONGEST_SUBJECT {
        "it is longer than 1024 bytes"
    } else {
        return Ok(());
    };
    Err(Problem::new(
        ProblemKind::Input,
        format!("reading the subject \"{}\"", subject.escape_debug()),
        fault,
    )
    .with_remedy("use names joined by single dots, such as tg.request.joke"))
}

/// The longest topic that Kafka takes.
const LONGEST_TOPIC: usize = 249;

fn check_topic(name: &str) -> Result<(), Problem> {
    let fault = if name.len() > LONGEST_TOPIC {
        "it is longer than 249 bytes"
    } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
        "a topic of Kafka is made of letters, digits, dots, _ and - only"
    } else {
        return Ok(());
    };
    Err(Problem::new(
        ProblemKind::Input,
        format!("reading the topic \"{}\"", name.escape_debug()),
        fault,
    )
    .with_remedy("use a name such as request:tg:NAME"))
}

fn queue_problem(queue: &str, cause: impl Into<String>) -> Problem {
    Problem::new(
        ProblemKind::Input,
        format!("reading the queue name \"{}\"", queue.escape_debug()),
        cause,
    )
    .with_remedy("use request:tg:NAME, non-persistent://tg/request/NAME, or nats://SUBJECT")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn subject(queue: &str) -> Result<String, String> {
        nats_subject(queue).map_err(|problem| problem.cause)
    }

    #[test]
    fn an_address_and_a_logical_name_give_the_same_subject() {
        assert_eq!(subject("non-persistent://tg/request/joke"), Ok("tg.request.joke".into()));
        assert_eq!(subject("request:tg:joke"), Ok("tg.request.joke".into()));
        assert_eq!(subject("persistent://tg/flow/a/b"), Ok("tg.flow.a.b".into()));
        assert_eq!(
            subject("request:tg:agent:default:flow"),
            Ok("tg.request.agent.default.flow".into())
        );
    }

    #[test]
    fn a_nats_subject_is_literal() {
        assert_eq!(subject("nats://my.own:subject/x"), Ok("my.own:subject/x".into()));
        assert_eq!(subject("joke"), Ok("joke".into()));
    }

    #[test]
    fn what_cannot_be_a_subject_is_refused_with_its_reason() {
        for (queue, word) in [
            ("", "empty"),
            ("nats://", "empty"),
            ("nats://a..b", "part"),
            ("nats://.a", "part"),
            ("nats://a.", "part"),
            ("non-persistent://tg//joke", "part"),
            ("nats://tg.*", "wildcard"),
            ("nats://tg.>", "wildcard"),
            ("request:tg:my joke", "space"),
            ("nats://a\nPUB b", "space"),
            ("request:joke", "two parts"),
            ("asks:tg:joke", "class"),
            ("http://tg/request/joke", "scheme"),
        ] {
            let cause = subject(queue).unwrap_err();
            assert!(cause.contains(word), "{queue:?}: {cause}");
        }
    }

    #[test]
    fn brokers_differ_in_the_colons_of_a_topic() {
        let queue = Queue::parse("request:tg:agent:a:b").unwrap();
        assert_eq!(queue.rabbitmq_exchange().unwrap().exchange, "tg.request.agent:a:b");
        assert_eq!(queue.kafka_topic().unwrap(), "tg.request.agent.a.b");
        assert_eq!(queue.pulsar_topic().unwrap().address, "non-persistent://tg/request/agent:a:b");
    }

    #[test]
    fn a_bare_name_is_a_flow_except_on_pulsar() {
        let queue = Queue::parse("joke").unwrap();
        assert_eq!(queue.rabbitmq_exchange().unwrap().exchange, "tg.flow.joke");
        assert_eq!(queue.kafka_topic().unwrap(), "tg.flow.joke");
        assert!(queue.pulsar_topic().is_err());
    }

    proptest! {
        #[test]
        fn a_subject_that_passes_can_be_published_to(queue in "\\PC{0,40}|[a-z:/.*> ]{0,30}") {
            if let Ok(subject) = nats_subject(&queue) {
                prop_assert!(!subject.is_empty() && subject.split('.').all(|token| !token.is_empty()));
                prop_assert!(!subject.contains(|c: char| c.is_whitespace() || c.is_control() || c == '*' || c == '>'));
            }
        }
    }
}
