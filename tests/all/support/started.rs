//! Programs that say when they are ready.

use std::{
    io::{BufRead, BufReader, Lines, Read},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

/// Starts it, and waits until it has said so, on either of its outputs. Both are read as long as it
/// runs, or it would block on a full pipe.
pub fn started(command: &mut Command, ready: &str) -> Child {
    started_telling(command, ready).0
}

/// The same, with what it says from then on.
pub fn started_telling(command: &mut Command, ready: &str) -> (Child, Receiver<String>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (tell, told) = mpsc::channel();
    tell_all(BufReader::new(child.stderr.take().unwrap()).lines(), tell.clone());
    tell_all(BufReader::new(child.stdout.take().unwrap()).lines(), tell);
    let mut seen = Vec::new();
    for line in &told {
        if line.contains(ready) {
            return (child, told);
        }
        seen.push(line);
    }
    let _ = child.wait();
    panic!("it did not start:\n{}", seen.join("\n"));
}

/// What it says first on its output, which is piped.
pub fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line
}

fn tell_all(lines: Lines<BufReader<impl Read + Send + 'static>>, tell: Sender<String>) {
    thread::spawn(move || lines.map_while(Result::ok).for_each(|line| drop(tell.send(line))));
}
