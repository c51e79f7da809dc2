//! Asks on a connection what is there: one row and one file for each source.
//!
//! [`announced`] are services that send their descriptors to a subject, [`micro`] NATS micro
//! services, [`configured`] what a running system has. [`announcer`] is the other side: it announces
//! what is served here. [`source`] says what each of them gives, [`listening`] collects
//! answers.

mod announced;
pub mod announcer;
mod configured;
mod listening;
mod micro;
mod source;

use std::time::Duration;

use futures::future;

use self::source::{Search, Source};
use super::connector::Connector;
use crate::{
    model::{catalog::Catalog, connection::Connection, problem::Problem},
    systems::{discovery::found::merge_found, table},
};

/// Every source that is asked over a connection.
const SOURCES: &[&dyn Source] =
    &[&announced::Announcements, &micro::MicroServices, &configured::Configured];

/// Whether anything can be asked where a connection leads.
#[must_use]
pub fn can_search(connection: &Connection) -> bool {
    SOURCES.iter().any(|source| source.is_at(connection))
}

/// Whether services can announce themselves where a connection leads.
#[must_use]
pub fn can_announce(connection: &Connection) -> bool {
    listening::can_ask_all(connection)
}

/// Those of a workspace's connections where something can be asked.
#[must_use]
pub fn searchable(connections: &[Connection], catalog: &Catalog) -> Vec<Connection> {
    let claimed = |connection: &Connection| table::claim_connection(connection.clone(), catalog);
    connections.iter().map(claimed).filter(can_search).collect()
}

/// Sentences about what can't be read at most; whoever floods a subject sends more.
const MOST_UNREAD: usize = 5;

/// Each sentence once, and not too many of them.
fn shorten(mut sentences: Vec<String>) -> Vec<String> {
    sentences.sort_unstable();
    sentences.dedup();
    let more = sentences.len().saturating_sub(MOST_UNREAD);
    sentences.truncate(MOST_UNREAD);
    sentences.extend((more > 0).then(|| format!("{more} more answers can't be read")));
    sentences
}

/// Asks every source where a connection leads, all at once.
///
/// # Errors
/// When none of them could be asked.
pub async fn search_connection(
    connector: &dyn Connector,
    connection: &Connection,
    wait: Duration,
) -> Result<Search, Problem> {
    let sources = SOURCES.iter().filter(|source| source.is_at(connection));
    let asked = sources.map(|source| source.search(connector, connection, wait));
    let (mut search, mut first, mut any) = (Search::default(), None, false);
    for asked in future::join_all(asked).await {
        match asked {
            Ok(one) => {
                any = true;
                search.found.extend(one.found);
                search.unread.extend(one.unread);
            }
            Err(problem) => {
                let problem = connector.secrets().hidden_in_problem(&problem);
                search.unread.push(problem.to_string());
                search.is_partial = true;
                first = first.or(Some(problem));
            }
        }
    }
    match first.filter(|_| !any) {
        Some(problem) => Err(problem),
        None => {
            search.found = merge_found(search.found);
            search.unread = shorten(search.unread);
            Ok(search)
        }
    }
}
