//! Reads attachments where they are kept: each by its id, several at once, secrets masked.

use std::time::Duration;

use futures::{StreamExt, stream};
use serde_json::Value;

use super::management::Management;
use crate::{
    engine::mask::Mask,
    model::{attachment::CardSource, call::CallError, connection::Connection},
    systems::watched::{self, TrafficWitness},
};

/// How long it may take to learn who takes part.
const INTRODUCING: Duration = Duration::from_secs(3);

/// So many are asked for at the same time.
const AT_ONCE: usize = 6;

/// What was wanted, by its id, or why it is not here.
pub(crate) type Read = (String, Result<Value, CallError>);

/// Reads all that is wanted, in its order.
pub(crate) async fn read_cards(
    connection: &Connection,
    card_source: &CardSource,
    mask: &Mask,
) -> Vec<Read> {
    let api = match Management::for_address(connection, &card_source.api).await {
        Ok(api) => api,
        Err(problem) => {
            return card_source
                .wanted
                .iter()
                .map(|(id, _)| (id.clone(), Err(problem.clone())))
                .collect();
        }
    };
    let read = |(id, path): (String, String)| {
        let api = &api;
        async move {
            let answer = api.get(&path).await.and_then(|answer| match answer.is_good() {
                true => Ok(mask_value(answer.json(), mask)),
                false => {
                    Err(watched::card_read_error(card_source.system, answer.status, &answer.body))
                }
            });
            (id, answer)
        }
    };
    stream::iter(card_source.wanted.clone()).map(read).buffered(AT_ONCE).collect().await
}

/// Has a witness know who takes part on the connection; where that cannot be read in time, it goes
/// without.
pub(crate) async fn load_rosters(
    witness: &mut TrafficWitness,
    connection: &Connection,
    mask: &Mask,
) {
    for (system, card_source) in watched::roster_sources(connection) {
        let Ok(read) =
            tokio::time::timeout(INTRODUCING, read_cards(connection, &card_source, mask)).await
        else {
            continue;
        };
        read.into_iter()
            .filter_map(|(_, roster)| roster.ok())
            .for_each(|roster| witness.update_roster(system, &roster));
    }
}

fn mask_value(value: Value, mask: &Mask) -> Value {
    let text = value.to_string();
    match mask.mask_text(&text) {
        std::borrow::Cow::Borrowed(_) => value,
        std::borrow::Cow::Owned(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}
