//! A tap: hears what passes at some places of a connection, without taking part and without holding
//! anyone back.
//!
//! What comes is made into crossings by [`redact`], waits in [`buffer`], and may begin with what
//! the broker kept, which [`replay`] plays.

mod buffer;
mod now;
mod order;
mod redact;
mod replay;

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::broadcast::error::RecvError,
    task::JoinSet,
    time::{interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use self::{
    buffer::TapBuffer,
    now::{break_now, notice_now},
    order::Order,
    redact::Redactor,
    replay::StoredPast,
};
use super::{
    now::now_millis,
    transport::{
        bus::{Bus, SubscriptionShare},
        confirm::confirm_subscriptions,
        message::{Address, Incoming, Packet},
        message_queue::QueueReceiver,
        pattern::subject_matches,
    },
};
use crate::{
    engine::mask::Mask,
    model::{
        call::CallError,
        clock::Millis,
        error_kind::ErrorKind,
        traffic::{ObservedMessage, Tapped},
    },
    wire::spawning::boxed,
};

/// How much is held that nobody has taken yet, in bytes.
const CAPACITY: usize = 64 * 1024 * 1024;

/// How often a place is looked for that is not there yet.
const LOOKING: Duration = Duration::from_secs(1);

/// How long a server may take to say that it knows that nobody listens any more.
const LEAVING: Duration = Duration::from_secs(3);

/// How often it is looked whether an answer has waited for long enough.
const TICK: Duration = Duration::from_millis(250);

/// Listens until it is ended or dropped.
pub struct Tap {
    buffer: Arc<TapBuffer>,
    listeners: JoinSet<()>,
    stop: CancellationToken,
    _beside: JoinSet<()>,
}

impl Tap {
    /// Listens at these places from now on; once this is done, the server knows. A place that is
    /// not there yet is waited for, and said. Secrets that the mask knows never come out of the
    /// tap.
    ///
    /// # Errors
    /// When a place cannot be listened at.
    pub async fn open(
        bus: Arc<dyn Bus>,
        places: &[Address],
        mask: Mask,
    ) -> Result<Self, CallError> {
        Self::open_since(bus, places, mask, None).await
    }

    /// The same; what the broker kept since then comes first, each message once.
    ///
    /// # Errors
    /// When a place cannot be listened at, or the broker does not say what it keeps.
    pub async fn open_since(
        bus: Arc<dyn Bus>,
        places: &[Address],
        mask: Mask,
        since: Option<Millis>,
    ) -> Result<Self, CallError> {
        let buffer = Arc::new(TapBuffer::new(CAPACITY));
        let cut = Arc::new(Redactor(mask));
        let (mut listeners, mut beside, stop) =
            (JoinSet::new(), JoinSet::new(), CancellationToken::new());
        // Before the subscriptions: what is newer than this may be received twice, and nothing is
        // missed between.
        let past = match since {
            Some(since) => {
                buffer.hold_back();
                let keeps = bus.retained_streams(places).await?;
                Some(StoredPast {
                    bus: Arc::clone(&bus),
                    keeps,
                    since,
                    cut: Arc::clone(&cut),
                    buffer: Arc::clone(&buffer),
                })
            }
            None => None,
        };
        let mut words = bus.connection_events().notices.subscribe();
        let said = Arc::clone(&buffer);
        let mut lines = Vec::with_capacity(places.len());
        for place in places {
            lines.push(match bus.subscribe(place, SubscriptionShare::Observer).await {
                Ok(line) => Some(line),
                Err(problem) if is_not_there(&problem) => {
                    buffer.put_live(notice_now(format!(
                        "{} doesn't exist yet; it is watched as soon as it does",
                        place.name
                    )));
                    None
                }
                Err(problem) => return Err(problem),
            });
        }
        let there: Vec<&Address> = places
            .iter()
            .zip(&lines)
            .filter_map(|(place, line)| line.as_ref().map(|_| place))
            .collect();
        let own = match bus.transport().is_bus() {
            true => confirm_subscriptions(&*bus, &there).await?,
            false => None,
        };
        let all: Arc<[Address]> = places.into();
        if let Some(past) = past {
            beside.spawn(boxed(past.replay_kept()));
        }
        let order = (!bus.transport().spec().ordered && places.len() > 1)
            .then(|| Arc::new(Order::new(Arc::clone(&buffer))));
        if let Some(order) = &order {
            beside.spawn(boxed(release_periodically(Arc::clone(order))));
        }
        for (place, line) in places.iter().zip(lines) {
            let listener = TapListener {
                bus: Arc::clone(&bus),
                place: place.clone(),
                all: Arc::clone(&all),
                own: own.clone(),
                cut: Arc::clone(&cut),
                buffer: Arc::clone(&buffer),
                order: order.clone(),
            };
            listeners.spawn(boxed(listener.run_until_stopped(line, stop.clone())));
        }
        let mut breaks = bus.connection_events().fault_counts().breaks;
        let breaking = Arc::clone(&bus);
        beside.spawn(boxed(async move {
            loop {
                match words.recv().await {
                    Ok(words) => {
                        let now = breaking.connection_events().fault_counts().breaks;
                        let is_break = std::mem::replace(&mut breaks, now) != now;
                        said.put_live(match is_break {
                            true => break_now(words),
                            false => notice_now(words),
                        });
                    }
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                }
            }
        }));
        Ok(Self { buffer, listeners, stop, _beside: beside })
    }

    /// Listens no more: once this is done, nothing of it is left on the server.
    pub async fn close(mut self) {
        self.stop.cancel();
        // A server that does not answer forgets it when the connection ends.
        let _ =
            timeout(LEAVING, async { while self.listeners.join_next().await.is_some() {} }).await;
    }

    /// What was received since, in order, at most so many; waits until there is something.
    pub async fn next(&mut self, most: usize) -> Vec<Tapped> {
        loop {
            let more = self.buffer.filled.notified();
            let taken = self.buffer.take_batch(most);
            if !taken.is_empty() {
                return taken;
            }
            more.await;
        }
    }

    /// Whether nothing waits to be taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }
}

/// Listens at one place.
struct TapListener {
    bus: Arc<dyn Bus>,
    place: Address,
    /// Wherever the tap listens.
    all: Arc<[Address]>,
    /// Our own message to ourselves goes there.
    own: Option<String>,
    cut: Arc<Redactor>,
    buffer: Arc<TapBuffer>,
    /// `None`: what is received is in order already.
    order: Option<Arc<Order>>,
}

/// Releases what waits too long.
async fn release_periodically(order: Arc<Order>) {
    let mut ticks = interval(TICK);
    loop {
        ticks.tick().await;
        order.release_overdue();
    }
}

impl TapListener {
    /// Listens until it is stopped, and leaves then.
    async fn run_until_stopped(self, line: Option<QueueReceiver>, stop: CancellationToken) {
        let mut line = match line {
            Some(line) => line,
            None => match stop.run_until_cancelled(self.wait_for_place()).await {
                Some(Ok(line)) => line,
                Some(Err(problem)) => return self.buffer.put_live(notice_now(problem.message)),
                None => return,
            },
        };
        let (mut lost, mut overflows) = (0, self.bus.connection_events().fault_counts().overflows);
        loop {
            let Some(heard) = stop.run_until_cancelled(line.next()).await else {
                return line.unsubscribe().await;
            };
            let Some(heard) = heard else { break };
            let (missing, over) = (
                line.lost_counts().messages - lost,
                self.bus.connection_events().fault_counts().overflows,
            );
            if missing > 0 || over != overflows {
                let messages = (over == overflows).then_some(missing);
                self.buffer.put_live(Tapped::Gap { at: now_millis(), messages });
                (lost, overflows) = (lost + missing, over);
            }
            if let Some(backlog) = line.new_backlog() {
                self.buffer.put_live(notice_now(backlog.to_string()));
            }
            if let Incoming::Packet(packet) = heard
                && (self.own.is_none() || packet.subject != self.own)
            {
                self.handle_packet(packet).await;
            }
        }
        self.buffer.put_live(break_now(format!("stopped receiving on {}", self.place.name)));
    }

    async fn handle_packet(&self, mut packet: Packet) {
        let at = packet.take_sent_at().unwrap_or_else(now_millis);
        packet.subject.get_or_insert_with(|| self.place.name.clone());
        let told = match self.bus.referenced_message(&packet) {
            // Where it is gone, or we may not look, what is notified of it is all there is.
            Some(about) => about.await.unwrap_or_default(),
            None => None,
        };
        let here = |told: &Packet| {
            self.all.iter().any(|place| {
                subject_matches(&place.name, told.subject.as_deref().unwrap_or_default())
            })
        };
        if told.as_ref().is_some_and(|told| !here(told)) {
            // It reports somebody else's message.
            return;
        }
        let about = told.map(|told| Arc::new(self.cut.redact_packet(told, at)));
        let crossing = ObservedMessage { about, ..self.cut.redact_packet(packet, at) };
        match &self.order {
            Some(order) => order.put_in_order(crossing),
            None => self.buffer.put_live(Tapped::ObservedMessage(Arc::new(crossing))),
        }
    }

    /// Waits until the place is there.
    async fn wait_for_place(&self) -> Result<QueueReceiver, CallError> {
        loop {
            sleep(LOOKING).await;
            match self.bus.subscribe(&self.place, SubscriptionShare::Observer).await {
                Ok(line) => {
                    self.buffer.put_live(notice_now(format!("{} exists now", self.place.name)));
                    return Ok(line);
                }
                // While the connection is down it is tried again, too.
                Err(problem) if is_not_there(&problem) || problem.kind == ErrorKind::NoServer => {}
                Err(problem) => return Err(problem),
            }
        }
    }
}

fn is_not_there(problem: &CallError) -> bool {
    problem.kind == ErrorKind::NoResponders
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{redact::LONGEST, *};
    use crate::{
        model::traffic::KeptMessage,
        wire::transport::{embedded::Embedded, message::Outgoing},
    };

    fn message(body: &str) -> Outgoing {
        Outgoing {
            to: Address::ephemeral("tg.request.joke"),
            reply: Some(Address::ephemeral("_INBOX.7")),
            headers: vec![("id".into(), "7f1c".into()), ("x-api-key".into(), "geheim".into())],
            body: Bytes::copy_from_slice(body.as_bytes()),
            expires: None,
        }
    }

    fn crossing(tapped: &Tapped) -> &ObservedMessage {
        match tapped {
            Tapped::ObservedMessage(crossing) => crossing,
            other => panic!("{other:?}"),
        }
    }

    async fn tap(bus: &Arc<Embedded>) -> Tap {
        let mask = Mask::new(["hunter2hunter2".to_owned()]);
        Tap::open(Arc::clone(bus) as Arc<dyn Bus>, &[Address::ephemeral(">")], mask).await.unwrap()
    }

    #[tokio::test]
    async fn a_message_comes_whole_but_for_its_secrets() {
        let bus = Arc::new(Embedded::default());
        let mut tap = tap(&bus).await;
        bus.send(message(r#"{"say": "hunter2hunter2"}"#)).await.unwrap();
        let heard = tap.next(10).await;
        let crossing = crossing(&heard[0]);
        assert_eq!(
            (&*crossing.subject, crossing.reply.as_deref()),
            ("tg.request.joke", Some("_INBOX.7"))
        );
        assert_eq!(
            (crossing.header("id"), crossing.size, crossing.kept),
            (Some("7f1c"), 25, KeptMessage::Masked)
        );
        let all = format!("{:?} {}", crossing.headers, crossing.body_text());
        assert!(!all.contains("hunter2") && !all.contains("geheim"), "{all}");
    }

    #[tokio::test]
    async fn of_a_huge_message_the_start_is_kept() {
        let bus = Arc::new(Embedded::default());
        let mut tap = tap(&bus).await;
        bus.send(message(&"é".repeat(LONGEST))).await.unwrap();
        let heard = tap.next(10).await;
        let crossing = crossing(&heard[0]);
        assert_eq!(
            (crossing.body.len(), crossing.size, crossing.kept),
            (LONGEST, 2 * LONGEST as u64, KeptMessage::Start)
        );
    }

    fn heard_now(body: &str) -> Tapped {
        let packet = Packet {
            subject: None,
            reply: None,
            headers: Vec::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        };
        Tapped::ObservedMessage(Arc::new(
            Redactor(Mask::default()).redact_packet(packet, now_millis()),
        ))
    }

    fn bodies(taken: &[Tapped]) -> Vec<String> {
        taken.iter().map(|tapped| crossing(tapped).body_text().into_owned()).collect()
    }

    #[tokio::test]
    async fn what_was_kept_comes_before_what_is_heard_now_and_nothing_twice() {
        let buffer = TapBuffer::new(100_000);
        buffer.hold_back();
        ["new", "both", "both"].into_iter().for_each(|body| buffer.put_live(heard_now(body)));
        assert!(buffer.take_batch(10).is_empty());
        buffer.put_kept(heard_now("old")).await;
        buffer.put_kept(heard_now("both")).await;
        assert_eq!(bodies(&buffer.take_batch(10)), ["old", "both"]);
        let twice = |body: &str| match heard_now(body) {
            Tapped::ObservedMessage(crossing) => crossing,
            other => panic!("{other:?}"),
        };
        buffer.go_on(vec![twice("both"), twice("late")], now_millis());
        buffer.put_live(heard_now("late"));
        buffer.put_live(heard_now("late"));
        buffer.put_live(heard_now("newest"));
        assert_eq!(bodies(&buffer.take_batch(10)), ["new", "both", "late", "newest"]);
    }

    #[test]
    fn what_has_no_room_is_counted_where_it_was_let_go() {
        let buffer = Arc::new(TapBuffer::new(1_000));
        let put = |body: &str| buffer.put_live(heard_now(body));
        ["one", "two", "three", "four", "five"].into_iter().for_each(put);
        assert_eq!(bodies(&buffer.take_batch(2)), ["one", "two"]);
        put("six");
        let taken = buffer.take_batch(10);
        assert_eq!(bodies(&taken[..1]), ["three"]);
        assert!(matches!(taken[1], Tapped::Gap { messages: Some(2), .. }), "{taken:?}");
        assert_eq!(bodies(&taken[2..]), ["six"]);
    }
}
