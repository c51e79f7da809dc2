//! One request to a cluster, and what comes back.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::{
    model::{
        call::{CallError, EventKind, Limits, Outcome},
        error_kind::ErrorKind,
        stage::FrameWay,
    },
    systems::opensearch::settings,
    wire::{
        session::{
            event_sink::{CallEnd, EventSink, SinkClosed},
            messages::timed_out,
        },
        systems::facets::multi_step::CallContext,
        transport::{
            bus::Bus,
            http::{
                marks,
                request::{self, HttpRequest},
            },
            message::{Incoming, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// An answer, whole.
pub(crate) struct Answer {
    pub status: u16,
    pub body: String,
}

/// Requests of one call, within its limits.
pub(crate) struct RestClient<'r> {
    bus: &'r dyn Bus,
    limits: Limits,
    /// How often one is sent again that changes nothing.
    retries: u64,
    /// Whether what crosses the wire is reported.
    shows_wire: bool,
}

/// How long it is waited before a request is sent again; each time twice as long.
const PAUSE: Duration = Duration::from_millis(250);

/// A request that is under way.
pub(crate) struct Pending {
    receiver: QueueReceiver,
    /// How many messages of its answer came.
    pieces: usize,
}

impl<'r> RestClient<'r> {
    pub fn new(context: &CallContext<'r>) -> Self {
        let retries = settings::retries(context.connection);
        Self { bus: context.bus, limits: context.limits, retries, shows_wire: false }
    }

    /// The same, which reports what crosses the wire.
    #[must_use]
    pub fn showing_wire(self) -> Self {
        Self { shows_wire: true, ..self }
    }

    /// Sends a request; `path` begins with a slash.
    ///
    /// # Errors
    /// When it does not leave.
    pub async fn send_request(
        &self,
        (method, path, body): (&str, &str, Option<&str>),
        sink: &mut EventSink,
    ) -> Result<Pending, CallEnd> {
        let body = body.unwrap_or_default();
        let keeps_lines = self.shows_wire;
        let request = HttpRequest { method, path, headers: &[], body, keeps_lines };
        let headers = request::shown_headers(self.bus, &request);
        let sent = request::send_request(self.bus, &request).await;
        let receiver = sent.map_err(|problem| (Outcome::Lost, Some(problem)))?;
        let told = sink.emit_headers(FrameWay::Out, &headers).await;
        told.map_err(|SinkClosed| (Outcome::Cancelled, None))?;
        if self.shows_wire {
            let told = sink.emit_wire(FrameWay::Out, body).await;
            told.map_err(|SinkClosed| (Outcome::Cancelled, None))?;
        }
        Ok(Pending { receiver, pieces: 0 })
    }

    /// The next that comes back; `None` when no more comes. Only so long is waited for it as the
    /// limits allow.
    ///
    /// # Errors
    /// When the time is over, or the connection.
    pub async fn next_packet(
        &self,
        pending: &mut Pending,
        sink: &mut EventSink,
    ) -> Result<Option<Packet>, CallEnd> {
        let patience = if pending.pieces == 0 { self.limits.first } else { self.limits.idle };
        let next = Instant::now() + patience;
        sink.emit_noted_wire().await.map_err(|SinkClosed| (Outcome::Cancelled, None))?;
        loop {
            let total = sink.opened + self.limits.total + sink.held;
            let until = total.min(next);
            match timeout_at(until, pending.receiver.next()).await {
                Ok(Some(Incoming::Packet(mut packet))) => {
                    pending.pieces += 1;
                    if self.shows_wire {
                        sink.note_wire(packet.take_wire());
                    }
                    tell_headers(marks::answer_headers(&packet), sink).await?;
                    return Ok(Some(packet));
                }
                Ok(Some(Incoming::Headers(headers))) => tell_headers(&headers, sink).await?,
                Ok(Some(Incoming::Wire(lines))) => {
                    let told = sink.emit_wire(FrameWay::In, lines).await;
                    told.map_err(|SinkClosed| (Outcome::Cancelled, None))?;
                }
                Ok(Some(Incoming::Failed(problem))) => return Err((Outcome::Lost, Some(problem))),
                Ok(Some(_) | None) => return Ok(None),
                Err(_) => {
                    let problem = self.timed_out(until == total, pending.pieces);
                    return Err((Outcome::TimedOut, Some(problem)));
                }
            }
        }
    }

    /// A request and its whole answer. One that changes nothing is sent again where the connection
    /// broke or the cluster has too much to do, which is reported.
    ///
    /// # Errors
    /// As [`Self::send_request`] and [`Self::next_packet`].
    pub async fn fetch(
        &self,
        asked: (&str, &str, Option<&str>),
        sink: &mut EventSink,
    ) -> Result<Answer, CallEnd> {
        let (method, path, _) = asked;
        let mut pause = PAUSE;
        for turn in 1..=self.retries {
            let answer = self.fetch_once(asked, sink).await;
            let Some(why) = retry_reason(method, &answer) else { return answer };
            let left = (self.limits.total + sink.held).saturating_sub(sink.opened.elapsed());
            if left < pause {
                return answer;
            }
            let words = format!(
                "{method} {path}: {why}; sent again in {} ms ({turn} of {})",
                pause.as_millis(),
                self.retries
            );
            let told = sink.emit(EventKind::Notice(words)).await;
            told.map_err(|_| (Outcome::Cancelled, None))?;
            sleep(pause).await;
            pause *= 2;
        }
        self.fetch_once(asked, sink).await
    }

    async fn fetch_once(
        &self,
        asked: (&str, &str, Option<&str>),
        sink: &mut EventSink,
    ) -> Result<Answer, CallEnd> {
        let mut pending = self.send_request(asked, sink).await?;
        let Some(packet) = self.next_packet(&mut pending, sink).await? else {
            let message = format!("{} ended before the answer", self.bus.display_address());
            let problem = CallError::new(ErrorKind::ConnectionLost, message, "send it again");
            return Err((Outcome::Lost, Some(problem)));
        };
        Ok(Answer::from_packet(&packet))
    }

    /// How long the call may take.
    pub fn total(&self) -> std::time::Duration {
        self.limits.total
    }

    /// What gives it more.
    pub fn more_time(&self) -> &'static str {
        self.limits.more_time
    }

    fn timed_out(&self, is_total: bool, pieces: usize) -> CallError {
        let remedy = format!("{}, or request less", self.limits.more_time);
        timed_out(self.limits, is_total, pieces, remedy)
    }
}

async fn tell_headers<'h>(
    headers: impl IntoIterator<Item = &'h (String, String)>,
    sink: &mut EventSink,
) -> Result<(), CallEnd> {
    let told = sink.emit_headers(FrameWay::In, headers).await;
    told.map_err(|SinkClosed| (Outcome::Cancelled, None))
}

/// Sends a request (method, path from the slash on, body) over a bus, and gives where its answer
/// arrives.
///
/// # Errors
/// When it does not leave.
pub(crate) async fn send_request(
    bus: &dyn Bus,
    (method, path, body): (&str, &str, Option<&str>),
) -> Result<QueueReceiver, CallError> {
    let body = body.unwrap_or_default();
    let request = HttpRequest { method, path, headers: &[], body, keeps_lines: false };
    request::send_request(bus, &request).await
}

/// Why a request is worth sending again; `None` where it is not, or may have changed something.
fn retry_reason(method: &str, answer: &Result<Answer, CallEnd>) -> Option<String> {
    if !matches!(method, "GET" | "HEAD") {
        return None;
    }
    match answer {
        Ok(answer) if matches!(answer.status, 429 | 502 | 503 | 504) => {
            Some(format!("HTTP {}", answer.status))
        }
        Err((Outcome::Lost, Some(problem))) if problem.kind == ErrorKind::ConnectionLost => {
            Some(problem.message.clone())
        }
        _ => None,
    }
}

impl Answer {
    pub fn from_packet(packet: &Packet) -> Self {
        let status = marks::response_status(packet).unwrap_or_default();
        let redirect = marks::redirect_words(packet);
        Self {
            status,
            body: redirect.unwrap_or_else(|| String::from_utf8_lossy(&packet.body).into_owned()),
        }
    }
}
