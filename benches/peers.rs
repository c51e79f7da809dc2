//! toolcrib and its peers in one terminal, in one run: first frame, memory, idle, key to paint, a
//! large answer, many notifications, a long list.
//!
//! Wants Python, and the peers that are to be measured:
//! `eval "$(tests/setup)"; eval "$(benches/peers-setup)"; cargo bench --bench peers [frame] [idle]
//! [keys] [large] [stream] [list]`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it prints what it finds, and fails where it cannot"
)]
#![expect(dead_code, reason = "the terminal of the tests can do more")]

use std::{
    env,
    io::{BufRead, BufReader, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use programs::{LARGE, LARGE_SHOWN, MANY, MANY_SHOWN, Program, Running, Stage, settle};
use report::Row;
use terminal::find;

#[path = "support/processes.rs"]
mod processes;
#[path = "support/programs.rs"]
mod programs;
#[path = "support/report.rs"]
mod report;
#[path = "../tests/all/support/signals.rs"]
mod signals;
#[path = "../tests/all/support/terminal.rs"]
mod terminal;

const STARTS: usize = 9;
const KEYS: usize = 200;
const CALLS: usize = 3;
/// So long a screen is left alone between two keys.
const PAUSE: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_secs(10);
/// Tools of the usual list, and of the long one.
const TOOLS: usize = 20;
const MANY_TOOLS: usize = 10_000;

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What a measurement finds, or why it finds nothing.
type Found<T> = Result<T, &'static str>;

/// Measures; the terminal prints what it waited for where it never came.
fn tried<T>(measure: impl FnOnce() -> T) -> Found<T> {
    catch_unwind(AssertUnwindSafe(measure)).map_err(|_| "not within 60 s")
}

/// A row of its name, or one that says why there is none.
fn report(what: &str, unit: &'static str, label: &str, value: Found<f64>) {
    let name = format!("{what}, {label}");
    match value {
        Ok(value) => Row::new(name, unit, value).report(),
        Err(why) => Row::new(name, why, f64::NAN).report(),
    }
}

fn report_times(what: &str, label: &str, times: Found<Vec<f64>>) {
    match times {
        Ok(times) => Row::of_times(format!("{what}, {label}"), times).report(),
        Err(why) => report(what, "ms", label, Err(why)),
    }
}

/// From the start to the first full screen. The first start of all is not counted.
fn frame(programs: &[Program], stage: &Stage) {
    let floor = (0..STARTS).map(|_| server_start(stage)).collect();
    Row::of_times("start to first answer, the MCP server alone", floor).report();
    for program in programs {
        let start = |_| {
            let running = program.start(stage);
            running.wait_for(program.ready());
            millis(running.started.elapsed())
        };
        let times = tried(|| (0..=STARTS).map(start).skip(1).collect());
        report_times("start to first frame", &program.label(), times);
    }
}

/// What an MCP client has to wait for.
fn server_start(stage: &Stage) -> f64 {
    let server = stage.server();
    let begun = Instant::now();
    let mut child = Command::new(&server[0])
        .args(&server[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let ask = r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    writeln!(child.stdin.as_ref().unwrap(), "{ask}").unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let took = millis(begun.elapsed());
    drop(child.stdin.take());
    child.wait().unwrap();
    took
}

/// Memory and processor time of a program that shows its list, connected.
fn idle(programs: &[Program], stage: &Stage) {
    let measure = |program: &Program| {
        let running = program.listing(stage);
        settle(&running);
        sleep(Duration::from_secs(3));
        let memory = processes::memory(running.process(), "VmRSS");
        let used = processes::used_during(running.process(), || sleep(IDLE));
        (memory, millis(used) * 60.0 / IDLE.as_secs_f64())
    };
    let found: Vec<_> =
        programs.iter().map(|program| (*program, tried(|| measure(program)))).collect();
    for (program, found) in &found {
        report("memory, idle", "MB", &program.label(), found.map(|(memory, _)| memory));
    }
    for (program, found) in found {
        report(
            "processor time of an idle minute",
            "ms",
            &program.label(),
            found.map(|(_, used)| used),
        );
    }
}

/// From a key to the first that it changes on the screen. What changes nothing is not counted: some
/// programs write the same again on each tick.
fn key_times(running: &mut Running) -> Vec<f64> {
    let picture = |running: &Running| {
        running.look(|screen| screen.rows_formatted(0, screen.size().1.get()).collect::<Vec<_>>())
    };
    let one = |turn: usize| {
        sleep(PAUSE);
        let before = picture(running);
        let (_, mut bytes) = running.counts();
        let begun = Instant::now();
        running.press([["down", "up"][turn % 2]]);
        loop {
            running.wait_beyond(bytes);
            let took = millis(begun.elapsed());
            bytes = running.counts().1;
            if picture(running) != before {
                return took;
            }
        }
    };
    (0..KEYS).map(one).collect()
}

fn keys(programs: &[Program], stage: &Stage) {
    for program in programs {
        let measure = || {
            let mut running = program.listing(stage);
            settle(&running);
            key_times(&mut running)
        };
        report_times("key to paint", &program.label(), tried(measure));
    }
}

/// Calls the tool of a row and waits for its answer: how long that took, and the most memory since
/// the start.
fn called(program: Program, stage: &Stage, row: usize, shown: &str) -> Found<(f64, f64)> {
    program.forget(stage);
    let mut running = program.listing(stage);
    settle(&running);
    let begun = program.call(&mut running, row);
    let failure = program.failure();
    running.wait_until(format_args!("{shown:?}"), |screen| {
        find(screen, shown).is_some() || find(screen, failure).is_some()
    });
    let took = millis(begun.elapsed());
    if !running.contents().contains(shown) {
        println!("{program:?} fails:\n{}", running.contents());
        return Err("the call fails");
    }
    settle(&running);
    Ok((took, processes::memory(running.process(), "VmHWM")))
}

/// Medians of some calls; of one alone where that takes long.
fn calls(program: Program, stage: &Stage, row: usize, shown: &str) -> Found<(f64, f64)> {
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        let (took, most) = tried(|| called(program, stage, row, shown))??;
        times.push(took);
        memory.push(most);
        if took > 5e3 {
            break;
        }
    }
    Ok((report::spread(times).0, report::spread(memory).0))
}

fn large(programs: &[Program], stage: &Stage) {
    let able = programs.iter().filter(|program| program.calls());
    let found: Vec<_> =
        able.map(|program| (*program, calls(*program, stage, 1, LARGE_SHOWN))).collect();
    let size = LARGE / 1024 / 1024;
    for (program, found) in &found {
        let what = format!("an answer of {size} MB shown");
        report(&what, "ms", &program.label(), found.map(|(took, _)| took));
    }
    for (program, found) in found {
        let what = format!("an answer of {size} MB, memory at most");
        report(&what, "MB", &program.label(), found.map(|(_, memory)| memory));
    }
}

fn stream(programs: &[Program], stage: &Stage) {
    for program in programs.iter().filter(|program| program.speaks_mcp()) {
        let found = calls(*program, stage, 0, MANY_SHOWN);
        let rate = found.map(|(took, _)| MANY as f64 / took * 1e3);
        let shows = if program.shows_notifications() { "" } else { " (shows none)" };
        let label = program.label() + shows;
        report(&format!("{MANY} notifications in one call"), "/s", &label, rate);
    }
}

fn list(programs: &[Program]) {
    let stage = Stage::new(MANY_TOOLS);
    let measure = |program: &Program| {
        let mut running = program.listing(&stage);
        settle(&running);
        let memory = processes::memory(running.process(), "VmRSS");
        (key_times(&mut running), memory)
    };
    let able = programs.iter().filter(|program| program.speaks_mcp());
    let found: Vec<_> = able.map(|program| (*program, tried(|| measure(program)))).collect();
    for (program, found) in &found {
        let times = found.as_ref().map(|(times, _)| times.clone()).map_err(|why| *why);
        let what = format!("key to paint in a list of {MANY_TOOLS} tools");
        report_times(&what, &program.label(), times);
    }
    for (program, found) in found {
        let what = format!("memory, a list of {MANY_TOOLS} tools");
        report(&what, "MB", &program.label(), found.map(|(_, memory)| memory));
    }
}

type Measure = fn(&[Program], &Stage);

fn main() {
    if env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let programs = Program::found();
    let stage = Stage::new(TOOLS);
    let measures: [(&str, Measure); 5] =
        [("frame", frame), ("idle", idle), ("keys", keys), ("large", large), ("stream", stream)];
    for (name, measure) in measures {
        if is_wanted(name) {
            measure(&programs, &stage);
        }
    }
    if is_wanted("list") {
        list(&programs);
    }
}
