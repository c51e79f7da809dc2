//! How Pulsar refuses, in words that tell the way out.

use crate::model::{call::CallProblem, size};

fn problem(kind: &str, message: String, remedy: &str) -> CallProblem {
    CallProblem { kind: kind.into(), message, remedy: remedy.into() }
}

/// The broker would not do what it was asked, with its number for the reason.
pub fn refused(place: &str, doing: &str, at: &str, number: i32, said: &str) -> CallProblem {
    let message = format!("{place} does not let us {doing} {at}: {}", if said.is_empty() { "it says no more" } else { said });
    let (kind, remedy) = match number {
        3 => ("refused", "check the token or password of this connection"),
        4 => ("refused", "ask for permission to produce and consume there, or use other credentials"),
        5 => ("refused", "end the other consumer of that subscription"),
        6 => ("no-server", "the broker is not ready yet; try again in a moment"),
        7 | 8 => ("refused", "the topic's backlog is full; let its services catch up"),
        11 => ("no-responders", "start the service; the namespace does not make topics by itself"),
        14 => ("refused", "the broker has too much to do; try again in a moment"),
        17 => ("bad-subject", "write the queue as request:tg:NAME or non-persistent://TENANT/NAMESPACE/NAME"),
        _ => (
            "refused",
            "see the broker's log; often the tenant or namespace is missing: pulsar-admin namespaces create tg/request",
        ),
    };
    problem(kind, message, remedy)
}

/// The connection ended while something was waited for.
pub fn lost(place: &str) -> CallProblem {
    problem(
        "connection-lost",
        format!("the connection to {place} broke before it had confirmed"),
        "send it again once the connection is back",
    )
}

/// The broker would not have us.
pub fn unwelcome(place: &str, number: i32, said: &str) -> CallProblem {
    if matches!(number, 3 | 4) {
        let remedy = "check the token or password of this connection";
        return problem("refused", format!("{place} refused our credentials: {said}"), remedy);
    }
    problem("refused", format!("{place} does not let us in: {said}"), "see the broker's log")
}

pub fn no_pulsar(place: &str) -> CallProblem {
    problem(
        "no-server",
        format!("{place} did not greet us as Pulsar does"),
        "check that the address is a Pulsar broker's, not its web port, and whether it is encrypted (pulsar+ssl://)",
    )
}

pub fn too_large(place: &str, size: usize, most: usize) -> CallProblem {
    problem(
        "too-large",
        format!(
            "the message is {} ({size} bytes), and {place} takes at most {} ({most} bytes)",
            size::bytes(size as u64),
            size::bytes(most as u64)
        ),
        "send less, or raise maxMessageSize in the broker's configuration",
    )
}

/// The broker says that another one has the topic, and that one cannot be reached.
pub fn elsewhere(place: &str, url: &str, at: &str, cause: &CallProblem) -> CallProblem {
    problem(
        &cause.kind,
        format!("{place} says that {at} is at {url}, and there: {}", cause.message),
        "set the broker's advertisedAddress (or a listener) to one that can be reached from here, or go through its proxy",
    )
}

/// The broker sends us on to one that it knows no encrypted address of.
pub fn unencrypted(place: &str, url: &str, at: &str) -> CallProblem {
    problem(
        "tls",
        format!("{place} sends us on to {url} for {at}, which is not encrypted, and this connection is; nothing was sent there"),
        "give that broker an encrypted address (brokerServicePortTls, advertised as pulsar+ssl://), or go through its proxy",
    )
}

pub fn no_lookup(place: &str, at: &str) -> CallProblem {
    problem("no-server", format!("{place} does not say which broker has {at}"), "see the broker's log, and try again in a moment")
}
