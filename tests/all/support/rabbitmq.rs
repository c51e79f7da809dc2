//! A real RabbitMQ broker, started and stopped by the test that uses it.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::model::{
    connection::{Connection, Credentials, SecretAt},
    transport::TransportKind,
};

use super::{
    certificates::Certificates,
    services::{free_port, program},
    signals,
};

/// The largest message that this broker takes.
pub const LARGEST: usize = 4_000_000;

/// The user that the broker knows, whose password is `s3cret`.
pub const USER: &str = "alice";

/// The password of [`USER`].
pub const PASSWORD: &str = "s3cret";

/// A broker on free loopback ports, plain and encrypted; stopped on drop. It takes about ten
/// seconds to start.
pub struct Rabbit {
    broker: Child,
    names: Child,
    port: u16,
    encrypted: u16,
    folder: TempDir,
}

/// `TOOLCRIB_ERLANG`, the folder of an Erlang that is not the system's, if there is one.
fn erlang() -> PathBuf {
    env::var_os("TOOLCRIB_ERLANG").map_or_else(|| "/usr/lib/erlang".into(), PathBuf::from)
}

impl Rabbit {
    pub fn start(files: &Certificates) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (port, encrypted) = (free_port(), free_port());
        let [ca, certificate, key] =
            ["ca.pem", "server.pem", "server.key"].map(|name| files.file(name));
        let lines = format!(
            "listeners.tcp.1 = 127.0.0.1:{port}\nlisteners.ssl.1 = 127.0.0.1:{encrypted}\n\
             ssl_options.cacertfile = {ca}\nssl_options.certfile = {certificate}\nssl_options.keyfile = {key}\n\
             ssl_options.verify = verify_none\nssl_options.fail_if_no_peer_cert = false\n\
             log.console = true\nlog.file = false\nmax_message_size = {LARGEST}\n\
             load_definitions = {}\n",
            folder.path().join("definitions.json").display()
        );
        fs::write(folder.path().join("definitions.json"), definitions().to_string()).unwrap();
        fs::write(folder.path().join("rabbitmq.conf"), lines).unwrap();
        fs::write(folder.path().join("plugins"), "[].").unwrap();
        let epmd = free_port().to_string();
        let names = Command::new(names_program())
            .args(["-port", &epmd, "-address", "127.0.0.1"])
            .spawn()
            .unwrap();
        let broker = broker(folder.path(), &epmd);
        Self { broker, names, port, encrypted, folder }
    }

    pub fn url(&self) -> String {
        format!("amqp://127.0.0.1:{}", self.port)
    }

    /// The address with user and password, as other programs want it.
    pub fn url_for_others(&self) -> String {
        format!("amqp://{USER}:{PASSWORD}@127.0.0.1:{}/", self.port)
    }

    pub fn encrypted_url(&self, host: &str) -> String {
        format!("amqps://{host}:{}", self.encrypted)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection whose password is in the variable `SECRET`.
    pub fn connection(&self) -> Connection {
        let credentials = Credentials::Password {
            user: USER.into(),
            password: SecretAt::Variable("SECRET".into()),
        };
        Connection {
            credentials,
            ..Connection::from_address(TransportKind::RabbitMq, "test", self.url())
        }
    }

    /// Stops it as a crash would, at once.
    pub fn kill(&mut self) {
        self.broker.kill().unwrap();
        self.broker.wait().unwrap();
    }

    /// Starts it again where it was, after [`Self::kill`].
    pub fn restart(&mut self) {
        let epmd = free_port().to_string();
        self.names.kill().unwrap();
        self.names.wait().unwrap();
        self.names = Command::new(names_program())
            .args(["-port", &epmd, "-address", "127.0.0.1"])
            .spawn()
            .unwrap();
        self.broker = broker(self.folder.path(), &epmd);
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        signals::send(self.broker.id(), name);
    }
}

/// What is there from the start: the user, who may not make two of the exchanges, one of which is there.
fn definitions() -> Value {
    json!({
        "users": [{"name": USER, "password": PASSWORD, "tags": ""}],
        "vhosts": [{"name": "/"}],
        "permissions": [{
            "user": USER, "vhost": "/", "read": ".*", "write": ".*",
            "configure": "^(?!tg.response.(forbidden|made)).*$",
        }],
        "exchanges": [{
            "name": "tg.response.made", "vhost": "/", "type": "fanout", "durable": true,
            "auto_delete": false, "internal": false, "arguments": {},
        }],
    })
}

/// Erlang's daemon for the names of nodes. Without one of our own the broker would start one that
/// stays.
fn names_program() -> PathBuf {
    let versions = fs::read_dir(erlang()).unwrap().map(|entry| entry.unwrap().path());
    let runtime = versions.into_iter().find(|path| path.join("bin/epmd").exists());
    runtime.expect("no epmd in the Erlang folder").join("bin/epmd")
}

fn broker(folder: &Path, epmd: &str) -> Child {
    let path = env::join_paths(
        [erlang().join("bin")].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let mut broker = Command::new(program("TOOLCRIB_RABBITMQ_SERVER"))
        .env("PATH", path.unwrap())
        .env("HOME", folder)
        // So it is the broker itself that we start, and not a shell which starts it.
        .env("NOTIFY_SOCKET", folder.join("nobody"))
        .env("ERL_CRASH_DUMP", "/dev/null")
        .env("ERL_EPMD_PORT", epmd)
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        .env("RABBITMQ_NODENAME", "toolcrib@localhost")
        .env("RABBITMQ_DIST_PORT", free_port().to_string())
        .env("RABBITMQ_MNESIA_BASE", folder.join("state"))
        .env("RABBITMQ_LOG_BASE", folder.join("log"))
        .env("RABBITMQ_LOGS", "-")
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", folder.join("plugins"))
        .env("RABBITMQ_CONFIG_FILE", folder.join("rabbitmq.conf"))
        .env("RABBITMQ_CONF_ENV_FILE", folder.join("none"))
        .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let log = BufReader::new(broker.stdout.take().unwrap()).lines();
    let (tell, ready) = mpsc::channel();
    // Reads on, or the broker would block on a full pipe.
    thread::spawn(move || {
        let mut seen = Vec::new();
        for line in log.map_while(Result::ok) {
            if line.contains("Server startup complete") {
                let _ = tell.send(Ok(()));
            }
            seen.push(line);
            if seen.len() > 400 {
                seen.drain(..200);
            }
        }
        let _ = tell.send(Err(seen.join("\n")));
    });
    if let Err(log) = ready.recv().unwrap() {
        let _ = broker.wait();
        panic!("rabbitmq-server did not start:\n{log}");
    }
    broker
}

impl Drop for Rabbit {
    fn drop(&mut self) {
        for child in [&mut self.broker, &mut self.names] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
