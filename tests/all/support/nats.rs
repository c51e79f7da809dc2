//! A real NATS server, and services in another language, started and stopped by the test that uses them.

use std::{
    env,
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use tempfile::TempDir;
use toolcrib::model::connection::Connection;

/// A program that the environment names. The tests never go on without it.
fn program(variable: &str) -> PathBuf {
    let path = env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set: run the tests with ./test, or first eval \"$(tests/setup)\""));
    path.into()
}

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

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/services").join(name)
}

/// A service that answers for `tg.request.joke`; ends on drop.
pub struct Responder {
    child: Child,
}

impl Responder {
    /// One that behaves as `mode` says (see `tests/services/responder.py`) and already listens.
    pub fn start(server: &str, mode: &str) -> Self {
        Self::of(server, mode, "joke")
    }

    /// The same for another service.
    pub fn of(server: &str, mode: &str, service: &str) -> Self {
        let (request, response) = (format!("tg.request.{service}"), format!("tg.response.{service}"));
        Self::run([server, mode, &request, &response].map(OsStr::new))
    }

    /// One that answers for another topic, keeps each request's bytes in a file and says how many they are.
    pub fn keeping(server: &str, topic: &str, file: &Path) -> Self {
        let (request, response) = (format!("tg.request.{topic}"), format!("tg.response.{topic}"));
        Self::run([server.as_ref(), "keep".as_ref(), request.as_ref(), response.as_ref(), file.as_os_str()])
    }

    fn run<const N: usize>(arguments: [&OsStr; N]) -> Self {
        let mut child = Command::new(program("TOOLCRIB_PYTHON"))
            .arg(script("responder.py"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "READY", "the responder did not start");
        Self { child }
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
