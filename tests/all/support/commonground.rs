//! A stand-in for a CommonGround deployment, on servers of its own.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Child, ChildStdout, Command, Stdio},
    sync::Mutex,
};

use tempfile::TempDir;

use super::{
    nats::NatsServer,
    postgres::Postgres,
    services::{program, script},
};

/// What the vectors are in.
pub const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/commonground.json");

/// Management API, UI worker and tool services, with the NATS server and the PostgreSQL that they
/// stand on; stopped on drop. Project `lab` is there, with channel `public`.
pub struct CommonGround {
    child: Child,
    told: Mutex<BufReader<ChildStdout>>,
    port: u16,
    pub nats: NatsServer,
    pub postgres: Postgres,
    _streams: TempDir,
}

impl CommonGround {
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// One that is started with more options (see `tests/services/commonground.py`).
    pub fn with(options: &[&str]) -> Self {
        let (nats, streams) = jetstream();
        let postgres = Postgres::start();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = command(&nats, &postgres, port, options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "READY", "the stand-in for CommonGround did not start");
        let here = Self { child, told: told.into(), port, nats, postgres, _streams: streams };
        here.python(
            "import json, sys, urllib.request as it\n\
             body = json.dumps({'project_id': 'lab', 'title': 'Lab', 'owner_id': 'test'}).encode()\n\
             it.urlopen(it.Request(sys.argv[1] + '/projects', body, {'Content-Type': 'application/json'}))",
        );
        here
    }

    /// What the stand-in says of itself on the vectors.
    pub fn check() -> (bool, String) {
        let ((nats, _streams), postgres) = (jetstream(), Postgres::start());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let told = command(&nats, &postgres, port, &["--ack-wait", "0.2", "--check", VECTORS])
            .output()
            .unwrap();
        let words = [told.stdout, told.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        (told.status.success(), words)
    }

    /// Says a word to the stand-in (`go`, `api off`, `tools off`); once this is done, it has done
    /// it.
    pub fn tell(&self, word: &str) {
        writeln!(self.child.stdin.as_ref().unwrap(), "{word}").unwrap();
        let mut line = String::new();
        self.told.lock().unwrap().read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "DONE", "the stand-in does not know {word}");
    }

    /// The address of its management API.
    pub fn api(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The lines of `toolcrib.toml` that make this connection the workspace's.
    pub fn settings(&self) -> String {
        format!(
            "connection = \"cg\"\n[connections.cg]\nservers = \"{}\"\n[connections.cg.commonground]\nproject = \"lab\"\n\
             channel = \"public\"\napi = \"{}\"\n",
            self.nats.url(),
            self.api()
        )
    }

    /// Puts definitions into the project, as a file of each.
    pub fn put(&self, definitions: &[&str]) {
        let each = definitions
            .iter()
            .map(|text| serde_json::Value::from(*text))
            .collect::<serde_json::Value>();
        self.python(&format!(
            "import json, sys, urllib.request as it\n\
             for text in json.loads({:?}):\n \
                 body = '--x\\r\\nContent-Disposition: form-data; name=\"file\"; filename=\"t\"\\r\\n\\r\\n' + text + '\\r\\n--x--\\r\\n'\n \
                 it.urlopen(it.Request(sys.argv[1] + '/projects/lab/tools', body.encode(), {{'Content-Type': 'multipart/form-data; boundary=x'}}))",
            each.to_string()
        ));
    }

    /// Makes these agents, on the workers that take their turns.
    pub fn agents(&self, agents: &[(&str, &str)]) {
        for (agent, worker) in agents {
            self.python(&format!(
                "import json, sys, urllib.request as it\n\
                 body = json.dumps({{'agent_id': {agent:?}, 'profile_name': 'p', 'worker_target': {worker:?}}}).encode()\n\
                 it.urlopen(it.Request(sys.argv[1] + '/projects/lab/agents', body, {{'Content-Type': 'application/json'}}))"
            ));
        }
    }

    /// Has agent `ui_dbg` delegate a turn by a UI action of that id; what the turn does is its plan
    /// (see `tests/services/commonground_agents.py`).
    pub fn plays(&self, action: &str, agent: &str, plan: &serde_json::Value) {
        let body = serde_json::json!({"action_id": action, "tool_name": "delegate_async", "args": {"agent_id": agent, "plan": plan}});
        self.python(&format!(
            "import asyncio, nats, sys\n\
             headers = {{'CG-Agent-Id': 'ui_dbg', 'CG-Turn-Id': 'turn_of_{action}', 'CG-Turn-Epoch': '1', 'CG-Recursion-Depth': '0',\n\
                'traceparent': '00-01a1fd19fca073248029f3d8b309da00-b4e7bf2abb53389f-01'}}\n\
             async def act():\n \
                 client = await nats.connect(sys.argv[2])\n \
                 await client.jetstream().publish('cg.v1r4.lab.public.cmd.sys.ui.action', {:?}.encode(), headers=headers)\n \
                 await client.close()\n\
             asyncio.run(act())",
            body.to_string()
        ));
    }

    /// Runs lines of Python that get the addresses of API, NATS and PostgreSQL as arguments; what
    /// they print.
    pub fn python(&self, lines: &str) -> String {
        let output = Command::new(program("TOOLCRIB_PYTHON"))
            .args(["-c", lines, &self.api(), &self.nats.url(), &self.postgres.dsn()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for CommonGround {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A NATS server that keeps streams in a folder of its own.
pub fn jetstream() -> (NatsServer, TempDir) {
    let streams = tempfile::tempdir().unwrap();
    let server = NatsServer::configured(&format!(
        "jetstream {{ store_dir: \"{}\" }}",
        streams.path().display()
    ));
    (server, streams)
}

fn command(nats: &NatsServer, postgres: &Postgres, port: u16, options: &[&str]) -> Command {
    let mut command = Command::new(program("TOOLCRIB_PYTHON"));
    command
        .arg(script("commonground.py"))
        .args([nats.url(), postgres.dsn(), port.to_string()])
        .args(options);
    command
}
