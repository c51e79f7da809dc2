//! Where to listen to a whole channel without anybody noticing.

use super::super::idempotency::TOOL_BUCKET;
use crate::{
    model::connection::Connection,
    systems::{
        commonground::settings::Channel,
        facets::observer::{Place, Usual},
    },
};

/// Everything of the channel that a connection leads to, the marks of its project's calls, and what
/// the broker reports messages that services refuse; `None` where it leads to no channel.
///
/// Subjects of fewer than eight tokens are left out: no stream keeps them, so whoever publishes
/// there is refused at once, unless somebody listens. Then the publisher would wait for an
/// acknowledgement in vain, and the watch would have changed what it watches.
#[must_use]
pub(crate) fn default_watch(connection: &Connection) -> Option<Usual> {
    let channel =
        Channel::from_connection(connection).filter(|_| connection.transport().is_bus())?;
    let (version, project) = (&channel.version, &channel.project);
    let refused = ["MSG_NAKED", "MAX_DELIVERIES"]
        .map(|kind| format!("$JS.EVENT.ADVISORY.CONSUMER.{kind}.cg_cmd_{version}.>"));
    let names = [
        format!("cg.{version}.{project}.{}.*.*.*.>", channel.channel),
        format!("$KV.{TOOL_BUCKET}.tool.{project}.>"),
    ];
    let places = names.into_iter().chain(refused).map(|name| Place { name, kept: false }).collect();
    Some(Usual {
        words: format!("all of channel {} of project {project}", channel.channel),
        places,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::commonground::settings::Channel;

    #[test]
    fn a_channel_is_heard_but_for_subjects_that_no_stream_keeps() {
        let nats = Connection::nats("lab", "nats://127.0.0.1:4222");
        assert_eq!(default_watch(&nats), None);
        let heard = default_watch(&Channel::new("lab", "public").apply_to(nats)).unwrap();
        let names: Vec<String> = heard.places.into_iter().map(|place| place.name).collect();
        assert_eq!(names[..2], ["cg.v1r4.lab.public.*.*.*.>", "$KV.cg_tool_idem_v1.tool.lab.>"]);
        assert_eq!(names[3], "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.cg_cmd_v1r4.>");
    }
}
