//! Calls of MCP tools that become tasks, in both eras: followed to their end, asked, cancelled.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::Command,
};

use serde_json::Value;

use super::mcp_live::{call, events, place, place_with, stages};

#[test]
fn a_task_is_followed_to_its_result() {
    for how in ["tasks", "modern"] {
        let place = place(how);
        let told = events(&place, &["work"]);
        let words: Vec<&str> =
            stages(&told, "task").iter().filter_map(|stage| stage["text"].as_str()).collect();
        assert_eq!(
            words,
            [
                "task t1 is working (asked about every 0.05 s, kept for 60 s)",
                "task t1 is working: half way (asked about every 0.05 s, kept for 60 s)",
                "task t1 is completed",
            ],
            "{how}: {told:#?}"
        );
        assert_eq!(told.last().unwrap()["outcome"], "succeeded", "{how}: {told:#?}");
        assert!(call(&place, &["work"]).data.starts_with("worked"));
    }
}

#[test]
fn a_task_asks_its_user_on_the_way() {
    for how in ["tasks", "modern"] {
        let place = place(how);
        let answered = call(&place, &["work", "ask:=true", "--answer", r#"{"name": "Ann"}"#]);
        answered.ended(0, &["task t1 is input_required", "accepted"]);
        assert!(answered.data.contains(r#""name": "Ann""#), "{how}: {}", answered.data);
    }
}

/// Ctrl-C while a task goes on: the server is asked to stop it.
#[cfg(unix)]
#[test]
fn a_task_that_nobody_waits_for_is_cancelled() {
    for how in ["tasks", "modern"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cancelled");
        let place = place_with(&[&format!("CANCELLED={}", file.display())], how);
        let line = ["call", "work", "forever:=true", "--connection", "test"];
        let mut running = place.command(&line).spawn().unwrap();
        let mut words = BufReader::new(running.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("half way") {
            line.clear();
            assert!(words.read_line(&mut line).unwrap() > 0, "it ended before it worked");
        }
        let interrupted = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
        assert!(interrupted.unwrap().success());
        assert_eq!(running.wait().unwrap().code(), Some(130));
        let cancelled: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(cancelled["taskId"], "t1", "{how}");
    }
}
