//! Answering in the place of a cluster: what the workspace has, and the rules of stubs.

use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::serving::ClusterServer;
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    systems::opensearch::{cluster::state::ClusterState, settings},
    wire::{
        connector::Connector,
        systems::facets::responder::{
            PreparedResponder, Report, Responder, ResponderAbilities, ResponderRequest, Responding,
        },
    },
};

pub(crate) struct OpenSearchResponder;

/// A cluster, and where it is to listen instead of where its connection leads to.
struct PreparedCluster {
    state: ClusterState,
    listen: Option<String>,
}

impl Responder for OpenSearchResponder {
    fn is_at(&self, connection: &Connection) -> bool {
        settings::SETTINGS.is_on(connection)
    }

    fn abilities(&self) -> ResponderAbilities {
        ResponderAbilities::default()
    }

    fn prepare(
        &self,
        wanted: &ResponderRequest<'_>,
    ) -> Result<Box<dyn PreparedResponder>, Problem> {
        if let Some(word) = wanted.tools.first() {
            let cause =
                format!("a cluster answers for all of its tools; \"{word}\" alone is not served");
            return Err(Problem::new(ProblemKind::Input, "serving", cause)
                .with_remedy("leave the names out; --stub FILE says what single ones answer"));
        }
        let stubs = wanted.stubs.as_ref().map(|stubs| stubs.services.clone()).unwrap_or_default();
        Ok(Box::new(PreparedCluster {
            state: ClusterState::from_catalog(wanted.catalog, stubs),
            listen: wanted.listen.map(str::to_owned),
        }))
    }
}

impl PreparedResponder for PreparedCluster {
    fn start<'a>(
        self: Box<Self>,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Box<dyn Responding>, CallError>> {
        Box::pin(async move {
            let Self { state, listen } = *self;
            let server =
                ClusterServer::start(connection, connector.secrets(), listen.as_deref(), state)
                    .await?;
            Ok(Box::new(server) as Box<dyn Responding>)
        })
    }
}

impl Responding for ClusterServer {
    fn warnings(&self) -> Vec<String> {
        match self.is_open() {
            true => vec!["other machines can reach this address too".into()],
            false => Vec::new(),
        }
    }

    fn listening_lines(&self) -> Vec<String> {
        let places =
            self.served().into_iter().map(|(path, name)| format!("answering {path} for {name}"));
        // The address comes last, because who waits for it goes on at once.
        places.chain([format!("listening at {}", self.url())]).collect()
    }

    fn last_address(&self) -> String {
        self.url()
    }

    fn run(
        self: Box<Self>,
        reports: mpsc::Sender<Report>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()> {
        Box::pin((*self).run(reports, stop))
    }
}
