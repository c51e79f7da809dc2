//! What a program and all that it started use, without the servers that it is measured with.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::programs::SERVERS;

/// A process and those below it.
pub fn tree(process: u32) -> Vec<u32> {
    let parents = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let folder = entry.ok()?.path();
        let process: u32 = folder.file_name()?.to_str()?.parse().ok()?;
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        Some((process, parent))
    });
    let parents: Vec<(u32, u32)> = parents.collect();
    let mut tree = vec![process];
    let mut next = 0;
    while let Some(&parent) = tree.get(next) {
        tree.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    tree
}

fn folders(process: u32) -> impl Iterator<Item = PathBuf> {
    let is_server = |folder: &Path| {
        let line = fs::read(folder.join("cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        words.nth(1) == Some(SERVERS.as_bytes())
    };
    let folders =
        tree(process).into_iter().map(|process| PathBuf::from(format!("/proc/{process}")));
    folders.filter(move |folder| !is_server(folder))
}

/// Memory in MB, summed: `VmRSS` for now, `VmHWM` for the most so far.
pub fn memory(process: u32, which: &str) -> f64 {
    let one = |folder: PathBuf| {
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let line = status.lines().find(|line| line.starts_with(which))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok()
    };
    folders(process).filter_map(one).sum::<f64>() / 1024.0
}

/// Processor time that each thread has used.
fn used(process: u32) -> HashMap<PathBuf, Duration> {
    let time = |task: &Path| {
        let stat = fs::read_to_string(task.join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    };
    folders(process)
        .filter_map(|folder| fs::read_dir(folder.join("task")).ok())
        .flatten()
        .filter_map(|task| task.ok().map(|task| task.path()))
        .filter_map(|task| Some((task.clone(), time(&task)?)))
        .collect()
}

/// Processor time used while something else happens; threads that end meanwhile are not counted.
pub fn used_during(process: u32, meanwhile: impl FnOnce()) -> Duration {
    let before = used(process);
    meanwhile();
    let times = used(process);
    let since = |(task, time): (&PathBuf, &Duration)| {
        time.saturating_sub(before.get(task).copied().unwrap_or_default())
    };
    times.iter().map(since).sum()
}
