//! Services that announce themselves: those that answer a question for descriptors, and those that
//! start while somebody listens.

use std::time::Duration;

use futures::future::BoxFuture;

use super::{
    listening::{ask_all, can_ask_all, collect_until, end_of, open_bus, search_problem},
    source::{Search, Source},
};
use crate::{
    model::{call::CallError, connection::Connection, problem::Problem},
    systems::discovery::announcement::{SUBJECT, is_question, read_announcement},
    wire::{
        connector::Connector,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Packet},
        },
    },
};

pub(super) struct Announcements;

impl Source for Announcements {
    fn is_at(&self, connection: &Connection) -> bool {
        can_ask_all(connection)
    }

    fn search<'a>(
        &'a self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        wait: Duration,
    ) -> BoxFuture<'a, Result<Search, Problem>> {
        Box::pin(async move {
            let bus = open_bus(connector, connection).await?;
            let packets =
                listen(&*bus, wait).await.map_err(|error| search_problem(connection, error))?;
            let mut search = Search::default();
            for packet in packets.iter().filter(|packet| !is_question(&packet.body)) {
                match read_announcement(&connection.name, &packet.body) {
                    Ok(found) => search.found.extend(found),
                    Err(why) => search.unread.push(why),
                }
            }
            Ok(search)
        })
    }
}

async fn listen(bus: &dyn Bus, wait: Duration) -> Result<Vec<Packet>, CallError> {
    let subject = Address::ephemeral(SUBJECT);
    let starting = bus.subscribe(&subject, SubscriptionShare::Each).await?;
    let answers = ask_all(bus, SUBJECT).await?;
    let until = end_of(wait);
    let (mut packets, started) =
        tokio::join!(collect_until(answers, until), collect_until(starting, until));
    packets.extend(started);
    Ok(packets)
}
