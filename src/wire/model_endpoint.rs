//! A model behind HTTP: one request, and its reply as it comes.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::{
    now::now_millis,
    registry::Registry,
    transport::{
        http::{
            marks,
            request::{self, HttpRequest},
        },
        message::{Incoming, Packet},
        message_queue::QueueReceiver,
        settings,
    },
};
use crate::{
    engine::agent_loop::{
        api::{ModelApi, ModelRequest, ReplyReader, reported_failure},
        turn::{ModelReply, Turn},
    },
    model::{
        call::CallError,
        clock::Millis,
        connection::{Connection, Credentials},
        error_kind::ErrorKind,
        tool::Function,
    },
    systems::model_settings::ModelSettings,
};

/// So long a model may say nothing, where nothing else is said; large ones think that long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How often a request is sent again that the endpoint has no room for.
const RETRIES: u32 = 3;

/// The pause before that where the endpoint names none; each time twice as long.
const PAUSE: Duration = Duration::from_secs(1);

/// A longer pause is not made: the run ends.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// So many characters of an endpoint's reasons are shown.
const MOST_WORDS: usize = 400;

/// What the endpoint answers with where it has no room.
const NO_ROOM: [u16; 3] = [429, 503, 529];

/// A model that can be asked.
pub(crate) struct ModelEndpoint {
    connection: Connection,
    pub settings: ModelSettings,
    /// How long it may say nothing.
    pub patience: Duration,
}

/// Something that comes before the reply is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Notice(String),
}

impl ModelEndpoint {
    pub fn new(connection: Connection, settings: ModelSettings, patience: Duration) -> Self {
        Self { connection, settings, patience }
    }

    /// Where it is, without secrets.
    pub fn display_address(&self) -> String {
        settings::display_address(&self.connection)
    }

    /// Where requests go, without secrets.
    pub fn request_address(&self) -> String {
        let address = self.display_address();
        if address.is_empty() {
            return "the mock model, which sends nothing".to_owned();
        }
        let path = address.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        let base = path.map_or(String::new(), |(_, path)| format!("/{path}"));
        format!("{}{}", address.trim_end_matches('/'), self.settings.api.request_path(&base))
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The body of a request, exactly as it is sent.
    pub fn request_body(&self, system: Option<&str>, turns: &[Turn], tools: &[Function]) -> String {
        let request = ModelRequest {
            model: &self.settings.name,
            system,
            turns,
            tools,
            max_tokens: self.settings.max_tokens,
            extra: &self.settings.body,
        };
        self.settings.api.request_body(&request).to_string()
    }

    /// Sends a request and reads its reply; `emit` gets what comes on the way. Dropping the future
    /// ends the request.
    ///
    /// # Errors
    /// When the endpoint is not there, refuses, says nothing for too long, or ends in the middle.
    pub async fn ask(
        &self,
        registry: &Registry,
        body: &str,
        emit: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<ModelReply, CallError> {
        if let Some(reply) = self.settings.api.reply_here(body) {
            if !reply.text.is_empty() {
                emit(Piece::Text(reply.text.clone()));
            }
            return Ok(reply);
        }
        let mut pause = PAUSE;
        let hidden = |problem| registry.secrets().hidden_in(problem);
        for turn in 1..=RETRIES {
            match self
                .ask_once(registry, body, emit)
                .await
                .map_err(|refusal| Refusal { problem: hidden(refusal.problem), ..refusal })
            {
                Err(Refusal { problem, again: Some(wanted) }) => {
                    let wait = wanted.unwrap_or(pause);
                    if wait > LONGEST_PAUSE {
                        return Err(too_long(problem, wait));
                    }
                    emit(Piece::Notice(format!(
                        "{}; asked again in {} s ({turn} of {RETRIES})",
                        problem.message,
                        wait.as_secs_f64()
                    )));
                    sleep(wait).await;
                    pause *= 2;
                }
                Err(Refusal { problem, again: None }) => return Err(problem),
                Ok(reply) => return Ok(reply),
            }
        }
        self.ask_once(registry, body, emit).await.map_err(|refusal| hidden(refusal.problem))
    }

    async fn ask_once(
        &self,
        registry: &Registry,
        body: &str,
        emit: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<ModelReply, Refusal> {
        let api = self.settings.api;
        let mut receiver = self.send(registry, api, body).await?;
        let mut reader = api.reader();
        let mut read = 0_u64;
        loop {
            let waited = timeout(self.patience, receiver.next()).await;
            let received = waited.map_err(|_| self.silent(read > 0))?;
            match received {
                Some(Incoming::Packet(packet)) => {
                    read += packet.body.len() as u64;
                    if read > self.connection.largest_answer {
                        return Err(self.too_large().into());
                    }
                    self.read_packet(&packet, &mut *reader, emit)?;
                }
                Some(Incoming::Failed(problem)) => return Err(problem.into()),
                Some(Incoming::Ended | Incoming::NoResponders) | None => break,
                // Packets of a request that is waited for are never dropped.
                Some(
                    Incoming::Headers(_) | Incoming::Wire(_) | Incoming::Begun | Incoming::Gap,
                ) => {}
            }
            if reader.is_done() {
                break;
            }
        }
        Ok(reader.finish()?)
    }

    async fn send(
        &self,
        registry: &Registry,
        api: &dyn ModelApi,
        body: &str,
    ) -> Result<QueueReceiver, CallError> {
        let (bare, key) = match &self.connection.credentials {
            Credentials::Token { token } => {
                let key = registry.secrets().resolve_secret(&self.connection, token).await?;
                // Each API has a header of its own for it.
                let bare = Connection { credentials: Credentials::None, ..self.connection.clone() };
                (bare, Some(key))
            }
            _ => (self.connection.clone(), None),
        };
        let bus = registry.open_bus(&bare).await?;
        let servers = settings::parse_servers(&bare)?;
        let base = servers.first().map_or("", |server| server.path.as_str());
        let request = HttpRequest {
            method: "POST",
            path: api.request_path(base),
            headers: &api.headers(key.as_deref()),
            body,
            keeps_lines: false,
        };
        request::send_request(&*bus, &request).await
    }

    fn read_packet(
        &self,
        packet: &Packet,
        reader: &mut dyn ReplyReader,
        emit: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<(), Refusal> {
        let body = String::from_utf8_lossy(&packet.body);
        let text = match marks::response_status(packet) {
            None => reader.read_event(&body)?,
            Some(status) if (200..300).contains(&status) => reader.read_whole(&body)?,
            Some(status) => return Err(self.refusal(status, packet, &body)),
        };
        if !text.is_empty() {
            emit(Piece::Text(text));
        }
        Ok(())
    }

    /// What an answer means that is not a reply.
    fn refusal(&self, status: u16, packet: &Packet, body: &str) -> Refusal {
        let name = &self.connection.name;
        let reported = serde_json::from_str(body).ok();
        let reported = reported.as_ref().and_then(reported_failure);
        let words = reported.as_ref().map_or(body, |failure| failure.message.as_str());
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let words: String = words.chars().take(MOST_WORDS).collect();
        let message = match words.is_empty() {
            true => format!("{} answered with {status}", self.display_address()),
            false => format!("{} answered with {status}: {words}", self.display_address()),
        };
        let own = reported.map(|failure| failure.kind).filter(|kind| kind.as_str() != "error");
        let (kind, remedy) = match status {
            401 | 403 => (
                ErrorKind::Unauthorized,
                format!(
                    "check the key that token-variable, token-key or headers of connection \
                    \"{name}\" name"
                ),
            ),
            404 => (
                ErrorKind::BadRequest,
                format!("check servers and model.name of connection \"{name}\""),
            ),
            429 => (
                own.unwrap_or_else(|| ErrorKind::parse("rate-limit")),
                "wait, or raise the limit at the endpoint".to_owned(),
            ),
            400..500 => (
                ErrorKind::BadRequest,
                format!(
                    "check model.api and model.body of connection \"{name}\"; `toolcrib tools --model TOOL` shows what an API refuses in that tool"
                ),
            ),
            _ => (
                own.unwrap_or_else(|| ErrorKind::parse("endpoint-error")),
                "try again later".to_owned(),
            ),
        };
        let problem = CallError::new(kind, message, remedy);
        Refusal { problem, again: NO_ROOM.contains(&status).then(|| retry_after(packet)) }
    }

    fn silent(&self, has_begun: bool) -> CallError {
        let (kind, what) = match has_begun {
            true => (ErrorKind::TimedOutIdle, "said nothing more"),
            false => (ErrorKind::TimedOutFirst, "said nothing"),
        };
        let seconds = self.patience.as_secs_f64();
        let message = format!("the model {what} for {seconds} s");
        CallError::new(kind, message, "allow more time (--timeout)")
    }

    fn too_large(&self) -> CallError {
        CallError::new(
            ErrorKind::AnswerTooLarge,
            "the model's reply is larger than the connection allows",
            format!("raise largest-answer of connection \"{}\"", self.connection.name),
        )
    }
}

/// Why there is no reply.
struct Refusal {
    problem: CallError,
    /// It may be asked again, after so long where the endpoint says so.
    again: Option<Option<Duration>>,
}

impl From<CallError> for Refusal {
    fn from(problem: CallError) -> Self {
        Self { problem, again: None }
    }
}

/// How long the endpoint wants us to wait, where it says so: in milliseconds, in seconds, or until a
/// date, by its own clock where it says what that shows.
fn retry_after(packet: &Packet) -> Option<Duration> {
    let named = |name: &str| {
        let header = packet.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        header.map(|(_, value)| value.trim())
    };
    let number = |name: &str| named(name)?.parse::<f64>().ok();
    let milliseconds = number("retry-after-ms").map(|wait| wait / 1_000.0);
    if let Some(seconds) = milliseconds.or_else(|| number("retry-after")) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = Millis::parse_http_date(named("retry-after")?)?;
    let now = named("date").and_then(Millis::parse_http_date).unwrap_or_else(now_millis);
    Some(Duration::from_millis(until.since(now)))
}

fn too_long(problem: CallError, wait: Duration) -> CallError {
    let seconds = wait.as_secs();
    CallError { remedy: format!("the endpoint asks to wait {seconds} s"), ..problem }
}
