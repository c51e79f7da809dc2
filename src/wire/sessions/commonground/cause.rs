//! Who listens for commands, and why a result does not come: asked of the server, which knows all of its consumers.

use async_nats::jetstream::{Context, consumer::Info};
use futures::TryStreamExt;

use super::sight::COMMANDS;
use crate::systems::commonground::subject;

/// A consumer of the commands' stream.
pub struct Listener {
    pub name: String,
    pub filters: Vec<String>,
    info: Info,
}

/// Everyone who takes commands; `None` where the server does not tell.
pub async fn listeners(streams: &Context) -> Option<Vec<Listener>> {
    let stream = streams.get_stream_no_info(COMMANDS).await.ok()?;
    let all: Vec<Info> = stream.consumers().try_collect().await.ok()?;
    let listener = |info: Info| {
        let mut filters = info.config.filter_subjects.clone();
        filters.extend((!info.config.filter_subject.is_empty()).then(|| info.config.filter_subject.clone()));
        Listener { name: info.name.clone(), filters, info }
    };
    Some(all.into_iter().map(listener).collect())
}

/// Every filter with the name of its consumer.
pub fn filters(listeners: Vec<Listener>) -> Vec<(String, String)> {
    let rows = |Listener { name, filters, .. }| filters.into_iter().map(move |filter| (String::clone(&name), filter));
    listeners.into_iter().flat_map(rows).collect()
}

/// Those among them that are services for a subject: whoever only reads along takes the whole channel.
fn services<'l>(listeners: &'l [Listener], to: &str) -> Vec<&'l Listener> {
    let target = to.split('.').nth(6);
    let serves = |filter: &String| subject::overlap(filter, to) && filter.split('.').nth(6) == target;
    listeners.iter().filter(|listener| listener.filters.iter().any(serves)).collect()
}

/// Why nothing comes of what was sent to a subject, as far as its listeners show.
pub async fn likely(streams: &Context, to: &str) -> String {
    let Some(listeners) = listeners(streams).await else {
        return format!("the server does not say who listens on {to} (the JetStream API is not open to us)");
    };
    let services = services(&listeners, to);
    if services.is_empty() {
        return format!("no consumer covers {to}: its service does not run, or listens elsewhere");
    }
    services.into_iter().map(|listener| state(&listener.name, &listener.info)).collect::<Vec<_>>().join("; ")
}

fn state(name: &str, info: &Info) -> String {
    let (waiting, under_way, again) = (info.num_pending, info.num_ack_pending, info.num_redelivered);
    match (waiting, under_way) {
        (0, 0) => {
            format!("{name} has taken everything and has nothing under way: what it took it dropped, or its report was refused")
        }
        (0, _) if again > 0 => format!(
            "{name} has {under_way} under way, {again} of them not for the first time: it fails, or its report is refused"
        ),
        (0, _) => format!("{name} has {under_way} under way: it is at work, or has stopped"),
        (_, 0) => format!("{name} takes nothing, and {waiting} wait for it: its service has stopped"),
        _ => format!("{waiting} wait for {name}, which has {under_way} under way, one after another"),
    }
}
