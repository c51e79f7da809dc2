//! MCP servers: how long a connection takes, how fast notifications come through, how large lists
//! and answers are shown.
//!
//! Floors: the server's own start and output, read by a loop that does nothing else; `cat` for a
//! key. Wants Python: `eval "$(tests/setup)"; cargo bench --bench mcp [connect] [flood] [million]
//! [list] [large]`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it prints what it finds, and fails where it cannot"
)]
#![expect(dead_code, reason = "the terminal of the tests can do more")]

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use report::{Row, spread};
use serde_json::{Value, json};
use tempfile::TempDir;
use terminal::{HOME_FOLDERS, Terminal, binary, program, toolcrib};

#[path = "support/report.rs"]
mod report;
#[path = "../tests/all/support/signals.rs"]
mod signals;
#[path = "../tests/all/support/terminal.rs"]
mod terminal;

const TURNS: usize = 5;
const KEYS: usize = 200;
/// Notifications of one call.
const MANY: usize = 100_000;
/// Bytes of one answer.
const LARGE: usize = 50 * 1024 * 1024;
/// Tools of one list.
const TOOLS: usize = 10_000;

/// A bare server: a tool that reports its progress often, and one whose answer is large.
const SERVER: &str = r#"
import json, sys
many, large = int(sys.argv[1]), int(sys.argv[2])
def say(id, result): sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method == "initialize":
        say(id, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bench", "version": "1"}})
    elif method == "tools/list":
        say(id, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("flood", "large")]})
    elif method == "tools/call" and params["name"] == "flood":
        token = json.dumps(params["_meta"]["progressToken"])
        report = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d of many"}}\n'
        sys.stdout.write("".join(report % (token, step + 1, many, step) for step in range(many)))
        say(id, {"content": [{"type": "text", "text": "all work is done"}]})
    elif method == "tools/call":
        say(id, {"content": [{"type": "text", "text": "x" * large}]})
    elif id is not None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}}) + "\n")
        sys.stdout.flush()
"#;

fn python() -> String {
    env::var("TOOLCRIB_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// A workspace whose connection starts the server; the consent to it is in `home`.
struct Workspace {
    folder: TempDir,
    home: TempDir,
    /// Notifications of one call of its tool.
    many: usize,
}

impl Workspace {
    fn new(many: usize) -> Self {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join("server.py"), SERVER).unwrap();
        fs::write(folder.path().join("toolcrib.toml"), "name = \"bench\"\n").unwrap();
        let workspace = Self { folder, home, many };
        let script = workspace.script();
        let (many, large) = (many.to_string(), LARGE.to_string());
        workspace.run(&["mcp", "add", "bench", "--", &python(), &script, &many, &large]);
        workspace.run(&["mcp", "keep", "bench"]);
        workspace
    }

    fn script(&self) -> String {
        self.folder.path().join("server.py").to_str().unwrap().to_owned()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(words).current_dir(self.folder.path());
        // As the terminal has it, so that what was allowed here is allowed there.
        for (name, below) in HOME_FOLDERS {
            command.env(name, self.home.path().join(below));
        }
        command
    }

    fn run(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The server alone, and what it writes.
    fn bare(&self) -> (Child, BufReader<std::process::ChildStdout>) {
        let mut child = Command::new(python())
            .args([&self.script(), &self.many.to_string(), &LARGE.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        (child, output)
    }

    fn terminal(&self) -> Terminal {
        // Its variables are others than those of a command.
        let folder = self.folder.path().to_str().unwrap();
        toolcrib(["--allow-start", folder]).size(200, 60).home(self.home.path()).start()
    }
}

fn ask(child: &mut Child, message: &Value) {
    let mut input = child.stdin.as_ref().unwrap();
    writeln!(input, "{message}").unwrap();
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    child.wait().unwrap();
}

fn row(what: &str, ours: Vec<f64>, floor: Vec<f64>) {
    Row::of_times(what, ours).with_floor(spread(floor).0).report();
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// From nothing to a server whose tools are known.
fn connect(workspace: &Workspace) {
    let (mut ours, mut probed, mut floor) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let begun = Instant::now();
        let (mut child, mut output) = workspace.bare();
        ask(&mut child, &json!({"id": 1, "method": "initialize"}));
        output.read_line(&mut String::new()).unwrap();
        floor.push(millis(begun.elapsed()));
        end(child);
        let told = workspace.run(&["mcp", "ping", "bench", "--json"]);
        let told: Value = serde_json::from_str(&told).unwrap();
        probed.push(told["connected_ms"].as_f64().unwrap());
        ours.push(probed[probed.len() - 1] - floor[floor.len() - 1]);
    }
    row("connect to a stdio server, with a probe and its list", probed, floor);
    Row::of_times("connect, more than the server's own start", ours).report();
}

/// The events of a call: how many were stages of that name, and how long it took from its request
/// to its end.
fn called(workspace: &Workspace, tool: &str, stage: &str) -> (usize, f64) {
    let mut child = workspace
        .command(&["call", tool, "--connection", "bench", "--json", "--no-history"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let (mut count, mut took) = (0, 0.0);
    let at = |event: &Value| event["at_ms"].as_f64().unwrap();
    let mut line = Vec::new();
    let wanted = format!("\"stage\":\"{stage}\"");
    while output.read_until(b'\n', &mut line).unwrap() > 0 {
        let start = &line[..line.len().min(200)];
        if start.windows(wanted.len()).any(|part| part == wanted.as_bytes()) {
            count += 1;
        } else if start.starts_with(b"{\"event\":\"request\"") {
            took = -at(&serde_json::from_slice(&line).unwrap());
        } else if start.starts_with(b"{\"event\":\"end\"") {
            let end: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(end["outcome"], "succeeded", "{end}");
            took += at(&end);
        }
        line.clear();
    }
    child.wait().unwrap();
    (count, took)
}

/// The same of the server alone: until its answer is read.
fn bare_call(workspace: &Workspace, tool: &str) -> f64 {
    let (mut child, mut output) = workspace.bare();
    ask(&mut child, &json!({"id": 1, "method": "initialize"}));
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let begun = Instant::now();
    let params = json!({"name": tool, "_meta": {"progressToken": 2}});
    ask(&mut child, &json!({"id": 2, "method": "tools/call", "params": params}));
    loop {
        line.clear();
        output.read_line(&mut line).unwrap();
        if line.ends_with("}]}}\n") {
            break;
        }
    }
    let took = millis(begun.elapsed());
    end(child);
    took
}

/// Calls the tool on the screen; how long that took, and the keys' times meanwhile.
fn shown(workspace: &Workspace, tool: &str) -> (f64, Vec<f64>) {
    let mut terminal = workspace.terminal();
    terminal.wait_for(tool);
    terminal.press(["3"]);
    terminal.wait_for("No call yet");
    if tool != "flood" {
        terminal.press(["shift+tab", "down"]);
    }
    // The first call starts the server.
    terminal.press(["f6"]);
    terminal.wait_for("succeeded after");
    terminal.wait_for("✓");
    let calls = |terminal: &Terminal| terminal.contents().matches('✓').count();
    let before = calls(&terminal);
    let begun = Instant::now();
    terminal.press(["f6"]);
    let mut keys = Vec::new();
    while calls(&terminal) <= before {
        let pressed = Instant::now();
        terminal.press(["f1"]);
        terminal.wait_for("type to narrow the list");
        terminal.press(["esc"]);
        terminal.wait_gone("type to narrow the list");
        keys.push(millis(pressed.elapsed()) / 2.0);
    }
    let took = millis(begun.elapsed());
    terminal.press(["ctrl+q"]);
    terminal.wait_end();
    (took, keys)
}

fn flood(workspace: &Workspace) {
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        floor.push(bare_call(workspace, "flood"));
        let (count, took) = called(workspace, "flood", "progress");
        assert_eq!(count, workspace.many);
        ours.push(took);
    }
    row(&format!("{MANY} notifications in one call"), ours, floor.clone());
    let (mut live, mut keys) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let (took, pressed) = shown(workspace, "flood");
        live.push(took);
        keys.extend(pressed);
    }
    row(&format!("{MANY} notifications on the screen at 200x60"), live, floor);
    Row::of_times(format!("a key while {MANY} notifications are shown"), keys).report();
}

/// A call with ten times as many: that none is lost, and what it takes to hold them.
fn million() {
    let workspace = Workspace::new(10 * MANY);
    let floor = bare_call(&workspace, "flood");
    let (count, took) = called(&workspace, "flood", "progress");
    assert_eq!(count, workspace.many);
    row(&format!("{} notifications in one call", workspace.many), vec![took], vec![floor]);
    let mut terminal = workspace.terminal();
    terminal.wait_for("flood");
    terminal.press(["3"]);
    terminal.wait_for("No call yet");
    let begun = Instant::now();
    terminal.press(["f6"]);
    terminal.wait_for("succeeded after");
    let what = format!("{} notifications on the screen at 200x60", workspace.many);
    row(&what, vec![millis(begun.elapsed())], vec![floor]);
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.process())).unwrap();
    let most = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let most = most.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0;
    Row::new(format!("memory at most, {} notifications", workspace.many), "MB", most).report();
    terminal.press(["ctrl+q"]);
    terminal.wait_end();
}

fn large(workspace: &Workspace) {
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        floor.push(bare_call(workspace, "large"));
        let (_, took) = called(workspace, "large", "progress");
        ours.push(took);
    }
    row(&format!("an answer of {} MB over stdio", LARGE / 1024 / 1024), ours, floor);
}

fn list(folder: &Path) {
    let tool = |number: usize| {
        json!({"name": format!("tool-{number}"), "description": "Does one of many things",
               "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}})
    };
    let tools: Vec<Value> = (0..TOOLS).map(tool).collect();
    let kept = json!({"server": "many", "version": "2025-11-25", "tools": tools});
    fs::create_dir(folder.join("mcp")).unwrap();
    fs::write(folder.join("mcp/many.json"), serde_json::to_string_pretty(&kept).unwrap()).unwrap();
    let settings = "[connections.many]\nsystem = \"mcp\"\ncommand = \"true\"\n";
    fs::write(folder.join("toolcrib.toml"), settings).unwrap();

    let mut echo = program("/bin/sh", ["-c", "printf READY; exec cat"]).size(200, 60).start();
    echo.wait_for("READY");
    let floor = keys(&mut echo, ["a", "b"]);
    let mut starts = Vec::new();
    for _ in 0..5 {
        let terminal = toolcrib([folder]).size(200, 60).start();
        terminal.wait_for("many/tool-0");
        starts.push(millis(terminal.started.elapsed()));
    }
    Row::of_times(format!("start to a list of {TOOLS} MCP tools"), starts).report();
    let mut terminal = toolcrib([folder]).size(200, 60).start();
    terminal.wait_for(&format!("Tools {TOOLS}"));
    row(
        &format!("a key in a list of {TOOLS} MCP tools, Tools"),
        keys(&mut terminal, ["down", "up"]),
        floor.clone(),
    );
    let begun = Instant::now();
    terminal.press(["3"]);
    terminal.wait_for("No call yet");
    let what = format!("Invoke with {TOOLS} MCP tools, from the key");
    Row::new(what, "ms", millis(begun.elapsed())).report();
    terminal.press(["shift+tab"]);
    row(
        &format!("a key in a list of {TOOLS} MCP tools, Invoke"),
        keys(&mut terminal, ["down", "up"]),
        floor,
    );
}

/// Times from a key to the end of what it changes on the screen.
fn keys(terminal: &mut Terminal, keys: [&str; 2]) -> Vec<f64> {
    let one = |turn: usize| {
        let (_, bytes) = terminal.counts();
        let begun = Instant::now();
        terminal.press([keys[turn % 2]]);
        terminal.wait_beyond(bytes);
        millis(begun.elapsed())
    };
    (0..KEYS).map(one).collect()
}

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let workspace = Workspace::new(MANY);
    if is_wanted("connect") {
        connect(&workspace);
    }
    if is_wanted("flood") {
        flood(&workspace);
    }
    if is_wanted("million") {
        million();
    }
    if is_wanted("large") {
        large(&workspace);
    }
    if is_wanted("list") {
        list(tempfile::tempdir().unwrap().path());
    }
}
