//! A D-Bus session bus of a test's own, stopped by the test that uses it.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use super::services::program;

pub struct Bus {
    process: Child,
    address: String,
}

impl Bus {
    /// A bus whose socket and settings are in a folder; it starts the services whose files are in
    /// `services` there.
    pub fn start(folder: &Path) -> Self {
        let settings = format!(
            "<busconfig><type>session</type><listen>unix:dir={here}</listen><auth>EXTERNAL</auth><servicedir>{here}/services</servicedir>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            here = folder.display(),
        );
        fs::create_dir_all(folder.join("services")).unwrap();
        fs::write(folder.join("bus.conf"), settings).unwrap();
        let mut process = Command::new(program("TOOLCRIB_DBUS_DAEMON"))
            .args(["--nofork", "--print-address=1", "--config-file"])
            .arg(folder.join("bus.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("unix:"), "the bus did not start: {address:?}");
        Self { process, address: address.trim().to_owned() }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// What programs find the bus by.
    pub fn variable(&self) -> (&'static str, &str) {
        ("DBUS_SESSION_BUS_ADDRESS", &self.address)
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
