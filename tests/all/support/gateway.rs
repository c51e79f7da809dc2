//! TrustGraph's gateway: the real one with its services, and a stand-in for what the real one does
//! only by accident.

use std::{
    io::{BufRead, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
};

use toolcrib::model::{
    connection::{Connection, Credentials, SecretAt, Tls},
    transport::TransportKind,
};

use super::{
    certificates::Certificates,
    pulsar::PulsarBroker,
    services::{free_port, program, script},
};

/// The token that the stand-in lets in.
pub const TOKEN: &str = "tg_good";

/// Runs a script that prints READY once it answers; what it said, where it did not.
fn run(name: &str, arguments: &[String]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(program("TOOLCRIB_PYTHON"))
        .arg(script(name))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said: Vec<String> =
        lines.by_ref().map_while(Result::ok).take_while(|line| line != "READY").collect();
    let running = child.try_wait().unwrap().is_none();
    assert!(running && said.is_empty(), "{name} did not start:\n{}", said.join("\n"));
    (child, lines)
}

/// The stand-in, on a loopback port of its own; stopped on drop.
pub struct StandIn {
    child: Child,
    port: u16,
    files: Vec<String>,
}

impl StandIn {
    pub fn start() -> Self {
        Self::at(free_port(), Vec::new())
    }

    pub fn encrypted(certificates: &Certificates) -> Self {
        Self::at(
            free_port(),
            ["server.pem", "server.key"].map(|name| certificates.file(name)).into(),
        )
    }

    fn at(port: u16, files: Vec<String>) -> Self {
        let mut arguments = vec![port.to_string()];
        arguments.extend(files.iter().cloned());
        Self { child: run("gateway.py", &arguments).0, port, files }
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// A connection whose token is in the variable `SECRET`.
    pub fn connection(&self, transport: TransportKind) -> Connection {
        let credentials = Credentials::Token { token: SecretAt::Variable("SECRET".into()) };
        Connection {
            credentials,
            ..Connection::from_address(transport, "test", self.url(scheme(transport)))
        }
    }

    /// The same with encryption, by a name of the host.
    pub fn encrypted_connection(
        &self,
        transport: TransportKind,
        host: &str,
        ca_file: String,
    ) -> Connection {
        let server = format!("{}s://{host}:{}", scheme(transport), self.port);
        let tls = Tls { required: true, ca_file: Some(ca_file), ..Tls::default() };
        Connection { tls, ..self.connection(transport).with_addresses(vec![server]) }
    }

    /// Stops it as a crash would, at once.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again where it was, after [`Self::kill`].
    pub fn restart(&mut self) {
        *self = Self::at(self.port, std::mem::take(&mut self.files));
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn scheme(transport: TransportKind) -> &'static str {
    if transport == TransportKind::Http { "http" } else { "ws" }
}

/// TrustGraph's own gateway, configuration service, agent and MCP service, on a broker of their
/// own; stopped on drop.
pub struct Deployment {
    child: Child,
    port: u16,
    asked: mpsc::Receiver<String>,
    loaded: mpsc::Receiver<usize>,
    broker: PulsarBroker,
}

impl Deployment {
    pub fn start() -> Self {
        let (broker, port) = (PulsarBroker::start(), free_port());
        let (child, lines) = run("deployment.py", &[broker.url(), port.to_string()]);
        let ((tell, asked), (count, loaded)) = (mpsc::channel(), mpsc::channel());
        // Keep reading, or it would block on a full pipe.
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let told: serde_json::Value = serde_json::from_str(&line).unwrap();
                match told["loaded"].as_u64() {
                    Some(tools) => drop(count.send(usize::try_from(tools).unwrap())),
                    None => drop(tell.send(line)),
                }
            }
        });
        Self { child, port, asked, loaded, broker }
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.port)
    }
}

impl Deployment {
    /// The address of the broker behind the gateway.
    pub fn broker(&self) -> String {
        self.broker.url()
    }

    /// How many tools the agent loads next.
    pub fn loads(&self) -> usize {
        self.loaded.recv_timeout(super::calls::HUNG).unwrap()
    }

    /// What the agent asked the language model next: the tools that it offered, and how many steps
    /// it had made.
    pub fn asked(&self) -> serde_json::Value {
        serde_json::from_str(&self.asked.recv_timeout(super::calls::HUNG).unwrap()).unwrap()
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        // It ends its own processes when its input ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
