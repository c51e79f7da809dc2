//! Takes connections at an address, until it is stopped.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{doors::GatewayRoute, house::GatewayServer, http};
use crate::{
    model::{call::CallError, connection::Connection},
    systems::trustgraph::{
        gateway::{
            endpoints::Endpoint,
            table::{self, Table},
        },
        settings::Gateway,
    },
    wire::{
        accepting::{self, BoundAddress},
        secrets::Secrets,
        systems::facets::decided::AnsweredCall,
        transport::settings,
    },
};

/// A gateway that listens already.
pub struct OpenGateway {
    listener: TcpListener,
    at: SocketAddr,
    scheme: &'static str,
    house: GatewayServer,
}

impl OpenGateway {
    /// Listens where the connection leads to, or at another address (`HOST:PORT`); port 0 is a free
    /// one. Whoever calls must name the connection's token, where it has one.
    ///
    /// # Errors
    /// When the connection wants encryption, its token is not there, or the address is not ours to
    /// listen at.
    pub async fn start(
        connection: &Connection,
        secrets: &Secrets,
        listen: Option<&str>,
        doors: Vec<GatewayRoute>,
    ) -> Result<Self, CallError> {
        let token = settings::resolve_token(connection, secrets, "to whoever calls").await?;
        let BoundAddress { listener, at, base_path, admission } =
            BoundAddress::bind(connection, listen).await?;
        let Gateway { workspace, flow, .. } = Gateway::from_connection(connection);
        let house = GatewayServer {
            doors,
            table: None,
            flow,
            token,
            workspace,
            below: base_path,
            admission,
            reports: None,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            requests: AtomicU64::new(0),
        };
        let scheme =
            connection.transport().spec().schemes.first().map_or("http", |scheme| scheme.word);
        Ok(Self { listener, at, scheme, house })
    }

    /// The same, which also answers for that configuration, and as an agent that has its tools.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        self.house.table = Some(Mutex::new(table));
        self
    }

    /// The address to connect to, as connections are written.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}{}", self.scheme, self.at, self.house.below)
    }

    /// Whether other machines may reach it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.at.ip().is_loopback()
    }

    /// The paths that are answered at, with whom for.
    pub fn served_paths(&self) -> impl Iterator<Item = (&str, String)> {
        let own = [
            ("the configuration of this workspace", Endpoint::of_workspace(table::SERVICE)),
            ("an agent that uses the tools a question names", self.house.agent_endpoint()),
        ];
        let own = own.into_iter().filter(|(_, at)| {
            self.house.table.is_some() && !self.house.doors.iter().any(|door| door.at == *at)
        });
        let doors = self.house.doors.iter().map(|door| (door.name.as_str(), door.at.path()));
        doors.chain(own.map(|(name, at)| (name, at.path())))
    }

    /// Answers until `stop`, then ends the answers under way. Reports that nobody takes in time are
    /// left out.
    pub async fn run(self, reports: Option<mpsc::Sender<AnsweredCall>>, stop: CancellationToken) {
        let Self { listener, house, .. } = self;
        let house = Arc::new(GatewayServer { reports, stop: stop.clone(), ..house });
        let attend = |stream| http::serve_connection(stream, Arc::clone(&house));
        accepting::accept_until(listener, &house.tasks, &stop, attend).await;
    }
}
