//! A real NATS server, and services in another language, started and stopped by the test that uses
//! them.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
};

use tempfile::TempDir;
use toolcrib::model::connection::Connection;

use super::{services::program, signals};

/// A NATS server on a free loopback port; stopped on drop.
pub struct NatsServer {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl NatsServer {
    /// A server without any configuration.
    pub fn start() -> Self {
        Self::configured("")
    }

    /// A server with these lines of configuration.
    pub fn configured(lines: &str) -> Self {
        Self::at("-1", lines)
    }

    /// A server on a port that was free a moment ago.
    pub fn on_port(port: u16) -> Self {
        Self::at(&port.to_string(), "")
    }

    fn at(port: &str, lines: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nats.conf");
        std::fs::write(&file, format!("listen: \"127.0.0.1:{port}\"\n{lines}\n")).unwrap();
        let mut child = Command::new(program("TOOLCRIB_NATS_SERVER"))
            .arg("--config")
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        let mut port = None;
        for line in log.by_ref().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once("Listening for client connections on ") {
                port = address.rsplit(':').next().and_then(|port| port.trim().parse().ok());
            }
            let ready = line.contains("Server is ready");
            seen.push(line);
            if ready {
                break;
            }
        }
        // Keep reading, or the server would block on a full pipe.
        thread::spawn(move || log.for_each(drop));
        match port {
            Some(port) => Self { child, port, _folder: folder },
            None => {
                let _ = child.kill();
                panic!("nats-server did not start:\n{}", seen.join("\n"));
            }
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn connection(&self) -> Connection {
        Connection::nats("test", self.url())
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        signals::send(self.child.id(), name);
    }

    /// Stops it as a crash would, at once.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
