//! What a connection of a sample leads to, answered for by this process while the sample is open.

use std::{path::Path, sync::mpsc, thread};

use tokio::sync::mpsc as reporting;
use tokio_util::sync::CancellationToken;

use super::{opened::OpenWorkspace, out::CommandOutput, stubs};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    runtime::registry,
    wire::systems::{
        facets::responder::{PreparedResponder, ResponderRequest, Stubs},
        table,
    },
};

/// Where it listens: at any free port of this machine.
const ADDRESS: &str = "127.0.0.1:0";
/// Reports that wait for nobody.
const QUEUE: usize = 1;

const DOING: &str = "answering for the sample";

/// Answers until it is dropped.
pub(crate) struct StandIn {
    stop: CancellationToken,
    /// The connection, which leads here instead.
    pub connection: Connection,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl StandIn {
    /// Answers by a stub file in the place of where the workspace's connection leads to.
    ///
    /// # Errors
    /// When nobody can answer there, or the stub cannot be read.
    pub fn start(
        opened: &OpenWorkspace,
        stub: &Path,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        let connection = opened.current_connection();
        let responder = table::responder_at(&connection).ok_or_else(|| {
            let cause = format!(
                "toolcrib can't answer for the system behind connection \"{}\"",
                connection.name
            );
            Problem::new(ProblemKind::Input, DOING, cause)
        })?;
        let prepared = responder.prepare(&ResponderRequest {
            connection: &connection,
            catalog: &opened.catalog,
            tools: &[],
            stubs: Some(Stubs {
                file: &stub.display().to_string(),
                services: stubs::read_services(stub, out)?,
            }),
            by_hand: None,
            backlog: false,
            listen: Some(ADDRESS),
            lookup: opened,
            warn: &|words| out.warn(words),
        })?;
        let stop = CancellationToken::new();
        let (tell, told) = mpsc::channel();
        let (stopped, own) = (stop.clone(), connection.clone());
        thread::spawn(move || run_apart(prepared, &own, stopped, &tell));
        let failed = |cause: String| Problem::new(ProblemKind::Unreachable, DOING, cause);
        let address = told
            .recv()
            .map_err(|error| failed(error.to_string()))?
            .map_err(|problem| failed(problem.message).with_remedy(problem.remedy))?;
        // Under a name of its own it stays when the settings are read again.
        let name = format!("{} (this process)", connection.name);
        let here = connection.with_addresses(vec![address]);
        Ok(Self { stop, connection: Connection { name, ..here } })
    }
}

/// Listens, says where, and answers until `stop`.
fn run_apart(
    prepared: Box<dyn PreparedResponder>,
    connection: &Connection,
    stop: CancellationToken,
    tell: &mpsc::Sender<Result<String, CallError>>,
) {
    // Without a runtime the sender is dropped, of which whoever waits is notified.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return;
    };
    runtime.block_on(async {
        let registry = registry::of_system();
        match prepared.start(&registry, connection).await {
            Ok(responding) => {
                let (reports, _) = reporting::channel(QUEUE);
                let told = tell.send(Ok(responding.last_address()));
                if told.is_ok() {
                    responding.run(reports, stop).await;
                }
            }
            // Whoever waits is notified; nobody else is there.
            Err(problem) => drop(tell.send(Err(problem))),
        }
    });
}
