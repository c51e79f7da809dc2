//! A cluster of OpenSearch in memory.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{services::program, started::first_line};

/// Ends on drop.
pub struct MemoryCluster {
    child: Child,
    pub url: String,
}

impl MemoryCluster {
    pub fn start() -> Self {
        let mut child = Command::new(program("TOOLCRIB_OSMEM"))
            .args(["-addr", "127.0.0.1:0", "-no-stdin-watch"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said: Value = serde_json::from_str(&first_line(&mut child)).unwrap();
        Self { child, url: said["url"].as_str().unwrap().to_owned() }
    }
}

impl Drop for MemoryCluster {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
