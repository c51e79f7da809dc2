//! What is dropped on the window, and other windows beside it.

use std::{
    env,
    ffi::OsStr,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use crate::{
    app::message::WindowGoal,
    model::problem::{Problem, ProblemKind},
    store::paths::home_folder,
};

/// The most bytes of a file that are pasted.
const MOST: u64 = 4 << 20;

/// What became of it.
pub(super) enum Dropped {
    /// To be pasted where the keys are.
    Text(String),
    /// It has a window of its own; in words.
    Opened(String),
    Failed(Problem),
}

/// A folder opens as a workspace in a window of its own; a file's text is pasted: on Tools its
/// descriptors are added, once the user agrees.
pub(super) fn take_in(path: &Path) -> Dropped {
    if path.is_dir() {
        return open_folder(path);
    }
    read_text(path).map_or_else(Dropped::Failed, Dropped::Text)
}

/// Opens a window beside this one.
pub(super) fn open_another(goal: &WindowGoal) -> Dropped {
    match goal {
        WindowGoal::Folder(typed) => {
            let path = typed_folder(typed, home_folder().as_deref());
            if path.is_dir() {
                return open_folder(&path);
            }
            let doing = format!("opening {}", path.display());
            let cause = "there is no such folder";
            Dropped::Failed(
                Problem::new(ProblemKind::Missing, doing, cause)
                    .with_remedy("give the path of a folder that is there"),
            )
        }
        WindowGoal::Demo => opened("the demo", open_window(&[OsStr::new("demo")])),
    }
}

/// The folder that a user types: `~` is the home folder, and what doesn't begin at the root is in it.
fn typed_folder(typed: &str, home: Option<&Path>) -> PathBuf {
    let below = typed.strip_prefix("~/").or_else(|| (typed == "~").then_some(""));
    match home {
        Some(home) => home.join(below.unwrap_or(typed)),
        None => typed.into(),
    }
}

fn open_folder(folder: &Path) -> Dropped {
    opened(&folder.display().to_string(), open_window(&[folder.as_os_str()]))
}

fn opened(what: &str, started: Result<(), Problem>) -> Dropped {
    match started {
        Ok(()) => Dropped::Opened(format!("{what} opens in a window of its own")),
        Err(problem) => Dropped::Failed(problem),
    }
}

fn read_text(path: &Path) -> Result<String, Problem> {
    let unfit = |cause: String, remedy: &str| {
        Problem::new(ProblemKind::File, format!("taking in {}", path.display()), cause)
            .with_remedy(remedy)
    };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    read.map_err(|error| unfit(error.to_string(), "drop a file that you may read"))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MOST) {
        let cause = format!("it is larger than {} MiB", MOST >> 20);
        return Err(unfit(cause, "copy it into the workspace's folder"));
    }
    String::from_utf8(bytes).map_err(|_| {
        unfit("it is no text".into(), "drop a folder, or a text such as a tool descriptor")
    })
}

/// Starts this program again in a window, with these arguments.
fn open_window(arguments: &[&OsStr]) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(ProblemKind::File, "opening another window", error.to_string())
            .with_remedy("run `toolcrib --window DIR`")
    };
    let program = env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("--window").args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    // Its end is waited for, or it would stay among the processes.
    let _ = thread::Builder::new().name("window".into()).spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_typed_from_the_home_folder_on() {
        let home = Path::new("/home/ada");
        for (typed, path) in [
            ("~", "/home/ada"),
            ("~/tools", "/home/ada/tools"),
            ("tools", "/home/ada/tools"),
            ("/srv/tools", "/srv/tools"),
        ] {
            assert_eq!(typed_folder(typed, Some(home)), Path::new(path), "{typed}");
        }
        let Dropped::Failed(problem) = open_another(&WindowGoal::Folder("/no/where".into())) else {
            panic!("it isn't there");
        };
        assert_eq!(problem.cause, "there is no such folder");
    }

    #[test]
    fn only_texts_of_a_fair_size_are_pasted() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("tool.json");
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(read_text(&path).unwrap(), "{}");
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(read_text(&path).unwrap_err().cause, "it is no text");
        std::fs::write(&path, vec![b'x'; 4 << 20 | 1]).unwrap();
        assert_eq!(read_text(&path).unwrap_err().cause, "it is larger than 4 MiB");
        assert!(read_text(&home.path().join("none")).is_err());
    }
}
