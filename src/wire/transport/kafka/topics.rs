//! Topics and their partitions: which there are, who leads them, and how one is made.

use rskafka::client::{
    Client,
    error::{Error, ProtocolError},
    partition::{PartitionClient, UnknownTopicHandling},
};
use tokio::time::sleep;

use super::messages;
use crate::{model::call::CallError, wire::backoff};

/// How many partitions are read of one topic: each has a connection of its own.
const MOST: usize = 256;

/// How often a partition is asked for that has no leader yet, as after its topic was made.
const TRIES: usize = 6;

/// How long a broker may take to make a topic, in milliseconds.
const MAKING: i32 = 4_000;

/// The topics at one place.
pub(crate) struct Topics {
    client: Client,
    place: String,
    largest: usize,
}

impl Topics {
    /// `largest`: the largest message that the client reads of a broker.
    #[must_use]
    pub fn new(client: Client, place: String, largest: usize) -> Self {
        Self { client, place, largest }
    }

    #[must_use]
    pub fn max_message_size(&self) -> usize {
        self.largest
    }

    #[must_use]
    pub fn display_address(&self) -> &str {
        &self.place
    }

    /// The partitions of a topic, in their order; `None` where there is no such topic. Makes none.
    pub async fn list_partitions(&self, topic: &str) -> Result<Option<Vec<i32>>, CallError> {
        messages::check_name(topic)?;
        // Asked for by name, some brokers would make it.
        let topics = self
            .client
            .list_topics()
            .await
            .map_err(|error| messages::operation_refused(&self.place, "find", topic, &error))?;
        let found =
            topics.into_iter().find(|there| there.name == topic).map(|there| there.partitions);
        let mut partitions: Vec<i32> = found.into_iter().flatten().collect();
        partitions.sort_unstable();
        if partitions.len() > MOST {
            return Err(messages::too_many(&self.place, topic, partitions.len(), MOST));
        }
        Ok(Some(partitions).filter(|partitions| !partitions.is_empty()))
    }

    /// The partitions of a topic, which is made if it is not there: of one partition, and for the
    /// rest as the broker makes them.
    pub async fn partitions_made(&self, topic: &str) -> Result<Vec<i32>, CallError> {
        if let Some(partitions) = self.list_partitions(topic).await? {
            return Ok(partitions);
        }
        let said = |error: &Error| {
            messages::operation_refused(&self.place, "make the topic", topic, error)
        };
        let controller = self.client.controller_client().map_err(|error| said(&error))?;
        let made = match controller.create_topic(topic, 1, -1, MAKING).await {
            // Brokers older than 2.4 want to know how many copies.
            Err(error)
                if messages::error_code(&error)
                    == Some(ProtocolError::InvalidReplicationFactor) =>
            {
                controller.create_topic(topic, 1, 1, MAKING).await
            }
            made => made,
        };
        match made {
            Ok(()) => {}
            // Somebody else was faster.
            Err(error)
                if messages::error_code(&error) == Some(ProtocolError::TopicAlreadyExists) => {}
            Err(error) => return Err(said(&error)),
        }
        for attempt in 1..TRIES {
            if let Some(partitions) = self.list_partitions(topic).await? {
                return Ok(partitions);
            }
            sleep(backoff::retry_delay(attempt)).await;
        }
        Err(messages::no_topic(&self.place, topic))
    }

    /// A connection to whoever leads that partition.
    pub async fn partition_client(
        &self,
        topic: &str,
        partition: i32,
        doing: &str,
    ) -> Result<PartitionClient, CallError> {
        let mut attempt = 1;
        loop {
            match self.client.partition_client(topic, partition, UnknownTopicHandling::Error).await
            {
                Ok(client) => return Ok(client),
                Err(error) if attempt < TRIES && messages::is_moving(&error) => {
                    sleep(backoff::retry_delay(attempt)).await;
                }
                Err(error) => {
                    return Err(messages::operation_refused(&self.place, doing, topic, &error));
                }
            }
            attempt += 1;
        }
    }
}
