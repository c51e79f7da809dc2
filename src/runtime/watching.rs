//! Listens for the watch, and carries traces to disk and back.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    app::{message::Message, watching::WatchMessage},
    engine::{
        mask::Mask,
        traffic::{
            record::{Record, RecordBounds},
            span::StartTime,
            trace::Head,
        },
    },
    model::{
        attachment::CardSource,
        call::CallError,
        clock::Millis,
        connection::Connection,
        problem::Problem,
        traffic::{Tapped, WatchedItem},
    },
    runtime::now::{each_second, now_millis, resolve_since},
    store::{
        secrets,
        traces::{self, TraceFile},
    },
    systems::{facets::observer::Place, watched::TrafficWitness},
    wire::{
        card_source, registry::Registry, spawning::spawn, tap::Tap, transport::message::Address,
    },
};

/// So many things received travel in one message at most.
const SLICE: usize = 256;

/// So many messages may be on their way to the loop before the tap holds them back.
const AHEAD: usize = 16;

/// So many seconds after the last thing received, time still goes by on the screen.
const TICKS: u32 = 600;

/// The tap that is open, if one is.
#[derive(Debug, Default)]
pub(crate) struct OpenTap(Option<(CancellationToken, JoinHandle<()>)>);

/// How long the server may take to hear that nobody listens any more, when the program ends.
const LEAVING: Duration = Duration::from_secs(1);

impl Drop for OpenTap {
    fn drop(&mut self) {
        self.stop();
    }
}

impl OpenTap {
    /// Listens no more.
    pub fn stop(&mut self) {
        if let Some((stop, _)) = self.0.take() {
            stop.cancel();
        }
    }

    /// The same; waits until the server knows.
    pub async fn stop_and_wait(&mut self) {
        if let Some((stop, listening)) = self.0.take() {
            stop.cancel();
            let _ = timeout(LEAVING, listening).await;
        }
    }

    /// Listens there from now on, and nowhere else.
    pub fn listen_at(
        &mut self,
        at: WatchTarget,
        registry: Arc<Registry>,
        messages: mpsc::Sender<Message>,
    ) {
        self.stop();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let listening = spawn(async move {
            let turn = at.turn;
            let opened = stopped.run_until_cancelled(open_tap(&at, &registry)).await;
            match opened {
                Some(Ok(mut tap)) => {
                    stopped.run_until_cancelled(forward_traffic(&at, &mut tap, &messages)).await;
                    tap.close().await;
                }
                Some(Err(problem)) => {
                    let refused = Message::Watch(WatchMessage::Refused { turn, problem });
                    let _ = stopped.run_until_cancelled(messages.send(refused)).await;
                }
                None => {}
            }
        });
        self.0 = Some((stop, listening));
    }
}

/// What is listened to.
pub(crate) struct WatchTarget {
    pub turn: u64,
    pub connection: Connection,
    /// All connections whose secrets might pass.
    pub known: Vec<Connection>,
    pub places: Vec<Place>,
    /// What the broker kept since then comes first.
    pub since: Option<StartTime>,
}

async fn open_tap(at: &WatchTarget, registry: &Registry) -> Result<Tap, CallError> {
    let address = |place: &Place| Address { name: place.name.clone(), kept: place.kept };
    let addresses: Vec<Address> = at.places.iter().map(address).collect();
    let since = at.since.map(resolve_since).transpose()?;
    let bus = registry.open_bus(&at.connection).await?;
    Tap::open_since(bus, &addresses, secrets::build_mask(&at.known), since).await
}

/// Passes on what is received, until nobody takes it any more.
async fn forward_traffic(at: &WatchTarget, tap: &mut Tap, messages: &mpsc::Sender<Message>) {
    let turn = at.turn;
    let mut witness = TrafficWitness::default();
    card_source::load_rosters(&mut witness, &at.connection, &secrets::build_mask(&at.known)).await;
    let mut quiet = TICKS;
    // Until then something counts down on the screen.
    let mut due = Millis::default();
    // On a busy bus time goes by too.
    let mut seconds = each_second();
    let mut next = WatchMessage::Began { turn };
    loop {
        while messages.max_capacity() - messages.capacity() > AHEAD {
            sleep(Duration::from_millis(1)).await;
        }
        if messages.send(Message::Watch(next)).await.is_err() {
            return;
        }
        next = tokio::select! {
            heard = tap.next(SLICE) => {
                quiet = 0;
                let heard: Vec<_> = heard.into_iter().map(|tapped| witness.observe_message(tapped)).collect();
                due = heard.iter().filter_map(WatchedItem::due).max().map_or(due, |new| due.max(new));
                WatchMessage::Heard { turn, heard }
            }
            _ = seconds.tick(), if quiet < TICKS || now_millis() < due => {
                quiet += 1;
                WatchMessage::Tick { turn }
            }
        };
    }
}

/// Reads cards, and says what came.
pub(crate) fn read_cards(
    turn: u64,
    connection: Connection,
    known: &[Connection],
    card_source: CardSource,
    messages: mpsc::Sender<Message>,
) {
    let mask = secrets::build_mask(known);
    spawn(async move {
        let read = card_source::read_cards(&connection, &card_source, &mask).await;
        // The loop may have ended; then nobody needs to know.
        let _ = messages.send(Message::Watch(WatchMessage::CardsRead { turn, read })).await;
    });
}

/// A file that the user names: below the workspace unless it says otherwise.
pub(super) fn resolve_path(root: &Path, path: &str) -> PathBuf {
    match path.strip_prefix("~/").zip(std::env::home_dir()) {
        Some((rest, home)) => home.join(rest),
        None => root.join(path),
    }
}

/// Saves what was received as a new trace.
pub(crate) fn save_trace(
    root: &Path,
    path: String,
    head: &Head,
    heard: Vec<Tapped>,
    mask: Mask,
) -> Result<WatchMessage, Problem> {
    let mut file = TraceFile::create(&resolve_path(root, &path), head, mask)?;
    let messages =
        heard.iter().filter(|tapped| matches!(tapped, Tapped::ObservedMessage(_))).count();
    heard.into_iter().try_for_each(|tapped| file.write_tapped(tapped))?;
    file.finish()?;
    Ok(WatchMessage::Saved { path, messages })
}

/// Opens a trace, decoded again.
pub(crate) fn open_trace(root: &Path, path: String) -> Result<WatchMessage, Problem> {
    let mut record = Record::new(RecordBounds::default());
    let mut witness = TrafficWitness::default();
    let head = traces::read_trace(&resolve_path(root, &path), |tapped| {
        drop(record.add_witnessed(witness.observe_message(tapped)));
    })?;
    Ok(WatchMessage::Opened { path, head, record: Box::new(record) })
}
