//! What carries the frames of a connection: the pipes of a process, or HTTP.

use std::sync::Arc;

use bytes::Bytes;
use tokio::task::yield_now;

use super::{arrival::TransportArrival, http::HttpPipe};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    systems::mcp::{
        negotiate::Transport,
        rpc::{frame::Frame, id::Id},
        turn,
    },
    wire::{
        secrets::Secrets,
        transport::{
            self,
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming, Outgoing},
            message_queue::QueueReceiver,
            process,
        },
    },
};

pub(crate) enum Pipe {
    Process { bus: Arc<dyn Bus>, output: QueueReceiver },
    Http(HttpPipe),
}

impl Pipe {
    /// Starts the server, or finds it.
    ///
    /// # Errors
    /// When it cannot be started or reached.
    pub async fn open(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let Some(opening) = transport::open_bus(connection, secrets) else {
            let message = format!("toolcrib doesn't support {}", connection.transport().title());
            return Err(CallError::new(ErrorKind::NoTransport, message, "choose another"));
        };
        let bus = opening.await?;
        if connection.command().is_none() {
            return Ok(Self::Http(HttpPipe::new(bus, connection, secrets)));
        }
        let output =
            bus.subscribe(&Address::ephemeral(process::OUTPUT), SubscriptionShare::Each).await?;
        Ok(Self::Process { bus, output })
    }

    /// Which of the protocol's transports it is.
    pub fn kind(&self) -> Transport {
        match self {
            Self::Process { .. } => Transport::Stdio,
            Self::Http(_) => Transport::Http,
        }
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// When the other side takes none.
    pub async fn send(&mut self, outgoing: &turn::Outgoing) -> Result<(), CallError> {
        match self {
            Self::Process { bus, .. } => {
                let body = outgoing.text.clone().into_bytes().into();
                let to = Address::ephemeral(process::OUTPUT);
                let headers = Vec::new();
                bus.send(Outgoing { to, reply: None, headers, body, expires: None }).await
            }
            Self::Http(http) => http.send(outgoing).await,
        }
    }

    /// What comes next; dropping it loses nothing.
    pub async fn next(&mut self) -> TransportArrival {
        match self {
            Self::Process { bus, output } => loop {
                let Some(heard) = output.next().await else {
                    return TransportArrival::Over(bus.close_reason().unwrap_or_else(over));
                };
                if let Some(arrival) = process_arrival(heard) {
                    return arrival;
                }
            },
            Self::Http(http) => http.next().await,
        }
    }

    /// What has come already; `None` where [`next`](Self::next) may have to wait.
    pub fn try_next(&mut self) -> Option<TransportArrival> {
        match self {
            Self::Process { output, .. } => {
                std::iter::from_fn(|| output.try_next()).find_map(process_arrival)
            }
            Self::Http(http) => http.try_next(),
        }
    }

    /// Opens the stream on which a server speaks unasked, and gives the server time to begin it.
    pub async fn listen(&mut self) {
        if let Self::Http(http) = self {
            http.listen().await;
        }
    }

    /// Opens the stream of the HTTP transport of 2024-11-05.
    ///
    /// # Errors
    /// When there is none.
    pub async fn open_old_stream(&mut self) -> Result<(), CallError> {
        match self {
            Self::Http(http) => http.open_old_stream().await,
            Self::Process { .. } => Ok(()),
        }
    }

    /// Why the server refused the last request that it refused, where more is known than its
    /// status. It is reported once.
    pub fn take_refusal(&self) -> Option<CallError> {
        match self {
            Self::Http(http) => http.take_refusal(),
            Self::Process { .. } => None,
        }
    }

    /// Ends the stream of a request.
    pub fn close_stream(&mut self, id: &Id) {
        if let Self::Http(http) = self {
            http.close_stream(id);
        }
    }

    /// Ends the server's process, or the session with it.
    pub async fn close(&mut self) {
        match self {
            // Its output is taken meanwhile: a server that waits for that can't end. One that
            // writes without end leaves the time to end it.
            Self::Process { bus, output } => {
                let taken = async {
                    while output.next().await.is_some() {
                        yield_now().await;
                    }
                    std::future::pending::<()>().await;
                };
                tokio::select! {
                    () = bus.close() => {}
                    () = taken => {}
                }
            }
            Self::Http(http) => http.close().await,
        }
    }
}

/// What a process wrote; `None` where it is nothing.
fn process_arrival(heard: Incoming) -> Option<TransportArrival> {
    let packet = match heard {
        Incoming::Packet(packet) => packet,
        Incoming::Failed(problem) => return Some(TransportArrival::Over(problem)),
        _ => return None,
    };
    let text = into_text(packet.body);
    if packet.subject.as_deref() == Some(process::ERRORS) {
        return Some(TransportArrival::Words(text));
    }
    // An empty line is nothing.
    (!text.trim().is_empty()).then(|| TransportArrival::Frame(Frame::parse(text)))
}

/// A line as text. A large one keeps the room that it was read into: its line is alone there.
fn into_text(body: Bytes) -> String {
    // Most of it is UTF-8, which is found out faster than what is not is replaced.
    match std::str::from_utf8(&body) {
        Ok(text) if text.len() <= process::ALONE => text.to_owned(),
        Ok(_) => {
            let mut bytes = Vec::from(body);
            bytes.shrink_to_fit();
            String::from_utf8(bytes).unwrap_or_default()
        }
        Err(_) => String::from_utf8_lossy(&body).into_owned(),
    }
}

fn over() -> CallError {
    CallError::new(ErrorKind::ConnectionLost, "the server ended", "start it again")
}
