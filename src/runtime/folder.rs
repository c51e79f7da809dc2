//! Looks into a folder for a field whose text is a path.

use std::{fs, io, path::Path, sync::Arc};

use crate::app::folder::FolderList;

/// Names at most.
const NAMES: usize = 1_000;

/// What a folder below the workspace holds, or any other by its whole path.
pub(crate) fn list_folder(root: &Path, folder: String) -> FolderList {
    let names = entry_names(&root.join(&folder)).map_err(|error| {
        format!("can't read {}: {error}", if folder.is_empty() { "it" } else { &folder })
    });
    FolderList { folder, names }
}

/// Folders first and with a slash; hidden ones last.
fn entry_names(folder: &Path) -> io::Result<Arc<[String]>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)?.take(NAMES) {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_folder = entry.path().is_dir();
        names.push((
            name.starts_with('.'),
            !is_folder,
            if is_folder { format!("{name}/") } else { name },
        ));
    }
    names.sort();
    Ok(names.into_iter().map(|(_, _, name)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_what_cannot_be_read_is_told() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("z")).unwrap();
        fs::write(home.path().join("a.txt"), "").unwrap();
        fs::write(home.path().join(".hidden"), "").unwrap();
        assert_eq!(
            list_folder(home.path(), String::new()).names.unwrap().as_ref(),
            ["z/", "a.txt", ".hidden"]
        );
        assert!(
            list_folder(home.path(), "none/".into())
                .names
                .unwrap_err()
                .starts_with("can't read none/")
        );
    }
}
