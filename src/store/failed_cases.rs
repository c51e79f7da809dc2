//! Which cases of a workspace failed when they were last run, for `toolcrib test --failed`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    files::{self, OutsideLinks},
    paths::Paths,
};

const FOLDER: &str = "failed-cases";

/// The files of cases that failed when they were last run; none where nothing is known.
#[must_use]
pub fn read_failed(paths: &Paths, root: &Path) -> BTreeSet<PathBuf> {
    parse_files(&fs::read_to_string(file(paths, root)).unwrap_or_default())
}

/// Keeps which cases failed and which passed; of others what is known stays, also what another run
/// keeps at the same time. Where that fails, a later run knows less.
pub fn keep_failed(paths: &Paths, root: &Path, failed: &[PathBuf], passed: &[PathBuf]) {
    let kept = paths.private_folder(FOLDER).and_then(|folder| {
        files::edit_file(&folder, &file(paths, root), OutsideLinks::Refuse, |before| {
            let mut known = parse_files(before.unwrap_or_default());
            known.retain(|file| !passed.contains(file) && file.exists());
            known.extend(failed.iter().cloned());
            let text = json!(known.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>());
            Ok(text.to_string())
        })
    });
    if let Err(problem) = kept {
        tracing::warn!("which cases failed can't be kept: {problem}");
    }
}

fn parse_files(text: &str) -> BTreeSet<PathBuf> {
    serde_json::from_str::<Vec<PathBuf>>(text).unwrap_or_default().into_iter().collect()
}

fn file(paths: &Paths, root: &Path) -> PathBuf {
    let name = paths.workspace_name(FOLDER, root);
    paths.state.join(FOLDER).join(format!("{name}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_known_until_it_passes_or_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        let [one, two, three] = ["one", "two", "three"].map(at);
        for file in [&one, &two, &three] {
            fs::write(file, "").unwrap();
        }
        let root = home.path();
        assert!(read_failed(&paths, root).is_empty());
        keep_failed(&paths, root, &[one.clone(), two.clone(), three.clone()], &[]);
        fs::remove_file(&three).unwrap();
        keep_failed(&paths, root, &[], std::slice::from_ref(&one));
        assert_eq!(read_failed(&paths, root), BTreeSet::from([two]));
        assert!(read_failed(&paths, &at("elsewhere")).is_empty());
    }

    #[test]
    fn runs_at_the_same_time_lose_nothing_of_each_other() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        let cases: BTreeSet<PathBuf> = (0..8).map(|row| at(&format!("{row}.yaml"))).collect();
        std::thread::scope(|scope| {
            for case in &cases {
                fs::write(case, "").unwrap();
                let (paths, root) = (&paths, home.path());
                scope.spawn(move || keep_failed(paths, root, std::slice::from_ref(case), &[]));
            }
        });
        assert_eq!(read_failed(&paths, home.path()), cases);
    }
}
