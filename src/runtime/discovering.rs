//! Looks for services: on connections, and in files of registries.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::future;
use tokio::sync::mpsc;

use crate::{
    app::message::{ConnectionMessage, Message},
    model::{connection::Connection, problem::Problem},
    store::{key_store::KeyStore, server_configs},
    systems::discovery::{
        found::{Found, Searched},
        registry::{FILES, list_servers},
    },
    wire::{
        connector::Connector,
        discovery,
        registry::Registry,
        spawning::{spawn, spawn_blocking},
    },
};

/// How long answers are waited for where nobody says.
pub const WAIT: Duration = Duration::from_secs(2);

/// What was found, and where nothing could be asked.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    pub found: Vec<Found>,
    /// Those that were asked.
    pub searched: Vec<Searched>,
    /// What came and could not be read, each in a sentence.
    pub unread: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Asks on all of the connections at once, then looks into the files.
pub(crate) async fn discover(
    connector: &dyn Connector,
    connections: &[Connection],
    files: &[PathBuf],
    root: &Path,
    wait: Duration,
) -> Discovery {
    let asked = connections
        .iter()
        .map(|connection| discovery::search_connection(connector, connection, wait));
    let mut all = Discovery::default();
    for (connection, asked) in connections.iter().zip(future::join_all(asked).await) {
        match asked {
            Ok(search) => {
                all.found.extend(search.found);
                let place = &connection.name;
                all.unread.extend(search.unread.iter().map(|words| format!("{place}: {words}")));
                let is_whole = !search.is_partial;
                all.searched.push(Searched { connection: connection.clone(), is_whole });
            }
            Err(problem) => all.problems.push(problem),
        }
    }
    for file in files {
        match server_configs::read_config(file, root) {
            Ok(mut config) => {
                // The file was found by its canonical path.
                let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
                if let Ok(below) = config.path.strip_prefix(&root) {
                    config.path = below.to_owned();
                }
                let place = config.path.display();
                let said = config.read.findings.iter().map(|words| format!("{place}: {words}"));
                all.unread.extend(said);
                all.found.extend(list_servers(&config));
            }
            Err(problem) => all.problems.push(problem),
        }
    }
    all
}

/// Looks for servers that other programs have configured, apart from the keys.
pub(super) fn find_servers(root: PathBuf, messages: mpsc::Sender<Message>) {
    spawn_blocking(move || {
        let (configs, problems) = server_configs::find_configs(&root);
        // Asked before anything is typed for it.
        let known = ConnectionMessage::KeyStore { is_there: KeyStore::open().is_ok() };
        messages.blocking_send(Message::Connection(known))?;
        let found = ConnectionMessage::ServersFound { configs, problems };
        messages.blocking_send(Message::Connection(found))
    });
}

/// Asks where one connection leads, if anything can be asked there, and looks into the workspace's
/// registry files.
pub(super) fn spawn_search(
    registry: Arc<Registry>,
    root: PathBuf,
    messages: mpsc::Sender<Message>,
    connection: Box<Connection>,
) {
    spawn(async move {
        let asked = match discovery::can_search(&connection) {
            true => std::slice::from_ref(&*connection),
            false => &[],
        };
        let all = discover(&*registry, asked, &registry_files(&root), &root, WAIT).await;
        let Discovery { found, unread, problems, searched } = all;
        let is_whole = searched.iter().any(|one| one.is_whole);
        let searched = Searched { connection: *connection, is_whole };
        let searched = Box::new(searched);
        let found = ConnectionMessage::Discovered { searched, found, unread, problems };
        messages.send(Message::Connection(found)).await
    });
}

/// The files of registries in a workspace's folder.
#[must_use]
pub(crate) fn registry_files(root: &Path) -> Vec<PathBuf> {
    FILES.iter().map(|file| root.join(file)).filter(|path| path.is_file()).collect()
}
