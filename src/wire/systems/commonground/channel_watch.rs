//! What passes in a channel while a call is under way, and what the server says of its deliveries.
//! Only looks on.

use async_nats::jetstream::Context;

use crate::{
    model::call::CallError,
    systems::commonground::{
        clue::{self, Advice, CallClue, CallIdentity},
        headers,
        settings::Channel,
        subject,
    },
    wire::transport::{
        bus::{Bus, SubscriptionShare},
        message::{Address, Incoming, Packet},
        message_queue::QueueReceiver,
    },
};

/// The stream that keeps commands.
pub(crate) const COMMANDS: &str = "cg_cmd_v1r4";

/// The stream that keeps events.
pub(crate) const EVENTS: &str = "cg_evt_v1r4";

const ADVISORIES: [&str; 2] = [
    "$JS.EVENT.ADVISORY.CONSUMER.MSG_NAKED.cg_cmd_v1r4.>",
    "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.cg_cmd_v1r4.>",
];

/// Open ears.
pub(crate) struct ChannelWatch {
    channel: QueueReceiver,
    advisories: Vec<QueueReceiver>,
}

/// Something that was seen.
pub(crate) enum SeenMessage {
    Clue(CallClue),
    Advice(Advice),
}

impl ChannelWatch {
    /// Begins to listen; without permission for the server's advisories it goes on without them.
    pub async fn subscribe(bus: &dyn Bus, channel: &Channel) -> Result<Self, CallError> {
        let all = Address::ephemeral(subject::channel_filter(&channel.project, &channel.channel));
        let channel = bus.subscribe(&all, SubscriptionShare::Observer).await?;
        let mut advisories = Vec::new();
        for place in ADVISORIES {
            advisories.extend(
                bus.subscribe(&Address::ephemeral(place), SubscriptionShare::Observer).await.ok(),
            );
        }
        Ok(Self { channel, advisories })
    }

    /// The next thing that concerns the call; `None` when the connection is gone.
    pub async fn next(&mut self, wanted: &CallIdentity) -> Option<SeenMessage> {
        loop {
            let Self { channel, advisories } = self;
            let mut asides =
                advisories.iter_mut().map(|line| Box::pin(line.next())).collect::<Vec<_>>();
            let heard = if asides.is_empty() {
                channel.next().await
            } else {
                tokio::select! {
                    heard = channel.next() => heard,
                    (heard, ..) = futures::future::select_all(&mut asides) => heard,
                }
            };
            let Incoming::Packet(packet) = heard? else { continue };
            if let Some(seen) = parse_seen(&packet, wanted) {
                return Some(seen);
            }
        }
    }
}

fn parse_seen(packet: &Packet, wanted: &CallIdentity) -> Option<SeenMessage> {
    let subject = packet.subject.as_deref()?;
    if subject.starts_with('$') {
        return clue::parse_advisory(subject, &packet.body).map(SeenMessage::Advice);
    }
    clue::find_clue(subject, &packet.headers, &packet.body, wanted).map(SeenMessage::Clue)
}

/// Whether the message at that place of the stream is a command of the call.
pub(crate) async fn is_of_call(streams: &Context, sequence: u64, wanted: &CallIdentity) -> bool {
    let Ok(stream) = streams.get_stream_no_info(COMMANDS).await else { return false };
    let Ok(message) = stream.get_raw_message(sequence).await else { return false };
    let own = message.headers.get(headers::CALL).is_some_and(|call| call.as_str() == wanted.call);
    let action = || {
        serde_json::from_slice::<serde_json::Value>(&message.payload)
            .is_ok_and(|body| body["action_id"] == wanted.call.as_str())
    };
    own || action()
}
