//! What several tests stand on.

#[path = "support/calls.rs"]
pub mod calls;
#[path = "support/certificates.rs"]
pub mod certificates;
#[path = "support/commonground.rs"]
pub mod commonground;
#[path = "support/filler.rs"]
pub mod filler;
#[path = "support/gateway.rs"]
pub mod gateway;
#[path = "support/instances.rs"]
pub mod instances;
#[path = "support/luck.rs"]
pub mod luck;
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
#[path = "support/services.rs"]
pub mod services;
#[path = "support/signals.rs"]
pub mod signals;
#[expect(dead_code, reason = "some of it is for the benches alone")]
#[path = "support/terminal.rs"]
pub mod terminal;
#[path = "support/workbench.rs"]
pub mod workbench;
