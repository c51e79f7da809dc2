//! The files of a workspace as a version in git has them.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    path::{Component, Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use tempfile::TempDir;

use super::{files::io_problem, walk, workspace::Workspace};
use crate::model::{
    entry::FileId,
    problem::{Problem, ProblemKind},
};

/// What git calls a file that is none of the special ones: plain, or executable.
const PLAIN: [&str; 2] = ["100644", "100755"];

/// What git calls a link, and the commit of a submodule.
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// Variables by which git takes another repository or folder than that of the workspace. It sets some
/// for its hooks and aliases itself.
const PLACES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// A workspace's files of one version, in a folder of their own that goes when this does.
#[derive(Debug)]
pub struct GitVersion {
    folder: TempDir,
    /// Links and folders of submodules that the workspace still has.
    left_out: Vec<PathBuf>,
}

impl GitVersion {
    /// Reads the version of a workspace that a commit, a branch or a tag names: the files that a
    /// workspace is made of, as they are kept, without links and submodules.
    ///
    /// # Errors
    /// When git isn't there, the folder is in no repository, or there is no such version.
    pub fn read(revision: &str, workspace: &Workspace) -> Result<Self, Problem> {
        let git = Git { root: &workspace.root, revision };
        let listed = git.list_tree()?;
        let lines = || listed.split('\0');
        let files: Vec<Kept> = lines().filter_map(read_line).collect();
        let folder = tempfile::tempdir().map_err(|error| git.failed(&error))?;
        git.write_files(&files, folder.path()).map_err(|error| git.failed(&error))?;
        let left_out = lines().filter_map(|line| left_out(line, &workspace.root)).collect();
        Ok(Self { folder, left_out })
    }

    /// Whether a file of the workspace, by its full path, is a link or of a submodule now as it was
    /// then, so that this version has nothing that it could be compared with.
    #[must_use]
    pub fn leaves_out(&self, path: &Path) -> bool {
        self.left_out.iter().any(|left_out| path.starts_with(left_out))
    }

    /// Where a path of the workspace is in this version; it may not be there.
    #[must_use]
    pub fn path(&self, below_root: &Path) -> PathBuf {
        self.folder.path().join(below_root)
    }
}

struct Git<'g> {
    root: &'g Path,
    revision: &'g str,
}

/// A file of a version.
struct Kept {
    file: FileId,
    /// What git calls its text.
    object: String,
}

impl Git<'_> {
    fn doing(&self) -> String {
        format!("reading version {}", self.revision)
    }

    fn failed(&self, error: &io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::NotFound => {
                Problem::new(ProblemKind::Missing, self.doing(), "git isn't installed")
                    .with_remedy("install git, or compare two files or folders")
            }
            _ => io_problem(&self.doing(), error),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.root).args(arguments);
        for place in PLACES {
            command.env_remove(place);
        }
        command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// What the version has below the root, each with a NUL behind it.
    fn list_tree(&self) -> Result<String, Problem> {
        let asked = self.revision;
        if asked.is_empty() || asked.starts_with('-') {
            let cause = format!("\"{asked}\" names no commit, branch or tag");
            return Err(Problem::new(ProblemKind::Input, self.doing(), cause));
        }
        let listed = self.command(&["ls-tree", "-r", "-z", &format!("{asked}^{{commit}}"), "./"]);
        let listed = { listed }.output().map_err(|error| self.failed(&error))?;
        if !listed.status.success() {
            return Err(self.refused(&String::from_utf8_lossy(&listed.stderr)));
        }
        Ok(String::from_utf8_lossy(&listed.stdout).into_owned())
    }

    fn refused(&self, said: &str) -> Problem {
        let (cause, remedy) = match said {
            said if said.contains("not a git repository") => (
                format!("{} is in no git repository", self.root.display()),
                "compare two files or folders: toolcrib diff OLD NEW",
            ),
            said if said.contains("Not a valid object name") => (
                "there is no such commit, branch or tag here".to_owned(),
                "`git log` and `git branch --all` list them; in CI, fetch it first (a shallow \
                 clone has one version alone)",
            ),
            said => (said.trim().to_owned(), "see what git says of this folder"),
        };
        Problem::new(ProblemKind::Missing, self.doing(), cause).with_remedy(remedy)
    }

    /// Writes the files into a folder, with one git that is asked for one after the other.
    fn write_files(&self, files: &[Kept], folder: &Path) -> io::Result<()> {
        let mut command = self.command(&["cat-file", "--batch"]);
        let mut git =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let written = copy_files(&mut git, files, folder);
        // Where it failed, git still waits for its questions or for somebody to read.
        if written.is_err() {
            let _ = git.kill();
        }
        git.wait()?;
        written
    }
}

/// Asks on another thread, so that neither side waits for the other to read.
fn copy_files(git: &mut Child, files: &[Kept], folder: &Path) -> io::Result<()> {
    let (Some(mut questions), Some(answers)) = (git.stdin.take(), git.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let asked: String = files.iter().flat_map(|kept| [kept.object.as_str(), "\n"]).collect();
    thread::scope(|threads| {
        threads.spawn(move || questions.write_all(asked.as_bytes()));
        let mut answers = BufReader::new(answers);
        files.iter().try_for_each(|kept| {
            let text = read_object(&mut answers)?;
            let path = folder.join(kept.file.path());
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)
        })
    })
}

/// An answer of git: `OBJECT blob LENGTH`, the text, and a line break.
fn read_object(answers: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let length = head.trim_end().rsplit(' ').next().and_then(|length| length.parse::<u64>().ok());
    let length = length.ok_or(io::ErrorKind::InvalidData)?;
    let mut text = Vec::new();
    answers.take(length + 1).read_to_end(&mut text)?;
    if text.pop() != Some(b'\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(text)
}

/// A line of `ls-tree`: `MODE TYPE OBJECT\tPATH`. `None` for paths that lead elsewhere.
fn parse_line(line: &str) -> Option<(&str, &str, &Path)> {
    let (head, path) = line.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
    let path = Path::new(path);
    let leads_below = path.components().all(|part| matches!(part, Component::Normal(_)));
    leads_below.then_some((mode, object, path))
}

/// The file of a line; `None` for what no workspace is made of.
fn read_line(line: &str) -> Option<Kept> {
    let (mode, object, path) = parse_line(line)?;
    let file = FileId::new(path.to_str()?);
    (PLAIN.contains(&mode) && walk::is_ours(&file))
        .then(|| Kept { file, object: object.to_owned() })
}

/// Where a link or a submodule is that a line names, if it is still one.
fn left_out(line: &str, root: &Path) -> Option<PathBuf> {
    let (mode, _, path) = parse_line(line)?;
    let there = root.join(path);
    let is_still = match mode {
        LINK => there.is_symlink(),
        SUBMODULE => there.join(".git").exists(),
        _ => false,
    };
    is_still.then_some(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_a_workspace_are_kept() {
        let path = |line: &str| read_line(line).map(|kept| kept.file.to_string());
        assert_eq!(path("100644 blob 7f1c\ttools/a b.yaml").as_deref(), Some("tools/a b.yaml"));
        for line in [
            "120000 blob 7f1c\tlink.yaml",
            "160000 commit 7f1c\tother.yaml",
            "100644 blob 7f1c\tREADME.md",
            "100644 blob 7f1c\t.hidden/a.yaml",
            "100644 blob 7f1c\tnode_modules/a.json",
            "100644 blob 7f1c\t../a.yaml",
            "100644 blob 7f1c\t/etc/a.yaml",
            "",
        ] {
            assert_eq!(path(line), None, "{line}");
        }
    }

    #[test]
    fn links_and_submodules_that_are_still_there_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("a.json", root.path().join("link.json")).unwrap();
        fs::write(root.path().join("plain.json"), "").unwrap();
        fs::create_dir_all(root.path().join("sub/.git")).unwrap();
        fs::create_dir_all(root.path().join("folder")).unwrap();
        let path = |line: &str| left_out(line, root.path());
        let there = |name: &str| Some(root.path().join(name));
        assert_eq!(path("120000 blob 7f1c\tlink.json"), there("link.json"));
        assert_eq!(path("160000 commit 7f1c\tsub"), there("sub"));
        for line in [
            "120000 blob 7f1c\tplain.json",
            "120000 blob 7f1c\tgone.json",
            "100644 blob 7f1c\tlink.json",
            "160000 commit 7f1c\tfolder",
        ] {
            assert_eq!(path(line), None, "{line}");
        }
    }

    #[test]
    fn an_answer_is_read_to_its_length() {
        let mut answers: &[u8] = b"7f1c blob 5\na\nb\nc\n7f1d blob 0\n\n7f1e missing\n";
        assert_eq!(read_object(&mut answers).unwrap(), b"a\nb\nc");
        assert_eq!(read_object(&mut answers).unwrap(), b"");
        assert_eq!(read_object(&mut answers).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
