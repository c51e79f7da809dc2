//! Writing files with tools: all of them, or none.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    cli::out::CommandOutput,
    model::problem::{Problem, ProblemKind},
    store::files::{self, Expected, OutsideLinks, Stamp},
    syntax::{print::print_document, source::Format},
    systems::facets::portable::PortableFile,
};

/// The text of a file in the format that its end says.
pub(super) fn file_text(path: &Path, value: &Value) -> String {
    match Format::from_path(path) {
        Some(Format::Yaml) => print_document(Format::Yaml, value),
        _ => format!("{value:#}\n"),
    }
}

/// Whether a path that is to be written is that of a file.
pub(super) fn is_file(path: &Path) -> bool {
    path.is_file() || path.extension().is_some() && !path.is_dir()
}

/// What is to become of a file.
pub(super) struct FileChange {
    /// The folder that it must not lead out of.
    pub root: PathBuf,
    pub path: PathBuf,
    /// As people typed it.
    pub shown: String,
    /// Its text now; `None`: there is no such file.
    pub before: Option<String>,
    pub after: String,
}

impl FileChange {
    /// A file that is not there yet.
    pub fn new_file(to: &Path, value: &Value) -> Self {
        let path = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
        Self {
            root: path.parent().unwrap_or(&path).to_owned(),
            shown: to.display().to_string(),
            before: None,
            after: file_text(to, value),
            path,
        }
    }

    fn save(&self) -> Result<(), Problem> {
        fs::create_dir_all(&self.root).map_err(|error| {
            let doing = format!("making {}", self.root.display());
            Problem::new(ProblemKind::File, doing, error.to_string())
        })?;
        self.replace(self.before.as_deref(), &self.after)
    }

    fn replace(&self, before: Option<&str>, after: &str) -> Result<(), Problem> {
        let expected = before.map_or(Expected::Absent, |text| Expected::Same(Stamp::of_text(text)));
        let saved = files::save_file(&self.root, &self.path, after, expected, OutsideLinks::Refuse);
        saved.map(drop).map_err(|refused| refused.problem().clone())
    }

    /// Makes it as it was.
    fn take_back(&self) {
        match &self.before {
            Some(before) => drop(self.replace(Some(&self.after), before)),
            None => drop(fs::remove_file(&self.path)),
        }
    }
}

/// Saves all of them; where one can't be saved, the others are as they were.
pub(super) fn save_all(changes: &[FileChange]) -> Result<(), Problem> {
    for (row, change) in changes.iter().enumerate() {
        if let Err(problem) = change.save() {
            changes[..row].iter().for_each(FileChange::take_back);
            return Err(problem);
        }
    }
    Ok(())
}

/// Where a file of tools is written: under that name, or in that folder.
pub(super) fn place_of(path: &Path, file: &PortableFile) -> PathBuf {
    if is_file(path) { path.to_owned() } else { path.join(&file.path) }
}

/// The new files that hold the tools: one under that name, or all of them in a folder.
pub(super) fn new_files(path: &Path, files: &[PortableFile]) -> Result<Vec<FileChange>, Problem> {
    let is_file = is_file(path);
    if let (true, [_, _, ..]) = (is_file, files) {
        let cause =
            format!("there are {} files to write, and {} is one", files.len(), path.display());
        return Err(Problem::new(ProblemKind::Input, "converting", cause)
            .with_remedy("name a folder with --out"));
    }
    let change = |file: &PortableFile| FileChange::new_file(&place_of(path, file), &file.value);
    Ok(files.iter().map(change).collect())
}

/// Writes new files; what is there stays. Where one can't be written, none is.
pub(super) fn write_files(
    path: &Path,
    files: &[PortableFile],
    out: &CommandOutput,
) -> Result<Vec<PathBuf>, Problem> {
    let changes = new_files(path, files)?;
    if let Some(known) = changes.iter().find(|change| change.path.exists()) {
        let cause = format!("{} is there already", known.shown);
        return Err(Problem::new(ProblemKind::Input, "converting", cause).with_remedy(
            "take the new version into it with --update, or name another file with --out",
        ));
    }
    save_all(&changes)?;
    for change in &changes {
        out.print_status(format_args!("wrote {}", change.shown));
    }
    Ok(changes.into_iter().map(|change| change.path).collect())
}
