//! A real key store as desktops have it: GNOME Keyring on a bus of its own, started and stopped by
//! the test that uses it.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
};

use tempfile::TempDir;

use super::{bus::Bus, services::program};

/// A session bus on which whoever asks for secrets wakes a keyring; both are stopped on drop.
pub struct KeyRing {
    /// Until the end.
    bus: Option<Bus>,
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
        Self { bus: Some(Bus::start(folder.path())), folder }
    }

    /// What programs find the bus by.
    pub fn variable(&self) -> (&'static str, &str) {
        self.bus.as_ref().unwrap().variable()
    }
}

impl Drop for KeyRing {
    fn drop(&mut self) {
        // Before its bus, with which it would end by itself and free its number for another
        // process; and it must not hold the folder any more when another takes it over.
        if let Ok(pid) = fs::read_to_string(self.folder.path().join("pid")) {
            let _ = Command::new("kill").args(["-KILL", pid.trim()]).stderr(Stdio::null()).status();
            while Path::new("/proc").join(pid.trim()).exists() {
                thread::yield_now();
            }
        }
        drop(self.bus.take());
    }
}
