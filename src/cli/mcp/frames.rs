//! `toolcrib mcp frames`: what goes over a connection, both ways, and frames sent as they are.

use std::{io, path::Path, time::Duration};

use clap::Args;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::target::{InspectedServer, Target, listing};
use crate::{
    cli::{
        ending::{CommandResult, Ending},
        global::Global,
        out::CommandOutput,
    },
    model::{
        call::CallError,
        problem::{Problem, ProblemKind},
        stage::FrameWay,
        traffic::{DIRECTION, FRAMES},
    },
    store::files,
    wire::{
        systems::facets::inspector::AT,
        transport::{
            bus::{Bus, SubscriptionShare},
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// How long the answer to a frame is waited for that was sent.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same of a frame that asks for none.
const QUIET: Duration = Duration::from_secs(1);

#[derive(Args, Debug)]
pub(super) struct Frames {
    #[command(flatten)]
    target: Target,

    /// Send this frame unchanged, even if it is invalid, and show the time of its answer; @FILE
    /// sends each line of a file. Can be repeated; each is sent after the answer to the previous
    /// one
    #[arg(long, value_name = "FRAME|@FILE", allow_hyphen_values = true)]
    send: Vec<String>,

    /// Print only frames that contain this text
    #[arg(long, value_name = "TEXT")]
    find: Option<String>,

    /// Exit after the list, or after the answers to the frames that were sent
    #[arg(long)]
    once: bool,
}

/// Prints frames as they go by.
struct FramePrinter<'f> {
    frames: QueueReceiver,
    find: Option<&'f str>,
    json: bool,
    out: &'f mut CommandOutput,
    /// The id of the request that was sent last, as it was written, and when.
    asked: Option<(Value, Instant)>,
}

impl Frames {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let sent =
            self.send.iter().map(|given| read_frames(given)).collect::<Result<Vec<_>, _>>()?;
        let looked = InspectedServer::of(&self.target, global, out)?;
        looked.with("following the frames of a server", async |bus| {
            let at = Address::ephemeral(FRAMES);
            let told = |problem: CallError| problem.while_doing("listening");
            let frames = bus.subscribe(&at, SubscriptionShare::Observer).await.map_err(told)?;
            let (find, json) = (self.find.as_deref(), global.json);
            let mut printer = FramePrinter { frames, find, json, out, asked: None };
            let ending = if sent.is_empty() {
                printer.follow_until(listing(&looked, bus)).await??;
                Ending::Done
            } else {
                printer.send_all(bus, sent.into_iter().flatten()).await?
            };
            if self.once {
                printer.print_waiting().await?;
                return Ok(ending);
            }
            while printer.print_next().await? {}
            Ok(ending)
        })
    }
}

/// How waiting for an answer ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    Yes,
    /// The server sends nothing any more.
    Ended,
}

impl FramePrinter<'_> {
    /// Prints what goes by while something is done.
    async fn follow_until<T>(&mut self, doing: impl Future<Output = T>) -> io::Result<T> {
        let mut doing = Box::pin(doing);
        loop {
            tokio::select! {
                biased;
                heard = self.frames.next() => match heard {
                    Some(heard) => drop(self.print_heard(&heard)?),
                    None => return Ok(doing.await),
                },
                done = &mut doing => return Ok(done),
            }
        }
    }

    /// Prints what has come so far.
    async fn print_waiting(&mut self) -> io::Result<()> {
        self.follow_until(std::future::ready(())).await
    }

    /// Whether there is more to come.
    async fn print_next(&mut self) -> io::Result<bool> {
        match self.frames.next().await {
            Some(heard) => self.print_heard(&heard).map(|_| true),
            None => Ok(false),
        }
    }

    async fn send_all(
        &mut self,
        bus: &dyn Bus,
        frames: impl Iterator<Item = String>,
    ) -> CommandResult {
        let mut ending = Ending::Done;
        for text in frames {
            // What was there before answers nothing.
            self.print_waiting().await?;
            let asked = asked_id(&text);
            let asks = asked.is_some();
            self.asked = Some((asked.unwrap_or_default(), Instant::now()));
            let (to, headers) = (Address::ephemeral(FRAMES), Vec::new());
            let body = text.into_bytes().into();
            let sending = bus.send(Outgoing { to, reply: None, headers, body, expires: None });
            sending.await.map_err(|problem| problem.while_doing("sending a frame"))?;
            let patience = if asks { PATIENCE } else { QUIET };
            match timeout(patience, self.print_to_answer()).await {
                Ok(answered) => {
                    if answered? == Answered::Ended {
                        return Err(ended(bus).into());
                    }
                }
                Err(_) if asks => {
                    let seconds = patience.as_secs();
                    self.out.warn(format_args!("no answer to the frame within {seconds} s"));
                    ending = Ending::Found;
                }
                Err(_) => {}
            }
            self.asked = None;
        }
        Ok(ending)
    }

    async fn print_to_answer(&mut self) -> io::Result<Answered> {
        while let Some(heard) = self.frames.next().await {
            if self.print_heard(&heard)? {
                return Ok(Answered::Yes);
            }
        }
        Ok(Answered::Ended)
    }

    /// Prints a frame; whether it is the answer to what was sent.
    fn print_heard(&mut self, heard: &Incoming) -> io::Result<bool> {
        let Incoming::Packet(packet) = heard else {
            self.out.warn("frames arrived faster than they were printed; some are missing");
            return Ok(false);
        };
        let text = String::from_utf8_lossy(&packet.body);
        let asked = self.asked.as_ref().filter(|(id, _)| is_answer(packet, id));
        let after = asked.map(|(_, since)| since.elapsed());
        if self.find.is_none_or(|wanted| text.contains(wanted)) {
            self.write_frame(packet, &text, after)?;
        }
        Ok(after.is_some())
    }

    fn write_frame(
        &mut self,
        packet: &Packet,
        text: &str,
        after: Option<Duration>,
    ) -> io::Result<()> {
        let micros: u64 = packet_header(packet, AT).parse().unwrap_or_default();
        let (direction, bytes) = (packet_header(packet, DIRECTION), packet.body.len());
        if self.json {
            let mut row =
                json!({"at_us": micros, "direction": direction, "bytes": bytes, "frame": text});
            if let Some(after) = after {
                row["after_us"] = json!(after.as_micros() as u64);
            }
            self.out.json_line(&row)?;
        } else {
            let sign = FrameWay::of_word(direction).map_or("!", FrameWay::sign);
            let seconds = micros as f64 / 1_000_000.0;
            let text = self.out.safe_text(text);
            self.out.print_line(format!("{seconds:9.4} {sign} {bytes:>7} B  {text}"))?;
            if let Some(after) = after {
                let ms = after.as_secs_f64() * 1_000.0;
                self.out.flush()?;
                self.out.print_status(format_args!("answered after {ms:.1} ms"));
            }
        }
        self.out.flush()
    }
}

/// That the server sends nothing any more, and why.
fn ended(bus: &dyn Bus) -> Problem {
    let doing = "waiting for what a frame leads to";
    match bus.close_reason() {
        Some(reason) => reason.while_doing(doing),
        None => Problem::new(ProblemKind::Unreachable, doing, "the server ended"),
    }
}

/// A frame, or the lines of a file that are not empty.
fn read_frames(given: &str) -> Result<Vec<String>, Problem> {
    let Some(path) = given.strip_prefix('@') else { return Ok(vec![given.to_owned()]) };
    let text = files::read_text(Path::new(path))?.text.to_string();
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

/// The id of a request, whose answer is waited for.
fn asked_id(text: &str) -> Option<Value> {
    let frame: Value = serde_json::from_str(text).ok()?;
    frame.get("method")?;
    frame.get("id").filter(|id| !id.is_null()).cloned()
}

/// Whether a frame answers that request, or says that what was sent could not be read.
fn is_answer(packet: &Packet, asked: &Value) -> bool {
    let is_in = FrameWay::of_word(packet_header(packet, DIRECTION)) == Some(FrameWay::In);
    let frame = || serde_json::from_slice::<Value>(&packet.body).ok();
    is_in
        && frame().is_some_and(|frame| {
            let id = frame.get("id").unwrap_or(&Value::Null);
            let is_reply = frame.get("result").is_some() || frame.get("error").is_some();
            is_reply && frame.get("method").is_none() && (id == asked || id.is_null())
        })
}

fn packet_header<'p>(packet: &'p Packet, name: &str) -> &'p str {
    let found = packet.headers.iter().find(|(known, _)| known == name);
    found.map_or("", |(_, value)| value.as_str())
}
