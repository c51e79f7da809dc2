//! A connection that is made again whenever it breaks, and the bus on it: every line goes on where
//! the connection is back.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use tokio::{
    sync::{oneshot, watch},
    task::AbortHandle,
    time::{sleep, timeout},
};

use super::{
    bus::{Bus, Doing, Share},
    connection_event::ConnectionEvents,
    message::{Address, Incoming, Outgoing},
    message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
};
use crate::{
    model::{call::CallError, error_kind::ErrorKind, transport::TransportKind},
    wire::backoff,
};

/// How long the server may take to confirm a subscription or a message.
const CONFIRMING: Duration = Duration::from_secs(5);

/// Makes connections of one kind to one place.
pub(crate) trait Dial: Send + Sync + 'static {
    type Link: Link;

    /// Connects, or says why not.
    fn dial(&self) -> Doing<'_, Self::Link>;
}

/// One connection, until it breaks. Dropping it closes it.
pub(crate) trait Link: Send + Sync + Sized + 'static {
    /// What one subscription hears with.
    type Subscription: Send + 'static;

    /// What was found at the other end, in a few words.
    fn greeting(&self) -> String;

    /// Tells what the server says, and ends when the connection is no longer there; with the reason
    /// where it must not be made again by itself.
    fn watch<'a>(&'a self, news: &'a ConnectionEvents) -> BoxFuture<'a, Option<CallError>>;

    /// Listens at a place. The server knows the subscription when this is done.
    fn listen<'a>(&'a self, at: &'a Address, share: Share) -> Doing<'a, Self::Subscription>;

    /// Puts what comes into the queue, until the subscription has ended or the listener has left.
    fn recv<'a>(
        subscription: &'a mut Self::Subscription,
        feeder: &'a QueueSender,
    ) -> BoxFuture<'a, ()>;

    /// Tells the server that nobody listens there any more.
    fn leave(subscription: Self::Subscription) -> BoxFuture<'static, ()>;

    /// Sends a message; it is done when the server has it.
    fn send(&self, message: Outgoing) -> Doing<'_, ()>;
}

/// What the tasks of a link tell the one that watches it.
pub(crate) enum LinkEvent {
    Notice(String),
    /// The connection is over, and must not be made again by itself.
    Fatal(CallError),
}

/// The bus on a connection that is kept up, unless it ends for a reason that would come back.
pub(crate) struct Reconnecting<L> {
    transport: TransportKind,
    news: Arc<ConnectionEvents>,
    links: watch::Receiver<Option<Arc<L>>>,
    keeping: AbortHandle,
}

impl<L> Drop for Reconnecting<L> {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

/// Connects, or says why not; from then on the connection is kept up.
pub(crate) async fn open<D: Dial>(
    transport: TransportKind,
    place: String,
    dial: D,
) -> Result<Reconnecting<D::Link>, CallError> {
    let link = dial.dial().await?;
    let news = Arc::new(ConnectionEvents::new(place));
    let (sender, links) = watch::channel(Some(Arc::new(link)));
    news.connected();
    let keeping = tokio::spawn(keep(dial, sender, Arc::clone(&news)));
    Ok(Reconnecting { transport, news, links, keeping: keeping.abort_handle() })
}

async fn keep<D: Dial>(
    dial: D,
    links: watch::Sender<Option<Arc<D::Link>>>,
    news: Arc<ConnectionEvents>,
) {
    loop {
        let Some(link) = links.borrow().clone() else { return };
        let fatal = link.watch(&news).await;
        drop(link);
        if let Some(problem) = fatal {
            news.ended(&problem);
            links.send_replace(None);
            return;
        }
        news.broke();
        links.send_replace(None);
        let link = dial_again(&dial, &news).await;
        links.send_replace(Some(Arc::new(link)));
        news.connected();
    }
}

/// Tries until it succeeds; what hinders is told when it changes.
async fn dial_again<D: Dial>(dial: &D, news: &ConnectionEvents) -> D::Link {
    let mut told = String::new();
    for attempt in 1.. {
        news.trying(attempt);
        sleep(backoff::delay(attempt)).await;
        match dial.dial().await {
            Ok(link) => return link,
            Err(problem) if problem.message == told => {}
            Err(problem) => {
                told = problem.message;
                news.say(told.clone());
            }
        }
    }
    std::future::pending().await
}

impl<L: Link> Reconnecting<L> {
    fn link(&self) -> Result<Arc<L>, CallError> {
        let down = || CallError {
            kind: ErrorKind::NoServer,
            message: format!(
                "the connection to {} is down, so nothing was sent",
                self.news.place()
            ),
            remedy: "it is being tried again; send once it is back, or choose another connection"
                .into(),
        };
        self.links.borrow().clone().ok_or_else(|| self.news.over().unwrap_or_else(down))
    }

    async fn listen(&self, at: &Address, share: Share) -> Result<QueueReceiver, CallError> {
        let link = self.link()?;
        let subscription = timeout(CONFIRMING, link.listen(at, share))
            .await
            .unwrap_or_else(|_| Err(self.unconfirmed("that it heard us")))?;
        let (feeder, line) = message_queue(CAPACITY);
        let keeper = Listening {
            links: self.links.clone(),
            news: Arc::clone(&self.news),
            at: at.clone(),
            share,
        };
        let (leaving, left) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let news = Arc::clone(&keeper.news);
            keeper.run(link, subscription, &feeder).await;
            if let Some(problem) = news.over() {
                // Who has left needs nothing.
                let _ = feeder.offer(Incoming::Failed(problem));
            }
            drop(leaving);
        });
        Ok(line.leaving(left))
    }

    fn unconfirmed(&self, what: &str) -> CallError {
        let within = CONFIRMING.as_secs();
        CallError {
            kind: ErrorKind::NoServer,
            message: format!("{} did not confirm within {within} s {what}", self.news.place()),
            remedy: "see whether the server is stopped or overloaded, and what became of the message before sending it again"
                .into(),
        }
    }
}

/// A subscription that is made again when its connection is back.
struct Listening<L> {
    links: watch::Receiver<Option<Arc<L>>>,
    news: Arc<ConnectionEvents>,
    at: Address,
    share: Share,
}

impl<L: Link> Listening<L> {
    async fn run(mut self, link: Arc<L>, mut subscription: L::Subscription, feeder: &QueueSender) {
        // Only to tell it from later ones; it must be free to close.
        let mut heard_on = Arc::downgrade(&link);
        drop(link);
        loop {
            tokio::select! {
                () = L::recv(&mut subscription, feeder) => {}
                // A subscription must not keep a connection that nobody has any more.
                () = gone(&mut self.links) => return,
            }
            // A server that does not answer forgets it when the connection ends.
            let _ = timeout(CONFIRMING, L::leave(subscription)).await;
            if feeder.is_closed() {
                return;
            }
            sleep(backoff::delay(1)).await;
            let still = self
                .links
                .borrow()
                .as_ref()
                .map(Arc::downgrade)
                .is_some_and(|now| now.ptr_eq(&heard_on));
            if still {
                self.news.interrupted(format!(
                    "{} ended what we heard on {}",
                    self.news.place(),
                    self.at.name
                ));
            }
            let again = tokio::select! {
                () = feeder.closed() => None,
                again = self.again() => again,
            };
            let Some((link, next)) = again else { return };
            heard_on = Arc::downgrade(&link);
            subscription = next;
        }
    }

    /// Listens again as soon as there is a connection; `None` when there will be none.
    async fn again(&mut self) -> Option<(Arc<L>, L::Subscription)> {
        for attempt in 1.. {
            let link = self.links.wait_for(Option::is_some).await.ok()?.clone()?;
            match timeout(CONFIRMING, link.listen(&self.at, self.share)).await {
                Ok(Ok(subscription)) => return Some((link, subscription)),
                Ok(Err(problem)) => self.news.say(problem.message),
                Err(_) => {}
            }
            sleep(backoff::delay(attempt)).await;
        }
        None
    }
}

/// Ends when the bus is dropped, or over.
async fn gone<T>(links: &mut watch::Receiver<T>) {
    while links.changed().await.is_ok() {}
}

impl<L: Link> Bus for Reconnecting<L> {
    fn transport(&self) -> TransportKind {
        self.transport
    }

    fn place(&self) -> String {
        self.news.place().to_owned()
    }

    fn greeting(&self) -> String {
        self.links.borrow().as_ref().map_or_else(String::new, |link| link.greeting())
    }

    fn subscribe<'a>(&'a self, at: &'a Address, share: Share) -> Doing<'a, QueueReceiver> {
        Box::pin(self.listen(at, share))
    }

    fn send<'a>(&'a self, message: Outgoing) -> Doing<'a, ()> {
        Box::pin(async move {
            let link = self.link()?;
            timeout(CONFIRMING, link.send(message))
                .await
                .unwrap_or_else(|_| Err(self.unconfirmed("the message, which may still arrive")))
        })
    }

    fn inbox(&self) -> Option<Address> {
        None
    }

    fn ended(&self) -> Option<CallError> {
        self.news.over()
    }

    fn news(&self) -> &ConnectionEvents {
        &self.news
    }
}
