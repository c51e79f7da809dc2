//! The bus within this process. Nothing is dropped: a sender waits until its listeners have room.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    bus::{Bus, BusFuture, SubscriptionShare},
    connection_event::ConnectionEvents,
    message::{Address, Incoming, Outgoing, Packet},
    message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
    pattern::subject_matches,
};
use crate::model::transport::TransportKind;

struct Subscriber {
    share: SubscriptionShare,
    feeder: QueueSender,
}

/// Subjects and who listens to them.
pub(crate) struct Embedded {
    listeners: Mutex<HashMap<String, Vec<Subscriber>>>,
    inboxes: AtomicU64,
    news: ConnectionEvents,
}

impl Default for Embedded {
    fn default() -> Self {
        let news = ConnectionEvents::new("embedded".into());
        news.mark_connected();
        Self { listeners: Mutex::default(), inboxes: AtomicU64::default(), news }
    }
}

impl Embedded {
    fn add_listener(&self, subject: &str, share: SubscriptionShare) -> QueueReceiver {
        let (feeder, line) = message_queue(CAPACITY);
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|_, of_subject| {
            of_subject.retain(|listener| !listener.feeder.is_closed());
            !of_subject.is_empty()
        });
        listeners.entry(subject.to_owned()).or_default().push(Subscriber { share, feeder });
        line
    }

    /// Everyone whom a message on this subject is for: each single listener, and the first of every
    /// group.
    fn recipients(&self, subject: &str) -> Vec<QueueSender> {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let mut groups = Vec::new();
        let open = listeners
            .get(subject)
            .into_iter()
            .flatten()
            .filter(|listener| !listener.feeder.is_closed());
        open.filter(|listener| match listener.share {
            SubscriptionShare::Each => true,
            SubscriptionShare::Observer => false,
            SubscriptionShare::OneOf(group) => {
                !groups.contains(&group) && {
                    groups.push(group);
                    true
                }
            }
        })
        .map(|listener| listener.feeder.clone())
        .collect()
    }

    /// Everyone who looks on there.
    fn observers(&self, subject: &str) -> Vec<QueueSender> {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let matching = listeners
            .iter()
            .filter(|(pattern, _)| subject_matches(pattern, subject))
            .flat_map(|(_, of_pattern)| of_pattern);
        matching
            .filter(|listener| listener.share == SubscriptionShare::Observer)
            .map(|listener| listener.feeder.clone())
            .collect()
    }
}

impl Bus for Embedded {
    fn transport(&self) -> TransportKind {
        TransportKind::Embedded
    }

    fn display_address(&self) -> String {
        self.news.display_address().to_owned()
    }

    fn greeting(&self) -> String {
        "toolcrib's sample services, in this process".into()
    }

    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        share: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        Box::pin(async move { Ok(self.add_listener(&at.name, share)) })
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(async move {
            let Outgoing { to, reply, headers, body, .. } = message;
            for onlooker in self.observers(&to.name) {
                let (subject, reply, headers) =
                    (Some(to.name.clone()), reply.clone(), headers.clone());
                // Whoever left meanwhile does not want it.
                let _ = onlooker.try_push(Incoming::Packet(Packet {
                    subject,
                    reply,
                    headers,
                    body: body.clone(),
                }));
            }
            let hearers = self.recipients(&to.name);
            if let (true, Some(inbox)) = (hearers.is_empty(), &reply) {
                for asker in self.recipients(&inbox.name) {
                    let _ = asker.push(Incoming::NoResponders).await;
                }
            }
            for hearer in hearers {
                let packet = Packet {
                    subject: None,
                    reply: reply.clone(),
                    headers: headers.clone(),
                    body: body.clone(),
                };
                // Whoever left meanwhile does not want it.
                let _ = hearer.push(Incoming::Packet(packet)).await;
            }
            Ok(())
        })
    }

    fn new_inbox(&self) -> Option<Address> {
        Some(Address::ephemeral(format!("_INBOX.{}", self.inboxes.fetch_add(1, Ordering::Relaxed))))
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn message(to: &str, reply: Option<&Address>) -> Outgoing {
        Outgoing {
            to: Address::ephemeral(to),
            reply: reply.cloned(),
            headers: Vec::new(),
            body: Bytes::from_static(b"x"),
            expires: None,
        }
    }

    #[tokio::test]
    async fn each_listener_hears_and_a_group_hears_once() {
        let (bus, s) = (Embedded::default(), Address::ephemeral("s"));
        let mut each = [
            bus.subscribe(&s, SubscriptionShare::Each).await.unwrap(),
            bus.subscribe(&s, SubscriptionShare::Each).await.unwrap(),
        ];
        let mut first = bus.subscribe(&s, SubscriptionShare::OneOf("g")).await.unwrap();
        let mut second = bus.subscribe(&s, SubscriptionShare::OneOf("g")).await.unwrap();
        bus.send(message("s", None)).await.unwrap();
        for line in &mut each {
            assert!(matches!(line.next().await, Some(Incoming::Packet(_))));
        }
        assert!(matches!(first.next().await, Some(Incoming::Packet(_))));
        drop(first);
        bus.send(message("s", None)).await.unwrap();
        assert!(matches!(second.next().await, Some(Incoming::Packet(_))));
        drop(bus);
        assert_eq!(
            second.next().await,
            None,
            "the group's second member heard the first message too"
        );
    }

    #[test]
    fn patterns_mean_subjects() {
        for (pattern, subject, expected) in [
            ("tg.request.joke", "tg.request.joke", true),
            ("tg.*.joke", "tg.request.joke", true),
            ("tg.>", "tg.request.joke", true),
            (">", "tg", true),
            ("tg.>", "tg", false),
            ("tg.*", "tg.request.joke", false),
            ("tg.request", "tg.request.joke", false),
            ("tg.request.joke", "tg.request", false),
        ] {
            assert_eq!(subject_matches(pattern, subject), expected, "{pattern} {subject}");
        }
    }

    #[tokio::test]
    async fn who_looks_on_hears_all_and_counts_for_nobody() {
        let bus = Embedded::default();
        let inbox = bus.new_inbox().unwrap();
        let mut asker = bus.subscribe(&inbox, SubscriptionShare::Each).await.unwrap();
        let mut aside =
            bus.subscribe(&Address::ephemeral(">"), SubscriptionShare::Observer).await.unwrap();
        bus.send(message("nobody", Some(&inbox))).await.unwrap();
        assert_eq!(asker.next().await, Some(Incoming::NoResponders));
        let Some(Incoming::Packet(packet)) = aside.next().await else { panic!() };
        assert_eq!((packet.subject.as_deref(), packet.reply), (Some("nobody"), Some(inbox)));
    }

    #[tokio::test]
    async fn nobody_there_is_told_to_the_inbox() {
        let bus = Embedded::default();
        let inbox = bus.new_inbox().unwrap();
        let mut line = bus.subscribe(&inbox, SubscriptionShare::Each).await.unwrap();
        bus.send(message("nobody", Some(&inbox))).await.unwrap();
        assert_eq!(line.next().await, Some(Incoming::NoResponders));
    }
}
