//! Parts of what a server answered, as files that the user asked for.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tempfile::TempDir;

use super::files::io_problem;
use crate::model::{
    content_part::{ContentPart, parts_to_save},
    problem::{Problem, ProblemKind},
};

/// Writes what is not text, or else the texts, into new files; gives their paths. One part goes into
/// that file, several beside it with their numbers; into a folder they go under names of their own.
///
/// # Errors
/// When one cannot be written, or is there already; files that are there stay as they are.
pub fn save_parts(parts: &[ContentPart], path: &Path) -> Result<Vec<PathBuf>, Problem> {
    let parts = parts_to_save(parts);
    let is_folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    let is_single = parts.len() == 1;
    let mut saved = Vec::new();
    for (number, part) in parts {
        let path = match (is_folder, is_single) {
            (true, _) => path.join(part.file_name(number)),
            (false, true) => path.to_owned(),
            (false, false) => numbered_path(path, number),
        };
        write_new(&path, part.file_bytes().unwrap_or_default())?;
        saved.push(path);
    }
    Ok(saved)
}

fn numbered_path(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{}", ending.unwrap_or_default()))
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)
    });
    written.map_err(|error| io_problem(&format!("saving {}", path.display()), &error))
}

/// A folder that only the user can read, for files that other programs are to show. It is made with
/// its first file, and goes with the last clone.
#[derive(Clone, Default)]
pub(crate) struct ScratchFolder(Arc<Mutex<Option<Shown>>>);

struct Shown {
    folder: TempDir,
    count: usize,
}

impl ScratchFolder {
    /// Writes a part that can only be looked at or listened to into a new file.
    ///
    /// # Errors
    /// When it could do more than that, or cannot be written.
    pub fn write_part(&self, part: &ContentPart) -> Result<PathBuf, Problem> {
        let doing = "opening part of an answer";
        if part.viewed_ending().is_none() {
            let cause = format!("{} isn't a type that is safe to open", part.summary());
            return Err(Problem::new(ProblemKind::Input, doing, cause)
                .with_remedy("save it, check it, and open it yourself"));
        }
        let failed = |error: io::Error| io_problem(doing, &error);
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = match &mut *shown {
            Some(shown) => shown,
            empty => {
                let folder = tempfile::Builder::new().prefix("toolcrib-").tempdir();
                empty.insert(Shown { folder: folder.map_err(failed)?, count: 0 })
            }
        };
        shown.count += 1;
        // Its name has the ending of its type, whatever its address says.
        let ending = part.viewed_ending().unwrap_or_default();
        let path = shown.folder.path().join(format!("{}.{ending}", shown.count));
        write_new(&path, part.file_bytes().unwrap_or_default())?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_go_into_new_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let part = |bytes: &[u8]| ContentPart {
            kind: "image".into(),
            mime: Some("image/png".into()),
            bytes: Some(bytes.into()),
            ..ContentPart::default()
        };
        let one = folder.path().join("new/a.png");
        assert_eq!(save_parts(&[part(b"1")], &one).unwrap(), std::slice::from_ref(&one));
        assert!(save_parts(&[part(b"2")], &one).unwrap_err().cause.contains("exist"));
        assert_eq!(fs::read(&one).unwrap(), b"1");
        let two = save_parts(&[part(b"1"), part(b"2")], &one).unwrap();
        assert_eq!(two, [one.with_file_name("a-1.png"), one.with_file_name("a-2.png")]);
        let inside = save_parts(&[part(b"1")], folder.path()).unwrap();
        assert_eq!(inside, [folder.path().join("1-image.png")]);
    }

    #[test]
    fn only_what_is_looked_at_is_written_to_be_opened() {
        let scratch = ScratchFolder::default();
        let part = |mime: &str| ContentPart {
            source: "x:/run.sh".into(),
            mime: Some(mime.into()),
            bytes: Some((*b"hi").into()),
            ..ContentPart::default()
        };
        let path = scratch.write_part(&part("image/png")).unwrap();
        assert!(path.ends_with("1.png"), "{}", path.display());
        assert_eq!(fs::read(&path).unwrap(), b"hi");
        assert!(
            scratch
                .write_part(&part("application/x-sh"))
                .unwrap_err()
                .cause
                .contains("safe to open")
        );
        drop(scratch);
        assert!(!path.exists());
    }
}
