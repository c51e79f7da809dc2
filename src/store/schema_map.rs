//! Which files stand in for schemas that are named by address. Nothing is ever fetched.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::model::problem::{Problem, ProblemKind};

/// Addresses with the files that hold their schemas. An address that ends with `/` is that of a
/// folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaMap(Vec<(String, PathBuf)>);

impl SchemaMap {
    /// The map of `URL=FILE` pairs; the first pair of an address counts.
    ///
    /// # Errors
    /// When a pair has no `=`, or its file is not there.
    pub fn from_pairs(pairs: &[String]) -> Result<Self, Problem> {
        let doing = |pair: &str| format!("reading --map {pair}");
        let split = |pair: &String| {
            let parts =
                pair.rsplit_once('=').filter(|(url, file)| !url.is_empty() && !file.is_empty());
            let (url, file) = parts.ok_or_else(|| {
                Problem::new(ProblemKind::Input, doing(pair), "it isn't URL=FILE")
                    .with_remedy("use --map https://example.com/schema.json=schema.json")
            })?;
            let mut map = Self::default();
            map.push(url, Path::new(file).to_owned());
            if !Path::new(file).exists() {
                let cause = format!("there is no file {file}");
                return Err(Problem::new(ProblemKind::Missing, doing(pair), cause)
                    .with_remedy("check the path behind the last ="));
            }
            Ok(map.0)
        };
        Ok(Self(pairs.iter().map(split).collect::<Result<Vec<_>, _>>()?.concat()))
    }

    /// The map of a workspace's settings, whose files are below its folder.
    #[must_use]
    pub fn of_settings(schemas: &[(String, String)], root: &Path) -> Self {
        let mut map = Self::default();
        schemas.iter().for_each(|(url, file)| map.push(url, root.join(file)));
        map
    }

    /// Adds an address behind those that are there.
    pub fn push(&mut self, url: &str, file: PathBuf) {
        self.0.push((trim_fragment(url).to_owned(), file));
    }

    /// The file of an address. A folder's address represents all files below it.
    #[must_use]
    pub fn find_file(&self, url: &str) -> Option<PathBuf> {
        let url = trim_fragment(url);
        self.0.iter().find_map(|(known, file)| match url.strip_prefix(known.as_str())? {
            "" => Some(file.clone()),
            rest if known.ends_with('/') => file_below(file, rest),
            _ => None,
        })
    }
}

impl SchemaMap {
    /// Where the file of an address would be, whether or not it is there.
    #[must_use]
    pub fn mapped_path(&self, url: &str) -> Option<PathBuf> {
        let url = trim_fragment(url);
        self.0.iter().find_map(|(known, file)| match url.strip_prefix(known.as_str())? {
            "" => Some(file.clone()),
            rest if known.ends_with('/') => Some(file.join(rest)),
            _ => None,
        })
    }
}

/// An address without the empty fragment that older drafts end theirs with.
fn trim_fragment(url: &str) -> &str {
    url.strip_suffix('#').unwrap_or(url)
}

/// A file below a folder, links followed.
fn file_below(folder: &Path, rest: &str) -> Option<PathBuf> {
    let real = fs::canonicalize(folder.join(rest)).ok()?;
    (real.is_file() && real.starts_with(fs::canonicalize(folder).ok()?)).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_its_file_and_never_out_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("schemas/sub")).unwrap();
        for name in ["one.json", "schemas/two.json", "schemas/sub/three.json", "secret.json"] {
            fs::write(root.join(name), "{}").unwrap();
        }
        let pair = |url: &str, file: &str| format!("{url}={}", root.join(file).display());
        let map = SchemaMap::from_pairs(&[
            pair("https://e.org/one?v=1", "one.json"),
            pair("https://e.org/s/", "schemas"),
        ])
        .unwrap();
        for (url, file) in [
            ("https://e.org/one?v=1", Some("one.json")),
            ("https://e.org/one?v=1#", Some("one.json")),
            ("https://e.org/s/sub/three.json", Some("schemas/sub/three.json")),
            ("https://e.org/s/none.json", None),
            ("https://e.org/s/../secret.json", None),
            ("https://e.org/one?v=12", None),
        ] {
            assert_eq!(map.find_file(url), file.map(|file| root.join(file)), "{url}");
        }
        for wrong in ["https://e.org/x", "=x", "https://e.org/x=", "https://e.org/x=none.json"] {
            assert!(SchemaMap::from_pairs(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
