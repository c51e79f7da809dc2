//! What is dropped on the window.

use std::{
    env,
    fs::File,
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use crate::model::problem::{Problem, ProblemKind};

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
        return match open_window(path) {
            Ok(()) => Dropped::Opened(format!("{} opens in a window of its own", path.display())),
            Err(problem) => Dropped::Failed(problem),
        };
    }
    read_text(path).map_or_else(Dropped::Failed, Dropped::Text)
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

/// Starts this program again, with a window for that folder.
fn open_window(folder: &Path) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        let doing = format!("opening a window for {}", folder.display());
        Problem::new(ProblemKind::File, doing, error.to_string())
            .with_remedy("run `toolcrib --window DIR`")
    };
    let program = env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("--window").arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    // Its end is waited for, or it would stay among the processes.
    let _ = thread::Builder::new().name("window".into()).spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
