//! Answers CommonGround's commands in the place of tools' services: listens for each tool, and
//! answers several at once.

use std::time::Duration;

use async_nats::jetstream::{
    Context as Streams,
    consumer::{AckPolicy, Consumer, DeliverPolicy, pull},
};
use futures::{
    StreamExt,
    stream::{self, FuturesUnordered},
};
use tokio::{
    runtime::Handle,
    sync::{Mutex, mpsc},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    answered_command::{AnsweredCommand, CommandContext},
    asking::AnsweredTool,
    calling::{known_project, required_channel},
    cause,
    channel_watch::COMMANDS,
    tables::Tables,
};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    systems::commonground::{
        idempotency,
        settings::Channel,
        subject::{self, Subject},
    },
    wire::{management::Management, secrets::Secrets, spawning::boxed, transport::bus::Bus},
};

/// As upstream's own services have it.
const ACK_WAIT: Duration = Duration::from_secs(30);
const DELIVERIES: i64 = 3;
/// The consumer goes when nobody has asked it for so long.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// Calls that are under way at once at most; more wait with the server.
const AT_ONCE: usize = 64;
/// How long removing a consumer may take.
const REMOVING: Duration = Duration::from_secs(2);

/// Which commands are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartPoint {
    /// Those that come from now on.
    Now,
    /// Those too that the stream already keeps and nobody answered.
    Waiting,
}

/// Tools that are answered for, with consumers that listen already.
pub(crate) struct Executor {
    desk: CommandContext,
    stands: Vec<(AnsweredTool, OwnConsumer)>,
    /// What is odd about the start, for people.
    pub warnings: Vec<String>,
}

/// A consumer of our own, which is removed from the server at the end.
struct OwnConsumer {
    messages: Option<pull::Stream>,
    consumer: OwnConsumerName,
}

/// Its name, and the way to the server that has it.
struct OwnConsumerName {
    streams: Streams,
    name: String,
}

impl OwnConsumerName {
    /// Its removal, once.
    fn start_removal(&mut self) -> impl Future<Output = ()> + use<> {
        remove_consumer(self.streams.clone(), std::mem::take(&mut self.name))
    }
}

impl Drop for OwnConsumerName {
    /// One that was never listened with, or whose listener was dropped, goes too.
    fn drop(&mut self) {
        if let (false, Ok(runtime)) = (self.name.is_empty(), Handle::try_current()) {
            runtime.spawn(boxed(self.start_removal()));
        }
    }
}

/// Removes a consumer. A server that does not answer removes it by itself, later.
async fn remove_consumer(streams: Streams, name: String) {
    let removing = async {
        let stream = streams.get_stream_no_info(COMMANDS).await.ok()?;
        stream.delete_consumer(&name).await.ok()
    };
    let _ = timeout(REMOVING, removing).await;
}

impl Executor {
    /// Makes a consumer of its own for each tool, which is removed with us.
    ///
    /// # Errors
    /// When the connection leads to no channel, or its server keeps no commands.
    pub async fn start(
        connection: &Connection,
        bus: &dyn Bus,
        secrets: &Secrets,
        stands: Vec<AnsweredTool>,
        from: StartPoint,
    ) -> Result<Self, CallError> {
        let channel = required_channel(connection)?;
        let streams = bus.jetstream_context().ok_or_else(|| {
            CallError::new(
                ErrorKind::NoStreams,
                format!("{} is no NATS server", bus.display_address()),
                "choose a connection nats://…",
            )
        })?;
        let api = match &channel.api {
            Some(address) => {
                let api = Management::for_address(connection, address).await?;
                known_project(&api, &channel.project).await?;
                Some(api)
            }
            None => None,
        };
        let mut warnings = Vec::new();
        let tables = match (&channel.postgres, Tables::open(connection, &channel, secrets).await) {
            (_, Ok(tables)) => Some(tables),
            (None, Err(CallError { message, remedy, .. })) => {
                warnings.push(format!(
                    "{message}: nothing is written, and callers get no answer; what would be written is shown ({remedy})"
                ));
                None
            }
            (Some(_), Err(problem)) => return Err(problem),
        };
        let marks = streams.get_key_value(idempotency::TOOL_BUCKET).await.ok();
        let others = cause::command_listeners(&streams)
            .await
            .map(|all| cause::listener_filters(&all))
            .unwrap_or_default();
        let mut listening = Vec::with_capacity(stands.len());
        for stand in stands {
            let filter = command_filter(&channel, &stand.target);
            for (name, other) in &others {
                // Whoever reads everything along is no service.
                if subject::overlap(other, &filter)
                    && other.split('.').nth(6) == Some(&stand.target)
                {
                    warnings.push(format!(
                        "{name} listens on {other} too: both answer, and only the first answer of a call can be stored; stop the other"
                    ));
                }
            }
            let own = create_consumer(&streams, filter, from).await?;
            listening.push((stand, own));
        }
        let desk = CommandContext { streams, marks, channel, api, tables: tables.map(Mutex::new) };
        Ok(Self { desk, stands: listening, warnings })
    }

    /// The subjects that are listened to, with their tools' names.
    #[must_use]
    pub fn subjects(&self) -> Vec<(String, String)> {
        self.stands
            .iter()
            .map(|(stand, _)| {
                (stand.tool.clone(), command_filter(&self.desk.channel, &stand.target))
            })
            .collect()
    }

    /// Answers calls, several at once, until `stop`; what has no answer then is left. Reports that
    /// nobody takes in time are left out.
    pub async fn run(self, told: mpsc::Sender<AnsweredCommand>, stop: CancellationToken) {
        let Self { desk, mut stands, .. } = self;
        let lines = stands.iter_mut().filter_map(|(stand, own)| {
            let stand = stand.clone();
            Some(own.messages.take()?.map(move |message| (stand.clone(), message)).boxed())
        });
        let mut heard = stream::select_all(lines.collect::<Vec<_>>());
        // Also when the connection ends: nobody could be known an answer.
        let leaving = stop.child_token();
        let (desk, last) = (&desk, &leaving);
        let mut under_way = FuturesUnordered::new();
        let mut number = 0;
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                next = heard.next(), if under_way.len() < AT_ONCE => match next {
                    None => break,
                    Some((_, Err(_))) => {}
                    Some((stand, Ok(message))) => {
                        number += 1;
                        under_way.push(async move { desk.handle_command(&stand, &message, number, last).await });
                    }
                },
                Some(done) = under_way.next() => drop(told.try_send(done)),
            }
        }
        leaving.cancel();
        while let Some(done) = under_way.next().await {
            let _ = told.try_send(done);
        }
        drop(heard);
        for (_, own) in &mut stands {
            own.consumer.start_removal().await;
        }
    }
}

/// What listens for a tool in one channel.
fn command_filter(channel: &Channel, target: &str) -> String {
    Subject::tool_command(&channel.project, &channel.channel, target, "*").to_string()
}

async fn create_consumer(
    streams: &Streams,
    filter: String,
    from: StartPoint,
) -> Result<OwnConsumer, CallError> {
    let unheard = |error: String| {
        let message = format!("the stream {COMMANDS} cannot be listened to on {filter}: {error}");
        CallError::new(
            ErrorKind::NoStream,
            message,
            "CommonGround's services make the streams: start one, or check the permissions",
        )
    };
    let stream =
        streams.get_stream_no_info(COMMANDS).await.map_err(|error| unheard(error.to_string()))?;
    let config = pull::Config {
        filter_subject: filter.clone(),
        deliver_policy: if from == StartPoint::Waiting {
            DeliverPolicy::All
        } else {
            DeliverPolicy::New
        },
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_deliver: DELIVERIES,
        inactive_threshold: FORGOTTEN,
        description: Some("toolcrib serve".into()),
        ..pull::Config::default()
    };
    let consumer: Consumer<_> =
        stream.create_consumer(config).await.map_err(|error| unheard(error.to_string()))?;
    // From here on it is removed whatever happens.
    let own =
        OwnConsumerName { streams: streams.clone(), name: consumer.cached_info().name.clone() };
    let messages = consumer.messages().await.map_err(|error| unheard(error.to_string()))?;
    Ok(OwnConsumer { messages: Some(messages), consumer: own })
}
