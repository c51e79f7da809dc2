//! A real PostgreSQL with the tables of a CommonGround deployment, started and stopped by the test
//! that uses it.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use tempfile::TempDir;

use super::{
    services::{program, script},
    signals,
};

/// PostgreSQL refuses to run as root; then it runs as nobody.
const NOBODY: u32 = 65_534;

/// A server on a free loopback port; stopped on drop.
pub struct Postgres {
    server: Child,
    port: u16,
    _folder: TempDir,
}

impl Postgres {
    /// A server with an empty database that holds the tables of a deployment (see
    /// `tests/services/commonground_cards.py`).
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        // What we make is root's where we are root.
        let root = fs::metadata(folder.path()).unwrap().uid() == 0;
        if root {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = folder.path().join("data");
        let made = tool("initdb", folder.path(), root)
            .args([
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "-D",
            ])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb failed:\n{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = tool("postgres", folder.path(), root)
            .arg("-D")
            .arg(&data)
            .args([
                "-p",
                &port.to_string(),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
            ])
            .args([
                "-c",
                "fsync=off",
                "-c",
                "full_page_writes=off",
                "-c",
                "shared_buffers=16MB",
                "-c",
                "jit=off",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(server.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        let ready = log.by_ref().map_while(Result::ok).any(|line| {
            let ready = line.contains("ready to accept connections");
            seen.push(line);
            ready
        });
        // Keep reading, or the server would block on a full pipe.
        thread::spawn(move || log.for_each(drop));
        assert!(ready, "postgres did not start:\n{}", seen.join("\n"));
        let postgres = Self { server, port, _folder: folder };
        postgres.make_tables();
        postgres
    }

    /// The address, as programs want it. There is no password.
    pub fn dsn(&self) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Ends it as its operator would, with everybody's connections.
    pub fn stop(&mut self) {
        signals::send(self.server.id(), "INT");
        let _ = self.server.wait();
    }

    fn make_tables(&self) {
        let made = Command::new(program("TOOLCRIB_PYTHON"))
            .arg(script("commonground_cards.py"))
            .arg(self.dsn())
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "the tables were not made:\n{}",
            String::from_utf8_lossy(&made.stderr)
        );
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Killed, it would leave its children for a moment; this makes it end them first.
        if matches!(self.server.try_wait(), Ok(None)) {
            signals::send(self.server.id(), "QUIT");
            let _ = self.server.wait();
        }
    }
}

/// One of its programs, as a user whom it accepts.
fn tool(name: &str, folder: &Path, root: bool) -> Command {
    let mut command = Command::new(program("TOOLCRIB_POSTGRES").join(name));
    command.current_dir("/").env("TZ", "UTC").env("LC_ALL", "C").env("HOME", folder);
    if let Some(libraries) = env::var_os("TOOLCRIB_POSTGRES_LIBRARIES") {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    if root {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}
