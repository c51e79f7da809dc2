//! Services and callers in another language, started and stopped by the test that uses them.

use std::{
    env,
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A program that the environment names. The tests never go on without it.
pub fn program(variable: &str) -> PathBuf {
    let path = env::var_os(variable).unwrap_or_else(|| {
        panic!("{variable} is not set: run the tests with ./test, or first eval \"$(tests/setup)\"")
    });
    path.into()
}

pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services").join(name)
}

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A service in another language; ends on drop.
pub struct Responder {
    child: Child,
}

impl Responder {
    /// One for `tg.request.joke` on NATS that behaves as `mode` says (see
    /// `tests/services/responder.py`) and already listens.
    pub fn start(server: &str, mode: &str) -> Self {
        Self::of(server, mode, "joke")
    }

    /// The same for another service.
    pub fn of(server: &str, mode: &str, service: &str) -> Self {
        let (request, response) =
            (format!("tg.request.{service}"), format!("tg.response.{service}"));
        Self::at(server, mode, [&request, &response])
    }

    /// One at those places for requests and responses, as the broker spells them.
    pub fn at(server: &str, mode: &str, [request, response]: [&str; 2]) -> Self {
        Self::run([server, mode, request, response].map(OsStr::new))
    }

    /// One that answers for another topic, keeps each request's bytes in a file and says how many
    /// they are.
    pub fn keeping(server: &str, topic: &str, file: &Path) -> Self {
        let (request, response) = (format!("tg.request.{topic}"), format!("tg.response.{topic}"));
        Self::run([
            server.as_ref(),
            "keep".as_ref(),
            request.as_ref(),
            response.as_ref(),
            file.as_os_str(),
        ])
    }

    /// One for `tg.request.joke` on NATS, encrypted by that authority's certificate.
    pub fn trusting(server: &str, authority: &str) -> Self {
        let mut command = Command::new(program("TOOLCRIB_PYTHON"));
        command.env("SSL_CERT_FILE", authority);
        Self::begin(
            command,
            [server, "response", "tg.request.joke", "tg.response.joke"].map(OsStr::new),
        )
    }

    fn run<const N: usize>(arguments: [&OsStr; N]) -> Self {
        Self::begin(Command::new(program("TOOLCRIB_PYTHON")), arguments)
    }

    fn begin<const N: usize>(mut command: Command, arguments: [&OsStr; N]) -> Self {
        command.arg(script("responder.py")).args(arguments);
        Self::wait_ready(command)
    }

    /// Micro services made with NATS's own library (see `tests/services/micro.py`), which announce
    /// that document too.
    pub fn micro(server: &str, announcement: &str) -> Self {
        let mut command = Command::new(program("TOOLCRIB_PYTHON"));
        command.arg(script("micro.py")).args([server, announcement]);
        Self::wait_ready(command)
    }

    fn wait_ready(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "READY", "the responder did not start");
        Self { child }
    }
}

impl Responder {
    /// Stops it as a crash would, at once.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls a service as TrustGraph's agent would, and gives what it heard as JSON.
pub fn foreign_call(server: &str, request: &str, response: &str, body: &str) -> serde_json::Value {
    let output = Command::new(program("TOOLCRIB_PYTHON"))
        .arg(script("caller.py"))
        .args([server, request, response, body])
        .output()
        .unwrap();
    let _ = std::io::stderr().write_all(&output.stderr);
    assert!(output.status.success(), "the caller failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// TrustGraph's own joke service; ends on drop.
pub struct JokeService {
    child: Child,
}

impl JokeService {
    /// On RabbitMQ, with the queue names that upstream spells for Pulsar respelt; it listens
    /// already.
    pub fn on_rabbitmq(port: u16) -> Self {
        let port = port.to_string();
        Self::respelt(&[
            ["--pubsub-backend", "rabbitmq"],
            ["--rabbitmq-host", "127.0.0.1"],
            ["--rabbitmq-port", &port],
            ["--rabbitmq-username", "alice"],
            ["--rabbitmq-password", "s3cret"],
        ])
    }

    /// On Kafka, respelt in the same way.
    pub fn on_kafka(broker: &str) -> Self {
        Self::respelt(&[["--pubsub-backend", "kafka"], ["--kafka-bootstrap-servers", broker]])
    }

    fn respelt(settings: &[[&str; 2]]) -> Self {
        let mut command = Command::new(program("TOOLCRIB_PYTHON"));
        command.arg(script("joke_respelt.py")).args(settings.as_flattened());
        Self::start(command)
    }

    /// On Pulsar, as it comes.
    pub fn on_pulsar(broker: &str) -> Self {
        let mut command = Command::new(program("TOOLCRIB_JOKE_SERVICE"));
        command.args(["--pulsar-host", broker]);
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        command.args(["--topic", "joke", "--no-metrics", "--no-loki-enabled"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        for line in log.by_ref().map_while(Result::ok) {
            let listens = line.contains("Tool service joke-service started");
            seen.push(line);
            if listens {
                // Keep reading, or the service would block on a full pipe.
                std::thread::spawn(move || log.for_each(drop));
                return Self { child };
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        panic!("the joke service did not start:\n{}", seen.join("\n"));
    }
}

impl Drop for JokeService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
