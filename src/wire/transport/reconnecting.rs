//! A connection that is made again whenever it breaks, and the bus on it: every line goes on where
//! the connection is back.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{oneshot, watch},
    task::AbortHandle,
    time::{sleep, timeout},
};

use super::{
    bus::{Bus, BusFuture, SubscriptionShare},
    connection_event::ConnectionEvents,
    message::{Address, Incoming, Outgoing},
    message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
    settings,
};
use crate::{
    model::{
        call::CallError, connection::Connection, error_kind::ErrorKind, transport::TransportKind,
    },
    wire::{backoff, secrets::Secrets, spawning::spawn},
};

/// How long the server may take to confirm a subscription or a message.
const CONFIRMING: Duration = Duration::from_secs(5);

/// Makes connections of one kind to one place.
pub(crate) trait TransportDial: Send + Sync + Sized + 'static {
    type Link: Link;

    /// What it takes to connect, secrets among it.
    fn new(
        connection: &Connection,
        secrets: &Secrets,
    ) -> impl Future<Output = Result<Self, CallError>> + Send;

    /// Connects, or says why not.
    fn dial(&self) -> impl Future<Output = Result<Self::Link, CallError>> + Send;
}

/// One connection, until it breaks. Dropping it closes it.
pub(crate) trait Link: Send + Sync + Sized + 'static {
    /// What one subscription hears with.
    type Subscription: Send + 'static;

    /// What was found at the other end, in a few words.
    fn greeting(&self) -> String;

    /// Reports what the server says, and ends when the connection is no longer there; with the
    /// reason where it must not be made again by itself.
    fn watch_connection(
        &self,
        news: &ConnectionEvents,
    ) -> impl Future<Output = Option<CallError>> + Send;

    /// Listens at a place. The server knows the subscription when this is done.
    fn subscribe(
        &self,
        at: &Address,
        share: SubscriptionShare,
    ) -> impl Future<Output = Result<Self::Subscription, CallError>> + Send;

    /// Puts what comes into the queue, until the subscription has ended or the listener has left.
    fn forward_messages(
        subscription: &mut Self::Subscription,
        feeder: &QueueSender,
    ) -> impl Future<Output = ()> + Send;

    /// Reports the server that nobody listens there any more.
    fn unsubscribe(subscription: Self::Subscription) -> impl Future<Output = ()> + Send;

    /// Sends a message; it is done when the server has it.
    fn send(&self, message: Outgoing) -> impl Future<Output = Result<(), CallError>> + Send;

    /// As [`Bus::check_target`].
    fn check_target(&self, to: &Address) -> impl Future<Output = Result<(), CallError>> + Send {
        let _ = to;
        std::future::ready(Ok(()))
    }
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
pub(crate) async fn connect<D: TransportDial>(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<Reconnecting<D::Link>, CallError> {
    let dial = D::new(connection, secrets).await?;
    let link = dial.dial().await?;
    let news = Arc::new(ConnectionEvents::new(settings::display_address(connection)));
    let (sender, links) = watch::channel(Some(Arc::new(link)));
    news.mark_connected();
    let keeping = spawn(keep_connected(dial, sender, Arc::clone(&news)));
    let transport = connection.transport();
    Ok(Reconnecting { transport, news, links, keeping: keeping.abort_handle() })
}

async fn keep_connected<D: TransportDial>(
    dial: D,
    links: watch::Sender<Option<Arc<D::Link>>>,
    news: Arc<ConnectionEvents>,
) {
    loop {
        let Some(link) = links.borrow().clone() else { return };
        let fatal = link.watch_connection(&news).await;
        drop(link);
        if let Some(problem) = fatal {
            news.mark_closed(&problem);
            links.send_replace(None);
            return;
        }
        news.mark_broken();
        links.send_replace(None);
        let link = dial_again(&dial, &news).await;
        links.send_replace(Some(Arc::new(link)));
        news.mark_connected();
    }
}

/// Tries until it succeeds; what hinders is reported when it changes.
async fn dial_again<D: TransportDial>(dial: &D, news: &ConnectionEvents) -> D::Link {
    let mut told = String::new();
    for attempt in 1.. {
        news.mark_reconnecting(attempt);
        sleep(backoff::retry_delay(attempt)).await;
        match dial.dial().await {
            Ok(link) => return link,
            Err(problem) if problem.message == told => {}
            Err(problem) => {
                told = problem.message;
                news.send_down_reason(told.clone());
            }
        }
    }
    std::future::pending().await
}

impl<L: Link> Reconnecting<L> {
    fn current_link(&self) -> Result<Arc<L>, CallError> {
        let down = || CallError {
            kind: ErrorKind::NoServer,
            message: match (self.news.display_address(), self.news.down_reason()) {
                (place, why) if why.is_empty() => {
                    format!("the connection to {place} is down, so nothing was sent")
                }
                (place, why) => {
                    format!("the connection to {place} is down, so nothing was sent: {why}")
                }
            },
            remedy: "reconnecting; send again once it is back, or choose another connection".into(),
        };
        self.links.borrow().clone().ok_or_else(|| self.news.close_reason().unwrap_or_else(down))
    }

    async fn open_subscription(
        &self,
        at: &Address,
        share: SubscriptionShare,
    ) -> Result<QueueReceiver, CallError> {
        let link = self.current_link()?;
        let subscription = timeout(CONFIRMING, link.subscribe(at, share))
            .await
            .unwrap_or_else(|_| Err(self.not_confirmed("the subscription")))?;
        let (feeder, line) = message_queue(CAPACITY);
        let keeper = LastingSubscription {
            links: self.links.clone(),
            news: Arc::clone(&self.news),
            at: at.clone(),
            share,
        };
        let (leaving, left) = oneshot::channel::<()>();
        spawn(async move {
            let news = Arc::clone(&keeper.news);
            keeper.keep_subscribed(link, subscription, &feeder).await;
            if let Some(problem) = news.close_reason() {
                // Who has left needs nothing.
                let _ = feeder.try_push(Incoming::Failed(problem));
            }
            drop(leaving);
        });
        Ok(line.with_unsubscribe_ack(left))
    }

    fn not_confirmed(&self, what: &str) -> CallError {
        let within = CONFIRMING.as_secs();
        CallError {
            kind: ErrorKind::NoServer,
            message: format!(
                "{} did not confirm within {within} s {what}",
                self.news.display_address()
            ),
            remedy: "check whether the server is stopped or overloaded, and whether the message \
                arrived, before you send it again"
                .into(),
        }
    }
}

/// A subscription that is made again when its connection is back.
struct LastingSubscription<L> {
    links: watch::Receiver<Option<Arc<L>>>,
    news: Arc<ConnectionEvents>,
    at: Address,
    share: SubscriptionShare,
}

impl<L: Link> LastingSubscription<L> {
    async fn keep_subscribed(
        mut self,
        link: Arc<L>,
        mut subscription: L::Subscription,
        feeder: &QueueSender,
    ) {
        // Only to tell it from later ones; it must be free to close.
        let mut heard_on = Arc::downgrade(&link);
        drop(link);
        loop {
            tokio::select! {
                () = L::forward_messages(&mut subscription, feeder) => {}
                // A subscription must not keep a connection that nobody has any more.
                () = wait_until_closed(&mut self.links) => return,
            }
            // A server that does not answer forgets it when the connection ends.
            let _ = timeout(CONFIRMING, L::unsubscribe(subscription)).await;
            if feeder.is_closed() {
                return;
            }
            sleep(backoff::retry_delay(1)).await;
            let still = self
                .links
                .borrow()
                .as_ref()
                .map(Arc::downgrade)
                .is_some_and(|now| now.ptr_eq(&heard_on));
            if still {
                self.news.mark_interrupted(format!(
                    "{} ended the subscription to {}",
                    self.news.display_address(),
                    self.at.name
                ));
            }
            let again = tokio::select! {
                () = feeder.closed() => None,
                again = self.resubscribe() => again,
            };
            let Some((link, next)) = again else { return };
            heard_on = Arc::downgrade(&link);
            subscription = next;
        }
    }

    /// Listens again as soon as there is a connection; `None` when there will be none.
    async fn resubscribe(&mut self) -> Option<(Arc<L>, L::Subscription)> {
        for attempt in 1.. {
            let link = self.links.wait_for(Option::is_some).await.ok()?.clone()?;
            match timeout(CONFIRMING, link.subscribe(&self.at, self.share)).await {
                Ok(Ok(subscription)) => return Some((link, subscription)),
                Ok(Err(problem)) => self.news.send_notice(problem.message),
                Err(_) => {}
            }
            sleep(backoff::retry_delay(attempt)).await;
        }
        None
    }
}

/// Ends when the bus is dropped, or over.
async fn wait_until_closed<T>(links: &mut watch::Receiver<T>) {
    while links.changed().await.is_ok() {}
}

impl<L: Link> Bus for Reconnecting<L> {
    fn transport(&self) -> TransportKind {
        self.transport
    }

    fn display_address(&self) -> String {
        self.news.display_address().to_owned()
    }

    fn greeting(&self) -> String {
        self.links.borrow().as_ref().map_or_else(String::new, |link| link.greeting())
    }

    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        share: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        Box::pin(self.open_subscription(at, share))
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(async move {
            let link = self.current_link()?;
            timeout(CONFIRMING, link.send(message))
                .await
                .unwrap_or_else(|_| Err(self.not_confirmed("the message, which may still arrive")))
        })
    }

    fn check_target<'a>(&'a self, to: &'a Address) -> BusFuture<'a, ()> {
        Box::pin(async move {
            let link = self.current_link()?;
            timeout(CONFIRMING, link.check_target(to))
                .await
                .unwrap_or_else(|_| Err(self.not_confirmed("the place of the message")))
        })
    }

    fn new_inbox(&self) -> Option<Address> {
        None
    }

    fn close_reason(&self) -> Option<CallError> {
        self.news.close_reason()
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }
}
