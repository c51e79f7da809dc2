//! `toolcrib diff`: what changed between the tools of two files, two folders, or two versions of a
//! document.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};

use super::{
    changes::{ChangeSite, FailOn, change_finding, change_json, finding, print_change},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    report::{self, Format, Report},
    tool_files::{STDIN, is_empty_list, pack_value, read_text, read_value, refused},
};
use crate::{
    model::{
        catalog::Catalog,
        context::Mode,
        entry::FileId,
        finding::Finding,
        problem::{Problem, ProblemKind},
    },
    schema::count::count_text,
    store::git::GitVersion,
    syntax::source::{Format as FileFormat, Source},
    systems::{
        comparison::{Side, SideChange, SideTool, compare_sides},
        facets::kept_tools::{ToolChange, count_words},
        read,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// The tools as they were: an OpenAPI document, a list of functions, a file of a system, a
    /// folder; or - for standard input. With --since, the file or folder to compare with its past
    #[arg(value_name = "OLD", required_unless_present = "since")]
    old: Option<PathBuf>,

    /// The tools as they are
    #[arg(value_name = "NEW", required_unless_present = "since", conflicts_with = "since")]
    new: Option<PathBuf>,

    /// Compare a file or folder, by default the workspace, with what it was at a commit, a branch or
    /// a tag
    #[arg(long, value_name = "REVISION")]
    since: Option<String>,

    /// Exit with 1 only for changes that are at least as severe
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Compatible)]
    fail_on: FailOn,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,
}

impl Diff {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let pair = Pair::find(self, global)?;
        let folder = |place: &SidePlace| {
            place.path.is_dir().then(|| Folder::read(place, global)).transpose()
        };
        let (old_folder, mut new_folder) = (folder(&pair.old)?, folder(&pair.new)?);
        if let (Some(folder), Some(version)) = (&mut new_folder, &pair.version) {
            folder.leave_out(version);
        }
        let unread: Vec<&UnreadFile> =
            [&old_folder, &new_folder].into_iter().flatten().flat_map(|one| &one.unread).collect();
        let side = |one: &SidePlace, other: &SidePlace, folder: &Option<Folder>| match folder {
            Some(folder) => folder.read_side(&one.shown, &unread),
            None => ReadSide::read_file(one, &other.path, global, out),
        };
        let old = side(&pair.old, &pair.new, &old_folder)?;
        let new = side(&pair.new, &pair.old, &new_folder)?;
        for file in &unread {
            out.warn(format_args!("{}: what is there isn't compared", file.problem));
        }
        let found = compare_sides(&old.side, &new.side);
        let changes: Vec<&ToolChange> = found.iter().map(|one| &one.change).collect();
        let format = if global.json { Format::Json } else { self.format };
        match format {
            Format::Human => {
                let label = pair.label();
                changes.iter().try_for_each(|change| print_change(out, &label, change))?;
            }
            Format::Json => out.print_json(&json!({
                "old": pair.old.shown,
                "new": pair.new.shown,
                "state": if changes.is_empty() { "same" } else { "changed" },
                "changes": changes.iter().map(|change| change_json(change)).collect::<Vec<_>>(),
                "unread": unread.iter().map(|file| file.to_json()).collect::<Vec<_>>(),
            }))?,
            Format::Sarif | Format::Github | Format::Junit => {
                self.write_report(&pair, (&found, &unread, &new), (format, out))?;
            }
        }
        let between = format!("{} → {}", pair.old.shown, pair.new.shown);
        let words = match changes.is_empty() {
            true => "no changes".to_owned(),
            false => {
                count_words(&changes.iter().map(|change| (*change).clone()).collect::<Vec<_>>())
            }
        };
        let linked = new_folder.as_ref().map_or(0, |folder| folder.linked.len());
        let left_out = [("file", "files", unread.len()), (LINKED.0, LINKED.1, linked)];
        let left: String = left_out
            .iter()
            .filter(|(.., count)| *count > 0)
            .map(|(one, many, count)| format!("; {} not compared", count_text(*count, one, many)))
            .collect();
        out.print_status(format_args!("{between}: {words}{left}"));
        let is_found = changes.iter().any(|change| FailOn::of_change(change) >= self.fail_on);
        Ok(match unread.first() {
            Some(file) => Ending::from_problem(&file.problem),
            None if is_found => Ending::Found,
            None => Ending::Done,
        })
    }

    /// What changed as findings of the new side, for CI; those that let the command fail are errors.
    fn write_report(
        &self,
        pair: &Pair,
        (found, unread, new): (&[SideChange], &[&UnreadFile], &ReadSide),
        (format, out): (Format, &mut CommandOutput),
    ) -> std::io::Result<()> {
        let label = pair.label();
        let whole = ChangeSite::of_file(FileId::new(label.as_str()));
        let site = |one: &SideChange| {
            let known = one.row.and_then(|row| new.sites.get(row));
            let known = known.filter(|_| !is_stdin(&pair.new.path));
            known.unwrap_or(&whole).clone()
        };
        let changed =
            found.iter().map(|one| change_finding(&label, &one.change, self.fail_on, site(one)));
        let left_out = unread.iter().map(|file| {
            let site = ChangeSite::of_file(FileId::new(file.shown.as_str()));
            finding("file.unread", true, file.problem.to_string(), site)
        });
        let findings: Vec<Finding> = changed.chain(left_out).collect();
        let mut files: Vec<FileId> =
            findings.iter().map(|finding| finding.site.file.clone()).collect();
        files.push(whole.file);
        files.sort();
        files.dedup();
        let report = Report {
            command: "toolcrib diff",
            files: &files,
            findings: &findings,
            shown: &|file| file.to_string(),
            entry: &|_| None,
            unchecked: &[],
        };
        report::write_report(&report, format, out)
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// Where a side is.
struct SidePlace {
    path: PathBuf,
    /// As the report names it.
    shown: String,
    /// The version in git that it is of.
    revision: Option<String>,
}

impl SidePlace {
    fn of_path(path: &Path) -> Self {
        Self { path: path.to_owned(), shown: path.display().to_string(), revision: None }
    }
}

/// What is compared.
struct Pair {
    old: SidePlace,
    new: SidePlace,
    /// That of the old side; its files are there as long as this is.
    version: Option<GitVersion>,
}

impl Pair {
    fn find(asked: &Diff, global: &Global) -> Result<Self, Problem> {
        if let Some(revision) = &asked.since {
            return Self::since(revision, asked.old.as_deref(), global);
        }
        let place = |path: &Option<PathBuf>| {
            SidePlace::of_path(path.as_deref().unwrap_or_else(|| Path::new(".")))
        };
        let (old, new) = (place(&asked.old), place(&asked.new));
        if is_stdin(&old.path) && is_stdin(&new.path) {
            let cause = "standard input can only be one of the two";
            return Err(Problem::new(ProblemKind::Input, "comparing tools", cause)
                .with_remedy("name a file or a folder for the other"));
        }
        Ok(Self { old, new, version: None })
    }

    /// A path, else the workspace, beside what it was.
    fn since(revision: &str, path: Option<&Path>, global: &Global) -> Result<Self, Problem> {
        let workspace = global.find_workspace(path)?;
        let path = path.map_or_else(|| workspace.root.clone(), Path::to_owned);
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let below = real.strip_prefix(&workspace.root).unwrap_or(Path::new(""));
        let version = GitVersion::read(revision, &workspace)?;
        let before = version.path(below);
        let shown = match below.as_os_str().is_empty() {
            true => revision.to_owned(),
            false => format!("{revision}:{}", below.display()),
        };
        if !before.exists() {
            let doing = format!("reading {shown}");
            return Err(Problem::new(ProblemKind::Missing, doing, "it isn't in that version")
                .with_remedy("compare the whole workspace: toolcrib diff --since REVISION"));
        }
        let new = match below.as_os_str().is_empty() {
            true => SidePlace { shown: workspace.name(), ..SidePlace::of_path(&path) },
            false => SidePlace::of_path(&path),
        };
        let old = SidePlace { path: before, shown, revision: Some(revision.to_owned()) };
        Ok(Self { old, new, version: Some(version) })
    }

    /// What changed, as lines and reports name it: the side that is a file, the new one first.
    fn label(&self) -> String {
        let side = if is_stdin(&self.new.path) { &self.old } else { &self.new };
        side.shown.clone()
    }
}

/// A side as it was read.
struct ReadSide {
    side: Side,
    /// Where each of its tools is.
    sites: Vec<ChangeSite>,
}

/// A file of a folder that can't be read. It may hold some of the tools, so what is there is compared on
/// neither side.
struct UnreadFile {
    file: FileId,
    /// Its path below the folder.
    below: String,
    shown: String,
    problem: Problem,
}

impl UnreadFile {
    fn to_json(&self) -> Value {
        json!({"file": self.shown, "error": self.problem.to_string()})
    }
}

/// Files that git keeps no text of.
const LINKED: (&str, &str) = ("file of a link or submodule", "files of links and submodules");

/// A side that is a folder.
struct Folder {
    opened: OpenWorkspace,
    unread: Vec<UnreadFile>,
    /// Those that the other side, a version in git, has no text of: compared on neither side.
    linked: BTreeSet<FileId>,
}

impl Folder {
    fn read(place: &SidePlace, global: &Global) -> Result<Self, Problem> {
        let opened = OpenWorkspace::read_workspace(global, Some(&place.path))?;
        let unread = opened.unread_asked().into_iter().map(|(file, mut problem)| {
            let mut shown = opened.display_path(&file);
            if let Some(revision) = &place.revision {
                shown = format!("{revision}:{file}");
                problem.doing = format!("reading {shown}");
            }
            let below = opened.path_below_asked(&file).to_owned();
            UnreadFile { file, below, shown, problem }
        });
        Ok(Self { unread: unread.collect(), opened, linked: BTreeSet::new() })
    }

    /// Leaves out what a version in git says nothing of.
    fn leave_out(&mut self, version: &GitVersion) {
        let Self { opened, .. } = self;
        let is_linked = |file: &FileId| version.leaves_out(&opened.workspace.file_path(file));
        let asked = opened.files.iter().map(|file| &file.file).filter(|file| opened.is_asked(file));
        self.linked = asked.filter(|file| is_linked(file)).cloned().collect();
        self.unread.retain(|unread| !is_linked(&unread.file));
    }

    /// The entries there, but for those of files that are compared on neither side.
    fn read_side(&self, shown: &str, unread: &[&UnreadFile]) -> Result<ReadSide, Problem> {
        let Self { opened, .. } = self;
        let is_unread = |file: &FileId| {
            let below = opened.path_below_asked(file);
            unread.iter().any(|unread| unread.below == below) || self.linked.contains(file)
        };
        let side =
            Side::of_catalog(&opened.catalog, |file| opened.is_asked(file) && !is_unread(file));
        let found = ReadSide::of_side(side, opened);
        if found.side.is_empty() {
            if let Some(file) = unread.first() {
                return Err(file.problem.clone());
            }
            let cause = "there are no tools in this folder";
            let remedy = "name a file: an OpenAPI document, a list of functions, or a file of a \
                          system";
            let doing = format!("reading {shown}");
            return Err(Problem::new(ProblemKind::Missing, doing, cause).with_remedy(remedy));
        }
        Ok(found)
    }
}

impl ReadSide {
    /// The entries of a file.
    fn read_entries(path: &Path, global: &Global) -> Result<Self, Problem> {
        let opened = OpenWorkspace::read_workspace(global, Some(path))?;
        opened.check_asked()?;
        let side = Side::of_catalog(&opened.catalog, |file| opened.is_asked(file));
        Ok(Self::of_side(side, &opened))
    }

    fn of_side(side: Side, opened: &OpenWorkspace) -> Self {
        Self { sites: entry_sites(&side, &|file| opened.display_path(file)), side }
    }

    fn read_file(
        place: &SidePlace,
        other: &Path,
        global: &Global,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        let (path, name) = (place.path.as_path(), place.shown.clone());
        let text = read_text(&path.display().to_string())?;
        if text.trim().is_empty() {
            let remedy = "give a file with tools; if a command prints it, look at what that says";
            return Err(refused(&name, "it is empty".to_owned()).with_remedy(remedy));
        }
        let value = read_value(&name, &text);
        let is_api = value
            .as_ref()
            .is_ok_and(|value| value.get("openapi").is_some() || value.get("swagger").is_some());
        if !is_api {
            let entries = match is_stdin(path) {
                true => Some(Self::of_text(&text, other, global)),
                false if FileFormat::from_path(path).is_some() => {
                    Some(Self::read_entries(path, global)?)
                }
                false => None,
            };
            if let Some(found) = entries.filter(|found| !found.side.is_empty()) {
                return Ok(found);
            }
        }
        let value = value.map_err(|error| refused(&name, error.to_string()))?;
        Self::of_document(&name, &text, &value, out)
    }

    /// The entries of a text that is no file; its keys are those that the file on the other side
    /// gives.
    fn of_text(text: &str, other: &Path, global: &Global) -> Self {
        let looks_like_json = text.trim_start().starts_with(['{', '[']);
        let (format, file) = match FileFormat::from_path(other) {
            Some(format) => (format, FileId::new(other.to_string_lossy().into_owned())),
            None if looks_like_json => (FileFormat::Json, FileId::new("stdin.json")),
            None => (FileFormat::Yaml, FileId::new("stdin.yaml")),
        };
        let source = Source::of_format(format, text).ok();
        let mode = global.mode.map_or_else(Mode::default, Mode::from);
        let files = source.iter().map(|source| (&file, source));
        let catalog: Catalog = read::read_catalog(files, mode);
        let side = Side::of_catalog(&catalog, |_| true);
        Self { sites: entry_sites(&side, &|file| file.to_string()), side }
    }

    /// The tools of an OpenAPI document or a list of functions.
    fn of_document(
        name: &str,
        text: &str,
        value: &Value,
        out: &CommandOutput,
    ) -> Result<Self, Problem> {
        let (packed, unread) = match pack_value(name, value)? {
            Some(found) => found,
            None if is_empty_list(value) => (Vec::new(), Vec::new()),
            None => {
                let cause = "there are no tools in it";
                return Err(refused(name, cause.to_owned()).with_remedy(
                    "give an OpenAPI document, a list of functions, a file of a system, or a \
                     folder of such",
                ));
            }
        };
        unread.iter().for_each(|words| out.print_detail(format_args!("{name}: {words}")));
        let source = Source::of_file(Path::new(name), text).ok();
        let site = |at| {
            let place = source.as_ref().and_then(|source| source.find_place(0, at));
            let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
            ChangeSite { file: FileId::new(name), line, column }
        };
        let sites = packed.iter().map(|one| site(&one.origin.at)).collect();
        Ok(Self { sites, side: Side::of_document(value, packed) })
    }
}

/// Where the entries of tools are.
fn entry_sites(side: &Side, shown: &dyn Fn(&FileId) -> String) -> Vec<ChangeSite> {
    let site = |one: &SideTool| {
        let entry = one.as_tool().map(|tool| &tool.entry);
        let file = entry.map_or_else(String::new, |entry| shown(entry.id.file()));
        let (line, column) = entry.map_or((0, 0), |entry| (entry.line, entry.column));
        ChangeSite { file: FileId::new(file), line, column }
    };
    side.tools.iter().map(site).collect()
}
