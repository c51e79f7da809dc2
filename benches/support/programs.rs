//! toolcrib and its peers: how each is started, brought to its list, and made to call.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    processes,
    terminal::{HOME_FOLDERS, Setup, Terminal, binary, program, toolcrib},
};

/// Bytes of the large answer.
pub const LARGE: usize = 50 * 1024 * 1024;
/// Notifications of one call.
pub const MANY: usize = 100_000;

/// Part of each line of the large answer: some show its start, others its end.
pub const LARGE_SHOWN: &str = "abcdefghijabcdefghij";
/// The answer behind the notifications.
pub const MANY_SHOWN: &str = "all work is done";

fn python() -> String {
    env::var("TOOLCRIB_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// The script of both servers.
pub const SERVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/support/peers.py");

/// A program of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Toolcrib,
    Inspector,
    McpTui,
    Mcpeek,
    Slumber,
    Posting,
    Schemaui,
}

/// What the programs are pointed at: a server with so many tools, requests, a schema.
pub struct Stage {
    folder: TempDir,
    tools: usize,
    http: Child,
}

impl Stage {
    pub fn new(tools: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut http = Command::new(python())
            .args([SERVERS, "http", &LARGE.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(http.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let stage = Self { folder, tools, http };
        stage.write_requests(&format!("http://127.0.0.1:{}", port.trim()));
        stage.write_schema();
        stage.write_workspace();
        stage
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).to_str().unwrap().to_owned()
    }

    /// The home of a program, which outlives it.
    fn home(&self, of: Program) -> PathBuf {
        let home = self.at(&format!("home-{of:?}"));
        fs::create_dir_all(&home).unwrap();
        home
    }

    /// The command that starts the MCP server.
    pub fn server(&self) -> Vec<String> {
        let numbers = [self.tools, MANY, LARGE].map(|number| number.to_string());
        [python(), SERVERS.to_owned(), "mcp".to_owned()].into_iter().chain(numbers).collect()
    }

    fn write_requests(&self, address: &str) {
        let mut slumber = "requests:\n".to_owned();
        fs::create_dir(self.at("requests")).unwrap();
        for (name, path) in ["large", "small-1", "small-2", "small-3", "small-4"]
            .map(|name| (name, name.split('-').next().unwrap()))
        {
            slumber += &format!("  {name}:\n    method: GET\n    url: {address}/{path}\n");
            let posting = format!("name: {name}\nmethod: GET\nurl: {address}/{path}\n");
            fs::write(self.at(&format!("requests/{name}.posting.yaml")), posting).unwrap();
        }
        fs::write(self.at("slumber.yml"), slumber).unwrap();
    }

    fn write_schema(&self) {
        let field = |number: usize| {
            format!("\"field-{number:02}\":{{\"type\":\"string\",\"description\":\"One of many\"}}")
        };
        let fields: Vec<_> = (0..self.tools.min(20)).map(field).collect();
        let schema = format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", fields.join(","));
        fs::write(self.at("schema.json"), schema).unwrap();
    }

    /// A workspace of toolcrib whose connection starts the server, with the list of its tools.
    fn write_workspace(&self) {
        let folder = self.at("workspace");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("toolcrib.toml"), "name = \"bench\"\n").unwrap();
        let server = self.server();
        let add: Vec<&str> =
            ["mcp", "add", "bench", "--"].into_iter().chain(server.iter().map(|w| &**w)).collect();
        for words in [&add[..], &["mcp", "keep", "bench"][..]] {
            let mut command = Command::new(binary());
            command.args(words).current_dir(&folder);
            // As the terminal has it, so that what was allowed here is allowed there.
            for (name, below) in HOME_FOLDERS {
                command.env(name, self.home(Program::Toolcrib).join(below));
            }
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.http.kill().ok();
        self.http.wait().ok();
    }
}

/// A program at work. Dropping it ends it and all that it started.
pub struct Running(Terminal);

impl Deref for Running {
    type Target = Terminal;

    fn deref(&self) -> &Terminal {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Terminal {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for process in processes::tree(self.process()) {
            // It may have ended by itself.
            Command::new("kill")
                .args(["-KILL", &process.to_string()])
                .stderr(Stdio::null())
                .status()
                .ok();
        }
    }
}

/// Waits until nothing more is shown for a moment, or for ten seconds where something always is.
pub fn settle(terminal: &Terminal) {
    let mut before = terminal.counts();
    for _ in 0..20 {
        sleep(Duration::from_millis(500));
        let now = terminal.counts();
        if now == before {
            return;
        }
        before = now;
    }
}

/// Presses keys one after the other: some programs lose those that come at once.
fn calmly<'a>(running: &mut Running, keys: impl IntoIterator<Item = &'a str>) {
    for key in keys {
        running.press([key]);
        sleep(Duration::from_millis(500));
    }
}

impl Program {
    const PEERS: [Self; 6] =
        [Self::Inspector, Self::McpTui, Self::Mcpeek, Self::Slumber, Self::Posting, Self::Schemaui];

    /// toolcrib and the peers that `benches/peers-setup` could install.
    pub fn found() -> Vec<Self> {
        let peers = Self::PEERS.into_iter().filter(|peer| {
            let found = peer.file().is_some_and(|file| file.exists());
            if !found {
                println!("{peer:?} is not there and not measured: benches/peers-setup");
            }
            found
        });
        [Self::Toolcrib].into_iter().chain(peers).collect()
    }

    /// The folder below that of all peers.
    fn folder(self) -> Option<PathBuf> {
        let name = match self {
            Self::Toolcrib => return None,
            Self::Inspector => "inspector",
            Self::McpTui => "mcp-tui",
            Self::Mcpeek => "mcpeek",
            Self::Slumber => "slumber",
            Self::Posting => "posting",
            Self::Schemaui => "schemaui",
        };
        env::var_os("TOOLCRIB_PEERS").map(|peers| Path::new(&peers).join(name))
    }

    fn file(self) -> Option<PathBuf> {
        let below = match self {
            Self::Toolcrib => return Some(binary()),
            Self::Inspector => "node_modules/.bin/mcp-inspector",
            Self::McpTui => "node_modules/@standardbeagle/mcp-tui/bin/mcp-tui",
            Self::Mcpeek => "bin/mcpeek",
            Self::Slumber => "bin/slumber",
            Self::Posting => "bin/posting",
            Self::Schemaui => "bin/schemaui",
        };
        Some(self.folder()?.join(below))
    }

    /// Name and version.
    pub fn label(self) -> String {
        match self.folder() {
            None => format!("toolcrib {}", env!("CARGO_PKG_VERSION")),
            Some(folder) => fs::read_to_string(folder.join("label")).unwrap().trim().to_owned(),
        }
    }

    /// Whether it is a client of MCP servers.
    pub fn speaks_mcp(self) -> bool {
        matches!(self, Self::Toolcrib | Self::Inspector | Self::McpTui | Self::Mcpeek)
    }

    /// Whether notifications are seen on its screens; the others drop them.
    pub fn shows_notifications(self) -> bool {
        matches!(self, Self::Toolcrib | Self::Inspector)
    }

    /// Whether it can get the large answer.
    pub fn calls(self) -> bool {
        self != Self::Schemaui
    }

    /// What its first full screen shows.
    pub fn ready(self) -> &'static str {
        match self {
            Self::Toolcrib => "? help",
            Self::Inspector => "ESC exit",
            Self::McpTui => "tool-00000",
            Self::Mcpeek => "tool-00000",
            Self::Slumber => "small-1",
            Self::Posting => "small-1",
            Self::Schemaui => "field-01",
        }
    }

    fn setup(self, stage: &Stage) -> Setup {
        let file = self.file().unwrap();
        let server = stage.server();
        match self {
            Self::Toolcrib => toolcrib(["--allow-start", &stage.text("workspace")]),
            Self::Inspector => {
                let node = self.folder().unwrap().join("node_modules/.bin");
                let path = format!("{}:{}", node.display(), env::var("PATH").unwrap());
                let words = ["--tui".to_owned()].into_iter().chain(server);
                program(file, words).variable("PATH", path)
            }
            Self::McpTui => program(file, ["--cmd", &server[0], "--args", &server[1..].join(",")]),
            Self::Mcpeek => program(file, server),
            Self::Slumber => program(file, ["--file", &stage.text("slumber.yml")]),
            Self::Posting => program(file, ["--collection", &stage.text("requests")]),
            Self::Schemaui => program(file, ["--schema", &stage.text("schema.json")]),
        }
        .home(&stage.home(self))
        .size(200, 60)
    }

    /// Drops the answers that it kept, where it would show the last one at its next start.
    pub fn forget(self, stage: &Stage) {
        if self == Self::Slumber {
            fs::remove_dir_all(stage.home(self)).unwrap();
        }
    }

    pub fn start(self, stage: &Stage) -> Running {
        Running(self.setup(stage).start())
    }

    /// Starts it and brings it to its list, connected.
    pub fn listing(self, stage: &Stage) -> Running {
        let mut running = self.start(stage);
        running.wait_for(self.ready());
        // Some take no key before they have drawn for a while.
        settle(&running);
        match self {
            Self::Toolcrib => {
                running.press(["3"]);
                running.wait_for("No call yet");
                running.press(["shift+tab"]);
                // Its first call connects.
                calmly(&mut running, ["down", "down"]);
                running.press(["f6"]);
                running.wait_for("a small answer");
                calmly(&mut running, ["up", "up"]);
            }
            Self::Inspector => {
                running.press(["c"]);
                running.wait_for("● connected");
                running.press(["t"]);
                running.wait_for("tool-00000");
                calmly(&mut running, ["tab"]);
            }
            Self::Posting => running.click_on("small-1"),
            Self::Slumber => calmly(&mut running, ["r"]),
            Self::McpTui | Self::Mcpeek | Self::Schemaui => {}
        }
        running
    }

    /// From its list: calls the tool of that row, or sends the request for the large answer;
    /// when that began.
    pub fn call(self, running: &mut Running, row: usize) -> Instant {
        match self {
            Self::Posting => running.click_on("large"),
            Self::Slumber => {}
            _ => calmly(running, vec!["down"; row]),
        }
        let send = match self {
            Self::Toolcrib => "f6",
            Self::Inspector => {
                running.press(["enter"]);
                running.wait_for("[1] Parameters");
                sleep(Duration::from_millis(500));
                running.press(["down"]);
                running.wait_for("Submit");
                sleep(Duration::from_millis(500));
                "enter"
            }
            Self::McpTui => {
                running.press(["enter"]);
                running.wait_for("Execute Tool");
                "enter"
            }
            Self::Mcpeek => {
                running.press(["c"]);
                running.wait_for("ENTER: Execute");
                "enter"
            }
            Self::Posting => {
                running.wait_for("/large");
                "ctrl+j"
            }
            Self::Slumber | Self::Schemaui => "enter",
        };
        let begun = Instant::now();
        running.press([send]);
        begun
    }

    /// What it shows where a call fails.
    pub fn failure(self) -> &'static str {
        match self {
            Self::Inspector => "Connection closed",
            _ => "rror:",
        }
    }
}
