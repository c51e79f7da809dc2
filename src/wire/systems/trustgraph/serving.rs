//! Listens on the request queues of some services and answers, until it is stopped.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use tokio::{
    sync::{broadcast, mpsc},
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{beside, exchange::queue_address, offers::ServedService};
use crate::{
    engine::{
        services::sample::Asking,
        stub::play::{Step, StubOutput, body_bytes},
    },
    model::{call::CallError, error_kind::ErrorKind},
    schema::count::count_text,
    systems::trustgraph::{reply, request},
    wire::{
        spawning::boxed,
        systems::facets::decided::{
            self, AnsweredCall, DecidedAnswer, UNKNOWN, decide_answer, timed_steps,
        },
        transport::{
            bus::{Bus, SubscriptionShare},
            confirm::confirm_subscriptions,
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// How many calls are answered at once; more wait.
const AT_ONCE: usize = 64;
/// How long the answers under way may take once serving is stopped.
const DRAINING: Duration = Duration::from_secs(5);

/// Instances with this name share the requests of a service.
pub(super) const GROUP: &str = "toolcrib";

/// Services that listen already.
pub struct Serving {
    bus: Arc<dyn Bus>,
    stands: Vec<(Arc<RunningService>, QueueReceiver)>,
}

/// One service at its place.
struct RunningService {
    offer: ServedService,
    at: Address,
    answers: Option<Address>,
}

impl Serving {
    /// What the connection says from now on.
    pub fn connection_notices(&self) -> broadcast::Receiver<String> {
        self.bus.connection_events().notices.subscribe()
    }

    /// Subscribes for all of them. Once this is done, every request on the bus is received.
    pub async fn start(bus: Arc<dyn Bus>, offers: Vec<ServedService>) -> Result<Self, CallError> {
        let mut stands = Vec::with_capacity(offers.len());
        for offer in offers {
            let address = |queue: &str| queue_address(queue, bus.transport());
            let at = address(&offer.request)?;
            let answers = offer.response.as_deref().map(address).transpose()?;
            let line = bus.subscribe(&at, SubscriptionShare::OneOf(GROUP)).await?;
            stands.push((Arc::new(RunningService { offer, at, answers }), line));
        }
        let places: Vec<&Address> = stands.iter().map(|(stand, _)| &stand.at).collect();
        confirm_subscriptions(&*bus, &places).await?;
        Ok(Self { bus, stands })
    }

    /// The subjects that are listened to, with their services' names.
    #[must_use]
    pub fn subjects(&self) -> Vec<(&str, &str)> {
        self.stands
            .iter()
            .map(|(stand, _)| (stand.offer.name.as_str(), stand.at.name.as_str()))
            .collect()
    }

    /// Answers until `stop`, then ends the answers under way. Reports that nobody takes in time are
    /// left out.
    pub async fn run(self, report: Option<mpsc::Sender<AnsweredCall>>, stop: CancellationToken) {
        let Self { bus, stands } = self;
        let heard = stands.into_iter().map(|(stand, line)| {
            let next = |(stand, mut line): (Arc<RunningService>, QueueReceiver)| async move {
                line.next().await.map(|heard| ((Arc::clone(&stand), heard), (stand, line)))
            };
            stream::unfold((stand, line), next).boxed()
        });
        let mut heard = stream::select_all(heard);
        let mut under_way = JoinSet::new();
        loop {
            let next = tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = under_way.join_next(), if !under_way.is_empty() => continue,
                next = heard.next(), if under_way.len() < AT_ONCE => next,
            };
            let Some((stand, heard)) = next else { break };
            if let Incoming::Packet(packet) = heard {
                let (bus, report, stop) = (Arc::clone(&bus), report.clone(), stop.clone());
                under_way.spawn(boxed(async move {
                    let answered = handle_request(&*bus, &stand, packet, &stop).await;
                    if let Some(report) = report.filter(|_| !beside::is_probe(&answered.id)) {
                        // A slow reader of reports must not slow the answers.
                        let _ = report.try_send(answered);
                    }
                }));
            }
        }
        drop(heard);
        // What is not done by then is dropped with the set.
        let _ = timeout(DRAINING, async { while under_way.join_next().await.is_some() {} }).await;
    }
}

/// Answers one request.
async fn handle_request(
    bus: &dyn Bus,
    stand: &RunningService,
    packet: Packet,
    stop: &CancellationToken,
) -> AnsweredCall {
    let given =
        packet.headers.iter().find(|(name, _)| name == request::ID).map(|(_, id)| id.clone());
    let id = given.unwrap_or_else(|| UNKNOWN.into());
    let (user, decided) = match request::parse_request(&packet.body) {
        _ if beside::is_probe(&id) => (
            String::new(),
            DecidedAnswer::refused(ErrorKind::ToolcribServes, "toolcrib answers here".into(), ""),
        ),
        Ok(asked) => {
            let asking =
                Asking { user: &asked.user, config: &asked.config, arguments: &asked.arguments };
            let decided = decide_answer(&stand.offer.by, &asking);
            (asked.user, decided)
        }
        Err(problem) => (
            String::new(),
            DecidedAnswer::refused(ErrorKind::ToolServiceError, problem.message, ""),
        ),
    };
    let DecidedAnswer { rule, play, problem } = decided;
    let mut answered = AnsweredCall {
        service: stand.offer.name.clone(),
        id,
        user,
        rule,
        problem,
        ..AnsweredCall::default()
    };
    let Some(to) = stand.answers.clone().or(packet.reply) else {
        answered.problem = Some(CallError {
            kind: ErrorKind::NoWayBack,
            message: "the service has no response queue, and the request names no inbox".into(),
            remedy: "give the service a response-queue".into(),
        });
        return answered;
    };
    let mut steps = timed_steps(play, stop);
    while let Some(step) = steps.next().await {
        if let Err(problem) = bus.send(reply_message(&to, &answered.id, &step)).await {
            answered.is_cut = answered.pieces > 0;
            answered.problem = Some(match answered.is_cut {
                true => cut_off(bus, answered.pieces, problem),
                false => problem,
            });
            break;
        }
        answered.pieces += 1;
    }
    answered
}

/// Why an answer isn't whole; the connection itself knows only of its last piece.
fn cut_off(bus: &dyn Bus, pieces: usize, problem: CallError) -> CallError {
    if problem.kind != ErrorKind::NoServer {
        return problem;
    }
    let place = bus.display_address();
    let sent = count_text(pieces, "chunk", "chunks");
    CallError { message: format!("the connection to {place} broke after {sent}"), ..problem }
}

fn reply_message(to: &Address, id: &str, step: &Step) -> Outgoing {
    let whole = match &step.said {
        StubOutput::Chunk { text, last } => reply::chunk_body(text, *last),
        StubOutput::Error { kind, message } => reply::error_body(kind, message),
    };
    let headers = decided::reply_id(step.under, id)
        .map(|id| (request::ID.to_owned(), id.to_owned()))
        .into_iter()
        .collect();
    Outgoing {
        to: to.clone(),
        reply: None,
        headers,
        body: body_bytes(step.body, whole).into(),
        expires: None,
    }
}
