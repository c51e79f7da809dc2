//! The samples that toolcrib brings along, and copying one into a folder.

use std::{fs, io::Write, path::Path, sync::Arc};

use crate::{
    model::{
        entry::FileId,
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
    },
    syntax::source::Format,
};

/// A workspace that shows something.
#[derive(Debug)]
pub struct Sample {
    pub name: &'static str,
    pub about: &'static str,
    /// Path within the workspace, with `/` between folders, and text.
    pub files: &'static [(&'static str, &'static str)],
}

impl Sample {
    /// The text of its `toolcrib.toml`.
    #[must_use]
    pub fn settings(&self) -> &'static str {
        let found = self.files.iter().find(|(path, _)| *path == SETTINGS);
        found.map_or("", |(_, text)| text)
    }
}

/// A sample's files by name, from the folder `samples`.
macro_rules! files {
    ($folder:literal, $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../samples/", $folder, "/", $path)))),+]
    };
}

/// Every sample, in the order in which a menu offers them.
pub const SAMPLES: &[Sample] = &[
    Sample {
        name: "demo",
        about: "A small assistant for a shop: four tools, three services that answer, a workflow of three states.",
        files: files!(
            "demo",
            "README.md",
            "scenarios/a-day.yaml",
            "services.yaml",
            "toolcrib.toml",
            "tools.yaml"
        ),
    },
    Sample {
        name: "spec-workflow",
        about: "Groups, states and a workflow: the TrustGraph document's own configuration, with its scenarios.",
        files: files!(
            "spec-workflow",
            "README.md",
            "scenarios/progression.yaml",
            "scenarios/research.yaml",
            "scenarios/user-a.yaml",
            "scenarios/user-b.yaml",
            "toolcrib.toml",
            "tools.yaml",
        ),
    },
    Sample {
        name: "bench",
        about: "A model in front of the tools: cases that say which tools it is to choose, with recorded runs.",
        files: files!(
            "bench",
            "README.md",
            "cases/joke.yaml",
            "cases/late-share.yaml",
            "cases/no-tool.yaml",
            "cases/recorded/joke.json",
            "cases/recorded/late-share.json",
            "cases/recorded/no-tool.json",
            "services.yaml",
            "toolcrib.toml",
            "tools.yaml",
        ),
    },
    Sample {
        name: "services",
        about: "Three services, and tools that share one with different configuration.",
        files: files!(
            "services",
            "README.md",
            "services/calculator.json",
            "services/custom-rag.json",
            "services/joke-service.json",
            "stubs/bad-days.yaml",
            "toolcrib.toml",
            "tools/calculator.json",
            "tools/query-customers.json",
            "tools/query-products.json",
            "tools/tell-joke.json",
        ),
    },
    Sample {
        name: "first-call",
        about: "One tool and one service: the minimum to see an answer.",
        files: files!(
            "first-call",
            "README.md",
            "joke-service.json",
            "tell-joke.json",
            "toolcrib.toml",
        ),
    },
    Sample {
        name: "commonground",
        about: "CommonGround: five tool definitions, two of them for its Jina service.",
        files: files!(
            "commonground",
            "README.md",
            "toolcrib.toml",
            "tools/file_report.yaml",
            "tools/lamp_switch.yaml",
            "tools/read_page.json",
            "tools/web_search.json",
            "tools/word_count.yaml",
        ),
    },
    Sample {
        name: "unique",
        about: "Unique: a space with five tools, one of your own whose configuration has a form.",
        files: files!("unique", "README.md", "space.json", "toolcrib.toml", "unique/Weather.json",),
    },
    Sample {
        name: "search-proxy",
        about: "Unique's search proxy: a search engine, an agent that searches, and a reader of pages.",
        files: files!(
            "search-proxy",
            "README.md",
            "toolcrib.toml",
            "tools/ask-agent.yaml",
            "tools/read-pages.yaml",
            "tools/search-web.yaml",
        ),
    },
    Sample {
        name: "opensearch",
        about: "OpenSearch: dynamic tools that run step by step on a cluster, and the proposal's \
            own agent.",
        files: files!(
            "opensearch",
            "README.md",
            "stubs/cluster.yaml",
            "toolcrib.toml",
            "tools/answer-from-books.json",
            "tools/node-stats.json",
            "tools/proposal.json",
        ),
    },
    Sample {
        name: "gallery",
        about: "No tools: a schema with every widget and keyword that forms support, for \
            `toolcrib form`.",
        files: files!(
            "gallery",
            "README.md",
            "instance.yaml",
            "schema.json",
            "toolcrib.toml",
            "ui.json"
        ),
    },
];

/// The sample of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.name == name)
}

/// Writes a sample's files into a folder, which is made where it does not exist. Nothing that is
/// there is overwritten: where one of the files exists, none is written.
pub(crate) fn copy_sample(sample: &Sample, folder: &Path) -> Result<(), Problem> {
    copy_files(sample, sample.files, folder)
}

/// The same for a folder that has a workspace: only the files that the workspace reads, which it
/// can undo.
pub(crate) fn copy_documents(
    sample: &Sample,
    folder: &Path,
) -> Result<Vec<(FileId, Arc<str>)>, Problem> {
    let is_read = |(path, _): &&(&str, &str)| Format::from_path(Path::new(path)).is_some();
    let files: Vec<_> = sample.files.iter().filter(is_read).copied().collect();
    copy_files(sample, &files, folder)?;
    Ok(files.into_iter().map(|(path, text)| (FileId::new(path), text.into())).collect())
}

fn copy_files(sample: &Sample, files: &[(&str, &str)], folder: &Path) -> Result<(), Problem> {
    let doing = || format!("copying the sample {} to {}", sample.name, folder.display());
    if let Some((path, _)) =
        files.iter().find(|(path, _)| folder.join(path).symlink_metadata().is_ok())
    {
        let problem = Problem::new(ProblemKind::Input, doing(), format!("{path} already exists"));
        return Err(problem.with_remedy("choose an empty folder"));
    }
    files.iter().try_for_each(|(path, text)| write_new(&folder.join(path), text)).map_err(|error| {
        Problem::new(ProblemKind::File, doing(), error.to_string())
            .with_remedy("choose a folder that can be written to")
    })
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn paths_below(folder: &Path, from: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                paths_below(&path, from, found);
            } else {
                found.push(path.strip_prefix(from).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn the_table_has_every_file_of_the_folder() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples");
        let mut on_disk = Vec::new();
        paths_below(&folder, &folder, &mut on_disk);
        let mut in_table: Vec<String> = SAMPLES
            .iter()
            .flat_map(|sample| {
                sample.files.iter().map(|(path, _)| format!("{}/{path}", sample.name))
            })
            .collect();
        on_disk.sort();
        in_table.sort();
        assert_eq!(in_table, on_disk);
    }

    #[test]
    fn a_copy_is_whole_and_overwrites_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let sample = by_name("services").unwrap();
        copy_sample(sample, &folder.path().join("new")).unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join("new").join(path)).unwrap();
        assert!(sample.files.iter().all(|(path, text)| read(path) == *text));

        fs::write(folder.path().join("toolcrib.toml"), "mine").unwrap();
        let problem = copy_sample(sample, folder.path()).unwrap_err();
        assert_eq!(problem.cause, "toolcrib.toml already exists");
        assert_eq!(fs::read_to_string(folder.path().join("toolcrib.toml")).unwrap(), "mine");
        assert!(!folder.path().join("tools").exists());
    }
}
