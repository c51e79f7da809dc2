//! What is notified of a command before it is sent: who listens, and what the service will make of
//! it.

use async_nats::jetstream::Context as Streams;

use super::{calling::Calling, cause};
use crate::{
    systems::commonground::{
        command::Command,
        known::Known,
        preflight::{self, CommandWorld, ServiceKind},
        subject::Subject,
    },
    wire::session::event_sink::SinkClosed,
};

/// Says what will come of the command, with what is known of the world beside who listens.
pub(crate) async fn tell_faults(
    calling: &mut Calling<'_>,
    streams: &Streams,
    known: CommandWorld,
) -> Result<(), SinkClosed> {
    let listeners = cause::command_listeners(streams)
        .await
        .map_or(Known::Unknown, |listeners| Known::Found(cause::listener_filters(&listeners)));
    let to = calling.call_context.request.to.clone();
    let service = Subject::parse(&to)
        .map_or(ServiceKind::Plain, |subject| ServiceKind::from_target(&subject.target));
    let world = CommandWorld { service, listeners, ..known };
    let body = String::from_utf8_lossy(&calling.request_body()).into_owned();
    let command = Command { subject: to, headers: calling.request_headers(), body };
    for fault in preflight::preflight_command(&command, &world) {
        calling.sink.emit_stage("preflight", format!("before sending: {fault}"), "").await?;
    }
    Ok(())
}
