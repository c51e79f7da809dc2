//! A real key store as desktops have it: GNOME Keyring on a bus of its own, started and stopped by
//! the test that uses it.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};

use tempfile::TempDir;

use super::services::program;

/// A session bus on which whoever asks for secrets wakes a keyring; both are stopped on drop.
pub struct KeyRing {
    bus: Child,
    address: String,
    folder: Arc<TempDir>,
}

impl KeyRing {
    /// One that is unlocked when it wakes.
    pub fn start() -> Self {
        Self::of(Arc::new(tempfile::tempdir().unwrap()), "--unlock < password")
    }

    /// The same keyring, which nobody unlocks when it wakes.
    pub fn locked(self) -> Self {
        let folder = Arc::clone(&self.folder);
        drop(self);
        Self::of(folder, "< /dev/null")
    }

    fn of(folder: Arc<TempDir>, unlock: &str) -> Self {
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("services")).unwrap();
        fs::write(at("password"), "the keyring's own").unwrap();
        let quoted = |path: &Path| format!("'{}'", path.display());
        let libraries = env::var("TOOLCRIB_KEYRING_LIBRARIES")
            .map_or(String::new(), |path| format!("LD_LIBRARY_PATH='{path}' "));
        let run = format!(
            "exec env {libraries}HOME={} {}",
            quoted(folder.path()),
            quoted(&program("TOOLCRIB_KEYRING"))
        );
        let script = format!(
            "#!/bin/sh\ncd {here}\necho $$ > pid\nset -- --foreground --components=secrets --control-directory=control\n\
             {run} \"$@\" {unlock}\n",
            here = quoted(folder.path()),
        );
        fs::write(at("wake"), script).unwrap();
        fs::set_permissions(at("wake"), fs::Permissions::from_mode(0o700)).unwrap();
        let service = format!(
            "[D-BUS Service]\nName=org.freedesktop.secrets\nExec={}\n",
            at("wake").display()
        );
        fs::write(at("services/org.freedesktop.secrets.service"), service).unwrap();
        let settings = format!(
            "<busconfig><type>session</type><listen>unix:dir={here}</listen><auth>EXTERNAL</auth><servicedir>{here}/services</servicedir>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            here = folder.path().display(),
        );
        fs::write(at("bus.conf"), settings).unwrap();
        let mut bus = Command::new(program("TOOLCRIB_DBUS_DAEMON"))
            .args(["--nofork", "--print-address=1", "--config-file"])
            .arg(at("bus.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("unix:"), "the bus did not start: {address:?}");
        Self { bus, address: address.trim().to_owned(), folder }
    }

    /// What programs find the bus by.
    pub fn variable(&self) -> (&'static str, &str) {
        ("DBUS_SESSION_BUS_ADDRESS", &self.address)
    }
}

impl Drop for KeyRing {
    fn drop(&mut self) {
        let _ = self.bus.kill();
        let _ = self.bus.wait();
        // It goes with its bus, and must not hold the folder any more when another takes it over.
        if let Ok(pid) = fs::read_to_string(self.folder.path().join("pid")) {
            let _ = Command::new("kill").args(["-KILL", pid.trim()]).stderr(Stdio::null()).status();
            while Path::new("/proc").join(pid.trim()).exists() {
                thread::yield_now();
            }
        }
    }
}
