//! Who listens for commands, and why a result does not come: asked of the server, which knows all
//! of its consumers.

use async_nats::jetstream::{Context, consumer::Info};
use futures::TryStreamExt;

use super::channel_watch::COMMANDS;
use crate::systems::commonground::{
    idempotency::{self, Marker},
    listening,
};

/// A consumer of the commands' stream.
pub(crate) struct CommandListener {
    pub name: String,
    pub filters: Vec<String>,
    info: Info,
}

/// Everyone who takes commands; `None` where the server does not tell.
pub(crate) async fn command_listeners(streams: &Context) -> Option<Vec<CommandListener>> {
    let stream = streams.get_stream_no_info(COMMANDS).await.ok()?;
    let all: Vec<Info> = stream.consumers().try_collect().await.ok()?;
    let listener = |info: Info| {
        let mut filters = info.config.filter_subjects.clone();
        filters.extend(
            (!info.config.filter_subject.is_empty()).then(|| info.config.filter_subject.clone()),
        );
        CommandListener { name: info.name.clone(), filters, info }
    };
    Some(all.into_iter().map(listener).collect())
}

/// Every filter with the name of its consumer.
pub(crate) fn listener_filters(listeners: &[CommandListener]) -> Vec<(String, String)> {
    let rows = |listener: &CommandListener| {
        let name = listener.name.clone();
        listener.filters.clone().into_iter().map(move |filter| (name.clone(), filter))
    };
    listeners.iter().flat_map(rows).collect()
}

/// Why nothing comes of what was sent to a subject, as far as its listeners show; `given_back` says
/// how often that was.
pub(crate) async fn likely_cause(streams: &Context, to: &str, given_back: u64) -> String {
    let Some(listeners) = command_listeners(streams).await else {
        return format!(
            "the server does not say who listens on {to} (the JetStream API is not open to us)"
        );
    };
    let filters = listener_filters(&listeners);
    let services = listening::services(&filters, to);
    let states = listeners.iter().filter(|listener| services.contains(&listener.name.as_str()));
    let states =
        states.map(|listener| describe_consumer(&listener.name, &listener.info, given_back));
    listening::oddity(&services, to).into_iter().chain(states).collect::<Vec<_>>().join("; ")
}

/// Whether a service listens on a subject beside those that are named; `None` where the server does
/// not say.
pub(crate) async fn others_listen(streams: &Context, to: &str, named: &[String]) -> Option<bool> {
    let filters = listener_filters(&command_listeners(streams).await?);
    Some(
        listening::services(&filters, to)
            .iter()
            .any(|service| !named.iter().any(|name| name == service)),
    )
}

/// What is odd about who listens on a subject: nobody, or several.
pub(crate) async fn listener_oddity(streams: &Context, to: &str) -> Option<String> {
    let filters = listener_filters(&command_listeners(streams).await?);
    listening::oddity(&listening::services(&filters, to), to)
}

/// The mark of a call, where the bucket has one.
pub(crate) async fn read_marker(streams: &Context, key: &str) -> Option<Marker> {
    let bucket = streams.get_key_value(idempotency::TOOL_BUCKET).await.ok()?;
    idempotency::parse_marker(&serde_json::from_slice(&bucket.get(key).await.ok()??).ok()?)
}

/// What it says of the call's way.
pub(crate) fn describe_marker(marker: &Marker) -> String {
    match marker {
        Marker::Running { .. } => {
            "its mark stays \"running\": whoever began it has not finished, and while the mark is \
             there nobody else runs it"
                .into()
        }
        Marker::Done { result_card, status, .. } => {
            let card = result_card
                .as_ref()
                .map_or_else(String::new, |card| format!(", result card {card}"));
            format!(
                "its mark says that it ran ({}{card}): only the report is missing",
                status.as_deref().unwrap_or("done")
            )
        }
    }
}

/// What a consumer does. How many messages it redelivered says nothing: the server counts those on
/// that were given up long ago.
fn describe_consumer(name: &str, info: &Info, given_back: u64) -> String {
    let (waiting, under_way) = (info.num_pending, info.num_ack_pending);
    match (waiting, under_way) {
        (0, 0) => {
            format!(
                "{name} has taken everything and has nothing under way: what it took it dropped, or its report was refused"
            )
        }
        (0, _) if given_back > 0 => format!(
            "{name} has {under_way} under way, and gave this one back {given_back} times: it fails, or its report is refused"
        ),
        (0, _) => format!("{name} has {under_way} under way: it is at work, or has stopped"),
        (_, 0) => {
            format!("{name} takes nothing, and {waiting} wait for it: its service has stopped")
        }
        _ => {
            format!("{waiting} wait for {name}, which has {under_way} under way, one after another")
        }
    }
}
