//! Follows a resource: its server is asked, in the way of its era, to say when it changes.

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    listing::{PATIENCE, begin, refused, reply, request},
    stages::{ANSWER, STAGE, SUBSCRIBED, UPDATED, said},
};
use crate::{
    model::{call::CallError, error_kind::ErrorKind, server_item::ItemRequest},
    systems::mcp::{items, rpc::frame::Frame, version::Era},
    wire::{
        systems::facets::inspector::ResourceUpdates,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// The place on an open connection at which every resource is named that the server says has
/// changed.
pub(crate) const UPDATES: &str = "updates";

pub(crate) const LISTEN: &str = "subscriptions/listen";
const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";

/// A resource that is followed.
struct FollowedResource {
    uri: String,
    era: Era,
    receiver: QueueReceiver,
}

/// Asks a server to say when a resource changes.
///
/// # Errors
/// When what is asked for is no resource, or the server refuses.
pub(crate) async fn follow_resource(
    bus: &dyn Bus,
    asked: &ItemRequest,
) -> Result<Box<dyn ResourceUpdates>, CallError> {
    let (_, params) = items::read_request(asked);
    let Some(uri) = params["uri"].as_str().map(str::to_owned) else {
        let message = "only resources can be followed";
        return Err(CallError::new(ErrorKind::BadRequest, message, "read it again instead"));
    };
    let version = bus.server_profile().and_then(|profile| profile.json["version"].as_str());
    let era = version.map_or(Era::Legacy, Era::from_version);
    let receiver = match era {
        // Listened to before it is asked, so that no update is missed.
        Era::Legacy => {
            let place = Address::ephemeral(UPDATES);
            let receiver = bus.subscribe(&place, SubscriptionShare::Each).await?;
            request(bus, SUBSCRIBE, &json!({"uri": uri})).await?;
            receiver
        }
        Era::Modern => listen(bus, &uri).await?,
    };
    Ok(Box::new(FollowedResource { uri, era, receiver }))
}

/// Opens a subscription of the modern era, and waits until the server says that it will serve it.
async fn listen(bus: &dyn Bus, uri: &str) -> Result<QueueReceiver, CallError> {
    let params = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let mut receiver = begin(bus, LISTEN, params.to_string()).await?;
    let acknowledged = async {
        loop {
            let packet = next_packet(&mut receiver).await?;
            match said(&packet, STAGE) {
                Some(SUBSCRIBED) => return Ok(packet),
                Some(ANSWER) => return Err(ended(&packet)),
                _ => {}
            }
        }
    };
    let packet = timeout(PATIENCE, acknowledged).await.unwrap_or_else(|_| {
        let message = format!("{LISTEN} was not acknowledged within {} s", PATIENCE.as_secs());
        Err(CallError::new(ErrorKind::TimedOut, message, "check the server"))
    })?;
    let served = frame_params(&packet)["notifications"]["resourceSubscriptions"].take();
    let is_served = served.as_array().is_some_and(|uris| uris.iter().any(|known| known == uri));
    match is_served {
        true => Ok(receiver),
        false => {
            let message = "the server does not say when its resources change";
            let kind = ErrorKind::parse("not-followed");
            Err(CallError::new(kind, message, "read it again instead"))
        }
    }
}

fn frame_params(packet: &Packet) -> Value {
    Frame::parse(String::from_utf8_lossy(&packet.body).into_owned()).params()
}

async fn next_packet(receiver: &mut QueueReceiver) -> Result<Packet, CallError> {
    loop {
        match receiver.next().await {
            Some(Incoming::Packet(packet)) => return Ok(packet),
            Some(Incoming::Failed(problem)) => return Err(problem),
            Some(_) => {}
            None => {
                let message = "the connection ended";
                return Err(CallError::new(ErrorKind::ConnectionLost, message, "follow it again"));
            }
        }
    }
}

/// Why a subscription was answered, which ends it.
fn ended(packet: &Packet) -> CallError {
    match reply(packet).get("error") {
        Some(error) => refused(LISTEN, error),
        None => {
            let message = "the server ended the subscription";
            CallError::new(ErrorKind::ConnectionLost, message, "follow it again")
        }
    }
}

impl ResourceUpdates for FollowedResource {
    fn next(&mut self) -> BoxFuture<'_, Result<String, CallError>> {
        Box::pin(async {
            loop {
                let packet = next_packet(&mut self.receiver).await?;
                match said(&packet, STAGE) {
                    Some(ANSWER) => return Err(ended(&packet)),
                    Some(UPDATED) => {}
                    _ => continue,
                }
                let params = frame_params(&packet);
                // It may also be one below that which is followed.
                let uri = params["uri"].as_str().filter(|uri| uri.starts_with(&self.uri));
                if let Some(uri) = uri {
                    return Ok(uri.to_owned());
                }
            }
        })
    }

    fn end(self: Box<Self>, bus: &dyn Bus) -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(async move {
            match self.era {
                Era::Legacy => request(bus, UNSUBSCRIBE, &json!({"uri": self.uri})).await.map(drop),
                Era::Modern => {
                    self.receiver.unsubscribe().await;
                    Ok(())
                }
            }
        })
    }
}
