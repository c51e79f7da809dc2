//! The real program in a terminal: start to first frame, key to paint, idle, memory, each beside
//! the least that any program needs.
//!
//! Floors: `cat` for a key, a shell that prints a word for the start. `cargo bench --bench pty`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it prints what it finds, and fails where it cannot"
)]
#![expect(dead_code, reason = "the terminal of the tests can do more")]

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use report::{Row, spread};
use tempfile::TempDir;
use terminal::{Terminal, program, toolcrib};

#[path = "support/report.rs"]
mod report;
#[path = "../tests/all/support/signals.rs"]
mod signals;
#[path = "../tests/all/support/terminal.rs"]
mod terminal;

const STARTS: usize = 15;
const KEYS: usize = 400;
const IDLE: Duration = Duration::from_secs(10);

/// A workspace with so many tools, one to a file, ten states to a hundred.
fn workspace(tools: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for tool in 0..tools {
        let text = format!(
            "{{\n  \"type\": \"knowledge-query\",\n  \"name\": \"tool-{tool}\",\n  \"description\": \"Does one of many things\",\n  \
             \"group\": [\"group-{}\", \"default\"],\n  \"state\": \"state-{}\",\n  \"applicable-states\": [\"undefined\", \"state-{}\"]\n}}\n",
            tool % 30,
            (tool + 1) % 10,
            tool % 10
        );
        fs::write(folder.path().join(format!("tool-{tool}.json")), text).unwrap();
    }
    folder
}

/// How all tools stand in one file.
#[derive(Clone, Copy)]
enum OneFile {
    Yaml,
    Json,
    /// YAML, with a service for every ten tools.
    Served,
}

impl OneFile {
    fn name(self) -> &'static str {
        match self {
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::Served => "YAML, served",
        }
    }
}

/// A workspace with so many tools in one file, in chains of twenty states.
fn one_file(tools: usize, format: OneFile) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tool = |tool: usize| {
        let state = |step: usize| {
            if step == 0 { "undefined".to_owned() } else { format!("chain-{}-{step}", tool / 20) }
        };
        let next = if tool % 5 == 4 { 0 } else { (tool + 1) % 20 };
        (format!("tool-{tool}"), format!("group-{}", tool % 30), state(next), state(tool % 20))
    };
    let yaml = |(name, group, next, state): (String, String, String, String)| {
        format!(
            "  {name}:\n    type: knowledge-query\n    name: {name}\n    description: Does one of many things\n    \
             group: [{group}, read-only]\n    state: {next}\n    applicable-states: [{state}]\n"
        )
    };
    let json = |(name, group, next, state): (String, String, String, String)| {
        format!(
            "    \"{name}\": {{\n      \"type\": \"knowledge-query\",\n      \"name\": \"{name}\",\n      \
             \"description\": \"Does one of many things\",\n      \"group\": [\"{group}\", \"read-only\"],\n      \
             \"state\": \"{next}\",\n      \"applicable-states\": [\"{state}\"]\n    }}"
        )
    };
    let (name, text) = match format {
        OneFile::Yaml => (
            "tools.yaml",
            format!("tool:\n{}", (0..tools).map(|row| yaml(tool(row))).collect::<String>()),
        ),
        OneFile::Served => {
            let tool = |row: usize| {
                let service = format!(
                    "type: tool-service\n    service: service-{}\n    collection: things",
                    row / 10
                );
                yaml(tool(row)).replace("type: knowledge-query", &service)
            };
            let service = |row: usize| {
                format!(
                    "  service-{row}:\n    id: service-{row}\n    request-queue: request:tg:s{row}\n    \
                     response-queue: response:tg:s{row}\n    config-params:\n      - name: collection\n        required: true\n"
                )
            };
            let services: String = (0..tools.div_ceil(10)).map(service).collect();
            (
                "tools.yaml",
                format!(
                    "tool:\n{}tool-service:\n{services}",
                    (0..tools).map(tool).collect::<String>()
                ),
            )
        }
        OneFile::Json => {
            let members: Vec<_> = (0..tools).map(|row| json(tool(row))).collect();
            ("tools.json", format!("{{\n  \"tool\": {{\n{}\n  }}\n}}\n", members.join(",\n")))
        }
    };
    fs::write(folder.path().join(name), text).unwrap();
    folder
}

/// Moving and typing where all tools stand in one file, with the memory that takes, and the check
/// without a screen.
fn large_file(tools: usize, format: OneFile, key_floor: f64, start_floor: f64) {
    let folder = one_file(tools, format);
    let named = |what: &str| format!("{what}, tools in one {} file", format.name());
    let start = || toolcrib([folder.path()]).size(200, 60).start();
    row(&named("first tools shown"), tools, starts(start, "tool-1 "), start_floor);
    let mut terminal = start();
    terminal.wait_for("tool-1 ");
    settle(&terminal);
    memory_row(&named("memory"), tools, &terminal);
    row(&named("moving"), tools, keys(&mut terminal, ["down", "up"]), key_floor);
    // From the name over the type to the description, which then takes letters.
    terminal.press(["enter", "tab", "tab", "enter"]);
    settle(&terminal);
    row(&named("typing"), tools, keys(&mut terminal, ["a", "backspace"]), key_floor);
    memory_row(&named("memory after typing"), tools, &terminal);
    drop(terminal);
    let check = || {
        let begun = Instant::now();
        let done = Command::new(terminal::binary())
            .arg("check")
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        done.unwrap();
        millis(begun.elapsed())
    };
    row(&named("check"), tools, (0..STARTS).map(|_| check()).collect(), start_floor);
}

fn row(what: &str, tools: usize, times: Vec<f64>, floor: f64) {
    let row = Row::of_times(format!("{what}, {tools}"), times).with_floor(floor);
    row.at_size(what, tools).report();
}

fn memory_row(what: &str, tools: usize, terminal: &Terminal) {
    let row = Row::new(format!("{what}, {tools}"), "MB", memory(terminal.process()));
    row.at_size(what, tools).report();
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Times from a start to a text, in milliseconds.
fn starts(start: impl Fn() -> Terminal, shows: &str) -> Vec<f64> {
    let one = |_| {
        let terminal = start();
        terminal.wait_for(shows);
        millis(terminal.started.elapsed())
    };
    (0..STARTS).map(one).collect()
}

/// Times from a key to the end of what it changes on the screen.
fn keys(terminal: &mut Terminal, keys: [&str; 2]) -> Vec<f64> {
    let mut times = Vec::new();
    for turn in 0..KEYS {
        let (_, bytes) = terminal.counts();
        let begun = Instant::now();
        terminal.press([keys[turn % 2]]);
        terminal.wait_beyond(bytes);
        times.push(millis(begun.elapsed()));
    }
    times
}

/// Waits until nothing more is shown for a moment.
fn settle(terminal: &Terminal) {
    let mut before = terminal.counts();
    loop {
        sleep(Duration::from_millis(500));
        let now = terminal.counts();
        if now == before {
            return;
        }
        before = now;
    }
}

/// Processor time that each thread of a process has used.
fn used(process: u32) -> HashMap<OsString, Duration> {
    let nanos = |path: &Path| {
        fs::read_to_string(path)
            .ok()?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
            .map(Duration::from_nanos)
    };
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap().map(Result::unwrap);
    tasks
        .filter_map(|task| Some((task.file_name(), nanos(&task.path().join("schedstat"))?)))
        .collect()
}

/// What the threads that are there now have used since; threads that ended meanwhile had nothing to
/// do.
fn used_since(process: u32, before: &HashMap<OsString, Duration>) -> Duration {
    used(process)
        .iter()
        .map(|(task, time)| time.saturating_sub(before.get(task).copied().unwrap_or_default()))
        .sum()
}

/// Processor time that it uses in a minute without input, in milliseconds.
fn idle(what: &str, tools: usize, terminal: &Terminal) {
    let before = used(terminal.process());
    sleep(IDLE);
    let idle = used_since(terminal.process(), &before) * (60 / IDLE.as_secs() as u32);
    Row::new(format!("{what}, {tools}"), "ms", millis(idle)).at_size(what, tools).report();
}

/// Memory that a process holds, in MB.
fn memory(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

fn main() {
    if std::env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let bare = || program("/bin/sh", ["-c", "printf READY; exec cat"]).size(200, 60).start();
    let times = starts(bare, "READY");
    let start_floor = spread(times.clone()).0;
    Row::of_times("start to first word: sh (floor)", times).report();
    let mut echo = bare();
    echo.wait_for("READY");
    let times = keys(&mut echo, ["a", "b"]);
    let key_floor = spread(times.clone()).0;
    Row::of_times("key to paint: cat (floor)", times).report();

    let demo = || toolcrib(["demo"]).size(200, 60).start();
    let first = Row::of_times("start to first frame, demo", starts(demo, "? help"));
    first.with_floor(start_floor).report();
    let terminal = demo();
    terminal.wait_for("? help");
    settle(&terminal);
    Row::new("memory, demo", "MB", memory(terminal.process())).report();
    idle("idle, demo", 0, &terminal);
    drop(terminal);
    for tools in [100, 1_000, 10_000] {
        let folder = workspace(tools);
        let start = || toolcrib([folder.path()]).size(200, 60).start();
        let what = "start to first frame, descriptors";
        row(what, tools, starts(start, "? help"), start_floor);
        let mut terminal = start();
        terminal.wait_for("tool-0");
        settle(&terminal);
        let read = millis(terminal.started.elapsed() - Duration::from_millis(500));
        row("all read, descriptors", tools, vec![read], start_floor);
        let what = "key to paint, descriptors";
        row(what, tools, keys(&mut terminal, ["down", "up"]), key_floor);
        settle(&terminal);
        idle("idle, descriptors", tools, &terminal);
        memory_row("memory, descriptors", tools, &terminal);
    }
    for tools in [100, 1_000, 10_000] {
        large_file(tools, OneFile::Yaml, key_floor, start_floor);
        large_file(tools, OneFile::Json, key_floor, start_floor);
        large_file(tools, OneFile::Served, key_floor, start_floor);
    }
}
