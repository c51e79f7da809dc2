//! Kafka through rskafka: topics whose partitions are read from their newest message on, without
//! consumer groups and without commits.
//!
//! Who listens reads all partitions, so that every listener hears everything and nothing is taken
//! away from anyone; instances of a service that name the same group do not share its work. All
//! messages with the same id go to the same partition, which keeps the pieces of an answer in their
//! order. rskafka connects by itself wherever it needs to and says causes as text alone; so it is
//! instructed to try once, and the [`pulse`], a connection of our own beside it, says first what is
//! wrong with the way there, and later when the broker is gone.

pub(crate) mod dial;
mod link;
mod messages;
mod pulse;
mod subscription;
mod topics;
