//! A real broker that speaks Kafka's protocol and keeps everything in memory, started and stopped
//! by the test that uses it.

use std::process::{Child, Command};

use toolcrib::model::{connection::Connection, transport::TransportKind};

use super::{
    services::{free_port, program},
    signals,
    started::started,
};

/// A broker on a free loopback port; stopped on drop.
pub struct KafkaBroker {
    child: Child,
    address: String,
    options: Vec<String>,
}

impl KafkaBroker {
    pub fn start() -> Self {
        Self::with(&[], None)
    }

    /// One that lets in whom it knows.
    pub fn guarded() -> Self {
        Self::with(&["--authentication"], None)
    }

    /// One that sends everybody elsewhere.
    pub fn advertising(elsewhere: &str) -> Self {
        Self::with(&[], Some(elsewhere))
    }

    fn with(more: &[&str], advertised: Option<&str>) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let [listens, tells] =
            [&address, advertised.unwrap_or(&address)].map(|at| format!("tcp://{at}"));
        let addresses = ["--listener-url", &listens, "--advertised-listener-url", &tells];
        let options: Vec<String> =
            addresses.iter().chain(more).map(|&option| option.to_owned()).collect();
        Self { child: run(&options), address, options }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn url(&self) -> String {
        format!("kafka://{}", self.address)
    }

    pub fn connection(&self) -> Connection {
        Connection::from_address(TransportKind::Kafka, "test", self.url())
    }

    /// Stops it as a crash would, at once. It forgets everything.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again where it was, after [`Self::kill`].
    pub fn restart(&mut self) {
        self.child = run(&self.options);
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        signals::send(self.child.id(), name);
    }
}

fn run(options: &[String]) -> Child {
    let mut broker = Command::new(program("TOOLCRIB_KAFKA_BROKER"));
    started(
        broker.args(["broker", "--storage-engine", "memory://tansu/"]).args(options),
        "ready in",
    )
}

impl Drop for KafkaBroker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
