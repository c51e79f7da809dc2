//! Whether a server knows what is listened to on a connection.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;

use super::{
    bus::{Bus, SubscriptionShare},
    message::{Address, Outgoing},
};
use crate::model::{call::CallError, error_kind::ErrorKind};

/// How long a server may take to say that it received of our subscriptions.
const STARTING: Duration = Duration::from_secs(5);

/// What a server refuses is said beside the messages: once a second one is back, all that was said
/// before the first one is known.
const ROUNDS: usize = 2;

/// Sends messages around to itself: when they are back, the subscriptions before them are known to
/// the server. Answers where they went.
///
/// # Errors
/// When nothing comes back, or the server refused all of these places.
pub(crate) async fn confirm_subscriptions(
    bus: &dyn Bus,
    places: &[&Address],
) -> Result<Option<String>, CallError> {
    let Some(inbox) = bus.new_inbox() else { return Ok(None) };
    let name = inbox.name.clone();
    let mut line = bus.subscribe(&inbox, SubscriptionShare::Each).await?;
    for _ in 0..ROUNDS {
        bus.send(Outgoing {
            to: inbox.clone(),
            reply: None,
            headers: Vec::new(),
            body: Bytes::new(),
            expires: None,
        })
        .await?;
        if !matches!(timeout(STARTING, line.next()).await, Ok(Some(_))) {
            return Err(CallError {
                kind: ErrorKind::NoServer,
                message: format!("{} did not confirm that it listens", bus.display_address()),
                remedy: "check the connection and the permission to subscribe".into(),
            });
        }
    }
    let news = bus.connection_events();
    let refused = places.iter().filter(|place| news.take_refused(&place.name)).count();
    if !places.is_empty() && refused == places.len() {
        let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
        return Err(CallError {
            kind: ErrorKind::Refused,
            message: format!(
                "{} doesn't allow us to listen on {}",
                bus.display_address(),
                names.join(", ")
            ),
            remedy: "get permission to subscribe there, or use other credentials".into(),
        });
    }
    Ok(Some(name))
}
