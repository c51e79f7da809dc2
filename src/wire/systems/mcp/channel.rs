//! An open connection to a server, as calls use it: a request goes to its method, and what comes of
//! it is received in an inbox of its own.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex as Lock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::{
    asker::Asker,
    driver::Driver,
    kept_file, listing,
    pipe::Pipe,
    problems::{session_gone, session_over},
    requests::{Command, Leaving},
    stages::stage,
    tool_facts::{KnownTools, ToolFacts},
    updates::UPDATES,
};
use crate::{
    model::{
        call::CallError, connection::Connection, error_kind::ErrorKind,
        server_profile::ServerProfile, shown::visible_text, stage::Stage, traffic::FRAMES,
        transport::TransportKind,
    },
    systems::mcp::{
        calls::CALL,
        kept::KeptList,
        opening::server_profile,
        rpc::build::Client,
        session::Session,
        settings,
        turn::{OpenedServer, Settings},
        version::{Era, Versions},
    },
    wire::{
        spawning::spawn,
        systems::facets::opener::Opening,
        transport::{
            bus::{Bus, BusFuture, SubscriptionShare},
            connection_event::ConnectionEvents,
            message::{Address, Incoming, Outgoing},
            message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
            settings::display_address,
        },
    },
};

/// Commands on their way at most.
const QUEUE: usize = 64;

/// The request by which a client of the legacy era says which logs it wants.
const SET_LEVEL: &str = "logging/setLevel";

/// How many bytes of a call wait at most for whoever reads it; then the server waits.
const INBOX: usize = 8 * 1024 * 1024;
/// How many frames wait for who looks at what comes of a request that was given up.
const PARTING: usize = 64;

/// An open connection.
pub(crate) struct Channel {
    commands: mpsc::Sender<Command>,
    kind: TransportKind,
    opened: OpenedServer,
    profile: ServerProfile,
    tools: usize,
    known: KnownTools,
    /// What changed of its tools since they were kept, and whether a call said it already.
    drift: Option<String>,
    told: AtomicBool,
    news: Arc<ConnectionEvents>,
    inboxes: AtomicU64,
    /// Inboxes for answers to requests that are yet to be sent.
    waiting: Lock<HashMap<String, Inbox>>,
}

type Inbox = (QueueSender, Leaving);

/// Starts or finds the server, finds out how it speaks, and asks for its tools, as their promises
/// are what answers are held against. Of a server whose tools are kept, the era is known, and what
/// changed is reported with its first call.
///
/// # Errors
/// When it cannot be reached, or does not come to speak with us.
pub(crate) async fn open(
    opening: Opening<'_>,
    kept: Option<&KeptList>,
) -> Result<Channel, CallError> {
    let remembered = kept.map(|kept| kept.era).filter(|era| *era == Era::Legacy);
    let mut channel = match open_in_era(opening, remembered).await {
        // It speaks another era now: a probe says.
        Err(problem) if remembered.is_some() && problem.kind == ErrorKind::NotUnderstood => {
            open_in_era(opening, None).await?
        }
        opened => opened?,
    };
    channel.ask_for_logs(opening.connection).await;
    if !channel.opened.capabilities()["tools"].is_null() {
        let tools = channel.ask_for_tools().await?;
        let name = &opening.connection.name;
        let mask = opening.secrets.mask();
        channel.drift = kept_file::describe_changes(opening.workspace, name, kept, &tools, &mask);
    }
    Ok(channel)
}

async fn open_in_era(opening: Opening<'_>, remembered: Option<Era>) -> Result<Channel, CallError> {
    let Opening { connection, secrets, workspace, questions } = opening;
    let pipe = Pipe::open(connection, secrets).await?;
    let client = Client {
        capabilities: settings::client_capabilities(connection),
        log_level: settings::log_level(connection).map(|level| level.as_str().to_owned()),
        ..Client::new("toolcrib", env!("CARGO_PKG_VERSION"))
    };
    let session = Session::new(Settings {
        transport: pipe.kind(),
        era: settings::era(connection),
        versions: Versions::default(),
        client: client.clone(),
        remembered,
    });
    let where_to = match connection.command() {
        Some(command) => command.to_string(),
        None => display_address(connection),
    };
    let news = Arc::new(ConnectionEvents::new(where_to));
    let known = KnownTools::default();
    let (opening, opened) = oneshot::channel();
    let (commands, obeyed) = mpsc::channel(QUEUE);
    let driver = Driver::new(
        (session, pipe),
        (connection.clone(), secrets.clone()),
        (Arc::clone(&news), Arc::clone(&known)),
        Asker::new(connection, workspace, questions.cloned()),
        opening,
    );
    spawn(driver.run(obeyed));
    let opened = opened.await.unwrap_or_else(|_| Err(over()))?;
    news.mark_connected();
    Ok(Channel {
        commands,
        kind: connection.transport(),
        profile: server_profile(&opened, &client),
        opened,
        tools: 0,
        known,
        drift: None,
        told: AtomicBool::default(),
        news,
        inboxes: AtomicU64::default(),
        waiting: Lock::default(),
    })
}

fn over() -> CallError {
    CallError::new(ErrorKind::ConnectionLost, "the connection has ended", "try again")
}

impl Channel {
    /// Asks a server of the legacy era for the logs that the connection names. One that refuses logs
    /// as it likes, as one that isn't asked.
    async fn ask_for_logs(&self, connection: &Connection) {
        let is_legacy = self.opened.spoken.era == Era::Legacy;
        let has_logs = !self.opened.capabilities()["logging"].is_null();
        if let Some(level) =
            settings::chosen_log_level(connection).filter(|_| is_legacy && has_logs)
        {
            let params = json!({"level": level.as_str()});
            let _ = listing::exchange(self, SET_LEVEL, &params).await;
        }
    }

    async fn ask_for_tools(&mut self) -> Result<Vec<Value>, CallError> {
        let tools = listing::list(self, listing::TOOLS).await?.pages.items;
        self.tools = tools.len();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = tools.iter().cloned().filter_map(ToolFacts::from_tool).collect();
        Ok(tools)
    }

    async fn order(&self, command: Command) -> Result<(), CallError> {
        let sent = self.commands.send(command).await;
        sent.map_err(|_| match self.news.close_reason() {
            // What was not sent can be made on another connection.
            Some(reason) if reason == session_over() => session_gone(),
            reason => reason.unwrap_or_else(over),
        })
    }
}

impl Bus for Channel {
    fn transport(&self) -> TransportKind {
        self.kind
    }

    fn display_address(&self) -> String {
        self.news.display_address().to_owned()
    }

    fn greeting(&self) -> String {
        let server = self.opened.server_info();
        let text =
            |name: &str| visible_text(server[name].as_str().unwrap_or_default()).into_owned();
        let spoken = &self.opened.spoken;
        let drift = self.drift.iter().map(|drift| format!("; {drift}")).collect::<String>();
        format!(
            "{} {} speaks MCP {} ({} era) and has {} {}{drift}",
            text("name"),
            text("version"),
            spoken.version,
            spoken.era.as_str(),
            self.tools,
            if self.tools == 1 { "tool" } else { "tools" },
        )
    }

    fn server_profile(&self) -> Option<&ServerProfile> {
        Some(&self.profile)
    }

    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        _: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        Box::pin(async move {
            // Who only looks on doesn't hold the server back.
            let is_call = at.name != FRAMES && at.name != UPDATES;
            let (sender, receiver) = message_queue(if is_call { INBOX } else { CAPACITY });
            if at.name == FRAMES {
                self.order(Command::Observe(sender)).await?;
                return Ok(receiver);
            }
            if at.name == UPDATES {
                self.order(Command::Updates(sender)).await?;
                return Ok(receiver);
            }
            let (leaving, left) = oneshot::channel();
            let (shown, parting) = mpsc::channel(PARTING);
            let leaving = Leaving { parting: Some(shown), _left: leaving };
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.retain(|_, (sender, _)| !sender.is_closed());
            waiting.insert(at.name.clone(), (sender, leaving));
            Ok(receiver.with_unsubscribe_ack(left).with_parting(parting))
        })
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(async move {
            let inbox = message.reply.as_ref().and_then(|reply| {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.remove(&reply.name)
            });
            if message.to.name == FRAMES {
                let text = String::from_utf8_lossy(&message.body).into_owned();
                let inbox = inbox.map(|(inbox, _)| inbox);
                return self.order(Command::Frame { text, inbox }).await;
            }
            let params = match serde_json::from_slice(&message.body) {
                Ok(Value::Object(params)) => params,
                _ => return Err(no_params()),
            };
            let Some((inbox, leaving)) = inbox else { return Err(over()) };
            let method = message.to.name;
            if method == CALL
                && let Some(drift) = &self.drift
                && !self.told.swap(true, Ordering::Relaxed)
            {
                // Whoever listened may have gone; then the call ends by itself.
                let _ = inbox.push(Incoming::Packet(stage(Stage::DRIFT, drift, ""))).await;
            }
            self.order(Command::Request { method, params, inbox, leaving }).await
        })
    }

    fn new_inbox(&self) -> Option<Address> {
        Some(Address::ephemeral(self.inboxes.fetch_add(1, Ordering::Relaxed).to_string()))
    }

    fn close_reason(&self) -> Option<CallError> {
        self.news.close_reason()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let (done, closed) = oneshot::channel();
            if self.order(Command::Close(done)).await.is_ok() {
                // It ends when the other end is dropped.
                let _ = closed.await;
            }
        })
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }
}

fn no_params() -> CallError {
    let message = "the parameters of a request aren't a JSON object";
    CallError::new(ErrorKind::BadRequest, message, "send an object")
}
