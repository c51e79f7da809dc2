//! The real program run as a command: in a folder and with a home of its own, and what it printed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A place to run commands in, with a home folder of its own.
pub struct Place {
    pub home: TempDir,
    pub here: PathBuf,
}

impl Place {
    /// In a shipped sample.
    pub fn sample(name: &str) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        Self { home: tempfile::tempdir().unwrap(), here }
    }

    /// In a folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let here = home.path().join("work");
        fs::create_dir_all(&here).unwrap();
        for (path, text) in files {
            let path = here.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { home, here }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        command.args(arguments).current_dir(&self.here).env_clear().env("HOME", self.home.path());
        for (variable, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            command.env(variable, self.home.path().join(folder));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// What a command prints as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run(arguments).json()
    }
}

pub struct Ran {
    pub code: Option<i32>,
    pub data: String,
    pub words: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), data: text(output.stdout), words: text(output.stderr) }
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data)
            .unwrap_or_else(|error| panic!("{error}:\n{}\n{}", self.data, self.words))
    }

    /// A line each.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        self.data.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// That it ended so, saying all of these on stderr.
    #[track_caller]
    pub fn ended(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.data, self.words);
        for word in words {
            assert!(self.words.contains(word), "{word:?} is not in:\n{}", self.words);
        }
    }
}
