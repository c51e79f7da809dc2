//! What several tests stand on.

#[path = "support/battery.rs"]
pub mod battery;
#[path = "support/bus.rs"]
pub mod bus;
#[path = "support/calls.rs"]
pub mod calls;
#[path = "support/certificates.rs"]
pub mod certificates;
#[path = "support/cluster.rs"]
pub mod cluster;
#[path = "support/commonground.rs"]
pub mod commonground;
#[cfg(all(feature = "window", target_os = "linux"))]
#[path = "support/display.rs"]
pub mod display;
#[cfg(all(feature = "window", target_os = "linux"))]
#[path = "support/dragging.rs"]
mod dragging;
#[path = "support/false_brokers.rs"]
pub mod false_brokers;
#[path = "support/filler.rs"]
pub mod filler;
#[path = "support/gateway.rs"]
pub mod gateway;
#[path = "support/instances.rs"]
pub mod instances;
#[path = "support/kafka.rs"]
pub mod kafka;
#[path = "support/kafka_gate.rs"]
pub mod kafka_gate;
#[path = "support/key_store.rs"]
pub mod key_store;
#[path = "support/luck.rs"]
pub mod luck;
#[path = "support/model_server.rs"]
pub mod model_server;
#[path = "support/nats.rs"]
pub mod nats;
#[path = "support/picture.rs"]
pub mod picture;
#[path = "support/place.rs"]
pub mod place;
#[path = "support/postgres.rs"]
pub mod postgres;
#[path = "support/pulsar.rs"]
pub mod pulsar;
#[path = "support/rabbitmq.rs"]
pub mod rabbitmq;
#[path = "support/relay.rs"]
pub mod relay;
#[path = "support/services.rs"]
pub mod services;
#[path = "support/serving.rs"]
pub mod serving;
#[path = "support/signals.rs"]
pub mod signals;
#[path = "support/started.rs"]
pub mod started;
#[expect(dead_code, reason = "some of it is for the benches alone")]
#[path = "support/terminal.rs"]
pub mod terminal;
#[path = "support/workbench.rs"]
pub mod workbench;
