//! The brokers that one connection leads to: what is sent there, what is received, and whether they
//! are there.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rskafka::{
    chrono::{DateTime, Utc},
    client::partition::{Compression, PartitionClient},
    record::Record,
};
use tokio::{
    sync::{Mutex, mpsc},
    time::{sleep, timeout},
};

use super::{messages, pulse::KafkaPulse, subscription::Subscription, topics::Topics};
use crate::{
    model::call::CallError,
    schema::count::count_text,
    wire::transport::{
        bus::SubscriptionShare,
        connection_event::ConnectionEvents,
        message::{Address, Outgoing},
        message_queue::QueueSender,
        reconnecting::{Link, LinkEvent},
    },
};

/// How often the broker is asked whether it is there, and how long it may think about it.
const BEAT: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(20);

/// Brokers that are spoken to together.
pub(crate) struct Kafka {
    topics: Topics,
    greeting: String,
    pulse: Mutex<KafkaPulse>,
    outlets: Mutex<HashMap<String, Outlet>>,
    said: mpsc::UnboundedSender<LinkEvent>,
    heard: Mutex<mpsc::UnboundedReceiver<LinkEvent>>,
}

/// Where messages to a topic leave: its partitions, and connections to those that were sent to.
struct Outlet {
    partitions: Vec<i32>,
    open: HashMap<i32, Arc<PartitionClient>>,
    /// Something was sent since the last beat. A broker closes what is idle for long, and then a
    /// message could be lost.
    in_use: bool,
}

impl Kafka {
    #[must_use]
    pub fn new(topics: Topics, count: usize, pulse: KafkaPulse) -> Self {
        let (said, heard) = mpsc::unbounded_channel();
        let greeting = format!(
            "Kafka at {}, {}",
            topics.display_address(),
            count_text(count, "topic", "topics")
        );
        let (pulse, outlets, heard) = (Mutex::new(pulse), Mutex::default(), Mutex::new(heard));
        Self { topics, greeting, pulse, outlets, said, heard }
    }

    async fn outlet_client(
        &self,
        topic: &str,
        headers: &[(String, String)],
    ) -> Result<Arc<PartitionClient>, CallError> {
        let mut outlets = self.outlets.lock().await;
        if !outlets.contains_key(topic) {
            let partitions = self.topics.list_partitions(topic).await?;
            let partitions = partitions
                .ok_or_else(|| messages::no_topic(self.topics.display_address(), topic))?;
            outlets.insert(
                topic.to_owned(),
                Outlet { partitions, open: HashMap::new(), in_use: true },
            );
        }
        let outlet = outlets
            .get_mut(topic)
            .ok_or_else(|| messages::no_topic(self.topics.display_address(), topic))?;
        outlet.in_use = true;
        let partition = choose_partition(&outlet.partitions, headers);
        if let Some(client) = outlet.open.get(&partition) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(self.topics.partition_client(topic, partition, "send to").await?);
        outlet.open.insert(partition, Arc::clone(&client));
        Ok(client)
    }

    /// Closes what nothing was sent to since the last beat.
    async fn close_idle(&self) {
        let mut outlets = self.outlets.lock().await;
        outlets.retain(|_, outlet| std::mem::take(&mut outlet.in_use));
    }
}

/// The partition for a message: the same for all of the same id.
fn choose_partition(partitions: &[i32], headers: &[(String, String)]) -> i32 {
    let mut hasher = DefaultHasher::new();
    headers.iter().filter(|(name, _)| name == "id").for_each(|(_, id)| id.hash(&mut hasher));
    let row = hasher.finish() % partitions.len().max(1) as u64;
    partitions.get(row as usize).copied().unwrap_or_default()
}

/// The protocol wants every message to say when it was sent.
fn utc_now() -> DateTime<Utc> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis())
        .ok()
        .and_then(DateTime::from_timestamp_millis)
        .unwrap_or_default()
}

impl Link for Kafka {
    type Subscription = Subscription;

    fn greeting(&self) -> String {
        self.greeting.clone()
    }

    async fn watch_connection(&self, news: &ConnectionEvents) -> Option<CallError> {
        let (mut pulse, mut heard) = (self.pulse.lock().await, self.heard.lock().await);
        loop {
            tokio::select! {
                biased;
                Some(event) = heard.recv() => match event {
                    LinkEvent::Notice(words) => news.send_notice(words),
                    LinkEvent::Fatal(problem) => return Some(problem),
                },
                () = pulse.closed() => return None,
                () = sleep(BEAT) => match timeout(PATIENCE, pulse.ping()).await {
                    Ok(Ok(())) => self.close_idle().await,
                    _ => return None,
                },
            }
        }
    }

    async fn subscribe(
        &self,
        at: &Address,
        share: SubscriptionShare,
    ) -> Result<Subscription, CallError> {
        let partitions = match share {
            SubscriptionShare::Observer => {
                let found = self.topics.list_partitions(&at.name).await?;
                found.ok_or_else(|| messages::no_topic(self.topics.display_address(), &at.name))?
            }
            SubscriptionShare::Each | SubscriptionShare::OneOf(_) => {
                self.topics.partitions_made(&at.name).await?
            }
        };
        let opened =
            Subscription::open_latest(&self.topics, &at.name, partitions, self.said.clone());
        let is_observer = matches!(share, SubscriptionShare::Observer);
        Ok(opened.await?.with_times(is_observer))
    }

    async fn forward_messages(subscription: &mut Subscription, feeder: &QueueSender) {
        subscription.forward_messages(feeder).await;
    }

    async fn unsubscribe(subscription: Subscription) {
        // The broker knows of no listeners; the connections end here.
        drop(subscription);
    }

    async fn send(&self, message: Outgoing) -> Result<(), CallError> {
        let Outgoing { to, headers, body, .. } = message;
        let record = Record {
            key: None,
            value: Some(body.to_vec()),
            headers: headers
                .iter()
                .map(|(name, value)| (name.clone(), value.clone().into_bytes()))
                .collect(),
            timestamp: utc_now(),
        };
        let put = async |record| {
            let outlet = self.outlet_client(&to.name, &headers).await?;
            Ok::<_, CallError>(outlet.produce(vec![record], Compression::NoCompression).await)
        };
        let mut sent = put(record.clone()).await?;
        if let Err(error) = &sent
            && messages::is_moving(error)
        {
            // It was not taken, because somebody else leads that partition now.
            self.outlets.lock().await.remove(&to.name);
            sent = put(record).await?;
        }
        match sent {
            Ok(_) => Ok(()),
            Err(error) => {
                self.outlets.lock().await.remove(&to.name);
                Err(messages::operation_refused(
                    self.topics.display_address(),
                    "send to",
                    &to.name,
                    &error,
                ))
            }
        }
    }

    async fn check_target(&self, to: &Address) -> Result<(), CallError> {
        if self.outlets.lock().await.contains_key(&to.name) {
            return Ok(());
        }
        let missing = || messages::no_topic(self.topics.display_address(), &to.name);
        self.topics.list_partitions(&to.name).await?.map(|_| ()).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_one_answer_stay_together() {
        let of = |id: &str| {
            choose_partition(
                &[0, 1, 2, 3],
                &[("other".into(), "x".into()), ("id".into(), id.into())],
            )
        };
        assert_eq!(of("7f1c"), of("7f1c"));
        let all: std::collections::BTreeSet<i32> = (0..100).map(|id| of(&id.to_string())).collect();
        assert_eq!(all.len(), 4);
        assert_eq!((choose_partition(&[7], &[]), choose_partition(&[], &[])), (7, 0));
    }
}
