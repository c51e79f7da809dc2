//! NATS micro services, by their answers on `$SRV.INFO` and `$SRV.PING`.

use std::{collections::BTreeSet, time::Duration};

use futures::future::BoxFuture;

use super::{
    listening::{ask_all, can_ask_all, collect_until, end_of, open_bus, search_problem},
    source::{Search, Source},
};
use crate::{
    model::{call::CallError, connection::Connection, problem::Problem},
    systems::discovery::micro::{Verb, read_answer, subject},
    wire::{
        connector::Connector,
        transport::{bus::Bus, message::Packet},
    },
};

pub(super) struct MicroServices;

impl Source for MicroServices {
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
            let answers =
                ask(&*bus, wait).await.map_err(|error| search_problem(connection, error))?;
            let mut search = Search::default();
            let mut known = BTreeSet::new();
            // Those that only answer a ping come last, and count where they are not known.
            for packet in answers {
                match read_answer(&connection.name, &packet.body) {
                    Ok(one) if known.insert((one.found.name.clone(), one.id.clone())) => {
                        search.found.push(one.found);
                    }
                    Ok(_) => {}
                    Err(why) => search.unread.push(why),
                }
            }
            Ok(search)
        })
    }
}

async fn ask(bus: &dyn Bus, wait: Duration) -> Result<Vec<Packet>, CallError> {
    let infos = ask_all(bus, &subject(Verb::Info)).await?;
    let pings = ask_all(bus, &subject(Verb::Ping)).await?;
    let until = end_of(wait);
    let (mut answers, pinged) =
        tokio::join!(collect_until(infos, until), collect_until(pings, until));
    answers.extend(pinged);
    Ok(answers)
}
