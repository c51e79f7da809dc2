//! A tap: hears what passes at some places of a connection, without taking part and without holding anyone back.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use tokio::{
    sync::{Notify, broadcast::error::RecvError},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::transport::{
    bus::{Bus, Share},
    line::Line,
    message::{Address, Heard, Outgoing, Packet},
};
use crate::{
    engine::mask::Mask,
    model::{
        call::CallProblem,
        clock::Millis,
        traffic::{Crossing, Kept, Tapped},
    },
};

/// How much is held that nobody has taken yet, in bytes.
const CAPACITY: usize = 64 * 1024 * 1024;

/// So much of a body is kept.
const LONGEST: usize = 1024 * 1024;

/// How long a server may take to say that it heard of our subscriptions.
const STARTING: Duration = Duration::from_secs(5);

/// How often a place is looked for that is not there yet.
const LOOKING: Duration = Duration::from_secs(1);

/// Listens until it is dropped.
pub struct Tap {
    catch: Arc<Catch>,
    _listening: JoinSet<()>,
}

impl Tap {
    /// Listens at these places from now on; once this is done, the server knows. A place that is not there yet is waited for, and told.
    /// Secrets that the mask knows never come out of the tap.
    ///
    /// # Errors
    /// When a place cannot be listened at.
    pub async fn open(bus: Arc<dyn Bus>, places: &[Address], mask: Mask) -> Result<Self, CallProblem> {
        let catch = Arc::new(Catch::new(CAPACITY));
        let mask = Arc::new(mask);
        let mut listening = JoinSet::new();
        let mut words = bus.news().notices.subscribe();
        let said = Arc::clone(&catch);
        let mut lines = Vec::with_capacity(places.len());
        for place in places {
            lines.push(match bus.subscribe(place, Share::Aside).await {
                Ok(line) => Some(line),
                Err(problem) if is_not_there(&problem) => {
                    catch.put(notice(format!("{} is not there yet; it is heard once it is", place.name)));
                    None
                }
                Err(problem) => return Err(problem),
            });
        }
        let own = settle(&*bus).await?;
        for (place, line) in places.iter().zip(lines) {
            let ear = Ear {
                bus: Arc::clone(&bus),
                place: place.clone(),
                subject: place.name.as_str().into(),
                own: own.clone(),
                mask: Arc::clone(&mask),
                catch: Arc::clone(&catch),
            };
            listening.spawn(ear.listen(line));
        }
        listening.spawn(async move {
            loop {
                match words.recv().await {
                    Ok(words) => said.put(notice(words)),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                }
            }
        });
        Ok(Self { catch, _listening: listening })
    }

    /// What was heard since, in order, at most so many; waits until there is something.
    pub async fn next(&mut self, most: usize) -> Vec<Tapped> {
        loop {
            let more = self.catch.filled.notified();
            let taken = self.catch.take(most);
            if !taken.is_empty() {
                return taken;
            }
            more.await;
        }
    }

    /// Whether nothing waits to be taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.catch.held().queue.is_empty()
    }
}

/// What was heard and not yet taken; bounded, and what has no room is counted.
struct Catch {
    held: Mutex<Held>,
    filled: Notify,
    capacity: usize,
}

#[derive(Default)]
struct Held {
    queue: VecDeque<Tapped>,
    weight: usize,
    /// Messages that were let go since the last one was kept.
    lost: u64,
}

impl Catch {
    fn new(capacity: usize) -> Self {
        Self { held: Mutex::default(), filled: Notify::new(), capacity }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, tapped: Tapped) {
        let mut held = self.held();
        if let Tapped::Crossing(crossing) = &tapped {
            let weight = crossing.weight();
            if held.weight > 0 && held.weight + weight > self.capacity {
                held.lost += 1;
                return;
            }
            held.weight += weight;
        }
        held.own_up();
        held.queue.push_back(tapped);
        drop(held);
        self.filled.notify_one();
    }

    fn take(&self, most: usize) -> Vec<Tapped> {
        let mut held = self.held();
        if held.queue.is_empty() {
            held.own_up();
        }
        let count = most.min(held.queue.len());
        let taken: Vec<_> = held.queue.drain(..count).collect();
        let weight = |tapped: &Tapped| if let Tapped::Crossing(crossing) = tapped { crossing.weight() } else { 0 };
        held.weight -= taken.iter().map(weight).sum::<usize>();
        taken
    }
}

impl Held {
    /// Says how much was let go.
    fn own_up(&mut self) {
        if self.lost > 0 {
            self.queue.push_back(Tapped::Gap { at: now(), messages: Some(std::mem::take(&mut self.lost)) });
        }
    }
}

/// Listens at one place.
struct Ear {
    bus: Arc<dyn Bus>,
    place: Address,
    subject: Arc<str>,
    /// Our own message to ourselves goes there.
    own: Option<String>,
    mask: Arc<Mask>,
    catch: Arc<Catch>,
}

impl Ear {
    async fn listen(self, line: Option<Line>) {
        let mut line = match line {
            Some(line) => line,
            None => match self.come().await {
                Ok(line) => line,
                Err(problem) => return self.catch.put(notice(problem.message)),
            },
        };
        let (mut lost, mut overflows) = (0, self.bus.news().faults().overflows);
        while let Some(heard) = line.next().await {
            let (missing, over) = (line.lost().0 - lost, self.bus.news().faults().overflows);
            if missing > 0 || over != overflows {
                let messages = (over == overflows).then_some(missing);
                self.catch.put(Tapped::Gap { at: now(), messages });
                (lost, overflows) = (lost + missing, over);
            }
            if let Heard::Packet(packet) = heard
                && (self.own.is_none() || packet.subject != self.own)
            {
                self.catch.put(Tapped::Crossing(Arc::new(self.crossing(packet))));
            }
        }
        self.catch.put(notice(format!("nothing more is heard on {}", self.place.name)));
    }

    /// Waits until the place is there.
    async fn come(&self) -> Result<Line, CallProblem> {
        loop {
            sleep(LOOKING).await;
            match self.bus.subscribe(&self.place, Share::Aside).await {
                Ok(line) => {
                    self.catch.put(notice(format!("{} is there now", self.place.name)));
                    return Ok(line);
                }
                // While the connection is down it is tried again, too.
                Err(problem) if is_not_there(&problem) || problem.kind == "no-server" => {}
                Err(problem) => return Err(problem),
            }
        }
    }

    fn crossing(&self, packet: Packet) -> Crossing {
        let Packet { subject, reply, headers, body } = packet;
        let (start, mut kept) = if body.len() > LONGEST { (LONGEST, Kept::Start) } else { (body.len(), Kept::Whole) };
        let mut shown: Arc<[u8]> = body[..start].into();
        if let Ok(text) = std::str::from_utf8(&body[..boundary(&body, start)])
            && let std::borrow::Cow::Owned(masked) = self.mask.text(text)
        {
            shown = masked.into_bytes().into();
            kept = if kept == Kept::Whole { Kept::Masked } else { kept };
        }
        let headers = headers.into_iter().map(|(name, value)| {
            let masked = self.mask.named(&name, &value).into_owned();
            if masked != value && kept == Kept::Whole {
                kept = Kept::Masked;
            }
            (name, masked)
        });
        let headers = headers.collect();
        Crossing {
            at: now(),
            subject: subject.map_or_else(|| Arc::clone(&self.subject), Arc::from),
            reply: reply.map(|reply| reply.name.into()),
            headers,
            body: shown,
            size: body.len() as u64,
            kept,
            about: None,
        }
    }
}

/// Where the last whole letter at or before a place ends.
fn boundary(body: &[u8], mut at: usize) -> usize {
    while at > 0 && at < body.len() && body[at] & 0xc0 == 0x80 {
        at -= 1;
    }
    at
}

fn is_not_there(problem: &CallProblem) -> bool {
    problem.kind == "no-responders"
}

fn notice(words: String) -> Tapped {
    Tapped::Notice { at: now(), words }
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Sends a message around to itself: when it is back, the subscriptions before it are known to the server. Answers where it went.
async fn settle(bus: &dyn Bus) -> Result<Option<String>, CallProblem> {
    let Some(inbox) = bus.inbox() else { return Ok(None) };
    let name = inbox.name.clone();
    let mut line = bus.subscribe(&inbox, Share::Each).await?;
    bus.send(Outgoing { to: inbox, reply: None, headers: Vec::new(), body: Bytes::new() }).await?;
    match timeout(STARTING, line.next()).await {
        Ok(Some(_)) => Ok(Some(name)),
        _ => Err(CallProblem {
            kind: "no-server".into(),
            message: format!("{} did not confirm that it hears us", bus.place()),
            remedy: "check the connection and the permission to subscribe".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::transport::embedded::Embedded;

    fn message(body: &str) -> Outgoing {
        Outgoing {
            to: Address::fleeting("tg.request.joke"),
            reply: Some(Address::fleeting("_INBOX.7")),
            headers: vec![("id".into(), "7f1c".into()), ("x-api-key".into(), "geheim".into())],
            body: Bytes::copy_from_slice(body.as_bytes()),
        }
    }

    fn crossing(tapped: &Tapped) -> &Crossing {
        match tapped {
            Tapped::Crossing(crossing) => crossing,
            other => panic!("{other:?}"),
        }
    }

    async fn tap(bus: &Arc<Embedded>) -> Tap {
        let mask = Mask::new(["hunter2hunter2".to_owned()]);
        Tap::open(Arc::clone(bus) as Arc<dyn Bus>, &[Address::fleeting(">")], mask).await.unwrap()
    }

    #[tokio::test]
    async fn a_message_comes_whole_but_for_its_secrets() {
        let bus = Arc::new(Embedded::default());
        let mut tap = tap(&bus).await;
        bus.send(message(r#"{"say": "hunter2hunter2"}"#)).await.unwrap();
        let heard = tap.next(10).await;
        let crossing = crossing(&heard[0]);
        assert_eq!((&*crossing.subject, crossing.reply.as_deref()), ("tg.request.joke", Some("_INBOX.7")));
        assert_eq!((crossing.header("id"), crossing.size, crossing.kept), (Some("7f1c"), 25, Kept::Masked));
        let all = format!("{:?} {}", crossing.headers, crossing.text());
        assert!(!all.contains("hunter2") && !all.contains("geheim"), "{all}");
    }

    #[tokio::test]
    async fn of_a_huge_message_the_start_is_kept() {
        let bus = Arc::new(Embedded::default());
        let mut tap = tap(&bus).await;
        bus.send(message(&"é".repeat(LONGEST))).await.unwrap();
        let heard = tap.next(10).await;
        let crossing = crossing(&heard[0]);
        assert_eq!((crossing.body.len(), crossing.size, crossing.kept), (LONGEST, 2 * LONGEST as u64, Kept::Start));
    }

    #[test]
    fn what_has_no_room_is_counted_where_it_was_let_go() {
        let bus = Arc::new(Embedded::default());
        let catch = Arc::new(Catch::new(1_000));
        let ear = Ear {
            bus,
            place: Address::fleeting("s"),
            subject: "s".into(),
            own: None,
            mask: Arc::default(),
            catch: Arc::clone(&catch),
        };
        let put = |body: &str| {
            let packet =
                Packet { subject: None, reply: None, headers: Vec::new(), body: Bytes::copy_from_slice(body.as_bytes()) };
            catch.put(Tapped::Crossing(Arc::new(ear.crossing(packet))));
        };
        ["one", "two", "three", "four", "five"].into_iter().for_each(put);
        let bodies = |taken: &[Tapped]| taken.iter().map(|tapped| crossing(tapped).text().into_owned()).collect::<Vec<_>>();
        assert_eq!(bodies(&catch.take(2)), ["one", "two"]);
        put("six");
        let taken = catch.take(10);
        assert_eq!(bodies(&taken[..1]), ["three"]);
        assert!(matches!(taken[1], Tapped::Gap { messages: Some(2), .. }), "{taken:?}");
        assert_eq!(bodies(&taken[2..]), ["six"]);
    }
}
