//! `toolcrib serve --announce`: what is served says itself which services it has.

use tokio_util::sync::CancellationToken;

use crate::{
    cli::{ending::StopReason, out::CommandOutput},
    model::{
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    runtime::now::{now_millis, rfc3339},
    schema::count::count_text,
    systems::discovery::{announcement::SUBJECT, micro::MicroService},
    wire::{
        connector::Connector,
        discovery::{
            announcer::{Announced, Announcer, ReportCounts},
            can_announce,
        },
        spawning::spawn,
        systems::facets::responder::{Responding, ServedTarget},
    },
};

/// That services can announce themselves on a connection.
///
/// # Errors
/// When they can't.
pub(super) fn check_connection(connection: &Connection) -> Result<(), Problem> {
    if can_announce(connection) {
        return Ok(());
    }
    let title = connection.transport().title();
    let cause = format!("services can't announce themselves over {title}");
    Err(Problem::new(ProblemKind::Input, "serving", cause)
        .with_remedy("take --announce out, or serve on NATS: --connection nats://127.0.0.1:4222"))
}

/// Announces what is served, until `stop`; what is done is counted in the answer.
pub(super) async fn announce(
    connector: &dyn Connector,
    connection: &Connection,
    responding: &dyn Responding,
    stop: &CancellationToken,
    out: &CommandOutput,
) -> Result<ReportCounts, StopReason> {
    let targets = responding.announced_services();
    let count = count_text(targets.len(), "service", "services");
    let counts = ReportCounts::default();
    let failed = |error: CallError| {
        let doing = format!("announcing on {}", connection.name);
        Problem::new(ProblemKind::Unreachable, doing, error.message).with_remedy(error.remedy)
    };
    let bus = connector.open_bus(connection).await.map_err(failed)?;
    let started = rfc3339(now_millis());
    let announced = targets.into_iter().map(|target| to_announced(target, &started)).collect();
    let announcer = Announcer::start(bus, announced, counts.clone()).await.map_err(failed)?;
    spawn(announcer.run(stop.clone()));
    out.print_status(format_args!("announced {count} on {SUBJECT}, and as NATS micro services"));
    Ok(counts)
}

fn to_announced(target: ServedTarget, started: &str) -> Announced {
    let ServedTarget { name, about, subject, group, descriptor } = target;
    let service = MicroService {
        name: MicroService::plain_name(&name),
        id: uuid::Uuid::new_v4().simple().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        description: about,
        subject,
        group,
        descriptor,
        started: started.to_owned(),
    };
    Announced { served_as: name, service }
}
