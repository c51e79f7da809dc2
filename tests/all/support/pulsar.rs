//! A real broker that speaks Pulsar's protocol, started and stopped by the test that uses it.

use std::{
    fs,
    process::{Child, Command},
    sync::{Mutex, mpsc::Receiver},
};

use tempfile::TempDir;
use toolcrib::model::{connection::Connection, transport::TransportKind};

use super::{calls::HUNG, services::program, signals, started::started_telling};

/// A broker on a free loopback port; stopped on drop.
pub struct PulsarBroker {
    child: Child,
    log: Mutex<Receiver<String>>,
    port: u16,
    folder: TempDir,
}

impl PulsarBroker {
    pub fn start() -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let settings = format!(
            "addr = \"127.0.0.1:{port}\"\ndb_path = \"{}\"\ndefault_partitions = 0\n[metrics]\nenabled = false\n",
            folder.path().join("db").display()
        );
        fs::write(folder.path().join("broker.toml"), settings).unwrap();
        let (child, log) = run(&folder);
        Self { child, log: Mutex::new(log), port, folder }
    }

    pub fn url(&self) -> String {
        format!("pulsar://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn connection(&self) -> Connection {
        Connection::from_address(TransportKind::Pulsar, "test", self.url())
    }

    /// Waits until its log says so; lines before that are not seen again.
    pub fn logs(&self, words: &str) {
        let log = self.log.lock().unwrap();
        while !log
            .recv_timeout(HUNG)
            .unwrap_or_else(|_| panic!("the broker never said: {words}"))
            .contains(words)
        {}
    }

    /// Stops it as a crash would, at once.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again where it was, after [`Self::kill`].
    pub fn restart(&mut self) {
        let (child, log) = run(&self.folder);
        (self.child, self.log) = (child, Mutex::new(log));
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        signals::send(self.child.id(), name);
    }
}

fn run(folder: &TempDir) -> (Child, Receiver<String>) {
    let mut broker = Command::new(program("TOOLCRIB_PULSAR_BROKER"));
    started_telling(
        broker.arg("--config").arg(folder.path().join("broker.toml")),
        "Server listening on",
    )
}

impl Drop for PulsarBroker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
