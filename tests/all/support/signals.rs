//! Signals to programs under test.

use std::{fs, path::Path, process::Command};

/// Sends a signal, named as `kill` names it. One that stops a process has stopped it, each thread
/// of it, on return.
pub fn send(process: u32, name: &str) {
    let sent =
        Command::new("kill").args([format!("-{name}"), process.to_string()]).status().unwrap();
    assert!(sent.success());
    while name == "STOP" && !stands_still(process) {
        std::thread::yield_now();
    }
}

fn stands_still(process: u32) -> bool {
    // Where the system does not tell, it has to be believed.
    let Ok(threads) = fs::read_dir(Path::new("/proc").join(process.to_string()).join("task"))
    else {
        return true;
    };
    threads.filter_map(Result::ok).all(|thread| {
        // The state stands behind the name in brackets.
        let told = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        told.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('T'))
    })
}
