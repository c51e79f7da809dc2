//! When a server says that its list has changed: says at once that its tools are others, and which
//! are no longer those that the workspace keeps.

use std::sync::Weak;

use serde_json::{Value, json};

use super::{
    kept_file,
    listing::{self, begin},
    stages::{ANSWER, CHANGED, STAGE, said},
    updates::{LISTEN, UPDATES},
};
use crate::{
    systems::mcp::version::Era,
    wire::{
        systems::facets::opener::{News, OpenedConnection},
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming},
            message_queue::QueueReceiver,
        },
    },
};

/// Watches the list of a connection's server until the connection is over.
pub(crate) async fn watch_list(opened: OpenedConnection) {
    let Some(mut receiver) = listen(&opened.bus).await else { return };
    let (mut listed, mut told) = (None, None);
    while let Some(heard) = receiver.next().await {
        let Incoming::Packet(packet) = heard else { continue };
        match said(&packet, STAGE) {
            Some(CHANGED) => {}
            Some(ANSWER) => return,
            _ => continue,
        }
        // What came meanwhile is answered by the same list.
        while receiver.try_next().is_some() {}
        let Some(bus) = opened.bus.upgrade() else { return };
        let Ok(list) = listing::list(&*bus, listing::TOOLS).await else { continue };
        let tools = list.pages.items;
        let drift = drift_of(&tools, &opened);
        // A server may say so whenever it is asked for its list.
        if listed.as_ref() != Some(&tools) {
            (opened.tell)(News::Tools(opened.name.clone()));
        }
        listed = Some(tools);
        if drift != told
            && let Some(drift) = &drift
        {
            (opened.tell)(News::Words(format!("{}: {drift}", opened.name)));
        }
        told = drift;
    }
}

/// Where the server says that a list has changed; `None` where it does not.
async fn listen(bus: &Weak<dyn Bus>) -> Option<QueueReceiver> {
    let bus = bus.upgrade()?;
    let profile = &bus.server_profile()?.json;
    if profile["server"]["capabilities"]["tools"]["listChanged"] != true {
        return None;
    }
    let version = profile["version"].as_str().unwrap_or_default();
    match Era::from_version(version) {
        Era::Legacy => {
            bus.subscribe(&Address::ephemeral(UPDATES), SubscriptionShare::Each).await.ok()
        }
        Era::Modern => {
            let params = json!({"notifications": {"toolsListChanged": true}});
            begin(&*bus, LISTEN, params.to_string()).await.ok()
        }
    }
}

/// What has changed of the tools since they were kept or locked.
fn drift_of(tools: &[Value], opened: &OpenedConnection) -> Option<String> {
    // It may be another one than when the connection was opened.
    let (root, name) = (&opened.workspace, &opened.name);
    let kept = kept_file::read_list(root, name);
    kept_file::describe_changes(Some(root), name, kept.as_ref(), tools, &opened.mask)
}
