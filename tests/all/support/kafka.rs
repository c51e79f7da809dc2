//! A real broker that speaks Kafka's protocol and keeps everything in memory, started and stopped by the test that uses it.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
    thread,
};

use toolcrib::model::connection::{Connection, TransportKind};

use super::{services::program, signals};

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
        let [listens, tells] = [&address, advertised.unwrap_or(&address)].map(|at| format!("tcp://{at}"));
        let addresses = ["--listener-url", &listens, "--advertised-listener-url", &tells];
        let options: Vec<String> = addresses.iter().chain(more).map(|&option| option.to_owned()).collect();
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
        Connection::to(TransportKind::Kafka, "test", self.url())
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

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn run(options: &[String]) -> Child {
    let mut child = Command::new(program("TOOLCRIB_KAFKA_BROKER"))
        .args(["broker", "--storage-engine", "memory://tansu/"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Keep reading both, or the broker would block on a full pipe.
    let errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let output = BufReader::new(child.stdout.take().unwrap()).lines();
    let (tell, told) = std::sync::mpsc::channel();
    for lines in [Box::new(errors) as Box<dyn Iterator<Item = std::io::Result<String>> + Send>, Box::new(output)] {
        let tell = tell.clone();
        thread::spawn(move || lines.map_while(Result::ok).for_each(|line| drop(tell.send(line))));
    }
    drop(tell);
    let mut seen = Vec::new();
    for line in told {
        if line.contains("ready in") {
            return child;
        }
        seen.push(line);
    }
    let _ = child.wait();
    panic!("the broker did not start:\n{}", seen.join("\n"));
}

impl Drop for KafkaBroker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
