//! A real broker that speaks Pulsar's protocol, started and stopped by the test that uses it.

use std::{
    fs,
    process::{Child, Command},
};

use tempfile::TempDir;
use toolcrib::model::connection::{Connection, TransportKind};

use super::{services::program, signals, started::started};

/// A broker on a free loopback port; stopped on drop.
pub struct PulsarBroker {
    child: Child,
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
        let child = run(&folder);
        Self { child, port, folder }
    }

    pub fn url(&self) -> String {
        format!("pulsar://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn connection(&self) -> Connection {
        Connection::to(TransportKind::Pulsar, "test", self.url())
    }

    /// Stops it as a crash would, at once.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again where it was, after [`Self::kill`].
    pub fn restart(&mut self) {
        self.child = run(&self.folder);
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        signals::send(self.child.id(), name);
    }
}

fn run(folder: &TempDir) -> Child {
    let mut broker = Command::new(program("TOOLCRIB_PULSAR_BROKER"));
    started(broker.arg("--config").arg(folder.path().join("broker.toml")), "Server listening on")
}

impl Drop for PulsarBroker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
